"""`identify`: definitions found from values, dimensions told apart, and values of nobody not found."""

import json
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from ir_measures_graded.analysis import evaluate, identify
from ir_measures_graded.analysis.identify import cases, identification
from ir_measures_graded.analysis.identify import definitions as tables
from ir_measures_graded.analysis.identify.solving import gains_in

RANDOM = np.random.default_rng(5)
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
            scores = np.sort(random.integers(0, 12, depth))[::-1] / 2
            run[f"q{topic}"] = dict(zip(docs[:depth], scores.tolist()))
    return qrels, run


QRELS, RUN = collection()
OTHER = collection(seed=8)[1]


def values_of(measure, run=RUN, places=4, qrels=QRELS):
    found = evaluate(qrels, {"run": run}, [measure])
    return dict(zip(found.topics, found.of(measure)[0].round(places).tolist()))


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
    if documents == tables.JUDGED_ONLY:
        scores = {doc: score for doc, score in scores.items() if doc in judged}
    if documents == tables.BEHIND:
        scores |= {doc: -math.inf for doc in judged if doc not in scores}
    unjudged = max(max(levels.values()) for levels in qrels.values()) / 2 if documents == tables.HALF else 0
    place = {doc: number for number, doc in enumerate(scores)}

    def level(doc):
        return judged.get(doc, unjudged)

    keys = {
        tables.IN_FILE: lambda doc: (-scores[doc], place[doc]),
        tables.REVERSED: lambda doc: (-scores[doc], -place[doc]),
        tables.WORST: lambda doc: (-scores[doc], level(doc)),
        tables.BEST: lambda doc: (-scores[doc], -level(doc)),
        tables.AS_READ: lambda doc: place[doc],
    }
    docs = sorted(scores, reverse=order in (tables.DESCENDING, tables.MEAN))
    docs.sort(key=keys.get(order, lambda doc: -scores[doc]))
    if order != tables.MEAN:
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
        first = ranking(qrels, run, topic, tables.AS_READ, documents)
        retrieved = sorted((gain(level) for levels in first for level in levels), reverse=True)
        anew = sorted((gain(levels[0]) for levels in ranks[:k]), reverse=True)
        ideals = {
            "": None,
            tables.FIRST_K: best[:k],
            tables.UNCUT: best,
            tables.AS_LONG: best[: min(len(gains), k)],
            tables.RETRIEVED: retrieved[:k],
            tables.TOP: [top] * (k if cutoff != "none" else len(gains)),
            tables.TOP_RETRIEVED: [top] * min(k, len(gains)),
            tables.ANEW: anew,
        }
        most = 1 if ideals[ideal] is None else dcg(ideals[ideal], discount)
        undefined = {"0": 0, "1": 1, tables.LEFT_OUT: None}
        values[topic] = dcg(gains[:k], discount) / most if most > 0 else undefined[nothing or "0"]
    return values


LOG, LEVEL, ALL, TIED = "log2(r + 1)", "level", tables.EVERY, tables.MEAN
GRID = [
    *product([LEVEL], [LOG], ["", *tables.IDEALS], ["10"], ["0"], [tables.DESCENDING], [ALL]),
    *product(["2^level − 1"], DISCOUNTS, [tables.FIRST_K], ["20"], ["1"], [tables.ASCENDING], [ALL]),
    *product(GAINS, [LOG], [tables.AS_LONG], ["none"], ["0"], [tables.IN_FILE], [ALL]),
    *product([LEVEL], ["r"], [tables.RETRIEVED], ["5"], ["1"], tables.TIES, [ALL]),
    *product([LEVEL], ["r"], [tables.RETRIEVED], ["20"], [tables.LEFT_OUT], [TIED], tables.DOCUMENTS),
    *product(["2^level"], ["none"], ["", tables.FIRST_K], ["50"], ["0"], [tables.AS_READ], tables.DOCUMENTS),
    *product([LEVEL], ["log2(r + 2)"], tables.IDEALS, ["none"], ["0"], [tables.WORST], [ALL]),
]


