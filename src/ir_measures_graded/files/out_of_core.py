"""Rows in any order as blocks of whole topics, even if they do not fit into memory (extra ``duckdb``).

DuckDB sorts rows by a hash of their topic. Rows that exceed its memory limit go to temporary files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from ..core.by_topic import changes
from ..core.rows.arrow import arrow_numbers
from ..core.rows.columns import RUN
from ..core.rows.id_columns import docs_of
from ..core.rows.id_matching import Ids
from ..core.rows.rows import IDS, Facts, Part, joined
from ..errors import FileError, install_hint
from .content import SIZES, Sizes
from .table_files import arrow_table

if TYPE_CHECKING:
    import pyarrow

TAIL = 1 << 10  # rows at the end of a part in which the last change of topic is searched first
THREADS = 4  # maximum number of threads of DuckDB; each one needs memory of its own


def regrouped(parts: Iterator[Part], name: str, sizes: Sizes = SIZES) -> Iterator[Part]:
    """The rows of several parts in blocks of whole topics. Up to `sizes.grouped` rows form one block.

    The order of the rows in a block is not defined. Raises `FileError`, which names the source of the rows,
    if DuckDB is needed and not installed, or if its temporary files cannot be written.
    """
    kept: list[Part] = []
    for part in parts:
        kept.append(part)
        if sum(map(len, kept)) > sizes.grouped:
            yield from _sorted(chain(kept, parts), name, sizes)
            return
    if kept:
        yield joined(kept, RUN)


def _sorted(parts: Iterator[Part], name: str, sizes: Sizes) -> Iterator[Part]:
    """The rows in blocks of whole topics, sorted by the topics' hashes."""
    try:
        import duckdb
        import pyarrow
    except ImportError:
        raise FileError(
            f"{name}: more than {sizes.grouped:,} rows, and the rows of a topic do not stand together; sort "
            "the rows by topic, or install DuckDB, which evaluates rows in any order: "
            f"{install_hint('duckdb')}"
        ) from None
    first = next(parts)
    facts = first.facts
    remaining = chain([first], parts)
    failures: list[Exception] = []  # DuckDB would report only their text
    reading = Lock()

    def read() -> Part | None:
        with reading:
            return next(remaining, None)

    def batches() -> Iterator[pyarrow.RecordBatch]:
        nonlocal facts
        try:
            while (part := read()) is not None:
                facts += part.facts
                yield _to_arrow(part)
        except Exception as error:
            failures.append(error)
            raise

    with TemporaryDirectory(prefix="ir_measures_graded") as folder:
        options = {"memory_limit": sizes.duckdb, "temp_directory": folder, "preserve_insertion_order": False}
        with duckdb.connect(config=options) as connection:
            connection.execute(f"SET threads = least({THREADS}, current_setting('threads'))")
            connection.execute("SET enable_progress_bar = false")
            schema = _to_arrow(first).schema
            connection.register("rows", pyarrow.RecordBatchReader.from_batches(schema, batches()))
            query = "SELECT *, hash(query_id) AS hash FROM rows ORDER BY hash"
            try:
                rows = pyarrow.RecordBatchReader.from_stream(connection.sql(query))
                for block in whole_topics((_of_arrow(batch, facts) for batch in rows), 0, "hash"):
                    yield block.without("hash")
            except (duckdb.Error, OSError, pyarrow.ArrowException) as error:
                if failures:
                    raise failures[0] from None
                reason = next(iter(str(error).splitlines()), "")
                raise FileError(
                    f"{name}: cannot sort the rows in temporary files: {reason}; the environment variable "
                    "TMPDIR names another folder for them"
                ) from error
            finally:
                # After an error, older releases of DuckDB go on reading in their threads.
                with reading:
                    remaining = chain()


def _to_arrow(part: Part) -> pyarrow.RecordBatch:
    """The rows as Arrow data, with the column ``line``."""
    table = arrow_table(replace(part, columns={**part.columns, "line": part.line}))
    return table.combine_chunks().to_batches()[0]


def _of_arrow(batch: pyarrow.RecordBatch, facts: Facts) -> Part:
    """The rows of a batch of `_to_arrow`, sorted by DuckDB, with a column of hashes."""
    columns = {
        name: docs_of(column, name).ids() if name in IDS else arrow_numbers(column)
        for name, column in zip(batch.schema.names, batch.columns)
    }
    return Part(columns, np.asarray(columns.pop("line")), facts)


def whole_topics(parts: Iterable[Part], least: int, by: str = "query_id") -> Iterator[Part]:
    """The same rows in blocks of at least `least` rows; a block ends where the column `by` changes.

    The column is that of the topics, or of their hashes.
    """
    pending: list[Part] = []
    for rows in parts:
        cut = _last_change(rows.columns[by]) if len(rows) else 0
        before = [part for part in pending if len(part)]
        at_border = cut > 0 or (
            before and len(rows) and rows.columns[by][0] != before[-1].columns[by][len(before[-1]) - 1]
        )
        if at_border and sum(map(len, pending)) + cut >= least:
            yield joined([*pending, rows.take(slice(cut))] if cut else pending, RUN)
            pending, rows = [], rows.take(slice(cut, None))
        pending.append(rows)
    if any(map(len, pending)) or any(part.facts.empty for part in pending):
        yield joined(pending, RUN)


def _last_change(column: Ids | np.ndarray) -> int:
    """The last row that differs from the row before, 0 if all rows are equal."""
    size = len(column)
    for start in (max(size - TAIL, 0), 0):
        rows = slice(start, None)
        found = (
            column.take(rows).changes() if isinstance(column, Ids) else np.flatnonzero(changes(column[rows]))
        )
        if found[-1]:
            return start + int(found[-1])
    return 0
