"""The commands `curves` and `effort`: what they print and write, what they refuse and how."""

import csv
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ir_measures_graded import cli, demo
from ir_measures_graded.analysis import curves, effort, evaluate
from ir_measures_graded.cli import arguments as cli_arguments
from ir_measures_graded.output.formats import rows_of

GAINS = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)"
PATHS = [str(path) for path in demo.run_paths().values()]
NAMES = [os.path.basename(path) for path in PATHS]
PAIRS = list(zip(NAMES, PATHS))
PROGRAM = [sys.executable, "-m", "ir_measures_graded"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def refusal(capsys, folder):
    """Run the command here; returns its message, after checking that it printed and wrote nothing."""

    def run(*argv):
        before = sorted(os.listdir())
        status = cli.main([str(argument) for argument in argv])
        out, err = capsys.readouterr()
        assert (status, out) == (2, "")
        assert sorted(os.listdir()) == before
        assert err.startswith("ir_measures_graded: error: ")
        assert err.count("\n") == 1
        return err

    return run


def needs_matplotlib():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")


def test_curves_in_a_process_of_its_own(folder):
    needs_matplotlib()
    command = [*PROGRAM, "curves", demo.NAME, *PATHS, "--measure", GAINS, "--depth", "100", "-o", "nDCG.svg"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["rank", *NAMES]
    assert len(lines) == 101
    means = evaluate(demo.NAME, PAIRS, [f"{GAINS}@100"]).means()[:, 0]
    assert lines[100].split() == ["100", *(f"{mean:.4f}" for mean in means)]
    assert os.listdir(folder) == ["nDCG.svg"]
    picture = Path("nDCG.svg").read_text(encoding="utf-8")
    for text in ("nDCG_JK(gains={2:10,3:100})", "Mean over 20 topics", *NAMES):
        assert f">{text}</text>" in picture


def test_effort_in_a_process_of_its_own():
    command = [
        *PROGRAM,
        "effort",
        demo.NAME,
        *PATHS,
        "--measure",
        "CG(gains=0:0,1:1,2:10,3:100)",
        "--at",
        "5,10",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "run       ideal@5              ideal@10",
        "(value)  486.5000              869.5000",
        "A.run          78  not within depth 100",
        "B.run          62  not within depth 100",
        "C.run          42                   100",
        "D.run          19                    59",
        "E.run          30                    78",
    ]


@pytest.mark.parametrize("name", ["c.png", "c.svg", "c.pdf"])
def test_the_figure_is_written_beside_the_table(output, name):
    needs_matplotlib()
    with_figure = output("curves", demo.NAME, *PATHS, "--measure", "CG", "--depth", 5, "-o", name)
    assert Path(name).stat().st_size > 1000
    assert with_figure == output("curves", demo.NAME, *PATHS, "--measure", "CG", "--depth", 5)
    assert with_figure[0].split() == ["rank", "ideal", *NAMES]


def test_each_form_of_the_table_has_the_same_numbers(output):
    command = ("curves", demo.qrels_path(), *PATHS, "--measure", GAINS, "--depth", 3)
    columns, rows = curves(demo.qrels_path(), PAIRS, GAINS, 3).table()
    assert [list(json.loads(line).items()) for line in output(*command, "-f", "jsonl")] == [
        list(zip(columns, row)) for row in rows
    ]
    shown = [[str(rank), *(f"{value:.4f}" for value in values)] for rank, *values in rows]
    assert list(csv.reader(output(*command, "--format", "csv"))) == [columns, *shown]
    assert [line.split("\t") for line in output(*command, "-f", "tsv")] == [columns, *shown]
    assert [line.split() for line in output(*command)] == [columns, *shown]
    assert output(*command, "-f", "markdown")[1].startswith("|-----:|")
    latex = output(*command, "-f", "latex")
    assert latex[0] == r"\begin{tabular}{rrrrrr}"
    assert latex[4].split(" & ")[0] == "   1"
    in_full = output(*command, "-f", "csv", "-p", -1)
    assert float(in_full[3].split(",")[5]) == rows[2][5]


def test_effort_for_programs_has_a_row_a_run_and_target(output):
    command = ("effort", demo.NAME, *PATHS, "--measure", "DCG_JK", "--at", "3,7", "--of", "E.run")
    found = effort(curves(demo.qrels_path(), PAIRS, "DCG_JK"), [3, 7], of="E.run")
    columns, rows = rows_of(found.records())
    assert [json.loads(line) for line in output(*command, "-f", "jsonl")] == [
        dict(zip(columns, row)) for row in rows
    ]
    assert output(*command, "-f", "tsv")[0] == "run\tof\tat\tvalue\trank"
    assert output(*command)[-1].split() == ["E.run", "3", "7"]


def test_options_reach_the_analysis(output):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    options = {"normalise": "averages", "confidence": 0.8, "resamples": 50, "seed": 3}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    found = output(
        "curves", demo.NAME, *PATHS, "--measure", "nCG", "--depth", 4, "--ideal", *words, "-f", "jsonl"
    )
    _, rows = curves(demo.qrels_path(), PAIRS, "nCG", 4, ideal=True, **options).table()
    assert [list(json.loads(line).values()) for line in found] == rows
    assert "ideal" not in output("curves", demo.NAME, *PATHS, "--measure", "CG", "--no-ideal")[0]
    averages = output("effort", demo.NAME, *PATHS, "--measure", "nCG", "--normalise", "averages", "--at", 1)
    assert averages[1].split() == ["(value)", "1.0000"]


def test_the_collections_own_run_packed_files_and_standard_input(output, monkeypatch):
    packed = Path("A.run.gz")
    packed.write_bytes(gzip.compress(Path(PATHS[0]).read_bytes()))
    lines = output("curves", demo.NAME, packed, "--scoreddocs", "--measure", "P@3")
    assert lines[0].split() == ["rank", "A.run.gz", "scoreddocs"]
    assert {tuple(line.split()[1:2]) == tuple(line.split()[2:]) for line in lines[1:]} == {True}
    with open(PATHS[0]) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        piped = output("curves", demo.NAME, "-", "--measure", "P@3")
    assert [line.split()[1] for line in piped[1:]] == [line.split()[1] for line in lines[1:]]


def test_runs_may_follow_options(output):
    first = output("curves", demo.NAME, "--measure", "CG", "--depth", 2, *PATHS)
    assert first == output("curves", demo.NAME, *PATHS, "--depth", 2, "--measure", "CG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "the following arguments are required: --measure"),
        (["--measure", "nCGG"], "measure not found: nCGG; did you mean nCG"),
        (["--measure", "ESL"], "ESL has no cutoff"),
        (["--measure", "P", "--depth", "0"], "depth=0 is not allowed"),
        (["--measure", "P", "--depth", "ten"], "argument --depth: invalid int value: 'ten'"),
        (["--measure", "P", "--normalise", "averages"], "normalise='averages' is for nCG"),
        (["--measure", "P", "--confidence", "95"], "confidence=95.0 is not allowed"),
        (["--measure", "P", "-o", "figure.gif"], "'figure.gif': a figure's file ends in .png, .svg, .pdf"),
        (["--measure", "P", "no-such.run"], "no-such.run: cannot be read: No such file"),
        (["--measure", "P", PATHS[0]], "two runs are named"),
    ],
)
def test_mistakes_are_one_message_and_exit_status_2(refusal, words, message):
    assert message in refusal("curves", demo.NAME, PATHS[0], *words)


def test_a_figure_that_cannot_be_written_leaves_no_table(refusal):
    needs_matplotlib()
    assert "cannot be written" in refusal("curves", demo.NAME, PATHS[0], "--measure", "P", "-o", "no/f.svg")


def test_without_matplotlib_nothing_is_computed(refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = refusal("curves", "no-such-collection", "no-such-run", "--measure", "P", "-o", "f.svg")
    assert "pip install 'ir-measures-graded[plot]'" in message


def test_a_run_that_is_broken_leaves_an_old_figure_alone(refusal):
    needs_matplotlib()
    Path("f.svg").write_text("old")
    Path("broken.run").write_text("351 Q0 d1 1 0.5\n")
    message = refusal("curves", demo.NAME, PATHS[0], "broken.run", "--measure", "P", "-o", "f.svg")
    assert "broken.run:1: 5 fields, not 6" in message
    assert Path("f.svg").read_text() == "old"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--at", "5;10"], "'5;10' is not allowed; it is whole numbers separated by commas"),
        (["--at", "200"], "at=200 is beyond the curves, which end at rank 100"),
        (["--of", "Z.run"], "there is no run 'Z.run' among A.run"),
    ],
)
def test_mistakes_of_effort_are_one_message_and_exit_status_2(refusal, words, message):
    assert message in refusal("effort", demo.NAME, PATHS[0], "--measure", "CG", *words)


def test_no_run_and_runs_of_other_topics(refusal):
    Path("other.run").write_text("q1 Q0 d1 1 0.5 x\n")
    assert "no run is given" in refusal("curves", demo.NAME, "--measure", "P")
    assert "none of its topics (such as 'q1') is in the qrels graded-demo" in refusal(
        "effort", demo.NAME, "other.run", "--measure", "P"
    )


def test_bars_are_for_terminals(monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", None)
    assert not cli_arguments.bars()
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(cli_arguments, "find_spec", lambda name: None)
    assert not cli_arguments.bars()
    monkeypatch.setattr(cli_arguments, "find_spec", lambda name: name)
    assert cli_arguments.bars()
