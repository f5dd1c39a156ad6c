"""The commands and examples of the README run and print the shown output."""

import doctest
import os
import sys
from pathlib import Path

import pytest

from documents import follow, in_process

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
