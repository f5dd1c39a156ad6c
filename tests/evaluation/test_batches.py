"""The values of batches of whole topics, as distributed engines compute them."""

from random import Random

import numpy as np
import pyarrow
import pytest
from ir_measures import AP, RR, Compat, NumRet, P, nDCG

from buckets import arrow, expected, levels_of, part, qrels_and_runs, rows_of
from ir_measures_graded import ERR_G, ERR_IA_G, RBP_G, GradedError, TopicMeasure, muAP, nDCG_JK
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.core.measures import intents
from ir_measures_graded.evaluation.batches import evaluate_batches, needs_levels

MEASURES = [
    *(nDCG_JK @ 10, muAP, ERR_G @ 5, ERR_G(max_gain=15), RBP_G, nDCG_JK(unjudged="max") @ 2),
    *(AP, nDCG @ 10, RR @ 3, P(rel=2) @ 5, NumRet),
    Compat(p=0.8),  # only a provider of ir-measures computes it
]


class _Docs(TopicMeasure):
    """The number of distinct positive gains in the collection, which the measure does not announce."""

    NAME = "Kinds"

    def values(self, topics):
        return np.full(topics.count, topics.possible_gains.size)


def test_buckets_have_the_values_of_the_collection():
    qrels, runs = qrels_and_runs()
    found = {}
    for bucket in range(4):
        judged = arrow(part(qrels, bucket), "relevance", Random(1))
        rows = {name: arrow(part(run, bucket), "score", Random(2)) for name, run in runs.items()}
        for name in runs:
            values = evaluate_batches(MEASURES, judged, [rows[name]], levels_of(qrels))
            assert values.column_names == ["query_id", "measure", "value"]
            found |= {(name, *row): value for row, value in rows_of(values).items()}
    assert found == expected(qrels, runs, MEASURES)


def test_batches_have_the_values_of_one_run():
    qrels, runs = qrels_and_runs()
    batches = [arrow(part(runs["one"], bucket), "score") for bucket in range(4)]
    judged, levels = arrow(qrels, "relevance"), levels_of(qrels)
    values = rows_of(evaluate_batches(MEASURES, judged, iter(batches), levels))
    assert {("one", *row): value for row, value in values.items()} == expected(
        qrels, {"one": runs["one"]}, MEASURES
    )
    again = evaluate_batches(MEASURES, judged, [batch.to_batches()[0] for batch in batches], levels)
    assert rows_of(again) == values


@pytest.mark.filterwarnings("ignore:none. the run is empty")
def test_the_values_of_columns_tell_runs_apart():
    qrels, runs = qrels_and_runs()
    tables = [
        arrow(run, "score").append_column(
            "system", pyarrow.array([None if name == "two" else name] * rows, pyarrow.string())
        )
        for name, run in runs.items()
        for rows in [sum(map(len, run.values()))]
    ]
    shuffled = pyarrow.concat_tables(tables)
    shuffled = shuffled.take(np.random.default_rng(7).permutation(len(shuffled)))
    groups = pyarrow.table({"system": ["one", "none"]})
    judged = arrow(qrels, "relevance")
    for batches in ([shuffled], tables):
        values = evaluate_batches(
            MEASURES, judged, batches, levels_of(qrels), by="system", groups=groups
        )
        assert values.column_names == ["system", "query_id", "measure", "value"]
        local = expected(qrels, {**runs, "none": {}}, MEASURES)
        local = {
            (None if run == "two" else run, *row): value for (run, *row), value in local.items()
        }
        assert rows_of(values) == local
    none = evaluate_batches("CG", judged, [shuffled.slice(0, 0)], by=["system"])
    assert (len(none), none.column_names) == (0, values.column_names)


def test_without_rows_there_are_the_topics_of_the_qrels():
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}}
    none = arrow({}, "score")
    for batches in ([], [none], [none, none]):
        found = evaluate_batches([AP, Compat(p=0.8)], arrow(qrels, "relevance"), batches)
        assert [value or 0 for value in rows_of(found).values()] == [0, 0, 0, 0]
    run = arrow({"q9": {"a": 1}}, "score")
    assert len(evaluate_batches([AP, ERR_G], arrow({}, "relevance"), [run], levels=[])) == 0


def test_documents_that_are_their_topic_are_left_out_on_request():
    qrels, batch = arrow({"a": {"x": 1}}, "relevance"), arrow({"a": {"a": 2, "x": 1}}, "score")
    found = evaluate_batches("RR", qrels, [batch], ignore_identical_ids=True)
    assert found["value"].to_pylist() == [1]


def test_a_bucket_does_not_answer_for_the_collection():
    assert needs_levels([ERR_G])
    assert not needs_levels([AP, nDCG_JK @ 10, ERR_G(max_gain=3)])
    qrels, run = arrow({"q1": {"a": 1}}, "relevance"), arrow({"q1": {"a": 1}}, "score")
    with pytest.raises(
        GradedError, match="the levels of the whole collection are needed; give levels"
    ):
        evaluate_batches(_Docs(), qrels, [run])
    assert evaluate_batches(_Docs(), qrels, [run], [3, 2, 2, 1, 0, -1])["value"].to_pylist() == [3]


def test_intents_of_some_topics_have_the_values_of_the_collection():
    random = Random(6)
    rows = [
        (topic, f"d{doc}", random.choice([0, 1, 3]), intent)
        for topic, most in (("q1", 1), ("q2", 2), ("q3", 3))
        for intent in "123"[:most]
        for doc in random.sample(range(9), 6)
    ]
    columns = dict(zip(("query_id", "doc_id", "relevance", "iteration"), map(list, zip(*rows))))
    qrels, run = (
        pyarrow.table(columns),
        {f"q{topic}": {"d1": 2.0, "d2": 1.0} for topic in (1, 2, 3)},
    )
    values = {}
    for topic in run:  # q1 has one intent only
        judged = qrels.filter(pyarrow.array([each == topic for each in columns["query_id"]]))
        batch = arrow({topic: run[topic]}, "score")
        values |= rows_of(evaluate_batches(intents.MEASURES, judged, [batch], levels=[0, 1, 3, 4]))
    with_top = [
        measure(max_gain=15) if measure is ERR_IA_G else measure for measure in intents.MEASURES
    ]
    found = evaluate(qrels, {"": run}, with_top)
    names = map(str, intents.MEASURES)
    assert values == {
        (topic, name): value
        for name, by_topic in zip(names, found.values[0].tolist())
        for topic, value in zip(found.topics, by_topic)
    }
