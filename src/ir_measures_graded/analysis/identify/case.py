"""The data of a search: runs with the numbers given for them, their rows as arrays, and the lists
of each order of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core.by_topic import changes, positions
from ...core.measures.topics import ratio
from ...core.ranking.judged import Judged
from ...core.ranking.ranks import JudgedRanks
from ...core.reduction import reduced
from ...core.rows.id_matching import Ids
from ...core.rows.rows import Rows
from .dimensions import (
    AVERAGED,
    DOCUMENTS,
    MEAN,
    MISSED_SCORED_0,
    ORDER,
    PRECISION,
    RUN_TOPICS,
    SHOWN,
    TRUNCATED,
    Function,
    RunOrder,
)

TWICE_ROUNDED = 0.56  # the tolerance in units of the last decimal: values may be rounded twice
SINGLE_PRECISION = 3e-7  # the relative error of tools that compute with 32-bit floats
CUT = 1e-9  # the tolerance of truncated values in units of the last decimal
PERCENT_FROM = 1.01  # larger values may be percentages
# Values lie closer together than random numbers. With this factor, one value with four decimals is
# no evidence: in a trial with definitions that are not tried, 1 of 20 such values was that of
# another one.
SPREAD = 3


@dataclass(frozen=True, eq=False)
class Compared:
    """Definitions compared with the numbers given, each in some ways to show values and over some
    sets of topics (ways × sets × orders × C).

    `fits` tells whether a definition gives all numbers, `distance` how far it is off, and `prints`
    are the same for equal values; NaN if all values are NaN."""

    fits: np.ndarray
    distance: np.ndarray
    prints: np.ndarray


@dataclass(eq=False)
class Case:
    """Runs, the qrels, and the numbers given: values, one per topic (NaN if unknown), or `means`.

    Several runs are as one, in which each has topics of its own. `others` counts the topics of each
    run that the qrels lack. In `repeated` topics, a document was retrieved twice, and dropped.
    `decimals` are those of the numbers given. `left_out` are topics with a value that the qrels
    lack, and `files` the qrels and runs as a command names them. `named` is the measure that the
    user names, if it is one, and `asked` the same if it has its cutoff. `has_predictions` tells
    whether the qrels are labels with features (LETOR), to which runs are predictions of a
    ranker."""

    judged: Judged
    run: Rows
    values: np.ndarray
    means: np.ndarray | None
    decimals: int
    others: np.ndarray
    repeated: np.ndarray
    left_out: tuple[str, ...] = ()
    files: str = ""
    named: Measure | None = None
    asked: Measure | None = None
    has_predictions: bool = False

    @cached_property
    def rows(self) -> CaseRows:
        """The documents as arrays."""
        return CaseRows.of(self.judged, self.run)

    @property
    def by_mean(self) -> bool:
        """Whether the numbers are means."""
        return self.means is not None

    @cached_property
    def known(self) -> np.ndarray:
        """The topics that have a value; all for means."""
        return np.flatnonzero(~np.isnan(self.values) | self.by_mean)

    @cached_property
    def given(self) -> np.ndarray:
        """The numbers given."""
        return self.values[self.known] if self.means is None else self.means

    @property
    def tolerance(self) -> float:
        """Numbers that differ by at most this agree."""
        return float(TWICE_ROUNDED * 10.0**-self.decimals)

    @property
    def digits(self) -> int:
        """The decimals of the numbers given, and 2 more if they are percentages."""
        may_be_percentages = self.given.max() > PERCENT_FROM
        return self.decimals + 2 if may_be_percentages else self.decimals

    @cached_property
    def coincidence(self) -> float:
        """The probability that one definition, which was not meant, gives all numbers.

        For each number, it is that of the same decimals, or for values that are frequent, such as 0
        and 1, their share."""
        _, count = np.unique(self.given, return_counts=True)
        same_decimals = 10.0**-self.digits
        if self.by_mean:
            probability = np.full(count.size, same_decimals)
        else:
            share = (count - 1) / max(self.given.size - 1, 1)
            probability = np.maximum(share, SPREAD * same_decimals)
        return float(np.prod(probability.clip(max=1) ** count))

    @cached_property
    def members(self) -> dict[str, np.ndarray]:
        """The topics of each mean for each run, and last the number of other topics that count as
        0."""
        run_count = self.others.size
        topics_per_run = len(self.judged.topics) // run_count
        own_topics = np.repeat(np.eye(run_count), topics_per_run, axis=1)
        members = {}
        for way in AVERAGED.ways:
            others = self.others if way is RUN_TOPICS else np.zeros_like(self.others)
            is_member = own_topics * way.apply(self.rows)
            members[way.text] = np.column_stack((is_member, others))
        return members

    def gaps(self, values: np.ndarray, wanted: np.ndarray, way: str) -> np.ndarray:
        """The gaps between values, shown in a way, and the wanted ones; 0 if they fit, and 1 for
        NaN."""
        if way == TRUNCATED.text:
            unit = 10.0**-self.decimals
            low = wanted - CUT * unit
            high = wanted + (1 - CUT) * unit
        else:
            tolerance = self.tolerance + SINGLE_PRECISION * np.abs(wanted)
            low = wanted - tolerance
            high = wanted + tolerance
        gaps = np.abs(values - wanted)
        gaps[(low <= values) & (values <= high)] = 0
        gaps[np.isnan(gaps)] = 1
        return gaps

    def compared(self, values: np.ndarray, ways: Sequence[str], sets: Sequence[str]) -> Compared:
        """Definitions with these values (T × orders × C) compared with the numbers given, if they
        are shown in each of the `ways`.

        A mean is over each of the `sets` of topics. The distance is the mean gap of those that
        differ over all, and 1 more if most differ. Prints of means have the values by topic, too.
        """
        wanted = self.given.reshape(-1, 1, 1, 1)
        weights = np.random.default_rng(0).random(len(values))
        by_topic: Any = 0
        if self.by_mean:
            by_topic = np.tensordot(weights, np.nan_to_num(values, nan=-1.0), 1)
        functions = {way: SHOWN.by_text[way].apply for way in ways}
        numbers_of = self.shown(values, sets, set(functions.values()))
        all_fits = []
        distances = []
        all_prints = []
        for way, function in functions.items():
            numbers = numbers_of[function]
            gaps = self.gaps(numbers, wanted, way)
            agreeing = np.mean(gaps == 0, axis=0)
            most_differ = agreeing < 0.5
            known_numbers = np.nan_to_num(numbers, nan=-1.0)
            prints = np.tensordot(weights[: wanted.size], known_numbers, 1) + by_topic
            prints[np.isnan(numbers).all(axis=0)] = np.nan
            all_fits.append(agreeing == 1)
            distances.append(gaps.mean(axis=0) + most_differ.astype(int))
            all_prints.append(prints)
        return Compared(np.stack(all_fits), np.stack(distances), np.stack(all_prints))

    def shown(
        self, values: np.ndarray, sets: Sequence[str], functions: Iterable[Function]
    ) -> dict[Function, np.ndarray]:
        """The numbers of definitions with these values, shown by each function
        (numbers × sets × orders × C)."""
        if self.means is None:
            return {function: function(values[self.known, None]) for function in functions}
        is_known = ~np.isnan(values)
        members = np.stack([self.members[name] for name in sets], axis=1)
        own_topics = members[..., :-1]
        others = members[..., -1:, None]
        size = np.tensordot(own_topics, is_known, 1) + others
        size[..., ~is_known.any(axis=0)] = np.nan
        values = np.nan_to_num(values)
        means = {}
        for function in functions:
            totals = np.tensordot(own_topics, function(values), 1)
            means[function] = ratio(totals, size)
        return means

    def sample(self, topic_count: int) -> Case:
        """All topics, or about so many: if possible with values between 0 and 1, which tell
        definitions apart."""
        if self.by_mean or len(self.judged.topics) <= 2 * topic_count:
            return self
        telling_first = np.argsort(np.isin(self.given, (0, 1)), kind="stable")
        topics = np.sort(self.known[telling_first[:topic_count]])
        judged = self.judged.part(topics)
        run = self.run.of_topics(judged.code)
        return replace(self, judged=judged, run=run, values=self.values[topics])


@dataclass(eq=False)
class CaseRows:
    """The retrieved documents, and behind them the judged ones that are not retrieved, as arrays.

    Each row has its `topic`, `code` (the number of its level), `score`, `place`, `id_order` (its
    place among all ids, descending), `is_judged` and `is_retrieved`, and `is_unknown` tells whether
    no topic judges its document. `levels` are those of the
    qrels and 0, the highest first, and at the `end` NaN. `best` has the codes of all judged
    documents, the best first (T × J). `ranks` is trec_eval's order."""

    ranks: JudgedRanks
    levels: np.ndarray
    topic: np.ndarray
    level: np.ndarray
    score: np.ndarray
    id_order: np.ndarray
    is_unknown: np.ndarray
    best: np.ndarray = field(init=False)
    _tie_groups: dict[tuple[str, float], tuple[np.ndarray, np.ndarray]] = field(
        default_factory=dict
    )
    _lists: dict[RunOrder, Lists] = field(default_factory=dict)
    _different: dict[tuple[str, bytes, bytes], Lists] = field(default_factory=dict)

    @classmethod
    def of(cls, judged: Judged, run: Rows) -> CaseRows:
        """The rows of a run and qrels."""
        ranks = reduced(judged, run)
        missed = np.delete(np.arange(judged.level.size), ranks.doc)
        retrieved_topic = np.repeat(np.arange(len(judged.topics)), ranks.retrieved)
        unjudged = np.full(retrieved_topic.size, np.nan)
        level = np.concatenate((unjudged, judged.level[missed]))
        level[ranks.row[ranks.position]] = judged.level[ranks.doc]
        ids = Ids.concatenated([run.docs.ids(), judged.rows.docs.ids().take(missed)])
        topic = np.concatenate((retrieved_topic, judged.topic[missed]))
        highest_first = np.unique([0.0, *judged.all_levels])[::-1]
        one_group = np.zeros_like(topic)
        no_scores = np.full(missed.size, -np.inf)
        all_known = np.zeros(missed.size, dtype=bool)
        rows = cls(
            ranks=ranks,
            levels=np.append(highest_first, np.nan),
            topic=topic,
            level=level,
            score=np.concatenate((run.values, no_scores)),
            id_order=np.argsort(ids.descending(one_group)),
            is_unknown=np.append(_unknown(run, judged), all_known),
        )
        code_of_judged = rows.coded(judged.level)
        rows.best = np.sort(rows.matrix(judged.topic, code_of_judged), axis=1)
        return rows

    def __post_init__(self) -> None:
        self.end = self.levels.size - 1
        self.place = np.arange(self.topic.size)
        self.is_retrieved = self.place < self.ranks.retrieved.sum()
        self.is_judged = ~np.isnan(self.level)
        self.code = self.coded(np.nan_to_num(self.level))

    def coded(self, level: np.ndarray) -> np.ndarray:
        """The code of each level."""
        return np.searchsorted(-self.levels[:-1], -level)

    def matrix(self, topic: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The codes of each topic as a row, with the code of the end behind them."""
        size = np.bincount(topic, minlength=self.ranks.retrieved.size)
        longest = max(int(size.max(initial=0)), 1)
        matrix = np.full((size.size, longest), self.end)
        matrix[topic, positions(size)] = codes
        return matrix

    def tie_groups(self, precision: str, missing: float) -> tuple[np.ndarray, np.ndarray]:
        """All rows by score, topic after topic, and the number of the tie group of each.

        Documents that are not retrieved have the score `missing`. Without a precision, all scores
        tie."""
        key = precision, missing
        if key not in self._tie_groups:
            score = np.zeros_like(self.score)
            if precision:
                score = np.where(self.is_retrieved, self.score, missing)
                with np.errstate(over="ignore"):
                    score = score.astype(PRECISION.by_text[precision].apply)
            rows = np.lexsort((-score, self.topic))
            starts = changes(self.topic[rows]) | changes(score[rows])
            self._tie_groups[key] = rows, np.cumsum(starts)
        return self._tie_groups[key]

    def lists(self, order: RunOrder) -> Lists:
        """The run in an order; orders that are the same here have the same lists."""
        if order not in self._lists:
            self._lists[order] = self._lists_in(order)
        return self._lists[order]

    def _lists_in(self, order: RunOrder) -> Lists:
        documents = DOCUMENTS.by_text[order.documents]
        missing = 0.0 if documents is MISSED_SCORED_0 else -np.inf
        rows, group = self.tie_groups(order.precision, missing)
        is_listed = documents.apply(self)[rows]
        rows = rows[is_listed]
        group = group[is_listed]
        starts = changes(group)
        is_alone = starts & np.append(starts[1:], True)
        tied = np.flatnonzero(~is_alone)
        tied_rows = rows[tied]
        tie_breaker = ORDER.by_text[order.order].apply(self)
        rows[tied] = tied_rows[np.lexsort((tie_breaker[tied_rows], group[tied]))]
        code = self.matrix(self.topic[rows], self.code[rows])
        is_unknown = np.zeros(code.shape, dtype=bool)
        size = np.bincount(self.topic[rows], minlength=len(code))
        is_unknown[self.topic[rows], positions(size)] = self.is_unknown[rows]
        if order.order == MEAN.text and tied.size:
            lists = Lists(self, code, is_unknown, group)
            key = order.documents, code.tobytes(), group.tobytes()
        else:
            lists = Lists(self, code, is_unknown, None)
            key = order.documents, code.tobytes(), b""
        return self._different.setdefault(key, lists)


def _unknown(run: Rows, judged: Judged) -> np.ndarray:
    """Whether no topic judges the document of each row of a run."""
    retrieved = run.docs.ids()
    of_qrels = judged.whole.rows.docs.ids()
    _, number = Ids.concatenated([retrieved, of_qrels]).numbered()
    return ~np.isin(number[: len(retrieved)], number[len(retrieved) :])


@dataclass(frozen=True, eq=False)
class Lists:
    """The documents of a case in one order: the code of the level at each rank of each topic (T ×
    D), its place in the levels.

    Unjudged documents have the level 0, and the code `end` of the rows is behind the last.
    `is_unknown` tells which documents no topic judges (T × D); orders with the same levels count as
    one, whatever theirs is. If tied
    documents share their gains, `ties` has the number of the tie group of each document, one list
    after another."""

    rows: CaseRows
    code: np.ndarray
    is_unknown: np.ndarray
    ties: np.ndarray | None
