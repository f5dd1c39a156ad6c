"""Cumulated gain: Järvelin & Kekäläinen 2002, Burges et al. 2005, and Scheel et al. 2011.

Each measure weights the gain at a rank and sums the result down to the cutoff; the normalised
measures divide by the same sum over the ideal list.

K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. ACM Transactions on
Information Systems 20(4), 2002. C. Burges et al.: Learning to rank using gradient descent. ICML
2005. C. Scheel, A. Lommatzsch, S. Albayrak: Performance measures for multi-graded relevance. SPIM
2011.
"""

import numpy as np

from ..ranking.gains import power_minus_1
from .averaged import AVG, AveragedGainSum, AveragedNormalisedGainSum
from .base import MaxGainMeasure
from .gain_sums import GainSum, NormalisedGainSum
from .parameters import TOPICS_BEST, Real
from .topics import ratio

BASE = Real(
    default=2, above=1, desc="base of the logarithm; gains at ranks below it are not discounted"
)


class _CG(AveragedGainSum):
    r"""Cumulated gain: The gain that the user has accumulated at rank k.

    :formula: CG[k] = Σ_{i≤k} G[i]; with avg, (1/k) Σ_{i≤k} CG[i]
    :tex: \mathrm{CG}[k] = \sum_{i=1}^{k} G[i]
    :range: [0, ∞)
    :undefined: 0 without relevant documents
    :source: Järvelin & Kekäläinen 2002, Eq. 1 and 6

    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> CG.calc_aggregate(qrels, {"q": {"a": 9.0, "b": 8.0, "c": 7.0}})
    8.0
    >>> (CG @ 2).calc_aggregate(qrels, {"q": {"a": 9.0, "b": 8.0, "c": 7.0}})
    5.0
    """


class _DCG_JK(AveragedGainSum):
    r"""Discounted cumulated gain (Järvelin & Kekäläinen): Cumulated gain in which gains from rank b
    on are divided by the logarithm of the rank.

    :formula: DCG[k] = Σ_{i≤k} G[i] / d(i), d(i) = 1 for i < b, log_b(i) for i ≥ b; with avg,
        (1/k) Σ_{i≤k} DCG[i]
    :tex: \mathrm{DCG}[k] &= \sum_{i=1}^{k} \frac{G[i]}{d(i)} \\ d(i) &= \begin{cases} 1 & i < b \\
        \log_b i & i \ge b \end{cases}
    :range: [0, ∞)
    :undefined: 0 without relevant documents
    :source: Järvelin & Kekäläinen 2002, Eq. 2 and 6

    With b = 2 the gains at ranks 1 and 2 are not discounted. trec_eval, ranx and scikit-learn
    divide by log2(i + 1) instead, which is 1.58 at rank 2.

    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> round(DCG_JK.calc_aggregate(qrels, {"q": {"a": 9.0, "b": 8.0, "c": 7.0}}), 2)
    6.89
    """

    PARAMETERS = {"b": BASE, "avg": AVG}

    def discount(self, rank: np.ndarray) -> np.ndarray:
        b = self["b"]
        return np.where(rank < b, 1.0, np.log(rank) / np.log(b))


class _nCG(_CG, AveragedNormalisedGainSum):
    r"""Normalised cumulated gain: Cumulated gain as a share of that of the ideal list.

    :formula: nCG[k] = CG[k] / CG_I[k], I the gains of all judged documents, descending; with
        avg, (1/k) Σ_{i≤k} nCG[i]
    :tex: \mathrm{nCG}[k] = \frac{\mathrm{CG}[k]}{\mathrm{CG}_I[k]}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Järvelin & Kekäläinen 2002, Eq. 5 and 6

    With a gain of 1 for each relevant document it is capped recall, the measure `R_cap`.

    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> round((nCG @ 2).calc_aggregate(qrels, {"q": {"a": 9.0, "b": 8.0, "c": 7.0}}), 2)
    0.83
    """


class _nDCG_JK(_DCG_JK, AveragedNormalisedGainSum):
    r"""Normalised discounted cumulated gain (Järvelin & Kekäläinen): Discounted cumulated gain, in
    which gains from rank b on are divided by the logarithm of the rank, as a share of that of the
    ideal list.

    :formula: nDCG[k] = DCG[k] / DCG_I[k], I the gains of all judged documents, descending; with
        avg, (1/k) Σ_{i≤k} nDCG[i]
    :tex: \mathrm{nDCG}[k] = \frac{\mathrm{DCG}[k]}{\mathrm{DCG}_I[k]}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Järvelin & Kekäläinen 2002, Eq. 5 and 6

    The paper's Table II tests this measure with avg=True, which Zhou & Yao 2010 call ndcg. The nDCG
    of trec_eval, ranx and scikit-learn discounts by log2(i + 1) instead.

    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> round((nDCG_JK @ 2).calc_aggregate(qrels, {"q": {"a": 9.0, "b": 8.0, "c": 7.0}}), 2)
    0.83
    """


