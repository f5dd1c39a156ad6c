"""Means and significance tests of several runs: equality with SciPy and others, undefined cases."""

import json
import math
import sys
import warnings
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pytest
from evaluations import of_array

from ir_measures_graded import GradedError, demo, parse_measure
from ir_measures_graded.analysis import Evaluation, compare, compare_values, evaluate, plots
from ir_measures_graded.analysis.comparison import (
    ANOVA_RUNS,
    ANOVA_TOPICS,
    CONOVER,
    FRIEDMAN,
    PAIRED_T,
    TUKEY_HSD,
    WILCOXON,
    Comparison,
    Test,
    _beaten_cell,
)
from ir_measures_graded.analysis.intervals import paired_difference
from ir_measures_graded.analysis.significance import tukey_hsd, wilcoxon
from ir_measures_graded.output import formats

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
posthocs = pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")

MEASURE = "nDCG_JK(gains=0:0,1:1,2:10,3:100,avg=True)@100"
FLAT = "nCG(gains=2:1,3:1)@100"
PROGRAM = [sys.executable, "-m", "ir_measures_graded"]


@pytest.fixture(scope="module")
def values():
    """Five runs over twenty topics."""
    return evaluate(demo.qrels_path(), demo.run_paths(), [MEASURE, FLAT, "NDPM", "P@5"])


@pytest.fixture(scope="module")
def found(values):
    return compare_values(values, baseline="A", permutations=500)


def made_up(*tests, runs="ABCDE", means=None, measure="nCG", alpha=0.05):
    """A comparison with the given tests: (better, other, p)."""
    measure = parse_measure(measure)
    means = range(len(runs)) if means is None else means
    return Comparison(
        runs=tuple(runs),
        measures=(measure,),
        topics=20,
        means=np.array(means, dtype=float)[:, None],
        ranks=np.ones((len(runs), 1)),
        tests=tuple(Test(measure, CONOVER, run=run, other=other, better=run, p=p) for run, other, p in tests),
        baseline=None,
        alpha=alpha,
        permutations=1,
        seed=0,
    )


# ---------------------------------------------------------------- equality with the libraries


def test_friedman_equals_scipy(values, found):
    for measure in values.measures:
        (test,) = found.find(measure, FRIEDMAN)
        peer = stats.friedmanchisquare(*values.of(measure))
        assert (test.statistic, test.p) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-9)


def test_conover_equals_scikit_posthocs_and_the_textbook(values, found):
    for measure in values.measures:
        array = values.of(measure)
        peer = posthocs.posthoc_conover_friedman(array.T).to_numpy()
        tests = found.find(measure, CONOVER)
        assert len(tests) == 10
        for test in tests:
            a, b = values.runs.index(test.run), values.runs.index(test.other)
            assert test.p == pytest.approx(peer[a, b], rel=1e-6)
            assert test.p == pytest.approx(conover_1980(array, a, b), rel=1e-6)


def conover_1980(array, a, b):
    """Practical Nonparametric Statistics, section 5.8, computed directly."""
    runs, topics = array.shape
    ranks = stats.rankdata(array, axis=0)
    sums = ranks.sum(axis=1)
    spread = 2 * (topics * (ranks**2).sum() - (sums**2).sum()) / ((topics - 1) * (runs - 1))
    return 2 * stats.t.sf(abs(sums[a] - sums[b]) / math.sqrt(spread), (topics - 1) * (runs - 1))


def test_anova_equals_the_formula_of_sums_of_squares(values, found):
    for measure in values.measures:
        array = values.of(measure)
        runs, topics = array.shape
        means, rows, columns = array.mean(), array.mean(1, keepdims=True), array.mean(0, keepdims=True)
        error = ((array - rows - columns + means) ** 2).sum() / ((runs - 1) * (topics - 1))
        for name, side, size in ((ANOVA_RUNS, rows, runs), (ANOVA_TOPICS, columns, topics)):
            f = ((side - means) ** 2).sum() * (array.size / size) / (size - 1) / error
            (test,) = found.find(measure, name)
            assert test.statistic == pytest.approx(f)
            assert test.p == pytest.approx(stats.f.sf(f, size - 1, (runs - 1) * (topics - 1)))


