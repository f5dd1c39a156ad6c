"""The user's order of the documents against the system's: pairs, ranks and distances.

The documents compared are the judged ones; with judged_only=False the retrieved unjudged documents
join them with gain 0. Those that were not retrieved are tied with each other below all others.

Y. Y. Yao: Measuring retrieval effectiveness based on user preference of documents. JASIS 46(2),
1995. M. G. Kendall: The treatment of ties in ranking problems. Biometrika 33, 1945. C. Spearman,
1904. S. Mizzaro: A new measure of retrieval effectiveness. IRWS 2001. B. Zhou, Y. Yao: Evaluating
information retrieval system performance based on user preference. JIIS 34, 2010.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..by_topic import earlier_and_smaller, offsets_of, tally
from ..errors import GradedError
from .base import GradedMeasure
from .parameters import TIES, Choice, Flag, Parameter, Real
from .topics import Topics, ratio


class _Preference(GradedMeasure):
    JUDGED_ONLY = True
    PARAMETERS: ClassVar[Mapping[str, Parameter]] = {"ties": TIES}

    def of_pairs(self, topics: Topics) -> Pairs:
        return topics.once((Pairs, self["ties"]), lambda: Pairs.of(self.order(topics)))

    def order(self, topics: Topics) -> _Ordered:
        return topics.once((_Ordered, self["ties"]), lambda: _Ordered.of(topics, self["ties"]))


@dataclass(frozen=True)
class Pairs:
    """All pairs of each topic's documents, counted by how the two orders see them (T each).

    `agree` C⁺ and `oppose` C⁻: pairs that the user prefers and the system orders the same or the
    opposite way; `user` Cᵘ: that the user prefers and the system ties; `system` Cˢ: that the user
    ties and the system orders. `documents` N.
    """

    documents: np.ndarray
    agree: np.ndarray
    oppose: np.ndarray
    user: np.ndarray
    system: np.ndarray

    @classmethod
    def of(cls, order: _Ordered) -> Pairs:
        tied, size = order.tied_pairs, np.diff(order.offsets)
        user_ties, system_ties, both = tied(np.sort(order.user)), tied(order.system), tied(order.both)
        preferred = size * (size - 1) // 2 - user_ties
        # In this order a lower gain comes first only where the system puts it strictly first.
        opposed = earlier_and_smaller(order.kind, order.offsets)
        oppose = np.bincount(order.topic, weights=opposed, minlength=size.size).astype(np.int64)
        user = system_ties - both
        return cls(size, preferred - oppose - user, oppose, user, user_ties - both)

    @cached_property
    def preferred(self) -> np.ndarray:
        """C: the pairs that the user prefers."""
        return self.agree + self.oppose + self.user


@dataclass(frozen=True)
class _Ordered:
    """Documents in the system's order, those that it ties in the user's (D each): `topic` and `kind`, and
    numbers that are equal where the topic and its place in an order are, ascending with them: `user`,
    `system`, and `both`. The topics have the slices of `offsets`."""

    topic: np.ndarray
    kind: np.ndarray
    user: np.ndarray
    system: np.ndarray
    both: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, topics: Topics, ties: str) -> _Ordered:
        documents = topics.listed(ties)
        kinds, places = documents.gains.size, topics.retrieved + 2
        system = (np.cumsum(places) - places)[documents.topic] + documents.place
        # One sort of whole numbers: several times faster than lexsort.
        both = np.sort(system * kinds + (kinds - 1 - documents.kind))
        system, worse = np.divmod(both, kinds)
        offsets = offsets_of(documents.topic, topics.count)
        topic = np.repeat(np.arange(topics.count), np.diff(offsets))
        return cls(topic, kinds - 1 - worse, topic * kinds + worse, system, both, offsets)

    def tied_pairs(self, ascending: np.ndarray) -> np.ndarray:
        """How many pairs of each topic have the same number."""
        start, size = _runs(ascending)
        pairs = size * (size - 1) // 2
        pairs = np.bincount(self.topic[start], weights=pairs, minlength=self.offsets.size - 1)
        return pairs.astype(np.int64)

    def mean_ranks(self, numbers: np.ndarray) -> np.ndarray:
        """The rank of each number in its topic, equal ones at the mean of their ranks."""
        ascending = np.sort(numbers)
        start, size = _runs(ascending)
        mean = start - self.offsets[self.topic[start]] + 1 + (size - 1) / 2
        return mean[np.searchsorted(ascending[start], numbers)]


def _runs(ascending: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where equal numbers start, and how many they are."""
    start = np.flatnonzero(np.diff(ascending, prepend=-1))
    return start, np.diff(np.append(start, ascending.size))


