"""Qrels and runs in memory: a function for each form gives its columns, which become `Rows`.

Columns keep their storage format. Ids are converted to bytes (`Ids`) when a block of rows needs
them.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import isgenerator
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from ...errors import EmptyRunWarning, GradedError, level_of_caller, shown
from .arrow import exports_arrow, is_arrow, numbers_of, whole_table
from .columns import (
    INTENTS,
    MOST_COLUMNS,
    NAMES,
    QRELS,
    RUN,
    Role,
    column_name,
    column_names,
    is_rank,
)
from .decimals import as_decimals
from .id_columns import (
    Cells,
    Documents,
    Keys,
    Rowwise,
    begins_with_integer,
    docs_of,
    integers_as_text,
    stretches_of,
    texts_of,
    topics_of,
)
from .rank_order import ROWS, RankSample
from .rows import IDS, Facts, Part, Rows, RunSource, floats, is_number

Source = Any
"""Qrels or a run: a dict of dicts, a DataFrame, an export of Arrow, or an iterable of tuples or
dicts.
"""


class Columns(NamedTuple):
    """Rows in columns: the `names` of all columns, and a function that returns the column of a
    name.

    `called` is the name of the source in messages about its columns.
    """

    called: str
    names: Sequence[Any]
    column: Callable[[Any], Any]


class InMemory(RunSource):
    """Qrels or a run in memory. `name` is its name in warnings.

    `checked()` gives the rows, `rows()` too and warns. They raise `GradedError` if a topic or a
    value is missing or invalid; documents may be validated only when their rows are evaluated.
    Raises `GradedError` for a source in no known form.
    """

    def __init__(self, source: Any, role: Role, name: str = ""):
        self.role = role
        self.name = name
        self.checked = _reader(source, role)

    def rows(self) -> Rows:
        """The same rows.

        Warns (`EmptyRunWarning`) of an empty run. Documents of qrels are `Ids`.
        """
        table = self.checked()
        if self.role is QRELS:
            return replace(table, docs=table.docs.ids())  # converted once for all runs
        self.is_empty = not table.values.size
        self.remarks = table.facts.remarks
        if self.is_empty:
            message = f"{self.name}: the run is empty".removeprefix(": ")
            warnings.warn(message, EmptyRunWarning, stacklevel=level_of_caller())
        return table


def _of_dicts(source: Mapping[str, Mapping[str, Any]], role: Role) -> Rows:
    """The rows of a dict of dicts."""
    for topic, rows in source.items():
        if not isinstance(rows, (dict, Mapping)):  # Mapping alone is slower
            raise GradedError(
                f"{role.kind}: topic {shown(topic)} has a {type(rows).__name__}, not a dict of "
                "documents"
            )
        if "" in rows:
            raise GradedError(f"{role.kind}: doc_id '' is empty (topic {shown(topic)})")
    dicts = list(source.values())
    docs = Keys(dicts, f"{role.kind}: doc_id")
    facts = Facts(integers=("query_id",) if begins_with_integer(list(source)) else ())
    topics = [*stretches_of(topics_of(source), f"{role.kind}: query_id", False).topics]
    table = Rows(role, topics, docs.bounds, docs, np.empty(0), distinct=True, facts=facts)
    values = floats(role, [rows.values() for rows in dicts], table.location)
    return replace(table, values=values).checked()


def _grouped(columns: Columns, role: Role, part: Part | None) -> Rows:
    """The rows of the columns, which may be those of a part of a file, grouped by topic."""
    kind = role.kind
    names = column_names(f"{kind}: {columns.called}", columns.names, role)
    cells = dict(zip(role.columns, map(columns.column, names), strict=True))
    integers = [ours for ours in IDS if part is None and begins_with_integer(cells[ours])]
    cells |= {ours: integers_as_text(cells[ours]) for ours in integers}
    stretches = stretches_of(cells["query_id"], f"{kind}: {names[0]}")
    docs: Documents = docs_of(cells["doc_id"], f"{kind}: {names[1]}")

    def location(row: int) -> str:
        topic = docs_of(cells["query_id"], "query_id")[row]  # the column is one of ids, too
        return f"{kind}: topic {shown(topic)}, document {shown(docs[row])}"

    values = numbers_in(cells[role.value], role, location)
    values = -values if is_rank(names[2]) else values
    others = {ours: column_name(kind, columns.names, ours) for ours in INTENTS if role is QRELS}
    further = {
        ours: _of_intents(ours, columns.column(name), f"{kind}: {name}")
        for ours, name in others.items()
        if name is not None
    }
    order, offsets = stretches.grouped(len(docs))
    if part is None:
        facts, line = Facts(integers=tuple(integers), ranked=is_rank(names[2])), None
        if role is RUN:
            facts = facts._replace(reverse=_remark_on_ranks(columns, *names))
    else:
        facts, line = part.facts, part.line
    rows = Rows(role, [*stretches.topics], offsets, docs, values, False, line, facts, further)
    if order is not None:
        if not (isinstance(docs, Cells) and docs.cells.dtype.kind == "i"):  # codes of categories
            docs = docs.ids().padded()  # padded ids are the fastest to reorder
        rows = rows.of_rows(order, docs.take(order), offsets, rows.topics)
    rows.checked()
    known = dict.fromkeys([*rows.topics, *facts.empty])
    return (
        rows.of_topics({topic: number for number, topic in enumerate(known)})
        if facts.empty
        else rows
    )


def _remark_on_ranks(columns: Columns, topic: Any, document: Any, score: Any) -> str:
    """The remark on ranks in the reverse order of scores; `topic`
    … `score` are names of columns.
    """
    ranks = next(filter(is_rank, columns.names), None)
    if ranks is None or is_rank(score):
        return ""
    first = slice(ROWS)
    sample = RankSample()
    topics = columns.column(topic)[first]
    stretches = stretches_of(topics, "run: query_id")
    sizes = np.diff(stretches.start, append=len(topics))
    names = [*stretches.topics]
    sample.add(
        [names[code] for code in np.repeat(stretches.code, sizes).tolist()],
        numbers_or_nan(columns.column(ranks)[first]).tolist(),
        numbers_or_nan(columns.column(score)[first]).tolist(),
    )
    return sample.remark(is_part=len(topics) == ROWS)


def _of_intents(ours: str, column: Any, field: str) -> Rowwise | np.ndarray:
    """The intents of the rows, or their probabilities, NaN for any cell that is not a number."""
    if ours == "iteration":
        text = integers_as_text(column) if begins_with_integer(column) else column
        if is_arrow(text) and text.null_count:
            text = text.to_pylist()
        # Only measures of intents refuse other objects than text, so a list is not validated here.
        text = np.fromiter(text, object, len(text)) if isinstance(text, list) else text
        return texts_of(text, field)
    return numbers_or_nan(column)


def numbers_or_nan(column: Any) -> np.ndarray:
    """A column as floats, NaN for any cell that is not a number."""
    numbers = _as_array(column)
    if isinstance(numbers, np.ndarray):
        return numbers.astype(np.float64, copy=False)
    return np.array([number if is_number(number) else np.nan for number in numbers], np.float64)


def _as_array(column: Any) -> Any:
    """A column of plain numbers as an array with their type, any other column as Python objects."""
    numbers: Any = numbers_of(column) if is_arrow(column) else column
    kind = getattr(getattr(numbers, "dtype", None), "kind", "")
    if kind == "c":
        # NumPy's complex numbers would be cut to their real part; those of Python are refused.
        numbers = numbers.astype(object)
    if kind not in ("i", "u", "f"):
        return numbers.tolist() if hasattr(numbers, "tolist") else numbers
    if hasattr(numbers, "to_numpy"):  # a column of a DataFrame, which may have missing values
        is_short = kind == "f" and numbers.dtype.itemsize < 8
        dtype = np.dtype(f"f{numbers.dtype.itemsize}" if is_short else np.float64)
        return numbers.to_numpy(dtype=dtype, na_value=np.nan)
    return numbers


def numbers_in(column: Any, role: Role, location: Callable[[int], str]) -> np.ndarray:
    """The levels or scores as floats.

    Raises `GradedError` for one that is not a number, as `floats`.
    """
    numbers = _as_array(column)
    if not isinstance(numbers, np.ndarray):
        return floats(role, [numbers], location)
    return as_decimals(numbers) if role is QRELS else numbers.astype(np.float64, copy=False)


# Forms


def _of_mapping(source: Mapping[str, Sequence[Any]], role: Role) -> Columns:
    """A dict of columns. Raises `GradedError` if they have different lengths."""
    if len({*map(len, source.values())}) > 1:
        raise GradedError(f"{role.kind}: the columns of the dict have different lengths")
    return Columns("the dict", [*source], source.__getitem__)


def _of_lists(source: Mapping[str, Sequence[str]], role: Role) -> Columns:
    """A dict of the documents of each topic, the best one first. The score is −rank."""
    rows = [(topic, doc, -rank) for topic in source for rank, doc in enumerate(source[topic], 1)]
    return _of_items(rows, role)


def _of_items(source: Sequence[Any], role: Role) -> Columns:
    """A list of named tuples or similar objects, of plain tuples, or of dicts with names of
    columns.

    A plain tuple is topic, document, score or level, and in qrels perhaps the iteration. The first
    item tells the names of the columns.
    """
    first: Any = next(iter(source), None)
    getters: dict[Any, Callable[[Any], Any]]
    if hasattr(first, "itertuples"):
        raise GradedError(
            f"{role.kind}: a list of DataFrames is not one table; join them with pandas.concat"
        )
    if isinstance(first, Mapping):
        getters = {name: itemgetter(name) for name in first}
    elif type(first) is tuple:
        sizes = {*map(len, source)}
        if sizes != {3} and (role is RUN or sizes != {4}):
            raise GradedError(f"{role.kind}: each tuple is topic, document, {role.number}")
        names = [*role.columns, "iteration"][: sizes.pop()]
        getters = {name: itemgetter(place) for place, name in enumerate(names)}
    else:
        # The score of a `ScoredDoc` is not a level.
        every = chain(*chain(*(NAMES[ours][:2] for ours in [*role.columns, *INTENTS])))
        names = [name for name in every if hasattr(first, name)] if source else role.columns
        if role is RUN and source:
            names += [name for name in NAMES["score"][-1] if hasattr(first, name)]
        getters = {name: attrgetter(name) for name in names}

    def column(name: Any) -> list[Any]:
        try:
            return [*map(getters[name], source)]
        except (AttributeError, KeyError, TypeError) as error:
            reason = f"a dict has no key {error}" if isinstance(error, KeyError) else error
            raise GradedError(
                f"{role.kind}: {reason}; each item needs the fields {_listed(role)}"
            ) from None

    called = "the first dict" if isinstance(first, Mapping) else "the first item"
    return Columns(called, [*getters], column)


def in_memory(source: Any, role: Role, name: str = "") -> InMemory:
    """The source in its form.

    An iterator is kept as a list. Raises `GradedError` for any other source.
    """
    return source if isinstance(source, InMemory) else InMemory(source, role, name)


def _reader(source: Any, role: Role) -> Callable[[], Rows]:
    """The function that reads the source."""
    module = type(source).__module__
    if module.startswith("ranx."):
        source = source.to_dict()
    if module.startswith("polars.") and hasattr(source, "collect"):
        source = source.collect()
    if module in ("pyarrow._dataset", "pyarrow.dataset"):
        source = (source.scanner() if hasattr(source, "scanner") else source).to_reader()
    part = source if isinstance(source, Part) else None
    columns = _columns(source, role)
    return (
        partial(_of_dicts, source, role)
        if columns is None
        else partial(_grouped, columns, role, part)
    )


def _columns(source: Any, role: Role) -> Columns | None:
    """The columns of the source; None for a dict of dicts."""
    if isinstance(source, Mapping):
        if not source or not all(
            isinstance(each, (list, tuple, np.ndarray)) for each in source.values()
        ):
            return None
        names = (column_name(role.kind, [*source], ours) for ours in role.columns)
        if len(source) <= MOST_COLUMNS and None not in names:
            return _of_mapping(source, role)
        return _of_lists(source, role) if role is RUN else None
    if isinstance(source, Part):
        return Columns("the file", [*source.columns], source.columns.__getitem__)
    if hasattr(source, "itertuples"):
        return Columns("the DataFrame", [*source.columns], lambda name: source[name].array)
    is_table = exports_arrow(source)
    if not (is_table or is_arrow(source) or isinstance(source, (str, bytes))) and isinstance(
        source, Iterable
    ):
        source = source if isinstance(source, (list, tuple)) else _items_of(source, role)
        is_table = any(map(exports_arrow, source[:1]))
        if not is_table:
            return _of_items(source, role)
    if is_table:
        table = source if is_arrow(source) else whole_table(source)
        return Columns("the Arrow table", table.schema.names, table.column)
    raise GradedError(
        f"{role.kind}: cannot read a {type(source).__name__}; give a dict of dicts, a DataFrame "
        "or Arrow "
        f"data with the columns {_listed(role)}, or an iterable of named tuples with these fields"
    )


def _items_of(source: Iterable[Any], role: Role) -> list[Any]:
    """The items of an iterable. Raises `GradedError` for an iterator that was used before."""
    is_used_up = isgenerator(source) and source.gi_frame is None
    items = [*source]
    if items or not isinstance(source, Iterator):
        return items
    if is_used_up:
        raise GradedError(
            f"{role.kind}: the iterator is used up; it gives its items once, so make a list of "
            "it first"
        )
    if role is QRELS:
        raise GradedError(
            "qrels: the iterator has no item; it is used up, or there is no judgment; make a "
            "list of "
            "it before its first use"
        )
    return items


def read_qrels(source: Any) -> Rows:
    """Qrels as a table of levels.

    Raises `GradedError` if an id or a level is missing or invalid.
    """
    return source if isinstance(source, Rows) else in_memory(source, QRELS).rows()


def read_run(source: Any) -> Rows:
    """A run as a table of scores.

    Raises `GradedError` if a topic or a score is missing or invalid.
    """
    return in_memory(source, RUN).checked()


def _listed(role: Role) -> str:
    return "query_id, doc_id and " + role.value
