"""Measures of trec_eval 10 that ir-measures lacks, with their values in trec_eval.

Their names begin with ``trec_``; trec_eval's own names lead to them (`registry.trec_names`). A
document is unjudged if its level is negative, as in trec_eval. `Topics` have all judged documents,
so a function here is to be read beside the C code of the measure (``m_G.c`` …).

C. Buckley, E. M. Voorhees, I. Soboroff: trec_eval 10.0, 2026.
"""

from typing import Any

import ir_measures
import numpy as np

from ..ranking.gains import Gains
from ..ranking.ranks import JudgedRanks
from .average_precision import thresholds_of
from .base import GeometricMean, GradedMeasure
from .binary import REL
from .parameters import Choice, Real
from .standard import bpref_of
from .standard_measure import condensed, log2
from .topics import GainList, Topics, ratio

POINTS = np.arange(11) / 10
"""The recalls of ``11pt_avg``."""


class TrecEvalMeasure(GradedMeasure):
    """A measure as trec_eval computes it, without a cutoff."""

    CUTOFF = False

    def listed(self, ranks: JudgedRanks) -> JudgedRanks:
        if not self["judged_only"]:
            return ranks
        return condensed(ranks, {})


class BinaryTrecEvalMeasure(TrecEvalMeasure):
    """A measure with a least relevant level in place of gains, trec_eval's option -l."""

    HAS_GAINS = False
    PARAMETERS = {"rel": REL}

    @property
    def weighting(self) -> Gains:
        return int(self["rel"])


def discounted(gains: GainList) -> GainList:
    """A list with each gain divided by log2(rank + 1)."""
    return gains.with_gain(gains.gain / log2(gains.rank + 1))


def discounted_lists(topics: Topics) -> tuple[GainList, GainList]:
    """The run's relevant documents and the ideal list, discounted."""
    return discounted(topics.run.relevant), discounted(topics.whole_ideal)


class _trec_G(TrecEvalMeasure):
    """trec_eval's G: The gain of each document, discounted by the gain that was missed before it.

    :formula: Σ_i G[i] / log2(2 + Σ_{j≤i} max(I[j], 1) − CG[i]) / Σ_i I[i]
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_G.c

    >>> round(trec_G.calc_aggregate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}), 4)
    0.877
    """

    def values(self, topics: Topics) -> np.ndarray:
        run = topics.run.relevant
        ideal = topics.whole_ideal
        above_1 = ideal.cumsum(np.maximum(ideal.gain - 1, 0))
        cost = run.rank + ideal.value_at(run.rank, run.topic, above_1)
        amounts = run.gain / np.log2(2 + cost - run.cumulated)
        return ratio(run.sum(amounts), ideal.total)


class _trec_binG(BinaryTrecEvalMeasure):
    """trec_eval's binary G: The mean over the relevant documents of 1 / log2(2 + documents before
    it that are not relevant).

    :formula: (1/R) Σ_i rel(i) / log2(2 + i − C[i])
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_binG.c

    >>> trec_binG.calc_aggregate({"q": {"a": 2, "b": 1}}, {"q": {"a": 2.0, "x": 1.0}})
    0.5
    """

    def values(self, topics: Topics) -> np.ndarray:
        run = topics.run.relevant
        amounts = 1 / log2(2 + run.rank - run.number)
        return ratio(run.sum(amounts), topics.relevant)


class _trec_ndcg_rel(TrecEvalMeasure):
    """trec_eval's nDCG at relevant documents: The mean of nDCG at the ranks of the relevant
    documents; one that is not retrieved counts with the DCG of the run over that of the whole ideal
    list.

    :formula: (1/R) (Σ_{i: rel} DCG[i] / DCG_I[i] + (R − relevant retrieved) DCG / DCG_I)
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_ndcg_rel.c

    >>> trec_ndcg_rel.calc_aggregate({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0}}) < 1
    True
    """

    def values(self, topics: Topics) -> np.ndarray:
        run, ideal = discounted_lists(topics)
        of_ideal = ideal.value_at(run.rank, run.topic, ideal.cumulated)
        at_relevant = run.sum(ratio(run.cumulated, of_ideal))
        at_end = ratio(run.total, ideal.total)
        not_retrieved = topics.relevant - run.sizes
        return ratio(at_relevant + not_retrieved * at_end, topics.relevant)


