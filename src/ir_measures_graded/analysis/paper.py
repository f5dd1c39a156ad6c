"""The table that papers print: runs × measures with marks and a caption, in LaTeX, Markdown and HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ..core.registry.facts import name_of, sign_of
from ..output.formats import PLACES, clean, escaped_html, escaped_latex, escaped_markdown, sentences
from ..output.result import Result
from ..output.tables import Table

CELL_WIDTH = 24
MANY, FIRST = 20, 10
"""A table of more runs has this number of the best ones."""
STARS = ((0.01, "**"), (0.05, "*"))
"""Table II marks p-values below these limits with these stars."""
Marks = tuple[str, str, str, str]
"""The marks of the best and the second-best value, and of letters above and below a value."""
LATEX: Marks = r"\textbf{%s}", r"\underline{%s}", r"\textsuperscript{%s}", r"\textsubscript{%s}"
HTML: Marks = "<b>%s</b>", "<u>%s</u>", "<sup>%s</sup>", "<sub>%s</sub>"

Win = tuple[Any, Any, Any]
"""The better and the worse run of a significant difference, and its p-value."""


def letters(number: int) -> str:
    """The letters of run `number`, counted from 0: A, B, …, Z, AA, AB, …"""
    return (letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def stars(p: float) -> str:
    """The stars of a p-value in Table II.

    >>> stars(0.003), stars(0.03), stars(0.3)
    ('**', '*', '')
    """
    return next((mark for level, mark in STARS if p < level), "")


def in_order(runs: Sequence[str], measure: Measure, means: np.ndarray) -> list[str]:
    """The runs, sorted from the best mean by a measure to the worst, then those without a mean (NaN)."""
    return [runs[number] for number in np.argsort(-sign_of(measure) * means, kind="stable")]


def beaten_by(run: Any, wins: Iterable[Win], order: Sequence[Any]) -> dict[str, list[Any]]:
    """The runs that a run beats, in this order, grouped by stars.

    >>> beaten_by("C", [("C", "A", 0.001), ("B", "A", 0.02), ("C", "B", 0.04)], "CBA")
    {'**': ['A'], '*': ['B']}
    """
    beaten, place = defaultdict(list), {other: number for number, other in enumerate(order)}
    for _, other, p in sorted((win for win in wins if win[0] == run), key=lambda win: place[win[1]]):
        beaten[stars(p)].append(other)
    return dict(sorted(beaten.items(), reverse=True))


def beaten_cell(run: Any, wins: Iterable[Win], order: Sequence[Any]) -> str:
    """The runs that a run beats, as letters in this order or, where these take too much room, counts."""
    beaten, place = beaten_by(run, wins, order), {other: number for number, other in enumerate(order)}
    named = "; ".join(f"{_spans(map(place.__getitem__, runs))}{mark}" for mark, runs in beaten.items())
    return named if len(named) <= CELL_WIDTH else "; ".join(f"{len(runs)}{m}" for m, runs in beaten.items())


def _spans(numbers: Iterable[int]) -> str:
    """The letters of ascending numbers; three or more successive letters become a span.

    >>> _spans([0, 2, 3, 4, 5, 7, 8])
    'A, C–F, H, I'
    """
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(
        f"{letters(span[0])}–{letters(span[-1])}" if len(span) > 2 else ", ".join(map(letters, span))
        for span in spans
    )


class Head(NamedTuple):
    """The head of a column: its measure with and without parameters, cutoff and better direction."""

    column: int
    label: str
    definition: str
    cutoff: str
    arrow: str


def heads(measures: Sequence[Measure]) -> list[Head]:
    """The columns in the order in which they are printed: measures that differ in the cutoff alone together.

    They share a label, the name of the measure, with a number if several groups have this name.

    >>> from ir_measures import AP, nDCG
    >>> found = heads([nDCG @ 5, AP, nDCG @ 10, nDCG(judged_only=True) @ 5])
    >>> [f"{each.column} {each.label}{each.cutoff}" for each in found]
    ['0 nDCG (1)@5', '2 nDCG (1)@10', '1 AP', '3 nDCG (2)@5']
    """
    columns = defaultdict(list)
    for column, measure in enumerate(measures):
        columns[str(measure).partition("@")[0]].append(column)
    names = [name_of(measures[first]) for first, *_ in columns.values()]
    found = []
    for place, (name, (definition, numbers)) in enumerate(zip(names, columns.items()), 1):
        label = f"{name} ({names[:place].count(name)})" if names.count(name) > 1 else name
        for column in numbers:
            measure = measures[column]
            cutoff, arrow = str(measure).removeprefix(definition), "↓" if sign_of(measure) < 0 else "↑"
            found.append(Head(column, label, definition, cutoff, arrow))
    return found


@dataclass(frozen=True)
class PaperTable:
    """The means of runs by measures (`values`), and which differences between runs are significant.

    A value that is NaN is missing. `wins` has the significant differences by each measure. With
    `references`, the other runs are compared with these only. `about` are the sentences of the caption on
    data and test.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    wins: Sequence[Iterable[Win]]
    references: Sequence[str]
    about: Sequence[str]

    def first(self, top: int | None = None) -> PaperTable:
        """The table of the `top` best runs by the first measure and of the references.

        By default all runs, or the first 10 of more than 20. Letters then stand for these runs alone.
        """
        count = len(self.runs)
        top = (count if count <= MANY else FIRST) if top is None else top
        order = in_order(self.runs, self.measures[0], self.values[:, 0])
        shown = [*order[:top], *(run for run in order[top:] if run in self.references)]
        if len(shown) == count:
            return self
        rows, among = [*map(self.runs.index, shown)], {*shown}
        wins = [[win for win in each if {*win[:2]} <= among] for each in self.wins]
        also = f" and the baseline{'s' * (len(self.references) > 1)}" if len(shown) > top else ""
        note = f"The first {top} of {count} runs by {self.measures[0]}{also}; the others are left out."
        about = [*self.about, note]
        return replace(self, runs=tuple(shown), values=self.values[rows], wins=wins, about=about)

    @cached_property
    def heads(self) -> list[Head]:
        """The columns in the order in which they are printed."""
        return heads(self.measures)

    @property
    def caption(self) -> str:
        """The meaning of the marks, and the test behind them."""
        marks = "Letters mark values significantly better than those of these runs."
        if self.references:
            marks = "values significantly better (above) or worse (below) than"
            named = (f"{run} ({self.letter(self.runs.index(run))})" for run in self.references)
            one = f"The letter a marks {marks} {self.references[0]}."
            marks = one if len(self.references) == 1 else f"Letters mark {marks} {', '.join(named)}."
        second = ", the second-best underlined" if len(self.runs) > 2 else ""
        bold = f"The best values are bold{second}; arrows show the better direction."
        defined = {each.label: each.definition for each in self.heads if each.definition != each.label}
        definitions = (f"{label}: {definition}." for label, definition in defined.items())
        return " ".join([*self.about, bold, marks, *definitions])

    def letter(self, run: int) -> str:
        """The letter of the run with this number; with references, only these have one."""
        lettered = self.references or self.runs
        name = self.runs[run]
        return letters(lettered.index(name)).lower() if name in lettered else ""

    def _column(self, number: int, places: int, marks: Marks) -> list[str]:
        """The printed means by one measure with their marks; equal printed numbers are equally good."""
        best, second, above, below = marks
        second = second if len(self.runs) > 2 else "%s"
        wins = {(better, worse) for better, worse, _ in self.wins[number]}
        printed = [_decimals(mean, places) for mean in self.values[:, number].tolist()]
        better_first = -sign_of(self.measures[number]) * np.array(printed, dtype=float)
        ranks = np.unique(better_first, return_inverse=True)[1].tolist()
        cells = []
        for run, text, rank in zip(self.runs, printed, ranks):
            beaten = (self.letter(place) for place, other in enumerate(self.runs) if (run, other) in wins)
            cell = {0: best, 1: second}.get(rank, "%s") % text
            better = [self.runs.index(other) for other in self.references if (other, run) in wins]
            for mark, names in ((above, [*filter(None, beaten)]), (below, [*map(self.letter, better)])):
                if names:
                    cell += mark % ("," if max(map(len, names)) > 1 else "").join(names)
            cells.append("–" if text == "nan" else cell)
        return cells

    def latex(self, places: int = PLACES) -> str:
        """The table with the rules of booktabs, in an environment with a caption."""
        above, rules, first = ["", ""], [], 3
        for _, columns in groupby(self.heads, attrgetter("definition")):
            head, *others = columns
            width, arrow = 1 + len(others), {"↑": r"$\uparrow$", "↓": r"$\downarrow$"}[head.arrow]
            above.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped_latex(head.label)} {arrow}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
            first += width
        heads = [" & ".join(above) + r" \\"]
        if any(head.cutoff for head in self.heads):
            heads += [" ".join(rules), " & ".join(["", "", *(head.cutoff for head in self.heads)]) + r" \\"]
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escaped_latex(self.caption)}}}",
            rf"\begin{{tabular}}{{l{'l' * (1 + len(self.measures))}}}",
            r"\toprule",
            *heads,
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in self._rows(places, escaped_latex, LATEX)[1:]),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join(lines)

    def markdown(self, places: int = PLACES) -> str:
        """The table in GitHub's Markdown, above its caption."""
        head, *rows = self._rows(places, escaped_markdown, HTML)
        rule = ["---", "---", *["--:"] * len(self.measures)]
        lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
        return "\n".join([*lines, "", escaped_markdown(self.caption)])

    def html(self, places: int = PLACES) -> str:
        """The table in HTML with its caption."""
        head, *rows = self._rows(places, escaped_html, HTML)
        lines = [f"<tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>"]
        lines += [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows]
        return "\n".join(["<table>", f"<caption>{escaped_html(self.caption)}</caption>", *lines, "</table>"])

    def _rows(self, places: int, escaped: Callable[[str], str], marks: Marks) -> list[list[str]]:
        """The names of the columns, then the letter, the name and the values of each run."""
        names = ["", "run", *(f"{head.label}{head.cutoff} {head.arrow}" for head in self.heads)]
        columns = [
            [*map(self.letter, range(len(self.runs)))],
            [*map(escaped, self.runs)],
            *(self._column(head.column, places, marks) for head in self.heads),
        ]
        return [[*map(escaped, names)], *map(list, zip(*columns))]


