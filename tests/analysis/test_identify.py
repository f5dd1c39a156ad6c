"""`identify`: definitions found from values, dimensions told apart, and values of nobody not found."""

import json
import math
from itertools import cycle

import numpy as np
import pytest

from ir_measures_graded.analysis import evaluate, identify
from ir_measures_graded.analysis.identify import dimensions as tables
from ir_measures_graded.analysis.identify import tools as tool_table
from ir_measures_graded.errors import GradedError
from ir_measures_graded.evaluation.values import values_by_topic
from rounds import only, sampled

RANDOM = np.random.default_rng(5)
DESCENDING, ANEW = tables.DESCENDING.text, tables.SORTED_ANEW.text
SCORED_0 = tables.MISSED_SCORED_0.text
LEVELS = [0, 0, 0, 0, 1, 1, 2, 3]


def collection(topics=24, depth=30, levels=LEVELS, seed=5):
    """Qrels and a run with ties and unjudged documents; q3 has no relevant document, and q7 is missing."""
    random = np.random.default_rng(seed)
    qrels, run = {}, {}
    for topic in range(topics):
        docs = [f"d{number:02}" for number in random.permutation(depth + 20)]
        judged = random.permutation(docs)[:30]
        given = [0] * 30 if topic == 3 else random.choice(levels, 30).tolist()
        qrels[f"q{topic}"] = dict(zip(judged.tolist(), given))
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
    found = evaluate(qrels, {"run": run}, [measure])
    return dict(zip(found.topics, found.of(measure)[0].round(places).tolist()))


def mean_of(measure, run=RUN, places=4):
    return f"{np.mean([*values_of(measure, run, 9).values()]):.{places}f}"


def texts_of(found, about):
    """The findings about something."""
    return [text for name, text in found.findings if name == about]


def rounded(values, places=4):
    return {topic: round(value, places) for topic, value in values.items() if value is not None}


# ------------------------------------------------------------ a slow reference, one definition at a time

GAINS = {
    "level": lambda level: max(level, 0),
    "2^level − 1": lambda level: 2**level - 1 if level > 0 else 0,
    "1 from level 2 on": lambda level: int(level >= 2),
    "2^level": lambda level: 2**level,
    "level from 2 on": lambda level: level if level >= 2 else 0,
}
DISCOUNTS = {
    "log2(r + 1)": lambda r: math.log2(r + 1),
    "log2 r from rank 2 on": lambda r: math.log2(r) if r >= 2 else 1,
    "ln r from rank e on": lambda r: math.log(r) if r >= math.e else 1,
    "none": lambda r: 1,
    "r": lambda r: r,
    "log2(r + 2)": lambda r: math.log2(r + 2),
}


def ranking(qrels, run, topic, order, documents):
    """The level of each rank of a topic, or several if tied documents share their gains."""
    judged, scores = qrels[topic], dict(run.get(topic, {}))
    if documents not in (ALL, tables.JUDGED_ONLY.text):
        missing = 0.0 if documents == SCORED_0 else -math.inf
        scores |= {doc: missing for doc in judged if doc not in scores}
    if documents in (tables.JUDGED_ONLY.text, SCORED_0):
        scores = {doc: score for doc, score in scores.items() if doc in judged}
    place = {doc: number for number, doc in enumerate(scores)}

    def level(doc):
        return judged.get(doc, 0)

    keys = {
        "file order": lambda doc: (-scores[doc], place[doc]),
        "file order reversed": lambda doc: (-scores[doc], -place[doc]),
        tables.WORST.text: lambda doc: (-scores[doc], level(doc)),
        tables.BEST.text: lambda doc: (-scores[doc], -level(doc)),
        "as read, without scores": lambda doc: place[doc],
    }
    docs = sorted(scores, reverse=order in (DESCENDING, tables.MEAN.text))
    docs.sort(key=keys.get(order, lambda doc: -scores[doc]))
    if order != tables.MEAN.text:
        return [[level(doc)] for doc in docs]
    return [[level(other) for other in docs if scores[other] == scores[doc]] for doc in docs]


