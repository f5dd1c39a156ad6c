"""The section on topics: differences from the baseline in each topic, and all values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ir_measures import Measure

from ..evaluation.evaluate import Evaluation
from ..registry.facts import sign_of

MOST = 250
"""The maximum number of topics listed; of more topics, those in which the runs differ most are listed."""


@dataclass(frozen=True)
class ByTopic:
    """The `values` of all runs by one measure (runs × topics). Topics are in the order of the qrels.

    `shown` has the numbers of the topics that are listed. `relevant` has, for each topic, the number of
    documents above level 0, and is None without qrels. With only one run, `baseline` is None and there are
    no differences.
    """

    measure: Measure
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: np.ndarray
    relevant: np.ndarray | None
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

    @property
    def reach(self) -> float:
        """The largest difference of any run, without its sign; 1 if all are 0."""
        return max((float(np.abs(each).max()) for each in self.differences.values()), default=0) or 1.0

    def bars(self, run: str, sign: int) -> str:
        """The positive or negative differences of a run as bars, one unit wide: the path of an SVG.

        The heights are in percent of `reach`.
        """
        heights = (100 * self.differences[run] / self.reach).tolist()
        shown = ((place, each) for place, each in enumerate(heights) if sign * each > 0)
        return "".join(f"M{place} 0v{-each:.1f}h1V0" for place, each in shown)


def by_topic(
    evaluation: Evaluation,
    relevant: np.ndarray | None,
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
