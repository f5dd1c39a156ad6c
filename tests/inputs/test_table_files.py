"""Files of tables, with one run or several: what they give, and the errors they raise."""

import csv as python_csv
import gzip
import io
import sys
from decimal import Decimal
from functools import partial
from pathlib import Path

import ir_measures
import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv, dataset, feather, ipc, orc, parquet
from reading import by_topic, in_pieces, outcome, refused, run_file

from ir_measures_graded import CG, GradedEvaluator, RunFile, nDCG_JK
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.files.files import qrels_in
from ir_measures_graded.files.kinds import KINDS, Kind
from ir_measures_graded.files.parquet_pages import longest_in_dictionary
from ir_measures_graded.files.table_files import TableFile

QRELS = {"q1": {"d1": 2, "d2": 1}, "q2": {"d1": 1}}
RUNS = {
    "A": {"q1": {"d1": 9.5, "d2": 8.0}, "q2": {"d2": 7.0, "d1": 7.0}},
    "B": {"q1": {"d2": 2.0}, "q2": {"d1": 0.5}},
}


def write_stream(table, path):
    with ipc.new_stream(path, table.schema) as file:
        file.write_table(table, max_chunksize=2)


WRITERS = {
    "csv": csv.write_csv,
    "tsv": partial(csv.write_csv, write_options=csv.WriteOptions(delimiter="\t")),
    "parquet": partial(parquet.write_table, row_group_size=2),
    "feather": partial(feather.write_feather, chunksize=2),
    "arrows": write_stream,
}


def table(runs=RUNS, names=("run", "query_id", "doc_id", "score")):
    """A table of several runs."""
    rows = []
    for run, topics in runs.items():
        for topic, docs in topics.items():
            for doc, score in docs.items():
                rows.append(dict(zip(names, (run, topic, doc, score))))
    return pyarrow.Table.from_pylist(rows)


def dicts(runs):
    """Runs as dicts of dicts."""
    return {name: by_topic(run) for name, run in runs.items()}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(kind, rows, name="runs"):
    path = Path(f"{name}.{kind}")
    WRITERS[kind](rows, str(path))
    return path


# Several runs in one file


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("compressed", [bytes, gzip.compress])
def test_runs_of_a_file_are_told_apart_by_a_column(kind, compressed):
    measures = [nDCG_JK @ 5, ir_measures.AP, ir_measures.Judged @ 5]
    expected = evaluate(QRELS, RUNS, measures).values
    for rows, run_column in (
        (table(), None),
        (table(names=("system", "qid", "docno", "score")), "system"),
    ):
        path = written(kind, rows)
        path.write_bytes(compressed(path.read_bytes()))
        for file in (path, io.BytesIO(path.read_bytes())):
            runs = RunFile(file, run_column=run_column).runs()
            assert dicts(runs) == RUNS
            assert dicts(runs) == RUNS  # they can be read again
            assert (evaluate(QRELS, runs, measures).values == expected).all()


def test_run_of_a_mixed_file_is_whole():
    rows = table().take([5, 0, 3, 1, 4, 2])
    expected = evaluate(QRELS, RUNS, [CG @ 2]).values
    for kind in WRITERS:
        runs = run_file(written(kind, rows), in_pieces(1 << 20, rows=1)).runs()
        assert list(runs) == ["B", "A"]
        in_order = {name: runs[name] for name in RUNS}
        assert dicts(in_order) == RUNS
        assert (evaluate(QRELS, in_order, [CG @ 2]).values == expected).all()


@pytest.mark.parametrize("kind", WRITERS)
def test_table_without_rows_has_no_runs(kind):
    path = written(kind, table().slice(0, 0))
    assert RunFile(path).runs() == {}
    assert refused(evaluate, QRELS, {"x": path}, [CG]) == f"{path}: the run is empty"


def test_column_of_runs_that_is_named_must_exist():
    for kind in WRITERS:
        path = written(kind, table())
        assert refused(RunFile(path, run_column="system").runs) == (
            f"{path} has no column system; it has run, query_id, doc_id, score"
        )
        message = refused(RunFile(path, run_column="score").runs)
        assert message == f"{path}: the column score cannot also name the runs"
    Path("run").write_text("q1 Q0 d1 1 1 t\n")
    assert RunFile("run").runs() == {}
    message = refused(list, RunFile("run", run_column="run"))
    assert message.startswith("run: the file has no columns with names")


