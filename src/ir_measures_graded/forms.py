"""The forms in which qrels and runs arrive, read into one: rows grouped by topic.

One reader per form: a dict of dicts, a DataFrame, an Arrow table, an iterable of named tuples. They
convert whole columns; what only a bad row needs to know is looked up when there is one.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import GradedError

if TYPE_CHECKING:
    import pandas
    import pyarrow

Source = Any
"""Qrels or a run: a dict of dicts, a DataFrame, an Arrow table, or an iterable of named tuples."""


@dataclass(frozen=True)
class Table:
    """Rows of (topic, document, value), grouped by topic.

    `topics` (T) are the distinct topics in order of appearance; topic t has the rows
    `offsets[t]:offsets[t + 1]` of `docs` (N ids) and `values` (N floats: levels or scores).
    """

    kind: str  # "qrels" or "run", for messages
    topics: Sequence[str]
    offsets: np.ndarray
    docs: list[str]
    values: np.ndarray

    def topic_of(self, row: int) -> str:
        return self.topics[int(np.searchsorted(self.offsets, row, side="right")) - 1]

    def place(self, row: int) -> str:
        """A row named for a message."""
        return f"{self.kind}: topic {self.topic_of(row)!r}, document {self.docs[row]!r}"


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
    """A run as a table of scores. Raises `GradedError` for a score that is NaN and for a document
    that a topic retrieves twice."""
    if isinstance(source, Table):
        return source
    table = _read(source, "run", "score")
    bad = np.flatnonzero(np.isnan(table.values))
    if bad.size:
        raise GradedError(
            f"{table.place(int(bad[0]))}: the score is NaN, which has no place in an order; "
            "give it a number (infinities are allowed)"
        )
    if not isinstance(source, Mapping):  # whose documents are distinct already
        for topic, start, stop in zip(table.topics, table.offsets, table.offsets[1:]):
            docs = table.docs[start:stop]
            if len(set(docs)) < len(docs):
                raise GradedError(
                    f"run: topic {topic!r} retrieves document {_first_repeated(docs)!r} twice; "
                    "a document has one rank in a topic"
                )
    return table


def _read(source: Source, kind: str, value: str) -> Table:
    if isinstance(source, Mapping):
        table = _from_dicts(source, kind)
    elif hasattr(source, "itertuples"):
        table = _from_frame(source, kind, value)
    elif is_arrow(source):
        table = _from_arrow(source, kind, value)
    elif isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        table = _from_tuples(source, kind, value)
    else:
        raise GradedError(
            f"{kind}: cannot read a {type(source).__name__}; give a dict of dicts, a DataFrame with "
            f"the columns query_id, doc_id and {value}, or an iterable of named tuples with these fields"
        )
    _check_ids(table.topics, f"{kind}: query_id")
    _check_ids(table.docs, f"{kind}: doc_id")
    return table


def _check_ids(ids: Sequence[Any], field: str) -> None:
    for type_ in set(map(type, ids)):
        if not issubclass(type_, str):
            bad = next(id_ for id_ in ids if isinstance(id_, type_))
            convert = f"; convert it, in a DataFrame with frame.astype({{{field.split()[1]!r}: str}})"
            raise GradedError(
                f"{field} {bad!r} is of type {type_.__name__}, not a string"
                + (convert if hasattr(bad, "__index__") else "")
            )


def _from_dicts(source: Mapping[str, Mapping[str, float]], kind: str) -> Table:
    for topic, rows in source.items():
        if not isinstance(rows, Mapping):
            raise GradedError(f"{kind}: topic {topic!r} has a {type(rows).__name__}, not a dict of documents")
    sizes = np.fromiter(map(len, source.values()), np.int64, len(source))
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    docs = list(chain.from_iterable(source.values()))
    numbers = chain.from_iterable(rows.values() for rows in source.values())

    def place(row: int) -> tuple[Any, Any]:
        topics = list(source)
        return topics[int(np.searchsorted(offsets, row, side="right")) - 1], docs[row]

    return Table(kind, list(source), offsets, docs, _floats(numbers, kind, place))


def _from_frame(frame: pandas.DataFrame, kind: str, value: str) -> Table:
    import pandas

    missing = [name for name in ("query_id", "doc_id", value) if name not in frame.columns]
    if missing:
        terrier = {"query_id": "qid", "doc_id": "docno", "relevance": "label", "score": "score"}
        hint = {terrier[name]: name for name in missing if terrier[name] in frame.columns}
        raise GradedError(
            f"{kind}: the DataFrame has no column {', '.join(missing)} (it has "
            f"{', '.join(map(str, frame.columns)) or 'none'})"
            + (f"; rename with frame.rename(columns={hint})" if hint else "")
        )
    codes, topics = pandas.factorize(frame["query_id"])
    if (codes < 0).any():
        raise GradedError(f"{kind}: row {int(np.argmax(codes < 0))} has no query_id")
    docs = frame["doc_id"].to_numpy(dtype=object).tolist()
    column = frame[value]
    if column.dtype.kind in "biuf":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:

        def place(row: int) -> tuple[Any, Any]:
            return topics[codes[row]], docs[row]

        values = _floats(column.tolist(), kind, place)
    return _grouped(kind, list(topics), codes, docs, values)


def is_arrow(source: Source) -> bool:
    """Whether this is a table of pyarrow."""
    pyarrow = sys.modules.get("pyarrow")  # which is there where one of its tables is
    return pyarrow is not None and isinstance(source, (pyarrow.Table, pyarrow.RecordBatch))


def _from_arrow(rows: pyarrow.Table | pyarrow.RecordBatch, kind: str, value: str) -> Table:
    from pyarrow.compute import call_function

    names = rows.schema.names
    missing = [name for name in ("query_id", "doc_id", value) if name not in names]
    if missing:
        raise GradedError(
            f"{kind}: the Arrow table has no column {', '.join(missing)} "
            f"(it has {', '.join(names) or 'none'})"
        )
    ids, docs, column = (rows.column(names.index(name)) for name in ("query_id", "doc_id", value))
    doc_ids = docs.to_pylist()
    ids = ids.combine_chunks() if hasattr(ids, "combine_chunks") else ids
    if not hasattr(ids.type, "value_type"):
        ids = call_function("dictionary_encode", [ids])  # the method of pyarrow 10 imports pandas
    if ids.null_count:
        raise GradedError(f"{kind}: row {ids.to_pylist().index(None)} has no query_id")
    codes, topics = arrow_numbers(ids.indices).astype(np.int64), ids.dictionary.to_pylist()
    if str(column.type) == "double" and not column.null_count:
        values = arrow_numbers(column)
    else:
        values = _floats(column.to_pylist(), kind, lambda row: (topics[codes[row]], doc_ids[row]))
    return _grouped(kind, topics, codes, doc_ids, values)


def arrow_numbers(column: pyarrow.Array | pyarrow.ChunkedArray) -> np.ndarray:
    """A column of numbers without nulls, without a copy where it is in one piece.

    Its own `to_numpy` imports pandas, which takes half a second.
    """
    dtype = column.type.to_pandas_dtype()
    parts = [
        np.frombuffer(chunk.buffers()[1], dtype)[chunk.offset : chunk.offset + len(chunk)]
        for chunk in getattr(column, "chunks", [column])
        if len(chunk)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, dtype), *parts])


def _from_tuples(source: Iterable[Any], kind: str, value: str) -> Table:
    rows = source if isinstance(source, Sequence) else list(source)
    try:
        names = list(map(attrgetter("query_id"), rows))
        docs = list(map(attrgetter("doc_id"), rows))
        numbers = list(map(attrgetter(value), rows))
    except AttributeError as error:
        raise GradedError(
            f"{kind}: {error}; each item needs the fields query_id, doc_id and {value}, "
            f"as ir_measures.{'ScoredDoc' if kind == 'run' else 'Qrel'} has"
        ) from None
    values = _floats(numbers, kind, lambda row: (names[row], docs[row]))
    _check_ids(names, f"{kind}: query_id")
    code = {name: number for number, name in enumerate(dict.fromkeys(names))}
    codes = np.fromiter(map(code.__getitem__, names), np.int64, len(names))
    return _grouped(kind, list(code), codes, docs, values)


def _grouped(kind: str, topics: list[str], codes: np.ndarray, docs: list[str], values: np.ndarray) -> Table:
    """A table of rows whose topics are numbered; rows that come topic by topic stay in place."""
    changes = np.count_nonzero(np.diff(codes))
    if changes >= len(topics):
        order = np.argsort(codes, kind="stable")
        docs, values = list(map(docs.__getitem__, order.tolist())), values[order]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=len(topics)))))
    return Table(kind, topics, offsets, docs, values)


def _floats(numbers: Iterable[Any], kind: str, place: Callable[[int], tuple[Any, Any]]) -> np.ndarray:
    """`numbers` as floats; `place` gives the topic and document of a row, for the message."""
    numbers = list(numbers)
    try:
        return np.array(array("d", numbers))  # array, unlike float, takes no text
    except (TypeError, ValueError, OverflowError):
        for row, number in enumerate(numbers):
            try:
                array("d", [number])
            except (TypeError, ValueError, OverflowError):
                topic, doc = place(row)
                what = "score" if kind == "run" else "level"
                raise GradedError(
                    f"{kind}: topic {topic!r}, document {doc!r}: the {what} {number!r} is not a number"
                ) from None
        raise


def _first_repeated(docs: Sequence[str]) -> str:
    seen: set[str] = set()
    return next(doc for doc in docs if doc in seen or seen.add(doc))  # type: ignore[func-returns-value]
