"""The command `ranges`: tables, figure and errors."""

import json

from ir_measures_graded import demo

RUNS = {name: str(path) for name, path in demo.run_paths().items()}
WORDS = ("ranges", demo.NAME, RUNS["B"], RUNS["D"], "nDCG_JK@10", "--draws", "20")


def test_ranges_prints_the_ranges_of_the_values(output):
    lines = output(*WORDS)
    assert lines[0].split()[:6] == ["measure", "run", "value", "ties", "min", "ties"]
    assert [line.split()[0] for line in lines[1:]] == ["nDCG_JK@10"] * 2


def test_ranges_prints_values_and_differences_for_programs(output):
    *values, difference = map(json.loads, output(*WORDS, "-f", "jsonl"))
    assert [each["other"] for each in values] == [None, None]
    assert (difference["run"], difference["other"], difference["exact"]) == ("B", "D", True)
