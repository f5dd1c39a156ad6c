"""The difference of two runs in one topic, document by document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..errors import GradedError
from ..evaluation.evaluate import evaluate
from ..evaluation.named import Qrels, Runs
from ..evaluation.study import study_of
from ..output import plots
from ..output.formats import Table, counted
from ..output.result import Result
from .explain import Explanation, explanations, printable

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
        found: dict[str, dict[str, Any]] = {}
        for prefix, explained in (("other_", self.other), ("", self.run)):
            for row in explained.records():
                if row["document"] is None:
                    break
                here = found.setdefault(row["document"], {name: row[name] for name in OF_A_DOCUMENT})
                here |= {f"{prefix}rank": row["rank"], f"{prefix}contribution": row["contribution"]}
        rows = [dict.fromkeys(COLUMNS) | row for row in found.values()]
        if self.run.contributions is not None:
            for row in rows:
                row["difference"] = (row["contribution"] or 0.0) - (row["other_contribution"] or 0.0)
        last = len(rows)
        return sorted(
            rows,
            key=lambda row: (
                -abs(row["difference"] or 0),
                min(row["rank"] or last, row["other_rank"] or last),
            ),
        )

    def _adding(self) -> list[dict[str, Any]]:
        """The records of the documents that add to a value; all if the measure has no contributions."""
        return [row for row in self.records() if row["difference"] is None or _adds(row)]

    def table(self) -> Table:
        """Column names and rows: one row per document that adds to a value."""
        heads = {"rank": self.run.run, "contribution": self.run.run}
        heads |= {f"other_{name}": self.other.run for name in heads}
        rows = self._adding()
        names = [name for name in COLUMNS if any(row[name] is not None for row in rows) or name == "document"]
        columns = [
            f"{heads[name]} {name.removeprefix('other_')}" if name in heads else name for name in names
        ]
        return columns, [[printable(row["document"]), *(row[name] for name in names[1:])] for row in rows]

    def notes(self) -> list[str]:
        """The number of omitted documents, and the sum of the contributions below the last ranks."""
        rows = self.records()
        found, others = [], len(rows) - len(self._adding())
        if others:
            found.append(f"Omitted: {counted(others, 'document')} without a contribution to either value.")
        if self.run.contributions is not None:
            below = self.difference - sum(row["difference"] for row in rows)
            if abs(below) > SLACK:
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
        heights = np.arange(len(rows))
        for number, (prefix, explained) in enumerate((("other_", self.other), ("", self.run))):
            bars = [
                row[f"{prefix}contribution" if known else "level"] for row in rows if row[f"{prefix}rank"]
            ]
            listed = [place for place, row in enumerate(rows) if row[f"{prefix}rank"]]
            style: dict[str, Any] = {"color": plots.COLOURS[number], "label": explained.run}
            axes.barh(heights[listed] + 0.4 * number - 0.2, [bar or 0 for bar in bars], 0.4, **style)
        axes.set_yticks(heights, [printable(row["document"]) for row in rows])
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("Contribution to the value" if known else "Level")
        axes.set_title(plots.title(self.summary))
        plots.legend_outside(axes)
        return figure


OF_A_DOCUMENT = ("document", "level", "gain")
COLUMNS = (*OF_A_DOCUMENT, "other_rank", "rank", "other_contribution", "contribution", "difference")
SLACK = 1e-9


def _adds(row: dict[str, Any]) -> bool:
    return bool(row["contribution"] or row["other_contribution"])


def explain_difference(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str,
    topic: str | None = None,
    depth: int | None = None,
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
    if depth is None and all(each.contributions is not None for each in found.values()):
        depth = max(1, *(int(run.ranks.retrieved.max()) for run in study.runs))  # shows where documents went
        found = explanations(study.judgments, study.runs, measure, depth, [topic])
    other, run = (each.of(topic) for each in found.values())
    return ExplainedDifference(other, run, count)
