"""Time and memory of this package as the input grows; each point runs in a new process.

    python tests/benchmarks/growth.py [--rows MOST] [--json FILE]

The first series has more and more topics like those of workload L, from 50 thousand to 70 million rows.
The second has ten longer and longer topics, with 1,000 to a million retrieved documents and a tenth as many
judged ones. The input is a frame of Arrow-backed strings in memory, or files read in this process, or files
read by the whole command. If the cost is linear, the nanoseconds per row are constant; within a topic they
grow no faster than the logarithm of its length. `added MB` is the memory that the call needs beyond its
input, or the memory of the command's whole process. 70 million rows take 2.2 GB of disk.
"""

import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring import MB, Report, in_fresh_process, options
from workloads import SHAPES, Shape

from peers import OURS, TINY, Inputs, measured

SERIES = {
    "More topics": [replace(SHAPES["L"], topics=topics) for topics in (50, 500, 5_000, 6_980, 70_000)],
    "Longer topics": [
        Shape(10, size, (size // 10, size // 10), (0, 3)) for size in (10**3, 10**4, 10**5, 10**6)
    ],
}


def measure(title: str, shape: Shape, rows: int, folder: Path, report: Report) -> None:
    """Add a row for each form of an input."""
    inputs, tiny = Inputs(shape, folder / "it"), Inputs(TINY, folder / "tiny")
    inputs.of_form("files")  # written here, so that no process that is measured does it
    for form in filter(report.wanted, ("frame, str", "files", "processes")):
        memory, times = in_fresh_process(measured, inputs, tiny, form, OURS, report.arguments.repeat)
        time = statistics.median(times)
        report.row(
            title,
            input=form,
            topics=shape.topics,
            rows=rows,
            ms=1e3 * time,
            ns_a_row=1e9 * time / rows,
            peak_MB=memory.peak / MB,
            added_MB=memory.added / MB,
            bytes_a_row=memory.added / rows,
        )


def main(argv: Sequence[str] | None = None) -> None:
    arguments = options(__doc__, argv, repeat=(3, "repetitions"), rows=(70_000_000, "the most rows"))
    with Report(arguments) as report:
        for title, shapes in SERIES.items():
            for shape in shapes:
                rows = shape.topics * shape.retrieved
                if rows <= arguments.rows:
                    with TemporaryDirectory() as folder:
                        measure(title, shape, rows, Path(folder), report)


if __name__ == "__main__":
    main()
