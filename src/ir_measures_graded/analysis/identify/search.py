"""The search: every definition on every run, and how far its values are from the given ones.

One matrix product gives the DCG of all topics for all gains, discounts and cutoffs. Orders of a run with the
same levels at all ranks share all results, and so do ideal lists that do not depend on the order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import chain, compress, product
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core import standard as trec_eval
from ...core.by_topic import changes
from ...core.provider import computed, view
from ...core.ranking.ranks import JudgedRanks
from ...core.registry.facts import is_graded
from ...core.uncertainty import evaluated
from ...errors import GradedError
from ...evaluation.evaluate import evaluate
from . import definitions as by
from .cases import Case, Lists, descending
from .definitions import BASE, Definition, Order

SAME = 1e-9  # values that differ by less are the same
SAMPLE = 96  # the number of topics on which all definitions are tried if there are more than twice as many
SLAB = 48  # the number of cutoffs that are tried at a time
NEAREST = 20  # the number of definitions that are kept if none gives all values
VERIFIED = 5  # of these, the number that are computed on all topics
MOST = 4_000  # the number of definitions that are kept if they give all values

# Several definitions (C), without an order, and their values for each topic (T × C). A value is NaN if the
# definition leaves the topic out; all are NaN if the definition is not tried in an order, or not computed.
Block = tuple[Iterable[Definition], np.ndarray]


Sums = tuple[np.ndarray, np.ndarray]  # the results of `Case.sums` or `Case.errors`, and the prints


@dataclass(frozen=True)
class Space:
    """The definitions to try: all combinations of `tried`, which has a table for each dimension.

    A table maps the names of values to what they do, as in `definitions`. `foreign` has the measures that
    only other providers of ir-measures compute, which are tried last.
    """

    tried: dict[str, dict[str, Any]]
    foreign: dict[str, Measure]

    def limited(self, **tried: dict[str, Any]) -> Space:
        """The space with other tables for some dimensions."""
        return replace(self, tried=self.tried | tried)

    def around(self, definitions: Iterable[Definition]) -> Space:
        """The smallest space that has these definitions."""
        columns = dict(zip(Definition._fields, zip(*definitions))) | {"shown": self.tried["shown"]}
        tables = self.tried.items()
        return self.limited(**{name: {v: of[v] for v in of if v in columns[name]} for name, of in tables})

    @property
    def cuts(self) -> np.ndarray:
        """The cutoffs as numbers."""
        return np.array([*self.tried["cutoff"].values()])

    @property
    def orders(self) -> list[Order]:
        """The orders of a run."""
        of, named = self.tried, (by.AS_READ, by.BY_RANK)
        found = product(of["order"], of["precision"] or ("",), of["documents"])
        orders = (Order(order, "" if order in named else precision, docs) for order, precision, docs in found)
        return [*dict.fromkeys(orders)]

    @cached_property
    def strings(self) -> dict[str, dict[str, Measure]]:
        """For each measure string the measure with each cutoff that it takes."""
        measures = {name: of for name, of in self.tried["measure"].items() if isinstance(of, Measure)}
        cut = {name: {k: by.at_cutoff(of, k) for k in self.tried["cutoff"]} for name, of in measures.items()}
        return {name: {k: each for k, each in of.items() if each} for name, of in cut.items()}


# --------------------------------------------------------------------------------------------- nDCG and DCG


def cumulated_gains(space: Space, lists: Lists, ideals: dict[str, np.ndarray]) -> Iterator[Block]:
    """The blocks of DCG and of nDCG; `ideals` has the DCG of ideal lists that are known."""
    tried = space.tried
    if {by.NDCG, by.DCG}.isdisjoint(tried["measure"]):
        return
    values = cumulated(space, lists.level, space.cuts, lists.ties)
    parts = [*product(tried["gain"], tried["discount"], tried["cutoff"])]
    own = np.array([by.DCG_ONLY.isdisjoint(part) for part in parts])
    if by.DCG in tried["measure"]:
        yield _named(parts, by.DCG, "", ""), values
    for ideal in tried["ideal"] if by.NDCG in tried["measure"] else ():
        if ideal not in ideals or ideal == by.ANEW:
            ideals[ideal] = ideally_cumulated(space, lists, ideal)[:, own]
        best = ideals[ideal]
        for nothing, value in tried["nothing"].items():
            normalised = np.divide(values[:, own], best, out=np.full(best.shape, value), where=best > 0)
            yield _named(compress(parts, own), by.NDCG, ideal, nothing), normalised


def _named(parts: Iterable[Any], measure: str, ideal: str, nothing: str) -> Iterator[Definition]:
    return (Definition(measure, k, gain, discount, ideal, nothing) for gain, discount, k in parts)


def cumulated(
    space: Space, level: np.ndarray, cuts: np.ndarray, ties: np.ndarray | None = None
) -> np.ndarray:
    """DCG of lists of levels (T × D) for all gains, discounts and cutoffs (T × C)."""
    inside, gains = ~np.isnan(level), space.tried["gain"].values()
    gain = np.stack([np.where(inside, each(np.where(inside, level, 0.0)), 0.0) for each in gains])
    if ties is not None:
        starts, sizes = np.flatnonzero(changes(ties)), np.bincount(ties)
        means = np.add.reduceat(gain[:, inside], starts, axis=1) / sizes
        gain[:, inside] = np.repeat(means, sizes, axis=1)
    rank = np.arange(1, level.shape[1] + 1, dtype=np.float64)
    discount = np.stack([1 / each(rank) for each in space.tried["discount"].values()], axis=1)
    weights = discount[:, :, None] * (rank[:, None, None] <= cuts)
    found = gain.reshape(-1, rank.size) @ weights.reshape(rank.size, -1)
    return np.moveaxis(found.reshape(len(gains), len(level), -1), 0, 1).reshape(len(level), -1)


def ideally_cumulated(space: Space, lists: Lists, ideal: str) -> np.ndarray:
    """The same of the ideal lists of a kind."""
    level, best, cuts, uncut = lists.level, lists.best, space.cuts, np.full(space.cuts.shape, np.inf)
    inside, longest = ~np.isnan(level), cuts[np.isfinite(cuts)].max(initial=1)
    if ideal == by.ANEW:
        firsts = [level[:, : int(min(k, level.shape[1]))] for k in cuts]
        found = [cumulated(space, descending(first), uncut[:1]) for first in firsts]
        return np.stack(found, axis=2).reshape(len(level), -1)
    if ideal == by.TOP:
        returned = ideally_cumulated(space, lists, by.TOP_RETRIEVED)
        every = cumulated(space, np.full((len(level), int(longest)), lists.top), cuts)
        return np.where(np.tile(np.isinf(cuts), every.shape[1] // cuts.size), returned, every)
    if ideal == by.AS_LONG:
        best = np.where(np.arange(best.shape[1]) < inside.sum(axis=1, keepdims=True), best, np.nan)
    elif ideal == by.RETRIEVED:
        best = descending(level)
    elif ideal == by.TOP_RETRIEVED:
        best = np.where(inside, lists.top, np.nan)
    return cumulated(space, best, uncut if ideal == by.UNCUT else cuts)


# --------------------------------------------------------------------------------------------- other measures


def other_sums(space: Space, lists: Lists) -> Iterator[Block]:
    """The measures that no measure string has: `SUMS` and `QUOTIENTS`."""
    cuts, rank, inside = space.cuts, np.arange(1, lists.level.shape[1] + 1), ~np.isnan(lists.level)
    level, top = np.maximum(np.nan_to_num(lists.level), 0), np.fmax(lists.best[:, :1], 0)
    at = np.minimum(cuts, rank.size).astype(int) - 1

    @cache
    def counts(least: float) -> tuple[np.ndarray, ...]:
        hits = lists.level >= least
        found = np.cumsum(hits, axis=1)
        precisions = np.cumsum(hits * found / rank, axis=1)
        sizes = (sizes.sum(axis=1)[:, None] for sizes in (lists.best >= least, inside))
        return cuts, found[:, at], precisions[:, at], *sizes

    for name, of in space.tried["measure"].items():
        names = map(partial(Definition, name), space.tried["cutoff"])
        if name in by.SUMS:
            with np.errstate(all="ignore"):
                terms = np.nan_to_num(of(level, top, rank)) * inside
            yield names, np.cumsum(terms, axis=1)[:, at]
        elif isinstance(of, tuple):
            formula, least = of
            yield names, formula(*counts(least))


def of_strings(space: Space, case: Case, order: Order, ranks: JudgedRanks) -> Iterator[Block]:
    """The block of measure strings; in other orders than trec_eval's, only those that often depend on it."""
    columns: list[np.ndarray] = []
    usual, none = order._replace(documents=by.EVERY) == BASE, np.full(len(case.judged.topics), np.nan)
    for name, cuts in space.strings.items():
        measure = space.tried["measure"][name]
        documents = (by.EVERY, *[by.JUDGED_ONLY] * ("judged_only" in measure.SUPPORTED_PARAMS))
        possible = order.order != by.MEAN and order.documents in documents
        if possible and (usual or measure.NAME in by.ANY_ORDER):
            columns += values_at([*cuts.values()], case, ranks)
        else:
            columns += [none] * len(cuts)
    if columns:
        names = (Definition(name, k) for name, cuts in space.strings.items() for k in cuts)
        yield names, np.stack(columns, axis=1)


