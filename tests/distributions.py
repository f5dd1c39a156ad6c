"""Distributions for tests: a module and a ``.dist-info`` in a folder on PYTHONPATH, or built."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

REPOSITORY = Path(__file__).parents[1]
EXAMPLES = REPOSITORY / "docs" / "example-plugins"
EXAMPLE = EXAMPLES / "rhl"

HEAD = """
from ir_measures_graded import GradedMeasure, Real, TopicMeasure, hookimpl

class First(TopicMeasure):
    NAME = "First"
    SHORT_DESC = "The gain at rank 1."
    PARAMETERS = {"p": Real(default=1, above=0, desc="a factor")}

    def value(self, topic):
        return self["p"] * topic.gains[0] if topic.retrieved else 0
"""


def hooked(body: str) -> str:
    """The code of a plugin whose hook has this body."""
    return f"{HEAD}\n@hookimpl\ndef graded_measures(): {body}\n"


GOOD = hooked("return [First()]")


def measuring(name: str, body: str) -> str:
    """The code of a plugin with one measure, whose value a line of code computes."""
    return (
        "import os, time, warnings\nfrom ir_measures_graded import TopicMeasure, hookimpl\n\n"
        f"class {name}(TopicMeasure):\n    NAME = SHORT_DESC = {name!r}\n\n"
        f"    def value(self, topic):\n        {body}\n\n"
        f"@hookimpl\ndef graded_measures():\n    return [{name}()]\n"
    )


def distribution(folder: Path, name: str, code: str, entry: str = "", version: str = "1.2") -> None:
    """Write a distribution with one plugin module."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(dedent(code), encoding="utf-8")
    metadata = folder / f"{module}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(
        f"[ir_measures_graded]\n{entry or module} = {module}\n"
    )


STRICT = "-Werror::UserWarning"
"""The option of Python with which a plugin that cannot be used is an error."""


def python(
    folder: Path, code: str, *options: str, mode: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter that finds the distributions in a folder."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *options, "-c", dedent(code)],
        env={**os.environ, "PYTHONPATH": path, "IR_MEASURES_GRADED_PLUGINS": mode},
        capture_output=True,
        text=True,
        check=False,
    )


def run(*command: object, folder: Path | None = None) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout
