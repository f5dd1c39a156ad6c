"""Which topics are hard, and on which the runs differ: the values of each topic over the runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..core.registry.facts import sign_of
from ..output.formats import decimal, known, listed
from ..output.tables import Note, Table
from .attributes import By, groups_of
from .order_of_runs import leading
from .value_columns import GROUP

if TYPE_CHECKING:
    from .evaluation import Evaluation

COLUMNS = ("mean", "lowest", "highest", "spread")
NOTE_ON_RUNS = Note(
    "mean, lowest and highest: over the runs; spread: highest minus lowest. The hardest come first."
)
NOTE_ON_ONE_RUN = Note("The hardest come first.")


def means_of_topics(values: np.ndarray) -> np.ndarray:
    """The mean of each topic over the runs with a value (runs × topics); NaN without any."""
    has_value = ~np.isnan(values)
    sums = np.where(has_value, values, 0.0).sum(axis=0)
    counts = has_value.sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def hardest_first(evaluation: Evaluation, measure: Measure) -> np.ndarray:
    """The numbers of the topics that count and have a value, the worst mean over the runs first.

    Equal topics stay in the order of the qrels.
    """
    means = sign_of(measure) * means_of_topics(evaluation.of(measure))
    order = np.argsort(means, kind="stable")
    return order[evaluation.has_weight[order] & ~np.isnan(means[order])]


def hardest_with_relevant(evaluation: Evaluation, measure: Measure) -> np.ndarray:
    """The same without topics that have no relevant document, whose value says nothing of runs."""
    topics = hardest_first(evaluation, measure)
    if evaluation.lacks_relevant is None:
        return topics
    lacks = evaluation.lacks_relevant[evaluation.measures.index(measure)]
    return topics[~lacks[topics]]


def table_of_topics(evaluation: Evaluation, by: By = None) -> Table:
    """A row per measure and topic, the hardest first: its mean over the runs, the lowest and the
    highest value, and their difference. Of one run, only the value. With groups of topics, a column
    has the group.
    """
    columns = ["measure", evaluation.unit]
    group_of: dict[int, str] = {}
    if by is not None:
        columns.append(GROUP)
        for group, topics_of_group in groups_of(evaluation.topics, by).items():
            group_of |= dict.fromkeys(topics_of_group, group)
    is_single = len(evaluation.runs) == 1
    rows: list[list[Any]] = []
    for measure in evaluation.measures:
        topics = hardest_first(evaluation, measure)
        values = evaluation.of(measure)[:, topics]
        lowest = np.nanmin(values, axis=0, initial=np.inf)
        highest = np.nanmax(values, axis=0, initial=-np.inf)
        numbers = np.stack([means_of_topics(values), lowest, highest, highest - lowest], axis=1)
        for topic, numbers_of_topic in zip(topics.tolist(), numbers, strict=True):
            row = [str(measure), evaluation.topics[topic]]
            if by is not None:
                row.append(group_of[topic])
            shown_numbers = known(numbers_of_topic)
            if is_single:
                shown_numbers = shown_numbers[:1]
            rows.append([*row, *shown_numbers])
    names_of_numbers = ["value"] if is_single else COLUMNS
    columns += names_of_numbers
    return Table(columns, rows)


def answer_on_topics(evaluation: Evaluation) -> Iterator[Note]:
    """The hardest and the easiest topic by each measure, and that on which the runs differ most."""
    for measure in evaluation.measures:
        topics = hardest_with_relevant(evaluation, measure)
        if topics.size < 2:
            continue
        yield note_on_extremes(evaluation, measure, topics)
        yield from _note_on_spread(evaluation, measure, topics)


def note_on_extremes(evaluation: Evaluation, measure: Measure, topics: np.ndarray) -> Note:
    """The hardest and the easiest of at least two topics, which are sorted from the hardest."""
    means = means_of_topics(evaluation.of(measure))
    names = [evaluation.topics[number] for number in (topics[0], topics[-1])]
    values = [decimal(float(means[number])) for number in (topics[0], topics[-1])]
    unit = evaluation.unit
    if means[topics[0]] == means[topics[-1]]:
        return Note("All {}s are equally hard by {} ({}).", unit, measure, values[0])
    text = "{} {} is the hardest by {} (mean {} over the runs), {} the easiest ({})."
    if len(evaluation.runs) == 1:
        text = "{} {} is the hardest by {} ({}), {} the easiest ({})."
    return Note(text, unit.capitalize(), names[0], measure, values[0], names[1], values[1])


def _note_on_spread(evaluation: Evaluation, measure: Measure, topics: np.ndarray) -> Iterator[Note]:
    """The topic with the largest difference of two runs, if there is one, with its best and worst
    runs."""
    values = evaluation.of(measure)[:, topics]
    spread = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    widest = int(spread.argmax())
    if not spread[widest]:
        return
    of_topic = sign_of(measure) * values[:, widest]
    has_value = ~np.isnan(of_topic)
    runs = [run for run, has in zip(evaluation.runs, has_value.tolist(), strict=True) if has]
    best = leading(of_topic[has_value], runs)
    worst = leading(-of_topic[has_value], runs)
    name = evaluation.topics[topics[widest]]
    lowest_first = np.array([np.nanmin(of_topic), np.nanmax(of_topic)])
    ends = [decimal(end) for end in (sign_of(measure) * lowest_first).tolist()]
    text = "By {}, the runs differ most on {} {}: {} of {}, {} of {}."
    of_worst = (ends[0], listed(worst, 3))
    of_best = (ends[1], listed(best, 3))
    yield Note(text, measure, evaluation.unit, name, *of_worst, *of_best)
