"""Unjudged documents within a measure's cutoff, and the judgments that they could get.

An unjudged document counts as irrelevant, but a judge could have given it any level. `filled` makes
topics with given judgments, and `extreme_in_order` evaluates the judgments that matter for most
measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain, combinations_with_replacement

import numpy as np

from ...errors import GradedError
from ..budget import STEPS, TABLES, within_budget
from ..by_topic import bounds_of, offsets_of, positions, rows_of, tally
from ..measures.topics import GainList, Topics
from ..ranking.judged import Judged, LevelCounts, computed_once
from ..ranking.ranks import JudgedRanks

BLOCK = 1 << 18
"""The approximate maximum size of a table of topics, gains and unjudged documents; larger ones are
slower."""


class Undetermined(GradedError):
    """The range over all judgments of unjudged documents exists, but it is not computed."""


@computed_once
def unjudged_of(topics: Topics) -> GainList:
    """The unjudged documents within the cutoff, with gain 0."""
    run = topics.run
    bounds = bounds_of(topics.retrieved)
    is_unjudged = np.ones(bounds[-1], dtype=bool)
    is_unjudged[bounds[run.topic] + run.rank - 1] = False
    entry = np.flatnonzero(is_unjudged)
    topic = np.repeat(np.arange(topics.count), topics.retrieved)[entry]
    rank = entry - bounds[topic] + 1
    return GainList(topics.count, topic, rank, np.zeros(entry.size))


def padded(values: np.ndarray, sizes: np.ndarray, none: float = 0) -> np.ndarray:
    """Values of one topic after the other as the rows of a table, padded with `none`.

    >>> padded(np.array([1., 2., 3.]), np.array([2, 0, 1]))
    array([[1., 2.],
           [0., 0.],
           [3., 0.]])
    """
    width = int(sizes.max(initial=0))
    table = np.full((sizes.size, width), none, dtype=values.dtype)
    row = np.repeat(np.arange(sizes.size), sizes)
    table[row, positions(sizes)] = values
    return table


def refuse_work(
    topics: Topics, count: np.ndarray, work: Callable[[int, int], int], table: int = 0
) -> None:
    """Raise `Undetermined` if the judgments of `count` documents of each topic (T) are too much
    work.

    `work` is that of a topic, from its number and the number of its unjudged documents. `table` is
    the number of entries of the tables of the largest topic.
    """
    having_unjudged = np.flatnonzero(count)
    if not having_unjudged.size:
        return
    largest = int(np.argmax(count))
    name = topics.names[largest]
    gains = topics.possible_gains.size
    what = (
        f"topic {name!r} has {count[largest]} unjudged documents within the cutoff and the qrels "
        f"have {gains} positive gains"
    )
    counts = count[having_unjudged].tolist()
    steps = sum(map(work, having_unjudged.tolist(), counts))
    remedy = "use a smaller cutoff"
    within_budget(what, steps, STEPS, remedy=remedy, error=Undetermined)
    within_budget(what, 10 * 8 * table, TABLES, remedy=remedy, error=Undetermined)


def filled(topics: Topics, copied: np.ndarray, level: np.ndarray) -> Topics:
    """The topics with levels for their unjudged documents, one copy of a topic for each judgment of
    them.

    `copied` (P) is the topic of each judgment. `level` (P × the largest number of unjudged
    documents) has the level of each document, NaN for one that stays unjudged. The lists of these P
    topics end at the cutoff.
    """
    judged = topics.ranks.judged
    run = topics.run
    unjudged = unjudged_of(topics)
    copy = np.arange(copied.size)
    width = level.shape[1]
    is_document = np.arange(width) < unjudged.sizes[copied, None]
    is_new = is_document & ~np.isnan(level)
    new_count = is_new.sum(axis=1)
    new_level = level[is_new]
    new_topic = copy.repeat(new_count)
    rank_of_document = padded(unjudged.rank, unjudged.sizes)[:, :width]
    new_rank = rank_of_document[copied][is_new]

    # Both parts are in rank order, so that the stable sort merges them.
    hit_count = run.sizes[copied]
    hits = rows_of(run.offsets[copied], hit_count)
    levels = np.append(topics.document_level[topics.document[hits]], new_level)
    topic = np.append(copy.repeat(hit_count), new_topic)
    rank = np.append(run.rank[hits], new_rank)
    ranks_per_topic = rank.max(initial=0) + 1
    order = np.argsort(topic * ranks_per_topic + rank, kind="stable")

    names = [topics.names[topic] for topic in copied.tolist()]
    offsets = bounds_of(hit_count + new_count)
    copies = Judged(names, offsets, levels[order], judged.whole)
    copies.sizes = judged.sizes[copied] + new_count
    copies.levels = _level_counts(judged, copied, new_topic, new_level)

    retrieved = topics.retrieved[copied]
    starts = bounds_of(topics.ranks.retrieved)[copied]
    score = topics.ranks.score[rows_of(starts, retrieved)]
    documents = np.arange(order.size)
    ranks = JudgedRanks(copies, documents, topic[order], rank[order], retrieved, score)
    return topics.reranked(ranks)


def _level_counts(
    judged: Judged, copied: np.ndarray, new_topic: np.ndarray, new_level: np.ndarray
) -> LevelCounts:
    """The number of documents at each level of each copy of a topic, with the new levels.

    Judged documents that are not in the list matter only by these numbers.
    """
    counts = judged.levels
    bounds = offsets_of(counts.topic, len(judged.topics))
    level_count = np.diff(bounds)[copied]
    rows = rows_of(bounds[copied], level_count)
    topic = np.append(np.arange(copied.size).repeat(level_count), new_topic)
    level = np.append(counts.level[rows], new_level)
    ones = np.ones(new_level.size, dtype=np.int64)
    count = np.append(counts.count[rows], ones)
    return LevelCounts(*tally(topic, level, count))


def extreme_in_order(
    topics: Topics, compute: Callable[[Topics], np.ndarray], highest: bool
) -> np.ndarray:
    """The extreme of each value (T) over all judgments of unjudged documents, for a monotone
    measure.

    Its value never falls when two documents, at any distance, change places so that the better one
    stands higher. Therefore the highest value gives higher gains to earlier documents, the lowest
    value to later ones.
    """
    result = compute(topics)
    count = unjudged_of(topics).sizes
    level = levels_of_gains(topics)
    gains = level.size - 1
    judged = topics.judged.tolist()

    def work(topic: int, unjudged: int) -> int:
        documents = judged[topic] + unjudged
        return math.comb(unjudged + gains, gains) * documents

    refuse_work(topics, count, work)
    extreme = np.maximum if highest else np.minimum
    for unjudged in np.unique(count[count > 0]).tolist():
        having_count = np.flatnonzero(count == unjudged)
        ways = distributions(unjudged, gains)
        size = unjudged + int(topics.judged[having_count].max())
        for pair in blocks_of(np.arange(having_count.size * len(ways)), size):
            topic = having_count[pair // len(ways)]
            kind = kinds_of(ways[pair % len(ways)], unjudged)
            if not highest:
                kind = kind[:, ::-1]
            values = compute(filled(topics, topic, level[kind]))
            extreme.at(result, topic, values)
    return result


def levels_of_gains(topics: Topics) -> np.ndarray:
    """A level for each gain that a document can get: NaN, unjudged, for 0, then for each possible
    gain.
    """
    level = topics.ranks.judged.all_levels
    level_gain = topics.gain_of(level)
    level_of_gain = [level[level_gain == gain][0] for gain in topics.possible_gains]
    return np.array([np.nan] + level_of_gain)


def distributions(documents: int, gains: int) -> np.ndarray:
    """All ways to give gains to some documents without regard to their order (ways × gains): the
    numbers of documents with at least each positive gain of the collection, from the highest.
    """
    ways = combinations_with_replacement(range(documents + 1), gains)
    count = math.comb(documents + gains, gains)  # one way to give no gains
    numbers = np.fromiter(chain.from_iterable(ways), np.int32)
    return numbers.reshape(count, gains)


def kinds_of(ways: np.ndarray, documents: int) -> np.ndarray:
    """The gain of each document under some ways (ways × documents), descending: 0 stands for no
    gain, 1 for the lowest positive gain of the collection, and so on.
    """
    kinds = np.zeros((len(ways), documents), dtype=np.int32)
    for at_least in ways.T:
        kinds += at_least[:, None] > np.arange(documents)
    return kinds


def blocks_of(topics: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """Some topics at a time, each with a table of `size` numbers."""
    per_block = max(1, BLOCK // max(size, 1))
    for start in range(0, topics.size, per_block):
        yield topics[start : start + per_block]
