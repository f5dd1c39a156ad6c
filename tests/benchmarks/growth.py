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

from measuring import MB, Memory, Report, in_fresh_process, memory_of, options, seconds
from workloads import SHAPES, Shape

from peers import OURS, TINY, Inputs

SERIES = {
    "More topics": [replace(SHAPES["L"], topics=topics) for topics in (50, 500, 5_000, 6_980, 70_000)],
    "Longer topics": [
        Shape(10, size, (size // 10, size // 10), (0, 3)) for size in (10**3, 10**4, 10**5, 10**6)
    ],
}


def point(inputs: Inputs, tiny: Inputs, form: str, repeat: int) -> tuple[float, Memory]:
    """The median seconds and the memory of this package. Call it in a new process."""
    tiny.contestants(form)[OURS]()
    call = inputs.contestants(form)[OURS]
    memory = memory_of(call)
    return statistics.median(seconds(call) for _ in range(repeat)), memory


def measure(title: str, shape: Shape, folder: Path, repeat: int, report: Report) -> None:
    """Add a row for each form of an input."""
    inputs, tiny = Inputs(shape, folder / "it"), Inputs(TINY, folder / "tiny")
    rows = shape.topics * shape.retrieved
    inputs.of_form("files")  # written here, so that no process that is measured does it
    for form in ("frame, str", "files", "processes"):
        time, memory = in_fresh_process(point, inputs, tiny, form, repeat)
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
    parser = options(__doc__, repeat=3)
    parser.add_argument("--rows", type=int, default=70_000_000, help="the most rows; default: 70 million")
    arguments = parser.parse_args(argv)
    with Report(arguments) as report:
        for title, shapes in SERIES.items():
            for shape in shapes:
                if shape.topics * shape.retrieved <= arguments.rows:
                    with TemporaryDirectory() as folder:
                        measure(title, shape, Path(folder), arguments.repeat, report)


if __name__ == "__main__":
    main()
