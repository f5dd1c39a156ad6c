"""Means under human judgments, estimated with a machine's judgments for more topics.

A language model can judge many topics, but the mean under its judgments is biased, however many
topics there are. `estimate` takes the machine's judgments for all topics and human judgments for
some, measures the bias on the topics that both judged, and corrects for it: prediction-powered
inference. The result has the uncertainty of a mean under human judgments over more topics than
humans judged.

With L the value of a topic under the machine's qrels and H under the human's, n topics judged by
both and N by the machine:

    estimate = λ · mean over the N − n other topics of L + mean over the n topics of (H − λ·L)
    variance = λ² · var(L)/(N − n) + var(H − λ·L)/n
    λ = cov(H, L) / ((1 + n/(N − n)) · var(L)), clipped to [0, 1]

The intervals have n − 2 degrees of freedom, and var(H − λ·L) is a sum of squares divided by n − 2,
because λ is fitted on the same topics. If λ = 0, or if fewer than 5 topics of both have a value,
the estimate is the mean and the interval of the human alone. k topics judged by the human alone
count in the mean of H. With s = n/(n + k):

    estimate = λ · mean over the N − n other topics of L + mean over the n + k topics of H
               − λ · mean over the n topics of L
    variance = λ² · var(L)/(N − n) + var(s·H − λ·L)/n + (1 − s)² · var(H)/k
    λ = s · cov(H, L) / ((1 + n/(N − n)) · var(L)), clipped to [0, 1]

If the human's values change in few topics (see `few_changes`), neither their spread nor λ can be
estimated: the combined estimate is then the human's mean, and the intervals of both are those of
the human's values with two more topics at the ends of the range of the measure.

A topic is the human's only if it is judged completely: the human judged at least 95 % of the
documents that the machine judged within the cutoff of a run. Any other topic of the machine counts
as judged by the machine alone, because its value under the human is too low.

The differences of all pairs of runs are a family: their intervals hold together (Šidák), and Holm
corrects p. A pair without a significant difference is open.

A. N. Angelopoulos, J. C. Duchi, T. Zrnic: PPI++: Efficient prediction-powered inference. 2023. H.
Oosterhuis, R. Jagerman, Z. Qin, X. Wang, M. Bendersky: Reliable confidence intervals for
information retrieval evaluation using generative A.I. KDD 2024.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import range_of, sign_of
from ...errors import GradedError, NotApplicableError, Remark, level_of_caller
from ...evaluation.checked import checks_arguments
from ...evaluation.level_notes import notes_on_rel
from ...evaluation.named import Qrels, Runs
from ...evaluation.order_of_runs import best_first
from ...output.figures import Figure
from ...output.formats import counted, decimal, known, listed, short
from ...output.result import Result
from ...output.tables import Column, Note, Table
from ...progress import Progress
from ..comparing.tests import PValue
from ..statistics.corrections import CORRECTION_NAME, adjusted_p
from ..statistics.defaults import CONFIDENCE, LEAST_TESTED_TOPICS
from ..statistics.few_changes import (
    are_few,
    changes_from_most_frequent,
    interval_with_two_more,
)
from ..statistics.options import check_probability, statistics_library
from ..statistics.precision import EXACT, differences_of
from ..statistics.primary import cut_at_0
from ..statistics.student import FewTopicsWarning, student_interval, student_p
from .figures import figure_of_estimates
from .panel import COMPLETE, HUMAN, MACHINE, OUTSIDE, Panel, panels, remarks_on, values_of
from .planning import LEAST_TOPICS, Plan, Spreads, plan

PLAN_NUMBERS: Final[tuple[str | Column, ...]] = (
    *Plan.__dataclass_fields__,
    Column("documents", kind=round),
)
COMBINED: Final = "combined"
Label = tuple[str, str | None, Measure]
"""A run, the run whose value is subtracted or None, and the measure."""
NUMBERS: Final = ("value", "lower", "upper", "topics", "lambda", Column("worth", kind=round))
BEST: Final = (
    "{} has the best estimate by {}, {}{}{}; {} judged by both, {} by the "
    "machine alone, {} by the human alone{}."
)
OF_ONE_RUN: Final = (
    "The combined estimate of {} by {} is {}{}; {} judged by both, {} by the machine alone, {} by "
    "the human alone{}."
)
NO_HELP: Final = "; the machine does not help"
HELP_FOR_SOME: Final = "; the machine helps for {} of {}"
HELP: Final = Note(
    "The machine helps if the combined interval is narrower than that of the human alone."
)
LEFT: Final = (
    "{}: {} of {} of runs {} open, without a significant difference of the combined estimates "
    f"({CORRECTION_NAME} over all pairs)."
)
COLUMNS: Final = Note(
    "lambda: the weight of the machine's judgments; worth: the human topics that give an equally "
    "precise mean."
)
INTERVALS: Final = (
    "{} intervals are value ± q · standard error, q the quantile {} of Student's t: with n − 2 "
    "degrees of freedom for a combined estimate of n human topics (n − 1 if lambda is 0), and with "
    "n − 1 for one judge of n topics."
)
OF_PAIRS: Final = (
    "The intervals of the {} by a measure hold together (Šidák): q is the quantile {}."
)
FEW_CHANGES: Final = (
    "{} of {} combined estimates and differences rest on fewer than "
    f"{LEAST_TESTED_TOPICS} human topics that differ. They are the human's own; their intervals "
    "are those of two more topics, at the ends of the range of the measure, and empty if it has no "
    "end."
)
NEEDED: Final = (
    "Means by {} within ±{} need about {} human topics{} of the {} that the machine judged. {} {} "
    "topics without the machine."
)
OUT_OF_REACH: Final = (
    "Means by {} within ±{} are out of reach{} with the {} topics that the machine judged: human "
    "judgments for all of them give {}±{}. {} at least about {} human topics{} if the machine "
    "judges many more, and {} topics without the machine."
)
NO_PLAN: Final = (
    "How many topics give means by {} within ±{} is not known: fewer than "
    f"{LEAST_TESTED_TOPICS} human topics differ."
)
PLANS: Final = Note(
    "now: half of the width of the interval; topics: human topics that the wanted width needs "
    "among those of the machine, empty if all are too few; reach: half of the width with all of "
    "them; least: the human topics if the machine judges very many, at most alone; at limit: the "
    "same with the spread at its upper 80 % limit; alone: human topics without the machine; "
    "documents: those that the human judged in a topic, on average. least is a little more than "
    "(1 − ρ²) · alone, because λ is fitted on the topics of both. Further topics are taken to be "
    "of the same kind."
)
WIDTH_HINT: Final = Note(
    "--width .02 (width= in Python) tells how many human topics an interval of ±.02 needs."
)
INCOMPLETE: Final = "incomplete"
"""The kind of the remark on topics that the human did not judge completely."""
SAMPLE: Final = (
    "the human judged a sample of documents, not of topics: by {measure}, less than "
    f"{COMPLETE} % of the documents that the machine judged within the cutoff of the runs "
    "in {of_topics} of both; "
    f"judge at least {LEAST_TOPICS} topics completely"
)
COUNTED: Final = (
    "{} of both count as judged by the machine alone, because the human judged less than {} % of "
    "the documents that the machine judged within the cutoff of the runs"
)


@dataclass(frozen=True)
class Estimate:
    """A mean by one judge, or a combined difference of means.

    `judge` is ``human``, ``machine`` or ``combined``. `other` is None for a mean, else the run
    whose value is subtracted. `weight` is λ, the weight of the machine's judgments, and `worth` the
    number of human topics that would give an equally precise mean. Both are None for the machine
    alone, whose error is mostly bias, and `worth` is None where nothing varies. `p` and `adjusted`,
    with Holm's correction over the family, test a difference; they are None for a mean, for a
    constant difference, and for several differences over fewer than 10 topics. With `few_changes`,
    the interval is that of the human's values with two more topics, None if the range of the
    measure is infinite.
    """

    run: str
    other: str | None
    measure: Measure
    judge: str
    value: float
    lower: float | None
    upper: float | None
    topics: int
    weight: float | None
    worth: float | None
    p: float | None = None
    adjusted: float | None = None
    few_changes: bool = False

    @property
    def half_width(self) -> float | None:
        """Half of the width of the interval; None without one."""
        if self.lower is None or self.upper is None:
            return None
        return (self.upper - self.lower) / 2


@dataclass(frozen=True)
class PlanOfRun:
    """The `plan` of a run by a measure, whose topics the machine judged.

    `documents` is the mean number of documents that the human judged in a topic of both.
    """

    run: str
    measure: Measure
    machine: int
    plan: Plan
    documents: float


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Result):
    """The estimates of every run and measure by every judge; see `estimate`.

    `pairs` are the combined differences of all pairs of runs, a family for each measure. `both`,
    `human_only` and `machine_only` count the topics by their judges, by the first measure.
    `remarks` are on the machine's answers outside the human's scale, on topics without a value, and
    on topics that the human did not judge completely. `levels` are those of the human. With a
    `width`, `plans` has the human topics for an interval of half of this width, by run and measure.
    """

    estimates: tuple[Estimate, ...]
    pairs: tuple[Estimate, ...]
    confidence: float
    both: int
    human_only: int
    machine_only: int
    remarks: tuple[Remark, ...] = ()
    levels: tuple[float, ...] = ()
    width: float | None = None
    plans: tuple[PlanOfRun, ...] = ()

    @property
    def outside(self) -> str:
        """The sentence on the machine's answers outside the human's scale; empty without any."""
        sentences = [f"{remark}." for remark in self.remarks if remark.kind == OUTSIDE]
        return "".join(sentences)

    def answer(self) -> list[Note]:
        """The run with the best estimate, the number of topics by judge, and what a width needs."""
        measure = self.estimates[0].measure
        combined = [
            estimate
            for estimate in self.estimates
            if estimate.judge == COMBINED and estimate.measure == measure
        ]
        values = sign_of(measure) * np.array([estimate.value for estimate in combined])
        order = best_first(values, [estimate.run for estimate in combined])
        best = combined[order[0]]
        in_order = [combined[number] for number in order[1:]]
        equal = []
        for estimate in in_order:
            if np.isclose(estimate.value, best.value, EXACT, 0):
                equal.append(estimate.run)
        equal_to = f", equal to that of {listed(equal)}" if equal else ""
        interval = ""
        if best.lower is not None and best.upper is not None:
            interval = f" ({decimal(best.lower)} to {decimal(best.upper)})"
        topics = (counted(self.both, "topic"), self.machine_only, self.human_only)
        helps = self._helps(combined)
        meaning = [HELP] if helps else []
        if len(combined) == 1:
            of_run = (best.run, measure, decimal(best.value), interval)
            mean = Note(OF_ONE_RUN, *of_run, *topics, helps)
            return [mean, *meaning, *self.plan_answer()]
        of_best = (best.run, measure, decimal(best.value), interval, equal_to)
        mean = Note(BEST, *of_best, *topics, helps)
        return [mean, *meaning, *self.plan_answer()]

    def _helps(self, combined: Sequence[Estimate]) -> str:
        """For how many runs the machine helps, as the end of a sentence; empty if it does for all
        whose intervals are known."""
        alone = {
            estimate.run: estimate
            for estimate in self.estimates
            if estimate.judge == HUMAN and estimate.measure == combined[0].measure
        }
        known_runs = 0
        without_help = 0
        for estimate in combined:
            of_human = alone.get(estimate.run)
            if of_human is None or not estimate.half_width or not of_human.half_width:
                continue
            known_runs += 1
            if estimate.half_width >= of_human.half_width * (1 - EXACT):
                without_help += 1
        if not without_help:
            return ""
        if without_help == known_runs:
            return NO_HELP
        helped = known_runs - without_help
        return HELP_FOR_SOME.format(helped, counted(known_runs, "run"))

    def plan_answer(self) -> list[Note]:
        """The human topics that the wanted width needs, a sentence for each measure."""
        answer: list[Note] = []
        by_measure: dict[Measure, list[PlanOfRun]] = {}
        for row in self.plans:
            by_measure.setdefault(row.measure, []).append(row)
        for measure, rows in by_measure.items():
            answer.append(self._plan_sentence(measure, rows))
        return answer

    def _plan_sentence(self, measure: Measure, rows: Sequence[PlanOfRun]) -> Note:
        """What the wanted width needs by one measure, for the run that needs most."""
        width = short(self.width or 0.0, ".3g")
        planned = [row for row in rows if row.plan.now is not None]
        if not planned:
            return Note(NO_PLAN, measure, width)
        out_of_reach = [row for row in planned if row.plan.topics is None]
        if out_of_reach:
            return _out_of_reach(measure, width, out_of_reach, len(planned))
        worst = max(planned, key=_topics_among)
        topics = worst.plan.topics
        subject = "They need"
        if len(planned) > 1:
            range_of_runs = _range([row.plan.topics for row in planned])
            subject = f"{worst.run} needs most{range_of_runs}, and"
        numbers = (_number(topics), _labels(topics, worst), worst.machine)
        return Note(NEEDED, measure, width, *numbers, subject, _number(worst.plan.alone))

    def tables(self) -> list[Table]:
        """One row per measure, run and judge."""
        tables = [_table(self.estimates, "measure", "run", "judge", *NUMBERS)]
        if self.plans:
            tables.append(self.plan_table())
        return tables

    def plan_table(self) -> Table:
        """A row per measure and run with the human topics that the wanted width needs."""
        records = [vars(row) | vars(row.plan) | {"measure": str(row.measure)} for row in self.plans]
        title = f"Human topics for intervals of ±{short(self.width or 0.0, '.3g')}"
        return Table.of(["measure", "run", *PLAN_NUMBERS], records, title)

    def pair_table(self) -> Table:
        """The combined difference of each pair of runs by each measure."""
        return _table(self.pairs, "measure", "run", "other", *NUMBERS, "p", "adjusted")

    def open(self, measure: Measure | str) -> int:
        """The number of pairs of runs without a significant difference by a measure."""
        pairs = [pair for pair in self.pairs if str(pair.measure) == str(measure)]
        level = 1 - self.confidence
        return sum(pair.adjusted is None or pair.adjusted >= level for pair in pairs)

    def figure(self, *, title: str = "") -> Figure:
        """Draw the combined estimates with their intervals. Needs the extra ``plot``."""
        return figure_of_estimates(self, title)

    def notes(self) -> list[str]:
        """The open pairs of runs, and the meaning of the columns."""
        notes: list[str] = []
        for measure, count in Counter(pair.measure for pair in self.pairs).items():
            left = self.open(measure)
            are = "is" if left == 1 else "are"
            notes.append(Note(LEFT, measure, left, counted(count, "pair"), are))
        combined = [estimate for estimate in self.estimates if estimate.judge == COMBINED]
        asked = [*combined, *self.pairs]
        notes += self._notes_on_intervals()
        few = sum(estimate.few_changes for estimate in asked)
        if few:
            notes.append(Note(FEW_CHANGES, few, len(asked)))
        measures = dict.fromkeys(estimate.measure for estimate in self.estimates)
        on_width = PLANS if self.plans else WIDTH_HINT
        return [*notes, *notes_on_rel(measures, self.levels), COLUMNS, on_width]

    def _notes_on_intervals(self) -> Iterator[Note]:
        """The quantile and the degrees of freedom of the intervals, also those of all pairs."""
        level = f"{100 * self.confidence:g} %"
        yield Note(INTERVALS, level, short((1 + self.confidence) / 2))
        count = len({(pair.run, pair.other) for pair in self.pairs})
        if count > 1:
            together = self.confidence ** (1 / count)
            yield Note(OF_PAIRS, counted(count, "pair"), short((1 + together) / 2, ".5f"))


def _out_of_reach(
    measure: Measure, width: str, out_of_reach: Sequence[PlanOfRun], runs: int
) -> Note:
    """What the runs need for which the topics of the machine are too few, of so many `runs`."""
    worst = max(out_of_reach, key=_least_topics)
    of_runs = ""
    if len(out_of_reach) < runs:
        of_runs = f" for {len(out_of_reach)} of {counted(runs, 'run')}"
    with_all = ""
    subject = "They need"
    if runs > 1:
        with_all = f"{worst.run} "
        subject = f"{worst.run} needs"
    if len(out_of_reach) > 1:
        subject += f" most{_range([row.plan.least for row in out_of_reach])},"
    reach = short(worst.plan.reach or 0.0, ".3g")
    least = worst.plan.least
    numbers = (worst.machine, with_all, reach, subject, _number(least), _labels(least, worst))
    return Note(OUT_OF_REACH, measure, width, of_runs, *numbers, _number(worst.plan.alone))


def _topics_among(row: PlanOfRun) -> float:
    """The human topics that a run needs among those of the machine; ∞ if all are too few."""
    return np.inf if row.plan.topics is None else row.plan.topics


def _least_topics(row: PlanOfRun) -> tuple[float, float]:
    """The human topics that a run needs with many topics of the machine, ∞ for too many, then the
    width that those of the machine leave."""
    least = np.inf if row.plan.least is None else row.plan.least
    return least, row.plan.reach or 0.0


def _number(topics: int | None) -> str:
    """A number of topics as text."""
    return "more than ten million" if topics is None else f"{topics:,}"


def _labels(topics: int | None, row: PlanOfRun) -> str:
    """The documents of so many topics, in brackets; nothing for too many topics."""
    if topics is None:
        return ""
    in_topic = round(row.documents)
    return f" ({topics * in_topic:,} documents at {in_topic:,} a topic)"


def _range(topics: Sequence[int | None]) -> str:
    """The least and the largest number of topics of several runs, in brackets."""
    numbers = [number for number in topics if number is not None]
    if len(numbers) < 2 or min(numbers) == max(numbers):
        return ""
    return f" ({min(numbers):,} to {max(numbers):,} topics by run)"


def _table(estimates: Iterable[Estimate], *columns: Any) -> Table:
    """These columns of estimates."""
    records = []
    for estimate in estimates:
        record = vars(estimate) | {"measure": str(estimate.measure), "lambda": estimate.weight}
        for name in ("p", "adjusted"):
            if record[name] is not None:
                record[name] = PValue(record[name])
        records.append(record)
    return Table.of(columns, records, "Estimates")


@checks_arguments("estimate(human, machine, {'mine': run}, ['nDCG@10'])")
def estimate(
    human: Qrels,
    machine: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    confidence: float = CONFIDENCE,
    *,
    machine_levels: Mapping[Any, Any] | str | None = None,
    width: float | None = None,
    progress: Progress = False,
) -> Estimates:
    """The mean of each run by each measure under the human, the machine, and both together.

    `human` and `machine` are qrels, `human` for some topics, `machine` for these and more. `runs`
    and `measures` are those of `evaluate`. The intervals have the given `confidence`.
    `machine_levels` maps the machine's scale to the human's: with ``0:0,5:1,10:3``, levels from 5
    become 1, from 10 become 3. Needs the extra ``stats``.

    The human mean is over the topics that the human judged completely, the machine's over all that
    the machine judged. A topic is judged completely if the human judged at least 95 % of the
    documents that the machine judged within the cutoff of a run. The combined estimate uses both,
    and is the human mean if the human judged all of the machine's topics. The topics judged by the
    human must be a random sample of the topics. The intervals of the differences of all pairs of
    runs hold together, as those of `compare`, and p has Holm's correction.

    With a `width`, as .02 for a mean ± .02, `plans` of the result has the number of human topics
    that such an interval needs: among those of the machine, and if the machine judged many more.

    `progress` is as for `evaluate`.

    >>> human = {str(topic): {"a": topic % 2} for topic in range(20)}
    >>> machine = {str(topic): {"a": topic % 2 if topic % 5 else 1} for topic in range(200)}
    >>> run = {str(topic): {"a": 1.0} for topic in range(200)}
    >>> found = estimate(human, machine, {"mine": run}, ["CG@1"])
    >>> {mean.judge: round(mean.value, 3) for mean in found.estimates}
    {'human': 0.5, 'machine': 0.6, 'combined': 0.5}

    Raises `GradedError` for fewer than 5 topics that the human judged completely and the machine
    judged too, and for scales that differ without `machine_levels`. Warns (`FewTopicsWarning`) for
    fewer than 10 such topics.
    """
    statistics_library("scipy.special")
    check_probability(confidence, "confidence", CONFIDENCE)
    (panel,) = panels(human, {MACHINE: machine}, runs, measures, machine_levels=machine_levels)
    return estimated(panel, confidence, width)


def estimated(panel: Panel, confidence: float, width: float | None = None) -> Estimates:
    """The estimates for the runs of a panel, as `estimate`."""
    if width is not None and not 0 < width < np.inf:
        raise GradedError(f"width={width} is not allowed; width is a number above 0")
    if panel.values is None:
        raise GradedError("no run is given; pass one or more runs by name, or paths of run files")
    human, _ = panel.values
    topics_by_measure = {measure: _complete_topics(panel, measure) for measure in human.measures}
    fewest = min(map(len, topics_by_measure.values()))
    if fewest < LEAST_TESTED_TOPICS:
        warnings.warn(
            f"only {fewest} topics are judged by both; below {LEAST_TESTED_TOPICS} the intervals "
            "are rough, and the differences of several pairs have no p",
            FewTopicsWarning,
            stacklevel=level_of_caller(),
        )
    estimates: list[Estimate] = []
    pairs: list[Estimate] = []
    plans: list[PlanOfRun] = []
    remarks = list(remarks_on([panel]))
    for column, measure in enumerate(human.measures):
        complete = topics_by_measure[measure]
        incomplete = len(panel.both) - len(complete)
        if incomplete:
            text = COUNTED.format(counted(incomplete, "topic"), COMPLETE)
            remarks.append(Remark(INCOMPLETE, str(measure), text))
        values = _by_both(panel, column, complete)
        labels: list[Label] = [(run, None, measure) for run in human.runs]
        estimates += _family(labels, values, confidence)
        if width is not None:
            documents = float(np.mean([len(panel.human[topic]) for topic in complete]))
            for run, of_run in _plans(human.runs, values, width, confidence):
                machine_topics = values.machine.shape[1]
                plans.append(PlanOfRun(run, measure, machine_topics, of_run, documents))
        labels = [(run, other, measure) for run, other in combinations(human.runs, 2)]
        if labels:
            pairs += _family(labels, values.differences(), confidence)
    both = len(topics_by_measure[human.measures[0]])
    return Estimates(
        estimates=tuple(estimates),
        pairs=tuple(pairs),
        confidence=confidence,
        both=both,
        human_only=len(panel.human) - len(panel.both),
        machine_only=len(panel.machine) - both,
        remarks=tuple(remarks),
        levels=human.levels,
        width=width,
        plans=tuple(plans),
    )


def _complete_topics(panel: Panel, measure: Measure) -> list[str]:
    """The topics of both judges that the human judged completely; see the module.

    Raises `NotApplicableError` for fewer than 5.
    """
    both = panel.both
    incomplete = panel.incomplete[measure]
    complete = [topic for topic in both if topic not in incomplete]
    if len(complete) >= LEAST_TOPICS:
        return complete
    if len(both) < LEAST_TOPICS:
        raise NotApplicableError(
            f"an estimate needs at least {LEAST_TOPICS} topics judged by both the human "
            f"({listed(panel.human)}) and the machine ({listed(panel.machine)}), not {len(both)}"
        )
    missing = len(both) - len(complete)
    of_topics = f"{missing} of {counted(len(both), 'topic')}"
    raise NotApplicableError(SAMPLE.format(of_topics=of_topics, measure=measure))


class ByBoth(NamedTuple):
    """The values (rows × topics) under the human and under the machine.

    The first columns of either are the topics judged by `both`, in one order.
    """

    human: np.ndarray
    machine: np.ndarray
    both: int

    def differences(self) -> ByBoth:
        """The differences of all pairs of rows."""
        runs, others = np.triu_indices(len(self.human), 1)
        of_human, _ = differences_of(self.human[runs], self.human[others])
        of_machine, _ = differences_of(self.machine[runs], self.machine[others])
        return ByBoth(of_human, of_machine, self.both)


def _by_both(panel: Panel, column: int, complete: Iterable[str]) -> ByBoth:
    """The values of the runs by one measure. A topic without a value of any run is left out.

    The topics of both are those that the human judged completely.
    """
    assert panel.values is not None
    by_human, by_machine = panel.values
    first = dict.fromkeys(complete)
    of_human_alone = [topic for topic in by_human.topics if topic not in panel.machine]
    human = values_of(by_human, [*first, *of_human_alone])[:, column]
    machine = values_of(by_machine, first | dict.fromkeys(by_machine.topics))[:, column]
    human_has_value = ~np.isnan(human).any(axis=0)
    machine_has_value = ~np.isnan(machine).any(axis=0)
    shared = human_has_value[: len(first)] & machine_has_value[: len(first)]
    human_has_value[: len(first)] = shared
    machine_has_value[: len(first)] = shared
    both = int(shared.sum())
    if both < 2:
        raise NotApplicableError(
            f"{by_human.measures[column]} has a value for {both} of the {len(first)} topics judged "
            "by both; an estimate needs at least 2"
        )
    return ByBoth(human[:, human_has_value], machine[:, machine_has_value], both)


def prediction_powered(
    human: np.ndarray, machine: np.ndarray, others: np.ndarray, alone: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The combined estimates of means, their variances, and λ; see the module for the formulas.

    `human` and `machine` (… × n) are values of the same n ≥ 5 topics, `others` the machine's values
    of further topics, at least one, and `alone` the human's of further topics, if any. var(L) is
    over all topics of the machine, var(H) over all of the human.

    >>> machine = np.array([0.2, 0.3, 0.5, 0.6, 0.7])
    >>> estimate, variance, weight = prediction_powered(
    ...     machine - 0.1, machine, np.tile(machine, 9), machine[:0]
    ... )
    >>> float(estimate.round(3)), float(weight)
    (0.36, 1.0)
    """
    n = human.shape[-1]
    more = others.shape[-1]
    k = alone.shape[-1]
    share = n / (n + k)
    spread = _variance(np.concatenate([machine, others], axis=-1))
    h = human - human.mean(axis=-1, keepdims=True)
    m = machine - machine.mean(axis=-1, keepdims=True)
    covariance = np.asarray((h * m).sum(axis=-1) / (n - 1))
    squares = (h**2).sum(axis=-1) * (m**2).sum(axis=-1)
    rounding = 1e-12 * np.sqrt(squares) / (n - 1)
    covariance = np.where(np.abs(covariance) > rounding, covariance, 0.0)
    spread_or_infinity = np.where(spread > 0, spread, np.inf)
    denominator = (1 + n / more) * spread_or_infinity
    weight = np.clip(share * covariance / denominator, 0, 1)
    rectified = share * human - weight[..., None] * machine
    value = weight * mean_over_topics(others) + mean_over_topics(rectified)
    variance = weight**2 * spread / more + _variance(rectified, 2) / n
    if k:
        value = value + (1 - share) * mean_over_topics(alone)
        of_all = _variance(np.concatenate([human, alone], axis=-1))
        variance = variance + (1 - share) ** 2 * of_all / k
    return value, variance, weight


