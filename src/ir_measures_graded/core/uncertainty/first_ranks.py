"""The mean of a sum of gains over all orders of tied documents, from scores of judged documents
alone, as metrics of a training compute it after each round.

If all documents are judged, neither matching nor `JudgedRanks` is needed: the scores of the first
ranks are sorted, and each tie group shares its gains.
"""

from __future__ import annotations

import numpy as np

from ..by_topic import changes, positions
from ..measures.gain_sums import GainSum, NormalisedGainSum
from ..measures.topics import GainList, Topics, share
from ..ranking.order import as_compared, descending
from ..ranking.top import TopRows


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
        amounts = self.measure.discounted(self._mean_gains(ranking))
        if self.ideal_total is not None:
            return share(amounts.total, self.ideal_total)
        return self.measure.total_of(amounts, self.topics)

    def _mean_gains(self, ranking: Ranking) -> GainList:
        """Each rank down to the cutoff with the mean gain of its tie group."""
        gain = self.gain[ranking.row]
        cutoff = self.topics.cutoff or gain.size
        is_member = (gain != 0) & (ranking.first <= cutoff)
        entry = np.flatnonzero(is_member)
        if ranking.size is None:
            return GainList(
                self.topics.count, ranking.topic[entry], ranking.first[entry], gain[entry]
            )
        if not entry.size:
            nothing = np.empty(0, dtype=np.int64)
            return GainList(self.topics.count, nothing, nothing, gain[entry])
        opens = np.flatnonzero(changes(ranking.group[entry]))
        opener = entry[opens]
        size = ranking.size[ranking.group[opener]]
        first = ranking.first[opener]
        mean = np.add.reduceat(gain[entry], opens) / size
        within = np.minimum(size, cutoff - first + 1)
        rank = np.repeat(first, within) + positions(within)
        topic = np.repeat(ranking.topic[opener], within)
        return GainList(self.topics.count, topic, rank, np.repeat(mean, within))


class Ranking:
    """The rows of some scores in rank order, group after group, down to a depth.

    Each row has its `topic`, and the `first` rank of its tie group. If documents are tied, it also
    has the number of its tie `group`, and `size` has that of each.
    """

    def __init__(self, scores: np.ndarray, offsets: np.ndarray, top: TopRows | None):
        score = as_compared(scores)
        row = np.arange(score.size)
        bounds = offsets
        if top is not None:
            row = np.flatnonzero(top(score))
            bounds = np.searchsorted(row, offsets)
            score = score[row]
        order = descending(score, bounds)
        score = score[order]
        sizes = np.diff(bounds)
        self.row = row[order]
        self.topic = np.repeat(np.arange(sizes.size), sizes)
        self.first = positions(sizes) + 1
        self.group = self.row
        self.size: np.ndarray | None = None
        is_new = changes(score)
        is_new[bounds[:-1]] = True
        if not is_new.all():
            start = np.flatnonzero(is_new)
            self.size = np.diff(np.append(start, score.size))
            self.group = np.repeat(np.arange(start.size), self.size)
            self.first = self.first[start][self.group]
