"""The GitHub Action for the gate: its steps run in bash, with the inputs in the environment."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import ENVIRONMENT
from ir_measures_graded import demo

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
pytest.importorskip("scipy", reason="the extra stats is not installed")

ROOT = Path(__file__).parents[1]
ACTION = ROOT / ".github" / "actions" / "gate" / "action.yml"
if not ACTION.exists():
    pytest.skip("the action is only in the repository", allow_module_level=True)
if shutil.which("bash") is None:
    pytest.skip("bash is not installed", allow_module_level=True)


def environment_of(step, inputs):
    """The variables of a step, in which the inputs are filled in."""

    def value_of(match):
        return inputs[match[1]]

    return {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", value_of, text)
        for name, text in step["env"].items()
    }


def text_of(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


def run_action(folder, **changed_inputs):
    """The exit status of the action's steps, and the texts of the files that GitHub reads."""
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    defaults = {name: facts.get("default") for name, facts in action["inputs"].items()}
    inputs = defaults | changed_inputs
    program = folder / "bin" / "ir_measures_graded"
    program.parent.mkdir()
    script = f'#!/bin/sh\nexec "{sys.executable}" -m ir_measures_graded "$@"\n'
    program.write_text(script, encoding="utf-8")
    program.chmod(0o755)
    output = folder / "output"
    summary = folder / "summary"
    environment = {
        **ENVIRONMENT,
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
    }
    status = 0
    for step in action["runs"]["steps"]:
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=environment | environment_of(step, inputs),
            capture_output=True,
            timeout=60,
        )
        status = done.returncode
        if status:
            break
    return status, text_of(output), text_of(summary)


@pytest.fixture
def paths():
    return {name: str(path) for name, path in demo.run_paths().items()}


def test_a_gate_that_holds_passes_and_has_a_summary(tmp_path, paths):
    status, output, summary = run_action(
        tmp_path,
        qrels="graded-demo",
        old=paths["A"],
        new=paths["E"],
        measures="nDCG_JK(gains=2:10,3:100)@10\nP@5\n",
    )
    assert (status, output) == (0, "status=0\n")
    assert "E is not worse than A" in summary
    assert (tmp_path / "gate.xml").exists()


def test_a_worse_run_fails_with_its_status(tmp_path, paths):
    status, output, summary = run_action(
        tmp_path, qrels="graded-demo", old=paths["E"], new=paths["A"], measures="nDCG_JK@10"
    )
    assert (status, output) == (1, "status=1\n")
    assert "worse" in summary


def test_an_error_and_hostile_inputs_run_nothing(tmp_path, paths):
    status, output, summary = run_action(
        tmp_path,
        qrels="graded-demo",
        old=paths["A"],
        new="$(touch broken); touch broken",
        measures="nDCG_JK@10",
        arguments="--looks=2",
    )
    assert (status, output) == (2, "status=2\n")
    assert summary == "The gate ended with an error; see its step.\n"
    assert not (tmp_path / "broken").exists()


def test_the_example_names_inputs_of_the_action():
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    example = yaml.safe_load(ACTION.with_name("example.yml").read_text(encoding="utf-8"))
    (used,) = [step for step in example["jobs"]["gate"]["steps"] if "gate@" in step.get("uses", "")]
    assert used["with"].keys() <= action["inputs"].keys()
    required = {name for name, facts in action["inputs"].items() if facts.get("required")}
    assert required <= used["with"].keys()


def test_the_example_says_that_its_owner_must_be_replaced():
    text = ACTION.with_name("example.yml").read_text(encoding="utf-8")
    comments = " ".join(line.lstrip("# ") for line in text.splitlines() if line.startswith("#"))
    assert "uses: OWNER/" in text
    assert "replace OWNER (below) by the owner of the repository" in comments
    assert "fails with the word OWNER" in comments
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    assert "Replace `OWNER` by the owner of the repository" in page
