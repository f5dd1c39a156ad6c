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
is fitted on the same topics. k topics judged by the human alone count in the mean of H. With s = n/(n + k):

    estimate = λ · mean over the N − n other topics of L + mean over the n + k topics of H
               − λ · mean over the n topics of L
    variance = λ² · var(L)/(N − n) + var(s·H − λ·L)/n + (1 − s)² · var(H)/k
    λ = s · cov(H, L) / ((1 + n/(N − n)) · var(L)), clipped to [0, 1]

Differences from a baseline are a family: their intervals hold together (Šidák), and Holm corrects p.

A. N. Angelopoulos, J. C. Duchi, T. Zrnic: PPI++: Efficient prediction-powered inference. 2023. H. Oosterhuis,
R. Jagerman, Z. Qin, X. Wang, M. Bendersky: Reliable confidence intervals for information retrieval evaluation
using generative A.I. KDD 2024.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import sign_of
from ...errors import GradedError, did_you_mean
from ...evaluation.named import Qrels, Runs
from ...output import plots
from ...output.formats import Table, counted
from ...output.result import Result
from ..statistics.intervals import STUDENT, FewTopicsWarning, check, student_quantile
from ..statistics.options import need_statistics, statistics_library
from ..statistics.paired import FEW, fewest_topics
from ..statistics.significance import EXACT, differences_of, holm
from .merging import HUMAN, MACHINE
from .panel import Panel, panels, values_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COMBINED: Final = "combined"
JUDGES: Final = (HUMAN, MACHINE, COMBINED)
LEAST_TOPICS: Final = 3
Label = tuple[str, str | None, Measure]
"""The run, the baseline and the measure of an estimate."""
NO_VALUES: Final = np.empty(0)
LOOKS: Final = {
    HUMAN: {"color": plots.GREY, "linewidth": 8, "alpha": 0.35, "label": HUMAN},
    MACHINE: {"color": plots.COLOURS[4], "linewidth": 4, "alpha": 0.6, "label": MACHINE},
}


@dataclass(frozen=True)
class Estimate:
    """A mean, or a difference of means, by one judge.

    `judge` is ``human``, ``machine`` or ``combined``. `baseline` is None for a mean, else the run whose value
    is subtracted. `weight` is λ, the weight of the machine's judgments, and `worth` the number of human
    topics that would give an equally precise mean. `halving` is the number of further topics that the human
    must judge to halve the interval. Both are None for the machine alone, whose error is mostly bias, and
    where nothing varies. `p` and `adjusted`, with Holm's correction over the runs, test a
    difference; they are None for a mean, for a constant difference, and for several differences over fewer
    than 10 topics.
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
    halving: int | None
    p: float | None = None
    adjusted: float | None = None


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
        wanted = (run, str(measure), judge, baseline)
        for found in self.estimates:
            if (found.run, str(found.measure), found.judge, found.baseline) == wanted:
                return found
        raise GradedError(f"there is no estimate for run {run!r}, measure {measure}, judge {judge!r}")

    @property
    def summary(self) -> str:
        """The number of topics by judge, and of documents by origin, in one line."""
        origins = (
            f"; {self.documents[HUMAN]} judgments of the human topics are human, "
            f"{self.documents[MACHINE]} are the machine's and count as human"
        )
        return (
            f"{counted(self.both, 'topic')} judged by both, {self.machine_only} by the machine alone, "
            f"{self.human_only} by the human alone{origins * self.merged}"
        )

    def table(self) -> Table:
        """Column names and rows: one row per measure, run (or difference) and judge."""
        columns = ["measure", "run", "judge", "value", "lower", "upper", "topics", "lambda", "worth"]
        columns += ["halving", *["adjusted"] * any(one.baseline for one in self.estimates)]
        records = self.records()
        for record in records:
            record["run"] += f" − {record['baseline']}" if record["baseline"] else ""
            record["worth"] = round(record["worth"]) if record["worth"] else None
        return columns, [[record[column] for column in columns] for record in records]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per run, baseline, measure and judge."""
        rows = [{**vars(one), "measure": str(one.measure)} for one in self.estimates]
        return [{name.replace("weight", "lambda"): value for name, value in row.items()} for row in rows]

    def figure(self) -> Figure:
        """Draw the combined estimates and the intervals of all judges. Needs the extra ``plot``.

        There is one panel per measure, and one for the differences from the baseline.
        """
        panels = list(dict.fromkeys((one.measure, one.baseline) for one in self.estimates))
        runs = list(dict.fromkeys(one.run for one in self.estimates))
        found = np.full((len(JUDGES), 3, len(runs), len(panels)), np.nan)
        for one in self.estimates:
            row, column = runs.index(one.run), panels.index((one.measure, one.baseline))
            found[JUDGES.index(one.judge), :, row, column] = one.value, one.lower, one.upper
        titles = [str(measure) if base is None else f"{measure}, minus {base}" for measure, base in panels]
        signs = [sign_of(measure) for measure, _ in panels]
        label = f"Combined estimate and {100 * self.confidence:g} % intervals"
        combined, spans = found[2], [(each[1:], LOOKS[judge]) for each, judge in zip(found, JUDGES[:2])]
        return plots.dot_plot(runs, titles, combined[0], signs, label, combined[1:], spans=spans)


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
    jobs: int = 1,
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
    The combined estimate uses all of them, and is the human mean if the human judged all of the machine's
    topics. The topics judged by the human must be a random sample of the topics. The intervals of the
    differences from the baseline hold together, as those of `compare`, and p has Holm's correction.

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
    given = human, {MACHINE: machine}, runs, measures
    (panel,) = panels(*given, machine_levels=machine_levels, merge=merge, progress=progress, jobs=jobs)
    return estimated(panel, confidence, baseline)


