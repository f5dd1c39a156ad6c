"""Significance tests on arrays: the values of several runs (rows) for the same topics (columns).

SciPy, statsmodels and scikit-posthocs compute them, all but the randomised Tukey HSD, which none of
them has. What stands here besides is what they leave open: data for which a test is undefined.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .libraries import statistics_library

EXACT = 1e-12  # relative to the largest value: what differs by less is rounding error
PERMUTED_AT_ONCE = 1_000_000  # values: a few tens of megabytes


@dataclass(frozen=True)
class Outcome:
    """A test's statistic and p-value, None where it has none; `note` says why.

    `leaning` is > 0 where a test of two runs speaks for the larger values of the first, < 0 for the other's.
    """

    statistic: float | None = None
    p: float | None = None
    leaning: float = 0.0
    note: str = ""


EQUAL = Outcome(p=1.0, note="the two are equal in every topic")


def friedman(values: np.ndarray) -> Outcome:
    """Friedman's test of the hypothesis that all runs are alike: SciPy's, corrected for ties.

    >>> friedman(np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.3, 0.4, 0.5]])).statistic
    6.0

    Undefined for fewer than three runs, and where all runs are equal in every topic.
    """
    if len(values) < 3:
        return Outcome(note="undefined: fewer than 3 runs")
    values = rounded(values)
    if (values == values[0]).all():
        return Outcome(note="undefined: all runs are equal in every topic")
    with _quiet():
        return _outcome(statistics_library("scipy.stats").friedmanchisquare(*values))


def conover(values: np.ndarray) -> np.ndarray:
    """The p-value of every two of at least three runs by Conover's comparisons after Friedman's test.

    scikit-posthocs' `posthoc_conover_friedman`, without correction, as in Conover (1980). Where all
    topics rank the runs alike its t is infinite, and p is 0 for runs of different ranks.
    """
    ranks = run_ranks(values)
    if (ranks == ranks[:, :1]).all():
        return (ranks[:, :1] == ranks[:, 0]).astype(float)
    with _quiet():
        posthocs = statistics_library("scikit_posthocs")
        return np.asarray(posthocs.posthoc_conover_friedman(ranks.T), dtype=float)


def run_ranks(values: np.ndarray) -> np.ndarray:
    """The ranks of the runs in each topic, from 1 for the smallest value; equal runs share their mean rank.

    >>> run_ranks(np.array([[0.1, 0.5], [0.3, 0.5]]))
    array([[1. , 1.5],
           [2. , 1.5]])
    """
    return np.asarray(statistics_library("scipy.stats").rankdata(rounded(values), axis=0))


def two_way_anova(values: np.ndarray) -> tuple[Outcome, Outcome]:
    """F tests of the runs and of the topics in a two-way analysis of variance (statsmodels).

    One value for each run and topic, so without interaction. Undefined where nothing but the two
    varies: there is no error to measure them by.
    """
    run, topic = values.mean(axis=1, keepdims=True), values.mean(axis=0, keepdims=True)
    if np.ptp(values) <= _noise(values):
        return (Outcome(note="undefined: all values are equal"),) * 2
    if np.ptp(values - run - topic) <= _noise(values):
        return (Outcome(note="undefined: nothing varies but runs and topics"),) * 2
    models = statistics_library("statsmodels.formula.api")
    runs, topics = np.indices(values.shape)
    table = {"value": values.ravel(), "run": runs.ravel(), "topic": topics.ravel()}
    with _quiet():
        fitted = models.ols("value ~ C(run) + C(topic)", table).fit()
        anova = statistics_library("statsmodels.stats.anova").anova_lm(fitted, typ=2)
    return tuple(  # type: ignore[return-value]
        Outcome(float(anova.loc[factor, "F"]), float(anova.loc[factor, "PR(>F)"]))
        for factor in ("C(run)", "C(topic)")
    )


def tukey_hsd(values: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """The p-value of every two runs by the randomised Tukey HSD, corrected for the number of runs.

    Under the hypothesis that all runs are alike, the values of a topic could have come in any order.
    They are shuffled within each topic, `permutations` times; p is the share of these in which the
    best mean exceeds the worst by at least the difference of the two runs, the order found counted
    as one more (so p is never 0). With two runs it is Fisher's randomisation test.

    Source: Carterette, Multiple testing in statistical analysis of systems-based information retrieval
    experiments, TOIS 30(1), 2012; Sakai, Laboratory Experiments in Information Retrieval, 2018.
    """
    means = values.mean(axis=1)
    differences = np.abs(means[:, None] - means)
    generator = np.random.default_rng(seed)
    pool = np.sort(values, axis=0).T  # the order in which runs are given must not matter
    batch = max(1, PERMUTED_AT_ONCE // values.size)
    ranges = np.empty(permutations)
    for start in range(0, permutations, batch):
        part = ranges[start : start + batch]
        shuffled = generator.permuted(np.broadcast_to(pool, (part.size, *pool.shape)), axis=2)
        part[:] = np.ptp(shuffled.mean(axis=1), axis=1)
    ranges.sort()
    reached = permutations - np.searchsorted(ranges, differences - _noise(values))
    return (reached + 1) / (permutations + 1)


def paired_t(values: np.ndarray, others: np.ndarray) -> Outcome:
    """The paired t test of two runs (SciPy). p is 1 for equal runs, 0 for a difference that never varies."""
    differences = values - others
    leaning = float(differences.mean())
    if not differences.any():
        return EQUAL
    if np.ptp(differences) <= _noise(np.append(values, others)):
        return Outcome(p=0.0, leaning=leaning, note="the difference is the same in every topic")
    with _quiet():
        return _outcome(statistics_library("scipy.stats").ttest_rel(values, others), leaning)


def wilcoxon(values: np.ndarray, others: np.ndarray) -> Outcome:
    """Wilcoxon's signed rank test of two runs (SciPy), without the topics in which they are equal."""
    values, others = rounded(np.stack([values, others]))
    differences = rounded(values - others)  # or rounding errors would break ties
    if not differences.any():
        return EQUAL
    with _quiet():
        test = statistics_library("scipy.stats").wilcoxon
        found = test(differences)
        upward = test(differences, alternative="greater").statistic  # the sum of the ranks of gains
    count = np.count_nonzero(differences)
    return _outcome(found, leaning=upward - count * (count + 1) / 4)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values after Holm's correction for their number (statsmodels)."""
    tests = statistics_library("statsmodels.stats.multitest")
    return [float(p) for p in tests.multipletests(p_values, method="holm")[1]] if p_values else []


def effect_size(values: np.ndarray, others: np.ndarray) -> float | None:
    """The mean paired difference in standard deviations of the differences, Cohen's d_z.

    >>> effect_size(np.array([0.3, 0.5, 0.7]), np.array([0.2, 0.3, 0.4]))
    2.0

    None where the differences do not vary but for being all 0, when it is 0.
    """
    differences = values - others
    if not differences.any():
        return 0.0
    if np.ptp(differences) <= _noise(np.append(values, others)):
        return None
    return float(differences.mean() / differences.std(ddof=1))


def rounded(values: np.ndarray) -> np.ndarray:
    """`values` without rounding errors, so that values are equal which would be on paper."""
    largest = np.abs(values).max(initial=0)
    unit = EXACT * 2 ** np.ceil(np.log2(largest)) if largest > 0 else 1.0
    return np.round(values / unit) * unit


def _noise(values: np.ndarray) -> float:
    return float(EXACT * np.abs(values).max(initial=0))


def _outcome(result: Any, leaning: float = 0.0) -> Outcome:
    return Outcome(float(result.statistic), float(result.pvalue), float(leaning))


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the libraries' warnings: of few topics, ties and zeros, which they see to themselves."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
