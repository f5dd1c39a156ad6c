"""Significance tests on arrays (runs × topics), besides the primary one in `paired`.

SciPy and scikit-posthocs compute all tests but the analysis of variance and the randomised Tukey HSD, which
they lack. This module adds the cases in which a test is undefined.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from .options import statistics_library

EXACT = 1e-12  # relative to the largest value: a smaller difference is a rounding error
TIED = 1e-9  # relative to the largest difference: closer differences count as equal
PERMUTED_AT_ONCE = 1_000_000  # values, which take a few tens of megabytes


class Outcome(NamedTuple):
    """A test's statistic and p-value; each is None if undefined, and `note` gives the reason.

    In a test of two runs, `leaning` is > 0 if the test favours the first run, < 0 if it favours the second.
    """

    statistic: float | None = None
    p: float | None = None
    leaning: float = 0.0
    note: str = ""


EQUAL = Outcome(p=1.0, note="the two runs are equal in every topic")


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
        return _outcome(statistics_library("scipy.stats").friedmanchisquare(*values))


def conover(values: np.ndarray) -> np.ndarray:
    """Conover's comparisons after Friedman's test: the p-value of each pair of at least three runs.

    scikit-posthocs' `posthoc_conover_friedman`, without correction, as in Conover (1980). If all topics
    rank the runs in the same order, its t is infinite and p is 0 for runs of different ranks.
    """
    ranks = run_ranks(values)
    if (ranks == ranks[:, :1]).all():
        return (ranks[:, :1] == ranks[:, 0]).astype(float)
    posthocs = statistics_library("scikit_posthocs")
    with quietly():
        return np.asarray(posthocs.posthoc_conover_friedman(ranks.T), dtype=float)


def run_ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each run in each topic, 1 for the smallest value; equal runs share their mean rank.

    >>> run_ranks(np.array([[0.1, 0.5], [0.3, 0.5]]))
    array([[1. , 1.5],
           [2. , 1.5]])
    """
    values = rounded(values)  # scipy.stats, which takes a second to import, is not needed
    return np.array(
        [((values < row).sum(axis=0) + (values <= row).sum(axis=0) + 1) / 2 for row in values]
    )


def two_way_anova(values: np.ndarray) -> tuple[Outcome, Outcome]:
    """F tests of the runs and of the topics in a two-way analysis of variance.

    The model has no interaction, because there is one value per run and topic. The tests are undefined if
    runs and topics explain all variation, because the error variance is then zero.
    """
    values = values / unit_of(values.ravel())
    run, topic = values.mean(axis=1, keepdims=True), values.mean(axis=0, keepdims=True)
    error = values - run - topic + values.mean()
    if np.ptp(values) <= _noise(values):
        return (Outcome(note="undefined: all values are equal"),) * 2
    if np.ptp(error) <= _noise(values):
        return (Outcome(note="undefined: runs and topics explain all variation"),) * 2
    rest = (run.size - 1) * (topic.size - 1)
    found = []
    for means in (run, topic):
        ratio = values.size * means.var() / (means.size - 1) / ((error**2).sum() / rest)
        p = statistics_library("scipy.special").fdtrc(means.size - 1, rest, ratio)
        found.append(Outcome(float(ratio), float(p)))
    return found[0], found[1]


