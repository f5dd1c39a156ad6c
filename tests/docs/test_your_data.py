"""Each row of the first table of "Your data" is executed with a file of that origin."""

import gzip
import json
import re
import shlex
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet
from site_extensions import DOCS

from ir_measures_graded import cli

QRELS = {"1": {"7": 3, "9": 0}, "2": {"7": 1}}
RUN = {"1": {"9": 8.5, "7": 8.0}, "2": {"7": 7.5}}
JUDGED = [(topic, doc, level) for topic, docs in QRELS.items() for doc, level in docs.items()]
ROWS = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
RANKED = [(topic, doc, rank) for topic, docs in RUN.items() for rank, doc in enumerate(docs, 1)]
RANKED_WITH_SCORES = [(*ranked, row[2]) for ranked, row in zip(RANKED, ROWS)]


def lines(rows, form, header=""):
    return header + "".join(form.format(*row) + "\n" for row in rows)


def objects(topic_name, list_name, document_name):
    """An object for each topic of the run."""
    result = []
    for topic, docs in RUN.items():
        results = [{document_name: doc, "score": score} for doc, score in docs.items()]
        result.append({topic_name: topic, list_name: results})
    return result


MTEB = {"mteb_model_meta": {}, "default": {"test": RUN}}
SENTENCE_TRANSFORMERS = objects("query_id", "results", "corpus_id")
RANKLLM = objects("query", "candidates", "docid")
for item in RANKLLM:
    item["query"] = {"text": "", "qid": item["query"]}
FILES = {
    "qrels.txt": lines(JUDGED, "{} 0 {} {}"),
    "bm25.run": lines(ROWS, "{} Q0 {} 1 {} bm25"),
    "test.tsv": lines(JUDGED, "{}\t{}\t{}", "query-id\tcorpus-id\tscore\n"),
    "results.json": json.dumps(RUN),
    "SciFact_predictions.json": json.dumps(MTEB),
    "qrels.json": json.dumps(QRELS, indent=2),
    "relevant.json": json.dumps({"1": ["7"], "2": ["7"]}),
    "run.json": json.dumps(RUN, indent=2),
    "predictions.jsonl": "\n".join(map(json.dumps, SENTENCE_TRANSFORMERS)),
    "rankllm.json": json.dumps(RANKLLM),
    "msmarco.tsv": lines(RANKED, "{}\t{}\t{}"),
    "tevatron.txt": lines(ROWS, "{}\t{}\t{}"),
    "ranking.tsv": lines(RANKED_WITH_SCORES, "{}\t{}\t{}\t{}"),
    "qrels.jsonl": lines(
        JUDGED, '{{"query_id":"{}","doc_id":"{}","relevance":{},"iteration":"0"}}'
    ),
    "quepid.csv": lines(JUDGED, "query {},{},{}", "query,docid,rating\n"),
    "texts.tsv": lines(ROWS, "query {}\t{}\t{}", "query\tdocid\tscore\n"),
    "ntcir.qrels": lines(JUDGED, "{} {} L{}"),
    "letor.txt": lines(JUDGED, "{2} qid:{0} 1:0.5 2:3 #docid = {1} inc = 1"),
    "test.svm": lines(JUDGED, "{2} qid:{0} 1:0.5 2:3"),
    "predictions.txt": lines([(RUN[topic][doc],) for topic, doc, _ in JUDGED], "{}"),
    "own.csv": lines(ROWS, "{},{},{}", "Q,D,S\n"),
    "twice.run": lines([*ROWS, ("2", "7", 0)], "{} Q0 {} 1 {} t"),
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    table = lines(ROWS, "{},{},{}", "qid,docno,score\n")
    Path("results.csv.gz").write_bytes(gzip.compress(table.encode()))
    topics, docs, scores = zip(*ROWS)
    ranx = pyarrow.table({"q_id": topics, "doc_id": docs, "score": scores})
    parquet.write_table(ranx, "ranx.parquet")
    topics, docs, levels = zip(*JUDGED)
    ids = {"query-id": list(map(int, topics)), "corpus-id": list(map(int, docs))}
    parquet.write_table(pyarrow.table(ids | {"score": levels}), "hub.parquet")


PAGE = (DOCS / "data.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| What to type |")[2].partition("\n\n")[0]
COMMANDS = re.findall(r"\| `ir_measures_graded ([^`]*)` \|$", TABLE, re.MULTILINE)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("command", COMMANDS)
def test_row_gives_the_value_of_the_same_data(capsys, command):
    words = shlex.split(command)
    assert cli.main(words) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    if words[0] == "evaluate":
        assert out == "nDCG@10\t0.8155\n"
    else:
        assert Path(words[2]).read_text().startswith("1 Q0 9 1 8.5 ")