def test_baseline_tests_equal_scipy_with_holms_correction(values, found):
    for measure in values.measures:
        base, *others = values.of(measure)
        for name, peer in ((PAIRED_T, against_0), (WILCOXON, stats.wilcoxon)):
            tests = found.find(measure, name)
            assert [(test.run, test.other) for test in tests] == [(run, "A") for run in "BCDE"]
            for test, array in zip(tests, others):
                differences = (array - base).round(12)
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")  # SciPy warns about ties and zeros
                    assert test.p == pytest.approx(peer(differences).pvalue, rel=1e-6)
                assert test.difference == pytest.approx(differences.mean())
                assert test.effect_size == pytest.approx(differences.mean() / differences.std(ddof=1))
            ordered = sorted(tests, key=lambda test: test.p)
            steps = [min(1, test.p * (4 - place)) for place, test in enumerate(ordered)]
            assert [test.adjusted for test in ordered] == pytest.approx(list(np.maximum.accumulate(steps)))


def against_0(differences):
    return stats.ttest_1samp(differences, 0.0)


@pytest.mark.parametrize("parts", [3, 7, 10])
def test_wilcoxon_of_fractions_equals_that_of_their_numerators(parts):
    a, b = np.random.default_rng(parts).integers(0, parts + 1, (2, 200, 10))
    for one, other in zip(a, b):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SciPy warns about ties and zeros
            exact = stats.wilcoxon(one - other).pvalue
        assert wilcoxon(one / parts, other / parts).p == pytest.approx(exact, rel=1e-9)


def test_wilcoxon_keeps_ties_between_differences_of_rounded_values():
    a = np.array([1 / 3, 2 / 3, 1, 1 / 3, 2 / 3, 2 / 3, 1, 1 / 3, 2 / 3, 0])
    b = np.array([0, 1 / 3, 2 / 3, 0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1, 1 / 3])
    assert wilcoxon(a, b).p == pytest.approx(0.3438, abs=5e-5)


def test_wilcoxon_of_published_runs(shared_data):
    folder = shared_data / "dl21-passage"
    runs = {name: folder / "runs" / f"{name}.run.gz" for name in ("NLE_P_v1", "yorku21_a")}
    values = evaluate(folder / "qrels.txt", runs, ["P(rel=2)@3"]).of("P(rel=2)@3")
    assert wilcoxon(*values).p == pytest.approx(0.108, abs=5e-4)


def test_effect_size_is_t_divided_by_the_root_of_the_number_of_topics(found):
    for measure in found.measures:  # smaller values of NDPM are better
        for test in found.find(measure, PAIRED_T):
            assert test.effect_size == pytest.approx(test.statistic / math.sqrt(20))
            assert math.copysign(1, test.statistic) == math.copysign(1, test.difference)


def test_for_two_runs_anova_is_the_t_test_and_tukey_hsd_is_fishers_randomisation_test():
    random = np.random.default_rng(5)
    array = random.random((2, 8))
    found = compare_values(of_array(array), baseline="B", permutations=20_000)
    (t,), (f,), (hsd,) = (found.find("nDCG_JK", name) for name in (PAIRED_T, ANOVA_RUNS, TUKEY_HSD))
    assert f.statistic == pytest.approx(t.statistic**2)
    assert f.p == pytest.approx(t.p)
    exact = stats.permutation_test(
        tuple(array), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", vectorized=True
    )
    assert hsd.p == pytest.approx(exact.pvalue, abs=0.01)


def test_tukey_hsd_approximates_the_exact_permutation_distribution():
    array = np.array([[0.9, 0.4, 0.7, 0.8], [0.5, 0.6, 0.1, 0.3], [0.2, 0.3, 0.3, 0.6]])
    orders = product(*(list(permutations(topic)) for topic in array.T))
    widest = np.array([np.ptp(np.mean(order, axis=0)) for order in orders])
    assert len(widest) == 6**4
    means = array.mean(axis=1)
    p_values = tukey_hsd(array, permutations=40_000, seed=1)
    for a, b in combinations(range(3), 2):
        exact = np.mean(widest >= abs(means[a] - means[b]) - 1e-12)
        assert p_values[a, b] == p_values[b, a] == pytest.approx(exact, abs=0.01)


def test_tukey_hsd_depends_on_the_seed_but_not_on_the_order_of_runs(values):
    array = values.of(MEASURE)
    p_values = tukey_hsd(array, permutations=200, seed=7)
    np.testing.assert_array_equal(p_values, tukey_hsd(array, permutations=200, seed=7))
    np.testing.assert_array_equal(p_values[::-1, ::-1], tukey_hsd(array[::-1], permutations=200, seed=7))
    assert (p_values != tukey_hsd(array, permutations=200, seed=8)).any()
    assert p_values.min() >= 1 / 201
    assert (np.diag(p_values) == 1).all()


