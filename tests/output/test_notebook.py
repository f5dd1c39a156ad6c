"""A notebook shows results and figures without any setting."""

import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import curves, evaluate
from rounds import thorough

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")

FIRST = """
from ir_measures_graded import demo
from ir_measures_graded.analysis import curves, evaluate
qrels, runs = demo.qrels_path(), demo.run_paths()
del runs["B"]  # it lacks a topic, which a warning says
"""
CELLS = {
    "curves": 'found = curves(qrels, runs, "nDCG_JK", 20)\nfound',
    "figure": "found.figure()",
    "evaluate": 'evaluate(qrels, runs, ["AP"])',
}


def shown_in_this_process():
    """What IPython makes of each result, by MIME type."""
    formatters = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    qrels, runs = demo.qrels_path(), demo.run_paths()
    found = curves(qrels, runs, "nDCG_JK", 20)
    cells = {"curves": found, "figure": found.figure(), "evaluate": evaluate(qrels, runs, ["AP"])}
    display = formatters.DisplayFormatter()
    return {name: display.format(result)[0] for name, result in cells.items()}


def shown_by_a_kernel():
    """The output of each cell of an executed notebook, by MIME type."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    notebook = nbformat.v4.new_notebook(
        cells=[*map(nbformat.v4.new_code_cell, (FIRST, *CELLS.values()))]
    )
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    cells = dict(zip(CELLS, notebook.cells[1:]))
    assert all(len(cell.outputs) == 1 for cell in cells.values())
    return {name: cell.outputs[0]["data"] for name, cell in cells.items()}


@pytest.mark.parametrize(
    "shown_by", [shown_in_this_process, pytest.param(shown_by_a_kernel, marks=thorough)]
)
def test_results_show_figure_and_table_and_a_figure_is_drawn_once(shown_by):
    shown = shown_by()
    for name in ("curves", "evaluate"):
        page = shown[name]["text/html"]
        assert page.count("<svg") == page.count("<table") == 1
        assert "D</text>" in page
        assert len(shown[name]["text/plain"]) < 200
    assert shown["figure"]["image/svg+xml"].startswith("<svg")
    assert {"image/png", "text/html"}.isdisjoint(shown["figure"])
