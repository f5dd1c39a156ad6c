"""JSON files of qrels and runs, parsed one topic at a time by the standard library.

A file is one of these:

- a dict of dicts ``{topic: {document: number}}``, as pytrec_eval, ranx, BEIR and MTEB write it, or a run as
  a dict of lists ``{topic: [document, …]}``, the best document first;
- rows: objects with a topic, a document and a number, in lines or in an array; or an object of columns;
- items of a run: objects with a topic and its documents, in lines or in an array.

The standard library reports NaN, infinities and keys that occur twice. pyarrow parses lines of rows, unless
it could read them differently.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import lru_cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.rows import columns
from ..core.rows.columns import NUMBERS, QRELS, RUN, Chosen, Role
from ..core.rows.id_matching import Ids
from ..core.rows.rows import IDS, Facts, Part, floats
from ..errors import LONGEST, FileError, GradedError, shown
from .content import DAMAGE, Content
from .forms import TREC, number_of
from .lines import Lines
from .text_files import (
    Columns,
    ahead,
    arrow_types,
    by_rank,
    line_count,
    parsed_by_arrow,
    part_of,
    uses_arrow,
)

if TYPE_CHECKING:
    import pyarrow

FIRST = 1 << 16  # bytes that may hold the first row
FAR = 100  # characters; an error this far from the end of the text does not come from the end

IS_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*[{\[\]])')
BLANK = re.compile(r"[ \t\r\n]*")
MEASURE = re.compile(r"[A-Za-z_]+@[0-9]+")

Topic = tuple[Any, Sequence[str], Sequence[Any], dict[str, Any]]
"""A topic, its documents and their values. A row may also have a run, or an iteration and a probability."""
Keys = tuple[dict[str, str], bool]
"""The key of each column, by our name, and whether the values are ranks."""

LISTS = ("results", "candidates", "references")
"""The keys of the documents of an item."""
OWN_IDS = ("_id", "id")
"""The keys of a document in an item only."""
AS_QRELS = "export the ratings as CSV with the columns query, docid and rating"
AS_RUN = "write the hits as a table with the columns query_id, doc_id and score"
REFUSED = {
    "requests": ("a _rank_eval request", AS_QRELS),
    "details": ("a _rank_eval response", f"{AS_RUN}, or the ratings of the request as qrels"),
    "judgmentRatings": ("judgments of OpenSearch", AS_QRELS),
    "hits": ("an answer of Elasticsearch or OpenSearch", f"{AS_RUN}; {AS_QRELS}"),
    "relevant_documents": ("ratings of RRE", AS_QRELS),
    "query_groups": ("ratings of RRE", AS_QRELS),
    "topics": ("ratings of RRE", AS_QRELS),
    "relevant_docs": ("labelled data of Vespa", AS_QRELS),
    "queries": ("ratings of Quepid or RRE", AS_QRELS),
    "ratings": ("ratings of Quepid", AS_QRELS),
    **dict.fromkeys(
        ("turns", "contexts", "ctxs", "responses", "answer", "nuggets"),
        ("answers, not a ranking", "use the TREC file of the run"),
    ),
    "scores": ("values of measures, no documents", "pass the predictions of the task"),
}
"""Other kinds of files by a key of an object, and what to pass in their place."""


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
        seen: set[str] = set()
        # `add` returns None.
        raise Repeated(shown(next(key for key, _ in pairs if key in seen or seen.add(key))))  # type: ignore[func-returns-value]
    return found


DECODER = json.JSONDecoder(object_pairs_hook=unique)


def json_parts(content: Content, role: Role, chosen: Chosen) -> Iterator[Part]:
    """The rows of each block of the file, in the order of the file.

    pyarrow parses lines of rows up to the first block that it could read differently.
    """
    row, start = _first_row(content), content.stream.start
    if row is None or b"[" in start[: start.index(b"{")]:
        yield from Objects(Reader(content, _pieces(content)), role, chosen).parts()
        return
    facts = Facts(content.name, "JSON lines")
    keys, ranks = found = columns.file_columns(content.name, [*row], role, chosen)
    if not uses_arrow(content):
        yield from Objects(Reader(content, _pieces(content)), role, chosen, found).parts()
        return
    lines = Lines(content, TREC[role])
    with closing(ahead(content, lines.blocks(), partial(_plainly, role=role, keys=keys))) as parsed:
        for block, cells in parsed:
            if cells is None:
                rest = _counted(chain([block], (block for block, _ in parsed)), lines)
                yield from Objects(Reader(content, rest, lines.number + 1), role, chosen, found).parts()
                return
            rows = part_of(cells, lines, facts)
            yield by_rank(rows) if ranks else rows
    lines.end()


def _pieces(content: Content) -> Iterator[bytes]:
    return iter(partial(content.stream.read, content.sizes.block), b"")


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
        sizes = self.content.sizes
        if len(self._text) > sizes.value:
            raise self.error(f"a value is longer than {sizes.value:,} characters")
        try:
            pieces = [*islice(self._pieces, 1 + len(self._text) // sizes.block)]
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
            except FileError:
                raise
            except Repeated as error:
                raise self.error(f"the key {error} occurs twice in an object") from None
            except ValueError:  # Python refuses to read a whole number of more than 4300 digits
                raise self.error("a number has thousands of digits; write it with an exponent") from None
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

    `keys` are those of rows, by our name of each, and tell whether their values are ranks. `form` is the name
    of the form, and `integers` are the columns of ids that are integers.
    """

    def __init__(self, reader: Reader, role: Role, chosen: Chosen, keys: Keys = ({}, False)):
        self.reader, self.role, self.chosen, self.error = reader, role, chosen, reader.error
        self.name, (self.keys, self.ranks) = reader.content.name, keys
        self.form, self.integers = "JSON lines" if self.keys else "", set[str]()

    def parts(self) -> Iterator[Part]:
        """The rows of the file in parts of whole topics; each but the last one has a number of rows."""
        block: list[tuple[Any, ...]] = []
        count = 0
        for topic in self._topics():
            block.append((self.reader.line, *topic))
            count += len(topic[1])
            if count >= self.reader.content.sizes.rows // 2:
                yield self._part(*zip(*block))
                block, count = [], 0
        if block:
            yield self._part(*zip(*block))

    def _part(
        self,
        lines: Sequence[int],
        topics: Sequence[str],
        by_topic: Sequence[Sequence[str]],
        values: Sequence[Sequence[Any]],
        others: Sequence[dict[str, Any]],
    ) -> Part:
        """The rows of some topics, each with its line."""
        sizes = np.array([*map(len, by_topic)])
        empty = tuple(topic for size, topic in zip(sizes, topics) if not size)
        of_topic, line = np.repeat(np.arange(sizes.size), sizes), np.repeat(lines, sizes)
        documents = [*chain.from_iterable(by_topic)]
        cells = {"query_id": [*topics], "doc_id": documents}
        cells |= {name: [row[name] for row in others] for name in others[0]}
        probabilities = [*map(_number, cells.pop("probability", []))]
        try:
            found: Columns = {name: Ids.of(texts) for name, texts in cells.items()}
        except UnicodeEncodeError as error:
            lines_before, lines_after = error.object[: error.start], error.object[error.start :]
            id_ = lines_before.rpartition("\n")[2] + lines_after.partition("\n")[0]
            raise FileError(f"{self.name}: the id {shown(id_)} has a lone surrogate") from None
        found["query_id"] = found["query_id"].padded().take(of_topic)

        def location(row: int) -> str:
            topic, document = shown(topics[of_topic[row]]), shown(documents[row])
            return f"{self.name}:{line[row]}: topic {topic}, document {document}"

        numbers = _numbers([*chain.from_iterable(values)], self.role, location)
        refused = self.role.refused(numbers)
        if refused.size:
            row = int(refused[0])
            raise FileError(f"{location(row)}: {self.role.rule.format(numbers[row])}")
        found[self.role.value] = numbers
        found["probability"] = np.array(probabilities, dtype=np.float64)
        # The columns are in the same order as those of `_plainly`, which may have parsed earlier blocks.
        wanted = {name: found[name] for name in self.keys or self.role.columns}
        facts = Facts(self.name, self.form, integers=tuple(sorted(self.integers)), empty=empty)
        return Part(wanted, line, facts).checked()

    def _topics(self) -> Iterator[Topic]:
        reader = self.reader
        things: Iterable[Any] = ()
        if self.keys or reader.sign() == "[":
            self.form = self.form or "JSON array"
            things = reader.elements()
        else:
            members = reader.inside("{")
            for first in members:
                value = reader.value()
                if first == "mteb_model_meta":
                    self.form = "predictions of MTEB"
                    yield from self._of_parts(members)
                elif self._is_column(first, value):
                    self.form = "JSON of columns"
                    yield from self._of_columns({first: value, **{key: reader.value() for key in members}})
                elif _is_topic(value):
                    self.form = f"JSON dict of {'dicts' if isinstance(value, dict) else 'lists'}"
                    yield self._of_dict(first, value)
                    yield from (self._of_dict(topic, reader.value()) for topic in members)
                else:
                    whole = {first: value, **{key: reader.value() for key in members}}
                    things = chain([whole], reader.elements())
        for thing in things:
            yield self._of(thing)
        reader.end()

    def _is_column(self, key: str, value: Any) -> bool:
        names = chain(*(chain(*columns.NAMES[ours]) for ours in self.role.columns))
        return isinstance(value, list) and columns.plain(key) in names

    def _of_columns(self, table: dict[str, Any]) -> Iterator[Topic]:
        """The rows of an object of columns."""
        if len({len(column) if isinstance(column, list) else -1 for column in table.values()}) > 1:
            raise self.error("an object of columns needs lists of one length")
        self.keys, self.ranks = columns.file_columns(self.name, [*table], self.role, self.chosen)
        for row in zip(*table.values()):
            yield self._of_row(dict(zip(table, row)))

    def _of_dict(self, topic: str, documents: Any) -> Topic:
        self.chosen.refuse_unread(self.name, self.role, has_names=False)
        if isinstance(documents, list):
            if self.role is QRELS or not all(isinstance(each, str) for each in documents):
                raise self.error(f"topic {shown(topic)} has documents without levels or scores")
            return topic, documents, range(-1, -1 - len(documents), -1), {}
        if not isinstance(documents, dict):
            raise self.error(f"topic {shown(topic)} has {shown(documents)}, not an object of documents")
        if documents and all(map(MEASURE.fullmatch, documents)):
            raise self.error("values of measures, no documents")
        return topic, [*documents], [*documents.values()], {}

    def _of_parts(self, subsets: Iterator[str]) -> Iterator[Topic]:
        """The topics of MTEB's predictions, which are in parts such as default/test."""
        if self.role is QRELS:
            raise self.error("predictions of MTEB are a run, not qrels")
        parts: list[str] = []
        for subset in subsets:
            for split in self.reader.inside("{"):
                parts.append(f"{subset}/{split}")
                for topic in self.reader.inside("{"):
                    documents = self.reader.value()
                    if len(parts) == 1:
                        yield self._of_dict(topic, documents)
        if len(parts) != 1:
            names = ", ".join(parts) or "none"
            raise self.error(
                f"predictions of MTEB for several parts ({names}), or for none; "
                "write each part as a run of its own, {topic: {document: score}}"
            )

    def _of(self, thing: Any) -> Topic:
        """The topic in an object: a row, or an item with a topic and its documents."""
        if not isinstance(thing, dict):
            raise self.error(f"{shown(thing)} is not an object with a topic and documents")
        if self.keys:
            return self._of_row(thing)
        documents = next((thing[key] for key in LISTS if isinstance(thing.get(key), (list, dict))), None)
        topic = _topic_of(thing)
        if topic is not None and documents is not None:
            return self._of_item(topic, documents)
        if is_row(thing):
            self.keys, self.ranks = columns.file_columns(self.name, [*thing], self.role, self.chosen)
            return self._of_row(thing)
        raise self.error(_reason(thing, self.role))

    def _of_row(self, row: dict[str, Any]) -> Topic:
        cells = {ours: self._cell(row.get(theirs), ours) for ours, theirs in self.keys.items()}
        topic, document, value = map(cells.pop, self.role.columns)
        return topic, [document], [_negative(value) if self.ranks else value], cells

    def _of_item(self, topic: Any, documents: Any) -> Topic:
        """The documents of an item: a list of objects, or an object of numbers."""
        self.chosen.refuse_unread(self.name, self.role, has_names=False)
        topic = self._cell(topic, "query_id")
        if self.role is QRELS:
            raise self.error(f"topic {shown(topic)} has retrieved documents; this is a run, not qrels")
        self.form = "JSON items"
        if isinstance(documents, dict):
            return topic, [*documents], [*documents.values()], {}
        if not all(isinstance(found, dict) for found in documents):
            return self._of_dict(topic, documents)
        ids, values = [], []
        for found in documents:
            document, number, ranks = _item_keys(self.name, tuple(found))
            ids.append(self._cell(found[document], "doc_id"))
            values.append(_negative(found[number]) if ranks else found[number])
        return topic, ids, values, {}

    def _cell(self, cell: Any, column: str) -> Any:
        """An id as text, or a number as it is in the file."""
        if isinstance(cell, str) or column in NUMBERS:
            return cell
        if isinstance(cell, int) and not isinstance(cell, bool):
            self.integers.update({column}.intersection(IDS))
            return str(cell)
        raise self.error(f"the {column} {shown(cell)} is not a string")


