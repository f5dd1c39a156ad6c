"""Small files that unpack to much are refused, and the limits can be lifted."""

import bz2
import gzip
import io
import json
import lzma
from functools import partial

import numpy as np
import pyarrow
import pytest
from pyarrow import ipc, parquet
from reading import outcome, refused

from ir_measures_graded import GradedError, RunFile, errors, read_qrels
from ir_measures_graded.analysis import Evaluation, evaluate
from ir_measures_graded.core.registry import notation
from ir_measures_graded.core.rows import columns
from ir_measures_graded.core.rows.roles import RUN
from ir_measures_graded.evaluation import values
from ir_measures_graded.files import content, files, json_files, search_answers, table_files
from ir_measures_graded.files.content import SIZES, Reading
from ir_measures_graded.files.files import qrels_in
from ir_measures_graded.files.json_text import Text
from ir_measures_graded.files.parquet_pages import largest_page
from ir_measures_graded.files.predictions import predictions_for

LINE = b"q1 Q0 d1 1 2.0 t\n"
KINDS = {
    "same line": LINE * (1 << 14),
    "blank lines": b"\n" * (1 << 18),
    "comments": b"# a\n" * (1 << 17),
    "JSON": b"[" + b"{}," * (1 << 17) + b"{}]",
    "quoted": b'query_id,doc_id,score\n"' + b"\n" * (1 << 18),
}
PACKERS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": partial(lzma.compress, preset=0),
}


@pytest.mark.parametrize(
    ("kind", "packer"),
    [
        ("same line", "bzip2"),
        ("blank lines", "gzip"),
        ("comments", "xz"),
        ("JSON", "gzip"),
        ("quoted", "gzip"),
    ],
)
def test_a_small_file_that_unpacks_to_much_is_refused(kind, packer):
    packed = PACKERS[packer](KINDS[kind])
    file = RunFile(io.BytesIO(packed))
    file.sizes = SIZES._replace(free=1 << 16)
    message = refused(file.rows)
    assert f"bytes of the {packer} file unpack to more than " in message
    assert message.endswith("lift the limit with --no_limits (limits=False in Python)")


WORK = {
    "comments": (b"# a\n", "lines that are read one by one"),
    "the same judgment": (b"q1 0 d1 1\n", "rows"),
    "JSON": (b"[" + b"{}," * 9_999 + b"{}]", "objects of JSON"),
}


@pytest.mark.parametrize("kind", WORK)
def test_rows_and_values_count_against_the_bytes_of_a_compressed_file(kind):
    text, things = WORK[kind]
    if kind != "JSON":
        text *= 10_000
    packed = gzip.compress(text)
    sizes = SIZES._replace(free=2 * len(text), expansion=1)
    told = refused(lambda: qrels_in(io.BytesIO(packed), sizes=sizes))
    assert f"bytes of the gzip file unpack to more {things}" in told
    assert "the limit is" in told
    assert "--no_limits" in told
    lifted = sizes._replace(expansion=0)
    told = outcome(lambda: qrels_in(io.BytesIO(packed), sizes=lifted).dicts())
    assert "unpack to" not in told


REPEATING = {
    "one line": [LINE] * 100,
    "scattered topics": [LINE, LINE.replace(b"q1", b"q2")] * 50,
    "several runs": [b"run,query_id,doc_id,score\n", *[b"A,q1,d1,1\n", b"B,q1,d1,1\n"] * 200],
    "a long topic": [b"q1 Q0 d%d 1 2.0 t\n" % (row % 500) for row in range(3_000)],
}


