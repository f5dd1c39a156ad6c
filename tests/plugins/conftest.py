"""Fixtures for the tests marked `install`: distributions are built once and installed once."""

import sys
import venv
from pathlib import Path

import pytest

from distributions import EXAMPLE, REPOSITORY, run


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, the wheel made from it, and the example plugin's wheel."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, REPOSITORY)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, EXAMPLE)
    return folder


@pytest.fixture(scope="session")
def fresh(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment that has both distributions and PyTerrier."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    (ours,), (example,) = built.glob("ir_measures_graded-*.whl"), built.glob("ir_measures_rhl-*.whl")
    run(programs / "python", "-m", "pip", "install", f"{ours}[pyterrier]", f"{example}[test]")
    return programs
