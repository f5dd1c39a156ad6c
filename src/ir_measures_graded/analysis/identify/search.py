"""The search: every definition on every run, and how far its values are from the given ones.

One matrix product gives the DCG of all topics for all gains, discounts and cutoffs. Orders of a run with the
same levels at all ranks share all results, and so do ideal lists that do not depend on the order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import compress, product
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...by_topic import changes
from ...errors import GradedError
from ...evaluation import trec_eval
from ...evaluation.evaluate import evaluate
from ...evaluation.provider import computed, view
from ...measures.base import GradedMeasure
from ...ranking.ranks import JudgedRanks
from ...registry.facts import is_graded
from ...uncertainty import evaluated, evaluated_curve
from . import definitions as by
from .cases import Case, Lists, descending
from .definitions import BASE, Definition, Discount, Gain, Order

CURVE = 100
"""Measures at cutoffs up to this come from one curve."""
SAME = 1e-9
"""Values that differ by less are the same."""
SAMPLE = 96
"""The number of topics on which all definitions are tried if there are more than twice as many."""
SLAB = 48
"""The number of cutoffs that are tried at a time."""
NEAREST = 20
"""The number of definitions that are kept if none gives all values."""
VERIFIED = 5
"""Of these, the number that are computed on all topics."""
MOST = 4_000
"""The number of definitions that are kept if they give all values."""

Block = tuple[Sequence[Definition], np.ndarray]
"""Several definitions (C) and their values for each topic (T × C), NaN where one leaves the topic out."""


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
        columns = dict(zip(Definition._fields, zip(*definitions))) | {"shown": self.tried["shown"]}
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
    tried, gains = space.tried, [space.gains[name] for name in space.tried["gain"]]
    named = tried["gain"], tried["discount"], tried["cutoff"]
    if {by.NDCG, by.DCG}.isdisjoint(tried["measure"]):
        return
    values = cumulated(space, lists.level, gains, space.cuts, lists.ties)
    if by.DCG in tried["measure"]:
        yield _names(*named, by.DCG, "", ""), values
    own = [not {gain, discount} & by.DCG_ONLY for gain, discount, _ in product(*named)]
    for ideal in tried["ideal"] if by.NDCG in tried["measure"] else ():
        if ideal not in ideals or ideal == by.ANEW:
            ideals[ideal] = ideally_cumulated(space, lists, gains, ideal)[:, own]
        best = ideals[ideal]
        for nothing in tried["nothing"]:
            filled = np.full(best.shape, by.VALUE_OF[nothing])
            normalised = np.divide(values[:, own], best, out=filled, where=best > 0)
            yield _names(*named, by.NDCG, ideal, nothing), normalised


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


def ideally_cumulated(space: Space, lists: Lists, gains: Sequence[Gain], ideal: str) -> np.ndarray:
    """The same of the ideal lists of a kind."""
    level, best, cuts, uncut = lists.level, lists.best, space.cuts, np.full(space.cuts.shape, np.inf)
    inside, longest = ~np.isnan(level), cuts[np.isfinite(cuts)].max(initial=1)
    if ideal == by.ANEW:
        firsts = [level[:, : int(min(k, level.shape[1]))] for k in cuts]
        found = [cumulated(space, descending(first), gains, uncut[:1]) for first in firsts]
        return np.stack(found, axis=2).reshape(len(level), -1)
    if ideal == by.TOP:
        returned = ideally_cumulated(space, lists, gains, by.TOP_RETRIEVED)
        every = cumulated(space, np.full((len(level), int(longest)), lists.top), gains, cuts)
        return np.where(np.tile(np.isinf(cuts), every.shape[1] // cuts.size), returned, every)
    if ideal == by.AS_LONG:
        best = np.where(np.arange(best.shape[1]) < inside.sum(axis=1, keepdims=True), best, np.nan)
    elif ideal == by.RETRIEVED:
        best = descending(level)
    elif ideal == by.TOP_RETRIEVED:
        best = np.where(inside, lists.top, np.nan)
    return cumulated(space, best, gains, uncut if ideal == by.UNCUT else cuts)


# --------------------------------------------------------------------------------------------- other measures


def other_sums(space: Space, lists: Lists) -> Iterator[Block]:
    """The measures that no measure string has: `SUMS` and `QUOTIENTS`."""
    cuts, cutoffs, wanted = space.cuts, space.tried["cutoff"], {*space.tried["measure"]}
    rank, inside = np.arange(1, lists.level.shape[1] + 1), ~np.isnan(lists.level)
    level, at = np.maximum(np.nan_to_num(lists.level), 0), np.minimum(cuts, rank.size).astype(int) - 1
    for name in filter(wanted.__contains__, by.SUMS):
        with np.errstate(all="ignore"):
            terms = np.nan_to_num(by.SUMS[name](level, np.fmax(lists.best[:, :1], 0), rank)) * inside
        yield [Definition(name, k) for k in cutoffs], np.cumsum(terms, axis=1)[:, at]
    for least, threshold in by.thresholds(lists.ranks.judged.all_levels).items():
        hits = lists.level >= least
        found = np.cumsum(hits, axis=1)
        precisions = np.cumsum(hits * found / rank, axis=1)
        sizes = (sizes.sum(axis=1)[:, None] for sizes in (lists.best >= least, inside))
        counts = (cuts, found[:, at], precisions[:, at], *sizes)
        for name, formula in by.QUOTIENTS.items():
            if (full := name.format(threshold)) in wanted:
                yield [Definition(full, k) for k in cutoffs], formula(*counts)


def of_strings(space: Space, case: Case, order: Order, ranks: JudgedRanks) -> Iterator[Block]:
    """The block of measure strings; in other orders than trec_eval's, only those that often depend on it."""
    names: list[Definition] = []
    columns: list[np.ndarray] = []
    views: dict[Any, Any] = {}
    lists: dict[Any, Any] = {}
    usual = order._replace(documents=by.EVERY) == BASE
    wanted = {*space.tried["measure"]}
    for name, measure in space.strings.items():
        possible = order.documents == by.EVERY or "judged_only" in measure.SUPPORTED_PARAMS
        if name in wanted and possible and (usual or measure.NAME in by.ANY_ORDER):
            cuts = {k: cut for k in space.tried["cutoff"] if (cut := by.at_cutoff(measure, k))}
            names += [Definition(name, k) for k in cuts]
            columns += at_cutoffs([*cuts.values()], case, ranks, views, lists)
    if names:
        yield names, np.stack(columns, axis=1)


