"""The command `levels`."""

import shlex

from ir_measures_graded import demo


def test_the_printed_gains_are_valid_in_a_measure_string(output):
    lines = output("levels", demo.NAME)
    first = lines.index("Gains for a measure string") + 1
    gains = []
    for line in lines[first:]:
        _, *words = shlex.split(line)
        gains += words
    assert len(gains) > 2
    for text in gains:
        assert output("evaluate", demo.NAME, "--scoreddocs", f"nDCG_JK({text})@10")
