"""The search: every definition on every run, and how far its values are from the given ones.

One matrix product gives the DCG of all topics for all gains, discounts and cutoffs. Orders of a run with the
same levels at all ranks share all results, and so do ideal lists that do not depend on the order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...by_topic import changes
from ...errors import GradedError
from ...evaluation import trec_eval
from ...evaluation.evaluate import evaluate
from ...evaluation.provider import computed, view
from ...evaluation.reduction import JudgedDocuments
from ...inputs.rows import Rows
from ...measures.base import GradedMeasure
from ...measures.topics import ratio
from ...ranking.gains import LINEAR, plain_number
from ...ranking.judged import Judged
from ...ranking.ranks import JudgedRanks
from ...registry.facts import is_graded
from ...uncertainty import evaluated, evaluated_curve
from . import definitions as by
from .definitions import BASE, Definition, Discount, Gain, Order
from .lists import Documents, Lists, descending

CURVE = 100
"""Measures at cutoffs up to this come from one curve."""
TWICE_ROUNDED = 0.56
"""The tolerance in units of the last decimal: the value was perhaps rounded twice."""
SINGLE = 3e-7
"""The relative error of tools that compute with 32-bit floats."""
SAME = 1e-9
"""Values that differ by less are the same."""
SAMPLE = 96
"""The number of topics on which all definitions are tried if there are more than twice as many."""
CHUNK = 500
"""The number of topics whose values are in memory at a time."""
SLAB = 48
"""The number of cutoffs that are tried at a time."""
NEAREST = 20
"""The number of definitions that are kept if none gives all values."""
VERIFIED = 5
"""Of these, the number that are computed on all topics."""
MOST = 4_000
"""The number of definitions that are kept if they give all values."""


@dataclass(frozen=True)
class Space:
    """The definitions to try: all combinations of `tried`, the values of each dimension.

    `gains`, `discounts` and `strings` map the names of values to their meaning.
    """

    tried: dict[str, tuple[str, ...]]
    gains: dict[str, Gain]
    discounts: dict[str, Discount]
    strings: dict[str, Measure]

    def limited(self, **tried: tuple[str, ...]) -> Space:
        """The space with fewer values of some dimensions."""
        return replace(self, tried=self.tried | tried)

    def around(self, definitions: Iterable[Definition]) -> Space:
        """The smallest space that has these definitions."""
        columns = dict(zip(Definition._fields, map(set, zip(*definitions))))
        columns["shown"] = {*self.tried["shown"]}
        return self.limited(
            **{name: tuple(v for v in of if v in columns[name]) for name, of in self.tried.items()}
        )

    @property
    def cuts(self) -> np.ndarray:
        """The cutoffs as numbers."""
        return np.array([np.inf if k == by.ALL_RANKS else int(k) for k in self.tried["cutoff"]])

    @property
    def orders(self) -> list[Order]:
        """The orders of a run."""
        of, named = self.tried, (by.AS_READ, by.BY_RANK)
        found = product(of["order"], of["precision"] or ("",), of["documents"])
        orders = (Order(order, "" if order in named else precision, docs) for order, precision, docs in found)
        return [*dict.fromkeys(orders)]


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
        qrels = self.qrels.qrels.dicts().items()
        levels = {topic: dict(zip(docs, map(plain_number, docs.values()))) for topic, docs in qrels}
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
        off = (100 * values if way == by.PERCENT else values) - given
        if way == by.TRUNCATED:
            half = 0.5 * 10.0**-self.decimals
            return np.asarray(np.abs(off - half) <= half + 1e-12)
        return np.asarray(np.abs(off) <= self.tolerance + SINGLE * np.abs(given))

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


class Block(NamedTuple):
    """The values of several definitions (C) for each topic (T × C), NaN where one leaves the topic out."""

    names: Sequence[Definition]
    values: np.ndarray


# --------------------------------------------------------------------------------------------- nDCG and DCG


@lru_cache(maxsize=64)
def _names(gains: Any, discounts: Any, cutoffs: Any, *measure: str) -> list[Definition]:
    name, ideal, nothing = measure
    without = by.DCG_ONLY if name == by.NDCG else set()
    return [
        Definition(name, k, gain, discount, ideal, nothing)
        for gain, discount, k in product(gains, discounts, cutoffs)
        if not {gain, discount} & without
    ]


def cumulated_gains(space: Space, lists: Lists, ideals: dict[str, np.ndarray]) -> Iterator[Block]:
    """The blocks of DCG and of nDCG; `ideals` has the DCG of ideal lists that are known."""
    tried = space.tried
    named = tried["gain"], tried["discount"], tried["cutoff"]
    if not all(named) or not {by.NDCG, by.DCG} & {*tried["measure"]}:
        return
    gains, cuts = [space.gains[name] for name in tried["gain"]], space.cuts
    values = cumulated(space, lists.level, gains, cuts, lists.ties)
    if by.DCG in tried["measure"]:
        yield Block(_names(*named, by.DCG, "", ""), values)
    own = [not {gain, discount} & by.DCG_ONLY for gain, discount, _ in product(*named)]
    for ideal in tried["ideal"] if by.NDCG in tried["measure"] else ():
        if ideal not in ideals or ideal == by.ANEW:
            ideals[ideal] = ideally_cumulated(space, lists, gains, cuts, ideal)[:, own]
        best = ideals[ideal]
        for nothing in tried["nothing"]:
            filled = np.full(best.shape, by.VALUE_OF[nothing])
            normalised = np.divide(values[:, own], best, out=filled, where=best > 0)
            yield Block(_names(*named, by.NDCG, ideal, nothing), normalised)


def cumulated(
    space: Space, level: np.ndarray, gains: Sequence[Gain], cuts: np.ndarray, ties: np.ndarray | None = None
) -> np.ndarray:
    """DCG of lists of levels (T × D) for all gains, discounts and cutoffs (T × C)."""
    inside = ~np.isnan(level)
    gain = np.stack([np.where(inside, each(np.where(inside, level, 0.0)), 0.0) for each in gains])
    if ties is not None:
        starts, sizes = np.flatnonzero(changes(ties)), np.bincount(ties)
        means = np.add.reduceat(gain[:, inside], starts, axis=1) / sizes
        gain[:, inside] = np.repeat(means, sizes, axis=1)
    rank = np.arange(1, level.shape[1] + 1, dtype=np.float64)
    discount = np.stack([1 / space.discounts[name](rank) for name in space.tried["discount"]], axis=1)
    weights = discount[:, :, None] * (rank[:, None, None] <= cuts)
    found = gain.reshape(-1, rank.size) @ weights.reshape(rank.size, -1)
    return np.moveaxis(found.reshape(len(gains), len(level), -1), 0, 1).reshape(len(level), -1)


def ideally_cumulated(
    space: Space, lists: Lists, gains: Sequence[Gain], cuts: np.ndarray, ideal: str
) -> np.ndarray:
    """The same of the ideal lists of a kind."""
    level, best, top, unlimited = lists.level, lists.best, lists.top, np.isinf(cuts)
    of = partial(cumulated, space, gains=gains)
    if ideal == by.AS_LONG:
        size = (~np.isnan(level)).sum(axis=1, keepdims=True)
        best = np.where(np.arange(best.shape[1]) < size, best, np.nan)
    elif ideal == by.RETRIEVED:
        best = descending(level)
    elif ideal in (by.TOP, by.TOP_RETRIEVED):
        returned = of(np.where(np.isnan(level), np.nan, top), cuts=cuts)
        longest = int(max(1, cuts[~unlimited].max(initial=0)))
        every = of(np.full((len(level), longest), top), cuts=cuts)
        per_column = np.tile(unlimited | (ideal == by.TOP_RETRIEVED), every.shape[1] // cuts.size)
        return np.where(per_column, returned, every)
    elif ideal == by.ANEW:
        firsts = [level[:, : int(min(k, level.shape[1]))] for k in cuts]
        found = [of(descending(first), cuts=np.array([np.inf])) for first in firsts]
        return np.stack(found, axis=2).reshape(len(level), -1)
    return of(best, cuts=np.full(cuts.shape, np.inf) if ideal == by.UNCUT else cuts)


# --------------------------------------------------------------------------------------------- other measures


def other_sums(space: Space, lists: Lists) -> Iterator[Block]:
    """The measures that no measure string has: `SUMS` and `DENOMINATORS`."""
    cuts, cutoffs, wanted = space.cuts, space.tried["cutoff"], {*space.tried["measure"]}
    rank, inside = np.arange(1, lists.level.shape[1] + 1), ~np.isnan(lists.level)
    level, at = np.maximum(np.nan_to_num(lists.level), 0), np.minimum(cuts, rank.size).astype(int) - 1
    for name in by.SUMS.keys() & wanted:
        with np.errstate(all="ignore"):
            terms = np.nan_to_num(by.SUMS[name](level, np.fmax(lists.best[:, :1], 0), rank)) * inside
        yield Block([Definition(name, k) for k in cutoffs], np.cumsum(terms, axis=1)[:, at])
    for least, threshold in by.thresholds(lists.ranks.judged.all_levels).items():
        hits = lists.level >= least
        found = np.cumsum(hits, axis=1)
        relevant, retrieved = (lists.best >= least).sum(axis=1), inside.sum(axis=1)
        precisions = np.cumsum(hits * found / rank, axis=1)
        counts = by.Counts(cuts, found[:, at], precisions[:, at], relevant[:, None], retrieved[:, None])
        for name, formula in by.DENOMINATORS.items():
            if (full := name.format(threshold)) in wanted:
                yield Block([Definition(full, k) for k in cutoffs], formula(counts))


def of_strings(space: Space, case: Case, order: Order, ranks: JudgedRanks) -> Iterator[Block]:
    """The block of measure strings, computed by the formulas of this package, or by ir-measures' other
    providers; in other orders than trec_eval's, only those that often depend on it."""
    names: list[Definition] = []
    columns: list[np.ndarray] = []
    known: tuple[dict[Any, Any], dict[Any, Any]] = {}, {}
    usual = order._replace(documents=by.EVERY) == BASE
    for name, measure in space.strings.items():
        if name not in space.tried["measure"] or not (usual or measure.NAME in by.ANY_ORDER):
            continue
        if order.documents == by.JUDGED_ONLY and "judged_only" not in measure.SUPPORTED_PARAMS:
            continue
        cuts = {cutoff: cut for cutoff in space.tried["cutoff"] if (cut := by.at_cutoff(measure, cutoff))}
        names += [Definition(name, cutoff) for cutoff in cuts]
        columns += _at_cutoffs(measure, cuts, case, ranks, *known)
    if names:
        yield Block(names, np.stack(columns, axis=1))


