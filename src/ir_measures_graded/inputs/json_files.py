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
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LONGEST, FileError, GradedError, shown
from .arrow import arrow_array, arrow_numbers, by_rank, string_array
from .columns import NAMES, QRELS, RUN, Chosen, column_name, file_columns, is_rank, plain, required_column
from .content import DAMAGE, Content, owned_by_arrow
from .strict_lines import Lines, number_of
from .tables import in_file, with_places
from .text_files import ahead
from .text_forms import Form

if TYPE_CHECKING:
    import pyarrow

ROWS = 1 << 15  # rows per table; a topic is not divided
PIECE = 1 << 20  # bytes per read
LONGEST_VALUE = 1 << 28  # characters of a topic, of an item, or of an object with a list of items
FAR = 100  # characters; an error this far from the end of the text does not come from the end

IS_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*[{\[\]])')
BLANK = re.compile(r"[ \t\r\n]*")
SURROGATE = re.compile("[\ud800-\udfff]")
MEASURE = re.compile(r"[A-Za-z_]+@[0-9]+")

Topic = tuple[str, list[str], list[Any]]
"""A topic, its documents and their values."""

LISTS = {
    "score": ("results", "candidates", "references"),
    "relevance": ("ratings", "relevant_documents", "relevant_docs"),
}
"""The keys of the documents of an item, in a run and in qrels."""
ITEMS = ("requests", "judgmentRatings", "queries")
"""The keys of lists of items in an object."""
IDS = ("_id", "id")
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


def json_tables(content: Content, role: Form, chosen: Chosen) -> Iterator[pyarrow.Table]:
    """A table for each block of rows of the file, in the order of the file. `role` is `RUN` or `QRELS`."""
    row = _first_row(content.begin())
    chosen.account.form = "JSON lines"
    if row is not None:
        yield from _line_tables(content, role, chosen, tuple(row))
        return
    topics = Topics(Reader(content), role, chosen)
    block: list[Topic] = []
    count = 0
    for topic in topics:
        if not topic[1]:
            chosen.account.empty.append(topic[0])
        block.append(topic)
        count += len(topic[1])
        if count >= ROWS:
            yield topics.table(block)
            block, count = [], 0
    yield topics.table(block)


def json_columns(content: Content, role: Form, chosen: Chosen) -> tuple[str, ...]:
    """The columns of the file that are read, under our names."""
    row = _first_row(content.begin())
    return role.columns[:3] if row is None else tuple(_names(content.name, tuple(row), role.value, chosen)[0])


def _first_row(start: bytes) -> dict[str, Any] | None:
    """The first line of a file if it is a row: an object with a topic, a document and a number."""
    try:
        row = json.loads(start.removeprefix(codecs.BOM_UTF8).partition(b"\n")[0])
    except (ValueError, RecursionError):
        return None
    return row if is_row(row) else None


def is_row(thing: Any) -> bool:
    """Whether this is an object with a topic and a document.

    >>> is_row({"query-id": "q1", "corpus-id": "d1", "score": 1}), is_row({"query_id": "q1", "ratings": []})
    (True, False)
    """
    if not isinstance(thing, dict):
        return False
    keys = {plain(key) for key, id_ in thing.items() if isinstance(id_, (str, int, float))}
    return all(keys.intersection(chain(*NAMES[ours])) for ours in ("query_id", "doc_id"))


