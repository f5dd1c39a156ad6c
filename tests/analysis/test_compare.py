"""Means and tests of several runs: equality with SciPy and others, undefined cases, tables."""

import itertools
import json
import re
import sys
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from evaluations import of_array

from ir_measures_graded import GradedError, demo, parse_measure
from ir_measures_graded.analysis import Evaluation, compare, evaluate
from ir_measures_graded.analysis.comparing.judgments import ValuesOverTies
from ir_measures_graded.analysis.comparing.tests import PAIRED_T, TESTS, Further
from ir_measures_graded.analysis.statistics.corrections import CORRECTIONS
from ir_measures_graded.analysis.statistics.primary import CONSTANT, EQUAL, TWO_MORE, UNTESTED
from ir_measures_graded.analysis.statistics.resampling import randomisation, tukey_hsd
from ir_measures_graded.analysis.statistics.student import detectable_effect
from ir_measures_graded.analysis.statistics.tests import two_way_anova, wilcoxon
from ir_measures_graded.output import formats

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
multitest = pytest.importorskip(
    "statsmodels.stats.multitest", reason="statsmodels is not installed"
)
anova = pytest.importorskip("statsmodels.stats.anova", reason="statsmodels is not installed")
formula = pytest.importorskip("statsmodels.formula.api", reason="statsmodels is not installed")

MEASURE = "nDCG_JK(gains=0:0,1:1,2:10,3:100,avg=True)@100"
FLAT = "nCG(gains=2:1,3:1)@100"
ALL_TESTS = {"tests": TESTS, "resamples": 500.0, "seed": 0.0}
FRIEDMAN = "Friedman"
ANOVA_RUNS = "ANOVA: runs"
ANOVA_TOPICS = "ANOVA: topics"
CONOVER = "Conover"
TUKEY_HSD = "Tukey HSD"
WILCOXON = "Wilcoxon"
RANDOMISATION = "randomisation"
OF_PAIRS = (CONOVER, TUKEY_HSD, WILCOXON, RANDOMISATION)


@pytest.fixture(scope="module")
def values():
    """Five runs over twenty topics."""
    return evaluate(demo.qrels_path(), demo.run_paths(), [MEASURE, FLAT, "NDPM", "P@5"])


@pytest.fixture(scope="module")
def against_a(values):
    return compare(values, baseline="A", **ALL_TESTS)


@pytest.fixture(scope="module")
def all_pairs(values):
    return compare(values, **ALL_TESTS)


# ---------------------------------------------------------------- the primary procedure


def holm_adjusted(p_values):
    return multitest.multipletests(p_values, method="holm")[1]


def expected_interval(differences, level, significant):
    """Student's interval. Of a significant difference it is cut at 0, so that p and it agree."""
    mean = differences.mean()
    error = stats.sem(differences)
    lower, upper = stats.t.interval(level, len(differences) - 1, mean, error)
    if significant and mean > 0:
        lower = max(lower, 0)
    elif significant:
        upper = min(upper, 0)
    return lower, upper


def test_primary_tests_equal_those_of_scipy_and_statsmodels(values, against_a, all_pairs):
    for comparison, size in ((against_a, 4), (all_pairs, 10)):
        for measure in values.measures:
            of_run = dict(zip(values.runs, values.of(measure)))
            tests = comparison.find(measure)
            assert len(tests) == size
            peers = [stats.ttest_rel(of_run[test.run], of_run[test.other]) for test in tests]
            adjusted = holm_adjusted([peer.pvalue for peer in peers])
            for test, peer, holm in zip(tests, peers, adjusted):
                differences = of_run[test.run] - of_run[test.other]
                mean = differences.mean()
                deviation = differences.std(ddof=1)
                lower, upper = expected_interval(differences, 0.95 ** (1 / size), holm < 0.05)
                assert (test.lower, test.upper) == pytest.approx((lower, upper))
                assert (test.difference, test.effect_size) == pytest.approx(
                    (mean, mean / deviation)
                )
                assert test.statistic == pytest.approx(peer.statistic, rel=1e-9)
                assert test.p == pytest.approx(peer.pvalue, rel=1e-9)
                assert test.adjusted == pytest.approx(holm)
                assert test.significant == (holm < 0.05)
                detectable = deviation * detectable_effect(20, 0.05 / size)
                assert test.detectable == pytest.approx(detectable)
                run_is_better = mean < 0 if measure.NAME == "NDPM" else mean > 0
                better = test.run if run_is_better else test.other
                assert test.better == better


def few_changes_interval(differences, width, level):
    """The interval of the differences with two more topics, at the ends of what is possible."""
    extended = np.append(differences, [width, -width])
    error = stats.sem(extended)
    return stats.t.interval(level, len(extended) - 1, extended.mean(), error)


@pytest.mark.parametrize("changed", [0, 1, 5, 9, 10])
def test_few_changes_widen_the_interval_and_leave_no_mde(changed):
    base = np.random.default_rng(0).random(50) / 2
    other = base + 0.5 * (np.arange(50) < changed)
    array = np.stack([base, other, base[::-1]])
    test, _ = compare(of_array(array), baseline="A").find("nDCG_JK")
    level = 0.95**0.5
    if changed < 10:
        expected = few_changes_interval(other - base, 1, level)
        assert test.detectable is None
        if changed:
            assert test.note.startswith(
                f"only {changed} of 50 topics differ; the interval is that of"
            )
    else:
        difference = other - base
        expected = stats.t.interval(level, 49, difference.mean(), stats.sem(difference))
        assert test.detectable is not None
        assert test.note == ""
    lower, upper = expected
    if test.significant:
        lower = max(lower, 0)
    assert test.lower == pytest.approx(lower)
    assert test.upper == pytest.approx(upper)


@pytest.mark.parametrize("measure", ["CG", "faithfulness"])
def test_few_changes_of_a_measure_without_a_range_give_no_interval(measure):
    base = np.zeros(50)
    other = base + (np.arange(50) < 3)
    (test,) = compare(of_array([base, other], measure)).find(measure)
    assert (test.lower, test.upper, test.detectable) == (None, None, None)
    assert test.note.startswith("only 3 of 50 topics differ; no interval, because the range")
    # Fewer than 10 topics, of which most differ, have the plain interval.
    (test,) = compare(of_array([base[:8], np.arange(8.0)], measure)).find(measure)
    assert test.lower is not None


def test_topics_without_a_value_are_left_out_of_tests():
    array = np.random.default_rng(2).random((2, 30))
    gaps = np.zeros((2, 30), dtype=bool)
    gaps[0, :3] = True
    gaps[1, 5] = True
    comparison = compare(of_array(array, "Accuracy@2", unreported=gaps))
    kept = array[:, ~gaps.any(axis=0)]
    (test,) = comparison.find("Accuracy@2")
    assert test.p == pytest.approx(stats.ttest_rel(*kept).pvalue)
    assert comparison.values[:, 0] == pytest.approx(kept.mean(axis=1))
    assert "nan" not in "".join(comparison.lines("text", 4))
    assert "no value for 1 to 3 of 30 topics of A and B" in "\n".join(comparison.notes())


