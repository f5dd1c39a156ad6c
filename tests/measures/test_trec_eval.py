"""The measures of trec_eval that ir-measures lacks, against its C code in pytrec_eval and plain loops."""

from math import exp, log
from random import Random

import numpy as np
import pytest

from ir_measures_graded import GradedError
from ir_measures_graded.analysis import compare, evaluate, intervals
from ir_measures_graded.core.measures import trec_eval
from ir_measures_graded.core.registry.notation import parse_measures
from ir_measures_graded.testing import check_measure
from reference import order

RANDOM = Random(10)


def topic():
    docs = [f"d{number}" for number in range(30)]
    levels = RANDOM.choice([[0, 1], [0, 0, 1, 2, 3], [0, 1, 3], [0], [-1, 0, 0, 0, 1, 2]])
    judged = {doc: RANDOM.choice(levels) for doc in RANDOM.sample(docs, RANDOM.randint(1, 20))}
    listed = RANDOM.sample(docs, RANDOM.randint(1, 25))
    return judged, {doc: RANDOM.choice([0.5, 1.0, 2.0, 2.5, 3.0]) for doc in listed}


TOPICS = {str(number): topic() for number in range(60)}
QRELS = {name: judged for name, (judged, _) in TOPICS.items()}
RUN = {name: run for name, (_, run) in TOPICS.items()}
IN_PYTREC_EVAL = """G binG Rndcg ndcg_rel gm_map gm_bpref utility num_nonrel_judged_ret
    Rprec_mult_0.20 Rprec_mult_1.00 Rprec_mult_1.40 relative_P_5 relative_P_100""".split()


def values(measure, qrels=QRELS):
    return evaluate(qrels, {"run": RUN}, measure)


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("name", [*IN_PYTREC_EVAL, "11pt_avg"])
def test_values_equal_those_of_the_c_code(name, rel):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    without_negative = {
        name: judged for name, judged in QRELS.items() if max(judged.values()) >= 0
    }  # trec_eval reads freed memory otherwise
    (measure,) = parse_measures(name)
    if name == "11pt_avg":
        measure = measure(version="9")
    if measure.HAS_GAINS and rel > 1:
        return
    if rel > 1:
        measure = measure(rel=rel)
    parameters = {name.replace("_0.20", ".0.2").replace("_1.", ".1.")} if "mult" in name else {
        name.replace("P_", "P.")
    }  # fmt: skip
    evaluator = pytrec_eval.RelevanceEvaluator(without_negative, parameters, relevance_level=rel)
    theirs = evaluator.evaluate(RUN)
    found = values(measure, without_negative)
    for number, topic_id in enumerate(found.topics):
        (value,) = theirs[topic_id].values()
        if name.startswith("gm"):
            value = exp(value)
        expected = max(found.values[0, 0, number], 1e-5 if name.startswith("gm") else -np.inf)
        assert expected == pytest.approx(value, abs=1e-12), topic_id


def ranked(judged, run, depth=None):
    return [judged.get(doc, -1) for doc in order(run)][:depth]


def plain_rbp(judged, run, p=0.9):
    m = max(1, *judged.values())
    levels = ranked(judged, run)
    return (1 - p) * sum(max(level, 0) / m * p**i for i, level in enumerate(levels))


def plain_residual(judged, run, p=0.9):
    unjudged = [i for i, level in enumerate(ranked(judged, run)) if level < 0]
    return p ** len(run) + (1 - p) * sum(p**i for i in unjudged) if unjudged else 0.0


def plain_yaap(judged, run):
    levels = ranked(judged, run)
    hits = [i for i, level in enumerate(levels, 1) if level >= 1]
    s = sum(number / i for number, i in enumerate(hits, 1))
    relevant = sum(level >= 1 for level in judged.values())
    return log((1 + s) / (1 + relevant - s))


def plain_11_points(judged, run):
    levels = ranked(judged, run)
    relevant = sum(level >= 1 for level in judged.values())
    precisions = [(sum(lv >= 1 for lv in levels[:i]), i) for i in range(1, len(levels) + 1)]
    at = [int(point / 10 * relevant + 0.5) for point in range(11)]
    return sum(max((c / i for c, i in precisions if c >= k), default=0) for k in at) / 11


PLAIN = {
    "rbp": plain_rbp,
    "rbp.p=0.5": lambda *pair: plain_rbp(*pair, p=0.5),
    "rbp_resid": plain_residual,
    "rbp_resid.p=0.8": lambda *pair: plain_residual(*pair, p=0.8),
    "yaap": plain_yaap,
    "11pt_avg": plain_11_points,
    "unj_5": lambda judged, run: sum(level < 0 for level in ranked(judged, run, 5)) / 5,
}


@pytest.mark.parametrize("name", PLAIN)
def test_values_equal_those_of_plain_loops(name):
    found = values(name)
    for number, topic_id in enumerate(found.topics):
        expected = PLAIN[name](*TOPICS[topic_id])
        assert found.values[0, 0, number] == pytest.approx(expected, abs=1e-12), topic_id


@pytest.mark.parametrize("measure", trec_eval.MEASURES, ids=str)
def test_each_is_a_measure_as_others(measure):
    check_measure(measure)


def test_a_geometric_mean_is_computed_and_refused_where_means_are_arithmetic():
    found = evaluate(QRELS, {"run": RUN}, ["gm_map", "map"])
    aps = np.maximum(found.values[0, 1], 1e-5)
    assert found.means()[0, 0] == pytest.approx(exp(np.mean(np.log(aps))), rel=1e-12)
    with pytest.raises(GradedError, match="trec_gm_map is a geometric mean over topics"):
        compare(QRELS, {"run": RUN, "other": RUN}, ["gm_map"])
    with pytest.raises(GradedError, match="trec_gm_map is a geometric mean over topics"):
        intervals(found)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("prefs_pair", "needs preferences .trec_eval -R prefs., which are not read"),
        ("all_prefs", "needs preferences"),
        ("map_avgjg", "needs the judgments of several groups .trec_eval -R qrels_jg."),
        ("runid", "is a text, not a measure"),
        ("utility.1,-1,0,1", "has a fourth weight"),
    ],
)
def test_other_names_are_refused_with_the_reason(name, reason):
    with pytest.raises(GradedError, match=f"{name} of trec_eval {reason}"):
        parse_measures(name)


def test_all_trec_has_every_name():
    strings = set(map(str, parse_measures("all_trec")))
    assert {"AP", "trec_gm_map", "R_cap@5", "trec_unj@20", "trec_Rprec_mult(r=2)"} <= strings
    assert len(strings) > 90
