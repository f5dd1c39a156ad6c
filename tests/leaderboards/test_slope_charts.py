"""The slope charts of two leaderboards, and the figure of a reproduction."""

import pytest

from ir_measures_graded.analysis import compare_leaderboards, evaluate, reproduce

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")

from ir_measures_graded.analysis.leaderboards.figures import _moved, slope_chart
from ir_measures_graded.output.figures import colours_of_moves
from ir_measures_graded.output.figures.style import COLOURS

QRELS = {"q": {"a": 3, "b": 1, "c": 0}, "r": {"a": 0, "b": 2, "c": 1}}
RUNS = {
    "one": {"q": {"a": 3.0, "b": 2.0}, "r": {"a": 1.0}},
    "two": {"q": {"b": 3.0, "c": 2.0}, "r": {"b": 1.0}},
    "three": {"q": {"c": 3.0, "a": 2.0}, "r": {"c": 2.0, "b": 1.0}},
}


def test_a_system_has_one_colour_in_all_panels():
    first = evaluate(QRELS, RUNS, ["CG@1", "CG@2"])
    second = evaluate(QRELS, RUNS, ["P@1", "AP"])
    orders = compare_leaderboards(first, second, [("CG@1", "P@1"), ("CG@2", "AP")]).orders
    moved = dict.fromkeys(RUNS, 0.0)
    for compared in orders:
        for system, before, after in zip(compared.systems, *compared.places):
            moved[system] += abs(before - after)
    moving = sorted((-distance, system) for system, distance in moved.items() if distance)
    assert len(moving) > 1
    coloured = colours_of_moves(_moved(orders))
    assert list(coloured.items()) == list(zip([name for _, name in moving], COLOURS))


def test_of_many_systems_the_first_pair_of_measures_is_drawn():
    systems = [f"s{number}" for number in range(70)]
    first = {"run": systems, "AP": range(70), "P@5": range(70)}
    second = {"run": systems, "AP": range(70), "P@5": range(70, 0, -1)}
    compared = compare_leaderboards(first, second, means=True)
    figure = slope_chart(compared.orders, compared.names, "title")
    assert len(figure.axes) == 1
    assert figure.texts[-1].get_text().endswith("The first of 2 pairs of measures is drawn.")
    headings = {heading for table in compared.tables() for heading in table.cells()[0]}
    assert {"tie in first", "differ in second", "tau_AP_b", "which fall"} <= headings


def test_columns_are_named_by_what_differs():
    first = evaluate(QRELS, RUNS, ["CG@1", "P@1"])
    compared = compare_leaderboards(first, first, [("CG@1", "P@1")])
    headings = {heading for table in compared.tables() for heading in table.cells()[0]}
    assert {"tie in CG@1", "tie in P@1", "differ in CG@1"} <= headings
    assert compared.tables()[1].title == "Largest changes of places, CG@1 → P@1"
    assert compared.notes()[0].startswith("CG@1 is the truth")
    assert compared.system_table().cells()[0][3:5] == ["CG@1 value", "CG@1 place"]
    assert compared.orders[0].sides(compared.names) == ("CG@1", "P@1")
    with_names = compare_leaderboards(first, first, "P@1", names=("human", "machine"))
    assert with_names.system_table().cells()[0][3:5] == ["human value", "human place"]
    assert "tied_first" in with_names.records()[0]


def test_a_baseline_alone_has_its_means_drawn():
    first = evaluate(QRELS, RUNS, ["CG@2", "AP"])
    figure = reproduce(first, first, ("one", "two")).figure()
    (axes,) = figure.axes
    means = first.means()[[0, 1]].T
    assert axes.collections[0].get_offsets().tolist() == means.tolist()
    assert "the mean of one is the same" in figure.texts[-1].get_text().replace("\n", " ")
