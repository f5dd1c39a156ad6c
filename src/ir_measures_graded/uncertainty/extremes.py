"""The lowest and the highest value over all judgments of the unjudged documents within the cutoff."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

import numpy as np

from ..measures import NCU, Fallout, gP
from ..measures.at_relevant import AtRelevant
from ..measures.base import GradedMeasure
from ..measures.topics import Topics, ratio
from ..measures.weighted import Normalised, WeightedGains
from .judgments import Undetermined, Unjudged, at_least, extreme_in_order, padded
from .ratio import Ratio
from .states import extreme_over_states


@singledispatch
def extreme(measure: GradedMeasure, topics: Topics, highest: bool) -> np.ndarray:
    """The highest or lowest value of each topic (T) over all judgments of its unjudged documents within the
    cutoff. Each may gain 0 or what any level of the collection gains.

    Measures without a method of their own never fall when two documents, at any distance, change places so
    that the better one stands higher.
    """
    return extreme_in_order(topics, measure.values, highest)


@extreme.register
def _(measure: WeightedGains, topics: Topics, highest: bool) -> np.ndarray:
    check_depth(measure, topics)
    value = measure.values(topics)
    if not highest or not topics.possible_gains.size:
        return value
    unjudged = Unjudged.of(topics)
    best = np.full(unjudged.topic.size, topics.possible_gains[-1])
    return value + measure.value_of(measure.weighed(unjudged.with_gain(topics, best)), topics)


@extreme.register(type(gP))
def _(measure: WeightedGains, topics: Topics, highest: bool) -> np.ndarray:
    if measure["max_gain"]:
        return extreme.dispatch(WeightedGains)(measure, topics, highest)
    # Let t be the highest gain of an unjudged document. All get t for the highest value, one for the lowest.
    t, count = topics.possible_gains[:, None], Unjudged.of(topics).count
    given = topics.run.total + t * (count if highest else np.minimum(count, 1))
    k = topics.cutoff or topics.retrieved
    values = ratio(given, np.where(count > 0, np.maximum(topics.best, t), topics.best) * k)
    either = np.maximum if highest else np.minimum
    return either.reduce(np.vstack([measure.values(topics), values]))


@extreme.register
def _(measure: Normalised, topics: Topics, highest: bool) -> np.ndarray:
    if measure.averages:
        check_depth(measure, topics)
        return extreme_in_order(topics, measure.values, highest)
    unjudged = Unjudged.of(topics)
    weights = unjudged.table(measure.weigh(np.ones(unjudged.rank.size), unjudged.rank))
    return ratio_of(measure, topics, unjudged.count).extreme(weights, unjudged.count, highest)


@extreme.register
def _(measure: AtRelevant, topics: Topics, highest: bool) -> np.ndarray:
    if measure.MONOTONE:
        return extreme_in_order(topics, measure.values, highest)
    return extreme_over_states(measure, topics, highest)


@extreme.register(type(NCU))
def _(measure: AtRelevant, topics: Topics, highest: bool) -> np.ndarray:
    if measure["stop"] == "rb" and measure["utility"] == "P":
        return extreme_in_order(topics, measure.values, highest)
    return extreme_over_states(measure, topics, highest)


@extreme.register(type(Fallout))
def _(measure: type(Fallout), topics: Topics, highest: bool) -> np.ndarray:  # type: ignore[valid-type]
    if highest or not topics.possible_gains.size:
        return measure.values(topics)
    found = measure.amounts(topics)
    return measure.share(topics, topics.retrieved - found.total, Unjudged.of(topics).count)


@singledispatch
def difference(
    measure: GradedMeasure, one: Topics, other: Topics, shared: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray] | None:
    """The lowest and the highest difference (T each) of two runs' values over all judgments of the documents
    that either has unjudged within the cutoff; None if it is not known.

    `shared` are the numbers of the unjudged documents of `one` and of `other` that are the same document.
    """
    return None


@difference.register
def _(
    measure: WeightedGains, one: Topics, other: Topics, shared: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray] | None:
    topic, weight = differing(measure, one, other, shared)
    value, best = measure.values(one) - measure.values(other), one.possible_gains.max(initial=0)

    def added(weight: np.ndarray) -> np.ndarray:
        return measure.scaled(np.bincount(topic, weights=weight * best, minlength=one.count), one)

    return value - added(np.maximum(-weight, 0)), value + added(np.maximum(weight, 0))


@difference.register(type(gP))
def _(measure: WeightedGains, *_: object) -> None:
    return None


@difference.register
def _(
    measure: Normalised, one: Topics, other: Topics, shared: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray] | None:
    if measure.averages or measure.params.get("ideal") == "retrieved":
        return None
    topic, weight = differing(measure, one, other, shared)
    count = np.bincount(topic, minlength=one.count)
    weights = padded(weight[np.argsort(topic, kind="stable")], count)
    a, b = (ratio_of(measure, topics, count) for topics in (one, other))
    both = replace(a, achieved=a.achieved - b.achieved, value=a.value - b.value)
    return both.extreme(weights, count, highest=False), both.extreme(weights, count, highest=True)


def differing(
    measure: WeightedGains, one: Topics, other: Topics, shared: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The documents that either of two runs has unjudged: the topic of each, and its weight in `one` minus
    its weight in `other`."""
    topic, weight = [], []
    for topics in (one, other):
        unjudged = Unjudged.of(topics)
        ones = unjudged.with_gain(topics, np.ones(unjudged.rank.size))
        topic.append(unjudged.topic)
        weight.append(np.array(measure.counted(measure.weighed(ones), topics)))
    weight[0][shared[0]] -= weight[1][shared[1]]
    only_other = np.ones(topic[1].size, dtype=bool)
    only_other[shared[1]] = False
    return np.append(topic[0], topic[1][only_other]), np.append(weight[0], -weight[1][only_other])


