"""The provider `graded` computes standard measures bit for bit as ir-measures does.

The expected values come from one call per measure, because ir-measures confuses measures of one
call that differ in their parameters. Ours come from one call for all measures.
"""

import gzip
import math
from collections import defaultdict
from functools import reduce
from importlib.metadata import version
from itertools import product
from operator import or_
from random import Random

import ir_measures
import numpy
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from ir_measures import (
    AP,
    RR,
    Bpref,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    Rprec,
    infAP,
    nDCG,
)
from ir_measures.measures import R, SetAP, SetF, SetP, SetR, SetRelP, Success

import ir_measures_graded
import strategies
from input_forms import FORMS
from ir_measures_graded import GradedError, GradedProvider
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.core.measures.standard_measure import log2
from rounds import examples, only

RELS = [{}, {"rel": 2}, {"rel": 4}]
LISTS = [{}, {"judged_only": True}]
CUTOFFS = [1, 2, 3, 10, 100, 5000]
GAINS = [{}, {"gains": {0: 1, 1: 0, 2: 7, -1: 3}}, {"gains": {1: -1, 3: 10}}, {"gains": {}}]


def with_options(measures, *choices):
    """Each measure with each combination of the options."""
    combinations = [reduce(or_, options) for options in product(*choices)]
    return [measure(**options) for measure in measures for options in combinations]


def at_cutoffs(measures):
    return [measure @ cutoff for measure in measures for cutoff in CUTOFFS]


NDCG = with_options([nDCG], GAINS, LISTS)
RR_WITHIN = at_cutoffs(with_options([RR], RELS))
MEASURES = [
    *at_cutoffs(with_options([P, R, Success, AP], RELS, LISTS)),
    *with_options([RR, AP, Rprec, SetP], RELS, LISTS),
    *with_options([Bpref, SetR, NumRet], RELS),
    *RR_WITHIN,
    *NDCG,
    *at_cutoffs(NDCG),
    *at_cutoffs([Judged]),
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    SetP(relative=False),
    nDCG(dcg="log2") @ 10,
]
MEASURES = list(dict.fromkeys(MEASURES))

THEIRS = ir_measures.providers.FallbackProvider(
    [ir_measures.pytrec_eval, ir_measures.judged, ir_measures.msmarco]
)


OF_EMPTY_LISTS = {"Judged", "NumRel"}
"""For a topic with an empty dict in the run, Judged divides by 0, and the value of NumRel depends
on the topics before it: trec_eval stops at a list for which it has no memory yet."""


OLD = tuple(map(int, version("pytrec-eval-terrier").split("."))) < (0, 5, 8)


def exact(value):
    """The type and all bits of a value; all NaNs are equal."""
    bits = "nan" if math.isnan(value) else float(value).hex()
    return type(value), bits


def in_order(metrics):
    """Each measure with its values, topics in the order of the metrics.

    MS MARCO's RR reports topics without relevant documents together with missing topics, so its
    order is not compared.
    """
    values = defaultdict(list)
    for topic, measure, value in metrics:
        values[measure].append((topic, exact(value)))
    for measure in RR_WITHIN:
        values[measure].sort()
    return values


def assert_equal_bits(qrels, runs, measures=MEASURES, form=FORMS["dict of dicts"]):
    """Compare all values, means, types and the order of topics."""
    ours = ir_measures_graded.graded.evaluator(measures, form(qrels, "relevance"))
    all_theirs = {measure: THEIRS.evaluator([measure], qrels) for measure in measures}
    for run in runs:
        means = ours.calc_aggregate(form(run, "score"))
        computed = ours.calc(form(run, "score"))
        assert list(means) == measures
        by_topic = in_order(computed.per_query)
        has_empty_list = any(not docs and qrels.get(topic) for topic, docs in run.items())
        for measure, theirs in all_theirs.items():
            if has_empty_list and measure.NAME in OF_EMPTY_LISTS:
                continue
            expected = theirs.calc(run)
            assert by_topic[measure] == in_order(expected.per_query)[measure], measure
            expected_mean = exact(expected.aggregated[measure])
            assert exact(computed.aggregated[measure]) == expected_mean, measure
            assert exact(means[measure]) == expected_mean, measure


def in_trec_eval(qrels, run):
    """The collection without topics that trec_eval cannot evaluate.

    If all levels of a topic are negative, also under one of GAINS, trec_eval reads freed memory.
    Old releases report topics without judgments.
    """
    usable = {}
    for topic, levels in qrels.items():
        if levels:
            is_usable = not {0, 2, 3, 4}.isdisjoint(levels.values())
        else:
            is_usable = not OLD
        if is_usable:
            usable[topic] = levels
    assume(usable)
    return usable, [run]


@examples(12)
@given(
    strategies.collections(levels=strategies.WHOLE, scores=strategies.ANY_SCORES),
    st.lists(st.sampled_from(MEASURES), min_size=1, max_size=12, unique=True),
)
@example(({"1": {}, "2": {"a": 1}}, {"2": {"a": 1.0}}), MEASURES)
@example(({"1": {"a": 1, "b": 0}}, {"1": {}}), MEASURES)
def test_random_topics_with_ties_negative_levels_and_missing_topics(collection, measures):
    assert_equal_bits(*in_trec_eval(*collection), measures)


