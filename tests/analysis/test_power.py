"""Discriminative power and topic-set size: against the tests themselves, statsmodels and simulation."""

from itertools import combinations

import numpy as np
import pytest
from evaluations import of_array

from ir_measures_graded import demo
from ir_measures_graded.analysis import compare, evaluate
from ir_measures_graded.analysis.power import TESTS, anova_topics, power, swap_rate, type_s_and_m

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
statsmodels_power = pytest.importorskip("statsmodels.stats.power", reason="statsmodels is not installed")
pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")

MEASURES = ["nDCG_JK@10", "nDCG_JK@100", "P@5"]


@pytest.fixture(scope="module")
def values():
    return evaluate(demo.qrels_path(), demo.run_paths(), MEASURES)


@pytest.fixture(scope="module")
def found(values):
    return power(values, test="tukey", resamples=500, differences=[0.05, 0.2])


def test_the_tests_equal_those_of_compare(values, found):
    compared = compare(values, tests=["tukey"], resamples=500)
    for measure in MEASURES:
        tests = compared.find(measure, "Tukey HSD")
        records = [record for record in found.pair_records() if record["measure"] == measure]
        assert [(record["run"], record["other"]) for record in records] == found.pairs
        by_pair = {frozenset((test.run, test.other)): test.p for test in tests}
        assert [by_pair[frozenset(pair)] for pair in found.pairs] == [record["p"] for record in records]
        assert found.share(measure) == np.mean([test.p < 0.05 for test in tests])
        assert found.share(measure, 0.001) == np.mean([test.p < 0.001 for test in tests])


@pytest.mark.parametrize("test", ["t", "t-holm", "wilcoxon", "wilcoxon-holm"])
def test_paired_tests_equal_those_of_scipy_and_name_their_correction(values, test):
    found = power(values, test=test)
    peer = stats.ttest_rel if test.startswith("t") else stats.wilcoxon
    array = values.of(MEASURES[0])
    expected = np.array([peer(array[a], array[b]).pvalue for a, b in combinations(range(5), 2)])
    if test.endswith("-holm"):
        assert found.correction == "Holm's correction for 10 comparisons"
        adjusted = multipletests(expected, method="holm")[1]
        assert found.p_values[0] == pytest.approx(adjusted)
    else:
        assert found.correction == "not corrected for 10 comparisons"
        assert found.p_values[0] == pytest.approx(expected, rel=1e-6)


def test_spreads_are_those_of_the_pairs(values, found):
    array = values.of("nDCG_JK@10")
    spreads = sorted((array[a] - array[b]).std(ddof=1) for a, b in combinations(range(5), 2))
    assert found.spread("nDCG_JK@10") == pytest.approx((spreads[0], np.median(spreads), spreads[-1]))


def test_topics_and_detectable_differences_equal_those_of_statsmodels(found):
    solve = statsmodels_power.TTestPower().solve_power
    for measure in MEASURES:
        for difference in (0.05, 0.1, 0.2):
            for limit, upper in ((1.0, False), ((19 / stats.chi2.ppf(0.2, 19)) ** 0.5, True)):
                topics = found.topics_by_pair(measure, difference, upper)
                for spread, number in zip(found.spread(measure), topics):
                    exact = solve(effect_size=difference / spread / limit, alpha=0.005, power=0.8)
                    assert number == np.ceil(exact)
            assert found.topics_for(measure, difference) == found.topics_by_pair(measure, difference)[1]
        reach = found.detectable_by_pair(measure)
        effect = solve(nobs=20, alpha=0.005, power=0.8)
        assert reach == pytest.approx([spread * effect for spread in found.spread(measure)], rel=1e-4)
        assert found.detectable(measure) == reach[1]