@pytest.mark.parametrize("kind", REPEATING)
def test_the_first_repeated_document_ends_the_reading(kind, monkeypatch):
    monkeypatch.setattr(files, "LONG", 1_000)

    def endless():
        yield from REPEATING[kind] * 10
        raise AssertionError("the file is read on")

    lines = endless()
    file = io.BytesIO()
    file.read = lambda size: next(lines)
    run = RunFile(file, limits=False)
    run.sizes = run.sizes._replace(start=400, piece=400, block=400)
    line = {"one line": 2, "scattered topics": 3, "several runs": 4, "a long topic": 501}[kind]
    message = f"the open file:{line}: topic 'q1' retrieves document 'd[01]' twice"
    with pytest.raises(GradedError, match=message):
        evaluate({"q1": {"d1": 1}}, [run], ["AP"])


def test_a_document_that_a_table_repeats_early_ends_the_reading_at_its_second_batch(tmp_path):
    table = pyarrow.table({"query_id": ["q1"] * 40, "doc_id": ["d"] * 40, "score": range(40)})
    parquet.write_table(table, tmp_path / "run.parquet")
    reading = Reading(RUN, sizes=SIZES._replace(rows=10))
    parts = files.unrepeated(files.parts_of(tmp_path / "run.parquet", reading))
    assert len(next(parts)) == 10
    assert "row 1: topic 'q1' retrieves document 'd' twice" in refused(lambda: next(parts))


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
@pytest.mark.parametrize("new", [ipc.new_file, ipc.new_stream], ids=["file", "stream"])
def test_compressed_buffers_of_arrow_are_limited(new, codec, monkeypatch):
    monkeypatch.setattr(content, "SMALL_FILE", 0)
    rows = 2_000
    topics = pyarrow.array(["q1"] * rows).dictionary_encode()
    documents = [f"{'d' * 100}{row}" for row in range(rows)]
    table = pyarrow.table({"query_id": topics, "doc_id": documents, "score": np.zeros(rows)})
    sink = io.BytesIO()
    options = ipc.IpcWriteOptions(compression=codec)
    with new(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=500)
    file = RunFile(io.BytesIO(sink.getvalue()))
    file.sizes = SIZES._replace(free=1 << 10, expansion=1)
    if codec is None:
        assert file.rows().values.size == rows
        return
    assert "bytes of the Arrow file unpack to more than" in refused(file.rows)
    lifted = RunFile(io.BytesIO(sink.getvalue()), limits=False)
    assert list(lifted.rows().docs.ids()) == documents


def test_pages_of_parquet_are_limited(tmp_path):
    rows = 2_000
    documents = [f"{'d' * 100}{row}" for row in range(rows)]
    columns = {"query_id": ["q1"] * rows, "doc_id": documents, "score": np.zeros(rows)}
    path = tmp_path / "run.parquet"
    parquet.write_table(pyarrow.table(columns), path, compression="zstd", use_dictionary=False)
    file = RunFile(path)
    file.sizes = SIZES._replace(free=1 << 10, expansion=1)
    assert "bytes of the Parquet file unpack to more than" in refused(file.rows)
    assert RunFile(path).rows().values.size == rows


@pytest.mark.parametrize("length", [9, 2_000])
def test_texts_that_parquet_codes_by_their_difference_are_read(tmp_path, length, monkeypatch):
    monkeypatch.setattr(table_files, "DECODED", 50_000)
    rows = 3_000
    documents = [f"{row:0{length}}" for row in range(rows)]
    columns = {"query_id": ["q1"] * rows, "doc_id": documents, "score": np.arange(rows) * 1.0}
    path = tmp_path / "run.parquet"
    codes = {"doc_id": "DELTA_BYTE_ARRAY"}
    parquet.write_table(pyarrow.table(columns), path, use_dictionary=False, column_encoding=codes)
    file = RunFile(path)
    file.sizes = SIZES._replace(rows=500)
    rows = file.rows()
    assert list(rows.docs.ids()) == documents
    assert rows.values.tolist() == columns["score"].tolist()


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_no_text_is_longer_than_the_largest_page(tmp_path, version):
    path = tmp_path / "run.parquet"
    options = {"use_dictionary": False, "column_encoding": {"doc_id": "DELTA_BYTE_ARRAY"}}
    options |= {"data_page_size": 2_000, "write_batch_size": 100, "data_page_version": version}
    documents = [f"document-{row * 7919 % 10_007:05}" for row in range(9_000)]
    parquet.write_table(pyarrow.table({"doc_id": documents}), path, **options)
    chunk = parquet.ParquetFile(path).metadata.row_group(0).column(0)
    largest = largest_page(pyarrow.OSFile(str(path)), chunk)
    assert 100 < largest < 10_000 < chunk.total_uncompressed_size
    damaged = io.BytesIO(path.read_bytes()[:4] + b"\x1c" * chunk.total_compressed_size)
    unread = largest_page(pyarrow.PythonFile(damaged, "r"), chunk)
    assert unread == chunk.total_uncompressed_size


