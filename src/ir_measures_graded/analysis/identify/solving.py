"""Tables of gains that no tool has: nDCG is a ratio that is linear in the gains of the levels, so
least squares over topics finds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

import numpy as np

from .case import Case
from .dimensions import Space, Way, orders, solved_gain
from .scoring import cumulated, cuts_of, ideally_cumulated

TOPICS = 96  # the number of topics that are used if there are many more
SPARE_TOPICS = 3  # so many telling topics more than levels make a solution credible
NEAR = 8.0  # a solution is verified if no value is missed by more tolerances than this
LOWEST_GAINS = range(1, 21)  # the whole gains that the lowest level may have
LEAST_SHARE = 1e-3  # smaller gains, as shares of the largest, are 0
MOST_LEVELS = 32
MOST_TABLES = 48  # the number of tables that are verified


def solved_gains(space: Space, case: Case) -> dict[str, Way]:
    """Tables of whole gains with which some nDCG comes near all values, by text, as ``solved: 1:1,
    2:3``."""
    case = case.sample(TOPICS)
    levels = np.unique(case.judged.all_levels)
    levels = levels[levels > 0]
    telling = np.flatnonzero((case.values > 0) & (case.values != 1))
    if not 1 < levels.size <= min(telling.size - SPARE_TOPICS, MOST_LEVELS):
        return {}
    # Each gain is 1 for its level, and 0 for the others.
    gain_of_level = [Way(f"{level:g}", partial(np.equal, level)) for level in levels]
    space = {**space, "gain": {way.text: way for way in gain_of_level}}
    tables: dict[tuple[int, ...], None] = {}  # an ordered set
    for _, gains in sorted(_solutions(space, case, telling)):
        tables.update(dict.fromkeys(whole(gains)))
    ways = [solved_gain(levels.tolist(), table) for table in islice(tables, MOST_TABLES)]
    return {way.text: way for way in ways}


def _solutions(
    space: Space, case: Case, telling: np.ndarray
) -> Iterator[tuple[float, list[float]]]:
    """The largest gap of each solution that comes near all values, and its gains by level.

    With the gains g, the value of a topic is (run · g) / (ideal · g), so (run − value · ideal) · g
    is 0. The gains are the eigenvector with the least eigenvalue of the squared residuals.
    """
    cuts = cuts_of(space)
    value = case.values[telling, None, None]
    different_lists = dict.fromkeys(map(case.rows.lists, orders(space)))
    for lists in different_lists:
        # The discounts that each level collects in the run, and in an ideal list (T × L × W).
        dcg = cumulated(space, lists, lists.code, cuts, lists.ties)
        of_run = _by_level(dcg)[telling]
        for ideal_dcg in ideally_cumulated(space, lists, lists.code, cuts):
            of_ideal = _by_level(ideal_dcg)[telling]
            residual = of_run - value * of_ideal
            # The letters are t for topics, l and m for levels, and w for ways to cut and discount.
            squares = np.einsum("tlw,tmw->wlm", residual, residual)
            _, eigenvectors = np.linalg.eigh(squares)
            gains = eigenvectors[:, :, 0]
            gap = np.abs(np.einsum("tlw,wl->tw", residual, gains))
            ideal = np.abs(np.einsum("tlw,wl->tw", of_ideal, gains))
            is_near = (gap < NEAR * case.tolerance * ideal).all(axis=0)
            largest_gap = (gap[:, is_near] / ideal[:, is_near]).max(axis=0)
            yield from zip(largest_gap.tolist(), gains[is_near].tolist(), strict=True)


def _by_level(dcg: np.ndarray) -> np.ndarray:
    """The cumulated gains of levels, for each way to cut and to discount (T × L × W)."""
    topic_count, _, level_count, _ = dcg.shape
    return np.moveaxis(dcg, 2, 1).reshape(topic_count, level_count, -1)


def whole(gains: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """A solution, whose unit and sign are free, as whole gains."""
    largest = max(gains, key=abs)
    shares = np.maximum(np.divide(gains, largest), 0)
    in_lowest = shares / shares[shares > LEAST_SHARE].min()
    for lowest in LOWEST_GAINS:
        table = np.rint(in_lowest * lowest).astype(np.int64)
        reduced_table = table // np.gcd.reduce(table)
        yield tuple(reduced_table.tolist())
