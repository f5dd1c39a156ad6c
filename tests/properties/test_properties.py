"""Properties of the measures, for any qrels and run."""

import re
from itertools import chain

import ir_measures
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies
from ir_measures_graded import GradedEvaluator, measures, parse_measure
from reference import gain


def named(names):
    return list(map(parse_measure, names.split()))


AVERAGED = named("CG DCG_JK DCG_JK(b=3) nCG nDCG_JK nDCG_JK(b=2.5) nDCG_JK(b=10) NDCNG NDCNG(max_gain=3)")
NORMALISED = AVERAGED[3:]
OF_PRECISION = named("muAP WAP Q Q(beta=0) Q(beta=20) AGR")
OF_OWN_LIST = named("SR(ideal='retrieved') MSR(ideal='retrieved')")
OF_RATIOS = named("SR MSR gP gR")
CORRELATIONS = named("KendallTau KendallTau(variant='a') KendallTau(variant='c') Spearman")
DISTANCES = named("NDPM NDPM(performance=True)")
OF_ALL_TOPICS = named("ERR_G nERR EBR iRBU RBP_G")
NTCIR = named("O_measure P_measure P_plus NCU NCU(utility='BR') NCU(stop='rb') NCU(stop='rb',utility='BR')")
STOPPING = [*OF_ALL_TOPICS, *named("RBP_G(residual=True) nDCG_Burges GAP"), *NTCIR]
SEARCH_LENGTHS = named("ESL ESL(n=3) ASL NR ESL(tied_by='rank') ASL(tied_by='rank') NR(tied_by='rank')")
CUT = [*OF_PRECISION, *OF_RATIOS, *OF_OWN_LIST, *DISTANCES, *CORRELATIONS]
SCALED = named("ADM ADM(norm='none') RelativeRelevance RelativeRelevance(norm='none')")
UNSCALED = [measure for measure in measures.MEASURES if "norm" not in measure.PARAMETERS]
ALL = list(dict.fromkeys([*AVERAGED, *CUT, *STOPPING, *SEARCH_LENGTHS, *UNSCALED]))

LOW = [*strategies.WHOLE, 0.1, 0.5, 2 / 3, 1.5, 2.718]
"""Levels that leave exponential gains small."""

cutoffs = st.sampled_from([None, 1, 2, 3, 5, 9, 30])
flags = st.booleans()
named_gains = st.sampled_from(["linear", "exp"])
any_gains = strategies.GAINS | named_gains
finite_scores = [*range(-5, 6), -1e3, -2.75, 1e-45, 0.1, 1 / 3, 2.5, 2.5 + 1e-9, 999.9375, 1e3]
finite_collections = strategies.collections(scores=finite_scores)
low_collections = strategies.collections(levels=LOW)


def values(measures, qrels, run):
    return {(m, topic): v for topic, m, v in GradedEvaluator(list(measures), qrels).iter_calc(run)}


def of_topic(measures, qrels, run):
    return {measure: v for (measure, _), v in values(measures, {"q": qrels}, {"q": run}).items()}


def with_options(chosen, cutoff=None, **options):
    """The measures with these options; those without a cutoff keep the whole list."""
    return [measure(**options, **({"cutoff": cutoff} if measure.CUTOFF else {})) for measure in chosen]


def with_avg(chosen, avg):
    return [measure(avg=avg) if "avg" in measure.PARAMETERS else measure for measure in chosen]


def in_order(docs):
    """A run that lists these documents in this order."""
    return {doc: -rank for rank, doc in enumerate(docs)}


def best_first(qrels, gains="linear"):
    return sorted(qrels, key=lambda doc: gain(qrels[doc], gains), reverse=True)


def changed(documents, change):
    return {topic: change(docs) for topic, docs in documents.items()}


def longer(run, *docs):
    """The run with more documents below all others."""
    return changed(run, lambda listed: {**listed, **{doc: -1e6 - n for n, doc in enumerate(docs)}})


# Ranges


