"""Properties of the measures other than cumulated gain, for any qrels and run."""

from itertools import chain

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
from ir_measures_graded import (
    ADM,
    AGR,
    ASL,
    ESL,
    MSR,
    NDCNG,
    NDPM,
    NR,
    SR,
    WAP,
    GradedEvaluator,
    KendallTau,
    Q,
    Spearman,
    gP,
    gR,
    muAP,
)

OF_PRECISION = [muAP, WAP, Q, Q(beta=0), Q(beta=20), AGR]
OF_RATIOS = [SR, MSR, gP, gR]
OF_OWN_LIST = [SR(ideal="retrieved"), MSR(ideal="retrieved")]
DISTANCES = [NDPM, NDPM(performance=True)]
CORRELATIONS = [*(KendallTau(variant=variant) for variant in "abc"), Spearman]
WITH_CUTOFF = [*OF_PRECISION, *OF_RATIOS, *OF_OWN_LIST, *DISTANCES, *CORRELATIONS]
SEARCH_LENGTHS = [ESL, ESL(n=3), ASL, NR]
ALL = [*WITH_CUTOFF, ADM, *SEARCH_LENGTHS]

cutoffs = st.sampled_from([None, 1, 2, 3, 5, 30])
flags = st.booleans()
finite_scores = [*range(-5, 6), -1e3, -2.75, 1e-45, 0.1, 1 / 3, 2.5, 2.5 + 1e-9, 999.9375, 1e3]
unit_collections = strategies.collections(scores=strategies.UNIT_SCORES)
finite_collections = strategies.collections(scores=finite_scores)


def values(measures, qrels, run):
    return {(m, topic): v for topic, m, v in GradedEvaluator(measures, qrels).iter_calc(run)}


def of_topic(measures, qrels, run):
    return {measure: v for (measure, _), v in values(measures, {"q": qrels}, {"q": run}).items()}


def value(measure, qrels, run):
    return of_topic([measure], qrels, run)[measure]


def gain(level):
    return max(level, 0)


def in_order(docs):
    """A run that lists these documents in this order."""
    return {doc: -rank for rank, doc in enumerate(docs)}


def best_first(qrels):
    return sorted(qrels, key=lambda doc: gain(qrels[doc]), reverse=True)


def changed(documents, change):
    return {topic: change(docs) for topic, docs in documents.items()}


@given(strategies.collections(), strategies.GAINS, cutoffs, flags)
def test_bounds(collection, gains, cutoff, judged_only):
    options = {"gains": gains, "cutoff": cutoff, "judged_only": judged_only}
    for (measure, _), got in values([m(**options) for m in WITH_CUTOFF], *collection).items():
        least = -1 if measure.NAME in ("KendallTau", "Spearman") else 0
        assert least <= got <= 1, measure


@given(unit_collections, strategies.GAINS, cutoffs, flags, st.sampled_from(["minmax", "none"]))
def test_bounds_of_the_average_distance(collection, gains, cutoff, judged_only, norm):
    measure = ADM(norm=norm, gains=gains, cutoff=cutoff, judged_only=judged_only)
    assert all(0 <= got <= 1 for got in values([measure], *collection).values())


@given(
    strategies.collections(), strategies.GAINS, flags, st.sampled_from(["score", "rank"]), st.integers(1, 4)
)
def test_bounds_of_search_lengths(collection, gains, judged_only, ties, n):
    options = {"gains": gains, "judged_only": judged_only, "ties": ties}
    esl, asl, nr = ESL(n=n, **options), ASL(**options), NR(**options)
    qrels, run = collection
    found = values([esl, asl, nr], qrels, run)
    for topic, judged in qrels.items():
        relevant = sum(gains.get(level, gain(level)) > 0 for level in judged.values())
        size = len(judged) if judged_only else len(judged.keys() | run.get(topic, {}).keys())
        assert 0 <= found[nr, topic] <= 1
        assert 0 <= found[esl, topic] <= size - relevant
        if relevant:
            assert (relevant + 1) / 2 <= found[asl, topic] <= size - (relevant - 1) / 2