def estimated(panel: Panel, confidence: float, baseline: str | None) -> Estimates:
    """The estimates for the runs of a panel, as `estimate`."""
    if panel.values is None:
        raise GradedError("no run is given; pass one or more runs by name, or paths of run files")
    _, machine, human = panel.values
    names, both = human.runs, panel.both
    if baseline is not None and baseline not in names:
        hint = did_you_mean(baseline, names)
        raise GradedError(f"the baseline {baseline!r} is not among the runs {', '.join(names)}{hint}")
    _check_topics(panel)
    first = dict.fromkeys(both)  # the topics of both come first
    by_human, by_machine = (values_of(each, first | dict.fromkeys(each.topics)) for each in (human, machine))
    estimates: list[Estimate] = []
    for column, measure in enumerate(human.measures):
        values = by_human[:, column], by_machine[:, column]
        estimates += _family([(name, None, measure) for name in names], *values, len(both), confidence)
        if baseline is not None:
            rows = [row for row, name in enumerate(names) if name != baseline]
            base = names.index(baseline)
            h, m = (differences_of(each[rows], each[[base]])[0] for each in values)
            labels = [(names[row], baseline, measure) for row in rows]
            estimates += _family(labels, h, m, len(both), confidence)
    alone = len(panel.human) - len(both), len(panel.machine) - len(both)
    completed, judged = panel.completed, sum(map(len, panel.human.values()))
    documents = completed.origins if completed else {HUMAN: judged, MACHINE: 0}
    return Estimates(tuple(estimates), confidence, len(both), *alone, documents, completed is not None)


def prediction_powered(
    human: np.ndarray, machine: np.ndarray, others: np.ndarray, alone: np.ndarray = NO_VALUES
) -> tuple[float, float, float]:
    """The combined estimate of a mean, its variance, and λ; see the module for the formulas.

    `human` and `machine` are values of the same n ≥ 3 topics, `others` the machine's values of further
    topics, at least one, and `alone` the human's of further topics. var(L) is over all topics of the machine,
    var(H) over all of the human.

    >>> estimate, variance, weight = prediction_powered(
    ...     np.array([0.2, 0.4, 0.6]), np.array([0.3, 0.5, 0.7]), np.array([0.3, 0.5, 0.7] * 9)
    ... )
    >>> round(estimate, 3), round(weight, 3)
    (0.4, 1.0)
    """
    n, more, k = human.size, others.size, alone.size
    share = n / (n + k)
    spread = _variance(np.concatenate([machine, others]))
    covariance = float(np.cov(human, machine)[0, 1])
    weight = _weight(n, more, k, covariance, spread)
    rectified = share * human - weight * machine
    value = weight * mean_over_topics(others) + mean_over_topics(rectified)
    variance = weight**2 * spread / more + _variance(rectified, 2) / n
    if k:
        value += (1 - share) * mean_over_topics(alone)
        variance += (1 - share) ** 2 * _variance(np.concatenate([human, alone])) / k
    return float(value), float(variance), weight


def _weight(n: int, more: int, k: int, covariance: float, spread: float) -> float:
    """λ for n topics of both, `more` of the machine alone and k of the human alone."""
    if not more or not spread:
        return 0.0
    return min(max(n / (n + k) * covariance / ((1 + n / more) * spread), 0.0), 1.0)


