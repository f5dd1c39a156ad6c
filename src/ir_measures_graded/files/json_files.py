"""JSON files of qrels and runs, parsed by the standard library, which reports NaN and keys that occur twice.

A file is one of these:

- a dict of dicts ``{topic: {document: number}}``, as pytrec_eval, ranx, BEIR and MTEB write it, or a run as
  a dict of lists ``{topic: [document, …]}``, the best document first;
- rows: objects with a topic, a document and a number, in lines or in an array; or an object of columns;
- items of a run: objects with a topic and its documents, in lines or in an array.

The text of a file is read at once, and one value of it is parsed after the other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from ..core.rows import columns
from ..core.rows.columns import NUMBERS, QRELS, RUN, Chosen, Role
from ..core.rows.id_matching import Ids
from ..core.rows.rows import IDS, Facts, Part
from ..errors import LONGEST, FileError, shown
from .content import DAMAGE, Content
from .forms import BYTE_ORDER_MARK, number_of

IS_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*[{\[\]])')
BLANK = re.compile(r"[ \t\r\n]*")
MEASURE = re.compile(r"[A-Za-z_]+@[0-9]+")
SURROGATE = re.compile("[\ud800-\udfff]")

Topic = tuple[int, Any, Sequence[str], Sequence[Any], dict[str, Any]]
"""The line and the name of a topic, its documents, their values and, of a row, its other cells."""
LISTS = ("results", "candidates", "references")
"""The keys of the documents of an item."""
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
    return IS_JSON.match(start.removeprefix(BYTE_ORDER_MARK)) is not None


def json_parts(content: Content, role: Role, chosen: Chosen) -> Iterator[Part]:
    """The rows of the file in parts of whole topics, in the order of the file."""
    yield from Objects(_whole(content), role, chosen).parts(content.sizes.rows)
    content.refuse_shrunk()


def is_row(thing: Any) -> bool:
    """Whether this is an object with a topic and a document.

    >>> is_row({"query-id": "q1", "corpus-id": "d1", "score": 1}), is_row({"query_id": "q1", "ratings": []})
    (True, False)
    """
    return isinstance(thing, dict) and all(_id_of(thing, ours) is not None for ours in IDS)


def _id_of(thing: dict[str, Any], ours: str) -> str | int | float | None:
    """The topic or document that an object names, None if it names none."""
    keys = (key for group in columns.NAMES[ours] for key in thing if columns.plain(key) in group)
    return next((thing[key] for key in keys if isinstance(thing[key], (str, int, float))), None)


def _whole(content: Content) -> Text:
    """The text of the file. Raises `FileError` if it is too long or cannot be read."""
    most, read = content.sizes.value, b""
    try:
        read = content.stream.read(most + 1)
        if len(read) > most:
            raise FileError(
                f"{content.name}: more than {most:,} bytes of JSON; write a Parquet or a TREC file"
            )
        content.stream.read(1)  # raises an error of damaged data, which follows what was read
    except DAMAGE as error:
        line = read.count(b"\n") + 1
        raise FileError(f"{content.name}:{line}: {content.reason(error)}") from None
    return Text(content.name, read.removeprefix(BYTE_ORDER_MARK))


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


class Text:
    """JSON text, parsed one value at a time. `line` is the line in which the last value begins."""

    def __init__(self, name: str, content: bytes):
        self.name, self.line, self._at, self._counted = name, 1, 0, 0
        try:
            self._text = content.decode()
        except UnicodeDecodeError as error:
            line = 1 + content.count(b"\n", 0, error.start)
            byte = f"byte 0x{content[error.start]:02x}"
            message = f"not UTF-8 text ({byte}); convert the file, for example with iconv"
            raise FileError(f"{name}:{line}: {message}") from None

    def error(self, message: str, at: int = 0) -> FileError:
        """The error for the value, or for the text at a later place."""
        line = self.line + self._text.count("\n", self._counted, at)
        return FileError(f"{self.name}:{line}: {message}")

    def sign(self) -> str:
        """The next character that is not blank, which is not consumed; empty at the end."""
        self._at = BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]
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
        self.line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        try:
            value, self._at = DECODER.raw_decode(self._text, self._at)
            return value
        except json.JSONDecodeError as error:
            raise self.error(f"not JSON: {error.msg}", error.pos) from None
        except Repeated as error:
            raise self.error(f"the key {error} occurs twice in an object") from None
        except ValueError:  # Python refuses to read a whole number of more than 4300 digits
            raise self.error("a number has thousands of digits; write it with an exponent") from None
        except RecursionError:
            raise self.error("not JSON of qrels or runs: nested too deeply") from None

    def members(self) -> Iterator[tuple[str, Any]]:
        """The members of an object."""
        seen: set[str] = set()
        for _ in self._inside("{", "}"):
            key = self.value() if self.sign() == '"' else self.take('"')
            if key in seen:
                raise self.error(f"the key {shown(key)} occurs twice in an object")
            seen.add(key)
            self.take(":")
            yield key, self.value()

    def elements(self) -> Iterator[Any]:
        """The values of an array, or one value after the other up to the end of the file."""
        for _ in self._inside("[", "]") if self.sign() == "[" else iter(self.sign, ""):
            yield self.value()

    def _inside(self, opening: str, closing: str) -> Iterator[None]:
        """Nothing for each member of an object or an array, which the caller reads."""
        self.take(opening)
        sign = self.take(closing) if self.sign() == closing else ","
        while sign == ",":
            yield
            sign = self.take(",", closing)

    def end(self) -> None:
        """Raise `FileError` unless this is the end of the text."""
        if self.sign():
            text = shown(self._text[self._at :][:LONGEST])
            raise self.error(f"not JSON: text follows the last value: {text}", self._at)


class Objects:
    """The topics in the objects of a text. A topic of single rows appears once for each row.

    `keys` has the key of each column of rows by our name, and `ranks` tells whether the values are ranks.
    `form` is the name of the form, and `integers` are the columns of ids that are integers.
    """

    def __init__(self, text: Text, role: Role, chosen: Chosen):
        self.text, self.role, self.chosen, self.error = text, role, chosen, text.error
        self.keys: dict[str, str] = {}
        self.ranks, self.form, self.integers = False, "JSON lines", set[str]()

    def parts(self, size: int) -> Iterator[Part]:
        """The rows of the text in parts of whole topics; each but the last one has `size` rows or more."""
        block: list[Topic] = []
        count = 0
        for topic, documents, values, others in self._topics():
            block.append((self.text.line, topic, documents, values, others))
            count += len(documents)
            if count >= size:
                yield self._part(block)
                block, count = [], 0
        if block:
            yield self._part(block)

    def _part(self, block: Sequence[Topic]) -> Part:
        """The rows of some topics, each with its line."""
        lines, topics, by_topic, values, others = zip(*block)
        sizes = np.array([*map(len, by_topic)])
        of_topic, line = np.repeat(np.arange(sizes.size), sizes), np.repeat(lines, sizes)
        documents = [*chain.from_iterable(by_topic)]
        texts = {"query_id": [*topics], "doc_id": documents}
        texts |= {name: [row[name] for row in others] for name in others[0]}
        probabilities = [*map(_number, texts.pop("probability", []))]
        try:
            found: dict[str, Any] = {name: Ids.of(column) for name, column in texts.items()}
        except UnicodeEncodeError:
            id_ = next(filter(SURROGATE.search, chain(*texts.values())))
            raise FileError(f"{self.text.name}: the id {shown(id_)} has a lone surrogate") from None
        found["query_id"] = found["query_id"].padded().take(of_topic)

        def location(row: int) -> str:
            topic, document = shown(topics[of_topic[row]]), shown(documents[row])
            return f"{self.text.name}:{line[row]}: topic {topic}, document {document}"

        numbers = _numbers([*chain.from_iterable(values)], self.role, location)
        for row in self.role.refused(numbers)[:1].tolist():
            raise FileError(f"{location(row)}: {self.role.rule.format(numbers[row])}")
        found |= {self.role.value: numbers, "probability": np.array(probabilities, dtype=np.float64)}
        wanted = {name: found[name] for name in self.keys or self.role.columns}
        empty = tuple(topic for size, topic in zip(sizes, topics) if not size)
        facts = Facts(self.text.name, self.form, integers=tuple(sorted(self.integers)), empty=empty)
        return Part(wanted, line, facts).checked()

    def _topics(self) -> Iterator[tuple[Any, Sequence[str], Sequence[Any], dict[str, Any]]]:
        text = self.text
        things: Iterable[Any] = ()
        if text.sign() == "[":
            self.form, things = "JSON array", text.elements()
        else:
            members = text.members()
            for key, value in members:
                if key == "mteb_model_meta":
                    self.form = "predictions of MTEB"
                    yield from self._of_parts(dict(members))
                elif isinstance(value, list) and self.chosen.knows(key, self.role):
                    self.form = "JSON of columns"
                    yield from self._of_columns({key: value, **dict(members)})
                elif _is_topic(key, value):
                    self.form = f"JSON dict of {'dicts' if isinstance(value, dict) else 'lists'}"
                    yield self._of_dict(key, value)
                    yield from (self._of_dict(*member) for member in members)
                else:
                    things = chain([{key: value, **dict(members)}], text.elements())
        for thing in things:
            yield self._of(thing)
        text.end()

    def _of_columns(self, table: dict[str, Any]) -> Iterator[Any]:
        """The rows of an object of columns."""
        if len({len(column) if isinstance(column, list) else -1 for column in table.values()}) > 1:
            raise self.error("an object of columns needs lists of one length")
        return (self._of_row(dict(zip(table, row))) for row in zip(*table.values()))

    def _of_dict(self, topic: str, documents: Any) -> Any:
        self.chosen.refuse_unread(self.text.name, self.role, has_names=False)
        if isinstance(documents, list):
            if self.role is QRELS or not all(isinstance(each, str) for each in documents):
                raise self.error(f"topic {shown(topic)} has documents without levels or scores")
            return topic, documents, range(-1, -1 - len(documents), -1), {}
        if not isinstance(documents, dict):
            raise self.error(f"topic {shown(topic)} has {shown(documents)}, not an object of documents")
        if documents and all(map(MEASURE.fullmatch, documents)):
            raise self.error("values of measures, no documents")
        return topic, [*documents], [*documents.values()], {}

    def _of_parts(self, subsets: dict[str, Any]) -> Iterator[Any]:
        """The topics of MTEB's predictions, which are in parts such as default/test."""
        if self.role is QRELS:
            raise self.error("predictions of MTEB are a run, not qrels")
        if not all(isinstance(splits, dict) for splits in subsets.values()):
            raise self.error("predictions of MTEB are objects of subsets, splits and topics")
        parts = {
            f"{subset}/{split}": subsets[subset][split] for subset in subsets for split in subsets[subset]
        }
        if len(parts) != 1:
            names = ", ".join(parts) or "none"
            raise self.error(
                f"predictions of MTEB for several parts ({names}), or for none; "
                "write each part as a run of its own, {topic: {document: score}}"
            )
        ((name, topics),) = parts.items()
        if not isinstance(topics, dict):
            raise self.error(f"{name} has {shown(topics)}, not an object of topics")
        return (self._of_dict(*member) for member in topics.items())

    def _of(self, thing: Any) -> Any:
        """The topic in an object: a row, or an item with a topic and its documents."""
        if not isinstance(thing, dict):
            raise self.error(f"{shown(thing)} is not an object with a topic and documents")
        if self.keys:
            return self._of_row(thing)
        documents = next((thing[key] for key in LISTS if isinstance(thing.get(key), (list, dict))), None)
        query = thing.get("query")
        topic = query.get("qid") if isinstance(query, dict) else _id_of(thing, "query_id")
        if topic is not None and documents is not None:
            return self._of_item(topic, documents)
        if is_row(thing):
            return self._of_row(thing)
        raise self.error(_reason(thing, self.role))

    def _of_row(self, row: dict[str, Any]) -> Any:
        if not self.keys:
            self.keys, self.ranks = columns.file_columns(self.text.name, [*row], self.role, self.chosen)
        cells = {ours: self._cell(row.get(theirs), ours) for ours, theirs in self.keys.items()}
        topic, document, value = map(cells.pop, self.role.columns)
        return topic, [document], [_negative(value) if self.ranks else value], cells

    def _of_item(self, topic: Any, documents: Any) -> Any:
        """The documents of an item: a list of objects, or an object of numbers."""
        topic = self._cell(topic, "query_id")
        if self.role is QRELS:
            raise self.error(f"topic {shown(topic)} has retrieved documents; this is a run, not qrels")
        self.form = "JSON items"
        if not isinstance(documents, list) or not documents or not isinstance(documents[0], dict):
            return self._of_dict(topic, documents)
        self.chosen.refuse_unread(self.text.name, self.role, has_names=False)
        keys, ranks = columns.file_columns(self.text.name, ["query_id", *documents[0]], RUN, Chosen())
        rows = [found if isinstance(found, dict) else {} for found in documents]
        ids = [self._cell(row.get(keys["doc_id"]), "doc_id") for row in rows]
        values = [row.get(keys["score"]) for row in rows]
        return topic, ids, [*map(_negative, values)] if ranks else values, {}

    def _cell(self, cell: Any, column: str) -> Any:
        """An id as text, or a number as it is in the file."""
        if isinstance(cell, str) or column in NUMBERS:
            return cell
        if isinstance(cell, int) and not isinstance(cell, bool):
            self.integers.update({column}.intersection(IDS))
            return str(cell)
        if cell is None:
            raise self.error(f"the {column} is missing; all objects need the same keys")
        raise self.error(f"the {column} {shown(cell)} is not a string")


