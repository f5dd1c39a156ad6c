"""The reduction of a run: its documents are matched with the judged ones by id, and only arrays remain.

This is the only module that has both ids and ranks. Measures see `JudgedRanks`, which has no ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..by_topic import changes, smallest
from ..errors import GradedError
from ..inputs.id_matching import Ids, equal_pairs
from ..inputs.in_memory import read_run
from ..inputs.rows import Block, Rows, distinct, refuse_mixed, refuse_repeated
from ..measures.base import ScoreError
from ..measures.topics import Topics
from ..ranking.judged import Collection, Judged
from ..ranking.ranks import JudgedRanks, Sort
from .intents import intents_of

if TYPE_CHECKING:
    from .trec_eval import TrecLists


class JudgedDocuments(NamedTuple):
    """The judged documents of some topics: `qrels` has their ids and `judged` their levels."""

    qrels: Rows
    judged: Judged

    @classmethod
    def of(cls, qrels: Rows, collection: Collection | None = None) -> JudgedDocuments:
        """The documents of the qrels, each once per topic; `collection` is as in `Judged`."""
        found = distinct(qrels)
        intents, levels = partial(intents_of, qrels, found, collection), found.qrels.values
        offsets = found.qrels.offsets
        judged = Judged(qrels.topics, offsets, levels, None, collection, found.conflict, intents)
        return cls(found.qrels, judged)

    def part(self, topics: np.ndarray) -> JudgedDocuments:
        """The documents of the topics with these numbers."""
        return JudgedDocuments(self.qrels.part(topics), self.judged.part(topics))

    def reduced(self, run: Rows, topics: Any = slice(None)) -> ReducedBlock:
        """The run, reduced to these documents. Topics without judgments are ignored.

        `topics` are the numbers of the topics in the qrels. Raises `GradedError` if a topic retrieves a
        document twice, judged or not.
        """
        code = self.judged.code
        unjudged = [number for number, topic in enumerate(run.topics) if topic not in code]
        if unjudged:
            refuse_repeated(run.part(np.array(unjudged)))
        listed = run.of_topics(code)

        def matched(a: int, b: int) -> tuple[np.ndarray, Sort]:
            block = listed.block(a, b)
            row, doc = _judged_rows(block, self.qrels.block(a, b))
            found = np.full(block.values.size, -1)
            found[row] = doc + self.qrels.offsets[a]
            return found, lambda rows, group: block.take(rows).descending(group)

        ranks = JudgedRanks.of(self.judged, listed.values, listed.offsets, matched)
        return ReducedBlock(topics, ranks, listed)


@dataclass(frozen=True)
class ReducedBlock:
    """Some topics of a run: their numbers, and the run reduced to the judged documents of these topics.

    `listed` has the rows of the run in the order of `ranks.scores`. Measures share `views` and `lists`.
    """

    topics: Any
    ranks: JudgedRanks
    listed: Rows
    views: dict[Any, Topics] = field(default_factory=dict)
    lists: dict[Any, TrecLists] = field(default_factory=dict)

    def named(self, error: ScoreError) -> GradedError:
        """The error with the document in place of its rank."""
        document = self.listed.docs[int(self.ranks.row[error.position])]
        return GradedError(f"{error.topic}, document {document!r} {error.rule}")

    def documents(self, position: np.ndarray, ranks: JudgedRanks | None = None) -> Ids:
        """The documents at some positions of the list, judged or not; of `ranks`, by default all ranks."""
        ranks = ranks or self.ranks
        row, (tied, starts) = ranks.row.copy(), ranks.ties
        docs = self.listed.docs.ids()
        row[tied] = row[tied][docs.take(row[tied]).descending(np.cumsum(changes(starts)))]
        return docs.take(row[position])


@dataclass(frozen=True)
class Reduction:
    """A run reduced to its judged documents, in one or several blocks of topics.

    `first` has the number of each topic of the run, and the position where it appears first. It is complete
    after the last block.
    """

    blocks: Iterable[ReducedBlock]
    first: dict[int, int]

    @classmethod
    def of(cls, qrels: JudgedDocuments, run: Rows) -> Reduction:
        """A run in memory, which is one block."""
        refuse_mixed(run, qrels.qrels)
        return cls((qrels.reduced(run),), _first_positions(qrels.judged, run))

    @classmethod
    def in_blocks(cls, qrels: JudgedDocuments, run: Iterable[Rows]) -> Reduction:
        """A run that is read block by block, and one more block for the topics that it lacks.

        If two blocks share a topic, the last one is complete.
        """
        first: dict[int, int] = {}

        def blocks() -> Iterator[ReducedBlock]:
            for rows in run:
                refuse_mixed(rows, qrels.qrels)
                found = _first_positions(qrels.judged, rows, max(first.values(), default=-1) + 1)
                first.update(found)
                topics = np.sort(np.array([*found], dtype=np.int64))
                yield qrels.part(topics).reduced(rows, topics)
            rest = np.delete(np.arange(len(qrels.judged.topics)), [*first])
            yield qrels.part(rest).reduced(read_run({}), rest)

        return cls(blocks(), first)

    @property
    def block(self) -> ReducedBlock:
        """The block of a run in memory."""
        (block,) = self.blocks
        return block


def _first_positions(judged: Judged, rows: Rows, start: int = 0) -> dict[int, int]:
    """The number of each judged topic among the rows, and the position where it appears first in the run.

    Places begin at `start` unless rows have lines, because blocks of a file may come in another order.
    """
    first = np.arange(len(rows.topics)) + start
    if rows.line is not None:
        first = smallest(rows.line, rows.offsets).astype(np.int64)
    positions = zip(rows.topics, first.tolist())
    return {judged.code[topic]: position for topic, position in positions if topic in judged.code}


def _judged_rows(listed: Block, qrels: Block) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the run with a judged document, and the number of that document."""
    found = listed.look_up(qrels)
    if found is not None:
        return found
    lower, higher = equal_pairs(listed.column, qrels.column)
    count = listed.values.size
    repeated = higher[higher < count]
    if repeated.size:
        raise listed.repeated(int(repeated.min()))
    return lower, higher - count
