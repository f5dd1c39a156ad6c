"""Hypothesis strategies for valid qrels and runs with unusual ids, levels and scores.

A collection is one draw of bytes: drawing each document would take longer than evaluating them.
"""

import math
import struct
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st

DOCS = "a b ab B 10 9 -1 1e3 é ñandú 文書 \uffff \U00010000".split() + ["d 1"]
"""Ids outside ASCII, ids that look like numbers, ids whose order in UTF-16 is another."""

TOPICS = ["1", "02", "q", "θ"]
WHOLE = [0, 1, 2, 3, 4, -1, -2]
REAL = [*WHOLE, -0.5, 0.1, 0.25, 2 / 3, 1.2, 1.5, 2.718, 4.2, 5.2, 7.5, 100.0]
INFINITE = [float("inf"), float("-inf")]
TIED_SCORES = [0.0, -0.0, 1e-50, 0.1, 1.0, 1.0 + 1e-9, -3.5, 1e39, 1e300, -1e300, *INFINITE]
"""Scores of which some are equal as 32-bit floats only."""

_random = Random(1)
_usual_scores = [_random.gauss(0, 3) for _ in range(100)]
_any_bits = struct.unpack("100d", _random.randbytes(800))
_any_numbers = [score for score in _any_bits if not math.isnan(score)]
ANY_SCORES = [*TIED_SCORES, *_usual_scores, *_any_numbers]
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
    """Qrels and a run with ties and unjudged documents; each lacks topics and has empty ones."""
    most = 12

    def collection(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
        numbers = iter(data)
        judged = _topics(numbers)
        retrieved = _topics(numbers)
        qrels = {topic: _documents(numbers, levels, most, min_judged) for topic in judged}
        run = {topic: _documents(numbers, scores, most) for topic in retrieved}
        return qrels, run

    size = 2 * len(TOPICS) * (2 + 2 * most)
    return st.binary(min_size=size, max_size=size).map(collection)


def _topics(numbers: Iterator[int]) -> list[str]:
    """Some topics, at least one."""
    return [topic for topic in TOPICS if next(numbers) % 2] or TOPICS[:1]


def _documents(
    numbers: Iterator[int], values: Sequence[Any], most: int, least: int = 0
) -> dict[str, Any]:
    """Up to `most` documents, often none, from bytes: their number, then an id and a value each."""
    count = max(least, next(numbers) % (most + 3) - 2)
    documents = {}
    for _ in range(count):
        doc = DOCS[next(numbers) % len(DOCS)]
        documents[doc] = values[next(numbers) % len(values)]
    return documents


GAINS = st.dictionaries(st.integers(-2, 5), st.sampled_from([0, 1, 2.5, 10, 100]), max_size=4)
