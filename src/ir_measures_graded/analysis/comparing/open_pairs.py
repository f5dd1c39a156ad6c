"""The pairs of runs that the tests cannot tell apart, in words.

A pair is open if its difference was tested and is not significant. A pair that was not tested is
neither open nor different.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ...output.formats import counted, listed
from .tests import PAIRED_T, Test

if TYPE_CHECKING:
    from .result import Comparison

MOST_PAIRS_NAMED: Final = 15
"""A sentence names at most so many open pairs."""


def runs_of(tests: Iterable[Test]) -> list[tuple[str, str]]:
    """The two runs of each test."""
    return [(str(test.run), str(test.other)) for test in tests]


def from_each_other(pairs: Iterable[tuple[str, str]], order: Sequence[str]) -> str:
    """Which runs the tests cannot tell from which, as the end of a sentence; in each pair, the
    first run by this order comes first.

    >>> from_each_other([("A", "B"), ("C", "B"), ("D", "B")], order="DBCA")
    'D from B; nor B from A and C'
    """
    place_of = {run: place for place, run in enumerate(order)}
    sorted_pairs = [sorted(pair, key=place_of.__getitem__) for pair in pairs]
    others_of: dict[str, list[str]] = {}
    for first, second in sorted(sorted_pairs, key=lambda pair: place_of[pair[0]]):
        others_of.setdefault(first, []).append(second)
    clauses = []
    for run, others in others_of.items():
        clauses.append(f"{run} from {listed(others, len(others))}")
    return "; nor ".join(clauses)


def notes_on_open(comparison: Comparison) -> Iterator[str]:
    """Which runs the tests cannot tell apart by each measure; for many pairs, how many these are.

    A single difference is the answer, which says so itself.
    """
    tests = "the tests"
    if comparison.primary != PAIRED_T:
        tests += f" over {comparison.primary}"
    counts = []
    for measure in comparison.measures:
        tested = _tested(comparison.find(measure))
        open_pairs = comparison.open_pairs(measure)
        if len(tested) < 2 or not open_pairs:
            continue
        if len(open_pairs) > MOST_PAIRS_NAMED:
            counts.append(f"{len(open_pairs):,} of {len(tested):,} by {measure}")
            continue
        order = [*comparison.baselines, *comparison.best_first(measure)]
        runs = from_each_other(runs_of(open_pairs), list(dict.fromkeys(order)))
        yield f"By {measure}, {tests} cannot tell {runs}."
    if counts:
        numbers = listed(counts, len(counts))
        yield f"Pairs of runs that {tests} cannot tell apart: {numbers}; --show open lists them."


def _tested(tests: Iterable[Test]) -> list[Test]:
    """The tests that have a p-value with the correction."""
    return [test for test in tests if test.adjusted is not None]


def counts_of_open(comparison: Comparison) -> Iterator[str]:
    """How many pairs are open by each measure by which some are tested."""
    for measure in comparison.measures:
        tested = len(_tested(comparison.find(measure)))
        count = len(comparison.open_pairs(measure))
        if not tested:
            continue
        of_pairs = f"{count:,} of {counted(tested, 'tested pair')}"
        if count == 0:
            yield f"No tested pair is open by {measure}."
        elif count == 1:
            yield f"{of_pairs} is open by {measure}: the tests cannot tell its runs apart."
        else:
            yield f"{of_pairs} are open by {measure}: the tests cannot tell their runs apart."
