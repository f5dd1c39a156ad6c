"""Time and memory for runs in any order, up to those that do not fit into memory, each in a fresh process.

    python tests/benchmarks/large.py [--rows ROWS …] [--only WAY …] [--json FILE]

A topic retrieves a thousand documents and has ten judged documents, five of which are retrieved. The rows
of the run are interleaved: no two rows of a topic stand together. `evaluate` groups the rows of Parquet
files by temporary files and, for comparison, in memory. `evaluate_batches` takes the same rows, grouped by
topic in memory beforehand, in batches of 2,000 topics and in batches of one topic. Spark does so with
`local[2]`, if PySpark and Java are there; it holds the rows in other processes, which are not measured.
`CPU s` are the seconds of all threads of the process.
"""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory, gettempdir
from time import process_time

import duckdb
from measuring import MB, Call, Memory, Report, in_fresh_process, memory_of, options, seconds
from pyarrow import parquet

from ir_measures_graded import RunFile
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.evaluation.batches import evaluate_batches
from ir_measures_graded.files.content import Sizes

MEASURE = "nDCG_JK(b=2)@100"
RETRIEVED, BUCKET = 1_000, 2_000
DOCUMENT = "'d' || (10000000 + (topic * 37 + number * 104729) % 8999993) AS doc_id"
IN_MEMORY = 10_000_000
"""The most rows that are evaluated in other ways than by temporary files."""


def write(folder: Path, rows: int) -> None:
    """Qrels and a run of that many rows, as Parquet."""
    topics = rows // RETRIEVED
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT 'q' || topic AS query_id, {DOCUMENT}, (hash(row) % 1000000) / 1000 AS score "
            f"FROM (SELECT range AS row, range % {topics} AS topic, range // {topics} AS number "
            f"FROM range({rows}))) "
            f"TO '{folder / 'run.parquet'}'"
        )
        connection.execute(
            f"COPY (SELECT 'q' || topic AS query_id, {DOCUMENT}, number % 4 AS relevance FROM "
            f"(SELECT range // 10 AS topic, (range % 10) * 199 AS number FROM range({10 * topics}))) "
            f"TO '{folder / 'qrels.parquet'}'"
        )


def evaluated(folder: Path, in_memory: int) -> Call:
    def call() -> None:
        run = RunFile(folder / "run.parquet")
        run.sizes = Sizes(grouped=in_memory)
        evaluate(folder / "qrels.parquet", {"run": run}, [MEASURE])

    return call


def in_batches(folder: Path, topics: int) -> Call:
    """Batches of so many topics, grouped beforehand; qrels have 10 rows a topic."""
    qrels, run = (
        parquet.read_table(folder / f"{name}.parquet").sort_by("query_id").combine_chunks()
        for name in ("qrels", "run")
    )
    batches = [
        (qrels.slice(start * 10, topics * 10), run.slice(start * RETRIEVED, topics * RETRIEVED))
        for start in range(0, len(qrels) // 10, topics)
    ]

    def call() -> None:
        for judged, listed in batches:
            evaluate_batches(MEASURE, judged, [listed])

    return call


def in_spark(folder: Path, topics: int) -> Call:
    """An evaluation in a Spark that has started and has imported this package."""
    from pyspark.sql import SparkSession

    from ir_measures_graded.integrations import spark as graded

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g")
    session = builder.config("spark.ui.enabled", "false").config("spark.log.level", "OFF").getOrCreate()

    def call(folder: Path, topics: int) -> None:
        qrels, run = (session.read.parquet(str(folder / f"{name}.parquet")) for name in ("qrels", "run"))
        graded.evaluate(MEASURE, qrels, run, topics_per_bucket=topics).collect()

    with TemporaryDirectory() as small:
        write(Path(small), 10 * RETRIEVED)
        call(Path(small), BUCKET)
    return partial(call, folder, topics)


WAYS: dict[str, tuple[Callable[[Path, int], Call], int]] = {
    "evaluate, temporary files": (evaluated, 0),
    "evaluate, in memory": (evaluated, sys.maxsize),
    "evaluate_batches, 2,000 topics": (in_batches, BUCKET),
    "evaluate_batches, one topic": (in_batches, 1),
    "Spark, 2,000 topics a call": (in_spark, BUCKET),
    "Spark, one topic a call": (in_spark, 1),
}


def measured(way: str, folder: Path) -> tuple[float, float, Memory]:
    """The seconds, the processor's seconds and the memory of one evaluation, for a fresh process."""
    prepare, size = WAYS[way]
    call = prepare(folder, size)
    times: list[float] = []
    used = process_time()
    memory = memory_of(lambda: times.append(seconds(call)))
    return times[0], process_time() - used, memory


def main(argv: Sequence[str] | None = None) -> None:
    arguments = options(
        __doc__,
        argv,
        repeat=(1, "repetitions"),
        rows=([10**6, 10**7, 10**8], "numbers of rows"),
        folder=(gettempdir(), "folder for the files"),
    )
    spark = find_spec("pyspark") and which("java")
    with Report(arguments) as report:
        for rows in arguments.rows:
            with TemporaryDirectory(dir=arguments.folder) as folder:
                write(Path(folder), rows)
                for way in filter(report.wanted, WAYS):
                    elsewhere = way.startswith("Spark")
                    if (elsewhere and not spark) or (rows > IN_MEMORY and "temporary" not in way):
                        continue
                    results = [in_fresh_process(measured, way, Path(folder)) for _ in range(arguments.repeat)]
                    time, used, memory = min(results, key=lambda result: result[0])
                    report.row(
                        "Rows in any order",
                        what=way,
                        rows=rows,
                        topics=rows // RETRIEVED,
                        s=time,
                        CPU_s=None if elsewhere else used,
                        peak_MB=None if elsewhere else memory.peak / MB,
                    )


if __name__ == "__main__":
    main()
