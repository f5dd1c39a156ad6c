"""NDPM, KendallTau, Spearman and ADM: small cases by hand, then everything against the plain reference."""

from random import Random

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_graded
import strategies
from input_forms import shuffled
from ir_measures_graded import ADM, NDPM, GradedError, KendallTau, Spearman

TAUS = [KendallTau(variant=variant) for variant in "abc"]
OF_ORDERS = [
    variant
    for measure in (NDPM, NDPM(performance=True), *TAUS, Spearman)
    for variant in (measure, measure(ties="rank"))
]
OF_DISTANCES = [ADM, ADM(max_gain=200), ADM(norm="none"), ADM(norm="none", max_gain=200)]


def value(measure, qrels, run):
    return measure.calc_aggregate({"q": qrels}, {"q": run})


def test_a_distance_counts_contradictions_whole_and_ties_half():
    user = {"a": 3, "b": 2, "c": 1}
    assert value(NDPM, user, {"a": 3, "b": 2, "c": 1}) == 0
    assert value(NDPM, user, {"a": 3, "b": 2, "c": 2}) == 1 / 6
    assert value(NDPM, user, {"a": 3, "b": 1, "c": 2}) == 2 / 6
    assert value(NDPM, user, {"a": 1, "b": 1, "c": 1}) == 0.5
    assert value(NDPM, user, {"a": 1, "b": 2, "c": 3}) == 1
    assert value(NDPM(performance=True), user, {"a": 3, "b": 1, "c": 2}) == pytest.approx(4 / 6)


def test_orders_among_what_the_user_ties_are_free_for_ndpm_but_not_for_correlations():
    user, strict, tied = {"a": 1, "b": 1, "c": 0}, {"a": 3, "b": 2, "c": 1}, {"a": 2, "b": 2, "c": 1}
    assert value(NDPM, user, strict) == value(NDPM, user, tied) == 0
    for measure in (KendallTau, Spearman):
        assert value(measure, user, strict) < value(measure, user, tied) == 1


def test_kendalls_three_treatments_of_ties():
    user, system = {"a": 2, "b": 1, "c": 1, "d": 0}, {"a": 4, "b": 3, "c": 2, "d": 2}
    # C⁺ = ab ac ad bd, Cᵘ = cd, Cˢ = bc
    a, b, c = (value(measure, user, system) for measure in TAUS)
    assert a == 4 / 6
    assert b == pytest.approx(4 / 5)
    assert c == pytest.approx(4 * 2 * 3 / (16 * 2))


def test_documents_that_were_not_retrieved_are_tied_below_the_others():
    user = {"a": 2, "b": 1, "c": 3, "d": 3}
    # C⁺: ab; C⁻: a and b against c and d, which are tied by both
    for ties in ("score", "rank"):
        assert value(NDPM(ties=ties), user, {"a": -5, "b": -6}) == 4 / 5
    assert value(KendallTau(variant="a"), user, {"a": 5, "b": 4}) == (1 - 4) / 6
    assert value(NDPM, user, {}) == 0.5


def test_documents_past_the_cutoff_are_tied_below_the_others():
    user, system = {"a": 1, "b": 2, "c": 3}, {"a": 3, "b": 2, "c": 1}
    assert value(NDPM @ 1, user, system) == (2 * 2 + 1) / 6
    assert value(NDPM @ 2, user, system) == value(NDPM @ 3, user, system) == 1
    # a cutoff between tied documents parts them: b comes before a
    assert value(NDPM @ 1, {"a": 2, "b": 1}, {"a": 1, "b": 1}) == 1
    assert value(NDPM @ 2, {"a": 2, "b": 1}, {"a": 1, "b": 1}) == 0.5


def test_unjudged_documents_are_left_out_unless_they_are_asked_for():
    user, system = {"a": 1, "b": 0}, {"x": 4, "a": 3, "y": 2, "b": 1}
    for measure in (NDPM, *TAUS, Spearman):
        assert value(measure, user, system) == value(measure, user, {"a": 3, "b": 1})
        with_them = value(measure(judged_only=False), user, system)
        assert with_them == value(measure, {**user, "x": 0, "y": 0}, system)
        assert with_them != value(measure, user, system)
    assert value(NDPM(judged_only=False), user, system) == 2 / 6
    # ranks are counted, and cut, in the list that is left
    assert value(NDPM @ 1, user, system) == 0
    assert value(NDPM(judged_only=False) @ 1, user, system) == (2 + 1) / 4


