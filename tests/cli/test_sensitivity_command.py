"""The command `sensitivity`: tables, figures and errors."""

import json
from pathlib import Path

import pytest

from ir_measures_graded import demo

pytest.importorskip("scipy", reason="SciPy is not installed")

RUNS = {name: str(path) for name, path in demo.run_paths().items()}
GAINS = ["--gains", "w1=0:0,1:1,2:1,3:1", "--gains", "w100"]


def test_sensitivity_prints_the_correlations(output):
    lines = output("sensitivity", demo.NAME, *RUNS.values(), "nDCG_JK", *GAINS, "--cutoffs", "100")
    assert len(lines) == 3
    assert lines[2].split() == ["nDCG_JK", "w100@100", "0.2000", "<.8", "1.0000"]


@pytest.mark.parametrize(("show", "title"), [("tau", "Kendall's τ"), ("ranks", "Ranks of 5 runs")])
def test_show_chooses_the_figure(output, show, title):
    output("sensitivity", demo.NAME, *RUNS.values(), "nDCG_JK@100", *GAINS, "--show", show, "-o", "f.svg")
    assert title in Path("f.svg").read_text(encoding="utf-8")


def test_sensitivity_prints_all_pairs_for_programs(output):
    (line,) = output("sensitivity", demo.NAME, RUNS["B"], RUNS["D"], "nCG@100", *GAINS, "-f", "jsonl")
    record = json.loads(line)
    assert (record["first"], record["second"], record["tau"]) == ("nCG@100 w1", "nCG@100 w100", -1.0)


def test_show_chooses_the_table(output):
    words = ["sensitivity", demo.NAME, RUNS["B"], RUNS["D"], "nCG", "P", "P@9", "--cutoffs", "10,100"]
    assert output(*words, "--show", "ranks", "-f", "csv")[0] == "run,nCG@10,nCG@100,P@10,P@100,P@9"
    means = output(*words, "--show", "means", "-f", "tsv")
    assert means[0].split("\t") == ["measure", "weighting", "cutoff", "run", "mean", "rank"]
    assert means[1].split("\t")[:4] == ["nCG@10", "", "10", "B"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--gains", "w1", "--gains", "w1=1:1"], "two weightings are named 'w1'"),
        (
            ["--gains", "0:0,1:1"],
            "unknown weighting '0:0,1:1'; use a preset (w1, w3, w10, w100, linear, exp) or NAME=",
        ),
        (["--gains", "x=1"], "argument --gains: cannot read 'x=1'; give NAME=LEVEL:GAIN,…"),
        (["--gains", "x=1:a"], "argument --gains: cannot read 'x=1:a'"),
        (["--gains", "x=1:1,1:2"], "argument --gains: cannot read 'x=1:1,1:2'"),
        (["--gains", "x=1:nan"], "gains 'x': level 1 has gain nan, which is not finite"),
        (["--cutoffs", "10;20"], "argument --cutoffs: '10;20' is not allowed; give whole numbers"),
        (["--cutoffs", "0,1"], "nDCG_JK: cutoff=0 is not allowed"),
    ],
)
def test_invalid_arguments_are_refused(refusal, argv, message):
    assert refusal("sensitivity", demo.NAME, RUNS["A"], RUNS["B"], "nDCG_JK", *argv).startswith(message)


def test_a_preset_for_other_levels_is_refused_without_a_guess(refusal):
    Path("levels").write_text("q1 0 d1 1\nq1 0 d2 4\n")
    assert refusal("sensitivity", "levels", "run", "other", "nCG@5", "--gains", "w1") == (
        "the preset w1 (0:0,1:1,2:1,3:1) has no gain for level 4 of the qrels; "
        "choose a gain for each level, NAME=1:GAIN,2:GAIN,3:GAIN,4:GAIN"
    )