class Reader:
    """JSON text, of which only the value that is being parsed is in memory."""

    def __init__(self, content: Content):
        self.content = content
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._at, self._line, self._size = "", 0, 1, PIECE
        self._ended = False

    def error(self, message: str, at: int | None = None) -> FileError:
        line = self._line + self._text.count("\n", 0, self._at if at is None else at)
        return FileError(f"{self.content.name}:{line}: {message}")

    def _more(self) -> bool:
        """Read on; False at the end of the file."""
        if self._ended:
            return False
        self._line += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :], 0
        if len(self._text) > LONGEST_VALUE:
            raise self.error(f"a value is longer than {LONGEST_VALUE:,} characters")
        try:
            piece = self.content.read(max(PIECE, len(self._text)))
        except DAMAGE as error:
            raise self.error(self.content.reason(error)) from None
        self._ended = not piece
        try:
            self._text += self._decoder.decode(piece, self._ended)
        except UnicodeDecodeError:
            raise self.error("not UTF-8 text; convert the file, for example with iconv") from None
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
            wanted = " or ".join(signs)
            raise self.error(f"not JSON: expected {wanted}, not {sign or 'the end of the file'}")
        self._at += 1
        return sign

    def value(self) -> Any:
        """The next value."""
        self.sign()
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

    def members(self) -> Iterator[str]:
        """The keys of an object. The caller reads each value before it asks for the next key."""
        self.take("{")
        seen: set[str] = set()
        if self.sign() == "}":
            self.take("}")
            return
        while True:
            key = self.value() if self.sign() == '"' else self.take('"')
            if key in seen:
                raise self.error(f"the key {shown(key)} occurs twice in an object")
            seen.add(key)
            self.take(":")
            yield key
            if self.take(",", "}") == "}":
                return

    def elements(self) -> Iterator[Any]:
        """The values of an array, or one value after the other up to the end of the file."""
        if self.sign() != "[":
            while self.sign():
                yield self.value()
            return
        self.take("[")
        while self.sign() != "]":
            yield self.value()
            if self.sign() != "]":
                self.take(",")
        self.take("]")

    def end(self) -> None:
        """Raise `FileError` unless this is the end of the file."""
        if self.sign():
            raise self.error(
                f"not JSON: text follows the last value: {shown(self._text[self._at :][:LONGEST])}"
            )
        self.content.refuse_shrunk()


