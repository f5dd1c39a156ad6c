"""The ranks of the judged documents in a run, from which every measure is computed.

A run is flat arrays, topic after topic in the order of the qrels. They hold the rank of each
retrieved judged document, the first and last rank of its tie group, and for each topic the number
of retrieved documents. Of unjudged documents there are only the scores, and the positions of those
that are tied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..by_topic import blocks, bounds_of, changes, largest, positions, smallest
from .judged import Judged
from .order import as_compared, decisive, descending, tied

if TYPE_CHECKING:
    from ..rows.id_matching import Ids, Indices
    from ..rows.rows import Rows

Sort = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The order by descending id of the documents in some rows, from the rows and the tie group of
each."""
Matched = Callable[[int, int], tuple[np.ndarray, Sort | None]]


def _array(compute: Callable[[JudgedRanks], np.ndarray]) -> cached_property[np.ndarray]:
    """An array of a run that is computed once."""
    return cached_property(compute)


def _no_positions() -> np.ndarray:
    return np.empty((2, 0), dtype=np.int64)


class BlockPlace:
    """A block of topics of a run, and its place in the qrels and in the run.

    `rows` are those of the run, topic after topic in the order of the qrels. `numbers` are those of
    the topics in the whole qrels. `order` (T) is the place of each topic in the run, −1 for a topic
    that the run lacks. `own` (T) tells whether a document has the id of its topic.
    """

    def __init__(self, rows: Rows, numbers: Indices, order: np.ndarray, own: np.ndarray):
        self.rows = rows
        self.numbers = numbers
        self.order = order
        self.own = own


