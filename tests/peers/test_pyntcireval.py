"""The measures of pyNTCIREVAL on random topics.

pyNTCIREVAL has a gain for each level from 1 up, takes the last gain as the highest, and divides by 0 if a
topic has no relevant document.
"""

from random import Random

import pytest

from ir_measures_graded import ERR_G, NCU, RBP_G, O_measure, P_measure, P_plus, Q, nDCG_JK
from ir_measures_graded.measures import nDCG_Burges, nERR

pyntcireval = pytest.importorskip("pyNTCIREVAL", reason="pyNTCIREVAL is not installed")
peers = pytest.importorskip("pyNTCIREVAL.metrics")

LINEAR, EXP, STEEP = [1, 2, 3, 4], [1, 3, 7, 15], [0.5, 0.5, 10, 100]
CASES = [
    (measure(cutoff=cutoff), grades, peer, (*parameters, cutoff))
    for measure, peer, parameters in [
        (nDCG_JK, peers.nDCG, (2,)), (nDCG_JK(b=2.5), peers.nDCG, (2.5,)), (nDCG_JK(b=20), peers.nDCG, (20,)),
        (Q, peers.QMeasure, (1,)), (Q(beta=0), peers.QMeasure, (0,)), (Q(beta=10), peers.QMeasure, (10,)),
        (nDCG_Burges, peers.MSnDCG, ()), (nERR, peers.nERR, ()),
    ]
    for cutoff, grades in [(None, LINEAR), (1, STEEP), (10, EXP), (100, STEEP)]
] + [
    (measure, grades, peer, parameters)
    for grades in (LINEAR, EXP)
    for measure, peer, parameters in [
        (ERR_G, peers.ERR, ()), (ERR_G @ 5, peers.ERR, ()),
        (RBP_G, peers.RBP, (0.8,)), (RBP_G(p=0.95) @ 10, peers.RBP, (0.95,)),
        (O_measure, peers.OMeasure, (1,)), (O_measure(beta=10) @ 10, peers.OMeasure, (10,)),
        (P_measure, peers.PMeasure, (1,)), (P_measure(beta=0.1) @ 10, peers.PMeasure, (0.1,)),
        (P_plus, peers.PPlusMeasure, (1,)), (P_plus(beta=10) @ 10, peers.PPlusMeasure, (10,)),
        (NCU(stop="rb", gamma=0.5), peers.NCUrbP, (0.5,)),
        (NCU(stop="rb", utility="BR", beta=2) @ 10, peers.NCUrbBR, (0.95, 2)),
        (NCU, peers.NCUguP, (grades,)), (NCU(utility="BR", beta=10) @ 10, peers.NCUguBR, (grades, 10)),
    ]
]  # fmt: skip


def collection(size=8):
    """Judgments, and documents in the order of a run, by topic."""
    random = Random(4)
    docs = [f"d{number}" for number in range(60)]
    qrels, ranked = {}, {}
    for topic in map(str, range(size)):
        judged = random.sample(docs, random.randint(1, 50))
        qrels[topic] = {doc: random.choice([0, 0, 1, 1, 2, 3, 4]) for doc in judged} | {"d0": 4}
        ranked[topic] = random.sample(docs, random.randint(1, 60))
    return qrels, ranked


@pytest.mark.parametrize(
    ("measure", "grades", "peer", "parameters"), CASES, ids=[f"{case[0]} {case[1]}" for case in CASES]
)
def test_random_topics(measure, grades, peer, parameters):
    qrels, ranked = collection()
    run = {topic: {doc: -rank for rank, doc in enumerate(docs)} for topic, docs in ranked.items()}
    for metric in measure(gains=dict(enumerate(grades, 1))).iter_calc(qrels, run):
        labeler = pyntcireval.Labeler(qrels[metric.query_id])
        theirs = peer(labeler.compute_per_level_doc_num(5), grades, *parameters)
        listed = labeler.label(ranked[metric.query_id][: measure["cutoff"]])
        assert metric.value == pytest.approx(theirs.compute(listed), rel=1e-12, abs=1e-300)