def test_published_trec_eval_values_give_the_same_tests_as_the_runs(shared_data):
    folder = shared_data / "dl21-passage"
    names = sorted(path.stem for path in (folder / "trec_eval").glob("*.treceval"))
    runs = {name: folder / "runs" / f"{name}.run.gz" for name in names}
    ours = evaluate(folder / "qrels.txt", runs, ["P@10", "AP"])
    array = np.empty(ours.values.shape)
    for number, name in enumerate(names):
        for line in (folder / "trec_eval" / f"{name}.treceval").read_text().splitlines():
            measure, topic, value = line.split()
            if measure in ("P_10", "map") and topic != "all":
                array[number, ["P_10", "map"].index(measure), ours.topics.index(topic)] = float(value)
    theirs = compare_values(replace(ours, values=array), baseline="p_bm25", permutations=300)
    found = compare_values(ours, baseline="p_bm25", permutations=300)
    assert len(names) == 6
    for test, other in zip(found.tests, theirs.tests):
        assert (test.test, test.run, test.other, test.better) == (
            other.test,
            other.run,
            other.other,
            other.better,
        )
        assert test.p == pytest.approx(other.p, rel=0.05, abs=1e-4)
    for measure in ("P@10", "AP"):
        assert found.statement(measure) == theirs.statement(measure) != ""
    peer = stats.friedmanchisquare(*array[:, 0])
    assert found.find("P@10", FRIEDMAN)[0].statistic == pytest.approx(peer.statistic)


# --------------------------------------------------------------------- significant differences


def test_statement_joins_runs_that_beat_the_same_runs():
    found = made_up(("D", "A", 0.002), ("E", "A", 0.009), ("C", "A", 0.2))
    assert found.statement("nCG") == "E, D > A**"
    found = made_up(("D", "A", 0.03))
    assert found.statement("nCG") == "D > A*"
    assert made_up(("D", "A", 0.3)).statement("nCG") == ""


def test_statement_separates_different_stars_and_different_losers():
    found = made_up(
        ("E", "A", 0.001), ("E", "B", 0.001), ("E", "C", 0.04), ("D", "A", 0.001), ("D", "B", 0.03)
    )
    assert found.statement("nCG") == "E > B, A**; E > C*; D > A**; D > B*"
    assert found.beaten("nCG", CONOVER, "E") == {"**": ["B", "A"], "*": ["C"]}
    assert found.beaten("nCG", CONOVER, "C") == {}


def test_alpha_decides_significance_and_stars_only_mark_it():
    tests = [("E", "A", 0.001), ("E", "B", 0.04), ("E", "C", 0.08)]
    assert made_up(*tests, alpha=0.1).statement("nCG") == "E > A**; E > B*; E > C"
    assert made_up(*tests, alpha=0.01).statement("nCG") == "E > A**"


def test_sign_and_order_reverse_if_smaller_is_better():
    found = made_up(("A", "E", 0.001), ("B", "E", 0.001), measure="NDPM")
    assert found.best_first("NDPM") == list("ABCDE")
    assert found.statement("NDPM") == "A, B < E**"


def test_every_test_favours_the_smaller_ndpm(values):
    ndpm = compare_values(values, baseline="A", permutations=500)
    performance = evaluate(demo.qrels_path(), demo.run_paths(), ["NDPM(performance=True)"])
    mirrored = compare_values(performance, baseline="A", permutations=500)
    for name in (CONOVER, TUKEY_HSD, PAIRED_T, WILCOXON):
        for test, other in zip(
            ndpm.find("NDPM", name), mirrored.find("NDPM(performance=True)", name), strict=True
        ):
            assert (test.run, test.other, test.better) == (other.run, other.other, other.better)
            assert test.p == pytest.approx(other.p, abs=0.06 if name == TUKEY_HSD else 1e-12)
            assert test.difference == pytest.approx(-other.difference)
    np.testing.assert_allclose(ndpm.ranks[:, 2], mirrored.ranks[:, 0])


