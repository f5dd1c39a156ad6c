"""The lowest and the highest value over all judgments of the unjudged documents within the cutoff.

Those of most sums over relevant documents are found by dynamic programming. If the number of unjudged
documents at each level is fixed, so is the ideal list, and the sum over the ranks so far depends only on how
many of them each level has so far.
"""

import math
from collections.abc import Callable, Sequence
from functools import singledispatch

import numpy as np

from ..measures import gP
from ..measures.average_precision import ByThreshold
from ..measures.base import GradedMeasure
from ..measures.sums import AtRelevant, Normalised, WeightedGains
from ..measures.topics import Topics, ratio
from . import judgments
from .judgments import Undetermined, extreme_in_order, filled, levels_of_gains, padded, unjudged_of
from .ratio import Achieved, achieved_of, gains_by_case, threshold_ratio, weighted_ratio

OfPairs = Callable[..., np.ndarray]
"""A function of pairs of runs (P × 2). With ``loosely=True``, it takes less time and gives for each of the
two ends a difference that some judgments give and one that none exceeds (2 × 2 × P × T)."""
Documents = Callable[[], Sequence[np.ndarray]]
"""Returns the numbers of the unjudged documents of each run. Equal documents have equal numbers."""


@singledispatch
def extreme(measure: GradedMeasure, topics: Topics, highest: bool) -> np.ndarray:
    """The highest or lowest value of each topic (T) over all judgments of its unjudged documents within the
    cutoff. Each may have gain 0 or the gain of any level of the collection.

    This is the method of measures that rise with each gain, or that never fall when two documents, at any
    distance, change places so that the better one stands higher.
    """
    if not measure.RISES:
        return extreme_in_order(topics, measure.values, highest)
    if not highest:
        return measure.values(topics)
    best = np.full(
        (topics.count, int(unjudged_of(topics).sizes.max(initial=0))), levels_of_gains(topics)[-1]
    )
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
    rows = achieved_of(measure, topics)
    gains = gains_by_case(measure, topics, rows.unjudged, rows.weights.shape[1])
    return weighted_ratio(measure, topics, rows, gains, highest).extreme(rows.unjudged)


@extreme.register
def _(measure: ByThreshold, topics: Topics, highest: bool) -> np.ndarray:
    return np.minimum(
        threshold_ratio(measure, topics, highest).extreme(unjudged_of(topics).sizes), 1.0
    )


@singledispatch
def differences_of(
    measure: GradedMeasure, runs: Sequence[Topics], documents: Documents
) -> OfPairs | None:
    """The lowest and the highest difference of two runs in each topic (2 × P × T), over all judgments of the
    documents that either has unjudged within the cutoff; None if they are not known."""
    return None


@differences_of.register
def _(measure: WeightedGains, runs: Sequence[Topics], documents: Documents) -> OfPairs | None:
    if isinstance(measure, type(gP)) and measure.given_max(runs[0]) is None:
        return None  # the highest gain of the topic depends on the judgments
    weights = _Weights(measure, runs, documents())
    value = np.stack([measure.values(topics) for topics in runs])
    best = runs[0].possible_gains.max(initial=0)

    def ends(pairs: np.ndarray, loosely: bool = False) -> np.ndarray:
        weight = best * np.nan_to_num(weights.of(pairs))
        added = [side(weight, 0).sum(axis=2) for side in (np.minimum, np.maximum)]
        found = value[pairs[:, 0]] - value[pairs[:, 1]] + added
        return np.stack([found, found], axis=1) if loosely else found

    return ends


@differences_of.register
def _(measure: Normalised, runs: Sequence[Topics], documents: Documents) -> OfPairs | None:
    if measure.averages or measure.ideal_documents != "judged":
        return None
    weights, one = _Weights(measure, runs, documents()), runs[0]
    of_runs = [achieved_of(measure, topics) for topics in runs]
    value = np.stack([each.value for each in of_runs])
    by_threshold = np.stack([each.gains for each in of_runs])

    def ends(pairs: np.ndarray, loosely: bool = False) -> np.ndarray:
        weight, (a, b) = weights.of(pairs), pairs.T
        rows = weight.shape[0] * weight.shape[1]
        apart = (value[a] - value[b]).ravel(), (by_threshold[a] - by_threshold[b]).reshape(rows, -1)
        every = np.tile(np.arange(weight.shape[1]), len(pairs))
        achieved = Achieved(every, *apart, weight.reshape(rows, -1))
        unjudged = achieved.unjudged
        count = unjudged.reshape(weight.shape[:2])
        sizes = np.stack((np.count_nonzero(count, axis=1), count.max(axis=1, initial=0)))
        for pair in np.unique(sizes, axis=1, return_index=True)[
            1
        ]:  # each must be within the limit on work
            gains = gains_by_case(measure, one, count[pair], int(sizes[1, pair]))
        ratios = [
            weighted_ratio(measure, one, achieved, gains, highest) for highest in (False, True)
        ]
        if loosely:
            return np.reshape([each.bracket(unjudged) for each in ratios], (2, 2, len(pairs), -1))
        return np.reshape([each.extreme(unjudged) for each in ratios], (2, len(pairs), -1))

    return ends


