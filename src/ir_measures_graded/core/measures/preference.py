"""Comparison of the user's order of the documents with the system's: pairs, ranks and distances.

The two orders are compared on the judged documents; with judged_only=False also on the retrieved
unjudged documents, which gain 0. Documents that are not retrieved are tied with each other below
all others.

Y. Y. Yao: Measuring retrieval effectiveness based on user preference of documents. JASIS 46(2),
1995. M. G. Kendall: The treatment of ties in ranking problems. Biometrika 33, 1945. C. Spearman,
1904. S. Mizzaro: A new measure of retrieval effectiveness. IRWS 2001. P. Borlund, P. Ingwersen:
Measures of relative relevance and ranked half-life. SIGIR 1998. P. Borlund: Evaluation of
interactive information retrieval systems. PhD thesis, Åbo Akademi University, 2000. B. Zhou, Y.
Yao: Evaluating information retrieval system performance based on user preference. JIIS 34, 2010.
"""

import numpy as np

from ..by_topic import coded, earlier_and_smaller, largest, offsets_of, positions, tally
from ..ranking.gains import WHOLE
from ..ranking.judged import computed_once
from .base import GradedMeasure, MaxGainMeasure, ScoreError
from .parameters import TIED_BY, TOPICS_BEST, Choice, Flag
from .topics import GainList, Topics, full_list, ratio, share

NORM = Choice("minmax", "none", default="minmax", desc="how scores are scaled to [0, 1]")


def at_ranks(topics: Topics, values: np.ndarray) -> np.ndarray:
    """The values at the ranks of `full_list`, from one for each position of `ranks.score`."""
    return values[positions(topics.ranks.retrieved) < (topics.cutoff or np.inf)]


