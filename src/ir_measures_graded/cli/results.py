"""Prints a result in any format and writes its table or figure to files."""

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..errors import GradedError
from ..output import plots
from ..output.files import ending_of, refuse_folders, refuse_repeated, write_files
from ..output.formats import (
    FOR_PEOPLE,
    FORMATS,
    PLACES,
    TABLES,
    Cells,
    above,
    clean,
    decimals,
    html,
    remarks,
    sentences,
)
from ..output.result import Result
from ..output.tables import Table
from . import PROGRAM
from .parser import Arguments, Option, typed

PAGE = "html"
"""The ending of a file with a page, which shows the figure and the table."""


class Printed(NamedTuple):
    """The lines of a command whose exit status may differ from 0."""

    lines: list[str]
    status: int


class Output(NamedTuple):
    """The formats of a command.

    `documents` are formats, and endings of files, that the result writes by itself. `named` are formats that
    -o takes in place of a file; such a command prints tsv if the output is no terminal. `figure` tells
    whether there is one.
    """

    documents: Sequence[str] = ()
    named: Sequence[str] = ()
    figure: bool = True

    @property
    def options(self) -> tuple[Option, ...]:
        """The options for format, files and decimal places."""
        formats = [*dict.fromkeys([*FORMATS, *self.documents])]
        kinds = f"{'figure, ' if self.figure else ''}table or page"
        places = typed(r"-1|\d{1,2}", int, "0 to 99, or -1 for all")
        return (
            Option("-f --format FORM", ", ".join(formats), choices=formats, shared=True),
            Option(
                "-o --output FILE",
                f"also write the {kinds} of this ending",
                repeated=True,
                shared=True,
                writes=lambda words: (word for word in words if word not in self.named),
            ),
            Option(
                "-p --places N",
                f"decimal places, -1 for all; default: {PLACES}; files: all",
                places,
                shared=True,
            ),
        )

    def form(self, arguments: Arguments) -> str:
        """The format to print."""
        named = [word for word in arguments.output if word in self.named]
        default = "tsv" if self.named and not sys.stdout.isatty() else "text"
        return str(arguments.format or next(reversed(named), default))

    def check(self, arguments: Arguments) -> None:
        """Raise `GradedError` for a file of -o whose ending the command cannot write."""
        for path in arguments.files("writes"):
            ending = ending_of(path)
            if path not in arguments.output:
                continue
            if ending in plots.FORMATS and self.figure:
                plots.need_matplotlib()
            elif ending == PAGE:
                from ..analysis.report import pages  # takes time

                pages.need_jinja()
            elif ending not in (*TABLES, *self.documents):
                drawn = f"the figure ({', '.join(plots.FORMATS)}), " if self.figure else ""
                hint = f" (for the format, use -f {path})" if path in FORMATS else ""
                raise GradedError(
                    f"cannot write {path!r}: the ending chooses {drawn}the table ({', '.join(TABLES)}) or a "
                    f"page ({PAGE}){hint}"
                )


def check_files(arguments: Arguments, written: Iterable[str] = ()) -> None:
    """Raise `GradedError`, before any work, for files that the command cannot read or write.

    A file to be written must not be an input, perhaps by a link, nor be named twice. Standard input can be
    read once, if it is open. `written` are further files to be written.
    """
    inputs, outputs = [*arguments.files("reads")], [*arguments.files("writes"), *written]
    if inputs.count("-") > 1:
        raise GradedError("standard input (-) can be read only once")
    if "-" in inputs and sys.stdin is None:
        raise GradedError("standard input (-) is closed")
    refuse_repeated(outputs)
    refuse_folders(path for path in outputs if path != "-")
    read = list(filter(os.path.exists, inputs))
    for path in filter(os.path.exists, outputs):
        if any(os.path.samefile(path, other) for other in read):
            raise GradedError(f"cannot write {path!r}: the command reads this file")


def shown(
    arguments: Arguments,
    output: Output,
    found: Result | None = None,
    table: Table | Callable[[str], Cells] | None = None,
    figure: Callable[[], Any] | None = None,
    headless: Sequence[str] = (),
    others: Mapping[str, bytes] | None = None,
    written: Callable[[str, int], str] | None = None,
    lead: str = "",
) -> list[str]:
    """Write the files that -o names, and return the lines of the chosen format.

    Formats for people have the tables and notes of the result `found`, formats for programs its data.
    `table`, perhaps a function of the format, and `figure` replace the first table and the figure. `headless`
    formats omit the header. `others` has the contents of other files, which are written with those of -o: all
    or none. `written` makes the documents of the result from a format and a number of decimals. `lead` stands
    above printed text and Markdown.
    """
    parts: Sequence[tuple[str, Cells]] = ()
    notes: Sequence[str] = ()
    answer: Sequence[str] = ()
    if found is not None:
        table, figure = table or found.table_in, figure or found.figure
        parts, notes, answer = found.parts()[1:], found.notes(), found.answer()
    assert table is not None
    cells_in = partial(_cells_in, table) if isinstance(table, Table) else table

    def lines(form: str, in_file: bool = False) -> list[str]:
        places = decimals(form, arguments.places, in_file)
        if written is not None and form in output.documents:
            return written(form, places).splitlines()
        first = [*(FORMATS | {PAGE: html})[form](*cells_in(form), places)][form in headless :]
        if form not in FOR_PEOPLE:
            return first
        return [*above(form, answer), *first, *remarks(form, parts, notes, places)]

    def page() -> str:
        from ..analysis.report import pages

        try:
            drawn = figure and figure()
        except GradedError as error:  # for example without Matplotlib
            drawn = str(error)
        form = FOR_PEOPLE[0]
        tables, places = [("", cells_in(form)), *parts], decimals(form, arguments.places)
        title, line = f"{PROGRAM} {arguments.words[0]}", command_line(arguments)
        return pages.page(
            "result", title, lead=line, figure=drawn, notes=[*answer, *notes], tables=tables, places=places
        )

    def content(path: str) -> bytes:
        ending = ending_of(path)
        if ending == PAGE:
            return page().encode()
        if figure is not None and ending in plots.FORMATS:
            return plots.rendered(figure(), ending)
        text = "".join(f"{line}\n" for line in lines(TABLES.get(ending, ending), in_file=True))
        return text.encode(errors="backslashreplace")  # names may not be valid Unicode

    form = output.form(arguments)
    printed = lines(form)
    paths = [path for path in arguments.output if path not in output.named]
    write_files({path: content(path) for path in paths} | dict(others or {}))
    if not lead or form not in ("text", "markdown"):
        return printed
    first = [clean(lead)] if form == "text" else sentences(form, [lead])
    return [*first, *([] if form in headless else [""]), *printed]


def _cells_in(table: Table, form: str) -> Cells:
    """Column names and rows of a table in a format."""
    return table.cells() if form in (*FOR_PEOPLE, PAGE) else table.values()


def command_line(arguments: Arguments) -> str:
    """The command as a shell reads it."""
    return shlex.join([PROGRAM, *arguments.words])
