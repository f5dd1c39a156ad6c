"""Output formats and files: every command takes every format, and files are written whole."""

import gzip
import os
import re
import signal
import stat
import sys
import threading
from pathlib import Path

import pytest

from command_line import QRELS, RUN
from ir_measures_graded import GradedError, cli
from ir_measures_graded.cli import program
from ir_measures_graded.errors import PACKAGE
from ir_measures_graded.files.content import Sizes
from ir_measures_graded.output.files import write_whole


@pytest.mark.parametrize(
    "words",
    [["evaluate", "qrels", "run", "other", "nCG@1"], ["compare", "qrels", "run", "other", "nCG@1"]],
)
def test_a_file_has_the_lines_that_its_format_prints(output, words):
    for_people = {"txt": "text", "md": "markdown", "tex": "latex"}
    for_programs = {form: form for form in ("tsv", "csv", "json", "jsonl")}
    formats = for_people | for_programs
    files = []
    for ending in formats:
        files += ["-o", f"table.{ending}"]
    output(*words, *files)
    for ending, form in formats.items():
        all_decimals = ["-p", "-1"] if ending in for_programs else []
        printed = output(*words, "-f", form, *all_decimals)
        written = Path(f"table.{ending}").read_text(encoding="utf-8").splitlines()
        if written[0].startswith("% ir_measures_graded"):  # the command, which differs
            del written[0], printed[0]
        assert written
        # Text has more lines than the table.
        assert [line for line in printed if line in written] == written


def test_missing_matplotlib_is_reported_before_the_work(refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = refusal("curves", "no-such-collection", "run", "P", "-o", "f.svg")
    assert f"pip install '{PACKAGE}[plot]'" in message


def test_an_error_leaves_the_old_file(refusal):
    Path("values.csv").write_text("old")
    Path("broken.run").write_text("q1 Q0 d1 1 0.5\n")
    message = refusal("evaluate", "qrels", "broken.run", "AP", "-o", "values.csv")
    assert "broken.run:1: 5 fields, not 6" in message
    assert Path("values.csv").read_text() == "old"


def test_of_several_files_none_is_written_if_one_cannot_be(refusal):
    Path("values.csv").write_text("old")
    Path("file").touch()
    outputs = ["-o", "values.csv", "--ask", "file/ask.csv"]
    message = refusal("holes", "qrels", "run", "other", "P@2", *outputs)
    assert message == "cannot write 'file/ask.csv': folder 'file' is a file"
    assert Path("values.csv").read_text() == "old"


@pytest.mark.parametrize(
    "words",
    [
        ["-o", "f.csv", "-o", "./f.csv"],
        ["-o", "f.csv", "--ask", "link"],
        ["--ask", "f.csv", "--merged", "f.csv"],
    ],
)
def test_two_outputs_are_two_files(refusal, words):
    os.symlink("f.csv", "link")
    answers = ["--answers", "answers"] if "--merged" in words else []
    message = refusal("holes", "qrels", "run", "other", "P@2", *words, *answers)
    assert re.fullmatch("cannot write '.+' twice; give each output a file of its own", message)


def test_a_link_to_itself_is_not_replaced(refusal):
    os.symlink("loop.csv", "loop.csv")
    message = refusal("evaluate", "qrels", "run", "AP", "-o", "loop.csv")
    assert message == "loop.csv: cannot be written: it is a link that leads back to itself"
    assert os.path.islink("loop.csv")


def test_a_replaced_file_keeps_its_mode(output):
    Path("shared.csv").touch()
    os.chmod("shared.csv", 0o664)
    output("evaluate", "qrels", "run", "AP", "-o", "shared.csv", "-o", "new.csv")
    assert stat.S_IMODE(os.stat("shared.csv").st_mode) == 0o664
    assert os.stat("new.csv").st_mode == os.stat("qrels").st_mode


@pytest.mark.parametrize("target", ["part/new.csv", "part/topic=1/old.csv"])
def test_no_file_is_written_into_a_folder_that_is_read(refusal, target):
    Path("part/topic=1").mkdir(parents=True)
    Path("part/topic=1/a.parquet").touch()
    Path(target).touch()
    message = refusal("evaluate", "qrels", "part", "AP", "-o", target)
    assert message == f"cannot write {target!r}: the command reads the folder of this file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_a_named_pipe_receives_the_table(output):
    os.mkfifo("pipe.csv")
    received = []
    reader = threading.Thread(target=lambda: received.append(Path("pipe.csv").read_text()))
    reader.start()
    output("evaluate", "qrels", "run", "AP", "-o", "pipe.csv")
    reader.join(timeout=10)
    assert received == ["run,AP\nrun,0.625\n"]
    assert not Path("pipe.csv").is_file()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_a_file_that_changes_meanwhile_is_refused(refusal):
    os.mkfifo("pipe.qrels")
    Path("changing.run").write_text("q1 Q0 a 1 1 x\n")

    def feed():
        with open("pipe.qrels", "w") as qrels:
            Path("changing.run").write_text("q1 Q0 b 1 1 x\nq1 Q0 a 2 0 x\n")
            qrels.write("q1 0 a 1\n")

    threading.Thread(target=feed, daemon=True).start()
    message = refusal("evaluate", "pipe.qrels", "changing.run", "AP")
    assert "changing.run: the file changed" in message


def test_a_symbolic_link_remains(output):
    os.symlink("target.csv", "link.csv")
    output("evaluate", "qrels", "run", "AP", "-o", "link.csv")
    assert os.readlink("link.csv") == "target.csv"
    assert Path("target.csv").read_text().startswith("run,AP\n")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError, OSError])
