"""Sums over the relevant documents of a run: average precision with gains, users who stop, and their kin.

A measure says how likely its user stops at a document, how likely the user goes on after it, and how good
the list down to it is. Its value, its curve and what tied and unjudged documents leave open follow.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from ..by_topic import changes
from .base import GradedMeasure
from .holes import LIMIT, Holes, distributions, extreme_in_order, filled, levels_of_gains
from .ties import TieGroups, expected_pairs, expected_stops
from .topics import GainList, Topics, ratio


class AtRelevant(GradedMeasure):
    """A sum over the relevant documents of the run: `Σ_i u(i)·Π_{j<i} q(j)·V[i]/d(i)`, divided by `most`.

    Write `achieved` (V) and `possible` (d), and where they are not 1 `stops` (u), `goes_on` (q) and `most`.
    """

    TIES = ("mean", "min", "max")
    UNJUDGED = True
    MONOTONE: ClassVar[bool] = False
    """Whether a value never falls when two documents, however far apart, change places so that the better
    stands higher."""

    def stops(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        """u: the weight of a relevant document, by its gain."""
        return 1.0

    def goes_on(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        """q: what a relevant document leaves of the weight of all documents behind it, by its gain."""
        return 1.0

    def achieved(self, number: np.ndarray, gain: np.ndarray) -> np.ndarray | float:
        """V: what `number` relevant documents with `gain` in all achieve; linear in both."""
        raise NotImplementedError

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        """d: what a list could achieve down to each `rank` of each `topic`."""
        raise NotImplementedError

    def most(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray | float:
        """What the sum is divided by, per topic (T) or per topic and cutoff (T × cutoffs)."""
        return 1.0

    def quotient(self, achieved: np.ndarray | float, possible: np.ndarray) -> np.ndarray:
        return ratio(np.asarray(achieved), possible)

    def values(self, topics: Topics) -> np.ndarray:
        run, added = self.at_relevant(topics)
        return ratio(run.sum(added), np.asarray(self.most(topics, topics.cutoff)))

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        run, added = self.at_relevant(topics)
        return ratio(run.vector(added, depth), np.asarray(self.most(topics, np.arange(1, depth + 1))))

    def relevant(self, topics: Topics) -> GainList:
        """The relevant documents of the run's list, with the gains that `achieved` is about."""
        return topics.run.relevant

    def at_relevant(self, topics: Topics) -> tuple[GainList, np.ndarray]:
        """The ranks where relevant documents may stand, and what is added at each."""
        if self["ties"] == "mean":
            run = self._expected(topics)
            return run, ratio(run.gain, self.possible(run.rank, run.topic, topics))
        run = self.relevant(topics)
        achieved = self.achieved(run.number, run.cumulated)
        added = self.quotient(achieved, self.possible(run.rank, run.topic, topics))
        u, q = self.stops(run.gain, topics), self.goes_on(run.gain, topics)
        if isinstance(q, np.ndarray) or q != 1:
            added = added * product_before(np.broadcast_to(q, added.shape), run)
        return run, added * u

    def _expected(self, topics: Topics) -> GainList:
        """The mean of u·Π q·V at each rank, over all orders of tied documents."""
        relevant = topics.whole_run.gain > 0
        gain = np.zeros(relevant.size)
        gain[relevant] = self.relevant(topics.cut(None)).gain
        u, q = self._weights(gain, topics)
        groups = TieGroups.of(topics, relevant)
        constant = self.achieved(np.zeros(1), np.zeros(1))
        v = np.broadcast_to(self.achieved(np.ones(gain.size), gain) - constant, gain.shape)
        start = groups.before(v) + constant
        if (q == 1).all():
            return expected_pairs(groups, u, v, start)
        return expected_stops(groups, u, q, v, start)

    def _weights(self, gain: np.ndarray, topics: Topics) -> tuple[np.ndarray, np.ndarray]:
        """u and q of documents by their gain."""
        u, q = self.stops(gain, topics), self.goes_on(gain, topics)
        return np.broadcast_to(u, gain.shape), np.broadcast_to(q, gain.shape)

    def over_judgments(self, topics: Topics, highest: bool) -> np.ndarray:
        if self.MONOTONE:
            return extreme_in_order(topics, self.values, highest)
        return self._by_states(topics, highest)

    def _by_states(self, topics: Topics, highest: bool) -> np.ndarray:
        # Once it is fixed how many holes get each gain, the ideal list is fixed. What the ranks so far add
        # then depends on these numbers and on those of the holes so far, the state.
        extreme = max if highest else min
        result = self.values(topics)
        gains, holes = topics.possible_gains, Holes.of(topics)
        u, q = self._weights(gains, topics)
        of_run = self._weights(topics.run.gain, topics)
        for topic in np.flatnonzero(holes.count).tolist():
            count = int(holes.count[topic])
            kind = distributions(topics, topic, count, math.isqrt(LIMIT))
            each = np.arange(len(kind))
            judged = filled(topics, np.full(len(kind), topic), levels_of_gains(topics)[kind])
            state = np.stack([(kind == number).sum(axis=1) for number in range(1, gains.size + 1)], axis=1)
            number, gain = state.sum(axis=1), state @ gains
            left = np.prod(q**state, axis=1)
            index = {tuple(row): place for place, row in enumerate(state.tolist())}
            before = [
                np.array([index.get(tuple(row), -1) for row in (state - one).tolist()])
                for one in np.eye(gains.size, dtype=np.int64)
            ]
            fits = (state <= state[:, None]).all(axis=2)
            entries = range(*topics.run.offsets[topic : topic + 2])
            at = {int(topics.run.rank[entry]): entry for entry in entries}
            best = np.where(number == 0, 0.0, -np.inf) + np.zeros((len(kind), 1))  # in all × so far
            seen, relevant, total, weight = 0, 0, 0.0, 1.0 if highest else -1.0
            for rank in range(1, int(topics.retrieved[topic]) + 1):
                entry = at.get(rank)
                gained = 0.0 if entry is None else float(topics.run.gain[entry])
                relevant, total = relevant + (gained > 0), total + gained
                possible = self.possible(np.full(each.size, rank), each, judged)[:, None]
                quotient = weight * self.quotient(self.achieved(relevant + number, total + gain), possible)
                if entry is None:
                    seen += 1
                    reached = [best]
                    for origin, stop in zip(before, u):
                        came = best[:, origin] + stop * left[origin] * quotient
                        reached.append(np.where(origin >= 0, came, -np.inf))
                    reachable = fits & (seen >= number) & (seen - number <= (count - number)[:, None])
                    best = np.where(reachable, np.max(reached, axis=0), -np.inf)
                elif gained > 0:
                    best = best + of_run[0][entry] * left * quotient
                    weight *= of_run[1][entry]
            values = ratio(np.abs(best[each, each]), np.broadcast_to(self.most(judged, topics.cutoff), each.shape))
            result[topic] = extreme(result[topic], extreme(values))
        return result


def product_before(values: np.ndarray, run: GainList) -> np.ndarray:
    """The product of a value over all entries before each entry of its topic."""
    product = np.exp(run.cumsum(np.log(values)))
    return np.where(changes(run.topic), 1.0, np.append(1.0, product[:-1]))
