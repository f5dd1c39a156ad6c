"""Writes qrels and runs from files of any kind as TREC, CSV, TSV, Parquet or JSON files.

Ids and numbers are written exactly: reading the result gives the same values.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, compress, groupby, repeat
from operator import add, itemgetter
from typing import Any

import numpy as np

from ..errors import FileError, GradedError, shown
from .arrow import arrow_array, stable_order
from .columns import QRELS, RUN, Chosen
from .content import Content, File, is_lasting
from .files import joined, tables_of, without_repeated

GROUP = 1_000_000  # rows per row group of a Parquet file
ROLES = {"qrels": QRELS, "run": RUN}
BLANK = re.compile(r"[ \t\n\r\x0b\x0c]")


@dataclass(frozen=True)
class Rows:
    """The rows of qrels or of a run, topic by topic in the order of the file.

    `form` names the form of their file, and `skipped` counts rows that were skipped, by reason. `others` has
    the iteration of each row of qrels, or the run of each row of a run; it is empty if the file has none.
    """

    kind: str  # "qrels" or "run"
    name: str
    form: str
    skipped: dict[str, int]
    topics: list[str]
    documents: list[str]
    values: list[float]
    others: list[str]

    def summary(self) -> str:
        """One sentence on what was read.

        >>> Rows("run", "a.json", "JSON lines", {}, ["q1", "q2"], ["a", "b"], [1.0, 2.0], []).summary()
        'a.json: run, JSON lines: 2 topics, 2 rows'
        """
        skipped = "".join(f"; skipped {count:,} {what}" for what, count in self.skipped.items() if count)
        topics = len(set(self.topics))
        return f"{self.name}: {self.kind}, {self.form}: {topics:,} topics, {len(self.topics):,} rows{skipped}"


def read_rows(
    file: File, kind: str | None = None, chosen: Chosen | None = None, duplicates: str | None = None
) -> Rows:
    """The rows of a file. If `kind` is None, the content must tell whether these are qrels or a run.

    `duplicates` is that of `RunFile`.

    Raises `FileError` for a file that cannot be read, and for one that could be both.
    """
    if kind is not None:
        return _read(file, kind, chosen or Chosen(), duplicates)
    found: dict[str, Rows] = {}
    errors: dict[str, FileError] = {}
    name = Content(file).name
    if not is_lasting(file):
        raise FileError(f"{name} can be read only once; use --qrels or --run")
    for each in ROLES:
        try:
            found[each] = _read(file, each, chosen or Chosen(), duplicates)
        except FileError as error:
            errors[each] = error
    if len(found) == 2:
        raise FileError(f"{name} could be qrels or a run; use --qrels or --run")
    if not found:
        # Another number of fields in the first line says only that the file has the other role.
        raise min((errors["run"], errors["qrels"]), key=lambda error: ":1: " in str(error))
    return next(iter(found.values()))


def _read(file: File, kind: str, chosen: Chosen, duplicates: str | None) -> Rows:
    role = ROLES[kind]
    rows = joined(tables_of(file, role, chosen), role)
    count = len(rows)
    if kind == "run":
        kept = without_repeated(rows, duplicates or "first")
        if len(kept) < count and not duplicates:
            raise FileError(
                f"{Content(file).name}: {count - len(kept):,} rows list a document of a topic again; "
                "--duplicates first or best keeps one row"
            )
        rows = kept
    number: dict[str, int] = {}
    topics = rows["query_id"].to_pylist()
    code = np.array([number.setdefault(topic, len(number)) for topic in topics], dtype=np.int64)
    if (code[1:] < code[:-1]).any():  # the rows of a topic are not contiguous
        rows = rows.take(arrow_array(stable_order(code)))
    other = "iteration" if kind == "qrels" else "run"
    found = Rows(
        kind,
        Content(file).name,
        chosen.account.form,
        {"rows without a rating": chosen.account.unjudged, "repeated documents": count - len(rows)},
        rows["query_id"].to_pylist(),
        rows["doc_id"].to_pylist(),
        rows[role.value].to_pylist(),
        rows[other].to_pylist() if other in rows.column_names else [],
    )
    for topic, document, value in zip(found.topics, found.documents, found.values):
        if math.isnan(value) or (kind == "qrels" and math.isinf(value)):
            place = f"{found.name}: topic {shown(topic)}, document {shown(document)}"
            raise FileError(f"{place}: the {role.value} is {value}, which is not allowed")
    return found


def one_intent(rows: Rows, merge: str) -> Rows:
    """Qrels with one level for each document: the ``max`` or the ``sum`` of its levels.

    >>> rows = Rows("qrels", "a", "TREC", {}, ["q", "q", "q"], ["d", "d", "e"], [1, 2, 1], ["1", "2", "1"])
    >>> one_intent(rows, "sum").values
    [3, 1]
    """
    found: dict[tuple[str, str], float] = {}
    for topic, document, level in zip(rows.topics, rows.documents, rows.values):
        key = topic, document
        found[key] = level if key not in found else MERGES[merge](found[key], level)
    topics, documents = ([key[part] for key in found] for part in (0, 1))
    return replace(rows, topics=topics, documents=documents, values=[*found.values()], others=[])


MERGES: dict[str, Callable[[float, float], float]] = {"max": max, "sum": add}


def written(rows: Rows, path: str) -> dict[str, bytes]:
    """The files that hold these rows, by path; the ending of `path` chooses the form.

    For several runs, a table has the column ``run``; for other forms, ``{run}`` in `path` stands for the name
    of each run. Warns of values that other tools may not read. Raises `GradedError` for another ending, and
    for rows that the form cannot hold.
    """
    ending = ".trec" if path == "-" else os.path.splitext(path.lower().removesuffix(".gz"))[1]
    if ending not in WRITERS:
        raise GradedError(f"{path}: the ending chooses the form: {', '.join(WRITERS)}, and .gz after any")
    write, is_table = WRITERS[ending]
    names = dict.fromkeys(rows.others) if rows.kind == "run" else {}
    if not is_table and len(names) > 1 and "{run}" not in path:
        raise GradedError(f"{path}: the file has {len(names)} runs; write {{run}} for the name in the path")
    parts = {path: rows}
    if "{run}" in path and names:
        parts = {path.replace("{run}", name): _of_run(rows, name) for name in names}
    contents = {each: write(part) for each, part in parts.items()}
    if path.lower().endswith(".gz"):
        contents = {each: gzip.compress(content, mtime=0) for each, content in contents.items()}
    return contents


def _of_run(rows: Rows, name: str) -> Rows:
    kept = [other == name for other in rows.others]
    topics, documents = ([*compress(ids, kept)] for ids in (rows.topics, rows.documents))
    return replace(
        rows,
        topics=topics,
        documents=documents,
        values=[*compress(rows.values, kept)],
        others=[name] * len(topics),
    )


def _number(value: float) -> str:
    """The shortest text that is exactly this number."""
    return repr(value).removesuffix(".0")


def _trec(rows: Rows) -> bytes:
    advice = "use .tsv or .parquet"
    for id_ in chain(dict.fromkeys(rows.topics), rows.documents, dict.fromkeys(rows.others)):
        if BLANK.search(id_) or not id_:
            raise GradedError(f"{rows.name}: {shown(id_)} has a blank, which separates fields; {advice}")
    for topic in dict.fromkeys(rows.topics):
        if topic.startswith(("#", "<SYSDESC>")):
            raise GradedError(f"{rows.name}: topic {shown(topic)} would begin a comment; {advice}")
    if rows.kind == "qrels":
        if any(level < -1 or level % 1 for level in rows.values):
            warnings.warn("trec_eval reads only levels that are whole numbers from -1", stacklevel=2)
        columns = zip(rows.topics, rows.others or repeat("0"), rows.documents, rows.values)
        lines = [
            f"{topic} {other} {document} {_number(level)}\n" for topic, other, document, level in columns
        ]
        return "".join(lines).encode()
    tag = (
        rows.others[0]
        if rows.others
        else BLANK.sub("_", re.sub(r"\..*", "", os.path.basename(rows.name))) or "run"
    )
    # As trec_eval, this package compares scores as 32-bit floats, and then documents.
    with np.errstate(over="ignore"):
        compared = np.array(rows.values).astype(np.float32).tolist()
    lines = []
    for _, ranked in groupby(zip(rows.topics, compared, rows.documents, rows.values), key=itemgetter(0)):
        best_first = sorted(ranked, key=itemgetter(1, 2), reverse=True)
        for rank, (topic, _, document, score) in enumerate(best_first, start=1):
            lines.append(f"{topic} Q0 {document} {rank} {_number(score)} {tag}\n")
    return "".join(lines).encode()


def _columns(rows: Rows) -> dict[str, list[Any]]:
    """The columns of a table, with the iteration or the run if it tells rows apart."""
    value, other = ("relevance", "iteration") if rows.kind == "qrels" else ("score", "run")
    columns: dict[str, list[Any]] = {"query_id": rows.topics, "doc_id": rows.documents, value: rows.values}
    return {**columns, other: rows.others} if len(set(rows.others)) > 1 else columns


def _delimited(delimiter: str) -> Callable[[Rows], bytes]:
    def write(rows: Rows) -> bytes:
        columns = _columns(rows)
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        topics, documents, values, *others = columns.values()
        writer.writerows(zip(topics, documents, map(_number, values), *others))
        return text.getvalue().encode()

    return write


def _parquet(rows: Rows) -> bytes:
    import pyarrow
    from pyarrow import parquet

    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(_columns(rows)), sink, row_group_size=GROUP)
    return sink.getvalue().to_pybytes()


def _json(rows: Rows) -> bytes:
    found: dict[str, dict[str, float]] = {}
    for topic, document, value in zip(rows.topics, rows.documents, rows.values):
        documents = found.setdefault(topic, {})
        # pytrec_eval takes only whole levels and only floats as scores.
        exact = int(value) if rows.kind == "qrels" and value % 1 == 0 else value
        if documents.setdefault(document, exact) != exact:
            raise GradedError(
                f"{rows.name}: topic {shown(topic)}, document {shown(document)} has several levels; "
                "choose one with --intents max or sum, or write a table"
            )
    if any(map(math.isinf, rows.values)):
        warnings.warn("JSON has no infinite numbers; some tools do not read Infinity", stacklevel=2)
    return json.dumps(found, ensure_ascii=False).encode()


WRITERS: dict[str, tuple[Callable[[Rows], bytes], bool]] = {
    **dict.fromkeys((".run", ".qrels", ".trec", ".txt"), (_trec, False)),
    ".tsv": (_delimited("\t"), True),
    ".csv": (_delimited(","), True),
    ".parquet": (_parquet, True),
    ".json": (_json, False),
}
"""The writer of each ending, and whether it writes a table."""
