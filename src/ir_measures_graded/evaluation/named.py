"""Qrels and runs, with the names that messages and tables use.

Both come in any form that ir-measures takes, or as the path of a file. Qrels also come as an ir-datasets id.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Union

from ..errors import FileError, GradedError, shown
from ..inputs.arrow import exports_arrow, is_stream, whole_table
from ..inputs.files import RunFile, RunStream, run_dicts
from ..inputs.sources import qrels_of
from ..inputs.tables import Source, Table, read_qrels, read_run, refuse_repeated, renamed
from ..ranking.judged import Collection, Judged

if TYPE_CHECKING:
    import pyarrow

Qrels = Union[Source, str, "os.PathLike[str]", "Judgments"]
"""Qrels in any form that ir-measures takes, a path of a file, or an ir-datasets id."""
Runs = Mapping[str, Any] | Iterable[Union[tuple[str, Any], "Run"]]
"""Runs by name, or pairs of name and run. A run is in any form that ir-measures takes, a path of a
file, or a `RunFile`. A file is read when its run is evaluated."""


@dataclass(frozen=True)
class Judgments:
    """Qrels that can be read several times, the same qrels as a table, and their name, if they have one.

    Qrels of some topics only come with the levels of their `collection`.
    """

    source: Source
    table: Table
    name: str | None
    collection: Collection | None = None

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order of appearance."""
        return tuple(self.numbers)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each topic in that order."""
        return {topic: number for number, topic in enumerate(self.table.topics)}

    @cached_property
    def judged(self) -> Judged:
        """The judged documents. Raises `GradedError` for a document with two levels in a topic."""
        with about(self.name):
            return Judged(self.table, collection=self.collection)


def read_judgments(qrels: Qrels) -> Judgments:
    """Read qrels; `Judgments` are returned unchanged. Raises `GradedError` for qrels without a topic."""
    if isinstance(qrels, Judgments):
        return qrels
    name = os.fspath(qrels) if isinstance(qrels, (str, os.PathLike)) else None
    source = _repeatable(qrels) if name is None else qrels_of(name)
    with about(name):
        judgments = Judgments(source, read_qrels(source), name)
        if not judgments.topics:
            raise GradedError("the qrels are empty: there is no topic to evaluate")
    return judgments


@dataclass(frozen=True)
class Rows:
    """The rows of a run for our provider, and for ir-measures' other providers."""

    graded: Source
    standard: Source


@dataclass(frozen=True)
class Run:
    """A run and its name; `source` is a `RunFile` or in any form that ir-measures takes."""

    name: str
    source: Source

    @property
    def file(self) -> str | None:
        """The path of the run's file, if a worker process can read it again."""
        run = self.source
        return os.fspath(run.file) if isinstance(run, RunFile) and run.lasting else None  # type: ignore[arg-type]

    def rows(self, judgments: Judgments, standard: bool) -> Rows:
        """The rows of the run; unless `standard`, only those for our provider.

        Raises `GradedError` for a file without a row, or without a row for any topic of the qrels. Our
        provider reads a file block by block, so this error may follow the last block.
        """
        source = self.source.whole() if standard and isinstance(self.source, RunStream) else self.source
        if not isinstance(source, RunFile):
            if not standard:
                return Rows(source, ())
            dicts = run_dicts(source) if exports_arrow(source) else renamed(source, "run", "score")
            return Rows(source, dicts)
        if not standard:
            return Rows(_Blocks(self, source, judgments), ())
        rows, table = self.whole(judgments)
        return Rows(table, run_dicts(rows))

    def whole(self, judgments: Judgments) -> tuple[pyarrow.Table, Table]:
        """The rows of the run's file, in its order and grouped by topic.

        Raises the same errors as `rows`, and `GradedError` for a document that a topic retrieves twice.
        """
        rows, table = self.source.whole()
        refuse_repeated(table)
        self.check(table.topics, judgments)
        return rows, table

    def table(self, judgments: Judgments) -> Table:
        """All rows of the run at once. Raises the same errors as `rows`."""
        if not isinstance(self.source, RunFile):
            return read_run(self.source)
        table = self.source.whole()[1]
        self.check(table.topics, judgments)
        return table

    def check(self, topics: Iterable[str], judgments: Judgments) -> None:
        """Raises `GradedError` for a run without topics, or without any topic of the qrels."""
        first = next(iter(topics), None)
        if first is None:
            raise FileError(f"{self.name}: the run is empty")
        if judgments.numbers.keys().isdisjoint(topics):
            raise FileError(
                f"{self.name}: none of its topics (such as {shown(first)}) is in the qrels "
                f"{judgments.name or ''} (such as {shown(judgments.topics[0])})"
            )


@dataclass(frozen=True)
class _Blocks:
    """The blocks of a run; its topics are checked after the last block."""

    run: Run
    file: RunFile
    judgments: Judgments

    def blocks(self) -> Iterator[Table]:
        seen: list[str] = []  # the first topic, and one judged topic, suffice for the check
        for block in self.file.blocks():
            seen = seen or list(block.topics[:1])
            seen += [topic for topic in block.topics if topic in self.judgments.numbers][:1]
            yield block
        self.run.check(seen, self.judgments)


def named_runs(runs: Runs, once: bool = False) -> list[Run]:
    """Each run with its name. If they are read only `once`, streams are not kept in memory.

    Raises `GradedError` for two runs of one name.
    """
    named: dict[str, Run] = {}
    for each in runs.items() if isinstance(runs, Mapping) else runs:
        name, run = (each.name, each) if isinstance(each, Run) else each
        if not isinstance(name, str):
            raise GradedError(f"a run's name is a string, not {shown(name)}")
        if name in named:
            raise GradedError(f"two runs are named {shown(name)}; give each run its own name")
        if isinstance(run, Run):
            named[name] = run
            continue
        if isinstance(run, (str, os.PathLike)):
            run = RunFile(run)
        elif once and is_stream(run):
            run = RunStream(run, name)
        named[name] = Run(name, _repeatable(run))
    return list(named.values())


@contextmanager
def about(name: str | None) -> Iterator[None]:
    """Put the name of the qrels or run, if there is one, before the message of an error."""
    try:
        yield
    except FileError:  # FileError already names its file
        raise
    except GradedError as error:
        raise type(error)(f"{name}: {error}" if name else str(error)) from error


def _repeatable(source: Source) -> Source:
    if not isinstance(source, Iterator):
        return source
    return whole_table(source) if exports_arrow(source) else list(source)
