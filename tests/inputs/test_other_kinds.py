"""Files of other kinds are named; folders of Parquet files have rules; depths have limits."""

import bz2
import gzip
import io
import json
import os
import tarfile
import zipfile
from functools import partial
from itertools import product

import numpy as np
import pandas
import pytest
from reading import qrels, refused, run

from ir_measures_graded import RunFile
from ir_measures_graded.files import content
from ir_measures_graded.files.sources import is_file, qrels_source

FRAME = pandas.DataFrame(
    {"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [2.0, 1.0], "relevance": [1, 0]}
)


def written(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def archive(name):
    def write(file):
        with zipfile.ZipFile(file, "w") as made:
            made.writestr(name, "q1 Q0 d1 1 1 t\n")

    return written(write)


def tar(file):
    with tarfile.open(fileobj=file, mode="w") as made:
        made.addfile(tarfile.TarInfo("runs/a.run"))


LLAMA = {
    "queries": {"q1": "a"},
    "corpus": {"d1": "b"},
    "relevant_docs": {"q1": ["d1"]},
    "mode": "text",
}
HIT = {"_index": "i", "_id": "d1", "_score": 1.5, "_source": {"text": "x"}}
HITS = {"took": 3, "timed_out": False, "hits": {"total": {"value": 1}, "hits": [HIT]}}
CHILD = {"id": "id:ns:doc::1", "relevance": 0.5, "fields": {"title": "x"}}
VESPA = {
    "root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 1}, "children": [CHILD]}
}
KINDS = {
    "UTF-16": ("query_id,doc_id,score\nq1,d1,1\n".encode("utf-16"), "text in UTF-16", "iconv"),
    "Excel's line": (b"sep=;\r\nquery_id;doc_id;score\r\nq1;d1;1\r\n", "line for Excel", "remove"),
    "old line ends": (b"query_id,doc_id,score\rq1,d1,1\r", "end with CR alone", "tr"),
    "TREC, old line ends": (b"q1 Q0 d1 1 1 a\rq1 Q0 d2 2 0 a\r", "end with CR alone", "tr"),
    "zip": (archive("a.run"), "an archive (zip)", "unpack"),
    "xlsx": (archive("xl/workbook.xml"), "an Excel file (xlsx)", "export the sheet as CSV"),
    "npz": (written(partial(np.savez, a=[1])), "arrays of NumPy", "write a table"),
    "npy": (written(partial(np.save, arr=[1])), "an array of NumPy", "write a table"),
    "tar": (written(tar), "an archive (tar)", "unpack"),
    "HTML": (b"\n <!DOCTYPE html>\n<html></html>", "a page in HTML", "download the file"),
    "XML": (b'<?xml version="1.0"?><topics/>', "an XML file", "write a table"),
    "Git LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
        "a pointer of Git LFS",
        "git lfs pull",
    ),
    "SVG": (b'<svg xmlns="a"\n width="3">\n</svg>\n', "a picture (SVG)", "write a table"),
    "script": (b"#!/bin/bash\necho hi\n", "a script, which is not run", "write a table"),
    "source": (b"import os\nprint(1)\n", "1: 2 fields, which no form of", "names of its columns"),
    "LZ4": (b"\x04\x22\x4d\x18" + bytes(50), "LZ4", "save as .json or .parquet"),
    "pickle": (written(FRAME.to_pickle), "a pickle of Python", "write it as Parquet"),
    "PDF": (b"%PDF-1.7\n", "a PDF document", "write a table"),
    "LlamaIndex": (
        json.dumps(LLAMA).encode(),
        "a dataset of LlamaIndex",
        "write its relevant_docs",
    ),
    "Vespa": (
        json.dumps(VESPA).encode(),
        "a response of Vespa",
        "query_id, id and relevance",
    ),
    "Elasticsearch": (json.dumps(HITS).encode(), "Elasticsearch", "query_id, _id and _score"),
    "msearch": (
        json.dumps({"took": 1, "responses": [HITS]}).encode(),
        "Elasticsearch",
        "query_id, _id",
    ),
}


for orient in ("columns", "index", "split", "table", "values"):
    text = FRAME.to_json(orient=orient)
    KINDS[f"orient {orient}"] = (text.encode(), f'orient="{orient}"', 'orient="records"')
TWICE_COMPRESSED = {
    "gzip in gzip": gzip.compress(gzip.compress(b"q1 Q0 d 1 1 t")),
    "gzip in bzip2": bz2.compress(gzip.compress(b"q1 Q0 d 1 1 t")),
    "bzip2 in gzip": gzip.compress(bz2.compress(b"q1 Q0 d 1 1 t")),
}


@pytest.mark.parametrize("read", [run, qrels])
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", KINDS)
def test_other_kind_of_file_is_named_with_what_to_export(name, read, compress):
    content, kind, advice = KINDS[name]
    message = refused(read, compress(content))
    assert kind in message
    assert advice in message


@pytest.mark.parametrize("read", [run, qrels])
@pytest.mark.parametrize("kind", TWICE_COMPRESSED)
def test_file_that_is_compressed_twice_is_named(kind, read):
    message = refused(read, TWICE_COMPRESSED[kind])
    assert kind in message
    assert "decompress it once" in message


def test_records_of_a_frame_are_read():
    assert run(FRAME.to_json(orient="records")) == {"q1": {"d1": 2.0, "d2": 1.0}}
    assert qrels(FRAME.to_json(orient="records", lines=True)) == {"q1": {"d1": 1.0, "d2": 0.0}}


@pytest.mark.parametrize("before", ["", "\n\n", "# a comment\n", "\ufeff"])
@pytest.mark.parametrize(("read", "form"), [(run, "score"), (qrels, "relevance")])
def test_line_of_no_form_is_shown_with_all_forms(read, form, before):
    line = "one two three four five six seven"
    if read is run:
        line = "one two three four five"
    message = refused(read, f"{before}{line}\n")
    line_breaks = before.count("\n")
    assert "which no form of " in message
    assert f":{1 + line_breaks}: " in message
    for name in ("TREC", f"query_id,doc_id,{form}", "JSON", "Parquet"):
        assert name in message


# Folders


@pytest.fixture
def folder(tmp_path):
    """A function that writes a Parquet file below a folder."""

    def write(path, **columns):
        path = tmp_path / path
        path.parent.mkdir(parents=True, exist_ok=True)
        defaults = {"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]}
        frame = pandas.DataFrame(defaults | columns)
        frame.dropna(axis="columns").to_parquet(path)
        return tmp_path

    return write


def docs_in(path):
    return sorted((row.query_id, row.doc_id) for row in RunFile(path))


@pytest.mark.parametrize("key", ["run=8", "iteration=500", "query_id=q9", "score=3"])
def test_keys_above_the_named_folder_do_not_count(folder, key):
    top = folder(f"{key}/r/part.parquet")
    folder(f"{key}/r/sub/other.parquet", doc_id=["d2"])
    assert docs_in(top / key / "r") == [("q1", "d1"), ("q1", "d2")]
    assert RunFile(top / key / "r").runs() == {}
    assert docs_in(top / key / "r" / "*.parquet") == [("q1", "d1")]


def test_keys_below_the_named_folder_are_columns(folder):
    top = folder("run=8/r/run=A/query_id=q%2F1/part.parquet", query_id=None)
    folder("run=8/r/run=B/query_id=02/part.parquet", query_id=None)
    root = top / "run=8" / "r"
    for name in (root, root / "run=*" / "*" / "*.parquet"):
        runs = RunFile(name).runs()
        assert list(runs) == ["A", "B"]
        assert list(runs["A"]) == [("q/1", "d1", 1.0)]
        assert list(runs["B"]) == [("02", "d1", 1.0)]


@pytest.mark.parametrize(
    ("path", "fact"),
    [
        ("query_id=q9/part.parquet", "query_id is a column of the file and a key of its folder"),
        ("Query-Id=q9/part.parquet", "Query-Id is a column of the file and a key of its folder"),
        ("qid=q9/part.parquet", "the key qid of its folder and its column query_id both name"),
        ("sim=1/part.parquet", "the key sim of its folder and its column score both name score"),
        ("run=A/run=B/part.parquet", "the folders name run twice"),
        ("run=__HIVE_DEFAULT_PARTITION__/part.parquet", "row 0 has no run"),
    ],
)
def test_keys_that_contradict_are_refused(folder, path, fact):
    assert fact in refused(RunFile(folder(path)).rows)


def test_text_of_a_query_beside_its_id_is_no_second_topic(folder):
    assert docs_in(folder("query=why/part.parquet")) == [("q1", "d1")]


def test_files_of_a_folder_have_the_same_keys(folder):
    top = folder("part.parquet")
    folder("run=X/part.parquet", doc_id=["d2"])
    message = refused(RunFile(top).rows)
    assert "part.parquet is in no folder run=…, and " in message
    _, _, reason = message.partition(": ")
    message_of_pattern = refused(RunFile(os.path.join(top, "**", "*.parquet")).rows)
    _, _, reason_of_pattern = message_of_pattern.partition(": ")
    assert reason_of_pattern == reason


def test_folders_with_the_ending_of_parquet_match_a_pattern(folder):
    top = folder("a.parquet/part-0.parquet")
    folder("b.parquet/part-0.parquet", doc_id=["d2"])
    folder("c/part-0.parquet", doc_id=["d3"])
    assert docs_in(top / "*.parquet") == [("q1", "d1"), ("q1", "d2")]


@pytest.mark.parametrize(
    "hidden", ["_tmp/part.parquet", ".tmp/part.parquet", "_part.parquet", "a/.x.parquet"]
)
def test_entries_that_begin_with_a_mark_are_left_out(folder, hidden):
    top = folder("part.parquet")
    folder(hidden, doc_id=["d2"])
    assert docs_in(top) == docs_in(top / "**" / "*.parquet") == [("q1", "d1")]


def test_link_that_leads_back_is_left_out(folder):
    top = folder("a/part.parquet")
    folder("b/part.parquet", doc_id=["d2"])
    for name, target in product(["a", "b"], [".", ".."]):
        (top / name / f"link{len(target)}").symlink_to(target)
    (top / "self").symlink_to(top)
    (top / "circle").symlink_to("circle")
    assert docs_in(top) == [("q1", "d1"), ("q1", "d2")]
    assert docs_in(top / "**" / "*.parquet") == [("q1", "d1"), ("q1", "d2")]
    assert docs_in(top / "b*" / "**" / "part.parquet") == [("q1", "d2")]
    assert content.parquet_files(top / "**" / "*.arrow") == []


def test_folder_has_a_greatest_number_of_entries(folder, monkeypatch):
    top = folder("part.parquet")
    for number in range(5):
        (top / f"{number}.txt").touch()
    monkeypatch.setattr(content, "MOST_ENTRIES", 6)
    assert docs_in(top) == [("q1", "d1")]
    (top / "6.txt").touch()
    assert "is a directory of more than 6 entries" in refused(RunFile(top).rows)
    assert "is a directory of more than 6 entries" in refused(is_file, str(top))
    assert "matches more than 6 entries" in refused(RunFile(os.path.join(top, "*")).rows)


# Depth


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, '{"q": {"d": ' + "[" * 99 + "]" * 99 + "}}", "[" * 101],
    ids=["arrays", "objects", "in a dict", "101"],
)
def test_json_nests_at_most_100_deep(text):
    assert "cannot be read as JSON: it nests more than 100 deep" in refused(run, text)


def test_brackets_in_ids_do_not_nest():
    topic = "[" * 200
    assert run(json.dumps({topic: {'{"\\[' * 50: 1}})) == {topic: {'{"\\[' * 50: 1.0}}


def test_qrels_may_be_a_folder(folder):
    top = folder("iteration=1/part.parquet", score=None, relevance=[2])
    assert qrels_source(top).dicts() == {"q1": {"d1": 2.0}}
