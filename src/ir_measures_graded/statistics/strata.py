"""Means over collections whose topics are strata: each collection counts once, whatever its size.

With n_c topics, mean m_c and standard deviation s_c in each of k collections, the mean over the collections
and its standard error are

    M = Σ m_c / k        se² = Σ s_c² / n_c / k²

The test is Student's t of M / se with the degrees of freedom of Welch and Satterthwaite. For one collection
it is the paired t-test.

F. E. Satterthwaite: An approximate distribution of estimates of variance components. Biometrics 2, 1946.
J. N. K. Rao, C. F. J. Wu: Resampling inference with complex survey data. JASA 83, 1988.
"""

from collections.abc import Sequence

import numpy as np

from .options import statistics_library
from .significance import quietly

DRAWN_AT_ONCE = 1_000_000
"""Counts of topics in resamples, which take a few tens of megabytes."""


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
    special, count = statistics_library("scipy.special"), len(means)
    mean = means.mean(axis=0)
    parts = np.nan_to_num(deviations) ** 2 / topics[:, None] / count**2
    variance = parts.sum(axis=0)
    with quietly():
        degrees = variance**2 / (parts**2 / (topics[:, None] - 1)).sum(axis=0)
        p = np.where(variance > 0, 2 * special.stdtr(degrees, -np.abs(mean) / variance**0.5), np.nan)
        reach = special.stdtrit(degrees, (1 + confidence) / 2) * variance**0.5
    equal = (variance == 0) & (means == 0).all(axis=0)
    p[equal], reach[equal] = 1.0, 0.0
    return mean, mean - reach, mean + reach, p


def resampled_interval(
    values: Sequence[np.ndarray], resamples: int, confidence: float = 0.95, seed: int = 0
) -> np.ndarray:
    """The lower and upper bounds (2 × rows) of the means over collections, by the percentile bootstrap.

    `values` has an array (rows × topics, at least 2) for each collection. A resample draws n − 1 of the n
    topics of each collection with replacement, so that its variance is not too small (Rao & Wu). All rows
    share the draws. Rows with NaN have no interval.
    """
    generator = np.random.default_rng(seed)
    means = np.zeros((resamples, len(values[0])))
    for array in values:
        topics = array.shape[1]
        batch = max(1, DRAWN_AT_ONCE // topics)
        for start in range(0, resamples, batch):
            part = means[start : start + batch]
            drawn = generator.integers(topics, size=(len(part), topics - 1))
            drawn += topics * np.arange(len(part))[:, None]
            counts = np.bincount(drawn.ravel(), minlength=len(part) * topics).reshape(-1, topics)
            part += counts.astype(float) @ (array.T / (topics - 1) / len(values))
    tail = (1 - confidence) / 2
    return np.quantile(means, [tail, 1 - tail], axis=0)
