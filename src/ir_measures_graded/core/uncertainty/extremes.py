"""The lowest and the highest value over all judgments of the unjudged documents within the cutoff.

Those of most sums over relevant documents are found by dynamic programming. If the number of unjudged
documents at each level is fixed, so is the ideal list, and the sum over the ranks so far depends only on how
many of them each level has so far.
"""

import math
from functools import singledispatch

import numpy as np

from ..measures import gP
from ..measures.average_precision import ByThreshold
from ..measures.base import GradedMeasure
from ..measures.sums import AtRelevant, Normalised, SumOverRanks, WeightedGains
from ..measures.topics import Topics, ratio
from . import judgments
from .judgments import Undetermined, extreme_in_order, filled, levels_of_gains, padded, unjudged_of
from .ratio import threshold_ratio, weighted_ratio

Pair = tuple[np.ndarray, np.ndarray]


@singledispatch
def extreme(measure: GradedMeasure, topics: Topics, highest: bool) -> np.ndarray:
    """The highest or lowest value of each topic (T) over all judgments of its unjudged documents within the
    cutoff. Each may have gain 0 or the gain of any level of the collection.

    This is the method of measures that rise with each gain, or that never fall when two documents, at any
    distance, change places so that the better one stands higher.
    """
    if not measure.RISES:
        return extreme_in_order(topics, measure.values, highest)
    if highest == measure.smaller_is_better:
        return measure.values(topics)
    best = np.full((topics.count, int(unjudged_of(topics).sizes.max(initial=0))), levels_of_gains(topics)[-1])
    return measure.values(filled(topics, np.arange(topics.count), best))


@extreme.register
def _(measure: WeightedGains, topics: Topics, highest: bool) -> np.ndarray:
    if measure.averages and topics.cutoff is None:
        raise Undetermined(
            f"{measure}: without a cutoff the judgments decide how many ranks avg=True averages; "
            "add a cutoff, as in @10"
        )
    return extreme.dispatch(object)(measure, topics, highest)


@extreme.register(type(gP))
def _(measure: WeightedGains, topics: Topics, highest: bool) -> np.ndarray:
    if measure.given_max(topics) is not None:
        return extreme.dispatch(WeightedGains)(measure, topics, highest)
    # Let t be the highest gain of an unjudged document. All get t for the highest value, one for the lowest.
    t, count = topics.possible_gains[:, None], unjudged_of(topics).sizes
    given = topics.run.total + t * (count if highest else np.minimum(count, 1))
    k = topics.cutoff or topics.retrieved
    values = ratio(given, np.where(count > 0, np.maximum(topics.best, t), topics.best) * k)
    either = np.maximum if highest else np.minimum
    return either.reduce(np.vstack([measure.values(topics), values]))


@extreme.register
def _(measure: Normalised, topics: Topics, highest: bool) -> np.ndarray:
    if measure.averages:
        return extreme.dispatch(WeightedGains)(measure, topics, highest)
    unjudged = unjudged_of(topics)
    weights = padded(measure.weigh(np.ones(unjudged.rank.size), unjudged.rank), unjudged.sizes)
    return weighted_ratio(measure, topics, unjudged.sizes, weights, highest).extreme(unjudged.sizes)


@extreme.register
def _(measure: ByThreshold, topics: Topics, highest: bool) -> np.ndarray:
    return np.minimum(threshold_ratio(measure, topics, highest).extreme(unjudged_of(topics).sizes), 1.0)


def difference(measure: GradedMeasure, one: Topics, other: Topics, shared: Pair) -> Pair | None:
    """The lowest and the highest difference (T each) of two runs' values over all judgments of the documents
    that either has unjudged within the cutoff; None if it is not known.

    `shared` are the numbers of the unjudged documents of `one` and of `other` that are the same document.
    """
    if isinstance(measure, SumOverRanks) and measure.RATIO:
        one, other = one.scaled(together=True), other.scaled(together=True)
    ends = extreme_difference(measure, one, other, shared)
    if ends is not None and not np.isfinite(ends).all():
        raise Undetermined(f"{measure}: a difference is infinite; divide all gains by one number")
    return ends


@singledispatch
def extreme_difference(measure: GradedMeasure, one: Topics, other: Topics, shared: Pair) -> Pair | None:
    """`difference` of a family of measures, from topics in its range of gains."""
    return None


@extreme_difference.register
def _(measure: WeightedGains, one: Topics, other: Topics, shared: Pair) -> Pair | None:
    if isinstance(measure, type(gP)) and measure.given_max(one) is None:
        return None  # the highest gain of the topic depends on the judgments
    topic, weight = differing(measure, one, other, shared)
    value, weight = measure.values(one) - measure.values(other), weight * one.possible_gains.max(initial=0)
    low, high = (np.bincount(topic, side(weight, 0), one.count) for side in (np.minimum, np.maximum))
    return value + low, value + high


