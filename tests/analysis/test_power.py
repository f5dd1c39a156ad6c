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
def found(values):
    return power(values, differences=[0.05, 0.2])


def test_p_values_are_those_of_scipy_with_holms_correction(values, found):
    for row, measure in enumerate(MEASURES):
        array = values.of(measure)
        p = [stats.ttest_rel(array[a], array[b]).pvalue for a, b in combinations(range(5), 2)]
        expected = multipletests(p, method="holm")[1]
        assert found.p_values[row] == pytest.approx(expected)
        assert found.share(measure) == np.mean(expected < 0.05)


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
            exact = [
                peer.solve_power(difference / spread, alpha=0.005, power=0.8) for spread in spreads
            ]
            assert found.topics_for(measure, difference) == tuple(np.ceil(exact))
            effect = difference / median * 20**0.5
            chance = stats.nct.sf(stats.t.isf(0.0025, 19), 19, effect) if effect < 10 else 1
            assert found.chance(measure, difference) == pytest.approx(chance, abs=1e-3)
        effect = peer.solve_power(nobs=20, alpha=0.005, power=0.8)
        assert found.detectable(measure) == pytest.approx(
            [spread * effect for spread in spreads], rel=1e-4
        )


def test_the_answer_and_the_table_have_these_numbers(found):
    best, *_ = sorted(MEASURES, key=found.share, reverse=True)
    topics, chance = found.topics_for(best, 0.05), found.chance(best, 0.05)
    separated = round(10 * found.share(best))
    assert (
        found.answer()[2]
        == f"By {best}, {separated} of 10 pairs of runs differ significantly (p < .05)."
    )
    assert found.answer()[0] == (
        f"To find a true difference of .05 in {best} with probability .8, use about {topics[1]} topics "
        f"({topics[0]} to {topics[2]} by pair); 20 topics find it with probability {short(chance, '.2f')} (median pair)."
    )
    assert found.table()[1][0] == [best, 0.05, *topics]
    assert found.records()[0]["chance"] == chance


def test_power_of_runs_that_agree_in_every_topic_is_undefined():
    found = power(of_array([[1, 2, 3], [1, 2, 3]], "CG"), differences=[0.5])
    assert found.share("CG") == 0
    assert found.topics_for("CG", 0.5) == (None,) * 4
    assert found.records()[0]["chance"] is None
    assert "nan" not in "".join(found.lines("text", 4))
    assert found.answer()[0].startswith("No power for CG: ")


def test_no_difference_is_promised_that_the_measure_cannot_have():
    evaluation = of_array(np.array([[1.0, 0.0], [0.0, 0.5]]), "nDCG_JK")
    said = power(evaluation).answer()[0]
    assert said.startswith("Over 2 topics, the test finds no difference that nDCG_JK can have")
    assert said.endswith("and values differ by at most 1.")


def test_pairs_without_a_test_are_told():
    (_, separated, untested) = power(of_array([[1, 2, 3], [3, 1, 2], [2, 2, 9]], "CG")).answer()
    assert separated == "By CG, 0 of 3 pairs of runs differ significantly (p < .05)."
    assert untested.startswith("No p for 3 pairs by CG (intervals only: fewer than 10 topics")
    array = np.random.default_rng(0).random((3, 12))
    array[1] = array[0] + 0.25
    assert power(of_array(array, "CG")).answer()[1].startswith("1 pair of constant difference")
    constant = power(of_array(array[:2], "CG"))
    assert constant.answer() == [
        "No power for CG: in every pair, the difference is constant or too few topics differ."
    ]
    assert (constant.records()[0]["median"], constant.topics_for("CG", 0.1)) == (None, (None,) * 4)


def test_a_difference_out_of_reach_has_no_number_of_topics():
    found = power(of_array([[1, 2, 3], [3, 1, 2]], "CG"), differences=[1e-9])
    assert found.records()[0]["median"] is None
    assert ", use over ten million topics;" in found.answer()[0]


def test_pairs_with_few_changes_and_topics_without_a_value_are_left_out():
    array = np.random.default_rng(0).random((3, 40))
    array[1] = array[0]
    array[1, :3] += 0.25
    gaps = np.zeros((3, 40), dtype=bool)
    gaps[2, 5] = True
    found = power(of_array(array, unreported=gaps))
    kept = array[:, ~gaps.any(axis=0)]
    spreads = sorted((kept[2] - kept[row]).std(ddof=1) for row in (0, 1))
    lowest, _, highest, _ = found.spread("nDCG_JK")
    assert (lowest, highest) == pytest.approx(tuple(spreads))
    assert any("no value for 1 of 40 topics of C" in note for note in found.notes())


