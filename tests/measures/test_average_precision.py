"""muAP, WAP, Q and AGR: small cases by hand, then everything against the plain reference."""

from random import Random

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_graded
import strategies
from ir_measures_graded import AGR, WAP, GradedError, Q, muAP, parse_measure

ALL = [muAP, WAP, Q, Q(beta=0), Q(beta=7.5), AGR]


def ranked(levels, **judged):
    """Qrels and a run that lists documents of these levels, None unjudged; `judged` are not listed."""
    qrels = {f"d{rank}": level for rank, level in enumerate(levels) if level is not None}
    return {"q": {**qrels, **judged}}, {"q": {f"d{rank}": -rank for rank in range(len(levels))}}


def value(measure, levels, **judged):
    return measure.calc_aggregate(*ranked(levels, **judged))


@pytest.mark.parametrize("alias", ["muAP", "muMAP", "µAP", "μAP", "µMAP", "μMAP"])
def test_mu_ap_is_named_with_either_mu(alias):
    for parse in (parse_measure, ir_measures.parse_measure):
        assert parse(alias) == muAP
        assert parse(f"{alias}(judged_only=True)@10") == muAP(judged_only=True) @ 10


def test_q_measure_is_q():
    assert parse_measure("QMeasure(beta=2)@3") == Q(beta=2) @ 3


def test_mu_ap_weighs_thresholds_by_their_distance():
    # AP at gain ≥ 1: (1 + 2/3)/2; at gain ≥ 5: 1/3; distances 1 and 4
    assert value(muAP, [1, 0, 5]) == pytest.approx((1 * 5 / 6 + 4 / 3) / 5)
    # the levels between that no document has are no thresholds, and those not retrieved are
    assert value(muAP, [1, 0, 5], a=2) == pytest.approx((1 * (5 / 3) / 3 + 1 * (1 / 3) / 2 + 3 / 3) / 5)


def test_mu_ap_with_a_cutoff_still_divides_by_all_relevant_documents():
    assert value(muAP @ 1, [1, 1, 1, 1]) == 0.25
    assert value(muAP @ 2, [1, 2, 2, 0]) == pytest.approx((1 * 2 / 3 + 1 * (1 / 2) / 2) / 2)


def test_wap_q_and_agr_with_a_cutoff_divide_by_what_can_be_found_within_it():
    for measure in (WAP, Q, AGR):
        assert value(measure @ 1, [1, 1, 1, 1]) == 1
        assert value(measure @ 3, [1], a=0) == 1
        assert value(measure @ 3, [1], a=1) == 0.5


def test_q_with_beta():
    # gains 2 and 1 at ranks 1 and 3, ideal 3, 2, 1 from ranks 1 to 3
    def expected(beta):
        return ((1 + beta * 2) / (1 + beta * 3) + (2 + beta * 3) / (3 + beta * 6)) / 3

    for beta in (0, 0.5, 1, 3, 100):
        assert value(Q(beta=beta), [2, 0, 1], a=3) == pytest.approx(expected(beta))
    assert value(Q, [2, 0, 1], a=3) == value(Q(beta=1.0), [2, 0, 1], a=3)


@pytest.mark.parametrize("beta", [-1, float("inf"), float("nan"), "1", True])
def test_q_refuses_other_betas(beta):
    with pytest.raises(GradedError, match=r"Q: beta=.* is not allowed.*a real number ≥ 0"):
        Q(beta=beta)


def test_agr_takes_from_a_gain_by_the_share_of_its_level():
    # R = 4; g′(3) = 3 − 1/4·(3 − 2), g′(2) = 2 − 1/4·(2 − 1), g′(1) = 1 − 2/4·(1 − 0)
    high, middle, low = 2.75, 1.75, 0.5
    expected = (low / high + (low + high) / (high + middle + low)) / 4
    assert value(AGR, [1, 0, 3], a=2, b=1) == pytest.approx(expected)


def test_one_level_below_is_literal_for_whole_levels():
    # nothing has level 2, but g(3) − g(2) it is all the same: R = 2, g′(3) = 3 − 1/2, g′(1) = 1 − 1/2
    assert value(AGR, [1, 3]) == pytest.approx((0.5 / 2.5 + 1) / 2)
    # and 3.0 is whole, also beside 2.5: g′(3) = 3 − 1/2, g′(2.5) = 2.5 − 1/2·(2.5 − 0)
    assert value(AGR, [2.5, 3.0]) == pytest.approx((1.25 / 2.5 + 1) / 2)


def test_one_level_below_is_the_topics_own_for_other_levels():
    # R = 3; g′(2.5) = 2.5 − 1/3·(2.5 − 1), g′(1) = 1 − 1/3, g′(.5) = .5 − 1/3·(.5 − 0)
    high, middle, low = 2, 2 / 3, 1 / 3
    expected = (low / high + (low + high) / (high + middle) + 1) / 3
    assert value(AGR, [0.5, 2.5, 1]) == pytest.approx(expected)
    # judged levels that gain nothing do not change that
    assert value(AGR(gains={0.25: 0}), [0.5, 2.5, 1], a=-1, b=0.25) == pytest.approx(expected)
    # but a level −1 that gains 2 does: g′(−1) = 2 − 1/4·2, and g′(.5) = .5 − 1/4·(.5 − 2), R = 4
    ideal = [2.5 - 1 / 4 * 1.5, 2 - 1 / 4 * 2, 0.5 + 1 / 4 * 1.5, 1 - 1 / 4]
    assert ideal == sorted(ideal, reverse=True)
    assert value(AGR(gains={-1: 2}) @ 1, [0.5, 2.5, 1], a=-1) == pytest.approx(ideal[2] / ideal[0])


