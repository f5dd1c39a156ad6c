"""A run with the values given for it, and as label matrices: the level at each rank of each topic, in every
order that is tried."""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from ...core.by_topic import changes, positions
from ...core.measures.topics import ratio
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
CHUNK = 128  # the number of topics whose values are in memory at a time
PERCENT_FROM = 1.01  # larger values may be percentages
SPREAD = 3  # how much likelier than by chance a definition's value and the given one end in the same decimals


@dataclass(frozen=True, eq=False)
class Case:
    """A run, the qrels, and the values given for the run, one per topic (NaN if unknown), or their `mean`.

    `name` is that of the run, and `decimals` are those of the values. `ranks_in_file` has the rank column of
    the run's file by line. `repeated` are the topics that had a document twice, which was dropped. `weights`
    (T) are random; sums of values with these weights tell definitions apart. `means` collects those of the
    usual definitions, rounded as the mean.
    """

    name: str
    judged: Judged
    run: Rows
    values: np.ndarray
    mean: float | None
    decimals: int
    ranks_in_file: np.ndarray | None
    repeated: Sequence[str]
    weights: np.ndarray
    means: set[float] = field(default_factory=set)

    @cached_property
    def ranks(self) -> JudgedRanks:
        """The run as the package ranks it."""
        return reduced(self.judged, self.run)

    @cached_property
    def documents(self) -> Documents:
        return Documents(self)

    @property
    def members(self) -> np.ndarray:
        """The topics of each mean (sets × T), in the order of `AVERAGED`."""
        return np.stack([of(self.documents) for of in by.AVERAGED.values()]).astype(np.float64)

    @property
    def tolerance(self) -> float:
        return TWICE_ROUNDED * 10.0**-self.decimals

    @property
    def digits(self) -> int:
        """The decimals, or of percentages those of the values."""
        largest = np.nanmax(self.values) if self.mean is None else self.mean
        return self.decimals + 2 * bool(largest > PERCENT_FROM)

    @cached_property
    def known(self) -> np.ndarray:
        """The numbers of the topics that have a value; of all topics for a mean."""
        return np.flatnonzero(~np.isnan(self.values) | (self.mean is not None))

    @cached_property
    def coincidence(self) -> float:
        """The probability that some definition, which was not meant, gives all values by topic.

        In each topic it is that of the same decimals, or for values that are frequent, such as 0 and 1, their
        share.
        """
        _, count = np.unique(self.values[self.known], return_counts=True)
        share = (count - 1) / max(self.known.size - 1, 1)
        return float(np.prod(np.maximum(share, SPREAD * 10.0**-self.digits).clip(max=1) ** count))

    def fits(self, values: np.ndarray, given: np.ndarray | float, way: str) -> np.ndarray:
        """Whether the values, shown in a way, are the given ones."""
        if way == by.TRUNCATED:
            half = 0.5 * 10.0**-self.decimals
            return np.asarray(np.abs(values - given - half) <= half + 1e-12)
        return np.asarray(np.abs(values - given) <= self.tolerance + SINGLE * np.abs(given))

    def sums(self, values: np.ndarray, ways: Sequence[str]) -> np.ndarray:
        """What `compared` needs of the values of some definitions (T × C): sums over topics, each a row.

        For values by topic, these are the number of topics that differ and the sum of the gaps in each of the
        `ways`. For a mean, they are the sums of the values in each of the ways, and the number of topics, for
        each set of topics. The last row is the same for equal values, and NaN if all are NaN.
        """
        seen = ~np.isnan(values)
        prints = self.weights[self.known] @ np.where(seen | ~seen.any(axis=0), values, -1.0)[self.known]
        if self.mean is None:
            values, given = values[self.known], self.values[self.known, None]
            shown = {way: by.SHOWN[way](values) for way in ways}
            wrong = [(~self.fits(each, given, way)).sum(axis=0) for way, each in shown.items()]
            gaps = [np.nan_to_num(np.abs(each - given), nan=1).sum(axis=0) for each in shown.values()]
            return np.stack([*wrong, *gaps, prints])
        member, values = self.members, np.where(seen, values, 0.0)
        sums = [member @ by.SHOWN[way](values) for way in ways]
        return np.concatenate([*sums, member @ seen, prints[None]])

    def compared(self, sums: np.ndarray, ways: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Whether definitions fit, how far they are off, and their means (ways × sets of topics × C each).

        `sums` are over all topics. The distance is the mean gap, and 1 more if most topics differ; for a
        mean, its gap. For values by topic, the last is no mean.
        """
        if self.mean is None:
            wrong, gaps = sums[:-1].reshape(2, len(ways), 1, -1)
            return wrong == 0, gaps / self.known.size + (2 * wrong > self.known.size), wrong
        *values, size = sums[:-1].reshape(len(ways) + 1, len(by.AVERAGED), -1)
        others = sum(topic not in self.judged.code for topic in self.run.topics)
        size = size + others * (np.array(list(by.AVERAGED)) == by.RUN_TOPICS)[:, None]
        means = np.stack([ratio(each, size) for each in values])
        fits = np.stack([self.fits(mean, self.mean, way) for mean, way in zip(means, ways)])
        return fits, np.abs(means - self.mean), means

    def part(self, topics: np.ndarray) -> Case:
        """The topics of the qrels with these numbers."""
        judged, values, weights = self.judged.part(topics), self.values[topics], self.weights[topics]
        run = self.run.of_topics(judged.code)
        return replace(self, judged=judged, run=run, values=values, weights=weights)

    def sample(self, few: int) -> Case:
        """All topics, or about `few`: if possible with values between 0 and 1, which tell definitions
        apart."""
        if self.mean is not None or len(self.judged.topics) <= 2 * few:
            return self
        telling = np.isin(self.values[self.known], (0, 1), invert=True)
        some, others = self.known[telling], self.known[~telling]
        lacking = max(few - some.size, 2)
        chosen = some[:: 1 + some.size // few], others[:: 1 + others.size // lacking]
        return self.part(np.sort(np.concatenate(chosen)))

    def parts(self) -> Iterator[Case]:
        """All topics, a chunk at a time."""
        count = len(self.judged.topics)
        for start in range(0, count, CHUNK):
            yield self if count <= CHUNK else self.part(np.arange(start, min(start + CHUNK, count)))


class Lists(NamedTuple):
    """A run in one order: the level at each rank of each topic (T × D).

    Unjudged documents have a level, and NaN is behind the end, where a list is not `inside`. If tied
    documents share their gains, `ties` has the number of the tie group of each document in the lists, one
    after another. `best` has the levels of all judged documents, descending (T × J), and `top` is the top
    level of the qrels. `ranks` is the order for the formulas of the package.
    """

    level: np.ndarray
    inside: np.ndarray
    ties: np.ndarray | None
    best: np.ndarray
    top: float
    ranks: JudgedRanks


class Documents:
    """The retrieved documents of a case, and behind them the judged ones that are not retrieved, a row each.

    `topic`, `level` (NaN if unjudged), `score`, `place`, `id_order` (place among all ids, descending), `rank`
    (of the file, if it has one) and `is_retrieved` describe a row, and `hits` are those of `ranks`. `best`
    and `top` are as in `Lists`.
    """

    def __init__(self, case: Case):
        self.judged = judged = case.judged
        self.ranks, listed = case.ranks, case.ranks.listed
        self.hits = self.ranks.row[self.ranks.position]
        missed = np.delete(np.arange(judged.level.size), self.ranks.doc)
        topic = np.repeat(np.arange(len(judged.topics)), np.diff(listed.offsets))
        self.topic = np.concatenate((topic, judged.topic[missed]))
        self.place = np.arange(self.topic.size)
        self.is_retrieved = self.place < topic.size
        self.level = np.concatenate((np.full(topic.size, np.nan), judged.level[missed]))
        self.level[self.hits] = judged.level[self.ranks.doc]
        self.score = np.concatenate((listed.values, np.full(missed.size, -np.inf)))
        self.rank = np.full(self.topic.size, np.inf)
        if case.ranks_in_file is not None and listed.line is not None:
            self.rank[: topic.size] = case.ranks_in_file[listed.line - 1]
        ids = Ids.concatenated([listed.docs.ids(), judged.rows.docs.ids().take(missed)])
        self.id_order = np.empty_like(self.place)
        self.id_order[ids.descending(np.zeros_like(self.topic))] = self.place
        self.top = float(judged.all_levels.max(initial=0.0))
        self.best = by.descending(self.matrix(judged.topic, judged.level))
        self.distinct, self.sorted = cache(self._distinct), cache(self._sorted)

    def matrix(self, topic: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The values of each topic as a row, with NaN behind them."""
        size = np.bincount(topic, minlength=len(self.judged.topics))
        result = np.full((size.size, max(int(size.max(initial=0)), 1)), np.nan)
        result[topic, positions(size)] = values
        return result

    def _distinct(self, orders: tuple[Order, ...]) -> list[tuple[Lists, list[Order]]]:
        """The run in some orders, with the orders that are the same here."""
        found: dict[Any, tuple[Lists, list[Order]]] = {}
        for order in orders:
            lists = self.lists(order)
            arrays = [lists.level, lists.ranks.rank, *([] if lists.ties is None else [lists.ties])]
            key = order.documents, order.order == by.MEAN, *(each.tobytes() for each in arrays)
            found.setdefault(key, (lists, []))[1].append(order)
        return [*found.values()]

    def _sorted(self, order: str, precision: str, missing: float) -> tuple[np.ndarray, np.ndarray]:
        """All rows in an order, topic after topic, and the scores by which they are sorted."""
        score = np.where(self.is_retrieved, self.score, missing) if precision else np.zeros_like(self.score)
        with np.errstate(over="ignore"):
            score = score.astype(by.PRECISIONS.get(precision, np.float64))
        return np.lexsort((*by.ORDERS[order](self), -score, self.topic)), score

    def lists(self, order: Order) -> Lists:
        """The run in an order."""
        missing = 0.0 if order.documents == by.SCORED_0 else -np.inf
        every, score = self.sorted(order.order, order.precision, missing)
        rows = every[by.DOCUMENTS[order.documents](self)[every]]
        topic, unjudged = self.topic[rows], self.top / 2 if order.documents == by.HALF else 0.0
        level, ties = self.matrix(topic, np.nan_to_num(self.level[rows], nan=unjudged)), None
        if order.order == by.MEAN:
            new = changes(topic) | changes(score[rows])
            ties = None if new.all() else np.cumsum(new) - 1
        rank = np.empty(self.place.size, dtype=np.int64)
        rank[every[self.is_retrieved[every]]] = positions(self.ranks.retrieved) + 1
        sort = np.lexsort((rank[self.hits], self.ranks.topic))
        ranks = replace(self.ranks, doc=self.ranks.doc[sort], rank=rank[self.hits][sort])
        ranks = ranks.condensed if order.documents == by.JUDGED_ONLY else ranks
        return Lists(level, ~np.isnan(level), ties, self.best, self.top, ranks)


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