def test_types_s_and_m_equal_a_simulation():
    for difference, topics, alpha in ((0.1, 20, 0.05), (0.3, 30, 0.01), (2.0, 10, 0.05)):
        drawn = np.random.default_rng(2).normal(difference, 1, (200_000, topics))
        means = drawn.mean(axis=1)
        t = means / drawn.std(axis=1, ddof=1) * topics**0.5
        significant = np.abs(t) > stats.t.isf(alpha / 2, topics - 1)
        wrong, times = type_s_and_m(difference, 1.0, topics, alpha)
        assert wrong == pytest.approx((means[significant] < 0).mean(), abs=0.01)
        assert times == pytest.approx(np.abs(means[significant]).mean() / difference, rel=0.02)


def test_anova_topics_find_the_range_of_means_in_the_worst_case():
    topics = anova_topics(0.5, 1.0, 4, 0.05, 0.8)
    means = np.array([-0.25, 0.25, 0, 0])[:, None]
    drawn = np.random.default_rng(3).normal(means, 1.0, (3000, 4, topics))
    found = stats.f_oneway(*np.moveaxis(drawn, 1, 0), axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)
    fewer = statsmodels_power.FTestAnovaPower().power(0.5 / 8**0.5, 4 * (topics - 1), 0.05, 4)
    assert fewer < 0.8


def test_swap_rate_counts_opposite_orders_of_two_halves():
    random = np.random.default_rng(5)
    values = random.random((3, 9))
    found = swap_rate(values, splits=300, seed=1)
    order = np.random.default_rng(1).permuted(np.tile(np.arange(9), (300, 1)), axis=1)
    swaps, sizes = [], []
    for split in order:
        for a, b in combinations(range(3), 2):
            one, other = (values[a, part].mean() - values[b, part].mean() for part in (split[:4], split[4:8]))
            swaps.append(one * other < 0)
            sizes.append(abs(one))
    assert found.rate == pytest.approx(np.mean(swaps))
    assert found.difference is None or np.mean(np.array(swaps)[np.array(sizes) > found.difference]) <= 0.05
    clear = swap_rate(np.array([[0.1] * 6, [0.9] * 6]))
    assert (clear.rate, clear.difference, clear.share) == (0, 0, 1)
    assert swap_rate(np.array([[0, 1, 0, 1], [1, 0, 1, 0]])).difference is None


def test_tables_put_the_most_discriminating_measure_first(found):
    (_, (columns, rows)), (title, (further, wanted)) = found.parts()
    assert title == "Topics for a true difference"
    mde = ["MDE lowest", "MDE median", "MDE highest"]
    assert columns == ["measure", "share p < 0.05", "pairs", *mde, "swap rate", "swaps ≤ 5% from"]
    assert [row[1] for row in rows] == sorted((found.share(measure) for measure in MEASURES), reverse=True)
    assert [record["measure"] for record in found.records()] == MEASURES
    assert len(wanted) == 2 * len(rows)
    measure, difference, *numbers = wanted[0]
    topics, upper = (found.topics_by_pair(measure, 0.05, upper) for upper in (False, True))
    anova, errors = found.anova_topics(measure, 0.05), found.errors(measure, 0.05)
    assert (difference, numbers) == (0.05, [*topics, *upper[1:], anova, *errors])
    assert further[2:] == [
        "lowest", "median", "highest", "median at limit", "highest at limit", "ANOVA", "type S", "type M",
    ]  # fmt: skip
    (record,) = [record for record in found.records() if record["measure"] == measure]
    assert [number for name, number in record.items() if "_0.05" in name] == numbers
    assert (record["topics_0.05"], record["topics_0.05_anova"]) == (topics[1], anova)


@pytest.mark.parametrize("test", TESTS)
def test_equal_runs_are_not_told_apart(test):
    found = power(of_array([[1, 2, 3], [1, 2, 3]], "CG"), test=test, resamples=50)
    assert (found.share("CG"), found.detectable("CG"), found.topics_for("CG", 0.1)) == (0, 0, 2)
    assert found.correction == "one comparison"


def test_a_difference_out_of_reach_has_no_number_of_topics():
    found = power(of_array([[1, 2, 3], [3, 1, 2]], "CG"), resamples=9, differences=[1e-9])
    assert found.topics_for("CG", 1e-9) is None
    assert found.records()[0]["topics_1e-09"] is None
