"""Worker processes: equal output, errors in order."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import ENVIRONMENT, command, many_runs
from distributions import distribution, measuring
from ir_measures_graded import GradedError, TopicMeasure
from ir_measures_graded.analysis import evaluate


def test_workers_give_equal_output_in_the_given_order(output, monkeypatch):
    """Of runs in files, in a table of several runs, and in standard input, which no worker can read."""
    first, *others = many_runs()
    Path("two.csv").write_text("run,qid,docno,score\nx,q1,d1,2\ny,q1,d3,2\ny,q2,d1,1\n")
    runs = [first, "-", "two.csv", *reversed(others)]
    found = []
    for jobs in (1, 2):
        with open("run") as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            found.append(output("evaluate", "qrels", *runs, "nDCG_JK@2", "AP", "P@1", "-q", "--jobs", jobs))
    alone, shared = found
    assert shared == alone


def test_workers_report_the_first_error_in_order(refusal):
    arguments = ["evaluate", "qrels", *many_runs(), "nCG"]
    Path("run2").write_text("q1 Q0 d1 1 bad a\n")
    Path("run4").write_text("q1 Q0 d1 1 worse a\n")
    alone, shared = (refusal(*arguments, "--jobs", jobs) for jobs in (1, 2))
    assert shared == alone
    assert shared.startswith("run2:1: the score 'bad' is not a number")


def test_workers_load_plugins_and_pass_on_errors_and_warnings(folder):
    body = 'warnings.warn("how steep"); return 1 / topic.gains[0]'
    distribution(folder, "steep", measuring("Steep", body))
    environment = {"PYTHONPATH": os.pathsep.join([ENVIRONMENT["PYTHONPATH"], str(folder)])}
    for name in ("good", "fair"):
        Path(name).write_text("q1 Q0 d2 1 9 a\nq2 Q0 d1 1 9 a\n")
    arguments = ["evaluate", "qrels", "good", "fair", "run", "other", "Steep"]
    shared = command(*arguments, "--jobs", 2, text=True, environment=environment)
    # The trial of the plugin may have warned this process, too.
    assert [*dict.fromkeys(shared.stderr.splitlines())] == [
        "ir_measures_graded: warning: how steep",
        "ir_measures_graded: error: run: "
        "measure Steep of steep 1.2 is inf for topic 'q1'; a value must be finite",
    ]
    assert shared.returncode == 2


def test_a_script_without_the_guard_of_main_ends_with_an_error():
    runs = many_runs()
    Path("large").write_text("".join(f"q{topic} 0 d1 1\n" for topic in range(30_000)))
    Path("script.py").write_text(
        f"from ir_measures_graded.analysis import evaluate\nevaluate('large', {runs!r}, ['nCG'], jobs=2)\n"
    )
    done = subprocess.run(
        [sys.executable, "script.py"], env=ENVIRONMENT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "a script lacks the guard if __name__ == '__main__'" in done.stderr


def test_minus_one_is_a_worker_for_each_core():
    assert evaluate("qrels", many_runs(2), ["AP"], jobs=-1).values.shape == (2, 1, 2)


@pytest.mark.parametrize("jobs", [0, -2, 1.5, True, None, "2"])
def test_the_number_of_workers_is_positive_or_minus_one(jobs):
    with pytest.raises(GradedError, match="is not allowed; it is a whole number ≥ 1, or -1 for all cores"):
        evaluate("qrels", ["run"], ["AP"], jobs=jobs)


def test_a_measure_that_workers_cannot_import_is_an_error():
    class Local(TopicMeasure):
        """A measure of a function."""

        NAME = "Local"

        def value(self, topic):
            return 1.0

    with pytest.raises(GradedError, match="the measures cannot be sent to worker processes"):
        evaluate("qrels", many_runs(2), [Local()], jobs=2)
