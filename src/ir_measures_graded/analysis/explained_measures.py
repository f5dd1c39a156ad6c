"""The ranking of one topic by several measures: what a document adds to each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.measures.base import GradedMeasure
from ..core.registry.facts import sign_of
from ..core.registry.sentences import description_of
from ..errors import GradedError
from ..evaluation.named import Judgments, Run
from ..evaluation.order_of_rows import ORDER_GIVEN
from ..output import figures
from ..output.figures import Drawing, Figure, Tiles
from ..output.formats import counted, decimal, listed
from ..output.result import Result
from ..output.tables import Column, Note, Table
from .explanation import (
    COLUMNS,
    MOST_DRAWN,
    SHOWN,
    STEP_COLUMNS,
    Explanation,
    explanations,
    filled,
    joined,
)

SHARED = ("rank", "document", "level")
"""The columns that all measures have in common."""
OF_MEASURES = ("gain", "weight", "stop", "reach", "worth", "contribution")
"""The columns of which each measure has its own."""
SIZE_OF_PANEL = (2.7, 2.6)
"""The size of the panel of weights in inches."""
ROUNDING = 1e-9
"""A quotient that is off by this much can be a rounding error."""


@dataclass(frozen=True, eq=False, repr=False)
class ExplanationByMeasure(Result):
    """The ranking of one topic by several measures, side by side.

    `explanations` has the `Explanation` by each measure, all down to the same rank.
    """

    explanations: tuple[Explanation, ...]

    @property
    def _first(self) -> Explanation:
        return self.explanations[0]

    def answer(self) -> list[Note]:
        """The values, what the list has of the relevant documents, and how each value is made."""
        first = self._first
        of_run = f" of {first.run}" if first.run else ""
        values = [f"{one.heading} = {decimal(one.value)}" for one in self.explanations[1:]]
        values.insert(0, f"{first.heading}{of_run} = {decimal(first.value)}")
        text = listed(values, len(values))
        if first.topics and first.topics > 1:
            text += f", by {first.heading} the worst of {counted(first.topics, 'topic')}"
        answer = [Note("Topic {}: {}.", first.topic, text), Note("{}.", first.found)]
        return answer + [Note("{}.", _in_words(one)) for one in self.explanations]

    def tables(self) -> list[Table]:
        """One row per rank, with the columns of all measures side by side; on lines that are too
        short for these, a table by each measure."""
        tables = [one.data().records() for one in self.explanations]
        columns: list[Column | str] = list(SHARED)
        cells: list[list[Any]] = [[row[name] for row in tables[0]] for name in SHARED]
        gains = [[row["gain"] for row in table] for table in tables]
        has_one_gain = all(gain == gains[0] for gain in gains)
        if has_one_gain:
            columns.append("gain")
            cells.append(gains[0])
        for one, table in zip(self.explanations, tables, strict=True):
            for name in OF_MEASURES:
                column = [row.get(name) for row in table]
                is_shown = any(cell is not None for cell in column)
                if is_shown and not (name == "gain" and has_one_gain):
                    heading = SHOWN.get(name, Column(name)).title
                    columns.append(Column(f"{one.heading} {name}", f"{one.heading} {heading}"))
                    cells.append(column)
        by_measure = [_table_by(one) for one in self.explanations]
        return [Table(columns, list(zip(*cells, strict=True)), narrower=by_measure)]

    def data(self) -> Table:
        """One row per measure and rank, with the columns of an explanation."""
        fields = list(COLUMNS)
        if all(one.stops is None for one in self.explanations):
            fields = [field for field in COLUMNS if field not in STEP_COLUMNS]
        names = [field.removesuffix("s") for field in fields]
        rows = []
        for one in self.explanations:
            for record in one.data().records():
                rows.append([str(one.heading), *(record.get(name) for name in names)])
        return Table(["measure", *names], rows)

    def notes(self) -> list[Note]:
        """What a document adds, and what measures leave open."""
        notes = []
        if any(one.contributions is not None for one in self.explanations):
            notes.append(Note("Adds is the part of a value that the document makes."))
        without = [one.heading for one in self.explanations if one.contributions is None]
        if without:
            are = "are no sums" if len(without) > 1 else "is no sum"
            notes.append(Note("{} {} over documents.", listed(without, len(without)), are))
        for one in self.explanations:
            if one.steps_in_words:
                steps = one.steps_in_words[0].lower() + one.steps_in_words[1:]
                notes.append(Note("{}: {}.", one.heading, steps))
        for one in self.explanations:
            notes += one.notes_on_means() + one.notes_on_rel()
        notes += self._first.notes_on_assumed()
        if self._first.in_order_given:
            notes.append(Note(ORDER_GIVEN))
        return list(dict.fromkeys(notes))

    def figure(self, *, title: str = "") -> Figure:
        """Draw the ranking beside the ideal list, the weight of each rank by each measure, and what
        each document adds to each value.

        Needs the extra ``plot``.
        """
        explanations_drawn = [one.down_to(MOST_DRAWN) for one in self.explanations]
        first = explanations_drawn[0]
        levels = first.levels[: len(first.documents)]
        ideal = first.ideal_levels[~np.isnan(first.ideal_levels)]
        tiles = Tiles(first.documents, levels, ideal, joined(levels, ideal))
        drawings: list[Drawing] = [*_panels(explanations_drawn), tiles]
        parts = ["Tiles: the levels of the documents."]
        if np.isnan(levels).any():
            parts = ["Tiles: the levels of the documents; ?: not judged."]
        parts += [f"{_in_words(one)}." for one in self.explanations]
        if len(self._first.documents) > MOST_DRAWN:
            of_all = len(self._first.documents)
            parts.append(f"The first {MOST_DRAWN} of {of_all} ranks are drawn.")
        return figures.picture(drawings, title or self.summary, " ".join(parts), across=2)


def _table_by(one: Explanation) -> Table:
    """The columns of one measure, under its name."""
    records = one.data().records()
    names = filled(records, SHARED)
    own = [name for name in OF_MEASURES if name in names]
    columns = [SHOWN.get(name, Column(name)) for name in (*SHARED, *own)]
    return Table.of(columns, records, str(one.heading))


def _in_words(one: Explanation) -> str:
    """How a value is made: the sums that are divided, if they are, and what the measure is."""
    quotient = ""
    if one.sums is not None and one.ideal is not None:
        last = int(np.flatnonzero(~np.isnan(one.sums))[-1])
        achieved = float(one.sums[last])
        possible = float(one.ideal[last])
        if possible and abs(achieved / possible - one.value) < ROUNDING:
            quotient = f"{decimal(achieved)} / {decimal(possible)} = "
    description = description_of(one.measure)
    text = f"{one.heading} = {quotient}{decimal(one.value)}"
    return f"{text}: {description}" if description else text


def _panels(explanations_drawn: Sequence[Explanation]) -> Iterator[Drawing]:
    """The weights of the ranks, if two of them differ, and what the documents add."""
    styles = figures.run_styles(str(one.heading) for one in explanations_drawn)
    weights = {}
    for one in explanations_drawn:
        if one.weights is not None:
            weights[str(one.heading)] = one.weights
    added = _added(explanations_drawn)
    ranks = explanations_drawn[0].ranks
    has_legend_beside = weights.keys() <= added.keys()
    if any(np.ptp(array[~np.isnan(array)]) for array in weights.values()):
        lines = [figures.Line(name, array, styles[name]) for name, array in weights.items()]
        yield figures.Lines(
            ranks, lines, "rank", "weight of a gain", "Weight of each rank",
            whole_x=True, from_zero=True, size=SIZE_OF_PANEL, shows_legend=not has_legend_beside,
        )  # fmt: skip
    if added:
        colours = {name: styles[name]["color"] for name in added}
        yield figures.GroupedBars(
            ranks, added, colours, "rank", "added to the value", "What each document adds"
        )


def _added(explanations_drawn: Sequence[Explanation]) -> Mapping[str, np.ndarray]:
    """What the documents add to the value of each measure that is a sum over documents."""
    return {
        str(one.heading): np.nan_to_num(one.contributions)
        for one in explanations_drawn
        if one.contributions is not None
    }


def explain_measures(
    judgments: Judgments,
    run: Run,
    measures: Sequence[Measure],
    topic: str,
    depth: int | None,
    topics: int | None,
) -> ExplanationByMeasure:
    """The ranking of a topic by several measures. `topics` is the number of those among which it is
    the worst by the first one, None if the topic was given.

    Raises `GradedError` if the measures do not rank the same documents.
    """

    def explained(measure: Measure, depth: int | None) -> Explanation:
        (explanation,) = explanations(judgments, {run.name: run}, measure, depth, [topic])[run.name]
        return replace(explanation, topics=topics)

    by_measure = [explained(measure, depth) for measure in measures]
    deepest = max(one.levels.size for one in by_measure)
    for place, measure in enumerate(measures):
        if by_measure[place].levels.size < deepest:
            by_measure[place] = explained(measure, deepest)
    first, *others = by_measure
    for one in others:
        if one.documents != first.documents:
            raise GradedError(
                f"{one.heading} ranks other documents than {first.heading} in topic {topic}; "
                "explain each of them alone"
            )
    return ExplanationByMeasure(tuple(by_measure))


def worst_topic(
    judgments: Judgments, values: np.ndarray, measure: GradedMeasure
) -> tuple[str, int]:
    """The topic with the worst value of those with a relevant document, and their number.

    Raises `GradedError` if there is none.
    """
    topics = np.flatnonzero(judgments.judged.relevant(measure.weighting))
    if not topics.size:
        raise GradedError("no topic has a relevant document; name a topic")
    worst = int((sign_of(measure) * values[topics]).argmin())
    return judgments.topics[topics[worst]], topics.size
