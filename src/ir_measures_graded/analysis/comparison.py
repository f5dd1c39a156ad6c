"""The result of a comparison: one frame for each question, tables and figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ..core.registry.facts import sign_of
from ..core.registry.notation import one_of
from ..errors import GradedError, did_you_mean
from ..output import plots
from ..output.formats import counted, decimal, listed, p_of
from ..output.tables import Column, Table
from .paper import ComparedRuns, PaperTable, Win, beaten_cell, in_order, letters, stars
from .statistics.paired import FEW

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

CONOVER: Final = "Conover"
TUKEY_HSD: Final = "Tukey HSD"
PAIRED_T: Final = "paired t"
BY_GROUP: Final = "Alexander–Govern"
"""The test of whether the difference of two runs depends on the group of topics."""
HOLM: Final = " with Holm's correction"

MEAN_RANK = {"rank": "mean rank"}
"""What people read above a column of the means."""
FEW_PAIRS = 15
"""A table for people has a row per pair of at most this many; with more, a row per run."""
MANY_RUNS = 25
"""A table for people has a row per run of at most this many; with more, for those as good as the best."""
MANY_STARS = 40
"""A figure of more runs has shades without stars."""
LARGEST_CELL, SMALLEST_CELL = 0.3, 0.1
MINIMAL_SIDE = 7
"""A panel has room for at least this many runs, so that its title fits."""


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

    The primary test, the paired t-test, also has the `difference` of the means of `run` and `other`, with
    bounds (`lower`, `upper`) that hold for the whole family together, the standard `deviation` of the
    differences over the topics, Cohen's d_z (`effect_size`), and the smallest true difference that it finds
    with probability .8 at the family's level (`detectable`).
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
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("p", "adjusted"):
            if (p := getattr(self, name)) is not None:
                object.__setattr__(self, name, PValue(p))

    @property
    def winner(self) -> str | None:
        """The run that is significantly better."""
        return self.better if self.significant else None


OF_A_DIFFERENCE = ("measure", "run", "other", "difference", "lower", "upper", "statistic", "p", "adjusted",
                   "significant", "effect_size", "detectable", "note")  # fmt: skip
NUMBERS = {
    "difference": "difference", "lower": "lower", "upper": "upper",
    "p": "adjusted", "d_z": "effect_size", "MDE": "detectable",
}  # fmt: skip
"""The columns of the primary test, and its fields."""
FURTHER = {"statistic": "statistic", "p": "adjusted", "better": "winner"}
"""The columns of other tests of pairs, and their fields."""
OVER_GROUPS = {"statistic": "statistic", "p": "adjusted", "note": "note"}
COLUMNS = {PAIRED_T: NUMBERS, BY_GROUP: OVER_GROUPS}
OF_A_TEST = ("measure", "test", "run", "other", "better", "statistic", "p", "adjusted", "significant", "note")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ComparedRuns):
    """Means of several runs over the topics, and tests of their differences, the primary one first.

    Three data frames answer three questions: `means` (a row per measure and run), `differences` (a row per
    measure and pair of the families, by the primary procedure) and `tests` (a row per further test). Each of
    the `references` has a family, which are the given baselines, or the first of two runs; without them, all
    pairs are one family.

    `values` and `ranks` are arrays (runs × measures); `ranks` holds each run's mean rank over the topics,
    1 for the best. `outcomes` holds all tests. `lacking` is the
    number of topics that a run lacks. `groups` has the comparisons over groups of topics. Such a comparison
    has the `name` of the group, and the number `families` of groups that are tested together. `unit`
    is ``topic`` or ``session``.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: int
    values: np.ndarray
    ranks: np.ndarray
    outcomes: tuple[Test, ...]
    references: tuple[str, ...]
    alpha: float
    uncorrected: bool = False
    lacking: Mapping[str, int] = field(default_factory=dict)
    name: str = ""
    families: int = 1
    groups: Mapping[str, Comparison] = field(default_factory=dict)
    unit: str = "topic"

    @cached_property
    def means(self) -> DataFrame:
        """A row per measure and run: its mean, and its mean rank over the topics."""
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
            raise GradedError(f"what={what!r} is not allowed; it is 'differences', 'means' or 'tests'")
        table = self._means() if what == "means" else self._tests(what == "tests")
        if not self.groups:
            return table
        parts = {None: table} | {name: part.data(what) for name, part in self.groups.items()}
        rows = [[name, *row] for name, part in parts.items() for row in part.rows]
        return replace(table, columns=["group", *table.columns], rows=rows)

    def _tests(self, further: bool) -> Table:
        names = OF_A_TEST if further else OF_A_DIFFERENCE
        tests = [test for test in self.outcomes if (test.test != PAIRED_T) == further]
        return Table.of(names, [vars(test) | {"measure": str(test.measure)} for test in tests])

    def _means(self, title: str = "") -> Table:
        arrays = {"mean": self.values.T, "rank": self.ranks.T}
        axes = {"measure": [*map(str, self.measures)], "run": self.runs}
        columns = [Column(name, MEAN_RANK.get(name, "")) for name in (*axes, *arrays)]
        return replace(Table.of_arrays(axes, arrays, title), columns=columns)

    @property
    def primary(self) -> list[Test]:
        """All tests of the primary procedure."""
        return [test for test in self.outcomes if test.test == PAIRED_T]

    def find(self, measure: Measure | str, test: str = PAIRED_T) -> list[Test]:
        """All tests of this name for one of the measures."""
        return [*self._found.get((one_of(self.measures, measure), test), ())]

    @cached_property
    def _found(self) -> dict[tuple[Measure, str], list[Test]]:
        found = defaultdict(list)
        for test in self.outcomes:
            found[test.measure, test.test].append(test)
        return found

    @property
    def pairs(self) -> int:
        """The number of pairs of runs in a family."""
        count = len(self.runs)
        return count - 1 if self.references else count * (count - 1) // 2

    @property
    def family(self) -> int:
        """The number of differences that are tested together."""
        return self.pairs * self.families

    def wins(self, measure: Measure | str, test: str = PAIRED_T) -> list[Win]:
        """The better and the worse run of each significant difference by a pairwise test, and its p."""
        return [
            (one.winner, one.other if one.winner == one.run else one.run, one.adjusted)
            for one in self.find(measure, test)
            if one.winner
        ]

    def best_first(self, measure: Measure | str) -> list[str]:
        """The runs, sorted from the best mean by one of the measures to the worst."""
        measure = one_of(self.measures, measure)
        return in_order(self.runs, measure, self.values[:, self.measures.index(measure)])

    def pairwise(self) -> tuple[str, ...]:
        """The names of the tests that compare two runs, the primary one first."""
        names = dict.fromkeys(test.test for test in self.outcomes if test.run is not None)
        return tuple(name for name in names if name != BY_GROUP)

    def answer(self) -> list[str]:
        """What the tests find by each measure, in a sentence."""
        return [self._answer(measure, base) for measure in self.measures for base in self.references or ("",)]

    def _answer(self, measure: Measure, base: str) -> str:
        tests = [test for test in self.find(measure) if base in ("", test.other)]
        over = f"paired t over {counted(self.topics, self.unit)}"
        if len(tests) == 1:
            return f"{_told(tests[0])}, {over}."
        significant = [test for test in tests if test.significant]
        differ = f"differ{'s' * (len(significant) == 1)}"
        found = f"{len(significant)} of {counted(len(tests), 'pair')} {differ} by {measure}, {over}"
        better = [test.run for test in significant if test.winner == test.run]
        if base:
            named = f"{listed(better)} {'is' if len(better) == 1 else 'are'}" if better else "nothing is"
            return f"{found}; {named} certainly better than {base}."
        best, *others = self.top(measure)
        if not others:
            return f"{found}; {best} is certainly better than every other run."
        named = f"{listed(others)} {'is' if len(others) == 1 else 'are'}"
        return f"{found}; {best} has the best mean, and {named} not certainly worse."

    def top(self, measure: Measure | str, test: str = PAIRED_T) -> list[str]:
        """The best run by one of the measures, and all runs that are not significantly worse."""
        best, *others = self.best_first(measure)
        won = [test for test in self.find(measure, test) if test.winner == best]
        beaten = {run for test in won for run in (test.run, test.other)}
        return [best, *(run for run in others if run not in beaten)]

    def notes(self) -> list[str]:
        """Sentences that the reader of the tables needs."""
        intervals = f"{100 * (1 - self.alpha):g} % intervals (Student's t)"
        together, level, count = "", "", counted(self.family, "difference")
        if self.family > 1:
            together = f"; p has Holm's correction and the intervals hold together, for {count}"
            level = " at this level"
        columns = (
            "d_z is the mean difference in standard deviations of the differences. MDE is the smallest true "
            f"difference found with probability 0.8{level}."
        )
        if not self.references and self.pairs > FEW_PAIRS:
            columns = (
                "The mean rank over the topics is 1 for a run that is always best. The last column has the "
                "letters or the number of the runs that a run beats (** p < 0.01, * p < 0.05)."
            )
            if len(self.runs) > MANY_RUNS:
                columns += " Runs that are certainly worse than the best have no row; --show runs has all."
        over = counted(self.topics, self.unit)
        found = [f"Paired t-tests over {over}, {intervals}{together}. {columns}"]
        families, primary = len(self.measures) * max(1, len(self.references)), ""
        if len(self.measures) > 1:
            primary = f"; {self.measures[0]}, named first, is the primary one"
        if families > 1:
            found.append(f"{families} families of {count} were tested{primary}.")
        found += self._remarks()
        remarks = [f"{name}: {note}" for name, part in self.groups.items() for note in part._remarks()]
        if self.groups:
            tested = sum(part.topics >= FEW for part in self.groups.values())
            text = f"Groups of at least {FEW} topics are tested: their p and intervals are corrected for "
            found.append(f"{text}{counted(tested, 'group')}.")
        return found + remarks

    def _remarks(self) -> list[str]:
        """What is special about some differences."""
        found = []
        primary = self.primary
        if stronger := [t for t in primary if t.significant and (t.lower or 0.0) * (t.upper or 0.0) <= 0]:
            found.append(
                f"Holm's test finds more than the intervals show: {_pairs(stronger)} "
                f"differ with p < {self.alpha:g}, and the interval reaches 0."
            )
        for note in dict.fromkeys(test.note for test in primary if test.note):
            found.append(f"{_pairs([test for test in primary if test.note == note])}: {note}.")
        return found + [
            f"{run} lacks {counted(number, self.unit)}; the value there is that of an empty ranking."
            for run, number in self.lacking.items()
        ]

    def tables(self) -> list[Table]:
        """The tables of the primary procedure, then one of each further test, with its title.

        Differences from a reference have a row per run, others a row per pair for at most 15 pairs, else a
        row per run.
        """
        found = [*map(self._against, self.references)] or [self._of_test(PAIRED_T)]
        if omnibus := [test for test in self.outcomes if test.run is None]:
            p = [test.p if test.adjusted is None else test.adjusted for test in omnibus]
            rows = [[str(t.measure), t.test, t.statistic, of, t.note] for t, of in zip(omnibus, p)]
            found.append(Table(["measure", "test", "statistic", "p", "note"], rows, "Tests of all runs"))
        for name in self.pairwise()[1:]:
            found.append(self._of_test(name, f"{name}, {self.correction(name)}"))
        if any(test.test == BY_GROUP for test in self.outcomes):
            title = f"Does the difference depend on the group? {BY_GROUP}, {self.correction(BY_GROUP)}"
            found.append(self._of_test(BY_GROUP, title))
        return found + self.tables_of_groups()

    def tables_of_groups(self) -> list[Table]:
        """The tables of all groups, titled with the group."""
        named = {f"{name} ({counted(part.topics, self.unit)})": part for name, part in self.groups.items()}
        return [
            replace(table, title=f"{name}: {table.title}" if table.title else name)
            for name, part in named.items()
            for table in part.tables()
        ]

    def correction(self, test: str) -> str:
        """The correction of a pairwise test for the number of comparisons."""
        others = {TUKEY_HSD: "corrected for all pairs", CONOVER: "uncorrected" if self.uncorrected else ""}
        count = self.pairs if test == BY_GROUP else self.family
        return others.get(test) or f"Holm's correction for {counted(count, 'comparison')}"

    def _against(self, reference: str) -> Table:
        """The difference of each run from a reference, best run first."""
        tests = {(test.measure, test.run): test for test in self.primary if test.other == reference}

        def cells(measure: int, run: int) -> list[Any]:
            test = tests.get((self.measures[measure], self.runs[run]))
            numbers = _cells(test, NUMBERS) if test else ["baseline", *[None] * 5]
            return [float(self.values[run, measure]), *numbers]

        title = f"Against {reference}" if len(self.references) > 1 else ""
        return self.by_run(["mean", *NUMBERS], cells, lettered=False, title=title)

    def _of_test(self, test: str, title: str = "") -> Table:
        """A row per measure and pair or, of more than 15 pairs, per run, the best runs first.

        The runs then have letters from A, by the first measure. The last column holds the letters of the runs
        that this run beats, with stars, or the number of these runs if there are too many letters. Of more
        than 25 runs, only the best and those that are not significantly worse have a row.
        """
        if self.pairs <= FEW_PAIRS or test == BY_GROUP:
            columns = COLUMNS.get(test, FURTHER)
            rows = [
                [str(measure), found.run, found.other, *_cells(found, columns)]
                for measure in self.measures
                for found in self.find(measure, test)
            ]
            return Table(["measure", "run", "other", *columns], rows, title)
        shown = [self.top(each, test) for each in self.measures] if len(self.runs) > MANY_RUNS else ()
        return self.by_runs(test, title, shown)

    def by_runs(self, test: str = PAIRED_T, title: str = "", shown: Sequence[Sequence[str]] = ()) -> Table:
        """A row per measure and run with the runs that it beats, by default for all runs."""
        wins = defaultdict(list)
        for number, measure in enumerate(self.measures):
            for win in self.wins(measure, test):
                wins[number, win[0]].append(win)

        def cells(measure: int, run: int) -> list[Any]:
            beaten = beaten_cell(self.runs[run], wins[measure, self.runs[run]], self.order)
            return [float(self.values[run, measure]), float(self.ranks[run, measure]), beaten]

        columns = ["mean", "mean rank", "better than"]
        return self.by_run(columns, cells, lettered=True, title=title, shown=shown)

    @property
    def paper(self) -> PaperTable:
        """The table that papers print: runs × measures."""
        of_group = f" of the group {self.name}" if self.name else ""
        holm = f", Holm's correction for {counted(self.family, 'difference')} per measure"
        holm += " and baseline" if len(self.references) > 1 else ""
        about = [
            f"Means over {counted(self.topics, self.unit)}{of_group}.",
            f"Paired t-tests{holm if self.family > 1 else ''}, p < {self.alpha:g}.",
        ]
        wins = [self.wins(measure) for measure in self.measures]
        return PaperTable(self.runs, self.measures, self.values, wins, self.references, about)

    def papers(self) -> list[PaperTable]:
        """The table that papers print: runs × measures, over all topics and over each group of them."""
        return [part.paper for part in (self, *self.groups.values())]

    def figure(self) -> Figure:
        """Draw the differences from the references or between two runs, else `significant_pairs`."""
        return self._differences() if self.references else self.significant_pairs()

    @plots.styled
    def _differences(self) -> Figure:
        """Draw the difference of each run from a reference with its confidence interval.

        There is one panel per measure. The best runs by the first measure are on top, or the groups of topics
        and the references in their order. A marker is filled if the difference is significant.
        """
        parts = {"all topics": self, **self.groups}
        rows = [(name, base, run) for name in parts for base in self.references for run in self.runs]
        none = Test(self.measures[0], PAIRED_T, difference=0.0, lower=0.0, upper=0.0)
        found = {
            (name, test.other, test.run, test.measure): test
            for name, part in parts.items()
            for test in part.primary
        }
        tests = [[found.get((*row, measure), none) for measure in self.measures] for row in rows]
        values, lower, upper, filled = (
            np.array([[getattr(test, name) for test in row] for row in tests], dtype=float)
            for name in ("difference", "lower", "upper", "significant")
        )
        own = [number for number, (_, base, run) in enumerate(rows) if run == base]
        options: dict[str, Any] = {"bounds": np.stack([lower, upper]), "filled": filled, "baseline": own}
        label = f"Difference from {' or '.join(self.references)}"
        together = "simultaneous " if self.family > 1 or self.groups else ""
        text = f"Mean differences and {together}{100 * (1 - self.alpha):g} % intervals\n"
        text += f"filled: p < {self.alpha:g}{HOLM if self.family > 1 else ''}"
        labels = [run for _, _, run in rows]
        if self.groups or len(self.references) > 1:
            options["rows_of"] = labels
            labels = [self._label(parts[name], base, run) for name, base, run in rows]
        names, signs = list(map(str, self.measures)), list(map(sign_of, self.measures))
        figure = plots.dot_plot(labels, names, values, signs, label, **options)
        figure.suptitle(text, x=0.01, ha="left", size=9)
        return figure

    def _label(self, part: Comparison, base: str, run: str) -> str:
        """The label of a row: the group, if there are any, then the runs if there are several."""
        pair = f"{run} − {base}" if len(self.references) > 1 else run
        if not self.groups:
            return pair
        group = f"{part.name or 'all topics'} ({part.topics})"
        return f"{group}: {pair}" if len(self.runs) > 2 else group

    @plots.styled
    def significant_pairs(self) -> Figure:
        """Draw the significant differences of each pair of runs, one panel per measure.

        Runs are sorted from the best mean to the worst and have letters. The shade and the stars of a cell
        above the diagonal show the significance of the primary test; those below it show the first further
        test of pairs, if there is one. Raises `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        names, runs, count = plots.INCHES * (max(map(len, self.runs)) + 5), len(self.runs), len(self.measures)

        def size(across: int, cell: float) -> tuple[float, float]:
            side = cell * max(runs, MINIMAL_SIDE)
            return (side + names) * across, (side + 1.2) * -(-count // across)

        def largest(across: int) -> float:
            width, height = size(across, cell=0)
            height = (plots.PAGE[1] - height) / -(-count // across)
            room = min((plots.PAGE[0] - width) / across, height) / runs
            return min(max(room, SMALLEST_CELL), LARGEST_CELL)

        # As many panels side by side as allow the largest cells on a page.
        across = min(range(1, count + 1), key=lambda each: (-largest(each), max(size(each, largest(each)))))
        figure = plots.new_figure(*size(across, largest(across)))
        figure.set_layout_engine("compressed")  # keeps the cells square
        for axes, measure in zip(plots.panels(figure, count, across), self.measures):
            self._draw(axes, measure, size=min(9.0, 55 * largest(across)))
        return figure

    def _draw(self, axes: Axes, measure: Measure, size: float) -> None:
        order, drawn = self.best_first(measure), self.pairwise()[:2]
        place = {run: number for number, run in enumerate(order)}
        shades, texts = np.full((len(order), len(order)), np.nan), {}
        for found in (test for name in drawn for test in self.find(measure, name) if test.significant):
            first, second = sorted((place[str(found.run)], place[str(found.other)]))
            cell = (first, second) if found.test == PAIRED_T else (second, first)
            contrary = "<" if found.better == order[second] else ""  # ranks can contradict means
            texts[cell] = contrary + stars(found.adjusted or 0.0)
            shades[cell] = 1 + (texts[cell].endswith("**"))
        if len(order) > MANY_STARS:
            texts = {}
        columns = [letters(self.order.index(run)) for run in order]
        rows = [f"{run}  {letter:>2}" for run, letter in zip(order, columns)]
        plots.draw_cells(axes, shades, texts, rows, columns, size)
        axes.plot([-0.5, len(order) - 0.5], [-0.5, len(order) - 0.5], color=plots.GREY, linewidth=0.8)
        axes.set_title(plots.title(measure, width=36), loc="right", size=10)
        sides = ", ".join(f"{side}: {name}" for side, name in zip(("above", "below"), drawn))
        dark, light = ("**", "*") if len(order) <= MANY_STARS else ("dark:", "light:")
        legend = f"{sides}{HOLM * (self.family > 1)}\n{dark} p < 0.01, {light} p < 0.05"
        axes.set_xlabel(legend, loc="right", size=9)


def _told(test: Test) -> str:
    """The difference of two runs, the better one first if it is significant, as the start of a sentence."""
    names, sign = (str(test.run), str(test.other)), 1
    if test.winner == test.other:
        names, sign = names[::-1], -1
    relation = "is better than" if test.significant else "does not certainly differ from"
    found = (
        f"{names[0]} {relation} {names[1]} by {test.measure}: {decimal(sign * (test.difference or 0), '+')}"
    )
    if test.lower is not None and test.upper is not None:
        low, high = sorted((sign * test.lower, sign * test.upper))
        found += f" ({decimal(low)} to {decimal(high)})"
    return f"{found}, {test.note or 'no p' if test.adjusted is None else p_of(test.adjusted)}"


def _cells(test: Test, columns: Mapping[str, str]) -> list[Any]:
    return [getattr(test, name) for name in columns.values()]


def _pairs(tests: Iterable[Test]) -> str:
    """The pairs of runs of some tests, with the measure."""
    return listed(f"{test.run} and {test.other} by {test.measure}" for test in tests)


def references_of(runs: Sequence[str], baseline: str | Sequence[str] | None) -> tuple[str, ...]:
    """The baselines or, without any, the first of two runs. Raises `GradedError` for an unknown baseline."""
    given = (baseline,) if isinstance(baseline, str) else tuple(dict.fromkeys(baseline or ()))
    for name in given:
        if name not in runs:
            hint = did_you_mean(name, runs)
            raise GradedError(f"the baseline {name!r} is not among the runs {listed(runs, most=10)}{hint}")
    return given or (tuple(runs[:1]) if len(runs) == 2 else ())
