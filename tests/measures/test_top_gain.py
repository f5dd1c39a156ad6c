"""The gain of a perfect document, and the limits of gains."""

import numpy as np
import pytest

from all_measures import MEASURES
from ir_measures_graded import (
    CG,
    EBR,
    ERR_G,
    RBP_G,
    GradedError,
    GradedEvaluator,
    Q,
    iRBU,
    nERR,
    parse_measure,
)  # fmt: skip
from ir_measures_graded.core.uncertainty import with_option

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


@pytest.mark.parametrize(
    "measure", [m(gains="exp") for m in MEASURES if "max_gain" in m.PARAMETERS], ids=str
)
def test_a_max_gain_below_a_judged_gain_is_an_error(measure):
    reason = "whose gain 15 is above max_gain; .* at least 15"
    message = f"{measure.NAME}.max_gain=14.*: topic 'high' has a document of level 4, {reason}"
    for run in (RUN, {"low": RUN["low"]}, {}):
        with pytest.raises(GradedError, match=message):
            measure(max_gain=14).calc_aggregate(QRELS, run)
    assert measure(max_gain=15, gains={4: 15}).calc_aggregate(QRELS, RUN) > 0


def test_parts_of_qrels_keep_the_top_gain_of_the_collection():
    judged = GradedEvaluator(ALL, QRELS).judged
    for numbers in ([0], [2], [0, 2], []):
        some = judged.part(np.array(numbers, dtype=int))
        assert some.top("exp") == (15, "high", 4)
        same = some.part(np.arange(len(numbers)))
        assert same.top("exp") == (15, "high", 4)


def test_measures_say_whether_they_need_all_topics():
    for measure in ALL:
        assert measure.needs_all_topics
        assert not measure(max_gain=15).needs_all_topics
    assert not RBP_G(residual=True).needs_all_topics


def test_a_residual_is_better_if_it_is_smaller():
    assert RBP_G(residual=True).smaller_is_better
    assert not RBP_G.smaller_is_better


@pytest.mark.parametrize("gains", [{1: 1e151}, {1: 1e-151}])
def test_gains_whose_sums_could_leave_the_range_of_floats_are_refused(gains):
    with pytest.raises(GradedError, match=r"level 1 has the gain .* 0 or between 1e-150 and"):
        by_topic(CG(gains=gains))
    with pytest.raises(GradedError, match="level 1024 has the gain inf under gains=exp"):
        by_topic(CG(gains="exp"), {"low": {"a": 1024}})
    extreme = parse_measure("nDCG_Burges(gains=1:1e-150,2:1e150)")
    assert by_topic(extreme)["low"] == pytest.approx(0.6309, abs=1e-4)


def test_judgments_of_qrels_without_relevant_documents_add_nothing():
    qrels = {"q": {"d": 0}}
    run = {"q": {"x": 1.0}}
    for measure in MEASURES:
        highest = with_option(measure, "unjudged", "max")
        if highest is not None:
            assert by_topic(highest @ 5, qrels, run) == by_topic(measure @ 5, qrels, run)


def test_an_infinite_divisor_is_an_error():
    with pytest.raises(GradedError, match="a divisor is infinite"):
        by_topic(Q(beta=1e308), {"low": {"a": 5, "b": 5}})
