"""What every way to find extremes over judgments offers, and the differences of two runs that it
may know.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..measures.gain_sums import GainSum
from ..measures.topics import Topics
from .judgments import padded, unjudged_of

Documents = Callable[[], Sequence[np.ndarray]]
"""Returns the numbers of the unjudged documents of each run. Equal documents have equal numbers."""


class Differences(Protocol):
    """The extreme differences of pairs of runs in each topic, over all judgments of the documents
    that either run has unjudged within the cutoff. `pairs` are the numbers of two runs (P × 2).
    """

    def exact(self, pairs: np.ndarray) -> np.ndarray:
        """The lowest and the highest difference (2 × P × T)."""

    def lowest_bracketed(self, pairs: np.ndarray) -> np.ndarray:
        """A difference that some judgments give and one below which none falls (2 × P × T).

        The lowest difference is between them. This takes less time than `exact`.
        """


@dataclass(frozen=True)
class Strategy:
    """A way to find the extremes of a measure over all judgments of the unjudged documents within
    the cutoff.

    Each of these documents may have gain 0 or the gain of any level of the collection.
    """

    measure: Any

    def extreme(self, topics: Topics, highest: bool) -> np.ndarray:
        """The highest or the lowest value of each topic (T)."""
        raise NotImplementedError

    def differences(self, runs: Sequence[Topics], documents: Documents) -> Differences | None:
        """The differences of these runs; None if they are not known."""
        return None


class WeightsInDifferences:
    """The weights of the unjudged documents of some runs in the difference of two of them.

    An ideal list does not divide the weights.
    """

    def __init__(
        self, measure: GainSum, runs: Sequence[Topics], documents: Sequence[np.ndarray]
    ) -> None:
        weights = np.concatenate([_weights_of_unjudged(measure, topics) for topics in runs])
        sizes = np.concatenate([unjudged_of(topics).sizes for topics in runs])
        shape = len(runs), runs[0].count, -1
        self.weight = padded(weights, sizes, np.nan).reshape(shape)
        self.code = padded(np.concatenate(documents), sizes, -1).reshape(shape)

    def of(self, pairs: np.ndarray) -> np.ndarray:
        """The weights of the documents that either of two runs has unjudged in the value of one run
        minus that of the other (P × T × 2 U), NaN where there is none.
        """
        first, second = pairs.T
        codes = np.append(self.code[first], self.code[second], axis=2)
        weight_in_second = -self.weight[second]
        weights = np.append(self.weight[first], weight_in_second, axis=2)
        # A sort of keys, each with a code above and its place below, is faster than one of places.
        width = codes.shape[2]
        bits = width.bit_length()
        keys = (codes << bits) | np.arange(width)
        keys.sort(axis=2)
        codes = keys >> bits
        weights = np.take_along_axis(weights, keys & ((1 << bits) - 1), axis=2)

        # A document of both runs has two neighbouring entries. The first gets the sum of the
        # weights.
        code_of_next = codes[..., 1:]
        in_both = (codes[..., :-1] == code_of_next) & (code_of_next >= 0)
        weight_of_next = weights[..., 1:]
        weights[..., :-1] += np.where(in_both, weight_of_next, 0)
        weight_of_next[in_both] = np.nan
        return weights


def _weights_of_unjudged(measure: GainSum, topics: Topics) -> np.ndarray:
    """The weight of each unjudged document of a run in its value."""
    unjudged = unjudged_of(topics)
    ones = unjudged.with_gain(np.ones(unjudged.rank.size))
    counted = measure.counted(measure.discounted(ones), topics)
    share_of_sum = measure.over_divisor(np.ones(topics.count), topics, topics.cutoff)
    return counted * share_of_sum[unjudged.topic]
