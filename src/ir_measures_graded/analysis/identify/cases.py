"""A run with the values given for it, and as label matrices: the level at each rank of each topic, in every
order that is tried. Values by topic are read from any table of values."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, cached_property
from numbers import Real
from typing import Any

import numpy as np

from ...core.by_topic import changes, positions
from ...core.measures.topics import ratio
from ...core.ranking.judged import Judged
from ...core.ranking.ranks import JudgedRanks
from ...core.reduction import reduced
from ...core.rows.columns import column_name
from ...core.rows.id_matching import Ids
from ...core.rows.rows import Rows
from ...errors import GradedError, shown
from ...evaluation.values import cells_of, frame_of
from ...output.formats import listed
from . import definitions as by
from .definitions import Order

TWICE_ROUNDED = 0.56  # the tolerance in units of the last decimal: the value was perhaps rounded twice
SINGLE = 3e-7  # the relative error of tools that compute with 32-bit floats
PERCENT_FROM = 1.01  # larger values may be percentages
# Values lie closer together than random numbers. With this factor, one value with four decimals is no
# evidence: in a trial with definitions that are not tried, 1 of 20 such values was that of another one.
SPREAD = 3
MOST_DECIMALS = 6  # more are not compared: tools that compute with 32-bit floats do not have them
MEANS = ("amean", "mean")  # names that tools write in place of a topic for the mean
FORMS = 'lines of a topic and a value, the output of trec_eval -q, or JSON such as {"q1": 0.25}'
COLUMNS = ["query_id", "measure", "value"]


@dataclass(frozen=True, eq=False)
class Case:
    """A run, the qrels, and the numbers given for the run: its values, one per topic (NaN if unknown), or its
    `mean`.

    `name` is that of the run, and `decimals` are those of the numbers. `repeated` are the topics that had a
    document twice, which was dropped.
    """

    name: str
    judged: Judged
    run: Rows
    values: np.ndarray
    mean: float | None
    decimals: int
    repeated: Sequence[str]

    @cached_property
    def documents(self) -> Documents:
        return Documents(self.judged, self.run)

    @cached_property
    def known(self) -> np.ndarray:
        """The numbers of the topics that have a value; of all topics for a mean."""
        return np.flatnonzero(~np.isnan(self.values) | (self.mean is not None))

    @cached_property
    def given(self) -> np.ndarray:
        """The numbers given: the known values, or the mean alone."""
        return self.values[self.known] if self.mean is None else np.array([self.mean])

    @cached_property
    def members(self) -> dict[str, np.ndarray]:
        """The topics of each mean, and last the number of other topics that count as 0."""
        others = sum(topic not in self.judged.code for topic in self.run.topics)
        return {
            name: np.append(of(self.documents), others * (name == by.RUN_TOPICS)).astype(np.float64)
            for name, of in by.AVERAGED.items()
        }

    @property
    def tolerance(self) -> float:
        return TWICE_ROUNDED * 10.0**-self.decimals

    @property
    def digits(self) -> int:
        """The decimals, or of percentages those of the values."""
        return self.decimals + 2 * bool(self.given.max() > PERCENT_FROM)

    @property
    def coincidence(self) -> float:
        """The probability that one definition, which was not meant, gives all numbers.

        For each number it is that of the same decimals, or for values that are frequent, such as 0 and 1,
        their share.
        """
        _, count = np.unique(self.given, return_counts=True)
        share = (count - 1) / max(self.given.size - 1, 1)
        same = (SPREAD if self.mean is None else 1) * 10.0**-self.digits
        return float(np.prod(np.maximum(share, same).clip(max=1) ** count))

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
        transforms = {by.SHOWN[way] for way in ways}
        if self.mean is None:
            numbers = {of: of(values[self.known, None]) for of in transforms}
        else:
            is_known, members = ~np.isnan(values), np.stack([self.members[name] for name in sets])
            size = np.tensordot(members[:, :-1], is_known, 1) + members[:, -1:, None]
            size[:, ~is_known.any(axis=0)] = np.nan
            values = np.where(is_known, values, 0.0)
            sums = {of: np.tensordot(members[:, :-1], of(values), 1) for of in transforms}
            numbers = {of: ratio(each, size)[None] for of, each in sums.items()}
        given, prints = self.given.reshape(-1, 1, 1, 1), {}
        weights = np.random.default_rng(len(self.name)).random(given.size)
        for of, each in numbers.items():
            unknown = np.isnan(each)
            prints[of] = np.tensordot(weights, np.where(unknown, -1.0, each), 1)
            prints[of][unknown.all(axis=0)] = np.nan
        gaps = [self.apart(numbers[by.SHOWN[way]], given, way) for way in ways]
        agree = np.stack([(each == 0).mean(axis=0) for each in gaps])
        off = np.stack([each.mean(axis=0) for each in gaps]) + (agree < 0.5)
        return agree == 1, off, np.stack([prints[by.SHOWN[way]] for way in ways])

    def sample(self, few: int) -> Case:
        """All topics, or about `few`: if possible with values between 0 and 1, which tell definitions
        apart."""
        if self.mean is not None or len(self.judged.topics) <= 2 * few:
            return self
        order = np.argsort(np.isin(self.given, (0, 1)), kind="stable")
        topics = np.sort(self.known[order[:few]])
        judged, values = self.judged.part(topics), self.values[topics]
        run = self.run.of_topics(judged.code)
        return replace(self, judged=judged, run=run, values=values)


@dataclass(frozen=True, eq=False)
class Lists:
    """A run in one order: the code of the level at each rank of each topic (T × D), which is its place in
    `levels`.

    Unjudged documents have the level 0, and the code `end` is behind the last. If tied documents share their
    gains, `ties` has the number of the tie group of each document in the lists, one after another. `best` has
    the codes of all judged documents, the best first (T × J). `ranks` is trec_eval's order in each run.
    """

    levels: np.ndarray
    code: np.ndarray
    ties: np.ndarray | None
    best: np.ndarray
    ranks: tuple[JudgedRanks, ...]

    @property
    def end(self) -> int:
        return self.levels.size - 1

    @cached_property
    def inside(self) -> np.ndarray:
        """Whether a list has a document at a rank (T × D)."""
        return np.asarray(self.code < self.end)


def joined(runs: Sequence[Lists]) -> Lists:
    """The lists of several runs as those of one."""
    first, depth = runs[0], max(each.code.shape[1] for each in runs)
    if len(runs) == 1:
        return first
    missing = [((0, 0), (0, depth - each.code.shape[1])) for each in runs]
    code = [np.pad(each.code, of, constant_values=first.end) for each, of in zip(runs, missing)]
    ties = None
    if any(each.ties is not None for each in runs):
        groups = [np.arange(each.inside.sum()) if each.ties is None else each.ties for each in runs]
        ties = np.concatenate([number / len(runs) + each for number, each in enumerate(groups)])
    best, ranks = np.concatenate([each.best for each in runs]), sum((each.ranks for each in runs), ())
    return Lists(first.levels, np.concatenate(code), ties, best, ranks)


class Documents:
    """The retrieved documents of a case, and behind them the judged ones that are not retrieved, a row each.

    `topic`, `code` (of its level), `score`, `place`, `id_order` (place among all ids, descending),
    `is_judged` and `is_retrieved` describe a row. `levels` are those of the qrels and 0, the highest first,
    and NaN. `best` and `ranks` are as in `Lists`.
    """

    def __init__(self, judged: Judged, run: Rows):
        self.topic_count, self.ranks = len(judged.topics), reduced(judged, run)
        listed = self.ranks.listed
        missed = np.delete(np.arange(judged.level.size), self.ranks.doc)
        topic = np.repeat(np.arange(self.topic_count), np.diff(listed.offsets))
        self.topic = np.concatenate((topic, judged.topic[missed]))
        self.place = np.arange(self.topic.size)
        self.is_retrieved = self.place < topic.size
        level = np.concatenate((np.full(topic.size, np.nan), judged.level[missed]))
        level[self.ranks.row[self.ranks.position]] = judged.level[self.ranks.doc]
        self.is_judged = ~np.isnan(level)
        self.levels = np.append(np.unique([0.0, *judged.all_levels])[::-1], np.nan)
        self.code = self.coded(np.nan_to_num(level))
        self.score = np.concatenate((listed.values, np.full(missed.size, -np.inf)))
        ids = Ids.concatenated([listed.docs.ids(), judged.rows.docs.ids().take(missed)])
        self.id_order = np.empty_like(self.place)
        self.id_order[ids.descending(np.zeros_like(self.topic))] = self.place
        self.best = np.sort(self.matrix(judged.topic, self.coded(judged.level)), axis=1)
        self.sorted, self.lists, self.different = cache(self._sorted), cache(self._lists), dict[Any, Lists]()

    def coded(self, level: np.ndarray) -> np.ndarray:
        """The code of each level."""
        return np.searchsorted(-self.levels[:-1], -level)

    def matrix(self, topic: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The codes of each topic as a row, with the code of the end behind them."""
        size = np.bincount(topic, minlength=self.topic_count)
        result = np.full((size.size, max(int(size.max(initial=0)), 1)), self.levels.size - 1)
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
        lists = Lists(self.levels, code, ties, self.best, (self.ranks,))
        return self.different.setdefault(key, lists)


