"""The mean of a sum of gains over all orders of tied documents, from scores of judged documents
alone, as metrics of a training compute it after each round.

If all documents are judged, neither matching nor `JudgedRanks` is needed: the scores of the first
ranks are sorted, and each tie group shares its gains.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ..by_topic import bounds_of, changes, offsets_of, positions
from ..measures.gain_sums import GainSum, NormalisedGainSum
from ..measures.topics import GainList, Topics, share
from ..ranking.order import as_compared, descending, falling_bits
from ..ranking.top import TopRows, matrices_of

SHORT = 64
"""Groups of at most so many documents are sorted as a whole."""
ROW_BITS = 32
LAST_ROW = np.uint64(2**ROW_BITS - 1)
LAST_KEY = np.uint64(2**64 - 1)
"""The key of padding, behind those of all rows."""


class FirstRanks:
    """What a measure takes from groups of documents, all of them judged: gains and ideal lists.

    `topics` have the judged documents and the number of documents of each group, as the measure
    sees them. Their ranks are not read.
    """

    def __init__(self, measure: GainSum, topics: Topics):
        self.measure = measure
        self.topics = topics
        gain = topics.document_gain
        documents = GainList(topics.count, topics.document_topic, np.ones_like(gain), gain)
        self.gain = measure.with_scaled_gains(documents, topics).gain
        self.ideal_total: np.ndarray | None = None
        if isinstance(measure, NormalisedGainSum):
            is_share = type(measure).total_of is NormalisedGainSum.total_of
            self.ideal_total = measure.ideal_amounts(topics).total if is_share else None

    def values(self, ranking: Ranking) -> np.ndarray:
        """The value of each group (T)."""
        amounts = self._discounted(self._mean_gains(ranking))
        if self.ideal_total is not None:
            return share(amounts.total, self.ideal_total)
        return self.measure.total_of(amounts, self.topics)

    def _mean_gains(self, ranking: Ranking) -> GainList:
        """Each rank down to the cutoff with the mean gain of its tie group."""
        gain = self.gain[ranking.row]
        if not ranking.opens_group.all():
            gain = _shared(gain, ranking.opens_group)
        is_member = gain != 0
        if self.topics.cutoff:
            is_member &= ranking.rank <= self.topics.cutoff
        entry = np.flatnonzero(is_member)
        rank = ranking.rank[entry]
        return GainList(self.topics.count, ranking.topic[entry], rank, gain[entry])

    def _discounted(self, gains: GainList) -> GainList:
        """`GainSum.discounted`, with a logarithm for each rank down to the cutoff only."""
        cutoff = self.topics.cutoff
        if not cutoff or cutoff > gains.rank.size:
            return self.measure.discounted(gains)
        ranks = np.arange(1, cutoff + 1)
        position = gains.rank - 1
        amount = gains.gain
        factor = np.broadcast_to(self.measure.factor(ranks), ranks.shape)
        if (factor != 1).any():
            amount = amount * factor[position]
        discount = np.broadcast_to(self.measure.discount(ranks), ranks.shape)
        return gains.with_gain(amount / discount[position])


def _shared(gain: np.ndarray, opens_group: np.ndarray) -> np.ndarray:
    """The mean gain of the tie group of each row."""
    is_tied = ~opens_group  # with the row before
    is_tied[:-1] |= is_tied[1:]
    tied_row = np.flatnonzero(is_tied)
    if 2 * tied_row.size > gain.size:  # then it takes less time to treat all rows as tied
        return _means_of_groups(gain, opens_group)
    shared = gain.copy()
    shared[tied_row] = _means_of_groups(gain[tied_row], opens_group[tied_row])
    return shared


def _means_of_groups(gain: np.ndarray, opens_group: np.ndarray) -> np.ndarray:
    """For each row the mean gain of its group, of which `opens_group` tells the first row."""
    group = np.cumsum(opens_group) - 1
    sizes = np.bincount(group)
    mean = np.zeros(sizes.size)
    entry = np.flatnonzero(gain != 0)
    if entry.size:
        group_of_entry = group[entry]
        opens = np.flatnonzero(changes(group_of_entry))
        having_gain = group_of_entry[opens]
        total = np.add.reduceat(gain[entry], opens)
        mean[having_gain] = total / sizes[having_gain]
    return mean[group]


class Ranking(NamedTuple):
    """The rows of some scores in rank order, group after group, down to a depth.

    Each row has its `topic`, its `rank`, and whether it is the first row of a tie group
    (`opens_group`).
    """

    row: np.ndarray
    topic: np.ndarray
    rank: np.ndarray
    opens_group: np.ndarray


class Groups(Protocol):
    """What all scores of the same groups share, so that a ranking need only sort."""

    def ranking(self, scores: np.ndarray) -> Ranking:
        """The rows that matter in rank order."""


def groups_of(offsets: np.ndarray, depth: int | None) -> Groups:
    """Groups, of which number t has the rows `offsets[t]:offsets[t + 1]`.

    Only rows that can have one of the first `depth` ranks matter, or all with None.
    """
    sizes = np.diff(offsets)
    in_short_groups = sizes[sizes <= SHORT].sum()
    if 2 * in_short_groups < sizes.sum():  # then matrices of some would save no time
        top = None if depth is None else TopRows(offsets, depth)
        return LongGroups(offsets, top)
    return ShortGroups(offsets, depth)


class ShortGroups:
    """Groups of which most rows are in groups of at most `SHORT` documents. These are sorted as the
    rows of matrices: of one, if all groups have the same length, or of some of similar lengths.

    The key of a row has the `falling_bits` of its score and its number. Nearly always, no tie group
    reaches beyond the last rank that matters. The topic and the rank at each place are then those
    of every ranking.

    `long_rows` are those of the other groups.
    """

    def __init__(self, offsets: np.ndarray, depth: int | None):
        sizes = np.diff(offsets)
        longest = int(sizes.max(initial=0))
        rows = int(offsets[-1])
        self.row = np.arange(rows, dtype=np.uint64)
        self.topic = np.repeat(np.arange(sizes.size), sizes)
        self.rank = positions(sizes) + 1
        self.opens_topic = self.rank == 1
        self.width = 0
        if longest <= SHORT and bool((sizes == longest).all()):
            self.width = longest
        else:
            self._divide(offsets)
        self.cut: slice | np.ndarray = slice(None)
        self.behind_cut = np.empty(0, dtype=np.int64)
        if depth is not None:
            self.cut = np.flatnonzero(self.rank <= depth)
            self.behind_cut = np.flatnonzero(self.rank == depth + 1)
        self.topic_in_cut = self.topic[self.cut]
        self.rank_in_cut = self.rank[self.cut]

    def _divide(self, offsets: np.ndarray) -> None:
        """Divide the groups into matrices and into long groups.

        The places of all matrices are one after the other: `row_at_place` is the row at each, the
        number of rows for padding, and `place_of_row` the place of each row of a short group.
        """
        sizes = np.diff(offsets)
        is_short = (sizes > 0) & (sizes <= SHORT)
        is_long_row = np.repeat(~is_short, sizes)
        self.long_rows = np.flatnonzero(is_long_row)
        self.short_rows = np.flatnonzero(~is_long_row)
        self.long_bounds = bounds_of(sizes[~is_short])
        self.shapes: list[tuple[int, int]] = []
        row_at_place = [np.empty(0, dtype=np.int64)]
        for _, row, is_row in matrices_of(offsets, np.flatnonzero(is_short)):
            self.shapes.append(row.shape)
            row_at_place.append(np.where(is_row, row, offsets[-1]).ravel())
        self.row_at_place = np.concatenate(row_at_place)
        place_of_row = np.empty(offsets[-1] + 1, dtype=np.int64)
        place_of_row[self.row_at_place] = np.arange(self.row_at_place.size)
        self.place_of_row = place_of_row[self.short_rows]

    def ranking(self, scores: np.ndarray) -> Ranking:
        key = self._sorted_keys(as_compared(scores))
        score = key >> ROW_BITS
        opens_group = changes(score)
        opens_group |= self.opens_topic
        row = (key & LAST_ROW).view(np.int64)
        if not opens_group[self.behind_cut].all():
            return Ranking(row, self.topic, self.rank, opens_group)
        return Ranking(row[self.cut], self.topic_in_cut, self.rank_in_cut, opens_group[self.cut])

    def _sorted_keys(self, score: np.ndarray) -> np.ndarray:
        key = falling_bits(score).astype(np.uint64)
        key <<= ROW_BITS
        key |= self.row
        if self.width:
            key.reshape(-1, self.width).sort(axis=1)
            return key
        if self.long_rows.size:
            order = descending(score[self.long_rows], self.long_bounds)
            key_of_long_rows = key[self.long_rows[order]]
        places = np.append(key, LAST_KEY)[self.row_at_place]
        first = 0
        for height, width in self.shapes:
            last = first + height * width
            places[first:last].reshape(height, width).sort(axis=1)
            first = last
        if not self.long_rows.size:
            return places[self.place_of_row]
        key[self.short_rows] = places[self.place_of_row]
        key[self.long_rows] = key_of_long_rows
        return key


class LongGroups:
    """Groups of which `top` finds the rows that matter, if it is not None.

    The key of a row has its group, the `falling_bits` of its score and its position in the group.
    `keys` have no score yet; None if 64 bits are too few for them.
    """

    def __init__(self, offsets: np.ndarray, top: TopRows | None):
        self.offsets = offsets
        self.top = top
        sizes = np.diff(offsets)
        longest = int(sizes.max(initial=0))
        self.position_bits = longest.bit_length()
        self.keys: np.ndarray | None = None
        if sizes.size.bit_length() + 32 + self.position_bits > 64:
            return
        topic = np.repeat(np.arange(sizes.size, dtype=np.uint64), sizes)
        position = positions(sizes).astype(np.uint64)
        self.keys = topic << (32 + self.position_bits) | position

    def ranking(self, scores: np.ndarray) -> Ranking:
        score = as_compared(scores)
        row_that_matters: slice | np.ndarray = slice(None)
        if self.top is not None:
            row_that_matters = np.flatnonzero(self.top(score))
        row, topic, opens_group = self._in_order(score[row_that_matters], row_that_matters)
        bounds = offsets_of(topic, self.offsets.size - 1)
        rank = np.arange(1, row.size + 1) - bounds[topic]
        return Ranking(row, topic, rank, opens_group)

    def _in_order(
        self, score: np.ndarray, row: slice | np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Some rows, with these scores, in rank order, the topic of each, and whether its score or
        its topic differs from those before.
        """
        if self.keys is None:
            return self._in_order_without_keys(score, row)
        key = falling_bits(score).astype(np.uint64)
        key <<= self.position_bits
        key |= self.keys[row]
        key.sort()
        topic_and_score = key >> self.position_bits
        topic = (topic_and_score >> 32).view(np.int64)
        position = (key & (2**self.position_bits - 1)).view(np.int64)
        return self.offsets[topic] + position, topic, changes(topic_and_score)

    def _in_order_without_keys(
        self, score: np.ndarray, row: slice | np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = np.arange(self.offsets[-1])[row]
        bounds = np.searchsorted(rows, self.offsets)
        sizes = np.diff(bounds)
        order = descending(score, bounds)
        topic = np.repeat(np.arange(sizes.size), sizes)
        return rows[order], topic, changes(score[order]) | changes(topic)
