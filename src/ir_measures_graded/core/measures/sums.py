"""Sums over the ranks of the run's list, the base of `gain_sums` and `stop_sums`."""

from typing import ClassVar

import numpy as np

from .base import EXTREMES, GradedMeasure
from .topics import GainList, Topics, ratio

SORTED: tuple[str, ...] = ("mean", *EXTREMES)
"""The fact `TIES` of measures whose values are extreme if tied documents are in the order of their
gains."""


class SumOverRanks(GradedMeasure):
    """A sum over the run's list, perhaps divided.

    `values` and `curve` call these methods in this order. Those with a star may be overridden.

    1. `amounts` (*): the amount that each document adds to the sum. `GainSum` and `AtRelevant`
       define it by methods of their own, which their docstrings list.
    2. `total_of`, or `curve_of` for a curve: the value of each topic from the amounts.
    3. `counted` (*): what an amount adds to the value. Only measures that average over ranks
       override it.
    4. `over_divisor`, which calls `divisor` (*): the sum over its divisor, at most `LIMIT`.

    The option `ties='mean'` replaces the amounts by their means over all orders and then calls
    `total_of`. So `amounts` is the only method that sees the order of the documents.

    `LIMIT` is the highest value. Without it, a sum may exceed its divisor in the last bit: the two
    are added in different orders.
    """

    TIES: ClassVar[tuple[str, ...]] = SORTED
    UNJUDGED = True
    LIMIT: ClassVar[float] = 1.0

    def amounts(self, topics: Topics) -> GainList:
        """The run's list with the amount that each document adds to the sum in place of its
        gain.
        """
        raise NotImplementedError

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray | float:
        """The divisor of the sum, per topic (T); per topic and cutoff (T × cutoffs) if it depends
        on both.
        """
        return 1.0

    def values(self, topics: Topics) -> np.ndarray:
        return self.total_of(self.amounts(topics), topics)

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        return self.curve_of(self.amounts(topics), topics, depth)

    def contributions(self, topics: Topics) -> GainList | None:
        amounts = self.amounts(topics)
        return amounts.divided(self.total_of(amounts, topics), self.counted(amounts, topics))

    def counted(self, amounts: GainList, topics: Topics) -> np.ndarray:
        """What each entry of a list adds to the value, before the sum is divided."""
        return amounts.gain

    def total_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        """The value of each topic (T), from the amounts at the ranks of its list."""
        sums = amounts.sum(self.counted(amounts, topics))
        return self.over_divisor(sums, topics, topics.cutoff)

    def curve_of(self, amounts: GainList, topics: Topics, depth: int) -> np.ndarray:
        """The value of each topic with the cutoffs 1 … `depth` (T × depth), from the amounts."""
        sums = amounts.vector(amounts.gain, depth)
        return self.over_divisor(sums, topics, np.arange(1, depth + 1))

    def over_divisor(
        self, sums: np.ndarray, topics: Topics, cutoff: np.ndarray | int | None
    ) -> np.ndarray:
        """The value of each topic, from its sum (T), or with each of some cutoffs (T × cutoffs)."""
        divisor = np.asarray(self.divisor(topics, cutoff))
        if sums.ndim > divisor.ndim > 0:  # one divisor of each topic for all cutoffs
            divisor = divisor[:, None]
        return np.minimum(ratio(sums, divisor), self.LIMIT)
