"""Rows in any order as blocks of whole topics, also if they do not fit into memory (extra ``duckdb``).

DuckDB sorts many rows by a hash of their topics. Rows that do not fit into its memory go to temporary files.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from ..errors import FileError, install_hint
from .arrow import arrow_numbers

if TYPE_CHECKING:
    import pyarrow

IN_MEMORY = 10_000_000
"""Rows that are grouped in memory, which takes about 1.5 GB; more rows need DuckDB."""
MEMORY = "1GB"
"""What DuckDB holds in memory."""
THREADS = 4
"""The most threads of DuckDB, because each one needs memory of its own."""


def regrouped(tables: Iterator[pyarrow.Table], name: str) -> Iterator[pyarrow.Table]:
    """The rows of some tables in blocks of whole topics; up to `IN_MEMORY` rows are one block.

    The rows of a block may be in another order. Raises `FileError`, which names the source of the rows, if
    DuckDB is needed and is not installed, or if its temporary files cannot be written.
    """
    import pyarrow

    some: list[pyarrow.Table] = []
    for table in tables:
        some.append(table)
        if sum(map(len, some)) > IN_MEMORY:
            yield from _sorted(chain(some, tables), name)
            return
    if some:
        yield pyarrow.concat_tables(some)


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
    failures: list[Exception] = []  # DuckDB reports only their text

    def batches() -> Iterator[pyarrow.RecordBatch]:
        try:
            for table in chain([first], tables):
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
                found = pyarrow.RecordBatchReader.from_stream(connection.sql(query))
                for block in _cut(found):
                    yield block.drop_columns("hash").cast(first.schema)
            except (duckdb.Error, OSError, pyarrow.ArrowException) as error:
                if failures:
                    raise failures[0] from None
                reason = next(iter(str(error).splitlines()), "")
                raise FileError(
                    f"{name}: cannot sort the rows in temporary files: {reason}; the environment variable "
                    "TMPDIR names another folder for them"
                ) from error


def _cut(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.Table]:
    """Sorted rows in blocks, cut where the hash changes."""
    import pyarrow

    pending: list[pyarrow.RecordBatch] = []
    last = None
    for batch in filter(len, batches):
        hashes = arrow_numbers(batch.column("hash"))
        cut = int(np.searchsorted(hashes, hashes[-1]))
        if pending and (cut or hashes[0] != last):
            yield pyarrow.Table.from_batches([*pending, batch.slice(0, cut)])
            pending, batch = [], batch.slice(cut)
        pending.append(batch)
        last = hashes[-1]
    if pending:
        yield pyarrow.Table.from_batches(pending)