class Topics:
    """The topics in the objects of a file. A topic of single rows appears once for each row."""

    def __init__(self, reader: Reader, role: Form, chosen: Chosen):
        self.reader, self.role, self.value, self.chosen = reader, role, role.value, chosen
        self.name, self.runs = reader.content.name, set[Any]()

    def __iter__(self) -> Iterator[Topic]:
        reader = self.reader
        if reader.sign() == "[":
            self.chosen.account.form = "JSON array"
            for thing in reader.elements():
                yield from self.of(thing)
        else:
            members = reader.members()
            first = next(members, None)
            value = None if first is None else reader.value()
            if first == "mteb_model_meta":
                self.chosen.account.form = "predictions of MTEB"
                yield from self._of_parts(members)
            elif first is not None and _is_topic(value):
                self.chosen.account.form = "JSON dict of dicts"
                yield self._of_dict(first, value)
                yield from (self._of_dict(topic, reader.value()) for topic in members)
            elif first is not None:
                whole = {first: value, **{key: reader.value() for key in members}}
                for thing in chain([whole], reader.elements()):
                    yield from self.of(thing)
        reader.end()

    def error(self, message: str) -> FileError:
        return FileError(f"{self.name}: {message}")

    def _of_dict(self, topic: str, documents: Any) -> Topic:
        if isinstance(documents, list):
            raise self.error(f"topic {shown(topic)} has documents without levels or scores")
        if not isinstance(documents, dict):
            raise self.error(f"topic {shown(topic)} has {shown(documents)}, not an object of documents")
        if documents and all(map(MEASURE.fullmatch, documents)):
            raise self.error("values of measures, no documents")
        return topic, list(documents), list(documents.values())

    def _of_parts(self, subsets: Iterator[str]) -> Iterator[Topic]:
        """The topics of one part of MTEB's predictions, such as default/test."""
        found = None
        for subset in subsets:
            for split in self.reader.members():
                part = f"{subset}/{split}"
                is_wanted = self.chosen.part in (None, part)
                if is_wanted and found:
                    raise self.error(
                        f"predictions for {found} and {part}; choose one with convert --part {found}"
                    )
                found = part if is_wanted else found
                for topic in self.reader.members():
                    documents = self.reader.value()
                    if is_wanted:
                        yield self._of_dict(topic, documents)
        if found is None:
            raise self.error(f"there are no predictions for {self.chosen.part or 'any part'}")

    def of(self, thing: Any, lent: Any = None, named_by_id: bool = False) -> Iterator[Topic]:
        """The topics in an object. `lent` are documents of its group; its key ``id`` may name the topic."""
        if not isinstance(thing, dict):
            raise self.error(f"{shown(thing)} is not an object with a topic and documents")
        lists = (thing[key] for key in LISTS[self.value] if isinstance(thing.get(key), (list, dict)))
        documents, topic = next(lists, lent), _topic_of(thing, named_by_id)
        if topic is not None and documents is not None:
            yield self._of_item(topic, documents)
        elif is_row(thing):
            names, ranks = _names(self.name, tuple(thing), self.value, self.chosen)
            self.runs.add(thing.get(names.get("run", "")))
            if len(self.runs) > 1:
                raise self.error("an array has rows of several runs; write one row per line")
            topic, document, number = (thing[names[ours]] for ours in ("query_id", "doc_id", self.value))
            yield (
                self._id(topic, "query_id"),
                [self._id(document, "doc_id")],
                [_negative(number) if ranks else number],
            )
        else:
            yield from self._in_container(thing)

    def _in_container(self, thing: dict[str, Any]) -> Iterator[Topic]:
        """The topics in an object of Elasticsearch, OpenSearch, Quepid or RRE."""
        groups = [group for topic in _objects(thing, "topics") for group in _objects(topic, "query_groups")]
        hits = [hit for hit in _objects(thing.get("hits"), "hits") if "_source" in hit]
        items = [item for key in ITEMS for item in _objects(thing, key)]
        if isinstance(thing.get("details"), dict) and "metric_score" in thing:
            if self.value == "relevance":
                raise self.error("a _rank_eval response rates only what was retrieved; use the request")
            for topic, found in thing["details"].items():
                yield self._of_item(topic, [hit.get("hit") for hit in _objects(found, "hits")])
        elif not (groups or hits or items):
            raise self.error(_reason(thing, self.value))
        for group in groups:
            for query in _objects(group, "queries"):
                yield from self.of(query, group.get("relevant_documents"))
        for hit in hits:
            yield from self.of(hit["_source"])
        for item in items:
            yield from self.of(item, named_by_id=True)

    def _of_item(self, topic: Any, documents: Any) -> Topic:
        """The documents of an item: objects, or an object of numbers, of objects or of lists of documents."""
        topic = self._id(topic, "query_id")
        self.chosen.account.form = "JSON items"
        if isinstance(documents, dict):
            if documents and all(isinstance(ids, list) for ids in documents.values()):
                pairs = [(self._id(id_, "doc_id"), level) for level, ids in documents.items() for id_ in ids]
            else:
                pairs = [
                    (id_, found.get("gain", found.get("rating")) if isinstance(found, dict) else found)
                    for id_, found in documents.items()
                ]
        elif all(isinstance(found, dict) for found in documents):
            pairs = []
            for found in documents:
                document, number = _item_keys(self.name, tuple(found), self.value)
                value = _negative(found[number]) if is_rank(number) else found[number]
                pairs.append((self._id(found[document], "doc_id"), value))
            if len({found.get("_index") for found in documents}) > 1 and len(dict(pairs)) < len(pairs):
                raise self.error(f"topic {shown(topic)} has a document _id in two indexes")
        else:
            raise self.error(f"topic {shown(topic)} has documents without levels or scores")
        return topic, [document for document, _ in pairs], [value for _, value in pairs]

    def _id(self, id_: Any, column: str) -> str:
        if isinstance(id_, str):
            return id_
        if isinstance(id_, int) and not isinstance(id_, bool):
            self.chosen.account.integers.add(column)
            return str(id_)
        raise self.error(f"the id {shown(id_)} is not a string")

    def table(self, topics: list[Topic]) -> pyarrow.Table:
        """The rows of some topics."""
        import pyarrow

        sizes = [len(documents) for _, documents, _ in topics]
        names = [topic for (topic, _, _), size in zip(topics, sizes) for topic in [topic] * size]
        documents = [document for _, found, _ in topics for document in found]
        try:
            "".join(topic for topic, *_ in topics).encode()  # also topics without documents
            ids = [string_array(names), string_array(documents)]
        except UnicodeEncodeError:
            every = (id_ for topic, found, _ in topics for id_ in (topic, *found))
            wrong = next(id_ for id_ in every if not id_.isascii() and SURROGATE.search(id_))
            raise self.error(f"the id {shown(wrong)} has a lone surrogate") from None
        values = [value for _, _, found in topics for value in found]

        def place(row: int) -> str:
            return f"{self.name}: topic {shown(names[row])}, document {shown(documents[row])}"

        numbers = _numbers(values, self.value, place)
        for row in np.flatnonzero(~self.role.allowed(numbers))[:1].tolist():
            rule = (QRELS if self.value == QRELS.value else RUN).rule
            raise FileError(f"{place(row)}: {rule.format(numbers[row])}")
        rows = pyarrow.Table.from_arrays([*ids, arrow_array(numbers)], ["query_id", "doc_id", self.value])
        return in_file(rows, self.name)


