"""A file with a prediction in each line is a run of qrels with labels and features in their lines."""

import gzip

import numpy as np
import pytest
from reading import refused

from ir_measures_graded import RunFile, array_mean
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.evaluation.named import ascending_runs, read_judgments, study_of

TOPICS = ["b", "b", "a", "b", "a", "a"]  # the rows of a topic may be apart
LABELS = [0, 3, 1, 1, 0, 2]
SCORES = [0.5, 0.75, -1, 2.5, 3, -1]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def _write(ids=False, numbers=SCORES, before=""):
        rows = []
        for place, (label, topic) in enumerate(zip(LABELS, TOPICS)):
            document = f" # d{place}" if ids else ""
            rows.append(f"{label} qid:{topic} 1:0.5 7:-2{document}\n")
        (tmp_path / "test.svm").write_text(before + "".join(rows))
        (tmp_path / "p.txt").write_text("\n".join(map(str, numbers)))
        (tmp_path / "p.gz").write_bytes(gzip.compress((tmp_path / "p.txt").read_bytes()))

    return _write


def test_lines_that_begin_with_a_number_sign_are_comments(write):
    write(numbers=SCORES)
    expected = evaluate("test.svm", {"mine": "p.txt"}, "nDCG_JK@2").means()
    write(numbers=["# made by a ranker", *SCORES[:3], "#", *SCORES[3:]])
    assert evaluate("test.svm", {"mine": "p.txt"}, "nDCG_JK@2").means() == expected
    write(numbers=["# made", 1, "x"])
    assert "p.txt:3: 'x' is not a number" in refused(evaluate, "test.svm", {"mine": "p.txt"}, "AP")


@pytest.mark.parametrize("file", ["p.txt", "p.gz"])
@pytest.mark.parametrize("ids", [False, True])
def test_values_are_those_of_arrays(write, ids, file):
    write(ids)
    names = ["nDCG_Burges@2", "ERR_G@3"]
    means = evaluate("test.svm", {"mine": file}, names, ties="mean").means()[0]
    expected = [array_mean(name, np.array(LABELS), np.array(SCORES), ids=TOPICS) for name in names]
    assert means.tolist() == pytest.approx(expected, rel=1e-15)


def test_kept_runs_parts_and_smaller_scores_are_read_as_well(write):
    write()
    every = evaluate("test.svm", {"mine": "p.txt"}, "nDCG_JK@2")
    study = study_of("test.svm", {"mine": "p.txt"})
    assert evaluate(study.judgments, study.runs, "nDCG_JK@2").means() == every.means()
    only_a = evaluate(read_judgments("test.svm").part(["a"]), {"mine": "p.txt"}, "nDCG_JK@2")
    assert only_a.means()[0, 0] == every.values[0, 0, every.topics.index("a")]
    negated = evaluate("test.svm", ascending_runs({"mine": "p.txt"}), "nDCG_JK@2").means()
    write(numbers=[-score for score in SCORES])
    assert negated == evaluate("test.svm", {"mine": "p.txt"}, "nDCG_JK@2").means()


@pytest.mark.parametrize(
    ("numbers", "before", "fact"),
    [
        (SCORES[:5], "", "p.txt has 5 numbers, and test.svm 6 lines; a number belongs to the line"),
        ([*SCORES, 1], "", "p.txt has 7 numbers, and test.svm 6 lines"),
        ([1, 2, "x", 4, 5, 6], "", "p.txt:3: 'x' is not a number; each line has the prediction"),
        ([1, 2, "nan", 4, 5, 6], "", "p.txt:3: topic 'a', document 'line_3': the score is NaN"),
        (SCORES, "# made\n", "test.svm has comments or blank lines, so it is not certain"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(write, numbers, before, fact):
    write(numbers=numbers, before=before)
    assert fact in refused(evaluate, "test.svm", {"mine": "p.txt"}, "nDCG_JK@2")


def test_predictions_alone_say_what_to_do(write):
    write()
    assert "array_mean('nDCG@5', labels, scores, ids=topics)" in refused(RunFile("p.txt").rows)
