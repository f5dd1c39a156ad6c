"""Qrels and runs in memory: one class for each form reads it into a `Rows`.

The classes keep columns in their storage format; items of a list and batches of Arrow data are read in
pieces. Ids are converted to bytes (`Ids`) when a block of rows needs them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
from ir_measures import Qrel

from ..by_topic import bounds_of
from ..errors import GradedError, shown
from .arrow import arrow_numbers, exports_arrow, is_arrow, numbers_of, record_batches, stable_order
from .columns import INTENTS, NAMES, QRELS, RUN, Role, column_name, column_names, is_rank
from .id_columns import (
    Cells,
    Keys,
    Rowwise,
    Stretches,
    docs_of,
    integers_as_text,
    joined_stretches,
    stretches_of,
)
from .id_matching import PIECE, Ids
from .rows import PLACES, Rows, RunSource, about, floats

Source = Any
"""Qrels or a run: a dict of dicts, a DataFrame, an export of Arrow, or an iterable of tuples or dicts."""
# The names of the columns of topics, documents and values, and these columns; a fourth has iterations.
Columns = tuple[Sequence[str], Sequence[Any]]
# The topics, documents and values of some rows. Stretches start at rows of the whole source.
Part = tuple[Stretches, Rowwise, np.ndarray]


class InMemory(RunSource, ABC):
    """Qrels or a run in memory. `name` is its name in warnings. A run is a `RunSource`."""

    def __init__(self, source: Any, role: Role, name: str = ""):
        self.source, self.role, self.name = source, role, name

    @abstractmethod
    def rows(self) -> Rows:
        """The rows. Raises `GradedError` if a topic or a value is missing or invalid.

        Documents may be validated only when their rows are evaluated.
        """

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
        topics = stretches_of(list(self.source), f"{kind}: query_id", None).names
        dicts = list(self.source.values())
        docs = Keys(dicts, f"{kind}: doc_id")
        table = Rows(self.role, topics, docs.bounds, docs, np.empty(0), distinct=True)
        values = floats(self.role, [rows.values() for rows in dicts], table.location)
        return replace(table, values=values).checked()


class Columnar(InMemory):
    """Rows in columns. `integers` are the columns of ids that are integers, after the rows are read."""

    integers: frozenset[str] | None = None

    @abstractmethod
    def fields(self) -> Sequence[Any]:
        """The names of all columns, also of those that are not read."""

    @abstractmethod
    def pieces(self, iterations: bool = False) -> Iterator[Columns]:
        """The columns of all rows, piece by piece, with a column of `iterations` if wanted."""

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
        parts = [*self._parts()]
        stretches, docs, values = parts[0] if len(parts) == 1 else _joined(parts)
        codes, sizes = stretches.code, None
        if codes.size < len(docs):
            sizes = np.diff(stretches.start, append=len(docs))
        offsets = bounds_of(np.bincount(codes, sizes, minlength=len(stretches.names)))
        if (codes[1:] < codes[:-1]).any():  # the rows are not in the order of the topics
            order = stable_order(codes if sizes is None else np.repeat(codes, sizes))
            if not (isinstance(docs, Cells) and docs.cells.dtype.kind == "i"):  # codes of categories
                docs = docs.ids().padded()  # padded ids are the fastest to reorder
            docs, values = docs.take(order), values.take(order)
            line = None if line is None else line[order]
        facts = {"integers": tuple(sorted(self.integers or ())), **facts}
        return Rows(self.role, stretches.names, offsets, docs, values, line=line, **facts).checked()

    def _parts(self) -> Iterator[Part]:
        """The topics, documents and values of each piece. Integers are ids if the first piece has some."""
        start, kind = 0, self.role.kind
        for names, columns in self.pieces():
            for name, column in zip(names[:3], columns):
                if is_arrow(column) and column.null_count:
                    raise GradedError(f"{kind}: row {start + column.to_pylist().index(None)} has no {name}")
            ids = dict(zip(("query_id", "doc_id"), columns))
            texts = {name: integers_as_text(column) for name, column in ids.items()}
            if self.integers is None:
                self.integers = frozenset(name for name, column in texts.items() if column is not None)
            ids |= {name: texts[name] for name in self.integers if texts[name] is not None}
            topics = stretches_of(ids["query_id"], f"{kind}: {names[0]}", start)
            docs = docs_of(ids["doc_id"], f"{kind}: {names[1]}", start)
            values = self._numbers(topics, docs, columns[2])
            values = -values if is_rank(names[2]) else values
            yield replace(topics, start=topics.start + start), docs, values
            start += len(docs)

    def _numbers(self, topics: Stretches, docs: Rowwise, column: Any) -> np.ndarray:
        """The levels or scores of a piece as floats. Raises `GradedError` for one that is not a number."""
        numbers = numbers_of(column) if is_arrow(column) else column
        if isinstance(numbers, np.ndarray):
            return numbers.astype(np.float64, copy=False)

        def location(row: int) -> str:
            code = topics.code[np.searchsorted(topics.start, row, side="right") - 1]
            item = f"{self.role.thing} {shown(docs[row])}"
            return f"{self.role.kind}: topic {shown(topics.names[code])}, {item}"

        return floats(self.role, [numbers], location)

    def for_others(self) -> Any:
        """The qrels as `Qrel`, in which whole levels are ints. The iteration is "0" if there is none."""
        found: list[Qrel] = []
        for _, columns in self.pieces(iterations=True):
            columns = [column.to_pylist() if is_arrow(column) else column for column in columns]
            topics, docs, levels, iterations = (*columns, repeat("0"))[:4]
            level = np.array(levels, dtype=np.float64)
            exact = level.astype(np.int64) if is_whole(level) else level
            found += map(Qrel, map(str, topics), map(str, docs), exact.tolist(), iterations)
        return found


class Frame(Columnar):
    """A DataFrame of pandas."""

    def fields(self) -> Sequence[Any]:
        return [*self.source.columns]

    def pieces(self, iterations: bool = False) -> Iterator[Columns]:
        names = column_names(f"{self.role.kind}: the DataFrame", self.fields(), self.role)
        topics, docs, numbers = (self.source[name] for name in names)
        plain = numbers.dtype.kind in "biuf"
        values = numbers.to_numpy(dtype=np.float64, na_value=np.nan) if plain else numbers.tolist()
        name = self.column("iteration") if iterations else None
        yield (
            names,
            [topics.array, docs.array, values, *([] if name is None else [self.source[name].tolist()])],
        )


class Arrow(Columnar):
    """An object that exports Arrow data, or a list of these, into which ir-measures turns a stream.

    A stream that can be read only once is kept. Qrels are kept too, because a query that computes them anew
    may return their rows in another order.
    """

    def __init__(self, source: Any, role: Role, name: str = ""):
        super().__init__(source, role, name)
        computed = not (isinstance(source, (list, tuple)) or is_arrow(source))
        if isinstance(source, Iterator) or (role is QRELS and computed):
            self.source = [*self._batches()]

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
        return next((rows.schema.names for rows in self._batches()), [])

    def pieces(self, iterations: bool = False) -> Iterator[Columns]:
        others = [self.column("iteration")] if iterations and self.column("iteration") else []
        for rows in self._batches():
            names = column_names(f"{self.role.kind}: the Arrow table", rows.schema.names, self.role)
            yield names, [rows.column(rows.schema.names.index(name)) for name in [*names, *others]]

    def _batches(self) -> Iterator[Any]:
        if isinstance(self.source, (list, tuple)) or is_arrow(self.source):
            yield from [self.source] if is_arrow(self.source) else self.source
            return
        try:
            yield from record_batches(self.source)
        except (ValueError, TypeError) as error:
            reason = next(iter(str(error).splitlines()), "")
            raise GradedError(
                f"{self.role.kind}: cannot read the {type(self.source).__name__} as Arrow data: {reason}"
            ) from error


class Items(Columnar):
    """An iterable of named tuples or similar objects, of plain tuples, or of dicts with names of columns.

    A plain tuple is topic, document, score or level, and in qrels perhaps the iteration.
    """

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

    def pieces(self, iterations: bool = False) -> Iterator[Columns]:
        names, getters = self._cells()
        getters += [iteration_of] * (iterations and type(self.first) is not tuple)
        for start in range(0, len(self.source), PIECE):
            piece = self.source[start : start + PIECE]
            try:
                yield names, [[*map(get, piece)] for get in getters]
            except (AttributeError, KeyError, TypeError) as error:
                reason = f"a dict has no key {error}" if isinstance(error, KeyError) else error
                raise GradedError(
                    f"{self.role.kind}: {reason}; each item needs the fields {_listed(self.role)}, "
                    f"as ir_measures.{self.role.row} has"
                ) from None

    def _cells(self) -> tuple[Sequence[str], list[Any]]:
        """The names of the cells of an item, and functions that return them."""
        columns = self.role.columns
        if isinstance(self.first, Mapping):
            keys = column_names(f"{self.role.kind}: the first dict", [*self.first], self.role)
            return keys, [*map(itemgetter, keys)]
        if type(self.first) is tuple:
            sizes = {*map(len, self.source)}
            if sizes != {3} and (self.role is RUN or sizes != {4}):
                raise GradedError(f"{self.role.kind}: each tuple is topic, document, {self.role.number}")
            positions = [{"doc_id": 1, "iteration": 3}.get(name, 2) for name in columns[1:]]
            return columns, [*map(itemgetter, (0, *positions, *range(3, max(sizes))))]
        names = [
            next((name for name in chain(*NAMES[ours][:2]) if hasattr(self.first, name)), ours)
            for ours in columns
        ]
        return names, [*map(attrgetter, names)]


def in_memory(source: Any, role: Role, name: str = "") -> InMemory:
    """The source in its form. An iterator is kept as a list. Raises `GradedError` for any other source."""
    source = _adapted(source)
    if isinstance(source, Mapping):
        return Dicts(source, role, name)
    if hasattr(source, "itertuples"):
        return Frame(source, role, name)
    if any(map(exports_arrow, source[:1] if isinstance(source, (list, tuple)) else [source])):
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
    stretches, docs, values = zip(*parts) if parts else ((), (), ())
    rows = Ids.concatenated([each.ids() for each in docs])
    return joined_stretches(stretches), rows, np.concatenate([np.empty(0), *values])
