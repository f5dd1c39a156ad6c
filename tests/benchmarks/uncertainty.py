"""The cost of the options `ties` and `unjudged`, and the differences between published runs that stand.

    python tests/benchmarks/uncertainty.py cost [M S …]
    python tests/benchmarks/uncertainty.py study QRELS RUN …

`cost` evaluates a run of workloads.py (in dicts) with and without the options. It prints medians of
five repetitions, and `ratio` is a time divided by the time without an option. Half of the retrieved documents
of M are judged. In `M, few judged`, nine of ten retrieved documents are unjudged.

`study` prints how many differences between the runs, by nDCG_JK(b=2) at 10 and at 100, stand over all orders
of tied documents and over all judgments of unjudged ones.
"""

import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from measuring import medians
from workloads import FORMS, SHAPES

from ir_measures_graded import parse_measure
from ir_measures_graded.analysis import ranges
from ir_measures_graded.output import formats

OF_TIES = ("nDCG_JK@100", "nDCG_JK", "Q", "muAP", "ERR_G@100", "EBR@100")
OF_JUDGMENTS = ("nDCG_JK@10", "nDCG_JK@100")
FEW_JUDGED = "M, few judged"
INPUTS = {**SHAPES, FEW_JUDGED: replace(SHAPES["M"], judged=(200, 200))}
DEPTHS = (10, 100)


def cost(names: list[str]) -> None:
    rows = []
    for name in names:
        qrels, run = FORMS["dicts"](INPUTS[name])
        options = [f"{m} ties={word}" for m in OF_TIES for word in ("docid", "mean", "max")]
        options.remove("EBR@100 ties=max")  # EBR does not have it
        options += [f"{m} unjudged={word}" for m in OF_JUDGMENTS for word in ("irrelevant", "min", "max")]
        calls = {}
        for option in options:
            measure, _, given = option.partition(" ")
            with_option = parse_measure(measure)(**dict([given.split("=")]))
            calls[option] = partial(with_option.calc_aggregate, qrels, run)
        times = medians(calls, repeat=5, patience=60)
        for option, seconds in times.items():
            plain = times[option.rpartition("=")[0] + ("=docid" if "ties" in option else "=irrelevant")]
            rows.append([name, option, seconds, seconds / plain])
    print(*formats.text(["input", "what", "seconds", "ratio"], rows, 3), sep="\n")


def study(qrels: str, *runs: str) -> None:
    named = {Path(run).name: run for run in runs}
    for depth in DEPTHS:
        start = time.perf_counter()
        found = ranges(qrels, named, [f"nDCG_JK(b=2)@{depth}"], draws=0)
        print(*formats.text(*found.table_of_differences()), sep="\n")
        print(f"{time.perf_counter() - start:.1f} s\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["cost", *names]:
            cost(names or ["M", FEW_JUDGED])
        case ["study", qrels, *runs]:
            study(qrels, *runs)
        case _:
            sys.exit(__doc__)
