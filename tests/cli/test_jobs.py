"""Worker processes: equal output, warnings and errors in order."""

import os
from pathlib import Path

import pytest

from command_line import ENVIRONMENT, command, many_runs
from distributions import distribution, measuring
from ir_measures_graded import GradedError
from ir_measures_graded.analysis import evaluate


@pytest.mark.parametrize("stdin", [[], ["-"]])  # no worker can read standard input
def test_workers_give_equal_output_in_the_given_order(stdin, output, monkeypatch):
    first, *others = many_runs()
    Path("two.csv").write_text("run,qid,docno,score\nx,q1,d1,2\ny,q1,d3,2\ny,q2,d1,1\n")
    runs, found = [first, *stdin, "two.csv", *reversed(others)], []
    for jobs in (1, 2, -1):
        with open("run") as standard_input:
            monkeypatch.setattr("sys.stdin", standard_input)
            found.append(output("evaluate", "qrels", *runs, "nDCG_JK@2", "AP", "P@1", "-q", "--jobs", jobs))
    assert found[0] == found[1] == found[2]


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


@pytest.mark.parametrize("jobs", [0, -2, 1.5, True, "2"])
def test_the_number_of_workers_is_positive_or_minus_one(jobs):
    with pytest.raises(GradedError, match="is not allowed; it is a whole number ≥ 1, or -1 for all cores"):
        evaluate("qrels", ["run"], ["AP"], jobs=jobs)
