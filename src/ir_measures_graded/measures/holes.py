"""Holes: the ranks within a measure's cutoff that no judged document holds.

An unjudged document counts as irrelevant, but an assessor could have given it any level. A `Ratio` finds
the extremes of a quotient of weighted gains over all judgments of the holes. A hole's gain enters both sums.
Therefore the customary bounds (all holes irrelevant, all highly relevant) are wrong. For other measures,
`filled` makes topics with given judgments, and `extreme_in_order` evaluates the judgments that matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np

from ..by_topic import places, rows_of
from ..errors import GradedError
from ..inputs.id_matching import Ids
from ..inputs.tables import Table
from ..ranking.gains import gain_of
from ..ranking.judged import Judged
from ..ranking.ranks import JudgedRanks
from .topics import Topics

BLOCK = 1 << 20
"""The approximate maximum size of a table of topics, gains and holes."""


class Undetermined(GradedError):
    """The range over all judgments of the holes exists, but it is not computed."""


@dataclass(frozen=True)
class Holes:
    """The holes of a run (U), topic after topic in rank order: `topic`, `rank`, and `place`, the place
    of the document in the run's whole list. `count` (T): the number of holes of each topic."""

    topic: np.ndarray
    rank: np.ndarray
    place: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, topics: Topics) -> Holes:
        """The holes of the topics."""
        return topics.once("holes", lambda: cls._of(topics))

    @classmethod
    def _of(cls, topics: Topics) -> Holes:
        whole = topics.ranks.retrieved
        topic = np.repeat(np.arange(topics.count), topics.retrieved)
        rank = places(topics.retrieved) + 1
        place = (np.cumsum(whole) - whole)[topic] + rank - 1
        judged = np.zeros(whole.sum(), dtype=bool)
        judged[topics.place] = True
        hole = ~judged[place]
        return cls(topic[hole], rank[hole], place[hole], np.bincount(topic[hole], minlength=topics.count))

    def table(self, values: np.ndarray) -> np.ndarray:
        """A value of each hole as a table (T × the largest `count`), padded with 0."""
        return padded(values, self.count)