def _at_cutoffs(
    measure: Measure, cuts: dict[str, Measure], case: Case, ranks: JudgedRanks, views: Any, lists: Any
) -> Iterator[np.ndarray]:
    """The values of a measure at each cutoff; NaN if the data do not allow it."""
    if is_foreign(measure):
        yield from values_by_others([*cuts.values()], case)
        return
    curve: np.ndarray | None = None
    has_curve = is_graded(measure) and measure.CUTOFF and type(measure).curve is not GradedMeasure.curve
    for cutoff, cut in cuts.items():
        try:
            if has_curve and cutoff != by.ALL_RANKS and int(cutoff) <= CURVE:
                if curve is None:
                    compute = partial(evaluated_curve, measure, depth=CURVE)
                    curve = computed(measure, view(measure, ranks, views, cut=False), compute, (CURVE,))
                yield curve[:, int(cutoff) - 1]
            else:
                yield values_of_measure(cut, case, ranks, views, lists)
        except GradedError:  # a gain above max_gain, for example
            yield np.full(ranks.retrieved.size, np.nan)


def values_of_measure(
    measure: Measure, case: Case, ranks: JudgedRanks, views: Any = None, lists: Any = None
) -> np.ndarray:
    """The values of a measure of this package or ir-measures."""
    if is_graded(measure):
        return computed(measure, view(measure, ranks, views), partial(evaluated, measure))
    if is_foreign(measure):
        return values_by_others([measure], case)[0]
    return np.asarray(np.nan_to_num(trec_eval.values(measure, ranks, {} if lists is None else lists)))