CORRECTION_PEERS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_corrections_equal_those_of_statsmodels(values, correction):
    comparison = compare(values, baseline="A", tests=["wilcoxon"], correction=correction)
    for measure in values.measures:
        for name in (PAIRED_T, WILCOXON):
            tests = comparison.find(measure, name)
            expected = [test.p for test in tests]
            if correction != "none":
                method = CORRECTION_PEERS[correction]
                expected = multitest.multipletests(expected, method=method)[1]
            assert [test.adjusted for test in tests] == pytest.approx(list(expected))
    notes = " ".join(comparison.notes())
    assert ("false discovery rate" in notes) == (correction == "bh")


def test_randomisation_draws_enough_samples_or_is_refused():
    array = np.random.default_rng(0).normal(0, 0.1, (8, 30))
    array += np.arange(8)[:, None]
    comparison = compare(of_array(array), tests=["randomisation"], resamples=100)
    tests = comparison.find("nDCG_JK", RANDOMISATION)
    assert len(tests) == 28
    assert all(test.significant for test in tests)
    with pytest.raises(GradedError, match="needs at least 2,800,000 resamples"):
        compare(of_array(array), tests=["randomisation"], resamples=100, alpha=0.00002)
    message = "with a correction for 100,000 comparisons needs at least 4,000,000 resamples"
    with pytest.raises(GradedError, match=message):
        compare(of_array(array[:2]), tests=["randomisation"], comparisons=100_000)


def test_randomisation_that_takes_more_than_half_an_hour_is_refused():
    correction = next(method for method in CORRECTIONS.values() if method.is_corrected)
    further = Further(("randomisation",), 0.05, correction, resamples=10_000, seed=0)
    assert further._enough_resamples(4_950, 4_000) == 1_000_000
    one_of_many = replace(further, comparisons=25_000)
    assert one_of_many._enough_resamples(1, 5_000) == 1_000_000
    message = "4,950 pairs over 5,000 topics needs 1,000,000 resamples"
    with pytest.raises(GradedError, match=message):
        further._enough_resamples(4_950, 5_000)


def test_tukeys_test_that_takes_more_than_half_an_hour_is_refused():
    with pytest.raises(GradedError, match="8 runs over 30 topics with 200,000,000 resamples takes"):
        compare(of_array(np.zeros((8, 30))), tests=["tukey"], resamples=200_000_000)


@pytest.mark.parametrize("topics", [3, 9])
def test_the_randomisation_of_many_pairs_equals_scipys_of_each(topics):
    values = np.random.default_rng(topics).integers(0, 4, (4, topics)) / 3
    pairs = list(combinations(range(4), 2))
    outcomes = randomisation(values, pairs, 1000, seed=0)
    for (run, other), outcome in zip(pairs, outcomes):
        differences = values[run] - values[other]
        peer = stats.permutation_test((differences,), np.mean, permutation_type="samples")
        assert outcome.p == pytest.approx(peer.pvalue)
        assert outcome.statistic == pytest.approx(peer.statistic)


def test_no_pair_of_many_runs_lacks_a_p_of_the_randomisation_test():
    array = np.random.default_rng(0).normal(0, 0.1, (20, 50)) + np.arange(20)[:, None] / 20
    tests = compare(of_array(array), tests=["randomisation"]).find("nDCG_JK", RANDOMISATION)
    assert len(tests) == 190
    assert all(test.adjusted is not None for test in tests)
    assert tests[0].significant or tests[18].significant


def test_wilcoxon_of_few_topics_with_ties_permutes_nothing(monkeypatch):
    monkeypatch.setattr(stats, "wilcoxon", None)
    array = np.random.default_rng(0).integers(0, 4, (8, 13)) / 3
    tests = compare(of_array(array), tests=["wilcoxon"]).find("nDCG_JK", WILCOXON)
    assert len(tests) == 28
    assert all(0 < test.p <= 1 for test in tests)


def test_the_topics_that_fell_most_come_first_by_the_sign_of_the_measure():
    runs = {"a": {}, "b": {}}
    qrels = {}
    for number in range(12):
        documents = {"x": 3.0, "y": 2.0, "z": 1.0}
        topic = f"q{number}"
        qrels[topic] = {"x": 1}
        runs["a"][topic] = documents
        fallen = {2: 1.5, 7: 0.5}.get(number, 4.0)
        runs["b"][topic] = documents | {"x": fallen}
    found = compare(qrels, runs, ["RR", "ASL"])
    rows = found.topic_differences
    assert len(rows) == 24
    of_rr, of_asl = rows[rows.measure == "RR"], rows[rows.measure == "ASL"]
    assert of_rr.topic.tolist()[:2] == of_asl.topic.tolist()[:2] == ["q7", "q2"]
    assert of_rr.difference.tolist()[:3] == [1 / 3 - 1, 1 / 2 - 1, 0]
    assert of_asl.difference.tolist()[:3] == [2, 1, 0]
    assert set(zip(rows.run, rows.other)) == {("b", "a")}
    assert of_rr.difference.mean() == pytest.approx(found.find("RR")[0].difference)


def test_a_difference_that_judgments_could_turn_says_so_in_its_sentence():
    """The judged documents are those of the old run; the new run finds others."""
    topics = [f"q{number}" for number in range(20)]
    documents = [f"o{rank}" for rank in range(10)]
    old = {topic: {doc: -rank for rank, doc in enumerate(documents)} for topic in topics}
    new = {topic: {f"n{rank}": -rank for rank in range(10)} for topic in topics}
    for number, topic in enumerate(topics):
        new[topic]["o9"] = number % 3
    qrels = {topic: {doc: int(doc < "o6") for doc in documents} for topic in topics}
    runs = {"old": old, "new": new}
    text = "but judgments of unjudged documents could turn the sign"
    comparison = compare(qrels, runs, ["nDCG_JK@10"])
    (test,) = comparison.outcomes
    assert test.winner == "old"
    assert test.may_turn is True
    assert comparison.answer()[0].endswith(f", {text}.")
    assert comparison.notes()[-1] == "Unjudged of the top 10 documents: 0 % of old, 90 % of new."
    deeper = compare(qrels, runs, ["nDCG_JK@5", "nDCG_JK@10"]).notes()
    assert deeper[-1] == comparison.notes()[-1]
    of_five = compare(qrels, {"old": old, "third": old}, ["nDCG_JK@5"]).notes()
    assert of_five[-1] == "All of the top 5 documents of the runs are judged."
    against = compare(qrels, runs | {"third": old}, ["nDCG_JK@10"], baseline="old")
    assert against.answer()[0].endswith(
        f"new is significantly worse than old, by 1.0000, {text} for new."
    )
    judged = {topic: qrels[topic] | dict.fromkeys(new[topic], 0) for topic in topics}
    settled = compare(judged, runs, ["nDCG_JK@10"])
    assert settled.outcomes[0].may_turn is False
    assert text not in settled.answer()[0]


