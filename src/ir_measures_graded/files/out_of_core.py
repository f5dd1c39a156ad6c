"""Rows in any order as blocks of whole topics, even if they do not fit into memory (extra ``duckdb``).

DuckDB sorts rows by a hash of their topic. Rows that exceed its memory limit go to temporary files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from ..core.by_topic import changes
from ..core.rows.arrow import arrow_numbers, whole_table
from ..core.rows.id_columns import changes_of_strings
from ..errors import FileError, install_hint

if TYPE_CHECKING:
    import pyarrow

IN_MEMORY = 10_000_000  # rows that are grouped in memory, which takes about 1.5 GB; more need DuckDB
MEMORY = "1GB"  # memory limit of DuckDB
TAIL = 1 << 10  # rows at the end of a table in which the last change of topic is searched first
THREADS = 4  # maximum number of threads of DuckDB; each one needs memory of its own


def regrouped(tables: Iterator[pyarrow.Table], name: str) -> Iterator[pyarrow.Table]:
    """The rows of several tables in blocks of whole topics. Up to `IN_MEMORY` rows form one block.

    The order of the rows in a block is not defined. Raises `FileError`, which names the source of the rows,
    if DuckDB is needed and not installed, or if its temporary files cannot be written.
    """
    import pyarrow

    kept: list[pyarrow.Table] = []
    for table in tables:
        kept.append(table)
        if sum(map(len, kept)) > IN_MEMORY:
            yield from _sorted(chain(kept, tables), name)
            return
    if kept:
        yield pyarrow.concat_tables(kept)


def _sorted(tables: Iterator[pyarrow.Table], name: str) -> Iterator[pyarrow.Table]:
    """The rows in blocks of whole topics, sorted by the topics' hashes."""
    import pyarrow

    try:
        import duckdb
    except ImportError:
        raise FileError(
            f"{name}: more than {IN_MEMORY:,} rows, and the rows of a topic do not stand together; sort the "
            f"rows by topic, or install DuckDB, which evaluates rows in any order: {install_hint('duckdb')}"
        ) from None
    first = next(tables)
    remaining = chain([first], tables)
    failures: list[Exception] = []  # DuckDB would report only their text
    reading = Lock()

    def read() -> pyarrow.Table | None:
        with reading:
            return next(remaining, None)

    def batches() -> Iterator[pyarrow.RecordBatch]:
        try:
            while (table := read()) is not None:
                yield from table.cast(first.schema).to_batches()
        except Exception as error:
            failures.append(error)
            raise

    with TemporaryDirectory(prefix="ir_measures_graded") as folder:
        options = {"memory_limit": MEMORY, "temp_directory": folder, "preserve_insertion_order": False}
        with duckdb.connect(config=options) as connection:
            connection.execute(f"SET threads = least({THREADS}, current_setting('threads'))")
            connection.execute("SET enable_progress_bar = false")
            connection.register("rows", pyarrow.RecordBatchReader.from_batches(first.schema, batches()))
            query = "SELECT *, hash(query_id) AS hash FROM rows ORDER BY hash"
            try:
                rows = pyarrow.RecordBatchReader.from_stream(connection.sql(query))
                for block in whole_topics(map(whole_table, rows), 0, "hash"):
                    yield block.drop_columns("hash").cast(first.schema)
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


def whole_topics(
    tables: Iterable[pyarrow.Table], least: int, by: str = "query_id"
) -> Iterator[pyarrow.Table]:
    """The same rows in blocks of at least `least` rows; a block ends where the column `by` changes.

    The column is that of the topics, or of their hashes.
    """
    import pyarrow

    pending: list[pyarrow.Table] = []
    for rows in filter(len, tables):
        cut = _last_change(rows[by])
        at_border = cut > 0 or (pending and rows[by][0] != pending[-1][by][-1])
        if at_border and sum(map(len, pending)) + cut >= least:
            yield pyarrow.concat_tables([*pending, rows.slice(0, cut)])
            pending, rows = [], rows.slice(cut)
        pending.append(rows)
    if pending:
        yield pyarrow.concat_tables(pending)


def _last_change(column: pyarrow.ChunkedArray) -> int:
    """The last row that differs from the row before, 0 if all rows are equal."""
    for size in (TAIL, len(column)):
        last = column[-size:].combine_chunks()
        is_hash = last.type == "uint64"
        found = np.flatnonzero(changes(arrow_numbers(last))) if is_hash else changes_of_strings(last)
        if found[-1]:
            return len(column) - len(last) + int(found[-1])
    return 0
