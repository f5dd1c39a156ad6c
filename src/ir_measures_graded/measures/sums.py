"""Sums over the ranks of the run's list, the form of most measures."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .base import GradedMeasure
from .topics import GainList, Topics, share


class SumOverRanks(GradedMeasure):
    """A sum over the run's list: override `amounts`, and `divisor` if the sum is divided."""

    TIES: ClassVar[tuple[str, ...]] = ("mean", "min", "max")
    UNJUDGED = True

    def amounts(self, topics: Topics) -> GainList:
        """The run's list with the amount that each document adds to the sum in place of its gain."""
        raise NotImplementedError

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray | float:
        """The divisor of the sum, per topic (T); per topic and cutoff (T × cutoffs) if it depends on both."""
        return 1.0

    def values(self, topics: Topics) -> np.ndarray:
        return self.value_of(self.amounts(topics), topics)

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        return self.curve_of(self.amounts(topics), topics, depth)

    def contributions(self, topics: Topics) -> GainList | None:
        amounts = self.amounts(topics)
        return amounts.divided(self.value_of(amounts, topics), amounts.gain)

    def value_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        """The value of each topic (T), from the amounts at the ranks of its list."""
        return self.scaled(amounts.total, topics)

    def scaled(self, total: np.ndarray, topics: Topics) -> np.ndarray:
        """The value of each topic, from its sum (T)."""
        return share(total, self.divisors(topics, topics.cutoff))

    def curve_of(self, amounts: GainList, topics: Topics, depth: int) -> np.ndarray:
        """The value of each topic with the cutoffs 1 … `depth` (T × depth), from the amounts."""
        return share(amounts.vector(amounts.gain, depth), self.divisors(topics, np.arange(1, depth + 1)))

    def divisors(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        """The divisors in a form that divides the sums of topics (T) or of topics and cutoffs."""
        divisors = np.asarray(self.divisor(topics, cutoff))
        return divisors[:, None] if divisors.ndim == 1 and isinstance(cutoff, np.ndarray) else divisors