def _variance(values: np.ndarray, lost: int = 1) -> np.ndarray:
    """The sum of squares divided by the number of values less `lost`; 0 if only rounding errors
    differ."""
    flat = np.ptp(values, axis=-1) <= EXACT * np.abs(values).max(axis=-1)
    return np.where(flat, 0.0, values.var(axis=-1, ddof=lost))


def _family(labels: Sequence[Label], values: ByBoth, confidence: float) -> list[Estimate]:
    """The estimates of means, or the combined ones of differences, by one measure."""
    is_difference = labels[0][1] is not None
    few = _have_few_changes(values.human, is_difference)
    low, high = range_of(labels[0][2])
    if is_difference:
        low, high = low - high, high - low
        judged = {COMBINED: _combined(values, few)}
    else:
        judged = {
            HUMAN: _alone(values.human),
            MACHINE: _alone(values.machine),
            COMBINED: _combined(values, few),
        }
    count = len(labels)
    by_judge = []
    for judge, means in judged.items():
        level = confidence
        p = np.full(count, np.nan)
        error = means.variance**0.5
        if is_difference:
            level = confidence ** (1 / count)
            if count == 1 or values.both >= LEAST_TESTED_TOPICS:
                p = _p_of(means, error)
        adjusted = adjusted_p(p, count)
        # p and interval agree, as in `compare`.
        is_significant = adjusted < 1 - confidence
        lower, upper = student_interval(means.value, error, means.degrees, level)
        rests_on_few = few & (judge != MACHINE)
        of_few = interval_with_two_more(values.human[rests_on_few], low, high, level)
        lower[rests_on_few], upper[rests_on_few] = np.clip(of_few, low, high)
        if not is_difference:
            lower, upper = np.clip((lower, upper), low, high)
        lower, upper = cut_at_0(means.value, lower, upper, is_significant)
        topics = np.full(count, means.topics)
        weight = means.weight if judge == COMBINED else np.full(count, np.nan)
        worth = _worth(values.human, means, judge)
        columns = (means.value, lower, upper, topics, weight, worth, p, adjusted)
        cells = zip(*map(known, columns), strict=True)
        rows = []
        for label, row, is_few in zip(labels, cells, rests_on_few.tolist(), strict=True):
            rows.append(replace(Estimate(*label, judge, *row), few_changes=is_few))
        by_judge.append(rows)
    return [estimate for of_row in zip(*by_judge, strict=True) for estimate in of_row]


