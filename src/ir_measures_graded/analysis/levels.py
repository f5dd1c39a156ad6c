"""The relevance levels of qrels, and gains for them."""

from dataclasses import dataclass
from functools import partial
from textwrap import shorten

import numpy as np

from ..core.ranking.gains import PRESETS, GainMap, Number, gains_text, plain_number, plain_numbers
from ..errors import GradedError
from ..evaluation.checked import checks_arguments
from ..evaluation.named import Qrels, read_judgments
from ..files.contracts import Contract
from ..files.sources import definitions_of
from ..output.figures import BLUE, Figure, StackedBars, level_colours, picture
from ..output.formats import Percent, counted, with_minus
from ..output.result import Result
from ..output.tables import Column, Note, Table

DEFINITION = Column("definition", kind=partial(shorten, width=60, placeholder=" …"))
SHARE = Column("share_from", "share from level", Percent)
COLUMNS = ("level", "documents", "topics", Column("mean_per_topic"), SHARE, DEFINITION)
LARGEST = 100
"""More levels than this are magnitudes."""
MAGNITUDES = (
    "There are {} levels: they are magnitudes rather than grades, so gains are not suggested."
)
MOST_DRAWN = 12
"""The figure tells apart at most this many levels."""
STEEP = 4
"""Gains that are powers of 10 are suggested for at most this many levels above 0."""


@dataclass(frozen=True, eq=False, repr=False)
class Levels(Result):
    """The levels of qrels in ascending order, with the levels that are only defined.

    `documents` and `topics` (one entry per level) are the numbers of documents judged at the level
    and of topics with such a document. `relevant` (one entry per topic) is the number of documents
    above level 0. `definitions` maps levels to texts of ir-datasets. `contract` tells what the
    levels of an ir-datasets id mean, if this is known. `names` are the topics, and `by_topic`
    (topics × levels) counts their documents at each level. Magnitudes, more than 100 levels, have a
    single column there, of all judged documents.
    """

    levels: tuple[Number, ...]
    documents: np.ndarray
    topics: np.ndarray
    relevant: np.ndarray
    definitions: dict[Number, str]
    contract: Contract | None = None
    names: tuple[str, ...] = ()
    by_topic: np.ndarray | None = None

    def answer(self) -> list[str]:
        """The judgments, topics and levels."""
        judged = int(self.documents.sum())
        relevant = int(self.relevant.sum())
        if not judged:
            return ["No document is judged."]
        used = np.array(self.levels, dtype=float)[self.documents > 0]
        lowest = with_minus(f"{used[0]:g}")
        highest = with_minus(f"{used[-1]:g}")
        are_judged = "is judged" if judged == 1 else "are judged"
        are_above = "is above" if relevant == 1 else "are above"
        documents = counted(judged, "document")
        topics = counted(self.relevant.size, "topic")
        by_topic = relevant / self.relevant.size
        judgments = f"{documents} of {topics} {are_judged}"
        levels = f"with levels from {lowest} to {highest}"
        share = Percent(relevant / judged)
        above = f"{relevant:,} ({share}) {are_above} level 0, {by_topic:.4g} per topic"
        return [f"{judgments}, {levels}; {above}."]

    def data(self) -> Table:
        """One row per level: its documents, the topics with one, and the mean over all topics.

        ``share_from`` is the share of the judged documents of this level or a higher one: those
        that are relevant to a binary measure with the level as its parameter `rel`.
        """
        texts = [self.definitions.get(level, "") for level in self.levels]
        means = self.documents / self.relevant.size
        at_or_above = np.cumsum(self.documents[::-1])[::-1]
        shares = at_or_above / max(int(self.documents.sum()), 1)
        numbers = [self.documents, self.topics, means, shares]
        columns = [column.tolist() for column in numbers]
        rows = zip(self.levels, *columns, texts, strict=True)
        return Table(COLUMNS, list(rows))

    def tables(self) -> list[Table]:
        """One row per level, and the weightings as arguments of measure strings."""
        by_level = self.data()
        if not self.definitions:
            by_level = by_level.select("level", "documents", "topics", "mean_per_topic", SHARE.name)
        tables = [by_level]
        weightings = list(self.pasteable().items())
        if weightings:
            title = "Gains for a measure string"
            tables.append(Table(("weighting", "argument"), weightings, title, head=False))
        if self.contract is not None:
            tables.append(_table_of(self.contract))
        return tables

    def gains(self) -> dict[str, GainMap]:
        """Weightings for these levels by name: the presets for the levels 0 to 3, else similar
        ones.

        Those of the collection come first. There are no others if no level is above 0, or if there
        are more than 100 levels, which are magnitudes.
        """
        weightings: dict[str, GainMap] = {}
        if self.contract is not None:
            fixed = self.contract.gains_of(self.levels)
            if fixed:
                weightings["collection"] = fixed
        if set(self.levels) <= PRESETS["w1"].keys():
            for name, gains in PRESETS.items():
                weightings[name] = {
                    level: gain for level, gain in gains.items() if level in self.levels
                }
            return weightings
        above = [level for level in self.levels if level > 0]
        if not above or len(self.levels) > LARGEST:
            return weightings
        count = len(above)
        numbers = range(1, count + 1)
        by_name = {"flat": [1] * count, "linear": list(numbers)}
        by_name["exponential"] = [2**number - 1 for number in numbers]
        if count <= STEEP:
            by_name["steep"] = [10**number for number in range(count)]
        for name, values in by_name.items():
            weightings[name] = dict(zip(above, values, strict=True))
        return weightings

    def pasteable(self) -> dict[str, str]:
        """The weightings as arguments of measure strings, such as ``gains=1:1,2:10``."""
        return {name: f"gains={gains_text(gains)}" for name, gains in self.gains().items()}

    def figure(self, *, title: str = "") -> Figure:
        """Draw the documents of each topic by level, the topic with most above level 0 first.

        Needs the extra ``plot``.
        """
        return picture([self.bars()], title or self.summary)

    def bars(self) -> StackedBars:
        """The documents of each topic by level, without those of level 0 if there are others."""
        if self.by_topic is None or not self.documents.any():
            raise GradedError("no document is judged, so there is nothing to draw")
        is_drawn = np.array(self.levels, dtype=float) > 0
        if not self.documents[is_drawn].any() or is_drawn.sum() > MOST_DRAWN:
            is_drawn[:] = True
        counts = self.by_topic
        if counts.shape[1] == len(self.levels):
            counts = counts[:, is_drawn]
        levels = [self.levels[number] for number in np.flatnonzero(is_drawn).tolist()]
        if len(levels) > MOST_DRAWN:
            counts = counts.sum(axis=1, keepdims=True)
            levels = []
        order = np.argsort(-counts.sum(axis=1), kind="stable")
        colours = level_colours(levels)
        kind = "documents above level 0"
        if is_drawn.all():
            kind = "judged documents"
        names = [self.names[topic] for topic in order.tolist()]
        parts = [f"level {level}" for level in levels] or ["judged"]
        colours_of_parts = [colours[level] for level in levels] or [BLUE]
        row_label = f"{counted(len(order), 'topic')}, the one with most documents first"
        return StackedBars(
            counts[order], names, parts, colours_of_parts, label=kind, row_label=row_label
        )

    def notes(self) -> list[Note]:
        """Unusual properties of the levels that the table does not show, one sentence each."""
        if len(self.levels) > LARGEST:
            return [Note(MAGNITUDES, len(self.levels))]
        notes = []
        for level, documents in zip(self.levels, self.documents.tolist(), strict=True):
            if documents and level < 0:
                text = "Level {} is negative; its gain is 0 unless gains= sets it."
                notes.append(Note(text, level))
            if documents and not isinstance(level, int):
                text = "Level {} is not a whole number; trec_eval's measures refuse it."
                notes.append(Note(text, level))
        without = int((self.relevant == 0).sum())
        if without:
            have = "has" if without == 1 else "have"
            text = f"{{}} of {{}} {have} no document above level 0."
            notes.append(Note(text, counted(without, "topic"), self.relevant.size))
        return notes


