"""Sums of gains, each divided by the discount of its rank, and their shares of an ideal list."""

from typing import ClassVar

import numpy as np

from ...errors import GradedError, shown
from .base import BY_THRESHOLD
from .sums import SumOverRanks
from .topics import GainList, Topics, share


class GainSum(SumOverRanks):
    """A sum of gains, each with a factor or a divisor that depends on its rank.

    `amounts` calls these methods in this order. Those with a star may be overridden.

    1. `scale_gain` (*), if `SCALES`: the scaled gain, given the highest gain of the topic, which
       is `best` (*). Only measures divided by an ideal list may scale.
    2. `discounted`: the list with `gain · factor(rank) / discount(rank)`. Override `discount` (*)
       or `factor` (*).

    `rank_weights` has factor over discount at each rank, for analyses.
    """

    LIMIT = np.inf
    LINEAR = True
    RISES = True
    SCALES: ClassVar[bool] = False

    def discount(self, rank: np.ndarray) -> np.ndarray | float:
        """The divisor of a gain at each rank."""
        return 1.0

    def factor(self, rank: np.ndarray) -> np.ndarray | float:
        """The factor of a gain at each rank."""
        return 1.0

    def scale_gain(self, gain: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The scaled gain if `best` is the highest gain of the topic's recall base. It is 0 for the
        gain 0 and never falls as the gain grows. Only measures with `SCALES` use it.
        """
        return gain

    def best(self, topics: Topics) -> np.ndarray:
        """The highest gain of each topic (T), which `scale_gain` receives."""
        return topics.best

    def amounts(self, topics: Topics) -> GainList:
        return self.discounted(self.with_scaled_gains(topics.run, topics))

    def with_scaled_gains(self, gains: GainList, topics: Topics) -> GainList:
        """A list with the scaled gains if the measure scales them."""
        if not self.SCALES:
            return gains
        best = self.best(topics)[gains.topic]
        return gains.with_gain(self.scale_gain(gains.gain, best))

    def discounted(self, gains: GainList) -> GainList:
        """A list with the amount that each gain adds."""
        rank = gains.rank
        return gains.with_gain(gains.gain * self.factor(rank) / self.discount(rank))

    def weights_at(self, rank: np.ndarray) -> np.ndarray:
        """The amount that a gain of 1 adds at each rank."""
        return np.broadcast_to(self.factor(rank) / self.discount(rank), rank.shape)

    def rank_weights(self, depth: int) -> np.ndarray:
        """The amount that a gain of 1 adds at the ranks 1 … `depth`. Raises `GradedError` unless
        `depth` is a whole number.

        >>> from ir_measures_graded import DCG_JK
        >>> DCG_JK.rank_weights(4).round(2)
        array([1.  , 1.  , 0.63, 0.5 ])
        """
        if not isinstance(depth, (int, np.integer)) or isinstance(depth, bool):
            raise GradedError(f"depth={shown(depth)} is not allowed; depth is a whole number ≥ 0")
        return self.weights_at(np.arange(1, depth + 1))

    @property
    def averages(self) -> bool:
        """Whether the value is a mean over ranks, as in `averaged`."""
        return False


class NormalisedGainSum(GainSum):
    """A sum of gains, divided by the same sum over the ideal list, which ends at the cutoff if
    `IDEAL_IS_CUT`.

    After `amounts`, `total_of` and `curve_of` call `ideal` (*) and scale and discount its gains
    alike. Declare `ideal_documents` if you override `ideal`.
    """

    IDEAL_IS_CUT: ClassVar[bool] = True
    RISES = False

    @property
    def ideal_documents(self) -> str:
        """The documents of the ideal list. Declare it if you override `ideal`."""
        return "judged"

    @property
    def scales_by_topic(self) -> bool:
        """Whether `scale_gain` depends on the highest gain of the topic."""
        return self.SCALES

    @property
    def extremes_by(self) -> str:
        if self.averages:
            return super().extremes_by
        return BY_THRESHOLD

    def refusal(self) -> str:
        if self.option("unjudged") and not self.ideal_documents:
            return "unjudged needs an ideal list of known documents; declare ideal_documents"
        return super().refusal()

    def ideal(self, topics: Topics) -> GainList:
        """The gains of the ideal list."""
        return topics.ideal if self.IDEAL_IS_CUT else topics.whole_ideal

    def ideal_amounts(self, topics: Topics) -> GainList:
        """The amounts of the ideal list."""
        return self.discounted(self.with_scaled_gains(self.ideal(topics), topics))

    def total_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        return share(amounts.total, self.ideal_amounts(topics).total)

    def curve_of(self, amounts: GainList, topics: Topics, depth: int) -> np.ndarray:
        achieved = amounts.vector(amounts.gain, depth)
        return share(achieved, self.ideal_vector(topics, depth))

    def ideal_vector(self, topics: Topics, depth: int) -> np.ndarray:
        """The running sum over the ideal list (T × depth); its total at each rank if it is not
        cut.
        """
        ideal = self.ideal_amounts(topics)
        if self.IDEAL_IS_CUT:
            return ideal.vector(ideal.gain, depth)
        return np.repeat(ideal.total[:, None], depth, axis=1)

    def vectors(self, topics: Topics, depth: int) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of the run and of the ideal list (T × depth each)."""
        amounts = self.amounts(topics)
        return amounts.vector(amounts.gain, depth), self.ideal_vector(topics, depth)
