"""The metadata of the distribution agrees with the code."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import ir_measures_graded
from distributions import REPOSITORY

DISTRIBUTION = distribution("ir-measures-graded")
REQUIREMENTS = [re.split(r"\s*;\s*", text) for text in DISTRIBUTION.requires or ()]
BRINGS = {"pytrec-eval-terrier": "pytrec_eval", "scikit-posthocs": "scikit_posthocs"}


def modules(extra: bool) -> set[str]:
    """The modules of the direct dependencies, or of the extras."""
    named = {re.split(r"[^\w-]", text)[0].lower() for text, *marker in REQUIREMENTS if bool(marker) == extra}
    return {BRINGS.get(name, name.replace("-", "_")) for name in named}


def imports(path: Path, top: bool) -> Iterator[str]:
    """The modules that a file imports, at its top level or anywhere."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]


def foreign(top: bool) -> set[str]:
    files = (REPOSITORY / "src").rglob("*.py")
    found = {module for path in files for module in imports(path, top)}
    return found - sys.stdlib_module_names - {"ir_measures_graded"}


def test_top_level_imports_are_direct_dependencies():
    assert foreign(top=True) <= modules(extra=False)


def test_lazy_imports_are_declared():
    assert foreign(top=False) <= modules(extra=False) | modules(extra=True)


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
    assert not loaded & set("ir_datasets matplotlib pandas pyarrow pyterrier scipy statsmodels tqdm".split())
