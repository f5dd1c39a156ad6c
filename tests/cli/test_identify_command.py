"""The command `identify`: values and means of one run and of several, formats, and errors."""

import json

import numpy as np
import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import evaluate

A, B = (str(path) for path in list(demo.run_paths().values())[:2])


@pytest.fixture
def values(tmp_path):
    """Files of the values of two runs by one measure, and their means."""
    found = evaluate(demo.qrels_path(), {"A": A, "B": B}, ["nDCG_JK@10"]).of("nDCG_JK@10")
    topics = evaluate(demo.qrels_path(), {"A": A}, ["nDCG_JK@10"]).topics
    paths = []
    for row in range(2):
        paths.append(tmp_path / f"{row}.csv")
        paths[-1].write_text("".join(f"{topic},{value:.4f}\n" for topic, value in zip(topics, found[row])))
    return paths, [f"{mean:.4f}" for mean in np.mean(found, axis=1)]


def test_values_of_two_runs_give_the_measure(output, values):
    (one, two), _ = values
    lines = output("identify", demo.NAME, A, one, B, two, "--measure", "nDCG")
    assert lines[0].startswith("40 values to 4 decimals")
    assert lines[1].split(maxsplit=1)[0] == "settled"
    assert lines[-1].endswith("nDCG_JK@10 gives these values")


def test_means_of_two_runs_are_given_in_their_order(output, values):
    _, (one, two) = values
    words = ["identify", demo.NAME, A, "--mean", one, B, "--mean", two, "--measure", "nDCG@10", "-f", "jsonl"]
    records = list(map(json.loads, output(*words)))
    assert {"finding": "equal here", "dimension": "measure string", "value": "nDCG_JK@10"} in records


def test_topics_are_shown_and_a_page_is_written(output, values, tmp_path):
    pytest.importorskip("jinja2", reason="Jinja is not installed")
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    (one, _), _ = values
    page = tmp_path / "page.html"
    lines = output("identify", demo.NAME, A, one, "--measure", "nDCG@10", "--show", "topics", "-o", page)
    assert len(lines) == 1 + 1 + 20
    assert "<svg" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([A], "give each run a file of its values, or --mean"),
        ([A, B, "--mean", "0.5"], "2 runs and 1 means are given; give one --mean for each run"),
        ([A, "--mean", "x"], "the mean is 'x'; it must be a finite number"),
        ([A, "--mean", "0.5", "--decimals", "20"], "decimals=20 is not allowed; it is a whole number from 0"),
        ([A, A], "A.run: cannot read the values ("),
    ],
)
def test_arguments_that_cannot_be_used_are_refused(refusal, words, message):
    assert message in refusal("identify", demo.NAME, *words)
