"""The command `evaluate`: output and errors."""

import gzip
import hashlib
import json
import runpy
import shlex
import sys
from pathlib import Path

import ir_measures
import pandas
import pytest

from command_line import GAINS, OTHER, QRELS, RUN, command
from ir_measures_graded import cli, demo
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


def test_levels_with_fractions_are_answered_with_the_whole_line(output, capsys):
    Path("fractions").write_text("q1 0 d1 2.5\nq1 0 d2 1\nq1 0 d3 3\n")
    words = ["fractions", "run", "nDCG@10 AP", "precision@5", "nDCG_JK@2", "mrr"]
    words += ["Rprec(rel=2)"]
    assert cli.main(["evaluate", *words, "SetAP", "hit@5"]) == 2
    error = capsys.readouterr().err
    rounded = "levels rounded down give SetAP and Success@5 the same value; nDCG"
    assert f"Rprec(rel=2), SetAP and Success@5 take whole levels; {rounded}" in error
    for name in ("evaluate", "check", "compare"):
        assert cli.main([name, *words]) == 2
        error = capsys.readouterr().err
        reason = "fractions:1: topic 'q1', document 'd1': the level is 2.5; nDCG@10, AP, P@5, RR"
        assert reason in error
        assert "RR and Rprec(rel=2) take whole levels; the same" in error
    _, line = error.split("take it: ir_measures_graded compare fractions run ")
    instead = shlex.split(line)
    ones = "gains={1:1,2.5:1,3:1}"
    assert instead == [
        "nDCG_Burges(gains=linear)@10", f"GAP({ones})", f"gP(max_gain=1,{ones})@5",
        "nDCG_JK@2", f"O_measure(beta=0,{ones})",
        "trec_Rprec_mult(rel=2)",
    ]  # fmt: skip
    Path("whole").write_text("q1 0 d1 2\nq1 0 d2 1\nq1 0 d3 3\n")
    ours = output("evaluate", "fractions", "run", *instead[1:3], *instead[4:])
    theirs = output("evaluate", "whole", "run", "AP", "P@5", "RR", "Rprec(rel=2)")
    values = [[line.split("\t")[1] for line in lines] for lines in (ours, theirs)]
    assert values[0] == values[1]
    success = f"iRBU(p=1,{ones.replace(':1', f':{10**16}')})@5"
    (ours,) = output("evaluate", "fractions", "run", success)
    (theirs,) = output("evaluate", "whole", "run", "Success@5")  # the levels rounded down
    assert ours.split("\t")[1] == theirs.split("\t")[1]
    assert cli.main(["explain", "fractions", "run", "hit@5"]) == 2
    assert capsys.readouterr().err.endswith("levels rounded down give the same value\n")


# Several runs: one table


def test_a_table_may_hold_several_runs(output, monkeypatch):
    rows = []
    for run, text in {"run": RUN, "other": OTHER}.items():
        for line in text.splitlines():
            topic, _, doc, _, score, _ = line.split()
            rows.append(f"{run},{topic},{doc},{score}")
    table = "\n".join(rows)
    Path("all.csv").write_text(f"system,qid,docno,score\n{table}")
    words = ["nDCG_JK", "AP", "Judged@2"]
    expected = output("evaluate", "qrels", "run", "other", *words)
    assert output("evaluate", "qrels", "all.csv", "--run_column", "system", *words) == expected
    Path("runs.csv").write_text(f"run,qid,docno,score\n{table}")
    with open("runs.csv") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert output("evaluate", "qrels", "-", *words) == expected


@pytest.mark.parametrize("measure", ["CG@1", "NDPM"])  # the least NDPM is the best
def test_sorted_runs_stand_in_the_order_of_their_means(output, measure):
    lines = output("evaluate", "qrels", "other", "run", "P@2", "--sort", measure)
    assert [line.split("\t")[0] for line in lines[-2:]] == ["run", "other"]


def test_runs_are_sorted_by_a_measure_under_the_given_weighting(output):
    words = ["evaluate", "qrels", "other", "run", "CG@1", "--gains", "w10"]
    weighted = "CG(gains=2:5,3:10)@1"
    assert output(*words, "--sort", "CG@1") == output(*words, "--sort", weighted)


def test_scoreddocs_adds_the_run_of_the_collection(output):
    of_file = output("evaluate", "graded-demo", demo.run_paths()["A"], GAINS)
    assert output("evaluate", "graded-demo", "--scoreddocs", GAINS) == of_file
    lines = output("evaluate", "graded-demo", demo.run_paths()["B"], "--scoreddocs", "AP")
    assert [line.split("\t")[0] for line in lines] == ["run", "B", "scoreddocs"]


def test_a_weighting_that_equals_the_default_of_the_measure_is_applied(output):
    words = ["evaluate", "graded-demo", demo.run_paths()["A"], "nDCG_JK@10"]
    assert output(*words, "--gains", "w3") == output(*words, "--gains", "linear") == output(*words)


# Inputs


def test_gzip_in_files_and_in_standard_input():
    Path("run.gz").write_bytes(gzip.compress(RUN.encode()))
    done = command("evaluate", "-", "run.gz", "nCG@2", input=gzip.compress(QRELS.encode()))
    assert done.stdout == b"nCG@2\t0.8750\n"


# Errors


