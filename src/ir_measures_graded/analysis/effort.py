"""Effort: the rank at which a run reaches the value that another list has at an earlier rank.

Järvelin & Kekäläinen 2002, section 3.4: "one has to retrieve 30 documents by the best run, and 90 by
the worst run in order to gain the benefit that could theoretically be gained by retrieving only 10
documents (the ideal curve)".
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from ir_measures import Measure

from ..core.registry.facts import is_normalised, sign_of
from ..errors import GradedError, did_you_mean
from ..output.result import Result
from ..output.tables import Note, Table
from .curves import IDEAL, Curves
from .statistics.options import as_list, whole_number

SLACK = 1e-12  # relative: means of equal vectors may differ by rounding errors


@dataclass(frozen=True, repr=False)
class Effort(Result):
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

    def answer(self) -> list[Note]:
        """The run that reaches each target first."""
        of = "the ideal list" if self.of == IDEAL else self.of
        found = []
        for at, ranks in zip(self.at, zip(*self.ranks)):
            needed = ((rank or self.depth + 1, run == self.of, run) for rank, run in zip(ranks, self.runs))
            fewest, _, run = min(needed)
            text = "{1} needs the fewest documents, {2}, to reach the {3} that {4} has at rank {5}."
            if fewest > self.depth:
                text = "No run reaches the {3} that {4} has at rank {5} within depth {0}."
            found.append(Note(text, self.depth, run, fewest, self.measure, of, at))
        return found

    def tables(self) -> list[Table]:
        """The targets, then one row per run with the ranks."""
        missing = f"not within depth {self.depth}"
        rows = [[run, *(str(rank or missing) for rank in ranks)] for run, ranks in zip(self.runs, self.ranks)]
        columns = ["run", *(f"{self.of}@{rank}" for rank in self.at)]
        return [Table(columns, [["value", *self.targets], *rows])]

    def data(self) -> Table:
        """One row per run and target; the rank is None if the run does not reach the target."""
        rows = [
            [run, self.of, at, target, rank]
            for run, ranks in zip(self.runs, self.ranks)
            for at, target, rank in zip(self.at, self.targets, ranks)
        ]
        return Table(("run", "of", "at", "value", "rank"), rows)

    def notes(self) -> list[Note]:
        """The reason why hardly any run reaches the ideal list of a normalised measure."""
        if self.of != IDEAL or not is_normalised(self.measure):
            return []
        text = (
            "The ideal list has {} = 1 at every rank, so only a list without a flaw reaches it. "
            "Use a measure that is not normalised, such as CG, or the values of a run (--baseline)."
        )
        return [Note(text, self.measure)]


def effort(curves: Curves, at: Iterable[int] | int, of: str | None = None) -> Effort:
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
    if not isinstance(curves, Curves):
        raise GradedError("effort needs Curves: effort(curves(qrels, runs, measure), at=[10])")
    depth = curves.values.shape[1]
    ranks = tuple(dict.fromkeys(whole_number(rank, "at", 1) for rank in as_list(at)))
    if not ranks:
        raise GradedError("no rank is given; name at least one, for example at=[10]")
    if max(ranks) > depth:
        raise GradedError(f"at={max(ranks)} is beyond the curves, which end at rank {depth}")
    if of is not None and of not in curves.runs:
        hint = did_you_mean(of, curves.runs, cutoff=0.3)
        raise GradedError(f"there is no run {of!r} among {', '.join(curves.runs)}{hint}")
    sign = sign_of(curves.measure)
    curve = curves.ideal if of is None else curves.values[curves.runs.index(of)]
    if curve is None:
        raise GradedError(
            "the curves do not include the ideal list; compute them with ideal=True, or name a run"
        )
    targets = curve[np.array(ranks) - 1]
    enough = sign * targets - SLACK * np.abs(targets)
    reached = sign * curves.values[:, None, :] >= enough[:, None]  # runs × targets × ranks
    first = np.where(reached.any(axis=2), reached.argmax(axis=2) + 1, 0).tolist()
    found = tuple(tuple(rank or None for rank in row) for row in first)
    return Effort(curves.measure, of or IDEAL, ranks, tuple(targets.tolist()), curves.runs, found, depth)
