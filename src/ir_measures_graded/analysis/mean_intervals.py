"""Confidence intervals of means over topics.

Another sample of topics would give another mean. `intervals` computes how far it could lie from the
mean at hand, for every run and measure of an `Evaluation`.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from ir_measures import Measure, SumAgg

from ..core.registry.facts import range_of, refuse_geometric, sign_of
from ..core.registry.notation import one_of
from ..errors import GradedError, Remark, level_of_caller, shown
from ..evaluation.checked import checks_arguments
from ..evaluation.evaluation import ACROSS, Evaluation, axis_label
from ..evaluation.level_notes import with_gains
from ..evaluation.order_of_runs import best_first, leading
from ..output import figures
from ..output.formats import counted, decimal, known, listed
from ..output.result import Result
from ..output.tables import Column, Note, Table
from ..progress import Progress, steps
from .statistics.defaults import CONFIDENCE, LEAST_TESTED_TOPICS
from .statistics.few_changes import (
    are_few,
    changes_from_most_frequent,
    interval_with_two_more,
)
from .statistics.options import whole_number
from .statistics.student import BCA, KINDS, STUDENT, FewTopicsWarning, mean_interval
from .statistics.weighted import sample_of

ENOUGH: Final = 25
"""With fewer topics, the BCa bootstrap is too narrow: its coverage at 10 topics is 3 to 14
points too low."""
TOO_NARROW: Final = (
    "BCa bootstrap intervals over {topics} are too narrow; "
    "use Student's t (--interval t) below {enough} {unit}s"
)
NO_INTERVAL: Final = (
    "No interval for {}: nearly all {}s have one value, and the measure has no largest one."
)

FEW_CHANGES: Final = (
    "Student's t of the values and two more, at the ends of the range of the measure: {}. There, "
    "fewer than {} and fewer than half of the {}s differ from the most frequent value, too few to "
    "show the spread."
)
WITHIN_RANGE: Final = Note("No bound is outside the range of the measure.")
OF_ONE_TOPIC: Final = "No interval for {}: only one {} has a weight above 0."


FEW: Final = "few_changes"
"""The column that tells which intervals are those of the values and two more."""


class MeanInterval(NamedTuple):
    """A mean or sum with its bounds, and whether few topics change (see `few_changes`)."""

    mean: float
    lower: float
    upper: float
    few_changes: bool


def named_few(few: Mapping[str, Sequence[str]], runs: int) -> str:
    """The measures and the runs, of so many in all, whose intervals are those of the values and two
    more; nothing without any.

    >>> named_few({"RR@10": ["A", "B"], "P@5": ["A"], "AP": []}, 2)
    'RR@10 of both runs; P@5 of A'
    """
    clauses = []
    for measure, names in few.items():
        which = listed(names, len(names))
        if len(names) == runs > 1:
            which = "both runs" if runs == 2 else f"all {runs} runs"
        if names:
            clauses.append(f"{measure} of {which}")
    return "; ".join(clauses)


def notes_on_few(few: Mapping[str, Sequence[str]], runs: int, unit: str) -> Iterator[Note]:
    """Which intervals are those of the values and two more, and why; none without any.

    `few` has the names of their runs, of so many `runs` in all, by the measure.
    """
    names = named_few(few, runs)
    if names:
        yield Note(FEW_CHANGES, names, LEAST_TESTED_TOPICS, unit)


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Result):
    """The value of every run by every measure, with its confidence interval over the topics.

    `values`, `lower` and `upper` are arrays (runs × measures). `values` are means, or sums for the
    measures that ir-measures sums over the topics, such as NumRet. `topics` (runs × measures)
    counts the topics that have a value. `few_changes` (runs × measures) tells where so few topics
    differ that the interval is that of the values and two more. `method` is ``t`` or ``bca``.
    `unit` is ``topic`` or ``session``, `over` the number of topics in words. `noted` are the notes
    on levels, on topics
    without relevant documents and on weights. `levels` are those of the qrels. Each interval holds
    for itself, not all of them together.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    topics: np.ndarray
    few_changes: np.ndarray
    confidence: float
    method: str
    unit: str = "topic"
    over: str = ""
    noted: tuple[Note, ...] = ()
    remarks: tuple[Remark, ...] = ()
    levels: tuple[float, ...] = ()

    def of(self, run: str, measure: Measure | str) -> tuple[float, float]:
        """The interval of one run by one measure."""
        if run not in self.runs:
            raise GradedError(
                f"the run {shown(run)} is not among those evaluated: {listed(self.runs)}"
            )
        row = self.runs.index(run)
        column = self.measures.index(one_of(self.measures, measure))
        return float(self.lower[row, column]), float(self.upper[row, column])

    @property
    def summary(self) -> str:
        """The kind of the intervals, the measures and runs in one line."""
        topics = self.over or counted(int(self.topics.max()), self.unit)
        runs = counted(len(self.runs), "run")
        return f"{self._kind} of {listed(self.measures)} of {runs} over {topics}"

    @property
    def _kind(self) -> str:
        return f"{100 * self.confidence:g} % intervals ({KINDS[self.method]}{self._exceptions})"

    @property
    def _exceptions(self) -> str:
        """How many intervals are those of the values and two more, as the end of the method."""
        count = int((self.few_changes & ~np.isnan(self.lower)).sum())
        if not count:
            return ""
        if count == self.few_changes.size:
            return " with two more values"
        return f", for {count} of {self.few_changes.size} with two more values"

    def data(self) -> Table:
        """One row per measure and run."""
        axes = {"measure": list(map(str, self.measures)), "run": self.runs}
        columns = {
            "value": self.values.T,
            "lower": self.lower.T,
            "upper": self.upper.T,
            "topics": self.topics.T,
            FEW: self.few_changes.T,
        }
        return Table.of_arrays(axes, columns)

    def tables(self) -> list[Table]:
        """For several runs and measures a row per run, as on a leaderboard; else a row each."""
        data = self.data()
        long = data.select(*[head.name for head in data.heads if head.name != FEW])
        if len(self.runs) == 1 or len(self.measures) == 1:
            return [long]
        columns = [Column("run")]
        arrays = []
        has_one_count = np.unique(self.topics).size == 1
        for number, measure in enumerate(self.measures):
            parts = {str(measure): self.values, "lower": self.lower, "upper": self.upper}
            if not has_one_count:
                parts["topics"] = self.topics
            for heading, array in parts.items():
                columns.append(Column(f"{measure} {heading}", heading))
                arrays.append(known(array[:, number]))
        if has_one_count:
            columns.append(Column("topics"))
            arrays.append(self.topics[:, 0].tolist())
        rows = list(zip(self.runs, *arrays, strict=True))
        return [Table(columns, rows, narrower=long)]

    def notes(self) -> list[Note]:
        """The kind of the intervals, which are those of few changes, and why some are empty."""
        notes = [Note("{} over {}s.", self._kind, self.unit)]
        if len(self.runs) > 1:
            notes.append(
                Note("Each interval is for one run alone; compare tells which runs differ.")
            )
        few = {}
        has_two_more = self.few_changes & ~np.isnan(self.lower)
        for measure, is_few in zip(self.measures, has_two_more.T, strict=True):
            few[str(measure)] = [self.runs[row] for row in np.flatnonzero(is_few).tolist()]
        notes += notes_on_few(few, len(self.runs), self.unit)
        if self._is_cut.any():
            notes.append(WITHIN_RANGE)
        is_undefined = np.isnan(self.lower)
        is_single = is_undefined & (self.topics == 1)
        single = int(is_single.sum())
        if single:
            notes.append(Note(OF_ONE_TOPIC, counted(single, "value"), self.unit))
        undefined = int((is_undefined & ~is_single).sum())
        if undefined:
            notes.append(Note(NO_INTERVAL, counted(undefined, "value"), self.unit))
        return notes + list(self.noted)

    @property
    def _is_cut(self) -> np.ndarray:
        """Whether an interval may have been cut at an end of the range of the measure."""
        lowest, highest = np.array([range_of(measure) for measure in self.measures]).T
        is_wide = self.lower < self.upper
        return is_wide & ((self.lower == lowest) | (self.upper == highest))

    def figure(self, *, title: str = "") -> figures.Figure:
        """Draw the values with their intervals, one panel per measure, the best runs first.

        Needs the extra ``plot``.
        """
        order = self._best_first()
        names = [self.runs[row] for row in order]
        values = self.values[order]
        ends = np.stack([self.lower[order], self.upper[order]])
        panels = []
        for column, measure in enumerate(self.measures):
            panel = figures.Forest(
                names,
                values[:, column],
                bars=[ends[..., column]],
                label=axis_label(measure),
                heading=str(measure),
                shows_names=column == 0,
            )
            panels.append(panel)
        caption = f"Bars: {self._kind} over {self.unit}s, each for itself."
        caption = with_gains(caption, self.measures, self.levels)
        return figures.picture(panels, title or self.headline, caption, across=ACROSS)

    def _best_first(self) -> list[int]:
        """The numbers of the runs from the best value by the first measure."""
        return best_first(sign_of(self.measures[0]) * self.values[:, 0], self.runs)

    @property
    def headline(self) -> Note:
        """The best run by the first measure with its value and interval, in a sentence."""
        measure = self.measures[0]
        row = self._best_first()[0]
        value = decimal(float(self.values[row, 0]))
        ends = "no interval"
        if not np.isnan(self.lower[row, 0]):
            lower = decimal(float(self.lower[row, 0]))
            upper = decimal(float(self.upper[row, 0]))
            ends = f"{lower} to {upper}"
        topics = counted(int(self.topics[row, 0]), self.unit)
        names = [self.runs[row], measure, value, ends, topics]
        if len(self.runs) == 1:
            return Note("{} has {} {} ({}) over {}.", *names)
        runs = counted(len(self.runs), "run")
        best_runs = leading(sign_of(measure) * self.values[:, 0], self.runs)
        if len(best_runs) > 1:
            text = "{} have the best {}, {}, of {} over {}."
            return Note(text, listed(best_runs), measure, value, runs, topics)
        return Note("{} has the best {}, {} ({}), of {} over {}.", *names[:4], runs, topics)