def values_at(cuts: Sequence[Measure], case: Case, ranks: JudgedRanks) -> Iterator[np.ndarray]:
    """The values of a measure with several cutoffs, computed by the formulas of this package, or by
    ir-measures' other providers; NaN if the data do not allow it."""
    if not all(map(by.PROVIDER.supports, cuts)):
        yield from by_others(cuts, case)
        return
    for cut in cuts:
        try:
            if is_graded(cut):
                yield computed(cut, view(cut, ranks), partial(evaluated, cut))
            else:
                yield np.nan_to_num(trec_eval.values(cut, ranks))
        except GradedError:  # a gain above max_gain, for example
            yield np.full(len(case.judged.topics), np.nan)


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


def blocks(space: Space, case: Case, order: Order, lists: Lists, ideals: Any) -> Iterator[Block]:
    """All definitions in an order; at least one block, which may be empty."""
    yield [], np.empty((len(case.judged.topics), 0))
    yield from cumulated_gains(space, lists, ideals)
    yield from other_sums(space, lists)
    yield from of_strings(space, case, order, lists.ranks)


@dataclass(frozen=True)
class Found:
    """The numbers of definitions that were tried and that fit, and the first that fit, or else the nearest:
    the error and the print of each."""

    tried: int = 0
    count: int = 0
    kept: Mapping[Definition, tuple[float, float]] = field(default_factory=dict)

    def plus(self, other: Found) -> Found:
        """The combined findings of two searches."""
        return Found(self.tried + other.tried, self.count + other.count, {**self.kept, **other.kept})

    @property
    def closest(self) -> dict[Definition, float]:
        """The definitions that fit, or else some of the nearest, with their prints."""
        least = min(error for error, _ in self.kept.values())
        found = [(definition, value) for definition, (error, value) in self.kept.items() if error == least]
        return dict(found if self.count else found[:NEAREST])

    @property
    def complete(self) -> bool:
        """Whether all definitions that fit were kept."""
        return not self.count or self.count <= len(self.closest)


