"""Settings of the environment that are wrong make no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ir_measures_graded.cli import COMMANDS, GROUPS


def printed(*words, **settings):
    """The status and the output of a command in a process of its own."""
    command = [sys.executable, "-m", "ir_measures_graded", *words]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("name", "value", "reason", "ending"),
    [
        ("SOURCE_DATE_EPOCH", "today", "is 'today'; set it to whole seconds", "svg"),
        ("SOURCE_DATE_EPOCH", "9" * 20, "SOURCE_DATE_EPOCH is '99999", "pdf"),
    ],
)
def test_a_wrong_setting_is_one_sentence(folder, refusal, monkeypatch, name, value, reason, ending):
    monkeypatch.setenv(name, value)
    assert reason in refusal("curves", "qrels", "run", "P@2", "-o", f"curves.{ending}")
    assert not Path(f"curves.{ending}").exists()


def test_a_wrong_setting_that_a_library_reads_at_its_import_is_one_sentence(folder):
    words = ("curves", "qrels", "run", "P@2", "-o", "curves.svg")
    status, out, err = printed(*words, MPLBACKEND="bogus")
    assert (status, out) == (2, "")
    assert "'bogus' is not a valid value for backend" in err
    assert "Traceback" not in err
    assert not Path("curves.svg").exists()


def test_the_help_groups_all_commands(output):
    lines = output("--help")
    assert [line for line in lines if line in GROUPS] == list(GROUPS)
    tasks = lines.index("By task")
    assert [line.split()[0] for line in lines[:tasks] if line.startswith("  ")] == list(COMMANDS)
    assert lines[tasks + 1].split()[:2] == ["a", "table"]


def test_a_file_named_like_a_measure_is_said(folder, refusal):
    Path("AP").touch()
    assert "'AP' is a file here, so it is a run" in refusal("evaluate", "qrels", "run", "AP")
    Path("AP").write_bytes(Path("run").read_bytes())
    status, out, err = printed("evaluate", "qrels", "run", "AP", "RR")
    assert status == 0
    assert "AP" in out
    assert "warning: AP: the file of this name is a run; if the measure is meant" in err
