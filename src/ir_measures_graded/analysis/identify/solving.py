"""Gains solved for: DCG is linear in the gains of the levels, so least squares over the topics finds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .definitions import DCG, NDCG, Gain
from .lists import Documents
from .search import Case, Space, collected, ideally_collected

SPARE = 3
"""The number of telling topics beyond the number of levels that make a solution credible."""
NEAR = 8.0
"""A solution is rounded to whole gains, and verified, if it misses no value by more tolerances than this."""
LOWEST = (1, 2, 3, 4, 5, 10)
"""The whole gains that the lowest level may have."""
SOLVED = "solved: "
TABLES = 24
"""The number of tables that are verified."""


def solved_gains(space: Space, case: Case) -> dict[str, Gain]:
    """Tables of gains with which some definition comes near all values, by name, such as ``1:1, 2:3``."""
    case = case.sample()
    documents, values = case.documents, case.values
    shared = np.isclose(documents.levels, documents.levels[:1], equal_nan=True).all()
    positive = np.unique(case.judged.level[case.judged.level > 0])
    telling = np.flatnonzero((values > 0) & (values != 1))
    if not shared or not 1 < positive.size <= telling.size - SPARE:
        return {}
    column = np.flatnonzero(np.isin(documents.levels[0], positive))
    value = values[telling]
    found: dict[tuple[float, ...], float] = {}
    for of_run, of_ideal in _collections(space, documents):
        of_run = of_run[telling][:, column]
        if of_ideal is None:
            normal = np.einsum("tlw,tmw->wlm", of_run, of_run)
            gains = (np.linalg.pinv(normal) @ np.einsum("tlw,t->wl", of_run, value)[:, :, None])[:, :, 0]
            best = np.ones((1, 1))
        else:
            of_ideal = of_ideal[telling][:, column]
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
    names = sorted(found, key=lambda table: (sum(gain % 1 != 0 for gain in table), found[table]))[:TABLES]
    return {
        SOLVED + ", ".join(f"{level:g}:{gain:g}" for level, gain in zip(positive, table)): _gain(
            positive, table
        )
        for table in names
    }


def gains_in(name: str) -> dict[float, float]:
    """The gains of a table by its name; empty for gains that were not solved for.

    >>> gains_in("solved: 1:1, 2:3")
    {1.0: 1.0, 2.0: 3.0}
    """
    pairs = [pair.split(":") for pair in name.removeprefix(SOLVED).split(", ")] if SOLVED in name else []
    return {float(level): float(gain) for level, gain in pairs}


def _collections(space: Space, documents: Documents) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    discounts = [*space.discounts.values()]
    seen = set()
    for order in documents.orders():
        labels = documents.labels(order)
        if labels.key() in seen:
            continue
        seen.add(labels.key())
        of_run = collected(documents, labels, discounts, space.cuts)
        if DCG in space.tried["measure"]:
            yield of_run, None
        for ideal in space.tried["ideal"] if NDCG in space.tried["measure"] else ():
            yield of_run, ideally_collected(documents, labels, discounts, space.cuts, ideal)


def _tables(gains: np.ndarray, free: bool) -> Iterator[tuple[float, ...]]:
    """Whole gains near the solution, else the solution to 3 digits; the unit of nDCG's gains is free."""
    gains = np.maximum(gains, 0)
    least = float(gains[gains > 1e-3 * gains.max()].min()) if free else 1.0
    whole = [np.round(gains / least * lowest).astype(np.int64) for lowest in (LOWEST if free else (1,))]
    yield from {tuple((each // (np.gcd.reduce(each) if free else 1)).tolist()) for each in whole}
    table = [float(f"{gain / least:.3g}") for gain in gains.tolist()]
    if not any(np.allclose(np.multiply(table, each.max() / max(table)), each, rtol=0.01) for each in whole):
        yield tuple(table)


def _gain(levels: np.ndarray, table: Sequence[float]) -> Gain:
    def gain(level: np.ndarray) -> np.ndarray:
        result = np.zeros(level.shape)
        for each, value in zip(levels.tolist(), table):
            result[level == each] = value
        return result

    return gain
