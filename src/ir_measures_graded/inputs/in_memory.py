"""Qrels and runs in memory: one class for each form reads it into a `Table`.

The classes keep columns in their storage format; named tuples and batches of Arrow data are read in pieces.
Ids are converted to bytes (`Ids`) when a block of rows needs them.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Qrel

from ..by_topic import bounds_of
from ..errors import GradedError, shown, warn_of_empty_run
from .arrow import (
    arrow_numbers,
    exports_arrow,
    is_arrow,
    numbers_of,
    record_batches,
    stable_order,
    whole_table,
)
from .columns import NAMES, QRELS, RUN, Role, column_names, is_rank
from .id_columns import Coded, Keys, Rowwise, Stretches, docs_of, joined_stretches, stretches_of
from .id_matching import PIECE, Ids
from .tables import EMPTY, FILE, INTEGERS, PLACES, Table, floats

if TYPE_CHECKING:
    import pyarrow

Source = Any
"""Qrels or a run: a dict of dicts, a DataFrame, an export of Arrow, or an iterable of named tuples."""


class InMemory(ABC):
    """Qrels or a run in memory. `name` is its name in warnings. A run is a `RunSource`."""

    in_memory = True

    def __init__(self, source: Any, role: Role, name: str = ""):
        self.source, self.role, self.name = source, role, name

    @staticmethod
    @abstractmethod
    def takes(source: Any) -> bool:
        """Whether the source has this form."""

    @abstractmethod
    def rows(self) -> Table:
        """The rows. Their values may be invalid."""

    def read(self) -> Table:
        """The rows. Raises `GradedError` if a topic or a value is missing or invalid.

        Documents may be validated only when their rows are evaluated.
        """
        table = self.rows()
        bad = self.role.refused(table.values)
        if bad.size:
            row = int(bad[0])
            raise table.error(row, self.role.rule.format(table.values[row]))
        return table

    def table(self) -> Table:
        """The same rows. Warns (`EmptyRunWarning`) of a run without a topic. Documents of qrels are `Ids`."""
        table = self.read()
        if self.role is QRELS:
            return replace(table, docs=table.docs.ids())  # converted once for all runs
        if not table.topics:
            warn_of_empty_run(self.name)
        return table

    def blocks(self) -> Iterator[Table]:
        """The same rows as one block."""
        yield self.table()

    def for_others(self) -> Any:
        """The source in a form that ir-measures' other providers read."""
        return self.source


class Dicts(InMemory):
    """A dict of dicts."""

    @staticmethod
    def takes(source: Any) -> bool:
        return isinstance(source, Mapping)

    def rows(self) -> Table:
        kind = self.role.kind
        for topic, rows in self.source.items():
            if not isinstance(rows, (dict, Mapping)):  # Mapping alone is slower
                raise GradedError(
                    f"{kind}: topic {shown(topic)} has a {type(rows).__name__}, not a dict of documents"
                )
        topics = stretches_of(list(self.source), f"{kind}: query_id", None).names
        dicts = list(self.source.values())
        docs = Keys(dicts, f"{kind}: doc_id")
        table = Table(kind, topics, docs.bounds, docs, np.empty(0), distinct=True)
        return replace(table, values=floats(self.role, [rows.values() for rows in dicts], table.place))


class Frame(InMemory):
    """A DataFrame of pandas."""

    @staticmethod
    def takes(source: Any) -> bool:
        return hasattr(source, "itertuples")

    @property
    def names(self) -> list[Any]:
        return column_names(f"{self.role.kind}: the DataFrame", [*self.source.columns], self.role)

    def rows(self) -> Table:
        topic, doc, number = self.names
        kind, column = self.role.kind, self.source[number]
        stretches = stretches_of(self.source[topic].array, f"{kind}: {topic}")
        docs = docs_of(self.source[doc].array, f"{kind}: {doc}")
        plain = column.dtype.kind in "biuf"
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan) if plain else column.tolist()
        return _by_score(_grouped(self.role, stretches, docs, numbers), number)

    def for_others(self) -> Any:
        """The DataFrame with ir-measures' names of columns."""
        kept = self.source[self.names].set_axis(self.role.columns, axis=1)
        if "iteration" in self.source.columns:
            kept["iteration"] = self.source["iteration"]
        return kept


