"""Time and memory of long runs in any order and of analyses of a track, in fresh processes.

    python tests/benchmarks/large.py [--only CASE …] [--json FILE]

CASE is a key of `CASES`. In the cases with a number of rows, a topic retrieves a thousand documents
and has ten judged documents, five of which are retrieved. The rows of the run are interleaved: no
two rows of a topic stand together. `evaluate` groups up to ten million rows in memory, and more by
DuckDB in temporary files. `evaluate_batches` takes the same rows, grouped by topic in memory
beforehand, in batches of 2,000 topics. `CPU s` are the seconds of all threads of the process.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from time import process_time
from typing import Any

import duckdb
import numpy as np
from measuring import MB, Call, Memory, Report, in_fresh_process, memory_of, options, seconds
from pyarrow import parquet

from ir_measures_graded import RunFile, analysis, nDCG_JK
from ir_measures_graded.analysis import Evaluation
from ir_measures_graded.evaluation.batches import evaluate_batches

MEASURE = "nDCG_JK(b=2)@100"
RETRIEVED = 1_000
DOCUMENT = "'d' || (10000000 + (topic * 37 + number * 104729) % 8999993) AS doc_id"


def write(folder: Path, rows: int) -> None:
    """Qrels and a run of that many rows, as Parquet."""
    topics = rows // RETRIEVED
    retrieved = f"""
        SELECT range AS row, range % {topics} AS topic, range // {topics} AS number
        FROM range({rows})
    """
    run = f"""
        SELECT 'q' || topic AS query_id, {DOCUMENT}, (hash(row) % 1000000) / 1000 AS score
        FROM ({retrieved})
    """
    judged = f"""
        SELECT range // 10 AS topic, (range % 10) * 199 AS number
        FROM range({10 * topics})
    """
    qrels = f"""
        SELECT 'q' || topic AS query_id, {DOCUMENT}, number % 4 AS relevance
        FROM ({judged})
    """
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({run}) TO '{folder / 'run.parquet'}'")
        connection.execute(f"COPY ({qrels}) TO '{folder / 'qrels.parquet'}'")


def evaluated(folder: Path, _: int) -> Call:
    run = RunFile(folder / "run.parquet")
    return partial(analysis.evaluate, folder / "qrels.parquet", {"run": run}, [MEASURE])


def in_batches(folder: Path, topics: int) -> Call:
    """Batches of so many topics, grouped beforehand; qrels have 10 rows a topic."""
    qrels = parquet.read_table(folder / "qrels.parquet").sort_by("query_id").combine_chunks()
    run = parquet.read_table(folder / "run.parquet").sort_by("query_id").combine_chunks()
    batches = []
    for start in range(0, len(qrels) // 10, topics):
        judged = qrels.slice(start * 10, topics * 10)
        retrieved = run.slice(start * RETRIEVED, topics * RETRIEVED)
        batches.append((judged, retrieved))
    return lambda: [evaluate_batches(MEASURE, judged, [listed]) for judged, listed in batches]


Collection = tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]


def collection(
    runs: int, topics: int, documents: int, judged: int, levels: tuple[int, ...]
) -> Collection:
    """Qrels, and runs that retrieve `documents` of about twice as many; good runs rank by level."""
    random = np.random.default_rng(47)
    qrels: dict[str, dict[str, int]] = {}
    rankings: list[dict[str, dict[str, float]]] = [{} for _ in range(runs)]
    for topic in map(str, range(1, topics + 1)):
        judged_levels = random.choice(levels, judged)
        qrels[topic] = {f"d{number}": int(level) for number, level in enumerate(judged_levels)}
        gain = np.zeros(2 * documents)
        gain[: min(judged, gain.size)] = judged_levels[: gain.size]
        for number, ranking in enumerate(rankings):
            noise = 2 * random.random(gain.size)
            score = np.round(gain * number / runs + noise, 2)  # some are tied
            best = np.argsort(-score)[:documents].tolist()
            ranking[topic] = {f"d{document}": float(score[document]) for document in best}
    return qrels, {f"run{number:03}": ranking for number, ranking in enumerate(rankings)}


def leaderboard(systems: int, topics: int = 50) -> Evaluation:
    """Values of systems that differ in quality, on topics that differ in difficulty."""
    random = np.random.default_rng(47)
    quality = np.linspace(0.2, 0.6, systems)[:, None]
    ease = random.normal(0, 0.1, topics)
    values = random.normal(quality + ease, 0.1).clip(0, 1)
    names = tuple(f"system{number:03}" for number in range(systems))
    topic_names = tuple(map(str, range(topics)))
    return Evaluation(names, (nDCG_JK @ 10,), topic_names, values[:, None])


def track() -> Collection:
    return collection(100, topics=50, documents=100, judged=60, levels=(0, 0, 0, 1, 1, 2, 3))


def draw(result: Any) -> None:
    """Draw the figure of a result as a file."""
    with TemporaryDirectory() as folder:
        result.save(Path(folder) / "figure.png")


def of_rows(way: Callable[[Path, int], Call], size: int, rows: int, folder: Path) -> Call:
    write(folder, rows)
    return way(folder, size)


SMALL = 10 * RETRIEVED
WAYS: dict[str, tuple[Callable[[Path, int], Call], int, tuple[int, ...]]] = {
    "evaluate, in memory": (evaluated, 0, (SMALL, 10**6, 10**7)),
    "evaluate, by DuckDB": (evaluated, 0, (3 * 10**7, 10**8)),
    "evaluate_batches, 2,000 topics": (in_batches, 2000, (SMALL, 10**7)),
}


def report(_: Path) -> Call:
    qrels, runs = track()
    return lambda: analysis.report(qrels, runs, ["nDCG_JK@10", "ERR_G@10", "AP"]).html


def curves(_: Path) -> Call:
    qrels, runs = track()
    return lambda: draw(analysis.curves(qrels, runs, "nDCG_JK@100"))


def ranges_of_many_topics(_: Path) -> Call:
    qrels, runs = collection(5, 6980, 50, 1, (1,))
    return partial(analysis.ranges, qrels, runs, ["nDCG_JK@10"])


def ranges_of_two_cutoffs(_: Path) -> Call:
    qrels, runs = collection(24, 53, 100, 150, (0, 0, 1, 2, 3))
    return partial(analysis.ranges, qrels, runs, ["nDCG_JK(b=2)@10", "nDCG_JK(b=2)@20"])


def figure_of_compare(_: Path) -> Call:
    return partial(draw, analysis.compare(leaderboard(100)))


def text_of_compare(_: Path) -> Call:
    values = leaderboard(500)
    return lambda: str(analysis.compare(values))


def text_of_power(_: Path) -> Call:
    values = leaderboard(500)
    return lambda: str(analysis.power(values))


CASES: dict[str, Callable[[Path], Call]] = {
    f"{name}, {number:,} rows": partial(of_rows, way, size, number)
    for name, (way, size, rows) in WAYS.items()
    for number in rows
}
CASES |= {
    "report, 100 runs × 50 topics × 3 measures": report,
    "curves, 100 runs, with the figure": curves,
    "ranges, 5 runs × 6,980 topics": ranges_of_many_topics,
    "ranges, 24 runs × 53 topics, two cutoffs": ranges_of_two_cutoffs,
    "compare, 100 systems, the figure": figure_of_compare,
    "compare, 500 systems, the text": text_of_compare,
    "power, 500 systems, the text": text_of_power,
}
"""For each case the function that prepares its call in a folder."""


def measured(case: str, folder: str) -> tuple[float, float, Memory]:
    """The seconds, the processor's seconds and the memory of a call, for a fresh process."""
    with TemporaryDirectory(dir=folder) as own:
        call = CASES[case](Path(own))
        times: list[float] = []
        used = process_time()
        memory = memory_of(lambda: times.append(seconds(call)))
        return times[0], process_time() - used, memory


def main(argv: Sequence[str] | None = None) -> None:
    parser = options(__doc__)
    parser.add_argument("--folder", default=gettempdir(), help="folder for the files")
    parser.set_defaults(repeat=1)
    arguments = parser.parse_args(argv)
    with Report(arguments) as report:
        for case in filter(report.wanted, CASES):
            results = [
                in_fresh_process(measured, case, arguments.folder) for _ in range(arguments.repeat)
            ]
            time, used, memory = min(results, key=lambda result: result[0])
            report.row("Large work", case=case, s=time, CPU_s=used, peak_MB=memory.peak / MB)


if __name__ == "__main__":
    main()
