"""The documents that make the difference of two runs in a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.registry.facts import ZERO
from ..errors import GradedError
from ..evaluation.at_ranks import DEEPEST
from ..evaluation.checked import checks_arguments
from ..evaluation.evaluate import evaluate
from ..evaluation.named import Qrels, Runs, study_of
from ..evaluation.weights import counted_by
from ..output.figures import (
    Drawing,
    Figure,
    SortedBars,
    Tiles,
    difference_label,
    picture,
)
from ..output.formats import counted, decimal, listed
from ..output.result import Result
from ..output.tables import Column, Note, Table
from .explanation import (
    MEANING_OF_FACTORS,
    MOST_DRAWN,
    WEIGHT,
    Explanation,
    explainable,
    explanations,
    filled,
    notes_on_assumed,
)
from .statistics.options import whole_number

DIFFERING = (
    "document", "level", "gain", "other_rank", "rank", "other_contribution", "contribution",
    "difference",
)  # fmt: skip
"""The columns of an explained difference."""
MOST_COMPARED = 30
"""The figure of two rankings has so many ranks without a depth or cutoff."""
TOP_RANKS = 10
"""The table has documents that add nothing down to this rank, unjudged ones down to a cutoff."""
ROUNDING = 1e-9
"""A sum of differences that is off by this much can be a rounding error."""


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedDifference(Result):
    """Two runs side by side in one topic, the documents that make the difference first.

    `other` and `run` explain the rankings of the first and of the second run. `topics` is the
    number of topics among which the topic has the largest difference, None if it was given. Rows
    are of documents down to rank `depth` of either list, by default of all.
    """

    other: Explanation
    run: Explanation
    topics: int | None = None
    depth: int | None = None

    @property
    def difference(self) -> float:
        """The value of `run` minus that of `other`."""
        return self.run.value - self.other.value

    def answer(self) -> list[Note]:
        """The values, their difference and the document that makes most of it; then each list."""
        run = self.run
        other = self.other
        records = self.records()
        text = "Topic {}: {} of {} = {}, of {} = {}, difference {}"
        names: list[Any] = [run.topic, run.heading, run.run, decimal(run.value)]
        names += [other.run, decimal(other.value), decimal(self.difference, "+")]
        if self.topics is not None:
            text += f", the largest of {counted(self.topics, 'topic')}"
        if records and records[0]["difference"] and self.difference:
            sign = np.sign(self.difference)
            row = max(records, key=lambda row: row["difference"] * sign)
            text += "; {} makes {} of it, {} and {}"
            names += [row["document"], decimal(row["difference"], "+")]
            names.append(_place(run.run, row["rank"]))
            names.append(_place(other.run, row["other_rank"]))
        lists = []
        last = self.depth or run.measure.params.get("cutoff")
        for explanation in (other, run):
            if last is not None:
                explanation = explanation.down_to(last)  # as far as explain(…) of one run looks
            sentence = explanation.found
            lists.append(Note("{}: {}{}.", explanation.run, sentence[0].lower(), sentence[1:]))
        return [Note(f"{text}.", *names), *lists]

    def data(self) -> Table:
        """One row per document of a list down to the depth, the largest difference first.

        The `difference` is the contribution to `run` minus that to `other`, which is 0 outside a
        list. It is None for a measure without contributions; documents with the best rank in either
        list then come first.
        """
        of_other = _by_document(self.other)
        of_run = _by_document(self.run)
        rows = []
        in_either = self.other.documents[: self.depth] + self.run.documents[: self.depth]
        for document in dict.fromkeys(in_either):
            before = of_other.get(document, {})
            after = of_run.get(document, {})
            judgment = after or before
            row = {name: judgment[name] for name in ("document", "level", "gain")}
            for name in ("rank", "contribution"):
                row[f"other_{name}"] = before.get(name)
                row[name] = after.get(name)
            row["difference"] = None
            if self.run.contributions is not None:
                added = after.get("contribution", 0.0)
                row["difference"] = added - before.get("contribution", 0.0)
            rows.append(row)
        rows.sort(key=_best_rank)
        rows.sort(key=lambda row: -abs(row["difference"] or 0))
        return Table.of(DIFFERING, rows)

    def _shown(self) -> list[dict[str, Any]]:
        """The records of the documents that add to a value, and of those in the top ranks, which
        take the ranks of others; all if the measure has no contributions."""
        cutoff = self.run.measure.params.get("cutoff") or TOP_RANKS
        shown = []
        for row in self.records():
            is_adding = row["contribution"] or row["other_contribution"]
            last = cutoff if row["level"] is None else min(cutoff, TOP_RANKS)
            if row["difference"] is None or is_adding or _best_rank(row) <= last:
                shown.append(row)
        return shown

    def tables(self) -> list[Table]:
        """One row per document that adds to a value or is in the top ranks."""
        rows = self._shown()
        heads = {}
        for name, word in (("rank", "rank"), ("contribution", "adds")):
            heads[f"other_{name}"] = f"{self.other.run} {word}"
            heads[name] = f"{self.run.run} {word}"
        names = filled(rows) if rows else ["document"]
        columns = [Column(name, heads.get(name, "")) for name in names]
        return [Table.of(columns, rows)]

    def figure(self, *, title: str = "") -> Figure:
        """Draw both rankings, and the difference that each document makes.

        Needs the extra ``plot``.
        """
        return self.drawn_with((), title)

    def bars(self) -> list[Drawing]:
        """The difference that each document makes; nothing if none makes one."""
        rows = [row for row in self._shown() if row["difference"]]
        if not rows:
            return []
        differences = np.array([row["difference"] for row in rows])
        documents = [row["document"] for row in rows]
        label = difference_label(self.run.run, self.other.run)
        return [SortedBars(differences, documents, label, str(self.run.heading), unit="document")]

    def drawn_with(self, further: Sequence[Drawing], title: str) -> Figure:
        """The figure, with further drawings of bars."""
        depth = self.depth or self.run.measure.params.get("cutoff") or MOST_COMPARED
        other = self.other.down_to(min(depth, MOST_DRAWN))
        run = self.run.down_to(min(depth, MOST_DRAWN))
        place_in_run = {document: place for place, document in enumerate(run.documents)}
        pairs = []
        for place, document in enumerate(other.documents):
            if document in place_in_run:
                pairs.append((place, place_in_run[document]))
        levels_of_other = other.levels[: len(other.documents)]
        levels_of_run = run.levels[: len(run.documents)]
        heads = (other.run, run.run)
        factors = None
        if run.weights is not None:  # it is the same for both runs, unlike the worth of a stop
            factors, _ = run.factors()
        tiles = Tiles(
            other.documents,
            levels_of_other,
            levels_of_run,
            pairs,
            heads=heads,
            factors=factors,
            factor_head=WEIGHT,
        )
        bars = self.bars()
        drawings: list[Drawing] = [tiles, *bars, *further]
        text = f"Tiles: the levels of the documents down to rank {len(run.levels)}"
        if np.isnan([*levels_of_other, *levels_of_run]).any():
            text += "; ?: not judged"
        text += "."
        if pairs:
            text += " A line joins the places of a document in both rankings."
        if factors is not None:
            text += f" {MEANING_OF_FACTORS[WEIGHT]}"
        if bars or further:
            text += f" Bars: what the documents add to the difference, for {run.run} above 0."
        return picture(drawings, title or self.summary, text)

    def notes(self) -> list[Note]:
        """The number of omitted documents, and the sum of the contributions below the last
        ranks."""
        if self.run.contributions is None:
            text = "{} is no sum over documents; the documents are in the order of their ranks."
            return [Note(text, self.run.heading), *self.run.notes_on_rel()]
        rows = self.records()
        notes = self.run.notes_on_means()
        others = len(rows) - len(self._shown())
        if others:
            text = "Omitted: {} without a contribution to either value."
            notes.append(Note(text, counted(others, "document")))
        if any(row["level"] is None for row in self._shown()):
            text = "A document without a level is not judged and adds nothing at its rank."
            notes.append(Note(text))
        below = self.difference - sum(row["difference"] for row in rows)
        if abs(below) > ROUNDING:
            notes.append(
                Note("Documents below the depth make a difference of {}.", decimal(below, "+"))
            )
        return notes + self._notes_on_assumed() + self.run.notes_on_rel()

    def _notes_on_assumed(self) -> list[Note]:
        """The documents of the table whose level is assumed."""
        levels = {row["document"]: row["level"] for row in self._shown()}
        return notes_on_assumed(levels, self.run.assumed | self.other.assumed)


@dataclass(frozen=True, eq=False, repr=False)
class DifferenceByMeasure(Result):
    """Two runs side by side in one topic by several measures.

    `differences` has the `ExplainedDifference` by each measure.
    """

    differences: tuple[ExplainedDifference, ...]

    def answer(self) -> list[Note]:
        """The values and their difference by each measure, then what both lists have."""
        first, *others = [difference.answer() for difference in self.differences]
        sentences = [first[0], *(notes[0] for notes in others)]
        return [*sentences, *first[1:]]

    def tables(self) -> list[Table]:
        """A row per measure with both values, then a table by each measure, with a row per
        document."""
        first = self.differences[0]
        runs = [first.other.run, first.run.run]
        rows = [
            [str(one.run.heading), one.other.value, one.run.value, one.difference]
            for one in self.differences
        ]
        values = Table(["measure", *runs, "difference"], rows)
        by_measure = [
            replace(one.tables()[0], title=str(one.run.heading)) for one in self.differences
        ]
        return [values, *by_measure]

    def data(self) -> Table:
        """One row per measure and document, with the columns of an explained difference."""
        rows = []
        for one in self.differences:
            heading = str(one.run.heading)
            rows += [[heading, *row] for row in one.data().rows]
        return Table(["measure", *DIFFERING], rows)

    def notes(self) -> list[Note]:
        """The notes by each measure; those that measures share stand once."""
        notes: dict[Note, list[str]] = {}
        for one in self.differences:
            for note in one.notes():
                notes.setdefault(note, []).append(str(one.run.heading))
        of_measures = []
        for note, headings in notes.items():
            is_shared = len(headings) == len(self.differences)
            is_named = any(heading in str(note) for heading in headings)
            if is_shared or is_named:
                of_measures.append(note)
            else:
                of_measures.append(Note("{}: {}", listed(headings, len(headings)), note))
        return of_measures

    def figure(self, *, title: str = "") -> Figure:
        """Draw both rankings, and the difference that each document makes by each measure.

        Needs the extra ``plot``.
        """
        first, *others = self.differences
        further = [drawing for one in others for drawing in one.bars()]
        return first.drawn_with(further, title or self.summary)


def _by_document(explanation: Explanation) -> dict[str, dict[str, Any]]:
    """The record of each document of the list."""
    records = explanation.records()[: len(explanation.documents)]
    return {record["document"]: record for record in records}


def _best_rank(row: dict[str, Any]) -> int:
    """The best rank of a document in either list."""
    ranks = [rank for rank in (row["rank"], row["other_rank"]) if rank is not None]
    return min(ranks)


def _place(run: str, rank: int | None) -> str:
    """The place of a document in the list of a run."""
    return f"not in {run}" if rank is None else f"at rank {rank} of {run}"


def explain_differences(
    qrels: Qrels,
    runs: Runs,
    measures: Sequence[Measure],
    topic: str | int | None,
    depth: int | None,
    *,
    no_relevant: str = ZERO,
) -> DifferenceByMeasure:
    """The documents that make the difference of two runs in a topic, by each of several measures.

    The default topic is that of the largest difference by the first one.
    """
    study = study_of(counted_by(qrels, no_relevant), runs)
    judgments = study.judgments
    first = explain_difference(judgments, study.runs, measures[0], topic, depth)
    differences = [first]
    for measure in measures[1:]:
        further = explain_difference(judgments, study.runs, measure, first.run.topic, depth)
        differences.append(further)
    return DifferenceByMeasure(tuple(differences))


@checks_arguments("explain_difference(qrels, {'old': old, 'new': new}, 'nDCG@10')")
def explain_difference(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str,
    topic: str | int | None = None,
    depth: int | None = None,
    *,
    no_relevant: str = ZERO,
) -> ExplainedDifference:
    """The documents that make the difference of two runs in a topic.

    - `qrels`, `runs`: as for `evaluate`. There are two runs, the first is the one that the second
      is compared with.
    - `measure`: as for `explain`.
    - `depth` (≥ 1): the last rank of the documents in the table; by default that of the longer
      list. For a measure whose value is not a sum over documents, it is the cutoff or, without one,
      the rank of the last judged document in either list.
    - `topic`: a topic of the qrels; by default the one with the largest difference of the values.
    - `no_relevant`: as for `explain`.

    >>> qrels = {"q1": {"a": 3, "b": 2}, "q2": {"a": 1}}
    >>> runs = {"old": {"q1": {"b": 2.0, "a": 1.0}}, "new": {"q1": {"a": 2.0, "x": 1.0}}}
    >>> print(explain_difference(qrels, runs, "CG@2"))  # doctest: +NORMALIZE_WHITESPACE
    Topic q1: CG@2 of new = 3.0000, of old = 5.0000, difference −2.0000, the largest of 2 topics; b
    makes −2.0000 of it, not in new and at rank 1 of old.
    old: first relevant document at rank 1; 2 of its 2 relevant ones in the first 2; all 2 judged.
    new: first relevant document at rank 1; 1 of its 2 relevant ones in the first 2; 1 of the 2
    judged.
    <BLANKLINE>
    document  level  gain  old rank  new rank  old adds  new adds  difference
    b             2     2         1              2.0000               −2.0000
    a             3     3         2         1    3.0000    3.0000      0.0000
    x                   0                   2              0.0000      0.0000
    <BLANKLINE>
    A document without a level is not judged and adds nothing at its rank.

    Raises `GradedError` unless there are two runs, and as `explain`.
    """
    study = study_of(counted_by(qrels, no_relevant), runs)
    definition = explainable(measure)
    if len(study.runs) != 2:
        raise GradedError(
            f"explain_difference needs 2 runs, not {len(study.runs)}; pass both in one mapping"
        )
    count = None
    if topic is None:
        values = evaluate(study.judgments, study.runs, [definition]).of(definition)
        differences = np.abs(values[1] - values[0])
        topic = study.judgments.topics[int(np.nanargmax(differences))]
        count = int(np.isfinite(differences).sum())
    lengths = [int(run.ranks.retrieved.max()) for run in study.runs]
    longest = min(max(1, *lengths), DEEPEST)
    # The whole lists show where documents of the other list went.
    whole = explanations(study.judgments, study.runs, measure, longest, [topic])
    (other,), (run,) = whole.values()
    if depth is not None:
        depth = whole_number(depth, "depth", 1, DEEPEST)
    elif run.contributions is None:
        depth = definition.params.get("cutoff") or max(other.last_judged_rank, run.last_judged_rank)
    return ExplainedDifference(other, run, count, depth)
