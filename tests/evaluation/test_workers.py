"""Runs that several processes read have the values, remarks and errors of one process."""

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import pytest

from ir_measures_graded import GradedError, cli, demo
from ir_measures_graded.evaluation import workers

RUNS = list(map(str, demo.run_paths().values()))
QRELS = str(demo.qrels_path())


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", QRELS, *RUNS, "nDCG_JK@10", "infAP", "NumRet", "--by_query", "-f", "json"],
        ["compare", QRELS, *RUNS, "nDCG@10", "--ascending", "-f", "json"],
    ],
    ids=["read", "kept"],
)
def test_output_is_that_of_one_process(words, capfd):
    pytest.importorskip("scipy", reason="the extra stats is not installed")
    assert cli.main(words) == 0
    expected = capfd.readouterr()
    assert cli.main([*words, "--jobs", "2"]) == 0
    assert capfd.readouterr() == expected
    assert "the run lacks 1 of 20 topics" in expected.out


def test_the_first_faulty_run_is_the_error(tmp_path, capfd):
    repeated = tmp_path / "repeated.run"
    repeated.write_text("351 Q0 d 1 2 x\n351 Q0 d 2 1 x\n")
    nothing = tmp_path / "nothing.run"
    nothing.touch()
    words = ["evaluate", QRELS, RUNS[0], str(repeated), str(nothing), "AP"]
    assert cli.main(words) == 2
    expected = capfd.readouterr()
    assert cli.main([*words, "--jobs", "3"]) == 2
    assert capfd.readouterr() == expected
    assert "repeated.run:2" in expected.err


def test_a_process_that_is_ended_from_outside_is_one_error():
    future = Future()
    future.set_exception(BrokenProcessPool("a child process terminated abruptly"))
    with pytest.raises(GradedError, match="use fewer --jobs"):
        workers._result_of(future)
