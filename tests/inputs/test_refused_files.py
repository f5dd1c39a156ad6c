"""Files and data in memory that are refused, with the fact that the message must contain."""

import io
import json
import resource
import time
from functools import partial

import pandas
import pyarrow
import pytest
from ir_measures import Qrel, ScoredDoc
from pyarrow import parquet
from reading import in_pieces, qrels, refused, run

from ir_measures_graded import CG, RunFile
from ir_measures_graded.analysis import check, evaluate
from ir_measures_graded.files.content import SIZES
from ir_measures_graded.files.sources import qrels_source

RUN = "q1 Q0 d1 1 9.5 tag\nq1 Q0 d2 2 8 tag\nq2 Q0 d1 1 7 tag\n\n"
CSV = "query_id,doc_id,score\nq1,d1,9.5\n\n"
ROW = '{"query_id":"q1","doc_id":"d1","score":1}\n'
MTEB = '{"mteb_model_meta": {}, "en": {"test": {"q": {"d": 1}}}, "fr": {"test": {"q": {"d": 2}}}}'
TABLE = "with the columns query_id, doc_id and score"
ITERATION_LAST = "the columns are topic, document, level, iteration; export with --format trec"

TEXTS_OF_OTHER_TOOLS = [
    ("q1 d1 9\nq1 d3 8\n", "is the third field a rank or a score?"),
    ("q1 d1 1\nq1 d3 3\n", "is the third field a rank or a score?"),
    ("q1 0 d1 3\nq1 0 d2 1\n", "these are qrels, not a run"),
    ("q1 7 1 8.1\nq1 8 2 9.2\n",
     ":1: 4 fields, which no form of a run has: 'q1 7 1 8.1'; a run is lines of"),
    ("q1 7 1 8.1\nq1 8 3 7.2\n",
     ":1: 4 fields, which no form of a run has: 'q1 7 1 8.1'; a run is lines of"),
    ("q1 d1\nq1 d2\n", "2 fields: no topic"),
    ("0.5\n0.25\n", "belongs to the lines of another file; evaluate, compare and most other commands"),
    ("d2\nd1\n", ": one id a line, without its query: 'd2'; a line of a run has the query as well"),
    ("7187158\n34\n", ": one id a line, without its query: '7187158'"),
    ('["d2", "d1"]', ": a list of JSON without its query; a list for each query is a run"),
    ("q1 Q0 d1\n", ":1: 3 fields, which no form of a run has: 'q1 Q0 d1'; a run is lines of TREC"),
    ("query_id,doc_id,relevance\nx,d1,1\n",
     "no column score (or sim, rank …); it has query_id, doc_id, r"),
    ("2 qid:10 1:0.03 # d\n", "LETOR are qrels, not a run"),
    ("\n\n" + CSV + "q1,d1,2\n", ":6: topic 'q1' retrieves document 'd1' twice"),
]  # fmt: skip
TREC_RUNS = [
    (RUN + "q1 Q0 d3 3 5.5\n" + RUN, ":5: 5 fields, not 6 (topic Q0 document rank score tag)"),
    (RUN + "q1 Q0 d 3 3 5.5 tag\n" + RUN, ":5: 7 fields, not 6"),
    (RUN + "q1\n" + RUN, ":5: 1 field, not 6"),
    (RUN + "q1 Q0 d3 3 high tag\n" + RUN, ":5: the score 'high' is not a number"),
    (RUN + "q1 Q0 d3 3 1_000 tag\n" + RUN, ":5: the score '1_000' is not a number"),
    (RUN + "q1 Q0 d3 3 nan tag\n" + RUN, ":5: the score is NaN, which cannot be ranked"),
    (RUN.encode() + b"q1 Q0 d\xff3 3 1 tag\n", ":5: not UTF-8 text (byte 0xff at position 7)"),
    (RUN.encode() + b"q1 Q0 d3 3 1 t\xe4g\n", ":5: not UTF-8 text (byte 0xe4 at position 14)"),
    (RUN + "q1 Q0 d2 3 1 tag\n", ":5: topic 'q1' retrieves document 'd2' twice"),
    (RUN + "q1 Q0 " + "x" * 999 + "\n", f"(topic Q0 document rank score tag): 'q1 Q0 {'x' * 71}…'"),
]  # fmt: skip
CSV_RUNS = [
    ("q_id,topic,doc_id,score\n1,2,d,1\n", "has both q_id and topic; name one of them query_id"),
    ("search,item,score\nq1,d1,1\n", "if another column is meant: --columns query_id=search"),
    (CSV + "q1,d2\n", ":4: 2 fields, not 3 (query_id,doc_id,score): 'q1,d2'"),
    (CSV + "q1,d2,3,4\n", ":4: 4 fields, not 3"),
    (CSV + "q1,d2,high\n", ":4: the score 'high' is not a number"),
    (CSV + "q1,d2,nan\n", ":4: the score is NaN"),
    (CSV + "q1,,1\n", ":4: the field doc_id is empty"),
    (CSV + 'q1,"d2,1\nq2,d1,7\n', ":4: a quoted field does not end"),
    (CSV + 'q1,"d2"x,1\n', ":4: text follows a quoted field"),
    (CSV.encode() + b"q1,d\xff2,1\n", ":4: not UTF-8 text (byte 0xff at position 4)"),
    (",".join(map(str, range(20_000))) + "\n", "20,000 columns; at most 10,000"),
]  # fmt: skip
JSON_RUNS = [
    (b"\x04\x22\x4d\x18" + bytes(50), "LZ4 of CBOR, twice compressed"),
    ('{"q1": {"d1": null}}',
     ":1: topic 'q1', document 'd1': the score is missing or null; ranx writes NaN"),
    (ROW.replace("1}", "null}"), ":1: topic 'q1', document 'd1': the score is missing or null"),
    ('{"q1": {"d1": "xx"}}', ":1: topic 'q1', document 'd1': the score 'xx' is not a number"),
    ('{"q1": {"d1": NaN}}', ":1: topic 'q1', document 'd1': the score is NaN"),
    ("\n" + ROW.replace("1}", "NaN}"), ":2: topic 'q1', document 'd1': the score is NaN"),
    ('{"q1": {"d1": %s}}' % ("1" * 5000), ":1: cannot be read as JSON: Exceeds the limit"),
    ('{"q1":\n{"d1": 1,\n"d1": 1}}',
     ":2: cannot be read as JSON: the key 'd1' occurs twice in an object"),
    ('{"q1": {"d1": 1},\n"q1": {"d2": 1}}', ":2: the key 'q1' occurs twice"),
    (ROW.replace("1}", '1,"score":2}'), ":1: cannot be read as JSON: the key 'score' occurs twice"),
    (ROW.replace('"d1"', "1.0"), ":1: the doc_id 1.0 is not a string"),
    ("[" + ROW.replace('"d1"', "true") + "]", ":1: the doc_id True is not a string"),
    ('{"q1": {"": 1}}', ":1: the doc_id is empty"),
    ('{"q1": {"\\ud800": 1}}', "'\\ud800' has a lone surrogate"),
    ("[" + ROW + ",]", "cannot be read as JSON: "),
    (ROW + '{"query_id":"q1","doc_id":"d2","score":"x"}',
     ":2: topic 'q1', document 'd2': the score 'x'"),
    ('{"q1": {"d1": 1}} x', ":1: not JSON: text follows the last value: 'x'"),
    ('{"q1": {"d1": 1},\n"q2": {"d1"', ":2: cannot be read as JSON: Expecting ':' delimiter"),
    ('{"q1": {"d1": 1}', ":1: cannot be read as JSON: Expecting ',' delimiter"),
    ('{"q1": {"d1": 1}, "q2": 3}', ":1: topic 'q2' has documents without levels or scores: 3"),
    (ROW + "q1 Q0 d2 1 2 t\n", ":2: cannot be read as JSON: Expecting value"),
    (ROW.replace("score", "relevance"), "no column score (or sim, rank …)"),
    (f"[{ROW},{ROW}]", ":1: topic 'q1' retrieves document 'd1' twice"),
    ('{"results": [{"corpus_id": "d1", "score": 9.2}]}', "the object with results names no topic"),
    (ROW.encode() + b'{"query_id":"q1","doc_id":"\xff","score":2}\n',
     ":2: not UTF-8 text (byte 0xff at"),
    ('{"q1": {"d1": 1}, "q2": [1, 2]}', ":1: topic 'q2' has documents without levels or scores"),
    ('{"q1": ["d1", "d1"]}', "topic 'q1' retrieves document 'd1' twice"),
    ('{"query_id": ["q"], "doc_id": [], "score": []}', "lists of one length"),
    ('{"ndcg": {"NDCG@1": 0.3, "NDCG@10": 0.4}}', ":1: values of measures, no documents"),
    ('{"mteb_version": "1", "scores": {"test": []}}', ":1: values of measures, no documents"),
    ('{"run_name": "x", "turns": [{"turn_id": "1"}]}', ":1: answers, no ranking; write a table"),
    ('{"query": "q", "docs": ["d"], "scores": [1]}', "of no known run; an object has the keys query"),
    ('{"a": 1, "b": "c"}',
     ":1: JSON of no known run; an object has the keys a, b; write {topic: {doc"),
    ('{"q": {"d": [1]}}', ":1: topic 'q', document 'd': the score [1] is not a number"),
    (MTEB, ":1: predictions of MTEB for several parts (en/test, fr/test)"),
    ('{"metric_score": 0.5, "details": {"q1": {"hits": []}}}', "the run is empty"),
    ("[[1, 2]]",
     ":1: lists without names, as a DataFrame is written with orient=\"values\"; write it"),
    ("[" * 100_000, ":1: cannot be read as JSON: it nests more than 100 deep"),
    (ROW.replace("{", '{"run":"a",') + ROW.replace("{", '{"run":"b",'),
     "several runs, such as 'a' and 'b"),
]  # fmt: skip
RUNS = TEXTS_OF_OTHER_TOOLS + TREC_RUNS + CSV_RUNS + JSON_RUNS
TEXT_QRELS = [
    ("d1 L3\nd2 L0\n", "2 fields: no topic"),
    ("q49 0 p3659\nq49 0 p3660\n", "qrels without levels (3 fields: topic, 0, document)"),
    ("q1 d7 1\nq1 d8 2\nq1 d9 3\n", "this is a run, not qrels"),
    ("q1 1 d1 3 0.5\n", "5 fields, not 4 (topic iteration document level); preferences"),
    ("q1 0 d1 3 x\nq1 0 d2 1 x\n", "5 fields, not 4 (topic iteration document level)"),
    ("q1 Q0 d1 1 9.5\n", "this is a run without its last field"),
    ("q1\td1\t2,5\nq1\td2\t1\n", ":1: the level '2,5' has a decimal comma"),
    ("q1 Q0 d1 1 9.5 A\n",
     "this is a run (6 fields: topic Q0 document rank score tag); qrels come first"),
    ("query,docid,Ann,Ben\nx,d1,3,2\n",
     "no column relevance (or label, rating …); it has query, docid, A"),
    ("query_id,doc_id,rating\nx,d1,\n", ":2: the field relevance is empty"),
    ("2 qid:10 1:0.03\n1 qid:10 1:2 # d\n", ":2: a document after #, which the first line lacks"),
    ("2 qid:10 1:0.03 # d\n1 qid:10 1:2\n", ":2: the field doc_id is empty"),
    ("q1 0 d1 1\nq1 0 d3\n", ":2: 3 fields, not 4"),
    ("q1 0 d1 1\nq1 Q0 d3 3 5.5 tag\n", ":2: 6 fields, not 4"),
    ("q1 0 d1 1\nq1 0 d3 high\n", ":2: the level 'high' is not a number"),
    ("q1 0 d1 1\nq1 0 d3 1_0\n", ":2: the level '1_0' is not a number"),
    ("q1 0 d1 1\nq1 0 d3 true\n", ":2: the level 'true' is not a number"),
    ("q1 0 d1 1\nq1 0 d3 inf\n", ":2: the level is inf; a level is a finite number"),
    ("q1 0 d1 1\nq1 0 d3 nan\n", ":2: the level is nan; a level is a finite number"),
    ("q1 0 d1 1\nq1 0 d3 1e999\n", ":2: the level is inf; a level is a finite number"),
    (b"q1 0 d1 1\nq1 0 \xe4 1\n", ":2: not UTF-8 text (byte 0xe4 at position 5)"),
    ("q1\td1\t3\t0\nq1\td2\t1\t0", ITERATION_LAST),
    ("1\t77\t1\t0\n2\t78\t1\t0", ITERATION_LAST),
    ("q1\td1\t3\t0", ITERATION_LAST),
]  # fmt: skip
JSON_QRELS = [
    ('{"q1": {"d1": Infinity}}',
     ":1: topic 'q1', document 'd1': the level is inf; a level is a finite nu"),
    ('{"q1": {"d1": true}}', ":1: topic 'q1', document 'd1': the level True is not a number"),
    ('{"q1": {"d1": 1}, "\\ud800": {}}', "'\\ud800' has a lone surrogate"),
    ('{"q1": ["d1", 2]}', ":1: topic 'q1': ids are all texts or all whole numbers, not ['d1', 2]"),
    ('{"q1": ["d1"], "q2": {"d1": 1}}',
     ":1: topic 'q2': some topics have lists of ids, and some have le"),
    ('{"q1": "d1"}', ":1: topic 'q1': give a list of ids, ['d1'], or levels, {'d1': 1}"),
    ('{"d1": 2}',
     "{'d1': 1}; if this is a document and its level, name its topic: {'q1': {'d1': 2}}"),
    (MTEB, "predictions of MTEB are a run, not qrels"),
    ('{"query_id":"q","results":[{"doc_id":"d","score":1}]}', "this is a run, not qrels"),
    ('{"requests":[{"id":"q","ratings":[{"_id":"d"}]}]}',
     "document 'd': the level is missing or null"),
    ('{"name":"j","judgmentRatings":[]}', "JSON of OpenSearch or Elasticsearch; write a table"),
    ('{"hits": {"hits": [{"_source": {}}]}}', "OpenSearch or Elasticsearch without its query"),
    ('{"query_id": 0, "relevant_docs": [{"id": 26, "score": 1}]}',
     "ratings of RRE or Vespa; write a table"),
]  # fmt: skip