def _is_topic(value: Any) -> bool:
    """Whether this holds the documents of a topic, not {"qid": …}, which is the query of an item."""
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    if not isinstance(value, dict) or "qid" in value:
        return False
    return not any(isinstance(number, (dict, list)) for number in value.values())


def _topic_of(thing: dict[str, Any]) -> Any:
    """The topic that an object names, None if it names none."""
    query = thing.get("query")
    if isinstance(query, dict):
        return query.get("qid")
    keys = (key for group in columns.NAMES["query_id"] for key in thing if columns.plain(key) in group)
    return next((thing[key] for key in keys if isinstance(thing[key], (str, int))), None)


def _reason(thing: dict[str, Any], role: Role) -> str:
    """The reason why an object has no topic with documents."""
    named = next((key for key in LISTS if key in thing), None)
    if named is not None:
        return f"the object with {named} names no topic; give each object a query_id"
    for key, (kind, remedy) in REFUSED.items():
        if key in thing:
            return f"{kind}; {remedy}"
    for topic, documents in thing.items():
        for document, number in documents.items() if isinstance(documents, dict) else ():
            if isinstance(number, (dict, list)):
                where = f"topic {shown(topic)}, document {shown(document)}"
                return f"{where}: the {role.number} {shown(number)} is not a number"
    keys = shown(", ".join(thing))[1:-1] or "(none)"
    form = f"{{topic: {{document: {role.number}}}}}"
    return f"JSON of no known {role.kind}; an object has the keys {keys}; write {form}"


@lru_cache(1000)
def _item_keys(file: str, keys: tuple[str, ...]) -> tuple[str, str, bool]:
    """The keys of the document and of its score in an item, and whether the score is a rank."""
    try:
        own = next(filter(keys.__contains__, OWN_IDS), None)
        document = columns.column_name(file, keys, "doc_id") or own
        number = columns.required_column(file, keys, RUN.value)
        return document or columns.required_column(file, keys, "doc_id"), number, columns.is_rank(number)
    except GradedError as error:
        raise FileError(str(error)) from None


def _negative(rank: Any) -> Any:
    number = _number(rank)
    return rank if number is None else -number


def _number(value: Any) -> float | None:
    """A number, also as text; None for anything else. A large whole number is infinite, as 1e400 is."""
    if isinstance(value, str):
        return number_of(value.encode(errors="replace"))
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    with suppress(OverflowError):
        return float(value)
    return np.inf if value > 0 else -np.inf


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


def _plainly(block: bytes, role: Role, keys: dict[str, str]) -> Columns | None:
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

    try:
        if not block.isascii():
            block.decode()
    except UnicodeDecodeError:
        return None
    return parsed_by_arrow(block, read, line_count(block), role)
