"""The judged documents of every topic with their levels, gains and ideal lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..by_topic import blocks, bounds_of, cumsum, entries, largest, offsets_of, positions, rows_of, tally
from ..errors import GradedError
from .gains import Gains, gain_of

if TYPE_CHECKING:
    from .intents import Intents

NO_INTENTS = (
    "the qrels have no intents; measures of intents need an iteration (the second column of TREC qrels) or "
    "subtopic_id that tells the intents of judgments apart"
)


class Judged:
    """Qrels: the level of every judged document of every topic.

    `topics` are T topic ids and `code` maps each id to its number. The slice `offsets[t]:offsets[t + 1]`
    of `topic` and `level` (J entries each) holds the documents of topic t.

    `whole` has the qrels of which these are a part. If these are not the qrels of a whole collection,
    `collection` has its levels.

    If documents have levels for several intents, `level` is the highest, and `conflict` is the error for all
    who need one level. `read_intents` returns the judgments for intents.
    """

    def __init__(
        self,
        topics: Sequence[str],
        offsets: np.ndarray,
        level: np.ndarray,
        whole: Judged | None = None,
        collection: Collection | None = None,
        conflict: GradedError | None = None,
        read_intents: Callable[[], Intents] | None = None,
    ):
        self.topics, self.offsets, self.level = list(topics), offsets, level
        self.code = {topic: number for number, topic in enumerate(self.topics)}
        self._known: dict[tuple[Any, ...], Any] = {}
        self._whole, self._collection = whole, collection
        self._conflict, self._read_intents = conflict, read_intents

    def need_one_level(self) -> None:
        """Raise `GradedError` if a document has two levels."""
        if self._conflict:
            raise self._conflict

    @cached_property
    def intents(self) -> Intents:
        """The judgments for intents. Raises `GradedError` for qrels without intents."""
        if self._read_intents is None:
            raise GradedError(NO_INTENTS)
        return self._read_intents()

    @property
    def whole(self) -> Judged:
        return self._whole or self

    @cached_property
    def all_levels(self) -> np.ndarray:
        """The distinct levels in the collection. Raises `GradedError` if they are unknown."""
        if self._whole is not None:
            return self._whole.all_levels
        return np.unique(self.levels.level) if self._collection is None else self._collection.all_levels

    @cached_property
    def topic(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def part(self, topics: np.ndarray) -> Judged:
        """The qrels of the topics with these numbers."""
        sizes = np.diff(self.offsets)[topics]
        rows = rows_of(self.offsets[:-1][topics], sizes)
        names = [self.topics[topic] for topic in topics.tolist()]
        intents = partial(self._intents_of, topics)
        return Judged(names, bounds_of(sizes), self.level[rows], self.whole, None, self._conflict, intents)

    def _intents_of(self, topics: np.ndarray) -> Intents:
        return self.intents.part(topics, len(self.topics))

    def gain(self, gains: Gains, doc: np.ndarray | None = None) -> np.ndarray:
        """The gain of the documents numbered `doc`, by default of every judged document (J)."""
        if doc is not None:
            return gain_of(self.level[doc], gains)
        return self._once("gain", gains, None, lambda: gain_of(self.level, gains))

    def possible_gains(self, gains: Gains) -> np.ndarray:
        """The distinct positive gains of all levels in the collection, over all topics, ascending."""

        def compute() -> np.ndarray:
            found = np.unique(gain_of(self.all_levels, gains))
            return found[found > 0]

        return self.whole._once("possible gains", gains, None, compute)

    def ideal(self, gains: Gains, cutoff: int | None = None) -> Ideal:
        """The ideal list: for each topic, the positive gains of all judged documents in descending order."""
        of, topics = self.levels, len(self.topics)
        return self._once(
            "ideal", gains, cutoff, lambda: Ideal.of(of.topic, of.gain(gains), of.count, topics, cutoff)
        )

    def relevant(self, gains: Gains) -> np.ndarray:
        """The number of documents with a positive gain in each topic (T)."""
        of = self.levels
        count = np.where(of.gain(gains) > 0, of.count, 0)
        return np.bincount(of.topic, weights=count, minlength=len(self.topics)).astype(np.int64)

    def best(self, gains: Gains) -> np.ndarray:
        """The highest positive gain in each topic (T), 0 if the topic has none."""
        of = self.levels
        return np.maximum(largest(of.gain(gains), offsets_of(of.topic, len(self.topics))), 0)

    def top(self, gains: Gains) -> tuple[float, str, float]:
        """The highest gain in these qrels or those of which they are a part, a topic that has it, and its
        level there.

        Without judged documents it is 0.
        """

        def compute() -> tuple[float, str, float]:
            of = self.levels
            gain = of.gain(gains)
            if not gain.size:
                return 0.0, "", 0.0
            best = int(np.argmax(gain))
            return float(gain[best]), self.topics[of.topic[best]], float(of.level[best])

        if self._whole is not None:
            return self._whole.top(gains)
        return self._once("top", gains, None, compute)

    def _once(self, what: str, gains: Gains, cutoff: int | None, compute: Callable[[], Any]) -> Any:
        key = what, str(gains), cutoff
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    @cached_property
    def levels(self) -> LevelCounts:
        sizes = np.diff(self.offsets)
        parts = [np.empty((3, 0))]
        for a, b in blocks(sizes):
            topic = np.repeat(np.arange(b - a), sizes[a:b])
            topic, level, count = tally(topic, self.level[self.offsets[a] : self.offsets[b]])
            parts.append(np.stack((topic + a, level, count)))
        topic, level, count = np.concatenate(parts, axis=1)
        return LevelCounts(topic.astype(np.int64), level, count.astype(np.int64))


class Collection(NamedTuple):
    """The facts about a whole collection that measures need if only some topics are at hand: its levels, or
    None if they are unknown."""

    levels: np.ndarray | None

    @property
    def all_levels(self) -> np.ndarray:
        if self.levels is None:
            raise GradedError("the levels of the whole collection are needed; give levels")
        return np.unique(self.levels)


@dataclass(frozen=True)
class LevelCounts:
    """The number of documents judged at each level of each topic.

    `topic`, `level` and `count` have one entry for each level that occurs in a topic, topic after topic,
    with ascending levels.
    """

    topic: np.ndarray
    level: np.ndarray
    count: np.ndarray

    def gain(self, gains: Gains) -> np.ndarray:
        return gain_of(self.level, gains)

    def entry(self, topic: np.ndarray, level: np.ndarray) -> np.ndarray:
        """The index of the entry for each (`topic`, `level`)."""
        return entries(topic, level, self.topic, self.level)


class Ideal(NamedTuple):
    """The ideal list of every topic.

    `topic`, `rank` and `gain` have one entry for each relevant document, topic after topic, with
    descending gains.
    """

    topic: np.ndarray
    rank: np.ndarray
    gain: np.ndarray

    @classmethod
    def of(
        cls, topic: np.ndarray, gain: np.ndarray, count: np.ndarray, topic_count: int, cutoff: int | None
    ) -> Ideal:
        """The ideal lists, up to the cutoff, of topics in which `count` documents have each `gain`."""
        order = np.lexsort((-gain, topic))
        order = order[gain[order] > 0]
        topic, gain, count = topic[order], gain[order], count[order]
        if cutoff is not None:
            better = cumsum(count, offsets_of(topic, topic_count)) - count
            count = np.clip(cutoff - better, 0, count)
        size = np.bincount(topic, weights=count, minlength=topic_count).astype(np.int64)
        return cls(np.repeat(topic, count), positions(size) + 1, np.repeat(gain, count))
