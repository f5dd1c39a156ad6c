"""The discriminative power of measures, and the number of topics that a difference needs.

A measure has discriminative power on a collection if a significance test tells many pairs of runs apart
(Sakai 2006). `power` tests every pair of runs by every measure. From the spread of the paired differences it
computes the smallest true difference that a paired t-test would find on as many topics, and the number of
topics for a wanted difference (topic-set-size design, Sakai 2016).

T. Sakai: Evaluating evaluation metrics based on the bootstrap. SIGIR 2006. T. Sakai: Topic set size design.
Information Retrieval Journal 19, 2016.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluate
from ..evaluation.named import Qrels, Runs
from ..evaluation.progress import tracked
from ..output import plots
from ..output.formats import Table, counted, listed
from ..output.result import Result
from ..registry.notation import parse_measure
from . import significance
from .libraries import need_statistics
from .options import refuse_large, whole_number
from .paired import POWER, detectable_effect, paired, topics_needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TUKEY: Final = "tukey"
TESTS: Final = {
    TUKEY: "randomised Tukey HSD",
    "t": "paired t",
    "t-holm": "paired t",
    "wilcoxon": "Wilcoxon",
    "wilcoxon-holm": "Wilcoxon",
}
"""The test that each option stands for."""

WIDEST: Final = 0.2
"""The largest α of the figure's curves."""


