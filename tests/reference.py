"""Plain and slow implementations of all measures: loops over ranks and pairs, one topic at a time.

`value(measure, qrels, run)` is the value of one topic. Nothing here is shared with the package.
"""

import ctypes
import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from ir_measures_graded import GradedMeasure

Documents = Mapping[str, float]


def as_float32(score: float) -> float:
    return ctypes.c_float(score).value


def order(run: Documents) -> list[str]:
    """Documents by score descending, compared as 32-bit floats, then by id descending."""
    return sorted(run, key=lambda doc: (as_float32(run[doc]), doc), reverse=True)


def gains_of(measure: GradedMeasure) -> Mapping[float, float] | str | int:
    """The gains of a measure, or its least level of a relevant document, which gains 1."""
    return measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else measure["gains"]


def gain(level: float, gains: Mapping[float, float] | str | int) -> float:
    if isinstance(gains, int):
        return 1 if level >= gains else 0
    if isinstance(gains, str):
        return {"linear": max(level, 0), "exp": 2 ** max(level, 0) - 1}[gains]
    return gains[level] if level in gains else max(level, 0)


def run_gains(
    qrels: Documents, run: Documents, gains: Mapping[float, float], judged_only: bool
) -> list[float]:
    """G: the gain at each rank of the run's whole list."""
    listed = [doc for doc in order(run) if doc in qrels or not judged_only]
    return [gain(qrels[doc], gains) if doc in qrels else 0 for doc in listed]


def ideal_gains(qrels: Documents, gains: Mapping[float, float]) -> list[float]:
    """I: the gains of all judged documents, descending."""
    return sorted((gain(level, gains) for level in qrels.values()), reverse=True)


def vector(gains: Sequence[float], k: int, discount) -> list[float]:
    """The running sum of discounted gains at ranks 1…k; ranks after the list gain nothing."""
    total = 0.0
    sums = []
    for rank in range(1, k + 1):
        if rank <= len(gains):
            total += discount(gains[rank - 1], rank)
        sums.append(total)
    return sums


def value(measure: GradedMeasure, qrels: Documents, run: Documents) -> float:
    """The value of one topic, for a measure with its `max_gain` given if it needs all topics."""
    if measure.NAME in OF_LISTS:
        return OF_LISTS[measure.NAME](measure, *lists(measure, qrels, run))
    return OF_DOCUMENTS[measure.NAME](measure, qrels, run)


def whole_list(measure: GradedMeasure, qrels: Documents, run: Documents) -> list[float]:
    """G without a cutoff."""
    return run_gains(qrels, run, gains_of(measure), measure["judged_only"])


def lists(
    measure: GradedMeasure, qrels: Documents, run: Documents
) -> tuple[list[float], list[float]]:
    """G up to the cutoff, and I without zeros, whose length is R."""
    listed = whole_list(measure, qrels, run)
    ideal = [g for g in ideal_gains(qrels, gains_of(measure)) if g > 0]
    return listed[: measure["cutoff"]], ideal


# Cumulated gain


def cumulated(discount_of, normalised=False):
    """The sum of discounted gains at the last rank, or its mean over all ranks."""

    def cumulated_gain(measure, qrels, run):
        listed, ideal = lists(measure, qrels, run)
        if not ideal:
            return 0.0
        discount = discount_of(measure, ideal)
        k = measure["cutoff"] or max(len(whole_list(measure, qrels, run)), len(qrels))
        values = vector(listed, k, discount)
        if normalised:
            values = [value / most for value, most in zip(values, vector(ideal, k, discount))]
        if "avg" in measure.SUPPORTED_PARAMS and measure["avg"]:
            return sum(values) / k
        return values[-1]

    return cumulated_gain


def undiscounted(measure, ideal):
    return lambda gain, rank: gain


def jarvelin_kekalainen(measure, ideal):
    b = measure["b"]
    return lambda gain, rank: gain if rank < b else gain / math.log(rank, b)


def burges(measure, ideal):
    return lambda gain, rank: gain / math.log2(rank + 1)


def scheel(measure, ideal):
    m = measure["max_gain"] or ideal[0]
    return lambda gain, rank: (2 ** (gain / m) - 1) / math.log(rank + 1)


# Average precision


def average_precision(relevant: list[bool], relevant_count: int) -> float:
    return sum(sum(relevant[:i]) / i for i, hit in enumerate(relevant, 1) if hit) / relevant_count


def mu_ap(measure, listed, ideal):
    total = below = 0.0
    for t in sorted(set(ideal)):
        at_least = sum(g >= t for g in ideal)
        total += (t - below) * average_precision([g >= t for g in listed], at_least)
        below = t
    return total / max(ideal, default=1)


