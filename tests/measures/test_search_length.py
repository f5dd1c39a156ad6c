"""ESL, ASL and NR: small cases by hand, every order of tied documents, and the plain reference."""

from fractions import Fraction
from itertools import chain, combinations, product
from math import comb, prod

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference_graded
import strategies
from ir_measures_graded import ASL, ESL, NR, GradedError

ALL = [
    variant
    for measure in (ESL, ESL(n=2), ESL(n=100), ASL, NR)
    for variant in (measure, measure(ties="rank"), measure(docs=30))
]


def value(measure, qrels, run):
    return measure.calc_aggregate({"q": qrels}, {"q": run})


def levels_of(*levels):
    """Qrels and a run from levels of tied documents, ``"rnn"`` one relevant of three; the last is not
    retrieved."""
    qrels = {f"d{i}.{j}": int(kind == "r") for i, level in enumerate(levels) for j, kind in enumerate(level)}
    run = {f"d{i}.{j}": -i for i, level in enumerate(levels[:-1]) for j in range(len(level))}
    return qrels, run


def arrangements(levels):
    """Every way to read the levels from the top with the documents of each in any order."""
    each = [
        [[place in chosen for place in range(len(level))] for chosen in combinations(range(len(level)), r)]
        for level in levels
        for r in [level.count("r")]
    ]
    return [list(chain(*parts)) for parts in product(*each)]


CASES = [
    ("r", "n", ""),
    ("n", "r", ""),
    ("rnn", ""),
    ("nn", "rrn", "n", ""),
    ("nrn", "rrnnn", "nr"),
    ("", "rrnnnn"),
    ("n", "rr"),
    ("rr", ""),
    ("nnnn", "rnrn", "rnn"),
    ("r", "r", "n", "rn", "rrnnn"),
]


@pytest.mark.parametrize("levels", CASES, ids="|".join)
@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_expectations_are_those_over_every_order_of_tied_documents(levels, n):
    qrels, run = levels_of(*levels)
    lists = arrangements(levels)
    assert len(lists) == prod(comb(len(level), level.count("r")) for level in levels)
    relevant, size = sum(qrels.values()), len(qrels)

    passed = [[place for place, hit in enumerate(read) if hit][min(n, relevant) - 1] for read in lists]
    expected = Fraction(sum(passed), len(lists)) - (min(n, relevant) - 1)
    assert value(ESL(n=n), qrels, run) == pytest.approx(float(expected), rel=1e-14)

    positions = [sum(place for place, hit in enumerate(read, 1) if hit) for read in lists]
    mean = Fraction(sum(positions), len(lists))
    assert value(ASL, qrels, run) == pytest.approx(float(mean / relevant), rel=1e-14)
    if size > relevant:
        late = (mean - Fraction(relevant * (relevant + 1), 2)) / (relevant * (size - relevant))
        assert value(NR, qrels, run) == pytest.approx(float(1 - late), rel=1e-14)
    else:
        assert value(NR, qrels, run) == 1


def test_coopers_search_length_within_a_level():
    # j non-relevant before, then i·s/(r + 1) in the level that holds the n-th
    qrels, run = levels_of("rn", "rrrnnnnnnnn", "")
    assert value(ESL(n=3), qrels, run) == 1 + 8 * 2 / 4


def test_the_first_relevant_document_is_wanted_unless_more_are():
    qrels, run = levels_of("n", "r", "n", "r", "n", "")
    assert [value(measure, qrels, run) for measure in (ESL, ESL(n=1), ESL(n=2))] == [1, 1, 2]


def test_more_than_there_are_is_all_there_are():
    qrels, run = levels_of("n", "r", "n", "r", "n", "")
    assert value(ESL(n=2), qrels, run) == value(ESL(n=3), qrels, run) == value(ESL(n=10**9), qrels, run) == 2


def test_the_collection_is_what_was_judged_or_retrieved_unless_its_size_is_given():
    qrels, run = {"a": 1, "b": 1, "c": 0}, {"x": 3, "a": 2}
    # x, a, then b and c tied at 3 and 4
    assert value(ASL, qrels, run) == (2 + 3.5) / 2
    assert value(ESL(n=2), qrels, run) == 1 + 1 / 2
    assert value(NR, qrels, run) == 1 - (5.5 - 3) / (2 * 2)
    # b anywhere among ranks 3 to 100
    assert value(ASL(docs=100), qrels, run) == (2 + 51.5) / 2
    assert value(ESL(n=2, docs=100), qrels, run) == 1 + 97 / 2
    assert value(NR(docs=100), qrels, run) == 1 - (53.5 - 3) / (2 * 98)
    assert value(ASL(docs=4), qrels, run) == value(ASL, qrels, run)


