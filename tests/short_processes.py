"""Count processes that abort when they exit right after reading a small file.

    python tests/short_processes.py [PROCESSES]

Every process is forked after all imports, reads one good or one bad file, and ends like any Python
program. An Arrow thread that still releases a buffer owned by Python at that moment aborts the process
with status -6, after its output is complete. The expected output is ``{0: 2500, 2: 2500}``.
"""

import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from tempfile import mkdtemp

import pyarrow.csv  # noqa: F401, imported before the processes are forked

from ir_measures_graded import GradedError, TrecRun, nDCG_JK

FILES = {"good": "q1 Q0 d1 1 9.5 tag\nq1 Q0 d2 2 8 tag\n", "bad": "q1 Q0 d1 1 9.5 tag\nq1 Q0 d2\n"}


def exit_status(file: Path) -> int:
    """The status of a process that evaluates this file; a negative number names the signal."""
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        nDCG_JK.calc_aggregate({"q1": {"d1": 1}}, TrecRun(file))
    except GradedError:
        sys.exit(2)
    sys.exit(0)


def main() -> None:
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    found: Counter[int] = Counter()
    folder = mkdtemp()  # a context manager would remove it at the exit of every process
    files = [Path(folder, name) for name in FILES]
    for file in files:
        file.write_text(FILES[file.name])
    for number in range(processes):
        found[exit_status(files[number % len(files)])] += 1
    shutil.rmtree(folder)
    print(dict(found))


if __name__ == "__main__":
    main()
