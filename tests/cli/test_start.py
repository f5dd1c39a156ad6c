"""The start of the command: Ctrl-C while modules are imported, and Python without docstrings."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

import ir_measures_graded
from ir_measures_graded import demo
from rounds import thorough

INTERRUPT = """
import os, signal, sys

# A shell lets processes in the background ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""
FORMS = {
    "module": ["-m", "ir_measures_graded"],
    "script": ["-c", "import ir_measures_graded_command as command; command.main()"],
}


def started(words, **environment):
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("form", FORMS)
def test_an_interrupt_during_the_imports_ends_the_process_without_a_traceback(form, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    ended = started([*FORMS[form], "--version"], PYTHONPATH=path)
    assert ended.returncode == -signal.SIGINT
    assert ended.stdout + ended.stderr == ""


SCRIPT = """
import atexit, sys
from ir_measures_graded_command import script

atexit.register(print, "called at the end")
if __name__ == "__main__":
    sys.exit(script())
"""
IN_A_FUNCTION = """
import runpy, sys

try:
    runpy.run_path(sys.argv[0].replace("caller", "script"), run_name="__main__")
except SystemExit as end:
    print("status", end.code)
"""


def test_the_script_ends_with_all_output_and_its_status_but_never_another_program(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    caller = tmp_path / "caller.py"
    caller.write_text(IN_A_FUNCTION)
    files = [str(demo.qrels_path()), str(demo.run_paths()["A"])]
    ended = started([str(script), "evaluate", *files, "nDCG@10"])
    assert (ended.returncode, ended.stdout) == (0, "nDCG@10\t0.2117\ncalled at the end\n")
    ended = started([str(script), "evaluate", files[0], "nDCG@10"])
    assert (ended.returncode, ended.stdout) == (2, "called at the end\n")
    assert "no run is given" in ended.stderr
    ended = started([str(caller), "--version"])
    assert ended.stdout.splitlines()[1:] == ["status 0", "called at the end"]


WITH_AN_OBJECT = """
import atexit, builtins

class Kept:
    def __del__(self):
        print("freed")

builtins.kept = Kept()
atexit.register(print, "called at the end")
"""
BY_ANOTHER_PROGRAM = """
import runpy
runpy.run_module("ir_measures_graded", run_name="__main__", alter_sys=True)
"""


def test_the_module_ends_as_the_script_does_without_freeing_each_object(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITH_AN_OBJECT)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    version = f"ir_measures_graded {ir_measures_graded.__version__}\ncalled at the end\n"
    ended = started([*FORMS["module"], "--version"], PYTHONPATH=path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, version, "")
    program = tmp_path / "program.py"
    program.write_text(BY_ANOTHER_PROGRAM)
    ended = started([str(program), "--version"], PYTHONPATH=path)
    assert (ended.returncode, ended.stdout) == (0, f"{version}freed\n")


NOT_NEEDED = {
    "ir_measures_graded.analysis",
    "difflib",
    "importlib.metadata",
    "ir_measures_graded.core.measures.preference",
    "ir_measures_graded.core.measures.standard_definitions",
    "ir_measures_graded.core.measures.trec_eval",
    "ir_measures_graded.core.registry.sentences",
    "ir_measures_graded.core.rows.columns",
    "ir_measures_graded.core.rows.passages",
    "ir_measures_graded.core.uncertainty.extremes",
    "ir_measures_graded.core.uncertainty.ties",
    "ir_measures_graded.evaluation.near_ids",
    "ir_measures_graded.evaluation.topic_means",
    "ir_measures_graded.evaluation.values",
    "ir_measures_graded.evaluation.workers",
    "ir_measures_graded.files.out_of_core",
    "ir_measures_graded.files.spilled",
    "ir_measures_graded.files.table_files",
    "ir_measures_graded.output.figures.saving",
    "ir_measures_graded.output.figures.style",
    "json",
    "matplotlib",
    "pandas",
    "pathlib",
    "pyarrow",
    "scipy",
}
"""Modules without which a small run is evaluated, because their imports take time."""


def test_a_small_run_is_evaluated_without_modules_that_it_does_not_need(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(demo.run_paths()["A"], "run")  # this could be the name of a measure
    files = [str(demo.qrels_path()), "run"]
    ended = started(["-X", "importtime", *FORMS["module"], "evaluate", *files, "nDCG_JK@10"])
    lines = ended.stderr.splitlines()
    imported = {line.rpartition("|")[2].strip() for line in lines}
    assert "ir_measures_graded.evaluation.evaluate" in imported
    assert NOT_NEEDED.isdisjoint(imported)


def test_a_table_is_evaluated_without_pandas(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    topics = [f"q{number % 4}" for number in range(2000)]
    documents = [f"d{number}" for number in range(2000)]
    values = list(range(2000))
    qrels = tmp_path / "qrels.parquet"
    run = tmp_path / "run.parquet"
    for path, value in ((qrels, "relevance"), (run, "score")):
        columns = {"query_id": topics, "doc_id": documents, value: values}
        parquet.write_table(pyarrow.table(columns), path)
    ended = started(["-X", "importtime", *FORMS["module"], "evaluate", qrels, run, "nDCG_JK@10"])
    imported = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "pyarrow.parquet" in imported
    assert imported.isdisjoint({"pandas", "pyarrow.compute"})


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--help"], marks=thorough),
        ["gate", "--help"],
        pytest.param(["measures", "nDCG_JK"], marks=thorough),
    ],
)
def test_help_is_the_same_if_python_leaves_out_docstrings(words):
    plain = started([*FORMS["module"], *words])
    assert plain.returncode == 0
    assert plain.stdout
    optimised = started([*FORMS["module"], *words], PYTHONOPTIMIZE="2")
    assert (optimised.stdout, optimised.stderr) == (plain.stdout, plain.stderr)
