"""The lowest and the highest value over all judgments of the unjudged documents within the cutoff.

The fact `extremes_by` of a measure names the strategy that finds them.
"""

from collections.abc import Sequence

import numpy as np

from ..measures.base import (
    ALL_OR_NONE,
    AT_RELEVANT,
    BY_BEST_GAIN,
    BY_PRECISION,
    BY_RECALL_BASE,
    BY_THRESHOLD,
    IN_ORDER,
    GradedMeasure,
)
from ..measures.gain_sums import GainSum
from ..measures.topics import Topics, ratio
from .judgments import Undetermined, extreme_in_order, filled, levels_of_gains, unjudged_of
from .quotients import QuotientByThreshold, QuotientOfPrecisions
from .stops import SumAtRelevant
from .strategy import Differences, Documents, Strategy, WeightsInDifferences


def extreme(measure: GradedMeasure, topics: Topics, highest: bool) -> np.ndarray:
    """The highest or the lowest value of each topic (T) over all judgments of its unjudged
    documents within the cutoff. Raises `Undetermined` if it is not computed.
    """
    averages = isinstance(measure, GainSum) and measure.averages
    if averages and topics.cutoff is None:
        raise Undetermined(
            f"{measure}: without a cutoff the judgments decide how many ranks avg=True averages; "
            "add a cutoff, as in @10"
        )
    return strategy_of(measure).extreme(topics, highest)


def differences_of(
    measure: GradedMeasure, runs: Sequence[Topics], documents: Documents
) -> Differences | None:
    """The lowest and the highest differences of pairs of runs over all judgments; None if not
    known.
    """
    return strategy_of(measure).differences(runs, documents)


def strategy_of(measure: GradedMeasure) -> Strategy:
    """The strategy that the measure declares by `extremes_by`."""
    return STRATEGIES[measure.extremes_by](measure)


class InOrder(Strategy):
    """For measures that never fall when two documents, at any distance, change places so that the
    better one stands higher.
    """

    def extreme(self, topics: Topics, highest: bool) -> np.ndarray:
        return extreme_in_order(topics, self.measure.values, highest)


class AllOrNone(Strategy):
    """For measures that rise with each gain: all unjudged documents have the highest gain, or none
    gains.
    """

    def extreme(self, topics: Topics, highest: bool) -> np.ndarray:
        if not highest:
            return self._values(topics)
        best_level = levels_of_gains(topics)[-1]
        width = int(unjudged_of(topics).sizes.max(initial=0))
        levels = np.full((topics.count, width), best_level)
        return self._values(filled(topics, np.arange(topics.count), levels))

    def differences(self, runs: Sequence[Topics], documents: Documents) -> Differences | None:
        if not isinstance(self.measure, GainSum):
            return None
        return DifferencesOfSums(self.measure, runs, documents())

    def _values(self, topics: Topics) -> np.ndarray:
        values: np.ndarray = self.measure.values(topics)
        return values


class OverRecallBase(AllOrNone):
    """For sums of gains of 1 over a multiple of k + R, where k is the cutoff and R the number of
    relevant documents. They rise if an unjudged document becomes relevant.
    """

    def differences(self, runs: Sequence[Topics], documents: Documents) -> Differences | None:
        return DifferencesOverRecallBase(self.measure, runs, documents())


class MeanOverBestGain(Strategy):
    """For a mean of gains over the highest gain of the topic, which an unjudged document may have.

    If t is the highest gain of an unjudged document, all get t for the highest value and one for
    the lowest.
    """

    def extreme(self, topics: Topics, highest: bool) -> np.ndarray:
        t = topics.possible_gains[:, None]
        unjudged = unjudged_of(topics).sizes
        get_t = unjudged if highest else np.minimum(unjudged, 1)
        best_with_t = np.maximum(topics.best, t)
        best = np.where(unjudged > 0, best_with_t, topics.best)
        ranks = topics.cutoff or topics.retrieved
        total = topics.run.total + t * get_t
        with_t = ratio(total, best * ranks)
        values = np.vstack([self.measure.values(topics), with_t])
        if highest:
            return np.max(values, axis=0)
        return np.min(values, axis=0)


