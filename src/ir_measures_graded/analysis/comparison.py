"""The result of a comparison: tests, tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ..evaluation.evaluate import sign_of
from ..output import plots
from ..output.cells import INCHES, draw_cells
from ..output.formats import Table, counted, listed, text
from ..output.result import Result
from ..registry.notation import parse_measures
from .intervals import KINDS, STUDENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FRIEDMAN: Final = "Friedman"
CONOVER: Final = "Conover"
ANOVA_RUNS: Final = "ANOVA: runs"
ANOVA_TOPICS: Final = "ANOVA: topics"
TUKEY_HSD: Final = "Tukey HSD"
PAIRED_T: Final = "paired t"
WILCOXON: Final = "Wilcoxon"

OMNIBUS = ("Friedman p", "ANOVA p")
WIDTH = 120
"""The default table has at most this many columns of text, unless names are very long."""
MEASURE_WIDTH, NARROW_MEASURE_WIDTH, CELL_WIDTH = 40, 22, 16
LARGEST_CELL, SMALLEST_CELL = 0.3, 0.1
MINIMAL_SIDE = 7
"""A panel has room for at least this many runs, so that its title fits."""
ACROSS = 3
STARS = ((0.01, "**"), (0.05, "*"))
"""Table II marks p-values below these limits with these stars."""


class PValue(float):
    """A p-value; formatted as text, a small one is not rounded to 0.

    >>> f"{PValue(0.0312):.3f}, {PValue(0.0000312):.3f}"
    '0.031, 3.1e-05'
    """

    def __format__(self, spec: str) -> str:
        text = super().__format__(spec)
        return text if float(text) or not float(self) else super().__format__(".1e")


@dataclass(frozen=True)
class Test:
    """A significance test of one measure's values.

    `run` and `other` are the two runs compared; both are None in a test of all runs. `better` is the run
    that the test favours, significant or not. `difference` is the mean of `run` minus the mean of `other`,
    `effect_size` is Cohen's d_z. `statistic` and `p` are None if they are undefined or the library does not
    return them; `note` gives the reason. `adjusted` is p with Holm's correction, in tests against a baseline.
    `lower` and `upper` bound the difference with confidence 1 − alpha, without a correction for the number
    of runs. `detectable` is the smallest true difference that the paired t-test finds with probability .8.
    """

    __test__ = False  # tells pytest that this class is not a test

    measure: Measure
    test: str
    run: str | None = None
    other: str | None = None
    better: str | None = None
    difference: float | None = None
    effect_size: float | None = None
    statistic: float | None = None
    p: float | None = None
    adjusted: float | None = None
    lower: float | None = None
    upper: float | None = None
    detectable: float | None = None
    note: str = ""

    @property
    def decisive(self) -> float:
        """The adjusted p-value, or the p-value without a correction; 1 if undefined."""
        found = self.p if self.adjusted is None else self.adjusted
        return 1.0 if found is None else found


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Means of several runs over the topics, and significance tests of their differences.

    The first of two runs serves as the baseline if none is given.

    `means` and `ranks` are arrays (runs × measures); `ranks` holds each run's mean rank over the topics,
    1 for the best. `tests` holds all tests. `interval` is the method of the confidence intervals.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: int
    means: np.ndarray
    ranks: np.ndarray
    tests: tuple[Test, ...]
    baseline: str | None
    alpha: float
    permutations: int
    seed: int
    interval: str = STUDENT

    def find(self, measure: Measure | str, test: str) -> list[Test]:
        """All tests of this name for one of the measures."""
        return [*self._found.get(self._measure(measure), {}).get(test, ())]

    def _measure(self, measure: Measure | str) -> Measure:
        return measure if isinstance(measure, Measure) else parse_measures(measure)[0]

    @cached_property
    def _found(self) -> dict[Measure, dict[str, list[Test]]]:
        found: dict[Measure, dict[str, list[Test]]] = {measure: {} for measure in self.measures}
        for test in self.tests:
            found[test.measure].setdefault(test.test, []).append(test)
        return found

    @property
    def reference(self) -> str | None:
        """The run that the paired tests compare the others with, if any."""
        return reference_of(self.runs, self.baseline)

    def statement(self, measure: Measure | str, test: str = CONOVER) -> str:
        """The significant differences that a pairwise test finds, as in Table II: ``D, E > A**``.

        Runs that beat the same runs at the same level are joined; ** is p < 0.01, * is p < 0.05. The sign
        compares values and is < if smaller values are better. The statement is empty if nothing is
        significant.
        """
        sign = "<" if sign_of(self._measure(measure)) < 0 else ">"
        winners: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for run in self.best_first(measure):
            for stars, beaten in self.beaten(measure, test, run).items():
                winners.setdefault((stars, tuple(beaten)), []).append(run)
        return "; ".join(
            f"{', '.join(runs)} {sign} {', '.join(beaten)}{stars}"
            for (stars, beaten), runs in winners.items()
        )

    def beaten(self, measure: Measure | str, test: str, run: str) -> dict[str, list[str]]:
        """The runs that `run` beats in a pairwise test, grouped by stars."""
        beaten = {
            other: stars(found.decisive)
            for found in self.find(measure, test)
            for other in (found.run, found.other)
            if found.better == run != other and found.decisive < self.alpha
        }
        order = [other for other in self.best_first(measure) if other in beaten]
        return {
            mark: [other for other in order if beaten[other] == mark]
            for mark in sorted(set(beaten.values()), reverse=True)
        }

    def best_first(self, measure: Measure | str) -> list[str]:
        """The runs, sorted from the best mean by one of the measures to the worst."""
        measure = self._measure(measure)
        means = self.means[:, self.measures.index(measure)]
        order = np.argsort(-sign_of(measure) * means, kind="stable")
        return [self.runs[number] for number in order]

    def pairwise(self) -> tuple[str, ...]:
        """The names of the pairwise tests."""
        return (CONOVER, TUKEY_HSD, *((PAIRED_T, WILCOXON) if self.reference is not None else ()))

    @property
    def summary(self) -> str:
        """The compared runs and measures in one line."""
        runs, topics = counted(len(self.runs), "run"), counted(self.topics, "topic")
        against = f", baseline {self.baseline}" if self.baseline else ""
        return f"{runs} by {listed(self.measures)} over {topics}{against}"

    def table(self) -> Table:
        """Column names and rows of the table that suits the number of runs.

        The choice is `table_against` for two runs or a baseline, else `table_by_measure` if it has at most
        120 columns of text, else `table_by_run`.
        """
        if self.reference is not None:
            return self.table_against()
        table = self.table_by_measure()
        return table if max(map(len, text(*table))) <= WIDTH else self.table_by_run()

    def table_against(self) -> Table:
        """Column names and rows: the difference of each run from the baseline, best run first.

        A row has the mean, the difference with its interval, the effect size, the smallest detectable
        difference (MDE), and the p-values of the paired t-test and Wilcoxon's test with Holm's correction.
        Requires a baseline or two runs.
        """
        columns = [
            "measure",
            "run",
            "mean",
            "difference",
            "lower",
            "upper",
            "d_z",
            "MDE",
            "t p",
            "Wilcoxon p",
        ]
        rows: list[list[Any]] = []
        for measure in self.measures:
            tests = {name: self._against(measure, name) for name in (PAIRED_T, WILCOXON)}
            block: list[list[Any]] = []
            for run in self.best_first(measure):
                if run == self.reference:
                    block.append([run, self._mean(measure, run), "baseline", *[None] * 6])
                else:
                    paired = tests[PAIRED_T][run]
                    p_values = [PValue(tests[name][run].decisive) for name in tests]
                    difference = [paired.difference, paired.lower, paired.upper]
                    difference += [paired.effect_size, paired.detectable]
                    block.append([run, self._mean(measure, run), *difference, *p_values])
            rows += self._under_the_measure(measure, block, NARROW_MEASURE_WIDTH)
        return columns, rows

    def _against(self, measure: Measure, name: str) -> dict[str | None, Test]:
        """The paired test of each run against the baseline."""
        return {test.run: test for test in self.find(measure, name)}

    def _mean(self, measure: Measure, run: str) -> float:
        return float(self.means[self.runs.index(run), self.measures.index(measure)])

    def _under_the_measure(
        self, measure: Measure, block: list[list[Any]], width: int = MEASURE_WIDTH
    ) -> list[list[Any]]:
        """Rows with a first column of the measure and the p-values of the tests of all runs."""
        lines = plots.title(measure, width).split("\n")
        for name, found in zip(OMNIBUS, self._omnibus(measure)):
            note = f"{name.removesuffix(' p')} {found}" if isinstance(found, str) else f"{name} {found:.4f}"
            lines += plots.title(note, width).split("\n")
        empty = [[None] * len(block[0])] * (len(lines) - len(block))
        lines += [""] * (len(block) - len(lines))
        return [[line, *row] for line, row in zip(lines, block + empty)]

    def table_by_measure(self) -> Table:
        """Column names and rows as in Table II: one row per measure with means and statements."""
        columns = ["measure", *self.runs, *OMNIBUS, *self.pairwise()]
        rows = [
            [
                str(measure),
                *means,
                *self._omnibus(measure),
                *(self.statement(measure, test) for test in self.pairwise()),
            ]
            for measure, means in zip(self.measures, self.means.T.tolist())
        ]
        return columns, rows

    def table_by_run(self) -> Table:
        """Column names and rows: one row per measure and run, sorted from the best run to the worst.

        The runs of each measure have letters from A. The column of a test holds the letters of the runs that
        this run beats, with stars, or the number of these runs if there are too many letters.
        """
        columns = ["measure", "", "run", "mean", "mean rank", *self.pairwise()]
        rows: list[list[Any]] = []
        for column, measure in enumerate(self.measures):
            order, block = self.best_first(measure), []
            for number, run in enumerate(order):
                rank = float(self.ranks[self.runs.index(run), column])
                beaten = (self.beaten(measure, test, run) for test in self.pairwise())
                cells = [_beaten_cell(found, order) for found in beaten]
                block.append([letters(number), run, self._mean(measure, run), rank, *cells])
            rows += self._under_the_measure(measure, block)
        return columns, rows

    def _omnibus(self, measure: Measure) -> list[float | str]:
        """The p-values of the tests of all runs, or the reason why a test is undefined."""
        outcomes = [self.find(measure, test)[0] for test in (FRIEDMAN, ANOVA_RUNS)]
        return [outcome.note if outcome.p is None else PValue(outcome.p) for outcome in outcomes]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per mean and mean rank, then one per test."""
        empty = dict.fromkeys(field.name for field in fields(Test))
        rows = [
            {**empty, "measure": str(measure), "test": kind, "run": run, "statistic": value, "note": ""}
            for kind, table in (("mean", self.means), ("mean rank", self.ranks))
            for measure, column in zip(self.measures, table.T.tolist())
            for run, value in zip(self.runs, column)
        ]
        for test in self.tests:
            p_values = {
                name: value if value is None else PValue(value)
                for name, value in (("p", test.p), ("adjusted", test.adjusted))
            }
            rows.append({**asdict(test), **p_values, "measure": str(test.measure)})
        return rows

    def figure(self) -> Figure:
        """Draw `differences` for two runs or a baseline, else `significant_pairs`."""
        return self.significant_pairs() if self.reference is None else self.differences()

    @plots.styled
    def differences(self) -> Figure:
        """Draw the difference of each run from the baseline with its confidence interval.

        There is one panel per measure; the best runs by the first measure are on top. A marker is filled if
        the paired t-test with Holm's correction is significant. Requires a baseline or two runs. Raises
        `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        runs = [run for run in self.best_first(self.measures[0]) if run != self.reference]
        names, styles = INCHES * max(map(len, runs)), plots.run_styles(self.runs)
        height = 0.24 * len(runs) + 1.5
        across = plots.across(len(self.measures), height, ACROSS)
        width = min(4.0, max(2.2, (plots.PAGE[0] - names) / across))
        figure = plots.new_figure(width * across + names, height * -(-len(self.measures) // across))
        for axes, measure in zip(
            plots.panels(figure, len(self.measures), across, sharey=True), self.measures
        ):
            tests = self._against(measure, PAIRED_T)
            for place, run in enumerate(runs):
                test, style = tests[run], styles[run]
                fill = style["color"] if test.decisive < self.alpha else "white"
                interval = np.array([test.lower, test.upper], dtype=float)
                axes.plot(interval, [place, place], color=style["color"])
                axes.plot(float(test.difference or 0), place, **style, markerfacecolor=fill, label=run)
            axes.axvline(0, color=plots.GREY, linewidth=1.0)
            axes.set_yticks(range(len(runs)), runs)
            axes.set_ylim(len(runs) - 0.5, -0.5)
            axes.tick_params(axis="y", length=0)
            better = "\nsmaller is better" if sign_of(measure) < 0 else ""
            axes.set_title(plots.title(measure, width=32), size=10)
            axes.set_xlabel(f"Difference from {self.reference}{better}")
        figure.suptitle(
            f"Mean differences and {100 * (1 - self.alpha):g} % intervals ({KINDS[self.interval]})\n"
            f"filled: p < {self.alpha:g} with Holm's correction",
            x=0.01, ha="left", size=9,
        )  # fmt: skip
        return figure

    @plots.styled
    def significant_pairs(self) -> Figure:
        """Draw the significant differences of each pair of runs, one panel per measure.

        Runs are sorted from the best mean to the worst and have letters. The shade and the stars of a cell
        show the significance of Conover's test (above the diagonal) or Tukey HSD (below). Raises
        `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        across, cell = self._grid()
        figure = plots.new_figure(*self._size(across, cell))
        figure.set_layout_engine("compressed")  # keeps the cells square
        for axes, measure in zip(plots.panels(figure, len(self.measures), across), self.measures):
            self._draw(axes, measure, size=min(9.0, 55 * cell))
        return figure

    def _grid(self) -> tuple[int, float]:
        """The number of panels side by side that allows the largest cells on a page, and their size."""
        found = []
        for across in range(1, len(self.measures) + 1):
            width, height = self._size(across, cell=0)
            count = len(self.runs)
            down = -(-len(self.measures) // across)
            room = min((plots.PAGE[0] - width) / across, (plots.PAGE[1] - height) / down) / count
            cell = min(max(room, SMALLEST_CELL), LARGEST_CELL)
            found.append((-cell, max(self._size(across, cell)), across))
        cell, _, across = min(found)
        return across, -cell

    def _size(self, across: int, cell: float) -> tuple[float, float]:
        """The width and height of the figure in inches."""
        names = INCHES * (max(map(len, self.runs)) + 5)
        side, down = cell * max(len(self.runs), MINIMAL_SIDE), -(-len(self.measures) // across)
        return (side + names) * across, (side + 1.2) * down

    def _draw(self, axes: Axes, measure: Measure, size: float) -> None:
        order = self.best_first(measure)
        shades = np.full((len(order), len(order)), np.nan)
        texts = {}
        for found in (*self.find(measure, CONOVER), *self.find(measure, TUKEY_HSD)):
            if found.decisive < self.alpha:
                first, second = sorted(map(order.index, (str(found.run), str(found.other))))
                cell = (first, second) if found.test == CONOVER else (second, first)
                contrary = "<" if found.better == order[second] else ""  # ranks can contradict means
                texts[cell] = contrary + stars(found.decisive)
                shades[cell] = 1 + (found.decisive < STARS[0][0])
        label = list(map(letters, range(len(order))))
        draw_cells(
            axes, shades, texts, [f"{run}  {letter:>2}" for run, letter in zip(order, label)], label, size
        )
        axes.plot([-0.5, len(order) - 0.5], [-0.5, len(order) - 0.5], color=plots.GREY, linewidth=0.8)
        friedman = self.find(measure, FRIEDMAN)[0]
        p_value = "undefined" if friedman.p is None else f"p = {friedman.p:.2g}"
        axes.set_title(
            f"{plots.title(measure, width=36)}\nFriedman: {p_value}",
            loc="right",
            size=10,
        )
        axes.set_xlabel("above: Conover, below: Tukey HSD\n** p < 0.01, * p < 0.05", loc="right", size=9)


def reference_of(runs: Sequence[str], baseline: str | None) -> str | None:
    """The baseline or, without one, the first of two runs."""
    return runs[0] if baseline is None and len(runs) == 2 else baseline


def stars(p: float) -> str:
    """The stars of a p-value in Table II.

    >>> stars(0.003), stars(0.03), stars(0.3)
    ('**', '*', '')
    """
    return next((mark for level, mark in STARS if p < level), "")


def letters(number: int) -> str:
    """The letters of run `number`, counted from 0: A, B, …, Z, AA, AB, …"""
    return (letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def _beaten_cell(beaten: dict[str, list[str]], order: list[str]) -> str:
    """The runs that a run beats, as letters in that order or, where these take too much room, counts."""
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