def dcg(gains, discount):
    return sum(gain / discount(rank) for rank, gain in enumerate(gains, start=1))


def reference(qrels, run, gain, discount, ideal, cutoff, nothing, order, documents):
    """nDCG or DCG (no ideal) of each topic, None if the topic is left out."""
    k = 10**9 if cutoff == "none" else int(cutoff)
    gain, discount = GAINS[gain], DISCOUNTS[discount]
    top = max(gain(level) for levels in qrels.values() for level in levels.values())
    values = {}
    for topic, judged in qrels.items():
        ranks = ranking(qrels, run, topic, order, documents)
        gains = [sum(map(gain, levels)) / len(levels) for levels in ranks]

        best = sorted(map(gain, judged.values()), reverse=True)
        first = ranking(qrels, run, topic, "as read, without scores", documents)
        retrieved = sorted((gain(level) for levels in first for level in levels), reverse=True)
        anew = sorted((gain(levels[0]) for levels in ranks[:k]), reverse=True)
        ideals = {
            "": None,
            tables.FIRST_K.text: best[:k],
            tables.UNCUT.text: best,
            "all judged, first min(retrieved, k)": best[: min(len(gains), k)],
            "the retrieved documents only": retrieved[:k],
            "the top gain at every rank": [top] * (k if cutoff != "none" else len(gains)),
            "the top gain at each returned rank": [top] * min(k, len(gains)),
            ANEW: anew,
        }
        most = 1 if ideals[ideal] is None else dcg(ideals[ideal], discount)
        undefined = {"0": 0, "1": 1, "left out": None}
        values[topic] = dcg(gains[:k], discount) / most if most > 0 else undefined[nothing or "0"]
    return values


LOG, LEVEL, EXP, ALL, TIED = (
    "log2(r + 1)",
    "level",
    "2^level − 1",
    tables.EVERY.text,
    tables.MEAN.text,
)
DOWN, FIRST, RETRIEVED = DESCENDING, tables.FIRST_K.text, "the retrieved documents only"
FIELDS = "gain discount ideal cutoff nothing order documents".split()
GRID = f"""{LEVEL} | {LOG} | {FIRST} | 10 | 0 | {DOWN} | {ALL}
    {LEVEL} | {LOG} | {tables.UNCUT.text} | 5 | 0 | file order reversed | {ALL}
    {EXP} | {LOG} | {RETRIEVED} | 10 | 1 | file order | {ALL}
    {LEVEL} | {LOG} | {RETRIEVED} | 10 | 0 | {TIED} | {SCORED_0}
    {LEVEL} | {LOG} | {RETRIEVED} | none | 0 | {TIED} | {SCORED_0}
    {LEVEL} | {LOG} | {FIRST} | 7 | 0 | {DOWN} | {ALL}
    {EXP} | log2 r from rank 2 on | {FIRST} | 20 | 0 | docid ascending | {ALL}
    {LEVEL} | ln r from rank e on | all judged, first min(retrieved, k) | none | 0 | {tables.WORST.text} | {ALL}
    1 from level 2 on | none | the top gain at every rank | 10 | 0 | {tables.BEST.text} | {tables.JUDGED_ONLY.text}
    2^level | r | | 20 | 0 | as read, without scores | {ALL}
    level from 2 on | {LOG} | the top gain at each returned rank | none | 0 | {DOWN} | {ALL}
    {LEVEL} | log2(r + 2) | {ANEW} | 10 | left out | {tables.WORST.text} | {tables.MISSED_BEHIND.text}"""


ROWS = list(map(str.strip, GRID.splitlines()))
"""Rows 0, 3 and 5 have only values of dimensions that other rows and strings have, too."""


