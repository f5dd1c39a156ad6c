"""JSON files: the topics of each form, and the errors."""

import bz2
import gzip
import io
import json
import lzma
from pathlib import Path

import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP

from ir_measures_graded import CG, GradedError, RunFile, nDCG_JK, read_trec_qrels, read_trec_run
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.inputs import json_files

TWO = {"q1": {"d1": 9.2, "d2": 8.0}, "q2": {"d1": -1.5}}
ROWS = [(topic, doc, score) for topic, docs in TWO.items() for doc, score in docs.items()]


def run(content):
    found = {}
    for topic, doc, score in RunFile(io.BytesIO(content.encode())):
        found.setdefault(topic, {})[doc] = score
    return found


def qrels(content):
    found = {}
    for topic, doc, level, *_ in read_trec_qrels(io.BytesIO(content.encode())).itertuples(index=False):
        found.setdefault(topic, {})[doc] = level
    return found


def evaluated(content):
    return CG.calc_aggregate(read_trec_qrels(io.BytesIO(content.encode())), TWO)


def refused(read, content):
    with pytest.raises(GradedError) as caught:
        read(content)
    return str(caught.value)


def lines(objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


def items(topic, documents, document, score="score"):
    """One object per topic."""
    return [
        {
            topic: query,
            "text": "a b",
            documents: [{document: doc, score: found} for doc, found in docs.items()],
        }
        for query, docs in TWO.items()
    ]


RERANKED = [
    {"query": {"text": "a", "qid": topic}, "candidates": item["candidates"]}
    for topic, item in zip(TWO, items("x", "candidates", "docid"))
]
FORMS = {
    "dict": json.dumps(TWO),
    "ranx": json.dumps(TWO, indent=2),
    "MTEB 2": json.dumps({"mteb_model_meta": {"name": "x"}, "default": {"test": TWO}}),
    "Sentence Transformers": lines(items("query_id", "results", "corpus_id")),
    "RankLLM": json.dumps(RERANKED),
    "RankLLM, lines": lines(RERANKED),
    "iKAT": lines({"turn_id": topic, "references": docs} for topic, docs in TWO.items()),
    "lines": lines(dict(zip(("query_id", "doc_id", "score"), row)) for row in ROWS),
    "lines, spaced": "\n"
    + lines({"qid": q, "docno": d, "sim": s, "text": "é\n"} for q, d, s in ROWS)
    + "\n\n",
    "array": json.dumps([dict(zip(("query-id", "corpus-id", "score"), row)) for row in ROWS], indent=1),
    "pandas": pandas.DataFrame(ROWS, columns=["q_id", "doc_id", "score"]).to_json(orient="records"),
    "Polars": polars.DataFrame(ROWS, ["q_id", "doc_id", "score"], orient="row").write_ndjson(),
    "_rank_eval": json.dumps(
        {
            "metric_score": 0.5,
            "details": {
                topic: {
                    "hits": [
                        {"hit": {"_id": doc, "_score": score}, "rating": 3} for doc, score in docs.items()
                    ]
                }
                for topic, docs in TWO.items()
            },
        }
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_run_of_each_form_is_read(monkeypatch, form, size):
    monkeypatch.setattr(json_files, "PIECE", size)
    monkeypatch.setattr(json_files, "ROWS", size)
    assert run(FORMS[form]) == TWO
    assert run("\ufeff" + FORMS[form]) == TWO


def test_forms_are_read_wherever_a_file_goes(tmp_path):
    judged = {"q1": {"d2": 2, "d1": 0}, "q2": {"d1": 1}}
    (tmp_path / "qrels").write_bytes(lzma.compress(json.dumps(judged).encode()))
    expected = evaluate(judged, {"x": TWO}, [nDCG_JK @ 2, AP, CG])
    for form, text in FORMS.items():
        for number, compress in enumerate((bytes, gzip.compress, bz2.compress)):
            path = tmp_path / f"run{number}"
            path.write_bytes(compress(text.encode()))
            found = evaluate(tmp_path / "qrels", {"x": path}, [nDCG_JK @ 2, AP, CG])
            assert (found.values == expected.values).all(), form
            assert len(read_trec_run(path)) == len(ROWS)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"q1": {"d1": 3, "d2": 0}, "q2": {}}', {"q1": {"d1": 3, "d2": 0}}),
        ('{"query_id":"q1","doc_id":"d1","relevance":3,"iteration":"0"}\n', {"q1": {"d1": 3}}),
        (
            '{"query_id":7,"doc_id":12,"score":1}\n{"query_id":"8","doc_id":"12","score":"2.5"}\n',
            {"7": {"12": 1}, "8": {"12": 2.5}},
        ),
        (
            '{"requests":[{"id":"q1","request":{},"ratings":[{"_index":"i","_id":"d1","rating":3}]}],"metric":{}}',
            {"q1": {"d1": 3}},
        ),
        (
            '{"name":"j","judgmentRatings":[{"query":"a b","ratings":[{"docId":"d1","rating":"3.0"}]}]}',
            {"a b": {"d1": 3}},
        ),
        (
            '{"hits":{"hits":[{"_source":{"judgmentRatings":[{"query":"a","ratings":[{"docId":"d1","rating":"0"}]}]}}]}}',
            {"a": {"d1": 0}},
        ),
        ('{"queries":[{"query":"a","ratings":{"d1":3}},{"query":"b","ratings":{}}]}', {"a": {"d1": 3}}),
        ('{"queries":[{"query_text":"a","ratings":[{"doc_id":"d1","rating":3}]}]}', {"a": {"d1": 3}}),
        (
            '{"queries":[{"placeholders":{"$query":"a"},"relevant_documents":{"d1":{"gain":3}}}]}',
            {"a": {"d1": 3}},
        ),
        (
            '{"queries":[{"placeholders":{"$query":"a"},"relevant_documents":{"3":["d1"],"1":["d2"]}}]}',
            {"a": {"d1": 3, "d2": 1}},
        ),
        (
            '{"topics":[{"query_groups":[{"relevant_documents":{"d1":{"gain":3}},"queries":['
            '{"placeholders":{"$query":"a"}},{"placeholders":{"$query":"b"}}]}]}]}',
            {"a": {"d1": 3}, "b": {"d1": 3}},
        ),
    ],
)
def test_qrels_of_each_form_are_read(content, expected):
    assert qrels(content) == expected


