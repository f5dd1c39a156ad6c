"""The ranges of values, and of differences between runs, over tied scores and unjudged documents.

The data often allow several values: tied scores do not determine the order of documents, and a
judge could have found an unjudged document relevant. The ranges are exact: no order of the ties and
no judgment of the unjudged documents within the cutoff gives a value outside them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ..core.by_topic import blocks, bounds_of, mean_over_topics
from ..core.measures.base import GradedMeasure
from ..core.measures.topics import Topics
from ..core.provider import computed
from ..core.ranking.stack import stacked
from ..core.registry.facts import ONE, ZERO, defined, sign_of
from ..core.rows.id_matching import equal_pairs
from ..core.uncertainty import evaluated, with_option
from ..core.uncertainty.extremes import differences_of
from ..core.uncertainty.judgments import Undetermined, unjudged_of
from ..core.uncertainty.strategy import Differences
from ..errors import NotApplicableError
from ..evaluation.attributes import By
from ..evaluation.checked import checks_arguments
from ..evaluation.counting import lacks_relevant, weighted_mean
from ..evaluation.level_notes import notes_on_levels, with_gains
from ..evaluation.named import Qrels, Run, Runs, Study, measures_for, study_of
from ..evaluation.order_of_runs import best_first
from ..evaluation.remarks import issued_together
from ..evaluation.weights import counted_by, topics_that_count
from ..output.figures import Figure, Forest, picture
from ..output.formats import Percent, counted, decimals_apart, listed
from ..output.result import Result
from ..output.tables import Column, Note, Table
from ..progress import Progress, steps

Interval = tuple[float, float]
"""The lowest and the highest value."""

VALUE = 0
OVER_TIES = slice(1, 3)
OVER_JUDGMENTS = slice(3, 5)
"""The rows of arrays of values: the value, then the lowest and the highest one of each kind."""
JUDGED = (
    "judged is the share of judged documents within the cutoff, not judged the number of the "
    "others."
)
COMPARED = 1 << 19
"""The differences of about so many documents are bounded at once."""
ROUNDING = 1e-12
"""A difference this small can be a rounding error."""


@dataclass(frozen=True)
class Range:
    """The ranges of the mean `value` of one run by one measure, or of the difference `run` minus
    `other`.

    `ties` is its range over all orders of tied documents, `unjudged` its range over all judgments
    of the documents within the cutoff that the run, or either run, has unjudged. Each is None if it
    is not known; `note` gives the reason for the last one. `judged` is the share of judged
    documents within the cutoff of a run, None without a retrieved document; of so many `documents`,
    `unjudged_documents` are not. If a difference is
    `exact`, a document that both runs retrieved has one level in both. Otherwise the differences
    lie in the range of `unjudged`, but do not fill it.
    """

    measure: GradedMeasure
    run: str
    value: float
    ties: Interval | None
    unjudged: Interval | None
    judged: float | None = None
    note: str = ""
    other: str | None = None
    exact: bool | None = None
    documents: int | None = None
    unjudged_documents: int | None = None

    @property
    def count(self) -> str:
        """The number of unjudged documents within the cutoff, of how many; empty if unknown."""
        if self.documents is None or self.unjudged_documents is None:
            return ""
        return f"{self.unjudged_documents:,} of {self.documents:,}"

    def record(self) -> dict[str, Any]:
        """The row for programs. A difference stands if its range excludes 0."""
        record = vars(self) | {"measure": str(self.measure), "count": self.count}
        for kind, stands in (("ties", "stands_over_ties"), ("unjudged", "stands_over_judgments")):
            ends: Interval | None = getattr(self, kind)
            lowest, highest = ends or (None, None)
            record[f"{kind}_min"] = lowest
            record[f"{kind}_max"] = highest
            record[stands] = None
            if ends is not None and self.other is not None:
                record[stands] = _keep_sign(*ends)
        return record


@dataclass(frozen=True, eq=False, repr=False)
class Ranges(Result):
    """The range of each run's value by each measure, and of each difference between two runs.

    `values` has one `Range` per measure and run, `differences` one per measure and pair of runs.
    `levels` are those of the qrels.
    """

    measures: tuple[GradedMeasure, ...]
    values: tuple[Range, ...]
    differences: tuple[Range, ...]
    levels: tuple[float, ...] = ()

    def answer(self) -> list[Note]:
        """How far tied scores and judgments move the value that they move most, and which pairs can
        turn."""
        notes = [note for measure in self.measures for note in self._answer(measure)]
        return notes or [Note("No ranges are known by {}.", listed(self.measures))]

    def _answer(self, measure: GradedMeasure) -> Iterator[Note]:
        judgments = "Judgments"
        cutoff = measure.params.get("cutoff")
        if cutoff:
            judgments = f"Judgments within rank {cutoff}"
        for kind, cause in (("ties", "Tied scores"), ("unjudged", judgments)):
            of_runs: dict[str, Interval] = _known(self.values, measure, kind)
            if not of_runs:
                continue
            run = max(of_runs, key=lambda name: of_runs[name][1] - of_runs[name][0])
            lowest, highest = of_runs[run]
            text = "{} cannot move {} of any run"
            names = [cause, measure]
            if highest - lowest > ROUNDING:
                text = "{} can move {} of {} between {} and {}"
                names += [run, *decimals_apart(lowest, highest)]
            of_pairs: dict[tuple[str, str], Interval] = _known(self.differences, measure, kind)
            if of_pairs:
                on_pairs, pairs = _pairs_that_turn(of_pairs)
            else:
                on_pairs, pairs = _pairs_that_overlap(of_runs)
            yield Note(f"{text}{on_pairs}.", *names, *pairs)

    def tables(self) -> list[Table]:
        """One row per measure and run, the best run first, without ranges that no run has."""
        records = [row.record() for measure in self.measures for row in self._rows_by(measure)]
        ends = [name for name in _ENDS if any(record[name] is not None for record in records)]
        columns = map(Column, ("measure", "run", "value", *ends))
        judged = [Column("judged", kind=Percent), Column("count", "not judged")]
        return [Table.of([*columns, *judged], records)]

    def data(self) -> Table:
        """One row per measure and run, then one per measure and pair of runs."""
        rows = self.values + self.differences
        return Table.of(_COLUMNS, [row.record() for row in rows])

    def figure(self, *, title: str = "") -> Figure:
        """Draw the value of each run with its ranges, one panel for each measure.

        Needs the extra ``plot``.
        """
        drawings = [self._forest(measure) for measure in self.measures]
        text = (
            "Dot: the value. Thick bar: all orders of tied documents. Thin bar: all judgments of "
            "the unjudged documents within the cutoff. The bars are bounds, not confidence "
            "intervals. Right: the share of judged documents."
        )
        text = with_gains(text, self.measures, self.levels)
        first = " ".join(map(str, self._answer(self.measures[0])))
        return picture(drawings, title or first or self.summary, text, across=2)

    def _rows_by(self, measure: GradedMeasure) -> list[Range]:
        """The runs by a measure, the best one first."""
        rows = [row for row in self.values if row.measure == measure]
        values = np.array([row.value for row in rows])
        order = best_first(sign_of(measure) * values, [row.run for row in rows])
        return [rows[number] for number in order]

    def _forest(self, measure: GradedMeasure) -> Forest:
        """The values by a measure, the best run at the top."""
        rows = self._rows_by(measure)
        unknown = (np.nan, np.nan)
        judgments = np.array([row.unjudged or unknown for row in rows], dtype=float)
        ties = np.array([row.ties or unknown for row in rows], dtype=float)
        shares = []
        for row in rows:
            share = "" if row.judged is None else f"{Percent(row.judged)}"
            shares.append(share)
        names = [row.run for row in rows]
        values = np.array([row.value for row in rows])
        return Forest(
            names,
            values,
            bars=[judgments.T, ties.T],
            label="mean and ranges",
            heading=str(measure),
            texts=shares,
            texts_heading="judged",
        )

    def notes(self) -> list[Note]:
        """The meaning of the columns, and a sentence on each measure without some ranges, with the
        reason."""
        notes = [Note(JUDGED)]
        for kind, over, all_of in _OVER:
            lacking = [row for row in self.values if getattr(row, kind) is None]
            if len(lacking) < len(self.values):
                mean = ""
                if kind == "ties":
                    mean = "; evaluate --ties mean has the mean over the orders"
                notes.append(Note(f"{kind}: the range over all {all_of}{mean}."))
            runs_by_reason = defaultdict(list)
            for row in lacking:
                reason = "it is not computed"
                if kind == "unjudged":
                    reason = row.note
                runs_by_reason[row.measure, reason].append(row.run)
            text = "{} of {} has no range over {}: {}."
            for (measure, reason), runs in runs_by_reason.items():
                notes.append(Note(text, measure, listed(runs), over, reason))
        return notes + notes_on_levels(self.measures, self.levels)


def _known(rows: Iterable[Range], measure: GradedMeasure, kind: str) -> dict[Any, Interval]:
    """The known ranges of a kind by a measure: by run or, of differences, by pair of runs."""
    known_ranges: dict[Any, Interval] = {}
    for row in rows:
        ends: Interval | None = getattr(row, kind)
        if row.measure == measure and ends is not None:
            key = row.run if row.other is None else (row.run, row.other)
            known_ranges[key] = ends
    return known_ranges


def _pairs_that_turn(ranges_of_pairs: dict[tuple[str, str], Interval]) -> tuple[str, list[str]]:
    """How many differences can change their sign, and of which runs, as a text with gaps and what
    fills them."""
    turning = []
    for pair, (lowest, highest) in ranges_of_pairs.items():
        if lowest < highest and not _keep_sign(lowest, highest):
            turning.append(pair)
    if not turning:
        return "; no pair changes its order", []
    whose = "its" if len(turning) == 1 else "their"
    text = f"; {counted(len(turning), 'pair')} of runs can change {whose} order ({{}})"
    return text, [_listed_pairs(turning)]


def _pairs_that_overlap(ranges_of_runs: dict[str, Interval]) -> tuple[str, list[str]]:
    """The same where no range of a difference is known: which ranges of runs overlap."""
    if len(ranges_of_runs) < 2:
        return "", []
    unknown = "; whether pairs of runs can change their order is not known"
    overlapping = []
    for (run, ends), (other, other_ends) in combinations(ranges_of_runs.items(), 2):
        if max(ends[0], other_ends[0]) <= min(ends[1], other_ends[1]):
            overlapping.append((run, other))
    if not overlapping:
        return unknown, []
    verb = "overlaps" if len(overlapping) == 1 else "overlap"
    pairs = counted(len(overlapping), "pair")
    return f"{unknown}: the ranges of {pairs} {verb} ({{}})", [_listed_pairs(overlapping)]


def _listed_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """The first pairs of runs by their names."""
    return listed(f"{run} against {other}" for run, other in pairs)


_OVER = (
    ("ties", "ties", "orders of tied documents"),
    ("unjudged", "judgments", "judgments of the unjudged documents within the cutoff"),
)
_ENDS = ("ties_min", "ties_max", "unjudged_min", "unjudged_max")
_COLUMNS = (
    "measure", "run", "other", "value", "ties_min", "ties_max", "unjudged_min", "unjudged_max",
    "judged", "stands_over_ties", "stands_over_judgments", "exact", "note", "documents",
    "unjudged_documents",
)  # fmt: skip


@checks_arguments("ranges(qrels, {'mine': run}, ['nDCG@10'])")
def ranges(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[GradedMeasure | str],
    *,
    no_relevant: str = ZERO,
    weights: By = None,
    progress: Progress = False,
) -> Ranges:
    """The ranges of each run's value and of each difference over tied scores and unjudged
    documents.

    `qrels`, `runs`, `no_relevant` and `weights` are as for `evaluate`; the judgments of the qrels
    alone tell which topics have a relevant document. `measures` are graded measures and standard
    ones that have a definition, without the options `ties` and `unjudged`.

    `progress` is as for `evaluate`.

    >>> qrels = {"q": {"a": 3, "b": 1, "c": 0}}
    >>> runs = {"A": {"q": {"a": 3.0, "x": 2.0, "y": 1.0}}, "B": {"q": {"x": 1.0, "y": 1.0}}}
    >>> found = ranges(qrels, runs, ["nDCG_JK@2"])
    >>> [each.unjudged for each in found.values]
    [(0.75, 1.0), (0.0, 1.0)]
    >>> found.differences[0].unjudged  # the level of x counts for both runs
    (0.0, 0.75)

    Raises `GradedError` for a measure without a definition, such as Bpref, or with one of these
    options.
    """
    wanted = [_checked(measure) for measure in measures_for(qrels, measures)]
    study = study_of(counted_by(qrels, no_relevant, weights), runs, wanted)
    study.judgments.counting.check(wanted)
    values: list[Range] = []
    differences: list[Range] = []
    with issued_together():
        for bounded in _bounded(wanted, study.runs):
            values += bounded.ranges()
            differences += bounded.differences()
    return Ranges(tuple(wanted), tuple(values), tuple(differences), study.judgments.levels)


def differences_by_topic(
    measure: Measure, first: Run, second: Run
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The ranges of `first` − `second` and of `second` in each topic (2 × topics).

    The keys are ``ties`` and ``unjudged``, as far as the ranges are known.
    """
    if not has_ranges(measure):
        return {}
    (both,) = _bounded([_checked(measure)], [first, second])
    differences = {
        "ties": both.independent_differences(OVER_TIES, both.pairs),
        "unjudged": both.differences_over_judgments(both.pairs),
    }
    rows = {"ties": OVER_TIES, "unjudged": OVER_JUDGMENTS}
    by_kind = {}
    for kind, ends in differences.items():
        of_pair = ends[:, 0]
        of_second = both.values[rows[kind], 1]
        if not np.isnan(of_pair).any():
            by_kind[kind] = (of_pair, of_second)
    return by_kind


