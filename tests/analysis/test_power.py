"""Discriminative power and topic-set size: against the tests themselves, statsmodels and simulation."""

from itertools import combinations

import numpy as np
import pytest
from evaluations import of_array

from ir_measures_graded import demo
from ir_measures_graded.analysis import compare_values, evaluate
from ir_measures_graded.analysis.compare import TUKEY_HSD
from ir_measures_graded.analysis.power import TESTS, pooled_deviation, power_of_values

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
statsmodels_power = pytest.importorskip("statsmodels.stats.power", reason="statsmodels is not installed")
pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")

MEASURES = ["nDCG_JK@10", "nDCG_JK@100", "P@5"]


@pytest.fixture(scope="module")
def values():
    return evaluate(demo.qrels_path(), demo.run_paths(), MEASURES)


@pytest.fixture(scope="module")
def found(values):
    return power_of_values(values, permutations=500, differences=[0.05, 0.2])


def test_the_tests_equal_those_of_compare(values, found):
    compared = compare_values(values, tests=["tukey"], permutations=500)
    for measure in MEASURES:
        tests = compared.find(measure, TUKEY_HSD)
        records = [record for record in found.pair_records() if record["measure"] == measure]
        assert [(record["run"], record["other"]) for record in records] == found.pairs
        by_pair = {frozenset((test.run, test.other)): test.p for test in tests}
        assert {frozenset((record["run"], record["other"])): record["p"] for record in records} == by_pair
        assert found.share(measure) == np.mean([test.p < 0.05 for test in tests])
        assert found.share(measure, 0.001) == np.mean([test.p < 0.001 for test in tests])


@pytest.mark.parametrize("test", ["t", "t-holm", "wilcoxon", "wilcoxon-holm"])
def test_paired_tests_equal_those_of_scipy_and_name_their_correction(values, test):
    found = power_of_values(values, test=test)
    peer = stats.ttest_rel if test.startswith("t") else stats.wilcoxon
    array = values.of(MEASURES[0])
    expected = np.array([peer(array[a], array[b]).pvalue for a, b in combinations(range(5), 2)])
    if test.endswith("-holm"):
        assert found.correction == "Holm's correction for 10 comparisons"
        ordered = np.sort(expected) * np.arange(10, 0, -1)
        assert np.sort(found.p_values[0]) == pytest.approx(np.maximum.accumulate(ordered).clip(max=1))
    else:
        assert found.correction == "not corrected for 10 comparisons"
        assert found.p_values[0] == pytest.approx(expected, rel=1e-6)


def test_the_pooled_variance_is_the_mean_over_the_pairs_and_twice_the_residual(values):
    array = values.of("nDCG_JK@10")
    variances = [(array[a] - array[b]).var(ddof=1) for a, b in combinations(range(5), 2)]
    assert pooled_deviation(array) ** 2 == pytest.approx(np.mean(variances))


def test_topic_set_sizes_equal_those_of_statsmodels(found):
    solve = statsmodels_power.TTestPower().solve_power
    for measure, deviation in zip(MEASURES, found.deviations):
        for difference in (0.05, 0.1, 0.2):
            topics = solve(effect_size=difference / deviation, alpha=0.05, power=0.8)
            assert found.topics_for(measure, difference) == np.ceil(topics)
        reach = found.detectable(measure)
        assert reach == pytest.approx(deviation * solve(nobs=20, alpha=0.05, power=0.8), rel=1e-4)
        assert (found.topics_for(measure, 1.001 * reach), found.topics_for(measure, 0.999 * reach)) == (
            20,
            21,
        )


def test_the_wanted_difference_is_found_with_the_given_power(found):
    topics, deviation = found.topics_for("P@5", 0.2), found.deviations[2]
    drawn = np.random.default_rng(3).normal(0.2, deviation, (10_000, topics))
    assert (stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_tables_put_the_most_discriminating_measure_first(found):
    columns, rows = found.table()
    assert columns[1:] == [
        "share p < 0.05",
        "pairs",
        "detectable difference",
        "topics for 0.05",
        "topics for 0.2",
        "test",
    ]
    assert {row[-1] for row in rows} == {"randomised Tukey HSD, corrected for 10 comparisons"}
    assert [row[1] for row in rows] == sorted((found.share(measure) for measure in MEASURES), reverse=True)
    records = found.records()
    assert [record["measure"] for record in records] == MEASURES
    assert records[0]["topics_0.05"] == found.topics_for(MEASURES[0], 0.05)
    assert records[0]["significant"] == round(10 * records[0]["discriminative_power"])


def test_equal_runs_are_not_told_apart():
    for test in TESTS:
        found = power_of_values(of_array([[1, 2, 3], [1, 2, 3]], "CG"), test=test, permutations=50)
        assert (found.share("CG"), found.detectable("CG"), found.topics_for("CG", 0.1)) == (0, 0, 2)
        assert found.correction == "one comparison"


def test_a_difference_out_of_reach_has_no_number_of_topics():
    found = power_of_values(of_array([[1, 2, 3], [3, 1, 2]], "CG"), permutations=9, differences=[1e-9])
    assert found.topics_for("CG", 1e-9) is None
    assert found.records()[0]["topics_1e-09"] is None


def test_the_figure_has_a_curve_per_measure(found):
    (axes,) = found.figure().axes
    curves = axes.lines[: len(MEASURES)]
    assert [line.get_label() for line in curves] == MEASURES
    for line, measure in zip(curves, MEASURES):
        alphas, shares = line.get_data()
        for alpha in (0.01, 0.05, 0.1):
            at = np.searchsorted(alphas, alpha) - 1
            assert shares[at] == pytest.approx(found.share(measure, alpha))


def test_the_topic_figure_shows_the_detectable_difference_by_topics(found):
    (axes,) = found.topic_figure().axes
    curves = axes.lines[: len(MEASURES)]
    assert [line.get_label() for line in curves] == MEASURES
    for line, measure in zip(curves, MEASURES):
        at_20 = np.interp(20, *line.get_data())
        assert at_20 == pytest.approx(found.detectable(measure), rel=0.02)
    assert axes.lines[-1].get_xdata()[0] == 20
