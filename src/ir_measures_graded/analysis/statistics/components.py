"""Standard errors with several sources: topics of several collections, or topics and repeated runs.

Collections are strata of topics, and each counts once, whatever its size. With n_c topics, mean m_c and
standard deviation s_c in each of k collections, the mean over the collections and its standard error are

    M = Σ m_c / k        se² = Σ s_c² / n_c / k²

The test is Student's t of M / se. For one collection it is the paired t-test.

Systems may have repeated runs, such as five seeds. The value of repeat r of a system for topic t has random
effects of the repeat, the topic and both together: ``y = mean + repeat + topic + residual``, a two-way layout
of topics × repeats for each system, whose repeats are its own. Two systems are compared on the same topics.
With n topics, k repeats, s² the variance of the repeats' means, and e² the residual mean square of the
layout, the variance of a difference of means is

    topics = variance of the differences of each topic's mean over the repeats / n
    repeats = Σ over both systems of s² / k
    both = topics + Σ over both systems of max(0, s² − e² / n) / k

The residual is in ``topics`` and ``repeats``, and once in ``both``. The degrees of freedom of both tests are
those of Welch and Satterthwaite.

F. E. Satterthwaite: An approximate distribution of estimates of variance components. Biometrics 2, 1946.
J. N. K. Rao, C. F. J. Wu: Resampling inference with complex survey data. JASA 83, 1988.
S. R. Searle, G. Casella, C. E. McCulloch: Variance Components, Wiley, 1992 (chapter 4, two-way layouts with
random effects).
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


def errors_of(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float, float]:
    """The standard errors of the difference of two systems' means over topics, repeats and both.

    The values of each system are an array (repeats × at least 2 topics); those of one run have no variance
    over repeats here. The last number has the degrees of freedom of the error over both. See the module.

    >>> first, second = np.array([[1., 3., 5.], [2., 4., 6.]]), np.array([[0., 1., 5.]])
    >>> np.round(errors_of(first, second), 3).tolist()
    [0.577, 0.5, 0.764, 2.882]
    """
    topics = first.shape[1]
    of_topics = (first.mean(axis=0) - second.mean(axis=0)).var(ddof=1) / topics
    of_repeats, added, spread = 0.0, 0.0, of_topics**2 / (topics - 1)
    for values in (first, second):
        if (count := len(values)) > 1:
            means = values.mean(axis=1, keepdims=True)
            residual = values - means - values.mean(axis=0) + values.mean()
            degrees = (count - 1) * (topics - 1)
            total, rest = means.var(ddof=1) / count, (residual**2).sum() / degrees / topics / count
            of_repeats += total
            added += max(0.0, total - rest)
            spread += total**2 / (count - 1) + rest**2 / degrees
    both = of_topics + added
    return of_topics**0.5, of_repeats**0.5, both**0.5, both**2 / spread if spread else np.inf
