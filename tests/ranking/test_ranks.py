"""The reduction of a run to judged ranks, checked against a plain loop, and trec_eval's order."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reference
import strategies
from ir_measures_graded import GradedError
from ir_measures_graded.core.reduction import judged_of, reduced
from ir_measures_graded.core.rows import rows
from ir_measures_graded.core.rows.in_memory import read_qrels, read_run


def reduce(qrels, run):
    return reduced(judged_of(read_qrels(qrels)), read_run(run))


def by_topic(qrels, ranks):
    """For each topic, the list of (document, rank, first, last) and the number of retrieved documents."""
    judged, docs = ranks.judged, [doc for docs in qrels.values() for doc in docs]
    found = {topic: [] for topic in judged.topics}
    columns = (ranks.doc, ranks.topic, ranks.rank, ranks.first, ranks.last)
    for doc, topic, rank, first, last in zip(*(column.tolist() for column in columns)):
        found[judged.topics[topic]].append((docs[doc], rank, first, last))
    return found, dict(zip(judged.topics, ranks.retrieved.tolist()))


def plain(qrels, run, condensed=False):
    """`by_topic` as a plain loop."""
    found, retrieved = {}, {}
    for topic, judged in qrels.items():
        scores = run.get(topic, {})
        listed = [doc for doc in reference.order(scores) if doc in judged or not condensed]
        found[topic], retrieved[topic] = [], len(listed)
        for rank, doc in enumerate(listed, 1):
            tied = [
                other
                for other, each in enumerate(listed, 1)
                if reference.as_float32(scores[each]) == reference.as_float32(scores[doc])
            ]
            if doc in judged:
                found[topic].append((doc, rank, tied[0], tied[-1]))
    return found, retrieved


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


def test_levels_are_counted_per_topic():
    judged = judged_of(read_qrels({"q": {"a": 2, "b": -1, "c": 2}, "empty": {}, "p": {"a": 0.5, "b": 1e300}}))
    levels = judged.levels
    assert levels.topic.tolist() == [0, 0, 2, 2]
    assert levels.level.tolist() == [-1, 2, 0.5, 1e300]
    assert levels.count.tolist() == [1, 2, 1, 1]
    assert judged.relevant({2: 0}).tolist() == [0, 0, 2]
    assert judged.best({}).tolist() == [2, 0, 1e300]


@given(
    st.lists(st.lists(st.sampled_from([-1, 0, 1, 2, 3, 0.5, 40, 1e9]), max_size=6), max_size=5), st.booleans()
)
def test_ideal_list_is_the_sorted_positive_gains_up_to_the_cutoff(topics, cut):
    qrels = {f"q{t}": {f"d{n}": level for n, level in enumerate(levels)} for t, levels in enumerate(topics)}
    gains, cutoff = {1: 100, 40: 0}, 2 if cut else None
    expected = [
        (t, rank, gain)
        for t, levels in enumerate(topics)
        for rank, gain in enumerate(
            sorted((gains.get(level, level) for level in levels), reverse=True)[:cutoff], 1
        )
        if gain > 0
    ]
    ideal = judged_of(read_qrels(qrels)).ideal(gains, cutoff)
    assert list(zip(*(column.tolist() for column in ideal))) == expected