@pytest.mark.parametrize("row", only(ROWS, [*ROWS[1:3], ROWS[4], *ROWS[6:]]))
def test_values_of_a_plain_reference_settle_what_the_data_reach(row):
    wanted = dict(zip(FIELDS, map(str.strip, row.split("|"))))
    at = (
        f"@{wanted['cutoff']}" if wanted["cutoff"] in ("10", "20") else ""
    )  # among all, the search is longer
    values = rounded(reference(QRELS, RUN, **wanted), 6)
    found = identify(QRELS, RUN, values, measure=("nDCG" if wanted["ideal"] else "DCG") + at)
    if wanted["nothing"] == "left out" or not wanted["ideal"]:
        del wanted["nothing"]
    assert [each for each in found.definitions if wanted.items() <= each._asdict().items()]
    assert found.classes == 1
    assert found.computed == pytest.approx(found.given, abs=1e-6)


STRINGS = """nDCG_JK@10 nDCG DCG_JK@10 Q AP ERR_G@10 NDPM nDCG_JK(judged_only=True)@10
    nDCG_JK(gains={1:2,2:3,3:11})@20 Success@1 nDCG_JK(b=4,gains='exp')@20 DCG_JK(b=10)@20 RBP_G(p=0.7)
    Q(beta=2)@10 RBP(p=0.7,rel=1) NumRel RBP(rel=2) RBP(rel=1,p=0.95)@10 CG(gains={1:5,2:7,3:9})@10"""


FEW_STRINGS = """nDCG_JK@10 AP ERR_G@10 NDPM nDCG_JK(judged_only=True)@10 Success@1
    nDCG_JK(gains={1:2,2:3,3:11})@20 DCG_JK(b=10)@20 Q(beta=2)@10 RBP(p=0.7,rel=1) NumRel"""


@pytest.mark.parametrize("measure", only(STRINGS.split(), FEW_STRINGS.split()))
def test_each_measure_string_finds_itself(measure):
    known = measure if "(" in measure else measure.partition("@")[0]
    # cwl_eval, which computes RBP(rel=…) where it is installed, has another order of ties.
    run = UNTIED if measure.startswith("RBP(") else RUN
    found = identify(QRELS, run, values_of(measure, run, places=17), measure=known)
    assert (found.measure, found.equal) == (measure, True)


def cascade(levels, stops):
    """ERR with these probabilities to stop at each rank."""
    going = np.cumprod([1, *(1 - stops(levels))])[:-1]
    return sum(going * stops(levels) / np.arange(1, len(levels) + 1))


def biased(levels, p, top):
    return sum((1 - p) * p**number * level / top for number, level in enumerate(levels))


def precisions(levels):
    return sum(
        np.count_nonzero(levels[:rank]) / rank for rank, level in enumerate(levels, 1) if level
    )


def share(number, of):
    return number / max(of, 1)


# The highest level of every other topic is 2.
UNEVEN = {
    topic: {doc: min(of, 2 + n % 2) for doc, of in QRELS[topic].items()}
    for n, topic in enumerate(QRELS)
}
OTHERS = {
    "ERR_G": lambda levels, judged: cascade(levels, lambda level: (2**level - 1) / 8),
    "ERR_G(max_gain=15)": lambda levels, judged: cascade(levels, lambda level: (2**level - 1) / 16),
    "ERR_G with the topic's top level": lambda levels, judged: cascade(
        levels, lambda level: (2**level - 1) / 2 ** max(judged)
    ),
    "ERR_G with the level as the probability": lambda levels, judged: cascade(
        levels, lambda level: level
    ),
    "RBP_G(p=0.9) with the gains themselves": lambda levels, judged: biased(levels, 0.9, 1),
    "RBP_G(p=0.95)": lambda levels, judged: biased(levels, 0.95, 3),
    "AP over min(R, k)": lambda levels, judged: share(
        precisions(levels), min(10, np.count_nonzero(judged))
    ),
    "AP over the relevant documents found": lambda levels, judged: share(
        precisions(levels), np.count_nonzero(levels)
    ),
    "R over min(R, k)": lambda levels, judged: share(
        np.count_nonzero(levels), min(10, np.count_nonzero(judged))
    ),
    "R over the relevant documents retrieved": lambda levels, judged: share(
        np.count_nonzero(levels[:10]), np.count_nonzero(levels)
    ),
    "F1": lambda levels, judged: 2 * np.count_nonzero(levels) / (10 + np.count_nonzero(judged)),
    "RR of each relevant document found, their mean": lambda levels, judged: share(
        sum(1 / rank for rank, level in enumerate(levels, 1) if level), np.count_nonzero(levels)
    ),
    "Rank of the first relevant document": lambda levels, judged: next(
        (rank for rank, level in enumerate(levels, 1) if level), 0
    ),
    "RR": lambda levels, judged: max(
        [1 / rank for rank, level in enumerate(levels, 1) if level], default=0
    ),
}


