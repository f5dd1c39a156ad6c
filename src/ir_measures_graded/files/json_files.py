"""JSON files of qrels and runs, parsed one topic at a time.

A file is one of these:

- a dict of dicts ``{topic: {document: number}}``, as pytrec_eval, ranx, BEIR and MTEB write it;
- rows: objects with a topic, a document and a number, in lines or in an array;
- items: objects with a topic and its documents, in lines, in an array, or in a list of an object.

The standard library parses them, because it reports NaN, infinities and keys that occur twice. pyarrow parses
lines of rows, unless it could read them differently.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, suppress
from functools import lru_cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.rows import columns
from ..core.rows.arrow import arrow_array, by_rank, string_array
from ..core.rows.columns import QRELS, RUN, Chosen, Role
from ..core.rows.rows import IDS, floats, with_places
from ..errors import LONGEST, FileError, GradedError, shown
from .content import DAMAGE, Content
from .strict_lines import Lines, number_of
from .text_files import ahead, arrow_types, line_count, parsed_by_arrow, with_lines
from .text_forms import TREC

if TYPE_CHECKING:
    import pyarrow

ROWS = 1 << 15  # rows per table; a topic is not divided
PIECE = 1 << 20  # bytes per read
FIRST = 1 << 16  # bytes that may hold the first row
LONGEST_VALUE = 1 << 28  # characters of a topic, of an item, or of an object with a list of items
FAR = 100  # characters; an error this far from the end of the text does not come from the end

IS_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*[{\[\]])')
BLANK = re.compile(r"[ \t\r\n]*")
MEASURE = re.compile(r"[A-Za-z_]+@[0-9]+")

Topic = tuple[Any, list[str], list[Any], dict[str, Any]]
"""A topic, its documents and their values. A row may also have a run, or an iteration and a probability."""
Keys = tuple[dict[str, str], bool]
Many = tuple[Any, ...]

LISTS = {
    RUN: ("results", "candidates", "references"),
    QRELS: ("ratings", "relevant_documents", "relevant_docs"),
}
"""The keys of the documents of an item, in a run and in qrels."""
CONTAINERS = ("requests", "judgmentRatings", "queries", "topics", "query_groups", "hits", "_source")
"""The keys of objects, or of lists of objects, that hold items."""
OWN_IDS = ("_id", "id")
"""The keys of a document in an item only."""
ANSWERS = ("turns", "contexts", "ctxs", "responses", "answer", "nuggets")
"""Keys of objects with answers of a system in place of a ranking."""


def is_json(start: bytes) -> bool:
    """Whether a file that begins with these bytes is JSON.

    >>> is_json(b'{"q1": {}}'), is_json(b"[{}]"), is_json(b"{q1} Q0 d1 1 9.2 t")
    (True, True, False)
    """
    return IS_JSON.match(start.removeprefix(codecs.BOM_UTF8)) is not None


class Repeated(ValueError):
    """An object has a key twice. Other parsers keep the last value."""


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these members. Raises `Repeated` for a key that occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise Repeated(shown(next(key for number, key in enumerate(keys) if key in keys[:number])))
    return found


DECODER = json.JSONDecoder(object_pairs_hook=unique)


def json_tables(content: Content, role: Role, chosen: Chosen) -> Iterator[pyarrow.Table]:
    """A table for each block of rows of the file, in the order of the file.

    pyarrow parses lines of rows up to the first block that it could read differently.
    """
    row, start = _first_row(content), content.stream.start
    if row is None or b"[" in start[: start.index(b"{")]:
        pieces = iter(partial(content.stream.read, PIECE), b"")
        yield from Objects(Reader(content, pieces), role, chosen).tables()
        return
    chosen.account.form = "JSON lines"
    keys, ranks = found = columns.file_columns(content.name, [*row], role, chosen)
    lines = Lines(content, TREC[role])
    with closing(ahead(content, lines.blocks(), partial(_plainly, role=role, keys=keys))) as parsed:
        for block, rows in parsed:
            if rows is None:
                rest = _counted(chain([block], (block for block, _ in parsed)), lines)
                yield from Objects(Reader(content, rest, lines.number + 1), role, chosen, found).tables()
                return
            rows = with_lines(rows, lines)
            yield by_rank(rows) if ranks else rows
    lines.end()


def _counted(blocks: Iterator[bytes], lines: Lines) -> Iterator[bytes]:
    """The blocks; then the error of the file if it cannot be read to its end."""
    for block in blocks:
        lines.number += block.count(b"\n")
        yield block
    lines.end()


def json_columns(content: Content, role: Role, chosen: Chosen) -> Collection[str]:
    """The columns of the file that are read, under our names."""
    row = _first_row(content)
    return role.columns if row is None else columns.file_columns(content.name, [*row], role, chosen)[0].keys()


def _first_row(content: Content) -> dict[str, Any] | None:
    """The first object of a file, in an array or not, if it is a row: a topic, a document and a number."""
    with suppress(ValueError, RecursionError):
        start = content.stream.start[:FIRST].decode(errors="ignore")
        row, _ = DECODER.raw_decode(start.lstrip("\ufeff[ \t\r\n"))
        return row if is_row(row) else None
    return None


def is_row(thing: Any) -> bool:
    """Whether this is an object with a topic and a document.

    >>> is_row({"query-id": "q1", "corpus-id": "d1", "score": 1}), is_row({"query_id": "q1", "ratings": []})
    (True, False)
    """
    if not isinstance(thing, dict):
        return False
    keys = {columns.plain(key) for key, id_ in thing.items() if isinstance(id_, (str, int, float))}
    return all(keys.intersection(chain(*columns.NAMES[ours])) for ours in ("query_id", "doc_id"))


class Reader:
    """JSON text in pieces, of which only the value that is being parsed is in memory.

    `line` is the line in which this value begins.
    """

    def __init__(self, content: Content, pieces: Iterator[bytes], line: int = 1):
        self.content, self.line = content, line
        self._pieces, self._decoder = pieces, codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._at, self._counted = "", 0, 0
        self._ended = False

    def error(self, message: str, at: int = 0) -> FileError:
        """The error for the value, or for the text at a later place."""
        line = self.line + self._text.count("\n", self._counted, at)
        return FileError(f"{self.content.name}:{line}: {message}")

    def _begin(self) -> None:
        """Count the lines before the next value."""
        self.line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at

    def _more(self) -> bool:
        """Read on, at least as many characters as there are; False at the end of the file."""
        if self._ended:
            return False
        self._begin()
        self._text, self._at, self._counted = self._text[self._at :], 0, 0
        if len(self._text) > LONGEST_VALUE:
            raise self.error(f"a value is longer than {LONGEST_VALUE:,} characters")
        try:
            pieces = [*islice(self._pieces, 1 + len(self._text) // PIECE)]
            self._ended = not pieces
            self._text += self._decoder.decode(b"".join(pieces), self._ended)
        except DAMAGE as error:
            raise self.error(self.content.reason(error)) from None
        except UnicodeDecodeError as error:
            self._text += error.object[: error.start].decode()
            byte = f"byte 0x{error.object[error.start]:02x}"
            message = f"not UTF-8 text ({byte}); convert the file, for example with iconv"
            raise self.error(message, len(self._text)) from None
        return True

    def sign(self) -> str:
        """The next character that is not blank, which is not consumed; empty at the end of the file."""
        while True:
            self._at = BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def take(self, *signs: str) -> str:
        """Consume the next character that is not blank, which must be one of these."""
        sign = self.sign()
        if not sign or sign not in signs:
            found = sign or "the end of the file"
            raise self.error(f"not JSON: expected {' or '.join(signs)}, not {found}", self._at)
        self._at += 1
        return sign

    def value(self) -> Any:
        """The next value."""
        self.sign()
        self._begin()
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
                may_be_cut = isinstance(value, (int, float)) and end > len(self._text) - FAR
                if not (may_be_cut and self._more()):
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                is_cut = error.pos > len(self._text) - FAR or error.msg.startswith("Unterminated string")
                if not (is_cut and self._more()):
                    raise self.error(f"not JSON: {error.msg}", error.pos) from None
            except Repeated as error:
                raise self.error(f"the key {error} occurs twice in an object") from None
            except RecursionError:
                raise self.error("not JSON of qrels or runs: nested too deeply") from None

    def inside(self, opening: str) -> Iterator[str]:
        """The key of each value of an object, or nothing for each value of an array.

        The caller reads each value before it asks for the next key.
        """
        self.take(opening)
        closing, seen = {"{": "}", "[": "]"}[opening], set()
        sign = self.take(closing) if self.sign() == closing else ","
        while sign == ",":
            key = ""
            if opening == "{":
                key = self.value() if self.sign() == '"' else self.take('"')
                if key in seen:
                    raise self.error(f"the key {shown(key)} occurs twice in an object")
                seen.add(key)
                self.take(":")
            yield key
            sign = self.take(",", closing)

    def elements(self) -> Iterator[Any]:
        """The values of an array, or one value after the other up to the end of the file."""
        for _ in self.inside("[") if self.sign() == "[" else iter(self.sign, ""):
            yield self.value()

    def end(self) -> None:
        """Raise `FileError` unless this is the end of the file."""
        if self.sign():
            text = shown(self._text[self._at :][:LONGEST])
            raise self.error(f"not JSON: text follows the last value: {text}", self._at)
        self.content.refuse_shrunk()


class Objects:
    """The topics in the objects of a file. A topic of single rows appears once for each row.

    `keys` are those of rows, by our name of each, and tells whether their values are ranks.
    """

    def __init__(self, reader: Reader, role: Role, chosen: Chosen, keys: Keys = ({}, False)):
        self.reader, self.role, self.chosen, self.error = reader, role, chosen, reader.error
        self.name, (self.keys, self.ranks) = reader.content.name, keys

    def tables(self) -> Iterator[pyarrow.Table]:
        """The rows of the file in tables of at least `ROWS` rows; the last one may have fewer."""
        block: list[tuple[Any, ...]] = []
        count = 0
        for topic in self:
            block.append((self.reader.line, *topic))
            count += len(topic[1])
            if count >= ROWS:
                yield self._table(*zip(*block))
                block, count = [], 0
        if block:
            yield self._table(*zip(*block))

    def _table(self, lines: Many, topics: Many, by_topic: Many, values: Many, others: Many) -> pyarrow.Table:
        """The rows of some topics, each with its line."""
        import pyarrow

        sizes = [*map(len, by_topic)]
        self.chosen.account.empty += [topic for size, topic in zip(sizes, topics) if not size]
        of_topic, line = np.repeat(np.arange(len(sizes)), sizes), np.repeat(lines, sizes)
        documents = [*chain.from_iterable(by_topic)]
        cells = {"query_id": [*topics], "doc_id": documents}
        cells |= {name: [row[name] for row in others] for name in others[0]}
        probabilities = [*map(_number, cells.pop("probability", []))]
        try:
            arrays = {name: _strings(texts) for name, texts in cells.items()}
        except UnicodeEncodeError as error:
            raise FileError(f"{self.name}: the id {shown(error.object)} has a lone surrogate") from None
        arrays["query_id"] = arrays["query_id"].take(arrow_array(of_topic))

        def location(row: int) -> str:
            topic, document = shown(topics[of_topic[row]]), shown(documents[row])
            return f"{self.name}:{line[row]}: topic {topic}, document {document}"

        numbers = _numbers([*chain.from_iterable(values)], self.role, location)
        for row in self.role.refused(numbers)[:1].tolist():
            raise FileError(f"{location(row)}: {self.role.rule.format(numbers[row])}")
        arrays[self.role.value] = arrow_array(numbers)
        arrays["probability"] = arrow_array(np.array(probabilities, dtype=np.float64))
        # The columns are in the same order as those of `_plainly`, which may have parsed earlier blocks.
        rows = pyarrow.table({name: arrays[name] for name in self.keys or self.role.columns})
        return with_places(rows, "line", line, self.name)

    def __iter__(self) -> Iterator[Topic]:
        reader, account = self.reader, self.chosen.account
        things: Iterable[Any] = ()
        if self.keys or reader.sign() == "[":
            account.form = account.form if self.keys else "JSON array"
            things = reader.elements()
        else:
            members = reader.inside("{")
            for first in members:
                value = reader.value()
                if first == "mteb_model_meta":
                    account.form = "predictions of MTEB"
                    yield from self._of_parts(members)
                elif _is_topic(value):
                    account.form = "JSON dict of dicts"
                    yield self._of_dict(first, value)
                    yield from (self._of_dict(topic, reader.value()) for topic in members)
                else:
                    whole = {first: value, **{key: reader.value() for key in members}}
                    things = chain([whole], reader.elements())
        for thing in things:
            yield from self.of(thing)
        reader.end()

    def _of_dict(self, topic: str, documents: Any) -> Topic:
        if isinstance(documents, list):
            raise self.error(f"topic {shown(topic)} has documents without levels or scores")
        if not isinstance(documents, dict):
            raise self.error(f"topic {shown(topic)} has {shown(documents)}, not an object of documents")
        if documents and all(map(MEASURE.fullmatch, documents)):
            raise self.error("values of measures, no documents")
        return topic, [*documents], [*documents.values()], {}

    def _of_parts(self, subsets: Iterator[str]) -> Iterator[Topic]:
        """The topics of one part of MTEB's predictions, such as default/test."""
        found = None
        for subset in subsets:
            for split in self.reader.inside("{"):
                part = f"{subset}/{split}"
                is_wanted = self.chosen.part in (None, part)
                if is_wanted and found:
                    raise self.error(
                        f"predictions for {found} and {part}; choose one with convert --part {found}"
                    )
                found = part if is_wanted else found
                for topic in self.reader.inside("{"):
                    documents = self.reader.value()
                    if is_wanted:
                        yield self._of_dict(topic, documents)
        if found is None:
            raise self.error(f"there are no predictions for {self.chosen.part or 'any part'}")

    def of(self, thing: Any, lent: Any = None, is_nested: bool = False) -> Iterator[Topic]:
        """The topics in an object. `lent` are the documents of the enclosing object, for one without its own.

        The key ``id`` may name the topic of an object that is nested in another one.
        """
        if not isinstance(thing, dict):
            raise self.error(f"{shown(thing)} is not an object with a topic and documents")
        if self.keys:
            yield self._of_row(thing)
            return
        lists = (thing[key] for key in LISTS[self.role] if isinstance(thing.get(key), (list, dict)))
        documents, topic = next(lists, lent), _topic_of(thing, is_nested)
        if topic is not None and documents is not None:
            yield self._of_item(topic, documents)
        elif is_row(thing):
            self.keys, self.ranks = columns.file_columns(self.name, [*thing], self.role, self.chosen)
            yield self._of_row(thing)
        elif isinstance(thing.get("details"), dict) and "metric_score" in thing:
            if self.role is QRELS:
                raise self.error("a _rank_eval response rates only what was retrieved; use the request")
            for topic, found in thing["details"].items():
                yield self._of_item(topic, [hit.get("hit") for hit in _objects(found, "hits")])
        else:
            nested = [each for key in CONTAINERS for each in _objects(thing, key)]
            if not nested:
                raise self.error(_reason(thing, self.role))
            for each in nested:
                yield from self.of(each, documents, is_nested=True)

    def _of_row(self, row: dict[str, Any]) -> Topic:
        cells = {ours: self._cell(row.get(theirs), ours) for ours, theirs in self.keys.items()}
        topic, document, value = map(cells.pop, self.role.columns)
        return topic, [document], [_negative(value) if self.ranks else value], cells

    def _of_item(self, topic: Any, documents: Any) -> Topic:
        """The documents of an item: objects, or an object of numbers, of objects or of lists of documents."""
        topic = self._cell(topic, "query_id")
        self.chosen.account.form = "JSON items"
        if isinstance(documents, dict):
            if documents and all(isinstance(ids, list) for ids in documents.values()):
                pairs = [
                    (self._cell(id_, "doc_id"), level) for level, ids in documents.items() for id_ in ids
                ]
            else:
                pairs = [
                    (id_, found.get("gain", found.get("rating")) if isinstance(found, dict) else found)
                    for id_, found in documents.items()
                ]
        elif all(isinstance(found, dict) for found in documents):
            pairs = []
            for found in documents:
                document, number, ranks = _item_keys(self.name, tuple(found), self.role)
                value = _negative(found[number]) if ranks else found[number]
                pairs.append((self._cell(found[document], "doc_id"), value))
            if len({found.get("_index") for found in documents}) > 1 and len(dict(pairs)) < len(pairs):
                raise self.error(f"topic {shown(topic)} has a document _id in two indexes")
        else:
            raise self.error(f"topic {shown(topic)} has documents without levels or scores")
        return topic, [document for document, _ in pairs], [value for _, value in pairs], {}

    def _cell(self, cell: Any, column: str) -> Any:
        """An id as text, or a number as it is in the file."""
        if isinstance(cell, str) or column in columns.NUMBERS:
            return cell
        if isinstance(cell, int) and not isinstance(cell, bool):
            self.chosen.account.integers.update({column}.intersection(IDS))
            return str(cell)
        raise self.error(f"the {column} {shown(cell)} is not a string")


