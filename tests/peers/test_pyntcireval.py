"""The measures of pyNTCIREVAL on random topics.

pyNTCIREVAL has a gain for each level from 1 up, takes the last gain as the highest, and divides by 0 if a
topic has no relevant document.
"""

import math
from random import Random

import pytest

from ir_measures_graded import AGR, EBR, ERR_G, NCU, RBP_G, WAP, O_measure, P_measure, P_plus, Q, nDCG_JK
from ir_measures_graded.measures import nDCG_Burges, nERR

pyntcireval = pytest.importorskip("pyNTCIREVAL", reason="pyNTCIREVAL is not installed")
peers = pytest.importorskip("pyNTCIREVAL.metrics")

LINEAR, EXP, STEEP = [1, 2, 3, 4], [1, 3, 7, 15], [0.5, 0.5, 10, 100]
CASES = [
    *(
        (nDCG_JK(b=b, cutoff=cutoff), grades, peers.nDCG, (b, cutoff))
        for b, grades, cutoff in [
            (2, LINEAR, None), (2, EXP, 10), (2.5, STEEP, 5), (math.e, LINEAR, 2), (3, EXP, None),
            (3, STEEP, 100), (10, LINEAR, 10), (10, STEEP, None), (20, EXP, 1), (20, LINEAR, 100),
        ]
    ),
    *(
        (Q(beta=beta, cutoff=cutoff), grades, peers.QMeasure, (beta, cutoff))
        for beta, grades, cutoff in [
            (1, LINEAR, None), (1, EXP, 10), (1, STEEP, 1), (0, LINEAR, 5), (0, STEEP, None), (0.1, EXP, 2),
            (0.1, LINEAR, 100), (10, STEEP, 10), (10, EXP, None),
        ]
    ),
    *(
        (measure(cutoff=cutoff), grades, peer, (cutoff,))
        for measure, peer in ((nDCG_Burges, peers.MSnDCG), (nERR, peers.nERR))
        for grades, cutoff in [(LINEAR, 10), (EXP, None), (STEEP, 3)]
    ),
    *(
        (measure, grades, peer, parameters)
        for measure, peer, parameters in [
            (ERR_G, peers.ERR, ()), (ERR_G @ 5, peers.ERR, ()),
            (RBP_G, peers.RBP, (0.8,)), (RBP_G(p=0.95) @ 10, peers.RBP, (0.95,)),
            (O_measure, peers.OMeasure, (1,)), (O_measure(beta=10) @ 10, peers.OMeasure, (10,)),
            (P_measure, peers.PMeasure, (1,)), (P_measure(beta=0.1) @ 10, peers.PMeasure, (0.1,)),
            (P_plus, peers.PPlusMeasure, (1,)), (P_plus(beta=10) @ 10, peers.PPlusMeasure, (10,)),
            (NCU(stop="rb", gamma=0.5), peers.NCUrbP, (0.5,)),
            (NCU(stop="rb", utility="BR", beta=2) @ 10, peers.NCUrbBR, (0.95, 2)),
        ]
        for grades in (LINEAR, EXP)
    ),
    *(
        case
        for grades in (LINEAR, EXP)
        for case in [
            (NCU, grades, peers.NCUguP, (grades,)),
            (NCU(utility="BR", beta=10) @ 10, grades, peers.NCUguBR, (grades, 10)),
        ]
    ),
]  # fmt: skip


def topic(random):
    """Judgments, and documents in the order of a run."""
    docs = [f"d{number}" for number in range(60)]
    judged = {doc: random.choice([0, 0, 1, 1, 2, 3, 4]) for doc in random.sample(docs, random.randint(1, 50))}
    return {**judged, "d0": 4}, random.sample(docs, random.randint(1, 60))


def collection(size=8):
    random = Random(4)
    topics = {f"q{number}": topic(random) for number in range(size)}
    qrels = {name: judged for name, (judged, _) in topics.items()}
    return (
        topics,
        qrels,
        {name: {doc: -n for n, doc in enumerate(docs)} for name, (_, docs) in topics.items()},
    )


@pytest.mark.parametrize(
    ("measure", "grades", "peer", "parameters"), CASES, ids=[f"{case[0]} {case[1]}" for case in CASES]
)
def test_random_topics(measure, grades, peer, parameters):
    topics, qrels, run = collection()
    for metric in measure(gains=dict(enumerate(grades, 1))).iter_calc(qrels, run):
        judged, ranked = topics[metric.query_id]
        labeler = pyntcireval.Labeler(judged)
        theirs = peer(labeler.compute_per_level_doc_num(5), grades, *parameters)
        listed = labeler.label(ranked[: measure["cutoff"]])
        assert metric.value == pytest.approx(theirs.compute(listed), rel=1e-12, abs=1e-300)


def test_gains_that_do_not_ascend_with_levels():
    topics, qrels, run = collection()
    for metric in nDCG_JK(gains={1: 4, 2: 3, 3: 2, 4: 1}).iter_calc(qrels, run):
        judged, ranked = topics[metric.query_id]
        # pyNTCIREVAL's ideal list is in the order of levels, so levels are renumbered in the order of gains.
        labeler = pyntcireval.Labeler({doc: level and 5 - level for doc, level in judged.items()})
        theirs = peers.nDCG(labeler.compute_per_level_doc_num(5), LINEAR, 2, None)
        assert metric.value == pytest.approx(theirs.compute(labeler.label(ranked)), rel=1e-12)


def test_exponential_gains_follow_from_the_levels():
    _, qrels, run = collection()
    for measure in (nDCG_Burges, ERR_G, nERR, EBR, RBP_G(gains="exp")):
        mapped = measure(gains=dict(enumerate(EXP, 1))).iter_calc(qrels, run)
        assert [value for *_, value in measure.iter_calc(qrels, run)] == [value for *_, value in mapped]


def test_q_with_a_large_beta_approaches_wap():
    _, qrels, run = collection(20)
    for measure in (WAP, WAP @ 10):
        wanted = [value for *_, value in measure.iter_calc(qrels, run)]
        near = Q(beta=1e12, cutoff=measure["cutoff"]).iter_calc(qrels, run)
        assert [value for *_, value in near] == pytest.approx(wanted, rel=1e-9)
        assert wanted != [value for *_, value in AGR(cutoff=measure["cutoff"]).iter_calc(qrels, run)]
