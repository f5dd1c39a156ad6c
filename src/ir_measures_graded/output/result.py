"""The base class of all results: a subclass declares tables, notes and a figure; every form uses these."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import GradedError, needed
from . import plots
from .files import ending_of, write_whole
from .formats import (
    FOR_PEOPLE,
    FORMATS,
    PLACES,
    TABLES,
    Cells,
    above,
    clean,
    counted,
    decimals,
    escaped_html,
    html,
    remarks,
)
from .tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Records = list[dict[str, Any]]
ROWS = 50
"""A notebook shows at most this many rows of a table."""


class Result(ABC):
    """The result of an analysis. A notebook shows the figure and the first rows of the table.

    A subclass declares `tables` or `data` or both, `summary`, `figure`, and `notes` if it has some; see
    `output.tables`.
    """

    def tables(self) -> list[Table]:
        """The tables that people read, the main one first; by default all of `data`."""
        if type(self).data is not Result.data:
            return [self.data()]
        return [Table(*cells, title) for title, cells in self.parts()]

    def data(self) -> Table:
        """The table that programs read: all values, in the same columns for every row.

        By default it is the first of `tables`.
        """
        if type(self).records is Result.records:
            return self.tables()[0]
        records = self.records()
        return Table.of(records[0], records) if records else Table(*self.table())

    def notes(self) -> Sequence[str]:
        """Sentences that a reader of the tables needs, each a `Note` if it has names."""
        return []

    def answer(self) -> Sequence[str]:
        """Sentences above the tables, for people: what the user asked for."""
        return []

    @abstractmethod
    def figure(self) -> Figure:
        """A Matplotlib figure. Raises `GradedError` if Matplotlib is not installed (extra ``plot``)."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """The content of the result in one line."""

    def table(self) -> Cells:
        """Column names and rows of the main table, for people."""
        return self.tables()[0].cells()

    def parts(self) -> list[tuple[str, Cells]]:
        """The tables for people, each with its title; the first title may be empty."""
        if type(self).tables is Result.tables and type(self).data is Result.data:
            return [("", self.table())]
        return [(table.title, table.cells()) for table in self.tables()]

    def records(self) -> list[dict[str, Any]]:
        """All values for programs: one dictionary per row, with the same keys in every row."""
        return self.data().records()

    def to_frame(self) -> DataFrame:
        """The records as a pandas DataFrame."""
        pandas = needed("pandas", "a DataFrame")

        return pandas.DataFrame(self.records())

    def table_in(self, form: str) -> Cells:
        """Column names and rows: the main table in a format for people, all values in one for programs."""
        return self.table() if form in FOR_PEOPLE else self.data().values()

    def lines(self, form: str = "text", places: int | None = None) -> list[str]:
        """The tables and notes in a format for people, or all values in one for programs (`FORMATS`).

        `places` is the number of decimals, -1 for all; by default 4, and all in JSON.
        """
        places = decimals(form, places)
        first = [*FORMATS[form](*self.table_in(form), places)]
        if form not in FOR_PEOPLE:
            return first
        return above(form, self.answer()) + first + remarks(form, self.parts()[1:], self.notes(), places)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_markdown(self, places: int = PLACES) -> str:
        """The tables and notes in Markdown; `places` is the number of decimals, -1 for all."""
        return "\n".join(self.lines("markdown", places))

    def to_latex(self, places: int = PLACES) -> str:
        """The tables and notes in LaTeX, which needs the package booktabs."""
        return "\n".join(self.lines("latex", places))

    def save(self, path: str | os.PathLike[str], places: int | None = None) -> None:
        """Write the figure or the table. The ending of `path` chooses one, as for the command's -o.

        Figures are svg, pdf or png; tables txt, md, tex, tsv, csv, json or jsonl. `places` is the number of
        decimals, -1 for all; by default all in tables for programs (tsv, csv, json, jsonl) and otherwise 4.
        Raises `GradedError` for another ending and for a file that cannot be written.
        """
        ending = ending_of(os.fspath(path))
        if ending in plots.FORMATS:
            plots.save(self.figure(), path)
            return
        if ending not in TABLES:
            allowed = ", ".join([*plots.FORMATS, *TABLES])
            raise GradedError(f"cannot write {os.fspath(path)!r}: the ending is one of {allowed}")
        form = TABLES[ending]
        places = decimals(form, places, in_file=True)
        content = {"markdown": self.to_markdown, "latex": self.to_latex}.get(form)
        text = content(places) if content else "\n".join(self.lines(form, places))
        write_whole(path, f"{text}\n".encode(errors="backslashreplace"))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {clean(self.summary)}>"

    def _repr_html_(self) -> str:
        try:
            drawing = plots.svg(self.figure(), label=self.summary)
        except GradedError as error:
            drawing = f"<p>{escaped_html(str(error))}</p>"
        columns, rows = self.table()
        table = "".join(html(columns, rows[:ROWS], PLACES))
        rest = f"<p>{ROWS} of {len(rows)} rows</p>" if len(rows) > ROWS else ""
        return (
            f"<p><b>{type(self).__name__}</b>: {escaped_html(self.summary)}</p>"
            f"<div>{drawing}</div>"
            f'<div style="overflow: auto; max-height: 30em">{table}</div>{rest}'
            + "".join(f"<p>{escaped_html(note)}</p>" for note in (*self.answer(), *self.notes()))
        )


class Grouped(Result):
    """A result over all topics, with the results over each of several `groups` of them by name."""

    topics: int
    groups: Mapping[str, Any]

    def tables_of_groups(self) -> list[Table]:
        """The tables of all groups, titled with the group."""
        named = {f"{name} ({counted(part.topics, 'topic')})": part for name, part in self.groups.items()}
        return [
            replace(table, title=f"{name}: {table.title}" if table.title else name)
            for name, part in named.items()
            for table in part.tables()
        ]

    def note_of_groups(self, what: str) -> list[str]:
        """The sentence about the tests of groups, and `what` has their correction besides p."""
        tested = sum(part.topics >= 10 for part in self.groups.values())
        text = f"Groups of at least 10 topics are tested: their p and {what} are corrected for "
        return [f"{text}{counted(tested, 'group')}."] if self.groups else []

    def with_groups(self, rows: Records, of: Callable[[Any], Records]) -> Records:
        """Records over all topics, followed by those `of` each group if there are any."""
        if not self.groups:
            return rows
        parts = [(None, rows), *((name, of(part)) for name, part in self.groups.items())]
        return [{"group": name, **row} for name, part in parts for row in part]
