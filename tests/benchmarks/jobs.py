"""When worker processes pay: `evaluate` of many files of runs with one and with two jobs.

    python tests/benchmarks/jobs.py [--only CASE …] [--repeat N] [--json FILE]

CASE is a key of `CASES`. The runs of a case are one file under many names. The commands take turns.
`s 1` are the least seconds of the whole command with one job, and `CPU s 1` those of the
processor, of all processes. On a machine with other work, a second process waits for its core.
"""

import gzip
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from measuring import Report, options
from workloads import Shape, written

MEASURES = ("nDCG@10", "AP")
JOBS = (1, 2)


@dataclass(frozen=True)
class Case:
    """The number of files of runs, the shape of each, and whether gzip compresses them."""

    files: int
    shape: Shape
    compressed: bool = False


SMALL = Shape(50, 40, (60, 60), (0, 3))
MIDDLE = Shape(70, 1000, (100, 100), (0, 3))
LARGE = Shape(350, 1000, (100, 100), (0, 3))
CASES = {
    "100 files of 2.2 MB": Case(100, MIDDLE),
    "100 files of 2.2 MB, compressed with gzip": Case(100, MIDDLE, compressed=True),
    "20 files of 11 MB": Case(20, LARGE),
    "20 files of 2.2 MB": Case(20, MIDDLE),
    "5 files of 60 kB": Case(5, SMALL),
}


def prepared(case: Case, folder: Path) -> list[str]:
    """The words of the command for the files of the case, which are written."""
    qrels, run = written(case.shape, folder / "one")
    if case.compressed:
        packed = folder / "run.txt.gz"
        packed.write_bytes(gzip.compress(run.read_bytes(), 6))
        run = packed
    paths = []
    for number in range(case.files):
        path = folder / f"run{number:03}.txt"
        path.symlink_to(run)
        paths.append(str(path))
    return [str(qrels), *paths, *MEASURES]


def used(words: Sequence[str], jobs: int) -> tuple[float, float]:
    """The seconds and the processor's seconds of the command."""
    command = [sys.executable, "-m", "ir_measures_graded", "evaluate", *words, "--jobs", str(jobs)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    seconds = perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    of_processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, of_processor


def measure(name: str, case: Case, report: Report) -> None:
    """Measure a case and add its row."""
    least = {jobs: (float("inf"), float("inf")) for jobs in JOBS}
    with TemporaryDirectory() as folder:
        words = prepared(case, Path(folder))
        for _ in range(report.arguments.repeat):
            for jobs in JOBS:
                seconds, of_processor = used(words, jobs)
                least[jobs] = (min(least[jobs][0], seconds), min(least[jobs][1], of_processor))
    cells: dict[str, float] = {}
    for jobs, (seconds, of_processor) in least.items():
        cells[f"s_{jobs}"] = seconds
        cells[f"CPU_s_{jobs}"] = of_processor
    report.row("Worker processes", runs=name, **cells)


def main(argv: Sequence[str] | None = None, cases: Mapping[str, Case] = CASES) -> None:
    parser = options(__doc__)
    parser.set_defaults(repeat=3)
    with Report(parser.parse_args(argv)) as report:
        for name in filter(report.wanted, cases):
            measure(name, cases[name], report)


if __name__ == "__main__":
    main()