def _variance(values: np.ndarray, lost: int = 1) -> float:
    """The sum of squares divided by the number of values less `lost`; 0 if only rounding errors differ."""
    flat = np.ptp(values) <= EXACT * np.abs(values).max(initial=0)
    return 0.0 if flat else float(values.var(ddof=lost))


def _family(
    labels: Sequence[Label], human: np.ndarray, machine: np.ndarray, both: int, confidence: float
) -> list[Estimate]:
    """The estimates of means, or of differences, by one measure (rows × topics of either judge).

    The first topics of each judge are those of `both`.
    """
    tested = bool(labels) and labels[0][1] is not None
    level = confidence ** (1 / len(labels)) if tested else confidence
    rows = [_by_each_judge(label, h, m, both, level) for label, h, m in zip(labels, human, machine)]
    if not tested or (len(rows) > 1 and both < FEW):
        return [replace(one, p=None) for row in rows for one in row]
    corrected = zip(*(holm([1.0 if one.p is None else one.p for one in column]) for column in zip(*rows)))
    return [
        one if one.p is None else replace(one, adjusted=float(adjusted))
        for row, of_row in zip(rows, corrected)
        for one, adjusted in zip(row, of_row)
    ]


def _by_each_judge(
    label: Label, human: np.ndarray, machine: np.ndarray, both: int, level: float
) -> list[Estimate]:
    """The estimates of one mean or difference, each with the p-value of a difference."""
    alone, paired, spread = human.size - both, human[:both], _variance(human)

    def halving(more: int, covariance: float, of_machine: float, lost: int) -> int | None:
        """The number of further human topics that would halve the interval if variances stay as they are.

        The human judges the machine's topics first. The estimate takes `lost` degrees of freedom.
        """

        def reach(added: int) -> float:
            n, left = both + added, max(more - added, 0)
            weight = _weight(n, left, alone, covariance, of_machine)
            variance = (spread - 2 * weight * covariance) / (n + alone)
            variance += weight**2 * of_machine * (1 / left + 1 / n) if left else 0.0
            return student_quantile(level, n + alone - lost) * max(variance, 0.0) ** 0.5

        return fewest_topics(lambda added: reach(added) <= reach(0) / 2) if spread else None

    found = []
    for judge, values in ((HUMAN, human), (MACHINE, machine)):
        mean, error = float(mean_over_topics(values)), (_variance(values) / values.size) ** 0.5
        lower, upper, p = _ends_and_p(mean, error, values.size - 1, level)
        found.append(Estimate(*label, judge, mean, lower, upper, values.size, None, None, None, p))
    if spread:
        found[0] = replace(found[0], worth=float(human.size), halving=halving(0, 0.0, 0.0, 1))
    if machine.size == both:
        return [*found, replace(found[0], judge=COMBINED, weight=0.0)]
    value, variance, weight = prediction_powered(paired, machine[:both], machine[both:], human[both:])
    covariance = float(np.cov(paired, machine[:both])[0, 1])
    of_both = halving(machine.size - both, covariance, _variance(machine), 2)
    worth = spread / variance if variance else None
    lower, upper, p = _ends_and_p(value, variance**0.5, human.size - 2, level)
    topics = machine.size + alone
    return [*found, Estimate(*label, COMBINED, value, lower, upper, topics, weight, worth, of_both, p)]


def _ends_and_p(value: float, error: float, degrees: int, level: float) -> tuple[float, float, float | None]:
    """The interval by Student's t, and p: 1 if all differences are 0, None if they are constant."""
    reach = student_quantile(level, degrees) * error
    p = None if value else 1.0
    if error:
        p = float(2 * statistics_library("scipy.special").stdtr(degrees, -abs(value) / error))
    return value - reach, value + reach, p


def _check_topics(panel: Panel) -> None:
    count = len(panel.both)
    if count < LEAST_TOPICS:
        judged = {0: "no topic is", 1: "only 1 topic is"}.get(count, f"only {count} topics are")
        raise GradedError(
            f"{judged} judged by both the human (topics such as {next(iter(panel.human))!r}) and the machine "
            f"(such as {next(iter(panel.machine))!r}); an estimate needs at least {LEAST_TOPICS}"
        )
    if count < FEW:
        warnings.warn(
            f"only {count} topics are judged by both; below {FEW} the machine's bias is measured too roughly "
            "for the intervals to be trusted",
            FewTopicsWarning,
            stacklevel=4,
        )
