"""The section on topics: differences from the baseline in each topic, and all values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from ir_measures import Measure

from ..evaluation.evaluate import Evaluation
from ..output import plots
from ..registry.facts import sign_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 250
"""The maximum number of topics listed; of more topics, those in which the runs differ most are listed."""
ACROSS = 4


@dataclass(frozen=True)
class ByTopic:
    """The `values` of all runs by one measure (runs × topics). Topics are in the order of the qrels.

    `shown` has the numbers of the topics that are listed. `relevant` has, for each topic, the number of
    documents above level 0. With only one run, `baseline` is None and there are no differences.
    """

    measure: Measure
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: np.ndarray
    relevant: np.ndarray
    queries: dict[str, str]
    shown: tuple[int, ...]
    baseline: str | None

    @property
    def differences(self) -> dict[str, np.ndarray]:
        """The differences of each other run from the baseline, one per topic, from the best to the worst.

        A positive difference means that the run is better. The run with the largest mean difference is first.
        """
        if self.baseline is None:
            return {}
        base = self.values[self.runs.index(self.baseline)]
        sign = sign_of(self.measure)
        found = {run: sign * (values - base) for run, values in zip(self.runs, self.values)}
        del found[self.baseline]
        order = sorted(found, key=lambda run: -float(found[run].mean()))
        return {run: np.sort(found[run])[::-1] for run in order}

    def of(self, number: int) -> list[float]:
        """The value of each run for the topic with this number."""
        found: list[float] = self.values[:, number].tolist()
        return found

    def counts(self, run: str) -> tuple[int, int, int]:
        """The numbers of topics in which the run is better than, equal to and worse than the baseline."""
        found = self.differences[run]
        return int((found > 0).sum()), int((found == 0).sum()), int((found < 0).sum())

    @plots.styled
    def figure(self) -> Figure:
        """Draw the sorted differences of each run from the baseline, one panel per run."""
        found = self.differences
        across = min(ACROSS, len(found))
        down = -(-len(found) // across)
        figure = plots.new_figure(max(3.0, 1.9 * across), 1.35 * down + 0.3)
        reach = max((float(np.abs(each).max()) for each in found.values()), default=0) or 1
        for axes, (run, values) in zip(
            plots.panels(figure, len(found), across, sharex=True, sharey=True), found.items()
        ):
            better, worse = int((values > 0).sum()), int((values < 0).sum())
            for part, start, colour in (
                (values[:better], 0, plots.COLOURS[0]),
                (values[len(values) - worse :], len(values) - worse, plots.COLOURS[1]),
            ):
                if part.size:
                    axes.stairs(part, np.arange(start, start + part.size + 1), fill=True, color=colour)
            axes.axhline(0, color=plots.GREY, linewidth=0.6)
            axes.set_title(run if len(run) <= 22 else f"{run[:21]}…", size=9)
            axes.set_ylim(-1.05 * reach, 1.05 * reach)
            axes.set_xlim(0, len(values))
            axes.set_xticks([])
            axes.grid(visible=False, axis="x")
            axes.spines["bottom"].set_visible(False)
            axes.locator_params(axis="y", nbins=3)
        return figure


def by_topic(
    evaluation: Evaluation,
    relevant: np.ndarray,
    measure: Measure,
    baseline: str | None,
    queries: dict[str, str],
) -> ByTopic:
    """The values of a measure for each topic. `relevant` (T) has the numbers of documents above level 0."""
    values = evaluation.of(measure)
    spread = np.ptp(values, axis=0) if len(values) > 1 else values[0]
    shown = np.sort(np.argsort(-spread, kind="stable")[:MOST])
    return ByTopic(
        measure,
        evaluation.runs,
        evaluation.topics,
        values,
        relevant,
        queries,
        tuple(shown.tolist()),
        baseline,
    )