# Tables and their columns


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("name", ["query_id", "doc_id", "score"])
def test_missing_value_is_refused_with_file_and_row(kind, name):
    rows = table({"A": {"q1": dict.fromkeys("abcde", 1.0)}}).drop_columns("run")
    values = rows[name].to_pylist()
    with_holes = pyarrow.array([*values[:3], None, None], rows[name].type)
    path = written(kind, rows.set_column(rows.column_names.index(name), name, with_holes))
    message = refused(list, RunFile(path))
    if kind in ("csv", "tsv"):
        assert message.startswith(f"{path}:5: the field {name} is empty")
    else:
        assert message == f"{path}: row 3 has no {name}"


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrows"])
def test_errors_about_rows_name_file_and_row(kind):
    sizes = in_pieces(1 << 20, rows=2)
    rows = pyarrow.table(
        {"query_id": ["q1"] * 4, "doc_id": ["a", "b", "c", "a"], "score": [1.0, 2, 3, 4]}
    )
    path = written(kind, rows)
    for read in (list, partial(CG.calc_aggregate, QRELS | {"q1": {"a": 1}})):
        message = refused(read, run_file(path, sizes))
        assert message.startswith(f"{path}: row 3: topic 'q1' retrieves document 'a' twice")
    path = written(kind, rows.set_column(2, "score", pyarrow.array([1.0, 2, 3, float("nan")])))
    message = refused(list, RunFile(path))
    assert message.startswith(f"{path}: row 3: topic 'q1', document 'a': the score is NaN")
    path = written(kind, rows.set_column(2, "score", pyarrow.array(["1", "2", "3", "x"])))
    assert refused(list, RunFile(path)) == f"{path}: row 0: the score '1' is not a number"
    path = written(kind, rows.set_column(0, "query_id", pyarrow.array([1.0, 1, 1, 1])))
    message = f"{path}: query_id is of type double, not a string; write the ids as strings"
    assert refused(list, RunFile(path)) == message
    path = written(kind, rows.rename_columns(["query_id", "doc_id", "relevance"]))
    message = refused(lambda: GradedEvaluator([CG], qrels_in(path)))
    assert "document 'a': judged twice, at level 1 (row 0) and at level 4 (row 3)" in message


def test_numbers_of_any_type_are_read_exactly():
    for values in (
        [Decimal("0.1"), Decimal("2.7")],
        pyarrow.array([3, 1], "uint8"),
        np.float32([0.1, 7]),
    ):
        rows = pyarrow.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": values})
        expected = list(map(float, rows["score"].to_pylist()))
        assert [row.score for row in RunFile(written("parquet", rows))] == expected


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrows"])
def test_damaged_file_is_refused_with_its_kind(kind):
    path = written(kind, table())
    path.write_bytes(path.read_bytes()[:-40])
    name = "Parquet" if kind == "parquet" else "Arrow"
    assert refused(list, RunFile(path, "A")).startswith(f"{path}: cannot be read as {name}: ")


def write_folders(parts):
    """A folder `rows` with a file in a folder for each part of a run, and a folder `judged`."""
    for name, topics in parts.items():
        Path("rows", name).mkdir(parents=True)
        rows = table({"A": topics}).drop_columns("run")
        parquet.write_table(rows, f"rows/{name}/part.parquet")
    Path("judged").mkdir()
    judged = pyarrow.table({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "label": [2, 1]})
    parquet.write_table(judged, "judged/a.PARQUET")
    judged = pyarrow.table({"qid": ["q2"], "docno": ["d1"], "label": [1], "iteration": ["7"]})
    parquet.write_table(judged, "judged/b.parquet")


