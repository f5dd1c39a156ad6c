"""Effort: how far the user must read to gain as much, the horizontal reading of curves.

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
from ..output.formats import Whole
from .curves import IDEAL, Curves, sign_of
from .options import whole_number

SLACK = 1e-12  # relative: means of equal vectors may differ in their last bits


@dataclass(frozen=True)
class Effort:
    """The ranks at which the runs reach what `of`, the ideal or one of them, gives at some ranks.

    `targets` are the values of `of` at the ranks `at`; `ranks[i][j]` is the rank at which run i of `runs`
    reaches target j, None where it does not within `depth`.
    """

    measure: Measure
    of: str
    at: tuple[int, ...]
    targets: tuple[float, ...]
    runs: tuple[str, ...]
    ranks: tuple[tuple[int | None, ...], ...]
    depth: int

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """Column names and rows for people: a row a run, below one of the targets."""
        missing = f"not within depth {self.depth}"
        rows = [
            [run, *(missing if rank is None else str(rank) for rank in ranks)]
            for run, ranks in zip(self.runs, self.ranks)
        ]
        return ["run", *(f"{self.of}@{rank}" for rank in self.at)], [["(value)", *self.targets], *rows]

    def records(self) -> tuple[list[str], list[list[Any]]]:
        """Column names and rows for programs: a row a run and target, no rank where it is not reached."""
        rows = [
            [run, self.of, Whole(at), target, None if rank is None else Whole(rank)]
            for run, ranks in zip(self.runs, self.ranks)
            for at, target, rank in zip(self.at, self.targets, ranks)
        ]
        return ["run", "of", "at", "value", "rank"], rows


def effort(curves: Curves, at: Iterable[int], of: str | None = None) -> Effort:
    """For each run the first rank at which its mean curve reaches the value of another at each rank `at`.

    `of` names the run whose values are to be reached, by default the ideal list, with which the curves
    must have been computed. A curve reaches a value where it is at least that, or at most where
    smaller is better.

    >>> from ir_measures_graded.analysis import curves
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "y": 1.0}}
    >>> found = effort(curves(qrels, {"mine": run}, "CG", depth=10), at=[1, 2])
    >>> found.targets, found.ranks
    ((2.0, 3.0), ((2, None),))

    Raises `GradedError` for a run that there is not, and for ranks beyond the depth of the curves.
    """
    depth = curves.values.shape[1]
    ranks = tuple(dict.fromkeys(whole_number(rank, "at", 1) for rank in at))
    if not ranks:
        raise GradedError("no rank is given whose value is to be reached; give some, for example at=[10]")
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
                "the curves were computed without that of the ideal list; pass ideal=True, or name a run"
            )
        return curves.ideal
    if of not in curves.runs:
        close = get_close_matches(of, curves.runs, n=1, cutoff=0.3)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise GradedError(f"there is no run {of!r} among {', '.join(curves.runs)}{hint}")
    return curves.values[curves.runs.index(of)]
