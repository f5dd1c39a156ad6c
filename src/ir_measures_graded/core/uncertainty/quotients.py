"""The extremes of a quotient over all judgments of unjudged documents.

The gain of an unjudged document enters both sums of a normalised measure. Therefore the customary
bounds (all unjudged documents irrelevant, all highly relevant) are wrong. The sums are split by
threshold: with the possible gains t_1 < t_2 < … and Δ_h = t_h − t_{h−1}, the quotient is Σ_h
Δ_h·N_h(m_h) / Σ_h Δ_h·D_h(m_h), where m_h unjudged documents gain at least t_h, so that m_1 ≥ m_2 ≥
….
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, cast

import numpy as np

from ..budget import CALLS
from ..by_topic import cumsum, positions
from ..measures.average_precision import ByThreshold
from ..measures.gain_sums import NormalisedGainSum
from ..measures.topics import GainList, Topics, ratio
from .judgments import BLOCK, blocks_of, padded, refuse_work, unjudged_of
from .strategy import Differences, Documents, Strategy, WeightsInDifferences

Terms = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
ROUNDS = 4
"""The usual number of rounds of Dinkelbach's method."""
SPAN = 2.0**40
"""Rounding loses the differences of low gains beside gains that are higher by more than this
factor."""


class QuotientByThreshold(Strategy):
    """For sums of weighted gains that are divided by the sum of an ideal list."""

    def extreme(self, topics: Topics, highest: bool) -> np.ndarray:
        measure = cast(NormalisedGainSum, self.measure)
        rows = achieved_of(measure, topics)
        gains = gains_of_sum(measure, topics, rows.unjudged, rows.weights.shape[1])
        quotient = weighted_quotient(measure, topics, rows, gains, highest)
        return quotient.extreme(rows.unjudged)

    def differences(self, runs: Sequence[Topics], documents: Documents) -> Differences | None:
        measure = cast(NormalisedGainSum, self.measure)
        if measure.ideal_documents != "judged":
            return None
        return DifferencesOfQuotients(measure, runs, documents())


class QuotientOfPrecisions(Strategy):
    """For precisions with every threshold of relevance, divided by those of an ideal list."""

    def extreme(self, topics: Topics, highest: bool) -> np.ndarray:
        measure = cast(ByThreshold, self.measure)
        quotient = quotient_of_precisions(measure, topics, highest)
        return np.minimum(quotient.extreme(unjudged_of(topics).sizes), 1.0)


