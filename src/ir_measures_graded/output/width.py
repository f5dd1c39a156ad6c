"""The width of lines of text, and texts and tables that are folded to it."""

import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import zip_longest
from textwrap import wrap
from typing import Final
from unicodedata import category, east_asian_width

WIDTH: Final = 100
"""The width of what is not printed on a terminal, so that files and pipes are always the same."""
NARROWEST: Final = 60
"""Text is not folded for narrower terminals."""
WIDEST: Final = 120
"""Text in longer lines is hard to read."""
GAP: Final = 2
"""The number of blanks between two columns of a table."""
NARROW_GAP: Final = 1
"""The same in a table that would not fit otherwise."""
FOLDED_NAME: Final = 10
"""Names in tables are folded to no fewer columns of text, nor within their parts up to
`LONGEST_PART`."""
LONGEST_PART: Final = 24

_fixed: ContextVar[int | None] = ContextVar("width", default=None)


def width() -> int:
    """The number of columns of text in a line: those of the terminal, or `WIDTH` without one."""
    fixed = _fixed.get()
    if fixed is not None:
        return fixed
    if sys.stdout is None or not sys.stdout.isatty():
        return WIDTH
    return width_of_terminal()


def width_of_terminal() -> int:
    """The columns of the terminal, within bounds; 80 if standard output is none."""
    return min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)


@contextmanager
def of_width(columns: int = WIDTH) -> Iterator[None]:
    """Lines that are made in this block have this width, as those of files do."""
    token = _fixed.set(columns)
    try:
        yield
    finally:
        _fixed.reset(token)


