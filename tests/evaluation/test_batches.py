"""The values of batches of whole topics, as distributed engines compute them."""

from random import Random

import numpy as np
import pyarrow
import pyarrow.compute
import pytest
from ir_measures import AP, RR, Compat, NumRet, P, nDCG

from buckets import arrow, expected, levels_of, part, qrels_and_runs, rows_of
from ir_measures_graded import ERR_G, ERR_IA_G, RBP_G, GradedError, TopicMeasure, muAP, nDCG_JK
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.core.measures import intents
from ir_measures_graded.evaluation.batches import evaluate_batches, needs_levels

MEASURES = [nDCG_JK @ 10, nDCG_JK(unjudged="max") @ 2, muAP, ERR_G @ 5, ERR_G(max_gain=15), RBP_G]
MEASURES += [AP, nDCG @ 10, RR @ 3, P(rel=2) @ 5, NumRet]
MEASURES.append(Compat(p=0.8))  # only a provider of ir-measures computes it


class _Docs(TopicMeasure):
    """The number of distinct positive gains in the collection; the measure does not announce it."""

    NAME = "Kinds"

    def values(self, topics):
        return np.full(topics.count, topics.possible_gains.size)


def test_buckets_have_the_values_of_the_collection():
    qrels, runs = qrels_and_runs()
    levels = levels_of(qrels)
    value_of = {}
    for bucket in range(4):
        judged = arrow(part(qrels, bucket), "relevance", Random(1))
        for name, run in runs.items():
            batch = arrow(part(run, bucket), "score", Random(2))
            table = evaluate_batches(MEASURES, judged, [batch], levels)
            assert table.column_names == ["query_id", "measure", "value"]
            for row, value in rows_of(table).items():
                value_of[(name, *row)] = value
    assert value_of == expected(qrels, runs, MEASURES)


def test_batches_have_the_values_of_one_run():
    qrels, runs = qrels_and_runs()
    batches = [arrow(part(runs["one"], bucket), "score") for bucket in range(4)]
    judged = arrow(qrels, "relevance")
    levels = levels_of(qrels)
    values = rows_of(evaluate_batches(MEASURES, judged, iter(batches), levels))
    with_run = {("one", *row): value for row, value in values.items()}
    assert with_run == expected(qrels, {"one": runs["one"]}, MEASURES)
    record_batches = [batch.to_batches()[0] for batch in batches]
    of_record_batches = evaluate_batches(MEASURES, judged, record_batches, levels)
    assert rows_of(of_record_batches) == values


@pytest.mark.filterwarnings("ignore:none. the run is empty")
def test_the_values_of_columns_tell_runs_apart():
    qrels, runs = qrels_and_runs()
    systems = {"one": "one", "two": None, "none": "none"}  # the second run has no name
    tables = []
    for name, run in runs.items():
        rows = arrow(run, "score")
        system = pyarrow.array([systems[name]] * len(rows), pyarrow.string())
        tables.append(rows.append_column("system", system))
    joined = pyarrow.concat_tables(tables)
    shuffled = joined.take(np.random.default_rng(7).permutation(len(joined)))
    local = {}
    for (run, *row), value in expected(qrels, {**runs, "none": {}}, MEASURES).items():
        local[(systems[run], *row)] = value
    groups = pyarrow.table({"system": ["one", "none"]})
    judged = arrow(qrels, "relevance")
    levels = levels_of(qrels)
    for batches in ([shuffled], tables):
        table = evaluate_batches(MEASURES, judged, batches, levels, by="system", groups=groups)
        assert table.column_names == ["system", "query_id", "measure", "value"]
        assert rows_of(table) == local
    empty = evaluate_batches("CG", judged, [shuffled.slice(0, 0)], by=["system"])
    assert len(empty) == 0
    assert empty.column_names == ["system", "query_id", "measure", "value"]