@pytest.mark.parametrize(("gain", "discount", "ideal", "cutoff", "nothing", "order", "documents"), GRID)
def test_values_of_a_plain_reference_settle_what_the_data_reach(
    gain, discount, ideal, cutoff, nothing, order, documents
):
    values = reference(QRELS, RUN, gain, discount, ideal, cutoff, nothing, order, documents)
    measure = "nDCG" if ideal else "DCG"
    found = identify(QRELS, RUN, rounded(values, 6), measure=measure, decimals=6)
    wanted = (gain, discount, ideal, cutoff, order, documents)
    assert any(
        (each.gain, each.discount, each.ideal, each.cutoff, each.order, each.documents) == wanted
        and each.nothing == (nothing if ideal else "")
        for each in found.definitions
    ) or (nothing == tables.LEFT_OUT and found.definitions)
    assert found.classes == 1
    assert found.computed == pytest.approx(found.given, abs=1e-6)


# ------------------------------------------------------------------------ measure strings, other values


STRINGS = """nDCG_JK@10 nDCG_Burges@5 nDCG@20 DCG_JK@10 Q AP AP(rel=2) P@5 ERR_G@10 nERR muAP RBP_G(p=0.95)
    NDPM NCU(stop='rb',utility='BR') Bpref gP@10 nDCG_JK(avg=True)@20 nDCG_JK(judged_only=True)@10
    Compat(p=0.8)"""


@pytest.mark.parametrize("measure", STRINGS.split())
def test_each_measure_string_finds_itself(measure):
    values = values_of(measure, places=17)
    found = identify(QRELS, RUN, values)
    assert found.equal
    assert values_of(found.measure) == pytest.approx(values, abs=6e-5)


def test_values_shuffled_altered_or_of_another_run_are_not_found():
    values = values_of("nDCG@10")
    shuffled = dict(zip(values, RANDOM.permutation([*values.values()]).tolist()))
    for given in (shuffled, values | {"q0": values["q0"] + 0.01}, values_of("nDCG@10", run=OTHER)):
        found = identify(QRELS, RUN, given)
        assert found.definitions == ()
        assert "none gives every value" in found.summary


def test_one_altered_topic_is_named_beside_the_nearest_definition():
    found = identify(QRELS, RUN, values_of("nDCG_Burges@10") | {"q5": 0.9999})
    assert (found.nearest.gain, found.nearest.cutoff) == ("2^level − 1", "10")
    assert texts_of(found, "agrees") == ["23 of 24 topics; not q5"]
    assert texts_of(found, "here") == ["nDCG_Burges@10 gives the nearest"]


@pytest.mark.parametrize(
    ("gains", "measure", "solved"),
    [("1:0.33,2:0.66,3:1", "nDCG@20", {1: 1, 2: 2, 3: 3.03}), ("1:2,2:3,3:11", None, {1: 2, 2: 3, 3: 11})],
)
def test_gains_that_no_table_has_are_solved_for(gains, measure, solved):
    found = identify(QRELS, RUN, values_of(f"nDCG_JK(gains={gains})@20"), measure=measure)
    assert gains_in(found.definitions[0].gain) == pytest.approx(solved, abs=0.001)
    assert found.definitions[0].discount == "log2 r from rank 2 on"


@pytest.mark.parametrize(
    ("measure", "options", "found"),
    [
        ("nDCG_JK(b=4)@20", {"measure": "nDCG_JK(b=4)@20"}, "log4 r from rank 4 on"),
        ("nDCG@13", {"any_cutoff": True}, "13"),
    ],
)
def test_a_base_and_other_cutoffs_are_tried_when_asked_for(measure, options, found):
    values = values_of(measure)
    assert identify(QRELS, RUN, values).definitions == ()
    assert found in identify(QRELS, RUN, values, **options).definitions[0]


