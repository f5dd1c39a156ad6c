"""The command `curves`: output, files and errors."""

import csv
import gzip
import json
import sys
from pathlib import Path

from ir_measures_graded import demo
from ir_measures_graded.analysis import curves, evaluate

GAINS = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)"
PATHS = [str(path) for path in demo.run_paths().values()]
PAIRS = [(name, str(path)) for name, path in demo.run_paths().items()]
NAMES = [*demo.run_paths()]


def test_curves_prints_the_table_and_writes_the_figure(output):
    lines = output("curves", demo.NAME, *PATHS, f"{GAINS}@100", "-o", "nDCG.svg")
    assert lines[0].split() == ["rank", *NAMES]
    assert len(lines) == 101
    means = evaluate(demo.NAME, PAIRS, [f"{GAINS}@100"]).means()[:, 0]
    assert lines[100].split() == ["100", *(f"{mean:.4f}" for mean in means)]
    picture = Path("nDCG.svg").read_text(encoding="utf-8")
    for text in ("nDCG_JK(gains={2:10,3:100})", "Mean over 20 topics", *NAMES):
        assert f">{text}</text>" in picture


def test_every_format_has_the_same_numbers(output):
    words = ("curves", demo.qrels_path(), *PATHS, GAINS, "--depth", 3)
    columns, rows = curves(demo.qrels_path(), PAIRS, GAINS, 3).table()
    shown = [[str(rank), *(f"{value:.4f}" for value in values)] for rank, *values in rows]
    assert [line.split() for line in output(*words)] == [columns, *shown]
    assert output(*words, "-f", "markdown")[1].startswith("|-----:|")
    assert output(*words, "-f", "latex")[4].split(" & ")[0] == "   1"
    records = list(map(json.loads, output(*words, "-f", "jsonl")))
    tabs = [line.split("\t") for line in output(*words, "-f", "tsv")]
    commas = list(csv.reader(output(*words, "--format", "csv", "-p", "-1")))
    assert tabs[0] == commas[0] == list(records[0])
    assert [
        [json.loads(cell) if cell[:1].isdigit() else cell or None for cell in row] for row in commas[1:]
    ] == [list(record.values()) for record in records]
    assert len(tabs) == len(commas) == len(records) + 1


def test_options_reach_the_analysis(output):
    options = {"normalise": "averages", "confidence": 0.8, "resamples": 50, "seed": 3}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    lines = output("curves", demo.NAME, *PATHS, "nCG", "--depth", 4, "--ideal", *words, "-p", "-1")
    _, rows = curves(demo.qrels_path(), PAIRS, "nCG", 4, ideal=True, **options).table()
    assert [list(map(float, line.split())) for line in lines[1:-2]] == rows
    assert lines[-1] == "80 % pointwise percentile bands"
    assert "ideal" not in output("curves", demo.NAME, *PATHS, "CG", "--no-ideal")[0]


def test_the_cutoff_of_a_trec_eval_name_is_the_depth(output):
    assert output("curves", demo.NAME, PATHS[0], "ndcg_cut_3") == output(
        "curves", demo.NAME, PATHS[0], "nDCG", "--depth", 3
    )


def test_scoreddocs_gzip_and_standard_input(output, monkeypatch):
    packed = Path("A.run.gz")
    packed.write_bytes(gzip.compress(Path(PATHS[0]).read_bytes()))
    lines = output("curves", demo.NAME, packed, "--scoreddocs", "P@3")
    assert lines[0].split() == ["rank", "A", "scoreddocs"]
    assert {tuple(line.split()[1:2]) == tuple(line.split()[2:]) for line in lines[1:]} == {True}
    with open(PATHS[0]) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        piped = output("curves", demo.NAME, "-", "P@3")
    assert [line.split()[1] for line in piped[1:]] == [line.split()[1] for line in lines[1:]]
