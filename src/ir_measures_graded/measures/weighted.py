"""Sums of weighted gains, the basis of most measures.

A measure defines the discount of a gain, or its weight, at each rank. Its value and its curve follow from
this definition, and so do the options `ties` and `unjudged`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..by_topic import cumsum
from ..errors import GradedError
from .sums import SumOverRanks
from .topics import GainList, Topics, ratio, share


class WeightedGains(SumOverRanks):
    """A sum of gains, each with a weight that depends on its rank: override `discount` or `weight`.

    With a parameter `avg` the value is the mean of the sums at all ranks down to the cutoff.
    """

    SCALES: ClassVar[bool] = False
    """Whether `normalised_gain` replaces the gains; only for measures divided by an ideal list."""

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        if "weigh" in vars(cls):
            raise GradedError(f"{cls.__name__} overrides weigh; override discount(rank) or weight(rank)")

    def discount(self, rank: np.ndarray) -> np.ndarray | float:
        """The divisor of a gain at each rank."""
        return 1.0

    def weight(self, rank: np.ndarray) -> np.ndarray | float:
        """The factor of a gain at each rank."""
        return 1.0

    def weigh(self, gain: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """The amount that a gain adds at a rank."""
        return gain * self.weight(rank) / self.discount(rank)

    def normalised_gain(self, gain: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The normalised gain if `best` is the highest gain of the topic's recall base. It is 0 for the gain
        0 and never falls as the gain grows. Only measures with `SCALES` use it."""
        return gain

    def amounts(self, topics: Topics) -> GainList:
        return self.weighed(self.normalised(topics.run, topics))

    def normalised(self, gains: GainList, topics: Topics) -> GainList:
        """A list with its gains normalised if the measure does so."""
        if not self.SCALES:
            return gains
        return gains.with_gain(self.normalised_gain(gains.gain, topics.best[gains.topic]))

    def weighed(self, gains: GainList) -> GainList:
        """A list with the amount that each gain adds."""
        return gains.with_gain(self.weigh(gains.gain, gains.rank))

    @property
    def averages(self) -> bool:
        """Whether the value is a mean over ranks."""
        return bool(self.params.get("avg"))

    def counted(self, amounts: GainList, topics: Topics) -> np.ndarray:
        """The amount that each entry of a list adds to the value. In a mean over ranks, an entry counts at
        its rank and at every later rank."""
        if not self.averages:
            return amounts.gain
        return amounts.gain * (topics.depth[amounts.topic] - amounts.rank + 1)

    def contributions(self, topics: Topics) -> GainList | None:
        amounts = self.amounts(topics)
        return amounts.divided(self.value_of(amounts, topics), self.counted(amounts, topics))

    def value_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        return self.scaled(amounts.sum(self.counted(amounts, topics)), topics)

    def scaled(self, total: np.ndarray, topics: Topics) -> np.ndarray:
        """The value of each topic, from the sum of what its entries add (T)."""
        mean = ratio(total, topics.depth) if self.averages else total
        return ratio(mean, self.divisors(topics, topics.cutoff))

    def curve_of(self, amounts: GainList, topics: Topics, depth: int) -> np.ndarray:
        sums = self.over_ranks(amounts.vector(amounts.gain, depth))
        return ratio(sums, self.divisors(topics, np.arange(1, depth + 1)))

    def over_ranks(self, vector: np.ndarray) -> np.ndarray:
        """With `avg` the mean of a vector (… × depth) over the ranks so far, else the vector."""
        if not self.averages:
            return vector
        return np.cumsum(vector, axis=-1) / np.arange(1, vector.shape[-1] + 1)


class Normalised(WeightedGains):
    """A sum of weighted gains, divided by the same sum over the ideal list."""

    IDEAL_IS_CUT = True
    """Whether the ideal list ends at the cutoff."""

    def ideal(self, topics: Topics) -> GainList:
        """The gains of the ideal list."""
        return topics.ideal if self.IDEAL_IS_CUT else topics.whole_ideal

    def ideal_amounts(self, topics: Topics) -> GainList:
        """The amounts of the ideal list."""
        return self.weighed(self.normalised(self.ideal(topics), topics))

    def value_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        ideal = self.ideal_amounts(topics)
        if self.averages:
            return mean_ratio_over_ranks(amounts, ideal, topics.depth)
        return share(amounts.total, ideal.total)

    def counted(self, amounts: GainList, topics: Topics) -> np.ndarray:
        """The amount that each entry of a list adds to the value. In a mean over ranks, an entry counts as a
        share of the ideal sum, at its rank and at every later rank."""
        if not self.averages:
            return amounts.gain
        longest = int(max(amounts.last.max(initial=0), self.ideal(topics).last.max(initial=0)))
        shares = ratio(np.ones(1), self.ideal_vector(topics, longest))
        shares[:, -1:] *= np.maximum(topics.depth - longest, 0)[:, None] + 1  # later ranks repeat it
        shares[np.arange(longest) >= topics.depth[:, None]] = 0
        from_rank = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
        return amounts.gain * from_rank[amounts.topic, amounts.rank - 1]

    def ideal_vector(self, topics: Topics, depth: int) -> np.ndarray:
        """The running sum over the ideal list (T × depth); its total at each rank if it is not cut."""
        ideal = self.ideal_amounts(topics)
        if self.IDEAL_IS_CUT:
            return ideal.vector(ideal.gain, depth)
        return np.repeat(ideal.total[:, None], depth, axis=1)

    def vectors(self, topics: Topics, depth: int) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of the run and of the ideal list (T × depth each)."""
        amounts = self.amounts(topics)
        return amounts.vector(amounts.gain, depth), self.ideal_vector(topics, depth)

    def quotient(self, achieved: np.ndarray, possible: np.ndarray) -> np.ndarray:
        """The curve of a run, from its vectors and the ideal vectors (… × depth each).

        The vectors are those of single topics, or the means over all topics, which Järvelin & Kekäläinen
        divide.
        """
        return self.over_ranks(share(achieved, possible))

    def curve_of(self, amounts: GainList, topics: Topics, depth: int) -> np.ndarray:
        return self.quotient(amounts.vector(amounts.gain, depth), self.ideal_vector(topics, depth))


def mean_ratio_over_ranks(achieved: GainList, possible: GainList, depth: np.ndarray) -> np.ndarray:
    """The mean over ranks 1…depth of a running sum's quotient by the ideal one, one value per topic.

    The vectors end at the last rank where either changes. Later ranks repeat the last quotient.
    """
    length = np.maximum(achieved.last, possible.last)
    offsets = np.concatenate(([0], np.cumsum(length)))

    def vector(amounts: GainList) -> np.ndarray:
        dense = np.zeros(offsets[-1])
        dense[offsets[amounts.topic] + amounts.rank - 1] = amounts.gain
        return cumsum(dense, offsets)

    quotient = share(vector(achieved), vector(possible))
    some = length > 0
    quotient[offsets[1:][some] - 1] *= (depth - length + 1)[some]
    topic = np.repeat(np.arange(achieved.topic_count), length)
    return ratio(np.bincount(topic, weights=quotient, minlength=achieved.topic_count), depth)
