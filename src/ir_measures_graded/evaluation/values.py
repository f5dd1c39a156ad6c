"""Tables of values that were computed before, by this package or by any other.

Every form of table becomes cells, a DataFrame with a row per value: the columns ``run``,
``measure``, ``topic`` and ``value``, and as the index the number of its row in the table, from 1.
`cells_of` makes them from one table. `read_values` joins those of several files to the array (runs
× measures × topics) of an `Evaluation`.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from io import BytesIO
from itertools import chain
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ..arguments import flag
from ..arguments import names as names_in
from ..core.measures.standard import definition_of
from ..core.ranking.gains import LARGEST
from ..core.registry.everyday import is_everyday
from ..core.registry.facts import is_graded, range_of, sign_of
from ..core.registry.notation import LONGEST_NAME, NamedMeasure, measure_named
from ..core.rows.arrow import arrow_numbers, exports_arrow, whole_table
from ..core.rows.chosen import RANK, Chosen, columns_named
from ..core.rows.columns import (
    MOST_COLUMNS,
    NAMES,
    column_name,
    plain,
    refuse_shared,
    required_column,
    with_usual_names,
)
from ..errors import FileError, GradedError, Remark, needed, shown
from ..files.content import (
    BATCHES_READ,
    CELLS_OF_TABLES,
    CELLS_READ,
    DAMAGE,
    FIELDS_READ_ALONE,
    FURTHER_CELLS_READ,
    LINES_READ_ALONE,
    MEASURES_READ,
    OBJECTS_READ_AS_ROWS,
    SIZES,
    TOPICS_OF_JSON,
    WIDE_TEXT,
    WITHOUT_LIMITS,
    Content,
    Sizes,
    decoded,
)
from ..files.forms import is_json
from ..files.kinds import Kind, kind_of, refuse_other_kind
from ..files.sources import named_path
from ..files.table_files import decoded_size
from ..output.formats import counted, listed
from .named import UNNAMED, about, run_names
from .ntcireval import is_ntcireval, values_of_ntcireval
from .remarks import issue
from .value_columns import AGGREGATE, ALL, COLLECTION, GROUP, number_in

if TYPE_CHECKING:
    from pandas import DataFrame, Series

COMMA = re.compile(r"\s*[-+]?[0-9]*,[0-9]+\s*")
"""A number with a decimal comma."""
EITHER_NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+([eE][-+]?[0-9]+)?")
"""A number with a decimal point, a decimal comma or neither."""
VALUE = "value"
"""The name of the measure of a table with a column per topic that is not read from a file."""
UNENDED_FIELD = re.compile(r"EOF inside string starting at row (\d+)")
OTHER_NUMBER_OF_FIELDS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
"""Errors of pandas."""
KEYS = ["run", "measure", "topic"]
FREE_COMBINATIONS = 5_000_000
MOST_COMBINATIONS_PER_VALUE = 20
"""Other tables of values lack most of them."""
MOST_TEXT = 1 << 30
"""The bytes of the longest text of a table; pandas takes several times as much memory."""
LONGEST_LINE = 1 << 20  # bytes, as 10,000 columns have; pandas takes long for longer fields
FREE_MEASURES = 700
"""As many measures of a table do not count against the limit of a compressed file."""
MOST_DECIMALS = 6
"""More decimals are not compared: tools that compute with 32-bit floats do not have them."""
MOST_CHECKED = 10
"""As many rows of aggregates, the nearest ones, are compared in all decimals."""
LEAST_ROUNDING = 1e-6
"""Aggregates may differ by as much, as a share, since tools compute with 32-bit floats."""
COLUMNS_OF_VALUES = "run, topic, measure and value"
COLUMNS_OF_TABLES = ["query_id", "run", "measure", "value"]
OF_RANKINGS = {"doc_id", "relevance", "score", RANK, "iteration", "probability"}
"""Our names of columns that only qrels and runs have."""
LINE = ["measure", "topic", "value"]
"""The fields of a line of trec_eval -q."""
Names = Mapping[str, Any] | Sequence[tuple[str, str]] | None
"""The names of columns in a file, by our names, or pairs of both."""
IDS = {
    "",
    "index",
    GROUP,
    *(name for ours in ("query_id", "doc_id", "run") for name in chain(*NAMES[ours])),
}
"""Names of columns that are no measures; pandas numbers rows in a column without a name."""


ROUNDED_AT_BOUNDS = 1e-6
"""Values may be outside the range of a measure by as much, from rounding."""
IN_MEMORY = "values"
"""The name in messages of a table that is no file."""
APART = "if the tables are several collections, add a column collection"
TOLD_APART = "compare and power tell collections apart, in Python compare_collections"


class ValueTable(NamedTuple):
    """A table of values, its name in messages, and the name of its run if no column has it.

    `label` is the name that the user gives its run or, as a prefix, its runs; empty for none.
    """

    table: Any
    name: str
    run: str
    label: str = ""

    def cells(self, frame: DataFrame, apart: bool) -> DataFrame:
        """The cells of the table, whose run or runs have the name that the user gives.

        A name of a known measure is that of the values instead, unless the table names measures.
        """
        cells = cells_of(frame, self.name, self.label or self.run, apart)
        if not self.label or (cells["measure"] == self.label).all():
            return cells
        if cells["run"].nunique() == 1:
            return cells.assign(run=self.label)
        return cells.assign(run=self.label + "/" + cells["run"].astype(str))


def read_values(
    table: Any,
    smaller: Collection[str] = (),
    apart: bool = False,
    columns: Names = None,
    limits: bool = True,
) -> dict[str, dict[str, Any]]:
    """The fields of an `Evaluation` of the values in a table, by collection.

    The table may be a file or a list of files. See `Evaluation.from_values`. All values are of one
    collection without a name, or, if `apart` and any table has the column ``collection``, of those
    that it names, in order of appearance. A collection may lack runs and measures of the others.
    """
    smaller = names_in("smaller", smaller)
    tables = _tables(table)
    own_columns = columns_named(columns)
    sizes = SIZES if flag("limits", limits) else WITHOUT_LIMITS
    frames = []
    for source in tables:
        frame = frame_of(source.table, sizes=sizes)
        frames.append(renamed(frame, source.name, own_columns))
    of_tables = [set(frame[COLLECTION].map(str)) for frame in frames if COLLECTION in frame]
    collections = set().union(*of_tables)
    apart = apart and bool(of_tables)
    parts = []
    for frame, source in zip(frames, tables, strict=True):
        parts.append(source.cells(frame, apart))
    pandas = needed("pandas", "a table of values")
    cells = pandas.concat(parts, keys=range(len(parts)))
    measures = [str(measure) for measure in cells["measure"].unique()]
    unknown = [name for name in smaller if name not in measures]
    if unknown:
        raise GradedError(
            f"smaller: {unknown[0]} is not among the measures of the table: {listed(measures)}"
        )
    files = tuple(str(source.table) for source in tables if _is_path(source.table))
    names = [source.name for source in tables]
    by_collection = {"": cells}
    if apart:
        by_collection = dict(iter(cells.groupby(COLLECTION, sort=False)))
    elif len(tables) > 1 and not of_tables:
        issue(_pooled(parts, names))
    hint = ""
    if len(collections) > 1 and not apart:
        hint = TOLD_APART
    elif len(tables) > 1 and not of_tables:
        hint = APART
    fields = {}
    for collection, of_collection in by_collection.items():
        with about(collection):
            fields[collection] = _fields(of_collection, names, smaller, hint) | {"files": files}
    is_one_table = len(tables) == 1 and not tables[0].label and not smaller
    if is_one_table and may_have_runs(frames[0], tables[0].name, parts[0]):
        for of_collection_fields in fields.values():
            of_collection_fields["columns_of"] = tables[0].name
    if hint == TOLD_APART:
        topics = counted(cells["topic"].nunique(), "topic")
        pooled = f"the {topics} of {listed(sorted(collections), 5)} count as one collection"
        issue([Remark("pooled", "", f"{pooled}; {hint}")])
    return fields


def may_have_runs(frame: DataFrame, name: str, cells: DataFrame) -> bool:
    """Whether a table, which has these cells, may have a column for each run.

    It has no column for the run and several columns, which are taken as measures although none has
    the name of a known one.
    """
    frame = with_named_index(frame, name)
    names = list(frame)
    ours = ("run", "measure", "value")
    has_names = any(column_name(name, names, our) is not None for our in ours)
    if has_names or plain(str(frame.columns.name)) in chain(*NAMES["measure"]):
        return False
    columns = cells["measure"].unique()
    return len(columns) > 1 and not names_measures(columns)


def are_runs(frame: DataFrame, columns: Collection[Any], table: str) -> bool:
    """Whether the columns of a table without a column for the run are runs.

    The name of the columns tells, as of a pivoted DataFrame, or that of the table, which is the
    measure of their values; none of them has the name of a known measure then.
    """
    if plain(str(frame.columns.name)) in chain(*NAMES["run"]):
        return True
    return _is_measure(table) and not names_measures(columns)


def names_measures(columns: Collection[Any]) -> bool:
    """Whether a column has the name of a known measure, or an everyday word for one.

    >>> names_measures(["bm25", "recall"]), names_measures(["bm25", "dense"])
    (True, False)
    """
    names = list(map(str, columns))
    return any(map(_is_measure, names)) or any(map(is_everyday, names))


def _pooled(parts: Sequence[DataFrame], names: Sequence[str]) -> list[Remark]:
    """The remark on tables that share runs but no topic, which may be several collections."""
    runs = [set(cells["run"]) for cells in parts]
    topics = [set(cells["topic"]) for cells in parts]
    every_topic = set().union(*topics)
    shares_topics = len(every_topic) < sum(map(len, topics))
    if shares_topics or not set.intersection(*runs):
        return []
    count = counted(len(every_topic), "topic")
    text = f"the {count} of {listed(names, 5)}, which share none, count as one collection; {APART}"
    return [Remark("pooled", "", text)]


def renamed(frame: DataFrame, name: str, columns: tuple[tuple[str, str], ...]) -> DataFrame:
    """The table with our names of the columns that the user names.

    Columns of rankings that it lacks are those of other files of the command.
    """
    names = list(frame)
    chosen = with_usual_names(Chosen(columns=columns), names, COLUMNS_OF_TABLES)
    named = {}
    for ours, _ in chosen.columns:
        is_there = not set(names).isdisjoint(chosen.names(ours))
        if is_there or ours not in OF_RANKINGS:
            named[ours] = chosen.named(name, names, ours)
    refuse_shared(name, named)
    ours_of = {theirs: ours for ours, theirs in named.items()}
    hidden = [column for column in names if column in ours_of.values() and column not in ours_of]
    return frame.drop(columns=hidden).rename(columns=ours_of)


def _tables(table: Any) -> list[ValueTable]:
    """The tables, which are one table or a list of files."""
    is_list = isinstance(table, (list, tuple)) and bool(table) and _is_path(table[0])
    if not is_list and not _is_path(table):
        return [ValueTable(table, IN_MEMORY, UNNAMED)]
    files = table if is_list else [table]
    words = [named_path(os.fspath(path)) for path in files]
    paths = [word.path for word in words]
    labels = [word.name for word in words]
    sources = zip(paths, paths, run_names(paths), labels, strict=True)
    return [ValueTable(*source) for source in sources]


def _fields(
    cells: DataFrame, names: Sequence[str], smaller: Collection[str], hint: str = ""
) -> dict[str, Any]:
    """The runs, measures, topics and values of an `Evaluation` with these cells.

    `names` are those of the tables. `hint` is what helps if a run has two values for a topic.
    """
    codes = []
    labels = []
    for key in KEYS:
        code, distinct = cells[key].factorize()
        codes.append(code)
        labels.append(tuple(map(str, distinct.to_numpy(dtype=object))))
    if not _are_distinct(codes, list(map(len, labels))):
        _refuse_repeated(cells, names, hint)
    runs, measure_names, topics = labels
    measures = tuple(measure_named(name, name in smaller) for name in measure_names)
    _refuse_same(measures, measure_names, names[0])
    _refuse_sparse(len(cells), len(runs), len(measures), len(topics), names[0])
    values = np.full((len(runs), len(measures), len(topics)), np.nan)
    values[tuple(codes)] = cells["value"]
    by_measure = np.moveaxis(values, 1, 0)
    measures = tuple(map(within_range, measures, measure_names, by_measure))
    is_missing = np.isnan(values)
    may_lack = np.array([may_lack_values(measure) for measure in measures])
    is_left_out = is_missing.all(axis=0) & (len(runs) > 1)
    refused = np.argwhere((is_missing & ~is_left_out).any(axis=2) & ~may_lack)
    if refused.size:
        run, measure = refused[0].tolist()
        missing = [topics[number] for number in np.flatnonzero(is_missing[run, measure])]
        raise GradedError(
            f"{names[0]}: {runs[run]} lacks values of {measures[measure]} for "
            f"{counted(len(missing), 'topic')} ({listed(missing, 5)}); give each run a value by "
            "each measure for each topic"
        )
    return {"runs": runs, "measures": measures, "topics": topics, "values": values}


def _are_distinct(codes: Sequence[np.ndarray], counts: Sequence[int]) -> bool:
    """Whether the rows surely differ, by the codes in each of their columns and their numbers."""
    counts = [count + 1 for count in counts]
    if math.prod(counts) > np.iinfo(np.int64).max:
        return False
    # The code −1 is that of missing cells.
    places = np.ravel_multi_index([code + 1 for code in codes], counts)
    return np.unique(places).size == places.size


def _refuse_repeated(cells: DataFrame, names: Sequence[str], hint: str) -> None:
    """Raise `GradedError` for the first row with a second value of a run, measure and topic."""
    repeated = cells[cells.duplicated(KEYS)]
    if repeated.empty:
        return
    table, row = repeated.index[0]
    keys = repeated[KEYS].iloc[0]
    first_table, _ = cells.index[(cells[KEYS] == keys).all(axis=1)][0]
    if first_table != table and names[first_table] == names[table]:
        hint = "the table is given twice; give it once"
    elif first_table != table and hint:
        hint = f"{hint}; if they have several runs, name these, as in new={names[table]}"
    advice = f"; {hint}" if hint else ""
    run, measure, topic = keys
    twice = f"row {row}: {run} has two values of {measure} for topic {topic}"
    raise GradedError(f"{names[table]}: {twice}{advice}")


def _refuse_sparse(count: int, runs: int, measures: int, topics: int, table: str) -> None:
    """Raise `GradedError` for so many values of which most combinations of a run, a measure and a
    topic have none, if all combinations would take much memory."""
    combinations = runs * measures * topics
    if combinations > max(FREE_COMBINATIONS, MOST_COMBINATIONS_PER_VALUE * count):
        raise GradedError(
            f"{table}: {counted(count, 'value')} for {counted(runs, 'run')}, "
            f"{counted(measures, 'measure')} and {counted(topics, 'topic')}, so most combinations "
            "lack a value; give each run a value by each measure for each topic"
        )


def within_range(measure: Measure, name: str, values: np.ndarray) -> Measure:
    """The measure; if some value is outside its range, only a name, with a remark.

    Percentages are such values. Intervals would be cut at the range otherwise.
    """
    low, high = range_of(measure)
    lowest = np.nanmin(values, initial=np.inf)
    highest = np.nanmax(values, initial=-np.inf)
    if lowest >= low - ROUNDED_AT_BOUNDS and highest <= high + ROUNDED_AT_BOUNDS:
        return measure
    text = (
        f"values from {lowest:g} to {highest:g} are outside the range {low:g} to {high:g} of the "
        "measure, such as percentages; the range is not used"
    )
    issue([Remark("range", name, text)])
    return NamedMeasure(name, sign_of(measure) < 0)


def may_lack_values(measure: Measure) -> bool:
    """Whether only other providers of ir-measures compute a measure; these may leave topics out.

    >>> [may_lack_values(measure_named(name)) for name in ("Accuracy@2", "AP", "nDCG_JK")]
    [True, False, False]
    >>> may_lack_values(measure_named("faithfulness"))
    False
    """
    is_ours = is_graded(measure) or definition_of(measure) is not None
    return not is_ours and not isinstance(measure, NamedMeasure)


def _refuse_same(measures: Sequence[Measure], names: Sequence[str], table: str) -> None:
    """Raise `GradedError` for two names of one measure."""
    name_of: dict[Measure, str] = {}
    for measure, name in zip(measures, names, strict=True):
        other = name_of.setdefault(measure, name)
        if other != name:
            raise GradedError(f"{table}: {other} and {name} are the same measure; keep one")


def _is_path(table: Any) -> bool:
    return isinstance(table, (str, os.PathLike))


def needed_column(frame: DataFrame, name: str, column: str) -> Series:
    """A column of a table. Raises `GradedError`, which names the table, if there is none."""
    if column not in frame:
        raise GradedError(
            f"{name}: there is no column {column}; the columns are {listed(frame, 10)}"
        )
    return frame[column].reset_index(drop=True)


def frame_of(table: Any, form: str = "a table with a header", sizes: Sizes = SIZES) -> DataFrame:
    """A table in memory or in a file as a DataFrame; the cells of text files are strings.

    The columns of a text file without a header have numbers. Raises `FileError` for a table that
    cannot be read as the expected `form`.
    """
    if _is_path(table) and table != "-" and not os.path.exists(table):
        Content(table).__enter__()  # A missing file is told before a missing package.
    if _is_path(table) and os.path.isdir(table):
        raise FileError(f"{shown(os.fspath(table))} is a directory; pass the file of a table")
    pandas = needed("pandas", "a table of values")
    pyarrow = needed("pyarrow", "a table of values")

    try:
        if exports_arrow(table):
            return whole_table(table).to_pandas()
        if not _is_path(table):
            return pandas.DataFrame(table)
        with Content(table, sizes) as content:
            kind = kind_of(content)
            kind_name = ""
            if kind is None:
                refuse_other_kind(content, COLUMNS_OF_VALUES, may_have_old_line_ends=True)
                frame = _frame_of_text(content)
            else:
                kind_name = kind.name
                frame = _frame_of_batches(content, kind)
            _refuse_long_names(content.name, frame)
            further_measures = _measure_count(frame) - FREE_MEASURES
            content.spend(MEASURES_READ, max(further_measures, 0), kind_name)
            return frame
    except GradedError:
        raise
    except (*DAMAGE, ValueError, TypeError, AttributeError, pyarrow.ArrowException) as error:
        name = os.fspath(table) if _is_path(table) else "values"
        raise FileError(f"{name}{_reason(error, form)}") from None


FIRST_CELLS = len(KEYS) + 1
"""Those of a row with one value; further ones are measures."""


def _frame_of_batches(content: Content, kind: Kind) -> DataFrame:
    """The rows of a Parquet or Arrow file."""
    import pyarrow

    file = kind.open(content)
    _refuse_many_columns(content.name, len(file.names))
    batches = []
    decoded = 0
    for batch in file.batches(file.names):
        content.spend(BATCHES_READ, 1, kind.name)
        content.spend(
            CELLS_OF_TABLES, batch.num_rows * min(batch.num_columns, FIRST_CELLS), kind.name
        )
        _spend_on_cells(content, batch.num_rows, batch.num_columns, kind.name)
        decoded += 2 * decoded_size(batch)  # pandas copies each text
        content.sizes.refuse_unpacked(content.name, kind.name, content.packed, decoded)
        batches.append(batch)
    rows = pyarrow.Table.from_batches(batches)
    rows.validate(full=True)  # damaged Arrow data could crash the process
    return rows.to_pandas(strings_to_categorical=True)


def _measure_count(frame: DataFrame) -> int:
    """The number of measures in a table: the names in its column for them, or its columns."""
    for name in frame:
        if plain(name) in chain(*NAMES["measure"]):
            return int(frame[name].nunique())
    return len(frame.columns)


def _reason(error: Exception, form: str) -> str:
    """The line and the reason why a table cannot be read, as the end of a message.

    `error` is one of pandas, of pyarrow or of a decompressor.
    """
    text = str(error).strip()
    unended = UNENDED_FIELD.search(text)
    if unended:
        return f":{int(unended[1]) + 1}: a quoted field does not end (a quote in it is doubled)"
    fields = OTHER_NUMBER_OF_FIELDS.search(text)
    if fields:
        expected, line, seen = fields.groups()
        return f":{line}: {counted(int(seen), 'field')}, and the first line has {expected}"
    if "field larger than field limit" in text:
        return ": a field has more than 131,072 characters; perhaps a quote is missing or not meant"
    if "No columns to parse" in text:
        return ": the table is empty"
    if isinstance(error, UnicodeEncodeError):
        return ": a text has a lone surrogate, which is no character"
    first_line = next(iter(text.splitlines()), "") or type(error).__name__
    return f": cannot be read as {form}: {first_line}"


def _whole_text(content: Content) -> bytes:
    """All text of a file. Raises `FileError` for damaged data, and for a stream without an end."""
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := content.stream.read(content.sizes.block):
            pieces.append(piece)
            size += len(piece)
            if size > MOST_TEXT:
                raise FileError(
                    f"{content.name}: more than {MOST_TEXT:,} bytes of text, which are read at "
                    "once; write a Parquet file"
                )
    except DAMAGE as error:
        line = 1 + sum(piece.count(b"\n") for piece in pieces)
        raise content.failure(error, line) from None
    return b"".join(pieces)


def _spend_on_cells(content: Content, rows: int, cells_of_row: float, kind: str = "") -> None:
    """Count the cells of a table against the limit of a compressed file."""
    content.spend(CELLS_READ, int(rows * cells_of_row), kind)
    further = max(cells_of_row - FIRST_CELLS, 0)
    content.spend(FURTHER_CELLS_READ, int(rows * further), kind)


def _refuse_many_columns(name: str, count: int) -> None:
    """Raise `FileError` for a table with more than `MOST_COLUMNS` columns."""
    if count > MOST_COLUMNS:
        raise FileError(f"{name} has {count:,} columns; at most {MOST_COLUMNS:,} are read")


def _refuse_long_names(name: str, columns: Iterable[Any]) -> None:
    """Raise `FileError` for a column whose name is longer than `LONGEST_NAME`."""
    for column in columns:
        if len(str(column)) > LONGEST_NAME:
            raise FileError(
                f"{name}: the name of the column {shown(column)} is longer than {LONGEST_NAME:,} "
                "characters"
            )


def _frame_of_text(content: Content) -> DataFrame:
    """The rows of JSON, of trec_eval -q, of NTCIREVAL, or of separated fields.

    Tabs, commas, semicolons or blanks separate fields.
    """
    pandas = needed("pandas", "a table of values")
    whole = _whole_text(content)
    text = whole.lstrip(b"\r\n")
    if b"\xf0" in text:  # Characters of four bytes make all of a cell as wide.
        content.spend(WIDE_TEXT, len(text))
    if not text.isascii():
        decoded(whole, content.name)  # raises an error with the line
    if is_json(text):
        from ..files.collector import waiting_collector  # takes time

        with waiting_collector():
            return pandas.DataFrame(_json(content, str(text, "utf-8-sig")))
    _refuse_long_lines(content.name, text)
    # pandas also ends a line at a carriage return alone.
    head = str(text.partition(b"\n")[0].partition(b"\r")[0], "utf-8-sig")
    if is_ntcireval(head):
        _spend_on_cells(content, text.count(b"\n") + 1, len(LINE))
        values = values_of_ntcireval(content.name, str(whole, "utf-8-sig"))
        return pandas.DataFrame(values, columns=LINE)
    separator = _separator_in(head)
    if separator in "\t,;":
        _refuse_many_columns(content.name, head.count(separator) + 1)
    sign = separator.encode() if separator in "\t,;" else b" "
    rows_of_text = text.count(b"\n") + 1
    cells_of_row = text.count(sign) / rows_of_text + 1
    _spend_on_cells(content, rows_of_text, cells_of_row)
    is_quoted = separator in (",", ";") or (separator == "\t" and _has_quoted_fields(text))
    quoting = csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE
    form: dict[str, Any] = {
        "header": None,
        "dtype": str,
        "keep_default_na": False,
        "quoting": quoting,
    }
    rows = pandas.read_csv(BytesIO(text), sep=separator, **form)
    if (rows.iloc[:, -1] == "").any():
        # Only the slower parser tells an absent field (NaN) from an empty one.
        _spend_on_cells(content, rows_of_text, cells_of_row)
        rows = _full_rows(pandas.read_csv(BytesIO(text), sep=separator, engine="python", **form))
    first = rows.iloc[0].tolist()
    has_number = np.isfinite([number_in(cell) for cell in first[1:]]).any()
    # The ids of topics and the names of runs, which the other columns have, may be numbers.
    if has_number and plain(first[0]) in chain(*NAMES["run"], *NAMES["query_id"]):
        return _with_points(rows[1:].set_axis(first, axis=1), separator)
    if len(first) == 3 and (has_number or first[0].strip() == "runid"):
        content.spend(FIELDS_READ_ALONE, rows.size)
        return _of_trec_eval(rows.set_axis(LINE, axis=1))
    if has_number:
        return rows
    return _with_points(rows[1:].set_axis(first, axis=1), separator)


def _refuse_long_lines(name: str, text: bytes) -> None:
    """Raise `FileError` for a line of a table that is much longer than `LONGEST_LINE`."""
    for start in range(0, len(text) - LONGEST_LINE, LONGEST_LINE):
        end = start + LONGEST_LINE
        if text.find(b"\n", start, end) < 0 and text.find(b"\r", start, end) < 0:
            line = 1 + text.count(b"\n", 0, start)
            raise FileError(f"{name}:{line}: the line is longer than {LONGEST_LINE:,} bytes")


def _has_quoted_fields(text: bytes) -> bool:
    """Whether the fields between tabs that begin with a quotation mark are quoted, as in RFC 4180.

    >>> [_has_quoted_fields(text) for text in (b'"a\\tb"\\t1', b'"a\\t1', b'a"\\t1')]
    [True, False, False]
    """
    if b'"' not in text:
        return False
    rest, count = re.subn(rb'(?m)(^|\t)"(?:[^"]|"")*"(?=\t|\r?$)', rb"\1", text)
    return count > 0 and not re.search(rb'(?m)(?:^|\t)"', rest)


def _separator_in(head: str) -> str:
    """The separator of the fields of a first line: the one with most known names between.

    A name may have other separators, as a measure with gains has commas.

    >>> _separator_in("run;topic;nDCG(gains={2:10,3:100})@10"), _separator_in("AP q1 0.5")
    (';', '\\\\s+')
    """
    known_counts: dict[str, int] = {}
    for sign in "\t,;":
        if sign in head:
            names = head.split(sign)
            with suppress(csv.Error):  # a name is longer than csv reads
                names = next(csv.reader([head], delimiter=sign), [])
            known_counts[sign] = sum(plain(name) in IDS for name in names[:MOST_COLUMNS])
    return max(known_counts, key=known_counts.__getitem__, default=r"\s+")


def _with_points(frame: DataFrame, separator: str) -> DataFrame:
    """The columns of a table, with points in place of decimal commas.

    Only ; leaves commas to numbers. Ids stay as they are. With a number that has a point, all
    columns do, since 1.234 could then mean two numbers.
    """
    if separator != ";":
        return frame
    columns: list[Any] = []
    for name, column in frame.items():
        texts = column[column.notna() & (column != "")].str.strip()
        if plain(name) in IDS or not texts.str.fullmatch(EITHER_NUMBER).all():
            columns.append(column)
        elif texts.str.contains(".", regex=False).any():
            return frame
        else:
            columns.append(column.str.replace(",", ".", regex=False))
    return needed("pandas", "a table of values").concat(columns, axis=1)


def _full_rows(rows: DataFrame) -> DataFrame:
    """The rows, in which NaN stands for a field that a shorter row lacks.

    A separator behind the header is no column. Raises `ValueError` for a row with fewer fields.
    """
    is_absent = rows.isna()
    is_only_separator = is_absent[1:].all() & (rows.iloc[0] == "")
    rows = rows.loc[:, ~is_only_separator]
    fields = rows.notna().sum(axis=1)
    columns = len(rows.columns)
    short = np.flatnonzero(fields < columns)
    if short.size:
        row = int(short[0])
        raise ValueError(
            f"row {row} has {counted(int(fields.iloc[row]), 'field')}, and the first line has "
            f"{columns}"
        )
    return rows


def _json(content: Content, text: str) -> Any:
    """Records, an array of them or one in each line, or an object of columns."""
    from ..files.json_text import (  # takes time
        MOST_NESTED,
        decoded_value,
        is_nested_too_deep,
        spend_on_json,
    )

    spend_on_json(content, text)
    if is_nested_too_deep(text):
        raise ValueError(f"it nests more than {MOST_NESTED} deep")
    try:
        value = decoded_value(text)
    except json.JSONDecodeError as error:
        content.spend(LINES_READ_ALONE, text.count("\n"))
        value = _json_lines(content.name, text, error)
    is_own = isinstance(value, dict) and "sha256" in value  # as evaluate writes it
    if is_own:
        value = value.get("values")
    if isinstance(value, list):
        kinds = Counter(map(type, value))
        content.spend(TOPICS_OF_JSON, kinds[list])
        content.spend(OBJECTS_READ_AS_ROWS, kinds[dict])
        members = sum(len(row) for row in value if isinstance(row, dict))
        content.spend(CELLS_READ, members)
    if is_own or not isinstance(value, dict):
        return value
    is_flat = {list, dict}.isdisjoint(map(type, value.values()))
    if is_flat:
        _refuse_many_columns(content.name, len(value))
        return [value]
    members = sum(len(member) for member in value.values() if isinstance(member, dict))
    cells = sum(len(column) for column in value.values() if isinstance(column, list))
    content.spend(CELLS_READ, 2 * members + cells)  # pandas takes long for a dict of dicts
    return value


def _json_lines(name: str, text: str, of_whole: json.JSONDecodeError) -> list[Any]:
    """The values in the lines of a text, which is no JSON as a whole because of an error.

    Raises `FileError` for the first line that is none. If it is the first line of all, the text was
    not meant as lines.
    """
    from ..files.json_text import DECODER, objects_in_lines  # takes time

    values: list[Any] = objects_in_lines(text)
    if values:
        return values
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            values.append(DECODER.decode(line))
        except json.JSONDecodeError as of_line:
            place = of_whole.lineno
            reason = of_whole.msg
            if values:
                place = number
                reason = of_line.msg
            raise FileError(f"{name}:{place}: cannot be read as JSON: {reason}") from None
    return values


def _of_trec_eval(rows: DataFrame) -> DataFrame:
    """The lines of a measure, a topic and a value.

    Those of the command ir_measures begin with the topic. These have means of ``all`` topics, or
    known measures in the second field only. The measure ``runid`` of trec_eval has no value for a
    topic.
    """
    rows = rows.apply(lambda column: column.str.strip())
    first = set(rows["measure"])
    second = set(rows["topic"])
    only_second_names_measures = all(map(_is_measure, second)) and not all(map(_is_measure, first))
    if ALL in first - second or only_second_names_measures:
        rows.columns = ["topic", "measure", "value"]
    return rows


def cells_of(
    frame: DataFrame, name: str, unnamed: str, apart: bool = False, names_topic_all: bool = False
) -> DataFrame:
    """The values of a table, one per row, with the columns run, measure, topic and value.

    If tables are read `apart`, there is the column ``collection``.

    Rows of aggregates over the topics are left out, see `_is_mean`. `name` is that of the table in
    messages, `unnamed` that of the run in a table without a column for it. The table has the
    columns measure and value, or a column per measure: each that has a number; or it has a row per
    run and a column per topic, or a row per topic and a column per run, which the name of the
    columns (as of a pivoted DataFrame) or of the file, that of a known measure, tells. Raises
    `GradedError`, which names row and column, for a missing column, an empty cell and a value that
    is not a finite number.
    """
    pandas = needed("pandas", "a table of values")

    frame = with_named_index(frame, name)
    names = list(frame)
    run, measure, value = (column_name(name, names, ours) for ours in ("run", "measure", "value"))
    is_wide = measure is None or value is None
    if run is None and not is_wide and "name" in names:  # PyTerrier's name of a run
        run = "name"
    has_topics = column_name(name, names, "query_id") is not None
    tells_topics = plain(str(frame.columns.name)) in chain(*NAMES["query_id"])
    if run is not None and not has_topics and (tells_topics or _is_measure(unnamed)):
        measure = VALUE if unnamed == UNNAMED else unnamed
        return cells_of(_by_topic(frame, name, run).assign(measure=measure), name, unnamed, apart)
    try:
        topic = required_column(name, names, "query_id")
    except GradedError as error:
        raise GradedError(f"{error}; for a table of means: leaderboards --means") from None
    keys = [topic]
    if run is not None:
        keys.append(run)
    if apart:
        needed_column(frame, name, COLLECTION)
        keys.append(COLLECTION)
    frame = frame.set_axis(np.arange(1, len(frame) + 1))
    has_column_per_run = False
    if is_wide:
        wide_frame = frame
        measure = "measure"
        value = "value"
        frame = _row_per_measure(frame, keys, name)
        columns_of_values = frame[measure].unique()
        has_column_per_run = run is None and are_runs(wide_frame, columns_of_values, unnamed)
    frame = frame[~_is_mean(frame, [*keys, measure], value, name, names_topic_all)]
    if frame.empty:
        raise GradedError(
            f"{name}: there is no value; give the columns run, topic, measure and value"
        )
    for key in [*keys, measure]:
        _refuse(frame[key], frame[key].isna() | (frame[key] == ""), name, "empty")
    numbers = _numbers(frame[value])
    is_refused = ~np.isfinite(numbers)
    if is_refused.any():
        is_refused &= ~_is_gap(frame[topic], frame[measure], frame[value])
    if is_refused.any():
        column = value
        if is_wide:
            column = str(frame[measure][is_refused].iloc[0])
        _refuse(frame[value].rename(column), is_refused, name, "not a finite number")
    refuse_too_large(frame[value], numbers, name)
    runs = unnamed if run is None else frame[run].astype(str)
    measures = frame[measure]
    if has_column_per_run:
        runs = measures.astype(str)
        measures = measure_of_table(unnamed)
    elif is_wide and _is_measure(unnamed) and are_unnamed(measures.unique()):
        measures = unnamed
    columns = {
        "run": runs,
        "topic": frame[topic].astype(str),
        "measure": measures,
        "value": numbers,
    }
    if apart:
        columns[COLLECTION] = frame[COLLECTION].astype(str)
    return pandas.DataFrame(columns, frame.index)


def with_named_index(frame: DataFrame, name: str) -> DataFrame:
    """The table, with its index as a column if that has a name.

    Raises `GradedError` for two columns of one name.
    """
    is_repeated = frame.columns.duplicated()
    if is_repeated.any():
        repeated = frame.columns[is_repeated][0]
        raise GradedError(f"{name} has two columns named {repeated}; rename one")
    if frame.index.name is not None and frame.index.name not in frame:
        return frame.reset_index()
    return frame


def _row_per_measure(frame: DataFrame, keys: list[Any], name: str) -> DataFrame:
    """A table with a column per measure as one with the columns measure and value."""
    kept = list(keys)
    if _marks_means(frame):
        kept.append(AGGREGATE)
    others = [key for key in frame if key not in kept and plain(key) not in IDS]
    measures = [key for key in others if _is_measure_column(frame[key], name)]
    if not measures:
        return frame[:0].assign(measure="", value=0.0)
    # DataFrame.melt takes several times as long for thousands of measures.
    rows = np.tile(np.arange(len(frame)), len(measures))
    values = frame[measures]
    names_of_rows = values.columns.repeat(len(frame))
    by_measure = frame[kept].iloc[rows]
    return by_measure.assign(measure=names_of_rows, value=_one_below_the_other(values))


def are_unnamed(measures: Collection[Any]) -> bool:
    """Whether the only column of values has no name of a measure, as ``value``."""
    names = list(measures)
    return len(names) == 1 and plain(str(names[0])) in chain(*NAMES["value"])


def measure_of_table(name: str) -> str:
    """The measure of values that no column names: a known one that the table is named after."""
    return name if _is_measure(name) else VALUE


def _one_below_the_other(columns: DataFrame) -> Any:
    """The cells of all columns in one."""
    pandas = needed("pandas", "a table of values")
    if all(isinstance(kind, np.dtype) for kind in columns.dtypes):
        return columns.to_numpy().ravel(order="F")
    return pandas.concat([columns[name] for name in columns], ignore_index=True).array


def _is_gap(topics: Series, measures: Series, values: Series) -> np.ndarray:
    """Whether a cell is empty by a measure that may lack values, or for all runs of the table.

    A topic that all of several runs lack was left out, as `evaluate` does if it has no relevant
    document.
    """
    is_empty = values.isna() | (values == "")
    may_lack = [
        name for name in measures[is_empty].unique() if may_lack_values(measure_named(str(name)))
    ]
    groups = is_empty.groupby([topics.astype(str), measures.astype(str)])
    is_left_out = groups.transform("all") & (groups.transform("size") > 1)
    return (is_empty & (measures.isin(may_lack) | is_left_out)).to_numpy()


def _is_measure_column(column: Series, name: str) -> bool:
    """Whether a column of a table with a column per measure has the values of one.

    It has a number. Raises `GradedError` for a column without any that has the name of a known
    measure, or whose numbers have a comma, so that no measure is lost.
    """
    numbers = _numbers(column)
    if np.isfinite(numbers).any():
        return True
    # A cell may be an array, which cannot be compared with a text.
    cells = [cell for cell in column[column.notna()] if not isinstance(cell, str) or cell]
    texts = [cell for cell in cells if isinstance(cell, str)]
    has_commas = bool(texts) and all(map(COMMA.fullmatch, texts))
    if has_commas or (
        _is_measure(str(column.name)) and not may_lack_values(measure_named(str(column.name)))
    ):
        where = f"{name}: column {column.name}"
        if not cells:
            raise GradedError(f"{where} has no value; fill it, or leave it out")
        raise GradedError(f"{where}: {shown(str(cells[0]))} is not a finite number such as 0.25")
    return False


def _marks_means(frame: DataFrame) -> bool:
    """Whether the column ``aggregate`` tells means from topics, rather than being a measure."""
    return AGGREGATE in frame and not np.isfinite(_numbers(frame[AGGREGATE])).any()


def _is_mean(
    frame: DataFrame, keys: list[Any], value: Any, name: str, names_topic_all: bool
) -> np.ndarray:
    """Whether a row has an aggregate over the topics.

    `evaluate` marks aggregates in the column ``aggregate`` if a topic is named ``all``. Of two
    rows named ``all`` of a run and a measure, the last is the aggregate. Warns (`InputWarning`) if
    rows named ``all`` are taken for aggregates and none of them is one. A single one is a topic if
    the qrels have the topic (`names_topic_all`). `keys` are the columns of topic, run and measure.
    """
    if _marks_means(frame):
        marks = frame[AGGREGATE]
        return (marks.notna() & (marks != "")).to_numpy()
    is_all = (frame[keys[0]] == ALL).to_numpy()
    if not is_all.any():
        return is_all
    named_all = frame[is_all]
    is_topic = named_all.duplicated(keys, keep="last").to_numpy()
    if names_topic_all and not is_topic.any():
        return np.zeros(len(frame), dtype=bool)
    is_mean = is_all.copy()
    is_mean[is_all] = ~is_topic
    if not is_topic.any() and not _has_aggregate(frame, is_mean, keys[1:], value):
        text = (
            f"the rows of the topic {ALL!r} are left out, although none of them is the mean or "
            f"the sum over the other topics; if {ALL!r} is a topic, rename it or add the column "
            f"{AGGREGATE}"
        )
        issue([Remark("aggregate", name, text)])
    return is_mean


def _has_aggregate(frame: DataFrame, is_mean: np.ndarray, keys: list[Any], value: Any) -> bool:
    """Whether any row of an aggregate is the mean or the sum of its run and measure.

    Rounding is allowed for: half a unit of the last decimal of the aggregate, and of the values of
    the topics, in a sum for each of them. An aggregate without another row counts as one.
    """
    cells = frame[value]
    numbers = _numbers(cells)
    group = frame.groupby(keys, observed=True, sort=False).ngroup().to_numpy()
    is_counted = ~np.isnan(numbers) & (group >= 0)
    is_topic = is_counted & ~is_mean
    rows = np.flatnonzero(is_counted & is_mean)
    with_aggregate, first = np.unique(group[rows], return_index=True)
    rows = rows[first]
    groups = group.max(initial=0) + 1
    counts = np.bincount(group[is_topic], minlength=groups)[with_aggregate]
    sums = np.bincount(group[is_topic], numbers[is_topic], minlength=groups)[with_aggregate]
    if not counts.all():
        return True
    for expected, terms in ((sums / counts, np.ones_like(counts)), (sums, counts)):
        gaps = np.abs(numbers[rows] - expected)
        for place in np.argsort(gaps)[:MOST_CHECKED]:
            of_topics = cells[is_topic & (group == with_aggregate[place])]
            rounding, rounding_of_topics = _roundings(cells.iloc[[rows[place]]], of_topics)
            allowed = rounding + terms[place] * rounding_of_topics
            if gaps[place] <= allowed + LEAST_ROUNDING * (1 + abs(expected[place])):
                return True
    return not rows.size


def _roundings(aggregate: Series, of_topics: Series) -> tuple[float, float]:
    """Half a unit of the last decimal that an aggregate and the values of its topics show.

    It is 0 for numbers without decimals, which are exact. Text keeps the zeros at its end.
    """
    decimals = max(map(_decimals_shown, of_topics.tolist()))
    of_aggregate = _decimals_shown(aggregate.tolist()[0])
    if getattr(aggregate.dtype, "kind", "O") == "f":
        of_aggregate = max(of_aggregate, decimals)
    halves = [0.5 * 10.0**-places if places else 0.0 for places in (of_aggregate, decimals)]
    return halves[0], halves[1]


def _decimals_shown(cell: Any) -> int:
    """The decimals of a number; those of one with an exponent are not counted."""
    if not isinstance(cell, (str, Number)):
        return 0  # the text of an array could be long
    decimals = str(cell).strip().partition(".")[2]
    if not decimals.isdigit():
        return MOST_DECIMALS * bool(decimals)
    return min(len(decimals), MOST_DECIMALS)


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


def decimals_of(numbers: Collection[float | str]) -> int:
    """The most decimals that a number shows, at most `MOST_DECIMALS`.

    Zeros behind all of several numbers do not count, and several numbers without decimals are
    exact.

    >>> decimals_of([0.25, 0.178]), decimals_of(["0.1780"])
    (3, 4)
    >>> decimals_of([1e-9]), decimals_of([0, 1])
    (6, 6)
    """
    are_several = len(numbers) > 1
    most = -np.inf
    for number in numbers:
        digits = number if isinstance(number, str) else f"{number:.10g}"
        exact = Decimal(digits)
        if are_several:
            exact = exact.normalize()
        most = max(most, -int(exact.as_tuple().exponent))
    if are_several and most <= 0:
        return MOST_DECIMALS
    return int(min(max(most, 0), MOST_DECIMALS))


def _refuse(column: Series, bad: Any, name: str, what: str) -> None:
    """Raise `GradedError` for the first bad cell of a column."""
    refused = column[bad]
    if refused.size:
        cell = refused.tolist()[0]
        if cell != cell:
            cell = None  # NaN is not a word of users
        where = f"{name}: row {refused.index[0]}, column {column.name}"
        raise GradedError(f"{where}: {shown(cell)} is {what}")


def refuse_too_large(column: Series, numbers: np.ndarray, name: str) -> None:
    """Raise `GradedError` for the first number whose sums and squares could exceed all floats."""
    is_refused = np.isfinite(numbers) & (np.abs(numbers) > LARGEST)
    _refuse(column, is_refused, name, f"too large; values are from -{LARGEST:g} to {LARGEST:g}")


def _numbers(column: Series) -> np.ndarray:
    """The numbers of a column; NaN for any other cell."""
    if getattr(column.dtype, "kind", "O") in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = _numbers_in_text(column)
    if numbers is None:
        numbers = np.array(list(map(number_in, column)), dtype=np.float64)
    return numbers


def _numbers_in_text(column: Series) -> np.ndarray | None:
    """The numbers of a column of text, parsed by pyarrow; None unless all cells are plain numbers
    or missing."""
    try:
        import pyarrow
        from pyarrow import types

        cells = pyarrow.array(column, from_pandas=True)
        if types.is_dictionary(cells.type):
            cells = cells.dictionary_decode()
        if not types.is_string(cells.type) and not types.is_large_string(cells.type):
            return None
        return arrow_numbers(cells.cast(pyarrow.float64()).fill_null(np.nan))
    except (ImportError, pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        return None
