"""Extremes of sums over relevant documents, found by dynamic programming over compositions.

The sum over the ranks so far depends only on how many documents of each kind they hold. This holds for
the order of tied documents, which have a fixed composition. It also holds for the gains of unjudged documents
if their composition is fixed, because this determines the ideal list.
"""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple, TypeGuard

import numpy as np

from ..measures import AGR, ERR_G, WAP, O_measure, Q, iRBU, nERR
from ..measures.base import GradedMeasure
from ..measures.sums import AtRelevant
from ..measures.topics import Topics
from ..ranking.gains import gain_of
from .judgments import LIMIT, Undetermined, distributions, filled, levels_of_gains, refuse_work, unjudged_of
from .ties import TieGroups


class Compositions(NamedTuple):
    """N compositions of documents of K kinds.

    `number` (N × K) are the documents of each kind. `steps` has for each kind the compositions that hold it,
    and for each of these the composition with one document fewer of that kind.
    """

    number: np.ndarray
    steps: list[tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, number: np.ndarray) -> Compositions:
        """These compositions, among them all that have fewer documents of a kind."""
        index = {row.tobytes(): position for position, row in enumerate(number)}
        steps = []
        for kind in range(number.shape[1]):
            after = np.flatnonzero(number[:, kind])
            fewer = number[after]
            fewer[:, kind] -= 1
            steps.append((after, np.array([index[row.tobytes()] for row in fewer], dtype=np.int64)))
        return cls(number, steps)

    @property
    def size(self) -> np.ndarray:
        """The number of documents of each composition (N)."""
        return self.number.sum(axis=1)

    def extended(
        self, best: np.ndarray, stops: np.ndarray, weight: np.ndarray, quotient: np.ndarray
    ) -> np.ndarray:
        """The best sum at each composition (… × N) after one more document, of one of the kinds or of none.

        A document that leads to a composition adds `stops` (K) times the `weight` of the composition before
        it (N) times the `quotient` at this composition (… × N).
        """
        reached = best.copy()
        for (after, before), stop in zip(self.steps, stops):
            sums = best[..., before] + stop * weight[before] * quotient[..., after]
            reached[..., after] = np.maximum(reached[..., after], sums)
        return reached

    @property
    def within(self) -> np.ndarray:
        """Whether the documents of a composition are among those of another (others × N)."""
        inside = np.ones((len(self.number), len(self.number)), dtype=bool)
        for kind, (after, _) in enumerate(self.steps):
            number = self.number[:, kind]
            inside[:, after] &= number[after] <= number[:, None]
        return inside


def extreme_over_states(measure: AtRelevant, topics: Topics, highest: bool) -> np.ndarray:
    """The highest or lowest value of each topic (T) over all judgments of its unjudged documents."""
    result, count = measure.values(topics), unjudged_of(topics).count
    levels, judged = levels_of_kinds(measure, topics), topics.judged.tolist()
    kinds = len(levels)
    refuse_work(
        topics, count, lambda topic, some: math.comb(some + kinds, kinds) ** 2 * (judged[topic] + some)
    )
    extreme = np.maximum if highest else np.minimum
    for topic in np.flatnonzero(count).tolist():
        values = _over_judgments(measure, topics, topic, int(count[topic]), levels, 1 if highest else -1)
        result[topic] = extreme(result[topic], extreme.reduce(values))
    return result


def _over_judgments(
    measure: AtRelevant, topics: Topics, topic: int, count: int, levels: np.ndarray, sign: int
) -> np.ndarray:
    """The extreme values of one topic for all numbers of documents that get each level."""
    kind = distributions(count, levels.size)
    compositions = Compositions.of((kind[:, :, None] == np.arange(1, levels.size + 1)).sum(axis=1))
    every = np.arange(len(kind))
    judged = filled(topics, np.full(every.size, topic), np.append(np.nan, levels)[kind])

    run, gain, raw = topics.run, gains_of_levels(measure, judged, levels), gain_of(levels, topics.gains)
    number, gains = compositions.number[:, raw > 0].sum(axis=1), (compositions.number @ gain.T).T
    (u, q), of_run = measure.weights(raw, topics), measure.weights(run.gain, topics)
    u = np.where(raw > 0, u, 0.0)
    weight = np.prod(q**compositions.number, axis=1) * sign
    fits, size = compositions.within, compositions.size  # total composition × composition so far
    best = np.where(size == 0, 0.0, np.full((every.size, 1), -np.inf))
    entries = {int(run.rank[entry]): entry for entry in range(*run.offsets[topic:][:2])}
    seen, relevant, total = 0, 0, np.zeros(1)
    for rank in range(1, int(topics.retrieved[topic]) + 1):
        entry = entries.get(rank)
        if entry is not None and run.gain[entry] > 0:
            level = topics.document_level[topics.document[entry : entry + 1]]
            relevant, total = relevant + 1, total + gains_of_levels(measure, judged, level)
        achieved = measure.achieved(relevant + number, total + gains)
        possible = measure.possible(np.full(every.size, rank), every, judged)[:, None]
        quotient = measure.quotient(achieved, possible)
        if entry is None:
            seen += 1
            reachable = fits & (seen >= size) & (seen - size <= (count - size)[:, None])
            best = np.where(reachable, compositions.extended(best, u, weight, quotient), -np.inf)
        elif run.gain[entry] > 0:
            best = best + of_run[0][entry] * weight * quotient
            weight = weight * of_run[1][entry]
    return measure.scaled(np.abs(best[every, every]), judged)


