"""Parameters with a default from the collection: its top gain, and its size.

The top gain H stands for a perfect document. It does not depend on the run or on how it is read. It is not
the highest gain of a topic, because the value of a document would then depend on the other documents found
for its topic. The size also counts documents that are neither judged nor retrieved.
"""

import numpy as np

from ..errors import GradedError, NotApplicableError
from .base import GradedMeasure
from .parameters import Count, Real
from .topics import Topics

TOP_GAIN = Real(
    default=None, above=0, desc="the top gain H; unset: the highest gain in the qrels, over all topics"
)
DOCS = Count(default=None, desc="size of the collection; unset: the judged and retrieved documents together")


class TopGainMeasure(GradedMeasure):
    """A measure with the parameter `max_gain`, by default the highest gain of all topics of the qrels."""

    GAINS = "exp"

    @property
    def needs_all_topics(self) -> bool:
        return super().needs_all_topics or self["max_gain"] is None

    def top_gain(self, topics: Topics) -> float:
        """H; raises `GradedError` if `max_gain` is less than the gain of a judged document."""
        given = self["max_gain"]
        if given is None:
            return float(topics.possible_gains.max(initial=0.0))
        highest, topic, level = topics.ranks.judged.top(topics.gains)
        if highest > given:
            raise NotApplicableError(
                f"{self}: topic {topic!r} has a document of level {level:g}, whose gain {highest:g} is above "
                f"max_gain; max_gain must be at least {highest:g}"
            )
        return float(given)


def collection_size(measure: GradedMeasure, topics: Topics) -> np.ndarray:
    """The parameter `docs` of the measure or, for each topic, the number of judged and retrieved documents.

    Raises `GradedError` if a topic has more such documents than `docs`.
    """
    known, docs = topics.known, measure["docs"]
    if docs is None:
        return known
    if (known > docs).any():
        number = int(np.argmax(known > docs))
        raise GradedError(
            f"{measure}: topic {topics.names[number]!r} has {known[number]} judged and retrieved "
            f"documents; docs, the size of the collection, must be at least that"
        )
    return np.full(topics.count, docs)
