"""Hypothesis strategies for valid qrels and runs with unusual ids, levels and scores.

A collection is one draw of bytes: drawing each document would take longer than evaluating them.
"""

import struct
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st

DOCS = [
    "a",
    "b",
    "ab",
    "B",
    "10",
    "9",
    "-1",
    "1e3",
    "é",
    "ñandú",
    "文書",
    "\uffff",
    "\U00010000",
    "d 1",
]
"""Ids outside ASCII, ids that look like numbers, ids whose UTF-16 order differs from code point order."""

TOPICS = ["1", "02", "q", "θ"]
WHOLE = [0, 1, 2, 3, 4, -1, -2]
REAL = [*WHOLE, -0.5, 0.1, 0.25, 2 / 3, 1.2, 1.5, 2.718, 4.2, 5.2, 7.5, 100.0]
INFINITE = [float("inf"), float("-inf")]
TIED_SCORES = [0.0, -0.0, 1e-50, 0.1, 1.0, 1.0 + 1e-9, -3.5, 1e39, 1e300, -1e300, *INFINITE]
"""Scores of which some are equal as 32-bit floats only."""

_random = Random(1)
ANY_SCORES = [
    *TIED_SCORES,
    *(_random.gauss(0, 3) for _ in range(100)),
    *(score for score in struct.unpack("100d", _random.randbytes(800)) if score == score),
]
"""Also scores of any size and with any bits but NaN."""

UNIT_SCORES = [0.0, 0.1, 0.25, 0.5, 0.5 + 1e-9, 1.0]


def documents(values: Sequence[Any], max_size: int = 10) -> st.SearchStrategy[dict[str, Any]]:
    size = 1 + 2 * max_size
    return st.binary(min_size=size, max_size=size).map(
        lambda data: _documents(iter(data), values, max_size)
    )


def collections(
    levels: Sequence[Any] = REAL, scores: Sequence[Any] = TIED_SCORES, min_judged: int = 0
) -> st.SearchStrategy[tuple[dict[str, Any], dict[str, Any]]]:
    """Qrels and a run with missing and additional topics, unjudged documents, ties and empty topics."""
    most = 12

    def collection(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
        drawn = iter(data)
        judged, retrieved = (
            [topic for topic in TOPICS if next(drawn) % 2] or TOPICS[:1] for _ in range(2)
        )
        qrels = {topic: _documents(drawn, levels, most, min_judged) for topic in judged}
        return qrels, {topic: _documents(drawn, scores, most) for topic in retrieved}

    size = 2 * len(TOPICS) * (2 + 2 * most)
    return st.binary(min_size=size, max_size=size).map(collection)


def _documents(
    drawn: Iterator[int], values: Sequence[Any], most: int, least: int = 0
) -> dict[str, Any]:
    """Up to `most` documents, often none, from bytes: their number, then an id and a value each."""
    number = max(least, next(drawn) % (most + 3) - 2)
    return {DOCS[next(drawn) % len(DOCS)]: values[next(drawn) % len(values)] for _ in range(number)}


GAINS = st.dictionaries(st.integers(-2, 5), st.sampled_from([0, 1, 2.5, 10, 100]), max_size=4)