def random_collection(random, topics=12, docs=1000, retrieved=600):
    """Topics of all sizes; the last bit of sums over the largest depends on the order of adding."""
    names = [f"d{number}" for number in range(docs)]
    digits = random.choice([2, 15])
    qrels = {}
    run = {}
    for number in random.sample(range(topics), topics):
        judged = random.sample(names, random.randint(1, docs))
        levels = random.choices([-2, -1, 0, 1, 2, 3], [1, 1, 8, 3, 2, 1], k=len(judged))
        qrels[f"q{number}"] = {**dict(zip(judged, levels)), judged[0]: 0}
    for number in random.sample(range(3, topics + 3), topics):
        listed = random.sample(names, random.randint(1, retrieved))
        run[f"q{number}"] = {doc: round(random.gauss(0, 3), digits) for doc in listed}
    return qrels, [run]


def test_long_lists_and_means_over_topics_in_any_order():
    assert_equal_bits(*random_collection(Random(0)))


REAL = [
    ("cast21-doc", "qrels.txt", "runs/*"),
    ("ir_datasets", "msmarco-passage/trec-dl-2019/qrels", "../dl19-passage/runs/*"),
    ("dl21-passage", "qrels.txt", "runs/*"),
    ("robust05", "qrels.txt", "*.gz"),
    ("trec_eval-test", "qrels.test", "results.test"),
    ("trec_eval-test", "qrels.rel_level", "results.test"),
]
USUAL = [
    *(P @ 10, P(rel=2) @ 5, R @ 100, Success @ 5, AP, AP(rel=2) @ 100, RR, RR @ 10, Rprec),
    *(nDCG, nDCG @ 10, nDCG(judged_only=True) @ 100, nDCG(gains={1: 2, 2: 10}) @ 1000),
    *(Bpref, SetP, SetR, Judged @ 10, Judged, NumQ, NumRel, NumRet, NumRelRet),
]


def read(path, parse):
    """The levels or scores of a file, by topic and document."""
    opening = gzip.open if path.suffix == ".gz" else open
    values = {}
    with opening(path, "rt") as file:
        for row in parse(file):
            values.setdefault(row.query_id, {})[row.doc_id] = row[2]
    return values


LARGE = ("dl21-passage", "robust05")
"""Folders of the thorough round."""


@pytest.mark.parametrize(
    ("folder", "qrels", "runs"), only(REAL, [row for row in REAL if row[0] not in LARGE])
)
def test_real_qrels_and_runs(shared_data, folder, qrels, runs):
    judgments = read(shared_data / folder / qrels, ir_measures.read_trec_qrels)
    paths = sorted((shared_data / folder).glob(runs))[::3]
    assert paths
    rankings = [read(path, ir_measures.read_trec_run) for path in paths]
    assert_equal_bits(judgments, rankings, USUAL)


UNEQUAL = [
    P(rel=0) @ 5,
    P(rel=True) @ 5,
    P(rel=2**31) @ 5,
    P @ True,
    RR(judged_only=True) @ 5,
    NumRel(rel=2),
    nDCG(dcg="exp-log2") @ 5,
    nDCG(gains={1: 0.5}) @ 5,
    nDCG(gains={1.0: 2}) @ 5,
    IPrec @ 0.1,
    infAP,
    SetAP,
    SetF,
    SetRelP,
    ir_measures.RBP,
    ir_measures.alpha_nDCG @ 10,
    ir_measures.Compat(p=0.9),
    ir_measures.Accuracy,
]


@pytest.mark.parametrize("measure", UNEQUAL)
def test_measures_without_equal_values_are_not_supported(measure):
    assert not GradedProvider().supports(measure)
    with pytest.raises(GradedError, match="the provider graded does not compute"):
        GradedProvider().evaluator([measure], {"q": {"a": 1}})


def test_gains_beyond_the_whole_numbers_of_c_do_not_overflow():
    measure = nDCG(gains={1: 0, 3: 10**12}) @ 5
    run = {"q": {"b": 2.0, "a": 1.0}}
    evaluation = evaluate({"q": {"a": 3, "b": 1}}, {"run": run}, [measure])
    assert evaluation.values.item() == 1 / math.log2(3)


@pytest.mark.parametrize("measure", [P, P(no=1) @ 5, nDCG(dcg="ln") @ 5])
def test_parameters_that_ir_measures_rejects_are_rejected(measure):
    with pytest.raises(AssertionError):
        ir_measures.pytrec_eval.supports(measure)
    with pytest.raises(AssertionError):
        GradedProvider().supports(measure)


def test_logarithms_equal_those_of_c():
    numbers = numpy.append(numpy.arange(1, 20_000), 1 << 17)
    assert log2(numbers).tolist() == [math.log2(number) for number in numbers.tolist()]
