"""JSON files: the topics of each form, and the errors."""

import gzip
import io
import json
from pathlib import Path

import pandas
import pytest
from ir_measures import AP
from reading import in_pieces, qrels, refused, run

from ir_measures_graded import CG, RunFile
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.errors import shown
from ir_measures_graded.files.files import qrels_in

TWO = {"q1": {"d1": 9.2, "d2": 8.0}, "q2": {"d1": -1.5}}
ROWS = [(topic, doc, score) for topic, docs in TWO.items() for doc, score in docs.items()]


def lines(objects):
    return "".join(json.dumps(item) + "\n" for item in objects)


def objects(*names):
    """An object for each row, with these names of topic, document and score."""
    return [dict(zip(names, row)) for row in ROWS]


def items(topic_name, list_name, document_name):
    """An object for each topic."""
    result = []
    for topic, docs in TWO.items():
        results = [{document_name: doc, "score": score} for doc, score in docs.items()]
        result.append({topic_name: topic, "text": "a b", list_name: results})
    return result


RERANKED = [
    {"query": {"text": "a", "qid": item["qid"]}, "candidates": item["candidates"]}
    for item in items("qid", "candidates", "docid")
]
WITH_TEXT = [item | {"text": "é\n"} for item in objects("qid", "docno", "sim")]
FORMS = {
    "dict": json.dumps(TWO),
    "ranx": json.dumps(TWO, indent=2),
    "MTEB 2": json.dumps({"mteb_model_meta": {"name": "x"}, "default": {"test": TWO}}),
    "Sentence Transformers": lines(items("query_id", "results", "corpus_id")),
    "RankLLM": json.dumps(RERANKED),
    "RankLLM, lines": lines(RERANKED),
    "iKAT": lines({"turn_id": topic, "references": docs} for topic, docs in TWO.items()),
    "lines": lines(objects("query_id", "doc_id", "score")),
    "spaced": "\n" + lines(WITH_TEXT) + "\n\n",
    "array": json.dumps(objects("query-id", "corpus-id", "score"), indent=1),
    "pandas": pandas.DataFrame(ROWS, columns=["q_id", "doc_id", "score"]).to_json(orient="records"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_run_of_each_form_is_read(form, size):
    sizes = in_pieces(size, rows=2 * size)
    assert run(FORMS[form], sizes) == TWO
    assert run("\ufeff" + FORMS[form], sizes) == TWO


@pytest.mark.parametrize(
    "content",
    [
        '{"q1": {"d1": 3, "d2": 0}, "q2": {}}',
        '{"q1": {"d1": "3", "d2": "0.0"}}',
        '{"query_id":"q1","doc_id":"d1","rating":3}\n{"query_id":"q1",\n"doc_id":"d2","rating":0}',
        '{"qid":"q1","docno":"d1","label":3,"iteration":"0"}\n'
        '{"qid":"q1","docno":"d2","label":0,"iteration":1}',
        '{"qid": ["q1", "q1"], "docno": ["d1", "d2"], "label": [3, 0]}',
    ],
)
def test_qrels_of_each_form_are_read(content):
    assert qrels(content) == {"q1": {"d1": 3, "d2": 0}}


@pytest.mark.parametrize("write", [lines, json.dumps])
def test_runs_are_told_apart_by_a_key(write):
    rows = objects("query_id", "doc_id", "score")
    of_runs = [{"run": name, **row} for name in "ab" for row in rows]
    Path("runs").write_text(write(of_runs))
    assert list(RunFile("runs").runs()) == ["a", "b"]
    assert len(list(RunFile("runs", "b"))) == len(ROWS)


@pytest.mark.parametrize("ending", ["parquet", "trec"])  # ranx writes JSON only with compiled code
def test_files_and_objects_of_ranx_are_read(ending):
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    judged = ranx.Qrels({"q1": {"d1": 3, "d2": 1}, "q2": {"d1": 2}})
    ranked = ranx.Run(TWO, name="mine")
    judged.save(f"qrels.{ending}")
    ranked.save(f"run.{ending}")
    expected = evaluate(judged.to_dict(), {"x": TWO}, [CG, AP]).values
    for qrels_form in (judged, judged.to_dataframe(), f"qrels.{ending}"):
        for run_form in (ranked, ranked.to_dataframe(), Path(f"run.{ending}")):
            values = evaluate(qrels_form, {"x": run_form}, [CG, AP]).values
            assert (values == expected).all()


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_damaged_and_endless_json_is_refused():
    many_topics = {f"q{number}": {f"d{number * number}": number} for number in range(50_000)}
    whole = gzip.compress(json.dumps(many_topics).encode())
    Path("cut.json.gz").write_bytes(whole[: len(whole) // 2])
    message = refused(run, Path("cut.json.gz"))
    assert "cut.json.gz:1: the gzip file is damaged or cut off here (" in message
    Path("latin.json").write_bytes('{"q1": {"dé": 1}}'.encode("latin-1"))
    assert refused(run, Path("latin.json")).startswith("latin.json:1: not UTF-8 text")
    Path("id.json").write_text(json.dumps({"q1": {"d" * 5000: 1}}))
    assert "id.json:1: the doc_id 'ddd" in refused(run, Path("id.json"))
    long = json.dumps({"q1": {"d" * 200_000: 1}})
    reason = "more than 1,000 bytes, which are read at once; write a Parquet file without"
    for content in (long, gzip.compress(b"PAR1" + bytes(2000))):
        assert reason in refused(run, content, in_pieces(100, value=1000))


@pytest.mark.parametrize(
    "text",
    [
        '{"q1": {"d1": 1}, "q2": {}}',
        '{"q2": {}, "q1": {"d1": 1}}',
    ],
)
def test_a_topic_without_documents_is_a_topic_of_the_qrels(text):
    one = {"q1": {"d1": 1}}
    for judged in (qrels_in(io.BytesIO(text.encode())), {**one, "q2": {}}):
        assert evaluate(judged, {"mine": one}, [CG, AP]).means().tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("number", ["1_0", "１", "", "1.5.", "\ud800"])
def test_a_text_that_is_no_number_of_c_is_refused_among_numbers(number, tmp_path):
    cells = {"qid": ["q1", "q1"], "docid": ["d1", "d2"], "score": ["2.5", number]}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(cells))
    message = refused(RunFile(path).rows)
    assert f"topic 'q1', document 'd2': the score {shown(number)} is not a number" in message
    cells["score"][1] = " 1e3"
    path.write_text(json.dumps(cells))
    assert RunFile(path).rows().values.tolist() == [2.5, 1000]
