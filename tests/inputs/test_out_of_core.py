"""Runs of more rows than are grouped in memory, in any order."""

import os
import sys
import threading
import time
from dataclasses import replace
from random import Random

import numpy as np
import pyarrow
import pytest
from ir_measures import AP, RR, Compat, NumRet, nDCG
from pyarrow import parquet

from buckets import arrow, qrels_and_runs
from ir_measures_graded import ERR_G, GradedError, RunFile, nDCG_JK
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.core.rows.id_matching import Ids
from ir_measures_graded.core.rows.rows import Facts, Part
from ir_measures_graded.files.content import SIZES
from ir_measures_graded.files.files import RunStream
from ir_measures_graded.files.out_of_core import regrouped, whole_topics

MEASURES = [nDCG_JK @ 10, ERR_G @ 5, AP, nDCG @ 10, RR @ 3, NumRet]


@pytest.fixture
def duckdb():
    return pytest.importorskip("duckdb", reason="DuckDB is not installed")


SMALL = replace(SIZES, grouped=100, rows=10, block=400, small=0)
"""Few rows are many, and blocks are short."""


def written(path, run, shuffle):
    """The run in a file whose topics do not stand together: text, or Parquet with several groups of rows."""
    table = arrow(run, "score", shuffle)
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=60)
    else:
        rows = zip(*(table[name].to_pylist() for name in table.column_names))
        path.write_text("".join(f"{topic} Q0 {doc} 0 {score} x\n" for topic, doc, score in rows))
    return path


def small(source, sizes=SMALL):
    """The run in a file or a stream, read in these sizes."""
    run = RunFile(source) if isinstance(source, os.PathLike) else RunStream(source, "mine")
    run.sizes = sizes
    return run


def stream(table):
    """The rows as a stream, which can be read once."""
    return pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=50))


@pytest.mark.usefixtures("duckdb")
@pytest.mark.parametrize("form", ["run.txt", "run.parquet", "stream", "sorted stream"])
@pytest.mark.parametrize("measures", [MEASURES, [AP, Compat(p=0.8)]], ids=["ours", "others"])
def test_values_and_aggregates_equal_those_of_a_run_in_memory(form, measures, tmp_path):
    qrels, runs = qrels_and_runs(topics=40)
    table = arrow(runs["one"], "score", None if form == "sorted stream" else Random(2))
    run = stream(table) if "stream" in form else written(tmp_path / form, runs["one"], Random(2))
    found, again = (evaluate(qrels, {"run": each}, measures) for each in (small(run), table))
    assert found.records() == again.records()
    assert found.aggregates.tolist() == again.aggregates.tolist()


@pytest.mark.usefixtures("duckdb")
@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("q1 Q0 d1 0 high x", "the score 'high' is not a number"),
        ("q1 Q0 d1 0 7 x", "topic 'q1' retrieves document 'd1' a second time .first in line {first}"),
    ],
)
def test_an_error_late_in_a_file_is_that_of_the_file(last, message, tmp_path):
    _, runs = qrels_and_runs(topics=40)
    path = written(tmp_path / "run.txt", {**runs["one"], "q1": {"d1": 1}}, Random(2))
    lines = [*path.read_text().splitlines(), last]
    path.write_text("\n".join(lines))
    first = next(number for number, line in enumerate(lines, 1) if line.startswith("q1 "))
    with pytest.raises(GradedError, match=f"run.txt:{len(lines)}: {message.format(first=first)}"):
        evaluate({"q1": {"d1": 1}}, {"run": small(path)}, [AP])


def test_a_topic_that_appears_again_late_in_a_stream_is_an_error():
    _, runs = qrels_and_runs(topics=40)
    table = pyarrow.concat_tables([arrow(runs["one"], "score"), arrow({"q7": {"late": 1}}, "score")])
    with pytest.raises(GradedError, match="mine: topic 'q7' appears again after 600 rows of a stream; sort"):
        evaluate({"q1": {"d1": 1}}, {"mine": small(stream(table))}, [AP])


def test_blocks_are_cut_between_hashes():
    """Two topics may have the same hash."""
    hashes, topics = np.array([1, 1, 2, 2, 2, 2, 2, 5, 7], np.uint64), "aabcbcbde"
    for size in range(1, 10):
        parts = (
            Part({"hash": hashes[a : a + size], "query_id": Ids.of([*topics[a : a + size]])}, lines, Facts())
            for a in range(0, 9, size)
            for lines in [np.arange(a, min(a + size, 9))]
        )
        blocks = [*whole_topics(parts, 0, "hash")]
        assert np.concatenate([block.columns["hash"] for block in blocks]).tolist() == hashes.tolist()
        assert [topic for block in blocks for topic in block.columns["query_id"]] == [*topics]
        seen = [set(block.columns["query_id"]) for block in blocks]
        assert sum(map(len, seen)) == len(set(topics))


def test_without_duckdb_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    qrels, runs = qrels_and_runs(topics=40)
    path = written(tmp_path / "run.parquet", runs["one"], Random(2))
    before = set(threading.enumerate())  # threads of earlier tests may end meanwhile
    message = (
        r"run.parquet: more than 100 rows, and the rows of a topic do not stand together; sort the rows by "
        r"topic, or install DuckDB, which evaluates rows in any order: pip install .*\[duckdb\]"
    )
    with pytest.raises(GradedError, match=message) as kept:
        evaluate(qrels, {"run": small(path)}, [NumRet, nDCG_JK])
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert set(threading.enumerate()) <= before, kept
    few = written(tmp_path / "few.parquet", {topic: {"d1": 1, "d2": 2} for topic in qrels}, Random(2))
    assert evaluate(qrels, {"run": small(few)}, [NumRet]).aggregates.tolist() == [[2 * len(qrels)]]


@pytest.mark.usefixtures("duckdb")
def test_what_duckdb_lacks_is_an_error(tmp_path):
    _, runs = qrels_and_runs(topics=40)
    path = written(tmp_path / "run.parquet", runs["one"], Random(2))
    with pytest.raises(GradedError, match=r"run.parquet: cannot sort the rows in temporary files: .*TMPDIR"):
        evaluate({"q1": {"d1": 1}}, {"run": small(path, replace(SMALL, duckdb="1KB"))}, [AP])


@pytest.mark.usefixtures("duckdb")
def test_no_thread_of_duckdb_reads_on_after_an_error():
    rows = arrow({f"q{topic}": {f"d{doc}": doc for doc in range(100)} for topic in range(30)}, "score")

    def slow():
        for _ in range(30):
            yield from rows.to_batches()
            time.sleep(0.02)

    batches = pyarrow.RecordBatchReader.from_batches(rows.schema, slow())
    parts = RunStream(batches, "run")._parts()
    with pytest.raises(GradedError, match="run: cannot sort the rows"):
        list(regrouped(parts, "run", replace(SMALL, duckdb="1KB")))
    parts.close()  # fails while another thread reads
