"""Gains solved for: DCG is linear in the gains of the levels, so least squares over the topics finds them."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from .cases import Case, Documents
from .definitions import DCG, NDCG, Function
from .formulas import Space, cumulated, ideally_cumulated

TOPICS = 96  # the number of topics that are used if there are many more
SPARE = 3  # the number of telling topics beyond the number of levels that make a solution credible
# A solution is rounded to whole gains, and verified, if it misses no value by more tolerances than this.
NEAR = 8.0
LOWEST = (1, 2, 3, 4, 5, 10)  # the whole gains that the lowest level may have
MOST_LEVELS = 32
SOLVED = "solved: "
TABLES = 48  # the number of tables that are verified


def solved_gains(space: Space, case: Case) -> dict[str, Function]:
    """Tables of gains with which some definition comes near all values, by name, such as ``1:1, 2:3``."""
    case = case.sample(TOPICS)
    levels, values = np.unique(case.judged.all_levels), case.values
    positive = levels[levels > 0]
    telling = np.flatnonzero((values > 0) & (values != 1))
    if not 1 < positive.size <= min(telling.size - SPARE, MOST_LEVELS):
        return {}
    value = values[telling]
    found: dict[tuple[float, ...], float] = {}
    for of_run, of_ideal in _collections(space, case.documents, positive):
        of_run = of_run[telling]
        if of_ideal is None:
            normal = np.einsum("tlw,tmw->wlm", of_run, of_run)
            gains = (np.linalg.pinv(normal) @ np.einsum("tlw,t->wl", of_run, value)[:, :, None])[:, :, 0]
            best = np.ones((1, 1))
        else:
            of_ideal = of_ideal[telling]
            apart = of_run - value[:, None, None] * of_ideal
            gains = np.linalg.eigh(np.einsum("tlw,tmw->wlm", apart, apart))[1][:, :, 0]
            gains = gains * np.sign(gains.sum(axis=1, keepdims=True))
            best = np.einsum("tlw,wl->tw", of_ideal, gains)
        with np.errstate(all="ignore"):
            off = np.abs(np.einsum("tlw,wl->tw", of_run, gains) / best - value[:, None]) / case.tolerance
        near = np.nan_to_num(off, nan=np.inf).max(axis=0)
        for number in np.flatnonzero((near <= NEAR) & (gains > 0).any(axis=1)).tolist():
            for table in _tables(gains[number], of_ideal is not None):
                found[table] = min(found.get(table, np.inf), float(near[number]))
    tables = sorted(found, key=lambda table: (sum(gain % 1 != 0 for gain in table), found[table]))[:TABLES]
    names = [", ".join(f"{level:g}:{gain:g}" for level, gain in zip(positive, table)) for table in tables]
    return {SOLVED + name: partial(_gain, positive, table) for name, table in zip(names, tables)}


def longest_fraction(name: str) -> int:
    """The most decimals of a gain in the name of a table.

    >>> longest_fraction("solved: 1:1, 2:2.25")
    2
    """
    return max(len(pair.rpartition(":")[2].partition(".")[2]) for pair in name.split(","))


def _collections(
    space: Space, documents: Documents, levels: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """The discounts that each level collects in the run, and in an ideal list (T × L × W each)."""
    measures, shape = space.tried["measure"], (len(documents.best), levels.size, -1)
    space = space.limited(gain={f"{level:g}": partial(np.equal, level) for level in levels})
    for lists, _ in documents.distinct(space.orders):
        of_run = cumulated(space, lists.level, space.cuts, lists.ties).reshape(shape)
        if DCG in measures:
            yield of_run, None
        for ideal in space.tried["ideal"] if NDCG in measures else ():
            yield of_run, ideally_cumulated(space, lists, ideal).reshape(shape)


def _tables(gains: np.ndarray, free: bool) -> Iterator[tuple[float, ...]]:
    """Whole gains near the solution, and the solution to 4 and 6 digits; the unit of nDCG's gains is free."""
    gains = np.maximum(gains, 0)
    least = float(gains[gains > 1e-3 * gains.max()].min()) if free else 1.0
    whole = [np.round(gains / least * lowest).astype(np.int64) for lowest in (LOWEST if free else (1,))]
    yield from {tuple((each // (np.gcd.reduce(each) if free else 1)).tolist()) for each in whole}
    for digits in (4, 6):
        yield tuple(float(f"{gain / least:.{digits}g}") for gain in gains.tolist())


def _gain(levels: np.ndarray, table: Sequence[float], level: np.ndarray) -> np.ndarray:
    return np.append(table, 0.0)[np.where(np.isin(level, levels), np.searchsorted(levels, level), len(table))]
