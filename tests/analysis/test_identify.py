"""`identify`: definitions found from values, dimensions told apart, and values nothing fits."""

import json
import math
import re
from itertools import cycle

import numpy as np
import pytest

from ir_measures_graded import array_mean, demo
from ir_measures_graded.analysis import evaluate, identify
from ir_measures_graded.analysis.identify import dimensions as tables
from ir_measures_graded.analysis.identify import tools as tool_table
from ir_measures_graded.analysis.identify.ranking import likeliest_first
from ir_measures_graded.core.registry.notation import parse_measures
from ir_measures_graded.errors import GradedError
from ir_measures_graded.evaluation.values_of_run import RunNames, values_of_run
from rounds import only, sampled

LEVELS = [0, 0, 0, 0, 1, 1, 2, 3]


def collection(topics=24, depth=30, levels=LEVELS, seed=5):
    """Qrels and a run with ties and unjudged documents.

    q3 has no relevant document, and the run lacks q7.
    """
    random = np.random.default_rng(seed)
    qrels = {}
    run = {}
    for topic in range(topics):
        docs = [f"d{number:02}" for number in random.permutation(depth + 20)]
        judged = random.permutation(docs)[:30]
        topic_levels = [0] * 30 if topic == 3 else random.choice(levels, 30).tolist()
        qrels[f"q{topic}"] = dict(zip(judged.tolist(), topic_levels))
        if topic != 7:
            scores = np.sort(random.integers(-3, 9, depth))[::-1] / 2
            run[f"q{topic}"] = dict(zip(docs[:depth], scores.tolist()))
    return qrels, run


QRELS, RUN = collection()
OTHER = collection(seed=8)[1]
UNTIED = {
    topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in RUN.items()
}


def values_of(measure, run=RUN, places=4, qrels=QRELS):
    evaluation = evaluate(qrels, {"run": run}, [measure])
    values = evaluation.of(measure)[0].round(places)
    return dict(zip(evaluation.topics, values.tolist()))


def mean_of(measure, run=RUN, places=4):
    values = values_of(measure, run, places=9)
    return f"{np.mean(list(values.values())):.{places}f}"


def texts_of(result, about):
    """The findings about something."""
    return [text for name, text in result.findings if name == about]


def rounded(values, places=4):
    return {topic: round(value, places) for topic, value in values.items() if value is not None}


def first_items(values, count):
    return dict(list(values.items())[:count])


def rows_of(run):
    return [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]


# ------------------------------------------------- a slow reference, one definition at a time

# Gains and discounts, by their texts in the answers.
LEVEL = "level"
EXP = "2^level − 1"
LOG = "log2(r + 1)"


def positive_level(level):
    return max(level, 0)


def exponential(level):
    return 2**level - 1 if level > 0 else 0


def is_at_least_2(level):
    return int(level >= 2)


def power_of_2(level):
    return 2**level


def level_from_2_on(level):
    return level if level >= 2 else 0


GAINS = {
    LEVEL: positive_level,
    EXP: exponential,
    "1 from level 2 on": is_at_least_2,
    "2^level": power_of_2,
    "level from 2 on": level_from_2_on,
}


def log2_of_next_rank(rank):
    return math.log2(rank + 1)


def log2_from_2_on(rank):
    return math.log2(rank) if rank >= 2 else 1


def ln_from_e_on(rank):
    return math.log(rank) if rank >= math.e else 1


def no_discount(rank):
    return 1


def rank_itself(rank):
    return rank


def log2_of_rank_after_next(rank):
    return math.log2(rank + 2)


DISCOUNTS = {
    LOG: log2_of_next_rank,
    "log2 r from rank 2 on": log2_from_2_on,
    "ln r from rank e on": ln_from_e_on,
    "none": no_discount,
    "r": rank_itself,
    "log2(r + 2)": log2_of_rank_after_next,
}

# Documents that are ranked.
ALL = tables.EVERY.text
JUDGED_ONLY = tables.JUDGED_ONLY.text
SCORED_0 = tables.MISSED_SCORED_0.text

# Orders.
DOWN = tables.DESCENDING.text
FILE_ORDER = "file order"
REVERSED = "file order reversed"
AS_READ = "as read, without scores"
BEST = tables.BEST.text
WORST = tables.WORST.text
TIED = tables.MEAN.text

# Ideal rankings.
FIRST = tables.FIRST_K.text
UNCUT = tables.UNCUT.text
RETRIEVED = "the retrieved documents only"
ANEW = tables.SORTED_ANEW.text


def ranked_scores(judged, scores, documents):
    """The scores of the documents that are ranked."""
    ranked = dict(scores)
    if documents not in (ALL, JUDGED_ONLY):
        missing = 0.0 if documents == SCORED_0 else -math.inf
        ranked |= {doc: missing for doc in judged if doc not in scores}
    if documents in (JUDGED_ONLY, SCORED_0):
        ranked = {doc: score for doc, score in ranked.items() if doc in judged}
    return ranked


def ranking(qrels, run, topic, order, documents):
    """The level of each rank of a topic, or several if tied documents share their gains."""
    levels = qrels[topic]
    scores = ranked_scores(levels, run.get(topic, {}), documents)
    line = {doc: number for number, doc in enumerate(scores)}

    def level(doc):
        return levels.get(doc, 0)

    def sort_key(doc):
        if order == AS_READ:
            return line[doc]
        if order == FILE_ORDER:
            return -scores[doc], line[doc]
        if order == REVERSED:
            return -scores[doc], -line[doc]
        if order == WORST:
            return -scores[doc], level(doc)
        if order == BEST:
            return -scores[doc], -level(doc)
        return -scores[doc]

    docs = sorted(scores, reverse=order in (DOWN, TIED))
    docs.sort(key=sort_key)
    if order != TIED:
        return [[level(doc)] for doc in docs]
    return [[level(other) for other in docs if scores[other] == scores[doc]] for doc in docs]


def dcg(gains, discount):
    return sum(gain / discount(rank) for rank, gain in enumerate(gains, start=1))


def descending(values):
    return sorted(values, reverse=True)


def reference(qrels, run, gain, discount, ideal, cutoff, nothing, order, documents):
    """nDCG or DCG (no ideal) of each topic, None if the topic is left out."""
    k = 10**9 if cutoff == "none" else int(cutoff)
    gain_of = GAINS[gain]
    discount_at = DISCOUNTS[discount]
    top = max(gain_of(level) for levels in qrels.values() for level in levels.values())
    values = {}
    for topic, judged in qrels.items():
        ranks = ranking(qrels, run, topic, order, documents)
        gains = [sum(map(gain_of, levels)) / len(levels) for levels in ranks]
        best = descending(map(gain_of, judged.values()))
        as_read = ranking(qrels, run, topic, AS_READ, documents)
        retrieved = descending(gain_of(levels[0]) for levels in as_read)
        every_rank = len(gains) if cutoff == "none" else k
        ideals = {
            FIRST: best[:k],
            UNCUT: best,
            "all judged, first min(retrieved, k)": best[: min(len(gains), k)],
            RETRIEVED: retrieved[:k],
            "the top gain at every rank": [top] * every_rank,
            "the top gain at each returned rank": [top] * min(k, len(gains)),
            ANEW: descending(gain_of(levels[0]) for levels in ranks[:k]),
        }
        largest = dcg(ideals[ideal], discount_at) if ideal else 1
        if largest > 0:
            values[topic] = dcg(gains[:k], discount_at) / largest
        else:
            values[topic] = {"": 0, "0": 0, "1": 1, "left out": None}[nothing]
    return values


