"""The search: every definition on a few telling topics, and on all topics those that fit there or
are near.

Orders of a run with the same levels at all ranks share all results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from ir_measures import Measure

from ...progress import steps
from .case import Case, Lists
from .dimensions import NOTHING, TREC_EVAL_ORDER, Definition, RunOrder, Space, Way, orders
from .scoring import Block, Tried, around, blocks
from .tools import FAR, costs, departures

SAME = 1e-9  # values that differ by less are the same
# All definitions are tried on so many topics if there are more than twice as many.
SAMPLED_TOPICS = 10
NEAR = 20  # of so many distances on these topics, the nearest definitions are compared on all
SLAB = 3072  # the number of topics, times cutoffs, that are tried at a time, to bound the memory
CELLS = 2_000_000  # and of documents
MOST = 20_000  # the number of definitions that are kept, and all usual ones
RARE = 2  # a definition that departs from all tools in more dimensions is neither near nor a mean's
BEHIND = 1e6  # the distance of rare definitions begins here
FITTING = 0.0  # the distance of definitions that fit


@dataclass(frozen=True)
class Kept:
    """The distance of a definition from the numbers given, 0 if it fits, and its fingerprint."""

    distance: float
    fingerprint: float


@dataclass
class Search:
    """What a search in a `space` found: the number of definitions `tried` and those `kept`.

    Definitions that cannot differ here count once. Those that fit are kept, and the nearest others.
    `prints` has the prints of all definitions, and in how many dimensions they depart from a
    tool's."""

    space: Space
    tried: int = 0
    kept: dict[Definition, Kept] = field(default_factory=dict)
    prints: list[np.ndarray] = field(default_factory=list)

    def plus(self, other: Search) -> Search:
        """Both searches as one."""
        space = {name: {**ways, **other.space[name]} for name, ways in self.space.items()}
        return Search(
            space=space,
            tried=self.tried + other.tried,
            kept=self.kept | other.kept,
            prints=self.prints + other.prints,
        )

    @property
    def fitting(self) -> list[Definition]:
        """The definitions that fit."""
        return [definition for definition, kept in self.kept.items() if not kept.distance]

    def nearest(self, distances: int) -> list[Definition]:
        """The other definitions, with so many least distances."""
        distinct = {round(kept.distance, 9) for kept in self.kept.values()} - {FITTING}
        if not distinct:
            return []
        least_distances = sorted(distinct)[:distances]
        limit = least_distances[-1] + SAME
        return [definition for definition, kept in self.kept.items() if 0 < kept.distance <= limit]

    def different(self, most_departures: int) -> int:
        """The number of definitions with different values that depart in so many dimensions at
        most."""
        prints, departures = np.concatenate(self.prints, axis=1)
        rounded = prints[departures <= most_departures].round(8)
        return int(np.unique(rounded).size)


@dataclass(frozen=True, eq=False)
class SpacePart:
    """A part of a space, and orders of the same documents that are tried together, by their
    lists."""

    space: Space
    orders: dict[Lists, list[RunOrder]]


def searched(space: Space, case: Case) -> Search:
    """The definitions that give all numbers of a case, and the nearest others."""
    sample = case.sample(SAMPLED_TOPICS)
    if sample is case:
        return compared(space, case, 1)
    search = compared(space, sample, NEAR)
    candidates = search.fitting + search.nearest(NEAR)
    if candidates:
        smaller = space
        if len(search.fitting) < MOST:
            smaller = around(space, candidates)
        search.kept = compared(smaller, case, 1).kept
    return search


def compared(space: Space, case: Case, distances: int) -> Search:
    """All definitions compared with the numbers given.

    Those that fit are kept, and the others with so many least distances.
    """
    search = Search(space)
    sets = _different_sets(space, case)
    for part in steps(parts_of(space, case), "parts of the definitions"):
        _compare_part(search, part, case, sets, distances)
    if case.by_mean and search.kept:
        search.kept = _without_rare(search.kept)
    return search


def _compare_part(
    search: Search, part: SpacePart, case: Case, sets: Sequence[Sequence[str]], distances: int
) -> None:
    """Add what a part of the space gives to a search."""
    most_departures = FAR - 1
    near_departures = RARE
    if case.by_mean:
        most_departures = RARE
        near_departures = 0
    part_blocks = list(blocks(part.space, list(part.orders)))
    sizes = [block.values.shape[2] for block in part_blocks]
    starts = np.cumsum([0, *sizes])
    least_of_tried = _least_departures(part_blocks, part.orders.values())
    columns = np.flatnonzero(least_of_tried.min(axis=0) <= most_departures)
    values = np.concatenate([block.values for block in part_blocks], axis=2)
    ways = list(search.space["shown"])
    comparison = case.compared(values[..., columns], ways, [names[0] for names in sets])
    prints = comparison.prints
    of_ways = np.stack([departures("shown", way)[-1] for way in ways])
    departed = least_of_tried[:, columns] + of_ways.reshape(-1, 1, 1, 1)
    departed = np.broadcast_to(departed, prints.shape)
    is_known = ~np.isnan(prints)
    is_usual = departed <= most_departures
    distance = comparison.distance + SAME
    distance[departed > near_departures] += BEHIND
    distance[comparison.fits & is_usual] = FITTING
    distance[~is_known] = np.inf
    search.tried += int(is_known.sum())
    is_counted = is_known & is_usual
    search.prints.append(np.stack([prints[is_counted], departed[is_counted]]))
    groups = list(part.orders.values())
    for position in least(distance, departed, distances):
        is_departing = bool(departed[position])
        if len(search.kept) >= MOST and is_departing:
            continue
        way, members, group, column = position
        fingerprint = round(float(prints[position]), 8)
        kept = Kept(float(distance[position]), fingerprint)
        number = columns[column]
        block_number = int(np.searchsorted(starts, number, side="right")) - 1
        tried = part_blocks[block_number].tried(number - starts[block_number])
        alike = _alike(tried, groups[group], sets[members], ways[way])
        for definition in alike:
            if len(search.kept) < MOST or not is_departing:
                search.kept[definition] = kept


