"""NAME=path gives a run its name in every command, and -f and -o know every ending."""

import json
import sys
from pathlib import Path

import pytest

from ir_measures_graded.analysis import evaluate

TWO = "run,query_id,doc_id,score\nA,q1,a,2\nB,q1,b,1\n"


@pytest.fixture(autouse=True)
def files(folder):
    Path("two.csv").write_text(TWO)
    Path("a=b.run").write_text(Path("run").read_text())
    Path("values.csv").write_text("query_id,AP\nq1,0.5\nq2,0.25\n")
    Path("runs").mkdir()
    for name in ("x.run", "y.run"):
        Path("runs", name).write_text(Path("run").read_text())


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("BM25=run", ["BM25"]),
        ("BM 25=./run", ["BM 25"]),
        ("a=b.run", ["a=b"]),
        ("c=a=b.run", ["c"]),
        ("new=runs/x.*", ["new"]),
        ("new=runs/*", ["new/x", "new/y"]),
        ("T=two.csv", ["T/A", "T/B"]),
    ],
)
def test_a_name_comes_before_the_path(output, word, names):
    lines = output("evaluate", "qrels", word, "other", "RR", "-f", "jsonl")
    assert [json.loads(line)["run"] for line in lines] == [*names, "other"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["compare", "qrels", "A=run", "B=other", "AP", "--baseline", "B", "-f", "csv"], "AP,A,"),
        (["compare", "--values", "A=values.csv", "--values", "B=values.csv", "-f", "csv"], ",A,"),
        (["gate", "qrels", "old=run", "new=other", "AP", "--undecided", "pass"], "old"),
        (["judges", "qrels", "LLM=qrels", "-f", "csv"], "LLM"),
    ],
)
def test_every_command_takes_names(output, words, text):
    assert any(text in line for line in output(*words))


def test_a_converted_run_has_its_name_as_tag(output):
    output("convert", "BM 25=run", "new.run")
    assert {line.split()[5] for line in Path("new.run").read_text().splitlines()} == {"BM_25"}


@pytest.mark.parametrize("word", ["BM25=nor.run", "BM25=no/*.run"])
def test_a_missing_file_is_named_without_the_name(refusal, word):
    message = refusal("evaluate", "qrels", word, "RR")
    assert message.startswith(f"file not found: {word.partition('=')[2]!r}")


def test_the_second_file_of_a_name_gets_another_one(refusal):
    message = refusal("evaluate", "qrels", "A=run", "A=other", "AP")
    assert "two runs are named 'A'; give each its own name, as in new=other in a command" in message


def test_an_output_must_not_be_the_file_behind_a_name(refusal):
    Path("x.csv").write_text(TWO)
    message = refusal("evaluate", "qrels", "A=x.csv", "RR", "-o", "x.csv")
    assert message == "cannot write 'x.csv': the command reads this file"


@pytest.mark.parametrize(
    ("ending", "form"), [("md", "markdown"), ("tex", "latex"), ("txt", "text")]
)
def test_an_ending_names_its_format(output, ending, form):
    words = ["evaluate", "qrels", "run", "AP", "-f"]
    assert output(*words, ending) == output(*words, form)


def test_an_excel_file_has_all_decimals_notes_and_no_formula(output):
    openpyxl = pytest.importorskip("openpyxl")
    runs = {"=1+1": "run", "b\x01": "other", "c\t\nd": "other"}
    evaluate("qrels", runs, "AP").save("saved.xlsx")
    output("evaluate", "qrels", "run", "other", "AP", "-q", "-n", "-o", "values.xlsx")
    saved = openpyxl.load_workbook("saved.xlsx")["values"]
    assert [cell.value for cell in saved[1]] == ["run", "measure", "topic", "value"]
    assert {cell.value for cell in saved["A"][1:]} == {"=1+1", "b ", "c\t\nd"}
    notes = [cell.value for cell in openpyxl.load_workbook("saved.xlsx")["notes"]["A"]]
    assert notes[-1].startswith("Blanks stand for control characters of names")
    assert {cell.data_type for cell in saved["A"]} == {"s"}
    assert {cell.data_type for cell in saved["D"][1:]} == {"n"}
    assert openpyxl.load_workbook("values.xlsx")["values"].max_row > 2


def test_an_excel_file_needs_openpyxl(refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    message = refusal("evaluate", "qrels", "run", "AP", "-o", "values.xlsx")
    assert message.startswith("an Excel file needs openpyxl, which is not installed: pip install")