@checks_arguments("levels(qrels)")
def levels(qrels: Qrels, highest: bool = False) -> Levels:
    """The levels of qrels: their definitions, documents and topics, and gains to choose from.

    `qrels` is as for `evaluate`. A document with levels for several intents is an error or, with
    `highest`, counts at its highest level. The definitions of an ir-datasets id are those of
    ir-datasets.

    >>> found = levels({"q1": {"a": 2, "b": 0, "c": 0}, "q2": {"a": 1}})
    >>> found.levels, found.documents, found.topics
    ((0, 1, 2), array([2, 1, 1]), array([1, 1, 1]))
    >>> found.pasteable()["w100"]
    'gains=0:0,1:1,2:10'

    Raises `GradedError` for qrels that `evaluate` refuses.
    """
    judgments = read_judgments(qrels)
    judged = judgments.documents if highest else judgments.judged
    counts = judged.levels
    definitions = {}
    if judgments.name is not None:
        texts = definitions_of(judgments.name)
        definitions = {plain_number(level): text for level, text in texts.items()}
    used = plain_numbers(np.unique(counts.level))
    every = sorted({*used, *definitions})
    position = np.searchsorted(np.array(every, dtype=float), counts.level)
    documents = np.bincount(position, counts.count, minlength=len(every))
    topics = np.bincount(position, minlength=len(every))
    is_above = counts.level > 0
    topic_above = counts.topic[is_above]
    count_above = counts.count[is_above]
    relevant = np.bincount(topic_above, count_above, minlength=len(judgments.topics))
    column = position
    width = len(every)
    if len(every) > LARGEST and (np.array(every, dtype=float) > 0).sum() > MOST_DRAWN:
        column = np.zeros_like(position)  # a column for each of many levels needs much memory
        width = 1
    shape = (len(judgments.topics), width)
    cell = counts.topic * width + column
    by_topic = np.bincount(cell, counts.count, minlength=shape[0] * width).reshape(shape)
    return Levels(
        levels=tuple(every),
        documents=documents.astype(np.int64),
        topics=topics,
        relevant=relevant.astype(np.int64),
        definitions=definitions,
        contract=judgments.contract,
        names=tuple(judgments.topics),
        by_topic=by_topic.astype(np.int64),
    )


def _table_of(contract: Contract) -> Table:
    """What is known about a collection."""
    rel = "not known"
    if contract.rel is not None:
        rel = f"{contract.rel}, as in AP(rel={contract.rel})"
    are_documents = "yes: --ignore_identical_ids" if contract.own_topic else "no"
    facts = {
        "official measures": " ".join(contract.official) or "not known",
        "highest level that means not relevant": str(contract.not_relevant),
        "least level for binary measures": rel,
        "gains": contract.gains or "not fixed",
        "topics are documents": are_documents,
        "source": contract.source,
    }
    return Table(("fact", "value"), list(facts.items()), "Collection", head=False)
