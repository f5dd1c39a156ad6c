"""Sums over the relevant documents of a run, for average precision with gains and for users who stop.

A measure defines how likely its user stops at a document, how likely the user goes on after it, and how good
the list down to it is. Its value, its curve and its range over tied and unjudged documents follow from this.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .base import GradedMeasure
from .holes import LIMIT, Holes, distributions, extreme_in_order, filled, levels_of_gains
from .ties import TieGroups, expected_pairs, expected_stops
from .topics import GainList, Topics, ratio, share


class AtRelevant(GradedMeasure):
    """A sum over the relevant documents of the run: `Σ_i u(i)·Π_{j<i} q(j)·V[i]/d(i)`, divided by `most`.

    Override those that are not 1: `stops` (u), `goes_on` (q), `achieved` (V), `possible` (d) and `most`.
    """

    TIES: ClassVar[tuple[str, ...]] = ("mean", "min", "max")
    UNJUDGED = True
    MONOTONE: ClassVar[bool] = False
    """Whether a value never falls when two documents, at any distance, change places so that the better one
    stands higher."""

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

    def most(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray | float:
        """The divisor of the sum, per topic (T) or per topic and cutoff (T × cutoffs)."""
        return 1.0

    def quotient(self, achieved: np.ndarray, possible: np.ndarray) -> np.ndarray:
        return ratio(achieved, possible)

    def values(self, topics: Topics) -> np.ndarray:
        run, added = self.at_relevant(topics)
        return share(run.sum(added), np.asarray(self.most(topics, topics.cutoff)))

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        run, added = self.at_relevant(topics)
        return share(run.vector(added, depth), np.asarray(self.most(topics, np.arange(1, depth + 1))))

    def contributions(self, topics: Topics) -> GainList | None:
        run, added = self.at_relevant(topics)
        return run.divided(self.values(topics), added)

    def relevant(self, topics: Topics) -> GainList:
        """The relevant documents of the run's list, with the gains that `achieved` sums."""
        return topics.run.relevant

    def at_relevant(self, topics: Topics) -> tuple[GainList, np.ndarray]:
        """The ranks where relevant documents may stand, and the amount that each adds."""
        if self["ties"] == "mean":
            run = self._expected(topics)
            return run, ratio(run.gain, self.possible(run.rank, run.topic, topics))
        run = self.relevant(topics)
        return run, self.added(run, topics)

    def added(self, run: GainList, topics: Topics) -> np.ndarray:
        """The amount that each relevant document of a list adds to the sum."""
        return self.weight(run, topics) * self.quality(run, topics)

    def quality(self, run: GainList, topics: Topics) -> np.ndarray:
        """V[i]/d(i) at each relevant document of a list."""
        achieved = self.achieved(run.number, run.cumulated)
        return self.quotient(achieved, self.possible(run.rank, run.topic, topics))

    def weight(self, run: GainList, topics: Topics) -> np.ndarray:
        """u(i)·Π_{j<i} q(j) at each relevant document of a list."""
        u, q = self._weights(run.gain, topics)
        if (q == 1).all():
            return u
        return u * run.previous(run.running(np.multiply, q), first=1.0)

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
        result, extreme = self.values(topics), max if highest else min
        holes = Holes.of(topics).count
        for topic in np.flatnonzero(holes).tolist():
            found = self._over_states(topics, _States.of(topics, topic, int(holes[topic])), highest)
            result[topic] = extreme(result[topic], found)
        return result

    def _over_states(self, topics: Topics, states: _States, highest: bool) -> float:
        """The extreme value of one topic over all judgments of its holes.

        The numbers of holes that get each gain determine the ideal list. The sum over the ranks so far then
        depends only on these numbers and on the state, the numbers of holes so far that got each gain.
        """
        gains, run = topics.possible_gains, topics.run
        every, judged = np.arange(len(states.number)), states.judged
        number, gain = states.number.sum(axis=1), states.number @ gains
        (u, q), of_run = self._weights(gains, topics), self._weights(run.gain, topics)
        weight = np.prod(q**states.number, axis=1) * (1 if highest else -1)
        best = np.where(number == 0, 0.0, np.full((every.size, 1), -np.inf))  # total numbers × numbers so far
        entries = {int(run.rank[entry]): entry for entry in range(*run.offsets[states.topic :][:2])}
        seen, relevant, total = 0, 0, 0.0
        for rank in range(1, int(topics.retrieved[states.topic]) + 1):
            entry = entries.get(rank)
            gained = 0.0 if entry is None else float(run.gain[entry])
            relevant, total = relevant + (gained > 0), total + gained
            achieved = self.achieved(relevant + number, total + gain)
            quotient = self.quotient(
                achieved, self.possible(np.full(every.size, rank), every, judged)[:, None]
            )
            if entry is None:
                seen += 1
                reached = [best]
                for before, stop in zip(states.before, u):
                    came = best[:, before] + stop * weight[before] * quotient
                    reached.append(np.where(before >= 0, came, -np.inf))
                best = np.where(states.reachable(seen), np.max(reached, axis=0), -np.inf)
            elif gained > 0:
                best = best + of_run[0][entry] * weight * quotient
                weight = weight * of_run[1][entry]
        values = ratio(
            np.abs(best[every, every]), np.broadcast_to(self.most(judged, topics.cutoff), every.shape)
        )
        return float(values.max() if highest else values.min())


@dataclass(frozen=True)
class _States:
    """The N possible numbers of a topic's holes that get each gain, in total or so far.

    `number` (N × gains) are these numbers. `before` has for each gain the possibility with one hole fewer of
    that gain (N), -1 if there is none. `judged` are N topics, in which the holes have these total numbers.
    """

    topic: int
    holes: int
    number: np.ndarray
    before: list[np.ndarray]
    judged: Topics

    @classmethod
    def of(cls, topics: Topics, topic: int, holes: int) -> _States:
        kind = distributions(topics, topic, holes, math.isqrt(LIMIT))
        kinds = np.arange(1, topics.possible_gains.size + 1)
        number = (kind[:, :, None] == kinds).sum(axis=1)
        index = {tuple(row): place for place, row in enumerate(number.tolist())}
        one_less = number - np.eye(kinds.size, dtype=np.int64)[:, None]
        before = [np.array([index.get(tuple(row), -1) for row in rows]) for rows in one_less.tolist()]
        judged = filled(topics, np.full(len(kind), topic), levels_of_gains(topics)[kind])
        return cls(topic, holes, number, before, judged)

    def reachable(self, seen: int) -> np.ndarray:
        """Whether the numbers of the first `seen` holes can grow to the total numbers (total × so far)."""
        relevant, unused = self.number.sum(axis=1), self.holes - self.number.sum(axis=1)
        return np.asarray(self._fits & (seen >= relevant) & (seen - relevant <= unused[:, None]))

    @cached_property
    def _fits(self) -> np.ndarray:
        return np.all(self.number <= self.number[:, None], axis=2)
