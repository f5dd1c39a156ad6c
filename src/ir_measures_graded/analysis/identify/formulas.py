"""The values of definitions: one matrix product gives the DCG of all topics for all gains, discounts and
cutoffs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import compress, product
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core import standard
from ...core.by_topic import changes
from ...core.provider import computed, view
from ...core.ranking.ranks import JudgedRanks
from ...core.registry.facts import is_graded
from ...core.uncertainty import evaluated
from ...errors import GradedError
from . import definitions as by
from .cases import Case, Lists, descending
from .definitions import BASE, Definition, Order

FEW_CUTOFFS = 16  # some rare definitions are tried with at most this number of cutoffs

# Several definitions (C), without an order, and their values for each topic (T × C). A value is NaN if the
# definition leaves the topic out; all are NaN if the definition is not tried in an order, or not computed.
Block = tuple[Iterable[Definition], np.ndarray]


@dataclass(frozen=True)
class Space:
    """The definitions to try: all combinations of `tried`, which has a table for each dimension.

    A table maps the names of values to what they do, as in `definitions`, the likeliest first. `asked`
    are cutoffs that were asked for.
    """

    tried: Mapping[str, Mapping[str, Any]]
    asked: Collection[str] = ()

    def limited(self, **tried: Mapping[str, Any]) -> Space:
        """The space with other tables for some dimensions."""
        return replace(self, tried={**self.tried, **tried})

    def with_all(self, other: Space) -> Space:
        """The space with the tables of both."""
        return self.limited(**{name: {**of, **other.tried[name]} for name, of in self.tried.items()})

    def around(self, definitions: Iterable[Definition]) -> Space:
        """The smallest space that has these definitions."""
        columns = dict(zip(Definition._fields, zip(*definitions)))
        tables = self.tried.items()
        return self.limited(**{name: {v: of[v] for v in of if v in columns[name]} for name, of in tables})

    @property
    def cuts(self) -> np.ndarray:
        """The cutoffs as numbers."""
        return np.array([*self.tried["cutoff"].values()])

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders of a run."""
        of, named = self.tried, (by.AS_READ, by.BY_RANK)
        found = product(of["order"], of["precision"] or ("",), of["documents"])
        orders = (Order(order, "" if order in named else precision, docs) for order, precision, docs in found)
        return tuple(dict.fromkeys(orders))

    @cached_property
    def strings(self) -> dict[str, dict[str, Measure]]:
        """For each measure string the measure with each cutoff that it takes."""
        measures = {name: of for name, of in self.tried["measure"].items() if isinstance(of, Measure)}
        cut = {name: {k: by.at_cutoff(of, k) for k in self.tried["cutoff"]} for name, of in measures.items()}
        return {name: {k: each for k, each in of.items() if each} for name, of in cut.items()}


def blocks(space: Space, case: Case, order: Order, lists: Lists, ideals: Any) -> Iterator[Block]:
    """All definitions in an order; at least one block, which may be empty.

    `ideals` keeps the DCG of ideal lists for other orders of the same documents.
    """
    yield [], np.empty((len(case.judged.topics), 0))
    yield from cumulated_gains(space, lists, ideals)
    yield from other_sums(space, lists)
    yield from of_strings(space, case, order, lists.ranks)


def cumulated_gains(space: Space, lists: Lists, ideals: dict[str, np.ndarray]) -> Iterator[Block]:
    """The blocks of DCG and of nDCG."""
    tried = space.tried
    if {by.NDCG, by.DCG}.isdisjoint(tried["measure"]):
        return
    values = cumulated(space, lists.level, space.cuts, lists.ties)
    parts = [*product(tried["gain"], tried["discount"], tried["cutoff"])]
    own = np.array([by.DCG_ONLY.isdisjoint(part) for part in parts])
    if by.DCG in tried["measure"]:
        yield _named(parts, by.DCG, "", ""), values
    for ideal in tried["ideal"] if by.NDCG in tried["measure"] else ():
        if ideal == by.ANEW and len(tried["cutoff"]) > FEW_CUTOFFS:
            continue
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
        names = [Definition(name, k) for k in space.tried["cutoff"]]
        if name in by.SUMS:
            with np.errstate(all="ignore"):
                terms = np.nan_to_num(of(level, top, rank)) * inside
            yield names, np.cumsum(terms, axis=1)[:, at]
        elif isinstance(of, tuple):
            formula, least = of
            yield names, formula(*counts(least))


def of_strings(space: Space, case: Case, order: Order, ranks: JudgedRanks) -> Iterator[Block]:
    """The block of measure strings; in another order than trec_eval's, only those that often depend on it and
    not at all cutoffs, and judged documents only in trec_eval's order."""
    columns: list[np.ndarray] = []
    none = np.full(len(case.judged.topics), np.nan)
    for name, cuts in space.strings.items():
        measure = space.tried["measure"][name]
        if order[:2] == BASE[:2]:
            condenses = "judged_only" in measure.SUPPORTED_PARAMS or measure.NAME in by.ANY_ORDER
            possible = order.documents == by.EVERY or (order.documents == by.JUDGED_ONLY and condenses)
        else:
            possible = order.documents == by.EVERY and order.order != by.MEAN
            possible = possible and measure.NAME in by.ANY_ORDER and len(cuts) <= FEW_CUTOFFS
        columns += values_at([*cuts.values()], case, ranks) if possible else [none] * len(cuts)
    if columns:
        names = [Definition(name, k) for name, cuts in space.strings.items() for k in cuts]
        yield names, np.stack(columns, axis=1)


def values_at(cuts: Sequence[Measure], case: Case, ranks: JudgedRanks) -> Iterator[np.ndarray]:
    """The values of a measure with several cutoffs; NaN if the data do not allow it."""
    for cut in cuts:
        try:
            if is_graded(cut):
                yield computed(cut, view(cut, ranks), partial(evaluated, cut))
            else:
                yield np.nan_to_num(standard.values(cut, ranks))
        except GradedError:  # a gain above max_gain, for example
            yield np.full(len(case.judged.topics), np.nan)


def values_of(space: Space, case: Case, definition: Definition) -> np.ndarray:
    """The value of a definition for each topic, as it is shown; NaN where it leaves the topic out."""
    space, order, found = space.around([definition]), definition.list_order, []
    for part in case.parts():
        for names, values in blocks(space, part, order, part.documents.lists(order), {}):
            found += [values[:, column] for column, name in enumerate(names) if name[:6] == definition[:6]]
    return np.concatenate(found) * (100 if definition.shown == by.PERCENT else 1)
