"""The definitions of ir-measures' standard measures as graded measures, one class for each.

The functions of `standard` find them. Graded measures need none of them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..ranking.gains import EXP, Gains, canonical_gains
from ..ranking.judged import Judged as JudgedQrels
from . import parameters
from .average_precision import _GAP, GAP
from .cascade import iRBU
from .cumulated_gain import _nDCG_Burges, nDCG_Burges
from .gain_sums import GainSum
from .ntcir import O_measure
from .parameters import Choice, Count, Flag, Real
from .rank_biased import RBP_G
from .ratios import _gR, gP, gR
from .standard_measure import Standard, log2
from .stop_sums import AtRelevant
from .sums import SORTED
from .topics import GainList, Topics

CERTAIN = 10**16
"""A gain beside which the 1 of gain / (highest gain + 1) is lost, so that the quotient is 1."""


class _AP(Standard, _GAP):
    """Average precision: The mean of the precisions at the relevant documents.

    :formula: Σ_{i≤k} rel(i) C[i]/i / R
    :undefined: 0 without relevant documents
    :source: trec_eval (map)
    """

    SAME = GAP

    def amounts(self, topics: Topics) -> GainList:
        # These are the amounts of GAP, which has thresholds besides.
        run = topics.run.relevant
        return run.with_gain(run.number / run.rank)


class _P(Standard, GainSum):
    """Precision: The share of the first k ranks that have a relevant document.

    :formula: C[k] / k
    :source: trec_eval (P)
    """

    SAME = gP(max_gain=1)

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        if cutoff is None:
            return topics.retrieved
        return np.multiply.outer(np.ones(topics.count), cutoff)

    def rank_weights(self, depth: int) -> np.ndarray:
        return np.full(depth, 1 / (self["cutoff"] or 1))


class _SetP(_P):
    """Precision of the set: The share of the retrieved documents that are relevant.

    :formula: C[n] / n, n the number of retrieved documents
    :undefined: 0 without retrieved documents
    :source: trec_eval (set_P)
    """

    PARAMETERS = {
        **Standard.PARAMETERS,
        "relative": Flag(default=False, desc="share of the best value"),
    }
    CUTOFF = False
    LINEAR = False

    def refusal(self) -> str:
        if self["relative"]:
            return "relative=True has no options"
        return super().refusal()


class _R(Standard, _gR):
    """Recall: The share of the relevant documents that are in the first k.

    :formula: C[k] / R
    :undefined: 0 without relevant documents
    :source: trec_eval (recall)
    """

    SAME = gR


class _SetR(_R):
    """Recall of the set: The share of the relevant documents that are retrieved.

    :formula: C[n] / R, n the number of retrieved documents
    :undefined: 0 without relevant documents
    :source: trec_eval (set_recall)
    """

    CUTOFF = False


class _Rprec(Standard, AtRelevant):
    """R-precision: The share of the first R ranks that have a relevant document.

    :formula: C[R] / R
    :undefined: 0 without relevant documents
    :source: trec_eval (Rprec)
    """

    CUTOFF = False
    UNJUDGED = False
    NO_UNJUDGED = "its cutoff, the number of relevant documents, moves with the judgments"
    TIES = SORTED

    def same(self, levels: Sequence[float] = ()) -> str:
        if self["judged_only"] or self.option("ties"):
            return ""
        name = "trec_Rprec_mult"  # at 1 time R by default
        return name if self["rel"] == 1 else f"{name}(rel={self['rel']})"

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        return np.where(rank <= topics.relevant[topic], 1.0, 0.0)  # `quality` is 0 beyond rank R

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        return topics.relevant


class _Success(Standard, AtRelevant):
    """Success: 1 if a relevant document is in the first k, else 0.

    :formula: 1 if C[k] > 0, else 0
    :source: trec_eval (success)
    """

    RECALL_BASE = False
    TIES = SORTED
    COMPARED = False
    RISES = True
    # The user of iRBU stops at a relevant document with certainty, and p = 1 takes the rank away.
    SAME = iRBU(p=1)
    SAME_GAIN = CERTAIN

    def goes_on(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        return 0.0


class _RR(_Success):
    """Reciprocal rank: The reciprocal of the rank of the first relevant document.

    :formula: 1/i at the first relevant rank i ≤ k
    :undefined: 0 if no relevant document is retrieved
    :source: trec_eval (recip_rank); with a cutoff, the evaluation of MS MARCO
    """

    SAME = O_measure(beta=0)
    SAME_GAIN = 1

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        return rank

    @property
    def ascends(self) -> bool:
        return self["cutoff"] is not None and not self["judged_only"]


class _Judged(Standard, GainSum):
    """Judged: The share of the first k documents that are judged.

    :formula: judged documents in the first k / documents in the first k
    :undefined: 0 without retrieved documents
    :source: ir-measures
    """

    UNJUDGED = False
    NO_UNJUDGED = "a document counts for being judged, whatever its level"
    LINEAR = False
    weighting = -math.inf  # every level is at least this, so every judged document gains 1

    def has_relevant(self, judged: JudgedQrels) -> np.ndarray:
        """True for all topics: relevance does not count."""
        return np.ones(len(judged.topics), dtype=bool)

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        if cutoff is None:
            return topics.retrieved
        return np.minimum.outer(topics.retrieved, cutoff)

    @property
    def ascends(self) -> bool:
        return True


class _Weighting(parameters.Gains):
    """Gains by level as ir-measures takes them. A negative gain counts as 0."""

    def canonical(self, value: Any) -> Any:
        without_negative_gains(value)  # refuses what is no weighting
        return dict(value)


def without_negative_gains(gains: Mapping[Any, Any]) -> Gains:
    """The canonical form of gains by level in which negative gains are 0."""
    return canonical_gains({level: max(gain, 0) for level, gain in gains.items()})


class _nDCG(Standard, _nDCG_Burges):
    """Normalised discounted cumulated gain: Discounted cumulated gain, in which the gain at rank i
    is divided by log2(i + 1), as a share of that of the ideal list.

    :formula: Σ_{i≤k} G[i] / log2(i + 1), divided by the same sum over the ideal list
    :undefined: 0 without relevant documents
    :source: Järvelin & Kekäläinen 2002, with the discount of trec_eval (ndcg)
    """

    PARAMETERS = {
        "dcg": Choice("log2", "exp-log2", default="log2", desc="gain: the level, or 2^level − 1"),
        "gains": _Weighting(default=None),
    }
    SAME = nDCG_Burges

    @property
    def weighting(self) -> Gains:
        if self["dcg"] == "exp-log2":
            return EXP
        return without_negative_gains(self["gains"] or {})

    def refusal(self) -> str:
        if self["dcg"] == "exp-log2" and self["gains"]:
            return "dcg='exp-log2' takes no gains"
        return super().refusal()

    def discount(self, rank: np.ndarray) -> np.ndarray:
        return log2(rank + 1)


class _RBP(Standard, GainSum):
    """Rank-biased precision: The expected share of relevant documents for a user who reads on with
    probability p.

    :formula: (1 − p) Σ_{i≤k} p^{i−1} rel(i)
    :source: Moffat & Zobel 2008
    """

    PARAMETERS = {
        "rel": Count(default=None, desc="least level of a relevant document"),
        "p": Real(default=0.8, above=0, below=1, desc="persistence: the probability of reading on"),
    }
    RECALL_BASE = False
    SAME = RBP_G(max_gain=1)

    def refusal(self) -> str:
        if not self["rel"]:
            return "rel is required; RBP_G takes gains"
        return super().refusal()

    def factor(self, rank: np.ndarray) -> np.ndarray:
        return (1 - self["p"]) * self["p"] ** (rank - 1.0)


DEFINITIONS: dict[str, type[Standard]] = {
    standard.OF: standard
    for standard in (_AP, _Judged, _nDCG, _P, _R, _RBP, _Rprec, _RR, _SetP, _SetR, _Success)
}
