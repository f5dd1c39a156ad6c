"""The values of definitions.

A run is label matrices: the level at each rank of each topic, in every order that is tried. Matrix
products give the DCG of all topics for all gains, discounts and cutoffs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np
from ir_measures import Measure

from ...core import provider
from ...core.by_topic import changes
from ...core.ranking.ranks import JudgedRanks
from ...core.registry.facts import is_graded
from ...errors import GradedError
from .case import Case, Lists
from .dimensions import (
    DCG,
    NDCG,
    SHOWN,
    SORTED_ANEW,
    UNCUT,
    Definition,
    RunOrder,
    Space,
)
from .formulas import Ranked, at_cutoff
from .tools import costs_of_combinations

NO_WAY = ("",)  # the dimension does not apply


class Tried(NamedTuple):
    """The part of a definition that does not depend on the order of the run or on how values are
    shown."""

    measure: str
    cutoff: str
    gain: str
    discount: str
    ideal: str
    nothing: str


@dataclass(frozen=True, eq=False)
class Block:
    """Definitions (C) and what they give for each topic and order (T × orders × C).

    The definitions are all combinations of `ways`, the texts for fields of `Tried`; a field that
    does not apply is missing. An empty text stands for none: a value of nothing that does not
    matter, for example. Values are NaN if the definition leaves the topic out, or cannot be
    computed."""

    ways: Mapping[str, Iterable[str]]
    values: np.ndarray

    @cached_property
    def texts(self) -> list[tuple[str, ...]]:
        """The texts of each field of `Tried`."""
        return [tuple(self.ways.get(name, NO_WAY)) for name in Tried._fields]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of texts of each field."""
        return tuple(len(texts) for texts in self.texts)

    def tried(self, number: int) -> Tried:
        """The definition of a column of the values."""
        positions = np.unravel_index(number, self.sizes)
        pairs = zip(self.texts, positions, strict=True)
        return Tried(*(texts[position] for texts, position in pairs))

    def departures(self) -> np.ndarray:
        """The departures of each definition from each tool (C × tools)."""
        return costs_of_combinations(self.texts, Tried._fields)


def around(space: Space, definitions: Sequence[Definition]) -> Space:
    """The smallest space that has these definitions."""
    smaller = {}
    for name, ways in space.items():
        used = {getattr(definition, name) for definition in definitions}
        smaller[name] = {text: way for text, way in ways.items() if text in used}
    return smaller


def blocks(space: Space, stack: Sequence[Lists]) -> Iterator[Block]:
    """All definitions in some orders of the same documents; measure strings are those of
    trec_eval's."""
    first = stack[0]
    cuts = cuts_of(space)
    shape = len(first.code), len(stack), -1
    # Behind each topic's list in the first order stand its lists in the other orders.
    codes = np.stack([lists.code for lists in stack], axis=1)
    code = codes.reshape(-1, first.code.shape[1])
    dcg = cache(lambda: cumulated(space, first, code, cuts, first.ties).reshape(shape))
    unknown = np.stack([lists.is_unknown for lists in stack], axis=1).reshape(code.shape)
    ranked = cache(partial(Ranked, first, code, unknown, cuts))
    for name, way in space["measure"].items():
        if name == NDCG:
            yield from _ndcg(space, first, code, cuts, dcg())
            continue
        ways: dict[str, Iterable[str]] = {"measure": (name,), "cutoff": space["cutoff"]}
        if name == DCG:
            ways |= {"gain": space["gain"], "discount": space["discount"]}
            yield Block(ways, dcg())
        elif isinstance(way.apply, Measure):
            strings = [at_cutoff(way.apply, cutoff) for cutoff in space["cutoff"]]
            columns = [values_at(string, first.rows.ranks) for string in strings]
            yield Block(ways, np.stack(columns, axis=1)[:, None])
        else:
            formula = way.apply
            lists_of_formula = ranked(formula.least)
            with np.errstate(all="ignore"):
                values = formula.values(lists_of_formula)
            yield Block(ways, values.reshape(shape))
    first.rows.ranks.computed.clear()  # those of each cutoff would fill the memory


def cuts_of(space: Space) -> np.ndarray:
    """The cutoffs of a space as numbers."""
    return np.array([way.apply for way in space["cutoff"].values()])


