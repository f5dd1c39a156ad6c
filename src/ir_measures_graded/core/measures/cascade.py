"""Cascades: the user reads down the list and stops at a document with a probability that its gain
gives.

O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected reciprocal rank for graded relevance. CIKM
2009. T. Sakai, R. Song: Evaluating diversified search results using per-intent graded relevance.
SIGIR 2011. T. Sakai, Z. Zeng: Retrieval evaluation measures that agree with users' SERP
preferences: traditional, preference-based, and diversity measures. ACM Transactions on Information
Systems 39(2), 2020.
"""

from typing import ClassVar

import numpy as np

from .base import TopGainMeasure
from .parameters import TOP_GAIN, Real
from .stop_sums import BETA, AtRelevant, BlendedRatio
from .sums import SORTED
from .topics import StopSteps, Topics


class _Cascade(TopGainMeasure, AtRelevant):
    """The expected utility of the rank at which the user stops.

    The user stops at rank i with probability s(i): p(i) if the user has not stopped before, p = G /
    (H + 1).
    """

    PARAMETERS = {"max_gain": TOP_GAIN}
    WORTH: ClassVar[str] = "1 / rank"
    DIVISOR: ClassVar[str] = ""

    def stop_steps(self, topics: Topics) -> StopSteps:
        run = self.relevant(topics)
        stops = run.with_gain(self.stops(run.gain, topics))
        worth = run.with_gain(self.quality(run, topics))
        return StopSteps(stops, worth, self.WORTH, self.DIVISOR)

    def stops(self, gain: np.ndarray, topics: Topics) -> np.ndarray:
        return gain / (self.top_gain(topics) + 1)

    def goes_on(self, gain: np.ndarray, topics: Topics) -> np.ndarray:
        return 1 - self.stops(gain, topics)


class _ERR_G(_Cascade):
    r"""Expected reciprocal rank (graded): The expected reciprocal of the rank at which a user
    stops, satisfied by a document.

    :formula: Σ_{i≤k} s(i) / i, where s(i) = p(i) Π_{j<i} (1 − p(j)) and p(i) = G[i] / (H + 1)
    :tex: \mathrm{ERR} &= \sum_{i=1}^{k} \frac{s(i)}{i} \\ s(i) &= p(i) \prod_{j=1}^{i-1} (1 - p(j))
        \\ p(i) &= \frac{G[i]}{H + 1}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Chapelle, Metzler, Zhang & Grinspan 2009

    With exponential gains, the default, p is the paper's (2^level − 1) / 2^(highest level); with
    linear gains it is NTCIREVAL's. H is the highest gain in the qrels over all topics, or max_gain.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(ERR_G.calc_aggregate(qrels, run), 4)
    0.5607
    >>> round(ERR_G(gains="linear").calc_aggregate(qrels, run), 4)
    0.6352
    """

    RECALL_BASE = False
    TIES = SORTED
    COMPARED = False
    RISES = True

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        return rank


class _nERR(_ERR_G):
    r"""Normalised expected reciprocal rank: Expected reciprocal rank as a share of that of the
    ideal list.

    :formula: ERR[k] / ERR_I[k], where ERR[k] = Σ_{i≤k} s(i) / i
    :tex: \mathrm{nERR} = \frac{\sum_{i=1}^{k} s(i) / i}{\sum_{i=1}^{k} s_I(i) / i}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Sakai & Song 2011

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(nERR.calc_aggregate(qrels, run), 4)
    0.6151
    >>> round(nERR(gains="linear").calc_aggregate(qrels, run), 4)
    0.7552
    """

    RECALL_BASE = True
    RISES = False
    DIVISOR = "the ERR of the ideal list"

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        ideal = topics.ideal
        added = self.added(ideal, topics)
        if isinstance(cutoff, np.ndarray):
            return ideal.vector(added, len(cutoff))
        return ideal.sum(added)


class _EBR(_Cascade, BlendedRatio):
    r"""Expected blended ratio: The expected blended ratio of Q at the rank where a user stops.

    :formula: Σ_{i≤k} s(i) BR(i), where BR(i) = (C[i] + β CG[i]) / (i + β CG_I[i]) and C[i] is the
        number of relevant documents in the first i
    :tex: \mathrm{EBR} &= \sum_{i=1}^{k} s(i)\,\mathrm{BR}(i) \\ \mathrm{BR}(i) &= \frac{C[i] +
        \beta\,\mathrm{CG}[i]}{i + \beta\,\mathrm{CG}_I[i]}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Sakai & Zeng 2020

    The user stops as in ERR_G.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(EBR.calc_aggregate(qrels, run), 4)
    0.6107
    >>> round(EBR(gains="linear").calc_aggregate(qrels, run), 4)
    0.6737
    """

    PARAMETERS = {"max_gain": TOP_GAIN, "beta": BETA}
    WORTH = "the blended ratio of Q there"


class _iRBU(_ERR_G):
    r"""Intentwise rank-biased utility: The expected rank-biased utility p^i at the rank where a
    user stops.

    :formula: Σ_{i≤k} s(i) p^i, where p is the persistence and s(i) the probability to stop at rank
        i
    :tex: \mathrm{iRBU} = \sum_{i=1}^{k} s(i)\,{p}^{i}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Sakai & Zeng 2020

    The user stops as in ERR_G.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(iRBU.calc_aggregate(qrels, run), 4)
    0.9192
    >>> round(iRBU(gains="linear").calc_aggregate(qrels, run), 4)
    0.9106
    """

    PARAMETERS = {
        "max_gain": TOP_GAIN,
        "p": Real(
            default=0.99, above=0, at_most=1, desc="persistence: the factor of the utility per rank"
        ),
    }

    WORTH = "p to the power of the rank"

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        return self["p"] ** -rank.astype(np.float64)


ERR_G = _ERR_G()
nERR = _nERR()
EBR = _EBR()
iRBU = _iRBU()
MEASURES = (ERR_G, nERR, EBR, iRBU)
