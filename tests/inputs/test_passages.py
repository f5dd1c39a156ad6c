"""Runs of passages are those of their documents: a brute force by dicts is the reference."""

import io
import random
import re
import warnings

import pandas
import pytest
from reading import in_pieces, refused, run_file

from ir_measures_graded import RunFile
from ir_measures_graded.analysis import document_runs, evaluate
from ir_measures_graded.core.rows.passages import PassageRule, PassageRun
from ir_measures_graded.evaluation.named import ascending_runs, read_judgments

QRELS = {"q1": {"a": 1, "b#x": 2, "c": 0}, "é": {"d": 1}}


def random_run(seed, separator):
    generator = random.Random(seed)
    pieces = ["a", "b", "é", separator, separator[:1], "1"]
    run = {}
    for topic in ("q1", "é", "q3"):
        ids = set()
        for _ in range(60):
            length = generator.randrange(6)
            ids.add("a" + "".join(generator.choices(pieces, k=length)))
        run[topic] = {id_: generator.randrange(6) / 2 for id_ in sorted(ids)}
    return run


def by_document(run, document_of, best=max):
    """The run of documents, each with the best score of its passages."""
    documents = {}
    for topic, passages in run.items():
        scores = documents.setdefault(topic, {})
        for id_, score in passages.items():
            document = document_of(id_)
            scores[document] = best(scores.get(document, score), score)
    return documents


def before_last(separator):
    """The function that takes the text before the last separator of an id."""

    def document_of(id_):
        if separator not in id_:
            return id_
        return id_.rpartition(separator)[0]

    return document_of


def lines(run):
    rows = []
    for topic, docs in run.items():
        rows += [f"{topic} Q0 {doc} 1 {score} t\n" for doc, score in docs.items()]
    return "".join(rows)


@pytest.mark.parametrize("separator", ["#", "%p", "é", "##"])
def test_separator_is_that_of_a_brute_force(separator):
    rule = PassageRule(separator)
    for seed in range(5):
        run = random_run(seed, separator)
        expected = by_document(run, before_last(separator))
        (read,) = document_runs({"A": run}, separator)
        assert read.source.rows().dicts() == expected
        blocks = PassageRun(run_file(lines(run), in_pieces(64, rows=5)), rule).blocks()
        joined = {}
        for rows in blocks:
            joined |= rows.dicts()
        assert joined == expected


PATTERNS = [(r"(a.?).*", 1), (r"(.)(?P<doc>.+?)?1*(#.*)?", 2), (r"(.)(?P<doc>.*)", 2)]


@pytest.mark.parametrize(("pattern", "group"), PATTERNS)
def test_pattern_is_that_of_a_brute_force(pattern, group):
    run = random_run(1, "#")
    document_of = {}
    for passages in run.values():
        for id_ in passages:
            match = re.fullmatch(pattern, id_)
            document_of[id_] = match and match[group]
    (documents,) = document_runs({"A": run}, pattern=pattern)
    if all(document_of.values()):
        expected = by_document(run, document_of.get)
        assert documents.source.rows().dicts() == expected
    else:
        assert "by the pattern" in refused(documents.source.rows)


@pytest.mark.parametrize("order", ["before", "after"])
def test_smallest_distance_of_the_passages_counts(order):
    run = random_run(2, "#")
    runs = {"A": run}
    if order == "before":
        (read,) = document_runs(ascending_runs(runs), "#")
    else:
        (read,) = ascending_runs(document_runs(runs, "#"))
    smallest = by_document(run, before_last("#"), min)
    negative = {}
    for topic, scores in smallest.items():
        negative[topic] = {id_: -score for id_, score in scores.items()}
    assert read.rows(read_judgments(QRELS)).dicts() == negative