def test_scores_equal_as_32_bit_floats_are_tied_unless_ranks_decide():
    user, system = {"a": 1, "b": 2}, {"a": 1.0 + 1e-9, "b": 1.0}
    for measure, tied, ranked in ((NDPM, 0.5, 0), (KendallTau, 0, 1), (Spearman, 0, 1)):
        assert value(measure, user, system) == tied
        assert value(measure(ties="rank"), user, system) == ranked  # b before a: ids descending
    # infinities and zeros are such scores
    infinite = {"a": float("inf"), "b": 1e300, "c": -0.0, "d": 0.0}
    assert value(NDPM, {"a": 1, "b": 2, "c": 0, "d": -1}, infinite) == 1 / 10


def test_preferences_are_between_gains():
    system = {"a": 2, "b": 1}
    assert value(NDPM, {"a": -1, "b": -2}, system) == 0.5
    assert value(NDPM(gains={-2: 1}), {"a": -1, "b": -2}, system) == 1
    assert value(KendallTau(gains={1: 0}), {"a": 1, "b": 0}, system) == 0


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ({}, {}),
        ({}, {"x": 1}),
        ({"a": 1}, {"a": 1}),
        ({"a": 1, "b": 1}, {"a": 2, "b": 1}),
        ({"a": 0, "b": -1}, {"a": 2, "b": 1}),
    ],
)
def test_without_preferences(qrels, run):
    assert value(NDPM, qrels, run) == value(NDPM(performance=True), qrels, run) == 0.5
    for measure in (*TAUS, Spearman):
        assert value(measure, qrels, run) == 0


def test_without_preferences_in_any_topic():
    qrels = {topic: {"a": 1, "b": 1, "c": 1} for topic in ("one", "two", "three")}
    run = {topic: {"a": 3, "b": 2} for topic in qrels}
    for measure in (*TAUS, Spearman):
        assert [metric.value for metric in measure.iter_calc(qrels, run)] == [0, 0, 0]


def test_an_order_without_preferences_of_the_system_correlates_with_nothing():
    for measure in (*TAUS, Spearman):
        assert value(measure, {"a": 1, "b": 2}, {"a": 1, "b": 1}) == 0
        assert value(measure, {"a": 1, "b": 2}, {}) == measure.DEFAULT == 0
    assert value(NDPM, {"a": 1, "b": 2}, {}) == NDPM.DEFAULT == 0.5


def test_ndpm_is_a_distance_unless_it_is_a_performance():
    assert NDPM.smaller_is_better
    assert not NDPM(performance=True).smaller_is_better
    assert not any(measure.smaller_is_better for measure in (*TAUS, Spearman, ADM))


def test_large_topics_count_all_their_pairs():
    size = 70_000  # more pairs than a 32-bit number holds
    user = {f"d{number}": number for number in range(size)}
    system = {doc: -level for doc, level in user.items()}
    assert value(NDPM, user, system) == 1
    assert value(KendallTau, user, user) == value(Spearman, user, user) == 1
    assert value(KendallTau(variant="a"), user, system) == value(Spearman, user, system) == -1


# ADM


def test_distances_are_between_scores_and_gains_scaled_to_1():
    user = {"a": 4, "b": 1, "c": 0}
    assert value(ADM, user, {"a": 30, "b": 15, "c": 10}) == pytest.approx(1 - (0 + 0 + 0) / 3)
    assert value(ADM, user, {"a": 10, "b": 15, "c": 30}) == pytest.approx(1 - (1 + 0 + 1) / 3)
    assert value(ADM(max_gain=8), user, {"a": 30, "b": 15, "c": 10}) == pytest.approx(
        1 - (1 / 2 + 1 / 8 + 0) / 3
    )
    assert value(ADM(norm="none"), user, {"a": 0.5, "b": 0.25, "c": 1}) == pytest.approx(1 - 1.5 / 3)


