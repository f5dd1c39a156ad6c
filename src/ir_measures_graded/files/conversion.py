"""Writes qrels and runs from files of any kind as TREC, CSV, TSV, Parquet or JSON files.

Ids and numbers are written exactly: reading the result gives the same values.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, repeat
from operator import itemgetter
from typing import Any

import numpy as np

from ..core.by_topic import bounds_of
from ..core.rows.arrow import arrow_array
from ..core.rows.chosen import NOTHING_CHOSEN, Chosen
from ..core.rows.columns import OF_CLASSIFIERS, plain
from ..core.rows.id_matching import Ids
from ..core.rows.rank_order import remark_on_counting
from ..core.rows.roles import INTENTS, QRELS, RUN, Role
from ..core.rows.rows import Facts, Part, joined
from ..core.rows.sources import read_qrels
from ..errors import FileError, GradedError, InputWarning, level_of_caller, needed, shown
from .content import SIZES, Content, File, Reading, Sizes, is_lasting
from .files import file_name, parts_of, without_endings
from .forms import is_json
from .grouping import grouped
from .sources import is_file

GROUP = 1_000_000  # rows per row group of a Parquet file
BREAK = "[\n\r\x0b\x0c\x85\u2028\u2029]|^\ufeff"
"""What begins a line, for some programs or all, and the mark that may begin a file."""
BLANK = re.compile(f"[ \t]|{BREAK}")
KEPT = ("first", "best")
"""The row to keep of a document that a topic lists again: the first one, or that of the highest
value.
"""


@dataclass(frozen=True)
class ConvertedRows:
    """The rows of qrels or of a run, topic by topic in the order of the file.

    `repeated` counts rows that were left out because they list a document of a topic again. Qrels
    may have the iteration of each row, and a run its name. `tag` is the name of a run from the
    user, empty for none.
    """

    role: Role
    name: str
    rows: Part
    repeated: int = 0
    tag: str = ""

    def column(self, name: str) -> list[Any]:
        """A column as a list; empty if there is none."""
        cells = self.rows.columns.get(name, ())
        return list(cells) if isinstance(cells, Ids) else np.asarray(cells).tolist()

    def summary(self) -> str:
        """The counts of the rows that were read, in one sentence."""
        facts = self.rows.facts
        skipped = {"rows without a rating": facts.unjudged, "repeated documents": self.repeated}
        topics = len(set(self.column("query_id")))
        counts = f"{topics:,} topics, {len(self.rows):,} rows"
        for what, count in skipped.items():
            if count:
                counts += f"; skipped {count:,} {what}"
        return f"{self.name}: {self.role.kind}, {facts.form}: {counts}"


def read_rows(
    file: File,
    role: Role | None = None,
    chosen: Chosen | None = None,
    duplicates: str | None = None,
    sizes: Sizes = SIZES,
) -> ConvertedRows:
    """The rows of a file. If `role` is None, the content must tell whether these are qrels or a
    run.

    If a topic lists a document again, `duplicates` is the row to keep, one of `KEPT`. By default,
    qrels keep all rows. Raises `FileError` for a file that cannot be read, for one without rows,
    for a run with a repeated document, and for a file that could be both.
    """
    chosen = chosen or NOTHING_CHOSEN
    name = Content(file).name
    if role is None:
        is_there = not isinstance(file, (str, os.PathLike)) or is_file(os.fspath(file))
        if is_there and not is_lasting(file):
            raise FileError(f"{name} can be read only once; use --qrels or --run")
        return _of_either_role(file, name, chosen, duplicates, sizes)
    rows = joined(parts_of(file, Reading(role, chosen, sizes)), role)
    if chosen.ascending and role is RUN:
        rows = rows.ascending()
    count = len(rows)
    if not count:
        raise FileError(f"{name}: there are no rows to convert")
    table = rows.grouped(role)  # refuses values that are not allowed
    if role is RUN and not chosen.ascending:
        # The converted rows may be in the order of the scores, which no longer shows it.
        reverse = rows.facts.reverse or remark_on_counting(table.offsets, table.values)
        if reverse:
            warnings.warn(f"{name}: {reverse}", InputWarning, stacklevel=level_of_caller())
    if role is RUN or duplicates:
        rows = without_repeated(rows, role, duplicates or "first")
    if len(rows) < count and not duplicates:
        raise FileError(
            f"{name}: {count - len(rows):,} rows list a document of a topic again; "
            "--duplicates first or best keeps one row"
        )
    by_topic, *_ = grouped(rows, "query_id")
    return ConvertedRows(role, name, by_topic, count - len(rows))


def _of_either_role(
    file: File, name: str, chosen: Chosen, duplicates: str | None, sizes: Sizes
) -> ConvertedRows:
    """The rows of a file whose content tells whether these are qrels or a run."""
    readable: list[ConvertedRows] = []
    errors: list[FileError] = []
    for role in (RUN, QRELS):
        try:
            readable.append(read_rows(file, role, chosen, duplicates, sizes))
        except FileError as error:
            errors.append(error)
    if not errors:
        run, qrels = readable
        scores = run.rows.facts.heads[-1:]
        if scores and plain(scores[0]) in OF_CLASSIFIERS:
            return qrels  # the probabilities of its levels
        raise FileError(f"{name} could be qrels or a run; use --qrels or --run")
    if not readable:
        raise min(errors, key=_says_other_role)
    return readable[0]


def _says_other_role(error: FileError) -> bool:
    """Whether an error may say only that a file has the other role.

    Another number of fields in the first line does so.
    """
    return ":1: " in str(error) or "this is a run" in str(error)


def rows_of(qrels: Mapping[str, Mapping[str, float]], name: str) -> ConvertedRows:
    """The rows of qrels in memory, with a name for messages.

    >>> written(rows_of({"q1": {"a": 2, "b": 0.5}}, "mine"), "mine.tsv")
    b'query_id\\tdoc_id\\trelevance\\nq1\\ta\\t2\\nq1\\tb\\t0.5\\n'
    """
    topics = [topic for topic, judged in qrels.items() for _ in judged]
    table = read_qrels(qrels)
    cells = (Ids.of(topics), table.docs, table.values)
    columns = dict(zip(QRELS.columns, cells, strict=True))
    return ConvertedRows(QRELS, name, Part(columns, np.arange(len(topics)), Facts()))


def without_repeated(rows: Part, role: Role, keep: str) -> Part:
    """The rows with one row for each document of a topic, in a run or for all intents.

    `keep` is one of `KEPT`.
    """
    order = np.arange(len(rows))
    if keep == "best":
        order = np.argsort(-np.asarray(rows.columns[role.value]), kind="stable")
    code = np.zeros(len(rows), np.int64)
    for name in {"query_id", "doc_id", "run"} & rows.columns.keys():
        _, number = rows.columns[name].numbered()
        count = int(number.max(initial=0)) + 1
        _, code = np.unique(code * count + number, return_inverse=True)
    _, first = np.unique(code[order], return_index=True)
    return rows.take(np.sort(order[first])).without(*INTENTS)


def written(rows: ConvertedRows, path: str) -> bytes:
    """The file that holds these rows; the ending of `path` chooses the form.

    Warns of values that other tools may not read. Raises `GradedError` for another ending, and for
    rows that the form cannot hold; only tables hold several runs.
    """
    plain = path.lower().removesuffix(".gz")
    ending = ".trec" if path == "-" else os.path.splitext(plain)[1]
    if ending not in WRITERS:
        raise GradedError(
            f"{path}: the ending chooses the form: {', '.join(WRITERS)}, and .gz after any"
        )
    runs = len(set(rows.column("run")))
    if runs > 1 and ending not in TABLES:
        raise GradedError(
            f"{path}: the file has {runs} runs; write {', '.join(TABLES)}, with the column run"
        )
    content = WRITERS[ending](rows)
    return content if plain == path.lower() else gzip.compress(content, mtime=0)


def _number(value: float) -> str:
    """The shortest text that is exactly this number."""
    return repr(value).removesuffix(".0")


OTHER_THAN_TREC = "use .tsv or .parquet"


def _trec(rows: ConvertedRows) -> bytes:
    _refuse_fields(rows)
    lines = _lines_of_qrels(rows) if rows.role is QRELS else _lines_of_run(rows)
    return "".join(lines).encode()


def _refuse_fields(rows: ConvertedRows) -> None:
    """Raise `GradedError` for ids that a TREC file cannot hold."""
    topics = dict.fromkeys(rows.column("query_id"))
    others = dict.fromkeys(rows.column("run") + rows.column("iteration"))
    for id_ in chain(topics, rows.column("doc_id"), others):
        if BLANK.search(id_) or not id_:
            raise GradedError(
                f"{rows.name}: {shown(id_)} has a blank, which separates fields; {OTHER_THAN_TREC}"
            )
    for topic in topics:
        if topic.startswith(("#", "<SYSDESC>")) or is_json(topic.encode()):
            raise GradedError(
                f"{rows.name}: topic {shown(topic)} would begin a comment or JSON; "
                f"{OTHER_THAN_TREC}"
            )


def _lines_of_qrels(rows: ConvertedRows) -> Iterator[str]:
    """The lines of a TREC file of qrels. Warns of values that other tools may not read."""
    topics, documents, levels = map(rows.column, QRELS.columns)
    iterations = rows.column("iteration") or repeat("0", len(topics))
    if any(level < -1 or level % 1 for level in levels):
        warning = "trec_eval reads only levels that are whole numbers from -1"
        warnings.warn(warning, stacklevel=level_of_caller())
    if len(set(rows.column("probability"))) > 1:
        warning = f"TREC files have no probabilities of intents; {OTHER_THAN_TREC}"
        warnings.warn(warning, stacklevel=level_of_caller())
    for topic, iteration, document, level in zip(
        topics, iterations, documents, levels, strict=True
    ):
        yield f"{topic} {iteration} {document} {_number(level)}\n"


def _lines_of_run(rows: ConvertedRows) -> Iterator[str]:
    """The lines of a TREC file of a run, by rank."""
    topics, documents, scores = map(rows.column, RUN.columns)
    tag = next(iter(rows.column("run")), "")
    if rows.tag or not tag:
        name = rows.tag or without_endings(file_name(rows.name))
        tag = BLANK.sub("_", name) or "run"
    # As trec_eval, this package compares scores as 32-bit floats, and then documents.
    with np.errstate(over="ignore"):
        compared = np.array(scores).astype(np.float32).tolist()
    retrieved = zip(topics, compared, documents, scores, strict=True)
    for topic, of_topic in groupby(retrieved, key=itemgetter(0)):
        best_first = sorted(of_topic, key=itemgetter(1, 2), reverse=True)
        for rank, (_, _, document, score) in enumerate(best_first, start=1):
            yield f"{topic} Q0 {document} {rank} {_number(score)} {tag}\n"


def _columns(rows: ConvertedRows) -> list[str]:
    """The columns of a table, with the iteration, its probability or the run if it tells rows
    apart.
    """
    columns = list(rows.role.columns)
    for name in (*INTENTS, "run"):
        if len(set(rows.column(name))) > 1:
            columns.append(name)
    return columns


def _delimited(rows: ConvertedRows, delimiter: str = ",") -> bytes:
    columns: dict[str, Iterable[Any]] = {name: rows.column(name) for name in _columns(rows)}
    columns[rows.role.value] = list(map(_number, rows.column(rows.role.value)))
    quoting: Any = csv.QUOTE_MINIMAL
    for cell in chain(*columns.values()):
        text_of_cell = str(cell)
        if re.search(BREAK, text_of_cell):
            raise GradedError(f"{rows.name}: {shown(cell)} has a line break; use .parquet or .json")
        if text_of_cell != text_of_cell.strip():
            # Blanks beside a delimiter belong to no field without quotes.
            quoting = csv.QUOTE_ALL
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    writer.writerows([columns, *zip(*columns.values(), strict=True)])
    return text.getvalue().encode()


def _parquet(rows: ConvertedRows) -> bytes:
    parquet = needed("pyarrow.parquet", "a Parquet file")
    import pyarrow

    columns: dict[str, Any] = {}
    for name in _columns(rows):
        column = rows.rows.columns[name]
        if isinstance(column, Ids):  # `pyarrow.array` would import pandas
            bounds = pyarrow.py_buffer(bounds_of(column.length))
            text = pyarrow.py_buffer(column.packed().data)
            columns[name] = pyarrow.Array.from_buffers(
                pyarrow.large_string(), len(column), [None, bounds, text]
            )
        else:
            columns[name] = arrow_array(column)
    content = io.BytesIO()
    table = pyarrow.table(columns)
    # Without the schema of Arrow, the file has strings, not large ones.
    parquet.write_table(table, content, row_group_size=GROUP, store_schema=False)
    return content.getvalue()


def _json(rows: ConvertedRows) -> bytes:
    by_topic: dict[str, dict[str, float]] = {}
    for topic, document, value in zip(*map(rows.column, rows.role.columns), strict=True):
        documents = by_topic.setdefault(topic, {})
        # pytrec_eval takes only whole levels and only floats as scores.
        exact = value
        if rows.role is QRELS and value % 1 == 0:
            exact = int(value)
        if documents.setdefault(document, exact) != exact:
            raise GradedError(
                f"{rows.name}: topic {shown(topic)}, document {shown(document)} has several "
                "levels; choose one with --duplicates best, or write a table"
            )
    if np.isinf(rows.column(rows.role.value)).any():
        warnings.warn("JSON has no infinite numbers; some tools do not read Infinity", stacklevel=2)
    return json.dumps(by_topic, ensure_ascii=False).encode()


WRITERS: dict[str, Callable[[ConvertedRows], bytes]] = {
    **dict.fromkeys((".run", ".qrels", ".trec", ".txt"), _trec),
    ".tsv": partial(_delimited, delimiter="\t"),
    ".csv": _delimited,
    ".parquet": _parquet,
    ".json": _json,
}
"""The writer of each ending."""
TABLES = (".tsv", ".csv", ".parquet")
