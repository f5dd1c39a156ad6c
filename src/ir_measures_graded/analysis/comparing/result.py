"""The result of a comparison: one frame for each question, tables and figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...core.registry.notation import one_of
from ...errors import GradedError
from ...output import plots
from ...output.formats import PLACES, clean, counted, decimal, escaped_html, listed, p_of, sentences
from ...output.result import Result
from ...output.tables import Table
from ..statistics.defaults import LEAST_TESTED_TOPICS as FEW
from .paper import PaperTable, letters

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

CONOVER: Final = "Conover"
TUKEY_HSD: Final = "Tukey HSD"
PAIRED_T: Final = "paired t"
THESE: Final = "these collections"
LIKE_THESE: Final = "collections like these"
BY_GROUP: Final = "Alexander–Govern"
"""The test of whether the difference of two runs depends on the group of topics."""
METHODS: Final = {PAIRED_T: "paired t", THESE: "stratified t", LIKE_THESE: "Student's t"}
"""The primary procedures in the answer."""

STARS = ((0.01, "**"), (0.05, "*"))
"""The marks of p-values below these limits, as in Table II of Järvelin & Kekäläinen 2002."""
CELL_WIDTH = 24
"""A longer list of letters becomes a number."""
FEW_PAIRS = 15
"""A table for people has a row per pair of at most this many; with more, a row per run."""
LARGEST_CELL, SMALLEST_CELL = 0.3, 0.1
"""The side of a cell of the figure of all pairs in inches."""


class PValue(float):
    """A p-value; formatted as text, a small one is not rounded to 0.

    >>> f"{PValue(0.0312):.3f}, {PValue(0.0000312):.3f}"
    '0.031, 3.1e-05'
    """

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        text = super().__format__(spec)
        return text if float(text) or not float(self) else super().__format__(".1e")


@dataclass(frozen=True)
class Test:
    """A significance test of one measure's values.

    `run` and `other` are the two runs compared; both are None in a test of all runs. `better` is the run that
    the test favours, and `significant` whether it is better. `statistic` and `p` are None if they are
    undefined or the library does not return them; `note` gives the reason. `adjusted` is p with the
    correction for the family.

    A primary test also has the `difference` of the means of `run` and `other`, with bounds (`lower`, `upper`)
    that hold for the whole family together. The paired t-test has the standard `deviation` of the differences
    over the topics, Cohen's d_z (`effect_size`), and the smallest true difference that it finds with
    probability .8 at the family's level (`detectable`), None if all topics have the same difference.
    Tests over collections have Cochran's `Q`, its p-value, and `I2`, which tell whether the difference
    varies between the collections.
    """

    __test__ = False  # tells pytest that this class is not a test

    measure: Measure
    test: str
    run: str | None = None
    other: str | None = None
    better: str | None = None
    difference: float | None = None
    lower: float | None = None
    upper: float | None = None
    statistic: float | None = None
    p: float | None = None
    adjusted: float | None = None
    significant: bool = False
    deviation: float | None = None
    effect_size: float | None = None
    detectable: float | None = None
    Q: float | None = None
    p_Q: float | None = None
    I2: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("p", "adjusted", "p_Q"):
            if (p := getattr(self, name)) is not None:
                object.__setattr__(self, name, PValue(p))

    @property
    def winner(self) -> str | None:
        """The run that is significantly better."""
        return self.better if self.significant else None


OF_A_DIFFERENCE = ("measure", "run", "other", "difference", "lower", "upper", "statistic", "p", "adjusted",
                   "significant", "effect_size", "detectable", "note")  # fmt: skip
OF_A_TEST = (
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
BOUNDED = {"difference": "difference", "lower": "lower", "upper": "upper", "p": "adjusted"}
NUMBERS = BOUNDED | {"d_z": "effect_size", "MDE": "detectable"}
OVER_ALL = BOUNDED | {"Q": "Q", "p of Q": "p_Q", "I²": "I2"}
COLUMNS = {PAIRED_T: NUMBERS, THESE: OVER_ALL, LIKE_THESE: OVER_ALL}
COLUMNS[BY_GROUP] = {"statistic": "statistic", "p": "adjusted", "note": "note"}
"""The columns of a test of pairs for people, and its fields; those of other tests are `FURTHER`."""
FURTHER = {"statistic": "statistic", "p": "adjusted", "better": "winner"}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Means of several runs over the topics, and tests of their differences, the primary one first.

    Three data frames answer three questions: `means` (a row per measure and run), `differences` (a row per
    measure and pair of the family, by the primary procedure) and `tests` (a row per further test). The
    family has all runs against the `baseline`, which is the given one, or the first of two runs; without it,
    all pairs.

    `values` (runs × measures) are the means. `outcomes` holds all tests; `primary` is the name of the primary
    one. `lacking` has a sentence on each run that lacks topics. `groups` has the comparisons over groups of
    topics. Such a comparison has the `name` of the group, and the number `families` of groups that are tested
    together. `unit` is ``topic`` or ``session``.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: int
    values: np.ndarray
    outcomes: tuple[Test, ...]
    baseline: str | None
    alpha: float
    uncorrected: bool = False
    name: str = ""
    families: int = 1
    groups: Mapping[str, Comparison] = field(default_factory=dict)
    unit: str = "topic"
    primary: str = PAIRED_T
    lacking: Sequence[str] = ()

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
        """One row per measure and pair of runs; or the rows of `means` or `tests`. Those of groups follow."""
        if what not in ("differences", "means", "tests"):
            raise GradedError(
                f"what={what!r} is not allowed; it is 'differences', 'means' or 'tests'"
            )
        if what == "means":
            axes = {"measure": [*map(str, self.measures)], "run": self.runs}
            table = Table.of_arrays(axes, {"mean": self.values.T})
        else:
            tests = [
                test for test in self.outcomes if (test.test == PAIRED_T) == (what == "differences")
            ]
            names = OF_A_DIFFERENCE if what == "differences" else OF_A_TEST
            table = Table.of(names, [vars(test) | {"measure": str(test.measure)} for test in tests])
        if not self.groups:
            return table
        parts = {None: table} | {name: part.data(what) for name, part in self.groups.items()}
        rows = [[name, *row] for name, part in parts.items() for row in part.rows]
        return replace(table, columns=["group", *table.columns], rows=rows)

    def find(self, measure: Measure | str, test: str = "") -> list[Test]:
        """All tests of this name for one of the measures; by default those of the primary procedure."""
        return list(self._tests.get((one_of(self.measures, measure), test or self.primary), ()))

    @cached_property
    def _columns(self) -> dict[Measure, int]:
        """The place of each measure on its axis."""
        return {measure: number for number, measure in enumerate(self.measures)}

    @cached_property
    def _tests(self) -> dict[tuple[Measure, str], list[Test]]:
        """The tests by measure and name; a search through all of them takes long for many measures."""
        tests: dict[tuple[Measure, str], list[Test]] = {}
        for test in self.outcomes:
            tests.setdefault((test.measure, test.test), []).append(test)
        return tests

    @property
    def pairs(self) -> int:
        """The number of pairs of runs in the family."""
        count = len(self.runs)
        return count - 1 if self.baseline else count * (count - 1) // 2

    @property
    def family(self) -> int:
        """The number of differences that are tested together."""
        return self.pairs * self.families

    def wins(self, measure: Measure | str, test: str = "") -> dict[tuple[str, str], float]:
        """The p-value of each significant difference by a test of pairs, by the better and the worse run."""
        return {
            (one.winner, str(one.other if one.winner == one.run else one.run)): one.adjusted or 0.0
            for one in self.find(measure, test)
            if one.winner
        }

    def best_first(self, measure: Measure | str) -> list[str]:
        """The runs, sorted from the best mean by one of the measures to the worst, then those without."""
        measure = one_of(self.measures, measure)
        means = self.values[:, self._columns[measure]]
        return [self.runs[run] for run in np.argsort(-sign_of(measure) * means, kind="stable")]

    def top(self, measure: Measure | str) -> list[str]:
        """The best run by one of the measures, and all runs that are not significantly worse."""
        best, *others = self.best_first(measure)
        left_out = {loser for winner, loser in self.wins(measure) if winner == best}
        means = self.values[:, self._columns[one_of(self.measures, measure)]]
        left_out |= {self.runs[run] for run in np.flatnonzero(np.isnan(means))}
        return [best, *(run for run in others if run not in left_out)]

    def answer(self) -> list[str]:
        """What the tests find by each measure, in a sentence."""
        return [*map(self._answer, self.measures)]

    def _answer(self, measure: Measure) -> str:
        tests = [test for test in self.find(measure) if test.difference is not None]
        over = f"{METHODS[self.primary]} over {counted(self.topics, self.unit)}"
        if not tests:
            return f"No difference by {measure} was tested: no pair has values in each {self.unit}."
        if len(tests) == 1:
            return f"{_told(tests[0])}, {over}."
        if all(test.adjusted is None for test in tests):
            return f"No difference by {measure} was tested; {self.best_first(measure)[0]} has the best mean."
        count = sum(test.significant for test in tests)
        differ = "differs" if count == 1 else "differ"
        found = f"{count} of {counted(len(tests), 'pair')} {differ} by {measure}, {over}"
        if self.baseline:
            better = [test.run for test in tests if test.winner == test.run]
            are = "is" if len(better) <= 1 else "are"
            return f"{found}; {listed(better) or 'nothing'} {are} significantly better than {self.baseline}."
        best, *others = self.top(measure)
        if not others:
            return f"{found}; {best} is significantly better than every other run."
        named = f"{listed(others)} {'is' if len(others) == 1 else 'are'}"
        return f"{found}; {best} has the best mean, and {named} not significantly worse."

    def notes(self) -> list[str]:
        """Sentences that the reader of the tables needs."""
        count = counted(self.family, "difference")
        level = ""
        intervals = f"{100 * (1 - self.alpha):g} % intervals (Student's t)"
        if self.family > 1:
            intervals += f"; p has Holm's correction and the intervals hold together, for {count}"
            level = " at this level"
        columns = (
            "d_z is the mean difference in standard deviations of the differences. MDE is the smallest true "
            f"difference found with probability 0.8{level}."
        )
        if not self.baseline and self.pairs > FEW_PAIRS:
            columns = (
                "The last column has the letters or the number of the runs that a run beats with "
                f"p < {self.alpha:g} (** p < 0.01, * p < 0.05)."
            )
        found = [f"Paired t-tests over {counted(self.topics, self.unit)}, {intervals}. {columns}"]
        if len(self.measures) > 1:
            primary = f"{self.measures[0]}, named first, is the primary one"
            found.append(f"{len(self.measures)} families of {count} were tested; {primary}.")
        found += self._remarks()
        if self.groups:
            tested = sum(part.topics >= FEW for part in self.groups.values())
            text = (
                f"Groups of at least {FEW} topics are tested, here {tested} of {len(self.groups)}"
            )
            found.append(f"{text}; their p and intervals are corrected for all of these.")
        return found + [
            f"{name}: {note}" for name, part in self.groups.items() for note in part._remarks()
        ]

    def _remarks(self) -> list[str]:
        """What is special about some differences."""
        found = []
        tests = [test for test in self.outcomes if test.test in METHODS]
        primary = [test for test in tests if test.test == self.primary]
        if stronger := [
            t for t in primary if t.significant and (t.lower or 0.0) * (t.upper or 0.0) <= 0
        ]:
            found.append(
                f"Holm's test finds more than the intervals show: {_pairs(stronger)} "
                f"differ with p < {self.alpha:g}, and the interval reaches 0."
            )
        for note in dict.fromkeys(test.note for test in tests if test.note):
            found.append(f"{_pairs([test for test in tests if test.note == note])}: {note}.")
        return [*found, *self.lacking]

    def tables(self) -> list[Table]:
        """The tables of the primary procedure, then one of each further test, with its title.

        Differences from a baseline have a row per run, and further tests a row per pair. Without a
        baseline, there is a row per pair for at most 15 pairs, else a row per run.
        """
        found = [self._against() if self.baseline else self._of_test(PAIRED_T)]
        if omnibus := [test for test in self.outcomes if test.run is None]:
            rows = [
                [str(test.measure), test.test, test.statistic, test.p, test.note]
                for test in omnibus
            ]
            found.append(
                Table(["measure", "test", "statistic", "p", "note"], rows, "Tests of all runs")
            )
        holm = f"Holm's correction for {counted(self.pairs, 'comparison')}"
        corrections = {TUKEY_HSD: "corrected for all pairs"}
        if self.uncorrected:
            corrections[CONOVER] = "uncorrected"
        for name in dict.fromkeys(test.test for test in self.outcomes if test.run is not None):
            title = f"{name}, {corrections.get(name, holm)}"
            if name == BY_GROUP:
                found.append(
                    self.by_pair(name, f"Does the difference depend on the group? {title}")
                )
            elif name != self.primary:
                found.append(self._of_test(name, title))
        for name, part in self.groups.items():
            title = f"{name} ({counted(part.topics, self.unit)})"
            found += [replace(table, title=title) for table in part.tables()]
        return found

    @cached_property
    def _means(self) -> dict[tuple[Measure, str], float]:
        """The mean by measure and run."""
        return dict(
            zip(product(self.measures, self.runs), self.values.T.ravel().tolist(), strict=True)
        )

    def _against(self) -> Table:
        """The difference of each run from the baseline, best run first."""
        cells = {key: [mean, "baseline", *[None] * 5] for key, mean in self._means.items()}
        for test in self.outcomes:
            if test.test == PAIRED_T:
                key = test.measure, str(test.run)
                cells[key] = [self._means[key], *(getattr(test, name) for name in NUMBERS.values())]
        return self.by_run(["mean", *NUMBERS], cells)

    def _of_test(self, test: str, title: str = "") -> Table:
        """A row per pair or, of more than 15 pairs without baseline, per run, the best first."""
        if self.baseline or self.pairs <= FEW_PAIRS:
            return self.by_pair(test, title)
        cells = {
            (measure, run): [self._means[measure, run], beaten]
            for measure in self.measures
            for run, beaten in self.beaten(measure, test).items()
        }
        return self.by_run(["mean", "better than"], cells, title)

    def by_pair(self, test: str, title: str) -> Table:
        """A row per measure and pair with the numbers of a test."""
        columns = COLUMNS.get(test, FURTHER)
        rows = [
            [
                str(measure),
                found.run,
                found.other,
                *(getattr(found, name) for name in columns.values()),
            ]
            for measure in self.measures
            for found in self.find(measure, test)
        ]
        return Table(["measure", "run", "other", *columns], rows, title)

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
        """The letters of the runs that each run beats, grouped by stars, or their number if they are many."""
        of_run: dict[str, dict[str, list[int]]] = {run: defaultdict(list) for run in self.runs}
        place = {run: number for number, run in enumerate(self.runs)}
        for (winner, loser), p in self.wins(measure, test).items():
            mark = next((mark for limit, mark in STARS if p < limit), "")
            of_run[winner][mark].append(place[loser])
        found = {}
        for run, groups in of_run.items():
            marked = sorted(groups.items(), reverse=True)
            named = "; ".join(
                f"{', '.join(map(letters, sorted(losers)))}{mark}" for mark, losers in marked
            )
            few = len(named) <= CELL_WIDTH
            found[run] = (
                named if few else "; ".join(f"{len(losers)}{mark}" for mark, losers in marked)
            )
        return found

    def papers(self) -> list[PaperTable]:
        """The table that papers print: runs × measures, over all topics and over each group of them."""
        holm = f", Holm's correction for {counted(self.family, 'difference')} per measure"
        of_group = f" ({self.name})" if self.name else ""
        about = [
            f"Means over {counted(self.topics, self.unit)}{of_group}.",
            f"Paired t-tests{holm if self.family > 1 else ''}, p < {self.alpha:g}.",
        ]
        wins = [*map(self.wins, self.measures)]
        own = PaperTable(self.runs, self.measures, self.values, wins, self.baseline, about)
        return [own, *(table for part in self.groups.values() for table in part.papers())]

    def to_latex(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The tables that papers print in LaTeX, which needs the package booktabs.

        The best mean of each measure is bold, the second-best of more than two underlined. Letters mark
        significant differences, and the caption names the test. `comments` stand above as LaTeX comments.
        """
        first, *others = (each.latex(places) for each in self.papers())
        above, below = (
            [f"% {clean(line)}" for line in lines] for lines in (comments, self.notes())
        )
        return "\n\n".join(["\n".join([*above, first, *below]), *others])

    def to_markdown(self, places: int = PLACES) -> str:
        """The same tables in Markdown."""
        tables = (each.markdown(places) for each in self.papers())
        return "\n\n".join([*sentences("markdown", self.answer()[:1]), *tables])

    def to_html(self, places: int = PLACES, comments: Iterable[str] = ()) -> str:
        """The same tables in HTML."""
        above = [f"<!-- {escaped_html(line).replace('--', '- -')} -->" for line in comments]
        told = f"<p>{escaped_html(self.answer()[0])}</p>"
        return "\n".join([*above, told, *(each.html(places) for each in self.papers())])

    @plots.styled
    def figure(self) -> Figure:
        """Draw the differences from the baseline, or which runs beat which of all pairs.

        Raises `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        return self._differences() if self.baseline else self._all_pairs()

    def _all_pairs(self) -> Figure:
        """Draw the runs that each run beats, the best run first, one panel per measure."""
        from matplotlib.colors import ListedColormap

        count = len(self.runs)
        names = plots.INCHES * (max(map(len, self.runs)) + 5)
        side = count * min(max(plots.PAGE[0] / count, SMALLEST_CELL), LARGEST_CELL)
        height = (max(side, 2.5) + 1) * len(self.measures)  # room for the title
        figure = plots.new_figure(max(side, 2.5) + names, height)
        figure.set_layout_engine("compressed")  # keeps the cells square
        colours = ListedColormap(plots.SHADES)
        for axes, measure in zip(
            plots.panels(figure, len(self.measures), 1), self.measures, strict=True
        ):
            order = self.best_first(measure)
            marks = np.zeros((count, count))
            place = {run: number for number, run in enumerate(order)}
            for (winner, loser), p in self.wins(measure).items():
                marks[place[winner], place[loser]] = 2 if p < STARS[0][0] else 1
            axes.pcolormesh(
                marks,
                cmap=colours,
                vmin=0,
                vmax=2,
                edgecolors=plots.GREY,
                linewidth=0.2,
                rasterized=True,
            )
            columns = [letters(self.runs.index(run)) for run in order]
            size = min(9.0, 55 * side / count)
            axes.set_xticks(
                np.arange(count) + 0.5, columns, size=size, rotation=90 if count > 26 else 0
            )
            rows = [f"{run}  {letter:>2}" for run, letter in zip(order, columns, strict=True)]
            axes.set_yticks(np.arange(count) + 0.5, rows, size=size)
            axes.set(aspect="equal", ylim=(count, 0))
            axes.grid(visible=False)
            axes.set_title(plots.title(measure, width=36), loc="right", size=10)
            text = f"row better than column\ndark: p < {min(STARS[0][0], self.alpha):g}"
            axes.set_xlabel(f"{text}, light: p < {self.alpha:g}", loc="right")
        return figure

    def _differences(self) -> Figure:
        """Draw the differences from the baseline with their confidence intervals.

        There is one panel per measure. The best runs by the first measure are on top, or the groups of topics
        in their order. The marker of a difference is filled if it is significant.
        """
        names, signs = [*map(str, self.measures)], [*map(sign_of, self.measures)]
        rows, runs, labels = [], [], []
        for part in (self, *self.groups.values()):
            group = f"{part.name or f'all {self.unit}s'} ({part.topics})"
            for tests in zip(*map(part.find, self.measures), strict=True):
                run = str(tests[0].run)
                of_run = f"{group}: {run}" if len(self.runs) > 2 else group
                runs.append(run)
                labels.append(of_run if self.groups else run)
                rows.append(
                    [[test.difference, test.lower, test.upper, test.significant] for test in tests]
                )
        values, lower, upper, filled = np.moveaxis(np.array(rows, dtype=float), -1, 0)
        label, rows_of = f"Difference from {self.baseline}", runs if self.groups else None
        bounds = np.stack([lower, upper])
        figure = plots.dot_plot(
            labels, names, values, signs, label, bounds, filled, rows_of=rows_of
        )
        together = "simultaneous " if self.family > 1 or self.groups else ""
        holm = " with Holm's correction" if self.family > 1 else ""
        text = f"Mean differences and {together}{100 * (1 - self.alpha):g} % intervals\n"
        figure.suptitle(f"{text}filled: p < {self.alpha:g}{holm}", x=0.01, ha="left", size=9)
        return figure


def _told(test: Test) -> str:
    """The difference of two runs, the better one first if it is significant, as the start of a sentence."""
    names, sign = (str(test.run), str(test.other)), 1
    if test.winner == test.other:
        names, sign = names[::-1], -1
    relation = "is better than" if test.significant else "does not differ significantly from"
    found = f"{names[0]} {relation} {names[1]} by {test.measure}: {decimal(sign * (test.difference or 0), '+')}"
    if test.lower is not None and test.upper is not None:
        low, high = sorted((sign * test.lower, sign * test.upper))
        found += f" ({decimal(low)} to {decimal(high)})"
    return f"{found}, {test.note or 'no p' if test.adjusted is None else p_of(test.adjusted)}"


def _pairs(tests: Iterable[Test]) -> str:
    """The pairs of runs of some tests, with the measure."""
    return listed(dict.fromkeys(f"{test.run} and {test.other} by {test.measure}" for test in tests))
