"""The relevance levels of qrels, and gains for them."""

from dataclasses import dataclass
from functools import partial
from textwrap import shorten

import numpy as np

from ..core.ranking.gains import PRESETS, GainMap, Number, gains_text, plain_number
from ..evaluation.checked import checks_arguments
from ..evaluation.named import Qrels, read_judgments
from ..files.contracts import Contract
from ..files.sources import definitions_of
from ..output.formats import Percent, counted
from ..output.result import Result
from ..output.tables import Column, Note, Table

DEFINITION = Column("definition", kind=partial(shorten, width=60, placeholder=" …"))
SHARE = Column("share_from", "share from level", Percent)
COLUMNS = ("level", "documents", "topics", Column("mean_per_topic"), SHARE, DEFINITION)
LARGEST = 100
"""More levels than this are magnitudes."""
STEEP = 4
"""Gains that are powers of 10 are suggested for at most this many levels above 0."""


@dataclass(frozen=True, eq=False, repr=False)
class Levels(Result):
    """The levels of qrels in ascending order, with the levels that are only defined.

    `documents` and `topics` (one entry per level) are the numbers of documents judged at the level
    and of topics with such a document. `relevant` (one entry per topic) is the number of documents
    above level 0. `definitions` maps levels to texts of ir-datasets. `contract` tells what the
    levels of an ir-datasets id mean, if this is known.
    """

    levels: tuple[Number, ...]
    documents: np.ndarray
    topics: np.ndarray
    relevant: np.ndarray
    definitions: dict[Number, str]
    contract: Contract | None = None

    def answer(self) -> list[str]:
        """The judgments, topics and levels."""
        judged = int(self.documents.sum())
        above = int(self.relevant.sum())
        if not judged:
            return ["No document is judged."]
        used = np.array(self.levels, dtype=float)[self.documents > 0]
        are = "is" if judged == 1 else "are"
        are_above = "is" if above == 1 else "are"
        documents = counted(judged, "document")
        topics = counted(self.relevant.size, "topic")
        return [
            f"{documents} of {topics} {are} judged, with levels from {used[0]:g} to {used[-1]:g}; "
            f"{above} {are_above} above level 0, {above / self.relevant.size:.4g} per topic."
        ]

    def data(self) -> Table:
        """One row per level: its documents, the topics with one, and the mean over all topics.

        ``share_from`` is the share of the judged documents of this level or a higher one: those
        that are relevant to a binary measure with the level as its parameter `rel`.
        """
        texts = [self.definitions.get(level, "") for level in self.levels]
        means = self.documents / self.relevant.size
        at_or_above = np.cumsum(self.documents[::-1])[::-1]
        shares = at_or_above / max(int(self.documents.sum()), 1)
        rows = zip(
            self.levels,
            self.documents.tolist(),
            self.topics.tolist(),
            means.tolist(),
            shares.tolist(),
            texts,
            strict=True,
        )
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
        """Weightings for these levels by name: the presets for the levels 0 to 3, else similar ones.

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
        numbers = {level: number for number, level in enumerate(above, start=1)}
        weightings["flat"] = dict.fromkeys(above, 1)
        weightings["linear"] = dict(numbers)
        weightings["exponential"] = {level: 2**number - 1 for level, number in numbers.items()}
        if len(above) <= STEEP:
            weightings["steep"] = {level: 10 ** (number - 1) for level, number in numbers.items()}
        return weightings

    def pasteable(self) -> dict[str, str]:
        """The weightings as arguments of measure strings, such as ``gains=1:1,2:10``."""
        return {name: f"gains={gains_text(gains)}" for name, gains in self.gains().items()}

    def notes(self) -> list[Note]:
        """Unusual properties of the levels that the table does not show, one sentence each."""
        if len(self.levels) > LARGEST:
            text = "There are {} levels: they are magnitudes rather than grades, so gains are not suggested."
            return [Note(text, len(self.levels))]
        notes = []
        for level in np.array(self.levels, dtype=object)[self.documents > 0].tolist():
            if level < 0:
                notes.append(
                    Note("Level {} is negative; its gain is 0 unless gains= sets it.", level)
                )
            if not isinstance(level, int):
                notes.append(
                    Note("Level {} is not a whole number; trec_eval's measures refuse it.", level)
                )
        without = int((self.relevant == 0).sum())
        if without:
            topics = counted(without, "topic")
            notes.append(
                Note("{} of {} have no document above level 0.", topics, self.relevant.size)
            )
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
    used = map(plain_number, np.unique(counts.level).tolist())
    every = sorted({*used, *definitions})
    place = np.searchsorted(np.array(every, dtype=float), counts.level)
    is_above = counts.level > 0
    documents = np.bincount(place, counts.count, minlength=len(every))
    relevant = np.bincount(
        counts.topic[is_above], counts.count[is_above], minlength=len(judgments.topics)
    )
    return Levels(
        tuple(every),
        documents.astype(np.int64),
        np.bincount(place, minlength=len(every)),
        relevant.astype(np.int64),
        definitions,
        judgments.contract,
    )


def _table_of(contract: Contract) -> Table:
    """What is known about a collection."""
    rel = "not known" if contract.rel is None else f"{contract.rel}, as in AP(rel={contract.rel})"
    rows = [
        ["official measures", " ".join(contract.official) or "not known"],
        ["highest level that means not relevant", str(contract.not_relevant)],
        ["least level for binary measures", rel],
        ["gains", contract.gains or "not fixed"],
        ["topics are documents", "yes: --ignore_identical_ids" if contract.own_topic else "no"],
        ["source", contract.source],
    ]
    return Table(("fact", "value"), rows, "Collection", head=False)
