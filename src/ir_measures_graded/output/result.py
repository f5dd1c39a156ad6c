"""The base class of all results: a table, records, a data frame, a figure, and a view in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ..errors import GradedError
from . import plots
from .formats import PLACES, Table, html

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

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

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary}>"

    def _repr_html_(self) -> str:
        from html import escape  # takes time

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