def short_id(value):
    """The first characters of a content or a fact; pytest names the reader."""
    if isinstance(value, (str, bytes)):
        return ascii(value)[:40]
    return None


@pytest.mark.parametrize("size", [3, 1 << 20])
@pytest.mark.parametrize(
    ("read", "content", "fact"),
    [(run, content, fact) for content, fact in RUNS]
    + [(qrels, content, fact) for content, fact in TEXT_QRELS + JSON_QRELS],
    ids=short_id,
)
def test_file_is_refused_with_the_fact_in_any_pieces(read, content, fact, size):
    sizes = SIZES
    if len(content) < 1000:
        sizes = in_pieces(size, line=1 << 24)
    message = refused(read, content, sizes)
    assert "the open file" in message
    assert fact in message


LATER = [("q1", "a", 1), ("q2", "a", 2.5), ("q1", "b", 2), ("q1", "a", 1), ("q1", "b", 1)]
TWO = {"q1": {"a": 1.0, "b": 0.5}}
CODES = pyarrow.DictionaryArray.from_arrays([0, 1], ["q", None])
TWO_SCORES = ["qid", "docno", "score", "score"]
FIELDS = "needs the fields query_id, doc_id and"
IN_MEMORY = [
    ("run", [("q", "d", 1.0), ("q", "d2")], "each tuple is topic, document, score"),
    ("run", [("q", "0", "d", 1)], "each tuple is topic, document, score"),
    ("run", [{"qid": "q", "docno": "d", "score": 1}, {"qid": "q", "docno": "e"}],
     "a dict has no key 'sco"),
    ("run", [{"qid": "q", "docno": "d", "rel": 1}],
     "the first dict has no column score (or sim, rank …)"),
    ("run", [ScoredDoc("q", "a", 1), ScoredDoc("q", "e", "x")],
     "topic 'q', document 'e': the score 'x' i"),
    ("run", [ScoredDoc("q", "a", 1), ScoredDoc("q", 5, 1.0)],
     "doc_id 5 is of type int, not a string; con"),
    ("run", [Qrel("q", "a", 1)], "the first item has no column score"),
    ("run", [None], "the first item has no column query_id"),
    ("qrels", [ScoredDoc("q", "a", 1.0)], "the first item has no column relevance"),
    ("run", [ScoredDoc("q", "a", 1), None], f"each item {FIELDS} score"),
    ("run", {"query_id": ["q"], "doc_id": ["a", "b"], "score": [1]},
     "columns of the dict have different"),
    ("run", pandas.DataFrame([["q", "a", "b", 1]], columns=["qid", "docno", "docno", "score"]),
     "2 column"),
    ("run", pyarrow.Table.from_arrays([["q"], ["a"], [1.0], [2.0]], TWO_SCORES),
     "the Arrow table has 2 columns named score instead of one"),
    ("run", pandas.DataFrame(),
     "the DataFrame has no column query_id (or qid, q_id …); it has no columns"),
    ("run", None, "cannot read a NoneType; give a dict of dicts, a DataFrame or Arrow data"),
    ("run", ScoredDoc, "cannot read a type"),
    ("run", pyarrow.chunked_array([["a"]]), "cannot read a ChunkedArray"),
    ("run", type("Broken", (), {"__arrow_c_stream__": lambda self, schema=None: None})(),
     "cannot read th"),
    ("run", {"q": {}, "p": ["a"]}, "topic 'p' has a list, not a dict of documents"),
    ("run", {"q": {}, "p": {"a"}},
     "topic 'p' has a set, which has no order; give a list, the best"),
    ("qrels", {"q": "a"}, "qrels: topic 'q': give a list of ids, ['a'], or levels, {'a': 1}"),
    ("qrels", {"a": 2}, "if this is a document and its level, name its topic: {'q1': {'a': 2}}"),
    ("qrels", {"q": {"a": 1}, "p": ["a"]},
     "topic 'q' has levels, and another topic a list of ids; give"),
    ("qrels", {"q": ["a", 2]}, "topic 'q': some ids are texts and some are numbers"),
    ("qrels", {"q": ["a", None]}, "topic 'q': None is no id; ids are texts or whole numbers"),
    ("qrels", {"query_id": ["q"], "doc_id": ["a"]}, "the dict has no column relevance"),
    ("run", {"q": {"a": 2.0}, "not judged": {7: 1.0}}, "doc_id 7 is of type int, not a string"),
    ("run", {"not judged": {"y": 1.0, "x": float("nan")}},
     "topic 'not judged', document 'x': the score i"),
    ("qrels", pandas.DataFrame({"qid": [1.0], "docno": ["7"], "label": [2]}),
     "qid 1.0 is of type float,"),
    ("run", {"q\ud800": {"a": 1.0}}, "query_id 'q\\ud800' has a lone surrogate"),
    ("qrels", {"q": {"b\ud800": 1, "a": 1}}, "doc_id 'b\\ud800' has a lone surrogate"),
    ("run", pyarrow.table({"qid": ["q"] * 2, "docno": ["a", "b"], "score": [1.0, None]}),
     "the score None"),
    ("run",
     pyarrow.table({"qid": ["q", None], "docno": ["a", "b"], "score": [1.0, 1]}).to_reader(1),
     "ro"),
    ("run", pyarrow.table({"qid": CODES, "docno": ["a", "b"], "score": [1.0, 1]}),
     "row 1 has no qid"),
    ("run", pandas.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1j]}),
     "the score 1j is not a number"),
    ("qrels", LATER,
     "topic 'q1', document 'b': judged twice, at level 2 and at level 1; keep one judgmen"),
    ("qrels", [("q", "a", 1, "5"), ("q", "a", 2, "6")],
     "levels for several intents or judges (5, 6); kee"),
    ("qrels", "graded-dmeo", "neither a file nor an ir-datasets id; did you mean graded-demo?"),
    ("qrels", "msmarco-passage", "has no qrels; parts of it have: msmarco-passage/dev"),
    ("qrels", "s3://bucket/qrels.parquet",
     "is an address, which is not read; pass the object pyarrow.dat"),
    ("run", "hf://datasets/x/run.parquet", "is an address"),
    ("run", "https://example.org/run.txt", "is an address"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "source", "fact"),
    IN_MEMORY,
    ids=[f"{kind}: {fact[:40]}" for kind, _, fact in IN_MEMORY],
)
def test_data_in_memory_are_refused_with_the_fact(kind, source, fact):
    if kind == "qrels":
        message = refused(evaluate, source, {"mine": TWO}, [CG])
    else:
        message = refused(evaluate, {"q1": {"a": 1}}, {"mine": source}, [CG])
    assert fact in message


