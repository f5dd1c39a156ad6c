"""Explanations: the vectors of the papers, any ranking rank by rank, and errors."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, P, R, nDCG

import strategies
from all_measures import WITH_GAINS
from ir_measures_graded import CG, GradedError, parse_measure
from ir_measures_graded.analysis import evaluate, explain, explain_difference
from ir_measures_graded.analysis.explain import explanations
from ir_measures_graded.core.ranking.order import as_compared
from ir_measures_graded.output.formats import decimal
from papers import test_jarvelin_kekalainen as jk
from ranked import ranked

JK = jk.QRELS, jk.RUN


# ------------------------------------------------------------------------------ values of the papers


def test_the_vectors_of_discounted_cumulated_gain():
    found = explain(*JK, "DCG_JK(b=2)@10", "q")
    assert found.weights.tolist() == [1, 1, *(1 / (np.log(np.arange(3, 11)) / np.log(2)))]
    np.testing.assert_allclose(found.contributions, found.gains * found.weights, rtol=1e-15)
    assert found.values == pytest.approx(jk.DCG_VECTOR, abs=jk.A_HUNDREDTH)


@pytest.mark.parametrize("measure", ["ERR_G@4", "nERR", "EBR(max_gain=19)", "iRBU(p=.5)@3"])
def test_the_steps_of_a_user_who_stops_multiply_to_the_contributions(measure):
    qrels = {"q": {"a": 1, "b": 3, "c": 0, "d": 2, "e": 3}, "p": {"z": 4}}
    found = explain(qrels, {"q": ["a", "x", "b", "c", "d"]}, measure, "q", depth=4)
    assert [row["stop"] or 0.0 for row in found.records()] == np.nan_to_num(found.stops).tolist()
    down_to = found.measure.params.get("cutoff", 4)
    steps = (found.reach * found.stops * np.nan_to_num(found.worth))[:down_to]
    divisor = 1
    if measure == "nERR":
        divisor = evaluate(qrels, {"r": {"q": ["b", "e", "d", "a"]}}, ["ERR_G"]).of("ERR_G")[0, 0]
    np.testing.assert_allclose(steps / divisor, found.contributions[:down_to], rtol=1e-14)
    assert found.reach[:2].tolist() == [1, 1 - found.stops[0]]


def test_the_highest_gain_stands_in_the_sentence():
    qrels = {"q": {"a": 1}, "p": {"z": 4}}
    found = explain(qrels, {"q": ["a"]}, "ERR_G@4", "q")
    assert found.summary.endswith("; the highest gain is 15.")
    assert "stops = gain / (15 + 1)" in found.notes()[1]
    assert explain(qrels, {"q": ["a"]}, "RBP_G@4", "q").notes()[1] == "Adds = gain / 4 × weight."
    assert "stop" not in explain(qrels, {"q": ["a"]}, "Q", "q").data().columns


# ------------------------------------------------------------------------------------- any ranking


finite = [each for each in WITH_GAINS if each.NAME not in ("ADM", "RelativeRelevance")]
options = st.fixed_dictionaries({"gains": strategies.GAINS, "judged_only": st.booleans()})
cutoffs = st.sampled_from([None, 1, 2, 3, 5, 12])


@given(strategies.collections(), st.sampled_from(finite), options, cutoffs)
def test_any_ranking_is_explained_rank_by_rank(collection, measure, parameters, cutoff):
    qrels, run = collection
    measure = measure(**parameters, **({"cutoff": cutoff} if measure.CUTOFF else {}))
    values = dict.fromkeys(qrels)
    values |= {topic: value for topic, _, value in ir_measures.iter_calc([measure], qrels, run)}
    for topic, judged in qrels.items():
        found = explain(qrels, run, measure, topic, 12)
        assert found.value == values[topic]
        kept = {
            d: s
            for d, s in run.get(topic, {}).items()
            if d in judged or not parameters["judged_only"]
        }
        score = dict(zip(kept, as_compared(np.array([*kept.values()])).tolist()))
        in_order = sorted(sorted(kept, reverse=True), key=lambda doc: -score[doc])[:12]
        assert list(found.documents) == in_order
        gains = parameters["gains"]
        for doc, level, gain in zip(found.documents, found.levels.tolist(), found.gains.tolist()):
            assert level == judged[doc] if doc in judged else np.isnan(level)
            assert gain == (gains.get(judged[doc], max(judged[doc], 0)) if doc in judged else 0)
        assert np.isnan(found.gains[len(found.documents) :]).all()
        if found.contributions is not None:
            assert found.contributions.sum() == pytest.approx(found.value, rel=1e-12, abs=1e-12)
        if measure.CUTOFF and cutoff:
            assert found.values[cutoff - 1] == found.value
            assert np.isnan(found.values[cutoff:]).all()


@given(
    strategies.collections(),
    strategies.collections(),
    st.sampled_from(["nDCG_JK@3", "ERR_G", "Q@4", "P_plus"]),
)
def test_the_differences_of_documents_sum_to_that_of_the_values(collection, another, measure):
    (qrels, old), (_, new) = collection, another
    values = evaluate(qrels, {"old": old, "new": new}, [measure]).values[:, 0]
    found = explain_difference(qrels, {"old": old, "new": new}, measure)
    assert abs(found.difference) == max(abs(values[1] - values[0]))
    topic, rows = found.run.topic, found.records()
    assert {row["document"] for row in rows} >= {
        row["document"] for row in rows if row["rank"] == 1
    }
    if measure == "P_plus":
        assert all(row["difference"] is None for row in rows)
    else:
        assert sum(row["difference"] for row in rows) == pytest.approx(found.difference, abs=1e-12)
        assert len(rows) == len({*old.get(topic, {}), *new.get(topic, {})})
        sizes = [abs(row["difference"]) for row in rows]
        assert sizes == sorted(sizes, reverse=True)
        adding = [row for row in rows if row["contribution"] or row["other_contribution"]]
        assert len(found.table()[1]) == len(adding)
        cut = explain_difference(qrels, {"old": old, "new": new}, measure, topic, 1)
        assert cut.records() == [row for row in rows if 1 in (row["rank"], row["other_rank"])]


@given(
    strategies.collections(),
    strategies.collections(),
    st.sampled_from(["P_plus", "P_measure", "P_plus@2", "KendallTau", "Q"]),
    st.sampled_from([None, 1, 3]),
)
def test_differences_show_every_rank_of_a_listed_document(collection, another, measure, depth):
    (qrels, old), (_, new) = collection, another
    found = explain_difference(qrels, {"old": old, "new": new}, measure, depth=depth)
    lists = found.other.documents, found.run.documents
    assert lists == tuple(
        explain(qrels, run, measure, found.run.topic, depth=100).documents for run in (old, new)
    )
    for row in found.records():
        for documents, rank in zip(lists, (row["other_rank"], row["rank"]), strict=True):
            place = documents.index(row["document"]) + 1 if row["document"] in documents else None
            assert rank == place
    if depth is None and measure in ("P_plus", "P_measure"):  # one depth for both lists
        judged = [
            documents.index(document) + 1
            for documents in lists
            for document in documents
            if document in qrels[found.run.topic]
        ]
        last = max([1, *judged])
        assert {row["document"] for row in found.records()} == {
            document for documents in lists for document in documents[:last]
        }


def test_ties_of_unjudged_documents_are_in_the_order_of_the_measure():
    run = {"q": {"z": 1.0, "m": 1.0, "a": 1.0, "k": 1.0 + 1e-9, "y": 2.0}}
    assert explain({"q": {"m": 1}}, run, "RR@5", "q").documents == ("y", "k", "a", "m", "z")


@pytest.mark.parametrize(
    "measure", [P @ 3, P(rel=2) @ 3, R @ 2, AP, AP(judged_only=True), nDCG, nDCG(gains={1: 5}) @ 3]
)
def test_standard_measures_have_values_at_all_ranks(measure):
    qrels = {"1": {"a": 3, "b": 1, "c": 0, "d": 2}, "2": {"a": 1}}  # gdeval needs numbers of topics
    run = {"1": {"x": 4.0, "b": 3.0, "c": 2.0, "a": 1.0}}
    found = explain(qrels, run, measure, "1")
    cutoff = measure.params.get("cutoff")
    assert found.value == evaluate(qrels, {"run": run}, [measure]).values[0, 0, 0]
    ranks = range(1, (cutoff or len(found.levels)) + 1)
    each = evaluate(qrels, {"run": run}, [measure @ rank for rank in ranks]).values[0, :, 0]
    assert found.values.tolist() == each.tolist()
    assert found.contributions.sum() == pytest.approx(found.value, abs=1e-15)
    ideal = [3, 2, 1] if "gains" not in measure.params else [1, 3, 2]
    least = measure.params.get("rel", 0)
    assert found.ideal_levels[:3][~np.isnan(found.ideal_levels[:3])].tolist() == [
        level for level in ideal[: len(found.levels)] if level >= least
    ]


# ------------------------------------------------------------------------ ties, cutoffs, other cases


def test_scores_are_those_that_are_compared_and_only_ties_look_equal():
    scores = 18.9544120, 18.9544121, 18.95440, 2.0
    found = explain({"q": {"a": 1}}, {"q": dict(zip("abcd", scores))}, "CG@4", "q")
    assert np.float32(scores[0]) == np.float32(scores[1])
    assert found.scores.tolist() == sorted(map(float, map(np.float32, scores)), reverse=True)
    columns, rows = found.table()
    texts = [f"{row[columns.index('score')]:.4f}" for row in rows]
    assert texts == ["18.954412", "18.954412", "18.9544", "2.0"]
    assert [record["score"] for record in found.records()] == [18.954412, 18.954412, 18.9544, 2.0]


def test_the_default_depth_is_the_cutoff_or_the_last_judged_document():
    collection = ranked([1, None, 1, None, None])
    assert len(explain(*collection, "CG@4", "q").ranks) == 4
    assert len(explain(*collection, "CG", "q").ranks) == 3
    assert len(explain(collection[0], {}, "CG", "q").ranks) == 1


def test_a_topic_that_the_run_lacks_is_an_empty_list():
    for measure in (CG @ 2, P @ 2, "RBP_G(residual=True)@2"):
        found = explain({"q": {"a": 1}}, {"r": {"a": 1.0}}, measure, "q")
        assert (found.documents, found.ideal_levels[0]) == ((), 1)
        assert [each["document"] for each in found.records()] == [None, None]


def test_the_worst_topic_with_a_relevant_document_comes_without_a_topic():
    qrels = {"none": {"a": 0}, "good": {"a": 1}, "bad": {"a": 2, "b": 1, "c": 1}}
    run = {"good": {"a": 1.0}, "bad": {"x": 4.0, "y": 3.0, "b": 2.0}}
    for measure in ("nDCG_JK@3", "AP@3", "ERR_G", "NR"):
        found = explain(qrels, run, measure)
        told = "the worst of 2 topics with a relevant document. First relevant document at rank 3; 1 of its 3"
        assert (found.topic, found.topics) == ("bad", 2)
        assert told in found.summary
    with pytest.raises(GradedError, match="no topic has a relevant document"):
        explain({"q": {"a": 0}}, run, "Q")


def test_explanations_of_many_topics_equal_single_ones():
    qrels = {**JK[0], "p": {"a": 2, "d1": 1}}
    runs = {"one": JK[1], "two": {"p": {"x": 2.0, "a": 1.0}}}
    for measure in map(parse_measure, ("nDCG_JK@4", "Q", "nDCG@4", "nDCG_Burges@20")):
        for name, found in explanations(qrels, runs, measure, 6).items():
            for topic, among in zip(qrels, found, strict=True):
                alone = explain(qrels, runs[name], measure, topic, 6, name=name)
                assert (among.records(), among.summary) == (alone.records(), alone.summary)
                assert alone.summary.startswith(
                    f"Topic {topic}: {measure} of {name} = {decimal(alone.value)}. "
                )
    assert [each.documents for each in explanations(qrels, runs, "CG", 6, ["p"])["two"]] == [
        ("x", "a")
    ]


# --------------------------------------------------------------------------------- condensed lists


def test_condensed_lists_have_the_documents_that_the_measure_sees():
    qrels, run = {"q": {"a": -1, "b": 1, "c": 0}}, {"q": {"a": 4.0, "x": 3.0, "c": 2.0, "b": 1.0}}
    found = explain(
        qrels, run, AP(judged_only=True), "q"
    )  # negative levels are unjudged for trec_eval
    assert (found.documents, found.values.tolist()) == (("c", "b"), [0, 0.5])
    assert explain(qrels, run, "CG(judged_only=True)", "q").documents == ("a", "c", "b")
    assert explain(qrels, run, "KendallTau", "q").documents == ("a", "c", "b")  # its default


def test_unjudged_documents_are_not_relevant_where_level_0_has_a_gain():
    run = {"t": {"x": 4.0, "y": 3.0, "a": 2.0}}
    found = explain({"t": {"a": 1, "b": 0}}, run, "nDCG_JK(gains=0:1,1:2)@3")
    assert (
        "worst of 1 topic with a relevant document. First relevant document at rank 3; 1"
        in found.summary
    )


@pytest.mark.parametrize(
    "measure", ["CG@3", "AP", "ERR_G@4", "P@2", "Fallout@3", "RBP_G", "NDPM@3"]
)
def test_the_ideal_column_is_the_value_of_the_judged_documents_in_the_best_order(measure):
    qrels = {"q": {"a": 1, "b": 3, "c": 0, "d": 2}}
    found = explain(qrels, {"q": {"c": 3.0, "x": 2.0, "a": 1.0}}, measure, "q", 4)
    if "NDPM" in measure:
        assert found.ideal is None
        return
    best = {"q": {"b": 4.0, "d": 3.0, "a": 2.0, "c": 1.0}}
    expected = explain(qrels, best, measure, "q", 4)
    np.testing.assert_array_equal(found.ideal, expected.values)
    assert "ideal is that of the ideal list" in found.notes()[0]
