"""What a set of topics finds: against the tests themselves, statsmodels and simulation."""

from itertools import combinations

import numpy as np
import pytest
from evaluations import of_array

from ir_measures_graded import GradedError, demo, parse_measure
from ir_measures_graded.analysis import (
    Evaluation,
    compare,
    compare_collections,
    evaluate,
    power,
    power_collections,
)
from ir_measures_graded.analysis.statistics.student import detectable_effect, topics_needed
from ir_measures_graded.output.formats import short

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
statsmodels_power = pytest.importorskip(
    "statsmodels.stats.power", reason="statsmodels is not installed"
)

MEASURES = ["nDCG_JK@10", "nDCG_JK@100", "P@5"]


@pytest.fixture(scope="module")
def values():
    return evaluate(demo.qrels_path(), demo.run_paths(), MEASURES)


@pytest.fixture(scope="module")
def of_demo(values):
    """The power of the bundled collection."""
    return power(values, differences=[0.05, 0.2])


def holm_adjusted(p_values):
    return multipletests(p_values, method="holm")[1]


def test_p_values_are_those_of_scipy_with_holms_correction(values, of_demo):
    for row, measure in enumerate(MEASURES):
        pairs = combinations(values.of(measure), 2)
        expected = holm_adjusted([stats.ttest_rel(run, other).pvalue for run, other in pairs])
        assert of_demo.p_values[row] == pytest.approx(expected)
        assert of_demo.share(measure) == np.mean(expected < 0.05)


def test_topics_differences_and_chances_equal_those_of_statsmodels(values, of_demo):
    peer = statsmodels_power.TTestPower()
    critical = stats.t.isf(0.0025, 19)
    limit = (19 / stats.chi2.ppf(0.2, 19)) ** 0.5
    for measure in MEASURES:
        pairs = combinations(values.of(measure), 2)
        deviations = [(run - other).std(ddof=1) for run, other in pairs]
        median = np.median(deviations)
        spreads = np.array([min(deviations), median, max(deviations), limit * median])
        assert of_demo.spread(measure) == pytest.approx(spreads)
        for difference in (0.05, 0.1, 0.2):
            effects = difference / spreads
            topics = [peer.solve_power(effect, alpha=0.005, power=0.8) for effect in effects]
            assert of_demo.topics_for(measure, difference) == tuple(np.ceil(topics))
            noncentrality = difference / median * 20**0.5
            chance = 1
            if noncentrality < 10:
                chance = stats.nct.sf(critical, 19, noncentrality)
            assert of_demo.chance(measure, difference) == pytest.approx(chance, abs=1e-3)
        effect = peer.solve_power(nobs=20, alpha=0.005, power=0.8)
        assert of_demo.detectable(measure) == pytest.approx(effect * spreads, rel=1e-4)


def test_the_answer_and_the_table_have_these_numbers(of_demo):
    best = max(MEASURES, key=of_demo.share)
    lowest, median, highest, limit = of_demo.topics_for(best, 0.05)
    chance = of_demo.chance(best, 0.05)
    separated = round(10 * of_demo.share(best))
    assert of_demo.answer()[0] == (
        f"To find a true difference of .05 in {best} with probability .8, use about {median} "
        f"topics ({lowest} to {highest} by pair, for 10 pairs tested together); 20 topics find "
        "it with probability "
        f"{short(chance, '.2f')} (median pair)."
    )
    assert of_demo.answer()[2] == (
        f"By {best}, {separated} of 10 pairs of runs differ significantly (p < .05)."
    )
    _, rows = of_demo.table()
    assert rows[0] == [best, 0.05, lowest, median, highest, limit]
    assert of_demo.records()[0]["chance"] == chance


def test_power_of_runs_that_agree_in_every_topic_is_undefined():
    result = power(of_array([[1, 2, 3], [1, 2, 3]], "CG"), differences=[0.5])
    assert result.share("CG") == 0
    assert result.topics_for("CG", 0.5) == (None, None, None, None)
    assert result.records()[0]["chance"] is None
    assert "nan" not in "".join(result.lines("text", 4))
    assert result.answer()[0].startswith("No power for CG: ")


def test_no_difference_is_promised_that_the_measure_cannot_have():
    evaluation = of_array(np.array([[1.0, 0.0], [0.0, 0.5]]), "nDCG_JK")
    sentence = power(evaluation).answer()[0]
    assert sentence.startswith("Over 2 topics, the test finds no difference that nDCG_JK can have")
    assert sentence.endswith("and values differ by at most 1.")


def test_pairs_without_a_test_are_told():
    three_runs = of_array([[1, 2, 3], [3, 1, 2], [2, 2, 9]], "CG")
    _, separated, untested = power(three_runs).answer()
    assert separated == "By CG, 0 of 3 pairs of runs differ significantly (p < .05)."
    assert untested.startswith("No p for 3 pairs by CG (intervals only: fewer than 10 topics")
    array = np.random.default_rng(0).random((3, 12))
    array[1] = array[0] + 0.25
    assert power(of_array(array, "CG")).answer()[1].startswith("1 pair of constant difference")
    constant = power(of_array(array[:2], "CG"))
    assert constant.answer() == [
        "No power for CG: in every pair, the difference is constant or too few topics differ."
    ]
    assert constant.records()[0]["median"] is None
    assert constant.topics_for("CG", 0.1) == (None, None, None, None)


def test_a_difference_out_of_reach_has_no_number_of_topics():
    result = power(of_array([[1, 2, 3], [3, 1, 2]], "CG"), differences=[1e-9])
    assert result.records()[0]["median"] is None
    assert ", use over ten million topics;" in result.answer()[0]


