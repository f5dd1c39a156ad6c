"""Count processes that abort when they exit right after reading a small file.

    python tests/short_processes.py [PROCESSES]

Every process is forked after all imports, reads one good or one bad file, and ends like any Python
program. An Arrow thread that still releases a buffer owned by Python at that moment aborts the process
with status -6, after its output is complete. The expected statuses are 0 for good files and 2
for bad ones.
"""

import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from tempfile import mkdtemp

# Imported before the processes are forked:
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet

from ir_measures_graded import GradedError, RunFile, nDCG_JK

TREC = {"good": "q1 Q0 d1 1 9.5 tag\nq1 Q0 d2 2 8 tag\n", "bad": "q1 Q0 d1 1 9.5 tag\nq1 Q0 d2\n"}
SCORES = {"good": [9.5, 8.0], "bad": [9.5, None]}
WRITE = {"parquet": pyarrow.parquet.write_table, "feather": pyarrow.feather.write_feather}
WRITE["csv"] = pyarrow.csv.write_csv


def exit_status(file: Path) -> int:
    """The status of a process that evaluates this file; a negative number names the signal."""
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        nDCG_JK.calc_aggregate({"q1": {"d1": 1}}, RunFile(file))
    except GradedError:
        sys.exit(2)
    sys.exit(0)


def written(folder: Path) -> list[Path]:
    """A good and a bad file of each kind."""
    found = []
    for quality, scores in SCORES.items():
        found.append(folder / f"{quality}.txt")
        found[-1].write_text(TREC[quality])
        table = pyarrow.table({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": scores})
        for kind, write in WRITE.items():
            found.append(folder / f"{quality}.{kind}")
            write(table, str(found[-1]))
    return found


def main() -> None:
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    found: dict[str, Counter[int]] = {}
    folder = Path(mkdtemp())  # a context manager would remove it at the exit of every process
    files = written(folder)
    for number in range(processes):
        file = files[number % len(files)]
        found.setdefault(file.name, Counter())[exit_status(file)] += 1
    shutil.rmtree(folder)
    for name, statuses in found.items():
        print(name, dict(statuses))


if __name__ == "__main__":
    main()
