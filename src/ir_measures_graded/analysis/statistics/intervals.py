"""Confidence intervals of the mean of an array, and the intervals' names.

SciPy computes the intervals (Student's t or BCa bootstrap). Both assume that the topics are a random sample
of the topics that matter.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ...core.by_topic import mean_over_topics
from ...errors import GradedError
from .options import check_probability, statistics_library
from .significance import EXACT

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
    if values.size < 2:
        raise GradedError(f"a confidence interval needs at least 2 topics, not {values.size}")
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
    options: dict[str, Any] = {"paired": len(samples) > 1, "axis": -1, "vectorized": True, "method": method}
    options |= {"confidence_level": confidence, "n_resamples": resamples, "rng": np.random.default_rng(seed)}
    options["batch"] = max(1, RESAMPLED_AT_ONCE // samples[0].size)
    found = statistics_library("scipy.stats").bootstrap(tuple(samples), statistic, **options)
    return found.confidence_interval.low, found.confidence_interval.high


def student_interval(mean: Any, error: Any, degrees: Any, confidence: float = 0.95) -> tuple[Any, Any]:
    """The lower and upper bound of Student's t, for numbers or arrays of estimates and standard errors.

    >>> lower, upper = student_interval(0.5, 0.1, 10)
    >>> round(float(lower), 3), round(float(upper), 3)
    (0.277, 0.723)
    """
    reach = statistics_library("scipy.special").stdtrit(degrees, (1 + confidence) / 2) * error
    return mean - reach, mean + reach
