"""Pairs of systems that differ significantly in one leaderboard, in another, or in both."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..statistics.defaults import ALPHA, LEAST_TESTED_TOPICS
from ..statistics.primary import paired
from .reading import Board


@dataclass(frozen=True)
class SignificantPairs:
    """The numbers of significant pairs.

    `first` and `second` are those of each leaderboard; `agreed` have the same sign in both, and
    `reversed` opposite signs; `lost` are significant in the first alone, and `new` in the second
    alone.
    """

    first: int
    second: int
    agreed: int
    reversed: int
    lost: int
    new: int

    @property
    def share(self) -> float | None:
        """Those that agree, of those of the first; None if the first has none."""
        return self.agreed / self.first if self.first else None

    @classmethod
    def of(cls, first: np.ndarray, second: np.ndarray) -> SignificantPairs:
        """The counts from the significant signs of each pair, -1, 0 or 1, in both leaderboards.

        >>> counts = SignificantPairs.of(np.array([1, 1, 1, 0]), np.array([1, -1, 0, 1]))
        >>> counts.agreed, counts.reversed, counts.lost, counts.new
        (1, 1, 1, 1)
        """
        products = first * second
        agreed = int((products > 0).sum())
        opposite = int((products < 0).sum())
        in_first = int((first != 0).sum())
        in_second = int((second != 0).sum())
        in_both = agreed + opposite
        return cls(
            first=in_first,
            second=in_second,
            agreed=agreed,
            reversed=opposite,
            lost=in_first - in_both,
            new=in_second - in_both,
        )


def significant_signs(board: Board, alpha: float = ALPHA) -> np.ndarray | None:
    """The sign of the difference of each pair of systems, 0 if it is not significant.

    The tests are the paired t-tests of all pairs, with the weights of topics and the correction for
    the number of pairs. The result is None without values by topic, or if these are of fewer than
    10 topics.
    """
    if board.values is None or len(board.topics) < LEAST_TESTED_TOPICS:
        return None
    pairs = list(combinations(range(len(board.systems)), 2))
    tests = paired(board.values, pairs, alpha, weights=board.weights)
    is_significant = tests.adjusted < alpha
    return np.where(is_significant, board.sign * np.sign(tests.difference), 0.0)