@pytest.mark.parametrize(
    ("show", "way"),
    [
        (lambda value: value // 0.001 / 1000, tables.TRUNCATED),
        (lambda value: round(100 * value, 2), tables.PERCENT),
    ],
)
def test_truncated_values_and_percentages_are_recognised(show, way):
    values = {topic: show(value) for topic, value in values_of("nDCG@10", places=9).items()}
    assert {each.shown for each in identify(QRELS, RUN, values).definitions} == {way}


def test_negative_and_real_levels_have_their_own_gains():
    qrels, run = collection(levels=[-2, 0, 0, 0.5, 1, 2.25])
    GAINS["level, negative too"] = lambda level: level
    for gain, ideal in (("level", tables.FIRST_K), ("level, negative too", "")):
        values = reference(qrels, run, gain, LOG, ideal, "10", "0", tables.DESCENDING, ALL)
        found = identify(qrels, run, rounded(values, 6))
        assert found.definitions[0].gain == gain
    assert {each.gain for each in found.definitions} == {gain}


def test_many_distinct_levels_are_found_too():
    random = np.random.default_rng(1)
    qrels, run = collection()
    qrels = {topic: {doc: float(random.random()) for doc in judged} for topic, judged in qrels.items()}
    values = reference(qrels, run, "2^level − 1", LOG, tables.RETRIEVED, "10", "0", TIED, ALL)
    found = identify(qrels, run, rounded(values))
    assert (found.definitions[0].ideal, found.definitions[0].order) == (tables.RETRIEVED, tables.MEAN)


def test_dimensions_that_the_data_do_not_reach_are_not_exercised():
    qrels = {f"q{n}": dict(zip("abcdef", RANDOM.permutation([3, 2, 1, 1, 0, 0]).tolist())) for n in range(12)}
    run = {topic: dict(zip("abcdef", [6.0, 5.0, 4.0, 3.0, 2.0, 1.0])) for topic in qrels}
    found = identify(qrels, run, values_of("nDCG_Burges@3", run, qrels=qrels))
    states = {name: state for name, (state, _) in found.dimensions.items()}
    assert states == {
        **dict.fromkeys(["measure", "gain", "discount", "cutoff", "shown"], "settled"),
        **dict.fromkeys(["order", "documents", "precision", "nothing"], "not exercised"),
        "ideal": "open",
    }


def test_a_second_run_narrows_the_answer():
    few = dict(list(values_of("nDCG@10", places=1).items())[:2])
    more = [(OTHER, values_of("nDCG@10", OTHER))]
    one = identify(QRELS, RUN, few, measure="nDCG")
    both = identify(QRELS, RUN, few, also=more, measure="nDCG")
    assert len(both.definitions) < len(one.definitions)
    assert both.equal
    mixed = identify(QRELS, RUN, values_of("nDCG@10"), also=[(OTHER, values_of("nDCG_Burges@10", OTHER))])
    assert mixed.definitions == ()


def test_only_definitions_that_were_tried_on_both_runs_are_kept():
    """An order over ties is one of all measures if a run has no ties."""
    plain = {topic: dict(zip(docs, range(30, 0, -1))) for topic, docs in RUN.items()}
    for others, fits in ((values_of("NDPM"), True), (values_of("nDCG@10"), False)):
        found = identify(QRELS, plain, values_of("NDPM", plain), also=[(RUN, others)])
        assert bool(found.definitions) == fits
        assert all(each.order != TIED for each in found.definitions)


# ------------------------------------------------------------------------ means


def test_a_mean_alone_is_weak_and_two_runs_or_a_measure_narrow_it():
    mean, second = (f"{np.mean([*values_of('nDCG_JK@10', run, 9).values()]):.4f}" for run in (RUN, OTHER))
    alone = identify(QRELS, RUN, mean=mean)
    named = identify(QRELS, RUN, mean=mean, measure="nDCG@10")
    both = identify(QRELS, RUN, mean=mean, also=[(OTHER, second)])
    assert alone.classes > named.classes >= 1
    assert len(both.definitions) < len(alone.definitions)
    assert both.measure == "nDCG_JK@10"
    (weak,) = texts_of(named, "weak")
    probability = float(weak.split("probability ")[1][:4])
    means = [f"{each:.4f}" for each in RANDOM.random(30)]
    found = [identify(QRELS, RUN, mean=each, measure="nDCG@10").definitions != () for each in means]
    assert np.mean(found) == pytest.approx(probability, abs=0.25)  # 2.7 standard errors or more


def test_the_topics_of_a_mean_are_a_dimension():
    values = values_of("nDCG@10", places=9)
    mean = np.mean([value for topic, value in values.items() if topic in RUN])
    found = identify(QRELS, RUN, mean=f"{mean:.5f}", measure="nDCG@10")
    usual = [each for each in found.definitions if each[2:6] == ("level", LOG, tables.FIRST_K, "0")]
    averaged = {each.averaged for each in usual}
    assert "the run's topics" in averaged  # so do those with a relevant document: one topic fewer, too
    assert "the qrels' topics" not in averaged
    mean = np.mean([round(value, 2) for value in values.values()])
    found = identify(QRELS, RUN, mean=f"{mean:.5f}", measure="nDCG@10")
    assert tables.FIRST_ROUNDED in {each.shown for each in found.definitions}


# ------------------------------------------------------------------------ input, result


def test_values_come_from_any_file(tmp_path):
    values = values_of("nDCG@10")
    forms = {
        "values.csv": "topic,value\n" + "".join(f"{topic},{value}\n" for topic, value in values.items()),
        "wide.csv": "run,query_id,nDCG@10\n" + "".join(f"r,{topic},{of}\n" for topic, of in values.items()),
        "bare.txt": "".join(f"{topic} {value}\n" for topic, value in values.items()),
        "trec.eval": "".join(f"ndcg_cut_10 \t{q}\t{of}\n" for q, of in [*values.items(), ("all", 0.3)]),
        "ours.tsv": "".join(f"{topic}\tnDCG@10\t{value}\n" for topic, value in values.items()),
        "values.json": json.dumps(values),
        "records.jsonl": "\n".join(json.dumps({"query_id": t, "value": v}) for t, v in values.items()),
        "pytrec_eval.json": json.dumps({topic: {"ndcg_cut_10": value} for topic, value in values.items()}),
    }  # fmt: skip
    expected = identify(QRELS, RUN, values).definitions
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        assert identify(QRELS, RUN, tmp_path / name, measure="nDCG").definitions[0] == expected[0], name


def test_the_result_has_a_table_records_a_frame_and_topics():
    found = identify(QRELS, RUN, values_of("nDCG_Burges@10"))
    assert found.table()[1][0][0] == "settled"
    assert {"finding": "settled", "dimension": "gain", "value": "2^level − 1"} in found.records()
    equal = {"finding": "equal here", "dimension": "measure string", "value": "nDCG_Burges@10"}
    assert equal in found.records()
    assert len(found.to_frame()) == len(found.records())
    columns, rows = found.topic_table()
    assert columns == ["topic", "given", "computed", "difference"]
    assert max(abs(row[3]) for row in rows) < 1e-4


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (dict.fromkeys(QRELS, 0.0), "all values are equal, which identifies nothing"),
        (
            values_of("nDCG@10", places=0),
            "values without decimals fit too many definitions; if they are exact, give their decimals",
        ),
    ],
)
def test_weak_values_name_neither_a_tool_nor_a_measure(values, reason):
    found = identify(QRELS, RUN, values, decimals=0)
    assert found.findings == (("too weak", reason),)
    assert (found.dimensions, found.tools, found.measure, found.equal) == ({}, (), "", False)


