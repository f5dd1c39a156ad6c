"""The command `identify`: values and means of one run and of several, and formats."""

import json

import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import evaluate

A, B = (str(path) for path in list(demo.run_paths().values())[:2])


@pytest.fixture
def given(tmp_path):
    """Files of the values of two runs by one measure, and their means."""
    found = evaluate(demo.qrels_path(), {"A": A, "B": B}, ["nDCG_JK@10"])
    paths = [tmp_path / "A.csv", tmp_path / "B.csv"]
    for path, values in zip(paths, found.of("nDCG_JK@10")):
        path.write_text(
            "".join(f"{topic},{value:.4f}\n" for topic, value in zip(found.topics, values))
        )
    return [*paths, *(f"{mean:.4f}" for mean in found.means()[:, 0])]


def test_values_of_two_runs_give_the_measure(output, given):
    lines = output("identify", demo.NAME, A, given[0], B, given[1], "--measure", "nDCG")
    assert lines[0].startswith("The 40 values are those of nDCG_JK@10, as NTCIREVAL")
    assert lines[2].split(maxsplit=1)[0] == "settled"


def test_means_of_two_runs_are_given_in_their_order(output, given):
    means = [A, "--mean", given[2], B, "--mean", given[3]]
    records = output("identify", demo.NAME, *means, "--measure", "nDCG@10", "-f", "jsonl")
    last = json.loads(records[-1])
    assert (last["finding"], last["value"]) == ("equal here", "nDCG_JK@10")
    records = output(
        "identify", demo.NAME, A, "--mean", "0.4444", "--measure", "nDCG@10", "-f", "json"
    )
    (none,) = json.loads("".join(records))
    assert (none["finding"], none["equal"], none["given"], none["differ"]) == (
        "none",
        False,
        0.4444,
        1,
    )
