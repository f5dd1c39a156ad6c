"""A human judge and machine judges on one scale, and the values of runs under each; each run is read once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluate_each
from ..evaluation.named import Qrels, Runs, named_runs, run_names
from ..registry.facts import needs_intents
from ..registry.notation import parse_measures
from .answers import answers_in
from .merging import merge_qrels
from .scales import HUMAN, MACHINE, Levels, on_one_scale

HUMAN_FIRST: Final = "human-first"


@dataclass(frozen=True)
class Panel:
    """The judgments of a machine beside the human's, and the values of the runs under both.

    `human_values` and `machine_values` are None without runs. With ``merge="human-first"``, `completed` and
    its values replace the human's in estimates. `abstentions` counts the machine's rows without a level.
    """

    name: str
    human: Levels
    machine: Levels
    abstentions: int
    completed: Levels
    origins: dict[str, int]
    human_values: Evaluation | None
    machine_values: Evaluation | None
    completed_values: Evaluation | None

    @property
    def both(self) -> list[str]:
        """The topics that both judged, in the human's order."""
        return [topic for topic in self.human if topic in self.machine]


def values_of(found: Evaluation, topics: Iterable[str]) -> np.ndarray:
    """The values for these topics (runs × measures × topics)."""
    number = {topic: column for column, topic in enumerate(found.topics)}
    return found.values[:, :, [number[topic] for topic in topics]]


def panels(
    human: Qrels,
    machines: Mapping[str, Qrels] | Iterable[str | os.PathLike[str]],
    runs: Runs = (),
    measures: Iterable[Measure | str] = (),
    *,
    machine_levels: Mapping[Any, Any] | str | None = None,
    merge: str | None = None,
    progress: bool = False,
    jobs: int | None = 1,
) -> list[Panel]:
    """A `Panel` for each machine. The parameters are those of `judges` and `estimate`."""
    if merge not in (None, HUMAN_FIRST):
        raise GradedError(f"merge={merge!r} is not allowed; it is {HUMAN_FIRST!r} or None")
    if not isinstance(machines, Mapping):
        paths = [os.fspath(path) for path in machines]
        machines = dict(zip(run_names(paths), paths))
    if not machines:
        raise GradedError("no machine judge is given; pass one or more by name, or paths of qrels files")
    measures = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    named = named_runs(runs, once=True, needed=False)
    if bool(named) != bool(measures):
        missing, given = ("measures", "runs") if named else ("runs", "measures")
        raise GradedError(f"{given} are given without {missing}; give both to compare the orders of runs")
    for measure in filter(needs_intents, parse_measures(measures) if measures else ()):
        raise GradedError(f"{measure} takes no judges: they are compared by one level of each document")
    by_human, _ = answers_in(human, HUMAN)
    answered = {str(name): answers_in(machine, MACHINE) for name, machine in machines.items()}
    scaled = {
        name: on_one_scale(by_human, levels, machine_levels)[1] for name, (levels, _) in answered.items()
    }
    merged = {
        name: merge_qrels({HUMAN: by_human, MACHINE: {t: levels[t] for t in by_human if t in levels}})
        for name, levels in (scaled if merge else {}).items()
    }
    every = [by_human, *scaled.values(), *(each.qrels for each in merged.values())]
    values: list[Any] = [None] * len(every)
    if named:
        values = evaluate_each(every, named, measures, progress=progress, jobs=jobs)
    by_name = dict(zip(scaled, values[1:]))
    completed = dict(zip(merged, values[1 + len(scaled) :]))
    origins = {HUMAN: sum(map(len, by_human.values())), MACHINE: 0}
    return [
        Panel(
            name,
            by_human,
            levels,
            answered[name][1],
            merged[name].qrels if merge else by_human,
            merged[name].origins if merge else origins,
            values[0],
            by_name[name],
            completed.get(name, values[0]),
        )
        for name, levels in scaled.items()
    ]
