"""nDCG_Burges against ir-measures and scikit-learn, ERR_G against CatBoost, and GAP against the user
model of its paper.
"""

from random import Random

import ir_measures
import pytest
from ir_measures import nDCG

from ir_measures_graded import ERR_G, nDCG_Burges

CUTOFFS = [None, 1, 5, 20]


def collection(levels, seed=1):
    """Topics with missing and unjudged documents and without tied scores."""
    random = Random(seed)
    qrels, run = {}, {}
    for number in range(30):
        judged = random.sample(range(60), random.randint(2, 40))
        qrels[f"q{number}"] = {f"d{doc}": random.choice(levels) for doc in judged} | {"d0": max(levels)}
        run[f"q{number}"] = {f"d{doc}": -rank for rank, doc in enumerate(random.sample(range(60), 40))}
    return qrels, run


REAL = [0.0, 0.25, 0.5, 1.1, 2.718, 3.0]


@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("levels", [[0, 1, 2, 3], [-2, -1, 0, 1, 4]], ids=str)
def test_linear_gains_of_whole_levels_give_the_values_of_ir_measures(cutoff, levels):
    qrels, run = collection(levels)
    peer = nDCG @ cutoff if cutoff else nDCG
    theirs = {
        metric.query_id: metric.value for metric in ir_measures.pytrec_eval.iter_calc([peer], qrels, run)
    }
    for topic, _, value in nDCG_Burges(gains="linear", cutoff=cutoff).iter_calc(qrels, run):
        assert value == pytest.approx(theirs[topic], rel=1e-15)


@pytest.mark.parametrize("cutoff", CUTOFFS)
def test_linear_gains_of_real_levels_give_the_values_of_scikit_learn(cutoff):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    qrels, run = collection(REAL)
    for topic, _, value in nDCG_Burges(gains="linear", cutoff=cutoff).iter_calc(qrels, run):
        docs = [*run[topic], *(doc for doc in qrels[topic] if doc not in run[topic])]
        gains = [qrels[topic].get(doc, 0) if doc in run[topic] else 0 for doc in docs]
        scores = [run[topic].get(doc, -1000) for doc in docs]
        possible = sorted(qrels[topic].values(), reverse=True) + [0] * len(docs)
        dcg = metrics.dcg_score([gains], [scores], k=cutoff, ignore_ties=True)
        best = metrics.dcg_score([possible], [range(len(possible), 0, -1)], k=cutoff, ignore_ties=True)
        assert value == pytest.approx(dcg / best, rel=1e-13)


@pytest.mark.parametrize(
    ("levels", "gains", "cutoff", "value"),
    [
        ([0, 2, 1, 0, 4, 3, 0, 1, 2, 0], "exp", None, 0.25770296653111774),
        ([0, 2, 1, 0, 4, 3, 0, 1, 2, 0], "exp", 5, 0.2534993489583333),
        ([0, 2, 1, 0, 4, 3, 0, 1, 2, 0], "linear", None, 0.32872534407827597),
        ([0, 2, 1, 0, 4, 3, 0, 1, 2, 0], "linear", 3, 0.2400000051657359),
        ([0.5, 0, 3.5, 1.25, 2], "linear", None, 0.3679622064926714),
    ],
)
def test_values_printed_by_catboost(levels, gains, cutoff, value):
    """CatBoost 1.2.10 has ERR of labels that are stopping probabilities G / (H + 1), as 32-bit floats."""
    qrels = {"q": {f"d{number}": level for number, level in enumerate(levels)}}
    run = {"q": {doc: -rank for rank, doc in enumerate(qrels["q"])}}
    assert ERR_G(gains=gains, cutoff=cutoff).calc_aggregate(qrels, run) == pytest.approx(value, rel=1e-7)
