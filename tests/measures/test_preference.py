"""NDPM, KendallTau, Spearman and ADM: small cases computed by hand."""

from random import Random

import numpy as np
import pytest

from input_forms import shuffled
from ir_measures_graded import ADM, NDPM, GradedError, KendallTau, Spearman

TAUS = [KendallTau(variant=variant) for variant in "abc"]


def value(measure, qrels, run):
    return measure.calc_aggregate({"q": qrels}, {"q": run})


def test_ndpm_counts_a_contradiction_as_1_and_a_tie_as_one_half():
    user = {"a": 3, "b": 2, "c": 1}
    assert value(NDPM, user, {"a": 3, "b": 2, "c": 1}) == 0
    assert value(NDPM, user, {"a": 3, "b": 2, "c": 2}) == 1 / 6
    assert value(NDPM, user, {"a": 3, "b": 1, "c": 2}) == 2 / 6
    assert value(NDPM, user, {"a": 1, "b": 1, "c": 1}) == 0.5
    assert value(NDPM, user, {"a": 1, "b": 2, "c": 3}) == 1
    assert value(NDPM(performance=True), user, {"a": 3, "b": 1, "c": 2}) == pytest.approx(4 / 6)


def test_ordering_documents_that_the_user_ties_lowers_correlations_but_not_ndpm():
    user, strict, tied = {"a": 1, "b": 1, "c": 0}, {"a": 3, "b": 2, "c": 1}, {"a": 2, "b": 2, "c": 1}
    assert value(NDPM, user, strict) == value(NDPM, user, tied) == 0
    for measure in (KendallTau, Spearman):
        assert value(measure, user, strict) < value(measure, user, tied) == 1


def test_unjudged_documents_are_left_out_by_default():
    user, system = {"a": 1, "b": 0}, {"x": 4, "a": 3, "y": 2, "b": 1}
    for measure in (NDPM, *TAUS, Spearman):
        assert value(measure, user, system) == value(measure, user, {"a": 3, "b": 1})
        with_them = value(measure(judged_only=False), user, system)
        assert with_them == value(measure, {**user, "x": 0, "y": 0}, system)
        assert with_them != value(measure, user, system)
    assert value(NDPM(judged_only=False), user, system) == 2 / 6
    # The cutoff applies to the list of judged documents.
    assert value(NDPM @ 1, user, system) == 0
    assert value(NDPM(judged_only=False) @ 1, user, system) == (2 + 1) / 4


def test_scores_that_are_equal_as_32_bit_floats_are_tied_by_default():
    user, system = {"a": 1, "b": 2}, {"a": 1.0 + 1e-9, "b": 1.0}
    for measure, tied, ranked in ((NDPM, 0.5, 0), (KendallTau, 0, 1), (Spearman, 0, 1)):
        assert value(measure, user, system) == tied
        assert value(measure(tied_by="rank"), user, system) == ranked  # b before a: ids descending
    # 1e300 is infinite as a 32-bit float, and −0 equals 0.
    infinite = {"a": float("inf"), "b": 1e300, "c": -0.0, "d": 0.0}
    assert value(NDPM, {"a": 1, "b": 2, "c": 0, "d": -1}, infinite) == 1 / 10


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
def test_topics_without_a_preference(qrels, run):
    assert value(NDPM, qrels, run) == value(NDPM(performance=True), qrels, run) == 0.5
    for measure in (*TAUS, Spearman):
        assert value(measure, qrels, run) == 0


def test_pair_counts_above_32_bits():
    size = 70_000  # the number of pairs exceeds 32 bits
    user = {f"d{number}": number for number in range(size)}
    system = {doc: -level for doc, level in user.items()}
    assert value(NDPM, user, system) == 1
    assert value(KendallTau, user, user) == value(Spearman, user, user) == 1
    assert value(KendallTau(variant="a"), user, system) == value(Spearman, user, system) == -1