def is_foreign(measure: Measure) -> bool:
    """Whether other providers of ir-measures compute the measure, if any do, which takes long."""
    cuts = filter(None, (by.at_cutoff(measure, cutoff) for cutoff in ("", "10")))
    return any(not is_graded(cut) and not trec_eval.computes(cut) for cut in cuts)


def values_by_others(measures: list[Measure], case: Case) -> list[np.ndarray]:
    """The values of each measure by ir-measures' other providers; NaN where they fail."""
    qrels, run = case.dicts
    try:
        found = evaluate(qrels, {"run": run}, measures)
    except GradedError:
        if len(measures) == 1:
            return [np.full(len(case.judged.topics), np.nan)]
        return [values_by_others([measure], case)[0] for measure in measures]
    number = {topic: row for row, topic in enumerate(found.topics)}
    values = np.append(found.values[0], np.zeros((len(measures), 1)), axis=1)
    return [*values[:, [number.get(topic, -1) for topic in case.judged.topics]]]


# --------------------------------------------------------------------------------------------- the search


class Tally(NamedTuple):
    """The sums of the values of a block, over the topics of one case or several.

    `sums` has the errors (C × averaged × shown), or of a mean the sums of which it is made. The `prints` (C)
    of definitions with the same values are the same.
    """

    names: Sequence[Definition]
    sums: np.ndarray
    prints: np.ndarray