def packed_run(rows):
    return gzip.compress(b"".join(b"q1 Q0 d%d 1 2.0 t\n" % row for row in range(rows)))


def test_a_file_within_the_limits_and_one_without_limits_are_read():
    packed = packed_run(5_000)
    tight = SIZES._replace(free=100, expansion=1)
    file = RunFile(io.BytesIO(packed))
    file.sizes = tight
    assert "unpack to more than" in refused(file.rows)
    assert RunFile(io.BytesIO(packed)).rows().values.size == 5_000
    lifted = RunFile(io.BytesIO(packed), limits=False)
    assert lifted.sizes.expansion == 0
    assert lifted.rows().values.size == 5_000


def test_rows_of_a_small_table_are_limited(tmp_path):
    rows = 2_000_000
    constant = pyarrow.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["d1"])
    columns = {"query_id": constant, "doc_id": constant, "score": np.zeros(rows)}
    columns["relevance"] = columns["score"]
    path = tmp_path / "copies.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    assert path.stat().st_size < 50_000
    assert "rows seem to be copies; if they are meant" in refused(RunFile(path).rows)
    assert "rows seem to be copies; if they are meant" in refused(read_qrels, path)


@pytest.mark.parametrize("row_group_size", [100_000, 70_000])
def test_a_long_text_of_many_rows_is_refused_before_it_is_copied(tmp_path, row_group_size):
    rows = 100_000
    documents = pyarrow.array([f"d{row}" for row in range(70_000)] + ["d" * 1_000_000])
    coded = pyarrow.DictionaryArray.from_arrays(np.minimum(np.arange(rows), 70_000), documents)
    topics = pyarrow.repeat("q1", rows)
    table = pyarrow.table({"query_id": topics, "doc_id": coded, "score": np.zeros(rows)})
    path = tmp_path / "run.parquet"
    parquet.write_table(table, path, row_group_size=row_group_size)
    message = refused(RunFile(path).rows)
    assert "run.parquet: row 70000: the doc_id 'ddd" in message
    assert message.endswith("is longer than 4,096 bytes")


@pytest.mark.parametrize("kind", ["Parquet", "Arrow"])
def test_texts_in_a_dictionary_count_once_for_each_row(tmp_path, kind):
    rows = 60_000
    documents = pyarrow.array([f"{row}{'d' * 2_000}" for row in range(10)])
    coded = pyarrow.DictionaryArray.from_arrays(np.arange(rows) % 10, documents)
    topics = pyarrow.array([f"q{row // 10}" for row in range(rows)])
    table = pyarrow.table({"query_id": topics, "doc_id": coded, "score": np.zeros(rows)})
    path = tmp_path / "run"
    if kind == "Parquet":
        parquet.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as file:
            file.write_table(table.unify_dictionaries())
    assert f"bytes of the {kind} file unpack to more than" in refused(RunFile(path).rows)
    assert RunFile(path, limits=False).rows().values.size == rows


def test_rows_of_a_folder_are_limited_together(tmp_path):
    rows = 400_000
    constant = pyarrow.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["d1"])
    table = pyarrow.table({"query_id": constant, "doc_id": constant, "score": np.zeros(rows)})
    for number in range(4):
        parquet.write_table(table, tmp_path / f"{number}.parquet")
    file = RunFile(tmp_path).with_repeated_documents()
    assert "rows seem to be copies; if they are meant" in refused(file.rows)