@extreme_difference.register
def _(measure: Normalised, one: Topics, other: Topics, shared: Pair) -> Pair | None:
    if measure.averages or measure.ideal_documents != "judged":
        return None
    topic, weight = differing(measure, one, other, shared)
    count = np.bincount(topic, minlength=one.count)
    weights = padded(weight[np.argsort(topic, kind="stable")], count)

    def end(highest: bool) -> np.ndarray:
        a, b = (weighted_ratio(measure, topics, count, weights, highest) for topics in (one, other))
        return a._replace(achieved=a.achieved - b.achieved, value=a.value - b.value).extreme(count)

    return end(False), end(True)


def differing(measure: WeightedGains, one: Topics, other: Topics, shared: Pair) -> Pair:
    """The documents that either of two runs has unjudged: the topic of each, and its weight in the value of
    `one` minus its weight in that of `other`. An ideal list does not divide the weights."""
    topic, weight = [], []
    for topics in (one, other):
        unjudged = unjudged_of(topics)
        ones = unjudged.with_gain(np.ones(unjudged.rank.size))
        topic.append(unjudged.topic)
        divided = measure.scaled(np.ones(topics.count), topics)[unjudged.topic]
        weight.append(measure.counted(measure.weighed(ones), topics) * divided)
    weight[0][shared[0]] -= weight[1][shared[1]]
    only_other = np.ones(topic[1].size, dtype=bool)
    only_other[shared[1]] = False
    return np.append(topic[0], topic[1][only_other]), np.append(weight[0], -weight[1][only_other])


@extreme.register
def _(measure: AtRelevant, topics: Topics, highest: bool) -> np.ndarray:
    if not measure.COMPARED:
        return extreme.dispatch(object)(measure, topics, highest)
    result, count = measure.values(topics), unjudged_of(topics).sizes
    levels, judged = levels_of_gains(topics)[1:], topics.judged.tolist()
    kinds = len(levels)
    judgments.refuse_work(
        topics, count, lambda topic, some: math.comb(some + kinds, kinds) ** 2 * (judged[topic] + some)
    )
    either = np.maximum if highest else np.minimum
    for topic in np.flatnonzero(count).tolist():
        values = _over_judgments(measure, topics, topic, int(count[topic]), levels, 1 if highest else -1)
        result[topic] = either(result[topic], either.reduce(values))
    return result


def _over_judgments(
    measure: AtRelevant, topics: Topics, topic: int, count: int, levels: np.ndarray, sign: int
) -> np.ndarray:
    """The extreme values of one topic for all numbers of documents that get each level."""
    kind = judgments.kinds_of(judgments.distributions(count, levels.size), count)
    compositions = judgments.Compositions((kind[:, :, None] == np.arange(1, levels.size + 1)).sum(axis=1))
    every = np.arange(len(kind))
    judged = filled(topics, np.full(every.size, topic), np.append(np.nan, levels)[kind])

    run, gain = topics.run, topics.gain_of(levels)
    gains = compositions.number @ gain
    (u, q), of_run = measure.weights(gain, topics), measure.weights(run.gain, topics)
    weight = np.prod(q**compositions.number, axis=1) * sign
    size, fits = compositions.size, np.ones((every.size, every.size), dtype=bool)
    for so_far in compositions.number.T:  # total composition × composition so far
        fits &= so_far <= so_far[:, None]
    best = np.where(size == 0, 0.0, np.full((every.size, 1), -np.inf))
    entries = {int(run.rank[entry]): entry for entry in range(*run.offsets[topic:][:2])}
    seen, relevant, total = 0, 0, 0.0
    for rank in range(1, int(topics.retrieved[topic]) + 1):
        entry = entries.get(rank)
        if entry is not None and run.gain[entry] > 0:
            relevant, total = relevant + 1, total + run.gain[entry]
        achieved = measure.achieved((relevant + size) * topics.one, total + gains)
        possible = measure.possible(np.full(every.size, rank), every, judged)[:, None]
        quotient = measure.quotient(achieved, possible)
        if entry is None:
            seen += 1
            reachable = fits & (seen >= size) & (seen - size <= (count - size)[:, None])
            best = np.where(reachable, compositions.extended(best, u, weight, quotient), -np.inf)
        elif run.gain[entry] > 0:
            best = best + of_run[0][entry] * weight * quotient
            weight = weight * of_run[1][entry]
    return measure.scaled(np.abs(best[every, every]), judged)
