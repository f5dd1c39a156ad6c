"""Qrels and runs in memory: a function for each form gives its columns, which become `Rows`.

Columns keep their storage format; items of a list are read in pieces. Ids are converted to bytes (`Ids`) when
a block of rows needs them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Qrel

from ...errors import GradedError, shown
from .arrow import exports_arrow, is_arrow, numbers_of, whole_table
from .columns import INTENTS, NAMES, QRELS, RUN, Role, column_name, column_names, is_rank
from .id_columns import (
    Cells,
    Keys,
    Rowwise,
    Stretches,
    TopicNumbers,
    begins_with_integer,
    docs_of,
    integers_as_text,
    stretches_of,
)
from .id_matching import PIECE, Ids
from .rows import IDS, Facts, Part, Rows, RunSource, floats

Source = Any
"""Qrels or a run: a dict of dicts, a DataFrame, an export of Arrow, or an iterable of tuples or dicts."""
Pieces = Callable[[Sequence[Any]], Iterator[Sequence[Any]]]
Found = tuple[Stretches, Rowwise, np.ndarray]  # the topics, documents and values of some rows


class Columns(NamedTuple):
    """Rows in columns: the `names` of all columns, and a function that yields some of them piece by piece.

    `called` is the name of the source in messages about its columns.
    """

    called: str
    names: Sequence[Any]
    pieces: Pieces

    def named(self, role: Role) -> list[Any]:
        """The names of the columns of topics, documents and values."""
        return column_names(f"{role.kind}: {self.called}", self.names, role)


class InMemory(RunSource):
    """Qrels or a run in memory. `name` is its name in warnings."""

    def __init__(self, source: Any, role: Role, name: str = ""):
        self.source, self.role, self.name = source, role, name

    @cached_property
    def columns(self) -> Columns | None:
        """The columns of the source; None for a dict of dicts. Raises `GradedError` for any other source."""
        return _columns(self.source, self.role)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "columns"}  # they have closures

    def rows(self) -> Rows:
        """The rows. Raises `GradedError` if a topic or a value is missing or invalid.

        Documents may be validated only when their rows are evaluated.
        """
        if self.columns is None:
            return _of_dicts(self.source, self.role)
        return _grouped(self.columns, self.role, self.part)

    @property
    def part(self) -> Part | None:
        """The rows of a file in its order; None for all other rows."""
        return self.source if isinstance(self.source, Part) else None

    def table(self) -> Rows:
        """The same rows. Warns (`EmptyRunWarning`) of an empty run. Documents of qrels are `Ids`."""
        table = self.rows()
        if self.role is QRELS:
            return replace(table, docs=table.docs.ids(), source=self)  # converted once for all runs
        self.warn_if_empty(not table.values.size)
        return table

    def for_others(self) -> Any:
        """The qrels in a form that ir-measures' other providers read.

        Whole levels of `Qrel` are ints. The iteration is "0" if there is none.
        """
        if self.columns is None:
            return self.source
        found: list[Qrel] = []
        iteration = self._column("iteration")
        names = [*self.columns.named(self.role), *([] if iteration is None else [iteration])]
        for columns in self.columns.pieces(names):
            columns = [column.to_pylist() if is_arrow(column) else column for column in columns]
            topics, docs, levels, *iterations = columns
            level = np.array(levels, dtype=np.float64)
            exact = level.astype(np.int64) if is_whole(level) else level
            found += map(Qrel, map(str, topics), map(str, docs), exact.tolist(), *iterations)
        return found

    def intents(self) -> Rows | None:
        """The rows of qrels in the same order, with intents as `docs` and their probabilities as `values`.

        Without a column of probabilities, these are 1. None without a column of intents. Raises `GradedError`
        for a probability that is missing or invalid.
        """
        if self.columns is None or self._column("iteration") is None:
            return None
        if self._column("probability") is not None:
            return _grouped(self.columns, INTENTS, self.part)
        found = _grouped(self.columns, replace(QRELS, item="iteration", thing="intent"), self.part)
        return replace(found, values=np.ones_like(found.values))

    def _column(self, ours: str) -> Any:
        """The name of the column that we name `ours`, None if there is none."""
        return column_name(self.role.kind, self.columns.names if self.columns else (), ours)


def _of_dicts(source: Mapping[str, Mapping[str, Any]], role: Role) -> Rows:
    """The rows of a dict of dicts."""
    for topic, rows in source.items():
        if not isinstance(rows, (dict, Mapping)):  # Mapping alone is slower
            raise GradedError(
                f"{role.kind}: topic {shown(topic)} has a {type(rows).__name__}, not a dict of documents"
            )
    topics = [*stretches_of(list(source), f"{role.kind}: query_id", None).topics]
    dicts = list(source.values())
    docs = Keys(dicts, f"{role.kind}: doc_id")
    table = Rows(role, topics, docs.bounds, docs, np.empty(0), distinct=True)
    values = floats(role, [rows.values() for rows in dicts], table.location)
    return replace(table, values=values).checked()


def _grouped(columns: Columns, role: Role, part: Part | None) -> Rows:
    """The rows of the columns, which may be those of a part of a file, grouped by topic."""
    integers: list[str] | None = None if part is None else []
    names, kind = columns.named(role), role.kind
    start, numbers = 0, TopicNumbers()
    found: list[Found] = []
    for piece in columns.pieces(names):
        for name, column in zip(names, piece):
            if is_arrow(column) and column.null_count:
                raise GradedError(f"{kind}: row {start + column.to_pylist().index(None)} has no {name}")
        ids = dict(zip(IDS, piece))
        if integers is None:  # the first piece decides
            integers = [name for name in sorted(ids) if begins_with_integer(ids[name])]
        ids |= {name: integers_as_text(ids[name]) for name in integers}
        topics = stretches_of(ids["query_id"], f"{kind}: {names[0]}", start, numbers)
        docs = docs_of(ids["doc_id"], f"{kind}: {names[1]}", start)
        values = _numbers(role, ids["query_id"], docs, piece[2])
        found.append((topics, docs, -values if is_rank(names[2]) else values))
        start += len(docs)
    stretches, docs, values = _joined(found)
    order, offsets = stretches.grouped(len(docs))
    line = None if part is None else part.line
    if order is not None:
        if not (isinstance(docs, Cells) and docs.cells.dtype.kind == "i"):  # codes of categories
            docs = docs.ids().padded()  # padded ids are the fastest to reorder
        docs, values = docs.take(order), values.take(order)
        line = None if line is None else line[order]
    facts = Facts(integers=tuple(integers or ())) if part is None else part.facts
    rows = Rows(role, [*stretches.topics], offsets, docs, values, line=line, facts=facts).checked()
    known = dict.fromkeys([*rows.topics, *facts.empty])
    return rows.of_topics({topic: number for number, topic in enumerate(known)}) if facts.empty else rows


def _numbers(role: Role, topics: Any, docs: Rowwise, column: Any) -> np.ndarray:
    """The levels or scores of a piece as floats. Raises `GradedError` for one that is not a number."""
    numbers = numbers_of(column) if is_arrow(column) else column
    if isinstance(numbers, np.ndarray) and numbers.dtype.kind in "iuf":
        return numbers.astype(np.float64, copy=False)

    def location(row: int) -> str:
        topic = docs_of(topics, "query_id")[row]  # the column is one of ids, too
        return f"{role.kind}: topic {shown(topic)}, {role.thing} {shown(docs[row])}"

    return floats(role, [numbers], location)


def _joined(parts: Sequence[Found]) -> Found:
    """The rows of several pieces as one."""
    if len(parts) == 1:
        return parts[0]
    stretches, docs, values = zip(*parts)
    starts, codes, (topics, *_) = zip(*stretches)
    return (
        Stretches(np.concatenate(starts), np.concatenate(codes), topics),
        Ids.concatenated([each.ids() for each in docs]),
        np.concatenate(values),
    )


# Forms


def _of_mapping(source: Mapping[str, Sequence[Any]], role: Role) -> Columns:
    """A dict of columns. Raises `GradedError` if they have different lengths."""
    if len({*map(len, source.values())}) > 1:
        raise GradedError(f"{role.kind}: the columns of the dict have different lengths")
    return Columns("the dict", [*source], lambda names: iter([[source[name] for name in names]]))


def _of_lists(source: Mapping[str, Sequence[str]], role: Role) -> Columns:
    """A dict of the documents of each topic, the best one first. The score is −rank."""
    rows = [(topic, doc, -rank) for topic in source for rank, doc in enumerate(source[topic], 1)]
    return _of_items(rows, role)


def _of_part(part: Part) -> Columns:
    """Rows of a file."""
    return Columns("the file", [*part.columns], lambda names: iter([[part.columns[name] for name in names]]))


def _of_frame(frame: Any) -> Columns:
    """A DataFrame of pandas."""

    def pieces(names: Sequence[Any]) -> Iterator[Sequence[Any]]:
        topics, docs, numbers, *others = (frame[name] for name in names)
        plain = numbers.dtype.kind in "iuf"
        values = numbers.to_numpy(dtype=np.float64, na_value=np.nan) if plain else numbers.tolist()
        yield topics.array, docs.array, values, *(other.tolist() for other in others)

    return Columns("the DataFrame", [*frame.columns], pieces)


def _of_items(source: Sequence[Any], role: Role) -> Columns:
    """A list of named tuples or similar objects, of plain tuples, or of dicts with names of columns.

    A plain tuple is topic, document, score or level, and in qrels perhaps the iteration. The first item tells
    the names of the columns.
    """
    first: Any = next(iter(source), None)
    names: Sequence[Any] = role.columns
    if isinstance(first, Mapping):
        names = [*first]
    elif type(first) is tuple:
        sizes = {*map(len, source)}
        if sizes != {3} and (role is RUN or sizes != {4}):
            raise GradedError(f"{role.kind}: each tuple is topic, document, {role.number}")
        names = [*role.columns, "iteration"][: sizes.pop()]
    elif source:
        # The score of a `ScoredDoc` is not a level.
        every = (NAMES[ours][:2] for ours in [*role.columns, *INTENTS.columns[1:]])
        names = [name for name in chain(*chain(*every)) if hasattr(first, name)]

    def getter(name: Any) -> Callable[[Any], Any]:
        if type(first) is tuple:
            return itemgetter(names.index(name))
        if role is QRELS and name in chain(*NAMES["iteration"]):
            return iteration_of
        return itemgetter(name) if isinstance(first, Mapping) else attrgetter(name)

    def pieces(wanted: Sequence[Any]) -> Iterator[Sequence[Any]]:
        getters = [*map(getter, wanted)]
        for start in range(0, max(len(source), 1), PIECE):
            piece = source[start : start + PIECE]
            try:
                yield [[*map(get, piece)] for get in getters]
            except (AttributeError, KeyError, TypeError) as error:
                reason = f"a dict has no key {error}" if isinstance(error, KeyError) else error
                raise GradedError(
                    f"{role.kind}: {reason}; each item needs the fields {_listed(role)}, "
                    f"as ir_measures.{role.row} has"
                ) from None

    return Columns("the first dict" if isinstance(first, Mapping) else "the first item", names, pieces)


def in_memory(source: Any, role: Role, name: str = "") -> InMemory:
    """The source in its form. An iterator is kept as a list. Raises `GradedError` for any other source."""
    if isinstance(source, InMemory):
        return source
    found = InMemory(_adapted(source, role), role, name)
    _ = found.columns  # raises for any other source
    return found


def _columns(source: Any, role: Role) -> Columns | None:
    """The columns of the source; None for a dict of dicts."""
    if isinstance(source, Mapping):
        if not source or not all(isinstance(each, (list, tuple, np.ndarray)) for each in source.values()):
            return None
        if all(column_name(role.kind, [*source], ours) is not None for ours in role.columns):
            return _of_mapping(source, role)
        return _of_lists(source, role) if role is RUN else None
    if isinstance(source, Part):
        return _of_part(source)
    if hasattr(source, "itertuples"):
        return _of_frame(source)
    first = source[:1] if isinstance(source, (list, tuple)) else [source]
    if any(hasattr(each, "itertuples") for each in first):
        raise GradedError(f"{role.kind}: a list of DataFrames is not one table; join them with pandas.concat")
    if any(map(exports_arrow, first)):
        names = source.schema.names
        return Columns("the Arrow table", names, lambda names: iter([[*map(source.column, names)]]))
    if isinstance(source, (list, tuple)):
        return _of_items(source, role)
    raise GradedError(
        f"{role.kind}: cannot read a {type(source).__name__}; give a dict of dicts, a DataFrame or Arrow "
        f"data with the columns {_listed(role)}, or an iterable of named tuples with these fields"
    )


def _adapted(source: Any, role: Role) -> Any:
    """The source; those of other libraries in a form that is read, and an iterable as a list.

    All rows of an object that exports Arrow are read at once: a stream can be read only once, and a query
    that computes the rows anew may return them in another order.
    """
    module = type(source).__module__
    if module.startswith("ranx."):
        return source.to_dict()
    if module.startswith("polars.") and hasattr(source, "collect"):
        source = source.collect()
    if module in ("pyarrow._dataset", "pyarrow.dataset"):
        source = (source.scanner() if hasattr(source, "scanner") else source).to_reader()
    if isinstance(source, Iterator) and not exports_arrow(source):
        source = [*source]
    if any(map(exports_arrow, source[:1] if isinstance(source, (list, tuple)) else [source])):
        try:
            return source if is_arrow(source) else whole_table(source)
        except GradedError:
            raise
        except Exception as error:  # of any library, such as DuckDB
            reason = next(iter(str(error).splitlines()), "")
            what = f"cannot read the {type(source).__name__} as Arrow data: {reason}"
            raise GradedError(f"{role.kind}: {what}") from error
    is_other = isinstance(source, (str, bytes, list, tuple, Mapping, Part)) or hasattr(source, "itertuples")
    return source if is_other or not isinstance(source, Iterable) or is_arrow(source) else [*source]


def read_qrels(source: Any) -> Rows:
    """Qrels as a table of levels. Raises `GradedError` if an id or a level is missing or invalid."""
    return source if isinstance(source, Rows) else in_memory(source, QRELS).table()


def read_run(source: Any) -> Rows:
    """A run as a table of scores. Raises `GradedError` if a topic or a score is missing or invalid."""
    return in_memory(source, RUN).rows()


def is_whole(level: np.ndarray) -> bool:
    """Whether all of these floats are whole numbers in the range of int64."""
    return bool(((np.abs(level) < 2.0**63) & (level == np.floor(level))).all())


def iteration_of(item: Any) -> str:
    """The iteration of a judgment, which is its intent; "0" if it has none."""
    get = item.get if isinstance(item, Mapping) else partial(getattr, item)
    return str(get("iteration", get("subtopic_id", "0")))


def _listed(role: Role) -> str:
    return "query_id, doc_id and " + role.value
