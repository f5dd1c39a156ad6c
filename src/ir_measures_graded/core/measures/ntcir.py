"""Measures of the NTCIR tradition: blended ratios at the ranks where a population of users stops.

T. Sakai: On the task of finding one highly relevant document with high precision. IPSJ Transactions
on Databases 47(SIG 4), 2006 (2006a). T. Sakai: Give me just one highly relevant document:
P-measure. SIGIR 2006 (2006b). T. Sakai: On the properties of evaluation metrics for finding one
highly relevant document. IPSJ Transactions on Databases 48(SIG 9), 2007. T. Sakai, S. Robertson:
Modelling a user population for designing information retrieval metrics. EVIA 2008.
"""

import numpy as np

from .parameters import Choice, Real
from .stop_sums import BETA, BlendedRatio
from .sums import SORTED
from .topics import GainList, Topics


class _O_measure(BlendedRatio):
    r"""O-measure: The blended ratio of Q at the first relevant document.

    :formula: BR(i) at the first rank i with a relevant document, where BR(i) = (C[i] + β CG[i]) /
        (i + β CG_I[i]) and C[i] is the number of relevant documents in the first i
    :tex: O = \frac{1 + \beta\,G[i]}{i + \beta\,\mathrm{CG}_I[i]}
    :range: [0, 1]
    :undefined: 0 if no relevant document is retrieved
    :source: Sakai 2006a

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> O_measure.calc_aggregate(qrels, run), O_measure(gains="exp").calc_aggregate(qrels, run)
    (0.75, 0.5)
    """

    TIES = SORTED
    COMPARED = False

    def goes_on(self, gain: np.ndarray, topics: Topics) -> float:
        return 0.0


class _P_measure(BlendedRatio):
    r"""P-measure: The blended ratio of Q at the first of the best documents in the list.

    :formula: BR(i) at the preferred rank i, the first rank of the highest gain in the list, where
        BR(i) = (C[i] + β CG[i]) / (i + β CG_I[i]) and C[i] is the number of relevant documents in
        the first i
    :tex: P = \frac{C[i] + \beta\,\mathrm{CG}[i]}{i + \beta\,\mathrm{CG}_I[i]}
    :range: [0, 1]
    :undefined: 0 if no relevant document is retrieved
    :source: Sakai 2006b

    A longer list can lower the value: a better document at a late rank becomes the preferred one.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> P_measure.calc_aggregate(qrels, run), P_measure(gains="exp").calc_aggregate(qrels, run)
    (0.7, 0.75)
    """

    TIES = ()
    UNJUDGED = False

    def value_if_preferred(self, run: GainList, topics: Topics) -> np.ndarray:
        """The value of a list that ends at each relevant document, if this one is preferred."""
        return self.quality(run, topics)

    def amounts(self, topics: Topics) -> GainList:
        """The documents that are better than all above them, with the value at each."""
        run = topics.run.relevant
        best = run.previous(run.running(np.maximum, run.gain), first=0.0)
        return run.with_gain(self.value_if_preferred(run, topics)).where(run.gain > best)

    def total_of(self, amounts: GainList, topics: Topics) -> np.ndarray:
        return amounts.final(amounts.gain)

    def curve_of(self, amounts: GainList, topics: Topics, depth: int) -> np.ndarray:
        return amounts.latest(amounts.gain, depth)

    def contributions(self, topics: Topics) -> GainList | None:
        return None


class _P_plus(_P_measure):
    r"""P⁺-measure: The mean blended ratio of Q down to the first of the best documents in the list.

    :formula: (1 / C[r]) Σ_{i≤r} rel(i) BR(i), where r is the preferred rank, the first rank of the
        highest gain in the list, and BR(i) = (C[i] + β CG[i]) / (i + β CG_I[i])
    :tex: P^+ = \frac{1}{C[r]} \sum_{i=1}^{r} \mathrm{rel}(i)\,\frac{C[i] +
        \beta\,\mathrm{CG}[i]}{i + \beta\,\mathrm{CG}_I[i]}
    :range: [0, 1]
    :undefined: 0 if no relevant document is retrieved
    :source: Sakai 2007

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(P_plus.calc_aggregate(qrels, run), 4), P_plus(gains="exp").calc_aggregate(qrels, run)
    (0.725, 0.625)
    """

    def value_if_preferred(self, run: GainList, topics: Topics) -> np.ndarray:
        return run.cumsum(self.quality(run, topics)) / run.number


class _NCU(BlendedRatio):
    r"""Normalised cumulative utility: The mean utility of the list for users who stop at different
    relevant documents.

    :formula: Σ_{i≤k} rel(i) Pr(i) U(i); stop='gu': Pr(i) = G[i] / Σ_d G_d; 'rb': Pr(i) = γ^{C[i]−1}
        / Σ_{j<R} γ^j; utility='P': U(i) = C[i] / i; 'BR': U(i) = (C[i] + β CG[i]) / (i + β CG_I[i])
    :tex: \mathrm{NCU} &= \sum_{i=1}^{k} \mathrm{rel}(i)\,\mathrm{Pr}(i)\,U(i) \\ \mathrm{Pr}_g(i)
        &= \frac{G[i]}{\sum_d G_d} \qquad \mathrm{Pr}_r(i) = \frac{{\gamma}^{C[i] -
        1}}{\sum_{j=0}^{R-1} {\gamma}^{j}} \\ U_P(i) &= \frac{C[i]}{i} \qquad U_B(i) = \frac{C[i] +
        \beta\,\mathrm{CG}[i]}{i + \beta\,\mathrm{CG}_I[i]}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Sakai & Robertson 2008

    Users stop at a relevant document in proportion to its gain (graded-uniform, gu), or with a
    probability that falls by γ from one relevant document of the list to the next (rank-biased,
    rb). The probabilities sum to 1 over all relevant documents of the topic, also with a cutoff.
    Without a cutoff, stop='rb' with γ = 1 and utility='BR' is Q.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(NCU.calc_aggregate(qrels, run), 4)
    0.5267
    >>> round(NCU(stop="rb", utility="BR").calc_aggregate(qrels, run), 4)
    0.4878
    """

    PARAMETERS = {
        "stop": Choice(
            "gu", "rb", default="gu", desc="where users stop: graded-uniform or rank-biased"
        ),
        "utility": Choice("P", "BR", default="P", desc="precision, or the blended ratio of Q"),
        "gamma": Real(
            default=0.95,
            above=0,
            at_most=1,
            desc="γ: the factor per relevant document if stop='rb'",
        ),
        "beta": BETA,
    }
    TIES = ("mean",)
    UNJUDGED = False

    @property
    def beta(self) -> float:
        return super().beta if self["utility"] == "BR" else 0.0

    def stops(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        return gain if self["stop"] == "gu" else 1.0

    def goes_on(self, gain: np.ndarray, topics: Topics) -> float:
        return 1.0 if self["stop"] == "gu" else float(self["gamma"])

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        ideal = topics.whole_ideal
        return ideal.sum(self.reached(ideal, topics))


O_measure = _O_measure()
P_measure = _P_measure()
P_plus = _P_plus()
NCU = _NCU()
MEASURES = (O_measure, P_measure, P_plus, NCU)
