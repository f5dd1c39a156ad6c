"""The primary procedure: paired t-tests of a family of pairs of runs.

A family is one pair, all runs against a baseline, or all pairs. `paired` tests the differences of a
family by the two-sided paired t-test with a correction for the family. Its intervals hold
simultaneously (Šidák), and its minimum detectable effects are those at the level of the family.

SciPy computes the tests. They assume that the topics are a random sample.

Z. Šidák: Rectangular confidence regions for the means of multivariate normal distributions. JASA
62, 1967.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from .corrections import DEFAULT, correction_of
from .defaults import ALPHA, LEAST_TESTED_TOPICS
from .few_changes import are_few, interval_with_two_more
from .precision import differences_of, quietly
from .student import detectable_effect, student_interval, student_p
from .weighted import Sample, sample_of

Pairs = Sequence[tuple[int, int]]
"""A family, as numbers of runs."""
MISSING: Final = "one of the runs has no values"
EQUAL: Final = "the two runs are equal in every topic"
CONSTANT: Final = "the difference is the same in every topic: p is that of the exact sign-flip test"
UNTESTED: Final = (
    f"intervals only: fewer than {LEAST_TESTED_TOPICS} topics for several differences or in a group"
)
NO_RANGE: Final = "; no interval, because the range of the measure is infinite or not known"
TWO_MORE: Final = (
    "; the interval is that of the differences and two more, at the ends of what is possible"
)
FEW_DIFFER: Final = f"fewer than {LEAST_TESTED_TOPICS} topics differ"


class Paired(NamedTuple):
    """The differences of a family, in arrays over its pairs; a number is NaN where it is undefined.

    `difference` is the mean of the first run minus that of the second. `statistic` is t, `p` its
    p-value, `adjusted` the p-value with the correction for the family. `lower` and `upper` bound
    all differences of the family together. `deviation` is the standard deviation of the differences
    over the topics, `effect_size` Cohen's d_z. `detectable` is the smallest true difference that
    the test finds with probability .8 at the family's level. `note` explains what is undefined or
    rough.
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
    values: np.ndarray,
    pairs: Pairs,
    alpha: float = ALPHA,
    family: int | None = None,
    *,
    width: float = np.inf,
    correction: str = DEFAULT,
    weights: np.ndarray | None = None,
    comparisons: int | None = None,
) -> Paired:
    """Test the differences of `pairs` of rows of `values` (runs × topics, at least 2 topics).

    Two equal rows have p = 1. A constant difference other than 0 has no interval and the p of the
    exact sign-flip test, because t is undefined. Several differences over fewer than 10 topics have
    intervals, but no p.

    If fewer than 10 and fewer than half of the topics differ, the interval is that of the
    differences with two more topics, +`width` and −`width`, the width of the range of the measure.
    An infinite one gives no interval. Such a pair has no detectable difference. Where a family-wise
    `correction` finds a difference, an interval that reaches 0 is cut there, so that p and interval
    agree.

    The pairs may be some of `comparisons` that are made; the p-values of the others count as larger
    ones. The topics may be those of one of several parts. Its parts of at least 10 topics then have
    `family` differences in all, and intervals and effects hold for all of them together. Fewer than
    10 topics of a part have no p. A row may be NaN. With `weights` of the topics, all above 0,
    means, errors and degrees of freedom are those of `WeightedSample`; the rules for few topics and
    few changes count topics. A single topic has a mean alone.

    >>> tests = paired(np.array([[0.2, 0.3, 0.4], [0.3, 0.5, 0.7]]), [(1, 0)])
    >>> tests.difference.round(3), tests.statistic.round(3), tests.effect_size.round(3)
    (array([0.2]), array([3.464]), array([2.]))
    >>> tests.lower.round(3), tests.upper.round(3), tests.note.tolist()
    (array([-0.048]), array([0.448]), ['fewer than 10 topics differ'])
    """
    count = len(pairs)
    topics = values.shape[1]
    sample = sample_of(topics, weights)
    mean, spread, changed, is_flat = _reduced(values, pairs, sample)
    equal = changed == 0
    constant = is_flat & ~equal & (topics > 1)
    with quietly():
        deviation = np.where(constant, np.nan, spread)
        effect_size = np.where(equal, 0.0, mean / deviation)
    statistic = effect_size * sample.size**0.5
    error = deviation / sample.size**0.5
    statistic[equal] = np.nan
    degrees = sample.degrees
    p = student_p(statistic, degrees)
    p[equal] = 1.0
    p[constant] = sign_flip_p(topics)
    in_all = comparisons or count
    adjusted = correction_of(correction).adjust(p, in_all)
    is_part = family is not None
    if topics < LEAST_TESTED_TOPICS and (in_all > 1 or is_part):
        p = np.full(count, np.nan)
        adjusted = np.full(count, np.nan)
    size = 1
    if correction_of(correction).is_corrected:
        size = family or in_all
    simultaneous = (1 - alpha) ** (1 / size)
    lower, upper = student_interval(mean, error, degrees, simultaneous)
    few = are_few(changed, topics) & np.isfinite(mean)
    pairs_of_few = np.array(pairs)[few]
    bounds_of_few = []
    for differences, _ in _differences(values, pairs_of_few):
        bounds = interval_with_two_more(differences, -width, width, simultaneous, sample)
        bounds_of_few.append(bounds)
    if bounds_of_few:
        lower[few], upper[few] = np.concatenate(bounds_of_few, axis=1)
    detectable = deviation * detectable_effect(sample.size, alpha / size, degrees=degrees)
    detectable[few] = np.nan
    tests = Paired(
        difference=mean,
        statistic=statistic,
        p=p,
        adjusted=adjusted,
        lower=lower,
        upper=upper,
        deviation=deviation,
        effect_size=effect_size,
        detectable=detectable,
        note=_notes(mean, p, changed, constant, few, topics, width),
    )
    if is_part:
        return tests
    return _cut_at_0(tests, alpha, correction)


