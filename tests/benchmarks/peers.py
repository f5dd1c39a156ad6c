"""One measure compared with its peers, on the same input in the same process.

    python tests/benchmarks/peers.py [S M L X] [--only FORM/PEER …] [--trec-eval PATH] [--json FILE]

This package computes nDCG_JK(b=2)@100. The peers compute nDCG@100, except define_byquery and pyNTCIREVAL,
which compute the same measure as this package. Each call receives the qrels and the run in their original
form and returns the mean over topics, so it includes everything that a user pays for. Repetitions are
interleaved. The tables show medians, and `ratio` is a peer's time divided by the time of this package. Each
peer first runs on a tiny input, because compilation and imports must not be timed.

The inputs are those of workloads.py, in memory and in files. Calls on files start from paths and run in this
process: ``files`` are in TREC's form (this form includes the program trec_eval), others are ``parquet``,
``feather`` and ``csv``. ``processes`` runs whole commands on TREC's files, including the start of the
interpreter.

`peak MB` is the peak memory of a new process that makes the call once, including its input and all imports.
`added MB` is the part that the call added.
"""

import argparse
import io
import statistics
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import numpy as np
import pandas
import pytrec_eval
from ir_measures import Measure, nDCG
from measuring import MB, Call, Command, Memory, Report, in_fresh_process, medians, memory_of, options
from workloads import ARROW_FORMS, FORMS, SHAPES, TABLE_FILES, Input, Shape, write, write_tables

from ir_measures_graded import GradedEvaluator, cli, nDCG_JK

OURS = "ir-measures-graded"
MEASURE = nDCG_JK(b=2) @ 100
IN_MEMORY = {**FORMS, **ARROW_FORMS}
ON_FILES = ("files", *TABLE_FILES, "processes")
TINY = Shape(12, 30, (12, 12), (0, 3))  # ranx sets itself to one thread for good below ten topics


def mean(measure: Any, qrels: Any, run: Any) -> float:
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


def ndcg_by_query(qrels: pandas.DataFrame, run: pandas.DataFrame) -> float:
    """The measure as a user of `define_byquery` would write it."""
    gains = dict(zip(qrels["doc_id"], qrels["relevance"]))
    discount = np.maximum(1, np.log2(np.arange(1, 101)))
    own = np.array([gains.get(document, 0) for document in run["doc_id"][:100]])
    ideal = np.sort(qrels["relevance"].to_numpy())[::-1][:100]
    return (own / discount[: own.size]).sum() / (ideal / discount[: ideal.size]).sum()


BY_QUERY = ir_measures.define_byquery(ndcg_by_query, name="nDCG_by_query")


def mean_of_evaluator(qrels: Any, run: Any) -> float:
    return GradedEvaluator([MEASURE], qrels).calc_aggregate(run)[MEASURE]


def mean_of_polars(qrels: Any, run: Any) -> float:
    """The measure as a user of Polars would write it, with a sort and a join."""
    import polars as pl

    def cumulated(gains: Any, order: list[str]) -> Any:
        rank = pl.int_range(1, pl.len() + 1).over("query_id")
        discount = pl.max_horizontal(rank.log(2), 1.0)
        in_order = gains.sort("query_id", *order, descending=[False, *[True] * len(order)])
        listed = in_order.with_columns(discounted=pl.col("relevance") / discount, rank=rank)
        return listed.filter(pl.col("rank") <= 100).group_by("query_id").agg(pl.col("discounted").sum())

    qrels, run = (each if isinstance(each, pl.DataFrame) else pl.from_arrow(each) for each in (qrels, run))
    ids = ["query_id", "doc_id"]
    judged = run.join(qrels, on=ids, how="left").with_columns(pl.col("relevance").fill_null(0))
    own, ideal = cumulated(judged, ["score", "doc_id"]), cumulated(qrels, ["relevance"])
    values = ideal.join(own, on="query_id", how="left", suffix="_of_run").select(
        pl.when(pl.col("discounted") > 0)
        .then(pl.col("discounted_of_run").fill_null(0.0) / pl.col("discounted"))
        .otherwise(0.0)
    )
    return values.to_series().mean()


def mean_of_pytrec_eval(qrels: Any, run: Any) -> float:
    values = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.100"}).evaluate(run)
    return statistics.fmean(value["ndcg_cut_100"] for value in values.values())


