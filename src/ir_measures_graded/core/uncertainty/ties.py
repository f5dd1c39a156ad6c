"""Tied scores: the lowest, the highest and the mean value over all orders of tied documents.

The scores allow every order of the documents in a tie group, and each order is equally likely. For most
measures an order by gain gives the lowest and the highest value (`ordered`), and the others have none. The
mean follows from the parts of a measure (`expected`): the mean gain at each rank, the mean of products of two
documents, or of the documents that a user passes before stopping.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

import numpy as np

from ...errors import GradedError
from ..budget import CALLS, within_budget
from ..by_topic import changes, cumsum, offsets_of, positions
from ..measures.average_precision import ByThreshold, thresholds_of
from ..measures.sums import AtRelevant, SumOverRanks, WeightedGains
from ..measures.topics import GainList, Topics, ratio
from ..ranking.ranks import JudgedRanks
from .judgments import Undetermined

EPSILON = np.finfo(np.float64).eps
NEGLIGIBLE = 1e-100
"""The probability of reaching a rank below which the rank adds nothing to a sum."""


def ordered(ranks: JudgedRanks, merit: np.ndarray) -> JudgedRanks:
    """The run with the documents of each tie group in descending order of their merit.

    `merit` has one number for each of the H judged documents that the run retrieved, such as the gain.
    Unjudged documents have the merit 0. Only judged documents in tie groups move.
    """
    first, last = ranks.first, ranks.last
    entry = np.flatnonzero(last > first)
    if not entry.size:
        return ranks
    start = ranks.group[0][entry]  # one number for each tie group, ascending
    order = np.lexsort((-merit[entry], start))
    sizes = np.diff(np.append(np.flatnonzero(changes(start)), start.size))
    before = positions(sizes)
    behind = np.repeat(sizes, sizes) - 1 - before
    above = merit[entry][order] >= 0
    doc, rank = ranks.doc.copy(), ranks.rank.copy()
    doc[entry] = doc[entry][order]
    rank[entry] = np.where(above, first[entry] + before, last[entry] - behind)
    return replace(ranks, doc=doc, rank=rank)


class TieGroups:
    """The tie groups that hold some judged documents and begin within the cutoff (N, in rank order).

    An untied document is a group of its own. `entry` are the documents, group by group, as their numbers
    among the H judged documents that the run retrieved. The documents of group n begin at `opens[n]`, and
    `known[n]` is their number. `topic`, `first` rank and `size` of each group count unjudged documents in;
    `within` is the number of its ranks within the cutoff.
    """

    def __init__(self, topics: Topics, which: np.ndarray):
        """The groups of the judged documents for which `which` (H) is true."""
        ranks, cutoff, first = topics.ranks, topics.cutoff, topics.ranks.first
        self.topics, self.entry = (
            topics,
            np.flatnonzero(which & (first <= cutoff) if cutoff else which),
        )
        start, size = ranks.group
        self.opens = np.flatnonzero(changes(start[self.entry]))
        self.known = np.diff(np.append(self.opens, self.entry.size))
        opener = self.entry[self.opens]
        self.topic, self.first, self.size = ranks.topic[opener], first[opener], size[opener]
        self.within = np.minimum(self.size, cutoff - self.first + 1) if cutoff else self.size

    def sum(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value of each of the H documents over each group (N)."""
        return np.add.reduceat(values[self.entry], self.opens) if self.opens.size else np.empty(0)

    def before(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value of each of the H documents over the groups before each group (N)."""
        sums = cumsum(
            self.sum(values).astype(np.float64), offsets_of(self.topic, self.topics.count)
        )
        return np.where(changes(self.topic), 0.0, np.append(0.0, sums[:-1]))

    def spread(self, at_first: np.ndarray, step: np.ndarray | float = 0.0) -> GainList:
        """A list with a value at each rank of the groups: `at_first`, then `step` more at each next rank."""
        position = positions(self.within)
        return GainList(
            self.topics.count,
            topic=np.repeat(self.topic, self.within),
            rank=np.repeat(self.first, self.within) + position,
            gain=np.repeat(at_first, self.within)
            + np.repeat(np.broadcast_to(step, self.size.shape), self.within) * position,
        )


@singledispatch
def expected(measure: SumOverRanks, topics: Topics) -> GainList:
    """The mean of a measure's amounts at each rank down to the cutoff, over all orders of tied documents."""
    raise GradedError(f"{measure}: no method for ties='mean' is registered")


@expected.register
def _(measure: WeightedGains, topics: Topics) -> GainList:
    # Each rank of a tie group has the mean gain of the group, unjudged documents included with gain 0.
    gain = measure.normalised(topics.whole_run, topics).gain
    groups = TieGroups(topics, gain != 0)
    return measure.weighed(groups.spread(groups.sum(gain) / groups.size))


@expected.register
def _(measure: AtRelevant, topics: Topics) -> GainList:
    relevant = topics.whole_run.gain > 0
    gain = np.zeros(relevant.size)
    gain[relevant] = measure.relevant(topics.cut(None)).gain
    u, q = measure.weights(gain, topics)
    groups = TieGroups(topics, relevant)
    constant = measure.achieved(np.zeros(1), np.zeros(1))
    v = measure.achieved(np.ones(gain.size), gain) - constant
    start = groups.before(v) + constant
    pairs = (q == 1).all()
    run = expected_pairs(groups, u, v, start) if pairs else expected_stops(groups, u, q, v, start)
    return run.with_gain(ratio(run.gain, measure.possible(run.rank, run.topic, topics)))


@expected.register
def _(measure: ByThreshold, topics: Topics) -> GainList:
    # The sum is one over pairs of documents, W(min(G[i], G[j])) for each j ≤ i. A document of a tie group
    # meets all documents before the group, itself, and each other of the group in half of the orders.
    thresholds, whole = thresholds_of(topics), topics.whole_run
    weight = measure.threshold_weights(thresholds)
    run, groups = whole.relevant, TieGroups(topics, whole.gain > 0)
    itself, pairs = np.zeros(whole.gain.size), np.zeros(whole.gain.size)
    itself[whole.gain > 0] = thresholds.up_to(weight, run, thresholds.level(run))
    pairs[whole.gain > 0] = thresholds.precision(run, weight) * run.rank
    pairs_of, size = groups.sum(pairs), groups.size
    # The lower of two documents of a group: the later one in an order by descending gain.
    group = np.repeat(np.arange(size.size), groups.known)
    order = np.lexsort((-itself[groups.entry], group))
    within = np.zeros(whole.gain.size)
    within[groups.entry] = itself[groups.entry][order] * positions(groups.known)
    within_of = groups.sum(within)
    means = groups.spread((pairs_of - within_of) / size, ratio(2 * within_of, size * (size - 1)))
    return means.with_gain(means.gain / means.rank)


def expected_pairs(groups: TieGroups, u: np.ndarray, v: np.ndarray, start: np.ndarray) -> GainList:
    """The mean of `u(i)·V[i]` at each rank of the groups, V[i] the sum of `v` down to rank i.

    `u` and `v` are values of the H documents, `start` is V before each group (N).
    """
    size = groups.size
    sum_u, sum_v, both = groups.sum(u), groups.sum(v), groups.sum(u * v)
    step = ratio(sum_u * sum_v - both, size * (size - 1))
    return groups.spread((sum_u * start + both) / size, step)


def expected_stops(
    groups: TieGroups, u: np.ndarray, q: np.ndarray, v: np.ndarray, start: np.ndarray
) -> GainList:
    """The mean of `u(i)·Π_{j<i} q(j)·V[i]` at each rank of the groups, V[i] the sum of `v` down to rank i.

    `u`, `q` and `v` are values of the H documents (of others: 0, 1 and 0), `start` is V before each group.
    """
    # Column j of the tables is a mean over all choices of j documents of a group: a of Π q, b of Π q·Σ v and,
    # for one more document after them with its own u and v, c of u·Π q and e of u·Π q·Σ v. The judged
    # documents enter the tables one by one. Sums instead of means would overflow for a thousand documents.
    size, within, sums = groups.known, groups.within, v.any()
    result = groups.spread(np.exp(groups.before(np.log(q))))
    values = np.zeros(result.rank.size)
    ends = np.cumsum(within)
    # The mean product of j documents is at most the mean of q, j times as a factor (Maclaurin).
    mean_stop = np.maximum(groups.sum(1 - q) / groups.size, EPSILON)
    within = np.minimum(within, np.log(NEGLIGIBLE) / np.log1p(-mean_stop) + 1).astype(np.int64)
    widths = np.exp2(np.ceil(np.log2(within))).astype(np.int64)
    tables = 4 if sums else 2
    _refuse_work(groups, tables * size * (widths + CALLS / 8))
    for width in np.unique(widths).tolist():
        rows = np.flatnonzero(widths == width)
        rows = rows[np.argsort(-size[rows], kind="stable")]
        others = groups.size[rows] - size[rows]
        position = np.arange(width)
        a = (position <= others[:, None]).astype(np.float64)
        b, c, e = (np.zeros(a.shape) for _ in range(3))
        for number in range(int(size[rows].max())):
            left = slice(0, np.count_nonzero(size[rows] > number))
            entry = groups.entry[groups.opens[rows[left]] + number]
            U, Q, V = (values_of[entry, None] for values_of in (u, q, v))
            known = (others[left] + number + 1)[:, None]
            joins, misses = position / known, np.maximum(1 - position / known, 0)
            one_more = np.maximum(known - 1 - position, 0) / known
            A, B, C, E = (table[left] for table in (a, b, c, e))
            if sums:
                e[left] = (
                    one_more * E
                    + U * (B + V * A) / known
                    + joins * Q * (_shifted(E) + V * _shifted(C))
                )
                b[left] = misses * B + joins * Q * (_shifted(B) + V * _shifted(A))
            c[left] = one_more * C + U * A / known + joins * Q * _shifted(C)
            a[left] = misses * A + joins * Q * _shifted(A)
        inside = position < within[rows][:, None]
        entry_of_rank = (ends - groups.within)[rows][:, None] + position
        values[entry_of_rank[inside]] = (start[rows][:, None] * c + e)[inside]
    return result.with_gain(result.gain * values)


def _shifted(table: np.ndarray) -> np.ndarray:
    """A table with every value moved one column to the right, and 0 in the first column."""
    shifted = np.zeros_like(table)
    shifted[:, 1:] = table[:, :-1]
    return shifted


def _refuse_work(groups: TieGroups, work: np.ndarray) -> None:
    """Raise `Undetermined` if the orders of the groups take too much `work`."""
    if work.size:
        largest = np.argmax(work)
        size, rank = groups.size[largest], groups.first[largest]
        topic = groups.topics.names[groups.topic[largest]]
        what = f"topic {topic!r} ties {size} documents at rank {rank}, which have too many orders"
        within_budget(what, work.sum(), remedy="use a smaller cutoff", error=Undetermined)
