"""One measure compared with its peers, on the same input in the same process.

    python tests/benchmarks/peers.py [S M L X …] [--only FORM/PEER …] [--trec-eval PATH]
        [--no-memory] [--json FILE]
    python tests/benchmarks/peers.py L50 L500 L5000 L L70000 --only '*/ir-measures-graded'
        --repeat 3

This package computes nDCG_JK(b=2)@100, the peers nDCG@100. Each call receives the qrels and the run
in their original form and returns the mean over topics, so it includes everything that a user pays
for. Repetitions are interleaved. The tables show medians, and `ratio` is a peer's time divided by
the time of this package. Each peer first runs on a tiny input, because compilation and imports must
not be timed.

The inputs are those of workloads.py, in memory and in files. Calls on files start from paths and
run in this process: ``files`` are in TREC's form (this form includes the program trec_eval), others
are ``parquet``, ``feather`` and ``csv``. ``processes`` runs whole commands on TREC's files,
including the start of the interpreter.

Polars, whose threads take all cores, only reads the files: a floor for the time of any evaluation.

`peak MB` is the peak memory of a new process that makes the call once, including its input and all
imports. `added MB` is the part that the call added. If the cost is linear, `ns a row`, the
nanoseconds per row of the run, are constant; within a topic they grow no faster than the logarithm
of its length.
"""

import io
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import pandas
import pytrec_eval
from ir_measures import Measure, nDCG
from measuring import MB, Call, Command, Memory, Report, in_fresh_process, memory_of, options
from workloads import ARROW_FORMS, FORMS, SHAPES, TABLE_FILES, Input, Shape, written

from ir_measures_graded import GradedEvaluator, cli, nDCG_JK

OURS = "ir-measures-graded"
MEASURE = nDCG_JK(b=2) @ 100
IN_MEMORY = {**FORMS, **ARROW_FORMS}
ON_FILES = ("files", *TABLE_FILES, "processes")
TINY = Shape(12, 30, (12, 12), (0, 3))  # ranx sets itself to one thread for good below ten topics


def mean(measure: Any, qrels: Any, run: Any) -> float:
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


def mean_of_evaluator(qrels: Any, run: Any) -> float:
    return GradedEvaluator([MEASURE], qrels).calc_aggregate(run)[MEASURE]


def mean_of_pytrec_eval(qrels: Any, run: Any) -> float:
    values = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.100"}).evaluate(run)
    return statistics.fmean(value["ndcg_cut_100"] for value in values.values())


def mean_of_ranx(qrels: Any, run: Any) -> float:
    """The mean computed by ranx from dicts or files."""
    from ranx import Qrels, Run, evaluate

    if isinstance(run, Path):
        judged = Qrels.from_file(str(qrels), kind="trec")
        ranked = Run.from_file(str(run), kind="trec")
    else:
        judged = Qrels(qrels)
        ranked = Run(run)
    return evaluate(judged, ranked, "ndcg@100")


def mean_of_command(qrels: Path, run: Path, measures: Sequence[Measure] = (MEASURE,)) -> float:
    """The mean of the last measure that the command prints."""
    with redirect_stdout(io.StringIO()) as output:
        status = cli.main(["evaluate", str(qrels), str(run), *map(str, measures), "--places=16"])
    assert status == 0
    return float(output.getvalue().split()[-1])


def read_by_ir_measures(qrels: Path, run: Path) -> Input:
    """Files as users read them for ir-measures: TREC's by its own readers, tables by pandas."""
    if run.suffix == ".txt":
        return ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
    readers = {
        ".csv": partial(pandas.read_csv, dtype={"query_id": str, "doc_id": str}),
        ".parquet": pandas.read_parquet,
        ".feather": pandas.read_feather,
    }
    read = readers[run.suffix]
    return read(qrels), read(run)


def mean_of_ir_measures(qrels: Path, run: Path) -> float:
    """The mean computed by ir-measures from files."""
    return mean(nDCG @ 100, *read_by_ir_measures(qrels, run))


# ------------------------------------------------------------------------------ contestants

IN_PYTHON = ("frame, *", "dicts*", "tuples")
IN_FILES = ("files", *TABLE_FILES)
PEERS: list[tuple[str, Iterable[str], Callable[..., float]]] = [
    (OURS, IN_PYTHON, partial(mean, MEASURE)),
    (OURS, ARROW_FORMS, mean_of_evaluator),
    (OURS, IN_FILES, mean_of_command),
    ("ir-measures", IN_PYTHON, partial(mean, nDCG @ 100)),
    ("ir-measures", IN_FILES, mean_of_ir_measures),
    ("pytrec_eval", ("dicts*",), mean_of_pytrec_eval),
    ("ranx", ("dicts*", "files"), mean_of_ranx),
]
"""The name of each contestant, its forms of input, and its mean from qrels and a run."""
FLOOR = "Polars, reading alone"
"""The name of a peer that reads the files by two threads, and evaluates nothing."""


