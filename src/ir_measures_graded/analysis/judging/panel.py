"""A human judge and machine judges on one scale, and the values of runs under each; each run is read once."""

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import needs_intents
from ...core.registry.notation import parse_measures
from ...errors import GradedError, InputWarning
from ...evaluation.evaluate import Evaluation, evaluate
from ...evaluation.named import Qrels, Runs, about, named_runs, run_names
from ...output.formats import listed
from .merging import HUMAN, MACHINE, Levels, answers_in, on_one_scale


@dataclass(frozen=True)
class Panel:
    """The judgments of a machine beside the human's, and the values of the runs under both.

    `abstentions` counts the machine's rows without a level and its answers outside the human's scale, and
    `outside` is a sentence about the latter. `values` has the values of the runs under the human and under
    the machine; it is None without runs.
    """

    name: str
    human: Levels
    machine: Levels
    abstentions: int
    outside: str
    values: tuple[Evaluation, Evaluation] | None = None

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
) -> list[Panel]:
    """A `Panel` for each machine. The parameters are those of `judges` and `estimate`."""
    if isinstance(machines, (str, os.PathLike)):
        machines = [machines]
    if not isinstance(machines, Mapping):
        paths = [os.fspath(path) for path in machines]
        machines = dict(zip(run_names(paths), paths))
        if len(machines) < len(paths):
            raise GradedError(f"a machine judge is given twice: {', '.join(paths)}")
    if not machines:
        raise GradedError("no machine judge is given; pass one or more by name, or paths of qrels files")
    wanted = parse_measures(measures) if measures else ()
    named = named_runs(runs, needed=False)
    if bool(named) != bool(wanted):
        missing, given = ("measures", "runs") if named else ("runs", "measures")
        raise GradedError(f"{given} are given without {missing}; give both to compare the orders of runs")
    for measure in filter(needs_intents, wanted):
        raise GradedError(f"{measure} takes no judges: they are compared by one level of each document")
    by_human, _ = answers_in(human, HUMAN)
    found = []
    for name, machine in machines.items():
        levels, abstentions = answers_in(machine, MACHINE)
        levels, outside, sentence = on_one_scale(by_human, levels, machine_levels, str(name))
        found.append(Panel(str(name), by_human, levels, abstentions + outside, sentence))
    if not named:
        return found
    read = []
    for run in named:
        with about(run.name):
            read.append(replace(run, source=run.source.table()))
    values, told = list[Evaluation](), set[str]()
    for name, levels in ((None, by_human), *((each.name, each.machine) for each in found)):
        with warnings.catch_warnings(record=True) as issued:
            warnings.simplefilter("always", InputWarning)
            values.append(evaluate(levels, read, wanted))
        new = [text for text in (str(each.message) for each in issued) if text not in told]
        told.update(new)
        # Warnings of a machine that the human's levels do not cause are one line.
        lines = new if name is None or not new else [f"{name}: {listed(new)}"]
        for line in lines:
            warnings.warn(line, InputWarning, stacklevel=3)
    return [replace(panel, values=(values[0], other)) for panel, other in zip(found, values[1:])]
