"""The ranges of values, and of differences between runs, over tied scores and unjudged documents.

The data often allow several values: tied scores do not determine the order of documents, and a judge
could have found an unjudged document relevant. The ranges are exact: no order of the ties and no judgment of
the unjudged documents within the cutoff gives a value outside them.

The likely range is the one of Fröbe, Gienapp, Potthast & Hagen (Bootstrapped nDCG estimation in the presence
of unjudged documents, ECIR 2023): unjudged documents get levels that the run's judged documents have at
similar ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.by_topic import bounds_of, mean_over_topics, positions
from ..core.measures.base import GradedMeasure
from ..core.measures.topics import GainList, Topics
from ..core.provider import computed
from ..core.registry.facts import defined, sign_of
from ..core.rows.id_matching import Column, equal_pairs
from ..core.uncertainty import evaluated, with_option
from ..core.uncertainty.extremes import differences as extreme_differences
from ..core.uncertainty.judgments import Undetermined, filled, unjudged_of
from ..errors import NotApplicableError
from ..evaluation.calls import called_right
from ..evaluation.evaluate import tracked
from ..evaluation.named import Qrels, Run, Runs, measures_for, study_of
from ..evaluation.remarks import warned_together
from ..output import plots
from ..output.formats import counted, decimal, listed
from ..output.result import Result
from ..output.tables import Column as Headed
from ..output.tables import Note, Table
from .statistics.options import refuse_large, whole_number

Interval = tuple[float, float]
"""The lowest and the highest value."""

DRAWS = 500
LIKELY = 0.95
BINS = (3, 10, 30, 100, 300, 1000)
"""The last ranks of the bins: judged documents of a bin stand for its unjudged documents."""
FEW = 30
"""A run with fewer judged documents at similar ranks takes the levels of all runs there."""
DRAWN, EVALUATED = 1 << 20, 1 << 17
"""About so many levels are drawn, and so many documents evaluated at once, which is fastest."""
COMPARED = 1 << 19
"""The differences of about so many documents are bounded at once."""
ALL_RELEVANT = "no document without relevance is judged, so every draw would be relevant"
ROUNDING = 1e-12
"""A difference this small can be a rounding error."""


@dataclass(frozen=True)
class Range:
    """The ranges of the mean `value` of one run by one measure.

    `ties` is its range over all orders of tied documents, `unjudged` its range over all judgments of the
    unjudged documents within the cutoff, `likely` the range of most random judgments of them. Each is None
    if the measure does not offer it; `note` gives any other reason. `judged` is the share of
    judged documents within the cutoff, None without a retrieved document.
    """

    measure: GradedMeasure
    run: str
    value: float
    ties: Interval | None
    unjudged: Interval | None
    likely: Interval | None
    judged: float | None
    note: str = ""


@dataclass(frozen=True)
class Difference:
    """The ranges of the difference `run` minus `other` of two mean values by one measure.

    `ties` and `unjudged` are as for `Range`, over the documents that either run has unjudged. If `exact`, a
    document that both retrieved has one level in both. Otherwise the differences lie in the range of
    `unjudged`, but do not fill it.
    """

    measure: GradedMeasure
    run: str
    other: str
    value: float
    ties: Interval | None
    unjudged: Interval | None
    exact: bool

    @property
    def stands_over_ties(self) -> bool | None:
        """Whether the difference has one sign in all orders of tied documents."""
        return _excludes_zero(self.ties)

    @property
    def stands_over_judgments(self) -> bool | None:
        """Whether the difference has one sign under all judgments of the unjudged documents."""
        return _excludes_zero(self.unjudged)


def _excludes_zero(interval: Interval | None) -> bool | None:
    return None if interval is None else interval[0] > ROUNDING or interval[1] < -ROUNDING


@dataclass(frozen=True, eq=False, repr=False)
class Ranges(Result):
    """The range of each run's value by each measure, and of each difference between two runs.

    `values` has one `Range` per measure and run, `differences` one `Difference` per measure and pair of runs.
    """

    runs: tuple[str, ...]
    measures: tuple[GradedMeasure, ...]
    topics: int
    values: tuple[Range, ...]
    differences: tuple[Difference, ...]

    def answer(self) -> list[Note]:
        """How far tied scores and judgments move the value that they move most, and which pairs can turn."""
        return [note for measure in self.measures for note in self._answer(measure)]

    def _answer(self, measure: GradedMeasure) -> Iterator[Note]:
        values = [each for each in self.values if each.measure == measure]
        apart = [each for each in self.differences if each.measure == measure]
        kinds = (
            ("ties", "Tied scores", "stands_over_ties"),
            ("unjudged", "Judgments", "stands_over_judgments"),
        )
        for kind, what, stands in kinds:
            known = [(each.run, *ends) for each in values if (ends := getattr(each, kind))]
            if not known:
                continue
            run, low, high = max(known, key=lambda each: each[2] - each[1])
            text, names = "{} cannot move {} of any run", [what, measure]
            if low < high:
                text, names = (
                    "{} can move {} of {} between {} and {}",
                    [what, measure, run, decimal(low), decimal(high)],
                )
            if signs := [each for each in apart if getattr(each, stands) is not None]:
                turns = ((getattr(each, kind), getattr(each, stands)) for each in signs)
                turn = sum(not keeps and ends[0] < ends[1] for ends, keeps in turns)
                moved = f"{counted(turn, 'pair')} of runs can change {'its' if turn == 1 else 'their'} order"
                text += f"; {moved}" if turn else "; no pair changes its order"
            yield Note(f"{text}.", *names)

    @property
    def summary(self) -> str:
        """The first sentence of the answer."""
        return str(next(iter(self.answer()), f"{listed(self.measures)} have no ranges."))

    def _best_first(self, measures: Iterable[GradedMeasure]) -> Iterator[list[Range]]:
        """The ranges of the runs by each measure, the best run first."""
        for measure in measures:
            found = [each for each in self.values if each.measure == measure]
            yield sorted(found, key=lambda each: -sign_of(measure) * each.value)

    def tables(self) -> list[Table]:
        """One row per measure and run, the best run first, without ranges that no run has."""
        records = [_record(each) for found in self._best_first(self.measures) for each in found]
        ends = [name for name in _ENDS if any(record[name] is not None for record in records)]
        columns = ("measure", "run", "value", *ends, "judged")
        return [Table.of(list(map(Headed, columns)), records)]

    def data(self) -> Table:
        """One row per measure and run, then one per measure and pair of runs."""
        return Table.of(_COLUMNS, [*map(_record, self.values), *map(_record, self.differences)])

    def table_of_differences(self) -> Table:
        """One row per measure, with the numbers of differences that stand."""
        columns = ("measure", "differences", "stand over ties", "stand over judgments", "exact")
        rows: list[list[Any]] = []
        for measure in self.measures:
            of = [found for found in self.differences if found.measure == measure]
            both = ([found.stands_over_ties for found in of], [found.stands_over_judgments for found in of])
            stand = [None if None in each else each.count(True) for each in both]
            exact = None if stand[1] is None else all(found.exact for found in of)
            rows.append([str(measure), len(of), *stand, exact])
        return Table(columns, rows)

    def notes(self) -> list[Note]:
        """The meaning of the columns, and a sentence on each measure without some ranges, with the reason."""
        text = "The ranges are over all orders of tied documents (ties) and all judgments of the unjudged "
        text += "documents within the cutoff (unjudged); judged is the share of judged documents there."
        found = [Note(text)]
        if any(each.likely for each in self.values):
            found.append(Note("The likely range holds {:g} % of random judgments.", 100 * LIKELY))
        for measure in self.measures:
            of = [each for each in self.values if each.measure == measure]
            reasons = dict.fromkeys((each.note, each.unjudged is None) for each in of if each.note)
            for reason, all_judgments in reasons:
                runs = listed(each.run for each in of if each.note == reason)
                kind = "range over judgments" if all_judgments else "likely range"
                found.append(Note("{} of {} has no {}: {}.", measure, runs, kind, reason))
        return found

    def figure(self) -> plots.Figure:
        """Draw the value of each run with its ranges, one panel per measure. Needs the extra ``plot``."""
        shape = len(self.measures), len(self.runs)
        values = np.array([found.value for found in self.values]).reshape(shape).T
        spans = []
        for kind, style in _STYLES.items():
            ends = [getattr(found, kind) or (np.nan, np.nan) for found in self.values]
            spans.append((np.array(ends).reshape(*shape, 2).T, style))
        signs, label = list(map(sign_of, self.measures)), f"Mean over {counted(self.topics, 'topic')}"
        return plots.dot_plot(self.runs, list(map(str, self.measures)), values, signs, label, spans=spans)


_STYLES: dict[str, dict[str, Any]] = {
    "unjudged": {"color": plots.COLOURS[4], "linewidth": 2, "label": "any judgments"},
    "likely": {"color": plots.COLOURS[0], "linewidth": 6, "alpha": 0.6, "label": "likely judgments"},
    "ties": {"color": plots.COLOURS[1], "linewidth": 3, "label": "orders of ties"},
}


_KINDS = ("ties", "likely", "unjudged")
_ENDS = [f"{kind}_{end}" for kind in _KINDS for end in ("min", "max")]
_STANDS = ("stands_over_ties", "stands_over_judgments", "exact")
_COLUMNS = ("measure", "run", "other", "value", *_ENDS, "judged", *_STANDS, "note")


def _record(found: Range | Difference) -> dict[str, Any]:
    """The fields of a range or of a difference, None for those of the other."""
    ends = (end for kind in _KINDS for end in getattr(found, kind, None) or (None, None))
    record = {name: getattr(found, name, None) for name in _COLUMNS} | dict(zip(_ENDS, ends))
    return record | {"measure": str(found.measure), "note": record["note"] or ""}


@called_right
def ranges(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[GradedMeasure | str],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    unjudged: bool = True,
    progress: bool = False,
) -> Ranges:
    """The ranges of each run's value and of each difference over tied scores and unjudged documents.

    `qrels` and `runs` are as for `evaluate`. `measures` are graded measures and standard ones that have a
    definition, without the options `ties` and `unjudged`. The likely range holds 95 % of `draws` (≥ 0) random
    judgments, which depend on `seed` (≥ 0) alone; without draws there is none. With `unjudged=False` there
    are only ranges over ties; some measures must try many judgments of a long list. `progress` shows a bar
    on stderr (extra ``progress``).

    >>> qrels = {"q": {"a": 3, "b": 1, "c": 0}}
    >>> runs = {"A": {"q": {"a": 3.0, "x": 2.0, "y": 1.0}}, "B": {"q": {"x": 1.0, "y": 1.0}}}
    >>> found = ranges(qrels, runs, ["nDCG_JK@2"])
    >>> [each.unjudged for each in found.values]
    [(0.75, 1.0), (0.0, 1.0)]
    >>> found.differences[0].unjudged  # the level of x counts for both runs
    (0.0, 0.75)

    Raises `GradedError` for a measure without a definition, such as Bpref, or with one of these options.
    """
    wanted = [_checked(measure) for measure in measures_for(qrels, measures)]
    draws, seed = whole_number(draws, "draws", 0), whole_number(seed, "seed", 0)
    refuse_large("draws", draws, 8 * draws, "their means")
    study = study_of(qrels, runs)
    with warned_together():
        for run in tracked(study.runs, "run", progress):
            _ = run.ranks
    values: list[Range] = []
    differences: list[Difference] = []
    for measure in tracked(wanted, "measure", progress):
        of_runs = [_OfRun(measure, run, unjudged) for run in study.runs]
        for number, (one, pools) in enumerate(zip(of_runs, _pools(of_runs))):
            values.append(one.range(pools, draws, np.random.default_rng([seed, number])))
        differences += _Pairs(of_runs).differences()
    names, topics = tuple(run.name for run in study.runs), len(study.judgments.topics)
    return Ranges(names, tuple(wanted), topics, tuple(values), tuple(differences))


def differences_by_topic(
    measure: Measure, first: Run, second: Run
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The ranges of `first` − `second` and of `second` in each topic (2 × topics).

    The keys are ``ties`` and ``unjudged``, as far as the ranges are known.
    """
    if not has_ranges(measure):
        return {}
    known = _checked(measure)
    one, other = _OfRun(known, first), _OfRun(known, second)
    pairs, both = np.array([[0, 1]]), _Pairs([one, other])
    over = {"ties": both.apart("ties", pairs)[:, 0], "unjudged": both.over_judgments(pairs)[:, 0]}
    return {kind: (ends, getattr(other, kind)) for kind, ends in over.items() if not np.isnan(ends).any()}


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
            raise NotApplicableError(f"{measure}: leave out {option}, its ranges are computed anyway")
    return measure