def search(space: Space, cases: Sequence[Case], few: int) -> Found:
    """Try all definitions, on a `few` of the topics if there are many, and verify those that remain on
    all."""
    samples, cutoffs, found = [case.sample(few) for case in cases], [*space.tried["cutoff"].items()], Found()
    for start in range(0, len(cutoffs), SLAB):
        found = found.plus(_found(space.limited(cutoff=dict(cutoffs[start : start + SLAB])), samples))
    whole = all(sample is case for sample, case in zip(samples, cases))
    if whole or not found.kept or not found.complete:
        return found
    near = (
        [*found.closest]
        if found.count
        else sorted(found.kept, key=lambda each: found.kept[each][0])[:VERIFIED]
    )
    return replace(_found(space.around(near), cases), tried=found.tried)


def _found(space: Space, cases: Iterable[Case]) -> Found:
    """The definitions that give all values of all cases, or the nearest ones."""
    names, total = _errors(space, cases)
    if not names:
        return Found()
    errors = [error for error, _ in total.values()]
    most = min(NEAREST, errors[0].size) - 1
    least = [np.partition(error, most, axis=None)[: most + 1] for error in errors]
    limit = np.sort(least, axis=None)[:NEAREST][-1]
    kept: dict[Definition, tuple[float, float]] = {}
    averaged, shown = by.AVERAGED if errors[0].shape[1] > 1 else [""], [*space.tried["shown"]]
    for order, (error, prints) in total.items():
        for c, a, s in np.argwhere((error <= limit) & np.isfinite(error))[: MOST + 1 - len(kept)]:
            definition = names[c]._replace(**order._asdict(), averaged=averaged[a], shown=shown[s])
            kept[definition] = float(error[c, a, s]), float(prints[c])
    tried, fit = (sum(int(each(error).sum()) for error in errors) for each in (np.isfinite, np.logical_not))
    return Found(tried, fit, kept)


def _errors(space: Space, cases: Iterable[Case]) -> tuple[list[Definition], dict[Order, Sums]]:
    """The definitions without an order, and for each order their `Case.errors` and prints, summed over cases.

    The error is infinite where a definition is not tried, or cannot be computed.
    """
    ways, formulas = [*space.tried["shown"]], iter(())
    total: dict[Order, Sums] = {}
    for case in cases:
        of_case: dict[Order, Sums] = {}
        for part in case.parts():
            seen: dict[Any, Sums] = {}
            ideals: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
            for order in space.orders:
                lists = part.documents.lists(order)
                key = lists.key, order.documents, order.order in (by.MEAN, BASE.order)
                if key not in seen:
                    found = blocks(space, part, order, lists, ideals[order.documents])
                    names, *parts = zip(*((each, *part.sums(values, ways)) for each, values in found))
                    formulas = chain.from_iterable(names)
                    seen[key] = np.concatenate(parts[0]), np.concatenate(parts[1])
                _add(of_case, order, seen[key])
        for order, (sums, prints) in of_case.items():
            errors = np.where(np.isnan(prints)[:, None, None], np.inf, case.errors(sums, ways))
            _add(total, order, (errors, prints))
    return [*formulas], total


def _add(total: dict[Order, Sums], order: Order, more: Sums) -> None:
    total[order] = (total[order][0] + more[0], total[order][1] + more[1]) if order in total else more


def values_of(space: Space, case: Case, definition: Definition) -> np.ndarray:
    """The value of a definition for each topic, as it is shown; NaN where it leaves the topic out."""
    space, order, found = space.around([definition]), definition.list_order, []
    for part in case.parts():
        for names, values in blocks(space, part, order, part.documents.lists(order), {}):
            found += [values[:, column] for column, name in enumerate(names) if name[:6] == definition[:6]]
    return np.concatenate(found) * (100 if definition.shown == by.PERCENT else 1)