def _decimals(number: float, places: int) -> str:
    return f"{number:.{places}f}" if places >= 0 else repr(number)


class ComparedRuns(Result, ABC):
    """Runs compared by measures: their order, rows of tables, and the tables that papers print."""

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]

    @abstractmethod
    def papers(self) -> list[PaperTable]:
        """The tables that papers print."""

    @abstractmethod
    def best_first(self, measure: Measure | str) -> list[str]:
        """The runs, sorted from the best mean by one of the measures to the worst."""

    @cached_property
    def order(self) -> list[str]:
        """The runs, sorted from the best by the first measure. A run has its letter of this order in all."""
        return self.best_first(self.measures[0])

    def by_run(
        self,
        columns: Iterable[str],
        cells: Callable[[int, int], list[Any]],
        lettered: bool,
        title: str = "",
        shown: Sequence[Container[str]] = (),
    ) -> Table:
        """A row per measure and run, the best run first, with the `cells` for the numbers of both.

        The runs may be `lettered`. Those `shown` by each measure have a row, by default all.
        """
        letter = {run: [letters(place)] * lettered for place, run in enumerate(self.order)}
        rows = [
            [str(measure), *letter[run], run, *cells(number, self.runs.index(run))]
            for number, measure in enumerate(self.measures)
            for run in self.best_first(measure)
            if not shown or run in shown[number]
        ]
        return Table(["measure", *["letter"] * lettered, "run", *columns], rows, title)

    def to_latex(self, places: int = PLACES, comments: Iterable[str] = (), top: int | None = None) -> str:
        """The tables that papers print in LaTeX, which needs the package booktabs.

        The best mean of each measure is bold, the second-best of more than two underlined. Letters mark
        significant differences, and the caption names the test. `comments` stand above as LaTeX comments.
        The tables have the `top` best runs by the first measure and the baselines; by default all runs, or
        the first 10 of more than 20.
        """
        first, *others = (each.first(top).latex(places) for each in self.papers())
        above, below = ([f"% {clean(line)}" for line in lines] for lines in (comments, self.notes()))
        return "\n\n".join(["\n".join([*above, first, *below]), *others])

    def to_markdown(self, places: int = PLACES, top: int | None = None) -> str:
        """The same tables in Markdown."""
        tables = (each.first(top).markdown(places) for each in self.papers())
        return "\n\n".join([*sentences("markdown", self.answer()[:1]), *tables])

    def to_html(self, places: int = PLACES, comments: Iterable[str] = (), top: int | None = None) -> str:
        """The same tables in HTML."""
        above = [f"<!-- {escaped_html(line).replace('--', '- -')} -->" for line in comments]
        told = [f"<p>{escaped_html(line)}</p>" for line in self.answer()[:1]]
        return "\n".join([*above, *told, *(each.first(top).html(places) for each in self.papers())])