def _plans(
    runs: Sequence[str], values: ByBoth, width: float, confidence: float
) -> Iterator[tuple[str, Plan]]:
    """The human topics for an interval of half the `width` of each run."""
    few = _have_few_changes(values.human, are_differences=False)
    both = values.both
    machine = values.machine.shape[1]
    alone = values.human.shape[1] - both
    for run, of_human, of_machine, is_few in zip(
        runs, values.human, values.machine, few.tolist(), strict=True
    ):
        of_run = Plan()
        if not is_few and both >= LEAST_TOPICS:
            spreads = _spreads(of_human, of_machine, both)
            of_run = plan(spreads, width, confidence, both, machine - both, alone)
        yield run, of_run


def _spreads(human: np.ndarray, machine: np.ndarray, both: int) -> Spreads:
    """The spreads of the values of one run, of which the first are those of both judges."""
    of_both = human[:both] - human[:both].mean()
    by_machine = machine[:both] - machine[:both].mean()
    return Spreads(
        human=float((of_both**2).sum()),
        machine=float((by_machine**2).sum()),
        product=float((of_both * by_machine).sum()),
        pilot=both,
        of_human=float(_variance(human)),
        of_machine=float(_variance(machine)),
    )


def _worth(human: np.ndarray, means: Means, judge: str) -> np.ndarray:
    """The number of human topics with an equally precise mean; NaN if nothing varies, and for the
    machine."""
    count, topics = human.shape
    if judge == MACHINE:
        return np.full(count, np.nan)
    spread = _variance(human)
    with np.errstate(invalid="ignore", divide="ignore"):
        worth = np.where(means.weight > 0, spread / means.variance, topics)
    varies = (spread > 0) & (means.variance > 0)
    return np.where(varies, worth, np.nan)


