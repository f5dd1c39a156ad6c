"""The command `explain`."""

import csv
import json
from pathlib import Path


def test_explain_prints_the_ranking_and_the_value(output):
    lines = output("explain", "qrels", "run", "nDCG_JK@3", "--topic", "q1")
    assert lines[:2] == ["nDCG_JK@3 = 0.7500 for topic q1 of run.", ""]
    assert lines[2].split()[:8] == "rank document score level gain weight contribution sum".split()
    assert [line.split()[1] for line in lines[3:]] == ["d3", "d1", "x"]


def test_explain_names_the_ranks_of_tied_documents(output):
    Path("run").write_text("q1 Q0 d1 1 2 a\nq1 Q0 d2 2 2 a\nq1 Q0 d3 3 1 a\n")
    lines = output("explain", "qrels", "run", "CG", "--topic", "q1")
    assert lines[-1] == "Documents with equal scores are at the ranks 1 to 2."


def test_explain_for_programs_has_all_columns(output):
    records = list(map(json.loads, output("explain", "qrels", "run", "CG", "--topic", "q1", "-f", "jsonl")))
    assert [(each["document"], each["level"], each["contribution"]) for each in records] == [
        ("d3", 0, 0.0),
        ("d1", 3, 3.0),
    ]
    rows = list(csv.DictReader(output("explain", "qrels", "run", "P@2", "--topic", "q1", "-f", "csv")))
    assert list(rows[0]) == list(records[0])
    assert [row["value"] for row in rows] == ["0.0000", "0.5000"]


def test_infinite_scores_are_null_in_json(output):
    Path("run").write_text("q1 Q0 d1 1 inf a\nq1 Q0 d2 2 1 a\nq1 Q0 d3 3 -inf a\n")
    lines = output("explain", "qrels", "run", "CG@3", "--topic", "q1", "-f", "jsonl")
    assert [json.loads(line)["score"] for line in lines] == [None, 1.0, None]


def test_two_runs_are_compared_in_the_topic_that_differs_most(output):
    lines = output("explain", "qrels", "run", "other", "CG@1")
    values = "CG@1 = 0.0000 of other and 2.0000 of run for topic q2"
    assert lines[0] == f"{values}: difference -2.0000, the largest of 2 topics."
    assert lines[3].split() == ["d1", "2", "2", "1", "2", "2.0000", "0.0000", "-2.0000"]
    assert lines[-1] == "Omitted: 1 document without a contribution to either value."
    below = output("explain", "qrels", "run", "other", "CG", "--topic", "q1", "--depth", 1)
    assert below[-1] == "Documents below the depth make a difference of -3.0000."
    assert "P@1 has no contributions" in output("explain", "qrels", "run", "other", "P@1")[-1]
