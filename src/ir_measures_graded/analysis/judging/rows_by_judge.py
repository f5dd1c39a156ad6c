"""Judges in one table with a row for each judgment: query, doc, judge and label.

Tools for annotation export such tables. A column is the one of judges by its name, if some document
has rows of several judges, or by the user's choice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...core.rows.chosen import JUDGE, Chosen, columns_named
from ...core.rows.in_memory import names_in_memory, under_our_names
from ...core.rows.roles import INTENTS, QRELS
from ...core.rows.rows import Rows, joined
from ...core.rows.sources import read_qrels
from ...errors import FileError, GradedError
from ...files.content import Reading, is_lasting
from ...files.files import header_of, parts_of
from ...files.grouping import grouped

UNJUDGED = (b"", b"?", b"-")
"""The texts in place of a level that mean that the judge gave none."""
INTENT = INTENTS[0]
"""The column of qrels that tells rows of one document apart, here the judges."""


def rows_by_judge(table: Any, columns: Sequence[tuple[str, str]] = ()) -> dict[str, Rows]:
    """The qrels of each judge in a table with a row for each, by the judge's name.

    Empty for any other table. `columns` are those of `RunFile`, and may name that of the judges.
    Rows without a level count for no judge.

    >>> table = [
    ...     {"query": "q1", "doc": "d1", "annotator": "Ann", "label": 2},
    ...     {"query": "q1", "doc": "d1", "annotator": "Ben", "label": 1},
    ... ]
    >>> {name: rows.dicts() for name, rows in rows_by_judge(table).items()}
    {'Ann': {'q1': {'d1': 2.0}}, 'Ben': {'q1': {'d1': 1.0}}}
    """
    is_path = isinstance(table, (str, os.PathLike))
    if is_path and not is_lasting(table):
        return {}
    names = header_of(table, columns) if is_path else names_in_memory(table, QRELS)
    where = os.fspath(table) if is_path else "the table"
    column = column_of_judges(where, names, columns)
    if column is None:
        return {}
    others = [pair for pair in columns_named(columns) if pair[0] not in (JUDGE, *INTENTS)]
    chosen = Chosen(unjudged=UNJUDGED, columns=(*others, (INTENT, column)))
    try:
        by_judge = _of_file(table, chosen) if is_path else _of_table(table, chosen)
    except FileError as error:  # its message has our name of the column
        message = str(error).replace(f"the field {INTENT}", f"the field {column}")
        raise FileError(message) from None
    is_chosen = any(ours == JUDGE for ours, _ in columns)
    return by_judge if is_chosen or _has_document_twice(by_judge) else {}


def column_of_judges(
    where: str, names: Sequence[Any], columns: Sequence[tuple[str, str]] = ()
) -> Any:
    """The column of a table that names the judge of each row, as the user or its name tells; None
    if there is none, or if the table has no topics, documents or levels.

    Raises `GradedError` if the user names one that the table lacks.
    """
    if not names:
        return None
    chosen = Chosen(columns=columns_named(columns))
    own_name = chosen.named(where, names, JUDGE)
    if own_name is not None:
        return own_name
    reading = Reading(QRELS, chosen)
    try:
        read, _ = reading.columns(where, names)
    except GradedError:
        return None
    return reading.judge(names, read) or None


def _of_file(path: Any, chosen: Chosen) -> dict[str, Rows]:
    """The qrels of each judge in a file."""
    rows = joined(parts_of(path, Reading(QRELS, chosen)), QRELS)
    facts = rows.facts._replace(unjudged=0)
    rows, names, bounds = grouped(rows, INTENT)
    by_judge: dict[str, Rows] = {}
    for name, (start, end) in zip(names, pairwise(bounds), strict=True):
        of_judge = rows.take(slice(start, end)).without(INTENT)
        of_judge.facts = facts
        by_judge[name] = of_judge.grouped(QRELS).with_ids()
    return by_judge


def _of_table(table: Any, chosen: Chosen) -> dict[str, Rows]:
    """The qrels of each judge in a table in memory."""
    cells = {ours: list(column) for ours, column in under_our_names(table, QRELS, chosen).items()}
    no_levels = [word.decode() for word in UNJUDGED]
    rows_of: dict[str, list[int]] = {}
    for row, (judge, level) in enumerate(zip(cells[INTENT], cells[QRELS.value], strict=True)):
        is_missing = level is None or level != level or level in no_levels  # NaN differs from NaN
        if not is_missing:
            rows_of.setdefault(str(judge), []).append(row)
    del cells[INTENT]
    by_judge: dict[str, Rows] = {}
    for name, rows in rows_of.items():
        of_judge = {ours: [column[row] for row in rows] for ours, column in cells.items()}
        by_judge[name] = read_qrels(of_judge)
    return by_judge


def _has_document_twice(by_judge: dict[str, Rows]) -> bool:
    """Whether two judges judged the same document of a topic."""
    judged: set[tuple[str, str]] = set()
    for rows in by_judge.values():
        of_judge = documents_of(rows)
        if not judged.isdisjoint(of_judge):
            return True
        judged |= of_judge
    return False


def documents_of(rows: Rows) -> set[tuple[str, str]]:
    """The topic and the id of each document in qrels."""
    documents: set[tuple[str, str]] = set()
    for (start, end), topic in zip(pairwise(rows.offsets.tolist()), rows.topics, strict=True):
        documents.update((topic, doc) for doc in rows.docs.ids().take(slice(start, end)))
    return documents
