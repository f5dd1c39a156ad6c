"""The extremes of a quotient of weighted gains over all judgments of unjudged documents.

The gain of an unjudged document enters both sums. Therefore the customary bounds (all unjudged documents
irrelevant, all highly relevant) are wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .judgments import blocks_of


@dataclass(frozen=True)
class Ratio:
    """A quotient of sums of weighted worths, `Σ_h Δ_h·achieved_h / Σ_h Δ_h·W(min(k, judged_h))`.

    T topics, L possible gains in ascending order, and one case for each gain as the highest gain of a hole:

    - `worth` (T × L × L): the worth of each gain in each case; Δ_h is the difference from the gain below.
    - `achieved` (T × L): the weights of the run's judged documents that gain at least h, summed.
    - `judged` (T × L): the documents of the ideal list that gain at least h.
    - `possible`: W(0), W(1), …, the sums of the weights of the first ranks of the ideal list.
    - `cutoff`: k, or None.
    - `value` (T): the quotient itself, if no hole gains anything.
    """

    worth: np.ndarray
    achieved: np.ndarray
    judged: np.ndarray
    possible: np.ndarray
    cutoff: int | None
    value: np.ndarray

    def extreme(self, weights: np.ndarray, count: np.ndarray, highest: bool) -> np.ndarray:
        """The highest or lowest quotient of each topic (T) over all judgments of its holes.

        `weights` (T × U) are the weights of the holes in the run, of which each topic has `count`. The
        ideal list grows by a document for each hole that gains something.
        """
        if not highest:
            opposite = replace(self, achieved=-self.achieved, value=-self.value)
            return -opposite.extreme(-weights, count, highest=True)
        ordered = -np.sort(np.where(np.arange(weights.shape[1]) < count[:, None], -weights, np.inf), axis=1)
        ordered[np.isinf(ordered)] = 0.0
        earned = np.concatenate((np.zeros((len(count), 1)), np.cumsum(ordered, axis=1)), axis=1)
        result = self.value.copy()
        levels = self.judged.shape[1]
        if not levels:
            return result
        for topics in blocks_of(np.flatnonzero(count), levels * max(levels, earned.shape[1])):
            result[topics] = self._highest(topics, earned[topics], count[topics])
        return result

    def _highest(self, topics: np.ndarray, earned: np.ndarray, count: np.ndarray) -> np.ndarray:
        # Dinkelbach's method: a quotient N/D is at most λ if and only if N − λ·D is at most 0. The loop
        # finds, from the highest gain to the lowest, how many holes get at least each gain. The best choice
        # for the gains above is a running maximum over these numbers. Each possible highest gain is a
        # separate case, because rounding would lose the differences of low gains beside those of high gains.
        step = np.diff(self.worth[topics], axis=2, prepend=0.0)
        levels, numbers = self.judged.shape[1], np.arange(earned.shape[1])
        limit = min(self.cutoff or self.possible.size, self.possible.size - 1)
        ideal = self.possible[np.minimum(self.judged[topics][:, :, None] + numbers, limit)]
        added = ideal - ideal[:, :, :1]
        numerator = (step * self.achieved[topics][:, None, :]).sum(axis=2)
        denominator = (step * ideal[:, None, :, 0]).sum(axis=2)
        refused = (numbers > count[:, None]) | (numbers == 0)
        best = np.repeat(self.value[topics][:, None], levels, axis=1)
        while True:
            n = d = np.zeros((len(topics), 0, numbers.size))
            surplus = n
            for level in reversed(range(levels)):
                arg = np.maximum.accumulate(surplus, axis=2)
                arg = np.maximum.accumulate(np.where(surplus == arg, numbers, 0), axis=2)
                nothing = np.zeros((len(topics), 1, numbers.size))
                weight = step[:, level:, level, None]
                n = np.concatenate((nothing, np.take_along_axis(n, arg, 2)), axis=1)
                n += weight * earned[:, None]
                d = np.concatenate((nothing, np.take_along_axis(d, arg, 2)), axis=1)
                d += weight * added[:, None, level]
                surplus = np.where(refused[:, None], -np.inf, n - best[:, level:, None] * d)
            arg = np.argmax(surplus, axis=2)[:, :, None]
            n = numerator + np.take_along_axis(n, arg, 2)[:, :, 0]
            d = denominator + np.take_along_axis(d, arg, 2)[:, :, 0]
            better = n / d > best
            if not better.any():
                return best.max(axis=1)
            best[better] = (n / d)[better]
