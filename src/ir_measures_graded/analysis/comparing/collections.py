"""Comparison of runs over several collections, each of which counts once.

The mean of a run is the mean over the collections of its means over their topics. A run without a
value in some collection has no mean, because a mean over other collections could not be compared
with it. Differences are tested in each collection by paired t-tests (`paired`), and over all by two
tests (`intervals`):

- over these collections, for other topics: a stratified t-test, so that a large collection does not
  decide;
- over collections like these, for other collections: Student's t over the collections' mean
  differences. It is the primary one from 3 collections on; of 2 collections, it calls nothing
  significant.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from glob import glob
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ...arguments import explains_wrong_calls, refused, word
from ...core.by_topic import mean_over_topics
from ...core.registry.facts import range_of, sign_of
from ...core.registry.notation import NamedMeasure, one_of
from ...errors import GradedError, Remark
from ...evaluation.checked import checks_arguments
from ...evaluation.evaluate import evaluate
from ...evaluation.evaluation import Evaluation
from ...evaluation.level_notes import notes_on_rel, notes_on_top_gain
from ...evaluation.named import Judgments, about, short_names
from ...evaluation.remarks import issued_in_collection
from ...evaluation.value_columns import COLLECTION
from ...evaluation.values import frame_of, needed_column
from ...files.content import is_pattern
from ...files.files import RunFile, read_qrels
from ...files.sources import is_file, scoreddocs_of
from ...output.formats import counted, known, listed, short
from ...output.remarks import in_collection
from ...output.tables import Table
from ...progress import Progress
from ..statistics.corrections import DEFAULT, correction_of
from ..statistics.defaults import ALPHA, LEAST_TESTED_TOPICS, STARS_SENTENCE
from ..statistics.options import as_list, check_probability, statistics_library
from ..statistics.primary import Paired, paired_in_parts
from ..statistics.student import (
    LEAST_TOPICS_OF_I_SQUARED,
    heterogeneity,
    stratified_t,
    t_of_means,
)
from .families import (
    NAME_A_BASELINE,
    baselines_of,
    families_of,
    refuse_few,
    refuse_many_pairs,
    remarks_on,
    width_of,
)
from .fields import COLLECTION_FIELDS
from .layout import beaten, best_against_next, by_pair, by_run, letters_of
from .open_pairs import notes_on_open, runs_of
from .paper import PaperTable
from .result import MOST_PAIRS_SHOWN, Comparison
from .tests import LIKE_THESE, PAIRED_T, THESE, Test, pairwise_tests

if TYPE_CHECKING:
    from pandas import DataFrame

ALL: Final = "all"
"""The name of means over all collections."""
RESERVED: Final = (ALL, "mean", "lower", "upper", THESE, LIKE_THESE)
"""Names of rows and columns of all collections, which no collection can have."""
LACKING: Final = "one of the runs lacks a collection"
LEAST_COLLECTIONS: Final = 3
"""Fewer collections show intervals over collections like these, but nothing is called
significant."""
MOST_COLLECTIONS_NAMED: Final = 20
OF_A_PAIR: Final = ("run", "other", *(column.name for column in COLLECTION_FIELDS))
"""The fields of a test of a pair, for programs."""


@dataclass(frozen=True, eq=False, repr=False)
class OverCollections(Comparison):
    """Means of runs in several collections, and tests of their differences in each and over all.

    `groups` has the comparison in each collection, in which a run without values has the mean NaN.
    `values` are the means over the collections, NaN for a run without a value in one of them, and
    `bounds` (2 × runs × measures) their intervals within the range of the measure. `topics` is the
    number of collections.
    """

    bounds: np.ndarray = field(kw_only=True)

    def tables(self) -> list[Table]:
        """The means, and both tests over all collections: for at most 15 pairs all differences, of
        more those of the ten runs after the best."""
        in_collections = [collection.values for collection in self.groups.values()]
        numbers = np.stack([*in_collections, self.values, *self.bounds], axis=-1)
        columns = [*self.groups, "mean", "lower", "upper"]
        letter_of = None
        shows_letters = not self.baselines and not self.shows_best_only
        if shows_letters:
            letter_of = letters_of(self.runs)
            columns.append("better than")
        elif len(self.baselines) == 1:
            columns.append("p")
        cells: dict[tuple[Measure, str], list[Any]] = {}
        for column, measure in enumerate(self.measures):
            marks: dict[str, Any] = {}
            if shows_letters:
                marks = dict(beaten(self, measure))
            elif len(self.baselines) == 1:
                marks = {str(test.run): test.adjusted for test in self.find(measure)}
            for run in self.best_first(measure):
                row = known(numbers[self.runs.index(run), column])
                if len(columns) > len(row):
                    row.append(marks.get(run))
                cells[measure, run] = row
        tables = [by_run(columns, cells, "Means", letter_of)]
        for test in (THESE, LIKE_THESE):
            title = f"Over {test}"
            if self.shows_best_only:
                tables.append(best_against_next(self, test, title))
            elif self.pairs <= MOST_PAIRS_SHOWN:
                tables.append(by_pair(self, test, title))
        return tables

    def notes(self) -> list[str]:
        """Sentences that the reader of the tables needs."""
        level = f"{100 * (1 - self.alpha):g} %"
        correction = "neither is corrected"
        in_a_collection = "paired t-test"
        if self.corrected.is_corrected:
            correction = f"both have {self.corrected.name} for the differences of a measure"
            in_a_collection += (
                ", corrected for all differences in all collections of at least "
                f"{LEAST_TESTED_TOPICS} topics"
            )
        primary = f"The primary test is that over {LIKE_THESE}."
        if self.primary == THESE:
            primary = (
                f"Fewer than {LEAST_COLLECTIONS} collections do not show what holds for "
                f"{LIKE_THESE}: only differences over {THESE} are called significant."
            )
        sizes = [f"{name} {collection.topics}" for name, collection in self.groups.items()]
        about_means = (
            f"{level} intervals (Student's t, within the range of the measure) for {LIKE_THESE}"
        )
        if len(self.groups) < LEAST_COLLECTIONS:
            about_means += ", which two collections leave wide"
        notes = [
            *notes_on_open(self),
            f"mean: each collection counts once; {about_means}.",
            "These collections: a stratified t-test, for other topics of the same collections. "
            "Collections like these: Student's t over the mean differences, for other collections; "
            f"{correction}. In a collection: {in_a_collection}.",
            primary,
            "A is Alexander and Govern's statistic; its p tells whether a difference varies "
            "between collections. I² is given if each collection has "
            f"{LEAST_TOPICS_OF_I_SQUARED} topics. Topics: {listed(sizes, MOST_COLLECTIONS_NAMED)}.",
        ]
        caution = self.corrected.caution_at(self.alpha)
        if caution:
            notes.append(caution)
        if not self.baselines and not self.shows_best_only:
            notes.append(
                f"Letters name the runs beaten with p < {short(self.alpha)}; {STARS_SENTENCE}."
            )
        notes += self._runs_without_mean()
        notes += self.notes_on_pairs()
        for name, collection in self.groups.items():
            notes += [f"{name}: {text}" for text in collection.lacking]
        return notes

    def _runs_without_mean(self) -> Iterator[str]:
        """A sentence on each run that lacks a collection."""
        for column, measure in enumerate(self.measures):
            for row, run in enumerate(self.runs):
                values = [collection.values[row, column] for collection in self.groups.values()]
                lacks = [
                    name for name, value in zip(self.groups, values, strict=True) if np.isnan(value)
                ]
                if lacks:
                    yield f"{run} has no mean of {measure}: it lacks {listed(lacks, 5)}."

    def to_frame(self, what: str = "") -> "DataFrame":
        """The records as a pandas DataFrame; further tests are not made over collections."""
        return self.data(what or "differences").to_frame()

    def data(self, what: str = "differences") -> Table:
        """One row per measure, collection or test over all, and pair of runs, or per `open` pair;
        or run, for the `means`."""
        if word("what", what, ["differences", "open", "means"]) == "means":
            return self._means_by_collection()
        parts: list[tuple[str, Comparison, str]] = []
        for name, collection in self.groups.items():
            parts.append((name, collection, PAIRED_T))
        tests_over_all = [THESE, LIKE_THESE]
        if what == "open":
            tests_over_all = [self.primary]
        for test in tests_over_all:
            parts.append((test, self, test))
        rows = []
        for measure in self.measures:
            for name, collection, test in parts:
                for outcome in collection.find(measure, test):
                    if what == "open" and not outcome.is_open:
                        continue
                    numbers = [getattr(outcome, field_name) for field_name in OF_A_PAIR]
                    rows.append([str(measure), name, *numbers])
        return Table(["measure", COLLECTION, *OF_A_PAIR], rows)

    def _means_by_collection(self) -> Table:
        """One row per measure, collection and run, then those over all collections with their
        bounds."""
        means = np.stack([*(collection.values for collection in self.groups.values()), self.values])
        lower = np.full(means.shape, np.nan)
        upper = np.full(means.shape, np.nan)
        lower[-1], upper[-1] = self.bounds
        axes = {
            "measure": [str(measure) for measure in self.measures],
            COLLECTION: [*self.groups, ALL],
            "run": self.runs,
        }
        arrays = {"mean": means, "lower": lower, "upper": upper}
        by_measure = {name: np.moveaxis(array, -1, 0) for name, array in arrays.items()}
        return Table.of_arrays(axes, by_measure)

    @property
    def _levels_of_each(self) -> tuple[float, ...]:
        """The levels of the qrels if all collections have the same ones, else none."""
        levels_of_each = {collection.levels for collection in self.groups.values()}
        if len(levels_of_each) > 1:
            return ()
        return self.levels

    def papers(self) -> list[PaperTable]:
        """The table that papers print for each measure: runs × collections and the mean."""
        parts = [*self.groups.values(), self]
        of_mean = "Student's t over the mean differences"
        if self.primary == THESE:
            of_mean = "a stratified one"
        papers = []
        for number, measure in enumerate(self.measures):
            smaller = sign_of(measure) < 0
            columns = tuple(NamedMeasure(name, smaller) for name in (*self.groups, "mean"))
            values = np.stack([collection.values[:, number] for collection in parts], axis=1)
            wins = [collection.wins(measure) for collection in parts]
            open_pairs = [runs_of(collection.open_pairs(measure)) for collection in parts]
            tests = f"Paired t-tests, for the mean {of_mean}, {self.corrected.name}"
            about_levels = [
                *notes_on_rel([measure], self.levels),
                *notes_on_top_gain([measure], self._levels_of_each),
            ]
            about_tests = (
                f"{measure} in {counted(self.topics, self.unit)}; each counts once.",
                f"{tests}, p < {short(self.alpha)}.",
                *about_levels,
            )
            papers.append(
                PaperTable(
                    self.runs, columns, values, wins, open_pairs, self.baselines, about_tests
                )
            )
        return papers


@checks_arguments("compare_collections({'web': (qrels, runs)}, ['nDCG@10'])")
def compare_collections(
    collections: Any,
    measures: Iterable[Measure | str] = (),
    *,
    smaller: Collection[str] = (),
    baseline: str | Sequence[str] | None = None,
    alpha: float = ALPHA,
    correction: str = DEFAULT,
    progress: Progress = False,
) -> OverCollections:
    """Compare runs over several collections, each of which counts once. Needs the extra ``stats``.

    `collections` maps the name of each collection to an `Evaluation` or a pair of qrels and runs,
    as `read_collections` reads them from a file. Otherwise it is a table of values as for
    `Evaluation.from_values`, with a column collection; `smaller` is as there.

    `measures` are those to evaluate, or to take of values, by default all. `baseline`, `alpha` and
    `correction` are as for `compare`.

    `progress` is as for `evaluate`.

    >>> gains = {"A": 0.0, "B": 0.2}
    >>> rows = [
    ...     {"collection": name, "run": run, "topic": topic, "nDCG@10": topic % 5 / 10 + gain}
    ...     for name, size in {"large": 50, "small": 10}.items()
    ...     for topic in range(size)
    ...     for run, gain in gains.items()
    ... ]
    >>> compare_collections(rows).values.round(3)
    array([[0.2],
           [0.4]])

    A collection may lack runs and measures. Raises `GradedError`, which names row and column, for a
    table that cannot be used, for fewer than two runs, and for a collection of fewer than two
    topics.
    """
    check_probability(alpha, "alpha", ALPHA)
    correction_of(correction)
    statistics_library("scipy.special")
    evaluations = _evaluated(collections, measures, smaller)
    runs = _runs_of_any(evaluations.values())
    chosen = _measures_of(evaluations, collections, measures)
    refuse_few(len(runs), "run")
    baselines = baselines_of(runs, baseline)
    if not baselines:
        refuse_many_pairs(len(runs), len(chosen), NAME_A_BASELINE)
    settings: dict[str, Any] = {
        "runs": runs,
        "measures": chosen,
        "baselines": baselines,
        "alpha": alpha,
        "correction": correction,
    }
    arrays = [_array_of(collection, runs, chosen) for collection in evaluations.values()]
    primary = THESE if len(arrays) < LEAST_COLLECTIONS else LIKE_THESE
    # Differences over collections that are not a sample are shown, and none is significant.
    level_of = {THESE: alpha, LIKE_THESE: alpha}
    if primary == THESE:
        level_of[LIKE_THESE] = 0.0
    outcomes: list[Test] = []
    tests_of: dict[str, list[Test]] = {name: [] for name in evaluations}
    means = np.full((len(arrays), len(runs), len(chosen)), np.nan)
    for column, measure in enumerate(chosen):
        parts = [_complete_topics(array[:, column]) for array in arrays]
        topics = np.array([values.shape[1] for values in parts])
        for number, values in enumerate(parts):
            means[number, :, column] = mean_over_topics(values)
        width = width_of(measure)
        for pairs in families_of(runs, baselines, range(len(runs))):
            labels = [(runs[run], runs[other]) for run, other in pairs]
            tested = partial(pairwise_tests, measure, pairs=labels)
            in_parts = paired_in_parts(parts, pairs, alpha, width=width, correction=correction)
            for tests, in_part in zip(tests_of.values(), in_parts, strict=True):
                tests += tested(PAIRED_T, in_part._asdict(), alpha=alpha)
            for test, columns in _over_all(in_parts, topics, alpha, correction, width).items():
                outcomes += tested(test, columns, alpha=level_of[test])
    return OverCollections(
        **settings,
        topics=len(arrays),
        values=mean_over_topics(np.moveaxis(means, 0, -1)),
        outcomes=tuple(outcomes),
        groups=_comparisons(evaluations, means, tests_of, settings),
        levels=_levels_of_any(evaluations.values()),
        remarks=_remarks(evaluations),
        unit="collection",
        primary=primary,
        bounds=_bounds_of_means(means, chosen, alpha),
    )


def _bounds_of_means(means: np.ndarray, measures: Sequence[Measure], alpha: float) -> np.ndarray:
    """The intervals of the means over collections (2 × runs × measures), within the ranges of the
    measures."""
    shape = means.shape[1:]
    _, lower, upper, _ = t_of_means(means.reshape(len(means), -1), 1 - alpha)
    bounds = np.stack([lower, upper]).reshape(2, *shape)
    low, high = np.array([range_of(measure) for measure in measures]).T
    is_possible = ((means >= low) & (means <= high)).all(axis=0)
    return np.where(is_possible, np.clip(bounds, low, high), bounds)


def _comparisons(
    evaluations: Mapping[str, Evaluation],
    means: np.ndarray,
    tests_of: Mapping[str, list[Test]],
    settings: dict[str, Any],
) -> dict[str, Comparison]:
    """The comparison in each collection, whose p-values are corrected for all collections with
    enough topics."""
    sizes = np.array([len(evaluation.topics) for evaluation in evaluations.values()])
    families = max(1, int((sizes >= LEAST_TESTED_TOPICS).sum()))
    comparisons = {}
    for (name, evaluation), means_of_runs in zip(evaluations.items(), means, strict=True):
        comparisons[name] = Comparison(
            **settings,
            topics=len(evaluation.topics),
            values=means_of_runs,
            outcomes=tuple(tests_of[name]),
            name=name,
            families=families,
            levels=evaluation.levels,
            lacking=remarks_on(evaluation),
            remarks=evaluation.remarks,
        )
    return comparisons


def _remarks(evaluations: Mapping[str, Evaluation]) -> tuple[Remark, ...]:
    """The remarks on all collections, which name their collection."""
    remarks: list[Remark] = []
    for name, evaluation in evaluations.items():
        remarks += in_collection(name, evaluation.remarks)
    return tuple(remarks)


def _runs_of_any(evaluations: Iterable[Evaluation]) -> tuple[str, ...]:
    """The runs of the collections, in the order in which they come up."""
    runs: dict[str, None] = {}
    for evaluation in evaluations:
        runs |= dict.fromkeys(evaluation.runs)
    return tuple(runs)


def _levels_of_any(evaluations: Iterable[Evaluation]) -> tuple[float, ...]:
    """The levels of the qrels of all collections, as far as they are known."""
    levels: set[float] = set()
    for evaluation in evaluations:
        levels.update(evaluation.levels)
    return tuple(sorted(levels))


def _evaluated(
    collections: Any, measures: Iterable[Measure | str], smaller: Collection[str]
) -> dict[str, Evaluation]:
    """The evaluation of each collection. Raises `GradedError` for a collection of fewer than two
    topics."""
    if isinstance(collections, Mapping) and all(
        isinstance(collection, (tuple, Evaluation)) for collection in collections.values()
    ):
        if smaller:
            raise GradedError("smaller is for a table of values; leave it out")
    else:
        collections = Evaluation.by_collection(collections, smaller=smaller)
    if "" in collections:
        raise GradedError(
            "the values have no column collection; name the collection of each value there"
        )
    evaluations: dict[str, Evaluation] = {}
    for name, collection in collections.items():
        with about(name):
            if name in RESERVED:
                raise GradedError(
                    "a row or column of all collections has this name; rename the collection"
                )
            if not isinstance(collection, Evaluation):
                if len(collection) != 2:
                    raise GradedError("give an Evaluation, or a pair of qrels and runs")
                qrels, runs = collection
                with issued_in_collection(name):
                    collection = evaluate(qrels, runs, measures)
            if collection.weights is not None:
                raise GradedError("weights of topics are for one collection, not for several")
            refuse_few(len(collection.topics), "topic")
            evaluations[name] = collection
    return evaluations


def _measures_of(
    evaluations: Mapping[str, Evaluation], collections: Any, measures: Iterable[Measure | str]
) -> tuple[Measure, ...]:
    """The measures of all collections, or those that were chosen of values."""
    named: dict[str, Measure] = {}
    for evaluation in evaluations.values():
        named |= {str(measure): measure for measure in evaluation.measures}
    has_values = not isinstance(collections, Mapping) or any(
        not isinstance(collection, tuple) for collection in collections.values()
    )
    wanted = as_list(measures)
    if has_values and wanted:
        chosen = [one_of(named.values(), measure) for measure in wanted]
        named = {str(measure): measure for measure in chosen}
    return tuple(named.values())


def _array_of(
    evaluation: Evaluation, runs: Sequence[str], measures: Sequence[Measure]
) -> np.ndarray:
    """The values of a collection (runs × measures × its topics in order); NaN where it lacks a
    run or measure."""
    names = [str(measure) for measure in measures]
    own = evaluation.part(
        evaluation.runs, [measure for measure in evaluation.measures if str(measure) in names]
    )
    rows = [runs.index(run) for run in own.runs]
    columns = [names.index(str(measure)) for measure in own.measures]
    array = np.full((len(runs), len(measures), len(own.topics)), np.nan)
    array[np.ix_(rows, columns)] = own.values[:, :, np.argsort(own.topics)]
    return array


def _complete_topics(values: np.ndarray) -> np.ndarray:
    """The values (runs × topics) for the topics for which all runs that have any value have one."""
    has_any = ~np.isnan(values).all(axis=1)
    is_complete = ~np.isnan(values[has_any]).any(axis=0)
    if not is_complete.any():
        return np.full((len(values), 1), np.nan)
    return values[:, is_complete]


def _over_all(
    in_parts: Sequence[Paired], topics: np.ndarray, alpha: float, correction: str, width: float
) -> dict[str, dict[str, Any]]:
    """The fields of both tests over all collections, from the tests in each.

    No interval leaves the differences that the `width` of the measure's range allows.
    """
    difference = np.stack([tests.difference for tests in in_parts])
    deviation = np.stack([tests.deviation for tests in in_parts])
    has_all = np.isfinite(difference).all(axis=0)
    family = max(1, int(has_all.sum()))
    confidence = 1 - alpha
    if correction_of(correction).is_corrected:
        confidence = (1 - alpha) ** (1 / family)
    a, p_a, i_squared = heterogeneity(difference, deviation, topics)
    tests = {
        THESE: stratified_t(difference, deviation, topics, confidence),
        LIKE_THESE: t_of_means(difference, confidence),
    }
    columns_of = {}
    for test, (mean, lower, upper, p) in tests.items():
        constant = f"t over {test} is undefined, because the differences do not vary"
        note = np.select([np.isnan(mean), np.isnan(p)], [LACKING, constant], "")
        is_possible = np.abs(mean) <= width
        columns_of[test] = {
            "difference": mean,
            "lower": np.where(is_possible, np.clip(lower, -width, width), lower),
            "upper": np.where(is_possible, np.clip(upper, -width, width), upper),
            "p": p,
            "adjusted": correction_of(correction).adjust(p, family),
            "A": a,
            "p_A": p_a,
            "I2": i_squared,
            "note": note,
        }
    return columns_of


@explains_wrong_calls("read_collections('collections.csv')")
def read_collections(
    path: str | os.PathLike[str],
    columns: Mapping[str, Any] | Sequence[tuple[str, str]] | None = None,
) -> dict[str, tuple[Any, list[tuple[str, Any]]]]:
    """The qrels and the runs of each collection in the table file `path`, which has the columns
    collection, qrels and runs.

    Paths are relative to the file. Runs are a file, a pattern of files such as
    ``runs/*/covid.run``, whose ``*`` stands for the name of the run, or the ir-datasets id of a
    collection with a run. Qrels are a file or an ir-datasets id. Further rows of a collection add
    runs. `columns` are those of `RunFile`, for all qrels and runs. Raises `GradedError`,
    which names the row, for an empty cell and for runs that are not
    found.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w+", suffix=".csv") as table:
    ...     print("collection,qrels,runs", "demo,graded-demo,graded-demo", sep=chr(10), file=table)
    ...     table.flush()
    ...     found = read_collections(table.name)
    >>> [(name, qrels, len(runs)) for name, (qrels, runs) in found.items()]
    [('demo', 'graded-demo', 1)]
    """
    if not isinstance(path, (str, os.PathLike)):
        raise refused("path", path, "the path of a table of collections")
    name = os.fspath(path)
    frame = frame_of(path)
    folder = os.path.dirname(name)
    cells = [needed_column(frame, name, column) for column in (COLLECTION, "qrels", "runs")]
    rows = zip(*map(_as_texts, cells), strict=True)
    if frame.empty:
        raise GradedError(f"{name}: the table has no row; give a row for each collection")
    sources: dict[str, tuple[str, list[tuple[str, Any]]]] = {}
    read_run = partial(RunFile, columns=columns)
    for row, (collection, qrels, runs) in enumerate(rows, 1):
        with about(f"{name}: row {row} ({collection})"):
            if not (collection and qrels and runs):
                raise GradedError("a cell is empty; give a collection, its qrels and its runs")
            file = os.path.join(folder, qrels)
            source = file if is_file(file) else qrels
            first_source, runs_of_collection = sources.setdefault(collection, (source, []))
            if first_source not in (file, qrels):
                raise GradedError(
                    f"the qrels are {qrels}, and those of an earlier row {first_source}"
                )
            with about("column runs"):
                runs_of_collection += _runs(folder, runs, read_run)
    collections: dict[str, tuple[Any, list[tuple[str, Any]]]] = {}
    for collection, (source, runs_of_collection) in sources.items():
        qrels_of_collection: Any = source
        if columns and is_file(source):
            with about(collection):
                judged = read_qrels(source, columns)
            qrels_of_collection = Judgments(judged, source)
        collections[collection] = (qrels_of_collection, runs_of_collection)
    return collections


def _as_texts(column: Any) -> Any:
    """The cells of a column of a frame as texts; an empty cell is an empty text."""
    cells = column.astype(object)
    return cells.where(column.notna(), "").astype(str)


def files_of_collections(path: str) -> Iterator[str]:
    """The table file of collections, and the files that it names."""
    yield path
    frame = frame_of(path)
    for name in {"qrels", "runs"} & {*frame.columns}:
        for pattern in frame[name].astype(str):
            file = os.path.join(os.path.dirname(path), pattern)
            if os.path.exists(file):
                yield file
            else:
                yield from glob(file)


def _runs(folder: str, pattern: str, read_run: Callable[[str], RunFile]) -> list[tuple[str, Any]]:
    """The runs in the files that match a pattern, or the run that comes with an ir-datasets id."""
    exists = os.path.exists(os.path.join(folder, pattern))
    paths = [pattern] if exists else sorted(glob(pattern, root_dir=folder or None))
    if not paths and is_pattern(pattern):
        raise GradedError(f"no file matches {pattern!r}")
    if not paths:
        return [("scoreddocs", scoreddocs_of(pattern))]
    runs: list[tuple[str, Any]] = []
    for path in paths:
        file = read_run(os.path.join(folder, path))
        named_in_file = list(file.runs().items())
        name = short_names(_starred_part(path, pattern))[0]
        runs += named_in_file or [(name, file)]
    return runs


def _starred_part(path: str, pattern: str) -> str:
    """What the only ``*`` of a pattern stands for in a path; the path itself for other patterns.

    >>> _starred_part("runs/bm25/covid.run", "runs/*/covid.run"), _starred_part("b.run", "b.run")
    ('bm25', 'b.run')
    """
    before, star, after = pattern.partition("*")
    if not star or "*" in after:
        return path
    return path.removeprefix(before).removesuffix(after)
