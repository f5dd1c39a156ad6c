"""The base class of all results: a table, records, a data frame, a figure, and a view in notebooks."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import GradedError
from . import plots
from .files import ending_of, write_whole
from .formats import FOR_PEOPLE, FORMATS, PLACES, TABLES, Table, counted, html, remarks, rows_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Records = list[dict[str, Any]]
ROWS = 50
"""A notebook shows at most this many rows of a table."""


class Result(ABC):
    """The result of an analysis. A notebook shows the figure and the first rows of the table."""

    @abstractmethod
    def table(self) -> Table:
        """Column names and rows for people."""

    def parts(self) -> list[tuple[str, Table]]:
        """The table, then further ones, each with its title; the first title may be empty."""
        return [("", self.table())]

    def notes(self) -> list[str]:
        """Sentences that a reader of the tables needs."""
        return []

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """All values for programs: one dictionary per row, with the same keys in every row."""

    @abstractmethod
    def figure(self) -> Figure:
        """A Matplotlib figure. Raises `GradedError` if Matplotlib is not installed (extra ``plot``)."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """The content of the result in one line."""

    def to_frame(self) -> DataFrame:
        """The records as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.records())

    def table_in(self, form: str) -> Table:
        """Column names and rows: the table in a format for people, the records in one for programs."""
        records = () if form in FOR_PEOPLE else self.records()
        return rows_of(records) if records else self.table()

    def lines(self, form: str = "text", places: int = PLACES) -> list[str]:
        """The tables and notes in a format for people, or the records in one for programs (`FORMATS`)."""
        first = [*FORMATS[form](*self.table_in(form), places)]
        return first + (remarks(form, self.parts()[1:], self.notes(), places) if form in FOR_PEOPLE else [])

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_markdown(self, places: int = PLACES) -> str:
        """The tables and notes in Markdown; `places` is the number of decimals, -1 for all."""
        return "\n".join(self.lines("markdown", places))

    def to_latex(self, places: int = PLACES) -> str:
        """The tables and notes in LaTeX, which needs the package booktabs."""
        return "\n".join(self.lines("latex", places))

    def save(self, path: str | os.PathLike[str], places: int = PLACES) -> None:
        """Write the figure or the table. The ending of `path` chooses one, as for the command's -o.

        Figures are svg, pdf or png; tables txt, md, tex, tsv, csv, json or jsonl. Raises `GradedError` for
        another ending and for a file that cannot be written.
        """
        ending = ending_of(os.fspath(path))
        if ending in plots.FORMATS:
            plots.save(self.figure(), path)
        elif ending not in TABLES:
            allowed = ", ".join([*plots.FORMATS, *TABLES])
            raise GradedError(f"cannot write {os.fspath(path)!r}: the ending is one of {allowed}")
        else:
            content = {"md": self.to_markdown, "tex": self.to_latex}.get(ending)
            text = content(places) if content else "\n".join(self.lines(TABLES[ending], places))
            write_whole(path, f"{text}\n".encode(errors="backslashreplace"))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary}>"

    def _repr_html_(self) -> str:
        from html import escape  # This import takes time.

        try:
            drawing = plots.svg(self.figure(), label=self.summary)
        except GradedError as error:
            drawing = f"<p>{escape(str(error))}</p>"
        columns, rows = self.table()
        table = "".join(html(columns, rows[:ROWS], PLACES))
        rest = f"<p>{ROWS} of {len(rows)} rows</p>" if len(rows) > ROWS else ""
        return (
            f"<p><b>{type(self).__name__}</b>: {escape(self.summary)}</p>"
            f"<div>{drawing}</div>"
            f'<div style="overflow: auto; max-height: 30em">{table}</div>{rest}'
            + "".join(f"<p>{escape(note)}</p>" for note in self.notes())
        )


class Grouped(Result):
    """A result over all topics, with the results over each of several `groups` of them by name."""

    topics: int
    groups: Mapping[str, Any]

    def parts_of_groups(self) -> list[tuple[str, Table]]:
        """The tables of all groups, titled with the group."""
        return [
            (f"{name} ({counted(part.topics, 'topic')}){f': {title}' * bool(title)}", table)
            for name, part in self.groups.items()
            for title, table in part.parts()
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
