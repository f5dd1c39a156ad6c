"""One-sided tests of whether a mean is above 0, as a gate needs them, and the topics that they
need.

All functions take the values of the topics of one difference, whose mean should be above 0.

C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits. Biometrika 26, 1934.
"""

from typing import Final

import numpy as np

from ...core.by_topic import mean_over_topics
from .options import statistics_library
from .precision import deviation_of

STEPS_OF_BOUND: Final = 20
LEAST_SPREAD: Final = 1e-9


def quantile(topics: int, level: float) -> float:
    """Student's t that so many topics exceed with the probability `level`; NaN for a single topic.

    >>> round(quantile(11, 0.05), 3)
    1.812
    """
    special = statistics_library("scipy.special")
    return float(special.stdtrit(topics - 1, 1 - level))


def standard_error(values: np.ndarray, noise: float = 0.0) -> float:
    """The standard error of the mean; 0 if the values differ by at most `noise`."""
    if np.ptp(values) <= noise:
        return 0.0
    return float(deviation_of(values) / values.size**0.5)


def p_above_0(values: np.ndarray, noise: float = 0.0) -> float:
    """The p-value of the one-sided t-test of whether the true mean is above 0, but for errors of
    `noise`.

    It is above 0. If all values are equal, t is undefined: p is then that of the exact sign-flip
    test, 2^−n for n values above 0, and 1 for others.

    >>> p_above_0(np.array([0.5, 0.5])), round(p_above_0(np.array([0.5, 0.25])), 3)
    (0.25, 0.102)
    """
    mean = float(mean_over_topics(values))
    error = standard_error(values, noise)
    if error > 0:
        special = statistics_library("scipy.special")
        p = float(special.stdtr(values.size - 1, -mean / error))
    elif mean > noise:
        p = 2.0**-values.size
    else:
        p = 1.0
    return max(p, float(np.finfo(float).tiny))


def least_lower_bound(low: np.ndarray, high: np.ndarray, level: float) -> float:
    """A number that is at most the lower bound of the mean for any values from `low` to `high`.

    The bound mean − k‖e − mean‖ is concave in the values e, so its minimum is at ends of their
    ranges. For any centre c and scale β > 0, it is at least Σ [e/n − k(e − c)²/2β] − kβ/2. Each
    topic's term of this sum is also least at an end.

    >>> least_lower_bound(np.array([0.1, 0.3]), np.array([0.2, 0.4]), 0.05) < 0
    True
    """
    topics = low.size
    scale = quantile(topics, level) / (topics * (topics - 1)) ** 0.5
    ends = np.stack([low, high])
    chosen = low
    bound = -np.inf
    # Each step has the centre and the scale of the ends that the last one chose.
    for _ in range(STEPS_OF_BOUND):
        centre = chosen.mean()
        spread = max(float(np.linalg.norm(chosen - centre)), LEAST_SPREAD)
        penalties = scale * (ends - centre) ** 2 / (2 * spread)
        terms = ends / topics - penalties
        least_sum = float(terms.min(axis=0).sum())
        bound = max(bound, least_sum - scale * spread / 2)
        chosen = np.where(terms[0] <= terms[1], low, high)
    return bound


def most_unseen(lost: int, topics: int, level: float) -> float:
    """Clopper and Pearson's one-sided upper bound of the share of topics that are lost.

    >>> round(most_unseen(0, 50, 0.05), 3)
    0.058
    """
    if lost >= topics:
        return 1.0
    special = statistics_library("scipy.special")
    return float(special.betaincinv(lost + 1, topics - lost, 1 - level))
