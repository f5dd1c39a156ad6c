"""Comparison of runs over several collections, each of which counts once.

The mean of a run is the mean over the collections of its means over their topics. A run without a value in
some collection has no mean, because a mean over other collections could not be compared with it. Differences
are tested in each collection by paired t-tests (`paired`), and over all by two tests (`components`):

- over these collections, for other topics: a stratified t-test, so that a large collection does not decide;
- over collections like these, for other collections: Student's t over the collections' mean differences. It
  is the primary one from 3 collections on; of 2 collections, it calls nothing significant.
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
from ..output.formats import counted, known, listed
from ..output.tables import Column, Table
from .compare import families_of, refuse_few
from .comparison import FEW_PAIRS, PValue, references_of
from .paper import ComparedRuns, PaperTable, Win, beaten_cell, in_order
from .statistics.components import heterogeneity, stratified_t, t_of_means
from .statistics.options import check_probability, need_statistics
from .statistics.paired import FEW, Paired, Pairs, paired
from .statistics.significance import holm

ALL = "all"
"""The name of means over all collections."""
THESE, LIKE_THESE = "these collections", "collections like these"
FEW_COLLECTIONS = 3
"""Fewer collections show intervals over collections like these, but nothing is called significant."""
FIELDS = ("difference", "lower", "upper", "p", "adjusted")
HETEROGENEITY = ("Q", "p_Q", "I2")


@dataclass(frozen=True, eq=False, repr=False)
class OverCollections(ComparedRuns):
    """Means of runs in several collections, and tests of their differences in each and over all.

    `topics` are the topic counts of the `collections`. `values` is an array (measures × runs × collections)
    of means over the topics, NaN where a run has none. `means`, with bounds `lower` and `upper` (measures ×
    runs), are those over the collections, NaN for a run without a value in one of them. `pairs` are the
    compared pairs of runs, as numbers. `tests` maps each of `FIELDS` and `HETEROGENEITY` (Cochran's Q, its p,
    and I²) to an array (measures × collections, these collections and collections like these × pairs).
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
    references: tuple[str, ...]
    alpha: float

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

    @property
    def primary(self) -> str:
        """The name of the primary test over all collections."""
        return LIKE_THESE if len(self.collections) >= FEW_COLLECTIONS else THESE

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        """The names of the columns of `tests`."""
        return *self.collections, THESE, LIKE_THESE

    @cached_property
    def significant(self) -> np.ndarray:
        """Whether a difference is called significant (measures × columns of `tests` × pairs)."""
        found = self.tests["adjusted"] < self.alpha
        if self.primary == THESE:
            found[:, -1] = False
        return found

    def tables(self) -> list[Table]:
        """The means, the tests over all collections, and what is significant in each collection."""
        numbers, primary = np.dstack([self.cells, self.lower, self.upper]), self._columns.index(self.primary)
        mark, title, lettered = "better than", "Better than", not self.references
        if self.references:
            mark, title = "p", f"p of the difference from {' and '.join(self.references)}"

        def of_means(*cell: int) -> list[Any]:
            return [*known(numbers[cell]), self._mark(primary, *cell)]

        def marks(*cell: int) -> list[Any]:
            return [self._mark(column, *cell) for column in range(len(self._columns))]

        columns = [*self.collections, "mean", "lower", "upper", mark]
        found = [self.by_run(columns, of_means, lettered, "Means")]
        if len(self.pairs) <= FEW_PAIRS:
            found.append(self._over_all())
        return [*found, self.by_run(self._columns, marks, lettered, title)]

    def _over_all(self) -> Table:
        """Both tests over all collections of each pair, and whether the difference varies between them."""
        columns = ("measure", "run", "other", Column(COLLECTION, "over"), "difference", "lower", "upper")
        tested = Column("adjusted", "p", PValue), "Q", Column("p_Q", "p of Q", PValue), Column("I2", "I²")
        rows = [row for row in self.records() if row[COLLECTION] in (THESE, LIKE_THESE)]
        pairs = sorted(rows, key=lambda row: (row["measure"], row["run"], row["other"]))
        return Table.of([*columns, *tested], pairs, "Differences over all collections")

    def _mark(self, column: int, measure: int, run: int) -> PValue | str | None:
        """The p of a run against the baseline, or the letters of the runs that it beats."""
        if not self.references:
            return beaten_cell(self.runs[run], self._wins(measure, column), self.order)
        p = self.tests["adjusted"][measure, column].tolist()
        found = [PValue(each) for (one, _), each in zip(self.pairs, p) if one == run and each >= 0]
        if len(self.references) > 1:
            return ", ".join(f"{each:.4f}" for each in found)
        return found[0] if found else None

    def _wins(self, measure: int, column: int) -> list[Win]:
        """The better and the worse run of each significant difference, and its p."""
        found = (self.tests[name][measure, column].tolist() for name in ("difference", "adjusted"))
        sign = sign_of(self.measures[measure])
        return [
            (*(self.runs[run] for run in (pair if sign * difference > 0 else pair[::-1])), p)
            for pair, significant, difference, p in zip(self.pairs, self.significant[measure, column], *found)
            if significant and difference
        ]

    def notes(self) -> list[str]:
        """Sentences that the reader of the tables needs."""
        level = f"{100 * (1 - self.alpha):g} %"
        sizes = listed((f"{name} {size}" for name, size in zip(self.collections, self.topics)), 20)
        found = [
            f"mean: each collection counts once; {level} intervals (Student's t) for collections like these.",
            "These collections: a stratified t-test, for other topics of the same collections. Collections "
            "like these: Student's t over the mean differences, for other collections. Both have Holm's "
            "correction for the differences of a measure. In a collection: paired t-test, corrected for all "
            f"differences in all collections of at least {FEW} topics.",
        ]
        few = f"Fewer than {FEW_COLLECTIONS} collections do not show what holds for {LIKE_THESE}: only "
        few += f"differences over {THESE} are called significant."
        found.append(few if self.primary == THESE else f"The primary test is that over {LIKE_THESE}.")
        found += ["Q and I² tell whether a difference varies between collections.", f"Topics: {sizes}."]
        if not self.references:
            found.append(
                f"Letters name the runs of a measure from the best; ** is p < 0.01, * p < {self.alpha:g}."
            )
        for measure, values in zip(self.measures, self.values):
            for run, lacks in zip(self.runs, np.isnan(values)):
                if lacks.any():
                    names = listed(np.array(self.collections)[lacks], 5)
                    found.append(f"{run} has no mean of {measure} and no test over all: it lacks {names}.")
        return found

    def data(self, what: str = "differences") -> Table:
        """One row per measure, collection or test over all, and pair of runs; or run, for the `means`."""
        measures = [*map(str, self.measures)]
        if what == "means":
            none = np.full_like(self.values, np.nan)
            bounds = {"lower": self.lower, "upper": self.upper}
            arrays = {"mean": self.cells} | {name: np.dstack([none, array]) for name, array in bounds.items()}
            by_column = {name: array.swapaxes(1, 2) for name, array in arrays.items()}
            axes = {"measure": measures, COLLECTION: (*self.collections, ALL), "run": self.runs}
            return Table.of_arrays(axes, by_column)
        fields, spread = ({name: self.tests[name] for name in each} for each in (FIELDS, HETEROGENEITY))
        columns = fields | {"significant": self.significant} | spread
        named = [(self.runs[one], self.runs[other]) for one, other in self.pairs]
        found = Table.of_arrays({"measure": measures, COLLECTION: self._columns, "pair": named}, columns)
        rows = [[*row[:2], *row[2], *row[3:]] for row in found.rows]
        return Table(["measure", COLLECTION, "run", "other", *columns], rows)

    def papers(self) -> list[PaperTable]:
        """The table that papers print for each measure: runs × collections and the mean."""
        names, found = (*self.collections, "mean"), []
        tested = [*range(len(self.collections)), self._columns.index(self.primary)]
        of_mean = "a stratified one" if self.primary == THESE else "Student's t over the mean differences"
        for number, measure in enumerate(self.measures):
            columns = tuple(NamedMeasure(name, sign_of(measure) < 0) for name in names)
            wins = [self._wins(number, column) for column in tested]
            about = (
                f"{measure} in {counted(len(self.collections), 'collection')}; each counts once.",
                f"Paired t-tests, for the mean {of_mean}, Holm's correction, p < {self.alpha:g}.",
            )
            found.append(PaperTable(self.runs, columns, self.cells[number], wins, self.references, about))
        return found

    def figure(self) -> plots.Figure:
        """Draw the means with their intervals, one panel per measure; small dots are single collections."""
        label = f"Mean over collections, {100 * (1 - self.alpha):g} % interval; dots: collections"
        bounds, points = np.stack([self.lower.T, self.upper.T]), [*self.values.transpose(1, 2, 0)]
        named, signs = [*map(str, self.measures)], [*map(sign_of, self.measures)]
        return plots.dot_plot(self.runs, named, self.means.T, signs, label, bounds, points=points)


