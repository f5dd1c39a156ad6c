"""The command `levels`."""

import shlex

from ir_measures_graded import demo


def test_the_printed_gains_are_valid_in_a_measure_string(output):
    lines = output("levels", demo.NAME)
    gains = [
        word
        for line in lines[lines.index("Gains for a measure string") + 1 :]
        for word in shlex.split(line)[1:]
    ]
    assert len(gains) > 2
    for text in gains:
        assert output("evaluate", demo.NAME, "--scoreddocs", f"nDCG_JK({text})@10")
