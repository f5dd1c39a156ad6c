"""The command `identify`: values and means of one run and of several, and formats."""

import json
from pathlib import Path

import numpy as np
import pandas
import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import evaluate

A, B = (str(path) for path in list(demo.run_paths().values())[:2])


@pytest.fixture
def evaluation():
    """The values of two runs by one measure."""
    return evaluate(demo.qrels_path(), {"A": A, "B": B}, ["nDCG_JK@10"])


def test_values_of_two_runs_give_the_measure(output, evaluation, tmp_path):
    paths = [tmp_path / "A.csv", tmp_path / "B.csv"]
    for path, values in zip(paths, evaluation.of("nDCG_JK@10")):
        rows = [f"{topic},{value:.4f}\n" for topic, value in zip(evaluation.topics, values)]
        path.write_text("".join(rows))
    lines = output("identify", demo.NAME, A, paths[0], B, paths[1], "--measure", "nDCG")
    text = " ".join(lines).partition("  ")[0]
    named = "The 40 values are those of nDCG_JK@10 (Järvelin & Kekäläinen 2002, b=2), as NTCIREVAL"
    assert text.startswith(named)
    assert [line for line in lines if line][2].split(maxsplit=1)[0] == "settled"


def test_means_of_two_runs_are_given_in_their_order(output, evaluation):
    mean_of_a, mean_of_b = (f"{mean:.4f}" for mean in evaluation.means()[:, 0])
    means = [A, "--mean", mean_of_a, B, "--mean", mean_of_b]
    lines = output("identify", demo.NAME, *means, "--measure", "nDCG@10", "-f", "jsonl")
    last = json.loads(lines[-1])
    assert last["finding"] == "equal here"
    assert last["value"] == "nDCG_JK@10"


def test_a_mean_of_no_definition_has_one_record(output):
    words = [demo.NAME, A, "--mean", "0.4444", "--measure", "nDCG@10"]
    (record,) = json.loads("".join(output("identify", *words, "-f", "json")))
    assert record["finding"] == "none"
    assert record["equal"] is False
    assert record["given"] == 0.4444
    assert record["differ"] == 1


ONE_MEASURE = [demo.NAME, A, "table", B, "table", "--measure", "nDCG_JK@10", "-f", "jsonl"]


def named(line):
    """The measure string that the last line of JSON has."""
    record = json.loads(line)
    assert record["finding"] == "equal here"
    return record["value"]


@pytest.mark.parametrize("form", ["column per run", "long", "measures", "topics"])
def test_each_run_has_its_own_values_of_one_table(form, output, evaluation):
    rows = evaluation.to_frame().round(4)
    if form == "column per run":
        table = rows.pivot(index="topic", columns="run", values="value")
    elif form == "long":
        table = rows.set_index("run")[["topic", "value"]]
    elif form == "measures":
        other = rows.assign(measure="other", value=rows.value / 2)
        table = pandas.concat([rows, other]).set_index("run")
    else:
        table = rows.pivot(index="run", columns="topic", values="value")
    table.to_csv("table")
    assert named(output("identify", *ONE_MEASURE)[-1]) == "nDCG_JK@10"
    of_one = [demo.NAME, A, "table", "--measure", "nDCG_JK@10", "-f", "jsonl"]
    assert named(output("identify", *of_one)[-1]) == "nDCG_JK@10"


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl"])
@pytest.mark.parametrize("runs", [[A], [A, B]])
def test_values_that_evaluate_writes_are_those_of_its_runs(form, runs, output):
    words = [demo.NAME, *runs, "nDCG_JK@10"]
    Path("table").write_text("\n".join(output("evaluate", *words, "-q", "-f", form)))
    pairs = [word for run in runs for word in (run, "table")]
    lines = output("identify", demo.NAME, *pairs, "--measure", "nDCG_JK@10", "-f", "jsonl")
    assert named(lines[-1]) == "nDCG_JK@10"


def test_a_table_that_does_not_name_the_runs_needs_a_name_for_each(output, refusal, evaluation):
    rows = evaluation.to_frame().round(4)
    table = rows.pivot(index="topic", columns="run", values="value")
    table.rename(columns={"A": "first", "B": "second"}).to_csv("table")
    assert refusal("identify", *ONE_MEASURE).endswith("(--name): first and second")
    names = ["--name", "first", "--name", "second"]
    assert named(output("identify", *ONE_MEASURE, *names)[-1]) == "nDCG_JK@10"
    called = [demo.NAME, f"first={A}", "table", f"second={B}", "table", "-f", "jsonl"]
    assert named(output("identify", *called, "--measure", "nDCG_JK@10")[-1]) == "nDCG_JK@10"
    assert "would have the values of A, which are 'first'" in refusal(
        "identify", *ONE_MEASURE, "--name", "first"
    )
    assert "2 names for 1 runs" in refusal("identify", demo.NAME, A, "table", *names)


