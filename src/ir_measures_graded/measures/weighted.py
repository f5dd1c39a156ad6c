"""Sums of weighted gains, the basis of most measures.

A measure defines the amount that a gain adds at a rank (`weigh`). Its value, its curve and its range over
tied and unjudged documents follow from this definition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from ..by_topic import cumsum
from .base import GradedMeasure
from .holes import Holes, Ratio, Undetermined, at_least, padded
from .ties import expected
from .topics import GainList, Topics, ratio, share


class WeightedGains(GradedMeasure):
    """A sum of gains, each with a weight that depends on its rank: override `weigh`.

    With a parameter `avg` the value is the mean of the sums at all ranks down to the cutoff.
    """

    TIES = ("mean", "min", "max")
    UNJUDGED = True
    SCALES: ClassVar[bool] = False
    """Whether `worth` replaces the gains; only for normalised measures."""

    def weigh(self, gain: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """The amount that a gain adds at a rank. It is proportional to the gain."""
        return gain

    def worth(self, gain: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The worth of a gain if `best` is the highest gain of the topic's recall base. It is 0 for the gain
        0 and never falls as the gain grows. Only measures with `SCALES` use it."""
        return gain

    def scaled(self, total: np.ndarray, topics: Topics) -> np.ndarray:
        """The value of each topic, proportional to its sum (T)."""
        return total

    def values(self, topics: Topics) -> np.ndarray:
        return self.scaled(self.total(self.listed(topics), topics), topics)

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        return self.over_ranks(self.vector(self.listed(topics), depth))

    def listed(self, topics: Topics) -> GainList:
        """The worths at the ranks of the run's list; with ties='mean' the mean worth at each rank."""
        if self["ties"] != "mean":
            return self.in_worths(topics.run, topics)
        return expected(topics, self.in_worths(topics.whole_run, topics).gain)

    def in_worths(self, gains: GainList, topics: Topics) -> GainList:
        """A list with the worths of its gains."""
        if not self.SCALES:
            return gains
        return GainList(
            gains.topics, gains.topic, gains.rank, self.worth(gains.gain, topics.best[gains.topic])
        )

    def contributions(self, topics: Topics) -> GainList | None:
        run = self.listed(topics)
        return run.divided(self.values(topics), self.entries(run, topics))

    def total(self, worths: GainList, topics: Topics) -> np.ndarray:
        """The sum over each topic's list (T)."""
        total = worths.sum(self.entries(worths, topics))
        return ratio(total, topics.depth) if self.averages else total

    def entries(self, worths: GainList, topics: Topics) -> np.ndarray:
        """The amount that each entry of a list adds to the sum. In a mean over ranks, an entry counts at its
        rank and at every later rank."""
        weighed = self.weigh(worths.gain, worths.rank)
        if not self.averages:
            return weighed
        return weighed * (topics.depth[worths.topic] - worths.rank + 1)

    def vector(self, worths: GainList, depth: int) -> np.ndarray:
        """The sum over a list at each rank down to `depth` (T × depth)."""
        return worths.vector(self.weigh(worths.gain, worths.rank), depth)

    @property
    def averages(self) -> bool:
        """Whether the value is a mean over ranks."""
        return bool(self.params.get("avg"))

    def over_ranks(self, vector: np.ndarray) -> np.ndarray:
        """With `avg` the mean of a vector (… × depth) over the ranks so far, else the vector."""
        if not self.averages:
            return vector
        return np.cumsum(vector, axis=-1) / np.arange(1, vector.shape[-1] + 1)

    def over_judgments(self, topics: Topics, highest: bool) -> np.ndarray:
        self._check_depth(topics)
        value = self.values(topics)
        if not highest or not topics.possible_gains.size:
            return value
        holes = Holes.of(topics)
        best = np.full(holes.topic.size, topics.possible_gains[-1])
        added = self.total(GainList(topics.count, holes.topic, holes.rank, best), topics)
        return value + self.scaled(added, topics)

    def difference_over_judgments(
        self, one: Topics, other: Topics, shared: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        topic, weight = differing_holes(one, other, shared, lambda topics, holes: self.entries(holes, topics))
        value, best = self.values(one) - self.values(other), one.possible_gains.max(initial=0)

        def added(weight: np.ndarray) -> np.ndarray:
            total = np.bincount(topic, weights=weight * best, minlength=one.count)
            return self.scaled(ratio(total, one.depth) if self.averages else total, one)

        return value - added(np.maximum(-weight, 0)), value + added(np.maximum(weight, 0))

    def _check_depth(self, topics: Topics) -> None:
        if self.averages and topics.cutoff is None:
            raise Undetermined(
                f"{self}: without a cutoff the judgments decide how many ranks avg=True averages; "
                "add a cutoff, as in @10"
            )


class Normalised(WeightedGains):
    """A sum of weighted gains, divided by the same sum over the ideal list."""

    IDEAL_IS_CUT = True
    """Whether the ideal list ends at the cutoff."""

    def ideal(self, topics: Topics) -> GainList:
        """The gains of the ideal list."""
        return topics.ideal if self.IDEAL_IS_CUT else topics.whole_ideal

    def values(self, topics: Topics) -> np.ndarray:
        run, ideal = self.listed(topics), self.in_worths(self.ideal(topics), topics)
        achieved, possible = self.weigh(run.gain, run.rank), self.weigh(ideal.gain, ideal.rank)
        if self.averages:
            return mean_ratio_over_ranks(run, achieved, ideal, possible, topics.depth)
        return share(run.sum(achieved), ideal.sum(possible))

    def entries(self, worths: GainList, topics: Topics) -> np.ndarray:
        """The amount that each entry of a list adds to the sum. In a mean over ranks, an entry counts as a
        share of the ideal sum, at its rank and at every later rank."""
        weighed = self.weigh(worths.gain, worths.rank)
        if not self.averages:
            return weighed
        longest = int(max(worths.last.max(initial=0), self.ideal(topics).last.max(initial=0)))
        shares = ratio(np.ones(1), self.vectors(topics, longest)[1])
        shares[:, -1:] *= np.maximum(topics.depth - longest, 0)[:, None] + 1  # later ranks repeat it
        shares[np.arange(longest) >= topics.depth[:, None]] = 0
        from_rank = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
        return weighed * from_rank[worths.topic, worths.rank - 1]

    def vectors(self, topics: Topics, depth: int) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of the run and of the ideal list (T × depth each)."""
        ideal = self.in_worths(self.ideal(topics), topics)
        if self.IDEAL_IS_CUT:
            possible = self.vector(ideal, depth)
        else:
            possible = np.repeat(ideal.sum(self.weigh(ideal.gain, ideal.rank))[:, None], depth, axis=1)
        return self.vector(self.listed(topics), depth), possible

    def quotient(self, achieved: np.ndarray, possible: np.ndarray) -> np.ndarray:
        """The curve of a run, from its vectors and the ideal vectors (… × depth each).

        The vectors are those of single topics, or the means over all topics, which Järvelin & Kekäläinen
        divide.
        """
        return self.over_ranks(share(achieved, possible))

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        return self.quotient(*self.vectors(topics, depth))

    def over_judgments(self, topics: Topics, highest: bool) -> np.ndarray:
        if self.averages:
            self._check_depth(topics)
            return GradedMeasure.over_judgments(self, topics, highest)
        holes = Holes.of(topics)
        weights = holes.table(self.weigh(np.ones(holes.rank.size), holes.rank))
        return self.quotient_of(topics, holes.count).extreme(weights, holes.count, highest)

    def difference_over_judgments(
        self, one: Topics, other: Topics, shared: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        if self.averages:
            return None
        topic, weight = differing_holes(
            one, other, shared, lambda _, holes: self.weigh(holes.gain, holes.rank)
        )
        count = np.bincount(topic, minlength=one.count)
        weights = padded(weight[np.argsort(topic, kind="stable")], count)
        a, b = (self.quotient_of(topics, count) for topics in (one, other))
        both = replace(a, achieved=a.achieved - b.achieved, value=a.value - b.value)
        return both.extreme(weights, count, highest=False), both.extreme(weights, count, highest=True)

    def quotient_of(self, topics: Topics, holes: np.ndarray) -> Ratio:
        """The quotient as a function of the gains of some holes; `holes` (T) is their number."""
        gains, ideal = topics.possible_gains, self.in_ideal(topics)
        worth = np.broadcast_to(gains, (topics.count, gains.size, gains.size))
        if self.SCALES:
            best = np.maximum(topics.best[:, None], gains)[:, :, None]
            worth = self.worth(np.minimum(worth, best), best)
        longest = int((topics.relevant + holes).max(initial=0))
        weights = self.weigh(np.ones(longest), np.arange(1, longest + 1))
        run = topics.run
        return Ratio(
            worth=worth,
            achieved=at_least(topics, run.topic, run.gain, self.weigh(np.ones(run.rank.size), run.rank)),
            judged=ideal.astype(np.int64),
            possible=np.append(0.0, np.cumsum(weights)),
            cutoff=topics.cutoff if self.IDEAL_IS_CUT else None,
            value=self.values(topics),
        )

    def in_ideal(self, topics: Topics) -> np.ndarray:
        """The number of judged documents of the ideal list that gain at least each possible gain (T × L)."""
        levels = topics.ranks.judged.levels
        return at_least(topics, levels.topic, levels.gain(topics.gains), levels.count)


def differing_holes(
    one: Topics,
    other: Topics,
    shared: tuple[np.ndarray, np.ndarray],
    weigh: Callable[[Topics, GainList], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """The documents that either of two runs has unjudged: the topic of each, and its weight in `one` minus
    its weight in `other`. `weigh` returns the weight of each entry of a list with gains of 1."""
    topic, weight = [], []
    for topics in (one, other):
        holes = Holes.of(topics)
        topic.append(holes.topic)
        ones = GainList(topics.count, holes.topic, holes.rank, np.ones(holes.rank.size))
        weight.append(np.array(weigh(topics, ones)))
    weight[0][shared[0]] -= weight[1][shared[1]]
    only_other = np.ones(topic[1].size, dtype=bool)
    only_other[shared[1]] = False
    return np.append(topic[0], topic[1][only_other]), np.append(weight[0], -weight[1][only_other])


def mean_ratio_over_ranks(
    run: GainList, achieved: np.ndarray, ideal: GainList, possible: np.ndarray, depth: np.ndarray
) -> np.ndarray:
    """The mean over ranks 1…depth of a running sum's quotient by the ideal one, one value per topic.

    The vectors end at the last rank where either changes. Later ranks repeat the last quotient.
    """
    length = np.maximum(run.last, ideal.last)
    offsets = np.concatenate(([0], np.cumsum(length)))

    def vector(gains: GainList, weighed: np.ndarray) -> np.ndarray:
        dense = np.zeros(offsets[-1])
        dense[offsets[gains.topic] + gains.rank - 1] = weighed
        return cumsum(dense, offsets)

    quotient = share(vector(run, achieved), vector(ideal, possible))
    some = length > 0
    quotient[offsets[1:][some] - 1] *= (depth - length + 1)[some]
    topic = np.repeat(np.arange(run.topics), length)
    return ratio(np.bincount(topic, weights=quotient, minlength=run.topics), depth)