def at_cutoffs(
    cuts: Sequence[Measure], case: Case, ranks: JudgedRanks, views: Any, lists: Any
) -> Iterator[np.ndarray]:
    """The values of a measure with several cutoffs, computed by the formulas of this package, or by
    ir-measures' other providers; NaN if the data do not allow it."""
    if any(map(is_foreign, cuts[:1])):
        yield from by_others(cuts, case)
        return
    curve: np.ndarray | None = None
    for cut in cuts:
        cutoff = cut.params.get("cutoff") or CURVE + 1
        try:
            if not is_graded(cut):
                yield np.nan_to_num(trec_eval.values(cut, ranks, lists))
            elif cutoff <= CURVE and type(cut).curve is not GradedMeasure.curve:
                if curve is None:
                    compute = partial(evaluated_curve, cut, depth=CURVE)
                    curve = computed(cut, view(cut, ranks, views, cut=False), compute, (CURVE,))
                yield curve[:, cutoff - 1]
            else:
                yield computed(cut, view(cut, ranks, views), partial(evaluated, cut))
        except GradedError:  # a gain above max_gain, for example
            yield np.full(ranks.retrieved.size, np.nan)


def is_foreign(measure: Measure) -> bool:
    """Whether other providers of ir-measures compute the measure, if any do, which takes long."""
    cuts = filter(None, (by.at_cutoff(measure, cutoff) for cutoff in ("", "10")))
    return any(not is_graded(cut) and not trec_eval.computes(cut) for cut in cuts)


def by_others(measures: Sequence[Measure], case: Case) -> list[np.ndarray]:
    """The values of each measure by ir-measures' other providers; NaN where they fail."""
    qrels, run = case.dicts
    try:
        return [*evaluate(qrels, {"run": run}, measures).values[0]]
    except GradedError:
        if len(measures) == 1:
            return [np.full(len(case.judged.topics), np.nan)]
        return [by_others([measure], case)[0] for measure in measures]


# --------------------------------------------------------------------------------------------- the search


class Tally(NamedTuple):
    """All definitions in an order, `Case.sums` or `Case.errors` of their values (C × …), and a number for
    each (C) that is the same for definitions with the same values."""

    names: Sequence[Definition]
    sums: np.ndarray
    prints: np.ndarray

    def plus(self, other: Tally | None) -> Tally:
        """The sums over the topics of both, for the definitions that both have."""
        if other is None:
            return self
        if len(self.names) != len(other.names):  # tied documents in one of them only
            both = {*self.names} & {*other.names}
            return self.among(both).plus(other.among(both))
        return Tally(self.names, other.sums + self.sums, other.prints + self.prints)

    def among(self, names: Container[Definition]) -> Tally:
        """These definitions only."""
        kept = [name in names for name in self.names]
        return Tally([*compress(self.names, kept)], self.sums[kept], self.prints[kept])


def blocks(space: Space, case: Case, order: Order, lists: Lists, ideals: Any) -> Iterator[Block]:
    """All definitions in an order; at least one block, which may be empty."""
    yield [], np.empty((len(case.judged.topics), 0))
    yield from cumulated_gains(space, lists, ideals)
    yield from other_sums(space, lists)
    if order.order != by.MEAN and order.documents in (by.EVERY, by.JUDGED_ONLY):
        yield from of_strings(space, case, order, lists.ranks)


