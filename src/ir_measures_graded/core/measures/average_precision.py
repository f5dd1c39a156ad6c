"""Average precision with gains: means of a quotient at the ranks of the relevant documents.

C. Scheel, A. Lommatzsch, S. Albayrak: Performance measures for multi-graded relevance. SPIM 2011.
N. Kando, K. Kuriyama, M. Yoshioka: Information retrieval system evaluation using multi-grade
relevance judgments. JPSJ SIG Notes, 2001. T. Sakai: Average gain ratio. SIGIR 2003. T. Sakai: New
performance metrics based on multigrade relevance. NTCIR-4, 2004. S. E. Robertson, E. Kanoulas, E.
Yilmaz: Extending average precision to graded relevance judgments. SIGIR 2010. B. Zhou, Y. Yao:
Evaluating information retrieval system performance based on user preference. JIIS 34, 2010.
"""

import numpy as np

from ..by_topic import changes, cumsum, earlier_and_smaller, entries, offsets_of, tally
from ..ranking.judged import computed_once, ideal_list
from .base import BY_PRECISION
from .stop_sums import BETA, AtRelevant, BlendedRatio
from .sums import SORTED, SumOverRanks
from .topics import GainList, Topics, ratio

MANY = 32
"""Thresholds of a topic from which counting pairs is faster than one pass per threshold."""


