"""A run with the values given for it, and as label matrices: the level at each rank of each topic, in every
order that is tried."""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...by_topic import changes, positions
from ...evaluation.reduction import JudgedDocuments
from ...inputs.content import Content, File
from ...inputs.rows import Rows
from ...measures.topics import ratio
from ...ranking.gains import LINEAR, plain_number
from ...ranking.judged import Judged
from ...ranking.order import tied
from ...ranking.ranks import JudgedRanks
from . import definitions as by
from .definitions import Order

TWICE_ROUNDED = 0.56
"""The tolerance in units of the last decimal: the value was perhaps rounded twice."""
SINGLE = 3e-7
"""The relative error of tools that compute with 32-bit floats."""
CHUNK = 500
"""The number of topics whose values are in memory at a time."""


@dataclass(frozen=True)
class Case:
    """A run, the qrels, and the values given for the run, one per topic (NaN if unknown), or their `mean`.

    `decimals` are those of the values. `others` counts the run's topics that the qrels lack; they count as 0
    in a mean over the run's topics. `ranks_in_file` has the rank column of the run's file by line.
    `repeated` tells which topics had a document twice, which was dropped. `weights` (T) are random; sums of
    values with these weights tell definitions apart. `covered` tells which means from 0 to 1 some definition
    has; the search fills it.
    """

    qrels: JudgedDocuments
    run: Rows
    values: np.ndarray
    mean: float | None
    decimals: int
    others: int
    ranks_in_file: np.ndarray | None
    repeated: np.ndarray
    weights: np.ndarray
    covered: np.ndarray

    @property
    def judged(self) -> Judged:
        return self.qrels.judged

    @cached_property
    def documents(self) -> Documents:
        return Documents(self.qrels, self.run, self.ranks_in_file)

    @cached_property
    def dicts(self) -> tuple[Any, Any]:
        """The qrels and the run for other providers."""
        qrels: dict[str, Any] = {topic: {} for topic in self.judged.topics} | self.qrels.qrels.dicts()
        levels = {topic: dict(zip(docs, map(plain_number, docs.values()))) for topic, docs in qrels.items()}
        return levels, self.run.dicts()

    @property
    def tolerance(self) -> float:
        return TWICE_ROUNDED * 10.0**-self.decimals

    @cached_property
    def known(self) -> np.ndarray:
        """The numbers of the topics that have a value; of all topics for a mean."""
        return np.flatnonzero(~np.isnan(self.values) | (self.mean is not None))

    def fits(self, values: np.ndarray, given: np.ndarray | float, way: str) -> np.ndarray:
        """Whether the values, shown in a way, are the given ones."""
        if way == by.TRUNCATED:
            half = 0.5 * 10.0**-self.decimals
            return np.asarray(np.abs(values - given - half) <= half + 1e-12)
        return np.asarray(np.abs(values - given) <= self.tolerance + SINGLE * np.abs(given))

    def sums(self, values: np.ndarray, ways: Sequence[str]) -> np.ndarray:
        """What `errors` needs of the values of some definitions (T × C): sums over topics, each a row.

        For values by topic, these are the errors. For a mean, they are the sum of the values shown in each of
        the `ways`, and last the number of topics, for each set of topics of a mean (C × sets × ways + 1).
        """
        if self.mean is None:
            values, given = values[self.known], self.values[self.known, None]
            wrong = [(~self.fits(by.SHOWN[way](values), given, way)).sum(axis=0) for way in ways]
            off = np.fmin(np.abs(values - given), 1).sum(axis=0) / max(self.known.size, 1)
            found = np.stack(wrong, axis=1)
            return (found + 0.49 * off[:, None] * (found > 0)).astype(np.float32)[:, None]
        member, counted = self.documents.averaged, ~np.isnan(values)
        values = np.where(counted, values, 0.0)
        return np.stack([*((member @ by.SHOWN[way](values)).T for way in ways), (member @ counted).T], axis=2)

    def errors(self, sums: np.ndarray, ways: Sequence[str]) -> np.ndarray:
        """How far definitions are from the given values (C × sets × ways), from the `sums` over all topics.

        That is 0 for a definition that fits. Others have the number of topics that differ and a fraction for
        how much, or the difference of the mean in units of the last decimal.
        """
        if self.mean is None:
            return sums
        size = sums[:, :, -1] + self.others * (np.array(by.AVERAGED) == by.RUN_TOPICS)
        found = np.empty((*size.shape, len(ways)), dtype=np.float32)
        for number, way in enumerate(ways):
            mean = ratio(sums[:, :, number], size)
            exact = mean[(mean >= 0) & (mean <= 1)] * (self.covered.size - 1)
            for each in {by.TRUNCATED: (0.0,), by.PERCENT: ()}.get(way, (TWICE_ROUNDED, 1 - TWICE_ROUNDED)):
                self.covered[np.floor(exact + each).clip(max=self.covered.size - 1).astype(np.int64)] = True
            off = 1 + np.abs(mean - self.mean) * 10.0**self.decimals
            found[:, :, number] = np.where(self.fits(mean, self.mean, way), 0, off)
        return found

    def part(self, topics: np.ndarray) -> Case:
        """The topics of the qrels with these numbers."""
        qrels, code = self.qrels.part(topics), {topic: row for row, topic in enumerate(self.run.topics)}
        rows = np.array([code[topic] for topic in qrels.judged.topics if topic in code], dtype=np.int64)
        values, repeated, weights = (each[topics] for each in (self.values, self.repeated, self.weights))
        run = self.run.part(rows)
        return replace(self, qrels=qrels, run=run, values=values, repeated=repeated, weights=weights)

    def sample(self, few: int) -> Case:
        """All topics, or a `few`: most with values between 0 and 1, which tell definitions apart."""
        telling = np.isin(self.values[self.known], (0, 1), invert=True)
        if self.mean is not None or len(self.judged.topics) <= 2 * few:
            return self
        some, others = self.known[telling], self.known[~telling]
        evenly = some[:: 1 + some.size // few], others[:: 1 + 8 * others.size // few]
        return self.part(np.sort(np.concatenate(evenly)))

    def parts(self) -> Iterator[Case]:
        """All topics, a chunk at a time."""
        count = len(self.judged.topics)
        for start in range(0, count, CHUNK):
            yield self if count <= CHUNK else self.part(np.arange(start, min(start + CHUNK, count)))


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
        ties = b"" if self.ties is None else self.ties.tobytes()
        return self.level.tobytes(), ties, self.ranks.rank.tobytes()


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
        missed = np.delete(np.arange(judged.level.size), self.ranks.doc)
        topic = np.repeat(np.arange(self.count), np.diff(listed.offsets))
        self.topic = np.concatenate((topic, judged.topic[missed]))
        self.level = np.concatenate((level, judged.level[missed]))
        self.score = np.concatenate((listed.values, np.full(missed.size, -np.inf)))
        self.retrieved = np.arange(self.topic.size) < size
        self.rank: np.ndarray | None = None
        if ranks_in_file is not None and listed.line is not None:
            self.rank = np.append(ranks_in_file[listed.line - 1], np.full(missed.size, np.inf))
        self.top = float(judged.all_levels.max(initial=0.0))
        self.best = descending(padded(judged.topic, judged.level, self.count))
        self.by_score, self.in_order = cache(self._by_score), cache(self._in_order)
        sort, (position, _) = self.by_score("32-bit")  # more documents are tied than in 64 bits
        rows = np.sort(sort[position])
        ids = [*listed.docs.take(rows[rows < size]).ids()]
        ids += qrels.qrels.docs.take(missed[rows[rows >= size] - size]).ids()
        self.id_order = np.zeros(self.topic.size, dtype=np.int64)
        if ids:
            self.id_order[rows] = np.unique(np.array(ids, dtype=str), return_inverse=True)[1].reshape(-1)

    @cached_property
    def averaged(self) -> np.ndarray:
        """The topics of each mean (sets × T), in the order of `AVERAGED`."""
        hits = self.retrieved & (np.nan_to_num(self.level) > 0)
        in_run, has_hit = (
            np.bincount(self.topic[rows], minlength=self.count) > 0 for rows in (self.retrieved, hits)
        )
        relevant = self.judged.relevant(LINEAR) > 0
        return np.stack((np.ones_like(in_run), in_run, in_run, relevant, has_hit)).astype(np.float64)

    def _scores(self, precision: str) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.asarray(self.score.astype(by.PRECISIONS[precision]))

    def _by_score(self, precision: str) -> tuple[np.ndarray, np.ndarray]:
        """The rows by descending score, tied ones as read, and the result of `tied` for them."""
        score = self._scores(precision)
        rows = np.lexsort((-score, self.topic))
        return rows, tied(changes(self.topic[rows]) | changes(score[rows]))

    def _in_order(self, order: str, precision: str) -> np.ndarray:
        """All rows in an order, topic after topic."""
        if order == by.AS_READ:
            return np.argsort(self.topic, kind="stable")
        if order == by.BY_RANK and self.rank is not None:
            return np.lexsort((self.rank, self.topic))
        rows, (position, group) = self.by_score(precision)
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
        every = self.in_order(order.order, order.precision)
        retrieved = every[self.retrieved[every]]
        rows = every if order.documents == by.BEHIND else retrieved
        if order.documents == by.JUDGED_ONLY:
            rows = rows[~np.isnan(self.level[rows])]
        topic, unjudged = self.topic[rows], self.top / 2 if order.documents == by.HALF else 0.0
        level, ties = padded(topic, np.nan_to_num(self.level[rows], nan=unjudged), self.count), None
        if order.order == by.MEAN:
            new = changes(topic) | changes(self._scores(order.precision)[rows])
            ties = None if new.all() else np.cumsum(new) - 1

        position = np.empty(self.topic.size, dtype=np.int64)
        position[retrieved] = positions(np.bincount(self.topic[retrieved], minlength=self.count))
        rank = position[self.hits] + 1
        sort = np.lexsort((rank, self.ranks.topic))
        ranks = replace(self.ranks, doc=self.ranks.doc[sort], rank=rank[sort])
        ranks = ranks.condensed if order.documents == by.JUDGED_ONLY else ranks
        return Lists(level, ties, self.best, self.top, ranks)


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