class Quotient(NamedTuple):
    """A quotient of sums over thresholds, for T topics or rows of topics, L thresholds and C cases.

    - `gains` (T × C × L): each possible gain in each case, ascending, scaled if the measure does
      so. Δ_h is its distance from the one below. There is one case, or one for each gain as the
      highest gain of an unjudged document (C = L).
    - `achieved`, `possible` (T × L): N_h(0) and D_h(0), for judged documents alone.
    - `terms`: for some topics, N_h(m) − N_h(0) and D_h(m) − D_h(0) for each threshold h and each m
      (topics × L × numbers).
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
        """The extreme quotient of each topic (T); `count` (T) unjudged documents can gain
        something.
        """
        result = self.value.copy()
        for topics in self._blocks(count):
            result[topics] = self._highest(topics, count[topics])
        return self.sign * result

    def bracket(self, count: np.ndarray) -> np.ndarray:
        """A quotient that some judgments give and one that none exceeds, for each topic (2 × T).

        The quotients are at most 1. With several cases, both are the extreme.
        """
        if self.gains.shape[1] > 1:
            extreme = self.extreme(count)
            return np.stack([extreme, extreme])
        reached = self.value.copy()
        bound = self.value.copy()
        for topics in self._blocks(count):
            reached[topics], bound[topics] = self._bracket(topics, count[topics])
        return self.sign * np.stack([reached, bound])

    def _blocks(self, count: np.ndarray) -> Sequence[np.ndarray]:
        """The topics with unjudged documents, so many at a time that their tables are not too
        large.
        """
        levels = self.gains.shape[2]
        if levels == 0:
            return []
        longest = int(count.max(initial=0))
        having_unjudged = np.flatnonzero(count > 0)
        return list(blocks_of(having_unjudged, levels * (longest + 1)))

    def _bracket(self, topics: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gains = self.gains[topics, 0]
        step = np.diff(gains, axis=1, prepend=0.0)
        earned, added = self.terms(topics)
        # The same number of documents reaches all thresholds: they get the highest gain.
        n = np.einsum("tl,tlm->tm", step, earned)
        n += (step * self.achieved[topics]).sum(axis=1)[:, None]
        d = np.einsum("tl,tlm->tm", step, added)
        d += (step * self.possible[topics]).sum(axis=1)[:, None]
        too_many = np.arange(n.shape[1]) > count[:, None]
        n[too_many] = -np.inf
        reached = ratio(n, d, undefined=-np.inf).max(axis=1)

        # The highest N over the lowest D, or over the highest D if N is negative, exceeds every
        # quotient.
        highest_n = n.max(axis=1)
        d_of_all = d[np.arange(len(topics)), count]
        divisor = np.where(highest_n < 0, d_of_all, d[:, 0])
        quotient = np.minimum(ratio(highest_n, divisor), 1)
        bound = np.where(divisor > 0, quotient, highest_n > 0)
        value = self.value[topics]
        return np.maximum(value, reached), np.maximum(value, bound)

    def _highest(self, topics: np.ndarray, count: np.ndarray) -> np.ndarray:
        """Dinkelbach's method: a quotient N/D is at most λ if and only if N − λ·D is at most 0."""
        rounds = _Rounds.of(self, topics, count)
        cases = self.gains.shape[1]
        value = self.value[topics]
        best: np.ndarray = np.repeat(value[:, None], cases, axis=1)
        while rounds.row.size:
            best_so_far = best[rounds.row]
            quotient = rounds.quotients(best_so_far)
            rises = (quotient > best_so_far).any(axis=1)
            best[rounds.row] = np.maximum(best_so_far, quotient)
            rounds = rounds.where(rises)
        highest: np.ndarray = best.max(axis=1)
        return highest


@dataclass
class _Rounds:
    """The rows whose quotient rose in the last round of Dinkelbach's method.

    - `row`: the number of each row among all
    - `step` (rows × C × L): Δ_h of each case
    - `numerator`, `denominator` (rows × C): the sums for judged documents alone
    - `earned`, `added` (rows × L × numbers): the terms
    - `excess` (rows × 1 × numbers): whether a number exceeds the number of unjudged documents
    """

    row: np.ndarray
    step: np.ndarray
    numerator: np.ndarray
    denominator: np.ndarray
    earned: np.ndarray
    added: np.ndarray
    excess: np.ndarray

    @classmethod
    def of(cls, quotient: Quotient, topics: np.ndarray, count: np.ndarray) -> "_Rounds":
        """All of these topics, before the first round."""
        step = np.diff(quotient.gains[topics], axis=2, prepend=0.0)
        achieved = quotient.achieved[topics]
        possible = quotient.possible[topics]
        numerator = (step * achieved[:, None, :]).sum(axis=2)
        denominator = (step * possible[:, None, :]).sum(axis=2)
        earned, added = quotient.terms(topics)
        numbers = np.arange(earned.shape[2])
        excess = numbers > count[:, None, None]
        row = np.arange(len(topics))
        return cls(row, step, numerator, denominator, earned, added, excess)

    def where(self, kept: np.ndarray) -> "_Rounds":
        """The rows for which `kept` is true."""
        columns = (getattr(self, field.name)[kept] for field in fields(self))
        return _Rounds(*columns)

    def quotients(self, bound: np.ndarray) -> np.ndarray:
        """The quotient N/D with the largest N − λ·D for each case (rows × C), λ being `bound`.

        The loop finds, from the highest threshold to the lowest, how many documents reach each one.
        The best choice for the thresholds above is a running maximum over these numbers.
        """
        _, cases, levels = self.step.shape
        numbers = np.arange(self.earned.shape[2])
        surplus: np.ndarray | None = None
        for level in reversed(range(levels)):
            step = self.step[:, :, level, None]
            n_of_level = step * self.earned[:, None, level]
            d_of_level = step * self.added[:, None, level]
            if surplus is None:  # no threshold is above
                n = n_of_level
                d = d_of_level
            else:
                above = _place_of_running_maximum(surplus)
                n = np.take_along_axis(n, above, axis=2) + n_of_level
                d = np.take_along_axis(d, above, axis=2) + d_of_level
            refused: np.ndarray = self.excess
            if cases > 1:
                # Some document has the highest gain of the case, and none has a higher one.
                is_above_case = np.arange(cases)[:, None] < level
                refused = refused | (is_above_case == (numbers > 0))
            surplus = n - bound[:, :, None] * d
            surplus = np.where(refused, -np.inf, surplus)
        assert surplus is not None, "a quotient without levels has no rounds"
        chosen = np.argmax(surplus, axis=2)[:, :, None]
        chosen_n = np.take_along_axis(n, chosen, axis=2)[:, :, 0]
        chosen_d = np.take_along_axis(d, chosen, axis=2)[:, :, 0]
        return ratio(self.numerator + chosen_n, self.denominator + chosen_d, undefined=-np.inf)


