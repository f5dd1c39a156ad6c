"""The values of definitions: one matrix product gives the DCG of all topics for all gains, discounts and
cutoffs. nDCG is a ratio that is linear in the gains of the levels, so least squares over topics finds gains
that no table has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core import standard
from ...core.by_topic import changes
from ...core.provider import computed, view
from ...core.ranking.gains import gain_of
from ...core.ranking.ranks import JudgedRanks
from ...core.registry.facts import is_graded
from ...core.uncertainty import evaluated
from ...errors import GradedError
from . import definitions as by
from .cases import Case, Lists
from .definitions import BASE, ORDER, Definition, Function, Order

TOPICS = 96  # the number of topics that are used if there are many more
SPARE = 3  # the number of telling topics beyond the number of levels that make a solution credible
NEAR = 8.0  # a solution is rounded, and verified, if it misses no value by more tolerances than this
LOWEST = (1, 2, 3, 4, 5, 10)  # the whole gains that the lowest level may have
MOST_LEVELS = 32
TABLES = 48  # the number of tables that are verified

# Several definitions (C), without an order, and their values for each topic (T × C). A value is NaN if the
# definition leaves the topic out; all are NaN if the definition is not tried in an order, or not computed.
Block = tuple[Iterable[Definition], np.ndarray]


Space = Mapping[str, Mapping[str, Any]]
"""The definitions to try: all combinations of a table for each dimension. A table maps the names of values to
what they do, as in `definitions`, the likeliest first."""


def around(space: Space, definitions: Iterable[Definition]) -> Space:
    """The smallest space that has these definitions."""
    columns = dict(zip(Definition._fields, map(set, zip(*definitions))))
    return {name: {v: of[v] for v in of if v in columns[name]} for name, of in space.items()}


def cuts_of(space: Space) -> np.ndarray:
    """The cutoffs as numbers."""
    return np.array([*space["cutoff"].values()])


def orders_of(space: Space) -> tuple[Order, ...]:
    """The orders of a run."""
    found = product(*(space[name] or ("",) for name in ORDER))
    return tuple(dict.fromkeys((a, "" if a == by.UNSORTED else b, c) for a, b, c in found))


def blocks(space: Space, order: Order, lists: Lists, ideals: dict[str, np.ndarray]) -> Iterator[Block]:
    """All definitions in an order. `ideals` keeps the DCG of ideal lists for other orders of the same
    documents."""
    yield from cumulated_gains(space, lists, ideals)
    cutoffs, cuts = [*space["cutoff"]], cuts_of(space)
    ranked, untried = cache(partial(by.Ranked, lists, cuts)), np.full((len(lists.code), cuts.size), np.nan)
    for name, of in space["measure"].items():
        names = map(partial(Definition, name), cutoffs)
        if isinstance(of, Measure):
            strings = (by.at_cutoff(of, cutoff) for cutoff in cutoffs if order == BASE)
            values = [values_at(measure, lists.ranks) for measure in strings]
            yield names, np.stack(values, axis=1) if values else untried
        elif of is not None:
            formula, least = of
            with np.errstate(all="ignore"):
                yield names, formula(ranked(least)) if lists.ties is None else untried
    lists.ranks.views.clear()  # those of each cutoff would fill the memory


def cumulated_gains(space: Space, lists: Lists, ideals: dict[str, np.ndarray]) -> Iterator[Block]:
    """The blocks of DCG and of nDCG."""
    if {by.NDCG, by.DCG}.isdisjoint(space["measure"]):
        return
    values = cumulated(space, lists, lists.code, cuts_of(space), lists.ties)
    parts = [*product(space["gain"], space["discount"], space["cutoff"])]
    if by.DCG in space["measure"]:
        yield _named(parts, by.DCG, "", ""), values
    for ideal in space["ideal"] if by.NDCG in space["measure"] else ():
        if ideal not in ideals or ideal == by.ANEW:
            ideals[ideal] = ideally_cumulated(space, lists, ideal)
        best = ideals[ideal]
        with np.errstate(all="ignore"):
            normalised = values / best
        for nothing, value in space["nothing"].items():
            yield _named(parts, by.NDCG, ideal, nothing), np.where(best > 0, normalised, value)


def _named(parts: Iterable[Any], measure: str, ideal: str, nothing: str) -> Iterator[Definition]:
    return (Definition(measure, k, gain, discount, ideal, nothing) for gain, discount, k in parts)


def cumulated(space: Space, lists: Lists, code: np.ndarray, cuts: np.ndarray, ties: Any = None) -> np.ndarray:
    """DCG of lists of codes of levels (T × D) for all gains, discounts and cutoffs (T × C)."""
    gains = np.stack([of(lists.levels[:-1]) for of in space["gain"].values()])
    parts = (
        gains if len(gains) < lists.end else np.eye(lists.end)
    )  # fewer products: the gains are sums of parts
    gain = np.append(parts, np.zeros((len(parts), 1)), axis=1)[:, code]
    if ties is not None:
        starts, sizes = np.flatnonzero(changes(ties)), np.unique(ties, return_counts=True)[1]
        means = np.add.reduceat(gain[:, lists.inside], starts, axis=1) / sizes
        gain[:, lists.inside] = np.repeat(means, sizes, axis=1)
    rank = np.arange(1, code.shape[1] + 1, dtype=np.float64)
    discount = np.stack([1 / each(rank) for each in space["discount"].values()], axis=1)
    weights = discount[:, :, None] * (rank[:, None, None] <= cuts)
    found = (gain.reshape(-1, rank.size) @ weights.reshape(rank.size, -1)).reshape(len(parts), len(code), -1)
    found = found if parts is gains else np.tensordot(gains, found, 1)
    return np.moveaxis(found, 0, 1).reshape(len(code), -1)


def ideally_cumulated(space: Space, lists: Lists, ideal: str) -> np.ndarray:
    """The same of the ideal lists of a kind."""
    cuts, codes, depth = cuts_of(space), by.IDEALS[ideal], lists.code.shape[1]
    if ideal != by.ANEW:
        longest = int(cuts[np.isfinite(cuts)].max(initial=depth))
        return cumulated(space, lists, codes(lists, longest), cuts + (np.inf if ideal == by.UNCUT else 0))
    each = [codes(lists, k) for k in np.minimum(cuts, depth).astype(int).tolist()]
    found = [cumulated(space, lists, code, cuts[:1] + np.inf) for code in each]
    return np.stack(found, axis=2).reshape(len(lists.code), -1)


def values_at(measure: Measure | None, ranks: JudgedRanks) -> np.ndarray:
    """The values of a measure; NaN for none, and if the data do not allow it."""
    with suppress(GradedError):  # a gain above max_gain, for example
        if measure is not None and is_graded(measure):
            return computed(measure, view(measure, ranks), partial(evaluated, measure))
        if measure is not None:
            return np.nan_to_num(standard.values(measure, ranks))
    return np.full(len(ranks.judged.topics), np.nan)


def values_of(space: Space, case: Case, definition: Definition) -> np.ndarray:
    """The value of a definition for each topic, as it is shown; NaN where it leaves the topic out."""
    order, space = definition.list_order, around(space, [definition])
    ((_, values),) = blocks(space, order, case.documents.lists(order), {})
    return values[:, 0] * (100 if definition.shown == by.PERCENT else 1)


def solved_gains(space: Space, case: Case) -> dict[str, Function]:
    """Tables of whole gains with which some nDCG comes near all values, by name, as ``solved: 1:1, 2:3``."""
    case = case.sample(TOPICS)
    levels, values = np.unique(case.judged.all_levels), case.values
    levels, telling = levels[levels > 0], np.flatnonzero((values > 0) & (values != 1))
    if not 1 < levels.size <= min(telling.size - SPARE, MOST_LEVELS):
        return {}
    space = {**space, "gain": {f"{level:g}": partial(np.equal, level) for level in levels}}
    shape, value, solutions = (values.size, levels.size, -1), values[telling, None], []
    for lists in dict.fromkeys(map(case.documents.lists, orders_of(space))):
        # The discounts that each level collects in the run, and in an ideal list (T × L × W).
        of_run = cumulated(space, lists, lists.code, cuts_of(space), lists.ties).reshape(shape)[telling]
        for ideal in space["ideal"]:
            of_ideal = ideally_cumulated(space, lists, ideal).reshape(shape)[telling]
            apart = of_run - value[:, :, None] * of_ideal
            gains = np.linalg.eigh(np.einsum("tlw,tmw->wlm", apart, apart))[1][:, :, 0]
            gains = gains * np.sign(gains.sum(axis=1, keepdims=True))
            with np.errstate(all="ignore"):
                ratio = np.einsum("tlw,wl->tw", of_run, gains) / np.einsum("tlw,wl->tw", of_ideal, gains)
                off = np.nan_to_num(np.abs(ratio - value) / case.tolerance, nan=np.inf).max(axis=0)
            near = np.flatnonzero((off <= NEAR) & (gains > 0).any(axis=1))
            solutions += [(off[number], gains[number].tolist()) for number in near.tolist()]
    tables = dict.fromkeys(table for _, gains in sorted(solutions) for table in whole(gains))
    gains_of = [dict(zip(levels.tolist(), table)) for table in list(tables)[:TABLES]]
    names = [", ".join(f"{level:g}:{gain:g}" for level, gain in gains.items()) for gains in gains_of]
    return {f"solved: {name}": partial(gain_of, gains=gains) for name, gains in zip(names, gains_of)}


def whole(gains: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """A solution, whose unit is free, as whole gains."""
    positive = np.maximum(gains, 0)
    positive = positive / positive[positive > 1e-3 * positive.max()].min()
    for lowest in LOWEST:
        found = np.rint(positive * lowest).astype(np.int64)
        yield tuple((found // np.gcd.reduce(found)).tolist())
