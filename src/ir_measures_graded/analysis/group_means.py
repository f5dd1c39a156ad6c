"""Means of runs over groups of topics, such as types of queries or languages.

`group_means` describes where a run is good. It tests nothing: groups hold different topics, and a
lower mean may be that of harder topics. `compare` with groups tests the differences of runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from ir_measures import Measure

from ..core.registry.facts import sign_of
from ..errors import GradedError, Remark
from ..evaluation.attributes import By, groups_of
from ..evaluation.checked import checks_arguments
from ..evaluation.evaluation import ACROSS, Evaluation, axis_label
from ..evaluation.level_notes import with_gains
from ..evaluation.order_of_runs import best_first
from ..output.figures import Drawing, Figure, Forest, on_one_scale, picture
from ..output.formats import counted, decimal, known
from ..output.result import Result
from ..output.tables import Column, Note, Table
from ..progress import steps
from .mean_intervals import FEW, interval_of, notes_on_few
from .statistics.defaults import LEAST_TESTED_TOPICS
from .statistics.options import check_probability

MOST_SENTENCES = 5
"""The answer on more runs has the sentence of the best one only."""


@dataclass(frozen=True)
class GroupMean:
    """The mean of a run by a measure over the topics of a `group`, None for all topics.

    `topics` counts those that have a value and a weight above 0. `mean` is None without any, and a
    sum for counts such as NumRet. `lower` and `upper` bound the mean; they are None for fewer than
    10 topics of a group, and without a confidence. With `few_changes`, the interval is that of the
    values and two more, see `intervals`.
    """

    measure: Measure
    run: str
    group: str | None
    topics: int
    mean: float | None
    lower: float | None = None
    upper: float | None = None
    few_changes: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class GroupMeans(Result):
    """The means of all runs by all measures, over all topics and over those of each group."""

    means: tuple[GroupMean, ...]
    confidence: float | None
    unit: str = "topic"
    noted: tuple[Note, ...] = ()
    remarks: tuple[Remark, ...] = ()
    levels: tuple[float, ...] = ()

    def answer(self) -> list[Note]:
        """The groups with the lowest and the highest mean by the first measure: of each run, the
        best one first, or of the best of many runs."""
        first = self.means[0].measure
        sentences = []
        for run in self._best_first():
            of_groups = {}
            for mean in self.means:
                is_asked = mean.measure == first and mean.run == run and mean.group is not None
                if is_asked and mean.mean is not None:
                    of_groups[f"{mean.group} ({decimal(mean.mean)})"] = mean.mean
            if of_groups:
                lowest = min(of_groups, key=lambda name: of_groups[name])
                highest = max(of_groups, key=lambda name: of_groups[name])
                text = "{}: the mean {} is lowest for {} and highest for {}."
                sentences.append(Note(text, run, first, lowest, highest))
        if len(sentences) > MOST_SENTENCES:
            sentences = sentences[:1]
        return sentences or [Note("No group has a mean.")]

    def _best_first(self) -> list[str]:
        """The runs in the order of their means over all topics by the first measure."""
        first = self.means[0].measure
        overall = {}
        for mean in self.means:
            if mean.measure == first and mean.group is None:
                overall[mean.run] = mean.mean
        names = list(overall)
        means = np.array(list(overall.values()), dtype=float)
        return [names[row] for row in best_first(sign_of(first) * means, names)]

    def data(self) -> Table:
        """One row per measure, run and group; the row of all topics has no group."""
        names = ["measure", "run", "group", "topics", "mean"]
        if self.confidence is not None:
            names += ["lower", "upper", FEW]
        records = [vars(mean) | {"measure": str(mean.measure)} for mean in self.means]
        return Table.of(names, records)

    def tables(self) -> list[Table]:
        """The same, with a name for all topics."""
        data = self.data()
        names = [head.name for head in data.heads if head.name != FEW]
        columns = [Column(name, heading=name) for name in names]
        records = []
        for record in data.records():
            group = f"all {self.unit}s" if record["group"] is None else record["group"]
            records.append(record | {"group": group})
        return [Table.of(columns, records)]

    def figure(self, *, title: str = "") -> Figure:
        """Draw the means of the runs, a panel for each measure and group, the best runs first.

        Needs the extra ``plot``.
        """
        panels: dict[tuple[Measure, str | None], dict[str, GroupMean]] = {}
        for mean in self.means:
            panels.setdefault((mean.measure, mean.group), {})[mean.run] = mean
        runs = self._best_first()
        by_measure: dict[Measure, list[Forest]] = {}
        for (measure, group), means in panels.items():
            of_runs = [means[run] for run in runs]
            numbers = [[mean.mean, mean.lower, mean.upper] for mean in of_runs]
            values, lower, upper = np.array(numbers, dtype=float).T
            topics = counted(of_runs[0].topics, self.unit)
            heading = f"{measure}, {group or 'all'} ({topics})"
            is_at_the_left = not by_measure
            drawing = Forest(
                runs,
                values,
                bars=[np.stack([lower, upper])],
                label=axis_label(measure),
                heading=heading,
                shows_names=is_at_the_left,
            )
            by_measure.setdefault(measure, []).append(drawing)
        drawings: list[Drawing] = []
        for forests in by_measure.values():
            drawings += on_one_scale(forests)
        text = f"Groups hold different {self.unit}s: a lower mean may be that of harder ones."
        if self.confidence is not None:
            text += f" Bars: {100 * self.confidence:g} % intervals, each for itself."
        text = with_gains(text, by_measure, self.levels)
        return picture(drawings, title or self.summary, text, across=ACROSS)

    def notes(self) -> list[Note]:
        """What the groups do not tell, and the kind of the intervals."""
        text = "Groups hold different {}s, so a lower mean may be that of harder ones; "
        text += "compare --by tests the differences of runs in groups."
        notes = [Note(text, self.unit)]
        if self.confidence is not None:
            text = "{:g} % intervals (Student's t), each for itself; none for a group of fewer "
            text += "than {}."
            least = counted(LEAST_TESTED_TOPICS, self.unit)
            notes.append(Note(text, 100 * self.confidence, least))
            notes += self._on_few_changes()
        return notes + list(self.noted)

    def _on_few_changes(self) -> Iterator[Note]:
        """Which intervals are those of the values and two more."""
        few: dict[str, list[str]] = {}
        for mean in self.means:
            if mean.few_changes and mean.lower is not None:
                group = f"all {self.unit}s" if mean.group is None else mean.group
                few.setdefault(f"{mean.measure} ({group})", []).append(mean.run)
        runs = len({mean.run for mean in self.means})
        return notes_on_few(few, runs, self.unit)


@checks_arguments("group_means(evaluate(qrels, runs, measures), {'q1': 'short', 'q2': 'long'})")
def group_means(evaluation: Evaluation, by: By, confidence: float | None = None) -> GroupMeans:
    """The means of each run by each measure over all topics and over those of each group.

    `evaluation` has the values of the runs. `by` is a mapping of topics to groups or FILE:COLUMN,
    see `compare`: more than four numbers are cut at their quartiles, and topics without a group are
    the group ``no group``. A topic that does not count in a mean does not count in that of its
    group; weights count within the group. With a `confidence` (above 0, below 1), means have
    Student's intervals as from `intervals`, except those of groups of fewer than 10 topics; this
    needs the extra ``stats``.

    >>> from ir_measures_graded.analysis import evaluate
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 2}, "q3": {"a": 3}}
    >>> run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 1.0}}
    >>> groups = {"q1": "short", "q2": "long", "q3": "long"}
    >>> found = group_means(evaluate(qrels, {"mine": run}, ["CG@1"]), groups)
    >>> [(mean.group, mean.topics, mean.mean) for mean in found.means]
    [(None, 3, 2.0), ('short', 1, 1.0), ('long', 2, 2.5)]

    Raises `GradedError` if no topic has a group, and for a confidence out of range.
    """
    if not isinstance(evaluation, Evaluation):
        raise GradedError(
            "evaluation: group_means needs an Evaluation, as evaluate(qrels, runs, measures) is"
        )
    if confidence is not None:
        check_probability(confidence, "confidence", 0.95)
    groups = [_Group(None, evaluation)]
    for name, topics in groups_of(evaluation.topics, by).items():
        groups.append(_Group(name, evaluation.on(topics)))
    means = []
    shape = (len(evaluation.measures), len(evaluation.runs))
    for column, row in steps(np.ndindex(shape), "means", shape[0] * shape[1]):
        for group in groups:
            means.append(group.mean(row, column, confidence))
    return GroupMeans(
        tuple(means),
        confidence,
        evaluation.unit,
        tuple(evaluation.notes()),
        evaluation.remarks,
        evaluation.levels,
    )


class _Group:
    """The topics of a group, or all topics if its name is None."""

    def __init__(self, group: str | None, evaluation: Evaluation):
        self.group = group
        self.evaluation = evaluation
        self.means = evaluation.means()
        self.counts = evaluation.topic_counts
        self.least = LEAST_TESTED_TOPICS
        if group is None:
            self.least = 2

    def mean(self, row: int, column: int, confidence: float | None) -> GroupMean:
        """The mean of the run of that row by the measure of that column, with its interval."""
        measure = self.evaluation.measures[column]
        run = self.evaluation.runs[row]
        count = int(self.counts[row, column])
        mean = None
        if not np.isnan(self.means[row, column]):
            mean = float(self.means[row, column])
        lower = None
        upper = None
        few = False
        if confidence is not None and count >= self.least:
            interval = interval_of(self.evaluation, row, column, confidence)
            lower, upper = known(np.array([interval.lower, interval.upper]))
            few = interval.few_changes
        return GroupMean(measure, run, self.group, count, mean, lower, upper, few)