@pytest.mark.parametrize("form", ["folder", "pattern", "dataset"])
def test_parquet_files_of_a_folder_are_one_table(form):
    topics = RUNS["A"]
    write_folders({"1": {"q1": topics["q1"]}, "2": {"q2": topics["q2"]}})
    qrels, run = {
        "folder": ("judged", "rows"),
        "pattern": ("judged/*", "rows/*/*.parquet"),
        "dataset": (dataset.dataset("judged"), dataset.dataset("rows")),
    }[form]
    expected = evaluate(QRELS, {"A": topics}, [CG]).values.tolist()
    assert evaluate(qrels, {"A": run}, [CG]).values.tolist() == expected


def test_folders_of_a_partitioned_table_name_the_runs():
    write_folders({"run=02": RUNS["A"], "run=2": RUNS["B"]})
    runs = RunFile("rows").runs()
    assert dicts(runs) == {"02": RUNS["A"], "2": RUNS["B"]}
    expected = evaluate(QRELS, RUNS, [CG]).values.tolist()
    assert evaluate("judged", runs, [CG]).values.tolist() == expected


@pytest.mark.parametrize(
    ("first", "second", "fact"),
    [
        ({"query_id": [1]}, {"query_id": ["01"]}, "{'1': {'d': 1.0}, '01': {'e': 2.0}}"),
        ({}, {"query_id": [True]}, "2.parquet: query_id is of type bool, not a string"),
        ({"score": [1]}, {"score": ["2"]}, "2.parquet: row 0: the score '2' is not a number"),
        ({"score": [1]}, {"score": [2.5]}, "{'1': {'d': 1.0, 'e': 2.5}}"),
        ({"score": np.float32([1])}, {"score": [0.1]}, "{'1': {'d': 1.0, 'e': 0.1}}"),
        (
            {},
            {"run": ["A"]},
            "2.parquet has the columns query_id, doc_id, score, run, and the first file of",
        ),
    ],
)
def test_each_file_of_a_folder_is_read_as_if_alone(first, second, fact):
    Path("rows").mkdir()
    rows = {"query_id": ["1"], "doc_id": ["d"], "score": [1.0]} | first
    parquet.write_table(pyarrow.table(rows), "rows/1.parquet")
    rows = {"query_id": ["1"], "doc_id": ["e"], "score": [2.0]} | second
    parquet.write_table(pyarrow.table(rows), "rows/2.parquet")
    assert fact in outcome(lambda: by_topic(RunFile("rows")))


@pytest.mark.parametrize("kind", ["feather", "arrows"])
def test_values_of_a_dictionary_are_read_as_plain_values(kind):
    rows = {"doc_id": ["a", "b"], "score": [2.0, 1.0]}
    for values in (["q", None], [7, None]):
        topics = pyarrow.DictionaryArray.from_arrays([0, 1], values)
        path = written(kind, pyarrow.table(rows | {"query_id": topics}))
        assert refused(list, RunFile(path)) == f"{path}: row 1 has no query_id"
        topics = pyarrow.DictionaryArray.from_arrays([0, 0], values)
        path = written(kind, pyarrow.table(rows | {"query_id": topics}))
        assert by_topic(RunFile(path)) == {str(values[0]): {"a": 2.0, "b": 1.0}}
    message = refused(evaluate, {"007": {"a": 1}}, [path], [CG])
    assert "an integer, which may have lost leading" in message


def test_folder_without_parquet_files_is_refused():
    Path("empty").mkdir()
    assert "'empty' is a directory" in refused(evaluate, "empty", {"x": RUNS["A"]}, [CG])
    assert "Is a directory" in refused(evaluate, QRELS, {"x": "empty"}, [CG])


# CSV and TSV


@pytest.mark.parametrize(
    "content",
    [
        b"query_id,doc_id,score\nq1,d1,9.5\nq1,d2,8\nq2,d1,7\n",
        b"\xef\xbb\xbfscore,doc_id,query_id,note\r\n9.5,d1,q1,\r\n8,d2,q1,x\r\n7,d1,q2,y",
        b'"qid","docno","score"\n\n"q1","d1",9.5\n\n"q1","d2","8"\nq2,d1,7\n',
        b"qid\tQ0\tdocno\trank\tscore\ttag\n"
        b"q1\tQ0\td1\t1\t9.5\tt\nq1\tQ0\td2\t2\t8\tt\nq2\tQ0\td1\t1\t7\tt\n",
    ],
)
def test_headed_text_is_read(content):
    assert by_topic(RunFile(io.BytesIO(content))) == {
        "q1": {"d1": 9.5, "d2": 8.0},
        "q2": {"d1": 7.0},
    }


