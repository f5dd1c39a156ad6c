"""Rows in any order as blocks of whole topics, even if they do not fit into memory."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from zlib import crc32

import numpy as np

from ..core.rows.columns import RUN
from ..core.rows.id_columns import stretches_of
from ..core.rows.rows import IDS, Part, joined

TAIL = 1 << 10  # rows at the end of a part in which the last change of topic is searched first


def whole_topics(parts: Iterable[Part], least: int) -> Iterator[Part]:
    """The same rows in blocks of at least `least` rows; a block ends where the topic changes."""
    pending: list[Part] = []
    for rows in parts:
        cut = _last_change(rows) if len(rows) else 0
        before = [part for part in pending if len(part)]
        at_border = cut > 0 or (before and len(rows) and _topic(rows, 0) != _topic(before[-1], -1))
        if at_border and sum(map(len, pending)) + cut >= least:
            yield joined([*pending, rows.take(slice(cut))] if cut else pending, RUN)
            pending, rows = [], rows.take(slice(cut, None))
        pending.append(rows)
    if any(map(len, pending)) or any(part.facts.empty for part in pending):
        yield joined(pending, RUN)


def _topic(rows: Part, row: int) -> str:
    return str(rows.columns["query_id"][row])


def _last_change(rows: Part) -> int:
    """The last row whose topic differs from that of the row before, 0 if all topics are equal."""
    for start in (max(len(rows) - TAIL, 0), 0):
        last = int(rows.columns["query_id"].take(slice(start, None)).changes()[-1])
        if last:
            return start + last
    return 0


def regrouped(read: Callable[[], Iterable[Part]], most: int) -> Iterator[Part]:
    """The rows of the parts that `read` returns, in blocks of whole topics.

    Up to `most` rows are one block. More rows are read once for each block: the hash of a topic names its
    block.
    """
    kept: list[Part] = []
    count = 0
    for part in read():
        kept.append(part)
        count += len(part)
        if count > most:
            kept.clear()
    if count <= most:
        yield joined(kept, RUN)
        return
    blocks = -(-count // most)
    for number in range(blocks):
        yield joined((_of_block(part, number, blocks) for part in read()), RUN)


def _of_block(part: Part, number: int, blocks: int) -> Part:
    """The rows whose topics belong to the block with this number."""
    stretches = stretches_of(part.columns["query_id"], "run: query_id")
    belongs = np.array([crc32(topic.encode()) % blocks == number for topic in stretches.topics], dtype=bool)
    sizes = np.diff(stretches.start, append=len(part))
    padded = {name: part.columns[name].padded() for name in IDS}  # a copy of a few rows, not a view of all
    part = replace(part, columns={**part.columns, **padded})
    return part.take(np.flatnonzero(np.repeat(belongs[stretches.code], sizes)))
