"""muAP, WAP, Q and AGR: small cases computed by hand."""

import ir_measures
import pytest

from ir_measures_graded import AGR, WAP, Q, muAP, parse_measure
from ranked import value


@pytest.mark.parametrize("alias", ["muAP", "muMAP", "µAP", "μAP", "µMAP", "μMAP"])
def test_mu_ap_can_be_written_with_both_micro_signs(alias):
    for parse in (parse_measure, ir_measures.parse_measure):
        assert parse(alias) == muAP
        assert parse(f"{alias}(judged_only=True)@10") == muAP(judged_only=True) @ 10


def test_mu_ap_weights_thresholds_by_their_distance():
    # AP at gain ≥ 1: (1 + 2/3)/2; at gain ≥ 5: 1/3; distances 1 and 4
    assert value(muAP, [1, 0, 5]) == pytest.approx((1 * 5 / 6 + 4 / 3) / 5)
    # Only judged levels are thresholds, whether their documents are retrieved or not.
    assert value(muAP, [1, 0, 5], a=2) == pytest.approx((1 * (5 / 3) / 3 + 1 * (1 / 3) / 2 + 3 / 3) / 5)


def test_wap_q_and_agr_with_a_cutoff_divide_by_the_smaller_of_cutoff_and_relevant():
    for measure in (WAP, Q, AGR):
        assert value(measure @ 1, [1, 1, 1, 1]) == 1
        assert value(measure @ 3, [1], a=0) == 1
        assert value(measure @ 3, [1], a=1) == 0.5


def test_agr_reduces_a_gain_by_the_share_of_its_level():
    # R = 4; g′(3) = 3 − 1/4·(3 − 2), g′(2) = 2 − 1/4·(2 − 1), g′(1) = 1 − 2/4·(1 − 0)
    high, middle, low = 2.75, 1.75, 0.5
    expected = (low / high + (low + high) / (high + middle + low)) / 4
    assert value(AGR, [1, 0, 3], a=2, b=1) == pytest.approx(expected)


def test_the_level_below_a_whole_level_is_one_lower():
    # No document has level 2, but its gain counts: R = 2, g′(3) = 3 − 1/2, g′(1) = 1 − 1/2
    assert value(AGR, [1, 3]) == pytest.approx((0.5 / 2.5 + 1) / 2)
    # 3.0 is a whole level, next to 2.5, too: g′(3) = 3 − 1/2, g′(2.5) = 2.5 − 1/2·(2.5 − 0)
    assert value(AGR, [2.5, 3.0]) == pytest.approx((1.25 / 2.5 + 1) / 2)


def test_the_level_below_a_fractional_level_is_the_next_in_the_topic():
    # R = 3; g′(2.5) = 2.5 − 1/3·(2.5 − 1), g′(1) = 1 − 1/3, g′(.5) = .5 − 1/3·(.5 − 0)
    high, middle, low = 2, 2 / 3, 1 / 3
    expected = (low / high + (low + high) / (high + middle) + 1) / 3
    assert value(AGR, [0.5, 2.5, 1]) == pytest.approx(expected)
    # Judged levels without a gain do not change this.
    assert value(AGR(gains={0.25: 0}), [0.5, 2.5, 1], a=-1, b=0.25) == pytest.approx(expected)
    # A level −1 with gain 2 changes it: g′(−1) = 2 − 1/4·2, and g′(.5) = .5 − 1/4·(.5 − 2), R = 4
    ideal = [2.5 - 1 / 4 * 1.5, 2 - 1 / 4 * 2, 0.5 + 1 / 4 * 1.5, 1 - 1 / 4]
    assert ideal == sorted(ideal, reverse=True)
    assert value(AGR(gains={-1: 2}) @ 1, [0.5, 2.5, 1], a=-1) == pytest.approx(ideal[2] / ideal[0])


def test_agr_uses_gains_and_not_levels():
    gains = {1: 1, 2: 10, 3: 100}
    high, low = 100 - 1 / 2 * (100 - 10), 1 - 1 / 2 * 1  # level 2 has a gain but no document
    assert value(AGR(gains=gains), [1, 3]) == pytest.approx((low / high + 1) / 2)


def test_agr_with_a_lower_level_that_gains_more():
    # g′(2) = 1 − 1/2·(1 − 5) = 3, g′(1) = 5 − 1/2·(5 − 0) = 2.5: the ideal list is sorted by g′
    assert value(AGR(gains={1: 5, 2: 1}), [1, 2]) == pytest.approx((2.5 / 3 + 1) / 2)
    assert value(AGR(gains={1: 5, 2: 1}), [2, 1]) == 1


def test_agr_is_wap_if_every_adjusted_gain_is_0():
    for levels in ([0, 1, None, 1], [0, 2.5, 0.0, 2.5]):
        assert value(AGR, levels) == value(WAP, levels) > 0
    # One level with a lower neighbour that gains: g′(2) = 2 − 1·(2 − 1) = 1
    assert value(AGR, [0, 2, 2]) == value(WAP, [0, 2, 2])
    # Also if no other level is judged in any topic.
    for level in (1, 2.5):
        qrels = {"one": {"a": level}, "two": {"a": level, "b": level}, "three": {"a": level}}
        run = {topic: {"b": 2, "x": 1, "a": 0} for topic in qrels}
        found, wanted = ([metric.value for metric in measure.iter_calc(qrels, run)] for measure in (AGR, WAP))
        assert found == wanted
    # The rule applies to each topic separately.
    qrels = {"binary": {"a": 1, "b": 1}, "graded": {"a": 1, "b": 3}}
    run = {topic: {"b": 3, "x": 2, "a": 1} for topic in qrels}
    found = {metric.query_id: metric.value for metric in AGR.iter_calc(qrels, run)}
    assert found == {topic: AGR.calc_aggregate({topic: docs}, run) for topic, docs in qrels.items()}
    assert found["binary"] == WAP.calc_aggregate({"binary": qrels["binary"]}, run)