def test_above_15_pairs_the_best_run_is_compared_with_the_next():
    array = np.random.default_rng(0).normal(0, 0.1, (14, 30)) + np.arange(14)[:, None]
    comparison = compare(of_array(array), tests=["wilcoxon"])
    table, further = comparison.tables()
    assert [row[1] for row in table.rows] == list("NMLKJIHGFED")
    best, second = table.rows[:2]
    assert best[2:5] == [comparison.mean(comparison.measures[0], "N"), "best run", None]
    test = comparison.find("nDCG_JK")[0].turned()
    assert (test.run, test.other) == ("M", "N")
    expected = [test.difference, test.lower, test.upper, test.adjusted, test.effect_size]
    assert second[3:8] == expected
    assert [row[1:3] for row in further.rows] == [[run, "N"] for run in "MLKJIHGFED"]
    assert "There are 91 differences by each measure" in " ".join(comparison.notes())


def test_the_worse_runs_are_named_as_the_better_ones():
    array = np.random.default_rng(0).normal(0, 0.1, (3, 30)) + np.array([[0], [1], [-1]])
    answer = compare(of_array(array), baseline="A").answer()[0]
    worse = "C is significantly worse than A, by .9704."
    assert answer.endswith(f"; B is significantly better than A, by 1.0398; {worse}")


def test_the_smallest_and_the_largest_difference_are_named_and_are_no_interval():
    array = np.random.default_rng(0).normal(0, 0.1, (4, 30)) + np.array([[0], [1], [3], [2]])
    answer = compare(of_array(array), baseline="A").answer()[0]
    who = "; C, D and B are significantly better than A, by "
    sizes = who + r"(1\.0\d+) \(B\) to (3\.0\d+|2\.9\d+) \(C\)\."
    assert re.search(sizes, answer), answer


def test_the_order_of_a_measure_changes_no_test():
    """Groups have the same order."""
    array = np.random.default_rng(0).normal(0, 0.1, (4, 30)) + np.array([[0], [1], [3], [2]])
    group = {f"q{number}": "ab"[number % 2] for number in range(30)}
    comparison = compare(of_array(array), by=group)
    ordered = comparison.sorted_by(comparison.measures[0])
    assert ordered.runs == ordered.groups["a"].runs == tuple("CDBA")
    for run in comparison.runs:
        assert ordered.mean(comparison.measures[0], run) == comparison.mean(
            comparison.measures[0], run
        )
    assert ordered.outcomes == comparison.outcomes
    assert [row[2] for row in ordered.data("means").rows][:4] == list("CDBA")


def test_comparisons_corrects_for_others_too(values):
    few = compare(values, baseline="A", comparisons=9, tests=["wilcoxon"])
    assert few.family == 9
    for name in ("paired t", WILCOXON):
        for measure in values.measures:
            tests = few.find(measure, name)
            p = [test.p for test in tests]
            # The p-values of the five others are unknown, and 1 at most.
            expected = holm_adjusted([*p, *[1.0] * 5])[: len(p)]
            np.testing.assert_allclose([test.adjusted for test in tests], expected, rtol=1e-12)
    of_two = values.part(["A", "B"], values.measures)
    pair = compare(of_two, comparisons=5)
    for measure in values.measures:
        (test,) = pair.find(measure)
        a, b = of_two.of(measure)
        assert test.adjusted == pytest.approx(min(1, 5 * test.p))
        bounds = expected_interval(b - a, 0.95**0.2, test.significant)
        np.testing.assert_allclose([test.lower, test.upper], bounds, atol=1e-12)
        assert test.detectable == pytest.approx(
            detectable_effect(20, 0.01) * np.std(b - a, ddof=1), rel=1e-9
        )
    family = "Holm's correction for 5 comparisons (this one and 4 others)"
    assert f"paired t over 20 topics with {family}" in pair.answer()[0]
    assert "for 5 comparisons (this one and 4 others)" in pair.notes()[0]
    assert "5 comparisons per measure (this one and 4 others)" in pair.papers()[0].caption


def test_single_comparison_has_no_correction(values):
    pair = values.part(["A", "B"], values.measures)
    for comparison in (compare(pair, tests=["wilcoxon"]), compare(pair, comparisons=1)):
        words = [*comparison.answer(), *comparison.notes()]
        words += [table.title for table in comparison.tables()]
        assert "correction" not in " ".join(words)


def test_fewer_comparisons_than_those_of_the_call_are_refused(values):
    with pytest.raises(GradedError, match=r"10 differences by a measure are tested.*10 or more"):
        compare(values, comparisons=9)
    with pytest.raises(GradedError, match="7 differences by a measure are tested here"):
        compare(values, comparisons=6, baseline=["A", "B"])
    assert compare(values, comparisons=7, baseline=["A", "B"]).family == 7
    groups = {topic: str(number % 2) for number, topic in enumerate(values.topics)}
    with pytest.raises(GradedError, match="20 differences by a measure are tested"):
        compare(values, comparisons=10, by=groups)
    with pytest.raises(GradedError, match=r"comparisons=1000000001 is not allowed.*from 1 to"):
        compare(values, comparisons=10**9 + 1)
    with pytest.raises(GradedError, match="correction='none' makes none"):
        compare(values, comparisons=10, correction="none")


# ------------------------------------------------------- several baselines, repeats, groups


def test_each_of_several_baselines_has_a_family_of_its_own():
    array = np.random.default_rng(1).normal(0, 0.1, (4, 30)) + np.arange(4)[:, None] / 20
    values = of_array(array)
    comparison = compare(values, baseline=["A", "C"], tests=["wilcoxon"])
    for baseline in "AC":
        single = compare(values, baseline=baseline, tests=["wilcoxon"])
        for name in (PAIRED_T, WILCOXON):
            tests = comparison.find("nDCG_JK", name)
            against_baseline = [test for test in tests if test.other == baseline]
            assert against_baseline == single.find("nDCG_JK", name)
        assert single.answer()[0] in comparison.answer()
    titles = [table.title for table in comparison.tables()]
    assert titles[:2] == ["Against A", "Against C"]
    assert "2 families of 3 differences were tested, one for each baseline." in comparison.notes()
    assert "(a: A, b: C)" in comparison.papers()[0].caption


