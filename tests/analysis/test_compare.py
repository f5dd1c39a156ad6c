"""Means and significance tests of several runs: against SciPy and others, and where they are undefined."""

import json
import math
import subprocess
import sys
import warnings
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pytest

from ir_measures_graded import GradedError, cli, demo, parse_measure
from ir_measures_graded.analysis import Evaluation, compare, compare_values, evaluate, plots
from ir_measures_graded.analysis.compare import (
    ANOVA_RUNS,
    ANOVA_TOPICS,
    CONOVER,
    FRIEDMAN,
    PAIRED_T,
    TUKEY_HSD,
    WILCOXON,
    Comparison,
    Test,
)
from ir_measures_graded.analysis.significance import tukey_hsd

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


def of_array(array, measure="nDCG_JK"):
    """An evaluation by one measure: rows are the runs A, B, …, columns the topics."""
    array = np.asarray(array, dtype=float)
    runs = tuple("ABCDEFGH"[: len(array)])
    topics = tuple(f"q{number}" for number in range(array.shape[1]))
    return Evaluation(runs, (parse_measure(measure),), topics, array[:, None, :])


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


# ------------------------------------------------------------------------- the libraries' values


def test_friedman_is_scipys(values, found):
    for measure in values.measures:
        (test,) = found.find(measure, FRIEDMAN)
        peer = stats.friedmanchisquare(*values.of(measure))
        assert (test.statistic, test.p) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-9)


def test_conovers_p_values_are_scikit_posthocs_and_the_textbooks(values, found):
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
    """Practical Nonparametric Statistics, section 5.8, by hand."""
    runs, topics = array.shape
    ranks = stats.rankdata(array, axis=0)
    sums = ranks.sum(axis=1)
    spread = 2 * (topics * (ranks**2).sum() - (sums**2).sum()) / ((topics - 1) * (runs - 1))
    return 2 * stats.t.sf(abs(sums[a] - sums[b]) / math.sqrt(spread), (topics - 1) * (runs - 1))


def test_analysis_of_variance_is_that_of_sums_of_squares(values, found):
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


def test_the_baseline_is_tested_as_scipy_does_with_holms_correction(values, found):
    for measure in values.measures:
        base, *others = values.of(measure)
        for name, peer in ((PAIRED_T, against_0), (WILCOXON, stats.wilcoxon)):
            tests = found.find(measure, name)
            assert [(test.run, test.other) for test in tests] == [(run, "A") for run in "BCDE"]
            for test, array in zip(tests, others):
                differences = (array - base).round(12)
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")  # of ties and zeros
                    assert test.p == pytest.approx(peer(differences).pvalue, rel=1e-6)
                assert test.difference == pytest.approx(differences.mean())
                assert test.effect_size == pytest.approx(differences.mean() / differences.std(ddof=1))
            ordered = sorted(tests, key=lambda test: test.p)
            steps = [min(1, test.p * (4 - place)) for place, test in enumerate(ordered)]
            assert [test.adjusted for test in ordered] == pytest.approx(list(np.maximum.accumulate(steps)))


def against_0(differences):
    return stats.ttest_1samp(differences, 0.0)


def test_d_z_is_the_t_statistic_over_the_root_of_the_number_of_topics(found):
    for test in found.find(MEASURE, PAIRED_T):
        assert test.effect_size == pytest.approx(test.statistic / math.sqrt(20))


def test_of_two_runs_anova_is_the_t_test_and_tukey_hsd_fishers_randomisation():
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


def test_tukey_hsd_counts_the_orders_whose_widest_difference_is_as_wide():
    array = np.array([[0.9, 0.4, 0.7, 0.8], [0.5, 0.6, 0.1, 0.3], [0.2, 0.3, 0.3, 0.6]])
    orders = product(*(list(permutations(topic)) for topic in array.T))
    widest = np.array([np.ptp(np.mean(order, axis=0)) for order in orders])
    assert len(widest) == 6**4
    means = array.mean(axis=1)
    p_values = tukey_hsd(array, permutations=40_000, seed=1)
    for a, b in combinations(range(3), 2):
        exact = np.mean(widest >= abs(means[a] - means[b]) - 1e-12)
        assert p_values[a, b] == p_values[b, a] == pytest.approx(exact, abs=0.01)


