"""muAP, GAP and Q against pytrec_eval's average precision, on binary qrels and at each threshold."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP

import strategies
from ir_measures_graded import GAP, Q, muAP

CUTOFFS = [None, 1, 2, 5, 30]


def average_precision(t, cutoff):
    return AP(rel=t) @ cutoff if cutoff else AP(rel=t)


def by_topic(measure, qrels, run):
    return {metric.query_id: metric.value for metric in measure.iter_calc(qrels, run)}


def of_trec_eval(measure, qrels, run):
    """The values of trec_eval; 0 for topics that it leaves out."""
    known = {topic: docs for topic, docs in qrels.items() if docs and run.get(topic)}
    found = {m.query_id: m.value for m in ir_measures.pytrec_eval.iter_calc([measure], known, run)}
    return {topic: pytest.approx(found.get(topic, 0), rel=1e-12) for topic in qrels}


@given(strategies.collections(levels=[0, 1]), st.sampled_from(CUTOFFS), st.booleans())
def test_on_binary_qrels_mu_ap_is_ap(collection, cutoff, judged_only):
    ap = AP(judged_only=judged_only, cutoff=cutoff) if cutoff else AP(judged_only=judged_only)
    measure = muAP(judged_only=judged_only, cutoff=cutoff)
    assert by_topic(measure, *collection) == of_trec_eval(ap, *collection)


@given(strategies.collections(levels=[0, 1]))
def test_on_binary_qrels_q_without_gains_is_ap(collection):
    assert by_topic(Q(beta=0), *collection) == of_trec_eval(AP, *collection)


@given(strategies.collections(levels=[0, 1]), st.sampled_from(CUTOFFS), st.booleans())
def test_on_binary_qrels_gap_is_ap(collection, cutoff, judged_only):
    ap = AP(judged_only=judged_only, cutoff=cutoff) if cutoff else AP(judged_only=judged_only)
    assert by_topic(GAP(judged_only=judged_only, cutoff=cutoff), *collection) == of_trec_eval(ap, *collection)


@given(strategies.collections(levels=range(-1, 5)), st.sampled_from(CUTOFFS), st.integers(1, 4))
def test_mu_ap_with_one_threshold_is_ap(collection, cutoff, t):
    binary = {level: int(level >= t) for level in range(-1, 5)}
    expected = of_trec_eval(average_precision(t, cutoff), *collection)
    assert by_topic(muAP(gains=binary, cutoff=cutoff), *collection) == expected


@given(strategies.collections(levels=range(-1, 5)), st.sampled_from(CUTOFFS))
def test_mu_ap_is_the_mean_of_aps_weighted_by_the_distances_of_levels(collection, cutoff):
    qrels, run = collection
    for topic, judged in qrels.items():
        thresholds = sorted({level for level in judged.values() if level > 0})
        total = below = 0
        for t in thresholds if run.get(topic) else []:
            total += (t - below) * average_precision(t, cutoff).calc_aggregate({topic: judged}, run)
            below = t
        value = muAP(cutoff=cutoff).calc_aggregate({topic: judged}, run)
        assert value == pytest.approx(total / max(thresholds, default=1), rel=1e-12)


def test_a_run_with_many_ties(shared_data):
    qrels = list(ir_measures.read_trec_qrels(str(shared_data / "robust05" / "qrels.txt")))
    run = list(ir_measures.read_trec_run(str(shared_data / "robust05" / "aq_bm25.run.gz")))
    assert {row.relevance for row in qrels} == {0, 1, 2}
    highly_relevant = {row.query_id for row in qrels if row.relevance == 2}
    for cutoff in (None, 10, 100):
        graded = {metric.query_id: metric.value for metric in muAP(cutoff=cutoff).iter_calc(qrels, run)}
        totals = dict.fromkeys(graded, 0.0)
        thresholds = [average_precision(t, cutoff) for t in (1, 2)]
        for topic, _, value in ir_measures.pytrec_eval.iter_calc(thresholds, qrels, run):
            totals[topic] += value
        for topic, value in graded.items():
            best = 2 if topic in highly_relevant else 1
            assert value == pytest.approx(totals[topic] / best, rel=1e-12)
