"""The ranges of values, and of differences between runs, over tied scores and unjudged documents.

The data often allow several values: tied scores do not determine the order of documents, and a judge
could have found an unjudged document relevant. The ranges are exact: no order of the ties and no judgment of
the unjudged documents within the cutoff gives a value outside them.

The likely range is the one of Fröbe, Gienapp, Potthast & Hagen (Bootstrapped nDCG estimation in the presence
of unjudged documents, ECIR 2023): unjudged documents get levels that the run's judged documents have at
similar ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ..core.by_topic import bounds_of, mean_over_topics, positions
from ..core.measures.base import GradedMeasure
from ..core.measures.topics import Topics
from ..core.provider import computed
from ..core.registry.facts import defined, sign_of
from ..core.rows.id_matching import equal_pairs
from ..core.uncertainty import evaluated, with_option
from ..core.uncertainty.extremes import differences_of
from ..core.uncertainty.judgments import Undetermined, filled, unjudged_of
from ..errors import NotApplicableError
from ..evaluation.named import Qrels, Run, Runs, Study, measures_for, study_of
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
LEFT_OUT = "judged_only=True leaves out unjudged documents"
ROUNDING = 1e-12
"""A difference this small can be a rounding error."""


@dataclass(frozen=True)
class Range:
    """The ranges of the mean `value` of one run by one measure.

    `ties` is its range over all orders of tied documents, `unjudged` its range over all judgments of the
    unjudged documents within the cutoff, `likely` the range of most random judgments of them. Each is None
    if it is not known; `note` gives the reason of the last two. `judged` is the share of
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
        return self.ties and bool(_keep(*np.array(self.ties)))

    @property
    def stands_over_judgments(self) -> bool | None:
        """Whether the difference has one sign under all judgments of the unjudged documents."""
        return self.unjudged and bool(_keep(*np.array(self.unjudged)))


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
                turn = sum(low < high and not _keep(*np.array((low, high))) for low, high in spans)
                moved = f"{counted(turn, 'pair')} of runs can change {'its' if turn == 1 else 'their'} order"
                text += f"; {moved}" if turn else "; no pair changes its order"
            yield Note(f"{text}.", *names)

    @property
    def summary(self) -> str:
        """The first sentence of the answer."""
        return str(next(iter(self.answer()), f"{listed(self.measures)} have no ranges."))

    def tables(self) -> list[Table]:
        """One row per measure and run, the best run first, without ranges that no run has."""
        place = {measure: number for number, measure in enumerate(self.measures)}
        order = sorted(
            self.values, key=lambda each: (place[each.measure], -sign_of(each.measure) * each.value)
        )
        records = list(map(_record, order))
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
            apart = [found for found in self.differences if found.measure == measure]
            stand = _standing(apart)
            exact = None if stand[1] is None else all(found.exact for found in apart)
            rows.append([str(measure), len(apart), *stand, exact])
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


def _standing(differences: Sequence[Difference]) -> list[int | None]:
    """How many differences keep their sign over ties and over judgments, None if any range is not known."""
    over_ties = [each.stands_over_ties for each in differences]
    over_judgments = [each.stands_over_judgments for each in differences]
    return [None if None in found else found.count(True) for found in (over_ties, over_judgments)]


