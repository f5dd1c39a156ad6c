"""Tables of values that were computed before, by this package or by any other.

Every form of table becomes cells, a DataFrame with a row per value: the columns ``run``, ``measure``,
``topic`` and ``value``, and as the index the number of its row in the table, from 1. `cells_of` makes them
from one table. `read_values` joins those of several files to the array (runs × measures × topics) of an
`Evaluation`. `groups_of` groups topics by an attribute. `values_by_topic` reads somebody's values of one run.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from io import BytesIO
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.ranking.gains import plain_number
from ..core.registry.notation import NamedMeasure, measure_named
from ..core.rows.arrow import exports_arrow, whole_table
from ..core.rows.columns import NAMES, column_name, plain, required_column
from ..errors import FileError, GradedError, needed, shown
from ..files.content import DAMAGE, Content
from ..files.forms import is_json, number_of
from ..files.table_files import kind_of
from ..output.formats import counted, listed
from .named import UNNAMED, about, run_names

if TYPE_CHECKING:
    from pandas import DataFrame, Series

ALL = "all"
"""The name of the row of a mean, as in trec_eval's output."""
VALUE = "value"
"""The name of the measure of a table with a column per topic that is not read from a file."""
COLLECTION = "collection"
"""The column that names the collection of a value."""
KEYS = ["run", "measure", "topic"]
MOST_DECIMALS = 6
"""More decimals are not compared: tools that compute with 32-bit floats do not have them."""
MEANS = ("amean", "mean")
"""Names that tools write in place of a topic for the mean."""
FORMS = 'lines of a topic and a value, the output of trec_eval -q, or JSON such as {"q1": 0.25}'
COLUMNS = ["query_id", "measure", "value"]
LINE = ["measure", "topic", "value"]
"""The fields of a line of trec_eval -q."""
By = Mapping[str, Any] | str | None
"""The attribute of each topic: a mapping or FILE:COLUMN as for `read_attribute`."""
NONE = "no group"
"""The group of topics without the attribute."""
QUANTILES = 4
"""Numbers of more distinct values are cut into so many groups."""
IDS = {
    "",
    "index",
    *(name for ours in ("query_id", "doc_id", "run") for name in chain(*NAMES[ours])),
}
"""Names of columns that are no measures; pandas numbers rows in a column without a name."""


def read_values(
    table: Any, smaller: Collection[str] = (), apart: bool = False
) -> dict[str, dict[str, Any]]:
    """The fields of an `Evaluation` of the values in a table, a file or a list of files, by collection.

    See `Evaluation.from_values`. All values are of one collection without a name, or, if `apart` and any
    table has the column ``collection``, of those that it names, in order of appearance. A collection may lack
    runs and measures of the others.
    """
    pandas = needed("pandas", "a table of values")

    several = isinstance(table, (list, tuple)) and bool(table) and _is_path(table[0])
    paths = [*table] if several else [table]
    names = [os.fspath(path) if _is_path(path) else "values" for path in paths]
    frames = [*map(frame_of, paths)]
    runs = run_names(names) if _is_path(paths[0]) else [UNNAMED]
    apart = apart and any(COLLECTION in frame for frame in frames)
    parts = [cells_of(*each, apart) for each in zip(frames, names, runs, strict=True)]
    cells = pandas.concat(parts, keys=range(len(parts)))
    measures = list(map(str, cells["measure"].unique()))
    if other := [name for name in smaller if name not in measures]:
        raise GradedError(
            f"smaller: {other[0]} is not among the measures of the table: {listed(measures)}"
        )
    files = tuple(str(path) for path in paths if _is_path(path))
    fields = {}
    for collection, part in cells.groupby(COLLECTION, sort=False) if apart else [("", cells)]:
        with about(collection):
            fields[collection] = _fields(part, names, smaller) | {"files": files}
    return fields


