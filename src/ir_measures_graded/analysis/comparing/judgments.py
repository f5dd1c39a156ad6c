"""Whether judgments of the unjudged documents could turn the sign of a difference."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ...evaluation.named import Run, Study
from ...evaluation.weights import MeansOverTopics
from ..ranges import differences_by_topic

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


def runs_by_name(study: Study | None) -> dict[str, Run]:
    """The runs of a study whose differences have ranges over judgments; none of sessions."""
    if study is None or study.judgments.sessions is not None:
        return {}
    return {run.name: run for run in study.runs}