FIELDS = "gain discount ideal cutoff nothing order documents".split()
GRID = f"""{LEVEL} | {LOG} | {FIRST} | 10 | 0 | {DOWN} | {ALL}
    {LEVEL} | {LOG} | {UNCUT} | 5 | 0 | {REVERSED} | {ALL}
    {EXP} | {LOG} | {RETRIEVED} | 10 | 1 | {FILE_ORDER} | {ALL}
    {LEVEL} | {LOG} | {RETRIEVED} | 10 | 0 | {TIED} | {SCORED_0}
    {LEVEL} | {LOG} | {RETRIEVED} | none | 0 | {TIED} | {SCORED_0}
    {LEVEL} | {LOG} | {FIRST} | 7 | 0 | {DOWN} | {ALL}
    {EXP} | log2 r from rank 2 on | {FIRST} | 20 | 0 | docid ascending | {ALL}
    {LEVEL} | ln r from rank e on | all judged, first min(retrieved, k) | none | 0 | {WORST} | {ALL}
    1 from level 2 on | none | the top gain at every rank | 10 | 0 | {BEST} | {JUDGED_ONLY}
    2^level | r | | 20 | 0 | {AS_READ} | {ALL}
    level from 2 on | {LOG} | the top gain at each returned rank | none | 0 | {DOWN} | {ALL}
    {LEVEL} | log2(r + 2) | {ANEW} | 10 | left out | {WORST} | {tables.MISSED_BEHIND.text}"""


ROWS = [row.strip() for row in GRID.splitlines()]
"""Rows 0, 3 and 5 have only values of dimensions that other rows and strings have, too."""


@pytest.mark.parametrize("row", only(ROWS, ROWS[1:3] + ROWS[4:5] + ROWS[6:]))
def test_values_of_a_plain_reference_settle_what_the_data_reach(row):
    cells = [cell.strip() for cell in row.split("|")]
    wanted = dict(zip(FIELDS, cells))
    values = rounded(reference(QRELS, RUN, **wanted), 6)
    measure = "nDCG" if wanted["ideal"] else "DCG"
    if wanted["cutoff"] in ("10", "20"):  # the search is longer among all cutoffs
        measure += f"@{wanted['cutoff']}"
    result = identify(QRELS, RUN, values, measure=measure)
    if wanted["nothing"] == "left out" or not wanted["ideal"]:
        del wanted["nothing"]
    definitions = [definition._asdict() for definition in result.definitions]
    assert [definition for definition in definitions if wanted.items() <= definition.items()]
    assert result.classes == 1
    assert result.computed == pytest.approx(result.given, abs=1e-6)


STRINGS = """nDCG_JK@10 nDCG DCG_JK@10 Q AP ERR_G@10 NDPM nDCG_JK(judged_only=True)@10
    nDCG_JK(gains={1:2,2:3,3:11})@20 Success@1 nDCG_JK(b=4,gains='exp')@20 DCG_JK(b=10)@20
    RBP_G(p=0.7) Q(beta=2)@10 RBP(p=0.7,rel=1) NumRel RBP(rel=2) RBP(rel=1,p=0.95)@10
    CG(gains={1:5,2:7,3:9})@10"""


FEW_STRINGS = """nDCG_JK@10 AP ERR_G@10 NDPM nDCG_JK(judged_only=True)@10 Success@1
    nDCG_JK(gains={1:2,2:3,3:11})@20 DCG_JK(b=10)@20 Q(beta=2)@10 RBP(p=0.7,rel=1) NumRel"""


@pytest.mark.parametrize("measure", only(STRINGS.split(), FEW_STRINGS.split()))
def test_each_measure_string_finds_itself(measure):
    asked = measure if "(" in measure else measure.partition("@")[0]
    # cwl_eval, which computes RBP(rel=…) where it is installed, has another order of ties.
    run = UNTIED if measure.startswith("RBP(") else RUN
    result = identify(QRELS, run, values_of(measure, run, places=17), measure=asked)
    assert (result.measure, result.equal) == (measure, True)


# Values of a topic from the levels of its first ten ranks, of its judged documents, and of all
# documents retrieved.


def cascade(levels, stop):
    """ERR with these probabilities to stop at each rank."""
    ranks = np.arange(1, len(levels) + 1)
    reach = np.append(1, np.cumprod(1 - stop)[:-1])
    return sum(reach * stop / ranks)


def err_g(levels, judged, retrieved):
    return cascade(levels, (2**levels - 1) / 8)


def err_g_up_to_15(levels, judged, retrieved):
    return cascade(levels, (2**levels - 1) / 16)


def err_g_of_the_topics_top(levels, judged, retrieved):
    return cascade(levels, (2**levels - 1) / 2 ** max(judged))


def err_g_of_levels(levels, judged, retrieved):
    return cascade(levels, levels)


def rank_biased(gains, p):
    return sum((1 - p) * p**number * gain for number, gain in enumerate(gains))


def rbp_g_of_levels(levels, judged, retrieved):
    return rank_biased(levels, 0.9)


def rbp_g(levels, judged, retrieved):
    return rank_biased(levels / 3, 0.95)


def relevant_ranks(levels):
    return [rank for rank, level in enumerate(levels, start=1) if level]


def quotient(number, divisor):
    return number / max(divisor, 1)


def sum_of_precisions(levels):
    return sum(np.count_nonzero(levels[:rank]) / rank for rank in relevant_ranks(levels))


def ap_over_min(levels, judged, retrieved):
    return quotient(sum_of_precisions(levels), min(10, np.count_nonzero(judged)))


def ap_over_found(levels, judged, retrieved):
    return quotient(sum_of_precisions(levels), np.count_nonzero(levels))


def recall_over_min(levels, judged, retrieved):
    return quotient(np.count_nonzero(levels), min(10, np.count_nonzero(judged)))


def recall_over_retrieved(levels, judged, retrieved):
    return quotient(np.count_nonzero(levels), np.count_nonzero(retrieved))


def f1(levels, judged, retrieved):
    return 2 * np.count_nonzero(levels) / (10 + np.count_nonzero(judged))


def mean_of_reciprocal_ranks(levels, judged, retrieved):
    ranks = relevant_ranks(levels)
    return quotient(sum(1 / rank for rank in ranks), len(ranks))


def first_relevant_rank(levels, judged, retrieved):
    return min(relevant_ranks(levels), default=0)


