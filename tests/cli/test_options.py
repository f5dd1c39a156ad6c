"""The options of a command reach its analysis: JSON lines are the records of a call in Python."""

import json
import os
import shlex
from functools import partial
from pathlib import Path

import pytest

from ir_measures_graded import analysis, demo

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

STEEP = "nDCG_JK(gains=0:0,1:1,2:10,3:100,avg=True)@100"
TOPICS = dict.fromkeys(line.split()[0] for line in demo.qrels_path().read_text().splitlines())
KINDS = {topic: "odd" if int(topic) % 2 else "even" for topic in TOPICS}


def sensitivity_differences(*arguments, **options):
    return analysis.sensitivity(*arguments, **options).difference_table()


def compare_tests(*arguments, **options):
    return analysis.compare(*arguments, **options).data("tests")


CALLS = {}


def calls(line, function, *arguments, **options):
    """Declare that the command of a line is this call, after qrels and runs."""
    CALLS[line] = partial(function, demo.qrels_path(), demo.run_paths(), *arguments, **options)


calls(
    "power P@5 nDCG_JK@100 --alpha 0.01 --power 0.9 --differences 0.1",
    *(analysis.power, ["P@5", "nDCG_JK@100"]),
    **{"alpha": 0.01, "power": 0.9, "differences": [0.1]},
)
calls("power P@5 --by kinds.csv:kind", analysis.power, ["P@5"], by=KINDS)
calls(
    "curves nCG --depth 4 --confidence 0.8 --resamples 100 --seed 3",
    *(analysis.curves, "nCG", 4),
    **{"confidence": 0.8, "resamples": 100, "seed": 3},
)
calls(
    "effort CG --depth 9 --baseline C.run --at 2 3",
    *(analysis.effort, "CG", 9),
    **{"baseline": "C", "at": [2, 3]},
)
calls("curves CG P@5 --at 2,4", analysis.curves, ["CG", "P@5"], at=[2, 4])
calls("curves ndcg_cut_3", analysis.curves, "nDCG", 3)
calls(
    "sensitivity nDCG_JK --gains w1=0:0,1:1,2:1,3:1 --gains w100 --cutoffs 100",
    *(analysis.sensitivity, ["nDCG_JK"]),
    **{"gains": {"w1": {0: 0, 1: 1, 2: 1, 3: 1}, "w100": "w100"}, "cutoffs": [100]},
)
calls(
    "sensitivity P@5 AP --alpha 0.2 --show differences",
    *(sensitivity_differences, ["P@5", "AP"]),
    alpha=0.2,
)
calls("holes nDCG_JK@10 --batch 3", analysis.holes, "nDCG_JK@10", batch=3)
calls(f"compare '{STEEP}' --baseline A", analysis.compare, [STEEP], baseline="A")
calls(
    "compare P@5 --show tests --tests tukey --resamples 300 --seed 4",
    *(compare_tests, ["P@5"]),
    **{"tests": ["tukey"], "resamples": 300, "seed": 4},
)
calls("ranges nDCG_JK@10 AP", analysis.ranges, ["nDCG_JK@10", "AP"])


@pytest.mark.parametrize("line", CALLS)
def test_records_are_those_of_the_call_in_python(output, line):
    for path in demo.run_paths().values():
        os.symlink(path, path.name)
    rows = [f"{topic},{kind}\n" for topic, kind in KINDS.items()]
    Path("kinds.csv").write_text("topic,kind\n" + "".join(rows))
    command, *words = shlex.split(line)
    runs = [path.name for path in demo.run_paths().values()]
    printed = output(command, demo.NAME, *runs, *words, "-f", "jsonl")
    expected = CALLS[line]().records()
    assert list(map(json.loads, printed)) == json.loads(json.dumps(expected))
