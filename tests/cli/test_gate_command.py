"""The command `gate`: exit statuses, values in tables, drift, groups and files."""

import hashlib
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest

from ir_measures_graded import cli, demo
from ir_measures_graded.evaluation.attributes import read_attribute

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

RUNS = {name: str(path) for name, path in demo.run_paths().items()}


@pytest.fixture
def table():
    """A table of values: B is better than A, C is worse, D is close to A."""
    random = np.random.default_rng(1)
    values = random.random(60)
    runs = {
        "A": values,
        "B": values + 0.1,
        "C": values - 0.2,
        "D": values + random.normal(0, 0.1, 60),
    }
    lines = ["run,topic,measure,value,kind"]
    for run, values_of_run in runs.items():
        for number, value in enumerate(values_of_run):
            kind = "long" if number % 2 else "short"
            lines.append(f"{run},q{number},P@5,{value:.4f},{kind}")
    Path("values.csv").write_text("\n".join(lines))
    return "values.csv"


@pytest.mark.parametrize(
    ("new", "options", "status", "word"),
    [
        ("B", [], 0, "holds"),
        ("C", [], 1, "worse"),
        ("D", ["--margin", "5.5%", "--by", "values.csv:kind"], 0, "holds"),
        ("D", ["--margin", "5.5%", "--by", "values.csv:kind", "--every_group"], 3, "undecided"),
        ("D", ["--margin", "1%"], 3, "undecided"),
        ("D", ["--margin", "1%", "--undecided", "pass"], 0, "undecided"),
        ("D", ["--margin", "1%", "--undecided", "fail"], 1, "undecided"),
        ("D", ["--margin", "1%", "--undecided", "mean"], 1, "undecided"),
        ("D", ["--margin", "4%", "--undecided", "mean"], 0, "undecided"),
        ("D", ["--margin", "1%", "--by_mean"], 1, "worse by mean"),
        ("D", ["--margin", "4%", "--by_mean"], 0, "holds by mean"),
    ],
)
def test_the_exit_status_is_the_verdict(table, capsys, new, options, status, word):
    words = ["gate", "--values", table, "A", new, "P@5", *options, "-o", "gate.xml"]
    assert cli.main(words) == status
    lines = capsys.readouterr().out.splitlines()
    starts = {
        "holds": f"{new} is not worse than A by ",
        "worse": f"{new} is significantly worse than A by ",
        "undecided": f"It is undecided whether {new} is not worse than A by P@5",
        "holds by mean": f"By the means alone, {new} is not worse than A by P@5, within the margin",
        "worse by mean": f"By the means alone, {new} is worse than A by P@5: −",
    }
    assert lines[0].startswith(starts[word])
    assert ("No margin was given; it is 5 % of the old values." in lines) == (not options)
    failures = ElementTree.parse("gate.xml").getroot().get("failures")
    assert (failures == "0") == (status == 0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["1%"], "By --undecided mean it fails, as a mean is worse by more than the margin."),
        (["4%"], "By --undecided mean it passes, as no mean is worse by more than the margin."),
        (["1%", "--undecided", "pass"], "It passes by --undecided pass."),
        (["4%", "--undecided", "mean"], "It passes by --undecided mean, as no mean is worse by"),
    ],
)
def test_an_undecided_gate_tells_whether_it_passes(table, capsys, options, sentence):
    words = ["gate", "--values", table, "A", "D", "P@5", "--margin", *options, "-o", "gate.md"]
    cli.main(words)
    assert f"\n{sentence}" in capsys.readouterr().out
    assert sentence in Path("gate.md").read_text("utf-8")


def test_the_first_sentence_tells_which_way_the_mean_of_an_undecided_measure_went(table, capsys):
    for old, new in ("AD", "DA"):
        cli.main(["gate", "--values", table, old, new, "P@5", "--margin", "1%", "-f", "markdown"])
        first = capsys.readouterr().out.splitlines()[0]
        went = "fell (−" if new == "D" else "rose (+"
        assert f"within the margin of 1 %; the mean {went}" in first
        assert first.endswith(", more than the margin.") == (new == "D")


@pytest.mark.parametrize(
    ("rise", "said"), [(0.0, "is unchanged."), (1e-5, "rose by less than .0001.")]
)
def test_a_mean_that_rounding_errors_or_little_change_is_no_rise_of_0(rise, said, capsys):
    random = np.random.default_rng(2)
    old = random.random(30).round(4)
    change = np.repeat([0.1, -0.07, -0.03], 10)
    lines = ["run,topic,P@5"]
    for run, values in {"A": old, "B": old + random.permutation(change) + rise}.items():
        lines += [f"{run},q{number},{value!r}" for number, value in enumerate(values.tolist())]
    Path("values.csv").write_text("\n".join(lines))
    cli.main(["gate", "--values", "values.csv", "A", "B", "--margin", "1%", "-f", "markdown"])
    assert capsys.readouterr().out.splitlines()[0].endswith(f"; the mean {said}")


def test_json_tells_how_the_verdict_was_reached(table, capsys):
    assert cli.main(["gate", "--values", table, "A", "C", "-f", "json"]) == 1
    read = json.loads(capsys.readouterr().out)
    (row,) = read["values"]
    assert (row["measure"], row["verdict"], round(row["difference"], 6)) == ("P@5", "worse", -0.2)
    assert (read["alpha"], read["margin"], read["verdict"]) == (0.05, "5 %", "worse")
    assert (read["n"], read["test"]) == (row["topics"], "one-sided paired t-test")
    assert read["sha256"] == {table: hashlib.sha256(Path(table).read_bytes()).hexdigest()}


def test_stored_values_are_compared_with_the_old_run(capsys):
    words = [demo.NAME, RUNS["A"], RUNS["B"], "nDCG_JK@10"]
    stored = Path("stored.csv")
    assert cli.main(["evaluate", *words, "-q", "-p", "6", "-o", "stored.csv"]) == 0
    assert cli.main(["gate", *words, "--values", "stored.csv"]) == 0
    assert "The values of A are those that were stored." in capsys.readouterr().out
    stored.write_text(stored.read_text().replace("A,351,0.2", "A,351,0.3"))
    capsys.readouterr()
    assert cli.main(["gate", *words, "--values", "stored.csv"]) == 2
    assert "A: nDCG_JK@10 is not what was stored in 1 topic (351)" in capsys.readouterr().err


def test_stored_values_may_have_a_column_per_run(capsys):
    words = [demo.NAME, RUNS["A"], RUNS["B"], "nDCG_JK@10"]
    assert cli.main(["evaluate", *words, "-q", "-p", "6", "-o", "stored.csv"]) == 0
    rows = pandas.read_csv("stored.csv", dtype={"query_id": str})
    wide = rows.pivot(index="query_id", columns="run", values="nDCG_JK@10")
    wide.to_csv("wide.csv")
    assert cli.main(["gate", *words, "--values", "wide.csv"]) == 0
    assert "The values of A are those that were stored." in capsys.readouterr().out


def test_topics_without_an_attribute_have_none_in_every_form():
    frame = pandas.DataFrame({"topic": ["q1", "q2"], "kind": ["a", None]})
    frame.to_csv("kinds.csv", index=False)
    frame.to_parquet("kinds.parquet")
    for file in ("kinds.csv", "kinds.parquet"):
        assert read_attribute(f"{file}:kind") == {"q1": "a", "q2": None}
    assert read_attribute("kinds.csv:topic") == {"q1": "q1", "q2": "q2"}
