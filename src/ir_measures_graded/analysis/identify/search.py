"""The search: every definition on a few telling topics, and on all topics those that fit there or are near.

Orders of a run with the same levels at all ranks share all results, and so do ideal lists that do not depend
on the order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import definitions as by
from .cases import Case, Lists
from .definitions import ORDER, Definition, Order
from .formulas import Space, around, blocks, orders_of

SAME = 1e-9  # values that differ by less are the same
FEW = 12  # the number of topics on which all definitions are tried if there are more than twice as many
NEAR = 20  # of so many distances on these topics, the nearest definitions are compared on all
SLAB = 3072  # the number of topics, times cutoffs, that are tried at a time, to bound the memory
MOST = 20_000  # the number of places of definitions that are kept
RARE = 2  # a definition that departs from all tools in more dimensions is neither near nor meant by a mean
BEHIND = 1e6  # the distance of rare definitions begins here


@dataclass
class Found:
    """The number of definitions that were tried.

    `kept` are those that fit and the nearest others, each with its distance, which is 0 if it fits, and its
    print. `prints` has the prints of all definitions, and in how many dimensions they depart from a tool's.
    """

    tried: int = 0
    kept: dict[Definition, tuple[float, float]] = field(default_factory=dict)
    prints: list[np.ndarray] = field(default_factory=list)

    def plus(self, other: Found) -> Found:
        """The findings of two searches."""
        kept, prints = self.kept | other.kept, self.prints + other.prints
        return Found(self.tried + other.tried, kept, prints)

    @property
    def fitting(self) -> list[Definition]:
        """The definitions that fit."""
        return [each for each, (off, _) in self.kept.items() if not off]

    def nearest(self, few: int) -> list[Definition]:
        """The other definitions, with the few least distances."""
        limit = sorted({round(off, 9) for off, _ in self.kept.values() if off})[:few]
        return [each for each, (off, _) in self.kept.items() if 0 < off <= limit[-1] + SAME]

    def different(self, rare: int) -> int:
        """The number of definitions with different values that depart in so many dimensions at most."""
        prints, departs = np.concatenate(self.prints, axis=1)
        return int(np.unique(prints[departs <= rare].round(8)).size)


def search(space: Space, cases: Sequence[Case]) -> Found:
    """The definitions that give all numbers of all cases, and the nearest others."""
    samples = [case.sample(FEW) for case in cases]
    if samples == [*cases]:
        return compared(space, cases, 1)
    found = compared(space, samples, NEAR)
    if candidates := [*found.fitting, *found.nearest(NEAR)]:
        on_all = compared(around(space, candidates) if len(found.fitting) < MOST else space, cases, 1)
        return Found(found.tried, on_all.kept, found.prints)
    return found


def compared(space: Space, cases: Sequence[Case], few: int) -> Found:
    """All definitions compared with the numbers given. Those that fit and the few nearest others are kept."""
    ways, sets, found = [*space["shown"]], [*space["averaged"]] or [""], Found()
    most, near = (RARE, 0) if space["averaged"] else (by.FAR - 1, RARE)
    unusual = np.array([by.departures("shown", way)[-1] for way in ways])
    for names, from_tools, orders, fits, off, prints in results(space, cases, most):
        rare = least(from_tools, orders.values()) + unusual[:, None, None] + np.zeros(fits.shape, int)
        off = np.where(fits & (rare <= most), 0.0, off + BEHIND * (rare > near))
        off[np.isnan(prints)] = np.inf
        others = off[(off > 0) & (off < np.inf)]
        limit = np.partition(others, few)[few] if few < others.size else others.max(initial=0.0)
        places = np.argwhere(off <= limit + SAME)[: max(MOST - len(found.kept), 0)]
        found.tried += len(orders) * int(np.isfinite(prints).sum())
        way, _, column = places.T
        for order, each in orders.items():
            cost = least(from_tools[:, column], [each]) + unusual[way]
            for place in map(tuple, places[cost <= np.maximum(most, rare[tuple(places.T)])].tolist()):
                shown, members, number = place
                rest = {"averaged": sets[members], "shown": ways[shown], **dict(zip(ORDER, order))}
                found.kept[names[number]._replace(**rest)] = float(off[place]), float(prints[place])
        found.prints.append(np.stack([prints, rare])[:, (rare <= most) & ~np.isnan(prints)])
    return found


def least(from_tools: np.ndarray, orders: Iterable[np.ndarray]) -> np.ndarray:
    """The departures of definitions from the nearest tool, with those of the best of some orders."""
    return np.asarray((from_tools + np.min([*orders], axis=0)[:, None]).min(axis=0, initial=by.FAR))


def results(space: Space, cases: Sequence[Case], most: int) -> Iterator[tuple[Any, ...]]:
    """For all orders with equal lists: the definitions (C) that depart from a tool in `most` dimensions at
    most, without an order, their departures (tools × C), those of each order, and the results of
    `Case.compared` for all cases; the distances are those of the first."""
    cutoffs, ways = [*space["cutoff"].items()], [*space["shown"]]
    groups = defaultdict[tuple[Lists, ...], dict[Order, np.ndarray]](dict)
    for order in orders_of(space):
        departures = np.stack([*map(by.departures, ORDER, order)]).sum(axis=0, dtype=np.uint8)
        groups[tuple(case.documents.lists(order) for case in cases)][order] = departures
    size = max(SLAB // sum(case.known.size for case in cases), 1)
    for start in range(0, len(cutoffs), size):
        slab, ideals = {**space, "cutoff": dict(cutoffs[start : start + size])}, defaultdict[Any, Any](dict)
        names, from_tools = list[Definition](), np.empty(0)
        for group, orders in groups.items():
            first, tried = next(iter(orders)), []
            for case, lists in zip(cases, group):
                tried.append([*blocks(slab, first, lists, ideals[case, first[2]])])
            if not names:
                names = [name for block in tried[0] for name in block[0]]
                from_tools = by.costs(names).T.copy()
            kept = np.flatnonzero(least(from_tools, orders.values()) <= most)
            values = [np.concatenate([of for _, of in block], axis=1)[:, kept] for block in tried]
            fits, off, prints = zip(*(case.compared(of, ways) for case, of in zip(cases, values)))
            weighted = sum(np.sqrt(number) * each for number, each in enumerate(prints, start=1))
            some = [names[number] for number in kept.tolist()]
            yield some, from_tools[:, kept], orders, np.all(fits, axis=0), off[0] + SAME, weighted
