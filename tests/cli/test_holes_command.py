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


@pytest.mark.filterwarnings("default:next.csv is not written")
def test_ask_writes_documents_without_an_open_pair_and_no_empty_file(output, capsys):
    qrels = ["Query,SKU,Rating", *(f"q{number},a,2\nq{number},b,0" for number in range(9))]
    Path("qrels.csv").write_text("\n".join(qrels) + "\n")
    for name, docs in {"good": "abx", "bad": "bax"}.items():
        scores = dict(zip(docs, (3, 2, 1)))
        Path(f"{name}.json").write_text(json.dumps({f"q{number}": scores for number in range(9)}))
    runs = ["good.json", "bad.json"]
    lines = output("holes", "qrels.csv", *runs, "CG@3", "--ask", "ask.csv")
    assert lines[0].startswith("No pair of 2 runs is open by CG@3")
    asked = Path("ask.csv").read_text().splitlines()
    assert asked[0] == "Query,SKU,Rating,runs"
    assert sorted(asked[1:]) == [f"q{number},x,,bad:3 good:3" for number in range(9)]
    Path("ask.csv").write_text("\n".join(asked).replace(",,", ",2,") + "\n")
    words = ["qrels.csv", *runs, "CG@3", "--answers", "ask.csv", "--ask", "next.csv"]
    assert cli.main(["holes", *words]) == 0
    assert "next.csv is not written, because no document is listed" in capsys.readouterr().err
    assert not Path("next.csv").exists()


@pytest.mark.parametrize("qrels", ["qrels.csv", "qrels.csv:stars"])
def test_the_file_for_a_judge_has_the_columns_that_the_user_names(qrels, output):
    rows = [f"q{number},a,2,1\nq{number},b,0,1" for number in range(9)]
    Path("qrels.csv").write_text("\n".join(["person,film,stars,grade_of_llm", *rows]) + "\n")
    for name, docs in {"good": "abx", "bad": "bax"}.items():
        rows = [f"q{number},{doc},{score}" for number in range(9) for score, doc in enumerate(docs)]
        Path(f"{name}.csv").write_text("\n".join(["person,film,points", *rows]) + "\n")
    columns = "query_id=person,doc_id=film,score=points"
    if ":" not in qrels:
        columns += ",relevance=stars"
    words = ["holes", qrels, "good.csv", "bad.csv", "CG@3", "--columns", columns]
    output(*words, "--ask", "ask.csv")
    asked = Path("ask.csv").read_text()
    assert asked.splitlines()[0] == "person,film,stars,runs"
    Path("ask.csv").write_text(asked.replace(",,", ",2,"))
    assert "ask.csv: 9 new judgments." in output(*words, "--answers", "ask.csv")


def test_answers_with_ids_of_a_spreadsheet_are_not_merged(capsys):
    for name, first in (("a", "0012"), ("b", "0013")):
        Path(name).write_text(f"q1 Q0 {first} 1 9 {name}\nq1 Q0 d1 2 8 {name}\n")
    Path("answers.csv").write_text("topic,document,level\nq1,12,2\n")
    words = ["qrels", "a", "b", "CG@3", "--answers", "answers.csv", "--merged", "merged.txt"]
    assert cli.main(["holes", *words]) == 2
    assert "a spreadsheet may have changed the ids" in capsys.readouterr().err
    assert not Path("merged.txt").exists()
