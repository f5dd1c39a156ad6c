"""Tables as lines of text: for people (text, markdown, latex) and for programs (tsv, csv, jsonl)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Row = Sequence[Any]
PLACES = 4


class Whole(int):
    """A whole number that is shown as one, a rank or a count; a measure's value has decimals even then."""


def text(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    """Columns set under one another, numbers to the right.

    >>> print(*text(["run", "AP"], [["bm25", 0.25], ["random", 0.0]]), sep="\\n")
    run         AP
    bm25    0.2500
    random  0.0000
    """
    rows = list(rows)
    for line in _aligned([columns, *_cells(rows, places)], _numeric(rows, len(columns))):
        yield "  ".join(line).rstrip()


def markdown(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    """A table in GitHub's Markdown.

    >>> print(*markdown(["run", "AP"], [["bm25", 0.25]], places=2), sep="\\n")
    | run  |   AP |
    |------|-----:|
    | bm25 | 0.25 |
    """
    rows = list(rows)
    right = _numeric(rows, len(columns))
    lines = [[cell.replace("|", r"\|") for cell in line] for line in ([*columns], *_cells(rows, places))]
    head, *body = _aligned(lines, right)
    yield f"| {' | '.join(head)} |"
    rules = ["-" * (len(cell) + 1) + (":" if right[column] else "-") for column, cell in enumerate(head)]
    yield f"|{'|'.join(rules)}|"
    for line in body:
        yield f"| {' | '.join(line)} |"


def tsv(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    """Fields separated by tabs, under a line of column names.

    >>> list(tsv(["run", "AP"], [["bm25", 0.25]], places=-1))
    ['run\\tAP', 'bm25\\t0.25']
    """
    for line in ([*columns], *_cells(rows, places)):
        yield "\t".join(line)


def comma_separated(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    """Fields separated by commas, in quotation marks where they need it, under a line of column names.

    >>> list(comma_separated(["run", "nDCG_JK(b=10,avg=True)"], [["bm25", 0.25]], places=2))
    ['run,"nDCG_JK(b=10,avg=True)"', 'bm25,0.25']
    """
    for line in ([*columns], *_cells(rows, places)):
        written = io.StringIO()
        csv.writer(written, lineterminator="").writerow(line)
        yield written.getvalue()


def latex(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    r"""A tabular for LaTeX, with the rules of its package booktabs.

    >>> print(*latex(["run", "nDCG_JK@10"], [["bm25", 0.25]]), sep="\n")
    \begin{tabular}{lr}
    \toprule
    run  & nDCG\_JK@10 \\
    \midrule
    bm25 &      0.2500 \\
    \bottomrule
    \end{tabular}
    """
    rows = list(rows)
    right = _numeric(rows, len(columns))
    lines = [[cell.translate(_LATEX) for cell in line] for line in ([*columns], *_cells(rows, places))]
    head, *body = (rf"{' & '.join(line)} \\" for line in _aligned(lines, right))
    yield rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in right)}}}"
    yield from [r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]


_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


def jsonl(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    """A JSON object a row, numbers in full.

    >>> list(jsonl(["run", "AP"], [["bm25", 0.25]]))
    ['{"run": "bm25", "AP": 0.25}']
    """
    for row in rows:
        # NaN, the mean over no topic, is not JSON
        yield json.dumps(
            {name: None if cell != cell else cell for name, cell in zip(columns, row)}, default=str
        )


FORMATS: dict[str, Callable[..., Iterator[str]]] = {
    "text": text,
    "tsv": tsv,
    "csv": comma_separated,
    "jsonl": jsonl,
    "markdown": markdown,
    "latex": latex,
}


def _cells(rows: Iterable[Row], places: int) -> Iterator[list[str]]:
    return ([_cell(value, places) for value in row] for row in rows)


def _cell(value: Any, places: int) -> str:
    """`value` as text; `places` decimals for a number, all of them for -1."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Whole):
        return str(int(value))
    return f"{value:.{places}f}" if _is_number(value) and places >= 0 else str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _numeric(rows: Sequence[Row], columns: int) -> list[bool]:
    """Which columns hold numbers."""
    return [any(_is_number(row[column]) for row in rows) for column in range(columns)]


def _aligned(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> list[list[str]]:
    widths = [max(map(len, column)) for column in zip(*lines)]
    return [
        [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right)
        ]
        for line in lines
    ]
