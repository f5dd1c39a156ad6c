"""Rows of a run whose topics are scattered, grouped in memory into blocks of whole topics.

The rows of each part go into buckets while the processor cache holds them. All rows of a topic are
in one bucket, and a block has some buckets of all parts. No step visits the rows of the whole file
in random order, which takes most of the time for millions of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from typing import Any, NamedTuple

import numpy as np

from ..core.by_topic import bounds_of
from ..core.rows.id_columns import NumbersOfIds, Stretches, TopicNumbers, stable_order
from ..core.rows.id_matching import Ids
from ..core.rows.roles import NUMBERS
from ..core.rows.rows import Facts, Part, joined_facts, taken

AT_ONCE = 1 << 16  # rows, which stay in the processor cache
BUCKETS = 1 << 8  # NumPy sorts numbers of one byte in one pass


class _InBuckets(NamedTuple):
    """The rows of a part in the order of their buckets.

    `columns` are those of the part without the topics, `topic` has the number of each row's topic,
    and `line` its location. `bounds` (`BUCKETS` + 1) has the boundaries of the buckets.
    """

    columns: dict[str, Any]
    topic: np.ndarray
    line: np.ndarray
    bounds: list[int]


class ScatteredRows:
    """The rows of the parts that were added, `count` in all."""

    def __init__(self) -> None:
        self.count = 0
        self._numbers = NumbersOfIds()
        self._bucket = np.empty(0, np.uint8)  # of each topic
        self._facts: list[Facts] = []
        self._parts: list[_InBuckets] = []

    def add(self, rows: Part) -> None:
        """Add the rows of a part."""
        self.count += len(rows)
        self._facts.append(rows.facts)
        for start in range(0, len(rows), AT_ONCE):
            self._add_few(rows.take(slice(start, start + AT_ONCE)))

    def _add_few(self, rows: Part) -> None:
        topic = self._numbers.codes(rows.columns["query_id"])
        self._give_buckets()
        bucket = self._bucket.take(topic)
        order = np.argsort(bucket, kind="stable")
        bounds = bounds_of(np.bincount(bucket, minlength=BUCKETS)).tolist()
        columns: dict[str, Any] = {}
        for name, column in rows.columns.items():
            if name in NUMBERS:
                columns[name] = np.asarray(column).take(order)
            elif name != "query_id":
                columns[name] = column.padded().take(order)  # padded ids are the fastest to reorder
        line = rows.line
        if line.max() < 1 << 31:
            line = line.astype(np.int32)  # saves an eighth of the memory
        topic = topic.astype(np.int32)
        self._parts.append(_InBuckets(columns, topic.take(order), line.take(order), bounds))

    def _give_buckets(self) -> None:
        """Give each new topic a bucket: neighbours in `_in_order` have the same one."""
        topics = self._numbers.topics
        if self._bucket.size == len(topics):
            return
        new_topics = _in_order(islice(topics, self._bucket.size, None))
        new_buckets = np.arange(len(new_topics)) * BUCKETS // len(new_topics)
        bucket = np.resize(self._bucket, len(topics))
        bucket[topics.codes(new_topics)] = new_buckets
        self._bucket = bucket

    def drained(self) -> Iterator[Part]:
        """The rows as parts, which are removed one by one, so that their memory becomes free."""
        topics = Ids.of(list(self._numbers.topics))
        facts = joined_facts(self._facts)
        self._parts.reverse()
        while self._parts:
            bucketed = self._parts.pop()
            columns = {"query_id": topics.take(bucketed.topic), **bucketed.columns}
            yield Part(columns, bucketed.line.astype(np.int64), facts)

    def blocks(self, least: int) -> Iterator[Part]:
        """The rows in blocks of whole topics and, except for the last block, of at least so many
        rows.

        The rows of a topic stand together, in the order in which they were added.
        """
        facts = joined_facts(self._facts)
        bounds = np.array([bucketed.bounds for bucketed in self._parts])
        count_to = bounds.sum(axis=0)  # the rows in all buckets before each one
        first = 0
        for end in range(1, BUCKETS + 1):
            count = count_to[end] - count_to[first]
            if count >= least or (end == BUCKETS and count):
                yield self._block(first, end, facts)
                facts = facts._replace(empty=())  # those of the first block alone
                first = end

    def _block(self, first: int, end: int, facts: Facts) -> Part:
        """The rows in the buckets from `first` to `end` − 1."""
        pieces = [slice(bucketed.bounds[first], bucketed.bounds[end]) for bucketed in self._parts]
        topic = np.concatenate([bucketed.topic[rows] for bucketed, rows in self._with(pieces)])
        is_listed = (self._bucket >= first) & (self._bucket < end)
        names = _in_order(compress(self._numbers.topics, is_listed))
        place = np.empty(is_listed.size, np.int64)
        place[self._numbers.topics.codes(names)] = np.arange(len(names))
        code = place.take(topic)
        order = stable_order(code)
        line = np.concatenate([bucketed.line[rows] for bucketed, rows in self._with(pieces)])
        start = bounds_of(np.bincount(code, minlength=len(names)))[:-1]
        topics = TopicNumbers()
        columns: dict[str, Any] = {"query_id": Stretches(start, topics.codes(names), topics)}
        for name in self._parts[0].columns:
            column = self._column(name, pieces)
            columns[name] = taken(column, order)
        return Part(columns, line.take(order).astype(np.int64), facts)

    def _with(self, pieces: Sequence[slice]) -> Iterator[tuple[_InBuckets, slice]]:
        return zip(self._parts, pieces, strict=True)

    def _column(self, name: str, pieces: Sequence[slice]) -> Any:
        """These rows of a column of each part, one part after the other."""
        column_of_parts = [bucketed.columns[name] for bucketed in self._parts]
        pairs = zip(column_of_parts, pieces, strict=True)
        if name in NUMBERS:
            return np.concatenate([column[rows] for column, rows in pairs])
        return Ids.of_slices(column_of_parts, pieces)


def _in_order(topics: Iterable[str]) -> list[str]:
    """The topics in the order that most qrels have: that of the numbers, if they are numbers.

    Rows in the order of the qrels need not be reordered when they are evaluated.
    """
    return sorted(sorted(topics), key=len)
