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
        with np.errstate(all="ignore"):
            return np.where(self.shares < 1, self.shares**2 / (1 - self.shares), np.nan)

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
    def degrees(self) -> float:
        shares = self.shares
        factors = self.factors
        square = float((shares**2).sum())
        diagonal = 1 - 2 * shares + square
        # Σ_tu a_t a_u (b_t + b_u)² with b = ρ/2 − r has the terms of K without [t = u].
        halves = square / 2 - shares
        all_pairs = 2 * factors.sum() * (factors * halves**2).sum()
        all_pairs += 2 * (factors * halves).sum() ** 2
        own = (factors**2 * (diagonal**2 - (2 * halves) ** 2)).sum()
        return float((factors * diagonal).sum() ** 2 / (all_pairs + own))

    def mean(self, values: np.ndarray) -> np.ndarray:
        return weighted_mean(values, self.weights)

    def deviation(self, values: np.ndarray) -> np.ndarray:
        unit = unit_of(values)
        scaled = values / unit
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
