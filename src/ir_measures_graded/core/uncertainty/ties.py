"""Tied scores: the lowest, the highest and the mean value over all orders of tied documents.

The scores allow every order of the documents in a tie group, and each order is equally likely. For
most measures an order by gain gives the lowest and the highest value (`ordered`), and the others
have none. The mean follows from the parts of a measure (`expected`): the mean gain at each rank,
the mean of products of two documents, or of the documents that a user passes before stopping.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import GradedError
from ..budget import CALLS, within_budget
from ..by_topic import changes, cumsum, offsets_of, positions
from ..measures.average_precision import ByThreshold, thresholds_of
from ..measures.base import GradedMeasure
from ..measures.gain_sums import GainSum
from ..measures.stop_sums import AtRelevant
from ..measures.topics import GainList, Topics, ratio
from ..ranking.ranks import JudgedRanks
from .judgments import Undetermined

EPSILON = np.finfo(np.float64).eps
NEGLIGIBLE = 1e-100
"""The probability of reaching a rank below which the rank adds nothing to a sum."""


def ordered(ranks: JudgedRanks, merit: np.ndarray) -> JudgedRanks:
    """The run with the documents of each tie group in descending order of their merit.

    `merit` has one number for each of the H judged documents that the run retrieved, such as the
    gain. Unjudged documents have the merit 0. Only judged documents in tie groups move.
    """
    first = ranks.first
    last = ranks.last
    entry = np.flatnonzero(last > first)
    if not entry.size:
        return ranks
    start = ranks.group[0][entry]  # one number for each tie group, ascending
    order = np.lexsort((-merit[entry], start))
    openers = np.flatnonzero(changes(start))
    sizes = np.diff(np.append(openers, start.size))
    before = positions(sizes)
    behind = np.repeat(sizes, sizes) - 1 - before
    is_above_unjudged = merit[entry][order] >= 0
    doc = ranks.doc.copy()
    rank = ranks.rank.copy()
    doc[entry] = doc[entry][order]
    from_first = first[entry] + before
    from_last = last[entry] - behind
    rank[entry] = np.where(is_above_unjudged, from_first, from_last)
    return replace(ranks, doc=doc, rank=rank)


class TieGroups:
    """The tie groups that hold some judged documents and begin within the cutoff (N, in rank
    order).

    An untied document is a group of its own. `entry` are the documents, group by group, as their
    numbers among the H judged documents that the run retrieved. The documents of group n begin at
    `opens[n]`, and `judged[n]` is their number. `topic`, `first` rank and `size` of each group
    count unjudged documents in; `within` is the number of its ranks within the cutoff.
    """

    def __init__(self, topics: Topics, is_member: np.ndarray) -> None:
        """The groups of the judged documents for which `is_member` (H) is true."""
        ranks = topics.ranks
        cutoff = topics.cutoff
        if cutoff:
            is_member = is_member & (ranks.first <= cutoff)
        start, size = ranks.group
        self.topics = topics
        self.entry = np.flatnonzero(is_member)
        self.opens = np.flatnonzero(changes(start[self.entry]))
        self.judged = np.diff(np.append(self.opens, self.entry.size))
        opener = self.entry[self.opens]
        self.topic = ranks.topic[opener]
        self.first = ranks.first[opener]
        self.size = size[opener]
        self.within = self.size
        if cutoff:
            self.within = np.minimum(self.size, cutoff - self.first + 1)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value of each of the H documents over each group (N)."""
        if not self.opens.size:
            return np.empty(0)
        return np.add.reduceat(values[self.entry], self.opens)

    def before(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value of each of the H documents over the groups before each group (N)."""
        offsets = offsets_of(self.topic, self.topics.count)
        sums = cumsum(self.sum(values).astype(np.float64), offsets)
        sum_before = np.append(0.0, sums[:-1])
        return np.where(changes(self.topic), 0.0, sum_before)

    def spread(self, at_first: np.ndarray, step: np.ndarray | float = 0.0) -> GainList:
        """A list with a value at each rank of the groups: `at_first`, then `step` more at each next
        rank.
        """
        position = positions(self.within)
        topic = np.repeat(self.topic, self.within)
        rank = np.repeat(self.first, self.within) + position
        steps = np.repeat(np.broadcast_to(step, self.size.shape), self.within)
        gain = np.repeat(at_first, self.within) + steps * position
        return GainList(self.topics.count, topic, rank, gain)


def expected(measure: GradedMeasure, topics: Topics) -> GainList:
    """The mean of a measure's amounts at each rank down to the cutoff, over all orders of tied
    documents.
    """
    if isinstance(measure, GainSum):
        return _expected_gains(measure, topics)
    if isinstance(measure, AtRelevant):
        return _expected_at_relevant(measure, topics)
    if isinstance(measure, ByThreshold):
        return _expected_precisions(measure, topics)
    raise GradedError(f"{measure}: no method for ties='mean' is known; derive a class of sums")


def _expected_gains(measure: GainSum, topics: Topics) -> GainList:
    """Each rank of a tie group has the mean gain of the group. Unjudged documents gain 0."""
    gain = measure.with_scaled_gains(topics.whole_run, topics).gain
    groups = TieGroups(topics, gain != 0)
    return measure.discounted(groups.spread(groups.sum(gain) / groups.size))


def _expected_at_relevant(measure: AtRelevant, topics: Topics) -> GainList:
    is_relevant = topics.whole_run.gain > 0
    gain = np.zeros(is_relevant.size)
    gain[is_relevant] = measure.relevant(topics.cut(None)).gain
    u, q = measure.stops_and_goes_on(gain, topics)
    groups = TieGroups(topics, is_relevant)
    constant = measure.achieved(np.zeros(1), np.zeros(1))
    v = measure.achieved(np.ones(gain.size), gain) - constant
    start = groups.before(v) + constant
    if (q == 1).all():
        run = expected_pairs(groups, u, v, start)
    else:
        run = expected_stops(groups, u, q, v, start)
    possible = measure.possible(run.rank, run.topic, topics)
    return run.with_gain(ratio(run.gain, possible))


def _expected_precisions(measure: ByThreshold, topics: Topics) -> GainList:
    """The sum is one over pairs of documents, W(min(G[i], G[j])) for each j ≤ i. A document of a
    tie group meets all documents before the group, itself, and each other of the group in half of
    the orders.
    """
    thresholds = thresholds_of(topics)
    whole = topics.whole_run
    weight = measure.threshold_weights(thresholds)
    is_relevant = whole.gain > 0
    run = whole.relevant
    groups = TieGroups(topics, is_relevant)
    itself = np.zeros(whole.gain.size)
    itself[is_relevant] = thresholds.up_to(weight, run, thresholds.level(run))
    with_earlier = np.zeros(whole.gain.size)
    with_earlier[is_relevant] = thresholds.precision(run, weight) * run.rank

    # The lower of two documents of a group is the later one in an order by descending gain.
    group = np.repeat(np.arange(groups.size.size), groups.judged)
    order = np.lexsort((-itself[groups.entry], group))
    in_group = np.zeros(whole.gain.size)
    descending = itself[groups.entry][order]
    in_group[groups.entry] = descending * positions(groups.judged)

    size = groups.size
    pairs_in_group = groups.sum(in_group)
    at_first = (groups.sum(with_earlier) - pairs_in_group) / size
    step = ratio(2 * pairs_in_group, size * (size - 1))
    sums = groups.spread(at_first, step)
    return sums.with_gain(sums.gain / sums.rank)


def expected_pairs(groups: TieGroups, u: np.ndarray, v: np.ndarray, start: np.ndarray) -> GainList:
    """The mean of `u(i)·V[i]` at each rank of the groups, V[i] the sum of `v` down to rank i.

    `u` and `v` are values of the H documents, `start` is V before each group (N).
    """
    size = groups.size
    sum_u = groups.sum(u)
    sum_v = groups.sum(v)
    both = groups.sum(u * v)
    step = ratio(sum_u * sum_v - both, size * (size - 1))
    return groups.spread((sum_u * start + both) / size, step)


def expected_stops(
    groups: TieGroups, u: np.ndarray, q: np.ndarray, v: np.ndarray, start: np.ndarray
) -> GainList:
    """The mean of `u(i)·Π_{j<i} q(j)·V[i]` at each rank of the groups, V[i] the sum of `v` down to
    rank i.

    `u`, `q` and `v` are values of the H documents (of others: 0, 1 and 0), `start` is V before each
    group.
    """
    size = groups.judged
    sums = bool(v.any())
    before = groups.spread(np.exp(groups.before(np.log(q))))
    values = np.zeros(before.rank.size)
    # The mean product of j documents is at most the mean of q, j times as a factor (Maclaurin).
    mean_stop = groups.sum(1 - q) / groups.size
    mean_stop = np.maximum(mean_stop, EPSILON)
    ranks_that_count = np.log(NEGLIGIBLE) / np.log1p(-mean_stop) + 1
    within = np.minimum(groups.within, ranks_that_count).astype(np.int64)
    bits = np.ceil(np.log2(within))
    widths = np.exp2(bits).astype(np.int64)
    tables = 4 if sums else 2
    _refuse_work(groups, tables * size * (widths + CALLS / 8))

    first_entry = np.cumsum(groups.within) - groups.within
    for width in np.unique(widths).tolist():
        rows = np.flatnonzero(widths == width)
        rows = rows[np.argsort(-size[rows], kind="stable")]
        means = _Means(size[rows], groups.size[rows], width)
        for number in range(int(size[rows].max())):
            count = np.count_nonzero(size[rows] > number)  # rows are by descending size
            opens = groups.opens[rows[:count]]
            entry = groups.entry[opens + number]
            means.enter(u[entry], q[entry], v[entry], sums)
        position = np.arange(width)
        is_within = position < within[rows][:, None]
        entry_of_rank = first_entry[rows][:, None] + position
        start_of_row = start[rows][:, None]
        at_ranks = start_of_row * means.stop + means.stop_v
        values[entry_of_rank[is_within]] = at_ranks[is_within]
    return before.with_gain(before.gain * values)


class _Means:
    """Means over all choices of j documents of each group, in column j of four tables.

    The tables have one row for each group.

    - `product`: Π q over the documents, and `product_v`: Π q·Σ v
    - `stop`: u·Π q, with u of one more document after them, and `stop_v`: u·Π q·Σ v, with its v,
      too

    The judged documents enter the tables one by one. Sums instead of means would overflow for a
    thousand documents.
    """

    def __init__(self, judged: np.ndarray, size: np.ndarray, width: int) -> None:
        """Tables of groups with `size` documents, of which the `judged` ones will enter."""
        self.position = np.arange(width)
        self.documents = size - judged
        is_choice = self.position <= self.documents[:, None]
        self.product = is_choice.astype(np.float64)
        self.product_v = np.zeros(self.product.shape)
        self.stop = np.zeros(self.product.shape)
        self.stop_v = np.zeros(self.product.shape)

    def enter(self, u: np.ndarray, q: np.ndarray, v: np.ndarray, sums: bool) -> None:
        """Enter one document of each of the first groups. Without `sums`, all v are 0."""
        first = slice(0, u.size)
        self.documents[first] += 1
        documents = self.documents[first][:, None]
        u = u[:, None]
        q = q[:, None]
        v = v[:, None]
        chance_chosen = self.position / documents
        chance_left_out = np.maximum(1 - self.position / documents, 0)
        chance_neither = np.maximum(documents - 1 - self.position, 0) / documents
        product = self.product[first]
        stop = self.stop[first]
        product_with_fewer = _shifted(product)
        stop_with_fewer = _shifted(stop)
        goes_on = chance_chosen * q
        if sums:
            product_v = self.product_v[first]
            stop_v = self.stop_v[first]
            stops_here = u * (product_v + v * product) / documents
            stops_later = goes_on * (_shifted(stop_v) + v * stop_with_fewer)
            self.stop_v[first] = chance_neither * stop_v + stops_here + stops_later
            with_it = goes_on * (_shifted(product_v) + v * product_with_fewer)
            self.product_v[first] = chance_left_out * product_v + with_it
        stops_here = u * product / documents
        stops_later = goes_on * stop_with_fewer
        self.stop[first] = chance_neither * stop + stops_here + stops_later
        with_it = goes_on * product_with_fewer
        self.product[first] = chance_left_out * product + with_it


def _shifted(table: np.ndarray) -> np.ndarray:
    """A table with every value moved one column to the right, and 0 in the first column."""
    shifted = np.zeros_like(table)
    shifted[:, 1:] = table[:, :-1]
    return shifted


def _refuse_work(groups: TieGroups, work: np.ndarray) -> None:
    """Raise `Undetermined` if the orders of the groups take too much `work`."""
    if not work.size:
        return
    largest = np.argmax(work)
    topic = groups.topics.names[groups.topic[largest]]
    size = groups.size[largest]
    rank = groups.first[largest]
    what = f"topic {topic!r} ties {size} documents at rank {rank}, which have too many orders"
    within_budget(what, work.sum(), remedy="use a smaller cutoff", error=Undetermined)