@pytest.mark.parametrize(
    ("measure", "order"), list(zip(OTHERS, cycle([DOWN, "file order reversed"])))
)
def test_other_measures_are_found_in_the_order_of_their_values(measure, order):
    values = {}
    for topic, judged in UNEVEN.items():
        levels = np.ravel(ranking(UNEVEN, RUN, topic, order, ALL)[:10])
        values[topic] = float(OTHERS[measure](levels, [*judged.values()]))
    name = measure.partition(" ")[0].partition("(")[0]
    found = identify(UNEVEN, RUN, rounded(values), measure=f"{name}@10")
    assert (found.definition.measure, found.classes) == (measure, 1)
    assert order in found.dimensions["order"][1] or measure == "RR"


def test_the_share_of_documents_that_no_topic_judges_is_found():
    """BEIR and MTEB call it Hole@k; it is not 1 - Judged@k."""
    judged = {doc for of_topic in QRELS.values() for doc in of_topic}
    run = {
        topic: {
            doc if (n + len(topic)) % (2 + n % 5) else f"new {topic} {n}": score
            for n, (doc, score) in enumerate(docs.items())
        }
        for topic, docs in UNTIED.items()
    }
    values = {}
    for topic, docs in run.items():
        top = sorted(docs, key=docs.get, reverse=True)[:7]
        values[topic] = sum(doc not in judged for doc in top) / 7
    found = identify(QRELS, run, values, measure="Hole@7", decimals=4)
    assert (found.definition.measure, found.definition.cutoff) == ("Hole", "7")
    assert "BEIR" in found.summary


@pytest.mark.parametrize("measure", sampled(["F1@10", "trec_G", "trec_unj@10", "trec_11pt_avg"], 2))
def test_measures_of_trec_eval_and_f1_are_found_without_their_names(measure):
    found = identify(QRELS, UNTIED, values_of(measure, UNTIED, places=6))
    assert (found.measure, found.equal) == (measure, True)


# ------------------------------------------------------------------------ nothing fits


@pytest.mark.parametrize("kind", ["shuffled", "random", "altered", "some altered"])
def test_no_definition_is_none_in_every_form(kind):
    values = values_of("nDCG@10")
    numbers = np.array([*values.values()])
    given = {
        "shuffled": RANDOM.permutation(numbers),
        "random": RANDOM.random(24),
        "altered": numbers + np.eye(24)[5] * 0.01,
        "some altered": numbers + np.isin(range(24), (2, 5, 9)) * 0.001,
    }[kind]
    found = identify(QRELS, RUN, dict(zip(values, given.round(4).tolist())), measure="nDCG@10")
    assert (found.definitions, found.measure, found.equal, found.tools) == ((), None, False, ())
    (row,) = found.records()
    assert (row["finding"], row["given"]) == ("none", pytest.approx(given.mean(), abs=1e-4))
    assert row["differ"] == int((abs(found.given - found.computed) > 6e-5).sum()) > 0
    if kind == "altered":
        assert texts_of(found, "differs")[0].startswith(
            f"topic q5: given {given[5]:.4f}, computed "
        )
    is_near = "altered" in kind
    assert ("The nearest is nDCG@10" in found.summary, bool(texts_of(found, "gap"))) == (
        is_near,
        is_near,
    )
    assert found.topic_table().cells()[0] == ["topic", "given", "computed", "difference"]


