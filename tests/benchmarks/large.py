"""Time and memory for runs in any order, up to those that do not fit into memory, each in a fresh process.

    python tests/benchmarks/large.py [--rows ROWS …] [--only WAY …] [--json FILE]

A topic retrieves a thousand documents and has ten judged documents, five of which are retrieved. The rows of
the run are interleaved: no two rows of a topic stand together. `evaluate` reads Parquet files by DuckDB and,
for comparison, groups all rows in memory. `evaluate_batches` takes the same rows, grouped by topic in memory
beforehand, in batches of 2,000 topics and in batches of one topic. Spark does so with `local[2]`, if PySpark
and Java are there; it holds the rows in other processes, which are not measured. `CPU s` are the seconds of
all threads of the process.
"""

import os
import sys
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from time import process_time

import duckdb
import pyarrow
from measuring import MB, Memory, Report, in_fresh_process, memory_of, options, seconds
from pyarrow import parquet

from ir_measures_graded.analysis import evaluate
from ir_measures_graded.evaluation.batches import evaluate_batches
from ir_measures_graded.inputs import out_of_core

MEASURE = "nDCG_JK(b=2)@100"
RETRIEVED, BUCKET = 1_000, 2_000
DOCUMENT = "'d' || (10000000 + (topic * 37 + number * 104729) % 8999993) AS doc_id"
IN_MEMORY = 10_000_000
"""The most rows that are evaluated in other ways than by DuckDB."""


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


def by_evaluate(folder: Path, in_memory: int) -> None:
    out_of_core.IN_MEMORY = in_memory
    evaluate(folder / "qrels.parquet", {"run": folder / "run.parquet"}, [MEASURE])


def by_batches(batches: Sequence[tuple[pyarrow.Table, pyarrow.Table]]) -> None:
    for qrels, run in batches:
        evaluate_batches(MEASURE, qrels, [run])


def by_spark(folder: Path, topics: int) -> None:
    from pyspark.sql import SparkSession

    from ir_measures_graded.integrations import spark as graded

    session = SparkSession.builder.getOrCreate()
    qrels, run = (session.read.parquet(str(folder / f"{name}.parquet")) for name in ("qrels", "run"))
    graded.aggregate(MEASURE, qrels, run, topics_per_bucket=topics).collect()


def batches_of(folder: Path, topics: int) -> list[tuple[pyarrow.Table, pyarrow.Table]]:
    """Qrels and run in batches of so many topics; qrels have 10 rows a topic."""
    sorted_by_topic = [
        parquet.read_table(folder / f"{name}.parquet").sort_by("query_id") for name in ("qrels", "run")
    ]
    qrels, run = (table.combine_chunks() for table in sorted_by_topic)
    return [
        (qrels.slice(start * 10, topics * 10), run.slice(start * RETRIEVED, topics * RETRIEVED))
        for start in range(0, len(qrels) // 10, topics)
    ]


def measured(way: str, folder: Path) -> tuple[float, float, Memory]:
    """The seconds, the processor's seconds and the memory of one evaluation, for a fresh process."""
    ways: dict[str, Callable[[], Callable[[], None]]] = {
        DUCKDB: lambda: partial(by_evaluate, folder, 0),
        MEMORY: lambda: partial(by_evaluate, folder, sys.maxsize),
        BATCHES: lambda: partial(by_batches, batches_of(folder, BUCKET)),
        TOPICS: lambda: partial(by_batches, batches_of(folder, 1)),
        SPARK: lambda: started_spark(partial(by_spark, folder, BUCKET)),
        SPARK_TOPICS: lambda: started_spark(partial(by_spark, folder, 1)),
    }
    call = ways[way]()
    times: list[float] = []
    used = process_time()
    memory = memory_of(lambda: times.append(seconds(call)))
    return times[0], process_time() - used, memory


def started_spark(call: Callable[[], None]) -> Callable[[], None]:
    """The call, in a Spark that has started and has imported this package."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g")
    builder.config("spark.ui.enabled", "false").config("spark.log.level", "OFF").getOrCreate()
    with TemporaryDirectory() as folder:
        write(Path(folder), 10 * RETRIEVED)
        by_spark(Path(folder), BUCKET)
    return call


DUCKDB, MEMORY = "evaluate, DuckDB", "evaluate, in memory"
BATCHES, TOPICS = "evaluate_batches, 2,000 topics", "evaluate_batches, one topic"
SPARK, SPARK_TOPICS = "Spark, 2,000 topics a call", "Spark, one topic a call"


def main(argv: Sequence[str] | None = None) -> None:
    parser = options(__doc__, repeat=1)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7, 10**8], help="numbers of rows")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="WAY", help="ways, as in 'evaluate, *'")
    parser.add_argument("--folder", help="folder for the files; default: the system's for temporary files")
    arguments = parser.parse_args(argv)
    others = [MEMORY, BATCHES, TOPICS]
    if find_spec("pyspark") and which("java"):
        others += [SPARK, SPARK_TOPICS]
    with Report(arguments) as report:
        for rows in arguments.rows:
            with TemporaryDirectory(dir=arguments.folder) as folder:
                write(Path(folder), rows)
                ways = [DUCKDB, *(others if rows <= IN_MEMORY else [])]
                for way in (way for way in ways if any(fnmatch(way, only) for only in arguments.only)):
                    results = [in_fresh_process(measured, way, Path(folder)) for _ in range(arguments.repeat)]
                    time, used, memory = min(results, key=lambda result: result[0])
                    here = way not in (SPARK, SPARK_TOPICS)
                    report.row(
                        "Rows in any order",
                        what=way,
                        rows=rows,
                        topics=rows // RETRIEVED,
                        s=time,
                        CPU_s=used if here else None,
                        peak_MB=memory.peak / MB if here else None,
                    )


if __name__ == "__main__":
    main()