def test_not_retrieved_documents_have_the_score_0():
    user = {"a": 4, "b": 1, "c": 0, "d": 2}
    assert value(ADM, user, {"b": 1, "a": 3}) == pytest.approx(1 - (0 + 1 / 4 + 0 + 1 / 2) / 4)
    assert value(ADM @ 1, user, {"a": 3, "d": 2, "b": 1}) == value(ADM, user, {"a": 3, "x": 1})
    assert value(ADM, user, {}) == pytest.approx(1 - (1 + 1 / 4 + 1 / 2) / 4)


def test_equal_scores_are_1_under_minmax():
    for score in (0, -7, 1e300):
        assert value(ADM, {"a": 2, "b": 1}, {"a": score, "b": score}) == 1 - (0 + 1 / 2) / 2
        assert value(ADM, {"a": 2, "b": 1}, {"a": score}) == 1 - (0 + 1 / 2) / 2


def test_scores_are_scaled_before_anything_is_left_out():
    user = {"a": 2, "b": 1}
    # x and y, unjudged, hold the ends of the scale; so do documents past the cutoff
    run = {"x": 30, "a": 20, "b": 15, "y": 10}
    assert value(ADM, user, run) == pytest.approx(1 - (1 / 2 + 1 / 4) / 2)
    assert value(ADM @ 1, user, run) == pytest.approx(1 - (1 / 2 + 1 / 2) / 2)
    assert value(ADM(judged_only=False), user, run) == pytest.approx(1 - (1 + 1 / 2 + 1 / 4 + 0) / 4)
    assert value(ADM(judged_only=False) @ 1, user, run) == pytest.approx(1 - (1 + 1 + 1 / 2) / 3)


def test_distances_are_of_64_bit_scores():
    assert value(ADM, {"a": 1, "b": 0}, {"a": 1 + 1e-12, "b": 1}) == 1


def test_scores_at_the_ends_of_the_floats_are_scaled():
    most = np.finfo(float).max
    assert value(ADM, {"a": 2, "b": 0, "c": 1}, {"a": most, "b": -most, "c": 0}) == 1


def test_an_order_of_rows_does_not_show_through_a_cutoff_among_tied_unjudged_documents():
    qrels = {"q": {"a": 3, "b": 1}}
    run = {"q": {"x": 0.5, "y": 0.5 + 1e-9, "z": 0.5 - 1e-9, "a": 0.2, "b": 0.1}}
    measure = ADM(norm="none", judged_only=False) @ 1
    wanted = 1 - (1 + 1 / 3 + (0.5 - 1e-9)) / 3  # z is first
    for seed in range(10):
        got = measure.calc_aggregate(qrels, shuffled(run, Random(seed)))
        assert got == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize("score", [1 + 1e-12, -1e-12, 7, -1])
@pytest.mark.parametrize(
    "measure",
    [ADM(norm="none"), ADM(norm="none", judged_only=False), ADM(norm="none") @ 1],
    ids=str,
)
@pytest.mark.parametrize("offender", ["judged", "unjudged"])
def test_scores_outside_0_to_1_are_refused_where_they_are_not_scaled(measure, score, offender):
    qrels = {"fine": {"a": 1}, "bad": {"a": 1, "judged": 0}}
    run = {"fine": {"a": 0.5}, "bad": {"a": 0.5, offender: score}}  # past the cutoff where negative
    with pytest.raises(GradedError, match=rf"ADM.*topic 'bad'.*document '{offender}'.*{score}.*in \[0, 1\]"):
        measure.calc_aggregate(qrels, run)
    assert ADM.calc_aggregate(qrels, run) > 0
    assert measure.calc_aggregate({"fine": qrels["fine"]}, run) == 0.5  # topics not asked for may have any


