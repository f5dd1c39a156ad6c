"""Ids of Vespa, ``id:namespace:type::id``, where the qrels have the last part alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.rows.id_matching import Ids, first_rows
from ..core.rows.rows import Rows
from ..errors import GradedError, Remark, shown

if TYPE_CHECKING:
    from .named import Judgments

SCHEME = "id:"
FORM = rf"(?s){SCHEME}[^:]*:[^:]*:[^:]*:(.+)"
"""Namespace, type, and key and value, such as ``g=group``, stand before the part that names the
document.
"""


def short_id(id_: str) -> str | None:
    """The part of an id of Vespa that names the document; None for any other id.

    >>> short_id("id:shop:item::P3"), short_id("id:shop:item:g=a:P:3"), short_id("P3")
    ('P3', 'P:3', None)
    """
    if not id_.startswith(SCHEME):
        return None
    match = re.fullmatch(FORM, id_)
    return None if match is None else match[1]


def _has_ids_of_vespa(rows: Rows) -> bool:
    """Whether the first id is one of Vespa."""
    try:
        first = rows.docs[0]
    except GradedError:  # A document that no judgment equals need not be an id.
        return False
    return short_id(first) is not None


def with_ids_of_qrels(rows: Rows, judgments: Judgments) -> Rows:
    """The rows with the short ids, if all ids are Vespa's, and the qrels have short ids alone.

    One of the short ids must be judged, and no topic may have one of them twice. Otherwise the rows
    stay as they are. The facts of changed rows have an id before and after the change.
    """
    if not rows.values.size or not _has_ids_of_vespa(rows) or judgments.has_ids_of_vespa:
        return rows
    short_ids = [short_id(id_) for id_ in rows.docs.ids()]
    named = [id_ for id_ in short_ids if id_ is not None]
    if len(named) < len(short_ids) or judgments.ids.isdisjoint(named):
        return rows
    ids = Ids.of(named)
    if first_rows((ids, rows.offsets)) is not None:
        return rows
    example = (rows.docs[0], named[0])
    return replace(rows, docs=ids, facts=rows.facts._replace(shortened=example))


def remarks_on_ids(shortened: tuple[str, str] | None, name: str) -> Iterator[Remark]:
    """The remark on the ids of a run of this name, which tells one before and after the change;
    none if they are unchanged.

    >>> print(*remarks_on_ids(("id:shop:item::P3", "P3"), "bm25"))
    bm25: Vespa's ids are read as those of the qrels, 'id:shop:item::P3' as 'P3'
    """
    if shortened is not None:
        full, short = shortened
        text = f"Vespa's ids are read as those of the qrels, {shown(full)} as {shown(short)}"
        yield Remark("ids of Vespa", name, text)