class _DCG_Burges(GainSum):
    r"""Discounted cumulated gain (Burges et al.): Cumulated gain in which the gain at rank i is
    divided by log2(i + 1).

    :formula: Σ_{i≤k} G[i] / log2(i + 1)
    :tex: \mathrm{DCG}_B = \sum_{i=1}^{k} \frac{G[i]}{\log_2 (i + 1)}
    :range: [0, ∞)
    :undefined: 0 without relevant documents
    :source: Burges, Shaked, Renshaw, Lazier, Deeds, Hamilton & Hullender 2005

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(DCG_Burges.calc_aggregate(qrels, run), 4)  # 3 + 7/2 + 1/2.585 + 1/2.807
    7.2431
    >>> round(DCG_Burges(gains="linear").calc_aggregate(qrels, run), 4)
    4.2431
    """

    GAINS = "exp"

    def discount(self, rank: np.ndarray) -> np.ndarray:
        return np.log2(rank + 1)


class _nDCG_Burges(_DCG_Burges, NormalisedGainSum):
    r"""Normalised discounted cumulated gain (Burges et al.): Discounted cumulated gain with log2(i
    + 1) as a share of that of the ideal list.

    :formula: Σ_{i≤k} G[i] / log2(i + 1), divided by the same sum over the ideal list I
    :tex: \mathrm{nDCG} = \frac{\sum_{i=1}^{k} G[i] / \log_2 (i + 1)}{\sum_{i=1}^{k} I[i] / \log_2
        (i + 1)}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Burges, Shaked, Renshaw, Lazier, Deeds, Hamilton & Hullender 2005

    This is the nDCG of learning to rank. With gains='linear' it is trec_eval's nDCG, also for
    levels and gains that are not whole numbers.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(nDCG_Burges.calc_aggregate(qrels, run), 4)
    0.6262
    >>> round(nDCG_Burges(gains="linear").calc_aggregate(qrels, run), 4)
    0.6593
    """


class _NDCNG(MaxGainMeasure, AveragedNormalisedGainSum):
    r"""Normalised discounted cumulative normalised gain: nDCG over gains divided by the highest
    gain, so that scales are comparable.

    :formula: Σ_{i≤k} (2^{G[i]/m} − 1) / log(i + 1), divided by the same sum over the ideal
        list; m = max_gain; with avg, the mean over ranks 1…k
    :tex: \mathrm{NDCNG}[k] = \frac{\sum_{i=1}^{k} (2^{G[i]/m} - 1) / \log(i + 1)}{\sum_{i=1}^{k}
        (2^{I[i]/m} - 1) / \log(i + 1)}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Scheel, Lommatzsch & Albayrak 2011, Eq. 5

    >>> qrels = {"q": {"a": 1, "b": 0, "c": 3, "d": 3, "e": 2, "f": 0, "g": 1, "h": 4}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdefgh")}}
    >>> [round((NDCNG @ k).calc_aggregate(qrels, run), 2) for k in (1, 4, 8)]
    [0.19, 0.42, 0.65]
    >>> round((NDCNG(avg=True) @ 8).calc_aggregate(qrels, run), 2)
    0.39
    """

    PARAMETERS = {"avg": AVG, "max_gain": TOPICS_BEST}
    SCALES = True
    LINEAR = False

    @property
    def scales_by_topic(self) -> bool:
        return self["max_gain"] is None

    def scale_gain(self, gain: np.ndarray, best: np.ndarray) -> np.ndarray:
        return power_minus_1(ratio(gain, best))

    def discount(self, rank: np.ndarray) -> np.ndarray:
        return np.log(rank + 1)


CG = _CG()
DCG_JK = _DCG_JK()
nCG = _nCG()
nDCG_JK = _nDCG_JK()
DCG_Burges = _DCG_Burges()
nDCG_Burges = _nDCG_Burges()
NDCNG = _NDCNG()
MEASURES = (CG, DCG_JK, nCG, nDCG_JK, DCG_Burges, nDCG_Burges, NDCNG)
