"""The table that papers print: runs × measures with marks and a caption, in LaTeX, Markdown and HTML."""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from ir_measures import Measure

from ..output.formats import PLACES, escaped_latex, escaped_markdown
from ..output.result import Result
from ..registry.facts import sign_of

CELL_WIDTH = 24
STARS = ((0.01, "**"), (0.05, "*"))
"""Table II marks p-values below these limits with these stars."""
LATEX = r"\textbf{%s}", r"\underline{%s}", r"\textsuperscript{%s}", r"\textsubscript{%s}"
HTML = "<b>%s</b>", "<u>%s</u>", "<sup>%s</sup>", "<sub>%s</sub>"
"""The marks of the best and the second-best value, and of letters above and below a value."""

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


def beaten_by(run: Any, wins: Iterable[Win], order: Sequence[Any]) -> dict[str, list[Any]]:
    """The runs that a run beats, in this order, grouped by stars.

    >>> beaten_by("C", [("C", "A", 0.001), ("B", "A", 0.02), ("C", "B", 0.04)], "CBA")
    {'**': ['A'], '*': ['B']}
    """
    beaten = defaultdict(list)
    for _, other, p in sorted((win for win in wins if win[0] == run), key=lambda win: order.index(win[1])):
        beaten[stars(p)].append(other)
    return dict(sorted(beaten.items(), reverse=True))


def beaten_cell(run: Any, wins: Iterable[Win], order: Sequence[Any]) -> str:
    """The runs that a run beats, as letters in this order or, where these take too much room, counts."""
    beaten = beaten_by(run, wins, order)
    named = "; ".join(f"{_spans(map(order.index, runs))}{mark}" for mark, runs in beaten.items())
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


@dataclass(frozen=True)
class Group:
    """Columns of one measure with several cutoffs. `definition` is its measure string without a cutoff."""

    label: str
    definition: str
    columns: tuple[int, ...]
    cutoffs: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """A printed mean, and the letters of the runs than which it is significantly better and worse."""

    text: str
    best: bool
    second: bool
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()


def groups(measures: Sequence[Measure]) -> list[Group]:
    """The measures, those that differ in the cutoff alone together.

    A group is labelled with the name of its measure, and with a number if several groups have this name.

    >>> from ir_measures import AP, nDCG
    >>> for each in groups([nDCG @ 5, AP, nDCG @ 10, nDCG(judged_only=True) @ 5]):
    ...     print(each.label, each.cutoffs)
    nDCG (1) ('@5', '@10')
    AP ('',)
    nDCG (2) ('@5',)
    """
    columns: dict[str, list[int]] = {}
    for number, measure in enumerate(measures):
        columns.setdefault(str(measure).partition("@")[0], []).append(number)
    names = [measures[numbers[0]].NAME for numbers in columns.values()]
    found = []
    for place, (definition, numbers) in enumerate(columns.items()):
        name = names[place]
        label = f"{name} ({names[: place + 1].count(name)})" if names.count(name) > 1 else name
        cutoffs = tuple(str(measures[number]).removeprefix(definition) for number in numbers)
        found.append(Group(label, definition, tuple(numbers), cutoffs))
    return found


