"""The measures of pyNTCIREVAL on random topics.

pyNTCIREVAL has a gain for each level from 1 up, takes the last gain as the highest, and divides by 0 if a
topic has no relevant document.
"""

import math
from random import Random

import pytest

from ir_measures_graded import AGR, WAP, Q, nDCG_JK

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
        assert metric.value == pytest.approx(theirs.compute(labeler.label(ranked)), rel=1e-12)


def test_gains_that_do_not_ascend_with_levels():
    topics, qrels, run = collection()
    for metric in nDCG_JK(gains={1: 4, 2: 3, 3: 2, 4: 1}).iter_calc(qrels, run):
        judged, ranked = topics[metric.query_id]
        # pyNTCIREVAL's ideal list is in the order of levels, so levels are renumbered in the order of gains.
        labeler = pyntcireval.Labeler({doc: level and 5 - level for doc, level in judged.items()})
        theirs = peers.nDCG(labeler.compute_per_level_doc_num(5), LINEAR, 2, None)
        assert metric.value == pytest.approx(theirs.compute(labeler.label(ranked)), rel=1e-12)


def test_q_with_a_large_beta_approaches_wap():
    _, qrels, run = collection(20)
    for measure in (WAP, WAP @ 10):
        wanted = [value for *_, value in measure.iter_calc(qrels, run)]
        near = Q(beta=1e12, cutoff=measure["cutoff"]).iter_calc(qrels, run)
        assert [value for *_, value in near] == pytest.approx(wanted, rel=1e-9)
        assert wanted != [value for *_, value in AGR(cutoff=measure["cutoff"]).iter_calc(qrels, run)]