def at_relevant(measure, listed, ideal, quotient):
    """The mean over relevant documents of a quotient of the two lists down to each one's rank."""
    divisor = min(len(ideal), measure["cutoff"] or math.inf)
    hits = [i for i, g in enumerate(listed, 1) if g > 0]
    return sum(quotient(i, listed[:i], ideal[:i]) for i in hits) / divisor if divisor else 0.0


def wap(measure, listed, ideal):
    return at_relevant(measure, listed, ideal, lambda i, g, best: sum(g) / sum(best))


def q(measure, listed, ideal):
    return at_relevant(measure, listed, ideal, lambda i, g, best: blended(measure, g, best, i))


def agr(measure, qrels, run):
    gains = gains_of(measure)
    levels = sorted(set(qrels.values()))
    relevant = sum(gain(level, gains) > 0 for level in qrels.values())

    def below(level):
        if level == int(level):
            return gain(level - 1, gains)
        lower = [other for other in levels if other < level]
        return gain(lower[-1], gains) if lower else 0

    def adjusted(level):
        g = gain(level, gains)
        share = list(qrels.values()).count(level) / relevant if g > 0 else 0
        return g - share * (g - below(level))

    made = {level: adjusted(level) for level in levels}
    if not any(made.values()):
        return wap(measure, *lists(measure, qrels, run))
    # `made` maps every level, so that no level keeps its own value
    listed = run_gains(qrels, run, made, measure["judged_only"])[: measure["cutoff"]]
    ideal = [g for g in ideal_gains(qrels, made) if g > 0]
    return at_relevant(measure, listed, ideal, lambda i, g, best: sum(g) / sum(best))


def gap(measure, listed, ideal):
    pairs = sum(min(listed[j], g) / i for i, g in enumerate(listed, 1) for j in range(i))
    return pairs / sum(ideal) if ideal else 0.0


# Cascades and rank-biased precision


def stops(measure, gains):
    """The probability to stop at each rank of a list."""
    going = 1.0
    probabilities = []
    for g in gains:
        p = g / (measure["max_gain"] + 1)
        probabilities.append(going * p)
        going *= 1 - p
    return probabilities


def blended(measure, listed, ideal, i, beta=None):
    beta = measure["beta"] if beta is None else beta
    g, best = listed[:i], ideal[:i]
    return (sum(x > 0 for x in g) + beta * sum(g)) / (i + beta * sum(best))


def cascade(utility, normalised=False):
    def value(measure, listed, ideal):
        def expected(gains):
            stopping = enumerate(stops(measure, gains), 1)
            return sum(s * utility(measure, gains, ideal, i) for i, s in stopping)

        if not normalised:
            return expected(listed)
        best = expected(ideal[: measure["cutoff"]])
        return expected(listed) / best if best else 0.0

    return value


def rbp(measure, qrels, run):
    p = measure["p"]
    listed, _ = lists(measure, qrels, run)
    if not measure["residual"]:
        m = measure["max_gain"]
        return (1 - p) * sum(g / m * p ** (i - 1) for i, g in enumerate(listed, 1))
    docs = [doc for doc in order(run) if doc in qrels or not measure["judged_only"]]
    docs = docs[: measure["cutoff"]]
    unjudged = sum(p ** (i - 1) for i, doc in enumerate(docs, 1) if doc not in qrels)
    return (1 - p) * unjudged + p ** len(docs)


# NTCIR


def preferred_rank(listed):
    return listed.index(max(listed)) + 1


def o_measure(measure, listed, ideal):
    first = next((i for i, g in enumerate(listed, 1) if g > 0), None)
    return blended(measure, listed, ideal, first) if first else 0.0


def p_measure(measure, listed, ideal):
    return blended(measure, listed, ideal, preferred_rank(listed)) if any(listed) else 0.0


def p_plus(measure, listed, ideal):
    if not any(listed):
        return 0.0
    ranks = [i for i in range(1, preferred_rank(listed) + 1) if listed[i - 1] > 0]
    return sum(blended(measure, listed, ideal, i) for i in ranks) / len(ranks)


def ncu(measure, listed, ideal):
    beta = measure["beta"] if measure["utility"] == "BR" else 0
    total, count = 0.0, 0
    for i, g in enumerate(listed, 1):
        if g > 0:
            count += 1
            gamma = measure["gamma"]
            uniform = g / sum(ideal)
            biased = gamma ** (count - 1) / sum(gamma**j for j in range(len(ideal)))
            stop = uniform if measure["stop"] == "gu" else biased
            total += stop * blended(measure, listed, ideal, i, beta)
    return total


