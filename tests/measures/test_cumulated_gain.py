"""Cumulated gain: small cases computed by hand."""

import math

import pytest

from ir_measures_graded import CG, NDCNG, nCG, nDCG_JK
from ranked import ranked


def value(measure, qrels, run):
    return measure.calc_aggregate(qrels, run)


def test_full_depth_is_the_larger_of_retrieved_and_judged():
    short, run = ranked([2], a=0, b=0, c=1)
    assert value(CG(avg=True), short, run) == 2  # four ranks, each with a CG of 2
    assert value(nCG(avg=True), short, run) == pytest.approx((1 + 3 * 2 / 3) / 4)
    long, run = ranked([None, None, None, 2, None])
    assert value(CG(avg=True), long, run) == pytest.approx((0 + 0 + 0 + 2 + 2) / 5)
    assert value(CG(avg=True, judged_only=True), long, run) == 2
    assert value(nCG(avg=True), long, run) == pytest.approx(2 / 5)


def test_ranks_after_the_end_of_the_list_count_in_the_mean():
    qrels, run = ranked([2, 1])
    assert value(CG(avg=True) @ 10, qrels, run) == pytest.approx((2 + 9 * 3) / 10)
    assert value(nCG(avg=True) @ 10, qrels, run) == 1
    assert value(nCG(avg=True) @ 10, qrels, {"q": {"d1": 1.0}}) == pytest.approx((1 / 2 + 9 * 1 / 3) / 10)
    assert value(nDCG_JK(avg=True) @ (2**63 - 1), qrels, {"q": {"d1": 1.0}}) == pytest.approx(1 / 3)


def test_max_gain_replaces_the_topics_highest_gain():
    qrels, run = ranked([1, 0, 2])
    assert value(NDCNG(max_gain=2), qrels, run) == value(NDCNG, qrels, run)
    by_hand = (2 ** (1 / 4) - 1) / math.log(2) + (2 ** (2 / 4) - 1) / math.log(4)
    ideal = (2 ** (2 / 4) - 1) / math.log(2) + (2 ** (1 / 4) - 1) / math.log(3)
    assert value(NDCNG(max_gain=4), qrels, run) == pytest.approx(by_hand / ideal, rel=1e-14)
    assert value(NDCNG(max_gain=0.01), qrels, run) > 0  # gains above max_gain are allowed
