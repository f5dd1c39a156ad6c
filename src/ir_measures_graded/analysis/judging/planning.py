"""How many topics a human must judge for an interval of a wanted width, beside a machine.

The variance of the prediction-powered estimate, with n topics of both judges, N of the machine, and
ρ the correlation of the values H and L of a topic under the human and under the machine, is

    var(H) · ((1 − ρ²)/n + ρ²/N)    if λ is neither clipped to 0 nor to 1

So more human topics lower the first part only, and the human's judgments for all N topics end at
var(H)/N. More topics of the machine lower the second part: with very many, n topics are worth
n/(1 − ρ²) of the human alone. Because λ is fitted on the topics of both, p of them, their spread
around it is a sum of squares divided by p − 2, so the human needs (1 − ρ²) · (p − 1)/(p − 2) of the
topics without the machine, and never more than all of these: λ may be 0. The spreads are those of
the topics that both judged, and further topics are taken to be of the same kind. `predicted` has
the general case, which is the variance of `estimate` at the present numbers of topics.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..statistics.student import MOST_TOPICS, deviation_limits, student_interval

LEAST_TOPICS = 5
"""An estimate needs so many topics that the human judged completely, and a plan has as many."""


@dataclass(frozen=True)
class Plan:
    """The human topics that an interval of a wanted width needs, for one run and measure.

    `now` is half of the width of the combined interval. `reach` is that of the human's judgments
    for all topics of the machine, and `topics` the number of human topics that give the wanted
    width among these; None if they are not enough. `least` is that number if the machine judges
    very many topics, `at_limit` the same if the spread is at its upper 80 % limit, and `alone` the
    number without the machine, which none of the others exceeds at the same spread. They are None
    for more than ten million, and all are None if few values of the human differ.
    """

    now: float | None = None
    reach: float | None = None
    topics: int | None = None
    least: int | None = None
    at_limit: int | None = None
    alone: int | None = None


class Spreads(NamedTuple):
    """The spreads of the values of a row under the human and under the machine.

    `human`, `machine` and `product` are sums of squares and products over the `pilot` topics of
    both judges, `of_human` and `of_machine` variances over all topics of either.
    """

    human: float
    machine: float
    product: float
    pilot: int
    of_human: float
    of_machine: float


def predicted(spreads: Spreads, both: int, others: float, alone: int) -> tuple[float, int]:
    """The variance of the estimate, and its degrees of freedom, with other numbers of topics.

    `both` topics are judged by both, `others` by the machine alone, perhaps infinitely many, and
    `alone` by the human alone.

    >>> spreads = Spreads(8.0, 8.0, 4.8, 10, 8 / 9, 8 / 9)  # ρ = 0.6
    >>> [round(predicted(spreads, both, others, 0)[0], 3) for both, others in ((10, 90), (20, 80))]
    [0.067, 0.035]
    """
    share = both / (both + alone)
    weight = 0.0
    if spreads.of_machine > 0 and others > 0:
        covariance = spreads.product / (spreads.pilot - 1)
        weight = share * covariance / ((1 + both / others) * spreads.of_machine)
        weight = min(max(weight, 0.0), 1.0)
    degrees = both + alone - 1
    if not weight:
        return spreads.of_human / (both + alone), degrees
    residual = share**2 * spreads.human - 2 * share * weight * spreads.product
    residual += weight**2 * spreads.machine
    variance = weight**2 * spreads.of_machine / others
    variance += residual / (spreads.pilot - 2) / both
    if alone:
        variance += (1 - share) ** 2 * spreads.of_human / alone
    return variance, degrees - 1


def plan(
    spreads: Spreads, width: float, confidence: float, both: int, others: int, alone: int
) -> Plan:
    """The human topics for an interval of half the `width`, from the present numbers of topics.

    >>> spreads = Spreads(8.0, 8.0, 4.8, 10, 8 / 9, 8 / 9)
    >>> found = plan(spreads, 0.3, 0.95, 10, 90, 0)
    >>> found.topics, found.least, found.alone, round(found.reach, 2)
    (35, 30, 41, 0.19)
    """
    total = both + others

    def half(topics: int) -> float:
        return _half(spreads, topics, total - topics, alone, confidence)

    def half_with_many(topics: int) -> float:
        return _half(spreads, topics, np.inf, alone, confidence)

    def half_alone(topics: int) -> float:
        return _half(spreads, topics, 0, 0, confidence)

    limit = deviation_limits(spreads.pilot - 1, confidence=0.6)[1]
    least = _least(half_with_many, width, MOST_TOPICS)
    at_limit = _least(half_with_many, width / limit, MOST_TOPICS)
    among = _least(half, width, total)
    without_machine = _least(half_alone, width, MOST_TOPICS)
    at_limit_without = _least(half_alone, width / limit, MOST_TOPICS)
    topics = _at_most(_with(among, alone), without_machine, total + alone)
    return Plan(
        now=half(both),
        reach=half(total),
        topics=topics,
        least=_at_most(_with(least, alone), without_machine),
        at_limit=_at_most(_with(at_limit, alone), at_limit_without),
        alone=without_machine,
    )


def _half(spreads: Spreads, both: int, others: float, alone: int, confidence: float) -> float:
    """Half of the width of the interval with these numbers of topics."""
    variance, degrees = predicted(spreads, both, others, alone)
    return float(student_interval(0.0, variance**0.5, degrees, confidence)[1])


def _least(half: Callable[[int], float], width: float, most: int) -> int | None:
    """The least number of topics whose interval is narrow enough; None if it is above `most`."""
    if most < LEAST_TOPICS or half(most) > width:
        return None

    def is_enough(topics: int) -> bool:
        return half(topics) <= width

    return bisect_left(range(most), True, lo=LEAST_TOPICS, key=is_enough)


def _at_most(
    topics: int | None, without_machine: int | None, available: float = np.inf
) -> int | None:
    """The number of topics, or that without the machine if it is smaller and at most the topics
    that are `available`; the machine may then be left out."""
    if without_machine is None or without_machine > available:
        return topics
    return without_machine if topics is None else min(topics, without_machine)


def _with(topics: int | None, alone: int) -> int | None:
    """The number of all human topics, with those that the human alone judged."""
    return None if topics is None else topics + alone