def tallies(space: Space, cases: Iterable[Case]) -> dict[Order, Tally]:
    """The errors of all definitions, summed over the cases; 0 for a definition that gives all values."""
    total: dict[Order, Tally] = {}
    for case in cases:
        of_case: dict[Order, Tally] = {}
        for part in case.parts():
            seen: dict[Any, Tally] = {}
            ideals: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
            for order in space.orders:
                lists = part.documents.lists(order)
                key = lists.key, order.documents, order.order in (by.MEAN, BASE.order)
                if key not in seen:
                    found = blocks(space, part, order, lists, ideals[order.documents])
                    seen[key] = _tally(space, part, found)
                of_case[order] = seen[key].plus(of_case.get(order))
        for order, tally in of_case.items():
            finished = tally._replace(sums=case.errors(tally.sums, space.tried["shown"]))
            total[order] = finished.plus(total.get(order))
    return total


def _tally(space: Space, case: Case, found: Iterable[Block]) -> Tally:
    names: list[Definition] = []
    columns = []
    for block, values in found:
        left_out = np.isnan(values) & ~np.isnan(values).all(axis=0)
        prints = case.weights[case.known] @ np.where(left_out, -1.0, values)[case.known]
        names += block
        columns.append((case.sums(values, space.tried["shown"]), prints))
    return Tally(names, *map(np.concatenate, zip(*columns)))


@dataclass(frozen=True)
class Found:
    """The numbers of definitions that were tried and that fit, and the first that fit, or else the nearest:
    the error and the print of each."""

    tried: int
    count: int
    kept: Mapping[Definition, tuple[float, float]]

    def plus(self, other: Found) -> Found:
        """The combined findings of two searches."""
        return Found(self.tried + other.tried, self.count + other.count, {**self.kept, **other.kept})

    @property
    def matches(self) -> dict[Definition, float]:
        """The definitions that fit, with their prints."""
        return {definition: value for definition, (error, value) in self.kept.items() if error == 0}

    @property
    def nearest(self) -> list[Definition]:
        """The nearest definitions, by error."""
        return sorted(self.kept, key=lambda definition: self.kept[definition][0])[:NEAREST]

    @property
    def complete(self) -> bool:
        """Whether all definitions that fit were kept."""
        return self.count <= len(self.matches)


def search(space: Space, cases: Sequence[Case], few: int) -> Found:
    """Try all definitions, on a `few` of the topics if there are many, and verify those that remain on
    all."""
    samples, cutoffs = [case.sample(few) for case in cases], space.tried["cutoff"]
    found = Found(0, 0, {})
    for start in range(0, len(cutoffs), SLAB):
        slab = space.limited(cutoff=cutoffs[start : start + SLAB])
        found = found.plus(_found(slab, tallies(slab, samples)))
    whole = all(sample is case for sample, case in zip(samples, cases))
    if whole or not found.kept or not found.complete:
        return found
    near = found.matches or found.nearest[:VERIFIED]
    return replace(_found(space, tallies(space.around(near), cases)), tried=found.tried)


def _found(space: Space, total: dict[Order, Tally]) -> Found:
    """The definitions without an error, or the nearest ones."""
    errors = [np.where(np.isnan(each.prints)[:, None, None], np.inf, each.sums) for each in total.values()]
    some = [each.ravel() for each in errors if each.size]
    least = [np.partition(each, min(NEAREST, each.size) - 1)[:NEAREST] for each in some]
    limit = np.sort(np.concatenate([*least, [np.inf]]))[:NEAREST][-1]
    kept: dict[Definition, tuple[float, float]] = {}
    for (order, tally), error in zip(total.items(), errors):
        for c, a, s in np.argwhere((error <= limit) & np.isfinite(error))[: MOST + 1 - len(kept)]:
            averaged = by.AVERAGED[a] if error.shape[1] > 1 else ""
            last = {"averaged": averaged, "shown": space.tried["shown"][s]}
            definition = tally.names[c]._replace(**order._asdict(), **last)
            kept[definition] = float(error[c, a, s]), float(tally.prints[c])
    tried = sum(int(np.isfinite(error).sum()) for error in errors)
    return Found(tried, sum(int((error == 0).sum()) for error in errors), kept)


def values_of(space: Space, case: Case, definition: Definition) -> np.ndarray:
    """The value of a definition for each topic, as it is shown; NaN where it leaves the topic out."""
    space, order, found = space.around([definition]), definition.list_order, []
    for part in case.parts():
        for names, values in blocks(space, part, order, part.documents.lists(order), {}):
            if definition.formula in names:
                found.append(values[:, names.index(definition.formula)])
    return np.concatenate(found) * (100 if definition.shown == by.PERCENT else 1)