def test_unjudged_documents_are_passed_unless_they_are_left_out():
    qrels, run = {"a": 1, "b": 0}, {"x": 3, "y": 2, "b": 1, "a": 0}
    assert [value(measure, qrels, run) for measure in (ESL, ASL, NR)] == [3, 4, 0]
    left = [measure(judged_only=True) for measure in (ESL, ASL, NR)]
    assert [value(measure, qrels, run) for measure in left] == [1, 2, 0]
    # they are part of a level of tied documents, too
    assert value(ESL, {"a": 1}, {"a": 1.0, "x": 1.0 + 1e-9, "y": 0.5}) == 0.5
    assert value(ESL(judged_only=True), {"a": 1}, {"a": 1.0, "x": 1.0 + 1e-9, "y": 0.5}) == 0


def test_ranks_decide_where_scores_do_not_tie():
    qrels, run = {"a": 1, "b": 0, "c": 0}, {"a": 1, "b": 1, "c": 1}
    assert [value(measure, qrels, run) for measure in (ESL, ASL, NR)] == [1, 2, 0.5]
    by_rank = [measure(ties="rank") for measure in (ESL, ASL, NR)]
    assert [value(measure, qrels, run) for measure in by_rank] == [2, 3, 0]  # c, b, a
    # those that were not retrieved are tied all the same
    assert [value(measure, qrels, {}) for measure in by_rank] == [1, 2, 0.5]


def test_relevance_is_a_positive_gain():
    qrels, run = {"a": 1, "b": 2, "c": -1}, {"c": 3, "a": 2, "b": 1}
    assert value(ESL, qrels, run) == 1
    assert value(ESL(gains={1: 0}), qrels, run) == 2
    assert value(ESL(gains={-1: 1}), qrels, run) == 0


@pytest.mark.parametrize("measure", [ESL(docs=4), ASL(docs=4), NR(docs=4), NR(docs=4, ties="rank")], ids=str)
def test_a_collection_smaller_than_what_is_known_of_it_is_refused(measure):
    qrels = {"full": {"a": 1, "b": 0}, "small": {"a": 1}, "large": {"a": 1, "b": 0, "c": 0}}
    run = {"full": {"x": 2, "y": 1}, "small": {"a": 1}, "large": {"x": 3, "y": 2, "a": 1}}
    with pytest.raises(GradedError, match=r"docs=4.*topic 'large' has 5 judged and retrieved"):
        measure.calc_aggregate(qrels, run)
    assert measure(docs=5).calc_aggregate(qrels, run) > 0
    # without the unjudged documents there are three
    assert measure(judged_only=True).calc_aggregate(qrels, run) >= 0


def test_a_search_length_has_no_cutoff():
    for measure in (ESL, ASL, NR):
        with pytest.raises(GradedError, match=rf"{measure} has no cutoff"):
            measure @ 10
    for name, given_ in (("n", 0), ("n", 1.5), ("docs", 0), ("ties", "id")):
        with pytest.raises(GradedError, match=rf"ESL: {name}=.* is not allowed"):
            ESL(**{name: given_})


def test_shorter_is_better_but_more_recall_is():
    assert (ESL.smaller_is_better, ASL.smaller_is_better, NR.smaller_is_better) == (True, True, False)


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_without_relevant_documents_it_is_0(measure):
    for run in ({}, {"a": 1, "x": 2}):
        assert value(measure, {"a": 0, "b": -1}, run) == value(measure, {}, run) == 0


def test_topics_that_the_run_lacks_are_computed():
    qrels = {"half": {"a": 1, "b": 0}, "all": {"a": 1, "b": 1}, "few": {"a": 1, "b": 0, "c": 0}}
    wanted = {
        ESL: {"half": 0.5, "all": 0, "few": 1},
        ASL: {"half": 1.5, "all": 1.5, "few": 2},
        NR: {"half": 0.5, "all": 1, "few": 0.5},
    }
    for measure, by_topic in wanted.items():
        assert measure.DEFAULT is None
        for run in ({}, {"half": {}}, {"other": {"a": 1}}):
            assert {m.query_id: m.value for m in measure.iter_calc(qrels, run)} == by_topic


def test_a_collection_may_be_very_large():
    huge = 10**15
    assert value(NR(docs=huge), {"a": 1, "b": 1}, {"a": 1}) == pytest.approx(0.75)
    assert value(ASL(docs=huge), {"a": 1}, {}) == pytest.approx((huge + 1) / 2)


@settings(max_examples=150)
@given(strategies.collections(), strategies.GAINS, st.booleans())
def test_all_values_are_those_of_the_plain_reference(collection, gains, judged_only):
    qrels, run = collection
    measures = [measure(gains=gains, judged_only=judged_only) for measure in ALL]
    for topic, measure, got in ir_measures.iter_calc(measures, qrels, run):
        expected = reference_graded.value(measure, qrels[topic], run.get(topic, {}))
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_many_small_topics_have_the_values_of_the_plain_reference():
    reference_graded.assert_small_topics([*ALL, *(m(judged_only=True) for m in ALL)])
