"""The command `sensitivity`: tables, figures and errors."""

import pytest

from ir_measures_graded import demo

pytest.importorskip("scipy", reason="SciPy is not installed")

RUNS = {name: str(path) for name, path in demo.run_paths().items()}
GAINS = ["--gains", "w1=0:0,1:1,2:1,3:1", "--gains", "w100"]


def test_sensitivity_prints_the_correlations(output):
    lines = output("sensitivity", demo.NAME, *RUNS.values(), "nDCG_JK", *GAINS, "--cutoffs", "100")
    assert (
        lines[0] == "The best run depends on the setting: E under nDCG_JK w1@100; D under nDCG_JK w100@100."
    )
    lines = lines[lines.index("") + 1 :]
    assert lines[2].split() == ["nDCG_JK", "w100@100", "0.2000", "<.6", "1.0000"]
    assert lines[-1].endswith("swap lower τ by 0.2; τ is marked below 0.8 and below 0.6.")


def test_without_gains_and_cutoffs_the_levels_choose_the_weightings(output):
    words = ["sensitivity", demo.NAME, RUNS["B"], RUNS["D"]]
    head = output(*words, "nDCG_JK@10", "--show", "ranks", "-f", "csv")[0]
    assert head == "run,nDCG_JK@10 w1,nDCG_JK@10 w3,nDCG_JK@10 w10,nDCG_JK@10 w100"
    head = output(
        *words, "nDCG_JK@10", "--gains", "1:1,2:5,3:20", "--gains", "w1", "--show", "ranks", "-f", "tsv"
    )
    assert head[0] == "run\tnDCG_JK@10 1:1,2:5,3:20\tnDCG_JK@10 w1"


def test_show_chooses_the_table(output):
    words = ["sensitivity", demo.NAME, RUNS["B"], RUNS["D"], "nCG", "P", "P@9", "--cutoffs", "10,100"]
    assert output(*words, "--show", "ranks", "-f", "csv")[0] == "run,nCG@10,nCG@100,P@10,P@100,P@9"
