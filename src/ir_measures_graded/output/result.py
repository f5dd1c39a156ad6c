"""The base class of all results.

A subclass declares tables, notes and a figure; every form uses these.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..arguments import text
from ..errors import GradedError, Remark, shown
from . import figures
from .files import checked_ending, ending_of, write_whole
from .formats import (
    EXCEL,
    FOR_PEOPLE,
    FORMATS,
    PLACES,
    TABLES,
    Cells,
    clean,
    decimals,
    escaped_html,
    html,
    listed,
    sentences,
)
from .remarks import merged
from .tables import Note, Table
from .width import of_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

MEANT = {
    **dict.fromkeys(("draw", "plot", "show"), "figure()"),
    **dict.fromkeys(("dataframe", "df", "to_dataframe", "to_df", "to_pandas"), "to_frame()"),
    **dict.fromkeys(("per_query", "by_query", "per_topic", "perquery"), "to_frame()"),
    **dict.fromkeys(("p", "p_value", "p_values", "pvalue", "pvalues"), "to_frame(), which has p"),
    **dict.fromkeys(("best", "leaderboard", "ranking", "sort"), "best_first()"),
    "passed": "holds",
    "to_csv": "save('FILE.csv')",
    "to_excel": "save('FILE.xlsx')",
    "to_html": "save('FILE.md') or to_markdown(), or report(…).save('FILE.html')",
    "to_json": "save('FILE.json')",
    "write": "save('FILE')",
}
"""Names of attributes in other tools, and what to write in their place."""
ROWS = 50
"""A notebook shows at most this many rows of a table."""


class Result:
    """The result of an analysis. A notebook shows the figure and the first rows of the table.

    A subclass declares `tables` or `data` or both, `answer` or `summary`, and `figure` and `notes`
    if it has some; see `output.tables`. `remarks` are the unusual properties of the input.
    """

    remarks: tuple[Remark, ...] = ()
    OTHER_FRAMES: ClassVar[str] = ""
    """What else has a DataFrame, as the end of a message."""

    if not TYPE_CHECKING:  # which would allow any name

        def __getattr__(self, name: str) -> Any:
            """Raise `AttributeError`; for a usual name of another tool it tells ours."""
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            ours = MEANT.get(name, "")
            if ours and hasattr(type(self), ours.partition("(")[0]):
                text += f"; write {ours}"
            # With the name and the object, Python suggests similar names.
            raise AttributeError(text, name=name, obj=self)

    def tables(self) -> list[Table]:
        """The tables that people read, the main one first; by default all of `data`."""
        return [self.data()]

    def data(self) -> Table:
        """The table that programs read: all values, in the same columns for every row.

        By default it is the first of `tables`.
        """
        return self.tables()[0]

    def notes(self) -> Sequence[str]:
        """Sentences that a reader of the tables needs, each a `Note` if it has names."""
        return []

    def remark_notes(self) -> Sequence[str]:
        """The remarks on the input as sentences.

        Every format for people shows them below the notes.
        """
        return [Note("{}.", remark) for remark in merged(self.remarks)]

    def sentences(self) -> list[str]:
        """The answer, the notes and the remarks, for a file that has them apart from the table."""
        return [*self.answer(), *self.notes(), *self.remark_notes()]

    def answer(self) -> Sequence[str]:
        """Sentences above the tables, for people, the answer to the user's question first."""
        return []

    @property
    def summary(self) -> str:
        """The answer in one sentence.

        It is the first of `answer`, or the content of a result without one.
        """
        return str(self.answer()[0])

    def figure(self, *, title: str = "") -> Figure:
        """A Matplotlib figure, with the answer or another sentence as its title.

        Raises `GradedError` if there is none, and without the extra ``plot``.
        """
        raise GradedError(
            f"a result of the kind {type(self).__name__} has no figure; save its table"
        )

    def drawing(self, said_above: str = "") -> Figure | str | None:
        """The figure, or the reason why it cannot be drawn; None if there is none.

        The figure does not repeat as its title what is `said_above` it.
        """
        try:
            if type(self).figure is Result.figure:
                return None
            with figures.said_above(said_above):
                return self.figure()
        except GradedError as error:  # for example without Matplotlib
            return str(error)

    def table(self) -> Cells:
        """Column names and rows of the main table, for people."""
        return self.tables()[0].cells()

    def records(self) -> list[dict[str, Any]]:
        """All values for programs: one dictionary per row, with the same keys in every row."""
        return self.data().records()

    def to_frame(self, what: str = "") -> DataFrame:
        """The records as a pandas DataFrame. A comparison has several, of which `what` names one.

        Raises `GradedError`, which names what there is, for the name of another one.
        """
        if text("what", what):
            columns = [head.name for head in self.data().heads]
            raise GradedError(
                f"{type(self).__name__}.to_frame() has one table, with the columns "
                f"{listed(columns)}{self.OTHER_FRAMES}"
            )
        return self.data().to_frame()

    def lines(self, form: str = "text", places: int | None = None) -> list[str]:
        """The tables and notes in a format for people, or all values in one for programs.

        `places` is the number of decimals, -1 for all; by default 4, and all in JSON.
        """
        if not isinstance(form, str) or form not in FORMATS:
            formats = ", ".join(FORMATS)
            raise GradedError(f"{shown(form)} is not a format; the formats are {formats}")
        places = decimals(form, places)
        if form not in FOR_PEOPLE:
            return list(self.data().lines(form, places))
        lines: list[str] = []
        answer = self.answer()
        if answer:
            lines += sentences(form, answer)
        for number, table in enumerate(self.tables()):
            if lines:
                lines.append("")
            if number:
                lines += sentences(form, [table.title])
                if form == "markdown":
                    lines.append("")
            lines += table.lines(form, places)
        notes = [*self.notes(), *self.remark_notes()]
        if notes:
            lines += ["", *sentences(form, notes)]
        return lines

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

        Figures are svg, pdf or png; tables txt, md, tex, tsv, csv, json, jsonl or xlsx. `places` is
        the number of decimals, -1 for all; by default all in tables for programs (tsv, csv, json,
        jsonl) and otherwise 4. An Excel file (xlsx) has all decimals, and a sheet of notes. Raises
        `GradedError` for another ending and for a file that cannot be written.
        """
        hint = ""
        if ending_of(path) in ("html", "htm"):
            hint = "; the option -o of the command writes a page, and so does report(…).save"
        ending = checked_ending(path, [*figures.FORMATS, *TABLES, EXCEL], hint)
        if ending in figures.FORMATS:
            figures.save(self.figure(), path)
            return
        if ending == EXCEL:
            from .excel import excel  # This import takes time.

            write_whole(path, excel(self.lines("jsonl", -1), self.sentences()))
            return
        form = TABLES[ending]
        places = decimals(form, places, in_file=True)
        with of_width():  # a file is the same whatever the terminal
            if form == "markdown":  # a subclass may have a table of its own in this format
                lines = self.to_markdown(places).split("\n")
            elif form == "latex":
                lines = self.to_latex(places).split("\n")
            else:
                lines = self.lines(form, places)
        write_whole(path, as_bytes(lines))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {clean(self.summary)}>"

    def _repr_html_(self) -> str:
        summary = self.summary
        parts = [f"<p><b>{type(self).__name__}</b>: {escaped_html(summary)}</p>"]
        drawing = self.drawing(said_above=summary)
        if isinstance(drawing, str):
            parts.append(f"<p>{escaped_html(drawing)}</p>")
        elif drawing:
            parts.append(f"<div>{figures.svg(drawing, label=summary)}</div>")
        columns, rows = self.table()
        table = "".join(html(columns, rows[:ROWS], PLACES))
        parts.append(f'<div style="overflow: auto; max-height: 30em">{table}</div>')
        if len(rows) > ROWS:
            parts.append(f"<p>{ROWS} of {len(rows)} rows</p>")
        for note in [*self.answer(), *self.notes(), *self.remark_notes()]:
            if note.strip(".") != summary.strip("."):
                parts.append(f"<p>{escaped_html(note)}</p>")
        return "".join(parts)


class View(Result):
    """Tables and a figure of other results, such as those that the option --show chooses.

    `read` is the table for programs, by default the first of the `chosen` tables. `headline` is the
    title of its page, by default the first sentence `above`.
    """

    def __init__(
        self,
        chosen: Sequence[Table],
        draw: Callable[[], Figure] | None = None,
        read: Table | None = None,
        noted: Sequence[str] = (),
        above: Sequence[str] = (),
        remarks: tuple[Remark, ...] = (),
        headline: str = "",
    ):
        self.chosen = chosen
        self.draw = draw
        self.read = read
        self.noted = noted
        self.above = above
        self.remarks = remarks
        self.headline = headline

    @property
    def summary(self) -> str:
        """The answer in one sentence; empty if it was not given one."""
        if self.headline or not self.above:
            return self.headline
        return str(self.above[0])

    def tables(self) -> list[Table]:
        """The tables that are shown."""
        return list(self.chosen)

    def data(self) -> Table:
        """The table that programs read."""
        return self.read or self.chosen[0]

    def answer(self) -> Sequence[str]:
        """The sentences above the tables."""
        return self.above

    def notes(self) -> Sequence[str]:
        """The sentences below the tables."""
        return self.noted

    def figure(self, *, title: str = "") -> Figure:
        """The figure that was chosen, with its own title. Raises `GradedError` if there is none."""
        return self.draw() if self.draw else super().figure()

    def drawing(self, said_above: str = "") -> Figure | str | None:
        """As that of all results."""
        return super().drawing(said_above) if self.draw else None


def as_bytes(lines: Iterable[str]) -> bytes:
    """The content of a text file. Names that are not valid Unicode are escaped."""
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")
