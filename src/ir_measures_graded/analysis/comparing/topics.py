"""The differences of two runs in each topic, and the topics in which they differ most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...core.registry.facts import sign_of
from ...errors import GradedError
from ...output.formats import counted, decimal
from ...output.result import View
from ...output.tables import Note, Table
from .layout import shown_pairs
from .tests import Test

if TYPE_CHECKING:
    from .result import Comparison

MOST_OF_ONE_PAIR: Final = 20
"""People read so many topics of a single pair of runs."""
MOST_OF_SEVERAL: Final = 5
"""People read so many topics of each of several pairs."""


def topic_table(comparison: Comparison, losses: bool = False) -> Table:
    """A row per measure, pair of the family and topic: both values, and their difference.

    The topics that fell most come first, by the sign of the measure. A topic for which one of the
    runs has no value, or whose weight is 0, is left out, and with `losses` one in which the run is
    not worse. With groups of topics, a column has the group. Raises `GradedError` if the values are
    not known.
    """
    rows: list[list[Any]] = []
    group_of = _group_of_topics(comparison)
    for test in comparison.outcomes:
        if test.test == comparison.primary and test.run is not None:
            of_pair = _rows_of(comparison, test, group_of)
            sign = sign_of(test.measure)
            if losses:
                of_pair = _lost(test, of_pair)
            rows += sorted(of_pair, key=lambda row: sign * row[-1])
    return Table(_columns(comparison), rows)


def _columns(comparison: Comparison) -> list[str]:
    of_topic = [comparison.unit]
    if comparison.groups:
        of_topic.append("group")
    return ["measure", "run", "other", *of_topic, "value", "other_value", "difference"]


def _group_of_topics(comparison: Comparison) -> dict[str, str]:
    """The group of each topic; empty without groups."""
    group_of: dict[str, str] = {}
    for name, group in comparison.groups.items():
        if group.by_topic is not None:
            group_of |= dict.fromkeys(group.by_topic.topics, name)
    return group_of


def _rows_of(comparison: Comparison, test: Test, group_of: Mapping[str, str]) -> list[list[Any]]:
    """The rows of a pair of runs, in the order of the topics, with the groups of these."""
    evaluation = comparison.by_topic
    if evaluation is None:
        raise GradedError("the values by topic are not known")
    names = [str(test.run), str(test.other)]
    values = evaluation.of(test.measure)[[evaluation.runs.index(name) for name in names]]
    differences = values[0] - values[1]
    counts = ~np.isnan(differences) & evaluation.has_weight
    of_pair = [str(test.measure), *names]
    rows = []
    for number in np.flatnonzero(counts).tolist():
        topic = evaluation.topics[number]
        of_topic = [topic]
        if comparison.groups:
            of_topic.append(group_of.get(topic, ""))
        numbers = [*values[:, number].tolist(), float(differences[number])]
        rows.append([*of_pair, *of_topic, *numbers])
    return rows


def _lost(test: Test, rows: Sequence[list[Any]]) -> list[list[Any]]:
    """The rows of topics in which the run is worse than the other."""
    sign = sign_of(test.measure)
    return [row for row in rows if sign * row[-1] < 0]


def view_of_topics(comparison: Comparison, losses: bool = False) -> View:
    """The topics in which the runs of each pair differ most, and a sentence on each pair.

    With `losses`, the table has only topics in which the run is worse than the other.
    """
    pairs = [test for measure in comparison.measures for test in shown_pairs(comparison, measure)]
    has_several = len(pairs) > len(comparison.measures)
    most = MOST_OF_SEVERAL if has_several else MOST_OF_ONE_PAIR
    group_of = _group_of_topics(comparison)
    largest_first: list[tuple[Test, list[list[Any]]]] = []
    for test in pairs:
        of_pair = sorted(_rows_of(comparison, test, group_of), key=lambda row: -abs(row[-1]))
        if of_pair:
            largest_first.append((test, of_pair))
    rows = []
    is_cut = False
    for test, of_pair in largest_first:
        listed_rows = _lost(test, of_pair) if losses else of_pair
        rows += listed_rows[:most]
        is_cut |= len(listed_rows) > most
    tables = [Table(_columns(comparison), rows)]
    above: list[Note] = []
    if has_several:
        tables.append(_table_of_pairs(comparison, largest_first))
        above += _notes_on_measures(comparison, largest_first)
    else:
        for test, of_pair in largest_first:
            above += _note_on(comparison, test, of_pair)
    notes: list[str] = []
    if is_cut or comparison.shows_best_only:
        unit = comparison.unit
        text = "The table has the {} {}s with the largest {} of {}; csv, tsv and json have all."
        what = "losses" if losses else "differences"
        whose = "the runs"
        if has_several:
            whose = "each pair of runs"
        notes.append(Note(text, most, unit, what, whose))
    if len(comparison.runs) > 2:
        text = "evaluate --show topics has the mean and the spread of each {} over all runs."
        notes.append(Note(text, comparison.unit))
    return View(
        tables,
        comparison.figure,
        read=topic_table(comparison, losses),
        noted=[*notes, *comparison.level_notes()],
        above=above,
        remarks=comparison.remarks,
        headline="" if above else comparison.summary,
    )


def _note_on(comparison: Comparison, test: Test, rows: list[list[Any]]) -> Iterator[Note]:
    """In how many topics a run is better than the other, and where they differ most; `rows` have
    the largest difference first."""
    if not rows[0][-1]:
        return
    topic = rows[0][3]
    *_, value, other_value, difference = rows[0]
    unit = comparison.unit
    text = "By {}, {} is better than {} in {} of {}, worse in {}; they differ most in {} {}: {} "
    text += "({} against {})."
    better, worse = _better_and_worse(test, rows)
    counts = [better, counted(len(rows), unit), worse]
    numbers = [decimal(difference, "+"), decimal(value), decimal(other_value)]
    yield Note(text, test.measure, test.run, test.other, *counts, unit, topic, *numbers)


def _better_and_worse(test: Test, rows: list[list[Any]]) -> tuple[int, int]:
    """The number of topics in which the run is better than the other, and worse."""
    signs = (sign_of(test.measure) * np.sign([row[-1] for row in rows])).tolist()
    return signs.count(1), signs.count(-1)


def _table_of_pairs(
    comparison: Comparison, largest_first: Sequence[tuple[Test, list[list[Any]]]]
) -> Table:
    """A row per measure and pair: in how many topics the run is better, and in how many worse."""
    counts: list[list[Any]] = []
    for test, rows in largest_first:
        counts.append([str(test.measure), test.run, test.other, *_better_and_worse(test, rows)])
    title = f"{comparison.unit.capitalize()}s in which the run is better or worse than the other"
    return Table(["measure", "run", "other", "better", "worse"], counts, title)


def _notes_on_measures(
    comparison: Comparison, largest_first: Sequence[tuple[Test, list[list[Any]]]]
) -> Iterator[Note]:
    """The two runs with the largest difference in a topic by each measure."""
    text = "By {}, the largest difference is that of {} and {} in {} {}: {} ({} against {})."
    for measure in comparison.measures:
        first_rows = [rows[0] for test, rows in largest_first if test.measure == measure]
        row = max(first_rows, key=lambda row: abs(row[-1]), default=None)
        if row is None or not row[-1]:
            continue
        *_, value, other_value, difference = row
        _, run, other, topic = row[:4]
        numbers = [decimal(difference, "+"), decimal(value), decimal(other_value)]
        yield Note(text, measure, run, other, comparison.unit, topic, *numbers)