CELLS = st.sampled_from(
    ["q1", "d1", '"d1"', '"d,1"', '"d""1"', 'd"1', " d", "1", '"2"', "nan", "inf", "x", "", "é"]
)
SCORES = st.sampled_from(["1", '"2"', "inf", " 1"])
ENDS = st.sampled_from(["\n"] * 9 + ["\r\n", "\n\n", "\r", " \n", ""])


def line(cells, end):
    return ",".join(cells) + end


ANY_ROWS = st.lists(CELLS, min_size=2, max_size=4)
LIKELY_ROWS = st.tuples(CELLS, CELLS, SCORES)
LINES = st.builds(line, ANY_ROWS | LIKELY_ROWS, ENDS)


@settings(max_examples=40)
@given(content=st.lists(LINES, max_size=5).map("".join))
def test_fast_and_strict_reader_of_headed_text_agree(content):
    file = io.BytesIO(f"query_id,doc_id,score\n{content}".encode())
    fast = outcome(list, RunFile(file))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow", None)
        file.seek(0)
        assert fast == outcome(list, RunFile(file))


@pytest.mark.parametrize("block", [20, 50, 1 << 20])
def test_quoted_text_is_read_as_by_the_csv_module(block):
    rows = [
        ("q1", "d1", "9", "first,q1,d2,99,second"),
        ("q1", 'd"2', "8", 'a "quoted" word, and\t"'),
        ("q1", "d,3", "7", "x" * 200_000),
        ("q1", "d4", "6", ""),
    ]
    expected = {"q1": {doc: float(score) for _, doc, score, _ in rows}}
    for delimiter in ",\t":
        content = io.StringIO()
        writer = python_csv.writer(content, delimiter=delimiter)
        writer.writerow(("query_id", "doc_id", "score", "t"))
        writer.writerows(rows)
        text = content.getvalue()
        for variant in (text, text.rstrip("\r\n"), text.replace("\r\n", "\n\n")):
            assert by_topic(run_file(variant, in_pieces(block))) == expected


def test_stream_ends_with_its_end_marker_and_its_file():
    content = written("arrows", table()).read_bytes()
    damaged = bytearray(gzip.compress(content))
    damaged[-8] ^= 1  # the checksum
    cut_off = [content[:-size] for size in (8, 4, 1)]
    compressed = [gzip.compress(start) for start in cut_off]
    for wrong in (*cut_off, *compressed, content * 2, damaged):
        message = refused(list, RunFile(io.BytesIO(wrong), "A"))
        assert message.startswith("the open file: cannot be read as Arrow: ")


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize(
    "names",
    [
        ("query-id", "corpus-id", "score"),
        ("q_id", "doc_id", "score"),
        ("Topic ID", "Passage ID", "sim"),
        ("turnId", "docId", "_score"),
        ("query_text", "docid", "Doc Position"),
        ("qid", "pid", "rank"),
    ],
)
def test_columns_have_the_names_of_other_tools(kind, names):
    rows = table({"A": {"q1": {"d1": 2.0, "d2": 1.0}}}).drop_columns("run").rename_columns(names)
    has_ranks = names[2] in ("rank", "Doc Position")
    scores = {"q1": {"d1": 2.0, "d2": 1.0}}
    if has_ranks:
        scores = {"q1": {"d1": -2.0, "d2": -1.0}}
    path = written(kind, rows)
    assert by_topic(RunFile(path)) == scores
    expected = evaluate(QRELS, {"x": scores}, [CG @ 1, ir_measures.AP]).values
    for source in (path, rows, rows.to_pandas()):
        assert (evaluate(QRELS, {"x": source}, [CG @ 1, ir_measures.AP]).values == expected).all()
    if not has_ranks:
        judged = rows.rename_columns([*names[:2], "rating"]).append_column("iteration", [[7, 7]])
        qrels = [ir_measures.Qrel("q1", "d1", 2, "7"), ir_measures.Qrel("q1", "d2", 1, "7")]
        assert qrels_in(written(kind, judged, "qrels")).for_others() == qrels