def reciprocal_rank(levels, judged, retrieved):
    return max([1 / rank for rank in relevant_ranks(levels)], default=0)


OTHERS = {
    "ERR_G": err_g,
    "ERR_G(max_gain=15)": err_g_up_to_15,
    "ERR_G with the topic's top level": err_g_of_the_topics_top,
    "ERR_G with the level as the probability": err_g_of_levels,
    "RBP_G(p=0.9) with the gains themselves": rbp_g_of_levels,
    "RBP_G(p=0.95)": rbp_g,
    "AP over min(R, k)": ap_over_min,
    "AP over the relevant documents found": ap_over_found,
    "R over min(R, k)": recall_over_min,
    "R over the relevant documents retrieved": recall_over_retrieved,
    "F1": f1,
    "RR of each relevant document found, their mean": mean_of_reciprocal_ranks,
    "Rank of the first relevant document": first_relevant_rank,
    "RR": reciprocal_rank,
}


def uneven(qrels):
    """The same judgments, but no level of every other topic is above 2."""
    lowered = {}
    for (topic, levels), highest in zip(qrels.items(), cycle([2, 3])):
        lowered[topic] = {doc: min(level, highest) for doc, level in levels.items()}
    return lowered


UNEVEN = uneven(QRELS)


@pytest.mark.parametrize(("measure", "order"), list(zip(OTHERS, cycle([DOWN, REVERSED]))))
def test_other_measures_are_found_in_the_order_of_their_values(measure, order):
    values = {}
    for topic, judged in UNEVEN.items():
        retrieved = np.ravel(ranking(UNEVEN, RUN, topic, order, ALL))
        values[topic] = float(OTHERS[measure](retrieved[:10], list(judged.values()), retrieved))
    name = measure.partition(" ")[0].partition("(")[0]
    result = identify(UNEVEN, RUN, rounded(values), measure=f"{name}@10")
    assert (result.definition.measure, result.classes) == (measure, 1)
    assert order in result.dimensions["order"][1] or measure == "RR"


def test_the_share_of_documents_that_no_topic_judges_is_found():
    """BEIR and MTEB call it Hole@k; it is not 1 - Judged@k."""
    judged = {doc for levels in QRELS.values() for doc in levels}
    run = {}
    for topic, docs in UNTIED.items():
        run[topic] = {}
        for number, (doc, score) in enumerate(docs.items()):
            is_new = (number + len(topic)) % (2 + number % 5) == 0
            name = f"new {topic} {number}" if is_new else doc
            run[topic][name] = score
    values = {}
    for topic, docs in run.items():
        top = sorted(docs, key=docs.get, reverse=True)[:7]
        values[topic] = sum(doc not in judged for doc in top) / 7
    result = identify(QRELS, run, values, measure="Hole@7", decimals=4)
    assert (result.definition.measure, result.definition.cutoff) == ("Hole", "7")
    assert "BEIR" in result.summary


@pytest.mark.parametrize("measure", sampled(["F1@10", "trec_G", "trec_unj@10", "trec_11pt_avg"], 2))
def test_measures_of_trec_eval_and_f1_are_found_without_their_names(measure):
    result = identify(QRELS, UNTIED, values_of(measure, UNTIED, places=6))
    assert (result.measure, result.equal) == (measure, True)


# ------------------------------------------------------------------------ nothing fits


@pytest.mark.parametrize("kind", ["shuffled", "random", "altered", "some altered"])
def test_no_definition_is_none_in_every_form(kind):
    values = values_of("nDCG@10")
    numbers = np.array(list(values.values()))
    random = np.random.default_rng(5)
    if kind == "shuffled":
        numbers = random.permutation(numbers)
    elif kind == "random":
        numbers = random.random(24)
    elif kind == "altered":
        numbers[5] += 0.01
    else:
        numbers[[2, 5, 9]] += 0.001
    reported = dict(zip(values, numbers.round(4).tolist()))
    result = identify(QRELS, RUN, reported, measure="nDCG@10")
    assert (result.definitions, result.tools) == ((), ())
    assert (result.measure, result.equal) == (None, False)
    (row,) = result.records()
    assert row["finding"] == "none"
    assert row["given"] == pytest.approx(numbers.mean(), abs=1e-4)
    differing = abs(result.given - result.computed) > 6e-5
    assert row["differ"] == int(differing.sum()) > 0
    if kind == "altered":
        text = texts_of(result, "differs")[0]
        assert text.startswith(f"topic q5: given {numbers[5]:.4f}, computed ")
    is_near = "altered" in kind
    assert ("The nearest is nDCG@10" in result.summary) == is_near
    assert bool(texts_of(result, "gap")) == is_near
    columns = ["topic", "given", "computed", "difference", "differs"]
    assert result.topic_table().cells()[0] == columns
    assert [row[-1] for row in result.topic_table().rows] == differing.tolist()
    for row in result.topic_table(rounded=True).rows:
        assert bool(row[3]) == row[-1]


def fewer_documents_retrieved(topics):
    """A run that retrieves 4 documents for these topics, whose values are of another measure."""
    run = RUN | {topic: first_items(RUN[topic], 4) for topic in topics}
    values = values_of("nDCG_Burges@10", run)
    return run, values | {topic: values[topic] + 0.01 for topic in topics}


def retrieved_twice(topics):
    """A run with the first document of these topics twice, and values that it does not have."""
    rows = rows_of(RUN)
    again = [next(row for row in rows if row[0] == topic) for topic in topics]
    return rows + again, values_of("nDCG_Burges@10") | dict.fromkeys(topics, 0.9999)


def another_order_of_ties():
    """Values of which one is between those of two orders of ties."""
    down = reference(QRELS, RUN, LEVEL, LOG, FIRST, "10", "0", DOWN, ALL)
    worst = reference(QRELS, RUN, LEVEL, LOG, FIRST, "10", "0", WORST, ALL)
    topic = next(topic for topic in QRELS if down[topic] != worst[topic])
    return RUN, rounded(down | {topic: (down[topic] + worst[topic]) / 2})


@pytest.mark.parametrize(
    "cause", ["fewer documents retrieved", "retrieved twice", "the best order"]
)
def test_a_cause_that_only_the_topics_that_differ_have_is_named_and_no_other(cause):
    if cause == "fewer documents retrieved":
        run, values = fewer_documents_retrieved(["q4", "q5"])
    elif cause == "retrieved twice":
        run, values = retrieved_twice(["q4", "q5"])
    else:
        run, values = another_order_of_ties()
    causes = texts_of(identify(QRELS, run, values, measure="nDCG@10"), "perhaps because")
    assert [text for text in causes if cause in text and ", 0 of " in text]
    if cause != "retrieved twice":
        assert not [text for text in causes if "twice" in text]


def test_solved_gains_are_open_because_other_tables_may_fit():
    values = values_of("nDCG_JK(gains=1:13,2:37,3:101)@20")
    result = identify(QRELS, RUN, values, measure="nDCG@20")
    assert result.dimensions["gain"] == ("open", ("solved: 1:13, 2:37, 3:101",))
    assert "Other tables of gains may fit, too." in result.summary


