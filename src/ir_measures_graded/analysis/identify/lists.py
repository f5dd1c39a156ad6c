"""A run as label matrices: the level at each rank of each topic, in every order that is tried."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from ...by_topic import changes, entries, offsets_of, places, tally
from ...evaluation.reduction import JudgedDocuments
from ...inputs.content import Content, File
from ...inputs.tables import Table
from ...ranking.order import tied
from ...ranking.ranks import JudgedRanks
from . import definitions as by

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

    def key(self) -> tuple[bytes, ...]:
        """What distinguishes the labels from others."""
        return self.code.tobytes(), b"" if self.shares is None else self.shares.tobytes()

    def counts(self, levels: int, weights: np.ndarray) -> np.ndarray:
        """The sum of the weights (D × W) of the ranks that hold each of the levels (T × L × W)."""
        return np.stack([self._holds(level) @ weights for level in range(levels)], axis=1)

    def _holds(self, level: int) -> np.ndarray:
        holds = (self.code == level).astype(np.float64)
        if self.shares is not None:
            group = self.shares[self.code >= 0]
            mean = np.bincount(group, holds[self.code >= 0]) / np.maximum(np.bincount(group), 1)
            holds[self.code >= 0] = mean[group]
        return holds


class Documents:
    """The retrieved documents of some topics and the judged ones that are not retrieved, one row each.

    `topic`, `level` (NaN if unjudged), `score`, `id_order` (ascending ids, of tied documents), `rank` (of the
    file, if it has one) and `retrieved` describe a row. `levels` (T × L) has the levels of each topic,
    ascending and padded with NaN; `judged_levels` (T × L) counts the judged documents at each. `top` is the
    qrels' top level.
    """

    def __init__(self, qrels: JudgedDocuments, run: Table, ranks_in_file: np.ndarray | None = None):
        judged, block = qrels.judged, qrels.reduced(run)
        self.judged, self.ranks, self.count = judged, block.ranks, len(judged.topics)
        listed, size = block.listed, block.listed.values.size
        self.hits = self.ranks.row[self.ranks.place]
        level = np.full(size, np.nan)
        level[self.hits] = judged.level[self.ranks.doc]
        missed = np.ones(judged.level.size, dtype=bool)
        missed[self.ranks.doc] = False
        topic = np.repeat(np.arange(self.count), np.diff(listed.offsets))
        self.topic = np.concatenate((topic, judged.topic[missed]))
        self.level = np.concatenate((level, judged.level[missed]))
        self.score = np.concatenate((listed.values, np.full(missed.sum(), -np.inf)))
        self.retrieved = np.arange(self.topic.size) < size
        self.rank: np.ndarray | None = None
        if ranks_in_file is not None and listed.line is not None:
            self.rank = np.append(ranks_in_file[listed.line - 1], np.full(missed.sum(), np.inf))
        self._sorted: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._number_levels()
        place, _ = self._in_order("32-bit")[1]  # more documents are tied than in 64 bits
        rows = np.sort(self._in_order("32-bit")[0][place])
        ids = [*listed.docs.take(rows[rows < size]).ids()]
        ids += qrels.qrels.docs.take(np.flatnonzero(missed)[rows[rows >= size] - size]).ids()
        self.id_order = np.zeros(self.topic.size, dtype=np.int64)
        if ids:
            self.id_order[rows] = np.unique(np.array(ids, dtype=str), return_inverse=True)[1].reshape(-1)

    def _number_levels(self) -> None:
        """Number the levels of each topic; also 0, the top level and half of it, which no document may
        have."""
        judged, own = self.judged, np.unique(self.judged.all_levels)
        self.top = float(own.max(initial=0.0))
        every = np.unique(np.append(own if own.size <= SHARED else [], [0.0, self.top / 2, self.top]))
        topic, level, _ = tally(
            np.append(judged.topic, np.repeat(np.arange(self.count), every.size)),
            np.append(judged.level, np.tile(every, self.count)),
        )
        self._levels = topic, level, offsets_of(topic, self.count)
        column = places(np.diff(self._levels[2]))
        self.levels = np.full((self.count, int(column.max(initial=0)) + 1), np.nan)
        self.levels[topic, column] = level
        self.judged_levels = np.zeros(self.levels.shape)
        np.add.at(self.judged_levels, (judged.topic, self.number(judged.topic, judged.level)), 1)

    def number(self, topic: np.ndarray, level: np.ndarray) -> np.ndarray:
        """The number of each level among those of its topic."""
        return entries(topic, level, *self._levels[:2]) - self._levels[2][topic]

    def orders(self) -> Iterator[Order]:
        """All orders that the data allow."""
        for documents in by.DOCUMENTS:
            yield from (Order(*pair, documents) for pair in product(by.TIES, by.PRECISIONS))
            yield Order(by.AS_READ, "", documents)
            if self.rank is not None:
                yield Order(by.BY_RANK, "", documents)

    def _in_order(self, precision: str) -> tuple[np.ndarray, np.ndarray]:
        """The rows by descending score, tied ones as read, and what `tied` says of them; sorted once."""
        if precision not in self._sorted:
            keys = {"": [], by.BY_RANK: [self.rank]}.get(precision, [-self._score(precision)])
            rows = np.lexsort((*keys, self.topic))
            score = self._score(precision)[rows]
            self._sorted[precision] = rows, tied(changes(self.topic[rows]) | changes(score))
        return self._sorted[precision]

    def rows(self, order: Order) -> np.ndarray:
        """The rows in an order, topic after topic."""
        rows, (place, group) = self._in_order(order.precision or order.order * (order.order == by.BY_RANK))
        if order.precision and order.order != by.IN_FILE:
            rows, among = rows.copy(), rows[place]
            tie, level = self.id_order[among], np.nan_to_num(self.level[among])
            keys = {
                by.ASCENDING: [tie],
                by.REVERSED: [-among],
                by.WORST: [-tie, level],
                by.BEST: [-tie, -level],
            }.get(order.order, [-tie])
            rows[place] = among[np.lexsort((*keys, group))]
        if order.documents == by.BEHIND:
            return rows
        kept = self.retrieved & ~(np.isnan(self.level) & (order.documents == by.JUDGED_ONLY))
        return rows[kept[rows]]

    def labels(self, order: Order) -> Labels:
        """The run in an order."""
        rows = self.rows(order)
        topic, level = self.topic[rows], self.level[rows]
        unjudged = self.top / 2 if order.documents == by.HALF else 0.0
        size = np.bincount(topic, minlength=self.count)
        place = topic, places(size)
        code = np.full((self.count, int(size.max(initial=1))), -1, dtype=np.int32)
        code[place] = self.number(topic, np.where(np.isnan(level), unjudged, level))
        new = changes(topic) | changes(self._score(order.precision)[rows])
        if order.order != by.MEAN or new.all():
            return Labels(code)
        shares = np.zeros(code.shape, dtype=np.int64)
        shares[place] = np.cumsum(new) - 1
        return Labels(code, shares)

    def _score(self, precision: str) -> np.ndarray:
        with np.errstate(over="ignore"):
            return self.score.astype(by.PRECISIONS.get(precision, np.float64))

    def judged_ranks(self, order: Order) -> JudgedRanks:
        """The run in an order without shared gains, for the formulas of the package."""
        rows = self.rows(order._replace(documents=by.EVERY))
        place = np.empty(rows.size, dtype=np.int64)
        place[rows] = places(np.bincount(self.topic[rows], minlength=self.count))
        rank = place[self.hits] + 1
        sort = np.lexsort((rank, self.ranks.topic))
        return replace(self.ranks, doc=self.ranks.doc[sort], rank=rank[sort])


def ranks_by_line(file: File) -> np.ndarray | None:
    """The rank column of a TREC file, by line; None for a file of another form."""
    ranks = array("d")
    with Content(file) as content:
        for line in content.stream:
            fields = line.split()
            if fields and (len(fields) != 6 or not fields[3].isdigit()):
                return None
            ranks.append(int(fields[3]) if fields else 0)
    return np.array(ranks)
