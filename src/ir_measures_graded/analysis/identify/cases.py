"""Runs with the values given for them, and as label matrices: the level at each rank of each topic, in every
order that is tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...core.by_topic import changes, positions
from ...core.measures.topics import ratio
from ...core.ranking.judged import Judged
from ...core.reduction import reduced
from ...core.rows.id_matching import Ids
from ...core.rows.rows import Rows
from . import definitions as by
from .definitions import Order

TWICE_ROUNDED = 0.56  # the tolerance in units of the last decimal: the value was perhaps rounded twice
SINGLE = 3e-7  # the relative error of tools that compute with 32-bit floats
PERCENT_FROM = 1.01  # larger values may be percentages
# Values lie closer together than random numbers. With this factor, one value with four decimals is no
# evidence: in a trial with definitions that are not tried, 1 of 20 such values was that of another one.
SPREAD = 3


@dataclass(eq=False)
class Case:
    """Runs, the qrels, and the numbers given: values, one per topic (NaN if unknown), or `means`.

    Several runs are as one, in which each has topics of its own. `others`
    counts the topics of each run that the qrels lack. In `repeated` topics, a document was retrieved twice,
    and dropped. `known` are the topics that have a value; all for means. `decimals` are those of the `given`
    numbers, `digits` the same but 2 more for percentages. Numbers agree within the `tolerance`. `coincidence`
    is the probability that one definition, which was not meant, gives all numbers: for each number that of
    the same decimals, or for values that are frequent, such as 0 and 1, their share.

    The retrieved documents, and behind them the judged ones that are not retrieved, have a row each with
    `topic`, `code` (of its level), `score`, `place`, `id_order` (place among all ids, descending),
    `is_judged` and `is_retrieved`. `levels` are those of the qrels and 0, the highest first, and at the `end`
    NaN. `best` has the codes of all judged documents, the best first (T × J). `ranks` is trec_eval's order.
    """

    judged: Judged
    run: Rows
    values: np.ndarray
    means: np.ndarray | None
    decimals: int
    others: np.ndarray
    repeated: np.ndarray

    def __post_init__(self) -> None:
        judged, run, values = self.judged, self.run, self.values
        self.known = np.flatnonzero(~np.isnan(values) | (self.means is not None))
        self.given = values[self.known] if self.means is None else self.means
        self.tolerance = TWICE_ROUNDED * 10.0**-self.decimals
        self.digits = self.decimals + 2 * bool(self.given.max() > PERCENT_FROM)
        _, count = np.unique(self.given, return_counts=True)
        share = (count - 1) / max(self.given.size - 1, 1) if self.means is None else 0.0
        same = (SPREAD if self.means is None else 1) * 10.0**-self.digits
        self.coincidence = float(np.prod(np.maximum(share, same).clip(max=1) ** count))
        self.ranks = reduced(judged, run)
        missed = np.delete(np.arange(judged.level.size), self.ranks.doc)
        topic = np.repeat(np.arange(values.size), self.ranks.retrieved)
        self.topic = np.concatenate((topic, judged.topic[missed]))
        self.place = np.arange(self.topic.size)
        self.is_retrieved = self.place < topic.size
        level = np.concatenate((np.full(topic.size, np.nan), judged.level[missed]))
        level[self.ranks.row[self.ranks.position]] = judged.level[self.ranks.doc]
        self.is_judged = ~np.isnan(level)
        self.levels = np.append(np.unique([0.0, *judged.all_levels])[::-1], np.nan)
        self.end = self.levels.size - 1
        self.code = self.coded(np.nan_to_num(level))
        self.score = np.concatenate((run.values, np.full(missed.size, -np.inf)))
        ids = Ids.concatenated([run.docs.ids(), judged.rows.docs.ids().take(missed)])
        self.id_order = np.empty_like(self.place)
        self.id_order[ids.descending(np.zeros_like(self.topic))] = self.place
        self.best = np.sort(self.matrix(judged.topic, self.coded(judged.level)), axis=1)
        self.sorted, self.lists, self.different = cache(self._sorted), cache(self._lists), dict[Any, Lists]()

    @cached_property
    def members(self) -> dict[str, np.ndarray]:
        """The topics of each mean for each run, and last the number of other topics that count as 0."""
        runs = self.others.size
        own = np.repeat(np.eye(runs), len(self.judged.topics) // runs, axis=1)
        return {
            name: np.column_stack((own * of(self), self.others * (name == by.RUN_TOPICS)))
            for name, of in by.AVERAGED.items()
        }

    def apart(self, values: np.ndarray, given: np.ndarray, way: str) -> np.ndarray:
        """The gaps between values, shown in a way, and the given ones; 0 if they fit, and 1 for NaN."""
        tolerance = self.tolerance + SINGLE * np.abs(given)
        low, high = given - tolerance, given + tolerance
        if way == by.TRUNCATED:
            low, high = given - 1e-9 * 10.0**-self.decimals, given + (1 - 1e-9) * 10.0**-self.decimals
        found = np.abs(values - given)
        found[(low <= values) & (values <= high)] = 0
        found[np.isnan(found)] = 1
        return found

    def compared(
        self, values: np.ndarray, ways: Sequence[str], sets: Sequence[str]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Whether definitions with these values (T × orders × C) give all numbers if they are shown in each
        of the `ways`, how far they are off, and prints, which are the same for equal values
        (ways × sets × orders × C).

        A mean is over each of the `sets` of topics. The distance is the mean gap of those that differ over
        all, and 1 more if most differ. Prints are NaN if all values are NaN.
        """
        given, found = self.given.reshape(-1, 1, 1, 1), []
        weights = np.random.default_rng(0).random(given.size)
        for way in ways:
            numbers = self.shown(values, way, sets)
            gaps = self.apart(numbers, given, way)
            agree = np.mean(gaps == 0, axis=0)
            prints = np.tensordot(weights, np.nan_to_num(numbers, nan=-1.0), 1)
            prints[np.isnan(numbers).all(axis=0)] = np.nan
            found.append((agree == 1, gaps.mean(axis=0) + (agree < 0.5), prints))
        fits, off, printed = map(np.stack, zip(*found))
        return fits, off, printed

    def shown(self, values: np.ndarray, way: str, sets: Sequence[str]) -> np.ndarray:
        """The numbers of definitions with these values (numbers × sets × orders × C)."""
        if self.means is None:
            return by.SHOWN[way](values[self.known, None])
        is_known, members = ~np.isnan(values), np.stack([self.members[name] for name in sets], axis=1)
        size = np.tensordot(members[..., :-1], is_known, 1) + members[..., -1:, None]
        size[..., ~is_known.any(axis=0)] = np.nan
        return ratio(np.tensordot(members[..., :-1], by.SHOWN[way](np.nan_to_num(values)), 1), size)

    def sample(self, few: int) -> Case:
        """All topics, or about `few`: if possible with values between 0 and 1, which tell definitions
        apart."""
        if self.means is not None or len(self.judged.topics) <= 2 * few:
            return self
        order = np.argsort(np.isin(self.given, (0, 1)), kind="stable")
        topics = np.sort(self.known[order[:few]])
        judged, values = self.judged.part(topics), self.values[topics]
        return replace(self, judged=judged, run=self.run.of_topics(judged.code), values=values)

    def coded(self, level: np.ndarray) -> np.ndarray:
        """The code of each level."""
        return np.searchsorted(-self.levels[:-1], -level)

    def matrix(self, topic: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The codes of each topic as a row, with the code of the end behind them."""
        size = np.bincount(topic, minlength=self.values.size)
        result = np.full((size.size, max(int(size.max(initial=0)), 1)), self.end)
        result[topic, positions(size)] = codes
        return result

    def _sorted(self, precision: str, missing: float) -> tuple[np.ndarray, np.ndarray]:
        """All rows by score, topic after topic, and the number of the tie group of each."""
        score = np.where(self.is_retrieved, self.score, missing) if precision else np.zeros_like(self.score)
        with np.errstate(over="ignore"):
            score = score.astype(by.PRECISIONS.get(precision, np.float64))
        rows = np.lexsort((-score, self.topic))
        return rows, np.cumsum(changes(self.topic[rows]) | changes(score[rows]))

    def _lists(self, order: Order) -> Lists:
        """The run in an order; orders that are the same here have the same lists."""
        way, precision, documents = order
        rows, group = self.sorted(precision, 0.0 if documents == by.SCORED_0 else -np.inf)
        kept = by.DOCUMENTS[documents](self)[rows]
        rows, group = rows[kept], group[kept]
        starts = changes(group)
        tied = np.flatnonzero(~(starts & np.append(starts[1:], True)))
        within = by.ORDERS[way](self)[rows[tied]]
        rows[tied] = rows[tied][np.lexsort((within, group[tied]))]
        code = self.matrix(self.topic[rows], self.code[rows])
        ties = group if way == by.MEAN and tied.size else None
        key = documents, code.tobytes(), None if ties is None else ties.tobytes()
        return self.different.setdefault(key, Lists(self, code, ties))


@dataclass(frozen=True, eq=False)
class Lists:
    """The documents of a case in one order: the code of the level at each rank of each topic (T × D), its
    place in the levels.

    Unjudged documents have the level 0, and the code `end` of the case is behind the last. If tied documents
    share their gains, `ties` has the number of the tie group of each document, one list after another.
    """

    case: Case
    code: np.ndarray
    ties: np.ndarray | None
