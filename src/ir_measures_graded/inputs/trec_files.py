"""Qrels and runs from TREC files, as Arrow tables: pyarrow's CSV reader, a block of lines at a time.

A block that pyarrow might read otherwise than line by line, because it separates fields by several
blanks, say, or has a mistake in it, is read by the strict reader of `lines` instead. What comes out is
the same, to the last bit of a score, so that only the time tells which of them it was.

Tables have the columns query_id, doc_id, and score or relevance and iteration, as ir-measures names
them, and `line`, where each row stands in the file. pyarrow is imported when a file is read. Nothing
here may import pandas with it, as the `to_numpy` of pyarrow's arrays does.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Qrel, ScoredDoc

from ..errors import GradedError
from .id_columns import arrow_numbers, changes_of_strings, stretches_of
from .strict_lines import BYTE_ORDER_MARK, Lines, TrecFile
from .tables import Table, read_run, refuse_repeated

if TYPE_CHECKING:
    import pandas
    import pyarrow

ROWS = 1 << 16  # of a run that are evaluated at a time, or as many more as its topic has
TAIL = 1 << 10  # rows among which the last topic of a block is looked for first
AHEAD = 8  # blocks of lines that are parsed in advance, because the next rows need several at once
CACHED = 1 << 16  # characters whose marks stay in a processor's cache
THREADS = 2  # that parse them, beside one that reads


@dataclass(frozen=True)
class _Form:
    """A kind of file: what its lines are, the column of each field, and the columns that are kept, of
    which `value` has numbers."""

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
    """The judgments of a file in TREC's form, ``topic iteration document level`` a line.

    `file` is a path, also to a file compressed by gzip (``.gz``), ``-`` (standard input) or an open
    binary file. Returns a DataFrame with the columns query_id, doc_id, relevance and iteration, which
    every provider of ir-measures takes.

    >>> import io
    >>> read_trec_qrels(io.BytesIO(b"q1 0 d1 3\\nq1 0 d2 1"))
      query_id doc_id  relevance iteration
    0       q1     d1          3         0
    1       q1     d2          1         0

    Fields are separated by blanks or tabs, blank lines are skipped. Levels are finite numbers, `int`
    where all of them are whole. A document may be judged several times, as in diversity qrels; graded
    measures refuse it where its levels differ. Raises `GradedError` for anything else.
    """
    frame = _frame(trec_qrels(file))
    level = frame["relevance"].to_numpy()
    if _whole(level):
        frame["relevance"] = level.astype(np.int64)
    return frame


def read_trec_run(file: TrecFile) -> pandas.DataFrame:
    """The run of a file in TREC's form, ``topic Q0 document rank score tag`` a line.

    `file` is what `read_trec_qrels` takes. Returns a DataFrame with the columns query_id, doc_id and
    score, which every provider of ir-measures takes.

    >>> import io
    >>> read_trec_run(io.BytesIO(b"q1 Q0 d1 1 9.5 mine"))
      query_id doc_id  score
    0       q1     d1    9.5

    Scores alone decide the order, ranks are not looked at. Fields are separated by blanks or tabs,
    blank lines are skipped. Raises `GradedError` for a line of another form, a score that is no
    number or NaN, and a document that a topic retrieves twice.
    """
    rows, table = TrecRun(file).whole()
    refuse_repeated(table)
    return _frame(rows)


def trec_qrels(file: TrecFile) -> pyarrow.Table:
    """The same judgments as an Arrow table; levels are floats."""
    return _joined(_tables(file, _QRELS), _QRELS)


class TrecRun:
    """A run in a file in TREC's form, read while it is evaluated and so never whole in memory.

    >>> import io, ir_measures_graded
    >>> run = TrecRun(io.BytesIO(b"q1 Q0 d1 1 9.5 mine"))
    >>> ir_measures_graded.nCG.calc_aggregate({"q1": {"d1": 1}}, run)
    1.0

    Graded measures take it in blocks of whole topics, `ROWS` rows or more; a file in which a topic comes
    back later is read whole in the end. For other providers it is an iterable of
    `ir_measures.ScoredDoc`. `file` is what `read_trec_run` takes, and errors are the same, raised when
    the run is evaluated. A file that can be read once only, such as standard input, is read whole and
    kept.
    """

    def __init__(self, file: TrecFile):
        self.file = file
        self._kept: pyarrow.Table | None = None

    @property
    def lasting(self) -> bool:
        """Whether the file can be read again, and by another process."""
        return is_lasting(self.file)

    def blocks(self) -> Iterator[Table]:
        """The rows in blocks of whole topics.

        Where a topic comes back later, the last block has all rows, in place of all that went before.
        """
        if not self.lasting:
            yield self.whole()[1]
            return
        seen: set[str] = set()
        for rows in _whole_topics(self._tables()):
            block = self._table(rows)
            if not seen.isdisjoint(block.topics):
                yield self.whole()[1]
                return
            seen.update(block.topics)
            yield block

    def whole(self) -> tuple[pyarrow.Table, Table]:
        """All rows, as they stand in the file and by topic."""
        rows = _joined(self._tables(), _RUN)
        if not self.lasting:
            self._kept = rows
        return rows, self._table(rows)

    def __iter__(self) -> Iterator[ScoredDoc]:
        for block in self.blocks():
            refuse_repeated(block)
        for rows in self._tables():
            yield from map(ScoredDoc, *(rows[column].to_pylist() for column in _RUN.columns))

    def _tables(self) -> Iterator[pyarrow.Table]:
        return iter([self._kept]) if self._kept is not None else _tables(self.file, _RUN)

    def _table(self, rows: pyarrow.Table) -> Table:
        return replace(read_run(rows), twice=partial(self._twice, rows))

    def _twice(self, rows: pyarrow.Table, *_: str) -> GradedError:
        """What to say of rows with a document that a topic retrieves twice, naming the first."""
        lines = Lines(self.file, _RUN.lines)
        first: dict[tuple[str, str], int] = {}
        for *row, lines.number in zip(*(rows[name].to_pylist() for name in ("query_id", "doc_id", "line"))):
            topic, doc = row
            if (topic, doc) in first:
                break
            first[topic, doc] = lines.number
        return lines.error(
            f"topic {topic!r} retrieves document {doc!r} a second time (first in line {first[topic, doc]}); "
            "a document has one rank in a topic"
        )


def is_lasting(file: TrecFile) -> bool:
    """Whether this is a file on a disk, neither a stream nor a pipe."""
    return isinstance(file, (str, os.PathLike)) and file != "-" and os.path.isfile(file)


def qrel_tuples(qrels: pyarrow.Table) -> list[Qrel]:
    """Judgments as providers of ir-measures take them at no further cost; whole levels are ints."""
    level = arrow_numbers(qrels["relevance"])
    levels = (level.astype(np.int64) if _whole(level) else level).tolist()
    topics, docs, iterations = (qrels[name].to_pylist() for name in ("query_id", "doc_id", "iteration"))
    return list(map(Qrel, topics, docs, levels, iterations))


def run_dicts(run: pyarrow.Table) -> dict[str, dict[str, float]]:
    """A run as providers of ir-measures take it at no further cost."""
    dicts: dict[str, dict[str, float]] = {}
    docs, scores = run["doc_id"].to_pylist(), arrow_numbers(run["score"]).tolist()
    starts, topics = stretches_of(run["query_id"], "run: query_id")
    bounds = [*starts.tolist(), len(docs)]
    for topic, (start, stop) in zip(topics, pairwise(bounds)):
        of_topic = dicts.setdefault(topic, {})
        of_topic.update(zip(docs[start:stop], scores[start:stop]))
    return dicts


# ------------------------------------------------------------------------------ blocks of lines


def _tables(file: TrecFile, form: _Form) -> Iterator[pyarrow.Table]:
    """A table for each block of lines of the file, in order."""
    lines = Lines(file, form.lines)
    if is_lasting(file):
        parsed = _ahead(lines.blocks(), form)
    else:  # reading in advance could wait for ever
        parsed = ((block, _plainly(block, form)) for block in lines.blocks())
    for block, rows in parsed:
        if rows is None:
            yield _strictly(block, form, lines)
        else:
            first = lines.number + 1
            lines.number += rows.num_rows
            yield _with_lines(rows, np.arange(first, lines.number + 1))
    lines.end()


def _ahead(blocks: Iterator[bytes], form: _Form) -> Iterator[tuple[bytes, pyarrow.Table | None]]:
    """Each block and what `_plainly` makes of it. While one is at work the next are read and parsed."""
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
    """A block as pyarrow reads it, or None where that might not be what the strict reader reads."""
    import pyarrow
    from pyarrow import csv

    block = block.replace(b"\t", b" ")
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    fields = _fields(block)
    if not fields or b"\r" in block or block.startswith(BYTE_ORDER_MARK):  # which pyarrow would take for one
        return None
    try:
        if not block.isascii():
            block.decode()
        rows = csv.open_csv(  # not read_csv, which on Python 3.10 goes through all objects that there are
            pyarrow.BufferReader(block),
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
            memory_pool=pyarrow.system_memory_pool(),  # which keeps less than others of what is freed
        ).read_all()
    except (UnicodeDecodeError, pyarrow.ArrowInvalid):
        return None
    if fields != rows.num_rows * len(form.fields) or not form.allowed(arrow_numbers(rows[form.value])).all():
        return None
    return rows


def _fields(block: bytes) -> int:
    """How many fields a block of lines has, 0 where one is empty. Blanks, line ends and what else may count
    as one: each must end exactly one field.

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
    """A block read line by line; whatever is wrong in it is raised."""
    import pyarrow

    place = [form.fields.index(name) for name in form.columns]
    kept: list[list[Any]] = [[] for _ in place]
    numbers: list[int] = []
    for fields in lines.fields(block):
        numbers.append(lines.number)
        for name, column, field in zip(form.columns, kept, place):
            column.append(form.number(lines, fields[field]) if name == form.value else fields[field])
    columns = [
        _number_column(np.array(column, dtype=np.float64)) if name == form.value else _string_column(column)
        for name, column in zip(form.columns, kept)
    ]
    rows = pyarrow.Table.from_arrays(columns, list(form.columns))
    return _with_lines(rows, np.array(numbers, dtype=np.int64))


