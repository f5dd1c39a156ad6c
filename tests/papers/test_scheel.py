"""The worked tables of Scheel, Lommatzsch & Albayrak 2011: µAP by thresholds, NDCG and NDCNG."""

from statistics import fmean

import pytest
from ir_measures import AP

from ir_measures_graded import NDCNG, GradedMeasure, muAP, nDCG_Burges
from ranked import ranked as topic

LEVELS = [1, 0, 3, 3, 2, 0, 1, 4]
AP_AT = {0: 1.000, 1: 0.780, 2: 0.483, 3: 0.403, 4: 0.125, 5: 0.000}
THREE_DECIMALS = 0.0005 + 1e-9
TWO_DECIMALS = 0.005 + 1e-9


QRELS, RUN = topic(LEVELS)


def by_rank(measure: GradedMeasure, qrels):
    return [(measure @ k).calc_aggregate(qrels, RUN) for k in range(1, 9)]


@pytest.mark.parametrize("t", AP_AT)
def test_table_1_average_precision_at_each_threshold(t):
    printed = pytest.approx(AP_AT[t], abs=THREE_DECIMALS)
    binary = {level: int(level >= t) for level in range(5)}
    assert muAP(gains=binary).calc_aggregate(QRELS, RUN) == printed
    if 1 <= t <= 4:
        assert AP(rel=t).calc_aggregate(QRELS, RUN) == printed


def test_table_1_means():
    assert sum(AP_AT.values()) / 6 == pytest.approx(0.465, abs=THREE_DECIMALS)
    assert muAP.calc_aggregate(QRELS, RUN) == pytest.approx(0.448, abs=THREE_DECIMALS)
    thresholds = [AP(rel=t).calc_aggregate(QRELS, RUN) for t in (1, 2, 3, 4)]
    assert muAP.calc_aggregate(QRELS, RUN) == pytest.approx(sum(thresholds) / 4, rel=1e-12)


def test_section_3_1_thresholds_are_weighted_by_the_distance_of_levels():
    qrels, run = topic([0.0, 0.3, 1.0])  # AP^.3 = (1/2 + 2/3)/2 and AP^1 = 1/3
    assert muAP.calc_aggregate(qrels, run) == pytest.approx(0.3 * 7 / 12 + 0.7 / 3, rel=1e-12)


@pytest.mark.parametrize(
    ("measure", "factor", "ndcg", "mean"),
    [
        (nDCG_Burges, 1, [0.07, 0.05, 0.20, 0.31, 0.35, 0.35, 0.36, 0.55], 0.28),
        (nDCG_Burges, 2, [0.01, 0.01, 0.11, 0.19, 0.20, 0.20, 0.20, 0.44], 0.17),
        (NDCNG, 1, [0.19, 0.13, 0.30, 0.42, 0.49, 0.47, 0.50, 0.65], 0.39),
        (NDCNG, 2, [0.19, 0.13, 0.30, 0.42, 0.49, 0.47, 0.50, 0.65], 0.39),
        (NDCNG(max_gain=4), 1, [0.19, 0.13, 0.30, 0.42, 0.49, 0.47, 0.50, 0.65], 0.39),
    ],
    ids=["gain equals rel(i)", "gain equals rel(i) · 2", "normalised gain", "doubled", "m given"],
)
def test_table_2(measure, factor, ndcg, mean):
    qrels, _ = topic([factor * level for level in LEVELS])
    assert by_rank(measure, qrels) == pytest.approx(ndcg, abs=TWO_DECIMALS)
    assert fmean(by_rank(measure, qrels)) == pytest.approx(mean, abs=TWO_DECIMALS)
