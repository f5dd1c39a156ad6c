"""The command as a process of its own, and small qrels and runs."""

import os
import subprocess
import sys
from pathlib import Path

import ir_measures_graded

QRELS = "q1 0 d1 3\nq1 0 d2 1\nq1 0 d3 0\nq2 0 d1 2\nq2 0 d4 0\n"
RUN = "q1 Q0 d3 1 9.5 a\nq1 Q0 d1 2 8 a\nq1 Q0 x 3 7 a\nq2 Q0 d1 1 3 a\n"
OTHER = "q2 Q0 d4 1 3 b\nq2 Q0 d1 2 2 b\nq9 Q0 d1 1 1 b\n"
GAINS = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"

SOURCE = str(Path(ir_measures_graded.__file__).parents[1])
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([SOURCE, os.environ.get("PYTHONPATH", "")]),
}
PROGRAM = [sys.executable, "-m", "ir_measures_graded"]


def command(*argv, program=PROGRAM, environment=None, **options):
    """Run a command as a process of its own."""
    return subprocess.run(
        [*program, *map(str, argv)],
        capture_output=True,
        timeout=60,
        env={**ENVIRONMENT, **(environment or {})},
        **options,
    )