def test_agr_is_of_gains_not_of_levels():
    gains = {1: 1, 2: 10, 3: 100}
    high, low = 100 - 1 / 2 * (100 - 10), 1 - 1 / 2 * 1  # the gain of level 2, which no document has
    assert value(AGR(gains=gains), [1, 3]) == pytest.approx((low / high + 1) / 2)


def test_agr_where_a_lower_level_gains_more():
    # g′(2) = 1 − 1/2·(1 − 5) = 3, g′(1) = 5 − 1/2·(5 − 0) = 2.5: the ideal list is in the order of g′
    assert value(AGR(gains={1: 5, 2: 1}), [1, 2]) == pytest.approx((2.5 / 3 + 1) / 2)
    assert value(AGR(gains={1: 5, 2: 1}), [2, 1]) == 1


def test_levels_below_zero_are_levels_like_others():
    # g(−1) = 4, and of level 0, which is one above it: g′(0) = 2 − 1/2·(2 − 4) = 3, g′(−1) = 4 − 1/2·(4 − 0)
    assert value(AGR(gains={-1: 4, 0: 2}), [-1, 0]) == pytest.approx((2 / 3 + 1) / 2)
    assert value(WAP(gains={-1: 4, 0: 2}), [0, -1]) == pytest.approx((2 / 4 + 1) / 2)
    for measure in ALL:
        assert value(measure, [-2, -1, 1]) == value(measure, [0, 0, 1])


def test_relevant_documents_are_counted_by_gain():
    # level 1 gains nothing: it is not among R, nor does it lower the share of level 2
    gains = {1: 0}
    assert value(AGR(gains=gains), [0, 2, 3], a=1, b=1) == value(AGR(gains=gains), [1, 2, 3])
    assert value(WAP(gains=gains), [1, 2], a=1) == 1
    assert value(Q(gains=gains), [1, 2], a=1) == pytest.approx((1 + 2) / (2 + 2))


def test_agr_is_wap_where_every_adjusted_gain_is_0():
    for levels in ([0, 1, None, 1], [0, 2.5, 0.0, 2.5]):
        assert value(AGR, levels) == value(WAP, levels) > 0
    # but not where one level has a lower neighbour that gains: g′(2) = 2 − 1·(2 − 1) = 1
    assert value(AGR, [0, 2, 2]) == value(WAP, [0, 2, 2])
    # also where no other level is judged in any topic
    for level in (1, 2.5):
        qrels = {"one": {"a": level}, "two": {"a": level, "b": level}, "three": {"a": level}}
        run = {topic: {"b": 2, "x": 1, "a": 0} for topic in qrels}
        found, wanted = ([metric.value for metric in measure.iter_calc(qrels, run)] for measure in (AGR, WAP))
        assert found == wanted
    # and each topic for itself
    qrels = {"binary": {"a": 1, "b": 1}, "graded": {"a": 1, "b": 3}}
    run = {topic: {"b": 3, "x": 2, "a": 1} for topic in qrels}
    found = {metric.query_id: metric.value for metric in AGR.iter_calc(qrels, run)}
    assert found == {topic: AGR.calc_aggregate({topic: docs}, run) for topic, docs in qrels.items()}
    assert found["binary"] == WAP.calc_aggregate({"binary": qrels["binary"]}, run)


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_without_relevant_documents_or_a_run_it_is_0(measure):
    assert value(measure, [0, -1]) == value(measure, []) == value(measure, [None]) == 0
    assert value(measure, [], a=2) == value(measure, [None, 0], a=2) == 0
    assert measure.calc_aggregate({"q": {"a": 1}}, {}) == measure.DEFAULT == 0


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_unjudged_documents_keep_their_rank_unless_they_are_left_out(measure):
    with_gaps = [None, 1, None, None, 3]
    assert value(measure, with_gaps) < value(measure, [1, 3])
    assert value(measure(judged_only=True), with_gaps) == value(measure, [1, 3])
    assert value(measure(judged_only=True) @ 1, with_gaps) == value(measure @ 1, [1, 3])


def test_mu_ap_of_a_topic_does_not_depend_on_the_topics_beside_it():
    random = Random(2)
    thirds = {f"d{number}": random.choice([0, 1 / 3, 2 / 3, 1]) for number in range(30)}
    finer = {f"d{number}": random.random() for number in range(40)}
    run = {topic: {doc: random.random() for doc in finer} for topic in ("q", "other")}
    alone = [metric.value for metric in muAP.iter_calc({"q": thirds}, run)]
    for other in (finer, thirds, {"a": 0.5}):
        assert [m.value for m in muAP.iter_calc({"q": thirds, "other": other}, run)][:1] == alone


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
    docs = [f"d{number}" for number in range(300)]
    levels = {"few": [0, 0, 1, 2], "many": [random.uniform(-1, 5) for _ in docs], "flat": [0, 3]}
    qrels = {
        topic: {doc: random.choice(scale) for doc in random.sample(docs, 200)}
        for topic, scale in levels.items()
    }
    run = {topic: {doc: random.random() for doc in random.sample(docs, 250)} for topic in levels}
    for topic, measure, got in ir_measures.iter_calc([*ALL, *(m @ 50 for m in ALL)], qrels, run):
        expected = reference_graded.value(measure, qrels[topic], run[topic])
        assert got == pytest.approx(expected, rel=1e-11)


def test_many_small_topics_have_the_values_of_the_plain_reference():
    reference_graded.assert_small_topics([*ALL, *(m @ 3 for m in ALL), *(m(judged_only=True) for m in ALL)])
