"""Significance tests on arrays (runs × topics), besides the primary one in `primary`.

SciPy computes Friedman's test, Wilcoxon's approximation and Alexander and Govern's test. This
module computes what SciPy lacks: Conover's comparisons, the two-way analysis of variance, and
Wilcoxon's exact distribution with ties. It adds the cases in which a test is undefined.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from .options import statistics_library
from .precision import TIED, differences_of, noise_of, on_grid, quietly, rounded, unit_of

MOST_TOPICS_OF_EXACT_RANKS: Final = 50
"""Wilcoxon's distribution is exact for at most so many topics that differ."""


class Outcome(NamedTuple):
    """A test's statistic and p-value; each is None if undefined, and `note` gives the reason.

    In a test of two runs, `leaning` is > 0 if the test favours the first run, < 0 if it favours the
    second.
    """

    statistic: float | None = None
    p: float | None = None
    leaning: float = 0.0
    note: str = ""


EQUAL: Final = Outcome(p=1.0, note="the two runs are equal in every topic")


def friedman(values: np.ndarray) -> Outcome:
    """Friedman's test of the hypothesis that all runs are equal (SciPy, corrected for ties).

    >>> friedman(np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.3, 0.4, 0.5]])).statistic
    6.0

    Undefined for fewer than three runs, and if all runs are equal in every topic.
    """
    if len(values) < 3:
        return Outcome(note="undefined: fewer than 3 runs")
    values = rounded(values)
    if (values == values[0]).all():
        return Outcome(note="undefined: all runs are equal in every topic")
    with quietly():
        return outcome_of(statistics_library("scipy.stats").friedmanchisquare(*values))


def conover(values: np.ndarray) -> np.ndarray:
    """Conover's comparisons after Friedman's test: the p-value of each pair of at least three runs.

    With n topics, k runs and rank sums R, t is the difference of two rank sums divided by
    √(2 (n Σrank² − ΣR²) / ((n − 1)(k − 1))), with (n − 1)(k − 1) degrees of freedom. The p-values
    have no correction. If all topics rank the runs in the same order, t is infinite, and p is 0 for
    runs of different ranks.

    >>> conover(np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.1], [0.3, 0.4, 0.5]])).round(3)
    array([[1.   , 0.519, 0.024],
           [0.519, 1.   , 0.047],
           [0.024, 0.047, 1.   ]])

    Source: Conover, Practical Nonparametric Statistics, third edition, 1999, section 5.8.
    """
    ranks = run_ranks(values)
    if (ranks == ranks[:, :1]).all():
        is_tied = ranks[:, :1] == ranks[:, 0]
        return is_tied.astype(float)
    run_count, topic_count = ranks.shape
    rank_sums = ranks.sum(axis=1)
    degrees = (topic_count - 1) * (run_count - 1)
    spread = topic_count * (ranks**2).sum() - (rank_sums**2).sum()
    differences = np.abs(rank_sums[:, None] - rank_sums)
    t = differences / np.sqrt(2 * spread / degrees)
    return 2 * np.asarray(statistics_library("scipy.special").stdtr(degrees, -t))


