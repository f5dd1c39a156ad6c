"""The search: every definition on a few telling topics, and on all topics those that fit there or
are near.

Orders of a run with the same levels at all ranks share all results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from ir_measures import Measure

from .case import Case, Lists
from .dimensions import NOTHING, TREC_EVAL_ORDER, Definition, RunOrder, Space, orders
from .scoring import Block, Tried, around, blocks
from .tools import FAR, costs

SAME = 1e-9  # values that differ by less are the same
SAMPLED_TOPICS = (
    10  # all definitions are tried on so many topics if there are more than twice as many
)
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
class Found:
    """The number of definitions of a `space` that were `tried`. Those that cannot differ here count
    once.

    `kept` are those that fit and the nearest others. `prints` has the prints of all definitions,
    and in how many dimensions they depart from a tool's."""

    space: Space
    tried: int = 0
    kept: dict[Definition, Kept] = field(default_factory=dict)
    prints: list[np.ndarray] = field(default_factory=list)

    def plus(self, other: Found) -> Found:
        """The findings of two searches."""
        space = {name: {**ways, **other.space[name]} for name, ways in self.space.items()}
        kept = self.kept | other.kept
        return Found(space, self.tried + other.tried, kept, self.prints + other.prints)

    @property
    def fitting(self) -> list[Definition]:
        """The definitions that fit."""
        return [definition for definition, kept in self.kept.items() if not kept.distance]

    def nearest(self, distances: int) -> list[Definition]:
        """The other definitions, with so many least distances."""
        rounded = {round(kept.distance, 9) for kept in self.kept.values() if kept.distance}
        if not rounded:
            return []
        limit = sorted(rounded)[:distances][-1] + SAME
        return [definition for definition, kept in self.kept.items() if 0 < kept.distance <= limit]

    def different(self, most_departures: int) -> int:
        """The number of definitions with different values that depart in so many dimensions at
        most."""
        prints, departures = np.concatenate(self.prints, axis=1)
        return int(np.unique(prints[departures <= most_departures].round(8)).size)


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a space, and orders of the same documents that are tried together, by their
    lists."""

    space: Space
    orders: dict[Lists, list[RunOrder]]


def search(space: Space, case: Case) -> Found:
    """The definitions that give all numbers of a case, and the nearest others."""
    sample = case.sample(SAMPLED_TOPICS)
    if sample is case:
        return compared(space, case, 1)
    found = compared(space, sample, NEAR)
    candidates = [*found.fitting, *found.nearest(NEAR)]
    if candidates:
        smaller = space
        if len(found.fitting) < MOST:
            smaller = around(space, candidates)
        found.kept = compared(smaller, case, 1).kept
    return found


def compared(space: Space, case: Case, distances: int) -> Found:
    """All definitions compared with the numbers given.

    Those that fit are kept, and the others with so many least distances.
    """
    by_mean = bool(space["averaged"])
    found = Found(space)
    ways = [*space["shown"]]
    sets = _different_sets(space, case)
    most_departures, near_departures = (RARE, 0) if by_mean else (FAR - 1, RARE)
    of_ways = costs([(way,) for way in ways], ["shown"])[:, -1].reshape(-1, 1, 1, 1)
    for part in parts_of(space, case):
        tried_blocks = [*blocks(part.space, [*part.orders])]
        all_tried = list(_tried(tried_blocks))
        departures = _least_departures(all_tried, part.orders.values())
        columns = np.flatnonzero(departures.min(axis=0) <= most_departures)
        values = np.concatenate([block.values for block in tried_blocks], axis=2)[..., columns]
        comparison = case.compared(values, ways, [names[0] for names in sets])
        prints = comparison.prints
        departures = np.broadcast_to(departures[:, columns] + of_ways, prints.shape)
        is_known = ~np.isnan(prints)
        is_near = departures <= near_departures
        is_usual = departures <= most_departures
        distance = comparison.distance + SAME
        distance[~is_near] += BEHIND
        distance[comparison.fits & is_usual] = FITTING
        distance[~is_known] = np.inf
        found.tried += int(is_known.sum())
        found.prints.append(np.stack([prints, departures])[:, is_known & is_usual])
        of_orders = [*part.orders.values()]
        for place in least(distance, departures, distances):
            if len(found.kept) >= MOST and departures[place]:
                continue
            way, members, number, column = place
            kept = Kept(float(distance[place]), round(float(prints[place]), 8))
            tried = all_tried[columns[column]]
            for definition in _alike(tried, of_orders[number], sets[members], ways[way]):
                if len(found.kept) < MOST or not departures[place]:
                    found.kept[definition] = kept
    if by_mean and found.kept:
        found.kept = _without_rare(found.kept)
    return found


def _different_sets(space: Space, case: Case) -> list[list[str]]:
    """The sets of topics of a mean; those with the same topics are together."""
    if not space["averaged"]:
        return [[""]]
    alike = defaultdict[bytes, list[str]](list)
    for name in space["averaged"]:
        alike[case.members[name].tobytes()].append(name)
    return [*alike.values()]


def _tried(tried_blocks: Iterable[Block]) -> Iterator[Tried]:
    """The definitions of blocks, as far as they go."""
    for block in tried_blocks:
        yield from map(Tried._make, product(*block.ways))


def _least_departures(all_tried: list[Tried], groups: Iterable[list[RunOrder]]) -> np.ndarray:
    """The departures of definitions in each group of orders from the nearest tool (groups × C)."""
    of_orders = np.stack([costs(group, RunOrder._fields).min(axis=0) for group in groups])
    of_tried = costs(all_tried, Tried._fields)
    return np.asarray((of_tried + of_orders[:, None]).min(axis=2))


def _alike(
    tried: Tried, alike_orders: list[RunOrder], alike_sets: list[str], shown: str
) -> Iterator[Definition]:
    """The definitions that cannot differ here."""
    nothings = [tried.nothing]
    if tried.ideal and not tried.nothing:
        nothings = [*NOTHING.by_text]
    for nothing, order, averaged in product(nothings, alike_orders, alike_sets):
        yield Definition(*tried[:-1], nothing, *order, averaged, shown)


def _without_rare(kept: dict[Definition, Kept]) -> dict[Definition, Kept]:
    """The definitions that do not depart from all tools in many dimensions."""
    departures = costs([*kept]).min(axis=1).tolist()
    return {
        definition: kept[definition]
        for definition, departure in zip(kept, departures, strict=True)
        if departure <= RARE
    }


def least(distance: np.ndarray, departures: np.ndarray, distances: int) -> list[tuple[int, ...]]:
    """The positions of the distances of 0 and of the least others, those of usual definitions
    first."""
    others = distance[(distance > 0) & np.isfinite(distance)]
    limit = others.max(initial=0.0)
    if distances < others.size:
        limit = np.partition(others, distances)[distances]
    positions = np.argwhere(distance <= limit + SAME)
    usual_first = np.argsort(departures[tuple(positions.T)], kind="stable")
    return [*map(tuple, positions[usual_first[:MOST]].tolist())]


def parts_of(space: Space, case: Case) -> Iterator[Part]:
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
    strings = {name: way for name, way in measures.items() if isinstance(way.apply, Measure)}
    others = {name: way for name, way in measures.items() if name not in strings}
    weighted = {name: way for name, way in others.items() if way.apply is None}
    size = max(SLAB // len(case.judged.topics), 1)
    cutoffs = [*space["cutoff"].items()]
    for (_, _, tied), stack in stacks.items():
        # Only nDCG and DCG share gains among tied documents.
        possible = weighted if tied else others
        if not possible:
            continue
        for start in range(0, len(cutoffs), size):
            some_cutoffs = dict(cutoffs[start : start + size])
            yield Part({**space, "measure": possible, "cutoff": some_cutoffs}, stack)
    if strings:
        lists = case.rows.lists(TREC_EVAL_ORDER)
        yield Part({**space, "measure": strings}, {lists: groups[lists]})
