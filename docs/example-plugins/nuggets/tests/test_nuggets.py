import json

import pytest
from ir_measures_nuggets import NuggetAll, NuggetScore, NuggetVital, __main__

from ir_measures_graded.testing import parametrize_with_checks

QRELS = {"q": {"a": 2, "b": 2, "c": 1, "d": 1}}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (NuggetVital, 0.75),
        (NuggetVital(strict=True), 0.5),
        (NuggetAll, 0.5),
        (NuggetAll(strict=True), 0.25),
        (NuggetScore, 3.5 / 6),
        (NuggetScore(strict=True), 2 / 6),
    ],
    ids=str,
)
def test_scores_of_an_answer(measure, value):
    answer = {"q": {"a": 1.0, "b": 0.5, "c": 0.5, "other": 1.0}}
    assert measure.calc_aggregate(QRELS, answer) == pytest.approx(value)
    assert measure.calc_aggregate(QRELS, {"q": {}}) == 0
    assert measure.calc_aggregate({"q": {}}, answer) == 0


def test_scores_of_a_search_engine_are_refused():
    with pytest.raises(ValueError, match=r"topic 'q' has the support 2; it must be in \[0, 1\]"):
        NuggetScore.calc_aggregate(QRELS, {"q": {"a": 2.0}})


def test_files_of_nuggetizer_become_qrels_and_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nuggets = [
        {"text": "a", "importance": "vital", "assignment": "support"},
        {"text": "b", "importance": "okay", "assignment": "partial_support"},
        {"text": "c", "importance": "okay", "assignment": "failed"},
    ]
    for name in "AB":
        (tmp_path / f"{name}.jsonl").write_text(
            json.dumps({"qid": "q1", "nuggets": nuggets}) + "\n"
        )
    __main__.main(["A.jsonl", "B.jsonl"])
    assert (tmp_path / "qrels.txt").read_text() == "q1 0 n1 2\nq1 0 n2 1\nq1 0 n3 1\n"
    assert (tmp_path / "A.run").read_text() == "q1 Q0 n1 1 1 A\nq1 Q0 n2 2 0.5 A\n"
    (tmp_path / "B.jsonl").write_text(json.dumps({"qid": "q1", "nuggets": nuggets[:1]}))
    with pytest.raises(SystemExit, match=r"B.jsonl, line 1: topic q1 has other nuggets"):
        __main__.main(["A.jsonl", "B.jsonl"])
    (tmp_path / "B.jsonl").write_text(
        '{"qid": "q1", "nuggets": [{"text": "a", "importance": "failed"}]}'
    )
    with pytest.raises(SystemExit, match=r"B.jsonl, line 1 is no answer .* KeyError\('failed'\)"):
        __main__.main(["B.jsonl"])


@parametrize_with_checks([NuggetScore, NuggetAll, NuggetVital(strict=True)])
def test_the_declarations_hold(check):
    check()