def test_whole_values_that_are_exact_find_their_measure():
    found = identify(QRELS, RUN, values_of("Success@1"), decimals=4)
    assert "Success" in {each.measure for each in found.definitions}


def test_the_sample_and_the_chunks_of_many_topics_do_not_change_the_answer(monkeypatch):
    values = values_of("nDCG_Burges@10")
    mean = f"{np.mean([*values.values()]):.4f}"
    whole, of_mean = identify(QRELS, RUN, values), identify(QRELS, RUN, mean=mean, measure="nDCG@10")
    monkeypatch.setattr(identification, "SAMPLE", 8)
    monkeypatch.setattr(cases, "CHUNK", 5)
    assert {*identify(QRELS, RUN, values).definitions} == {*whole.definitions}
    # The sample alone would accept values that differ elsewhere.
    assert identify(QRELS, RUN, values | {"q11": 0.1234}).definitions == ()
    assert identify(QRELS, RUN, mean=mean, measure="nDCG@10").findings == of_mean.findings


def test_every_row_of_the_table_of_tools_has_known_values():
    known = {
        "gain": {*tables.gains_for(np.array([0.0, 1.0, 2.0])), "1 from level", "any table"},
        "discount": tables.DISCOUNTS,
        "ideal": tables.IDEALS,
        "nothing": tables.VALUE_OF,
        "order": (*tables.TIES, tables.AS_READ, tables.BY_RANK),
        "precision": tables.PRECISIONS,
        "documents": tables.DOCUMENTS,
        "cutoff": ("k", "none", "32"),
        "averaged": tables.AVERAGED,
        "shown": tables.SHOWN,
    }
    for tool in tables.tools():
        assert tool.known in ("run", "read")
        assert (tool.version != "") == (tool.known == "run"), tool
        for name, value in tool.dimensions.items():
            assert name == "measure" or value in known[name], tool


