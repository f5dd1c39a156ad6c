"""The ranks of the judged documents in a run, from which every measure is computed.

A run is flat arrays, topic after topic in the order of the qrels. They hold the rank of each retrieved judged
document, the first and last rank of its tie group, and for each topic the number of retrieved documents and
their scores. Unjudged documents are only counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..by_topic import bounds_of, changes, largest, positions, smallest
from .judged import Judged
from .order import tied


@dataclass(frozen=True)
class JudgedRanks:
    """A run reduced to its judged documents.

    For each retrieved judged document (H), topic after topic in rank order:

    - `doc`: its number among the judged documents
    - `topic`: the number of its topic
    - `rank`: its rank, from 1
    - `first`, `last`: the first and last rank of its tie group
    - `position`: its index in `score`

    For each topic of the qrels (T):

    - `retrieved`: the number of retrieved documents
    - `lowest`, `highest`: the lowest and highest score in the run, 0 if the topic has no document

    `scores` holds the scores of all retrieved documents in the order of the run, topic after topic
    (`retrieved.sum()`), and `score` in rank order. `ties` are the positions in `score` of all tied documents,
    and for each the first position of its tie group. `moved` are positions whose document is at another row
    of the run, and these rows.
    """

    judged: Judged
    doc: np.ndarray
    topic: np.ndarray
    rank: np.ndarray
    retrieved: np.ndarray
    scores: np.ndarray
    moved: np.ndarray
    ties: np.ndarray
    uncondensed: JudgedRanks | None = None

    @property
    def whole(self) -> JudgedRanks:
        """The run with its unjudged documents, even if this run is condensed."""
        return self.uncondensed or self

    @cached_property
    def row(self) -> np.ndarray:
        """The row of the run at each position of `score`."""
        if self.uncondensed is not None:
            return self.uncondensed.row[self.uncondensed.position]
        row = np.arange(self.scores.size)
        row[self.moved[0]] = self.moved[1]
        return row

    @cached_property
    def score(self) -> np.ndarray:
        return self.scores[self.row]

    @cached_property
    def lowest(self) -> np.ndarray:
        return smallest(self.scores, bounds_of(self.whole.retrieved))

    @cached_property
    def highest(self) -> np.ndarray:
        return largest(self.scores, bounds_of(self.whole.retrieved))

    @cached_property
    def position(self) -> np.ndarray:
        return (np.cumsum(self.retrieved) - self.retrieved)[self.topic] + self.rank - 1

    @property
    def first(self) -> np.ndarray:
        return self.rank - (self.position - self._group[0])

    @property
    def last(self) -> np.ndarray:
        return self.first + self._group[1] - 1

    @cached_property
    def _group(self) -> tuple[np.ndarray, np.ndarray]:
        """The first position and the size of the tie group of each of the H documents."""
        tied, starts = self.ties
        start, size = self.position.copy(), np.ones_like(self.position)
        entry = np.searchsorted(tied, self.position)
        found = np.flatnonzero(np.append(tied, -1)[entry] == self.position)
        start[found] = starts[entry[found]]
        end = np.searchsorted(starts, start[found], side="right")
        size[found] = end - np.searchsorted(starts, start[found])
        return start, size

    @cached_property
    def first_of_tie(self) -> np.ndarray:
        """The first rank of the tie group of each retrieved document, in the order of `score`."""
        tied, starts = self.ties
        rank = positions(self.retrieved) + 1
        rank[tied] = rank[starts]
        return rank

    @cached_property
    def condensed(self) -> JudgedRanks:
        """The same run without its unjudged documents: only judged documents take up ranks."""
        retrieved = np.bincount(self.topic, minlength=len(self.judged.topics))
        rank = positions(retrieved) + 1
        ties = tied(changes(self._group[0]))
        return replace(self, rank=rank, retrieved=retrieved, ties=ties, uncondensed=self)
