"""The ranks of the judged documents in a run, from which every measure is computed.

`judged_ranks` matches a run with the qrels (`Judged`) and reduces it to flat arrays, topic after topic in
the order of the qrels. The arrays hold the rank of each retrieved judged document, the first and last
rank of its tie group, and for each topic the number of retrieved documents and their scores. Unjudged
documents are only counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..by_topic import blocks, changes, largest, places, smallest
from ..inputs.id_matching import Ids, equal_pairs
from ..inputs.tables import Block, Table, refuse_repeated
from .judged import Judged
from .order import as_compared, descending, in_order, tied


@dataclass(frozen=True)
class JudgedRanks:
    """A run reduced to its judged documents.

    For each retrieved judged document (H), topic after topic in rank order:

    - `doc`: its number among the judged documents
    - `topic`: the number of its topic
    - `rank`: its rank, from 1
    - `first`, `last`: the first and last rank of its tie group
    - `place`: its index in `score`

    For each topic of the qrels (T):

    - `retrieved`: the number of retrieved documents
    - `lowest`, `highest`: the lowest and highest score in the run, 0 if the topic has no document

    `score` holds the scores of all retrieved documents in rank order, topic after topic
    (`retrieved.sum()`). `ties` are the places in `score` of all tied documents, and for each the first
    place of its tie group. `moved` are the places whose document is at another row of `listed`, and
    these rows.
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
        """The run with its unjudged documents, even if this run is condensed."""
        return self.uncondensed or self

    @cached_property
    def row(self) -> np.ndarray:
        """The row of `listed` at each place of `score`."""
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
        """The first place and the size of the tie group of each of the H documents."""
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
        """The first rank of the tie group of each retrieved document, in the order of `score`."""
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
        """The topic, document and score at a place of `score`, for error messages."""
        topic = int(np.searchsorted(np.cumsum(self.retrieved), place, side="right"))
        return self.judged.topics[topic], self.listed.docs[int(self.row[place])], float(self.score[place])

    @cached_property
    def condensed(self) -> JudgedRanks:
        """The same run without its unjudged documents: only judged documents take up ranks."""
        retrieved = np.bincount(self.topic, minlength=len(self.judged.topics))
        rank = places(retrieved) + 1
        ties = tied(changes(self._group[0]))
        return replace(self, rank=rank, retrieved=retrieved, ties=ties, uncondensed=self)


def judged_ranks(judged: Judged, run: Table) -> JudgedRanks:
    """Reduce a run to the ranks of its judged documents. Topics without judgments are ignored.

    Raises `GradedError` if a topic retrieves a document twice, judged or not.
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
    """The `doc`, `topic` and `rank` of the retrieved judged documents, and the `moved` places and `ties` of
    the list, all as in `JudgedRanks`."""
    row, doc = _judged_rows(listed, qrels)
    found = np.full(listed.values.size, -1)
    found[row] = doc

    starts, sizes = listed.offsets[:-1], np.diff(listed.offsets)
    score = as_compared(listed.values)
    new = np.zeros(score.size, dtype=bool)
    new[starts[sizes > 0]] = True
    row = in_table = np.arange(score.size)
    if ((score[1:] > score[:-1]) & ~new[1:]).any():  # most runs are sorted already
        row = descending(score, listed.offsets)
        score, found = score[row], found[row]
    new |= changes(score)
    ties = tied(new)
    if ties.size:
        place, order = in_order(listed, row, found, *ties)
        row = row.copy()
        row[place], found[place] = row[place][order], found[place][order]

    moved = np.flatnonzero(row != in_table)
    place = np.flatnonzero(found >= 0)
    topic = np.searchsorted(starts, place, side="right") - 1
    hits = np.stack((found[place], topic, place - starts[topic] + 1))
    return hits, np.stack((moved, row[moved])), ties


def _judged_rows(listed: Block, qrels: Block) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the run with a judged document, and the number of that document."""
    found = listed.look_up(qrels)
    if found is not None:
        return found
    lower, higher = equal_pairs(listed.column, qrels.column)
    count = listed.values.size
    repeated = higher[higher < count]
    if repeated.size:
        raise listed.repeated(int(repeated.min()))
    return lower, higher - count
