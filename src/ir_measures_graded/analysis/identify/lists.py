"""A run as label matrices: the level of the document at each rank of each topic, in every order that is
tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...by_topic import changes, entries, offsets_of, places, tally
from ...inputs.content import Content, File
from ...inputs.tables import Table
from ...ranking.judged import Judged
from ...ranking.ranks import JudgedRanks, judged_ranks
from .definitions import (
    AS_READ,
    ASCENDING,
    BEHIND,
    BEST,
    BY_RANK,
    DESCENDING,
    DOCUMENTS,
    EVERY,
    HALF,
    IN_FILE,
    JUDGED_ONLY,
    MEAN,
    PRECISIONS,
    REVERSED,
    TIES,
    WORST,
)

SHARED = 32
"""Up to this many distinct levels, every topic has all of them, in the same columns."""


class Order(NamedTuple):
    """An order of a run: of its ties, of its scores, and which documents it has."""

    order: str
    precision: str
    documents: str


@dataclass(frozen=True)
class Labels:
    """A run in one order: the number of the level at each rank (T × D), -1 behind the end.

    `shares` (T × D) has the number of the tie group of each place if tied documents share their gains.
    """

    code: np.ndarray
    shares: np.ndarray | None = None

    def key(self) -> tuple[bytes, bytes]:
        """What distinguishes the labels from others."""
        return self.code.tobytes(), b"" if self.shares is None else self.shares.tobytes()

    def counts(self, level: int, weights: np.ndarray) -> np.ndarray:
        """The sum of the weights (D × W) of the ranks that hold a level, for each topic (T × W)."""
        holds = (self.code == level).astype(np.float64)
        if self.shares is not None:
            inside = self.code >= 0
            size = np.bincount(self.shares[inside])
            held = np.bincount(self.shares[inside], weights=holds[inside]) / np.maximum(size, 1)
            holds[inside] = held[self.shares[inside]]
        return np.asarray(holds @ weights)


class Documents:
    """The retrieved documents of some topics and the judged ones that are not retrieved, one row each.

    `topic`, `level` (NaN if unjudged), `score`, `id_order` (ascending ids), `rank` (of the file, if it has
    one) and `retrieved` describe a row. `levels` (T × L) has the levels of each topic, ascending and padded
    with NaN, and `judged` (T × L) the number of judged documents at each. `top` is the highest level of the
    qrels.
    """

    def __init__(self, judged: Judged, run: Table, ranks_in_file: np.ndarray | None = None):
        self.judged, self.ranks = judged, judged_ranks(judged, run)
        listed, count = self.ranks.listed, len(judged.topics)
        self.count, self.top = count, float(judged.all_levels.max(initial=0.0))
        level = np.full(listed.values.size, np.nan)
        level[self.ranks.row[self.ranks.place]] = judged.level[self.ranks.doc]
        missed = np.ones(judged.level.size, dtype=bool)
        missed[self.ranks.doc] = False
        ids = [*listed.docs.ids(), *judged.docs.take(np.flatnonzero(missed))]
        topic = np.repeat(np.arange(count), np.diff(listed.offsets))
        self.rows = self.ranks.row[self.ranks.place]
        self.topic = np.concatenate((topic, judged.topic[missed]))
        self.level = np.concatenate((level, judged.level[missed]))
        self.score = np.concatenate((listed.values, np.full(missed.sum(), -np.inf)))
        self.retrieved = np.arange(self.topic.size) < topic.size
        self.id_order = np.unique(np.array(ids, dtype=str), return_inverse=True)[1].reshape(-1)
        self.rank: np.ndarray | None = None
        if ranks_in_file is not None and listed.line is not None:
            self.rank = np.append(ranks_in_file[listed.line - 1], np.full(missed.sum(), np.inf))
        self._count_levels(judged)

    def _count_levels(self, judged: Judged) -> None:
        """Number the levels of each topic; also 0, the top level and half of it, which no document need
        have."""
        own = np.unique(judged.all_levels)
        own = own if own.size <= SHARED else np.empty(0)
        every = np.unique(np.concatenate((own, [0.0, self.top / 2, self.top])))
        of = np.repeat(np.arange(self.count), every.size)
        topic, level, _ = tally(
            np.concatenate((judged.topic, of)), np.concatenate((judged.level, np.tile(every, self.count)))
        )
        offsets = offsets_of(topic, self.count)
        column = places(np.diff(offsets))
        self.levels = np.full((self.count, int(column.max(initial=0)) + 1), np.nan)
        self.levels[topic, column] = level
        self._distinct = topic, level, offsets
        self.judged_levels = np.zeros(self.levels.shape)
        np.add.at(self.judged_levels, (judged.topic, self.number(judged.topic, judged.level)), 1)

    def number(self, topic: np.ndarray, level: np.ndarray) -> np.ndarray:
        """The number of each level among those of its topic."""
        topics, levels, offsets = self._distinct
        return entries(topic, level, topics, levels) - offsets[topic]

    @cached_property
    def has_topic(self) -> np.ndarray:
        """Whether the run has each topic (T)."""
        return np.bincount(self.topic[self.retrieved], minlength=self.count) > 0

    def orders(self) -> Iterator[Order]:
        """All orders that the data allow."""
        for documents in DOCUMENTS:
            yield from (Order(order, precision, documents) for order in TIES for precision in PRECISIONS)
            yield Order(AS_READ, "", documents)
            if self.rank is not None:
                yield Order(BY_RANK, "", documents)

    def rows_in(self, order: Order) -> np.ndarray:
        """The rows in an order, topic after topic."""
        kept = np.arange(self.topic.size)
        if order.documents == JUDGED_ONLY:
            kept = np.flatnonzero(self.retrieved & ~np.isnan(self.level))
        elif order.documents != BEHIND:
            kept = np.flatnonzero(self.retrieved)
        tie = self.id_order[kept]
        level = np.nan_to_num(self.level[kept])
        by: dict[str, tuple[np.ndarray, ...]] = {
            DESCENDING: (-tie,),
            MEAN: (-tie,),
            ASCENDING: (tie,),
            IN_FILE: (),
            REVERSED: (-kept,),
            WORST: (-tie, level),
            BEST: (-tie, -level),
            AS_READ: (),
        }
        if order.order == BY_RANK and self.rank is not None:
            keys: tuple[np.ndarray, ...] = (self.rank[kept],)
        elif order.order == AS_READ:
            keys = ()
        else:
            keys = (*by[order.order], -self._score(order)[kept])
        return kept[np.lexsort((*keys, self.topic[kept]))]

    def labels(self, order: Order) -> Labels:
        """The run in an order."""
        rows = self.rows_in(order)
        topic, level = self.topic[rows], self.level[rows]
        unjudged = self.top / 2 if order.documents == HALF else 0.0
        size = np.bincount(topic, minlength=self.count)
        place = topic, places(size)
        code = np.full((self.count, int(size.max(initial=1))), -1, dtype=np.int32)
        code[place] = self.number(topic, np.where(np.isnan(level), unjudged, level))
        if order.order != MEAN:
            return Labels(code)
        score = self._score(order)[rows]
        group = np.cumsum(changes(score) | changes(topic)) - 1
        if group.size == 0 or group[-1] == group.size - 1:
            return Labels(code)  # no document is tied
        shares = np.zeros(code.shape, dtype=np.int64)
        shares[place] = group
        return Labels(code, shares)

    def _score(self, order: Order) -> np.ndarray:
        with np.errstate(over="ignore"):
            return self.score.astype(PRECISIONS[order.precision])

    def judged_ranks(self, order: Order) -> JudgedRanks:
        """The run in an order without shared gains, for the formulas of the package."""
        rows = self.rows_in(order._replace(documents=EVERY))
        topic = self.topic[rows]
        place = np.empty(rows.size, dtype=np.int64)
        place[rows] = places(np.bincount(topic, minlength=self.count))
        rank = place[self.rows] + 1
        order_of_hits = np.lexsort((rank, self.ranks.topic))
        return replace(self.ranks, doc=self.ranks.doc[order_of_hits], rank=rank[order_of_hits])


def ranks_by_line(file: File) -> np.ndarray | None:
    """The rank column of a TREC file, by line; None for a file of another form."""
    ranks = []
    with Content(file) as content:
        for line in content.stream:
            fields = line.split()
            if fields and (len(fields) != 6 or not fields[3].isdigit()):
                return None
            ranks.append(int(fields[3]) if fields else 0)
    return np.array(ranks, dtype=np.float64)
