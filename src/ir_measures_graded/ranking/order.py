"""The order of a run, which is trec_eval's: score descending, then document id descending.

Scores are compared as 32-bit floats, so that graded and standard measures see the same ranking.
"""

from __future__ import annotations

import numpy as np

from ..by_topic import changes, places
from ..inputs.tables import Block


def as_compared(score: np.ndarray) -> np.ndarray:
    """Scores as trec_eval compares them: 32-bit floats, infinite beyond these, -0 equal to 0."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32) + np.float32(0)


def sort_key(topic: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Integers that ascend by topic, then by descending score: topic in the high 32 bits, in the low
    ones the bits of the float, which order like a number once those of negative floats are flipped."""
    bits = score.view(np.uint32)
    ascending = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    return topic.astype(np.uint64) << np.uint64(32) | ~ascending


def tied(new: np.ndarray) -> np.ndarray:
    """The places of all documents that are tied with another, and for each the place where its group
    starts; `new` is true where a place has another score than the one before."""
    second = np.flatnonzero(~new)  # not the first of its group
    opens = np.flatnonzero(np.diff(second, prepend=-2) != 1)
    start, size = second[opens] - 1, np.diff(np.append(opens, second.size)) + 1
    start = np.repeat(start, size)
    return np.stack((start + places(size), start))


def in_order(
    listed: Block, row: np.ndarray, found: np.ndarray, place: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Tied places whose documents have to be put in order, ids descending, and that order.

    Only in groups that hold a judged document, or scores that are equal as 32-bit floats only: the
    order of the others is nobody's business. All groups are ordered with one sort of their ids.
    """
    matters = found[place] >= 0
    score = listed.values[row[place]]
    matters[1:] |= (start[1:] == start[:-1]) & (score[1:] != score[:-1])
    group = np.cumsum(changes(start)) - 1
    kept = np.flatnonzero((np.bincount(group, weights=matters) > 0)[group])
    place, group = place[kept], group[kept]
    return place, listed.docs.take(row[place]).descending(group)