@given(strategies.documents(strategies.REAL), cutoffs)
def test_an_ideal_run_is_perfect(qrels, cutoff):
    assume(any(level > 0 for level in qrels.values()))
    cut = [measure(cutoff=cutoff) for measure in (WAP, Q, Q(beta=20), SR, MSR, *OF_OWN_LIST)]
    perfect = [*cut, gR, NR]
    found = of_topic([*perfect, muAP, ESL(n=7), ASL], qrels, in_order(best_first(qrels)))
    assert {measure: found[measure] for measure in perfect} == dict.fromkeys(perfect, 1)
    assert found[muAP] == pytest.approx(1, abs=1e-15)
    assert found[ESL(n=7)] == 0
    assert found[ASL] == (sum(level > 0 for level in qrels.values()) + 1) / 2


@given(strategies.documents(strategies.WHOLE), cutoffs)
def test_an_ideal_run_is_perfect_for_agr_on_whole_levels(qrels, cutoff):
    assume(any(level > 0 for level in qrels.values()))
    assert value(AGR(cutoff=cutoff), qrels, in_order(best_first(qrels))) == 1


@given(strategies.documents(strategies.REAL))
def test_the_users_own_order_is_perfect(qrels):
    assume(len({gain(level) for level in qrels.values()}) > 1)
    own = {doc: gain(level) for doc, level in qrels.items()}
    least = min(own.values())
    runs = {
        "own": own,
        "untied": in_order(best_first(qrels)),
        "against": {doc: -level for doc, level in own.items()},
        "from 0": {doc: level - least for doc, level in own.items()},
    }
    found = values([NDPM, KendallTau, Spearman, ADM], dict.fromkeys(runs, qrels), runs)
    assert found[NDPM, "own"] == found[NDPM, "untied"] == 0
    assert found[KendallTau, "own"] == found[Spearman, "own"] == 1
    assert found[NDPM, "against"] == 1
    assert found[KendallTau, "against"] == found[Spearman, "against"] == -1
    assert found[ADM, "from 0"] <= 1
    if least == 0:
        assert found[ADM, "own"] == pytest.approx(1, abs=1e-15)


@given(strategies.collections(), flags)
def test_reversing_all_scores_reverses_preferences(collection, performance):
    qrels, run = collection
    run = {topic: {**dict.fromkeys(docs, 7.0), **run.get(topic, {})} for topic, docs in qrels.items()}
    reverse = changed(run, lambda docs: {doc: -score for doc, score in docs.items()})
    ndpm = NDPM(performance=performance)
    there, back = (values([ndpm, *CORRELATIONS], qrels, scores) for scores in (run, reverse))
    for (measure, topic), got in there.items():
        turned = 1 - back[measure, topic] if measure == ndpm else -back[measure, topic]
        assert got == pytest.approx(turned, abs=1e-15)


@given(strategies.documents(strategies.WHOLE), st.randoms(use_true_random=False), cutoffs)
def test_no_order_is_worse_than_the_reverse_of_the_ideal_one(qrels, random, cutoff):
    best = best_first(qrels)
    other = random.sample(best, len(best))
    # An own ideal list ignores other documents; correlations penalise order within a level.
    measures = [m(cutoff=cutoff) for m in WITH_CUTOFF if m not in (*OF_OWN_LIST, *CORRELATIONS)]
    measures += SEARCH_LENGTHS
    runs = {"reverse": in_order(best[::-1]), "other": in_order(other), "ideal": in_order(best)}
    found = values(measures, dict.fromkeys(runs, qrels), runs)
    for measure in measures:
        bounds = [found[measure, topic] for topic in runs]
        if measure.smaller_is_better:
            bounds.reverse()
        assert bounds[0] - 1e-12 <= bounds[1] <= bounds[2] + 1e-12, measure