def _fields(cells: DataFrame, names: Sequence[str], smaller: Collection[str]) -> dict[str, Any]:
    """The runs, measures, topics and values of an `Evaluation` with these cells."""
    codes, distinct = zip(*(cells[key].factorize() for key in KEYS), strict=True)
    runs, measures, topics = (tuple(map(str, each)) for each in distinct)
    values = np.full((len(runs), len(measures), len(topics)), np.nan)
    if len(repeated := cells[cells.duplicated(KEYS)]):
        (part, row), (run, measure, topic) = repeated.index[0], repeated[KEYS].iloc[0]
        raise GradedError(
            f"{names[part]}: row {row}: {run} has two values of {measure} for topic {topic}"
        )
    values[codes] = cells["value"]
    if (lacking := np.argwhere(np.isnan(values).any(axis=2))).size:
        run, measure = lacking[0].tolist()
        missing = [
            topic
            for topic, value in zip(topics, values[run, measure], strict=True)
            if np.isnan(value)
        ]
        raise GradedError(
            f"{names[0]}: {runs[run]} lacks values of {measures[measure]} for "
            f"{counted(len(missing), 'topic')} ({listed(missing, 5)}); give each run a value by each measure "
            "for each topic"
        )
    found = tuple(measure_named(name, name in smaller) for name in measures)
    if twice := [measure for measure in found if found.count(measure) > 1]:
        same = [name for name, measure in zip(measures, found, strict=True) if measure == twice[0]]
        raise GradedError(f"{names[0]}: {' and '.join(same)} are the same measure; keep one")
    return {"runs": runs, "measures": found, "topics": topics, "values": values}


def read_attribute(given: str) -> dict[str, Any]:
    """The value of each topic in the column COLUMN of a table file, as FILE:COLUMN names it.

    The value is None where the cell is empty. Raises `GradedError` for a missing column and for a topic with
    two values.
    """
    path, _, column = given.rpartition(":")
    if not path:
        raise GradedError(
            f"{shown(given)} is no column of a file; give FILE:COLUMN, as in topics.csv:kind"
        )
    return _of_topics(frame_of(path), path, column)


def read_sessions(path: str) -> dict[str, tuple[Any, Any]]:
    """The session and the turn of each topic in the columns of a table file.

    Raises `GradedError` for a missing column and for a topic with two sessions or turns.
    """
    frame = frame_of(path)
    session, turn = (_of_topics(frame, path, column) for column in ("session", "turn"))
    return {topic: (session[topic], turn[topic]) for topic in session}


def _is_path(given: Any) -> bool:
    return isinstance(given, (str, os.PathLike))


def _of_topics(frame: DataFrame, name: str, column: str) -> dict[str, Any]:
    topics = frame[required_column(name, list(frame), "query_id")]
    cells = needed_column(frame, name, column)
    found: dict[str, Any] = {}
    for topic, value in zip(
        map(str, topics), cells.astype(object).mask(cells.isna() | (cells == ""), None), strict=True
    ):
        if found.setdefault(topic, value) != value:
            raise GradedError(f"{name}: topic {topic} has two values of {column}")
    return found


def needed_column(frame: DataFrame, name: str, column: str) -> Series:
    """A column of a table. Raises `GradedError`, which names the table, if there is none."""
    if column not in frame:
        raise GradedError(
            f"{name}: there is no column {column}; the columns are {listed(frame, 10)}"
        )
    return frame[column].reset_index(drop=True)


def frame_of(table: Any, form: str = "a table with a header") -> DataFrame:
    """A table in memory or in a file as a DataFrame; the cells of text files are strings.

    The columns of a text file without a header have numbers. Raises `FileError` for a table that cannot be
    read as the expected `form`.
    """
    pandas = needed("pandas", "a table of values")
    pyarrow = needed("pyarrow", "a table of values")

    try:
        if exports_arrow(table):
            return whole_table(table).to_pandas()
        if not _is_path(table):
            return pandas.DataFrame(table)
        with Content(table) as content:
            if not (kind := kind_of(content)):
                return _frame_of_text(content.stream.read())
            file = kind[1](content)
            rows = pyarrow.Table.from_batches([*file.batches(file.names)])
            rows.validate(full=True)  # damaged Arrow data could crash the process
            return rows.to_pandas(strings_to_categorical=True)
    except GradedError:
        raise
    except (*DAMAGE, ValueError, TypeError, AttributeError, pyarrow.ArrowException) as error:
        name = os.fspath(table) if _is_path(table) else "values"
        raise FileError(f"{name}: cannot be read as {form}: {str(error).strip()}") from None


