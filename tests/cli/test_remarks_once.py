"""A remark on the input reaches a terminal once: below the table or as a warning."""

import json
from pathlib import Path

import pytest

from ir_measures_graded import cli

WARNING = "warning: short: the run lacks 1 of 2 topics of the qrels (2); it counts, mostly as 0, as in trec_eval -c"
BELOW = "short: the run lacks 1 of 2 topics of the qrels (2); it counts, mostly as 0, as in trec_eval -c."


pytestmark = pytest.mark.filterwarnings("default")  # as in a process of its own


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """The exit status of a command on a run that lacks a topic, and what it prints."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n2 0 a 1\n")
    Path("short").write_text("1 Q0 a 1 1 x\n")
    Path("other").write_text("1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n")

    def run(*words):
        status = cli.main(list(words))
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_formats_for_people_have_the_remark_and_no_warning(printed, form):
    status, out, err = printed("evaluate", "qrels", "short", "other", "P@1", "-f", form)
    assert (status, err) == (0, "")
    assert out.count(BELOW) == 1


def test_files_whose_columns_are_read_alike_share_a_remark(printed):
    for name in ("first.csv", "second.csv"):
        Path(name).write_text("user query,sku,score\n1,a,1\n2,a,1\n")
    _, out, _ = printed("evaluate", "qrels", "first.csv", "second.csv", "P@1", "-f", "text")
    assert out.count("is read as") == 1
    assert "first and second: user query is read as query_id; if other columns" in out


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "jsonl"])
def test_formats_for_programs_leave_the_warning(printed, form):
    _, _, err = printed("evaluate", "qrels", "short", "other", "P@1", "-f", form)
    assert err.count(WARNING) == 1


def test_text_without_notes_leaves_the_warning(printed):
    _, out, err = printed("evaluate", "qrels", "short", "P@1", "-f", "text")
    assert BELOW not in out
    assert err.count(WARNING) == 1


def test_an_error_leaves_the_warning(printed):
    status, _, err = printed("evaluate", "qrels", "short", "missing", "P@1", "-f", "text")
    assert status == 2
    assert "missing" in err


@pytest.mark.parametrize("name", ["compare", "power", "gate"])
def test_analyses_have_the_remarks_as_data_and_in_words(printed, name):
    words = (name, "qrels", "short", "other", "P@1")
    _, out, err = printed(*words, "-f", "json")
    assert err.count(WARNING) == 1
    (remark,) = json.loads(out)["remarks"]
    assert (remark["kind"], remark["subject"]) == ("topics", "short")
    _, out, err = printed(*words, "-f", "text")
    assert WARNING not in err
    assert out.count("short lacks 1 topic (2);") == 1


@pytest.mark.thorough
def test_a_report_with_another_judge_warns_once(printed):
    Path("own").write_text("1 Q0 1 1 2 x\n1 Q0 a 2 1 x\n2 Q0 2 1 2 x\n2 Q0 a 2 1 x\n")
    Path("judge").write_text("1 0 a 1\n2 0 a 1\n")
    words = ("report", "qrels", "own", "other", "nDCG_JK@5", "--judge", "judge", "-o", "r.html")
    status, _, err = printed(*words)
    assert status == 0
    assert err.count("a document has the id of the topic") == 1