def _is_topic(key: str, value: Any) -> bool:
    """Whether this holds the documents of a topic, not {"qid": …}, which is the query of an item."""
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    if not isinstance(value, dict) or "qid" in value:
        return False
    return key not in REFUSED or not any(isinstance(number, (dict, list)) for number in value.values())


def _reason(thing: dict[str, Any], role: Role) -> str:
    """The reason why an object has no topic with documents."""
    if (named := next((key for key in LISTS if key in thing), None)) is not None:
        return f"the object with {named} names no topic; give each object a query_id"
    if (refused := next((key for key in REFUSED if key in thing), None)) is not None:
        return "; ".join(REFUSED[refused])
    keys = shown(", ".join(thing))[1:-1] or "(none)"
    form = f"{{topic: {{document: {role.number}}}}}"
    return f"JSON of no known {role.kind}; an object has the keys {keys}; write {form}"


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
        with suppress(OverflowError):
            return np.array(values, dtype=np.float64)
    numbers = [*map(_number, values)]
    if None in numbers:
        row = numbers.index(None)
        reason = f"{shown(values[row])} is not a number"
        reason = "is missing or null; ranx writes NaN and ∞ as null" if values[row] is None else reason
        raise FileError(f"{location(row)}: the {role.number} {reason}")
    return np.array(numbers, dtype=np.float64)
