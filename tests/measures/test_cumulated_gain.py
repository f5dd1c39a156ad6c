"""Cumulated gain: small cases computed by hand."""

import math

import pytest

from ir_measures_graded import CG, DCG_JK, NDCNG, nCG, nDCG_JK

E = math.e
SCHEEL = [1, 0, 3, 3, 2, 0, 1, 4]


def ranked(levels, **judged):
    """Qrels and a run that lists documents of these levels, None unjudged; `judged` are not listed."""
    qrels = {f"d{rank}": level for rank, level in enumerate(levels) if level is not None}
    return {"q": {**qrels, **judged}}, {"q": {f"d{rank}": -rank for rank in range(len(levels))}}


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


def test_ndcng_of_the_paper():
    qrels, run = ranked(SCHEEL)
    vector = [value(NDCNG @ k, qrels, run) for k in range(1, 9)]
    assert vector == pytest.approx([0.19, 0.13, 0.30, 0.42, 0.49, 0.47, 0.50, 0.65], abs=0.005)
    assert value(NDCNG(avg=True) @ 8, qrels, run) == pytest.approx(0.39, abs=0.005)


@pytest.mark.parametrize("factor", [2, 4, 0.5])
def test_scaling_all_levels_does_not_change_ndcng(factor):
    qrels, run = ranked(SCHEEL)
    scaled, _ = ranked([level * factor for level in SCHEEL])
    for measure in (NDCNG, NDCNG(avg=True), NDCNG @ 3, NDCNG(avg=True) @ 5):
        assert value(measure, scaled, run) == value(measure, qrels, run)


def test_max_gain_replaces_the_topics_highest_gain():
    qrels, run = ranked([1, 0, 2])
    assert value(NDCNG(max_gain=2), qrels, run) == value(NDCNG, qrels, run)
    by_hand = (2 ** (1 / 4) - 1) / math.log(2) + (2 ** (2 / 4) - 1) / math.log(4)
    ideal = (2 ** (2 / 4) - 1) / math.log(2) + (2 ** (1 / 4) - 1) / math.log(3)
    assert value(NDCNG(max_gain=4), qrels, run) == pytest.approx(by_hand / ideal, rel=1e-14)
    assert value(NDCNG(max_gain=0.01), qrels, run) > 0  # gains above max_gain are allowed


@pytest.mark.parametrize("measure", [CG, DCG_JK, nCG, nDCG_JK, NDCNG])
@pytest.mark.parametrize("avg", [False, True])
def test_a_topic_without_relevant_documents_scores_0(measure, avg):
    for qrels in ({"a": 0}, {"a": -2, "b": 0}, {}):
        for run in ({}, {"a": 1.0}, {"a": 1.0, "x": 2.0}):
            assert value(measure(avg=avg), {"q": qrels}, {"q": run}) == 0
            assert value(measure(avg=avg) @ 3, {"q": qrels}, {"q": run}) == 0