def test_adm_compares_scaled_scores_with_scaled_gains():
    user = {"a": 4, "b": 1, "c": 0}
    assert value(ADM, user, {"a": 30, "b": 15, "c": 10}) == pytest.approx(1 - (0 + 0 + 0) / 3)
    assert value(ADM, user, {"a": 10, "b": 15, "c": 30}) == pytest.approx(1 - (1 + 0 + 1) / 3)
    assert value(ADM(max_gain=8), user, {"a": 30, "b": 15, "c": 10}) == pytest.approx(
        1 - (1 / 2 + 1 / 8 + 0) / 3
    )
    assert value(ADM(norm="none"), user, {"a": 0.5, "b": 0.25, "c": 1}) == pytest.approx(1 - 1.5 / 3)


def test_equal_scores_are_scaled_to_1():
    for score in (0, -7, 1e300):
        assert value(ADM, {"a": 2, "b": 1}, {"a": score, "b": score}) == 1 - (0 + 1 / 2) / 2
        assert value(ADM, {"a": 2, "b": 1}, {"a": score}) == 1 - (0 + 1 / 2) / 2


def test_scores_are_scaled_before_documents_are_left_out():
    user = {"a": 2, "b": 1}
    # The unjudged x and y and the documents after the cutoff define the scale.
    run = {"x": 30, "a": 20, "b": 15, "y": 10}
    assert value(ADM, user, run) == pytest.approx(1 - (1 / 2 + 1 / 4) / 2)
    assert value(ADM @ 1, user, run) == pytest.approx(1 - (1 / 2 + 1 / 2) / 2)
    assert value(ADM(judged_only=False), user, run) == pytest.approx(1 - (1 + 1 / 2 + 1 / 4 + 0) / 4)
    assert value(ADM(judged_only=False) @ 1, user, run) == pytest.approx(1 - (1 + 1 + 1 / 2) / 3)


def test_adm_uses_64_bit_scores():
    assert value(ADM, {"a": 1, "b": 0}, {"a": 1 + 1e-12, "b": 1}) == 1


def test_the_largest_floats_can_be_scaled():
    most = np.finfo(float).max
    assert value(ADM, {"a": 2, "b": 0, "c": 1}, {"a": most, "b": -most, "c": 0}) == 1


def test_cutoff_ignores_row_order_of_tied_unjudged():
    qrels = {"q": {"a": 3, "b": 1}}
    run = {"q": {"x": 0.5, "y": 0.5 + 1e-9, "z": 0.5 - 1e-9, "a": 0.2, "b": 0.1}}
    measure = ADM(norm="none", judged_only=False) @ 1
    wanted = 1 - (1 + 1 / 3 + (0.5 - 1e-9)) / 3  # z is first
    for seed in range(10):
        got = measure.calc_aggregate(qrels, shuffled(run, Random(seed)))
        assert got == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize("score", [1 + 1e-12, -1e-12, 7, -1])
@pytest.mark.parametrize(
    "measure", [ADM(norm="none"), ADM(norm="none", judged_only=False), ADM(norm="none") @ 1], ids=str
)
@pytest.mark.parametrize("offender", ["judged", "unjudged"])
def test_unscaled_scores_outside_0_to_1_are_an_error(measure, score, offender):
    qrels = {"fine": {"a": 1}, "bad": {"a": 1, "judged": 0}}
    run = {"fine": {"a": 0.5}, "bad": {"a": 0.5, offender: score}}  # a negative score is after the cutoff
    with pytest.raises(GradedError, match=rf"ADM.*topic 'bad'.*document '{offender}'.*{score}.*in \[0, 1\]"):
        measure.calc_aggregate(qrels, run)
    assert ADM.calc_aggregate(qrels, run) > 0
    assert measure.calc_aggregate({"fine": qrels["fine"]}, run) == 0.5  # other topics may have any score


@pytest.mark.parametrize("score", [float("inf"), float("-inf")])
@pytest.mark.parametrize("norm", ["minmax", "none"])
@pytest.mark.parametrize("cutoff", [None, 1])
@pytest.mark.parametrize("offender", ["judged", "unjudged"])
def test_infinite_scores_are_an_error(score, norm, cutoff, offender):
    qrels = {"fine": {"a": 1}, "bad": {"a": 1, "judged": 0}}
    run = {"fine": {"a": 0.5}, "bad": {"a": 0.5, offender: score}}
    with pytest.raises(GradedError, match=rf"ADM.*topic 'bad'.*document '{offender}'.*{score}"):
        ADM(norm=norm, cutoff=cutoff).calc_aggregate(qrels, run)