def assert_in_range(chosen, qrels, run):
    for (measure, _), got in values(chosen, qrels, run).items():
        low, high = re.match(r"\[(-?\d+), (∞|\d+)[\])]", measure.doc_field("range")).groups()
        assert float(low) <= got <= float(high.replace("∞", "inf")), measure


@given(low_collections, any_gains, cutoffs, flags, flags)
def test_values_are_in_the_range_that_the_page_gives(collection, gains, cutoff, judged_only, avg):
    chosen = [m(max_gain=200) if m.needs_all_topics else m for m in with_avg(ALL, avg)]
    assert_in_range(with_options(chosen, cutoff, gains=gains, judged_only=judged_only), *collection)


@given(strategies.collections(levels=LOW, scores=strategies.UNIT_SCORES), any_gains, cutoffs, flags)
def test_values_of_scores_are_in_the_range_that_the_page_gives(collection, gains, cutoff, judged_only):
    assert_in_range(with_options(SCALED, cutoff, gains=gains, judged_only=judged_only), *collection)


@given(
    strategies.collections(), strategies.GAINS, flags, st.sampled_from(["score", "rank"]), st.integers(1, 4)
)
def test_bounds_of_search_lengths(collection, gains, judged_only, tied_by, n):
    options = {"gains": gains, "judged_only": judged_only, "tied_by": tied_by}
    esl, asl = measures.ESL(n=n, **options), measures.ASL(**options)
    qrels, run = collection
    found = values([esl, asl], qrels, run)
    for topic, judged in qrels.items():
        relevant = sum(gain(level, gains) > 0 for level in judged.values())
        size = len(judged) if judged_only else len(judged.keys() | run.get(topic, {}).keys())
        assert 0 <= found[esl, topic] <= size - relevant
        if relevant:
            assert (relevant + 1) / 2 <= found[asl, topic] <= size - (relevant - 1) / 2


@given(low_collections, any_gains, cutoffs, st.floats(0.01, 0.99), st.sampled_from([0, 1, 50]))
def test_value_and_residual_are_at_most_1(collection, gains, cutoff, p, more):
    value = measures.RBP_G(gains=gains, cutoff=cutoff, p=p, max_gain=100 + more)
    residual = measures.RBP_G(residual=True, cutoff=cutoff, p=p)
    found = values([value, residual], *collection)
    for topic in collection[0]:
        assert found[residual, topic] > 0
        assert found[value, topic] + found[residual, topic] <= 1 + 1e-15


# Perfect runs, and runs that are better than others


@given(strategies.documents(LOW), any_gains, cutoffs, flags)
def test_an_ideal_run_is_perfect(qrels, gains, cutoff, avg):
    relevant = sum(gain(level, gains) > 0 for level in qrels.values())
    assume(relevant)
    exact = [*NORMALISED, *named("WAP Q Q(beta=20) SR MSR gR NR"), *OF_OWN_LIST]
    exact = with_options(with_avg(exact, avg), cutoff, gains=gains)
    exact = [measure(cutoff=None) if measure.NAME == "gR" else measure for measure in exact]
    near = [m for m in NTCIR if m.NAME != "NCU"] + named("nERR nDCG_Burges")
    near = with_options(near, cutoff, gains=gains) + with_options(NTCIR[3:], gains=gains)
    near += with_options(named("muAP GAP"), gains=gains)
    esl, asl = with_options(named("ESL(n=7) ASL"), gains=gains)
    found = of_topic([*exact, *near, esl, asl], qrels, in_order(best_first(qrels, gains)))
    assert {measure: found[measure] for measure in exact} == dict.fromkeys(exact, 1)
    assert {measure: found[measure] for measure in near} == pytest.approx(dict.fromkeys(near, 1), abs=1e-15)
    assert (found[esl], found[asl]) == (0, (relevant + 1) / 2)


@given(strategies.documents(strategies.WHOLE), cutoffs)
def test_an_ideal_run_is_perfect_for_agr_on_whole_levels(qrels, cutoff):
    assume(any(level > 0 for level in qrels.values()))
    (value,) = of_topic([measures.AGR(cutoff=cutoff)], qrels, in_order(best_first(qrels))).values()
    assert value == 1