@pytest.mark.filterwarnings("ignore")
def test_values_are_those_of_the_run_of_documents():
    run = random_run(3, "#")
    documents = by_document(run, before_last("#"))
    measures = ["nDCG@3", "AP"]
    for settings in ({}, {"ties": "mean"}, {"unjudged": "max"}):
        of_passages = evaluate(QRELS, document_runs({"A": run}, "#"), measures, **settings)
        of_documents = evaluate(QRELS, {"A": documents}, measures, **settings)
        assert (of_passages.values == of_documents.values).all()


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_column_names_the_document(ending):
    rows = [("q1", "1", "a", 1.0), ("q1", "2", "a", 3.0), ("q1", "3", "b", 2.0)]
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id", "parent", "score"])
    if ending == "csv":
        text = frame.to_csv(index=False)
    else:
        text = frame.to_json(orient="records", lines=True)
    (read,) = document_runs({"A": run_file(text)}, column="parent")
    assert read.source.rows().dicts() == {"q1": {"a": 3.0, "b": 2.0}}
    (wrong,) = document_runs({"A": run_file(text)}, column="paren")
    assert "has no column paren; it has query_id" in refused(wrong.source.rows)


def test_documents_of_several_runs_in_a_table_are_in_a_column(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("run,query_id,doc_id,score,parent\nA,q1,1,2,a\nA,q1,2,3,a\nB,q1,1,4,b\n")
    read = {
        run.name: run.rows(read_judgments(QRELS)).dicts()
        for run in document_runs(RunFile(path).runs(), column="parent")
    }
    assert read == {"A": {"q1": {"a": 3.0}}, "B": {"q1": {"b": 4.0}}}
    of_stream = RunFile(io.BytesIO(path.read_bytes())).runs()
    message = refused(lambda: document_runs(of_stream, column="parent"))
    assert "the table has several runs and is read once; save it in a file" in message


def test_the_column_of_runs_cannot_have_the_documents_of_passages(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("run,query_id,doc_id,score\nA,q1,d1,1\nB,q1,d1,1\n")
    runs = document_runs(RunFile(path).runs(), column="run")
    message = refused(runs[0].rows, read_judgments(QRELS))
    assert message == f"{path}: the column run cannot also name the runs"


def test_remarks_count_passages_and_show_what_was_taken():
    runs = {"A": {"q1": {"a#1": 3.0, "a#2": 2.0, "b#x#1": 1.0}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_documents = evaluate(QRELS, document_runs(runs, "#"), ["P@5"])
        of_passages = evaluate({"q1": {"a#1": 1, "b#2": 0}}, document_runs(runs, "#"), ["P@1"])
    texts = {remark.kind: remark.text for remark in of_documents.remarks}
    assert texts["passages"] == "3 passages → 2 documents, 2 a topic (median)"
    assert texts["separators"] == (
        "ids have '#' more than once, as 'b#x#1', whose document is taken as 'b#x'"
    )
    assert "2 documents (median), fewer than the cutoff 5" in texts["few documents"]
    assert "judged passages" in {remark.kind for remark in of_passages.remarks}


@pytest.mark.parametrize(
    ("run", "arguments", "fact"),
    [
        ({"q1": {"#1": 1.0}}, {"separator": "#"}, "document '#1': nothing stands before '#'"),
        ({"q1": {"a": 1.0}}, {"pattern": "(b)"}, "'a': the id is not matched by the pattern '(b)'"),
        ({"q1": {"x::a": 1}}, {"pattern": "::(.*)$"}, "the whole id, as '.*::(.*)$' does"),
        ({"q1": {"a": 1.0}}, {"column": "x"}, "passages_column is for runs in files"),
        ({}, {}, "give one of separator, pattern and column"),
        ({}, {"separator": "#", "pattern": "(a)"}, "give one of separator, pattern and column"),
        ({}, {"separator": ""}, "separator is a text, not ''"),
        ({}, {"pattern": "("}, "is no pattern"),
        ({}, {"pattern": "a"}, "has no group for the document"),
    ],
)
def test_passages_without_a_document_are_refused(run, arguments, fact):
    def read_documents():
        (documents,) = document_runs({"A": run}, **arguments)
        documents.source.rows()

    assert fact in refused(read_documents)


def test_a_passage_that_is_retrieved_twice_stays_an_error():
    file = run_file(io.BytesIO(b"q1 Q0 a#1 1 2 t\nq1 Q0 a#1 2 1 t\n"))
    (documents,) = document_runs({"A": file}, "#")
    assert "retrieves document 'a#1' twice" in refused(documents.source.rows)
