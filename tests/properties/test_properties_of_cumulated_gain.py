"""Properties of cumulated gain, for any qrels and run."""

import ir_measures
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
from input_forms import FORMS
from ir_measures_graded import CG, DCG_JK, NDCNG, GradedEvaluator, nCG, nDCG_JK, parse_measure

NORMALISED = [nCG, nDCG_JK, nDCG_JK(b=2.5), nDCG_JK(b=10), NDCNG, NDCNG(max_gain=3)]
ALL = [CG, DCG_JK, DCG_JK(b=3), *NORMALISED]
WITH_VARIANTS = [
    variant
    for measure in ALL
    for variant in (
        measure,
        measure(avg=True),
        measure @ 2,
        measure(avg=True) @ 4,
        measure(gains={1: 3, 2: 0.5}, judged_only=True),
    )
]
cutoffs = st.sampled_from([None, 1, 2, 3, 5, 9, 30])
flags = st.booleans()


def values(measures, qrels, run):
    return {(m, topic): v for topic, m, v in GradedEvaluator(measures, qrels).iter_calc(run)}


@given(strategies.collections(), strategies.GAINS, cutoffs, flags, flags)
def test_bounds(collection, gains, cutoff, avg, judged_only):
    options = {"gains": gains, "cutoff": cutoff, "avg": avg, "judged_only": judged_only}
    normalised = [measure(**options) for measure in NORMALISED]
    found = values([*normalised, *(measure(**options) for measure in ALL)], *collection)
    assert all(value >= 0 for value in found.values())
    assert all(value <= 1 for (measure, _), value in found.items() if measure in normalised)


@given(strategies.documents(strategies.REAL), strategies.GAINS, cutoffs, flags)
def test_an_ideal_run_scores_exactly_1(levels, gains, cutoff, avg):
    def gain(doc):
        return gains.get(levels[doc], max(levels[doc], 0))

    assume(any(gain(doc) > 0 for doc in levels))
    run = {doc: -rank for rank, doc in enumerate(sorted(levels, key=gain, reverse=True))}
    measures = [measure(gains=gains, cutoff=cutoff, avg=avg) for measure in NORMALISED]
    assert set(values(measures, {"q": levels}, {"q": run}).values()) == {1.0}


@given(
    st.lists(st.sampled_from([None, *strategies.REAL]), min_size=2, max_size=12), st.data(), cutoffs, flags
)
def test_moving_a_better_document_up_does_not_lower_the_value(levels, data, cutoff, avg):
    def run_of(order):
        return {f"d{index}": -rank for rank, index in enumerate(order)}

    qrels = {f"d{index}": level for index, level in enumerate(levels) if level is not None}
    upper = data.draw(st.integers(0, len(levels) - 2))
    lower = data.draw(st.integers(upper + 1, len(levels) - 1))
    assume((levels[lower] or 0) > (levels[upper] or 0))
    swapped = list(range(len(levels)))
    swapped[upper], swapped[lower] = lower, upper
    measures = [measure(cutoff=cutoff, avg=avg) for measure in ALL]
    runs = {"before": run_of(range(len(levels))), "after": run_of(swapped)}
    found = values(measures, dict.fromkeys(runs, qrels), runs)
    for measure in measures:
        before, after = (found[measure, name] for name in runs)
        assert after >= before * (1 - 1e-14)
        if cutoff is None and avg and (levels[lower] or 0) > max(levels[upper] or 0, 0):
            assert after > before


# Files of text have no empty ids, nor ids with blanks.
ANY_IDS = sorted(form for form in FORMS if not form.endswith(("TREC file", "CSV file", "TSV file")))


@given(strategies.collections(min_judged=1), st.sampled_from(ANY_IDS), st.randoms(use_true_random=False))
def test_input_form_and_row_order_do_not_change_the_last_bit(collection, form, random):
    qrels, run = collection
    wanted = values(ALL, qrels, run)
    make = FORMS[form]
    assert values(ALL, make(qrels, "relevance", random), make(run, "score", random)) == wanted


