"""The search: every definition on a few telling topics, the survivors on all; if none survives, the nearest.

Orders of a run with the same levels at all ranks share all results, and so do ideal lists that do not depend
on the order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from . import definitions as by
from .cases import Case
from .definitions import Definition, Order
from .formulas import Space, blocks

SAME = 1e-9  # values that differ by less are the same
FEW = 12  # the number of topics on which all definitions are tried if there are more than twice as many
NEAR = 20  # of so many distances on these topics, the nearest definitions are compared on all
SLAB = 24  # the number of cutoffs that are tried at a time, to bound the memory
MOST = 20_000  # the number of definitions that are kept if they fit
RARE = 2  # a definition that departs from all tools in more dimensions is neither near nor meant by a mean


@dataclass(frozen=True)
class Found:
    """The numbers of definitions that were tried and that fit, and the first of these with their prints."""

    tried: int = 0
    count: int = 0
    kept: dict[Definition, float] = field(default_factory=dict)

    def plus(self, other: Found) -> Found:
        """The findings of two searches."""
        return Found(self.tried + other.tried, self.count + other.count, self.kept | other.kept)


class Results(NamedTuple):
    """Some definitions in an order (ways × sets of topics × C each): whether they fit, how far they are off,
    and in how many dimensions they depart from the nearest tool. `prints` (C) are the same for equal values,
    and `name` names the definition at a place."""

    fits: np.ndarray
    off: np.ndarray
    rare: np.ndarray
    prints: np.ndarray
    name: Callable[[Any], Definition]


def search(space: Space, cases: Sequence[Case]) -> Found:
    """The definitions that give all values of all cases."""
    first, *others = sorted(cases, key=lambda case: -case.decimals * case.known.size)
    sample = first.sample(FEW)
    found = fitting(space, sample)
    for case in others if sample is first else [first, *others]:
        whole = found.count == len(found.kept)
        if found.kept:
            new = fitting(space.around(found.kept) if whole else space, case).kept
            both = {each: value + found.kept.get(each, 0) for each, value in new.items()}
            both = {each: value for each, value in both.items() if each in found.kept or not whole}
            found = Found(found.tried, len(both), both)
    return found


def fitting(space: Space, case: Case) -> Found:
    """The definitions that give all values of a case; for a mean, those that are not too rare."""
    tried, count, kept = 0, 0, dict[Definition, float]()
    for each in results(space, case):
        fits = each.fits & (each.rare < by.FAR if case.mean is None else each.rare <= RARE)
        tried, count = tried + int((each.rare < by.FAR).sum()), count + int(fits.sum())
        places = np.argwhere(fits)[: MOST - len(kept)]
        kept |= {each.name(place): float(each.prints[place[2]]) for place in places}
    return Found(tried, count, kept)


def nearest(space: Space, case: Case, most: int, few: int = FEW) -> list[tuple[float, Definition]]:
    """The definitions nearest to the values, with their distance, among those that depart from a tool's in at
    most so many dimensions. The near ones of a few topics are compared on all."""
    sample, found = case.sample(few), list[tuple[float, Definition]]()
    count = 1 if sample is case else NEAR
    for each in results(space, sample):
        off = np.where(each.rare > most, np.inf, each.off)
        least = np.sort(off, axis=None)[:count][-1:].max(initial=0)
        places = np.argwhere((off <= least + SAME) & np.isfinite(off))[:MOST]
        found += [(float(off[tuple(place)]), each.name(place)) for place in places]
    limit = sorted({round(off, 9) for off, _ in found})[:count]
    near = [each for each in found if each[0] <= limit[-1] + SAME]
    if count == 1 or not near:
        return near
    return nearest(space.around(definition for _, definition in near), case, most, case.values.size)


def results(space: Space, case: Case) -> Iterator[Results]:
    """The results of all definitions, for each order."""
    cutoffs, ways = [*space.tried["cutoff"].items()], [*space.tried["shown"]]
    sets = [*space.tried["averaged"]] or [""]
    unusual = np.array([by.departures("shown", way)[-1] for way in ways])[:, None, None]
    for start in range(0, len(cutoffs), SLAB):
        slab = space.limited(cutoff=dict(cutoffs[start : start + SLAB]))
        names, total = summed(slab, case)
        costs, known = departures(slab, names), dict[bytes, np.ndarray]()
        for order, sums in total.items():
            of_order = np.sum([by.departures(*pair) for pair in order._asdict().items()], axis=0)
            if (key := of_order.tobytes()) not in known:
                known[key] = (costs + of_order).min(axis=1, initial=by.FAR).astype(int)
            fits, off, means = case.compared(sums, ways)
            rare = np.where(np.isnan(sums[-1]), by.FAR, known[key] + unusual) + np.zeros(off.shape, int)
            if case.mean is not None:
                usual = means[(rare == 0) & (means >= 0) & (means <= 1)]
                case.means.update(np.round(usual, case.digits).tolist())

            def name(place: Any, order: Order = order, names: list[Definition] = names) -> Definition:
                way, members, column = place.tolist()
                more = {"averaged": sets[members], "shown": ways[way]}
                return names[column]._replace(**order._asdict(), **more)

            yield Results(fits, off, rare, sums[-1], name)


def summed(space: Space, case: Case) -> tuple[list[Definition], dict[Order, np.ndarray]]:
    """The definitions without an order, and for each order their `Case.sums` over all topics."""
    ways, names, total = [*space.tried["shown"]], list[Definition](), dict[Order, np.ndarray]()
    for part in case.parts():
        ideals: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
        for lists, orders in part.documents.distinct(space.orders):
            found = [*blocks(space, orders[0], lists, ideals[orders[0].documents])]
            names = names or [name for block in found for name in block[0]]
            sums = part.sums(np.concatenate([values for _, values in found], axis=1), ways)
            total |= {order: total[order] + sums if order in total else sums for order in orders}
    return names, total


def departures(space: Space, definitions: Sequence[Definition]) -> np.ndarray:
    """The departures of definitions, perhaps without some dimensions, from each tool (C × tools)."""
    found = np.zeros((len(definitions), len(by.tools())), dtype=np.uint8)
    for name, values in zip(Definition._fields, zip(*definitions)):
        distinct = {value: number for number, value in enumerate(dict.fromkeys(values))}
        usual = ["10" if name == "cutoff" and value in space.asked else value for value in distinct]
        table = np.stack([by.departures(name, value) for value in usual])
        found += table[np.fromiter(map(distinct.__getitem__, values), np.int64, len(values))]
    return found
