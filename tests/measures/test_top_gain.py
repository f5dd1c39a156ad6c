"""The top gain of a collection: ERR_G, nERR, EBR, iRBU and RBP_G."""

import numpy as np
import pytest

from ir_measures_graded import EBR, ERR_G, RBP_G, GradedError, GradedEvaluator, iRBU, nERR

ALL = [ERR_G, nERR, EBR, iRBU, RBP_G(gains="exp")]
QRELS = {"low": {"a": 1, "b": 2}, "high": {"c": 4, "d": 2}, "none": {"e": 0}}
RUN = {"low": {"a": 2, "b": 1}, "high": {"d": 2, "c": 1}}


def by_topic(measure, qrels=QRELS, run=RUN):
    return {metric.query_id: metric.value for metric in measure.iter_calc(qrels, run)}


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_the_top_gain_is_the_highest_gain_of_all_topics(measure):
    assert by_topic(measure) == by_topic(measure(max_gain=15))
    assert by_topic(measure(gains="linear")) == by_topic(measure(gains="linear", max_gain=4))
    assert by_topic(measure)["low"] != by_topic(measure, {"low": QRELS["low"]})["low"]
    assert by_topic(measure)["low"] == by_topic(measure(max_gain=15), {"low": QRELS["low"]})["low"]


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_a_max_gain_below_a_judged_gain_is_an_error(measure):
    message = r"topic 'high' has a document of level 4, whose gain 15 is above max_gain; .* at least 15"
    for run in (RUN, {"low": RUN["low"]}, {}):
        with pytest.raises(GradedError, match=f"{measure.NAME}.max_gain=14.*: {message}"):
            measure(max_gain=14).calc_aggregate(QRELS, run)
    assert measure(max_gain=15, gains={4: 15}).calc_aggregate(QRELS, RUN) > 0


def test_parts_of_qrels_keep_the_top_gain_of_the_collection():
    judged = GradedEvaluator(ALL, QRELS).judged
    for numbers in ([0], [2], [0, 2], []):
        part = judged.part(np.array(numbers, dtype=int))
        assert part.top("exp") == part.part(np.arange(len(numbers))).top("exp") == (15, "high", 4)


def test_measures_say_whether_they_need_all_topics():
    for measure in ALL:
        assert measure.needs_all_topics
        assert not measure(max_gain=15).needs_all_topics
    assert not RBP_G(residual=True).needs_all_topics
    assert (RBP_G(residual=True).smaller_is_better, RBP_G.smaller_is_better) == (True, False)
