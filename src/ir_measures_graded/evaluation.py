"""Runs against qrels, named as on the command line: read, check, evaluate, one result a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import ir_measures
from ir_measures import Measure, Metric
from ir_measures.providers import Evaluator, Provider
from ir_measures.providers.base import NOT_PROVIDED

from . import plugins
from .columns import is_arrow
from .datasets import qrels_of
from .errors import FileError, GradedError
from .forms import Source, Table, read_qrels, refuse_repeated
from .listing import allowed
from .measure import GradedMeasure
from .processes import cores, shared
from .provider import GradedEvaluator, GradedProvider
from .readers import TrecRun, qrel_tuples, run_dicts

GRADED = "graded"


@dataclass(frozen=True)
class Judgments:
    """Qrels in a form that can be read several times, the table that was made of them, and the name
    that messages give them (None where they have none)."""

    source: Source
    table: Table
    name: str | None

    @property
    def topics(self) -> tuple[str, ...]:
        """In order of appearance."""
        return tuple(self.numbers)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The topics and their numbers in that order."""
        return {topic: number for number, topic in enumerate(self.table.topics)}


@dataclass(frozen=True)
class Rows:
    """What a run retrieves, as our provider takes it and as other providers of ir-measures do."""

    graded: Source
    standard: Source


class AnyRun(Protocol):
    """A run under its name, in a file or not, that can say what it retrieves."""

    @property
    def name(self) -> str: ...

    @property
    def file(self) -> str | None: ...

    def rows(self, judgments: Judgments, standard: bool) -> Rows: ...


@dataclass(frozen=True)
class Run:
    """A run that can be read, a `TrecRun` or a dict of dicts, under the name that messages and output
    give it."""

    name: str
    read: Callable[[], TrecRun | Mapping[str, Mapping[str, float]]]

    @classmethod
    def of_file(cls, name: str, path: str | os.PathLike[str]) -> Run:
        return cls(name, partial(TrecRun, path))

    @property
    def file(self) -> str | None:
        """The file that it is in, if another process can read it too."""
        run = self.read() if isinstance(self.read, partial) and self.read.func is TrecRun else None
        return os.fspath(run.file) if isinstance(run, TrecRun) and run.lasting else None  # type: ignore[arg-type]

    def rows(self, judgments: Judgments, standard: bool) -> Rows:
        """What it retrieves; for our provider alone unless `standard`. Raises `GradedError`, perhaps
        only when its last row is read, where that is nothing, or nothing for any topic of the qrels."""
        run = self.read()
        if not isinstance(run, TrecRun):
            self.check(run, judgments)
            return Rows(run, run)
        if not standard:
            return Rows(_Blocks(self, run, judgments), ())
        rows, table = run.whole()
        refuse_repeated(table)
        self.check(table.topics, judgments)
        return Rows(table, run_dicts(rows))

    def check(self, topics: Iterable[str], judgments: Judgments) -> None:
        """Raises `GradedError` where these are no topics, or none of the qrels."""
        first = next(iter(topics), None)
        if first is None:
            raise FileError(f"{self.name}: the run is empty")
        if judgments.numbers.keys().isdisjoint(topics):
            raise FileError(
                f"{self.name}: none of its topics (such as {first!r}) is in the qrels "
                f"{judgments.name or ''} (such as {judgments.topics[0]!r})"
            )


@dataclass(frozen=True)
class _Blocks:
    """The blocks of a run, checked when the last one is through."""

    run: Run
    rows: TrecRun
    judgments: Judgments

    def blocks(self) -> Iterator[Table]:
        some: list[str] = []  # of the topics: the first, and one that is judged
        for block in self.rows.blocks():
            some = some or list(block.topics[:1])
            some += [topic for topic in block.topics if topic in self.judgments.numbers][:1]
            yield block
        self.run.check(some, self.judgments)


@dataclass(frozen=True)
class Result:
    """A run's values: each measure over all topics, and of each topic where they were asked for."""

    name: str
    summary: dict[Measure, float]
    metrics: list[Metric]


