"""The provider `graded` computes standard measures bit for bit as ir-measures does.

The expected values come from one call per measure, because ir-measures confuses measures of one call that
differ in their parameters. Ours come from one call for all measures.
"""

import gzip
import math
from collections import defaultdict
from importlib.metadata import version
from itertools import compress
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
from ir_measures_graded.core.measures.standard import log2
from rounds import examples, only

RELS = [{}, {"rel": 2}, {"rel": 4}]
LISTS = [{}, {"judged_only": True}]
CUTOFFS = [1, 2, 3, 10, 100, 5000]
GAINS = [{}, {"gains": {0: 1, 1: 0, 2: 7, -1: 3}}, {"gains": {1: -1, 3: 10}}, {"gains": {}}]

OPTIONS = [{**rel, **lists} for rel in RELS for lists in LISTS]
MEASURES = [
    *(
        measure(**given) @ cutoff
        for measure in (P, R, Success, AP)
        for given in OPTIONS
        for cutoff in CUTOFFS
    ),
    *(measure(**given) for measure in (RR, AP, Rprec, SetP) for given in OPTIONS),
    *(measure(**rel) for measure in (Bpref, SetR, NumRet) for rel in RELS),
    *(RR(**rel) @ cutoff for rel in RELS for cutoff in CUTOFFS),
    *(nDCG(**gains, **lists) for gains in GAINS for lists in LISTS),
    *(nDCG(**gains, **lists) @ cutoff for gains in GAINS for lists in LISTS for cutoff in CUTOFFS),
    *(Judged @ cutoff for cutoff in CUTOFFS),
    *(Judged, NumQ, NumRel, NumRelRet, SetP(relative=False), nDCG(dcg="log2") @ 10),
]
MEASURES = list(dict.fromkeys(MEASURES))

THEIRS = ir_measures.providers.FallbackProvider(
    [ir_measures.pytrec_eval, ir_measures.judged, ir_measures.msmarco]
)


RR_WITHIN = {RR(**rel) @ cutoff for rel in RELS for cutoff in CUTOFFS}
OF_EMPTY_LISTS = {"Judged", "NumRel"}
"""For a topic with an empty dict in the run, Judged divides by 0, and the value of NumRel depends on the
topics before it: trec_eval stops at a list for which it has no memory yet."""


OLD = tuple(map(int, version("pytrec-eval-terrier").split("."))) < (0, 5, 8)


def exact(value):
    """The type and all bits of a value; all NaNs are equal."""
    return type(value), "nan" if math.isnan(value) else float(value).hex()


def in_order(metrics):
    """Each measure with its values, topics in the order of the metrics.

    MS MARCO's RR reports topics without relevant documents together with missing topics, so its order is
    not compared.
    """
    found = defaultdict(list)
    for topic, measure, value in metrics:
        found[measure].append((topic, exact(value)))
    return {measure: sorted(its) if measure in RR_WITHIN else its for measure, its in found.items()}


def assert_equal_bits(qrels, runs, measures=MEASURES, form=FORMS["dict of dicts"]):
    """Compare all values, means, types and the order of topics."""
    ours = ir_measures_graded.graded.evaluator(measures, form(qrels, "relevance"))
    all_theirs = {measure: THEIRS.evaluator([measure], qrels) for measure in measures}
    for run in runs:
        means, found = ours.calc_aggregate(form(run, "score")), ours.calc(form(run, "score"))
        assert list(means) == measures
        by_topic = in_order(found.per_query)
        for measure, theirs in all_theirs.items():
            if measure.NAME in OF_EMPTY_LISTS and any(
                not docs and qrels.get(topic) for topic, docs in run.items()
            ):
                continue
            expected = theirs.calc(run)
            assert by_topic.get(measure, []) == in_order(expected.per_query).get(measure, []), (
                measure
            )
            assert exact(found.aggregated[measure]) == exact(expected.aggregated[measure]), measure
            assert exact(means[measure]) == exact(expected.aggregated[measure]), measure