def test_values_that_are_all_equal_or_without_decimals_claim_nothing():
    equal = dict.fromkeys(QRELS, 0.25)
    coarse = first_items(values_of("nDCG@10", places=1), 4)
    for values in (equal, coarse):
        result = identify(QRELS, RUN, values, measure="nDCG@10")
        assert not result.equal
        assert re.search("identifies nothing|perhaps|fit [2-9] usual definitions", result.summary)


# ------------------------------------------------------------------------ conventions


def test_solved_gains_name_every_level_of_qrels_without_level_0():
    qrels = {f"q{n}": {"a": 1, "b": 2, "c": 3, f"d{n % 3}": 1 + n % 3} for n in range(6)}
    run = {topic: dict(zip("cabd", (n % 4, 1.5, n % 3, 0.5))) for n, topic in enumerate(qrels)}
    measure = "nDCG_Burges(gains=1:5,2:6,3:100)@3"
    result = identify(qrels, run, values_of(measure, run, qrels=qrels), measure="nDCG@3")
    assert (result.measure, result.equal) == ("nDCG_Burges(gains={1:5,2:6,3:100})@3", True)


def test_run_of_one_document_has_no_other_cutoff_to_try():
    qrels = {"q": {"a": 1, "b": 2}}
    result = identify(qrels, {"q": {"b": 1.0}}, mean=0.123, measure="P_plus", any_cutoff=True)
    assert not result.equal


def test_other_cutoffs_are_tried_if_nothing_fits_or_when_asked_for():
    result = identify(QRELS, RUN, values_of("nDCG@13"), measure="nDCG@10")
    assert (result.measure, result.equal) == ("nDCG@13", True)
    result = identify(QRELS, RUN, mean=mean_of("AP@13"), measure="AP", any_cutoff=True)
    assert "AP@13" in [result.measure, *texts_of(result, "fits")]


def truncated(value):
    return value // 0.001 / 1000


def percentage(value):
    return round(100 * value, 2)


def filled_with_zeros(value):
    return f"{value:.2f}00"


WAYS_TO_PRINT = {
    tables.TRUNCATED.text: truncated,
    tables.PERCENT.text: percentage,
    tables.ROUNDED.text: filled_with_zeros,
}


@pytest.mark.parametrize("way", WAYS_TO_PRINT)
def test_truncated_values_percentages_and_filled_decimals_are_recognised(way):
    to_print = WAYS_TO_PRINT[way]
    exact = values_of("nDCG@10", places=9)
    values = {topic: to_print(value) for topic, value in exact.items()}
    result = identify(QRELS, RUN, values, measure="nDCG@10")
    assert {definition.shown for definition in result.definitions} == {way}


def test_a_value_that_is_cut_is_below_the_next():
    values = values_of("RR")
    topic = next(topic for topic, value in values.items() if value == 1)
    assert not identify(QRELS, RUN, values | {topic: 0.9999}, measure="RR").definitions


def test_negative_real_and_many_levels_have_their_own_gains(monkeypatch):
    qrels, run = collection(levels=[-2, 0, 0, 0.5, 1, 2.25])
    negative_too = "level, negative too"
    monkeypatch.setitem(GAINS, negative_too, lambda level: level)
    for measure, gain, ideal in (("nDCG@10", LEVEL, FIRST), ("DCG@10", negative_too, "")):
        values = reference(qrels, run, gain, LOG, ideal, "10", "0", DOWN, ALL)
        result = identify(qrels, run, rounded(values, 6), measure=measure)
        assert {definition.gain for definition in result.definitions} == {gain}
    random = np.random.default_rng(5)
    qrels = {topic: {doc: random.random() for doc in judged} for topic, judged in QRELS.items()}
    values = reference(qrels, RUN, EXP, LOG, RETRIEVED, "10", "0", TIED, ALL)
    definition = identify(qrels, RUN, rounded(values), measure="nDCG@10").definition
    assert (definition.ideal, definition.order) == (RETRIEVED, TIED)


def test_dimensions_that_the_data_do_not_reach_are_not_exercised():
    random = np.random.default_rng(5)
    qrels = {}
    for number in range(12):
        levels = random.permutation([3, 2, 1, 1, 0, 0]).tolist()
        qrels[f"q{number}"] = dict(zip("abcdef", levels))
    run = {topic: dict(zip("abcdef", [6.0, 5.0, 4.0, 3.0, 2.0, 1.0])) for topic in qrels}
    result = identify(qrels, run, values_of("nDCG_Burges@3", run, qrels=qrels))
    states = {name: state for name, (state, _) in result.dimensions.items()}
    assert states == {
        "measure": "settled",
        "gain": "settled",
        "discount": "settled",
        "ideal": "open",
        "cutoff": "settled",
        "nothing": "not exercised",
        "order": "not exercised",
        "documents": "not exercised",
        "precision": "not exercised",
        "shown": "settled",
    }
    string = identify(qrels, run, values_of("Q@3", run, qrels=qrels), measure="Q")
    assert set(string.dimensions) == {"measure", "cutoff", "shown"}  # it has one order only


def test_a_second_run_narrows_the_answer_and_contradicts_it():
    few = first_items(values_of("nDCG@10", places=1), 2)
    same = [(OTHER, values_of("nDCG@10", OTHER))]
    another = [(OTHER, values_of("nDCG_Burges@10", OTHER))]
    one = identify(QRELS, RUN, few, measure="nDCG@10")
    both = identify(QRELS, RUN, few, also=same, measure="nDCG@10")
    mixed = identify(QRELS, RUN, values_of("nDCG@10"), also=another, measure="nDCG@10")
    assert len(both.definitions) < len(one.definitions)
    assert (one.equal, both.equal) == (False, True)
    assert "The nearest is nDCG@10" in mixed.summary
    assert mixed.summary.endswith("it gives 26 of 48.")


def test_a_plain_name_is_before_an_equal_contrived_one():
    for measure, asked, named in (("AP(rel=2)", "AP", "AP(rel=2)"), ("P@10", "P", "P")):
        result = identify(QRELS, RUN, values_of(measure, places=6), measure=asked)
        assert str(result.measure) == measure
        assert result.definition.measure == named


# ------------------------------------------------------------------------ means


def test_values_of_a_tool_that_was_run_are_likelier_than_those_of_one_that_was_read():
    values = {}
    for topic, docs in QRELS.items():
        levels = [docs.get(doc, 0) for doc in RUN.get(topic, {})]
        scores = list(RUN.get(topic, {}).values())
        values[topic] = 0.0
        if levels:
            name = "nDCG_Burges(gains=linear)@10"
            values[topic] = array_mean(name, levels, scores, sizes=[len(levels)])
    mean = f"{np.mean(list(values.values())):.4f}"
    of_mean = identify(QRELS, RUN, mean=mean, measure="nDCG@10")
    assert "scikit-learn" in of_mean.tools[0]
    # Of these values no string is equal, though the definition gives all.
    by_topic = identify(QRELS, RUN, values, measure="nDCG@10")
    assert "as scikit-learn and torchmetrics compute it" in by_topic.summary
    answer = (by_topic.measure, by_topic.equal, by_topic.differ)
    assert answer == ("nDCG(ties='mean')@10", False, 0)
    (here,) = texts_of(by_topic, "here")
    assert "no measure string or option here has an ideal list of the retrieved" in here
    # The measure has the mean over tied documents, and so no order of ids.
    assert here.startswith("nDCG(ties='mean')@10 is another: ideal list all judged, first k; ")
    assert "docid" not in here