def tukey_hsd(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """The randomised Tukey HSD: the p-value of each pair of runs, corrected for the number of runs.

    If all runs are equal, any order of a topic's values is equally likely. The values of each topic are
    shuffled `resamples` times. The p-value of two runs is the share of shuffles in which the best mean
    exceeds the worst by at least the difference of the two; the observed order counts as one more shuffle,
    so that p is never 0. For two runs this is Fisher's randomisation test.

    Source: Carterette, Multiple testing in statistical analysis of systems-based information retrieval
    experiments, TOIS 30(1), 2012; Sakai, Laboratory Experiments in Information Retrieval, 2018.
    """
    means = values.mean(axis=1)
    differences = np.abs(means[:, None] - means)
    generator = np.random.default_rng(seed)
    pool = np.sort(values, axis=0).T  # makes p-values independent of the order of the runs
    batch = max(1, PERMUTED_AT_ONCE // values.size)
    ranges = np.empty(resamples)
    for start in range(0, resamples, batch):
        part = ranges[start : start + batch]
        shuffled = generator.permuted(np.broadcast_to(pool, (part.size, *pool.shape)), axis=2)
        part[:] = np.ptp(shuffled.mean(axis=1), axis=1)
    ranges.sort()
    reached = resamples - np.searchsorted(ranges, differences - _noise(values))
    return (reached + 1) / (resamples + 1)


def wilcoxon(values: np.ndarray, others: np.ndarray) -> Outcome:
    """Wilcoxon's signed-rank test of two runs (SciPy); topics with equal values are dropped.

    Differences that agree to nine digits of the largest one are ties.
    """
    differences, noise = differences_of(values, others)
    if not differences.any():
        return EQUAL
    differences = _on_grid(differences, max(TIED * np.abs(differences).max(), float(noise)))
    stats = statistics_library("scipy.stats")
    with quietly():
        found = stats.wilcoxon(differences)
    moved = differences[differences != 0]
    return _outcome(found, leaning=float(np.sign(moved) @ stats.rankdata(np.abs(moved))))


def randomisation(values: np.ndarray, others: np.ndarray, resamples: int, seed: int) -> Outcome:
    """Fisher's randomisation test of the mean difference of two runs (SciPy); its statistic is the mean.

    Any sign of a topic's difference is equally likely if the runs are equal. All signs are tried if there are
    at most `resamples` ways, else as many random ones.
    """
    differences, _ = differences_of(values, others)
    if not differences.any():
        return EQUAL
    options = {"n_resamples": resamples, "random_state": np.random.default_rng(seed)}
    options |= {"batch": max(1, PERMUTED_AT_ONCE // differences.size), "vectorized": True}
    permutation_test = statistics_library("scipy.stats").permutation_test
    found = permutation_test((differences,), np.mean, permutation_type="samples", **options)
    return _outcome(found, leaning=found.statistic)


def alexander_govern(groups: Iterable[tuple[np.ndarray, np.ndarray]]) -> Outcome:
    """Alexander and Govern's test of whether the mean difference of two runs depends on the group (SciPy).

    Each group has the values of both runs. Variances may differ. Undefined if all differences in a group are
    equal.

    >>> found = alexander_govern(
    ...     [(np.array([0.1, 0.2, 0.4, 0.2]), np.zeros(4)), (np.array([0.3, 0.5, 0.4, 0.9]), np.zeros(4))]
    ... )
    >>> round(found.p, 3)
    0.109

    Source: Alexander & Govern, A new and simpler approximation for ANOVA under variance heterogeneity,
    Journal of Educational Statistics 19(2), 1994.
    """
    differences, noise = zip(*(differences_of(*group) for group in groups), strict=True)
    if any(np.ptp(each) <= error for each, error in zip(differences, noise, strict=True)):
        return Outcome(note="undefined: the difference is the same in every topic of a group")
    with quietly():
        return _outcome(statistics_library("scipy.stats").alexandergovern(*differences))


def holm(p_values: Sequence[float] | np.ndarray, count: int | None = None) -> np.ndarray:
    """The p-values with Holm's correction for a family of `count` tests, by default those with a p-value.

    NaN stays NaN; such tests of the family, and those that are not given, count as larger than all others.
    statsmodels' `multipletests` gives the same, but collects all garbage of the process in every call, which
    can take a quarter of a second.

    >>> holm([0.75, 0.125, 0.625])
    array([1.   , 0.375, 1.   ])
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, axis=None)
    largest = int((p == p).sum()) if count is None else count
    found = np.empty(p.size)
    found[order] = np.maximum.accumulate(
        p.flat[order] * np.arange(largest, largest - p.size, -1)
    ).clip(max=1)
    return found.reshape(p.shape)


def differences_of(values: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The paired differences over the last axis, and how large a rounding error can be.

    Differences of at most 1e-12 of the largest value are 0.
    """
    differences = values - others
    noise = EXACT * np.maximum(np.abs(values), np.abs(others)).max(axis=-1)
    return np.where(np.abs(differences) <= noise[..., None], 0.0, differences), noise


def deviation_of(values: np.ndarray) -> np.ndarray:
    """The standard deviation over the last axis, whatever the size of the values.

    >>> deviation_of(np.array([[1.0, 3.0], [1e-200, 3e-200], [1e200, 3e200]]))
    array([1.41421356e+000, 1.41421356e-200, 1.41421356e+200])
    """
    unit = unit_of(values)
    return np.asarray(unit[..., 0] * (values / unit).std(axis=-1, ddof=1))


def unit_of(values: np.ndarray) -> np.ndarray:
    """The power of two that the largest value over the last axis reaches. To divide by it is exact.

    Squares of tiny or huge values would leave the floats.

    >>> unit_of(np.array([0.0, -0.3]))
    array([0.25])
    """
    return np.ldexp(1.0, np.frexp(np.abs(values).max(axis=-1, keepdims=True))[1] - 1)


def rounded(values: np.ndarray) -> np.ndarray:
    """`values` rounded so that values that are equal in exact arithmetic become equal."""
    return _on_grid(values, _noise(values)) if values.any() else values


def _on_grid(values: np.ndarray, step: float) -> np.ndarray:
    """`values` rounded to multiples of the next power of two; common fractions lie off its midpoints."""
    unit = 2 ** np.ceil(np.log2(step))
    return np.asarray(np.round(values / unit) * unit)


def _noise(values: np.ndarray) -> float:
    return float(EXACT * np.abs(values).max(initial=0))


def _outcome(result: Any, leaning: float = 0.0) -> Outcome:
    return Outcome(float(result.statistic), float(result.pvalue), float(leaning))


@contextmanager
def quietly() -> Iterator[None]:
    """Suppress expected warnings about ties, zeros and small samples."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