@pytest.mark.parametrize("score", [float("inf"), float("-inf")])
@pytest.mark.parametrize("norm", ["minmax", "none"])
@pytest.mark.parametrize("cutoff", [None, 1])
@pytest.mark.parametrize("offender", ["judged", "unjudged"])
def test_infinite_scores_are_refused(score, norm, cutoff, offender):
    qrels = {"fine": {"a": 1}, "bad": {"a": 1, "judged": 0}}
    run = {"fine": {"a": 0.5}, "bad": {"a": 0.5, offender: score}}
    with pytest.raises(GradedError, match=rf"ADM.*topic 'bad'.*document '{offender}'.*{score}"):
        ADM(norm=norm, cutoff=cutoff).calc_aggregate(qrels, run)


def test_adm_has_no_ties_two_norms_and_any_positive_max_gain():
    assert value(ADM(max_gain=0.5), {"a": 0.25, "b": 0}, {"a": 2, "b": 1}) == 1 - 0.5 / 2
    with pytest.raises(GradedError, match=r"ADM: max_gain=0 is not allowed.*> 0"):
        ADM(max_gain=0)
    with pytest.raises(GradedError, match="ADM has no parameter 'ties'"):
        ADM(ties="rank")
    with pytest.raises(GradedError, match=r"ADM: norm='max' is not allowed.*'minmax', 'none'"):
        ADM(norm="max")


def test_adm_of_a_topic_without_relevant_documents_is_0():
    for measure in OF_DISTANCES:
        assert value(measure, {"a": 0, "b": -1}, {"a": 1, "b": 0.5}) == value(measure, {}, {"a": 1}) == 0


def test_adm_is_computed_for_topics_that_the_run_lacks():
    assert ADM.DEFAULT is None
    qrels = {"rich": {"a": 2, "b": 2}, "poor": {"a": 2, "b": 0, "c": 0, "d": 0}}
    assert {m.query_id: m.value for m in ADM.iter_calc(qrels, {})} == {"rich": 0, "poor": 0.75}


@given(
    strategies.collections(),
    strategies.GAINS,
    st.sampled_from([None, 1, 2, 5, 30]),
    st.booleans(),
)
def test_all_orders_have_the_values_of_the_plain_reference(collection, gains, cutoff, judged_only):
    qrels, run = collection
    measures = [measure(gains=gains, cutoff=cutoff, judged_only=judged_only) for measure in OF_ORDERS]
    for topic, measure, got in ir_measures.iter_calc(measures, qrels, run):
        expected = reference_graded.value(measure, qrels[topic], run.get(topic, {}))
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(
    strategies.collections(scores=strategies.UNIT_SCORES | st.floats(0, 1)),
    strategies.GAINS,
    st.sampled_from([None, 1, 2, 5, 30]),
    st.booleans(),
)
def test_all_distances_have_the_values_of_the_plain_reference(collection, gains, cutoff, judged_only):
    qrels, run = collection
    measures = [measure(gains=gains, cutoff=cutoff, judged_only=judged_only) for measure in OF_DISTANCES]
    for topic, measure, got in ir_measures.iter_calc(measures, qrels, run):
        expected = reference_graded.value(measure, qrels[topic], run.get(topic, {}))
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("grades", [2, 4, 50, 1000])
def test_long_lists_have_the_values_of_two_loops_over_all_pairs(grades):
    random = Random(grades)
    docs = [f"d{number}" for number in range(300)]
    qrels = {
        topic: {doc: random.randrange(grades) for doc in random.sample(docs, size)}
        for topic, size in (("many", 250), ("few", 5), ("power of two", 128))
    }
    run = {topic: {doc: random.randrange(grades) for doc in random.sample(docs, 200)} for topic in qrels}
    measures = [*OF_ORDERS, *(m(judged_only=False) @ 100 for m in OF_ORDERS)]
    for topic, measure, got in ir_measures.iter_calc(measures, qrels, run):
        expected = reference_graded.value(measure, qrels[topic], run[topic])
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_many_small_topics_have_the_values_of_the_plain_reference():
    measures = [*OF_ORDERS, *OF_DISTANCES]
    with_unjudged = [m(judged_only=False) for m in measures]
    reference_graded.assert_small_topics([*measures, *with_unjudged, *(m @ 3 for m in with_unjudged)])
