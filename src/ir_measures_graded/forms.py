"""The forms in which qrels and runs arrive, read into one: rows grouped by topic.

One reader per form: a dict of dicts, a DataFrame, an Arrow table, an iterable of named tuples. They
convert whole columns, ids into bytes (`Ids`); what only a bad row needs to know is looked up when there
is one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .columns import (
    Stretches,
    arrow_numbers,
    has_plain_numbers,
    ids_of,
    ids_of_keys,
    is_arrow,
    stretches_of,
)
from .errors import GradedError
from .ids import Ids, all_distinct, repeated_rows
from .segments import blocks, places

if TYPE_CHECKING:
    import pandas
    import pyarrow

Source = Any
"""Qrels or a run: a dict of dicts, a DataFrame, an Arrow table, or an iterable of named tuples."""


def _twice(topic: str, doc: str) -> GradedError:
    return GradedError(
        f"run: topic {topic!r} retrieves document {doc!r} twice; a document has one rank in a topic"
    )


@dataclass(frozen=True)
class Table:
    """Rows of (topic, document, value), grouped by topic.

    `topics` (T) are the distinct topics in order of appearance; topic t has the rows
    `offsets[t]:offsets[t + 1]` of `docs` (N ids) and `values` (N floats: levels or scores).
    `distinct`: no topic can have a document twice. `twice`: what to say of a run where one has.
    """

    kind: str  # "qrels" or "run", for messages
    topics: Sequence[str]
    offsets: np.ndarray
    docs: Ids
    values: np.ndarray
    distinct: bool = False
    twice: Callable[[str, str], GradedError] = _twice

    def topic_of(self, row: int) -> str:
        return self.topics[int(np.searchsorted(self.offsets, row, side="right")) - 1]

    def place(self, row: int) -> str:
        """A row named for a message."""
        return f"{self.kind}: topic {self.topic_of(row)!r}, document {self.docs[row]!r}"

    def repeated(self, row: int) -> GradedError:
        """What to raise for a document that its topic has in an earlier row too."""
        return self.twice(self.topic_of(row), self.docs[row])

    def block(self, a: int, b: int) -> Table:
        """The rows of the topics a … b − 1."""
        start, stop = int(self.offsets[a]), int(self.offsets[b])
        return replace(
            self,
            topics=self.topics[a:b],
            offsets=self.offsets[a : b + 1] - start,
            docs=self.docs.take(slice(start, stop)),
            values=self.values[start:stop],
        )

    def part(self, numbers: np.ndarray) -> Table:
        """The rows of some topics, given by their numbers."""
        if numbers.size and np.array_equal(numbers, np.arange(numbers[0], numbers[0] + numbers.size)):
            return self.block(int(numbers[0]), int(numbers[-1]) + 1)
        sizes = np.diff(self.offsets)[numbers]
        rows = np.repeat(self.offsets[numbers], sizes) + places(sizes)
        return replace(
            self,
            topics=[self.topics[number] for number in numbers.tolist()],
            offsets=_offsets(sizes),
            docs=self.docs.take(rows),
            values=self.values[rows],
        )

    def of_topics(self, code: Mapping[str, int]) -> Table:
        """The rows of those topics that have a code, and in the order of the codes 0 … T − 1."""
        codes = np.fromiter((code.get(topic, -1) for topic in self.topics), np.int64, len(self.topics))
        known = np.flatnonzero(codes >= 0)
        known = known[np.argsort(codes[known], kind="stable")]
        sizes = np.zeros(len(code), dtype=np.int64)
        sizes[codes[known]] = np.diff(self.offsets)[known]
        return replace(self.part(known), topics=list(code), offsets=_offsets(sizes))


def _offsets(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def refuse_repeated(run: Table) -> None:
    """Raises `GradedError` for a document that a topic of the run retrieves twice."""
    if run.distinct:
        return
    for a, b in blocks(np.diff(run.offsets)):
        part = run.block(a, b)
        if not all_distinct((part.docs, part.offsets)):
            raise part.repeated(int(repeated_rows((part.docs, part.offsets)).min()))


def read_qrels(source: Source) -> Table:
    """Qrels as a table of levels. Raises `GradedError` for a level that is not a finite number."""
    if isinstance(source, Table):
        return source
    table = _read(source, "qrels", "relevance")
    bad = np.flatnonzero(~np.isfinite(table.values))
    if bad.size:
        row = int(bad[0])
        raise GradedError(f"{table.place(row)}: the level is {table.values[row]}; a level is a finite number")
    return table


def read_run(source: Source) -> Table:
    """A run as a table of scores. Raises `GradedError` for a score that is NaN."""
    if isinstance(source, Table):
        return source
    table = _read(source, "run", "score")
    bad = np.flatnonzero(np.isnan(table.values))
    if bad.size:
        raise GradedError(
            f"{table.place(int(bad[0]))}: the score is NaN, which has no place in an order; "
            "give it a number (infinities are allowed)"
        )
    return table


def _read(source: Source, kind: str, value: str) -> Table:
    if isinstance(source, Mapping):
        return _from_dicts(source, kind)
    if hasattr(source, "itertuples"):
        return _from_frame(source, kind, value)
    if is_arrow(source):
        return _from_arrow(source, kind, value)
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        return _from_tuples(source, kind, value)
    raise GradedError(
        f"{kind}: cannot read a {type(source).__name__}; give a dict of dicts, a DataFrame with "
        f"the columns query_id, doc_id and {value}, or an iterable of named tuples with these fields"
    )


# ------------------------------------------------------------------------------ one reader a form


def _from_dicts(source: Mapping[str, Mapping[str, float]], kind: str) -> Table:
    for topic, rows in source.items():
        if not isinstance(rows, Mapping):
            raise GradedError(f"{kind}: topic {topic!r} has a {type(rows).__name__}, not a dict of documents")
    topics, dicts = list(ids_of(list(source), f"{kind}: query_id")), list(source.values())
    offsets = _offsets(np.array([*map(len, dicts)]))
    docs = ids_of_keys(dicts, f"{kind}: doc_id")
    values = _floats([rows.values() for rows in dicts], Table(kind, topics, offsets, docs, np.empty(0)).place)
    return Table(kind, topics, offsets, docs, values, distinct=True)


def _from_frame(frame: pandas.DataFrame, kind: str, value: str) -> Table:
    missing = [name for name in ("query_id", "doc_id", value) if name not in frame.columns]
    if missing:
        terrier = {"query_id": "qid", "doc_id": "docno", "relevance": "label", "score": "score"}
        hint = {terrier[name]: name for name in missing if terrier[name] in frame.columns}
        raise GradedError(
            f"{kind}: the DataFrame has no column {', '.join(missing)} (it has "
            f"{', '.join(map(str, frame.columns)) or 'none'})"
            + (f"; rename with frame.rename(columns={hint})" if hint else "")
        )
    try:
        stretches = stretches_of(frame["query_id"].array, f"{kind}: query_id")
    except GradedError:
        lacking = frame["query_id"].isna().to_numpy()
        if lacking.any():
            raise GradedError(f"{kind}: row {int(np.argmax(lacking))} has no query_id") from None
        raise
    docs = ids_of(frame["doc_id"].array, f"{kind}: doc_id")
    column = frame[value]
    numbers = (
        column.to_numpy(dtype=np.float64, na_value=np.nan) if column.dtype.kind in "biuf" else column.tolist()
    )
    return _grouped(kind, stretches, docs, numbers)


def _from_arrow(rows: pyarrow.Table | pyarrow.RecordBatch, kind: str, value: str) -> Table:

    names = rows.schema.names
    missing = [name for name in ("query_id", "doc_id", value) if name not in names]
    if missing:
        raise GradedError(
            f"{kind}: the Arrow table has no column {', '.join(missing)} "
            f"(it has {', '.join(names) or 'none'})"
        )
    topics, docs, column = (rows.column(names.index(name)) for name in ("query_id", "doc_id", value))
    if topics.null_count:
        raise GradedError(f"{kind}: row {topics.to_pylist().index(None)} has no query_id")
    stretches = stretches_of(topics, f"{kind}: query_id")
    numbers = arrow_numbers(column) if has_plain_numbers(column) else column.to_pylist()
    return _grouped(kind, stretches, ids_of(docs, f"{kind}: doc_id"), numbers)


def _from_tuples(source: Iterable[Any], kind: str, value: str) -> Table:
    rows = source if isinstance(source, Sequence) else list(source)
    try:
        topics = list(map(attrgetter("query_id"), rows))
        docs = list(map(attrgetter("doc_id"), rows))
        numbers = list(map(attrgetter(value), rows))
    except AttributeError as error:
        raise GradedError(
            f"{kind}: {error}; each item needs the fields query_id, doc_id and {value}, "
            f"as ir_measures.{'ScoredDoc' if kind == 'run' else 'Qrel'} has"
        ) from None
    stretches = stretches_of(topics, f"{kind}: query_id")
    return _grouped(kind, stretches, ids_of(docs, f"{kind}: doc_id"), numbers)


# ---------------------------------------------------------------------------------- what they share


def _grouped(kind: str, stretches: Stretches, docs: Ids, numbers: np.ndarray | list[Any]) -> Table:
    """The table of rows whose topics come in stretches, a topic in one or in several of them."""
    starts, names = stretches
    offsets = np.append(starts, len(docs))
    code = {name: number for number, name in enumerate(dict.fromkeys(names))}
    if isinstance(numbers, np.ndarray):
        values = numbers.astype(np.float64, copy=False)
    else:
        values = _floats([numbers], Table(kind, names, offsets, docs, np.empty(0)).place)
    if len(code) == len(names):
        return Table(kind, names, offsets, docs, values)
    codes = np.fromiter(map(code.__getitem__, names), np.int64, len(names))
    codes = np.repeat(codes, np.diff(offsets))
    order = np.argsort(codes, kind="stable")
    offsets = _offsets(np.bincount(codes, minlength=len(code)))
    return Table(kind, list(code), offsets, docs.take(order), values[order])


def _floats(pieces: Sequence[Collection[Any]], place: Callable[[int], str]) -> np.ndarray:
    """The numbers of some collections as floats; `place` names a row, for the message.

    Levels, which are small whole numbers, go through `bytes`, others through `struct`: both are faster
    than NumPy's conversion and, unlike it, take no text for a number.
    """
    if isinstance(next(chain.from_iterable(pieces), None), int):  # of NumPy's, some warn as they become bytes
        try:
            small = b"".join([bytes(piece if isinstance(piece, list) else [*piece]) for piece in pieces])
            return np.frombuffer(small, np.uint8).astype(np.float64)
        except (TypeError, ValueError):
            pass
    try:
        return np.frombuffer(b"".join([struct.pack(f"{len(piece)}d", *piece) for piece in pieces]))
    except _NO_NUMBER:
        for row, number in enumerate(chain.from_iterable(pieces)):
            try:
                struct.pack("d", number)
            except _NO_NUMBER:
                where = place(row)
                what = "score" if where.startswith("run") else "level"
                raise GradedError(f"{where}: the {what} {number!r} is not a number") from None
        raise


_NO_NUMBER = (struct.error, TypeError, ValueError, OverflowError)