@pytest.mark.parametrize(
    ("least", "words"),
    [(2, "levels 2 and 3 count as relevant"), (3, "level 3 counts as relevant")],
)
def test_gains_of_0_and_1_are_told_in_words(least, words):
    gains = ",".join(f"{level}:{int(level >= least)}" for level in (1, 2, 3))
    measure = f"nDCG(gains={{{gains}}})@10"
    answer = identify(QRELS, RUN, values_of(measure, places=9), measure="nDCG@10")
    assert f"gains={{{gains}}})@10, where {words}" in answer.summary


@pytest.mark.parametrize("measure", ["nDCG(ties='mean')@10", "nDCG_JK(ties='max')@10"])
def test_values_of_tied_orders_have_the_string_with_ties(measure):
    """scikit-learn with all judged documents has the first of them."""
    stored = evaluate(QRELS, {"run": RUN}, [measure])
    values = dict(zip(stored.topics, stored.values[0, 0].tolist(), strict=True))
    answer = identify(QRELS, RUN, values)
    assert (answer.measure, answer.equal) == (measure, True)
    assert f"values are those of {measure}" in answer.summary


def test_a_mean_names_all_usual_definitions_that_fit_with_their_tools():
    answer = identify(demo.qrels_path(), demo.run_paths()["C"], mean="0.361", measure="nDCG")
    assert "The mean 0.361 fits 3 usual definitions: " in answer.summary
    lines = texts_of(answer, "fits")
    assert f": {lines[0]}; " in answer.summary
    assert lines[0].endswith("as scikit-learn and torchmetrics compute it")
    assert lines[1].endswith("as NTCIREVAL, pyNTCIREVAL and ranx compute it")
    assert [name for name, _ in answer.fits] == [line.partition(", as ")[0] for line in lines]
    rows = [row for row in answer.records() if row["finding"] == "fits"]
    assert [row["value"] for row in rows] == [name for name, _ in answer.fits]
    assert all(f"{row['computed']:.3f}" == "0.361" for row in rows)


def test_of_equally_near_strings_the_one_with_the_cutoff_of_the_answer_is_named():
    answer = identify(demo.qrels_path(), demo.run_paths()["D"], mean="0.732", measure="nDCG")
    assert answer.summary.startswith("The mean 0.732 is perhaps that of nDCG (")
    assert answer.measure == "nDCG"


EXTREMES = ("min", "max")


def mean_in_another_order(measure, places=5):
    """A mean that no order that is tried gives: the topics by turns as low and as high as ties
    allow."""
    lowest = values_of(measure.replace("@", "(ties=min)@"), places=9)
    highest = values_of(measure.replace("@", "(ties=max)@"), places=9)
    by_turns = [[lowest, highest][number % 2][topic] for number, topic in enumerate(lowest)]
    return f"{np.mean(by_turns):.{places}f}"


@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG_Burges@10", "P@5"])
def test_a_mean_within_the_range_of_ties_is_first_said_to_be_perhaps_of_another_order(measure):
    answer = identify(QRELS, RUN, mean=mean_in_another_order(measure), measure=measure)
    lowest, highest = (
        mean_of(measure.replace("@", f"(ties={end})@"), places=5) for end in EXTREMES
    )
    start = f"Ties alone move {measure} from {lowest} to {highest}: another order of tied"
    assert answer.summary.startswith(start)
    assert ("ranx" in answer.summary) == measure.startswith("nDCG")
    assert not answer.equal


def test_ties_are_not_first_if_a_tried_order_or_a_certain_definition_gives_the_mean():
    in_order = identify(QRELS, RUN, mean=mean_of("nDCG@10", places=3), measure="nDCG@10")
    assert "Ties alone" not in str([in_order.summary, *in_order.findings])
    untied = identify(QRELS, UNTIED, mean="0.123", measure="nDCG@10")
    assert "Ties alone" not in untied.summary
    certain = identify(
        QRELS, RUN, mean=mean_of("nDCG_JK@10"), also=[(OTHER, mean_of("nDCG_JK@10", OTHER))],
        measure="nDCG@10",
    )  # fmt: skip
    assert certain.equal
    assert certain.summary.startswith("The means ")
    assert texts_of(certain, "ties")[0].startswith("Ties alone move nDCG@10 from ")


@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG_Burges@10"])
def test_tools_that_must_be_given_unretrieved_documents_for_the_values_have_that_condition(measure):
    judged = {topic: levels for topic, levels in QRELS.items() if topic not in ("q3", "q7")}
    values = values_of(measure, UNTIED, qrels=judged)
    answer = identify(judged, UNTIED, values, measure="nDCG@10")
    also = ", if also given the judged documents that were not retrieved, with scores below all"
    own = {tool for tool in answer.tools if ", if " not in tool}
    given_more = {tool for tool in answer.tools if also in tool}
    assert own | given_more == {*answer.tools}
    tools = {"nDCG@10": "scikit-learn torchmetrics CatBoost", "nDCG_Burges@10": "LightGBM XGBoost"}
    for name in [*tools[measure].split(), "PyTorch Ignite"]:
        assert any(tool.startswith(name) for tool in given_more), name
        assert not any(tool.startswith(name) for tool in own), name
        assert name not in answer.summary
    lines = texts_of(answer, "computed so by")
    assert len(lines) == 2
    assert lines[1].startswith(f"{also[2:]} others: ")


def test_tools_that_sort_the_retrieved_documents_have_no_condition_for_their_own_values():
    values = rounded(reference(QRELS, RUN, EXP, LOG, RETRIEVED, "10", "1", FILE_ORDER, ALL))
    answer = identify(QRELS, RUN, values, measure="nDCG@10")
    assert "XGBoost ndcg@10 (3.2.0)" in answer.tools


def test_a_mean_without_measure_and_cutoff_begins_with_what_chance_does():
    start = "A mean without its measure and cutoff cannot tell, because random numbers fit as well."
    assert identify(QRELS, RUN, mean=mean_of("nDCG@3", places=2)).summary.startswith(start)
    of_ndcg = identify(QRELS, RUN, mean=mean_of("nDCG@3", places=1), measure="nDCG").summary
    assert of_ndcg.startswith("A mean without its cutoff cannot tell, because ")
    at_3 = identify(QRELS, RUN, mean=mean_of("nDCG@3", places=2), measure="nDCG@3").summary
    assert at_3.startswith("The mean ")


