"""Sums over the ranks of the run's list: weighted gains, and sums over relevant documents.

A measure defines the discount or the weight of a gain at each rank. Or it defines how likely its user stops
at a relevant document, how likely the user goes on after it, and how good the list down to it is. Its value
and its curve follow from this definition, and so do the options `ties` and `unjudged`.

The blended ratio is that of T. Sakai: New performance metrics based on multigrade relevance. NTCIR-4, 2004.
"""

from typing import ClassVar

import numpy as np

from ..by_topic import positions
from .base import EXTREMES, GradedMeasure
from .parameters import Real
from .topics import GainList, Topics, ratio, share

BETA = Real(default=1, at_least=0, desc="weight β of the gains against the counts")


SORTED: tuple[str, ...] = ("mean", *EXTREMES)
"""The fact `TIES` of measures whose values are extreme if tied documents are in the order of their gains."""


class SumOverRanks(GradedMeasure):
    """A sum over the run's list: override `amounts`, and `divisor` if the sum is divided.

    `LIMIT` is the highest value. Without it, a sum may exceed its divisor in the last bit: the two are added
    in different orders.
    """

    TIES: ClassVar[tuple[str, ...]] = SORTED
    UNJUDGED = True
    LIMIT: ClassVar[float] = 1.0

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
        return amounts.divided(self.value_of(amounts, topics), self.counted(amounts, topics))

    def counted(self, amounts: GainList, topics: Topics) -> np.ndarray:
        """The amount that each entry of a list adds to the value."""
        return amounts.gain

    def value_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        """The value of each topic (T), from the amounts at the ranks of its list."""
        return self.scaled(amounts.sum(self.counted(amounts, topics)), topics)

    def curve_of(self, amounts: GainList, topics: Topics, depth: int) -> np.ndarray:
        """The value of each topic with the cutoffs 1 … `depth` (T × depth), from the amounts."""
        return self.scaled(amounts.vector(amounts.gain, depth), topics, np.arange(1, depth + 1))

    def scaled(
        self, sums: np.ndarray, topics: Topics, cutoffs: np.ndarray | None = None
    ) -> np.ndarray:
        """The value of each topic, from its sum (T), or with each of some cutoffs (T × cutoffs)."""
        divisor = np.asarray(self.divisor(topics, topics.cutoff if cutoffs is None else cutoffs))
        of_each = divisor.reshape(divisor.shape + (1,) * (sums.ndim - divisor.ndim))
        return np.minimum(ratio(sums, of_each), self.LIMIT)


