"""The values of definitions: matrix products give the DCG of all topics for all gains, discounts and cutoffs.
nDCG is a ratio that is linear in the gains of the levels, so least squares over topics finds gains that no
table has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core.by_topic import changes
from ...core.measures import standard
from ...core.provider import computed, view
from ...core.ranking.gains import gain_of
from ...core.ranking.ranks import JudgedRanks
from ...core.registry.facts import is_graded
from ...core.uncertainty import evaluated
from ...errors import GradedError
from . import definitions as by
from .cases import Case, Lists
from .definitions import Definition, Function

TOPICS = 96  # the number of topics that are used if there are many more
SPARE = 3  # the number of telling topics beyond the number of levels that make a solution credible
NEAR = 8.0  # a solution is rounded, and verified, if it misses no value by more tolerances than this
LOWEST = (1, 2, 3, 4, 5, 10)  # the whole gains that the lowest level may have
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


def around(space: Space, definitions: Iterable[Definition]) -> Space:
    """The smallest space that has these definitions."""
    columns = dict(zip(Definition._fields, map(set, zip(*definitions))))
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
            for ideal, best in zip(space["ideal"], ideally_cumulated(space, first, code, cuts)):
                best = best.reshape(shape[0], -1, dcg().shape[2])
                with np.errstate(all="ignore"):
                    normalised, is_defined = dcg() / best, best > 0
                for nothing, value in {"": 0.0}.items() if is_defined.all() else space["nothing"].items():
                    yield [*weighted, (ideal,), (nothing,)], np.where(is_defined, normalised, value)
        elif isinstance(of, Measure):
            strings = [by.at_cutoff(of, cutoff) for cutoff in space["cutoff"]]
            yield plain, np.stack([values_at(each, first.case.ranks) for each in strings], axis=1)[:, None]
        else:
            formula, least = of
            with np.errstate(all="ignore"):
                yield plain, formula(ranked(least)).reshape(shape)
    first.case.ranks.computed.clear()  # those of each cutoff would fill the memory


def cumulated(space: Space, lists: Lists, code: np.ndarray, cuts: np.ndarray, ties: Any = None) -> np.ndarray:
    """DCG of lists of codes of levels (T × D) for all cutoffs, gains and discounts (T × cutoffs × …)."""
    distinct, end = np.unique(np.minimum(cuts, code.shape[1]).astype(int), return_inverse=True)
    gains = parts = np.stack([of(lists.case.levels[:-1]) for of in space["gain"].values()])
    if few := len(gains) > lists.case.end:  # fewer products: those of the levels, of which gains are sums
        parts = np.eye(lists.case.end)
    gain = np.append(parts, np.zeros((len(parts), 1)), axis=1)[:, code]
    if ties is not None:
        starts, inside = np.flatnonzero(changes(ties)), code < lists.case.end
        sizes = np.diff(starts, append=ties.size)
        gain[:, inside] = np.repeat(np.add.reduceat(gain[:, inside], starts, axis=1) / sizes, sizes, axis=1)
    rank = np.arange(1, code.shape[1] + 1, dtype=np.float64)
    discount = np.stack([1 / each(rank) for each in space["discount"].values()], axis=1)
    limits = zip([0, *distinct[:-1].tolist()], distinct.tolist())
    found = np.cumsum([gain[:, :, a:b] @ discount[a:b] for a, b in limits], axis=0)[end]
    if few:
        found = np.einsum("kltw,gl->kgtw", found, gains, optimize=True)
    return found.transpose(2, 0, 1, 3).copy()


def ideally_cumulated(space: Space, lists: Lists, code: np.ndarray, cuts: np.ndarray) -> Iterator[np.ndarray]:
    """The same of the ideal lists of each kind, which are those of all orders, except for `ANEW`."""
    depth, ends = code.shape[1], np.append(cuts, np.inf)
    longest = int(cuts[np.isfinite(cuts)].max(initial=depth))
    codes = [of(lists, longest) for of in space["ideal"].values()]
    width = max(each.shape[1] for each in codes)
    padded = [
        np.pad(each, ((0, 0), (0, width - each.shape[1])), constant_values=lists.case.end) for each in codes
    ]
    found = cumulated(space, lists, np.concatenate(padded), ends)
    for ideal, best in zip(space["ideal"], np.split(found, len(codes))):
        if ideal == by.ANEW:
            distinct, end = np.unique(np.minimum(cuts, depth).astype(int), return_inverse=True)
            tops = [np.sort(code[:, :k], axis=1) for k in distinct.tolist()]
            yield np.concatenate([cumulated(space, lists, top, ends[-1:]) for top in tops], axis=1)[:, end]
        else:
            yield np.repeat(best[:, -1:], cuts.size, axis=1) if ideal == by.UNCUT else best[:, :-1]


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
    lists = case.lists(definition[6:9])
    ((_, values),) = blocks(around(space, [definition]), [lists])
    return values[:, 0, 0] * (100 if definition.shown == by.PERCENT else 1)


def solved_gains(space: Space, case: Case) -> dict[str, Function]:
    """Tables of whole gains with which some nDCG comes near all values, by name, as ``solved: 1:1, 2:3``."""
    case = case.sample(TOPICS)
    levels, values = np.unique(case.judged.all_levels), case.values
    levels, telling = levels[levels > 0], np.flatnonzero((values > 0) & (values != 1))
    if not 1 < levels.size <= min(telling.size - SPARE, MOST_LEVELS):
        return {}
    space = {**space, "gain": {f"{level:g}": partial(np.equal, level) for level in levels}}
    value, solutions = values[telling, None], []
    cuts = np.array([*space["cutoff"].values()])
    for lists in dict.fromkeys(map(case.lists, by.orders(space))):
        # The discounts that each level collects in the run, and in an ideal list (T × L × W).
        of_run = by_level(cumulated(space, lists, lists.code, cuts, lists.ties))[telling]
        for best in ideally_cumulated(space, lists, lists.code, cuts):
            of_ideal = by_level(best)[telling]
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


def by_level(found: np.ndarray) -> np.ndarray:
    """The cumulated gains of levels, for each way to cut and to discount (T × L × W)."""
    return np.moveaxis(found, 2, 1).reshape(len(found), found.shape[2], -1)


def whole(gains: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """A solution, whose unit is free, as whole gains."""
    positive = np.maximum(gains, 0)
    positive = positive / positive[positive > 1e-3 * positive.max()].min()
    for lowest in LOWEST:
        found = np.rint(positive * lowest).astype(np.int64)
        yield tuple((found // np.gcd.reduce(found)).tolist())
