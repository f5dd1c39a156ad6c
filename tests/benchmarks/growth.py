"""Time and memory of ours as the input grows, each point in a fresh process.

    python tests/benchmarks/growth.py [--rows MOST] [--json FILE]

First more topics, each as in workload L, from 50 thousand rows to 70 million; then longer topics, ten of
1,000 to a million retrieved documents, a tenth as many judged. As frames of Arrow-backed strings, which
are in memory already, from files in this process, and by the whole command. Where cost is linear,
nanoseconds a row stay the same; within a topic they grow no faster than the logarithm of its length.
`added MB` is what the call needs beyond its input, or all that the command's process holds. 70 million
rows take 2.2 GB of disk.
"""

import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring import MB, Memory, Report, in_fresh_process, memory_of, options, seconds
from workloads import SHAPES, Shape

from peers import ON_FILES, OURS, TINY, Inputs

SERIES = {
    "More topics": [replace(SHAPES["L"], topics=topics) for topics in (50, 500, 5_000, 6_980, 70_000)],
    "Longer topics": [
        Shape(10, size, (size // 10, size // 10), (0, 3)) for size in (10**3, 10**4, 10**5, 10**6)
    ],
}


def point(inputs: Inputs, tiny: Inputs, form: str, repeat: int) -> tuple[float, Memory]:
    """The median seconds and the memory of ours; to be called in a fresh process."""
    tiny.contestants(form)[OURS]()
    call = inputs.contestants(form)[OURS]
    memory = memory_of(call)
    return statistics.median(seconds(call) for _ in range(repeat)), memory


def measure(title: str, shape: Shape, folder: Path, repeat: int, report: Report) -> None:
    """A row for each form of an input."""
    inputs, tiny = Inputs(shape, folder / "it"), Inputs(TINY, folder / "tiny")
    rows = shape.topics * shape.retrieved
    inputs.of_form("files")  # written here, so that no process that is measured does it
    for form in ("frame, str", *ON_FILES):
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