def ratio_of(measure: Normalised, topics: Topics, count: np.ndarray) -> Ratio:
    """The quotient of a measure as a function of the gains of `count` unjudged documents of each topic."""
    gains, ideal = topics.possible_gains, in_ideal(measure, topics)
    worth = np.broadcast_to(gains, (topics.count, gains.size, gains.size))
    if measure.SCALES:
        best = np.maximum(topics.best[:, None], gains)[:, :, None]
        worth = measure.worth(np.minimum(worth, best), best)
    longest = int((topics.relevant + count).max(initial=0))
    weights = measure.weigh(np.ones(longest), np.arange(1, longest + 1))
    run = topics.run
    return Ratio(
        worth=worth,
        achieved=at_least(topics, run.topic, run.gain, measure.weigh(np.ones(run.rank.size), run.rank)),
        judged=ideal.astype(np.int64),
        possible=np.append(0.0, np.cumsum(weights)),
        cutoff=topics.cutoff if measure.IDEAL_IS_CUT else None,
        value=measure.values(topics),
    )


def in_ideal(measure: Normalised, topics: Topics) -> np.ndarray:
    """The number of documents of the ideal list that gain at least each possible gain (T × L)."""
    if measure.params.get("ideal") == "retrieved":
        whole = topics.whole_run
        return at_least(topics, whole.topic, whole.gain, np.ones(whole.gain.size))
    levels = topics.ranks.judged.levels
    return at_least(topics, levels.topic, levels.gain(topics.gains), levels.count)


def check_depth(measure: WeightedGains, topics: Topics) -> None:
    """Raise `Undetermined` if the judgments decide how many ranks a mean over ranks has."""
    if measure.averages and topics.cutoff is None:
        raise Undetermined(
            f"{measure}: without a cutoff the judgments decide how many ranks avg=True averages; "
            "add a cutoff, as in @10"
        )