def differences_over_judgments(measure: Measure, first: Run, second: Run) -> np.ndarray | None:
    """The range of `first` − `second` over all judgments in each topic (2 × T); None if it is not
    known."""
    if not has_ranges(measure):
        return None
    (both,) = _bounded([_checked(measure)], [first, second], over_ties=False)
    ends = both.differences_over_judgments(both.pairs)[:, 0]
    return None if np.isnan(ends).any() else ends


def values_over_ties(measure: Measure, run: Run) -> np.ndarray | None:
    """The lowest and the highest value of each topic over all orders of tied documents (2 × T);
    None if these are not known.

    All topics count alike, with the values that the measure defines.
    """
    if not has_ranges(measure):
        return None
    definition = _checked(measure)
    ends, _ = _extremes(definition, run.view(definition), "ties", is_stack=False)
    _release([run])
    return None if np.isnan(ends).any() else ends


class Standing(NamedTuple):
    """The ranges of the runs by a measure, and how many differences between them stand.

    `differences` is the number of pairs that differ. `over_ties` and `over_judgments` of them
    certainly keep their sign; None if that is not known.
    """

    ranges: tuple[Range, ...]
    differences: int
    over_ties: int | None
    over_judgments: int | None


def standings(study: Study, measures: Iterable[Measure]) -> dict[Measure, Standing]:
    """The standing of the differences by each measure that has ranges.

    Most differences need no exact bounds.
    """
    having_ranges = list(filter(has_ranges, measures))
    definitions = list(map(_checked, having_ranges))
    by_measure = {}
    for measure, bounded in zip(having_ranges, _bounded(definitions, study.runs), strict=True):
        by_measure[measure] = bounded.standing()
    return by_measure