BLOCK: Final = 1 << 17
"""So many differences of pairs and topics are held at once, 1 MB of floats."""


def _differences(
    values: np.ndarray, pairs: Pairs | np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The differences of the pairs (pairs × topics) and their rounding errors, in blocks of pairs.

    All differences of 300 runs and 2,000 topics would need gigabytes.
    """
    size = max(1, BLOCK // values.shape[1])
    for start in range(0, len(pairs), size):
        first, second = np.array(pairs[start : start + size]).T
        yield differences_of(values[first], values[second])


def _reduced(
    values: np.ndarray, pairs: Pairs, sample: Sample
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The mean and the deviation of each pair, the number of topics that differ, and whether the
    differences are all the same."""
    means = []
    deviations = []
    changed = []
    is_flat = []
    for differences, noise in _differences(values, pairs):
        means.append(sample.mean(differences))
        with quietly():
            deviations.append(sample.deviation(differences))
        changed.append(np.count_nonzero(differences, axis=1))
        is_flat.append(np.ptp(differences, axis=1) <= noise)
    return (
        np.concatenate(means),
        np.concatenate(deviations),
        np.concatenate(changed),
        np.concatenate(is_flat),
    )


def _notes(
    mean: np.ndarray,
    p: np.ndarray,
    changed: np.ndarray,
    constant: np.ndarray,
    few: np.ndarray,
    topics: int,
    width: float,
) -> np.ndarray:
    """What is undefined or rough about each pair; of several reasons, the last that is set here."""
    of_few = TWO_MORE if np.isfinite(width) else NO_RANGE
    notes = np.full(changed.size, "", dtype=object)
    notes[changed < LEAST_TESTED_TOPICS] = FEW_DIFFER
    for pair in np.flatnonzero(few).tolist():
        notes[pair] = f"only {changed[pair]} of {topics} topics differ{of_few}"
    notes[constant] = CONSTANT
    notes[np.isnan(p)] = UNTESTED
    notes[changed == 0] = f"{EQUAL}{of_few}"
    notes[np.isnan(mean)] = MISSING
    return notes


def _cut_at_0(tests: Paired, alpha: float, correction: str) -> Paired:
    """The tests, with intervals that end at 0 where a family-wise correction finds a difference."""
    if not correction_of(correction).is_family_wise:
        return tests
    with quietly():
        is_found = tests.adjusted < alpha
    lower, upper = cut_at_0(tests.difference, tests.lower, tests.upper, is_found)
    return tests._replace(lower=lower, upper=upper)


def cut_at_0(
    difference: np.ndarray, lower: np.ndarray, upper: np.ndarray, is_significant: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The intervals of differences; those of significant differences do not reach beyond 0."""
    with quietly():
        is_above = is_significant & (difference > 0) & (lower < 0)
        is_below = is_significant & (difference < 0) & (upper > 0)
    return np.where(is_above, 0.0, lower), np.where(is_below, 0.0, upper)


def sign_flip_p(topics: int) -> float:
    """The two-sided p-value of Fisher's exact sign-flip test if all topics have the same
    difference.

    Only two of the 2^n ways to give each topic's difference a sign have a mean that is as far from
    0.

    >>> sign_flip_p(6)
    0.03125
    """
    return max(2.0 ** (1 - topics), float(np.finfo(float).tiny))


def paired_in_parts(
    parts: Sequence[np.ndarray],
    pairs: Pairs,
    alpha: float,
    *,
    width: float = np.inf,
    correction: str = DEFAULT,
    weights: Sequence[np.ndarray | None] = (),
    comparisons: int | None = None,
) -> list[Paired]:
    """The tests of `pairs` in each of some parts of the topics, such as groups or collections.

    P-values, intervals and effects have the correction for all differences in all parts of at least
    10 topics, or for all `comparisons`. `width` and `correction` are as for `paired`. `weights` has
    those of each part, none if all topics count alike.
    """
    family = 0
    for values in parts:
        if values.shape[1] >= LEAST_TESTED_TOPICS:
            for differences, _ in _differences(values, pairs):
                has_values = np.isfinite(differences).all(axis=1)
                family += int(has_values.sum())
    family = comparisons or family
    tests = []
    settings: dict[str, Any] = {"width": width, "correction": correction}
    for values, of_part in zip(parts, weights or [None] * len(parts), strict=True):
        tests.append(paired(values, pairs, alpha, family, weights=of_part, **settings))
    p_values = np.array([test.p for test in tests])
    adjusted = correction_of(correction).adjust(p_values, family)
    cut = []
    for test, adjusted_p in zip(tests, adjusted, strict=True):
        cut.append(_cut_at_0(test._replace(adjusted=adjusted_p), alpha, correction))
    return cut