def repeated_runs():
    """A system of one run, and two of three repeats."""
    generator = np.random.default_rng(2)
    hard = generator.random(40)
    effects = {
        "bm25": 0.0,
        "t5-seed1": 0.2,
        "t5-seed2": 0.25,
        "t5-seed3": 0.3,
        "tas-seed1": 0.1,
        "tas-seed2": 0.15,
    }
    rows = [hard + effect + generator.normal(0, 0.05, 40) for effect in effects.values()]
    return replace(of_array(rows), runs=tuple(effects))


@pytest.mark.parametrize("repeats", ["*-seed?", {f"t5-seed{n}": "t5" for n in "123"}])
def test_repeats_are_compared_by_their_means_over_topics(repeats):
    evaluation = repeated_runs()
    comparison = compare(evaluation, baseline="bm25", repeats=repeats)
    bm25 = evaluation.of("nDCG_JK")[0]
    t5 = evaluation.of("nDCG_JK")[1:4]
    test = comparison.find("nDCG_JK")[0]
    assert (test.run, test.other) == ("t5", "bm25")
    peer = stats.ttest_rel(t5.mean(axis=0), bm25)
    assert test.p == pytest.approx(peer.pvalue, rel=1e-9)
    (row,) = [row for row in comparison.means.to_dict("records") if row["run"] == "t5"]
    assert row["repeats"] == 3
    assert row["deviation"] == pytest.approx(t5.mean(axis=1).std(ddof=1))
    assert f"{row['mean']:.4f}</b> ± {row['deviation']:.4f}" in comparison.to_html()


@pytest.mark.parametrize(
    ("repeats", "reason"),
    [
        ("seed", "first \\* stands for the system"),
        ("*-epoch?", "no system has several"),
        ({"x": "y"}, "names the run 'x'"),
    ],
)
def test_repeats_that_fit_no_runs_are_refused(repeats, reason):
    with pytest.raises(GradedError, match=reason):
        compare(repeated_runs(), repeats=repeats)


def test_top_shows_the_best_runs_and_keeps_the_tests_of_all():
    array = np.random.default_rng(0).normal(0, 0.1, (8, 30)) + np.arange(8)[:, None] / 10
    whole = compare(of_array(array))
    best = compare(of_array(array), top=3)
    assert best.runs == ("F", "G", "H")
    kept = [test for test in whole.outcomes if test.run in "FGH" and test.other in "FGH"]
    assert list(best.outcomes) == kept
    assert "for 28 differences" in best.notes()[0]
    assert "3 of 8 runs are shown" in " ".join(best.notes())
    assert compare(of_array(array), top=2, baseline="A").runs == ("A", "G", "H")


def test_further_tests_are_made_within_groups_with_one_correction_for_all():
    array = np.random.default_rng(3).normal(0, 0.1, (3, 45)) + np.array([[0], [0.02], [0.1]])
    groups = {f"q{number}": "few" for number in range(5)}
    groups |= {f"q{number}": "one" for number in range(5, 25)}
    groups |= {f"q{number}": "two" for number in range(25, 45)}
    comparison = compare(of_array(array), by=groups, tests=["wilcoxon", "anova"])
    of_run = dict(zip("ABC", array))
    tests = []
    for topics, name in ((slice(5, 25), "one"), (slice(25, 45), "two")):
        for test in comparison.groups[name].find("nDCG_JK", WILCOXON):
            peer = stats.wilcoxon(of_run[test.run][topics], of_run[test.other][topics])
            assert test.p == pytest.approx(peer.pvalue)
            tests.append(test)
        assert comparison.groups[name].find("nDCG_JK", ANOVA_RUNS)[0].p is not None
    assert comparison.groups["few"].find("nDCG_JK", WILCOXON) == []
    adjusted = holm_adjusted([test.p for test in tests])
    assert [test.adjusted for test in tests] == pytest.approx(list(adjusted))
    titles = [table.title for table in comparison.tables()]
    assert "one (20 topics): Wilcoxon, Holm's correction for 6 comparisons" in titles


# ---------------------------------------------------------------- undefined cases


def test_equal_runs_have_p_1_and_the_interval_of_few_changes():
    array = np.random.default_rng(0).random((2, 12))
    comparison = compare(of_array([array[0], array[0], array[1]]), baseline="A", **ALL_TESTS)
    for name in (PAIRED_T, WILCOXON, RANDOMISATION, TUKEY_HSD):
        equal, _ = comparison.find("nDCG_JK", name)
        assert (equal.p, equal.better, equal.significant) == (1.0, None, False)
    equal, other = comparison.find("nDCG_JK")
    _, reach = few_changes_interval(np.zeros(12), 1, 0.95**0.5)
    assert (equal.difference, equal.effect_size) == (0, 0)
    assert (equal.lower, equal.upper) == pytest.approx((-reach, reach))
    assert (equal.statistic, equal.detectable, equal.note) == (None, None, EQUAL + TWO_MORE)
    assert other.adjusted == pytest.approx(min(1, 2 * other.p))  # equal runs count in the family
    rounding = of_array([array[0], array[0] + 1e-14 * np.arange(12)])
    assert compare(rounding).find("nDCG_JK")[0].note == EQUAL + TWO_MORE


@pytest.mark.parametrize("topics", [2, 6, 12, 50, 2000])
def test_constant_difference_has_the_p_of_the_exact_sign_flip_test(topics):
    array = np.linspace(0.1, 0.4, topics)
    (constant,) = compare(of_array([array, array + 0.5])).find("nDCG_JK")
    assert constant.difference == pytest.approx(0.5)
    assert float(constant.p) == max(2.0 ** (1 - topics), np.finfo(float).tiny)
    assert constant.statistic is None
    assert constant.lower is None
    assert constant.detectable is None
    assert constant.effect_size is None
    assert constant.significant == (topics >= 6)
    assert constant.note == CONSTANT


def test_constant_difference_takes_part_in_holms_correction():
    array = np.linspace(0.1, 0.7, 12)
    comparison = compare(of_array([array, array + 0.1, array[::-1]]), baseline="A")
    constant, other = comparison.find("nDCG_JK")
    assert (constant.p, constant.adjusted) == (2**-11, 2**-10)
    assert other.adjusted == other.p == pytest.approx(1)
    assert comparison.answer()[0].endswith("; B is significantly better than A, by .1000.")


def test_fewer_than_10_topics_show_intervals_but_no_significance_of_several_differences():
    array = np.arange(9) / 10 + np.array([[0.0], [1.0], [2.0]]) + np.eye(3, 9)
    for test in compare(of_array(array)).find("nDCG_JK"):
        assert (test.p, test.adjusted, test.significant) == (None, None, False)
        assert test.note == UNTESTED
        assert test.lower * test.upper > 0
    pair = compare(of_array(array[:2])).find("nDCG_JK")[0]
    assert (pair.significant, pair.note) == (True, "fewer than 10 topics differ")