def test_everyday_cutoffs_come_before_odd_ones():
    cutoffs = {"odd": "3", "everyday": "100"}
    definitions = [
        tables.Definition("nDCG", cutoffs[kind], LEVEL, LOG, FIRST, "0", DOWN, "32-bit", ALL)
        for kind in cutoffs
    ]
    space = {name: {} for name in tables.Definition._fields}
    order = likeliest_first(space, definitions, tool_table.costs(definitions), [1.0, 2.0])
    assert order == [1, 0]


def test_a_number_in_place_of_values_is_a_mean():
    mean = float(mean_of("AP@10"))
    answers = [identify(QRELS, RUN, mean), identify(QRELS, RUN, mean=mean)]
    assert answers[0].summary == answers[1].summary


MEANS = ["nDCG_Burges@10", "AP(rel=2)", "RR@10", "RBP_G(p=0.7)"]


@pytest.mark.parametrize("measure", only(MEANS, ["AP(rel=2)", "RBP_G(p=0.7)"]))
def test_a_mean_is_that_of_the_likely_definition_and_rarer_ones_are_counted(measure):
    asked = {"nDCG_Burges@10": "nDCG@10", "AP(rel=2)": "AP"}.get(measure, measure)
    places = 4 if measure.startswith("R") else 5  # many tools compute an nDCG or AP
    mean = mean_of(measure, places=places)
    result = identify(QRELS, RUN, mean=mean, measure=asked)
    assert (result.measure, result.equal) == (measure, True)
    assert f"is that of {measure}" in result.summary
    if measure == "AP(rel=2)":
        alone = identify(QRELS, RUN, mean=mean)
        assert alone.chance > result.chance
        assert measure in str([alone.summary, *texts_of(alone, "fits")])
        rarer = re.findall(r"Rarer definitions that fit: (\d+)", alone.summary)
        usual = sum(row[1] for row in alone.definition_table().rows)
        different = usual + sum(map(int, rarer))
        (tried,) = texts_of(alone, "tried")
        assert tried.endswith(f"fit, with {different} different sets of values")


def test_a_mean_that_no_tool_gives_is_none_and_means_of_two_runs_narrow_it():
    mean = round(float(mean_of("nDCG@10")) + 0.2, 4)
    result = identify(QRELS, RUN, mean=mean, also=[(OTHER, mean)], measure="nDCG@10", decimals=4)
    (row,) = result.records()
    assert (row["finding"], row["given"]) == ("none", mean)
    assert (result.measure, result.equal) == (None, False)
    assert f", with {result.means[1]:.4f} and " in result.summary
    also = [(OTHER, mean_of("nDCG_JK@10", OTHER))]
    both = identify(QRELS, RUN, mean=mean_of("nDCG_JK@10"), also=also, measure="nDCG@10")
    assert (both.measure, both.equal) == ("nDCG_JK@10", True)


def test_definitions_with_equal_means_are_apart_if_their_values_are():
    levels = {"q1": [2, 1, 1, 0, 0, 0, 1, 0], "q2": [0, 1, 0, 2, 0, 0, 0, 1]}
    qrels = {topic: dict(zip("abcdefgh", in_order)) for topic, in_order in levels.items()}
    run = {topic: dict(zip("abcdefgh", range(8, 0, -1))) for topic in qrels}
    result = identify(qrels, run, mean="0.5000")
    texts = texts_of(result, "fits")
    assert any(text.startswith("P@5, as pytrec_eval, trec_eval, mlflow ") for text in texts)
    assert "pytrec_eval, trec_eval P_5 (0.5.11)" in result.tools
    success = "Success@1, which here equals nDCG@1, P@1, .* more, as trec_eval, pytrec_eval, "
    assert any(re.match(success, text) for text in texts)
    assert "trec_eval ndcg_cut_1" not in result.tools


def test_usual_definitions_are_kept_if_many_fit_and_no_dimension_is_told():
    qrels = {"q1": {"a": 2}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 2}}
    result = identify(qrels, {"q1": {"a": 1.0}}, mean="0.2500")
    assert {"AP", "RR", "P", "Q"} <= {definition.measure for definition in result.definitions}
    assert " or more fit" in str(result.findings)
    assert result.dimensions == {}


def test_the_topics_of_a_mean_are_a_dimension():
    values = values_of("nDCG@10", places=9)
    mean = np.mean([value for topic, value in values.items() if topic in RUN])
    result = identify(QRELS, RUN, mean=f"{mean:.5f}", measure="nDCG@10")
    assert result.definition.averaged in ("the run's topics", "topics in both")
    assert not result.equal
    assert "nDCG@10 (averaged topics: the run's topics)" in result.summary


# ------------------------------------------------------------------------ input, result


def test_values_come_from_any_file(tmp_path):
    values = {"q1": 0.25, "q2": 0.5}
    forms = {
        "values.csv": "topic,value\nq1,0.25\nq2,0.5\n",
        "bare.txt": "q1 0.25\nq2 0.5\n",
        "trec.eval": "ndcg_cut_10 \tq1\t0.25\nndcg_cut_10 \tq2\t0.5\nndcg_cut_10 \tall\t0.3\n",
        "values.json": json.dumps(values),
        "pytrec_eval.json": '{"q1": {"ndcg_cut_10": 0.25}, "q2": {"ndcg_cut_10": 0.5}}',
    }
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        read = values_of_run(tmp_path / name, {"q1", "q2"}).by_topic
        assert {topic: float(value) for topic, value in read.items()} == values, name


def test_many_topics_are_sampled_and_all_are_verified():
    qrels, run = collection(topics=60)
    values = values_of("nDCG_Burges@10", run, qrels=qrels)
    result = identify(qrels, run, values, measure="nDCG@10")
    assert (result.measure, result.equal, result.classes) == ("nDCG_Burges@10", True, 1)
    for topic in ("q11", "q12"):
        altered = identify(qrels, run, values | {topic: 0.1234}, measure="nDCG@10")
        assert (altered.definitions, altered.differ) == ((), 1)
        assert altered.nearest.gain == EXP


def test_every_cell_of_the_table_of_tools_has_known_values():
    allowed = {dimension.name: set(dimension.by_text) for dimension in tables.DIMENSIONS[3:]}
    allowed["gain"] = set(tables.gains_for(np.array([0.0, 1.0, 2.0])))
    allowed["cutoff"] = {"none", "32"}
    for tool in tool_table.TOOLS:
        assert tool["known"] in ("run", "read", tool_table.PAPER, tool_table.HERE)
        assert (tool["version"] != "") == (tool["known"] == "run"), tool
        for name, texts in allowed.items():
            cell = tool[name]
            assert cell in tool_table.SEVERAL or set(cell.split("|")) <= texts, tool


def test_a_tool_that_takes_any_table_does_not_gain_from_unjudged_documents():
    (row,) = (tool for tool in tool_table.TOOLS if tool["metric"] == "MSnDCG@{k}")
    assert tool_table.departs(row, "gain", "solved: 1:2, 2:3") == 0
    assert tool_table.departs(row, "gain", "2^level") == 1


