"""The extremes of a quotient over all judgments of unjudged documents.

The gain of an unjudged document enters both sums of a normalised measure. Therefore the customary bounds (all
unjudged documents irrelevant, all highly relevant) are wrong. The sums are split by threshold: with the
possible gains t_1 < t_2 < … and Δ_h = t_h − t_{h−1}, the quotient is Σ_h Δ_h·N_h(m_h) / Σ_h Δ_h·D_h(m_h),
where m_h unjudged documents gain at least t_h, so that m_1 ≥ m_2 ≥ ….
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..budget import CALLS
from ..by_topic import cumsum, positions
from ..measures.average_precision import ByThreshold
from ..measures.sums import Normalised
from ..measures.topics import Topics, ratio
from .judgments import BLOCK, blocks_of, padded, refuse_work, unjudged_of

Terms = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
ROUNDS = 4
"""The usual number of rounds of Dinkelbach's method."""
SPAN = 2.0**40
"""Rounding loses the differences of low gains beside gains that are higher by more than this factor."""


class Ratio(NamedTuple):
    """A quotient of sums over thresholds, for T topics or rows of topics, L thresholds and C cases.

    - `gains` (T × C × L): each possible gain in each case, ascending, normalised if the measure does so. Δ_h
      is its distance from the one below. There is one case, or one for each gain as the highest gain of an
      unjudged document (C = L).
    - `achieved`, `possible` (T × L): N_h(0) and D_h(0), for judged documents alone.
    - `terms`: for some topics, N_h(m) − N_h(0) and D_h(m) − D_h(0) for each threshold h and each m (topics ×
      L × numbers).
    - `value` (T): the quotient itself, if no unjudged document gains anything.
    - `sign`: 1, or −1 if the lowest quotient is wanted; N and `value` then are negated.
    """

    gains: np.ndarray
    achieved: np.ndarray
    possible: np.ndarray
    terms: Terms
    value: np.ndarray
    sign: int

    def extreme(self, count: np.ndarray) -> np.ndarray:
        """The extreme quotient of each topic (T); `count` (T) unjudged documents can gain something."""
        result, levels = self.value.copy(), self.gains.shape[2]
        some = np.flatnonzero((count > 0) & (levels > 0))
        for topics in blocks_of(some, levels * (int(count.max(initial=0)) + 1)):
            result[topics] = self._highest(topics, count[topics])
        return self.sign * result

    def bracket(self, count: np.ndarray) -> np.ndarray:
        """For each topic (T), a quotient that some judgments give and one that none exceeds (2 × T), for
        quotients of at most 1. With several cases, both are the extreme."""
        if self.gains.shape[1] > 1:
            return np.stack([self.extreme(count)] * 2)
        found, levels = np.stack([self.value, self.value]), self.gains.shape[2]
        some = np.flatnonzero((count > 0) & (levels > 0))
        for topics in blocks_of(some, levels * (int(count.max(initial=0)) + 1)):
            step = np.diff(self.gains[topics, 0], axis=1, prepend=0.0)
            earned, added = self.terms(topics)
            # The same number of documents reaches all thresholds: they get the highest gain.
            n = ((earned + self.achieved[topics][:, :, None]) * step[:, :, None]).sum(axis=1)
            d = ((added + self.possible[topics][:, :, None]) * step[:, :, None]).sum(axis=1)
            n[np.arange(n.shape[1]) > count[topics, None]] = -np.inf
            given = ratio(n, d, undefined=-np.inf).max(axis=1)
            most = n.max(axis=1)
            least = np.where(most < 0, d[np.arange(len(topics)), count[topics]], d[:, 0])
            found[0, topics] = np.maximum(found[0, topics], given)
            found[1, topics] = np.where(least > 0, np.minimum(ratio(most, least), 1), most > 0)
        return self.sign * found

    def _highest(self, topics: np.ndarray, count: np.ndarray) -> np.ndarray:
        # Dinkelbach's method: a quotient N/D is at most λ if and only if N − λ·D is at most 0. The loop
        # finds, from the highest threshold to the lowest, how many documents reach each one. The best choice
        # for the thresholds above is a running maximum over these numbers.
        step = np.diff(self.gains[topics], axis=2, prepend=0.0)
        _, cases, levels = step.shape
        numerator = (step * self.achieved[topics][:, None, :]).sum(axis=2)
        denominator = (step * self.possible[topics][:, None, :]).sum(axis=2)
        earned, added = self.terms(topics)
        numbers, case = np.arange(earned.shape[2]), np.arange(cases)[:, None]
        excess: np.ndarray = (numbers > count[:, None])[:, None]
        best: np.ndarray = np.repeat(self.value[topics][:, None], cases, axis=1)
        row: np.ndarray = np.arange(len(topics))
        while row.size:
            n = d = surplus = np.zeros((row.size, cases, numbers.size))
            for level in reversed(range(levels)):
                arg = np.maximum.accumulate(surplus, axis=2)
                arg = np.maximum.accumulate(np.where(surplus == arg, numbers, 0), axis=2)
                weight = step[:, :, level, None]
                n = np.take_along_axis(n, arg, 2) + weight * earned[:, None, level]
                d = np.take_along_axis(d, arg, 2) + weight * added[:, None, level]
                refused: np.ndarray = excess
                if (
                    cases > 1
                ):  # some document has the highest gain of the case, and none has a higher one
                    refused = refused | ((case < level) == (numbers > 0))
                surplus = np.where(refused, -np.inf, n - best[row, :, None] * d)
            arg = np.argmax(surplus, axis=2)[:, :, None]
            n = numerator + np.take_along_axis(n, arg, 2)[:, :, 0]
            d = denominator + np.take_along_axis(d, arg, 2)[:, :, 0]
            quotient = ratio(n, d, undefined=-np.inf)
            rises = (quotient > best[row]).any(axis=1)
            best[row] = np.maximum(best[row], quotient)
            parts = row, step, numerator, denominator, earned, added, excess
            row, step, numerator, denominator, earned, added, excess = (
                each[rises] for each in parts
            )
        return best.max(axis=1)