def _with_lines(rows: pyarrow.Table, lines: np.ndarray) -> pyarrow.Table:
    return rows.append_column("line", _number_column(lines))


def _number_column(values: np.ndarray) -> pyarrow.Array:
    import pyarrow

    type_ = pyarrow.from_numpy_dtype(values.dtype)
    return pyarrow.Array.from_buffers(type_, values.size, [None, pyarrow.py_buffer(values)])


def _string_column(texts: list[bytes]) -> pyarrow.Array:
    import pyarrow

    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pyarrow.StringArray.from_buffers(
        len(texts), pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(texts))
    )


# ------------------------------------------------------------------------------------- tables


def _joined(tables: Iterable[pyarrow.Table], form: _Form) -> pyarrow.Table:
    import pyarrow

    empty = _strictly(b"", form, Lines("", form.lines))  # whose columns a file without a line has
    return pyarrow.concat_tables([empty, *tables])


def _whole_topics(tables: Iterable[pyarrow.Table]) -> Iterator[pyarrow.Table]:
    """The same rows in blocks of `ROWS` or more, cut where topics change."""
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
    """The last row whose topic is not that of the row before, 0 where all are of one topic."""
    size = TAIL
    while True:
        last = rows["query_id"][-size:].combine_chunks()
        change = int(changes_of_strings(last)[-1])
        if change > 0 or size >= len(rows):
            return len(rows) - len(last) + change
        size *= 4


def _whole(level: np.ndarray) -> bool:
    """Whether all of these floats are whole numbers that an int64 can hold."""
    return bool(((np.abs(level) < 2.0**63) & (level == np.floor(level))).all())


def _frame(rows: pyarrow.Table) -> pandas.DataFrame:
    """A DataFrame whose strings stay with Arrow: pandas' `str`, or ``string[pyarrow]`` before pandas 3."""
    import pandas
    import pyarrow

    kept = [name for name in rows.column_names if name != "line"]
    before_3 = pandas.StringDtype("pyarrow") if int(pandas.__version__.partition(".")[0]) < 3 else None
    return rows.select(kept).to_pandas(types_mapper={pyarrow.string(): before_3}.get)
