"""Confidence intervals and detectable differences: peers and edge cases."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from evaluations import of_array
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ir_measures_graded import demo
from ir_measures_graded.analysis import compare, evaluate
from ir_measures_graded.analysis.group_means import group_means
from ir_measures_graded.analysis.mean_intervals import Intervals, intervals
from ir_measures_graded.analysis.statistics.student import (
    KINDS,
    FewTopicsWarning,
    chance_to_find,
    detectable_effect,
    mean_interval,
)

scipy = pytest.importorskip("scipy", reason="SciPy is not installed")
stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
weightstats = pytest.importorskip(
    "statsmodels.stats.weightstats", reason="statsmodels is not installed"
)

VALUES = np.random.default_rng(7).beta(2, 3, size=(2, 30))


def test_the_bootstrap_equals_that_of_scipy():
    def peers_interval(values):
        peer = stats.bootstrap(
            (values,),
            np.mean,
            n_resamples=9999,
            method="BCa",
            confidence_level=0.9,
            random_state=np.random.default_rng(5),
        )
        return tuple(peer.confidence_interval)

    for values in VALUES:
        interval = mean_interval(values, 0.9, "bca", seed=5)
        assert interval == pytest.approx(peers_interval(values), abs=0.004)
        # The values of a resample are those of SciPy only if they are in order.
        assert interval == pytest.approx(peers_interval(np.sort(values)), rel=1e-9)


@given(
    arrays(
        np.float64,
        st.integers(2, 12),
        elements=st.floats(-1e6, 1e6) | st.sampled_from([0, 1, 1e-300]),
    ),
    st.sampled_from(list(KINDS)),
)
def test_bounds_are_finite_and_in_order(values, method):
    lower, upper = mean_interval(values, 0.95, method)
    assert np.isfinite([lower, upper]).all()
    assert lower <= upper


@pytest.mark.parametrize("method", KINDS)
def test_values_that_differ_by_rounding_only_have_an_interval_without_width(method):
    lower, upper = mean_interval(np.array([0.3, 0.1 + 0.2, 0.3]), 0.95, method)
    assert lower == upper == pytest.approx(0.3)


def test_detectable_effects_are_found_with_the_given_power():
    effect = detectable_effect(10, alpha=0.01, power=0.7)
    samples = np.random.default_rng(2).normal(effect, 1, (20_000, 10))
    is_significant = stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.01
    assert is_significant.mean() == pytest.approx(0.7, abs=0.01)
    for topics, alpha in product((2, 3, 4), (0.001, 1e-9)):  # statsmodels fails for some of these
        chance = chance_to_find(detectable_effect(topics, alpha), topics, alpha)
        assert chance == pytest.approx(0.8, rel=1e-5)  # older SciPy has fewer exact digits here
    # With 2 topics, t is the quotient of a number near 1e6 and the absolute value of a normal
    # variable. The non-central t of older SciPy is inexact there.
    major, minor = scipy.__version__.split(".")[:2]
    if (int(major), int(minor)) >= (1, 15):
        expected = 2 * stats.norm.cdf(np.pi / 2) - 1
        assert chance_to_find(1e6 / 2**0.5, 2, 1e-6) == pytest.approx(expected, rel=1e-4)


def test_the_bootstrap_of_few_topics_warns():
    with pytest.warns(FewTopicsWarning, match="over 24 topics are too narrow; use Student's t"):
        intervals(of_array(VALUES[:, :24]), method="bca")
    assert intervals(of_array(VALUES[:, :25]), method="bca").method == "bca"


@pytest.mark.parametrize("changed", [0, 3, 9, 10])
def test_few_changes_widen_the_interval_of_a_mean(changed):
    values = 0.0 + (np.arange(50) < changed)
    interval = intervals(of_array(values[None], "RR@10")).of("A", "RR@10")
    if changed < 10:
        values = np.append(values, [0, 1])
    lower, upper = weightstats.DescrStatsW(values).tconfint_mean(0.05)
    assert interval == pytest.approx((max(lower, 0), min(upper, 1)))


def test_every_output_names_the_intervals_with_two_more_values():
    few = 0.0 + (np.arange(50) < 3)
    many = 0.0 + (np.arange(50) < 30)
    evaluation = of_array([few, many], "RR@10")
    result = intervals(evaluation)
    assert [record["few_changes"] for record in result.records()] == [True, False]
    names = "Student's t of the values and two more, at the ends of the range of the measure: "
    for form in ("text", "markdown", "latex"):
        text = " ".join(" ".join(result.lines(form)).split())
        assert "(Student's t, for 1 of 2 with two more values)" in text.replace(r"\ ", " ")
        assert f"{names}RR@10 of A." in text
    groups = group_means(evaluation, dict.fromkeys(evaluation.topics, "all"), 0.95)
    assert f"{names}RR@10 (all topics) of A; RR@10 (all) of A." in " ".join(str(groups).split())
    assert [mean.few_changes for mean in groups.means] == [True, True, False, False]
    plain = intervals(of_array([many], "RR@10"))
    assert not plain.few_changes.any()
    assert "two more" not in str(plain)


def test_every_run_and_measure_of_an_evaluation_has_its_interval():
    evaluation = evaluate(demo.qrels_path(), demo.run_paths(), ["nDCG_JK@10", "NumRet", "P@5"])
    result = intervals(evaluation, 0.9, "t")
    assert isinstance(result, Intervals)
    np.testing.assert_allclose(result.values, evaluation.means(), rtol=1e-12)
    peer = weightstats.DescrStatsW(evaluation.of("P@5")[2]).tconfint_mean(0.1)
    assert result.of("C", "P@5") == pytest.approx(peer)
    retrieved = result.of("B", "NumRet")  # a sum: B retrieves nothing for one of 20 topics
    assert np.isnan(retrieved).all()
    assert result.records()[6]["lower"] is None
    columns = ["measure", "run", "value", "lower", "upper", "topics", "few_changes"]
    assert list(result.records()[0]) == columns
    assert [record["run"] for record in result.records()] == list("ABCDE") * 3


def test_topics_without_a_value_are_left_out():
    unreported = np.array([[False, False, True, False]])
    result = intervals(of_array([[0.2, 0.4, 0.0, 0.6]], "faith", unreported))
    assert result.of("A", "faith") == mean_interval(np.array([0.2, 0.4, 0.6]))
    assert result.topics.item() == 3
    assert result.values.item() == pytest.approx(0.4)


@pytest.mark.parametrize("runs", [("b", "c", "a"), ("c", "a", "b")])
def test_runs_of_equal_means_are_sorted_by_name(runs):
    values = {"a": [0.3, 0.0], "b": [0.1 + 0.2, 0.0], "c": [1.0, 0.5]}
    evaluation = replace(of_array([values[run] for run in runs]), runs=runs)
    (measure,) = evaluation.measures
    assert [runs[row] for row in evaluation.best_first()] == ["c", "a", "b"]
    assert compare(evaluation).best_first(measure) == ["c", "a", "b"]
    equal = evaluation.part([run for run in runs if run != "c"], evaluation.measures)
    assert str(equal.headline()).startswith("a and b have the best")
    assert str(intervals(equal).headline).startswith("a and b have the best")
