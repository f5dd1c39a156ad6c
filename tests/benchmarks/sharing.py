"""Costs that many runs, standard measures or imports share.

    python tests/benchmarks/sharing.py [S M L X] [--json FILE]

- A later run on the same evaluator, with all topics and with one, compared with a call that reads the qrels.
- nDCG_JK(b=2)@100 together with nDCG@10 and AP, from frames and from files, with and without `accelerate()`.
- New interpreters: the time to start the command, and to import ir_measures, numpy and pluggy without and
  with ir_measures_graded. The difference is the cost of this import.

`ratio` is a row's time divided by the time of the first row of its input.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
from ir_measures import AP, nDCG
from measuring import Call, Command, Report, options
from workloads import SHAPES

import ir_measures_graded
from peers import MEASURE, TINY, Inputs, mean_of_command, read_by_ir_measures

MIXED = [MEASURE, nDCG @ 10, AP]


def runs_on_one_evaluator(qrels: Any, run: Any) -> dict[str, Call]:
    evaluator = ir_measures.evaluator([MEASURE], qrels)
    one_topic = run[run["query_id"] == run["query_id"].iloc[0]]
    return {
        "a run and its qrels": lambda: ir_measures.calc_aggregate([MEASURE], qrels, run),
        "a second run": lambda: evaluator.calc_aggregate(run),
        "a second run, of one topic": lambda: evaluator.calc_aggregate(one_topic),
    }


def mixed_on_frames(qrels: Any, run: Any) -> dict[str, Call]:
    several = {"graded": [MEASURE], "graded and standard": MIXED}
    calculate: Callable[..., Any] = ir_measures.calc_aggregate
    return with_accelerate({what: partial(calculate, each, qrels, run) for what, each in several.items()})


def mixed_on_files(qrels: Path, run: Path) -> dict[str, Call]:
    """Calls from files. The command itself chooses how it computes standard measures."""

    def through_ir_measures() -> Any:
        return ir_measures.calc_aggregate(MIXED, *read_by_ir_measures(qrels, run))

    return {
        "the command, graded": partial(mean_of_command, qrels, run),
        "the command, graded and standard": partial(mean_of_command, qrels, run, MIXED),
        **with_accelerate({"ir-measures, graded and standard": through_ir_measures}),
    }


def with_accelerate(calls: dict[str, Call]) -> dict[str, Call]:
    """Each call without and with `accelerate()`."""
    return calls | {f"{name}, accelerated": partial(_accelerated, call) for name, call in calls.items()}


def _accelerated(call: Call) -> Any:
    ir_measures_graded.accelerate()
    try:
        return call()
    finally:
        ir_measures_graded.accelerate(False)


TABLES: dict[str, tuple[Callable[..., dict[str, Call]], tuple[str, ...]]] = {
    "runs on one evaluator": (runs_on_one_evaluator, ("frame, str",)),
    "standard measures beside ours": (mixed_on_frames, ("frame, str", "frame, object")),
    "standard measures beside ours, from files": (mixed_on_files, ("files",)),
}


BASE = "import ir_measures, numpy, pluggy"
INTERPRETERS = {
    "python, doing nothing": ("-c", ""),
    f"python, {BASE}": ("-c", BASE),
    f"python, {BASE}, ir_measures_graded": ("-c", f"{BASE}, ir_measures_graded"),
    "python -m ir_measures_graded --version": ("-m", "ir_measures_graded", "--version"),
}


def main(argv: Sequence[str] | None = None) -> None:
    arguments = options(__doc__, argv, workloads=SHAPES)
    with TemporaryDirectory() as folder, Report(arguments) as report:
        tiny = Inputs(TINY, Path(folder, "tiny"))
        for name in arguments.workloads or ["M"]:
            inputs = Inputs(SHAPES[name], Path(folder, name))
            for title, (calls_of, forms) in TABLES.items():
                for form in forms:
                    for call in calls_of(*tiny.of_form(form)).values():
                        call()
                    report.compare(f"{name}: {title}", calls_of(*inputs.of_form(form)), input=form)
        starts = {what: Command((sys.executable, *words)).run for what, words in INTERPRETERS.items()}
        report.compare("Fresh interpreters", starts)


if __name__ == "__main__":
    main()
