"""The search: every definition on a few telling topics, and on all topics those that fit there or are near.

Orders of a run with the same levels at all ranks share all results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from ir_measures import Measure

from . import definitions as by
from .values import Case, Lists, Space, around, blocks

SAME = 1e-9  # values that differ by less are the same
FEW = 10  # the number of topics on which all definitions are tried if there are more than twice as many
NEAR = 20  # of so many distances on these topics, the nearest definitions are compared on all
SLAB = 3072  # the number of topics, times cutoffs, that are tried at a time, to bound the memory
CELLS = 2_000_000  # and of documents
MOST = 20_000  # the number of definitions that are kept, and all usual ones
RARE = 2  # a definition that departs from all tools in more dimensions is neither near nor meant by a mean
BEHIND = 1e6  # the distance of rare definitions begins here


@dataclass
class Found:
    """The number of definitions of a `space` that were `tried`. Those that cannot differ here count once.

    `kept` are those that fit and the nearest others, each with its distance, which is 0 if it fits, and its
    print. `prints` has the prints of all definitions, and in how many dimensions they depart from a tool's.
    """

    space: Space
    tried: int = 0
    kept: dict[by.Definition, tuple[float, float]] = field(default_factory=dict)
    prints: list[np.ndarray] = field(default_factory=list)

    def plus(self, other: Found) -> Found:
        """The findings of two searches."""
        space = {name: {**of, **other.space[name]} for name, of in self.space.items()}
        return Found(
            space, self.tried + other.tried, self.kept | other.kept, self.prints + other.prints
        )

    @property
    def fitting(self) -> list[by.Definition]:
        """The definitions that fit."""
        return [each for each, (off, _) in self.kept.items() if not off]

    def nearest(self, few: int) -> list[by.Definition]:
        """The other definitions, with the few least distances."""
        limit = sorted({round(off, 9) for off, _ in self.kept.values() if off})[:few]
        return [each for each, (off, _) in self.kept.items() if 0 < off <= limit[-1] + SAME]

    def different(self, rare: int) -> int:
        """The number of definitions with different values that depart in so many dimensions at most."""
        prints, departs = np.concatenate(self.prints, axis=1)
        return int(np.unique(prints[departs <= rare].round(8)).size)


def search(space: Space, case: Case) -> Found:
    """The definitions that give all numbers of a case, and the nearest others."""
    sample = case.sample(FEW)
    if sample is case:
        return compared(space, case, 1)
    found = compared(space, sample, NEAR)
    if candidates := [*found.fitting, *found.nearest(NEAR)]:
        smaller = around(space, candidates) if len(found.fitting) < MOST else space
        found.kept = compared(smaller, case, 1).kept
    return found


def compared(space: Space, case: Case, few: int) -> Found:
    """All definitions compared with the numbers given. Those that fit and the few nearest others are kept."""
    found = Found(space)
    ways = [*space["shown"]]
    sets = defaultdict[Any, list[str]](list)
    for name in space["averaged"] or [""]:
        sets[case.members[name].tobytes() if name else ""].append(name)
    most, near = (RARE, 0) if space["averaged"] else (by.FAR - 1, RARE)
    unusual = by.costs([(way,) for way in ways], ["shown"])[:, -1].reshape(-1, 1, 1, 1)
    for part, groups in batches(space, case):
        tried = [*blocks(part, [*groups])]
        heads = [head for dimensions, _ in tried for head in product(*dimensions)]
        of_orders = np.stack([by.costs(each, by.ORDER).min(axis=0) for each in groups.values()])
        rare = (by.costs(heads) + of_orders[:, None]).min(axis=2)
        columns = np.flatnonzero(rare.min(axis=0) <= most)
        rare = rare[:, columns] + unusual
        values = np.concatenate([each for _, each in tried], axis=2)[..., columns]
        fits, off, prints = case.compared(values, ways, [each[0] for each in sets.values()])
        rare, is_known = np.broadcast_to(rare, prints.shape), ~np.isnan(prints)
        fitting = fits & (rare <= most)
        distance = np.where(fitting, 0.0, off + SAME + BEHIND * (rare > near))
        distance[~is_known] = np.inf
        found.tried += int(is_known.sum())
        found.prints.append(np.stack([prints, rare])[:, is_known & (rare <= most)])
        for place in least(distance, rare, few):
            way, members, number, column = place
            *head, nothing = heads[columns[column]]
            nothings = by.NOTHING if head[4] and not nothing else [nothing]
            alike = product(nothings, [*groups.values()][number], [*sets.values()][members])
            for value, order, averaged in alike:
                if len(found.kept) < MOST or not rare[place]:
                    of = by.Definition._make((*head, value, *order, averaged, ways[way]))
                    found.kept[of] = float(distance[place]), round(float(prints[place]), 8)
    if space["averaged"] and found.kept:
        departs = by.costs([*found.kept]).min(axis=1)
        found.kept = {
            of: found.kept[of] for of, rare in zip(found.kept, departs, strict=True) if rare <= RARE
        }
    return found


def least(distance: np.ndarray, rare: np.ndarray, few: int) -> list[tuple[int, ...]]:
    """The places of the distances of 0 and of the few least others, those of usual definitions first."""
    others = distance[(distance > 0) & np.isfinite(distance)]
    limit = np.partition(others, few)[few] if few < others.size else others.max(initial=0.0)
    places = np.argwhere(distance <= limit + SAME)
    return [*map(tuple, places[np.argsort(rare[tuple(places.T)], kind="stable")[:MOST]].tolist())]


def batches(space: Space, case: Case) -> Iterator[tuple[Space, dict[Lists, list[by.Order]]]]:
    """Parts of the space, and orders of the same documents that are tried together, by their lists.

    Measure strings are only tried in trec_eval's order.
    """
    groups = defaultdict[Lists, list[by.Order]](list)
    for order in by.orders(space):
        groups[case.lists(order)].append(order)
    stacks = defaultdict[Any, dict[Lists, list[by.Order]]](dict)
    for number, (lists, orders) in enumerate(groups.items()):
        alone = 0 if lists.ties is None else number + 1
        stacks[orders[0][2], number // max(CELLS // lists.code.size, 1), alone][lists] = orders
    strings = {name: of for name, of in space["measure"].items() if isinstance(of, Measure)}
    others = {name: of for name, of in space["measure"].items() if name not in strings}
    size = max(SLAB // len(case.judged.topics), 1)
    cutoffs = [*space["cutoff"].items()]
    for (_, _, tied), stack in stacks.items():
        # Only nDCG and DCG share gains among tied documents.
        some = {name: of for name, of in others.items() if of is None or not tied}
        for start in range(0, len(cutoffs), size):
            if some:
                yield (
                    {**space, "measure": some, "cutoff": dict(cutoffs[start : start + size])},
                    stack,
                )
    if strings:
        lists = case.lists(by.BASE)
        yield {**space, "measure": strings}, {lists: groups[lists]}
