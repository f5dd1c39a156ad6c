"""Student's t: intervals and p-values, what it finds with which probability, and means over
collections.

SciPy computes the distributions. Student's t assumes that the topics are a random sample of the
topics that matter.

Collections are strata of topics, and each counts once, whatever its size. With n_c topics, mean m_c
and standard deviation s_c in each of k collections, the mean over the collections and its standard
error are

    M = Σ m_c / k        se² = Σ s_c² / n_c / k²

The test *over these collections* is Student's t of M / se, for other topics of the same
collections. For one collection it is the paired t-test. The test *over collections like these* is
Student's t over the k means, for other collections. The collections must then be a sample of those
that matter.

F. E. Satterthwaite: An approximate distribution of estimates of variance components. Biometrics 2,
1946. W. G. Cochran: The combination of estimates from different experiments. Biometrics 10, 1954.
"""

from bisect import bisect_left
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ...core.budget import within_budget
from ...core.by_topic import mean_over_topics
from ...errors import GradedError
from .defaults import ALPHA, CONFIDENCE, POWER
from .options import check_probability, statistics_library
from .precision import EXACT, TIED, deviation_of, quietly, unit_of
from .resampling import RESAMPLES, bootstrap
from .weighted import sample_of

STUDENT: Final = "t"
BCA: Final = "bca"
KINDS: Final = {STUDENT: "Student's t", BCA: "BCa bootstrap"}
MOST_TOPICS: Final = 10_000_000
"""More topics are not named as needed."""
MOST_JACKKNIFED: Final = 5_000_000_000
"""Values that the jackknife adds, which takes half a minute."""
KEPT_EFFECTS: Final = 1024
"""The number of detectable effects that are kept."""
LEAST_TOPICS_OF_I_SQUARED: Final = 50
"""I² is given if every collection has so many topics."""


class FewTopicsWarning(UserWarning):
    """A result rests on so few topics that its interval is a rough guess."""


def student_interval(
    mean: Any, error: Any, degrees: Any, confidence: float = CONFIDENCE
) -> tuple[Any, Any]:
    """The lower and upper bound of Student's t, for numbers or arrays of estimates and standard
    errors.

    >>> lower, upper = student_interval(0.5, 0.1, 10)
    >>> round(float(lower), 3), round(float(upper), 3)
    (0.277, 0.723)
    """
    special = statistics_library("scipy.special")
    reach = special.stdtrit(degrees, (1 + confidence) / 2) * error
    return mean - reach, mean + reach


def student_p(statistic: Any, degrees: Any) -> Any:
    """The two-sided p-value of Student's t. It is never 0, but at least the smallest normal float.

    >>> round(float(student_p(2.5, 10)), 4), float(student_p(50.0, 7000)) > 0
    (0.0314, True)
    """
    special = statistics_library("scipy.special")
    p = 2 * special.stdtr(degrees, -np.abs(statistic))
    return np.maximum(p, np.finfo(float).tiny)


