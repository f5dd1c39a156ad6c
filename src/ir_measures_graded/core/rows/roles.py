"""What qrels and runs are: their columns under our names, and the values that they may have."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from .decimals import number_of


class Role:
    """Qrels or a run: their name, the column of the values, and the name of a value in messages.

    Values from `lowest` to `highest` are allowed, and `rule` says so.
    """

    def __init__(
        self, kind: str, value: str, number: str, lowest: float, highest: float, rule: str
    ):
        self.kind = kind
        self.value = value
        self.number = number
        self.lowest = lowest
        self.highest = highest
        self.rule = rule

    def renamed(self, kind: str, rule: str = "") -> Role:
        """The same under another name in messages, perhaps with another rule."""
        rule = rule or self.rule
        return Role(kind, self.value, self.number, self.lowest, self.highest, rule)

    @property
    def columns(self) -> list[str]:
        """The names of the columns of topics, documents and values."""
        return ["query_id", "doc_id", self.value]

    def refused(self, values: np.ndarray) -> np.ndarray:
        """The rows whose value is not allowed."""
        # The minimum and the maximum of an array with NaN are NaN.
        lowest = values.min(initial=np.inf)
        highest = values.max(initial=-np.inf)
        if self.lowest <= lowest and highest <= self.highest:
            return np.empty(0, np.int64)
        is_allowed = (self.lowest <= values) & (values <= self.highest)
        return np.flatnonzero(~is_allowed)


LARGEST = sys.float_info.max
NO_ITERATION = {b"0", b"Q0"}
"""The second fields of TREC qrels without intents."""
QRELS = Role(
    kind="qrels",
    value="relevance",
    number="level",
    lowest=-LARGEST,
    highest=LARGEST,
    rule="the level is {}; a level is a finite number",
)
RUN = Role(
    kind="run",
    value="score",
    number="score",
    lowest=-np.inf,
    highest=np.inf,
    rule="the score is NaN, which cannot be ranked; use a number (infinities are allowed)",
)
IDS = ("query_id", "doc_id")
INTENTS = ("iteration", "probability")
"""The columns that qrels may have: the intent of each judgment, and its probability."""
NUMBERS = {QRELS.value, RUN.value, "probability"}  # the columns of numbers; all others are text


def is_of_trec(fields: Sequence[bytes]) -> bool:
    """Whether these are the fields of a TREC line, which may have ids such as score and doc.

    Qrels have their level in the last of four fields, and runs their rank and score in the fourth
    and fifth of six. A name of a column is no number.

    >>> is_of_trec([b"score", b"Q0", b"doc", b"1", b"2.5", b"tag"])
    True
    >>> is_of_trec([b"qid", b"Q0", b"docno", b"rank", b"score", b"tag"])
    False
    """
    return len(fields) in (4, 6) and all(number_of(field) is not None for field in fields[3:5])