def test_conover_compares_ranks_and_tukey_hsd_means():
    # A is slightly ahead in most topics but far behind in one.
    array = np.array([[0.3] * 11 + [0.0], [0.29] * 11 + [1.0], [0.1] * 12])
    found = compare_values(of_array(array), permutations=100)
    pair = {name: found.find("nDCG_JK", name)[0] for name in (CONOVER, TUKEY_HSD)}
    assert (pair[CONOVER].better, pair[TUKEY_HSD].better) == ("A", "B")
    assert pair[CONOVER].difference < 0
    assert found.statement("nDCG_JK") == "B > C**; A > B, C**"
    np.testing.assert_allclose(found.ranks[:, 0], [(11 + 3) / 12, (22 + 1) / 12, (33 + 2) / 12])


def test_wilcoxon_favours_the_larger_sum_of_ranks():
    # B gains a little in many topics and loses much in one.
    array = np.array([[0.5] * 12, [0.51 + 0.01 * n for n in range(11)] + [0.0]])
    found = compare_values(of_array(array), baseline="A", permutations=100)
    (wilcoxon,), (t,) = (found.find("nDCG_JK", name) for name in (WILCOXON, PAIRED_T))
    assert (wilcoxon.better, t.better) == ("B", "B" if array[1].mean() > 0.5 else "A")
    array[1, -1] = -1.0
    found = compare_values(of_array(array), baseline="A", permutations=100)
    (wilcoxon,), (t,) = (found.find("nDCG_JK", name) for name in (WILCOXON, PAIRED_T))
    assert (wilcoxon.better, t.better) == ("B", "A")


# ------------------------------------------------------------------------------ undefined cases


def test_only_friedman_and_conover_need_three_runs():
    found = compare_values(of_array([[0.1, 0.2, 0.4], [0.3, 0.5, 0.5]]), baseline="A", permutations=50)
    (friedman,) = found.find("nDCG_JK", FRIEDMAN)
    assert (friedman.statistic, friedman.p) == (None, None)
    assert friedman.note == "undefined: fewer than 3 runs"
    assert found.find("nDCG_JK", CONOVER) == []
    for name in (ANOVA_RUNS, TUKEY_HSD, PAIRED_T, WILCOXON):
        assert 0 < found.find("nDCG_JK", name)[0].p <= 1
    columns, (row,) = found.table_by_measure()
    assert row[columns.index("Friedman p")] == "undefined: fewer than 3 runs"


def test_conover_requires_a_significant_friedman_test():
    array = np.random.default_rng(0).random((3, 10))
    found = compare_values(of_array(array), permutations=50)
    assert found.find("nDCG_JK", FRIEDMAN)[0].p > 0.05
    assert found.find("nDCG_JK", CONOVER) == []
    assert found.statement("nDCG_JK") == ""
    loose = compare_values(of_array(array), permutations=50, alpha=0.999)
    assert len(loose.find("nDCG_JK", CONOVER)) == 3


@pytest.mark.parametrize("number", [0.0, 0.5, 0.1 + 0.2])
def test_equal_values_leave_tests_of_all_runs_undefined_and_give_pairs_p_1(number):
    found = compare_values(of_array(np.full((3, 5), number)), baseline="B", permutations=50)
    for name in (FRIEDMAN, ANOVA_RUNS, ANOVA_TOPICS):
        (test,) = found.find("nDCG_JK", name)
        assert (test.statistic, test.p) == (None, None)
        assert test.note.startswith("undefined: all ")
    for name in (TUKEY_HSD, PAIRED_T, WILCOXON):
        for test in found.find("nDCG_JK", name):
            assert (test.p, test.better, test.difference, test.effect_size) == (1.0, None, 0.0, 0.0)
    assert found.statement("nDCG_JK", TUKEY_HSD) == found.statement("nDCG_JK", PAIRED_T) == ""


def test_equal_runs_leave_friedman_and_anova_undefined():
    found = compare_values(of_array([[0.1, 0.5, 0.3]] * 3), permutations=50)
    assert found.find("nDCG_JK", FRIEDMAN)[0].note == "undefined: all runs are equal in every topic"
    assert found.find("nDCG_JK", ANOVA_RUNS)[0].note == "undefined: runs and topics explain all variation"


def test_holms_correction_counts_runs_equal_to_the_baseline():
    array = [[0.1, 0.5, 0.3, 0.2], [0.1, 0.5, 0.3, 0.2], [0.2, 0.7, 0.6, 0.9]]
    found = compare_values(of_array(array), baseline="A", permutations=50)
    equal, other = found.find("nDCG_JK", PAIRED_T)
    assert (equal.p, equal.adjusted, equal.note) == (1.0, 1.0, "the two runs are equal in every topic")
    assert other.adjusted == pytest.approx(2 * other.p)


