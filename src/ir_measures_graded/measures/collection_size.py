"""The size of a collection, for measures that count documents that are neither judged nor retrieved."""

from __future__ import annotations

import numpy as np

from ..errors import GradedError
from .base import GradedMeasure
from .parameters import Count
from .topics import Topics

DOCS = Count(default=None, desc="size of the collection; unset: the judged and retrieved documents together")


def collection_size(measure: GradedMeasure, topics: Topics) -> np.ndarray:
    """The parameter `docs` of the measure or, for each topic, the number of judged and retrieved documents.

    Raises `GradedError` if a topic has more such documents than `docs`.
    """
    judged_too = np.diff(topics.whole_run.offsets)
    known = topics.judged + topics.ranks.retrieved - judged_too
    docs = measure["docs"]
    if docs is None:
        return known
    if (known > docs).any():
        number = int(np.argmax(known > docs))
        raise GradedError(
            f"{measure}: topic {topics.names[number]!r} has {known[number]} judged and retrieved "
            f"documents; docs, the size of the collection, must be at least that"
        )
    return np.full(topics.count, docs)