@computed_once
def missed(topics: Topics) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gains of the judged documents that the run's list lacks: topic, gain and number of
    documents.
    """
    lacking = np.ones(topics.document_topic.size, dtype=bool)
    lacking[topics.document] = False
    return tally(topics.document_topic[lacking], topics.document_gain[lacking])


class Documents:
    """The documents of the run's list and the judged ones that it lacks, in the system's order.

    An entry stands for `size` documents of a `topic`. The system prefers a lower `rank`, and the
    user a higher `kind`, the index of the gain among all gains. The missing documents are tied at
    the last rank; with `tied_by='score'` so are those with equal scores. Tied documents are in the
    user's order, the worst first.
    """

    def __init__(self, topics: Topics, tied_by: str):
        run = full_list(topics)
        missed_topic, missed_gain, missed_size = missed(topics)
        rank = run.rank
        if tied_by == "score":
            rank = at_ranks(topics, topics.ranks.first_of_tie)
        _, kind = coded(np.append(run.gain, missed_gain))
        size = np.append(np.ones_like(rank), missed_size)
        rank = np.append(rank, topics.retrieved[missed_topic] + 1)
        topic = np.append(run.topic, missed_topic)
        key = one_key(topic, rank, kind)
        order = np.argsort(key, kind="stable")  # both parts are nearly sorted
        self.topic = topic[order]
        self.rank = rank[order]
        self.kind = kind[order]
        self.size = size[order]


def one_key(*columns: np.ndarray) -> np.ndarray:
    """One integer for each row of some columns, in their lexicographic order.

    >>> one_key(np.array([0, 0, 1]), np.array([2, 0, 1])).tolist()
    [2, 0, 4]
    """
    key = columns[0]
    for column in columns[1:]:
        width = int(column.max(initial=0)) + 1
        if (int(key.max(initial=0)) + 1) * width > WHOLE:  # the product would overflow
            key = np.unique(key, return_inverse=True)[1]
        key = key * width + column
    return key


documents_of = computed_once(Documents)


class Groups:
    """The documents of each topic that are equal in some columns, in ascending order of these.

    A group has tied documents. There are the `topic` and `size` of each group, topic after topic,
    and the `group` of each entry.
    """

    def __init__(self, documents: Documents, *columns: np.ndarray):
        key = one_key(documents.topic, *columns)
        _, first, self.group = np.unique(key, return_index=True, return_inverse=True)
        self.topic = documents.topic[first]
        self.size = np.bincount(self.group, documents.size).astype(np.int64)

    def pairs(self, topic_count: int) -> np.ndarray:
        """The number of pairs of tied documents in each topic (T)."""
        pairs = self.size * (self.size - 1) // 2
        return np.bincount(self.topic, pairs, topic_count).astype(np.int64)

    @property
    def positions(self) -> np.ndarray:
        """The position of each entry in the order of the groups; tied documents share their mean
        position.
        """
        before = np.cumsum(self.size) - self.size
        middle = before + (self.size - 1) / 2
        return middle[self.group]


class Pairs:
    """All pairs of each topic's documents, counted by how the two orders treat them (T each).

    `documents` is N. The user prefers one document of a pair (`preferred`, C), and the system
    orders the two the same way (`agree`, C⁺), the opposite way (`oppose`, C⁻) or not at all
    (`user`, Cᵘ). In `system` (Cˢ) the user has no preference and the system orders the two.
    `distinct` is m of Kendall's τ_c.
    """

    def __init__(self, topics: Topics, tied_by: str):
        documents = documents_of(topics, tied_by)
        topic = documents.topic
        kind = documents.kind
        size = documents.size
        count = topics.count
        by_user = Groups(documents, kind)
        by_system = Groups(documents, documents.rank)
        both = Groups(documents, documents.rank, kind).pairs(count)
        # An earlier document with a higher gain is one that the system strictly prefers.
        descending_kind = kind.max(initial=0) - kind
        agreed = earlier_and_smaller(descending_kind, offsets_of(topic, count), size)
        n = np.bincount(topic, size, count).astype(np.int64)
        self.documents = n
        self.preferred = n * (n - 1) // 2 - by_user.pairs(count)
        self.agree = np.bincount(topic, agreed * size, count).astype(np.int64)
        # The system ties pairs that the user orders (Cᵘ), and the other way round (Cˢ).
        self.user = by_system.pairs(count) - both
        self.system = by_user.pairs(count) - both
        self.oppose = self.preferred - self.agree - self.user
        levels_of_user = np.bincount(by_user.topic, minlength=count)
        levels_of_system = np.bincount(by_system.topic, minlength=count)
        self.distinct = np.minimum(levels_of_user, levels_of_system)


pairs_of = computed_once(Pairs)


class _Preference(GradedMeasure):
    JUDGED_ONLY = True
    PARAMETERS = {"tied_by": TIED_BY}


class _NDPM(_Preference):
    r"""Normalised distance-based performance measure: The share of the user's preferences that the
    system's order contradicts or ties.

    :formula: (2 C⁻ + Cᵘ) / (2 C), C⁻ the pairs that the system orders against the user's
        preference, Cᵘ the pairs that it ties, C all pairs with a preference of the user; with
        performance, 1 minus this
    :tex: \mathrm{NDPM} = \frac{2\,C^- + C^u}{2\,C}
    :range: [0, 1]
    :undefined: 0.5 if the user has no preference; an empty ranking ties all documents and scores
        0.5
    :source: Yao 1995; Zhou & Yao 2010, §5.7

    NDPM is a distance: 0 is perfect. Zhou & Yao's tables show it with performance=True.

    >>> user = {"q": {"d1": 3, "d2": 3, "d3": 2, "d4": 1, "d5": 1, "d6": 0}}
    >>> system = {"q": {"d1": 4.0, "d3": 4.0, "d2": 3.0, "d5": 3.0, "d6": 2.0, "d4": 1.0}}
    >>> round(NDPM.calc_aggregate(user, system), 2)  # 6/26
    0.23
    """

    PARAMETERS = {
        "performance": Flag(default=False, desc="return 1 − distance, so that 1 is perfect"),
        "tied_by": TIED_BY,
    }
    DEFAULT = 0.5

    @property
    def smaller_is_better(self) -> bool:
        return not self["performance"]

    def values(self, topics: Topics) -> np.ndarray:
        pairs = pairs_of(topics, self["tied_by"])
        distance = ratio(2 * pairs.oppose + pairs.user, 2 * pairs.preferred, undefined=0.5)
        if self["performance"]:
            return 1 - distance
        return distance


class _KendallTau(_Preference):
    r"""Kendall's τ: The pairs that user and system order alike minus the pairs that they order
    oppositely.

    :formula: τ_a = (C⁺ − C⁻) / (N(N − 1)/2); τ_b = (C⁺ − C⁻) / √((C⁺ + C⁻ + Cᵘ)(C⁺ + C⁻ + Cˢ)); τ_c
        = (C⁺ − C⁻) 2m / (N²(m − 1)), m the smaller number of distinct values
    :tex: \tau_a &= \frac{C^+ - C^-}{N (N - 1) / 2} \\ \tau_b &= \frac{C^+ - C^-}{\sqrt{(C^+ + C^- +
        C^u)(C^+ + C^- + C^s)}} \\ \tau_c &= \frac{2\,m\,(C^+ - C^-)}{N^2 (m - 1)}
    :range: [-1, 1]
    :undefined: 0 if the denominator is 0, for example if one of the orders ties all documents
    :source: Kendall 1945; Zhou & Yao 2010, §5.2

    >>> user = {"q": {"d1": 4, "d3": 3, "d2": 2, "d4": 1}}
    >>> system = {"q": {"d1": 4.0, "d3": 3.0, "d4": 2.0, "d2": 1.0}}
    >>> round(KendallTau.calc_aggregate(user, system), 2)
    0.67
    """

    PARAMETERS = {
        "variant": Choice(
            "b", "a", "c", default="b", desc="Kendall's treatment of ties: τ-a, τ-b or τ-c"
        ),
        "tied_by": TIED_BY,
    }

    def values(self, topics: Topics) -> np.ndarray:
        pairs = pairs_of(topics, self["tied_by"])
        n = pairs.documents.astype(np.float64)
        surplus = pairs.agree - pairs.oppose
        decided = pairs.agree + pairs.oppose
        if self["variant"] == "a":
            return ratio(surplus, n * (n - 1) / 2)
        if self["variant"] == "b":
            ordered_by_user = (decided + pairs.user).astype(np.float64)
            ordered_by_system = decided + pairs.system
            return ratio(surplus, np.sqrt(ordered_by_user * ordered_by_system))
        return ratio(surplus * 2.0 * pairs.distinct, n**2 * (pairs.distinct - 1))


class _Spearman(_Preference):
    r"""Spearman's ρ: The correlation of the documents' ranks in the user's order and in the
    system's.

    :formula: Pearson's r of the documents' ranks in the two orders; tied documents share their mean
        rank
    :tex: \rho = \frac{\sum_d (x_d - \bar{x}) (y_d - \bar{y})}{\sqrt{\sum_d (x_d - \bar{x})^2 \sum_d
        (y_d - \bar{y})^2}}
    :range: [-1, 1]
    :undefined: 0 if one of the orders ties all documents
    :source: Spearman 1904; Zhou & Yao 2010, §5.1

    >>> user = {"q": {"d1": 6, "d2": 1, "d3": 3, "d4": 5, "d5": 4}}
    >>> system = {"q": {"d1": 5.0, "d2": 6.0, "d3": 4.0, "d4": 3.0, "d5": 2.0}}
    >>> round(Spearman.calc_aggregate(user, system), 2)
    -0.3
    """

    def values(self, topics: Topics) -> np.ndarray:
        documents = documents_of(topics, self["tied_by"])
        topic = documents.topic
        size = documents.size
        number = np.bincount(topic, size, topics.count)
        before = np.cumsum(number) - number
        mean = before + (number - 1) / 2
        x = mean[topic] - Groups(documents, documents.kind).positions
        y = Groups(documents, documents.rank).positions - mean[topic]
        # The sums are exact: products are multiples of 1/4.
        xy = np.bincount(topic, size * (x * y), topics.count)
        xx = np.bincount(topic, size * (x * x), topics.count)
        yy = np.bincount(topic, size * (y * y), topics.count)
        return np.clip(ratio(xy, np.sqrt(xx * yy)), -1, 1)


class _ADM(MaxGainMeasure):
    r"""Average distance measure: The mean closeness of the system's scores to the documents' gains.

    :formula: 1 − mean |s_d − u_d| over the documents, u = G/m with m = max_gain, s the score:
        norm='minmax' scales a topic's scores to [0, 1] (all equal: 1), 'none' uses them unchanged;
        not retrieved: 0
    :tex: \mathrm{ADM} = 1 - \frac{1}{N} \sum_d |s_d - u_d|, \qquad u_d = \frac{G_d}{m}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Mizzaro 2001; Zhou & Yao 2010, §5.8

    The value of an empty ranking depends on the topic: 1 minus its mean u. An infinite score raises
    `GradedError`, as does a score outside [0, 1] with norm='none'.

    >>> user = {"q": {"d1": 0.3, "d2": 0.2, "d3": 0.1}}
    >>> measure = ADM(norm="none", max_gain=1)
    >>> round(measure.calc_aggregate(user, {"q": {"d1": 0.6, "d2": 0.4, "d3": 0.2}}), 2)
    0.8
    >>> round(measure.calc_aggregate(user, {"q": {"d1": 0.1, "d2": 0.2, "d3": 0.3}}), 2)
    0.87
    """

    PARAMETERS = {"norm": NORM, "max_gain": TOPICS_BEST}
    JUDGED_ONLY = True
    DEFAULT = None

    def values(self, topics: Topics) -> np.ndarray:
        run = full_list(topics)
        missed_topic, missed_gain, number = missed(topics)
        topic = np.append(run.topic, np.repeat(missed_topic, number))
        gain = np.append(run.gain, np.repeat(missed_gain, number))
        m = self.best(topics)
        s = np.append(scaled_scores(self, topics), np.zeros(number.sum()))
        u = ratio(gain, m[topic])
        total = np.bincount(topic, weights=np.abs(s - u), minlength=topics.count)
        size = np.bincount(topic, minlength=topics.count)
        return np.where(topics.relevant > 0, 1 - ratio(total, size), 0.0)


def scaled_scores(measure: GradedMeasure, topics: Topics) -> np.ndarray:
    """The scores at the ranks of `full_list`: with norm='minmax' scaled to [0, 1] by topic, else
    unchanged.

    Raises `GradedError` for an infinite score, and with norm='none' for a score outside [0, 1].
    """
    scales = measure["norm"] == "minmax"
    if scales:
        largest_float = float(np.finfo(float).max)
        _refuse_scores(measure, topics, -largest_float, largest_float, "finite")
    else:
        _refuse_scores(measure, topics, 0.0, 1.0, "in [0, 1]")
    whole = topics.ranks.whole
    score = at_ranks(topics, topics.ranks.score)
    topic = full_list(topics).topic
    if not scales:
        return score
    # The difference of halves is finite. Halves of the smallest floats would be rounded.
    largest_size = np.maximum(np.abs(whole.lowest), np.abs(whole.highest))
    factor = np.where(largest_size > 1, 0.5, 1.0)
    low = whole.lowest * factor
    high = whole.highest * factor
    above_low = score * factor[topic] - low[topic]
    return ratio(above_low, (high - low)[topic], undefined=1.0)


def _refuse_scores(
    measure: GradedMeasure, topics: Topics, lowest: float, highest: float, allowed: str
) -> None:
    """Raise `ScoreError` for the first score below `lowest` or above `highest`."""
    whole = topics.ranks.whole
    if (whole.lowest >= lowest).all() and (whole.highest <= highest).all():
        return
    is_refused = (whole.score < lowest) | (whole.score > highest)
    position = int(np.argmax(is_refused))
    starts = np.cumsum(whole.retrieved) - whole.retrieved
    number = int(np.searchsorted(starts, position, side="right")) - 1
    rank = position - int(starts[number]) + 1
    rule = f"has the score {whole.score[position]}; it must be {allowed}"
    raise ScoreError(f"{measure}: topic {topics.names[number]!r}", position, rank, rule)


class _RelativeRelevance(GradedMeasure):
    r"""Relative relevance: The cosine of the system's scores and the gains of the retrieved
    documents.

    :formula: Σ_d s_d G_d / √(Σ_d s_d² Σ_d G_d²) over the retrieved documents, s the score:
        norm='minmax' scales a topic's scores to [0, 1] (all equal: 1), 'none' uses them unchanged
    :tex: \mathrm{RR} = \frac{\sum_d s_d\,G_d}{\sqrt{\sum_d s_d^2 \sum_d G_d^2}}
    :range: [0, 1]
    :undefined: 0 if all scores or all gains of the retrieved documents are 0
    :source: Borlund & Ingwersen 1998; Borlund 2000; Järvelin & Kekäläinen 2002, §2.4

    An infinite score raises `GradedError`, as does a score outside [0, 1] with norm='none'.

    >>> qrels = {"q": {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}}
    >>> run = {"q": {doc: -rank for rank, doc in enumerate("abcdef")}}
    >>> round(RelativeRelevance.calc_aggregate(qrels, run), 4)
    0.6963
    """

    PARAMETERS = {"norm": NORM}

    def values(self, topics: Topics) -> np.ndarray:
        run = full_list(topics)
        s = scaled_by_power_of_2(scaled_scores(self, topics), run)
        g = scaled_by_power_of_2(ratio(run.gain, topics.best[run.topic]), run)
        product = run.sum(s * g)
        squares = run.sum(s * s) * run.sum(g * g)
        return share(product, np.sqrt(squares))


def scaled_by_power_of_2(values: np.ndarray, run: GainList) -> np.ndarray:
    """Values of a list, divided by a power of 2 for each topic that keeps their squares in the
    range of floats.
    """
    _, exponent = np.frexp(largest(values, run.offsets))
    return np.ldexp(values, -exponent[run.topic])


NDPM = _NDPM()
KendallTau = _KendallTau()
Spearman = _Spearman()
ADM = _ADM()
RelativeRelevance = _RelativeRelevance()
MEASURES = (NDPM, KendallTau, Spearman, ADM, RelativeRelevance)
