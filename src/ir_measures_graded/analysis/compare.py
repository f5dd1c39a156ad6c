"""Significance tests of the differences between runs, as in Järvelin & Kekäläinen 2002, Table II.

`compare` evaluates the runs and tests their values over the topics:

- Friedman's test of all runs and, if it is significant, Conover's comparison of each pair of runs, without
  correction, as in Conover (Practical Nonparametric Statistics, 1980), which the paper cites;
- two-way analysis of variance by run and topic;
- the randomised Tukey HSD of each pair of runs;
- the paired t-test and Wilcoxon's signed-rank test of each run against a baseline, with Holm's correction
  for the number of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, partial
from itertools import combinations

import numpy as np
from ir_measures import Measure

from ..by_topic import mean_over_topics
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluate, sign_of
from ..evaluation.named import Qrels, Runs
from ..evaluation.progress import tracked
from ..output.formats import listed
from . import significance
from .comparison import (
    ANOVA_RUNS,
    ANOVA_TOPICS,
    CONOVER,
    FRIEDMAN,
    PAIRED_T,
    TUKEY_HSD,
    WILCOXON,
    Comparison,
    Test,
    reference_of,
)
from .intervals import STUDENT, PairedDifference, check, paired_difference
from .libraries import need_statistics
from .options import refuse_large, whole_number
from .significance import Outcome


def compare(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    interval: str = STUDENT,
    progress: bool = False,
    jobs: int | None = 1,
) -> Comparison:
    """Evaluate the runs by each measure and test their differences.

    `qrels`, `runs`, `measures`, `progress` and `jobs` are as for `evaluate`, the other options and errors as
    for `compare_values`. Needs the extra ``stats``.
    """
    check_options(alpha, permutations, seed, interval)
    need_statistics("scipy", "statsmodels", "scikit_posthocs")
    evaluation = evaluate(qrels, runs, measures, progress=progress, jobs=jobs)
    return compare_values(
        evaluation,
        baseline=baseline,
        alpha=alpha,
        permutations=permutations,
        seed=seed,
        interval=interval,
        progress=progress,
    )


def compare_values(
    evaluation: Evaluation,
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    interval: str = STUDENT,
    progress: bool = False,
) -> Comparison:
    """Test the differences between the runs of an `Evaluation`.

    `baseline` is the name of a run; the first of two runs is the default. A p-value below `alpha` (above 0,
    below 1) is significant. The randomised Tukey HSD makes `permutations` (≥ 1), which depend on `seed` (≥ 0)
    alone. `interval` is the method of the intervals of the differences, ``t`` or ``bootstrap``, see
    `mean_interval`.

    Friedman's and Conover's tests need three runs. A test that is undefined for the data has a note
    instead of a p-value; two runs that are equal in every topic have p = 1.

    Raises `GradedError` for fewer than two runs or topics, an unknown baseline, and an option out of range.
    """
    check_options(alpha, permutations, seed, interval)
    for count, what in ((len(evaluation.runs), "run"), (len(evaluation.topics), "topic")):
        if count < 2:
            raise GradedError(
                f"a comparison needs at least 2 {what}s; there {'is' if count == 1 else 'are'} {count}"
            )
    if baseline is not None and baseline not in evaluation.runs:
        close = get_close_matches(baseline, evaluation.runs, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        raise GradedError(
            f"the baseline {baseline!r} is not a run{hint} The runs are {listed(evaluation.runs, most=10)}"
        )
    reference = reference_of(evaluation.runs, baseline)
    tests: list[Test] = []
    ranks = []
    for measure in tracked(list(evaluation.measures), "measure", progress):
        differences = partial(
            paired_difference, confidence=1 - alpha, method=interval, alpha=alpha, seed=seed
        )
        values = _Values(measure, evaluation.runs, evaluation.of(measure), differences)
        ranks.append(values.ranks())
        friedman = significance.friedman(values.array)
        tests.append(values.test(FRIEDMAN, friedman))
        if friedman.p is not None and friedman.p < alpha:
            tests += values.pairs(CONOVER, significance.conover(values.array), merit=-ranks[-1])
        anova = significance.two_way_anova(values.array)
        tests += map(values.test, (ANOVA_RUNS, ANOVA_TOPICS), anova)
        p_values = significance.tukey_hsd(values.array, permutations, seed)
        tests += values.pairs(TUKEY_HSD, p_values, merit=values.merit)
        if reference is not None:
            tests += values.against(reference)
    return Comparison(
        runs=evaluation.runs,
        measures=evaluation.measures,
        topics=len(evaluation.topics),
        means=mean_over_topics(evaluation.values),
        ranks=np.stack(ranks, axis=1),
        tests=tuple(tests),
        baseline=baseline,
        alpha=alpha,
        permutations=permutations,
        seed=seed,
        interval=interval,
    )


def check_options(alpha: float, permutations: int, seed: int, interval: str = STUDENT) -> None:
    """Raise `GradedError` for an option out of range."""
    if not 0 < alpha < 1:
        raise GradedError(f"alpha={alpha!r} is not allowed; it is between 0 and 1, for example 0.05")
    refuse_large(
        "permutations", whole_number(permutations, "permutations", 1), 16 * permutations, "their differences"
    )
    whole_number(seed, "seed", 0)
    check(1 - alpha, interval)


class _Values:
    """Runs the tests on the values of one measure (runs × topics)."""

    def __init__(
        self,
        measure: Measure,
        runs: Sequence[str],
        array: np.ndarray,
        difference: Callable[[np.ndarray, np.ndarray], PairedDifference],
    ):
        self.measure, self.runs, self.array = measure, runs, array
        self.difference = cache(lambda a, b: difference(array[a], array[b]))
        self.sign = sign_of(measure)
        self.signed = self.sign * array
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
            outcomes = [paired(self.array[number], self.array[base]) for number in others]
            adjusted = significance.holm([outcome.p or 0.0 for outcome in outcomes])
            tests += [
                replace(self._pair(name, number, base, outcome, self.sign * outcome.leaning), adjusted=p)
                for number, outcome, p in zip(others, outcomes, adjusted)
            ]
        return tests

    def _pair(self, name: str, a: int, b: int, outcome: Outcome, leaning: float) -> Test:
        """The test of runs `a` and `b`, which favours `a` if `leaning` is > 0."""
        found = self.difference(a, b)
        return replace(
            self.test(name, outcome),
            run=self.runs[a],
            other=self.runs[b],
            better=None if leaning == 0 else self.runs[a if leaning > 0 else b],
            difference=float(self.array[a].mean() - self.array[b].mean()),
            effect_size=found.effect_size,
            lower=found.lower,
            upper=found.upper,
            detectable=found.detectable,
        )
