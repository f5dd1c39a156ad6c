"""nDCG of pyNTCIREVAL, which has the rank < b rule and a gain for each level from 1 up."""

import math
from random import Random

import pytest

from ir_measures_graded import nDCG_JK

ntcireval = pytest.importorskip("pyNTCIREVAL", reason="pyNTCIREVAL is not installed")
metrics = pytest.importorskip("pyNTCIREVAL.metrics")


def peer(kind, qrels, ranked, grades, *parameters):
    labeler = ntcireval.Labeler(qrels)
    metric = kind(labeler.compute_per_level_doc_num(len(grades) + 1), grades, *parameters)
    return metric.compute(labeler.label(ranked))


def topics_of(random):
    """Judgments and a ranking for each of some topics, as ours take them and as the peer does."""
    topics = {f"q{number}": topic(random) for number in range(8)}
    qrels = {name: judged for name, (judged, _) in topics.items()}
    run = {name: {doc: -rank for rank, doc in enumerate(docs)} for name, (_, docs) in topics.items()}
    return topics, qrels, run


def topic(random):
    docs = [f"d{number}" for number in range(60)]
    judged = {doc: random.choice([0, 0, 1, 1, 2, 3, 4]) for doc in random.sample(docs, random.randint(1, 50))}
    judged["d0"] = 4  # pyNTCIREVAL divides by 0 where nothing is relevant
    return judged, random.sample(docs, random.randint(1, 60))


@pytest.mark.parametrize("base", [2, 2.5, math.e, 3, 10, 20])
@pytest.mark.parametrize("grades", [[1, 2, 3, 4], [1, 3, 7, 15], [0.5, 0.5, 10, 100], [4, 3, 2, 1]])
@pytest.mark.parametrize("cutoff", [None, 1, 2, 5, 10, 100])
def test_ndcg_of_random_topics(base, grades, cutoff):
    topics, qrels, run = topics_of(Random(f"{base} {grades} {cutoff}"))
    measure = nDCG_JK(b=base, gains=dict(enumerate(grades, 1)), cutoff=cutoff)
    for metric in measure.iter_calc(qrels, run):
        judged, ranked = topics[metric.query_id]
        if grades == sorted(grades):
            expected = peer(metrics.nDCG, judged, ranked, grades, base, cutoff)
        else:  # pyNTCIREVAL's ideal list is in the order of levels: number them as their gains are ordered
            renumbered = {doc: level and 5 - level for doc, level in judged.items()}
            expected = peer(metrics.nDCG, renumbered, ranked, grades[::-1], base, cutoff)
        assert metric.value == pytest.approx(expected, rel=1e-12)