def _is_topic(value: Any) -> bool:
    """Whether this is an object of numbers, which may be null or text; {"qid": …} is the query of an item."""
    if not isinstance(value, dict) or "qid" in value:
        return False
    return all(
        number is None or isinstance(number, (int, float)) or _number(number) is not None
        for number in value.values()
    )


def _objects(thing: Any, key: str) -> list[dict[str, Any]]:
    """The object under a key of an object, or the objects in a list; empty if there are none."""
    found = thing.get(key) if isinstance(thing, dict) else None
    return [each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict)]


def _topic_of(thing: dict[str, Any], is_nested: bool) -> Any:
    """The topic that an object names, None if it names none."""
    query, placeholders = thing.get("query"), thing.get("placeholders")
    if isinstance(query, dict):
        return query.get("qid")
    if isinstance(placeholders, dict):
        return placeholders.get("$query")
    keys = (key for group in columns.NAMES["query_id"] for key in thing if columns.plain(key) in group)
    topics = (thing[key] for key in keys if isinstance(thing[key], (str, int)))
    return next(topics, thing.get("id") if is_nested else None)


def _reason(thing: dict[str, Any], role: Role) -> str:
    """The reason why an object has no topics."""
    named = next((key for key in LISTS[role] if key in thing), None)
    if named is not None:
        return f"the object with {named} names no topic; give each object a query_id"
    if any(key in thing for key in ANSWERS):
        return "answers, not a ranking; use the TREC file of the run"
    if "scores" in thing and ("task_name" in thing or "mteb_version" in thing):
        return "values of measures, no documents"
    if thing and all(isinstance(ids, list) for ids in thing.values()):
        return "documents without levels or scores"
    keys = shown(", ".join(thing))[1:-1] or "(none)"
    return f"JSON of no known {role.kind}; an object has the keys {keys}"