def gains_by_case(
    measure: Normalised | ByThreshold, topics: Topics, count: np.ndarray, work: int
) -> np.ndarray:
    """`Ratio.gains` for `count` unjudged documents (T).

    `work` is that of a topic at one threshold in one case. Raises `Undetermined` if all is too much.
    """
    gains = topics.possible_gains
    scales = isinstance(measure, Normalised) and measure.SCALES
    by_topic = isinstance(measure, Normalised) and measure.scales_by_topic
    cases = gains.size if by_topic or (gains.size and gains[-1] > SPAN * gains[0]) else 1
    blocks = 1 / max(1, int((count > 0).sum())) + cases * gains.size / BLOCK  # per topic
    steps = int(gains.size * cases * (work + CALLS * blocks))
    table = gains.size * cases * (int(count.max(initial=0)) + 1)
    refuse_work(topics, count, lambda topic, some: steps, table)
    given = np.broadcast_to(gains, (topics.count, cases, gains.size))
    if not scales:
        return given
    best = measure.best(topics)[:, None]
    if by_topic:
        best = np.maximum(best, gains)
    best = np.broadcast_to(best, (topics.count, cases))[:, :, None]
    return measure.normalised_gain(np.minimum(given, best), best)


class Achieved(NamedTuple):
    """What a run, or the difference of two runs, achieves by a normalised measure in N rows.

    - `topic` (N): the number of the topic of each row.
    - `value` (N), `gains` (N × L): the quotient, and its numerator by threshold, for judged documents alone.
    - `weights` (N × U): the weights of the unjudged documents, NaN where there is none.
    """

    topic: np.ndarray
    value: np.ndarray
    gains: np.ndarray
    weights: np.ndarray

    @property
    def unjudged(self) -> np.ndarray:
        """The number of unjudged documents of each row (N)."""
        return np.count_nonzero(~np.isnan(self.weights), axis=1)


def achieved_of(measure: Normalised, topics: Topics) -> Achieved:
    """What a run achieves in each topic."""
    unjudged, run, every = unjudged_of(topics), topics.run, np.arange(topics.count)
    weights = padded(
        measure.weigh(np.ones(unjudged.rank.size), unjudged.rank), unjudged.sizes, np.nan
    )
    by_threshold = at_least(
        topics, run.topic, run.gain, measure.weigh(np.ones(run.rank.size), run.rank)
    )
    return Achieved(every, measure.values(topics), by_threshold, weights)


