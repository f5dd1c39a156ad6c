"""Standard errors of means over several collections.

Collections are strata of topics, and each counts once, whatever its size. With n_c topics, mean m_c and
standard deviation s_c in each of k collections, the mean over the collections and its standard error are

    M = Σ m_c / k        se² = Σ s_c² / n_c / k²

The test *over these collections* is Student's t of M / se, for other topics of the same collections. For one
collection it is the paired t-test. The test *over collections like these* is Student's t over the k means,
for other collections. The collections must then be a sample of those that matter.

F. E. Satterthwaite: An approximate distribution of estimates of variance components. Biometrics 2, 1946.
W. G. Cochran: The combination of estimates from different experiments. Biometrics 10, 1954.
"""

import numpy as np

from .intervals import student_interval
from .options import statistics_library
from .significance import TIED, deviation_of, quietly, unit_of


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
    means: np.ndarray, mean: np.ndarray, error: np.ndarray, degrees: np.ndarray | int, confidence: float
) -> tuple[np.ndarray, ...]:
    """The mean, its bounds and p. p is 1 if all means are 0, and undefined if the error is 0 otherwise.

    An error that rounding explains counts as 0.
    """
    with quietly():
        error = np.where(error > TIED * np.abs(means).max(axis=0), error, np.nan)
        p = 2 * statistics_library("scipy.special").stdtr(degrees, -np.abs(mean) / error)
        lower, upper = student_interval(mean, error, degrees, confidence)
    equal = np.isnan(error) & (means == 0).all(axis=0)
    lower, upper, p = (np.where(equal, at, found) for at, found in ((0.0, lower), (0.0, upper), (1.0, p)))
    return mean, lower, upper, p


def heterogeneity(means: np.ndarray, deviations: np.ndarray, topics: np.ndarray) -> tuple[np.ndarray, ...]:
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
        q = (weights * (means - (weights * means).sum(axis=0) / weights.sum(axis=0)) ** 2).sum(axis=0)
        p = statistics_library("scipy.special").chdtrc(degrees, q)
        return q, p, np.where(q > 0, np.maximum(0, 1 - degrees / q), np.where(q == 0, 0.0, np.nan))
