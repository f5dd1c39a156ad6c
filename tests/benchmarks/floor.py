"""How far the evaluation of a form is from the least work that reading it takes.

    python tests/benchmarks/floor.py [M L …] [--rounds N]

The least work is to read the bytes, to find the fields or decode the columns, and to touch each id
once: its first eight bytes are read as a number and hashed. pyarrow finds fields and decodes
columns, in one thread. A dict has its ids as Python strings, which are joined and encoded. The
times are the least processor times of calls in turns: of each step with those before it, and of the
evaluation (nDCG_JK@10), which includes them.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import ir_measures
import numpy as np
import pyarrow as pa
from kept import MEASURE
from pyarrow import csv, parquet
from workloads import FORMS, SHAPES, Shape, written

from ir_measures_graded import analysis
from ir_measures_graded.core.rows.id_matching import Ids, hashes_of

FIELDS = {
    "qrels": ["query_id", "iteration", "doc_id", "relevance"],
    "run": ["query_id", "Q0", "doc_id", "rank", "score", "tag"],
}
BLOCK = 1 << 20  # bytes read at once, as by the package
ROWS = 1 << 16  # rows decoded at once

Steps = dict[str, Callable[[], Any]]


def touched(columns: Iterator[Any]) -> None:
    for ids in columns:
        hashes_of(ids)


def blocks(path: Path) -> Iterator[bytes]:
    """Whole lines of a file."""
    with path.open("rb") as file:
        rest = b""
        while block := rest + file.read(BLOCK):
            end = block.rfind(b"\n") + 1
            yield block[:end]
            rest = block[end:]


def parsed(path: Path) -> Iterator[pa.Table]:
    fields = FIELDS[path.stem]
    wanted = ["query_id", "doc_id", fields[4] if path.stem == "run" else fields[3]]
    types = {"query_id": pa.string(), "doc_id": pa.string(), wanted[2]: pa.float64()}
    for block in blocks(path):
        yield csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=fields),
            csv.ParseOptions(delimiter=" ", quote_char=False),
            csv.ConvertOptions(check_utf8=False, column_types=types, include_columns=wanted),
        )


def decoded(path: Path) -> Iterator[pa.RecordBatch]:
    file = parquet.ParquetFile(path, read_dictionary=["query_id"])
    yield from file.iter_batches(ROWS, use_threads=False)


def documents(tables: Iterator[Any]) -> Iterator[Ids]:
    for table in tables:
        column = table.column("doc_id")
        for chunk in getattr(column, "chunks", [column]):
            yield Ids.of_arrow(chunk)


def on_files(paths: Sequence[Path], each: Callable[[Path], Iterator[Any]]) -> None:
    for path in paths:
        for _ in each(path):
            pass


def steps_of_text(shape: Shape, folder: Path) -> Steps:
    paths = written(shape, folder)
    return {
        "bytes read": lambda: on_files(paths, blocks),
        "fields found": lambda: on_files(paths, parsed),
        "each id touched": lambda: [touched(documents(parsed(path))) for path in paths],
        "evaluation": evaluation_of_files(paths),
    }


def steps_of_parquet(shape: Shape, folder: Path) -> Steps:
    paths = written(shape, folder, "parquet")
    return {
        "columns decoded": lambda: on_files(paths, decoded),
        "each id touched": lambda: [touched(documents(decoded(path))) for path in paths],
        "evaluation": evaluation_of_files(paths),
    }


def evaluation_of_files(paths: Sequence[Path]) -> Callable[[], Any]:
    qrels, run = map(str, paths)
    measure = ir_measures.parse_measure(MEASURE)
    return lambda: analysis.evaluate(qrels, {"run": run}, [measure])


def steps_of_dicts(shape: Shape, folder: Path) -> Steps:
    qrels, run = FORMS["dicts"](shape)
    measure = ir_measures.parse_measure(MEASURE)
    return {
        "ids encoded": lambda: [encoded(side) for side in (qrels, run)],
        "values read": lambda: [(encoded(side), numbers(side)) for side in (qrels, run)],
        "each id touched": lambda: [
            (touched(iter([encoded(side)])), numbers(side)) for side in (qrels, run)
        ],
        "evaluation": lambda: ir_measures.calc_aggregate([measure], qrels, run),
    }


def encoded(side: Mapping[str, Mapping[str, Any]]) -> Ids:
    return Ids.of_pieces(list(side.values()))


def numbers(side: Mapping[str, Mapping[str, Any]]) -> list[np.ndarray]:
    return [np.fromiter(rows.values(), np.float64, len(rows)) for rows in side.values()]


FORMS_MEASURED = {"text": steps_of_text, "Parquet": steps_of_parquet, "dicts": steps_of_dicts}


def least_times(steps: Steps, rounds: int) -> dict[str, float]:
    """The least processor time of each step, in milliseconds."""
    least = dict.fromkeys(steps, np.inf)
    for _ in range(rounds):
        for name, call in steps.items():
            start = process_time()
            call()
            least[name] = min(least[name], 1000 * (process_time() - start))
    return least


def main(argv: Sequence[str] | None = None, shapes: Mapping[str, Shape] = SHAPES) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = f"of {', '.join(shapes)}; default: M"
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=names)
    parser.add_argument("--rounds", type=int, default=15, help="measurements of each step")
    arguments = parser.parse_args(argv)
    unknown = set(arguments.workloads).difference(shapes)
    if unknown:
        parser.error(f"WORKLOAD is {names}, not {', '.join(sorted(unknown))}")
    print("| workload | form | step | ms | of the evaluation |\n|---|---|---|--:|--:|")
    for workload in arguments.workloads or ["M"]:
        for form, steps_of in FORMS_MEASURED.items():
            with TemporaryDirectory() as folder:
                steps = steps_of(shapes[workload], Path(folder))
                least = least_times(steps, arguments.rounds)
            for step, time in least.items():
                share = time / least["evaluation"]
                print(f"| {workload} | {form} | {step} | {time:,.1f} | {share:.0%} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
