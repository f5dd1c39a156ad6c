"""A remark on the input reaches a terminal once: below the table or as a warning."""

import json
from pathlib import Path

import pytest

from command_line import command

WARNING = "warning: short: the run lacks 1 of 2 topics of the qrels"
BELOW = "short: the run lacks 1 of 2 topics of the qrels."


@pytest.fixture
def short(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n2 0 a 1\n")
    Path("short").write_text("1 Q0 a 1 1 x\n")
    Path("other").write_text("1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n")


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_formats_for_people_have_the_remark_and_no_warning(short, form):
    done = command("evaluate", "qrels", "short", "other", "P@1", "-f", form, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(BELOW) == 1


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "jsonl"])
def test_formats_for_programs_leave_the_warning(short, form):
    done = command("evaluate", "qrels", "short", "other", "P@1", "-f", form, text=True)
    assert done.stderr.count(WARNING) == 1


def test_text_without_notes_leaves_the_warning(short):
    done = command("evaluate", "qrels", "short", "P@1", "-f", "text", text=True)
    assert BELOW not in done.stdout
    assert done.stderr.count(WARNING) == 1


def test_an_error_leaves_the_warning(short):
    done = command("evaluate", "qrels", "short", "missing", "P@1", "-f", "text", text=True)
    assert done.returncode == 2
    assert "missing" in done.stderr


@pytest.mark.parametrize("name", ["compare", "power", "gate"])
def test_analyses_have_the_remarks_as_data_and_in_words(short, name):
    words = (name, "qrels", "short", "other", "P@1")
    done = command(*words, "-f", "json", text=True)
    assert done.stderr.count(WARNING) == 1
    (remark,) = json.loads(done.stdout)["remarks"]
    assert (remark["kind"], remark["subject"]) == ("topics", "short")
    done = command(*words, "-f", "text", text=True)
    assert WARNING not in done.stderr
    assert done.stdout.count("short lacks 1 topic;") == 1
