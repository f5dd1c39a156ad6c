"""The length of a search: expected and average search length, normalised recall.

The list consists of levels of tied documents; the documents that are not retrieved form the last
level.

W. S. Cooper: Expected search length. American Documentation 19(1), 1968. R. M. Losee: Text
retrieval and filtering. Kluwer, 1998. J. J. Rocchio: Document retrieval systems, optimization and
evaluation. PhD thesis, Harvard, 1966.
"""

import numpy as np

from .base import GradedMeasure, collection_size
from .parameters import DOCS, TIED_BY, Count
from .topics import Topics, ratio

WANTED = Count(default=1, desc="number of relevant documents that the user wants")


class _SearchLength(GradedMeasure):
    CUTOFF = False
    PARAMETERS = {"docs": DOCS, "tied_by": TIED_BY}
    DEFAULT = None

    def levels(self, topics: Topics) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last position of the level of each retrieved relevant document."""
        if self["tied_by"] == "rank":
            rank = topics.run.relevant.rank
            return rank, rank
        relevant = topics.run.gain > 0
        return topics.first[relevant], topics.last[relevant]

    def positions(self, topics: Topics) -> np.ndarray:
        """The sum of the positions of the relevant documents; a tied document has its level's
        mean.
        """
        run = topics.run.relevant
        first, last = self.levels(topics)
        not_retrieved = topics.relevant - run.sizes
        middle_of_last_level = (topics.retrieved + 1 + collection_size(self, topics)) / 2
        return run.sum((first + last) / 2) + not_retrieved * middle_of_last_level


class _ESL(_SearchLength):
    r"""Expected search length: The number of non-relevant documents that a user reads before
    finding n relevant ones.

    :formula: j + i s / (r + 1), j the non-relevant documents in all levels before the level of the
        n-th relevant document; this level has r relevant and i non-relevant documents, and s of the
        n are in it
    :tex: \mathrm{ESL} = j + \frac{i\,s}{r + 1}
    :range: [0, ∞)
    :undefined: 0 without relevant documents; n > R: n = R
    :source: Cooper 1968

    The value of an empty ranking depends on the topic.

    >>> qrels = {"q": {"a": 1, "b": 1, "x": 0, "y": 0}}
    >>> ESL.calc_aggregate(qrels, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}})
    1.0
    >>> ESL.calc_aggregate(qrels, {"q": {"x": 1.0, "a": 1.0, "y": 1.0}})  # three are tied: 2·1/2
    1.0
    """

    PARAMETERS = {"n": WANTED, "docs": DOCS, "tied_by": TIED_BY}
    SMALLER_IS_BETTER = True

    def values(self, topics: Topics) -> np.ndarray:
        run = topics.run.relevant
        n = np.minimum(self["n"], topics.relevant)
        # The level of the n-th relevant document: its first and last position, and the number of
        # relevant documents before it and in it. It is the last level unless the document is
        # retrieved.
        begin = topics.retrieved + 1
        end = collection_size(self, topics)
        before = run.sizes.copy()
        r = topics.relevant - run.sizes

        is_retrieved = (n <= run.sizes) & (n > 0)
        entry = (run.offsets[:-1] + n - 1)[is_retrieved]
        topic = run.topic[entry]
        first, last = self.levels(topics)
        relevant_before = run.value_at(first[entry] - 1, topic, run.number)
        relevant_up_to = run.value_at(last[entry], topic, run.number)
        begin[is_retrieved] = first[entry]
        end[is_retrieved] = last[entry]
        before[is_retrieved] = relevant_before
        r[is_retrieved] = relevant_up_to - relevant_before

        j = (begin - 1) - before
        i = (end - begin + 1) - r
        return np.where(n > 0, j + ratio(i * (n - before), r + 1), 0.0)


class _ASL(_SearchLength):
    r"""Average search length: The mean position of the relevant documents.

    :formula: (1/R) Σ position of each relevant document; a tied document has its level's mean
        position
    :tex: \mathrm{ASL} = \frac{1}{R} \sum_d p_d
    :range: [0, ∞)
    :undefined: 0 without relevant documents
    :source: Losee 1998

    The value of an empty ranking depends on the topic.

    >>> qrels = {"q": {"a": 1, "b": 1, "x": 0}}
    >>> ASL.calc_aggregate(qrels, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    2.0
    """

    SMALLER_IS_BETTER = True

    def values(self, topics: Topics) -> np.ndarray:
        return ratio(self.positions(topics), topics.relevant)


class _NR(_SearchLength):
    r"""Normalised recall: How close the relevant documents are to the first R positions; 1 if all
    are there.

    :formula: 1 − (Σ position − R(R + 1)/2) / (R (N − R)), over the positions of the relevant
        documents
    :tex: \mathrm{NR} = 1 - \frac{\sum_d p_d - R (R + 1) / 2}{R\,(N - R)}
    :range: [0, 1]
    :undefined: 0 without relevant documents; 1 if all documents are relevant
    :source: Rocchio 1966

    The value of an empty ranking depends on the topic.

    >>> qrels = {"q": {"a": 1, "b": 1, "x": 0, "y": 0}}
    >>> NR.calc_aggregate(qrels, {"q": {"a": 4.0, "x": 3.0, "b": 2.0, "y": 1.0}})
    0.75
    """

    def values(self, topics: Topics) -> np.ndarray:
        n = collection_size(self, topics)
        r = topics.relevant
        late = self.positions(topics) - r * (r + 1) / 2
        return np.where(r > 0, 1 - ratio(late, r * (n - r)), 0.0)


ESL = _ESL()
ASL = _ASL()
NR = _NR()
MEASURES = (ESL, ASL, NR)