def test_a_cause_that_only_the_topics_that_differ_have_is_named_and_no_other():
    few = "q4", "q5"
    run = {topic: dict(list(docs.items())[:4]) if topic in few else docs for topic, docs in RUN.items()}
    values = values_of("nDCG_Burges@10", run, places=6)
    found = identify(QRELS, run, values | {topic: values[topic] + 0.2 for topic in few}, measure="nDCG@10")
    (cause,) = texts_of(found, "perhaps because")
    assert cause.startswith("fewer documents retrieved than the cutoff: 2 of the 2 that differ, 0 of ")


def test_an_unstable_sort_is_named_even_if_most_topics_have_ties():
    down, worst = (
        reference(QRELS, RUN, LEVEL, LOG, tables.FIRST_K, "10", "0", order, ALL)
        for order in (tables.DESCENDING, tables.WORST)
    )
    topic = next(topic for topic in QRELS if down[topic] != worst[topic])
    mixed = down | {topic: (down[topic] + worst[topic]) / 2}
    causes = texts_of(identify(QRELS, RUN, rounded(mixed), measure="nDCG@10"), "perhaps because")
    assert any(text.startswith("an order of tied documents gives the value") for text in causes)


def test_solved_gains_are_no_difference_from_a_measure_that_has_them():
    levels = {topic: {doc: level**2 for doc, level in docs.items()} for topic, docs in QRELS.items()}
    values = reference(levels, RUN, LEVEL, LOG, tables.RETRIEVED, "10", "0", tables.IN_FILE, ALL)
    found = identify(QRELS, RUN, values, measure="nDCG@10")
    differs = found.findings[-1][1]
    assert "differs: ideal list all judged, first k, order of ties docid descending;" in differs


def test_a_document_retrieved_twice_is_named_as_the_cause():
    rows = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
    first = next(row for row in rows if row[0] == "q4")
    frame = pd.DataFrame([*rows, first], columns=["query_id", "doc_id", "score"])
    values = values_of("nDCG_Burges@10") | {"q4": 0.9999}
    causes = texts_of(identify(QRELS, frame, values, measure="nDCG@10"), "perhaps because")
    cause = "a document retrieved twice, of which only the first is counted: 1 of the 1 that differ, 0 of"
    assert any(text.startswith(cause) for text in causes)


def test_a_tool_that_takes_any_table_does_not_gain_from_unjudged_documents():
    (row,) = (tool for tool in tables.tools() if tool.metric == "MSnDCG@{k}")
    found = tables.Definition("nDCG", "10", "", LOG, tables.FIRST_K, documents=ALL)
    assert row.computes(found._replace(gain="solved: 1:2, 2:3"))
    assert not row.computes(found._replace(gain="2^level"))


def test_measure_is_open_if_another_one_is_the_same_formula():
    found = identify(QRELS, RUN, values_of("P@10"))
    assert texts_of(found, "open")[0].startswith("measure: nDCG or ")
    assert not texts_of(found, "settled")[0].startswith("nDCG")