@pytest.mark.parametrize(
    "cause", ["fewer documents retrieved", "retrieved twice", "the best order"]
)
def test_a_cause_that_only_the_topics_that_differ_have_is_named_and_no_other(cause):
    few, run = ("q4", "q5"), RUN
    values = values_of("nDCG_Burges@10")
    if cause == "fewer documents retrieved":
        run = {
            topic: dict(list(docs.items())[:4]) if topic in few else docs
            for topic, docs in RUN.items()
        }
        values = values_of("nDCG_Burges@10", run)
        values |= {topic: values[topic] + 0.01 for topic in few}
    elif cause == "retrieved twice":
        run = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
        run += [next(row for row in run if row[0] == topic) for topic in few]
        values |= dict.fromkeys(few, 0.9999)
    else:
        fields = LEVEL, LOG, FIRST, "10", "0"
        orders = [reference(QRELS, RUN, *fields, order, ALL) for order in (DOWN, tables.WORST.text)]
        topic = next(topic for topic in QRELS if orders[0][topic] != orders[1][topic])
        values = rounded(orders[0] | {topic: (orders[0][topic] + orders[1][topic]) / 2})
    causes = texts_of(identify(QRELS, run, values, measure="nDCG@10"), "perhaps because")
    assert [text for text in causes if cause in text and ", 0 of " in text]
    assert not [text for text in causes if "twice" in text and cause != "retrieved twice"]


def test_solved_gains_are_open_because_other_tables_may_fit():
    found = identify(QRELS, RUN, values_of("nDCG_JK(gains=1:13,2:37,3:101)@20"), measure="nDCG@20")
    assert found.dimensions["gain"] == ("open", ("solved: 1:13, 2:37, 3:101",))
    assert "Other tables of gains may fit, too." in found.summary


def test_values_that_are_all_equal_or_without_decimals_claim_nothing():
    for values in (
        dict.fromkeys(QRELS, 0.25),
        dict(list(values_of("nDCG@10", places=1).items())[:4]),
    ):
        found = identify(QRELS, RUN, values, measure="nDCG@10")
        assert not found.equal
        assert "identifies nothing" in found.summary or "perhaps" in found.summary


# ------------------------------------------------------------------------ conventions


def test_other_cutoffs_are_tried_if_nothing_fits_or_when_asked_for():
    found = identify(QRELS, RUN, values_of("nDCG@13"), measure="nDCG@10")
    assert (found.measure, found.equal) == ("nDCG@13", True)
    found = identify(QRELS, RUN, mean=mean_of("AP@13"), measure="AP", any_cutoff=True)
    assert "AP@13" in [found.measure, *texts_of(found, "fits")]


SHOWN = {
    tables.TRUNCATED.text: lambda value: value // 0.001 / 1000,
    tables.PERCENT.text: lambda value: round(100 * value, 2),
    tables.ROUNDED.text: lambda value: f"{value:.2f}00",
}


@pytest.mark.parametrize("way", SHOWN)
def test_truncated_values_percentages_and_filled_decimals_are_recognised(way):
    values = {topic: SHOWN[way](value) for topic, value in values_of("nDCG@10", places=9).items()}
    found = identify(QRELS, RUN, values, measure="nDCG@10")
    assert {each.shown for each in found.definitions} == {way}