def test_a_file_of_a_folder_may_unpack_as_one_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "SMALL_FILE", 0)
    documents = [f"d{row:09}" for row in range(3_000)]
    columns = {"query_id": ["q1"] * 3_000, "doc_id": documents, "score": np.arange(3_000) * 1.0}
    parquet.write_table(pyarrow.table(columns), tmp_path / "part.parquet", use_dictionary=False)
    for path in (tmp_path / "part.parquet", tmp_path):
        file = RunFile(path)
        file.sizes = SIZES._replace(free=1 << 10)
        assert file.rows().values.size == 3_000


def test_limits_of_a_table_of_values_can_be_lifted(tmp_path, monkeypatch):
    monkeypatch.setattr(values, "SIZES", SIZES._replace(free=1 << 18))
    path = tmp_path / "values.csv.gz"
    header = "run,topic,measure,value\n"
    zeros = "0" * 5000
    lines = "".join(f"A,t{row},AP,0.5{zeros}\n" for row in range(100))
    path.write_bytes(gzip.compress((header + lines).encode()))
    assert "--no_limits" in refused(lambda: Evaluation.from_values(path))
    assert Evaluation.from_values(path, limits=False).values.shape == (1, 1, 100)


def test_measures_of_a_small_table_of_values_are_limited(tmp_path):
    names = [f"m{number}" for number in range(2_000)]
    path = tmp_path / "values.csv.gz"
    header = ",".join(["run", "topic", *names])
    lines = "".join(f"{run},1{',1' * len(names)}\n" for run in "AB")
    path.write_bytes(gzip.compress(f"{header}\n{lines}".encode()))
    told = refused(lambda: Evaluation.from_values(path))
    assert "unpack to more measures than real files have: each counts as 81,920 bytes" in told
    assert Evaluation.from_values(path, limits=False).values.shape == (2, 2_000, 1)
    long_lines = "".join(f"A,1,{name},1\n" for name in names)
    path.write_bytes(gzip.compress(f"run,topic,measure,value\n{long_lines}".encode()))
    assert "unpack to more measures than" in refused(lambda: Evaluation.from_values(path))


def test_combinations_without_values_take_no_memory(monkeypatch):
    monkeypatch.setattr(values, "FREE_COMBINATIONS", 1_000)
    numbers = [str(number) for number in range(50)]
    table = {"run": numbers, "topic": numbers, "measure": numbers, "value": [0.5] * 50}
    told = refused(lambda: Evaluation.from_values(table))
    assert told == (
        "values: 50 values for 50 runs, 50 measures and 50 topics, so most combinations lack a "
        "value; give each run a value by each measure for each topic"
    )


def test_runs_of_a_small_file_are_limited():
    rows = b"".join(b"r%d,q1,d1,1\n" % run for run in range(1_000))
    packed = gzip.compress(b"run,query_id,doc_id,score\n" + rows)
    told = refused(RunFile(io.BytesIO(packed)).runs)
    assert "unpack to more runs than real files have: each counts as 163,840 bytes" in told
    assert len(RunFile(io.BytesIO(packed), limits=False).runs()) == 1_000


@pytest.mark.parametrize("role", ["run", "values"])
def test_long_texts_of_short_codes_are_refused_before_they_fill_the_memory(
    tmp_path, role, monkeypatch
):
    sizes = SIZES._replace(free=1 << 24)
    monkeypatch.setattr(values, "SIZES", sizes)
    texts = [f"{'d' * 4_000}{row}" for row in range(6_000)]
    names = {"run": ["query_id", "doc_id", "score"], "values": ["run", "topic", "AP"]}[role]
    columns = dict(zip(names, [["q1"] * 6_000, texts, np.zeros(6_000)], strict=True))
    path = tmp_path / "table.parquet"
    codes = {names[1]: "DELTA_BYTE_ARRAY"}
    options = {"use_dictionary": names[:1], "column_encoding": codes, "compression": "zstd"}
    parquet.write_table(pyarrow.table(columns), path, **options)
    assert path.stat().st_size < 30_000
    file = RunFile(path)
    file.sizes = sizes
    read = file.rows if role == "run" else partial(Evaluation.from_values, path)
    assert "bytes of the Parquet file unpack to more than" in refused(read)


