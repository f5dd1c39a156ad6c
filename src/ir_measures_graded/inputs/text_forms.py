"""The forms of text files, recognised by their first block.

A header names the columns of a table. Otherwise, the number of fields in a line and their values decide.
Rows that follow the first block are checked against the form.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..errors import FileError, shown
from .arrow import arrow_numbers
from .columns import Chosen, file_columns, is_quepid
from .id_columns import stretches_of
from .strict_lines import Lines, number_of

if TYPE_CHECKING:
    import pyarrow

LONGEST_HEADER = 1 << 16  # bytes
INTEGER = re.compile(rb"[+-]?[0-9]+")
SAMPLE = 5_000  # lines that decide about the form
MOST_LEVELS = 20  # more distinct integers are ids of documents, not levels
NO_ITERATION = {b"0", b"Q0"}


@dataclass(frozen=True)
class Form:
    """The form of the lines of a text file.

    `lines` describes a line in error messages. `fields` names the fields of a line, `columns` those that are
    read, and `value` the one with the level or score. `number` converts a text of this field or raises the
    error. `allowed` tells which parsed numbers are valid. `delimiter` separates fields, which may then be
    quoted; if it is empty, blanks separate fields, and lines that begin with ``#`` are comments. If `longer`
    is true, more fields may follow. Rows with a value in `unjudged` are skipped. If `ranks` is true, the
    values are ranks, and −rank is the score. `counted` names a field that must count up in each topic. `name`
    is the name of the form.
    """

    lines: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    value: str
    number: Callable[[Lines, bytes], float]
    allowed: Callable[[np.ndarray], np.ndarray]
    delimiter: str = ""
    longer: bool = False
    unjudged: tuple[bytes, ...] = ()
    ranks: bool = False
    counted: str | None = None
    name: str = "TREC"

    def of(self, lines: str) -> Form:
        """The same form with the fields of these lines, named by our names of columns."""
        fields = tuple(lines.split())
        return replace(
            self, lines=" ".join(SAID.get(field, field) for field in fields), fields=fields, longer=False
        )


SAID = {"query_id": "topic", "doc_id": "document", "relevance": "level"}
RUN = Form(
    "topic Q0 document rank score tag",
    ("query_id", "Q0", "doc_id", "rank", "score", "tag"),
    ("query_id", "doc_id", "score"),
    "score",
    Lines.score,
    lambda scores: ~np.isnan(scores),
    longer=True,
)
SCORED = replace(RUN.of("query_id doc_id score"), name="3 fields with scores")
RANKED = replace(SCORED, lines="topic document rank", ranks=True, counted="score", name="3 fields with ranks")
COLBERT = replace(
    RUN.of("query_id doc_id rank score"),
    columns=("query_id", "doc_id", "score", "rank"),
    counted="rank",
    name="ColBERT",
)
QRELS = Form(
    "topic iteration document level",
    ("query_id", "iteration", "doc_id", "relevance"),
    ("query_id", "doc_id", "relevance", "iteration"),
    "relevance",
    Lines.level,
    np.isfinite,
)
JUDGED = replace(
    QRELS.of("query_id doc_id relevance"), columns=("query_id", "doc_id", "relevance"), name="3 fields"
)
ANSWERS = replace(QRELS, unjudged=(b"", b"?", b"-"))


def headed(role: Form, block: bytes, file: str, chosen: Chosen) -> Form | None:
    """The form of a table that begins with this block; None if the first line is not a header.

    A header has at least three names, of which two are known. Raises `FileError` if a required column is
    missing or occurs twice, and for a header that is not UTF-8.
    """
    first = block[: max(block.find(b"\n"), 0) or LONGEST_HEADER]
    text = first.decode(errors="replace").rstrip("\r")
    for delimiter in ("\t", ","):
        names: list[str] = []
        with suppress(csv.Error):  # binary data is not a header
            names = next(csv.reader([text], delimiter=delimiter), [])
        if len(names) < 3 or sum(chosen.knows(name, role.value) for name in names) < 2:
            continue
        if "\ufffd" in text:
            raise FileError(f"{file}:1: not UTF-8 text; convert the file, for example with iconv")
        columns, ranks = file_columns(file, names, role.value, chosen)
        ours = {name: column for column, name in columns.items()}
        return replace(
            role,
            lines=delimiter.join(names).replace("\t", " "),
            fields=tuple(ours.get(name, f"#{number}") for number, name in enumerate(names)),
            columns=tuple(columns),
            delimiter=delimiter,
            name="TSV" if delimiter == "\t" else "CSV",
            longer=False,
            ranks=ranks,
            unjudged=role.unjudged or ((b"",) if is_quepid(names) else ()),
        )
    return None


def form_of(role: Form, block: bytes, file: str) -> Form:
    """The form of a file without a header that begins with this block; `role` is `RUN` or that of qrels.

    Raises `FileError` for a file that is known not to be a ranking or not to have topics and levels.
    """
    lines = (line for line in io.BytesIO(block) if line.strip() and not line.startswith(b"#"))
    rows = [line.split() for line in islice(lines, SAMPLE)]
    size = len(rows[0]) if rows else 0
    if size == 1 and number_of(rows[0][0]) is not None:
        raise FileError(
            f"{file}: one number per line belongs to the lines of another file; join them in a table "
            "with the columns query_id, doc_id and score (or relevance)"
        )
    if size == 2 and b"," not in rows[0][0]:
        raise FileError(f"{file}: 2 fields: no topic (NTCIREVAL: one file per topic) or no level or score")
    rows = [row for row in rows if len(row) == size]
    return _run_form(rows, size, role, file) if role.value == "score" else _qrels_form(rows, size, role, file)


def _run_form(rows: list[list[bytes]], size: int, role: Form, file: str) -> Form:
    if size == 3 and number_of(rows[0][2]) is not None:
        thirds = [row[2] for row in rows]
        if not all(map(INTEGER.fullmatch, thirds)):
            return SCORED
        if all(map(counts, _by_topic(rows, 2))):
            return RANKED
        raise FileError(
            f"{file}: is the third field a rank or a score? Begin the file with a line "
            "query_id, doc_id, score (or rank)"
        )
    if size == 4:
        if {row[1] for row in rows} <= NO_ITERATION:
            raise FileError(f"{file}: these are qrels, not a run (4 fields: {QRELS.lines})")
        scores = [[*map(number_of, of_topic)] for of_topic in _by_topic(rows, 3)]
        if all(map(counts, _by_topic(rows, 2))) and all(map(_never_rise, scores)):
            return COLBERT
    return role


def _qrels_form(rows: list[list[bytes]], size: int, role: Form, file: str) -> Form:
    if size == 5:
        raise FileError(f"{file}: 5 fields; preferences and sampled judgments are not supported")
    if size == 3:
        if {row[1] for row in rows} <= NO_ITERATION:
            raise FileError(f"{file}: qrels without levels (3 fields: topic, 0, document)")
        refuse_ranking(_by_topic(rows, 2), file)
        return replace(JUDGED, unjudged=role.unjudged)
    if size == 4 and not {row[1] for row in rows} <= NO_ITERATION:
        refuse_ranking(_by_topic(rows, 2), file)
        second, third = ({row[field] for row in rows} for field in (1, 2))
        iterations = _by_topic(rows, 1)
        if (
            len(third) <= MOST_LEVELS
            and all(map(INTEGER.fullmatch, third))
            and all(len({*fields}) == len(fields) for fields in iterations)
            and (
                len(iterations) < len(rows)
                or len(second) > len(third)
                or not all(map(INTEGER.fullmatch, second))
            )
        ):
            raise FileError(
                f"{file}: the columns are topic, document, level, iteration; "
                "export with --format trec or jsonl"
            )
    return role


def refuse_ranking(fields: Iterable[list[bytes]], file: str) -> None:
    """Raise `FileError` for the third fields of qrels if they count in a topic of three rows or more."""
    if any(len(of_topic) >= 3 and counts(of_topic) for of_topic in fields):
        raise FileError(f"{file}: the third field counts 1, 2, 3 … in a topic; this is a run, not qrels")


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
