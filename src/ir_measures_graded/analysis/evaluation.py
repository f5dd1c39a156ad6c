"""Several runs, several measures, one collection: every value as one array.

What all analyses start from. `evaluate` takes qrels and runs in every form, files and ir-datasets
ids included; `Evaluation` holds the value of each run by each measure for each topic.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, Union

import numpy as np
from ir_measures import Measure

from ..datasets import qrels_of
from ..errors import GradedError
from ..evaluation import AnyRun, Judgments, Rows, Run, Task, about, checked
from ..forms import Source, read_qrels
from ..notation import parse_measure

Qrels = Union[Source, str, "os.PathLike[str]"]
"""Qrels in any form that ir-measures takes, a path of a TREC file, or an ir-datasets id."""
Runs = Mapping[str, Any] | Iterable[tuple[str, Any]]
"""Runs by name, or pairs of name and run. A run is in any form that ir-measures takes, a path of a TREC
file, or an `ir_measures_graded.evaluation.Run`, which is read when it is its turn."""

Item = TypeVar("Item")


@dataclass(frozen=True)
class Evaluation:
    """The value of each run by each measure for each topic of the qrels.

    `runs` (names), `measures` and `topics` say what stands along the axes of `values`, an array of
    floats (runs × measures × topics).
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: tuple[str, ...]
    values: np.ndarray

    def of(self, measure: Measure | str) -> np.ndarray:
        """The values by one of the measures (runs × topics). Raises `GradedError` for any other."""
        measure = parse_measure(measure)
        if measure not in self.measures:
            named = ", ".join(map(str, self.measures))
            raise GradedError(f"{measure} is not among the measures evaluated: {named}")
        return self.values[:, self.measures.index(measure)]

    def means(self) -> np.ndarray:
        """The mean over the topics (runs × measures)."""
        return mean_over_topics(self.values)


def evaluate(
    qrels: Qrels | Judgments,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    progress: bool = False,
    jobs: int | None = 1,
) -> Evaluation:
    """The value of each run by each measure, graded and standard ones, for each topic of the qrels.

    `qrels` and `runs` may be in any form, see `Qrels` and `Runs`; a file is read when it is its turn.
    `measures` are measures or measure strings; one named twice is evaluated once. `progress` shows a
    bar on stderr (extra ``progress``). `jobs` processes share the runs that are files; None stands for
    the number of cores where that pays. (A script that asks for several needs the guard ``if __name__ ==
    "__main__"``, as everywhere in Python.)

    >>> qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
    >>> runs = {"good": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}, "poor": {"q1": {"b": 1.0}}}
    >>> result = evaluate(qrels, runs, ["CG@2", "P@1"])
    >>> result.of("CG@2")
    array([[3., 1.],
           [1., 0.]])
    >>> result.means()
    array([[2. , 1. ],
           [0.5, 0.5]])

    Raises `GradedError` where there is no measure, no topic, a run named twice, and for qrels, a run
    or a measure that cannot be used.
    """
    wanted = parse_measures(measures)
    named = [as_run(name, run) for name, run in named_runs(runs)]
    judgments = read_judgments(qrels)
    column = {measure: number for number, measure in enumerate(wanted)}
    values = np.zeros((len(named), len(wanted), len(judgments.topics)))
    results = Task(judgments, wanted, None, by_query=True).results(named, jobs)
    for number, result in enumerate(tracked(results, "run", progress, len(named))):
        for metric in result.metrics:
            if metric.query_id in judgments.numbers:
                place = column[metric.measure], judgments.numbers[metric.query_id]
                values[(number, *place)] = metric.value
    return Evaluation(tuple(run.name for run in named), wanted, judgments.topics, values)


def mean_over_topics(values: np.ndarray) -> np.ndarray:
    """The mean along the last axis, rounded once: the same in whatever order the topics come.

    >>> mean_over_topics(np.array([[0.25, 0.75], [1.0, 0.0]]))
    array([0.5, 0.5])
    """
    return np.apply_along_axis(math.fsum, -1, values) / values.shape[-1]


def parse_measures(measures: Iterable[Measure | str]) -> tuple[Measure, ...]:
    """The measures that are named, each once. Raises `GradedError` where there is none, or where one
    lacks a parameter or has one that it does not allow."""
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    parsed = tuple(dict.fromkeys(map(parse_measure, measures)))
    if not parsed:
        raise GradedError("no measure is given; name at least one, for example nDCG_JK@10")
    return tuple(map(checked, parsed))


@dataclass(frozen=True)
class _InMemory:
    """A run that is no file: it may be empty, or have other topics than the qrels."""

    name: str
    source: Source
    file: None = None

    def rows(self, judgments: Judgments, standard: bool) -> Rows:
        return Rows(self.source, self.source)


def as_run(name: str, run: Any) -> AnyRun:
    """The run of that name; a file is read when it is its turn."""
    if isinstance(run, (str, os.PathLike)):
        return Run.of_file(name, run)
    return run if isinstance(run, Run) else _InMemory(name, _repeatable(run))


def read_judgments(qrels: Qrels | Judgments) -> Judgments:
    """Read qrels, if they are not read yet. Raises `GradedError` where there is no topic in them."""
    if isinstance(qrels, Judgments):
        return qrels
    name = os.fspath(qrels) if isinstance(qrels, (str, os.PathLike)) else None
    source = qrels_source(qrels)
    with about(name):
        judgments = Judgments(source, read_qrels(source), name)
        if not judgments.topics:
            raise GradedError("the qrels are empty: there is no topic to evaluate")
    return judgments


def qrels_source(qrels: Qrels) -> Source:
    """Qrels in a form that can be read several times; a path or an ir-datasets id is read."""
    if isinstance(qrels, (str, os.PathLike)):
        return qrels_of(os.fspath(qrels))
    return _repeatable(qrels)


def named_runs(runs: Runs) -> list[tuple[str, Any]]:
    """Pairs of name and run. Raises `GradedError` where two runs have one name."""
    pairs = list(runs.items() if isinstance(runs, Mapping) else runs)
    seen: set[str] = set()
    for name, _ in pairs:
        if not isinstance(name, str):
            raise GradedError(f"a run's name is a string, not {name!r}")
        if name in seen:
            raise GradedError(f"two runs are named {name!r}; give each run a name of its own")
        seen.add(name)
    return pairs


def tracked(items: Iterable[Item], unit: str, progress: bool, count: int | None = None) -> Iterable[Item]:
    """The items, with a progress bar on stderr if asked for and if it takes more than a second."""
    if not progress:
        return items
    try:
        from tqdm import tqdm
    except ImportError:
        raise GradedError("progress bars need tqdm: pip install 'ir-measures-graded[progress]'") from None
    return tqdm(items, total=count, unit=unit, delay=1, leave=False)


def _repeatable(source: Source) -> Source:
    return list(source) if isinstance(source, Iterator) else source
