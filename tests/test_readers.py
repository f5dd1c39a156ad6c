"""Readers: TREC files and ir-datasets collections, and one message for whatever is wrong with them."""

import gzip
import io
import sys
from pathlib import Path
from types import SimpleNamespace

import ir_measures
import pytest
from ir_measures import Qrel

from ir_measures_graded import GradedError, nCG
from ir_measures_graded.readers import qrels_of, read_trec_qrels, read_trec_run, scoreddocs_of

RUN = b"q1 Q0 d1 1 9.5 tag\nq1 Q0 d2 2 8 tag\nq2 Q0 d1 1 7 tag\n"
AS_DICTS = {"q1": {"d1": 9.5, "d2": 8.0}, "q2": {"d1": 7.0}}


def refused(reader, file):
    with pytest.raises(GradedError) as caught:
        reader(file)
    return str(caught.value)


def written(path, content):
    path.write_bytes(content)
    return path


# What is read


def test_a_run_is_a_dict_of_dicts_of_scores(tmp_path):
    assert read_trec_run(written(tmp_path / "run", RUN)) == AS_DICTS
    assert read_trec_run(str(tmp_path / "run")) == AS_DICTS


def test_qrels_keep_their_iteration_and_whole_levels_are_ints(tmp_path):
    qrels = read_trec_qrels(written(tmp_path / "qrels", b"q1 0 d1 -2\nq1 s2 d1 1.0\nq2 0 d9 0.5\n"))
    assert qrels == [Qrel("q1", "d1", -2, "0"), Qrel("q1", "d1", 1, "s2"), Qrel("q2", "d9", 0.5, "0")]
    assert [type(qrel.relevance) for qrel in qrels] == [int, int, float]


def test_blank_lines_tabs_and_foreign_line_ends_make_no_difference():
    assert read_trec_run(io.BytesIO(b"\n  q1\t Q0  d1 1\t9.5 tag \r\n\r\nq1 Q0 d2 2 8e0 tag")) == {
        "q1": {"d1": 9.5, "d2": 8.0}
    }


def test_a_byte_order_mark_is_no_part_of_the_first_topic():
    assert read_trec_run(io.BytesIO(b"\xef\xbb\xbf" + RUN)) == AS_DICTS


def test_ids_are_utf8_and_only_ascii_blanks_separate_fields():
    assert read_trec_run(io.BytesIO("q1 Q0 Järvelin\u00a0\u3000K 1 1 tag".encode())) == {
        "q1": {"Järvelin\u00a0\u3000K": 1.0}
    }


def test_topics_may_be_interleaved():
    rows = RUN + b"q1 Q0 d3 3 1 tag\n"
    assert read_trec_run(io.BytesIO(rows)) == {"q1": {**AS_DICTS["q1"], "d3": 1.0}, "q2": AS_DICTS["q2"]}


def test_infinite_scores_are_scores():
    assert read_trec_run(io.BytesIO(b"q1 Q0 d1 1 inf t\nq1 Q0 d2 2 -inf t")) == {
        "q1": {"d1": float("inf"), "d2": float("-inf")}
    }


def test_gzip_is_read_from_files_and_from_standard_input(tmp_path, monkeypatch):
    path = written(tmp_path / "run.gz", gzip.compress(RUN))
    assert read_trec_run(path) == AS_DICTS
    for content in (RUN, gzip.compress(RUN)):
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
        monkeypatch.setattr(sys, "stdin", stdin)
        assert read_trec_run("-") == AS_DICTS
        assert not stdin.closed


def test_empty_files_are_empty(tmp_path):
    path = written(tmp_path / "empty", b"")
    assert read_trec_run(path) == {}
    assert read_trec_qrels(path) == []


def test_real_files_read_as_ir_measures_reads_them(shared_data):
    folder = shared_data / "trec_eval-test"
    qrels, run = folder / "qrels.test", folder / "results.test"
    assert read_trec_qrels(qrels) == list(ir_measures.read_trec_qrels(str(qrels)))
    rows = [(topic, doc, score) for topic, docs in read_trec_run(run).items() for doc, score in docs.items()]
    assert rows == [tuple(row) for row in ir_measures.read_trec_run(str(run))]


