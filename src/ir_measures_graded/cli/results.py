"""Prints a result in any format and writes its table or figure to files."""

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

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
from .parser import Namespace, Parser, typed

PAGE = "html"
"""The ending of a file with a page, which shows the figure and the table."""


_places = typed(r"-1|\d{1,2}", int, "0 to 99, or -1 for all")


def add_output(
    parser: Parser,
    default: str | None = "text",
    figure: bool = True,
    documents: Sequence[str] = (),
    named: Sequence[str] = (),
) -> None:
    """Add the options for format, files and decimal places.

    `documents` are formats, and endings of files, that the result writes by itself. `named` are formats that
    -o takes in place of a file.
    """
    parser.set_defaults(documents=documents, drawn=figure, named=named)
    formats = dict.fromkeys([*FORMATS, *documents])
    parser.option("-f --format FORM", ", ".join(formats), shared=True, choices=formats, default=default)
    what = f"also write the {'figure, ' * figure}table or page of this ending"
    parser.option("-o --output FILE", what, shared=True, repeated=True)
    what = f"decimal places, -1 for all; default: {PLACES}; files: all"
    parser.option("-p --places N", what, shared=True, type=_places)


READ = (
    "qrels", "machine", "inputs", "source", "rows", "values", "answers", "queries", "judge",
    "collections", "sessions",
)  # fmt: skip
WRITTEN = ("output", "ask", "merged", "target")
"""The arguments of commands that name files to read and to write."""


def check_files(arguments: Namespace) -> None:
    """Raise, before any work, the `GradedError` for a file that cannot be read or written."""
    if "documents" in arguments:  # the options of `add_output`
        formats = [word for word in arguments.output if word in arguments.named]
        arguments.format = arguments.format or next(reversed(formats), None)
        arguments.output = [path for path in arguments.output if path not in formats]
        for path in arguments.output:
            ending = ending_of(path)
            if ending in plots.FORMATS and arguments.drawn:
                plots.need_matplotlib()
            elif ending == PAGE:
                from ..analysis.report import pages  # takes time

                pages.need_jinja()
            elif ending not in (*TABLES, *arguments.documents):
                drawn = f"the figure ({', '.join(plots.FORMATS)}), " if arguments.drawn else ""
                hint = f" (for the format, use -f {path})" if path in FORMATS else ""
                raise GradedError(
                    f"cannot write {path!r}: the ending chooses {drawn}the table ({', '.join(TABLES)}) or a "
                    f"page ({PAGE}){hint}"
                )
    refuse_inputs(arguments)


def refuse_inputs(arguments: Namespace, written: Iterable[str] = ()) -> None:
    """Raise `GradedError` if a file to be written is an input, perhaps by a link, or is named twice.

    Standard input can be read once, if it is open. `written` are further files to be written.
    """
    outputs, inputs = [*_named(arguments, WRITTEN), *written], [*_named(arguments, READ)]
    inputs += [(getattr(arguments, "by", None) or "").rpartition(":")[0]]
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


def _named(arguments: Namespace, names: Iterable[str]) -> Iterator[str]:
    """The values of arguments that are given, one by one."""
    for name in names:
        value = getattr(arguments, name, None) or ()
        yield from [value] if isinstance(value, str) else value


def shown(
    arguments: Namespace,
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
        if written is not None and form in arguments.documents:
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
        title, lead = f"{PROGRAM} {arguments.words[0]}", command_line(arguments)
        return pages.page(
            "result", title, lead=lead, figure=drawn, notes=[*answer, *notes], tables=tables, places=places
        )

    def content(path: str) -> bytes:
        ending = ending_of(path)
        if ending == PAGE:
            return page().encode()
        if figure is not None and ending in plots.FORMATS:
            return plots.rendered(figure(), ending)
        text = "".join(f"{line}\n" for line in lines(TABLES.get(ending, ending), in_file=True))
        return text.encode(errors="backslashreplace")  # names may not be valid Unicode

    output = lines(arguments.format)
    write_files({path: content(path) for path in arguments.output} | dict(others or {}))
    if not lead or arguments.format not in ("text", "markdown"):
        return output
    first = [clean(lead)] if arguments.format == "text" else sentences(arguments.format, [lead])
    return [*first, *([] if arguments.format in headless else [""]), *output]


def _cells_in(table: Table, form: str) -> Cells:
    """Column names and rows of a table in a format."""
    return table.cells() if form in (*FOR_PEOPLE, PAGE) else table.values()


def command_line(arguments: Namespace) -> str:
    """The command as a shell reads it."""
    return shlex.join([PROGRAM, *arguments.words])
