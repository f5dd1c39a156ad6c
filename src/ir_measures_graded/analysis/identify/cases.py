"""A run with the values given for it, and as label matrices: the level at each rank of each topic, in every
order that is tried."""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from ...core.by_topic import changes, positions
from ...core.measures.topics import ratio
from ...core.ranking.gains import LINEAR, plain_number
from ...core.ranking.judged import Judged
from ...core.ranking.ranks import JudgedRanks
from ...core.reduction import reduced
from ...core.rows.id_matching import Ids
from ...core.rows.rows import Rows
from ...files.content import Content, File
from . import definitions as by
from .definitions import Order

TWICE_ROUNDED = 0.56  # the tolerance in units of the last decimal: the value was perhaps rounded twice
SINGLE = 3e-7  # the relative error of tools that compute with 32-bit floats
CHUNK = 500  # the number of topics whose values are in memory at a time


@dataclass(frozen=True)
class Case:
    """A run, the qrels, and the values given for the run, one per topic (NaN if unknown), or their `mean`.

    `decimals` are those of the values. `ranks_in_file` has the rank column of the run's file by line.
    `repeated` are the topics that had a document twice, which was dropped. `weights` (T) are random; sums of
    values with these weights tell definitions apart.
    """

    judged: Judged
    run: Rows
    values: np.ndarray
    mean: float | None
    decimals: int
    ranks_in_file: np.ndarray | None
    repeated: Sequence[str]
    weights: np.ndarray

    @cached_property
    def ranks(self) -> JudgedRanks:
        """The run as the package ranks it."""
        return reduced(self.judged, self.run)

    @cached_property
    def documents(self) -> Documents:
        return Documents(self)

    @cached_property
    def dicts(self) -> tuple[Any, Any]:
        """The qrels and the run for other providers."""
        qrels: dict[str, Any] = {topic: {} for topic in self.judged.topics} | self.judged.rows.dicts()
        levels = {topic: dict(zip(docs, map(plain_number, docs.values()))) for topic, docs in qrels.items()}
        return levels, self.run.dicts()

    @property
    def tolerance(self) -> float:
        return TWICE_ROUNDED * 10.0**-self.decimals

    @cached_property
    def known(self) -> np.ndarray:
        """The numbers of the topics that have a value; of all topics for a mean."""
        return np.flatnonzero(~np.isnan(self.values) | (self.mean is not None))

    @cached_property
    def covered(self) -> np.ndarray:
        """Which means from 0 to 1 some definition has, in units of the last decimal; `errors` fills it."""
        return np.zeros(10 ** min(self.decimals, 7) + 1, dtype=bool)

    def fits(self, values: np.ndarray, given: np.ndarray | float, way: str) -> np.ndarray:
        """Whether the values, shown in a way, are the given ones."""
        if way == by.TRUNCATED:
            half = 0.5 * 10.0**-self.decimals
            return np.asarray(np.abs(values - given - half) <= half + 1e-12)
        return np.asarray(np.abs(values - given) <= self.tolerance + SINGLE * np.abs(given))

    def sums(self, values: np.ndarray, ways: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """What `errors` needs of the values of some definitions (T × C): sums over topics, each a row.

        For values by topic, these are the errors. For a mean, they are the sum of the values shown in each of
        the `ways`, and last the number of topics, for each set of topics of a mean (C × sets × ways + 1). And
        a number for each definition that is the same for equal values, and NaN if all are NaN.
        """
        counted = ~np.isnan(values)
        prints = self.weights[self.known] @ np.where(counted | ~counted.any(axis=0), values, -1.0)[self.known]
        if self.mean is None:
            values, given = values[self.known], self.values[self.known, None]
            wrong = [(~self.fits(by.SHOWN[way](values), given, way)).sum(axis=0) for way in ways]
            off = np.fmin(np.abs(values - given), 1).sum(axis=0) / max(self.known.size, 1)
            found = np.stack(wrong, axis=1)
            return (found + 0.49 * off[:, None] * (found > 0)).astype(np.float32)[:, None], prints
        member, values = self.documents.averaged, np.where(counted, values, 0.0)
        sums = [*((member @ by.SHOWN[way](values)).T for way in ways), (member @ counted).T]
        return np.stack(sums, axis=2), prints

    def errors(self, sums: np.ndarray, ways: Sequence[str]) -> np.ndarray:
        """How far definitions are from the given values (C × sets × ways), from the `sums` over all topics.

        That is 0 for a definition that fits. Others have the number of topics that differ and a fraction for
        how much, or the difference of the mean in units of the last decimal.
        """
        if self.mean is None:
            return sums
        others = sum(topic not in self.judged.code for topic in self.run.topics)
        size = sums[:, :, -1] + others * (np.array(by.AVERAGED) == by.RUN_TOPICS)
        found = np.empty((*size.shape, len(ways)), dtype=np.float32)
        for number, way in enumerate(ways):
            mean = ratio(sums[:, :, number], size)
            exact = mean[(mean >= 0) & (mean <= 1) & (sums[:, :, -1] > 0)] * (self.covered.size - 1)
            for each in {by.TRUNCATED: (0.0,), by.PERCENT: ()}.get(way, (TWICE_ROUNDED, 1 - TWICE_ROUNDED)):
                self.covered[np.floor(exact + each).clip(max=self.covered.size - 1).astype(np.int64)] = True
            off = 1 + np.abs(mean - self.mean) * 10.0**self.decimals
            found[:, :, number] = np.where(self.fits(mean, self.mean, way), 0, off)
        return found

    def part(self, topics: np.ndarray) -> Case:
        """The topics of the qrels with these numbers."""
        judged, values, weights = self.judged.part(topics), self.values[topics], self.weights[topics]
        run = self.run.of_topics(judged.code)
        return replace(self, judged=judged, run=run, values=values, weights=weights)

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


class Lists(NamedTuple):
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
    """The retrieved documents of a case, and behind them the judged ones that are not retrieved, a row each.

    `topic`, `level` (NaN if unjudged), `score`, `id_order` (place among all ids, descending), and `rank` (of
    the file, if it has one) describe a row. `retrieved` is the number of the first ones, and `hits` are those
    that are judged. `best` and `top` are as in `Lists`.
    """

    def __init__(self, case: Case):
        self.judged = judged = case.judged
        self.ranks, listed = case.ranks, case.ranks.listed
        self.retrieved = listed.values.size
        self.hits = self.ranks.row[self.ranks.position]
        missed = np.delete(np.arange(judged.level.size), self.ranks.doc)
        topic = np.repeat(np.arange(len(judged.topics)), np.diff(listed.offsets))
        self.topic = np.concatenate((topic, judged.topic[missed]))
        self.level = np.concatenate((np.full(self.retrieved, np.nan), judged.level[missed]))
        self.level[self.hits] = judged.level[self.ranks.doc]
        self.score = np.concatenate((listed.values, np.full(missed.size, -np.inf)))
        self.rank = np.full(self.topic.size, np.inf)
        if case.ranks_in_file is not None and listed.line is not None:
            self.rank[: self.retrieved] = case.ranks_in_file[listed.line - 1]
        ids = Ids.concatenated([listed.docs.ids(), judged.rows.docs.ids().take(missed)])
        self.id_order = np.empty(self.topic.size, dtype=np.int64)
        self.id_order[ids.descending(np.zeros_like(self.topic))] = np.arange(self.topic.size)
        self.top = float(judged.all_levels.max(initial=0.0))
        self.best = descending(self.matrix(judged.topic, judged.level))
        self.in_order = cache(self._in_order)

    @property
    def averaged(self) -> np.ndarray:
        """The topics of each mean (sets × T), in the order of `AVERAGED`."""
        in_run, relevant = self.ranks.retrieved > 0, self.judged.relevant(LINEAR) > 0
        has_hit = np.isin(np.arange(in_run.size), self.ranks.topic[self.level[self.hits] > 0])
        return np.stack((np.ones_like(in_run), in_run, in_run, relevant, has_hit)).astype(np.float64)

    def matrix(self, topic: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The values of each topic as a row, with NaN behind them."""
        size = np.bincount(topic, minlength=len(self.judged.topics))
        result = np.full((size.size, max(int(size.max(initial=0)), 1)), np.nan)
        result[topic, positions(size)] = values
        return result

    def scores(self, precision: str) -> np.ndarray:
        """The scores of all rows; documents that are not retrieved have the lowest."""
        with np.errstate(over="ignore"):
            return np.asarray(self.score.astype(by.PRECISIONS[precision]))

    def _in_order(self, order: str, precision: str) -> np.ndarray:
        """All rows in an order, topic after topic."""
        as_read, level = np.arange(self.topic.size), np.nan_to_num(self.level)
        keys = {
            by.AS_READ: [],
            by.BY_RANK: [self.rank],
            by.IN_FILE: [as_read],
            by.REVERSED: [-as_read],
            by.ASCENDING: [-self.id_order],
            by.WORST: [self.id_order, level],
            by.BEST: [self.id_order, -level],
        }.get(order, [self.id_order])
        by_score = [-self.scores(precision)] if precision else []
        return np.lexsort((*keys, *by_score, self.topic))

    def lists(self, order: Order) -> Lists:
        """The run in an order."""
        every = self.in_order(order.order, order.precision)
        retrieved = every[every < self.retrieved]
        rows = every if order.documents == by.BEHIND else retrieved
        if order.documents == by.JUDGED_ONLY:
            rows = rows[~np.isnan(self.level[rows])]
        topic, unjudged = self.topic[rows], self.top / 2 if order.documents == by.HALF else 0.0
        level, ties = self.matrix(topic, np.nan_to_num(self.level[rows], nan=unjudged)), None
        if order.order == by.MEAN:
            new = changes(topic) | changes(self.scores(order.precision)[rows])
            ties = None if new.all() else np.cumsum(new) - 1

        rank = np.empty(self.retrieved, dtype=np.int64)
        rank[retrieved] = positions(self.ranks.retrieved) + 1
        sort = np.lexsort((rank[self.hits], self.ranks.topic))
        ranks = replace(self.ranks, doc=self.ranks.doc[sort], rank=rank[self.hits][sort])
        ranks = ranks.condensed if order.documents == by.JUDGED_ONLY else ranks
        return Lists(level, ties, self.best, self.top, ranks)


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