def values_by_topic(source: Any, topics: Collection[str], name: str | None) -> dict[str, float]:
    """The value of each topic from a path, a mapping, a table, or rows such as ir-measures' metrics.

    `topics` are those of the qrels. `name` is the measure to take if the source has several. Raises
    `GradedError` for values that cannot be read, for several measures, and if no topic is in the qrels.
    """
    if isinstance(source, Real):
        raise GradedError(f"values={source!r} is one number; give a mean as mean={source!r}")
    where = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "values"
    if hasattr(source, "items") and not hasattr(source, "columns"):
        source = {str(topic): each for topic, each in source.items()}
        source = source if any(isinstance(each, Mapping) for each in source.values()) else [*source.items()]
    frame = frame_of(source, FORMS).drop(columns="run", errors="ignore")
    if column_name(where, [frame.index.name, *frame], COLUMNS[0]) is None:
        if 0 in frame or 1 in frame.index:  # the columns have no names, or others
            if len(frame.columns) not in (2, 3):
                raise GradedError(f"{where}: cannot be read as {FORMS}")
            frame = frame.set_axis(COLUMNS if len(frame.columns) == 3 else COLUMNS[::2], axis=1)
        else:  # a column for each topic, a row for each measure
            frame = frame.rename_axis("measure").reset_index().melt("measure", var_name=COLUMNS[0])
    cells = cells_of(frame, where, "", (), False).astype({"topic": str, "measure": str})
    if cells["measure"].isin(topics).sum() > cells["topic"].isin(topics).sum():
        cells = cells.rename(columns={"measure": "topic", "topic": "measure"})  # ir_measures' order
    cells = cells[cells["topic"].isin(topics) | ~cells["topic"].isin(MEANS)]
    measures = [*cells["measure"].unique()]
    chosen = measures[0] if name is None and len(measures) == 1 else name
    if chosen not in measures:
        raise GradedError(f"{where}: give the name of one of its measures (--name): {listed(measures, 8)}")
    cells = cells[cells["measure"] == chosen]
    values = dict(zip(cells["topic"], cells["value"].tolist()))
    for twice in cells["topic"][cells["topic"].duplicated()]:
        raise GradedError(f"{where}: topic {shown(twice)} has two values")
    if values.keys().isdisjoint(topics):
        first = shown(next(iter(values)))
        raise GradedError(f"{where}: none of its topics (such as {first}) is in the qrels; give {FORMS}")
    return values


def decimals_of(numbers: Collection[float | str]) -> int:
    """The most decimals that a number shows, at most `MOST_DECIMALS`.

    Zeros behind all of several numbers do not count, and several numbers without decimals are exact.

    >>> decimals_of([0.25, 0.178]), decimals_of(["0.1780"]), decimals_of([1e-9]), decimals_of([0, 1])
    (3, 4, 6, 6)
    """
    exact = [Decimal(each if isinstance(each, str) else f"{each:.10g}") for each in numbers]
    several = len(exact) > 1
    most = max(-int((each.normalize() if several else each).as_tuple().exponent) for each in exact)
    return MOST_DECIMALS if several and most <= 0 else min(max(most, 0), MOST_DECIMALS)
