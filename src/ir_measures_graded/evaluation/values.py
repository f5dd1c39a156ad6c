"""Tables of values that were computed before, by this package or by any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError, GradedError
from ..inputs.content import DAMAGE, Content, File
from ..inputs.table_files import kind_of
from ..output.formats import counted, listed
from ..registry.notation import parse_measures
from .evaluate import Evaluation

if TYPE_CHECKING:
    from pandas import DataFrame

TOPIC = ("topic", "query_id", "qid", "query")
ALL = "all"
"""The name of the row of a mean, as in trec_eval's output."""


def read_values(file: File) -> Evaluation:
    """The values in a table file, see `evaluation_of`.

    The file is CSV or TSV with a header, Parquet or Arrow, and may be compressed. Raises `FileError` for a
    file that cannot be read.
    """
    return evaluation_of(_frame(file), str(file))


def read_groups(given: str) -> dict[str, str]:
    """The group of each topic in the column COLUMN of a table file, as FILE:COLUMN names it.

    Raises `GradedError` for another form, for a missing column and for a topic with two groups.
    """
    path, colon, column = given.rpartition(":")
    if not colon:
        raise GradedError(f"{given!r} is not allowed; give FILE:COLUMN, as in topics.csv:kind")
    groups = _by_topic(_frame(path), path, column)
    return {
        topic: "no group" if group in ("", None) or group != group else str(group)
        for topic, group in groups.items()
    }


def read_sessions(path: str) -> dict[str, tuple[Any, Any]]:
    """The session and the turn of each topic in the columns of a table file.

    Raises `GradedError` for a missing column and for a topic with two sessions or turns.
    """
    frame = _frame(path)
    session, turn = (_by_topic(frame, path, column) for column in ("session", "turn"))
    return {topic: (session[topic], turn[topic]) for topic in session}


def _by_topic(frame: DataFrame, path: str, column: str) -> dict[str, Any]:
    """The cell of each topic in a column."""
    topic = _topic_column(frame, path)
    if column not in frame:
        raise GradedError(f"{path}: there is no column {column}; the columns are {listed(frame.columns, 10)}")
    rows = frame[[topic, column]].drop_duplicates()
    if (twice := rows.duplicated(topic)).any():
        raise GradedError(f"{path}: topic {rows[twice][topic].iloc[0]} has two values of {column}")
    return dict(zip(rows[topic].astype(str), rows[column]))


def _frame(file: File) -> DataFrame:
    """A table file as a DataFrame; the cells of text files are strings."""
    import pandas
    import pyarrow

    with Content(file) as content:
        try:
            if kind := kind_of(content):
                opened = kind(content)
                batches = [batch for _, batch in opened.batches(opened.names, None)]
                return pyarrow.Table.from_batches(batches).to_pandas()
            separator = "\t" if b"\t" in content.start.partition(b"\n")[0] else ","
            return pandas.read_csv(content.stream, sep=separator, dtype=str, keep_default_na=False)
        except (*DAMAGE, ValueError, pyarrow.ArrowException) as error:
            raise FileError(
                f"{content.name}: cannot be read as a table with a header: {str(error).strip()}"
            ) from None


def _topic_column(frame: DataFrame, name: str) -> str:
    found = next((column for column in TOPIC if column in frame), None)
    if found is None:
        raise GradedError(f"{name}: no column names the topic; name it {TOPIC[0]} or {TOPIC[1]}")
    return found


def evaluation_of(table: Any, name: str = "values") -> Evaluation:
    """The values in a table as an `Evaluation`.

    `table` is a DataFrame or makes one, with the columns topic (or query_id, qid), run (the name of the only
    run is ``run`` without it), and either measure and value, or one column for each measure, as ``evaluate
    -q -f csv`` writes it. Rows of the topic ``all`` are left out.

    >>> rows = {"run": ["A", "A"], "topic": ["1", "2"], "measure": ["AP", "AP"], "value": [0.5, 0.25]}
    >>> evaluation_of(rows).of("AP")
    array([[0.5 , 0.25]])

    Raises `GradedError` for missing columns, a value that is not a finite number, two values for one cell,
    and, with the topics, for a run without a value for a topic that another run has.
    """
    import pandas

    frame: DataFrame = pandas.DataFrame(table)
    topic = _topic_column(frame, name)
    frame = frame.rename(columns={topic: "topic"}).assign(row=np.arange(1, len(frame) + 1))
    frame = frame if "run" in frame else frame.assign(run="run")
    if not {"measure", "value"} <= {*frame}:
        frame = frame.melt(["run", "topic", "row"], var_name="measure", value_name="value")
    frame = frame[frame["topic"].astype(str) != ALL]
    frame = frame.astype({"run": str, "measure": str, "topic": str})
    if frame.empty:
        raise GradedError(f"{name}: there is no value; give the columns run, topic, measure and value")
    numbers = pandas.to_numeric(frame["value"], errors="coerce").to_numpy(dtype=float)
    if (bad := ~np.isfinite(numbers)).any():
        row = frame[bad].iloc[0]
        raise GradedError(
            f"{name}: row {row['row']}: {row['measure']} is {row['value']!r}, not a finite number"
        )
    if (twice := frame.duplicated(["run", "measure", "topic"])).any():
        row = frame[twice].iloc[0]
        raise GradedError(
            f"{name}: row {row['row']}: {row['run']} has a second value of {row['measure']} for topic "
            f"{row['topic']}"
        )
    codes, labels = zip(*(pandas.factorize(frame[key]) for key in ("run", "measure", "topic")))
    values = np.full([len(label) for label in labels], np.nan)
    values[codes] = numbers
    runs, measures, topics = (tuple(map(str, label)) for label in labels)
    for run, of_run in zip(runs, values):
        if (lacks := np.isnan(of_run).any(axis=0)).any():
            missing = [topic for topic, lacking in zip(topics, lacks) if lacking]
            raise GradedError(
                f"{name}: {run} lacks values for {counted(len(missing), 'topic')} ({listed(missing, 5)}); "
                "give each run a value by each measure for each topic"
            )
    return Evaluation(runs, tuple(parse_measures(measures)), topics, values)
