"""Rank-biased precision with graded relevance, and its residual.

A. Moffat, J. Zobel: Rank-biased precision for measurement of retrieval effectiveness. ACM
Transactions on Information Systems 27(1), 2008.
"""

import numpy as np

from ..ranking.gains import LINEAR
from .base import TopGainMeasure
from .gain_sums import GainSum
from .parameters import TOP_GAIN, Flag, Real
from .topics import GainList, Topics


class _RBP_G(TopGainMeasure, GainSum):
    r"""Rank-biased precision (graded): The expected gain per document of a user who reads on with
    probability p.

    :formula: (1 − p) Σ_{i≤k} (G[i] / H) p^{i−1}; the residual is (1 − p) Σ_{i≤n} u_i p^{i−1} + p^n,
        where u_i is 1 for an unjudged document and 0 for a judged one, and n the number of ranks up
        to the cutoff
    :tex: \mathrm{RBP} &= (1 - p) \sum_{i=1}^{k} \frac{G[i]}{H}\,p^{i-1} \\ \mathrm{residual} &= (1
        - p) \sum_{i=1}^{n} u_i\,p^{i-1} + {p}^{n}
    :range: [0, 1]
    :undefined: 0 without relevant documents; the residual is always defined, and 1 for an empty
        list
    :source: Moffat & Zobel 2008

    With residual=True the value is the amount that unjudged documents with the top gain would add:
    value and residual bound the value under complete judgments. H is the highest gain in the qrels
    over all topics, or max_gain.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(RBP_G.calc_aggregate(qrels, run), 4)
    0.3105
    >>> round(RBP_G(gains="exp").calc_aggregate(qrels, run), 4)
    0.2348
    >>> round(RBP_G(residual=True).calc_aggregate(qrels, run), 4)  # d is unjudged: .1024 + .8^6
    0.3645
    """

    GAINS = LINEAR
    LINEAR = False
    PARAMETERS = {
        "p": Real(default=0.8, above=0, below=1, desc="persistence: the probability of reading on"),
        "max_gain": TOP_GAIN,
        "residual": Flag(default=False, desc="return what unjudged documents could still add"),
    }

    @property
    def DEFAULT(self) -> float:
        """The value of an empty ranking."""
        return 1.0 if self["residual"] else 0.0

    @property
    def needs_all_topics(self) -> bool:
        return super().needs_all_topics and not self["residual"]

    @property
    def smaller_is_better(self) -> bool:
        return bool(self["residual"])

    def factor(self, rank: np.ndarray) -> np.ndarray:
        return (1 - self["p"]) * self["p"] ** (rank - 1.0)

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> float:
        return self.top_gain(topics)

    def values(self, topics: Topics) -> np.ndarray:
        if self["residual"]:
            return topics.run.final(self._residual(topics), default=1.0)
        return super().values(topics)

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        if self["residual"]:
            return topics.run.latest(self._residual(topics), depth, default=1.0)
        return super().curve(topics, depth)

    def contributions(self, topics: Topics) -> GainList | None:
        return None if self["residual"] else super().contributions(topics)

    def refusal(self) -> str:
        for option in ("ties", "unjudged"):
            if self["residual"] and self.option(option):
                return f"{option}={self[option]!r} is not available with residual=True"
        return super().refusal()

    def _residual(self, topics: Topics) -> np.ndarray:
        """The residual of the list down to each judged document, as if all later ranks were
        unjudged.
        """
        run = topics.run
        p = self["p"]
        last = run.previous(run.rank.astype(np.float64), first=0.0)
        # (1 − p) Σ p^(i−1) over the unjudged ranks between two judged ones, in closed form
        between = p**last - p ** (run.rank - 1.0)
        return run.cumsum(between) + p ** run.rank.astype(np.float64)


RBP_G = _RBP_G()
MEASURES = (RBP_G,)