# What is refused, with file and line


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q1 Q0 d3 3 5.5", "5 fields, not 6 (topic Q0 document rank score tag): 'q1 Q0 d3 3 5.5'"),
        (b"q1 Q0 d3 3 5.5 my tag", "7 fields, not 6"),
        (b"q1", "1 field, not 6"),
        (b"q1 Q0 d3 3 high tag", "the score 'high' is not a number (topic Q0 document rank score tag)"),
        (b"q1 Q0 d3 3 1_000 tag", "the score '1_000' is not a number"),
        (b"q1 Q0 d3 3 nan tag", "the score is NaN"),
        (b"q1 Q0 d\xff3 3 1 tag", "not UTF-8 text (byte 0xff at position 7)"),
        (b"q1 Q0 d3 3 1 t\xe4g", "not UTF-8 text (byte 0xe4 at position 14)"),
        (b"q1 Q0 d2 3 1 tag", "topic 'q1' retrieves document 'd2' a second time (first in line 2)"),
        (b"q1 Q0 " + b"x" * 999, "xxx…'"),
    ],
)
def test_a_bad_line_of_a_run_is_named(tmp_path, line, message):
    path = written(tmp_path / "run", RUN + b"\n" + line + b"\n" + RUN)
    told = refused(read_trec_run, path)
    assert told.startswith(f"{path}:5: ")
    assert message in told


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q1 0 d3", "3 fields, not 4 (topic iteration document level): 'q1 0 d3'"),
        (b"q1 Q0 d3 3 5.5 tag", "6 fields, not 4"),
        (b"q1 0 d3 high", "the level 'high' is not a finite number (topic iteration document level)"),
        (b"q1 0 d3 inf", "the level 'inf' is not a finite number"),
        (b"q1 0 d3 nan", "the level 'nan' is not a finite number"),
        (b"q1 0 d3 1e999", "the level '1e999' is not a finite number"),
        (b"q1 0 d3 1_0", "the level '1_0' is not a finite number"),
        (b"q1 0 \xe4 1", "not UTF-8 text"),
    ],
)
def test_a_bad_line_of_qrels_is_named(tmp_path, line, message):
    path = written(tmp_path / "qrels", b"q1 0 d1 1\n" + line + b"\n")
    told = refused(read_trec_qrels, path)
    assert told.startswith(f"{path}:2: ")
    assert message in told


def test_both_lines_of_a_document_retrieved_twice_are_named_across_other_topics():
    rows = b"q1 Q0 a 1 9 t\n\nq2 Q0 b 1 9 t\nq1 Q0 b 2 8 t\nq2 Q0 a 2 8 t\nq1 Q0 b 3 7 t\n"
    assert ":6: topic 'q1' retrieves document 'b' a second time (first in line 4)" in refused(
        read_trec_run, io.BytesIO(rows)
    )


def test_a_gzip_file_cut_off_or_damaged_is_refused_at_the_line(tmp_path):
    rows = b"".join(b"q1 Q0 doc%d 1 %d tag\n" % (number, -number * number) for number in range(20000))
    whole = gzip.compress(rows)
    cut = written(tmp_path / "cut.gz", whole[: len(whole) // 2])
    told = refused(read_trec_run, cut)
    assert "the gzip file is damaged or cut off here" in told
    line = int(told.removeprefix(f"{cut}:").partition(":")[0])
    assert 1 < line < 20000

    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    told = refused(read_trec_run, written(tmp_path / "flipped.gz", bytes(flipped)))
    assert "flipped.gz:" in told

    told = refused(read_trec_run, written(tmp_path / "plain.gz", RUN))
    assert told.startswith(f"{tmp_path / 'plain.gz'}:1: the gzip file is damaged")


def test_a_directory_and_a_missing_file_are_refused(tmp_path):
    assert refused(read_trec_run, tmp_path).startswith(f"{tmp_path}: cannot be read: ")
    missing = tmp_path / "missing"
    assert refused(read_trec_qrels, missing) == f"{missing}: cannot be read: No such file or directory"


def test_standard_input_and_open_files_have_names_too(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"q1 0 d")))
    assert refused(read_trec_qrels, "-").startswith("standard input:1: 3 fields")
    assert refused(read_trec_qrels, io.BytesIO(b"\nq1 0 d")).startswith("the open file:2: 3 fields")


