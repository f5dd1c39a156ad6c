"""Rows of text files: TREC files, and CSV and TSV files with a header.

A file is parsed in blocks of lines. pyarrow parses a block, or NumPy if pyarrow is not installed or
the file is small. If they could read a block differently, for example because several blanks
separate two fields, or because a line is wrong, `Lines` parse it line by line. All give the same
values, to the last bit of scores.

No function here may import pandas, not even through pyarrow's `to_numpy`: that import takes half a
second.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.rows.arrow import arrow_numbers
from ..core.rows.id_columns import Repeated, in_codes, text_of
from ..core.rows.id_matching import Ids
from ..core.rows.rank_order import RankSample
from ..core.rows.roles import IDS, NUMBERS, RUN
from ..core.rows.rows import Facts, Part
from ..errors import GradedError
from .ahead import parsed_ahead
from .content import (
    FIELDS_READ_ALONE,
    LINES_READ_ALONE,
    ROWS_READ,
    TOPICS_READ,
    Content,
    Reading,
    owned_by_arrow,
)
from .forms import BYTE_ORDER_MARK, CACHED, Form, check_order, form_of, has_breaks
from .lines import Block, Lines, UnreadableError, lines_of_rows

if TYPE_CHECKING:
    import pyarrow

Columns = dict[str, Any]
Parse = Callable[[bytes, int, Form], Any]
PLACES = 4  # of the start of a file, at which ranks are compared with scores
PLACE = 1 << 11  # bytes at each of them
SMALL_FILES = 1 << 21
"""The bytes of small files after which the import of pyarrow takes less time than it saves."""


def text_parts(content: Content, reading: Reading) -> Iterator[Part]:
    """The rows of each block of lines of the file, in the order of the file."""
    form, header = form_of(content, reading)
    reverse = remark_on_ranks(content, form, header)
    facts = Facts(
        content.name,
        form.name,
        ranked=form.ranks,
        reverse=reverse,
        heads=form.heads,
        judge=form.judge,
    )
    lines = Lines(content, form)
    lines.number = content.stream.read(header).count(b"\n")
    parse = by_arrow if uses_arrow(content) else by_numpy
    last: dict[str, tuple[float, float]] = {}
    for parsed in _parsed_blocks(lines, header, parse):
        lines.remark_on_mark(parsed.block)
        if parsed.columns is None:
            text = parsed.block.text
            spend_on_lines(content, form, text)
            rows = strictly(text, lines, facts)
        else:
            content.spend(ROWS_READ, len(parsed.columns["query_id"]))
            facts = facts._replace(lines=(*lines.remarks.values(),))
            rows = Part(parsed.columns, parsed.numbers(lines.number), facts)
            lines.number += parsed.lines
        if content.is_limited() and len(rows):
            content.spend(TOPICS_READ, len(rows.columns["query_id"].changes()))
        if form.ranks:
            rows = rows.with_negated_scores()
        if form.counted:
            check_order(rows, form, last)
        yield rows.without("rank")


class ParsedBlock:
    """A block, its number of lines, and the columns of its rows; None if lines could be read
    differently, or if one of them is wrong. `line` has the line of each row, from 1, if rows have
    several.
    """

    def __init__(
        self,
        block: Block,
        lines: int = 0,
        columns: Columns | None = None,
        line: np.ndarray | None = None,
    ):
        self.block = block
        self.lines = lines
        self.columns = columns
        self.line = line

    def numbers(self, before: int) -> np.ndarray:
        """The number of the line of each row, if so many lines are before the block."""
        if self.line is None:
            return np.arange(before + 1, before + self.lines + 1)
        return self.line + before


def _parsed_blocks(lines: Lines, header: int, parse: Parse) -> Iterator[ParsedBlock]:
    """The blocks of a file after so many bytes of its header, parsed.

    Raises `FileError` where the file cannot be read on. The caller must have added the lines of a
    block to those of the file before the next one.
    """
    parsed = partial(parsed_block, form=lines.form, parse=parse)
    blocks = parsed_ahead(lines.blocks(header), parsed, lines.content)
    with closing(blocks):  # the traceback of an error keeps this frame alive, and with it threads
        try:
            yield from blocks
        except UnreadableError as end:
            raise end.at(lines.number + 1) from None


def parsed_block(block: Block, form: Form, parse: Parse) -> ParsedBlock:
    """A block of this form, parsed by `parse`, which is `by_arrow` or `by_numpy`."""
    if not block.is_well_quoted:
        return ParsedBlock(block)
    plain = plain_block(block.text, form)
    if plain is None:
        return ParsedBlock(block)
    text, lines = plain
    table = parse(text, lines, form)
    line = None
    if table is None and form.delimiter and b'"' in text:
        line = lines_of_rows(text)
        table = parse(text, line.size, form)
    columns = None if table is None else columns_of(table, text, form)
    return ParsedBlock(block, lines, columns, line)


def columns_of(table: Columns | pyarrow.Table, text: bytes, form: Form) -> Columns | None:
    """The columns of a table of the rows of a text; None if lines could be read differently, or if
    one of them is wrong.
    """
    columns = table if isinstance(table, dict) else columns_of_arrow(table, form)
    if form.delimiter and b" " in text:
        ids = (column for name, column in columns.items() if name not in NUMBERS)
        if any(map(has_outer_blank, ids)):
            return None  # only unquoted fields lose these blanks
    if form.role.refused(columns[form.role.value]).size:
        return None
    if any(columns[name].first_flawed() is not None for name in IDS):
        return None
    return None if form.delimiter and _has_empty_cells(columns) else columns


def _has_empty_cells(columns: Columns) -> bool:
    """Whether a text that is no id is empty."""
    others = columns.keys() - NUMBERS - set(IDS)
    return not all(columns[name].lengths.all() for name in others)


def remark_on_ranks(content: Content, form: Form, header: int) -> str:
    """The remark on ranks in the reverse order of scores, from the start of the file.

    `header` bytes stand before the first row. All of the start is parsed only if a topic of a few
    lines is in reverse order, because this takes as long as pyarrow takes for a million rows.
    """
    if form.role is not RUN or form.ranks or form.counted or "rank" not in form.fields:
        return ""
    start = content.stream.start[header:]
    if not content.stream.is_whole:
        start = start[: start.rfind(b"\n") + 1]  # without the line that is cut off
    if not _may_be_reversed(_spread(start), form):
        return ""
    return _sample_of(start, form).remark(is_part=not content.stream.is_whole)


def _spread(text: bytes) -> bytes:
    """Whole lines from several places of a text, so that several topics are among them."""
    step = max(len(text) // PLACES, PLACE)
    pieces = [text[start : start + PLACE] for start in range(0, len(text), step)]
    if len(pieces) > 1:
        pieces = [piece[piece.find(b"\n") + 1 : piece.rfind(b"\n") + 1] for piece in pieces]
    return b"".join(pieces)


def _may_be_reversed(text: bytes, form: Form) -> bool:
    """Whether, between the lines of a topic in a text, scores rise with the ranks and never fall.

    The numbers of a topic are read only until they fall, as in nearly all runs.
    """
    topic_field, rank_field, score_field = map(form.fields.index, ("query_id", "rank", "score"))
    last: dict[bytes, tuple[float, float]] = {}
    rising: set[bytes] = set()
    falling: set[bytes] = set()
    for fields in _rows_of_text(text, form, without=falling):
        topic = fields[topic_field]
        if topic in falling:
            continue
        rank = form.number(fields[rank_field])
        score = form.number(fields[score_field])
        if rank is None or score is None:
            continue
        last_rank, last_score = last.get(topic, (rank, score))
        last[topic] = (rank, score)
        if last_rank < rank:
            rises = score > last_score
            falls = score < last_score
        elif last_rank > rank:
            rises = score < last_score
            falls = score > last_score
        else:
            continue
        if falls:
            falling.add(topic)
        elif rises:
            rising.add(topic)
    return not rising <= falling


def _sample_of(text: bytes, form: Form) -> RankSample:
    """The ranks and scores of the lines of a text."""
    topic_field, rank_field, score_field = map(form.fields.index, ("query_id", "rank", "score"))
    sample = RankSample()
    for fields in _rows_of_text(text, form):
        rank = form.number(fields[rank_field])
        score = form.number(fields[score_field])
        if rank is not None and score is not None:
            topic = fields[topic_field].decode(errors="replace")
            sample.add([topic], [rank], [score])
    return sample


def _rows_of_text(
    text: bytes, form: Form, without: Collection[bytes] = ()
) -> Iterator[list[bytes]]:
    """The fields of each line with as many fields as the form has, or more.

    Lines that begin with one of the fields `without`, which may become more meanwhile, may be left
    out, because most of the time is that of their other fields.
    """
    if not form.delimiter:
        for line in text.splitlines():
            if line.partition(b" ")[0] in without:
                continue
            fields = line.split()
            if len(fields) >= len(form.fields) and not line.startswith(b"#"):
                yield fields
        return
    import csv  # This import takes time.

    lines = io.StringIO(text.decode(errors="replace"), newline="")
    with suppress(csv.Error):  # binary data is refused later
        for cells in csv.reader(lines, delimiter=form.delimiter):
            if len(cells) == len(form.fields):
                yield [cell.encode() for cell in cells]


class _SmallFiles:
    """The bytes of small files that this process has read without pyarrow."""

    size = 0


def uses_arrow(content: Content) -> bool:
    """Whether pyarrow parses a file: if it is imported, or if the file is large and pyarrow is
    installed. Many small files are as much as a large one.
    """
    start = content.stream.start
    is_small = content.stream.is_whole and len(start) <= content.sizes.small
    if is_small and sys.modules.get("pyarrow") is None:
        _SmallFiles.size += len(start)
        if _SmallFiles.size <= SMALL_FILES:
            return False
    with suppress(ImportError):
        import pyarrow  # noqa: F401, also waits for another thread that imports it

        return True
    return False


def plain_block(block: bytes, form: Form) -> tuple[bytes, int] | None:
    """A well quoted block with one reading, blanks between its fields, and its number of rows; None
    for any other.
    """
    if form.letor:
        return None
    if not form.delimiter:
        may_have_comment = b"#" in block  # one byte is found faster
        if may_have_comment and (block.startswith(b"#") or b"\n#" in block):
            return None
        block = block.replace(b"\t", b" ")
    if has_breaks(block) or block.startswith(BYTE_ORDER_MARK):  # pyarrow would drop the mark
        return None
    if form.delimiter:
        rows = _line_breaks(block)
        if not block.endswith(b"\n"):
            rows += 1
    else:
        if b"\r" in block:
            block = block.translate(None, b"\r")  # A line feed follows each one.
        fields = _fields(block)
        if not fields:  # only then is the block searched for blanks to remove
            with_single_blanks = squeezed(block)
            if with_single_blanks == block:
                return None
            return plain_block(with_single_blanks, form)
        rows, remainder = divmod(fields, len(form.fields))
        if remainder:
            return None
    if not rows:
        return None
    if not block.isascii():
        try:
            block.decode()
        except UnicodeDecodeError:
            return None
    return block, rows


def squeezed(block: bytes) -> bytes:
    """A block in which one blank separates fields, and none begins or ends a line.

    >>> squeezed(b"q1   0  d1 3 \\n  q1 0 d2 1\\n")
    b'q1 0 d1 3\\nq1 0 d2 1\\n'
    """
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    for outer, inner in ((b" \n", b"\n"), (b" \r\n", b"\r\n"), (b"\n ", b"\n")):
        if outer in block:
            block = block.replace(outer, inner)
    return block.removeprefix(b" ")


def by_numpy(block: bytes, rows: int, form: Form) -> Columns | None:
    """A plain block of so many rows parsed by NumPy; None if lines could be read differently."""
    if form.delimiter:
        return None
    characters = np.frombuffer(block, np.uint8)
    size = len(form.fields)
    separators = characters[characters <= ord(" ")].tobytes()
    separators_of_row = b" " * (size - 1) + b"\n"
    # The last line may lack its end.
    if separators.ljust(rows * size, b"\n") != separators_of_row * rows:
        return None
    fields = block.split()
    columns: Columns = {}
    for name in form.columns:
        column = fields[form.fields.index(name) :: size]
        if name not in NUMBERS:
            columns[name] = Ids.of_encoded(column)
            continue
        if b"_" in b"".join(column):
            return None
        try:
            columns[name] = np.array(list(map(float, column)))
        except ValueError:
            return None
    return columns


def by_arrow(block: bytes, rows: int, form: Form) -> pyarrow.Table | None:
    """A plain block of so many rows parsed by pyarrow; None if lines could be read differently.

    The table lacks the column iteration if it is 0 in all rows of TREC, as in most qrels.
    """
    may_be_all_zeros = not form.delimiter and "iteration" in form.columns and _zeros(block) == rows
    if may_be_all_zeros:
        others = tuple(name for name in form.columns if name != "iteration")
        table = _table_of(block, rows, form, others)
        if table is None or not _has_zero(text_of(table.column("doc_id"), "doc_id")):
            return table
    return _table_of(block, rows, form, form.columns)


def _zeros(block: bytes) -> int:
    """The number of fields between blanks that are 0. Neither the first nor the last field of a
    line is between blanks.

    >>> _zeros(b"q1 0 d1 0\\nq1 1 0 2\\n")
    2
    """
    characters = np.frombuffer(block, np.uint8)
    count = 0
    for start in range(0, len(block), CACHED):
        piece = characters[start : start + CACHED + 2]
        is_blank = piece == ord(" ")
        is_zero = piece[1:-1] == ord("0")
        is_zero &= is_blank[:-2]
        is_zero &= is_blank[2:]
        count += int(np.count_nonzero(is_zero))
    return count


def _has_zero(ids: Ids) -> bool:
    """Whether one of the ids is 0.

    >>> _has_zero(Ids.of(["0", "d1"])), _has_zero(Ids.of(["00", "d0"]))
    (True, False)
    """
    return bool((ids.data[ids.starts[ids.length == 1]] == ord("0")).any())


def _table_of(block: bytes, rows: int, form: Form, names: Sequence[str]) -> pyarrow.Table | None:
    """The columns of these names in a plain block of so many rows; None as `by_arrow`."""
    import pyarrow
    from pyarrow import csv as arrow_csv

    types = dict.fromkeys(names, pyarrow.string())
    for name in NUMBERS & types.keys():
        types[name] = pyarrow.float64()
    reading = arrow_csv.ReadOptions(
        use_threads=False, block_size=len(block) + 1, column_names=form.fields
    )
    quote = '"' if form.delimiter else False
    parsing = arrow_csv.ParseOptions(delimiter=form.delimiter or " ", quote_char=quote)
    converting = arrow_csv.ConvertOptions(
        check_utf8=False,
        column_types=types,
        null_values=[],  # a search for nulls takes a tenth of the time
        include_columns=names,
        decimal_point=form.decimal,
    )
    source = pyarrow.BufferReader(owned_by_arrow(block))
    pool = pyarrow.system_memory_pool()  # other pools keep more freed memory
    try:
        # read_csv is slow on Python 3.10: it visits all Python objects.
        reader = arrow_csv.open_csv(source, reading, parsing, converting, memory_pool=pool)
        table = reader.read_all()
    except pyarrow.ArrowException:
        return None
    return table if table.num_rows == rows else None


def columns_of_arrow(table: pyarrow.Table, form: Form) -> Columns:
    """The columns of a table of strings and numbers."""
    columns: Columns = {}
    for name in form.columns:
        if name not in table.column_names:
            columns[name] = text_of(Repeated("0", table.num_rows), name)
        elif name in NUMBERS:
            columns[name] = arrow_numbers(table.column(name))
        else:
            columns[name] = text_of(table.column(name), name)
    columns["query_id"] = in_codes(columns["query_id"])
    return columns


def has_outer_blank(ids: Ids) -> bool:
    """Whether an id begins or ends with a blank.

    >>> has_outer_blank(Ids.of(["d1", "d 1"])), has_outer_blank(Ids.of(["d1 "]))
    (False, True)
    """
    filled = ids.take(np.flatnonzero(ids.length))
    first = filled.starts
    last = first + filled.length - 1
    return bool((ids.data[first] == ord(" ")).any() or (ids.data[last] == ord(" ")).any())


def _line_breaks(block: bytes) -> int:
    """The number of line breaks in a block. Before Python 3.13, `bytes.count` takes four times as
    long.
    """
    characters = np.frombuffer(block, np.uint8)
    count = 0
    for start in range(0, len(block), CACHED):
        count += int(np.count_nonzero(characters[start : start + CACHED] == ord("\n")))
    return count


def _fields(block: bytes) -> int:
    """The number of fields in a block of lines; 0 if a field is empty.

    Every blank, line break and other control character must end exactly one field.

    >>> _fields(b"q1 0 d1 3\\nq1 0 d2 1"), _fields(b"q1 0  d1 3")
    (8, 0)
    """
    if not block or block[0] <= ord(" "):
        return 0
    ends_line = block.endswith(b"\n")
    if not ends_line and block[-1] <= ord(" "):
        return 0
    characters = np.frombuffer(block, np.uint8)
    count = 0 if ends_line else 1
    for start in range(0, len(block), CACHED):
        ends = characters[start : start + CACHED + 1] <= ord(" ")
        if (ends[1:] & ends[:-1]).any():
            return 0
        count += int(np.count_nonzero(ends[:CACHED]))
    return count


def spend_on_lines(content: Content, form: Form, block: bytes) -> None:
    """Count the work of parsing a block line by line against the limit of a compressed file."""
    lines = block.count(b"\n")
    content.spend(LINES_READ_ALONE, lines)
    fields = block.count((form.delimiter or " ").encode())
    if not form.delimiter:  # several blanks may separate two fields
        fields -= 4 * len(form.fields) * lines
    content.spend(FIELDS_READ_ALONE, max(fields, 0))


def _of_field(rows: Iterable[Sequence[bytes]], name: str, form: Form) -> list[bytes]:
    """The cells of a field in rows, up to the first wrong row."""
    place = form.fields.index(name)
    cells: dict[bytes, None] = {}
    with suppress(GradedError):
        for fields in rows:
            cells[fields[place]] = None
    return list(cells)


def strictly(block: bytes, lines: Lines, facts: Facts) -> Part:
    """A block parsed line by line. Raises `FileError` for the first wrong line."""
    from ..core.rows.level_words import WordInFileError  # This import takes time.

    form = lines.form
    unjudged = 0
    read = itemgetter(*map(form.fields.index, form.columns))
    value = form.columns.index(form.role.value)
    rows: list[tuple[bytes, ...]] = []
    values: list[float] = []
    numbers: list[int] = []
    fields_of_rows = lines.fields(block)
    for fields in fields_of_rows:
        if not any(fields):  # a spreadsheet ends with such rows
            continue
        row = read(fields)
        if row[value].strip() in form.unjudged:
            unjudged += 1
            continue
        for name, field in zip(form.columns, row, strict=True):
            # Only measures of intents refuse a missing probability.
            if not field and name != "probability":
                raise lines.error(f"the field {name} is empty ({form.lines})")
        rows.append(row)
        try:
            values.append(lines.number_in(row[value]))
        except WordInFileError as error:
            words = [row[value], *_of_field(fields_of_rows, form.role.value, form)]
            texts = [word.decode(errors="replace") for word in words]
            raise WordInFileError.of(error.reason, texts) from None
        numbers.append(lines.number)
    columns: Columns = {}
    for place, name in enumerate(form.columns):
        column = [row[place] for row in rows]
        if place == value:
            columns[name] = np.array(values, np.float64)
        elif name in NUMBERS:
            columns[name] = np.array(list(map(form.number, column)), np.float64)
        else:
            columns[name] = Ids.of_encoded(column)
    facts = facts._replace(unjudged=unjudged, lines=(*lines.remarks.values(),))
    return Part(columns, np.array(numbers, dtype=np.int64), facts).checked()
