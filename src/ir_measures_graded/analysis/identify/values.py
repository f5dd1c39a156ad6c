"""The values of definitions.

A run is label matrices: the level at each rank of each topic, in every order that is tried. Matrix products
give the DCG of all topics for all gains, discounts and cutoffs. nDCG is a ratio that is linear in the gains
of the levels, so least squares over topics finds gains that no table has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core import provider
from ...core.by_topic import changes, positions
from ...core.measures.topics import ratio
from ...core.ranking.gains import gain_of
from ...core.ranking.judged import Judged
from ...core.ranking.ranks import JudgedRanks
from ...core.reduction import reduced
from ...core.registry.facts import is_graded
from ...core.rows.id_matching import Ids
from ...core.rows.rows import Rows
from ...errors import GradedError
from . import definitions as by

TWICE_ROUNDED = (
    0.56  # the tolerance in units of the last decimal: the value was perhaps rounded twice
)
SINGLE = 3e-7  # the relative error of tools that compute with 32-bit floats
PERCENT_FROM = 1.01  # larger values may be percentages
# Values lie closer together than random numbers. With this factor, one value with four decimals is no
# evidence: in a trial with definitions that are not tried, 1 of 20 such values was that of another one.
SPREAD = 3
TOPICS = 96  # the number of topics that are used if there are many more
SPARE = 3  # the number of telling topics beyond the number of levels that make a solution credible
NEAR = (
    8.0  # a solution is rounded, and verified, if it misses no value by more tolerances than this
)
LOWEST = range(1, 21)  # the whole gains that the lowest level may have
MOST_LEVELS = 32
TABLES = 48  # the number of tables that are verified

# The definitions to try: all combinations of a table for each dimension. A table maps the names of values
# to what they do, as in `definitions`, the likeliest first.
Space = Mapping[str, Mapping[str, Any]]
# Definitions (C), all combinations of the values of their dimensions up to that of nothing, and what they
# give for each topic and order (T × orders × C). An empty name stands for none: a value of nothing that
# does not matter, for example. Values are NaN if the definition leaves the topic out, or cannot be
# computed.
Block = tuple[Sequence[Iterable[str]], np.ndarray]


@dataclass(eq=False)
class Case:
    """Runs, the qrels, and the numbers given: values, one per topic (NaN if unknown), or `means`.

    Several runs are as one, in which each has topics of its own. `others` counts the topics of each run that
    the qrels lack. In `repeated` topics, a document was retrieved twice, and dropped. `known` are the topics
    that have a value; all for means. `decimals` are those of the `given` numbers, `digits` the same but 2
    more for percentages. Numbers agree within the `tolerance`. `coincidence` is the probability that one
    definition, which was not meant, gives all numbers: for each number that of the same decimals, or for
    values that are frequent, such as 0 and 1, their share.

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
        self.digits = self.decimals + (2 if self.given.max() > PERCENT_FROM else 0)
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
        self.id_order = np.argsort(ids.descending(np.zeros_like(self.topic)))
        self.best = np.sort(self.matrix(judged.topic, self.coded(judged.level)), axis=1)
        self.sorted = cache(self._sorted)
        self.lists = cache(self._lists)
        self.different: dict[Any, Lists] = {}

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
            low, high = (
                given - 1e-9 * 10.0**-self.decimals,
                given + (1 - 1e-9) * 10.0**-self.decimals,
            )
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
        all, and 1 more if most differ. Prints are NaN if all values are NaN. Those of means have the values
        by topic, too.
        """
        given, found = self.given.reshape(-1, 1, 1, 1), []
        weights = np.random.default_rng(0).random(len(values))
        by_topic = (
            0 if self.means is None else np.tensordot(weights, np.nan_to_num(values, nan=-1.0), 1)
        )
        shown = self.shown(values, sets, {by.SHOWN[way] for way in ways})
        for way in ways:
            numbers = shown[by.SHOWN[way]]
            gaps = self.apart(numbers, given, way)
            agree = np.mean(gaps == 0, axis=0)
            prints = (
                np.tensordot(weights[: given.size], np.nan_to_num(numbers, nan=-1.0), 1) + by_topic
            )
            prints[np.isnan(numbers).all(axis=0)] = np.nan
            found.append((agree == 1, gaps.mean(axis=0) + (agree < 0.5), prints))
        fits, off, printed = map(np.stack, zip(*found, strict=True))
        return fits, off, printed

    def shown(
        self, values: np.ndarray, sets: Sequence[str], ways: Iterable[by.Function]
    ) -> dict[by.Function, np.ndarray]:
        """The numbers of definitions with these values in each way (numbers × sets × orders × C)."""
        if self.means is None:
            return {of: of(values[self.known, None]) for of in ways}
        is_known, members = (
            ~np.isnan(values),
            np.stack([self.members[name] for name in sets], axis=1),
        )
        size = np.tensordot(members[..., :-1], is_known, 1) + members[..., -1:, None]
        size[..., ~is_known.any(axis=0)] = np.nan
        values = np.nan_to_num(values)
        return {of: ratio(np.tensordot(members[..., :-1], of(values), 1), size) for of in ways}

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
        score = (
            np.where(self.is_retrieved, self.score, missing)
            if precision
            else np.zeros_like(self.score)
        )
        with np.errstate(over="ignore"):
            score = score.astype(by.PRECISIONS.get(precision, np.float64))
        rows = np.lexsort((-score, self.topic))
        return rows, np.cumsum(changes(self.topic[rows]) | changes(score[rows]))

    def _lists(self, order: by.Order) -> Lists:
        """The run in an order; orders that are the same here have the same lists."""
        way, precision, documents = order
        rows, group = self.sorted(precision, 0.0 if documents == by.SCORED_0 else -np.inf)
        kept = by.DOCUMENTS[documents](self)[rows]
        rows, group = rows[kept], group[kept]
        starts = changes(group)
        tied = np.flatnonzero(~(starts & np.append(starts[1:], True)))
        rows[tied] = rows[tied][np.lexsort((by.ORDERS[way](self)[rows[tied]], group[tied]))]
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


def around(space: Space, definitions: Iterable[by.Definition]) -> Space:
    """The smallest space that has these definitions."""
    columns = dict(
        zip(by.Definition._fields, map(set, zip(*definitions, strict=True)), strict=True)
    )
    return {name: {v: of[v] for v in of if v in columns[name]} for name, of in space.items()}


def blocks(space: Space, stack: Sequence[Lists]) -> Iterator[Block]:
    """All definitions in some orders of the same documents; measure strings are those of trec_eval's."""
    first, cuts, none = stack[0], np.array([*space["cutoff"].values()]), ("",)
    shape = len(first.code), len(stack), -1
    code = np.stack([each.code for each in stack], axis=1).reshape(-1, first.code.shape[1])
    dcg = cache(lambda: cumulated(space, first, code, cuts, first.ties).reshape(shape))
    ranked = cache(partial(by.Ranked, first, code, cuts))
    for name, of in space["measure"].items():
        plain = [(name,), space["cutoff"], none, none, none, none]
        weighted = [*plain[:2], space["gain"], space["discount"]]
        if name == by.DCG:
            yield [*weighted, none, none], dcg()
        elif name == by.NDCG:
            for ideal, best in zip(
                space["ideal"], ideally_cumulated(space, first, code, cuts), strict=True
            ):
                best = best.reshape(shape[0], -1, dcg().shape[2])
                with np.errstate(all="ignore"):
                    normalised, is_defined = dcg() / best, best > 0
                for nothing, value in (
                    {"": 0.0}.items() if is_defined.all() else space["nothing"].items()
                ):
                    yield [*weighted, (ideal,), (nothing,)], np.where(is_defined, normalised, value)
        elif isinstance(of, Measure):
            strings = [by.at_cutoff(of, cutoff) for cutoff in space["cutoff"]]
            yield (
                plain,
                np.stack([values_at(each, first.case.ranks) for each in strings], axis=1)[:, None],
            )
        else:
            formula, least = of
            with np.errstate(all="ignore"):
                yield plain, formula(ranked(least)).reshape(shape)
    first.case.ranks.computed.clear()  # those of each cutoff would fill the memory


