"""Evaluation in batches of whole topics, for engines that distribute topics.

All data is Arrow data.

An engine brings together the rows of some topics, calls `evaluate_batches`, and combines the
results. The levels of other topics, on which some values depend, are an argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..arguments import explains_wrong_calls, flag, refused, text
from ..arguments import names as names_in
from ..core.registry.facts import needs_all_topics
from ..core.registry.notation import parse_measures
from ..core.rows.arrow import arrow_array, exports_arrow, whole_table
from ..core.rows.floats import floats
from ..core.rows.roles import QRELS, RUN, Role
from ..core.rows.rows import RunSource
from ..core.rows.sources import read_qrels, read_run
from ..errors import GradedError, needed, shown
from .named import Judgments, Run, about
from .order_of_rows import GIVEN, with_shared_options
from .run_evaluator import RunEvaluator

if TYPE_CHECKING:
    import pyarrow

COLUMNS = ("query_id", "measure", "value")


@explains_wrong_calls("evaluate_batches(['nDCG@10'], qrels, batches)")
def evaluate_batches(
    measures: Iterable[Measure | str] | Measure | str,
    qrels: Any,
    batches: Iterable[Any],
    levels: Iterable[float] | None = None,
    *,
    by: str | Sequence[str] = (),
    groups: Any = None,
    ignore_identical_ids: bool = False,
    ascending: bool = False,
    ties: str | None = None,
    unjudged: str | None = None,
) -> pyarrow.Table:
    """The value of each measure for each topic.

    The result is an Arrow table with the columns query_id, measure and value.

    `measures` are graded or standard measures or measure strings. `qrels` and each of the
    `batches` are Arrow data with the columns query_id, doc_id, and relevance or score; PyTerrier's
    names are allowed. Together, the batches are one run, whose rows may have any order. Every
    topic of the qrels has a value, even if no batch has the topic. Topics that the qrels lack have
    no value. A value is null if ir-measures reports none.

    `levels` are all levels that occur in the collection, in any order. The values of some measures
    depend on the levels of all topics: ERR_G, for example, depends on the highest one. If `qrels`
    has only some topics of the collection, it may lack levels. Therefore these measures are an
    error without `levels`; `needs_levels` finds them.

    `by` names one or more columns of the batches, such as the run or the day. Each distinct
    combination of their values is a run of its own, which has a value for every topic, and the
    columns come first in the result. A null is a value like any other. `groups` is Arrow data with
    the columns `by`, for runs that may have no row in these batches.

    With `ignore_identical_ids`, documents with the id of their topic are left out. With
    `ascending`, smaller scores are better. `ties` and `unjudged` set these options of all measures
    that do not name them, as in `evaluate`; with ``ties='given'``, tied documents stay in the order
    of the batches and their rows, which an engine that distributes rows may change.

    >>> import pyarrow
    >>> qrels = pyarrow.table({"query_id": ["q1", "q2"], "doc_id": ["a", "a"], "relevance": [1, 3]})
    >>> batch = pyarrow.table({"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    >>> evaluate_batches("CG@2", qrels, [batch]).to_pydict()
    {'query_id': ['q1', 'q2'], 'measure': ['CG@2', 'CG@2'], 'value': [1.0, 0.0]}
    >>> evaluate_batches("ERR_G@1", qrels, [batch], levels=[0, 1, 3])["value"].to_pylist()
    [0.125, 0.0]
    >>> runs = batch.append_column("run", pyarrow.array(["A", "B"]))
    >>> values = evaluate_batches("CG@2", qrels, [runs], by="run")
    >>> list(zip(values["run"].to_pylist(), values["value"].to_pylist()))
    [('A', 1.0), ('A', 0.0), ('B', 0.0), ('B', 0.0)]

    Raises `GradedError` for data that is not Arrow data and for a missing column. Raises
    `GradedError`, which names the topic, for a null, for NaN, for a document that a topic
    retrieves twice, and for contradictory judgments. Raises `GradedError` for `levels` that are
    not finite numbers, and for a name in `by` that is no column of the batches and of `groups`, or
    is a column of the result.
    """
    pyarrow = needed("pyarrow", "Arrow data")

    ignore_identical_ids = flag("ignore_identical_ids", ignore_identical_ids)
    ascending = flag("ascending", ascending)
    for name, option in (("ties", ties), ("unjudged", unjudged)):
        if option is not None:
            text(name, option)
    wanted = with_shared_options(parse_measures(measures), ties, unjudged)
    batches = _listed("batches", batches, "Arrow tables")
    if levels is None:
        needing = list(filter(needs_all_topics, wanted))
        if needing:
            raise GradedError(f"{needing[0]} needs the levels of all topics; give levels")
        all_levels = np.array([np.nan])
    else:
        listed_levels = _listed("levels", levels, "numbers")
        all_levels = floats(QRELS, [listed_levels], lambda _: "levels")
        if not np.isfinite(all_levels).all():
            raise GradedError("levels: a level is a finite number")
    judgments = Judgments(read_qrels(_arrow(qrels, QRELS)), None, all_levels)
    tables = [_arrow(batch, RUN) for batch in batches]
    evaluator = RunEvaluator(judgments, wanted)
    names = columns_by(by)
    if names:
        keys, runs = _runs_by(tables, groups, names)
    else:
        keys = pyarrow.table({})
        rows_of_run = whole_table(tables) if tables else {}
        runs = iter([("", rows_of_run)])
    values_of_runs = []
    for name, rows in runs:
        with about(name):
            source: RunSource = read_run(rows)
            if ascending:
                source = source.ascending()
            run = Run(
                name,
                source,
                ignore_identical_ids=ignore_identical_ids,
                in_order_given=ties == GIVEN,
            )
        values_of_runs.append(evaluator(run).values)
    shape = len(values_of_runs), len(wanted), len(judgments.topics)
    values = np.array(values_of_runs, dtype=np.float64).reshape(shape)
    run_number, measure, topic = map(arrow_array, np.indices(shape).reshape(3, -1))
    topics = pyarrow.array(judgments.topics, pyarrow.string())
    measure_names = pyarrow.array(map(str, wanted), pyarrow.string())
    cells = pyarrow.array(values.ravel(), mask=np.isnan(values).ravel())
    columns = (topics.take(topic), measure_names.take(measure), cells)
    columns_of_runs = {name: keys[name].take(run_number) for name in names}
    return pyarrow.table(columns_of_runs | dict(zip(COLUMNS, columns, strict=True)))


def _listed(name: str, values: Iterable[Any], what: str) -> list[Any]:
    """The values as a list, which may be empty. Raises `GradedError` for anything else."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise refused(name, values, f"a list of {what}")
    return list(values)


def columns_by(by: str | Sequence[str]) -> list[str]:
    """The columns that tell runs apart. Raises `GradedError` for a name that occurs twice."""
    names = names_in("by", by)
    for number, name in enumerate(names):
        if name in names[:number]:
            raise GradedError(f"by: {shown(name)} occurs twice")
    return names


def _runs_by(
    tables: Sequence[pyarrow.Table], groups: Any, by: Sequence[str]
) -> tuple[pyarrow.Table, Iterator[tuple[str, pyarrow.Table]]]:
    """The distinct combinations of values in the columns `by`, and for each a name for messages and
    its rows.
    """
    import pyarrow

    sources = list(tables)
    if groups is not None:
        sources.append(whole_table(groups))
    for name in by:
        is_column = all(table.column_names.count(name) == 1 for table in sources)
        if name in COLUMNS or not is_column or not sources:
            raise GradedError(
                f"by: {shown(name)} must be a column of every batch and of groups, and not of the "
                f"result, which has {', '.join(COLUMNS)}"
            )
    every = whole_table([table.select(by) for table in sources])
    row = pyarrow.chunked_array([arrow_array(np.arange(len(every)))])
    numbered = pyarrow.table([*every.columns, row], names=[*map(str, range(len(by))), "row"])
    try:
        grouped = numbered.group_by(numbered.column_names[:-1], use_threads=False)
        keys = grouped.aggregate([("row", "list")])
    except pyarrow.ArrowNotImplementedError as error:
        raise GradedError(f"by: these values cannot tell runs apart: {error}") from None
    rows_of_runs = keys["row_list"]
    keys = keys.drop_columns("row_list").rename_columns(by)
    whole_run = whole_table(tables) if tables else every
    row_count = len(whole_run) if tables else 0

    def runs() -> Iterator[tuple[str, pyarrow.Table]]:
        for key, rows in zip(keys.to_pylist(), rows_of_runs, strict=True):
            name = ", ".join(f"{column}={shown(value)}" for column, value in key.items())
            numbers = np.asarray(rows.values)
            numbers = numbers[numbers < row_count]  # rows of `groups` come after those of the run
            rows_of_run = whole_run.take(arrow_array(numbers)) if numbers.size else {}
            yield name, rows_of_run

    return keys, runs()


def needs_levels(measures: Iterable[Measure | str] | Measure | str) -> bool:
    """Whether `evaluate_batches` needs the levels of the collection for any of the `measures`.

    >>> needs_levels("ERR_G"), needs_levels(["ERR_G(max_gain=15)", "AP"])
    (True, False)
    """
    return any(map(needs_all_topics, parse_measures(measures)))


def _arrow(rows: Any, role: Role) -> pyarrow.Table:
    """The rows of a batch."""
    if not exports_arrow(rows):
        raise GradedError(f"{role.kind}: expected Arrow data, not a {type(rows).__name__}")
    return whole_table(rows)