def padded(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Values of one topic after the other as the rows of a table, padded with 0.

    >>> padded(np.array([1., 2., 3.]), np.array([2, 0, 1]))
    array([[1., 2.],
           [0., 0.],
           [3., 0.]])
    """
    table = np.zeros((sizes.size, int(sizes.max(initial=0))), dtype=values.dtype)
    table[np.repeat(np.arange(sizes.size), sizes), places(sizes)] = values
    return table


LIMIT = 200_000
"""The maximum number of judgments of one topic's holes that are evaluated."""


def filled(topics: Topics, of: np.ndarray, level: np.ndarray) -> Topics:
    """The topics with judged holes, one copy of a topic for each judgment of its holes.

    `of` (P) is the topic of each judgment. `level` (P × the largest number of holes) has the level of each
    hole, NaN for one that stays unjudged. The lists of these P topics end at the cutoff.
    """
    ranks, judged = topics.ranks, topics.ranks.judged
    holes = Holes.of(topics)
    size = np.diff(judged.offsets)
    start = np.cumsum(topics.retrieved) - topics.retrieved
    number = np.empty(topics.retrieved.sum(), dtype=np.int64)  # of the document at each rank, in its topic
    number[start[topics.run.topic] + topics.run.rank - 1] = topics.document - judged.offsets[topics.run.topic]
    number[start[holes.topic] + holes.rank - 1] = size[holes.topic] + places(holes.count)

    sizes = size[of] + holes.count[of]
    opens = np.cumsum(sizes) - sizes
    given = np.empty(sizes.sum())
    given[np.repeat(opens, size[of]) + places(size[of])] = judged.level[rows_of(judged.offsets[of], size[of])]
    hole = np.repeat(opens + size[of], holes.count[of]) + places(holes.count[of])
    given[hole] = level[np.arange(level.shape[1]) < holes.count[of][:, None]]
    kept = ~np.isnan(given)
    new = np.cumsum(kept) - 1

    names, listed = [topics.names[topic] for topic in of.tolist()], topics.retrieved[of]
    at = rows_of(start[of], listed)
    document = np.repeat(opens, listed) + number[at]
    known = kept[document]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    qrels = Table(
        "qrels", names, np.append(0, np.cumsum(kept))[offsets], Ids.of([]), given[kept], distinct=True
    )
    scores = ranks.score[rows_of((np.cumsum(ranks.retrieved) - ranks.retrieved)[of], listed)]
    run = Table("run", names, np.append(0, np.cumsum(listed)), Ids.of([]), scores, distinct=True)
    none = np.empty((2, 0), dtype=np.int64)
    reduced = JudgedRanks(
        Judged(qrels, judged.whole),
        doc=new[document[known]],
        topic=np.repeat(np.arange(of.size), listed)[known],
        rank=(places(listed) + 1)[known],
        retrieved=listed,
        listed=run,
        moved=none,
        ties=none,
    )
    return Topics(reduced, topics.gains, topics.cutoff)


def extreme_in_order(topics: Topics, compute: Callable[[Topics], np.ndarray], highest: bool) -> np.ndarray:
    """The extreme of each value (T) over all judgments of the holes, for a monotone measure.

    Its value never falls when two documents, at any distance, change places so that the better one stands
    higher. Therefore the highest value gives higher gains to earlier holes, the lowest value to later holes.
    Raises `Undetermined` for a topic with more than `LIMIT` such judgments.
    """
    result = compute(topics)
    extreme = np.maximum if highest else np.minimum
    level, count = levels_of_gains(topics), Holes.of(topics).count
    for holes in np.unique(count[count > 0]).tolist():
        having = np.flatnonzero(count == holes)
        kind = distributions(topics, having[0], holes, LIMIT)
        given = level[kind if highest else kind[:, ::-1]]
        for some in _blocks(having, kind.size):
            values = compute(filled(topics, np.repeat(some, len(kind)), np.tile(given, (some.size, 1))))
            best = extreme.reduce(values.reshape(some.size, len(kind)), axis=1)
            result[some] = extreme(result[some], best)
    return result


def levels_of_gains(topics: Topics) -> np.ndarray:
    """A level for each gain that a hole can get: NaN, unjudged, for 0, then one for each possible gain."""
    level = topics.ranks.judged.all_levels
    gain = gain_of(level, topics.gains)
    return np.array([np.nan, *(level[gain == each][0] for each in topics.possible_gains)])


def distributions(topics: Topics, topic: int, holes: int, limit: int) -> np.ndarray:
    """All ways to give gains to some holes of a topic without regard to their order (ways × holes).

    0 stands for no gain, 1 for the lowest positive gain of the collection, and so on, descending. Raises
    `Undetermined` if there are more than `limit`.
    """
    gains = topics.possible_gains.size
    ways = math.comb(holes + gains, gains)
    if ways > limit:
        raise Undetermined(
            f"topic {topics.names[topic]!r} has {holes} unjudged documents within the cutoff and the qrels "
            f"have {gains} positive gains: {ways:,} ways to judge them, but at most {limit:,} can be "
            f"compared; use a smaller cutoff"
        )
    gain_at_least = np.array(list(combinations_with_replacement(range(holes + 1), gains)))
    return (gain_at_least[:, :, None] > np.arange(holes)).sum(axis=1)


def at_least(topics: Topics, topic: np.ndarray, gain: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """The amounts of each topic's documents that gain at least each possible gain, summed (T × L)."""
    gains = topics.possible_gains
    kept = gain > 0
    cell = topic[kept] * gains.size + np.searchsorted(gains, gain[kept])
    amounts = np.bincount(cell, weights=amount[kept], minlength=topics.count * gains.size)
    return np.cumsum(amounts.reshape(topics.count, gains.size)[:, ::-1], axis=1)[:, ::-1]


@dataclass(frozen=True)
class Ratio:
    """A quotient of sums of weighted worths, `Σ_h Δ_h·achieved_h / Σ_h Δ_h·W(min(k, judged_h))`.

    T topics, L possible gains in ascending order, and one case for each gain as the highest gain of a hole:

    - `worth` (T × L × L): the worth of each gain in each case; Δ_h is the difference from the gain below.
    - `achieved` (T × L): the weights of the run's judged documents that gain at least h, summed.
    - `judged` (T × L): the documents of the ideal list that gain at least h.
    - `possible`: W(0), W(1), …, the sums of the weights of the first ranks of the ideal list.
    - `cutoff`: k, or None.
    - `value` (T): the quotient itself, if no hole gains anything.
    """

    worth: np.ndarray
    achieved: np.ndarray
    judged: np.ndarray
    possible: np.ndarray
    cutoff: int | None
    value: np.ndarray

    def extreme(self, weights: np.ndarray, count: np.ndarray, highest: bool) -> np.ndarray:
        """The highest or lowest quotient of each topic (T) over all judgments of its holes.

        `weights` (T × U) are the weights of the holes in the run, of which each topic has `count`. The
        ideal list grows by a document for each hole that gains something.
        """
        if not highest:
            opposite = replace(self, achieved=-self.achieved, value=-self.value)
            return -opposite.extreme(-weights, count, highest=True)
        ordered = -np.sort(np.where(np.arange(weights.shape[1]) < count[:, None], -weights, np.inf), axis=1)
        ordered[np.isinf(ordered)] = 0.0
        earned = np.concatenate((np.zeros((len(count), 1)), np.cumsum(ordered, axis=1)), axis=1)
        result = self.value.copy()
        levels = self.judged.shape[1]
        if not levels:
            return result
        for topics in _blocks(np.flatnonzero(count), levels * max(levels, earned.shape[1])):
            result[topics] = self._highest(topics, earned[topics], count[topics])
        return result

    def _highest(self, topics: np.ndarray, earned: np.ndarray, count: np.ndarray) -> np.ndarray:
        # Dinkelbach's method: a quotient N/D is at most λ if and only if N − λ·D is at most 0. The loop
        # finds, from the highest gain to the lowest, how many holes get at least each gain. The best choice
        # for the gains above is a running maximum over these numbers. Each possible highest gain is a
        # separate case, because rounding would lose the differences of low gains beside those of high gains.
        step = np.diff(self.worth[topics], axis=2, prepend=0.0)
        levels, numbers = self.judged.shape[1], np.arange(earned.shape[1])
        limit = min(self.cutoff or self.possible.size, self.possible.size - 1)
        ideal = self.possible[np.minimum(self.judged[topics][:, :, None] + numbers, limit)]
        added = ideal - ideal[:, :, :1]
        numerator = (step * self.achieved[topics][:, None, :]).sum(axis=2)
        denominator = (step * ideal[:, None, :, 0]).sum(axis=2)
        refused = (numbers > count[:, None]) | (numbers == 0)
        best = np.repeat(self.value[topics][:, None], levels, axis=1)
        while True:
            n = d = np.zeros((len(topics), 0, numbers.size))
            surplus = n
            for level in reversed(range(levels)):
                arg = np.maximum.accumulate(surplus, axis=2)
                arg = np.maximum.accumulate(np.where(surplus == arg, numbers, 0), axis=2)
                nothing = np.zeros((len(topics), 1, numbers.size))
                weight = step[:, level:, level, None]
                n = np.concatenate((nothing, np.take_along_axis(n, arg, 2)), axis=1)
                n += weight * earned[:, None]
                d = np.concatenate((nothing, np.take_along_axis(d, arg, 2)), axis=1)
                d += weight * added[:, None, level]
                surplus = np.where(refused[:, None], -np.inf, n - best[:, level:, None] * d)
            arg = np.argmax(surplus, axis=2)[:, :, None]
            n = numerator + np.take_along_axis(n, arg, 2)[:, :, 0]
            d = denominator + np.take_along_axis(d, arg, 2)[:, :, 0]
            better = n / d > best
            if not better.any():
                return best.max(axis=1)
            best[better] = (n / d)[better]


def _blocks(topics: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """Some topics at a time, each with a table of `size` numbers."""
    most = max(1, BLOCK // max(size, 1))
    return (topics[start : start + most] for start in range(0, topics.size, most))
