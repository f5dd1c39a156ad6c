"""The metadata of the distribution agrees with the code."""

import subprocess
import sys
from importlib.metadata import distribution

import ir_measures_graded

DISTRIBUTION = distribution("ir-measures-graded")


def test_version_equals_that_of_the_package():
    assert DISTRIBUTION.version == ir_measures_graded.__version__


def test_entry_points_can_be_loaded():
    ours = {(entry.group, entry.name): entry for entry in DISTRIBUTION.entry_points}
    assert callable(ours["console_scripts", "ir_measures_graded"].load())
    assert callable(ours["pyterrier.modules", "graded"].load())


def test_import_loads_no_slow_dependency():
    code = "import ir_measures_graded, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "numpy" in loaded
    assert not loaded & set(
        "ir_datasets matplotlib pandas pyarrow pyterrier scipy statsmodels tqdm".split()
    )
