"""Measures over the intents of a topic: a document may be relevant to some meanings of a query
only.

C. Zhai, W. Cohen, J. Lafferty: Beyond independent relevance: methods and evaluation metrics for
subtopic retrieval. SIGIR 2003. R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong: Diversifying
search results. WSDM 2009. T. Sakai, R. Song: Evaluating diversified search results using per-intent
graded relevance. SIGIR 2011.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..ranking.gains import LINEAR
from ..ranking.judged import Judged, computed_once
from ..ranking.ranks import JudgedRanks
from .average_precision import Q
from .base import GradedMeasure, TopGainMeasure
from .cascade import ERR_G
from .cumulated_gain import nDCG_Burges
from .parameters import TOP_GAIN, Real
from .stop_sums import BETA, AtRelevant
from .topics import Topics, ratio

Compute = Callable[[GradedMeasure, Topics], np.ndarray]
"""Computes values, or curves."""


@computed_once
def by_intent(topics: Topics) -> Topics:
    """Each pair of a topic and an intent as a topic of its own, without scores."""
    ranks = topics.ranks
    intents = ranks.judged.intents
    rank_of_document = np.zeros(ranks.judged.level.size, dtype=np.int64)  # 0: not retrieved
    rank_of_document[ranks.doc] = ranks.rank
    rank = rank_of_document[document_of(topics)]
    pair = intents.judged.topic
    hits = np.flatnonzero(rank)
    hits = hits[np.lexsort((rank[hits], pair[hits]))]
    retrieved = ranks.retrieved[intents.topic]
    no_scores = np.empty(0)
    return topics.reranked(
        JudgedRanks(intents.judged, hits, pair[hits], rank[hits], retrieved, no_scores)
    )


@computed_once
def by_global_gain(topics: Topics) -> Topics:
    """The topics with the global gain of each document as its level."""
    judged = topics.ranks.judged
    intents = judged.intents
    probability_of_judgment = probability(topics)[intents.judged.topic]
    weighted_gain = probability_of_judgment * intents.judged.gain(topics.gains)
    document_count = judged.level.size
    global_gain = np.bincount(document_of(topics), weighted_gain, document_count)
    by_gain = Judged(judged.topics, judged.offsets, global_gain)
    return Topics(replace(topics.ranks, judged=by_gain), LINEAR, topics.cutoff)


def document_of(topics: Topics) -> np.ndarray:
    """The number of the document of each judgment."""
    judged = topics.ranks.judged
    intents = judged.intents
    first_document = judged.offsets[intents.topic]
    return intents.doc + first_document[intents.judged.topic]


def probability(topics: Topics) -> np.ndarray:
    """Pr(x) of each intent, which adds up to 1 over those of a topic that have a relevant
    document.
    """
    intents = topics.ranks.judged.intents
    probability = intents.probability * (by_intent(topics).relevant > 0)
    total = over_intents(topics, probability)
    return ratio(probability, total[intents.topic])


def over_intents(topics: Topics, values: np.ndarray) -> np.ndarray:
    """The sum over each topic's intents of a value (P), or of a curve (P × depth)."""
    total = np.zeros((topics.count, *values.shape[1:]))
    np.add.at(total, topics.ranks.judged.intents.topic, values)
    return total


class OfIntents(GradedMeasure):
    """A measure that reads the judgments for intents: override `of`."""

    INTENTS = True

    def has_relevant(self, judged: Judged) -> np.ndarray:
        """Whether an intent of the topic has a relevant document (T)."""
        intents = judged.intents
        is_relevant = intents.judged.relevant(self.weighting) > 0
        topic = intents.topic[is_relevant]
        return np.bincount(topic, minlength=len(judged.topics)) > 0

    def of(self, topics: Topics, compute: Compute) -> np.ndarray:
        """The values or the curves of the measure, from those that `compute` gives for other
        measures.
        """
        raise NotImplementedError

    def values(self, topics: Topics) -> np.ndarray:
        def values_of(measure: GradedMeasure, view: Topics) -> np.ndarray:
            return measure.values(view)

        return self.of(topics, values_of)

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        def curve_of(measure: GradedMeasure, view: Topics) -> np.ndarray:
            return measure.curve(view, depth)

        return self.of(topics, curve_of)


class _Covered(AtRelevant):
    """1 from the rank of the first relevant document on."""

    def goes_on(self, gain: np.ndarray, topics: Topics) -> float:
        return 0.0


class _IRec(OfIntents):
    r"""Intent recall: The share of the intents for which a relevant document was found.

    :formula: |{x: G_x[i] > 0 for some i ≤ k}| / |X|, where X are the topic's intents with a
        relevant document
    :tex: \mathrm{IRec} = \frac{|\{x \in X : \max_{i \leq k} G_x[i] > 0\}|}{|X|}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Zhai, Cohen & Lafferty 2003

    It is also called subtopic recall.

    >>> qrels = [("q", "a", 2, "1"), ("q", "b", 1, "1"), ("q", "b", 3, "2"), ("q", "d", 1, "3")]
    >>> run = {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}
    >>> round(IRec.calc_aggregate(qrels, run), 4)  # 2 of 3 intents
    0.6667
    """

    def of(self, topics: Topics, compute: Compute) -> np.ndarray:
        intents = by_intent(topics)
        is_covered = compute(_Covered(), intents)
        covered = over_intents(topics, is_covered)
        possible = over_intents(topics, intents.relevant > 0)
        return ratio(covered.T, possible).T


class _D_nDCG(OfIntents):
    r"""nDCG of global gains: nDCG over the gains of each document for all intents together.

    :formula: Σ_{i≤k} GG[i] / log2(i + 1), divided by the same sum over the ideal list of GG
    :tex: \mathrm{DnDCG} = \frac{\sum_{i=1}^{k} \mathrm{GG}[i] / \log_2 (i + 1)}{\sum_{i=1}^{k}
        \mathrm{GG}_I[i] / \log_2 (i + 1)}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Sakai & Song 2011

    The global gain of a document is the mean of its gains over the intents, weighted by their
    probabilities: GG(d) = Σ_x Pr(x) G_x(d).

    >>> qrels = [("q", "a", 2, "1"), ("q", "b", 1, "1"), ("q", "b", 3, "2"), ("q", "d", 1, "3")]
    >>> run = {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}
    >>> round(D_nDCG.calc_aggregate(qrels, run), 4)  # (4 + 2/2) / (4 + 2/1.585 + 1/2)
    0.8678
    """

    def of_gains(self) -> GradedMeasure:
        """The measure of global gains."""
        return nDCG_Burges(gains=LINEAR)

    def of(self, topics: Topics, compute: Compute) -> np.ndarray:
        gamma = self["gamma"] if "gamma" in self.PARAMETERS else 0
        recall = compute(IRec, topics)
        of_gains = compute(self.of_gains(), by_global_gain(topics))
        return gamma * recall + (1 - gamma) * of_gains


class _D_Q(_D_nDCG):
    r"""Q of global gains: Q over the gains of each document for all intents together.

    :formula: (1 / R) Σ_i rel(i) (C[i] + β CGG[i]) / (i + β CGG_I[i]), where C[i] is the number of
        documents with GG > 0 in the first i; with @k the sum ends at k and divides by min(R, k)
    :tex: \mathrm{DQ} = \frac{1}{R} \sum_{i=1}^{k} \mathrm{rel}(i) \frac{C[i] + \beta\,
        \mathrm{CGG}[i]}{i + \beta\,\mathrm{CGG}_I[i]}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Sakai & Song 2011

    Global gains are those of `D_nDCG`; a document is relevant if its global gain is above 0. With a
    cutoff, the divisor is min(R, k).

    >>> qrels = [("q", "a", 2, "1"), ("q", "b", 1, "1"), ("q", "b", 3, "2"), ("q", "d", 1, "3")]
    >>> run = {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}
    >>> round(D_Q.calc_aggregate(qrels, run), 4)  # (1 + 4/5.3333) / 3, CGG CGG 4/3 and 6/3
    0.5833
    """

    PARAMETERS = {"beta": BETA}

    def of_gains(self) -> GradedMeasure:
        return Q(beta=self["beta"])


GAMMA = Real(default=0.5, at_least=0, at_most=1, desc="weight of intent recall")


