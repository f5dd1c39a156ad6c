"""NDPM, KendallTau, Spearman and ADM: small cases computed by hand."""

from random import Random

import numpy as np
import pytest

from input_forms import shuffled
from ir_measures_graded import ADM, NDPM, GradedError, KendallTau, Spearman

MOST = np.finfo(float).max
TAUS = [KendallTau(variant=variant) for variant in "abc"]


def value(measure, qrels, run):
    return measure.calc_aggregate({"q": qrels}, {"q": run})


ABC = {"a": 3, "b": 2, "c": 1}
AB_C = {"a": 4, "b": 1, "c": 0}


@pytest.mark.parametrize(
    ("measure", "qrels", "run", "expected"),
    [
        # A contradiction counts 1, a tie one half.
        (NDPM, ABC, {"a": 3, "b": 2, "c": 1}, 0),
        (NDPM, ABC, {"a": 3, "b": 2, "c": 2}, 1 / 6),
        (NDPM, ABC, {"a": 3, "b": 1, "c": 2}, 2 / 6),
        (NDPM, ABC, {"a": 1, "b": 1, "c": 1}, 0.5),
        (NDPM(performance=True), ABC, {"a": 3, "b": 1, "c": 2}, 4 / 6),
        # Scaled scores are compared with scaled gains; equal scores are scaled to 1.
        (ADM, AB_C, {"a": 30, "b": 15, "c": 10}, 1 - (0 + 0 + 0) / 3),
        (ADM, AB_C, {"a": 10, "b": 15, "c": 30}, 1 - (1 + 0 + 1) / 3),
        (ADM(max_gain=8), AB_C, {"a": 30, "b": 15, "c": 10}, 1 - (1 / 2 + 1 / 8 + 0) / 3),
        (ADM(norm="none"), AB_C, {"a": 0.5, "b": 0.25, "c": 1}, 1 - 1.5 / 3),
        (ADM, {"a": 2, "b": 1}, {"a": 1e300, "b": 1e300}, 1 - (0 + 1 / 2) / 2),
        (ADM, {"a": 2, "b": 1}, {"a": -7}, 1 - (0 + 1 / 2) / 2),
        # Scores are 64-bit floats of any size.
        (ADM, {"a": 1, "b": 0}, {"a": 1 + 1e-12, "b": 1}, 1),
        (ADM, {"a": 2, "b": 0, "c": 1}, {"a": MOST, "b": -MOST, "c": 0}, 1),
    ],
)
def test_values_by_hand(measure, qrels, run, expected):
    assert value(measure, qrels, run) == pytest.approx(expected, rel=1e-14)


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


def test_scores_are_scaled_before_documents_are_left_out():
    user = {"a": 2, "b": 1}
    # The unjudged x and y and the documents after the cutoff define the scale.
    run = {"x": 30, "a": 20, "b": 15, "y": 10}
    assert value(ADM, user, run) == pytest.approx(1 - (1 / 2 + 1 / 4) / 2)
    assert value(ADM @ 1, user, run) == pytest.approx(1 - (1 / 2 + 1 / 2) / 2)
    assert value(ADM(judged_only=False), user, run) == pytest.approx(1 - (1 + 1 / 2 + 1 / 4 + 0) / 4)
    assert value(ADM(judged_only=False) @ 1, user, run) == pytest.approx(1 - (1 + 1 + 1 / 2) / 3)


def test_cutoff_ignores_row_order_of_tied_unjudged():
    qrels = {"q": {"a": 3, "b": 1}}
    run = {"q": {"x": 0.5, "y": 0.5 + 1e-9, "z": 0.5 - 1e-9, "a": 0.2, "b": 0.1}}
    measure = ADM(norm="none", judged_only=False) @ 1
    wanted = 1 - (1 + 1 / 3 + (0.5 - 1e-9)) / 3  # z is first
    for seed in range(10):
        got = measure.calc_aggregate(qrels, shuffled(run, Random(seed)))
        assert got == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "score", "rule"),
    [
        *((ADM(norm="none"), score, r"in \[0, 1\]") for score in (1 + 1e-12, -1e-12, 7, -1)),
        *(
            (ADM(norm=norm), score, "")
            for norm in ("minmax", "none")
            for score in (float("inf"), -float("inf"))
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("changes", [{}, {"judged_only": False}, {"cutoff": 1}], ids=str)
@pytest.mark.parametrize("offender", ["judged", "unjudged"])
def test_scores_that_cannot_be_compared_are_an_error(measure, score, rule, changes, offender):
    qrels = {"fine": {"a": 1}, "bad": {"a": 1, "judged": 0}}
    run = {"fine": {"a": 0.5}, "bad": {"a": 0.5, offender: score}}  # a negative score is after the cutoff
    with pytest.raises(GradedError, match=rf"ADM.*topic 'bad'.*document '{offender}'.*{score}.*{rule}"):
        measure(**changes).calc_aggregate(qrels, run)
    alone = measure(**changes).calc_aggregate({"fine": qrels["fine"]}, run)
    assert alone == (0.5 if measure["norm"] == "none" else 1)  # other topics may have any score
