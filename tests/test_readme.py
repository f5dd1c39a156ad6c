"""What the README shows is what happens."""

import doctest
import os
import sys
from pathlib import Path

import pytest

from documents import follow

README = Path(__file__).parents[1] / "README.md"
BESIDE = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def test_the_commands_print_what_is_shown(tmp_path: Path) -> None:
    assert follow(README, tmp_path, BESIDE) >= 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning:pyterrier")  # PyTerrier's own calls of pandas
def test_the_python_examples_print_what_is_shown() -> None:
    pytest.importorskip("pyterrier", reason="one example is of PyTerrier")
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 10
    assert result.failed == 0