def test_pairs_with_few_changes_and_topics_without_a_value_are_left_out():
    array = np.random.default_rng(0).random((3, 40))
    array[1] = array[0]
    array[1, :3] += 0.25
    gaps = np.zeros((3, 40), dtype=bool)
    gaps[2, 5] = True
    result = power(of_array(array, unreported=gaps))
    a, b, c = array[:, ~gaps.any(axis=0)]
    spreads = [(c - a).std(ddof=1), (c - b).std(ddof=1)]
    lowest, _, highest, _ = result.spread("nDCG_JK")
    assert lowest == pytest.approx(min(spreads))
    assert highest == pytest.approx(max(spreads))
    assert any("no value for 1 of 40 topics of C" in note for note in result.notes())


def test_the_family_of_a_baseline_and_complete_topics_are_those_of_compare():
    values = np.random.default_rng(4).random((4, 2, 30))
    values[2, 1, :6] = np.nan
    measures = (parse_measure("AP"), parse_measure("P@5"))
    topics = tuple(str(number) for number in range(30))
    evaluation = Evaluation(tuple("ABCD"), measures, topics, values)
    result = power(evaluation, baseline="C")
    compared = compare(evaluation, baseline="C")
    assert result.pairs == [("A", "C"), ("B", "C"), ("D", "C")]
    for row, (measure, count) in enumerate(zip(measures, (30, 24))):
        tests = compared.find(measure)
        assert result.p_values[row] == pytest.approx([test.adjusted for test in tests])
        assert result.deviations[row] == pytest.approx([test.deviation for test in tests])
        assert result.topics_of(measure) == count
        effect = result.detectable(measure)[1] / result.spread(measure)[1]
        assert effect == pytest.approx(detectable_effect(count, 0.05 / 3, 0.8))
        text = f"Over {count} topics, two runs must truly differ"
        assert any(sentence.startswith(text) for sentence in result.answer())
    with pytest.raises(GradedError, match="baseline 'E' is not among the runs"):
        power(evaluation, baseline="E")


def test_a_group_has_the_numbers_of_its_topics_at_the_level_of_all_groups():
    random = np.random.default_rng(7)
    values = of_array(random.normal(size=(3, 30)).round(3) + [[0.0], [0.6], [1.5]])
    kinds = ["a"] * 12 + ["b"] * 14 + ["c"] * 4
    by = dict(zip(values.topics, kinds))
    result = power(values, by=by, differences=[0.5])
    assert list(result.groups) == ["a", "b"]
    assert result.small == {"c": 4}
    (measure,) = values.measures
    compared = compare(values, by=by)
    for name, group in result.groups.items():
        rows = [number for number, kind in enumerate(kinds) if kind == name]
        alone = power(values.on(rows), alpha=0.05 / 2, differences=[0.5])
        assert group.level == pytest.approx(alone.level)
        assert group.spread(measure) == pytest.approx(alone.spread(measure))
        assert group.detectable(measure) == pytest.approx(alone.detectable(measure))
        assert group.topics_for(measure, 0.5) == alone.topics_for(measure, 0.5)
        tests = compared.groups[name].find(measure)
        expected = {frozenset((test.run, test.other)): test.adjusted for test in tests}
        for pair, adjusted in zip(group.pairs, group.p_values[0]):
            assert adjusted == pytest.approx(expected[frozenset(pair)])
    records = result.records()
    assert [record["group"] for record in records] == [None, "a", "b"]
    del records[0]["group"]
    assert records[:1] == power(values, differences=[0.5]).records()
    notes = " ".join(result.notes())
    assert "Holm's correction for 6 comparisons" in notes
    assert "fewer than 10 topics: c (4)" in notes


def test_power_over_collections_is_that_of_student_t_over_the_means():
    generator = np.random.default_rng(4)
    rows = []
    true_means = generator.normal(0.5, 0.1, (3, 6))
    for (run, collection), mean in np.ndenumerate(true_means):
        for topic, noise in enumerate(generator.normal(0, 0.2, 12).round(3)):
            names = {"run": "ABC"[run], "collection": f"c{collection}", "topic": topic}
            rows.append(names | {"P@10": mean + noise})
    result = power_collections(rows, differences=0.05)
    compared = compare_collections(rows)
    a, b, c = np.stack([group.values[:, 0] for group in compared.groups.values()], axis=1)
    pairs = [(a, b), (a, c), (b, c)]
    spreads = [np.std(run - other, ddof=1) for run, other in pairs]
    assert result.deviations[0] == pytest.approx(spreads)
    peers = [stats.ttest_rel(run, other).pvalue for run, other in pairs]
    assert result.p_values[0] == pytest.approx(holm_adjusted(peers))
    assert (result.unit, result.topics, result.level) == ("collection", 6, 0.05 / 3)
    needed = topics_needed(0.05, float(np.median(spreads)), 0.05 / 3)
    assert f"about {needed} collections" in result.answer()[0]
    assert result.notes()[0].startswith("Student's t of the mean differences over 6 collections")
    others = [row for row in rows if (row["run"], row["collection"]) != ("C", "c5")]
    of_two = power_collections(others, differences=0.05)
    assert of_two.pairs == [("A", "B")]
    assert of_two.level == 0.05
    assert of_two.p_values[0] == pytest.approx(peers[:1])
    assert "C is left out, because it lacks a collection." in of_two.notes()
    with pytest.raises(GradedError, match="is not allowed; baseline is a string"):
        power_collections(rows, baseline=())
    with pytest.raises(GradedError, match="a: give an Evaluation, or a pair of qrels and runs"):
        power_collections({"a": ()}, ["P@5"])
    with pytest.raises(GradedError, match="a collection is missing for C"):
        power_collections(others, baseline="C")
    with pytest.raises(GradedError, match="needs at least 3 of them, not 2"):
        power_collections([row for row in rows if row["collection"] in ("c0", "c1")])
