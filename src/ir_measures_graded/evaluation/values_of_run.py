"""A user's values of a run, from a table that may have those of several runs and measures."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

from ir_measures import Measure

from ..core.registry.notation import NamedMeasure, measure_named
from ..core.rows.chosen import columns_named
from ..core.rows.columns import column_name
from ..core.rows.decimals import number_of
from ..errors import GradedError, shown, similar_names
from ..files.files import RunFile, without_endings
from ..files.sources import is_file
from ..output.formats import listed
from .named import NamedSource, short_names
from .ntcireval import with_usual_cutoff
from .value_columns import ALL
from .values import cells_of, frame_of, names_measures, renamed

if TYPE_CHECKING:
    from pandas import DataFrame

MEANS = ("amean", "mean")
"""Names that tools write in place of a topic for the mean."""
FORMS = (
    "lines of a topic and a value, the output of trec_eval -q or of NTCIREVAL, or JSON such as "
    '{"q1": 0.25}'
)
COLUMNS = ["query_id", "measure", "value"]
LISTED = 8
"""The number of names that a message lists."""


@dataclass(frozen=True)
class RunNames:
    """The names by which a table may call a run, the best first, and those of the `others`.

    These are the other runs of the call, whose values are not those of this one.
    """

    own: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()

    @classmethod
    def of(cls, run: Any, others: Iterable[Any] = ()) -> RunNames:
        """The names of a run, as it is given.

        >>> RunNames.of("runs/bm25.run.gz", ["runs/a.run"]).own
        ('bm25', 'bm25.run.gz', 'runs/bm25.run.gz')
        """
        own = _names_of(run)
        names_of_others = {name for other in others for name in _names_of(other)}
        return cls(own, frozenset(names_of_others - set(own)))

    def among(self, names: Collection[str]) -> str | None:
        """The one of some names that is the run's, perhaps but for endings such as .run.gz."""
        for name in self.own:
            if name in names:
                return name
        similar = [name for name in names if without_endings(name) in self.own]
        return similar[0] if len(similar) == 1 else None


def _names_of(run: Any) -> tuple[str, ...]:
    names: list[str] = []
    if isinstance(run, NamedSource):
        names.append(run.name)
        run = run.file
    if isinstance(run, RunFile):
        if run.run:
            names.append(run.run)
        run = run.file
    if isinstance(run, (str, os.PathLike)):
        path = os.fspath(run)
        names += [*short_names(path), path]
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class ValuesOfRun:
    """The value of each topic, and where it came from: the run and the measure of the table.

    `run` is empty in a table without runs.
    """

    by_topic: dict[str, float]
    run: str
    measure: str


def values_of_run(
    source: Any,
    topics: Collection[str],
    name: str | None = None,
    wanted: Collection[Measure] = (),
    run: RunNames = RunNames(),
    columns: Any = None,
) -> ValuesOfRun:
    """The value of each topic from a source.

    It is a path, a mapping, a table, or rows such as ir-measures' metrics. `topics` are those of
    the qrels. Of several runs of the table, in a column for them or each in a column, the one with
    the names of the `run` is taken. `name` is the measure to take if the source has several, by
    default the one that is among the `wanted` measures, or the run to take. `columns` are names of
    columns, as for `read_values`.

    Raises `GradedError` for values that cannot be read, for several runs or measures, for those of
    another run, and if no topic is in the qrels.
    """
    if isinstance(source, Real):
        raise GradedError(f"values={source!r} is one number; give a mean as mean={source!r}")
    is_number = isinstance(source, str) and number_of(source.encode(errors="replace")) is not None
    if is_number and not is_file(source):
        raise GradedError(
            f"{source} is no file; for a mean: --mean {source} (mean={source!r} in Python)"
        )
    where = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "values"
    frame, names_topics = _frame_by_topic(source, where, columns)
    cells = cells_of(frame, where, "", names_topic_all=ALL in topics)
    cells = cells.astype({"run": str, "topic": str, "measure": str})
    if _has_other_order(cells, topics, names_topics):
        cells = cells.rename(columns={"measure": "topic", "topic": "measure"})  # ir_measures' order
    own = run.among(list(cells["measure"].unique()))
    if not names_topics and own is not None and own in set(cells["topic"]):
        raise GradedError(
            f"{where}: {own} names a topic and a run; give a table with the columns run, topic and "
            "value"
        )
    cells = cells[cells["topic"].isin(topics) | ~cells["topic"].isin(MEANS)]
    run_name = _run_in(list(cells["run"].unique()), where, name, run)
    cells = cells[cells["run"] == run_name]
    is_name_of_run = name == run_name
    measure_name = None if is_name_of_run else name
    measure = _measure_in(list(cells["measure"].unique()), where, measure_name, wanted, run)
    cells = cells[cells["measure"] == measure]
    repeated = cells["topic"][cells["topic"].duplicated()]
    if repeated.size:
        raise GradedError(f"{where}: topic {shown(repeated.iloc[0])} has two values")
    values = dict(zip(cells["topic"], cells["value"].tolist(), strict=True))
    if values.keys().isdisjoint(topics):
        first = shown(next(iter(values)))
        raise GradedError(
            f"{where}: none of its topics (such as {first}) is in the qrels; give {FORMS}"
        )
    return ValuesOfRun(values, run_name, measure)


