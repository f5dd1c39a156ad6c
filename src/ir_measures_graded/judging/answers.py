"""Files of documents that an assessor was asked to judge."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator

from ..errors import FileError
from .scales import Levels, finite_number

UNANSWERED = ("", "?", "-")
"""Levels that mean "not judged"."""


def read_answers(path: str | os.PathLike[str]) -> Levels:
    """The judgments in a file of documents that an assessor was asked to judge.

    A file whose name ends in ``.csv`` has the columns topic, document and level. Any other file has lines of
    TREC's form ``topic iteration document level``. An empty level, ``?`` or ``-`` means that the document is
    not judged.

    Raises `FileError` for a file that cannot be read. Raises `FileError`, which names file and line, for a
    line of another form, a level that is not a finite number, and a document with two levels.
    """
    name = os.fspath(path)
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except OSError as error:
        raise FileError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(f"{name}: cannot be read: it is not UTF-8 text") from None
    rows = _csv_rows(name, text) if name.lower().endswith(".csv") else _trec_rows(name, text)
    answers: Levels = {}
    for line, topic, document, written in rows:
        if written in UNANSWERED:
            continue
        try:
            level = finite_number(written)
        except ValueError:
            raise FileError(
                f"{name}:{line}: the level {written!r} is not a finite number; "
                "leave it empty or write ? for a document that is not judged"
            ) from None
        judged = answers.setdefault(topic, {})
        if judged.setdefault(document, level) != level:
            raise FileError(
                f"{name}:{line}: topic {topic!r}, document {document!r} has level {level:g} here and "
                f"{judged[document]:g} above; keep one judgment per document"
            )
    return answers


def _csv_rows(name: str, text: str) -> Iterator[tuple[int, str, str, str]]:
    """The line number, topic, document and level of each row of a CSV file."""
    reader = csv.DictReader(io.StringIO(text))
    missing = [column for column in ("topic", "document", "level") if column not in (reader.fieldnames or ())]
    if missing:
        raise FileError(
            f"{name}:1: the column {missing[0]!r} is missing; a file of answers has topic, document and level"
        )
    for row in reader:
        fields = [(row[column] or "").strip() for column in ("topic", "document", "level")]
        if not fields[0] or not fields[1]:
            raise FileError(f"{name}:{reader.line_num}: the topic or the document is missing")
        yield reader.line_num, *fields  # type: ignore[misc]


def _trec_rows(name: str, text: str) -> Iterator[tuple[int, str, str, str]]:
    """The same for lines in TREC's form."""
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if fields and len(fields) != 4:
            raise FileError(
                f"{name}:{number}: a line is 'topic iteration document level', 4 fields, not {len(fields)}"
            )
        if fields:
            yield number, fields[0], fields[2], fields[3]
