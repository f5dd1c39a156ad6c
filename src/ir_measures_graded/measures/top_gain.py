"""The top gain H of a collection, for measures in which the highest gain stands for a perfect document."""

from __future__ import annotations

from ..errors import NotApplicableError
from .base import GradedMeasure
from .parameters import Real
from .topics import Topics

TOP_GAIN = Real(
    default=None, above=0, desc="the top gain H; unset: the highest gain in the qrels, over all topics"
)


class TopGainMeasure(GradedMeasure):
    """A measure with the parameter `max_gain`, by default the highest gain of all topics of the qrels.

    The top gain does not depend on the run or on how it is read. It is not the highest gain of a topic,
    because the value of a document would then depend on the other documents found for its topic.
    """

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