MTEB = '{"mteb_model_meta": {}, "en": {"test": {"q1": {"d1": 1}}}, "fr": {"test": {"q1": {"d1": 2}}}}'


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (
            run,
            '{"q1": {"d1": null}}',
            "topic 'q1', document 'd1': the score is null; ranx writes NaN and ∞ as null",
        ),
        (run, '{"query_id":"q1","doc_id":"d1","score":null}', ":1: the score is null; ranx"),
        (run, '{"q1": {"d1": true}}', "topic 'q1', document 'd1': the score True is not a number"),
        (run, '{"query_id":"q1","doc_id":"d1","score":true}', ":1: the score True is not a number"),
        (run, '{"q1": {"d1": NaN}}', "topic 'q1', document 'd1': the score is NaN"),
        (run, '\n{"query_id":"q1","doc_id":"d1","score":NaN}', "the score is NaN"),
        (evaluated, '{"q1": {"d1": Infinity}}', "topic 'q1', document 'd1': the level is inf"),
        (run, '{"q1":\n{"d1": 1,\n"d1": 1}}', "the key 'd1' occurs twice in an object"),
        (run, '{"q1": {"d1": 1},\n"q1": {"d2": 1}}', ":2: the key 'q1' occurs twice in an object"),
        (
            run,
            '{"query_id":"q1","doc_id":"d1","score":1,"score":2}',
            ":1: the key 'score' occurs twice in an object",
        ),
        (run, '{"query_id":"q1","doc_id":1.0,"score":2}', ":1: the doc_id 1.0 is not a string"),
        (run, '[{"query_id":"q1","doc_id":true,"score":2}]', "the id True is not a string"),
        (run, '{"q1": {"\\ud800": 1}}', "an id has a lone surrogate: '\\ud800'"),
        (run, '{"q1": {"d1": 1}} x', ":1: not JSON: text follows the last value: 'x'"),
        (run, '{"q1": {"d1": 1},\n"q2": {"d1"', ":2: not JSON: "),
        (run, '{"q1": {"d1": 1}', ":1: not JSON: expected , or }, not the end of the file"),
        (run, '{"q1": {"d1": 1}, "q2": 3}', "topic 'q2' has 3, not an object of documents"),
        (run, '{"query_id":"q1","doc_id":"d1","score":1}\nq1 Q0 d2 1 2 t\n', ":2: not JSON: Expecting value"),
        (run, '{"query_id":"q1","doc_id":"d1","relevance":1}\n', "has no column score (or sim, rank …)"),
        (
            run,
            '[{"query_id":"q1","doc_id":"d1","score":1},{"query_id":"q1","doc_id":"d1","score":2}]',
            "the open file: topic 'q1' retrieves document 'd1' twice",
        ),
        (run, '{"turn_id":"q","references":["d1","d2"]}', "topic 'q' has documents without levels or scores"),
        (run, '{"q1": ["d1", "d2"]}', "documents without levels or scores"),
        (run, '{"q1": {"d1": 1}, "q2": ["d1", "d2"]}', "topic 'q2' has documents without levels or scores"),
        (run, '{"ndcg": {"NDCG@1": 0.3, "NDCG@10": 0.4}}', "values of measures, no documents"),
        (
            run,
            '{"mteb_version": "1", "task_name": "x", "scores": {"test": [{"ndcg": 1}]}}',
            "values of measures, no documents",
        ),
        (
            run,
            '{"run_name": "x", "turns": [{"turn_id": "1", "responses": []}]}',
            "answers, not a ranking; use the TREC file of the run",
        ),
        (run, '{"a": 1, "b": "c"}', "JSON of no known run; an object has the keys a, b"),
        (run, MTEB, "predictions for en/test and fr/test; choose one with convert --part en/test"),
        (qrels, FORMS["_rank_eval"], "a _rank_eval response rates only what was retrieved; use the request"),
        (
            qrels,
            '{"requests":[{"id":"q","ratings":[{"_index":"i","_id":"d","rating":3},{"_index":"j","_id":"d","rating":3}]}]}',
            "topic 'q' has a document _id in two indexes",
        ),
        (run, "[[1, 2]]", "[1, 2] is not an object with a topic and documents"),
        (run, "[" * 100_000, ":1: not JSON of qrels or runs: nested too deeply"),
        (
            run,
            '{"run":"a","query_id":"q","doc_id":"d","score":1}\n{"run":"b","query_id":"q","doc_id":"d","score":1}',
            "the file has several runs",
        ),
        (
            run,
            '[{"run":"a","query_id":"q","doc_id":"d","score":1},{"run":"b","query_id":"p","doc_id":"d","score":1}]',
            "an array has rows of several runs",
        ),
    ],
)
@pytest.mark.parametrize("size", [3, 1 << 20])
def test_other_json_is_refused(monkeypatch, read, content, message, size):
    monkeypatch.setattr(json_files, "PIECE", size)
    assert message in refused(read, content)


