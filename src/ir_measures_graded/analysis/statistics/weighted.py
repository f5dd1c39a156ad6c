"""The mean of a sample of topics and its standard error, with or without weights of topics.

The topics are a sample that was drawn evenly; a weight is what a topic stands for. With weights w,
values v and n topics of positive weight,

    r = w / Σ w        m = Σ r v        e = v − m        n_eff = 1 / Σ r²
    se² = Σ r² e² / (1 − r)

is the weighted mean with the heteroscedasticity-consistent error HC2. Its degrees of freedom are
Satterthwaite's, with a = r² / (1 − r), ρ = Σ r² and K_tu = [t = u] − r_t − r_u + ρ:

    df = (Σ a (1 − 2r + ρ))² / Σ_tu a_t a_u K_tu²

With equal weights, both are those of Student's t: n − 1 degrees of freedom and se = s / √n.

R. M. Bell, D. F. McCaffrey: Bias reduction in standard errors for linear regression with
multi-stage samples. Survey Methodology 28, 2002. J. G. MacKinnon, H. White: Some
heteroskedasticity-consistent covariance matrix estimators. Journal of Econometrics 29, 1985.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.by_topic import mean_over_topics
from ...evaluation.counting import effective_size, weighted_mean
from .precision import deviation_of, unit_of


@dataclass(frozen=True)
class Sample:
    """`count` topics that count alike.

    Values are arrays (… × topics). `size` is the number of topics of equal weight whose mean is as
    exact, `degrees` are those of Student's t.
    """

    count: int

    @property
    def size(self) -> float:
        return self.count

    @property
    def degrees(self) -> float:
        return self.count - 1

    @property
    def shares(self) -> np.ndarray:
        """The share of each topic in the mean."""
        return np.full(self.count, 1 / self.count)

    @property
    def factors(self) -> np.ndarray:
        """The factor of each squared deviation in the squared error; NaN for a single topic."""
        shares = self.shares
        with np.errstate(all="ignore"):
            return np.where(shares < 1, shares**2 / (1 - shares), np.nan)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """The mean over the topics."""
        return mean_over_topics(values)

    def deviation(self, values: np.ndarray) -> np.ndarray:
        """The standard error of the mean times √`size`, the standard deviation of equal weights."""
        return deviation_of(values)

    def error(self, values: np.ndarray) -> np.ndarray:
        """The standard error of the mean."""
        return np.asarray(self.deviation(values) / self.size**0.5)

    def with_two_more(self) -> Sample:
        """The sample with two more topics, each with the mean weight of the others."""
        return Sample(self.count + 2)


@dataclass(frozen=True, eq=False)
class WeightedSample(Sample):
    """Topics with positive `weights`.

    >>> sample = WeightedSample(4, np.array([1.0, 1.0, 1.0, 1.0]))
    >>> float(sample.size), round(sample.degrees, 12)
    (4.0, 3.0)
    >>> sample = WeightedSample(3, np.array([2.0, 1.0, 1.0]))
    >>> values = np.array([1.0, 0.0, 0.0])
    >>> float(sample.mean(values)), round(float(sample.error(values)), 4), round(sample.degrees, 2)
    (0.5, 0.4082, 1.6)
    """

    weights: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        return self.weights / self.weights.sum()

    @property
    def size(self) -> float:
        return effective_size(self.weights)

    @cached_property
    def largest(self) -> int:
        """The number of the topic with the largest weight."""
        return int(np.argmax(self.weights))

    @cached_property
    def complements(self) -> np.ndarray:
        """The share of all other topics in the mean.

        1 − r of a share near 1 would have lost its digits, so the other weights are added there.
        """
        complements = 1 - self.shares
        others = np.delete(self.weights, self.largest)
        complements[self.largest] = others.sum() / self.weights.sum()
        return complements

    @property
    def factors(self) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.where(self.complements > 0, self.shares**2 / self.complements, np.nan)

    @cached_property
    def degrees(self) -> float:
        # The terms of the topic with the largest weight stand apart, without 1 − r and 1 − ρ, which
        # lose their digits where it dominates.
        share = self.shares[self.largest]
        complement = self.complements[self.largest]
        factor = self.factors[self.largest]
        shares = np.delete(self.shares, self.largest)
        factors = np.delete(self.factors, self.largest)
        square_of_others = float((shares**2).sum())
        square = share**2 + square_of_others
        own_of_largest = factor * (complement**2 + square_of_others)
        own = factors * (1 - 2 * shares + square)
        with_largest = square_of_others - share * complement - shares
        # Σ_tu a_t a_u (b_t + b_u)² with b = ρ/2 − r has the terms of K without [t = u].
        halves = square / 2 - shares
        of_others = 2 * factors.sum() * (factors * halves**2).sum()
        of_others += 2 * (factors * halves).sum() ** 2
        of_others += (own**2 - (factors * 2 * halves) ** 2).sum()
        of_largest = own_of_largest**2 + 2 * factor * (factors * with_largest**2).sum()
        return float((own_of_largest + own.sum()) ** 2 / (of_largest + of_others))

    def mean(self, values: np.ndarray) -> np.ndarray:
        return weighted_mean(values, self.weights)

    def deviation(self, values: np.ndarray) -> np.ndarray:
        unit = unit_of(values)
        scaled = values / unit
        # From the value that may dominate the mean, so that its own deviation keeps its digits.
        scaled = scaled - scaled[..., self.largest, None]
        deviations = scaled - self.mean(scaled)[..., None]
        error = ((self.factors * deviations**2).sum(axis=-1)) ** 0.5
        return np.asarray(unit[..., 0] * error * self.size**0.5)

    def with_two_more(self) -> WeightedSample:
        mean_weight = self.weights.mean()
        weights = np.append(self.weights, [mean_weight, mean_weight])
        return WeightedSample(self.count + 2, weights)


def sample_of(count: int, weights: np.ndarray | None = None) -> Sample:
    """The sample of so many topics, which count alike without `weights`."""
    if weights is None:
        return Sample(count)
    return WeightedSample(count, weights)
