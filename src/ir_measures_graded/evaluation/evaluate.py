"""Several runs by several measures over one collection.

The command line and all analyses start from `evaluate`. It takes qrels and runs in every form, including
files and ir-datasets ids. `Evaluation` holds the value of each run by each measure for each topic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ir_measures import Measure, SumAgg

from ..core.provider import aggregate, provider_named
from ..core.registry.facts import defined, sign_of
from ..core.registry.notation import one_of
from ..core.rows.rows import refuse_repeated
from ..errors import GradedError, shown
from ..output import plots
from ..output.formats import counted, listed
from ..output.result import Result
from ..output.tables import Table
from . import named, remarks
from .evaluators import evaluators, explained, refuse_for_gdeval
from .named import Qrels, Run, Runs, Study
from .sessions import Fields, Given, SessionValues, turn_measure
from .values import read_values


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """The value of each run by each measure for each topic of the qrels.

    `runs` (names), `measures` and `topics` label the axes of `values`, an array of floats (runs × measures ×
    topics). With the option `sessions`, the topics are sessions, and `unit` is ``session``. `missing` (runs ×
    topics) is true where a run lacks a topic, whose value is that of an empty list. `unreported` (like
    `values`) is true where a provider of ir-measures reports no value, which counts as 0 here. An
    `Evaluation` of values that were computed before has the `files` that they came from.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: tuple[str, ...]
    values: np.ndarray
    missing: np.ndarray | None = None
    unreported: np.ndarray | None = None
    files: tuple[str, ...] = ()
    unit: str = "topic"

    @classmethod
    def from_values(cls, table: Any, *, smaller: Collection[str] = ()) -> Evaluation:
        """The `Evaluation` of a table of values that were computed before, by any tool.

        `table` is a path, a list of paths, a DataFrame or what makes one, or anything that exports Arrow. Its
        columns are topic, run, measure and value, or topic, run and one column per measure, as ``evaluate -q
        -f csv`` writes it. Other usual names are known, such as those of runs (query_id, qid, system …),
        metric, score and PyTerrier's name. Without a column run, the rows are of one run with the name of the
        file. A file is CSV, TSV, JSON, JSON lines, Parquet, Arrow or the output of ``trec_eval -q``, and may
        be compressed. Rows of the topic ``all`` are left out.

        Names of known measures are read as such, any other name is that of a `NamedMeasure`. `smaller` are
        the names of measures whose smaller values are better, besides those that the package knows.

        >>> rows = {"run": ["A", "A"], "topic": ["1", "2"], "faithfulness": [0.5, 0.25], "map": [1.0, 0.0]}
        >>> found = Evaluation.from_values(rows)
        >>> found.measures, found.of("faithfulness")
        ((faithfulness, AP), array([[0.5 , 0.25]]))

        Raises `GradedError`, which names file, row and column, for a missing column, an empty cell, a value
        that is not a finite number, two values for one cell, and a topic that a run lacks.
        """
        return cls(**read_values(table, smaller)[""])

    @classmethod
    def by_collection(cls, table: Any, *, smaller: Collection[str] = ()) -> dict[str, Evaluation]:
        """The `Evaluation` of each name in the column ``collection`` of a table of values.

        The table is as for `from_values`. A collection may lack runs and measures of the others. Without this
        column, all values are of one collection without a name.
        """
        found = read_values(table, smaller, apart=True)
        return {name: cls(**fields) for name, fields in found.items()}

    def of(self, measure: Measure | str) -> np.ndarray:
        """The values by one of the measures (runs × topics). Raises `GradedError` for any other."""
        return self.values[:, self._column(measure)]

    def _column(self, measure: Measure | str) -> int:
        return self.measures.index(one_of(self.measures, measure))

    def part(self, runs: Sequence[str], measures: Sequence[Measure | str]) -> Evaluation:
        """The values of these runs and measures only, in this order. Raises `GradedError` for any other."""
        if unknown := [run for run in runs if run not in self.runs]:
            raise GradedError(
                f"the run {shown(unknown[0])} is none of those evaluated: {listed(self.runs)}"
            )
        rows, columns = [*map(self.runs.index, runs)], [*map(self._column, measures)]
        cells = np.ix_(rows, columns)
        return replace(
            self._at(values=cells, missing=rows, unreported=cells),
            runs=tuple(runs),
            measures=tuple(self.measures[column] for column in columns),
        )

    def on(self, topics: Sequence[int]) -> Evaluation:
        """The values for the topics with these numbers."""
        cells = np.s_[..., topics]
        part = self._at(values=cells, missing=cells, unreported=cells)
        return replace(part, topics=tuple(self.topics[number] for number in topics))

    def _at(self, **places: Any) -> Evaluation:
        """A copy with the cells of arrays at these places."""
        arrays = {name: getattr(self, name) for name in places}
        kept = {name: array[places[name]] for name, array in arrays.items() if array is not None}
        return replace(self, **kept)

    @property
    def _is_unreported(self) -> np.ndarray:
        return np.zeros(self.values.shape, bool) if self.unreported is None else self.unreported

    @property
    def reported(self) -> np.ndarray:
        """The values as objects (runs × measures × topics); None where a provider reports none."""
        return np.where(self._is_unreported, np.array(None), self.values)

    def means(self) -> np.ndarray:
        """The mean over the topics (runs × measures); of counts such as NumRet the sum, as in ir-measures."""
        rows = (
            zip(self.measures, *of_run, strict=True)
            for of_run in zip(self.values, self._is_unreported, strict=True)
        )
        return np.array(
            [[aggregate(each, found[~out]) for each, found, out in row] for row in rows]
        )

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The `means` of each run by measure string."""
        names = [*map(str, self.measures)]
        return {
            run: dict(zip(names, values, strict=True))
            for run, values in zip(self.runs, self.means().tolist(), strict=True)
        }

    @property
    def lacking(self) -> list[str]:
        """A sentence on each run that lacks topics."""
        counts = [] if self.missing is None else self.missing.sum(axis=1).tolist()
        return [
            f"{run} lacks {counted(number, self.unit)}; the value there is that of an empty ranking."
            for run, number in zip(self.runs, counts, strict=False)
            if number
        ]

    @property
    def summary(self) -> str:
        """The measures, runs and topics in one line."""
        runs, topics = counted(len(self.runs), "run"), counted(len(self.topics), self.unit)
        return f"{listed(self.measures)} of {runs} over {topics}"

    def tables(self) -> list[Table]:
        """One row per run with its `means`."""
        rows = [
            [run, *values] for run, values in zip(self.runs, self.means().tolist(), strict=True)
        ]
        return [Table(["run", *map(str, self.measures)], rows)]

    def data(self) -> Table:
        """One row per run, measure and topic; the value is None if a provider reports none."""
        axes = {"run": self.runs, "measure": [*map(str, self.measures)], "topic": self.topics}
        return Table.of_arrays(axes, {"value": self.reported})

    def figure(self) -> plots.Figure:
        """Draw the means as dots, one panel per measure, with the best runs by the first measure on top.

        Raises `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        sums = any(isinstance(measure.aggregator(), SumAgg) for measure in self.measures)
        label = f"{'Mean or sum' if sums else 'Mean'} over {counted(len(self.topics), self.unit)}"
        signs = list(map(sign_of, self.measures))
        return plots.dot_plot(self.runs, list(map(str, self.measures)), self.means(), signs, label)


def evaluate(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    sessions: Given = None,
    ties: str | None = None,
    unjudged: str | None = None,
    provider: str | None = None,
    ignore_identical_ids: bool = False,
) -> Evaluation:
    """The value of each run by each measure, graded or standard, for each topic of the qrels.

    `qrels` and `runs` may be in any form, see `Qrels` and `Runs`. `measures` are measures or measure
    strings; duplicates are evaluated once. `provider` names the ir-measures provider that computes all
    measures; by default ours computes what it can and ir-measures' pipeline the rest. With
    `ignore_identical_ids`, documents with the id of their topic are left out before anything is ranked, as
    BEIR does.

    The measure ``official`` stands for those of an ir-datasets id, the primary one first, if they are known.

    `sessions` tells that topics are the turns of sessions, which become the topics of the result: True for
    ids such as ``31_1``, or a mapping of topics to session and turn. The value of a session is the mean over
    its turns in the qrels, the sum for counts, or as `sDCG` and `nsDCG` define it.

    `ties` ('mean', 'min', 'max') and `unjudged` ('min', 'max') set these options of all measures that do not
    name them. Standard measures such as AP have them too, and are then printed with the option.

    >>> qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
    >>> runs = {"good": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}, "poor": {"q1": {"b": 1.0}}}
    >>> result = evaluate(qrels, runs, ["CG@2", "P@1"])
    >>> result.of("CG@2")
    array([[3., 1.],
           [1., 0.]])
    >>> result.means()
    array([[2. , 1. ],
           [0.5, 0.5]])

    Warns (`InputWarning`) once per run of topics that it lacks and of what else is unusual, and of levels in
    parameters that the qrels lack.

    Raises `GradedError` for an empty list of measures, qrels without a topic, two runs of one name, and
    for qrels, a run or a measure that cannot be used.
    """
    options = {
        name: word for name, word in (("ties", ties), ("unjudged", unjudged)) if word is not None
    }
    wanted = tuple(
        _with_options(measure, options) for measure in named.measures_for(qrels, measures)
    )
    every = named.named_runs(runs)
    if ignore_identical_ids:
        every = named.ignoring_identical_ids(every)
    work = RunEvaluator(named.in_sessions(qrels, sessions), wanted, provider)
    judgments = work.judgments
    with remarks.warned_together():
        found = [*map(work, every)]
        for run, (_, unusual) in zip(every, found, strict=True):
            remarks.warn_of(unusual, run.name)
        is_open = any(
            remarks.leaves_open(measure, name) for measure in wanted for name in ("rel", "gains")
        )
        level = remarks.level_remark(judgments.documents, LEVELS)
        if judgments.contract is None and is_open and level:
            remarks.warn_of([level], judgments.name or "qrels")
        for measure, text in remarks.measure_remarks(
            wanted, judgments.documents, judgments.contract
        ):
            remarks.warn_of([text], str(measure))
    values, missing, unreported = map(np.stack, zip(*(fields for fields, _ in found), strict=True))
    unit, topics = "topic", judgments.topics
    if judgments.sessions is not None:
        unit, topics = "session", judgments.sessions.names
    names = tuple(run.name for run in every)
    return Evaluation(names, wanted, topics, values, missing, unreported, unit=unit)


def _with_options(measure: Measure, options: Mapping[str, str]) -> Measure:
    """The measure with the options that it does not name. Raises `GradedError` if it does not have them."""
    missing = {name: word for name, word in options.items() if name not in measure.params}
    return (
        defined(measure, f"option {next(iter(missing))}", *missing)(**missing)
        if missing
        else measure
    )


LEVELS = 4
"""Levels 1 … n without 0 are warned of from this n on; fewer are often those of relevant documents alone."""

Values = tuple[Fields, list[str]]
"""The values of a run and remarks on it."""


class RunEvaluator:
    """Evaluates any number of runs with measures over one set of qrels, which is read once.

    Raises `GradedError` for measures that cannot be computed.
    """

    def __init__(self, qrels: Qrels, measures: Sequence[Measure], provider: str | None = None):
        self.judgments = named.read_judgments(qrels)
        sessions = self.judgments.sessions
        self.by_session = sessions and SessionValues(self.judgments.documents, sessions, measures)
        computed = list(dict.fromkeys(map(turn_measure, measures))) if sessions else [*measures]
        self.row = {measure: number for number, measure in enumerate(computed)}
        self.depth = remarks.depth_of(computed)
        self.ours, self.others = evaluators(
            computed, self.judgments, provider_named(provider, measures)
        )

    def __call__(self, run: Run) -> Values:
        numbers = self.judgments.numbers
        values = np.zeros((len(self.row), len(numbers)))
        unreported = np.ones(values.shape, dtype=bool)
        unusual: list[str] = []
        with named.about(run.name):
            table = run.rows(self.judgments) if self.others else None
            if table is not None:
                refuse_repeated(table)
            graded = run.reduced(self.judgments, table)
            standard = {} if table is None else table.dicts()
            missing = np.array([not standard.get(topic) for topic in numbers])
            if self.ours is not None:
                counts = remarks.RunRemarks(self.ours.judged, self.depth, self.judgments.contract)
                for measure, order, found in self.ours.reported(counts.watched(graded)):
                    row = self.row[measure]
                    values[row, order], unreported[row, order] = found[order], False
                missing = counts.counts[0] == 0
                if run.kept_for is None:  # a study has warned already
                    unusual = [*counts.of(run.source)]
        for group, evaluator in self.others:
            with named.about(run.name), explained(group):
                refuse_for_gdeval(evaluator, standard)
                metrics = [*evaluator.iter_calc(standard)]
            for topic, measure, value, *_ in metrics:  # cwl_eval adds fields
                if topic in numbers:
                    place = self.row[measure], numbers[topic]
                    values[place], unreported[place] = value, False
        fields = values, missing, unreported
        return (self.by_session.of(self.row, fields) if self.by_session else fields), unusual


def evaluated(
    qrels: Qrels | Evaluation,
    runs: Runs | None,
    measures: Iterable[Measure | str],
    sessions: Given,
    *,
    kept: bool = False,
) -> tuple[Evaluation, Study | None]:
    """The `Evaluation` of runs. If `runs` is None, `qrels` is one already, or a table of values.

    Of values, all measures are taken if none is named. If runs are `kept`, the second result is their study,
    otherwise None.
    """
    if runs is not None and isinstance(qrels, Evaluation):
        raise GradedError("an Evaluation has the values of its runs; leave out runs, or give qrels")
    if runs is not None:
        qrels = named.in_sessions(qrels, sessions)
        study = named.study_of(qrels, runs) if kept else None
        qrels, runs = (study.judgments, study.runs) if study else (qrels, runs)
        return evaluate(qrels, runs, measures), study
    if sessions:
        raise GradedError("sessions needs qrels and runs; values stay those of their topics")
    found = qrels if isinstance(qrels, Evaluation) else Evaluation.from_values(qrels)
    wanted = [one_of(found.measures, measure) for measure in measures]
    return (found.part(found.runs, wanted) if wanted else found), None
