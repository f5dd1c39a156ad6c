"""The forms of text files, recognised by their first block.

A header names the columns of a table. Otherwise, the number of fields in a line and their values decide.
Rows that follow the first block are checked against the form.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError, shown
from .arrow import arrow_numbers
from .columns import QRELS, RUN, Chosen, Role, file_columns, is_quepid
from .id_columns import stretches_of
from .strict_lines import number_of

if TYPE_CHECKING:
    import pyarrow

LONGEST_HEADER = 1 << 16  # bytes
INTEGER = re.compile(rb"[+-]?[0-9]+")
SAMPLE = 5_000  # lines that decide about the form
MOST_LEVELS = 20  # more distinct integers are ids of documents, not levels
NO_ITERATION = {b"0", b"Q0"}


@dataclass(frozen=True)
class Form:
    """The form of the lines of a text file with qrels or a run (`role`).

    `lines` describes a line in error messages. `fields` names the fields of a line, and `columns` those that
    are read. `delimiter` separates fields, which may then be quoted; if it is empty, blanks separate fields,
    and lines that begin with ``#`` are comments. If `longer` is true, more fields may follow. Rows with a
    value in `unjudged` are skipped. If `ranks` is true, the values are ranks, and −rank is the score.
    `counted` names a field that must count up in each topic. If `letor` is true, lines are those of LETOR;
    if they are `numbered`, the number of a line names its document unless the line does. `name` is the name
    of the form.
    """

    role: Role
    name: str
    lines: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    delimiter: str = ""
    longer: bool = False
    unjudged: tuple[bytes, ...] = ()
    ranks: bool = False
    counted: str | None = None
    letor: bool = False
    numbered: bool = False


def _form(role: Role, name: str, lines: str, **options: Any) -> Form:
    """The form of lines with these fields; a run's rank is read only if it is `counted`."""
    fields = tuple(OURS.get(word, word) for word in lines.split())
    others = (field for field in ("iteration", options.get("counted")) if field in fields)
    return Form(role, name, lines, fields, (*role.columns, *others), **options)


OURS = {"topic": "query_id", "document": "doc_id", "level": "relevance", "qid:topic": "query_id"}
TREC = {
    QRELS: _form(QRELS, "TREC", "topic iteration document level"),
    RUN: _form(RUN, "TREC", "topic Q0 document rank score tag", longer=True),
}
SCORED = _form(RUN, "3 fields with scores", "topic document score")
RANKED = replace(SCORED, name="3 fields with ranks", lines="topic document rank", ranks=True, counted="score")
COLBERT = _form(RUN, "ColBERT", "topic document rank score", counted="rank")
JUDGED = _form(QRELS, "3 fields", "topic document level")
LETOR = replace(
    _form(QRELS, "LETOR", "level qid:topic document", letor=True), lines="level qid:topic features # document"
)
SCORES = Form(RUN, "scores", "one number per line", ("score",), ("score",))
"""The form of scores for the lines of another file."""


def headed(role: Role, block: bytes, file: str, chosen: Chosen) -> Form | None:
    """The form of a table that begins with this block; None if the first line is not a header.

    A header has at least three names, of which two are known. Raises `FileError` if a required column is
    missing or occurs twice, and for a header that is not UTF-8.
    """
    first = block[: max(block.find(b"\n"), 0) or LONGEST_HEADER]
    text = first.decode(errors="replace").rstrip("\r")
    for delimiter, name in (("\t", "TSV"), (",", "CSV"), (";", "CSV")):
        names: list[str] = []
        with suppress(csv.Error):  # binary data is not a header
            names = next(csv.reader([text], delimiter=delimiter), [])
        if len(names) < 3 or sum(chosen.knows(name, role) for name in names) < 2:
            continue
        if "\ufffd" in text:
            raise FileError(f"{file}:1: not UTF-8 text; convert the file, for example with iconv")
        columns, ranks = file_columns(file, names, role, chosen)
        ours = {name: column for column, name in columns.items()}
        return Form(
            role,
            name,
            lines=delimiter.join(names).replace("\t", " "),
            fields=tuple(ours.get(name, f"#{number}") for number, name in enumerate(names)),
            columns=tuple(columns),
            delimiter=delimiter,
            ranks=ranks,
            unjudged=chosen.unjudged or ((b"",) if is_quepid(names) else ()),
        )
    return None


def form_of(role: Role, block: bytes, file: str, chosen: Chosen) -> Form:
    """The form of a file without a header that begins with this block.

    Raises `FileError` for a file that is known not to be a ranking or not to have topics and levels.
    """
    lines = (line for line in io.BytesIO(block) if line.strip() and not line.startswith(b"#"))
    first = next(lines, b"")
    fields = first.split()
    size = len(fields)
    if size > 1 and fields[1].startswith(b"qid:") and fields[1] != b"qid:":
        if role is RUN:
            raise FileError(f"{file}: labels and features are qrels, not a run; see convert --rows")
        if b"#" not in first and not chosen.numbered:
            raise FileError(f"{file}: no document ids after #; see convert --rows")
        return replace(LETOR, numbered=chosen.numbered)
    if size == 1 and number_of(fields[0]) is not None:
        raise FileError(
            f"{file}: one number per line belongs to the lines of another file; see convert --rows, or join "
            "them in a table with the columns query_id, doc_id and score (or relevance)"
        )
    if size == 2 and b"," not in fields[0]:
        raise FileError(f"{file}: 2 fields: no topic (NTCIREVAL: one file per topic) or no level or score")
    if size not in (3, 4, 5):
        return replace(TREC[role], unjudged=chosen.unjudged)
    rows = [row for row in map(bytes.split, chain([first], islice(lines, SAMPLE))) if len(row) == size]
    form = _run_form(rows, size, file) if role is RUN else _qrels_form(rows, size, file)
    return replace(form or TREC[role], unjudged=chosen.unjudged)