def test_notes_say_what_the_tables_do_not(values):
    missing = np.zeros((5, 20), dtype=bool)
    on_open, on_tests, on_families = compare(replace(values, missing=missing)).notes()[3:6]
    assert on_open.startswith("By P@5, the tests cannot tell B from ")
    assert on_tests.startswith(
        "Paired t-tests over 20 topics, 95 % intervals (Student's t); p has Holm's"
    )
    assert on_families.startswith("4 families of 10 differences were tested; nDCG_JK")
    missing[1, 3:5] = True
    notes = compare(replace(values, missing=missing)).notes()
    assert notes[-2:] == [
        "B lacks 2 topics (358 and 360); the value there is that of an empty ranking.",
        "Unjudged of all documents: 42 % (E) to 51 % (A).",
    ]
    uncorrected = compare(values, correction="none", alpha=0.01).notes()
    by_chance = "No correction was made: of 100 equal pairs, on average one is called significant "
    assert f"{by_chance}by chance." in uncorrected


def test_interval_that_reaches_0_is_cut_where_holm_finds_a_difference():
    # Holm's second step is at α/1, the interval at α/2: p = .04 is significant, and its
    # interval reaches 0.
    noise = np.random.default_rng(1).normal(0, 1, (2, 30))
    clear = noise[0] - noise[0].mean() + 2
    slight = noise[1] - noise[1].mean() + 0.38
    comparison = compare(of_array([np.zeros(30), clear, slight]), baseline="A")
    test = comparison.find("nDCG_JK")[1]
    assert (test.run, test.significant, test.lower) == ("C", True, 0.0)
    assert test.difference == pytest.approx(0.38)


# ---------------------------------------------------------------- further tests


def test_conover_equals_scikit_posthocs(values, all_pairs):
    posthocs = pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")
    uncorrected = compare(values, tests=["conover"], correction="none")
    for measure in values.measures:
        peer = posthocs.posthoc_conover_friedman(values.of(measure).T).to_numpy()
        tests = all_pairs.find(measure, CONOVER)
        assert len(tests) == 10
        for test in tests:
            row = values.runs.index(test.run)
            column = values.runs.index(test.other)
            assert test.p == pytest.approx(peer[row, column], rel=1e-6)
        p_values = [test.p for test in tests]
        assert [test.adjusted for test in tests] == pytest.approx(holm_adjusted(p_values))
        assert [test.adjusted for test in uncorrected.find(measure, CONOVER)] == p_values
    assert uncorrected.tables()[2].title == "Conover, uncorrected"


def test_friedmans_test_equals_that_of_scipy(values, against_a):
    for measure in values.measures:
        peer = stats.friedmanchisquare(*values.of(measure))
        (test,) = against_a.find(measure, FRIEDMAN)
        assert (test.statistic, test.p) == pytest.approx(peer, rel=1e-9)


def test_anova_equals_that_of_statsmodels_and_does_not_overflow(values, against_a):
    frame = values.data().to_frame()
    for measure in values.measures:
        of_measure = frame[frame["measure"] == str(measure)]
        model = formula.ols("value ~ C(run) + C(topic)", of_measure).fit()
        peer = anova.anova_lm(model, typ=2)
        for name, factor in ((ANOVA_RUNS, "C(run)"), (ANOVA_TOPICS, "C(topic)")):
            test = against_a.find(measure, name)[0]
            assert test.statistic == pytest.approx(peer.loc[factor, "F"], rel=1e-10)
            assert test.p == pytest.approx(peer.loc[factor, "PR(>F)"], rel=1e-10)
    array = values.of(MEASURE)
    assert two_way_anova(2.0**700 * array) == two_way_anova(array)


def signed_rank_p(differences: np.ndarray) -> float:
    """Wilcoxon's exact p, from the sums of ranks for all signs of the differences."""
    moved = differences[differences != 0]
    ranks = stats.rankdata(np.abs(moved))
    sums = np.zeros(1)
    for rank in ranks:
        sums = np.concatenate([sums, sums + rank])
    distance = np.abs(sums - ranks.sum() / 2)
    observed = abs(ranks[moved > 0].sum() - ranks.sum() / 2)
    return float((distance >= observed - 1e-9).mean())


@pytest.mark.parametrize("topics", [2, 5, 13, 18])
def test_wilcoxon_is_exact_with_ties(topics):
    generator = np.random.default_rng(topics)
    for _ in range(20):
        differences = generator.integers(-2, 4, topics).astype(float)
        if differences.any():
            outcome = wilcoxon(differences, np.zeros(topics))
            assert outcome.p == pytest.approx(signed_rank_p(differences), rel=1e-12)


@pytest.mark.parametrize("topics", [10, 50, 51, 90])
def test_wilcoxon_without_ties_equals_scipy(topics):
    differences = np.random.default_rng(topics).normal(0.2, 1, topics)
    expected = stats.wilcoxon(differences)
    outcome = wilcoxon(differences, np.zeros(topics))
    assert outcome.statistic == expected.statistic
    assert outcome.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_wilcoxon_and_randomisation_equal_scipy_with_holms_correction(values, against_a):
    for measure in values.measures:
        base, *others = values.of(measure)
        signed_ranks = against_a.find(measure, WILCOXON)
        randomisations = against_a.find(measure, RANDOMISATION)
        for tests in (signed_ranks, randomisations):
            assert [(test.run, test.other) for test in tests] == [(run, "A") for run in "BCDE"]
            expected = holm_adjusted([test.p for test in tests])
            assert [test.adjusted for test in tests] == pytest.approx(expected)
        for signed_rank, random, other in zip(signed_ranks, randomisations, others):
            differences = (other - base).round(12)
            t_test = stats.ttest_1samp(differences, 0)
            assert signed_rank.p == pytest.approx(signed_rank_p(differences))
            assert random.p == pytest.approx(t_test.pvalue, abs=0.05)


def test_for_two_runs_anova_is_the_t_test_and_tukey_hsd_is_fishers_randomisation_test():
    array = np.random.default_rng(5).random((2, 8))
    comparison = compare(of_array(array), tests=TESTS, resamples=20_000)
    names = PAIRED_T, ANOVA_RUNS, TUKEY_HSD, RANDOMISATION
    t, anova, tukey, random = (comparison.find("nDCG_JK", name)[0] for name in names)
    assert anova.statistic == pytest.approx(t.statistic**2)
    assert anova.p == pytest.approx(t.p)
    signs = np.array(list(product([1, -1], repeat=8)))  # all 256 ways
    difference = array[1] - array[0]
    is_as_large = np.abs(signs @ difference) >= abs(difference.sum()) - 1e-12
    exact = is_as_large.mean()
    assert random.p == pytest.approx(exact)
    assert tukey.p == pytest.approx(exact, abs=0.01)