def _place_of_running_maximum(values: np.ndarray) -> np.ndarray:
    """The last position, up to each one of the last axis, that has the maximum so far.

    >>> _place_of_running_maximum(np.array([[[1, 3, 2, 3]]]))
    array([[[0, 1, 1, 3]]])
    """
    highest = np.maximum.accumulate(values, axis=2)
    positions_of_values = np.arange(values.shape[2])
    position = np.where(values == highest, positions_of_values, 0)
    place: np.ndarray = np.maximum.accumulate(position, axis=2)
    return place


# ----------------------------------------------------------------------------- possible gains


def gains_of_sum(
    measure: NormalisedGainSum, topics: Topics, count: np.ndarray, work: int
) -> np.ndarray:
    """`Quotient.gains` of a sum, for `count` unjudged documents (T).

    `work` is that of a topic at one threshold in one case. Raises `Undetermined` if all is too
    much.
    """
    gains = possible_gains(topics, count, work, measure.scales_by_topic)
    if not measure.SCALES:
        return gains
    best = measure.best(topics)[:, None]
    if measure.scales_by_topic:
        best = np.maximum(best, topics.possible_gains)
    best = np.broadcast_to(best, gains.shape[:2])[:, :, None]
    return measure.scale_gain(np.minimum(gains, best), best)


def possible_gains(
    topics: Topics, count: np.ndarray, work: int, by_highest_gain: bool = False
) -> np.ndarray:
    """The possible gains of each topic in each case (T × C × L), unscaled.

    There is a case for each highest gain of an unjudged document if the value depends on it, or if
    rounding would lose low gains. `count` and `work` are as for `gains_of_sum`.
    """
    gains = topics.possible_gains
    is_wide = gains.size > 0 and gains[-1] > SPAN * gains[0]
    cases = gains.size if by_highest_gain or is_wide else 1
    entries = gains.size * cases
    having_unjudged = max(1, int(np.count_nonzero(count > 0)))
    blocks_per_topic = 1 / having_unjudged + entries / BLOCK
    steps = int(entries * (work + CALLS * blocks_per_topic))
    table = entries * (int(count.max(initial=0)) + 1)

    def steps_of_topic(topic: int, unjudged: int) -> int:
        return steps

    refuse_work(topics, count, steps_of_topic, table)
    return np.broadcast_to(gains, (topics.count, cases, gains.size))


def added_to_first(sums: np.ndarray) -> np.ndarray:
    """What the sums for 0, 1, 2, … documents (… × numbers) add to the sum for 0 documents."""
    return sums - sums[:, :, :1]


def in_recall_base(topics: Topics) -> np.ndarray:
    """The number of judged documents that gain at least each possible gain (T × L)."""
    levels = topics.ranks.judged.levels
    return at_least(topics, levels.topic, topics.gain_of(levels.level), levels.count)