def _frame_of_text(text: bytes) -> DataFrame:
    """The rows of JSON, of trec_eval -q, or of fields between tabs, commas, semicolons or blanks."""
    pandas = needed("pandas", "a table of values")
    text = text.lstrip(b"\r\n")
    if is_json(text):
        return pandas.DataFrame(_json(str(text, "utf-8-sig")))
    head = str(text.partition(b"\n")[0], "utf-8-sig")
    separator = next((sign for sign in "\t,;" if sign in head), r"\s+")
    quoting = csv.QUOTE_MINIMAL if separator in (",", ";") else csv.QUOTE_NONE
    form: dict[str, Any] = {
        "header": None,
        "dtype": str,
        "keep_default_na": False,
        "quoting": quoting,
    }
    rows = pandas.read_csv(BytesIO(text), sep=separator, **form)
    first = rows.iloc[0].tolist()
    has_number = np.isfinite([number_in(cell) for cell in first[1:]]).any()
    if has_number and plain(first[0]) in chain(*NAMES["run"]):  # topics may be numbers
        return rows[1:].set_axis(first, axis=1)
    if len(first) == 3 and (has_number or first[0].strip() == "runid"):
        return _of_trec_eval(rows.set_axis(LINE, axis=1))
    return rows if has_number else rows[1:].set_axis(first, axis=1)


def _json(text: str) -> Any:
    """Records, an array of them or one in each line, or an object of columns."""
    from ..files.json_files import DECODER  # takes time

    try:
        found = DECODER.decode(text)
    except json.JSONDecodeError:
        found = [DECODER.decode(line) for line in text.splitlines() if line.strip()]
    if isinstance(found, dict) and "sha256" in found:
        found = found.get("values")  # as evaluate writes it
    is_record = isinstance(found, dict) and not any(
        isinstance(each, (list, dict)) for each in found.values()
    )
    return [found] if is_record else found


def _of_trec_eval(rows: DataFrame) -> DataFrame:
    """The lines of a measure, a topic and a value; those of the command ir_measures begin with the topic.

    These have means of ``all`` topics, or known measures in the second field only. The measure ``runid`` of
    trec_eval has no value for a topic.
    """
    rows = rows.apply(lambda column: column.str.strip())
    first, second = ({*rows[column]} for column in ("measure", "topic"))
    if ALL in first - second or (
        all(map(_is_measure, second)) and not all(map(_is_measure, first))
    ):
        rows.columns = ["topic", "measure", "value"]
    return rows


def cells_of(frame: DataFrame, name: str, unnamed: str, apart: bool = False) -> DataFrame:
    """The values of a table, one per row, with the columns run, measure, topic and value.

    If tables are read `apart`, there is the column ``collection``.

    Rows of the topic ``all`` are left out. `name` is that of the table in messages, `unnamed` that of the run
    in a table without a column for it. The table has the columns measure and value, or a column per measure:
    each that has a number; or it has a row per run and a column per topic,
    which the name of the columns (as of a pivoted DataFrame) or of the file, that of a known measure, tells.
    Raises `GradedError`, which names row and column, for a missing column, an empty cell and a value that is
    not a finite number.
    """
    pandas = needed("pandas", "a table of values")

    if (twice := frame.columns.duplicated()).any():
        raise GradedError(f"{name} has two columns named {frame.columns[twice][0]}; rename one")
    if frame.index.name is not None and frame.index.name not in frame:
        frame = frame.reset_index()
    names = [*frame]
    run, measure, value = (column_name(name, names, ours) for ours in ("run", "measure", "value"))
    wide = measure is None or value is None
    if run is None and not wide and "name" in names:  # PyTerrier's name of a run
        run = "name"
    has_topics = column_name(name, names, "query_id") is not None
    tells_topics = plain(str(frame.columns.name)) in chain(*NAMES["query_id"])
    if run is not None and not has_topics and (tells_topics or _is_measure(unnamed)):
        measure = VALUE if unnamed == UNNAMED else unnamed
        return cells_of(_by_topic(frame, name, run).assign(measure=measure), name, unnamed, apart)
    topic = required_column(name, names, "query_id")
    if apart:
        needed_column(frame, name, COLLECTION)
    keys = [key for key in (topic, run, COLLECTION if apart else None) if key is not None]
    frame = frame.set_axis(np.arange(1, len(frame) + 1))
    frame = frame[frame[topic] != ALL]
    if wide:
        others = [key for key in names if key not in keys and plain(key) not in IDS]
        measures = [key for key in others if np.isfinite(_numbers(frame[key])).any()]
        measure, value = "measure", "value"
        parts = [frame[keys].assign(measure=key, value=frame[key]) for key in measures]
        frame = pandas.concat(parts) if parts else frame[:0]
    if frame.empty:
        raise GradedError(
            f"{name}: there is no value; give the columns run, topic, measure and value"
        )
    for key in [*keys, measure]:
        _refuse(frame[key], frame[key].isna() | (frame[key] == ""), name, "empty")
    numbers = _numbers(frame[value])
    bad = ~np.isfinite(numbers)
    column = str(frame[measure][bad].iloc[0]) if wide and bad.any() else value
    _refuse(frame[value].rename(column), bad, name, "not a finite number")
    columns = {
        "run": unnamed if run is None else frame[run].astype(str),
        "topic": frame[topic].astype(str),
    }
    columns |= {"measure": frame[measure], "value": numbers}
    if apart:
        columns[COLLECTION] = frame[COLLECTION].astype(str)
    return pandas.DataFrame(columns, frame.index)


