"""Measures of trec_eval that ir-measures lacks, against its C code and plain loops."""

from functools import partial
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
    """Judgments and a ranking."""
    docs = [f"d{number}" for number in range(30)]
    levels = RANDOM.choice([[0, 1], [0, 0, 1, 2, 3], [0, 1, 3], [0], [-1, 0, 0, 0, 1, 2]])
    judged = {doc: RANDOM.choice(levels) for doc in RANDOM.sample(docs, RANDOM.randint(1, 20))}
    retrieved = RANDOM.sample(docs, RANDOM.randint(1, 25))
    return judged, {doc: RANDOM.choice([0.5, 1.0, 2.0, 2.5, 3.0]) for doc in retrieved}


TOPICS = {str(number): topic() for number in range(60)}
QRELS = {name: judged for name, (judged, _) in TOPICS.items()}
RUN = {name: run for name, (_, run) in TOPICS.items()}
NAMES = "G binG Rndcg ndcg_rel gm_map gm_bpref utility num_nonrel_judged_ret 11pt_avg".split()
PARAMETERS = {name: name for name in NAMES} | {
    "Rprec_mult_0.20": "Rprec_mult.0.2",
    "Rprec_mult_1.00": "Rprec_mult.1.00",
    "Rprec_mult_1.40": "Rprec_mult.1.40",
    "relative_P_5": "relative_P.5",
    "relative_P_100": "relative_P.100",
}
"""The names that trec_eval prints, with those that pytrec_eval takes."""


def values(measure, qrels=QRELS):
    """The values of a measure by topic."""
    evaluation = evaluate(qrels, {"run": RUN}, measure)
    return dict(zip(evaluation.topics, evaluation.values[0, 0].tolist()))


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("name", PARAMETERS)
def test_values_equal_those_of_the_c_code(name, rel):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    (measure,) = parse_measures(name)
    if name == "11pt_avg":
        measure = measure(version="9")
    if measure.HAS_GAINS and rel > 1:
        return
    if rel > 1:
        measure = measure(rel=rel)
    # trec_eval reads freed memory if all levels of a topic are negative.
    qrels = {topic: judged for topic, judged in QRELS.items() if max(judged.values()) >= 0}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {PARAMETERS[name]}, relevance_level=rel)
    theirs = evaluator.evaluate(RUN)
    for topic, own in values(measure, qrels).items():
        (value,) = theirs[topic].values()
        if name.startswith("gm"):  # trec_eval has the logarithm of a value of at least 0.00001
            value = exp(value)
            own = max(own, 1e-5)
        assert own == pytest.approx(value, abs=1e-12), topic


def levels_of(judged, run):
    """The levels in the order of the ranking; that of an unjudged document is -1."""
    return [judged.get(doc, -1) for doc in order(run)]


def relevant_in(judged):
    return sum(level >= 1 for level in judged.values())


def plain_rbp(judged, run, p=0.9):
    m = max(1, *judged.values())
    levels = levels_of(judged, run)
    return (1 - p) * sum(max(level, 0) / m * p**i for i, level in enumerate(levels))


def plain_residual(judged, run, p=0.9):
    unjudged = [i for i, level in enumerate(levels_of(judged, run)) if level < 0]
    if not unjudged:
        return 0.0
    return p ** len(run) + (1 - p) * sum(p**i for i in unjudged)


def plain_yaap(judged, run):
    hits = [i for i, level in enumerate(levels_of(judged, run), 1) if level >= 1]
    s = sum(number / i for number, i in enumerate(hits, 1))
    return log((1 + s) / (1 + relevant_in(judged) - s))


def plain_11_points(judged, run):
    levels = levels_of(judged, run)
    hits_at = {i: sum(level >= 1 for level in levels[:i]) for i in range(1, len(levels) + 1)}
    total = 0
    for point in range(11):
        needed = int(point / 10 * relevant_in(judged) + 0.5)
        precisions = [hits / i for i, hits in hits_at.items() if hits >= needed]
        total += max(precisions, default=0)
    return total / 11


def plain_unjudged_at_5(judged, run):
    return sum(level < 0 for level in levels_of(judged, run)[:5]) / 5


PLAIN = {
    "rbp": plain_rbp,
    "rbp.p=0.5": partial(plain_rbp, p=0.5),
    "rbp_resid": plain_residual,
    "rbp_resid.p=0.8": partial(plain_residual, p=0.8),
    "yaap": plain_yaap,
    "11pt_avg": plain_11_points,
    "unj_5": plain_unjudged_at_5,
}


@pytest.mark.parametrize("name", PLAIN)
def test_values_equal_those_of_plain_loops(name):
    for topic, value in values(name).items():
        expected = PLAIN[name](*TOPICS[topic])
        assert value == pytest.approx(expected, abs=1e-12), topic


@pytest.mark.parametrize("measure", trec_eval.MEASURES, ids=str)
def test_each_is_a_measure_as_others(measure):
    check_measure(measure)


def test_a_geometric_mean_is_computed_and_refused_where_means_are_arithmetic():
    evaluation = evaluate(QRELS, {"run": RUN}, ["gm_map", "map"])
    aps = np.maximum(evaluation.values[0, 1], 1e-5)
    assert evaluation.means()[0, 0] == pytest.approx(exp(np.mean(np.log(aps))), rel=1e-12)
    with pytest.raises(GradedError, match="trec_gm_map is a geometric mean over topics"):
        compare(QRELS, {"run": RUN, "other": RUN}, ["gm_map"])
    with pytest.raises(GradedError, match="trec_gm_map is a geometric mean over topics"):
        intervals(evaluation)


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