def test_tukey_hsd_depends_on_the_seed_but_not_on_the_order_of_the_runs(values):
    array = values.of(MEASURE)
    p_values = tukey_hsd(array, permutations=200, seed=7)
    np.testing.assert_array_equal(p_values, tukey_hsd(array, permutations=200, seed=7))
    np.testing.assert_array_equal(p_values[::-1, ::-1], tukey_hsd(array[::-1], permutations=200, seed=7))
    assert (p_values != tukey_hsd(array, permutations=200, seed=8)).any()
    assert p_values.min() >= 1 / 201
    assert (np.diag(p_values) == 1).all()


def test_published_values_lead_to_the_same_tests_as_the_runs(shared_data):
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


# ------------------------------------------------------------------ what is better than what


def test_runs_that_beat_the_same_runs_stand_together_as_in_table_ii():
    found = made_up(("D", "A", 0.002), ("E", "A", 0.009), ("C", "A", 0.2))
    assert found.statement("nCG") == "E, D > A**"
    found = made_up(("D", "A", 0.03))
    assert found.statement("nCG") == "D > A*"
    assert made_up(("D", "A", 0.3)).statement("nCG") == ""


def test_different_stars_and_different_losers_stand_apart():
    found = made_up(
        ("E", "A", 0.001), ("E", "B", 0.001), ("E", "C", 0.04), ("D", "A", 0.001), ("D", "B", 0.03)
    )
    assert found.statement("nCG") == "E > B, A**; E > C*; D > A**; D > B*"
    assert found.beaten("nCG", CONOVER, "E") == {"**": ["B", "A"], "*": ["C"]}
    assert found.beaten("nCG", CONOVER, "C") == {}


def test_alpha_decides_and_stars_only_mark():
    tests = [("E", "A", 0.001), ("E", "B", 0.04), ("E", "C", 0.08)]
    assert made_up(*tests, alpha=0.1).statement("nCG") == "E > A**; E > B*; E > C"
    assert made_up(*tests, alpha=0.01).statement("nCG") == "E > A**"


def test_where_smaller_is_better_the_sign_and_the_order_turn():
    found = made_up(("A", "E", 0.001), ("B", "E", 0.001), measure="NDPM")
    assert found.best_first("NDPM") == list("ABCDE")
    assert found.statement("NDPM") == "A, B < E**"


def test_a_smaller_ndpm_is_the_better_one_in_every_test(values):
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


def test_conover_speaks_for_ranks_and_tukey_hsd_for_means():
    # A is ahead in most topics, but far behind in one.
    array = np.array([[0.3] * 11 + [0.0], [0.29] * 11 + [1.0], [0.1] * 12])
    found = compare_values(of_array(array), permutations=100)
    pair = {name: found.find("nDCG_JK", name)[0] for name in (CONOVER, TUKEY_HSD)}
    assert (pair[CONOVER].better, pair[TUKEY_HSD].better) == ("A", "B")
    assert pair[CONOVER].difference < 0
    assert found.statement("nDCG_JK") == "B > C**; A > B, C**"
    np.testing.assert_allclose(found.ranks[:, 0], [(11 + 3) / 12, (22 + 1) / 12, (33 + 2) / 12])


def test_wilcoxon_speaks_for_the_larger_sum_of_ranks():
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


