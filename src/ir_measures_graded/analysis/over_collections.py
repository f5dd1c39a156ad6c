"""Comparison of runs over several collections, each of which counts once.

The mean of a run is the mean over the collections of its means over their topics. A run without a value in
some collection has no mean, because a mean over other collections could not be compared with it. Differences
are tested in each collection by paired t-tests (`paired`), and over all by a stratified t-test
(`components`), so that a large collection does not decide.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from glob import glob
from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.by_topic import mean_over_topics
from ..core.registry.facts import sign_of
from ..core.registry.notation import NamedMeasure, one_of
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluate
from ..evaluation.named import about, short_names
from ..evaluation.values import COLLECTION, frame_of, needed_column
from ..files.files import RunFile
from ..files.sources import is_file, scoreddocs_of
from ..output import plots
from ..output.formats import Table, counted, known, listed, records_of
from .compare import pairs_of, refuse_few
from .comparison import PValue, reference_of
from .paper import ComparedRuns, PaperTable, Win, beaten_cell, in_order
from .statistics.components import resampled_interval, stratified_t
from .statistics.options import check_test, need_statistics
from .statistics.paired import FEW, Paired, Pairs, paired
from .statistics.significance import holm, quietly

ALL = "all"
"""The name of what holds over all collections."""
FIELDS = ("difference", "lower", "upper", "p", "adjusted")


@dataclass(frozen=True, eq=False, repr=False)
class OverCollections(ComparedRuns):
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

    def best_first(self, measure: Measure | str) -> list[str]:
        """The runs, sorted from the best mean by one of the measures to the worst, then those without."""
        measure = one_of(self.measures, measure)
        return in_order(self.runs, measure, self.means[self.measures.index(measure)])

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
        lettered = self.reference is None
        numbers = np.dstack([self.cells, self.lower, self.upper])
        columns = [*self.collections, "mean", "lower", "upper", "better than" if lettered else "p"]
        return self.by_run(columns, lambda *cell: [*known(numbers[cell]), self._mark(-1, *cell)], lettered)

    def parts(self) -> list[tuple[str, Table]]:
        """The means, then what is significant in each collection and over all."""
        lettered = self.reference is None
        title = "Better than" if lettered else f"p of the difference from {self.reference}"
        columns = range(len(self.collections) + 1)
        names = [*self.collections, ALL]
        marks = self.by_run(names, lambda *cell: [self._mark(each, *cell) for each in columns], lettered)
        return [("Means", self.table()), (title, marks)]

    def _mark(self, column: int, measure: int, run: int) -> PValue | str | None:
        """The p of a run against the baseline, or the letters of the runs that it beats."""
        if self.reference is None:
            order = self.best_first(self.measures[measure])
            return beaten_cell(self.runs[run], self._wins(measure, column), order)
        of_run = {one: p for (one, _), p in zip(self.pairs, self.tests["adjusted"][measure, column].tolist())}
        return PValue(of_run[run]) if of_run.get(run, np.nan) >= 0 else None

    def _wins(self, measure: int, column: int) -> list[Win]:
        """The better and the worse run of each significant difference, and its p."""
        found = (self.tests[name][measure, column].tolist() for name in ("difference", "adjusted"))
        sign = sign_of(self.measures[measure])
        return [
            (*(self.runs[run] for run in (pair if sign * difference > 0 else pair[::-1])), p)
            for pair, difference, p in zip(self.pairs, *found)
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
        axes = (
            [{"measure": str(measure)} for measure in self.measures],
            [{COLLECTION: name} for name in (*self.collections, ALL)],
        )
        if what != "means":
            pairs = [{"run": self.runs[one], "other": self.runs[other]} for one, other in self.pairs]
            return records_of(self.tests, *axes, pairs)
        none = np.full_like(self.values, np.nan)
        arrays = {"mean": [self.cells], "lower": [none, self.lower], "upper": [none, self.upper]}
        by_column = {name: np.dstack(array).swapaxes(1, 2) for name, array in arrays.items()}
        return records_of(by_column, *axes, [{"run": run} for run in self.runs])

    def papers(self) -> list[PaperTable]:
        """The table that papers print for each measure: runs × collections and the mean."""
        names, found = (*self.collections, "mean"), []
        for number, measure in enumerate(self.measures):
            columns = tuple(NamedMeasure(name, sign_of(measure) < 0) for name in names)
            wins = [self._wins(number, column) for column in range(len(names))]
            about = (
                f"{measure} in {counted(len(self.collections), 'collection')}; each counts once.",
                f"Paired t-tests, for the mean a stratified one, Holm's correction, p < {self.alpha:g}.",
            )
            found.append(PaperTable(self.runs, columns, self.cells[number], wins, self.reference, about))
        return found

    @plots.styled
    def figure(self) -> plots.Figure:
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
            measure = self.measures[number]
            rows = self.best_first(measure)
            values = self.cells[number, [*map(self.runs.index, rows)]]
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
    jobs: int = 1,
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
    pairs = pairs_of(runs, reference, range(len(runs)))
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
    tests = np.stack([_tests(each, sizes, pairs, alpha, families) for each in zip(*arrays)], axis=1)
    labels = runs, tuple(evaluations), tuple(named.values()), tuple(sizes.tolist())
    values, shape = np.stack([*map(mean_over_topics, arrays)], axis=2), (len(named), len(runs))
    found = lower.reshape(shape), upper.reshape(shape), tuple(pairs), dict(zip(FIELDS, tests))
    return OverCollections(*labels, values, *found, reference, alpha, resamples)


def _tests(
    arrays: Sequence[np.ndarray], sizes: np.ndarray, pairs: Pairs, alpha: float, families: int
) -> np.ndarray:
    """The `FIELDS` of one measure's tests in each collection (`arrays` are runs × topics), then over all."""
    each = Paired(*map(np.stack, zip(*(paired(array, pairs, alpha, families=families) for array in arrays))))
    count = max(1, int((~np.isnan(each.difference)).all(axis=0).sum()))
    of_all = stratified_t(each.difference, each.deviation, sizes, (1 - alpha) ** (1 / count))
    apart = each.difference, each.lower, each.upper, each.p, holm(each.p)
    return np.stack([np.vstack(rows) for rows in zip(apart, (*of_all, holm(of_all[-1])))])


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


def files_of_collections(path: str | None) -> Iterator[str]:
    """The table file of collections, and the files that it names; none if it cannot be read."""
    if path is None:
        return
    yield path
    with suppress(GradedError):
        frame = frame_of(path)
        for name in {"qrels", "runs"} & {*frame.columns}:
            for pattern in frame[name].astype(str):
                file = os.path.join(os.path.dirname(path), pattern)
                yield from [file] if os.path.exists(file) else glob(file)


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
