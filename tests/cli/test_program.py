"""The program: help, channels, exit statuses and interrupts."""

import io
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ir_measures_graded
from command_line import ENVIRONMENT, PROGRAM, command
from ir_measures_graded import cli
from ir_measures_graded.cli import program


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_ends_quietly_with_141(unbuffered):
    process = subprocess.Popen(
        [*PROGRAM, "measures"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered},
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 141
    assert errors == b""


# A shell starts background processes, perhaps this test, with SIGINT ignored.
INTERRUPTIBLE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
words = ["-m", "ir_measures_graded", "evaluate", "pipe", "run", "AP"]
os.execv(sys.executable, [sys.executable, *words])
"""


@pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="needs a named pipe to know when the command reads"
)
def test_ctrl_c_ends_quietly_with_130():
    os.mkfifo("pipe")
    channels = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTIBLE], **channels, env=ENVIRONMENT)
    with open("pipe", "w"):  # open() returns when the command reads
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, (b"", b""))


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("evaluate qrels - AP <&-", "standard input (-) is closed"),
        ("evaluate qrels run AP >&-", "cannot write the output: standard output is closed"),
        ("evaluate --help >/dev/full", "cannot write the output: No space left on device"),
        ("evaluate qrels run nope 2>&-", ""),
    ],
)
def test_closed_and_full_channels(line, message):
    if "/dev/full" in line and not os.path.exists("/dev/full"):
        pytest.skip("needs a device that is always full")
    done = command("-c", f"{shlex.join(PROGRAM)} {line}", program=["sh"], text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"ir_measures_graded: error: {message}\n" if message else "")


def test_a_message_is_one_line_whatever_the_file_is_called(refusal):
    Path("a\n\x1b[31mb").write_text("q1 Q0 d1 1\n")
    message = refusal("evaluate", "qrels", "a\n\x1b[31mb", "AP")
    assert message.startswith(r"a\n\x1b[31mb: these are qrels, not a run")
    Path("folder").mkdir()
    Path("folder/a\nb").write_text("q1 Q0 d1 1 1 t\n")
    words = ["evaluate", "qrels", "folder/a\nb", "AP"]
    warning = (
        r"a\nb: the run lacks 1 of 2 topics of the qrels (q2); it counts, mostly as 0, as in trec_eval -c"
        + "\n"
    )
    assert command(*words, text=True).stderr == f"ir_measures_graded: warning: {warning}"
    strict = command(*words, text=True, environment={"PYTHONWARNINGS": "error"})
    assert (strict.returncode, strict.stderr) == (2, f"ir_measures_graded: error: {warning}")


def test_characters_that_the_terminal_lacks_are_escaped(monkeypatch):
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding="ascii"))
    assert cli.main(["measures", "nCG"]) == 0
    assert rb"\u03a3" in printed.getvalue()


def test_missing_memory_is_one_sentence_and_status_2(monkeypatch, refusal):
    monkeypatch.setattr("ir_measures_graded.cli.levels.run", lambda _: np.empty(1 << 56))
    assert refusal("levels", "qrels").startswith("there is not enough memory; give smaller files")


def test_version_and_help(output):
    assert output("--version") == [f"ir_measures_graded {ir_measures_graded.__version__}"]
    overview = "\n".join(output("--help"))
    for name in cli.COMMANDS:
        usage, *lines = output(name, "--help")
        assert usage.startswith(f"usage: ir_measures_graded {name}")
        assert f"{name} " in overview
        assert lines[lines.index("") + 1] in overview


@pytest.mark.parametrize("columns", [80, 120])
def test_help_fits_the_terminal_and_ends_with_the_shared_options(output, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for name in cli.COMMANDS:
        lines = output(name, "--help")
        assert all(len(line) <= columns for line in lines)
        own, _, shared = "\n".join(lines).partition("\n\noutput:\n")
        assert "  --quiet " in shared
        own = own.partition("\n\nreading qrels and runs:\n")[0]
        assert not re.search("^  --(gains|run_column|places|quiet)", own, re.MULTILINE)


def test_options_may_have_hyphens_or_underscores(output):
    words = ["evaluate", "qrels", "run", "other", "AP"]
    by_query = output(*words, "--by_query")
    assert output(*words, "--by-query") == by_query
    assert output(*words) != by_query


def test_a_command_imports_only_what_it_needs():
    code = """
import ir_measures_graded_command, sys
assert "numpy" not in sys.modules  # else it is too late to choose the number of its threads
from ir_measures_graded import cli

heavy = [f"ir_measures_graded.{name}" for name in ("analysis", "cli.evaluate", "files.json_files")]
heavy += ["concurrent.futures", "ir_datasets", "matplotlib", "pandas", "pyarrow", "scipy", "tqdm"]
for name in ("core.registry.everyday", "evaluation.attributes", "files.contracts"):
    heavy.append(f"ir_measures_graded.{name}")
for name in ("columns", "in_memory", "level_words"):  # lines of TREC need none of them
    heavy.append(f"ir_measures_graded.core.rows.{name}")
heavy.append("csv")
evaluate = ["evaluate", "qrels", "./run", "nCG", "AP"]
with_tabs = ["evaluate", "tabs", "./run", "AP"]
with open("qrels") as qrels, open("tabs", "w") as tabs:
    tabs.write(qrels.read().replace(" ", "\t"))
for words in ["--version"], evaluate, with_tabs, ["measures"]:
    assert cli.main(words) == 0
    print("imported:", *[name for name in heavy if name in sys.modules])
"""
    done = command("-c", code, program=[sys.executable], text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("imported:")]
    after_evaluate = "imported: ir_measures_graded.cli.evaluate"
    assert lines == ["imported:", after_evaluate, after_evaluate, after_evaluate]


def test_the_format_is_aligned_on_a_terminal_unless_one_is_given(output, monkeypatch):
    words = ["evaluate", "qrels", "run", "other", "AP", "nCG@2"]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert output(*words)[:2] == ["run        AP   nCG@2", "run    0.6250  0.8750"]
    assert output(*words, "-f", "tsv")[0] == "run\tAP\tnCG@2"


def test_files_without_a_command_are_evaluated(tmp_path):
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n", encoding="utf-8")
    done = command("qrels.txt", "my run", "P(rel=2)@10", cwd=tmp_path)
    assert done.returncode == 2
    note = b"note: read as ir_measures_graded evaluate qrels.txt 'my run' 'P(rel=2)@10'"
    assert note + b"; write evaluate first\n" in done.stderr


def test_a_terminal_gets_messages_folded_at_blanks_alone(monkeypatch, capsys):
    path = "/data/" + "a-long-name_of/" * 8 + "qrels.txt"
    message = f"{path}: no such file; check the path, or give the id of a data set that you have"
    program.tell(message)
    assert capsys.readouterr().err == f"ir_measures_graded: {message}\n"
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(program, "_is_watched", lambda: True)
    program.tell(message)
    lines = capsys.readouterr().err.splitlines()
    assert " ".join(lines) == f"ir_measures_graded: {message}"
    assert [len(line) > 80 for line in lines] == [path in line for line in lines]
    assert len(lines) > 2
