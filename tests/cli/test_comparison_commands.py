"""The commands `compare`, `sensitivity` and `swaps`: output, figures, and invalid arguments."""

import csv
import json
import subprocess
import sys

import pytest

from ir_measures_graded import cli, demo
from ir_measures_graded.analysis import compare, swaps

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")

MEASURE = "nDCG_JK(gains=0:0,1:1,2:10,3:100,avg=True)@100"
PROGRAM = [sys.executable, "-m", "ir_measures_graded"]


# ----------------------------------------------------------------------------------------------- compare


def compared(*argv):
    return subprocess.run(
        [*PROGRAM, "compare", *map(str, argv)], capture_output=True, text=True, check=False, encoding="utf-8"
    )


def test_compare_prints_the_table_and_saves_the_figure(tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    runs = demo.run_paths().values()
    figure = tmp_path / "x.png"
    done = compared(demo.NAME, *runs, MEASURE, "AP", "-f", "markdown", "-o", figure, "--permutations", 200)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    assert " Friedman p | ANOVA p | Conover" in lines[0]
    assert lines[2].startswith("| nDCG_JK(avg=True,gains={2:10,3:100})@100 |")
    assert ".run > A.run" in lines[2]
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_compare_prints_all_tests_for_programs():
    runs = demo.run_paths()
    argv = [demo.NAME, *runs.values(), MEASURE, "--baseline", runs["A"], "--permutations", 300, "--seed", 4]
    done = compared(*argv, "-f", "jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    expected = compare(
        demo.qrels_path(), {path.name: path for path in runs.values()}, [MEASURE],
        baseline=runs["A"].name, permutations=300, seed=4,
    )  # fmt: skip
    tests = [record for record in records if record["test"] not in ("mean", "mean rank")]
    assert [(test["test"], test["p"]) for test in tests] == [(test.test, test.p) for test in expected.tests]
    assert len({test["test"] for test in tests}) == 7


def test_compare_prints_one_row_per_run_for_many_runs(tmp_path, capsys):
    paths = []
    for number in range(9):
        path = tmp_path / f"run{number}"
        path.write_text("".join(f"q{n} 0 d{(n * number) % 4} 1 1 x\n" for n in range(6)))
        paths.append(path)
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 d{d} {d}\n" for n in range(6) for d in range(4)))
    assert cli.main(["compare", *map(str, (tmp_path / "qrels", *paths)), "CG@1", "--permutations", "50"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["measure", "run", "mean"]
    assert [line.split()[1] for line in lines[1:]] == list("ABCDEFGHI")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["A"], "no measure is given"),
        (["A", "AP"], "a comparison needs at least 2 runs; there is 1"),
        (["AP"], "no run is given"),
        (["A", "B", "AP", "--baseline", "C"], "the baseline 'C.run' is not among the runs A.run, B.run"),
        (["A", "B", "AP", "--alpha", "2"], "alpha=2.0 is not allowed"),
        (["A", "B", "AP", "-o", "x.gif"], "'x.gif': a figure's file ends in"),
    ],
)
def test_compare_refuses_invalid_arguments(capsys, argv, message):
    runs = demo.run_paths()
    argv = [runs.get(word, word) for word in argv]
    status = cli.main(["compare", demo.NAME, *map(str, argv)])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith(f"ir_measures_graded: error: {message}")
    assert err.count("\n") == 1


# ------------------------------------------------------------------------------------------- sensitivity


def test_sensitivity_prints_the_table_and_saves_the_figures(tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    figures = [tmp_path / "tau.svg", tmp_path / "ranks.pdf"]
    done = subprocess.run(
        [
            *[sys.executable, "-m", "ir_measures_graded", "sensitivity", demo.NAME],
            *map(str, demo.run_paths().values()),
            *["--measure", "nDCG_JK", "--gains", "w1=0:0,1:1,2:1,3:1", "--gains", "w100", "--cutoffs", "100"],
            *["-o", str(figures[0]), "--ranks", str(figures[1])],
        ],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split("  ") for line in done.stdout.splitlines()]
    assert len(lines) == 3
    assert lines[2][0] == "nDCG_JK w100@100"
    assert lines[2][-1].strip() == "1.0000"
    assert "0.2000 <.8" in done.stdout
    assert figures[0].read_bytes().startswith(b"<?xml")
    assert figures[1].read_bytes().startswith(b"%PDF")


@pytest.fixture
def run(capsys):
    def run(*argv):
        paths = [str(demo.run_paths().get(word, word)) for word in argv]
        status = cli.main(["sensitivity", demo.NAME, *paths])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_sensitivity_prints_all_pairs_for_programs(run):
    status, out, err = run(
        "B", "D", "--measure", "nCG@100", "--gains", "w1", "--gains", "w100", "-f", "jsonl"
    )
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "first": "nCG@100 w1", "second": "nCG@100 w100", "tau": -1.0, "under": 0.8, "swaps": 1,
        "runs": "B.run / D.run",
    }  # fmt: skip