@given(strategies.documents(strategies.REAL))
def test_the_users_own_order_is_perfect(qrels):
    own = {doc: gain(level, {}) for doc, level in qrels.items()}
    assume(len(set(own.values())) > 1)
    least = min(own.values())
    runs = {
        "own": own,
        "untied": in_order(best_first(qrels)),
        "against": {doc: -level for doc, level in own.items()},
        "from 0": {doc: level - least for doc, level in own.items()},
    }
    ndpm, tau, rho, adm = chosen = named("NDPM KendallTau Spearman ADM")
    found = values(chosen, dict.fromkeys(runs, qrels), runs)
    assert found[ndpm, "own"] == found[ndpm, "untied"] == 0
    assert found[tau, "own"] == found[rho, "own"] == found[ndpm, "against"] == 1
    assert found[tau, "against"] == found[rho, "against"] == -1
    assert found[adm, "from 0"] <= 1
    if least == 0:
        assert found[adm, "own"] == pytest.approx(1, abs=1e-15)


@given(strategies.documents(strategies.WHOLE), st.randoms(use_true_random=False), cutoffs)
def test_no_order_is_worse_than_the_reverse_of_the_ideal_one(qrels, random, cutoff):
    best = best_first(qrels)
    other = random.sample(best, len(best))
    # An own ideal list ignores other documents; correlations penalise order within a level.
    chosen = [m for m in CUT if m not in (*OF_OWN_LIST, *CORRELATIONS)] + SEARCH_LENGTHS
    runs = {"reverse": in_order(best[::-1]), "other": in_order(other), "ideal": in_order(best)}
    chosen = with_options(chosen, cutoff)
    found = values(chosen, dict.fromkeys(runs, qrels), runs)
    for measure in chosen:
        bounds = [found[measure, topic] for topic in runs]
        if measure.smaller_is_better:
            bounds.reverse()
        assert bounds[0] - 1e-12 <= bounds[1] <= bounds[2] + 1e-12, measure


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from([None, *strategies.REAL]), min_size=2, max_size=12), st.data(), cutoffs, flags
)
def test_moving_a_better_document_up_does_not_lower_the_value(levels, data, cutoff, avg):
    docs = [f"d{index}" for index in range(len(levels))]
    qrels = {doc: level for doc, level in zip(docs, levels) if level is not None}
    upper = data.draw(st.integers(0, len(levels) - 2))
    lower = data.draw(st.integers(upper + 1, len(levels) - 1))
    assume((levels[lower] or 0) > (levels[upper] or 0))
    swapped = list(docs)
    swapped[upper], swapped[lower] = docs[lower], docs[upper]
    chosen = with_options(AVERAGED, cutoff, avg=avg)
    runs = {"before": in_order(docs), "after": in_order(swapped)}
    found = values(chosen, dict.fromkeys(runs, qrels), runs)
    for measure in chosen:
        before, after = (found[measure, name] for name in runs)
        assert after >= before * (1 - 1e-14)
        if cutoff is None and avg and (levels[lower] or 0) > max(levels[upper] or 0, 0):
            assert after > before


@given(strategies.collections(), flags)
def test_reversing_all_scores_reverses_preferences(collection, performance):
    qrels, run = collection
    run = {topic: {**dict.fromkeys(docs, 7.0), **run.get(topic, {})} for topic, docs in qrels.items()}
    reverse = changed(run, lambda docs: {doc: -score for doc, score in docs.items()})
    ndpm = measures.NDPM(performance=performance)
    there, back = (values([ndpm, *CORRELATIONS], qrels, scores) for scores in (run, reverse))
    for (measure, topic), got in there.items():
        turned = 1 - back[measure, topic] if measure == ndpm else -back[measure, topic]
        assert got == pytest.approx(turned, abs=1e-15)


# Unjudged documents, and judgments that are added


