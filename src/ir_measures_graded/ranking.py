"""Where a run put the judged documents: the one thing that every measure works on.

`Judged` holds the qrels, read once. `judged_ranks` meets a run with them and reduces it to flat
arrays, topic after topic in the order of the qrels: for each judged document that the run retrieved
its rank and the first and last rank of its tie group, for each topic how many documents were
retrieved and with which scores. Unjudged documents are only counted.

The order is trec_eval's: score descending, compared as 32-bit floats, then document id descending.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .errors import GradedError
from .forms import Block, Table, refuse_repeated
from .gains import GainMap, gain_of
from .ids import Ids, all_distinct, equal_pairs
from .segments import blocks, changes, cumsum, entries, largest, offsets_of, places, smallest, tally


class Judged:
    """Qrels: every judged document of every topic and its level.

    `topics` are T topic ids, `code` their numbers; topic t has the documents
    `offsets[t]:offsets[t + 1]` of `docs`, `topic`, `level` (J each).

    A document judged twice at one level counts once. Raises `GradedError` where the levels differ.
    """

    def __init__(self, qrels: Table):
        if not qrels.distinct:
            qrels = _without_repeated(qrels)
        self.topics = list(qrels.topics)
        self.code = {topic: number for number, topic in enumerate(self.topics)}
        self.offsets, self.docs, self.level = qrels.offsets, qrels.docs.ids(), qrels.values
        self._known: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def topic(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    @property
    def table(self) -> Table:
        return Table("qrels", self.topics, self.offsets, self.docs, self.level, distinct=True)

    def part(self, topics: np.ndarray) -> Judged:
        """The qrels of some topics, given by their numbers."""
        return Judged(self.table.part(topics))

    def gain(self, gains: GainMap, doc: np.ndarray | None = None) -> np.ndarray:
        """The gain of some judged documents, or of each (J)."""
        if doc is not None:
            return gain_of(self.level[doc], gains)
        return self._once("gain", gains, None, lambda: gain_of(self.level, gains))

    def ideal(self, gains: GainMap, cutoff: int | None = None) -> Ideal:
        """The ideal list: the positive gains of all judged documents, descending, in each topic."""
        of, topics = self.levels, len(self.topics)
        return self._once(
            "ideal", gains, cutoff, lambda: Ideal.of(of.topic, of.gain(gains), of.count, topics, cutoff)
        )

    def relevant(self, gains: GainMap) -> np.ndarray:
        """How many documents of each topic have a positive gain (T)."""
        of = self.levels
        count = np.where(of.gain(gains) > 0, of.count, 0)
        return np.bincount(of.topic, weights=count, minlength=len(self.topics)).astype(np.int64)

    def best(self, gains: GainMap) -> np.ndarray:
        """The highest positive gain of each topic (T), 0 where there is none."""
        of = self.levels
        return np.maximum(largest(of.gain(gains), offsets_of(of.topic, len(self.topics))), 0)

    def _once(self, what: str, gains: GainMap, cutoff: int | None, compute: Callable[[], Any]) -> Any:
        key = what, tuple(gains.items()), cutoff
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    @cached_property
    def levels(self) -> LevelCounts:
        sizes = np.diff(self.offsets)
        parts = [np.empty((3, 0))]
        for a, b in blocks(sizes):
            topic = np.repeat(np.arange(b - a), sizes[a:b])
            topic, level, count = tally(topic, self.level[self.offsets[a] : self.offsets[b]])
            parts.append(np.stack((topic + a, level, count)))
        topic, level, count = np.concatenate(parts, axis=1)
        return LevelCounts(topic.astype(np.int64), level, count.astype(np.int64))


@dataclass(frozen=True)
class LevelCounts:
    """How many documents are judged at each level that a topic has: `topic`, `level` and `count`, one entry
    a level, topic after topic, levels ascending."""

    topic: np.ndarray
    level: np.ndarray
    count: np.ndarray

    def gain(self, gains: GainMap) -> np.ndarray:
        return gain_of(self.level, gains)

    def entry(self, topic: np.ndarray, level: np.ndarray) -> np.ndarray:
        """Which entry each `level` of each `topic` is."""
        return entries(topic, level, self.topic, self.level)


def _without_repeated(qrels: Table) -> Table:
    """The qrels with each document of a topic once."""
    if all(all_distinct(qrels.block(a, b).column) for a, b in blocks(np.diff(qrels.offsets))):
        return qrels
    docs = qrels.docs.ids()
    first, second = equal_pairs((docs, qrels.offsets), (Ids.of([]), np.zeros_like(qrels.offsets)))
    differ = np.flatnonzero(qrels.values[first] != qrels.values[second])
    if differ.size:
        pair = differ[np.argmin(first[differ])]
        levels = qrels.values[first[pair]], qrels.values[second[pair]]
        raise GradedError(
            f"{qrels.place(int(first[pair]))}: judged twice, at level {levels[0]:g} and at level "
            f"{levels[1]:g}; keep one judgment a document"
        )
    kept = np.ones(qrels.values.size, dtype=bool)
    kept[second] = False
    offsets = np.concatenate(([0], np.cumsum(kept)))[qrels.offsets]
    return replace(qrels, offsets=offsets, docs=docs.take(np.flatnonzero(kept)), values=qrels.values[kept])


@dataclass(frozen=True)
class Ideal:
    """The ideal list of every topic: `topic`, `rank` and `gain` of each relevant document, topic
    after topic, gains descending."""

    topic: np.ndarray
    rank: np.ndarray
    gain: np.ndarray

    @classmethod
    def of(
        cls, topic: np.ndarray, gain: np.ndarray, count: np.ndarray, topics: int, cutoff: int | None
    ) -> Ideal:
        """From gains, each of which `count` documents of a topic have, up to the cutoff."""
        order = np.lexsort((-gain, topic))
        order = order[gain[order] > 0]
        topic, gain, count = topic[order], gain[order], count[order]
        if cutoff is not None:
            better = cumsum(count, offsets_of(topic, topics)) - count
            count = np.clip(cutoff - better, 0, count)
        size = np.bincount(topic, weights=count, minlength=topics).astype(np.int64)
        return cls(np.repeat(topic, count), places(size) + 1, np.repeat(gain, count))


@dataclass(frozen=True)
class JudgedRanks:
    """A run, reduced to its judged documents.

    For each judged document that the run retrieved (H), topic after topic in rank order:
    `doc`, its number among the judged documents; `topic`; `rank` from 1; `first` and `last` rank of
    its tie group. For each topic (T) of the qrels: `retrieved`, how many documents its list has,
    and `lowest` and `highest` score of all that the run retrieved for it (0 where none).
    `score`: the scores of the list in rank order, topic after topic (`retrieved.sum()`); `place`, where
    among them each of the H documents stands. `ties`: the places of all that are tied with another, and
    for each the place where its tie group starts.
    """

    judged: Judged
    doc: np.ndarray
    topic: np.ndarray
    rank: np.ndarray
    retrieved: np.ndarray
    listed: Table
    moved: np.ndarray
    ties: np.ndarray
    uncondensed: JudgedRanks | None = None

    @property
    def whole(self) -> JudgedRanks:
        """The run with its unjudged documents, whether they were left out here or not."""
        return self.uncondensed or self

    @cached_property
    def row(self) -> np.ndarray:
        """The row of `listed` that stands at each place of the list."""
        if self.uncondensed is not None:
            return self.uncondensed.row[self.uncondensed.place]
        row = np.arange(self.listed.values.size)
        row[self.moved[0]] = self.moved[1]
        return row

    @cached_property
    def score(self) -> np.ndarray:
        return self.listed.values[self.row]

    @cached_property
    def lowest(self) -> np.ndarray:
        return smallest(self.listed.values, self.listed.offsets)

    @cached_property
    def highest(self) -> np.ndarray:
        return largest(self.listed.values, self.listed.offsets)

    @cached_property
    def place(self) -> np.ndarray:
        return (np.cumsum(self.retrieved) - self.retrieved)[self.topic] + self.rank - 1

    @property
    def first(self) -> np.ndarray:
        return self.rank - (self.place - self._group[0])

    @property
    def last(self) -> np.ndarray:
        return self.first + self._group[1] - 1

    @cached_property
    def _group(self) -> tuple[np.ndarray, np.ndarray]:
        """The place where the tie group of each of the H documents starts, and its size."""
        tied, starts = self.ties
        start, size = self.place.copy(), np.ones_like(self.place)
        entry = np.searchsorted(tied, self.place)
        found = np.flatnonzero(np.append(tied, -1)[entry] == self.place)
        start[found] = starts[entry[found]]
        end = np.searchsorted(starts, start[found], side="right")
        size[found] = end - np.searchsorted(starts, start[found])
        return start, size

    @cached_property
    def first_of_tie(self) -> np.ndarray:
        """The first rank of each listed document's tie group, places as in `score`."""
        tied, starts = self.ties
        rank = places(self.retrieved) + 1
        rank[tied] = rank[starts]
        return rank

    def scored(self, place: int) -> tuple[str, str, float]:
        """The topic, document and score at a place of `score`, for messages."""
        topic = int(np.searchsorted(np.cumsum(self.retrieved), place, side="right"))
        return self.judged.topics[topic], self.listed.docs[int(self.row[place])], float(self.score[place])

    @cached_property
    def condensed(self) -> JudgedRanks:
        """The same run without its unjudged documents: ranks are counted among the judged."""
        retrieved = np.bincount(self.topic, minlength=len(self.judged.topics))
        rank = places(retrieved) + 1
        ties = _tied(changes(self._group[0]))
        return replace(self, rank=rank, retrieved=retrieved, ties=ties, uncondensed=self)


