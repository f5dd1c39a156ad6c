"""Gains solved for: nDCG is a ratio that is linear in the gains of the levels, so least squares over topics
finds them."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from ...core.ranking.gains import gain_of
from .cases import Case
from .definitions import Function
from .formulas import Space, cumulated, ideally_cumulated

TOPICS = 96  # the number of topics that are used if there are many more
SPARE = 3  # the number of telling topics beyond the number of levels that make a solution credible
NEAR = 8.0  # a solution is rounded, and verified, if it misses no value by more tolerances than this
LOWEST = (1, 2, 3, 4, 5, 10)  # the whole gains that the lowest level may have
MOST_LEVELS = 32
TABLES = 48  # the number of tables that are verified


def solved_gains(space: Space, case: Case) -> Iterator[dict[str, Function]]:
    """Tables of gains with which some nDCG comes near all values, by name, such as ``solved: 1:1, 2:3``.

    First come whole gains, then those with more and more digits.
    """
    case = case.sample(TOPICS)
    levels, values = np.unique(case.judged.all_levels), case.values
    levels, telling = levels[levels > 0], np.flatnonzero((values > 0) & (values != 1))
    if not 1 < levels.size <= min(telling.size - SPARE, MOST_LEVELS):
        return
    space = space.limited(gain={f"{level:g}": partial(np.equal, level) for level in levels})
    shape, value, solutions = (values.size, levels.size, -1), values[telling, None], []
    for lists, _ in case.documents.distinct(space.orders):
        # The discounts that each level collects in the run, and in an ideal list (T × L × W).
        of_run = cumulated(space, lists.level, space.cuts, lists.ties).reshape(shape)[telling]
        for ideal in space.tried["ideal"]:
            of_ideal = ideally_cumulated(space, lists, ideal).reshape(shape)[telling]
            apart = of_run - value[:, :, None] * of_ideal
            gains = np.linalg.eigh(np.einsum("tlw,tmw->wlm", apart, apart))[1][:, :, 0]
            gains = gains * np.sign(gains.sum(axis=1, keepdims=True))
            with np.errstate(all="ignore"):
                ratio = np.einsum("tlw,wl->tw", of_run, gains) / np.einsum("tlw,wl->tw", of_ideal, gains)
                off = np.nan_to_num(np.abs(ratio - value) / case.tolerance, nan=np.inf).max(axis=0)
            near = np.flatnonzero((off <= NEAR) & (gains > 0).any(axis=1))
            solutions += [(off[number], gains[number].tolist()) for number in near.tolist()]
    for digits in (0, 4, 6):
        tables = dict.fromkeys(each for _, gains in sorted(solutions) for each in _rounded(gains, digits))
        gains_of = [dict(zip(levels.tolist(), table)) for table in list(tables)[:TABLES]]
        names = [", ".join(f"{level:g}:{gain:g}" for level, gain in gains.items()) for gains in gains_of]
        yield {f"solved: {name}": partial(gain_of, gains=gains) for name, gains in zip(names, gains_of)}


def _rounded(gains: Sequence[float], digits: int) -> Iterator[tuple[float, ...]]:
    """A solution, whose unit is free, with so many digits, or as whole gains."""
    positive = np.maximum(gains, 0)
    positive = positive / positive[positive > 1e-3 * positive.max()].min()
    if digits:
        yield tuple(float(f"{gain:.{digits}g}") for gain in positive.tolist())
        return
    for lowest in LOWEST:
        whole = np.rint(positive * lowest).astype(np.int64)
        yield tuple((whole // np.gcd.reduce(whole)).tolist())