def test_constant_difference_has_no_statistic_and_p_0():
    found = compare_values(of_array([[0.1, 0.5, 0.3], [0.4, 0.8, 0.6]]), baseline="A", permutations=50)
    (test,) = found.find("nDCG_JK", PAIRED_T)
    assert (test.statistic, test.p, test.better, test.effect_size) == (None, 0.0, "B", None)
    assert test.note == "the difference is the same in every topic"


def test_conover_has_p_0_if_all_topics_rank_the_runs_equally():
    array = np.array([[0.1], [0.2], [0.2], [0.3]]) + np.array([[0.0, 0.1, 0.5, 0.2]])
    array[3] += [0, 0.01, 0, 0]
    found = compare_values(of_array(array), permutations=50)
    p_values = {(test.run, test.other): test.p for test in found.find("nDCG_JK", CONOVER)}
    assert p_values.pop(("B", "C")) == 1.0
    assert set(p_values.values()) == {0.0}
    assert found.statement("nDCG_JK") == "D > B, C, A**; B, C > A**"


def test_values_that_differ_by_rounding_errors_are_tied():
    array = np.array([[0.1 + 0.2, 0.7, 0.4], [0.3, 0.7, 0.1 + 0.2 + 0.1], [0.1, 0.2, 0.9]])
    assert array[0, 0] != array[1, 0]
    exact = array.round(6)
    ours = compare_values(of_array(array), permutations=50).find("nDCG_JK", FRIEDMAN)[0]
    assert ours.statistic == pytest.approx(stats.friedmanchisquare(*exact).statistic)