def ranges(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[GradedMeasure | str],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Ranges:
    """The ranges of each run's value and of each difference over tied scores and unjudged documents.

    `qrels` and `runs` are as for `evaluate`. `measures` are graded measures and standard ones that have a
    definition, without the options `ties` and `unjudged`. The likely range holds 95 % of `draws` (≥ 0) random
    judgments, which depend on `seed` (≥ 0) alone; without draws there is none.

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
        for run in study.runs:
            _ = run.ranks
    values: list[Range] = []
    differences: list[Difference] = []
    for measure in wanted:
        found = _Runs(measure, study.runs)
        values += found.ranges(draws, seed)
        differences += found.differences()
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
    both = _Runs(_checked(measure), [first, second])
    over = {"ties": (both.apart(1, both.pairs), 1), "unjudged": (both.over_judgments(both.pairs), 3)}
    found = {kind: (ends[:, 0], both.values[row : row + 2, 1]) for kind, (ends, row) in over.items()}
    return {kind: each for kind, each in found.items() if not np.isnan(each[0]).any()}


class Standing(NamedTuple):
    """The ranges of the runs by a measure, and how many of the `differences` between two of them certainly
    keep their sign over ties and over judgments; None if that is not known."""

    ranges: tuple[Range, ...]
    differences: int
    over_ties: int | None
    over_judgments: int | None


def standings(study: Study, measures: Iterable[Measure]) -> dict[Measure, Standing]:
    """The ranges by each of the measures that have some."""
    found = {}
    for measure in filter(has_ranges, measures):
        runs = _Runs(_checked(measure), study.runs)
        apart = [*runs.differences()]
        counts = _standing(apart) if apart else (None, None)
        found[measure] = Standing(tuple(runs.ranges(0, 0)), len(apart), *counts)
    return found


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


def _values(measure: GradedMeasure, topics: Topics) -> tuple[np.ndarray, str]:
    """The values of topics, the lowest and the highest over the orders of ties, and those over all judgments
    (5 × T), NaN if they are not known, and the reason why the last are not."""
    found, note = np.full((5, topics.count), np.nan), ""
    found[0] = _evaluated(measure, topics)
    for row, option in ((1, "ties"), (3, "unjudged")):
        both = [each for word in ("min", "max") if (each := with_option(measure, option, word))]
        note = ""
        try:
            found[row : row + 2] = [_evaluated(each, topics) for each in both] or np.nan
        except Undetermined as error:
            note = str(error)
    if not both:
        note = LEFT_OUT if measure["judged_only"] else measure.NO_UNJUDGED or "it is not computed"
    return found, note


def _evaluated(measure: GradedMeasure, topics: Topics) -> np.ndarray:
    return computed(measure, topics, partial(evaluated, measure))


class _Runs:
    """Some runs by one measure, and the differences of pairs of them. `pairs` are the numbers of two runs
    (P × 2).

    `values` (5 × runs × T) and `notes` are as from `_values`, and `means` (5 × runs) are those over the
    topics. `known` tells of each run whether its range over judgments is known. `ends` are those of the
    differences between these runs, None if they are not known.
    """

    def __init__(self, measure: GradedMeasure, runs: Sequence[Run]):
        self.measure, self.runs = measure, runs
        self.topics = [run.view(measure) for run in runs]
        values, self.notes = zip(*(_values(measure, topics) for topics in self.topics))
        self.values = np.stack(values, axis=1)
        self.means = mean_over_topics(self.values)
        self.known = ~np.isnan(self.means[3])
        self.pairs = np.array([*combinations(range(len(runs)), 2)], dtype=np.int64).reshape(-1, 2)
        some = [each for each, known in zip(self.topics, self.known) if known]
        self.ends = differences_of(measure, some, partial(_numbers, some))

    def ranges(self, draws: int, seed: int) -> Iterator[Range]:
        """The ranges of the mean of each run."""
        pools = _pools(self.topics) if draws else []
        all_relevant = self.topics[0].ranks.judged.level.min(initial=1) >= 1
        for number, (run, topics, note) in enumerate(zip(self.runs, self.topics, self.notes)):
            (value, *ends), likely = self.means[:, number].tolist(), None
            if draws and self.known[number] and all_relevant:
                note = ALL_RELEVANT
            elif draws and self.known[number]:
                random, plain = np.random.default_rng([seed, number]), self.values[0, number]
                means = _drawn_means(self.measure, topics, plain, pools[number], draws, random)
                likely = _interval(*np.quantile(means, [(1 - LIKELY) / 2, (1 + LIKELY) / 2]).tolist())
            size = int(topics.retrieved.sum())
            share = topics.run.topic.size / size if size else None
            over = _interval(*ends[:2]), _interval(*ends[2:]), likely
            yield Range(self.measure, run.name, value, *over, share, note)

    def differences(self) -> Iterator[Difference]:
        """The ranges of the differences of the means, for all pairs."""
        names, means = [run.name for run in self.runs], self.means[0].tolist()
        longest = max(int(topics.retrieved.sum()) for topics in self.topics)
        for pairs in np.array_split(self.pairs, len(self.pairs) * longest // COMPARED + 1):
            ends = mean_over_topics(np.append(self.apart(1, pairs), self.over_judgments(pairs), axis=0))
            for (a, b), row in zip(pairs.tolist(), ends.T.tolist()):
                ties, judged = _interval(*row[:2]), _interval(*row[2:])
                exact = self.ends is not None and judged is not None
                yield Difference(self.measure, names[a], names[b], means[a] - means[b], ties, judged, exact)

    def apart(self, row: int, pairs: np.ndarray) -> np.ndarray:
        """The ranges of differences whose two sides are independent of each other (2 × P × T), NaN if they
        are not known; `row` is that of the lowest values."""
        one, other = pairs.T
        low, high = self.values[row], self.values[row + 1]
        return np.stack([low[one] - high[other], high[one] - low[other]])

    def over_judgments(self, pairs: np.ndarray) -> np.ndarray:
        """The ranges of differences over all judgments (2 × P × T), NaN if they are not known."""
        if self.ends is None and not self.measure.RECALL_BASE:
            return self.apart(3, pairs)
        # Relevant documents of one run enlarge the recall base of both runs. Its own range ignores this.
        found = np.full((2, len(pairs), self.values.shape[2]), np.nan)
        known = self.known[pairs].all(axis=1)
        if self.ends is not None and known.any():
            found[:, known] = self.ends.exact((np.cumsum(self.known) - 1)[pairs[known]])
        return found


def _numbers(runs: Sequence[Topics]) -> list[np.ndarray]:
    """The numbers of the unjudged documents of each run within the cutoff; equal documents have one."""
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


def _keep(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Whether all values between these ends have one sign."""
    return (low > ROUNDING) | (high < -ROUNDING)


def _interval(low: float, high: float) -> Interval | None:
    return None if low != low else (low, high)


def _pools(runs: Sequence[Topics]) -> list[list[np.ndarray]]:
    """The levels of the judged documents that each run retrieved, by bin of ranks; those of all runs if the
    run has few."""
    of_runs = []
    for ranks in (topics.ranks for topics in runs):
        bins, level = np.searchsorted(BINS, ranks.rank), ranks.judged.level[ranks.doc]
        of_runs.append([level[bins == number] for number in range(len(BINS) + 1)])
    of_all = [np.concatenate(pools) for pools in zip(*of_runs)]
    return [[own if own.size >= FEW else every for own, every in zip(pools, of_all)] for pools in of_runs]


def _drawn_means(
    measure: GradedMeasure,
    topics: Topics,
    plain: np.ndarray,
    pools: list[np.ndarray],
    draws: int,
    random: np.random.Generator,
) -> np.ndarray:
    """The means under random judgments, from the `plain` values (T). Equal judgments of a topic are evaluated
    once. A document stays unjudged if none is judged at such ranks."""
    unjudged, levels = unjudged_of(topics), topics.ranks.judged.all_levels
    some, width = np.flatnonzero(unjudged.sizes), int(unjudged.sizes.max(initial=0))
    if not some.size:
        return mean_over_topics(plain[None])
    row, column = np.searchsorted(some, unjudged.topic), positions(unjudged.sizes)
    bins, longest = np.searchsorted(BINS, unjudged.rank), int(topics.retrieved[some].max())
    batch, means = max(1, DRAWN // (some.size * width)), []
    for start in range(0, draws, batch):
        given = np.full((min(batch, draws - start), some.size, width), np.nan)
        for number, pool in enumerate(pools):
            here = np.flatnonzero(bins == number)
            if pool.size:
                given[:, row[here], column[here]] = random.choice(pool, size=(len(given), here.size))
        values, judged = np.tile(plain, (len(given), 1)), given.reshape(-1, width)
        first = again = np.arange(len(judged))
        code, kinds = first % some.size, levels.size + 1
        if some.size * float(kinds) ** width < np.iinfo(np.int64).max:
            for level in np.searchsorted(levels, judged).T:
                code = code * kinds + level
            _, first, again = np.unique(code, return_index=True, return_inverse=True)
        found = [
            _evaluated(measure, filled(topics, some[part % some.size], judged[part]))
            for part in np.array_split(first, first.size * longest // EVALUATED + 1)
        ]
        values[:, some] = np.concatenate(found)[again].reshape(len(values), -1)
        means.append(mean_over_topics(values))
    return np.concatenate(means)