class ArrowTable(InMemory):
    """A table or record batch of pyarrow."""

    @staticmethod
    def takes(source: Any) -> bool:
        return is_arrow(source) and exports_arrow(source)

    def rows(self) -> Table:
        rows = self.source
        names, columns = _arrow_columns(rows, self.role)
        stretches, docs, numbers = _read_columns(self.role, names, columns)
        metadata = rows.schema.metadata or {}
        if FILE not in metadata:
            table = _by_score(_grouped(self.role, stretches, docs, numbers), names[2])
        else:
            unit = next((name for name in PLACES if name in rows.schema.names), None)
            line = None if unit is None else arrow_numbers(rows.column(rows.schema.names.index(unit)))
            table = replace(
                _grouped(self.role, stretches, docs, numbers, line),
                file=os.fsdecode(metadata[FILE]),
                unit=unit or "line",
                integers=tuple(metadata.get(INTEGERS, b"").decode().split()),
                origin=rows,
            )
        return table.with_topics(json.loads(metadata.get(EMPTY, "[]"))) if self.role is QRELS else table

    def for_others(self) -> list[Qrel]:
        return qrel_tuples(self.source)


class ArrowBatches(InMemory):
    """Another object that exports Arrow data, or a list of these, into which ir-measures turns a stream.

    A stream that can be read only once is kept.
    """

    def __init__(self, source: Any, role: Role, name: str = ""):
        super().__init__(source, role, name)
        if isinstance(source, Iterator):
            self.source = [*self._batches()]

    @staticmethod
    def takes(source: Any) -> bool:
        first = source[:1] if isinstance(source, (list, tuple)) else [source]
        return any(map(exports_arrow, first))

    def rows(self) -> Table:
        return _from_pieces(self.role, (_arrow_columns(batch, self.role) for batch in self._batches()))

    def _batches(self) -> Iterator[Any]:
        if isinstance(self.source, (list, tuple)):
            yield from self.source
            return
        try:
            yield from record_batches(self.source)
        except (ValueError, TypeError) as error:
            reason = next(iter(str(error).splitlines()), "")
            raise GradedError(
                f"{self.role.kind}: cannot read the {type(self.source).__name__} as Arrow data: {reason}"
            ) from error

    def for_others(self) -> list[Qrel]:
        import pyarrow

        rows = [*self._batches()]
        return qrel_tuples(pyarrow.Table.from_batches(rows) if rows else whole_table(self.source))


class Tuples(InMemory):
    """An iterable of named tuples or of other objects with such attributes."""

    def __init__(self, source: Any, role: Role, name: str = ""):
        super().__init__(source if isinstance(source, (list, tuple)) else list(source), role, name)

    @staticmethod
    def takes(source: Any) -> bool:
        return isinstance(source, Iterable) and not isinstance(source, (str, bytes)) and not is_arrow(source)

    def rows(self) -> Table:
        return _from_pieces(self.role, self._pieces())

    def _pieces(self) -> Iterator[Columns]:
        names = [self._field(ours) for ours in self.role.columns] if self.source else []
        for start in range(0, len(self.source), PIECE):
            piece = self.source[start : start + PIECE]
            try:
                yield names, [[*map(attrgetter(name), piece)] for name in names]
            except AttributeError as error:
                raise GradedError(
                    f"{self.role.kind}: {error}; each item needs the fields {_listed(self.role)}, "
                    f"as ir_measures.{self.role.row} has"
                ) from None

    def _field(self, ours: str) -> str:
        """The field of a row that we name `ours`; PyTerrier's name if it has that."""
        return next((name for name in chain(*NAMES[ours][:2]) if hasattr(self.source[0], name)), ours)


