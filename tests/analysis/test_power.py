"""What a set of topics finds: against the tests themselves, statsmodels and simulation."""

from itertools import combinations

import numpy as np
import pytest
from evaluations import of_array

from ir_measures_graded import demo
from ir_measures_graded.analysis import compare, evaluate, power
from ir_measures_graded.analysis.power import TESTS

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
        by_pair = {frozenset((test.run, test.other)): test.p for test in tests}
        p_values = found.p_values[found.measures.index(tests[0].measure)].tolist()
        assert [by_pair[frozenset(pair)] for pair in found.pairs] == p_values
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
        assert found.p_values[0] == pytest.approx(multipletests(expected, method="holm")[1])
    else:
        assert found.correction == "not corrected for 10 comparisons"
        assert found.p_values[0] == pytest.approx(expected, rel=1e-6)


def test_topics_differences_and_chances_equal_those_of_statsmodels(values, found):
    peer = statsmodels_power.TTestPower()
    for measure in MEASURES:
        array = values.of(measure)
        spreads = sorted((array[a] - array[b]).std(ddof=1) for a, b in combinations(range(5), 2))
        limit = (19 / stats.chi2.ppf(0.2, 19)) ** 0.5
        median = np.median(spreads)
        spreads = spreads[0], median, spreads[-1], limit * median
        assert found.spread(measure) == pytest.approx(spreads)
        for difference in (0.05, 0.1, 0.2):
            exact = [peer.solve_power(difference / spread, alpha=0.005, power=0.8) for spread in spreads]
            assert found.topics_for(measure, difference) == tuple(np.ceil(exact))
            effect = difference / median * 20**0.5
            chance = stats.nct.sf(stats.t.isf(0.0025, 19), 19, effect) if effect < 10 else 1
            assert found.chance(measure, difference) == pytest.approx(chance, abs=1e-3)
        effect = peer.solve_power(nobs=20, alpha=0.005, power=0.8)
        assert found.detectable(measure) == pytest.approx([spread * effect for spread in spreads], rel=1e-4)


def test_the_answer_comes_first_and_the_table_has_four_numbers(values, found):
    best, *_ = sorted(MEASURES, key=found.share, reverse=True)
    topics, chance = found.topics_for(best, 0.05), found.chance(best, 0.05)
    separated = round(10 * found.share(best))
    assert found.answer()[2] == f"{best} separates {separated} of 10 pairs of runs (p < 0.05)."
    assert found.answer()[0] == (
        f"20 topics find a difference of 0.05 in {best} with probability {chance:.2f} (median pair); about "
        f"{topics[1]} topics, {topics[0]} to {topics[2]} by pair, find it with 0.8."
    )
    columns, rows = found.table()
    assert columns == ["measure", "difference", "lowest", "median", "highest", "at limit"]
    assert rows[0] == [best, 0.05, *topics]
    assert " ".join(str(found).split()).startswith(found.answer()[0])
    (record,) = (record for record in found.records() if record["measure"] == best)
    names = "topics_0.05_lowest", "topics_0.05", "topics_0.05_highest", "topics_0.05_at_limit", "chance_0.05"
    assert [record[name] for name in names] == [*topics, chance]
    plain = power(values)
    assert [row[1:] for row in plain.table()[1]] == [[*plain.detectable(row[0])] for row in plain.table()[1]]


@pytest.mark.parametrize("test", TESTS)
def test_equal_runs_are_not_told_apart(test):
    found = power(of_array([[1, 2, 3], [1, 2, 3]], "CG"), test=test, resamples=50)
    assert (found.share("CG"), found.detectable("CG"), found.topics_for("CG", 0.1)) == (0, (0,) * 4, (2,) * 4)
    assert (found.correction, found.chance("CG", 0.1)) == ("one comparison", 1)


def test_a_difference_out_of_reach_has_no_number_of_topics():
    found = power(of_array([[1, 2, 3], [3, 1, 2]], "CG"), resamples=9, differences=[1e-9])
    assert found.records()[0]["topics_1e-09"] is None
    assert "about over ten million topics find it" in found.answer()[0]
