"""Columns of ids in every storage format: Python objects, Arrow strings, and codes of categories.

`docs_of` reads a column of documents and `stretches_of` a column of topics. An id that is not a string
raises `GradedError`, in a column of documents at the latest when its rows are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np

from ..by_topic import changes
from ..errors import GradedError, shown
from .arrow import arrow_numbers, changes_of_strings, is_arrow
from .id_matching import Ids, Rows

Column = Any
"""A list of strings, the array of a DataFrame column, or an Arrow array (chunked or not)."""

Stretches = tuple[np.ndarray, list[str]]
"""The first row of each stretch of equal ids, and the id of each stretch."""


@dataclass(frozen=True)
class Coded:
    """Ids as codes of `values`.

    Like `Strings` and `Keys`, it is converted to `Ids` block by block (`ids`), so that a block stays in
    the processor cache and memory use stays small.
    """

    codes: np.ndarray
    values: Ids

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.values[int(self.codes[row])]

    def ids(self, rows: slice = slice(None)) -> Ids:
        return self.values.take(self.codes[rows])

    def take(self, rows: Rows) -> Coded:
        return Coded(self.codes[rows], self.values)


@dataclass(frozen=True)
class Strings:
    """Unvalidated Python objects, expected to be str.

    `field` names the column in error messages, as in ``run: doc_id``. `column` has all rows of the
    column in their original order, to name the row of a missing id.
    """

    values: np.ndarray
    field: str
    column: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, row: int) -> str:
        return _shown(self.values[row])

    def ids(self, rows: slice = slice(None)) -> Ids:
        try:
            return Ids.of(self.values[rows])
        except TypeError:
            raise _no_string(self.column, self.field, 0) from None

    def take(self, rows: Rows) -> Strings:
        return replace(self, values=self.values[rows])


@dataclass(frozen=True)
class Keys:
    """The unvalidated keys of several dicts, one dict after the other; a slice must contain whole dicts."""

    dicts: Sequence[Mapping[str, Any]]
    field: str

    @cached_property
    def bounds(self) -> np.ndarray:
        return np.cumsum([0, *map(len, self.dicts)])

    def __len__(self) -> int:
        return int(self.bounds[-1])

    def __getitem__(self, row: int) -> str:
        number = int(np.searchsorted(self.bounds, row, side="right")) - 1
        return _shown(next(islice(self.dicts[number], row - int(self.bounds[number]), None)))

    def ids(self, rows: slice = slice(None)) -> Ids:
        start, stop, _ = rows.indices(len(self))
        dicts = self.dicts[slice(*np.searchsorted(self.bounds, (start, stop)))]
        try:
            return Ids.of_keys(dicts)
        except TypeError:
            raise _no_string(chain.from_iterable(dicts), self.field) from None

    def slices(self, starts: np.ndarray, sizes: np.ndarray) -> Keys:
        numbers = np.searchsorted(self.bounds, starts[sizes > 0], side="right") - 1
        return Keys([self.dicts[number] for number in numbers.tolist()], self.field)


Rowwise = Ids | Coded | Strings
Docs = Rowwise | Keys
"""The document of each row."""


def docs_of(column: Column, field: str, first: int = 0) -> Rowwise:
    """The documents of a column, from row number `first`.

    `field` names the column in error messages, as in ``run: doc_id``.
    """
    codes, values = _stored(column)
    if codes is not None:
        ids = _ids(values, field)
        return Coded(codes, ids.padded() if len(ids) <= len(codes) else ids)
    return Strings(values, field, values) if isinstance(values, np.ndarray) else _ids(values, field, first)


def stretches_of(column: Column, field: str, first: int | None = 0) -> Stretches:
    """The stretches of equal ids; consecutive rows usually have the same topic.

    `first` is the number of the first row, None if the rows of the source have no numbers.

    >>> stretches_of(["q1", "q1", "q2"], "run: query_id")
    (array([0, 2]), ['q1', 'q2'])
    """
    codes, values = _stored(column)
    if codes is not None:
        ids, starts = _ids(values, field), np.flatnonzero(changes(codes))
        return starts, [ids[code] for code in codes[starts].tolist()]
    if is_arrow(values):
        starts = changes_of_strings(values)
        return starts, [values[start].as_py() for start in starts.tolist()]
    objects = np.ascontiguousarray(values) if isinstance(values, np.ndarray) else _objects(values)
    try:
        starts = _changes_of_objects(objects)  # comparing pandas.NA raises TypeError
        return starts, [*map(str.__str__, objects[starts].tolist())]  # str(…) of an Enum is not its text
    except TypeError:
        raise _no_string(objects, field, first) from None


def joined_stretches(parts: Sequence[Stretches]) -> Stretches:
    """The stretches of a column from the stretches of its parts, which have continuous row numbers.

    >>> joined_stretches([(np.array([0, 2]), ["q1", "q2"]), (np.array([3, 4]), ["q2", "q1"])])
    (array([0, 2, 4]), ['q1', 'q2', 'q1'])
    """
    starts = np.concatenate([np.empty(0, np.int64), *(starts for starts, _ in parts)])
    names = [*chain.from_iterable(names for _, names in parts)]
    new = [number for number, name in enumerate(names) if not number or name != names[number - 1]]
    return starts[new], [names[number] for number in new]


def _stored(column: Column) -> tuple[np.ndarray | None, Any]:
    """The codes of a column (or None) and its values, an Arrow array of strings or Python objects.

    A column with missing values is returned as objects, so that the missing value can be reported.
    """
    if hasattr(column, "categories"):
        codes = np.asarray(column.codes)
        if (codes < 0).any():
            return None, column.to_numpy(dtype=object)
        return codes, _stored(column.categories.array)[1]
    if is_arrow(column):
        return _stored_by_arrow(column)
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "storage", "") == "pyarrow" or hasattr(dtype, "pyarrow_dtype"):
        return _stored_by_arrow(column.__arrow_array__())
    return None, column.to_numpy(dtype=object) if hasattr(column, "to_numpy") else column


def _stored_by_arrow(column: Any) -> tuple[np.ndarray | None, Any]:
    """The same for an Arrow array."""
    import pyarrow
    from pyarrow import types

    if isinstance(column, pyarrow.ChunkedArray):
        if column.type == pyarrow.string() and column.nbytes >= 1 << 31:
            column = column.cast(pyarrow.large_string())  # one array of type string holds at most 2 GB
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if column.null_count:
        return None, column.to_pylist()
    if types.is_dictionary(column.type):
        return arrow_numbers(column.indices), _stored_by_arrow(column.dictionary)[1]
    if types.is_string_view(column.type):
        column = column.cast(pyarrow.large_string())
    if types.is_string(column.type) or types.is_large_string(column.type):
        return None, column
    return None, column.to_pylist()


def _ids(values: Any, field: str, first: int | None = None) -> Ids:
    """The ids of an Arrow array of strings or of Python objects."""
    if is_arrow(values):
        return Ids.of_arrow(values)
    try:
        return Ids.of(values)
    except TypeError:
        raise _no_string(values, field, first) from None


def _shown(id_: Any) -> Any:
    """A string of any subclass as a plain `str`; any other object unchanged."""
    return str.__str__(id_) if isinstance(id_, str) else id_


def _no_string(ids: Iterable[Any], field: str, first: int | None = None) -> GradedError:
    """The error for the first id that is missing or not a string; `first` as in `stretches_of`."""
    row, bad = next((row, id_) for row, id_ in enumerate(ids, first or 0) if not isinstance(id_, str))
    kind, name = field.split(": ")
    if first is not None and (bad is None or type(bad).__name__ in ("NAType", "NaTType") or bad != bad):
        return GradedError(f"{kind}: row {row} has no {name}")
    convert = f"; convert it, in a DataFrame with frame.astype({{{name!r}: str}})"
    return GradedError(
        f"{field} {shown(bad)} is of type {type(bad).__name__}, not a string"
        + (convert if hasattr(bad, "__index__") else "")
    )


def _objects(values: Sequence[Any]) -> np.ndarray:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _changes_of_objects(objects: np.ndarray) -> np.ndarray:
    """The rows whose id differs from the id of the row before, including the first row.

    Rows with the same object have the same id. If most neighbours share an object, only the rows where
    the object changes are compared.
    """
    if not objects.size:
        return np.empty(0, dtype=np.int64)
    others = changes(np.frombuffer(objects, dtype=np.intp))  # compares addresses
    if np.count_nonzero(others) > objects.size // 2:
        return np.flatnonzero(changes(objects))
    rows = np.flatnonzero(others)
    return rows[changes(objects[rows])]
