"""The command `check`, and warnings on standard error."""

import json
import sys
from pathlib import Path

from command_line import PROGRAM, command
from ir_measures_graded.cli import main


def test_the_exit_status_says_whether_there_is_a_remark(capsys):
    assert main(["check", "qrels"]) == 0
    assert capsys.readouterr().out.startswith("Nothing is unusual about the qrels.")
    Path("whole").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d1 1 1 t\n")
    Path("judged").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n")
    assert main(["check", "judged", "whole", "nDCG@1"]) == 0
    seen = "Nothing is unusual about the qrels, 1 run and 1 measure."
    assert capsys.readouterr().out.startswith(seen)
    Path("short").write_text("q1 Q0 d1 1 1.0 t\n")
    Path("broken").write_text("q1 Q0 d1 1 x t\n")
    Path("judged").write_text("q1 0 d1 1\n")
    assert main(["check", "qrels", "short", "broken", "judged", "P(rel=7)@1", "-f", "jsonl"]) == 1
    remarks = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    inputs = [remark["input"] for remark in remarks]
    assert inputs == ["short", "broken", "judged", "P(rel=7)@1"]
    assert main(["check", "missing"]) == 2


def test_every_topic_of_a_remark_is_named(capsys):
    topics = [str(number) for number in range(12)]
    Path("many").write_text("".join(f"{topic} 0 d 1\n" for topic in topics))
    Path("few").write_text("".join(f"{topic} Q0 d 1 1.0 t\n" for topic in topics[:4]))
    lacking = "the run lacks 8 of 12 topics of the qrels (4, 5, 6, 7, 8 and 3 more); they count, mostly as 0, as in trec_eval -c"
    main(["check", "many", "few"])
    assert lacking in " ".join(capsys.readouterr().out.split())
    main(["check", "many", "few", "-f", "jsonl"])
    remark = json.loads(capsys.readouterr().out.splitlines()[0])
    assert remark == {"input": "few", "remark": lacking, "topics": topics[4:]}
    main(["check", "many", "few", "-f", "csv"])
    assert capsys.readouterr().out.splitlines()[1].endswith(',"4, 5, 6, 7, 8, 9, 10, 11"')
    main(["evaluate", "many", "few", "AP", "-f", "json"])
    assert json.loads(capsys.readouterr().out)["remarks"][0]["topics"] == topics[4:]


def test_warnings_stand_on_standard_error_and_are_errors_on_request():
    Path("short").write_text("q1 Q0 d1 1 1.0 t\n")
    words = ["evaluate", "qrels", "short", "AP"]
    plain = command(*words, text=True)
    assert plain.returncode == 0
    assert plain.stdout.split()[0] == "AP"
    assert plain.stderr.startswith("ir_measures_graded: warning: short: the run lacks")
    assert plain.stderr.count("\n") == 1
    strict = command(*words, program=[sys.executable, "-W", "error", *PROGRAM[1:]], text=True)
    assert strict.returncode == 2
    assert strict.stdout == ""
