"""Long work shows a bar on a terminal, or calls a function, and otherwise nothing."""

import sys

import pytest

from ir_measures_graded import cli, progress
from ir_measures_graded.analysis import compare, evaluate
from ir_measures_graded.errors import GradedError

QRELS = {str(topic): {"a": topic % 3, "b": 1} for topic in range(12)}
RUNS = {
    "one": {topic: ["a", "b"] for topic in QRELS},
    "other": {topic: ["b"] for topic in QRELS},
}


@pytest.fixture
def at_once(monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(progress, "DELAY", 0)


class Steps:
    """A function for `progress` that keeps its calls."""

    def __init__(self):
        self.calls = []

    def __call__(self, *call):
        self.calls.append(call)


def test_a_function_is_told_each_step():
    steps = Steps()
    values = evaluate(QRELS, RUNS, ["nDCG@2"], progress=steps).values
    assert steps.calls == [("runs", 1, 2), ("runs", 2, 2)]
    assert (values == evaluate(QRELS, RUNS, ["nDCG@2"]).values).all()


def test_random_samples_are_steps_of_a_comparison():
    pytest.importorskip("scipy")
    steps = Steps()
    compare(QRELS, RUNS, ["nDCG@2"], tests=["tukey"], progress=steps)
    assert ("batches of random samples", 1, 1) in steps.calls


def test_what_a_file_has_is_told_in_bytes(tmp_path):
    run = tmp_path / "mine.run"
    run.write_text("".join(f"{topic} Q0 a 1 1 x\n" for topic in QRELS))
    size = run.stat().st_size
    steps = Steps()
    evaluate(QRELS, {"mine": run}, ["AP"], progress=steps)
    assert steps.calls == [(f"reading {run}", size, size), ("runs", 1, 1)]


def test_a_bar_is_shown_and_removed_also_after_an_error(at_once, capsys):
    with pytest.raises(ZeroDivisionError), progress.followed(True):
        [1 / number for number in progress.steps([2, 1, 0], "numbers")]
    printed = capsys.readouterr().err
    assert "numbers:  33 %|" in printed
    assert printed.rpartition("\r")[0].endswith(" ")  # blanks cover the bar


def test_short_work_shows_nothing(capsys):
    with progress.followed(True):
        assert list(progress.steps("ab", "letters")) == ["a", "b"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("is_terminal", "words"), [(True, []), (True, ["--quiet"]), (False, [])])
def test_a_command_shows_a_bar_on_a_terminal_unless_quiet(
    at_once, tmp_path, monkeypatch, capsys, is_terminal, words
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 a 1\n")
    run = tmp_path / "run"
    run.write_text("1 Q0 a 1 1 x\n")
    assert cli.main(["evaluate", str(qrels), str(run), "AP", *words]) == 0
    printed = capsys.readouterr()
    assert printed.out == "AP\t1.0000\n"
    assert ("runs: 100 %" in printed.err) == (is_terminal and not words)


def test_without_tqdm_a_command_shows_no_bar_and_python_names_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(progress, "DELAY", 0)
    with progress.followed(True):
        list(progress.steps("ab", "letters"))
    assert capsys.readouterr().err == ""
    with pytest.raises(GradedError, match=r"a progress bar needs tqdm.*\[terminal\]"):
        evaluate(QRELS, RUNS, ["AP"], progress=True)