@dataclass(frozen=True)
class PaperTable:
    """The means of runs by measures (`values`), and which differences between runs are significant.

    A value that is NaN is missing. `wins` has the pairs of a better and a worse run for each measure. With a
    `reference`, all pairs contain this run. `about` are the sentences of the caption on data and test.
    `spread` has the standard deviations to print beside the means, unless they are NaN.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    wins: Sequence[Collection[tuple[str, str]]]
    reference: str | None
    about: Sequence[str]
    spread: np.ndarray | None = None

    @cached_property
    def groups(self) -> list[Group]:
        """The columns in the order in which they are printed."""
        return groups(self.measures)

    @property
    def caption(self) -> str:
        """The meaning of the marks, and the test behind them."""
        marks = (
            "Letters mark values significantly better than those of these runs."
            if self.reference is None
            else "The letter a marks values significantly better (above) or worse (below) than "
            f"{self.reference}."
        )
        bold = "The best values are bold, the second-best underlined; arrows show the better direction."
        defined = (each for each in self.groups if each.definition != each.label)
        return " ".join(
            [*self.about, bold, marks, *(f"{each.label}: {each.definition}." for each in defined)]
        )

    def letter(self, run: int) -> str:
        """The letter of the run with this number; with a reference, only this run has one."""
        if self.reference is None:
            return letters(run).lower()
        return "a" * (self.runs[run] == self.reference)

    def cells(self, places: int = PLACES) -> list[list[Cell]]:
        """The means of each run (rows) by each measure (columns), with their marks.

        Equal printed numbers are equally good.
        """
        columns = [self._column(number, places) for number in range(len(self.measures))]
        return [list(row) for row in zip(*columns)]

    def _column(self, number: int, places: int) -> list[Cell]:
        wins = self.wins[number]
        printed = [_decimals(mean, places) for mean in self.values[:, number].tolist()]
        better_first = -sign_of(self.measures[number]) * np.array(printed, dtype=float)
        ranks = np.unique(better_first, return_inverse=True)[1].tolist()
        if self.spread is not None:
            deviations = (_decimals(each, places) for each in self.spread[:, number].tolist())
            printed = [f"{mean} ± {each}".removesuffix(" ± nan") for mean, each in zip(printed, deviations)]
        cells = []
        for run, text, rank in zip(self.runs, printed, ranks):
            beaten = (self.letter(place) for place, other in enumerate(self.runs) if (run, other) in wins)
            worse = ("a",) if (self.reference, run) in wins else ()
            cell = Cell(text, rank == 0, rank == 1, tuple(filter(None, beaten)), worse)
            cells.append(Cell("–", False, False) if text == "nan" else cell)
        return cells

    def latex(self, places: int = PLACES, comments: Iterable[str] = (), notes: Iterable[str] = ()) -> str:
        """The table with the rules of booktabs, in an environment with a caption, between comments."""
        above, rules, below = ["", ""], [], ["", ""]
        for each in self.groups:
            start, width = len(below) + 1, len(each.columns)
            arrow = {1: r"$\uparrow$", -1: r"$\downarrow$"}[sign_of(self.measures[each.columns[0]])]
            above.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped_latex(each.label)} {arrow}}}")
            rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
            below += each.cutoffs
        heads = [" & ".join(above) + r" \\"]
        if any(below):
            heads += [" ".join(rules), " & ".join(below) + r" \\"]
        lines = [
            *(f"% {' '.join(line.split())}" for line in comments),
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escaped_latex(self.caption)}}}",
            rf"\begin{{tabular}}{{l{'l' * (1 + len(self.measures))}}}",
            r"\toprule",
            *heads,
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in self._rows(places, escaped_latex, LATEX)),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            *(f"% {line}" for line in notes),
        ]
        return "\n".join(lines)

    def markdown(self, places: int = PLACES) -> str:
        """The table in GitHub's Markdown, above its caption."""
        head = ["", "run", *map(escaped_markdown, self._head())]
        rule = ["---", "---", *["--:"] * len(self.measures)]
        rows = [head, rule, *self._rows(places, escaped_markdown, HTML)]
        return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", escaped_markdown(self.caption)])

    def html(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The table in HTML with its caption, below comments."""
        rows = [f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in ('', 'run', *self._head()))}</tr>"]
        for row in self._rows(places, escape, HTML):
            rows.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>")
        told = [f"<!-- {escape(line).replace('--', '- -')} -->" for line in comments]
        return "\n".join([*told, "<table>", f"<caption>{escape(self.caption)}</caption>", *rows, "</table>"])

    def _head(self) -> list[str]:
        """The name of each column with an arrow."""
        return [
            f"{each.label}{cutoff} {'↑' if sign_of(self.measures[column]) > 0 else '↓'}"
            for each in self.groups
            for column, cutoff in zip(each.columns, each.cutoffs)
        ]

    def _rows(self, places: int, escaped: Callable[[str], str], marks: Sequence[str]) -> list[list[str]]:
        """Each run: its letter, its name, and its cells."""
        order = [column for each in self.groups for column in each.columns]
        return [
            [self.letter(number), escaped(run), *(_marked(row[column], *marks) for column in order)]
            for number, (run, row) in enumerate(zip(self.runs, self.cells(places)))
        ]


def _decimals(number: float, places: int) -> str:
    return f"{number:.{places}f}" if places >= 0 else repr(number)


def _marked(cell: Cell, best: str, second: str, above: str, below: str) -> str:
    """A cell with its marks; letters have no commas if each is a single one."""
    text = best % cell.text if cell.best else second % cell.text if cell.second else cell.text
    for mark, names in ((above, cell.better), (below, cell.worse)):
        if names:
            text += mark % ("" if all(len(name) == 1 for name in names) else ",").join(names)
    return text


class InPapers(Result):
    """A result with tables that papers print."""

    @abstractmethod
    def papers(self) -> list[PaperTable]:
        """The tables that papers print."""

    def to_latex(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The tables that papers print in LaTeX, which needs the package booktabs.

        The best mean of each measure is bold, the second-best underlined. Letters mark significant
        differences, and the caption names the test. `comments` stand above as LaTeX comments.
        """
        first, *others = self.papers()
        tables = [first.latex(places, comments, self.notes()), *(each.latex(places) for each in others)]
        return "\n\n".join(tables)

    def to_markdown(self, places: int = PLACES) -> str:
        """The same tables in Markdown."""
        return "\n\n".join(each.markdown(places) for each in self.papers())

    def to_html(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The same tables in HTML."""
        first, *others = self.papers()
        return "\n".join([first.html(places, comments), *(each.html(places) for each in others)])