class _trec_Rndcg(TrecEvalMeasure):
    """trec_eval's nDCG at levels: The mean of nDCG at the ranks where the gain of the ideal list
    falls, and at the end of the run if it is 2 ranks or more behind the ideal list.

    :formula: the mean of DCG[i] / DCG_I[i] over these ranks i
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_Rndcg.c

    >>> trec_Rndcg.calc_aggregate({"q": {"a": 2, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}})
    1.0
    """

    def values(self, topics: Topics) -> np.ndarray:
        run, ideal = discounted_lists(topics)
        thresholds = thresholds_of(topics)
        falls = thresholds.relevant  # the rank at which the gains of at least t end
        of_run = run.value_at(falls, thresholds.topic, run.cumulated)
        of_ideal = ideal.value_at(falls, thresholds.topic, ideal.cumulated)
        at_falls = ratio(of_run, of_ideal)
        total = np.bincount(thresholds.topic, weights=at_falls, minlength=topics.count)
        count = np.diff(thresholds.offsets)
        goes_on = (topics.retrieved >= topics.relevant + 2) & (count > 0)
        at_end = ratio(run.total, ideal.total)
        return ratio(total + np.where(goes_on, at_end, 0.0), count + goes_on)


class _trec_Rprec_mult(BinaryTrecEvalMeasure):
    """trec_eval's precision at a multiple of R: Precision at rank ⌊r·R + .9⌋.

    :formula: C[k] / k, k = ⌊r R + .9⌋
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_Rprec_mult.c

    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> trec_Rprec_mult(r=0.5).calc_aggregate(qrels, {"q": {"a": 2.0, "x": 1.0}})
    1.0
    """

    PARAMETERS = {**BinaryTrecEvalMeasure.PARAMETERS, "r": Real(default=1, at_least=0, desc="r")}

    def values(self, topics: Topics) -> np.ndarray:
        cutoff = np.floor(self["r"] * topics.relevant + 0.9).astype(np.int64)
        run = topics.run.relevant
        hits = run.sum((run.rank <= cutoff[run.topic]).astype(np.float64))
        return ratio(hits, cutoff)


class _trec_11pt_avg(BinaryTrecEvalMeasure):
    """trec_eval's 11-point average: The mean of the interpolated precision at the recalls 0, .1, …
    1.

    :formula: (1/11) Σ_r max_{i: C[i] ≥ r R} C[i] / i
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_11pt_avg.c

    The number of relevant documents r R is rounded to the nearest whole number. Versions before 10,
    and pytrec_eval, take ⌊r R + .9⌋, as `IPrec` does; version='9' does so.

    >>> trec_11pt_avg.calc_aggregate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}})
    0.5
    """

    PARAMETERS = {
        **BinaryTrecEvalMeasure.PARAMETERS,
        "version": Choice("10", "9", default="10", desc="the version of trec_eval"),
    }

    def values(self, topics: Topics) -> np.ndarray:
        run = topics.run.relevant
        precision = run.number / run.rank
        # The highest precision at this relevant document or a later one.
        reverse = GainList(run.topic_count, run.topic, run.rank, precision)
        interpolated = _running_maximum_from_behind(reverse)
        products = POINTS * topics.relevant[:, None]
        rounding = 0.9 if self["version"] == "9" else 0.5
        needed = np.floor(products + rounding).astype(np.int64)
        entry = run.offsets[:-1, None] + np.maximum(needed, 1) - 1
        is_reached = (needed <= run.sizes[:, None]) & (run.sizes[:, None] > 0)
        padded = np.append(interpolated, 0.0)
        values = np.where(is_reached, padded[np.where(is_reached, entry, -1)], 0.0)
        total: np.ndarray = values.sum(axis=1)
        return total / POINTS.size


def _running_maximum_from_behind(gains: GainList) -> np.ndarray:
    """The highest gain of each entry and those behind it in its topic."""
    last_first = np.arange(gains.gain.size)[::-1]
    topic = gains.topic_count - 1 - gains.topic[last_first]
    mirrored = GainList(gains.topic_count, topic, gains.rank[last_first], gains.gain[last_first])
    return mirrored.running(np.maximum, mirrored.gain)[last_first]


