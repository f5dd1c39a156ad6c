"""Fixtures for the tests marked `install`: distributions are built once and share one environment."""

import sys
from pathlib import Path

import pytest

from distributions import EXAMPLE, REPOSITORY, run
from documents import follow


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, the wheel made from it, and the example plugin's wheel."""
    folder = tmp_path_factory.mktemp("dist")
    run("uv", "build", "--out-dir", folder, REPOSITORY)
    run("uv", "build", "--wheel", "--out-dir", folder, EXAMPLE)
    return folder


@pytest.fixture(scope="session")
def followed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A folder in which every step of "Write your own measure" was followed, and the number of commands.

    The steps make a new environment from an empty folder and install this package and a plugin.
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
    (ours,), (example,) = (
        built.glob("ir_measures_graded-*.whl"),
        built.glob("ir_measures_rhl-*.whl"),
    )
    run(
        "uv",
        "pip",
        "install",
        "--python",
        environment,
        f"{ours}[pyterrier]",
        f"{example}[test]",
    )
    return programs