def test_a_value_that_is_cut_is_below_the_next():
    values = values_of("RR")
    topic = next(topic for topic, value in values.items() if value == 1)
    assert not identify(QRELS, RUN, values | {topic: 0.9999}, measure="RR").definitions


def test_negative_real_and_many_levels_have_their_own_gains(monkeypatch):
    qrels, run = collection(levels=[-2, 0, 0, 0.5, 1, 2.25])
    monkeypatch.setitem(GAINS, "level, negative too", lambda level: level)
    for gain, ideal in (("level", FIRST), ("level, negative too", "")):
        values = reference(qrels, run, gain, LOG, ideal, "10", "0", DOWN, ALL)
        found = identify(qrels, run, rounded(values, 6), measure="nDCG@10" if ideal else "DCG@10")
        assert {each.gain for each in found.definitions} == {gain}
    qrels = {topic: {doc: RANDOM.random() for doc in judged} for topic, judged in QRELS.items()}
    values = reference(qrels, RUN, EXP, LOG, RETRIEVED, "10", "0", TIED, ALL)
    found = identify(qrels, RUN, rounded(values), measure="nDCG@10")
    assert (found.definition.ideal, found.definition.order) == (RETRIEVED, TIED)


def test_dimensions_that_the_data_do_not_reach_are_not_exercised():
    qrels = {
        f"q{n}": dict(zip("abcdef", RANDOM.permutation([3, 2, 1, 1, 0, 0]).tolist()))
        for n in range(12)
    }
    run = {topic: dict(zip("abcdef", [6.0, 5.0, 4.0, 3.0, 2.0, 1.0])) for topic in qrels}
    found = identify(qrels, run, values_of("nDCG_Burges@3", run, qrels=qrels))
    states = {name: state for name, (state, _) in found.dimensions.items()}
    assert states == {
        **dict.fromkeys(["measure", "gain", "discount", "cutoff", "shown"], "settled"),
        **dict.fromkeys(["order", "documents", "precision", "nothing"], "not exercised"),
        "ideal": "open",
    }
    string = identify(qrels, run, values_of("Q@3", run, qrels=qrels), measure="Q")
    assert {*string.dimensions} == {"measure", "cutoff", "shown"}  # it is tried in one order only


def test_a_second_run_narrows_the_answer_and_contradicts_it():
    few = dict(list(values_of("nDCG@10", places=1).items())[:2])
    one = identify(QRELS, RUN, few, measure="nDCG@10")
    both = identify(QRELS, RUN, few, also=[(OTHER, values_of("nDCG@10", OTHER))], measure="nDCG@10")
    also = [(OTHER, values_of("nDCG_Burges@10", OTHER))]
    mixed = identify(QRELS, RUN, values_of("nDCG@10"), also=also, measure="nDCG@10")
    assert len(both.definitions) < len(one.definitions)
    assert (one.equal, both.equal) == (False, True)
    assert "The nearest is nDCG@10" in mixed.summary
    assert mixed.summary.endswith("it gives 26 of 48.")


def test_a_plain_name_is_before_an_equal_contrived_one():
    for measure in ("AP(rel=2)", "P@10"):
        found = identify(QRELS, RUN, values_of(measure, places=6), measure=measure[:2].strip("@"))
        assert (str(found.measure), found.definition.measure) == (
            measure,
            measure.partition("@")[0],
        )


# ------------------------------------------------------------------------ means


MEANS = ["nDCG_Burges@10", "AP(rel=2)", "RR@10", "RBP_G(p=0.7)"]


@pytest.mark.parametrize("measure", only(MEANS, ["AP(rel=2)", "RBP_G(p=0.7)"]))
def test_a_mean_is_that_of_the_likely_definition_and_rarer_ones_are_counted(measure):
    known = {"nDCG_Burges@10": "nDCG@10", "AP(rel=2)": "AP"}.get(measure, measure)
    places = 4 if measure.startswith("R") else 5  # many tools compute an nDCG or AP
    mean = mean_of(measure, places=places)
    found = identify(QRELS, RUN, mean=mean, measure=known)
    assert (found.measure, found.equal) == (measure, True)
    assert f"is that of {measure}" in found.summary
    if measure == "AP(rel=2)":
        alone = identify(QRELS, RUN, mean=mean)
        assert alone.chance > found.chance
        assert measure in str([alone.summary, *texts_of(alone, "fits")])


