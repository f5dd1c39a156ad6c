"""Explanations: the ranking of a topic beside its ideal list, and the amount that each document
adds.

`explain` shows one run, `explain_difference` the documents that make the difference of two runs.

A value that is a sum over documents, such as DCG, is split into their contributions. For every
measure that takes a cutoff, the value of the list down to each rank is computed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.by_topic import bounds_of, positions
from ..core.measures.base import GradedMeasure
from ..core.measures.gain_sums import GainSum
from ..core.ranking.gains import plain_number
from ..core.ranking.order import as_compared
from ..core.ranking.ranks import JudgedRanks
from ..core.registry import facts
from ..core.rows.in_memory import Source
from ..errors import GradedError, NotApplicableError
from ..evaluation.at_ranks import DEEPEST, one_measure, values_at_ranks
from ..evaluation.checked import checks_arguments
from ..evaluation.counting import ONE, SKIP, ZERO
from ..evaluation.evaluate import evaluate
from ..evaluation.named import Qrels, Run, Runs, name_and_run, study_of
from ..evaluation.run_evaluator import RunEvaluator
from ..evaluation.weights import counted_by
from ..output.figures import (
    Drawing,
    Figure,
    SortedBars,
    Tiles,
    difference_label,
    picture,
    shortened,
)
from ..output.formats import counted, decimal
from ..output.result import Result
from ..output.tables import Column, Note, Table
from .curves import ideal_run
from .statistics.options import whole_number

COLUMNS = [
    "ranks",
    "documents",
    "scores",
    "levels",
    "gains",
    "weights",
    "contributions",
    "sums",
    "values",
]
COLUMNS += ["ideal_levels", "ideal_gains", "ideal"]
"""The fields of an explanation that are columns, which are named without the plural s."""
ALWAYS = ("rank", "document", "level")
"""The columns that the table shows even if they are empty."""
DIFFERING = (
    "document", "level", "gain", "other_rank", "rank", "other_contribution", "contribution",
    "difference",
)  # fmt: skip
"""The columns of an explained difference."""
WHOLE = ("level", "gain", "ideal_level", "ideal_gain")
"""The columns whose whole numbers have no decimals."""
SCORED = {"norm", "tied_by"}
"""The parameters of measures that read the scores of a run; the ideal list has no scores."""
MOST_DRAWN = 60
"""The figure has at most so many ranks."""
MOST_COMPARED = 30
"""The figure of two rankings has so many ranks without a depth or cutoff."""
LONGEST_HEAD = 10
"""The longest name of a run above its column of tiles."""
ROUNDING = 1e-9
"""A sum of differences that is off by this much can be a rounding error."""


class Score(float):
    """A score; as text, it has all digits that tell it from other scores."""

    def __format__(self, spec: str) -> str:
        return str(self)


SHOWN = {"score": Column("score", kind=Score), "contribution": Column("contribution", "adds")}


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """The ranking of one topic, rank by rank down to depth D, beside the ideal list.

    `value` is the value of `measure` for `topic`. Each array has one entry per rank (D), which is
    NaN where there is no number. An array is None if it does not apply to the measure.

    - `documents`: the ids in rank order; fewer than D if the list is shorter
    - `scores`, `levels`, `gains`: those of the documents. Scores are rounded to 32-bit floats,
      which are compared. An unjudged document has no level, and its gain is 0.
    - `weights`: the weight of a gain of 1 at the rank, before sums are averaged or divided
    - `contributions`: the amount that the document adds to `value`. The contributions at all ranks
      of the list sum to `value`.
    - `values`: the value of the list down to this rank
    - `sums`: the running sum of weighted gains, for measures that divide it by the sum of the ideal
      list
    - `ideal_levels`, `ideal_gains`: the levels and gains of the documents with a gain above 0,
      highest first
    - `ideal`: the running sum of the ideal list if there are `sums`; for other measures the value
      of the ideal list down to this rank, None if the scores of a run matter

    `relevant` is the number of relevant documents of the topic. `topics` is the number of topics
    among which this one has the worst value, None if it was given. `no_relevant` tells how means
    count a topic without a relevant document.
    """

    measure: Measure
    run: str
    topic: str
    value: float
    documents: tuple[str, ...]
    relevant: int
    scores: np.ndarray
    levels: np.ndarray
    gains: np.ndarray
    ideal_levels: np.ndarray
    ideal_gains: np.ndarray
    weights: np.ndarray | None = None
    contributions: np.ndarray | None = None
    values: np.ndarray | None = None
    sums: np.ndarray | None = None
    ideal: np.ndarray | None = None
    topics: int | None = None
    no_relevant: str = ZERO

    @property
    def ranks(self) -> np.ndarray:
        """The ranks 1 … D."""
        return np.arange(1, self.levels.size + 1)

    @property
    def last_judged_rank(self) -> int:
        """The rank of the last judged document; 1 without any."""
        return int(self.ranks[~np.isnan(self.levels)].max(initial=1))

    def down_to(self, depth: int) -> Explanation:
        """The explanation of the first ranks, at most `depth` of them."""
        shorter = {}
        for name, values in vars(self).items():
            if name == "documents" or isinstance(values, np.ndarray):
                shorter[name] = values[:depth]
        return replace(self, **shorter)

    def answer(self) -> list[Note]:
        """The value, and what the list has of the relevant documents."""
        of_run = f" of {self.run}" if self.run else ""
        value = f"{self.measure}{of_run} = {decimal(self.value)}"
        if self.topics:
            value += f", the worst of {counted(self.topics, 'topic')} with a relevant document"
        return [Note("Topic {}: {}. {}.", self.topic, value, self.found)]

    @property
    def found(self) -> str:
        """The first relevant document, and the numbers of relevant and judged documents in the
        list."""
        if not self.relevant:
            return "The topic has no relevant document"
        if not self.documents:
            return "The run retrieves no document"
        documents = len(self.documents)
        ranks = self.ranks[self.gains > 0]
        judged = int((~np.isnan(self.levels)).sum())
        relevant = "None"
        if ranks.size:
            relevant = f"First relevant document at rank {ranks[0]}; {ranks.size}"
        among = f"of its {self.relevant} relevant ones in the first {documents}"
        of_judged = "all" if judged == documents else f"{judged} of the"
        return f"{relevant} {among}; {of_judged} {documents} judged"

    def tables(self) -> list[Table]:
        """One row per rank. Columns without any entry are omitted."""
        records = self.records()
        names = [name for name in filled(records, ALWAYS) if name != "ideal_level"]
        return [Table.of([SHOWN.get(name, Column(name)) for name in names], records)]

    def data(self) -> Table:
        """One row per rank; an entry is None where there is no value."""
        fields = {field.removesuffix("s"): getattr(self, field) for field in COLUMNS}
        fields["score"] = self.scores.astype(np.float32).astype(str).astype(float)
        if self.contributions is not None:
            fields["contribution"] = self.contributions[: len(self.documents)]
        columns = []
        for values in fields.values():
            if isinstance(values, np.ndarray):
                columns.append(values.tolist())
            else:
                columns.append(values or ())
        rows = []
        for row in zip_longest(*columns):
            cells = zip(fields, row, strict=True)
            rows.append([_entry(cell, name in WHOLE) for name, cell in cells])
        return Table(list(fields), rows)

    def figure(self) -> Figure:
        """Draw the ranking beside its ideal list, and what each document adds.

        Each document is a tile in the colour of its level. Needs the extra ``plot``.
        """
        first_ranks = self.down_to(MOST_DRAWN)
        levels = first_ranks.levels[: len(first_ranks.documents)]
        ideal = first_ranks.ideal_levels[~np.isnan(first_ranks.ideal_levels)]
        added = None
        label = ""
        if first_ranks.contributions is not None and first_ranks.contributions.any():
            added = first_ranks.contributions[: len(first_ranks.documents)]
            label = f"added to {self.measure}"
        pairs = joined(levels, ideal)
        tiles = Tiles(first_ranks.documents, levels, ideal, pairs, added, label)
        text = (
            "Tiles: the levels of the documents; ?: not judged. A line joins a document to its "
            "place in the ideal list, in which documents of one level are in the run's order."
        )
        if len(self.documents) > MOST_DRAWN:
            text += f" The first {MOST_DRAWN} of {len(self.documents)} ranks are drawn."
        return picture([tiles], self.summary, text)

    def notes(self) -> list[Note]:
        """The meaning of the columns."""
        sums = "sum and ideal are running sums of weighted gains, of this list and of the ideal one"
        ideal = "ideal is that of the ideal list"
        ideal_values = self.ideal if self.sums is None else None
        meaning = {
            "adds is the part of the value that the document makes": self.contributions,
            "value is the measure of the list down to this rank": self.values,
            sums: self.sums,
            ideal: ideal_values,
        }
        meanings = [text for text, column in meaning.items() if column is not None]
        notes = self.notes_on_means()
        if meanings:
            sentence = "; ".join(meanings)
            notes.append(Note("{}.", sentence[0].upper() + sentence[1:]))
        return notes

    def notes_on_means(self) -> list[Note]:
        """How means count the topic, if it has no relevant document and the measure's value does
        not count."""
        counts = {SKIP: "means leave it out", ONE: "it counts 1 in means"}
        if self.relevant or self.no_relevant not in counts:
            return []
        text = "Topic {} has no relevant document by {}: {} (no_relevant={})."
        return [Note(text, self.topic, self.measure, counts[self.no_relevant], self.no_relevant)]


@checks_arguments("explain(qrels, run, 'nDCG@10', 'q1')")
def explain(
    qrels: Qrels,
    run: Source,
    measure: Measure | str,
    topic: str | int | None = None,
    depth: int | None = None,
    *,
    name: str = "",
    no_relevant: str = ZERO,
) -> Explanation:
    """The documents of a run for a topic in rank order, and the amount that each adds to the value.

    - `qrels`: as for `evaluate`.
    - `run`: one run, in any form that `evaluate` accepts, also with its name, ``{"A": "a.run"}``.
    - `measure`: a graded measure, or a standard measure that has a definition here.
    - `topic`: a topic of the qrels; a number stands for its decimal text. If the run lacks it, the
      list is empty. By default it is the one with the worst value among those with a relevant
      document.
    - `depth` (≥ 1): the last rank. The default is the cutoff or, without one, the rank of the last
      judged document.
    - `name`: the name of the run in the result and in error messages; none if empty.
    - `no_relevant`: as for `evaluate`. The value is always the one that the measure defines; a note
      tells if means do not count it.

    Documents are in the order of the measure, which is mostly trec_eval's, with tied documents by
    descending id. With judged_only=True, unjudged documents are removed before ranks are counted.

    >>> qrels = {"q1": {"a": 3, "b": 2, "c": 1}}
    >>> found = explain(qrels, {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}}, "nCG@3", "q1")
    >>> found.documents, found.gains, found.contributions.round(2)
    (('b', 'x', 'a'), array([2., 0., 3.]), array([0.33, 0.  , 0.5 ]))
    >>> found.sums, found.ideal, found.values.round(2)
    (array([2., 2., 5.]), array([3., 5., 6.]), array([0.67, 0.4 , 0.83]))

    Raises `GradedError` for a topic that the qrels lack, for a measure without a definition, for
    the options `ties` and `unjudged`, whose values depend on other rankings and judgments, and for
    input that `evaluate` refuses.
    """
    name, run = name_and_run(run, name)
    study = study_of(counted_by(qrels, no_relevant), {name: run})
    measure = _explainable(measure)
    count = None
    if topic is None:
        judged = study.judgments.judged
        topics = np.flatnonzero(judged.relevant(measure.weighting))
        if not topics.size:
            raise GradedError("no topic has a relevant document; name a topic")
        values = evaluate(study.judgments, study.runs, [measure]).of(measure)[0, topics]
        worst = int((facts.sign_of(measure) * values).argmin())
        topic = study.judgments.topics[topics[worst]]
        count = topics.size
    (explanation,) = explanations(study.judgments, study.runs, measure, depth, [topic])[name]
    return replace(explanation, topics=count)


def explanations(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str,
    depth: int | None,
    topics: Iterable[str | int] | None = None,
) -> dict[str, list[Explanation]]:
    """Explanations of several runs and topics: by the name of the run, in the order of the topics.

    `qrels` and `runs` are as for `evaluate`; `measure` and `depth` are as for `explain`. `topics`
    are topics of the qrels, by default all of them. Raises `GradedError` as `explain`.

    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> by_run = explanations(qrels, {"mine": {"q1": {"a": 1.0}}}, "CG", depth=2)
    >>> [(topic.documents, topic.contributions.tolist()) for topic in by_run["mine"]]
    [(('a',), [1.0, 0.0]), ((), [0.0, 0.0])]
    """
    study = study_of(qrels, runs)
    measure = _explainable(measure)
    if topics is not None:
        wanted = dict.fromkeys(map(str, topics))
        study = study.part(tuple(wanted))
    return {run.name: _explained(run, measure, depth) for run in study.runs}


def _explained(run: Run, measure: GradedMeasure, depth: int | None) -> list[Explanation]:
    """The explanation of each topic of the run."""
    cutoff = measure.params.get("cutoff")
    judged = run.judgments.judged
    ranks = measure.listed(run.ranks)
    uncut = run.view(measure, cut=False)
    if depth is None:
        depth = cutoff or min(DEEPEST, int(ranks.rank.max(initial=1)))
    depth = whole_number(depth, "depth", 1, DEEPEST)
    last = min(depth, cutoff or depth)
    value = RunEvaluator(run.judgments, [measure])(run).values[0]
    documents, fields = _lists(run, measure, ranks, uncut.ranks, depth)
    if measure.CUTOFF:
        fields["values"] = values_at_ranks(measure, run, run.judgments, last).T
        if last == cutoff:
            # The curve of a mean over ranks adds in another order.
            fields["values"][:, -1] = value
    with np.errstate(all="ignore"):  # the results are finite
        added = measure.contributions(run.view(measure))
        if facts.is_normalised(measure):
            fields["sums"], fields["ideal"] = measure.vectors(uncut, last)
        elif measure.CUTOFF and not SCORED & measure.SUPPORTED_PARAMS.keys():
            ideal = ideal_run(run.judgments, measure)
            fields["ideal"] = values_at_ranks(measure, ideal, run.judgments, last).T
    if added is not None:
        shape = (uncut.count, depth)
        fields["contributions"] = _at_ranks(added.topic, added.rank, added.gain, shape, 0.0)
        if isinstance(measure, GainSum):
            fields["weights"] = np.tile(measure.rank_weights(last), (uncut.count, 1))
    for name, table in fields.items():
        missing = depth - table.shape[1]
        if missing:
            fields[name] = np.pad(table, ((0, 0), (0, missing)), constant_values=np.nan)
    values = value.tolist()
    relevant = judged.relevant(measure.weighting).tolist()
    no_relevant = run.judgments.counting.no_relevant
    explained = []
    for number, topic in enumerate(judged.topics):
        arrays: dict[str, Any] = {name: table[number] for name, table in fields.items()}
        facts_of_topic = (topic, values[number], documents[number], relevant[number])
        explanation = Explanation(
            measure, run.name, *facts_of_topic, no_relevant=no_relevant, **arrays
        )
        explained.append(explanation)
    return explained


def _lists(
    run: Run, measure: GradedMeasure, ranks: JudgedRanks, ordered: JudgedRanks, depth: int
) -> tuple[list[tuple[str, ...]], dict[str, np.ndarray]]:
    """The documents of each topic, and the fields of its list and of its ideal list (T × depth
    each).

    `ranks` is the run's list in trec_eval's order. In `ordered`, tied documents are in that of the
    measure.
    """
    judged = ranks.judged
    shape = (len(judged.topics), depth)
    gain = judged.gain(measure.weighting)
    sizes = np.minimum(ranks.retrieved, depth)
    topic = np.repeat(np.arange(sizes.size), sizes)
    rank = positions(sizes) + 1
    order = np.arange(ranks.score.size)
    if ordered is not ranks:
        # Tied documents are in ascending order of their ids.
        first = order - positions(ranks.retrieved) + ranks.first_of_tie
        order = np.lexsort((-order, -ranks.score, first))
    first_of_topic = bounds_of(ranks.retrieved)[topic]
    position = order[first_of_topic + rank - 1]
    ids = list(ranks.documents(position))
    documents = [tuple(ids[start:end]) for start, end in pairwise(bounds_of(sizes).tolist())]
    scores = _at_ranks(topic, rank, as_compared(ranks.score[position]), shape)
    unjudged = np.where(np.isnan(scores), np.nan, 0.0)
    best = _ideal_documents(run, measure, judged.level, gain)
    best_topic = judged.topic[best]
    best_rank = positions(np.bincount(best_topic, minlength=sizes.size)) + 1
    level_in_list = judged.level[ordered.doc]
    gain_in_list = gain[ordered.doc]
    in_list = partial(_at_ranks, ordered.topic, ordered.rank, shape=shape)
    in_ideal_list = partial(_at_ranks, best_topic, best_rank, shape=shape)
    fields = {
        "scores": scores,
        "levels": in_list(level_in_list),
        "gains": in_list(gain_in_list, others=unjudged),
        "ideal_levels": in_ideal_list(judged.level[best]),
        "ideal_gains": in_ideal_list(gain[best]),
    }
    return documents, fields


def _ideal_documents(
    run: Run, measure: GradedMeasure, level: np.ndarray, gain: np.ndarray
) -> np.ndarray:
    """The numbers of the documents of the ideal lists, topic by topic, the highest gain first."""
    among = np.arange(gain.size)
    if measure.ideal_documents == "retrieved":
        among = np.sort(run.ranks.doc)
    topic = run.ranks.judged.topic[among]
    best = among[np.lexsort((-level[among], -gain[among], topic))]
    return best[gain[best] > 0]


def _explainable(measure: Measure | str) -> GradedMeasure:
    """The measure. Raises `GradedError` if one ranking does not explain its value."""
    explainable = facts.defined(one_measure(measure, "explain"), "contributions")
    if explainable.INTENTS or explainable.option("unjudged") or explainable.option("ties"):
        raise NotApplicableError(
            f"{explainable} cannot be explained: one ranking with one level of each document is "
            "shown, and the measure or its option ties= or unjudged= uses several"
        )
    return explainable


def _at_ranks(
    topic: np.ndarray,
    rank: np.ndarray,
    values: np.ndarray,
    shape: tuple[int, int],
    others: Any = np.nan,
) -> np.ndarray:
    """Values at their topics and ranks, down to the depth, and `others` elsewhere; the shape is T ×
    depth."""
    table = np.full(shape, others)
    within = rank <= shape[1]
    table[topic[within], rank[within] - 1] = values[within]
    return table


def _entry(cell: Any, whole: bool) -> Any:
    """A cell, None for NaN; `whole` numbers become ints."""
    if cell is None or cell != cell:
        return None
    return plain_number(cell) if whole else cell


def filled(records: list[dict[str, Any]], always: Container[str] = ()) -> list[str]:
    """The names of the columns of records that have an entry, or are `always` shown."""
    names = []
    for name in records[0]:
        has_entry = any(row[name] is not None for row in records)
        if has_entry or name in always:
            names.append(name)
    return names


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
        names: list[Any] = [run.topic, run.measure, run.run, decimal(run.value)]
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
        for explanation in (other, run):
            if explanation.contributions is None and self.depth is not None:
                explanation = explanation.down_to(self.depth)
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

    def _adding(self) -> list[dict[str, Any]]:
        """The records of the documents that add to a value; all if the measure has no
        contributions."""
        adding = []
        for row in self.records():
            is_adding = row["contribution"] or row["other_contribution"]
            if row["difference"] is None or is_adding:
                adding.append(row)
        return adding

    def tables(self) -> list[Table]:
        """One row per document that adds to a value."""
        rows = self._adding()
        heads = {}
        for name, word in (("rank", "rank"), ("contribution", "adds")):
            heads[f"other_{name}"] = f"{self.other.run} {word}"
            heads[name] = f"{self.run.run} {word}"
        names = filled(rows) if rows else ["document"]
        columns = [Column(name, heads.get(name, "")) for name in names]
        return [Table.of(columns, rows)]

    def figure(self) -> Figure:
        """Draw both rankings, and the difference that each document makes.

        Needs the extra ``plot``.
        """
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
        heads = (shortened(other.run, LONGEST_HEAD), shortened(run.run, LONGEST_HEAD))
        tiles = Tiles(other.documents, levels_of_other, levels_of_run, pairs, heads=heads)
        drawings: list[Drawing] = [tiles]
        rows = [row for row in self._adding() if row["difference"]]
        if rows:
            differences = np.array([row["difference"] for row in rows])
            documents = [row["document"] for row in rows]
            label = difference_label(run.run, other.run)
            measure = str(self.run.measure)
            drawings.append(SortedBars(differences, documents, label, measure, unit="document"))
        text = (
            f"Tiles: the levels of the documents down to rank {len(run.levels)}; ?: not judged. A "
            "line joins the places of a document in both rankings. Bars: what the documents add to "
            f"the difference, for {run.run} above 0."
        )
        return picture(drawings, self.summary, text)

    def notes(self) -> list[Note]:
        """The number of omitted documents, and the sum of the contributions below the last
        ranks."""
        if self.run.contributions is None:
            text = "{} has no contributions; the documents are in the order of their ranks."
            return [Note(text, self.run.measure)]
        rows = self.records()
        notes = self.run.notes_on_means()
        others = len(rows) - len(self._adding())
        if others:
            text = "Omitted: {} without a contribution to either value."
            notes.append(Note(text, counted(others, "document")))
        below = self.difference - sum(row["difference"] for row in rows)
        if abs(below) > ROUNDING:
            notes.append(
                Note("Documents below the depth make a difference of {}.", decimal(below, "+"))
            )
        return notes


def joined(levels: np.ndarray, ideal: np.ndarray) -> list[tuple[int, int]]:
    """The place of each document of a ranking in its ideal list.

    Documents of one level are in the order of the ranking there.

    >>> joined(np.array([1.0, np.nan, 3.0, 1.0]), np.array([3.0, 1.0, 1.0]))
    [(2, 0), (0, 1), (3, 2)]
    """
    pairs = []
    used: dict[float, int] = {}
    for place, level in enumerate(ideal.tolist()):
        same = np.flatnonzero(levels == level)
        number = used.get(level, 0)
        if number < same.size:
            pairs.append((int(same[number]), place))
        used[level] = number + 1
    return pairs


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
    <BLANKLINE>
    Omitted: 1 document without a contribution to either value.

    Raises `GradedError` unless there are two runs, and as `explain`.
    """
    study = study_of(counted_by(qrels, no_relevant), runs)
    measure = _explainable(measure)
    if len(study.runs) != 2:
        raise GradedError(
            f"explain_difference needs 2 runs, not {len(study.runs)}; pass both in one mapping"
        )
    count = None
    if topic is None:
        values = evaluate(study.judgments, study.runs, [measure]).of(measure)
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
        depth = measure.params.get("cutoff") or max(other.last_judged_rank, run.last_judged_rank)
    return ExplainedDifference(other, run, count, depth)
