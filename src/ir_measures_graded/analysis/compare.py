"""Comparison: which differences between runs are significant? Järvelin & Kekäläinen 2002, Table II.

`compare` evaluates the runs and tests their values over the topics:

- Friedman's test of all runs and, if it is significant, Conover's comparison of each pair of runs, without
  correction, as in Conover (Practical Nonparametric Statistics, 1980), which the paper cites;
- two-way analysis of variance by run and topic;
- the randomised Tukey HSD of each pair of runs;
- the paired t-test and Wilcoxon's signed-rank test of each run against a baseline, with Holm's correction
  for the number of runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluate, sign_of
from ..evaluation.named import Qrels, Runs
from ..evaluation.progress import tracked
from ..output import plots
from ..output.cells import INCHES, draw_cells
from ..output.formats import Table, counted, listed
from ..output.result import Result
from ..registry.notation import parse_measure
from . import significance
from .libraries import need_statistics
from .options import whole_number
from .significance import Outcome

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
    note: str = ""

    @property
    def decisive(self) -> float:
        """The adjusted p-value, or the p-value without a correction; 1 if undefined."""
        found = self.p if self.adjusted is None else self.adjusted
        return 1.0 if found is None else found


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Means of several runs over the topics, and significance tests of their differences.

    `means` and `ranks` are arrays (runs × measures); `ranks` holds each run's mean rank over the topics,
    1 for the best. `tests` holds all tests.
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

    def find(self, measure: Measure | str, test: str) -> list[Test]:
        """All tests of this name for one of the measures."""
        measure = parse_measure(measure)
        return [found for found in self.tests if (found.measure, found.test) == (measure, test)]

    def statement(self, measure: Measure | str, test: str = CONOVER) -> str:
        """The significant differences that a pairwise test finds, as in Table II: ``D, E > A**``.

        Runs that beat the same runs at the same level are joined; ** is p < 0.01, * is p < 0.05. The sign
        compares values and is < if smaller values are better. The statement is empty if nothing is
        significant.
        """
        sign = "<" if sign_of(parse_measure(measure)) < 0 else ">"
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
        measure = parse_measure(measure)
        means = self.means[:, self.measures.index(measure)]
        order = np.argsort(-sign_of(measure) * means, kind="stable")
        return [self.runs[number] for number in order]

    def pairwise(self) -> tuple[str, ...]:
        """The names of the pairwise tests."""
        return (CONOVER, TUKEY_HSD, *((PAIRED_T, WILCOXON) if self.baseline else ()))

    @property
    def summary(self) -> str:
        """What was compared, in one line."""
        runs, topics = counted(len(self.runs), "run"), counted(self.topics, "topic")
        against = f", baseline {self.baseline}" if self.baseline else ""
        return f"{runs} by {listed(self.measures)} over {topics}{against}"

    def table(self) -> Table:
        """Column names and rows as in Table II: one row per measure."""
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
        this run beats, with stars.
        """
        columns = ["measure", "", "run", "mean", "mean rank", *self.pairwise(), *OMNIBUS]
        rows: list[list[Any]] = []
        for column, measure in enumerate(self.measures):
            order = self.best_first(measure)
            for number, run in enumerate(order):
                place = self.runs.index(run)
                row: list[Any] = [str(measure), letters(number), run]
                row += [float(self.means[place, column]), float(self.ranks[place, column])]
                for test in self.pairwise():
                    beaten = self.beaten(measure, test, run).items()
                    row.append("; ".join(f"{_spans(map(order.index, them))}{mark}" for mark, them in beaten))
                rows.append(row + (self._omnibus(measure) if number == 0 else [None] * len(OMNIBUS)))
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

    @plots.styled
    def figure(self) -> Figure:
        """Draw the significant differences of each pair of runs, one panel per measure.

        Runs are sorted from the best mean to the worst and have letters. The shade and the stars of a cell
        show the significance of Conover's test (above the diagonal) or Tukey HSD (below). Needs the extra
        ``plot``.
        """
        size = max(0.3 * len(self.runs), 2.4)
        names = INCHES * (max(map(len, self.runs)) + 12)
        figure = plots.new_figure(size + names + 0.3, (size + 1.2) * len(self.measures))
        figure.set_layout_engine("compressed")  # cells stay square
        for number, measure in enumerate(self.measures, start=1):
            self._draw(figure.add_subplot(len(self.measures), 1, number), measure)
        return figure

    def _draw(self, axes: Axes, measure: Measure) -> None:
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
        means = dict(zip(self.runs, self.means[:, self.measures.index(measure)].tolist()))
        label = list(map(letters, range(len(order))))
        rows = [f"{run}  {means[run]:.4f}  {letter:>2}" for run, letter in zip(order, label)]
        draw_cells(axes, shades, texts, rows, label)
        axes.plot([-0.5, len(order) - 0.5], [-0.5, len(order) - 0.5], color=plots.GREY, linewidth=0.8)
        friedman = self.find(measure, FRIEDMAN)[0]
        p_value = "undefined" if friedman.p is None else f"p = {friedman.p:.2g}"
        axes.set_title(
            f"{plots.title(measure, width=max(36, 3 * len(order)))}\nFriedman: {p_value}",
            loc="right",
            size=10,
        )
        axes.set_xlabel("above: Conover, below: Tukey HSD\n** p < 0.01   * p < 0.05", loc="right")