def has_ranges(measure: Measure) -> bool:
    """Whether `ranges` takes the measure."""
    try:
        _checked(measure)
    except NotApplicableError:
        return False
    return True


def _checked(measure: Measure) -> GradedMeasure:
    """The measure with its definition. Raises `NotApplicableError` if it sets one extreme."""
    measure = defined(measure, "ranges over ties and judgments")
    for option in ("ties", "unjudged"):
        if option in measure.params and with_option(measure, option, "min") is not None:
            raise NotApplicableError(
                f"{measure}: leave out {option}, its ranges are computed anyway"
            )
    return measure


def _bounded(
    measures: Sequence[GradedMeasure], runs: Sequence[Run], over_ties: bool = True
) -> list[_BoundedRuns]:
    """The runs by each measure with their bounds; those `over_ties` only if they are asked for.

    All measures see a run before the next one: its arrays in rank order, which take several times
    the memory of the run, are then computed once and kept no longer.
    """
    by_measure = [_BoundedRuns(measure, runs, over_ties) for measure in measures]
    for numbers in steps(_in_stacks(runs), "ranges"):
        for bounded in by_measure:
            bounded.add(numbers)
        for bounded in by_measure:
            _release(bounded.runs[numbers])
    return by_measure


def _in_stacks(runs: Sequence[Run]) -> list[slice]:
    """The runs in parts. The runs of a part are so short that one call for all of them saves
    time.
    """
    ranks = [run.ranks for run in steps(runs, "runs")]
    sizes = [of_run.scores.size + of_run.judged.level.size for of_run in ranks]
    return [slice(first, stop) for first, stop in blocks(np.array(sizes))]


