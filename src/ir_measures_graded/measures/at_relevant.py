"""Sums over the relevant documents of a run, for average precision with gains and for users who stop.

A measure defines how likely its user stops at a document, how likely the user goes on after it, and how good
the list down to it is. Its value and its curve follow from this definition, and so do the options `ties` and
`unjudged`.
"""

from __future__ import annotations

import numpy as np

from .sums import SumOverRanks
from .topics import GainList, Topics, ratio


class AtRelevant(SumOverRanks):
    """A sum over the relevant documents of the run: `Σ_i u(i)·Π_{j<i} q(j)·V[i]/d(i)`.

    Override those that are not 1: `stops` (u), `goes_on` (q), `achieved` (V), `possible` (d) and
    `divisor`.
    """

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

    def quotient(self, achieved: np.ndarray, possible: np.ndarray) -> np.ndarray:
        return ratio(achieved, possible)

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
        return self.quotient(achieved, self.possible(run.rank, run.topic, topics))

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
