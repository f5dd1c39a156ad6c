"""The ranges of values, and of differences between runs, over tied scores and unjudged documents.

The data often allow several values: tied scores do not determine the order of documents, and a
judge could have found an unjudged document relevant. The ranges are exact: no order of the ties and
no judgment of the unjudged documents within the cutoff gives a value outside them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ..core.by_topic import bounds_of, mean_over_topics
from ..core.measures.base import GradedMeasure
from ..core.measures.topics import Topics
from ..core.provider import computed
from ..core.registry.facts import defined, sign_of
from ..core.rows.id_matching import equal_pairs
from ..core.uncertainty import evaluated, with_option
from ..core.uncertainty.extremes import differences_of
from ..core.uncertainty.judgments import Undetermined, unjudged_of
from ..errors import NotApplicableError
from ..evaluation.checked import checks_arguments
from ..evaluation.named import Qrels, Run, Runs, Study, measures_for, study_of
from ..evaluation.remarks import issued_together
from ..output.formats import counted, decimal, listed
from ..output.result import Result
from ..output.tables import Column, Note, Table

Interval = tuple[float, float]
"""The lowest and the highest value."""

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
    documents within the cutoff of a run, None without a retrieved document. If a difference is
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

    def record(self) -> dict[str, Any]:
        """The row for programs. A difference stands if its range excludes 0."""
        record = vars(self) | {"measure": str(self.measure)}
        for kind, over in (("ties", "stands_over_ties"), ("unjudged", "stands_over_judgments")):
            ends: Interval | None = getattr(self, kind)
            record[f"{kind}_min"], record[f"{kind}_max"] = ends or (None, None)
            record[over] = None if ends is None or self.other is None else _keep(*ends)
        return record


@dataclass(frozen=True, eq=False, repr=False)
class Ranges(Result):
    """The range of each run's value by each measure, and of each difference between two runs.

    `values` has one `Range` per measure and run, `differences` one per measure and pair of runs.
    """

    measures: tuple[GradedMeasure, ...]
    values: tuple[Range, ...]
    differences: tuple[Range, ...]

    def answer(self) -> list[Note]:
        """How far tied scores and judgments move the value that they move most, and which pairs can
        turn."""
        found = [note for measure in self.measures for note in self._answer(measure)]
        return found or [Note("No ranges are known by {}.", listed(self.measures))]

    def _answer(self, measure: GradedMeasure) -> Iterator[Note]:
        values = [each for each in self.values if each.measure == measure]
        apart = [each for each in self.differences if each.measure == measure]
        for kind, what in (("ties", "Tied scores"), ("unjudged", "Judgments")):
            known = [(each.run, *ends) for each in values if (ends := getattr(each, kind))]
            if not known:
                continue
            run, low, high = max(known, key=lambda each: each[2] - each[1])
            text, names = "{} cannot move {} of any run", [what, measure]
            if low < high:
                text = "{} can move {} of {} between {} and {}"
                names += [run, decimal(low), decimal(high)]
            if spans := [ends for each in apart if (ends := getattr(each, kind))]:
                turn = sum(low < high and not _keep(low, high) for low, high in spans)
                moved = f"{counted(turn, 'pair')} of runs can change {'its' if turn == 1 else 'their'} order"
                text += f"; {moved}" if turn else "; no pair changes its order"
            yield Note(f"{text}.", *names)

    def tables(self) -> list[Table]:
        """One row per measure and run, the best run first, without ranges that no run has."""
        place = {measure: number for number, measure in enumerate(self.measures)}
        order = sorted(
            self.values, key=lambda each: (place[each.measure], -sign_of(each.measure) * each.value)
        )
        records = [each.record() for each in order]
        ends = [name for name in _ENDS if any(record[name] is not None for record in records)]
        columns = ("measure", "run", "value", *ends, "judged")
        return [Table.of(list(map(Column, columns)), records)]

    def data(self) -> Table:
        """One row per measure and run, then one per measure and pair of runs."""
        return Table.of(_COLUMNS, [each.record() for each in (*self.values, *self.differences)])

    def notes(self) -> list[Note]:
        """The meaning of the columns, and a sentence on each measure without some ranges, with the
        reason."""
        found = [Note("judged is the share of judged documents within the cutoff.")]
        for kind, over, all_of in _OVER:
            lacking = [each for each in self.values if getattr(each, kind) is None]
            if len(lacking) < len(self.values):
                found.append(Note(f"{kind}: the range over all {all_of}."))
            reasons = defaultdict(list)
            for each in lacking:
                reason = each.note if kind == "unjudged" else "it is not computed"
                reasons[each.measure, reason].append(each.run)
            for (measure, reason), runs in reasons.items():
                found.append(
                    Note("{} of {} has no range over {}: {}.", measure, listed(runs), over, reason)
                )
        return found


_OVER = (
    ("ties", "ties", "orders of tied documents"),
    ("unjudged", "judgments", "judgments of the unjudged documents within the cutoff"),
)
_ENDS = ("ties_min", "ties_max", "unjudged_min", "unjudged_max")
_COLUMNS = ("measure", "run", "other", "value", *_ENDS, "judged", "stands_over_ties", "stands_over_judgments",
            "exact", "note")  # fmt: skip


@checks_arguments("ranges(qrels, {'mine': run}, ['nDCG@10'])")
def ranges(qrels: Qrels, runs: Runs, measures: Iterable[GradedMeasure | str]) -> Ranges:
    """The ranges of each run's value and of each difference over tied scores and unjudged
    documents.

    `qrels` and `runs` are as for `evaluate`. `measures` are graded measures and standard ones that
    have a definition, without the options `ties` and `unjudged`.

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
    study = study_of(qrels, runs)
    values: list[Range] = []
    differences: list[Range] = []
    with issued_together():
        for measure in wanted:
            found = _Runs(measure, study.runs)
            values += found.ranges()
            differences += found.differences()
    return Ranges(tuple(wanted), tuple(values), tuple(differences))


