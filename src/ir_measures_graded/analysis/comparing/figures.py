"""The figures of a comparison: which drawing shows it, and with which data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...evaluation.evaluation import ACROSS, Evaluation, axis_label
from ...output.figures import (
    Drawing,
    Figure,
    Forest,
    Groups,
    Scatter,
    SortedBars,
    Triangle,
    picture,
)
from ..statistics.corrections import correction_of
from ..statistics.defaults import STARS
from ..statistics.precision import differences_of
from .tests import Test

if TYPE_CHECKING:
    from .result import Comparison

MOST_IN_TRIANGLE: Final = 12
"""All pairs of more runs are drawn as groups that do not differ."""
MOST_TOPICS_NAMED: Final = 5


def figure_of(comparison: Comparison) -> Figure:
    """The figure that answers the comparison.

    Differences from a baseline are a forest, those of two runs are drawn topic by topic, and all
    pairs are a triangle or, of many runs, groups of runs that do not differ.
    """
    if not comparison.baseline:
        return _all_pairs(comparison)
    values = comparison.by_topic
    if len(comparison.runs) == 2 and values is not None and not comparison.groups:
        return _two_runs(comparison, values)
    return _differences(comparison)


def _all_pairs(comparison: Comparison) -> Figure:
    """The p-values of all pairs, or the means with groups of runs that do not differ."""
    alpha = comparison.alpha
    correction = _correction(comparison)
    drawings: list[Drawing] = []
    if len(comparison.runs) <= MOST_IN_TRIANGLE:
        strong = min(STARS[0][0], alpha)
        drawings += [_triangle(comparison, measure, strong) for measure in comparison.measures]
        text = (
            f"p of each pair{correction}. In colour: the run named below is better than the run "
            f"named at the left with p < {alpha:g}, dark with p < {strong:g}."
        )
        return picture(drawings, comparison.summary, text, across=2)
    for measure in comparison.measures:
        drawings += _grouped(comparison, measure)
    text = (
        f"Dots: means. Runs that a bar joins do not differ with p < {alpha:g}{correction}; runs "
        "that share no bar do."
    )
    return picture(drawings, comparison.summary, text, across=2)


def _triangle(comparison: Comparison, measure: Measure, strong: float) -> Triangle:
    """The triangle of all pairs by a measure."""
    order = comparison.best_first(measure)
    row_of = {run: row for row, run in enumerate(order)}
    p = np.full((len(order), len(order)), np.nan)
    is_significant = np.zeros(p.shape, dtype=bool)
    for test in comparison.find(measure):
        one, other = row_of[str(test.run)], row_of[str(test.other)]
        if test.adjusted is not None:
            p[one, other] = p[other, one] = test.adjusted
        is_significant[one, other] = is_significant[other, one] = bool(test.winner)
    return Triangle(order, p, is_significant, strong, heading=str(measure))


def _grouped(comparison: Comparison, measure: Measure) -> list[Drawing]:
    """The means by a measure, and the groups of runs that do not differ."""
    order = comparison.best_first(measure)
    row_of = {run: row for row, run in enumerate(order)}
    is_alike = np.ones((len(order), len(order)), dtype=bool)
    for winner, loser in comparison.wins(measure):
        one, other = row_of[winner], row_of[loser]
        is_alike[one, other] = is_alike[other, one] = False
    means = dict(zip(comparison.runs, comparison.means_by(measure), strict=True))
    values = np.array([means[run] for run in order])
    dots = Forest(order, values, label=axis_label(measure), heading=str(measure))
    return [dots, Groups(is_alike)]


def _two_runs(comparison: Comparison, values: Evaluation) -> Figure:
    """The topics of two runs: one against the other, and their differences in order."""
    old = str(comparison.baseline)
    (new,) = (run for run in comparison.runs if run != old)
    both = values.part([old, new], values.measures)
    drawings: list[Drawing] = []
    for measure in both.measures:
        topics = [both.topics[number] for number in both.paired_topics(measure).tolist()]
        old_values, new_values = both.paired(measure)
        better = sign_of(measure) * differences_of(new_values, old_values)[0]
        largest = np.argsort(-np.abs(better), kind="stable")[:MOST_TOPICS_NAMED]
        named = [number for number in largest.tolist() if better[number]]
        label = f"{new} − {old}"
        if sign_of(measure) < 0:
            label = f"{old} − {new}, as smaller is better"
        drawings.append(
            Scatter(old_values, new_values, topics, old, new, str(measure), named, diagonal=True)
        )
        drawings.append(SortedBars(better, topics, label, unit=comparison.unit))
    text = (
        f"Left: a dot for each {comparison.unit}, on the line if both runs are equal. Right: the "
        f"differences, {new} better above 0. The {comparison.unit}s that differ most are named."
    )
    return picture(drawings, comparison.summary, text, across=2)


def _differences(comparison: Comparison) -> Figure:
    """The differences from the baseline with their intervals, the best runs at the top."""
    first = comparison.measures[0]
    parts = [comparison, *comparison.groups.values()]
    rows: list[tuple[Comparison, str, str]] = []
    for part in parts:
        place = {run: number for number, run in enumerate(part.best_first(first))}
        tests = [(str(test.run), str(test.other)) for test in part.find(first)]
        tests.sort(key=lambda pair: (part.baselines.index(pair[1]), place[pair[0]]))
        rows += [(part, *pair) for pair in tests]
    names = [_row_name(comparison, *row) for row in rows]
    drawings = []
    for column, measure in enumerate(comparison.measures):
        of_measure = [_test_of(part, measure, *pair) for part, *pair in rows]
        numbers = [[test.difference, test.lower, test.upper] for test in of_measure]
        values, lower, upper = np.array(numbers, dtype=float).T
        texts = [_counts(part, measure, *pair) for part, *pair in rows]
        smaller = ", smaller is better" if sign_of(measure) < 0 else ""
        drawing = Forest(
            names,
            values,
            bars=[np.stack([lower, upper])],
            label=f"difference from {_baselines(comparison)}{smaller}",
            heading=str(measure),
            zero=0.0,
            filled=np.array([bool(test.significant) for test in of_measure]),
            texts=texts if any(texts) else (),
            texts_heading="wins/ties/losses" if any(texts) else "",
            shows_names=column % ACROSS == 0,
        )
        drawings.append(drawing)
    level = f"{100 * (1 - comparison.alpha):g} %"
    together = "each for itself"
    if comparison.family == 1:
        together = "one difference"
    elif correction_of(comparison.correction).is_corrected:
        together = "which hold for all differences together"
    text = (
        f"Bars: {level} intervals, {together}. Filled: p < {comparison.alpha:g}"
        f"{_correction(comparison)}."
    )
    return picture(drawings, comparison.summary, text, across=ACROSS)


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


def _test_of(part: Comparison, measure: Measure, run: str, other: str) -> Test:
    """The test of a pair of runs by a measure."""
    (found,) = (test for test in part.find(measure) if (test.run, test.other) == (run, other))
    return found


def _row_name(comparison: Comparison, part: Comparison, run: str, other: str) -> str:
    """The name of a row: the run or both runs, and the group of topics."""
    pair = run
    if len(comparison.baselines) > 1:
        pair = f"{run} − {other}"
    if not comparison.groups:
        return pair
    name = part.name or f"all {comparison.unit}s"
    group = f"{name} ({part.topics})"
    return f"{group}: {pair}" if len(comparison.runs) > 2 else group


def _counts(part: Comparison, measure: Measure, run: str, other: str) -> str:
    """The numbers of topics in which a run is better than the other, equal and worse."""
    values = part.by_topic
    if values is None or run not in values.runs or other not in values.runs:
        return ""
    both = values.part([run, other], [measure])
    better = sign_of(measure) * differences_of(*both.paired(measure))[0]
    counts: Sequence[int] = [(better > 0).sum(), (better == 0).sum(), (better < 0).sum()]
    return "/".join(map(str, counts))
