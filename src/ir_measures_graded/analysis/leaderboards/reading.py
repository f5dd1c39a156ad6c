"""Leaderboards from tables of values, with or without topics, in the forms of several tools.

Every form becomes rows of run, measure, topic and value, and a mark of the rows that have a mean:
those of a table without topics, those that the column ``aggregate`` marks, else those of the topic
``all``. Of two rows ``all`` of a run and a measure, the last has the mean.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ...arguments import names as names_in
from ...core.by_topic import mean_over_topics
from ...core.registry.facts import ZERO, is_geometric, sign_of
from ...core.registry.notation import NamedMeasure, measure_named
from ...core.rows.columns import column_name, plain
from ...errors import GradedError, Remark, needed, shown
from ...evaluation.attributes import By
from ...evaluation.counting import Counting, effective_size, weighted_mean
from ...evaluation.evaluation import Evaluation
from ...evaluation.named import UNNAMED, run_names
from ...evaluation.value_columns import AGGREGATE, ALL, number_in
from ...evaluation.values import (
    IDS,
    VALUE,
    are_runs,
    are_unnamed,
    cells_of,
    frame_of,
    may_have_runs,
    measure_of_table,
    refuse_too_large,
    with_named_index,
)
from ...evaluation.weights import ALL_ZERO, read_weights, refuse_missing_weights
from ...files.content import matching
from ...files.sources import named_path
from ...output.formats import counted, listed
from ...output.tables import Note

if TYPE_CHECKING:
    from pandas import DataFrame

KEYS = ["run", "measure", "topic"]
IS_MEAN = "is_mean"  # the column that marks the rows of means
TREC_EVAL = {"measure", "topic", "value"}
RUN_NAME = "runid"  # the line of trec_eval that names the run
# The fields of lines without a header, by the name of the format.
FIELDS = {
    "tot": ["run", "measure", "topic", "value"],
    "ir_measures": ["run", "topic", "measure", "value"],
    "ranking": ["topic", "Q0", "run", "rank", "value", "measure"],
}
DIFFERENT_MEAN = 0.001  # a mean that differs by more is weighted, geometric or of other topics
COUNTS = "Num"  # names of measures that count topics and documents begin so
NO_VALUE = "{}: there is no value; give the columns run, topic, measure and value"


@dataclass(frozen=True, eq=False)
class Board:
    """The systems by one measure: their `values` (systems × topics), or only their `means`.

    With `weights` of the topics, all above 0, the means are weighted.
    """

    measure: Measure
    systems: tuple[str, ...]
    means: np.ndarray
    topics: tuple[str, ...] = ()
    values: np.ndarray | None = None
    weights: np.ndarray | None = None

    @property
    def sign(self) -> int:
        """-1 if smaller values are better, else 1."""
        return sign_of(self.measure)

    @property
    def effective(self) -> float | None:
        """The effective number of topics, None without weights."""
        return None if self.weights is None else effective_size(self.weights)

    def weighted(self, weights: Mapping[str, float], name: str) -> Board:
        """The board with weights of topics, without those of weight 0.

        Raises `GradedError` for a board of means, for a topic without a weight, and for a measure
        that is a sum.
        """
        if self.values is None:
            raise GradedError(
                f"weights need values by topic, and {name} has only means of {self.measure}"
            )
        counting = Counting(weights=weights)
        counting.check([self.measure])
        of_topics = counting.weights_of(self.topics)
        assert of_topics is not None
        refuse_missing_weights(of_topics, np.ones(of_topics.size, dtype=bool), self.topics)
        counted_topics = np.flatnonzero(of_topics)
        if not counted_topics.size:
            raise GradedError(ALL_ZERO.format("topic", self.measure))
        values = self.values[:, counted_topics]
        of_topics = of_topics[counted_topics]
        topics = tuple(self.topics[number] for number in counted_topics.tolist())
        return replace(
            self,
            means=weighted_mean(values, of_topics),
            topics=topics,
            values=values,
            weights=of_topics,
        )

    def part(self, systems: Sequence[str]) -> Board:
        """The board of some of the systems, in this order."""
        number = {system: row for row, system in enumerate(self.systems)}
        rows = [number[system] for system in systems]
        values = None if self.values is None else self.values[rows]
        return replace(self, systems=tuple(systems), means=self.means[rows], values=values)


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """A board for each measure, by its string, and what was noticed while they were read.

    If it `may_have_runs`, its measures are columns of one run that may be runs by one measure.
    """

    name: str
    boards: dict[str, Board]
    notes: list[Note] = field(default_factory=list)
    remarks: tuple[Remark, ...] = ()
    weights: Mapping[str, float] | None = None
    may_have_runs: bool = False
    _weighted: dict[str, Board] = field(default_factory=dict)

    @property
    def compared_unasked(self) -> list[str]:
        """The measures that are no counts, and with weights of topics those with values by
        topic."""
        names = []
        for name, board in self.boards.items():
            can_be_averaged = self.weights is None or self.has_topics(name)
            if can_be_averaged and not is_count(board.measure):
                names.append(name)
        return names

    def has_topics(self, name: str) -> bool:
        """Whether there are values by topic of one of the measures."""
        return self.boards[name].values is not None

    def with_columns_as_runs(self) -> Leaderboard:
        """The leaderboard by one measure, whose systems are the columns of the table."""
        boards = list(self.boards.values())
        first = boards[0]
        same_topics = all(board.topics == first.topics for board in boards)
        if not self.may_have_runs or not same_topics:
            return self
        means = np.concatenate([board.means for board in boards])
        values = None
        if first.values is not None:
            values = np.concatenate([board.values for board in boards])
        measure = NamedMeasure(VALUE)
        board = Board(measure, tuple(self.boards), means, first.topics, values)
        text = "{}: its columns are taken as runs, as none has the name of a known measure."
        notes = [*self.notes, Note(text, self.name)]
        return replace(self, boards={VALUE: board}, notes=notes, may_have_runs=False)

    def by(self, names: Collection[str]) -> Leaderboard:
        """The leaderboard by the only one of these measures, if its own has no name."""
        if len(names) != 1 or not are_unnamed(self.boards) or are_unnamed(names):
            return self
        (name,) = names
        (board,) = self.boards.values()
        text = "{}: its values, of which no column names the measure, are taken as those of {}."
        notes = [*self.notes, Note(text, self.name, name)]
        named = replace(board, measure=measure_named(name))
        return replace(self, boards={str(named.measure): named}, notes=notes)

    def board(self, name: str) -> Board:
        """The board of a measure, with the weights of topics.

        Raises `GradedError` if there is none, or if weights do not apply to it.
        """
        if name not in self.boards:
            text = str(measure_named(name))
            if text not in self.boards:
                names = listed(self.boards, 8)
                raise GradedError(f"{self.name} has no values of {name}; its measures are {names}")
            name = text
        board = self.boards[name]
        if self.weights is None:
            return board
        if name not in self._weighted:
            self._weighted[name] = board.weighted(self.weights, self.name)
        return self._weighted[name]


def is_count(measure: Measure) -> bool:
    """Whether a measure counts topics or documents, as num_q and num_ret of trec_eval do."""
    return measure.NAME.startswith(COUNTS) or str(measure).startswith("num_")


def read_leaderboard(
    source: Any,
    name: str,
    *,
    form: str | None = None,
    means: bool = False,
    aggregate: bool = False,
    smaller: Collection[str] = (),
    weights: Mapping[str, float] | None = None,
) -> Leaderboard:
    """The boards of an `Evaluation`, of a table, or of files; see `compare_leaderboards`.

    `name` is that of a table in messages. `weights` of topics replace those of an `Evaluation`;
    they apply to the measures that are asked for.

    Raises `GradedError` for tables that cannot be read.
    """
    if isinstance(source, Evaluation):
        if weights is not None:
            source = replace(source, weights=None)
        evaluated = {}
        for measure in source.measures:
            evaluated[str(measure)] = _of_evaluation(source, measure, smaller)
        notes = source.notes_on_levels()
        if source.no_relevant != ZERO:
            notes += source.notes_on_no_relevant()
        return Leaderboard(name, evaluated, notes, source.remarks, weights)
    if form is not None and form not in FIELDS:
        raise GradedError(f"format={form!r} is not allowed; it is one of {', '.join(FIELDS)}")
    tables = _tables(source, name)
    frames = [frame_of(table.source) for table in tables]
    parts = []
    for frame, table in zip(frames, tables, strict=True):
        parts.append(_cells(frame, table, form, means))
    pandas = needed("pandas", "a table of values")
    cells = pandas.concat(parts, keys=range(len(parts)))
    if len(tables) == 1:
        name = tables[0].name
    notes = []
    if form is not None and all(map(_has_header, frames)):
        notes.append(Note("{}: the option form has no effect, as columns have names.", name))
    if means and not cells[IS_MEAN].all():
        notes.append(
            Note("{}: the option means has no effect, as there are values by topic.", name)
        )
    if cells.empty:
        raise GradedError(NO_VALUE.format(name))
    cells = _with_numbers(cells, name, notes)
    _refuse_repeated(cells, [table.name for table in tables])
    boards: dict[str, Board] = {}
    for measure_name, rows in cells.groupby("measure", sort=False, observed=True):
        measure = measure_named(str(measure_name), str(measure_name) in smaller)
        if str(measure) in boards:
            raise GradedError(
                f"{name}: {measure_name} and {measure} are the same measure; keep one"
            )
        boards[str(measure)] = _board(measure, rows, name, aggregate, notes)
    if weights is not None:
        of_means = [board.measure for board in boards.values() if board.values is None]
        of_means = [measure for measure in of_means if not is_count(measure)]
        if of_means:
            text = "{}: {} cannot be weighted without values by topic."
            notes.append(Note(text, name, listed(of_means)))
    is_open = False
    if len(tables) == 1 and not tables[0].is_named and not smaller:
        is_open = may_have_runs(frames[0], name, cells)
    return Leaderboard(name, boards, notes, weights=weights, may_have_runs=is_open)


def read_both(
    first: Any,
    second: Any,
    names: tuple[str, str],
    *,
    smaller: Collection[str],
    weights: By,
    **settings: Any,
) -> tuple[Leaderboard, Leaderboard]:
    """Two leaderboards; see `read_leaderboard`, which has the `settings`.

    Raises `GradedError` for a name in `smaller` that neither has.
    """
    smaller = names_in("smaller", smaller)
    settings["weights"] = read_weights(weights)
    if weights is not None:
        for option in ("means", "aggregate"):
            if settings.get(option):
                raise GradedError(f"weights need values by topic; leave out {option}")
    one = read_leaderboard(first, names[0], smaller=smaller, **settings)
    other = read_leaderboard(second, names[1], smaller=smaller, **settings)
    measures = dict.fromkeys([*one.boards, *other.boards])
    for name in smaller:
        if name not in measures:
            names_of_measures = listed(measures, 8)
            raise GradedError(f"smaller: {name} is not among the measures: {names_of_measures}")
    return one, other


def _of_evaluation(evaluation: Evaluation, measure: Measure, smaller: Collection[str]) -> Board:
    if is_geometric(measure):
        means = evaluation.means()[:, evaluation.measures.index(measure)]
        return Board(measure, evaluation.runs, means)
    numbers = evaluation.paired_topics(measure).tolist()
    values = evaluation.paired(measure)
    topics = tuple(evaluation.topics[number] for number in numbers)
    weights = evaluation.paired_weights(measure)
    means = evaluation.paired_means(measure)
    if str(measure) in smaller:
        measure = measure_named(str(measure), True)
    return Board(measure, evaluation.runs, means, topics, values, weights)


@dataclass(frozen=True, eq=False)
class _Source:
    """A table to read, its `name` in messages, and the name of its `run` if nothing else names
    it. `is_named` tells that the user gives this name."""

    source: Any
    name: str
    run: str
    is_named: bool = False


def _tables(source: Any, name: str) -> list[_Source]:
    """The tables of a leaderboard: files, or one in memory."""
    if _is_path(source):
        source = [source]
    is_list = isinstance(source, (list, tuple)) and len(source) > 0
    if not is_list or not all(map(_is_path, source)):
        return [_Source(source, name, UNNAMED)]
    words = [named_path(path) for pattern in source for path in matching(os.fspath(pattern))]
    names_of_files = run_names([word.path for word in words])
    tables = []
    for word, name_of_file in zip(words, names_of_files, strict=True):
        run = word.name or name_of_file
        tables.append(_Source(word.path, word.path, run, is_named=bool(word.name)))
    return tables


def _is_path(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike))


def _cells(frame: DataFrame, table: _Source, form: str | None, means: bool) -> DataFrame:
    """A row per value, with the columns run, measure, topic and value, of one table."""
    columns = list(frame.columns)
    has_header = _has_header(frame)
    if not has_header and len(columns) == 4:
        fields = FIELDS[form or _form_of(frame, table.name)]
        frame = frame.set_axis(fields, axis=1)
    elif not has_header and len(columns) == 6:
        if form != "ranking":
            raise GradedError(
                f"{table.name} has six fields, as a run has; if they are topic, Q0, system, rank, "
                "value and measure, give --form ranking"
            )
        frame = frame.set_axis(FIELDS["ranking"], axis=1)
    elif set(columns) == TREC_EVAL:
        frame = frame.assign(run=_run_name(frame, table.run))
    else:
        return _of_table(frame, table.name, table.run, means)
    is_value = frame["measure"].astype(str) != RUN_NAME
    values = frame.loc[is_value, [*KEYS, "value"]]
    return _with_means_by_name(values.reset_index(drop=True))


def _has_header(frame: DataFrame) -> bool:
    """Whether the columns have names, and not numbers."""
    return list(frame.columns) != list(range(len(frame.columns)))


def _with_means_by_name(cells: DataFrame) -> DataFrame:
    """The cells of a form that tells means by the topic ``all``, with the mark of means."""
    is_topic = cells.duplicated(KEYS, keep="last")
    return cells.assign(**{IS_MEAN: (cells["topic"] == ALL) & ~is_topic})


def _form_of(frame: DataFrame, name: str) -> str:
    """Which of the second and the third of four fields is the measure.

    It is the one without ``all``, or else the one whose values are all names of measures.
    """
    second = set(frame[1])
    third = set(frame[2])
    if (ALL in second) != (ALL in third):
        return "ir_measures" if ALL in second else "tot"
    if second <= {"0", "Q0"}:
        raise GradedError(
            f"{name} has the fields of qrels (topic, 0, document, level), not values of systems; "
            "evaluate QRELS RUN… MEASURE --sort MEASURE orders runs"
        )
    second_has_measures = all(map(_is_measure, second))
    third_has_measures = all(map(_is_measure, third))
    if second_has_measures == third_has_measures:
        raise GradedError(
            f"{name}: the second or the third field may be the measure; give --form tot (run, "
            "measure, topic, value) or --form ir_measures (run, topic, measure, value)"
        )
    return "tot" if second_has_measures else "ir_measures"


def _is_measure(name: str) -> bool:
    return not isinstance(measure_named(name), NamedMeasure)


def _run_name(frame: DataFrame, run: str) -> str:
    """The value of ``runid`` in the output of trec_eval, else the name of the file."""
    named = frame.loc[frame["measure"] == RUN_NAME, "value"]
    return str(named.iloc[0]) if len(named) else run


def _of_table(frame: DataFrame, name: str, run_name: str, means: bool) -> DataFrame:
    """The values of a table with a header."""
    pandas = needed("pandas", "a table of values")
    frame = with_named_index(frame, name)
    names = list(frame)
    topic, run, measure, value = (
        column_name(name, names, role) for role in ("query_id", "run", "measure", "value")
    )
    if topic is None and not means:
        try:
            cells = cells_of(frame, name, run_name).astype({"measure": str})
            return cells.assign(**{IS_MEAN: False}).reset_index(drop=True)
        except GradedError as error:
            raise GradedError(f"{error}; if its values are means, give --means") from None
    for key in (run, topic, measure):
        if key is not None:
            _refuse_empty(frame, name, key)
    keys: dict[str, Any] = {"run": run_name, "topic": ALL}
    if run is not None:
        keys["run"] = frame[run].astype(str)
    is_marked = True
    if topic is None:
        keys[IS_MEAN] = True
    elif AGGREGATE in frame:
        keys[IS_MEAN] = frame[AGGREGATE].notna() & (frame[AGGREGATE] != "")
        keys["topic"] = frame[topic].astype(str).mask(keys[IS_MEAN], ALL)
    else:
        keys["topic"] = frame[topic].astype(str)
        is_marked = False
    if measure is not None and value is not None:
        columns = {"measure": frame[measure].astype(str), "value": frame[value]}
        parts = [pandas.DataFrame({**keys, **columns}, frame.index)]
    else:
        named = {run, topic, AGGREGATE}
        measures = [column for column in names if column not in named and plain(column) not in IDS]
        if not measures:
            raise GradedError(NO_VALUE.format(name))
        parts = []
        has_column_per_run = run is None and are_runs(frame, measures, run_name)
        for column in measures:
            columns = {"measure": str(column), "value": frame[column]}
            if has_column_per_run:
                columns |= {"run": str(column), "measure": measure_of_table(run_name)}
            elif are_unnamed(measures) and measure_of_table(run_name) != VALUE:
                columns["measure"] = run_name
            parts.append(pandas.DataFrame({**keys, **columns}, frame.index))
    cells = pandas.concat(parts, ignore_index=True)
    return cells if is_marked else _with_means_by_name(cells)


def _refuse_empty(frame: DataFrame, name: str, key: Any) -> None:
    """Raise `GradedError` for an empty cell in a column of runs, topics or measures.

    The topic of a row that the column ``aggregate`` marks may be empty.
    """
    is_empty = frame[key].isna() | (frame[key].astype(str) == "")
    if AGGREGATE in frame:
        is_empty &= frame[AGGREGATE].isna() | (frame[AGGREGATE] == "")
    if is_empty.any():
        row = int(is_empty.to_numpy().argmax()) + 1
        raise GradedError(f"{name}: row {row}, column {key}: the cell is empty")


def _with_numbers(cells: DataFrame, name: str, notes: list[Note]) -> DataFrame:
    """The rows with a number.

    Notes name the measures with text, which are left out, and the systems with an empty value,
    which count as missing. Raises `GradedError` if no row is left.
    """
    values = cells["value"]
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "fiu":
        numbers = values.to_numpy(np.float64)
    else:
        numbers = np.array([number_in(value) for value in values], dtype=np.float64)
    is_by_topic = ~cells[IS_MEAN].to_numpy(dtype=bool)  # only these are averaged and squared
    by_row = values.set_axis(np.arange(1, len(values) + 1))
    refuse_too_large(by_row[is_by_topic], numbers[is_by_topic], name)
    with_numbers = cells.assign(value=numbers)
    is_number = np.isfinite(numbers)
    if is_number.all():
        return with_numbers
    is_empty = (values.isna() | (values == "")).to_numpy(dtype=bool)
    texts = cells[~is_number & ~is_empty]
    measures = texts["measure"].unique()
    has_text = cells["measure"].isin(measures).to_numpy()
    if len(measures):
        notes.append(Note("{}: {} is left out: a value is no number.", name, listed(measures)))
    is_kept = is_number & ~has_text
    if not is_kept.any():
        if texts.empty:
            raise GradedError(NO_VALUE.format(name))
        value, measure = texts[["value", "measure"]].iloc[0]
        text = shown(str(value))
        raise GradedError(f"{name}: {text}, a value of {measure}, is not a finite number")
    empty = cells[is_empty & ~has_text]
    for measure, rows in empty.groupby("measure", sort=False, observed=True):
        count = counted(len(rows), "empty value")
        text = "{}: {} of {} counts as missing ({})."
        notes.append(Note(text, name, count, measure, listed(rows["run"].unique())))
    return with_numbers[is_kept]


def _refuse_repeated(cells: DataFrame, names: Sequence[str]) -> None:
    """Raise `GradedError` for two values of a system by one measure for one topic."""
    repeated = cells[cells.duplicated([*KEYS, IS_MEAN])]
    if len(repeated):
        table, _ = repeated.index[0]
        run, measure, topic = repeated[KEYS].iloc[0]
        of_topic = f"two values for topic {topic}"
        if repeated[IS_MEAN].iloc[0]:
            of_topic = "two means"
        raise GradedError(f"{names[table]}: {shown(run)} has {of_topic} by {measure}; keep one")


def _board(
    measure: Measure, rows: DataFrame, name: str, aggregate: bool, notes: list[Note]
) -> Board:
    """The board of the rows of one measure."""
    is_mean = rows[IS_MEAN]
    mean_rows = rows[is_mean]
    means_of_table = dict(zip(mean_rows["run"], mean_rows["value"], strict=True))
    by_topic = rows[~is_mean]
    if by_topic.empty:
        return Board(measure, tuple(means_of_table), np.array(list(means_of_table.values())))
    run_numbers, systems = by_topic["run"].factorize()
    topic_numbers, topics = by_topic["topic"].factorize()
    values = np.full((len(systems), len(topics)), np.nan)
    values[run_numbers, topic_numbers] = by_topic["value"]
    _refuse_missing(values, list(systems), list(topics), measure, name)
    means = mean_over_topics(values)
    board = Board(measure, tuple(systems), means, tuple(topics), values)
    _compare_means(board, means_of_table, name, notes)
    if not aggregate:
        return board
    if not means_of_table:
        text = "{}: there is no row of the topic all by {}, so the mean is used."
        notes.append(Note(text, name, measure))
        return board
    lacking = [system for system in board.systems if system not in means_of_table]
    if lacking:
        raise GradedError(f"{name}: {shown(lacking[0])} has no row of the topic all by {measure}")
    taken = [means_of_table[system] for system in board.systems]
    return replace(board, means=np.array(taken))


def _refuse_missing(
    values: np.ndarray, systems: Sequence[str], topics: Sequence[str], measure: Measure, name: str
) -> None:
    """Raise `GradedError` if a system lacks a topic of another one."""
    missing = np.isnan(values)
    if not missing.any():
        return
    system = int(missing.any(axis=1).argmax())
    lacking = [topics[number] for number in np.flatnonzero(missing[system]).tolist()]
    count = counted(len(lacking), "topic")
    raise GradedError(
        f"{name}: {systems[system]} lacks values of {measure} for {count} ({listed(lacking, 5)}); "
        "give each system a value for each topic"
    )


def _compare_means(
    board: Board, means_of_table: dict[str, float], name: str, notes: list[Note]
) -> None:
    """Note which rows of the topic ``all`` are not the mean over the topics."""
    if is_count(board.measure):
        return
    others = []
    for system, mean in zip(board.systems, board.means.tolist(), strict=True):
        if abs(means_of_table.get(system, mean) - mean) > DIFFERENT_MEAN:
            others.append(system)
    if others:
        text = (
            "{}: the value of the topic all by {} is not the mean over the topics for {}; the mean "
            "is used (--aggregate takes the other)."
        )
        notes.append(Note(text, name, board.measure, listed(others)))


def common_systems(first: Iterable[str], second: Iterable[str]) -> list[str]:
    """The systems of both, in the order of the first."""
    others = set(second)
    return [system for system in first if system in others]
