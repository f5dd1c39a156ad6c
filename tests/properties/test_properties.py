"""Properties of the measures, for any qrels and run."""

import re
from itertools import chain

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
from ir_measures_graded import GradedEvaluator, parse_measure
from ir_measures_graded.core import measures
from ir_measures_graded.core.measures.sums import Normalised
from ir_measures_graded.core.uncertainty import with_option
from reference import gain


def named(names):
    return list(map(parse_measure, names.split()))


AVERAGED = named("CG DCG_JK DCG_JK(b=3) nCG nDCG_JK nDCG_JK(b=2.5) nDCG_JK(b=10) NDCNG NDCNG(max_gain=200)")
NORMALISED = AVERAGED[3:]
OF_OWN_LIST = named("SR(ideal='retrieved') MSR(ideal='retrieved')")
CORRELATIONS = named("KendallTau KendallTau(variant='a') KendallTau(variant='c') Spearman")
NTCIR = named("O_measure P_measure P_plus NCU NCU(utility='BR') NCU(stop='rb') NCU(stop='rb',utility='BR')")
SEARCH_LENGTHS = named("ESL ESL(n=3) ASL NR ESL(tied_by='rank') ASL(tied_by='rank') NR(tied_by='rank')")
CUT = named("muAP WAP Q Q(beta=0) Q(beta=20) AGR SR MSR gP gR NDPM NDPM(performance=True)")
SCALED = named("ADM ADM(norm='none') RelativeRelevance RelativeRelevance(norm='none')")
UNSCALED = [measure for measure in measures.MEASURES if "norm" not in measure.PARAMETERS]
ALL = list(dict.fromkeys([*AVERAGED, *CUT, *OF_OWN_LIST, *CORRELATIONS, *NTCIR, *SEARCH_LENGTHS, *UNSCALED]))

LOW = [*strategies.WHOLE, 0.1, 0.5, 2 / 3, 1.5, 2.718]
"""Levels that leave exponential gains small."""

cutoffs = st.sampled_from([None, 1, 2, 3, 5, 9, 30])
flags = st.booleans()
any_gains = strategies.GAINS | st.sampled_from(["linear", "exp"])
finite_scores = [*range(-5, 6), -1e3, -2.75, 1e-45, 0.1, 1 / 3, 2.5, 2.5 + 1e-9, 999.9375, 1e3]
finite_collections = strategies.collections(scores=finite_scores)
low_collections = strategies.collections(levels=LOW)


def values(measures, qrels, run):
    return {(m, topic): v for topic, m, v in GradedEvaluator(list(measures), qrels).iter_calc(run)}


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
    run = in_order(best_first(qrels, gains))
    found = {m: v for (m, _), v in values([*exact, *near, esl, asl], {"q": qrels}, {"q": run}).items()}
    assert {measure: found[measure] for measure in exact} == dict.fromkeys(exact, 1)
    assert {measure: found[measure] for measure in near} == pytest.approx(dict.fromkeys(near, 1), abs=1e-15)
    assert (found[esl], found[asl]) == (0, (relevant + 1) / 2)


@given(strategies.documents(strategies.WHOLE), st.randoms(use_true_random=False), cutoffs)
def test_no_order_is_worse_than_the_reverse_of_the_ideal_one(qrels, random, cutoff):
    best = best_first(qrels)
    other = random.sample(best, len(best))
    # An own ideal list ignores other documents; correlations penalise order within a level.
    runs = {"reverse": in_order(best[::-1]), "other": in_order(other), "ideal": in_order(best)}
    chosen = with_options([*CUT, *SEARCH_LENGTHS], cutoff)
    found = values(chosen, dict.fromkeys(runs, qrels), runs)
    for measure in chosen:
        bounds = [found[measure, topic] for topic in runs]
        if measure.smaller_is_better:
            bounds.reverse()
        assert bounds[0] - 1e-12 <= bounds[1] <= bounds[2] + 1e-12, measure


# Unjudged documents, and judgments that are added


# Other gains, other scores


RATIOS = [m for m in measures.MEASURES if isinstance(m, Normalised)]
RATIOS += [*named("muAP GAP WAP AGR Q O_measure P_measure P_plus NCU RBP_G gP")]
RATIOS += [*OF_OWN_LIST, *NTCIR[3:], *named("NDCNG(avg=True) nDCG_JK(avg=True)")]
OTHERS = [*CORRELATIONS, *SEARCH_LENGTHS, measures.ADM, measures.RelativeRelevance]
OPTIONS = [("ties", "mean"), ("ties", "min"), ("ties", "max"), ("unjudged", "min"), ("unjudged", "max")]


@given(
    strategies.collections(levels=LOW, scores=[0, 1, 2.5, 3]),
    st.integers(-300, 300),
    st.sampled_from([1, 3, 5]),
    st.none() | st.sampled_from(OPTIONS),
)
def test_multiplying_all_gains_by_a_power_of_two_changes_no_bit_of_a_ratio(collection, power, cutoff, option):
    qrels, run = collection
    levels = {level for docs in qrels.values() for level in docs.values()}
    levels |= {level - 1 for level in levels}  # AGR uses their gains
    scaled = {level: 2.0**power * gain(level, {}) for level in levels}
    chosen = with_options(RATIOS if option else [*RATIOS, *OTHERS], cutoff)
    if option:
        chosen = [each for m in chosen if (each := with_option(m, *option))]
    pairs = []
    for measure in chosen:
        plain = measure(gains="linear")
        plain = plain(beta=2.0**power) if "beta" in measure.PARAMETERS else plain
        pairs.append((measure(gains=scaled), plain))
    found = values(chain(*pairs), qrels, run)
    for topic in qrels:
        for one, other in pairs:
            assert found[one, topic] == found[other, topic], one


# Strings