@checks_arguments("intervals(evaluate(qrels, runs, measures))")
def intervals(
    evaluation: Evaluation,
    confidence: float = CONFIDENCE,
    method: str = STUDENT,
    *,
    seed: int = 0,
    progress: Progress = False,
) -> Intervals:
    """The confidence interval of every run by every measure of an `evaluation`, over the topics.

    `confidence` is between 0 and 1. `method` is ``t`` (Student's t) or ``bca`` (the BCa bootstrap
    with 9999 resamples drawn with `seed`), which warns below 25 topics. Topics for which a provider
    of ir-measures reports no value are left out, as in its mean. The bounds of a sum over n topics
    are n times those of the mean. If fewer than 10 and fewer than half of the topics differ from
    the most frequent value, Student's interval is that of the values with two more topics at the
    ends of the range of the measure. No bound of Student's t is outside the range. Needs the extra
    ``stats``.

    `progress` is as for `evaluate`.

    >>> from ir_measures_graded.analysis import evaluate
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 2}, "q3": {"a": 3}}
    >>> run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 1.0}}
    >>> found = intervals(evaluate(qrels, {"mine": run}, ["CG@1"]))
    >>> [round(bound, 2) for bound in found.of("mine", "CG@1")]
    [0.0, 4.48]

    A single topic whose weight is above 0 has a mean without an interval. Raises `GradedError` for
    fewer than two topics without weights, an unknown method and a confidence out of range.
    """
    if not isinstance(evaluation, Evaluation):
        raise GradedError(
            "intervals needs an Evaluation: intervals(evaluate(qrels, runs, measures))"
        )
    seed = whole_number(seed, "seed", 0)
    if method == BCA and evaluation.weights is not None:
        raise GradedError("method=bca takes no weights of topics; use Student's t (--interval t)")
    runs = evaluation.runs
    measures = evaluation.measures
    shape = (len(runs), len(measures))
    few = np.zeros(shape, dtype=bool)
    value = np.empty(shape)
    lower = np.empty(shape)
    upper = np.empty(shape)
    cells = steps(np.ndindex(shape), "intervals", len(runs) * len(measures))
    for row, column in cells:
        interval = interval_of(evaluation, row, column, confidence, method, seed=seed)
        value[row, column] = interval.mean
        lower[row, column] = interval.lower
        upper[row, column] = interval.upper
        few[row, column] = interval.few_changes
    topics = evaluation.topic_counts
    fewest = int(topics.min())
    if method == BCA and fewest < ENOUGH:
        unit = evaluation.unit
        text = TOO_NARROW.format(topics=counted(fewest, unit), enough=ENOUGH, unit=unit)
        warnings.warn(text, FewTopicsWarning, stacklevel=level_of_caller())
    return Intervals(
        runs=runs,
        measures=measures,
        values=value,
        lower=lower,
        upper=upper,
        topics=topics,
        few_changes=few,
        confidence=confidence,
        method=method,
        unit=evaluation.unit,
        over=evaluation.topics_of_means(),
        noted=tuple(evaluation.notes()),
        remarks=evaluation.remarks,
        levels=evaluation.levels,
    )


