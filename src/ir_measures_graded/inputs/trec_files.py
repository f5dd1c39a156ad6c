"""Qrels and runs from TREC files as Arrow tables.

pyarrow's CSV reader parses a file in blocks of lines. The strict reader of `strict_lines` parses a block
again if pyarrow might read it differently, for example because fields are separated by several blanks
or because a line is wrong. Both readers give the same result, to the last bit of every score.

The tables have ir-measures' columns query_id, doc_id, and score or relevance and iteration. The column
`line` is the line number of each row. pyarrow is imported when a file is read. No code here may import
pandas indirectly, as pyarrow's `to_numpy` does.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Qrel, ScoredDoc

from .arrow import arrow_array, arrow_numbers, changes_of_strings, numbers_of, whole_table
from .id_columns import stretches_of
from .strict_lines import BYTE_ORDER_MARK, Lines, TrecFile
from .tables import FILE, Table, column_names, read_run, refuse_repeated

if TYPE_CHECKING:
    import pandas
    import pyarrow

ROWS = 1 << 16  # of a run per evaluated block, unless one topic has more
TAIL = 1 << 10  # rows at the end of a block in which its last topic is searched first
AHEAD = 8  # blocks of lines parsed in advance, because an evaluated block needs several
CACHED = 1 << 16  # characters scanned at once, so that they stay in the processor cache
THREADS = 2  # parsing threads, in addition to one reading thread


@dataclass(frozen=True)
class _Form:
    """The form of a file: its line, its fields, the columns that are kept, and the numeric column `value`."""

    lines: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    value: str
    number: Callable[[Lines, bytes], float]
    allowed: Callable[[np.ndarray], np.ndarray]


_RUN = _Form(
    "topic Q0 document rank score tag",
    ("query_id", "Q0", "doc_id", "rank", "score", "tag"),
    ("query_id", "doc_id", "score"),
    "score",
    Lines.score,
    lambda scores: ~np.isnan(scores),
)
_QRELS = _Form(
    "topic iteration document level",
    ("query_id", "iteration", "doc_id", "relevance"),
    ("query_id", "doc_id", "relevance", "iteration"),
    "relevance",
    Lines.level,
    np.isfinite,
)


def read_trec_qrels(file: TrecFile) -> pandas.DataFrame:
    """The judgments of a TREC file with lines of the form ``topic iteration document level``.

    `file` is a path, ``-`` (standard input) or an open binary file; the content may be compressed by gzip,
    bzip2, xz or Zstandard. Returns a DataFrame with the columns query_id, doc_id, relevance and iteration,
    which every provider of ir-measures accepts.

    >>> import io
    >>> read_trec_qrels(io.BytesIO(b"q1 0 d1 3\\nq1 0 d2 1"))
      query_id doc_id  relevance iteration
    0       q1     d1          3         0
    1       q1     d2          1         0

    Fields are separated by blanks or tabs; blank lines are skipped. Levels are finite numbers, of type
    `int` if all are whole. A document may be judged several times, as in diversity qrels; graded measures
    refuse it if its levels differ. Raises `GradedError` for a line of any other form.
    """
    frame = _frame(trec_qrels(file))
    level = frame["relevance"].to_numpy()
    if _whole(level):
        frame["relevance"] = level.astype(np.int64)
    return frame


def read_trec_run(file: TrecFile) -> pandas.DataFrame:
    """The run of a TREC file with lines of the form ``topic Q0 document rank score tag``.

    `file` is as in `read_trec_qrels`. Returns a DataFrame with the columns query_id, doc_id and score,
    which every provider of ir-measures accepts.

    >>> import io
    >>> read_trec_run(io.BytesIO(b"q1 Q0 d1 1 9.5 mine"))
      query_id doc_id  score
    0       q1     d1    9.5

    Only scores determine the order; ranks are ignored. Fields are separated by blanks or tabs; blank lines
    are skipped. Raises `GradedError` for a line of another form, for a score that is NaN or not a number,
    and for a document that a topic retrieves twice.
    """
    rows, table = TrecRun(file).whole()
    refuse_repeated(table)
    return _frame(rows)


def trec_qrels(file: TrecFile) -> pyarrow.Table:
    """The judgments of a TREC file as an Arrow table; levels are floats."""
    return _joined(_tables(file, _QRELS), file, _QRELS)


class TrecRun:
    """A run in a TREC file, read while it is evaluated and therefore never whole in memory.

    >>> import io, ir_measures_graded
    >>> run = TrecRun(io.BytesIO(b"q1 Q0 d1 1 9.5 mine"))
    >>> ir_measures_graded.nCG.calc_aggregate({"q1": {"d1": 1}}, run)
    1.0

    Graded measures evaluate it in blocks of whole topics with at least `ROWS` rows. A file whose topics are
    not contiguous is read whole in the end. Other providers iterate over it as `ir_measures.ScoredDoc`
    objects. `file` and errors are as in `read_trec_run`; errors are raised during evaluation. A file that
    can be read only once, such as standard input, is read whole and kept.
    """

    def __init__(self, file: TrecFile):
        self.file = file
        self._kept: pyarrow.Table | None = None

    @property
    def lasting(self) -> bool:
        """Whether the file can be read again, also by another process."""
        return is_lasting(self.file)

    def blocks(self) -> Iterator[Table]:
        """The rows in blocks of whole topics.

        If the topics are not contiguous, the last block has all rows and replaces all earlier blocks.
        """
        if not self.lasting:
            yield self.whole()[1]
            return
        seen: set[str] = set()
        for rows in _whole_topics(self._tables()):
            block = read_run(rows)
            if not seen.isdisjoint(block.topics):
                yield self.whole()[1]
                return
            seen.update(block.topics)
            yield block

    def whole(self) -> tuple[pyarrow.Table, Table]:
        """All rows, in the order of the file and grouped by topic."""
        rows = _joined(self._tables(), self.file, _RUN)
        if not self.lasting:
            self._kept = rows
        return rows, read_run(rows)

    def __iter__(self) -> Iterator[ScoredDoc]:
        for block in self.blocks():
            refuse_repeated(block)
        for rows in self._tables():
            yield from map(ScoredDoc, *(rows[column].to_pylist() for column in _RUN.columns))

    def _tables(self) -> Iterator[pyarrow.Table]:
        return iter([self._kept]) if self._kept is not None else _tables(self.file, _RUN)


def is_lasting(file: TrecFile) -> bool:
    """Whether this is a regular file, not a stream or a pipe."""
    return isinstance(file, (str, os.PathLike)) and file != "-" and os.path.isfile(file)


def qrel_tuples(qrels: Any) -> list[Qrel]:
    """Judgments from Arrow data in the form that providers of ir-measures read fastest.

    Whole levels are ints. The iteration is "0" if there is no such column.
    """
    rows = whole_table(qrels)
    topics, docs, levels = (rows[name] for name in column_names("qrels: the Arrow table", rows, "relevance"))
    level = np.array(numbers_of(levels), dtype=np.float64)
    if _whole(level):
        level = level.astype(np.int64)
    has_iterations = "iteration" in rows.column_names
    iterations = rows["iteration"].to_pylist() if has_iterations else ["0"] * len(rows)
    return list(map(Qrel, topics.to_pylist(), docs.to_pylist(), level.tolist(), iterations))


def run_dicts(run: Any) -> dict[str, dict[str, float]]:
    """A run from Arrow data in the form that providers of ir-measures read fastest."""
    rows = whole_table(run)
    topic, doc, score = (rows[name] for name in column_names("run: the Arrow table", rows, "score"))
    dicts: dict[str, dict[str, float]] = {}
    docs, scores = doc.to_pylist(), np.array(numbers_of(score), dtype=np.float64).tolist()
    stretches = stretches_of(topic, "run: query_id")
    bounds = [*stretches.start.tolist(), len(docs)]
    for number, (start, stop) in zip(stretches.code.tolist(), pairwise(bounds)):
        of_topic = dicts.setdefault(stretches.names[number], {})
        of_topic.update(zip(docs[start:stop], scores[start:stop]))
    return dicts


# ------------------------------------------------------------------------------ blocks of lines


def _tables(file: TrecFile, form: _Form) -> Iterator[pyarrow.Table]:
    """A table for each block of lines of the file, in the order of the file."""
    lines = Lines(file, form.lines)
    if is_lasting(file):
        parsed = _ahead(lines.blocks(), form)
    else:  # reading ahead in a stream could block forever
        parsed = ((block, _plainly(block, form)) for block in lines.blocks())
    for block, rows in parsed:
        if rows is None:
            yield _strictly(block, form, lines)
        else:
            first = lines.number + 1
            lines.number += rows.num_rows
            yield _with_lines(rows, np.arange(first, lines.number + 1), lines.name)
    lines.end()


def _ahead(blocks: Iterator[bytes], form: _Form) -> Iterator[tuple[bytes, pyarrow.Table | None]]:
    """Each block and its table from `_plainly`; the next blocks are read and parsed in the background."""
    pending: deque[tuple[bytes, Future[pyarrow.Table | None]]] = deque()
    with ThreadPoolExecutor(1 + THREADS) as pool:
        reading = pool.submit(next, blocks, None)
        while (block := reading.result()) is not None:
            reading = pool.submit(next, blocks, None)
            pending.append((block, pool.submit(_plainly, block, form)))
            if len(pending) > AHEAD:
                block, parsed = pending.popleft()
                yield block, parsed.result()
        for block, parsed in pending:
            yield block, parsed.result()


def _plainly(block: bytes, form: _Form) -> pyarrow.Table | None:
    """A block parsed by pyarrow, or None if the strict reader might read it differently."""
    import pyarrow
    from pyarrow import csv

    block = block.replace(b"\t", b" ")
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    fields = _fields(block)
    if not fields or b"\r" in block or block.startswith(BYTE_ORDER_MARK):  # pyarrow would strip the mark
        return None
    try:
        if not block.isascii():
            block.decode()
        rows = csv.open_csv(  # read_csv is slow on Python 3.10: it visits all Python objects
            pyarrow.BufferReader(_owned_by_arrow(block)),
            csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=form.fields),
            csv.ParseOptions(delimiter=" ", quote_char=False),
            csv.ConvertOptions(
                check_utf8=False,
                column_types={
                    name: pyarrow.float64() if name == form.value else pyarrow.string()
                    for name in form.columns
                },
                null_values=[],
                include_columns=form.columns,
            ),
            memory_pool=pyarrow.system_memory_pool(),  # other pools keep more freed memory
        ).read_all()
    except (UnicodeDecodeError, pyarrow.ArrowInvalid):
        return None
    if fields != rows.num_rows * len(form.fields) or not form.allowed(arrow_numbers(rows[form.value])).all():
        return None
    return rows


def _owned_by_arrow(block: bytes) -> pyarrow.Buffer:
    """A copy of the block in memory of Arrow.

    Arrow's threads may release a buffer after its table is returned. If Python owned the buffer and the
    interpreter ended at that moment, the process would abort.
    """
    import pyarrow

    buffer = pyarrow.allocate_buffer(len(block), memory_pool=pyarrow.system_memory_pool())
    np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(block, np.uint8)
    return buffer


def _fields(block: bytes) -> int:
    """The number of fields in a block of lines, 0 if a field is empty.

    Each blank, line end or other control character must end exactly one field.

    >>> _fields(b"q1 0 d1 3\\nq1 0 d2 1"), _fields(b"q1 0  d1 3")
    (8, 0)
    """
    characters, count = np.frombuffer(block, np.uint8), 0
    if not block or block[0] <= ord(" "):
        return 0
    for start in range(0, len(block), CACHED):
        ends = characters[start : start + CACHED + 1] <= ord(" ")
        if (ends[1:] & ends[:-1]).any():
            return 0
        count += int(np.count_nonzero(ends[:CACHED]))
    return count + (not block.endswith(b"\n"))


def _strictly(block: bytes, form: _Form, lines: Lines) -> pyarrow.Table:
    """A block parsed line by line. Raises `FileError` for the first wrong line."""
    import pyarrow

    place = [form.fields.index(name) for name in form.columns]
    kept: list[list[Any]] = [[] for _ in place]
    numbers: list[int] = []
    for fields in lines.fields(block):
        numbers.append(lines.number)
        for name, column, field in zip(form.columns, kept, place):
            column.append(form.number(lines, fields[field]) if name == form.value else fields[field])
    columns = [
        arrow_array(np.array(column, dtype=np.float64)) if name == form.value else _string_column(column)
        for name, column in zip(form.columns, kept)
    ]
    rows = pyarrow.Table.from_arrays(columns, list(form.columns))
    return _with_lines(rows, np.array(numbers, dtype=np.int64), lines.name)


def _with_lines(rows: pyarrow.Table, numbers: np.ndarray, file: str) -> pyarrow.Table:
    """The rows with their line numbers and the name of their file, which errors name."""
    return rows.append_column("line", arrow_array(numbers)).replace_schema_metadata({FILE: os.fsencode(file)})


def _string_column(texts: list[bytes]) -> pyarrow.Array:
    import pyarrow

    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pyarrow.StringArray.from_buffers(
        len(texts), pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(texts))
    )


# ------------------------------------------------------------------------------------- tables


def _joined(tables: Iterable[pyarrow.Table], file: TrecFile, form: _Form) -> pyarrow.Table:
    import pyarrow

    empty = _strictly(b"", form, Lines(file, form.lines))  # supplies the schema for an empty file
    return pyarrow.concat_tables([empty, *tables])


def _whole_topics(tables: Iterable[pyarrow.Table]) -> Iterator[pyarrow.Table]:
    """The same rows in blocks of at least `ROWS` rows, cut where the topic changes."""
    import pyarrow

    pending: list[pyarrow.Table] = []
    for rows in filter(len, tables):
        cut = _last_change(rows)
        at_border = cut > 0 or (pending and rows["query_id"][0] != pending[-1]["query_id"][-1])
        if at_border and sum(map(len, pending)) + cut >= ROWS:
            yield pyarrow.concat_tables([*pending, rows.slice(0, cut)])
            pending, rows = [], rows.slice(cut)
        pending.append(rows)
    if pending:
        yield pyarrow.concat_tables(pending)


def _last_change(rows: pyarrow.Table) -> int:
    """The last row whose topic differs from the row before, 0 if all rows have the same topic."""
    size = TAIL
    while True:
        last = rows["query_id"][-size:].combine_chunks()
        change = int(changes_of_strings(last)[-1])
        if change > 0 or size >= len(rows):
            return len(rows) - len(last) + change
        size *= 4


def _whole(level: np.ndarray) -> bool:
    """Whether all of these floats are whole numbers in the range of int64."""
    return bool(((np.abs(level) < 2.0**63) & (level == np.floor(level))).all())


def _frame(rows: pyarrow.Table) -> pandas.DataFrame:
    """A DataFrame whose strings are stored by Arrow: `str`, or ``string[pyarrow]`` before pandas 3."""
    import pandas
    import pyarrow

    kept = [name for name in rows.column_names if name != "line"]
    before_3 = pandas.StringDtype("pyarrow") if int(pandas.__version__.partition(".")[0]) < 3 else None
    return (
        rows.select(kept).replace_schema_metadata().to_pandas(types_mapper={pyarrow.string(): before_3}.get)
    )
