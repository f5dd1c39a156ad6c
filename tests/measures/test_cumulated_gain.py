"""Cumulated gain: small cases computed by hand."""

import math

import pytest

from ir_measures_graded import CG, DCG_JK, NDCNG, nCG, nDCG_JK
from ranked import ranked

E = math.e


def value(measure, qrels, run):
    return measure.calc_aggregate(qrels, run)


@pytest.mark.parametrize(
    ("b", "whole"),
    [(2, [1]), (1.5, [1]), (2.5, [1, 2]), (E, [1, 2]), (3, [1, 2]), (3.001, [1, 2, 3]), (10, range(1, 10))],
)
def test_the_discount_is_the_logarithm_from_rank_b_on(b, whole):
    for rank in range(1, 13):
        qrels, run = ranked([None] * (rank - 1) + [7])
        expected = 7 if rank in whole else 7 / math.log(rank, b)
        assert value(DCG_JK(b=b), qrels, run) == pytest.approx(expected, rel=1e-14)


def test_the_discount_at_rank_b_is_1():
    assert value(DCG_JK(b=2) @ 2, *ranked([3, 2])) == 5
    assert value(DCG_JK(b=10) @ 10, *ranked([0] * 9 + [3])) == 3


def test_unjudged_documents_keep_their_rank_without_judged_only():
    qrels, run = ranked([None, None, None, 2, None, 1])
    assert value(CG @ 3, qrels, run) == 0
    assert value(CG @ 4, qrels, run) == 2
    assert value(CG(judged_only=True) @ 1, qrels, run) == 2
    assert value(CG(judged_only=True) @ 2, qrels, run) == 3
    assert value(DCG_JK, qrels, run) == pytest.approx(2 / 2 + 1 / math.log2(6))
    assert value(DCG_JK(judged_only=True), qrels, run) == 3


def test_ties_are_broken_by_document_id_descending():
    qrels = {"q": {"a": 1, "b": 2, "c": 4}}
    run = {"q": {"a": 1.0, "b": 1.0 + 1e-9, "c": 1.0 - 1e-9, "x": 0.5}}
    assert [value(CG @ k, qrels, run) for k in (1, 2, 3)] == [4, 6, 7]


def test_negative_levels_gain_nothing_without_a_map():
    qrels, run = ranked([-2, -1, 1])
    assert value(CG, qrels, run) == 1
    assert value(CG(gains={-2: 5}), qrels, run) == 6
    assert value(nCG(gains={-2: 5}) @ 1, qrels, run) == 1


def test_levels_missing_in_the_map_keep_their_value():
    qrels, run = ranked([1, 2, 3, 0.5])
    assert value(CG(gains={3: 100}), qrels, run) == 103.5
    assert value(CG(gains={0.5: 0, 1: 0}), qrels, run) == 5
    assert value(CG(gains={1: 0, 2: 0, 3: 0, 0.5: 0}), qrels, run) == 0


def test_the_ideal_list_is_the_whole_recall_base():
    qrels, run = ranked([1, 1], missed=10)
    assert value(nCG @ 1, qrels, run) == 0.1
    assert value(nCG @ 2, qrels, run) == pytest.approx(2 / 11)
    assert value(nCG, qrels, run) == pytest.approx(2 / 12)
    assert value(nCG(judged_only=True), qrels, run) == pytest.approx(2 / 12)


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
