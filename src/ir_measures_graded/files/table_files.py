"""Rows of table files as Arrow tables: Parquet files, Arrow files (Feather) and Arrow streams.

One function for each kind of file opens it and reads its record batches; `kinds` names it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.rows.arrow import arrow_array, arrow_numbers, bounds_of_strings
from ..core.rows.columns import MOST_COLUMNS, may_name, plain, ranks_in
from ..core.rows.floats import numbers_in, numbers_or_nan
from ..core.rows.id_columns import text_of
from ..core.rows.id_matching import LONGEST_ID, Ids, flaw_of
from ..core.rows.level_words import WordError, WordInFileError
from ..core.rows.rank_order import ROWS, RankSample
from ..core.rows.roles import IDS, QRELS, RUN, Role
from ..core.rows.rows import Facts, Part
from ..errors import FileError, GradedError, needed, shown
from .arrow_buffers import MAGIC, CheckedMessages, unpacked_size_of_file
from .content import (
    BATCHES_READ,
    CELLS_READ,
    DAMAGE,
    FEW_ROWS_READ,
    METADATA_READ,
    SMALL_FILE,
    TOPICS_OF_TABLES,
    Content,
    Reading,
    named_folder,
    names_in,
    parquet_files,
)
from .grouping import first_of
from .parquet_pages import largest_page, longest_in_dictionary

if TYPE_CHECKING:
    import pyarrow
    from pyarrow import parquet

    from .kinds import Kind

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # the value of a key that is missing
BUFFER = 1 << 20  # bytes of a Parquet column read at once
DECODED = 1 << 25
"""Bytes of texts that are decoded at once if a short code may stand for any text, for a file of up
to `SMALL_FILE` bytes; more for a larger one in proportion."""
COUNTED_SIZE = 4 * SMALL_FILE  # bytes; counting the topics of larger files would take time
CHECKED = 1 << 24
"""Bytes of a file up to which the lengths of texts are checked before each row has a copy."""
FEWER_TEXTS = 8  # rows for each text of a dictionary, from which on its codes lead to the texts
MANY_ROWS = 1 << 10  # from which on a copy of their texts pays for the import of pyarrow.compute
LENGTH = 4  # bytes of the length of a footer
DELTA_CODE = "DELTA_BYTE_ARRAY"


class TableFile:
    """An open table file: the names of its columns, and its rows.

    `batches` yields the batches, which may lack columns other than those given.
    """

    def __init__(
        self, names: list[str], batches: Callable[[list[str]], Iterable[pyarrow.RecordBatch]]
    ):
        self.names = names
        self.batches = batches


def parquet_file(content: Content) -> TableFile:
    """A Parquet file, read by row groups."""
    from pyarrow import parquet

    source = content.seekable()
    content.spend(METADATA_READ, _footer_size(source))
    opened = partial(parquet.ParquetFile, source, buffer_size=BUFFER, pre_buffer=False)
    file = opened()
    content.sizes.refuse_too_many_rows(content.name, file.metadata.num_rows, source.size())
    columns_in_file = file.metadata.num_columns
    if columns_in_file > MOST_COLUMNS:
        raise FileError(
            f"{content.name} has {columns_in_file:,} columns; at most {MOST_COLUMNS:,} are read"
        )

    def batches(columns: list[str]) -> Iterator[pyarrow.RecordBatch]:
        unpacked = _unpacked_size(file.metadata, columns)
        content.sizes.refuse_unpacked(content.name, "Parquet", content.packed, unpacked)
        content.spend(CELLS_READ, _nested_cells(file.metadata, columns), "Parquet")
        rows = content.sizes.rows
        rows_at_once = rows
        delta_coded = _delta_coded(source, file.metadata)
        texts = [name for name in _texts(file.schema) if name not in delta_coded]
        in_dictionary = _coded_shortly(file.metadata, texts)
        if source.size() <= CHECKED:
            # A small file may have one long string for many rows. Strings stay in their dictionary
            # until their lengths are checked.
            others = [name for name in texts if name not in in_dictionary]
            wanted = [name for name in others if name in columns]
            chunks = list(_longest_texts(source, file.metadata, wanted))
            if any(chunk.longest is None for chunk in chunks):
                chunks = list(_longest_read(opened(read_dictionary=wanted), wanted))
            checked = _short_texts(chunks, content.sizes.most_unpacked(content.packed))
            in_dictionary |= set(others) - checked
            longest = max((delta_coded.get(name, 0) for name in columns), default=0)
            if longest:
                decoded = DECODED * max(source.size() // SMALL_FILE, 1)
                rows_at_once = min(max(decoded // longest, 1), rows)
                few_rows = file.metadata.num_rows // rows_at_once
                content.spend(FEW_ROWS_READ, few_rows, "Parquet")
        reader = opened(read_dictionary=sorted(in_dictionary))
        batches = reader.iter_batches(rows_at_once, columns=columns, use_threads=False)
        if rows_at_once < rows:
            batches = _larger(batches, rows)
        yield from batches

    return TableFile(file.schema_arrow.names, batches)


class _ChunkOfTexts(NamedTuple):
    """A column chunk of so many rows, and the longest text in its dictionary; None if this is
    unknown.
    """

    name: str
    rows: int
    longest: int | None


def _short_texts(chunks: Sequence[_ChunkOfTexts], most: float) -> set[str]:
    """The columns of texts whose dictionaries have no long one; none if copies of the texts for
    all rows may take more than `most` bytes.

    If all texts stayed in their dictionary, pyarrow would also code those of pages without one;
    evaluating 250 topics with 1,000 documents each would take twice the time.
    """
    short = {chunk.name for chunk in chunks}
    copied = 0
    for chunk in chunks:
        if chunk.longest is None or chunk.longest > LONGEST_ID:
            short.discard(chunk.name)
        else:
            copied += chunk.longest * chunk.rows
    return short if copied <= most else set()


def _longest_texts(
    source: pyarrow.NativeFile, metadata: parquet.FileMetaData, texts: Collection[str]
) -> Iterator[_ChunkOfTexts]:
    """The chunks of some columns of text, by a look at the pages of their dictionaries."""
    for chunk in _chunks(metadata, texts):
        longest = longest_in_dictionary(source, chunk)
        yield _ChunkOfTexts(chunk.path_in_schema, chunk.num_values, longest)


def _longest_read(file: parquet.ParquetFile, texts: list[str]) -> Iterator[_ChunkOfTexts]:
    """The same from the first row of each row group, which is read with the whole dictionaries.

    A dictionary of one text may be that of the row, because the first page has none.
    """
    from pyarrow import compute

    for number in range(file.num_row_groups):
        rows = file.metadata.row_group(number).num_rows
        first_row = file.iter_batches(1, row_groups=[number], columns=texts, use_threads=False)
        for batch in islice(first_row, 1):
            for name in texts:
                dictionary = batch.column(name).dictionary
                longest = None
                if len(dictionary) > 1:
                    longest = compute.max(compute.binary_length(dictionary)).as_py() or 0
                yield _ChunkOfTexts(name, rows, longest)


def _nested_cells(metadata: parquet.FileMetaData, columns: Collection[str]) -> int:
    """The values in lists and records of some columns of a Parquet file, once for each level."""
    chunks = _chunks(metadata, columns)
    return sum(chunk.num_values * chunk.path_in_schema.count(".") for chunk in chunks)


def _chunks(
    metadata: parquet.FileMetaData, columns: Collection[str] | None = None
) -> Iterator[parquet.ColumnChunkMetaData]:
    """The metadata of some columns of a Parquet file, by default of all, in each row group.

    A nested column has one for each of its parts.
    """
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for place in range(group.num_columns):
            chunk = group.column(place)
            name, _, _ = chunk.path_in_schema.partition(".")
            if columns is None or name in columns:
                yield chunk


def _coded_shortly(metadata: parquet.FileMetaData, texts: Collection[str]) -> set[str]:
    """Those columns of text with fewer than two bytes for each row, such as topics.

    A dictionary has their few strings. Reading them as codes takes a fifth of the time of copies.
    """
    short = set(texts)
    for chunk in _chunks(metadata, texts):
        if chunk.total_uncompressed_size >= 2 * chunk.num_values:
            short.discard(chunk.path_in_schema)
    return short


def _delta_coded(source: pyarrow.NativeFile, metadata: parquet.FileMetaData) -> dict[str, int]:
    """The columns of a Parquet file whose texts are coded by their difference from the text before.

    The bytes of the largest page of a column go with it: no text in it is longer, because the first
    text of a page is whole. A short code may stand for a long text, and pyarrow cannot keep such
    texts in a dictionary.
    """
    longest: dict[str, int] = {}
    for chunk in _chunks(metadata):
        if DELTA_CODE in chunk.encodings:
            name = chunk.path_in_schema
            longest[name] = max(longest.get(name, 1), largest_page(source, chunk))
    return longest


def _larger(batches: Iterable[pyarrow.RecordBatch], rows: int) -> Iterator[pyarrow.RecordBatch]:
    """The same rows in batches of so many rows, or of as many as take `DECODED` bytes."""
    import pyarrow

    pending: list[pyarrow.RecordBatch] = []
    count = 0
    size = 0
    for batch in batches:
        pending.append(batch)
        count += len(batch)
        size += batch.nbytes
        if count >= rows or size >= DECODED:
            yield from pyarrow.Table.from_batches(pending).combine_chunks().to_batches()
            pending = []
            count = 0
            size = 0
    if pending:
        yield from pyarrow.Table.from_batches(pending).combine_chunks().to_batches()


def _footer_size(source: pyarrow.NativeFile, at: int = len(b"PAR1")) -> int:
    """The size of the footer, which stands before the last `at` bytes of a file.

    A file that is cut off may tell any size; its own is then the largest one.
    """
    size: int = source.size()
    place = size - at - LENGTH
    if place < 0:
        return 0
    length = int.from_bytes(source.read_at(LENGTH, place), "little")
    return min(length, size)


def _unpacked_size(metadata: parquet.FileMetaData, columns: Collection[str]) -> int:
    """The bytes that the pages of some columns of a Parquet file unpack to."""
    return sum(chunk.total_uncompressed_size for chunk in _chunks(metadata, columns))


def _texts(schema: parquet.ParquetSchema) -> list[str]:
    """The names of the columns of text."""
    columns = [schema.column(number) for number in range(len(schema))]
    return [column.path for column in columns if column.logical_type.type == "STRING"]


def arrow_file(content: Content) -> TableFile:
    """An Arrow file, also known as Feather version 2, read by record batches."""
    from pyarrow import ipc

    source = content.seekable()
    content.spend(METADATA_READ, _footer_size(source, at=len(MAGIC)))
    file = ipc.open_file(source)
    unpacked = unpacked_size_of_file(source)
    content.sizes.refuse_unpacked(content.name, "Arrow", content.packed, unpacked)
    return TableFile(
        file.schema.names, lambda _: map(file.get_batch, range(file.num_record_batches))
    )


def arrow_stream(content: Content) -> TableFile:
    """An Arrow stream, read by record batches."""
    import pyarrow
    from pyarrow import ipc

    stream = content.stream
    unpacked = 0

    def check(size: int) -> None:
        nonlocal unpacked
        unpacked += size
        content.sizes.refuse_unpacked(content.name, "Arrow", content.packed, unpacked)

    def check_metadata(size: int) -> None:
        content.spend(METADATA_READ, size)

    messages = CheckedMessages(stream, check, check_metadata)
    file = ipc.open_stream(pyarrow.PythonFile(messages, "r"))

    def batches(_: list[str]) -> Iterator[pyarrow.RecordBatch]:
        yield from file
        if stream.ended:
            raise EOFError("the stream is cut off, because it lacks its end marker")
        if stream.read(1):  # a compressed file is checked to its end
            raise OSError("bytes follow the end marker of the stream")

    return TableFile(file.schema.names, batches)


def _keys_of(path: str, folder: str) -> dict[str, str | None]:
    """The keys in the names of folders between a folder and a file in it, such as run=A, and their
    values.

    The values are text: 02 and 2 are two ids.
    """
    from urllib.parse import unquote  # takes time

    keys: dict[str, str | None] = {}
    *folders, _ = names_in(os.path.relpath(path, folder or "."))
    for name in folders:
        key, equals, value = name.partition("=")
        if not equals:
            continue
        key = unquote(key)
        if key in keys:
            raise FileError(f"{path}: the folders name {key} twice")
        keys[key] = None if value == NO_VALUE else unquote(value)
    return keys


def _keys_of_files(content: Content) -> dict[str, dict[str, str | None]]:
    """The keys of each file of a folder or of a pattern.

    Raises `FileError` if a file has other keys than the first one.
    """
    folder = named_folder(os.fspath(content.file))  # type: ignore[arg-type]
    keys = {path: _keys_of(path, folder) for path in parquet_files(content.file)}
    first, *others = keys
    for path in others:
        differing = keys[path].keys() ^ keys[first].keys()
        if differing:
            key = min(differing)
            having, lacking = (path, first) if key in keys[path] else (first, path)
            raise FileError(
                f"{content.name}: {lacking} is in no folder {key}=…, and {having} is; put all "
                "files into folders with the same keys"
            )
    return keys


def _refuse_same_meaning(
    file: str, names: Sequence[str], columns: Mapping[str, str], keys: Collection[str]
) -> None:
    """Raise `FileError` if a key of a folder and a column of its file name the same, as topics.

    `columns` are those that are read of all `names`, which end with the keys. One of the two would
    be dropped.
    """
    for ours, chosen in columns.items():
        for name in names:
            is_pair = (name in keys) != (chosen in keys)
            if is_pair and may_name(ours, name):
                key, column = (name, chosen) if name in keys else (chosen, name)
                raise FileError(
                    f"{file}: the key {key} of its folder and its column {column} both name "
                    f"{ours}; rename or remove one of them"
                )


def _parquet_in_folder(keys: dict[str, str | None], content: Content) -> TableFile:
    """A Parquet file with the keys of its folders as columns."""
    import pyarrow

    file = parquet_file(content)
    plain_names = {*map(plain, file.names)}
    both = [key for key in keys if plain(key) in plain_names]
    if both:
        raise FileError(
            f"{content.name}: {both[0]} is a column of the file and a key of its folder; rename "
            "one of them"
        )

    def batches(columns: list[str]) -> Iterator[pyarrow.RecordBatch]:
        for batch in file.batches([name for name in columns if name not in keys]):
            arrays = batch.columns
            for value in keys.values():
                arrays.append(pyarrow.repeat(pyarrow.scalar(value, pyarrow.string()), len(batch)))
            names = [*batch.schema.names, *keys]
            yield pyarrow.RecordBatch.from_arrays(arrays, names)

    return TableFile([*file.names, *keys], batches)


def folder_parts(parquet: Kind, content: Content, reading: Reading) -> Iterator[Part]:
    """The rows of the Parquet files of a folder or of a pattern, numbered from file to file.

    Each file is read as if it were alone, but for columns that the first one lacks and for the
    limit of rows, which counts those of all files so far. Raises
    `FileError` as `table_parts`, and for a file that lacks a column of the first one, names it
    otherwise, or alone has runs.
    """
    first: dict[str, str] = {}
    count = 0
    size = 0
    for path, keys in _keys_of_files(content).items():
        kind = parquet.opened_by(partial(_parquet_in_folder, keys))
        with Content(path, content.sizes) as file, _opened(kind, file) as table:
            columns, _ = reading.columns(file.name, table.names)
            _refuse_same_meaning(file.name, table.names, columns, keys)
            first = first or columns
            has_first = columns | first == columns
            if not has_first or ("run" in columns) != ("run" in first):
                names = ", ".join(columns.values())
                raise FileError(
                    f"{file.name} has the columns {names}, and the first file of the folder others"
                )
            before = count
            size += file.packed
            for rows in _parts_of_table(table, kind, file, reading):
                count += len(rows)
                content.sizes.refuse_too_many_rows(content.name, count, size)
                shared = {ours: rows.columns[ours] for ours in first}
                yield Part(shared, rows.line + before, rows.facts._replace(file=content.name))


def table_parts(kind: Kind, content: Content, reading: Reading) -> Iterator[Part]:
    """The rows of each batch of the file, in the order of the file.

    Raises `FileError` for a file that cannot be read, for a missing column, and for a row whose id
    or number is missing or of another type.
    """
    with _opened(kind, content) as table:
        yield from _parts_of_table(table, kind, content, reading)


def columns_of(kind: Kind, content: Content, reading: Reading) -> Collection[str]:
    """The columns of the file that are read, under our names, of which no row is read.

    Raises `FileError` as `table_parts`.
    """
    with _opened(kind, content) as table:
        columns, _ = reading.columns(content.name, table.names)
    return columns


def _parts_of_table(
    table: TableFile, kind: Kind, content: Content, reading: Reading
) -> Iterator[Part]:
    """The rows of each batch of an open file."""
    role = reading.role
    most = reading.sizes.rows
    first = 0
    columns, ranks = reading.columns(content.name, table.names)
    remarks = reading.remarks(content.name, table.names)
    facts = Facts(
        content.name,
        kind.name,
        unit="row",
        ranked=ranks,
        lines=remarks,
        heads=reading.heads(columns),
        judge=reading.judge(table.names, columns),
    )
    wanted = list(columns.values())
    rank = None
    if role is RUN and not ranks:
        rank = ranks_in(table.names, reading.chosen)
    if rank is not None:
        wanted.append(rank)
    batches = _checked(table.batches(wanted), wanted, kind, content)
    first_batches: list[pyarrow.RecordBatch] = []
    if rank is not None:
        first_batches = list(first_of(batches, min(ROWS, most)))
        reverse = _remark_on_ranks(first_batches, columns, rank)
        facts = facts._replace(reverse=reverse)
    for batch in chain(first_batches, batches):
        for start in range(0, batch.num_rows, most):
            cells = batch.slice(start, most)
            numbers = np.arange(first + start, first + start + cells.num_rows)
            levels = cells.column(columns[role.value])
            if role is QRELS and reading.chosen.unjudged and levels.null_count:
                is_judged = levels.is_valid().to_numpy(zero_copy_only=False)
                numbers = numbers[is_judged]
                cells = cells.take(arrow_array(np.flatnonzero(is_judged)))
                facts = facts._replace(unjudged=levels.null_count)
            rows = _part(cells, columns, role, facts, numbers)
            facts = facts._replace(unjudged=0)
            if len(rows) and _may_have_many_topics(content, first + start + len(rows)):
                topics = len(rows.columns["query_id"].changes())
                content.spend(TOPICS_OF_TABLES, topics, kind.name)
            if ranks:
                rows = rows.with_negated_scores()
            yield rows
        first += batch.num_rows
        content.sizes.refuse_too_many_rows(content.name, first, content.size)


def _checked(
    batches: Iterable[pyarrow.RecordBatch], columns: Sequence[str], kind: Kind, content: Content
) -> Iterator[pyarrow.RecordBatch]:
    """These columns of the batches of a file, which are valid and within the limits."""
    decoded = 0
    for batch in batches:
        content.spend(BATCHES_READ, 1, kind.name)
        batch = batch.select([batch.schema.names.index(name) for name in columns])
        batch.validate(full=True)  # damaged Arrow data could crash the process
        decoded += decoded_size(batch)
        content.sizes.refuse_unpacked(content.name, kind.name, content.packed, decoded)
        yield batch


def _may_have_many_topics(content: Content, rows: int) -> bool:
    """Whether so many rows could be of more topics than the file may have. In a small file, all
    topics are counted.
    """
    if content.size is None or content.size <= COUNTED_SIZE:
        return True
    return rows * TOPICS_OF_TABLES.bytes > content.sizes.most_unpacked(content.size)


def decoded_size(batch: pyarrow.RecordBatch) -> int:
    """The bytes of the texts in a batch when each row has its own."""
    return sum(map(_decoded_size, batch.columns))


def _decoded_size(column: pyarrow.Array) -> int:
    """The bytes of the texts of a column when each row has its own; 0 for a column of numbers.

    Texts of a dictionary that are too long do not count, because their row is refused with a
    message of its own.
    """
    from pyarrow import types

    if _is_text(column.type):
        bounds = bounds_of_strings(column)
        return int(bounds[-1]) - int(bounds[0])
    if not types.is_dictionary(column.type) or not _is_text(column.dictionary.type):
        return 0
    lengths = np.diff(bounds_of_strings(column.dictionary))
    lengths[lengths > LONGEST_ID] = 0
    codes = column.indices
    if codes.null_count:
        codes = codes.drop_null()
    return int(lengths.take(arrow_numbers(codes)).sum(dtype=np.int64))


def _is_text(kind: pyarrow.DataType) -> bool:
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind)


def _remark_on_ranks(
    batches: Sequence[pyarrow.RecordBatch], columns: dict[str, str], rank: str
) -> str:
    """The remark on ranks in the reverse order of scores, from the first batches of a file."""
    sample = RankSample()
    for batch in batches:
        first = batch.slice(0, ROWS - len(sample.topics))
        topics = first.column(columns["query_id"]).to_pylist()
        ranks = numbers_or_nan(first.column(rank)).tolist()
        scores = numbers_or_nan(first.column(columns["score"])).tolist()
        sample.add(map(str, topics), ranks, scores)
    return sample.remark(is_part=sample.is_full)


@contextmanager
def _opened(kind: Kind, content: Content) -> Iterator[TableFile]:
    """The open file. Turns an error of pyarrow or of the file into a `FileError`."""
    pyarrow = needed("pyarrow", f"{content.name}: the format {kind.name}")
    try:
        yield kind.open(content)
    except (pyarrow.ArrowException, UnicodeDecodeError, *DAMAGE) as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise FileError(f"{content.name}: cannot be read as {kind.name}: {reason}") from None


def _part(
    batch: pyarrow.RecordBatch,
    columns: dict[str, str],
    role: Role,
    facts: Facts,
    numbers: np.ndarray,
) -> Part:
    """The `columns` of a batch under our names. `numbers` are those of the rows in the file.

    Raises `FileError` for a null and for a value of another type.
    """
    from pyarrow import types

    read: dict[str, Any] = {}
    integers: tuple[str, ...] = ()
    for ours, theirs in columns.items():
        column = batch.column(theirs)
        if types.is_dictionary(column.type):
            _refuse_long(column, theirs, facts, numbers)
            if not _is_read_by_codes(column):
                column = column.dictionary_decode()
        if ours in IDS and types.is_integer(column.type):
            integers += (ours,)
        # Only measures of intents refuse a missing probability.
        if column.null_count and ours != "probability":
            row = numbers[column.to_pylist().index(None)]
            raise FileError(f"{facts.file}: row {row} has no {theirs}")
        try:
            if ours == role.value:
                read[ours] = numbers_in(column, role, lambda row: f"row {numbers[row]}")
            elif ours == "probability":
                read[ours] = numbers_or_nan(column)
            else:
                read[ours] = _ids(column, theirs, ours in IDS)
        except WordError as error:
            words = column.to_pylist()
            raise WordInFileError.of(f"{facts.file}: {error.reason}", words) from None
        except GradedError as error:
            raise FileError(f"{facts.file}: {error}") from None
    return Part(read, numbers, facts._replace(integers=integers)).checked()


def _is_read_by_codes(column: pyarrow.DictionaryArray) -> bool:
    """Whether the codes of a column lead to its texts; a copy of the text of each row is faster if
    there are many texts and many rows.
    """
    from pyarrow import types

    texts = column.dictionary
    is_text = types.is_string(texts.type) or types.is_large_string(texts.type)
    if not is_text or texts.null_count:
        return False
    return len(column) < MANY_ROWS or len(column) >= FEWER_TEXTS * len(texts)


def _refuse_long(
    column: pyarrow.DictionaryArray, name: str, facts: Facts, numbers: np.ndarray
) -> None:
    """Raise `FileError` for a row whose text is longer than an id, before each row has a copy."""
    texts = column.dictionary
    if not _is_text(texts.type):
        return
    # Functions of pyarrow.compute that take a number import pandas.
    are_long = np.diff(bounds_of_strings(texts)) > LONGEST_ID
    if not are_long.any():
        return
    long_codes = set(np.flatnonzero(are_long).tolist())
    codes = column.indices.to_pylist()
    row = next((row for row, code in enumerate(codes) if code in long_codes), None)
    if row is not None:
        text = column[row].as_py()
        where = facts.location(numbers[row])
        raise FileError(f"{where}: the {name} {shown(text)} {flaw_of(text)}")


def _ids(column: pyarrow.Array, name: str, is_id: bool) -> Ids:
    """A column of text. Ids must be strings or integers; runs and iterations may be of any type."""
    from pyarrow import types

    type_ = column.type
    if types.is_dictionary(type_):
        type_ = type_.value_type
    is_text = types.is_string(type_) or types.is_large_string(type_)
    if is_text or types.is_string_view(type_):
        return text_of(column, name)
    if is_id and not types.is_integer(type_):
        raise GradedError(f"{name} is of type {type_}, not a string; write the ids as strings")
    return text_of(column.cast("string"), name)
