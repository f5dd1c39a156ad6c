"""Systems with several runs, such as one for each seed: their means over the repeats."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from ...core.by_topic import mean_over_topics
from ...errors import GradedError, shown
from ...evaluation.evaluation import Evaluation, Unjudged
from ...output.formats import listed

Repeats = str | Mapping[str, str] | None
"""Which system a run repeats: a pattern of names, or the system of each run."""


def systems_of(runs: Sequence[str], repeats: Repeats) -> dict[str, list[int]]:
    """The numbers of the runs of each system; empty if `repeats` is None.

    >>> systems_of(["bm25", "t5-seed1", "t5-seed2"], "*-seed*")
    {'bm25': [0], 't5': [1, 2]}
    >>> systems_of(["x", "y", "bm25"], {"x": "dense", "y": "dense"})
    {'dense': [0, 1], 'bm25': [2]}

    Raises `GradedError` for a pattern that does not begin with ``*``, for a run that is unknown,
    and if no system has several runs.
    """
    if repeats is None:
        return {}
    if isinstance(repeats, Mapping):
        unknown = [run for run in repeats if run not in runs]
        if unknown:
            raise GradedError(
                f"repeats names the run {shown(unknown[0])}, and the runs are {listed(runs, 10)}"
            )
        system_of = {run: str(repeats.get(run, run)) for run in runs}
    elif isinstance(repeats, str) and repeats.startswith("*") and len(repeats) > 1:
        system_of = {run: _without_ending(run, repeats[1:]) for run in runs}
    else:
        raise GradedError(
            f"repeats={shown(repeats)} is not allowed; it is a pattern of names whose first * "
            "stands for the system, as '*-seed*', or the system of each run"
        )
    systems: dict[str, list[int]] = {}
    for number, run in enumerate(runs):
        systems.setdefault(system_of[run], []).append(number)
    if len(systems) == len(runs):
        raise GradedError(
            f"repeats={shown(repeats)}: no system has several of the runs {listed(runs, 10)}"
        )
    return systems


def _without_ending(run: str, ending: str) -> str:
    """The name of a run without the longest ending that matches a pattern; the name if none does.

    >>> _without_ending("t5-seed1", "-seed*"), _without_ending("bm25", "-seed*")
    ('t5', 'bm25')
    """
    for length in range(1, len(run)):
        if fnmatchcase(run[length:], ending):
            return run[:length]
    return run


def averaged(evaluation: Evaluation, systems: Mapping[str, Sequence[int]]) -> Evaluation:
    """The mean of each system over its repeats, by measure and topic; without systems, the values
    of the runs.

    A topic that a repeat lacks is missing. A topic without a value of some repeat has none.
    """
    if not systems:
        return evaluation
    values = []
    missing = []
    for numbers in systems.values():
        values.append(mean_over_topics(np.moveaxis(evaluation.values[numbers], 0, -1)))
        if evaluation.missing is not None:
            missing.append(evaluation.missing[numbers].any(axis=0))
    missing_topics = np.stack(missing) if missing else None
    return replace(
        evaluation,
        runs=tuple(systems),
        values=np.stack(values),
        missing=missing_topics,
        unjudged=_mean_unjudged(evaluation, systems),
    )


def _mean_unjudged(evaluation: Evaluation, systems: Mapping[str, Sequence[int]]) -> Unjudged | None:
    """The mean share of unjudged documents of the repeats of each system."""
    if evaluation.unjudged is None:
        return None
    share_of = evaluation.unjudged.shares
    shares = {}
    for system, numbers in systems.items():
        runs = [evaluation.runs[number] for number in numbers]
        if all(run in share_of for run in runs):
            shares[system] = float(np.mean([share_of[run] for run in runs]))
    return Unjudged(evaluation.unjudged.depth, shares)


def means_of_repeats(
    evaluation: Evaluation, systems: Mapping[str, Sequence[int]]
) -> dict[str, np.ndarray]:
    """The means (repeats × measures) of each system that has several repeats.

    They are over the topics for which all runs have a value.
    """
    of_measures = [mean_over_topics(evaluation.paired(measure)) for measure in evaluation.measures]
    means = np.stack(of_measures, axis=1)
    return {system: means[numbers] for system, numbers in systems.items() if len(numbers) > 1}