@given(finite_collections, cutoffs)
def test_unjudged_documents_below_everything_change_nothing(collection, cutoff):
    qrels, run = collection
    longer = changed(run, lambda docs: {**docs, "unjudged 1": -1e6, "unjudged 2": -2e6})
    unmoved = [m(cutoff=cutoff) for m in WITH_CUTOFF if m != gP or cutoff is not None]
    unmoved += [m(judged_only=True) for m in [*unmoved, gP, *SEARCH_LENGTHS]]
    assert values(unmoved, qrels, longer) == values(unmoved, qrels, run)


@given(finite_collections)
def test_unjudged_documents_below_all_relevant_documents_do_not_change_search_lengths(collection):
    qrels, run = collection
    run = {topic: {**dict.fromkeys(docs, -7), **run.get(topic, {})} for topic, docs in qrels.items()}
    longer = changed(run, lambda docs: {**docs, "unjudged": -1e6})
    unmoved = [ESL, ESL(n=3), ASL, NR(docs=50)]
    assert values(unmoved, qrels, longer) == values(unmoved, qrels, run)


@given(unit_collections)
def test_unjudged_documents_within_the_range_of_scores_do_not_change_adm(collection):
    qrels, run = collection
    within = changed(run, lambda docs: {**docs, "unjudged": min(docs.values())} if docs else docs)
    measures = [ADM, ADM(norm="none")]
    assert values(measures, qrels, within) == values(measures, qrels, run)


@given(finite_collections, st.sampled_from([2, 0.25, 1024]), cutoffs)
def test_scaling_all_gains_changes_only_sums_and_blends(collection, factor, cutoff):
    qrels, run = collection
    levels = {level for docs in qrels.values() for level in docs.values()}
    levels |= {level - 1 for level in levels}  # AGR uses their gains
    scaled = {level: factor * gain(level) for level in levels}
    measures = [m(cutoff=cutoff) for m in [*WITH_CUTOFF, ADM] if m.NAME != "Q"]
    measures += [Q(beta=0, cutoff=cutoff), *SEARCH_LENGTHS]
    blend, weighed = Q(gains=scaled, cutoff=cutoff), Q(beta=factor, cutoff=cutoff)
    pairs = [(measure, measure(gains=scaled)) for measure in measures]
    found = values([blend, weighed, *chain(*pairs)], qrels, run)
    for topic in qrels:
        for measure, of_scaled in pairs:
            assert found[of_scaled, topic] == found[measure, topic], measure
        assert found[blend, topic] == pytest.approx(found[weighed, topic])


def test_scaling_all_gains_is_scaling_the_beta_of_q():
    qrels, run = {"a": 1, "b": 3}, in_order("ab")
    assert value(Q(gains={1: 2, 3: 6}), qrels, run) == value(Q(beta=2), qrels, run) != value(Q, qrels, run)


@given(finite_collections, st.sampled_from([3, 0.7]), cutoffs)
def test_scaling_by_other_factors_changes_only_rounding(collection, factor, cutoff):
    qrels, run = collection
    levels = {level for docs in qrels.values() for level in docs.values()}
    scaled = {level: factor * gain(level) for level in levels}
    measures = [muAP, WAP, SR, MSR, gP, gR, NDPM, KendallTau, Spearman, ADM, NDCNG]
    measures = [measure(cutoff=cutoff) for measure in measures]
    pairs = [(measure, measure(gains=scaled)) for measure in measures]
    found = values(chain(*pairs), qrels, run)
    for topic in qrels:
        for measure, of_scaled in pairs:
            assert found[of_scaled, topic] == pytest.approx(found[measure, topic], rel=1e-12, abs=1e-14)


