"""The result of a comparison: one frame for each question, tables and figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...core.registry.notation import one_of
from ...errors import GradedError, Remark
from ...output import plots
from ...output.formats import PLACES, clean, counted, decimal, escaped_html, listed, p_of, sentences
from ...output.result import Result
from ...output.tables import Table
from ..statistics.corrections import DEFAULT, Correction, correction_of
from ..statistics.defaults import LEAST_TESTED_TOPICS, POWER, STARS_SENTENCE, stars
from . import figures
from .paper import PaperTable, letters
from .tests import BY_GROUP, LIKE_THESE, METHODS, PAIRED_T, THESE, TUKEY_HSD, Test

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

CELL_WIDTH: Final = 24
"""A longer list of letters becomes a number."""
MOST_PAIRS_SHOWN: Final = 15
"""A table for people has a row per pair of at most this many; with more, a row per run."""
NEXT_RUNS: Final = 10
"""With more pairs, the best run is compared with so many runs after it."""
BEST_AGAINST_NEXT: Final = f"The best run against the next {NEXT_RUNS}"


class Field(NamedTuple):
    """A field of a test as a column: its name, the heading that people read, and what it means.

    Programs read all fields; people read those with a heading.
    """

    name: str
    heading: str = ""
    sentence: str = ""


DIFFERENCE_FIELDS: Final = (
    Field("difference", "difference"),
    Field("lower", "lower"),
    Field("upper", "upper"),
    Field("statistic"),
    Field("p"),
    Field("adjusted", "p"),
    Field("significant"),
    Field(
        "effect_size",
        "d_z",
        "d_z is the mean difference in standard deviations of the differences.",
    ),
    Field(
        "detectable",
        "MDE",
        f"MDE is the smallest true difference found with probability {POWER:g}{{level}}.",
    ),
    Field("note"),
)
"""The columns of the paired t-test. A new one is an entry here and a field of `Test`."""
COLLECTION_FIELDS: Final = (
    Field("difference", "difference"),
    Field("lower", "lower"),
    Field("upper", "upper"),
    Field("p"),
    Field("adjusted", "p"),
    Field("significant"),
    Field("A", "A"),
    Field("p_A", "p of A"),
    Field("I2", "I²"),
    Field("note"),
)
"""The columns of the tests over collections."""
GROUP_FIELDS: Final = (
    Field("statistic", "statistic"),
    Field("adjusted", "p"),
    Field("note", "note"),
)
"""The columns of the test of whether a difference depends on the group."""
FURTHER_FIELDS: Final = (
    Field("statistic", "statistic"),
    Field("adjusted", "p"),
    Field("winner", "better"),
)
"""The columns of the further tests of pairs."""
FIELDS_OF_TEST: Final = {
    PAIRED_T: DIFFERENCE_FIELDS,
    THESE: COLLECTION_FIELDS,
    LIKE_THESE: COLLECTION_FIELDS,
    BY_GROUP: GROUP_FIELDS,
}
"""The columns of each test of pairs; those of other tests are `FURTHER_FIELDS`."""
OF_A_DIFFERENCE: Final = ("measure", "run", "other", *(each.name for each in DIFFERENCE_FIELDS))
OF_A_TEST: Final = (
    "measure",
    "test",
    "run",
    "other",
    "better",
    "statistic",
    "p",
    "adjusted",
    "significant",
    "note",
)
OF_ALL_TESTS: Final = ("measure", "test", *OF_A_DIFFERENCE[1:3], "better", *OF_A_DIFFERENCE[3:])
OF_ALL_RUNS: Final = ("measure", "test", "statistic", "p", "note")
KINDS_OF_DATA: Final = {
    "differences": OF_A_DIFFERENCE,
    "tests": OF_A_TEST,
    "all": OF_ALL_TESTS,
}
"""The columns for programs by what they ask for."""


def fields_shown(test: str) -> list[Field]:
    """The columns of a test that people read."""
    return [each for each in FIELDS_OF_TEST.get(test, FURTHER_FIELDS) if each.heading]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Means of several runs over the topics, and tests of their differences, the primary one first.

    Three data frames answer three questions: `means` (a row per measure and run), `differences` (a
    row per measure and pair of the family, by the primary procedure) and `tests` (a row per further
    test). The family has all runs against the `baseline`, which is the given one, or the first of
    two runs; without it, all pairs.

    `values` (runs × measures) are the means. `outcomes` holds all tests; `primary` is the name of
    the primary one. `correction` is the name of the correction for the family. `lacking` has a
    sentence on each run that lacks topics, and each other unusual property; `remarks` has them as
    data. `groups` has the
    comparisons over groups of topics. Such a comparison has the `name` of the group, and the number
    `families` of groups that are tested together. `unit` is ``topic`` or ``session``.
    `paired_topics` has the number of topics for which all runs have a value, by measure.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: int
    values: np.ndarray
    outcomes: tuple[Test, ...]
    baseline: str | None
    alpha: float
    correction: str = DEFAULT
    name: str = ""
    families: int = 1
    groups: Mapping[str, Comparison] = field(default_factory=dict)
    unit: str = "topic"
    primary: str = PAIRED_T
    lacking: Sequence[str] = ()
    remarks: tuple[Remark, ...] = ()
    paired_topics: Mapping[Measure, int] = field(default_factory=dict)

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

    def data(self, what: str = "differences") -> Table:
        """One row per measure and pair of runs; or the rows of `means` or `tests`, or of ``all``
        tests.

        Those of groups follow.
        """
        if what == "means":
            axes = {"measure": [str(measure) for measure in self.measures], "run": self.runs}
            table = Table.of_arrays(axes, {"mean": self.values.T})
        elif what in KINDS_OF_DATA:
            records = []
            for test in self.outcomes:
                is_primary = test.test == PAIRED_T
                if what == "all" or is_primary == (what == "differences"):
                    records.append(vars(test) | {"measure": str(test.measure)})
            table = Table.of(KINDS_OF_DATA[what], records)
        else:
            raise GradedError(
                f"what={what!r} is not allowed; it is 'differences', 'means', 'tests' or 'all'"
            )
        if not self.groups:
            return table
        rows = [[None, *row] for row in table.rows]
        for name, part in self.groups.items():
            rows += [[name, *row] for row in part.data(what).rows]
        return replace(table, columns=["group", *table.columns], rows=rows)

    def find(self, measure: Measure | str, test: str = "") -> list[Test]:
        """All tests of this name for one of the measures; by default those of the primary
        procedure."""
        key = one_of(self.measures, measure), test or self.primary
        return list(self._tests.get(key, ()))

    @cached_property
    def _columns(self) -> dict[Measure, int]:
        """The place of each measure on its axis."""
        return {measure: number for number, measure in enumerate(self.measures)}

    @cached_property
    def _tests(self) -> dict[tuple[Measure, str], list[Test]]:
        """The tests by measure and name; a search through all of them takes long for many
        measures."""
        tests: dict[tuple[Measure, str], list[Test]] = {}
        for test in self.outcomes:
            tests.setdefault((test.measure, test.test), []).append(test)
        return tests

    @property
    def pairs(self) -> int:
        """The number of pairs of runs in the family."""
        count = len(self.runs)
        if self.baseline:
            return count - 1
        return count * (count - 1) // 2

    @property
    def family(self) -> int:
        """The number of differences that are tested together."""
        return self.pairs * self.families

    def _topics_of(self, measures: Iterable[Measure]) -> str:
        """The number of topics for which all runs have a value by these measures, in words."""
        counts = [self.paired_topics.get(measure, self.topics) for measure in measures]
        fewest, most = min(counts), max(counts)
        if fewest == most:
            return counted(most, self.unit)
        return f"{fewest:,} to {counted(most, self.unit)}"

    @property
    def _correction(self) -> Correction:
        return correction_of(self.correction)

    @property
    def _has_row_per_pair(self) -> bool:
        """Whether tables for people have a row per pair, or per run and its difference to the
        baseline."""
        return bool(self.baseline) or self.pairs <= MOST_PAIRS_SHOWN

    def wins(self, measure: Measure | str, test: str = "") -> dict[tuple[str, str], float]:
        """The p-value of each significant difference by a test of pairs, by the better and the
        worse run."""
        found = {}
        for outcome in self.find(measure, test):
            if outcome.winner:
                found[outcome.winner, str(outcome.loser)] = outcome.adjusted or 0.0
        return found

    def best_first(self, measure: Measure | str) -> list[str]:
        """The runs, sorted from the best mean by one of the measures to the worst, then those
        without."""
        measure = one_of(self.measures, measure)
        means = self.values[:, self._columns[measure]]
        order = np.argsort(-sign_of(measure) * means, kind="stable")
        return [self.runs[run] for run in order]

    def top(self, measure: Measure | str) -> list[str]:
        """The best run by one of the measures, and all runs that are not significantly worse."""
        best, *others = self.best_first(measure)
        left_out = {loser for winner, loser in self.wins(measure) if winner == best}
        means = self.values[:, self._columns[one_of(self.measures, measure)]]
        left_out |= {self.runs[run] for run in np.flatnonzero(np.isnan(means))}
        return [best, *(run for run in others if run not in left_out)]

    def answer(self) -> list[str]:
        """What the tests find by each measure, in a sentence."""
        return [self._answer(measure) for measure in self.measures]

    def _answer(self, measure: Measure) -> str:
        tests = [test for test in self.find(measure) if test.difference is not None]
        over = f"{METHODS[self.primary]} over {self._topics_of([measure])}"
        if not tests:
            return f"No difference by {measure} was tested: no pair has values in each {self.unit}."
        if len(tests) == 1:
            return f"{difference_sentence(tests[0])}, {over}."
        if all(test.adjusted is None for test in tests):
            best = self.best_first(measure)[0]
            return f"No difference by {measure} was tested; {best} has the best mean."
        count = sum(test.significant for test in tests)
        differ = "differs" if count == 1 else "differ"
        found = f"{count} of {counted(len(tests), 'pair')} {differ} by {measure}, {over}"
        if self.baseline:
            return f"{found}; {self._against_baseline(tests)}."
        best, *others = self.top(measure)
        if not others:
            return f"{found}; {best} is significantly better than every other run."
        equal = f"{listed(others)} {_are(others)} not significantly worse"
        worse = [loser for winner, loser in self.wins(measure) if winner == best]
        if worse:
            equal += f"; {listed(worse)} {_are(worse)}"
        return f"{found}; {best} has the best mean, and {equal}."

    def _against_baseline(self, tests: Iterable[Test]) -> str:
        """The runs that are significantly better and worse than the baseline."""
        better: list[str] = []
        worse: list[str] = []
        for test in tests:
            if test.winner == test.run:
                better.append(str(test.run))
            elif test.significant:
                worse.append(str(test.run))
        named = listed(better) or "nothing"
        sentence = f"{named} {_are(better)} significantly better than {self.baseline}"
        if worse:
            sentence += f", and {listed(worse)} {_are(worse)} significantly worse"
        return sentence

    def notes(self) -> list[str]:
        """Sentences that the reader of the tables needs."""
        count = counted(self.family, "difference")
        level = ""
        intervals = f"{100 * (1 - self.alpha):g} % intervals (Student's t)"
        if self.family > 1 and self._correction.is_corrected:
            name = self._correction.name
            intervals += f"; p has {name} and the intervals hold together, for {count}"
            level = " at this level"
        meanings = [each.sentence for each in fields_shown(PAIRED_T) if each.sentence]
        columns = " ".join(meanings).format(level=level)
        if not self._has_row_per_pair:
            beaten = (
                "The last column has the letters or the number of the runs that a run beats with "
            )
            columns = f"{beaten}p < {self.alpha:g} ({STARS_SENTENCE}). {columns}"
        topics = self._topics_of(self.measures)
        found = [f"Paired t-tests over {topics}, {intervals}. {columns}"]
        if self._correction.caution:
            found.append(self._correction.caution)
        if len(self.measures) > 1:
            primary = f"{self.measures[0]}, named first, is the primary one"
            found.append(f"{len(self.measures)} families of {count} were tested; {primary}.")
        found += self.notes_on_pairs()
        if self.groups:
            tested = sum(part.topics >= LEAST_TESTED_TOPICS for part in self.groups.values())
            groups = f"Groups of at least {LEAST_TESTED_TOPICS} topics are tested"
            text = f"{groups}, here {tested} of {len(self.groups)}"
            found.append(f"{text}; their p and intervals are corrected for all of these.")
        for name, part in self.groups.items():
            found += [
                f"{name}: {note}" for note in part.notes_on_pairs() if note not in self.lacking
            ]
        return found

    def remark_notes(self) -> list[str]:
        """None: `lacking` has them among the notes."""
        return []

    def notes_on_pairs(self) -> list[str]:
        """What is special about some differences, and about the runs."""
        noted: dict[str, list[Test]] = {}
        for test in self.outcomes:
            if test.note and test.test in METHODS:
                noted.setdefault(test.note, []).append(test)
        found = [f"{_pairs(tests)}: {note}." for note, tests in noted.items()]
        return [*found, *self.lacking]

    def tables(self) -> list[Table]:
        """The tables of the primary procedure, then one of each further test, with its title.

        Differences from a baseline have a row per run, and further tests a row per pair. Without a
        baseline, there is a row per pair for at most 15 pairs, else a row per run, and a second
        table compares the best run with the next ten.
        """
        if self.baseline:
            found = [self._against()]
        else:
            found = [self._of_test(PAIRED_T)]
        if not self._has_row_per_pair:
            found.append(self._best_against_next())
        of_all_runs = [test for test in self.outcomes if test.run is None]
        if of_all_runs:
            records = [vars(test) | {"measure": str(test.measure)} for test in of_all_runs]
            found.append(Table.of(OF_ALL_RUNS, records, "Tests of all runs"))
        of_pairs = [test.test for test in self.outcomes if test.run is not None]
        for name in dict.fromkeys(of_pairs):
            title = f"{name}, {self._correction_in_title(name)}"
            if name == BY_GROUP:
                question = f"Does the difference depend on the group? {title}"
                found.append(self.by_pair(name, question))
            elif name != self.primary:
                found.append(self._of_test(name, title))
        for name, part in self.groups.items():
            title = f"{name} ({counted(part.topics, self.unit)})"
            found += [replace(table, title=title) for table in part.tables()]
        return found

    def _correction_in_title(self, test: str) -> str:
        """The correction of the p-values of a further test, for the title of its table."""
        if test == TUKEY_HSD:
            return "corrected for all pairs"
        if not self._correction.is_corrected:
            return "uncorrected"
        return f"{self._correction.name} for {counted(self.pairs, 'comparison')}"

    @cached_property
    def _means(self) -> dict[tuple[Measure, str], float]:
        """The mean by measure and run."""
        found = {}
        for measure, means in zip(self.measures, self.values.T.tolist(), strict=True):
            for run, mean in zip(self.runs, means, strict=True):
                found[measure, run] = mean
        return found

    def _against(self) -> Table:
        """The difference of each run from the baseline, best run first."""
        shown = fields_shown(PAIRED_T)
        cells: dict[tuple[Measure, str], list[Any]] = {}
        for key, mean in self._means.items():
            cells[key] = [mean, "baseline"] + [None] * (len(shown) - 1)
        for test in self.outcomes:
            if test.test == PAIRED_T:
                key = test.measure, str(test.run)
                numbers = [getattr(test, each.name) for each in shown]
                cells[key] = [self._means[key], *numbers]
        return self.by_run(["mean", *(each.heading for each in shown)], cells)

    def _of_test(self, test: str, title: str = "") -> Table:
        """A row per pair or, of more than 15 pairs without baseline, per run, the best first."""
        if self._has_row_per_pair:
            return self.by_pair(test, title)
        cells = {
            (measure, run): [self._means[measure, run], beaten]
            for measure in self.measures
            for run, beaten in self.beaten(measure, test).items()
        }
        return self.by_run(["mean", "better than"], cells, title)

    def _best_against_next(self) -> Table:
        """The differences of the best run by each measure and the ten runs after it."""
        chosen = []
        for measure in self.measures:
            best, *others = self.best_first(measure)
            followers = others[:NEXT_RUNS]
            for test in self.find(measure):
                if test.run == best and test.other in followers:
                    chosen.append(test)
        return self._table_of(chosen, fields_shown(PAIRED_T), BEST_AGAINST_NEXT)

    def by_pair(self, test: str, title: str) -> Table:
        """A row per measure and pair with the numbers of a test."""
        tests = [outcome for measure in self.measures for outcome in self.find(measure, test)]
        return self._table_of(tests, fields_shown(test), title)

    def _table_of(self, tests: Iterable[Test], shown: Sequence[Field], title: str) -> Table:
        """A row per test with the fields that people read."""
        rows = []
        for test in tests:
            numbers = [getattr(test, each.name) for each in shown]
            rows.append([str(test.measure), test.run, test.other, *numbers])
        headings = [each.heading for each in shown]
        return Table(["measure", "run", "other", *headings], rows, title)

    def by_run(
        self,
        columns: Iterable[str],
        cells: Mapping[tuple[Measure, str], Sequence[Any]],
        title: str = "",
    ) -> Table:
        """A row per measure and run with its `cells`, the best run first.

        Without a baseline, runs have letters, the same in all tables.
        """
        label = {run: [run] for run in self.runs}
        names = ["run"]
        if not self.baseline:
            label = {run: [letters(number), run] for number, run in enumerate(self.runs)}
            names = ["letter", "run"]
        rows = [
            [str(measure), *label[run], *cells[measure, run]]
            for measure in self.measures
            for run in self.best_first(measure)
        ]
        return Table(["measure", *names, *columns], rows, title)

    def beaten(self, measure: Measure, test: str = "") -> dict[str, str]:
        """The letters of the runs that each run beats, grouped by stars, or their number if they
        are many."""
        losers_of: dict[str, dict[str, list[int]]] = {run: defaultdict(list) for run in self.runs}
        number_of = {run: number for number, run in enumerate(self.runs)}
        for (winner, loser), p in self.wins(measure, test).items():
            losers_of[winner][stars(p)].append(number_of[loser])
        found = {}
        for run, groups in losers_of.items():
            most_stars_first = sorted(groups.items(), reverse=True)
            named = []
            numbers = []
            for mark, losers in most_stars_first:
                named.append(f"{', '.join(map(letters, sorted(losers)))}{mark}")
                numbers.append(f"{len(losers)}{mark}")
            cell = "; ".join(named)
            if len(cell) > CELL_WIDTH:
                cell = "; ".join(numbers)
            found[run] = cell
        return found

    def papers(self) -> list[PaperTable]:
        """The table that papers print: runs × measures, over all topics and over each group of
        them."""
        correction = ""
        if self.family > 1:
            family = counted(self.family, "difference")
            correction = f", {self._correction.name} for {family} per measure"
        of_group = f" ({self.name})" if self.name else ""
        about = [
            f"Means over {self._topics_of(self.measures)}{of_group}.",
            f"Paired t-tests{correction}, p < {self.alpha:g}.",
        ]
        wins = [self.wins(measure) for measure in self.measures]
        own = PaperTable(self.runs, self.measures, self.values, wins, self.baseline, about)
        of_groups = [table for part in self.groups.values() for table in part.papers()]
        return [own, *of_groups]

    def to_latex(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The tables that papers print in LaTeX, which needs the package booktabs.

        The best mean of each measure is bold, the second-best of more than two underlined. Letters
        mark significant differences, and the caption names the test. `comments` stand above as
        LaTeX comments.
        """
        first, *others = (table.latex(places) for table in self.papers())
        above = [f"% {clean(line)}" for line in comments]
        below = [f"% {clean(line)}" for line in self.notes()]
        with_comments = "\n".join([*above, first, *below])
        return "\n\n".join([with_comments, *others])

    def to_markdown(self, places: int = PLACES) -> str:
        """The same tables in Markdown."""
        tables = [table.markdown(places) for table in self.papers()]
        above = sentences("markdown", self.answer()[:1])
        return "\n\n".join([*above, *tables, *sentences("markdown", self.lacking)])

    def to_html(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The same tables in HTML."""
        above = [f"<!-- {escaped_html(line).replace('--', '- -')} -->" for line in comments]
        answer = f"<p>{escaped_html(self.answer()[0])}</p>"
        tables = [table.html(places) for table in self.papers()]
        below = [f"<p>{escaped_html(sentence)}</p>" for sentence in self.lacking]
        return "\n".join([*above, answer, *tables, *below])

    @plots.styled
    def figure(self) -> Figure:
        """Draw the differences from the baseline, or which runs beat which of all pairs.

        Raises `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        if self.baseline:
            return figures.differences(self)
        return figures.all_pairs(self)


def _are(names: Sequence[str]) -> str:
    """The verb of at most one name, or of several."""
    return "is" if len(names) <= 1 else "are"


def difference_sentence(test: Test) -> str:
    """The difference of two runs, the better one first if it is significant, as the start of a
    sentence."""
    first, second = str(test.run), str(test.other)
    sign = 1
    if test.winner == test.other:
        first, second = second, first
        sign = -1
    relation = "does not differ significantly from"
    if test.significant:
        relation = "is better than"
    difference = decimal(sign * (test.difference or 0), "+")
    sentence = f"{first} {relation} {second} by {test.measure}: {difference}"
    if test.lower is not None and test.upper is not None:
        low, high = sorted((sign * test.lower, sign * test.upper))
        sentence += f" ({decimal(low)} to {decimal(high)})"
    if test.adjusted is None:
        return f"{sentence}, {test.note or 'no p'}"
    return f"{sentence}, {p_of(test.adjusted)}"


def _pairs(tests: Iterable[Test]) -> str:
    """The pairs of runs of some tests, with the measure."""
    return listed(dict.fromkeys(f"{test.run} and {test.other} by {test.measure}" for test in tests))