class _NDPM(_Preference):
    r"""Normalised distance-based performance measure: how far the system's order is from the user's.

    :formula: (2 C⁻ + Cᵘ) / (2 C), C⁻ the pairs that the system orders against the user's preference, Cᵘ
        those that it ties, C all that the user prefers; with performance, 1 − that
    :tex: \mathrm{NDPM} = \frac{2\,C^- + C^u}{2\,C}
    :range: [0, 1]
    :undefined: 0.5 where the user prefers no document to another; an empty ranking is all ties: 0.5
    :source: Yao 1995; Zhou & Yao 2010, §5.7

    A distance: 0 is perfect. Zhou & Yao's tables show it with performance=True.

    >>> user = {"q": {"d1": 3, "d2": 3, "d3": 2, "d4": 1, "d5": 1, "d6": 0}}
    >>> system = {"q": {"d1": 4.0, "d3": 4.0, "d2": 3.0, "d5": 3.0, "d6": 2.0, "d4": 1.0}}
    >>> round(NDPM.calc_aggregate(user, system), 2)  # 6/26
    0.23
    """

    NAME = "NDPM"
    PRETTY_NAME = "Normalised distance-based performance measure"
    SHORT_DESC = "The share of the user's preferences that the system's order contradicts or ties."
    PARAMETERS = {
        "performance": Flag(default=False, desc="1 − the distance, so that 1 is perfect"),
        "ties": TIES,
    }
    DEFAULT = 0.5

    @property
    def smaller_is_better(self) -> bool:
        return not self["performance"]

    def values(self, topics: Topics) -> np.ndarray:
        pairs = self.of_pairs(topics)
        distance = ratio(2 * pairs.oppose + pairs.user, 2 * pairs.preferred, undefined=0.5)
        return 1 - distance if self["performance"] else distance


class _KendallTau(_Preference):
    r"""Kendall's rank correlation between the user's order and the system's.

    :formula: τ_a = (C⁺ − C⁻) / (N(N − 1)/2); τ_b = (C⁺ − C⁻) / √((C⁺ + C⁻ + Cᵘ)(C⁺ + C⁻ + Cˢ)); τ_c =
        (C⁺ − C⁻) 2m / (N²(m − 1)), m the smaller number of distinct values
    :tex: \tau_a &= \frac{C^+ - C^-}{N (N - 1) / 2} \\ \tau_b &= \frac{C^+ - C^-}{\sqrt{(C^+ + C^- +
        C^u)(C^+ + C^- + C^s)}} \\ \tau_c &= \frac{2\,m\,(C^+ - C^-)}{N^2 (m - 1)}
    :range: [-1, 1]
    :undefined: 0 where the denominator is 0, as where one of the orders ties all documents
    :source: Kendall 1945; Zhou & Yao 2010, §5.2

    >>> user = {"q": {"d1": 4, "d3": 3, "d2": 2, "d4": 1}}
    >>> round(KendallTau.calc_aggregate(user, {"q": {"d1": 4.0, "d3": 3.0, "d4": 2.0, "d2": 1.0}}), 2)
    0.67
    """

    NAME = "KendallTau"
    PRETTY_NAME = "Kendall's τ"
    SHORT_DESC = "The pairs that user and system order alike, less those they order oppositely."
    PARAMETERS = {
        "variant": Choice("b", "a", "c", default="b", desc="which of Kendall's treatments of ties"),
        "ties": TIES,
    }

    def values(self, topics: Topics) -> np.ndarray:
        pairs = self.of_pairs(topics)
        n = pairs.documents.astype(np.float64)
        surplus, decided = pairs.agree - pairs.oppose, pairs.agree + pairs.oppose
        if self["variant"] == "a":
            return ratio(surplus, n * (n - 1) / 2)
        if self["variant"] == "b":
            among = (decided + pairs.user).astype(np.float64) * (decided + pairs.system)
            return ratio(surplus, np.sqrt(among))
        documents = topics.listed(self["ties"])
        m = np.minimum(
            _distinct(documents.topic, documents.kind, topics.count),
            _distinct(documents.topic, documents.place, topics.count),
        )
        return ratio(surplus * 2.0 * m, n**2 * (m - 1))


def _distinct(topic: np.ndarray, values: np.ndarray, topics: int) -> np.ndarray:
    """How many distinct values each topic has."""
    return np.bincount(tally(topic, values)[0], minlength=topics)


