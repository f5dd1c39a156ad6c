"""The figure of a gate: the difference beside the margin, and the topics in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ...core.registry.facts import sign_of
from ...evaluation.evaluation import Evaluation
from ...evaluation.level_notes import with_gains
from ...output.figures import BLUE, GREY, ORANGE, Drawing, Figure, NumberLine, SortedBars, picture
from ...output.formats import counted
from ..statistics.precision import differences_of
from .verdict import DIFFERS, HOLDS, MOST_FALLEN_NAMED, WORSE, Verdict

if TYPE_CHECKING:
    from .gate import Gate

COLOURS: Final = {HOLDS: BLUE, WORSE: ORANGE, DIFFERS: ORANGE}
"""The colour of the difference by verdict; else grey."""


def figure_of(gate: Gate, title: str = "") -> Figure:
    """A number line, those of the groups and the sorted topics for each measure."""
    drawings: list[Drawing] = []
    bars = []
    over_all_topics = [verdict for verdict in gate.verdicts if verdict.group is None]
    for verdict in over_all_topics:
        of_groups = [group for group in gate.verdicts if group.measure == verdict.measure]
        drawings += _number_lines(gate, of_groups)
        if gate.by_topic is not None:
            bars.append(_topics(gate, gate.by_topic, verdict))
            drawings.append(bars[-1])
    text = (
        f"Dot: the mean difference with its one-sided bounds at {100 * (1 - gate.level):.3g} % "
        f"each. Shaded: the zone that the margin of {gate.margin} excludes."
    )
    if bars:
        text += f" Below: a bar for each {gate.unit}"
        if any(verdict.fallen for verdict in gate.verdicts) and not bars[0].has_every_name:
            text += "; those that fell most are named"
        text += "."
    if gate.by_topic is not None:
        text = with_gains(text, gate.by_topic.measures, gate.by_topic.levels)
    return picture(drawings, title or gate.summary, text, across=1)


def _number_lines(gate: Gate, verdicts: Sequence[Verdict]) -> list[NumberLine]:
    """The number lines of verdicts by one measure, on one scale, the last one with the label."""
    lines = [_number_line(gate, verdict) for verdict in verdicts]
    ends = np.array([line.own_limits for line in lines])
    limits = (float(ends[:, 0].min()), float(ends[:, 1].max()))
    on_one_scale = [replace(line, limits=limits, label="") for line in lines]
    return [*on_one_scale[:-1], replace(lines[-1], limits=limits)]


def _number_line(gate: Gate, verdict: Verdict) -> NumberLine:
    """The difference by a measure, and the zones that the margin excludes."""
    sign = sign_of(verdict.measure)
    allowed = float(gate.margin.allowed(np.array([verdict.old]))[0])
    excluded = []
    if sign > 0 or gate.equivalent:
        excluded.append((-np.inf, -allowed))
    if sign < 0 or gate.equivalent:
        excluded.append((allowed, np.inf))
    lower = -np.inf if verdict.lower is None else verdict.lower
    upper = np.inf if verdict.upper is None else verdict.upper
    smaller = ", smaller is better" if sign < 0 else ""
    return NumberLine(
        verdict.difference,
        (lower, upper),
        tuple(excluded),
        label=f"{gate.new} − {gate.old}{smaller}",
        heading=heading_of(gate, verdict),
        colour=COLOURS.get(verdict.verdict, GREY),
    )


def heading_of(gate: Gate, verdict: Verdict) -> str:
    """The verdict by a measure, with its reason if too few topics changed."""
    topics = ""
    if verdict.group is not None:
        topics = f" ({counted(verdict.topics, gate.unit)})"
    heading = f"{verdict.name}{topics}: {verdict.verdict}"
    reason = gate.few_changes(verdict)
    if reason:
        heading += f": {reason}"
    return heading


def _topics(gate: Gate, values: Evaluation, verdict: Verdict) -> SortedBars:
    """The differences of the topics by a measure, those that fell most named."""
    measure = verdict.measure
    topics = [values.topics[number] for number in values.paired_topics(measure).tolist()]
    old, new = values.paired(measure)
    better = sign_of(measure) * differences_of(new, old)[0]
    label = "difference"
    if sign_of(measure) < 0:
        label = "difference, turned: smaller is better"
    return SortedBars(better, topics, label, named=MOST_FALLEN_NAMED, at_low=True, unit=gate.unit)
