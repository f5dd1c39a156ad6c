"""Rows of a file as blocks of whole topics."""

from collections.abc import Iterable, Iterator

from ..core.rows.columns import RUN
from ..core.rows.rows import Part, joined

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