def cumulated(
    space: Space, lists: Lists, code: np.ndarray, cuts: np.ndarray, ties: Any = None
) -> np.ndarray:
    """DCG of lists of codes of levels (T × D) for all cutoffs, gains and discounts (T × cutoffs × …)."""
    distinct, end = np.unique(np.minimum(cuts, code.shape[1]).astype(int), return_inverse=True)
    gains = np.stack([of(lists.case.levels[:-1]) for of in space["gain"].values()])
    gain = np.append(gains, np.zeros((len(gains), 1)), axis=1)[:, code]
    if ties is not None:
        starts, inside = np.flatnonzero(changes(ties)), code < lists.case.end
        sizes = np.diff(starts, append=ties.size)
        gain[:, inside] = np.repeat(
            np.add.reduceat(gain[:, inside], starts, axis=1) / sizes, sizes, axis=1
        )
    rank = np.arange(1, code.shape[1] + 1, dtype=np.float64)
    discount = np.stack([1 / each(rank) for each in space["discount"].values()], axis=1)
    limits = zip([0, *distinct[:-1].tolist()], distinct.tolist(), strict=True)
    found = np.cumsum([gain[:, :, a:b] @ discount[a:b] for a, b in limits], axis=0)[end]
    return found.transpose(2, 0, 1, 3).copy()


