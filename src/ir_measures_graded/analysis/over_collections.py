"""Comparison of runs over several collections, each of which counts once.

The mean of a run is the mean over the collections of its means over their topics. A run without a value in
some collection has no mean, because a mean over other collections could not be compared with it. Differences
are tested in each collection by paired t-tests (`paired`), and over all by a stratified t-test (`strata`), so
that a large collection does not decide.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from glob import glob
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..by_topic import mean_over_topics
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluate
from ..evaluation.named import about, short_names
from ..evaluation.values import COLLECTION, frame_of, needed_column
from ..inputs.files import RunFile
from ..inputs.sources import is_file, scoreddocs_of
from ..output import plots
from ..output.formats import Table, counted, listed
from ..registry.facts import sign_of
from ..registry.notation import NamedMeasure
from ..statistics.options import check_test, need_statistics
from ..statistics.paired import FEW, Pairs, paired
from ..statistics.significance import holm, known, quietly
from ..statistics.strata import resampled_interval, stratified_t
from .compare import refuse_few
from .comparison import PValue, reference_of
from .paper import InPapers, PaperTable, Win, beaten_cell, letters

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL = "all"
"""The name of what holds over all collections."""
FIELDS = ("difference", "lower", "upper", "p", "adjusted")


@dataclass(frozen=True, eq=False, repr=False)
class OverCollections(InPapers):
    """Means of runs in several collections, and tests of their differences in each and over all.

    `topics` are the topic counts of the `collections`. `values` is an array (measures × runs × collections)
    of means over the topics, NaN where a run has none. `means`, with bounds `lower` and `upper` (measures ×
    runs), are those over the collections, NaN for a run without a value in one of them. `pairs` are the
    compared pairs of runs, as numbers. `tests` maps each of `FIELDS` to an array (measures × collections and
    all × pairs).
    """

    runs: tuple[str, ...]
    collections: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: tuple[int, ...]
    values: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    pairs: tuple[tuple[int, int], ...]
    tests: Mapping[str, np.ndarray]
    reference: str | None
    alpha: float
    resamples: int

    @cached_property
    def means(self) -> np.ndarray:
        """The mean of each run over the collections (measures × runs)."""
        return mean_over_topics(self.values)

    @property
    def cells(self) -> np.ndarray:
        """The `values`, and behind those of all collections the means (measures × runs × collections + 1)."""
        return np.dstack([self.values, self.means])

    @property
    def summary(self) -> str:
        """The runs, measures and collections in one line."""
        collections = counted(len(self.collections), "collection")
        return f"{counted(len(self.runs), 'run')} by {listed(self.measures)} over {collections}"

    def table(self) -> Table:
        """Column names and rows: the means of each run in the collections and over all, best runs first.

        p is that of the difference from the baseline over all collections, and the last column without a
        baseline has the letters of the runs that the run beats over all.
        """
        mark = "better than" if self.reference is None else "p"
        numbers = np.dstack([self.cells, self.lower, self.upper])
        columns = [*self.collections, "mean", "lower", "upper", mark]
        return self._table(columns, lambda *cell: [*known(numbers[cell]), self._mark(-1, *cell)])

    def parts(self) -> list[tuple[str, Table]]:
        """The means, then what is significant in each collection and over all."""
        title = f"p of the difference from {self.reference}" if self.reference else "Better than"
        columns = [*self.collections, ALL]
        places = range(len(columns))
        marks = self._table(columns, lambda *cell: [self._mark(column, *cell) for column in places])
        return [("Means", self.table()), (title, marks)]

    def _table(self, columns: list[str], cells: Callable[..., list[Any]]) -> Table:
        """A row per measure and run, best runs first, with letters of the runs if there is no baseline."""
        letter = [""] if self.reference is None else []
        rows = [
            [str(measure), *(letters(place) for _ in letter), self.runs[run], *cells(number, run)]
            for number, measure in enumerate(self.measures)
            for place, run in enumerate(self._order(number))
        ]
        return ["measure", *letter, "run", *columns], rows

    def _order(self, measure: int) -> list[int]:
        """The runs from the best mean to the worst, then those without a mean."""
        return np.argsort(-sign_of(self.measures[measure]) * self.means[measure], kind="stable").tolist()

    def _mark(self, column: int, measure: int, run: int) -> PValue | str | None:
        """The p of a run against the baseline, or the letters of the runs that it beats."""
        if self.reference is None:
            return beaten_cell(run, self._wins(measure, column), self._order(measure))
        of_run = {one: p for (one, _), p in zip(self.pairs, self.tests["adjusted"][measure, column].tolist())}
        return PValue(of_run[run]) if of_run.get(run, np.nan) >= 0 else None

    def _wins(self, measure: int, column: int) -> list[Win]:
        """The better and the worse run of each significant difference, and its p."""
        found = (self.tests[name][measure, column].tolist() for name in ("difference", "adjusted"))
        sign = sign_of(self.measures[measure])
        return [
            (one, other, p) if sign * difference > 0 else (other, one, p)
            for (one, other), difference, p in zip(self.pairs, *found)
            if p < self.alpha and difference
        ]

    def notes(self) -> list[str]:
        """Sentences that the reader of the tables needs."""
        level = f"{100 * (1 - self.alpha):g} %"
        sizes = listed((f"{name} {size}" for name, size in zip(self.collections, self.topics)), 20)
        found = [
            f"mean: each collection counts once; {level} intervals by {self.resamples} resamples of the "
            "topics within collections.",
            "p over all: stratified t-test, Holm's correction for the differences of a measure. "
            "p in a collection: paired t-test, corrected for all differences in all collections of at least "
            f"{FEW} topics.",
            f"Topics: {sizes}.",
        ]
        if self.reference is None:
            found.append(
                f"Letters name the runs of a measure from the best; ** is p < 0.01, * p < {self.alpha:g}."
            )
        for measure, values in zip(self.measures, self.values):
            for run, lacks in zip(self.runs, np.isnan(values)):
                if lacks.any():
                    names = listed(np.array(self.collections)[lacks], 5)
                    found.append(f"{run} has no mean of {measure} and no test over all: it lacks {names}.")
        return found

    def records(self, what: str = "differences") -> list[dict[str, Any]]:
        """One dictionary per measure, collection or ``all``, and pair of runs; or run, for the `means`."""
        rows = []
        for number, column in np.ndindex(self.cells.shape[0], self.cells.shape[2]):
            label = {"measure": str(self.measures[number]), COLLECTION: (*self.collections, ALL)[column]}
            names: Sequence[str] = FIELDS
            if what == "means":
                names, keys = ("mean", "lower", "upper"), [{"run": run} for run in self.runs]
                arrays = [self.cells[number, :, column], *np.full((2, len(self.runs)), np.nan)]
                if column == len(self.collections):
                    arrays[1:] = self.lower[number], self.upper[number]
            else:
                arrays = [self.tests[name][number, column] for name in FIELDS]
                keys = [{"run": self.runs[one], "other": self.runs[other]} for one, other in self.pairs]
            for key, *numbers in zip(keys, *map(known, arrays)):
                rows.append({**label, **key, **dict(zip(names, numbers))})
        return rows

    def papers(self) -> list[PaperTable]:
        """The table that papers print for each measure: runs × collections and the mean."""
        found = []
        for number, measure in enumerate(self.measures):
            names = (*self.collections, "mean")
            named = tuple(NamedMeasure(name, sign_of(measure) < 0) for name in names)
            wins = [self._wins(number, column) for column in range(len(names))]
            better = [{(self.runs[one], self.runs[other]) for one, other, _ in each} for each in wins]
            about = (
                f"{measure} in {counted(len(self.collections), 'collection')}; each counts once.",
                f"Paired t-tests, for the mean a stratified one, Holm's correction, p < {self.alpha:g}.",
            )
            found.append(PaperTable(self.runs, named, self.cells[number], better, self.reference, about))
        return found

    @plots.styled
    def figure(self) -> Figure:
        """Draw the means as a heat map, one panel per measure, with the best runs on top.

        The colour is the difference from the baseline in the same collection, or from the mean of the runs:
        blue is better, orange worse. An empty cell is missing.
        """
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("better", ["#E69F00", "#FFFFFF", "#56B4E9"])
        columns = [*self.collections, "mean"]
        width = 0.45 * len(columns) + plots.INCHES * max(map(len, self.runs)) + 0.5
        height = 0.3 * len(self.runs) + plots.INCHES * max(map(len, columns)) + 0.8
        across = plots.across(len(self.measures), height, max(1, int(plots.PAGE[0] / width)))
        figure = plots.new_figure(max(width * across, 4), height * -(-len(self.measures) // across))
        for number, axes in enumerate(plots.panels(figure, len(self.measures), across)):
            measure, order = self.measures[number], self._order(number)
            values, rows = self.cells[number, order], [self.runs[run] for run in order]
            with quietly():
                base = values[rows.index(self.reference)] if self.reference else np.nanmean(values, axis=0)
            shades = sign_of(measure) * (values - base)
            shades = 1 + shades / (np.nanmax(np.abs(shades), initial=0) or 1)
            texts = {cell: f"{value:.3f}" for cell, value in np.ndenumerate(values) if value == value}
            plots.draw_cells(axes, shades, texts, rows, columns, colours=colours)
            axes.set_aspect("auto")
            axes.set_title(plots.title(measure, width=36), loc="right", size=10)
        against = self.reference or "the mean of the runs"
        text = plots.title(f"Colour: better (blue) or worse (orange) than {against}", width=40)
        figure.suptitle(text, x=0.01, ha="left", size=9)
        return figure


def compare_collections(
    given: Any,
    measures: Iterable[Measure | str] = (),
    *,
    smaller: Collection[str] = (),
    baseline: str | None = None,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    progress: bool = False,
    jobs: int | None = 1,
) -> OverCollections:
    """Compare runs over several collections, each of which counts once. Needs the extra ``stats``.

    `given` maps the name of each collection to an `Evaluation` or a pair of qrels and runs, as
    `read_collections` reads them from a file. Otherwise it is a table of values as for
    `Evaluation.from_values`, with a column collection; `smaller` is as there.

    `measures` are those to evaluate. `baseline`, `alpha`, `resamples`, `seed`, `progress` and `jobs` are as
    for `compare`; the resamples are those of the intervals of means.

    >>> rows = [
    ...     {"collection": name, "run": run, "topic": topic, "nDCG@10": (topic % 5 + 2 * (run == "B")) / 10}
    ...     for name, size in {"large": 50, "small": 10}.items() for topic in range(size) for run in "AB"
    ... ]
    >>> compare_collections(rows).means.round(3)
    array([[0.2, 0.4]])

    A collection may lack runs and measures. Raises `GradedError`, which names row and column, for a table
    that cannot be used, for fewer than two runs, and for a collection of fewer than two topics.
    """
    check_test(alpha, resamples, seed)
    need_statistics("scipy")
    evaluations: dict[str, Evaluation] = {}
    if isinstance(given, Mapping) and all(isinstance(each, (tuple, Evaluation)) for each in given.values()):
        for name, each in given.items():
            with about(name):
                if not isinstance(each, Evaluation):
                    each = evaluate(each[0], each[1], measures, progress=progress, jobs=jobs)
                evaluations[name] = each
    else:
        evaluations = Evaluation.by_collection(given, smaller=smaller)
    if "" in evaluations:
        raise GradedError("the values have no column collection; name the collection of each value there")
    runs = tuple(dict.fromkeys(run for each in evaluations.values() for run in each.runs))
    named = {str(measure): measure for each in evaluations.values() for measure in each.measures}
    refuse_few(len(runs), "run")
    reference = reference_of(runs, baseline)
    pairs = [*combinations(range(len(runs)), 2)]
    if reference is not None:
        base = runs.index(reference)
        pairs = [(run, base) for run in range(len(runs)) if run != base]
    arrays = []
    for name, each in evaluations.items():
        with about(name):
            refuse_few(len(each.topics), "topic")
        array = np.full((len(named), len(runs), len(each.topics)), np.nan)
        place = [[*named].index(str(measure)) for measure in each.measures], [*map(runs.index, each.runs)]
        array[np.ix_(*place)] = each.values.swapaxes(0, 1)[:, :, np.argsort(each.topics)]
        arrays.append(array)
    sizes = np.array([array.shape[2] for array in arrays])
    lower, upper = resampled_interval([np.concatenate(each) for each in arrays], resamples, 1 - alpha, seed)
    families = max(1, int((sizes >= FEW).sum()))
    found = [_tests(each, sizes, pairs, alpha, families) for each in zip(*arrays)]
    tests = {name: np.stack([each[name] for each in found]) for name in FIELDS}
    labels = runs, tuple(evaluations), tuple(named.values()), tuple(sizes.tolist())
    values, shape = np.stack([*map(mean_over_topics, arrays)], axis=2), (len(named), len(runs))
    bounds = lower.reshape(shape), upper.reshape(shape)
    return OverCollections(*labels, values, *bounds, tuple(pairs), tests, reference, alpha, resamples)


def _tests(
    arrays: Sequence[np.ndarray], sizes: np.ndarray, pairs: Pairs, alpha: float, families: int
) -> dict[str, np.ndarray]:
    """The tests of one measure in each collection (`arrays` are runs × topics) and, at last, over all."""
    found = [vars(paired(array, pairs, alpha, families=families)) for array in arrays]
    tests = {name: np.stack([each[name] for each in found]) for name in (*FIELDS, "deviation")}
    tests["adjusted"] = _holm(tests["p"])
    count = max(1, int((~np.isnan(tests["difference"])).all(axis=0).sum()))
    level = (1 - alpha) ** (1 / count)
    of_all = stratified_t(tests["difference"], tests.pop("deviation"), sizes, level)
    last = zip(FIELDS, (*of_all, _holm(of_all[-1])))
    return {name: np.vstack([tests[name], row]) for name, row in last}


def _holm(p: np.ndarray) -> np.ndarray:
    """The p-values with Holm's correction for those that are known."""
    adjusted, known = p.copy(), ~np.isnan(p)
    adjusted[known] = holm(p[known])
    return adjusted