class _Dsharp_nDCG(_D_nDCG):
    r"""nDCG of global gains and intent recall: The mean of intent recall and nDCG over global
    gains.

    :formula: γ IRec + (1 − γ) D_nDCG
    :tex: \mathrm{DsharpnDCG} = \gamma\,\mathrm{IRec} + (1 - \gamma)\,\mathrm{DnDCG}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Sakai & Song 2011

    >>> qrels = [("q", "a", 2, "1"), ("q", "b", 1, "1"), ("q", "b", 3, "2"), ("q", "d", 1, "3")]
    >>> run = {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}
    >>> round(Dsharp_nDCG.calc_aggregate(qrels, run), 4)  # (0.6667 + 0.8678) / 2
    0.7672
    """

    PARAMETERS = {"gamma": GAMMA}


class _Dsharp_Q(_D_Q):
    r"""Q of global gains and intent recall: The mean of intent recall and Q over global gains.

    :formula: γ IRec + (1 − γ) D_Q
    :tex: \mathrm{DsharpQ} = \gamma\,\mathrm{IRec} + (1 - \gamma)\,\mathrm{DQ}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Sakai & Song 2011

    >>> qrels = [("q", "a", 2, "1"), ("q", "b", 1, "1"), ("q", "b", 3, "2"), ("q", "d", 1, "3")]
    >>> run = {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}
    >>> round(Dsharp_Q.calc_aggregate(qrels, run), 4)  # (0.6667 + 0.5833) / 2
    0.625
    """

    PARAMETERS = {"gamma": GAMMA, "beta": BETA}


class _nDCG_IA(OfIntents):
    r"""Intent-aware nDCG: The mean over the intents of nDCG, each with its own ideal list.

    :formula: Σ_x Pr(x) nDCG_x, where nDCG_x is the nDCG for intent x
    :tex: \mathrm{nDCGIA} = \sum_{x \in X} \mathrm{Pr}(x)\,\mathrm{nDCG}_x
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Agrawal, Gollapudi, Halverson & Ieong 2009

    No list is ideal for every intent, so the highest value of a topic is usually below 1.

    >>> qrels = [("q", "a", 2, "1"), ("q", "b", 1, "1"), ("q", "b", 3, "2"), ("q", "d", 1, "3")]
    >>> run = {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}
    >>> round(nDCG_IA.calc_aggregate(qrels, run), 4)  # ((1 + 3/2) / (3 + 1/1.585) + 1 + 0) / 3
    0.5628
    """

    GAINS = "exp"

    def of_intent(self, intents: Topics) -> GradedMeasure:
        """The measure of a single intent."""
        return nDCG_Burges

    def of(self, topics: Topics, compute: Compute) -> np.ndarray:
        intents = by_intent(topics)
        values = compute(self.of_intent(intents), intents)
        weighted = (probability(topics) * values.T).T
        return np.minimum(over_intents(topics, weighted), 1.0)


class _ERR_IA_G(_nDCG_IA, TopGainMeasure):
    r"""Intent-aware expected reciprocal rank (graded): The mean of expected reciprocal rank over
    the intents.

    :formula: Σ_x Pr(x) ERR_x, where ERR_x is the expected reciprocal rank for intent x
    :tex: \mathrm{ERRIA} = \sum_{x \in X} \mathrm{Pr}(x)\,\mathrm{ERR}_x
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Chapelle, Metzler, Zhang & Grinspan 2009

    H is the highest gain in the qrels over all topics and intents, or max_gain. For binary levels,
    this value divided by Σ_{i≤k} 2^{−i} / i is `ERR_IA` of ndeval.

    >>> qrels = [("q", "a", 2, "1"), ("q", "b", 1, "1"), ("q", "b", 3, "2"), ("q", "d", 1, "3")]
    >>> run = {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}
    >>> round(ERR_IA_G.calc_aggregate(qrels, run), 4)  # (1/8 + 7/8 · 3/8 / 3 + 7/8) / 3
    0.3698
    """

    PARAMETERS = {"max_gain": TOP_GAIN}

    def of_intent(self, intents: Topics) -> GradedMeasure:
        return ERR_G(max_gain=self.top_gain(intents) or 1)


IRec = _IRec()
D_nDCG = _D_nDCG()
D_Q = _D_Q()
Dsharp_nDCG = _Dsharp_nDCG()
Dsharp_Q = _Dsharp_Q()
ERR_IA_G = _ERR_IA_G()
nDCG_IA = _nDCG_IA()
MEASURES = (IRec, D_nDCG, D_Q, Dsharp_nDCG, Dsharp_Q, ERR_IA_G, nDCG_IA)
