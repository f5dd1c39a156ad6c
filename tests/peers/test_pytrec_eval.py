"""The order of a run rank by rank with pytrec_eval's P@k; muAP, GAP and Q with its average precision."""

import ir_measures
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ir_measures import AP, P

import strategies
from ir_measures_graded import CG, GAP, Q, muAP

DEPTH = 16


def assert_same_order(qrels, run):
    """On binary judgments CG@k is k · P@k; its values at all ranks determine the order."""
    depths = range(1, DEPTH + 1)
    counted = {
        (m["cutoff"], q): v
        for q, m, v in ir_measures.iter_calc([CG @ k for k in depths], qrels, run)
    }
    averaged = ir_measures.pytrec_eval.iter_calc([P @ k for k in depths], qrels, run)
    assert counted == {(m["cutoff"], q): pytest.approx(m["cutoff"] * v) for q, m, v in averaged}


def reveal(run):
    """One topic for each document of the run, in which only this document is relevant."""
    topics = {f"{topic} {doc}": (topic, doc) for topic, docs in run.items() for doc in docs}
    qrels = {name: {doc: 1} for name, (_, doc) in topics.items()}
    return qrels, {name: dict(run[topic]) for name, (topic, _) in topics.items()}


@given(strategies.documents(strategies.ANY_SCORES, max_size=DEPTH).filter(bool))
@example({"a": 1.0, "b": 1.0, "c": 1.0})
@example({"a": 1.0, "b": 1.0 + 1e-9, "c": 1.0 - 1e-9})
@example({"a": 0.0, "b": -0.0, "c": 0.0})
@example({"a": 1e300, "b": 1e39, "c": float("inf"), "d": 3.4e38})
@example({"a": -1e300, "b": -1e39, "c": float("-inf"), "d": -3.4e38})
@example({"a": 1e-50, "b": -1e-50, "c": 0.0, "d": 1e-45, "e": -1e-45})
@example({"a": 16777216.0, "b": 16777217.0, "c": 16777218.0})
@example({"9": 1.0, "10": 1.0, "1e1": 1.0, "-1": 1.0, "09": 1.0})
@example({"z": 1.0, "é": 1.0, "\uffff": 1.0, "\U00010000": 1.0, "文": 1.0})
def test_every_document_has_its_rank_of_trec_eval(docs):
    assert_same_order(*reveal({"q": docs}))


IDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(st.lists(IDS, min_size=1, unique=True, max_size=DEPTH))
def test_tied_documents_are_sorted_by_utf8_bytes(ids):
    assert_same_order(*reveal({"q": dict.fromkeys(ids, 0.5)}))


# Average precision, on binary qrels and at each threshold


CUTOFFS = [None, 1, 2, 5, 30]


def average_precision(cutoff, **options):
    return AP(**options) @ cutoff if cutoff else AP(**options)


def by_topic(measure, qrels, run):
    return {metric.query_id: metric.value for metric in measure.iter_calc(qrels, run)}


@given(strategies.collections(levels=[0, 1]), st.sampled_from(CUTOFFS), st.booleans())
def test_on_binary_qrels_the_measures_are_ap(collection, cutoff, judged_only):
    qrels, run = collection
    evaluated = {topic: docs for topic, docs in qrels.items() if docs and run.get(topic)}
    pairs = [(Q(beta=0), AP)]
    for measure in (muAP, GAP):
        peer = average_precision(cutoff, judged_only=judged_only)
        pairs.append((measure(judged_only=judged_only, cutoff=cutoff), peer))
    for measure, peer in pairs:
        metrics = ir_measures.pytrec_eval.iter_calc([peer], evaluated, run)
        found = {metric.query_id: metric.value for metric in metrics}
        wanted = {topic: pytest.approx(found.get(topic, 0), rel=1e-12) for topic in qrels}
        assert by_topic(measure, qrels, run) == wanted