def test_sensitivity_prints_ranks_and_means(run):
    argv = ["B", "D", "--measure", "nCG", "--measure", "P@10", "--cutoffs", "10,100"]
    assert run(*argv, "--table", "ranks", "-f", "csv")[1].splitlines()[0] == "run,nCG@10,nCG@100,P@10"
    means = run(*argv, "--table", "means", "-f", "tsv")[1].splitlines()
    assert means[0].split("\t") == ["measure", "weighting", "cutoff", "run", "mean", "rank"]
    assert means[1].split("\t")[:4] == ["nCG@10", "", "10", "B.run"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["--gains", "w1", "--gains", "w1=1:1"],
            "two weightings are named 'w1'; give each a name of its own",
        ),
        (["--gains", "w5"], "unknown weighting 'w5'"),
        (["--gains", "x=1"], "argument --gains: 'x=1' is not allowed; it is a name and gains of levels"),
        (["--gains", "x=1:a"], "argument --gains: 'x=1:a' is not allowed"),
        (["--gains", "x=1:1,1:2"], "argument --gains: 'x=1:1,1:2' is not allowed"),
        (["--gains", "x=1:nan"], "gains 'x': level 1 has gain nan, which is not finite"),
        (["--cutoffs", "10;20"], "argument --cutoffs: '10;20' is not allowed; it is whole numbers"),
        (["--cutoffs", "0,1"], "nDCG_JK: cutoff=0 is not allowed"),
        (["--cutoffs", "1,2", "--ranks", "x"], "'x': a figure's file ends in"),
    ],
)
def test_sensitivity_refuses_invalid_arguments(run, argv, message):
    status, out, err = run("A", "B", "--measure", "nDCG_JK", *argv)
    assert (status, out) == (2, "")
    assert err.startswith(f"ir_measures_graded: error: {message}")
    assert err.count("\n") == 1


# ------------------------------------------------------------------------------------------------- swaps


def test_swaps_needs_no_arguments(tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    figure = tmp_path / "swaps.png"
    argv = ["--most", "30", "--repetitions", "20", "--levels", "2,20", "-o", str(figure)]
    done = subprocess.run(
        [sys.executable, "-m", "ir_measures_graded", "swaps", *argv],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["measure", "2", "levels", "20", "levels", "widest", "gap", "at", "swaps"]
    assert [line[0] for line in lines[1:]] == ["NDCNG(avg=True)", "muAP", "NDCNG(avg=True,max_gain=1)"]
    assert float(lines[1][3]) < 0.05 < float(lines[3][3])
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_swaps_prints_the_curves_for_programs(capsys):
    argv = ["muAP", "NDPM", "--levels", "3", "--documents", "9", "--most", "2", "--repetitions", "5"]
    assert cli.main(["swaps", *argv, "--uneven", "--seed", "3", "-f", "csv", "-p", "-1"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    expected = swaps(["muAP", "NDPM"], levels=[3], documents=9, most=2, repetitions=5, uneven=True, seed=3)
    assert [float(row["mean"]) for row in rows] == expected.means().ravel().tolist()
    assert [row["swaps"] for row in rows] == ["0", "1", "2"] * 2


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--levels", "2;3"], "argument --levels: '2;3' is not allowed; it is whole numbers"),
        (["--levels", "1"], "levels=1 is not allowed"),
        (["muAP", "nothing"], "measure not found: nothing"),
        (["-o", "x.bmp"], "'x.bmp': a figure's file ends in"),
    ],
)
def test_swaps_refuses_invalid_arguments(capsys, argv, message):
    assert cli.main(["swaps", *argv]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"ir_measures_graded: error: {message}")
    assert err.count("\n") == 1