def judged_ranks(judged: Judged, run: Table) -> JudgedRanks:
    """Reduce a run to the ranks of its judged documents. Topics that the qrels lack are left out.

    Raises `GradedError` for a document that a topic retrieves twice, judged or not.
    """
    unjudged = [number for number, topic in enumerate(run.topics) if topic not in judged.code]
    if unjudged:
        refuse_repeated(run.part(np.array(unjudged)))
    listed, qrels = run.of_topics(judged.code), judged.table
    retrieved = np.diff(listed.offsets)
    hits, moved, ties = ([np.empty((rows, 0), dtype=np.int64)] for rows in (3, 2, 2))
    for a, b in blocks(retrieved + np.diff(qrels.offsets)):
        of_block, moved_in_block, ties_in_block = _hits(listed.block(a, b), qrels.block(a, b))
        of_block[:2] += [[qrels.offsets[a]], [a]]
        hits.append(of_block)
        moved.append(moved_in_block + listed.offsets[a])
        ties.append(ties_in_block + listed.offsets[a])
    doc, topic, rank = np.concatenate(hits, axis=1)
    return JudgedRanks(
        judged,
        doc,
        topic,
        rank,
        retrieved,
        listed,
        np.concatenate(moved, axis=1),
        np.concatenate(ties, axis=1),
    )


