"""Runs against qrels, named as on the command line: read, check, evaluate, one result a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import ir_measures
from ir_measures import Measure, Metric
from ir_measures.providers import Evaluator, Provider
from ir_measures.providers.base import NOT_PROVIDED

from .errors import GradedError
from .listing import allowed
from .measure import GradedMeasure
from .provider import GradedProvider
from .readers import Run as Rows
from .readers import qrels_of


@dataclass(frozen=True)
class Run:
    """A run that can be read, under the name that messages and output give it."""

    name: str
    read: Callable[[], Rows]

    def rows(self, topics: Collection[str], qrels_name: str) -> Rows:
        """What it retrieves. Raises `GradedError` where that is nothing, or nothing for any of `topics`."""
        rows = self.read()
        if not rows:
            raise GradedError(f"{self.name}: the run is empty")
        if rows.keys().isdisjoint(topics):
            raise GradedError(
                f"{self.name}: none of its topics (such as {next(iter(rows))!r}) is in the qrels "
                f"{qrels_name} (such as {next(iter(topics))!r})"
            )
        return rows


@dataclass(frozen=True)
class Result:
    """A run's values: each measure over all topics, and of each topic where they were asked for."""

    name: str
    summary: dict[Measure, float]
    metrics: list[Metric]


def evaluate(
    qrels_name: str,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    provider: str | None = None,
    by_query: bool = False,
) -> list[Result]:
    """The result of each run. Qrels are read once, runs one after another.

    `provider` names the one to use, by default ours and, for what it lacks, ir-measures' pipeline. Topics
    come in the order of the qrels, measures in that of `measures`. Raises `GradedError` for qrels and runs
    that cannot be read or have no topic in common, and for measures that cannot be computed.
    """
    source = _source(provider, measures)
    qrels = qrels_of(qrels_name)
    if not qrels:
        raise GradedError(f"{qrels_name}: the qrels are empty")
    topics = {topic: number for number, topic in enumerate(dict.fromkeys(qrel.query_id for qrel in qrels))}
    place = {measure: number for number, measure in enumerate(measures)}
    groups = evaluators(measures, qrels, source, qrels_name)

    def result(run: Run) -> Result:
        rows = run.rows(topics, qrels_name)
        summary: dict[Measure, float] = {}
        metrics: list[Metric] = []
        for group, evaluator in groups:
            with about(run.name), explained(group):
                if by_query:
                    means, values = evaluator.calc(rows)
                    metrics += values
                else:
                    means = evaluator.calc_aggregate(rows)
            summary.update(means)
        metrics.sort(key=lambda metric: (topics.get(metric.query_id, len(topics)), place[metric.measure]))
        return Result(run.name, summary, metrics)

    with _progress(runs) as steps:
        return [result(run) for run in steps]


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
    qrels: Any,
    source: Provider | None = None,
    qrels_name: str | None = None,
) -> list[tuple[list[Measure], Evaluator]]:
    """Evaluators over the qrels, each with the measures that may safely share one.

    Without a `source` ours computes all that it can, ir-measures' pipeline the rest. ir-measures 0.4.3
    mixes up measures of one call that differ in their parameters: nDCG@10 beside nDCG(gains={1:0})@10
    takes its gains at times, NumRet beside P(judged_only=True)@5 its documents.
    """
    ours = GradedProvider()
    groups: dict[Any, tuple[Provider, list[Measure]]] = {}
    for measure in measures:
        given = {name: value for name, value in measure.params.items() if name != measure.AT_PARAM}
        if isinstance(source, GradedProvider) or (source is None and ours.supports(measure)):
            provider, alike = source or ours, "graded"
        else:
            provider, alike = source or ir_measures.DefaultPipeline, repr(sorted(given.items()))
        groups.setdefault(alike, (provider, []))[1].append(measure)
    found = []
    for alike, (provider, group) in groups.items():
        with about(qrels_name) if alike == "graded" else explained(group):
            found.append((group, provider.evaluator(group, qrels)))
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
    except GradedError as error:
        raise GradedError(f"{name}: {error}" if name else str(error)) from error


def _progress(runs: Sequence[Run]) -> AbstractContextManager[Iterable[Run]]:
    """The runs, behind a bar where there are several, a terminal to show it, and tqdm."""
    if len(runs) > 1 and sys.stderr is not None and sys.stderr.isatty():
        with suppress(ImportError):
            from tqdm import tqdm

            return tqdm(runs, unit="run", leave=False)
    return nullcontext(runs)