def test_two_runs_are_too_few_for_friedman_and_enough_for_the_others():
    found = compare_values(of_array([[0.1, 0.2, 0.4], [0.3, 0.5, 0.5]]), baseline="A", permutations=50)
    (friedman,) = found.find("nDCG_JK", FRIEDMAN)
    assert (friedman.statistic, friedman.p) == (None, None)
    assert friedman.note == "undefined: fewer than 3 runs"
    assert found.find("nDCG_JK", CONOVER) == []
    for name in (ANOVA_RUNS, TUKEY_HSD, PAIRED_T, WILCOXON):
        assert 0 < found.find("nDCG_JK", name)[0].p <= 1
    assert dict(zip(*(found.table()[0], found.table()[1][0])))["Friedman p"] == "undefined: fewer than 3 runs"


def test_conover_is_left_out_where_friedman_is_not_significant():
    array = np.random.default_rng(0).random((3, 10))
    found = compare_values(of_array(array), permutations=50)
    assert found.find("nDCG_JK", FRIEDMAN)[0].p > 0.05
    assert found.find("nDCG_JK", CONOVER) == []
    assert found.statement("nDCG_JK") == ""
    loose = compare_values(of_array(array), permutations=50, alpha=0.999)
    assert len(loose.find("nDCG_JK", CONOVER)) == 3


@pytest.mark.parametrize("number", [0.0, 0.5, 0.1 + 0.2])
def test_where_all_values_are_equal_tests_of_all_runs_are_undefined_and_pairs_have_p_1(number):
    found = compare_values(of_array(np.full((3, 5), number)), baseline="B", permutations=50)
    for name in (FRIEDMAN, ANOVA_RUNS, ANOVA_TOPICS):
        (test,) = found.find("nDCG_JK", name)
        assert (test.statistic, test.p) == (None, None)
        assert test.note.startswith("undefined: all ")
    for name in (TUKEY_HSD, PAIRED_T, WILCOXON):
        for test in found.find("nDCG_JK", name):
            assert (test.p, test.better, test.difference, test.effect_size) == (1.0, None, 0.0, 0.0)
    assert found.statement("nDCG_JK", TUKEY_HSD) == found.statement("nDCG_JK", PAIRED_T) == ""


def test_equal_runs_that_vary_over_topics_leave_nothing_to_measure_runs_by():
    found = compare_values(of_array([[0.1, 0.5, 0.3]] * 3), permutations=50)
    assert found.find("nDCG_JK", FRIEDMAN)[0].note == "undefined: all runs are equal in every topic"
    assert found.find("nDCG_JK", ANOVA_RUNS)[0].note == "undefined: nothing varies but runs and topics"


def test_a_run_equal_to_the_baseline_counts_in_the_correction():
    array = [[0.1, 0.5, 0.3, 0.2], [0.1, 0.5, 0.3, 0.2], [0.2, 0.7, 0.6, 0.9]]
    found = compare_values(of_array(array), baseline="A", permutations=50)
    equal, other = found.find("nDCG_JK", PAIRED_T)
    assert (equal.p, equal.adjusted, equal.note) == (1.0, 1.0, "the two are equal in every topic")
    assert other.adjusted == pytest.approx(2 * other.p)


def test_a_difference_that_never_varies_has_no_statistic_and_p_0():
    found = compare_values(of_array([[0.1, 0.5, 0.3], [0.4, 0.8, 0.6]]), baseline="A", permutations=50)
    (test,) = found.find("nDCG_JK", PAIRED_T)
    assert (test.statistic, test.p, test.better, test.effect_size) == (None, 0.0, "B", None)
    assert test.note == "the difference is the same in every topic"


def test_where_all_topics_rank_the_runs_alike_conover_has_p_0():
    array = np.array([[0.1], [0.2], [0.2], [0.3]]) + np.array([[0.0, 0.1, 0.5, 0.2]])
    array[3] += [0, 0.01, 0, 0]
    found = compare_values(of_array(array), permutations=50)
    p_values = {(test.run, test.other): test.p for test in found.find("nDCG_JK", CONOVER)}
    assert p_values.pop(("B", "C")) == 1.0
    assert set(p_values.values()) == {0.0}
    assert found.statement("nDCG_JK") == "D > B, C, A**; B, C > A**"