def _has_other_order(cells: DataFrame, topics: Collection[str], names_topics: bool) -> bool:
    """Whether the measures of a table are its topics.

    A column that is named for topics has them if it has one of the qrels.
    """
    measures_in_qrels = int(cells["measure"].isin(topics).sum())
    topics_in_qrels = int(cells["topic"].isin(topics).sum())
    if names_topics and topics_in_qrels:
        return False
    return measures_in_qrels > topics_in_qrels


def _run_in(runs: list[str], where: str, name: str | None, run: RunNames) -> str:
    """The run of a table whose values are taken; empty if the table names none."""
    if name in runs:
        return str(name)
    own = run.among(runs)
    if own is not None:
        return own
    if len(runs) == 1:
        _refuse_other(runs[0], where, run)
        return runs[0]
    example = "a name"
    if run.own:
        example = f"a name, as in {runs[0]}={run.own[-1]}"
    raise GradedError(
        f"{where} has values of {listed(runs, LISTED)}, of which none is {_own_name(run)}; give "
        f"the run {example}, or --name the one to take"
    )


def _measure_in(
    measures: list[str],
    where: str,
    name: str | None,
    wanted: Collection[Measure],
    run: RunNames,
) -> str:
    """The measure whose values are taken, or the run that has a column."""
    if name in measures:
        return str(name)
    usual_names = {with_usual_cutoff(measure): measure for measure in measures}
    usual_names |= {measure: measure for measure in measures}
    if name in usual_names:
        return usual_names[name]
    if name is None:
        fitting = [
            measure for usual, measure in usual_names.items() if measure_named(usual) in wanted
        ]
        if len(measures) == 1:
            if isinstance(measure_named(measures[0]), NamedMeasure):
                _refuse_other(measures[0], where, run)
            return measures[0]
        own = run.among(measures)
        if own is not None and _are_runs(measures, own, run):
            return own
        if len(fitting) == 1 and (own is None or own == fitting[0] or names_measures([own])):
            return fitting[0]
    similar: list[str] = []
    for measure in wanted:
        similar += similar_names(str(measure), measures, LISTED)
    names = listed(dict.fromkeys([*similar, *measures]), LISTED)
    raise GradedError(f"{where}: give the name of one of its measures or runs (--name): {names}")


def _are_runs(names: Collection[str], own: str, run: RunNames) -> bool:
    """Whether names, one of which is the run's own, are those of runs.

    The name of a known measure is that of a run only if all others are those of runs of the call.
    """
    others = set(names) - {own}
    return others <= run.others or not names_measures(names)


def _refuse_other(name: str, where: str, run: RunNames) -> None:
    """Raise `GradedError` for values that are those of another run of the call."""
    if name in run.others and name not in run.own:
        raise GradedError(f"{where} has the values of {name}, not of {_own_name(run)}")


def _own_name(run: RunNames) -> str:
    return run.own[0] if run.own else "the run"


def _frame_by_topic(source: Any, where: str, columns: Any) -> tuple[DataFrame, bool]:
    """A user's values as a table with a column of topics, and whether the source names its axes."""
    if hasattr(source, "items") and not hasattr(source, "columns"):
        by_topic = {str(topic): value for topic, value in source.items()}
        source = by_topic
        if not any(isinstance(value, Mapping) for value in by_topic.values()):
            source = list(by_topic.items())
    frame = frame_of(source, FORMS)
    own_columns = columns_named(columns)
    if own_columns:
        frame = renamed(frame, where, own_columns)
    if column_name(where, [frame.index.name, *frame], COLUMNS[0]) is not None:
        return frame, True
    run = column_name(where, list(frame), "run")
    if run is not None:
        frame = frame.set_index(run)
    has_no_names = 0 in frame or 1 in frame.index
    if not has_no_names:  # a column for each topic, a row for each run or measure
        return frame.T.rename_axis(COLUMNS[0]), run is not None
    if len(frame.columns) == 3:
        return frame.set_axis(COLUMNS, axis=1), False
    if len(frame.columns) == 2:
        return frame.set_axis(COLUMNS[::2], axis=1), False
    raise GradedError(f"{where}: cannot be read as {FORMS}")
