"""Fixtures for the tests marked `install`: distributions are built once, for one environment."""

import sys
from pathlib import Path

import pytest

from distributions import EXAMPLE, REPOSITORY, run
from documents import follow


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, its wheel, and the example plugin's wheel."""
    folder = tmp_path_factory.mktemp("dist")
    run("uv", "build", "--out-dir", folder, REPOSITORY)
    run("uv", "build", "--wheel", "--out-dir", folder, EXAMPLE)
    return folder


@pytest.fixture(scope="session")
def followed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A folder in which every step of "Write your own measure" was followed.

    The steps make a new environment from an empty folder and install this package and a plugin.
    The second value is the number of commands.
    """
    folder = tmp_path_factory.mktemp("tutorial")
    tutorial = REPOSITORY / "docs" / "write-your-own-measure.md"
    return folder, follow(tutorial, folder, {"PIP_FIND_LINKS": str(built)})


@pytest.fixture(scope="session")
def fresh(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment with this package, the example plugin and PyTerrier."""
    environment = tmp_path_factory.mktemp("fresh") / ".venv"
    run("uv", "venv", "--python", sys.executable, environment)
    programs = environment / ("Scripts" if sys.platform == "win32" else "bin")
    (ours,) = built.glob("ir_measures_graded-*.whl")
    (example,) = built.glob("ir_measures_rhl-*.whl")
    wheels = [f"{ours}[pyterrier]", f"{example}[test]"]
    run("uv", "pip", "install", "--python", environment, *wheels)
    return programs
