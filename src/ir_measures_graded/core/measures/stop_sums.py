"""Sums over the relevant documents of the run's list, at which a user may stop.

A measure defines how likely its user stops at a relevant document, how likely the user goes on
after it, and how good the list down to it is. Its value, its curve and the options `ties` and
`unjudged` follow from this.

The blended ratio is that of T. Sakai: New performance metrics based on multigrade relevance.
NTCIR-4, 2004.
"""

from typing import ClassVar

import numpy as np

from .base import AT_RELEVANT
from .parameters import Real
from .sums import SumOverRanks
from .topics import GainList, Topics, ratio

BETA = Real(default=1, at_least=0, desc="weight β of the gains against the counts")


class AtRelevant(SumOverRanks):
    """A sum over the relevant documents of the run: `Σ_i u(i)·Π_{j<i} q(j)·V[i]/d(i)`.

    `amounts` calls these methods in this order. Those with a star may be overridden; they are 1
    otherwise.

    1. `relevant` (*): the relevant documents with the gains that `achieved` sums.
    2. `reached`: `stops` (*) (u), and the product of `goes_on` (*) (q) over the documents before.
    3. `quality`: `achieved` (*) (V) over `possible` (*) (d).

    `divisor` (*) divides the sum. `COMPARED` declares whether all judgments must be compared for
    the option `unjudged`. If not, the highest value gives higher gains to earlier documents, and
    the lowest value to later ones.

    Declare `TIES` with 'min' and 'max' if a value is highest if tied documents are in the order of
    their gains, and lowest in its reverse.
    """

    TIES: ClassVar[tuple[str, ...]] = ("mean",)
    COMPARED: ClassVar[bool] = True

    def stops(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        """u: the weight of a relevant document, by its gain."""
        return 1.0

    def goes_on(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        """q: the factor of a relevant document for the weights of all later documents, by its
        gain.
        """
        return 1.0

    def achieved(self, number: np.ndarray, gain: np.ndarray) -> np.ndarray:
        """V: the achievement of `number` relevant documents with a total `gain`. It is a constant
        plus multiples of both.
        """
        return np.ones(number.size)

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        """d: the divisor of V at each `rank` of each `topic`, such as the achievement of the ideal
        list.
        """
        return np.ones(rank.size)

    @property
    def extremes_by(self) -> str:
        if self.COMPARED:
            return AT_RELEVANT
        return super().extremes_by

    def amounts(self, topics: Topics) -> GainList:
        run = self.relevant(topics)
        return run.with_gain(self.added(run, topics))

    def relevant(self, topics: Topics) -> GainList:
        """The relevant documents of the run's list, with the gains that `achieved` sums."""
        return topics.run.relevant

    def added(self, relevant: GainList, topics: Topics) -> np.ndarray:
        """The amount that each relevant document of a list adds to the sum."""
        return self.reached(relevant, topics) * self.quality(relevant, topics)

    def reached(self, relevant: GainList, topics: Topics) -> np.ndarray:
        """u(i)·Π_{j<i} q(j) at each relevant document of a list."""
        u, q = self.stops_and_goes_on(relevant.gain, topics)
        if (q == 1).all():
            return u
        product = relevant.running(np.multiply, q)
        return u * relevant.previous(product, first=1.0)

    def quality(self, relevant: GainList, topics: Topics) -> np.ndarray:
        """V[i]/d(i) at each relevant document of a list."""
        achieved = self.achieved(relevant.number, relevant.cumulated)
        return ratio(achieved, self.possible(relevant.rank, relevant.topic, topics))

    def stops_and_goes_on(self, gain: np.ndarray, topics: Topics) -> tuple[np.ndarray, np.ndarray]:
        """u and q of documents by their gain."""
        u = np.broadcast_to(self.stops(gain, topics), gain.shape)
        q = np.broadcast_to(self.goes_on(gain, topics), gain.shape)
        return u, q


class BlendedRatio(AtRelevant):
    """A measure of blended ratios: BR(i) = (C[i] + β CG[i]) / (i + β CG_I[i]) at relevant
    documents.

    C[i] is the number of relevant documents in the first i. With β = 0 it is the precision C[i] /
    i.
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
