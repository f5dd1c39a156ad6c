"""Runs in files, of which a thread begins to read the next one while one is evaluated."""

import gzip
import json
import os
import threading
import time
import warnings

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from ir_measures_graded import GradedError, RunFile
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.evaluation.named import study_of
from ir_measures_graded.files import content, files, reading_threads

QRELS = {f"q{topic}": {f"d{doc}": doc % 4 for doc in range(8)} for topic in range(5)}
RUNS = {
    name: {topic: {f"d{doc}": (7 * doc + shift) % 11 for doc in range(9)} for topic in QRELS}
    for shift, name in enumerate(("a", "b", "c"))
}
MEASURES = ["nDCG@10", "ERR_G@5", "P(rel=2)@5"]


def lines_of(run):
    rows = [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
    return "".join(f"{topic} Q0 {doc} 0 {score} t\n" for topic, doc, score in rows)


def scattered(run):
    """The lines of a run, of which those of no topic stand together."""
    lines = lines_of(run).splitlines(keepends=True)
    return "".join(line for start in range(9) for line in lines[start::9])


def as_parquet(run):
    rows = [line.split() for line in lines_of(run).splitlines()]
    columns = {
        "query_id": [row[0] for row in rows],
        "doc_id": [row[2] for row in rows],
        "score": [float(row[4]) for row in rows],
    }
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue().to_pybytes()


def as_csv(run):
    rows = [line.split() for line in lines_of(run).splitlines()]
    lines = ["query_id,doc_id,score", *(f"{row[0]},{row[2]},{row[4]}" for row in rows)]
    return "\n".join(lines).encode()


FORMS = {
    "TREC": lambda run: lines_of(run).encode(),
    "scattered topics": lambda run: scattered(run).encode(),
    "gzip": lambda run: gzip.compress(lines_of(run).encode()),
    "CSV": as_csv,
    "Parquet": as_parquet,
}


@pytest.fixture(autouse=True)
def begun(monkeypatch):
    """The files whose first rows a thread has read, and those that were closed.

    All files count as large. All threads must end.
    """
    monkeypatch.setattr(files, "SMALL_FILE", 0)
    parts_of = files.parts_of
    seen = {"begun": [], "closed": []}

    def watched(file, reading):
        if threading.current_thread() is not threading.main_thread():
            seen["begun"].append(file)
        try:
            yield from parts_of(file, reading)
        finally:
            seen["closed"].append(file)

    monkeypatch.setattr(files, "parts_of", watched)
    before = set(threading.enumerate())
    yield seen
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("form", FORMS)
def test_values_are_those_of_runs_in_memory(form, tmp_path, begun):
    paths = {}
    for name, run in RUNS.items():
        paths[name] = str(tmp_path / name)
        (tmp_path / name).write_bytes(FORMS[form](run))
    result = evaluate(QRELS, {**paths, "again": paths["a"]}, MEASURES)
    expected = evaluate(QRELS, {**RUNS, "again": RUNS["a"]}, MEASURES)
    np.testing.assert_array_equal(result.values, expected.values)
    assert sorted(begun["begun"]) == sorted([*paths.values(), paths["a"]])
    assert len(begun["closed"]) >= 4


def paths_of_runs(folder):
    """The paths of the runs in TREC files, by name."""
    paths = {}
    for name, run in RUNS.items():
        path = folder / f"{name}.run"
        path.write_text(lines_of(run))
        paths[name] = str(path)
    return paths


def test_the_next_file_begins_before_one_is_evaluated(tmp_path, begun):
    begun_at = []

    def told(what, done, _):
        if what != "runs":
            return
        until = time.monotonic() + 60
        while len(begun["begun"]) < min(done + 1, 3) and time.monotonic() < until:
            time.sleep(0.001)
        begun_at.append(len(begun["begun"]))

    runs = list(map(RunFile, paths_of_runs(tmp_path).values()))
    evaluate(QRELS, runs, MEASURES, progress=told)
    assert begun_at == [2, 3, 3]  # of which one was evaluated, then two and three


def test_the_next_file_is_told_in_its_turn_from_its_start(tmp_path):
    paths = paths_of_runs(tmp_path)
    steps = []
    evaluate(QRELS, paths, MEASURES, progress=lambda *step: steps.append(step))
    expected = []
    for number, path in enumerate(paths.values(), start=1):
        size = os.path.getsize(path)
        expected += [(f"reading {path}", size, size), ("runs", number, len(paths))]
    assert steps == expected


@pytest.mark.parametrize("kind", ["JSON", "compressed Parquet", "answers"])
def test_what_is_held_in_memory_as_a_whole_is_not_begun(kind, tmp_path, begun):
    paths = {}
    for name, run in RUNS.items():
        path = tmp_path / name
        paths[name] = str(path)
        if kind == "JSON":
            path.write_text(json.dumps(run))
        elif kind == "compressed Parquet":
            path.write_bytes(gzip.compress(as_parquet(run)))
        else:
            path.mkdir()
            for topic, documents in run.items():
                hits = [{"_id": doc, "_score": score} for doc, score in documents.items()]
                (path / f"{topic}.json").write_text(json.dumps({"hits": {"hits": hits}}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # the names of files are topics
        result = evaluate(QRELS, paths, MEASURES)
    np.testing.assert_array_equal(result.values, evaluate(QRELS, RUNS, MEASURES).values)
    assert begun["begun"] == []


def test_a_file_that_no_thread_can_begin_is_read_in_its_turn(tmp_path, monkeypatch):
    class Refused(threading.Thread):
        def start(self):
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(reading_threads, "Thread", Refused)
    result = evaluate(QRELS, paths_of_runs(tmp_path), MEASURES)
    np.testing.assert_array_equal(result.values, evaluate(QRELS, RUNS, MEASURES).values)


def test_a_run_that_is_refused_before_it_is_read_leaves_no_file_open(tmp_path, begun):
    with pytest.raises(GradedError, match="ADM reads scores") as error:
        evaluate(QRELS, paths_of_runs(tmp_path), ["ADM"], ties="given")
    assert sorted(begun["begun"]) == sorted(begun["closed"])
    assert error.tb is not None  # which refers to the run


def test_a_pattern_that_matches_too_much_is_an_error_in_its_turn(tmp_path, monkeypatch):
    wrong = tmp_path / "wrong"
    wrong.write_text(lines_of(RUNS["a"]) + "q1 Q0 x 1 high t\n")
    for number in range(3):
        (tmp_path / f"{number}.parquet").touch()
    runs = {"a": str(wrong), "b": str(tmp_path / "*.parquet")}
    monkeypatch.setattr(content, "MOST_ENTRIES", 2)
    with pytest.raises(GradedError, match="the score 'high' is not a number"):
        evaluate(QRELS, runs, MEASURES)
    del runs["a"]
    with pytest.raises(GradedError, match="matches more than 2 entries"):
        evaluate(QRELS, runs, MEASURES)


@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_error_of_a_file_comes_in_its_turn_and_ends_all_reading(wrong, tmp_path, begun):
    runs = {}
    for number, (name, run) in enumerate(RUNS.items()):
        text = lines_of(run)
        if number >= wrong:
            text += f"q1 Q0 x{number} 1 high t\n"
        runs[name] = str(tmp_path / name)
        (tmp_path / name).write_text(text)
    name = list(RUNS)[wrong]
    with pytest.raises(GradedError, match=f"{runs[name]}:46: the score 'high' is not a number"):
        evaluate(QRELS, runs, MEASURES)
    assert set(begun["begun"]) == set(begun["closed"])


def test_error_of_the_qrels_comes_before_that_of_a_run_that_has_begun(tmp_path, begun):
    qrels = tmp_path / "qrels"
    qrels.write_text("q1 0 d1 high\n")
    run = tmp_path / "run"
    run.write_text("q1 Q0 d1 0 low t\n")
    with pytest.raises(GradedError, match="qrels:1: the level 'high' is not a number"):
        evaluate(str(qrels), [str(run)], MEASURES)
    assert begun["begun"] == [str(run)]
    assert sorted(begun["closed"]) == [str(qrels), str(run)]


def test_numbers_for_the_lines_of_the_qrels_are_no_wrong_run(tmp_path):
    qrels = tmp_path / "qrels"
    qrels.write_text("2 qid:q1 1:0.5 # d1\n0 qid:q1 1:0.25 # d2\n")
    numbers = tmp_path / "numbers"
    numbers.write_text("0.5\n0.75\n")
    result = evaluate(str(qrels), [str(numbers)], ["CG@1", "CG@2"])
    assert result.values.ravel().tolist() == [0, 2]


@pytest.mark.parametrize("is_wrong", [False, True], ids=["read", "wrong first file"])
def test_kept_runs_begin_too_and_are_read_once(is_wrong, tmp_path, begun):
    paths = {}
    for name, run in RUNS.items():
        paths[name] = str(tmp_path / name)
        (tmp_path / name).write_text(lines_of(run))
    study = study_of(QRELS, paths)
    if is_wrong:
        (tmp_path / "a").write_text("q1 Q0 d1 0 high t\n")
        with pytest.raises(GradedError, match="a:1: the score 'high' is not a number"):
            evaluate(study.judgments, study.runs, MEASURES)
        (tmp_path / "a").write_text(lines_of(RUNS["a"]))
    expected = evaluate(QRELS, RUNS, MEASURES).values
    for _ in range(2):
        result = evaluate(study.judgments, study.runs, MEASURES)
        np.testing.assert_array_equal(result.values, expected)
    part = study.part(["q1", "q3"])
    values = evaluate(part.judgments, part.runs, MEASURES).values
    np.testing.assert_array_equal(values, expected[..., [1, 3]])
    again = 2 if is_wrong else 0  # the first file, and the second one, which had begun
    assert len(begun["begun"]) == 3 + again
    assert len(begun["closed"]) == 3 + again


def test_a_run_that_another_thread_reads_after_its_begin_leaves_no_file_open(tmp_path, begun):
    paths = paths_of_runs(tmp_path)
    study = study_of(QRELS, paths)
    read_elsewhere = study_of(study.judgments, paths).runs[1].read()
    begun["closed"].clear()

    def told(what, done, _):
        if what == "runs" and done == 1:
            vars(study.runs[1])["_read"] = read_elsewhere

    evaluate(study.judgments, study.runs, MEASURES, progress=told)
    assert sorted(begun["begun"]) == sorted(begun["closed"]) == sorted(paths.values())


def test_a_file_that_was_read_is_read_anew_in_the_next_evaluation(tmp_path):
    path = tmp_path / "run"
    path.write_text(lines_of(RUNS["a"]))
    run = RunFile(path)
    first = evaluate(QRELS, [run], MEASURES)
    path.write_text(lines_of(RUNS["b"]))
    second = evaluate(QRELS, [run], MEASURES)
    np.testing.assert_array_equal(first.values[0], evaluate(QRELS, RUNS, MEASURES).values[0])
    np.testing.assert_array_equal(second.values[0], evaluate(QRELS, RUNS, MEASURES).values[1])