def weighted_ratio(
    measure: Normalised, topics: Topics, rows: Achieved, gains: np.ndarray, highest: bool
) -> Ratio:
    """The quotient of weighted gains; its lowest value is wanted unless `highest`.

    `gains` (T × C × L) are those of `gains_by_case`, `topics` those of any of the runs.
    """
    sign, count = 1 if highest else -1, rows.unjudged
    width = int(count.max(initial=0))
    ordered = np.nan_to_num(-np.sort(-sign * rows.weights, axis=1)[:, :width])  # NaN comes last
    earned = np.concatenate((np.zeros((len(count), 1)), np.cumsum(ordered, axis=1)), axis=1)
    whole, judged = topics.whole_run, in_recall_base(topics)
    if measure.ideal_documents == "retrieved":
        judged = at_least(topics, whole.topic, whole.gain, np.ones(whole.gain.size, dtype=np.int64))
    judged = judged[rows.topic]
    longest = int((topics.relevant[rows.topic] + count).max(initial=0))
    of_ranks = measure.weigh(np.ones(longest), np.arange(1, longest + 1))
    sums = np.append(0.0, np.cumsum(of_ranks))
    limit = min((measure.IDEAL_IS_CUT and topics.cutoff) or longest, longest)

    def terms(some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        added = sums[np.minimum(judged[some][:, :, None] + np.arange(width + 1), limit)]
        return np.broadcast_to(earned[some][:, None], added.shape), added - added[:, :, :1]

    possible = sums[np.minimum(judged, limit)]
    return Ratio(gains[rows.topic], sign * rows.gains, possible, terms, sign * rows.value, sign)


def in_recall_base(topics: Topics) -> np.ndarray:
    """The number of judged documents that gain at least each possible gain (T × L)."""
    levels = topics.ranks.judged.levels
    return at_least(topics, levels.topic, topics.gain_of(levels.level), levels.count)


def at_least(topics: Topics, topic: np.ndarray, gain: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """The amounts of each topic's documents that gain at least each possible gain, summed (T × L)."""
    gains = topics.possible_gains
    kept = gain > 0
    cell = topic[kept] * gains.size + np.searchsorted(gains, gain[kept])
    amounts = np.bincount(cell, weights=amount[kept], minlength=topics.count * gains.size)
    sums = np.cumsum(amounts.reshape(topics.count, gains.size)[:, ::-1], axis=1)[:, ::-1]
    return sums.astype(amount.dtype)


def threshold_ratio(measure: ByThreshold, topics: Topics, highest: bool) -> Ratio:
    """The quotient of precisions by threshold; its lowest value is wanted unless `highest`.

    For m relevant documents among the unjudged ones, the highest precisions are those of the first m, the
    lowest those of the last m.
    """
    sign, gains, unjudged = 1 if highest else -1, topics.possible_gains, unjudged_of(topics)
    run, judged = topics.run.relevant, in_recall_base(topics)
    run = run.where((unjudged.sizes > 0)[run.topic])
    longest = int((unjudged.sizes + run.sizes).max(initial=0))
    by_case = gains_by_case(measure, topics, unjudged.sizes, ROUNDS * longest)
    achieved = np.zeros(judged.shape)
    for level, gain in enumerate(gains):
        reached = run.where(run.gain >= gain)
        achieved[:, level] = reached.sum(reached.number / reached.rank)

    def terms(some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        kept, count = np.isin(unjudged.topic, some), unjudged.sizes[some]
        listed = run.where(np.isin(run.topic, some))
        topic, rank, ends = unjudged.topic[kept], unjudged.rank[kept], np.cumsum(count)
        number, up_to = positions(count), cumsum(1 / rank, np.append(0, ends))
        order = np.arange(rank.size)
        if not highest:
            order = np.repeat(2 * ends - count - 1, count) - order
        # A document that becomes relevant counts itself and those above it, and those below it count it.
        of_unjudged = number / rank if highest else up_to[ends - 1].repeat(count) - up_to
        sums = []
        for level, gain in enumerate(gains):
            hits = listed.where(listed.gain >= gain)
            above = hits.value_at(rank, topic, hits.number)
            below = hits.sum(1 / hits.rank)[topic] - hits.value_at(
                rank, topic, hits.cumsum(1 / hits.rank)
            )
            added = padded(((above + 1) / rank + below + of_unjudged)[order], count)
            sums.append(np.cumsum(np.insert(added, 0, achieved[some, level], axis=1), axis=1))
        total = sign * np.stack(sums, axis=1)
        relevant = judged[some][:, :, None] + np.arange(total.shape[2])
        earned, whole = (ratio(each, measure.norm(relevant)) for each in (total, relevant))
        return earned - earned[:, :, :1], whole - whole[:, :, :1]

    return Ratio(
        by_case,
        sign * ratio(achieved, measure.norm(judged)),
        ratio(judged, measure.norm(judged)),
        terms,
        sign * measure.values(topics),
        sign,
    )
