"""Files of documents for a judge."""

from __future__ import annotations

import csv
import io
import os
from contextlib import closing, suppress
from typing import Any

from ..errors import FileError, GradedError
from ..evaluation.named import Judgments
from ..inputs.columns import QRELS, RUN, Chosen
from ..inputs.files import qrels_table, tables_of
from ..inputs.sources import is_file
from .scales import Levels, levels_of

CSV_COLUMNS = ("topic", "document", "level", "runs")
TREC_FIELDS = ("topic", "iteration", "document", "level")
UNJUDGED = (b"", b"?", b"-")
"""The texts in place of a level that mean that the judge gave none."""


def read_answers(path: str | os.PathLike[str]) -> Levels:
    """The judgments in a file of documents for a judge.

    The file is of any kind that is read as qrels, such as CSV with the columns topic, document and level. An
    empty level, ``?`` or ``-`` in a text file means that the document is not judged.

    Raises `FileError` for a file that cannot be read. Raises `FileError`, which names file and line, for a
    line of another form, a level that is not a finite number, and a document with two levels.
    """
    return levels_of(qrels_table(path, Chosen(unjudged=UNJUDGED)))


def answers_in(qrels: Any, name: str) -> tuple[Levels, int]:
    """The judgments in qrels of any form, and in a file the number of rows without a level.

    `name` names the qrels in messages.
    """
    if not (isinstance(qrels, (str, os.PathLike)) and is_file(os.fspath(qrels))):
        return levels_of(qrels.table if isinstance(qrels, Judgments) else qrels, name), 0
    chosen = Chosen(unjudged=UNJUDGED)
    return levels_of(qrels_table(qrels, chosen), name), chosen.account.unjudged


def holds_answers(path: str) -> bool:
    """Whether a file begins as qrels and not as a run. Three fields without a header are those of a run."""
    for role in (RUN, QRELS):
        with suppress(GradedError), closing(tables_of(path, role, Chosen(unjudged=UNJUDGED))) as tables:
            next(tables, None)
            return role is QRELS
    return False


def already_asked(path: str | os.PathLike[str], as_csv: bool) -> tuple[str, set[tuple[str, ...]]]:
    """The text of a file in which a level is filled in, and the topic and document of each of its lines.

    An abstention counts as filled in: ``-``, and ``?`` in CSV. Both are empty if there is no such file or if
    no level is filled in. Raises `FileError` as `read_answers`,
    and for a file that is not of the form that `Holes.save` writes, so that no other file is overwritten.
    """
    if not os.path.isfile(path) or not os.path.getsize(path):
        return "", set()
    read_answers(path)
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        text = file.read()
    rows = csv.reader(io.StringIO(text)) if as_csv else map(str.split, text.splitlines())
    header, *found = rows if as_csv else (list(TREC_FIELDS), *rows)
    if header != list(CSV_COLUMNS if as_csv else TREC_FIELDS) or any(len(row) not in (0, 4) for row in found):
        form = ",".join(CSV_COLUMNS) if as_csv else " ".join(TREC_FIELDS)
        raise FileError(f"{os.fspath(path)}: it has another form than {form}; name another file")
    *places, level = map(header.index, ("topic", "document", "level"))
    if all(row[level].strip() == ("" if as_csv else "?") for row in found if row):
        return "", set()
    asked = {tuple(row[place] for place in places) for row in found if row}
    return text if text.endswith("\n") else f"{text}\n", asked