def test_a_mean_that_no_tool_gives_is_none_and_means_of_two_runs_narrow_it():
    mean = round(float(mean_of("nDCG@10")) + 0.2, 4)
    found = identify(QRELS, RUN, mean=mean, also=[(OTHER, mean)], measure="nDCG@10", decimals=4)
    (row,) = found.records()
    assert (row["finding"], row["given"], found.measure, found.equal) == ("none", mean, None, False)
    assert f", with {found.means[1]:.4f} and " in found.summary
    also = [(OTHER, mean_of("nDCG_JK@10", OTHER))]
    both = identify(QRELS, RUN, mean=mean_of("nDCG_JK@10"), also=also, measure="nDCG@10")
    assert (both.measure, both.equal) == ("nDCG_JK@10", True)


def test_definitions_with_equal_means_are_apart_if_their_values_are():
    levels = {"q1": [2, 1, 1, 0, 0, 0, 1, 0], "q2": [0, 1, 0, 2, 0, 0, 0, 1]}
    qrels = {topic: dict(zip("abcdefgh", each)) for topic, each in levels.items()}
    found = identify(
        qrels, {topic: dict(zip("abcdefgh", range(8, 0, -1))) for topic in qrels}, mean="0.5000"
    )
    texts = texts_of(found, "fits")
    assert any(text.startswith("P@5, as pytrec_eval, trec_eval, mlflow,") for text in texts)
    assert "pytrec_eval, trec_eval P_5 (0.5.11)" not in found.tools


def test_usual_definitions_are_kept_if_many_fit_and_no_dimension_is_told():
    qrels = {"q1": {"a": 2}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 2}}
    found = identify(qrels, {"q1": {"a": 1.0}}, mean="0.2500")
    assert {"AP", "RR", "P", "Q"} <= {each.measure for each in found.definitions}
    assert (" or more fit" in str(found.findings), found.dimensions) == (True, {})


def test_the_topics_of_a_mean_are_a_dimension():
    values = values_of("nDCG@10", places=9)
    mean = np.mean([value for topic, value in values.items() if topic in RUN])
    found = identify(QRELS, RUN, mean=f"{mean:.5f}", measure="nDCG@10")
    assert found.definition.averaged in ("the run's topics", "topics in both")
    assert not found.equal
    assert "nDCG@10 (averaged topics: the run's topics)" in found.summary


# ------------------------------------------------------------------------ input, result


def test_values_come_from_any_file(tmp_path):
    values = {"q1": 0.25, "q2": 0.5}
    forms = {
        "values.csv": "topic,value\n" + "".join(f"{topic},{value}\n" for topic, value in values.items()),
        "bare.txt": "".join(f"{topic} {value}\n" for topic, value in values.items()),
        "trec.eval": "".join(f"ndcg_cut_10 \t{q}\t{of}\n" for q, of in [*values.items(), ("all", 0.3)]),
        "values.json": json.dumps(values),
        "pytrec_eval.json": json.dumps({topic: {"ndcg_cut_10": value} for topic, value in values.items()}),
    }  # fmt: skip
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        found = values_by_topic(tmp_path / name, {"q1", "q2"}, None)
        assert {topic: float(value) for topic, value in found.items()} == values, name