def _by_topic(frame: DataFrame, name: str, run: Any) -> DataFrame:
    """A table with a row per run and a column per topic as one with a row per value."""
    frame = frame.set_axis(np.arange(1, len(frame) + 1))
    topics = [key for key in frame if key != run and plain(key) not in IDS]
    for topic in topics:
        _refuse(frame[topic], ~np.isfinite(_numbers(frame[topic])), name, "not a finite number")
    return frame.melt([run], topics, "topic", VALUE)


def _is_measure(name: str) -> bool:
    """Whether a known measure has this name."""
    return not isinstance(measure_named(name), NamedMeasure)


def values_by_topic(source: Any, topics: Collection[str], name: str | None) -> dict[str, float]:
    """The value of each topic from a path, a mapping, a table, or rows such as ir-measures' metrics.

    `topics` are those of the qrels. `name` is the measure to take if the source has several. Raises
    `GradedError` for values that cannot be read, for several measures, and if no topic is in the qrels.
    """
    if isinstance(source, Real):
        raise GradedError(f"values={source!r} is one number; give a mean as mean={source!r}")
    where = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "values"
    if hasattr(source, "items") and not hasattr(source, "columns"):
        source = {str(topic): each for topic, each in source.items()}
        source = (
            source
            if any(isinstance(each, Mapping) for each in source.values())
            else [*source.items()]
        )
    frame = frame_of(source, FORMS).drop(columns="run", errors="ignore")
    if column_name(where, [frame.index.name, *frame], COLUMNS[0]) is None:
        if 0 in frame or 1 in frame.index:  # the columns have no names, or others
            if len(frame.columns) not in (2, 3):
                raise GradedError(f"{where}: cannot be read as {FORMS}")
            frame = frame.set_axis(COLUMNS if len(frame.columns) == 3 else COLUMNS[::2], axis=1)
        else:  # a column for each topic, a row for each measure
            frame = frame.T.rename_axis(COLUMNS[0])
    cells = cells_of(frame, where, "").astype({"topic": str, "measure": str})
    if cells["measure"].isin(topics).sum() > cells["topic"].isin(topics).sum():
        cells = cells.rename(columns={"measure": "topic", "topic": "measure"})  # ir_measures' order
    cells = cells[cells["topic"].isin(topics) | ~cells["topic"].isin(MEANS)]
    measures = [*cells["measure"].unique()]
    chosen = measures[0] if name is None and len(measures) == 1 else name
    if chosen not in measures:
        raise GradedError(
            f"{where}: give the name of one of its measures (--name): {listed(measures, 8)}"
        )
    cells = cells[cells["measure"] == chosen]
    values = dict(zip(cells["topic"], cells["value"].tolist(), strict=True))
    twice = cells["topic"][cells["topic"].duplicated()]
    if twice.size:
        raise GradedError(f"{where}: topic {shown(twice.iloc[0])} has two values")
    if values.keys().isdisjoint(topics):
        first = shown(next(iter(values)))
        raise GradedError(
            f"{where}: none of its topics (such as {first}) is in the qrels; give {FORMS}"
        )
    return values


