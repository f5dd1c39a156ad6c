"""The header of a table in a text file: the first line, which names the columns."""

import csv
import io
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from ..core.rows import columns
from ..core.rows.decimals import number_of
from ..core.rows.roles import QRELS, RUN, Role, is_of_trec
from ..errors import FileError, Remark, shown
from .content import TO_UTF8, Reading

HEADED_ROWS = 20  # rows below a line that may be a header


class Header(NamedTuple):
    """The header of a table, in the fields of the `Form` of its lines."""

    name: str
    lines: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    delimiter: str
    unjudged: tuple[bytes, ...]
    ranks: bool
    remarks: tuple[Remark, ...]
    heads: tuple[str, ...]
    judge: str


def header_in(line: bytes, file: str, reading: Reading) -> Header | None:
    """The header that this line is; None if it is not a header.

    A header has at least three names, of which two are known.
    """
    text = line.decode(errors="replace")
    for delimiter, name in (("\t", "TSV"), (",", "CSV"), (";", "CSV")):
        if delimiter not in text:
            continue
        _refuse_open_name(text, delimiter, file, reading)
        names: list[str] | None = None
        with suppress(csv.Error):  # binary data is not a header
            names = next(csv.reader([text], delimiter=delimiter), [])
        if names is None:
            _refuse_long_name(text, delimiter, file, reading)
            continue
        if len(names) > columns.MOST_COLUMNS:
            raise FileError(
                f"{file}:1: {len(names):,} columns; at most {columns.MOST_COLUMNS:,} are read"
            )
        known_names = columns.understood_names(names, reading.role, reading.chosen)
        if len(names) < 3 or len(known_names) < 2 or is_of_trec([name.encode() for name in names]):
            continue
        if "\ufffd" in text:
            raise FileError(f"{file}:1: not UTF-8 text; {TO_UTF8}")
        read, ranks = reading.columns(file, names)
        ours = {name: column for column, name in read.items()}
        fields = [ours.get(name, f"#{number}") for number, name in enumerate(names)]
        name_of_ranks = columns.ranks_in(names, reading.chosen)
        if name_of_ranks not in ours and name_of_ranks is not None and not ranks:
            fields[names.index(name_of_ranks)] = "rank"
        unjudged = reading.chosen.unjudged
        if not unjudged and columns.is_quepid(names):
            unjudged = (b"",)
        return Header(
            name=name,
            lines=delimiter.join(names).replace("\t", " "),
            fields=tuple(fields),
            columns=tuple(read),
            delimiter=delimiter,
            unjudged=unjudged,
            ranks=ranks,
            remarks=reading.remarks(file, names),
            heads=reading.heads(read),
            judge=reading.judge(names, read),
        )
    return None


def _refuse_open_name(header: str, delimiter: str, file: str, reading: Reading) -> None:
    """Raise `FileError` for a header with a quoted name that does not end."""
    if header.count('"') % 2 == 0:
        return
    names = header.partition("\n")[0].split(delimiter)
    if len(columns.understood_names(names, reading.role, reading.chosen)) >= 2:
        name = next((name for name in names if name.count('"') % 2), names[-1])
        raise FileError(
            f"{file}:1: the quoted name of a column does not end (a quote in it is doubled): "
            f"{shown(name)}"
        )


def _refuse_long_name(header: str, delimiter: str, file: str, reading: Reading) -> None:
    """Raise `FileError` for a header with a name that is longer than the fields that csv reads."""
    longest = csv.field_size_limit()
    if len(header) <= longest:
        return
    names = header[:longest].split(delimiter)
    if len(columns.understood_names(names, reading.role, reading.chosen)) >= 2:
        raise FileError(
            f"{file}:1: the name of a column has more than {longest:,} characters: "
            f"{shown(names[-1])}; perhaps a quote is missing or not meant"
        )