def _is_topic(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(number, (int, float, type(None))) for number in value.values()
    )


def _objects(thing: Any, key: str) -> list[dict[str, Any]]:
    """The objects in a list of an object, empty if there is no such list."""
    found = thing.get(key) if isinstance(thing, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _topic_of(thing: dict[str, Any], named_by_id: bool) -> Any:
    """The topic that an object names, None if it names none."""
    query, placeholders = thing.get("query"), thing.get("placeholders")
    if isinstance(query, dict):
        return query.get("qid")
    if isinstance(placeholders, dict):
        return placeholders.get("$query")
    for group in NAMES["query_id"]:
        for key in thing:
            if plain(key) in group and isinstance(thing[key], (str, int)):
                return thing[key]
    return thing.get("id") if named_by_id else None


def _reason(thing: dict[str, Any], value: str) -> str:
    """The reason why an object has no topics."""
    named = next((key for key in LISTS[value] if key in thing), None)
    if named is not None:
        return f"the object with {named} names no topic; give each object a query_id"
    if any(key in thing for key in ANSWERS):
        return "answers, not a ranking; use the TREC file of the run"
    if "scores" in thing and ("task_name" in thing or "mteb_version" in thing):
        return "values of measures, no documents"
    if thing and all(isinstance(ids, list) for ids in thing.values()):
        return "documents without levels or scores"
    what = "run" if value == "score" else "qrels"
    return f"JSON of no known {what}; an object has the keys {shown(', '.join(thing))[1:-1] or '(none)'}"


@lru_cache(1000)
def _names(file: str, keys: tuple[str, ...], value: str, chosen: Chosen) -> tuple[dict[str, str], bool]:
    return file_columns(file, keys, value, chosen)


@lru_cache(1000)
def _item_keys(file: str, keys: tuple[str, ...], value: str) -> tuple[str, str]:
    """The keys of the document and of its value in an item."""
    try:
        document = column_name(file, keys, "doc_id") or next((key for key in IDS if key in keys), None)
        return document or required_column(file, keys, "doc_id"), required_column(file, keys, value)
    except GradedError as error:
        raise FileError(str(error)) from None


def _negative(rank: Any) -> Any:
    if isinstance(rank, str):
        return f"-{rank}"
    return -rank if isinstance(rank, (int, float)) and not isinstance(rank, bool) else rank


def _numbers(values: list[Any], value: str, place: Callable[[int], str]) -> np.ndarray:
    """The levels or scores as floats; `place` names a row in an error. Text is a number as in other files."""
    if {*map(type, values)} <= {int, float}:
        with suppress(OverflowError):
            return np.array(values, dtype=np.float64)
    what = "score" if value == "score" else "level"
    numbers = np.empty(len(values))
    for row, found in enumerate(values):
        if found is None:
            raise FileError(f"{place(row)}: the {what} is null; ranx writes NaN and ∞ as null")
        try:
            number = (
                number_of(found.encode())
                if isinstance(found, str)
                else None
                if isinstance(found, bool)
                else float(found)
            )
        except (TypeError, ValueError, OverflowError):
            number = None
        if number is None:
            raise FileError(f"{place(row)}: the {what} {shown(found)} is not a number")
        numbers[row] = number
    return numbers


# ------------------------------------------------------------------------------------ lines of rows


def _line_tables(
    content: Content, role: Form, chosen: Chosen, keys: tuple[str, ...]
) -> Iterator[pyarrow.Table]:
    names, ranks = _names(content.name, keys, role.value, chosen)
    lines = Lines(content, role)
    with closing(ahead(content, lines.blocks(), partial(_plainly, role=role, names=names))) as parsed:
        for block, rows in parsed:
            if rows is None:
                rows = _strictly(block, role, names, lines, chosen)
            else:
                before = lines.number
                lines.number += rows.num_rows
                rows = with_places(rows, "line", np.arange(before + 1, lines.number + 1), lines.name)
            yield by_rank(rows) if ranks else rows
    lines.end()


def _plainly(block: bytes, role: Form, names: dict[str, str]) -> pyarrow.Table | None:
    """A block of rows parsed by pyarrow, which does not check UTF-8; None if the strict reader is needed."""
    import pyarrow
    from pyarrow import json as arrow_json

    schema = pyarrow.schema(
        [
            (theirs, pyarrow.float64() if ours == role.value else pyarrow.string())
            for ours, theirs in names.items()
        ]
    )
    try:
        str(block, "utf-8")
        rows = (
            arrow_json.read_json(
                pyarrow.BufferReader(owned_by_arrow(block)),
                arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
                arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
                memory_pool=pyarrow.system_memory_pool(),
            )
            .select(list(names.values()))
            .rename_columns(list(names))
        )
    except (pyarrow.ArrowException, UnicodeDecodeError):
        return None
    count = block.count(b"\n") + (not block.endswith(b"\n"))
    if rows.num_rows != count or any(column.null_count for column in rows.columns):
        return None
    return rows if role.allowed(arrow_numbers(rows[role.value])).all() else None


def _strictly(block: bytes, role: Form, names: dict[str, str], lines: Lines, chosen: Chosen) -> pyarrow.Table:
    """A block of rows parsed line by line. Raises `FileError` for the first wrong line."""
    import pyarrow

    kept: dict[str, list[Any]] = {ours: [] for ours in names}
    numbers: list[int] = []
    for line in io.BytesIO(block):
        lines.number += 1
        if not line.strip():
            continue
        lines.check_text(line)
        try:
            row = DECODER.decode(line.decode())
        except Repeated as error:
            raise lines.error(f"the key {error} occurs twice in an object") from None
        except (ValueError, RecursionError) as error:
            raise lines.error(f"not JSON: {getattr(error, 'msg', error)}") from None
        for ours, theirs in names.items():
            found = row.get(theirs) if isinstance(row, dict) else None
            if ours != role.value and (not isinstance(found, (str, int)) or isinstance(found, bool)):
                raise lines.error(f"the {theirs} {shown(found)} is not a string")
            if isinstance(found, int) and ours in ("query_id", "doc_id"):
                chosen.account.integers.add(ours)
            kept[ours].append(found if ours == role.value else str(found))
        numbers.append(lines.number)
    columns = []
    for ours, found in kept.items():
        if ours == role.value:
            columns.append(arrow_array(_numbers(found, ours, lambda row: f"{lines.name}:{numbers[row]}")))
            continue
        try:
            columns.append(string_array(found))
        except UnicodeEncodeError:
            raise lines.error(f"a {ours} here or above has a lone surrogate") from None
    rows = pyarrow.Table.from_arrays(columns, list(kept))
    return with_places(rows, "line", np.array(numbers, dtype=np.int64), lines.name)
