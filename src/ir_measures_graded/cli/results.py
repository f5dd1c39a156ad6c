"""Prints a result in any format and writes its table or figure to files."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import GradedError
from ..output import plots
from ..output.files import ending_of, refuse_repeated, write_files
from ..output.formats import FOR_PEOPLE, FORMATS, PLACES, TABLES, Table, html, remarks, rows_of
from ..output.result import Result
from . import PROGRAM
from .parser import Parser

PAGE = "html"
"""The ending of a file with a page, which shows the figure and the table."""


def add_output(
    parser: Parser,
    default: str | None = "text",
    figure: bool = True,
    documents: Sequence[str] = (),
) -> None:
    """Add the options for format, files and decimal places.

    `documents` are formats, and endings of files, that the result writes by itself.
    """
    parser.set_defaults(documents=documents, figure=figure)
    formats = dict.fromkeys([*FORMATS, *documents])
    parser.shared.add_argument(
        "-f",
        "--format",
        choices=formats,
        default=default,
        metavar="FORM",
        help=", ".join(formats),
    )
    parser.shared.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        action="append",
        default=[],
        help=f"also write the {'figure, ' * figure}table or page of this ending",
    )
    parser.shared.add_argument(
        "-p",
        "--places",
        type=_places,
        metavar="N",
        default=PLACES,
        help=f"decimal places, -1 for all; default: {PLACES}",
    )


def _or(figure: bool) -> str:
    """What an ending can choose."""
    drawn = f"the figure ({', '.join(plots.FORMATS)}), " if figure else ""
    return f"{drawn}the table ({', '.join(TABLES)}) or a page ({PAGE})"


def _places(text: str) -> int:
    if not re.fullmatch(r"-1|\d{1,2}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; give 0 to 99, or -1 for all")
    return int(text)


READ = (
    "qrels", "machine", "inputs", "source", "rows", "values", "answers", "queries", "judge",
    "collections", "sessions",
)  # fmt: skip
WRITTEN = ("output", "ask", "merged", "target")
"""The arguments of commands that name files to read and to write."""


def check_files(arguments: argparse.Namespace) -> None:
    """Raise, before any work, the `GradedError` for a file that cannot be written."""
    for path in arguments.output:
        ending = ending_of(path)
        if ending in plots.FORMATS and arguments.figure:
            plots.check(path)
        elif ending == PAGE:
            from ..report import pages  # takes time

            pages.check()
        elif ending not in (*TABLES, *arguments.documents):
            hint = f" (for the format, use -f {path})" if path in FORMATS else ""
            raise GradedError(f"cannot write {path!r}: the ending chooses {_or(arguments.figure)}{hint}")
    refuse_inputs(arguments)


def refuse_inputs(arguments: argparse.Namespace, written: Iterable[str] = ()) -> None:
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
    read = list(filter(os.path.exists, inputs))
    for path in filter(os.path.exists, outputs):
        if any(os.path.samefile(path, other) for other in read):
            raise GradedError(f"cannot write {path!r}: the command reads this file")


def _named(arguments: argparse.Namespace, names: Iterable[str]) -> Iterator[str]:
    """The values of arguments that are given, one by one."""
    for name in names:
        value = getattr(arguments, name, None) or ()
        yield from [value] if isinstance(value, str) else value


def shown(
    found: Result,
    arguments: argparse.Namespace,
    table: Callable[[], Table] | None = None,
    records: list[dict[str, Any]] | None = None,
    figure: Callable[[], Any] | None = None,
    **options: Any,
) -> list[str]:
    """Write the files that -o names, and return the lines of the chosen format.

    Formats for people have the table and notes of the result, formats for programs have its records.
    `table`, `records` and `figure` replace them. `options` are those of `printed`.
    """

    def chosen(form: str) -> Table:
        if form in FOR_PEOPLE:
            return (table or found.table)()
        rows = found.records() if records is None else records
        return rows_of(rows) if rows or records is not None else found.table()

    return printed(chosen, arguments, figure or found.figure, found=found, **options)


def printed(
    table: Callable[[str], Table],
    arguments: argparse.Namespace,
    figure: Callable[[], Any] | None = None,
    headless: Sequence[str] = (),
    others: Mapping[str, bytes] | None = None,
    found: Result | None = None,
    written: Callable[[str], str] | None = None,
) -> list[str]:
    """Write files and return lines, as `shown`, of a table that depends on the format.

    `headless` formats omit the header. `others` has the contents of other files, which are written with those
    of -o: all or none. In formats for people, the further tables and the notes of `found` follow the table.
    `written` makes the documents of the result.
    """
    parts, notes = (found.parts()[1:], found.notes()) if found is not None else ([], [])

    def lines(form: str) -> list[str]:
        if written is not None and form in arguments.documents:
            return written(form).splitlines()
        first = [*(FORMATS | {PAGE: html})[form](*table(form), arguments.places)][form in headless :]
        return first + (remarks(form, parts, notes, arguments.places) if form in FOR_PEOPLE else [])

    def content(path: str) -> bytes:
        ending = ending_of(path)
        if ending == PAGE:
            from ..report import pages

            title, lead = f"{PROGRAM} {arguments.words[0]}", command_line(arguments)
            shown = table(FOR_PEOPLE[0])
            return pages.page_of(title, lead, shown, arguments.places, figure, parts, notes).encode()
        if figure is not None and ending in plots.FORMATS:
            return plots.rendered(figure(), ending)
        text = "".join(f"{line}\n" for line in lines(TABLES.get(ending, ending)))
        return text.encode(errors="backslashreplace")  # names may not be valid Unicode

    output = lines(arguments.format)
    write_files({path: content(path) for path in arguments.output} | dict(others or {}))
    return output


def command_line(arguments: argparse.Namespace) -> str:
    """The command as a shell reads it."""
    return shlex.join([PROGRAM, *arguments.words])