def test_few_rows_at_once_count_against_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(table_files, "DECODED", 1_000)
    documents = [f"{row:09}" for row in range(3_000)]
    columns = {"query_id": ["q1"] * 3_000, "doc_id": documents, "score": np.zeros(3_000)}
    path = tmp_path / "run.parquet"
    codes = {"doc_id": "DELTA_BYTE_ARRAY"}
    parquet.write_table(pyarrow.table(columns), path, use_dictionary=False, column_encoding=codes)
    file = RunFile(path)
    file.sizes = SIZES._replace(free=1 << 20, expansion=1)
    assert "unpack to more texts that are coded by their difference" in refused(file.rows)
    assert RunFile(path, limits=False).rows().values.size == 3_000


def test_numbers_with_hundreds_of_digits_count_against_the_limit():
    packed = gzip.compress(b'{"q1": [' + b",".join([b"9" * 4_000] * 500) + b"]}")
    file = RunFile(io.BytesIO(packed))
    file.sizes = SIZES._replace(free=1 << 24)
    assert "unpack to more numbers with hundreds of digits" in refused(file.rows)


def test_the_first_object_tells_that_an_array_is_of_another_kind():
    told = refused(RunFile(io.BytesIO(b'[\n{"a": 1},\n{"b": ]')).rows)
    assert told.startswith("the open file:2: JSON of no known run; an object has the keys a")


def test_an_endless_table_of_values_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(values, "MOST_TEXT", 1 << 21)
    path = tmp_path / "values"
    path.write_bytes(b"y\n" * (3 << 19))
    told = refused(lambda: Evaluation.from_values(path))
    assert told.endswith(
        "values: more than 2,097,152 bytes of text, which are read at once; write a Parquet file"
    )


@pytest.mark.parametrize("form", ["dict", "columns"])
def test_documents_in_json_count_against_the_limit(form):
    documents = [f"d{number}" for number in range(50_000)]
    value = {"q1": dict.fromkeys(documents, 1)}
    if form == "columns":
        ones = [1] * len(documents)
        value = {"query_id": ones, "doc_id": documents, "score": ones}
    file = RunFile(io.BytesIO(gzip.compress(json.dumps(value).encode())))
    file.sizes = SIZES._replace(free=5_000_000, expansion=1)
    assert "unpack to more documents in JSON than real files have" in refused(file.rows)


@pytest.mark.parametrize("value", [{"d1": 2.0, "d2": 1.0}, ["d1", "d2"]], ids=["dict", "list"])
def test_json_of_a_topic_is_parsed_once(tmp_path, monkeypatch, value):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"q1": value}))
    run = RunFile(path)
    run.sizes = SIZES._replace(start=20)
    parsed = []
    monkeypatch.setattr(json_files, "Text", lambda content: parsed.append(1) or Text(content))
    assert evaluate({"q1": {"d1": 1}}, [run], ["AP"]).values.item() == 1
    assert parsed == [1]


