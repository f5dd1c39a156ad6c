"""The worked vectors of Järvelin & Kekäläinen 2002, sections 2.1 to 2.3, rank by rank."""

import pytest

from ir_measures_graded import CG, DCG_JK, nCG, nDCG_JK
from ir_measures_graded.analysis import curves

RECALL_BASE = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
G = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
CG_VECTOR = [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
CG_IDEAL = [3, 6, 9, 11, 13, 15, 16, 17, 18, 19, 19, 19, 19]
DCG_VECTOR = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
DCG_IDEAL = [3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83, 11.83, 11.83]
NCG_VECTOR = [1, 0.83, 0.89, 0.73, 0.62, 0.6, 0.69, 0.76, 0.89, 0.84]
A_HUNDREDTH = 0.01  # the paper rounds 8.659 up to 8.66 but cuts 10.528 down to 10.52


def topic(ranked, recall_base):
    """Qrels with the recall base and a run whose documents have the levels `ranked`.

    A document of level 0 is unjudged.
    """
    missed = list(recall_base)
    qrels = {}
    for rank, level in enumerate(ranked):
        if level:
            qrels[f"d{rank}"] = level
            missed.remove(level)
    qrels |= {f"missed{number}": level for number, level in enumerate(missed)}
    assert len(qrels) == len(recall_base)
    run = {f"d{rank}": -rank for rank in range(len(ranked))}
    return {"q": qrels}, {"q": run}


QRELS, RUN = topic(G, RECALL_BASE)
IDEAL_QRELS, IDEAL_RUN = topic(RECALL_BASE, RECALL_BASE)


def vector(measure, length, qrels=QRELS, run=RUN):
    return [(measure @ k).calc_aggregate(qrels, run) for k in range(1, length + 1)]


@pytest.mark.parametrize(
    ("measure", "printed", "ideal", "error"),
    [
        (CG, CG_VECTOR, CG_IDEAL, 0),
        (DCG_JK(b=2), DCG_VECTOR, DCG_IDEAL, A_HUNDREDTH),
        (nCG, NCG_VECTOR, [1] * 15, A_HUNDREDTH),
        (nCG, [a / b for a, b in zip(CG_VECTOR, CG_IDEAL)], [1] * 15, 0),
        (nDCG_JK(b=2), [a / b for a, b in zip(DCG_VECTOR, DCG_IDEAL)], [1] * 15, 0.001),
    ],
)
def test_vectors_and_curves_are_those_of_the_paper(measure, printed, ideal, error):
    """The ideal vector is constant after the recall base."""
    assert vector(measure, 10) == pytest.approx(printed, abs=error, rel=0)
    ideal_vector = vector(measure, len(ideal), IDEAL_QRELS, IDEAL_RUN)
    assert ideal_vector == pytest.approx(ideal, abs=error, rel=0)
    result = curves(QRELS, {"run": RUN}, measure, 10, ideal=True)
    assert result.values[0] == pytest.approx(printed, abs=error, rel=0)
    assert result.ideal == pytest.approx(ideal[:10], abs=error, rel=0)


def test_discounting_starts_at_the_base_of_the_logarithm():
    # "the first b − 1 documents are not affected": with base 10 these are nine documents
    assert vector(DCG_JK(b=10), 10) == CG_VECTOR
    assert (DCG_JK(b=9) @ 9).calc_aggregate(QRELS, RUN) == 16
    assert (DCG_JK(b=8.9) @ 9).calc_aggregate(QRELS, RUN) < 16
