"""Rows of text files as Arrow tables: TREC files, and CSV and TSV files with a header.

pyarrow's CSV reader parses a file in blocks of lines. The strict reader in `strict_lines` parses a block
instead if pyarrow could read it differently, for example because several blanks separate two fields, or
because a line is wrong. Both readers give the same values, to the last bit of every score.

pyarrow is imported when a file is read. No function here may import pandas, not even through pyarrow's
`to_numpy`: that import takes half a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..core.rows.arrow import arrow_array, arrow_numbers, by_rank, string_array
from ..core.rows.columns import NUMBERS, Chosen, Role
from ..core.rows.rows import with_places
from .content import Content, is_lasting, owned_by_arrow
from .strict_lines import BYTE_ORDER_MARK, CACHED, Lines, Unusual, has_breaks, number_of
from .text_forms import TREC, Form, check_order, form_of, header_of

if TYPE_CHECKING:
    from concurrent.futures import Future

    import pyarrow

Block = TypeVar("Block")
Parsed = TypeVar("Parsed")
AHEAD = 8  # blocks of lines parsed in advance; an evaluated block consists of several
THREADS = 2  # parsing threads, in addition to one reading thread


def text_columns(content: Content, role: Role, chosen: Chosen) -> tuple[str, ...]:
    """The columns of the file that are read, under our names."""
    return (header_of(content, role, chosen)[0] or TREC[role]).columns


def text_tables(content: Content, role: Role, chosen: Chosen) -> Iterator[pyarrow.Table]:
    """A table for each block of lines of the file, in the order of the file."""
    form, header = form_of(content, role, chosen)
    chosen.account.form = form.name
    lines = Lines(content, form)
    lines.number = content.stream.read(header).count(b"\n")
    last: dict[str, tuple[float, float]] = {}
    parsed = ahead(content, lines.blocks(), partial(_plainly, form=form))
    with closing(parsed):  # the traceback of an error keeps this frame alive, and with it the threads
        for block, rows in parsed:
            rows = _strictly(block, form, lines) if rows is None else with_lines(rows, lines)
            if form.counted:
                check_order(rows, form, lines.name, last)
                rows = rows.drop_columns([name for name in rows.column_names if name == "rank"])
            yield by_rank(rows) if form.ranks else rows
    lines.end()
    chosen.account.unjudged = lines.unjudged


def ahead(
    content: Content, blocks: Iterator[Block], parse: Callable[[Block], Parsed], most: int = AHEAD
) -> Generator[tuple[Block, Parsed]]:
    """Each block and what it is parsed into. If the content is that of a file, threads parse in advance.

    Another block is read in advance, and `most` blocks are parsed. In the end no call is running, so the file
    can be closed. The threads end soon after. They are not joined: the garbage collector may close this
    generator while another thread starts, and joining would then never end.
    """
    if not is_lasting(content.file):  # reading ahead in a stream could block forever
        yield from ((block, parse(block)) for block in blocks)
        return
    from concurrent.futures import ThreadPoolExecutor, wait  # This import takes time.

    pool = ThreadPoolExecutor(1 + THREADS)
    pending: deque[tuple[Block, Future[Parsed]]] = deque()
    reading = pool.submit(next, blocks, None)
    try:
        while (block := reading.result()) is not None:
            reading = pool.submit(next, blocks, None)
            pending.append((block, pool.submit(parse, block)))
            if len(pending) > most:
                block, parsed = pending.popleft()
                yield block, parsed.result()
        for block, parsed in pending:
            yield block, parsed.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        started: list[Future[Any]] = [reading, *(parsed for _, parsed in pending)]
        wait([call for call in started if not call.cancelled()])


def with_lines(rows: pyarrow.Table, lines: Lines) -> pyarrow.Table:
    """The rows with their lines, which follow the line read last and are counted."""
    before = lines.number
    lines.number += rows.num_rows
    return with_places(rows, "line", np.arange(before + 1, lines.number + 1), lines.name)


def _plainly(block: bytes, form: Form) -> pyarrow.Table | None:
    """A block parsed by pyarrow; None if the strict reader could read it differently."""
    if form.letor or isinstance(block, Unusual):
        return None
    import pyarrow
    from pyarrow import csv

    is_quoted = bool(form.delimiter)
    if not is_quoted:
        if b"#" in block and (block.startswith(b"#") or b"\n#" in block):  # one byte is found faster
            return None
        block = block.replace(b"\t", b" ")
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    fields = line_count(block) * len(form.fields) if is_quoted else _fields(block)
    if not fields or has_breaks(block) or block.startswith(BYTE_ORDER_MARK):  # pyarrow would drop the mark
        return None

    def read(buffer: pyarrow.Buffer) -> pyarrow.Table:
        return csv.open_csv(  # read_csv is slow on Python 3.10: it visits all Python objects
            pyarrow.BufferReader(buffer),
            csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=form.fields),
            csv.ParseOptions(delimiter=form.delimiter or " ", quote_char=is_quoted and '"'),
            csv.ConvertOptions(
                check_utf8=False,
                column_types=arrow_types(form.columns),
                null_values=[""] * is_quoted,
                strings_can_be_null=is_quoted,
                include_columns=form.columns,
            ),
            memory_pool=pyarrow.system_memory_pool(),  # other pools keep more freed memory
        ).read_all()

    return parsed_by_arrow(block, read, fields / len(form.fields), form.role)


def arrow_types(columns: Iterable[str]) -> dict[str, pyarrow.DataType]:
    """The types of columns with our names."""
    import pyarrow

    return {name: pyarrow.float64() if name in NUMBERS else pyarrow.string() for name in columns}


def parsed_by_arrow(
    block: bytes, read: Callable[[pyarrow.Buffer], pyarrow.Table], count: float, role: Role
) -> pyarrow.Table | None:
    """The rows that `read` finds in a block; None if it is wrong or does not have `count` whole rows."""
    import pyarrow

    try:
        if not block.isascii():
            block.decode()
        rows = read(owned_by_arrow(block))
    except (UnicodeDecodeError, pyarrow.ArrowException):
        return None
    is_whole = rows.num_rows == count and not any(column.null_count for column in rows.columns)
    return rows if is_whole and not role.refused(arrow_numbers(rows[role.value])).size else None


def line_count(block: bytes) -> int:
    """The number of lines in a block."""
    return block.count(b"\n") + (not block.endswith(b"\n")) if block else 0


def _fields(block: bytes) -> int:
    """The number of fields in a block of lines; 0 if a field is empty.

    Every blank, line break and other control character must end exactly one field.

    >>> _fields(b"q1 0 d1 3\\nq1 0 d2 1"), _fields(b"q1 0  d1 3")
    (8, 0)
    """
    characters, count = np.frombuffer(block, np.uint8), 0
    if not block or block[0] <= ord(" "):
        return 0
    for start in range(0, len(block), CACHED):
        ends = characters[start : start + CACHED + 1] <= ord(" ")
        if (ends[1:] & ends[:-1]).any():
            return 0
        count += int(np.count_nonzero(ends[:CACHED]))
    return count + (not block.endswith(b"\n"))


def _strictly(block: bytes, form: Form, lines: Lines) -> pyarrow.Table:
    """A block parsed line by line. Raises `FileError` for the first wrong line."""
    import pyarrow

    read = itemgetter(*map(form.fields.index, form.columns))
    value = form.columns.index(form.role.value)
    texts: list[tuple[bytes, ...]] = []
    values: list[float] = []
    numbers: list[int] = []
    for fields in lines.fields(block):
        row = read(fields)
        if row[value].strip() in form.unjudged:
            lines.unjudged += 1
            continue
        for name, field in zip(form.columns, row):
            if not field and name != "probability":  # only measures of intents refuse one that is missing
                raise lines.error(f"the field {name} is empty ({form.lines})")
        texts.append(row)
        values.append(lines.number_in(row[value]))
        numbers.append(lines.number)
    arrays = []
    for place, name in enumerate(form.columns):
        column = [row[place] for row in texts]
        if name in NUMBERS:
            floats = values if place == value else [*map(number_of, column)]
            arrays.append(arrow_array(np.array(floats, np.float64)))
        else:
            arrays.append(string_array(column, b"".join(column)))
    rows = pyarrow.Table.from_arrays(arrays, list(form.columns))
    return with_places(rows, "line", np.array(numbers, dtype=np.int64), lines.name)
