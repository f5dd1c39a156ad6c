"""The order of a run by ranks with pytrec_eval's P@k; muAP, GAP and Q with its AP."""

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
    ranks = range(1, DEPTH + 1)
    gains = {}
    for topic, measure, value in ir_measures.iter_calc([CG @ k for k in ranks], qrels, run):
        gains[measure["cutoff"], topic] = value
    expected = {}
    precisions = ir_measures.pytrec_eval.iter_calc([P @ k for k in ranks], qrels, run)
    for topic, measure, precision in precisions:
        cutoff = measure["cutoff"]
        expected[cutoff, topic] = pytest.approx(cutoff * precision)
    assert gains == expected


def reveal(docs):
    """A topic for each document of a list, in which only this document is relevant."""
    qrels = {f"q {doc}": {doc: 1} for doc in docs}
    return qrels, {topic: dict(docs) for topic in qrels}


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
    assert_same_order(*reveal(docs))


IDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(st.lists(IDS, min_size=1, unique=True, max_size=DEPTH))
def test_tied_documents_are_sorted_by_utf8_bytes(ids):
    assert_same_order(*reveal(dict.fromkeys(ids, 0.5)))


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
        values = dict.fromkeys(qrels, 0) | {metric.query_id: metric.value for metric in metrics}
        assert by_topic(measure, qrels, run) == pytest.approx(values, rel=1e-12)
