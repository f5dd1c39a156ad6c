"""The options of a command reach its analysis: its JSON lines are the records of the same call in Python."""

import json
import os
import shlex
from pathlib import Path

import pytest

from ir_measures_graded import analysis, demo

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

STEEP = "nDCG_JK(gains=0:0,1:1,2:10,3:100,avg=True)@100"
TOPICS = dict.fromkeys(line.split()[0] for line in demo.qrels_path().read_text().splitlines())
KINDS = {topic: "odd" if int(topic) % 2 else "even" for topic in TOPICS}
CALLS = {
    "power P@5 nDCG_JK@100 --alpha 0.01 --power 0.9 --differences 0.1": (
        analysis.power, [["P@5", "nDCG_JK@100"]], {"alpha": 0.01, "power": 0.9, "differences": [0.1]}
    ),
    "power P@5 --by kinds.csv:kind": (analysis.power, [["P@5"]], {"by": KINDS}),
    "curves nCG --depth 4 --confidence 0.8 --resamples 100 --seed 3": (
        analysis.curves, ["nCG", 4],
        {"confidence": 0.8, "resamples": 100, "seed": 3},
    ),
    "effort CG --depth 9 --baseline C.run --at 2 3": (
        analysis.effort, ["CG", 9], {"baseline": "C", "at": [2, 3]},
    ),
    "curves CG P@5 --at 2,4": (analysis.curves, [["CG", "P@5"]], {"at": [2, 4]}),
    "curves ndcg_cut_3": (analysis.curves, ["nDCG", 3], {}),
    "sensitivity nDCG_JK --gains w1=0:0,1:1,2:1,3:1 --gains w100 --cutoffs 100": (
        analysis.sensitivity, [["nDCG_JK"]],
        {"gains": {"w1": {0: 0, 1: 1, 2: 1, 3: 1}, "w100": "w100"}, "cutoffs": [100]},
    ),
    "sensitivity P@5 AP --alpha 0.2 --show differences": (
        lambda *given, **options: analysis.sensitivity(*given, **options).difference_table(),
        [["P@5", "AP"]], {"alpha": 0.2},
    ),
    "holes nDCG_JK@10 --batch 3": (analysis.holes, ["nDCG_JK@10"], {"batch": 3}),
    f"compare '{STEEP}' --baseline A": (analysis.compare, [[STEEP]], {"baseline": "A"}),
    "compare P@5 --show tests --tests tukey --resamples 300 --seed 4": (
        lambda *given, **options: analysis.compare(*given, **options).data("tests"), [["P@5"]],
        {"tests": ["tukey"], "resamples": 300, "seed": 4},
    ),
    "ranges nDCG_JK@10 AP": (analysis.ranges, [["nDCG_JK@10", "AP"]], {}),
}  # fmt: skip


@pytest.mark.parametrize("line", CALLS)
def test_records_are_those_of_the_call_in_python(output, line):
    for path in demo.run_paths().values():
        os.symlink(path, path.name)
    rows = [f"{topic},{kind}\n" for topic, kind in KINDS.items()]
    Path("kinds.csv").write_text("topic,kind\n" + "".join(rows))
    command, *words = shlex.split(line)
    call, measures, options = CALLS[line]
    expected = call(demo.qrels_path(), demo.run_paths(), *measures, **options).records()
    found = output(
        command,
        demo.NAME,
        *(path.name for path in demo.run_paths().values()),
        *words,
        "-f",
        "jsonl",
    )
    assert list(map(json.loads, found)) == json.loads(json.dumps(expected))
