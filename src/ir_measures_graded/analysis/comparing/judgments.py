"""Whether judgments of unjudged documents could turn the sign of a difference, and another order of
tied documents its sign or significance."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ...evaluation.named import Run, Study
from ...evaluation.order_of_rows import tied_documents
from ...evaluation.weights import MeansOverTopics
from ...output.formats import p_of
from ..ranges import differences_by_topic, values_over_ties
from ..statistics.primary import paired
from .tests import Test

MOST_BYTES_KEPT: Final = 250_000_000
"""The ranges need all documents of the runs in memory. Larger files of runs are read by blocks."""
COMPRESSION: Final = 5
"""A compressed file has about so many times as many bytes when it is read."""
COMPRESSED: Final = (".gz", ".bz2", ".xz", ".zst", ".zstd", ".parquet", ".arrow", ".feather")


def fit_into_memory(runs: Any) -> bool:
    """Whether the documents of all runs may be held in memory; runs that are in memory count
    nothing."""
    if runs is None:
        return False
    items = runs
    if isinstance(runs, Mapping):
        items = runs.values()
    elif isinstance(runs, (str, os.PathLike)):
        items = [runs]
    elif not isinstance(runs, (list, tuple)):
        return False
    return sum(map(_bytes_of, items)) <= MOST_BYTES_KEPT


def _bytes_of(run: Any) -> float:
    """The size of the file of a run; infinite if it is not known before the file is read."""
    if isinstance(run, tuple):  # a name and its run
        run = run[-1]
    if isinstance(run, Run):
        run = run.source
    file = getattr(run, "file", run)
    if not isinstance(file, (str, os.PathLike)):
        return 0 if file is run else np.inf
    path = os.fspath(file)
    if not os.path.isfile(path):
        return np.inf
    size = os.path.getsize(path)
    if path.endswith(COMPRESSED):
        size *= COMPRESSION
    return size


def may_turn(measure: Measure, run: Run, other: Run, difference: float) -> bool | None:
    """Whether some judgments turn the sign of a difference of means, or make it 0.

    None if the measure has no ranges, and for averages over all ranks, whose ranges take minutes.
    """
    if measure.params.get("avg"):
        return None
    ranges = differences_by_topic(measure, run, other)
    if "unjudged" not in ranges:
        return None
    ends, _ = ranges["unjudged"]
    low, high = MeansOverTopics(measure, run.judgments).mean(ends)
    if difference > 0:
        return bool(low <= 0)
    return bool(high >= 0)


class ValuesOverTies:
    """The extreme values of runs over all orders of tied documents, computed once for each run."""

    def __init__(self) -> None:
        self._ends: dict[tuple[Measure, str], np.ndarray | None] = {}
        self._has_ties: dict[tuple[Measure, str], bool] = {}

    def differences(self, measure: Measure, run: Run, other: Run) -> np.ndarray | None:
        """The lowest and the highest difference `run` − `other` of each topic (2 × T); None for a
        measure without such values."""
        ends = self._ends_of(measure, run)
        ends_of_other = self._ends_of(measure, other)
        if ends is None or ends_of_other is None:
            return None
        return ends - ends_of_other[::-1]

    def may_differ(self, measure: Measure, run: Run) -> bool:
        """Whether documents of different levels are tied in the run."""
        key = measure, run.name
        if key not in self._has_ties:
            self._has_ties[key] = bool(tied_documents(run.ranks, measure.params.get("cutoff")))
        return self._has_ties[key]

    def _ends_of(self, measure: Measure, run: Run) -> np.ndarray | None:
        key = measure, run.name
        if key not in self._ends:
            self._ends[key] = values_over_ties(measure, run)
        return self._ends[key]


def ties_turn(
    test: Test, run: Run, other: Run, alpha: float, over_ties: ValuesOverTies
) -> tuple[bool | None, str]:
    """Whether another order of tied documents turns the sign or the significance of a difference,
    and p over the orders that were tried, in words.

    Each topic can have its lowest or its highest difference. Four of these choices are tested: all
    lowest, all highest, all far from the mean and all near it. False if none of them turns the
    test, and if no documents of different levels are tied. None if the measure has no ranges, and
    if topics have weights or are left out.
    """
    measure = test.measure
    is_plain = run.judgments.counting.is_plain and not measure.params.get("avg")
    if not is_plain or not test.p or test.adjusted is None:
        return None, ""
    if not over_ties.may_differ(measure, run) and not over_ties.may_differ(measure, other):
        return False, ""
    ends = over_ties.differences(measure, run, other)
    if ends is None:
        return None, ""
    low, high = ends
    mean = test.difference or 0.0
    is_low_far = mean - low > high - mean
    choices = [low, high, np.where(is_low_far, low, high), np.where(is_low_far, high, low)]
    # p of the other pairs of the family stays as it is.
    factor = test.adjusted / test.p
    p_values = [float(test.adjusted)]
    is_turned = False
    for differences in choices:
        values = np.stack([differences, np.zeros_like(differences)])
        outcome = paired(values, [(0, 1)], alpha)
        p = min(1.0, float(outcome.p[0]) * factor)
        is_opposite = float(outcome.difference[0]) * mean < 0
        is_turned |= is_opposite or (p < alpha) != test.significant
        p_values.append(p)
    return is_turned, f"{p_of(min(p_values))} to {p_of(max(p_values)).removeprefix('p = ')}"


def runs_by_name(study: Study | None) -> dict[str, Run]:
    """The runs of a study whose differences have ranges over judgments; none of sessions."""
    if study is None or study.judgments.sessions is not None:
        return {}
    return {run.name: run for run in study.runs}
