"""Ratios of accumulated gain to the possible gain, and of retrieved to all non-relevant documents.

S. M. Pollack: Measures for the comparison of information retrieval systems. American Documentation
19(4), 1968. Y. Sagara: Performance measures for ranked output retrieval systems. Journal of Japan
Society of Information and Knowledge 12(2), 2002. J. Kekäläinen, K. Järvelin: Using graded relevance
assessments in IR evaluation. JASIST 53(13), 2002.
"""

import numpy as np

from ..by_topic import tally
from ..ranking.judged import ideal_list
from .base import BY_BEST_GAIN, GradedMeasure, MaxGainMeasure, collection_size
from .gain_sums import GainSum, NormalisedGainSum
from .parameters import DOCS, TOPICS_BEST, Choice
from .topics import GainList, Topics, ratio

DOCUMENTS = "the documents of the ideal list: all judged documents, or the run's whole list"
IDEAL = Choice("judged", "retrieved", default="judged", desc=DOCUMENTS)


class _SR(NormalisedGainSum):
    r"""Sliding ratio: The accumulated gain as a share of that of the ideal list.

    :formula: Σ_{i≤k} G[i] / Σ_{i≤k} I[i]
    :tex: \mathrm{SR}[k] = \frac{\sum_{i=1}^{k} G[i]}{\sum_{i=1}^{k} I[i]}
    :range: [0, 1]
    :undefined: 0 without relevant documents (with ideal='retrieved': without retrieved relevant
        documents)
    :source: Pollack 1968; Zhou & Yao 2010, §5.3

    With ideal='retrieved' the ideal list I is the run's own list, reordered by gain, as Järvelin &
    Kekäläinen 2002 describe it.

    >>> qrels = {"q": {"a": 3, "b": 2, "c": 2, "d": 1, "e": 1}}
    >>> run = {"q": {"d": 5.0, "e": 4.0, "b": 3.0, "a": 2.0, "x": 1.0}}
    >>> round((SR @ 5).calc_aggregate(qrels, run), 2)
    0.78
    """

    PARAMETERS = {"ideal": IDEAL}

    @property
    def ideal_documents(self) -> str:
        return str(self["ideal"])

    def ideal(self, topics: Topics) -> GainList:
        if self["ideal"] == "judged":
            return topics.ideal
        run = topics.whole_run
        topic, gain, count = tally(run.topic, run.gain)
        entries = ideal_list(topic, gain, count, topics.count, topics.cutoff)
        return GainList(topics.count, *entries)


class _MSR(_SR):
    r"""Modified sliding ratio: The sliding ratio with every gain divided by its rank.

    :formula: Σ_{i≤k} G[i]/i / Σ_{i≤k} I[i]/i
    :tex: \mathrm{MSR}[k] = \frac{\sum_{i=1}^{k} G[i] / i}{\sum_{i=1}^{k} I[i] / i}
    :range: [0, 1]
    :undefined: 0 without relevant documents (with ideal='retrieved': without retrieved relevant
        documents)
    :source: Sagara 2002; Zhou & Yao 2010, §5.3

    >>> qrels = {"q": {"a": 3, "b": 2, "c": 2, "d": 1, "e": 1}}
    >>> run = {"q": {"d": 5.0, "e": 4.0, "b": 3.0, "a": 2.0, "x": 1.0}}
    >>> round((MSR @ 5).calc_aggregate(qrels, run), 2)
    0.57
    """

    def discount(self, rank: np.ndarray) -> np.ndarray:
        return rank


class _gP(MaxGainMeasure, GainSum):
    r"""Generalised precision: The mean gain at the first k ranks, as a share of the highest gain.

    :formula: Σ_{i≤k} G[i] / (m k), m = max_gain; without a cutoff k is the number of retrieved
        documents
    :tex: \mathrm{gP}[k] = \frac{1}{m\,k} \sum_{i=1}^{k} G[i]
    :range: [0, 1]
    :undefined: 0 without relevant or retrieved documents
    :source: Kekäläinen & Järvelin 2002

    >>> qrels = {"q": {"a": 3, "b": 1}}
    >>> (gP @ 2).calc_aggregate(qrels, {"q": {"a": 2.0, "x": 1.0}})
    0.5
    """

    PARAMETERS = {"max_gain": TOPICS_BEST}
    LINEAR = False
    LIMIT = 1.0

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        m = self.best(topics)
        if cutoff is None:
            return m * topics.retrieved
        return np.multiply.outer(m, cutoff)

    @property
    def extremes_by(self) -> str:
        if self["max_gain"] is None:  # the highest gain of the topic depends on the judgments
            return BY_BEST_GAIN
        return super().extremes_by


class _gR(NormalisedGainSum):
    r"""Generalised recall: The gain at the first k ranks, as a share of the whole recall base.

    :formula: Σ_{i≤k} G[i] / Σ_i I[i], the second sum over the whole recall base
    :tex: \mathrm{gR}[k] = \frac{\sum_{i=1}^{k} G[i]}{\sum_i I[i]}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Kekäläinen & Järvelin 2002

    >>> qrels = {"q": {"a": 3, "b": 1}}
    >>> (gR @ 2).calc_aggregate(qrels, {"q": {"a": 2.0, "x": 1.0}})
    0.75
    """

    IDEAL_IS_CUT = False


class _Fallout(GradedMeasure):
    r"""Fallout: The share of the collection's non-relevant documents that are retrieved.

    :formula: (non-relevant documents in the first k) / (N − R), where N is the size of the
        collection; unjudged documents are non-relevant
    :tex: \mathrm{Fallout} = \frac{k - \sum_{i=1}^{k} \mathrm{rel}(i)}{N - R}
    :range: [0, 1]
    :undefined: 0 without non-relevant documents in the collection; defined without relevant
        documents
    :source: Zhou & Yao 2010, §3

    The cutoff k is at most the number of retrieved documents.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(Fallout(docs=100).calc_aggregate(qrels, run), 4)  # b and d of 94
    0.0213
    """

    PARAMETERS = {"docs": DOCS}
    SMALLER_IS_BETTER = True

    def values(self, topics: Topics) -> np.ndarray:
        retrieved = topics.retrieved - topics.run.relevant.sizes
        in_collection = collection_size(self, topics) - topics.relevant
        return ratio(retrieved, in_collection)


SR = _SR()
MSR = _MSR()
gP = _gP()
gR = _gR()
Fallout = _Fallout()
MEASURES = (SR, MSR, gP, gR, Fallout)
