"""Means of vectors over ranks: the value with the parameter `avg`.

The vector of a measure has its value with each cutoff 1 … k. With avg=True, the value is the mean
of the vector (Järvelin & Kekäläinen 2002, Eq. 6).
"""

import numpy as np

from ..by_topic import positions
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

    def contributions(self, topics: Topics) -> GainList | None:
        if self.averages:
            return None
        return super().contributions(topics)

    def total_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        if not self.averages:
            return super().total_of(amounts, topics)
        ideal = self.ideal_amounts(topics)
        last = np.maximum(amounts.last, ideal.last)
        topic = np.repeat(np.arange(topics.count), last)
        rank = positions(last) + 1
        achieved = amounts.value_at(rank, topic, amounts.cumulated)
        possible = ideal.value_at(rank, topic, ideal.cumulated)
        quotient = share(achieved, possible)

        # The quotient at the last rank also counts for all later ranks.
        ranks_from_last = topics.depth - last + 1
        times = np.where(rank == last[topic], ranks_from_last[topic], 1)
        total = np.bincount(topic, weights=times * quotient, minlength=topics.count)
        return ratio(total, topics.depth)
