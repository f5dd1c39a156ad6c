"""The fastest figure of each form of qrels and runs, and which forms are slower now.

    python tests/benchmarks/kept.py [FORM …] [--keep] [--rounds N]

A figure is the time of an evaluation (nDCG_JK@10, workload M), divided by that of a fixed piece of
work: once in processor time, and once as it passes, because a file that is read by one thread
instead of two takes no more processor time. Both are measured in turns in one process, and the
least time of each counts, so a figure depends little on the speed of a machine; the time that
passes also depends on the number of cores, of which the kept figures had two. On one machine (Intel
Xeon), the figures changed by up to 6 % if NumPy could not use AVX-512, and rose by 3 % to 27 % if
it had no AVX2 either. `kept.json` has the smallest figures of each form that were measured again
and again, also those of earlier commits. A form has fallen behind if a figure is more than a tenth
above that; the exit status is then 1. `--keep` writes smaller figures into the file.
"""

import argparse
import io
import json
import random
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import ir_measures
import numpy as np
import pytrec_eval
from pyarrow import csv
from workloads import ARROW_FORMS, FORMS, SHAPES, Shape, written

from ir_measures_graded import analysis

KEPT = Path(__file__).with_name("kept.json")
MEASURE = "nDCG_JK@10"
ALLOWED = 1.1
"""The ratio of a figure to the fastest one up to which a form has not fallen behind."""
ROWS_READ = 8  # times as many rows as texts, so that reading takes a third of the fixed work
CLOCKS = {"processor": process_time, "elapsed": perf_counter}
RUNS = 4
"""The number of runs of the form with several ones."""
SHORT_RUNS = 20
"""The number of runs with few judged documents, each of which has a fourth of the topics."""
JUDGED_LINES = 16
"""Of so many lines of such a run, one keeps its document."""


def in_any_order(text: bytes) -> bytes:
    """The lines in random order."""
    lines = text.splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    return b"".join(lines)


def with_line_ends_of_windows(text: bytes) -> bytes:
    return text.replace(b"\n", b"\r\n")


def as_csv(text: bytes) -> bytes:
    """A TREC run as CSV."""
    rows = [line.split() for line in text.splitlines()]
    lines = [b"%b,%b,%b\n" % (topic, doc, score) for topic, _, doc, _, score, _ in rows]
    return b"".join([b"query_id,doc_id,score\n", *lines])


def with_ids_in_quotes(text: bytes) -> bytes:
    """A TREC run as CSV in which the ids are in quotes."""
    return re.sub(rb"(?m)^([^,]+),([^,]+),", rb'"\1","\2",', as_csv(text))


