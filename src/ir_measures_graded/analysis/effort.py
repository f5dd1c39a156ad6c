"""Effort: the rank at which a run reaches the value that another list has at an earlier rank.

Järvelin & Kekäläinen 2002, section 3.4: "one has to retrieve 30 documents by the best run, and 90 by
the worst run in order to gain the benefit that could theoretically be gained by retrieving only 10
documents (the ideal curve)".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from ir_measures import Measure

from ..errors import GradedError
from .curves import IDEAL, Curves, sign_of
from .options import whole_number

SLACK = 1e-12  # relative: means of equal vectors may differ in their last bits


@dataclass(frozen=True)
class Effort:
    """The rank at which each run reaches the values of `of`, which is the ideal list or a run.

    `targets` holds the values of `of` at the ranks `at`. `ranks[i][j]` is the rank at which run i of `runs`
    reaches target j, or None if it does not within `depth`.
    """

    measure: Measure
    of: str
    at: tuple[int, ...]
    targets: tuple[float, ...]
    runs: tuple[str, ...]
    ranks: tuple[tuple[int | None, ...], ...]
    depth: int

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """Column names and rows: the targets, then one row per run with the ranks."""
        missing = f"not within depth {self.depth}"
        rows = [
            [run, *(missing if rank is None else str(rank) for rank in ranks)]
            for run, ranks in zip(self.runs, self.ranks)
        ]
        return ["run", *(f"{self.of}@{rank}" for rank in self.at)], [["(value)", *self.targets], *rows]

    def records(self) -> tuple[list[str], list[list[Any]]]:
        """Column names and rows: one row per run and target; no rank if the target is not reached."""
        rows = [
            [run, self.of, at, target, rank]
            for run, ranks in zip(self.runs, self.ranks)
            for at, target, rank in zip(self.at, self.targets, ranks)
        ]
        return ["run", "of", "at", "value", "rank"], rows


def effort(curves: Curves, at: Iterable[int], of: str | None = None) -> Effort:
    """The first rank at which each run's mean curve reaches the value that `of` has at each rank in `at`.

    `of` is the name of a run, or None for the ideal list, which the curves must include. A curve reaches a
    target at a value that is at least the target, or at most if smaller values are better.

    >>> from ir_measures_graded.analysis import curves
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "y": 1.0}}
    >>> found = effort(curves(qrels, {"mine": run}, "CG", depth=10), at=[1, 2])
    >>> found.targets, found.ranks
    ((2.0, 3.0), ((2, None),))

    Raises `GradedError` for an unknown run and for ranks beyond the depth of the curves.
    """
    depth = curves.values.shape[1]
    ranks = tuple(dict.fromkeys(whole_number(rank, "at", 1) for rank in at))
    if not ranks:
        raise GradedError("no rank is given; name at least one, for example at=[10]")
    if max(ranks) > depth:
        raise GradedError(f"at={max(ranks)} is beyond the curves, which end at rank {depth}")
    sign = sign_of(curves.measure)
    targets = sign * _curve_of(curves, of)[[rank - 1 for rank in ranks]]
    enough = targets - SLACK * np.abs(targets)
    reached = sign * curves.values[:, None, :] >= enough[:, None]  # runs × targets × ranks
    first = np.where(reached.any(axis=2), reached.argmax(axis=2) + 1, 0).tolist()
    return Effort(
        curves.measure,
        IDEAL if of is None else of,
        ranks,
        tuple((sign * targets).tolist()),
        curves.runs,
        tuple(tuple(rank or None for rank in row) for row in first),
        depth,
    )


def _curve_of(curves: Curves, of: str | None) -> np.ndarray:
    if of is None:
        if curves.ideal is None:
            raise GradedError(
                "the curves do not include the ideal list; compute them with ideal=True, or name a run"
            )
        return curves.ideal
    if of not in curves.runs:
        close = get_close_matches(of, curves.runs, n=1, cutoff=0.3)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise GradedError(f"there is no run {of!r} among {', '.join(curves.runs)}{hint}")
    return curves.values[curves.runs.index(of)]