def test_without_rows_there_are_the_topics_of_the_qrels():
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}}
    judged = arrow(qrels, "relevance")
    empty = arrow({}, "score")
    for batches in ([], [empty], [empty, empty]):
        table = evaluate_batches([AP, Compat(p=0.8)], judged, batches)
        assert [value or 0 for value in rows_of(table).values()] == [0, 0, 0, 0]
    run = arrow({"q9": {"a": 1}}, "score")
    assert len(evaluate_batches([AP, ERR_G], arrow({}, "relevance"), [run], levels=[])) == 0


def test_documents_that_are_their_topic_are_left_out_on_request():
    qrels = arrow({"a": {"x": 1}}, "relevance")
    batch = arrow({"a": {"a": 2, "x": 1}}, "score")
    table = evaluate_batches("RR", qrels, [batch], ignore_identical_ids=True)
    assert table["value"].to_pylist() == [1]


@pytest.mark.parametrize(
    "options", [{"ties": "mean"}, {"ties": "given", "unjudged": "max"}, {"ascending": True}]
)
def test_batches_take_the_options_of_evaluate(options):
    judged = {"q": {"a": 2, "b": 1}, "p": {"a": 1}}
    run = {"q": {"x": 1.0, "a": 1.0, "c": 2.0, "b": 1.0}, "p": {"y": 0.5, "a": 0.5}}
    measures = ["nDCG_JK@2", "P@2", "AP"]
    expected = evaluate(judged, {"run": run}, measures, **options)
    rows = [arrow({topic: docs}, "score") for topic, docs in run.items()]
    qrels = arrow(judged, "relevance")
    table = evaluate_batches(measures, qrels, rows, levels=[1, 2], **options)
    assert table["value"].to_pylist() == expected.values.ravel().tolist()
    assert table["measure"].unique().to_pylist() == list(map(str, expected.measures))
    with pytest.raises(GradedError, match=r"AP: ties='first' is not allowed"):
        evaluate_batches("AP", qrels, rows, ties="first")
    with pytest.raises(GradedError, match="names its own ties"):
        evaluate_batches("AP(ties=max)", qrels, rows, ties="given")


def test_a_bucket_does_not_answer_for_the_collection():
    assert needs_levels([ERR_G])
    assert not needs_levels([AP, nDCG_JK @ 10, ERR_G(max_gain=3)])
    qrels = arrow({"q1": {"a": 1}}, "relevance")
    run = arrow({"q1": {"a": 1}}, "score")
    message = "the levels of the whole collection are needed; give levels"
    with pytest.raises(GradedError, match=message):
        evaluate_batches(_Docs(), qrels, [run])
    table = evaluate_batches(_Docs(), qrels, [run], [3, 2, 2, 1, 0, -1])
    assert table["value"].to_pylist() == [3]


def test_intents_of_some_topics_have_the_values_of_the_collection():
    random = Random(6)
    rows = []
    for topic, topic_intents in (("q1", "1"), ("q2", "12"), ("q3", "123")):
        for intent in topic_intents:
            for doc in random.sample(range(9), 6):
                level = random.choice([0, 1, 3])
                rows.append((topic, f"d{doc}", level, intent))
    names = ("query_id", "doc_id", "relevance", "iteration")
    qrels = pyarrow.Table.from_pylist([dict(zip(names, row)) for row in rows])
    run = {topic: {"d1": 2.0, "d2": 1.0} for topic in ("q1", "q2", "q3")}
    value_of = {}
    for topic, docs in run.items():
        judged = qrels.filter(pyarrow.compute.field("query_id") == topic)
        batch = arrow({topic: docs}, "score")
        table = evaluate_batches(intents.MEASURES, judged, [batch], levels=[0, 1, 3, 4])
        value_of |= rows_of(table)
    with_top = {ERR_IA_G: ERR_IA_G(max_gain=15)}
    evaluation = evaluate(qrels, {"": run}, [with_top.get(m, m) for m in intents.MEASURES])
    of_collection = {}
    for measure, values in zip(intents.MEASURES, evaluation.values[0].tolist()):
        for topic, value in zip(evaluation.topics, values):
            of_collection[topic, str(measure)] = value
    assert value_of == of_collection
