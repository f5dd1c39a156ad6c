"""Runs in files whose topics do not stand together, and rows that can be read only once."""

import errno
import gc
import io
import os
import sys
from random import Random
from tempfile import TemporaryFile

import pytest
from ir_measures import AP, RR, Compat
from pyarrow import parquet
from reading import in_pieces, run_file

from buckets import arrow, qrels_and_runs
from ir_measures_graded import ERR_G, GradedError, RunFile, nDCG_JK
from ir_measures_graded.analysis import check, evaluate
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.files import out_of_core, spilled
from ir_measures_graded.files.content import SIZES
from ir_measures_graded.files.out_of_core import regrouped

MEASURES = [nDCG_JK @ 10, ERR_G @ 5, AP, RR @ 3]
SMALL = SIZES._replace(rows=10, block=400, small=0)
SORTED = SMALL._replace(in_memory=50)  # by DuckDB


def in_file(path, run, sizes=SMALL):
    """The run in a file with scattered topics: text, or Parquet with several groups of rows."""
    table = arrow(run, "score", Random(2))
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=60)
    else:
        path.write_bytes(trec_lines(table.to_pylist()))
    file = RunFile(path)
    file.sizes = sizes
    return file


def trec_lines(rows):
    lines = [f"{row['query_id']} Q0 {row['doc_id']} 0 {row['score']} x\n" for row in rows]
    return "".join(lines).encode()


@pytest.mark.parametrize("sizes", [SMALL, SORTED], ids=["in memory", "by DuckDB"])
@pytest.mark.parametrize("form", ["run.txt", "run.parquet"])
@pytest.mark.parametrize("measures", [MEASURES, [AP, Compat(p=0.8)]], ids=["ours", "others"])
def test_values_equal_those_of_a_run_in_memory(form, measures, sizes, tmp_path):
    if sizes is SORTED:
        pytest.importorskip("duckdb")
    qrels, runs = qrels_and_runs(topics=40)
    file = in_file(tmp_path / form, runs["one"], sizes)
    table = arrow(runs["one"], "score", Random(2))
    expected = evaluate(qrels, {"run": table}, measures)
    assert evaluate(qrels, {"run": file}, measures).records() == expected.records()


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


def test_a_signal_while_rows_are_sorted_is_no_error_of_files(tmp_path):
    pytest.importorskip("duckdb")
    run = {f"q{topic}": {f"d{doc}": doc for doc in range(20)} for topic in range(10)}
    file = in_file(tmp_path / "run.txt", run)
    every = list(file._parts())

    def interrupted():
        yield from every
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(regrouped(interrupted(), "run", SORTED))


def test_the_extra_is_named_without_duckdb(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    qrels, runs = qrels_and_runs(topics=40)
    run = in_file(tmp_path / "run.txt", runs["one"], SORTED)
    reason = "run.txt: a run of more than 50 rows whose topics are scattered needs duckdb"
    with pytest.raises(GradedError, match=rf"{reason}, .*\[large\]"):
        evaluate(qrels, {"run": run}, [AP])


def test_a_folder_without_space_is_told_in_a_sentence(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")

    def full(*_):
        said = "failed to offload data block of size 96.0 KiB (269.9 MiB/270.0 MiB used)"
        raise duckdb.OutOfMemoryException(f"Out of Memory Error: {said}.\n\nPossible solutions")

    monkeypatch.setattr(out_of_core, "_whole_topics", full)
    monkeypatch.setattr(out_of_core, "gettempdir", lambda: "/folder")
    qrels, runs = qrels_and_runs(topics=40)
    run = in_file(tmp_path / "run.txt", runs["one"], SORTED)
    reason = "run.txt: cannot sort the rows in temporary files: /folder has too little space; "
    with pytest.raises(GradedError, match=f"{reason}.*TMPDIR"):
        evaluate(qrels, {"run": run}, [AP])


def text_of(runs):
    """Scattered rows of several runs as CSV, or of one run as TREC lines."""
    rows = []
    for name, run in runs.items():
        for row in arrow(run, "score", Random(2)).to_pylist():
            rows.append({"run": name, **row})
    Random(3).shuffle(rows)
    if len(runs) == 1:
        return trec_lines(rows)
    lines = ["run,query_id,doc_id,score"]
    lines += [",".join(map(str, row.values())) for row in rows]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("several", [False, True], ids=["stream", "several runs"])
def test_rows_that_can_be_read_only_once_are_spilled(several, monkeypatch):
    pytest.importorskip("duckdb")
    monkeypatch.setattr(spilled, "WRITTEN", 30)
    opened = []

    def temporary_file(**options):
        opened.append(TemporaryFile(**options))  # noqa: SIM115, the rows close it
        return opened[-1]

    monkeypatch.setattr(spilled, "TemporaryFile", temporary_file)
    qrels, runs = qrels_and_runs(topics=40)
    if not several:
        runs = {"run": runs["one"]}
    text = text_of(runs)

    def values(sizes):
        file = RunFile(io.BytesIO(text))
        file.sizes = sizes
        return evaluate(qrels, [file], [*MEASURES, Compat(p=0.8)]).records()

    expected = values(SIZES)
    assert not opened
    assert values(SORTED) == expected
    gc.collect()
    assert [file.closed for file in opened] == [True]


@pytest.mark.parametrize("place", ["open", "write"])
def test_a_full_disk_is_told_in_a_sentence(place, monkeypatch):
    class Full:
        closed = False

        def write(self, text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def close(self):
            self.closed = True

    def temporary_file(**options):
        return Full().write(b"") if place == "open" else Full()

    monkeypatch.setattr(spilled, "TemporaryFile", temporary_file)
    file = RunFile(io.BytesIO(text_of({"run": qrels_and_runs(topics=40)[1]["one"]})))
    file.sizes = SORTED
    message = (
        "the open file: cannot write the rows to a temporary file: No space left on device; "
        "the environment variable TMPDIR names another folder for them"
    )
    with pytest.raises(GradedError) as caught:
        file.rows()
    assert str(caught.value) == message


def test_a_stream_without_pyarrow_is_told_in_a_sentence(monkeypatch):
    file = RunFile(io.BytesIO(text_of({"run": qrels_and_runs(topics=40)[1]["one"]})))
    file.sizes = SORTED
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = "a stream or several runs of more than 50 rows needs pyarrow"
    with pytest.raises(GradedError, match=message):
        file.rows()


def test_remarks_on_ids_count_topics_that_are_read_twice_once(tmp_path):
    topics = [f"q{number}" for number in range(12)]
    judged = {topic: {f"00{document}": 1 for document in range(1, 9)} for topic in topics}
    lines = [f"{topic} Q0 {document} 1 1 t" for topic in topics for document in range(1, 9)]
    path = tmp_path / "run"
    path.write_text("\n".join([*lines, "q0 Q0 9 9 0.5 t"]))
    messages = []
    shares = []
    for sizes in (SIZES, in_pieces(1 << 20, rows=40)):
        with pytest.warns(InputWarning) as caught:
            evaluate(judged, {"x": run_file(path, sizes)}, ["AP"])
        messages.append([str(warning.message) for warning in caught])
        of_q0 = {"q0": {str(document): 1 for document in range(1, 9)}, "q1": {"1": 1}}
        shares.append(check(of_q0, {"x": run_file(path, sizes)}).judged_shares.tolist())
    whole, in_blocks = messages
    assert in_blocks == whole
    assert shares[1] == shares[0]
    assert "of 12 topics would match" in whole[0]
