"""Prints a result in any format and writes its table or figure to files."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ..errors import GradedError, Remark
from ..files.collector import waiting_collector
from ..files.content import is_lasting, is_pattern, parquet_files
from ..files.sources import files_of_folder, is_file, qrels_file_of
from ..output import figures
from ..output.files import ending_of, refuse_bad_date, refuse_inputs, refuse_unwritable, write_files
from ..output.formats import EXCEL, FOR_PEOPLE, TABLES, decimals
from ..output.remarks import merged
from ..output.result import Result, as_bytes
from ..output.width import of_width
from . import PROGRAM
from .parser import PAGE, Arguments, as_list


class Answer:
    """What a command answers: a result and, if it is not 0, the exit status.

    `documents` has functions that give the lines of some formats with a number of decimals. JSON
    has the `facts` beside the rows. `others` has the contents of other files. `default` is the
    format to print. `printed` is what is printed, if files have another table. `told` are notes for
    standard error.
    """

    def __init__(
        self,
        result: Result,
        status: int = 0,
        documents: Mapping[str, Callable[[int], Iterable[str]]] | None = None,
        facts: Mapping[str, Any] | None = None,
        others: Mapping[str, bytes] | None = None,
        default: str = "text",
        printed: "Answer | None" = None,
        told: Sequence[str] = (),
    ):
        self.result = result
        self.status = status
        self.documents = documents or {}
        self.facts = facts or {}
        self.others = others or {}
        self.default = default
        self.printed = printed or self
        self.told = told


def check_files(arguments: Arguments) -> None:
    """Raise `GradedError`, before any work, for files that the command cannot read or write.

    A file to be written must not be an input, perhaps by a link, nor be named twice. Standard input
    can be read once, if it is open.
    """
    inputs = arguments.reads
    outputs = [path for path in arguments.writes if path != "-"]
    if inputs.count("-") > 1:
        raise GradedError("standard input (-) can be read only once")
    if "-" in inputs and sys.stdin is None:
        raise GradedError("standard input (-) is closed")
    refuse_unwritable(outputs)
    refuse_inputs(outputs, _files_read(inputs))
    if outputs:
        refuse_bad_date()


def _files_read(inputs: Iterable[str]) -> Iterator[str | int]:
    """The inputs, with the files of a pattern, and the number of the open file that is standard
    input.
    """
    for path in inputs:
        if path == "-":
            with suppress(OSError, ValueError):  # standard input may be no file of the system
                yield sys.stdin.fileno()
        else:
            yield path
            if is_pattern(path):
                yield from parquet_files(path)


def stamps(arguments: Arguments) -> dict[str, tuple[int, int]]:
    """The time of the last change and the size of each file that the command reads."""
    stats = {path: os.stat(path) for path in arguments.reads if path and os.path.isfile(path)}
    return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in stats.items()}


def written(arguments: Arguments, answer: Answer) -> list[str]:
    """Write the files that -o names and the others of the answer, all or none.

    Returns the lines to print.
    """
    form = arguments.format or answer.default
    printed = lines_of(answer.printed, form, arguments)
    contents = {}
    for path in arguments.output:
        if path not in answer.others:
            contents[path] = content_of(answer, path, arguments)
    write_files({**contents, **answer.others})
    return printed


def printed_remarks(arguments: Arguments, answer: Answer) -> list[Remark]:
    """The remarks that are among the lines that `written` prints.

    Formats for people have them below the table, unless the answer has other lines for the format.
    """
    form = arguments.format or answer.default
    if form not in FOR_PEOPLE or form in answer.printed.documents:
        return []
    return merged(answer.printed.result.remarks)


def lines_of(answer: Answer, form: str, arguments: Arguments, in_file: bool = False) -> list[str]:
    """The lines of an answer in a format; JSON has the facts and remarks beside the rows."""
    in_form = answer.documents.get(form, partial(answer.result.lines, form))
    places = decimals(form, arguments.places, in_file)
    with waiting_collector():  # a large table has a million cells, none of which is garbage
        lines = list(in_form(places))
    if form != "json" or not answer.facts:
        return lines
    remarks: list[dict[str, Any]] = []
    for remark in answer.result.remarks:
        remarks.append({"kind": remark.kind, "subject": remark.subject, "text": remark.text})
        if remark.topics:
            remarks[-1]["topics"] = list(remark.topics)
    return with_origin(lines, {**answer.facts, "remarks": remarks}, arguments)


def content_of(answer: Answer, path: str, arguments: Arguments) -> bytes:
    """The content of a file of an answer: a page, figure or table, by the ending of its path."""
    ending = ending_of(path)
    if ending in PAGE:
        from ..analysis.report import pages  # takes time

        lead = command_of_page(arguments)
        places = decimals("text", arguments.places)
        return pages.result_page(answer.result, lead, places).encode()
    if ending in figures.FORMATS:
        return figures.rendered(answer.result.figure(), ending)
    if ending == EXCEL:
        from ..output.excel import excel  # This import takes time.

        return excel(lines_of(answer, "jsonl", arguments, in_file=True), answer.result.sentences())
    form = TABLES.get(ending, ending)
    with of_width():  # a file is the same whatever the terminal
        return as_bytes(lines_of(answer, form, arguments, in_file=True))


def with_origin(rows: list[str], facts: Mapping[str, Any], arguments: Arguments) -> list[str]:
    """The lines of rows in JSON, with facts about them and their origin.

    The origin is the versions of the packages, and the SHA-256 of the files as they are, also
    compressed ones. A folder counts as its files, and an ir-datasets id as the file of its qrels.
    What cannot be read again, such as standard input, has none.
    """
    import json  # takes time, as the next import

    from ..output.provenance import sha256, versions

    files: dict[str, str] = {}
    for qrels in as_list(arguments.get("qrels")):
        file_of_id = None if is_file(qrels) else qrels_file_of(qrels)
        if file_of_id:
            files[qrels] = file_of_id
    for name in arguments.reads:
        if name and is_file(name):
            for file in files_of_folder(name) or [name]:
                files[file] = file
    hashes = {}
    for name, file in files.items():
        hashes[name] = sha256(file) if is_lasting(file) else None
    origin = {"versions": dict(versions()), "sha256": hashes}
    others = json.dumps({**facts, **origin}, indent=1).removeprefix("{")
    first, *middle, last = rows
    return [f'{{"values": {first}', *middle, f"{last},{others}"]


def command_of_page(arguments: Arguments) -> str:
    """The command with the names of files without their folders, which no reader of a page needs
    to know."""
    import shlex  # takes time, as the next import

    from ..output.provenance import with_names, without_folders

    paths = [path for path in [*arguments.reads, *arguments.writes] if path]
    words = with_names(arguments.words, without_folders(paths))
    return shlex.join([PROGRAM, *words])


def command_line(arguments: Arguments) -> str:
    """The command as a shell reads it."""
    import shlex  # takes time

    return shlex.join([PROGRAM, *arguments.words])