@given(strategies.collections(), st.lists(st.sampled_from(WITH_VARIANTS), min_size=1, max_size=4))
def test_other_measures_and_topics_do_not_change_the_last_bit(collection, companions):
    qrels, run = collection
    together = values(WITH_VARIANTS, qrels, run)
    for (measure, topic), value in values(companions, qrels, run).items():
        assert together[measure, topic] == value
        assert values([measure], {topic: qrels[topic]}, run) == {(measure, topic): value}


@given(strategies.collections(levels=strategies.WHOLE), cutoffs, flags)
def test_doubling_all_levels_does_not_change_ndcng(collection, cutoff, avg):
    qrels, run = collection
    measure = NDCNG(cutoff=cutoff, avg=avg)
    doubled = {topic: {doc: 2 * level for doc, level in docs.items()} for topic, docs in qrels.items()}
    assert values([measure], doubled, run) == values([measure], qrels, run)


@given(strategies.collections(), st.sampled_from([2, 4, 0.5, 1024]), cutoffs, flags)
def test_scaling_all_gains_changes_no_normalised_value(collection, factor, cutoff, avg):
    qrels, run = collection
    measures = [measure(cutoff=cutoff, avg=avg) for measure in (nCG, nDCG_JK, nDCG_JK(b=3), NDCNG)]
    scaled = {topic: {doc: factor * level for doc, level in docs.items()} for topic, docs in qrels.items()}
    assert values(measures, scaled, run) == values(measures, qrels, run)


@given(strategies.collections(), st.sampled_from(ALL), st.integers(1, 12))
def test_avg_is_the_mean_of_the_values_at_all_ranks(collection, measure, k):
    qrels, run = collection
    by_rank, averaged = [measure @ i for i in range(1, k + 1)], measure(avg=True) @ k
    found = values([*by_rank, averaged], qrels, run)
    for topic in qrels:
        mean = sum(found[each, topic] for each in by_rank) / k
        assert found[averaged, topic] == pytest.approx(mean, rel=1e-12)


@given(strategies.collections(), st.sampled_from(ALL), flags)
def test_the_value_without_a_cutoff_is_that_at_full_depth(collection, measure, avg):
    qrels, run = collection
    measure = measure(avg=avg)
    for topic, judged in qrels.items():
        depth = max(len(judged), len(run.get(topic, {})), 1)
        found = values([measure, measure @ depth], {topic: judged}, run)
        assert found[measure, topic] == found[measure @ depth, topic]


@given(strategies.collections(scores=range(-5, 6)), flags, cutoffs)
def test_unjudged_documents_below_everything_change_nothing_but_the_depth(collection, avg, cutoff):
    qrels, run = collection
    longer = {topic: {**docs, "unjudged 1": -100, "unjudged 2": -100} for topic, docs in run.items()}
    measures = [measure(avg=avg, cutoff=cutoff, judged_only=True) for measure in ALL]
    if not avg or cutoff is not None:
        measures += [measure(judged_only=False) for measure in measures]
    assert values(measures, qrels, longer) == values(measures, qrels, run)


@given(
    st.sampled_from(ALL),
    st.dictionaries(
        st.floats(allow_nan=False, allow_infinity=False),
        st.floats(0, 1e308) | st.integers(0, 10**300),
        max_size=4,
    ),
    st.none() | st.integers(1, 2**63 - 1) | st.integers(1, 10**15).map(float),
    flags,
    flags,
)
def test_strings_are_parsed_to_equal_measures(measure, gains, cutoff, avg, judged_only):
    measure = measure(gains=gains, cutoff=cutoff, avg=avg, judged_only=judged_only)
    for text in (str(measure), repr(measure)):
        again = parse_measure(text)
        assert (again, hash(again), again.params) == (measure, hash(measure), measure.params)
        assert ir_measures.parse_measure(text) == measure


@given(st.sampled_from([DCG_JK, nDCG_JK]), st.floats(1, 1e308, exclude_min=True) | st.integers(2, 10**25))
def test_any_base_above_1_is_parsed_and_computed(measure, b):
    measure = measure(b=b)
    assert parse_measure(str(measure)) == measure == measure(b=float(b))
    assert 0 < measure.calc_aggregate({"q": {"a": 1, "b": 2}}, {"q": {"x": 3, "a": 2, "b": 1}}) <= 3
