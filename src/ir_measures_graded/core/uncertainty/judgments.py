"""Unjudged documents within a measure's cutoff, and the judgments that they could get.

An unjudged document counts as irrelevant, but a judge could have given it any level. `filled` makes topics
with given judgments, and `extreme_in_order` evaluates the judgments that matter for most measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain, combinations_with_replacement

import numpy as np

from ...errors import GradedError
from ..budget import STEPS, TABLES, within_budget
from ..by_topic import bounds_of, offsets_of, positions, rows_of, tally
from ..measures.topics import GainList, Topics, full_list
from ..ranking.judged import Judged, LevelCounts, computed_once
from ..ranking.ranks import JudgedRanks

BLOCK = 1 << 18
"""The approximate maximum size of a table of topics, gains and unjudged documents; larger ones are slower."""


class Undetermined(GradedError):
    """The range over all judgments of unjudged documents exists, but it is not computed."""


@computed_once
def unjudged_of(topics: Topics) -> GainList:
    """The unjudged documents within the cutoff, with gain 0."""
    run, listed = topics.run, full_list(topics)
    unjudged = np.ones(listed.rank.size, dtype=bool)
    unjudged[listed.offsets[run.topic] + run.rank - 1] = False
    return listed.where(unjudged)


def padded(values: np.ndarray, sizes: np.ndarray, none: float = 0) -> np.ndarray:
    """Values of one topic after the other as the rows of a table, padded with `none`.

    >>> padded(np.array([1., 2., 3.]), np.array([2, 0, 1]))
    array([[1., 2.],
           [0., 0.],
           [3., 0.]])
    """
    table = np.full((sizes.size, int(sizes.max(initial=0))), none, dtype=values.dtype)
    table[np.repeat(np.arange(sizes.size), sizes), positions(sizes)] = values
    return table


def refuse_work(
    topics: Topics, count: np.ndarray, work: Callable[[int, int], int], table: int = 0
) -> None:
    """Raise `Undetermined` if the judgments of `count` documents of each topic (T) are too much work.

    `work` is that of a topic, from its number and the number of its unjudged documents. `table` is the
    number of entries of the tables of the largest topic.
    """
    having, largest = np.flatnonzero(count), int(np.argmax(count)) if count.size else 0
    if not having.size:
        return
    what = (
        f"topic {topics.names[largest]!r} has {count[largest]} unjudged documents within the cutoff and the "
        f"qrels have {topics.possible_gains.size} positive gains"
    )
    steps = sum(map(work, having.tolist(), count[having].tolist()))
    for size, limit in (steps, STEPS), (10 * 8 * table, TABLES):
        within_budget(what, size, limit, remedy="use a smaller cutoff", error=Undetermined)


def filled(topics: Topics, copied: np.ndarray, level: np.ndarray) -> Topics:
    """The topics with levels for their unjudged documents, one copy of a topic for each judgment of them.

    `copied` (P) is the topic of each judgment. `level` (P × the largest number of unjudged documents) has the
    level of each document, NaN for one that stays unjudged. The lists of these P topics end at the cutoff.
    """
    judged, run, unjudged = topics.ranks.judged, topics.run, unjudged_of(topics)
    every, width = np.arange(copied.size), level.shape[1]
    given = (np.arange(width) < unjudged.sizes[copied, None]) & ~np.isnan(level)
    listed, added = run.sizes[copied], given.sum(axis=1)
    new, every_added = level[given], every.repeat(added)

    # Both parts are in rank order, so that the stable sort merges them.
    hits = rows_of(run.offsets[copied], listed)
    levels = np.append(topics.document_level[topics.document[hits]], new)
    topic = np.append(every.repeat(listed), every_added)
    rank = np.append(run.rank[hits], padded(unjudged.rank, unjudged.sizes)[copied, :width][given])
    order = np.argsort(topic * (rank.max(initial=0) + 1) + rank, kind="stable")

    # Judged documents that are not in the list matter only by their number at each level.
    names = [topics.names[topic] for topic in copied.tolist()]
    copies = Judged(names, bounds_of(listed + added), levels[order], judged.whole)
    copies.sizes = judged.sizes[copied] + added
    counts = judged.levels
    bounds = offsets_of(counts.topic, topics.count)
    of_levels = np.diff(bounds)[copied]
    rows = rows_of(bounds[copied], of_levels)
    known = every.repeat(of_levels), counts.level[rows], counts.count[rows]
    once = every_added, new, np.ones(every_added.size, dtype=np.int64)
    copies.levels = LevelCounts(*tally(*map(np.append, known, once)))

    retrieved = topics.retrieved[copied]
    starts = bounds_of(topics.ranks.retrieved)[copied]
    score = topics.ranks.score[rows_of(starts, retrieved)]
    documents = np.arange(order.size)
    return topics.reranked(
        JudgedRanks(copies, documents, topic[order], rank[order], retrieved, score)
    )


def extreme_in_order(
    topics: Topics, compute: Callable[[Topics], np.ndarray], highest: bool
) -> np.ndarray:
    """The extreme of each value (T) over all judgments of unjudged documents, for a monotone measure.

    Its value never falls when two documents, at any distance, change places so that the better one stands
    higher. Therefore the highest value gives higher gains to earlier documents, the lowest value to later
    ones.
    """
    result, count = compute(topics), unjudged_of(topics).sizes
    extreme = np.maximum if highest else np.minimum
    level = levels_of_gains(topics)
    gains = level.size - 1
    judged = topics.judged.tolist()
    refuse_work(
        topics, count, lambda topic, some: math.comb(some + gains, gains) * (judged[topic] + some)
    )
    for unjudged in np.unique(count[count > 0]).tolist():
        having = np.flatnonzero(count == unjudged)
        ways = distributions(unjudged, gains)
        size = unjudged + int(topics.judged[having].max())
        for pair in blocks_of(np.arange(having.size * len(ways)), size):
            topic, kind = having[pair // len(ways)], kinds_of(ways[pair % len(ways)], unjudged)
            given = level[kind if highest else kind[:, ::-1]]
            extreme.at(result, topic, compute(filled(topics, topic, given)))
    return result


def levels_of_gains(topics: Topics) -> np.ndarray:
    """A level for each gain that a document can get: NaN, unjudged, for 0, then for each possible gain."""
    level = topics.ranks.judged.all_levels
    gain = topics.gain_of(level)
    return np.array([np.nan, *(level[gain == each][0] for each in topics.possible_gains)])


def distributions(documents: int, gains: int) -> np.ndarray:
    """All ways to give gains to some documents without regard to their order (ways × gains): the numbers of
    documents with at least each positive gain of the collection, from the highest."""
    ways = combinations_with_replacement(range(documents + 1), gains)
    count = math.comb(documents + gains, gains)  # one way to give no gains
    return np.fromiter(chain.from_iterable(ways), np.int32).reshape(count, gains)


def kinds_of(ways: np.ndarray, documents: int) -> np.ndarray:
    """The gain of each document under some ways (ways × documents), descending: 0 stands for no gain, 1 for
    the lowest positive gain of the collection, and so on."""
    kinds = np.zeros((len(ways), documents), dtype=np.int32)
    for at_least in ways.T:
        kinds += at_least[:, None] > np.arange(documents)
    return kinds


def blocks_of(topics: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """Some topics at a time, each with a table of `size` numbers."""
    per_block = max(1, BLOCK // max(size, 1))
    return (topics[start : start + per_block] for start in range(0, topics.size, per_block))
