"""Rows of table files as Arrow tables: Parquet files, Arrow files (Feather) and Arrow streams.

One function for each kind of file opens it and reads its record batches. The first bytes of a file identify
its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.by_topic import bounds_of
from ..core.rows.arrow import arrow_array, numbers_of
from ..core.rows.columns import Chosen, Role, file_columns
from ..core.rows.id_columns import docs_of
from ..core.rows.id_matching import Ids
from ..core.rows.rows import IDS, Facts, Part, floats
from ..errors import FileError, GradedError, needed
from .content import DAMAGE, Content, parquet_files
from .text_files import by_rank

if TYPE_CHECKING:
    import pyarrow

    Batches = Iterator[tuple[int, pyarrow.RecordBatch]]
    Where = tuple[str, str] | None

LZ4 = b"\x04\x22\x4d\x18"
DENSEST = 100  # rows per byte of a Parquet file; ids differ, so rows cannot be stored in less
FEWEST = 1_000_000  # rows of a Parquet file that are read in any case
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

    source = content.seekable()
    file = parquet.ParquetFile(source, buffer_size=BUFFER, pre_buffer=False)
    if file.metadata.num_rows > max(FEWEST, DENSEST * source.size()):
        raise OSError(f"{file.metadata.num_rows:,} rows in {source.size():,} bytes cannot be qrels or a run")

    def batches(columns: list[str], where: Where) -> Batches:
        first = 0
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            if where is None or _may_have(group, *where):
                found = file.iter_batches(content.sizes.rows, [number], columns, use_threads=False)
                yield from numbered(found, first)
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


def _folder(content: Content) -> TableFile:
    """The Parquet files of a folder or of a pattern, also partitioned ones, as one table."""
    from pyarrow import dataset

    found = dataset.dataset(parquet_files(content.file), format="parquet", partitioning="hive")

    def batches(columns: list[str], where: Where) -> Batches:
        kept = None if where is None else dataset.field(where[0]) == where[1]
        batch_size = content.sizes.rows
        yield from numbered(found.to_batches(columns=columns, filter=kept, batch_size=batch_size))

    return TableFile(found.schema.names, batches)


Kind = tuple[str, Callable[[Content], TableFile]]
"""The name of a kind of table files, and the function that opens one."""
KINDS: dict[bytes, Kind] = {
    b"PAR1": ("Parquet", _parquet),
    b"ARROW1": ("Arrow", _arrow_file),
    b"\xff\xff\xff\xff": ("Arrow", _arrow_stream),
}
"""The kinds of table files by the first bytes of a file."""
FOLDER: Kind = ("Parquet", _folder)


def kind_of(content: Content) -> Kind | None:
    """The kind of the file, None for a text file. Raises `FileError` for a file of ranx that is LZ4."""
    if content.stream.start.startswith(LZ4):
        raise FileError(f"{content.name}: LZ4 of CBOR, twice compressed; save as .json or .parquet")
    return next((kind for magic, kind in KINDS.items() if content.stream.start.startswith(magic)), None)


def numbered(
    batches: Iterable[pyarrow.RecordBatch], first: int = 0
) -> Iterator[tuple[int, pyarrow.RecordBatch]]:
    """Each batch, with the number of its first row before it. Counting starts at `first`."""
    for batch in batches:
        yield first, batch
        first += batch.num_rows


def table_parts(
    kind: Kind, content: Content, role: Role, chosen: Chosen, run: str | None = None
) -> Iterator[Part]:
    """The rows of each batch of the file, in the order of the file.

    If `run` is given, rows of other runs may be left out. Raises `FileError` for a file that cannot be read,
    for a missing column, and for a row whose id or number is missing or of another type.
    """
    facts, most = Facts(content.name, kind[0], unit="row"), content.sizes.rows
    with _opened(kind, content) as file:
        columns, ranks = file_columns(content.name, file.names, role, chosen)
        where = (columns["run"], run) if run is not None and "run" in columns else None
        for first, batch in file.batches(list(columns.values()), where):
            batch = batch.select([batch.schema.names.index(name) for name in columns.values()])
            batch.validate(full=True)  # damaged Arrow data could crash the process
            for start in range(0, batch.num_rows, most):
                rows = batch_part(batch.slice(start, most), columns, role, facts, first + start)
                yield by_rank(rows) if ranks else rows


@contextmanager
def _opened(kind: Kind, content: Content) -> Iterator[TableFile]:
    """The open file. Turns an error of pyarrow or of the file into a `FileError`."""
    name, open_ = kind
    pyarrow = needed("pyarrow", f"{content.name}: the format {name}")
    try:
        yield open_(content)
    except (pyarrow.ArrowException, UnicodeDecodeError, *DAMAGE) as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise FileError(f"{content.name}: cannot be read as {name}: {reason}") from None


def batch_part(
    batch: pyarrow.RecordBatch, columns: dict[str, str], role: Role, facts: Facts, first: int
) -> Part:
    """The `columns` of a batch under our names. `first` is the number of the first row.

    Raises `FileError` for a null and for a value of another type.
    """
    from pyarrow import types

    found: dict[str, Ids | np.ndarray] = {}
    integers = [ours for ours in IDS if types.is_integer(batch.column(columns[ours]).type)]
    for ours, theirs in columns.items():
        column = batch.column(theirs)
        if ours == "probability":
            column = _probabilities(column)
        elif ours != role.value:
            column = _strings(column, f"{facts.file}: {theirs}", ours)
        if column.null_count:
            raise FileError(f"{facts.file}: row {first + column.to_pylist().index(None)} has no {theirs}")
        if ours in (role.value, "probability"):
            numbers = numbers_of(column)
            if isinstance(numbers, list):
                try:
                    numbers = floats(role, [numbers], lambda row: f"{facts.file}: row {first + row}")
                except GradedError as error:
                    raise FileError(str(error)) from None
            found[ours] = numbers.astype(np.float64, copy=False)
        else:
            found[ours] = docs_of(column, ours).ids()
    rows = np.arange(first, first + batch.num_rows)
    return Part(found, rows, replace(facts, integers=tuple(integers))).checked()


def arrow_table(part: Part) -> pyarrow.Table:
    """The rows as an Arrow table. `pyarrow.array` would import pandas."""
    pyarrow = needed("pyarrow", "an Arrow table")
    columns: dict[str, Any] = {}
    for name, column in part.columns.items():
        if isinstance(column, Ids):
            buffers = [None, *map(pyarrow.py_buffer, (bounds_of(column.length), column.packed().data))]
            columns[name] = pyarrow.Array.from_buffers(pyarrow.large_string(), len(column), buffers)
        else:
            columns[name] = arrow_array(column)
    return pyarrow.table(columns)


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
