"""Means under human judgments, estimated with a machine's judgments for more topics.

A language model can judge many topics, but the mean under its judgments is biased, however many topics there
are. `estimate` takes the machine's judgments for all topics and human judgments for some, measures the bias
on the topics that both judged, and corrects for it: prediction-powered inference. The result has the
uncertainty of a mean under human judgments over more topics than humans judged.

With L the value of a topic under the machine's qrels and H under the human's, n topics judged by both and N
by the machine:

    estimate = λ · mean over the N − n other topics of L + mean over the n topics of (H − λ·L)
    variance = λ² · var(L)/(N − n) + var(H − λ·L)/n
    λ = cov(H, L) / ((1 + n/(N − n)) · var(L)), clipped to [0, 1]

The intervals have n − 2 degrees of freedom, and var(H − λ·L) is a sum of squares divided by n − 2, because λ
is fitted on the same topics.

A. N. Angelopoulos, J. C. Duchi, T. Zrnic: PPI++: Efficient prediction-powered inference. 2023. H. Oosterhuis,
R. Jagerman, Z. Qin, X. Wang, M. Bendersky: Reliable confidence intervals for information retrieval evaluation
using generative A.I. KDD 2024.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ..by_topic import mean_over_topics
from ..errors import GradedError, did_you_mean
from ..evaluation.evaluate import evaluate_each
from ..evaluation.named import Qrels, Runs, named_runs
from ..output import plots
from ..output.formats import Table, counted
from ..output.result import Result
from ..statistics.intervals import STUDENT, FewTopicsWarning, check, mean_interval, student_quantile
from ..statistics.libraries import need_statistics
from ..statistics.significance import EXACT
from .merging import merge_qrels
from .scales import HUMAN, MACHINE, Levels, on_one_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COMBINED: Final = "combined"
JUDGES: Final = (HUMAN, MACHINE, COMBINED)
HUMAN_FIRST: Final = "human-first"
LEAST_TOPICS: Final = 3
FEW_TOPICS: Final = 10
NAMES: Final = {"weight": "lambda"}
"""The names of fields in tables that are not those in Python."""


@dataclass(frozen=True)
class Estimate:
    """A mean, or a difference of means, by one judge.

    `judge` is ``human``, ``machine`` or ``combined``. `baseline` is None for a mean, else the run whose value
    is subtracted. `weight` is λ, the weight of the machine's judgments, and `worth` the number of human
    topics that would give an equally precise mean. `worth` is None for the machine alone, whose error is
    mostly bias, and where nothing varies.
    """

    run: str
    baseline: str | None
    measure: Measure
    judge: str
    value: float
    lower: float
    upper: float
    topics: int
    weight: float | None
    worth: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Result):
    """The estimates of every run and measure by every judge; see `estimate`.

    `both`, `human_only` and `machine_only` count the topics by their judges. `documents` counts the
    judgments behind the human values by their origin.
    """

    estimates: tuple[Estimate, ...]
    confidence: float
    both: int
    human_only: int
    machine_only: int
    documents: dict[str, int]
    merged: bool

    def find(self, run: str, measure: Measure | str, judge: str, baseline: str | None = None) -> Estimate:
        """One of the estimates. Raises `GradedError` if there is none."""
        wanted = (run, baseline, str(measure), judge)
        for found in self.estimates:
            if (found.run, found.baseline, str(found.measure), found.judge) == wanted:
                return found
        raise GradedError(f"there is no estimate for run {run!r}, measure {measure}, judge {judge!r}")

    @property
    def summary(self) -> str:
        """The number of topics by judge, and of documents by origin, in one line."""
        text = (
            f"{counted(self.both, 'topic')} judged by both, {self.machine_only} by the machine alone, "
            f"{self.human_only} by the human alone"
        )
        if self.merged:
            text += (
                f"; {self.documents[HUMAN]} judgments of the human topics are human, "
                f"{self.documents[MACHINE]} are the machine's and count as human"
            )
        return text

    def table(self) -> Table:
        """Column names and rows: one row per measure, run (or difference) and judge."""
        columns = ["measure", "run", "judge", "value", "lower", "upper", "topics", "lambda", "worth"]
        rows = []
        for record in self.records():
            if record["baseline"] is not None:
                record["run"] += f" − {record['baseline']}"
            if record["worth"] is not None:
                record["worth"] = round(record["worth"])
            rows.append([record[column] for column in columns])
        return columns, rows

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per run, baseline, measure and judge."""
        found = [{**vars(one), "measure": str(one.measure)} for one in self.estimates]
        return [{NAMES.get(name, name): value for name, value in record.items()} for record in found]

    @plots.styled
    def figure(self) -> Figure:
        """Draw the estimates with their intervals, one panel per measure. Needs the extra ``plot``.

        Differences from a baseline have separate panels on the right.
        """
        measures, baselines, runs = (
            list(dict.fromkeys(getattr(one, name) for one in self.estimates))
            for name in ("measure", "baseline", "run")
        )
        height = (0.45 * len(runs) + 1.0) * len(measures) + 0.4
        figure = plots.new_figure(5.0 * len(baselines) + 1.5, max(height, 2.4))
        panels = figure.subplots(len(measures), len(baselines), squeeze=False)
        for (row, column), axes in np.ndenumerate(panels):
            self._draw(axes, measures[row], baselines[column])
        plots.legend_outside(panels[0, -1])
        return figure

    def _draw(self, axes: Axes, measure: Measure, baseline: str | None) -> None:
        found = [one for one in self.estimates if (one.measure, one.baseline) == (measure, baseline)]
        runs = list(dict.fromkeys(one.run for one in found))
        for number, judge in enumerate(JUDGES):
            shown = [(one.value, one.lower, one.upper) for one in found if one.judge == judge]
            value, lower, upper = np.transpose(shown)
            axes.errorbar(
                value,
                np.arange(len(runs)) + 0.22 * (number - 1),
                xerr=np.clip([value - lower, upper - value], 0, None),
                fmt=plots.MARKERS[number],
                color=plots.COLOURS[number],
                capsize=2,
                linewidth=1.2,
                label=judge,
            )
        axes.set_yticks(range(len(runs)), runs)
        axes.set_ylim(len(runs) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        axes.set_title(plots.title(measure, width=40))
        what = "Mean" if baseline is None else f"Difference from {baseline}"
        axes.set_xlabel(f"{what} and {100 * self.confidence:g} % interval")
        if baseline is not None:
            axes.axvline(0, color=plots.GREY, linewidth=0.8)


def estimate(
    human: Qrels,
    machine: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    confidence: float = 0.95,
    baseline: str | None = None,
    *,
    machine_levels: Mapping[Any, Any] | str | None = None,
    merge: str | None = None,
    progress: bool = False,
    jobs: int | None = 1,
) -> Estimates:
    """The mean of each run by each measure under the human, the machine, and both together.

    `human` and `machine` are qrels, `human` for some topics, `machine` for these and more. `runs`,
    `measures`, `progress` and `jobs` are those of `evaluate`. The intervals have the given `confidence`.
    `baseline` names a run; the difference of every other run from it is estimated too. `machine_levels` maps
    the machine's scale to the human's: with ``0:0,5:1,10:3``, levels from 5 become 1, from 10 become 3.
    `merge` is ``human-first`` to complete each human topic with the machine's judgments for documents that
    the human did not judge. The estimates then are those of the completed judgments, and the machine's bias
    on these documents is not corrected. Needs the extra ``stats``.

    The human mean is over all topics that the human judged, the machine's over all that the machine judged.
    The combined estimate uses the topics that the machine judged, and is the human mean if the human judged
    them all. The topics judged by the human must be a random sample of the topics.

    >>> human = {str(topic): {"a": topic % 2} for topic in range(20)}
    >>> machine = {str(topic): {"a": topic % 2 if topic % 5 else 1} for topic in range(200)}
    >>> run = {str(topic): {"a": 1.0} for topic in range(200)}
    >>> found = estimate(human, machine, {"mine": run}, ["CG@1"])
    >>> [round(found.find("mine", "CG@1", judge).value, 3) for judge in ("human", "machine", "combined")]
    [0.5, 0.6, 0.5]

    Raises `GradedError` for fewer than 3 topics judged by both, for an unknown baseline, and for scales
    that differ without `machine_levels`. Warns (`FewTopicsWarning`) for fewer than 10 topics judged by both.
    """
    need_statistics("scipy")
    check(confidence, STUDENT)
    if merge not in (None, HUMAN_FIRST):
        raise GradedError(f"merge={merge!r} is not allowed; it is {HUMAN_FIRST!r} or None")
    named = named_runs(runs, once=True)
    names = [run.name for run in named]
    if baseline is not None and baseline not in names:
        hint = did_you_mean(baseline, names)
        raise GradedError(f"the baseline {baseline!r} is not among the runs {', '.join(names)}{hint}")
    by_human, by_machine = on_one_scale(human, machine, machine_levels)
    both = [topic for topic in by_human if topic in by_machine]
    _check_topics(both, by_human, by_machine)
    origins = {HUMAN: sum(map(len, by_human.values())), MACHINE: 0}
    if merge == HUMAN_FIRST:
        merged = merge_qrels({HUMAN: by_human, MACHINE: {topic: by_machine[topic] for topic in both}})
        by_human, origins = merged.qrels, merged.origins
    first = dict.fromkeys(both)  # the topics of both come first
    qrels = [{topic: judged[topic] for topic in first | judged} for judged in (by_human, by_machine)]
    values = evaluate_each(qrels, named, measures, progress=progress, jobs=jobs)
    estimates: list[Estimate] = []
    for column, measure in enumerate(values[0].measures):
        by_judge = [found.values[:, column] for found in values]
        for base in dict.fromkeys([None, baseline]):
            if base is not None:
                by_judge = [found - found[names.index(base)] for found in by_judge]
            for name, h, m in zip(names, *by_judge):
                if name != base:
                    estimates += _by_each_judge((name, base, measure), h, m, len(both), confidence)
    human_only, machine_only = (len(judged) - len(both) for judged in qrels)
    return Estimates(
        tuple(estimates), confidence, len(both), human_only, machine_only, origins, merge is not None
    )


def prediction_powered(
    human: np.ndarray, machine: np.ndarray, others: np.ndarray
) -> tuple[float, float, float]:
    """The combined estimate of a mean, its variance, and λ; see the module for the formulas.

    `human` and `machine` are values of the same n ≥ 3 topics, `others` the machine's values of further
    topics, at least one. var(L) is over all topics of the machine.

    >>> estimate, variance, weight = prediction_powered(
    ...     np.array([0.2, 0.4, 0.6]), np.array([0.3, 0.5, 0.7]), np.array([0.3, 0.5, 0.7] * 9)
    ... )
    >>> round(estimate, 3), round(weight, 3)
    (0.4, 1.0)
    """
    all_machine = np.concatenate([machine, others])
    n, more = human.size, others.size
    spread = 0.0 if _flat(all_machine) else float(all_machine.var(ddof=1))
    weight = 0.0
    if spread:
        weight = float(np.cov(human, machine)[0, 1] / ((1 + n / more) * spread))
        weight = min(max(weight, 0.0), 1.0)
    rectified = human - weight * machine
    value = weight * mean_over_topics(others) + mean_over_topics(rectified)
    variance = weight**2 * spread / more + (0.0 if _flat(rectified) else rectified.var(ddof=2)) / n
    return float(value), float(variance), weight


def _by_each_judge(
    labels: tuple[str, str | None, Measure],
    human: np.ndarray,
    machine: np.ndarray,
    both: int,
    confidence: float,
) -> list[Estimate]:
    """The estimates of one run or difference by one measure. The first topics of each judge are of `both`."""
    rows = []
    for judge, values in ((HUMAN, human), (MACHINE, machine)):
        lower, upper = mean_interval(values, confidence, STUDENT)
        worth = None if judge == MACHINE or _flat(values) else float(values.size)
        mean = float(mean_over_topics(values))
        rows.append(Estimate(*labels, judge, mean, lower, upper, values.size, None, worth))
    if machine.size == both:
        return [*rows, replace(rows[0], judge=COMBINED, weight=0.0)]
    paired = human[:both]
    value, variance, weight = prediction_powered(paired, machine[:both], machine[both:])
    reach = student_quantile(confidence, both - 2) * float(np.sqrt(variance))
    worth = float(paired.var(ddof=1) / variance) if variance else None
    bounds = value - reach, value + reach
    return [*rows, Estimate(*labels, COMBINED, value, *bounds, machine.size, weight, worth)]


def _flat(values: np.ndarray) -> bool:
    """Whether values differ by rounding errors only."""
    return bool(np.ptp(values) <= EXACT * np.abs(values).max(initial=0))


def _check_topics(both: list[str], by_human: Levels, by_machine: Levels) -> None:
    if len(both) < LEAST_TOPICS:
        count = {0: "no topic is", 1: "only 1 topic is"}.get(len(both), f"only {len(both)} topics are")
        raise GradedError(
            f"{count} judged by both the human (topics such as {next(iter(by_human))!r}) and the machine "
            f"(such as {next(iter(by_machine))!r}); an estimate needs at least {LEAST_TOPICS}"
        )
    if len(both) < FEW_TOPICS:
        warnings.warn(
            f"only {len(both)} topics are judged by both; below {FEW_TOPICS} the machine's bias is measured "
            "too roughly for the intervals to be trusted",
            FewTopicsWarning,
            stacklevel=3,
        )