@pytest.mark.parametrize(("most", "times"), [(1_000_000, 1), (10, 2)])
@pytest.mark.parametrize("is_json", [True, False])
def test_a_small_file_is_read_once_if_a_topic_comes_back(
    tmp_path, monkeypatch, is_json, most, times
):
    monkeypatch.setattr(files, "SMALL_FILE", most)
    line = "q%d Q0 d%d 1 %d t\n"
    if is_json:
        line = '{"qid": "q%d", "docid": "d%d", "score": %d}\n'
    path = tmp_path / "run"
    path.write_text("".join(line % (row // 2, row, -row) for row in range(20)) + line % (0, 9, 5))
    run = RunFile(path)
    run.sizes = SIZES._replace(rows=2, block=50)
    readings = []
    parts_of = files.parts_of
    monkeypatch.setattr(files, "parts_of", lambda *given: readings.append(1) or parts_of(*given))
    values_of_topics = evaluate({"q0": {"d9": 1}, "q9": {"d19": 1}}, [run], ["RR"]).values
    assert values_of_topics.ravel().tolist() == [1, 0.5]
    assert len(readings) == times


HIT = {"_id": "d1", "_score": 1.0}
ANSWERS = {
    "_rank_eval": {"metric_score": 0.5, "details": {"q1": {"hits": [{"hit": HIT}]}}},
    "_msearch": {"took": 1, "ids": ["q1"], "responses": [{"hits": {"hits": [HIT]}}]},
    "_search": {"took": 1, "qid": "q1", "hits": {"hits": [HIT]}},
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_answers_that_begin_with_a_number_are_parsed_once(tmp_path, monkeypatch, kind):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(ANSWERS[kind]))
    run = RunFile(path)
    run.sizes = SIZES._replace(start=40)
    parsed = []
    monkeypatch.setattr(json_files, "Text", lambda content: parsed.append(1) or Text(content))
    assert evaluate({"q1": {"d1": 1}}, [run], ["AP"]).values.item() == 1
    assert parsed == [1]


NONE = {"hits": {"hits": []}}
MANY_ANSWERS = {
    "_rank_eval": {"metric_score": 0, "details": {f"q{n}": {"hits": []} for n in range(5_000)}},
    "_msearch": {"ids": list(range(5_000)), "responses": [NONE] * 5_000},
    "Algolia": {"results": [{"query": str(n), "hits": []} for n in range(5_000)]},
}


@pytest.mark.parametrize("kind", MANY_ANSWERS)
def test_too_many_answers_are_refused_before_each_is_looked_at(kind, monkeypatch):
    answer_in = search_answers.answer_in
    seen = []
    monkeypatch.setattr(
        search_answers, "answer_in", lambda value: seen.append(1) or answer_in(value)
    )
    packed = gzip.compress(json.dumps(MANY_ANSWERS[kind]).encode())
    file = RunFile(io.BytesIO(packed))
    file.sizes = SIZES._replace(free=2_600_000, expansion=1)
    assert "unpack to more topics or rows of JSON" in refused(file.rows)
    assert len(seen) < 10


def test_too_many_rated_queries_are_refused_before_each_is_looked_at(monkeypatch):
    rated = search_answers._rated
    seen = []
    monkeypatch.setattr(
        search_answers, "_rated", lambda query, lent: seen.append(1) or rated(query, lent)
    )
    queries = [{"query": str(number), "ratings": {}} for number in range(5_000)]
    packed = gzip.compress(json.dumps({"queries": queries}).encode())
    sizes = SIZES._replace(free=2_600_000, expansion=1)
    told = refused(lambda: qrels_in(io.BytesIO(packed), sizes=sizes))
    assert "unpack to more topics or rows of JSON" in told
    assert len(seen) < 10


@pytest.mark.parametrize("start", [20, 1_000])
@pytest.mark.parametrize("form", ["row", "rows", "columns"])
def test_json_names_its_runs(tmp_path, start, form):
    row = {"qid": "q1", "docid": "d1", "score": 1, "run": "A"}
    value = {"row": row, "rows": [row], "columns": {key: [cell] for key, cell in row.items()}}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(value[form]))
    run = RunFile(path)
    run.sizes = SIZES._replace(start=start)
    assert run.has_runs()


def test_predictions_count_against_the_limit(tmp_path):
    labels = qrels_in(io.BytesIO(b"1 qid:1 1:1\n"))
    path = tmp_path / "predictions.gz"
    path.write_bytes(gzip.compress(b"1\n" * 5_000))
    sizes = SIZES._replace(free=1 << 17)
    told = refused(lambda: predictions_for(path, labels, True, sizes))
    assert "unpack to more lines that are read one by one" in told
    path.write_bytes(gzip.compress(b"# seed 1\n" * 2 + b"0.5\n"))
    assert predictions_for(path, labels, True, sizes).values.tolist() == [0.5]


ROWS_OF_JSON = [{"qid": "q1", "docid": f"d{row}", "score": 1} for row in range(900)]
ROWS_OF_TOPICS = [{"qid": f"q{row}", "docid": "d1", "score": 1} for row in range(600)]
EMPTY_ITEMS = [{"query_id": f"q{row}", "results": []} for row in range(500)]
PARTS_OF_JSON = {
    "rows of JSON": ROWS_OF_JSON,
    "topics of rows of JSON": ROWS_OF_TOPICS,
    "topics or rows of JSON": EMPTY_ITEMS,
    "hits in answers of JSON": [{"query_id": "q1", "results": ROWS_OF_JSON}],
}


@pytest.mark.parametrize("things", PARTS_OF_JSON)
def test_what_is_read_from_objects_of_json_counts_beside_them(things):
    packed = gzip.compress("\n".join(map(json.dumps, PARTS_OF_JSON[things])).encode())
    file = RunFile(io.BytesIO(packed))
    file.sizes = SIZES._replace(free=150_000, expansion=1)
    assert f"unpack to more {things} than real files have" in refused(file.rows)
    lifted = RunFile(io.BytesIO(packed), limits=False)
    assert "unpack to" not in outcome(lambda: lifted.rows().values.size)


def test_failed_queries_of_an_answer_count_against_the_limit():
    failures = {f"q{number}": {"error": {"reason": "x"}} for number in range(900)}
    answer = {"metric_score": 0, "details": {"q": {"hits": []}}, "failures": failures}
    file = RunFile(io.BytesIO(gzip.compress(json.dumps(answer).encode())))
    file.sizes = SIZES._replace(free=300_000, expansion=1)
    assert "unpack to more topics or rows of JSON" in refused(file.rows)


def test_wide_characters_of_json_count_as_the_memory_that_they_take():
    narrow = gzip.compress(b'{"q1": {"' + b"a" * 100_000 + b'": 1}}')
    wide = gzip.compress('{"q1": {"😀'.encode() + b"a" * 100_000 + b'": 1}}')
    sizes = SIZES._replace(free=200_000, expansion=1)
    told = refused(lambda: qrels_in(io.BytesIO(narrow), sizes=sizes))
    assert told.endswith("is longer than 4,096 bytes")
    told = refused(lambda: qrels_in(io.BytesIO(wide), sizes=sizes))
    assert "unpack to more pairs of characters of JSON" in told


def test_broken_json_is_not_parsed_again_to_tell_its_kind(monkeypatch):
    parsed = []
    monkeypatch.setattr(json, "loads", lambda text: parsed.append(1))
    answers = [NONE] * 3
    text = json.dumps({"ids": [1, 2, 3], "responses": answers})[:-2]
    told = refused(RunFile(io.BytesIO(text.encode())).rows)
    assert told.startswith("the open file:1: cannot be read as JSON: Expecting")
    failed = json.dumps({"ids": [1, 2], "responses": [NONE, {"error": {"reason": "x"}}]})
    assert "the search engine answered with an error" in refused(
        RunFile(io.BytesIO(failed.encode())).rows
    )
    assert parsed == []


LONG = "a" * 5_000
LONG_VALUES = {
    "line": f"run,topic,AP\nA,1,1\nA,{'1' * (3 << 20)},1\n",
    "name of a column": f"run,topic,{LONG}\nA,1,1\n",
    "key": json.dumps([{"run": "A", "topic": 1, LONG: 1}]),
}


@pytest.mark.parametrize("kind", LONG_VALUES)
def test_a_long_line_or_name_of_a_table_of_values_is_refused(tmp_path, kind):
    path = tmp_path / "values"
    path.write_text(LONG_VALUES[kind])
    told = refused(lambda: Evaluation.from_values(path))
    if kind == "line":
        assert told.endswith("values:3: the line is longer than 1,048,576 bytes")
    else:
        assert told.endswith("aa…' is longer than 4,096 characters")


def test_the_name_of_a_measure_is_not_parsed_if_it_is_too_long(monkeypatch):
    monkeypatch.setattr(notation, "parse_measures", lambda name: pytest.fail("it is parsed"))
    assert notation.measure_named(f"AP{LONG}") == notation.NamedMeasure(f"AP{LONG}", False)


def test_characters_of_four_bytes_in_a_table_of_values_count_more(tmp_path, monkeypatch):
    monkeypatch.setattr(values, "SIZES", SIZES._replace(free=150_000, expansion=1))
    path = tmp_path / "values.csv.gz"
    for sign, is_refused in (("a", False), ("😀", True)):
        name = sign + "a" * 100_000
        table = f"run,topic,AP\n{name},1,1\nB,1,1\n"
        path.write_bytes(gzip.compress(table.encode()))
        told = outcome(lambda: Evaluation.from_values(path).runs)
        assert ("bytes of text with characters of four bytes" in str(told)) == is_refused


def test_long_texts_are_cut_before_they_are_shown_or_compared():
    assert errors.shown("ab" * 50_000) == "'" + "ab" * 38 + "a…'"
    assert columns.plain(LONG.upper()) == LONG.upper()


@pytest.mark.parametrize("counted_size", [0, 1_000_000])
def test_topics_of_a_table_count_against_the_limit(tmp_path, monkeypatch, counted_size):
    monkeypatch.setattr(table_files, "COUNTED_SIZE", counted_size)
    rows = 3_000
    columns = {"query_id": np.arange(rows), "doc_id": ["d1"] * rows, "score": np.zeros(rows)}
    path = tmp_path / "run.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    file = RunFile(path)
    file.sizes = SIZES._replace(rows=500, free=250_000, expansion=1)
    assert "bytes of the Parquet file unpack to more topics than" in refused(file.rows)
    assert RunFile(path).rows().values.size == rows


def test_cells_of_a_table_of_values_in_parquet_count_more(tmp_path, monkeypatch):
    monkeypatch.setattr(values, "SIZES", SIZES._replace(free=100_000, expansion=1))
    count = 1_000
    names = [f"t{number}" for number in range(count // 2)] * 2
    columns = {"run": ["A"] * 500 + ["B"] * 500, "topic": names, "AP": np.zeros(count)}
    path = tmp_path / "values.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    assert "unpack to more cells than real files have" in refused(Evaluation.from_values, path)
    assert Evaluation.from_values(path, limits=False).values.shape == (2, 1, 500)


def test_only_lists_with_the_name_of_numbers_are_read_as_such(monkeypatch):
    number_in = json_files.number_in
    seen = []
    monkeypatch.setattr(
        json_files, "number_in", lambda value: seen.append(value) or number_in(value)
    )
    item = {"query_id": "q1", "contexts": ["1", "2"], "pages": [7, 8], "distances": [3.0, 4.0]}
    assert json_files._numbers_beside(item, 2) == ("distances", [3.0, 4.0])
    assert seen == [3.0, 4.0]


def test_values_of_trec_eval_count_more(tmp_path, monkeypatch):
    monkeypatch.setattr(values, "SIZES", SIZES._replace(free=120_000, expansion=1))
    path = tmp_path / "values.gz"
    path.write_bytes(gzip.compress(b"".join(b"map \t%d\t1\n" % topic for topic in range(1_000))))
    told = refused(Evaluation.from_values, path)
    assert "unpack to more fields that are read one by one" in told