def ideally_cumulated(
    space: Space, lists: Lists, code: np.ndarray, cuts: np.ndarray
) -> Iterator[np.ndarray]:
    """The same of the ideal lists of each kind, which are those of all orders, except for `ANEW`."""
    depth, ends = code.shape[1], np.append(cuts, np.inf)
    longest = int(cuts[np.isfinite(cuts)].max(initial=depth))
    for ideal, of in space["ideal"].items():
        if ideal == by.ANEW:
            tops = [
                np.sort(code[:, :k], axis=1) for k in np.minimum(cuts, depth).astype(int).tolist()
            ]
            yield np.concatenate([cumulated(space, lists, top, ends[-1:]) for top in tops], axis=1)
        else:
            best = cumulated(space, lists, of(lists, longest), ends)
            yield np.repeat(best[:, -1:], cuts.size, axis=1) if ideal == by.UNCUT else best[:, :-1]


def values_at(measure: Measure | None, ranks: JudgedRanks) -> np.ndarray:
    """The values of a measure; NaN for none, and if the data do not allow it."""
    with suppress(GradedError):  # a gain above max_gain, for example
        if measure is not None:
            values = np.nan_to_num(provider.values_of(measure, ranks))
            return (
                values if is_graded(measure) else np.where(ranks.retrieved, values, measure.DEFAULT)
            )
    return np.full(len(ranks.judged.topics), np.nan)


def values_of(space: Space, case: Case, definition: by.Definition) -> np.ndarray:
    """The value of a definition for each topic, as it is shown; NaN where it leaves the topic out."""
    lists = case.lists((definition.order, definition.precision, definition.documents))
    ((_, values),) = blocks(around(space, [definition]), [lists])
    return by.SHOWN[definition.shown](values[:, 0, 0])


def solved_gains(space: Space, case: Case) -> dict[str, by.Function]:
    """Tables of whole gains with which some nDCG comes near all values, by name, as ``solved: 1:1, 2:3``."""
    case = case.sample(TOPICS)
    levels, values = np.unique(case.judged.all_levels), case.values
    levels, telling = levels[levels > 0], np.flatnonzero((values > 0) & (values != 1))
    if not 1 < levels.size <= min(telling.size - SPARE, MOST_LEVELS):
        return {}
    space = {**space, "gain": {f"{level:g}": partial(np.equal, level) for level in levels}}
    solutions: list[tuple[float, list[float]]] = []
    cuts = np.array([*space["cutoff"].values()])
    for lists in dict.fromkeys(map(case.lists, by.orders(space))):
        # The discounts that each level collects in the run, and in an ideal list (T × L × W).
        of_run = by_level(cumulated(space, lists, lists.code, cuts, lists.ties))[telling]
        for best in ideally_cumulated(space, lists, lists.code, cuts):
            of_ideal = by_level(best)[telling]
            apart = of_run - values[telling, None, None] * of_ideal
            gains = np.linalg.eigh(np.einsum("tlw,tmw->wlm", apart, apart))[1][:, :, 0]
            off, ideal = (np.abs(np.einsum("tlw,wl->tw", of, gains)) for of in (apart, of_ideal))
            near = (off < NEAR * case.tolerance * ideal).all(axis=0)
            gap = (off[:, near] / ideal[:, near]).max(axis=0)
            solutions += zip(gap.tolist(), gains[near].tolist(), strict=True)
    tables = dict.fromkeys(table for _, gains in sorted(solutions) for table in whole(gains))
    gains_of = [dict(zip(levels.tolist(), table, strict=True)) for table in list(tables)[:TABLES]]
    names = [
        ", ".join(f"{level:g}:{gain:g}" for level, gain in gains.items()) for gains in gains_of
    ]
    return {
        f"solved: {name}": partial(gain_of, gains=gains)
        for name, gains in zip(names, gains_of, strict=True)
    }


def by_level(found: np.ndarray) -> np.ndarray:
    """The cumulated gains of levels, for each way to cut and to discount (T × L × W)."""
    return np.moveaxis(found, 2, 1).reshape(len(found), found.shape[2], -1)


def whole(gains: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """A solution, whose unit and sign are free, as whole gains."""
    positive = np.maximum(np.divide(gains, max(gains, key=abs)), 0)
    positive = positive / positive[positive > 1e-3].min()
    for lowest in LOWEST:
        found = np.rint(positive * lowest).astype(np.int64)
        yield tuple((found // np.gcd.reduce(found)).tolist())