def mean_interval(
    values: np.ndarray,
    confidence: float = CONFIDENCE,
    method: str = STUDENT,
    *,
    seed: int = 0,
    weights: np.ndarray | None = None,
) -> tuple[float, float]:
    """The confidence interval of the mean of `values`, an array of at least two numbers, one per
    topic.

    The bootstrap draws the topics with replacement; BCa corrects its percentiles for bias and skew.
    Student's t assumes that the mean is normally distributed. The order of the values does not
    matter. Equal values give an interval without width. With `weights` of the topics, Student's t
    is that of `WeightedSample`; the bootstrap takes none.

    >>> mean_interval(np.array([0.5, 0.5, 0.5]))
    (0.5, 0.5)
    >>> lower, upper = mean_interval(np.array([0.0, 0.25, 0.5, 0.75, 1.0]))
    >>> round(lower, 3), round(upper, 3)
    (0.009, 0.991)

    Source: Efron, Better bootstrap confidence intervals, JASA 82, 1987.
    """
    check_probability(confidence, "confidence", CONFIDENCE)
    if method not in KINDS:
        raise GradedError(f"method={method!r} is not allowed; it is one of {', '.join(KINDS)}")
    values = np.asarray(values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    values = values[order]
    if weights is not None:
        weights = weights[order]
    low = values[0]
    spread = values[-1] - low
    if spread <= EXACT * np.abs(values).max():
        mean = float(mean_over_topics(values))
        return mean, mean
    scaled = (values - low) / spread  # tiny values would underflow when squared
    if method == STUDENT:
        sample = sample_of(values.size, weights)
        error = sample.error(scaled)
        bounds = student_interval(sample.mean(scaled), error, sample.degrees, confidence)
    else:
        # The jackknife of BCa takes the mean once without each value.
        what = f"the BCa bootstrap of {scaled.size:,} values"
        within_budget(what, scaled.size**2, MOST_JACKKNIFED, remedy="use Student's t")
        bounds = bootstrap((scaled,), np.mean, confidence, RESAMPLES, seed, method="BCa")
    lower, upper = bounds
    return float(low + spread * lower), float(low + spread * upper)


@lru_cache(KEPT_EFFECTS)
def detectable_effect(
    topics: float, alpha: float = ALPHA, power: float = POWER, degrees: float | None = None
) -> float:
    """The smallest effect size that the paired t-test finds with probability `power` on so many
    topics.

    On fewer than 2 topics, no effect is found: the size is infinite. `alpha` is the level of the
    two-sided test, below `power`. An effect size is a mean difference in standard deviations of the
    differences. Weighted topics have their effective number and the `degrees` of their error.

    >>> round(detectable_effect(20), 3)
    0.66
    """
    if degrees is None:
        degrees = topics - 1
    if not degrees > 0:
        return np.inf
    low = 0.0
    high = 1.0
    while not chance_to_find(high, topics, alpha, degrees) >= power:
        low = high
        high = 2 * high
        if np.isinf(high):
            return np.inf
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if chance_to_find(middle, topics, alpha, degrees) >= power:
            high = middle
        else:
            low = middle
    return high


def topics_needed(
    difference: float,
    deviation: float,
    alpha: float = ALPHA,
    power: float = POWER,
    degrees_per_topic: float | None = None,
) -> int | None:
    """The smallest number of topics, at least 2, on which the paired t-test finds a true
    difference.

    `deviation` is the standard deviation of the differences. None if more than ten million. The
    error of weighted topics has `degrees_per_topic` degrees of freedom for each topic.

    >>> topics_needed(0.05, 0.1), topics_needed(0.00093, 1.0), topics_needed(0.0008, 1.0)
    (34, 9074901, None)
    """
    if deviation == 0:
        return 2

    def is_enough(topics: int) -> bool:
        degrees = None if degrees_per_topic is None else topics * degrees_per_topic
        return chance_to_find(difference / deviation, topics, alpha, degrees) >= power

    high = 2
    while not is_enough(high):
        high *= 2
        if high > 2 * MOST_TOPICS:
            return None
    needed = bisect_left(range(high), True, lo=high // 2 + 1, key=is_enough)
    if needed > MOST_TOPICS:
        return None
    return needed


def deviation_limits(topics: int, confidence: float = 0.8) -> tuple[float, float]:
    """The two-sided limits of a true standard deviation, in estimates from so many topics.

    >>> [round(limit, 2) for limit in deviation_limits(10)]
    [0.78, 1.47]
    """
    special = statistics_library("scipy.special")
    degrees = topics - 1
    largest = special.chdtri(degrees, (1 - confidence) / 2)
    smallest = special.chdtri(degrees, (1 + confidence) / 2)
    lowest = (degrees / largest) ** 0.5
    highest = (degrees / smallest) ** 0.5
    return float(lowest), float(highest)


def chance_to_find(
    effect: float, topics: float, alpha: float, degrees: float | None = None
) -> float:
    """The probability that the two-sided paired t-test finds an effect of that size with its right
    sign.

    This is the power of the one-sided test at half of `alpha`.
    """
    special = statistics_library("scipy.special")
    if degrees is None:
        degrees = topics - 1
    bound = -float(special.stdtrit(degrees, alpha / 2))
    mean = effect * topics**0.5
    chance = 1 - float(special.nctdtr(degrees, mean, bound))
    if np.isnan(chance):  # for such a large effect only the estimate of the deviation is random
        chance = float(special.chdtr(degrees, degrees * (mean / bound) ** 2))
    return chance


def stratified_t(
    means: np.ndarray, deviations: np.ndarray, topics: np.ndarray, confidence: float = CONFIDENCE
) -> tuple[np.ndarray, ...]:
    """Test whether means over collections differ from 0: these means, their lower and upper bounds,
    and p.

    `means` and `deviations` (collections × differences) are those over the topics of each
    collection, `topics` their numbers (at least 2). A deviation is NaN or 0 if the differences of
    all topics are equal. p is 1 if all differences are 0, and undefined if they are constant
    otherwise.

    >>> means, deviations = np.array([[0.1], [0.3]]), np.array([[0.2], [0.4]])
    >>> test = stratified_t(means, deviations, np.array([100, 25]))
    >>> [f"{numbers[0]:.2g}" for numbers in test]
    ['0.2', '0.12', '0.28', '4.5e-05']
    """
    count = len(means)
    finite = np.nan_to_num(deviations)
    unit = unit_of(finite.T).T
    scaled = finite / unit
    variances = scaled**2 / topics[:, None] / count**2
    variance = variances.sum(axis=0)
    with quietly():
        shares = variances / variance
        uncertainties = shares**2 / (topics[:, None] - 1)
        degrees = 1 / uncertainties.sum(axis=0)
    error = unit[0] * variance**0.5
    return _t_test(means, error, degrees, confidence)


def t_of_means(means: np.ndarray, confidence: float = CONFIDENCE) -> tuple[np.ndarray, ...]:
    """Test whether means over other collections differ from 0: the means, lower and upper bounds,
    and p.

    `means` (collections × differences) are a sample. One collection has neither bounds nor p.

    >>> test = t_of_means(np.array([[0.1], [0.3], [0.2]]))
    >>> [f"{numbers[0]:.2g}" for numbers in test]
    ['0.2', '-0.048', '0.45', '0.074']
    """
    count = len(means)
    if count < 2:
        mean = means.mean(axis=0)
        return mean, *np.full((3, mean.size), np.nan)
    error = deviation_of(means.T) / count**0.5
    return _t_test(means, error, count - 1, confidence)


def _t_test(
    means: np.ndarray, error: np.ndarray, degrees: np.ndarray | int, confidence: float
) -> tuple[np.ndarray, ...]:
    """The mean, its bounds and p. p is 1 if all means are 0, and undefined if the error is 0
    otherwise.

    An error that rounding explains counts as 0.
    """
    mean = means.mean(axis=0)
    with quietly():
        is_rounding = ~(error > TIED * np.abs(means).max(axis=0))
        error = np.where(is_rounding, np.nan, error)
        p = student_p(mean / error, degrees)
        lower, upper = student_interval(mean, error, degrees, confidence)
    equal = np.isnan(error) & (means == 0).all(axis=0)
    lower[equal] = 0.0
    upper[equal] = 0.0
    p[equal] = 1.0
    return mean, lower, upper, p


def heterogeneity(
    means: np.ndarray, deviations: np.ndarray, topics: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether means differ between collections: Alexander and Govern's A, its p, and I².

    Cochran's Q rejects too often if collections have few topics; Alexander and Govern's test does
    not. I² (Higgins & Thompson 2002), the share of the variance of the means that topics do not
    explain, rests on Q: it is given only if every collection has 50 topics. All are undefined for
    one collection, and if the differences of a collection are constant.

    >>> means, deviations = np.array([[0.1], [0.3]]), np.array([[0.2], [0.4]])
    >>> test = heterogeneity(means, deviations, np.array([100, 50]))
    >>> [f"{numbers[0]:.2g}" for numbers in test]
    ['10', '0.0015', '0.91']

    Source: Alexander & Govern, A new and simpler approximation for ANOVA under variance
    heterogeneity, Journal of Educational Statistics 19(2), 1994.
    """
    collections, differences = means.shape
    undefined = np.full(differences, np.nan)
    if collections < 2:
        return undefined, undefined, undefined
    unit = unit_of(np.nan_to_num(deviations).T).T
    means = means / unit
    deviations = deviations / unit
    degrees = topics[:, None] - 1
    degrees_of_means = collections - 1
    with quietly():
        errors = np.where(deviations > 0, deviations, np.nan) / topics[:, None] ** 0.5
        weights = 1 / errors**2
        weighted_mean = (weights * means).sum(axis=0) / weights.sum(axis=0)
        t = (means - weighted_mean) / errors
        deviates = _normal_of_t(t, degrees)
        a = (deviates**2).sum(axis=0)
        p = statistics_library("scipy.special").chdtrc(degrees_of_means, a)
        q = (t**2).sum(axis=0)
        i_squared = 1 - degrees_of_means / np.maximum(q, degrees_of_means)
    if topics.min() < LEAST_TOPICS_OF_I_SQUARED:
        i_squared = undefined
    return a, p, i_squared


def _normal_of_t(t: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    """The size of the standard normal deviate that is as probable as Student's t (Hill 1970)."""
    a = degrees - 0.5
    b = 48 * a**2
    c = np.sqrt(a * np.log1p(t**2 / degrees))
    second = (c**3 + 3 * c) / b
    numerator = 4 * c**7 + 33 * c**5 + 240 * c**3 + 855 * c
    denominator = 10 * b**2 + 8 * b * c**4 + 1000 * b
    return np.asarray(c + second - numerator / denominator)