def test_unsuitable_providers_are_refused(refusal, monkeypatch):
    words = ["evaluate", "qrels", "run"]
    monkeypatch.setattr(ir_measures.providers.registry["judged"], "_is_available", False)
    message = refusal(*words, "Judged@5", "--provider", "judged")
    assert message == "the provider judged is not available here"
    monkeypatch.setattr(ir_measures.providers.registry["pyndeval"], "_is_available", False)
    message = refusal(*words, "alpha_nDCG@5", "--provider", "pyndeval")
    assert "pip install ir-measures[pyndeval]" in message
    message = refusal(*words, "alpha_nDCG@5", "AP")
    assert "pip install ir-measures[pyndeval]" in message


def test_confidence_adds_the_bounds_of_every_mean(output):
    words = ["evaluate", "qrels", "run", "other", "CG@1", "--confidence", "0.9"]
    assert output(*words, "-f", "csv", "-p", "2") == [
        "measure,run,value,lower,upper,topics,few_changes",
        "CG@1,run,1.00,0.00,7.31,2,no",
        "CG@1,other,0.00,,,2,yes",
    ]
    text = " ".join(output(*words, "-f", "text"))
    assert "90 % intervals (Student's t) over topics." in text
    assert "No interval for 1 value: nearly all topics have one value" in text


def test_several_measures_with_intervals_are_a_leaderboard_for_people(output):
    words = ["evaluate", "qrels", "run", "other", "CG@2", "CG@1", "--confidence", "0.9"]
    by_measure = output(*words, "-f", "csv", "-p", "2")
    assert by_measure[0] == "measure,run,value,lower,upper,topics,few_changes"
    assert len(by_measure) == 5
    heading, *rows = output(*words, "-f", "markdown", "-p", "1", "--sort", "CG@1")[:4]
    cells = [cell.strip() for cell in heading.strip("|").split("|")]
    assert cells == ["run", "CG@2", "lower", "upper", "CG@1", "lower", "upper", "topics"]
    assert [row.split()[1] for row in rows[1:]] == ["run", "other"]
    assert output(*words, "-f", "text", "-p", "1")[0].split() == cells
    more = [f"CG@{cutoff}" for cutoff in range(3, 12)]
    many = output(*words, *more, "-f", "text", "-p", "1")
    assert many[0].split() == ["measure", "run", "value", "lower", "upper", "topics"]


def test_json_has_the_values_and_their_origin(output, tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(demo.run_paths()["A"].read_bytes()))
    table = pandas.DataFrame({"query_id": ["351"], "doc_id": ["a"], "score": [1.0]})
    folder = tmp_path / "folder"
    folder.mkdir()
    in_folder = folder / "part.parquet"
    table.to_parquet(in_folder)
    words = ["evaluate", demo.NAME, path, folder, "AP", "--confidence", "0.9"]
    facts = json.loads("\n".join(output(*words, "-f", "json", "-o", "values.json")))
    files = {demo.NAME: demo.qrels_path(), str(path): path, str(in_folder): in_folder}
    digests = {name: hashlib.sha256(file.read_bytes()) for name, file in files.items()}
    assert facts["sha256"] == {name: digest.hexdigest() for name, digest in digests.items()}
    assert facts["interval"] == {"confidence": 0.9, "method": "t"}
    assert facts["topics"] == 20
    assert facts["values"][0]["run"] == "run"
    assert "numpy" in facts["versions"]


def test_json_of_topics_is_read_as_values(output):
    path = demo.run_paths()["A"]
    output("evaluate", demo.NAME, path, "AP", "nCG@10", "-q", "-n", "-o", "topics.json")
    read = Evaluation.from_values("topics.json")
    expected = evaluate(demo.NAME, [path], ["nCG@10"])
    assert read.of("nCG@10").tolist() == expected.of("nCG@10").tolist()


def test_a_file_of_topics_leaves_the_means_to_be_printed():
    def output(*words):
        return command(*words, text=True).stdout.splitlines()

    words = ("evaluate", "qrels", "run", "AP", "P@1", "-q", "-o", "topics.csv")
    means = output("evaluate", "qrels", "run", "AP", "P@1")
    assert output(*words) == means
    with_means = pandas.read_csv("topics.csv")
    assert with_means["query_id"].tolist() == ["q1", "q2", "all"]
    # Whoever wants all values printed asks for a format.
    assert len(output(*words, "-f", "csv")) == 1 + 3
    assert output(*words, "-n") == ["topics.csv: the values of 2 topics, 1 run and 2 measures"]
    assert pandas.read_csv("topics.csv")["query_id"].tolist() == ["q1", "q2"]
    # A figure has no values to read, so they are printed as without it.
    assert output(*words[:-1], "topics.svg") == output(*words[:-2])


def test_rows_of_means_in_a_file_of_topics_are_told():
    words = ("evaluate", "qrels", "run", "AP", "-q", "-o", "topics.csv", "-o", "page.html")
    told = command(*words, text=True).stderr
    note = "note: topics.csv has the means, too, in rows whose query_id is all; -n omits these rows"
    assert note in told
    assert told.count("note:") == 1
    assert "note:" not in command(*words, "-n", text=True).stderr
    assert "note:" not in command(*words[:-5], "-o", "means.csv", text=True).stderr
