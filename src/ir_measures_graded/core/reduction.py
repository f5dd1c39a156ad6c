"""The reduction of a run: its documents are matched with the judged ones by id, and only arrays remain.

This is the only module that has both ids and ranks. Measures see `JudgedRanks`, which has no ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradedError, shown
from .by_topic import bounds_of, changes, smallest
from .measures.topics import Topics
from .ranking.judged import NO_INTENTS, Intents, Judged
from .ranking.ranks import JudgedRanks, Sort
from .rows.columns import NO_ITERATION
from .rows.id_matching import Ids, equal_pairs
from .rows.in_memory import read_run
from .rows.rows import Distinct, Rows, distinct, judged_twice, refuse_mixed, refuse_repeated
from .standard import TrecLists


class JudgedDocuments(NamedTuple):
    """The judged documents of some topics: `qrels` has their ids and `judged` their levels."""

    qrels: Rows
    judged: Judged

    @classmethod
    def of(cls, qrels: Rows, collection: np.ndarray | None = None) -> JudgedDocuments:
        """The documents of the qrels, each once per topic; `collection` is as in `Judged`."""
        found = distinct(qrels)
        intents, levels = partial(_intents_of, qrels, found, collection), found.qrels.values
        offsets = found.qrels.offsets
        judged = Judged(qrels.topics, offsets, levels, None, collection, found.conflict, intents)
        return cls(found.qrels, judged)

    def part(self, topics: np.ndarray) -> JudgedDocuments:
        """The documents of the topics with these numbers."""
        return JudgedDocuments(self.qrels.part(topics), self.judged.part(topics))

    def reduced(self, run: Rows, topics: Any = slice(None), start: int = 0) -> ReducedBlock:
        """The run, reduced to these documents. Topics without judgments are ignored.

        `topics` are the numbers of the topics in the qrels, and `start` is the number of topics in earlier
        blocks. Raises `GradedError` if a topic retrieves a document twice, judged or not.
        """
        code = self.judged.code
        codes = np.array([code.get(topic, -1) for topic in run.topics], dtype=np.int64)
        if (codes < 0).any():
            refuse_repeated(run.part(np.flatnonzero(codes < 0)))
        # The lines tell the order of topics, because blocks of a file may come in another order.
        place = np.arange(codes.size) + start if run.line is None else smallest(run.line, run.offsets)
        first = np.full(len(code), -1)
        first[codes[codes >= 0]] = place[codes >= 0]
        listed = run.of_topics(code)

        def matched(a: int, b: int) -> tuple[np.ndarray, Sort]:
            block, judged = listed.block(a, b), self.qrels.block(a, b)
            row, doc = block.look_up(judged) or _equal(block, judged)
            found = np.full(block.values.size, -1)
            found[row] = doc + self.qrels.offsets[a]
            return found, lambda rows, group: block.ids(rows).descending(group)

        ranks = JudgedRanks.of(self.judged, listed.values, listed.offsets, matched)
        return ReducedBlock(topics, ranks, listed, first)

    def blocks(self, run: Rows | Iterable[Rows]) -> Iterator[ReducedBlock]:
        """A run in memory, reduced as one block, or a run that is read and reduced block by block.

        One more block has the topics that such a run lacks. If two blocks share a topic, the last one is
        complete.
        """
        if isinstance(run, Rows):
            refuse_mixed(run, self.qrels)
            yield self.reduced(run)
            return
        code, start = self.judged.code, 0
        lacking = np.ones(len(code), dtype=bool)
        for rows in run:
            refuse_mixed(rows, self.qrels)
            topics = np.array(sorted(code[topic] for topic in rows.topics if topic in code), dtype=np.int64)
            yield self.part(topics).reduced(rows, topics, start)
            lacking[topics] = False
            start += len(rows.topics)
        rest = np.flatnonzero(lacking)
        yield self.part(rest).reduced(read_run({}), rest)


@dataclass(frozen=True, eq=False, repr=False)
class ReducedBlock:
    """Some topics of a run: their numbers, and the run reduced to the judged documents of these topics.

    `listed` has the rows of the run in the order of `ranks.scores`. `first` tells the order of the topics in
    the run, and is −1 for a topic that the run lacks. Measures share `views` and `lists`.
    """

    topics: Any
    ranks: JudgedRanks
    listed: Rows
    first: np.ndarray
    views: dict[Any, Topics] = field(default_factory=dict)
    lists: dict[Any, TrecLists] = field(default_factory=dict)

    def documents(self, position: np.ndarray, ranks: JudgedRanks | None = None) -> Ids:
        """The documents at some positions of the list, judged or not; of `ranks`, by default all ranks."""
        ranks = ranks or self.ranks
        row, (tied, starts) = ranks.row.copy(), ranks.ties
        docs = self.listed.docs.ids()
        row[tied] = row[tied][docs.take(row[tied]).descending(np.cumsum(changes(starts)))]
        return docs.take(row[position])


def _equal(listed: Rows, judged: Rows) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the run with a judged document, and the number of that document."""
    lower, higher = equal_pairs(listed.column, judged.column)
    if (higher < listed.values.size).any():
        raise listed.repeated(int(higher.min()))
    return lower, higher - listed.values.size


def _intents_of(rows: Rows, distinct: Distinct, collection: np.ndarray | None) -> Intents:
    """The judgments for intents in the `rows` of qrels, whose documents are `distinct`.

    They are read from the source of the qrels again, and only if a measure asks for them. Raises
    `GradedError` for qrels without intents, for two levels of a document for an intent, and for a missing
    probability or two of an intent.
    """
    found: Rows | None = rows.source.intents() if rows.source else None
    if found is None:
        raise GradedError(NO_INTENTS)
    # The names are sorted, so the order of rows does not affect sums over intents.
    names, code = np.unique(np.array([*found.docs.ids()], dtype=object), return_inverse=True)
    # Some topics of a collection may have a single intent, but "0" stands for none.
    if not names.size or (names.size == 1 and (collection is None or names[0].encode() in NO_ITERATION)):
        raise GradedError(NO_INTENTS)
    topic = np.repeat(np.arange(len(rows.topics)), np.diff(rows.offsets))
    pairs, first, pair = np.unique(topic * names.size + code, return_index=True, return_inverse=True)
    probability = found.values[first]
    for row in np.flatnonzero(found.values != probability[pair])[:1].tolist():
        others = f"{probability[pair[row]]:g} and {found.values[row]:g}"
        raise found.error(row, f"the intent has the probabilities {others}; give each intent one")
    documents = distinct.qrels.offsets
    judgment = pair * documents[-1] + distinct.doc
    _, first, again = np.unique(judgment, return_index=True, return_inverse=True)
    for row in np.flatnonzero(rows.values != rows.values[first][again])[:1].tolist():
        raise judged_twice(rows, int(first[again[row]]), row, f" for intent {shown(names[code[row]])}")
    of_topic = pairs // names.size
    judged = Judged(
        [rows.topics[number] for number in of_topic.tolist()],
        bounds_of(np.bincount(pair[first], minlength=pairs.size)),
        rows.values[first],
        collection=collection,
    )
    return Intents(of_topic, probability, judged, distinct.doc[first] - documents[topic[first]])