class Ranx(Dicts):
    """Qrels or Run of ranx."""

    def __init__(self, source: Any, role: Role, name: str = ""):
        super().__init__(source.to_dict(), role, name)

    @staticmethod
    def takes(source: Any) -> bool:
        return type(source).__module__.startswith("ranx.")


class Scanned(ArrowBatches):
    """A LazyFrame of Polars, or a Dataset or Scanner of pyarrow."""

    def __init__(self, source: Any, role: Role, name: str = ""):
        scan = getattr(source, "scanner", lambda: source)()
        super().__init__(scan.collect() if hasattr(scan, "collect") else scan.to_reader(), role, name)

    @staticmethod
    def takes(source: Any) -> bool:
        module = type(source).__module__
        is_lazy = module.startswith("polars.") and hasattr(source, "collect")
        return is_lazy or module in ("pyarrow._dataset", "pyarrow.dataset")


class Records(Tuples):
    """A list of dicts with the names of columns as keys."""

    @staticmethod
    def takes(source: Any) -> bool:
        return isinstance(source, (list, tuple)) and isinstance(next(iter(source), None), Mapping)

    def _pieces(self) -> Iterator[Columns]:
        names = column_names(f"{self.role.kind}: the first dict", [*self.source[0]], self.role)
        try:
            yield names, [[row[name] for row in self.source] for name in names]
        except KeyError as error:
            raise GradedError(f"{self.role.kind}: a dict has no key {error}, as the first one has") from None

    def for_others(self) -> list[Qrel]:
        return [Qrel(*row) for _, columns in self._pieces() for row in zip(*columns)]


class PlainTuples(Records):
    """A list of plain tuples: topic, document, score or level, and in qrels perhaps the iteration."""

    @staticmethod
    def takes(source: Any) -> bool:
        first = next(iter(source), None) if isinstance(source, (list, tuple)) else None
        return type(first) is tuple and len(first) in (3, 4)

    def _pieces(self) -> Iterator[Columns]:
        sizes = {*map(len, self.source)}
        if len(sizes) > 1 or (self.role is RUN and sizes == {4}):
            raise GradedError(f"{self.role.kind}: each tuple is topic, document, {self.role.number}")
        yield self.role.columns, [list(column) for column in zip(*self.source)][:3]

    def for_others(self) -> list[Qrel]:
        return [Qrel(*row) for row in self.source]


FORMS: tuple[type[InMemory], ...] = (
    Dicts,
    Frame,
    Ranx,
    Scanned,
    ArrowTable,
    ArrowBatches,
    Records,
    PlainTuples,
    Tuples,
)
"""The forms of qrels and runs in memory. The first that takes a source reads it."""


def in_memory(source: Any, role: Role, name: str = "") -> InMemory:
    """The source in its form. An iterator is kept as a list. Raises `GradedError` for any other source."""
    if isinstance(source, Iterator) and not exports_arrow(source):
        source = list(source)
    for form in FORMS:
        if form.takes(source):
            return form(source, role, name)
    raise GradedError(
        f"{role.kind}: cannot read a {type(source).__name__}; give a dict of dicts, a DataFrame or Arrow "
        f"data with the columns {_listed(role)}, or an iterable of named tuples with these fields"
    )


def read_qrels(source: Any) -> Table:
    """Qrels as a table of levels. Raises `GradedError` if an id or a level is missing or invalid."""
    return source if isinstance(source, Table) else in_memory(source, QRELS).table()


def read_run(source: Any) -> Table:
    """A run as a table of scores. Raises `GradedError` if a topic or a score is missing or invalid."""
    return in_memory(source, RUN).read()


def qrel_tuples(rows: pyarrow.Table) -> list[Qrel]:
    """Qrels in the form that providers of ir-measures read fastest.

    Whole levels are ints. The iteration is "0" if there is no such column.
    """
    topics, docs, levels = _arrow_columns(rows, QRELS)[1]
    level = np.array(numbers_of(levels), dtype=np.float64)
    if is_whole(level):
        level = level.astype(np.int64)
    has_iterations = "iteration" in rows.schema.names
    iterations = rows.column("iteration").to_pylist() if has_iterations else ["0"] * len(level)
    return list(map(Qrel, topics.to_pylist(), docs.to_pylist(), level.tolist(), iterations))