def test_topics_of_the_qrels_without_a_value_are_told():
    computed = evaluate(demo.qrels_path(), {"A": demo.run_paths()["A"]}, ["nDCG@10"])
    topics = computed.topics
    values = dict(zip(topics[2:], computed.of("nDCG@10")[0][2:].tolist(), strict=True))
    result = identify(demo.qrels_path(), demo.run_paths()["A"], values, measure="nDCG@10")
    of_all = f"2 of {len(topics)} topics of the qrels have none"
    assert texts_of(result, "no value") == [f"{of_all} ({topics[0]} and {topics[1]})"]


def test_topics_that_the_definition_leaves_out_have_no_gap():
    values = values_of("nDCG@10", places=6)
    empty = [topic for topic, judged in QRELS.items() if not any(judged.values())]
    result = identify(QRELS, RUN, values | dict.fromkeys(empty, 0.5), measure="nDCG@10")
    assert (result.definitions, result.differ) == ((), len(empty))
    gap = texts_of(result, "gap")
    left_out = texts_of(result, "left out")
    assert gap or left_out
    assert not gap or not gap[0].startswith("largest 0.0")
    assert "nan" not in str(result).lower()


def test_a_topic_left_out_is_named_beside_the_gaps_of_the_others():
    judged = {topic: levels for topic, levels in QRELS.items() if topic != "q3"}
    empty = {f"e{number}": {"d": 0} for number in range(3)}
    values = reference(judged, RUN, EXP, LOG, FIRST, "10", "left out", DOWN, ALL)
    values = rounded(values, 6) | dict.fromkeys(empty, 0.5)
    result = identify(judged | empty, RUN, values, measure="nDCG@10")
    assert result.differ == 3
    texts = texts_of(result, "differs") + texts_of(result, "left out")
    assert texts
    for text in texts:
        assert text.startswith("topic e0: given 0.500000, ")
        assert text.endswith(", and 2 other topics")
    assert None not in [row[1] for row in result.topic_table().rows]


@pytest.mark.filterwarnings("ignore::ir_measures_graded.errors.EmptyRunWarning")
@pytest.mark.parametrize("run", [{"x": {"d01": 1.0}}, {}])
def test_a_run_without_any_topic_of_the_qrels_is_refused(run):
    with pytest.raises(GradedError, match=r"none of its topics|the run is empty"):
        identify(QRELS, run, values_of("nDCG@10"), measure="nDCG@10")


def test_a_document_that_is_retrieved_twice_is_told():
    rows = rows_of(RUN)
    again = next(row for row in rows if row[0] == "q4")
    result = identify(QRELS, [*rows, again], values_of("nDCG@10"), measure="nDCG@10")
    (text,) = texts_of(result, "duplicates")
    assert text.startswith("1 topic (q4): a document is retrieved twice")
    assert result.measure == "nDCG@10"


def test_values_of_topics_that_the_qrels_lack_are_told():
    values = {**values_of("nDCG@10"), "z1": 0.5, "z2": 0.25}
    result = identify(QRELS, RUN, values, measure="nDCG@10")
    assert texts_of(result, "left out") == [
        "the values of 2 topics that the qrels lack (z1 and z2)"
    ]
    assert result.measure == "nDCG@10"


def test_the_measure_selects_one_of_several_in_a_file(tmp_path):
    path = tmp_path / "values.txt"
    path.write_text("map q1 0.5\nndcg_cut_10 q1 0.25\nndcg_cut_10 q2 0.75\nmap q2 1\n")
    wanted = parse_measures("ndcg@10", uncut=True)
    topics = {"q1", "q2"}
    assert values_of_run(path, topics, None, wanted).by_topic == {"q1": 0.25, "q2": 0.75}
    assert values_of_run(path, topics, "map", wanted).by_topic == {"q1": 0.5, "q2": 1}
    with pytest.raises(GradedError, match="give the name of one of its measures"):
        values_of_run(path, topics, None, parse_measures("nDCG_JK@10"))


def test_the_measure_selects_that_of_ntcireval_whose_cutoff_has_zeros(tmp_path):
    path = tmp_path / "A.nev"
    path.write_text("q1 nDCG@0010= 0.25\nq1 MSnDCG@0010= 0.5\nq1 nDCG@0100= 0.75\n")
    for name, wanted in ((None, parse_measures("nDCG@10")), ("nDCG@10", ())):
        taken = values_of_run(path, {"q1"}, name, wanted)
        assert (taken.by_topic, taken.measure) == ({"q1": 0.25}, "nDCG@0010")
    # A measure with just this name comes first.
    path.write_text("q1 nDCG@0010= 0.25\nq1 nDCG@10= 0.5\n")
    assert values_of_run(path, {"q1"}, "nDCG@10").by_topic == {"q1": 0.5}


@pytest.mark.parametrize(
    ("run", "columns", "wanted"),
    [("AP", "ndcg_cut_10,AP", "nDCG"), ("map", "map,ndcg_cut_10", "nDCG"), ("a", "a,AP", "AP")],
)
def test_a_column_of_a_measure_is_not_that_of_a_run_of_its_name(run, columns, wanted, tmp_path):
    path = tmp_path / "values.csv"
    path.write_text(f"topic,{columns}\nq1,0.5,0.25\n")
    measures = parse_measures(wanted, uncut=True)
    with pytest.raises(GradedError, match=r"\(--name\): \w+ and \w+$"):
        values_of_run(path, {"q1"}, None, measures, RunNames.of(f"{run}.run"))
    other = columns.replace(run, "").strip(",")
    called = RunNames.of(f"{run}.run", [f"{other}.run"])
    assert values_of_run(path, {"q1"}, None, measures, called).measure == run


def test_a_column_of_topics_has_them_although_runs_have_names_of_topics(tmp_path):
    path = tmp_path / "values.csv"
    rows = "1,1,0.1\n1,2,0.2\n1,4,0.3\n2,1,0.4\n2,2,0.5\n2,4,0.6\n"
    path.write_text(f"measure,topic,value\n{rows}")
    run = RunNames.of("1.run")
    read = values_of_run(path, {"1", "2"}, run=run).by_topic
    assert read == {"1": 0.1, "2": 0.2, "4": 0.3}
    path.write_text("run,1,2,4\n1,0.1,0.2,0.3\n2,0.4,0.5,0.6\n")
    assert values_of_run(path, {"1", "2"}, run=run).by_topic == read
    nested = {"1": {"1": 0.1, "2": 0.2, "4": 0.3}, "2": {"1": 0.4, "2": 0.5, "4": 0.6}}
    with pytest.raises(GradedError, match="1 names a topic and a run"):
        values_of_run(nested, {"1", "2"}, run=run)


