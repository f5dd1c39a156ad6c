"""muAP, GAP and Q against pytrec_eval's average precision, on binary qrels and at each threshold."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP

import strategies
from ir_measures_graded import GAP, Q, muAP

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


@given(strategies.collections(levels=range(-1, 5)), st.sampled_from(CUTOFFS))
def test_mu_ap_is_the_mean_of_aps_weighted_by_the_distances_of_levels(collection, cutoff):
    qrels, run = collection
    for topic, judged in qrels.items():
        thresholds = sorted({level for level in judged.values() if level > 0})
        total = below = 0
        for t in thresholds if run.get(topic) else []:
            ap = average_precision(cutoff, rel=t).calc_aggregate({topic: judged}, run)
            binary = muAP(gains={level: int(level >= t) for level in range(-1, 5)}, cutoff=cutoff)
            assert binary.calc_aggregate({topic: judged}, run) == pytest.approx(ap, rel=1e-12)
            total += (t - below) * ap
            below = t
        value = muAP(cutoff=cutoff).calc_aggregate({topic: judged}, run)
        assert value == pytest.approx(total / max(thresholds, default=1), rel=1e-12)
