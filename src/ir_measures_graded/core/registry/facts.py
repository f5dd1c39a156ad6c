"""Facts about a measure, graded or standard, that analyses and engines ask for."""

from typing import TypeGuard

import numpy as np
from ir_measures import Measure

from ..measures.base import GradedMeasure
from ..measures.sums import Normalised, WeightedGains
from ..ranking.gains import Gains, canonical_gains

OURS = GradedMeasure.__module__.rpartition(".")[0]


def is_graded(measure: Measure) -> TypeGuard[GradedMeasure]:
    """Whether the measure is one of this package or of its plugins, and not of ir-measures."""
    return isinstance(measure, GradedMeasure)


def smaller_is_better(measure: Measure) -> bool | None:
    """Whether smaller values are better; None for standard measures, for which ir-measures does not say."""
    return getattr(measure, "smaller_is_better", None)


def sign_of(measure: Measure) -> int:
    """-1 if smaller values of the measure are better, else 1."""
    return -1 if smaller_is_better(measure) else 1


def needs_all_topics(measure: Measure) -> bool:
    """Whether the value of a topic depends on the judgments of the other topics."""
    return is_graded(measure) and measure.needs_all_topics


def may_need_all_topics(measure: Measure) -> bool:
    """Whether `needs_all_topics`, or a plugin's measure might without declaring it."""
    return needs_all_topics(measure) or (is_graded(measure) and not type(measure).__module__.startswith(OURS))


def needs_intents(measure: Measure) -> bool:
    """Whether the measure evaluates the judgments for the intents of a topic."""
    return is_graded(measure) and measure.INTENTS


def gains_of(measure: Measure) -> Gains:
    """The gains of a measure, by which its ideal list is sorted."""
    return measure["gains"] if is_graded(measure) else canonical_gains(measure.params.get("gains") or {})


def rank_weights(measure: Measure, depth: int) -> np.ndarray | None:
    """The weight of a gain at the ranks 1 … `depth`; None for a measure without such weights.

    >>> from ir_measures_graded import DCG_JK, Q
    >>> rank_weights(DCG_JK, 4).round(2), rank_weights(Q, 4)
    (array([1.  , 1.  , 0.63, 0.5 ]), None)
    """
    if not isinstance(measure, WeightedGains):
        return None
    return measure.weigh(np.ones(depth), np.arange(1, depth + 1))


def is_normalised(measure: Measure) -> TypeGuard[Normalised]:
    """Whether the value is a sum of weighted gains divided by that of an ideal list."""
    return isinstance(measure, Normalised)


def is_plain_sum(measure: Measure) -> bool:
    """Whether the value is a sum of weighted gains, or the mean of such sums, that nothing divides."""
    return (
        isinstance(measure, WeightedGains)
        and type(measure).divisor is WeightedGains.divisor
        and (not is_normalised(measure))
    )


def is_weighted_by_rank(measure: Measure) -> TypeGuard[WeightedGains]:
    """Whether the value is a sum of gains with a weight for each rank, perhaps divided by the ideal sum."""
    return (
        (is_normalised(measure) or is_plain_sum(measure))
        and not (measure.averages or measure.SCALES or has_own_ideal(measure))
        and measure.params.keys().isdisjoint(("ties", "unjudged", "judged_only"))
    )


def has_own_ideal(measure: Measure) -> bool:
    """Whether the ideal list has the documents that the run retrieved, not all judged documents."""
    return measure.params.get("ideal") == "retrieved"


def uses_recall_base(measure: GradedMeasure) -> bool:
    """Whether judged documents that a run did not retrieve affect its value."""
    return measure.RECALL_BASE
