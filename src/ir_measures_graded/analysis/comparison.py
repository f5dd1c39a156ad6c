"""The result of a comparison: one frame for each question, tables and figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ..core.registry.facts import sign_of
from ..core.registry.notation import one_of
from ..errors import GradedError, did_you_mean
from ..output import plots
from ..output.formats import Table, counted, listed, records_of, rows_of
from ..output.result import Grouped
from .paper import ComparedRuns, PaperTable, Win, beaten_by, beaten_cell, in_order, letters, stars
from .statistics.intervals import KINDS, STUDENT
from .statistics.significance import quietly

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

CONOVER: Final = "Conover"
TUKEY_HSD: Final = "Tukey HSD"
PAIRED_T: Final = "paired t"
REPEATS: Final = "topics × repeats"
HOLM: Final = " with Holm's correction"

FEW_PAIRS = 15
"""A table for people has a row per pair of at most this many; with more, a row per run."""
LARGEST_CELL, SMALLEST_CELL = 0.3, 0.1
MINIMAL_SIDE = 7
"""A panel has room for at least this many runs, so that its title fits."""


class PValue(float):
    """A p-value; formatted as text, a small one is not rounded to 0.

    >>> f"{PValue(0.0312):.3f}, {PValue(0.0000312):.3f}"
    '0.031, 3.1e-05'
    """

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
    with probability .8 at the family's level (`detectable`). The test over topics and repeats has the
    difference, bounds and deviation too, and the standard errors over other topics and over other repeats
    alone (`topic_error`, `repeat_error`); `limit` is the source of the larger one, ``topics`` or ``repeats``.
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
    topic_error: float | None = None
    repeat_error: float | None = None
    limit: str | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("p", "adjusted"):
            if (p := getattr(self, name)) is not None:
                object.__setattr__(self, name, PValue(p))

    @property
    def winner(self) -> str | None:
        """The run that is significantly better."""
        return self.better if self.significant else None

    def record(self, *names: str) -> dict[str, Any]:
        """These fields as a row for programs."""
        return {name: getattr(self, name) for name in names} | {"measure": str(self.measure)}


OF_A_DIFFERENCE = ("measure", "run", "other", "difference", "lower", "upper", "statistic", "p", "adjusted",
                   "significant", "effect_size", "detectable", "note")  # fmt: skip
NUMBERS = {
    "difference": "difference", "lower": "lower", "upper": "upper",
    "p": "adjusted", "d_z": "effect_size", "MDE": "detectable",
}  # fmt: skip
"""The columns of the primary test, and its fields."""
OVER_REPEATS = {
    "difference": "difference", "lower": "lower", "upper": "upper", "p": "adjusted",
    "SE topics": "topic_error", "SE repeats": "repeat_error", "limit": "limit",
}  # fmt: skip
"""The columns of the test over topics and repeats, and its fields."""
FURTHER = {"statistic": "statistic", "p": "adjusted", "better": "winner"}
"""The columns of other tests of pairs, and their fields."""
OF_REPEATS = ("difference", "lower", "upper", "topic_error", "repeat_error", "limit")
OF_A_TEST = ("measure", "test", "run", "other", "better", "statistic", "p", "adjusted", "significant", "note")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ComparedRuns, Grouped):
    """Means of several runs over the topics, and tests of their differences, the primary one first.

    Three data frames answer three questions: `means` (a row per measure and run), `differences` (a row per
    measure and pair of the family, by the primary procedure) and `tests` (a row per further test). The first
    of two runs serves as the baseline if none is given.

    `values` and `ranks` are arrays (runs × measures); `ranks` holds each run's mean rank over the topics,
    1 for the best. `outcomes` holds all tests. `interval` is the method of the intervals, `lacking` the
    number of topics that a run lacks. `repeats` has the means of the runs of each system (repeats ×
    measures), if `runs` are systems. `groups` has the comparisons over groups of topics. Such a comparison
    has the `name` of the group, and the number `families` of groups that are tested together. `unit`
    is ``topic`` or ``session``.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: int
    values: np.ndarray
    ranks: np.ndarray
    outcomes: tuple[Test, ...]
    baseline: str | None
    alpha: float
    interval: str = STUDENT
    uncorrected: bool = False
    lacking: Mapping[str, int] = field(default_factory=dict)
    repeats: Mapping[str, np.ndarray] = field(default_factory=dict)
    name: str = ""
    families: int = 1
    groups: Mapping[str, Comparison] = field(default_factory=dict)
    unit: str = "topic"

    @cached_property
    def means(self) -> DataFrame:
        """A row per measure and run: its mean, and its mean rank over the topics."""
        return self.to_frame("means")

    @cached_property
    def differences(self) -> DataFrame:
        """A row per measure and pair of runs: the primary procedure."""
        return self.to_frame()

    @cached_property
    def tests(self) -> DataFrame:
        """A row per further test that was requested."""
        return self.to_frame("tests")

    def to_frame(self, what: str = "differences") -> DataFrame:
        """The `records` as a pandas DataFrame: ``differences``, ``means`` or ``tests``."""
        import pandas

        return pandas.DataFrame(self.records(what))

    def records(self, what: str = "differences") -> list[dict[str, Any]]:
        """One dictionary per measure and pair of runs; or the rows of `means` or `tests`.

        The rows of groups follow, if there are any.
        """
        if what not in ("differences", "means", "tests"):
            raise GradedError(f"what={what!r} is not allowed; it is 'differences', 'means' or 'tests'")
        return self.with_groups(self._records(what), lambda group: group.records(what))

    def _records(self, what: str) -> list[dict[str, Any]]:
        if what == "means":
            arrays = {"mean": self.values.T, "rank": self.ranks.T}
            if self.repeats:
                counts = [[len(means) for means in self.repeats.values()]] * len(self.measures)
                arrays |= {"repeats": np.array(counts), "SD": self._deviations.T}
            measures = [{"measure": str(measure)} for measure in self.measures]
            return records_of(arrays, measures, [{"run": run} for run in self.runs])
        further = what == "tests"
        names = (*OF_A_TEST, *(OF_REPEATS if self.repeats else ())) if further else OF_A_DIFFERENCE
        return [test.record(*names) for test in self.outcomes if (test.test != PAIRED_T) == further]

    @property
    def _deviations(self) -> np.ndarray:
        """The standard deviations of the means of a system's repeats (runs × measures), NaN for one run."""
        with quietly():
            return np.array([[each.std(ddof=1) for each in means.T] for means in self.repeats.values()])

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
    def reference(self) -> str | None:
        """The run that the others are compared with, None if all pairs are compared."""
        return reference_of(self.runs, self.baseline)

    @property
    def family(self) -> int:
        """The number of differences that are tested together."""
        return self.pairs * self.families

    @property
    def pairs(self) -> int:
        """The number of pairs of runs that are compared."""
        count = len(self.runs)
        return count - 1 if self.reference is not None else count * (count - 1) // 2

    def statement(self, measure: Measure | str, test: str = PAIRED_T) -> str:
        """The significant differences that a pairwise test finds, as in Table II: ``D, E > A**``.

        Runs that beat the same runs at the same level are joined; ** is p < 0.01, * is p < 0.05. The sign
        compares values and is < if smaller values are better. The statement is empty if nothing is
        significant.
        """
        sign = "<" if sign_of(one_of(self.measures, measure)) < 0 else ">"
        winners: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for run in self.best_first(measure):
            for mark, beaten in self.beaten(measure, test, run).items():
                winners.setdefault((mark, tuple(beaten)), []).append(run)
        return "; ".join(
            f"{', '.join(runs)} {sign} {', '.join(beaten)}{mark}" for (mark, beaten), runs in winners.items()
        )

    def wins(self, measure: Measure | str, test: str = PAIRED_T) -> list[Win]:
        """The better and the worse run of each significant difference by a pairwise test, and its p."""
        return [
            (one.winner, one.other if one.winner == one.run else one.run, one.adjusted)
            for one in self.find(measure, test)
            if one.winner
        ]

    def beaten(self, measure: Measure | str, test: str, run: str) -> dict[str, list[str]]:
        """The runs that `run` beats in a pairwise test, grouped by stars."""
        return beaten_by(run, self.wins(measure, test), self.best_first(measure))

    def best_first(self, measure: Measure | str) -> list[str]:
        """The runs, sorted from the best mean by one of the measures to the worst."""
        measure = one_of(self.measures, measure)
        return in_order(self.runs, measure, self.values[:, self.measures.index(measure)])

    def pairwise(self) -> tuple[str, ...]:
        """The names of the pairwise tests, the primary one first."""
        return tuple(dict.fromkeys(test.test for test in self.outcomes if test.run is not None))

    @property
    def summary(self) -> str:
        """The compared runs and measures in one line."""
        against = f", baseline {self.baseline}" if self.baseline else ""
        runs = f"{counted(len(self.runs), 'run')} by {listed(self.measures)}"
        return f"{runs} over {counted(self.topics, self.unit)}{against}"

    def notes(self) -> list[str]:
        """Sentences that the reader of the tables needs."""
        several, count = self.family > 1, counted(self.family, "difference")
        intervals = f"{100 * (1 - self.alpha):g} % intervals ({KINDS[self.interval]})"
        together = f"; p has Holm's correction and the intervals hold together, for {count}" * several
        found = [
            f"Paired t-tests over {counted(self.topics, self.unit)}, {intervals}{together}. MDE is the "
            f"smallest true difference found with probability 0.8{' at this level' * several}."
        ]
        families = f"{len(self.measures)} families of {count} were tested; {self.measures[0]}, named first,"
        found += [f"{families} is the primary one."] * (len(self.measures) > 1)
        found += self._remarks()
        if self.repeats:
            found.append(
                "Each mean is over the repeats of a system, and SD is the standard deviation of theirs. The "
                f"tests generalise to other topics; {REPEATS} generalises to other repeats too. The limit is "
                "the source of the larger standard error (SE): more topics, or more repeats, would narrow "
                "the interval most."
            )
        if lone := [run for run, means in self.repeats.items() if len(means) == 1]:
            found.append(f"{listed(lone, 5)}: one run, whose variance over repeats counts as 0.")
        remarks = [f"{name}: {note}" for name, part in self.groups.items() for note in part._remarks()]
        return found + self.note_of_groups("intervals") + remarks

    def _remarks(self) -> list[str]:
        """What is special about some differences."""
        found = []
        primary, over_repeats = self.primary, [test for test in self.outcomes if test.test == REPEATS]
        if stronger := [t for t in primary if t.significant and (t.lower or 0.0) * (t.upper or 0.0) <= 0]:
            found.append(
                f"Holm's test finds more than the intervals show: {_pairs(stronger)} "
                f"differ with p < {self.alpha:g}, and the interval reaches 0."
            )
        if fixed := [one for one, both in zip(primary, over_repeats) if one.significant > both.significant]:
            found.append(f"{_pairs(fixed)} differ for other topics, but not for other repeats too.")
        for note in dict.fromkeys(test.note for test in primary if test.note):
            found.append(f"{_pairs([test for test in primary if test.note == note])}: {note}.")
        return found + [
            f"{run} lacks {counted(number, self.unit)}; the value there is that of an empty ranking."
            for run, number in self.lacking.items()
        ]

    def table(self) -> Table:
        """Column names and rows of the primary procedure.

        The choice is `table_against` for two runs or a baseline, else `table_of_pairs` for at most 15 pairs,
        else `table_by_run`.
        """
        return self.table_against() if self.reference is not None else self._table_of(PAIRED_T)

    def _table_of(self, test: str) -> Table:
        return self.table_of_pairs(test) if self.pairs <= FEW_PAIRS else self.table_by_run(test)

    def parts(self) -> list[tuple[str, Table]]:
        """The table of the primary procedure, then one of each further test, with its title."""
        found = [("", self.table())]
        if self.repeats:
            _, rows = rows_of(self._records("means"))
            found.append(("Systems", (["measure", "run", "mean", "mean rank", "repeats", "SD"], rows)))
        if omnibus := [test for test in self.outcomes if test.run is None]:
            p = [test.p if test.adjusted is None else test.adjusted for test in omnibus]
            rows = [[str(t.measure), t.test, t.statistic, of, t.note] for t, of in zip(omnibus, p)]
            found.append(("Tests of all runs", (["measure", "test", "statistic", "p", "note"], rows)))
        for name in self.pairwise()[1:]:
            found.append((f"{name}, {self.correction(name)}", self._table_of(name)))
        return found + [(table.title, table.cells()) for table in self.tables_of_groups()]

    def correction(self, test: str) -> str:
        """The correction of a pairwise test for the number of comparisons."""
        others = {TUKEY_HSD: "corrected for all pairs", CONOVER: "uncorrected" * self.uncorrected}
        return others.get(test) or f"Holm's correction for {counted(self.family, 'comparison')}"

    def table_against(self) -> Table:
        """Column names and rows: the difference of each run from the baseline, best run first.

        Requires a baseline or two runs.
        """
        tests = {(test.measure, test.run): test for test in self.primary}

        def cells(measure: int, run: int) -> list[Any]:
            test = tests.get((self.measures[measure], self.runs[run]))
            numbers = _cells(test, NUMBERS) if test else ["baseline", *[None] * 5]
            return [float(self.values[run, measure]), *numbers]

        return self.by_run(["mean", *NUMBERS], cells, lettered=False)

    def table_of_pairs(self, test: str = PAIRED_T) -> Table:
        """Column names and rows of a pairwise test: one row per measure and pair, the best runs first."""
        columns = {PAIRED_T: NUMBERS, REPEATS: OVER_REPEATS}.get(test, FURTHER)
        rows = [
            [str(measure), found.run, found.other, *_cells(found, columns)]
            for measure in self.measures
            for found in self.find(measure, test)
        ]
        return ["measure", "run", "other", *columns], rows

    def table_by_run(self, test: str = PAIRED_T) -> Table:
        """Column names and rows: one row per measure and run, sorted from the best run to the worst.

        The runs of each measure have letters from A. The last column holds the letters of the runs that this
        run beats, with stars, or the number of these runs if there are too many letters.
        """
        wins = [self.wins(measure, test) for measure in self.measures]
        orders = [*map(self.best_first, self.measures)]

        def cells(measure: int, run: int) -> list[Any]:
            beaten = beaten_cell(self.runs[run], wins[measure], orders[measure])
            return [float(self.values[run, measure]), float(self.ranks[run, measure]), beaten]

        return self.by_run(["mean", "mean rank", "better than"], cells, lettered=True)

    def table_by_measure(self) -> Table:
        """Column names and rows as in Table II: one row per measure with means and statements."""
        tests = self.pairwise()
        rows = [
            [str(measure), *means, *(self.statement(measure, test) for test in tests)]
            for measure, means in zip(self.measures, self.values.T.tolist())
        ]
        return ["measure", *self.runs, *tests], rows

    @property
    def paper(self) -> PaperTable:
        """The table that papers print: runs × measures."""
        of_group = f" of the group {self.name}" if self.name else ""
        holm = f", Holm's correction for {counted(self.family, 'difference')} per measure"
        about = [
            f"Means over {counted(self.topics, self.unit)}{of_group}.",
            f"Paired t-tests{holm * (self.family > 1)}, p < {self.alpha:g}.",
        ]
        about += ["Behind ±, the standard deviation over repeats."] * bool(self.repeats)
        wins = [self.wins(measure) for measure in self.measures]
        spread = self._deviations if self.repeats else None
        return PaperTable(self.runs, self.measures, self.values, wins, self.reference, about, spread)

    def papers(self) -> list[PaperTable]:
        """The table that papers print: runs × measures, over all topics and over each group of them."""
        return [part.paper for part in (self, *self.groups.values())]

    def figure(self) -> Figure:
        """Draw the differences from the baseline or between two runs, else `significant_pairs`.

        With repeats, all of them are drawn, around the means if there is no baseline.
        """
        return self._differences() if self.reference or self.repeats else self.significant_pairs()

    @plots.styled
    def _differences(self) -> Figure:
        """Draw the difference of each run from the baseline with its confidence interval.

        There is one panel per measure; the best runs by the first measure are on top, or the groups of topics
        in their order. A marker is filled if the difference is significant.
        """
        parts = {"all topics": self, **self.groups}
        points = [part.repeats[run] for part in parts.values() for run in self.runs if self.repeats]
        values = np.concatenate([part.values for part in parts.values()])
        label, text, options = "Mean over topics and repeats", "", dict[str, Any]()
        if self.reference is not None:
            base = [part.values[self.runs.index(self.reference)] for part in parts.values()]
            points = [each - base[row // len(self.runs)] for row, each in enumerate(points)]
            none = Test(self.measures[0], PAIRED_T, difference=0.0, lower=0.0, upper=0.0)
            found = [{(test.measure, test.run): test for test in part.primary} for part in parts.values()]
            tests = [[of.get((m, run), none) for m in self.measures] for of in found for run in self.runs]
            values, lower, upper, filled = (
                np.array([[getattr(test, name) for test in row] for row in tests], dtype=float)
                for name in ("difference", "lower", "upper", "significant")
            )
            options = {"bounds": np.stack([lower, upper]), "filled": filled, "baseline": self.reference}
            label = f"Difference from {self.reference}"
            together = "simultaneous " * (self.family > 1 or bool(self.groups))
            text = f"Mean differences and {together}{100 * (1 - self.alpha):g} % intervals\n"
            text += f"filled: p < {self.alpha:g}{HOLM * (self.family > 1)}"
        labels: Sequence[str] = self.runs
        if self.groups:
            of_run = [f": {run}" * (len(self.runs) > 2) for run in self.runs]
            labels = [f"{name} ({part.topics}){of}" for name, part in parts.items() for of in of_run]
            options["rows_of"] = self.runs * len(parts)
        names, signs = list(map(str, self.measures)), list(map(sign_of, self.measures))
        label += "; dots: repeats" * bool(points)
        figure = plots.dot_plot(labels, names, values, signs, label, points=points, **options)
        if text:
            figure.suptitle(text, x=0.01, ha="left", size=9)
        return figure

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
        shades = np.full((len(order), len(order)), np.nan)
        texts = {}
        for found in (test for name in drawn for test in self.find(measure, name) if test.significant):
            first, second = sorted((order.index(str(found.run)), order.index(str(found.other))))
            cell = (first, second) if found.test == PAIRED_T else (second, first)
            contrary = "<" if found.better == order[second] else ""  # ranks can contradict means
            texts[cell] = contrary + stars(found.adjusted or 0.0)
            shades[cell] = 1 + (texts[cell].endswith("**"))
        columns = list(map(letters, range(len(order))))
        rows = [f"{run}  {letter:>2}" for run, letter in zip(order, columns)]
        plots.draw_cells(axes, shades, texts, rows, columns, size)
        axes.plot([-0.5, len(order) - 0.5], [-0.5, len(order) - 0.5], color=plots.GREY, linewidth=0.8)
        axes.set_title(plots.title(measure, width=36), loc="right", size=10)
        sides = ", ".join(f"{side}: {name}" for side, name in zip(("above", "below"), drawn))
        legend = f"{sides}{HOLM * (self.family > 1)}\n** p < 0.01, * p < 0.05"
        axes.set_xlabel(legend, loc="right", size=9)


def _cells(test: Test, columns: Mapping[str, str]) -> list[Any]:
    return [getattr(test, name) for name in columns.values()]


def _pairs(tests: Sequence[Test]) -> str:
    """The pairs of runs of some tests, with the measure if there are several."""
    several = len({test.measure for test in tests}) > 1
    return listed(f"{test.run} and {test.other}" + f" by {test.measure}" * several for test in tests)


def reference_of(runs: Sequence[str], baseline: str | None) -> str | None:
    """The baseline or, without one, the first of two runs. Raises `GradedError` for an unknown baseline."""
    if baseline is not None and baseline not in runs:
        hint = did_you_mean(baseline, runs)
        raise GradedError(f"the baseline {baseline!r} is not among the runs {listed(runs, most=10)}{hint}")
    return runs[0] if baseline is None and len(runs) == 2 else baseline