def read_collections(path: str | os.PathLike[str]) -> dict[str, tuple[str, list[tuple[str, Any]]]]:
    """The qrels and the runs of each collection in a table file with the columns collection, qrels and runs.

    Paths are relative to the file. Runs are a file, a pattern of files such as ``runs/*/covid.run``, whose
    ``*`` stands for the name of the run, or the ir-datasets id of a collection with a run. Qrels are a file
    or an ir-datasets id. Further rows of a collection add runs. Raises `GradedError`, which names row and
    column, for an empty cell, and for runs that are not found.
    """
    name, frame = os.fspath(path), frame_of(path)
    folder = os.path.dirname(name)
    names = (COLLECTION, "qrels", "runs")
    rows = zip(*(needed_column(frame, name, column).astype(str) for column in names))
    found: dict[str, tuple[str, list[tuple[str, Any]]]] = {}
    for row, cells in enumerate(rows, 1):
        collection, qrels, runs = cells
        with about(f"{name}: row {row} ({collection})"):
            if "" in cells:
                column = names[cells.index("")]
                raise GradedError(f"column {column} is empty; give a collection, its qrels and its runs")
            file = os.path.join(folder, qrels)
            known_qrels, named = found.setdefault(collection, (file if is_file(file) else qrels, []))
            if known_qrels not in (file, qrels):
                raise GradedError(f"the qrels are {qrels}, and those of an earlier row {known_qrels}")
            with about("column runs"):
                named += _runs(folder, runs)
    return found


def _runs(folder: str, pattern: str) -> list[tuple[str, Any]]:
    """The runs in the files that match a pattern, or the run that comes with an ir-datasets id."""
    paths = sorted(glob(pattern, root_dir=folder or None))
    if not paths:
        return [("scoreddocs", scoreddocs_of(pattern))]
    before, star, after = pattern.partition("*")
    runs: list[tuple[str, Any]] = []
    for path in paths:
        name = path[len(before) : len(path) - len(after)] if star and "*" not in after else path
        file = RunFile(os.path.join(folder, path))
        runs += file.runs().items() or [(short_names(name)[0], file)]
    return runs