# Ratios


def sliding(weight):
    def ratio(measure, qrels, run):
        listed, ideal = lists(measure, qrels, run)
        if measure["ideal"] == "retrieved":
            ideal = sorted(whole_list(measure, qrels, run), reverse=True)
        best = sum(weight(g, i) for i, g in enumerate(ideal[: measure["cutoff"]], 1))
        return sum(weight(g, i) for i, g in enumerate(listed, 1)) / best if best else 0.0

    return ratio


def g_p(measure, listed, ideal):
    possible = (measure["max_gain"] or max(ideal, default=0)) * (measure["cutoff"] or len(listed))
    return sum(listed) / possible if possible else 0.0


def g_r(measure, listed, ideal):
    return sum(listed) / sum(ideal) if ideal else 0.0


def fallout(measure, qrels, run):
    listed, ideal = lists(measure, qrels, run)
    known = qrels if measure["judged_only"] else qrels.keys() | run.keys()
    others = (measure["docs"] or len(known)) - len(ideal)
    return sum(g == 0 for g in listed) / others if others else 0.0


# Two orders


def two_orders(
    measure: GradedMeasure, qrels: Documents, run: Documents
) -> list[tuple[float, float, str]]:
    """(gain, place, document) for each document compared; the system prefers a higher place."""
    listed = [doc for doc in order(run) if doc in qrels or not measure["judged_only"]]
    listed = listed[: measure["cutoff"] if measure.CUTOFF else None]
    tied = "tied_by" in measure.SUPPORTED_PARAMS and measure["tied_by"] == "score"
    scores = sorted({as_float32(run[doc]) for doc in listed})
    place = {doc: scores.index(as_float32(run[doc])) + 1 for doc in listed}
    if not tied:
        place = {doc: len(listed) - index for index, doc in enumerate(listed)}
    gains = gains_of(measure)
    return [
        (gain(qrels[doc], gains) if doc in qrels else 0, place.get(doc, 0), doc)
        for doc in dict.fromkeys([*listed, *qrels])
    ]


def pairs(documents) -> Mapping[str, int]:
    """C⁺, C⁻, Cᵘ and Cˢ, two documents at a time."""
    count = {"+": 0, "-": 0, "u": 0, "s": 0, "both": 0}
    for (gain_a, place_a, _), (gain_b, place_b, _) in combinations(documents, 2):
        user = (gain_a > gain_b) - (gain_a < gain_b)
        system = (place_a > place_b) - (place_a < place_b)
        if user and system:
            count["+" if user == system else "-"] += 1
        else:
            count["u" if user else "s" if system else "both"] += 1
    return count


def ndpm(measure, qrels, run):
    c = pairs(two_orders(measure, qrels, run))
    preferred = c["+"] + c["-"] + c["u"]
    distance = (2 * c["-"] + c["u"]) / (2 * preferred) if preferred else 0.5
    return 1 - distance if measure["performance"] else distance


def kendall_tau(measure, qrels, run):
    documents = two_orders(measure, qrels, run)
    c = pairs(documents)
    n = len(documents)
    decided = c["+"] + c["-"]
    m = min(len({g for g, _, _ in documents}), len({place for _, place, _ in documents}))
    over = {
        "a": n * (n - 1) / 2,
        "b": math.sqrt((decided + c["u"]) * (decided + c["s"])),
        "c": n**2 * (m - 1) / (2 * m) if m else 0,
    }[measure["variant"]]
    return (c["+"] - c["-"]) / over if over else 0.0


def spearman(measure, qrels, run):
    documents = two_orders(measure, qrels, run)

    def ranks(values):
        return [sum(w < v for w in values) + (values.count(v) + 1) / 2 for v in values]

    x, y = ranks([g for g, _, _ in documents]), ranks([place for _, place, _ in documents])
    middle = (len(documents) + 1) / 2
    covariance = sum((a - middle) * (b - middle) for a, b in zip(x, y))
    variances = sum((a - middle) ** 2 for a in x) * sum((b - middle) ** 2 for b in y)
    return covariance / math.sqrt(variances) if variances else 0.0


def adm(measure, qrels, run):
    documents = two_orders(measure, qrels, run)
    best = max(ideal_gains(qrels, gains_of(measure)), default=0)
    if not best:
        return 0.0
    low, high = min(run.values(), default=0), max(run.values(), default=0)

    def score(doc):
        if measure["norm"] == "none":
            return run[doc]
        return 1 if high == low else (run[doc] - low) / (high - low)

    m = measure["max_gain"] or best
    distances = [abs((score(doc) if place else 0) - g / m) for g, place, doc in documents]
    return 1 - sum(distances) / len(distances)