def width_of(text: str) -> int:
    """The number of columns of a terminal that a text takes.

    >>> width_of("bm25"), width_of("検索"), width_of("e\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    is_wide = [east_asian_width(character) in "WF" for character in text]
    is_invisible = [category(character) in ("Mn", "Me", "Cf") for character in text]
    return len(text) + is_wide.count(True) - is_invisible.count(True)


def fitted(lines: Sequence[Sequence[str]]) -> tuple[list[int], int] | None:
    """The width of each column of a table, whose first line has the headings, and the gap.

    If the table is too wide, headings are folded first, and then names; then columns are one blank
    apart. Numbers are never folded. None if that is not enough.
    """
    columns = list(zip(*lines, strict=True))
    widths = widths_of(lines)
    with_folded_headings = [_width_without_heading(column) for column in columns]
    with_folded_names = [
        _least_width(column, widest)
        for column, widest in zip(columns, with_folded_headings, strict=True)
    ]
    for gap in (GAP, NARROW_GAP):
        space = width() - gap * (len(columns) - 1)
        wider = widths
        for least in (widths, with_folded_headings, with_folded_names):
            if sum(least) <= space:
                return _narrowed(wider, least, space), gap
            wider = least
    return None


def widths_of(lines: Sequence[Sequence[str]]) -> list[int]:
    """The width of the widest cell of each column."""
    return [max(map(width_of, column)) for column in zip(*lines, strict=True)]


def _narrowed(widths: Sequence[int], least: Sequence[int], space: int) -> list[int]:
    """The widths, of which the widest ones become narrower until their sum fits into the space."""
    narrowed = list(widths)
    while sum(narrowed) > space:
        foldable = [number for number, fewest in enumerate(least) if narrowed[number] > fewest]
        widest = max(foldable, key=narrowed.__getitem__)
        narrowed[widest] -= 1
    return narrowed


def _width_without_heading(column: Sequence[str]) -> int:
    """The width of the cells, and of the longest part of the heading."""
    heading, *cells = column
    return max([_longest_part_of_heading(heading), *map(width_of, cells)])


def _least_width(column: Sequence[str], widest: int) -> int:
    """The least width of a column; `widest` is that of its cells, which numbers keep."""
    heading, *cells = column
    if all(map(_is_number, cells)):
        return widest
    longest = max(map(_longest_part, cells))
    least = max(FOLDED_NAME, min(longest, LONGEST_PART), _longest_part_of_heading(heading))
    return min(widest, least)


def _is_number(cell: str) -> bool:
    """Whether a cell has numbers and signs alone, such as an interval.

    >>> _is_number("-0.5"), _is_number("0.13 to 0.24"), _is_number("run 1")
    (True, True, False)
    """
    words = re.findall(r"[^\W\d_]+", cell)
    return set(words) <= {"to", "of", "e", "yes", "no"}


def _longest_part(text: str) -> int:
    """The width of the longest part between two places where a text may be folded."""
    widths = [width_of(text_part.rstrip()) for text_part in _parts(text)]
    return max(widths, default=0)


def _longest_part_of_heading(heading: str) -> int:
    """The same for a heading, whose words of up to `FOLDED_NAME` columns stay whole.

    >>> _longest_part_of_heading("tau_AP_b"), _longest_part_of_heading("nDCG_JK(b=2)@10")
    (8, 7)
    """
    widths = []
    for word in heading.split():
        width = width_of(word)
        if width > FOLDED_NAME:
            width = _longest_part(word)
        widths.append(width)
    return max(widths, default=0)


_BREAK = r"(?:[\-_/,;(]*\s+(?=\()|[\s\-_/,;(]+)"  # a bracket after a blank begins a part
_BEFORE_PLACES = r" (?=\d+→\d)"
_WITHIN_PART = "\0"
"""A character in the place of a blank at which no line is broken; cells have no such one."""
_PART = rf"(?:(?<=\s)\()?[^\s\-_/,;(]+{_BREAK}?|{_BREAK}"


def _parts(text: str) -> list[str]:
    """The parts of a text; it may be folded behind a blank and behind - _ / , ; and (.

    Two places stay with the name in front of them.

    >>> _parts("nDCG_JK(b=2)@10 of TAS-B (old) 8→11")
    ['nDCG_', 'JK(', 'b=2)@10 ', 'of ', 'TAS-', 'B ', '(old) 8→11']
    """
    whole = re.sub(_BEFORE_PLACES, _WITHIN_PART, text)
    return [text_part.replace(_WITHIN_PART, " ") for text_part in re.findall(_PART, whole)]


def folded(text: str, columns: int) -> list[str]:
    """The lines of a text of at most so many columns; parts that are longer are cut.

    >>> folded("TUW_TAS-B_768", 8), folded("abcdef", 4), folded("", 4)
    (['TUW_TAS-', 'B_768'], ['abcd', 'ef'], [''])
    """
    if width_of(text) <= columns:
        return [text]
    lines = [""]
    for text_part in _parts(text):
        rest = text_part
        if width_of(lines[-1] + rest.rstrip()) > columns and lines[-1]:
            lines.append("")
        while width_of(rest.rstrip()) > columns:
            count = fitting(rest, columns)
            lines[-1] = rest[:count]
            lines.append("")
            rest = rest[count:]
        lines[-1] += rest
    return [line.rstrip() for line in lines]


def in_lines(text: str, columns: int, *, indent: str = "", breaks_words: bool = True) -> list[str]:
    """A text in lines of at most so many columns, broken at blanks; further lines have an indent.

    A longer word is broken anywhere, unless it stays whole.

    >>> in_lines("the run 検索システムの実験 is best", 12)
    ['the run', '検索システム', 'の実験 is', 'best']
    """
    if width_of(text) == len(text):
        return wrap(
            text,
            columns,
            subsequent_indent=indent,
            break_long_words=breaks_words,
            break_on_hyphens=False,
        )
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        rest = word
        if line.strip() and width_of(f"{line}{rest}") > columns:
            lines.append(line.rstrip(" "))
            line = indent
        while breaks_words and width_of(f"{line}{rest}") > columns:
            count = fitting(rest, columns - width_of(line))
            lines.append(line + rest[:count])
            rest = rest[count:]
            line = indent
        line += f"{rest} "
    lines.append(line.rstrip(" "))
    return lines


def fitting(text: str, columns: int) -> int:
    """The number of the first characters that take at most so many columns, at least 1."""
    count = 1
    while width_of(text[: count + 1]) <= columns:
        count += 1
    return count


def rows_of(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> Iterator[list[str]]:
    """The lines of text of the headings and of each row of a table that fits.

    Columns that are `right` have their cells on the right. In a table that is too wide, a column of
    the same name in all rows is one line above it. A table that cannot fit becomes a block for each
    row, without a line of headings.

    >>> lines = [["run", "mean over topics"], ["one-run", "0.5"], ["two", "0.25"]]
    >>> with of_width(16):
    ...     print(*[line for row in rows_of(lines, [False, True]) for line in row], sep="\\n")
                mean
                over
    run       topics
    one-run      0.5
    two         0.25
    """
    widths = widths_of(lines)
    if sum(widths) + GAP * (len(widths) - 1) <= width():
        for cells in lines:
            yield [(" " * GAP).join(map(padded, cells, widths, right)).rstrip()]
        return
    above, lines, right = _without_constant(lines, right)
    narrowed = fitted(lines)
    if narrowed is None:
        yield above
        yield from _blocks(lines)
        return
    widths, gap = narrowed
    for number, cells in enumerate(lines):
        in_lines = [folded(cell, most) for cell, most in zip(cells, widths, strict=True)]
        height = max(map(len, in_lines), default=1)
        row = []
        if number == 0:  # headings end just above the cells
            in_lines = [[""] * (height - len(cell)) + cell for cell in in_lines]
            row += above
        for cells_of_line in zip_longest(*in_lines, fillvalue=""):
            line = map(padded, cells_of_line, widths, right)
            row.append((" " * gap).join(line).rstrip())
        yield row


def _without_constant(
    lines: Sequence[Sequence[str]], right: Sequence[bool]
) -> tuple[list[str], Sequence[Sequence[str]], Sequence[bool]]:
    """Lines above a table for the columns of names that have the same cell in all rows, if these
    are several, and the table without them.
    """
    headings, *rows = lines
    columns = list(zip(*rows, strict=True))
    if len(rows) < 2:
        return [], lines, right
    above: list[str] = []
    kept = []
    for number, cells in enumerate(columns):
        is_constant = len(set(cells)) == 1 and headings[number] and not right[number]
        if is_constant and cells[0] and not _is_number(cells[0]):
            above += _beside([f"{headings[number]}:"], width_of(headings[number]) + 1, cells[0])
        else:
            kept.append(number)
    if not above or not kept:
        return [], lines, right
    without = [[line[number] for number in kept] for line in lines]
    return [*above, ""], without, [right[number] for number in kept]


def padded(cell: str, columns: int, is_on_the_right: bool) -> str:
    """A cell with blanks on one side, in so many columns."""
    space = " " * (columns - width_of(cell))
    return space + cell if is_on_the_right else cell + space


def _blocks(lines: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """A block of lines for each row, of a heading and a cell each; empty cells are left out."""
    headings, *rows = lines
    widest = min(max(map(width_of, headings)), width() // 2)
    for number, row in enumerate(rows):
        block = []
        if number:
            block.append("")
        for heading, cell in zip(headings, row, strict=True):
            if cell:
                block += _beside(folded(heading, widest), widest, cell)
        yield block


def _beside(labels: Sequence[str], widest: int, cell: str) -> Iterable[str]:
    """The lines of a label of this width with a cell beside it."""
    cells = folded(cell, width() - widest - NARROW_GAP)
    for place in range(max(len(labels), len(cells))):
        label = labels[place] if place < len(labels) else ""
        text = cells[place] if place < len(cells) else ""
        yield f"{padded(label, widest, False)}{' ' * NARROW_GAP}{text}".rstrip()