def test_the_better_name_of_a_column_counts():
    run = RunFile(io.BytesIO(b"q_id,topic,qid,doc_id,score\n1,2,3,d,1\n"))
    assert by_topic(run) == {"3": {"d": 1.0}}
    for qrels in (
        b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
        b"query-id,corpus-id,score,rel\nq1,d1,3,1\n",
    ):
        assert qrels_in(io.BytesIO(qrels)).values.tolist() == [1]


def open_orc(content):
    file = orc.ORCFile(content.seekable())

    def batches(columns):
        return [file.read_stripe(stripe, columns) for stripe in range(file.nstripes)]

    return TableFile(file.schema.names, batches)


def test_new_kind_needs_a_function_and_a_row(monkeypatch):
    rows = [("q1", "d1", 9.5), ("q1", "d2", 8.0), ("q2", "d2", 7.0), ("q2", "d1", 7.0)]
    names = ["query_id", "doc_id", "score"]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    orc.write_table(pyarrow.table(columns), "bm25.orc")
    assert "an ORC file" in refused(RunFile("bm25.orc").rows)
    monkeypatch.setitem(KINDS, b"ORC", Kind("ORC", open_orc, ("orc",)))
    assert evaluate(QRELS, "bm25.orc", [nDCG_JK @ 2]).runs == ("bm25",)
    assert by_topic(RunFile("bm25.orc")) == RUNS["A"]


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
@settings(max_examples=10)
@given(texts=st.lists(st.text("ab\0é", max_size=4), min_size=1, max_size=20))
def test_longest_text_of_a_dictionary_is_found_or_left_to_pyarrow(compression, texts):
    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"doc_id": texts}), file, compression=compression)
    source = pyarrow.BufferReader(file.getvalue())
    chunk = parquet.ParquetFile(source).metadata.row_group(0).column(0)
    longest = longest_in_dictionary(source, chunk)
    if longest is not None or all(text and "\0" not in text for text in texts):
        assert longest == max(len(text.encode()) for text in texts)


def test_longest_text_of_a_damaged_dictionary_is_left_to_pyarrow():
    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"doc_id": ["d1", "d22"]}), file)
    content = file.getvalue()
    chunk = parquet.ParquetFile(file).metadata.row_group(0).column(0)
    start = chunk.dictionary_page_offset
    for place in range(start, chunk.data_page_offset):
        for value in (0, 1, 255):
            damaged = content[:place] + bytes([value]) + content[place + 1 :]
            longest = longest_in_dictionary(pyarrow.BufferReader(damaged), chunk)
            assert longest in (None, 2, 3)


def test_topics_that_few_codes_stand_for_keep_their_rows():
    topics = ["q1", "q10", "q100"] * 100
    documents = [f"d{number}" for number in range(300)]
    scores = [float(number % 7) for number in range(300)]
    columns = {"query_id": topics, "doc_id": documents, "score": scores}
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file)
    file.seek(0)
    expected = {topic: {} for topic in topics}
    for topic, document, score in zip(topics, documents, scores, strict=True):
        expected[topic][document] = score
    assert by_topic(RunFile(file)) == expected


@pytest.mark.parametrize("form", ["stream", "file", "Parquet"])
def test_ranks_are_compared_in_several_batches(form):
    topics = [f"q{number // 2}" for number in range(20)]
    columns = {
        "query_id": topics,
        "doc_id": ["d1", "d2"] * 10,
        "score": [0.5, 0.7] * 10,
        "rank": [1, 2] * 10,
    }
    table = pyarrow.table(columns)
    content = io.BytesIO()
    if form == "Parquet":
        parquet.write_table(table, content, row_group_size=2)
    else:
        new = ipc.new_stream if form == "stream" else ipc.new_file
        with new(content, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    run = run_file(content.getvalue())
    run.rows()
    (remark,) = run.remarks
    assert "in 10 of 10 topics, as with distances" in remark.text