def is_whole(level: np.ndarray) -> bool:
    """Whether all of these floats are whole numbers in the range of int64."""
    return bool(((np.abs(level) < 2.0**63) & (level == np.floor(level))).all())


# ------------------------------------------------------------------------------ common to all forms

Columns = tuple[list[str], list[Any]]
"""The names of the columns of topics, documents and values, and these columns."""


def _listed(role: Role) -> str:
    return "query_id, doc_id and " + role.value


def _arrow_columns(rows: pyarrow.Table | pyarrow.RecordBatch, role: Role) -> Columns:
    names = column_names(f"{role.kind}: the Arrow table", rows.schema.names, role)
    return names, [rows.column(rows.schema.names.index(name)) for name in names]


def _from_pieces(role: Role, pieces: Iterable[Columns]) -> Table:
    """The table of columns that arrive in pieces."""
    stretches, docs, values = [], [], []
    start, number = 0, ""
    for names, columns in pieces:
        number = names[2]
        topics, docs_of_piece, numbers = _read_columns(role, names, columns, start)
        docs.append(docs_of_piece.ids())
        values.append(_numbers(role, topics, docs[-1], numbers))
        stretches.append(replace(topics, start=topics.start + start))
        start += len(docs[-1])
    rows = Ids.concatenated(docs)
    return _by_score(_grouped(role, joined_stretches(stretches), rows, np.concatenate([[], *values])), number)


def _read_columns(
    role: Role, names: Sequence[str], columns: Sequence[Any], start: int = 0
) -> tuple[Stretches, Rowwise, np.ndarray | list[Any]]:
    """The topics, documents and values of columns; `start` is the number of their first row."""
    for name, column in zip(names, columns):
        if is_arrow(column) and column.null_count:
            raise GradedError(f"{role.kind}: row {start + column.to_pylist().index(None)} has no {name}")
    topics, docs, numbers = columns
    return (
        stretches_of(topics, f"{role.kind}: {names[0]}", start),
        docs_of(docs, f"{role.kind}: {names[1]}", start),
        numbers_of(numbers) if is_arrow(numbers) else numbers,
    )


def _by_score(table: Table, number: str) -> Table:
    """The table, whose values are from the column `number`. If these are ranks, scores are −rank."""
    return replace(table, values=-table.values) if is_rank(number) else table


def _grouped(
    role: Role,
    stretches: Stretches,
    docs: Rowwise,
    numbers: np.ndarray | list[Any],
    line: np.ndarray | None = None,
) -> Table:
    """The table of rows whose topics are given as stretches; a topic may have several stretches."""
    values = _numbers(role, stretches, docs, numbers)
    codes, sizes = stretches.code, None
    if codes.size < len(docs):
        sizes = np.diff(stretches.start, append=len(docs))
    offsets = bounds_of(np.bincount(codes, sizes, minlength=len(stretches.names)))
    if (codes[1:] < codes[:-1]).any():  # the rows are not in the order of the topics
        order = stable_order(codes if sizes is None else np.repeat(codes, sizes))
        if not isinstance(docs, Coded):
            docs = docs.ids().padded()  # padded ids are the fastest to reorder
        docs, values = docs.take(order), values.take(order)
        line = None if line is None else line[order]
    return Table(role.kind, stretches.names, offsets, docs, values, line=line)


def _numbers(role: Role, stretches: Stretches, docs: Rowwise, numbers: np.ndarray | list[Any]) -> np.ndarray:
    """The levels or scores of the rows as floats. Raises `GradedError` for one that is not a number."""
    if isinstance(numbers, np.ndarray):
        return numbers.astype(np.float64, copy=False)

    def place(row: int) -> str:
        topic = stretches.code[np.searchsorted(stretches.start, row, side="right") - 1]
        return f"{role.kind}: topic {shown(stretches.names[topic])}, document {shown(docs[row])}"

    return floats(role, [numbers], place)
