"""Fixtures of the command-line tests."""

import os
from pathlib import Path

import pytest

from command_line import OTHER, QRELS, RUN
from ir_measures_graded import cli


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory, which has qrels and two runs."""
    monkeypatch.chdir(tmp_path)
    for name, content in {"qrels": QRELS, "run": RUN, "other": OTHER}.items():
        Path(name).write_text(content)
    return tmp_path


@pytest.fixture
def refusal(capsys, folder):
    """Run a command that must fail; return its message. It must print and write nothing."""

    def run(*argv):
        before = sorted(os.listdir())
        status = cli.main([str(argument) for argument in argv])
        out, err = capsys.readouterr()
        assert (status, out) == (2, "")
        assert sorted(os.listdir()) == before
        assert err.startswith("ir_measures_graded: error: ")
        assert err.count("\n") == 1
        return err.removeprefix("ir_measures_graded: error: ").rstrip("\n")

    return run
