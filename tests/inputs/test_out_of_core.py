"""Runs in files whose topics do not stand together."""

import sys
from random import Random

import pytest
from ir_measures import AP, RR, Compat
from pyarrow import parquet

from buckets import arrow, qrels_and_runs
from ir_measures_graded import ERR_G, GradedError, RunFile, nDCG_JK
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.files.content import SIZES

MEASURES = [nDCG_JK @ 10, ERR_G @ 5, AP, RR @ 3]
SMALL = SIZES._replace(rows=10, block=400, small=0)
SORTED = SMALL._replace(in_memory=50)  # by DuckDB


def in_file(path, run, sizes=SMALL):
    """The run in a file whose topics do not stand together: text, or Parquet with several groups of rows."""
    table = arrow(run, "score", Random(2))
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=60)
    else:
        rows = zip(*(table[name].to_pylist() for name in table.column_names))
        path.write_text("".join(f"{topic} Q0 {doc} 0 {score} x\n" for topic, doc, score in rows))
    found = RunFile(path)
    found.sizes = sizes
    return found


@pytest.mark.parametrize("sizes", [SMALL, SORTED], ids=["in memory", "by DuckDB"])
@pytest.mark.parametrize("form", ["run.txt", "run.parquet"])
@pytest.mark.parametrize("measures", [MEASURES, [AP, Compat(p=0.8)]], ids=["ours", "others"])
def test_values_equal_those_of_a_run_in_memory(form, measures, sizes, tmp_path):
    if sizes is SORTED:
        pytest.importorskip("duckdb")
    qrels, runs = qrels_and_runs(topics=40)
    run, table = (
        in_file(tmp_path / form, runs["one"], sizes),
        arrow(runs["one"], "score", Random(2)),
    )
    found, again = (evaluate(qrels, {"run": each}, measures) for each in (run, table))
    assert found.records() == again.records()


@pytest.mark.parametrize("sizes", [SMALL, SORTED], ids=["in memory", "by DuckDB"])
@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("q1 Q0 d1 0 high x", "the score 'high' is not a number"),
        ("q1 Q0 d1 0 7 x", "topic 'q1' retrieves document 'd1' twice"),
    ],
)
def test_an_error_late_in_a_file_is_that_of_the_file(last, message, sizes, tmp_path):
    if sizes is SORTED:
        pytest.importorskip("duckdb")
    _, runs = qrels_and_runs(topics=40)
    path = tmp_path / "run.txt"
    run = in_file(path, {**runs["one"], "q1": {"d1": 1}}, sizes)
    lines = [*path.read_text().splitlines(), last]
    path.write_text("\n".join(lines))
    with pytest.raises(GradedError, match=f"run.txt:{len(lines)}: {message}"):
        evaluate({"q1": {"d1": 1}}, {"run": run}, [AP])


def test_the_extra_is_named_without_duckdb(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    qrels, runs = qrels_and_runs(topics=40)
    run = in_file(tmp_path / "run.txt", runs["one"], SORTED)
    message = (
        r"run.txt: a run of more than 50 rows whose topics are scattered needs duckdb, .*\[large\]"
    )
    with pytest.raises(GradedError, match=message):
        evaluate(qrels, {"run": run}, [AP])
