"""A run as label matrices: the level at each rank of each topic, in every order that is tried."""

from __future__ import annotations

import io
from array import array
from dataclasses import dataclass, replace

import numpy as np

from ...by_topic import changes, positions
from ...evaluation.reduction import JudgedDocuments
from ...inputs.content import Content, File
from ...inputs.rows import Rows
from ...ranking.order import tied
from ...ranking.ranks import JudgedRanks
from . import definitions as by
from .definitions import Order


@dataclass(frozen=True)
class Lists:
    """A run in one order: the level at each rank (T × D, NaN behind the end; unjudged documents have one).

    If tied documents share their gains, `ties` has the number of the tie group of each document in the lists,
    one after another. `best` has the levels of all judged documents, descending (T × J), and `top` is the top
    level of the qrels. `ranks` is the order for the formulas of the package.
    """

    level: np.ndarray
    ties: np.ndarray | None
    best: np.ndarray
    top: float
    ranks: JudgedRanks

    @property
    def key(self) -> tuple[bytes, ...]:
        """The properties that distinguish the order from others."""
        return (
            self.level.tobytes(),
            b"" if self.ties is None else self.ties.tobytes(),
            self.ranks.rank.tobytes(),
        )


class Documents:
    """The retrieved documents of some topics and the judged ones that are not retrieved, one row each.

    `topic`, `level` (NaN if unjudged), `score`, `id_order` (ascending ids, of tied documents), `rank` (of the
    file, if it has one) and `retrieved` describe a row. `best` and `top` are as in `Lists`; `ranks` is the
    run as the package ranks it.
    """

    def __init__(self, qrels: JudgedDocuments, run: Rows, ranks_in_file: np.ndarray | None):
        judged, block = qrels.judged, qrels.reduced(run)
        self.judged, self.ranks, self.count = judged, block.ranks, len(judged.topics)
        listed, size = block.listed, block.listed.values.size
        self.hits = self.ranks.row[self.ranks.position]
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
        self._rows: dict[tuple[str, str], np.ndarray] = {}
        self.top = float(judged.all_levels.max(initial=0.0))
        self.best = descending(padded(judged.topic, judged.level, self.count))
        sort, (position, _) = self._by_score("32-bit")  # more documents are tied than in 64 bits
        rows = np.sort(sort[position])
        ids = [*listed.docs.take(rows[rows < size]).ids()]
        ids += qrels.qrels.docs.take(np.flatnonzero(missed)[rows[rows >= size] - size]).ids()
        self.id_order = np.zeros(self.topic.size, dtype=np.int64)
        if ids:
            self.id_order[rows] = np.unique(np.array(ids, dtype=str), return_inverse=True)[1].reshape(-1)

    def _by_score(self, precision: str) -> tuple[np.ndarray, np.ndarray]:
        """The rows by descending score, tied ones as read, and the result of `tied` for them; sorted once."""
        if precision not in self._sorted:
            score = self._score(precision)
            rows = np.lexsort((-score, self.topic))
            self._sorted[precision] = rows, tied(changes(self.topic[rows]) | changes(score[rows]))
        return self._sorted[precision]

    def _score(self, precision: str) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.asarray(self.score.astype(by.PRECISIONS[precision]))

    def rows(self, order: Order) -> np.ndarray:
        """The rows in an order, topic after topic."""
        key = order.order, order.precision
        if key not in self._rows:
            self._rows[key] = self._in_order(*key)
        rows = self._rows[key]
        if order.documents == by.BEHIND:
            return rows
        kept = self.retrieved & ~(np.isnan(self.level) & (order.documents == by.JUDGED_ONLY))
        return np.asarray(rows[kept[rows]])

    def _in_order(self, order: str, precision: str) -> np.ndarray:
        if order == by.AS_READ:
            return np.argsort(self.topic, kind="stable")
        if order == by.BY_RANK and self.rank is not None:
            return np.lexsort((self.rank, self.topic))
        rows, (position, group) = self._by_score(precision)
        rows, among = rows.copy(), rows[position]
        tie, level = self.id_order[among], np.nan_to_num(self.level[among])
        keys = {
            by.IN_FILE: [among],
            by.REVERSED: [-among],
            by.ASCENDING: [tie],
            by.WORST: [-tie, level],
            by.BEST: [-tie, -level],
        }.get(order, [-tie])
        rows[position] = among[np.lexsort((*keys, group))]
        return rows

    def lists(self, order: Order) -> Lists:
        """The run in an order."""
        rows = self.rows(order)
        topic, unjudged = self.topic[rows], self.top / 2 if order.documents == by.HALF else 0.0
        level, ties = padded(topic, np.nan_to_num(self.level[rows], nan=unjudged), self.count), None
        if order.order == by.MEAN:
            new = changes(topic) | changes(self._score(order.precision)[rows])
            ties = None if new.all() else np.cumsum(new) - 1
        return Lists(level, ties, self.best, self.top, self._judged_ranks(order))

    def _judged_ranks(self, order: Order) -> JudgedRanks:
        rows = self.rows(order._replace(documents=by.EVERY))
        position = np.empty(self.topic.size, dtype=np.int64)
        position[rows] = positions(np.bincount(self.topic[rows], minlength=self.count))
        rank = position[self.hits] + 1
        sort = np.lexsort((rank, self.ranks.topic))
        ranks = replace(self.ranks, doc=self.ranks.doc[sort], rank=rank[sort])
        return ranks.condensed if order.documents == by.JUDGED_ONLY else ranks


def padded(topic: np.ndarray, values: np.ndarray, topics: int) -> np.ndarray:
    """The values of each topic as a row of a matrix, with NaN behind them."""
    size = np.bincount(topic, minlength=topics)
    result = np.full((topics, max(int(size.max(initial=0)), 1)), np.nan)
    result[topic, positions(size)] = values
    return result


def descending(levels: np.ndarray) -> np.ndarray:
    """The levels of each topic in descending order; NaN stays behind."""
    return np.asarray(-np.sort(-levels, axis=1))


def ranks_by_line(file: File) -> np.ndarray | None:
    """The rank column of a TREC file, by line; None for a file of another form."""
    ranks = array("d")
    with Content(file) as content:
        for line in io.BytesIO(content.stream.read()):
            fields = line.split()
            if fields and (len(fields) != 6 or not fields[3].isdigit()):
                return None
            ranks.append(int(fields[3]) if fields else 0)
    return np.array(ranks)
