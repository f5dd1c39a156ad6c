"""Tied scores: the lowest, the highest and the mean value over all orders of tied documents.

The scores allow every order of the documents in a tie group, and each order is equally likely. For most
measures an order by gain gives the lowest and the highest value (`ordered`). The mean follows from the
parts of a measure: the mean gain at each rank (`expected`), the mean of products of two documents
(`expected_pairs`), or of the documents that a user passes before stopping (`expected_stops`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..by_topic import changes, cumsum, offsets_of, places
from ..ranking.ranks import JudgedRanks
from .topics import GainList, Topics, ratio


def ordered(ranks: JudgedRanks, merit: np.ndarray) -> JudgedRanks:
    """The run with the documents of each tie group in descending order of their merit.

    `merit` has one number for each of the H judged documents that the run retrieved. Unjudged documents
    have the merit 0. Only judged documents in tie groups move.
    """
    first, last = ranks.first, ranks.last
    entry = np.flatnonzero(last > first)
    if not entry.size:
        return ranks
    start = (ranks.place - ranks.rank + first)[entry]  # one number for each tie group, ascending
    order = np.lexsort((-merit[entry], start))
    sizes = np.diff(np.append(np.flatnonzero(changes(start)), start.size))
    before = places(sizes)
    behind = np.repeat(sizes, sizes) - 1 - before
    above = merit[entry][order] >= 0
    doc, rank = ranks.doc.copy(), ranks.rank.copy()
    doc[entry] = doc[entry][order]
    rank[entry] = np.where(above, first[entry] + before, last[entry] - behind)
    return replace(ranks, doc=doc, rank=rank)


@dataclass(frozen=True)
class TieGroups:
    """The tie groups that hold some judged documents and begin within the cutoff (N, in rank order).

    An untied document is a group of its own. `entry` are the documents, group by group, as their numbers
    among the H judged documents that the run retrieved. The documents of group n begin at `opens[n]`.
    `topic`, `first` rank and `size` of each group count unjudged documents in.
    """

    topics: Topics
    entry: np.ndarray
    opens: np.ndarray
    topic: np.ndarray
    first: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, topics: Topics, which: np.ndarray) -> TieGroups:
        """The groups of the judged documents for which `which` (H) is true."""
        ranks, cutoff = topics.ranks, topics.cutoff
        first = ranks.first
        entry = np.flatnonzero(which if cutoff is None else which & (first <= cutoff))
        opens = np.flatnonzero(changes((ranks.place - ranks.rank + first)[entry]))
        opener = entry[opens]
        size = ranks.last[opener] - first[opener] + 1
        return cls(topics, entry, opens, ranks.topic[opener], first[opener], size)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value of each of the H documents over each group (N)."""
        return np.add.reduceat(values[self.entry], self.opens) if self.opens.size else np.empty(0)

    def before(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value of each of the H documents over the groups before each group (N)."""
        sums = cumsum(self.sum(values).astype(np.float64), offsets_of(self.topic, self.topics.count))
        return np.where(changes(self.topic), 0.0, np.append(0.0, sums[:-1]))

    @cached_property
    def known(self) -> np.ndarray:
        """The number of documents of `entry` in each group (N)."""
        return np.diff(np.append(self.opens, self.entry.size))

    @property
    def number(self) -> np.ndarray:
        """The number of the group that each document of `entry` is in."""
        return np.repeat(np.arange(self.opens.size), self.known)

    @property
    def place(self) -> np.ndarray:
        """0, 1, 2 … for the documents of `entry` in each group."""
        return places(self.known)

    @cached_property
    def within(self) -> np.ndarray:
        """The number of ranks of each group within the cutoff (N)."""
        return np.minimum(self.size, (self.topics.cutoff or np.iinfo(np.int64).max) - self.first + 1)

    def spread(self, at_first: np.ndarray, step: np.ndarray | float = 0.0) -> GainList:
        """A list with a value at each rank of the groups: `at_first`, then `step` more at each next rank."""
        place = places(self.within)
        return GainList(
            self.topics.count,
            topic=np.repeat(self.topic, self.within),
            rank=np.repeat(self.first, self.within) + place,
            gain=np.repeat(at_first, self.within)
            + np.repeat(np.broadcast_to(step, self.size.shape), self.within) * place,
        )


def expected(topics: Topics, gain: np.ndarray) -> GainList:
    """The mean gain at each rank down to the cutoff, over all orders of tied documents.

    `gain` has one number for each of the H judged documents that the run retrieved, at any rank. Each rank
    of a tie group has the mean gain of the group, unjudged documents included with gain 0.
    """
    groups = TieGroups.of(topics, gain != 0)
    return groups.spread(groups.sum(gain) / groups.size)


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
    size, within = groups.known, groups.within
    result = groups.spread(np.exp(groups.before(np.log(q))))
    values = np.empty(result.rank.size)
    ends = np.cumsum(within)
    widths = np.exp2(np.ceil(np.log2(within))).astype(np.int64)
    for width in np.unique(widths).tolist():
        rows = np.flatnonzero(widths == width)
        rows = rows[np.argsort(-size[rows], kind="stable")]
        others = groups.size[rows] - size[rows]
        place = np.arange(width)
        a = (place <= others[:, None]).astype(np.float64)
        b, c, e = (np.zeros(a.shape) for _ in range(3))
        for number in range(int(size[rows].max())):
            left = slice(0, np.count_nonzero(size[rows] > number))
            entry = groups.entry[groups.opens[rows[left]] + number]
            U, Q, V = (values_of[entry, None] for values_of in (u, q, v))
            known = (others[left] + number + 1)[:, None]
            joins, misses = place / known, np.maximum(1 - place / known, 0)
            one_more = np.maximum(known - 1 - place, 0) / known
            A, B, C, E = (table[left] for table in (a, b, c, e))
            e[left] = one_more * E + U * (B + V * A) / known + joins * Q * (_shifted(E) + V * _shifted(C))
            c[left] = one_more * C + U * A / known + joins * Q * _shifted(C)
            b[left] = misses * B + joins * Q * (_shifted(B) + V * _shifted(A))
            a[left] = misses * A + joins * Q * _shifted(A)
        inside = place < within[rows][:, None]
        at = (ends - within)[rows][:, None] + place
        values[at[inside]] = (start[rows][:, None] * c + e)[inside]
    return GainList(result.topics, result.topic, result.rank, result.gain * values)


def _shifted(table: np.ndarray) -> np.ndarray:
    """A table with every value moved one column to the right, and 0 in the first column."""
    shifted = np.zeros_like(table)
    shifted[:, 1:] = table[:, :-1]
    return shifted