def test_the_family_of_a_baseline_and_complete_topics_are_those_of_compare():
    values = np.random.default_rng(4).random((4, 2, 30))
    values[2, 1, :6] = np.nan
    measures = tuple(map(parse_measure, ("AP", "P@5")))
    topics = tuple(map(str, range(30)))
    evaluation = Evaluation(tuple("ABCD"), measures, topics, values)
    found = power(evaluation, baseline="C")
    compared = compare(evaluation, baseline="C")
    assert found.pairs == [("A", "C"), ("B", "C"), ("D", "C")]
    for row, (measure, count) in enumerate(zip(measures, (30, 24))):
        tests = compared.find(measure)
        assert found.p_values[row] == pytest.approx([test.adjusted for test in tests])
        assert found.deviations[row] == pytest.approx([test.deviation for test in tests])
        assert found.topics_of(measure) == count
        effect = found.detectable(measure)[1] / found.spread(measure)[1]
        assert effect == pytest.approx(detectable_effect(count, 0.05 / 3, 0.8))
        assert any(
            line.startswith(f"Over {count} topics, two runs must truly differ")
            for line in found.answer()
        )
    with pytest.raises(GradedError, match="baseline 'E' is not among the runs"):
        power(evaluation, baseline="E")


def test_a_group_has_the_numbers_of_its_topics_at_the_level_of_all_groups():
    random = np.random.default_rng(7)
    values = of_array(random.normal(size=(3, 30)).round(3) + [[0.0], [0.6], [1.5]])
    kinds = ["a"] * 12 + ["b"] * 14 + ["c"] * 4
    by = dict(zip(values.topics, kinds))
    found = power(values, by=by, differences=[0.5])
    assert (list(found.groups), found.small) == (["a", "b"], {"c": 4})
    (measure,) = values.measures
    p = {
        (test.run, test.other, name): test.adjusted
        for name, part in compare(values, by=by).groups.items()
        for test in part.find(measure)
    }
    for name, group in found.groups.items():
        rows = [number for number, kind in enumerate(kinds) if kind == name]
        alone = power(values.on(rows), alpha=0.05 / 2, differences=[0.5])
        assert group.level == pytest.approx(alone.level)
        for call in ("spread", "detectable"):
            assert getattr(group, call)(measure) == pytest.approx(getattr(alone, call)(measure))
        assert group.topics_for(measure, 0.5) == alone.topics_for(measure, 0.5)
        for (run, other), adjusted in zip(group.pairs, group.p_values[0]):
            expected = p.get((run, other, name)) or p[other, run, name]
            assert adjusted == pytest.approx(expected)
    records = found.records()
    assert [row["group"] for row in records] == [None, "a", "b"]
    rest = [{name: value for name, value in row.items() if name != "group"} for row in records[:1]]
    assert rest == power(values, differences=[0.5]).records()
    notes = " ".join(found.notes())
    assert "Holm's correction for 6 comparisons" in notes
    assert "fewer than 10 topics: c (4)" in notes


def test_power_over_collections_is_that_of_student_t_over_the_means():
    generator = np.random.default_rng(4)
    rows = []
    means = generator.normal(0.5, 0.1, (3, 6))
    for (run, collection), mean in np.ndenumerate(means):
        for topic, noise in enumerate(generator.normal(0, 0.2, 12).round(3)):
            rows.append({"run": "ABC"[run], "collection": f"c{collection}", "topic": topic})
            rows[-1]["P@10"] = mean + noise
    result = power_collections(rows, differences=0.05)
    compared = compare_collections(rows)
    exact = np.stack([group.values[:, 0] for group in compared.groups.values()], axis=1)
    pairs = [(0, 1), (0, 2), (1, 2)]
    spreads = [np.std(exact[a] - exact[b], ddof=1) for a, b in pairs]
    assert result.deviations[0] == pytest.approx(spreads)
    peers = [stats.ttest_rel(exact[a], exact[b]).pvalue for a, b in pairs]
    holm = multipletests(peers, method="holm")[1]
    assert result.p_values[0] == pytest.approx(holm)
    assert (result.unit, result.topics, result.level) == ("collection", 6, 0.05 / 3)
    needed = topics_needed(0.05, float(np.median(spreads)), 0.05 / 3)
    assert f"about {needed} collections" in result.answer()[0]
    assert result.notes()[0].startswith("Student's t of the mean differences over 6 collections")
    others = [row for row in rows if (row["run"], row["collection"]) != ("C", "c5")]
    of_two = power_collections(others, differences=0.05)
    assert (of_two.pairs, of_two.level) == ([("A", "B")], 0.05)
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