def _release(runs: Iterable[Run]) -> None:
    """Forget what measures share of these runs."""
    for run in runs:
        run.ranks.release()


def _values_of_runs(
    measure: GradedMeasure, runs: Sequence[Topics], over_ties: bool
) -> tuple[np.ndarray, list[str]]:
    """The values of some runs as from `_values` (5 × runs × T), and the reason for each run."""
    # `view` would order the tied documents of a measure that ascends a second time.
    if len(runs) > 1 and not measure.ascends:
        stack = measure.view(stacked([topics.ranks.whole for topics in runs]))
        # The judgments of all runs can be too much work, while those of each run are not.
        with suppress(Undetermined):
            values, reason = _values(measure, stack, over_ties, is_stack=True)
            return values.reshape(len(values), len(runs), -1), [reason] * len(runs)
    values_of_runs = []
    reasons = []
    for topics in runs:
        values, reason = _values(measure, topics, over_ties)
        values_of_runs.append(values)
        reasons.append(reason)
    return np.stack(values_of_runs, axis=1), reasons


def _values(
    measure: GradedMeasure, topics: Topics, over_ties: bool, is_stack: bool = False
) -> tuple[np.ndarray, str]:
    """The values of topics and their extremes (5 × T), NaN if they are not known, and for those
    over ties unless they are asked for.

    Also the reason why those over judgments are not known. Raises `Undetermined` for a stack of
    runs whose values are not determined together.
    """
    values = np.full((5, topics.count), np.nan)
    values[VALUE] = _evaluated(measure, topics)
    if over_ties:
        values[OVER_TIES], _ = _extremes(measure, topics, "ties", is_stack)
    values[OVER_JUDGMENTS], reason = _extremes(measure, topics, "unjudged", is_stack)
    return values, reason


