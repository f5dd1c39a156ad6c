"""The primary procedure: paired t-tests of a family of pairs of runs, and detectable differences.

A family is one pair, all runs against a baseline, or all pairs. `paired` tests the differences of a family by
the two-sided paired t-test with Holm's correction. Its intervals hold simultaneously (Šidák), and its minimum
detectable effects are those at the level of the family.

SciPy computes the tests. They assume that the topics are a random sample.

S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979.
Z. Šidák: Rectangular confidence regions for the means of multivariate normal distributions. JASA 62, 1967.
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from ...core.by_topic import mean_over_topics
from .intervals import student_interval, student_p
from .options import statistics_library
from .significance import deviation_of, differences_of, holm, quietly

Pairs = Sequence[tuple[int, int]]
"""A family, as numbers of runs."""
FEW: Final = 10
"""Fewer topics show intervals of several differences, but none of them is called significant."""
POWER: Final = 0.8
MOST_TOPICS: Final = 10_000_000
MISSING: Final = "one of the runs has no values"
EQUAL: Final = "the two runs are equal in every topic"
CONSTANT: Final = "the difference is the same in every topic, so that t is undefined"
UNTESTED: Final = f"intervals only: fewer than {FEW} topics for several differences or in a group"
FEW_DIFFER: Final = f"fewer than {FEW} topics differ"


class Paired(NamedTuple):
    """The differences of a family, in arrays over its pairs; a number is NaN where it is undefined.

    `difference` is the mean of the first run minus that of the second. `statistic` is t, `p` its p-value,
    `adjusted` the p-value with Holm's correction. `lower` and `upper` bound all differences of the family
    together. `deviation` is the standard deviation of the differences over the topics, `effect_size` Cohen's
    d_z. `detectable` is the smallest true difference that the test finds with probability .8 at the family's
    level. `note` explains what is undefined or rough.
    """

    difference: np.ndarray
    statistic: np.ndarray
    p: np.ndarray
    adjusted: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    deviation: np.ndarray
    effect_size: np.ndarray
    detectable: np.ndarray
    note: np.ndarray


def paired(
    values: np.ndarray, pairs: Pairs, alpha: float = 0.05, family: int | None = None
) -> Paired:
    """Test the differences of `pairs` of rows of `values` (runs × topics, at least 2 topics).

    Two equal rows have p = 1 and an interval without width. A constant difference other than 0 has neither p
    nor interval. Several differences over fewer than 10 topics have intervals, but no p.

    The topics may be those of one of several parts. Its parts of at least 10 topics then have `family`
    differences in all, and intervals and effects hold for all of them together. Fewer than 10 topics of a
    part have no p. A row may be NaN.

    >>> found = paired(np.array([[0.2, 0.3, 0.4], [0.3, 0.5, 0.7]]), [(1, 0)])
    >>> found.difference.round(3), found.statistic.round(3), found.effect_size.round(3)
    (array([0.2]), array([3.464]), array([2.]))
    >>> found.lower.round(3), found.upper.round(3), found.note.tolist()
    (array([-0.048]), array([0.448]), ['fewer than 10 topics differ'])
    """
    first, second = np.array(pairs).T
    differences, noise = differences_of(values[first], values[second])
    count, topics = differences.shape
    size = family or count
    level, degrees = (1 - alpha) ** (1 / size), topics - 1
    equal = ~differences.any(axis=1)
    constant = ~equal & (np.ptp(differences, axis=1) <= noise) & (topics > 1)
    mean = mean_over_topics(differences)
    with quietly():
        deviation = np.where(constant, np.nan, deviation_of(differences))
        effect_size = np.where(equal, 0.0, mean / deviation)
        statistic, error = effect_size * topics**0.5, deviation / topics**0.5
    statistic[equal] = np.nan
    p = student_p(statistic, degrees)
    p[equal] = 1.0
    adjusted = holm(p, count)
    if topics < FEW and (count > 1 or family is not None):
        p, adjusted = np.full((2, count), np.nan)
    lower, upper = student_interval(mean, error, degrees, level)
    detectable = np.where(equal, np.nan, deviation) * detectable_effect(topics, alpha / size)
    few = np.count_nonzero(differences, axis=1) < FEW
    cases = [np.isnan(mean), equal, constant, np.isnan(p), few]
    note = np.select(cases, [MISSING, EQUAL, CONSTANT, UNTESTED, FEW_DIFFER], "")
    return Paired(
        mean, statistic, p, adjusted, lower, upper, deviation, effect_size, detectable, note
    )


def paired_in_parts(parts: Sequence[np.ndarray], pairs: Pairs, alpha: float) -> list[Paired]:
    """The tests of `pairs` in each of some parts of the topics, such as groups or collections.

    P-values, intervals and effects have the correction for all differences in all parts of at least 10
    topics.
    """
    first, second = np.array(pairs).T
    large = [part for part in parts if part.shape[1] >= FEW]
    family = sum(int(np.isfinite(part[first] - part[second]).all(axis=1).sum()) for part in large)
    found = [paired(part, pairs, alpha, family) for part in parts]
    adjusted = holm(np.array([each.p for each in found]), family)
    return [each._replace(adjusted=p) for each, p in zip(found, adjusted, strict=True)]


@cache
def detectable_effect(topics: int, alpha: float = 0.05, power: float = POWER) -> float:
    """The smallest effect size that the paired t-test finds with probability `power` on so many topics.

    On fewer than 2 topics, no effect is found: the size is infinite. `alpha` is the level of the two-sided
    test, below `power`. An effect size is a mean difference in standard deviations of the differences.

    >>> round(detectable_effect(20), 3)
    0.66
    """
    if topics < 2:
        return np.inf
    low, high = 0.0, 1.0
    while not chance_to_find(high, topics, alpha) >= power:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (
            (low, middle) if chance_to_find(middle, topics, alpha) >= power else (middle, high)
        )
    return high


def topics_needed(
    difference: float, deviation: float, alpha: float = 0.05, power: float = POWER
) -> int | None:
    """The smallest number of topics, at least 2, on which the paired t-test finds a true difference.

    `deviation` is the standard deviation of the differences. None if more than ten million.

    >>> topics_needed(0.05, 0.1), topics_needed(0.00093, 1.0), topics_needed(0.0008, 1.0)
    (34, 9074901, None)
    """
    if deviation == 0:
        return 2

    def enough(topics: int) -> bool:
        return chance_to_find(difference / deviation, topics, alpha) >= power

    high = 2
    while not enough(high):
        high *= 2
        if high > 2 * MOST_TOPICS:
            return None
    found = bisect_left(range(high), True, lo=high // 2 + 1, key=enough)
    return found if found <= MOST_TOPICS else None


def deviation_limits(topics: int, confidence: float = 0.8) -> tuple[float, float]:
    """The two-sided limits of a true standard deviation, in estimates from so many topics.

    >>> [round(limit, 2) for limit in deviation_limits(10)]
    [0.78, 1.47]
    """
    chi2, degrees = statistics_library("scipy.special").chdtri, topics - 1
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = (float((degrees / chi2(degrees, tail)) ** 0.5) for tail in tails)
    return low, high


def chance_to_find(effect: float, topics: int, alpha: float) -> float:
    """The probability that the two-sided paired t-test finds an effect of that size with its right sign.

    This is the power of the one-sided test at half of `alpha`.
    """
    special, degrees = statistics_library("scipy.special"), topics - 1
    bound, mean = -float(special.stdtrit(degrees, alpha / 2)), effect * topics**0.5
    chance = 1 - float(special.nctdtr(degrees, mean, bound))
    if np.isnan(chance):  # for such a large effect only the estimate of the deviation is random
        chance = float(special.chdtr(degrees, degrees * (mean / bound) ** 2))
    return chance
