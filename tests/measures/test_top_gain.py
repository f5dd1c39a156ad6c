"""The gain of a perfect document, and gains near the limits of floats."""

import numpy as np
import pytest

from ir_measures_graded import EBR, ERR_G, RBP_G, GradedError, GradedEvaluator, iRBU, nERR, parse_measure
from ir_measures_graded.analysis import curves, ranges
from ir_measures_graded.analysis.explain import explanations
from ir_measures_graded.core.measures import MEASURES
from ir_measures_graded.core.measures.sums import Normalised
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


@pytest.mark.parametrize("measure", [m(gains="exp") for m in MEASURES if "max_gain" in m.PARAMETERS], ids=str)
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


LARGE = {"q": {"a": 5e307, "b": 1e308, "c": 1e308, "d": 0}, "p": {"a": 1e308, "c": 1e308}}
SMALL = {topic: {doc: level / 5e307 for doc, level in docs.items()} for topic, docs in LARGE.items()}
LISTED = {topic: {"x": 4.0, "d": 3.0, "a": 3.0, "b": 1.0} for topic in LARGE}
NAMES = "nCG nDCG_JK nDCG_JK(avg=True) nDCG_Burges(gains=linear) NDCNG SR MSR(ideal=retrieved) gP gR muAP GAP"
NAMES += " WAP AGR NCU"
BLENDS = "Q O_measure P_measure P_plus NCU(utility=BR)"


def cut(names):
    return [parse_measure(name) @ 4 for name in names.split()]


@pytest.mark.parametrize("measure", [*cut(NAMES), *cut(BLENDS)], ids=str)
def test_sums_of_large_gains_do_not_overflow(measure):
    plain = measure(beta=1e300) if "beta" in measure.PARAMETERS else measure  # the counts add nothing
    offered = [("ties", word) for word in ("mean", "min", "max")] + [("unjudged", "min"), ("unjudged", "max")]
    both = [(with_option(measure, *each), with_option(plain, *each)) for each in offered]
    for large, small in [(measure, plain), *(pair for pair in both if all(pair))]:
        assert by_topic(large, LARGE, LISTED) == pytest.approx(by_topic(small, SMALL, LISTED), rel=1e-12)
    for normalise in ("topics", "averages") if isinstance(measure, Normalised) else ("topics",):
        large, small = (
            curves(qrels, {"run": LISTED}, one(cutoff=None), 4, normalise=normalise).values
            for qrels, one in ((LARGE, measure), (SMALL, plain))
        )
        assert large == pytest.approx(small, rel=1e-12)
    parts = [
        explanations(qrels, {"run": LISTED}, one, 4)["run"][0].contributions
        for qrels, one in ((LARGE, measure), (SMALL, plain))
    ]
    assert parts[1] is None or parts[0] == pytest.approx(parts[1], rel=1e-12)


def test_exponential_gains_reach_the_highest_levels():
    qrels = {"q": dict.fromkeys("abc", 1023)}
    assert by_topic(parse_measure("nDCG_Burges"), qrels, {"q": {"x": 3.0, "y": 2.0, "a": 1.0}}) == {
        "q": pytest.approx(0.5 / (1 + 1 / np.log2(3) + 0.5))
    }


@pytest.mark.parametrize("unit", [2.0**-1065, 2.0**1020])
def test_powers_of_two_and_other_topics_change_no_bit_of_a_ratio(unit):
    plain, run = {"a": 1, "b": 3, "c": 2}, {"q": {"x": 3.0, "a": 3.0, "b": 2.0, "y": 1.0, "d": 0.0}}
    qrels = {"q": {doc: level * unit for doc, level in plain.items()}}
    for measure in cut(f"{NAMES} {BLENDS} nCG(avg=True) NDCNG(avg=True)"):
        for each in (measure, *(measure(ties=word) for word in measure.TIES)):
            value = by_topic(each, qrels, run)["q"]
            if measure in cut(NAMES) and each.NAME != "AGR":  # whose formula reads the level one below
                assert value == by_topic(each, {"q": plain}, run)["q"], each
            assert value == by_topic(each, qrels | {"p": {"a": 1e-300}, "r": {"a": 1e308}}, run)["q"], each


def test_small_levels_have_exponential_gains():
    qrels, run = {"q": {"a": 1e-300, "b": 2e-300}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    for measure in cut("nDCG_JK muAP NCU(stop=rb) SR"):
        assert by_topic(measure(gains="exp"), qrels, run) == pytest.approx(by_topic(measure, qrels, run))
    nearly_linear, linear = cut("NDCNG(max_gain=1) nDCG_Burges(gains=linear)")
    assert by_topic(nearly_linear, qrels, run) == pytest.approx(by_topic(linear, qrels, run))


def test_gains_that_vanish_beside_higher_ones_are_refused():
    qrels = {"q": {"a": 1e-300, "b": 1e308}, "p": {"a": 1.0}}
    for measure in ("nCG", "Q", "NDCNG", "SR(ideal=retrieved)", "RelativeRelevance", "nERR(gains=linear)"):
        with pytest.raises(GradedError, match=r"topic '[qp]'.* vanish|vanishes beside .* topic 'q'"):
            parse_measure(measure).calc_aggregate(qrels, {"q": {"a": 1.0}})
    with pytest.raises(GradedError, match="vanishes beside the highest gain of the qrels"):
        parse_measure("nCG(unjudged='max')@3").calc_aggregate({"q": {"a": 1e-300}, "p": {"b": 1e308}}, RUN)


def test_judgments_of_qrels_without_relevant_documents_add_nothing():
    for measure in MEASURES:
        if highest := with_option(measure, "unjudged", "max"):
            assert by_topic(highest @ 5, {"q": {"d": 0}}, {"q": {"x": 1.0}}) == by_topic(
                measure @ 5, {"q": {"d": 0}}, {"q": {"x": 1.0}}
            )


def test_differences_of_large_gains_are_finite():
    found, plain = (
        ranges(qrels, {"one": LISTED, "other": {"q": {"x": 1.0, "c": 2.0}}}, "nDCG_Burges(gains=linear)@3")
        for qrels in (LARGE, SMALL)
    )
    assert found.differences[0].unjudged == pytest.approx(plain.differences[0].unjudged)


@pytest.mark.parametrize("measure", ["CG", "DCG_JK(avg=True)", "RBP_G(max_gain=1e300)", "Q(beta=1e308)"])
def test_a_sum_that_is_infinite_is_an_error(measure):
    with pytest.raises(GradedError, match=r"must be finite|a divisor is infinite|above max_gain"):
        parse_measure(measure).calc_aggregate(LARGE, {"q": {"b": 3.0, "c": 2.0, "a": 1.0}})
