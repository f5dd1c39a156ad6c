"""The order of a run, as in trec_eval: by descending score, then by descending document id.

Scores are compared as 32-bit floats, so that graded and standard measures rank documents
identically.
"""

from itertools import pairwise

import numpy as np

from ..by_topic import LONG_TOPIC, changes, positions


def as_compared(score: np.ndarray) -> np.ndarray:
    """Scores as trec_eval compares them: 32-bit floats, infinite beyond their range."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32)


def descending(score: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The row order that descends by score within each topic; rows with equal scores keep their
    order.

    >>> descending(np.array([-0.0, 0.0, 2, 3], np.float32), np.array([0, 2, 4]))
    array([0, 1, 3, 2])

    The `falling_bits` of the score and the row's position in its topic make one integer, because
    NumPy sorts integers much faster than it computes the order of floats.
    """
    bits = falling_bits(score).astype(np.uint64)
    sizes = np.diff(offsets)
    position_bits = int(sizes.max(initial=0)).bit_length()
    if 32 + position_bits > 64:
        topic = np.repeat(np.arange(sizes.size), sizes)
        return np.lexsort((bits, topic))
    key = bits << position_bits | positions(sizes).astype(np.uint64)
    sort_slices(key, offsets, 32 + position_bits)
    position = key & (2**position_bits - 1)
    return position.view(np.int64) + np.repeat(offsets[:-1], sizes)


def sort_slices(key: np.ndarray, offsets: np.ndarray, bits: int) -> None:
    """Sort the slices of unsigned integers of so many bits, each on its own.

    >>> key = np.array([2, 1, 9, 3], np.uint64)
    >>> sort_slices(key, np.array([0, 2, 4]), 4)
    >>> key
    array([1, 2, 3, 9], dtype=uint64)

    A sort of 1,000 numbers takes a third of the time per number of a sort of 65,536.
    """
    sizes = np.diff(offsets)
    are_long = key.size > LONG_TOPIC * sizes.size
    if are_long or sizes.size.bit_length() + bits > 64:
        for start, end in pairwise(offsets.tolist()):
            key[start:end].sort()
        return
    topic = np.repeat(np.arange(sizes.size, dtype=np.uint64), sizes)
    key |= topic << bits
    key.sort()
    key &= 2**bits - 1


def falling_bits(score: np.ndarray) -> np.ndarray:
    """Whole numbers below 2^32 that fall as the scores, 32-bit floats, rise.

    The bits of positive floats rise with the float. They are inverted, all but the sign; those of
    negative floats, which have the sign bit, fall already.

    >>> falling_bits(np.array([-1, 0, 2], np.float32)).argsort()
    array([2, 1, 0])
    """
    bits = (score + np.float32(0)).view(np.int32)  # −0 becomes 0
    is_negative = bits >> 31  # all bits of a negative float, none of others
    falling = ~is_negative
    falling &= np.int32(2**31 - 1)
    falling ^= bits
    return falling.view(np.uint32)


def tied(new: np.ndarray) -> np.ndarray:
    """The positions of all tied documents, and for each the first position of its tie group.

    `new` is true at positions whose score differs from the score of the position before.

    >>> tied(np.array([True, True, False, False, True]))
    array([[1, 2, 3],
           [1, 1, 1]])
    """
    joins = ~new  # whether a document is tied with the one before
    is_tied = joins.copy()
    is_tied[:-1] |= joins[1:]
    position = np.flatnonzero(is_tied)
    first = np.where(new[position], position, 0)
    return np.array((position, np.maximum.accumulate(first)))


def decisive(
    score: np.ndarray, judged: np.ndarray, position: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The tied positions whose documents must be ordered by descending id, and the number of their
    tie group.

    `position`, `start` are as from `tied`, `score` and `judged` those of the documents at
    `position`. A tie group must be ordered if it contains a judged document, or scores that are
    equal only as 32-bit floats. Other tied documents cannot affect any measure.
    """
    matters = judged.copy()
    is_tied_with_previous = start[1:] == start[:-1]
    matters[1:] |= is_tied_with_previous & (score[1:] != score[:-1])
    must_be_ordered = np.zeros(start[-1] + 1, dtype=bool)
    must_be_ordered[start[matters]] = True
    kept = np.flatnonzero(must_be_ordered[start])
    return position[kept], np.cumsum(changes(start[kept]))
