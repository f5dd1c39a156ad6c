import ir_measures
import pytest
from ir_measures_rhl import RHL

from ir_measures_graded.testing import parametrize_with_checks

QRELS = {"q": {"a": 3, "b": 1, "c": 2, "d": 0, "e": -2}}


def rhl(documents, measure=RHL):
    """The value for documents in the order given."""
    return measure.calc_aggregate(
        QRELS, {"q": {doc: float(-rank) for rank, doc in enumerate(documents)}}
    )


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ("a", 0.5),  # half of the only gain, at half of rank 1
        ("ab", 2 / 3),  # 2 of 4
        ("abc", 1),  # 3 of 6: exactly at rank 1
        ("dabc", 2),
        ("cba", 2),  # 2 + 1 = 3 of 6: exactly at rank 2
        ("bxac", 2 + 2 / 3),  # 3 of 6: 1 before rank 3, 2 of the 3 there
        ("xyzb", 3.5),
    ],
)
def test_the_value_is_the_rank_of_half_the_gain(documents, expected):
    assert rhl(documents) == pytest.approx(expected)


def test_a_list_without_gain_has_its_length_as_value():
    assert rhl("xydez") == 5
    assert rhl("xydez", RHL @ 3) == 3
    assert rhl("") == 0 == RHL.DEFAULT


def test_the_total_gain_ends_at_the_cutoff():
    assert rhl("bxac", RHL @ 2) == 0.5


def test_gains_and_judged_only_apply():
    assert rhl("bac", RHL(gains={3: 100})) == pytest.approx(1 + (51.5 - 1) / 100)
    assert rhl("xyzb", RHL(judged_only=True)) == 0.5


def test_ir_measures_parses_the_name_and_smaller_is_better():
    measure = ir_measures.parse_measure("RHL(gains=0:0,1:1,3:100)@20")
    assert measure == RHL(gains={3: 100}) @ 20
    assert measure.smaller_is_better


def test_missing_topics_count_as_empty_rankings():
    assert {
        each.query_id: each.value
        for each in RHL.iter_calc({**QRELS, "r": {"a": 1}}, {"q": {"a": 1.0}})
    } == {"q": 0.5, "r": 0}


@parametrize_with_checks([RHL, RHL @ 5])
def test_the_declarations_hold(check):
    check()