def test_tukey_hsd_depends_on_the_seed_but_not_on_the_order_of_runs(values):
    array = values.of(MEASURE)
    p_values = tukey_hsd(array, resamples=200, seed=7)
    np.testing.assert_array_equal(p_values, tukey_hsd(array, resamples=200, seed=7))
    np.testing.assert_array_equal(
        p_values[::-1, ::-1], tukey_hsd(array[::-1], resamples=200, seed=7)
    )
    assert (p_values != tukey_hsd(array, resamples=200, seed=8)).any()
    assert p_values.min() >= 1 / 201
    assert (np.diag(p_values) == 1).all()


def test_wilcoxon_keeps_ties_between_differences_of_rounded_values():
    a = np.array([1, 2, 3, 1, 2, 2, 3, 1, 2, 0]) / 3
    b = np.array([0, 1, 2, 0, 1, 1, 2, 2, 3, 1]) / 3
    assert wilcoxon(a, b).p == pytest.approx(0.3438, abs=5e-5)


def test_every_test_favours_the_smaller_ndpm(values, all_pairs):
    performance = evaluate(demo.qrels_path(), demo.run_paths(), ["NDPM(performance=True)"])
    mirrored = compare(performance, **ALL_TESTS)
    for name in (PAIRED_T, *OF_PAIRS):
        is_resampled = name in (TUKEY_HSD, RANDOMISATION)
        tolerance = 0.06 if is_resampled else 1e-12
        of_distance = all_pairs.find("NDPM", name)
        of_performance = mirrored.find("NDPM(performance=True)", name)
        for test, other in zip(of_distance, of_performance, strict=True):
            assert (test.run, test.other, test.better) == (other.run, other.other, other.better)
            assert test.p == pytest.approx(other.p, abs=tolerance)
            if name == PAIRED_T:
                assert test.difference == pytest.approx(-other.difference)


def test_each_test_favours_a_run_by_its_own_statistic():
    # A is slightly ahead in most topics but far behind in one.
    array = np.array([[0.3] * 11 + [0.0], [0.29] * 11 + [1.0], [0.1] * 12])
    comparison = compare(of_array(array), tests=["conover", "tukey"], resamples=100)
    assert comparison.find("nDCG_JK", CONOVER)[0].better == "A"
    assert comparison.find("nDCG_JK", TUKEY_HSD)[0].better == "B"
    assert set(comparison.wins("nDCG_JK", CONOVER)) == {("B", "C"), ("A", "B"), ("A", "C")}


def test_conover_requires_a_significant_friedman_test():
    array = np.random.default_rng(0).random((3, 10))
    comparison = compare(of_array(array), tests=["conover"])
    assert comparison.find("nDCG_JK", FRIEDMAN)[0].p > 0.05
    assert comparison.find("nDCG_JK", CONOVER) == []
    loose = compare(of_array(array), tests=["conover"], alpha=0.999)
    assert len(loose.find("nDCG_JK", CONOVER)) == 3


def test_tables_call_no_test_of_all_runs_insignificant():
    array = np.random.default_rng(0).random((3, 10)) + [[0], [1], [2]]
    records = compare(of_array(array), tests=["anova"]).data("tests").records()
    assert {record["test"] for record in records} >= {ANOVA_RUNS}
    assert all(record["significant"] is None for record in records if record["test"] == ANOVA_RUNS)


@pytest.mark.parametrize("number", [0.0, 0.5, 0.1 + 0.2])
def test_equal_values_leave_tests_of_all_runs_undefined(number):
    comparison = compare(of_array(np.full((3, 12), number)), tests=TESTS, resamples=50)
    for name in (FRIEDMAN, ANOVA_RUNS, ANOVA_TOPICS):
        (test,) = comparison.find("nDCG_JK", name)
        assert (test.statistic, test.p) == (None, None)
        assert test.note.startswith("undefined: all ")
    assert {test.p for test in comparison.outcomes if test.run} == {1.0}
    equal_runs = compare(of_array([[0.1, 0.5, 0.3]] * 3), tests=["anova"])
    note = equal_runs.find("nDCG_JK", ANOVA_RUNS)[0].note
    assert note == "undefined: runs and topics explain all variation"


# ------------------------------------------------------------------------------ errors


