"""Where a run put the judged documents: the one thing that every measure works on.

`Judged` holds the qrels, read once. `judged_ranks` meets a run with them and reduces it to flat
arrays, topic after topic in the order of the qrels: for each judged document that the run retrieved
its rank and the first and last rank of its tie group, for each topic how many documents were
retrieved and with which scores. Unjudged documents are only counted.

The order is trec_eval's: score descending, compared as 32-bit floats, then document id descending.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat

import numpy as np

from .errors import GradedError
from .forms import Table
from .gains import GainMap, gain_of
from .segments import places


class Judged:
    """Qrels, indexed: every judged document of every topic and its level.

    `topics` are T topic ids, `code` their numbers; topic t has the documents
    `offsets[t]:offsets[t + 1]` of `docs`, `topic`, `level` (J each). `position[t]` finds a document
    of topic t among them.

    A document judged twice at one level counts once. Raises `GradedError` where the levels differ.
    """

    def __init__(self, qrels: Table):
        self.topics = list(qrels.topics)
        self.code = {topic: number for number, topic in enumerate(self.topics)}
        slices = list(zip(qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist()))
        self.position = [dict(zip(qrels.docs[a:b], range(a, b))) for a, b in slices]
        self.docs, self.level = qrels.docs, qrels.values
        sizes = np.fromiter(map(len, self.position), np.int64, len(self.position))
        self.offsets = np.concatenate(([0], np.cumsum(sizes)))
        if self.offsets[-1] < len(self.docs):
            self._drop_repeated(qrels)
        self.topic = np.repeat(np.arange(len(self.topics)), sizes)
        self._gain: dict[tuple[tuple[float, float], ...], tuple[np.ndarray, Ideal]] = {}

    def _drop_repeated(self, qrels: Table) -> None:
        kept = [row for position in self.position for row in position.values()]  # the last of each
        row_topic = np.repeat(np.arange(len(self.topics)), np.diff(qrels.offsets)).tolist()
        for row, (topic, doc) in enumerate(zip(row_topic, qrels.docs)):
            levels = qrels.values[row], qrels.values[self.position[topic][doc]]
            if levels[0] != levels[1]:
                raise GradedError(
                    f"{qrels.place(row)}: judged twice, at level {levels[0]:g} and at level "
                    f"{levels[1]:g}; keep one judgment a document"
                )
        self.docs = [qrels.docs[row] for row in kept]
        self.level = qrels.values[kept]
        bounds = zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist())
        self.position = [dict(zip(self.docs[a:b], range(a, b))) for a, b in bounds]

    def part(self, topics: np.ndarray) -> Judged:
        """The qrels of some topics, given by their numbers in ascending order."""
        starts, stops = self.offsets[topics], self.offsets[topics + 1]
        rows = np.repeat(starts, stops - starts) + places(stops - starts)
        return Judged(
            Table(
                "qrels",
                [self.topics[number] for number in topics.tolist()],
                np.concatenate(([0], np.cumsum(stops - starts))),
                [self.docs[row] for row in rows.tolist()],
                self.level[rows],
            )
        )

    def gain(self, gains: GainMap) -> np.ndarray:
        """The gain of each judged document (J)."""
        return self._under(gains)[0]

    def ideal(self, gains: GainMap) -> Ideal:
        """The ideal list: the positive gains of all judged documents, descending, in each topic."""
        return self._under(gains)[1]

    def _under(self, gains: GainMap) -> tuple[np.ndarray, Ideal]:
        key = tuple(gains.items())
        if key not in self._gain:
            values = gain_of(self._levels[0], gains)
            gain = values[self._levels[1]]
            self._gain[key] = gain, Ideal.of(self.topic, gain, len(self.topics))
        return self._gain[key]

    @cached_property
    def _levels(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct levels, and which of them each judged document has."""
        levels = np.unique(self.level)
        return levels, np.searchsorted(levels, self.level)


