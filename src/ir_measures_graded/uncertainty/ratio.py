"""The extremes of a quotient over all judgments of unjudged documents.

The gain of an unjudged document enters both sums of a normalised measure. Therefore the customary bounds (all
unjudged documents irrelevant, all highly relevant) are wrong. The sums are split by threshold: with the
possible gains t_1 < t_2 < … and Δ_h = t_h − t_{h−1}, the quotient is Σ_h Δ_h·N_h(m_h) / Σ_h Δ_h·D_h(m_h),
where m_h unjudged documents gain at least t_h, so that m_1 ≥ m_2 ≥ ….
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..by_topic import cumsum, places
from ..measures.average_precision import ByThreshold
from ..measures.topics import Topics, ratio
from ..measures.weighted import Normalised
from .judgments import Unjudged, blocks_of, padded, refuse_work

Terms = Callable[[int], tuple[np.ndarray, np.ndarray]]
ROUNDS = 4
"""The usual number of rounds of Dinkelbach's method."""
SPAN = 2.0**40
"""Rounding loses the differences of low gains beside gains that are higher by more than this factor."""


class Ratio(NamedTuple):
    """A quotient of sums over thresholds, for T topics, L thresholds and C cases.

    - `worth` (T × C × L): the worth of each possible gain, ascending; Δ_h is its distance from the one below.
      There is one case (C = 1), or one for each gain as the highest gain of an unjudged document (C = L).
    - `achieved`, `possible` (T × L): N_h(0) and D_h(0), for judged documents alone.
    - `terms`: for some topics, a function from a threshold h to N_h(m) − N_h(0) and D_h(m) − D_h(0) for each
      m (topics × numbers).
    - `value` (T): the quotient itself, if no unjudged document gains anything.
    """

    worth: np.ndarray
    achieved: np.ndarray
    possible: np.ndarray
    terms: Callable[[np.ndarray], Terms]
    value: np.ndarray

    def highest(self, count: np.ndarray) -> np.ndarray:
        """The highest quotient of each topic (T); `count` (T) unjudged documents can gain something."""
        result = self.value.copy()
        _, cases, levels = self.worth.shape
        if not levels:
            return result
        numbers = int(count.max(initial=0)) + 1
        for topics in blocks_of(np.flatnonzero(count), levels * cases * numbers):
            result[topics] = self._highest(topics, count[topics], np.arange(numbers))
        return result

    def _highest(self, topics: np.ndarray, count: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        # Dinkelbach's method: a quotient N/D is at most λ if and only if N − λ·D is at most 0. The loop
        # finds, from the highest threshold to the lowest, how many documents reach each one. The best choice
        # for the thresholds above is a running maximum over these numbers.
        step = np.diff(self.worth[topics], axis=2, prepend=0.0)
        _, cases, levels = step.shape
        numerator = (step * self.achieved[topics][:, None, :]).sum(axis=2)
        denominator = (step * self.possible[topics][:, None, :]).sum(axis=2)
        refused = numbers > count[:, None]
        if cases > 1:  # in a case, some document has the highest gain
            refused |= numbers == 0
        best = np.repeat(self.value[topics][:, None], cases, axis=1)
        nothing, terms = np.zeros((len(topics), 1, numbers.size)), self.terms(topics)
        while True:
            n = d = surplus = nothing if cases == 1 else nothing[:, :0]
            for level in reversed(range(levels)):
                arg = np.maximum.accumulate(surplus, axis=2)
                arg = np.maximum.accumulate(np.where(surplus == arg, numbers, 0), axis=2)
                n, d = np.take_along_axis(n, arg, 2), np.take_along_axis(d, arg, 2)
                if cases > 1:
                    n, d = (np.concatenate((nothing, table), axis=1) for table in (n, d))
                earned, added = terms(level)
                weight = step[:, -n.shape[1] :, level, None]
                n, d = n + weight * earned[:, None], d + weight * added[:, None]
                surplus = np.where(refused[:, None], -np.inf, n - best[:, -n.shape[1] :, None] * d)
            arg = np.argmax(surplus, axis=2)[:, :, None]
            n = numerator + np.take_along_axis(n, arg, 2)[:, :, 0]
            d = denominator + np.take_along_axis(d, arg, 2)[:, :, 0]
            found = ratio(n, d, undefined=-np.inf)
            better = found > best
            if not better.any():
                return best.max(axis=1)
            best[better] = found[better]


def worths(measure: Normalised | ByThreshold, topics: Topics, count: np.ndarray) -> np.ndarray:
    """The worth of each possible gain in each case (T × C × L), for `count` unjudged documents (T).

    Raises `Undetermined` for a topic with too many gains and documents.
    """
    gains = topics.possible_gains
    scales = isinstance(measure, Normalised) and measure.SCALES
    by_best = scales and not measure["max_gain"]
    cases = gains.size if by_best or (gains.size and gains[-1] > SPAN * gains[0]) else 1
    refuse_work(topics, count, lambda unjudged, _: ROUNDS * gains.size * cases * unjudged, each=True)
    worth = np.broadcast_to(gains, (topics.count, cases, gains.size))
    if not scales:
        return worth
    best = np.maximum(topics.best[:, None], gains if cases > 1 else gains[-1:])[:, :, None]
    return measure.worth(np.minimum(worth, best), best)


def weighted_ratio(
    measure: Normalised, topics: Topics, count: np.ndarray, weights: np.ndarray, highest: bool
) -> Ratio:
    """The quotient of weighted gains; its highest value is the lowest, negated, unless `highest`.

    `weights` (T × U) are the weights of the `count` unjudged documents of each topic (T).
    """
    sign = 1 if highest else -1
    ordered = -np.sort(
        np.where(np.arange(weights.shape[1]) < count[:, None], -sign * weights, np.inf), axis=1
    )
    ordered[np.isinf(ordered)] = 0.0
    earned = np.concatenate((np.zeros((len(count), 1)), np.cumsum(ordered, axis=1)), axis=1)
    run, judged = topics.run, in_ideal(measure, topics)
    longest = int((topics.relevant + count).max(initial=0))
    of_ranks = measure.weigh(np.ones(longest), np.arange(1, longest + 1))
    sums = np.append(0.0, np.cumsum(of_ranks))
    limit = min((measure.IDEAL_IS_CUT and topics.cutoff) or longest, longest)

    def possible(documents: np.ndarray) -> np.ndarray:
        return sums[np.minimum(documents, limit)]

    def terms(some: np.ndarray) -> Terms:
        def of(level: int) -> tuple[np.ndarray, np.ndarray]:
            added = possible(judged[some, level, None] + np.arange(earned.shape[1]))
            return earned[some], added - added[:, :1]

        return of

    return Ratio(
        worths(measure, topics, count),
        sign * at_least(topics, run.topic, run.gain, measure.weigh(np.ones(run.rank.size), run.rank)),
        possible(judged),
        terms,
        sign * measure.values(topics),
    )


def in_ideal(measure: Normalised, topics: Topics) -> np.ndarray:
    """The number of documents of the ideal list that gain at least each possible gain (T × L)."""
    if measure.params.get("ideal") == "retrieved":
        whole = topics.whole_run
        return at_least(topics, whole.topic, whole.gain, np.ones(whole.gain.size, dtype=np.int64))
    return in_recall_base(topics)


def in_recall_base(topics: Topics) -> np.ndarray:
    """The number of judged documents that gain at least each possible gain (T × L)."""
    levels = topics.ranks.judged.levels
    return at_least(topics, levels.topic, levels.gain(topics.gains), levels.count)


def at_least(topics: Topics, topic: np.ndarray, gain: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """The amounts of each topic's documents that gain at least each possible gain, summed (T × L)."""
    gains = topics.possible_gains
    kept = gain > 0
    cell = topic[kept] * gains.size + np.searchsorted(gains, gain[kept])
    amounts = np.bincount(cell, weights=amount[kept], minlength=topics.count * gains.size)
    sums = np.cumsum(amounts.reshape(topics.count, gains.size)[:, ::-1], axis=1)[:, ::-1]
    return sums.astype(amount.dtype)


def threshold_ratio(measure: ByThreshold, topics: Topics, highest: bool) -> Ratio:
    """The quotient of precisions by threshold; its highest value is the lowest, negated, unless `highest`.

    For m relevant documents among the unjudged ones, the highest precisions are those of the first m, the
    lowest those of the last m.
    """
    sign, gains, unjudged = 1 if highest else -1, topics.possible_gains, Unjudged.of(topics)
    run, judged = topics.run.relevant, in_recall_base(topics)
    hits = [run.where(run.gain >= gain) for gain in gains]
    achieved = np.array([each.sum(each.number / each.rank) for each in hits]).reshape(judged.T.shape).T

    def terms(some: np.ndarray) -> Terms:
        kept, count = np.isin(unjudged.topic, some), unjudged.count[some]
        topic, rank, ends = unjudged.topic[kept], unjudged.rank[kept], np.cumsum(count)
        number = places(count)
        up_to = cumsum(1 / rank, np.append(0, ends))
        order = (
            np.arange(rank.size) if highest else np.repeat(2 * ends - count - 1, count) - np.arange(rank.size)
        )
        # A document that becomes relevant counts itself and those above it, and those below it count it.
        of_unjudged = number / rank if highest else up_to[ends - 1].repeat(count) - up_to

        def of(level: int) -> tuple[np.ndarray, np.ndarray]:
            found = hits[level].where(np.isin(hits[level].topic, some))
            above = found.at(rank, topic, found.number)
            below = found.sum(1 / found.rank)[topic] - found.at(rank, topic, found.cumsum(1 / found.rank))
            added = padded(((above + 1) / rank + below + of_unjudged)[order], count)
            sums = np.cumsum(np.insert(added, 0, achieved[some, level], axis=1), axis=1)
            relevant = judged[some, level, None] + np.arange(sums.shape[1])
            earned, whole = (ratio(each, measure.norm(relevant)) for each in (sign * sums, relevant))
            return earned - earned[:, :1], whole - whole[:, :1]

        return of

    return Ratio(
        worths(measure, topics, unjudged.count),
        sign * ratio(achieved, measure.norm(judged)),
        ratio(judged, measure.norm(judged)),
        terms,
        sign * measure.values(topics),
    )