def _have_few_changes(human: np.ndarray, are_differences: bool) -> np.ndarray:
    """Whether the human's values of each row, or differences from 0, change in few topics."""
    changed = np.count_nonzero(human, axis=1)
    if not are_differences:
        changed = np.array([changes_from_most_frequent(row) for row in human], dtype=int)
    return are_few(changed, human.shape[1])


def _p_of(means: Means, error: np.ndarray) -> np.ndarray:
    """The p-values of differences: 1 if all values are 0, NaN if they are constant."""
    with np.errstate(invalid="ignore", divide="ignore"):
        p = student_p(means.value / error, means.degrees)
    constant = np.where(means.value == 0, 1.0, np.nan)
    return np.where(error > 0, p, constant)


class Means(NamedTuple):
    """Means with their variances, λ, the degrees of freedom, and the number of topics."""

    value: np.ndarray
    variance: np.ndarray
    weight: np.ndarray
    degrees: Any
    topics: int


def _alone(values: np.ndarray) -> Means:
    """The means by one judge."""
    count, topics = values.shape
    variance = _variance(values) / topics
    return Means(mean_over_topics(values), variance, np.zeros(count), topics - 1, topics)


def _combined(values: ByBoth, few: np.ndarray) -> Means:
    """The combined means; the human's if the judges share fewer than 5 topics, or all of the
    machine's, and for `few` changes."""
    of_human = _alone(values.human)
    both = values.both
    others = values.machine.shape[1] - both
    if not others or both < LEAST_TOPICS:
        return of_human._replace(topics=of_human.topics + others)
    human, human_alone = np.split(values.human, [both], axis=1)
    machine, machine_alone = np.split(values.machine, [both], axis=1)
    value, variance, weight = prediction_powered(
        human=human, machine=machine, others=machine_alone, alone=human_alone
    )
    weight = np.where(few, 0.0, weight)
    is_combined = weight > 0
    return Means(
        value=np.where(is_combined, value, of_human.value),
        variance=np.where(is_combined, variance, of_human.variance),
        weight=weight,
        degrees=of_human.degrees - is_combined,
        topics=of_human.topics + others,
    )