def relative_relevance(measure, qrels, run):
    low, high = min(run.values(), default=0), max(run.values(), default=0)
    s = []
    g = []
    for gain_of_doc, place, doc in two_orders(measure, qrels, run):
        if place:
            scaled = 1 if high == low else (run[doc] - low) / (high - low)
            s.append(run[doc] if measure["norm"] == "none" else scaled)
            g.append(gain_of_doc)
    lengths = math.sqrt(sum(x * x for x in s) * sum(x * x for x in g))
    return sum(a * b for a, b in zip(s, g)) / lengths if lengths else 0.0


# Search length


def tie_levels(measure: GradedMeasure, qrels: Documents, run: Documents) -> list[list[bool]]:
    """The collection read from the top: for each level of tied documents, which are relevant."""
    levels: dict[float, list[bool]] = {}
    documents = two_orders(measure, qrels, run)
    for g, place, _ in documents:
        levels.setdefault(place, []).append(g > 0)
    unknown = (measure["docs"] or len(documents)) - len(documents)
    levels.setdefault(0, []).extend([False] * unknown)
    return [levels[place] for place in sorted(levels, reverse=True)]


def esl(measure, qrels, run):
    levels = tie_levels(measure, qrels, run)
    wanted = min(measure["n"], sum(map(sum, levels)))
    passed = 0
    for level in levels if wanted else []:
        r = sum(level)
        if r >= wanted:
            return passed + (len(level) - r) * wanted / (r + 1)
        wanted -= r
        passed += len(level) - r
    return 0.0


def positions(levels: list[list[bool]]) -> list[float]:
    """The position of each relevant document, a tied one at the mean of its level."""
    ranks = []
    end = 0
    for level in levels:
        ranks += [end + (len(level) + 1) / 2] * sum(level)
        end += len(level)
    return ranks


def asl(measure, qrels, run):
    ranks = positions(tie_levels(measure, qrels, run))
    return sum(ranks) / len(ranks) if ranks else 0.0


def nr(measure, qrels, run):
    levels = tie_levels(measure, qrels, run)
    ranks = positions(levels)
    n = sum(map(len, levels))
    r = len(ranks)
    if not r:
        return 0.0
    return 1 - (sum(ranks) - r * (r + 1) / 2) / (r * (n - r)) if n > r else 1.0


def r_cap(measure, listed, ideal):
    k = measure["cutoff"]
    return sum(listed) / min(len(ideal), k) if ideal else 0.0


def f1(measure, listed, ideal):
    precision = sum(listed) / measure["cutoff"]
    recall = sum(listed) / len(ideal) if ideal else 0.0
    return 2 * precision * recall / (precision + recall) if precision else 0.0


OF_LISTS = {
    "R_cap": r_cap,
    "F1": f1,
    "GAP": gap,
    "ERR_G": cascade(lambda measure, gains, ideal, i: 1 / i),
    "nERR": cascade(lambda measure, gains, ideal, i: 1 / i, normalised=True),
    "EBR": cascade(blended),
    "iRBU": cascade(lambda measure, gains, ideal, i: measure["p"] ** i),
    "O_measure": o_measure,
    "P_measure": p_measure,
    "P_plus": p_plus,
    "NCU": ncu,
    "muAP": mu_ap,
    "WAP": wap,
    "Q": q,
    "gP": g_p,
    "gR": g_r,
}
"""The measures of the gains of the run up to the cutoff, and of the ideal gains without zeros."""
OF_DOCUMENTS = {
    "CG": cumulated(undiscounted),
    "DCG_JK": cumulated(jarvelin_kekalainen),
    "nCG": cumulated(undiscounted, normalised=True),
    "nDCG_JK": cumulated(jarvelin_kekalainen, normalised=True),
    "NDCNG": cumulated(scheel, normalised=True),
    "DCG_Burges": cumulated(burges),
    "nDCG_Burges": cumulated(burges, normalised=True),
    "RBP_G": rbp,
    "Fallout": fallout,
    "RelativeRelevance": relative_relevance,
    "AGR": agr,
    "SR": sliding(lambda g, rank: g),
    "MSR": sliding(lambda g, rank: g / rank),
    "NDPM": ndpm,
    "KendallTau": kendall_tau,
    "Spearman": spearman,
    "ADM": adm,
    "ESL": esl,
    "ASL": asl,
    "NR": nr,
}