def _hits(listed: Block, qrels: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the run retrieved of the judged documents: `doc`, `topic` and `rank` of `JudgedRanks`; the places
    of its list where another row stands than in the table, with that row; and its `ties`."""
    row, doc = _judged_rows(listed, qrels)
    found = np.full(listed.values.size, -1)
    found[row] = doc

    starts, sizes = listed.offsets[:-1], np.diff(listed.offsets)
    score = _as_compared(listed.values)
    new = np.zeros(score.size, dtype=bool)
    new[starts[sizes > 0]] = True
    topic = np.repeat(np.arange(sizes.size), sizes)
    row = in_table = np.arange(score.size)
    if ((score[1:] > score[:-1]) & ~new[1:]).any():  # most runs come in order
        row = np.argsort(_sort_key(topic, score), kind="stable")
        score, found = score[row], found[row]
    new |= changes(score)
    ties = _tied(new)
    if ties.size:
        place, order = _in_order(listed, row, found, *ties)
        row = row.copy()
        row[place], found[place] = row[place][order], found[place][order]

    moved = np.flatnonzero(row != in_table)
    place = np.flatnonzero(found >= 0)
    topic = topic[place]
    hits = np.stack((found[place], topic, place - starts[topic] + 1))
    return hits, np.stack((moved, row[moved])), ties


def _tied(new: np.ndarray) -> np.ndarray:
    """The places of all documents that are tied with another, and for each the place where its group
    starts; `new` is true where a place has another score than the one before."""
    second = np.flatnonzero(~new)  # not the first of its group
    opens = np.flatnonzero(np.diff(second, prepend=-2) != 1)
    start, size = second[opens] - 1, np.diff(np.append(opens, second.size)) + 1
    start = np.repeat(start, size)
    return np.stack((start + places(size), start))


def _in_order(
    listed: Block, row: np.ndarray, found: np.ndarray, place: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Tied places whose documents have to be put in order, ids descending, and that order.

    Only in groups that hold a judged document, or scores that are equal as 32-bit floats only: the
    order of the others is nobody's business. All groups are ordered with one sort of their ids.
    """
    matters = found[place] >= 0
    score = listed.values[row[place]]
    matters[1:] |= (start[1:] == start[:-1]) & (score[1:] != score[:-1])
    group = np.cumsum(changes(start)) - 1
    kept = np.flatnonzero((np.bincount(group, weights=matters) > 0)[group])
    place, group = place[kept], group[kept]
    return place, listed.docs.take(row[place]).descending(group)


def _judged_rows(listed: Block, qrels: Block) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the run that are judged, and the number of the judged document in each."""
    lower, higher = equal_pairs(listed.column, qrels.column)
    count = listed.values.size
    repeated = higher[higher < count]
    if repeated.size:
        raise listed.repeated(int(repeated.min()))
    return lower, higher - count


def _as_compared(score: np.ndarray) -> np.ndarray:
    """Scores as trec_eval compares them: 32-bit floats, infinite beyond these, -0 equal to 0."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32) + np.float32(0)


def _sort_key(topic: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Integers that ascend by topic, then by descending score: topic in the high 32 bits, in the low
    ones the bits of the float, which order like a number once those of negative floats are flipped."""
    bits = score.view(np.uint32)
    ascending = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    return topic.astype(np.uint64) << np.uint64(32) | ~ascending
