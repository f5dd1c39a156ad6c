"""Capped recall and F1: the relevant documents in the first k, from a least relevant level on.

N. Thakur, N. Reimers, A. Rücklé, A. Srivastava, I. Gurevych: BEIR: a heterogeneous benchmark for
zero-shot evaluation of information retrieval models. NeurIPS Datasets and Benchmarks 2021. C. J.
van Rijsbergen: Information retrieval, 2nd edition. Butterworths, 1979.
"""

import numpy as np

from ..ranking.gains import Gains
from .base import BY_RECALL_BASE, GradedMeasure
from .gain_sums import GainSum, NormalisedGainSum
from .parameters import Count
from .topics import Topics

REL = Count(default=1, desc="least level of a relevant document")


class BinaryMeasure(GradedMeasure):
    """A measure with the parameter `rel` in place of gains: a document gains 1 if its level is at
    least `rel`, else 0. It needs a cutoff.
    """

    PARAMETERS = {"rel": REL}
    HAS_GAINS = False
    CUTOFF_REQUIRED = True

    @property
    def weighting(self) -> Gains:
        return int(self["rel"])


class _R_cap(BinaryMeasure, NormalisedGainSum):
    r"""Capped recall: The share of the relevant documents that fit into the first k which are
    there.

    :formula: C[k] / min(R, k), R and C[k] with relevance "level ≥ rel"
    :tex: \mathrm{R_{cap}}[k] = \frac{C[k]}{\min(R, k)}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Thakur, Reimers, Rücklé, Srivastava & Gurevych 2021

    With more than k relevant documents, a perfect list has the recall k / R, but a capped recall of
    1. The cutoff k is not reduced for short lists. Capped recall is `nCG` in which each relevant
    document gains 1, so `nCG` is graded capped recall.

    >>> qrels = {"q": {"a": 2, "b": 1, "c": 0, "d": 1}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("axbc")}}
    >>> [round((R_cap @ k).calc_aggregate(qrels, run), 3) for k in (1, 2, 3, 5)]
    [1.0, 0.5, 0.667, 0.667]
    """


class _F1(BinaryMeasure, GainSum):
    r"""F1: The harmonic mean of precision and recall in the first k.

    :formula: 2 C[k] / (k + R), R and C[k] with relevance "level ≥ rel"
    :tex: F_1 = \frac{2\,C[k]}{k + R}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: van Rijsbergen 1979

    F1 is the harmonic mean of `P(rel)@k` and `R(rel)@k` of each topic. The mean over the topics is
    not the harmonic mean of mean precision and mean recall. The cutoff k is not reduced for short
    lists. The F1 of the whole list is ir-measures' `SetF`.

    >>> qrels = {"q": {"a": 2, "b": 1, "c": 0, "d": 1}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("axbc")}}
    >>> [round((F1 @ k).calc_aggregate(qrels, run), 3) for k in (1, 2, 3, 5)]
    [0.5, 0.4, 0.667, 0.5]
    """

    RISES = True
    LINEAR = False
    LIMIT = 1.0

    @property
    def extremes_by(self) -> str:
        return BY_RECALL_BASE

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        if cutoff is None:
            return (topics.relevant + topics.retrieved) / 2
        return np.add.outer(topics.relevant, cutoff) / 2


R_cap = _R_cap()
F1 = _F1()
MEASURES = (R_cap, F1)
