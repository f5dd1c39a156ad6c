"""Arrow data: objects that export it, their record batches, and columns as NumPy arrays.

An object exports Arrow if it implements the Arrow PyCapsule interface, as pyarrow's tables, Polars'
DataFrames and DuckDB's relations do. pyarrow reads them all, so no other library is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GradedError, needed

if TYPE_CHECKING:
    import pyarrow


ARROW = {"Array", "ChunkedArray", "Table", "RecordBatch"}


def is_arrow(thing: Any) -> bool:
    """Whether this is an array or a table of pyarrow.

    Its class tells, so pyarrow need not be imported.
    """
    return any(
        cls.__module__ == "pyarrow.lib" and cls.__name__ in ARROW for cls in type(thing).__mro__
    )


def exports_arrow(source: Any) -> bool:
    """Whether this is a table that exports Arrow; False for a pandas DataFrame, which has its own
    reader.
    """
    if is_arrow(source):
        return hasattr(source, "schema")  # an array has no schema
    exports = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    return exports and not hasattr(source, "itertuples")


def whole_table(source: Any) -> pyarrow.Table:
    """All rows of a table that exports Arrow, or of a list of these.

    They are read at once: a stream can be read only once, and a query that computes the rows anew
    may return them in another order. Raises `GradedError` if they cannot be read.
    """
    pyarrow = needed("pyarrow", "Arrow data")
    try:
        if isinstance(source, (list, tuple)):
            return pyarrow.concat_tables(map(pyarrow.table, source), promote_options="permissive")
        return pyarrow.table(source)
    except Exception as error:  # of any library, such as DuckDB
        reason = next(iter(str(error).splitlines()), "")
        raise GradedError(
            f"cannot read the {type(source).__name__} as Arrow data: {reason}"
        ) from error


def arrow_numbers(column: pyarrow.Array | pyarrow.ChunkedArray) -> np.ndarray:
    """A column of plain numbers as a NumPy array, without a copy if the column is one chunk.

    This avoids pyarrow's `to_numpy` and `to_pandas_dtype`: they can import pandas, which takes half
    a second.
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
    has_short_bounds = str(strings.type) == "string"
    type_of_bounds = np.int32 if has_short_bounds else np.int64
    dtype = np.dtype(type_of_bounds)
    first_byte = strings.offset * dtype.itemsize
    return np.frombuffer(strings.buffers()[1], dtype, len(strings) + 1, first_byte)


def arrow_array(values: np.ndarray) -> pyarrow.Array:
    """A NumPy array of numbers as an Arrow array, without a copy.

    `pyarrow.array` would import pandas.
    """
    import pyarrow

    type_ = pyarrow.from_numpy_dtype(values.dtype)
    numbers = pyarrow.py_buffer(np.ascontiguousarray(values))
    return pyarrow.Array.from_buffers(type_, values.size, [None, numbers])
