"""The order of a run, as in trec_eval: by descending score, then by descending document id.

Scores are compared as 32-bit floats, so that graded and standard measures rank documents identically.
"""

from __future__ import annotations

import numpy as np

from ..by_topic import changes, places
from ..inputs.tables import Block


def as_compared(score: np.ndarray) -> np.ndarray:
    """Scores as trec_eval compares them: 32-bit floats, infinite beyond their range."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32)


def sort_key(topic: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Integers that ascend by topic, then by descending score.

    The high 32 bits hold the topic. The low 32 bits hold the bits of the float, which sort like the float
    itself after the bits of negative floats are inverted.
    """
    bits = score.view(np.uint32)
    ascending = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    return topic.astype(np.uint64) << np.uint64(32) | ~ascending


def tied(new: np.ndarray) -> np.ndarray:
    """The places of all tied documents, and for each the first place of its tie group.

    `new` is true at places whose score differs from the score of the place before.
    """
    second = np.flatnonzero(~new)  # every place of a tie group except its first
    opens = np.flatnonzero(np.diff(second, prepend=-2) != 1)
    start, size = second[opens] - 1, np.diff(np.append(opens, second.size)) + 1
    start = np.repeat(start, size)
    return np.stack((start + places(size), start))


def in_order(
    listed: Block, row: np.ndarray, found: np.ndarray, place: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The tied places whose documents must be ordered by descending id, and that order.

    A tie group must be ordered if it contains a judged document, or scores that are equal only as 32-bit
    floats. Other tied documents cannot affect any measure. One sort of the ids orders all groups.
    """
    matters = found[place] >= 0
    score = listed.values[row[place]]
    matters[1:] |= (start[1:] == start[:-1]) & (score[1:] != score[:-1])
    group = np.cumsum(changes(start)) - 1
    kept = np.flatnonzero((np.bincount(group, weights=matters) > 0)[group])
    place, group = place[kept], group[kept]
    return place, listed.docs.take(row[place]).descending(group)