def mean_of_ranx(qrels: Any, run: Any) -> float:
    """The mean computed by ranx from dicts or files."""
    from ranx import Qrels, Run, evaluate

    if isinstance(run, Path):
        read = Qrels.from_file(str(qrels), kind="trec"), Run.from_file(str(run), kind="trec")
    else:
        read = Qrels(qrels), Run(run)
    return evaluate(*read, "ndcg@100")


def mean_of_pyntcireval(qrels: Any, run: Any) -> float:
    from pyNTCIREVAL import Labeler
    from pyNTCIREVAL.metrics import nDCG as Metric

    values = []
    for topic, levels in qrels.items():
        labeler = Labeler(levels)
        highest = max(levels.values())
        metric = Metric(labeler.compute_per_level_doc_num(highest + 1), range(1, highest + 1), 2, 100)
        values.append(metric.compute(labeler.label(ranked(run[topic]))))
    return statistics.fmean(values)


def ranked(scores: dict[str, float]) -> list[str]:
    """Documents in trec_eval's order."""
    return sorted(scores, key=lambda document: (scores[document], document), reverse=True)


STRINGS = {"query_id": str, "doc_id": str}


def read_by_pandas(path: Path) -> pandas.DataFrame:
    if path.suffix == ".csv":
        return pandas.read_csv(path, dtype=STRINGS)
    return pandas.read_parquet(path) if path.suffix == ".parquet" else pandas.read_feather(path)


def read_by_polars(path: Path) -> Any:
    import polars

    if path.suffix == ".csv":
        return polars.read_csv(path, schema_overrides=STRINGS)
    return polars.read_parquet(path) if path.suffix == ".parquet" else polars.read_ipc(path)


def mean_of_command(qrels: Path, run: Path, measures: Sequence[Measure] = (MEASURE,)) -> float:
    """The mean of the last measure that the command prints."""
    with redirect_stdout(io.StringIO()) as output:
        status = cli.main(["evaluate", str(qrels), str(run), *map(str, measures), "--places=16"])
    assert status == 0
    return float(output.getvalue().split()[-1])


def read_by_ir_measures(qrels: Path, run: Path) -> Input:
    return ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))


def read_by_pytrec_eval(qrels: Path, run: Path) -> Input:
    with qrels.open() as of_qrels, run.open() as of_run:
        return pytrec_eval.parse_qrel(of_qrels), pytrec_eval.parse_run(of_run)


# ------------------------------------------------------------------------------ contestants


def of(function: Callable[..., float]) -> Callable[[Any, Any], Call]:
    """Make calls of the function with qrels and a run."""
    return partial(partial, function)


def command(module: str, *words: str) -> Callable[[Path, Path], Call]:
    """Make commands of a Python package with files of qrels and a run before the last words."""
    return lambda *files: Command((sys.executable, "-m", module, *words[:-1], *map(str, files), *words[-1:]))


IN_PYTHON = ("frame, *", "dicts*", "tuples")
PEERS: list[tuple[str, str, tuple[str, ...], Callable[..., Call]]] = [
    (OURS, "numpy", IN_PYTHON, of(partial(mean, MEASURE))),
    (OURS, "numpy", tuple(ARROW_FORMS), of(mean_of_evaluator)),
    (OURS, "numpy", ("files", *TABLE_FILES), of(mean_of_command)),
    (OURS, "numpy", ("processes",), command("ir_measures_graded", "evaluate", "--places=16", f"{MEASURE}")),
    ("ir-measures", "numpy", IN_PYTHON, of(partial(mean, nDCG @ 100))),
    ("ir-measures", "numpy", ("files",), of(lambda *files: mean(nDCG @ 100, *read_by_ir_measures(*files)))),
    (
        "ir-measures",
        "numpy",
        (*TABLE_FILES,),
        of(lambda *files: mean(nDCG @ 100, *map(read_by_pandas, files))),
    ),
    ("ir-measures", "numpy", ("processes",), command("ir_measures", "--places=16", "nDCG@100")),
    ("define_byquery", "numpy", ("frame, str", "frame, object"), of(partial(mean, BY_QUERY))),
    ("pytrec_eval", "numpy", ("dicts*",), of(mean_of_pytrec_eval)),
    (
        "pytrec_eval",
        "numpy",
        ("files",),
        of(lambda *files: mean_of_pytrec_eval(*read_by_pytrec_eval(*files))),
    ),
    ("ranx", "ranx", ("dicts*", "files"), of(mean_of_ranx)),
    ("pyNTCIREVAL", "pyNTCIREVAL", ("dicts*",), of(mean_of_pyntcireval)),
    ("Polars", "polars", tuple(ARROW_FORMS), of(mean_of_polars)),
    ("Polars", "polars", (*TABLE_FILES,), of(lambda *files: mean_of_polars(*map(read_by_polars, files)))),
]
"""The name of each contestant, the module that it needs, its forms of input, and the maker of its calls."""


