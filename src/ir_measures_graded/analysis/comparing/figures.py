"""The figures of a comparison: which drawing shows it, and with which data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...evaluation.evaluation import ACROSS, Evaluation, axis_label
from ...evaluation.level_notes import with_gains
from ...output.figures import (
    Drawing,
    Figure,
    Forest,
    Groups,
    Scatter,
    SortedBars,
    Triangle,
    difference_label,
    on_one_scale,
    picture,
)
from ...output.formats import short
from ..statistics.corrections import correction_of
from ..statistics.defaults import STARS
from ..statistics.precision import differences_of
from .tests import Test

if TYPE_CHECKING:
    from .result import Comparison

MOST_IN_TRIANGLE: Final = 12
"""All pairs of more runs are drawn as groups that do not differ."""
MOST_TOPICS_NAMED: Final = 5


def figure_of(comparison: Comparison, title: str = "") -> Figure:
    """The figure that answers the comparison.

    Differences from a baseline are a forest, those of two runs are drawn topic by topic, and all
    pairs are a triangle or, of many runs, groups of runs that do not differ.
    """
    title = title or comparison.summary
    if not comparison.baseline:
        return _all_pairs(comparison, title)
    values = comparison.by_topic
    if len(comparison.runs) == 2 and values is not None and not comparison.groups:
        return _two_runs(comparison, values, title)
    return _differences(comparison, title)


def _with_gains(text: str, comparison: Comparison) -> str:
    """The caption with the gains of all levels."""
    return with_gains(text, comparison.measures, comparison.levels)


def _all_pairs(comparison: Comparison, title: str) -> Figure:
    """The p-values of all pairs, or the means with groups of runs that do not differ."""
    alpha = comparison.alpha
    correction = _correction(comparison)
    drawings: list[Drawing] = []
    if len(comparison.runs) <= MOST_IN_TRIANGLE:
        strong = min(STARS[0][0], alpha)
        drawings += [_triangle(comparison, measure, strong) for measure in comparison.measures]
        text = (
            f"p of each pair{correction}. In colour: the run named below is better than the run "
            f"named at the left with p < {short(alpha)}, dark with p < {short(strong)}."
        )
        return picture(drawings, title, _with_gains(text, comparison), across=2)
    for measure in comparison.measures:
        drawings += _grouped(comparison, measure)
    text = (
        f"Dots: means. Runs that a bar joins do not differ with p < {short(alpha)}{correction}; "
        "runs that share no bar do."
    )
    return picture(drawings, title, _with_gains(text, comparison), across=2)


def _triangle(comparison: Comparison, measure: Measure, strong: float) -> Triangle:
    """The triangle of all pairs by a measure."""
    order = comparison.best_first(measure)
    row_of = {run: row for row, run in enumerate(order)}
    p = np.full((len(order), len(order)), np.nan)
    is_significant = np.zeros(p.shape, dtype=bool)
    for test in comparison.find(measure):
        one = row_of[str(test.run)]
        other = row_of[str(test.other)]
        for cell in ((one, other), (other, one)):
            is_significant[cell] = bool(test.winner)
            if test.adjusted is not None:
                p[cell] = test.adjusted
    return Triangle(order, p, is_significant, strong, heading=str(measure))


def _grouped(comparison: Comparison, measure: Measure) -> list[Drawing]:
    """The means by a measure, and the groups of runs that do not differ."""
    order = comparison.best_first(measure)
    row_of = {run: row for row, run in enumerate(order)}
    is_alike = np.ones((len(order), len(order)), dtype=bool)
    for winner, loser in comparison.wins(measure):
        one = row_of[winner]
        other = row_of[loser]
        is_alike[one, other] = False
        is_alike[other, one] = False
    means = dict(zip(comparison.runs, comparison.means_by(measure), strict=True))
    values = np.array([means[run] for run in order])
    dots = Forest(order, values, label=axis_label(measure), heading=str(measure))
    return [dots, Groups(is_alike)]


def _two_runs(comparison: Comparison, values: Evaluation, title: str) -> Figure:
    """The topics of two runs: one against the other, and their differences in order."""
    old = str(comparison.baseline)
    new = next(run for run in comparison.runs if run != old)
    both = values.part([old, new], values.measures)
    drawings: list[Drawing] = []
    bars: list[SortedBars] = []
    for measure in both.measures:
        topics = [both.topics[number] for number in both.paired_topics(measure).tolist()]
        old_values, new_values = both.paired(measure)
        better = sign_of(measure) * differences_of(new_values, old_values)[0]
        largest = np.argsort(-np.abs(better), kind="stable")[:MOST_TOPICS_NAMED]
        named = [number for number in largest.tolist() if better[number]]
        label = difference_label(new, old)
        if sign_of(measure) < 0:
            label = f"{difference_label(old, new)}, as smaller is better"
        drawings.append(
            Scatter(old_values, new_values, topics, old, new, str(measure), named, diagonal=True)
        )
        bars.append(SortedBars(better, topics, label, unit=comparison.unit))
        drawings.append(bars[-1])
    text = (
        f"A dot for each {comparison.unit}, on the line if both runs are equal. Bars: the "
        f"differences, {new} better above 0."
    )
    if not bars[0].has_every_name:
        text += f" The {comparison.unit}s that differ most are named."
    return picture(drawings, title, _with_gains(text, comparison), across=2)


def _differences(comparison: Comparison, title: str) -> Figure:
    """The differences from the baseline with their intervals, the best runs at the top.

    Groups of topics have a panel each or, of two runs, a row each.
    """
    drawings: list[Drawing] = []
    for measure in comparison.measures:
        panels = _panels_by(comparison, measure)
        if drawings:
            panels[0] = replace(panels[0], shows_names=False)
        drawings += panels
    level = f"{100 * (1 - comparison.alpha):g} %"
    together = "each for itself"
    if comparison.family == 1:
        together = "one difference"
    elif correction_of(comparison.correction).is_corrected:
        together = "which hold for all differences together"
    text = (
        f"Bars: {level} intervals, {together}. Filled: p < {short(comparison.alpha)}"
        f"{_correction(comparison)}."
    )
    if comparison.groups:
        text += " Those of groups are corrected for all groups."
    return picture(drawings, title, _with_gains(text, comparison), across=ACROSS)


class _Row(NamedTuple):
    """A pair of runs, compared over the topics of a comparison: all or those of a group."""

    over: Comparison
    run: str
    other: str

    def test(self, measure: Measure) -> Test:
        """The test of the pair by a measure."""
        (test,) = (test for test in self.over.find(measure) if self._is_of(test))
        return test

    def _is_of(self, test: Test) -> bool:
        return (test.run, test.other) == (self.run, self.other)

    def counts(self, measure: Measure) -> str:
        """The numbers of topics in which the run is better than the other, equal and worse."""
        values = self.over.by_topic
        if values is None or self.run not in values.runs or self.other not in values.runs:
            return ""
        both = values.part([self.run, self.other], [measure])
        better = sign_of(measure) * differences_of(*both.paired(measure))[0]
        counts: Sequence[int] = [(better > 0).sum(), (better == 0).sum(), (better < 0).sum()]
        return "/".join(map(str, counts))


def _panels_by(comparison: Comparison, measure: Measure) -> list[Forest]:
    """The differences by a measure: of all topics, and of each group on the same scale."""
    rows = _rows(comparison)
    heading = str(measure)
    if not comparison.groups:
        return [_differences_by(comparison, measure, rows, _pairs_of(rows), heading)]
    by_group = [_of_group(rows, over) for over in (comparison, *comparison.groups.values())]
    if len(by_group[0]) == 1:
        names = [_group_name(row.over, comparison.unit) for row in rows]
        return [_differences_by(comparison, measure, rows, names, heading)]
    panels: list[Forest] = []
    for rows_of_group in by_group:
        group = _group_name(rows_of_group[0].over, comparison.unit)
        panel = _differences_by(
            comparison, measure, rows_of_group, _pairs_of(rows_of_group), f"{heading}, {group}"
        )
        panels.append(replace(panel, shows_names=not panels))
    return on_one_scale(panels)


def _rows(comparison: Comparison) -> list[_Row]:
    """The pairs with each baseline, the best runs at the top, over all topics, then by group.

    The order is that of the means over all topics.
    """
    first = comparison.measures[0]
    place = {run: number for number, run in enumerate(comparison.best_first(first))}
    rows = []
    for over in (comparison, *comparison.groups.values()):
        pairs = [(str(test.run), str(test.other)) for test in over.find(first)]
        pairs.sort(key=lambda pair: (over.baselines.index(pair[1]), place[pair[0]]))
        rows += [_Row(over, run, other) for run, other in pairs]
    return rows


def _of_group(rows: Sequence[_Row], over: Comparison) -> list[_Row]:
    """The rows over the topics of a comparison."""
    return [row for row in rows if row.over is over]


def _differences_by(
    comparison: Comparison,
    measure: Measure,
    rows: Sequence[_Row],
    names: Sequence[str],
    heading: str,
) -> Forest:
    """The differences of the rows by a measure."""
    tests = [row.test(measure) for row in rows]
    numbers = [[test.difference, test.lower, test.upper] for test in tests]
    values, lower, upper = np.array(numbers, dtype=float).T
    label = f"difference from {_baselines(comparison)}"
    if sign_of(measure) < 0:
        label += ", smaller is better"
    texts: Sequence[str] = [row.counts(measure) for row in rows]
    heading_of_texts = "wins/ties/losses"
    if not any(texts):
        texts = ()
        heading_of_texts = ""
    return Forest(
        names,
        values,
        bars=[np.stack([lower, upper])],
        label=label,
        heading=heading,
        zero=0.0,
        filled=np.array([bool(test.significant) for test in tests]),
        texts=texts,
        texts_heading=heading_of_texts,
    )


def _correction(comparison: Comparison) -> str:
    """How the p-values are corrected, as the end of a sentence."""
    if comparison.family == 1:
        return ""
    return f" with {correction_of(comparison.correction).name}"


def _baselines(comparison: Comparison) -> str:
    """What the differences are from."""
    if len(comparison.baselines) == 1:
        return str(comparison.baseline)
    return "the baseline"


def _pairs_of(rows: Sequence[_Row]) -> list[str]:
    """The names of rows: the run or, with several baselines, both runs."""
    if len({row.other for row in rows}) == 1:
        return [row.run for row in rows]
    return [f"{row.run} − {row.other}" for row in rows]


def _group_name(over: Comparison, unit: str) -> str:
    """The name of the topics of a comparison with their number."""
    name = over.name or f"all {unit}s"
    return f"{name} ({over.topics})"
