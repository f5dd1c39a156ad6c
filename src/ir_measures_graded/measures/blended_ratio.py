"""The blended ratio: precision blended with normalised cumulated gain.

T. Sakai: New performance metrics based on multigrade relevance. NTCIR-4, 2004.
"""

from __future__ import annotations

import numpy as np

from .at_relevant import AtRelevant
from .parameters import Real
from .topics import Topics

BETA = Real(default=1, at_least=0, desc="weight β of the gains against the counts")


class BlendedRatio(AtRelevant):
    """A measure of blended ratios: BR(i) = (C[i] + β CG[i]) / (i + β CG_I[i]) at relevant documents.

    C[i] is the number of relevant documents in the first i. With β = 0 it is the precision C[i] / i.
    """

    PARAMETERS = {"beta": BETA}

    @property
    def beta(self) -> float:
        """The weight β."""
        return float(self["beta"])

    def achieved(self, number: np.ndarray, gain: np.ndarray) -> np.ndarray:
        return number + self.beta * gain

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        ideal = topics.whole_ideal
        return rank + self.beta * ideal.value_at(rank, topic, ideal.cumulated)
