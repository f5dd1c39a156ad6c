"""The rows of a run that can have one of the first ranks, found without a sort."""

from collections.abc import Iterator

import numpy as np

from .order import as_compared


def matrices_of(
    offsets: np.ndarray, topics: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Matrices of topics of similar length, padded to the next power of two: the topics, the row at
    each place, and whether the topic has this row.

    >>> [(topics, row, is_row)] = matrices_of(np.array([0, 4, 7]), np.array([0, 1]))
    >>> row
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    >>> is_row[1]
    array([ True,  True,  True, False])
    """
    sizes = np.diff(offsets)[topics]
    bits = np.ceil(np.log2(sizes))
    widths = np.exp2(bits).astype(np.int64)
    for width in np.unique(widths):
        is_similar = widths == width
        column = np.arange(width)
        some = topics[is_similar]
        yield some, offsets[some, None] + column, column < sizes[is_similar, None]


class TopRows:
    """Finds the rows of each topic that can have one of its first `depth` ranks in any order of
    tied documents: those whose score is at least the `depth`-th highest.

    Topic t has the rows `offsets[t]:offsets[t + 1]` of every run. Short topics of similar length
    form one matrix, padded to the next power of two.

    >>> top = TopRows(np.array([0, 4, 5]), depth=2)
    >>> top(np.array([0.5, 0.9, 0.1, 0.5, 0.2]))
    array([ True,  True, False,  True,  True])
    """

    def __init__(self, offsets: np.ndarray, depth: int):
        self.depth = depth
        self.sizes = np.diff(offsets)
        self.longer = np.flatnonzero(self.sizes > depth)
        self.is_matrix = bool(self.longer.size) and bool((self.sizes == self.sizes[0]).all())
        self.matrices: list[tuple[np.ndarray, np.ndarray]] = []
        if self.is_matrix:
            return
        for topics, row, is_row in matrices_of(offsets, self.longer):
            self.matrices.append((topics, np.where(is_row, row, offsets[-1])))

    @property
    def share(self) -> float:
        """The smallest share of the rows that can be found."""
        return float(np.minimum(self.sizes, self.depth).sum() / max(self.sizes.sum(), 1))

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """Whether each row is among them. No score is NaN."""
        score = as_compared(scores)
        lowest = np.full(self.sizes.size, -np.inf, dtype=np.float32)
        if self.is_matrix:
            lowest[:] = self._lowest(score.reshape(self.sizes.size, -1))
        elif self.matrices:
            padded = np.append(score, np.float32(-np.inf))
            for topics, row in self.matrices:
                lowest[topics] = self._lowest(padded[row])
        is_found: np.ndarray = score >= np.repeat(lowest, self.sizes)
        return is_found

    def _lowest(self, score: np.ndarray) -> np.ndarray:
        """The `depth`-th highest score of each row of a matrix."""
        place = score.shape[1] - self.depth
        ordered_up_to_place: np.ndarray = np.partition(score, place, axis=1)
        return ordered_up_to_place[:, place]
