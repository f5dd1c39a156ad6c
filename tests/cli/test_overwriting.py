"""No command writes over a file that it reads, by any path, and impossible paths are refused."""

import os
from pathlib import Path

import pytest

from command_line import RUN
from command_line import command as process
from ir_measures_graded.errors import GradedError
from ir_measures_graded.output.files import refuse_inputs, write_files

RUNS = ("qrels", "run.csv", "other", "P@2")
COMMANDS = {
    "evaluate": RUNS,
    "check": ("qrels", "run.csv"),
    "levels": ("run.csv",),
    "convert": ("run.csv",),
    "explain": ("qrels", "run.csv", "P@2"),
    "curves": RUNS,
    "effort": RUNS,
    "sensitivity": RUNS,
    "ranges": RUNS,
    "identify": ("qrels", "other", "run.csv"),
    "compare": RUNS,
    "gate": RUNS,
    "power": RUNS,
    "holes": RUNS,
    "judges": ("qrels", "run.csv"),
}
"""The arguments of each command that reads a file and writes another one named by -o."""
PATHS = ("run.csv", "./run.csv", "no/../run.csv", "link.csv", "no/../link.csv", "hard.csv")


@pytest.fixture
def run_in_csv(folder):
    """A run whose name has the ending of a table, and links to it."""
    Path("run.csv").write_text(RUN)
    os.symlink("run.csv", "link.csv")
    os.link("run.csv", "hard.csv")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_input_is_not_overwritten(run_in_csv, refusal, command, path):
    message = refusal(command, *COMMANDS[command], "-o", path)
    assert message == f"cannot write {path!r}: the command reads this file"
    assert Path("run.csv").read_text() == RUN


@pytest.mark.parametrize("command", ["evaluate", "compare", "convert"])
def test_the_file_that_is_standard_input_is_not_overwritten(run_in_csv, command):
    words = [word.replace("run.csv", "-") for word in COMMANDS[command]]
    with open("run.csv") as stdin:
        ended = process(command, *words, "-o", "link.csv", stdin=stdin)
    assert ended.returncode == 2
    assert b"cannot write 'link.csv': the command reads this file" in ended.stderr
    assert Path("run.csv").read_text() == RUN


@pytest.mark.parametrize("pattern", ["run=*/a.parquet", "**/*.parquet"])
def test_a_file_of_a_pattern_is_not_overwritten(folder, refusal, pattern):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = Path("run=A", "a.parquet")
    path.parent.mkdir()
    rows = pyarrow.table({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]})
    parquet.write_table(rows, path)
    content = path.read_bytes()
    message = refusal("convert", pattern, path, "--run", "--force")
    assert message == f"cannot write '{path}': the command reads this file"
    assert path.read_bytes() == content


@pytest.mark.parametrize("option", ["--ask", "--merged"])
def test_other_outputs_do_not_overwrite_an_input(run_in_csv, refusal, option):
    words = ["--answers", "other"] if option == "--merged" else []
    message = refusal("holes", *RUNS, *words, option, "no/../run.csv")
    assert message == "cannot write 'no/../run.csv': the command reads this file"


def test_the_report_does_not_overwrite_an_input(folder, refusal):
    Path("run.html").write_text(RUN)
    message = refusal("report", "qrels", "run.html", "P@2", "-o", "no/../run.html")
    assert message == "cannot write 'no/../run.html': the command reads this file"


@pytest.mark.parametrize("command", ["evaluate", "compare", "curves", "convert", "report"])
@pytest.mark.parametrize("path", ["a\0.csv", "a\ud800.csv"])
def test_an_impossible_path_is_refused(run_in_csv, refusal, command, path):
    if command == "report":
        path = path.replace(".csv", ".html")
    message = refusal(command, *COMMANDS.get(command, RUNS), "-o", path)
    expected = f"{path!r} cannot be a path: "
    assert message.startswith(expected.encode("ascii", "backslashreplace").decode())


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["run\0", "run\ud800"])
def test_an_impossible_input_is_refused(folder, refusal, command, name):
    words = [word.replace("run.csv", name) for word in COMMANDS[command]]
    target = ["new.run"] if command == "convert" else []
    escaped = repr(name).strip("'")
    assert escaped in refusal(command, *words, *target)


def test_the_check_follows_the_path_of_the_writer(folder):
    Path("folder").mkdir()
    write_files({"no/../run.csv": b"new"})
    assert Path("run.csv").read_bytes() == b"new"
    with pytest.raises(GradedError, match="reads this file"):
        refuse_inputs(["no/../run.csv"], ["folder/../run.csv"])
    with pytest.raises(GradedError, match="reads the folder of this file"):
        refuse_inputs(["no/../folder/a.csv"], ["folder"])