def compare(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    progress: bool = False,
    jobs: int | None = 1,
) -> Comparison:
    """Evaluate the runs by each measure and test their differences.

    `qrels`, `runs`, `measures`, `progress` and `jobs` are as for `evaluate`, the other options and errors as
    for `compare_values`. Needs the extra ``stats``.
    """
    check_options(alpha, permutations, seed)
    need_statistics("scipy", "statsmodels", "scikit_posthocs")
    evaluation = evaluate(qrels, runs, measures, progress=progress, jobs=jobs)
    return compare_values(
        evaluation, baseline=baseline, alpha=alpha, permutations=permutations, seed=seed, progress=progress
    )


def compare_values(
    evaluation: Evaluation,
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    progress: bool = False,
) -> Comparison:
    """Test the differences between runs that are evaluated already.

    `baseline` is the name of a run. A p-value below `alpha` (above 0, below 1) is significant. The randomised
    Tukey HSD makes `permutations` (≥ 1), which depend on `seed` (≥ 0) alone.

    Friedman's and Conover's tests need three runs. A test that is undefined for the data has no p-value but a
    note; two runs that are equal in every topic have p = 1.

    Raises `GradedError` for fewer than two runs or topics, an unknown baseline, and an option out of range.
    """
    check_options(alpha, permutations, seed)
    for count, what in ((len(evaluation.runs), "run"), (len(evaluation.topics), "topic")):
        if count < 2:
            raise GradedError(
                f"a comparison needs at least 2 {what}s; there {'is' if count == 1 else 'are'} {count}"
            )
    if baseline is not None and baseline not in evaluation.runs:
        close = get_close_matches(baseline, evaluation.runs, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise GradedError(
            f"the baseline {baseline!r} is not among the runs {', '.join(evaluation.runs)}{hint}"
        )
    tests: list[Test] = []
    ranks = []
    for measure in tracked(list(evaluation.measures), "measure", progress):
        values = _Values(measure, evaluation.runs, evaluation.of(measure))
        ranks.append(values.ranks())
        friedman = significance.friedman(values.array)
        tests.append(values.test(FRIEDMAN, friedman))
        if friedman.p is not None and friedman.p < alpha:
            tests += values.pairs(CONOVER, significance.conover(values.array), merit=-ranks[-1])
        anova = significance.two_way_anova(values.array)
        tests += map(values.test, (ANOVA_RUNS, ANOVA_TOPICS), anova)
        p_values = significance.tukey_hsd(values.array, permutations, seed)
        tests += values.pairs(TUKEY_HSD, p_values, merit=values.merit)
        if baseline is not None:
            tests += values.against(baseline)
    return Comparison(
        runs=evaluation.runs,
        measures=evaluation.measures,
        topics=len(evaluation.topics),
        means=evaluation.means(),
        ranks=np.stack(ranks, axis=1),
        tests=tuple(tests),
        baseline=baseline,
        alpha=alpha,
        permutations=permutations,
        seed=seed,
    )


def check_options(alpha: float, permutations: int, seed: int) -> None:
    """Raise `GradedError` for an option out of range."""
    if not 0 < alpha < 1:
        raise GradedError(f"alpha={alpha!r} is not allowed; it is between 0 and 1, for example 0.05")
    whole_number(permutations, "permutations", 1)
    whole_number(seed, "seed", 0)


def stars(p: float) -> str:
    """The stars of a p-value in Table II.

    >>> stars(0.003), stars(0.03), stars(0.3)
    ('**', '*', '')
    """
    return next((mark for level, mark in STARS if p < level), "")


class _Values:
    """Runs the tests on the values of one measure (runs × topics)."""

    def __init__(self, measure: Measure, runs: Sequence[str], array: np.ndarray):
        self.measure, self.runs, self.array = measure, runs, array
        self.signed = sign_of(measure) * array
        self.merit = self.signed.mean(axis=1)

    def ranks(self) -> np.ndarray:
        return significance.run_ranks(-self.signed).mean(axis=1)

    def test(self, name: str, outcome: Outcome) -> Test:
        return Test(self.measure, name, statistic=outcome.statistic, p=outcome.p, note=outcome.note)

    def pairs(self, name: str, p_values: np.ndarray, merit: np.ndarray) -> list[Test]:
        """A test of each pair of runs, which favours the run of higher `merit`."""
        return [
            self._pair(name, a, b, Outcome(p=float(p_values[a, b])), float(merit[a] - merit[b]))
            for a, b in combinations(range(len(self.runs)), 2)
        ]

    def against(self, baseline: str) -> list[Test]:
        """The paired tests of the other runs against the baseline."""
        base = self.runs.index(baseline)
        others = [number for number in range(len(self.runs)) if number != base]
        tests = []
        for name, paired in ((PAIRED_T, significance.paired_t), (WILCOXON, significance.wilcoxon)):
            outcomes = [paired(self.signed[number], self.signed[base]) for number in others]
            adjusted = significance.holm([outcome.p or 0.0 for outcome in outcomes])
            tests += [
                replace(self._pair(name, number, base, outcome, outcome.leaning), adjusted=p)
                for number, outcome, p in zip(others, outcomes, adjusted)
            ]
        return tests

    def _pair(self, name: str, a: int, b: int, outcome: Outcome, leaning: float) -> Test:
        """The test of runs `a` and `b`, which favours `a` if `leaning` is > 0."""
        return replace(
            self.test(name, outcome),
            run=self.runs[a],
            other=self.runs[b],
            better=None if leaning == 0 else self.runs[a if leaning > 0 else b],
            difference=float(self.array[a].mean() - self.array[b].mean()),
            effect_size=significance.effect_size(self.array[a], self.array[b]),
        )


def letters(number: int) -> str:
    """The letters of run `number`, counted from 0: A, B, …, Z, AA, AB, …"""
    return (letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


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