Tallies = dict[tuple[Order, int], Tally]


def blocks(space: Space, case: Case, order: Order, lists: Lists, ideals: Any) -> Iterator[Block]:
    """All definitions in an order."""
    yield from cumulated_gains(space, lists, ideals)
    yield from other_sums(space, lists)
    if order.order != by.MEAN and order.documents in (by.EVERY, by.JUDGED_ONLY):
        yield from of_strings(space, case, order, lists.ranks)


def tallies(space: Space, cases: Iterable[Case]) -> Tallies:
    """The errors of all definitions, summed over the cases; 0 for a definition that gives all values."""
    total: Tallies = {}
    for case in cases:
        of_case: Tallies = {}
        for part in case.parts():
            tally = partial(_of_values if case.mean is None else _of_means, part, space.tried["shown"])
            seen: dict[Any, list[Tally]] = {}
            ideals: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
            for order in space.orders:
                lists = part.documents.lists(order)
                key = lists.key, order.documents, order.order in (by.MEAN, BASE.order)
                if key not in seen:
                    found = blocks(space, part, order, lists, ideals[order.documents])
                    seen[key] = [tally(block) for block in found]
                _add(of_case, {(order, number): each for number, each in enumerate(seen[key])})
        if case.mean is not None:
            of_case = {place: _of_mean(case, space.tried["shown"], each) for place, each in of_case.items()}
        _add(total, of_case)
    return total


def _add(total: Tallies, others: Tallies) -> None:
    for place, (names, sums, prints) in others.items():
        old = total.get(place)
        total[place] = Tally(names, old.sums + sums, old.prints + prints) if old else others[place]


def _prints(case: Case, block: Block) -> np.ndarray:
    left_out = np.isnan(block.values) & ~np.isnan(block.values).all(axis=0)
    values = np.where(left_out, -1.0, block.values)
    return np.asarray(case.weights[case.known] @ values[case.known])


def _of_values(case: Case, shown: Sequence[str], block: Block) -> Tally:
    """The number of topics that differ, and a fraction for how much."""
    value, values = case.values[case.known, None], block.values[case.known]
    wrong = np.stack([(~case.fits(values, value, way)).sum(axis=0) for way in shown], axis=1)
    off = np.fmin(np.abs(values - value), 1).sum(axis=0) / max(case.known.size, 1)
    sums = (wrong + 0.49 * off[:, None] * (wrong > 0)).astype(np.float32)
    return Tally(block.names, sums[:, None], _prints(case, block))


def _of_means(case: Case, shown: Sequence[str], block: Block) -> Tally:
    """For each set of averaged topics, the sums of the values in each way and the number of topics."""
    member, counted = averaged_topics(case.documents), ~np.isnan(block.values)
    values = np.where(counted, block.values, 0.0)
    sums = [member @ by.SHOWN_FIRST.get(way, np.asarray)(values) for way in shown]
    return Tally(block.names, np.stack([*sums, member @ counted]), _prints(case, block))


def _of_mean(case: Case, shown: Sequence[str], tally: Tally) -> Tally:
    """The difference of each mean from the given one, in units of the last decimal; 0 if it fits."""
    assert case.mean is not None
    *sums, size = tally.sums
    size = size + case.others * (np.array(by.AVERAGED)[:, None] == by.RUN_TOPICS)
    found = []
    for way, total in zip(shown, sums):
        mean = ratio(total, size)
        _cover(case.covered, mean, way)
        off = 1 + np.abs((100 * mean if way == by.PERCENT else mean) - case.mean) * 10.0**case.decimals
        found.append(np.where(case.fits(mean, case.mean, way), 0, off).T)
    return Tally(tally.names, np.stack(found, axis=2).astype(np.float32), tally.prints)