def run_ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each run in each topic, 1 for the smallest value; equal runs share their mean
    rank.

    >>> run_ranks(np.array([[0.1, 0.5], [0.3, 0.5]]))
    array([[1. , 1.5],
           [2. , 1.5]])
    """
    values = rounded(values)  # scipy.stats, which takes a second to import, is not needed
    ranks = np.empty(values.shape)
    for run, row in enumerate(values):
        smaller = (values < row).sum(axis=0)
        up_to = (values <= row).sum(axis=0)
        ranks[run] = (smaller + up_to + 1) / 2
    return ranks


def two_way_anova(values: np.ndarray) -> tuple[Outcome, Outcome]:
    """F tests of the runs and of the topics in a two-way analysis of variance.

    The model has no interaction, because there is one value per run and topic. The tests are
    undefined if runs and topics explain all variation, because the error variance is then zero.
    """
    values = values / unit_of(values.ravel())
    of_runs = values.mean(axis=1, keepdims=True)
    of_topics = values.mean(axis=0, keepdims=True)
    error = values - of_runs - of_topics + values.mean()
    noise = noise_of(values)
    if np.ptp(values) <= noise:
        undefined = Outcome(note="undefined: all values are equal")
        return undefined, undefined
    if np.ptp(error) <= noise:
        undefined = Outcome(note="undefined: runs and topics explain all variation")
        return undefined, undefined
    degrees_of_error = (of_runs.size - 1) * (of_topics.size - 1)
    error_variance = (error**2).sum() / degrees_of_error
    outcomes = []
    for means in (of_runs, of_topics):
        degrees = means.size - 1
        ratio = values.size * means.var() / degrees / error_variance
        p = statistics_library("scipy.special").fdtrc(degrees, degrees_of_error, ratio)
        outcomes.append(Outcome(float(ratio), float(p)))
    return outcomes[0], outcomes[1]


def wilcoxon(values: np.ndarray, others: np.ndarray) -> Outcome:
    """Wilcoxon's signed-rank test of two runs; topics with equal values are dropped.

    Differences that agree to nine digits of the largest one are ties. The distribution is exact,
    with ties too, if at most 50 topics differ. For more, it is SciPy's normal approximation. The
    statistic is the smaller one of the two sums of ranks.

    >>> wilcoxon(np.array([0.5, 0.25, 0.5, 0.75]), np.zeros(4))
    Outcome(statistic=0.0, p=0.125, leaning=10.0, note='')

    Source: Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1(6), 1945;
    Pratt & Gibbons, Concepts of Nonparametric Theory, 1981, on the distribution with ties.
    """
    differences, noise = differences_of(values, others)
    if not differences.any():
        return EQUAL
    step = max(TIED * np.abs(differences).max(), float(noise))
    differences = on_grid(differences, step)
    moved = differences[differences != 0]
    sizes = np.abs(moved)
    smaller = np.searchsorted(np.sort(sizes), sizes, "left")
    up_to = np.searchsorted(np.sort(sizes), sizes, "right")
    doubled_ranks = smaller + up_to + 1
    leaning = float(np.sign(moved) @ doubled_ranks) / 2
    if moved.size > MOST_TOPICS_OF_EXACT_RANKS:
        with quietly():
            result = statistics_library("scipy.stats").wilcoxon(differences)
        return outcome_of(result, leaning=leaning)
    risen = int(doubled_ranks[moved > 0].sum())
    fallen = int(doubled_ranks[moved < 0].sum())
    least = min(risen, fallen)
    return Outcome(least / 2, _signed_rank_p(doubled_ranks, least), leaning)


def _signed_rank_p(doubled_ranks: np.ndarray, least: int) -> float:
    """The two-sided p-value of the smaller sum of doubled ranks, if each rank may have either sign.

    The number of signs for each sum is counted by dynamic programming: a rank is in the sum or not.
    Ranks are doubled, because tied ones may end with .5. At most 2^50 signs are counted, so floats
    are exact.

    >>> _signed_rank_p(np.array([2, 4, 6, 8]), 0)
    0.125
    """
    ways = np.zeros(int(doubled_ranks.sum()) + 1)
    ways[0] = 1
    for rank in doubled_ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    share = ways[: least + 1].sum() / 2.0**doubled_ranks.size
    return min(2 * float(share), 1.0)


def alexander_govern(groups: Iterable[tuple[np.ndarray, np.ndarray]]) -> Outcome:
    """Alexander and Govern's test of whether the mean difference of two runs depends on the group
    (SciPy).

    Each group has the values of both runs. Variances may differ. Undefined if all differences in a
    group are equal.

    >>> short = np.array([0.1, 0.2, 0.4, 0.2]), np.zeros(4)
    >>> long = np.array([0.3, 0.5, 0.4, 0.9]), np.zeros(4)
    >>> round(alexander_govern([short, long]).p, 3)
    0.109

    Source: Alexander & Govern, A new and simpler approximation for ANOVA under variance
    heterogeneity, Journal of Educational Statistics 19(2), 1994.
    """
    of_groups = []
    for values, others in groups:
        differences, noise = differences_of(values, others)
        if np.ptp(differences) <= noise:
            return Outcome(note="undefined: the difference is the same in every topic of a group")
        of_groups.append(differences)
    with quietly():
        return outcome_of(statistics_library("scipy.stats").alexandergovern(*of_groups))


def outcome_of(result: Any, leaning: float = 0.0) -> Outcome:
    """The outcome of a test of SciPy."""
    return Outcome(float(result.statistic), float(result.pvalue), float(leaning))


def leaning_by_means(
    p: np.ndarray, merit: np.ndarray, pairs: Sequence[tuple[int, int]]
) -> list[Outcome]:
    """The outcomes of pairs of runs from a matrix of p-values; the run with the larger merit is
    favoured."""
    outcomes = []
    for run, other in pairs:
        leaning = merit[run] - merit[other]
        outcomes.append(Outcome(p=float(p[run, other]), leaning=leaning))
    return outcomes