class _OfRun:
    """One run by one measure: the `value` of each topic (T), and its lowest and highest value (2 × T) over
    the orders of `ties` and over the judgments of `unjudged` documents, None if not known."""

    def __init__(self, measure: GradedMeasure, run: Run, judgments: bool = True):
        self.measure, self.run, self.topics = measure, run, run.view(measure)
        self.value = self._evaluated(self.topics)
        self.ties, _ = self._extremes("ties")
        self.unjudged, self.note = self._extremes("unjudged") if judgments else (None, "")

    def _evaluated(self, topics: Topics, measure: GradedMeasure | None = None) -> np.ndarray:
        measure = measure or self.measure
        return computed(measure, topics, partial(evaluated, measure))

    def _extremes(self, option: str) -> tuple[np.ndarray | None, str]:
        """The lowest and the highest value of each topic; None, with a reason, if not known."""
        both = [with_option(self.measure, option, word) for word in ("min", "max")]
        if None in both:
            return None, self.measure.NO_UNJUDGED if option == "unjudged" else ""
        try:
            return np.stack([self._evaluated(self.topics, measure) for measure in both]), ""
        except Undetermined as error:
            return None, str(error)

    @cached_property
    def documents(self) -> Column:
        """The unjudged documents within the cutoff, topic by topic."""
        unjudged, ranks = unjudged_of(self.topics), self.topics.ranks
        position = bounds_of(ranks.retrieved)[unjudged.topic] + unjudged.rank - 1
        return ranks.documents(position), unjudged.offsets

    def range(self, pools: list[np.ndarray], draws: int, random: np.random.Generator) -> Range:
        """The ranges of the mean. Levels of unjudged documents are drawn from the `pools`."""
        likely, note = None, self.note
        if self.unjudged is not None and draws and not self.topics.ranks.judged.level.min(initial=1) < 1:
            note = ALL_RELEVANT
        elif self.unjudged is not None and draws:
            means = self._drawn_means(pools, draws, random)
            likely = _interval(np.quantile(means, [(1 - LIKELY) / 2, (1 + LIKELY) / 2]))
        value, listed = float(mean_over_topics(self.value)), int(self.topics.retrieved.sum())
        share = self.topics.run.topic.size / listed if listed else None
        over = _means(self.ties), _means(self.unjudged), likely
        return Range(self.measure, self.run.name, value, *over, share, note)

    def _drawn_means(self, pools: list[np.ndarray], draws: int, random: np.random.Generator) -> np.ndarray:
        """The means under random judgments. Only topics with unjudged documents are evaluated."""
        topics, unjudged = self.topics, unjudged_of(self.topics)
        plain = filled(topics, np.arange(topics.count), np.empty((topics.count, 0)))
        values = np.tile(self._evaluated(plain), (draws, 1))
        some, width = np.flatnonzero(unjudged.sizes), int(unjudged.sizes.max(initial=0))
        if not some.size:
            return mean_over_topics(values[:1])
        cell = np.searchsorted(some, unjudged.topic), positions(unjudged.sizes)
        entries = int(topics.retrieved[some].sum())
        batch = max(1, DRAWN // max(1, topics.ranks.judged.offsets[-1] + unjudged.topic.size))
        drawn, done = np.empty((0, unjudged.topic.size)), 0
        while done < draws:
            while len(drawn) < min(draws - done, EVALUATED // max(1, entries)) or not len(drawn):
                wanted = min(batch, draws - done - len(drawn))
                drawn = np.append(drawn, _drawn(pools, unjudged, wanted, random), axis=0)
            for part in np.array_split(drawn, len(drawn) * entries // (2 * EVALUATED) + 1):
                given = np.zeros((len(part), some.size, width))
                given[:, cell[0], cell[1]] = part
                copies = filled(topics, np.tile(some, len(part)), given.reshape(-1, width))
                found = self._evaluated(copies).reshape(len(part), some.size)
                values[np.ix_(np.arange(done, done + len(part)), some)] = found
                done += len(part)
            drawn = drawn[:0]
        return mean_over_topics(values)


class _Pairs:
    """The differences of pairs of some runs by one measure. `pairs` are the numbers of two runs (P × 2).

    `known` tells of each run whether its range over judgments is known, and `exact` whether the ranges of
    differences are exact if those of both runs are known.
    """

    def __init__(self, runs: list[_OfRun]):
        self.runs, self.measure = runs, runs[0].measure
        self.known = np.array([each.unjudged is not None for each in runs])
        ends, some = None, [each for each in runs if each.unjudged is not None]
        if some:
            columns = [each.documents for each in some]
            bounds = bounds_of(np.array([offsets[-1] for _, offsets in columns]))
            documents, (lower, higher) = np.arange(bounds[-1]), equal_pairs(*columns)
            # The pairs of one document in several runs follow one another.
            first = np.append(True, lower[1:] != higher[:-1])[: lower.size]
            documents[higher] = lower[first][np.cumsum(first) - 1]
            topics, numbers = [each.topics for each in some], np.split(documents, bounds[1:-1])
            ends = extreme_differences(self.measure, topics, numbers)
        self.ends, self.exact = ends, ends is not None

    def differences(self) -> Iterator[Difference]:
        """The ranges of the differences of the means, for all pairs."""
        pairs = np.array([*combinations(range(len(self.runs)), 2)], dtype=np.int64).reshape(-1, 2)
        names = [each.run.name for each in self.runs]
        means = [float(mean_over_topics(each.value)) for each in self.runs]
        longest = max(int(each.topics.retrieved.sum()) for each in self.runs)
        for some in np.array_split(pairs, len(pairs) * longest // COMPARED + 1):
            over = [*map(_intervals, (self.apart("ties", some), self.over_judgments(some)))]
            for (a, b), ties, judged in zip(some.tolist(), *over):
                exact = self.exact and judged is not None
                value = means[a] - means[b]
                yield Difference(self.measure, names[a], names[b], value, ties, judged, exact)

    def apart(self, kind: str, pairs: np.ndarray) -> np.ndarray:
        """The ranges of differences whose two sides are independent of each other (2 × P × T), NaN if they
        are not known."""
        ranges = [getattr(each, kind) for each in self.runs]
        unknown = np.full((2, self.runs[0].value.size), np.nan)
        one, other = np.stack([unknown if each is None else each for each in ranges])[pairs.T]
        return np.stack([one[:, 0] - other[:, 1], one[:, 1] - other[:, 0]])

    def over_judgments(self, pairs: np.ndarray) -> np.ndarray:
        """The ranges of differences over all judgments (2 × P × T), NaN if they are not known."""
        if self.ends is None and not self.measure.RECALL_BASE:
            return self.apart("unjudged", pairs)
        # Relevant documents of one run enlarge the recall base of both runs. Its own range ignores this.
        found = np.full((2, len(pairs), self.runs[0].value.size), np.nan)
        known = self.known[pairs].all(axis=1)
        if self.ends is not None and known.any():
            found[:, known] = self.ends((np.cumsum(self.known) - 1)[pairs[known]])
        return found


def _intervals(ends: np.ndarray) -> Iterator[Interval | None]:
    """The ends of the means, None if they are not known."""
    return (None if low != low else (low, high) for low, high in mean_over_topics(ends).T.tolist())


def _means(extremes: np.ndarray | None) -> Interval | None:
    return None if extremes is None else _interval(mean_over_topics(extremes))


def _interval(ends: np.ndarray) -> Interval:
    low, high = ends.tolist()
    return low, high


def _pools(runs: list[_OfRun]) -> list[list[np.ndarray]]:
    """The levels of the judged documents that each run retrieved, by bin of ranks; those of all runs if the
    run has few."""
    of_runs = []
    for ranks in (each.topics.ranks for each in runs):
        bins, level = np.searchsorted(BINS, ranks.rank), ranks.judged.level[ranks.doc]
        of_runs.append([level[bins == number] for number in range(len(BINS) + 1)])
    of_all = [np.concatenate(pools) for pools in zip(*of_runs)]
    return [[own if own.size >= FEW else every for own, every in zip(pools, of_all)] for pools in of_runs]


def _drawn(
    pools: list[np.ndarray], unjudged: GainList, draws: int, random: np.random.Generator
) -> np.ndarray:
    """Random levels of unjudged documents (draws × documents), NaN if no document is judged at such ranks."""
    bins = np.searchsorted(BINS, unjudged.rank)
    levels = np.full((draws, bins.size), np.nan)
    for number, pool in enumerate(pools):
        here = np.flatnonzero(bins == number)
        if pool.size:
            levels[:, here] = random.choice(pool, size=(draws, here.size))
    return levels