@dataclass(frozen=True, eq=False, repr=False)
class Power(Result):
    """The p-value of every pair of runs by every measure, and the spread of their differences.

    `p_values` and `differences` (of means) are arrays (measures × pairs). `deviations` (measures) is the
    standard deviation of a topic's difference between two runs, pooled over all pairs. `wanted` are the
    differences for which `topics_for` is tabulated; `power` is the probability of finding them.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: int
    test: str
    alpha: float
    power: float
    wanted: tuple[float, ...]
    p_values: np.ndarray
    differences: np.ndarray
    deviations: np.ndarray

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs, in the order of the columns of `p_values`."""
        return list(combinations(self.runs, 2))

    @property
    def correction(self) -> str:
        """The correction of the test for the number of comparisons."""
        count = len(self.pairs)
        if count == 1:
            return "one comparison"
        if self.test == TUKEY:
            return f"corrected for {count} comparisons"
        if self.test.endswith("-holm"):
            return f"Holm's correction for {count} comparisons"
        return f"not corrected for {count} comparisons"

    def share(self, measure: Measure | str, alpha: float | None = None) -> float:
        """The discriminative power: the share of pairs with p < `alpha`, by default the tests' level."""
        alpha = self.alpha if alpha is None else alpha
        return float((self.p_values[self._row(measure)] < alpha).mean())

    def detectable(self, measure: Measure | str) -> float:
        """The smallest true difference that a paired t-test finds on as many topics, with `power`."""
        return float(self.deviations[self._row(measure)]) * detectable_effect(
            self.topics, self.alpha, self.power
        )

    def topics_for(self, measure: Measure | str, difference: float) -> int | None:
        """The number of topics that a paired t-test needs to find this true difference with `power`.

        None if more than 10 million. Raises `GradedError` for a difference that is not above 0.
        """
        return topics_needed(difference, float(self.deviations[self._row(measure)]), self.alpha, self.power)

    def _row(self, measure: Measure | str) -> int:
        return self.measures.index(parse_measure(measure))

    @property
    def summary(self) -> str:
        """The measures, runs and test in one line."""
        return (
            f"discriminative power of {listed(self.measures)} for {counted(len(self.runs), 'run')} over "
            f"{counted(self.topics, 'topic')} by the {TESTS[self.test]} test, {self.correction}"
        )

    def table(self) -> Table:
        """Column names and rows: one row per measure, the one with the highest discriminative power first."""
        columns = [
            "measure",
            f"share p < {self.alpha:g}",
            "pairs",
            "detectable difference",
            *(f"topics for {difference:g}" for difference in self.wanted),
            "test",
        ]
        rows = [
            [
                record["measure"],
                record["discriminative_power"],
                f"{record['significant']} of {record['pairs']}",
                record["detectable"],
                *(record[f"topics_{difference:g}"] for difference in self.wanted),
                f"{record['test']}, {record['correction']}",
            ]
            for record in sorted(self.records(), key=lambda record: -record["discriminative_power"])
        ]
        return columns, rows

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per measure.

        ``topics_0.05`` is the number of topics for a difference of 0.05, for each of `wanted`.
        """
        return [
            {
                "measure": str(measure),
                "test": TESTS[self.test],
                "correction": self.correction,
                "alpha": self.alpha,
                "discriminative_power": self.share(measure),
                "significant": int((self.p_values[row] < self.alpha).sum()),
                "pairs": len(self.pairs),
                "topics": self.topics,
                "deviation": float(self.deviations[row]),
                "power": self.power,
                "detectable": self.detectable(measure),
                **{
                    f"topics_{difference:g}": self.topics_for(measure, difference)
                    for difference in self.wanted
                },
            }
            for row, measure in enumerate(self.measures)
        ]

    def pair_records(self) -> list[dict[str, Any]]:
        """One dictionary per measure and pair of runs: difference of the means and p-value."""
        return [
            {"measure": str(measure), "run": run, "other": other, "difference": difference, "p": p}
            for measure, differences, p_values in zip(
                self.measures, self.differences.tolist(), self.p_values.tolist()
            )
            for (run, other), difference, p in zip(self.pairs, differences, p_values)
        ]

    @plots.styled
    def figure(self) -> Figure:
        """Draw the share of pairs told apart at each α, one curve per measure. Needs the extra ``plot``."""
        axes, labels = self._axes()
        for number, (label, p_values) in enumerate(zip(labels, self.p_values)):
            steps = np.sort(p_values[p_values < WIDEST])
            alpha = np.concatenate(([0.0], steps, [WIDEST]))
            share = np.append(np.arange(steps.size + 1), steps.size) / p_values.size
            style = {**plots.line_style(number), "marker": ""}
            axes.plot(alpha, share, drawstyle="steps-post", label=label, **style)
        axes.axvline(self.alpha, color=plots.GREY, linewidth=0.8)
        axes.set_xlim(0, WIDEST)
        axes.set_xlabel(f"α (grey line: {self.alpha:g})")
        axes.set_ylabel("Share of pairs with p < α")
        axes.set_title(f"{TESTS[self.test]}, {len(self.runs)} runs, {self.topics} topics, {self.correction}")
        return self._finished(axes)

    @plots.styled
    def topic_figure(self) -> Figure:
        """Draw the detectable difference by the number of topics, one curve per measure.

        The difference is that of one pair of runs, which a paired t-test finds with `power`. Needs the extra
        ``plot``.
        """
        axes, labels = self._axes()
        topics = np.unique(np.geomspace(5, max(200, 2 * self.topics), 30).astype(np.int64))
        effects = np.array([detectable_effect(count, self.alpha, self.power) for count in topics.tolist()])
        for number, (label, deviation) in enumerate(zip(labels, self.deviations)):
            style = {**plots.line_style(number), "marker": ""}
            axes.plot(topics, deviation * effects, label=label, **style)
        axes.axvline(self.topics, color=plots.GREY, linewidth=0.8)
        axes.set_xlim(0, topics[-1])
        axes.set_xlabel(f"Topics (grey line: {self.topics})")
        axes.set_ylabel("Detectable difference of two runs")
        axes.set_title(f"paired t, α = {self.alpha:g}, power = {self.power:g}, one comparison")
        return self._finished(axes)

    def _axes(self) -> tuple[Axes, list[str]]:
        labels = [plots.title(measure, width=40) for measure in self.measures]
        figure = plots.new_figure(*plots.size_for(line for label in labels for line in label.split("\n")))
        return figure.add_subplot(), labels

    def _finished(self, axes: Axes) -> Figure:
        axes.set_ylim(bottom=0)
        plots.legend_outside(axes)
        figure: Any = axes.get_figure()
        return figure


def power(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    test: str = TUKEY,
    alpha: float = 0.05,
    power: float = POWER,
    differences: Iterable[float] = (),
    permutations: int = 10_000,
    seed: int = 0,
    progress: bool = False,
    jobs: int | None = 1,
) -> Power:
    """The discriminative power of each measure, and the number of topics for wanted differences.

    `qrels`, `runs`, `measures`, `progress` and `jobs` are those of `evaluate`; the other parameters and
    errors are those of `power_of_values`. Needs the extra ``stats``.
    """
    differences = _check(test, alpha, power, differences, permutations, seed)
    evaluation = evaluate(qrels, runs, measures, progress=progress, jobs=jobs)
    return power_of_values(
        evaluation,
        test=test,
        alpha=alpha,
        power=power,
        differences=differences,
        permutations=permutations,
        seed=seed,
        progress=progress,
    )


def power_of_values(
    evaluation: Evaluation,
    *,
    test: str = TUKEY,
    alpha: float = 0.05,
    power: float = POWER,
    differences: Iterable[float] = (),
    permutations: int = 10_000,
    seed: int = 0,
    progress: bool = False,
) -> Power:
    """The discriminative power of the measures of an `Evaluation`.

    `test` is ``tukey`` (the randomised Tukey HSD with `permutations` ≥ 1 and `seed` ≥ 0, which corrects for
    the number of comparisons), ``t`` or ``wilcoxon`` (paired, not corrected), ``t-holm`` or ``wilcoxon-holm``
    (with Holm's correction). `alpha` is the level of the tests. `power`, between `alpha` and 1, is the
    probability that the two-sided paired t-test of a single pair finds a true difference. `differences` > 0
    are the differences for which the number of topics is tabulated.

    >>> values = np.array([[0.5, 0.7, 0.6, 0.8], [0.4, 0.5, 0.5, 0.6], [0.4, 0.6, 0.5, 0.5]])
    >>> from ir_measures_graded import nDCG_JK
    >>> evaluation = Evaluation(("A", "B", "C"), (nDCG_JK,), ("1", "2", "3", "4"), values[:, None])
    >>> found = power_of_values(evaluation, test="t")
    >>> found.correction, found.pairs, found.topics_for(nDCG_JK, 0.05)
    ('not corrected for 3 comparisons', [('A', 'B'), ('A', 'C'), ('B', 'C')], 23)

    Raises `GradedError` for fewer than two runs or topics and for an option out of its range.
    """
    wanted = _check(test, alpha, power, differences, permutations, seed)
    for count, what in ((len(evaluation.runs), "run"), (len(evaluation.topics), "topic")):
        if count < 2:
            raise GradedError(f"discriminative power needs at least 2 {what}s, not {count}")
    pairs = list(combinations(range(len(evaluation.runs)), 2))
    p_values = np.empty((len(evaluation.measures), len(pairs)))
    differences_of = np.empty_like(p_values)
    deviations = np.empty(len(evaluation.measures))
    for row, measure in enumerate(tracked(list(evaluation.measures), "measure", progress)):
        values = evaluation.of(measure)
        p_values[row] = _p_values(values, pairs, test, permutations, seed)
        means = values.mean(axis=1)
        first, second = np.array(pairs).T
        differences_of[row] = means[first] - means[second]
        deviations[row] = pooled_deviation(values)
    return Power(
        evaluation.runs,
        evaluation.measures,
        len(evaluation.topics),
        test,
        alpha,
        power,
        wanted,
        p_values,
        differences_of,
        deviations,
    )


def pooled_deviation(values: np.ndarray) -> float:
    """The standard deviation of a topic's difference between two runs, pooled over all pairs of runs.

    `values` is an array (runs × topics). The pooled variance is the mean of the pairs' variances, which is
    twice the residual variance of the two-way analysis of variance: Sakai's estimate.

    >>> round(pooled_deviation(np.array([[0.1, 0.2, 0.6], [0.1, 0.2, 0.3]])), 3)
    0.173
    """
    runs, topics = values.shape
    residual = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    if np.ptp(residual) <= significance.EXACT * np.abs(values).max(initial=0):
        return 0.0
    return float(np.sqrt(2 * (residual**2).sum() / ((runs - 1) * (topics - 1))))


def _p_values(
    values: np.ndarray, pairs: Sequence[tuple[int, int]], test: str, permutations: int, seed: int
) -> np.ndarray:
    """The p-value of every pair."""
    if test == TUKEY:
        matrix = significance.tukey_hsd(values, permutations, seed)
        return np.array([matrix[pair] for pair in pairs])
    if test.startswith("t"):
        p_values = np.nan_to_num(paired(values, pairs).p, nan=1.0)
    else:
        p_values = np.array([significance.wilcoxon(values[a], values[b]).p for a, b in pairs], dtype=float)
    return np.array(significance.holm(p_values)) if test.endswith("-holm") else p_values


def _check(
    test: str, alpha: float, power: float, differences: Iterable[float], permutations: int, seed: int
) -> tuple[float, ...]:
    """The wanted differences. Raises `GradedError` for an option out of its range or a missing library."""
    need_statistics("scipy", "statsmodels")
    if test not in TESTS:
        raise GradedError(f"test={test!r} is not allowed; it is one of {', '.join(TESTS)}")
    if not 0 < alpha < 1:
        raise GradedError(f"alpha={alpha!r} is not allowed; it is above 0 and below 1, as 0.05")
    if not alpha < power < 1:
        raise GradedError(f"power={power!r} is not allowed; it is above alpha={alpha:g} and below 1, as 0.8")
    refuse_large(
        "permutations", whole_number(permutations, "permutations", 1), 16 * permutations, "their differences"
    )
    whole_number(seed, "seed", 0)
    wanted = tuple(dict.fromkeys(differences))
    for difference in wanted:
        if not 0 < difference < np.inf:
            raise GradedError(f"difference={difference!r} is not allowed; it is a number above 0")
    return wanted
