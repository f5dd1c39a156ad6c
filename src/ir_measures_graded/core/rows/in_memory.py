"""Qrels and runs in memory: one class for each form reads it into a `Rows`.

The classes keep columns in their storage format; items of a list are read in pieces. Ids are converted to
bytes (`Ids`) when a block of rows needs them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
from ir_measures import Qrel

from ...errors import GradedError, shown
from .arrow import arrow_numbers, exports_arrow, is_arrow, numbers_of, whole_table
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
from .rows import IDS, PLACES, Rows, RunSource, about, floats

Source = Any
"""Qrels or a run: a dict of dicts, a DataFrame, an export of Arrow, or an iterable of tuples or dicts."""
Part = tuple[Stretches, Rowwise, np.ndarray]  # the topics, documents and values of some rows


class InMemory(RunSource):
    """Qrels or a run in memory. `name` is its name in warnings. A run is a `RunSource`."""

    def __init__(self, source: Any, role: Role, name: str = ""):
        self.source, self.role, self.name = source, role, name

    def rows(self) -> Rows:
        """The rows. Raises `GradedError` if a topic or a value is missing or invalid.

        Documents may be validated only when their rows are evaluated.
        """
        raise NotImplementedError

    def table(self) -> Rows:
        """The same rows. Warns (`EmptyRunWarning`) of an empty run. Documents of qrels are `Ids`."""
        table = self.rows()
        if self.role is QRELS:
            return replace(table, docs=table.docs.ids(), source=self)  # converted once for all runs
        self.warn_if_empty(not table.values.size)
        return table

    def for_others(self) -> Any:
        """The source in a form that ir-measures' other providers read."""
        return self.source

    def intents(self) -> Rows | None:
        """The rows of qrels in the same order, with intents as `docs` and their probabilities as `values`.

        Without a column of probabilities, these are 1. None without a column of intents. Raises `GradedError`
        for a probability that is missing or invalid.
        """
        return None


class Dicts(InMemory):
    """A dict of dicts."""

    def rows(self) -> Rows:
        kind = self.role.kind
        for topic, rows in self.source.items():
            if not isinstance(rows, (dict, Mapping)):  # Mapping alone is slower
                raise GradedError(
                    f"{kind}: topic {shown(topic)} has a {type(rows).__name__}, not a dict of documents"
                )
        topics = [*stretches_of(list(self.source), f"{kind}: query_id", None).topics]
        dicts = list(self.source.values())
        docs = Keys(dicts, f"{kind}: doc_id")
        table = Rows(self.role, topics, docs.bounds, docs, np.empty(0), distinct=True)
        values = floats(self.role, [rows.values() for rows in dicts], table.location)
        return replace(table, values=values).checked()


