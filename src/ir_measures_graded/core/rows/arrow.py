"""Arrow data: objects that export it, their record batches, and columns as NumPy arrays.

An object exports Arrow if it implements the Arrow PyCapsule interface, as pyarrow's tables, Polars'
DataFrames and DuckDB's relations do. pyarrow reads them all, so no other library is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any

import numpy as np

from ..by_topic import BLOCK, bounds_of

if TYPE_CHECKING:
    import pyarrow


ARROW = {"Array", "ChunkedArray", "Table", "RecordBatch"}


def is_arrow(thing: Any) -> bool:
    """Whether this is an array or a table of pyarrow. Its class tells, so pyarrow need not be imported."""
    return any(cls.__module__ == "pyarrow.lib" and cls.__name__ in ARROW for cls in type(thing).__mro__)


def exports_arrow(source: Any) -> bool:
    """Whether this is a table that exports Arrow; False for a pandas DataFrame, which has its own reader."""
    if is_arrow(source):
        return hasattr(source, "schema")  # an array has no schema
    exports = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    return exports and not hasattr(source, "itertuples")


def is_stream(source: Any) -> bool:
    """Whether this exports Arrow data that need not be in memory.

    This holds for an iterator of record batches, which can be read only once, and for a relation of DuckDB.
    """
    is_query = type(source).__name__ == "DuckDBPyRelation"
    return hasattr(source, "__arrow_c_stream__") and (is_query or isinstance(source, Iterator))


def numbered(
    batches: Iterable[pyarrow.RecordBatch], first: int = 0
) -> Iterator[tuple[int, pyarrow.RecordBatch]]:
    """Each batch, with the number of its first row before it. Counting starts at `first`."""
    for batch in batches:
        yield first, batch
        first += batch.num_rows


def whole_table(source: Any) -> pyarrow.Table:
    """All rows of a table that exports Arrow, or of a list of these."""
    import pyarrow

    if isinstance(source, (list, tuple)):
        return pyarrow.concat_tables(map(pyarrow.table, source), promote_options="permissive")
    return pyarrow.table(source)


def arrow_numbers(column: pyarrow.Array | pyarrow.ChunkedArray) -> np.ndarray:
    """A column of plain numbers as a NumPy array, without a copy if the column is one chunk.

    This avoids pyarrow's `to_numpy` and `to_pandas_dtype`: they can import pandas, which takes half a second.
    """
    chunks = [np.from_dlpack(chunk) for chunk in getattr(column, "chunks", [column])]
    return chunks[0] if len(chunks) == 1 else np.concatenate(chunks or [np.empty(0)])


def numbers_of(column: pyarrow.Array | pyarrow.ChunkedArray) -> np.ndarray | list[Any]:
    """The numbers of a column: an array if it has no nulls, otherwise Python objects.

    Bools, which are bits, and decimals are Python objects too.
    """
    from pyarrow import types

    plain = types.is_integer(column.type) or types.is_floating(column.type)
    return arrow_numbers(column) if plain and not column.null_count else column.to_pylist()


def bounds_of_strings(strings: pyarrow.StringArray | pyarrow.LargeStringArray) -> np.ndarray:
    """The N + 1 places in the text of an array of N strings at which they begin or end."""
    if not len(strings):
        return np.zeros(1, np.int64)
    dtype = np.dtype(np.int32 if str(strings.type) == "string" else np.int64)
    return np.frombuffer(strings.buffers()[1], dtype, len(strings) + 1, strings.offset * dtype.itemsize)


def lengths_of_strings(column: pyarrow.ChunkedArray) -> np.ndarray:
    """The length of each string in bytes."""
    return np.concatenate([np.empty(0, np.int64), *(np.diff(bounds_of_strings(c)) for c in column.chunks)])


def stable_order(codes: np.ndarray) -> np.ndarray:
    """The order that sorts integers of a small range stably.

    pyarrow uses a counting sort, which is many times faster than NumPy's sort.
    """
    if codes.size < BLOCK:  # too few to pay for importing pyarrow
        return np.argsort(codes, kind="stable")
    from pyarrow import compute

    return arrow_numbers(compute.sort_indices(arrow_array(codes))).view(np.int64)


def arrow_array(values: np.ndarray) -> pyarrow.Array:
    """A NumPy array of numbers as an Arrow array, without a copy. `pyarrow.array` would import pandas."""
    import pyarrow

    type_ = pyarrow.from_numpy_dtype(values.dtype)
    return pyarrow.Array.from_buffers(
        type_, values.size, [None, pyarrow.py_buffer(np.ascontiguousarray(values))]
    )


def by_rank(rows: pyarrow.Table) -> pyarrow.Table:
    """The rows of a run whose scores are ranks. The result has −rank as the score."""
    column = rows.column_names.index("score")
    return rows.set_column(column, "score", arrow_array(-arrow_numbers(rows["score"])))


def string_array(encoded: Sequence[Sized], joined: bytes) -> pyarrow.StringArray:
    """Strings as an Arrow array, from their UTF-8 text, also `joined`. `pyarrow.array` would import pandas.

    ASCII strings have the lengths of their text and need not be encoded one by one.

    >>> string_array(["q1", "", "q20"], b"q1q20").to_pylist()
    ['q1', '', 'q20']
    """
    import pyarrow

    bounds = bounds_of(np.fromiter(map(len, encoded), np.int64, len(encoded))).astype(np.int32)
    buffers = [None, pyarrow.py_buffer(bounds), pyarrow.py_buffer(joined)]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(encoded), buffers)