def has_commas(text: bytes, delimiter: str, place: int) -> bool:
    """Whether the numbers at this place of the first rows have decimal commas."""
    rows = csv.reader(io.StringIO(text.decode(errors="replace")), delimiter=delimiter)
    with suppress(csv.Error):
        for row in rows:
            if len(row) > place and "," in row[place]:
                return True
    return False


def refuse_unknown_header(file: str, first_line: bytes, text: bytes, role: Role) -> None:
    """Raise `FileError` if a text with this first line seems to be a table whose header has no
    known names.

    All rows have as many fields as the first one, and a column of numbers has a name that is none.
    """
    for delimiter in "\t,;":
        if first_line.count(delimiter.encode()) < 2:
            continue
        lines = io.StringIO(text.decode(errors="replace"), newline="")
        names: list[str] = []
        rows: list[list[str]] = []
        with suppress(csv.Error):
            rows_of_text = csv.reader(lines, delimiter=delimiter)
            names = next(rows_of_text, [])
            rows = [row for row in islice(rows_of_text, HEADED_ROWS) if row]
        are_names = [bool(name.strip()) and not _is_number(name) for name in names]
        is_table = bool(rows) and all(len(row) == len(names) for row in rows)
        if not is_table or not all(are_names) or len(set(names)) < len(names):
            continue
        are_numbers = [all(map(_is_number, column)) for column in zip(*rows, strict=True)]
        if any(are_numbers):
            raise _unknown_names(file, names, are_numbers, role)


class UnknownNamesError(FileError):
    """The header of a table has at most one known name.

    `reason` is the message without the option that names the columns. `columns` are those that the
    option names by our names, and `others` the remaining ones, with whether each has only numbers.
    """

    reason: str = ""
    columns: Mapping[str, str] = {}
    others: Mapping[str, bool] = {}

    @classmethod
    def of(
        cls, reason: str, named: Mapping[str, str], others: Mapping[str, bool]
    ) -> "UnknownNamesError":
        """The error with the option in its message."""
        option = columns.option_of(named)
        distance = ""
        if option.endswith(columns.ASCENDING):
            distance = ", whose smaller values are better"
        error = cls(f"{reason}{distance}, perhaps with {option} (columns= in Python)")
        error.reason = reason
        error.columns = named
        error.others = others
        return error


MEANINGS = {
    "query_id": "topics",
    "doc_id": "documents",
    QRELS.value: "levels",
    RUN.value: "scores",
}
"""The content of each column, for messages."""


def _unknown_names(
    file: str, names: list[str], are_numbers: list[bool], role: Role
) -> UnknownNamesError:
    """The error about a header with at most one known name, with the option that may be meant."""
    is_number = dict(zip(names, are_numbers, strict=True))
    wanted = list(role.columns)
    listed_names = shown(", ".join(names))[1:-1]
    message = f"the columns {listed_names} have no known names; name them"
    known_names = [name for name in names if columns.is_known(name, role)]
    for name in known_names:
        wanted = [ours for ours in wanted if columns.column_name("", [name], ours) is None]
        del is_number[name]
    by_words: dict[str, str] = {}
    if known_names:
        by_words = columns.each_by_words(names, wanted, known_names)
        for ours, name in by_words.items():
            wanted.remove(ours)
            del is_number[name]
        what = " and ".join(MEANINGS[ours] for ours in wanted)
        recognised = " and ".join([*by_words.values(), *known_names])
        verb = "are recognised" if by_words else "has a known name"
        message = f"of the columns {listed_names}, only {recognised} {verb}; name those of {what}"
    named = dict(by_words)
    named |= columns.proposed_columns(list(is_number), list(is_number.values()), wanted)
    others = {name: is_number[name] for name in is_number if name not in named.values()}
    return UnknownNamesError.of(f"{file}: {message}", named, others)


def _is_number(cell: str) -> bool:
    return number_of(cell.replace(",", ".").encode(errors="replace")) is not None
