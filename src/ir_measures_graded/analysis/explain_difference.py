"""The difference of two runs in one topic, document by document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..errors import GradedError
from ..evaluation.evaluate import evaluate
from ..evaluation.named import Qrels, Runs, study_of
from ..output import plots
from ..output.formats import Table, counted
from ..output.result import Result
from .explain import Explanation, explanations, filled, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN = 20
"""The figure has at most this many documents."""


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedDifference(Result):
    """Two runs side by side in one topic, the documents that make the difference first.

    `other` and `run` explain the rankings of the first and of the second run. `topics` is the number of
    topics among which the topic has the largest difference, None if it was given.
    """

    other: Explanation
    run: Explanation
    topics: int | None = None

    @property
    def _sides(self) -> tuple[tuple[str, Explanation], ...]:
        """Both explanations, each with the prefix of its columns."""
        return ("other_", self.other), ("", self.run)

    @property
    def difference(self) -> float:
        """The value of `run` minus that of `other`."""
        return self.run.value - self.other.value

    @property
    def summary(self) -> str:
        """The values and their difference in one line."""
        run, other = self.run, self.other
        largest = "" if self.topics is None else f", the largest of {counted(self.topics, 'topic')}"
        return (
            f"{run.measure} = {run.value:.4f} of {run.run} and {other.value:.4f} of {other.run} for topic "
            f"{printable(run.topic)}: difference {self.difference:+.4f}{largest}"
        )

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per document that is in a list, the largest difference first.

        The `difference` is the contribution to `run` minus that to `other`, which is 0 outside a list. It is
        None for a measure without contributions; documents with the best rank in either list then come first.
        """
        other, run = (
            {row["document"]: row for row in each.records() if row["document"] is not None}
            for _, each in self._sides
        )
        rows, known = [], self.run.contributions is not None
        for document in dict.fromkeys([*other, *run]):
            lists = other.get(document, {}), run.get(document, {})
            row = {name: (lists[0] or lists[1])[name] for name in ("document", "level", "gain")}
            for name in ("rank", "contribution"):
                row |= {f"{side}{name}": each.get(name) for (side, _), each in zip(self._sides, lists)}
            before, after = (each.get("contribution", 0.0) for each in lists)
            rows.append(row | {"difference": after - before if known else None})
        best = ((row, min(filter(None, (row["rank"], row["other_rank"])))) for row in rows)
        return [row for row, _ in sorted(best, key=lambda each: (-abs(each[0]["difference"] or 0), each[1]))]

    def _adding(self) -> list[dict[str, Any]]:
        """The records of the documents that add to a value; all if the measure has no contributions."""
        adding = ("contribution", "other_contribution")
        return [row for row in self.records() if row["difference"] is None or any(map(row.get, adding))]

    def table(self) -> Table:
        """Column names and rows: one row per document that adds to a value."""
        rows = [{**row, "document": printable(row["document"])} for row in self._adding()]
        columns, cells = filled(rows) if rows else (["document"], [])
        names = ("rank", "contribution")
        heads = {f"{side}{name}": f"{each.run} {name}" for side, each in self._sides for name in names}
        return [heads.get(name, name) for name in columns], cells

    def notes(self) -> list[str]:
        """The number of omitted documents, and the sum of the contributions below the last ranks."""
        if self.run.contributions is None:
            return [
                f"{self.run.measure} has no contributions; the documents are in the order of their ranks."
            ]
        rows = self.records()
        found, others = [], len(rows) - len(self._adding())
        if others:
            found.append(f"Omitted: {counted(others, 'document')} without a contribution to either value.")
        below = self.difference - sum(row["difference"] for row in rows)
        if abs(below) > 1e-9:
            found.append(f"Documents below the depth make a difference of {below:+.4f}.")
        return found

    @plots.styled
    def figure(self) -> Figure:
        """Draw the contributions of the first documents of the table to both values, or else their levels.

        Raises `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        rows, known = self._adding()[:DRAWN], self.run.contributions is not None
        figure = plots.new_figure(7.0, 1.2 + 0.3 * max(1, len(rows)))
        axes = figure.add_subplot()
        for number, (side, explained) in enumerate(self._sides):
            name = f"{side}contribution" if known else "level"
            widths = [row[name] or 0 if row[f"{side}rank"] else 0 for row in rows]
            places = np.arange(len(rows)) + 0.4 * number - 0.2
            axes.barh(places, widths, 0.4, label=explained.run, color=plots.COLOURS[number])
        axes.set_yticks(range(len(rows)), [printable(row["document"]) for row in rows])
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("Contribution to the value" if known else "Level")
        axes.set_title(plots.title(self.summary))
        plots.legend_outside(axes)
        return figure


def explain_difference(
    qrels: Qrels, runs: Runs, measure: Measure | str, topic: str | None = None, depth: int | None = None
) -> ExplainedDifference:
    """The documents that make the difference of two runs in a topic.

    - `qrels`, `runs`: as for `evaluate`. There are two runs, the first is the one that the second is
      compared with.
    - `measure`: as for `explain`.
    - `depth` (≥ 1): the last rank; by default that of the longer list. It is the cutoff for a measure whose
      value is not a sum over documents.
    - `topic`: a topic of the qrels; by default the one with the largest difference of the values.

    >>> qrels = {"q1": {"a": 3, "b": 2}, "q2": {"a": 1}}
    >>> runs = {"old": {"q1": {"b": 2.0, "a": 1.0}}, "new": {"q1": {"a": 2.0, "x": 1.0}}}
    >>> print(explain_difference(qrels, runs, "CG@2"))
    document  level  gain  old rank  new rank  old contribution  new contribution  difference
    b             2     2         1                      2.0000                       -2.0000
    a             3     3         2         1            3.0000            3.0000      0.0000
    <BLANKLINE>
    Omitted: 1 document without a contribution to either value.

    Raises `GradedError` unless there are two runs, and as `explain`.
    """
    study = study_of(qrels, runs)
    if len(study.runs) != 2:
        raise GradedError(f"explain_difference needs 2 runs, not {len(study.runs)}")
    topics = study.judgments.topics
    count = len(topics) if topic is None else None
    if topic is None:
        values = evaluate(study.judgments, study.runs, [measure]).of(measure)
        topic = topics[int(np.abs(values[1] - values[0]).argmax())]
    found = explanations(study.judgments, study.runs, measure, depth, [topic])
    if depth is None and all(each.contributions is not None for (each,) in found.values()):
        depth = max(1, *(int(run.ranks.retrieved.max()) for run in study.runs))  # shows where documents went
        found = explanations(study.judgments, study.runs, measure, depth, [topic])
    other, run = (each for (each,) in found.values())
    return ExplainedDifference(other, run, count)