def read_by_polars(qrels: Path, run: Path) -> None:
    import polars

    readers: dict[str, Callable[..., Any]] = {
        ".txt": partial(polars.read_csv, separator=" ", has_header=False),
        ".csv": polars.read_csv,
        ".parquet": polars.read_parquet,
        ".feather": partial(polars.read_ipc, memory_map=False),
    }
    read = readers[run.suffix]
    read(qrels)
    read(run)


def version_of_trec_eval(program: str) -> str:
    """The version that the program prints, as its last word."""
    ended = subprocess.run([program, "--version"], capture_output=True, text=True)
    words = (ended.stdout + ended.stderr).split()
    return words[-1] if words else ""


@dataclass(frozen=True)
class Inputs:
    """A workload. It is written into a folder once and built in memory on demand."""

    shape: Shape
    folder: Path
    trec_eval: str = ""

    def of_form(self, form: str) -> Input:
        if form in IN_MEMORY:
            return IN_MEMORY[form](self.shape)
        return written(self.shape, self.folder, form if form in TABLE_FILES else "txt")

    def contestants(self, form: str) -> dict[str, Call]:
        """Calls that return the mean, for this package and the peers that take this form."""
        qrels, run = self.of_form(form)
        calls: dict[str, Call] = {}
        for peer, forms, mean_of in PEERS:
            if peer == "ranx" and not find_spec("ranx"):
                continue
            if any(fnmatch(form, pattern) for pattern in forms):
                calls[peer] = partial(mean_of, qrels, run)
        files = (str(qrels), str(run))
        if form == "processes":
            python = (sys.executable, "-m")
            ours = ("ir_measures_graded", "evaluate", *files, str(MEASURE), "--places=16")
            theirs = ("ir_measures", *files, "nDCG@100", "--places=16")
            calls[OURS] = Command(python + ours)
            calls["ir-measures"] = Command(python + theirs)
        if form in IN_FILES and find_spec("polars"):
            calls[FLOOR] = partial(read_by_polars, qrels, run)
        if self.trec_eval and form in ("files", "processes"):
            calls["trec_eval"] = Command((self.trec_eval, "-m", "ndcg_cut.100", *files))
        return calls


# ---------------------------------------------------------------------------------- measure


def memory(inputs: Inputs, tiny: Inputs, form: str, peer: str) -> Memory:
    """The memory of a contestant. Call it in a new process."""
    tiny.contestants(form)[peer]()
    return memory_of(inputs.contestants(form)[peer])


def measure(name: str, folder: Path, report: Report) -> None:
    """Measure this package and its peers on each form of a workload."""
    shape = SHAPES[name]
    size = f"{shape.topics} topics × {shape.retrieved} retrieved, {shape.judged[1]} judged"
    inputs = Inputs(shape, folder / name, report.arguments.trec_eval)
    tiny = Inputs(TINY, folder / "tiny", report.arguments.trec_eval)
    for form in (*IN_MEMORY, *ON_FILES):
        first_calls = tiny.contestants(form)
        wanted = [peer for peer in first_calls if report.wanted(f"{form}/{peer}")]
        if not wanted:
            continue
        chosen = dict.fromkeys([OURS, *wanted])
        for peer in chosen:
            first_calls[peer]()
        calls = inputs.contestants(form)
        times = report.medians({peer: calls[peer] for peer in chosen})
        del calls  # frees the input of this form
        for peer, seconds in times.items():
            cells = {
                "ms": 1e3 * seconds,
                "ratio": seconds / times[OURS],
                "ns_a_row": 1e9 * seconds / (shape.topics * shape.retrieved),
            }
            if not report.arguments.no_memory:
                needed = in_fresh_process(memory, inputs, tiny, form, peer)
                cells["peak_MB"] = needed.peak / MB
                cells["added_MB"] = needed.added / MB
            report.row(f"{name}: {size}", input=form, peer=peer, **cells)


def main(argv: Sequence[str] | None = None) -> None:
    parser = options(__doc__, SHAPES)
    parser.add_argument(
        "--trec-eval", default="", help="trec_eval's program, built from its C source"
    )
    parser.add_argument("--no-memory", action="store_true", help="measure time alone")
    arguments = parser.parse_args(argv)
    with TemporaryDirectory() as folder, Report(arguments) as report:
        if arguments.trec_eval:
            report.programs["trec_eval"] = version_of_trec_eval(arguments.trec_eval)
        for name in arguments.workloads or ["M"]:
            measure(name, Path(folder), report)


if __name__ == "__main__":
    main()