def _different_sets(space: Space, case: Case) -> list[list[str]]:
    """The sets of topics of a mean; those with the same topics are together."""
    if not space["averaged"]:
        return [[""]]
    alike = defaultdict[bytes, list[str]](list)
    for name in space["averaged"]:
        alike[case.members[name].tobytes()].append(name)
    return list(alike.values())


def _least_departures(part_blocks: Sequence[Block], groups: Iterable[list[RunOrder]]) -> np.ndarray:
    """The departures of definitions in each group of orders from the nearest tool (groups × C)."""
    of_orders = [costs(group, RunOrder._fields).min(axis=0) for group in groups]
    of_tried = np.concatenate([block.departures() for block in part_blocks])
    by_tool = of_tried + np.stack(of_orders)[:, None]
    return np.asarray(by_tool.min(axis=2))


def _alike(
    tried: Tried, alike_orders: Iterable[RunOrder], alike_sets: Iterable[str], way_to_show: str
) -> Iterator[Definition]:
    """The definitions that cannot differ here."""
    nothings = [tried.nothing]
    if tried.ideal and not tried.nothing:
        nothings = list(NOTHING.by_text)
    for nothing, order, averaged in product(nothings, alike_orders, alike_sets):
        yield Definition(
            **tried._replace(nothing=nothing)._asdict(),
            **order._asdict(),
            averaged=averaged,
            shown=way_to_show,
        )


def _without_rare(kept: dict[Definition, Kept]) -> dict[Definition, Kept]:
    """The definitions that do not depart from all tools in many dimensions."""
    departed = costs(list(kept)).min(axis=1)
    usual = {}
    for number, definition in enumerate(kept):
        if departed[number] <= RARE:
            usual[definition] = kept[definition]
    return usual


def least(distance: np.ndarray, departed: np.ndarray, distances: int) -> list[tuple[int, ...]]:
    """The positions of the distances of 0 and of the least others, those of usual definitions
    first."""
    others = distance[(distance > 0) & np.isfinite(distance)]
    limit = others.max(initial=0.0)
    if distances < others.size:
        limit = np.partition(others, distances)[distances]
    positions = np.argwhere(distance <= limit + SAME)
    usual_first = np.argsort(departed[tuple(positions.T)], kind="stable")
    first_positions = positions[usual_first[:MOST]].tolist()
    return list(map(tuple, first_positions))


def parts_of(space: Space, case: Case) -> Iterator[SpacePart]:
    """Parts of the space that are tried together. Measure strings are only tried in trec_eval's
    order."""
    groups = defaultdict[Lists, list[RunOrder]](list)
    for order in orders(space):
        groups[case.rows.lists(order)].append(order)
    stacks = defaultdict[tuple[str, int, int], dict[Lists, list[RunOrder]]](dict)
    for number, (lists, alike_orders) in enumerate(groups.items()):
        documents = alike_orders[0].documents
        slab = number // max(CELLS // lists.code.size, 1)
        tied = 0 if lists.ties is None else number + 1  # lists with ties are tried alone
        stacks[documents, slab, tied][lists] = alike_orders
    measures = space["measure"]
    strings: dict[str, Way] = {}
    formulas: dict[str, Way] = {}
    weighted: dict[str, Way] = {}  # nDCG and DCG
    for name, way in measures.items():
        if isinstance(way.apply, Measure):
            strings[name] = way
        else:
            formulas[name] = way
        if way.apply is None:
            weighted[name] = way
    size = max(SLAB // len(case.judged.topics), 1)
    cutoffs = list(space["cutoff"].items())
    for (_, _, tied), stack in stacks.items():
        # Only nDCG and DCG share gains among tied documents.
        possible = weighted if tied else formulas
        if not possible:
            continue
        for start in range(0, len(cutoffs), size):
            some_cutoffs = dict(cutoffs[start : start + size])
            yield SpacePart({**space, "measure": possible, "cutoff": some_cutoffs}, stack)
    if strings:
        lists = case.rows.lists(TREC_EVAL_ORDER)
        yield SpacePart({**space, "measure": strings}, {lists: groups[lists]})