def test_an_interrupted_file_leaves_nothing(folder, monkeypatch, stop):
    def interrupted(file):
        raise stop

    Path("new").mkdir()
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(GradedError if stop is OSError else stop):
        write_whole(folder / "new" / "a", b"content")
    assert os.listdir("new") == []


@pytest.mark.parametrize(
    ("path", "reason"), [("no/f.csv", "folder 'no' does not exist"), ("d.csv", "a folder")]
)
@pytest.mark.parametrize("option", ["-o", "--ask"])
def test_a_file_that_cannot_be_written_is_refused_before_the_work(refusal, option, path, reason):
    Path("d.csv").mkdir()
    assert reason in refusal("holes", "no-such-collection", "run", "P@2", option, path)


@pytest.mark.parametrize(
    "words",
    [
        "levels qrels.gz",
        "identify qrels.gz run.gz lines.gz",
        "leaderboards values.gz values.gz",
        "reproduce values.gz values.gz --baseline A",
        "compare --collections collections.gz AP",
        "evaluate qrels.gz run.gz AP",
        "check qrels.gz run.gz",
    ],
)
def test_limits_can_be_lifted_for_all_files_of_a_command(words, refusal, output, monkeypatch):
    contents = {
        "qrels.gz": QRELS,
        "run.gz": RUN,
        "lines.gz": "q1 0.5\nq2 1.0\n",
        "values.gz": "run,topic,AP\nA,q1,0.5\nA,q2,0.25\nB,q1,0.5\nB,q2,0.5\n",
        "collections.gz": "collection,qrels,runs\nc,qrels.gz,run.gz\nc,qrels.gz,other\n",
    }
    for name, text in contents.items():
        Path(name).write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr(Sizes, "free", -(10**9))
    assert "lift the limit with --no_limits" in refusal(*words.split())
    assert output(*words.split(), "--no_limits")


def test_the_status_is_that_of_the_first_signal(monkeypatch):
    def stopped(_):
        cli.SIGNALS.append(signal.SIGTERM)
        raise KeyboardInterrupt  # as DuckDB raises it

    monkeypatch.setattr(program, "run", stopped)
    monkeypatch.setattr(cli, "SIGNALS", [])
    assert cli.main([]) == 128 + signal.SIGTERM
