"""Rows that are Python objects, such as named tuples: their columns, read piece by piece.

An item and its cells are spread over memory. A piece is converted while it is in the processor
cache; one column of all items after the other would read the memory several times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

import numpy as np
from ir_measures import Qrel

from ...errors import GradedError
from ..by_topic import BLOCK
from .floats import floats
from .id_columns import NO_ID, Repeated, Stretches, TopicNumbers
from .id_matching import Ids
from .roles import Role

PIECE = 1 << 11  # items
SAMPLE = 1 << 5  # topics of a piece that tell whether rows of a topic follow each other
MOST_CHANGES = 1 << 2  # of topic in the sample, up to which groups are read one by one
FIELD = type(Qrel.query_id)
"""The type of the fields of named tuples."""

Getters = Mapping[Any, Callable[[Any], Any]]
"""For the name of each column, the function that returns the cell of an item."""


def cells_of(
    items: Sequence[Any],
    getters: Getters,
    role: Role,
    names: Sequence[Any],
    intents: Mapping[str, Any],
) -> dict[Any, Any] | None:
    """The columns of topics, documents and values, which have the `names`: stretches, `Ids` and
    floats. `intents` has the names of those columns of `INTENTS` that there are.

    None if a cell is not as it should be, or if an item lacks it.

    >>> from ir_measures_graded.core.rows.roles import QRELS
    >>> rows = [Qrel("q1", "d1", 1), Qrel("q1", "d2", 0)]
    >>> getters = dict.fromkeys(Qrel._fields)
    >>> cells = cells_of(rows, getters, QRELS, ["query_id", "doc_id", "relevance"], {})
    >>> list(cells["doc_id"]), cells["relevance"]
    (['d1', 'd2'], array([1., 0.]))
    """
    topics = _Topics()
    documents = _Documents()
    values = _Numbers(role)
    further = [_Cells() for _ in intents]
    try:
        for columns in _pieces(items, getters, [*names, *intents.values()]):
            topics.add(columns[0])
            documents.add(columns[1])
            values.add(columns[2])
            for cells, piece in zip(further, columns[3:], strict=True):
                cells.add(piece)
        read: dict[Any, Any] = {
            names[0]: topics.stretches(),
            names[1]: documents.ids(),
            names[2]: values.floats(),
        }
    except (*NO_ID, GradedError, AttributeError, KeyError, IndexError):
        return None
    for name, cells in zip(intents.values(), further, strict=True):
        read[name] = cells.column()
    return read


def _pieces(
    items: Sequence[Any], getters: Getters, names: Sequence[Any]
) -> Iterator[list[list[Any]]]:
    """The cells of the columns of some items after the other."""
    kind = type(items[0])
    places = _places(kind, names)
    width = len(items[0]) if places else 0
    for start in range(0, len(items), PIECE):
        piece = items[start : start + PIECE]
        if places and list(map(type, piece)).count(kind) == len(piece):
            cells = list(chain.from_iterable(piece))
            if len(cells) == width * len(piece):
                yield [cells[place::width] for place in places]
                continue
        yield [list(map(getters[name], piece)) for name in names]


def _places(kind: type, names: Sequence[Any]) -> list[int]:
    """The places of fields in named tuples of this kind; empty for items of another kind.

    The iteration over tuples takes less time than to get each of their fields.
    """
    fields = getattr(kind, "_fields", ())
    is_tuple = issubclass(kind, tuple) and kind.__iter__ is tuple.__iter__
    if not is_tuple or not all(type(getattr(kind, name, None)) is FIELD for name in names):
        return []
    return [fields.index(name) for name in names]


class _Topics:
    """A column of topics, which are added piece by piece, as stretches."""

    def __init__(self) -> None:
        self.topics: list[Any] = []
        self.sizes: list[int] = []

    def add(self, topics: list[Any]) -> None:
        """Add the topics of the next rows. Raises `TypeError` if they cannot be compared."""
        first_topics = topics[:SAMPLE]
        changes = sum(map(str.__ne__, first_topics[1:], first_topics))
        if changes > MOST_CHANGES:
            self.topics += topics
            self.sizes += [1] * len(topics)
            return
        for topic, rows in groupby(topics):
            self.topics.append(topic)
            self.sizes.append(len(list(rows)))

    def stretches(self) -> Stretches:
        """All topics. Raises an error of `NO_ID` if one is no id."""
        numbers = TopicNumbers()
        code = numbers.codes(self.topics)
        sizes = np.array(self.sizes)
        return Stretches(np.cumsum(sizes) - sizes, code, numbers)


class _Documents:
    """A column of documents, which are added piece by piece, as ids.

    A block of them is converted at once: its arrays are not so large that the system has to supply
    memory anew for each run.
    """

    def __init__(self) -> None:
        self.parts: list[Ids] = []
        self.lines: list[bytes] = []
        self.count = 0

    def add(self, documents: list[Any]) -> None:
        """Add the next documents. Raises an error of `NO_ID` if one is no text, or has a line
        break.
        """
        self.lines.append("\n".join(documents).encode())
        self.count += len(documents)
        if self.count >= BLOCK:
            self._convert()

    def _convert(self) -> None:
        ids = Ids.of_lines(self.lines, self.count)
        if ids is None:
            raise TypeError
        self.parts.append(ids)
        self.lines.clear()
        self.count = 0

    def ids(self) -> Ids:
        """All documents, as `add`."""
        if self.lines:
            self._convert()
        return Ids.concatenated(self.parts)


class _Numbers:
    """Levels or scores, which are added piece by piece, as floats, like `_Documents`."""

    def __init__(self, role: Role):
        self.role = role
        self.parts: list[np.ndarray] = []
        self.numbers: list[Any] = []

    def add(self, numbers: list[Any]) -> None:
        """Add the next numbers. Raises `GradedError` if one is no number."""
        self.numbers += numbers
        if len(self.numbers) >= BLOCK:
            self._convert()

    def _convert(self) -> None:
        self.parts.append(floats(self.role, [self.numbers], str))
        self.numbers.clear()

    def floats(self) -> np.ndarray:
        """All numbers. Raises `GradedError` if one is no number."""
        self._convert()
        return np.concatenate(self.parts)


class _Cells:
    """A column of intents or their probabilities. The intent of most qrels is the same text in all
    rows.
    """

    def __init__(self) -> None:
        self.cells: list[Any] = []
        self.same: Any = None
        self.count = 0

    def add(self, cells: list[Any]) -> None:
        if not self.count:
            self.same = cells[0]
        is_same = type(self.same) is str and cells.count(self.same) == len(cells)
        if not is_same:
            if self.same is not None:
                self.cells = [self.same] * self.count
            self.same = None
            self.cells += cells
        self.count += len(cells)

    def column(self) -> Any:
        return self.cells if self.same is None else Repeated(self.same, self.count)