def _run_form(rows: list[list[bytes]], size: int, file: str) -> Form | None:
    """The form of a run, None for TREC."""
    if size == 3 and number_of(rows[0][2]) is not None:
        if not all(INTEGER.fullmatch(row[2]) for row in rows):
            return SCORED
        if all(map(counts, _by_topic(rows, 2))):
            return RANKED
        raise FileError(
            f"{file}: is the third field a rank or a score? Begin the file with a line "
            "query_id, doc_id, score (or rank)"
        )
    if size == 4:
        if {row[1] for row in rows} <= NO_ITERATION:
            raise FileError(f"{file}: these are qrels, not a run (4 fields: {TREC[QRELS].lines})")
        scores = [[*map(number_of, of_topic)] for of_topic in _by_topic(rows, 3)]
        if all(map(counts, _by_topic(rows, 2))) and all(map(_never_rise, scores)):
            return COLBERT
    return None


def _qrels_form(rows: list[list[bytes]], size: int, file: str) -> Form | None:
    """The form of qrels, None for TREC."""
    if size == 5:
        raise FileError(f"{file}: 5 fields; preferences and sampled judgments are not supported")
    no_iteration = {row[1] for row in rows} <= NO_ITERATION if size in (3, 4) else True
    if size == 3 and no_iteration:
        raise FileError(f"{file}: qrels without levels (3 fields: topic, 0, document)")
    if not no_iteration and any(len(of) >= 3 and counts(of) for of in _by_topic(rows, 2)):
        raise FileError(f"{file}: the third field counts 1, 2, 3 … in a topic; this is a run, not qrels")
    if size == 4 and not no_iteration:
        second, third = ({row[field] for row in rows} for field in (1, 2))
        topics = _by_topic(rows, 1)
        if (
            len(third) <= MOST_LEVELS
            and all(map(INTEGER.fullmatch, third))
            and all(len({*documents}) == len(documents) for documents in topics)
            and (
                len(topics) < len(rows) or len(second) > len(third) or not all(map(INTEGER.fullmatch, second))
            )
        ):
            raise FileError(
                f"{file}: the columns are topic, document, level, iteration; "
                "export with --format trec or jsonl"
            )
    return JUDGED if size == 3 else None


def _by_topic(rows: list[list[bytes]], field: int) -> list[list[bytes]]:
    found: dict[bytes, list[bytes]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(row[field])
    return list(found.values())


def _never_rise(scores: Sequence[float | None]) -> bool:
    return None not in scores and all(a >= b for a, b in pairwise(scores))  # type: ignore[operator]


def counts(fields: Sequence[bytes]) -> bool:
    """Whether these are the numbers 0, 1, 2 … or 1, 2, 3 …

    >>> counts([b"1", b"2", b"3"]), counts([b"1", b"3"])
    (True, False)
    """
    first = fields[0] == b"1"
    return all(field == b"%d" % number for number, field in enumerate(fields, first))


class Counter:
    """Checks that the ranks in a file count up in each topic, and that scores of ranked rows never rise."""

    def __init__(self, form: Form, file: str):
        self.form, self.file = form, file
        self._last: dict[str, tuple[float, float]] = {}

    def check(self, rows: pyarrow.Table) -> None:
        """Raise `FileError` for the first row that breaks the order."""
        from pyarrow import compute

        ranks = arrow_numbers(compute.cast(rows[self.form.counted], "float64"))
        scores = -ranks if self.form.ranks else arrow_numbers(rows["score"])
        stretches = stretches_of(rows["query_id"], "run: query_id")
        before = np.concatenate(([np.nan], ranks[:-1])), np.concatenate(([np.nan], scores[:-1]))
        ends = np.append(stretches.start[1:], len(rows)) - 1
        for start, end, code in zip(stretches.start.tolist(), ends.tolist(), stretches.code.tolist()):
            topic = stretches.names[code]
            begin = min(ranks[start], 1) - 1  # ranks begin at 0 or at 1
            before[0][start], before[1][start] = self._last.get(topic, (begin, np.inf))
            self._last[topic] = float(ranks[end]), float(scores[end])
        wrong = np.flatnonzero((ranks != before[0] + 1) | (scores > before[1]))
        if wrong.size:
            row = int(wrong[0])
            raise FileError(
                f"{self.file}:{rows['line'][row]}: topic {shown(rows['query_id'][row].as_py())}: the rows of "
                f"a topic must have the ranks 1, 2, 3 …; here is {ranks[row]:g}"
            )
