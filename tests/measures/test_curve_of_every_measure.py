"""For every measure with a cutoff: all ranks in one pass are the cutoffs one by one."""

from functools import partial

import numpy as np
import pytest
from test_every_measure import QRELS, RUN, variants

from ir_measures_graded import GradedError, GradedEvaluator, GradedMeasure, Topics
from ir_measures_graded.measures import (
    AGR,
    CG,
    DCG_JK,
    MEASURES,
    MSR,
    NDCNG,
    NDPM,
    SR,
    WAP,
    Q,
    gP,
    gR,
    muAP,
    nCG,
    nDCG_JK,
)

DEPTH = 70  # beyond every list of the collection: its curves have to level off
ranked = pytest.mark.parametrize("measure", [m for m in MEASURES if m.CUTOFF], ids=str)


def values(measures, run):
    """Each measure's values (T), in the order of the measures."""
    evaluator = GradedEvaluator(measures, QRELS)
    found = np.array([metric.value for metric in evaluator.iter_calc(run)])
    return found.reshape(len(measures), len(QRELS))


def curves(measures, run, depth=DEPTH):
    return [curve for _, curve in GradedEvaluator(measures, QRELS).curves(run, depth)]


@ranked
@pytest.mark.parametrize("run", [RUN, {}], ids=["run", "empty run"])
def test_one_pass_gives_what_the_cutoffs_give_one_by_one(measure, run):
    uncut = list(dict.fromkeys(variant(cutoff=None) for variant in variants(measure)))
    for variant, curve in zip(uncut, curves(uncut, run)):
        one_by_one = values([variant @ k for k in range(1, DEPTH + 1)], run).T
        assert curve.shape == (len(QRELS), DEPTH)
        # Only the mean over ranks is added up in another order.
        exact = not variant.params.get("avg")
        np.testing.assert_allclose(
            curve, one_by_one, rtol=0 if exact else 1e-12, atol=0, err_msg=str(variant)
        )


@ranked
def test_the_curve_of_a_measure_without_one_of_its_own_is_the_same(measure):
    uncut = list(dict.fromkeys(variant(cutoff=None) for variant in variants(measure)))
    evaluator = GradedEvaluator(uncut, QRELS)
    plainly = evaluator.by_topic(
        RUN, lambda variant: partial(GradedMeasure.curve, variant, depth=12), (12,), cut=False
    )
    for (variant, plain), curve in zip(plainly.items(), curves(uncut, RUN, depth=12)):
        np.testing.assert_allclose(curve, plain, rtol=1e-12, atol=0, err_msg=str(variant))


def test_measures_that_are_running_sums_never_cut_the_lists(monkeypatch):
    monkeypatch.delattr(Topics, "cut")
    summed = [CG, DCG_JK, nCG, nDCG_JK, NDCNG, muAP, WAP, Q, AGR, SR, MSR, gP, gR]
    assert len(curves(summed, RUN)) == len(summed)
    with pytest.raises(GradedError, match="no attribute 'cut'"):
        curves([NDPM], RUN)


def test_a_cutoff_of_the_measure_itself_is_not_used():
    np.testing.assert_array_equal(*curves([nCG @ 2, nCG], RUN))


def test_each_measure_sees_its_own_gains_and_lists():
    mixed = [nCG, nCG(gains={1: 5}), nCG(judged_only=True), NDPM]
    for alone, together in zip([curves([measure], RUN)[0] for measure in mixed], curves(mixed, RUN)):
        np.testing.assert_array_equal(alone, together)


def test_measures_that_take_no_cutoff_have_no_curve():
    for measure in MEASURES:
        if not measure.CUTOFF:
            with pytest.raises(GradedError, match=f"{measure.NAME} has no cutoff"):
                curves([measure], RUN)


def curve_of(compute):
    class _Own(GradedMeasure):
        NAME = "Own"

        def curve(self, topics, depth):
            return compute(topics, depth)

    return curves([_Own()], RUN, depth=2)


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda topics, depth: np.zeros(topics.count), r"returned the shape \(8,\).*must be \(8, 2\)"),
        (lambda topics, depth: np.full((topics.count, depth), np.nan), "is nan for topic '1'"),
        (lambda topics, depth: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_what_a_curve_of_a_plugin_does_wrong_is_an_error_that_names_it(compute, message):
    with pytest.raises(GradedError, match="measure Own.*" + message):
        curve_of(compute)