def test_values_that_are_equal_but_for_rounding_errors_are_tied():
    array = np.array([[0.1 + 0.2, 0.7, 0.4], [0.3, 0.7, 0.1 + 0.2 + 0.1], [0.1, 0.2, 0.9]])
    assert array[0, 0] != array[1, 0]
    exact = array.round(6)
    ours = compare_values(of_array(array), permutations=50).find("nDCG_JK", FRIEDMAN)[0]
    assert ours.statistic == pytest.approx(stats.friedmanchisquare(*exact).statistic)


@pytest.mark.parametrize(
    ("array", "options", "message"),
    [
        ([[0.1, 0.2]], {}, "a comparison takes at least 2 runs; there is 1"),
        ([[0.1], [0.2]], {}, "a comparison takes at least 2 topics; there is 1"),
        ([[0.1, 0.2]] * 2, {"baseline": "a"}, "the baseline 'a' is not among the runs A, B"),
        ([[0.1, 0.2]] * 2, {"alpha": 0}, "alpha=0 is not allowed; it is above 0 and below 1, as 0.05"),
        ([[0.1, 0.2]] * 2, {"alpha": 1.0}, "alpha=1.0 is not allowed"),
        ([[0.1, 0.2]] * 2, {"permutations": 0}, "permutations=0 is not allowed; it is a whole number ≥ 1"),
        ([[0.1, 0.2]] * 2, {"permutations": 1.5}, "permutations=1.5 is not allowed"),
        ([[0.1, 0.2]] * 2, {"seed": -1}, "seed=-1 is not allowed; it is a whole number ≥ 0"),
        ([[0.1, 0.2]] * 2, {"seed": True}, "seed=True is not allowed"),
    ],
)
def test_what_cannot_be_compared_is_refused(array, options, message):
    with pytest.raises(GradedError) as error:
        compare_values(of_array(array), **options)
    assert str(error.value).startswith(message)


def test_a_baseline_that_is_nearly_a_run_is_suggested():
    runs = {"bm25": {"q": {"a": 1.0}}, "bm25+rm3": {"q": {"a": 1.0}}}
    with pytest.raises(GradedError, match=r"among the runs bm25, bm25\+rm3; did you mean 'bm25'\?"):
        compare({"q": {"a": 1}, "p": {"a": 1}}, runs, ["CG"], baseline="bm2")


