"""The table that papers print: runs × measures with marks and a caption, in LaTeX, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

import numpy as np
from ir_measures import Measure

from ..output.formats import PLACES, escaped_latex, escaped_markdown
from ..registry.facts import sign_of


def letters(number: int) -> str:
    """The letters of run `number`, counted from 0: A, B, …, Z, AA, AB, …"""
    return (letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


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

    A value that is NaN is missing. `wins` has the pairs of a better and a worse run for each measure, as
    indices of `runs`. With a `reference`, all pairs contain this run. `about` are the sentences of the
    caption on data and test. `spread` has, for each measure, the standard deviations to print beside the
    means.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    wins: Sequence[Sequence[tuple[int, int]]]
    reference: int | None
    about: tuple[str, ...]
    spread: Sequence[Sequence[float | None]] | None = None

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
            f"{self.runs[self.reference]}."
        )
        bold = "The best values are bold, the second-best underlined; arrows show the better direction."
        defined = (each for each in self.groups if each.definition != each.label)
        return " ".join(
            [*self.about, bold, marks, *(f"{each.label}: {each.definition}." for each in defined)]
        )

    def letter(self, run: int) -> str:
        """The letter of a run; with a reference, only this run has one."""
        if self.reference is None:
            return letters(run).lower()
        return "a" if run == self.reference else ""

    def cells(self, places: int = PLACES) -> list[list[Cell]]:
        """The means of each run (rows) by each measure (columns), with their marks.

        Equal printed numbers are equally good.
        """
        return [
            list(row) for row in zip(*(self._column(number, places) for number in range(len(self.measures))))
        ]

    def _column(self, number: int, places: int) -> list[Cell]:
        means, wins = self.values[:, number].tolist(), self.wins[number]
        printed = [f"{mean:.{places}f}" if places >= 0 else repr(mean) for mean in means]
        sign = sign_of(self.measures[number])
        ranks = np.unique(-sign * np.array(printed, dtype=float), return_inverse=True)[1].tolist()
        for run, deviation in enumerate(self.spread[number] if self.spread else ()):
            if deviation is not None:
                printed[run] += f" ± {deviation:.{places}f}" if places >= 0 else f" ± {deviation!r}"
        return [
            Cell(text, rank == 0, rank == 1, self._beaten(run, wins), self._beaten_by_reference(run, wins))
            if text != "nan"
            else Cell("–", False, False)
            for run, (text, rank) in enumerate(zip(printed, ranks))
        ]

    def _beaten(self, run: int, wins: Sequence[tuple[int, int]]) -> tuple[str, ...]:
        beaten = (self.letter(worse) for better, worse in sorted(wins) if better == run)
        return tuple(filter(None, beaten))

    def _beaten_by_reference(self, run: int, wins: Sequence[tuple[int, int]]) -> tuple[str, ...]:
        return () if self.reference is None or (self.reference, run) not in wins else ("a",)

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
            *(" & ".join(row) + r" \\" for row in self._rows(places, escaped_latex, _in_latex)),
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
        rows = [head, rule, *self._rows(places, escaped_markdown, _in_html)]
        return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", escaped_markdown(self.caption)])

    def html(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The table in HTML with its caption, below comments."""
        rows = [f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in ('', 'run', *self._head()))}</tr>"]
        for row in self._rows(places, escape, _in_html):
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

    def _rows(
        self, places: int, escaped: Callable[[str], str], printed: Callable[[Cell], str]
    ) -> list[list[str]]:
        """Each run: its letter, its name, and its cells."""
        order = [column for each in self.groups for column in each.columns]
        return [
            [self.letter(number), escaped(run), *(printed(row[column]) for column in order)]
            for number, (run, row) in enumerate(zip(self.runs, self.cells(places)))
        ]


def _joined(names: Sequence[str]) -> str:
    """Letters without commas, if each is a single one."""
    return ("" if all(len(name) == 1 for name in names) else ",").join(names)


def _in_latex(cell: Cell) -> str:
    text = rf"\textbf{{{cell.text}}}" if cell.best else cell.text
    text = rf"\underline{{{text}}}" if cell.second else text
    for command, names in (("textsuperscript", cell.better), ("textsubscript", cell.worse)):
        text += f"\\{command}{{{_joined(names)}}}" if names else ""
    return text


def _in_html(cell: Cell) -> str:
    text = f"<b>{cell.text}</b>" if cell.best else f"<u>{cell.text}</u>" if cell.second else cell.text
    for tag, names in (("sup", cell.better), ("sub", cell.worse)):
        text += f"<{tag}>{_joined(names)}</{tag}>" if names else ""
    return text
