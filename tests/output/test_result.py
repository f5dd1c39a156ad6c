"""Results: the interface that every analysis offers to people, programs and notebooks."""

import sys

import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import evaluate

pytest.importorskip("scipy", reason="SciPy is not installed")

RUNS = demo.run_paths()


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(demo.qrels_path(), RUNS, ["nDCG_JK@10", "NDPM", "NumRet"])


def test_notebook_view_without_matplotlib_names_the_extra(evaluation, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = evaluation._repr_html_()
    assert "a figure needs matplotlib, which is not installed: pip install &#x27;" in page
    assert "<td" in page


def test_record_of_a_value_that_no_provider_reports_is_none():
    qrels = {"q1": {"a": 1}, "q2": {}}
    unreported = evaluate(qrels, {"run": {"q1": {"a": 1.0}}}, ["RR@10"])
    values = {record["topic"]: record["value"] for record in unreported.records()}
    assert values == {"q1": 1.0, "q2": None}


def test_dots_of_an_evaluation_are_its_means_with_the_best_run_on_top(evaluation):
    figure = evaluation.figure()
    means = dict(zip(evaluation.runs, evaluation.means()))
    assert len(figure.axes) == 3
    order = sorted(evaluation.runs, key=lambda run: -means[run][0])
    assert [text.get_text() for text in figure.axes[0].texts[: len(order)]] == order
    for panel, axes in enumerate(figure.axes):
        (dots,) = axes.collections
        expected = [[means[run][panel], row] for row, run in enumerate(order)]
        assert dots.get_offsets().tolist() == expected
    assert "smaller is better" in figure.axes[1].get_xlabel()
    assert "smaller is better" not in figure.axes[0].get_xlabel()


def test_means_are_a_dict_of_floats_for_loggers(evaluation):
    means = evaluation.to_dict()
    assert means["B"]["NDPM"] == evaluation.means()[1, 1]
    assert list(means) == list(RUNS)
