"""The mean of a sum of gains over all orders of tied documents, from scores of judged documents
alone, as metrics of a training compute it after each round.

If all documents are judged, neither matching nor `JudgedRanks` is needed: the scores of the first
ranks are sorted, and each tie group shares its gains.
"""

from __future__ import annotations

import numpy as np

from ..by_topic import bounds_of, changes, offsets_of, positions
from ..measures.gain_sums import GainSum, NormalisedGainSum
from ..measures.topics import GainList, Topics, share
from ..ranking.order import as_compared, descending, falling_bits, tied
from ..ranking.top import TopRows, matrices_of

SHORT = 64
"""Groups of at most so many documents are sorted as a whole."""
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
        if ranking.has_ties:
            gain = _shared(gain, ranking)
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
        factor = np.broadcast_to(self.measure.factor(ranks), ranks.shape)
        discount = np.broadcast_to(self.measure.discount(ranks), ranks.shape)
        position = gains.rank - 1
        return gains.with_gain(gains.gain * factor[position] / discount[position])


def _shared(gain: np.ndarray, ranking: Ranking) -> np.ndarray:
    """The mean gain of the tie group of each row."""
    position, first = tied(ranking.opens_group)
    gain_of_tied = gain[position]
    group = np.cumsum(changes(first)) - 1
    entry = np.flatnonzero(gain_of_tied != 0)
    mean = np.zeros(gain_of_tied.size)
    if entry.size:
        group_of_entry = group[entry]
        opens = np.flatnonzero(changes(group_of_entry))
        having_gain = group_of_entry[opens]
        sizes = np.bincount(group)
        total = np.add.reduceat(gain_of_tied[entry], opens)
        mean[having_gain] = total / sizes[having_gain]
    shared = gain.copy()
    shared[position] = mean[group]
    return shared


class Groups:
    """What all scores of the same groups share, so that a ranking need only sort.

    Group t has the rows `offsets[t]:offsets[t + 1]`. `top` finds the rows that can have one of the
    first ranks, None if all rows matter.

    The key of a row has its group, the `falling_bits` of its score and its position in the group.
    `keys` have no score yet; None if 64 bits are too few for them.

    If most rows are in groups of at most `SHORT` documents, these are sorted as the rows of
    matrices: a single one (`is_short_matrix`), or some of similar lengths (`short`, the row at each
    place and whether the group has it). `long_rows` are those of the other groups, among which
    `long_top` finds those that matter.
    """

    def __init__(self, offsets: np.ndarray, top: TopRows | None):
        self.offsets = offsets
        self.top = top
        sizes = np.diff(offsets)
        longest = int(sizes.max(initial=0))
        self.is_short_matrix = 0 < longest <= SHORT and bool((sizes == longest).all())
        self.position_bits = longest.bit_length()
        self.keys: np.ndarray | None = None
        self.short: list[tuple[np.ndarray, np.ndarray]] = []
        self.long_top: TopRows | None = None
        if sizes.size.bit_length() + 32 + self.position_bits > 64:
            return
        topic = np.repeat(np.arange(sizes.size, dtype=np.uint64), sizes)
        position = positions(sizes).astype(np.uint64)
        self.keys = topic << (32 + self.position_bits) | position
        if self.is_short_matrix:
            return
        is_short = (sizes > 0) & (sizes <= SHORT)
        if 2 * sizes[is_short].sum() < sizes.sum():  # then matrices of some would save no time
            return
        for _, row, is_row in matrices_of(offsets, np.flatnonzero(is_short)):
            self.short.append((np.where(is_row, row, offsets[-1]), is_row))
        self.long_rows = np.flatnonzero(np.repeat(~is_short, sizes))
        if top is not None:
            self.long_top = TopRows(bounds_of(sizes[~is_short]), top.depth)

    def in_order(self, score: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows that matter in rank order, the topic of each, and whether its score or its topic
        differs from those before."""
        if self.keys is None:
            return self._in_order_without_keys(score)
        if self.is_short_matrix:
            key = self._short_rows_in_order(score)
        elif self.short:
            key = self._rows_of_lengths_in_order(score)
        else:
            row = self._rows_that_matter(score)
            key = self._with_scores(score[row], row)
            key.sort()
        topic_and_score = key >> self.position_bits
        topic = (topic_and_score >> 32).view(np.int64)
        position = (key & (2**self.position_bits - 1)).view(np.int64)
        return self.offsets[topic] + position, topic, changes(topic_and_score)

    def _rows_that_matter(self, score: np.ndarray) -> slice | np.ndarray:
        return slice(None) if self.top is None else np.flatnonzero(self.top(score))

    def _with_scores(self, score: np.ndarray, row: slice | np.ndarray) -> np.ndarray:
        """The keys of some rows with their scores."""
        assert self.keys is not None
        key: np.ndarray = falling_bits(score) << self.position_bits
        key |= self.keys[row]
        return key

    def _short_rows_in_order(self, score: np.ndarray) -> np.ndarray:
        """The sorted keys of the rows that matter. To sort short groups as the rows of a matrix
        takes less time than to find the first ranks of each."""
        key = self._with_scores(score, slice(None)).reshape(self.offsets.size - 1, -1)
        key.sort(axis=1)
        if self.top is None:
            return key.ravel()
        topic_and_score = key >> self.position_bits
        last = topic_and_score[:, self.top.depth - 1, None]
        in_first_ranks: np.ndarray = key[topic_and_score <= last]
        return in_first_ranks

    def _rows_of_lengths_in_order(self, score: np.ndarray) -> np.ndarray:
        """The sorted keys of the rows that matter, of groups of any lengths. Those of a group take
        the places of some of its rows.
        """
        key = self._with_scores(score, slice(None))
        is_kept = np.zeros(key.size, dtype=bool)
        padded = np.append(key, LAST_KEY)
        for row, is_row in self.short:
            matrix = padded[row]
            matrix.sort(axis=1)
            is_place = is_row
            if self.top is not None and self.top.depth < row.shape[1]:
                topic_and_score = matrix >> self.position_bits
                last = topic_and_score[:, self.top.depth - 1, None]
                is_place = is_row & (topic_and_score <= last)
            place = row[is_place]
            key[place] = matrix[is_place]
            is_kept[place] = True
        row = self.long_rows
        if self.long_top is not None:
            row = row[self.long_top(score[row])]
        key_of_row = padded[row]
        key_of_row.sort()
        key[row] = key_of_row
        is_kept[row] = True
        return key[is_kept]

    def _in_order_without_keys(
        self, score: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        row = self._rows_that_matter(score)
        rows = np.arange(self.offsets[-1])[row]
        bounds = np.searchsorted(rows, self.offsets)
        sizes = np.diff(bounds)
        order = descending(score[row], bounds)
        topic = np.repeat(np.arange(sizes.size), sizes)
        return rows[order], topic, changes(score[row][order]) | changes(topic)


class Ranking:
    """The rows of some scores in rank order, group after group, down to a depth.

    Each row has its `topic`, its `rank`, and whether it is the first row of a tie group
    (`opens_group`).
    """

    def __init__(self, scores: np.ndarray, groups: Groups):
        self.row, self.topic, self.opens_group = groups.in_order(as_compared(scores))
        bounds = offsets_of(self.topic, groups.offsets.size - 1)
        self.rank = np.arange(1, self.row.size + 1) - bounds[self.topic]
        self.has_ties = not self.opens_group.all()
