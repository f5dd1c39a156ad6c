"""Reads the weights of topics, and the options that tell how topics count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from ir_measures import Measure

from ..arguments import refused
from ..core.by_topic import mean_over_topics
from ..core.registry.facts import ONE, SKIP, ZERO
from ..errors import GradedError, shown
from ..output.formats import counted, listed
from .counting import Counting, effective_size, lacks_relevant, weighted_mean
from .named import Judgments, Qrels, read_judgments
from .value_columns import number_in

if TYPE_CHECKING:
    from .attributes import By

ALL_ZERO = "weights: all {}s of {} have the weight 0"
LARGEST_EXPONENT = 400  # of two, so that sums of squares stay far below the largest float


def read_weights(weights: By) -> dict[str, float] | None:
    """The weight of each topic, from a mapping, a Series or FILE:COLUMN.

    A topic whose cell is empty has none.

    >>> read_weights({"q1": 2, "q2": 0.5, "q3": None})
    {'q1': 2.0, 'q2': 0.5}

    Raises `GradedError` for a weight that is not a finite number of at least 0.
    """
    if weights is None:
        return None
    if isinstance(weights, str):
        from .attributes import read_attribute

        weights = read_attribute(weights)
    if not hasattr(weights, "items"):
        rule = "a mapping of topics to numbers, or FILE:COLUMN"
        raise refused("weights", weights, rule)
    numbers = {}
    for topic, weight in weights.items():
        is_text = isinstance(weight, str)
        if weight is None or (is_text and not weight):
            continue
        is_number = isinstance(weight, Real) and not isinstance(weight, bool)
        number = number_in(weight) if is_number or is_text else np.nan
        if not (np.isfinite(number) and number >= 0):
            raise GradedError(
                f"weights: topic {topic} has the weight {shown(weight)}; a weight is a finite "
                "number of at least 0"
            )
        numbers[str(topic)] = number
    return _within_reach(numbers)


def _within_reach(weights: dict[str, float]) -> dict[str, float]:
    """The weights, divided by a power of two if sums of them or of squares could overflow.

    Means depend on ratios of weights only, and a power of two changes none.
    """
    _, exponent = np.frexp(max(weights.values(), default=0.0))
    if abs(exponent) < LARGEST_EXPONENT:
        return weights
    return {topic: float(np.ldexp(weight, -exponent)) for topic, weight in weights.items()}


def topics_that_count(measure: Measure, judgments: Judgments) -> np.ndarray:
    """The numbers of the topics of the qrels that count in means by the measure.

    Raises `GradedError` if there is none, and for a topic that counts and has no weight.
    """
    counting = judgments.counting
    counts = np.ones(len(judgments.topics), dtype=bool)
    if counting.no_relevant == SKIP:
        counts = ~lacks_relevant(measure, judgments.documents)
        if not counts.any():
            raise GradedError(
                f"{measure}: no topic has a relevant document, so no_relevant=skip leaves none"
            )
    weights = counting.weights_of(judgments.topics)
    if weights is not None:
        refuse_missing_weights(weights, counts, judgments.topics)
        counts &= weights > 0
        if not counts.any():
            raise GradedError(ALL_ZERO.format("topic", measure))
    return np.flatnonzero(counts)


def refuse_missing_weights(
    weights: np.ndarray, counts: np.ndarray, topics: Sequence[str], unit: str = "topic"
) -> None:
    """Raise `GradedError` for a topic that counts and has no weight."""
    unknown = np.flatnonzero(counts & np.isnan(weights))
    if unknown.size:
        names = [topics[number] for number in unknown.tolist()]
        raise GradedError(
            f"weights: {counted(len(names), unit)} without a weight ({listed(names, 5)}); give "
            f"each {unit} a weight, 0 to leave it out"
        )


class MeansOverTopics:
    """The means over the `count` topics that count by a measure.

    `effective` is their effective number with weights, None without weights.
    """

    def __init__(self, measure: Measure, judgments: Judgments):
        self.counting = judgments.counting
        self.topics = topics_that_count(measure, judgments)
        self.count = self.topics.size
        self.is_lacking = np.zeros(len(judgments.topics), dtype=bool)
        if self.counting.no_relevant == ONE:
            self.is_lacking = lacks_relevant(measure, judgments.documents)
        self.weights = None
        self.effective = None
        weights = self.counting.weights_of(judgments.topics)
        if weights is not None:
            self.weights = weights[self.topics]
            self.effective = effective_size(self.weights)

    def treated(self, values: np.ndarray) -> np.ndarray:
        """The values (… × T) of the topics that count."""
        if self.counting.is_plain:
            return values
        return self.counting.treated(values, self.is_lacking)[..., self.topics]

    def mean(self, values: np.ndarray) -> np.ndarray:
        """The mean over the topics."""
        if self.weights is None:
            return mean_over_topics(values)
        return weighted_mean(values, self.weights)


def counted_by(qrels: Qrels, no_relevant: str = ZERO, weights: By = None) -> Qrels:
    """The qrels with the options that tell how their topics count.

    Raises `GradedError` for an unknown word and for a weight that is not allowed.
    """
    counting = Counting(no_relevant, read_weights(weights))
    if counting.is_plain:
        return qrels
    judgments: Judgments = read_judgments(qrels)
    return replace(judgments, counting=counting)
