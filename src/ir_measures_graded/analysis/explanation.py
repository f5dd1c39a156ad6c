"""Explanations: the ranking of a topic beside its ideal list, and the amount that each document
adds.

`analysis.explain` has the function; `analysis.explained_difference` has the documents that make the
difference of two runs.

A value that is a sum over documents, such as DCG, is split into their contributions. For every
measure that takes a cutoff, the value of the list down to each rank is computed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, zip_longest
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ..core.by_topic import bounds_of, positions
from ..core.measures.base import GradedMeasure, MaxGainMeasure, TopGainMeasure
from ..core.measures.gain_sums import GainSum, NormalisedGainSum
from ..core.measures.topics import StopSteps, Topics
from ..core.ranking.gains import Number, plain_number
from ..core.ranking.order import as_compared
from ..core.ranking.ranks import JudgedRanks
from ..core.registry import facts
from ..core.registry.facts import ONE, SKIP, ZERO, reads_scores
from ..core.registry.notation import parse_measure
from ..core.rows.passages import PassageRun
from ..core.rows.rows import AscendingRun
from ..errors import NotApplicableError
from ..evaluation.at_ranks import DEEPEST, one_measure, values_at_ranks
from ..evaluation.level_notes import notes_on_err, notes_on_rel, with_gains
from ..evaluation.named import Judgments, Qrels, Run, Runs, study_of
from ..evaluation.order_of_rows import ORDER_GIVEN
from ..evaluation.run_evaluator import RunEvaluator
from ..output.figures import (
    Figure,
    Tiles,
    picture,
)
from ..output.formats import counted, decimal, known, listed, short
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
    "stops",
    "reach",
    "worth",
    "terms",
    "contributions",
    "sums",
    "values",
]
COLUMNS += ["ideal_levels", "ideal_gains", "ideal"]
"""The fields of an explanation that are columns, which are named without the plural s."""
ALWAYS = ("rank", "document", "level")
"""The columns that the table shows even if they are empty."""
WHOLE = ("level", "gain", "ideal_level", "ideal_gain")
"""The columns whose whole numbers have no decimals."""
STEPS = (
    "The user stops at a document with the probability stops = gain / ({} + 1), and gets there "
    "with the probability reaches, the product of 1 − stops above it; stopping there is worth {}. "
    "Adds = reaches × stops × worth"
)
STEP_COLUMNS = ("stops", "reach", "worth")
"""The columns that only measures of a user who stops have."""
MOST_ASSUMED_NAMED = 10
"""A note names so many documents whose level is assumed."""
MOST_DRAWN = 60
"""The figure has at most so many ranks."""


class Score(float):
    """A score; as text, it has all digits that tell it from other scores."""

    def __format__(self, spec: str) -> str:
        return str(self)


SHOWN = {
    "score": Column("score", kind=Score),
    "contribution": Column("contribution", "adds"),
    "stop": Column("stop", "stops"),
    "reach": Column("reach", "reaches"),
}

WEIGHT: Final = "weight"
WORTH: Final = "worth"
MEANING_OF_FACTORS: Final = {
    WEIGHT: "Weight: that of a gain at the rank.",
    WORTH: "Worth: what it is worth to stop at the document.",
}
"""The columns of numbers by rank in the figure, and what they mean."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """The ranking of one topic, rank by rank down to depth D, beside the ideal list.

    `value` is the value of `measure` for `topic`. Each array has one entry per rank (D), which is
    NaN where there is no number. An array is None if it does not apply to the measure.

    - `documents`: the ids in rank order; fewer than D if the list is shorter
    - `scores`, `levels`, `gains`: those of the documents. Scores are rounded to 32-bit floats,
      which are compared. An unjudged document has no level, and its gain is 0.
    - `weights`: the weight of a gain of 1 at the rank, before sums are averaged or divided
    - `stops`, `reach`, `worth`: for a user who stops at a document, the probability to stop there,
      for one who gets there; the probability to get there; and what stopping there is worth
    - `terms`: what the document adds to the sum that a measure divides by that of the ideal list:
      its gain times the weight or, for NDCNG, its scaled gain times the weight
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
    among which this one has the worst value, None if it was given. `highest_gain` is that of a
    perfect document, None if the measure does not know one. `steps_in_words` says how contributions
    follow from the columns before them. `no_relevant` tells how means count a topic without a
    relevant document. `levels_of_qrels` are those of all topics. `in_order_given` tells that tied
    documents stay in the order of the rows of the run, whose scores are then NaN. `asked` is the
    measure that a user names if another one with the same values explains it, as for ERR@10.
    `scores_in_words` says what scores are if they are not those of the run. `assumed` has the
    documents whose level is assumed because they are not judged.
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
    terms: np.ndarray | None = None
    contributions: np.ndarray | None = None
    values: np.ndarray | None = None
    sums: np.ndarray | None = None
    ideal: np.ndarray | None = None
    stops: np.ndarray | None = None
    reach: np.ndarray | None = None
    worth: np.ndarray | None = None
    steps_in_words: str = ""
    highest_gain: float | None = None
    topics: int | None = None
    no_relevant: str = ZERO
    levels_of_qrels: tuple[float, ...] = ()
    in_order_given: bool = False
    scores_in_words: str = ""
    asked: Measure | None = None
    assumed: frozenset[str] = frozenset()

    @property
    def heading(self) -> Measure:
        """The measure as the user names it, whose values those of `measure` are."""
        return self.measure if self.asked is None else self.asked

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
        depth = whole_number(depth, "depth", 1)
        shorter = {}
        for name, values in vars(self).items():
            if name == "documents" or isinstance(values, np.ndarray):
                shorter[name] = values[:depth]
        return replace(self, **shorter)

    def answer(self) -> list[Note]:
        """The value, and what the list has of the relevant documents."""
        of_run = f" of {self.run}" if self.run else ""
        value = f"{self.heading}{of_run} = {decimal(self.value)}"
        if self.topics and self.topics > 1:
            value += f", the worst of {counted(self.topics, 'topic')} with a relevant document"
        relevant = self.found
        if self.highest_gain is not None and self.relevant:
            relevant += f"; the highest gain is {short(self.highest_gain)}"
        return [Note("Topic {}: {}. {}.", self.topic, value, relevant)]

    @property
    def found(self) -> str:
        """The first relevant document, the numbers of relevant and judged documents in the list,
        and whether unjudged ones are at its top."""
        if not self.relevant:
            return "The topic has no relevant document"
        if not self.documents:
            return "The run retrieves no document"
        documents = len(self.documents)
        ranks = self.ranks[self.gains > 0]
        assumed = len(self.taken_as_judged)
        judged = int((~np.isnan(self.levels)).sum()) - assumed
        relevant = "None"
        if ranks.size:
            relevant = f"First relevant document at rank {ranks[0]}; {ranks.size}"
        among = f"of its {self.relevant} relevant ones in the first {documents}"
        of_judged = "all" if judged == documents else f"{judged} of the"
        text = f"{relevant} {among}; {of_judged} {documents} judged"
        first_judged = np.flatnonzero(~np.isnan(self.levels[:documents]))
        at_top = int(first_judged[0]) if first_judged.size else 0
        if at_top:
            text += ", not the first" if at_top == 1 else f", not the first {at_top}"
        return f"{text}, {assumed} of assumed level" if assumed else text

    @property
    def taken_as_judged(self) -> list[str]:
        """The documents of the list whose level is assumed."""
        return [document for document in self.documents if document in self.assumed]

    def tables(self) -> list[Table]:
        """One row per rank of the list or of the ideal list. Columns without any entry are omitted.

        The table for short lines has no scores.
        """
        lengths = [len(self.documents), int((~np.isnan(self.ideal_gains)).sum()), 1]
        records = self.records()[: max(lengths)]
        names = [name for name in filled(records, ALWAYS) if name != "ideal_level"]
        table = Table.of([SHOWN.get(name, Column(name)) for name in names], records)
        if self.terms is not None:
            table.narrower = table.select(*(name for name in names if name != "score"))
        return [table]

    def data(self) -> Table:
        """One row per rank; an entry is None where there is no value."""
        columns = list(COLUMNS)
        if self.stops is None:
            columns = [field for field in columns if field not in STEP_COLUMNS]
        if self.terms is None:
            columns.remove("terms")
        fields = {field.removesuffix("s"): getattr(self, field) for field in columns}
        fields["score"] = self.scores.astype(np.float32).astype(str).astype(float)
        for name, values in (("term", self.terms), ("contribution", self.contributions)):
            if values is not None:
                fields[name] = values[: len(self.documents)]
        entries_of_columns = []
        for name, values in fields.items():
            entries: Sequence[Any] = ()
            if isinstance(values, np.ndarray):
                entries = known(values)
            elif values:
                entries = values
            if name in WHOLE:
                entries = list(map(_whole_entry, entries))
            entries_of_columns.append(entries)
        return Table(list(fields), list(zip_longest(*entries_of_columns)))

    def figure(self, *, title: str = "") -> Figure:
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
            label = f"added to {self.heading}"
        pairs = joined(levels, ideal)
        factors, factor_head = first_ranks.factors()
        tiles = Tiles(
            first_ranks.documents,
            levels,
            ideal,
            pairs,
            added,
            label,
            factors=factors,
            factor_head=factor_head,
        )
        text = "Tiles: the levels of the documents"
        if np.isnan(levels).any():
            text += "; ?: not judged"
        text += "."
        if pairs:
            text += (
                " A line joins a document to its place in the ideal list, in which documents of "
                "one level are in the run's order."
            )
        if factors is not None:
            text += f" {MEANING_OF_FACTORS[factor_head]}"
        if len(self.documents) > MOST_DRAWN:
            text += f" The first {MOST_DRAWN} of {len(self.documents)} ranks are drawn."
        text = with_gains(text, [self.measure], self.levels_of_qrels)
        return picture([tiles], title or self.summary, text)

    def factors(self) -> tuple[np.ndarray | None, str]:
        """The weight of each rank, or what stopping there is worth, and the name of its column;
        None if the ranks count alike or the measure has neither."""
        for name, numbers in ((WEIGHT, self.weights), (WORTH, self.worth)):
            if numbers is None:
                continue
            known_numbers = numbers[~np.isnan(numbers)]
            if known_numbers.size and np.ptp(known_numbers):
                return numbers, name
        return None, ""

    @property
    def _term_in_words(self) -> str:
        """What the column of terms has."""
        if self.terms is None or self.weights is None:
            return ""
        products = self.gains * self.weights
        is_product = np.isclose(self.terms, products) | np.isnan(products)
        if is_product.all():
            return "term is gain × weight"
        return "term is what the document adds to sum"

    def notes(self) -> list[Note]:
        """The meaning of the columns."""
        sums = "sum and ideal are running sums of weighted gains, of this list and of the ideal one"
        ideal = "ideal is that of the ideal list"
        ideal_values = self.ideal if self.sums is None else None
        meaning = {
            self._term_in_words: self.terms,
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
        if self.steps_in_words:
            notes.append(Note("{}.", self.steps_in_words))
        if self.in_order_given:
            notes.append(Note(ORDER_GIVEN))
        if self.scores_in_words:
            notes.append(Note(self.scores_in_words))
        return notes + self.notes_on_assumed() + self.notes_on_rel()

    def notes_on_assumed(self) -> list[Note]:
        """The documents of the list whose level is assumed."""
        levels = self.levels[: len(self.documents)].tolist()
        return notes_on_assumed(dict(zip(self.documents, levels, strict=True)), self.assumed)

    def notes_on_rel(self) -> list[Note]:
        """The level from which documents are relevant, if the measure leaves it open, and the
        measure that has the same values."""
        notes = list(notes_on_rel([self.measure], self.levels_of_qrels))
        if str(self.heading) != str(self.measure):
            notes.append(Note("{} has the values of {}.", self.heading, self.measure))
            notes += notes_on_err([self.heading], self.levels_of_qrels)
        return notes

    def notes_on_means(self) -> list[Note]:
        """How means count the topic, if it has no relevant document and the measure's value does
        not count."""
        counts = {SKIP: "means leave it out", ONE: "it counts 1 in means"}
        if self.relevant or self.no_relevant not in counts:
            return []
        text = "Topic {} has no relevant document by {}: {} (no_relevant={})."
        return [Note(text, self.topic, self.heading, counts[self.no_relevant], self.no_relevant)]


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
    asked = one_measure(measure, "explain")
    definition = explainable(asked)
    study = study_of(qrels, runs, [definition])
    if topics is not None:
        wanted = dict.fromkeys(map(str, topics))
        study = study.part(tuple(wanted))
    by_run = {}
    for run in study.runs:
        by_run[run.name] = _explained(run, definition, depth, asked)
        run.ranks.release()
    return by_run


def _explained(
    run: Run, measure: GradedMeasure, depth: int | None, asked: Measure
) -> list[Explanation]:
    """The explanation of each topic of the run by a measure that is `asked` for as another one."""
    judged = run.judgments.judged
    ranks = measure.listed(run.ranks)
    cutoff = measure.params.get("cutoff")
    if depth is None:
        depth = cutoff or min(DEEPEST, int(ranks.rank.max(initial=1)))
    depth = whole_number(depth, "depth", 1, DEEPEST)
    last = min(depth, cutoff or depth)
    value = RunEvaluator(run.judgments, [measure])(run).values[0]
    uncut = run.view(measure, cut=False)
    documents, fields = _lists(run, measure, ranks, uncut.ranks, depth)
    if measure.CUTOFF:
        fields["values"] = values_at_ranks(measure, run, run.judgments, last).T
        if last == cutoff:
            # The curve of a mean over ranks adds in another order.
            fields["values"][:, -1] = value
    steps = None
    with np.errstate(all="ignore"):  # the results are finite
        fields |= _ideal(run, measure, uncut, last)
        cut = run.view(measure)
        added = measure.contributions(cut)
        if added is not None:
            steps = measure.stop_steps(cut)
        highest_gains = _highest_gains(measure, cut)
    if added is not None:
        shape = (uncut.count, depth)
        fields["contributions"] = _at_ranks(added.topic, added.rank, added.gain, shape, 0.0)
        if isinstance(measure, GainSum):
            fields["weights"] = np.tile(measure.rank_weights(last), (uncut.count, 1))
        if isinstance(measure, NormalisedGainSum) and not measure.averages:
            amounts = measure.amounts(cut)
            fields["terms"] = _at_ranks(amounts.topic, amounts.rank, amounts.gain, shape, 0.0)
    if steps is not None:
        fields |= _steps(steps, fields["scores"], last)
    if run.in_order_given:
        # The order of the rows has replaced the scores of the run.
        fields["scores"] = np.full_like(fields["scores"], np.nan)
    fields = {name: _to_depth(table, depth) for name, table in fields.items()}
    values = value.tolist()
    relevant = judged.relevant(measure.weighting).tolist()
    explained = []
    assumed_of = _assumed_by_topic(run.judgments)
    for number, topic in enumerate(judged.topics):
        arrays: dict[str, Any] = {name: table[number] for name, table in fields.items()}
        explanation = Explanation(
            measure=measure,
            asked=asked,
            run=run.name,
            topic=topic,
            value=values[number],
            documents=documents[number],
            relevant=relevant[number],
            no_relevant=run.judgments.counting.no_relevant,
            levels_of_qrels=run.judgments.levels,
            in_order_given=run.in_order_given,
            scores_in_words=_scores_in_words(run),
            steps_in_words=_in_words(measure, steps, highest_gains[number]),
            highest_gain=highest_gains[number],
            assumed=frozenset(assumed_of.get(topic, ())),
            **arrays,
        )
        explained.append(explanation)
    return explained


def notes_on_assumed(levels: Mapping[str, float], assumed: Container[str]) -> list[Note]:
    """The documents whose level is assumed, among those with these levels.

    >>> print(*notes_on_assumed({"a": 3.0, "x": 1.0, "y": 1.0}, {"x", "y"}))
    Not judged, and taken as level 1: x and y.
    """
    documents = [document for document in levels if document in assumed]
    if not documents:
        return []
    level = short(float(levels[documents[0]]))
    return [
        Note("Not judged, and taken as level {}: {}.", level, listed(documents, MOST_ASSUMED_NAMED))
    ]


def _assumed_by_topic(judgments: Judgments) -> dict[str, list[str]]:
    """The documents of each topic whose level is assumed."""
    by_topic: dict[str, list[str]] = {}
    if judgments.assumed is not None:
        for topic, document in judgments.assumed.documents:
            by_topic.setdefault(topic, []).append(document)
    return by_topic


def _scores_in_words(run: Run) -> str:
    """What the scores of a run are if they are not those of its rows; empty if they are."""
    source = run.source
    if isinstance(source, PassageRun):
        source = source.source
    is_ascending = isinstance(source, AscendingRun) or getattr(source, "is_ascending", False)
    if run.in_order_given:
        return ""
    if run.ranks.listed.facts.ranked:
        return "The scores are the ranks of the run, with the sign reversed."
    if is_ascending:
        return "The scores are those of the run with the sign reversed, as smaller ones are better."
    return ""


def _ideal(run: Run, measure: GradedMeasure, uncut: Topics, last: int) -> dict[str, np.ndarray]:
    """The values of the ideal list down to the last rank (T × `last`), and the sums that are
    divided by them; nothing for a measure without such a list."""
    if facts.is_normalised(measure):
        sums, ideal = measure.vectors(uncut, last)
        return {"sums": sums, "ideal": ideal}
    if measure.CUTOFF and not reads_scores(measure):  # the ideal list has no scores
        ideal_list = ideal_run(run.judgments, measure)
        return {"ideal": values_at_ranks(measure, ideal_list, run.judgments, last).T}
    return {}


def _highest_gains(measure: GradedMeasure, view: Topics) -> list[float | None]:
    """The gain of a perfect document in each topic, None if the measure has no such gain."""
    if isinstance(measure, MaxGainMeasure):
        return measure.perfect_gains(view).tolist()
    return [None] * view.count


def _to_depth(table: np.ndarray, depth: int) -> np.ndarray:
    """The table with `depth` columns; those beyond its own have no value."""
    missing = depth - table.shape[1]
    if not missing:
        return table
    return np.pad(table, ((0, 0), (0, missing)), constant_values=np.nan)


def _in_words(measure: GradedMeasure, steps: StopSteps | None, highest: float | None) -> str:
    """How the contributions follow from the columns before them; empty if that needs no words."""
    if highest is None:
        return ""
    if steps is not None:
        text = STEPS.format(short(highest), steps.worth_in_words)
        if steps.divisor_in_words:
            text += f" / {steps.divisor_in_words}"
        return text
    if isinstance(measure, TopGainMeasure) and isinstance(measure, GainSum):
        return f"Adds = gain / {short(highest)} × weight"
    return ""


def _steps(steps: StopSteps, scores: np.ndarray, last: int) -> dict[str, np.ndarray]:
    """The probabilities to stop and to get there, and the worth of stopping, at each rank of the
    lists down to the last one (T × `last`)."""
    shape = (scores.shape[0], last)
    is_listed = ~np.isnan(scores[:, :last])
    stops = _at_ranks(steps.stops.topic, steps.stops.rank, steps.stops.gain, shape, 0.0)
    goes_on = np.cumprod(1 - stops, axis=1)
    reach = np.insert(goes_on[:, :-1], 0, 1.0, axis=1)
    worth = _at_ranks(steps.worth.topic, steps.worth.rank, steps.worth.gain, shape)
    return {
        "stops": np.where(is_listed, stops, np.nan),
        "reach": np.where(is_listed, reach, np.nan),
        "worth": worth,
    }


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


def explainable(measure: Measure | str) -> GradedMeasure:
    """The measure. Raises `GradedError` if one ranking does not explain its value."""
    parsed = one_measure(measure, "explain")
    if facts.is_err(parsed) and parsed.params.get("cutoff"):
        parsed = parse_measure(facts.graded_err(parsed))  # with the same values
    explainable = facts.defined(parsed, "explanation of each document")
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


def _whole_entry(entry: float | None) -> Number | None:
    """A number, which becomes an int if it is whole; None stays."""
    if entry is None:
        return None
    return plain_number(entry)


def filled(records: list[dict[str, Any]], always: Container[str] = ()) -> list[str]:
    """The names of the columns of records that have an entry, or are `always` shown."""
    names = []
    for name in records[0]:
        has_entry = any(row[name] is not None for row in records)
        if has_entry or name in always:
            names.append(name)
    return names


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
