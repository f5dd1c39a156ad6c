"""NDPM, KendallTau, Spearman and ADM: small cases computed by hand."""

from random import Random

import numpy as np
import pytest

from input_forms import shuffled
from ir_measures_graded import ADM, NDPM, GradedError, KendallTau, RelativeRelevance, Spearman

MOST = np.finfo(float).max


def value(measure, qrels, run):
    return measure.calc_aggregate({"q": qrels}, {"q": run})


ABC = {"a": 3, "b": 2, "c": 1}
AB_C = {"a": 4, "b": 1, "c": 0}


@pytest.mark.parametrize(
    ("measure", "qrels", "run", "expected"),
    [
        # A contradiction counts 1, a tie one half.
        (NDPM, ABC, {"a": 3, "b": 2, "c": 2}, 1 / 6),
        (NDPM, ABC, {"a": 3, "b": 1, "c": 2}, 2 / 6),
        (NDPM(performance=True), ABC, {"a": 3, "b": 1, "c": 2}, 4 / 6),
        # Scaled scores are compared with scaled gains; equal scores are scaled to 1.
        (ADM, AB_C, {"a": 30, "b": 15, "c": 10}, 1 - (0 + 0 + 0) / 3),
        (ADM(max_gain=8), AB_C, {"a": 30, "b": 15, "c": 10}, 1 - (1 / 2 + 1 / 8 + 0) / 3),
        (ADM(norm="none"), AB_C, {"a": 0.5, "b": 0.25, "c": 1}, 1 - 1.5 / 3),
        (ADM, {"a": 2, "b": 1}, {"a": 1e300, "b": 1e300}, 1 - (0 + 1 / 2) / 2),
        # Scores are 64-bit floats of any size.
        (ADM, {"a": 1, "b": 0}, {"a": 1 + 1e-12, "b": 1}, 1),
        (ADM, {"a": 2, "b": 0, "c": 1}, {"a": MOST, "b": -MOST, "c": 0}, 1),
    ],
)
def test_values_by_hand(measure, qrels, run, expected):
    assert value(measure, qrels, run) == pytest.approx(expected, rel=1e-14)


def test_pair_counts_above_32_bits():
    size = 70_000  # the number of pairs exceeds 32 bits
    user = {f"d{number}": number for number in range(size)}
    system = {doc: -level for doc, level in user.items()}
    assert value(NDPM, user, system) == 1
    assert value(KendallTau, user, user) == 1
    assert value(Spearman, user, user) == 1
    assert value(KendallTau(variant="a"), user, system) == -1
    assert value(Spearman, user, system) == -1


def test_cutoff_ignores_row_order_of_tied_unjudged():
    qrels = {"q": {"a": 3, "b": 1}}
    run = {"q": {"x": 0.5, "y": 0.5 + 1e-9, "z": 0.5 - 1e-9, "a": 0.2, "b": 0.1}}
    measure = ADM(norm="none", judged_only=False) @ 1
    wanted = 1 - (1 + 1 / 3 + (0.5 - 1e-9)) / 3  # z is first
    for seed in range(10):
        got = measure.calc_aggregate(qrels, shuffled(run, Random(seed)))
        assert got == pytest.approx(wanted, abs=1e-15)


UNSCALED = ADM(norm="none")
SCALED = ADM(norm="minmax")


@pytest.mark.parametrize(
    ("measure", "score", "rule"),
    [
        (UNSCALED, 1 + 1e-12, r"in \[0, 1\]"),
        (UNSCALED, -1e-12, r"in \[0, 1\]"),
        (UNSCALED, 7, r"in \[0, 1\]"),
        (UNSCALED, -1, r"in \[0, 1\]"),
        (SCALED, float("inf"), ""),
        (SCALED, -float("inf"), ""),
        (UNSCALED, float("inf"), ""),
        (UNSCALED, -float("inf"), ""),
    ],
    ids=str,
)
@pytest.mark.parametrize("changes", [{}, {"judged_only": False}, {"cutoff": 1}], ids=str)
@pytest.mark.parametrize("offender", ["judged", "unjudged"])
def test_scores_that_cannot_be_compared_are_an_error(measure, score, rule, changes, offender):
    qrels = {"fine": {"a": 1}, "bad": {"a": 1, "judged": 0}}
    # A negative score is after the cutoff.
    run = {"fine": {"a": 0.5}, "bad": {"a": 0.5, offender: score}}
    changed = measure(**changes)
    message = rf"ADM.*topic 'bad'.*document '{offender}'.*{score}.*{rule}"
    with pytest.raises(GradedError, match=message):
        changed.calc_aggregate(qrels, run)
    # Topics that are not evaluated may have any score.
    alone = changed.calc_aggregate({"fine": qrels["fine"]}, run)
    assert alone == (0.5 if measure["norm"] == "none" else 1)


@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1.0, 1e-300, 4e307])
def test_scaling_of_scores_is_exact_at_both_ends_of_the_range_of_floats(unit):
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    run = {"q": {"a": 3 * unit, "b": unit, "c": -unit}}
    assert ADM.calc_aggregate(qrels, run) == 1
    assert RelativeRelevance.calc_aggregate(qrels, run) == pytest.approx(1)
