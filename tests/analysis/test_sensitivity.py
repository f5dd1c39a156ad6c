"""The order of the runs under several weightings: agreement, changes of order, and requirements."""

from itertools import combinations

import numpy as np
import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import sensitivity
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
    assert found.changes(0, 1) == (("many", "high"), ("many", "again"))
    assert found.tau[0, 1] == 0
    rows = [["many", 1, 3.5], ["high", 2.5, 1.5], ["again", 2.5, 1.5], ["none", 4, 3.5]]
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
