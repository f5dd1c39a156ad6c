"""The table that papers print: runs × measures with marks and a caption, in LaTeX, Markdown and
HTML."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import name_of, sign_of
from ...output.formats import PLACES, escaped_html, escaped_latex, escaped_markdown

Marks = tuple[str, str, str, str]
"""The marks of the best and the second-best value, and of letters above and below a value."""
LATEX: Marks = r"\textbf{%s}", r"\underline{%s}", r"\textsuperscript{%s}", r"\textsubscript{%s}"
HTML: Marks = "<b>%s</b>", "<u>%s</u>", "<sup>%s</sup>", "<sub>%s</sub>"


def letters(number: int) -> str:
    """The letters of run `number`, counted from 0: A, B, …, Z, AA, AB, …"""
    return (letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def labels(measures: Sequence[Measure]) -> list[str]:
    """The name and the cutoff of each measure, or the whole measure string if several agree in
    both.

    >>> from ir_measures import AP, nDCG
    >>> labels([nDCG(judged_only=True) @ 5, AP(rel=2), nDCG(judged_only=True) @ 10, nDCG @ 10])
    ['nDCG@5', 'AP', 'nDCG(judged_only=True)@10', 'nDCG@10']
    """
    short = [name_of(measure) + "".join(str(measure).partition("@")[1:]) for measure in measures]
    return [
        name if short.count(name) == 1 else str(measure)
        for name, measure in zip(short, measures, strict=True)
    ]


@dataclass(frozen=True)
class PaperTable:
    """The means of runs by measures (`values`), and which differences between runs are significant.

    A value that is NaN is missing. `wins` has the better and the worse run of the significant
    differences by each measure. With a `baseline`, the other runs are compared with this one only.
    `about` are the sentences of the caption on data and test.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    wins: Sequence[Collection[tuple[str, str]]]
    baseline: str | None
    about: Sequence[str]

    @property
    def caption(self) -> str:
        """The meaning of the marks, and the test behind them."""
        marks = "Letters mark values significantly better than those of these runs."
        if self.baseline:
            worse = f"better (above) or worse (below) than {self.baseline}."
            marks = f"The letter a marks values significantly {worse}"
        second = ", the second-best underlined" if len(self.runs) > 2 else ""
        bold = f"The best values are bold{second}; arrows show the better direction."
        named = zip(labels(self.measures), map(str, self.measures), strict=True)
        definitions = (f"{label}: {measure}." for label, measure in named if label != measure)
        return " ".join([*self.about, bold, marks, *definitions])

    @property
    def letters(self) -> dict[str, str]:
        """The letter of each run; with a baseline, only this has one."""
        if self.baseline:
            return dict.fromkeys(self.runs, "") | {self.baseline: "a"}
        return {run: letters(number).lower() for number, run in enumerate(self.runs)}

    def _column(self, number: int, places: int, marks: Marks) -> list[str]:
        """The printed means by one measure with their marks; equal printed numbers are equally
        good."""
        best, second, above, below = marks
        second = second if len(self.runs) > 2 else "%s"
        means = self.values[:, number].tolist()
        printed = [f"{mean:.{places}f}" if places >= 0 else repr(mean) for mean in means]
        better_first = -sign_of(self.measures[number]) * np.array(printed, dtype=float)
        ranks = np.unique(better_first, return_inverse=True)[1].tolist()
        cells, named = [], self.letters
        for run, text, rank in zip(self.runs, printed, ranks, strict=True):
            beaten = [
                letter
                for other, letter in named.items()
                if letter and (run, other) in self.wins[number]
            ]
            cell = {0: best, 1: second}.get(rank, "%s") % text
            if beaten:
                cell += above % ("," if max(map(len, beaten)) > 1 else "").join(beaten)
            if self.baseline and (self.baseline, run) in self.wins[number]:
                cell += below % "a"
            cells.append("–" if text == "nan" else cell)
        return cells

    def latex(self, places: int = PLACES) -> str:
        """The table with the rules of booktabs, in an environment with a caption."""
        head, *rows = self._rows(places, escaped_latex, LATEX)
        head = [name.replace("↑", r"$\uparrow$").replace("↓", r"$\downarrow$") for name in head]
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escaped_latex(self.caption)}}}",
            rf"\begin{{tabular}}{{l{'l' * (1 + len(self.measures))}}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows),
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
        return "\n".join(
            ["<table>", f"<caption>{escaped_html(self.caption)}</caption>", *lines, "</table>"]
        )

    def _rows(self, places: int, escaped: Callable[[str], str], marks: Marks) -> list[list[str]]:
        """The names of the columns, then the letter, the name and the values of each run."""
        arrows = ("↓" if sign_of(measure) < 0 else "↑" for measure in self.measures)
        names = ["", "run", *map(" ".join, zip(labels(self.measures), arrows, strict=True))]
        columns = [
            [*self.letters.values()],
            [*map(escaped, self.runs)],
            *(self._column(number, places, marks) for number in range(len(self.measures))),
        ]
        return [[*map(escaped, names)], *map(list, zip(*columns, strict=True))]