def _extremes(
    measure: GradedMeasure, topics: Topics, option: str, is_stack: bool
) -> tuple[np.ndarray, str]:
    """The lowest and the highest value of each topic under an option (2 × T), NaN if either is not
    known, and the reason for that. Raises `Undetermined` as `_values`."""
    unknown = np.full((2, topics.count), np.nan)
    lowest = with_option(measure, option, "min")
    highest = with_option(measure, option, "max")
    if lowest is None or highest is None:
        # One extreme is no range: the values between it and the unknown one would be left out.
        return unknown, _reason(measure, option, lowest or highest)
    try:
        ends = [_evaluated(lowest, topics), _evaluated(highest, topics)]
    except Undetermined as error:
        if is_stack:
            raise
        return unknown, str(error)
    return np.stack(ends), ""


def _reason(measure: GradedMeasure, option: str, declared: GradedMeasure | None) -> str:
    """The reason why a measure that declares at most one extreme has no range."""
    if declared is not None:
        return f"the measure declares only {option}={declared[option]}"
    if measure["judged_only"]:
        return "judged_only=True leaves out unjudged documents"
    return measure.NO_UNJUDGED or "it is not computed"


def _evaluated(measure: GradedMeasure, topics: Topics) -> np.ndarray:
    return computed(measure, topics, partial(evaluated, measure))