@lru_cache(1000)
def _item_keys(file: str, keys: tuple[str, ...], role: Role) -> tuple[str, str, bool]:
    """The keys of the document and of its value in an item, and whether the value is a rank."""
    try:
        own = next(filter(keys.__contains__, OWN_IDS), None)
        document = columns.column_name(file, keys, "doc_id") or own
        number = columns.required_column(file, keys, role.value)
        return document or columns.required_column(file, keys, "doc_id"), number, columns.is_rank(number)
    except GradedError as error:
        raise FileError(str(error)) from None


def _strings(texts: list[str]) -> pyarrow.StringArray:
    """Texts as an Arrow array. Raises `UnicodeEncodeError` for a lone surrogate."""
    joined = "".join(texts)
    return string_array(texts if joined.isascii() else [*map(str.encode, texts)], joined.encode())


def _negative(rank: Any) -> Any:
    number = _number(rank)
    return rank if number is None else -number


def _number(value: Any) -> float | None:
    """A number, also as text; None for anything else."""
    if isinstance(value, str):
        return number_of(value.encode(errors="replace"))
    with suppress(OverflowError):
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return None


def _numbers(values: list[Any], role: Role, location: Callable[[int], str]) -> np.ndarray:
    """The levels or scores as floats; `location` names a row in an error. Text may be a number."""
    if {*map(type, values)} <= {int, float}:
        with suppress(GradedError):
            return floats(role, [values], location)
    numbers = [*map(_number, values)]
    if None in numbers:
        row = numbers.index(None)
        reason = f"{shown(values[row])} is not a number"
        reason = "is null; ranx writes NaN and ∞ as null" if values[row] is None else reason
        raise FileError(f"{location(row)}: the {role.number} {reason}")
    return np.array(numbers, dtype=np.float64)


def _plainly(block: bytes, role: Role, keys: dict[str, str]) -> pyarrow.Table | None:
    """A block of lines parsed by pyarrow; None if others could read them differently."""
    import pyarrow
    from pyarrow import json as arrow_json

    schema = pyarrow.schema([(keys[ours], type_) for ours, type_ in arrow_types(keys).items()])

    def read(buffer: pyarrow.Buffer) -> pyarrow.Table:
        rows = arrow_json.read_json(
            pyarrow.BufferReader(buffer),
            arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
            arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
            memory_pool=pyarrow.system_memory_pool(),
        )
        return rows.select([*keys.values()]).rename_columns([*keys])

    return parsed_by_arrow(block, read, line_count(block), role)