def at_least(topics: Topics, topic: np.ndarray, gain: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """The sum of the amounts of a topic's documents that gain at least each possible gain.

    The result has one row for each topic and one column for each gain (T × L).
    """
    gains = topics.possible_gains
    kept = gain > 0
    level = np.searchsorted(gains, gain[kept])
    cell = topic[kept] * gains.size + level
    cells = topics.count * gains.size
    amounts = np.bincount(cell, weights=amount[kept], minlength=cells)
    by_gain = amounts.reshape(topics.count, gains.size)
    from_highest = np.cumsum(by_gain[:, ::-1], axis=1)
    return from_highest[:, ::-1].astype(amount.dtype)


# -------------------------------------------------------------------------- sums of weighted gains


class Achieved(NamedTuple):
    """What a run, or the difference of two runs, achieves by a normalised measure in N rows.

    - `topic` (N): the number of the topic of each row.
    - `value` (N), `gains` (N × L): the quotient, and its numerator by threshold, for judged
      documents alone.
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


def achieved_of(measure: NormalisedGainSum, topics: Topics) -> Achieved:
    """What a run achieves in each topic."""
    run = topics.run
    unjudged = unjudged_of(topics)
    weights = padded(measure.weights_at(unjudged.rank), unjudged.sizes, np.nan)
    own_weights = measure.weights_at(run.rank)
    by_threshold = at_least(topics, run.topic, run.gain, own_weights)
    return Achieved(np.arange(topics.count), measure.values(topics), by_threshold, weights)


def weighted_quotient(
    measure: NormalisedGainSum, topics: Topics, rows: Achieved, gains: np.ndarray, highest: bool
) -> Quotient:
    """The quotient of weighted gains; its lowest value is wanted unless `highest`.

    `gains` (T × C × L) are those of `gains_of_sum`, `topics` those of any of the runs.
    """
    sign = 1 if highest else -1
    count = rows.unjudged
    width = int(count.max(initial=0))
    # The weights that help most come first, and NaN comes last.
    in_order = -np.sort(-sign * rows.weights, axis=1)
    in_order = in_order[:, :width]
    earned = np.zeros((len(count), width + 1))
    earned[:, 1:] = np.cumsum(np.nan_to_num(in_order), axis=1)

    judged = in_recall_base(topics)
    if measure.ideal_documents == "retrieved":
        whole = topics.whole_run
        ones = np.ones(whole.gain.size, dtype=np.int64)
        judged = at_least(topics, whole.topic, whole.gain, ones)
    judged = judged[rows.topic]
    longest = int((topics.relevant[rows.topic] + count).max(initial=0))
    sums = np.append(0.0, np.cumsum(measure.rank_weights(longest)))
    limit = longest
    if measure.IDEAL_IS_CUT and topics.cutoff:
        limit = min(longest, topics.cutoff)

    numbers = np.arange(width + 1)

    def terms(some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        relevant = judged[some, :, None] + numbers
        ideal = sums[np.minimum(relevant, limit)]
        earned_at_each_level = np.broadcast_to(earned[some, None], ideal.shape)
        return earned_at_each_level, added_to_first(ideal)

    possible = sums[np.minimum(judged, limit)]
    achieved = sign * rows.gains
    value = sign * rows.value
    return Quotient(gains[rows.topic], achieved, possible, terms, value, sign)


class DifferencesOfQuotients:
    """The differences of sums of weighted gains that the same ideal list divides."""

    def __init__(
        self, measure: NormalisedGainSum, runs: Sequence[Topics], documents: Sequence[np.ndarray]
    ) -> None:
        self.measure = measure
        self.topics = runs[0]
        self.weights = WeightsInDifferences(measure, runs, documents)
        achieved = [achieved_of(measure, topics) for topics in runs]
        self.value = np.stack([run.value for run in achieved])
        self.by_threshold = np.stack([run.gains for run in achieved])

    def exact(self, pairs: np.ndarray) -> np.ndarray:
        rows, possible = self._rows(pairs)
        lowest = weighted_quotient(self.measure, self.topics, rows, possible, highest=False)
        highest = weighted_quotient(self.measure, self.topics, rows, possible, highest=True)
        ends = [lowest.extreme(rows.unjudged), highest.extreme(rows.unjudged)]
        return np.reshape(ends, (2, len(pairs), -1))

    def lowest_bracketed(self, pairs: np.ndarray) -> np.ndarray:
        rows, possible = self._rows(pairs)
        lowest = weighted_quotient(self.measure, self.topics, rows, possible, highest=False)
        return np.reshape(lowest.bracket(rows.unjudged), (2, len(pairs), -1))

    def _rows(self, pairs: np.ndarray) -> tuple[Achieved, np.ndarray]:
        """The rows of the pairs, pair after pair, and the possible gains of their documents."""
        first, second = pairs.T
        weight = self.weights.of(pairs)
        pair_count, topic_count, width = weight.shape
        row_count = pair_count * topic_count
        topic = np.tile(np.arange(topic_count), pair_count)
        value = self.value[first] - self.value[second]
        gains = self.by_threshold[first] - self.by_threshold[second]
        gains = gains.reshape(row_count, -1)
        weight = weight.reshape(row_count, width)
        rows = Achieved(topic, value.ravel(), gains, weight)
        return rows, self._gains(rows.unjudged.reshape(pair_count, topic_count))

    def _gains(self, count: np.ndarray) -> np.ndarray:
        """The possible gains. Raises `Undetermined` if a pair alone is too much work.

        `count` are the unjudged documents of each pair (P × T).
        """
        longest = count.max(axis=1, initial=0)
        sizes = np.stack((np.count_nonzero(count, axis=1), longest))
        _, kinds_of_pairs = np.unique(sizes, axis=1, return_index=True)
        for pair in kinds_of_pairs:
            work = int(longest[pair])
            gains = gains_of_sum(self.measure, self.topics, count[pair], work)
        return gains


# --------------------------------------------------------------------------------- precisions


def quotient_of_precisions(measure: ByThreshold, topics: Topics, highest: bool) -> Quotient:
    """The quotient of precisions by threshold; its lowest value is wanted unless `highest`.

    For m relevant documents among the unjudged ones, the highest precisions are those of the first
    m, the lowest those of the last m.
    """
    sign = 1 if highest else -1
    unjudged = unjudged_of(topics)
    judged = in_recall_base(topics)
    run = topics.run.relevant
    run = run.where((unjudged.sizes > 0)[run.topic])
    longest = int((unjudged.sizes + run.sizes).max(initial=0))
    gains = possible_gains(topics, unjudged.sizes, ROUNDS * longest)
    achieved = np.zeros(judged.shape)
    for level, gain in enumerate(topics.possible_gains):
        reached = run.where(run.gain >= gain)
        achieved[:, level] = reached.sum(reached.number / reached.rank)

    def terms(some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        hits = run.where(np.isin(run.topic, some))
        candidates = unjudged.where(np.isin(unjudged.topic, some))
        sums = _sums_of_precisions(topics, hits, candidates, achieved[some], some, highest)
        numbers = np.arange(sums.shape[2])
        relevant = judged[some, :, None] + numbers
        earned = ratio(sign * sums, measure.norm(relevant))
        whole = ratio(relevant, measure.norm(relevant))
        return added_to_first(earned), added_to_first(whole)

    norm = measure.norm(judged)
    value = sign * measure.values(topics)
    earned_by_judged = sign * ratio(achieved, norm)
    return Quotient(gains, earned_by_judged, ratio(judged, norm), terms, value, sign)


def _sums_of_precisions(
    topics: Topics,
    run: GainList,
    unjudged: GainList,
    achieved: np.ndarray,
    some: np.ndarray,
    highest: bool,
) -> np.ndarray:
    """The sums of precisions at each threshold if 0, 1, 2, … of the unjudged documents reach it
    (topics × L × numbers).

    `run` are relevant and `unjudged` the unjudged documents of `some` topics. `achieved` are the
    sums if no unjudged document is relevant.
    """
    count = unjudged.sizes[some]
    topic = unjudged.topic
    rank = unjudged.rank
    last = np.repeat(np.cumsum(count) - 1, count)  # the last document of the topic
    number = positions(count)
    order = np.arange(rank.size)
    of_unjudged = number / rank
    if not highest:
        order = last - number  # documents become relevant from the last to the first
        up_to = cumsum(1 / rank, np.append(0, np.cumsum(count)))
        of_unjudged = up_to[last] - up_to

    # A document that becomes relevant counts itself and those above it, and those below it count
    # it.
    sums = []
    for level, gain in enumerate(topics.possible_gains):
        hits = run.where(run.gain >= gain)
        reciprocal = 1 / hits.rank
        above = hits.value_at(rank, topic, hits.number)
        up_to_rank = hits.value_at(rank, topic, hits.cumsum(reciprocal))
        below = hits.sum(reciprocal)[topic] - up_to_rank
        added = (above + 1) / rank + below + of_unjudged
        amounts = padded(added[order], count)
        with_first = np.insert(amounts, 0, achieved[:, level], axis=1)
        sums.append(np.cumsum(with_first, axis=1))
    return np.stack(sums, axis=1)
