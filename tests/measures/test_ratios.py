"""SR, MSR, gP and gR: small cases by hand, then everything against the plain reference."""

from random import Random

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_graded
import strategies
from ir_measures_graded import MSR, SR, GradedError, gP, gR, nCG

OWN = [SR(ideal="retrieved"), MSR(ideal="retrieved")]
ALL = [SR, MSR, *OWN, gP, gP(max_gain=2.5), gR]


def ranked(levels, **judged):
    """Qrels and a run that lists documents of these levels, None unjudged; `judged` are not listed."""
    qrels = {f"d{rank}": level for rank, level in enumerate(levels) if level is not None}
    return {"q": {**qrels, **judged}}, {"q": {f"d{rank}": -rank for rank in range(len(levels))}}


def value(measure, levels, **judged):
    return measure.calc_aggregate(*ranked(levels, **judged))


def test_sliding_ratios_compare_with_the_recall_base():
    assert value(SR, [1, 0, 2], a=3, b=2) == 3 / 8
    assert value(SR @ 2, [1, 0, 2], a=3, b=2) == 1 / 5
    assert value(MSR, [1, 0, 2], a=3, b=2) == pytest.approx((1 + 2 / 3) / (3 + 2 / 2 + 2 / 3 + 1 / 4))
    assert value(MSR @ 2, [1, 0, 2], a=3, b=2) == pytest.approx(1 / (3 + 2 / 2))


def test_sliding_ratios_can_compare_with_the_runs_own_list_reordered():
    sr, msr = OWN
    assert value(sr, [1, 0, 2], a=3, b=2) == 1
    assert value(msr, [1, 0, 2], a=3, b=2) == pytest.approx((1 + 2 / 3) / (2 + 1 / 2))
    # the whole list is reordered, then cut: 2 from below the cutoff belongs at the top
    assert value(sr @ 2, [1, None, 2], a=3) == 1 / 3
    assert value(msr @ 1, [1, None, 2], a=3) == 1 / 2


def test_sliding_ratio_is_normalised_cumulated_gain():
    for k in (1, 2, 3, 9):
        assert value(SR @ k, [1, 0, 2], a=3) == value(nCG @ k, [1, 0, 2], a=3)


def test_generalised_precision_is_over_the_ranks_and_recall_over_the_recall_base():
    assert value(gP @ 2, [1, 0, 2], a=4) == 1 / (4 * 2)
    assert value(gP @ 10, [1, 0, 2], a=4) == 3 / (4 * 10)
    assert value(gP, [1, 0, 2], a=4) == 3 / (4 * 3)
    assert value(gP, [1, None, 2, None], a=4) == 3 / (4 * 4)
    assert value(gP(judged_only=True), [1, None, 2, None], a=4) == 3 / (4 * 2)
    assert value(gR @ 2, [1, 0, 2], a=4) == 1 / 7
    assert value(gR, [1, 0, 2], a=4) == 3 / 7


def test_the_gain_that_counts_1_can_be_given():
    assert value(gP(max_gain=8) @ 2, [1, 3]) == 4 / 16
    assert value(gP(max_gain=0.5) @ 2, [1, 3]) == 4  # and may be less than what documents gain
    with pytest.raises(GradedError, match=r"gP: max_gain=0 is not allowed.*> 0"):
        gP(max_gain=0)
    with pytest.raises(GradedError, match=r"SR: ideal='run' is not allowed.*'judged', 'retrieved'"):
        SR(ideal="run")


def test_gains_are_those_of_the_map():
    gains = {1: 0, 3: 100, -1: 50}
    assert value(SR(gains=gains) @ 1, [-1, 3]) == 0.5
    assert value(gR(gains=gains) @ 1, [-1, 1, 3]) == pytest.approx(1 / 3)
    assert value(gP(gains=gains) @ 1, [-1, 1, 3]) == 0.5


def test_a_share_of_the_same_gains_added_in_another_order_is_not_more_than_1():
    assert 0.1 + 0.2 + 0.3 > 0.3 + 0.2 + 0.1
    for measure in (SR, SR(ideal="retrieved"), gR, nCG):
        assert value(measure, [0.1, 0.2, 0.3]) == 1


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_without_relevant_documents_or_a_run_it_is_0(measure):
    assert value(measure, [0, -1]) == value(measure, []) == value(measure, [None]) == 0
    assert value(measure, [], a=2) == value(measure, [None, 0], a=2) == 0
    assert measure.calc_aggregate({"q": {"a": 1}}, {}) == measure.DEFAULT == 0


@given(
    strategies.collections(),
    strategies.GAINS,
    st.sampled_from([None, 1, 2, 5, 30]),
    st.booleans(),
)
def test_all_values_are_those_of_the_plain_reference(collection, gains, cutoff, judged_only):
    qrels, run = collection
    measures = [measure(gains=gains, cutoff=cutoff, judged_only=judged_only) for measure in ALL]
    for topic, measure, got in ir_measures.iter_calc(measures, qrels, run):
        expected = reference_graded.value(measure, qrels[topic], run.get(topic, {}))
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_long_lists_have_the_values_of_the_plain_reference():
    random = Random(3)
    docs = [f"d{number}" for number in range(700)]
    qrels = {
        topic: {doc: random.choice([-1, 0, 1, 2.5, 3]) for doc in random.sample(docs, size)}
        for topic, size in (("many", 500), ("few", 3), ("one", 1))
    }
    run = {topic: {doc: random.random() for doc in random.sample(docs, 650)} for topic in qrels}
    for topic, measure, got in ir_measures.iter_calc([*ALL, *(m @ 100 for m in ALL)], qrels, run):
        expected = reference_graded.value(measure, qrels[topic], run[topic])
        assert got == pytest.approx(expected, rel=1e-11)


def test_many_small_topics_have_the_values_of_the_plain_reference():
    reference_graded.assert_small_topics([*ALL, *(m @ 3 for m in ALL), *(m(judged_only=True) for m in ALL)])