def test_values_of_another_run_are_refused(refusal, evaluation):
    rows = evaluation.to_frame()
    for run in "AB":
        rows[rows.run == run].to_csv(f"{run}.csv", index=False)
    words = [demo.NAME, A, "B.csv", B, "A.csv"]
    assert refusal("identify", *words).endswith("B.csv has the values of B, not of A")
    words = [demo.NAME, str(demo.run_paths()["C"]), "both.csv"]
    rows.to_csv("both.csv", index=False)
    message = refusal("identify", *words)
    assert "both.csv has values of A and B, of which none is C; give the run a name, as in A=" in (
        message
    )


def test_columns_of_values_have_the_names_that_the_user_gives(output, evaluation):
    rows = evaluation.to_frame().rename(columns={"run": "model", "topic": "user"})
    rows.to_csv("table", index=False)
    words = [*ONE_MEASURE, "--columns", "run=model", "--columns", "query_id=user"]
    assert named(output("identify", *words)[-1]) == "nDCG_JK@10"


def test_runs_of_the_same_file_name_are_told_apart(output, refusal, evaluation):
    for folder, run in {"x": A, "y": B}.items():
        Path(folder).mkdir()
        Path(folder, "a.run").symlink_to(run)
    values = evaluation.of("nDCG_JK@10")[0]
    rows = [f"{topic},{value:.4f}\n" for topic, value in zip(evaluation.topics, values)]
    Path("a.csv").write_text("".join(rows))
    Path("b.csv").write_text("".join(rows))
    words = ["identify", demo.NAME, "x/a.run", "a.csv", "y/a.run"]
    message = refusal(*words, "a.csv")
    assert "a.csv: y/a.run would have the values of x/a.run, which are" in message
    lines = output(*words, "b.csv", "--measure", "nDCG_JK@10", "--show", "topics", "-f", "csv")
    assert lines[1].startswith("351 (x/a.run),")
    assert " (y/a.run)," in lines[-1]


@pytest.mark.parametrize("word", ["mean", "values"])
def test_two_measures_of_one_run_are_refused(word, refusal):
    Path("1.csv").write_text("351 0.5\n352 0.25\n")
    Path("2.csv").write_text("351 0.5\n352 0.75\n")
    words = [A, "1.csv", A, "2.csv"]
    if word == "mean":
        words = [A, "--mean", "0.5", A, "--mean", "0.75"]
    message = refusal("identify", demo.NAME, *words)
    assert "A.run is given twice, with different" in message
    assert message.endswith("identify each measure in a call of its own")


def test_libraries_for_learning_to_rank_come_first_for_predictions(output):
    random = np.random.default_rng(1)
    levels = random.choice(5, 200)
    rows = [f"{level} qid:{number // 10} 1:0.5\n" for number, level in enumerate(levels)]
    Path("test.svm").write_text("".join(rows))
    Path("scores").write_text("".join(f"{score}\n" for score in random.random(200)))
    for measure, tools in {
        "nDCG@5": "scikit-learn, CatBoost",
        "nDCG_Burges@5": "LightGBM, ",
    }.items():
        table = output("evaluate", "test.svm", "scores", measure, "-q", "-f", "csv")
        Path("values.csv").write_text("\n".join(table))
        lines = output("identify", "test.svm", "scores", "values.csv", "--measure", "nDCG@5")
        assert lines[0].startswith(f"The 20 values are those of {measure}, as {tools}")


@pytest.mark.parametrize("mean", ["0.18", "0.1680"])
def test_all_definitions_of_a_mean_are_listed_in_each_form(mean, output):
    words = ["identify", demo.NAME, A, "nDCG@10", mean]
    answer = " ".join(output(*words)).partition("  ")[0]
    assert "which --show definitions lists." in answer
    lines = output(*words, "--show", "definitions")
    records = [json.loads(line) for line in output(*words, "--show", "definitions", "-f", "jsonl")]
    kinds = [line.split()[0] for line in lines if line.startswith(("usual ", "rarer "))]
    assert kinds == ["usual" if record["usual"] else "rarer" for record in records]
    rarer = int(answer.partition("Rarer definitions that fit: ")[2].partition(",")[0])
    assert kinds.count("rarer") == rarer
