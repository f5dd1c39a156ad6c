"""A notebook shows results and figures without any setting."""

import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import curves, evaluate
from rounds import thorough

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")

FIRST = """
from ir_measures_graded import demo
from ir_measures_graded.analysis import curves, evaluate
qrels = demo.qrels_path()
runs = demo.run_paths()
del runs["B"]  # it lacks a topic, which a warning says
"""
CELLS = {
    "curves": 'result = curves(qrels, runs, "nDCG_JK", 20)\nresult',
    "figure": "result.figure()",
    "evaluate": 'evaluate(qrels, runs, ["AP"])',
}


def shown_in_this_process():
    """What IPython makes of each result, by MIME type."""
    formatters = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    qrels = demo.qrels_path()
    runs = demo.run_paths()
    result = curves(qrels, runs, "nDCG_JK", 20)
    cells = {"curves": result, "figure": result.figure()}
    cells["evaluate"] = evaluate(qrels, runs, ["AP"])
    display = formatters.DisplayFormatter()
    return {name: display.format(cell)[0] for name, cell in cells.items()}


def shown_by_a_kernel():
    """The output of each cell of an executed notebook, by MIME type."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    new_cells = [nbformat.v4.new_code_cell(code) for code in (FIRST, *CELLS.values())]
    notebook = nbformat.v4.new_notebook(cells=new_cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    cells = dict(zip(CELLS, notebook.cells[1:]))
    assert all(len(cell.outputs) == 1 for cell in cells.values())
    return {name: cell.outputs[0]["data"] for name, cell in cells.items()}


@pytest.mark.parametrize(
    "shown_by", [shown_in_this_process, pytest.param(shown_by_a_kernel, marks=thorough)]
)
def test_results_show_figure_and_table_and_a_figure_is_drawn_once(shown_by):
    displays = shown_by()
    for name in ("curves", "evaluate"):
        page = displays[name]["text/html"]
        assert page.count("<svg") == 1
        assert page.count("<table") == 1
        assert "D</text>" in page
        assert len(displays[name]["text/plain"]) < 200
    assert displays["figure"]["image/svg+xml"].startswith("<svg")
    assert {"image/png", "text/html"}.isdisjoint(displays["figure"])