class Thresholds:
    """The distinct gains of each topic's recall base, ascending, as thresholds of relevance.

    One entry per threshold: its `topic`, its gain `t`, its `distance` d_t from the next lower
    threshold (the lowest: from 0), and `relevant`, the number R_t of documents with at least that
    gain. Topic q has the entries `offsets[q]:offsets[q + 1]`.
    """

    def __init__(self, topics: Topics):
        self.topic, self.t, count = tally(topics.whole_ideal.topic, topics.whole_ideal.gain)
        self.offsets = offsets_of(self.topic, topics.count)
        previous = np.append(0.0, self.t[:-1])
        next_lower = np.where(changes(self.topic), 0.0, previous)
        below = cumsum(count, self.offsets) - count
        self.distance = self.t - next_lower
        self.relevant = topics.relevant[self.topic] - below

    def precision(self, run: GainList, weight: np.ndarray) -> np.ndarray:
        """Σ_t w_t C^t[i] / i at each document of the run, over the thresholds t up to its gain.

        `run` has relevant documents only, `weight` has one w_t per threshold. C^t[i] is the number
        of documents in the first i with at least the gain t.
        """
        level = self.level(run)
        result = np.empty(level.size)
        has_many = (np.diff(self.offsets) > MANY)[run.topic]
        if not has_many.all():
            few = ~has_many
            result[few] = self._by_level(run.where(few), level[few], weight)
        if has_many.any():
            result[has_many] = self._by_pair(run.where(has_many), level[has_many], weight)
        return result

    def level(self, run: GainList) -> np.ndarray:
        """The number of thresholds of its topic below the gain of each document."""
        threshold = entries(run.topic, run.gain, self.topic, self.t)
        return threshold - self.offsets[run.topic]

    def up_to(self, weight: np.ndarray, run: GainList, level: np.ndarray) -> np.ndarray:
        """W(g) = Σ_{t≤g} w_t for the gain of each document."""
        return cumsum(weight, self.offsets)[self.offsets[run.topic] + level]

    def _by_level(self, run: GainList, level: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """One threshold of each topic after the other, from the lowest: O(documents ·
        thresholds).
        """
        result = np.zeros(level.size)
        for number in range(level.max() + 1):
            reached = np.flatnonzero(level >= number)
            hits = run.where(reached)
            threshold = self.offsets[hits.topic] + number
            result[reached] += weight[threshold] * (hits.number / hits.rank)
        return result

    def _by_pair(self, run: GainList, level: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Pairs of documents j ≤ i counted by their lower gain, in O(n log n) for any number of
        thresholds.

        A pair counts in C^t[i] for each t that both reach: together these weigh W(min(G[i], G[j])).
        """
        up_to = self.up_to(weight, run, level)
        lower = earlier_and_smaller(level, run.offsets)
        of_lower = earlier_and_smaller(level, run.offsets, up_to)
        return (of_lower + up_to * (run.number - lower)) / run.rank


thresholds_of = computed_once(Thresholds)


class ByThreshold(SumOverRanks):
    """Precisions P^t with every threshold t of relevance, in a sum over the run's relevant
    documents.

    A threshold has the distance from the next lower one as its weight.
    """

    @property
    def extremes_by(self) -> str:
        return BY_PRECISION

    def norm(self, relevant: np.ndarray) -> np.ndarray:
        """The divisor of the precisions at a threshold that `relevant` documents reach."""
        return np.ones(relevant.shape)

    def amounts(self, topics: Topics) -> GainList:
        run = topics.run.relevant
        thresholds = thresholds_of(topics)
        weight = self.threshold_weights(thresholds)
        return run.with_gain(thresholds.precision(run, weight))

    def threshold_weights(self, thresholds: Thresholds) -> np.ndarray:
        """The weight of the precision at each threshold."""
        return thresholds.distance / self.norm(thresholds.relevant)


class _muAP(ByThreshold):
    r"""Average precision over all levels of gain (µAP): The mean of the average precisions with
    each gain as the threshold of relevance.

    :formula: Σ_t d_t AP^t / Σ_t d_t over the distinct positive gains t of the topic's recall base,
        d_t = t minus the next lower one (the lowest: minus 0), AP^t the average precision with
        relevance "gain ≥ t", a sum that is divided by the number of all these documents, also
        with @k
    :tex: \mu\mathrm{AP} &= \frac{\sum_t d_t\,\mathrm{AP}^t}{\sum_t d_t} \\ \mathrm{AP}^t &=
        \frac{1}{R_t} \sum_i \mathrm{rel}^t(i)\,\frac{C^t[i]}{i}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Scheel, Lommatzsch & Albayrak 2011, Eq. 4

    With a cutoff, AP^t still divides by all R_t relevant documents, as trec_eval's map_cut does. On
    binary judgments µAP equals AP. Doubling all levels does not change it.

    >>> qrels = {"q": {"a": 1, "b": 0, "c": 3, "d": 3, "e": 2, "f": 0, "g": 1, "h": 4}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdefgh")}}
    >>> round(muAP.calc_aggregate(qrels, run), 3)
    0.448
    """

    ALIASES = ("muMAP", "μAP", "μMAP")

    def norm(self, relevant: np.ndarray) -> np.ndarray:
        return relevant

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        return topics.best


class _GAP(ByThreshold):
    r"""Graded average precision: Average precision over users with different thresholds of
    relevance.

    :formula: Σ_i rel(i) (1/i) Σ_{j≤i} min(G[j], G[i]) / Σ_d G_d, the last sum over all judged
        documents
    :tex: \mathrm{GAP} = \frac{1}{\sum_d G_d} \sum_{i=1}^{k} \mathrm{rel}(i)\,\frac{1}{i}
        \sum_{j=1}^{i} \min(G[j], G[i])
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Robertson, Kanoulas & Yilmaz 2010

    The paper's probability that a user's threshold is at a gain is the distance of this gain from
    the next lower one, divided by the highest gain. The denominator is not cut with a cutoff. On
    binary judgments GAP equals AP.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(GAP.calc_aggregate(qrels, run), 4)
    0.4933
    >>> round(GAP(gains="exp").calc_aggregate(qrels, run), 4)
    0.475
    """

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        return topics.whole_ideal.total


class _MeanAtRelevant(AtRelevant):
    """The mean of a quotient at the run's relevant documents over all relevant documents."""

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        if cutoff is None:
            return topics.relevant
        return np.minimum.outer(topics.relevant, cutoff)


class _WAP(_MeanAtRelevant):
    r"""Weighted average precision: The mean share of the ideal cumulated gain at the ranks of
    relevant documents.

    :formula: (1/R) Σ_i rel(i) CG[i] / CG_I[i]; with @k the sum ends at k and divides by min(R, k)
    :tex: \mathrm{WAP} = \frac{1}{R} \sum_i \mathrm{rel}(i)\,\frac{\mathrm{CG}[i]}{\mathrm{CG}_I[i]}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Kando, Kuriyama & Yoshioka 2001; Zhou & Yao 2010, §5.5

    The ideal does not grow after rank R, so later ranks are not penalised: the paper's two systems,
    which find a document at rank 3 and at rank 5, have the same score.

    >>> qrels = {"q": {"a": 2, "b": 3, "c": 1}}
    >>> third = {"x": 3.0, "y": 2.0, "a": 1.0}
    >>> fifth = {"v": 5.0, "w": 4.0, **third}
    >>> for run in (third, fifth):
    ...     print(round(WAP.calc_aggregate(qrels, {"q": run}), 2))
    0.11
    0.11
    """

    TIES = SORTED

    def achieved(self, number: np.ndarray, gain: np.ndarray) -> np.ndarray:
        return gain

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        ideal = topics.whole_ideal
        return ideal.value_at(rank, topic, ideal.cumulated)


class _Q(_MeanAtRelevant, BlendedRatio):
    r"""Q-measure: The mean blended ratio of counts and gains at the ranks of relevant documents.

    :formula: (1/R) Σ_i rel(i) (C[i] + β CG[i]) / (i + β CG_I[i]), C[i] the relevant documents in
        the first i; with @k the sum ends at k and divides by min(R, k)
    :tex: Q = \frac{1}{R} \sum_i \mathrm{rel}(i)\,\frac{C[i] + \beta\,\mathrm{CG}[i]}{i +
        \beta\,\mathrm{CG}_I[i]}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Sakai 2004

    With β = 0 Q is average precision; with a large β it approaches WAP.

    >>> qrels = {"q": {"a": 2, "b": 3, "c": 1}}
    >>> third = {"x": 3.0, "y": 2.0, "a": 1.0}
    >>> fifth = {"v": 5.0, "w": 4.0, **third}
    >>> for run in (third, fifth):
    ...     print(round(Q.calc_aggregate(qrels, {"q": run}), 2))
    0.11
    0.09
    """

    ALIASES = ("QMeasure",)
    PARAMETERS = {"beta": BETA}
    TIES = SORTED


class _AGR(_WAP):
    r"""Average gain ratio: Weighted average precision with gains reduced where many documents share
    a level.

    :formula: WAP over g′(l) = g(l) − (R_l / R) (g(l) − g(l−1)) for a relevant document of level l,
        R_l the judged documents of that level; both cumulated gains use g′; with @k the sum ends
        at k and divides by min(R, k)
    :tex: \mathrm{AGR} &= \frac{1}{R} \sum_i
        \mathrm{rel}(i)\,\frac{\mathrm{CG}'[i]}{\mathrm{CG}'_I[i]} \\ g'(l) &= g(l) -
        \frac{R_l}{R}\,(g(l) - g(l - 1))
    :range: [0, 1]
    :undefined: 0 without relevant documents; WAP if every g′ is 0, as with binary judgments
    :source: Sakai 2003

    For a whole number l, l − 1 is literally the level one below. For other levels it is the next
    lower level in the topic's judgments (gain 0 if there is none).

    >>> topics = {"q": {f"d{number}": 1 for number in range(9)} | {"high": 3}}
    >>> AGR.calc_aggregate(topics, {"q": {"high": 1.0}})  # g′(3) = 3 − (3 − 2)·1/10 = 2.9, as ideal
    0.1
    """

    TIES = ("mean",)
    UNJUDGED = False

    def relevant(self, topics: Topics) -> GainList:
        run = topics.run.relevant
        level = topics.document_level[topics.document[topics.run.gain > 0]]
        return run.with_gain(self.adjusted(topics, run.topic, level))

    def adjusted(self, topics: Topics, topic: np.ndarray, level: np.ndarray) -> np.ndarray:
        """g′ of each `level` of each `topic`, which the judgments of the topic have."""
        levels = topics.ranks.judged.levels
        entry = entries(topic, level, levels.topic, levels.level)
        return _adjusted_gains(topics)[entry]

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        levels = topics.ranks.judged.levels
        best = ideal_list(levels.topic, _adjusted_gains(topics), levels.count, topics.count, None)
        ideal = GainList(topics.count, *best)
        return ideal.value_at(rank, topic, ideal.cumulated)


@computed_once
def _adjusted_gains(topics: Topics) -> np.ndarray:
    """g′ of each level of a topic; g in topics where every g′ is 0."""
    levels = topics.ranks.judged.levels
    topic = levels.topic
    level = levels.level
    gain = topics.gain_of(level)
    below = np.zeros(level.size)
    below[1:] = np.where(topic[1:] == topic[:-1], gain[:-1], 0.0)
    is_whole = level == np.floor(level)
    below[is_whole] = topics.gain_of(level[is_whole] - 1)

    share_of_level = ratio(levels.count, topics.relevant[topic])
    adjusted = gain - share_of_level * (gain - below)
    adjusted = np.where(gain > 0, adjusted, 0.0)
    has_gain = np.bincount(topic, weights=adjusted > 0, minlength=topics.count) > 0
    return np.where(has_gain[topic], adjusted, gain)


muAP = _muAP()
WAP = _WAP()
Q = _Q()
AGR = _AGR()
GAP = _GAP()
MEASURES = (muAP, WAP, Q, AGR, GAP)