@given(strategies.collections(levels=LOW, scores=finite_scores), cutoffs, flags)
def test_unjudged_documents_below_everything_change_nothing(collection, cutoff, avg):
    qrels, run = collection
    of_depth = {"gP", "Fallout", "ESL", "ASL", "NR", *((m.NAME for m in AVERAGED) if avg else ())}
    whole = with_avg(ALL, avg)
    unmoved = [m for m in whole if (cutoff and m.CUTOFF and m.NAME != "Fallout") or m.NAME not in of_depth]
    unmoved = with_options(unmoved, cutoff) + with_options(whole, cutoff, judged_only=True)
    assert values(unmoved, qrels, longer(run, "unjudged 1", "unjudged 2")) == values(unmoved, qrels, run)


@given(finite_collections)
def test_unjudged_documents_below_all_relevant_documents_do_not_change_search_lengths(collection):
    qrels, run = collection
    run = {topic: {**dict.fromkeys(docs, -7), **run.get(topic, {})} for topic, docs in qrels.items()}
    unmoved = named("ESL ESL(n=3) ASL NR(docs=50)")
    assert values(unmoved, qrels, longer(run, "unjudged")) == values(unmoved, qrels, run)


@given(strategies.collections(scores=strategies.UNIT_SCORES))
def test_unjudged_documents_within_the_range_of_scores_do_not_change_adm(collection):
    qrels, run = collection
    within = changed(run, lambda docs: {**docs, "unjudged": min(docs.values())} if docs else docs)
    assert values(SCALED[:2], qrels, within) == values(SCALED[:2], qrels, run)


@given(low_collections, named_gains, st.floats(0.1, 0.9))
def test_judging_more_documents_moves_the_value_by_at_most_the_residual(collection, gains, p):
    qrels, run = collection
    value = measures.RBP_G(gains=gains, p=p, max_gain=16)
    residual = measures.RBP_G(residual=True, p=p)
    complete = {topic: {**dict.fromkeys(run.get(topic, {}), 4), **docs} for topic, docs in qrels.items()}
    before, after = (values([value, residual], judged, run) for judged in (qrels, complete))
    for topic in qrels:
        assert after[residual, topic] <= before[residual, topic] + 1e-15
        assert after[value, topic] <= before[value, topic] + before[residual, topic] + 1e-14


# Other gains, other scores


@given(finite_collections, st.sampled_from([2, 0.25, 1024]), cutoffs, flags)
def test_scaling_all_gains_changes_only_sums_and_blends(collection, factor, cutoff, avg):
    qrels, run = collection
    levels = {level for docs in qrels.values() for level in docs.values()}
    levels |= {level - 1 for level in levels}  # AGR uses their gains
    scaled = {level: factor * gain(level, {}) for level in levels}
    unchanged = [m for m in [*CUT, *SEARCH_LENGTHS, measures.ADM] if m.NAME != "Q"]
    unchanged = with_options([*unchanged, *named("Q(beta=0) nCG nDCG_JK nDCG_JK(b=3) NDCNG")], cutoff)
    blend, weighed = with_options([measures.Q(gains=scaled), measures.Q(beta=factor)], cutoff)
    pairs = [(measure, measure(gains=scaled)) for measure in with_avg(unchanged, avg)]
    found = values([blend, weighed, *chain(*pairs)], qrels, run)
    for topic in qrels:
        for measure, of_scaled in pairs:
            assert found[of_scaled, topic] == found[measure, topic], measure
        assert found[blend, topic] == pytest.approx(found[weighed, topic])


def test_scaling_all_gains_is_scaling_the_beta_of_q():
    scaled, weighed, plain = of_topic(
        [measures.Q(gains={1: 2, 3: 6}), measures.Q(beta=2), measures.Q], {"a": 1, "b": 3}, in_order("ab")
    ).values()
    assert scaled == weighed != plain


@given(finite_collections, st.sampled_from([3, 0.7]), cutoffs)
def test_scaling_by_other_factors_changes_only_rounding(collection, factor, cutoff):
    qrels, run = collection
    levels = {level for docs in qrels.values() for level in docs.values()}
    scaled = {level: factor * gain(level, {}) for level in levels}
    plain = with_options(named("muAP WAP SR MSR gP gR NDPM KendallTau Spearman ADM NDCNG"), cutoff)
    pairs = [(measure, measure(gains=scaled)) for measure in plain]
    found = values(chain(*pairs), qrels, run)
    for topic in qrels:
        for measure, of_scaled in pairs:
            assert found[of_scaled, topic] == pytest.approx(found[measure, topic], rel=1e-12, abs=1e-14)


