"""The result of a comparison: one frame for each question, tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from ir_measures import Measure

from ...arguments import flag, names, text, whole_number
from ...core.registry.facts import sign_of
from ...core.registry.notation import one_of
from ...errors import GradedError, Remark, shown
from ...evaluation.counting import with_effective
from ...evaluation.evaluation import Evaluation
from ...evaluation.level_notes import notes_for_caption, notes_on_rel
from ...evaluation.order_of_runs import best_first, leading
from ...output.formats import (
    PLACES,
    checked_places,
    clean,
    counted,
    escaped_html,
    listed,
    sentences,
    short,
)
from ...output.result import Result, View
from ...output.tables import Table
from ..statistics.corrections import DEFAULT, Correction, correction_of
from . import figures, layout
from .families import pairs_in_family
from .fields import KINDS_OF_DATA
from .mean_bounds import MeanBounds
from .method import not_tested, statistics_of
from .open_pairs import counts_of_open, runs_of
from .paper import PaperTable
from .sentences import answer_by, notes_below, notes_on_pairs
from .tests import PAIRED_T, Test
from .topics import topic_table, view_of_topics

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

MOST_PAIRS_SHOWN: Final = 15
"""A table for people has a row per pair of at most this many; with more, those of the best run."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Means of several runs over the topics, and tests of their differences, the primary one first.

    Three data frames answer three questions: `means` (a row per measure and run), `differences` (a
    row per measure and pair of the family, by the primary procedure) and `tests` (a row per further
    test). There is a family for each of the `baselines`, which are the given ones, or the first of
    two runs: all runs against the baseline. Without any, the family has all pairs.

    `values` (runs × measures) are the means. `outcomes` holds all tests; `primary` is the name of
    the primary one. `correction` is the name of the correction for the family. `levels` are those
    of the qrels, as far as they are known. `lacking` has a sentence on each run that lacks topics,
    and each other unusual property; `remarks` has them as data. `unjudged` has the share of
    unjudged documents that the measures read of each run, as far as it is known. `groups` has the
    comparisons over groups of topics. Such a comparison has the `name` of the group, and the number
    `families` of groups that are tested together. `comparisons` is the number of all comparisons by
    a measure, if there are others than these. `unit` is ``topic`` or ``session``. `effective` is
    the effective number of topics with weights, None without weights. `paired_topics` has the
    number of topics for which all runs have a value, by measure. `by_topic` has the values that the
    tests are made of; `topic_differences` is a data frame of their differences, the topics that
    fell most first.

    `repeats` has the means of the repeats (repeats × measures) of each system that has several.
    `chosen_by_values` is the baseline that was asked for as the best run. `all_runs` is the number
    of runs that were tested; `first` leaves out some of them. `mean_bounds` has the intervals of
    the means, if they were asked for.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: int
    values: np.ndarray
    outcomes: tuple[Test, ...]
    baselines: tuple[str, ...]
    alpha: float
    correction: str = DEFAULT
    name: str = ""
    families: int = 1
    comparisons: int | None = None
    chosen_by_values: str = ""
    groups: Mapping[str, Comparison] = field(default_factory=dict)
    unit: str = "topic"
    primary: str = PAIRED_T
    levels: tuple[float, ...] = ()
    lacking: Sequence[str] = ()
    remarks: tuple[Remark, ...] = ()
    effective: float | None = None
    paired_topics: Mapping[Measure, int] = field(default_factory=dict)
    unjudged: Mapping[str, float] = field(default_factory=dict)
    repeats: Mapping[str, np.ndarray] = field(default_factory=dict)
    all_runs: int = 0
    by_topic: Evaluation | None = None
    mean_bounds: MeanBounds | None = None

    def __post_init__(self) -> None:
        if not self.all_runs:
            object.__setattr__(self, "all_runs", len(self.runs))

    @property
    def baseline(self) -> str | None:
        """The first baseline; None without any."""
        if self.baselines:
            return self.baselines[0]
        return None

    @cached_property
    def means(self) -> DataFrame:
        """A row per measure and run: its mean."""
        return self.data("means").to_frame()

    @cached_property
    def differences(self) -> DataFrame:
        """A row per measure and pair of runs: the primary procedure."""
        return self.data().to_frame()

    @cached_property
    def tests(self) -> DataFrame:
        """A row per further test."""
        return self.data("tests").to_frame()

    @cached_property
    def topic_differences(self) -> DataFrame:
        """A row per measure, pair of the family and topic: both values, and their difference.

        The topics that fell most come first, by the sign of the measure. A topic for which one of
        the runs has no value is left out. Raises `GradedError` if the values are not known.
        """
        return topic_table(self).to_frame()

    def to_frame(self, what: str = "") -> DataFrame:
        """The records as a pandas DataFrame, with those of further tests if there are any; or the
        table of `data` that `what` names."""
        if not text("what", what):
            what = "all" if self.data("tests").rows else "differences"
        return self.data(what).to_frame()

    def data(self, what: str = "differences") -> Table:
        """One row per measure and pair of runs; or the rows of `open` pairs alone, of `means`, of
        `topics`, as in `topic_differences`, of `tests`, or of ``all`` tests.

        Those of groups follow.
        """
        if text("what", what) == "means":
            table = self._table_of_means()
        elif what == "topics":
            table = topic_table(self)
        elif what in KINDS_OF_DATA:
            table = self._table_of_tests(what)
        else:
            raise GradedError(
                f"what={shown(what)} is not allowed; it is 'differences', 'open', 'means', "
                "'topics', 'tests' or 'all'"
            )
        if not self.groups or what == "topics":
            return table
        rows = [[None, *row] for row in table.rows]
        for name, group in self.groups.items():
            rows += [[name, *row] for row in group.data(what).rows]
        return replace(table, columns=["group", *table.columns], rows=rows)

    def _table_of_means(self) -> Table:
        """A row per measure and run, with what is known of the run."""
        arrays = {"mean": self.values.T}
        if self.mean_bounds is not None:
            lower, upper = self.mean_bounds.of(self.runs)
            arrays |= {"lower": lower.T, "upper": upper.T}
        if self.unjudged:
            shares = [self.unjudged.get(run, np.nan) for run in self.runs]
            arrays["unjudged"] = np.broadcast_to(shares, self.values.T.shape)
        if self.repeats:
            spreads = [
                [self.spread(measure, run) for run in self.runs] for measure in self.measures
            ]
            repeats_and_spread = np.array(spreads, dtype=float)
            arrays["repeats"] = repeats_and_spread[..., 0].astype(int)
            arrays["deviation"] = repeats_and_spread[..., 1]
        axes = {"measure": [str(measure) for measure in self.measures], "run": self.runs}
        return Table.of_arrays(axes, arrays)

    def _table_of_tests(self, what: str) -> Table:
        """A row per test of the primary procedure, per further test, or per test of both kinds."""
        records = []
        for test in self.outcomes:
            is_primary = test.test == PAIRED_T
            is_asked = is_primary == (what in ("differences", "open"))
            if what == "open":
                is_asked = is_primary and test.is_open
            if what == "all" or is_asked:
                shares = {
                    "unjudged": self.unjudged.get(str(test.run)),
                    "other_unjudged": self.unjudged.get(str(test.other)),
                }
                record = vars(test) | shares | {"measure": str(test.measure)}
                if test.run is None:  # a test of all runs, of which none is better
                    record["significant"] = None
                records.append(record)
        return Table.of(KINDS_OF_DATA[what], records)

    def statistics(self) -> list[str]:
        """The sentences on the tests, the correction, the families and the intervals for the
        section Method of a paper; `ir_measures_graded.sentence` has those on each measure."""
        return statistics_of(self)

    def find(self, measure: Measure | str, test: str = "") -> list[Test]:
        """All tests of this name for one of the measures; by default those of the primary
        procedure."""
        key = one_of(self.measures, measure), text("test", test) or self.primary
        return list(self._tests.get(key, ()))

    @property
    def is_tested(self) -> bool:
        """Whether some difference was tested; several are not over few topics."""
        primary = [test for measure in self.measures for test in self.find(measure)]
        return any(test.adjusted is not None for test in primary)

    def open_pairs(self, measure: Measure | str) -> list[Test]:
        """The tests of the pairs of runs that the primary procedure cannot tell apart by one of the
        measures. A pair that is not tested is none of them."""
        return [test for test in self.find(measure) if test.is_open]

    @cached_property
    def _tests(self) -> dict[tuple[Measure, str], list[Test]]:
        """The tests by measure and name; a search through all of them takes long for many
        measures."""
        tests: dict[tuple[Measure, str], list[Test]] = {}
        for test in self.outcomes:
            tests.setdefault((test.measure, test.test), []).append(test)
        return tests

    @cached_property
    def _columns(self) -> dict[Measure, int]:
        """The place of each measure on its axis."""
        return {measure: number for number, measure in enumerate(self.measures)}

    @cached_property
    def _rows(self) -> dict[str, int]:
        """The place of each run on its axis."""
        return {run: number for number, run in enumerate(self.runs)}

    def mean(self, measure: Measure | str, run: str | None) -> float | None:
        """The mean of a run by one of the measures; None without any.

        Raises `GradedError` for another run or measure.
        """
        mean = float(self.values[self._row(run), self._column(measure)])
        if np.isnan(mean):
            return None
        return mean

    def _row(self, run: str | None) -> int:
        row = self._rows.get(str(run))
        if row is None:
            raise GradedError(
                f"the run {shown(run)} is not among those compared: {listed(self.runs)}"
            )
        return row

    def _column(self, measure: Measure | str) -> int:
        if isinstance(measure, Measure):  # parsing takes time
            column = self._columns.get(measure)
            if column is not None:
                return column
        return self._columns[one_of(self.measures, measure)]

    def spread(self, measure: Measure | str, run: str) -> list[float]:
        """The number of repeats of a system, and the standard deviation, the lowest and the highest
        of their means; NaN for a single run."""
        if text("run", run) not in self.repeats:
            return [1, np.nan, np.nan, np.nan]
        means = self.repeats[run][:, self._column(measure)]
        return [means.size, float(means.std(ddof=1)), float(means.min()), float(means.max())]

    @property
    def pairs(self) -> int:
        """The number of pairs of runs in the family, or in that of each baseline."""
        return pairs_in_family(self.all_runs, self.baselines)

    @property
    def family(self) -> int:
        """The number of differences that p and intervals are corrected for."""
        return self.comparisons or self.tested_together

    @property
    def tested_together(self) -> int:
        """The number of differences of this comparison that are tested together."""
        return self.pairs * self.families

    def family_in_words(self, noun: str, per_measure: str = "") -> str:
        """The number of differences that p and intervals are corrected for."""
        if self.comparisons is None:
            return counted(self.family, noun) + per_measure
        words = counted(self.comparisons, "comparison") + per_measure
        tested = self.tested_together
        others = counted(self.comparisons - tested, "other")
        if tested == self.comparisons:
            return words
        these = "this one" if tested == 1 else f"these {tested:,}"
        return f"{words} ({these} and {others})"

    @property
    def corrected(self) -> Correction:
        """The correction of p for the family."""
        return correction_of(self.correction)

    @property
    def shows_best_only(self) -> bool:
        """Whether tables for people have those pairs only of which the best run is one."""
        count = len(self.runs)
        return not self.baselines and count * (count - 1) // 2 > MOST_PAIRS_SHOWN

    def topics_in_words(self, measures: Iterable[Measure]) -> str:
        """The number of topics for which all runs have a value by these measures."""
        counts = [self.paired_topics.get(measure, self.topics) for measure in measures]
        fewest = min(counts)
        most = max(counts)
        words = counted(most, self.unit)
        if fewest < most:
            words = f"{fewest:,} to {words}"
        return with_effective(words, self.effective)

    def wins(self, measure: Measure | str, test: str = "") -> dict[tuple[str, str], float]:
        """The p-value of each significant difference by a test of pairs, by the better and the
        worse run."""
        p_values = {}
        for outcome in self.find(measure, test):
            if outcome.winner:
                p_values[outcome.winner, str(outcome.loser)] = outcome.adjusted or 0.0
        return p_values

    def means_by(self, measure: Measure | str) -> list[float]:
        """The mean of each run by one of the measures."""
        column = self._columns[one_of(self.measures, measure)]
        means: list[float] = self.values[:, column].tolist()
        return means

    def best_first(self, measure: Measure | str) -> list[str]:
        """The runs, sorted from the best mean by one of the measures to the worst, then those
        without. Runs of equal means are sorted by name."""
        measure = one_of(self.measures, measure)
        means = self.values[:, self._columns[measure]]
        order = best_first(sign_of(measure) * means, self.runs)
        return [self.runs[run] for run in order]

    def leading(self, measure: Measure | str) -> list[str]:
        """The runs with the best mean by one of the measures, sorted by name."""
        measure = one_of(self.measures, measure)
        means = self.values[:, self._columns[measure]]
        return leading(sign_of(measure) * means, self.runs)

    def top(self, measure: Measure | str) -> list[str]:
        """The best run by one of the measures, and all runs that are not significantly worse.

        If several runs share the best mean, a run is left out that is significantly worse than each
        of them.
        """
        measure = one_of(self.measures, measure)
        wins = self.wins(measure)
        leaders = self.leading(measure)
        top = []
        for run in self.best_first(measure):
            is_worse = all((leader, run) in wins for leader in leaders)
            if run in leaders or (self.mean(measure, run) is not None and not is_worse):
                top.append(run)
        return top

    def first(self, most: int) -> Comparison:
        """The comparison of so many runs, the best by the first measure, and the baselines.

        The tests stay those of all runs, with the same corrections.
        """
        best = self.best_first(self.measures[0])[: whole_number("most", most, 1)]
        return self._only({*best, *self.baselines})

    def sorted_by(self, measure: Measure | str) -> Comparison:
        """The comparison with the best run by one of the measures first, and first in the tables of
        papers."""
        return self._in_order(self.best_first(measure))

    def _in_order(self, runs: Sequence[str]) -> Comparison:
        """The comparison with the runs in this order; the tests stay the same."""
        row_of = {run: row for row, run in enumerate(self.runs)}
        values = self.values[[row_of[run] for run in runs]]
        groups = {name: group._in_order(runs) for name, group in self.groups.items()}
        return replace(self, runs=tuple(runs), values=values, groups=groups)

    def _only(self, chosen: Set[str]) -> Comparison:
        """The comparison of these runs, whose tests stay those of all runs."""
        is_kept = [run in chosen for run in self.runs]
        kept = tuple(run for run in self.runs if run in chosen)
        groups = {name: group._only(chosen) for name, group in self.groups.items()}
        repeats = {run: means for run, means in self.repeats.items() if run in chosen}
        outcomes = tuple(test for test in self.outcomes if test.is_among(kept))
        return replace(
            self,
            runs=kept,
            values=self.values[is_kept],
            outcomes=outcomes,
            groups=groups,
            repeats=repeats,
        )

    def of_topics(self, losses: bool = False) -> View:
        """The topics in which the runs of each pair differ most, and a sentence on each pair.

        With `losses`, only those in which the run is worse than the other. Programs read all
        `topic_differences`. Raises `GradedError` if the values are not known.
        """
        return view_of_topics(self, flag("losses", losses))

    def of_open_pairs(self) -> View:
        """All pairs of runs that the tests cannot tell apart, and how many there are."""
        return View(
            list(layout.open_pairs(self)),
            self.figure,
            read=self.data("open"),
            noted=self.notes_on_pairs(),
            above=[*counts_of_open(self), *self.answer()],
            remarks=self.remarks,
            headline=self.summary,
        )

    def answer(self) -> list[str]:
        """What the tests find by each measure, in a sentence."""
        return [sentence for measure in self.measures for sentence in answer_by(self, measure)]

    def notes(self) -> list[str]:
        """Sentences that the reader of the tables needs."""
        return notes_below(self)

    def remark_notes(self) -> list[str]:
        """None: `lacking` has them among the notes."""
        return []

    def level_notes(self) -> list[str]:
        """The level from which documents are relevant, for measures that leave it open."""
        return list(notes_on_rel(self.measures, self.levels))

    def notes_on_pairs(self) -> list[str]:
        """What is special about some differences, and about the runs."""
        return notes_on_pairs(self)

    def tables(self) -> list[Table]:
        """The tables of the primary procedure, then one of each further test, with its title.

        Differences from a baseline have a row per run. Without a baseline, there is a row per pair
        for at most 15 pairs; of more, the table has the differences of the next ten runs from the
        best one.
        """
        return list(layout.tables_of(self))

    def papers(self) -> list[PaperTable]:
        """The table that papers print: runs × measures, over all topics and over each group of
        them."""
        correction = ""
        if self.family > 1:
            family = self.family_in_words("difference", " per measure")
            correction = f", {self.corrected.name} for {family}"
        of_group = f" ({self.name})" if self.name else ""
        tests = f"Paired t-tests{correction}, p < {short(self.alpha)}."
        if not self.is_tested:
            tests = not_tested(self)
        about = [
            f"Means over {self.topics_in_words(self.measures)}{of_group}.",
            tests,
            *notes_for_caption(self.measures, self.levels),
        ]
        bounds = None
        if self.mean_bounds is not None:
            about.append(self.mean_bounds.in_caption)
            bounds = self.mean_bounds.of(self.runs)
        deviations = None
        if self.repeats:
            about.append("± is the standard deviation of the means of a system's repeats.")
            spreads = [
                [self.spread(measure, run)[1] for measure in self.measures] for run in self.runs
            ]
            deviations = np.array(spreads)
        wins = [self.wins(measure) for measure in self.measures]
        open_pairs = [runs_of(self.open_pairs(measure)) for measure in self.measures]
        own = PaperTable(
            self.runs,
            self.measures,
            self.values,
            wins,
            open_pairs,
            self.baselines,
            about,
            deviations,
            bounds,
        )
        of_groups = [table for group in self.groups.values() for table in group.papers()]
        return [own, *of_groups]

    def to_latex(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The tables that papers print in LaTeX, which needs the package booktabs.

        The best mean of each measure is bold, the second-best of more than two underlined. Letters
        mark significant differences, and the caption names the test. `comments` stand above as
        LaTeX comments.
        """
        places = checked_places(places)
        comments = names("comments", comments)
        first, *others = (table.latex(places) for table in self.papers())
        above = [f"% {clean(line)}" for line in comments]
        in_caption = self.level_notes()
        notes = [note for note in self.notes() if note not in in_caption]
        below = [f"% {clean(line)}" for line in notes]
        with_comments = "\n".join([*above, first, *below])
        return "\n\n".join([with_comments, *others])

    def to_markdown(self, places: int = PLACES) -> str:
        """The same tables in Markdown."""
        places = checked_places(places)
        tables = [table.markdown(places) for table in self.papers()]
        above = sentences("markdown", self.answer()[:1])
        return "\n\n".join([*above, *tables, *sentences("markdown", self.lacking)])

    def to_html(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The same tables in HTML."""
        places = checked_places(places)
        comments = names("comments", comments)
        above = [f"<!-- {escaped_html(line).replace('--', '- -')} -->" for line in comments]
        answer = f"<p>{escaped_html(self.answer()[0])}</p>"
        tables = [table.html(places) for table in self.papers()]
        below = [f"<p>{escaped_html(sentence)}</p>" for sentence in self.lacking]
        return "\n".join([*above, answer, *tables, *below])

    def figure(self, *, title: str = "") -> Figure:
        """Draw the differences from the baselines, topics of two runs, or which runs beat which.

        Raises `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        return figures.figure_of(self, title)
