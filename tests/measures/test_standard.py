"""Standard measures as definitions: the values of trec_eval, all orders of ties, and all judgments."""

from random import Random

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, RBP, RR, Judged, P, Rprec, Success, nDCG
from ir_measures.measures import R, SetP, SetR

from ir_measures_graded import parse_measure
from ir_measures_graded.analysis import Evaluation, evaluate, ranges
from ir_measures_graded.core.measures.standard import definition_of
from ir_measures_graded.errors import NotApplicableError
from ir_measures_graded.testing import problem
from rounds import only

BINARY = [AP, AP @ 3, P @ 3, R @ 2, RR, RR @ 3, Rprec, SetP, Success @ 2, RBP(p=0.6, rel=1) @ 4]
MEASURES = [
    *BINARY,
    *(measure(rel=2) for measure in BINARY),
    *(measure(judged_only=True) for measure in BINARY if "judged_only" in measure.SUPPORTED_PARAMS),
    *(SetR, SetR(rel=2), Judged, Judged @ 3, nDCG, nDCG @ 3, nDCG(judged_only=True) @ 2),
    *(nDCG(gains={-1: 2, 0: 1, 2: -1}), nDCG(gains={1: -3, -1: 1}, judged_only=True) @ 3),
    nDCG(dcg="exp-log2") @ 3,
]
NEW = [*BINARY, *(AP(rel=2), P(rel=2) @ 3, AP(judged_only=True), *MEASURES[-8:])]
"""A measure of each kind; the others of `MEASURES` combine them."""
DOCS = "abcdefgh"


def collection(random, levels=(-1, 0, 1, 2, 3), topics=40):
    """Topics with ties across cutoffs, unjudged and unretrieved documents, empty lists, nothing relevant."""
    qrels = {"none": {"a": 0}, "absent": {"a": 1}}
    run = {"none": {"a": 1, "b": 1}}
    for topic in map(str, range(topics)):
        qrels[topic] = {
            doc: random.choice(levels) for doc in random.sample(DOCS, random.randint(1, 8))
        }
        run[topic] = {doc: random.choice([1, 1.5, 1.5 + 1e-9]) for doc in random.sample(DOCS, 5)}
    return qrels, run


def values(measures, qrels, run):
    return evaluate(qrels, {"run": run}, measures).values[0]


@pytest.mark.parametrize("measure", only(MEASURES, NEW), ids=str)
def test_a_definition_has_the_options_that_all_orders_and_judgments_give(measure):
    random, definition = Random(1), definition_of(measure)
    judged = [{doc: random.choice([0.0, 1.0, 2.0, 3.0]) for doc in "abcd"} for _ in range(12)]
    groups = [("ax", "by", "c"), ("xyz",), ("ab", "xcd", "y"), ("bxa", "c")] * 3
    assert str(definition) == str(measure)
    assert not problem(definition, [*zip(judged, groups)])


def test_the_mean_over_ties_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    random = np.random.default_rng(0)
    for _ in range(30):
        levels, scores = random.integers(0, 4, 30), random.integers(1, 4, 30).astype(float)
        scores[24:] = (
            0  # judged documents that are not retrieved: behind ten unjudged ones for scikit-learn
        )
        padded = np.append(levels, np.zeros(10)), np.append(scores, np.full(10, 0.5))
        qrels = {"q": {f"d{number}": int(level) for number, level in enumerate(levels)}}
        run = {"q": {f"d{number}": score for number, score in enumerate(scores.tolist()) if score}}
        for k in (1, 5, 10, 30):
            found = values([parse_measure(f"nDCG(ties=mean)@{k}")], qrels, run)
            assert found == pytest.approx(
                metrics.ndcg_score([padded[0]], [padded[1]], k=k), rel=0, abs=1e-12
            )


def test_equal_measures_are_equal():
    qrels, run = collection(Random(3), levels=(-1, 0, 1, 2))
    for measure in MEASURES:
        same = definition_of(measure).same([-1, 0, 1, 2])
        if same and not (
            measure.NAME == "RR" and "cutoff" in measure.params
        ):  # its ties are ascending
            both = [definition_of(measure), parse_measure(same)]
            assert np.ptp(values(both, qrels, run), axis=0).max() < 1e-12, measure


def test_evaluate_takes_options_and_names_them():
    qrels, run = collection(Random(4))
    found = evaluate(qrels, {"run": run}, ["AP", "nDCG(ties=max)@2", "Q"], ties="mean")
    assert [*map(str, found.measures)] == [
        "AP(ties='mean')",
        "nDCG(ties='max')@2",
        "Q(ties='mean')",
    ]
    assert Evaluation.from_values(found.records()).measures == found.measures
    mean = parse_measure("P(ties=mean)@2")  # other providers of ir-measures would ignore the option
    assert mean.calc_aggregate(qrels, run) == pytest.approx(values([mean], qrels, run).mean())
    assert mean.calc_aggregate(qrels, run) != values([P @ 2], qrels, run).mean()
    assert not any(each.supports(mean) for each in (ir_measures.pytrec_eval, ir_measures.msmarco))
    (each,) = ranges(qrels, {"run": run}, [RR @ 3]).values
    assert (str(each.measure), each.value) == (
        "RR@3",
        evaluate(qrels, {"run": run}, [RR @ 3]).means()[0, 0],
    )
    assert each.ties[0] < each.value < each.ties[1]
    with pytest.raises(NotApplicableError, match="has no ranges over ties and judgments"):
        ranges(qrels, {"run": run}, [ir_measures.Compat(p=0.9)])
