"""The reduction of a run to judged ranks, checked against a plain loop, and trec_eval's order."""

import pickle

import numpy as np
import pytest
from hypothesis import example, given

import reference
import strategies
from ir_measures_graded import GradedError, GradedEvaluator, Spearman, nDCG_JK
from ir_measures_graded.core.ranking.judged import computed_once
from ir_measures_graded.core.reduction import judged_of, reduced
from ir_measures_graded.core.rows import rows
from ir_measures_graded.core.rows.sources import read_qrels, read_run


def reduce(qrels, run):
    return reduced(judged_of(read_qrels(qrels)), read_run(run))


def by_topic(qrels, ranks):
    """The (document, rank, first, last) of each topic, and its number of retrieved documents."""
    docs = [doc for judged in qrels.values() for doc in judged]
    topics = ranks.judged.topics
    entries = {topic: [] for topic in topics}
    columns = (ranks.doc, ranks.topic, ranks.rank, ranks.first, ranks.last)
    for doc, topic, rank, first, last in zip(*(column.tolist() for column in columns)):
        entries[topics[topic]].append((docs[doc], rank, first, last))
    return entries, dict(zip(topics, ranks.retrieved.tolist()))


def plain(qrels, run, condensed=False):
    """`by_topic` as a plain loop."""
    entries = {topic: [] for topic in qrels}
    retrieved = {}
    for topic, judged in qrels.items():
        score_of = {doc: reference.as_float32(score) for doc, score in run.get(topic, {}).items()}
        ranked = reference.order(run.get(topic, {}))
        if condensed:
            ranked = [doc for doc in ranked if doc in judged]
        retrieved[topic] = len(ranked)
        scores = [score_of[doc] for doc in ranked]
        for rank, doc in enumerate(ranked, start=1):
            if doc in judged:
                tied = [place for place, score in enumerate(scores, 1) if score == score_of[doc]]
                entries[topic].append((doc, rank, tied[0], tied[-1]))
    return entries, retrieved


@given(strategies.collections())
@example(({"q": {"a": 1}}, {"q": {"b": 1.0, "a": 1.0, "c": 1.0}, "z": {"a": 1.0}}))
@example(({}, {"q": {"a": 1.0}}))
@example(({"q": {"a": 1}, "p": {}}, {}))
def test_ranks_and_tie_groups_match_a_plain_loop(collection):
    qrels, run = collection
    ranks = reduce(qrels, run)
    assert by_topic(qrels, ranks) == plain(qrels, run)
    assert by_topic(qrels, ranks.condensed) == plain(qrels, run, condensed=True)
    assert ranks.condensed.whole is ranks
    assert by_topic(qrels, ranks.condensed.condensed) == by_topic(qrels, ranks.condensed)


@given(strategies.collections())
@example(({"q": {"a": 1, "7": 1}}, {"q": {"b": 1.0, "a": 1.0, "c": 1}, "e": {}, "p": {"7": 2.0}}))
def test_dict_look_up_gives_the_same_ranks(collection):
    qrels, run = collection
    hashed = reduce(qrels, run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "LOOK_UP", 0)
        looked_up = reduce(qrels, run)
    assert by_topic(qrels, looked_up) == by_topic(qrels, hashed)
    assert looked_up.score.tolist() == hashed.score.tolist()


@pytest.mark.parametrize(
    "run", [{"b": 1.0, 7: 2.0}, {"b": 1.0, b"7": 2.0}, {5: 1.0, "b": 2.0}, {"7": 1.0, 5: 1.0}]
)
def test_dict_look_up_refuses_ids_that_could_be_judged_but_are_not_strings(monkeypatch, run):
    monkeypatch.setattr(rows, "LOOK_UP", 0)
    with pytest.raises(GradedError, match=r"run: doc_id .* not a string"):
        reduce({"q": {"7": 1}}, {"q": run})


@given(strategies.collections())
def test_scores_are_in_rank_order(collection):
    qrels, run = collection
    ranks = reduce(qrels, run)
    listed = [(topic, doc) for topic in qrels for doc in reference.order(run.get(topic, {}))]
    assert ranks.score.tolist() == [run[topic][doc] for topic, doc in listed]
    assert list(ranks.documents(np.arange(len(listed)))) == [doc for _, doc in listed]
    for number, topic in enumerate(qrels):
        scores = run.get(topic, {}).values()
        assert ranks.lowest[number] == min(scores, default=0)
        assert ranks.highest[number] == max(scores, default=0)


class Owner:
    def __init__(self):
        self.computed = {}


def test_results_computed_once_are_kept_by_function_and_arguments():
    """Neither the text of an argument nor the name of a function decides which result returns."""

    def multiplier(factor):
        @computed_once
        def product(owner, number):
            return factor * number

        return product

    owner = Owner()
    twice = multiplier(2)
    thrice = multiplier(3)
    assert twice(owner, 5) == 10
    assert thrice(owner, 5) == 15
    calls = []

    @computed_once
    def kind(owner, argument):
        calls.append(argument)
        return type(argument)

    kinds = [kind(owner, argument) for argument in ("1", 1, 1, {1: 2}, {1: 2})]
    assert kinds == [str, int, int, dict, dict]
    assert calls == ["1", 1, {1: 2}]
    with pytest.raises(TypeError, match="unhashable"):
        kind(owner, np.arange(3000))


def test_a_reduced_run_with_computed_results_can_be_pickled():
    evaluator = GradedEvaluator([nDCG_JK(gains={1: 5}) @ 3, Spearman], {"q": {"a": 1, "b": 0}})
    run = {"q": {"b": 2.0, "a": 1.0}}
    values = [metric.value for metric in evaluator.iter_calc(run)]
    copy = pickle.loads(pickle.dumps(evaluator))
    assert [metric.value for metric in copy.iter_calc(run)] == values
