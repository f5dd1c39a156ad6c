"""The command `levels`."""

import shlex
from pathlib import Path

from ir_measures_graded import demo


def test_levels_prints_the_table_unusual_properties_and_gains(output):
    Path("levels").write_text("q1 0 d1 -1\nq1 0 d2 1\nq1 0 d3 4\nq2 0 d1 1\n")
    text = "\n".join(output("levels", "levels"))
    assert text.startswith("level  documents  topics  mean per topic")
    assert "Level -1 is negative" in text
    assert "gains=1:" in text


def test_the_printed_gains_are_valid_in_a_measure_string(output):
    lines = output("levels", demo.NAME)
    gains = [word for line in lines[lines.index("Gains:") + 1 :] for word in shlex.split(line)[1:]]
    assert len(gains) > 2
    for text in gains:
        assert output("evaluate", demo.NAME, "--scoreddocs", f"nDCG_JK({text})@10")
