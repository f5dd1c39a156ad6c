"""Properties of cascades, rank-biased precision, GAP, NTCIR's measures and Fallout, for any qrels and run."""

from itertools import chain

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
from ir_measures_graded import (
    EBR,
    ERR_G,
    GAP,
    NCU,
    NDPM,
    RBP_G,
    Fallout,
    GradedEvaluator,
    O_measure,
    P_measure,
    P_plus,
    Q,
    RelativeRelevance,
    iRBU,
    muAP,
    nDCG_Burges,
    nERR,
)

NCUS = [NCU(stop=stop, utility=utility) for stop in ("gu", "rb") for utility in ("P", "BR")]
TOP = [ERR_G, nERR, EBR, iRBU, RBP_G]
ALL = [*TOP, RBP_G(residual=True), nDCG_Burges, GAP, O_measure, P_measure, P_plus, *NCUS, Fallout]
PERFECT = [nERR, nDCG_Burges, O_measure, P_measure, P_plus]  # an ideal list scores 1
WHOLE_PERFECT = [GAP, *NCUS]  # without a cutoff

levels = [*strategies.WHOLE, 0.1, 0.5, 2 / 3, 1.5, 2.718]
collections = strategies.collections(levels=levels)
cutoffs = st.sampled_from([None, 1, 2, 3, 5, 30])
gains = st.sampled_from(["linear", "exp", {1: 3, 2: 0.5}])
flags = st.booleans()


def values(measures, qrels, run):
    return {(m, topic): v for topic, m, v in GradedEvaluator(measures, qrels).iter_calc(run)}


@given(collections, gains, cutoffs, flags)
def test_bounds(collection, gains, cutoff, judged_only):
    measures = [m(gains=gains, cutoff=cutoff, judged_only=judged_only) for m in ALL]
    assert all(0 <= value <= 1 for value in values(measures, *collection).values())


@given(strategies.collections(levels=levels, scores=strategies.UNIT_SCORES), gains, cutoffs, flags)
def test_bounds_of_relative_relevance(collection, gains, cutoff, judged_only):
    options = {"gains": gains, "cutoff": cutoff, "judged_only": judged_only}
    measures = [RelativeRelevance(norm=norm, **options) for norm in ("minmax", "none")]
    assert all(0 <= value <= 1 for value in values(measures, *collection).values())


@given(strategies.documents(levels), st.sampled_from(["linear", "exp"]), cutoffs)
def test_an_ideal_run_is_perfect(qrels, gains, cutoff):
    assume(any(level > 0 for level in qrels.values()))
    order = sorted(qrels, key=qrels.get, reverse=True)
    run = {"q": {doc: -rank for rank, doc in enumerate(order)}}
    measures = [m(gains=gains, cutoff=cutoff) for m in PERFECT] + [m(gains=gains) for m in WHOLE_PERFECT]
    assert list(values(measures, {"q": qrels}, run).values()) == pytest.approx([1] * len(measures), abs=1e-15)


@given(collections, gains, cutoffs, st.floats(0.01, 0.99), st.sampled_from([0, 1, 50]))
def test_value_and_residual_are_at_most_1(collection, gains, cutoff, p, more):
    top = {"max_gain": 16 + more}
    value, residual = RBP_G(gains=gains, cutoff=cutoff, p=p, **top), RBP_G(residual=True, cutoff=cutoff, p=p)
    found = values([value, residual], *collection)
    for topic in collection[0]:
        assert found[residual, topic] > 0
        assert found[value, topic] + found[residual, topic] <= 1 + 1e-15


@given(collections, gains, st.floats(0.1, 0.9))
def test_judging_more_documents_moves_the_value_by_at_most_the_residual(collection, gains, p):
    qrels, run = collection
    value, residual = RBP_G(gains=gains, p=p, max_gain=16), RBP_G(residual=True, p=p)
    before = values([value, residual], qrels, run)
    complete = {topic: {**dict.fromkeys(run.get(topic, {}), 4), **docs} for topic, docs in qrels.items()}
    after = values([value, residual], complete, run)
    for topic in qrels:
        assert after[residual, topic] <= before[residual, topic] + 1e-15
        assert after[value, topic] <= before[value, topic] + before[residual, topic] + 1e-14


@given(collections, gains, cutoffs, st.integers(16, 50), st.integers(1, 50))
def test_a_higher_top_gain_never_raises_the_value(collection, gains, cutoff, top, more):
    measures = [m(gains=gains, cutoff=cutoff, max_gain=top) for m in (ERR_G, RBP_G)]
    pairs = [(measure, measure(max_gain=top + more)) for measure in measures]
    found = values(chain(*pairs), *collection)
    for topic in collection[0]:
        assert all(found[higher, topic] <= found[measure, topic] + 1e-15 for measure, higher in pairs)


@given(collections, st.sampled_from(["linear", "exp"]))
def test_the_top_gain_comes_from_all_topics(collection, gains):
    qrels, run = collection
    highest = max((level for docs in qrels.values() for level in docs.values()), default=0)
    assume(highest > 0)
    top = 2**highest - 1 if gains == "exp" else highest
    pairs = [(m(gains=gains), m(gains=gains, max_gain=top)) for m in TOP]
    found = values(chain(*pairs), qrels, run)
    for topic in qrels:
        for measure, with_top in pairs:
            assert found[measure, topic] == pytest.approx(found[with_top, topic], rel=1e-14)


@given(collections, cutoffs)
def test_equal_measures(collection, cutoff):
    qrels, run = collection
    binary = {level: int(level > 0) for docs in qrels.values() for level in docs.values()}
    gap, mu_ap = GAP(gains=binary, cutoff=cutoff), muAP(gains=binary, cutoff=cutoff)
    found = values([NCU(stop="rb", utility="BR", gamma=1), Q, NCU(beta=7), NCU, gap, mu_ap], qrels, run)
    for topic in qrels:
        assert found[NCU(stop="rb", utility="BR", gamma=1), topic] == pytest.approx(
            found[Q, topic], rel=1e-12
        )
        assert found[NCU(beta=7), topic] == found[NCU, topic]  # precision has no β
        assert found[gap, topic] == pytest.approx(found[mu_ap, topic], rel=1e-12)


@given(strategies.collections(levels=levels, scores=range(-5, 6)), gains, cutoffs)
def test_unjudged_documents_below_everything_change_only_fallout_and_the_residual(collection, gains, cutoff):
    qrels, run = collection
    longer = {topic: {**docs, "unjudged": -100} for topic, docs in run.items()}
    measures = [m(gains=gains, cutoff=cutoff) for m in ALL if m.NAME != "Fallout"]
    measures += [m(judged_only=True) for m in [*measures, Fallout]]
    assert values(measures, qrels, longer) == values(measures, qrels, run)


@given(collections, st.integers(30, 10**6), cutoffs)
def test_fallout_falls_with_the_size_of_the_collection(collection, docs, cutoff):
    small, large = Fallout(docs=docs, cutoff=cutoff), Fallout(docs=2 * docs, cutoff=cutoff)
    found = values([small, large], *collection)
    assert all(found[large, topic] <= found[small, topic] for topic in collection[0])
    assert Fallout.smaller_is_better
    assert NDPM.smaller_is_better
