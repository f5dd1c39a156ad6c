"""How the topics count in a mean: those without a relevant document, and the weight of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from ir_measures import Measure, SumAgg

from ..core.by_topic import mean_over_topics
from ..core.measures.sessions import Turns
from ..core.ranking.judged import Judged
from ..core.registry.facts import (
    CHOICES_OF_NO_RELEVANT,
    ONE,
    SKIP,
    ZERO,
    has_relevant,
    refuse_geometric,
    refuse_other_best,
)
from ..errors import GradedError, shown
from .sessions import turn_measure


class Counting:
    """How the topics of qrels count.

    - `no_relevant`: the value of a topic without a document that is relevant by the measure.
      ``zero``: the one that the measure defines, 0 for nearly all. ``skip``: none, so that no mean
      counts the topic. ``one``: 1.
    - `weights`: the weight of each topic; None if all count alike.
    """

    def __init__(self, no_relevant: str = ZERO, weights: Mapping[str, float] | None = None):
        if no_relevant not in CHOICES_OF_NO_RELEVANT:
            allowed = ", ".join(CHOICES_OF_NO_RELEVANT)
            raise GradedError(
                f"no_relevant={shown(no_relevant)} is not allowed; it is one of {allowed}"
            )
        self.no_relevant = no_relevant
        self.weights = weights

    @property
    def is_plain(self) -> bool:
        """Whether every topic counts alike, with the value that the measure defines."""
        return self.no_relevant == ZERO and self.weights is None

    def check(self, measures: Iterable[Measure]) -> None:
        """Raise `GradedError` for a measure to which these options do not apply."""
        for measure in measures:
            if self.no_relevant == ONE:
                refuse_other_best([measure])
            if self.weights is not None:
                refuse_geometric([measure])
            if self.weights is not None and isinstance(measure.aggregator(), SumAgg):
                raise GradedError(
                    f"{measure} is a sum over topics, and weights are for means; leave out one of "
                    "the two"
                )

    def weights_of(self, topics: Iterable[str]) -> np.ndarray | None:
        """The weight of each topic, NaN for one without a weight; None if all count alike."""
        if self.weights is None:
            return None
        return np.array([self.weights.get(topic, np.nan) for topic in topics])

    def treated(self, values: np.ndarray, is_lacking: np.ndarray) -> np.ndarray:
        """The values (… × T) in which topics without a relevant document count as they should.

        >>> is_lacking = np.array([False, True])
        >>> Counting("skip").treated(np.array([0.5, 0.0]), is_lacking)
        array([0.5, nan])
        """
        if self.no_relevant == SKIP:
            return np.where(is_lacking, np.nan, values)
        if self.no_relevant == ONE:
            return np.where(is_lacking, 1.0, values)
        return values


PLAIN: Final = Counting()
"""Every topic counts alike, with the value that the measure defines."""


def lacks_relevant(measure: Measure, judged: Judged, turns: Turns | None = None) -> np.ndarray:
    """Whether each topic has no document that is relevant by the measure (T).

    The judgments of the qrels alone decide. With the `turns` of sessions, whether each session has
    none in any of its turns.
    """
    is_found = has_relevant(turn_measure(measure), judged)
    if turns is not None:
        return turns.total(is_found.astype(np.float64)) == 0
    return ~is_found


def weighted_mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean over the last axis, by weights of at least 0 with a sum above 0.

    >>> float(weighted_mean(np.array([1.0, 0.0]), np.array([3.0, 1.0])))
    0.75
    """
    factors = weights * (weights.size / weights.sum())
    return mean_over_topics(values * factors)


def effective_size(weights: np.ndarray) -> float:
    """The number of topics of equal weight whose mean is as exact: (Σ w)² / Σ w².

    >>> float(effective_size(np.array([1.0, 1.0, 0.0])))
    2.0
    """
    shares = weights / weights.sum()
    return float(1 / (shares**2).sum())


def with_effective(topics: str, effective: float | None) -> str:
    """A number of topics in words, with their effective number if they have weights.

    >>> with_effective("50 topics", 23.4), with_effective("5 topics", 1.29)
    ('50 topics, effective 23', '5 topics, effective 1.3')
    """
    if effective is None:
        return topics
    return f"{topics}, effective {size_in_words(effective)}"


def size_in_words(effective: float) -> str:
    """An effective number of topics, with a decimal below 10."""
    return f"{effective:.0f}" if effective >= 10 else f"{effective:.1f}"
