"""The judged documents of every topic with their levels, gains and ideal lists."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from ...errors import GradedError
from ..by_topic import (
    blocks,
    bounds_of,
    cumsum,
    largest,
    offsets_of,
    positions,
    rows_of,
    tally_of_slices,
)
from .gains import Gains, gain_of

if TYPE_CHECKING:
    from ..rows.rows import Rows

NO_INTENTS = (
    "the qrels have no intents; measures of intents need an iteration (the second column of TREC "
    "qrels) or subtopic_id that tells the intents of judgments apart"
)
List = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The topic, the rank and the gain of each entry of a list for each topic."""


Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def computed_once(compute: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """A function (or class) of qrels, runs or topics, which keep the result for equal further
    arguments.

    The further arguments are hashable, or mappings of hashable values.
    """

    @wraps(compute)
    def once(*args: Arguments.args, **named: Arguments.kwargs) -> Result:
        owner: Any = args[0]
        results: dict[Hashable, Result] = owner.computed
        key = (identity, *map(_hashable, args[1:]), tuple(named.items()))
        if key not in results:
            results[key] = compute(*args, **named)
        return results[key]

    # Results are pickled with their keys. Pickle finds a class and a decorated function by their
    # names.
    identity = compute if isinstance(compute, type) else once
    return once


def _hashable(argument: Any) -> Hashable:
    """An argument as a part of a key. Mappings are weightings, for example."""
    if type(argument) is int:  # as most are, for which the next line takes longest
        return argument
    if isinstance(argument, Mapping):
        return tuple(argument.items())
    hash(argument)
    return argument


class Judged:
    """Qrels: the level of every judged document of every topic.

    `topics` are T topic ids and `code` maps each id to its number. The slice `offsets[t]:offsets[t
    + 1]` of `topic` and `level` (J entries each) holds the documents of topic t.

    `all_of` are the qrels of which these are a part. If these are not the qrels of a whole
    collection, `collection` has its levels, or NaN if they are unknown.

    If documents have levels for several intents, `level` is the highest, and `conflict` is the
    error for all who need one level. `read_intents` returns the judgments for intents. `documents`
    are the rows of the documents, None if they have no ids.
    """

    def __init__(
        self,
        topics: Sequence[str],
        offsets: np.ndarray,
        level: np.ndarray,
        all_of: Judged | None = None,
        collection: np.ndarray | None = None,
        conflict: GradedError | None = None,
        read_intents: Callable[[], Intents] | None = None,
        documents: Rows | None = None,
    ):
        self.topics = topics
        self.offsets = offsets
        self.level = level
        self.all_of = all_of
        self.collection = collection
        self.conflict = conflict
        self.read_intents = read_intents
        self.documents = documents
        self.computed: dict[Hashable, Any] = {}

    def need_one_level(self) -> None:
        """Raise `GradedError` if a document has two levels."""
        if self.conflict:
            raise self.conflict

    @cached_property
    def intents(self) -> Intents:
        """The judgments for intents. Raises `GradedError` for qrels without intents."""
        if self.read_intents is None:
            raise GradedError(NO_INTENTS)
        return self.read_intents()

    @property
    def rows(self) -> Rows:
        """The `documents`. Raises `ValueError` if they have no ids."""
        if self.documents is None:
            raise ValueError("these judged documents have no ids")
        return self.documents

    @property
    def whole(self) -> Judged:
        return self.all_of or self

    @cached_property
    def code(self) -> dict[str, int]:
        return {topic: number for number, topic in enumerate(self.topics)}

    @cached_property
    def all_levels(self) -> np.ndarray:
        """The distinct levels in the collection. Raises `GradedError` if they are unknown."""
        if self.all_of is not None:
            return self.all_of.all_levels
        levels = self.levels.level if self.collection is None else self.collection
        if np.isnan(levels).any():
            raise GradedError("the levels of the whole collection are needed; give levels")
        in_order = np.sort(levels)  # np.unique would import numpy.ma, which takes time
        is_new = np.diff(in_order, prepend=np.nan) != 0
        return in_order[is_new]

    @cached_property
    def topic(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of judged documents of each topic (T)."""
        return np.diff(self.offsets)

    def part(self, topics: np.ndarray) -> Judged:
        """The qrels of the topics with these numbers."""
        sizes = np.diff(self.offsets)[topics]
        documents = rows_of(self.offsets[topics], sizes)
        names = [self.topics[topic] for topic in topics.tolist()]
        judged = Judged(names, bounds_of(sizes), self.level[documents], all_of=self.whole)
        judged.conflict = self.conflict
        judged.read_intents = partial(self.intents_of, topics)  # a lambda could not be pickled
        if self.documents is not None:
            judged.documents = self.documents.part(topics)
        return judged

    def intents_of(self, topics: np.ndarray) -> Intents:
        """The judgments for intents of the topics with these numbers."""
        return self.intents.part(topics, len(self.topics))

    @computed_once
    def gain(self, gains: Gains) -> np.ndarray:
        """The gain of every judged document (J)."""
        return gain_of(self.level, gains)

    def gain_at(self, gains: Gains, documents: np.ndarray) -> np.ndarray:
        """The gain of the documents with these numbers, which may be few. Raises as `gain`.

        The levels of all topics stand for the other documents. The gains of all of them would take
        4 % of the time for 250 topics with 1,250 judged documents each.
        """
        if 2 * documents.size > self.level.size:
            return self.gain(gains)[documents]
        with suppress(GradedError):
            self.levels.gain(gains)
            return gain_of(self.level[documents], gains)
        return self.gain(gains)[documents]  # whose error names the level of the first document

    @computed_once
    def possible_gains(self, gains: Gains) -> np.ndarray:
        """The distinct positive gains of all levels in the collection, over all topics,
        ascending.
        """
        distinct = np.unique(gain_of(self.all_levels, gains))
        return distinct[distinct > 0]

    @computed_once
    def ideal(self, gains: Gains, cutoff: int | None = None) -> List:
        """The ideal list: for each topic, the positive gains of all judged documents in descending
        order.
        """
        levels = self.levels
        gain = levels.gain(gains)
        return ideal_list(levels.topic, gain, levels.count, len(self.topics), cutoff)

    def relevant(self, gains: Gains) -> np.ndarray:
        """The number of documents with a positive gain in each topic (T)."""
        levels = self.levels
        count = np.where(levels.gain(gains) > 0, levels.count, 0)
        total = np.bincount(levels.topic, weights=count, minlength=len(self.topics))
        return total.astype(np.int64)

    def best(self, gains: Gains) -> np.ndarray:
        """The highest positive gain in each topic (T), 0 if the topic has none."""
        levels = self.levels
        offsets = offsets_of(levels.topic, len(self.topics))
        return np.maximum(largest(levels.gain(gains), offsets), 0)

    def top(self, gains: Gains) -> tuple[float, str, float]:
        """The highest gain in these qrels or those of which they are a part, a topic that has it,
        and its level there.

        Without judged documents it is 0.
        """
        levels = self.whole.levels
        gain = levels.gain(gains)
        if not gain.size:
            return 0.0, "", 0.0
        best = int(np.argmax(gain))
        topic = self.whole.topics[levels.topic[best]]
        return float(gain[best]), topic, float(levels.level[best])

    @cached_property
    def levels(self) -> LevelCounts:
        topics = [np.empty(0, np.int64)]
        levels = [np.empty(0)]
        counts = [np.empty(0, np.int64)]
        for first, stop in blocks(self.sizes):  # a block stays in the processor cache
            offsets = self.offsets[first : stop + 1]
            level_of_block = self.level[offsets[0] : offsets[-1]]
            topic, level, count = tally_of_slices(level_of_block, offsets - offsets[0])
            topics.append(topic + first)
            levels.append(level)
            counts.append(count)
        return LevelCounts(np.concatenate(topics), np.concatenate(levels), np.concatenate(counts))


class KeptParts:
    """Parts of qrels, kept for further runs, which often have the same topics in a block.

    All of them together have no more documents than the qrels, which they refer to. Qrels that
    kept their own parts would stay in memory until Python looks for circles of objects.
    """

    def __init__(self, judged: Judged):
        self.judged = judged
        self._by_topics: dict[bytes, Judged] = {}

    def of(self, topics: np.ndarray) -> Judged:
        """The qrels of the topics with these numbers."""
        key = topics.tobytes()
        part = self._by_topics.get(key)
        if part is None:
            part = self.judged.part(topics)
            kept = sum(other.level.size for other in self._by_topics.values())
            if kept + part.level.size > self.judged.level.size:
                self._by_topics.clear()
            self._by_topics[key] = part
        return part


class Intents:
    """P pairs of a topic and an intent, topic after topic, and K judgments, pair after pair.

    - `topic` (P): the number of the topic of each pair
    - `probability` (P): that of the intent, which need not add up to 1 over a topic
    - `judged`: the levels of the judgments, in which the pairs are the topics
    - `doc` (K): the number of each judgment's document in its topic
    """

    def __init__(self, topic: np.ndarray, probability: np.ndarray, judged: Judged, doc: np.ndarray):
        self.topic = topic
        self.probability = probability
        self.judged = judged
        self.doc = doc

    def part(self, topics: np.ndarray, topic_count: int) -> Intents:
        """The judgments of the topics with these numbers, of `topic_count` topics."""
        bounds = offsets_of(self.topic, topic_count)
        pair_count = np.diff(bounds)[topics]
        pairs = np.arange(self.topic.size)[rows_of(bounds[topics], pair_count)]
        offsets = self.judged.offsets
        judgments = rows_of(offsets[pairs], np.diff(offsets)[pairs])
        topic = np.repeat(np.arange(topics.size), pair_count)
        return Intents(topic, self.probability[pairs], self.judged.part(pairs), self.doc[judgments])


class LevelCounts:
    """The number of documents judged at each level of each topic.

    `topic`, `level` and `count` have one entry for each level that occurs in a topic, topic after
    topic, with ascending levels.
    """

    def __init__(self, topic: np.ndarray, level: np.ndarray, count: np.ndarray):
        self.topic = topic
        self.level = level
        self.count = count

    def gain(self, gains: Gains) -> np.ndarray:
        return gain_of(self.level, gains)


def ideal_list(
    topic: np.ndarray, gain: np.ndarray, count: np.ndarray, topic_count: int, cutoff: int | None
) -> List:
    """The ideal lists, up to the cutoff, of topics in which `count` documents have each `gain`."""
    order = np.lexsort((-gain, topic))
    order = order[gain[order] > 0]
    topic = topic[order]
    gain = gain[order]
    count = count[order]
    if cutoff is not None:
        better = cumsum(count, offsets_of(topic, topic_count)) - count
        count = np.clip(cutoff - better, 0, count)
    size = np.bincount(topic, weights=count, minlength=topic_count).astype(np.int64)
    rank = positions(size) + 1
    return np.repeat(topic, count), rank, np.repeat(gain, count)