def differences_by_topic(
    measure: Measure, first: Run, second: Run
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The ranges of `first` − `second` and of `second` in each topic (2 × topics).

    The keys are ``ties`` and ``unjudged``, as far as the ranges are known.
    """
    if not has_ranges(measure):
        return {}
    both = _Runs(_checked(measure), [first, second])
    over_ties, over_judgments = both.apart(1, both.pairs), both.over_judgments(both.pairs)
    found = {"ties": (over_ties[:, 0], both.values[1:3, 1])}
    found["unjudged"] = over_judgments[:, 0], both.values[3:5, 1]
    return {kind: each for kind, each in found.items() if not np.isnan(each[0]).any()}


class Standing(NamedTuple):
    """The ranges of the runs by a measure, the number of `differences` other than 0 between two of
    them, and how many of these certainly keep their sign over ties and over judgments; None if that
    is not known."""

    ranges: tuple[Range, ...]
    differences: int
    over_ties: int | None
    over_judgments: int | None


def standings(study: Study, measures: Iterable[Measure]) -> dict[Measure, Standing]:
    """The ranges by each of the measures that have some, for which most differences need no exact
    bounds."""
    return {
        each: _Runs(_checked(each), study.runs).standing() for each in filter(has_ranges, measures)
    }


def has_ranges(measure: Measure) -> bool:
    """Whether `ranges` takes the measure."""
    try:
        _checked(measure)
    except NotApplicableError:
        return False
    return True


def _checked(given: Measure) -> GradedMeasure:
    measure = defined(given, "ranges over ties and judgments")
    for option in ("ties", "unjudged"):
        if with_option(measure, option, "min") is not None and option in measure.params:
            raise NotApplicableError(
                f"{measure}: leave out {option}, its ranges are computed anyway"
            )
    return measure


def _values(measure: GradedMeasure, topics: Topics) -> tuple[np.ndarray, str]:
    """The values of topics, the lowest and the highest over the orders of ties, and those over all
    judgments (5 × T), NaN if they are not known, and the reason why the last are not."""
    values = np.full((5, topics.count), np.nan)
    values[0] = _evaluated(measure, topics)
    values[1:3], _ = _extremes(measure, topics, "ties")
    values[3:5], reason = _extremes(measure, topics, "unjudged")
    return values, reason


def _extremes(measure: GradedMeasure, topics: Topics, option: str) -> tuple[np.ndarray, str]:
    """The lowest and the highest value of each topic under an option (2 × T), NaN if either is not
    known, and the reason for that."""
    unknown = np.full((2, topics.count), np.nan)
    lowest = with_option(measure, option, "min")
    highest = with_option(measure, option, "max")
    if lowest is None or highest is None:
        # One extreme is no range: the values between it and the unknown one would be left out.
        return unknown, _reason(measure, option, lowest or highest)
    try:
        return np.stack([_evaluated(lowest, topics), _evaluated(highest, topics)]), ""
    except Undetermined as error:
        return unknown, str(error)


def _reason(measure: GradedMeasure, option: str, declared: GradedMeasure | None) -> str:
    """The reason why a measure that declares at most one extreme has no range."""
    if declared is not None:
        return f"the measure declares only {option}={declared[option]}"
    if measure["judged_only"]:
        return "judged_only=True leaves out unjudged documents"
    return measure.NO_UNJUDGED or "it is not computed"


def _evaluated(measure: GradedMeasure, topics: Topics) -> np.ndarray:
    return computed(measure, topics, partial(evaluated, measure))


class _Runs:
    """Some runs by one measure, and the differences of pairs of them. `pairs` are the numbers of
    two runs (P × 2).

    `values` (5 × runs × T) and `notes` are as from `_values`, and `means` (5 × runs) are those over
    the topics. `known` tells of each run whether its range over judgments is known. `ends` are
    those of the differences between these runs, None if they are not known.
    """

    def __init__(self, measure: GradedMeasure, runs: Sequence[Run]):
        self.measure, self.runs = measure, runs
        self.topics = [run.view(measure) for run in runs]
        values, self.notes = zip(*(_values(measure, topics) for topics in self.topics), strict=True)
        self.values = np.stack(values, axis=1)
        self.means = mean_over_topics(self.values)
        self.known = ~np.isnan(self.means[3])
        self.pairs = np.array([*combinations(range(len(runs)), 2)], dtype=np.int64).reshape(-1, 2)
        some = [each for each, known in zip(self.topics, self.known, strict=True) if known]
        self.ends = differences_of(measure, some, partial(_numbers, some)) if some else None

    def ranges(self) -> Iterator[Range]:
        """The ranges of the mean of each run."""
        for run, topics, note, row in zip(
            self.runs, self.topics, self.notes, self.means.T.tolist(), strict=True
        ):
            size = int(topics.retrieved.sum())
            share = topics.run.topic.size / size if size else None
            yield Range(self.measure, run.name, row[0], *_intervals(row[1:]), share, note)

    def differences(self) -> Iterator[Range]:
        """The ranges of the differences of the means, for all pairs."""
        names, means = [run.name for run in self.runs], self.means[0].tolist()
        for pairs in self.parts(self.pairs):
            ends = mean_over_topics(
                np.append(self.apart(1, pairs), self.over_judgments(pairs), axis=0)
            )
            for (a, b), row in zip(pairs.tolist(), ends.T.tolist(), strict=True):
                over = _intervals(row)
                exact = self.ends is not None and over[1] is not None
                yield Range(
                    self.measure, names[a], means[a] - means[b], *over, other=names[b], exact=exact
                )

    def parts(self, pairs: np.ndarray) -> list[np.ndarray]:
        """The pairs, so many at a time that their documents fit into memory."""
        longest = max(int(topics.retrieved.sum()) for topics in self.topics)
        return np.array_split(pairs, len(pairs) * longest // COMPARED + 1)

    def standing(self) -> Standing:
        """The ranges of the runs, and how many of their differences keep their sign."""
        unequal = self.pairs[np.abs(np.diff(self.means[0][self.pairs]))[:, 0] > ROUNDING]
        if not len(unequal):
            return Standing(tuple(self.ranges()), 0, 0, 0)
        kept = np.zeros(2)
        for pairs in self.parts(unequal):
            ends = [self.apart(1, pairs)]
            if self.ends is None or not self.known.all():
                ends.append(self.over_judgments(pairs))
            else:
                # Looser bounds keep the sign, or some judgments change it, of most pairs.
                (low, lowest), (high, highest) = mean_over_topics(self.ends.bracketed(pairs))
                certain = _keep(lowest - ROUNDING, highest + ROUNDING)
                kept[1] += certain.sum()
                open_pairs = pairs[~certain & _keep(low + ROUNDING, high - ROUNDING)]
                if len(open_pairs):
                    ends.append(self.ends.exact(open_pairs))
            for row, found in enumerate(ends):
                means = mean_over_topics(found)
                kept[row] += np.nan if np.isnan(means).any() else _keep(*means).sum()
        counts = (None if np.isnan(number) else int(number) for number in kept.tolist())
        return Standing(tuple(self.ranges()), len(unequal), *counts)

    def apart(self, row: int, pairs: np.ndarray) -> np.ndarray:
        """The ranges of differences whose two sides are independent of each other (2 × P × T), NaN
        if they are not known; `row` is that of the lowest values."""
        one, other = pairs.T
        low, high = self.values[row], self.values[row + 1]
        return np.stack([low[one] - high[other], high[one] - low[other]])

    def over_judgments(self, pairs: np.ndarray) -> np.ndarray:
        """The ranges of differences over all judgments (2 × P × T), NaN if they are not known."""
        if self.ends is None and not self.measure.RECALL_BASE:
            return self.apart(3, pairs)
        # Relevant documents of one run enlarge the recall base of both runs. Its own range ignores
        # this.
        found = np.full((2, len(pairs), self.values.shape[2]), np.nan)
        known = self.known[pairs].all(axis=1)
        if self.ends is not None and known.any():
            found[:, known] = self.ends.exact((np.cumsum(self.known) - 1)[pairs[known]])
        return found


def _numbers(runs: Sequence[Topics]) -> list[np.ndarray]:
    """The numbers of the unjudged documents of each run within the cutoff; equal documents have
    one."""
    columns = []
    for topics in runs:
        unjudged, ranks = unjudged_of(topics), topics.ranks
        position = bounds_of(ranks.retrieved)[unjudged.topic] + unjudged.rank - 1
        columns.append((ranks.documents(position), unjudged.offsets))
    bounds = bounds_of(np.array([offsets[-1] for _, offsets in columns]))
    documents, (lower, higher) = np.arange(bounds[-1]), equal_pairs(*columns)
    # The pairs of one document in several runs follow one another.
    first = np.append(True, lower[1:] != higher[:-1])[: lower.size]
    documents[higher] = lower[first][np.cumsum(first) - 1]
    return np.split(documents, bounds[1:-1])


def _keep(low: Any, high: Any) -> Any:
    """Whether all values between these ends, or between each two of them, have one sign."""
    return (low > ROUNDING) | (high < -ROUNDING)


def _intervals(ends: Sequence[float]) -> tuple[Interval | None, Interval | None]:
    """Two intervals from their ends, None for NaN."""
    ties, unjudged = ((low, high) if low == low else None for low, high in (ends[:2], ends[2:]))
    return ties, unjudged