def contestants(form: str, qrels: Any, run: Any, trec_eval: str | None = None) -> dict[str, Call]:
    """Calls that return the mean, for this package and the installed peers that take this form of input."""
    calls = {
        peer: call_of(qrels, run)
        for peer, module, forms, call_of in PEERS
        if find_spec(module) and any(fnmatch(form, each) for each in forms)
    }
    if trec_eval and form in ("files", "processes"):
        calls["trec_eval"] = Command((trec_eval, "-m", "ndcg_cut.100", str(qrels), str(run)))
    return calls


# ---------------------------------------------------------------------------------- measure


@dataclass(frozen=True)
class Inputs:
    """A workload. It is written into a folder once and built in memory on demand."""

    shape: Shape
    folder: Path

    def of_form(self, form: str) -> Input:
        if form in IN_MEMORY:
            return IN_MEMORY[form](self.shape)
        kind = form if form in TABLE_FILES else "txt"
        paths = self.folder / f"qrels.{kind}", self.folder / f"run.{kind}"
        if paths[1].exists():
            return paths
        return (
            write(self.shape, self.folder) if kind == "txt" else write_tables(self.shape, self.folder, kind)
        )

    def contestants(self, form: str, trec_eval: str | None = None) -> dict[str, Call]:
        return contestants(form, *self.of_form(form), trec_eval)


def memory(inputs: Inputs, tiny: Inputs, form: str, peer: str, trec_eval: str | None) -> Memory:
    """The memory of a contestant in the calling process."""
    tiny.contestants(form, trec_eval)[peer]()
    return memory_of(inputs.contestants(form, trec_eval)[peer])


def measure(name: str, folder: Path, arguments: argparse.Namespace, report: Report) -> None:
    """Measure this package and its peers on each form of a workload."""
    shape, trec_eval = SHAPES[name], arguments.trec_eval
    inputs, tiny = Inputs(shape, folder / name), Inputs(TINY, folder / "tiny")
    for form in (*IN_MEMORY, *ON_FILES):
        if not wanted(arguments.only, form):
            continue
        for call in tiny.contestants(form, trec_eval).values():
            call()
        calls = inputs.contestants(form, trec_eval)
        for peer in [peer for peer in calls if peer != OURS and not wanted(arguments.only, form, peer)]:
            del calls[peer]
        seconds = medians(calls, arguments.repeat, arguments.patience)
        del calls, call  # frees the input of this form
        for peer in seconds:
            needed = None
            if not arguments.no_memory:
                needed = in_fresh_process(memory, inputs, tiny, form, peer, trec_eval)
            report.row(
                f"{name}: {shape.topics} topics × {shape.retrieved} retrieved, {shape.judged[1]} judged",
                input=form,
                peer=peer,
                ms=1e3 * seconds[peer],
                ratio=seconds[peer] / seconds[OURS],
                peak_MB=needed and needed.peak / MB,
                added_MB=needed and needed.added / MB,
            )


def wanted(only: list[str], form: str, peer: str | None = None) -> bool:
    """Whether `only` selects a form, or a peer on it; an empty `only` selects everything."""
    patterns = [pattern.partition("/") for pattern in only] or [("*", "/", "*")]
    return any(
        fnmatch(form, forms) and (peer is None or fnmatch(peer, peers or "*")) for forms, _, peers in patterns
    )


def main(argv: Sequence[str] | None = None) -> None:
    parser = options(__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="S, M, L, X; default: S and M")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="FORM/PEER", help="such as files 'dicts*/ranx'"
    )
    parser.add_argument("--trec-eval", metavar="PATH", help="trec_eval's program, built from its C source")
    parser.add_argument("--no-memory", action="store_true", help="measure time only")
    arguments = parser.parse_args(argv)
    if unknown := set(arguments.workloads) - set(SHAPES):
        parser.error(f"no workload {', '.join(sorted(unknown))}; there are {', '.join(SHAPES)}")
    with TemporaryDirectory() as folder, Report(arguments) as report:
        for name in arguments.workloads or ["S", "M"]:
            measure(name, Path(folder), arguments, report)


if __name__ == "__main__":
    main()
