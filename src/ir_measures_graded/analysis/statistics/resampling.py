"""The bootstrap, resampled topics, and the randomisation tests of pairs of runs."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ...core.budget import within_budget
from ...progress import steps
from .options import statistics_library
from .precision import differences_of, noise_of
from .tests import EQUAL, Outcome

RESAMPLES: Final = 9999
"""The resamples of an interval of the bootstrap."""
RESAMPLED_AT_ONCE: Final = 100_000
"""The number of values that fits into a processor's cache."""
PERMUTED_AT_ONCE: Final = 1_000_000
"""The number of values that takes a few tens of megabytes."""
MOST_RESAMPLED: Final = 200_000_000
"""Topics of all resamples together, whose counts take 0.8 GB."""


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
    scipy_stats = statistics_library("scipy.stats")
    resamples_at_once = max(1, RESAMPLED_AT_ONCE // samples[0].size)
    result = scipy_stats.bootstrap(
        tuple(samples),
        statistic,
        paired=len(samples) > 1,
        axis=-1,
        vectorized=True,
        method=method,
        confidence_level=confidence,
        n_resamples=resamples,
        rng=np.random.default_rng(seed),
        batch=resamples_at_once,
    )
    interval = result.confidence_interval
    return interval.low, interval.high


def resampled_topics(topics: int, resamples: int, seed: int) -> np.ndarray:
    """How often each topic is in the sample and in each resample of it (1 + resamples × topics).

    The first row is the sample itself. The others draw as many topics with replacement. A single
    topic has no resamples: they would all equal it, as if other topics could not differ. Raises
    `GradedError` if this would take minutes.

    >>> counts = resampled_topics(3, 4, seed=0)
    >>> counts[0].tolist(), counts.sum(axis=1).tolist()
    ([1, 1, 1], [3, 3, 3, 3, 3])
    >>> resampled_topics(1, 4, seed=0).tolist()
    [[1]]
    """
    if topics < 2:
        resamples = 0
    what = f"{resamples:,} resamples of {topics:,} topics"
    within_budget(what, resamples * topics, MOST_RESAMPLED, remedy="use fewer resamples")
    generator = np.random.default_rng(seed)
    shares = np.full(topics, 1 / topics)
    counts = np.ones((1 + resamples, topics), dtype=np.int32)
    at_once = max(1, PERMUTED_AT_ONCE // topics)
    for start in range(1, 1 + resamples, at_once):
        rows = counts[start : start + at_once]
        rows[:] = generator.multinomial(topics, shares, len(rows))
    return counts


def in_parts(
    function: Callable[..., dict[str, Any]], size: int, *rows: np.ndarray
) -> dict[str, np.ndarray]:
    """The arrays that a function makes of rows of this size, of some rows at a time.

    >>> doubled = in_parts(lambda numbers: {"doubled": 2 * numbers}, 500_000, np.arange(5))
    >>> doubled["doubled"]
    array([0, 2, 4, 6, 8])
    """
    count = 1 + len(rows[0]) * size // PERMUTED_AT_ONCE
    split = [np.array_split(array, count) for array in rows]
    parts = steps(zip(*split, strict=True), "batches of resamples", count)
    by_part = [function(*arrays) for arrays in parts]
    names = list(by_part[0])
    return {name: np.concatenate([values[name] for values in by_part]) for name in names}


def tukey_hsd(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """The randomised Tukey HSD: the p-value of each pair of runs, corrected for the number of runs.

    If all runs are equal, any order of a topic's values is equally likely. The values of each topic
    are shuffled `resamples` times. The p-value of two runs is the share of shuffles in which the
    best mean exceeds the worst by at least the difference of the two; the observed order counts as
    one more shuffle, so that p is never 0. For two runs this is Fisher's randomisation test.

    Source: Carterette, Multiple testing in statistical analysis of systems-based information
    retrieval experiments, TOIS 30(1), 2012; Sakai, Laboratory Experiments in Information Retrieval,
    2018.
    """
    means = values.mean(axis=1)
    differences = np.abs(means[:, None] - means)
    generator = np.random.default_rng(seed)
    pool = np.sort(values, axis=0).T  # makes p-values independent of the order of the runs
    batch = max(1, PERMUTED_AT_ONCE // values.size)
    ranges = np.empty(resamples)
    for start in steps(range(0, resamples, batch), "batches of random samples"):
        count = min(batch, resamples - start)
        copies = np.broadcast_to(pool, (count, *pool.shape))
        shuffled = generator.permuted(copies, axis=2)
        shuffled_means = shuffled.mean(axis=1)
        ranges[start : start + count] = np.ptp(shuffled_means, axis=1)
    ranges.sort()
    reached = resamples - np.searchsorted(ranges, differences - noise_of(values))
    return (reached + 1) / (resamples + 1)


def randomisation(
    values: np.ndarray, pairs: Sequence[tuple[int, int]], resamples: int, seed: int
) -> list[Outcome]:
    """Fisher's randomisation test of the mean difference of each pair of rows of `values` (runs ×
    topics); its statistic is the mean difference.

    Any sign of a topic's difference is equally likely if the runs are equal. All signs are tried if
    there are at most `resamples` ways, else as many random ones, the same for all pairs. p is twice
    the share of the side with fewer means at least as far out as the observed one, at most 1. The
    observed signs count as one more random way, so that p is never 0. For one pair this is SciPy's
    `permutation_test`, which takes hours for the pairs of 60 runs.

    >>> values = np.array([[0.5, 0.75, 0.5, 1.0], [0.0, 0.0, 0.0, 0.0]])
    >>> randomisation(values, [(0, 1)], 100, 0)
    [Outcome(statistic=0.6875, p=0.125, leaning=0.6875, note='')]

    Source: Fisher, The Design of Experiments, 1935.
    """
    first, second = np.array(pairs).T
    differences, noise = differences_of(values[first], values[second])
    topics = differences.shape[1]
    observed = differences.mean(axis=1)
    are_all = 2**topics <= resamples
    ways = 2**topics if are_all else resamples
    at_least = np.zeros(len(pairs), dtype=np.int64)
    at_most = np.zeros(len(pairs), dtype=np.int64)
    generator = np.random.default_rng(seed)
    batch = max(1, PERMUTED_AT_ONCE // max(topics, len(pairs)))
    for start in steps(range(0, ways, batch), "batches of random samples"):
        count = min(batch, ways - start)
        if are_all:
            numbers = np.arange(start, start + count)[:, None]
            bits = (numbers >> np.arange(topics)) & 1
        else:
            bits = generator.integers(0, 2, (count, topics), dtype=np.int8)
        means = (1.0 - 2.0 * bits) @ differences.T / topics
        at_least += (means >= observed - noise).sum(axis=0)
        at_most += (means <= observed + noise).sum(axis=0)
    extra = 0 if are_all else 1
    as_far_out = np.minimum(at_least, at_most) + extra
    p_values = np.minimum(1.0, 2 * as_far_out / (ways + extra))
    outcomes = []
    for row, (mean, p) in enumerate(zip(observed.tolist(), p_values.tolist(), strict=True)):
        outcome = EQUAL
        if differences[row].any():
            outcome = Outcome(mean, p, leaning=mean)
        outcomes.append(outcome)
    return outcomes
