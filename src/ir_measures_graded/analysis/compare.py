"""Which runs differ, and whether that can be chance: Table II of the paper, and the tests used since.

`compare` evaluates the runs and tests their values over the topics:

- Friedman's test over all runs; where it is significant, Conover's comparison of every two runs,
  without correction, as in Conover (Practical Nonparametric Statistics, 1980), whom the paper cites;
- two-way analysis of variance, by run and topic;
- the randomised Tukey HSD for every two runs;
- each run against a baseline: paired t and Wilcoxon's signed ranks, with Holm's correction over the runs.
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
from ..evaluation.evaluate import Evaluation, evaluate
from ..evaluation.named import Qrels, Runs
from ..evaluation.progress import tracked
from ..output import plots
from ..output.cells import INCHES, draw_cells
from ..registry.notation import parse_measure
from . import significance
from .curves import sign_of
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
"""How Table II marks a p-value below each of these."""


class PValue(float):
    """A p-value; as text it is 0 only where it is 0.

    >>> f"{PValue(0.0312):.3f}, {PValue(0.0000312):.3f}"
    '0.031, 3.1e-05'
    """

    def __format__(self, spec: str) -> str:
        text = super().__format__(spec)
        return text if float(text) or not float(self) else super().__format__(".1e")


@dataclass(frozen=True)
class Test:
    """A significance test of one measure's values.

    `run` and `other` are the two runs compared; a test of all runs at once has neither. `better` is the
    run that the test speaks for, significant or not. `difference` is the mean of `run` less that of
    `other`, `effect_size` the same in standard deviations of the paired differences (Cohen's d_z).
    `statistic` and `p` are None where they are undefined or the library tells none; `note` says more.
    `adjusted` is p with Holm's correction, in tests against a baseline.
    """

    __test__ = False  # pytest need not look

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
        """The p-value that decides: with a correction where there is one; 1 where undefined."""
        found = self.p if self.adjusted is None else self.adjusted
        return 1.0 if found is None else found


@dataclass(frozen=True)
class Comparison:
    """Means of several runs over a collection's topics, and tests of their differences.

    `means` and `ranks` are arrays (runs × measures); `ranks` has each run's mean rank over the topics,
    1 for the best. `tests` has every test that was made.
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
        """The tests of that name of one of the measures."""
        measure = parse_measure(measure)
        return [found for found in self.tests if (found.measure, found.test) == (measure, test)]

    def statement(self, measure: Measure | str, test: str = CONOVER) -> str:
        """Which runs a test of every two finds better than which, as in Table II: ``D, E > A**``.

        Runs that beat the same runs with as many stars stand together: ** is p < 0.01, * is p < 0.05.
        The sign is that of the values, so < where smaller ones are better. Empty: nothing is significant.
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
        """The runs that a test of every two finds `run` better than, by the stars of the finding."""
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
        """The runs from the best mean by one of the measures to the worst."""
        measure = parse_measure(measure)
        means = self.means[:, self.measures.index(measure)]
        order = np.argsort(-sign_of(measure) * means, kind="stable")
        return [self.runs[number] for number in order]

    def pairwise(self) -> tuple[str, ...]:
        """The names of the tests of two runs."""
        return (CONOVER, TUKEY_HSD, *((PAIRED_T, WILCOXON) if self.baseline else ()))

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """Column names and rows as in Table II: a row a measure, the means, what is significant."""
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

    def table_by_run(self) -> tuple[list[str], list[list[Any]]]:
        """The same for many runs: a row a measure and run, best first, lettered from A in each measure.

        Under a test stand the letters of the runs that it finds this one better than, and the stars.
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
        """The p-values of the tests over all runs, or why there is none."""
        outcomes = [self.find(measure, test)[0] for test in (FRIEDMAN, ANOVA_RUNS)]
        return [outcome.note if outcome.p is None else PValue(outcome.p) for outcome in outcomes]

    def records(self) -> tuple[list[str], list[list[Any]]]:
        """Column names and rows of everything: means and mean ranks, then every test."""
        columns = [field.name for field in fields(Test)]
        empty = dict.fromkeys(columns)
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
        return columns, [list(row.values()) for row in rows]

    @plots.styled
    def figure(self) -> Figure:
        """Which runs are better than which, a panel a measure. Needs the extra ``plot``.

        Runs go from the best mean to the worst, with letters. The cell of two runs tells, by shade and
        stars, what Conover's test finds of them (above the diagonal) and what Tukey HSD finds (below).
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
                contrary = "<" if found.better == order[second] else ""  # ranks may say what means do not
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
    """Means of the runs by each measure, and tests of their differences; see the module.

    `qrels`, `runs`, `measures`, `progress` and `jobs` are those of `evaluate`, the others and what is raised
    besides those of `compare_values`. Needs the extra ``stats``.
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
    """The same, from values that are there already.

    `baseline` is the name of a run. A p-value below `alpha`, between 0 and 1, is significant.
    `permutations` (≥ 1) and `seed` (≥ 0) are those of the randomised Tukey HSD; the same give the same.

    Friedman's and Conover's tests need three runs. Tests of data that they are undefined for have no p,
    and a note; two runs that are equal in every topic have p = 1.

    Raises `GradedError` for fewer than two runs or topics, a baseline that is no run, or an option out
    of its range.
    """
    check_options(alpha, permutations, seed)
    for count, what in ((len(evaluation.runs), "run"), (len(evaluation.topics), "topic")):
        if count < 2:
            raise GradedError(
                f"a comparison takes at least 2 {what}s; there {'is' if count == 1 else 'are'} {count}"
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
    """Raises `GradedError` where one is out of its range."""
    if not 0 < alpha < 1:
        raise GradedError(f"alpha={alpha!r} is not allowed; it is above 0 and below 1, as 0.05")
    whole_number(permutations, "permutations", 1)
    whole_number(seed, "seed", 0)


def stars(p: float) -> str:
    """What Table II marks a p-value with.

    >>> stars(0.003), stars(0.03), stars(0.3)
    ('**', '*', '')
    """
    return next((mark for level, mark in STARS if p < level), "")


class _Values:
    """The values of the runs by one measure (runs × topics), put to the test."""

    def __init__(self, measure: Measure, runs: Sequence[str], array: np.ndarray):
        self.measure, self.runs, self.array = measure, runs, array
        self.signed = sign_of(measure) * array
        self.merit = self.signed.mean(axis=1)

    def ranks(self) -> np.ndarray:
        return significance.run_ranks(-self.signed).mean(axis=1)

    def test(self, name: str, outcome: Outcome) -> Test:
        return Test(self.measure, name, statistic=outcome.statistic, p=outcome.p, note=outcome.note)

    def pairs(self, name: str, p_values: np.ndarray, merit: np.ndarray) -> list[Test]:
        """A test of every two runs, better in the order of their `merit`."""
        return [
            self._pair(name, a, b, Outcome(p=float(p_values[a, b])), float(merit[a] - merit[b]))
            for a, b in combinations(range(len(self.runs)), 2)
        ]

    def against(self, baseline: str) -> list[Test]:
        """The paired tests of each other run against the baseline."""
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
        """`leaning` is > 0 where the test speaks for the first of the two."""
        return replace(
            self.test(name, outcome),
            run=self.runs[a],
            other=self.runs[b],
            better=None if leaning == 0 else self.runs[a if leaning > 0 else b],
            difference=float(self.array[a].mean() - self.array[b].mean()),
            effect_size=significance.effect_size(self.array[a], self.array[b]),
        )


def letters(number: int) -> str:
    """The letters of the run of that number, from 0: A, B, …, Z, AA, AB, …"""
    return (letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def _spans(numbers: Iterable[int]) -> str:
    """The letters of ascending numbers, three or more in a row as one span.

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