def compare_collections(
    given: Any,
    measures: Iterable[Measure | str] = (),
    *,
    smaller: Collection[str] = (),
    baseline: str | Sequence[str] | None = None,
    alpha: float = 0.05,
    progress: bool = False,
) -> OverCollections:
    """Compare runs over several collections, each of which counts once. Needs the extra ``stats``.

    `given` maps the name of each collection to an `Evaluation` or a pair of qrels and runs, as
    `read_collections` reads them from a file. Otherwise it is a table of values as for
    `Evaluation.from_values`, with a column collection; `smaller` is as there.

    `measures` are those to evaluate. `baseline`, `alpha` and `progress` are as for `compare`.

    >>> rows = [
    ...     {"collection": name, "run": run, "topic": topic, "nDCG@10": (topic % 5 + 2 * (run == "B")) / 10}
    ...     for name, size in {"large": 50, "small": 10}.items() for topic in range(size) for run in "AB"
    ... ]
    >>> compare_collections(rows).means.round(3)
    array([[0.2, 0.4]])

    A collection may lack runs and measures. Raises `GradedError`, which names row and column, for a table
    that cannot be used, for fewer than two runs, and for a collection of fewer than two topics.
    """
    check_probability(alpha, "alpha", 0.05)
    need_statistics("scipy")
    evaluations: dict[str, Evaluation] = {}
    if isinstance(given, Mapping) and all(isinstance(each, (tuple, Evaluation)) for each in given.values()):
        for name, each in given.items():
            with about(name):
                if not isinstance(each, Evaluation):
                    each = evaluate(each[0], each[1], measures, progress=progress)
                evaluations[name] = each
    else:
        evaluations = Evaluation.by_collection(given, smaller=smaller)
    if "" in evaluations:
        raise GradedError("the values have no column collection; name the collection of each value there")
    runs = tuple(dict.fromkeys(run for each in evaluations.values() for run in each.runs))
    named = {str(measure): measure for each in evaluations.values() for measure in each.measures}
    refuse_few(len(runs), "run")
    references = references_of(runs, baseline)
    families = families_of(runs, references, range(len(runs)))
    arrays = []
    for name, each in evaluations.items():
        with about(name):
            refuse_few(len(each.topics), "topic")
        array = np.full((len(named), len(runs), len(each.topics)), np.nan)
        place = [[*named].index(str(measure)) for measure in each.measures], [*map(runs.index, each.runs)]
        array[np.ix_(*place)] = each.values.swapaxes(0, 1)[:, :, np.argsort(each.topics)]
        arrays.append(array)
    sizes = np.array([array.shape[2] for array in arrays])
    values = np.stack([*map(mean_over_topics, arrays)], axis=2)
    _, lower, upper, _ = t_of_means(values.reshape(-1, len(sizes)).T, 1 - alpha)
    tests = [[_tests(each, sizes, pairs, alpha) for pairs in families] for each in zip(*arrays)]
    found = {
        name: np.stack([np.concatenate([family[name] for family in of], axis=-1) for of in tests])
        for name in (*FIELDS, *HETEROGENEITY)
    }
    labels = runs, tuple(evaluations), tuple(named.values()), tuple(sizes.tolist())
    lower, upper = (each.reshape(values.shape[:2]) for each in (lower, upper))
    pairs = tuple(pair for family in families for pair in family)
    return OverCollections(*labels, values, lower, upper, pairs, found, references, alpha)


def _tests(
    arrays: Sequence[np.ndarray], sizes: np.ndarray, pairs: Pairs, alpha: float
) -> dict[str, np.ndarray]:
    """The tests of a family by one measure in each collection (`arrays` are runs × topics), then over all."""
    several = max(1, int((sizes >= FEW).sum()))
    each = Paired(*map(np.stack, zip(*(paired(array, pairs, alpha, families=several) for array in arrays))))
    count = max(1, int((~np.isnan(each.difference)).all(axis=0).sum()))
    level = (1 - alpha) ** (1 / count)
    these = stratified_t(each.difference, each.deviation, sizes, level)
    like_these = t_of_means(each.difference, level)
    apart = each.difference, each.lower, each.upper, each.p
    columns = zip(*((*found, holm(found[-1])) for found in (apart, these, like_these)))
    rows = {name: np.vstack(column) for name, column in zip(FIELDS, columns)}
    spread, none = (
        heterogeneity(each.difference, each.deviation, sizes),
        np.full_like(each.difference, np.nan),
    )
    return rows | {name: np.vstack([none, found, found]) for name, found in zip(HETEROGENEITY, spread)}


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
