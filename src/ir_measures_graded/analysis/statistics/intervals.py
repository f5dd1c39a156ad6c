"""Confidence intervals of means over topics, and tests of means over several collections.

SciPy computes the intervals (Student's t or BCa bootstrap). Both assume that the topics are a random sample
of the topics that matter.

Collections are strata of topics, and each counts once, whatever its size. With n_c topics, mean m_c and
standard deviation s_c in each of k collections, the mean over the collections and its standard error are

    M = Σ m_c / k        se² = Σ s_c² / n_c / k²

The test *over these collections* is Student's t of M / se, for other topics of the same collections. For one
collection it is the paired t-test. The test *over collections like these* is Student's t over the k means,
for other collections. The collections must then be a sample of those that matter.

F. E. Satterthwaite: An approximate distribution of estimates of variance components. Biometrics 2, 1946.
W. G. Cochran: The combination of estimates from different experiments. Biometrics 10, 1954.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ...core.by_topic import mean_over_topics
from ...errors import GradedError
from .options import check_probability, statistics_library
from .significance import EXACT, TIED, deviation_of, quietly, unit_of

STUDENT: Final = "t"
BCA: Final = "bca"
KINDS: Final = {STUDENT: "Student's t", BCA: "BCa bootstrap"}
RESAMPLES: Final = 9999
RESAMPLED_AT_ONCE: Final = 100_000  # values: fits into a processor's cache


class FewTopicsWarning(UserWarning):
    """A result rests on so few topics that its interval is a rough guess."""


def mean_interval(
    values: np.ndarray, confidence: float = 0.95, method: str = STUDENT, *, seed: int = 0
) -> tuple[float, float]:
    """The confidence interval of the mean of `values`, an array of at least two numbers, one per topic.

    The bootstrap draws the topics with replacement; BCa corrects its percentiles for bias and skew. Student's
    t assumes that the mean is normally distributed. The order of the values does not matter. Equal values
    give an interval without width.

    >>> mean_interval(np.array([0.5, 0.5, 0.5]))
    (0.5, 0.5)
    >>> lower, upper = mean_interval(np.array([0.0, 0.25, 0.5, 0.75, 1.0]))
    >>> round(lower, 3), round(upper, 3)
    (0.009, 0.991)

    Source: Efron, Better bootstrap confidence intervals, JASA 82, 1987.
    """
    check_probability(confidence, "confidence", 0.95)
    if method not in KINDS:
        raise GradedError(f"method={method!r} is not allowed; it is one of {', '.join(KINDS)}")
    values = np.sort(np.asarray(values, dtype=np.float64))
    low, spread, mean = values[0], values[-1] - values[0], float(mean_over_topics(values))
    if spread <= EXACT * np.abs(values).max():
        return mean, mean
    scaled = (values - low) / spread  # tiny values would underflow when squared
    if method == STUDENT:
        error = scaled.std(ddof=1) / values.size**0.5
        bounds = student_interval(scaled.mean(), error, values.size - 1, confidence)
    else:
        bounds = bootstrap((scaled,), np.mean, confidence, RESAMPLES, seed, method="BCa")
    lower, upper = (float(low + spread * bound) for bound in bounds)
    return lower, upper


def bootstrap(
    samples: Sequence[np.ndarray],
    statistic: Callable[..., Any],
    confidence: float,
    resamples: int,
    seed: int,
    method: str,
) -> tuple[Any, Any]:
    """SciPy's bootstrap of a statistic of paired samples, whose last axis has the topics.

    `statistic` takes the samples and `axis`. `method` is ``BCa`` or ``percentile``.
    """
    options: dict[str, Any] = {
        "paired": len(samples) > 1,
        "axis": -1,
        "vectorized": True,
        "method": method,
    }
    options |= {
        "confidence_level": confidence,
        "n_resamples": resamples,
        "rng": np.random.default_rng(seed),
    }
    options["batch"] = max(1, RESAMPLED_AT_ONCE // samples[0].size)
    found = statistics_library("scipy.stats").bootstrap(tuple(samples), statistic, **options)
    return found.confidence_interval.low, found.confidence_interval.high


def student_interval(
    mean: Any, error: Any, degrees: Any, confidence: float = 0.95
) -> tuple[Any, Any]:
    """The lower and upper bound of Student's t, for numbers or arrays of estimates and standard errors.

    >>> lower, upper = student_interval(0.5, 0.1, 10)
    >>> round(float(lower), 3), round(float(upper), 3)
    (0.277, 0.723)
    """
    reach = statistics_library("scipy.special").stdtrit(degrees, (1 + confidence) / 2) * error
    return mean - reach, mean + reach


def student_p(statistic: Any, degrees: Any) -> Any:
    """The two-sided p-value of Student's t. It is never 0, but at least the smallest normal float.

    >>> round(float(student_p(2.5, 10)), 4), float(student_p(50.0, 7000)) > 0
    (0.0314, True)
    """
    p = 2 * statistics_library("scipy.special").stdtr(degrees, -np.abs(statistic))
    return np.maximum(p, np.finfo(float).tiny)


def stratified_t(
    means: np.ndarray, deviations: np.ndarray, topics: np.ndarray, confidence: float = 0.95
) -> tuple[np.ndarray, ...]:
    """Test whether means over collections differ from 0: these means, their lower and upper bounds, and p.

    `means` and `deviations` (collections × differences) are those over the topics of each collection,
    `topics` their numbers (at least 2). A deviation is NaN or 0 if the differences of all topics are equal. p
    is 1 if all differences are 0, and undefined if they are constant otherwise.

    >>> found = stratified_t(np.array([[0.1], [0.3]]), np.array([[0.2], [0.4]]), np.array([100, 25]))
    >>> [f"{numbers[0]:.2g}" for numbers in found]
    ['0.2', '0.12', '0.28', '4.5e-05']
    """
    count, mean = len(means), means.mean(axis=0)
    known = np.nan_to_num(deviations)
    unit = unit_of(known.T).T
    parts = (known / unit) ** 2 / topics[:, None] / count**2
    variance = parts.sum(axis=0)
    with quietly():
        degrees = 1 / ((parts / variance) ** 2 / (topics[:, None] - 1)).sum(axis=0)
    return _t_test(means, mean, unit[0] * variance**0.5, degrees, confidence)


def t_of_means(means: np.ndarray, confidence: float = 0.95) -> tuple[np.ndarray, ...]:
    """Test whether means over other collections differ from 0: the means, lower and upper bounds, and p.

    `means` (collections × differences) are a sample. One collection has neither bounds nor p.

    >>> found = t_of_means(np.array([[0.1], [0.3], [0.2]]))
    >>> [f"{numbers[0]:.2g}" for numbers in found]
    ['0.2', '-0.048', '0.45', '0.074']
    """
    count, mean = len(means), means.mean(axis=0)
    if count < 2:
        return mean, *np.full((3, mean.size), np.nan)
    return _t_test(means, mean, deviation_of(means.T) / count**0.5, count - 1, confidence)


def _t_test(
    means: np.ndarray,
    mean: np.ndarray,
    error: np.ndarray,
    degrees: np.ndarray | int,
    confidence: float,
) -> tuple[np.ndarray, ...]:
    """The mean, its bounds and p. p is 1 if all means are 0, and undefined if the error is 0 otherwise.

    An error that rounding explains counts as 0.
    """
    with quietly():
        error = np.where(error > TIED * np.abs(means).max(axis=0), error, np.nan)
        p = student_p(mean / error, degrees)
        lower, upper = student_interval(mean, error, degrees, confidence)
    equal = np.isnan(error) & (means == 0).all(axis=0)
    lower, upper, p = (
        np.where(equal, at, found) for at, found in ((0.0, lower), (0.0, upper), (1.0, p))
    )
    return mean, lower, upper, p


def heterogeneity(
    means: np.ndarray, deviations: np.ndarray, topics: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Whether means differ between collections: Cochran's Q, its p, and I² (Higgins & Thompson 2002).

    I² is the share of the variance of the means that topics do not explain. Undefined for one collection, and
    if the differences of a collection are constant.

    >>> found = heterogeneity(np.array([[0.1], [0.3]]), np.array([[0.2], [0.4]]), np.array([100, 25]))
    >>> [f"{numbers[0]:.2g}" for numbers in found]
    ['5.9', '0.015', '0.83']
    """
    degrees = len(means) - 1
    if degrees < 1:
        return tuple(np.full((3, means.shape[1]), np.nan))
    unit = unit_of(np.nan_to_num(deviations).T).T
    means, deviations = means / unit, deviations / unit
    with quietly():
        weights = topics[:, None] / np.where(deviations > 0, deviations, np.nan) ** 2
        q = (weights * (means - (weights * means).sum(axis=0) / weights.sum(axis=0)) ** 2).sum(
            axis=0
        )
        p = statistics_library("scipy.special").chdtrc(degrees, q)
        return q, p, np.maximum(0, 1 - degrees / np.where(q == 0, degrees, q))
