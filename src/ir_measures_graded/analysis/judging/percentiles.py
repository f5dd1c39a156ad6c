"""Statistics of a sample of topics, with their percentiles over resamples of the topics."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np

from ...output.formats import with_minus

RESAMPLES: Final = 1000


class Sampling(NamedTuple):
    """The number of resamples of the topics, the level of the intervals over them, and the seed."""

    resamples: int
    confidence: float
    seed: int


class Statistic(NamedTuple):
    """A statistic and the ends of its interval: percentiles over resampled topics, of a bias those
    of Student's t. Each is None where it is undefined."""

    value: float | None
    lower: float | None
    upper: float | None

    @classmethod
    def of(cls, values: np.ndarray, confidence: float) -> Statistic:
        """From the value of the sample and those of its resamples."""
        value = values[0]
        if np.isnan(value):
            return cls(None, None, None)
        resampled = values[1:]
        resampled = resampled[~np.isnan(resampled)]
        if not resampled.size:
            return cls(float(value), None, None)
        ends = ((1 - confidence) / 2, (1 + confidence) / 2)
        lower, upper = np.quantile(resampled, ends).tolist()
        return cls(float(value), lower, upper)

    @property
    def interval(self) -> str:
        """The percentiles as text; empty if there are none."""
        if self.lower is None or self.upper is None:
            return ""
        return f"{two_decimals(self.lower)} to {two_decimals(self.upper)}"

    def in_sentence(self) -> str:
        """The value and the percentiles without zeros before the point."""
        return re.sub(r"\b0\.", ".", str(self))

    def __str__(self) -> str:
        value = "" if self.value is None else two_decimals(self.value)
        return f"{value} ({self.interval})" if self.interval else value


def two_decimals(number: float) -> str:
    """A number with two decimals, as people read it.

    >>> two_decimals(-0.125), two_decimals(0.5)
    ('−0.12', '0.50')
    """
    return with_minus(f"{number:.2f}")