@given(strategies.collections(), cutoffs)
def test_doubling_all_levels_does_not_change_mu_ap_and_ndcng(collection, cutoff):
    qrels, run = collection
    doubled = changed(qrels, lambda docs: {doc: 2 * level for doc, level in docs.items()})
    measures = [muAP(cutoff=cutoff), NDCNG(cutoff=cutoff), NDCNG(avg=True, cutoff=cutoff)]
    assert values(measures, doubled, run) == values(measures, qrels, run)


@given(strategies.collections(levels=[0, 1, -1]), cutoffs, flags)
def test_on_binary_qrels_agr_is_wap(collection, cutoff, judged_only):
    agr, wap = (m(cutoff=cutoff, judged_only=judged_only) for m in (AGR, WAP))
    found = values([agr, wap], *collection)
    assert all(found[agr, topic] == found[wap, topic] for topic in collection[0])


@given(strategies.collections(levels=[0, 1, -1]), flags)
def test_on_binary_qrels_q_without_gains_is_average_precision(collection, judged_only):
    q, ap = (m(judged_only=judged_only) for m in (Q(beta=0), muAP))
    found = values([q, ap], *collection)
    for topic in collection[0]:
        assert found[q, topic] == pytest.approx(found[ap, topic], rel=1e-12)


@given(strategies.collections(), st.integers(1, 12))
def test_sliding_ratio_at_full_depth_is_generalised_recall(collection, k):
    found = values([SR @ 100, gR @ 100, SR @ k, gR @ k], *collection)
    for topic in collection[0]:
        assert found[SR @ 100, topic] == found[gR @ 100, topic]
        assert found[SR @ k, topic] >= found[gR @ k, topic]


@given(strategies.collections(), flags)
def test_performance_is_1_minus_the_distance(collection, judged_only):
    distance, performance = (m(judged_only=judged_only) for m in DISTANCES)
    found = values([distance, performance], *collection)
    assert all(1 - found[distance, topic] == found[performance, topic] for topic in collection[0])


@given(finite_collections, st.sampled_from([1, 3, -7.5]), st.sampled_from([0.5, 2, 1024]))
def test_adm_does_not_depend_on_the_scale_of_the_scores(collection, shift, factor):
    qrels, run = collection
    moved = changed(run, lambda docs: {doc: factor * score + shift for doc, score in docs.items()})
    same_ties = all(len(set(docs.values())) == len(set(moved[topic].values())) for topic, docs in run.items())
    assume(same_ties)
    got, wanted = (list(values([ADM], qrels, scores).values()) for scores in (moved, run))
    assert got == pytest.approx(wanted, abs=1e-9)


@given(strategies.collections(), cutoffs)
def test_other_topics_do_not_change_the_last_bit(collection, cutoff):
    qrels, run = collection
    measures = [m(cutoff=cutoff) for m in WITH_CUTOFF] + SEARCH_LENGTHS
    together = values(measures, qrels, run)
    for topic, docs in qrels.items():
        for (measure, _), got in values(measures, {topic: docs}, run).items():
            assert got == together[measure, topic], measure


@given(strategies.collections())
def test_an_empty_ranking_has_the_default_value_or_a_computed_value(collection):
    qrels, _ = collection
    computed = {m for m in ALL if m.DEFAULT is None}
    assert {m.NAME for m in computed} == {"ADM", "ESL", "ASL", "NR"}
    for (measure, topic), got in values(ALL, qrels, {}).items():
        if measure not in computed:
            assert got == measure.DEFAULT
        elif not any(level > 0 for level in qrels[topic].values()):
            assert got == 0
    for docs in qrels.values():
        relevant = [level for level in docs.values() if level > 0]
        if relevant:
            others = len(docs) - len(relevant)
            assert value(ASL, docs, {}) == (len(docs) + 1) / 2
            assert value(ESL, docs, {}) == pytest.approx(others / (len(relevant) + 1))
            assert value(NR, docs, {}) == pytest.approx(0.5 if others else 1)
            share = sum(relevant) / max(relevant) / len(docs)
            assert value(ADM, docs, {}) == pytest.approx(1 - share)
