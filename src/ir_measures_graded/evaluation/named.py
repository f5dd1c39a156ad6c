"""Qrels and runs, with the names that messages and tables use.

Both come in any form that ir-measures takes, or as the path of a file. Qrels also come as an ir-datasets id.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from glob import glob
from numbers import Real
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ..errors import FileError, GradedError, did_you_mean, shown
from ..inputs.arrow import exports_arrow, is_stream, whole_table
from ..inputs.files import RunFile, by_column
from ..inputs.in_memory import InMemory, Source
from ..inputs.rows import Rows, RunSource, refuse_empty, refuse_mixed, refuse_repeated
from ..inputs.sources import qrels_source, run_source
from ..output.result import Result
from ..ranking.judged import Collection, Judged
from .reduction import JudgedDocuments, Reduction

if TYPE_CHECKING:
    from .sessions import Sessions

Qrels = Union[Source, str, "os.PathLike[str]", "Judgments"]
"""Qrels in any form that ir-measures takes, a path of a file, or an ir-datasets id."""
Runs = Mapping[str, Any] | Iterable[Any] | str | os.PathLike[str]
"""Runs by name, or pairs of name and run. A run is in any form that ir-measures takes, a path of a
file, or a `RunFile`. A file is read when its run is evaluated.

One path, pattern of paths such as ``runs/*``, `RunFile` or table is also accepted, and so is a list of
these. As in the commands, the column
``run`` then names the runs of a table, and `run_names` names the others."""
ENDINGS = re.compile(
    r"(?i)(\.(runs?|txt|trec|[ct]sv|parquet|feather|arrows?|ipc|out|res|results))?(\.(gz|bz2|xz|zst))?$"
)
"""Endings of file names that are not part of a run's name."""
UNNAMED = "run"
"""The name of a run without a name."""


@dataclass(frozen=True)
class PartOfQrels:
    """Some topics of qrels, for ir-measures' other providers."""

    source: InMemory | PartOfQrels
    topics: Sequence[str]

    def for_others(self) -> Any:
        """The rows of these topics, with their iterations."""
        found, wanted = self.source.for_others(), {*self.topics}
        if hasattr(found, "itertuples"):
            return found[found["query_id"].isin(self.topics)]
        if isinstance(found, Mapping):
            return {topic: docs for topic, docs in found.items() if topic in wanted}
        return [qrel for qrel in found if qrel.query_id in wanted]


@dataclass(frozen=True)
class Judgments:
    """Qrels that can be read several times, the same qrels as a table, and their name, if they have one.

    Qrels of some topics only come with the levels of their `collection`, or with their `known` documents.
    With `sessions`, values are those of sessions.
    """

    source: InMemory | PartOfQrels
    table: Rows
    name: str | None
    collection: Collection | None = None
    known: JudgedDocuments | None = None
    sessions: Sessions | None = None

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order of appearance."""
        return tuple(self.numbers)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each topic in that order."""
        return {topic: number for number, topic in enumerate(self.table.topics)}

    @cached_property
    def documents(self) -> JudgedDocuments:
        """The judged documents, which may have levels for several intents."""
        with about(self.name):
            return self.known or JudgedDocuments.of(self.table, self.collection)

    @property
    def judged(self) -> Judged:
        """The levels of the judged documents. Raises `GradedError` for two levels of a document."""
        with about(self.name):
            self.documents.judged.need_one_level()
        return self.documents.judged

    def part(self, topics: Sequence[str]) -> Judgments:
        """The qrels of some topics. Raises `GradedError` for a topic that the qrels lack."""
        with about(self.name):
            for topic in topics:
                if topic not in self.numbers:
                    raise GradedError(f"topic {shown(topic)} is not in the qrels{self._hint(topic)}")
        if tuple(topics) == self.topics:
            return self
        numbers = np.array([self.numbers[topic] for topic in topics], dtype=np.int64)
        source, known = PartOfQrels(self.source, topics), self.documents.part(numbers)
        return Judgments(source, self.table.part(numbers), self.name, known=known)

    def _hint(self, topic: str) -> str:
        return did_you_mean(str(topic), self.topics) or f" (such as {shown(self.topics[0])})"


def read_judgments(qrels: Qrels) -> Judgments:
    """Read qrels; `Judgments` are returned unchanged. Raises `GradedError` for qrels without a topic."""
    if isinstance(qrels, Judgments):
        return qrels
    if isinstance(qrels, Result):
        raise GradedError("an Evaluation has no rankings, which this analysis needs; give qrels and runs")
    name = os.fspath(qrels) if isinstance(qrels, (str, os.PathLike)) else None
    source = qrels_source(qrels)
    with about(name):
        judgments = Judgments(source, source.table(), name)
        refuse_empty(judgments.table)
    return judgments


@dataclass(frozen=True)
class Run:
    """A run and its name."""

    name: str
    source: RunSource
    studied = False

    @property
    def file(self) -> str | None:
        """The path of the run's file, if a worker process can read it again."""
        run = self.source
        return os.fspath(run.file) if isinstance(run, RunFile) and run.lasting else None  # type: ignore[arg-type]

    def repeated(self, times: int) -> list[Run]:
        """The run so many times. If it is needed more than once, it is read at once."""
        if times == 1:
            return [self]
        with about(self.name):
            return [Run(self.name, self.source.table())] * times

    def rows(self, judgments: Judgments, standard: bool) -> tuple[Any, Mapping[str, Any]]:
        """The rows of the run for our provider, and if `standard`, those for ir-measures' other providers.

        Raises the errors of `RunSource` and of `check`. Our provider reads a file block by block, so an error
        may follow the last block.
        """
        if not standard:
            return self.reduced(judgments), {}
        table = self.table(judgments)
        refuse_repeated(table)
        return table, table.dicts()

    def reduced(self, judgments: Judgments) -> Reduction:
        """The run, reduced to the judged documents; a run in a file is read and reduced block by block."""
        if self.source.in_memory:
            return Reduction.of(judgments.documents, self.table(judgments))
        return Reduction.in_blocks(judgments.documents, self._blocks(judgments))

    def table(self, judgments: Judgments) -> Rows:
        """All rows of the run at once. Raises the same errors as `rows`."""
        table = self.source.table()
        if table.file is not None:
            self.check(table.topics, judgments)
        refuse_mixed(table, judgments.table)
        return table

    def _blocks(self, judgments: Judgments) -> Iterator[Rows]:
        """The rows of the run. The topics of a file are checked after the last block."""
        seen: list[str] = []  # the first topic, and one judged topic, suffice for the check
        for block in self.source.blocks():
            seen = seen or list(block.topics[:1])
            seen += [topic for topic in block.topics if topic in judgments.numbers][:1]
            yield block
        if seen and block.file is not None:
            self.check(seen, judgments)

    def check(self, topics: Sequence[str], judgments: Judgments) -> None:
        """Raises `FileError` for a run without any topic of the qrels."""
        if topics and judgments.numbers.keys().isdisjoint(topics):
            qrels = f"the qrels {judgments.name or ''}".rstrip()
            raise FileError(
                f"{self.name}: none of its topics (such as {shown(topics[0])}) is in {qrels} "
                f"(such as {shown(judgments.topics[0])})"
            )


def named_runs(runs: Runs, once: bool = False, needed: bool = True) -> list[Run]:
    """Each run with its name. If they are read only `once`, streams are not kept in memory.

    Raises `GradedError` for two runs of one name, and if runs are `needed` and there is none.
    """
    named: dict[str, Run] = {}
    for name, run in runs.items() if isinstance(runs, Mapping) else _pairs(runs):
        if not isinstance(name, str):
            raise GradedError(f"a run's name is a string, not {shown(name)}")
        if name in named:
            raise GradedError(f"two runs are named {shown(name)}; give each run its own name")
        if isinstance(run, Mapping) and isinstance(next(iter(run.values()), None), Real):
            raise GradedError(f"runs: {shown(name)} is a topic of one run; pass {{'mine': run}}")
        with about(name):
            named[name] = run if isinstance(run, Run) else Run(name, run_source(_opened(run), name, once))
    if needed and not named:
        raise GradedError("no run is given; pass one or more runs by name, or paths of run files")
    return list(named.values())


def _pairs(runs: Any) -> Iterator[tuple[str, Any]]:
    """Pairs of name and run; runs without a name get one."""
    if isinstance(runs, (str, os.PathLike)) or not isinstance(runs, Iterable) or _is_table(runs):
        runs = [runs]
    items = [item for run in runs for item in _files(run)]
    names = iter(run_names([_unnamed(run) for run in items if _is_table(run)]))
    for run in items:
        if _is_table(run):
            name = next(names)
            yield from _by_column(run) or [(name, run)]
        elif isinstance(run, Run):
            yield run.name, run
        elif isinstance(run, tuple) and len(run) == 2:
            yield run
        else:
            raise GradedError(
                f"runs: cannot read {shown(run)} as a run; give a dict of runs by name, or a list of pairs "
                "of name and run, paths, RunFile objects or tables"
            )


def _opened(run: Any) -> Any:
    """A `RunFile` for a path; anything else unchanged."""
    return RunFile(run) if isinstance(run, (str, os.PathLike)) else run


def _files(run: Any) -> list[Any]:
    """The files that match a pattern such as ``runs/*``; otherwise the run, opened if it is a path."""
    is_pattern = isinstance(run, (str, os.PathLike)) and not os.path.exists(run)
    return list(map(_opened, (is_pattern and sorted(glob(os.fspath(run)))) or [run]))


def _is_table(run: Any) -> bool:
    return isinstance(run, RunFile) or hasattr(run, "itertuples") or exports_arrow(run)


def _by_column(table: Any) -> Iterable[tuple[str, Any]]:
    """The runs of a table whose rows name their run, by name; empty for any other table."""
    if isinstance(table, RunFile):
        return table.runs().items() if table.run is None else ()
    if hasattr(table, "itertuples"):
        return table.groupby("run", sort=False, dropna=False) if "run" in table.columns else ()
    if is_stream(table) or "run" not in (rows := whole_table(table)).column_names:
        return ()
    return by_column(rows, "run").items()


def _unnamed(run: Any) -> str:
    """The path, the file name or the run of a `RunFile`."""
    if not isinstance(run, RunFile):
        return UNNAMED
    file = run.file if isinstance(run.file, (str, os.PathLike)) else getattr(run.file, "name", UNNAMED)
    return run.run or str(os.fspath(file) if isinstance(file, os.PathLike) else file)


def run_names(paths: Sequence[str]) -> list[str]:
    """The name of each run: the file name without endings such as .run.gz, or with them, or the path.

    The shortest of these that no other run has is used.

    >>> run_names(["runs/bm25.run.gz", "runs/a.run", "runs/a.txt"])
    ['bm25', 'a.run', 'a.txt']
    """
    spellings = [[*short_names(path), path] for path in paths]
    names = []
    for row in spellings:
        unique = (name for name, column in zip(row, zip(*spellings)) if column.count(name) == 1)
        names.append(next(unique, row[-1]))
    return names


def short_names(path: str) -> list[str]:
    """The file name of a run without and with its endings."""
    name = os.path.basename(path)
    return [ENDINGS.sub("", name) or name, name]


@contextmanager
def about(name: str | None) -> Iterator[None]:
    """Put the name of the qrels or run, if there is one, before the message of an error."""
    try:
        yield
    except FileError:  # FileError already names its file
        raise
    except GradedError as error:
        raise type(error)(f"{name}: {error}" if name else str(error)) from error