@dataclass(frozen=True)
class Ideal:
    """The ideal list of every topic: `topic`, `rank` and `gain` of each relevant document, topic
    after topic, gains descending."""

    topic: np.ndarray
    rank: np.ndarray
    gain: np.ndarray

    @classmethod
    def of(cls, topic: np.ndarray, gain: np.ndarray, topics: int) -> Ideal:
        topic, gain = topic[gain > 0], gain[gain > 0]
        # One sort of whole numbers, topic in the high digits: several times faster than lexsort.
        values = np.unique(gain)
        worse = values.size - 1 - np.searchsorted(values, gain)
        key = np.sort(topic * max(values.size, 1) + worse)
        topic, worse = np.divmod(key, max(values.size, 1))
        rank = places(np.bincount(topic, minlength=topics)) + 1
        return cls(topic, rank, values[values.size - 1 - worse] if values.size else gain)


@dataclass(frozen=True)
class JudgedRanks:
    """A run, reduced to its judged documents.

    For each judged document that the run retrieved (H), topic after topic in rank order:
    `doc`, its number among the judged documents; `topic`; `rank` from 1; `first` and `last` rank of
    its tie group. For each topic (T) of the qrels: `retrieved`, how many documents its list has,
    and `lowest` and `highest` score of all that the run retrieved for it (0 where none).
    `score`: the scores of the list in rank order, topic after topic (`retrieved.sum()`).
    """

    judged: Judged
    doc: np.ndarray
    topic: np.ndarray
    rank: np.ndarray
    first: np.ndarray
    last: np.ndarray
    retrieved: np.ndarray
    score: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    names: _Names
    uncondensed: JudgedRanks | None = None

    @property
    def whole(self) -> JudgedRanks:
        """The run with its unjudged documents, whether they were left out here or not."""
        return self.uncondensed or self

    @cached_property
    def first_of_tie(self) -> np.ndarray:
        """The first rank of each listed document's tie group, places as in `score`."""
        topic = np.repeat(np.arange(self.retrieved.size), self.retrieved)
        tie = np.flatnonzero(_changes(topic) | _changes(_as_compared(self.score)))
        size = np.diff(np.append(tie, topic.size))
        return np.repeat((places(self.retrieved) + 1)[tie], size)

    def scored(self, place: int) -> tuple[str, str, float]:
        """The topic, document and score at a place of `score`, for messages."""
        topic = int(np.searchsorted(np.cumsum(self.retrieved), place, side="right"))
        return self.judged.topics[topic], self.names[place], float(self.score[place])

    @cached_property
    def condensed(self) -> JudgedRanks:
        """The same run without its unjudged documents: ranks are counted among the judged."""
        topics = len(self.judged.topics)
        retrieved = np.bincount(self.topic, minlength=topics)
        rank = places(retrieved) + 1
        tie = np.flatnonzero(_changes(self.topic) | _changes(self.first))  # where groups start
        size = np.diff(np.append(tie, self.topic.size))
        kept = (np.cumsum(self.retrieved) - self.retrieved)[self.topic] + self.rank - 1
        return replace(
            self,
            rank=rank,
            first=np.repeat(rank[tie], size),
            last=np.repeat(rank[tie] + size - 1, size),
            retrieved=retrieved,
            score=self.score[kept],
            names=replace(self.names, row=self.names.row[kept]),
            uncondensed=self,
        )


@dataclass(frozen=True)
class _Names:
    """The ids of retrieved documents, by their place in `JudgedRanks.score`: for messages only."""

    docs: Sequence[str]
    row: np.ndarray

    def __getitem__(self, place: int) -> str:
        return self.docs[int(self.row[place])]


