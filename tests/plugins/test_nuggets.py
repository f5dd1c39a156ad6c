"""The example plugin for answers: its tests and its page, in a process that has it installed."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from distributions import EXAMPLES, REPOSITORY, distribution, python

PLUGIN = EXAMPLES / "nuggets"
CODE = """
import os
from pathlib import Path
import pytest
from documents import follow, in_process
options = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "-c", "{0}/pyproject.toml"]
assert pytest.main([*options, "{0}/src", "{0}/tests"]) == 0
page = Path("{1}/docs/answers.md")
assert follow(page, Path("sample").absolute(), os.environ, in_process) > 8
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the commands of the page need a POSIX shell")
def test_scores_of_answers_work_in_all_analyses_as_the_page_shows(tmp_path, monkeypatch):
    pytest.importorskip("statsmodels", reason="the page compares systems")
    distribution(tmp_path, "ir-measures-nuggets", "", version="1.0")
    # The entry point leads to the plugin's own source.
    (tmp_path / "ir_measures_nuggets.py").unlink()
    shutil.copytree(PLUGIN / "sample", tmp_path / "sample")
    sources = [PLUGIN / "src", REPOSITORY / "tests", REPOSITORY / "src"]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, sources)))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    done = python(tmp_path, CODE.format(PLUGIN.as_posix(), REPOSITORY.as_posix()))
    assert done.returncode == 0, done.stdout + done.stderr
