"""Runs of passages are those of their documents: a brute force by dicts is the reference."""

import io
import random
import re
import warnings

import pytest
from reading import in_pieces, refused, run_file

from ir_measures_graded import GradedError
from ir_measures_graded.analysis import document_runs, evaluate
from ir_measures_graded.core.rows.passages import PassageRule, PassageRun
from ir_measures_graded.evaluation.named import ascending_runs, read_judgments

QRELS = {"q1": {"a": 1, "b#x": 2, "c": 0}, "é": {"d": 1}}


def random_run(seed, separator):
    draw = random.Random(seed)
    parts = ["a", "b", "é", separator, separator[:1], "1"]
    run = {}
    for topic in ("q1", "é", "q3"):
        ids = {"a" + "".join(draw.choices(parts, k=draw.randrange(6))) for _ in range(60)}
        run[topic] = {id_: draw.randrange(6) / 2 for id_ in sorted(ids)}
    return run


def by_document(run, document_of, best=max):
    found = {}
    for topic, documents in run.items():
        scores = found.setdefault(topic, {})
        for id_, score in documents.items():
            document = document_of(id_)
            scores[document] = best(scores.get(document, score), score)
    return found


def before_last(separator):
    return lambda id_: id_.rpartition(separator)[0] if separator in id_ else id_


def lines(run):
    return "".join(f"{q} Q0 {d} 1 {s} t\n" for q, found in run.items() for d, s in found.items())


@pytest.mark.parametrize("separator", ["#", "%p", "é", "##"])
def test_separator_is_that_of_a_brute_force(separator):
    rule = PassageRule(separator)
    for seed in range(5):
        run = random_run(seed, separator)
        expected = by_document(run, before_last(separator))
        (read,) = document_runs({"A": run}, separator)
        assert read.source.rows().dicts() == expected
        blocks = PassageRun(run_file(lines(run), in_pieces(64, rows=5)), rule).blocks()
        found = {topic: docs for rows in blocks for topic, docs in rows.dicts().items()}
        assert found == expected


PATTERNS = [(r"(a.?).*", 1), (r"(.)(?P<doc>.+?)?1*(#.*)?", 2), (r"(.)(?P<doc>.*)", 2)]


@pytest.mark.parametrize(("pattern", "group"), PATTERNS)
def test_pattern_is_that_of_a_brute_force(pattern, group):
    run = random_run(1, "#")
    matches = {id_: re.fullmatch(pattern, id_) for found in run.values() for id_ in found}
    (documents,) = document_runs({"A": run}, pattern=pattern)
    if all(match and match[group] for match in matches.values()):
        expected = by_document(run, lambda id_: matches[id_][group])
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
    assert read.rows(read_judgments(QRELS)).dicts() == {
        topic: {id_: -score for id_, score in found.items()} for topic, found in smallest.items()
    }


@pytest.mark.filterwarnings("ignore")
def test_values_are_those_of_the_run_of_documents():
    run = random_run(3, "#")
    documents = by_document(run, before_last("#"))
    measures = ["nDCG@3", "AP"]
    for settings in ({}, {"ties": "mean"}, {"unjudged": "max"}):
        found = evaluate(QRELS, document_runs({"A": run}, "#"), measures, **settings)
        expected = evaluate(QRELS, {"A": documents}, measures, **settings)
        assert (found.values == expected.values).all()


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_column_names_the_document(ending):
    rows = [("q1", "1", "a", 1.0), ("q1", "2", "a", 3.0), ("q1", "3", "b", 2.0)]
    text = "query_id,doc_id,parent,score\n" + "".join(f"{q},{p},{d},{s}\n" for q, p, d, s in rows)
    if ending == "json":
        form = '{{"query_id":"{}","doc_id":"{}","parent":"{}","score":{}}}'
        text = "\n".join(form.format(*row) for row in rows)
    (read,) = document_runs({"A": run_file(text)}, column="parent")
    assert read.source.rows().dicts() == {"q1": {"a": 3.0, "b": 2.0}}
    (wrong,) = document_runs({"A": run_file(text)}, column="paren")
    assert "has no column paren; it has query_id" in refused(wrong.source.rows)


def test_remarks_count_passages_and_show_what_was_taken():
    runs = {"A": {"q1": {"a#1": 3.0, "a#2": 2.0, "b#x#1": 1.0}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluate(QRELS, document_runs(runs, "#"), ["P@5"])
        of_passages = evaluate({"q1": {"a#1": 1, "b#2": 0}}, document_runs(runs, "#"), ["P@1"])
    texts = {remark.kind: remark.text for remark in found.remarks}
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
        ({"q1": {"a": 1.0}}, {"column": "x"}, "passages_column is for runs in files"),
        ({}, {}, "give one of separator, pattern and column"),
        ({}, {"separator": "#", "pattern": "(a)"}, "give one of separator, pattern and column"),
        ({}, {"separator": ""}, "separator is a text, not ''"),
        ({}, {"pattern": "("}, "is no pattern"),
        ({}, {"pattern": "a"}, "has no group for the document"),
    ],
)
def test_passages_without_a_document_are_refused(run, arguments, fact):
    with pytest.raises(GradedError, match=re.escape(fact)):
        document_runs({"A": run}, **arguments)[0].source.rows()


def test_a_passage_that_is_retrieved_twice_stays_an_error():
    file = run_file(io.BytesIO(b"q1 Q0 a#1 1 2 t\nq1 Q0 a#1 2 1 t\n"))
    (documents,) = document_runs({"A": file}, "#")
    assert "retrieves document 'a#1' twice" in refused(documents.source.rows)