class Columnar(InMemory):
    """Rows in columns. `integers` are the columns of ids that are integers, after the rows are read."""

    integers: tuple[str, ...] | None = None
    called: str
    """The name of the source in messages about its columns."""

    def fields(self) -> Sequence[Any]:
        """The names of all columns, also of those that are not read."""
        raise NotImplementedError

    def pieces(self, names: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """The columns with these names, piece by piece."""
        raise NotImplementedError

    def names(self) -> list[Any]:
        """The names of the columns of topics, documents and values."""
        return column_names(f"{self.role.kind}: {self.called}", self.fields(), self.role)

    def column(self, ours: str) -> Any:
        """The column that we name `ours`, None if there is none."""
        return column_name(self.role.kind, self.fields(), ours)

    def intents(self) -> Rows | None:
        if self.column("iteration") is None:
            return None
        if self.column("probability") is not None:
            return type(self)(self.source, INTENTS).rows()
        found = type(self)(self.source, replace(QRELS, item="iteration", thing="intent")).rows()
        return replace(found, values=np.ones_like(found.values))

    def rows(self) -> Rows:
        return self._grouped()

    def _grouped(self, line: np.ndarray | None = None, **facts: Any) -> Rows:
        """The rows grouped by topic. If they are from a file, `line` has their locations in it."""
        stretches, docs, values = _joined([*self._parts()])
        order, offsets = stretches.grouped(len(docs))
        if order is not None:
            if not (isinstance(docs, Cells) and docs.cells.dtype.kind == "i"):  # codes of categories
                docs = docs.ids().padded()  # padded ids are the fastest to reorder
            docs, values = docs.take(order), values.take(order)
            line = None if line is None else line[order]
        facts = {"integers": self.integers or (), **facts}
        return Rows(self.role, [*stretches.topics], offsets, docs, values, line=line, **facts).checked()

    def _parts(self) -> Iterator[Part]:
        """The topics, documents and values of each piece. Integers are ids if the first piece has some."""
        names, kind = self.names(), self.role.kind
        start, numbers = 0, TopicNumbers()
        for columns in self.pieces(names):
            for name, column in zip(names, columns):
                if is_arrow(column) and column.null_count:
                    raise GradedError(f"{kind}: row {start + column.to_pylist().index(None)} has no {name}")
            ids = dict(zip(IDS, columns))
            if self.integers is None:
                self.integers = tuple(name for name in sorted(ids) if begins_with_integer(ids[name]))
            ids |= {name: integers_as_text(ids[name]) for name in self.integers}
            topics = stretches_of(ids["query_id"], f"{kind}: {names[0]}", start, numbers)
            docs = docs_of(ids["doc_id"], f"{kind}: {names[1]}", start)
            values = self._numbers(ids["query_id"], docs, columns[2])
            yield topics, docs, -values if is_rank(names[2]) else values
            start += len(docs)

    def _numbers(self, topics: Any, docs: Rowwise, column: Any) -> np.ndarray:
        """The levels or scores of a piece as floats. Raises `GradedError` for one that is not a number."""
        numbers = numbers_of(column) if is_arrow(column) else column
        if isinstance(numbers, np.ndarray):
            return numbers.astype(np.float64, copy=False)

        def location(row: int) -> str:
            topic = docs_of(topics, "query_id")[row]  # the column is one of ids, too
            return f"{self.role.kind}: topic {shown(topic)}, {self.role.thing} {shown(docs[row])}"

        return floats(self.role, [numbers], location)

    def for_others(self) -> Any:
        """The qrels as `Qrel`, in which whole levels are ints. The iteration is "0" if there is none."""
        found: list[Qrel] = []
        iteration = self.column("iteration")
        for columns in self.pieces([*self.names(), *([] if iteration is None else [iteration])]):
            columns = [column.to_pylist() if is_arrow(column) else column for column in columns]
            topics, docs, levels, *iterations = columns
            level = np.array(levels, dtype=np.float64)
            exact = level.astype(np.int64) if is_whole(level) else level
            found += map(Qrel, map(str, topics), map(str, docs), exact.tolist(), *iterations)
        return found


class Frame(Columnar):
    """A DataFrame of pandas."""

    called = "the DataFrame"

    def fields(self) -> Sequence[Any]:
        return [*self.source.columns]

    def pieces(self, names: Sequence[Any]) -> Iterator[Sequence[Any]]:
        topics, docs, numbers, *others = (self.source[name] for name in names)
        plain = numbers.dtype.kind in "biuf"
        values = numbers.to_numpy(dtype=np.float64, na_value=np.nan) if plain else numbers.tolist()
        yield topics.array, docs.array, values, *(other.tolist() for other in others)


class Arrow(Columnar):
    """An object that exports Arrow data, or a list of these, into which ir-measures turns a stream.

    All rows are read at once: a stream can be read only once, and a query that computes the rows anew may
    return them in another order.
    """

    called = "the Arrow table"

    def __init__(self, source: Any, role: Role, name: str = ""):
        try:
            source = source if is_arrow(source) else whole_table(source)
        except (ValueError, TypeError) as error:
            reason = next(iter(str(error).splitlines()), "")
            raise GradedError(
                f"{role.kind}: cannot read the {type(source).__name__} as Arrow data: {reason}"
            ) from error
        super().__init__(source, role, name)

    def rows(self) -> Rows:
        facts = about(self.source)
        if "file" not in facts:
            return self._grouped()
        unit = next((name for name in PLACES if name in self.source.schema.names), "line")
        line = arrow_numbers(self.source.column(unit)) if unit in self.source.schema.names else None
        empty, facts["integers"] = facts.pop("empty", ()), tuple(facts.get("integers", ()))
        table = self._grouped(line, unit=unit, **facts)
        topics = dict.fromkeys([*table.topics, *empty])
        return table.of_topics({topic: number for number, topic in enumerate(topics)}) if empty else table

    def fields(self) -> Sequence[Any]:
        return self.source.schema.names

    def pieces(self, names: Sequence[Any]) -> Iterator[Sequence[Any]]:
        yield [self.source.column(name) for name in names]


class Items(Columnar):
    """An iterable of named tuples or similar objects, of plain tuples, or of dicts with names of columns.

    A plain tuple is topic, document, score or level, and in qrels perhaps the iteration.
    """

    called = "the first dict"

    def __init__(self, source: Any, role: Role, name: str = ""):
        super().__init__(source if isinstance(source, (list, tuple)) else list(source), role, name)
        self.first = next(iter(self.source), None)

    def fields(self) -> Sequence[Any]:
        if isinstance(self.first, Mapping):
            return [*self.first]
        if type(self.first) is tuple:
            return ["iteration"] * (len(self.first) > 3)
        names = chain(*NAMES["iteration"], *NAMES["probability"])
        return [name for name in names if hasattr(self.first, name)]

    def names(self) -> list[Any]:
        if isinstance(self.first, Mapping):
            return super().names()
        if type(self.first) is tuple:
            sizes = {*map(len, self.source)}
            if sizes != {3} and (self.role is RUN or sizes != {4}):
                raise GradedError(f"{self.role.kind}: each tuple is topic, document, {self.role.number}")
            return self.role.columns
        return [
            next((name for name in chain(*NAMES[ours][:2]) if hasattr(self.first, name)), ours)
            for ours in self.role.columns
        ]

    def pieces(self, names: Sequence[Any]) -> Iterator[Sequence[Any]]:
        getters = [*map(self._getter, names)]
        for start in range(0, max(len(self.source), 1), PIECE):
            piece = self.source[start : start + PIECE]
            try:
                yield [[*map(get, piece)] for get in getters]
            except (AttributeError, KeyError, TypeError) as error:
                reason = f"a dict has no key {error}" if isinstance(error, KeyError) else error
                raise GradedError(
                    f"{self.role.kind}: {reason}; each item needs the fields {_listed(self.role)}, "
                    f"as ir_measures.{self.role.row} has"
                ) from None

    def _getter(self, name: Any) -> Callable[[Any], Any]:
        """The function that returns the cell of an item in the column with this name."""
        if type(self.first) is tuple:
            return itemgetter({"query_id": 0, "doc_id": 1, "iteration": 3}.get(name, 2))
        if self.role is QRELS and name in chain(*NAMES["iteration"]):
            return iteration_of
        return itemgetter(name) if isinstance(self.first, Mapping) else attrgetter(name)


def in_memory(source: Any, role: Role, name: str = "") -> InMemory:
    """The source in its form. An iterator is kept as a list. Raises `GradedError` for any other source."""
    source = _adapted(source)
    if isinstance(source, Mapping):
        return Dicts(source, role, name)
    if hasattr(source, "itertuples"):
        return Frame(source, role, name)
    first = source[:1] if isinstance(source, (list, tuple)) else [source]
    if any(hasattr(each, "itertuples") for each in first):
        raise GradedError(f"{role.kind}: a list of DataFrames is not one table; join them with pandas.concat")
    if any(map(exports_arrow, first)):
        return Arrow(source, role, name)
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)) and not is_arrow(source):
        return Items(source, role, name)
    raise GradedError(
        f"{role.kind}: cannot read a {type(source).__name__}; give a dict of dicts, a DataFrame or Arrow "
        f"data with the columns {_listed(role)}, or an iterable of named tuples with these fields"
    )


def _adapted(source: Any) -> Any:
    """The source; those of ranx, LazyFrames of Polars, and datasets of pyarrow in a form that is read."""
    module = type(source).__module__
    if module.startswith("ranx."):
        return source.to_dict()
    if module.startswith("polars.") and hasattr(source, "collect"):
        return source.collect()
    if module in ("pyarrow._dataset", "pyarrow.dataset"):
        return (source.scanner() if hasattr(source, "scanner") else source).to_reader()
    return list(source) if isinstance(source, Iterator) and not exports_arrow(source) else source


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


def _joined(parts: Sequence[Part]) -> Part:
    """The rows of several parts as one."""
    if len(parts) == 1:
        return parts[0]
    stretches, docs, values = zip(*parts)
    starts, codes, (topics, *_) = zip(*stretches)
    return (
        Stretches(np.concatenate(starts), np.concatenate(codes), topics),
        Ids.concatenated([each.ids() for each in docs]),
        np.concatenate(values),
    )
