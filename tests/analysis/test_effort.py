"""Effort: the rank at which a run reaches the value that another list has at an earlier rank."""

from evaluations import made

from ir_measures_graded import CG, NDPM, demo
from ir_measures_graded.analysis import curves, effort


def test_run_reaches_target_at_first_rank_of_sufficient_value():
    found = effort(made([1, 2, 3, 3, 5], [0, 3, 3, 3, 3], ideal=[2, 3, 4, 9, 9]), at=[1, 2, 3, 4])
    assert found.ranks == ((2, 3, 5, None), (2, 2, None, None))
    assert (found.of, found.at, found.targets) == ("ideal", (1, 2, 3, 4), (2, 3, 4, 9))
    assert (found.runs, found.depth, found.measure) == (("A", "B"), 5, CG)


def test_target_can_be_the_value_of_a_run():
    found = effort(made([1, 2, 3, 4], [4, 4, 4, 4], ideal=[9, 9, 9, 9]), at=[2, 4], of="A")
    assert (found.of, found.targets) == ("A", (2, 4))
    assert found.ranks == ((2, 4), (1, 1))


def test_curve_reaches_target_from_above_if_smaller_is_better():
    found = effort(made([0.5, 0.4, 0.3], [0.5, 0.5, 0.4], measure=NDPM), at=[1, 2], of="A")
    assert (found.targets, found.ranks) == ((0.5, 0.4), ((1, 2), (1, 3)))
    up = effort(made([0.5, 0.4, 0.3], measure=NDPM(performance=True)), at=[2], of="A")
    assert up.ranks == ((1,),)


def test_rounding_errors_do_not_keep_a_run_from_the_target():
    third = 0.1 + 0.2  # a bit above 0.3
    assert effort(made([third, 1], [0.3, 1]), at=[1], of="A").ranks == ((1,), (1,))


def test_effort_on_the_demo_collection_agrees_with_its_curves():
    """Section 3.4: how many documents until the gain of the first 10 of the ideal list."""
    found = curves(demo.qrels_path(), demo.run_paths(), "CG(gains=0:0,1:1,2:10,3:100)", 100)
    read = effort(found, at=[5, 10])
    for run, ranks in enumerate(read.ranks):
        for rank, target in zip(ranks, read.targets):
            if rank is None:
                assert found.values[run, -1] < target
            else:
                assert found.values[run, rank - 1] >= target
                assert rank == 1 or found.values[run, rank - 2] < target
    assert read.ranks[0] == (78, None)


def test_table_and_records_hold_targets_and_ranks():
    found = effort(made([1, 2, 3], [0, 0, 1], ideal=[2, 3, 4]), at=[1, 3])
    missing = "not within depth 3"
    table = [["value", 2, 4], ["A", "2", missing], ["B", missing, missing]]
    assert found.table() == (["run", "ideal@1", "ideal@3"], table)
    rows = [[*row.values()] for row in found.records()]
    assert [*found.records()[0]] == ["run", "of", "at", "value", "rank"]
    assert rows[:2] == [["A", "ideal", 1, 2, 2], ["A", "ideal", 3, 4, None]]
    assert rows[2:] == [["B", "ideal", 1, 2, None], ["B", "ideal", 3, 4, None]]
