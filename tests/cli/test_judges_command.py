"""The command `judges`: agreement, estimates, choice of tables, and errors."""

import json
from pathlib import Path

import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import estimate, judges
from ir_measures_graded.analysis.judging.panel import answers_in, trec_lines

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

RUNS = {name: str(path) for name, path in demo.run_paths().items()}


@pytest.fixture
def human(folder):
    """The demo's qrels for 12 of its 20 topics."""
    levels = answers_in(demo.qrels_path())[0]
    part = {topic: levels[topic] for topic in list(levels)[:12]}
    Path("human.txt").write_text("".join(f"{line}\n" for line in trec_lines(part)))
    return part


def test_machines_are_compared_without_runs(output, human):
    Path("other.csv").write_text("topic,document,level\n351,d0014,1\n351,d0007,\n")
    found = judges("human.txt", {"graded-demo": demo.NAME, "other": "other.csv"})
    words = ["judges", "human.txt", demo.NAME, "other.csv"]
    lines = output(*words)
    assert lines[0].startswith("graded-demo, the best of 2 judges, agrees with the human on 100 % of")
    lines = lines[lines.index("") + 1 :]
    assert lines[0].split()[:4] == ["judge", "documents", "unanswered", "abstentions"]
    unanswered = found.judges[1].counts["unanswered"]
    assert lines[2].split()[:4] == ["other", "1", str(unanswered), "1"]
    assert list(map(json.loads, output(*words, "-f", "jsonl"))) == found.records()
    assert "\\toprule" in output(*words, "-f", "latex")


def test_runs_and_measures_bring_orders_and_estimates(output, human):
    words = ["judges", "human.txt", demo.NAME, *RUNS.values(), "P@5"]
    lines = output(*words)
    assert max(map(len, lines)) <= 110
    both = "12 topics judged by both, 8 by the machine alone, 0 by the human alone."
    assert both in " ".join(lines[: lines.index("")])
    found = estimate(human, demo.NAME, RUNS, ["P@5"], 0.9)
    records = list(map(json.loads, output(*words, "--confidence", "0.9", "-f", "jsonl")))
    assert records == found.records()


def test_a_file_that_may_be_a_run_is_a_judge_if_there_are_no_runs(output, human):
    Path("other.json").write_text(json.dumps(human))
    assert output("judges", "human.txt", demo.NAME, "other.json", "-f", "csv")[2].startswith("other.json")