@pytest.mark.parametrize("missing", ["scipy.stats", "scikit_posthocs", "statsmodels.formula.api"])
def test_without_the_extra_the_message_names_it(values, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(GradedError, match=r"pip install 'ir-measures-graded\[stats\]'"):
        compare_values(values, permutations=10)


def test_without_the_extra_no_run_is_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
    with pytest.raises(GradedError, match="this analysis needs scikit_posthocs, which is not installed"):
        compare({"q": {"a": 1}}, {"bad": 5}, ["CG"])


# ------------------------------------------------------------------------------ tables, figures


def test_the_table_of_the_paper_has_a_row_a_measure(found):
    columns, rows = found.table()
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


def test_the_table_by_run_has_letters_in_the_order_of_each_measure(found):
    columns, rows = found.table_by_run()
    assert columns[:6] == ["measure", "", "run", "mean", "mean rank", CONOVER]
    assert len(rows) == 4 * 5
    for number, measure in enumerate(found.measures):
        block = rows[5 * number : 5 * number + 5]
        assert [row[1] for row in block] == list("ABCDE")
        assert [row[2] for row in block] == found.best_first(measure)
        means = [row[3] for row in block]
        assert means == sorted(means, reverse=measure.NAME != "NDPM")
        assert [type(row[-1]) for row in block] == [type(block[0][-1]), *[type(None)] * 4]
        best = found.beaten(measure, CONOVER, block[0][2])
        order = found.best_first(measure)
        letters = {"ABCDE"[order.index(run)] for runs in best.values() for run in runs}
        spans = block[0][5].replace("*", "").replace("; ", ", ").split(", ") if block[0][5] else []
        shown = {letter for span in spans for letter in "ABCDE" if span[0] <= letter <= span[-1]}
        assert shown == letters


def test_records_hold_every_mean_and_every_test(found):
    columns, rows = found.records()
    records = [dict(zip(columns, row)) for row in rows]
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


def test_the_figure_shades_what_is_significant(found, tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    figure = found.figure()
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


def test_p_values_as_text_are_0_only_where_they_are_0():
    found = made_up(("E", "A", 1e-7), ("E", "B", 0.0), ("E", "C", 0.25))
    columns, rows = found.records()
    place = columns.index("p")
    assert [f"{row[place]:.4f}" for row in rows[-3:]] == ["1.0e-07", "0.0000", "0.2500"]
    assert json.dumps([row[place] for row in rows[-3:]]) == "[1e-07, 0.0, 0.25]"


# ---------------------------------------------------------------------------- the command line


def command(*argv):
    return subprocess.run(
        [*PROGRAM, "compare", *map(str, argv)], capture_output=True, text=True, check=False, encoding="utf-8"
    )


def test_the_command_prints_the_table_and_draws_the_figure(tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    runs = demo.run_paths().values()
    figure = tmp_path / "x.png"
    done = command(demo.NAME, *runs, MEASURE, "AP", "-f", "markdown", "-o", figure, "--permutations", 200)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    assert " Friedman p | ANOVA p | Conover" in lines[0]
    assert lines[2].startswith("| nDCG_JK(avg=True,gains={2:10,3:100})@100 |")
    assert ".run > A.run" in lines[2]
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_the_command_prints_everything_for_programs():
    runs = demo.run_paths()
    argv = [demo.NAME, *runs.values(), MEASURE, "--baseline", runs["A"], "--permutations", 300, "--seed", 4]
    done = command(*argv, "-f", "jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    expected = compare(
        demo.qrels_path(), {path.name: path for path in runs.values()}, [MEASURE],
        baseline=runs["A"].name, permutations=300, seed=4,
    )  # fmt: skip
    tests = [record for record in records if record["test"] not in ("mean", "mean rank")]
    assert [(test["test"], test["p"]) for test in tests] == [(test.test, test.p) for test in expected.tests]
    assert {test["test"] for test in tests} == {
        FRIEDMAN, CONOVER, ANOVA_RUNS, ANOVA_TOPICS, TUKEY_HSD, PAIRED_T, WILCOXON,
    }  # fmt: skip


def test_many_runs_are_set_under_one_another(tmp_path, capsys):
    paths = []
    for number in range(9):
        path = tmp_path / f"run{number}"
        path.write_text("".join(f"q{n} 0 d{(n * number) % 4} 1 1 x\n" for n in range(6)))
        paths.append(path)
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 d{d} {d}\n" for n in range(6) for d in range(4)))
    assert cli.main(["compare", *map(str, (tmp_path / "qrels", *paths)), "CG@1", "--permutations", "50"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["measure", "run", "mean"]
    assert [line.split()[1] for line in lines[1:]] == list("ABCDEFGHI")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["A"], "no measure is given"),
        (["A", "AP"], "a comparison takes at least 2 runs; there is 1"),
        (["AP"], "no run is given"),
        (["A", "B", "AP", "--baseline", "C"], "the baseline 'C.run' is not among the runs A.run, B.run"),
        (["A", "B", "AP", "--alpha", "2"], "alpha=2.0 is not allowed"),
        (["A", "B", "AP", "-o", "x.gif"], "'x.gif': a figure's file ends in"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(capsys, argv, message):
    runs = demo.run_paths()
    argv = [runs.get(word, word) for word in argv]
    status = cli.main(["compare", demo.NAME, *map(str, argv)])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith(f"ir_measures_graded: error: {message}")
    assert err.count("\n") == 1