class _trec_rbp(TrecEvalMeasure):
    """trec_eval's rank-biased precision: Gains over the topic's highest gain, if that is above 1,
    for a user who reads on with probability p.

    :formula: (1 − p) Σ_i (G[i] / m) p^{i−1}, m = max(1, the topic's highest gain)
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_rbp.c

    The C code of trec_eval 10.0 reads its least and highest gain before it sets them, so that its
    value depends on the compiler. This is the value that the code describes.

    >>> qrels = {"q": {"a": 2, "b": 1}}
    >>> round(trec_rbp.calc_aggregate(qrels, {"q": {"a": 2.0, "b": 1.0}}), 4)
    0.145
    """

    PARAMETERS = {"p": Real(default=0.9, above=0, below=1, desc="probability of reading on")}

    def values(self, topics: Topics) -> np.ndarray:
        run = topics.run
        p = self["p"]
        total = run.sum(run.gain * p ** (run.rank - 1.0))
        return (1 - p) * total / np.maximum(topics.best, 1.0)


class _trec_rbp_resid(TrecEvalMeasure):
    """trec_eval's residual of rank-biased precision: What unjudged documents and those behind the
    list could add; 0 if every retrieved document is judged.

    :formula: p^n + (1 − p) Σ_{i unjudged} p^{i−1}, n the retrieved documents
    :range: [0, 1]
    :undefined: 0 without an unjudged document in the list
    :source: Buckley, Voorhees & Soboroff 2026, m_rbp_resid.c

    `RBP_G(residual=True)` also counts the documents behind a list that is judged completely.

    >>> trec_rbp_resid(p=0.5).calc_aggregate({"q": {"a": 1}}, {"q": {"a": 2.0, "x": 1.0}})
    0.5
    """

    HAS_GAINS = False
    SMALLER_IS_BETTER = True
    PARAMETERS = {"p": Real(default=0.9, above=0, below=1, desc="probability of reading on")}
    weighting = "linear"

    def values(self, topics: Topics) -> np.ndarray:
        p = self["p"]
        judged = judged_entries(topics)
        of_judged = judged.sum(p ** (judged.rank - 1.0))
        behind = p ** topics.retrieved.astype(np.float64)
        whole = 1 - behind  # (1 − p) Σ p^(i−1) over all ranks of the list
        residual = behind + np.maximum(whole - (1 - p) * of_judged, 0)
        return np.where(judged.sizes < topics.retrieved, residual, 0.0)


def judged_entries(topics: Topics) -> GainList:
    """The documents of the run's list whose level is not negative."""
    level = topics.document_level[topics.document]
    return topics.run.where(level >= 0)


class _trec_unj(GradedMeasure):
    """trec_eval's unjudged documents: The share of the first k ranks with an unjudged document.

    :formula: (unjudged documents in the first k) / k
    :range: [0, 1]
    :undefined: defined for every topic; 0 for an empty list
    :source: Buckley, Voorhees & Soboroff 2026, m_unjudged.c

    Ranks behind a short list have no unjudged document.

    >>> (trec_unj @ 5).calc_aggregate({"q": {"a": 1}}, {"q": {"a": 2.0, "x": 1.0}})
    0.2
    """

    HAS_GAINS = False
    CUTOFF_REQUIRED = True
    SMALLER_IS_BETTER = True
    weighting = "linear"

    def values(self, topics: Topics) -> np.ndarray:
        unjudged = topics.retrieved - judged_entries(topics).sizes
        return unjudged / float(self["cutoff"])


class _trec_num_nonrel_judged_ret(BinaryTrecEvalMeasure):
    """trec_eval's judged documents that are not relevant: Their number in the run's list, and the
    sum over the topics.

    :formula: retrieved judged documents − relevant ones
    :range: [0, ∞)
    :undefined: defined for every topic
    :source: Buckley, Voorhees & Soboroff 2026, m_num_nonrel_judged_ret.c

    >>> qrels = {"q": {"a": 1, "b": 0}}
    >>> trec_num_nonrel_judged_ret.calc_aggregate(qrels, {"q": {"a": 2.0, "b": 1.0}})
    1.0
    """

    SMALLER_IS_BETTER = True

    def values(self, topics: Topics) -> np.ndarray:
        counts: np.ndarray = judged_entries(topics).sizes - topics.run.relevant.sizes
        return counts.astype(np.float64)

    def aggregator(self) -> Any:
        return ir_measures.SumAgg()