@dataclass(eq=False, repr=False)
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
    (`retrieved.sum()`), and `score` in rank order. `ties` are the positions in `score` of all tied
    documents, and for each the first position of its tie group. `moved` are positions whose
    document is at another row of the run, and these rows. `has_ids` is false if tied documents are
    in the order of the run, because they have no ids.

    A run that is reduced in blocks of topics has for each the `block`; judgments of intents and
    copies of documents have none. Measures share what is `computed` from a run.
    """

    judged: Judged
    doc: np.ndarray
    topic: np.ndarray
    rank: np.ndarray
    retrieved: np.ndarray
    scores: np.ndarray
    moved: np.ndarray = field(default_factory=_no_positions)
    ties: np.ndarray = field(default_factory=_no_positions)
    uncondensed: JudgedRanks | None = None
    has_ids: bool = True
    block: BlockPlace | None = None
    computed: dict[Any, Any] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, judged: Judged, place: BlockPlace, matched: Matched) -> JudgedRanks:
        """The ranks of the rows of a block.

        `matched(a, b)` has the number of each document of the topics a … b − 1 among the judged
        documents, −1 if it is unjudged, and sorts tied documents; without ids, they stay in the
        order given.
        """
        scores = place.rows.values
        offsets = place.rows.offsets
        hits = [np.empty((3, 0), dtype=np.int64)]
        moved = [_no_positions()]
        ties = [_no_positions()]
        has_ids = True
        # Each block takes a hundred calls of NumPy, so many judged documents make no more blocks.
        sizes = np.maximum(np.diff(offsets), np.diff(judged.offsets))
        for a, b in blocks(sizes):
            doc, sort = matched(a, b)
            has_ids = sort is not None
            start, stop = offsets[a], offsets[b]
            block = _ranked(scores[start:stop], offsets[a : b + 1] - start, doc, sort)
            block_hits, block_moved, block_ties = block
            block_hits[1] += a  # the number of the block's first topic
            hits.append(block_hits)
            moved.append(block_moved + start)
            ties.append(block_ties + start)
        doc, topic, rank = np.concatenate(hits, axis=1)
        return cls(
            judged,
            doc,
            topic,
            rank,
            retrieved=np.diff(offsets),
            scores=scores,
            moved=np.concatenate(moved, axis=1),
            ties=np.concatenate(ties, axis=1),
            has_ids=has_ids,
            block=place,
        )

    def release(self) -> None:
        """Forget the results that measures share, because they refer to these ranks in turn, and
        the arrays that can be computed again.

        The memory of a run is then free at once, and not after the next garbage collection.
        Fresh memory for each run would take 5 % to 10 % of the time.
        """
        self.computed.clear()
        for name in COMPUTED_ARRAYS:
            self.__dict__.pop(name, None)

    @property
    def place(self) -> BlockPlace:
        """The `block`. Raises `ValueError` if there is none."""
        if self.block is None:
            raise ValueError("these ranks are not those of a block of a run")
        return self.block

    @property
    def listed(self) -> Rows:
        """The rows of the run in the order of `scores`."""
        return self.place.rows

    def documents(self, position: np.ndarray) -> Ids:
        """The documents at some positions of the list, judged or not; tied ones by descending
        id.
        """
        ids = self.listed.docs.ids()
        tied, starts = self.ties
        group = np.cumsum(changes(starts)) - 1
        is_asked_for = np.zeros(self.scores.size, dtype=bool)
        is_asked_for[position] = True
        must_be_ordered = np.zeros(group.size, dtype=bool)
        must_be_ordered[group[is_asked_for[tied]]] = True
        entry = np.flatnonzero(must_be_ordered[group])
        row = self.row.copy()
        tied_row = row[tied[entry]]
        row[tied[entry]] = tied_row[ids.take(tied_row).descending(group[entry])]
        return ids.take(row[position])

    @property
    def whole(self) -> JudgedRanks:
        """The run with its unjudged documents, even if this run is condensed."""
        return self.uncondensed or self

    @_array
    def row(self) -> np.ndarray:
        """The row of the run at each position of `score`."""
        if self.uncondensed is not None:
            return self.uncondensed.row[self.uncondensed.position]
        row = np.arange(self.scores.size)
        row[self.moved[0]] = self.moved[1]
        return row

    score = _array(lambda ranks: ranks.scores[ranks.row])
    lowest = _array(lambda ranks: smallest(ranks.scores, bounds_of(ranks.whole.retrieved)))
    highest = _array(lambda ranks: largest(ranks.scores, bounds_of(ranks.whole.retrieved)))
    position = _array(lambda ranks: bounds_of(ranks.retrieved)[ranks.topic] + ranks.rank - 1)
    first = _array(lambda ranks: ranks.rank - (ranks.position - ranks.group[0]))
    last = _array(lambda ranks: ranks.first + ranks.group[1] - 1)

    @cached_property
    def group(self) -> tuple[np.ndarray, np.ndarray]:
        """The first position and the size of the tie group of each of the H documents."""
        tied, starts = self.ties
        group_sizes = np.diff(np.append(np.flatnonzero(changes(starts)), starts.size))
        size_of_group = np.repeat(group_sizes, group_sizes)
        entry = np.searchsorted(tied, self.position)
        in_group = np.flatnonzero(np.append(tied, -1)[entry] == self.position)
        entry = entry[in_group]
        start = self.position.copy()
        start[in_group] = starts[entry]
        size = np.ones_like(self.position)
        size[in_group] = size_of_group[entry]
        return start, size

    @_array
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
        ties = tied(changes(self.group[0]))
        return replace(
            self, rank=positions(retrieved) + 1, retrieved=retrieved, ties=ties, uncondensed=self
        )


COMPUTED_ARRAYS = tuple(
    name for name, value in vars(JudgedRanks).items() if isinstance(value, cached_property)
)
"""The properties of `JudgedRanks` that are computed once."""


def _ranked(
    scores: np.ndarray, offsets: np.ndarray, doc: np.ndarray, sort: Sort | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The `doc`, `topic` and `rank` of the retrieved judged documents, and the `moved` positions
    and `ties` of the list, all as in `JudgedRanks`; `doc` and `sort` as from `matched`.
    """
    starts = offsets[:-1]
    score = as_compared(scores)
    is_new = np.zeros(score.size, dtype=bool)
    is_new[starts[np.diff(offsets) > 0]] = True
    rises = score[1:] > score[:-1]
    # `row_at` is the row at each position, None if all rows are at their own: most runs are sorted
    # already. The scores decide the positions first, then the ids of tied documents.
    row_at = None
    if (rises & ~is_new[1:]).any():
        row_at = descending(score, offsets)
        score = score.take(row_at)
        doc = doc.take(row_at)
    is_new |= changes(score)
    ties = tied(is_new)
    moved = _no_positions()
    if ties.size and sort is not None:
        tied_position, start = ties
        tied_row = tied_position if row_at is None else row_at[tied_position]
        is_judged = doc[tied_position] >= 0
        position, group = decisive(scores[tied_row], is_judged, tied_position, start)
        row_before = position if row_at is None else row_at[position]
        order = sort(row_before, group)  # one sort of the ids orders all groups
        row_by_id = row_before[order]
        doc[position] = doc[position[order]]
        if row_at is None:
            is_moved = row_by_id != position
            moved = np.stack((position[is_moved], row_by_id[is_moved]))
        else:
            row_at[position] = row_by_id
    if row_at is not None:
        position = np.flatnonzero(row_at != np.arange(row_at.size))
        moved = np.stack((position, row_at[position]))

    position = np.flatnonzero(doc >= 0)
    hits_of_topic = np.diff(np.searchsorted(position, offsets))
    hits = np.empty((3, position.size), np.int64)
    hits[0] = doc.take(position)
    hits[1] = np.repeat(np.arange(starts.size), hits_of_topic)
    np.subtract(position, np.repeat(starts - 1, hits_of_topic), out=hits[2])
    return hits, moved, ties