@pytest.mark.parametrize(
    ("run", "measure", "decimals"),
    [
        ("A", "Success@5", 2), ("A", "Success@10", 2), ("A", "Rprec", 2), ("A", "Bpref", 3),
        ("C", "Bpref", 3), ("A", "R@100", 2), ("A", "nDCG@10", 2), ("A", "nDCG@10", 3),
    ],
)  # fmt: skip
def test_an_everyday_measure_stands_before_odd_ones_that_fit_a_rounded_mean(run, measure, decimals):
    path = demo.run_paths()[run]
    mean = evaluate(demo.qrels_path(), {run: path}, [measure]).means()[0, 0]
    result = identify(demo.qrels_path(), path, mean=f"{mean:.{decimals}f}")
    fitting = [text for about, text in result.findings if about == "fits"]
    first = fitting[0] if fitting else result.answer()[0].partition("that of ")[2]
    assert re.match(rf"{re.escape(measure)}(, which here equals [^;]+)?, as ", first)
    assert re.search("Rarer definitions that fit: [1-9]|fits [2-9] usual", result.answer()[0])


def test_a_mean_that_only_measures_of_no_tool_have_says_so():
    result = identify(demo.qrels_path(), demo.run_paths()["A"], mean="0.85")
    assert "No definition that tools compute has the mean 0.85; " in result.answer()[0]
    assert not result.equal


def test_tools_whose_definitions_differ_in_one_convention_have_one_line():
    """LightGBM's and XGBoost's ideal list has the documents that they are given."""
    result = identify(demo.qrels_path(), demo.run_paths()["A"], mean="0.21")
    lines = [text for about, text in result.findings if about == "fits" and "LightGBM" in text]
    (line,) = [text for text in lines if text.startswith("nDCG@3 ")]
    assert "documents: judged only, or the judged ones, with score 0 if not retrieved)" in line


# ------------------------------------------------------------------------ equal definitions

UP_TO_10 = (
    "nDCG_JK(b=10)@10 (Järvelin & Kekäläinen 2002, b=10), "
    "which up to rank 10 equals nCG@10 and SR@10"
)


@pytest.mark.parametrize("asked", ["nDCG@10", None])
def test_ndcg_without_discount_up_to_its_base_is_that_of_the_founding_paper(asked):
    values = values_of("nDCG_JK(b=10)@10")
    by_topic = identify(QRELS, RUN, values, measure=asked)
    assert by_topic.summary == f"The 24 values are those of {UP_TO_10}."
    assert (by_topic.measure, by_topic.equal) == ("nDCG_JK(b=10)@10", True)
    assert by_topic.other_measures == ("nCG@10", "SR@10")
    equal = [row["value"] for row in by_topic.records() if row["finding"] == "equals"]
    assert equal == ["nCG@10", "SR@10"]
    values = values_of("nDCG_JK(b=10,gains=1:1,2:10,3:100)@10")
    other_gains = identify(QRELS, RUN, values, measure=asked)
    assert other_gains.measure == "nDCG_JK(b=10,gains={2:10,3:100})@10"
    if asked:
        mean = mean_of("nDCG_JK(b=10)@10", UNTIED)
        of_mean = identify(QRELS, UNTIED, mean=mean, measure=asked)
        assert of_mean.summary.startswith(f"The mean {mean} is that of {UP_TO_10}.")


@pytest.mark.parametrize(
    ("measure", "equal"),
    [
        ("nCG@10", "which up to rank 10 equals nDCG_JK(b=10)@10 and SR@10"),
        ("SR@10", "which up to rank 10 equals nDCG_JK(b=10)@10 and nCG@10"),
        ("nDCG_JK(b=3)@3", "which up to rank 3 equals nDCG_JK(b=10)@3, nCG@3 and SR@3"),
        ("nDCG_JK@2", "as NTCIREVAL"),
        ("nDCG_JK(b=10)@20", "(Järvelin & Kekäläinen 2002, b=10)"),
        (
            "nDCG_JK(b=10,gains='exp')@10",
            "(Järvelin & Kekäläinen 2002, b=10), which up to rank 10 equals nCG(gains='exp')@10",
        ),
        ("AP@100", "as pytrec_eval"),
        ("Q(beta=10)@10", ""),
    ],
)
def test_the_measure_that_the_user_names_is_confirmed_if_it_fits(measure, equal):
    mean = mean_of(measure)
    for values in ({"values": values_of(measure)}, {"mean": mean}):
        answer = identify(QRELS, RUN, **values, measure=measure)
        assert answer.measure == measure
        first = re.split("(?:those|that) of |usual definitions: ", answer.summary)[1]
        assert first.startswith(measure)
        assert equal in first


def test_no_mean_is_said_to_be_that_of_one_of_several_usual_definitions():
    bases = (10, 2)
    for measure in [f"nDCG_JK(b={base})@10" for base in bases]:
        answer = identify(QRELS, RUN, mean=mean_of(measure, places=2), measure="nDCG@10")
        assert re.search(r"The mean \S+ fits \d+ usual definitions: ", answer.summary)
        name = measure.replace("(b=2)", "")
        assert any(text.startswith(f"{name} (Järvelin") for text in texts_of(answer, "fits"))


def test_definitions_that_differ_in_the_order_of_ties_alone_share_a_line():
    answer = identify(QRELS, RUN, mean=mean_of("nDCG@10", places=1), measure="nDCG@10")
    lines = texts_of(answer, "fits")
    assert any("order of ties: docid descending, or " in line for line in lines)
    without_ties = [re.sub(r"[(;] ?order of ties: [^;)]*\)?|, as .*", "", line) for line in lines]
    assert len({line.strip() for line in without_ties}) == len(lines)


@pytest.mark.parametrize("mean", ["0.3514", "0.9431"])
def test_all_definitions_that_fit_are_listed(mean):
    answer = identify(QRELS, RUN, mean=mean, measure="nDCG@10")
    rows = answer.definition_table().records()
    (tried,) = texts_of(answer, "tried")
    different = re.search(r"with (\d+) different", tried)
    assert len(rows) == (int(different[1]) if different else int(" 0 fit" not in tried))
    assert len(answer.definition_table(in_lines=True).rows) == len(rows)
    for row in rows:
        assert abs(row["mean"] - float(mean)) < 0.006
    usual = [row["usual"] for row in rows]
    assert usual == sorted(usual, reverse=True)


def test_equal_measures_are_named_before_other_cutoffs():
    """With one relevant document a topic, AP is RR."""
    qrels = {f"q{number}": {f"d{number}": 1} for number in range(20)}
    random = np.random.default_rng(5)
    run = {
        topic: dict(zip([f"d{number}" for number in range(20)], random.permutation(20).tolist()))
        for topic in qrels
    }
    values = values_of("RR@20", run, qrels=qrels)
    answer = identify(qrels, run, values)
    assert {answer.measure, *answer.other_measures} >= {"AP", "RR", "AP@20", "RR@20", "AP@100"}
    first, *others = [name.partition("@")[0] for name in (answer.measure, *answer.other_measures)]
    assert len(set(others[: others.index(first)])) == others.index(first)
    assert f"{answer.measure}, which here equals {answer.other_measures[0]}, " in answer.summary
