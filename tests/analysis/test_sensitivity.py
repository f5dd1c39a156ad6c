"""The order of the runs under several weightings: agreement, changes of order, and requirements."""

import json
from itertools import combinations

import numpy as np
import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import compare, evaluate, sensitivity
from ir_measures_graded.analysis.sensitivity import Tau, limits_of
from ir_measures_graded.analysis.statistics.agreement import kendall

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
    return sensitivity(demo.qrels_path(), demo.run_paths(), measures, gains=["w1", "w100"], cutoffs=[10, 100])


def test_means_equal_those_of_evaluate(found):
    measures = [setting.measure for setting in found.settings]
    expected = evaluate(demo.qrels_path(), demo.run_paths(), measures).means()
    np.testing.assert_array_equal(found.means, expected)


def test_tau_equals_scipy(found):
    for i, j in combinations(range(len(found.settings)), 2):
        peer = stats.kendalltau(found.means[:, i].round(9), found.means[:, j].round(9))[0]
        assert found.tau[i, j] == found.tau[j, i] == pytest.approx(peer)
    assert (np.diag(found.tau) == 1).all()


def test_precision_and_flat_cumulated_gain_give_the_same_order(found):
    """Kekäläinen 2005, section 3.2: "CG-w1 gives the same ordering as precision"."""
    names = list(map(str, found.settings))
    for cutoff in (10, 100):
        p, cg = names.index(f"P@{cutoff}"), names.index(f"CG w1@{cutoff}")
        assert found.tau[p, cg] == 1
        np.testing.assert_array_equal(found.ranks[:, p], found.ranks[:, cg])


def test_agreement_names_the_runs_that_change_order():
    found = sensitivity(QRELS, RUNS, ["CG@3"], gains=["w1", "w100"])
    assert found.ranks.T.tolist() == [[2, 1, 3], [1, 2, 3]]
    assert found.changes(0, 1) == {("many", "high"): False}
    (row,) = found.records()
    assert (row["tau"], row["under"]) == (pytest.approx(1 / 3), None)  # of three runs, a single swap


def test_tied_runs_share_a_rank_and_do_not_change_order():
    found = sensitivity(
        QRELS, {**RUNS, "again": RUNS["high"]}, ["CG@3"], gains={"w1": "w1", "off": {2: 0, 1: 0}}
    )
    assert found.runs == ("high", "many", "none", "again")
    assert found.ranks.T.tolist() == [[2.5, 1, 4, 2.5], [1.5, 3.5, 3.5, 1.5]]
    assert [*found.changes(0, 1)] == [("many", "high"), ("many", "again")]
    assert (found.tau[0, 1], found.records()[0]["under"]) == (0, found.limits[1])  # 0 is below, too
    rows = [["many", 1, 3.5], ["high", 2.5, 1.5], ["again", 2.5, 1.5], ["none", 4, 3.5]]
    assert found.rank_table().rows == rows


def test_tau_is_undefined_if_all_runs_tie():
    found = sensitivity(QRELS, RUNS, ["CG@3"], gains={"w1": "w1", "nothing": {1: 0, 2: 0, 3: 0}})
    assert not found.changes(0, 1)
    assert found.table()[1][0] == ["CG@3 w1", 1.0, None]
    assert found.records()[0]["tau"] is None


def test_tau_is_marked_below_thresholds_that_depend_on_the_number_of_runs():
    for runs in range(4, 30):
        order = np.arange(runs)
        swapped = np.array([order, np.r_[1, 0, order[2:]], np.r_[1, 0, order[2:-2], runs - 1, runs - 2]])
        one, two = kendall(swapped[:1], swapped[1:])[0]
        limits = limits_of(runs)
        assert limits == pytest.approx((min(0.9, one), min(0.8, two)))
        assert Tau(one, limits).under is None
        assert Tau(two, limits).under != limits[1]
    assert limits_of(7) == (0.9, 0.8)
    for value, text in ((0.8, "0.80"), (0.79, "0.79 <.8"), (0.59, "0.59 <.6"), (-1.0, "-1.00 <.6")):
        assert f"{Tau(value, limits_of(5)):.2f}" == text
    assert json.dumps(Tau(0.79)) == "0.79"


def test_changes_of_order_are_certain_if_both_tests_are():
    topics = [f"q{number}" for number in range(30)]
    qrels = {topic: {"a": 3, "b": 1, "c": 1} for topic in topics}
    high = {topic: {"a": 1.0} for topic in topics}
    many = {topic: {"b": 2.0, "c": 1.0, **({"x": 3.0} if n % 3 else {})} for n, topic in enumerate(topics)}
    close = {topic: {"a" if n else "b": 1.0} for n, topic in enumerate(topics)}
    found = sensitivity(qrels, {"high": high, "many": many, "close": close}, ["CG@2"], gains=["w1", "w100"])
    assert found.certain.tolist() == [[-1, 0, 1], [1, 0, -1]]  # high and many, high and close, many and close
    assert found.changes(0, 1) == {("many", "high"): True, ("many", "close"): True}
    assert found.records()[0]["certain"] == "many / high; many / close"
    named = "It certainly changes for many / high; many / close from CG@2 w1 to CG@2 w100."
    assert found.answer()[1].endswith(named)
    assert found.summary == "The best run depends on the setting: many under CG@2 w1; high under CG@2 w100."
    for setting, signs in zip(found.settings, found.certain):
        tests = compare(qrels, {"high": high, "many": many, "close": close}, [setting.measure]).outcomes
        by_pair = {frozenset((test.run, test.other)): test.winner for test in tests}
        winners = [by_pair[frozenset(pair)] for pair in combinations(found.runs, 2)]
        pairs = zip(combinations(found.runs, 2), signs)
        assert [None if sign == 0 else pair[int(sign < 0)] for pair, sign in pairs] == winners


def test_standard_measures_take_weightings():
    found = sensitivity(QRELS, RUNS, ["nDCG@3"], gains={"w1": "w1", "steep": {1: 1, 2: 10, 3: 100}})
    measures = [str(setting.measure) for setting in found.settings]
    assert measures == ["nDCG(gains={2:1,3:1})@3", "nDCG(gains={2:10,3:100})@3"]
    assert found.means[0, 0] < found.means[0, 1]


def test_tables_and_records_hold_tau(found):
    columns, rows = found.table()
    assert columns[1:] == [row[0] for row in rows] == list(map(str, found.settings))
    assert [row[1:] for row in rows] == found.tau.tolist()
    records = found.records()
    assert len(records) == 45
    pair = ("nDCG_JK w1@100", "nDCG_JK w100@100")
    (record,) = (record for record in records if (record["first"], record["second"]) == pair)
    numbers = [record[name] for name in ("tau", "under", "swaps", "runs", "certain")]
    assert numbers == [pytest.approx(0.2), pytest.approx(0.6), 4, "E / D; B / C; B / D; C / D", "B / D"]


def test_smaller_values_rank_first_if_smaller_is_better():
    found = sensitivity(QRELS, RUNS, ["NDPM", "NDPM(performance=True)"])
    assert found.tau[0, 1] == 1
    assert (np.diff(found.means[np.argsort(found.ranks[:, 0]), 0]) >= 0).all()
