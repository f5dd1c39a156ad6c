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


def test_power_prints_all_numbers_for_programs(output):
    words = ["--alpha", "0.01", "--power", "0.9", "--differences", "0.1", "-f", "jsonl"]
    lines = output("power", demo.NAME, *RUNS, *MEASURES, *words, "-o", "power.csv")
    options = {"alpha": 0.01, "power": 0.9, "differences": [0.1]}
    found = power(demo.qrels_path(), demo.run_paths(), MEASURES, **options)
    assert list(map(json.loads, lines)) == found.records()
    assert len(Path("power.csv").read_text().splitlines()) == 3
