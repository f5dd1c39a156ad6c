"""Tests and gates in thousands of samples at once, from sums over their topics.

A sample is an array of how often each topic was drawn. Sums of differences, of their squares and of
changes give Student's t and the rules for few changes. `paired` and `verdicts_of` take a
millisecond a sample; some samples of each call are compared with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from ir_measures import Measure
from scipy.special import betaincinv, stdtr

from ir_measures_graded.analysis import Evaluation
from ir_measures_graded.analysis.comparing.families import width_of
from ir_measures_graded.analysis.gating.verdict import HOLDS, Margin, Part, Rule, verdicts_of
from ir_measures_graded.analysis.statistics.corrections import adjusted_p
from ir_measures_graded.analysis.statistics.defaults import ALPHA, LEAST_TESTED_TOPICS
from ir_measures_graded.analysis.statistics.few_changes import are_few
from ir_measures_graded.analysis.statistics.precision import differences_of, quietly
from ir_measures_graded.analysis.statistics.primary import cut_at_0, paired, sign_flip_p
from ir_measures_graded.analysis.statistics.student import student_interval, student_p

CHECKED_SAMPLES = 3
FLAT = 1e-12
"""A variance below this share of the largest square is a rounding error."""


class Tests(NamedTuple):
    """Arrays (samples × pairs), as `Paired` has them; `adjusted` with Holm's correction."""

    difference: np.ndarray
    p: np.ndarray
    adjusted: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    few: np.ndarray


def tests_in(
    measure: Measure, runs: np.ndarray, pairs: list[tuple[int, int]], counts: np.ndarray
) -> Tests:
    """The tests of a family of `pairs` of `runs` (runs × topics) in each sample."""
    first, second = np.array(pairs).T
    differences, _ = differences_of(runs[first], runs[second])
    size = int(counts[0].sum())
    sums = counts @ differences.T
    squares = counts @ (differences**2).T
    changed = counts @ (differences != 0).T
    mean = sums / size
    variance = (squares - sums * mean) / (size - 1)
    is_flat = variance <= FLAT * (differences**2).max(initial=0)
    error = np.sqrt(np.where(is_flat, np.nan, np.abs(variance) / size))
    with quietly():
        p = student_p(mean / error, size - 1)
    p[is_flat] = sign_flip_p(size)
    p[changed == 0] = 1.0
    adjusted = np.array([adjusted_p(row) for row in p])
    confidence = (1 - ALPHA) ** (1 / len(pairs))
    lower, upper = student_interval(mean, error, size - 1, confidence)
    few = are_few(changed, size)
    of_few = _with_two_more(sums, squares, size, width_of(measure), confidence)
    lower = np.where(few, of_few[0], lower)
    upper = np.where(few, of_few[1], upper)
    lower, upper = cut_at_0(mean, lower, upper, adjusted < ALPHA)
    tests = Tests(mean, p, adjusted, lower, upper, few)
    for row in range(min(CHECKED_SAMPLES, len(counts))):
        topics = np.repeat(np.arange(runs.shape[1]), counts[row])
        _check(tests, row, measure, runs[:, topics], pairs)
    return tests


def _with_two_more(
    sums: np.ndarray, squares: np.ndarray, size: int, width: float, confidence: float
) -> tuple[np.ndarray, np.ndarray]:
    """The intervals with two more topics, +`width` and −`width`; NaN for an infinite one."""
    if not np.isfinite(width):
        missing = np.full(sums.shape, np.nan)
        return missing, missing
    larger = size + 2
    mean = sums / larger
    variance = (squares + 2 * width**2 - sums * mean) / (larger - 1)
    lower, upper = student_interval(mean, (variance / larger) ** 0.5, larger - 1, confidence)
    return lower, upper


def _check(
    tests: Tests, row: int, measure: Measure, sample: np.ndarray, pairs: list[tuple[int, int]]
) -> None:
    """Compare a sample with `paired`."""
    wanted = paired(sample, pairs, width=width_of(measure))
    for name in ("difference", "adjusted", "lower", "upper"):
        expected = getattr(wanted, name)
        np.testing.assert_allclose(getattr(tests, name)[row], expected, 1e-6, 1e-9, err_msg=name)


class Gates(NamedTuple):
    """Whether the gate holds in each sample, and the number of topics that changed."""

    holds: np.ndarray
    changed: np.ndarray


def gates_in(
    measure: Measure,
    old: np.ndarray,
    new: np.ndarray,
    margin: float,
    level: float,
    counts: np.ndarray,
) -> Gates:
    """The gate on the values of two runs by a measure whose larger values are better."""
    size = int(counts[0].sum())
    differences, _ = differences_of(new, old)
    within = differences + margin * old
    mean = counts @ within / size
    variance = (counts @ within**2 - size * mean**2) / (size - 1)
    is_flat = variance <= FLAT * (within**2).max()
    with quietly():
        p = stdtr(size - 1, -mean / (np.abs(variance) / size) ** 0.5)
    p[is_flat] = np.where(mean[is_flat] > FLAT, 2.0**-size, 1.0)
    changed = counts @ (differences != 0)
    lost = counts @ ((differences < 0) & (-differences >= np.abs(old) / 2))
    most_lost = betaincinv(lost + 1, np.maximum(size - lost, 1), 1 - level)
    unseen = np.where(lost < size, most_lost, 1.0)
    shows_losses = (changed == 0) | (changed >= LEAST_TESTED_TOPICS)
    holds = ((p < level) | (changed == 0)) & (shows_losses | (unseen <= margin))
    rule = Rule(Margin.of(f"{100 * margin:g}%"), level, equivalent=False)
    for row in range(min(CHECKED_SAMPLES, len(counts))):
        topics = np.repeat(np.arange(old.size), counts[row])
        names = tuple(map(str, range(size)))
        runs = np.stack([old, new])[:, topics]
        evaluation = Evaluation(("old", "new"), (measure,), names, runs[:, None])
        (verdict,) = verdicts_of([Part.of_all(evaluation)], rule)
        assert (verdict.verdict == HOLDS) == holds[row], "the gate is not that of the package"
    return Gates(holds, changed)
