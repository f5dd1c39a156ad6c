"""The extreme value of a sum over relevant documents, over all judgments of a topic's unjudged documents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..measures.at_relevant import AtRelevant
from ..measures.topics import Topics, ratio
from .judgments import LIMIT, Unjudged, distributions, filled, levels_of_gains


def extreme_over_states(measure: AtRelevant, topics: Topics, highest: bool) -> np.ndarray:
    """The highest or lowest value of each topic (T)."""
    result, extreme = measure.values(topics), max if highest else min
    count = Unjudged.of(topics).count
    for topic in np.flatnonzero(count).tolist():
        found = over_states(measure, topics, States.of(topics, topic, int(count[topic])), highest)
        result[topic] = extreme(result[topic], found)
    return result


def over_states(measure: AtRelevant, topics: Topics, states: States, highest: bool) -> float:
    """The extreme value of one topic over all judgments of its holes.

    The numbers of holes that get each gain determine the ideal list. The sum over the ranks so far then
    depends only on these numbers and on the state, the numbers of holes so far that got each gain.
    """
    gains, run = topics.possible_gains, topics.run
    every, judged = np.arange(len(states.number)), states.judged
    number, gain = states.number.sum(axis=1), states.number @ gains
    (u, q), of_run = measure.weights(gains, topics), measure.weights(run.gain, topics)
    weight = np.prod(q**states.number, axis=1) * (1 if highest else -1)
    best = np.where(number == 0, 0.0, np.full((every.size, 1), -np.inf))  # total numbers × numbers so far
    entries = {int(run.rank[entry]): entry for entry in range(*run.offsets[states.topic :][:2])}
    seen, relevant, total = 0, 0, 0.0
    for rank in range(1, int(topics.retrieved[states.topic]) + 1):
        entry = entries.get(rank)
        gained = 0.0 if entry is None else float(run.gain[entry])
        relevant, total = relevant + (gained > 0), total + gained
        achieved = measure.achieved(relevant + number, total + gain)
        quotient = measure.quotient(
            achieved, measure.possible(np.full(every.size, rank), every, judged)[:, None]
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
        np.abs(best[every, every]), np.broadcast_to(measure.divisor(judged, topics.cutoff), every.shape)
    )
    return float(values.max() if highest else values.min())


@dataclass(frozen=True)
class States:
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
    def of(cls, topics: Topics, topic: int, holes: int) -> States:
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
