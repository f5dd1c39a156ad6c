"""A notebook shows results and figures without any setting."""

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
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


@pytest.fixture(scope="module")
def shown():
    """The output of each cell of an executed notebook, by MIME type."""
    notebook = nbformat.v4.new_notebook(
        cells=[*map(nbformat.v4.new_code_cell, (FIRST, *CELLS.values()))]
    )
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    cells = dict(zip(CELLS, notebook.cells[1:]))
    assert all(len(cell.outputs) == 1 for cell in cells.values())
    return {name: cell.outputs[0]["data"] for name, cell in cells.items()}


@pytest.mark.parametrize("name", ["curves", "evaluate"])
def test_result_at_the_end_of_a_cell_shows_figure_and_table(shown, name):
    page = shown[name]["text/html"]
    assert page.count("<svg") == page.count("<table") == 1
    assert "D</text>" in page
    assert len(shown[name]["text/plain"]) < 200


def test_figure_at_the_end_of_a_cell_is_drawn_once(shown):
    assert shown["figure"]["image/svg+xml"].startswith("<svg")
    assert {"image/png", "text/html"}.isdisjoint(shown["figure"])