class _BoundedRuns:
    """Some runs by one measure with their bounds, and the differences of pairs of them.

    - `values` (5 × runs × T) and `notes` are as from `_values`, for all runs that were added;
      `means` (5 × runs) are those over the topics that count
    - `retrieved` and `judged` (runs): the number of documents within the cutoff
    - `has_judgments` (runs): whether the range of a run over judgments is known
    - `pairs`: the numbers of two runs (P × 2)
    - `position` (runs): the number of a run among those whose range over judgments is known
    """

    def __init__(self, measure: GradedMeasure, runs: Sequence[Run], over_ties: bool = True):
        self.measure = measure
        self.over_ties = over_ties
        judgments = runs[0].judgments
        counting = judgments.counting
        if not counting.is_plain:
            numbers = topics_that_count(measure, judgments).tolist()
            names = [judgments.topics[number] for number in numbers]
            runs = Study(judgments, tuple(runs)).part(names).runs
            judgments = runs[0].judgments
        self.weights = counting.weights_of(judgments.topics)
        self.counts_one = np.zeros(len(judgments.topics), dtype=bool)
        if counting.no_relevant == ONE:
            self.counts_one = lacks_relevant(measure, judgments.documents)
        self.runs = runs
        self.values = np.empty((5, len(runs), len(judgments.topics)))
        self.notes = [""] * len(runs)
        self.retrieved = np.zeros(len(runs), dtype=np.int64)
        self.judged = np.zeros(len(runs), dtype=np.int64)
        pairs = list(combinations(range(len(runs)), 2))
        self.pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def add(self, numbers: slice) -> None:
        """Compute the values of the runs with these numbers."""
        runs = self.runs[numbers]
        topics_of_runs = [run.view(self.measure) for run in runs]
        values, self.notes[numbers] = _values_of_runs(self.measure, topics_of_runs, self.over_ties)
        values[np.isfinite(values) & self.counts_one] = 1
        self.values[:, numbers] = values
        self.retrieved[numbers] = [topics.retrieved.sum() for topics in topics_of_runs]
        self.judged[numbers] = [topics.run.topic.size for topics in topics_of_runs]

    @cached_property
    def means(self) -> np.ndarray:
        return self.mean(self.values)

    @cached_property
    def has_judgments(self) -> np.ndarray:
        return ~np.isnan(self.means[OVER_JUDGMENTS][0])

    @cached_property
    def position(self) -> np.ndarray:
        return np.cumsum(self.has_judgments) - 1

    @cached_property
    def bounds(self) -> Differences | None:
        """The bounds of differences over judgments between the runs with such a range, None if
        they are not known.
        """
        runs = [self.runs[number] for number in np.flatnonzero(self.has_judgments).tolist()]
        if not runs:
            return None
        bounded = [run.view(self.measure) for run in runs]
        bounds = differences_of(self.measure, bounded, partial(_documents, bounded))
        _release(runs)
        return bounds

    def mean(self, values: np.ndarray) -> np.ndarray:
        """The mean over the topics, the last axis."""
        if self.weights is None:
            return mean_over_topics(values)
        return weighted_mean(values, self.weights)

    def _without_ones(self, differences: np.ndarray) -> np.ndarray:
        """Differences (… × T), 0 in topics where the value of all runs is 1."""
        return np.where(self.counts_one, 0.0, differences)

    def _number_kept(self, lowest: np.ndarray) -> int | None:
        """How many differences stay above 0 in the mean; None if one is not known.

        `lowest` (P × T) are the lowest differences of pairs whose first run has the larger mean.
        """
        means = self.mean(lowest)
        if np.isnan(means).any():
            return None
        return int(np.count_nonzero(means > ROUNDING))

    def ranges(self) -> Iterator[Range]:
        """The ranges of the mean of each run."""
        for number, run in enumerate(self.runs):
            judged = None
            documents = int(self.retrieved[number])
            unjudged_documents = documents - int(self.judged[number])
            if documents:
                judged = float(self.judged[number] / documents)
            value, *ends = self.means[:, number].tolist()
            ties, unjudged = _intervals(ends)
            note = self.notes[number]
            yield Range(
                self.measure,
                run.name,
                value,
                ties,
                unjudged,
                judged,
                note,
                documents=documents,
                unjudged_documents=unjudged_documents,
            )

    def differences(self) -> Iterator[Range]:
        """The ranges of the differences of the means, for all pairs."""
        names = [run.name for run in self.runs]
        means = self.means[VALUE].tolist()
        for pairs in steps(self.in_parts(self.pairs), f"pairs by {self.measure}"):
            over_ties = self.independent_differences(OVER_TIES, pairs)
            over_judgments = self.differences_over_judgments(pairs)
            ends = self.mean(np.concatenate([over_ties, over_judgments]))
            for (run, other), ends_of_pair in zip(pairs.tolist(), ends.T.tolist(), strict=True):
                ties, unjudged = _intervals(ends_of_pair)
                difference = means[run] - means[other]
                is_exact = self.bounds is not None and unjudged is not None
                yield Range(
                    self.measure,
                    names[run],
                    difference,
                    ties,
                    unjudged,
                    other=names[other],
                    exact=is_exact,
                )

    def in_parts(self, pairs: np.ndarray) -> list[np.ndarray]:
        """The pairs, so many at a time that their documents fit into memory."""
        longest = int(self.retrieved.max())
        count = len(pairs) * longest // COMPARED + 1
        return np.array_split(pairs, count)

    def standing(self) -> Standing:
        """The ranges of the runs, and how many of their differences keep their sign."""
        values = self.means[VALUE]
        first, second = self.pairs.T
        is_unequal = np.abs(values[second] - values[first]) > ROUNDING
        # A difference above 0 keeps its sign if the lowest one is above 0.
        is_ordered = values[first] > values[second]
        larger_first = np.where(is_ordered[:, None], self.pairs, self.pairs[:, ::-1])
        unequal = larger_first[is_unequal]
        over_ties: list[int | None] = []
        over_judgments: list[int | None] = []
        if len(unequal):
            for pairs in steps(self.in_parts(unequal), f"pairs by {self.measure}"):
                lowest, _ = self.independent_differences(OVER_TIES, pairs)
                over_ties.append(self._number_kept(lowest))
                over_judgments.append(self.kept_over_judgments(pairs))
        return Standing(tuple(self.ranges()), len(unequal), _sum(over_ties), _sum(over_judgments))

    def kept_over_judgments(self, pairs: np.ndarray) -> int | None:
        """How many differences of pairs, whose first run has the larger mean, stay above 0 over all
        judgments; None if it is not known.
        """
        if self.bounds is None or not self.has_judgments.all():
            lowest, _ = self.differences_over_judgments(pairs)
            return self._number_kept(lowest)
        # Looser bounds show it, or some judgments refute it, of most pairs.
        reached, bound = self.mean(self._without_ones(self.bounds.lowest_bracketed(pairs)))
        is_certain = bound > 2 * ROUNDING
        may_keep = reached > 0
        number = int(is_certain.sum())
        open_pairs = pairs[~is_certain & may_keep]
        if not len(open_pairs):
            return number
        lowest, _ = self._without_ones(self.bounds.exact(open_pairs))
        number_open = self._number_kept(lowest)
        return None if number_open is None else number + number_open

    def independent_differences(self, rows: slice, pairs: np.ndarray) -> np.ndarray:
        """The ranges of differences whose two sides are independent of each other (2 × P × T), NaN
        if they are not known."""
        first, second = pairs.T
        low, high = self.values[rows]
        return np.stack([low[first] - high[second], high[first] - low[second]])

    def differences_over_judgments(self, pairs: np.ndarray) -> np.ndarray:
        """The ranges of differences over all judgments (2 × P × T), NaN if they are not known."""
        if self.bounds is None and not self.measure.RECALL_BASE:
            return self.independent_differences(OVER_JUDGMENTS, pairs)
        # Relevant documents of one run enlarge the recall base of both runs. Its own range ignores
        # this.
        topics = self.values.shape[2]
        ends = np.full((2, len(pairs), topics), np.nan)
        is_known = self.has_judgments[pairs].all(axis=1)
        if self.bounds is not None and is_known.any():
            exact = self.bounds.exact(self.position[pairs[is_known]])
            ends[:, is_known] = self._without_ones(exact)
        return ends


