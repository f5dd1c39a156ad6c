"""Commands and all that they print."""

import os
import shlex
from pathlib import Path

import pytest

from command_line import OTHER
from ir_measures_graded import demo

FILES = {
    "copy": OTHER,
    "infinite": "q1 Q0 d1 1 inf a\nq1 Q0 d2 2 1 a\nq1 Q0 d3 3 -inf a\nq2 Q0 d1 1 1 a\n",
    "levels": "q1 0 d1 -1\nq1 0 d2 1\nq1 0 d3 4\nq2 0 d1 1\n",
    "tied": "q1 Q0 d1 1 2 a\nq1 Q0 d2 2 2 a\nq1 Q0 d3 3 1 a\nq2 Q0 d1 1 1 a\n",
}
TEXT = Path(__file__).with_name("transcripts.txt").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if not line.startswith("# ")]
STARTS = [number for number, line in enumerate(LINES) if line.startswith("$ ")]
ENDS = [*STARTS[1:], len(LINES)]


@pytest.mark.parametrize(("start", "end"), list(zip(STARTS, ENDS)))
def test_a_command_prints_its_lines(output, start, end):
    for path in demo.run_paths().values():
        os.symlink(path, path.name)
    for name, content in FILES.items():
        Path(name).write_text(content)
    command, *expected = LINES[start:end]
    words = shlex.split(command.removeprefix("$ "))
    assert [line.rstrip(" ") for line in output(*words)] == expected
