"""The command `identify`: values and means of one run and of several, and formats."""

import json

import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import evaluate

A, B = (str(path) for path in list(demo.run_paths().values())[:2])


@pytest.fixture
def evaluation():
    """The values of two runs by one measure."""
    return evaluate(demo.qrels_path(), {"A": A, "B": B}, ["nDCG_JK@10"])


def test_values_of_two_runs_give_the_measure(output, evaluation, tmp_path):
    paths = [tmp_path / "A.csv", tmp_path / "B.csv"]
    for path, values in zip(paths, evaluation.of("nDCG_JK@10")):
        rows = [f"{topic},{value:.4f}\n" for topic, value in zip(evaluation.topics, values)]
        path.write_text("".join(rows))
    lines = output("identify", demo.NAME, A, paths[0], B, paths[1], "--measure", "nDCG")
    assert lines[0].startswith("The 40 values are those of nDCG_JK@10, as NTCIREVAL")
    assert lines[2].split(maxsplit=1)[0] == "settled"


def test_means_of_two_runs_are_given_in_their_order(output, evaluation):
    mean_of_a, mean_of_b = (f"{mean:.4f}" for mean in evaluation.means()[:, 0])
    means = [A, "--mean", mean_of_a, B, "--mean", mean_of_b]
    lines = output("identify", demo.NAME, *means, "--measure", "nDCG@10", "-f", "jsonl")
    last = json.loads(lines[-1])
    assert last["finding"] == "equal here"
    assert last["value"] == "nDCG_JK@10"


def test_a_mean_of_no_definition_has_one_record(output):
    words = [demo.NAME, A, "--mean", "0.4444", "--measure", "nDCG@10"]
    (record,) = json.loads("".join(output("identify", *words, "-f", "json")))
    assert record["finding"] == "none"
    assert record["equal"] is False
    assert record["given"] == 0.4444
    assert record["differ"] == 1