@given(strategies.collections(), cutoffs)
def test_doubling_all_levels_does_not_change_mu_ap_and_ndcng(collection, cutoff):
    qrels, run = collection
    doubled = changed(qrels, lambda docs: {doc: 2 * level for doc, level in docs.items()})
    unchanged = with_options(named("muAP NDCNG NDCNG(avg=True)"), cutoff)
    assert values(unchanged, doubled, run) == values(unchanged, qrels, run)


@given(finite_collections, st.sampled_from([1, 3, -7.5]), st.sampled_from([0.5, 2, 1024]))
def test_adm_does_not_depend_on_the_scale_of_the_scores(collection, shift, factor):
    qrels, run = collection
    moved = changed(run, lambda docs: {doc: factor * score + shift for doc, score in docs.items()})
    assume(all(len(set(docs.values())) == len(set(moved[topic].values())) for topic, docs in run.items()))
    got, wanted = (list(values([measures.ADM], qrels, scores).values()) for scores in (moved, run))
    assert got == pytest.approx(wanted, abs=1e-9)


@given(low_collections, any_gains, cutoffs, st.integers(100, 150), st.integers(1, 50))
def test_a_higher_top_gain_never_raises_the_value(collection, gains, cutoff, top, more):
    chosen = with_options(named("ERR_G RBP_G"), cutoff, gains=gains, max_gain=top)
    pairs = [(measure, measure(max_gain=top + more)) for measure in chosen]
    found = values(chain(*pairs), *collection)
    for topic in collection[0]:
        assert all(found[higher, topic] <= found[measure, topic] + 1e-15 for measure, higher in pairs)


@given(low_collections, named_gains)
def test_the_top_gain_comes_from_all_topics(collection, gains):
    qrels, run = collection
    top = max((gain(level, gains) for docs in qrels.values() for level in docs.values()), default=0)
    assume(top > 0)
    pairs = [(m(gains=gains), m(gains=gains, max_gain=top)) for m in OF_ALL_TOPICS]
    found = values(chain(*pairs), qrels, run)
    for topic in qrels:
        for measure, with_top in pairs:
            assert found[measure, topic] == pytest.approx(found[with_top, topic], rel=1e-14)


# Equal measures


@given(strategies.collections(levels=[0, 1, -1]), cutoffs, flags)
def test_measures_that_are_equal_on_binary_qrels(collection, cutoff, judged_only):
    agr, wap, gap, mu_ap = with_options(named("AGR WAP GAP muAP"), cutoff, judged_only=judged_only)
    q, ap = with_options(named("Q(beta=0) muAP"), judged_only=judged_only)
    found = values(dict.fromkeys([agr, wap, gap, mu_ap, q, ap]), *collection)
    for topic in collection[0]:
        assert found[agr, topic] == found[wap, topic]
        for first, second in ((gap, mu_ap), (q, ap)):
            assert found[first, topic] == pytest.approx(found[second, topic], rel=1e-12)


@given(low_collections, st.integers(1, 12), flags)
def test_equal_measures(collection, k, judged_only):
    users, q, weighed, plain = equal = named("NCU(stop='rb',utility='BR',gamma=1) Q NCU(beta=7) NCU")
    distance, performance = with_options(DISTANCES, judged_only=judged_only)
    ratios = sr, gr, sr_at_k, gr_at_k = named(f"SR@100 gR@100 SR@{k} gR@{k}")
    found = values([*equal, distance, performance, *dict.fromkeys(ratios)], *collection)
    for topic in collection[0]:
        assert found[users, topic] == pytest.approx(found[q, topic], rel=1e-12)
        assert found[weighed, topic] == found[plain, topic]  # precision has no β
        assert 1 - found[distance, topic] == found[performance, topic]
        assert found[sr, topic] == found[gr, topic]
        assert found[sr_at_k, topic] >= found[gr_at_k, topic]