class WeightedGains(SumOverRanks):
    """A sum of gains, each with a weight that depends on its rank: override `discount` or `weight`.

    If `averages`, the value is the mean of the sums at all ranks down to the cutoff. `SCALES` declares
    whether `normalised_gain` replaces the gains, which only measures divided by an ideal list may do.
    """

    LIMIT = np.inf
    LINEAR = True
    RISES = True
    SCALES: ClassVar[bool] = False

    def discount(self, rank: np.ndarray) -> np.ndarray | float:
        """The divisor of a gain at each rank."""
        return 1.0

    def weight(self, rank: np.ndarray) -> np.ndarray | float:
        """The factor of a gain at each rank."""
        return 1.0

    def weigh(self, gain: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """The amount that a gain adds at a rank."""
        return gain * self.weight(rank) / self.discount(rank)

    def weighed(self, gains: GainList) -> GainList:
        """A list with the amount that each gain adds."""
        return gains.with_gain(self.weigh(gains.gain, gains.rank))

    def normalised_gain(self, gain: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The normalised gain if `best` is the highest gain of the topic's recall base. It is 0 for the gain
        0 and never falls as the gain grows. Only measures with `SCALES` use it."""
        return gain

    def normalised(self, gains: GainList, topics: Topics) -> GainList:
        """A list with its gains normalised if the measure does so."""
        if not self.SCALES:
            return gains
        return gains.with_gain(self.normalised_gain(gains.gain, self.best(topics)[gains.topic]))

    def best(self, topics: Topics) -> np.ndarray:
        """The gain by which `normalised_gain` divides, for each topic (T)."""
        return topics.best

    def amounts(self, topics: Topics) -> GainList:
        return self.weighed(self.normalised(topics.run, topics))

    @property
    def averages(self) -> bool:
        """Whether the value is a mean over ranks."""
        return False

    def rank_weights(self, depth: int) -> np.ndarray:
        """The weight of a gain at the ranks 1 … `depth`.

        >>> from ir_measures_graded import DCG_JK
        >>> DCG_JK.rank_weights(4).round(2)
        array([1.  , 1.  , 0.63, 0.5 ])
        """
        return np.broadcast_to(self.weigh(np.ones(depth), np.arange(1, depth + 1)), depth)

    def counted(self, amounts: GainList, topics: Topics) -> np.ndarray:
        """The amount that each entry of a list adds to the value. In a mean over ranks, an entry counts at
        its rank and at every later rank."""
        if not self.averages:
            return amounts.gain
        return amounts.gain * (topics.depth[amounts.topic] - amounts.rank + 1)

    def scaled(
        self, sums: np.ndarray, topics: Topics, cutoffs: np.ndarray | None = None
    ) -> np.ndarray:
        if self.averages:
            sums = ratio(sums, topics.depth) if cutoffs is None else self.over_ranks(sums)
        return super().scaled(sums, topics, cutoffs)

    def over_ranks(self, vector: np.ndarray) -> np.ndarray:
        """With `avg` the mean of a vector (… × depth) over the ranks so far, else the vector."""
        if not self.averages:
            return vector
        return np.cumsum(vector, axis=-1) / np.arange(1, vector.shape[-1] + 1)


class Normalised(WeightedGains):
    """A sum of weighted gains, divided by the same sum over the ideal list, which ends at the cutoff if
    `IDEAL_IS_CUT`."""

    IDEAL_IS_CUT = True
    RISES = False

    @property
    def ideal_documents(self) -> str:
        """The documents of the ideal list. Declare it if you override `ideal`."""
        return "judged"

    @property
    def scales_by_topic(self) -> bool:
        """Whether `normalised_gain` depends on the highest gain of the topic."""
        return self.SCALES

    def refusal(self) -> str:
        if self.option("unjudged") and not self.ideal_documents:
            return "unjudged needs an ideal list of known documents; declare ideal_documents"
        return super().refusal()

    def ideal(self, topics: Topics) -> GainList:
        """The gains of the ideal list."""
        return topics.ideal if self.IDEAL_IS_CUT else topics.whole_ideal

    def ideal_amounts(self, topics: Topics) -> GainList:
        """The amounts of the ideal list."""
        return self.weighed(self.normalised(self.ideal(topics), topics))

    def value_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        ideal = self.ideal_amounts(topics)
        if not self.averages:
            return share(amounts.total, ideal.total)
        last = np.maximum(amounts.last, ideal.last)
        topic, rank = np.repeat(np.arange(topics.count), last), positions(last) + 1
        achieved, possible = (
            each.value_at(rank, topic, each.cumulated) for each in (amounts, ideal)
        )
        # The quotient at the last rank also counts for all later ranks.
        ranks = np.where(rank == last[topic], (topics.depth - last + 1)[topic], 1)
        total = np.bincount(
            topic, weights=ranks * share(achieved, possible), minlength=topics.count
        )
        return ratio(total, topics.depth)

    def contributions(self, topics: Topics) -> GainList | None:
        return None if self.averages else super().contributions(topics)

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


class AtRelevant(SumOverRanks):
    """A sum over the relevant documents of the run: `Σ_i u(i)·Π_{j<i} q(j)·V[i]/d(i)`.

    Override those that are not 1: `stops` (u), `goes_on` (q), `achieved` (V), `possible` (d) and
    `divisor`. `COMPARED` declares whether all judgments must be compared for the option `unjudged`. If not,
    the highest value gives higher gains to earlier documents, and the lowest value to later ones.

    Declare `TIES` with 'min' and 'max' if a value is highest if tied documents are in the order of their
    gains, and lowest in its reverse.
    """

    TIES: ClassVar[tuple[str, ...]] = ("mean",)
    COMPARED: ClassVar[bool] = True

    def stops(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        """u: the weight of a relevant document, by its gain."""
        return 1.0

    def goes_on(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        """q: the factor of a relevant document for the weights of all later documents, by its gain."""
        return 1.0

    def achieved(self, number: np.ndarray, gain: np.ndarray) -> np.ndarray:
        """V: the achievement of `number` relevant documents with a total `gain`. It is a constant plus
        multiples of both."""
        return np.ones(number.size)

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        """d: the divisor of V at each `rank` of each `topic`, such as the achievement of the ideal list."""
        return np.ones(rank.size)

    def amounts(self, topics: Topics) -> GainList:
        run = self.relevant(topics)
        return run.with_gain(self.added(run, topics))

    def relevant(self, topics: Topics) -> GainList:
        """The relevant documents of the run's list, with the gains that `achieved` sums."""
        return topics.run.relevant

    def added(self, run: GainList, topics: Topics) -> np.ndarray:
        """The amount that each relevant document of a list adds to the sum."""
        return self.weight(run, topics) * self.quality(run, topics)

    def quality(self, run: GainList, topics: Topics) -> np.ndarray:
        """V[i]/d(i) at each relevant document of a list."""
        achieved = self.achieved(run.number, run.cumulated)
        return ratio(achieved, self.possible(run.rank, run.topic, topics))

    def weight(self, run: GainList, topics: Topics) -> np.ndarray:
        """u(i)·Π_{j<i} q(j) at each relevant document of a list."""
        u, q = self.weights(run.gain, topics)
        if (q == 1).all():
            return u
        return u * run.previous(run.running(np.multiply, q), first=1.0)

    def weights(self, gain: np.ndarray, topics: Topics) -> tuple[np.ndarray, np.ndarray]:
        """u and q of documents by their gain."""
        u, q = self.stops(gain, topics), self.goes_on(gain, topics)
        return np.broadcast_to(u, gain.shape), np.broadcast_to(q, gain.shape)


class BlendedRatio(AtRelevant):
    """A measure of blended ratios: BR(i) = (C[i] + β CG[i]) / (i + β CG_I[i]) at relevant documents.

    C[i] is the number of relevant documents in the first i. With β = 0 it is the precision C[i] / i.
    """

    PARAMETERS = {"beta": BETA}

    @property
    def beta(self) -> float:
        """The weight β."""
        return float(self["beta"])

    def achieved(self, number: np.ndarray, gain: np.ndarray) -> np.ndarray:
        return number + self.beta * gain

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        ideal = topics.whole_ideal
        return rank + self.beta * ideal.value_at(rank, topic, ideal.cumulated)
