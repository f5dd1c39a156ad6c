"""Rows of a run whose topics are scattered, as blocks of whole topics, even if the rows do not fit
into memory (extra ``large``).

DuckDB sorts the rows by a hash of their topic. Rows that exceed its memory limit go to temporary
files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from tempfile import TemporaryDirectory, gettempdir
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.by_topic import bounds_of
from ..core.rows.arrow import arrow_array, arrow_numbers
from ..core.rows.id_columns import text_of
from ..core.rows.id_matching import Ids
from ..core.rows.roles import NUMBERS
from ..core.rows.rows import Facts, Part, joined_facts
from ..errors import FileError, GradedError, needed
from .content import Sizes
from .scattered import ScatteredRows

if TYPE_CHECKING:
    import pyarrow

SETTINGS = {"memory_limit": "1GB", "threads": 2}
"""Those of DuckDB. Each thread needs memory of its own."""
ANOTHER_FOLDER = "the environment variable TMPDIR names another folder for them"
NO_SPACE = "failed to offload"
"""What DuckDB says of memory, if the folder has no space for what it would write there."""
INTERRUPTED = "Query interrupted"
"""What DuckDB says after a signal, in place of the exception of its handler."""
HASH = "hash of the topic"
LINE = "line of the row"
QUERY = f'SELECT *, hash(query_id) AS "{HASH}" FROM rows ORDER BY "{HASH}", "{LINE}"'


def regrouped(parts: Iterator[Part], name: str, sizes: Sizes) -> Iterator[Part]:
    """The rows of a run in blocks of whole topics, in the order of the file within a topic.

    Each block has at least `sizes.rows` rows, except for the last one.
    Raises `GradedError`, which names the source of the rows, if DuckDB is needed and not installed,
    or if its temporary files cannot be written.
    """
    kept = ScatteredRows()
    for rows in parts:
        kept.add(rows)
        if kept.count > sizes.in_memory:
            yield from _sorted(chain(kept.drained(), parts), name, sizes)
            return
    yield from kept.blocks(sizes.rows)


@dataclass(eq=False, repr=False)
class _Input:
    """The parts as batches of Arrow, which DuckDB reads in its threads.

    `facts` has those of all parts that are read, and `failures` the errors, of which DuckDB would
    report only the text.
    """

    parts: Iterator[Part]
    facts: dict[Facts, None] = field(default_factory=dict)
    failures: list[BaseException] = field(default_factory=list)
    reading: Lock = field(default_factory=Lock)

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        try:
            while (rows := self._next()) is not None:
                yield batch_of(rows)
        except GeneratorExit:  # nobody reads on
            raise
        except BaseException as error:  # also a signal
            self.failures.append(error)
            raise

    def _next(self) -> Part | None:
        with self.reading:
            rows = next(self.parts, None)
            if rows is not None:
                self.facts[rows.facts] = None
            return rows

    def stop(self) -> None:
        """End the reading. After an error, some releases of DuckDB go on in their threads."""
        with self.reading:
            self.parts = iter(())


def _sorted(parts: Iterator[Part], name: str, sizes: Sizes) -> Iterator[Part]:
    """The rows in blocks of whole topics, sorted by the hashes of the topics."""
    what = f"{name}: a run of more than {sizes.in_memory:,} rows whose topics are scattered"
    duckdb = needed("duckdb", what, "large")
    import pyarrow

    first = next(parts)
    names = list(first.columns)
    source = _Input(chain([first], parts))
    schema = batch_of(first.take(slice(0))).schema
    with (
        TemporaryDirectory(prefix="ir_measures_graded") as folder,
        duckdb.connect(config={**SETTINGS, "temp_directory": folder}) as connection,
    ):
        connection.execute("SET enable_progress_bar = false")
        reader = pyarrow.RecordBatchReader.from_batches(schema, source.batches())
        connection.register("rows", reader)
        try:
            rows = pyarrow.RecordBatchReader.from_stream(connection.sql(QUERY))
            facts = None
            for block in _whole_topics(rows, sizes.rows):
                facts = facts or joined_facts(list(source.facts))
                yield part_of(block, names, facts)
                facts = facts._replace(empty=())  # of the first block alone
        except GradedError:
            raise
        except (duckdb.Error, OSError, RuntimeError, pyarrow.ArrowException) as error:
            if source.failures:
                raise source.failures[0] from None
            if INTERRUPTED in str(error):
                raise KeyboardInterrupt from None
            reason = next(iter(str(error).splitlines()), "")
            if NO_SPACE in reason:
                reason = f"{gettempdir()} has too little space; a row takes some 40 bytes"
            raise FileError(
                f"{name}: cannot sort the rows in temporary files: {reason}; {ANOTHER_FOLDER}"
            ) from error
        finally:
            source.stop()


def batch_of(rows: Part) -> pyarrow.RecordBatch:
    """The rows as a batch of Arrow."""
    import pyarrow

    columns: dict[str, Any] = {}
    for name, column in rows.columns.items():
        if name in NUMBERS:
            columns[name] = arrow_array(np.asarray(column, np.float64))
        else:
            columns[name] = _strings(column)
    columns[LINE] = arrow_array(rows.line)
    return pyarrow.RecordBatch.from_pydict(columns)


def _strings(ids: Ids) -> pyarrow.Array:
    """Ids as an array of Arrow."""
    import pyarrow

    packed = ids.packed()
    bounds = pyarrow.py_buffer(bounds_of(packed.length))
    buffers = [None, bounds, pyarrow.py_buffer(packed.data)]
    return pyarrow.Array.from_buffers(pyarrow.large_string(), len(packed), buffers)


def _whole_topics(batches: Iterable[pyarrow.RecordBatch], least: int) -> Iterator[pyarrow.Table]:
    """Sorted rows in blocks of at least `least` rows, cut where the hash changes."""
    import pyarrow

    pending: list[pyarrow.RecordBatch] = []
    count = 0
    last = None
    for batch in filter(len, batches):
        hashes = arrow_numbers(batch.column(HASH))
        cut = int(np.searchsorted(hashes, hashes[-1]))
        is_border = cut > 0 or hashes[0] != last
        if pending and is_border and count + cut >= least:
            yield pyarrow.Table.from_batches([*pending, batch.slice(0, cut)])
            pending = []
            count = 0
            batch = batch.slice(cut)
        pending.append(batch)
        count += len(batch)
        last = hashes[-1]
    if pending:
        yield pyarrow.Table.from_batches(pending)


def part_of(rows: pyarrow.Table | pyarrow.RecordBatch, names: Iterable[str], facts: Facts) -> Part:
    """Rows of Arrow with these columns as a part."""
    columns: dict[str, Any] = {}
    for name in names:
        column = rows.column(name)
        columns[name] = arrow_numbers(column) if name in NUMBERS else text_of(column, name)
    return Part(columns, arrow_numbers(rows.column(LINE)), facts)
