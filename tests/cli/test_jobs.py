"""Worker processes: equal output, errors in order."""

import os
from pathlib import Path

import pytest

from command_line import ENVIRONMENT, RUN, command, many_runs
from distributions import distribution
from ir_measures_graded.evaluation import evaluate, processes


@pytest.mark.parametrize("options", [[], ["-q"], ["-o", "jsonl", "-q", "-n"]])
def test_workers_give_equal_output_in_the_given_order(output, options):
    arguments = ["evaluate", "qrels", *reversed(many_runs()), "nDCG_JK@2", "AP", "P@1", *options]
    assert output(*arguments, "--jobs", 2) == output(*arguments, "--jobs", 1)


def test_standard_input_is_read_beside_workers():
    first, *others = many_runs()
    arguments = ["evaluate", "qrels", first, "-", *others, "nCG", "AP"]
    alone, shared = (command(*arguments, "--jobs", jobs, input=RUN.encode()) for jobs in (1, 3))
    assert alone.stdout == shared.stdout
    assert (shared.returncode, shared.stderr) == (0, b"")


def test_workers_report_the_first_error_in_order():
    arguments = ["evaluate", "qrels", *many_runs(), "nCG"]
    Path("run2").write_text("q1 Q0 d1 1 bad a\n")
    Path("run4").write_text("q1 Q0 d1 1 worse a\n")
    alone, shared = (command(*arguments, "--jobs", jobs, text=True) for jobs in (1, 2))
    assert shared.stderr == alone.stderr
    assert shared.stderr.startswith("ir_measures_graded: error: run2:1: the score 'bad' is not a number")
    assert (shared.returncode, shared.stdout, shared.stderr.count("\n")) == (2, "", 1)


def test_workers_load_plugins_and_pass_on_errors_and_warnings(folder):
    distribution(
        folder,
        "steep",
        """
        import warnings
        from ir_measures_graded import TopicMeasure, hookimpl

        class Steep(TopicMeasure):
            NAME = "Steep"
            SHORT_DESC = "The gain at rank 1."

            def value(self, topic):
                warnings.warn("how steep")
                return 1 / topic.gains[0]

        @hookimpl
        def graded_measures():
            return [Steep()]
        """,
    )
    environment = {"PYTHONPATH": os.pathsep.join([ENVIRONMENT["PYTHONPATH"], str(folder)])}
    for name in ("good", "fair"):
        Path(name).write_text("q1 Q0 d2 1 9 a\nq2 Q0 d1 1 9 a\n")
    for runs, told in (
        (
            ["run", "good", "other"],
            "measure Steep of steep 1.2 is inf for topic 'q1'; a value must be finite",
        ),
        (["good", "fair"], "warning: how steep"),
    ):
        alone, shared = (
            command("evaluate", "qrels", *runs, "Steep", "--jobs", jobs, text=True, environment=environment)
            for jobs in (1, 2)
        )
        assert told in alone.stderr
        assert shared.stderr == alone.stderr
        assert (shared.stdout, shared.returncode) == (alone.stdout, alone.returncode)


def test_jobs_below_1_are_refused(refusal):
    for jobs in ("0", "-1", "two"):
        assert f"argument --jobs: {jobs!r} is not allowed; give a whole number ≥ 1" in refusal(
            "evaluate", "qrels", "run", "AP", f"--jobs={jobs}"
        )


def test_workers_start_only_for_much_work(output, monkeypatch):
    monkeypatch.setattr(processes, "_workers", None)
    names = many_runs()
    output("evaluate", "qrels", *names, "nCG", "AP")
    output("evaluate", "qrels", "run", "nCG", "--jobs", 4)
    monkeypatch.setattr(evaluate, "PAYS", 1)
    monkeypatch.setattr(evaluate, "cores", lambda: 2)
    with pytest.raises(TypeError, match="not callable"):
        output("evaluate", "qrels", *names, "nCG")
