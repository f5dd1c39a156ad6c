"""Rows of table files as Arrow tables: Parquet files, Arrow files (Feather) and Arrow streams.

One function for each kind of file opens it and reads its record batches. The first bytes of a file identify
its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.rows.arrow import arrow_array, by_rank, numbered, numbers_of
from ..core.rows.columns import Account, Chosen, Role, file_columns
from ..core.rows.rows import IDS, floats, with_places
from ..errors import FileError, GradedError
from .content import DAMAGE, Content

if TYPE_CHECKING:
    import pyarrow

    Batches = Iterator[tuple[int, pyarrow.RecordBatch]]
    Where = tuple[str, str] | None

LZ4 = b"\x04\x22\x4d\x18"
BATCH = 1 << 16  # rows converted at once
BUFFER = 1 << 20  # bytes of a Parquet column read at once


class TableFile(NamedTuple):
    """An open table file: the names of its columns, and its rows.

    `batches` yields pairs: the number of a batch's first row in the file, and the batch. A batch may lack
    columns other than those given. If `where` is a pair of a column and a value, rows with other values may
    be left out.
    """

    names: list[str]
    batches: Callable[[list[str], Where], Batches]


def _parquet(content: Content) -> TableFile:
    """A Parquet file, read by row groups. Row groups that cannot have a row of the wanted run are skipped."""
    from pyarrow import parquet

    file = parquet.ParquetFile(content.seekable(), buffer_size=BUFFER, pre_buffer=False)

    def batches(columns: list[str], where: Where) -> Batches:
        first = 0
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            if where is None or _may_have(group, *where):
                yield from numbered(file.iter_batches(BATCH, [number], columns), first)
            first += group.num_rows

    return TableFile(file.schema_arrow.names, batches)


def _may_have(group: Any, column: str, value: str) -> bool:
    """Whether a row group can have this value, according to the minimum and maximum stored in the file."""
    for chunk in map(group.column, range(group.num_columns)):
        if chunk.path_in_schema == column and chunk.is_stats_set and chunk.statistics.has_min_max:
            low, high = chunk.statistics.min, chunk.statistics.max
            return not (isinstance(low, str) and isinstance(high, str)) or low <= value <= high
    return True


def _arrow_file(content: Content) -> TableFile:
    """An Arrow file, also known as Feather version 2, read by record batches."""
    from pyarrow import ipc

    file = ipc.open_file(content.seekable())
    batches = map(file.get_batch, range(file.num_record_batches))
    return TableFile(file.schema.names, lambda *_: numbered(batches))


def _arrow_stream(content: Content) -> TableFile:
    """An Arrow stream, read by record batches."""
    import pyarrow
    from pyarrow import ipc

    stream = content.stream
    file = ipc.open_stream(pyarrow.PythonFile(stream, "r"))

    def batches(*_: Any) -> Batches:
        yield from numbered(file)
        if stream.ended:
            raise EOFError("the stream is cut off, because it lacks its end marker")
        if stream.read(1):  # a compressed file is checked to its end
            raise OSError("bytes follow the end marker of the stream")

    return TableFile(file.schema.names, batches)


Kind = tuple[str, Callable[[Content], TableFile]]
"""The name of a kind of table files, and the function that opens one."""
KINDS: dict[bytes, Kind] = {
    b"PAR1": ("Parquet", _parquet),
    b"ARROW1": ("Arrow", _arrow_file),
    b"\xff\xff\xff\xff": ("Arrow", _arrow_stream),
}
"""The kinds of table files by the first bytes of a file."""


def kind_of(content: Content) -> Kind | None:
    """The kind of the file, None for a text file. Raises `FileError` for a file of ranx that is LZ4."""
    if content.stream.start.startswith(LZ4):
        raise FileError(f"{content.name}: LZ4 of CBOR, twice compressed; save as .json or .parquet")
    return next((kind for magic, kind in KINDS.items() if content.stream.start.startswith(magic)), None)


def table_rows(
    kind: Kind, content: Content, role: Role, chosen: Chosen, run: str | None = None
) -> Iterator[pyarrow.Table]:
    """A table for each batch of rows of the file, in the order of the file.

    If `run` is given, rows of other runs may be left out. Raises `FileError` for a file that cannot be read,
    for a missing column, and for a row whose id or number is missing or of another type.
    """
    chosen.account.form = kind[0]
    with _opened(kind, content) as file:
        columns, ranks = file_columns(content.name, file.names, role, chosen)
        where = (columns["run"], run) if run is not None and "run" in columns else None
        for first, batch in file.batches(list(columns.values()), where):
            batch = batch.select([batch.schema.names.index(name) for name in columns.values()])
            batch.validate(full=True)  # damaged Arrow data could crash the process
            for start in range(0, batch.num_rows, BATCH):
                part = batch.slice(start, BATCH)
                rows = batch_rows(part, columns, role, content.name, first + start, chosen.account)
                yield by_rank(rows) if ranks else rows


def table_columns(kind: Kind, content: Content, role: Role, chosen: Chosen) -> Collection[str]:
    """The columns of the file that are read, under our names. Raises `FileError` as `table_rows`."""
    with _opened(kind, content) as file:
        return file_columns(content.name, file.names, role, chosen)[0].keys()


@contextmanager
def _opened(kind: Kind, content: Content) -> Iterator[TableFile]:
    """The open file. Turns an error of pyarrow or of the file into a `FileError`."""
    import pyarrow

    name, open_ = kind
    try:
        yield open_(content)
    except (pyarrow.ArrowException, UnicodeDecodeError, *DAMAGE) as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise FileError(f"{content.name}: cannot be read as {name}: {reason}") from None


def batch_rows(
    batch: pyarrow.RecordBatch, columns: dict[str, str], role: Role, file: str, first: int, account: Account
) -> pyarrow.Table:
    """The `columns` of a batch under our names: ids as strings and values as floats, with row numbers.

    `first` is the number of the first row. The `account` gets the columns of ids that are integers. Raises
    `FileError` for a null and for a value of another type.
    """
    import pyarrow
    from pyarrow import types

    arrays = []
    for ours, theirs in columns.items():
        column = batch.column(theirs)
        account.integers.update([ours] * (ours in IDS and types.is_integer(column.type)))
        if ours == "probability":
            column = _probabilities(column)
        elif ours != role.value:
            column = _strings(column, f"{file}: {theirs}", ours)
        if column.null_count:
            raise FileError(f"{file}: row {first + column.to_pylist().index(None)} has no {theirs}")
        if ours == role.value:
            numbers = numbers_of(column)
            if isinstance(numbers, list):
                try:
                    numbers = floats(role, [numbers], lambda row: f"{file}: row {first + row}")
                except GradedError as error:
                    raise FileError(str(error)) from None
            column = arrow_array(numbers.astype(np.float64, copy=False))
        arrays.append(column)
    rows = pyarrow.Table.from_arrays(arrays, list(columns))
    return with_places(rows, "row", np.arange(first, first + batch.num_rows), file)


def _probabilities(column: pyarrow.Array) -> pyarrow.Array:
    """A column as floats, NaN for anything else. Only measures of intents refuse a missing probability."""
    import pyarrow
    from pyarrow import types

    if not (types.is_floating(column.type) or types.is_integer(column.type) or types.is_decimal(column.type)):
        column = pyarrow.nulls(len(column))
    return column.cast(pyarrow.float64()).fill_null(float("nan"))


def _strings(column: pyarrow.Array, where: str, ours: str) -> pyarrow.Array:
    """A column as strings. Runs and iterations may be of any type; ids must be strings or integers."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(column.type):
        # pyarrow cannot decode unsigned indices.
        indices = column.indices.cast(pyarrow.int64())
        column = pyarrow.DictionaryArray.from_arrays(indices, column.dictionary).dictionary_decode()
    if types.is_string(column.type) or types.is_large_string(column.type):
        return column
    if types.is_string_view(column.type):
        return column.cast(pyarrow.large_string())
    if ours not in IDS or types.is_integer(column.type):
        return column.cast(pyarrow.string())
    raise FileError(f"{where} is of type {column.type}, not a string; write the ids as strings")
