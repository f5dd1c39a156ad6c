"""The command `compare`: output, baseline and errors."""

import json
from pathlib import Path

import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import compare

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")

MEASURE = "nDCG_JK(gains=0:0,1:1,2:10,3:100,avg=True)@100"
RUNS = {name: str(path) for name, path in demo.run_paths().items()}


def test_compare_prints_means_and_significant_differences(output):
    lines = output("compare", demo.NAME, *RUNS.values(), MEASURE, "AP", "-f", "markdown", "--resamples", 200)
    text = "\n".join(lines)
    assert lines[1].startswith("|---")
    for expected in ("nDCG_JK(avg=True,gains={2:10,3:100})@100", "Conover", "Tukey HSD", "*"):
        assert expected in text


def test_compare_prints_all_tests_for_programs(output):
    words = ["--baseline", RUNS["A"], "--resamples", 300, "--seed", 4]
    records = [
        json.loads(line)
        for line in output("compare", demo.NAME, *RUNS.values(), MEASURE, *words, "-f", "jsonl")
    ]
    expected = compare(demo.qrels_path(), RUNS, [MEASURE], baseline="A", permutations=300, seed=4)
    tests = [record for record in records if record["test"] not in ("mean", "mean rank")]
    assert [(test["test"], test["p"]) for test in tests] == [(test.test, test.p) for test in expected.tests]
    assert len({test["test"] for test in tests}) == 7


@pytest.mark.parametrize("spelling", ["bm25", "bm25.run", "x/bm25.run"])
def test_a_baseline_is_found_by_name_file_name_and_path(output, spelling):
    Path("x").mkdir()
    Path("x/bm25.run").write_text(Path(RUNS["A"]).read_text())
    words = ["compare", demo.NAME, "x/bm25.run", RUNS["B"], "P@5", "--resamples", 10, "-f", "jsonl"]
    records = map(json.loads, output(*words, "--baseline", spelling))
    assert {record["other"] for record in records if record["test"] == "paired t"} == {"bm25"}


def test_a_large_table_stays_readable(output):
    paths = []
    for number in range(24):
        path = Path(f"a_long_run_name_{number}.run")
        path.write_text("".join(f"q{n} 0 d{(n * number) % 4} 1 1 x\n" for n in range(6)))
        paths.append(path)
    Path("levels").write_text("".join(f"q{n} 0 d{d} {d}\n" for n in range(6) for d in range(4)))
    lines = output("compare", "levels", *paths, "CG@1", "--resamples", 50)
    assert sum("a_long_run_name_" in line for line in lines) == 24
    assert max(map(len, lines)) <= 120


def test_a_long_list_of_runs_is_capped(refusal):
    for number in range(30):
        Path(f"run{number}").write_text("351 Q0 d1 1 0.5 x\n")
    runs = [f"run{number}" for number in range(30)]
    assert refusal("compare", demo.NAME, *runs, "AP", "--baseline", "runn7") == (
        "did you mean run7? --baseline 'runn7' is not among the runs run0, run1, run2, run3, run4 and 25 more"
    )