@pytest.mark.parametrize("missing", ["scipy.stats", "scikit_posthocs", "statsmodels.formula.api"])
def test_missing_library_raises_an_error_that_names_the_extra(values, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(GradedError, match=r"pip install 'ir-measures-graded\[stats\]'"):
        compare_values(values, permutations=10)


def test_missing_library_is_detected_before_runs_are_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
    with pytest.raises(GradedError, match="this analysis needs scikit_posthocs, which is not installed"):
        compare({"q": {"a": 1}}, {"bad": 5}, ["CG"])


# ------------------------------------------------------------------------------ tables, figures


def test_table_by_measure_has_one_row_per_measure(found):
    columns, rows = found.table_by_measure()
    assert columns == [
        "measure", "A", "B", "C", "D", "E", "Friedman p", "ANOVA p",
        CONOVER, TUKEY_HSD, PAIRED_T, WILCOXON,
    ]  # fmt: skip
    assert [row[0] for row in rows] == list(map(str, found.measures))
    for row, means in zip(rows, found.means.T.tolist()):
        assert row[1:6] == means
        assert row[8] == found.statement(row[0])
        assert row[11] == found.statement(row[0], WILCOXON)
    assert "D > " in rows[0][8]


def test_table_by_run_has_letters_in_the_order_of_each_measure(found):
    columns, rows = found.table_by_run()
    assert columns[:6] == ["measure", "", "run", "mean", "mean rank", CONOVER]
    assert len(rows) == 4 * 5
    for number, measure in enumerate(found.measures):
        block = rows[5 * number : 5 * number + 5]
        names = "".join(row[0] for row in block)
        assert names.startswith(str(measure))
        assert "Friedman p " in names
        assert "ANOVA p " in names
        assert [row[1] for row in block] == list("ABCDE")
        assert [row[2] for row in block] == found.best_first(measure)
        means = [row[3] for row in block]
        assert means == sorted(means, reverse=measure.NAME != "NDPM")
        best = found.beaten(measure, CONOVER, block[0][2])
        order = found.best_first(measure)
        letters = {"ABCDE"[order.index(run)] for runs in best.values() for run in runs}
        spans = block[0][5].replace("*", "").replace("; ", ", ").split(", ") if block[0][5] else []
        shown = {letter for span in spans for letter in "ABCDE" if span[0] <= letter <= span[-1]}
        assert shown == letters


def many_runs(count, measures=("nDCG_JK(gains=0:0,1:1,2:10,3:100,avg=True)@100", "NDPM"), topics=15):
    """An evaluation whose runs differ a little, so that pairwise tests have mixed outcomes."""
    random = np.random.default_rng(3)
    values = random.random((count, len(measures), topics)) + random.random((count, len(measures), 1))
    runs = tuple(f"university-system-{number:02}" for number in range(count))
    names = tuple(f"q{number}" for number in range(topics))
    return Evaluation(runs, tuple(map(parse_measure, measures)), names, values)


# Two runs have a baseline in any case, and the width of a table with a baseline depends on the names only.
@pytest.mark.parametrize(
    ("count", "baseline"), [(2, None), (3, None), (5, None), (24, None), (24, "university-system-01")]
)
def test_default_table_has_at_most_120_columns(count, baseline):
    found = compare_values(many_runs(count), baseline=baseline, permutations=20)
    columns, rows = found.table()
    assert max(map(len, formats.text(columns, rows))) <= 120
    assert [row[columns.index("run")] for row in rows if row[columns.index("run")]] == [
        run for measure in found.measures for run in found.best_first(measure)
    ]


def test_default_table_is_table_ii_if_it_fits():
    found = compare_values(of_array(np.random.default_rng(1).random((3, 9))), permutations=20)
    assert found.table() == found.table_by_measure()


def test_table_by_run_counts_the_runs_beaten_if_there_are_too_many_letters():
    beaten = {"**": list("BDFHJLN"), "*": list("PR")}
    assert _beaten_cell(beaten, [chr(65 + number) for number in range(26)]) == "7**; 2*"
    assert _beaten_cell({"**": list("BCD"), "*": list("F")}, list("ABCDEFG")) == "B–D**; F*"


def test_table_against_the_baseline_holds_differences_and_corrected_p_values(found):
    columns, rows = found.table_against()
    assert columns[2:] == ["mean", "difference", "lower", "upper", "d_z", "MDE", "t p", "Wilcoxon p"]
    block = rows[5:10]
    assert [row[1] for row in block] == found.best_first(FLAT)
    tests = {(test.run, name): test for name in (PAIRED_T, WILCOXON) for test in found.find(FLAT, name)}
    for row in block:
        if row[1] == "A":
            assert row[3:] == ["baseline", *[None] * 6]
        else:
            t, wilcoxon = tests[row[1], PAIRED_T], tests[row[1], WILCOXON]
            assert row[3:6] == [t.difference, t.lower, t.upper]
            assert row[6:] == [t.effect_size, t.detectable, t.adjusted, wilcoxon.adjusted]
            assert row[2] == found.means[found.runs.index(row[1]), 1]


def test_two_runs_are_compared_without_a_baseline():
    array = [[0.1, 0.2, 0.4, 0.9], [0.3, 0.5, 0.5, 0.7]]
    found = compare_values(of_array(array), permutations=50)
    named = compare_values(of_array(array), permutations=50, baseline="A")
    assert (found.baseline, found.reference) == (None, "A")
    assert found.tests == named.tests
    assert {test.test for test in found.tests} >= {PAIRED_T, WILCOXON}
    assert compare_values(of_array([*array, array[0]]), permutations=50).reference is None


def test_interval_of_the_difference_equals_that_of_scipy():
    array = np.random.default_rng(2).random((2, 9))
    found = compare_values(of_array(array), permutations=50, alpha=0.1)
    (t,), (wilcoxon,) = (found.find("nDCG_JK", name) for name in (PAIRED_T, WILCOXON))
    differences = array[1] - array[0]
    low, high = stats.t.interval(0.9, 8, differences.mean(), stats.sem(differences))
    assert (t.lower, t.upper) == (wilcoxon.lower, wilcoxon.upper) == pytest.approx((low, high))
    drawn = paired_difference(array[1], array[0], 0.9, alpha=0.1, seed=3)
    (t,) = compare_values(of_array(array), permutations=50, alpha=0.1, seed=3, interval="bootstrap").find(
        "nDCG_JK", PAIRED_T
    )
    assert (t.lower, t.upper, t.detectable) == (drawn.lower, drawn.upper, drawn.detectable)


def test_records_hold_all_means_and_all_tests(found):
    records = found.records()
    assert len(records) == 2 * 5 * 4 + len(found.tests)
    for record, test in zip(records[40:], found.tests):
        assert record["measure"] == str(test.measure)
        assert (record["test"], record["run"], record["other"]) == (test.test, test.run, test.other)
        assert (record["p"], record["adjusted"], record["statistic"]) == (
            test.p,
            test.adjusted,
            test.statistic,
        )
    means = {(r["measure"], r["run"]): r["statistic"] for r in records if r["test"] == "mean"}
    assert means[str(found.measures[0]), "D"] == found.means[3, 0]
    ranks = {(r["measure"], r["run"]): r["statistic"] for r in records if r["test"] == "mean rank"}
    assert ranks["NDPM", "A"] == found.ranks[0, 2]
    assert sum(ranks["NDPM", run] for run in "ABCDE") == pytest.approx(15)


def test_figure_of_pairs_shades_significant_differences(found, tmp_path):
    figure = found.significant_pairs()
    assert len(figure.axes) == 4
    for axes, measure in zip(figure.axes, found.measures):
        assert str(measure) in axes.get_title(loc="right").replace("\n", "")
        order = found.best_first(measure)
        assert [label.get_text().split()[0] for label in axes.get_yticklabels()] == order
        significant = [
            test
            for name in (CONOVER, TUKEY_HSD)
            for test in found.find(measure, name)
            if test.decisive < 0.05
        ]
        assert len(axes.texts) == len(significant)
        shades = axes.images[0].get_array()
        for test in significant:
            first, second = sorted((order.index(test.run), order.index(test.other)))
            cell = (first, second) if test.test == CONOVER else (second, first)
            assert shades[cell] == (2 if test.p < 0.01 else 1)
        assert shades.count() == len(significant)
    plots.save(figure, tmp_path / "compare.svg")
    picture = (tmp_path / "compare.svg").read_text(encoding="utf-8")
    assert "above: Conover, below: Tukey HSD" in picture


def test_figure_with_a_baseline_shows_differences_and_intervals(found):
    figure = found.figure()
    assert len(figure.axes) == 4
    for axes, measure in zip(figure.axes, found.measures):
        tests = {test.run: test for test in found.find(measure, PAIRED_T)}
        points = {line.get_label(): line for line in axes.lines if line.get_label() in tests}
        assert points.keys() == tests.keys() == set("BCDE")
        intervals = [list(line.get_xdata()) for line in axes.lines if len(line.get_ydata()) == 2]
        for run, test in tests.items():
            assert list(points[run].get_xdata()) == [test.difference]
            assert [test.lower, test.upper] in intervals
            assert (points[run].get_markerfacecolor() == "white") == (test.adjusted >= 0.05)
        assert axes.get_xlabel().startswith("Difference from A")
        assert ("smaller is better" in axes.get_xlabel()) == (measure.NAME == "NDPM")


def test_marker_is_filled_by_the_corrected_p_value():
    random = np.random.default_rng(10)
    array = random.random((6, 1, 15)) + random.random((6, 1, 1)) * 0.4
    found = compare_values(of_array(array[:, 0]), baseline="A", permutations=5)
    tests = {test.run: test for test in found.find("nDCG_JK", PAIRED_T)}
    assert any(test.p < 0.05 <= test.adjusted for test in tests.values())
    assert any(test.adjusted < 0.05 for test in tests.values())
    (axes,) = found.figure().axes
    filled = {line.get_label(): line.get_markerfacecolor() != "white" for line in axes.lines}
    assert {run: filled[run] for run in tests} == {run: t.adjusted < 0.05 for run, t in tests.items()}


def test_figure_without_a_baseline_shows_pairs(values):
    figure = compare_values(values, permutations=20).figure()
    assert all(len(axes.images) == 1 for axes in figure.axes)


@pytest.mark.parametrize(("measures", "baseline"), [(1, None), (7, "university-system-01")])
def test_figure_of_24_runs_fits_a_page(measures, baseline):
    found = compare_values(
        many_runs(24, [f"nDCG_JK@{number}" for number in range(1, measures + 1)], topics=5),
        baseline=baseline, permutations=20,
    )  # fmt: skip
    figure = found.figure()
    assert (figure.get_size_inches() <= np.array(plots.PAGE) + 0.01).all()


def test_small_p_values_are_not_printed_as_0():
    found = made_up(("E", "A", 1e-7), ("E", "B", 0.0), ("E", "C", 0.25))
    p_values = [record["p"] for record in found.records()[-3:]]
    assert [f"{p:.4f}" for p in p_values] == ["1.0e-07", "0.0000", "0.2500"]
    assert json.dumps(p_values) == "[1e-07, 0.0, 0.25]"