def judged_ranks(judged: Judged, run: Table) -> JudgedRanks:
    """Reduce a run to the ranks of its judged documents. Topics that the qrels lack are left out."""
    topics = len(judged.topics)
    topic, row, found = _listed(judged, run)
    retrieved = np.bincount(topic, minlength=topics)
    start = np.repeat(np.cumsum(retrieved) - retrieved, retrieved)
    score = _as_compared(run.values[row])

    new = _changes(topic)
    if ((score[1:] > score[:-1]) & ~new[1:]).any():  # most runs come in order
        order = np.argsort(_sort_key(topic, score), kind="stable")
        row, found, score = row[order], found[order], score[order]

    tie = np.flatnonzero(new | _changes(score))
    size = np.diff(np.append(tie, score.size))
    group = np.repeat(np.arange(tie.size), size)
    _order_ties(run, group, size, row, found)

    place = np.flatnonzero(found >= 0)
    first = tie[group[place]]
    values = run.values[row]
    return JudgedRanks(
        judged,
        doc=found[place],
        topic=topic[place],
        rank=place - start[place] + 1,
        first=first - start[place] + 1,
        last=first + size[group[place]] - start[place],
        retrieved=retrieved,
        score=values,
        lowest=_by_topic(np.minimum, values, retrieved),
        highest=_by_topic(np.maximum, values, retrieved),
        names=_Names(run.docs, row),
    )


def _listed(judged: Judged, run: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of the run whose topic is judged, in the order of the qrels' topics.

    For each its topic's number, its row in the run, and the number of the judged document in it
    (-1: unjudged). Documents are looked up topic by topic in a dict, a row costs a hash.
    """
    groups = sorted(
        (judged.code[topic], start, stop)
        for topic, start, stop in zip(run.topics, run.offsets[:-1].tolist(), run.offsets[1:].tolist())
        if topic in judged.code
    )
    sizes = np.fromiter((stop - start for _, start, stop in groups), np.int64, len(groups))
    starts = np.fromiter((start for _, start, _ in groups), np.int64, len(groups))
    codes = np.fromiter((code for code, _, _ in groups), np.int64, len(groups))
    found = np.empty(sizes.sum(), dtype=np.int64)
    end = 0
    for code, start, stop in groups:
        begin, end = end, end + stop - start
        lookup = map(judged.position[code].get, run.docs[start:stop], repeat(-1))
        found[begin:end] = np.fromiter(lookup, np.int64, stop - start)
    return np.repeat(codes, sizes), np.repeat(starts, sizes) + places(sizes), found


def _order_ties(run: Table, group: np.ndarray, size: np.ndarray, row: np.ndarray, found: np.ndarray) -> None:
    """Put tied documents in order, ids descending: `row` and `found` are rearranged in place.

    Only in groups that hold a judged document, or scores that are equal as 32-bit floats only: the
    order of the others is nobody's business. All groups are ordered with one sort of their ids.
    """
    if not (size > 1).any():
        return
    matters = (found >= 0) | (_changes(run.values[row]) & ~_changes(group))
    ordered = np.bincount(group, weights=matters, minlength=size.size) > 0
    tied = np.flatnonzero(((size > 1) & ordered)[group])
    ids = list(map(run.docs.__getitem__, row[tied].tolist()))
    descending = np.empty(tied.size, dtype=np.int64)
    descending[sorted(range(tied.size), key=ids.__getitem__, reverse=True)] = np.arange(tied.size)
    order = np.lexsort((descending, group[tied]))
    row[tied], found[tied] = row[tied][order], found[tied][order]


def _changes(values: np.ndarray) -> np.ndarray:
    """Where a value differs from the one before it; the first always does."""
    changes = np.ones(values.size, dtype=bool)
    changes[1:] = values[1:] != values[:-1]
    return changes


def _as_compared(score: np.ndarray) -> np.ndarray:
    """Scores as trec_eval compares them: 32-bit floats, infinite beyond these, -0 equal to 0."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32) + np.float32(0)


def _sort_key(topic: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Integers that ascend by topic, then by descending score: topic in the high 32 bits, in the low
    ones the bits of the float, which order like a number once those of negative floats are flipped."""
    bits = score.view(np.uint32)
    ascending = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    return topic.astype(np.uint64) << np.uint64(32) | ~ascending


def _by_topic(ufunc: np.ufunc, values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """`ufunc` over each topic's values; 0 where a topic has none."""
    result = np.zeros(sizes.size)
    starts = np.cumsum(sizes) - sizes
    if values.size:
        result[sizes > 0] = ufunc.reduceat(values, starts[sizes > 0])
    return result
