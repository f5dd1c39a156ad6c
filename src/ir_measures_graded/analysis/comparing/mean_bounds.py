"""The confidence intervals of the means that a comparison prints.

They are over the topics of the comparison, for which every run has a value, and each holds for
itself; which runs differ is told by the intervals of differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import refuse_geometric
from ...evaluation.evaluation import Evaluation
from ...output.formats import counted
from ..mean_intervals import NO_INTERVAL, named_few, notes_on_few, student_bounds
from ..statistics.student import KINDS, STUDENT

ABOUT: Final = (
    "{:g} % intervals of means ({}) are each for one run alone; differences tell which runs differ."
)


@dataclass(frozen=True)
class MeanBounds:
    """The intervals of the means of `runs` by `measures`: `bounds` (2 × runs × measures), NaN where
    there is none, and where so few topics differ that two more are added."""

    confidence: float
    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    bounds: np.ndarray
    few_changes: np.ndarray
    unit: str

    def of(self, runs: tuple[str, ...]) -> np.ndarray:
        """The bounds of some of the runs (2 × these × measures)."""
        rows = [self.runs.index(run) for run in runs]
        return self.bounds[:, rows]

    @property
    def title(self) -> str:
        """The level and the kind of the intervals."""
        return f"{100 * self.confidence:g} % intervals of means ({KINDS[STUDENT]})"

    @property
    def in_caption(self) -> str:
        """What brackets have, as a sentence of a caption."""
        text = f"Brackets: {self.title}, each for itself"
        few = named_few(self._few(), len(self.runs))
        if few:
            text += f"; with two more {self.unit}s at the ends of the range: {few}"
        return " ".join([f"{text}.", *self._without_interval()])

    def notes(self) -> Iterator[str]:
        """What the intervals are for, and which have two more topics."""
        yield ABOUT.format(100 * self.confidence, KINDS[STUDENT])
        yield from notes_on_few(self._few(), len(self.runs), self.unit)
        yield from self._without_interval()

    def _without_interval(self) -> Iterator[str]:
        """Why some means have no interval."""
        count = int((self.few_changes & np.isnan(self.bounds[0])).sum())
        if count:
            yield NO_INTERVAL.format(counted(count, "mean"), self.unit)

    def _few(self) -> dict[str, list[str]]:
        """The runs whose intervals have two more topics, by the measure."""
        has_two_more = self.few_changes & ~np.isnan(self.bounds[0])
        few = {}
        for measure, is_few in zip(self.measures, has_two_more.T, strict=True):
            few[str(measure)] = [self.runs[row] for row in np.flatnonzero(is_few).tolist()]
        return few


def bounds_of_means(evaluation: Evaluation, confidence: float) -> MeanBounds:
    """The intervals of the means over the topics for which every run has a value."""
    runs = evaluation.runs
    measures = evaluation.measures
    refuse_geometric(measures)
    shape = (len(runs), len(measures))
    bounds = np.full((2, *shape), np.nan)
    few = np.zeros(shape, dtype=bool)
    for column, measure in enumerate(measures):
        values = evaluation.paired(measure)
        weights = evaluation.paired_weights(measure)
        if values.shape[1] < 2:
            continue
        for row, of_run in enumerate(values):
            lower, upper, is_few = student_bounds(of_run, measure, confidence, weights)
            bounds[:, row, column] = lower, upper
            few[row, column] = is_few
    return MeanBounds(confidence, runs, measures, bounds, few, evaluation.unit)