def _ndcg(
    space: Space, first: Lists, code: np.ndarray, cuts: np.ndarray, dcg: np.ndarray
) -> Iterator[Block]:
    """nDCG by each ideal list, with each value of topics for which this has no gain."""
    shared_ways: dict[str, Iterable[str]] = {"measure": (NDCG,)}
    shared_ways |= {name: space[name] for name in ("cutoff", "gain", "discount")}
    ideals = ideally_cumulated(space, first, code, cuts)
    for ideal, ideal_dcg in zip(space["ideal"], ideals, strict=True):
        ideal_dcg = ideal_dcg.reshape(dcg.shape[0], -1, dcg.shape[2])
        with np.errstate(all="ignore"):
            normalised = dcg / ideal_dcg
            is_defined = ideal_dcg > 0
        values_of_nothing = {text: way.apply for text, way in space["nothing"].items()}
        if is_defined.all():
            values_of_nothing = {"": 0.0}
        for nothing, value in values_of_nothing.items():
            ways = shared_ways | {"ideal": (ideal,), "nothing": (nothing,)}
            yield Block(ways, np.where(is_defined, normalised, value))


def cumulated(
    space: Space,
    lists: Lists,
    code: np.ndarray,
    cuts: np.ndarray,
    ties: np.ndarray | None = None,
) -> np.ndarray:
    """DCG of lists of codes of levels (T × D) for all cutoffs, gains and discounts (T × cutoffs ×
    …)."""
    ends = np.minimum(cuts, code.shape[1]).astype(int)
    distinct_ends, number_of_end = np.unique(ends, return_inverse=True)
    levels = lists.rows.levels[:-1]
    gain_of_level = np.stack([way.apply(levels) for way in space["gain"].values()])
    gain_of_end = np.zeros((len(gain_of_level), 1))
    gain_of_code = np.append(gain_of_level, gain_of_end, axis=1)
    gain = gain_of_code[:, code]
    if ties is not None:
        is_document = code < lists.rows.end
        gain[:, is_document] = _shared_among_ties(gain[:, is_document], ties)
    rank = np.arange(1, code.shape[1] + 1, dtype=np.float64)
    discount = np.stack([1 / way.apply(rank) for way in space["discount"].values()], axis=1)
    between_ends = []
    start = 0
    for end in distinct_ends.tolist():
        between_ends.append(gain[:, :, start:end] @ discount[start:end])
        start = end
    at_ends = np.cumsum(between_ends, axis=0)
    at_cuts = at_ends[number_of_end]
    return at_cuts.transpose(2, 0, 1, 3).copy()


def _shared_among_ties(gain: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """The mean gain of its tie group for each document (gains × documents)."""
    starts = np.flatnonzero(changes(ties))
    sizes = np.diff(starts, append=ties.size)
    means = np.add.reduceat(gain, starts, axis=1) / sizes
    return np.repeat(means, sizes, axis=1)


def ideally_cumulated(
    space: Space, lists: Lists, code: np.ndarray, cuts: np.ndarray
) -> Iterator[np.ndarray]:
    """The same of the ideal lists of each kind.

    All orders share them, except for the top k sorted anew.
    """
    depth = code.shape[1]
    longest = int(cuts[np.isfinite(cuts)].max(initial=depth))
    uncut = np.array([np.inf])
    for way in space["ideal"].values():
        if way is SORTED_ANEW:
            ends = np.minimum(cuts, depth).astype(int)
            tops = [np.sort(code[:, :end], axis=1) for end in ends.tolist()]
            by_cut = [cumulated(space, lists, top, uncut) for top in tops]
            yield np.concatenate(by_cut, axis=1)
            continue
        best = cumulated(space, lists, way.apply(lists, longest), np.append(cuts, uncut))
        if way is UNCUT:
            yield np.repeat(best[:, -1:], cuts.size, axis=1)
        else:
            yield best[:, :-1]


def values_at(measure: Measure | None, ranks: JudgedRanks) -> np.ndarray:
    """The values of a measure; NaN for none, and if the data do not allow it."""
    if measure is not None:
        with suppress(GradedError):  # a gain above max_gain, for example
            values = np.nan_to_num(provider.values_of(measure, ranks))
            if is_graded(measure):
                return values
            return np.where(ranks.retrieved, values, measure.DEFAULT)
    return np.full(len(ranks.judged.topics), np.nan)


def values_of(space: Space, case: Case, definition: Definition) -> np.ndarray:
    """The value of a definition for each topic, as it is shown; NaN where it leaves the topic
    out."""
    order = RunOrder(definition.order, definition.precision, definition.documents)
    (block,) = blocks(around(space, [definition]), [case.rows.lists(order)])
    way_to_show = SHOWN.by_text[definition.shown]
    return np.asarray(way_to_show.apply(block.values[:, 0, 0]))