class Task:
    """Measures over one set of qrels, which are read once: evaluates any number of runs, and can be
    sent to another process.

    `provider` names the one to use, by default ours and, for what it lacks, ir-measures' pipeline. Results
    have each topic's values if `by_query`: topics in the order of the qrels, measures in that of
    `measures`. Raises `GradedError` for measures that cannot be computed.
    """

    def __init__(
        self, judgments: Judgments, measures: Sequence[Measure], provider: str | None, by_query: bool
    ):
        self._made_of = judgments, measures, provider, by_query
        self.judgments, self.by_query = judgments, by_query
        self.place = {measure: number for number, measure in enumerate(measures)}
        self.groups = evaluators(measures, judgments, _source(provider, measures))
        self.standard = any(not isinstance(evaluator, GradedEvaluator) for _, evaluator in self.groups)

    def __reduce__(self) -> tuple[Any, ...]:
        return _in_another_process, self._made_of

    def __call__(self, run: AnyRun) -> Result:
        rows = run.rows(self.judgments, self.standard)
        summary: dict[Measure, float] = {}
        metrics: list[Metric] = []
        for group, evaluator in self.groups:
            source = rows.graded if isinstance(evaluator, GradedEvaluator) else rows.standard
            with about(run.name), explained(group):
                if self.by_query:
                    means, values = evaluator.calc(source)
                    metrics += values
                else:
                    means = evaluator.calc_aggregate(source)
            summary.update(means)
        number, last = self.judgments.numbers, len(self.judgments.numbers)
        metrics.sort(key=lambda metric: (number.get(metric.query_id, last), self.place[metric.measure]))
        return Result(run.name, summary, metrics)

    def results(self, runs: Sequence[AnyRun], jobs: int | None = None) -> Iterator[Result]:
        """The result of each run, in order; `jobs` processes share the runs, by default as many as there
        are cores, where that pays."""
        files = {run.name: file for run in runs if (file := run.file) is not None}
        if jobs is None:
            size = sum(os.path.getsize(file) * (4 if file.endswith(".gz") else 1) for file in files.values())
            jobs = cores() if size >= (PAYS_STANDARD if self.standard else PAYS) else 1
        return shared(self, runs, [run for run in runs if run.name in files], jobs)


# Bytes of runs that take a core as long as it takes to start several processes, some two seconds:
PAYS = 1 << 28  # with graded measures alone
PAYS_STANDARD = 1 << 25  # with dicts to be made, for ir-measures' other providers


def _in_another_process(
    judgments: Judgments, measures: Sequence[Measure], provider: str | None, by_query: bool
) -> Task:
    if any(plugins.origin(measure) == "user code" for measure in measures):
        plugins.load()  # so that messages know where they are from
    return Task(judgments, measures, provider, by_query)


def evaluate(
    qrels_name: str,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    provider: str | None = None,
    by_query: bool = False,
    jobs: int | None = None,
) -> list[Result]:
    """The result of each run, see `Task`. Raises `GradedError` for qrels and runs that cannot be
    read or have no topic in common, and for measures that cannot be computed."""
    _source(provider, measures)
    qrels = qrels_of(qrels_name)
    with about(qrels_name):
        judgments = Judgments(qrels, read_qrels(qrels), qrels_name)
    if not judgments.topics:
        raise GradedError(f"{qrels_name}: the qrels are empty")
    task = Task(judgments, measures, provider, by_query)
    return list(_tracked(task.results(runs, jobs), len(runs)))


