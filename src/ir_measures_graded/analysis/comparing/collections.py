"""Comparison of runs over several collections, each of which counts once.

The mean of a run is the mean over the collections of its means over their topics. A run without a value in
some collection has no mean, because a mean over other collections could not be compared with it. Differences
are tested in each collection by paired t-tests (`paired`), and over all by two tests (`intervals`):

- over these collections, for other topics: a stratified t-test, so that a large collection does not decide;
- over collections like these, for other collections: Student's t over the collections' mean differences. It
  is the primary one from 3 collections on; of 2 collections, it calls nothing significant.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from glob import glob
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import sign_of
from ...core.registry.notation import NamedMeasure, one_of
from ...errors import GradedError
from ...evaluation.checked import checks_arguments
from ...evaluation.evaluate import Evaluation, evaluate
from ...evaluation.named import about, short_names
from ...evaluation.values import COLLECTION, frame_of, needed_column
from ...files.files import RunFile
from ...files.sources import is_file, scoreddocs_of
from ...output.formats import counted, known, listed
from ...output.tables import Table
from ..statistics.corrections import holm
from ..statistics.defaults import ALPHA
from ..statistics.defaults import LEAST_TESTED_TOPICS as FEW
from ..statistics.options import as_list, check_probability, statistics_library
from ..statistics.primary import paired_in_parts
from ..statistics.student import heterogeneity, stratified_t, t_of_means
from .compare import baseline_of, family_of, pairwise_tests, refuse_few
from .paper import PaperTable
from .result import FEW_PAIRS, LIKE_THESE, PAIRED_T, THESE, Comparison, Test

ALL = "all"
"""The name of means over all collections."""
LACKING = "one of the runs lacks a collection"
FEW_COLLECTIONS = 3
"""Fewer collections show intervals over collections like these, but nothing is called significant."""
FIELDS = ("run", "other", "difference", "lower", "upper", "p", "adjusted", "significant", "Q", "p_Q", "I2",
          "note")  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class OverCollections(Comparison):
    """Means of runs in several collections, and tests of their differences in each and over all.

    `groups` has the comparison in each collection, in which a run without values has the mean NaN. `values`
    are the means over the collections, NaN for a run without a value in one of them, and `bounds` (2 × runs ×
    measures) their intervals. `topics` is the number of collections.
    """

    bounds: np.ndarray = field(kw_only=True)

    def tables(self) -> list[Table]:
        """The means, and both tests over all collections for at most 15 pairs."""
        means = [part.values for part in self.groups.values()]
        numbers = np.stack([*means, self.values, *self.bounds], axis=-1)
        cells = {}
        for column, measure in enumerate(self.measures):
            marks: dict[Any, Any] = {test.run: test.adjusted for test in self.find(measure)}
            if not self.baseline:
                marks = self.beaten(measure)
            for row, run in enumerate(self.runs):
                cells[measure, run] = [*known(numbers[row, column]), marks.get(run)]
        mark = "p" if self.baseline else "better than"
        found = [self.by_run([*self.groups, "mean", "lower", "upper", mark], cells, "Means")]
        if self.pairs <= FEW_PAIRS:
            found += [self.by_pair(test, f"Over {test}") for test in (THESE, LIKE_THESE)]
        return found

    def notes(self) -> list[str]:
        """Sentences that the reader of the tables needs."""
        level = f"{100 * (1 - self.alpha):g} %"
        sizes = listed((f"{name} {part.topics}" for name, part in self.groups.items()), 20)
        few = f"Fewer than {FEW_COLLECTIONS} collections do not show what holds for {LIKE_THESE}: only "
        few += f"differences over {THESE} are called significant."
        found = [
            f"mean: each collection counts once; {level} intervals (Student's t) for collections like these.",
            "These collections: a stratified t-test, for other topics of the same collections. Collections "
            "like these: Student's t over the mean differences, for other collections. Both have Holm's "
            "correction for the differences of a measure. In a collection: paired t-test, corrected for all "
            f"differences in all collections of at least {FEW} topics.",
            few if self.primary == THESE else f"The primary test is that over {LIKE_THESE}.",
            f"Q and I² tell whether a difference varies between collections. Topics: {sizes}.",
        ]
        if not self.baseline:
            found.append(
                f"Letters name the runs beaten with p < {self.alpha:g}; ** is p < 0.01, * p < 0.05."
            )
        for column, measure in enumerate(self.measures):
            for row, run in enumerate(self.runs):
                lacks = [
                    name for name, part in self.groups.items() if np.isnan(part.values[row, column])
                ]
                if lacks:
                    names = listed(lacks, 5)
                    found.append(f"{run} has no mean of {measure}: it lacks {names}.")
        found += self._remarks()
        return found + [
            f"{name}: {text}" for name, part in self.groups.items() for text in part.lacking
        ]

    def data(self, what: str = "differences") -> Table:
        """One row per measure, collection or test over all, and pair of runs; or run, for the `means`."""
        if what not in ("differences", "means"):
            raise GradedError(f"what={what!r} is not allowed; it is 'differences' or 'means'")
        if what == "means":
            means = np.stack([*(part.values for part in self.groups.values()), self.values])
            lower, upper = np.full((2, *means.shape), np.nan)
            lower[-1], upper[-1] = self.bounds
            axes = {
                "measure": [*map(str, self.measures)],
                COLLECTION: [*self.groups, ALL],
                "run": self.runs,
            }
            arrays = {"mean": means, "lower": lower, "upper": upper}
            return Table.of_arrays(
                axes, {name: np.moveaxis(of, -1, 0) for name, of in arrays.items()}
            )
        parts = [*((name, part, PAIRED_T) for name, part in self.groups.items())]
        parts += [(test, self, test) for test in (THESE, LIKE_THESE)]
        rows = [
            [str(measure), name, *(getattr(found, each) for each in FIELDS)]
            for measure in self.measures
            for name, part, test in parts
            for found in part.find(measure, test)
        ]
        return Table(["measure", COLLECTION, *FIELDS], rows)

    def papers(self) -> list[PaperTable]:
        """The table that papers print for each measure: runs × collections and the mean."""
        parts, found = [*self.groups.values(), self], []
        of_mean = (
            "a stratified one" if self.primary == THESE else "Student's t over the mean differences"
        )
        for number, measure in enumerate(self.measures):
            names = (*self.groups, "mean")
            columns = tuple(NamedMeasure(name, sign_of(measure) < 0) for name in names)
            values = np.stack([part.values[:, number] for part in parts], axis=1)
            wins = [part.wins(measure) for part in parts]
            about = (
                f"{measure} in {counted(self.topics, self.unit)}; each counts once.",
                f"Paired t-tests, for the mean {of_mean}, Holm's correction, p < {self.alpha:g}.",
            )
            found.append(PaperTable(self.runs, columns, values, wins, self.baseline, about))
        return found


@checks_arguments("compare_collections({'web': (qrels, runs)}, ['nDCG@10'])")
def compare_collections(
    given: Any,
    measures: Iterable[Measure | str] = (),
    *,
    smaller: Collection[str] = (),
    baseline: str | None = None,
    alpha: float = ALPHA,
) -> OverCollections:
    """Compare runs over several collections, each of which counts once. Needs the extra ``stats``.

    `given` maps the name of each collection to an `Evaluation` or a pair of qrels and runs, as
    `read_collections` reads them from a file. Otherwise it is a table of values as for
    `Evaluation.from_values`, with a column collection; `smaller` is as there.

    `measures` are those to evaluate, or to take of values, by default all. `baseline` and `alpha` are
    as for `compare`.

    >>> rows = [
    ...     {"collection": name, "run": run, "topic": topic, "nDCG@10": (topic % 5 + 2 * (run == "B")) / 10}
    ...     for name, size in {"large": 50, "small": 10}.items() for topic in range(size) for run in "AB"
    ... ]
    >>> compare_collections(rows).values.round(3)
    array([[0.2],
           [0.4]])

    A collection may lack runs and measures. Raises `GradedError`, which names row and column, for a table
    that cannot be used, for fewer than two runs, and for a collection of fewer than two topics.
    """
    check_probability(alpha, "alpha", ALPHA)
    statistics_library("scipy.special")
    if isinstance(given, Mapping) and all(
        isinstance(each, (tuple, Evaluation)) for each in given.values()
    ):
        if smaller:
            raise GradedError("smaller is for a table of values; leave it out")
    else:
        given = Evaluation.by_collection(given, smaller=smaller)
    if "" in given:
        raise GradedError(
            "the values have no column collection; name the collection of each value there"
        )
    evaluations: dict[str, Evaluation] = {}
    for name, each in given.items():
        with about(name):
            evaluations[name] = (
                each if isinstance(each, Evaluation) else evaluate(each[0], each[1], measures)
            )
            refuse_few(len(evaluations[name].topics), "topic")
    runs = tuple(dict.fromkeys(run for each in evaluations.values() for run in each.runs))
    named = {str(measure): measure for each in evaluations.values() for measure in each.measures}
    if any(isinstance(each, Evaluation) for each in given.values()):
        chosen = [one_of(named.values(), measure) for measure in as_list(measures)]
        named = {str(measure): measure for measure in chosen} or named
    refuse_few(len(runs), "run")
    baseline = baseline_of(runs, baseline)
    arrays = []
    for each in evaluations.values():
        each = each.part(each.runs, [measure for measure in each.measures if str(measure) in named])
        array = np.full((len(runs), len(named), len(each.topics)), np.nan)
        place = (
            [*map(runs.index, each.runs)],
            [[*named].index(str(measure)) for measure in each.measures],
        )
        array[np.ix_(*place)] = each.values[:, :, np.argsort(each.topics)]
        arrays.append(array)

    sizes = np.array([array.shape[2] for array in arrays])
    primary = THESE if len(arrays) < FEW_COLLECTIONS else LIKE_THESE
    pairs = family_of(runs, baseline, range(len(runs)))
    labels = [(runs[run], runs[other]) for run, other in pairs]
    outcomes, apart = [], {name: list[Test]() for name in evaluations}
    for column, measure in enumerate(named.values()):
        tested = partial(pairwise_tests, measure, pairs=labels)
        found = paired_in_parts([array[:, column] for array in arrays], pairs, alpha)
        for tests, each_pair in zip(apart.values(), found, strict=True):
            tests += tested(PAIRED_T, each_pair._asdict(), alpha=alpha)
        difference = np.stack([each_pair.difference for each_pair in found])
        deviation = np.stack([each_pair.deviation for each_pair in found])
        count = max(1, int(np.isfinite(difference).all(axis=0).sum()))
        level = (1 - alpha) ** (1 / count)
        spread = dict(
            zip(("Q", "p_Q", "I2"), heterogeneity(difference, deviation, sizes), strict=True)
        )
        these = stratified_t(difference, deviation, sizes, level)
        for test, numbers in ((THESE, these), (LIKE_THESE, t_of_means(difference, level))):
            columns = (
                dict(zip(("difference", "lower", "upper", "p"), numbers, strict=True)) | spread
            )
            columns["adjusted"] = holm(columns["p"], count)
            constant = f"t over {test} is undefined, because the differences do not vary"
            reasons = {LACKING: np.isnan(columns["difference"]), constant: np.isnan(columns["p"])}
            columns["note"] = np.select([*reasons.values()], [*reasons], "")
            limit = 0 if primary == THESE and test == LIKE_THESE else alpha
            outcomes += tested(test, columns, alpha=limit)
    means = np.stack([*map(mean_over_topics, arrays)])
    _, lower, upper, _ = t_of_means(means.reshape(len(arrays), -1), 1 - alpha)
    measures = tuple(named.values())
    families = max(1, int((sizes >= FEW).sum()))
    of_one = partial(Comparison, runs, measures, baseline=baseline, alpha=alpha, families=families)
    groups = {
        name: of_one(len(each.topics), mean, tuple(apart[name]), name=name, lacking=each.lacking)
        for (name, each), mean in zip(evaluations.items(), means, strict=True)
    }
    over_all = mean_over_topics(np.moveaxis(means, 0, -1))
    bounds = np.stack([lower, upper]).reshape(2, *means.shape[1:])
    facts: dict[str, Any] = {
        "groups": groups,
        "unit": "collection",
        "primary": primary,
        "bounds": bounds,
    }
    return OverCollections(
        runs, measures, len(arrays), over_all, tuple(outcomes), baseline, alpha, **facts
    )


def read_collections(path: str | os.PathLike[str]) -> dict[str, tuple[str, list[tuple[str, Any]]]]:
    """The qrels and the runs of each collection in a table file with the columns collection, qrels and runs.

    Paths are relative to the file. Runs are a file, a pattern of files such as ``runs/*/covid.run``, whose
    ``*`` stands for the name of the run, or the ir-datasets id of a collection with a run. Qrels are a file
    or an ir-datasets id. Further rows of a collection add runs. Raises `GradedError`, which names the
    row, for an empty cell and for runs that are not found.
    """
    name, frame = os.fspath(path), frame_of(path)
    folder = os.path.dirname(name)
    columns = (needed_column(frame, name, column) for column in (COLLECTION, "qrels", "runs"))
    rows = zip(
        *(column.astype(object).where(column.notna(), "").astype(str) for column in columns),
        strict=True,
    )
    found: dict[str, tuple[str, list[tuple[str, Any]]]] = {}
    for row, (collection, qrels, runs) in enumerate(rows, 1):
        with about(f"{name}: row {row} ({collection})"):
            if not (collection and qrels and runs):
                raise GradedError("a cell is empty; give a collection, its qrels and its runs")
            file = os.path.join(folder, qrels)
            known_qrels, named = found.setdefault(
                collection, (file if is_file(file) else qrels, [])
            )
            if known_qrels not in (file, qrels):
                raise GradedError(
                    f"the qrels are {qrels}, and those of an earlier row {known_qrels}"
                )
            with about("column runs"):
                named += _runs(folder, runs)
    return found


def files_of_collections(path: str) -> Iterator[str]:
    """The table file of collections, and the files that it names."""
    yield path
    frame = frame_of(path)
    for name in {"qrels", "runs"} & {*frame.columns}:
        for pattern in frame[name].astype(str):
            file = os.path.join(os.path.dirname(path), pattern)
            yield from [file] if os.path.exists(file) else glob(file)


def _runs(folder: str, pattern: str) -> list[tuple[str, Any]]:
    """The runs in the files that match a pattern, or the run that comes with an ir-datasets id."""
    exists = os.path.exists(os.path.join(folder, pattern))
    paths = [pattern] if exists else sorted(glob(pattern, root_dir=folder or None))
    if not paths:
        return [("scoreddocs", scoreddocs_of(pattern))]
    before, star, after = pattern.partition("*")
    runs: list[tuple[str, Any]] = []
    for path in paths:
        name = path[len(before) : len(path) - len(after)] if star and "*" not in after else path
        file = RunFile(os.path.join(folder, path))
        runs += file.runs().items() or [(short_names(name)[0], file)]
    return runs
