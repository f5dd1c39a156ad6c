"""One-sided tests of whether a mean is above 0, as a gate needs them, and the topics that they
need.

All functions take the values of the topics of one difference, whose mean should be above 0.

C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits. Biometrika 26, 1934.
"""

from typing import Final

import numpy as np

from .options import statistics_library
from .weighted import Sample

STEPS_OF_BOUND: Final = 20
LEAST_SPREAD: Final = 1e-9
STEPS_TO_LARGEST: Final = 200
CUTS_OF_ENDS: Final = 50


def quantile(degrees: float, level: float) -> float:
    """Student's t that is exceeded with the probability `level`; NaN without degrees of freedom.

    >>> round(quantile(10, 0.05), 3)
    1.812
    """
    special = statistics_library("scipy.special")
    return float(special.stdtrit(degrees, 1 - level))


def standard_error(values: np.ndarray, sample: Sample, noise: float = 0.0) -> float:
    """The standard error of the mean; 0 if the values differ by at most `noise`."""
    if np.ptp(values) <= noise:
        return 0.0
    return float(sample.error(values))


def p_above_0(values: np.ndarray, sample: Sample, noise: float = 0.0) -> float:
    """The p-value of the one-sided t-test of whether the true mean is above 0, but for errors of
    `noise`.

    It is above 0. If all values are equal, t is undefined: p is then that of the exact sign-flip
    test, 2^−n for n values above 0, and 1 for others.

    >>> p_above_0(np.array([0.5, 0.5]), Sample(2))
    0.25
    >>> round(p_above_0(np.array([0.5, 0.25]), Sample(2)), 3)
    0.102
    """
    mean = float(sample.mean(values))
    error = standard_error(values, sample, noise)
    if error > 0:
        special = statistics_library("scipy.special")
        p = float(special.stdtr(sample.degrees, -mean / error))
    elif mean > noise:
        p = 2.0**-values.size
    else:
        p = 1.0
    return max(p, float(np.finfo(float).tiny))


def least_lower_bound(low: np.ndarray, high: np.ndarray, level: float, sample: Sample) -> float:
    """A number that is at most the lower bound of the mean for any values from `low` to `high`.

    With the shares r and the factors a of the sample, the bound is m − t√(Σ a(e − m)²) with m = Σ
    re. It is concave in the values e, so its minimum is at ends of their ranges. With the mean by
    a, M = Σ ae / Σ a, the root is at most √(Σ a(e − c)²) + √(Σ a)·|m − M| for any centre c. For any
    scale β > 0, the bound is therefore at least Σ [re − ta(e − c)²/2β] − tβ/2 − t√(Σ a)·D, where D
    is the largest |m − M|, 0 for equal weights. Each topic's term of the sum is also least at an
    end.

    >>> least_lower_bound(np.array([0.1, 0.3]), np.array([0.2, 0.4]), 0.05, Sample(2)) < 0
    True
    """
    shares = sample.shares
    factors = sample.factors
    total = float(factors.sum())
    scale = quantile(sample.degrees, level)
    shifts = shares - factors / total
    most = float(np.maximum(shifts * low, shifts * high).sum())
    least = float(np.minimum(shifts * low, shifts * high).sum())
    farthest = max(most, -least)
    ends = np.stack([low, high])
    chosen = low
    bound = -np.inf
    # Each step has the centre and the scale of the ends that the last one chose.
    for _ in range(STEPS_OF_BOUND):
        centre = (factors * chosen).sum() / total
        spread = float((factors * (chosen - centre) ** 2).sum() ** 0.5)
        spread = max(spread, LEAST_SPREAD * total**0.5)
        penalties = scale * factors * (ends - centre) ** 2 / (2 * spread)
        terms = shares * ends - penalties
        least_sum = float(terms.min(axis=0).sum())
        bound = max(bound, least_sum - scale * (spread / 2 + total**0.5 * farthest))
        chosen = np.where(terms[0] <= terms[1], low, high)
    return bound


def may_exceed_0(low: np.ndarray, high: np.ndarray, level: float, sample: Sample) -> bool:
    """Whether the lower bound of the mean is above 0 for some values from `low` to `high`.

    It is False only if no values have such a bound. The bound of `least_lower_bound` is concave in
    the values, so that it is at most its tangent plane at any values, which is largest at ends of
    the ranges. For equal weights, values cut at a number have the largest bound. The algorithm of
    Frank and Wolfe goes on from there.

    M. Frank, P. Wolfe: An algorithm for quadratic programming. Naval Research Logistics Quarterly
    3, 1956.

    >>> may_exceed_0(np.array([-0.1, 0.1]), np.array([0.1, 0.1]), 0.05, Sample(2))
    True
    >>> may_exceed_0(np.array([-0.1, 0.1]), np.array([-0.05, 0.1]), 0.05, Sample(2))
    False
    """
    shares = sample.shares
    factors = sample.factors
    scale = quantile(sample.degrees, level)

    def bounds(values: np.ndarray) -> np.ndarray:
        means = (shares * values).sum(axis=-1)
        deviations = values - means[..., None]
        errors = (factors * deviations**2).sum(axis=-1) ** 0.5
        return np.asarray(means - scale * errors)

    if (shares * high).sum() <= 0:
        return False
    cuts = np.quantile(np.concatenate([low, high]), np.linspace(0, 1, CUTS_OF_ENDS))
    candidates = np.clip(cuts[:, None], low, high)
    values = candidates[int(np.argmax(bounds(candidates)))]
    for step in range(STEPS_TO_LARGEST):
        bound = float(bounds(values))
        if bound > 0:
            return True
        deviations = values - (shares * values).sum()
        error = float((factors * deviations**2).sum() ** 0.5)
        if error == 0:
            return True
        turned = factors * deviations - shares * (factors * deviations).sum()
        slopes = shares - scale * turned / error
        ends = np.where(slopes > 0, high, low)
        if bound + (slopes * (ends - values)).sum() <= 0:
            return False
        values = values + (ends - values) * 2 / (step + 2 + CUTS_OF_ENDS)
    return True


def most_unseen(lost: int, topics: int, level: float) -> float:
    """Clopper and Pearson's one-sided upper bound of the share of topics that are lost.

    >>> round(most_unseen(0, 50, 0.05), 3)
    0.058
    """
    if lost >= topics:
        return 1.0
    special = statistics_library("scipy.special")
    return float(special.betaincinv(lost + 1, topics - lost, 1 - level))
