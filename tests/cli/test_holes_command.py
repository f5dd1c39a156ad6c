"""The command `holes`: the list, the files for a judge, the answers, and errors."""

import json
from pathlib import Path

import pytest

from ir_measures_graded import cli, demo
from ir_measures_graded.analysis import holes
from ir_measures_graded.judging.scales import levels_of

RUNS = [str(path) for path in demo.run_paths().values()]


def test_holes_lists_the_most_useful_documents(output):
    found = holes(demo.qrels_path(), demo.run_paths(), "nDCG_JK@10").records()[:3]
    words = ["holes", demo.NAME, *RUNS, "nDCG_JK", "--cutoff", 10, "--count", 3]
    lines = output(*words)
    assert lines[0].split() == ["topic", "document", "share", "cumulated", "runs"]
    assert [line.split()[:2] for line in lines[1:]] == [[hole["topic"], hole["document"]] for hole in found]
    assert list(map(json.loads, output(*words, "-f", "jsonl"))) == found


@pytest.mark.filterwarnings("default:.*judgments contradict")
def test_answers_of_a_judge_are_merged(output, capsys):
    assert len(output("holes", "qrels", "run", "other", "CG@3", "--ask", "ask.txt")) == 2
    assert Path("ask.txt").read_text() == "q1 0 x ?\n"
    Path("ask.txt").write_text("q1 0 x 2\n")
    lines = output("holes", "qrels", "run", "other", "CG@3", "--answers", "ask.txt", "--merged", "new.txt")
    assert lines == ["topic  document  share  cumulated  runs"]
    assert levels_of("new.txt") == {"q1": {"d1": 3, "d2": 1, "d3": 0, "x": 2}, "q2": {"d1": 2, "d4": 0}}
    Path("late.csv").write_text("topic,document,level\nq1,d1,1\nq1,x,0\n")
    words = ["qrels", "run", "other", "CG@3", "--answers", "ask.txt", "--answers", "late.csv"]
    assert cli.main(["holes", *words, "-f", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out == "topic,document,share,cumulated,runs\n"
    assert err == (
        "ir_measures_graded: warning: 2 judgments contradict an earlier one, which counts: "
        "topic 'q1', document 'd1': level 3 by qrels, 1 by late.csv; "
        "topic 'q1', document 'x': level 2 by ask.txt, 0 by late.csv\n"
    )
