"""Where a run put the judged documents: the one thing that every measure works on.

`judged_ranks` meets the qrels (`Judged`) with a run and reduces the run to flat arrays, topic after topic
in the order of the qrels. For each judged document that the run retrieved they hold its rank and the
first and last rank of its tie group, for each topic the number of retrieved documents and their scores.
Unjudged documents are only counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..by_topic import blocks, changes, largest, places, smallest
from ..inputs.id_matching import Ids, equal_pairs
from ..inputs.tables import Block, Table, refuse_repeated
from .judged import Judged
from .order import as_compared, in_order, sort_key, tied


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

    def documents(self, place: np.ndarray) -> Ids:
        """The documents at some places of `score`, judged or not."""
        row, (tied, starts) = self.row.copy(), self.ties
        docs = self.listed.docs.ids()
        row[tied] = row[tied][docs.take(row[tied]).descending(np.cumsum(changes(starts)))]
        return docs.take(row[place])

    def scored(self, place: int) -> tuple[str, str, float]:
        """The topic, document and score at a place of `score`, for messages."""
        topic = int(np.searchsorted(np.cumsum(self.retrieved), place, side="right"))
        return self.judged.topics[topic], self.listed.docs[int(self.row[place])], float(self.score[place])

    @cached_property
    def condensed(self) -> JudgedRanks:
        """The same run without its unjudged documents: ranks are counted among the judged."""
        retrieved = np.bincount(self.topic, minlength=len(self.judged.topics))
        rank = places(retrieved) + 1
        ties = tied(changes(self._group[0]))
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
    score = as_compared(listed.values)
    new = np.zeros(score.size, dtype=bool)
    new[starts[sizes > 0]] = True
    topic = np.repeat(np.arange(sizes.size), sizes)
    row = in_table = np.arange(score.size)
    if ((score[1:] > score[:-1]) & ~new[1:]).any():  # most runs come in order
        row = np.argsort(sort_key(topic, score), kind="stable")
        score, found = score[row], found[row]
    new |= changes(score)
    ties = tied(new)
    if ties.size:
        place, order = in_order(listed, row, found, *ties)
        row = row.copy()
        row[place], found[place] = row[place][order], found[place][order]

    moved = np.flatnonzero(row != in_table)
    place = np.flatnonzero(found >= 0)
    topic = topic[place]
    hits = np.stack((found[place], topic, place - starts[topic] + 1))
    return hits, np.stack((moved, row[moved])), ties


def _judged_rows(listed: Block, qrels: Block) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the run that are judged, and the number of the judged document in each."""
    lower, higher = equal_pairs(listed.column, qrels.column)
    count = listed.values.size
    repeated = higher[higher < count]
    if repeated.size:
        raise listed.repeated(int(repeated.min()))
    return lower, higher - count
