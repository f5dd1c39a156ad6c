"""Properties of the measures, for any qrels and run."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
from all_measures import MEASURES, optional
from ir_measures_graded import GradedEvaluator, parse_measure
from reference import gain


def named(names):
    return list(map(parse_measure, names.split()))


NORMALISED = named("nCG nDCG_JK nDCG_JK(b=2.5) nDCG_JK(b=10) NDCNG NDCNG(max_gain=200)")
AVERAGED = [*named("CG DCG_JK DCG_JK(b=3)"), *NORMALISED]
OF_OWN_LIST = named("SR(ideal='retrieved') MSR(ideal='retrieved')")
CORRELATIONS = named("KendallTau KendallTau(variant='a') KendallTau(variant='c') Spearman")
OF_FIRST_RANKS = named("O_measure P_measure P_plus")
NCUS = named("NCU NCU(utility='BR') NCU(stop='rb') NCU(stop='rb',utility='BR')")
SEARCH_LENGTHS = named(
    "ESL ESL(n=3) ASL NR ESL(tied_by='rank') ASL(tied_by='rank') NR(tied_by='rank')"
)
CUT = named("muAP WAP Q Q(beta=0) Q(beta=20) AGR SR MSR gP gR NDPM NDPM(performance=True)")
ALL = [*AVERAGED, *CUT, *OF_OWN_LIST, *CORRELATIONS, *OF_FIRST_RANKS, *NCUS]
ALL = list(dict.fromkeys([*ALL, *SEARCH_LENGTHS, *MEASURES]))

LOW = [*strategies.WHOLE, 0.1, 0.5, 2 / 3, 1.5, 2.718]
"""Levels that leave exponential gains small."""

cutoffs = st.sampled_from([None, 1, 2, 3, 5, 9, 30])
flags = st.booleans()
any_gains = strategies.GAINS | st.sampled_from(["linear", "exp"])
collections = strategies.collections(levels=LOW, scores=strategies.UNIT_SCORES)


def values(measures, qrels, run):
    """The value of each measure and topic."""
    metrics = GradedEvaluator(list(measures), qrels).iter_calc(run)
    return {(metric.measure, metric.query_id): metric.value for metric in metrics}


def with_options(chosen, cutoff=None, **options):
    """The measures with these options; those without a cutoff keep the whole list."""
    changed = []
    for measure in chosen:
        own = dict(options)
        if not measure.HAS_GAINS:
            own.pop("gains", None)
        if measure.CUTOFF and cutoff in optional(measure, cutoff):
            own["cutoff"] = cutoff
        changed.append(measure(**own))
    return changed


def with_avg(chosen, avg):
    return [measure(avg=avg) if "avg" in measure.PARAMETERS else measure for measure in chosen]


def in_order(docs):
    """A run that lists these documents in this order."""
    return {doc: -rank for rank, doc in enumerate(docs)}


def best_first(qrels, gains):
    return sorted(qrels, key=lambda doc: gain(qrels[doc], gains), reverse=True)


# Ranges


@given(collections, any_gains, cutoffs, flags, flags)
def test_values_are_in_the_range_that_the_page_gives(collection, gains, cutoff, judged_only, avg):
    with_top = [m(max_gain=200) if m.needs_all_topics else m for m in with_avg(ALL, avg)]
    chosen = with_options(with_top, cutoff, gains=gains, judged_only=judged_only)
    for (measure, _), value in values(chosen, *collection).items():
        low, high = re.match(r"\[(-?\d+), (∞|\d+)[\])]", measure.doc_field("range")).groups()
        assert float(low) <= value <= float(high.replace("∞", "inf")), measure


# Perfect runs


@given(strategies.documents(LOW), any_gains, cutoffs, flags)
def test_an_ideal_run_is_perfect(qrels, gains, cutoff, avg):
    relevant = sum(gain(level, gains) > 0 for level in qrels.values())
    assume(relevant)
    exact_at_cutoff = [*NORMALISED, *named("WAP Q Q(beta=20) SR MSR NR"), *OF_OWN_LIST]
    exact = with_options(with_avg(exact_at_cutoff, avg), cutoff, gains=gains)
    exact += with_options(named("gR"), gains=gains)
    near_at_cutoff = OF_FIRST_RANKS + named("nERR nDCG_Burges")
    near = with_options(near_at_cutoff, cutoff, gains=gains)
    near += with_options(NCUS + named("muAP GAP"), gains=gains)
    esl, asl = with_options(named("ESL(n=7) ASL"), gains=gains)
    run = in_order(best_first(qrels, gains))
    by_topic = values([*exact, *near, esl, asl], {"q": qrels}, {"q": run})
    value_of = {measure: value for (measure, _), value in by_topic.items()}
    for measure in exact:
        assert value_of[measure] == 1, measure
    for measure in near:
        assert value_of[measure] == pytest.approx(1, abs=1e-15), measure
    assert value_of[esl] == 0
    assert value_of[asl] == (relevant + 1) / 2
