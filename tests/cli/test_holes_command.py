"""The command `holes`: the list, the files for a judge, the answers, and errors."""

import json
from pathlib import Path

import pytest

from ir_measures_graded import cli


@pytest.mark.filterwarnings("default:.*contradictions of judgments")
def test_answers_of_a_judge_are_merged(output, capsys):
    Path("ask.txt").write_text("q1 0 x 2\n")
    lines = output(
        "holes", "qrels", "run", "other", "CG@3", "--answers", "ask.txt", "--merged", "new.json"
    )
    assert lines[0] == "No further judgment is needed: no pair of 2 runs is open by CG@3."
    assert "ask.txt: 1 new judgment." in lines
    merged = {"q1": {"d1": 3, "d2": 1, "d3": 0, "x": 2}, "q2": {"d1": 2, "d4": 0}}
    assert json.loads(Path("new.json").read_text()) == merged
    Path("late.csv").write_text("topic;document;level\nq1;d1;1\nq1;x;0\n")
    words = ["qrels", "run", "other", "CG@3", "--answers", "ask.txt", "--answers", "late.csv"]
    assert cli.main(["holes", *words, "-f", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out == "topic,document,gain,best_rank,runs,sample\n"
    assert err == (
        "ir_measures_graded: warning: 2 contradictions of judgments; the earlier one counts: "
        "topic 'q1', document 'd1': level 3 by qrels, 1 by late.csv; "
        "topic 'q1', document 'x': level 2 by ask.txt, 0 by late.csv\n"
    )


def test_run_files_may_lack_the_last_topics(output):
    Path("a").write_text("q1 Q0 x 1 9 a\n")
    Path("b").write_text("q1 Q0 d1 1 9 b\n")
    lines = output("holes", "qrels", "a", "b", "CG@3")
    assert lines[5].split()[:2] == ["q1", "x"]