def interval_of(
    evaluation: Evaluation,
    row: int,
    column: int,
    confidence: float,
    method: str = STUDENT,
    *,
    seed: int = 0,
) -> MeanInterval:
    """The mean or sum of one run by one measure, with its interval.

    The bounds are NaN if weights leave a single topic. Raises `GradedError` for fewer than two
    topics without weights.
    """
    measure = evaluation.measures[column]
    refuse_geometric([measure])
    values = evaluation.values[row, column]
    is_counted = ~np.isnan(values) & evaluation.has_weight
    values = values[is_counted]
    weights = None
    if evaluation.weights is not None:
        weights = evaluation.weights[is_counted]
    if values.size == 1 and weights is not None:
        return MeanInterval(float(values[0]), np.nan, np.nan, few_changes=False)
    if values.size < 2:
        raise GradedError(
            f"{evaluation.runs[row]}: {measure} has {counted(values.size, evaluation.unit)}; "
            "a confidence interval needs at least 2, and is rough below 10"
        )
    sample = sample_of(values.size, weights)
    few = False
    if method == STUDENT:
        low, high, few = student_bounds(values, measure, confidence, weights)
    else:
        low, high = mean_interval(values, confidence, method, seed=seed, weights=weights)
    is_sum = isinstance(measure.aggregator(), SumAgg)
    scale = values.size if is_sum else 1
    return MeanInterval(scale * float(sample.mean(values)), scale * low, scale * high, few)


def on_bounds(unit: str) -> str:
    """What Student's bounds of a mean are where the values do not fit its assumptions."""
    return (
        f"Their bounds stay within the range of the measure; if fewer than {LEAST_TESTED_TOPICS} "
        f"and fewer than half of the {unit}s differ from the most frequent value, they are those "
        f"with two more {unit}s at the ends of the range."
    )


def student_bounds(
    values: np.ndarray,
    measure: Measure,
    confidence: float = CONFIDENCE,
    weights: np.ndarray | None = None,
) -> tuple[float, float, bool]:
    """The bounds of Student's t within the range of the measure, and whether few topics change:
    then they are those of the values and two more."""
    lower, upper = mean_interval(values, confidence, weights=weights)
    low, high = range_of(measure)
    changed = np.array([changes_from_most_frequent(values)])
    few = bool(are_few(changed, values.size).all())
    if few:
        sample = sample_of(values.size, weights)
        lowers, uppers = interval_with_two_more(values[None], low, high, confidence, sample)
        lower = float(lowers[0])
        upper = float(uppers[0])
    return float(np.clip(lower, low, high)), float(np.clip(upper, low, high)), few
