"""The values of definitions.

A run is label matrices: the level at each rank of each topic, in every order that is tried. Matrix
products give the DCG of all topics for all gains, discounts and cutoffs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from ir_measures import Measure

from ...core import provider
from ...core.by_topic import changes
from ...core.ranking.ranks import JudgedRanks
from ...core.registry.facts import is_graded
from ...errors import GradedError
from .case import Case, Lists
from .dimensions import DCG, NDCG, SHOWN, Definition, RunOrder, Space
from .formulas import Ranked, at_cutoff

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

    The definitions are all combinations of `ways`, the texts for each field of `Tried`. An empty
    text stands for none: a value of nothing that does not matter, for example. Values are NaN if
    the definition leaves the topic out, or cannot be computed."""

    ways: tuple[Iterable[str], ...]
    values: np.ndarray


def around(space: Space, definitions: Iterable[Definition]) -> Space:
    """The smallest space that has these definitions."""
    columns = zip(*definitions, strict=True)
    used = dict(zip(Definition._fields, map(set, columns), strict=True))
    return {
        name: {text: way for text, way in ways.items() if text in used[name]}
        for name, ways in space.items()
    }


def blocks(space: Space, stack: Sequence[Lists]) -> Iterator[Block]:
    """All definitions in some orders of the same documents; measure strings are those of
    trec_eval's."""
    first = stack[0]
    cuts = cuts_of(space)
    shape = len(first.code), len(stack), -1
    code = np.stack([lists.code for lists in stack], axis=1).reshape(-1, first.code.shape[1])
    dcg = cache(lambda: cumulated(space, first, code, cuts, first.ties).reshape(shape))
    ranked = cache(partial(Ranked, first, code, cuts))
    for name, way in space["measure"].items():
        plain = Block(((name,), space["cutoff"], NO_WAY, NO_WAY, NO_WAY, NO_WAY), np.empty(0))
        if name == NDCG:
            yield from _ndcg(space, first, code, cuts, dcg())
        elif name == DCG:
            weighted = (name,), space["cutoff"], space["gain"], space["discount"], NO_WAY, NO_WAY
            yield Block(weighted, dcg())
        elif isinstance(way.apply, Measure):
            strings = [at_cutoff(way.apply, cutoff) for cutoff in space["cutoff"]]
            columns = [values_at(string, first.rows.ranks) for string in strings]
            yield Block(plain.ways, np.stack(columns, axis=1)[:, None])
        else:
            with np.errstate(all="ignore"):
                values = way.apply.values(ranked(way.apply.least))
            yield Block(plain.ways, values.reshape(shape))
    first.rows.ranks.computed.clear()  # those of each cutoff would fill the memory


def cuts_of(space: Space) -> np.ndarray:
    """The cutoffs of a space as numbers."""
    return np.array([way.apply for way in space["cutoff"].values()])


def _ndcg(
    space: Space, first: Lists, code: np.ndarray, cuts: np.ndarray, dcg: np.ndarray
) -> Iterator[Block]:
    """nDCG by each ideal list, with each value of topics for which this has no gain."""
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
            ways = (NDCG,), space["cutoff"], space["gain"], space["discount"], (ideal,), (nothing,)
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
    gains = np.stack([way.apply(levels) for way in space["gain"].values()])
    of_end = np.zeros((len(gains), 1))
    gain = np.append(gains, of_end, axis=1)[:, code]
    if ties is not None:
        is_document = code < lists.rows.end
        gain[:, is_document] = _shared_among_ties(gain[:, is_document], ties)
    rank = np.arange(1, code.shape[1] + 1, dtype=np.float64)
    discount = np.stack([1 / way.apply(rank) for way in space["discount"].values()], axis=1)
    starts = np.append(0, distinct_ends[:-1])
    between = [
        gain[:, :, start:end] @ discount[start:end]
        for start, end in zip(starts.tolist(), distinct_ends.tolist(), strict=True)
    ]
    at_cuts = np.cumsum(between, axis=0)[number_of_end]
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
    """The same of the ideal lists of each kind, which are those of all orders, except for
    "anew"."""
    depth = code.shape[1]
    longest = int(cuts[np.isfinite(cuts)].max(initial=depth))
    uncut = np.array([np.inf])
    for way in space["ideal"].values():
        if way.key == "anew":
            ends = np.minimum(cuts, depth).astype(int).tolist()
            tops = [np.sort(code[:, :end], axis=1) for end in ends]
            by_cut = [cumulated(space, lists, top, uncut) for top in tops]
            yield np.concatenate(by_cut, axis=1)
            continue
        best = cumulated(space, lists, way.apply(lists, longest), np.append(cuts, uncut))
        if way.key == "uncut":
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
    shown = SHOWN.by_text[definition.shown].apply(block.values[:, 0, 0])
    return np.asarray(shown)