def levels_of_kinds(measure: AtRelevant, topics: Topics) -> np.ndarray:
    """A level for each kind of judgment other than irrelevant."""
    if isinstance(measure, type(AGR)):  # an adjusted gain depends on the level, and on the level below
        levels = topics.ranks.judged.all_levels
        return levels[np.maximum.accumulate(gain_of(levels, topics.gains)) > 0]
    return levels_of_gains(topics)[1:]


def gains_of_levels(measure: AtRelevant, topics: Topics, levels: np.ndarray) -> np.ndarray:
    """The gain that `achieved` sums for each of K levels (K); for AGR, also for each topic (T × K)."""
    if not isinstance(measure, type(AGR)):
        return gain_of(levels, topics.gains)
    topic = np.repeat(np.arange(topics.count), levels.size)
    gains = measure.adjusted(topics, topic, np.tile(levels, topics.count))
    return np.asarray(gains).reshape(topics.count, levels.size)


SORTED = tuple(map(type, (WAP, Q, AGR, ERR_G, nERR, iRBU, O_measure)))


def sorts_ties(measure: GradedMeasure) -> bool:
    """Whether a value is extreme if each group of tied documents is in the order of their merit."""
    by_states = isinstance(measure, AtRelevant) and not isinstance(measure, SORTED)
    return not by_states or measure.params.get("stop") == "rb"


def needs_states(measure: GradedMeasure) -> TypeGuard[AtRelevant]:
    """Whether all orders of tied documents must be compared for the option `ties` of the measure."""
    return measure.option("ties") in ("min", "max") and not sorts_ties(measure)


def sums_over_orders(measure: AtRelevant, topics: Topics, depth: int) -> np.ndarray:
    """The extreme sum down to each rank 1 … `depth` (T × depth) over all orders of tied documents.

    All orders of a group lead to the same state behind it, so each group is considered by itself.
    """
    whole, plain = topics.whole_run, measure.amounts(topics)
    relevant, gain = whole.gain > 0, np.zeros(whole.gain.size)
    gain[relevant] = measure.relevant(topics.cut(None)).gain
    untied = (topics.first == topics.last)[topics.run.gain > 0]
    sums = plain.vector(np.where(untied, plain.gain, 0.0), depth)
    groups, q = TieGroups.of(topics, relevant), measure.weights(gain, topics)[1]
    number, before = groups.before(relevant.astype(np.float64)), groups.before(gain)
    sign = 1 if measure.option("ties") == "max" else -1
    weight = np.exp(groups.before(np.log(np.where(relevant, q, 1.0)))) * sign
    for group, gains, counts in tied_gains(groups, gain):
        topic, steps = groups.topic[group], int(groups.within[group])
        compositions = Compositions.of(
            np.array(list(product(*(range(each + 1) for each in counts.tolist()))))
        )
        u, q = measure.weights(gains, topics)
        reached = weight[group] * np.prod(q**compositions.number, axis=1)
        achieved = measure.achieved(
            number[group] + compositions.size, before[group] + compositions.number @ gains
        )
        best = np.where(compositions.size == 0, 0.0, -np.inf)
        for step in range(1, steps + 1):
            rank = np.full(compositions.size.size, groups.first[group] + step - 1)
            possible = measure.possible(rank, np.full(rank.size, topic), topics)
            best = compositions.extended(best, u, reached, measure.quotient(achieved, possible))
            others = step - compositions.size  # irrelevant documents so far
            best[(others < 0) | (others > groups.size[group] - groups.known[group])] = -np.inf
            last = slice(rank[0] - 1, rank[0] if step < steps else None)
            sums[topic, last] += abs(best.max())
    return sums


def tied_gains(groups: TieGroups, gain: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """The groups of several documents: the number of each, its distinct gains, and how many of its documents
    have each gain, at most its ranks within the cutoff.

    Raises `Undetermined` if the orders of all groups are too much work.
    """
    tied = []
    for group in np.flatnonzero(groups.size > 1).tolist():
        documents = groups.entry[groups.opens[group] :][: groups.known[group]]
        gains, number = np.unique(gain[documents], return_counts=True)
        tied.append((group, gains, np.minimum(number, groups.within[group])))
    work = [
        math.prod((number + 1).tolist()) * gains.size * (int(groups.within[group]) + 20)
        for group, gains, number in tied
    ]
    if sum(work) > LIMIT:
        group = tied[work.index(max(work))][0]
        raise Undetermined(
            f"topic {groups.topics.names[groups.topic[group]]!r} ties {groups.size[group]} documents at rank "
            f"{groups.first[group]}: too many orders to compare them all; use a smaller cutoff"
        )
    return tied
