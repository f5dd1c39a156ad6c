"""The order of the runs under several weightings: agreement, changes of order, and requirements."""

from itertools import combinations

import numpy as np
import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import compare, evaluate, sensitivity
from ir_measures_graded.errors import InputWarning

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

QRELS = {"q1": {"a": 3, "b": 2, "c": 1, "d": 0}, "q2": {"a": 3, "b": 1, "c": 1, "d": 1}}
RUNS = {
    "high": {"q1": {"a": 1.0}, "q2": {"a": 1.0}},
    "many": {"q1": {"b": 2.0, "c": 1.0}, "q2": {"b": 3.0, "c": 2.0, "d": 1.0}},
    "none": {"q1": {"d": 1.0}, "q2": {"x": 1.0}},
}


@pytest.fixture(scope="module")
def found():
    measures = ["P", "CG", "nDCG_JK"]
    return sensitivity(
        demo.qrels_path(), demo.run_paths(), measures, gains=["w1", "w100"], cutoffs=[10, 100]
    )


def test_tau_equals_scipy(found):
    for i, j in combinations(range(len(found.settings)), 2):
        peer = stats.kendalltau(found.means[:, i].round(9), found.means[:, j].round(9))[0]
        assert found.tau[i, j] == found.tau[j, i] == pytest.approx(peer)
    assert (np.diag(found.tau) == 1).all()
    assert [row[1:] for row in found.table()[1]] == found.tau.tolist()


def test_precision_and_flat_cumulated_gain_give_the_same_order(found):
    """Kekäläinen 2005, section 3.2: "CG-w1 gives the same ordering as precision"."""
    names = list(map(str, found.settings))
    for cutoff in (10, 100):
        p, cg = names.index(f"P@{cutoff}"), names.index(f"CG w1@{cutoff}")
        assert found.tau[p, cg] == 1
        np.testing.assert_array_equal(found.ranks[:, p], found.ranks[:, cg])


def test_tied_runs_share_a_rank_and_do_not_change_order():
    runs = {**RUNS, "again": RUNS["high"]}
    found = sensitivity(QRELS, runs, ["CG@3"], gains={"w1": "w1", "off": {2: 0, 1: 0}})
    assert found.runs == ("high", "many", "none", "again")
    assert found.ranks.T.tolist() == [[2.5, 1, 4, 2.5], [1.5, 3.5, 3.5, 1.5]]
    assert found.changes(0, 1) == (("many", "again"), ("many", "high"))  # ties by name
    assert found.tau[0, 1] == 0
    rows = [["many", 1, 3.5], ["again", 2.5, 1.5], ["high", 2.5, 1.5], ["none", 4, 3.5]]
    assert found.rank_table().rows == rows


def test_tau_is_undefined_if_all_runs_tie():
    found = sensitivity(QRELS, RUNS, ["CG@3"], gains={"w1": "w1", "nothing": {1: 0, 2: 0, 3: 0}})
    assert not found.changes(0, 1)
    assert found.table()[1][0] == ["CG@3 w1", 1.0, None]


def test_smaller_values_rank_first_if_smaller_is_better():
    found = sensitivity(QRELS, RUNS, ["NDPM", "NDPM(performance=True)"])
    assert found.tau[0, 1] == 1
    assert (np.diff(found.means[np.argsort(found.ranks[:, 0]), 0]) >= 0).all()


def test_a_run_without_any_value_has_the_last_rank():
    """Accuracy has no value for a topic whose ranking has no relevant document."""
    qrels = {topic: {"a": 1, "b": 0} for topic in "12"}
    runs = {"none": {topic: {"x": 1.0} for topic in qrels}}
    runs |= {
        name: {topic: {"b": 1.0, "a": score} for topic in qrels}
        for name, score in (("good", 2.0), ("poor", 0.5))
    }
    with pytest.warns(InputWarning, match="no value for 2 of 2 topics of none"):
        found = sensitivity(qrels, runs, ["Accuracy@2", "P@2"])
    assert found.ranks[:, 0].tolist() == [3, 1, 2]
    assert "nan" not in str(found)


def test_differences_and_p_are_those_of_compare_under_each_setting(found):
    rows = found.difference_table().records()
    for setting in found.settings:
        peer = compare(demo.qrels_path(), demo.run_paths(), [setting.measure], alpha=0.05)
        expected = {frozenset((row["run"], row["other"])): row for row in peer.records()}
        of_setting = [row for row in rows if row["setting"] == str(setting)]
        assert len(of_setting) == len(expected) == 10
        for row in of_setting:
            other = expected[frozenset((row["run"], row["other"]))]
            sign = 1 if row["run"] == other["run"] else -1
            assert row["difference"] == pytest.approx(sign * other["difference"], rel=1e-12)
            assert row["adjusted"] == pytest.approx(other["adjusted"], rel=1e-9)
            assert row["significant"] == (other["adjusted"] < 0.05)


def test_changes_of_order_by_brute_force(found):
    rows = {
        (row["setting"], row["run"], row["other"]): row
        for row in found.difference_table().records()
    }
    names = list(map(str, found.settings))
    changing, contradicted = set(), set()
    for first, second in combinations(range(len(names)), 2):
        swapped, certain = set(), set()
        for pair in combinations(found.runs, 2):
            before, after = (rows[(names[setting], *pair)] for setting in (first, second))
            if before["ahead"] and after["ahead"] and before["ahead"] != after["ahead"]:
                ordered = (before["ahead"], after["ahead"])
                swapped.add(ordered)
                changing.add(pair)
                if before["significant"] and after["significant"]:
                    certain.add(ordered)
                    contradicted.add(pair)
        assert set(found.changes(first, second)) == swapped
        assert set(found.changes(first, second, significant=True)) == certain
    assert changing > contradicted > set()
    assert {tuple(row[:2]) for row in found.swap_table().rows} == changing
    assert f"{len(changing)} of 10 pairs of runs change their order" in found.answer()[2]
    assert {pair for pair, is_so in zip(found.pairs, found.contradicted) if is_so} == contradicted


def test_low_tau_is_marked_for_people_only(found):
    cells = [cell for row in found.tables()[0].cells()[1] for cell in row[1:]]
    for cell in cells:
        marks = {f"{cell:.2f}".partition(" ")[2]}
        assert marks == {"<.8" if cell < 0.8 else "<.9" if cell < 0.9 else ""}
    assert "<" not in "".join(found.lines("csv"))


def test_values_of_a_table_have_the_rankings_of_their_measures():
    evaluation = evaluate(demo.qrels_path(), demo.run_paths(), ["P@10", "nDCG_JK@10", "AP"])
    of_values = sensitivity(evaluation)
    of_runs = sensitivity(demo.qrels_path(), demo.run_paths(), ["P@10", "nDCG_JK@10", "AP"])
    assert of_values.difference_table().rows == of_runs.difference_table().rows
    assert (of_values.tables()[0].rows, of_values.what_if()) == (of_runs.tables()[0].rows, None)
    assert sensitivity(evaluation, measures=["AP", "P@10"]).tau[0, 1] == of_runs.tau[0, 2]


def test_few_topics_are_not_tested():
    found = sensitivity(QRELS, RUNS, ["CG@3"], gains=["w1", "w100"])
    assert not found.significant.any()
    assert found.notes()[2].startswith("Changes are not tested: fewer than 10 topics")
