"""The commands and examples of the README run and print the shown output."""

import doctest
import os
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ir_measures_graded
from documents import follow, in_process
from ir_measures_graded.cli.habits import in_our_words
from ir_measures_graded.cli.parser import QUIET, Parser

README = Path(__file__).parents[1] / "README.md"
BESIDE = {
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "PYTHONPATH": str(README.parent / "src"),
}


def test_commands_print_the_shown_output(tmp_path: Path) -> None:
    assert follow(README, tmp_path, BESIDE, in_process) >= 2


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:pyterrier"
)  # PyTerrier calls pandas in a deprecated way
def test_python_examples_print_the_shown_output() -> None:
    pytest.importorskip("pyterrier", reason="one example needs PyTerrier")
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 10
    assert result.failed == 0


def test_the_commands_take_the_lines_of_the_tasks(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    section = README.read_text(encoding="utf-8").partition("## Find your task")[2]
    table = section.partition("\n## ")[0]
    lines = re.findall(r"`([a-z]+ [^`]+)`", table)
    for name in ("lightgbm_metric", "scorer"):
        lines.remove(f"from ir_measures_graded import {name}")
        assert hasattr(ir_measures_graded, name)
    assert len(lines) >= 15
    for word in re.findall(r"[\w-]+\.(?:txt|run|csv|json|svm)", table):
        Path(word).touch()
    for line in lines:
        command, *words = in_our_words(shlex.split(line))
        module = import_module(f"ir_measures_graded.cli.{command}")
        options = [*module.OPTIONS, QUIET]
        forms = getattr(module, "USAGE", ())
        Parser(options, forms, command, "").arguments([command, *words])
