"""Rows of text files as Arrow tables: TREC files, and CSV and TSV files with a header.

pyarrow's CSV reader parses a file in blocks of lines. The strict reader in `strict_lines` parses a block
instead if pyarrow could read it differently, for example because several blanks separate two fields, or
because a line is wrong. Both readers give the same values, to the last bit of every score.

pyarrow is imported when a file is read. No function here may import pandas, not even through pyarrow's
`to_numpy`: that import takes half a second.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError
from .arrow import arrow_array, arrow_numbers, by_rank
from .columns import file_columns, is_known, is_rank
from .content import DAMAGE, Content, is_lasting, owned_by_arrow
from .strict_lines import BYTE_ORDER_MARK, Lines, is_well_quoted
from .tables import with_places

if TYPE_CHECKING:
    import pyarrow

AHEAD = 8  # blocks of lines parsed in advance; an evaluated block consists of several
CACHED = 1 << 16  # characters scanned at once, so that they stay in the processor cache
LONGEST_HEADER = 1 << 16  # bytes
INTEGER = re.compile(r"[+-]?[0-9]+")
MOST_LEVELS = 20  # more distinct integers are ids of documents, not levels
THREADS = 2  # parsing threads, in addition to one reading thread


@dataclass(frozen=True)
class Form:
    """The form of the lines of a text file.

    `lines` describes a line in error messages. `fields` names the fields of a line, `columns` those that are
    read, and `value` the one with the level or score. `number` converts a text of this field or raises the
    error. `allowed` tells which parsed numbers are valid. `delimiter` separates fields, which may then be
    quoted; if it is empty, blanks separate fields. Rows with a value in `unjudged` are skipped. If `ranks` is
    true, the values are ranks, and −rank is the score.
    """

    lines: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    value: str
    number: Callable[[Lines, bytes], float]
    allowed: Callable[[np.ndarray], np.ndarray]
    delimiter: str = ""
    unjudged: tuple[bytes, ...] = ()
    ranks: bool = False

    def headed(self, block: bytes, file: str, run_column: str | None) -> Form:
        """The form of a file that begins with this block; the same form if the first line is not a header.

        A header has at least three names, of which two are known. Raises `FileError` if the third is missing,
        if a column occurs twice, and if `run_column` is given for a file without a header.
        """
        text = block[: max(block.find(b"\n"), 0) or LONGEST_HEADER].decode(errors="replace").rstrip("\r")
        for delimiter in ("\t", ","):
            names: list[str] = []
            with suppress(csv.Error):  # binary data is not a header
                names = next(csv.reader([text], delimiter=delimiter), [])
            if len(names) < 3 or sum(is_known(name, self.value) for name in names) < 2:
                continue
            columns = file_columns(file, names, self.value, run_column)
            ours = {name: column for column, name in columns.items()}
            fields = tuple(ours.get(name, f"#{number}") for number, name in enumerate(names))
            return replace(
                self,
                lines=delimiter.join(names).replace("\t", " "),
                fields=fields,
                columns=tuple(columns),
                delimiter=delimiter,
                ranks=is_rank(columns[self.value]),
            )
        if run_column is not None:
            raise FileError(f"{file}: a TREC file has no columns with names, and so no column {run_column}")
        return self


RUN = Form(
    "topic Q0 document rank score tag",
    ("query_id", "Q0", "doc_id", "rank", "score", "tag"),
    ("query_id", "doc_id", "score"),
    "score",
    Lines.score,
    lambda scores: ~np.isnan(scores),
)
QRELS = Form(
    "topic iteration document level",
    ("query_id", "iteration", "doc_id", "relevance"),
    ("query_id", "doc_id", "relevance", "iteration"),
    "relevance",
    Lines.level,
    np.isfinite,
)
ANSWERS = replace(QRELS, unjudged=(b"", b"?", b"-"))


def text_columns(content: Content, form: Form, run_column: str | None = None) -> tuple[str, ...]:
    """The columns of the file that are read, under our names."""
    first = b""
    with suppress(*DAMAGE):  # damage is reported when the rows are read
        first = content.stream.readline(LONGEST_HEADER).removeprefix(BYTE_ORDER_MARK)
    return form.headed(first, content.name, run_column).columns


def text_tables(content: Content, form: Form, run_column: str | None = None) -> Iterator[pyarrow.Table]:
    """A table for each block of lines of the file, in the order of the file."""
    lines = Lines(content, form.lines, len(form.fields))
    blocks = lines.blocks()
    first = next(blocks, b"")
    headed = form.headed(first, lines.name, run_column)
    if headed is not form:
        form, first, lines.number = headed, first.partition(b"\n")[2], 1
        lines.form, lines.size, lines.delimiter = form.lines, len(form.fields), form.delimiter
        first = lines.whole(first)
    blocks = chain([first], blocks)
    if is_lasting(content.file):
        parsed = _ahead(blocks, form)
    else:  # reading ahead in a stream could block forever
        parsed = ((block, _plainly(block, form)) for block in blocks)
    with closing(parsed):  # the traceback of an error keeps this frame alive, and with it the threads
        for block, rows in parsed:
            if rows is None:
                rows = _strictly(block, form, lines)
            else:
                before = lines.number
                lines.number += rows.num_rows
                rows = with_places(rows, "line", np.arange(before + 1, lines.number + 1), lines.name)
            if block is first and form.fields == QRELS.fields:
                refuse_other_orders(rows, lines.name)
            yield by_rank(rows) if form.ranks else rows
    lines.end()


def refuse_other_orders(rows: pyarrow.Table, file: str) -> None:
    """Raise `FileError` if lines of four fields do not have the order ``topic iteration document level``.

    A field of iterations repeats itself, and a field of documents does not.
    """
    names = ("query_id", "iteration", "doc_id")
    if set(rows["iteration"].unique().to_pylist()) <= {"0", "Q0"}:
        return
    second: dict[str, list[str]] = {}
    third: dict[str, list[str]] = {}
    for topic, iteration, document in zip(*(rows[name].to_pylist() for name in names)):
        second.setdefault(topic, []).append(iteration)
        third.setdefault(topic, []).append(document)
    if any(len(ranks) >= 3 and counts(ranks) for ranks in third.values()):
        raise FileError(f"{file}: the third field counts 1, 2, 3 … in a topic; this is a run, not qrels")
    seconds, thirds = set(chain(*second.values())), set(chain(*third.values()))
    if (
        len(thirds) <= MOST_LEVELS
        and all(map(INTEGER.fullmatch, thirds))
        and all(len(set(fields)) == len(fields) for fields in second.values())
        and (
            len(second) < len(rows) or len(seconds) > len(thirds) or not all(map(INTEGER.fullmatch, seconds))
        )
    ):
        raise FileError(
            f"{file}: the columns are topic, document, level, iteration; export with --format trec or jsonl"
        )


def counts(fields: Sequence[str]) -> bool:
    """Whether these are the numbers 0, 1, 2 … or 1, 2, 3 …

    >>> counts(["1", "2", "3"]), counts(["1", "3"])
    (True, False)
    """
    first = fields[0] == "1"
    return list(fields) == [str(number) for number in range(first, first + len(fields))]


def _ahead(blocks: Iterator[bytes], form: Form) -> Generator[tuple[bytes, pyarrow.Table | None]]:
    """Each block and its table from `_plainly`. Threads read and parse the next blocks in advance."""
    pending: deque[tuple[bytes, Future[pyarrow.Table | None]]] = deque()
    with ThreadPoolExecutor(1 + THREADS) as pool:
        reading = pool.submit(next, blocks, None)
        while (block := reading.result()) is not None:
            reading = pool.submit(next, blocks, None)
            pending.append((block, pool.submit(_plainly, block, form)))
            if len(pending) > AHEAD:
                block, parsed = pending.popleft()
                yield block, parsed.result()
        for block, parsed in pending:
            yield block, parsed.result()


def _plainly(block: bytes, form: Form) -> pyarrow.Table | None:
    """A block parsed by pyarrow; None if the strict reader could read it differently."""
    import pyarrow
    from pyarrow import csv

    if not form.delimiter:
        block = block.replace(b"\t", b" ")
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if form.delimiter and not is_well_quoted(block, form.delimiter):
        return None
    fields = _lines(block) * len(form.fields) if form.delimiter else _fields(block)
    if not fields or b"\r" in block or block.startswith(BYTE_ORDER_MARK):  # pyarrow would drop the mark
        return None
    try:
        if not block.isascii():
            block.decode()
        rows = csv.open_csv(  # read_csv is slow on Python 3.10: it visits all Python objects
            pyarrow.BufferReader(owned_by_arrow(block)),
            csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=form.fields),
            csv.ParseOptions(delimiter=form.delimiter or " ", quote_char='"' if form.delimiter else False),
            csv.ConvertOptions(
                check_utf8=False,
                column_types={
                    name: pyarrow.float64() if name == form.value else pyarrow.string()
                    for name in form.columns
                },
                null_values=[""] if form.delimiter else [],
                strings_can_be_null=bool(form.delimiter),
                include_columns=form.columns,
            ),
            memory_pool=pyarrow.system_memory_pool(),  # other pools keep more freed memory
        ).read_all()
    except (UnicodeDecodeError, pyarrow.ArrowInvalid):
        return None
    if fields != rows.num_rows * len(form.fields) or any(column.null_count for column in rows.columns):
        return None
    if not form.allowed(arrow_numbers(rows[form.value])).all():
        return None
    return rows


def _lines(block: bytes) -> int:
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

    positions = [form.fields.index(name) for name in form.columns]
    kept: list[list[Any]] = [[] for _ in positions]
    numbers: list[int] = []
    value = form.fields.index(form.value)
    for fields in lines.fields(block):
        if fields[value].strip() in form.unjudged:
            continue
        numbers.append(lines.number)
        for name, column, position in zip(form.columns, kept, positions):
            field = fields[position]
            if not field:
                raise lines.error(f"the field {name} is empty ({form.lines})")
            column.append(form.number(lines, field) if name == form.value else field)
    columns = [
        arrow_array(np.array(column, dtype=np.float64)) if name == form.value else _string_column(column)
        for name, column in zip(form.columns, kept)
    ]
    rows = pyarrow.Table.from_arrays(columns, list(form.columns))
    return with_places(rows, "line", np.array(numbers, dtype=np.int64), lines.name)


def _string_column(texts: list[bytes]) -> pyarrow.Array:
    import pyarrow

    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pyarrow.StringArray.from_buffers(
        len(texts), pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(texts))
    )
