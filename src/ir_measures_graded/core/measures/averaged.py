"""Means of vectors over ranks: the value with the parameter `avg`.

The vector of a measure has its value with each cutoff 1 … k. With avg=True, the value is the mean
of the vector (Järvelin & Kekäläinen 2002, Eq. 6).
"""

from __future__ import annotations

import numpy as np

from ..by_topic import bounds_of, cumsum, positions
from .gain_sums import GainSum, NormalisedGainSum
from .parameters import Flag
from .topics import GainList, Topics, ratio, share

AVG = Flag(default=False, desc="mean of the vector over all ranks down to the cutoff (avg-pos)")


class AveragedGainSum(GainSum):
    """A sum of gains with the parameter `avg`."""

    PARAMETERS = {"avg": AVG}

    @property
    def averages(self) -> bool:
        return bool(self["avg"])

    def counted(self, amounts: GainList, topics: Topics) -> np.ndarray:
        """What each entry adds to the sum of the vector: its amount, at its rank and at every later
        rank.
        """
        if not self.averages:
            return amounts.gain
        ranks_from_entry = topics.depth[amounts.topic] - amounts.rank + 1
        return amounts.gain * ranks_from_entry

    def curve_of(self, amounts: GainList, topics: Topics, depth: int) -> np.ndarray:
        vector = super().curve_of(amounts, topics, depth)
        if not self.averages:
            return vector
        return np.cumsum(vector, axis=1) / np.arange(1, depth + 1)

    def over_divisor(
        self, sums: np.ndarray, topics: Topics, cutoff: np.ndarray | int | None
    ) -> np.ndarray:
        value = super().over_divisor(sums, topics, cutoff)
        if self.averages and sums.ndim == 1:  # the sum of a vector, not the vector itself
            return ratio(value, topics.depth)
        return value


class AveragedNormalisedGainSum(AveragedGainSum, NormalisedGainSum):
    """A sum of gains, divided by that of the ideal list, with the parameter `avg`."""

    def total_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        if not self.averages:
            return super().total_of(amounts, topics)
        ideal = self.ideal_amounts(topics)
        ranks = _Ranks.of(amounts, ideal, topics)
        achieved = amounts.value_at(ranks.rank, ranks.topic, amounts.cumulated)
        possible = ideal.value_at(ranks.rank, ranks.topic, ideal.cumulated)
        quotient = share(achieved, possible)
        total = np.bincount(ranks.topic, weights=ranks.times * quotient, minlength=topics.count)
        return ratio(total, topics.depth)

    def contributions(self, topics: Topics) -> GainList | None:
        if not self.averages:
            return super().contributions(topics)
        # A gain is divided by the running sum of the ideal list at its rank and at all later ranks.
        amounts = self.amounts(topics)
        ideal = self.ideal_amounts(topics)
        ranks = _Ranks.of(amounts, ideal, topics)
        possible = ideal.value_at(ranks.rank, ranks.topic, ideal.cumulated)
        inverse = ratio(ranks.times, possible)
        bounds = ranks.bounds
        bounds_from_end = bounds[-1] - bounds[::-1]
        sum_from_rank = cumsum(inverse[::-1], bounds_from_end)[::-1]
        position = bounds[amounts.topic] + amounts.rank - 1
        parts = amounts.gain * sum_from_rank[position]
        return amounts.divided(self.total_of(amounts, topics), parts)


class _Ranks:
    """The ranks of each topic down to the last one at which a list has a gain.

    The quotient at the last rank counts for all later ranks as well: `times` is the number of ranks
    for which each one counts. Topic t has the entries `bounds[t]:bounds[t + 1]`.
    """

    def __init__(self, topic: np.ndarray, rank: np.ndarray, times: np.ndarray, bounds: np.ndarray):
        self.topic = topic
        self.rank = rank
        self.times = times
        self.bounds = bounds

    @classmethod
    def of(cls, amounts: GainList, ideal: GainList, topics: Topics) -> _Ranks:
        """The ranks of two lists."""
        last = np.maximum(amounts.last, ideal.last)
        topic = np.repeat(np.arange(topics.count), last)
        rank = positions(last) + 1
        ranks_from_last = topics.depth - last + 1
        is_last = rank == last[topic]
        times = np.where(is_last, ranks_from_last[topic], 1)
        return cls(topic, rank, times, bounds_of(last))
