"""Texts and tables that are folded to the width of a line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Final
from unicodedata import category, east_asian_width

from .width import width

GAP: Final = 2
"""The number of blanks between two columns of a table."""
NARROW_GAP: Final = 1
"""The same in a table that would not fit otherwise."""
FOLDED_NAME: Final = 10
"""Names in tables are folded to no fewer columns of text, nor within their parts up to
`LONGEST_PART`."""
LONGEST_PART: Final = 24


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


def fitted(columns: Sequence[Sequence[str]]) -> tuple[list[int], int] | None:
    """The width of each column of a table, whose first cell is the heading, and the gap.

    If the table is too wide, headings are folded, and then cells of several words; then columns are
    one blank apart; then names are folded. Numbers are never folded. None if that is not enough.
    """
    unfolded, folded_headings, folded_words, folded_names = _narrower_widths(columns)
    with_whole_names = [
        (unfolded, unfolded),
        (unfolded, folded_headings),
        (folded_headings, folded_words),
    ]
    for choices in (with_whole_names, [(folded_headings, folded_names)]):
        for gap in (GAP, NARROW_GAP):
            space = width() - gap * (len(columns) - 1)
            for most, least in choices:
                if sum(least) <= space:
                    return _narrowed(most, least, space), gap
    return None


def _narrower_widths(columns: Sequence[Sequence[str]]) -> Iterator[list[int]]:
    """The widths of the columns; those with folded headings; with folded cells of several words,
    too; and with folded names, too."""
    yield list(map(widest, columns))
    with_folded_headings = list(map(_width_without_heading, columns))
    yield with_folded_headings
    with_folded_names = list(map(_least_width, columns, with_folded_headings))
    with_folded_words = list(with_folded_names)
    for number, (_, *cells) in enumerate(columns):
        if not any(" " in cell for cell in cells):
            with_folded_words[number] = with_folded_headings[number]
    yield with_folded_words
    yield with_folded_names


def widest(cells: Sequence[str]) -> int:
    """The width of the widest of the cells.

    >>> widest(["bm25", "検索システム"])
    12
    """
    width_in_columns = len if _are_narrow(cells) else width_of
    return max(map(width_in_columns, cells), default=0)


def _are_narrow(cells: Iterable[str]) -> bool:
    """Whether each character of the cells takes one column of a terminal."""
    text = "".join(cells)
    return text.isascii() or all(width_of(character) == 1 for character in set(text))


def aligned(
    columns: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool], between: str
) -> Iterator[str]:
    """The lines of a table whose columns have these widths, and a text between them.

    Columns that are `right` have their cells on the right.

    >>> list(aligned([["run", "bm25"], ["AP", "0.25"]], [5, 4], [False, True], " | "))
    ['run   |   AP', 'bm25  | 0.25']
    """
    cells: list[Sequence[str]] = []
    forms: list[str] = []
    for column, columns_of_text, is_on_the_right in zip(columns, widths, right, strict=True):
        if _are_narrow(column):
            side = "" if is_on_the_right else "-"
            cells.append(column)
            forms.append(f"%{side}{columns_of_text}s")
        else:
            cells.append([padded(cell, columns_of_text, is_on_the_right) for cell in column])
            forms.append("%s")
    form = between.join(forms)
    return map(form.__mod__, zip(*cells, strict=True))


def _narrowed(widths: Sequence[int], least: Sequence[int], space: int) -> list[int]:
    """The widths, of which the widest ones become narrower until their sum fits into the space."""
    narrowed = list(widths)
    while sum(narrowed) > space:
        foldable = [number for number, fewest in enumerate(least) if narrowed[number] > fewest]
        widest_column = max(foldable, key=narrowed.__getitem__)
        narrowed[widest_column] -= 1
    return narrowed


def _width_without_heading(column: Sequence[str]) -> int:
    """The width of the cells, and of the longest part of the heading."""
    return max(_longest_part_of_heading(column[0]), widest(column[1:]))


def _least_width(column: Sequence[str], most: int) -> int:
    """The least width of a column; `most` is that of its cells, which numbers keep."""
    heading, *cells = column
    if _is_number(" ".join(cells)):
        return most
    longest = _longest_part("\n".join(cells))
    least = max(FOLDED_NAME, min(longest, LONGEST_PART), _longest_part_of_heading(heading))
    return min(most, least)


def _is_number(cell: str) -> bool:
    """Whether a cell has numbers and signs alone, such as an interval, or all joined ones have.

    >>> _is_number("-0.5"), _is_number("0.13 to 0.24"), _is_number("run 1")
    (True, True, False)
    """
    words = re.findall(r"[^\W\d_]+", cell)
    return set(words) <= {"to", "of", "e", "yes", "no"}


def _longest_part(text: str) -> int:
    """The width of the longest part between two places where a text may be folded.

    The text may have several lines.
    """
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


# A bracket after a blank begins a part.
_BREAK = r"(?:[\-_/,;(]*[^\S\n]+(?=\()|(?:[\-_/,;(]|[^\S\n])+)"
_BEFORE_PLACES = r" (?=\d+→\d)"
_WITHIN_PART = "\0"
"""A character in the place of a blank at which no line is broken; cells have no such one."""
_PART = rf"(?:(?<=[^\S\n])\()?[^\s\-_/,;(]+{_BREAK}?|{_BREAK}"


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


def rows_of(columns: Sequence[Sequence[str]], right: Sequence[bool]) -> Iterator[list[str]]:
    """The lines of text of the headings and of each row of a table that fits.

    A column has its heading and its cells, those that are `right` on the right. In a table that is
    too wide, a column of the same name in all rows is one line above it. A table that cannot fit
    becomes a block for each row, without a line of headings.

    >>> columns = [["run", "one-run", "two"], ["mean over topics", "0.5", "0.25"]]
    >>> from ir_measures_graded.output.width import of_width
    >>> with of_width(16):
    ...     print(*[line for row in rows_of(columns, [False, True]) for line in row], sep="\\n")
                mean
                over
    run       topics
    one-run      0.5
    two         0.25
    """
    widths = list(map(widest, columns))
    if sum(widths) + GAP * (len(widths) - 1) <= width():
        lines = aligned(columns, widths, right, " " * GAP)
        yield from map(list, zip(map(str.rstrip, lines), strict=True))
        return
    above, columns, right = _without_constant(columns, right)
    narrowed = fitted(columns)
    if narrowed is None:
        yield above
        yield from _blocks(columns)
        return
    widths, gap = narrowed
    between = " " * gap
    headings = [folded(column[0], most) for column, most in zip(columns, widths, strict=True)]
    height = max(map(len, headings))
    # Headings end just above the cells.
    headings = [[""] * (height - len(lines)) + lines for lines in headings]
    yield above + _stripped(aligned(headings, widths, right, between))
    cells = [column[1:] for column in columns]
    folded_rows = _folded_rows(cells, widths)
    for row, line in enumerate(aligned(cells, widths, right, between)):
        if row in folded_rows:
            in_lines = _in_lines([column[row] for column in cells], widths)
            yield _stripped(aligned(in_lines, widths, right, between))
        else:
            yield [line.rstrip()]


def _stripped(lines: Iterable[str]) -> list[str]:
    """The lines without blanks at their ends."""
    return [line.rstrip() for line in lines]


def _folded_rows(columns: Sequence[Sequence[str]], widths: Sequence[int]) -> set[int]:
    """The rows with a cell that is wider than its column."""
    rows: set[int] = set()
    for cells, most in zip(columns, widths, strict=True):
        if widest(cells) > most:
            rows.update(row for row, cell in enumerate(cells) if width_of(cell) > most)
    return rows


def _in_lines(cells: Sequence[str], widths: Sequence[int]) -> list[list[str]]:
    """As many lines for each cell of a row.

    >>> _in_lines(["run-1", "1"], [4, 1])
    [['run-', '1'], ['1', '']]
    """
    lines = [folded(cell, most) for cell, most in zip(cells, widths, strict=True)]
    height = max(map(len, lines))
    return [lines_of_cell + [""] * (height - len(lines_of_cell)) for lines_of_cell in lines]


def _without_constant(
    columns: Sequence[Sequence[str]], right: Sequence[bool]
) -> tuple[list[str], Sequence[Sequence[str]], Sequence[bool]]:
    """Lines above a table for the columns of names that have the same cell in all rows, if these
    are several, and the table without them.
    """
    if len(columns[0]) < 3:
        return [], columns, right
    above: list[str] = []
    kept = []
    for number, (heading, *cells) in enumerate(columns):
        is_constant = len(set(cells)) == 1 and heading and not right[number]
        if is_constant and cells[0] and not _is_number(cells[0]):
            above += _beside([f"{heading}:"], width_of(heading) + 1, cells[0])
        else:
            kept.append(number)
    if not above or not kept:
        return [], columns, right
    return [*above, ""], [columns[number] for number in kept], [right[number] for number in kept]


def padded(cell: str, columns: int, is_on_the_right: bool) -> str:
    """A cell with blanks on one side, in so many columns."""
    space = " " * (columns - width_of(cell))
    return space + cell if is_on_the_right else cell + space


def _blocks(columns: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """A block of lines for each row, of a heading and a cell each; empty cells are left out."""
    headings, *rows = zip(*columns, strict=True)
    width_of_headings = min(widest(headings), width() // 2)
    for number, row in enumerate(rows):
        block = []
        if number:
            block.append("")
        for heading, cell in zip(headings, row, strict=True):
            if cell:
                labels = folded(heading, width_of_headings)
                block += _beside(labels, width_of_headings, cell)
        yield block


def _beside(labels: Sequence[str], widest: int, cell: str) -> Iterable[str]:
    """The lines of a label of this width with a cell beside it."""
    cells = folded(cell, width() - widest - NARROW_GAP)
    for place in range(max(len(labels), len(cells))):
        label = labels[place] if place < len(labels) else ""
        text = cells[place] if place < len(cells) else ""
        yield f"{padded(label, widest, False)}{' ' * NARROW_GAP}{text}".rstrip()
