"""What a result declares: columns, tables and notes.

A `Table` has `Column`s and rows of plain values. Programs read the names of the columns and all
values. People read headings, and cells that the `kind` of a column makes of its values:

>>> from ir_measures_graded.output.formats import text
>>> mean_rank = Column("mean_rank", kind=lambda rank: f"{rank:.1f}")
>>> table = Table([Column("run"), mean_rank], [["bm25", 1.25]])
>>> table.records()
[{'run': 'bm25', 'mean_rank': 1.25}]
>>> print(*text(*table.cells()), sep="\\n")
run   mean rank
bm25  1.2

A `Note` is a sentence whose names and numbers stand apart from its text. Every format escapes
tables, titles and notes, so a result only declares them and never escapes a name itself:

>>> Note("{} lacks {} topics.", "bm25\\x1b[2J", 3)
'bm25 [2J lacks 3 topics.'

To declare a result, subclass `Result` and define `tables`, `answer`, whose first sentence is the
`summary` and which every format for people begins with, and `figure` and `notes` if it has some.
`Result` derives `table`, `records`, `to_frame`, `lines`, `save` and the view in notebooks from
them. Programs read all columns of the first table. Define `data` if they should read something
else, such as more columns, of which `select` takes some for people. A result with a single table
defines `data` or `tables`.

    def data(self) -> Table:
        return Table.of(("topic", "document", Column("p", kind=PValue)), records)

    def tables(self) -> list[Table]:
        return [self.data().select("topic", "p"), Table(("run", "mean"), rows, title="Means")]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import needed
from .formats import (
    FOR_PEOPLE,
    FORMATS,
    Cells,
    clean,
    known,
    sentences,
    text_rows,
    text_that_fits,
    wrapped,
)

if TYPE_CHECKING:
    from pandas import DataFrame


TYPESET = ("markdown", "latex")
"""The formats of tables that are pasted elsewhere."""


class Column:
    """A column of a table.

    - `name`: the key in records.
    - `heading`: what people read above the column; by default the name with blanks for underscores.
    - `kind`: makes the cell that people read from a value, such as a shortened text or a p-value
      with its bound; None leaves the value. An empty cell (None) stays empty.
    """

    def __init__(self, name: str, heading: str = "", kind: Callable[[Any], Any] | None = None):
        self.name = name
        self.heading = heading
        self.kind = kind

    @property
    def title(self) -> str:
        """What people read above the column."""
        return self.heading or self.name.replace("_", " ")

    def cell(self, value: Any) -> Any:
        """What people read for a value."""
        if self.kind is None or value is None:
            return value
        return self.kind(value)


@dataclass(eq=False, repr=False)
class Table:
    """Columns, rows of as many values, and a title, which may be empty.

    A column without heading and kind can be given as its name, which people read as it is. Without
    `head`, the formats text and tsv omit the line of headings, and text wraps the last column.
    If lines of text are too short for the table, `narrower` stands for it: another table, or
    several with their titles.

    >>> Table(["run", "mean"], [["bm25", 0.5, 0.1]])
    Traceback (most recent call last):
    ...
    ValueError: row 0 has 3 cells for 2 columns: ['bm25', 0.5, 0.1]
    """

    columns: Sequence[Column | str]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    head: bool = True
    narrower: Table | Sequence[Table] | None = None

    def __post_init__(self) -> None:
        width = len(self.columns)
        if set(map(len, self.rows)) <= {width}:
            return
        for number, row in enumerate(self.rows):
            if len(row) != width:
                raise ValueError(f"row {number} has {len(row)} cells for {width} columns: {row!r}")

    @classmethod
    def of(
        cls, columns: Iterable[Column | str], records: Iterable[Mapping[str, Any]], title: str = ""
    ) -> Table:
        """The table of the entries that records have for these columns."""
        empty = cls(list(columns), [], title)
        names = [head.name for head in empty.heads]
        rows = [[record[name] for name in names] for record in records]
        return replace(empty, rows=rows)

    @classmethod
    def of_arrays(
        cls, axes: Mapping[str, Sequence[Any]], arrays: Mapping[str, np.ndarray], title: str = ""
    ) -> Table:
        """A row for each cell of some arrays: its labels on the axes, then the cells, None for NaN.

        >>> runs, topics, values = ["bm25"], ["1", "2"], np.array([[0.25, np.nan]])
        >>> Table.of_arrays({"run": runs, "topic": topics}, {"AP": values}).rows
        [['bm25', '1', 0.25], ['bm25', '2', None]]
        """
        columns_of_cells = [known(array.ravel()) for array in arrays.values()]
        rows_of_cells = zip(*columns_of_cells, strict=True)
        rows_of_labels = product(*axes.values())
        rows = [
            [*labels, *cells] for labels, cells in zip(rows_of_labels, rows_of_cells, strict=True)
        ]
        return cls([*axes, *arrays], rows, title)

    @property
    def heads(self) -> list[Column]:
        """The columns, also those that are given as a name."""
        heads: list[Column] = []
        for column in self.columns:
            if isinstance(column, str):
                heads.append(Column(column, heading=column))
            else:
                heads.append(column)
        return heads

    def select(self, *names: str) -> Table:
        """The columns with these names, in this order."""
        own_names = [head.name for head in self.heads]
        positions = [own_names.index(name) for name in names]
        columns = [self.columns[position] for position in positions]
        rows = list(zip(*(self._values_at(position) for position in positions), strict=True))
        return replace(self, columns=columns, rows=rows)

    def _values_at(self, position: int) -> list[Any]:
        """The values of a column."""
        return list(map(itemgetter(position), self.rows))

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per row, from the names of the columns to the values."""
        names = [head.name for head in self.heads]
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def to_frame(self) -> DataFrame:
        """The records as a pandas DataFrame."""
        pandas = needed("pandas", "a DataFrame")
        names = [head.name for head in self.heads]
        return pandas.DataFrame(self.records(), columns=names)

    def values(self) -> Cells:
        """The names of the columns and the rows, for programs."""
        names = [head.name for head in self.heads]
        return names, [list(row) for row in self.rows]

    def cells(self) -> Cells:
        """The headings of the columns and the rows, for people."""
        heads = self.heads
        return [head.title for head in heads], list(map(list, self._rows_for_people()))

    def with_ends(self) -> Table:
        """The same table, in which a value with the ends of its interval has three columns.

        >>> from typing import NamedTuple
        >>> Ends = NamedTuple("Ends", [("value", float), ("lower", float), ("upper", float)])
        >>> table = Table(["judge", Column("kappa", "kappa (95 % interval)", str)], [])
        >>> replace(table, rows=[["llm", Ends(0.5, 0.25, 0.75)]]).with_ends().cells()
        (['judge', 'kappa (95 % interval)', 'lower', 'upper'], [['llm', 0.5, 0.25, 0.75]])
        """
        columns: list[Column | str] = []
        values: list[list[Any]] = []
        for position, head in enumerate(self.heads):
            cells = self._values_at(position)
            if not self._has_ends_at(position):
                columns.append(self.columns[position])
                values.append(cells)
                continue
            columns += [Column(head.name, head.title), "lower", "upper"]
            for part in ("value", "lower", "upper"):
                values.append([getattr(cell, part, None) for cell in cells])
        return replace(self, columns=columns, rows=list(zip(*values, strict=True)))

    def _has_ends_at(self, position: int) -> bool:
        """Whether a column, whose kind makes text of them, has values with their ends."""
        column = self.columns[position]
        if isinstance(column, str) or column.kind is None:
            return False
        return any(map(_has_ends, self._values_at(position)))

    def _rows_for_people(self) -> Sequence[Sequence[Any]]:
        """The rows with the cells that people read."""
        heads = self.heads
        if all(head.kind is None for head in heads):
            return self.rows
        cells: list[list[Any]] = []
        for position, head in enumerate(heads):
            values = self._values_at(position)
            if head.kind is not None:
                has_empty_cell = type(None) in set(map(type, values))
                to_cell = head.cell if has_empty_cell else head.kind
                values = list(map(to_cell, values))
            cells.append(values)
        return list(zip(*cells, strict=True))

    def lines(self, form: str, places: int) -> Iterator[str]:
        """The table in a format, with `cells` for people and `values` for programs.

        Text alone has a value and its interval in one cell.
        """
        if form in TYPESET and any(map(self._has_ends_at, range(len(self.columns)))):
            return self.with_ends().lines(form, places)
        if form in FOR_PEOPLE:
            columns = [head.title for head in self.heads]
            rows = self._rows_for_people()
        else:
            columns = [head.name for head in self.heads]
            rows = self.rows
        if form == "text" and self.narrower is not None:
            lines = text_that_fits(columns, rows, places)
            if lines is None:
                return _in_turn(self.narrower, form, places)
            if self.head:
                return lines
        if self.head or form not in ("text", "tsv"):
            return FORMATS[form](columns, rows, places)
        no_headings = [""] * len(columns)
        if form == "text":
            in_lines = islice(text_rows(no_headings, wrapped(rows), places), 1, None)
            return chain.from_iterable(in_lines)
        return islice(FORMATS[form](no_headings, rows, places), 1, None)


def _has_ends(cell: Any) -> bool:
    """Whether a cell is a value with the ends of its interval."""
    return isinstance(cell, tuple) and {"value", "lower", "upper"} <= set(
        getattr(cell, "_fields", ())
    )


class Note(str):
    """A sentence in one line: `text`, a format string, with `names`.

    The names are names, numbers or measures.

    >>> note = Note("{} is better than {} with p < {:g}.", "a{b}", "c", 0.05)
    >>> note, note.names
    ('a{b} is better than c with p < 0.05.', ('a{b}', 'c', 0.05))
    """

    text: str
    names: tuple[Any, ...]

    def __new__(cls, text: str, *names: Any) -> Note:
        """The sentence; control characters in names become blanks."""
        sentence = text.format(*names) if names else text
        note = super().__new__(cls, clean(sentence))
        note.text = text
        note.names = names
        return note


def _in_turn(tables: Table | Sequence[Table], form: str, places: int) -> Iterator[str]:
    """The lines of a table, or of several, each below its title."""
    if isinstance(tables, Table):
        yield from tables.lines(form, places)
        return
    for number, table in enumerate(tables):
        if number:
            yield ""
        yield from sentences(form, [table.title])
        yield from table.lines(form, places)