@pytest.mark.parametrize("value", [None, 5, {}, io.StringIO("")], ids=type)
def test_file_is_a_path_or_an_open_binary_file(value):
    assert "a file is a path, - (standard input) or an open binary file" in refused(RunFile, value)


def test_a_stream_that_is_refused_is_not_read_on():
    run = RunFile(io.BytesIO(b"q1 Q0 a 1 nan t"))
    assert "the score is NaN" in refused(evaluate, TWO, [run], [CG])


def many(count):
    """An object of so many keys, of which the last one occurs twice."""
    keys = ", ".join(f'"d{number}": 1' for number in range(count))
    return f'{{"q": {{{keys}, "d{count - 1}": 1}}}}'.encode()


ENDLESS = {
    "key twice": (many(60_000), "occurs twice"),
    "nested arrays": (b"[" * 1_000_000, "nests more than 100 deep"),
    "nested objects": (b'{"a":' * 200_000, "nests more than 100 deep"),
    "long line": (b"x" * 1_000_000, "field"),
    "long number": (b"q 0 d " + b"1" * 1_000_000, "a level is a finite number"),
    "long JSON number": (b'{"q": {"d": ' + b"1" * 1_000_000 + b"}}", "Exceeds the limit"),
    "columns": (b"qid,docno,score" + b",a" * 400_000 + b"\n", "at most 10,000"),
    "quotes": (b"qid,docno,score\n" + b'"' * 999_999, "quoted field"),
    "open quote": (b'qid,docno,score\nq,"' + b"d,1\n" * 200_000, "quoted field"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_small_file_takes_little_time_and_memory(name, tmp_path):
    content, fact = ENDLESS[name]
    path = tmp_path / "file"
    path.write_bytes(content)
    memory_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    if b"q 0" in content[:9]:
        message = refused(lambda: qrels_source(path).rows())
    else:
        message = refused(list, RunFile(path))
    assert fact in message
    assert time.process_time() - start < 4  # seconds
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory_before < 500_000


def frame_of_bools(dtype):
    labels = pandas.array([False, True], dtype)
    return pandas.DataFrame({"qid": ["q1", "q1"], "docno": ["a", "b"], "label": labels})


BOOLS = {
    "dict": {"q1": {"a": 0, "b": True}},
    "tuples": [("q1", "a", 0), ("q1", "b", True)],
    "columns": {"qid": ["q1", "q1"], "docno": ["a", "b"], "label": [False, True]},
    "frame of bool": frame_of_bools("bool"),
    "frame of boolean": frame_of_bools("boolean"),
    "frame of object": frame_of_bools("object"),
    "frame of bool[pyarrow]": frame_of_bools("bool[pyarrow]"),
    "Arrow": pyarrow.table({"qid": ["q1"] * 2, "docno": ["a", "b"], "label": [False, True]}),
}


@pytest.mark.parametrize("form", [*BOOLS, "Parquet", "JSON"])
def test_booleans_are_no_levels_and_no_scores(form, tmp_path):
    source = BOOLS.get(form, tmp_path / "qrels")
    if form == "Parquet":
        parquet.write_table(BOOLS["Arrow"], source)
    elif form == "JSON":
        source.write_text(json.dumps(BOOLS["dict"]))
    assert "is not a number" in refused(partial(evaluate, source, {"mine": TWO}, [CG]))


@pytest.mark.parametrize("before", [1, 1000])
def test_check_tells_the_wrong_row_of_a_table_of_runs_wherever_it_is(tmp_path, before):
    rows = [f"q{number},d1,1,{run}" for number in range(before) for run in "AB"]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["query_id,doc_id,score,run", *rows, "q1,d2,1,", *rows[:2]]))
    (remark, *_) = check({"q1": {"d1": 1}}, [path]).remarks
    assert remark.subject == "runs"
    assert f"runs.csv:{2 * before + 2}: the field run is empty" in remark.text