class _Spearman(_Preference):
    r"""Spearman's rank correlation between the user's order and the system's.

    :formula: Pearson's r of the documents' ranks in the two orders, tied documents at their mean rank
    :tex: \rho = \frac{\sum_d (x_d - \bar{x}) (y_d - \bar{y})}{\sqrt{\sum_d (x_d - \bar{x})^2 \sum_d (y_d -
        \bar{y})^2}}
    :range: [-1, 1]
    :undefined: 0 where one of the orders ties all documents
    :source: Spearman 1904; Zhou & Yao 2010, §5.1

    >>> user = {"q": {"d1": 6, "d2": 1, "d3": 3, "d4": 5, "d5": 4}}
    >>> system = {"q": {"d1": 5.0, "d2": 6.0, "d3": 4.0, "d4": 3.0, "d5": 2.0}}
    >>> round(Spearman.calc_aggregate(user, system), 2)
    -0.3
    """

    NAME = "Spearman"
    PRETTY_NAME = "Spearman's ρ"
    SHORT_DESC = "The correlation of the documents' ranks in the user's order and the system's."

    def values(self, topics: Topics) -> np.ndarray:
        order = self.order(topics)
        topic, x, y = order.topic, order.mean_ranks(order.user), order.mean_ranks(order.system)
        middle = (np.diff(order.offsets) + 1) / 2
        x, y = x - middle[topic], y - middle[topic]

        def total(products: np.ndarray) -> np.ndarray:  # of quarters of whole numbers, so exact
            return np.bincount(topic, weights=products, minlength=topics.count)

        return np.clip(ratio(total(x * y), np.sqrt(total(x * x) * total(y * y))), -1, 1)


class _ADM(GradedMeasure):
    r"""Average distance measure: how near the system's scores are to the documents' gains.

    :formula: 1 − mean |s_d − u_d| over the documents, u = G/m with m = max_gain, s the score: norm='minmax'
        scales a topic's scores to [0, 1] (all equal: 1), 'none' takes them as they are; not retrieved: 0
    :tex: \mathrm{ADM} = 1 - \frac{1}{N} \sum_d |s_d - u_d|, \qquad u_d = \frac{G_d}{m}
    :range: [0, 1]; below 0 where max_gain is less than the topic's highest gain
    :undefined: 0 without relevant documents
    :source: Mizzaro 2001; Zhou & Yao 2010, §5.8

    The value of an empty ranking depends on the topic: 1 minus its mean gain. Raises `GradedError`
    for an infinite score, and under norm='none' for any outside [0, 1].

    >>> user = {"q": {"d1": 0.3, "d2": 0.2, "d3": 0.1}}
    >>> measure = ADM(norm="none", max_gain=1)
    >>> round(measure.calc_aggregate(user, {"q": {"d1": 0.6, "d2": 0.4, "d3": 0.2}}), 2)
    0.8
    >>> round(measure.calc_aggregate(user, {"q": {"d1": 0.1, "d2": 0.2, "d3": 0.3}}), 2)
    0.87
    """

    NAME = "ADM"
    PRETTY_NAME = "Average distance measure"
    SHORT_DESC = "The mean closeness of the system's scores to the documents' gains."
    PARAMETERS = {
        "norm": Choice("minmax", "none", default="minmax", desc="how scores are brought to [0, 1]"),
        "max_gain": Real(default=None, above=0, desc="the gain m that counts 1; unset: the topic's highest"),
    }
    JUDGED_ONLY = True
    DEFAULT = None

    def values(self, topics: Topics) -> np.ndarray:
        documents = topics.listed("rank")
        topic, m = documents.topic, self["max_gain"] or topics.best[documents.topic]
        u = ratio(documents.gain, m)
        s = np.where(documents.retrieved, self._scaled(documents.score, topic, topics), 0.0)
        size = np.bincount(topic, minlength=topics.count)
        total = np.bincount(topic, weights=np.abs(s - u), minlength=topics.count)
        return np.where(topics.relevant > 0, 1 - ratio(total, size), 0.0)

    def _scaled(self, score: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        whole = topics.ranks.whole
        lowest, highest = 0.0, 1.0
        if self["norm"] == "minmax":
            lowest, highest = -np.finfo(float).max, np.finfo(float).max
        refused = np.flatnonzero((whole.score < lowest) | (whole.score > highest))
        if refused.size:
            name, doc, value = whole.scored(int(refused[0]))
            allowed = "in [0, 1]" if self["norm"] == "none" else "finite"
            raise GradedError(
                f"{self}: topic {name!r}, document {doc!r} has the score {value}; it must be {allowed}"
            )
        if self["norm"] == "none":
            return score
        low, high = whole.lowest[topic] / 2, whole.highest[topic] / 2  # halves, whose difference is finite
        return ratio(score / 2 - low, high - low, undefined=1.0)


NDPM = _NDPM()
KendallTau = _KendallTau()
Spearman = _Spearman()
ADM = _ADM()
MEASURES = (NDPM, KendallTau, Spearman, ADM)
