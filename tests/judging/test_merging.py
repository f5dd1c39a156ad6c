"""Qrels of several judges: the rule for merging them."""

import io

import pandas
import pytest
from ir_measures import Qrel

from ir_measures_graded import GradedError, demo, read_trec_qrels
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.judging.merging import merge_qrels

HUMAN = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
MACHINE = {"q1": {"a": 3, "b": 0, "d": 1}, "q3": {"e": 2}}
CROWD = {"q1": {"a": 2, "d": 0}, "q2": {"f": 1}}


def test_the_first_source_that_judges_a_document_decides():
    merged = merge_qrels([("human", HUMAN), ("machine", MACHINE), ("crowd", CROWD)])
    assert merged.qrels == {"q1": {"a": 2, "b": 0, "d": 1}, "q2": {"c": 1, "f": 1}, "q3": {"e": 2}}
    assert merged.origins == {"human": 3, "machine": 2, "crowd": 1}


def test_every_other_level_is_a_contradiction_of_the_source_that_decided():
    merged = merge_qrels({"human": HUMAN, "machine": MACHINE, "crowd": CROWD})
    assert list(map(str, merged.contradictions)) == [
        "topic 'q1', document 'a': level 2 by human, 3 by machine",
        "topic 'q1', document 'd': level 1 by machine, 0 by crowd",
    ]


def test_merging_takes_qrels_in_every_form(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n")
    tuples = [Qrel(topic, doc, level) for topic, judged in HUMAN.items() for doc, level in judged.items()]
    frame = pandas.DataFrame(tuples, columns=Qrel._fields).drop(columns="iteration")
    for form in (
        path,
        str(path),
        tuples,
        iter(tuples),
        frame,
        read_trec_qrels(io.BytesIO(path.read_bytes())),
    ):
        assert merge_qrels({"human": form}).qrels == HUMAN
    assert len(merge_qrels({"demo": "graded-demo"}).qrels) == 20


def test_qrels_merged_with_themselves_stay_the_same():
    merged = merge_qrels([("one", demo.qrels_path()), ("two", demo.qrels_path())])
    assert merged.origins == {"one": 2992, "two": 0}
    assert not merged.contradictions
    runs = demo.run_paths()
    alone, twice = (evaluate(qrels, runs, ["nDCG_JK", "AP"]) for qrels in (demo.qrels_path(), merged.qrels))
    assert (alone.values == twice.values).all()


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([("a", HUMAN), ("a", HUMAN)], "two sources of qrels are named 'a'"),
        (
            [("a", [Qrel("q", "d", 1), Qrel("q", "d", 2)])],
            "a: topic 'q', document 'd': judged twice, at level 1",
        ),
        ([("a", "missing.txt")], "'missing.txt' is neither a file nor"),
    ],
)
def test_sources_that_cannot_be_merged_are_refused(sources, message):
    with pytest.raises(GradedError, match=message):
        merge_qrels(sources)