class _Weights:
    """The weights of the unjudged documents of each run in its value. An ideal list does not divide them."""

    def __init__(
        self, measure: WeightedGains, runs: Sequence[Topics], documents: Sequence[np.ndarray]
    ):
        weights = []
        for topics in runs:
            unjudged = unjudged_of(topics)
            ones = unjudged.with_gain(np.ones(unjudged.rank.size))
            divided = measure.scaled(np.ones(topics.count), topics)[unjudged.topic]
            weights.append(measure.counted(measure.weighed(ones), topics) * divided)
        sizes = np.concatenate([unjudged_of(topics).sizes for topics in runs])
        shape = len(runs), runs[0].count, -1
        self.weight = padded(np.concatenate(weights), sizes, np.nan).reshape(shape)
        self.code = padded(np.concatenate(documents), sizes, -1).reshape(shape)

    def of(self, pairs: np.ndarray) -> np.ndarray:
        """The weights of the documents that either of two runs has unjudged in the value of one run minus
        that of the other (P × T × 2 U), NaN where there is none."""
        a, b = pairs.T
        codes = np.append(self.code[a], self.code[b], axis=2)
        found = np.append(self.weight[a], -self.weight[b], axis=2)
        order = np.argsort(codes, axis=2, kind="stable")
        codes, found = (np.take_along_axis(each, order, axis=2) for each in (codes, found))
        both = (codes[..., 1:] == codes[..., :-1]) & (codes[..., 1:] >= 0)
        found[..., :-1] += np.where(both, found[..., 1:], 0)
        found[..., 1:][both] = np.nan
        return found


@extreme.register
def _(measure: AtRelevant, topics: Topics, highest: bool) -> np.ndarray:
    if not measure.COMPARED:
        return extreme.dispatch(object)(measure, topics, highest)
    result, count = measure.values(topics), unjudged_of(topics).sizes
    levels, judged = levels_of_gains(topics)[1:], topics.judged.tolist()
    kinds = len(levels)
    judgments.refuse_work(
        topics,
        count,
        lambda topic, some: math.comb(some + kinds, kinds) ** 2 * (judged[topic] + some),
    )
    either = np.maximum if highest else np.minimum
    for topic in np.flatnonzero(count).tolist():
        values = _over_judgments(
            measure, topics, topic, int(count[topic]), levels, 1 if highest else -1
        )
        result[topic] = either(result[topic], either.reduce(values))
    return result


def _over_judgments(
    measure: AtRelevant, topics: Topics, topic: int, count: int, levels: np.ndarray, sign: int
) -> np.ndarray:
    """The extreme values of one topic for all numbers of documents that get each level."""
    kind = judgments.kinds_of(judgments.distributions(count, levels.size), count)
    compositions = _Compositions((kind[:, :, None] == np.arange(1, levels.size + 1)).sum(axis=1))
    every = np.arange(len(kind))
    judged = filled(topics, np.full(every.size, topic), np.append(np.nan, levels)[kind])

    run, gain = topics.run, topics.gain_of(levels)
    size, number = compositions.size, compositions.number
    gains = number @ gain
    (u, q), of_run = measure.weights(gain, topics), measure.weights(run.gain, topics)
    weight = np.prod(q**number, axis=1) * sign
    fits = (number <= number[:, None]).all(axis=2)  # total composition × composition so far
    best = np.where(size == 0, 0.0, np.full((every.size, 1), -np.inf))
    entries = {int(run.rank[entry]): entry for entry in range(*run.offsets[topic:][:2])}
    seen, relevant, total = 0, 0, 0.0
    for rank in range(1, int(topics.retrieved[topic]) + 1):
        entry = entries.get(rank)
        if entry is not None and run.gain[entry] > 0:
            relevant, total = relevant + 1, total + run.gain[entry]
        achieved = measure.achieved(relevant + size, total + gains)
        possible = measure.possible(np.full(every.size, rank), every, judged)[:, None]
        quotient = ratio(achieved, possible)
        if entry is None:
            seen += 1
            reachable = fits & (seen >= size) & (seen - size <= (count - size)[:, None])
            best = np.where(reachable, compositions.extended(best, u, weight, quotient), -np.inf)
        elif run.gain[entry] > 0:
            best = best + of_run[0][entry] * weight * quotient
            weight = weight * of_run[1][entry]
    return measure.scaled(np.abs(best[every, every]), judged)


class _Compositions:
    """N compositions of documents of K kinds, the states of dynamic programming.

    For some sums, the best sum over the ranks so far depends only on the composition of their documents.

    `number` (N × K) are the documents of each kind. Among the compositions are all that have fewer documents
    of a kind. `steps` has for each kind the compositions that hold it, and for each of these the composition
    with one document fewer of that kind. `size` (N) is the number of documents of each composition.
    """

    def __init__(self, number: np.ndarray):
        self.number, self.size = number, number.sum(axis=1)
        index = {row.tobytes(): position for position, row in enumerate(number)}
        self.steps = []
        for kind in range(number.shape[1]):
            after = np.flatnonzero(number[:, kind])
            fewer = number[after]
            fewer[:, kind] -= 1
            before = np.array([index[row.tobytes()] for row in fewer], dtype=np.int64)
            self.steps.append((after, before))

    def extended(
        self, best: np.ndarray, stops: np.ndarray, weight: np.ndarray, quotient: np.ndarray
    ) -> np.ndarray:
        """The best sum at each composition (… × N) after one more document, of one of the kinds or of none.

        A document that leads to a composition adds `stops` (K) times the `weight` of the composition before
        it (N) times the `quotient` at this composition (… × N).
        """
        reached = best.copy()
        for (after, before), stop in zip(self.steps, stops, strict=True):
            sums = best[..., before] + stop * weight[before] * quotient[..., after]
            reached[..., after] = np.maximum(reached[..., after], sums)
        return reached