@pytest.mark.parametrize("missing", ["scipy.special", "scipy.stats"])
def test_missing_library_raises_an_error_that_names_the_extra(values, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    message = r"needs \w+, which is not installed: pip install .*stats"
    with pytest.raises(GradedError, match=message):
        compare(values, tests=TESTS, resamples=5)


# ------------------------------------------------------------------------------ tables and figures


def test_frames_answer_one_question_each(values, against_a):
    shares = values.unjudged.shares
    assert against_a.means.loc[1].to_dict() == {
        "measure": str(values.measures[0]),
        "run": "B",
        "mean": values.means()[1, 0],
        "unjudged": shares["B"],
    }
    assert len(against_a.means) == 5 * 4
    pairs = against_a.differences[["run", "other"]].values.tolist()
    assert pairs == [[run, "A"] for run in "BCDE"] * 4
    unjudged = against_a.differences[["unjudged", "other_unjudged"]].values.tolist()
    assert unjudged == [[shares[run], shares["A"]] for run in "BCDE"] * 4
    further_tests = {FRIEDMAN, ANOVA_RUNS, ANOVA_TOPICS, *OF_PAIRS}
    assert set(against_a.tests["test"]) == further_tests
    # The whole frame has the tests that were asked for, as the CSV of the command.
    frame = against_a.to_frame()
    assert len(frame) == len(against_a.differences) + len(against_a.tests)
    assert set(frame["test"]) == {"paired t", *further_tests}


def test_table_has_the_primary_procedure_and_further_tests_follow_in_their_own(
    against_a, all_pairs
):
    titles = [table.title for table in against_a.tables()]
    holm = "Holm's correction for 4 comparisons"
    assert titles[:3] == ["", "Tests of all runs", f"Conover, {holm}"]
    assert titles[3:] == [
        "Tukey HSD, corrected for all pairs",
        f"Wilcoxon, {holm}",
        f"randomisation, {holm}",
    ]
    columns, rows = against_a.table()
    assert columns == ["measure", "run", "mean", "difference", "lower", "upper", "p", "d_z", "MDE"]
    assert [row[1] for row in rows[5:10]] == against_a.best_first(FLAT)
    expected = {
        test.run: [
            test.difference,
            test.lower,
            test.upper,
            test.adjusted,
            test.effect_size,
            test.detectable,
        ]
        for test in against_a.find(FLAT)
    }
    expected["A"] = ["baseline", None, None, None, None, None]
    for _, run, mean, *numbers in rows[5:10]:
        assert mean == against_a.values[against_a.runs.index(run), 1]
        assert numbers == expected[run]
    _, rows = all_pairs.table()
    best_first = all_pairs.best_first(all_pairs.measures[0])
    assert [tuple(row[1:3]) for row in rows[:10]] == list(combinations(best_first, 2))


def many_runs(count, measures=("nDCG_JK@100", "NDPM"), topics=15):
    """An evaluation whose runs differ a little, so that pairwise tests have mixed outcomes."""
    random = np.random.default_rng(3)
    noise = random.random((count, len(measures), topics))
    quality = random.random((count, len(measures), 1))
    runs = tuple(f"university-system-{number:02}" for number in range(count))
    parsed = tuple(parse_measure(measure) for measure in measures)
    topic_ids = tuple(str(number) for number in range(topics))
    return Evaluation(runs, parsed, topic_ids, noise + quality)


def test_tables_of_many_runs_fit_into_a_line():
    columns, rows = compare(many_runs(24)).table()
    assert max(map(len, formats.text(columns, rows))) <= 130
    assert len(rows) == 2 * 11


def test_the_answer_and_the_figure_show_which_of_many_runs_are_better():
    comparison = compare(many_runs(50))
    measure = comparison.measures[0]
    best, *others = comparison.best_first(measure)
    worse = {loser for run, loser in comparison.wins(measure) if run == best}
    assert worse
    not_worse = [run for run in others if run not in worse]
    assert comparison.top(measure) == [best, *not_worse]
    assert str(comparison).startswith(comparison.summary[:80])
    assert f"; {best} has the best mean, and" in comparison.summary
    against = compare(many_runs(50), baseline=others[-1], tests=["wilcoxon"])
    assert against.tables()[1].columns == ["measure", "run", "other", "statistic", "p", "better"]
    assert f" are significantly better than {others[-1]}, by ." in against.answer()[0]


def test_figure_of_all_pairs_joins_runs_that_do_not_differ():
    comparison = compare(many_runs(50))
    measure = comparison.measures[0]
    dots, bars, *_ = comparison.figure().axes
    order = comparison.best_first(measure)
    names = [text.get_text() for text in dots.texts[:50]]
    assert names == order
    joined = set()
    columns, rows = bars.collections[-2].get_offsets().T
    for column in np.unique(columns):
        group = [order[int(row)] for row in rows[columns == column]]
        joined |= set(combinations(group, 2))
    differ = set(comparison.wins(measure))
    assert joined == {pair for pair in combinations(order, 2) if pair not in differ}


def test_figure_with_a_baseline_shows_differences_and_intervals(against_a):
    figure = against_a.figure()
    title, caption = (text.get_text().replace("\n", " ") for text in figure.texts)
    assert title == against_a.summary
    assert "95 % intervals, which hold for all differences together" in caption
    best_first = against_a.best_first(against_a.measures[0])
    order = [run for run in best_first if run != "A"]
    for axes, measure in zip(figure.axes, against_a.measures, strict=True):
        tests = {test.run: test for test in against_a.find(measure)}
        assert tests.keys() == set("BCDE")
        intervals, dots = axes.collections
        for row, run in enumerate(order):
            test = tests[run]
            assert dots.get_offsets()[row].tolist() == [test.difference, row]
            assert intervals.get_segments()[row][:, 0].tolist() == [test.lower, test.upper]
            is_hollow = dots.get_facecolors()[row].tolist() == [1, 1, 1, 1]
            assert is_hollow == (not test.significant)
        assert ("smaller is better" in axes.get_xlabel()) == (measure.NAME == "NDPM")


def test_the_answer_tells_that_few_topics_are_not_tested():
    comparison = compare(of_array(np.random.default_rng(1).random((3, 4))))
    best = comparison.best_first("nDCG_JK")[0]
    assert comparison.answer() == [
        f"No difference by nDCG_JK was tested; {best} has the best mean."
    ]


def test_the_figure_tells_its_levels_for_every_alpha():
    strict = compare(many_runs(5), alpha=0.001).figure().texts[-1].get_text()
    assert strict.replace("\n", " ").endswith("with p < .001, dark with p < .001.")


def test_small_p_values_are_not_printed_as_0():
    array = np.linspace(0, 1, 30) + np.array([[0.0], [0.3]]) + np.eye(2, 30) / 1000
    (p,) = (record["p"] for record in compare(of_array(array)).records())
    assert 0 < p < 1e-20
    assert "e-" in f"{p:.4f}"
    assert json.loads(json.dumps(p)) == p


def test_a_measure_without_a_largest_value_has_a_note_on_its_intervals(values):
    assert "have no limit" not in "\n".join(compare(values).notes())
    measures = (parse_measure("ESL"),)
    evaluation = Evaluation(("A", "B"), measures, ("1", "2"), np.ones((2, 1, 2)))
    text = "ESL: the worst values have no limit"
    notes = [note for note in compare(evaluation).notes() if note.startswith(text)]
    assert len(notes) == 1


@pytest.mark.parametrize(("measure", "is_cut"), [("ERR_G@10", True), ("nDCG@10", False)])
def test_a_note_explains_an_interval_that_ends_at_zero(measure, is_cut):
    runs = {path.stem: path for path in demo.run_paths().values()}
    found = compare("graded-demo", runs, measure, baseline="A")
    assert any(0.0 in (test.lower, test.upper) for test in found.outcomes) == is_cut
    note = "An interval with a bound of 0 was cut there: "
    assert any(text.startswith(note) for text in found.notes()) == is_cut


@pytest.mark.parametrize(("measure", "best"), [("AP", "c"), ("ESL", "a")])
def test_the_best_run_as_baseline_is_corrected_for_all_pairs_as_the_same_values_chose_it(
    measure, best
):
    random = np.random.default_rng(2)
    values = random.random((4, 1, 30)) / 10 + np.array([0.1, 0.2, 0.3, 0.25])[:, None, None]
    topics = tuple(map(str, range(30)))
    evaluation = Evaluation(tuple("abcd"), (parse_measure(measure),), topics, values)
    by_name = compare(evaluation, baseline=best, comparisons=6)
    chosen = compare(evaluation, baseline="best")
    assert chosen.baselines == (best,)
    assert chosen.outcomes == by_name.outcomes
    note = f"{best} is the baseline because it is the best run by {measure}; the same topics chose"
    assert any(text.startswith(note) for text in chosen.notes())
    assert not any("because" in text for text in by_name.notes())
    others = compare(evaluation, baseline="best", comparisons=20)
    assert any("all pairs of runs, and for the other comparisons" in t for t in others.notes())
    assert not any("for the other comparisons" in text for text in chosen.notes())
    uncorrected = compare(evaluation, baseline="best", correction="none")
    assert any("p has no correction for that" in text for text in uncorrected.notes())
    several = compare(evaluation, baseline=["best", "b"])
    assert several.baselines == (best, "b")
    named = Evaluation(("best", *"bcd"), evaluation.measures, topics, values)
    assert compare(named, baseline="best").baselines == ("best",)
    assert compare(named, baseline="best").comparisons is None
    two = compare(evaluation.part(["a", "c"], [measure]), baseline="best")
    assert (two.baselines, two.family) == ((best,), 1)


def test_the_sentences_for_method_say_how_the_differences_were_tested():
    array = np.random.default_rng(4).random((3, 30))
    comparison = compare(of_array(array), baseline="A", tests=["wilcoxon"], alpha=0.01)
    text = " ".join(comparison.statistics())
    assert "two-sided paired t-tests over 30 topics at the level .01 with Holm's correction" in text
    assert "One family was tested: the 2 differences from A." in text
    assert "Intervals of differences are 99 % intervals by Student's t." in text
    assert "Other tests that were made: Wilcoxon." in text
    pairs = " ".join(compare(of_array(array), comparisons=9, correction="bh").statistics())
    assert "with Benjamini and Hochberg's correction for 9 comparisons by each measure" in pairs
    assert "the 3 differences between all pairs of runs" in pairs
    assert "controls the false discovery rate" in pairs
    two = " ".join(compare(of_array(array[:2]), correction="none").statistics())
    assert "One family was tested: the difference from A." in two
    assert "Holm" not in two


def random_values(random, count):
    """A function that gives each of 12 documents of `count` topics one of some values."""
    topics = [f"q{number}" for number in range(count)]
    documents = [f"d{number}" for number in range(12)]

    def by_topic(values):
        return {topic: {doc: int(random.choice(values)) for doc in documents} for topic in topics}

    return by_topic


@pytest.mark.parametrize("comparisons", [None, 400])
@pytest.mark.parametrize("baseline", [None, "A"])
def test_a_verdict_is_turned_if_a_choice_of_orders_turns_it(baseline, comparisons):
    """Each topic has its lowest or its highest difference, in all 1,024 ways."""
    settings = {"correction": "bonferroni", "baseline": baseline, "comparisons": comparisons}
    is_low = np.array(list(itertools.product([False, True], repeat=10)))
    count = {True: 0, False: 0}
    for seed in range(8):
        random = np.random.default_rng(seed)
        by_topic = random_values(random, 10)
        qrels = by_topic([0, 0, 1, 2])
        runs = {name: by_topic(range(1, random.integers(3, 30))) for name in "ABC"}
        ends = [evaluate(qrels, runs, [f"nDCG(ties={end!r})@5"]) for end in ("min", "max")]
        lowest, highest = (dict(zip("ABC", end.values[:, 0], strict=True)) for end in ends)
        tests = compare(qrels, runs, ["nDCG@5"], **settings).outcomes
        for test in tests:
            low = lowest[test.run] - highest[test.other]
            high = highest[test.run] - lowest[test.other]
            outcome = stats.ttest_1samp(np.where(is_low, low, high), 0, axis=1)
            p = np.minimum(1, outcome.pvalue * (comparisons or len(tests)))
            is_turned = (p < 0.05) != test.significant
            is_turned |= outcome.statistic * test.difference < 0
            assert test.ties_turn == is_turned.any()
            count[test.ties_turn] += 1
    assert min(count.values()) > 1


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("settings", [{}, {"baseline": "B"}, {"baseline": ["B", "A"]}])
@pytest.mark.parametrize("comparisons", [None, 9])
def test_other_orders_have_the_correction_of_the_whole_family(correction, settings, comparisons):
    if correction != "none":
        settings = settings | {"comparisons": comparisons}
    random = np.random.default_rng(7)
    array = random.random((4, 12)) + np.array([[0.0], [0.2], [0.3], [0.4]])
    comparison = compare(of_array(array), correction=correction, **settings)
    over_ties = ValuesOverTies()
    for test in comparison.outcomes:
        family = over_ties.family(comparison, test, comparison.by_topic)
        changed = array.copy()
        pair = ["ABCD".index(name) for name in (test.run, test.other)]
        changed[pair] = random.random((2, 12))
        found = family.outcome(test, *changed[pair])
        of_order = compare(of_array(changed), correction=correction, **settings)
        by_pair = {(one.run, one.other): one for one in of_order.outcomes}
        sign = 1
        expected = by_pair.get((test.run, test.other))
        if expected is None:  # pairs are in the order of the means
            sign = -1
            expected = by_pair[test.other, test.run]
        assert found == pytest.approx((sign * expected.difference, expected.adjusted))


def test_a_mean_difference_that_is_a_rounding_error_has_no_sign():
    comparison = compare(of_array(np.random.default_rng(1).random((2, 12))))
    (test,) = comparison.outcomes
    family = ValuesOverTies().family(comparison, test, comparison.by_topic)
    assert family.is_opposite(0.1, -0.1)
    assert not family.is_opposite(0.1, -1e-17)
    assert not family.is_opposite(1e-17, -0.1)
    assert not family.is_opposite(0.1, 0.2)


def test_a_comparison_tells_if_another_order_of_ties_turns_its_verdict():
    by_topic = random_values(np.random.default_rng(5), 40)
    qrels = by_topic([0, 0, 1, 2])
    runs = {"a": by_topic([1, 2, 3]), "b": by_topic([1, 2, 3, 4, 5, 6])}
    comparison = compare(qrels, runs, ["nDCG@5"])
    (test,) = comparison.outcomes
    low = evaluate(qrels, {"b": runs["b"]}, ["nDCG(ties='min')@5"]).values[0, 0]
    high = evaluate(qrels, {"a": runs["a"]}, ["nDCG(ties='max')@5"]).values[0, 0]
    extreme = stats.ttest_1samp(low - high, 0)
    assert (extreme.pvalue < 0.05) != test.significant
    assert test.ties_turn
    assert comparison.records()[0]["ties_turn"]
    assert "but another order of tied documents turns the verdict" in comparison.summary
    assert any(
        "The verdict depends on the order of tied documents" in n for n in comparison.notes()
    )
    (one_of_many,) = compare(qrels, runs, ["nDCG@5"], comparisons=10**9).outcomes
    assert one_of_many.ties_turn
    assert one_of_many.only_sign_turns
    note = "Another order of tied documents turns the sign, but no order that was tried makes the"
    with_many = compare(qrels, runs, ["nDCG@5"], comparisons=10**9)
    assert "but another order of tied documents turns its sign" in with_many.summary
    assert any(text.startswith(note) for text in with_many.notes())
    assert "verdict" not in " ".join(with_many.notes())
    broken = {}
    for name, run in runs.items():
        broken[name] = {topic: sorted(run[topic], key=run[topic].get) for topic in qrels}
    untied = compare(qrels, broken, ["nDCG@5"])
    assert untied.outcomes[0].ties_turn is False
    assert "tied" not in " ".join(untied.notes())