def test_many_topics_are_sampled_and_all_are_verified():
    qrels, run = collection(topics=60)
    values = values_of("nDCG_Burges@10", run, qrels=qrels)
    found = identify(qrels, run, values, measure="nDCG@10")
    assert (found.measure, found.equal, found.classes) == ("nDCG_Burges@10", True, 1)
    altered = [
        identify(qrels, run, values | {topic: 0.1234}, measure="nDCG@10")
        for topic in ("q11", "q12")
    ]
    assert [(each.definitions, each.differ, each.nearest.gain) for each in altered] == [
        ((), 1, EXP)
    ] * 2


def test_every_cell_of_the_table_of_tools_has_known_values():
    known = {dimension.name: {*dimension.by_text} for dimension in tables.DIMENSIONS[3:]}
    known["gain"] = {*tables.gains_for(np.array([0.0, 1.0, 2.0]))}
    known["cutoff"] = {"none", "32"}
    for tool in tool_table.TOOLS:
        assert tool["known"] in ("run", "read", tool_table.HERE)
        assert (tool["version"] != "") == (tool["known"] == "run"), tool
        for name, texts in known.items():
            cell = tool[name]
            assert cell in tool_table.SEVERAL or {*cell.split("|")} <= texts, tool


def test_a_tool_that_takes_any_table_does_not_gain_from_unjudged_documents():
    (row,) = (tool for tool in tool_table.TOOLS if tool["metric"] == "MSnDCG@{k}")
    assert tool_table.departs(row, "gain", "solved: 1:2, 2:3") == 0
    assert tool_table.departs(row, "gain", "2^level") == 1


def test_topics_that_the_definition_leaves_out_have_no_gap():
    values = values_of("nDCG@10", places=6)
    empty = [topic for topic, judged in QRELS.items() if not any(judged.values())]
    found = identify(QRELS, RUN, values | dict.fromkeys(empty, 0.5), measure="nDCG@10")
    assert (found.definitions, found.differ) == ((), len(empty))
    gap, left_out = texts_of(found, "gap"), texts_of(found, "left out")
    assert gap or left_out
    assert not gap or not gap[0].startswith("largest 0.0")
    assert "nan" not in str(found).lower()


def test_a_topic_left_out_is_named_beside_the_gaps_of_the_others():
    judged = {topic: levels for topic, levels in QRELS.items() if topic != "q3"}
    empty = {f"e{number}": {"d": 0} for number in range(3)}
    fields = EXP, LOG, FIRST, "10", "left out", DOWN, ALL
    values = rounded(reference(judged, RUN, *fields), 6) | dict.fromkeys(empty, 0.5)
    found = identify(judged | empty, RUN, values, measure="nDCG@10")
    assert found.differ == 3
    for about, text in found.findings:
        if about in ("differs", "left out"):
            assert text.startswith("topic e0: given 0.500000, ")
            assert text.endswith(", and 2 other topics")
    assert None not in [row[1] for row in found.topic_table().rows]


@pytest.mark.filterwarnings("ignore::ir_measures_graded.errors.EmptyRunWarning")
@pytest.mark.parametrize("run", [{"x": {"d01": 1.0}}, {}])
def test_a_run_without_any_topic_of_the_qrels_is_refused(run):
    with pytest.raises(GradedError, match=r"none of its topics|the run is empty"):
        identify(QRELS, run, values_of("nDCG@10"), measure="nDCG@10")


def test_a_document_that_is_retrieved_twice_is_told():
    rows = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
    again = next(row for row in rows if row[0] == "q4")
    found = identify(QRELS, [*rows, again], values_of("nDCG@10"), measure="nDCG@10")
    (text,) = texts_of(found, "duplicates")
    assert text.startswith("1 topic (q4): a document is retrieved twice")
    assert found.measure == "nDCG@10"


def test_values_of_topics_that_the_qrels_lack_are_told():
    values = {**values_of("nDCG@10"), "z1": 0.5, "z2": 0.25}
    found = identify(QRELS, RUN, values, measure="nDCG@10")
    assert texts_of(found, "left out") == ["the values of 2 topics that the qrels lack (z1, z2)"]
    assert found.measure == "nDCG@10"