def test_runs_of_lines_are_told_apart_by_a_key():
    rows = [{"run": name, "query_id": q, "doc_id": d, "score": s} for name in "ab" for q, d, s in ROWS]
    Path("runs.jsonl").write_text(lines(rows))
    assert [*RunFile("runs.jsonl").runs()] == ["a", "b"]
    assert len(list(RunFile("runs.jsonl", "b"))) == len(ROWS)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_damaged_and_endless_json_is_refused(monkeypatch):
    whole = gzip.compress(json.dumps({f"q{n}": {f"d{n * n}": n} for n in range(50_000)}).encode())
    Path("cut.json.gz").write_bytes(whole[: len(whole) // 2])
    assert refused(read_trec_run, "cut.json.gz").startswith(
        "cut.json.gz:1: the gzip file is damaged or cut off here ("
    )
    Path("latin.json").write_bytes('{"q1": {"dé": 1}}'.encode("latin-1"))
    assert refused(read_trec_run, "latin.json").startswith("latin.json:1: not UTF-8 text")
    Path("id.json").write_text(json.dumps({"q1": {"d" * 5000: 1}}))
    assert "id.json: the doc_id 'ddd" in refused(read_trec_run, "id.json")
    monkeypatch.setattr(json_files, "LONGEST_VALUE", 1000)
    monkeypatch.setattr(json_files, "PIECE", 100)
    Path("long.json").write_text(json.dumps({"q1": {"d" * 200_000: 1}}))
    assert refused(read_trec_run, "long.json") == "long.json:1: a value is longer than 1,000 characters"


VALUES = st.sampled_from(
    ["1", "2.5", "-0.0", '"3"', '"x"', "null", "true", "NaN", "1e400", "[]", "1" * 400, "1,"]
)
IDS = st.sampled_from(['"a"', '"é\\n"', "1", "1.5", '"\\ud83d\\ude00"', '"\\ud800"', "null", '""'])
LINE = st.builds(
    '{{"query_id":{},"doc_id":{},"score":{}}}{}'.format,
    IDS,
    IDS,
    VALUES,
    st.sampled_from(["\n"] * 5 + ["\n\n", "\r\n", " \n", ""]),
)


@given(content=st.lists(LINE, min_size=1, max_size=4).map("".join))
def test_fast_and_strict_reader_of_lines_agree(content):
    def rows():
        try:
            return repr(
                [*RunFile(io.BytesIO(('{"query_id":"q","doc_id":"d","score":0}\n' + content).encode()))]
            )
        except GradedError as error:
            return str(error)

    found = rows()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_files, "_plainly", lambda block, role, names: None)
        assert found == rows()
