"""The commands `curves` and `effort`: what they print and write, and what they refuse."""

import csv
import gzip
import json
import os
import sys
from pathlib import Path

import pytest
from command_line import command

from ir_measures_graded import demo
from ir_measures_graded.analysis import curves, effort, evaluate
from ir_measures_graded.cli import arguments as cli_arguments
from ir_measures_graded.output.formats import rows_of

GAINS = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)"
PATHS = [str(path) for path in demo.run_paths().values()]
NAMES = [os.path.basename(path) for path in PATHS]
PAIRS = list(zip(NAMES, PATHS))


def needs_matplotlib():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")


def test_curves_prints_the_table_and_writes_the_figure():
    needs_matplotlib()
    done = command(
        "curves", demo.NAME, *PATHS, "--measure", GAINS, "--depth", 100, "-o", "nDCG.svg", text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["rank", *NAMES]
    assert len(lines) == 101
    means = evaluate(demo.NAME, PAIRS, [f"{GAINS}@100"]).means()[:, 0]
    assert lines[100].split() == ["100", *(f"{mean:.4f}" for mean in means)]
    picture = Path("nDCG.svg").read_text(encoding="utf-8")
    for text in ("nDCG_JK(gains={2:10,3:100})", "Mean over 20 topics", *NAMES):
        assert f">{text}</text>" in picture


def test_effort_prints_one_row_per_run():
    measure = "CG(gains=0:0,1:1,2:10,3:100)"
    done = command("effort", demo.NAME, *PATHS, "--measure", measure, "--at", "5,10", text=True)
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
def test_the_figure_does_not_change_the_table(output, name):
    needs_matplotlib()
    with_figure = output("curves", demo.NAME, *PATHS, "--measure", "CG", "--depth", 5, "-o", name)
    assert Path(name).stat().st_size > 1000
    assert with_figure == output("curves", demo.NAME, *PATHS, "--measure", "CG", "--depth", 5)
    assert with_figure[0].split() == ["rank", "ideal", *NAMES]


def test_every_format_has_the_same_numbers(output):
    words = ("curves", demo.qrels_path(), *PATHS, "--measure", GAINS, "--depth", 3)
    columns, rows = curves(demo.qrels_path(), PAIRS, GAINS, 3).table()
    assert [list(json.loads(line).items()) for line in output(*words, "-f", "jsonl")] == [
        list(zip(columns, row)) for row in rows
    ]
    shown = [[str(rank), *(f"{value:.4f}" for value in values)] for rank, *values in rows]
    assert list(csv.reader(output(*words, "--format", "csv"))) == [columns, *shown]
    assert [line.split("\t") for line in output(*words, "-f", "tsv")] == [columns, *shown]
    assert [line.split() for line in output(*words)] == [columns, *shown]
    assert output(*words, "-f", "markdown")[1].startswith("|-----:|")
    latex = output(*words, "-f", "latex")
    assert latex[0] == r"\begin{tabular}{rrrrrr}"
    assert latex[4].split(" & ")[0] == "   1"
    in_full = output(*words, "-f", "csv", "-p", -1)
    assert float(in_full[3].split(",")[5]) == rows[2][5]


def test_effort_as_jsonl_has_one_row_per_run_and_target(output):
    words = ("effort", demo.NAME, *PATHS, "--measure", "DCG_JK", "--at", "3,7", "--of", "E.run")
    found = effort(curves(demo.qrels_path(), PAIRS, "DCG_JK"), [3, 7], of="E.run")
    columns, rows = rows_of(found.records())
    assert [json.loads(line) for line in output(*words, "-f", "jsonl")] == [
        dict(zip(columns, row)) for row in rows
    ]
    assert output(*words, "-f", "tsv")[0] == "run\tof\tat\tvalue\trank"
    assert output(*words)[-1].split() == ["E.run", "3", "7"]


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


def test_scoreddocs_gzip_and_standard_input(output, monkeypatch):
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
def test_invalid_arguments_are_refused(refusal, words, message):
    assert message in refusal("curves", demo.NAME, PATHS[0], *words)


def test_an_unwritable_figure_leaves_no_table(refusal):
    needs_matplotlib()
    assert "cannot be written" in refusal("curves", demo.NAME, PATHS[0], "--measure", "P", "-o", "no/f.svg")


def test_missing_matplotlib_is_reported_before_the_work(refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = refusal("curves", "no-such-collection", "no-such-run", "--measure", "P", "-o", "f.svg")
    assert "pip install 'ir-measures-graded[plot]'" in message


def test_a_malformed_run_leaves_the_old_figure(refusal):
    needs_matplotlib()
    Path("f.svg").write_text("old")
    Path("broken.run").write_text("351 Q0 d1 1 0.5\n")
    message = refusal("curves", demo.NAME, PATHS[0], "broken.run", "--measure", "P", "-o", "f.svg")
    assert "broken.run:1: 5 fields, not 6" in message
    assert Path("f.svg").read_text() == "old"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--at", "5;10"], "'5;10' is not allowed; give whole numbers separated by commas"),
        (["--at", "200"], "at=200 is beyond the curves, which end at rank 100"),
        (["--of", "Z.run"], "there is no run 'Z.run' among A.run"),
    ],
)
def test_invalid_arguments_of_effort_are_refused(refusal, words, message):
    assert message in refusal("effort", demo.NAME, PATHS[0], "--measure", "CG", *words)


def test_missing_runs_and_foreign_topics_are_refused(refusal):
    Path("other.run").write_text("q1 Q0 d1 1 0.5 x\n")
    assert "no run is given" in refusal("curves", demo.NAME, "--measure", "P")
    assert "none of its topics (such as 'q1') is in the qrels graded-demo" in refusal(
        "effort", demo.NAME, "other.run", "--measure", "P"
    )


def test_bars_need_a_terminal_and_tqdm(monkeypatch):
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