def with_few_judged(text: bytes) -> bytes:
    """The first fourth of the lines, most of which have another document."""
    lines = text.splitlines(keepends=True)
    lines = lines[: len(lines) // 4]
    for number, line in enumerate(lines):
        topic, q0, doc, *others = line.split(b" ")
        if number % JUDGED_LINES:
            doc = b"9" + doc[::-1]
        lines[number] = b" ".join((topic, q0, doc, *others))
    return b"".join(lines)


OTHER_TEXTS: dict[str, Callable[[bytes], bytes]] = {
    "text, lines in any order": in_any_order,
    "text, line ends of Windows": with_line_ends_of_windows,
    "CSV": as_csv,
    "CSV, ids in quotes": with_ids_in_quotes,
}
"""Forms of the run, and how they are made of TREC's lines."""
SEVERAL = f"text, {RUNS} runs"
FEW_JUDGED = f"text, {SHORT_RUNS} runs with few judged documents"
FILES = ("text", "Parquet", *OTHER_TEXTS, SEVERAL, FEW_JUDGED)


def fixed_work(is_file: bool) -> Callable[[], Any]:
    """A piece of work that never changes: of NumPy, of Python's texts and dicts, and of
    pytrec_eval; for files, also of pyarrow.

    NumPy has a sort of its own for processors with AVX-512, which takes a fifth of the time. The
    stable sort is the same on all processors, as is the rest of this work.
    """
    shape = Shape(20, 500, (200, 200), (0, 2))
    qrels, run = FORMS["dicts"](shape)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
    numbers = np.random.default_rng(1).integers(2**63, size=1 << 18)
    places = numbers & (numbers.size - 1)
    texts = list(map(str, numbers[: 1 << 14].tolist()))
    lines = [b" ".join([text.encode()] * 6) for text in texts]
    slots = 1 << 19
    rows = b"".join(b"q1,%s,%s.5\n" % (text.encode(), text[:4].encode()) for text in texts)
    file = ROWS_READ * rows
    reading = csv.ReadOptions(use_threads=False, block_size=len(file) + 1)

    def work() -> None:
        for first in range(0, numbers.size, 1 << 16):
            order = np.argsort(numbers[first : first + (1 << 14)], kind="stable")
            block = places[first : first + (1 << 16)]
            np.add.accumulate(numbers.take(block))
            np.zeros(slots, np.int32)[block * 2] = 1
            np.bincount(order)
        for line in lines:
            line.split()
        dict.fromkeys(texts)
        evaluator.evaluate(run)
        if is_file:
            csv.read_csv(io.BytesIO(file), reading)

    return work


def evaluations(form: str, shape: Shape, folder: Path) -> Callable[[], Any]:
    """The evaluation of qrels and a run in a form."""
    measure = ir_measures.parse_measure(MEASURE)
    if form not in FILES:
        qrels, run = {**FORMS, **ARROW_FORMS}[form](shape)
        return lambda: ir_measures.calc_aggregate([measure], qrels, run)
    qrels_file, run_file = written(shape, folder, "parquet" if form == "Parquet" else "txt")
    runs = {"run": str(run_file)}
    if form in OTHER_TEXTS:
        changed_file = folder / form
        changed_file.write_bytes(OTHER_TEXTS[form](run_file.read_bytes()))
        runs = {"run": str(changed_file)}
    elif form == SEVERAL:
        runs = {f"run {number}": str(run_file) for number in range(RUNS)}
    elif form == FEW_JUDGED:
        changed_file = folder / form
        changed_file.write_bytes(with_few_judged(run_file.read_bytes()))
        runs = {f"run {number}": str(changed_file) for number in range(SHORT_RUNS)}
    return lambda: analysis.evaluate(str(qrels_file), runs, [measure])


def figures(call: Callable[[], Any], work: Callable[[], Any], rounds: int) -> dict[str, float]:
    """The least time of the call by each clock, divided by that of the fixed work."""
    least = {clock: {call: np.inf, work: np.inf} for clock in CLOCKS}
    for _ in range(rounds):
        for function in (call, work):
            start = {clock: now() for clock, now in CLOCKS.items()}
            function()
            for clock, now in CLOCKS.items():
                least[clock][function] = min(least[clock][function], now() - start[clock])
    return {clock: float(times[call] / times[work]) for clock, times in least.items()}


def main(argv: Sequence[str] | None = None, shape: Shape = SHAPES["M"], kept: Path = KEPT) -> int:
    every = [*FORMS, *ARROW_FORMS, *FILES]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("forms", nargs="*", metavar="FORM", help=", ".join(every))
    parser.add_argument("--keep", action="store_true", help="keep smaller figures")
    parser.add_argument("--rounds", type=int, default=40, help="measurements of each form")
    arguments = parser.parse_args(argv)
    unknown = [form for form in arguments.forms if form not in every]
    if unknown:
        parser.error(f"no form {unknown[0]!r}; the forms are {', '.join(every)}")
    warnings.simplefilter("ignore", UserWarning)  # few documents are judged in one form
    fastest = json.loads(kept.read_text()) if kept.exists() else {}
    behind = []
    print("| form | time | now | fastest | now / fastest |\n|---|---|--:|--:|--:|")
    with TemporaryDirectory() as folder:
        for form in arguments.forms or every:
            work = fixed_work(is_file=form in FILES)
            call = evaluations(form, shape, Path(folder))
            of_form = fastest.setdefault(form, {})
            for clock, now in figures(call, work, arguments.rounds).items():
                before = of_form.get(clock, round(now, 3))
                if now > ALLOWED * before:
                    behind.append(f"{form} ({clock})")
                of_form[clock] = min(round(now, 3), before)
                ratio = now / before
                print(f"| {form} | {clock} | {now:.2f} | {before:.2f} | {ratio:.2f} |", flush=True)
    if behind:
        print(f"\nFallen behind: {'; '.join(behind)}")
    if arguments.keep:
        kept.write_text(f"{json.dumps(fastest, indent=1)}\n")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