def test_levels_in_conflict_are_refused_by_graded_measures_only():
    qrels = read_trec_qrels(io.BytesIO(b"q1 1 d1 0\nq1 2 d1 1\n"))
    assert [qrel.iteration for qrel in qrels] == ["1", "2"]
    with pytest.raises(GradedError, match="document 'd1': judged twice, at level 0 and at level 1"):
        nCG.calc_aggregate(qrels, {"q1": {"d1": 1.0}})


# Collections


def test_a_file_goes_before_a_collection_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(Path("graded-demo"), b"q1 0 d1 1\n")
    assert qrels_of("graded-demo") == [Qrel("q1", "d1", 1, "0")]


def test_a_directory_does_not_hide_a_collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("graded-demo").mkdir()
    assert len(qrels_of("graded-demo")) == 2992


def test_the_demo_collection_carries_a_run():
    run = scoreddocs_of("graded-demo")
    assert set(run) == {qrel.query_id for qrel in qrels_of("graded-demo")}


def test_an_unknown_collection_is_refused_with_close_ids(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = refused(qrels_of, "graded-dmeo")
    assert told == "'graded-dmeo' is neither a file nor an ir-datasets id; did you mean graded-demo?"
    Path("runs").mkdir()
    assert refused(qrels_of, "runs").startswith("'runs' is a directory, not a file, and no ir-datasets id")
    written(Path("qrels.txt"), b"")
    assert refused(scoreddocs_of, "qrels.txt").startswith("'qrels.txt' is a file, not an ir-datasets id")


def test_a_collection_without_qrels_or_run_says_which_parts_have_some():
    told = refused(qrels_of, "msmarco-passage")
    assert told.startswith("the ir-datasets collection 'msmarco-passage' has no qrels; parts of it have: ")
    assert "msmarco-passage/dev" in told
    told = refused(scoreddocs_of, "vaswani")
    assert told == "the ir-datasets collection 'vaswani' carries no run (scoreddocs)"


def collection(monkeypatch, **parts):
    """Let `made-up` be an ir-datasets collection with these parts."""
    import ir_datasets

    made_up = SimpleNamespace(
        metadata=None, has_qrels=lambda: True, has_scoreddocs=lambda: True, has=lambda part: True, **parts
    )
    monkeypatch.setitem(ir_datasets.registry._registered, "made-up", made_up)


def failing(error):
    def rows():
        raise error
        yield

    return rows


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("All download sources failed", ["…"]), "All download sources failed"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
        (KeyError(), "KeyError"),
    ],
)
def test_a_failed_download_is_one_message(monkeypatch, error, reason):
    collection(monkeypatch, qrels_iter=failing(error), scoreddocs_iter=failing(error))
    where = "of the ir-datasets collection 'made-up'"
    assert refused(qrels_of, "made-up") == f"cannot load the qrels {where}: {reason}"
    assert refused(scoreddocs_of, "made-up") == f"cannot load the scoreddocs {where}: {reason}"


def test_subtopics_of_a_collection_are_iterations(monkeypatch):
    row = SimpleNamespace(query_id="q1", doc_id="d1", relevance=1, subtopic_id="3")
    collection(monkeypatch, qrels_iter=lambda: [row])
    assert qrels_of("made-up") == [Qrel("q1", "d1", 1, "3")]


def test_a_collection_whose_run_repeats_a_document_is_refused(monkeypatch):
    row = SimpleNamespace(query_id="q1", doc_id="d1", score=1.0)
    collection(monkeypatch, scoreddocs_iter=lambda: [row, row])
    assert "topic 'q1' retrieves document 'd1' twice" in refused(scoreddocs_of, "made-up")