def decimals_of(numbers: Collection[float | str]) -> int:
    """The most decimals that a number shows, at most `MOST_DECIMALS`.

    Zeros behind all of several numbers do not count, and several numbers without decimals are exact.

    >>> decimals_of([0.25, 0.178]), decimals_of(["0.1780"]), decimals_of([1e-9]), decimals_of([0, 1])
    (3, 4, 6, 6)
    """
    exact = [Decimal(each if isinstance(each, str) else f"{each:.10g}") for each in numbers]
    several = len(exact) > 1
    most = max(-int((each.normalize() if several else each).as_tuple().exponent) for each in exact)
    return MOST_DECIMALS if several and most <= 0 else min(max(most, 0), MOST_DECIMALS)


def _refuse(column: Series, bad: Any, name: str, what: str) -> None:
    """Raise `GradedError` for the first bad cell of a column."""
    if (refused := column[bad]).size:
        where = f"{name}: row {refused.index[0]}, column {column.name}"
        raise GradedError(f"{where}: {shown(refused.tolist()[0])} is {what}")


def _numbers(column: Series) -> np.ndarray:
    """The numbers of a column; NaN for any other cell."""
    if getattr(column.dtype, "kind", "O") in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.array([*map(number_in, column)], dtype=np.float64)


def number_in(cell: Any) -> float:
    """The number in a cell, which may be text; NaN for anything else."""
    number = number_of(str(cell).encode(errors="replace"))
    return np.nan if number is None else number


def groups_of(topics: Sequence[str], by: By) -> dict[str, list[int]]:
    """The numbers of the topics in each group; empty if `by` is None.

    Numbers of more than four distinct values are cut at their quartiles, and a group is named by its lowest
    and its highest number. Topics without the attribute are a group of their own, the last one. Raises
    `GradedError` for an attribute that no topic has.

    >>> groups_of(["a", "b", "c"], {"a": "short", "b": "long"})
    {'short': [0], 'long': [1], 'no group': [2]}
    >>> groups_of("abcdefgh", dict(zip("abcdefgh", [3, 1, 2, 5, 8, 7, 2, 4])))
    {'1–2': [1, 2, 6], '3': [0], '4–5': [3, 7], '7–8': [4, 5]}
    """
    if by is None:
        return {}
    pandas = needed("pandas", "groups of topics")
    given = read_attribute(by) if isinstance(by, str) else by
    given = {str(topic): value for topic, value in given.items()}
    if given.keys().isdisjoint(topics):
        raise GradedError(
            f"no topic has a group: the groups are those of topics {listed(given)}; the values have topics "
            f"{listed(topics)}"
        )
    found = pandas.Series([given.get(topic) for topic in topics], dtype=object)
    found = found[found.notna() & ~found.isin(["", NONE])]
    numbers = found.map(number_in)
    if found.size and numbers.notna().all():
        lowest = highest = numbers = numbers.sort_values(kind="stable")
        if numbers.nunique() > QUANTILES:
            parts = numbers.groupby(
                pandas.qcut(numbers, QUANTILES, duplicates="drop"), observed=True
            )
            lowest, highest = parts.transform("min"), parts.transform("max")
        pairs = [
            (str(plain_number(low)), str(plain_number(high)))
            for low, high in zip(lowest, highest, strict=True)
        ]
        found = pandas.Series(
            ["–".join(dict.fromkeys(pair)) for pair in pairs], index=numbers.index
        )
    rows = found.astype(str).groupby(found.astype(str), sort=False).groups
    groups = {str(name): sorted(row) for name, row in rows.items()}
    rest = [row for row in range(len(topics)) if row not in found.index]
    return groups | ({NONE: rest} if rest else {})
