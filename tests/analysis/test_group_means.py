"""Means by group of topics, of one run or many."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from ir_measures_graded import GradedError
from ir_measures_graded.analysis import Evaluation, evaluate, group_means, intervals
from ir_measures_graded.cli import main

GENERATOR = np.random.default_rng(5)
TOPICS = [f"q{number}" for number in range(40)]
QRELS = {topic: {"a": 1, "b": int(GENERATOR.integers(0, 3))} for topic in TOPICS}
QRELS["q0"] = {"a": 0}
RUNS = {
    name: {topic: {doc: float(GENERATOR.random()) for doc in "abcd"} for topic in TOPICS}
    for name in ("A", "B")
}
GROUPS = dict.fromkeys(TOPICS[:5], "few") | dict.fromkeys(TOPICS[5:], "many")
WEIGHTS = {topic: float(number % 4) for number, topic in enumerate(TOPICS)}


def _counted(group, values, no_relevant, weights):
    """The values of a group that count, and their weights."""
    counted = []
    for topic, value in zip(TOPICS, values.tolist(), strict=True):
        is_skipped = no_relevant == "skip" and topic == "q0"
        weight = weights[topic] if weights else 1.0
        if not is_skipped and weight and GROUPS[topic] == group:
            counted.append((value, weight))
    return np.array(counted).T


@pytest.mark.parametrize("no_relevant", ["zero", "skip"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_means_are_those_of_the_reference(no_relevant, weights):
    plain = evaluate(QRELS, RUNS, ["P@2", "nDCG@3"])
    evaluation = evaluate(QRELS, RUNS, ["P@2", "nDCG@3"], no_relevant=no_relevant, weights=weights)
    result = group_means(evaluation, GROUPS, confidence=0.9)
    assert [mean.group for mean in result.means[:3]] == [None, "few", "many"]
    for mean in result.means:
        if mean.group is None:
            expected = intervals(evaluation, 0.9).of(mean.run, mean.measure)
            assert (mean.lower, mean.upper) == pytest.approx(expected)
            continue
        row = plain.of(mean.measure)["AB".index(mean.run)]
        values, of_topics = _counted(mean.group, row, no_relevant, weights)
        assert mean.topics == len(values)
        assert mean.mean == pytest.approx(np.average(values, weights=of_topics))
        if mean.group == "few":
            assert (mean.lower, mean.upper) == (None, None)
        elif weights is None:
            reach = stats.t.isf(0.05, len(values) - 1) * stats.sem(values)
            assert mean.upper - mean.mean == pytest.approx(reach)


def test_groups_may_be_empty_or_numbers():
    evaluation = evaluate(QRELS, {"A": RUNS["A"]}, ["AP"], no_relevant="skip")
    result = group_means(evaluation, {"q0": "none", "q1": "one"})
    by_group = {mean.group: mean for mean in result.means}
    assert (by_group["none"].topics, by_group["none"].mean) == (0, None)
    assert (by_group["one"].topics, by_group["no group"].topics) == (1, 38)
    assert "nan" not in str(result)
    lengths = {topic: number for number, topic in enumerate(TOPICS)}
    names = [mean.group for mean in group_means(evaluation, lengths).means]
    assert names == [None, "0–9", "10–19", "20–29", "30–39"]


@pytest.mark.parametrize(
    ("by", "confidence", "message"),
    [
        ({"other": "x"}, None, "no topic has a group"),
        (None, None, "by=None is not allowed"),
        (GROUPS, 2, "confidence"),
    ],
)
def test_refused(by, confidence, message):
    with pytest.raises(GradedError, match=message):
        group_means(evaluate(QRELS, RUNS, ["AP"]), by, confidence)


def test_the_command_prints_groups_and_reads_them_back(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 1 x\n2 Q0 b 1 1 x\n3 Q0 b 1 1 x\n")
    Path("topics.csv").write_text("topic,year\n1,2021\n2,2022\n3,2022\n")
    words = ["evaluate", "qrels", "run", "P@1", "--by", "topics.csv:year"]
    assert main([*words, "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "measure,run,group,topics,mean",
        "P@1,run,,3,0.3333",
        "P@1,run,2021,1,1.0000",
        "P@1,run,2022,2,0.0000",
    ]
    assert main([*words, "-f", "json", "--confidence", "0.9"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["by"], facts["interval"]["method"]) == ("topics.csv:year", "t")
    assert main([*words, "-q", "-n", "-f", "csv"]) == 0
    output = capsys.readouterr().out
    assert output.splitlines()[:2] == ["run,query_id,group,P@1", "run,1,2021,1.0000"]
    Path("values.csv").write_text(output)
    evaluation = Evaluation.from_values("values.csv")
    assert (len(evaluation.measures), evaluation.values.tolist()) == (1, [[[1, 0, 0]]])
    assert main([*words, "--confidence", "0.9", "--interval", "bca"]) == 2
    assert "bca takes no groups" in capsys.readouterr().err
