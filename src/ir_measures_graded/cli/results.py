"""Prints a result in any format and writes its table or figure to files."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import GradedError
from ..files.content import is_lasting, parquet_files
from ..files.sources import is_file, qrels_file_of
from ..output import plots
from ..output.files import ending_of, refuse_folders, refuse_repeated, write_files
from ..output.formats import FOR_PEOPLE, FORMATS, PLACES, TABLES, decimals
from ..output.provenance import sha256, versions
from ..output.result import Result, as_bytes
from . import PROGRAM
from .parser import Arguments, Option, typed

PAGE = "html"
"""The ending of a file with a page, which shows the figure and the table."""


@dataclass(frozen=True)
class Answer:
    """What a command answers: a result and, if it is not 0, the exit status.

    `instead` has the results that some formats show, and `documents` the functions that write the result in
    a format of its own with a number of decimals. `others` has the contents of other files.
    """

    result: Result
    status: int = 0
    instead: Mapping[str, Result] = field(default_factory=dict)
    documents: Mapping[str, Callable[[int], str]] = field(default_factory=dict)
    others: dict[str, bytes] = field(default_factory=dict)

    def lines(self, form: str, places: int) -> list[str]:
        """The lines of a format."""
        if form in self.documents:
            return self.documents[form](places).splitlines()
        return self.instead.get(form, self.result).lines(form, places)


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
    folders = [os.path.realpath(path) for path in read if os.path.isdir(path)]
    for path in outputs:
        if os.path.exists(path) and any(os.path.samefile(path, other) for other in read):
            raise GradedError(f"cannot write {path!r}: the command reads this file")
        if any(os.path.realpath(path).startswith(os.path.join(folder, "")) for folder in folders):
            raise GradedError(f"cannot write {path!r}: the command reads the folder of this file")


def stamps(arguments: Arguments) -> dict[str, tuple[int, int]]:
    """The time of the last change and the size of each file that the command reads."""
    stats = {path: os.stat(path) for path in arguments.files("reads") if path and os.path.isfile(path)}
    return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in stats.items()}


def shown(arguments: Arguments, output: Output, answer: Answer) -> list[str]:
    """Write the files that -o names and the others of the answer, all or none; return the lines to print."""

    def content(path: str) -> bytes:
        ending = ending_of(path)
        if ending == PAGE:
            return _page(arguments, answer.result, output.figure).encode()
        if output.figure and ending in plots.FORMATS:
            return plots.rendered(answer.result.figure(), ending)
        form = TABLES.get(ending, ending)
        return as_bytes(answer.lines(form, decimals(form, arguments.places, in_file=True)))

    form = output.form(arguments)
    printed = answer.lines(form, decimals(form, arguments.places))
    paths = [path for path in arguments.output if path not in output.named]
    write_files({path: content(path) for path in paths} | answer.others)
    return printed


def _page(arguments: Arguments, result: Result, has_figure: bool) -> str:
    """The page with the figure, if there is one, and all tables of a result."""
    from ..analysis.report import pages

    drawn: Any = None
    try:
        if has_figure:
            drawn = result.figure()
    except GradedError as error:  # for example without Matplotlib
        drawn = str(error)
    return pages.page(
        "result",
        f"{PROGRAM} {arguments.words[0]}",
        lead=command_line(arguments),
        figure=drawn,
        answer=result.answer(),
        notes=result.notes(),
        tables=result.tables(),
        places=decimals(FOR_PEOPLE[0], arguments.places),
    )


def origin(arguments: Arguments) -> dict[str, Any]:
    """The versions of the packages, and the SHA-256 of the files as they are, also compressed ones.

    A folder counts as its files, and an ir-datasets id as the file of its qrels. What cannot be read again,
    such as standard input, has none.
    """
    names = dict.fromkeys(name for name in arguments.files("reads") if name and is_file(name))
    files = {file: file for name in names for file in parquet_files(name) or [name]}
    qrels = arguments.get("qrels")
    if qrels and not is_file(qrels) and (file := qrels_file_of(qrels)):
        files = {qrels: file, **files}
    hashes = {name: sha256(file) if is_lasting(file) else None for name, file in files.items()}
    return {"versions": dict(versions()), "sha256": hashes}


def with_origin(result: Result, facts: Mapping[str, Any], arguments: Arguments) -> Callable[[int], str]:
    """A function that writes the rows of a result as JSON, with facts about them and their origin."""

    def written(places: int) -> str:
        rows = "\n".join(result.lines("json", places))
        others = json.dumps({**facts, **origin(arguments)}, indent=1)
        return f'{{"values": {rows},{others[1:]}'

    return written


def command_line(arguments: Arguments) -> str:
    """The command as a shell reads it."""
    return shlex.join([PROGRAM, *arguments.words])