def in_trec_eval(qrels, run):
    """The collection without topics that trec_eval cannot evaluate.

    If all levels of a topic are negative, also under one of GAINS, trec_eval reads freed memory. Old releases
    report topics without judgments.
    """
    usable = [
        {0, 2, 3, 4}.intersection(docs.values()) or (not docs and not OLD)
        for docs in qrels.values()
    ]
    assume(any(usable))
    return dict(compress(qrels.items(), usable)), [run]


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
    """Topics of all sizes; the last bit of sums over the largest depends on the order of addition."""
    names = [f"d{number}" for number in range(docs)]
    digits = random.choice([2, 15])
    qrels, run = {}, {}
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
    P @ 10, P(rel=2) @ 5, R @ 100, Success @ 5, AP, AP(rel=2) @ 100, RR, RR @ 10, Rprec, nDCG, nDCG @ 10,
    nDCG(judged_only=True) @ 100, nDCG(gains={1: 2, 2: 10}) @ 1000, Bpref, SetP, SetR, Judged @ 10, Judged,
    NumQ, NumRel, NumRet, NumRelRet,
]  # fmt: skip


def read(path, read):
    rows = {}
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        for row in read(file):
            rows.setdefault(row.query_id, {})[row.doc_id] = row[2]
    return rows


LARGE = ("dl21-passage", "robust05")
"""Folders of the thorough round."""


@pytest.mark.parametrize(
    ("folder", "qrels", "runs"), only(REAL, [row for row in REAL if row[0] not in LARGE])
)
def test_real_qrels_and_runs(shared_data, folder, qrels, runs):
    judgments = read(shared_data / folder / qrels, ir_measures.read_trec_qrels)
    paths = sorted((shared_data / folder).glob(runs))[::3]
    assert paths
    assert_equal_bits(judgments, [read(path, ir_measures.read_trec_run) for path in paths], USUAL)


UNEQUAL = [
    *(
        P(rel=0) @ 5,
        P(rel=True) @ 5,
        P(rel=2**31) @ 5,
        P @ True,
        RR(judged_only=True) @ 5,
        NumRel(rel=2),
    ),
    *(nDCG(dcg="exp-log2") @ 5, nDCG(gains={1: 0.5}) @ 5, nDCG(gains={1.0: 2}) @ 5),
    *(IPrec @ 0.1, infAP, SetAP, SetF, SetRelP, ir_measures.RBP),
    *(ir_measures.alpha_nDCG @ 10, ir_measures.Compat(p=0.9), ir_measures.Accuracy),
]


@pytest.mark.parametrize("measure", UNEQUAL)
def test_measures_without_equal_values_are_not_supported(measure):
    assert not GradedProvider().supports(measure)
    with pytest.raises(GradedError, match="the provider graded does not compute"):
        GradedProvider().evaluator([measure], {"q": {"a": 1}})


def test_gains_beyond_the_whole_numbers_of_c_do_not_overflow():
    measure = nDCG(gains={1: 0, 3: 10**12}) @ 5
    found = evaluate({"q": {"a": 3, "b": 1}}, {"run": {"q": {"b": 2.0, "a": 1.0}}}, [measure])
    assert found.values.item() == 1 / math.log2(3)


@pytest.mark.parametrize("measure", [P, P(no=1) @ 5, nDCG(dcg="ln") @ 5])
def test_parameters_that_ir_measures_rejects_are_rejected(measure):
    with pytest.raises(AssertionError):
        ir_measures.pytrec_eval.supports(measure)
    with pytest.raises(AssertionError):
        GradedProvider().supports(measure)


def test_logarithms_equal_those_of_c():
    numbers = numpy.append(numpy.arange(1, 20_000), 1 << 17)
    assert log2(numbers).tolist() == [math.log2(number) for number in numbers.tolist()]