@given(strategies.collections(), st.sampled_from(AVERAGED), st.integers(1, 12), flags)
def test_avg_is_the_mean_of_the_values_at_all_ranks(collection, measure, k, avg):
    qrels, run = collection
    by_rank, averaged = [measure @ i for i in range(1, k + 1)], measure(avg=True) @ k
    found = values([*by_rank, averaged], qrels, run)
    for topic, judged in qrels.items():
        mean = sum(found[each, topic] for each in by_rank) / k
        assert found[averaged, topic] == pytest.approx(mean, rel=1e-12)
        whole = measure(avg=avg)
        full = whole @ max(len(judged), len(run.get(topic, {})), 1)
        alone = values([whole, full], {topic: judged}, run)
        assert alone[whole, topic] == alone[full, topic]


@given(low_collections, st.integers(30, 10**6), cutoffs)
def test_fallout_falls_with_the_size_of_the_collection(collection, docs, cutoff):
    small, large = (measures.Fallout(docs=size, cutoff=cutoff) for size in (docs, 2 * docs))
    found = values([small, large], *collection)
    assert all(found[large, topic] <= found[small, topic] for topic in collection[0])


# Other topics, missing topics, and strings


@given(low_collections, cutoffs, st.lists(st.sampled_from(ALL), min_size=1, max_size=4, unique=True))
def test_other_measures_and_topics_do_not_change_the_last_bit(collection, cutoff, companions):
    qrels, run = collection
    chosen = [m(max_gain=200) if m.needs_all_topics else m for m in ALL]
    together = values(with_options(chosen, cutoff), qrels, run)
    for topic, docs in qrels.items():
        alone = values(with_options(chosen, cutoff), {topic: docs}, run)
        assert alone == {key: value for key, value in together.items() if key[1] == topic}
    few = values(with_options([m for m in companions if m in chosen], cutoff), qrels, run)
    assert few == {key: together[key] for key in few}


@given(strategies.collections())
def test_an_empty_ranking_has_the_default_value_or_a_computed_value(collection):
    qrels, _ = collection
    esl, asl, nr, adm = named("ESL ASL NR ADM")
    found = values(dict.fromkeys([*CUT, esl, asl, nr, adm]), qrels, {})
    for (measure, topic), got in found.items():
        if measure.DEFAULT is not None:
            assert got == measure.DEFAULT
        elif not any(level > 0 for level in qrels[topic].values()):
            assert got == 0
    for topic, docs in qrels.items():
        relevant = [level for level in docs.values() if level > 0]
        if relevant:
            others = len(docs) - len(relevant)
            assert found[asl, topic] == (len(docs) + 1) / 2
            assert found[esl, topic] == pytest.approx(others / (len(relevant) + 1))
            assert found[nr, topic] == pytest.approx(0.5 if others else 1)
            assert found[adm, topic] == pytest.approx(1 - sum(relevant) / max(relevant) / len(docs))


@given(
    st.sampled_from(AVERAGED),
    st.dictionaries(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1e308), max_size=4),
    st.none() | st.integers(1, 2**63 - 1) | st.integers(1, 10**15).map(float),
    st.floats(1, 1e308, exclude_min=True) | st.integers(2, 10**25),
    flags,
)
def test_strings_are_parsed_to_equal_measures(measure, gains, cutoff, b, flag):
    measure = measure(gains=gains, cutoff=cutoff, avg=flag, judged_only=not flag)
    if "b" in measure.PARAMETERS:
        assert measure(b=b) == measure(b=float(b))
        measure = measure(b=b)
    for text in (str(measure), repr(measure)):
        again = parse_measure(text)
        assert (again, hash(again), again.params) == (measure, hash(measure), measure.params)
        assert ir_measures.parse_measure(text) == measure
    plain = measure(gains={}, cutoff=None, judged_only=False)
    assert 0 < plain.calc_aggregate({"q": {"a": 1, "b": 2}}, {"q": {"x": 3, "a": 2, "b": 1}}) <= 3