class _trec_utility(BinaryTrecEvalMeasure):
    """trec_eval's utility of the set: Retrieved relevant documents minus other retrieved documents.

    :formula: a C[n] + b (n − C[n]) + c (R − C[n])
    :range: (-∞, ∞)
    :undefined: defined for every topic
    :source: Buckley, Voorhees & Soboroff 2026, m_utility.c

    trec_eval's fourth weight, that of documents that are neither relevant nor retrieved, is 0.

    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> trec_utility.calc_aggregate(qrels, {"q": {"a": 3.0, "x": 2.0, "y": 1.0}})
    -1.0
    """

    PARAMETERS = {
        **BinaryTrecEvalMeasure.PARAMETERS,
        "a": Real(default=1, desc="weight of a relevant document that is retrieved"),
        "b": Real(default=-1, desc="weight of another document that is retrieved"),
        "c": Real(default=0, desc="weight of a relevant document that is not retrieved"),
    }
    DEFAULT = None

    def values(self, topics: Topics) -> np.ndarray:
        hits = topics.run.relevant.sizes
        of_retrieved = self["a"] * hits + self["b"] * (topics.retrieved - hits)
        total: np.ndarray = of_retrieved + self["c"] * (topics.relevant - hits)
        return total.astype(np.float64)


class _trec_yaap(BinaryTrecEvalMeasure):
    """trec_eval's yet another average precision: The logarithm of the odds that average precision
    has after smoothing.

    :formula: log((1 + s) / (1 + R − s)), s = Σ_i rel(i) C[i] / i
    :range: (-∞, ∞)
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_yaap.c

    >>> trec_yaap.calc_aggregate({"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}})
    0.0
    """

    DEFAULT = None

    def values(self, topics: Topics) -> np.ndarray:
        run = topics.run.relevant
        s = run.sum(run.number / run.rank)
        return np.log((1 + s) / (1 + topics.relevant - s))


class _trec_gm_map(BinaryTrecEvalMeasure):
    """trec_eval's GMAP: The geometric mean over the topics of average precision.

    :formula: AP of a topic; over the topics exp(mean of log max(AP, .00001))
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_gm_map.c

    >>> qrels = {"p": {"a": 1}, "q": {"a": 1}}
    >>> run = {"p": {"a": 1.0}, "q": {"w": 4.0, "x": 3.0, "y": 2.0, "a": 1.0}}
    >>> trec_gm_map.calc_aggregate(qrels, run)
    0.5
    """

    def values(self, topics: Topics) -> np.ndarray:
        run = topics.run.relevant
        return ratio(run.sum(run.number / run.rank), topics.relevant)

    def aggregator(self) -> Any:
        return GeometricMean()


class _trec_gm_bpref(BinaryTrecEvalMeasure):
    """trec_eval's geometric bpref: The geometric mean over the topics of bpref.

    :formula: Bpref of a topic; over the topics exp(mean of log max(Bpref, .00001))
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Buckley, Voorhees & Soboroff 2026, m_gm_bpref.c

    >>> trec_gm_bpref.calc_aggregate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}})
    1.0
    """

    def values(self, topics: Topics) -> np.ndarray:
        return bpref_of(topics)

    def aggregator(self) -> Any:
        return GeometricMean()


trec_G = _trec_G()
trec_binG = _trec_binG()
trec_ndcg_rel = _trec_ndcg_rel()
trec_Rndcg = _trec_Rndcg()
trec_Rprec_mult = _trec_Rprec_mult()
trec_11pt_avg = _trec_11pt_avg()
trec_rbp = _trec_rbp()
trec_rbp_resid = _trec_rbp_resid()
trec_unj = _trec_unj()
trec_num_nonrel_judged_ret = _trec_num_nonrel_judged_ret()
trec_utility = _trec_utility()
trec_yaap = _trec_yaap()
trec_gm_map = _trec_gm_map()
trec_gm_bpref = _trec_gm_bpref()
MEASURES = (
    trec_G,
    trec_binG,
    trec_ndcg_rel,
    trec_Rndcg,
    trec_Rprec_mult,
    trec_11pt_avg,
    trec_rbp,
    trec_rbp_resid,
    trec_unj,
    trec_num_nonrel_judged_ret,
    trec_utility,
    trec_yaap,
    trec_gm_map,
    trec_gm_bpref,
)
MEASURE_CLASSES = tuple(map(type, MEASURES))
