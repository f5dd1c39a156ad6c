"""The command `power`: tables for people and programs, the figure, and errors."""

import json
from pathlib import Path

import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import power

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

RUNS = [str(path) for path in demo.run_paths().values()]
MEASURES = ["P@5", "nDCG_JK@100"]


def test_power_prints_the_most_discriminating_measure_first(output):
    lines = output("power", demo.NAME, *RUNS, *MEASURES, "--differences", "0.05,0.1")
    shares = [float(line.split()[1]) for line in lines[1:3]]
    assert shares == sorted(shares, reverse=True)
    assert lines[4] == "Topics for a true difference"
    first = lines[1].split()[0]
    assert [line.split()[:2] for line in lines[6:8]] == [[first, "0.0500"], [first, "0.1000"]]
    assert "paired t over 20 topics, Holm's correction for 10 comparisons. MDE is" in "\n".join(lines)


def test_power_prints_all_numbers_for_programs(output):
    words = ["--test", "t-holm", "--alpha", "0.01", "--power", "0.9", "--differences", "0.1", "-f", "jsonl"]
    lines = output("power", demo.NAME, *RUNS, *MEASURES, *words, "-o", "power.csv")
    found = power(
        demo.qrels_path(), demo.run_paths(), MEASURES, test="t-holm", alpha=0.01, power=0.9, differences=[0.1]
    )
    assert list(map(json.loads, lines)) == found.records()
    assert len(Path("power.csv").read_text().splitlines()) == 3
