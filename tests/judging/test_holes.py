"""Unjudged documents worth judging: variance by brute force, ranks, judges' answers."""

import csv
import io
import sys
from itertools import combinations, product

import numpy as np
import pytest

from ir_measures_graded import GradedError
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.judging.holes import add_answers, holes

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1, "d": 2}, "q3": {"e": 0}}
RUNS = {
    "A": {"q1": {"x": 4, "a": 3, "y": 2}, "q2": {"c": 3, "z": 2}, "q9": {"w": 1}},
    "B": {"q1": {"a": 4, "y": 3, "b": 2, "x": 1}, "q2": {"z": 2, "d": 1}, "q3": {"v": 1}},
    "C": {"q1": {"y": 2, "u": 1}, "q2": {"z": 9, "c": 2, "t": 1}},
}
HOLES = [("q1", "x"), ("q1", "y"), ("q1", "u"), ("q2", "z"), ("q2", "t"), ("q3", "v")]


@pytest.mark.parametrize("measure", ["CG@3", "DCG_JK(b=1.5)@3", "P@3", "DCG_JK(gains={1:1,2:100})@4"])
def test_the_variance_equals_that_over_all_possible_judgments(measure):
    """Each hole is at the highest level or at 0, with the same chance; x is at rank 4 in B."""
    cutoff = int(measure[-1])
    found = holes(QRELS, RUNS, measure)
    assert sorted(zip(found.topics, found.documents)) == sorted(HOLES)
    means = []
    for levels in product((0, 2), repeat=len(HOLES)):
        judged = {topic: dict(documents) for topic, documents in QRELS.items()}
        for (topic, document), level in zip(HOLES, levels):
            judged[topic][document] = level
        means.append(evaluate(judged, RUNS, [measure]).means()[:, 0])
    means = np.array(means)
    expected = sum((means[:, a] - means[:, b]).var() for a, b in combinations(range(3), 2))
    assert found.variance.sum() / 4 == pytest.approx(expected)
    for number, hole in enumerate(zip(found.topics, found.documents)):
        known = np.array([levels[HOLES.index(hole)] for levels in product((0, 2), repeat=len(HOLES))])
        left = sum(
            (means[known == 2][:, a] - means[known == 2][:, b]).var() for a, b in combinations(range(3), 2)
        )
        assert found.variance[number] / 4 == pytest.approx(expected - left, abs=1e-12)
    assert (found.ranks[list(found.documents).index("x")] == [1, 4 if cutoff == 4 else 0, 0]).all()


def test_normalised_measures_are_scaled_by_the_ideal_of_the_topic():
    qrels = {"poor": {"a": 1}, "rich": {f"a{number}": 1 for number in range(9)}}
    runs = {"A": {"poor": {"x": 1}, "rich": {"x": 1}}, "B": {"poor": {"a": 1}, "rich": {"a0": 1}}}
    found = holes(qrels, runs, "nCG@10")
    assert found.topics == ("poor", "rich")
    # One relevant document more: of 2 in the first topic, of 10 in the second.
    assert found.variance[0] / found.variance[1] == pytest.approx((10 / 2) ** 2)
    assert holes(qrels, runs, "CG@10").variance[0] == holes(qrels, runs, "CG@10").variance[1]


@pytest.mark.filterwarnings("error::ir_measures_graded.errors.InputWarning")
def test_nothing_is_said_of_lists_that_weights_are_computed_from():
    qrels = {"q": {f"a{number}": 1 for number in range(10)}}
    runs = {name: {"q": {**dict.fromkeys(qrels["q"], 2.0), "a9": 1, name: 1.5}} for name in "AB"}
    assert holes(qrels, runs, "CG@10").documents == ("A", "B")


def test_documents_at_equal_ranks_in_all_runs_come_last():
    runs = {name: {"q1": {"x": 3, "y": 2, name: 1}} for name in "AB"}
    found = holes({"q1": {"a": 1}}, runs, "CG@3")
    assert found.documents == ("A", "B", "x", "y")
    np.testing.assert_allclose(found.shares, [0.5, 0.5, 0, 0])