class DifferencesOfSums:
    """The differences of sums of weighted gains: a document adds its weight in the difference."""

    def __init__(
        self, measure: GainSum, runs: Sequence[Topics], documents: Sequence[np.ndarray]
    ) -> None:
        self.weights = WeightsInDifferences(measure, runs, documents)
        self.value = np.stack([measure.values(topics) for topics in runs])
        self.best_gain = runs[0].possible_gains.max(initial=0)

    def exact(self, pairs: np.ndarray) -> np.ndarray:
        amounts = self._amounts(pairs)
        difference = self._difference(pairs)
        lowest = difference + np.minimum(amounts, 0).sum(axis=2)
        highest = difference + np.maximum(amounts, 0).sum(axis=2)
        return np.stack([lowest, highest])

    def lowest_bracketed(self, pairs: np.ndarray) -> np.ndarray:
        amounts = self._amounts(pairs)
        lowest = self._difference(pairs) + np.minimum(amounts, 0).sum(axis=2)
        return np.stack([lowest, lowest])

    def _amounts(self, pairs: np.ndarray) -> np.ndarray:
        """What each unjudged document adds if it has the highest gain."""
        amounts: np.ndarray = self.best_gain * np.nan_to_num(self.weights.of(pairs))
        return amounts

    def _difference(self, pairs: np.ndarray) -> np.ndarray:
        first, second = pairs.T
        return self.value[first] - self.value[second]


class DifferencesOverRecallBase:
    """The differences of sums of gains of 1 over a multiple of k + R, where k is the cutoff and R
    the number of relevant documents.

    If m unjudged documents are relevant, they are those with the m largest weights for the highest
    difference, and those with the m smallest weights for the lowest one.
    """

    def __init__(
        self, measure: GainSum, runs: Sequence[Topics], documents: Sequence[np.ndarray]
    ) -> None:
        self.weights = WeightsInDifferences(measure, runs, documents)
        self.value = np.stack([measure.values(topics) for topics in runs])
        topics = runs[0]
        self.divisor = topics.relevant + (topics.cutoff or 0)
        self.can_be_relevant = topics.possible_gains.size > 0

    def exact(self, pairs: np.ndarray) -> np.ndarray:
        first, second = pairs.T
        difference = self.value[first] - self.value[second]
        if not self.can_be_relevant:
            return np.stack([difference, difference])
        weights = self.weights.of(pairs)
        smallest_first = np.sort(weights, axis=2)  # NaN comes last
        largest_first = -np.sort(-weights, axis=2)
        by_number_from_lowest = self._with_first_relevant(difference, smallest_first)
        by_number_from_highest = self._with_first_relevant(difference, largest_first)
        lowest = np.nanmin(by_number_from_lowest, axis=2)
        highest = np.nanmax(by_number_from_highest, axis=2)
        return np.stack([lowest, highest])

    def lowest_bracketed(self, pairs: np.ndarray) -> np.ndarray:
        lowest, _ = self.exact(pairs)
        return np.stack([lowest, lowest])

    def _with_first_relevant(self, difference: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The differences if the first 0, 1, 2, … unjudged documents are relevant, NaN if there
        are fewer.

        `difference` (P × T) is that of the judged documents, and `weights` (P × T × U) are those
        of the unjudged ones.
        """
        of_judged = difference[:, :, None]
        sums = np.cumsum(np.append(of_judged, weights, axis=2), axis=2)
        numbers = np.arange(sums.shape[2])
        divisor = self.divisor[:, None]
        return sums * (divisor / (divisor + numbers))


STRATEGIES: dict[str, type[Strategy]] = {
    IN_ORDER: InOrder,
    ALL_OR_NONE: AllOrNone,
    BY_THRESHOLD: QuotientByThreshold,
    BY_PRECISION: QuotientOfPrecisions,
    BY_BEST_GAIN: MeanOverBestGain,
    AT_RELEVANT: SumAtRelevant,
    BY_RECALL_BASE: OverRecallBase,
}
"""The strategy for each value of `extremes_by`."""
