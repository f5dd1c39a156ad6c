"""Every format carries the remarks of a result."""

import json

import pytest

from ir_measures_graded.analysis import evaluate
from ir_measures_graded.cli import main
from ir_measures_graded.output.result import View
from ir_measures_graded.output.tables import Table

TEXT = "the run lacks 1 of 2 topics of the qrels (2); it counts, mostly as 0, as in trec_eval -c"


@pytest.fixture
def short_run():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    with pytest.warns(match="lacks 1 of 2"):
        return evaluate(qrels, {"short": {"1": {"a": 1.0}}}, ["P@1"])


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_formats_for_people_have_the_remarks(short_run, form):
    assert f"short: {TEXT}." in "\n".join(short_run.lines(form))
    view = View([Table(["run"], [["short"]])], remarks=short_run.remarks)
    assert f"short: {TEXT}." in "\n".join(view.lines(form))


def test_a_notebook_has_the_remarks(short_run):
    assert TEXT in short_run._repr_html_()


@pytest.mark.filterwarnings("ignore::ir_measures_graded.errors.InputWarning")
def test_json_and_page_have_the_remarks(tmp_path, monkeypatch, capsys):
    pytest.importorskip("jinja2", reason="the extra report is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "short").write_text("1 Q0 a 1 1 x\n")
    assert main(["evaluate", "qrels", "short", "P@1", "-f", "json", "-o", "page.html"]) == 0
    remark = {"kind": "topics", "subject": "short", "text": TEXT, "topics": ["2"]}
    assert json.loads(capsys.readouterr().out)["remarks"] == [remark]
    assert TEXT in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("row", [["a"], ["a", 1, 2]])
def test_a_ragged_table_is_an_error(row):
    with pytest.raises(ValueError, match="cells for 2 columns"):
        Table(["run", "mean"], [["b", 1], row])