def test_unjudged_documents_tied_with_others_are_cut_off_by_descending_id():
    runs = {"A": {"t": {"a": 5, "b": 5, "c": 5, "z": 1}}, "B": {"t": {"z": 1}}}
    found = holes({"t": {"z": 1}}, runs, "CG@2")
    assert sorted(zip(found.documents, found.ranks[:, 0].tolist())) == [("b", 2), ("c", 1)]


@pytest.mark.parametrize("ending", ["csv", "txt"])
def test_a_file_with_levels_keeps_them_and_gets_what_is_new(tmp_path, ending):
    path = tmp_path / f"to-judge.{ending}"
    few, every = holes(QRELS, RUNS, "CG@1"), holes(QRELS, RUNS, "CG@3")
    few.save(path)
    asked = path.read_text()
    filled = asked.replace("q1,x,,", "q1,x,3,").replace("q1 0 x ?", "q1 0 x 3").removesuffix("\n")
    assert filled != asked.removesuffix("\n")
    path.write_text(filled)
    every.save(path)
    assert path.read_text().startswith(f"{filled}\n")
    assert path.read_text().count("\n") == len(every) + (ending == "csv")
    assert add_answers(QRELS, path).qrels["q1"]["x"] == 3
    path.write_text(asked)  # without levels, the new order counts
    every.save(path)
    assert path.read_bytes() == every.to_judge(tmp_path / f"other.{ending}")


@pytest.mark.parametrize(
    "text", ["level,document,topic\n3,x,q1\n", "topic,document,level,runs,seen\nq1,x,3,A:1,\n"]
)
def test_answers_in_another_form_are_not_overwritten(tmp_path, text):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(GradedError, match=r"mine\.csv: its answers have another form than topic,doc"):
        holes(QRELS, RUNS, "CG@3").save(path)
    assert path.read_text() == text


@pytest.mark.parametrize("ending", ["txt", "csv"])
def test_a_judges_answers_come_back_as_qrels(tmp_path, ending):
    path = tmp_path / f"answers.{ending}"
    found = holes(QRELS, RUNS, "CG@3")
    found.first(4).save(path)
    assert found.first(4).records() == found.records()[:4]
    written = path.read_text(encoding="utf-8")
    answered = {("q1", "x"): 2, ("q2", "t"): 0}
    if ending == "csv":
        rows = list(csv.DictReader(io.StringIO(written)))
        assert [row["document"] for row in rows] == list(found.documents[:4])
        assert rows[0]["runs"] == found.records()[0]["runs"]
        named = [(row["topic"], row["document"]) for row in rows]
        lines = [f"{topic},{document},{answered.get((topic, document), '')}" for topic, document in named]
        path.write_text("\n".join(["topic,document,level", *lines]))
    else:
        lines = [line.split() for line in written.splitlines()]
        assert [line[3] for line in lines] == ["?"] * 4
        path.write_text("\n".join(f"{t} 0 {d} {answered.get((t, d), '?')}" for t, _, d, _ in lines))
    merged = add_answers(QRELS, path)
    assert merged.qrels == {"q1": {"a": 2, "b": 0, "x": 2}, "q2": {"c": 1, "d": 2, "t": 0}, "q3": {"e": 0}}
    assert merged.origins == {"qrels": 5, str(path): 2}
    assert len(holes(merged.qrels, RUNS, "CG@3")) == len(found) - 2


def test_answers_do_not_change_what_is_judged(tmp_path):
    (tmp_path / "late.txt").write_text("q1 0 a 1\nq3 0 v 2\n")
    merged = add_answers(QRELS, tmp_path / "late.txt")
    assert merged.qrels["q1"] == QRELS["q1"]
    assert merged.qrels["q3"] == {"e": 0, "v": 2}
    (contradiction,) = merged.contradictions
    assert (contradiction.document, contradiction.level, contradiction.other_level) == ("a", 2, 1)


@pytest.mark.parametrize("measure", ["CG", "P", "nDCG_JK"])
def test_ranks_below_all_runs_cost_nothing(measure):
    near, far = (holes(QRELS, RUNS, f"{measure}@{cutoff}") for cutoff in (4, sys.maxsize))
    assert far.documents == near.documents
    assert far.shares == pytest.approx(near.shares)