def checked(measure: Measure) -> Measure:
    """`measure` itself; raises `GradedError` where its parameters are not allowed.

    >>> import ir_measures
    >>> checked(ir_measures.P @ 0)
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: P: cutoff=0 is not allowed; cutoff is a whole number ≥ 1

    Graded measures have seen to that themselves; of standard ones ir-measures asserts it late, and
    some values end the process in C code.
    """
    if isinstance(measure, GradedMeasure):
        return measure
    name, supported = measure.NAME, measure.SUPPORTED_PARAMS
    for parameter in measure.params.keys() - supported.keys():
        takes = f"it takes {', '.join(supported)}" if supported else "it takes none"
        raise GradedError(f"{name} has no parameter {parameter!r}; {takes}")
    for parameter, info in supported.items():
        value = measure.params.get(parameter, NOT_PROVIDED)
        if value is NOT_PROVIDED:
            if info.required:
                at = f", as in {name}@10" if parameter == "cutoff" else ""
                raise GradedError(f"{name} needs {parameter}, {allowed(parameter, info)}{at}")
        elif (
            not info.validate(value)
            or (info.dtype is int and isinstance(value, bool))
            or (parameter == "cutoff" and not 1 <= value <= sys.maxsize)
        ):
            raise GradedError(
                f"{name}: {parameter}={value!r} is not allowed; {parameter} is {allowed(parameter, info)}"
            )
    return measure


def _source(name: str | None, measures: Sequence[Measure]) -> Provider | None:
    """The provider of that name, which must compute all the measures."""
    if name is None:
        return None
    provider = ir_measures.providers.registry[name]
    if not provider.is_available():
        how = provider.install_instructions()
        hint = f"; to install it: {how}" if how else ""
        raise GradedError(f"the provider {name} is not available here{hint}")
    missing = [str(measure) for measure in measures if not provider.supports(measure)]
    if missing:
        raise GradedError(f"the provider {name} does not compute {', '.join(missing)}")
    return provider


def evaluators(
    measures: Iterable[Measure],
    judgments: Judgments,
    source: Provider | None = None,
) -> list[tuple[list[Measure], Evaluator]]:
    """Evaluators over the qrels, each with the measures that may safely share one.

    Without a `source` ours computes all that it can, ir-measures' pipeline the rest. ir-measures 0.4.3
    mixes up measures of one call that differ in their parameters: nDCG@10 beside nDCG(gains={1:0})@10
    takes its gains at times, NumRet beside P(judged_only=True)@5 its documents.
    """
    ours = GradedProvider()
    groups: dict[str, list[Measure]] = {}
    for measure in measures:
        given = {name: value for name, value in measure.params.items() if name != measure.AT_PARAM}
        ours_computes = isinstance(source, GradedProvider) or (source is None and ours.supports(measure))
        groups.setdefault(GRADED if ours_computes else repr(sorted(given.items())), []).append(measure)
    qrels = judgments.source
    if is_arrow(qrels) and groups.keys() - {GRADED}:
        qrels = qrel_tuples(qrels)
    found = []
    for alike, group in groups.items():
        if alike == GRADED:
            with about(judgments.name):
                found.append((group, GradedEvaluator(group, judgments.table)))
        else:
            with explained(group):
                found.append((group, (source or ir_measures.DefaultPipeline).evaluator(group, qrels)))
    return found


@contextmanager
def explained(measures: Sequence[Measure]) -> Iterator[None]:
    """Whatever the providers of standard measures raise, as one message; ours speak for themselves."""
    try:
        yield
    except Exception as error:
        if isinstance(error, GradedError) or isinstance(measures[0], GradedMeasure):
            raise
        reason = " ".join(str(error).split())
        if not isinstance(error, (ValueError, RuntimeError, TypeError)):
            reason = f"{type(error).__name__}: {reason}"
        names = [*map(str, measures[:3]), *(["…"] if len(measures) > 3 else [])]
        raise GradedError(f"cannot compute {', '.join(names)}: {reason}") from error


@contextmanager
def about(name: str | None) -> Iterator[None]:
    """Errors say which qrels or run, if it has a name, they were met in."""
    try:
        yield
    except FileError:  # which say so themselves
        raise
    except GradedError as error:
        raise GradedError(f"{name}: {error}" if name else str(error)) from error


def _tracked(results: Iterator[Result], count: int) -> Iterable[Result]:
    """The results, behind a bar where there are several, a terminal to show it, and tqdm."""
    if count > 1 and sys.stderr is not None and sys.stderr.isatty():
        with suppress(ImportError):
            from tqdm import tqdm

            return tqdm(results, total=count, unit="run", leave=False)
    return results
