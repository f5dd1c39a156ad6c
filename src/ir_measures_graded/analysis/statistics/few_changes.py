"""What few changes show: values that are few, or mostly equal, as those of Success@5.

A spread that is estimated from few changes is too small. If fewer than 10 topics and fewer than
half of them change, an interval is that of the values with two more topics at the ends of what is
possible. The spread then shows neither a detectable difference nor a number of topics.
"""

import numpy as np

from .defaults import LEAST_TESTED_TOPICS
from .precision import EXACT
from .student import student_interval
from .weighted import Sample


def are_few(changed: np.ndarray, topics: int) -> np.ndarray:
    """Whether so many changes of the topics are too few to show the spread.

    >>> are_few(np.array([3, 9, 10]), 50), are_few(np.array([3, 4]), 8)
    (array([ True,  True, False]), array([ True, False]))
    """
    return (changed < LEAST_TESTED_TOPICS) & (2 * changed < topics)


def interval_with_two_more(
    values: np.ndarray, low: float, high: float, confidence: float, sample: Sample | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Student's interval of the mean over the last axis, with one more value `low` and one more
    `high`.

    NaN if one of them is infinite. If the topics of the `sample` have weights, the two more have
    the mean weight.

    >>> lower, upper = interval_with_two_more(np.zeros((1, 50)), -1, 1, 0.95)
    >>> lower.round(3), upper.round(3)
    (array([-0.055]), array([0.055]))
    """
    shape = values.shape[:-1]
    if not np.isfinite([low, high]).all():
        return np.full(shape, np.nan), np.full(shape, np.nan)
    ends = np.broadcast_to(np.array([low, high], dtype=float), (*shape, 2))
    extended = np.concatenate([values, ends], axis=-1)
    larger = (sample or Sample(values.shape[-1])).with_two_more()
    error = larger.error(extended)
    lower, upper = student_interval(larger.mean(extended), error, larger.degrees, confidence)
    return np.asarray(lower), np.asarray(upper)


def changes_from_most_frequent(values: np.ndarray) -> int:
    """The number of values that differ from the most frequent one.

    >>> changes_from_most_frequent(np.array([0.0, 1.0, 0.0]))
    1
    """
    in_order = np.sort(values)
    noise = EXACT * np.abs(values).max()
    starts = np.flatnonzero(np.diff(in_order, prepend=-np.inf) > noise)
    counts = np.diff(np.append(starts, values.size))
    return int(values.size - counts.max())