def _documents(runs: Sequence[Topics]) -> list[np.ndarray]:
    """The numbers of the unjudged documents of each run within the cutoff; equal documents have
    one."""
    columns = []
    for topics in runs:
        unjudged = unjudged_of(topics)
        ranks = topics.ranks
        position = bounds_of(ranks.retrieved)[unjudged.topic] + unjudged.rank - 1
        columns.append((ranks.documents(position), unjudged.offsets))
    counts = np.array([offsets[-1] for _, offsets in columns])
    bounds = bounds_of(counts)
    documents = np.arange(bounds[-1])
    first, second = equal_pairs(*columns)
    # The pairs of one document in several runs follow one another.
    is_new = np.append(True, first[1:] != second[:-1])[: first.size]
    number_of_new = np.cumsum(is_new) - 1
    documents[second] = first[is_new][number_of_new]
    return np.split(documents, bounds[1:-1])


def _keep_sign(low: Any, high: Any) -> Any:
    """Whether all values between these ends, or between each two of them, have one sign."""
    return (low > ROUNDING) | (high < -ROUNDING)


def _sum(numbers: Sequence[int | None]) -> int | None:
    """The sum, None if one of the numbers is not known."""
    total = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return total


def _intervals(ends: Sequence[float]) -> tuple[Interval | None, Interval | None]:
    """The intervals over ties and over judgments from their ends, None for NaN."""
    return _interval(*ends[:2]), _interval(*ends[2:])


def _interval(low: float, high: float) -> Interval | None:
    """The interval, None if its ends are NaN."""
    return None if np.isnan(low) else (low, high)