def _cover(covered: np.ndarray, mean: np.ndarray, way: str) -> None:
    """Note the means from 0 to 1 that would fit."""
    exact = mean[(mean >= 0) & (mean <= 1)] * (covered.size - 1)
    off = {by.TRUNCATED: (0.0,), by.PERCENT: ()}.get(way, (TWICE_ROUNDED, 1 - TWICE_ROUNDED))
    for each in off:
        covered[np.floor(exact + each).clip(max=covered.size - 1).astype(np.int64)] = True


def averaged_topics(documents: Documents) -> np.ndarray:
    """The topics of each mean (averaged × T), in the order of `AVERAGED`."""
    found = documents.retrieved & (np.nan_to_num(documents.level) > 0)
    in_run, has_found = (
        np.bincount(documents.topic[rows], minlength=documents.count) > 0
        for rows in (documents.retrieved, found)
    )
    relevant = documents.judged.relevant(LINEAR) > 0
    return np.stack((np.ones_like(in_run), in_run, in_run, relevant, has_found)).astype(np.float64)


@dataclass(frozen=True)
class Found:
    """The numbers of definitions that were tried and that fit; the first that fit, with their prints; the
    nearest, with their errors."""

    tried: int = 0
    count: int = 0
    matches: dict[Definition, float] = field(default_factory=dict)
    nearest: list[tuple[float, Definition]] = field(default_factory=list)

    def plus(self, other: Found) -> Found:
        """The combined findings of two searches."""
        nearest = sorted(self.nearest + other.nearest, key=itemgetter(0))[:NEAREST]
        return Found(
            self.tried + other.tried, self.count + other.count, self.matches | other.matches, nearest
        )

    @property
    def complete(self) -> bool:
        """Whether all definitions that fit were kept."""
        return self.count <= len(self.matches)


def search(space: Space, cases: Sequence[Case], few: int) -> Found:
    """Try all definitions, on a `few` of the topics if there are many, and verify those that remain on
    all."""
    samples, cutoffs = [case.sample(few) for case in cases], space.tried["cutoff"]
    found = Found()
    for start in range(0, len(cutoffs), SLAB):
        slab = space.limited(cutoff=cutoffs[start : start + SLAB])
        found = found.plus(_found(slab, tallies(slab, samples)))
    if not found.complete or all(sample is case for sample, case in zip(samples, cases)):
        return found
    near = {*found.matches} or {definition for _, definition in found.nearest[:VERIFIED]}
    verified = _found(space, tallies(space.around(near), cases))
    return replace(verified, tried=found.tried)


def _found(space: Space, total: Tallies) -> Found:
    """The definitions without an error, or the nearest ones."""
    errors = [np.where(np.isnan(each.prints)[:, None, None], np.inf, each.sums) for each in total.values()]
    least = [np.partition(each.ravel(), min(NEAREST, each.size) - 1)[:NEAREST] for each in errors]
    limit = np.sort(np.concatenate([*least, [np.inf]]))[:NEAREST][-1]
    found: list[tuple[float, Definition, float]] = []
    for ((order, _), tally), error in zip(total.items(), errors):
        for c, a, s in np.argwhere((error <= limit) & np.isfinite(error))[: MOST + 1 - len(found)]:
            averaged = by.AVERAGED[a] if error.shape[1] > 1 else ""
            last = {"averaged": averaged, "shown": space.tried["shown"][s]}
            definition = tally.names[c]._replace(**order._asdict(), **last)
            found.append((float(error[c, a, s]), definition, float(tally.prints[c])))
    return Found(
        sum(int(np.isfinite(error).sum()) for error in errors),
        sum(int((error == 0).sum()) for error in errors),
        {definition: value for error, definition, value in found if error == 0},
        sorted(((error, definition) for error, definition, _ in found), key=itemgetter(0))[:NEAREST],
    )


def values_of(space: Space, case: Case, definition: Definition) -> np.ndarray:
    """The value of a definition for each topic, as it is shown; NaN where it leaves the topic out."""
    space, order, found = space.around([definition]), definition.list_order, []
    for part in case.parts():
        for block in blocks(space, part, order, part.documents.lists(order), {}):
            if definition.formula in block.names:
                found.append(block.values[:, block.names.index(definition.formula)])
    return np.concatenate(found) * (100 if definition.shown == by.PERCENT else 1)
