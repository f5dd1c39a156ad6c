"""The command `evaluate`: output and errors."""

import gzip
import hashlib
import json
import runpy
import sys
from pathlib import Path

import ir_measures
import pandas
import pytest

from command_line import GAINS, OTHER, QRELS, RUN, command
from ir_measures_graded import demo
from ir_measures_graded.analysis import Evaluation, evaluate

# One run: the output of the ir_measures command


@pytest.mark.parametrize(
    "options",
    [[], ["-p", "-1"], ["-o", "jsonl"], ["-q"], ["-q", "-n", "-p", "6"], ["-q", "-o", "jsonl"]],
)
def test_standard_measures_print_like_the_ir_measures_command(
    shared_data, output, options, capsys, monkeypatch
):
    test = shared_data / "trec_eval-test"
    measures = ["nDCG@10 AP", "P@5", "RR", "P(rel=1)@5", "Judged@20", "NumRet", "ERR@10"]
    arguments = [test / "qrels.test", test / "results.test", *measures, *options]
    monkeypatch.setattr(sys, "argv", ["ir_measures", *map(str, arguments)])
    runpy.run_module("ir_measures", run_name="__main__")
    theirs = capsys.readouterr().out
    ours = output("evaluate", *("-f" if word == "-o" else word for word in arguments))
    if "-q" in options:  # the order of ir-measures depends on the hash seed
        assert sorted(ours) == sorted(theirs.splitlines())
    else:
        assert "\n".join(ours) + "\n" == theirs


# Several runs: one table


def test_a_table_may_hold_several_runs(output, monkeypatch):
    lines = {"run": RUN.splitlines(), "other": OTHER.splitlines()}
    rows = [(name, line.split()) for name, of_run in lines.items() for line in of_run]
    table = "\n".join(f"{run},{row[0]},{row[2]},{row[4]}" for run, row in rows)
    Path("all.csv").write_text(f"system,qid,docno,score\n{table}")
    words = ["nDCG_JK", "AP", "Judged@2"]
    expected = output("evaluate", "qrels", "run", "other", *words)
    assert output("evaluate", "qrels", "all.csv", "--run_column", "system", *words) == expected
    Path("runs.csv").write_text(f"run,qid,docno,score\n{table}")
    with open("runs.csv") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert output("evaluate", "qrels", "-", *words) == expected


def test_scoreddocs_adds_the_run_of_the_collection(output):
    assert output("evaluate", "graded-demo", "--scoreddocs", GAINS) == output(
        "evaluate", "graded-demo", demo.run_paths()["A"], GAINS
    )
    lines = output("evaluate", "graded-demo", demo.run_paths()["B"], "--scoreddocs", "AP")
    assert [line.split("\t")[0] for line in lines] == ["run", "B", "scoreddocs"]


# Inputs


def test_gzip_in_files_and_in_standard_input():
    Path("run.gz").write_bytes(gzip.compress(RUN.encode()))
    done = command("evaluate", "-", "run.gz", "nCG@2", input=gzip.compress(QRELS.encode()))
    assert done.stdout == b"nCG@2\t0.8750\n"


# Errors


def test_unsuitable_providers_are_refused(refusal, monkeypatch):
    def told(provider, *measures):
        return refusal("evaluate", "qrels", "run", *measures, "--provider", provider)

    monkeypatch.setattr(ir_measures.providers.registry["judged"], "_is_available", False)
    assert told("judged", "Judged@5") == "the provider judged is not available here"
    monkeypatch.setattr(ir_measures.providers.registry["pyndeval"], "_is_available", False)
    assert "pip install ir-measures[pyndeval]" in told("pyndeval", "alpha_nDCG@5")
    assert "pip install ir-measures[pyndeval]" in refusal(
        "evaluate", "qrels", "run", "alpha_nDCG@5", "AP"
    )


def test_confidence_adds_the_bounds_of_every_mean(output):
    words = ["evaluate", "qrels", "run", "other", "CG@1", "--confidence", "0.9"]
    assert output(*words, "-f", "csv", "-p", "2") == [
        "measure,run,value,lower,upper,topics",
        "CG@1,run,1.00,0.00,7.31,2",
        "CG@1,other,0.00,,,2",
    ]
    text = " ".join(output(*words, "-f", "text"))
    assert "90 % intervals (Student's t) over topics." in text
    assert "No interval for 1 value: nearly all topics have one value" in text


def test_json_has_the_values_and_their_origin(output, tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(demo.run_paths()["A"].read_bytes()))
    table = pandas.DataFrame({"query_id": ["351"], "doc_id": ["a"], "score": [1.0]})
    (tmp_path / "folder").mkdir()
    table.to_parquet(tmp_path / "folder" / "part.parquet")
    words = ["evaluate", demo.NAME, path, tmp_path / "folder", "AP", "--confidence", "0.9"]
    found = json.loads("\n".join(output(*words, "-f", "json", "-o", "values.json")))
    part = tmp_path / "folder" / "part.parquet"
    files = {demo.NAME: demo.qrels_path(), str(path): path, str(part): part}
    assert found["sha256"] == {
        name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()
    }
    assert found["interval"] == {"confidence": 0.9, "method": "t"}
    assert (found["topics"], found["values"][0]["run"]) == (20, "run")
    assert "numpy" in found["versions"]
    output("evaluate", demo.NAME, path, "AP", "nCG@10", "-q", "-n", "-o", "topics.json")
    read = Evaluation.from_values("topics.json")
    assert (
        read.of("nCG@10").tolist() == evaluate(demo.NAME, [path], ["nCG@10"]).of("nCG@10").tolist()
    )
