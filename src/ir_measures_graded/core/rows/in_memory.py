"""Qrels and runs in memory: a function for each form gives its columns, which become `Rows`.

Columns keep their storage format. Ids are converted to bytes (`Ids`) when a block of rows needs
them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from inspect import isgenerator
from itertools import chain
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import EmptyRunWarning, GradedError, level_of_caller, shown
from .arrow import exports_arrow, is_arrow, whole_table
from .chosen import RANK, Chosen
from .columns import (
    MOST_COLUMNS,
    NAMES,
    column_name,
    column_names,
    column_of_ranks,
    file_columns,
    is_known,
    is_rank,
    judge_column,
)
from .floats import floats, numbers_in, numbers_or_nan
from .id_columns import (
    Documents,
    Keys,
    Rowwise,
    Stretches,
    begins_with_integer,
    docs_of,
    has_integer_topics,
    integers_as_text,
    stretches_of,
    texts_of,
    topics_of,
)
from .lists import (
    by_index,
    has_pairs,
    ids_and_scores,
    ids_in,
    names_topics,
    relevant_documents,
    sequence_of,
    texts_of_ids,
)
from .rank_order import ROWS, RankSample, remark_on_counting
from .roles import IDS, INTENTS, QRELS, RUN, Role
from .rows import Facts, Rows, RunSource, grouped

if TYPE_CHECKING:
    from .items import Getters


class Columns:
    """Rows in columns: the `names` of all columns, and a function that returns the column of a
    name.

    `called` is the name of the source in messages about its columns.
    """

    def __init__(self, called: str, names: Sequence[Any], column: Callable[[Any], Any]):
        self.called = called
        self.names = names
        self.column = column

    def converted(self, names: Sequence[Any], role: Role) -> Columns:
        """The columns, of which those with these `names` and the intents of qrels are converted at
        once if the source needs it. `names` are those of topics, documents and values.
        """
        return self


class ColumnsOfItems(Columns):
    """The columns of `items`, from the cells that `getters` return."""

    def __init__(self, called: str, items: Sequence[Any], getters: Getters, role: Role):
        super().__init__(called, list(getters), self.cells)
        self.items = items
        self.getters = getters
        self.role = role

    def cells(self, name: Any) -> list[Any]:
        """A whole column. Raises `GradedError` if an item lacks it."""
        try:
            return list(map(self.getters[name], self.items))
        except (AttributeError, KeyError, TypeError) as error:
            reason = f"a dict has no key {error}" if isinstance(error, KeyError) else error
            raise GradedError(
                f"{self.role.kind}: {reason}; each item needs the fields {_listed(self.role)}"
            ) from None

    def converted(self, names: Sequence[Any], role: Role) -> Columns:
        read = None
        if self.items:
            from .items import cells_of  # This import takes time.

            intents = names_of_intents(self.names) if role is QRELS else {}
            read = cells_of(self.items, self.getters, role, names, intents)
        if read is None:  # the whole columns tell the reason
            return self

        def column(name: Any) -> Any:
            return read[name] if name in read else self.cells(name)

        return Columns(self.called, self.names, column)


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
            return table.with_ids()
        self.is_empty = not table.values.size
        self.remarks = table.facts.remarks
        if self.is_empty:
            message = f"{self.name}: the run is empty".removeprefix(": ")
            warnings.warn(message, EmptyRunWarning, stacklevel=level_of_caller())
        return table


def _of_lists_of_relevant(source: Mapping[Any, Any]) -> Rows:
    """The rows of qrels that list the relevant ids of each topic."""
    dicts, has_numbers = relevant_documents(source)
    rows = _of_dicts(dicts, QRELS)
    integers = rows.facts.integers
    if has_numbers:
        integers += ("doc_id",)
    return replace(rows, facts=rows.facts._replace(integers=integers, only_relevant=True))


def _of_sequence(items: Mapping[Any, Any], role: Role) -> Rows:
    """The rows of a sequence, whose items have the documents of one topic each."""
    of_items = _reader(items, role)
    rows = of_items()
    return replace(rows, facts=rows.facts._replace(sequence=len(items)))


def _of_dicts(source: Mapping[str, Any], role: Role) -> Rows:
    """The rows of a dict of dicts."""
    for topic, rows in source.items():
        if not isinstance(rows, (dict, Mapping)):  # Mapping alone is slower
            if isinstance(rows, Set):
                raise GradedError(
                    f"{role.kind}: topic {shown(topic)} has a set, which has no order; give a "
                    "list, the best document first"
                )
            raise GradedError(
                f"{role.kind}: topic {shown(topic)} has a {type(rows).__name__}, not a dict of "
                "documents"
            )
        if "" in rows:
            raise GradedError(f"{role.kind}: doc_id '' is empty (topic {shown(topic)})")
    dicts = list(source.values())
    docs = Keys(dicts, f"{role.kind}: doc_id")
    integers = ("query_id",) if has_integer_topics(source) else ()
    facts = Facts(integers=integers)
    stretches = stretches_of(topics_of(source), f"{role.kind}: query_id", has_rows=False)
    topics = list(stretches.topics)
    table = Rows(role, topics, docs.bounds, docs, np.empty(0), distinct=True, facts=facts)
    values = floats(role, [rows.values() for rows in dicts], table.location)
    return _with_remark_on_counting(replace(table, values=values).checked())


def _with_remark_on_counting(rows: Rows) -> Rows:
    """The rows, with the remark that the scores of a run are ranks if they seem to be."""
    if rows.role is QRELS or rows.facts.reverse:
        return rows
    remark = remark_on_counting(rows.offsets, rows.values)
    if not remark:
        return rows
    return replace(rows, facts=rows.facts._replace(reverse=remark))


def _grouped(columns: Columns, role: Role) -> Rows:
    """The rows of the columns, grouped by topic."""
    kind = role.kind
    names = column_names(f"{kind}: {columns.called}", columns.names, role)
    columns = columns.converted(names, role)
    cells = dict(zip(role.columns, map(columns.column, names), strict=True))
    integers = [ours for ours in IDS if begins_with_integer(cells[ours])]
    for ours in integers:
        cells[ours] = integers_as_text(cells[ours])
    stretches = stretches_of(cells["query_id"], f"{kind}: {names[0]}")
    docs: Documents = docs_of(cells["doc_id"], f"{kind}: {names[1]}")

    def location(row: int) -> str:
        topic = shown(stretches.topic_of(row))
        return f"{kind}: topic {topic}, document {shown(docs[row])}"

    values = numbers_in(cells[role.value], role, location)
    is_ranked = is_rank(names[2])
    if is_ranked:
        values = -values
    further: dict[str, Rowwise | np.ndarray] = {}
    reverse = ""
    judge = ""
    if role is QRELS:
        further = _columns_of_intents(columns)
        judge = judge_column(columns.names, names) or ""
    elif not is_ranked:
        reverse = _remark_on_ranks(columns, stretches, names[2])
    facts = Facts(integers=tuple(integers), ranked=is_ranked, reverse=reverse, judge=judge)
    rows = grouped(role, stretches, docs, values, facts=facts, further=further)
    return _with_remark_on_counting(rows)


def _columns_of_intents(columns: Columns) -> dict[str, Rowwise | np.ndarray]:
    """Those columns of `INTENTS` that qrels have."""
    further: dict[str, Rowwise | np.ndarray] = {}
    for ours, name in names_of_intents(columns.names).items():
        column = columns.column(name)
        further[ours] = _of_intents(ours, column, f"{QRELS.kind}: {name}")
    return further


def names_of_intents(names: Sequence[Any]) -> dict[str, Any]:
    """The names of those columns of `INTENTS` that qrels have, by our names."""
    by_ours = {ours: column_name(QRELS.kind, names, ours) for ours in INTENTS}
    return {ours: name for ours, name in by_ours.items() if name is not None}


def _remark_on_ranks(columns: Columns, stretches: Stretches, score: Any) -> str:
    """The remark on ranks in the reverse order of scores, from the first rows.

    `score` is the name of the column of scores.
    """
    rank = column_of_ranks(columns.names)
    if rank is None:
        return ""
    first_ranks = numbers_or_nan(columns.column(rank)[:ROWS])
    first_scores = numbers_or_nan(columns.column(score)[:ROWS])
    topics = list(stretches.topics)
    stretch = np.searchsorted(stretches.start, np.arange(first_ranks.size), side="right") - 1
    codes = stretches.code[stretch]
    sample = RankSample()
    sample.add(
        [topics[code] for code in codes.tolist()], first_ranks.tolist(), first_scores.tolist()
    )
    return sample.remark(is_part=first_ranks.size == ROWS)


def _of_intents(ours: str, column: Any, field: str) -> Rowwise | np.ndarray:
    """The intents of the rows, or their probabilities, NaN for any cell that is not a number."""
    if ours == "iteration":
        text = integers_as_text(column) if begins_with_integer(column) else column
        if is_arrow(text) and text.null_count:
            text = text.to_pylist()
        # Only measures of intents refuse other objects than text, so a list is not validated here.
        if isinstance(text, list):
            text = np.fromiter(text, object, len(text))
        return texts_of(text, field)
    return numbers_or_nan(column)


# Forms


def _of_mapping(source: Mapping[str, Sequence[Any]], role: Role) -> Columns:
    """A dict of columns. Raises `GradedError` if they have different lengths."""
    lengths = set(map(len, source.values()))
    if len(lengths) > 1:
        raise GradedError(f"{role.kind}: the columns of the dict have different lengths")
    return Columns("the dict", list(source), source.__getitem__)


def _of_lists(source: Mapping[str, Sequence[str]], role: Role) -> Columns:
    """A dict of the documents of each topic: pairs of a document and its score, or ids, the best
    one first, whose score is −rank.
    """
    are_pairs = any(map(has_pairs, source.values()))
    of_topics: list[tuple[list[Any], list[str], list[Any]]] = []
    are_numbers = True
    for topic, documents in source.items():
        where = f"{role.kind}: topic {shown(topic)}"
        scores: list[Any] = []
        if are_pairs:
            ids, scores = ids_and_scores(list(documents), where)
        else:
            ids = ids_in(documents)
        texts, has_numbers = texts_of_ids(ids, where)
        of_topics.append((ids, texts, scores))
        are_numbers = are_numbers and (has_numbers or not ids)
    columns: dict[str, list[Any]] = {"query_id": [], "doc_id": [], RANK: []}
    if are_pairs:
        columns[role.value] = []
    for topic, (ids, texts, scores) in zip(source, of_topics, strict=True):
        columns["query_id"] += [topic] * len(ids)
        columns["doc_id"] += ids if are_numbers else texts
        columns[RANK] += range(1, len(ids) + 1)
        if are_pairs:
            columns[role.value] += scores
    return Columns("the dict", list(columns), columns.__getitem__)


def _of_items(source: Sequence[Any], role: Role) -> Columns:
    """A list of named tuples or similar objects, of plain tuples, or of dicts with names of
    columns.

    A plain tuple is topic, document, score or level, and in qrels perhaps the iteration. The first
    item tells the names of the columns.
    """
    first: Any = next(iter(source), None)
    getters: Getters
    if hasattr(first, "itertuples"):
        raise GradedError(
            f"{role.kind}: a list of DataFrames is not one table; join them with pandas.concat"
        )
    if isinstance(first, Mapping):
        getters = {name: itemgetter(name) for name in first}
    elif type(first) is tuple:
        sizes = set(map(len, source))
        if sizes != {3} and (role is RUN or sizes != {4}):
            raise GradedError(f"{role.kind}: each tuple is topic, document, {role.number}")
        names = [*role.columns, "iteration"][: sizes.pop()]
        getters = {name: itemgetter(place) for place, name in enumerate(names)}
    else:
        names = _fields_of(first, role) if source else role.columns
        getters = {name: attrgetter(name) for name in names}

    called = "the first dict" if isinstance(first, Mapping) else "the first item"
    return ColumnsOfItems(called, source, getters, role)


def _fields_of(item: Any, role: Role) -> list[str]:
    """The attributes of an item that have a name of a column."""
    names: list[str] = []
    for ours in (*role.columns, *INTENTS):
        groups = NAMES[ours][:2]  # the score of a `ScoredDoc` is not a level
        names.extend(chain(*groups))
    if role is RUN:
        names.extend(chain(*NAMES[RUN.value][2:]))
    return [name for name in names if hasattr(item, name)]


def _reader(source: Any, role: Role) -> Callable[[], Rows]:
    """The function that reads the source."""
    module = type(source).__module__
    if module.startswith("ranx."):
        source = source.to_dict()
    if module.startswith("polars.") and hasattr(source, "collect"):
        source = source.collect()
    if module in ("pyarrow._dataset", "pyarrow.dataset"):
        scanner = source.scanner() if hasattr(source, "scanner") else source
        source = scanner.to_reader()
    items = sequence_of(source, role)
    if items is not None:
        return partial(_of_sequence, items, role)
    of_topics = by_index(source, role)
    if of_topics is not None:
        source = of_topics
    columns = _columns(source, role)
    if columns is None:
        if role is QRELS and not all(isinstance(rows, Mapping) for rows in source.values()):
            return partial(_of_lists_of_relevant, source)
        return partial(_of_dicts, source, role)
    return partial(_grouped, columns, role)


def _refuse_ids_in_index(frame: Any, role: Role) -> None:
    """Raise `GradedError` for a DataFrame whose index has the column of an id that it lacks."""
    index = getattr(frame, "index", None)
    of_index = [name for name in getattr(index, "names", ()) if name is not None]
    if not any(is_known(name, role) for name in of_index):
        return
    where = f"{role.kind}: the DataFrame"
    for ours in IDS:
        in_index = column_name(where, of_index, ours)
        if in_index is not None and column_name(where, list(frame.columns), ours) is None:
            raise GradedError(
                f"{where} has {in_index} in its index, not in a column; pass frame.reset_index(), "
                "and a table with a column per document as frame.stack().reset_index(name="
                f"{role.value!r})"
            )


def _columns(source: Any, role: Role) -> Columns | None:
    """The columns of the source; None for a dict of dicts."""
    if isinstance(source, Mapping):
        has_lists = all(isinstance(cells, (list, tuple, np.ndarray)) for cells in source.values())
        if not source or not has_lists:
            return None
        if _has_columns(source, role) or names_topics(source, role):
            return _of_mapping(source, role)
        return _of_lists(source, role) if role is RUN else None
    if hasattr(source, "itertuples"):
        _refuse_ids_in_index(source, role)
        return Columns("the DataFrame", list(source.columns), lambda name: source[name].array)
    is_table = exports_arrow(source)
    is_single = isinstance(source, (str, bytes))
    if isinstance(source, np.ndarray):
        is_single = source.ndim == 0
    is_other = is_table or is_arrow(source) or is_single
    if isinstance(source, Iterable) and not is_other:
        if not isinstance(source, (list, tuple)):
            source = _items_of(source, role)
        is_table = any(map(exports_arrow, source[:1]))
        if not is_table:
            return _of_items(source, role)
    if is_table:
        table = source if is_arrow(source) else whole_table(source)
        return Columns("the Arrow table", table.schema.names, table.column)
    raise GradedError(
        f"{role.kind}: cannot read a {type(source).__name__}; give a dict of dicts, a DataFrame "
        f"or Arrow data with the columns {_listed(role)}, or an iterable of named tuples with "
        "these fields"
    )


def names_in_memory(source: Any, role: Role) -> list[Any]:
    """The names of the columns of a table in memory; empty for any other source.

    >>> names_in_memory([{"query": "q1", "doc": "d1", "human": 2, "llm": 3}], QRELS)
    ['query', 'doc', 'human', 'llm']
    """
    if isinstance(source, (list, tuple)) and source and isinstance(source[0], Mapping):
        return list(source[0])
    if not hasattr(source, "itertuples") and not exports_arrow(source):
        return []
    table = _columns(source, role)
    return [] if table is None else list(table.names)


def under_our_names(source: Any, role: Role, chosen: Chosen) -> dict[str, Any]:
    """The columns of a table in memory under our names, by the choices of the user.

    >>> table = [{"query": "q1", "doc": "d1", "human": 2, "llm": 3}]
    >>> under_our_names(table, QRELS, Chosen(columns=(("relevance", "llm"),)))
    {'query_id': ['q1'], 'doc_id': ['d1'], 'relevance': [3]}

    Raises `GradedError` for another source than a table, and as `file_columns`.
    """
    names = names_in_memory(source, role)
    if not names:
        raise GradedError(
            f"columns names the columns of a table, and a {type(source).__name__} has none"
        )
    by_ours, _ = file_columns("the table", names, role, chosen)
    if isinstance(source, (list, tuple)):
        return {ours: [row.get(name) for row in source] for ours, name in by_ours.items()}
    table = _columns(source, role)
    assert table is not None
    columns: dict[str, Any] = {}
    for ours, name in by_ours.items():
        column = table.column(name)
        columns[ours] = column.to_pylist() if is_arrow(column) else column.tolist()
    return columns


def _has_columns(source: Mapping[Any, Any], role: Role) -> bool:
    """Whether the keys of a dict are names of columns, among them all that are needed."""
    if len(source) > MOST_COLUMNS:
        return False
    names = list(source)
    return all(column_name(role.kind, names, ours) is not None for ours in role.columns)


def _items_of(source: Iterable[Any], role: Role) -> list[Any]:
    """The items of an iterable. Raises `GradedError` for an iterator that was used before."""
    is_used_up = isgenerator(source) and source.gi_frame is None
    items = list(source)
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
            "list of it before its first use"
        )
    return items


def _listed(role: Role) -> str:
    return "query_id, doc_id and " + role.value
