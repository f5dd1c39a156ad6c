"""The judgments of documents for the intents of a topic, beside the one level of each document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..by_topic import offsets_of, rows_of
from .judged import Judged


@dataclass(frozen=True)
class Intents:
    """P pairs of a topic and an intent, topic after topic, and K judgments, pair after pair.

    - `topic` (P): the number of the topic of each pair
    - `probability` (P): that of the intent, which need not add up to 1 over a topic
    - `judged`: the levels of the judgments, in which the pairs are the topics
    - `doc` (K): the number of each judgment's document in its topic
    """

    topic: np.ndarray
    probability: np.ndarray
    judged: Judged
    doc: np.ndarray

    def part(self, topics: np.ndarray, topic_count: int) -> Intents:
        """The judgments of the topics with these numbers, of `topic_count` topics."""
        bounds = offsets_of(self.topic, topic_count)
        sizes = np.diff(bounds)[topics]
        pairs = np.arange(self.topic.size)[rows_of(bounds[:-1][topics], sizes)]
        offsets = self.judged.offsets
        return Intents(
            np.repeat(np.arange(topics.size), sizes),
            self.probability[pairs],
            self.judged.part(pairs),
            self.doc[rows_of(offsets[:-1][pairs], np.diff(offsets)[pairs])],
        )
