"""The rows of a stream, or of the runs of one table, in a temporary file.

They are written to the file if they are too many for memory and cannot be read again as they are
needed: a stream can be read once, and the runs of a table are read one after another.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from tempfile import TemporaryFile
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ..core.rows.roles import RUN
from ..core.rows.rows import Facts, Part, joined
from ..errors import FileError, needed
from .content import Sizes
from .grouping import by_run, drained
from .out_of_core import ANOTHER_FOLDER, batch_of, part_of

if TYPE_CHECKING:
    import pyarrow

WRITTEN = 1 << 20
"""Rows that are written together: a batch for each run."""


class Batch(NamedTuple):
    """A batch of the temporary file: its number, and the facts about its rows."""

    number: int
    facts: Facts


class TemporaryRows:
    """The temporary file of rows with these columns.

    It has no name in a folder, so that it disappears with the process, however that ends. Raises
    `FileError`, which names the source of the rows, if the file cannot be written.
    """

    def __init__(self, name: str, schema: pyarrow.Schema):
        import pyarrow
        from pyarrow import ipc

        self.name = name
        self._reading = Lock()
        self._count = 0
        with self._explained():
            # A buffer would be written again when the file is closed on a full disk.
            self._file = TemporaryFile(buffering=0)  # noqa: SIM115, closed with this object
        weakref.finalize(self, self._file.close)
        with self._explained():
            self._writer = ipc.new_file(pyarrow.PythonFile(self._file, "w"), schema)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = error.strerror or error
            raise FileError(
                f"{self.name}: cannot write the rows to a temporary file: {reason}; "
                f"{ANOTHER_FOLDER}"
            ) from error

    def write(self, rows: Part) -> Batch:
        """Write the rows as a batch."""
        with self._explained():
            self._writer.write_batch(batch_of(rows))
        self._count += 1
        return Batch(self._count - 1, rows.facts)

    def end(self) -> None:
        """End the writing, so that the file can be read."""
        import pyarrow
        from pyarrow import ipc

        with self._explained():
            self._writer.close()
        self._reader = ipc.open_file(pyarrow.PythonFile(self._file, "r"))

    def batch(self, number: int) -> pyarrow.RecordBatch:
        """The rows of a batch."""
        with self._reading:  # threads share the position in the file
            return self._reader.get_batch(number)


@dataclass(frozen=True, eq=False, repr=False)
class SpilledRows:
    """Rows in a temporary file, or those of one of its runs, in these batches.

    The batches are in the order of the source, and those of a run by its name. A part has at most
    `most` rows.
    """

    file: TemporaryRows
    batches: dict[str, list[Batch]]
    columns: list[str]
    most: int

    def by_run(self) -> dict[str, SpilledRows]:
        """The rows of each run by its name."""
        runs = {}
        for name, batches in self.batches.items():
            runs[name] = SpilledRows(self.file, {name: batches}, self.columns, self.most)
        return runs

    def parts(self) -> Iterator[Part]:
        """The rows in parts."""
        every = chain.from_iterable(self.batches.values())
        for number, facts in sorted(every, key=lambda batch: batch.number):
            batch = self.file.batch(number)
            for start in range(0, batch.num_rows, self.most):
                yield part_of(batch.slice(start, self.most), self.columns, facts)
                facts = facts._replace(empty=())  # of the first part alone


def kept_rows(parts: Iterator[Part], name: str, sizes: Sizes) -> Part | SpilledRows:
    """All rows of a source: up to `sizes.in_memory` in memory, more in a temporary file.

    Raises `GradedError`, which names the source, if pyarrow is needed and not installed, and
    `FileError` if the temporary file cannot be written.
    """
    kept: list[Part] = []
    count = 0
    for rows in parts:
        kept.append(rows)
        count += len(rows)
        if count > sizes.in_memory:
            return _spilled(chain(drained(kept), parts), name, sizes)
    return joined(kept, RUN)


def _spilled(parts: Iterator[Part], name: str, sizes: Sizes) -> SpilledRows:
    """The rows in a temporary file."""
    needed("pyarrow", f"{name}: a stream or several runs of more than {sizes.in_memory:,} rows")

    first = next(parts)
    file = TemporaryRows(name, batch_of(first.take(slice(0))).schema)
    batches: dict[str, list[Batch]] = {}
    for rows in _in_chunks(chain([first], parts)):
        runs = by_run(rows) if "run" in rows.columns else {"": rows}
        for run, rows_of_run in runs.items():
            batches.setdefault(run, []).append(file.write(rows_of_run))
    file.end()
    return SpilledRows(file, batches, list(first.columns), sizes.rows)


def _in_chunks(parts: Iterator[Part]) -> Iterator[Part]:
    """The same rows in parts of at least `WRITTEN` rows, except for the last one."""
    pending: list[Part] = []
    for rows in parts:
        pending.append(rows)
        if sum(map(len, pending)) >= WRITTEN:
            yield joined(pending, RUN)
            pending = []
    if pending:
        yield joined(pending, RUN)
