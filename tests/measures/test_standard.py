"""Standard measures as definitions: values of trec_eval, all orders of ties, and all judgments."""

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
CONDENSABLE = [measure for measure in BINARY if "judged_only" in measure.SUPPORTED_PARAMS]
OF_LEVELS = [
    *(Judged, Judged @ 3, nDCG, nDCG @ 3, nDCG(judged_only=True) @ 2),
    nDCG(gains={-1: 2, 0: 1, 2: -1}),
    nDCG(gains={1: -3, -1: 1}, judged_only=True) @ 3,
    nDCG(dcg="exp-log2") @ 3,
]
MEASURES = list(BINARY)
MEASURES += [measure(rel=2) for measure in BINARY]
MEASURES += [measure(judged_only=True) for measure in CONDENSABLE]
MEASURES += [SetR, SetR(rel=2), *OF_LEVELS]
NEW = [*BINARY, AP(rel=2), P(rel=2) @ 3, AP(judged_only=True), *OF_LEVELS]
"""A measure of each kind; the others of `MEASURES` combine them."""
DOCS = "abcdefgh"


def collection(random, levels=(-1, 0, 1, 2, 3), topics=40):
    """Topics with ties across cutoffs; some lists are empty, some have nothing relevant."""
    qrels = {"none": {"a": 0}, "absent": {"a": 1}}
    run = {"none": {"a": 1, "b": 1}}
    for topic in map(str, range(topics)):
        judged = random.sample(DOCS, random.randint(1, 8))
        qrels[topic] = {doc: random.choice(levels) for doc in judged}
        retrieved = random.sample(DOCS, 5)
        run[topic] = {doc: random.choice([1, 1.5, 1.5 + 1e-9]) for doc in retrieved}
    return qrels, run


def values(measures, qrels, run):
    return evaluate(qrels, {"run": run}, measures).values[0]


@pytest.mark.parametrize("measure", only(MEASURES, NEW), ids=str)
def test_a_definition_has_the_options_that_all_orders_and_judgments_give(measure):
    random = Random(1)
    judged = [{doc: random.choice([0.0, 1.0, 2.0, 3.0]) for doc in "abcd"} for _ in range(12)]
    groups = [("ax", "by", "c"), ("xyz",), ("ab", "xcd", "y"), ("bxa", "c")] * 3
    definition = definition_of(measure)
    assert str(definition) == str(measure)
    assert not problem(definition, list(zip(judged, groups)))


def test_the_mean_over_ties_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    random = np.random.default_rng(0)
    for _ in range(30):
        levels = random.integers(0, 4, 30)
        scores = random.integers(1, 4, 30).astype(float)
        scores[24:] = 0  # these documents are not retrieved
        qrels = {"q": {f"d{number}": int(level) for number, level in enumerate(levels)}}
        run = {"q": {f"d{number}": score for number, score in enumerate(scores.tolist()) if score}}
        # For scikit-learn, they come after ten unjudged documents.
        labels = [np.append(levels, np.zeros(10))]
        predicted = [np.append(scores, np.full(10, 0.5))]
        for k in (1, 5, 10, 30):
            ours = values([parse_measure(f"nDCG(ties=mean)@{k}")], qrels, run)
            theirs = metrics.ndcg_score(labels, predicted, k=k)
            assert ours == pytest.approx(theirs, rel=0, abs=1e-12)


def test_equal_measures_are_equal():
    qrels, run = collection(Random(3), levels=(-1, 0, 1, 2))
    for measure in MEASURES:
        if measure.NAME == "RR" and "cutoff" in measure.params:
            continue  # its ties are ascending
        definition = definition_of(measure)
        same = definition.same([-1, 0, 1, 2])
        if same:
            both = [definition, parse_measure(same)]
            assert np.ptp(values(both, qrels, run), axis=0).max() < 1e-12, measure


def test_evaluate_takes_options_and_names_them():
    qrels, run = collection(Random(4))
    evaluation = evaluate(qrels, {"run": run}, ["AP", "nDCG(ties=max)@2", "Q"], ties="mean")
    names = [str(measure) for measure in evaluation.measures]
    assert names == ["AP(ties='mean')", "nDCG(ties='max')@2", "Q(ties='mean')"]
    assert Evaluation.from_values(evaluation.records()).measures == evaluation.measures

    # Other providers of ir-measures would ignore the option.
    over_ties = parse_measure("P(ties=mean)@2")
    aggregate = over_ties.calc_aggregate(qrels, run)
    assert aggregate == pytest.approx(values([over_ties], qrels, run).mean())
    assert aggregate != values([P @ 2], qrels, run).mean()
    assert not ir_measures.pytrec_eval.supports(over_ties)
    assert not ir_measures.msmarco.supports(over_ties)

    (of_ties,) = ranges(qrels, {"run": run}, [RR @ 3]).values
    assert str(of_ties.measure) == "RR@3"
    assert of_ties.value == evaluate(qrels, {"run": run}, [RR @ 3]).means()[0, 0]
    lowest, highest = of_ties.ties
    assert lowest < of_ties.value < highest
    with pytest.raises(NotApplicableError, match="has no ranges over ties and judgments"):
        ranges(qrels, {"run": run}, [ir_measures.Compat(p=0.9)])
