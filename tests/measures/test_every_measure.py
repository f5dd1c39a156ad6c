"""What holds for every registered measure, whatever it computes: one table, measures by claims.

The table is made from what the measures declare, so that a new measure is in it once it is registered.
"""

import copy
import math
import pickle
from itertools import count
from random import Random

import ir_measures
import pytest
from ir_measures import AP, Judged, P, nDCG

from input_forms import FORMS, shuffled
from ir_measures_graded import Choice, Count, Flag, GradedMeasure, Real, parse_measure
from ir_measures_graded.measures import MEASURES
from ir_measures_graded.measures.parameters import Gains

STANDARD = [AP, nDCG @ 10, P @ 5, Judged @ 10]


def values_of(name, parameter):
    """A few values that a parameter takes, its default not among them."""
    if isinstance(parameter, Flag):
        return [not parameter.default]
    if isinstance(parameter, Choice):
        return [word for word in parameter.choices if word != parameter.default]
    if isinstance(parameter, Gains):
        return [{-1: 0.25, 0: 0, 1: 1, 2: 10, 3: 100}]
    if isinstance(parameter, Count):
        return [1, 3, 1000] if name == "cutoff" else [1000]
    assert isinstance(parameter, Real), f"say here which values a {type(parameter).__name__} takes"
    least = parameter.above if parameter.above is not None else parameter.at_least or 0
    return [least + 0.718, least + 7]


def variants(measure):
    """The measure as it is, with each parameter changed, and with all of them changed."""
    choices = {name: values_of(name, parameter) for name, parameter in measure.SUPPORTED_PARAMS.items()}
    yield measure
    for name, values in choices.items():
        yield from (measure(**{name: value}) for value in values)
    yield measure(**{name: values[0] for name, values in choices.items()})
    yield measure(**{name: values[-1] for name, values in choices.items()})


def collection():
    """Qrels with negative and real levels and a run with ties, scores in [0, 1] as every measure takes.

    Topics and documents are many enough for sums to differ in the last bit when added in another order.
    """
    random, number = Random(5), count()
    qrels, run = {}, {}
    for topic in ["1", "10", "2", "θ", "lost", "poor", "flat", "long"]:
        size = 60 if topic == "long" else random.randint(8, 25)
        docs = [f"d{next(number)}" for _ in range(size)]
        levels = [0, -1] if topic == "poor" else [2] if topic == "flat" else [-2, 0, 0, 1, 1.1, 2, 3, 0.3]
        judged = random.sample(docs, size * 2 // 3)
        qrels[topic] = {doc: random.choice(levels) for doc in judged}
        listed = random.sample(docs, size * 3 // 4)
        run[topic] = {doc: random.choice([random.random(), 0.5, 0.5 + 1e-9, 0.7]) for doc in listed}
    del run["lost"]
    run["unasked"] = {"d1": 1.0, "d2": 0.5}
    return qrels, run


QRELS, RUN = collection()
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=str)


def values(measures, qrels, run):
    """The value of each measure and topic."""
    return {(m, topic): v for topic, m, v in ir_measures.iter_calc(measures, qrels, run)}


def expected(measures, qrels=QRELS, run=RUN):
    found = values(measures, qrels, run)
    assert len(found) == len(set(measures)) * len(qrels)
    return found


@every_measure
@pytest.mark.parametrize("form", FORMS)
def test_all_input_forms_agree(measure, form):
    measures = list(variants(measure))
    names = list(FORMS)
    make, make_other = FORMS[form], FORMS[names[names.index(form) - 3]]
    wanted = expected(measures)
    assert values(measures, make(QRELS, "relevance"), make(RUN, "score")) == wanted
    assert values(measures, make(QRELS, "relevance"), make_other(RUN, "score")) == wanted


@every_measure
def test_the_order_of_rows_and_topics_does_not_matter(measure):
    measures, random = list(variants(measure)), Random(7)
    wanted = expected(measures)
    for make in FORMS.values():
        qrels, run = make(QRELS, "relevance", random), make(RUN, "score", random)
        assert values(measures, qrels, run) == wanted


@every_measure
def test_means_do_not_depend_on_the_order_of_topics(measure):
    measures = list(variants(measure))
    wanted = ir_measures.calc_aggregate(measures, QRELS, RUN)
    for seed in range(5):
        qrels, run = shuffled(QRELS, Random(seed)), shuffled(RUN, Random(-seed))
        assert ir_measures.calc_aggregate(measures, qrels, run) == wanted


@every_measure
def test_the_mean_is_the_mean_of_the_topics(measure):
    aggregated, by_topic = ir_measures.calc([measure], QRELS, RUN)
    topics = [value for _, _, value in by_topic]
    assert len(topics) == len(QRELS)
    assert aggregated[measure] == pytest.approx(sum(topics) / len(topics), rel=1e-14)
    assert measure.calc(QRELS, RUN).aggregated == measure.calc_aggregate(QRELS, RUN) == aggregated[measure]


@every_measure
def test_companions_in_the_call_do_not_matter(measure):
    for variant in variants(measure):
        alone = values([variant], QRELS, RUN)
        for others in (MEASURES, [*variants(measure)], [each(judged_only=True) for each in MEASURES]):
            together = values([*others, variant], QRELS, RUN)
            assert {key: together[key] for key in alone} == alone


@every_measure
@pytest.mark.parametrize(
    "levels", [(4, 6, 5, 1, 5, 4, 4, 7), (1.2, 4.2, 5.2, 6.2), (1e16, 1e16 + 2, 1e16 + 4), (1e17,), (0.1, -2)]
)
def test_topics_beside_a_topic_do_not_change_a_bit_of_it(measure, levels):
    qrels = {"q": {f"d{number}": level for number, level in enumerate(levels)}}
    run = {"q": {doc: 1 / number for number, doc in enumerate(qrels["q"], 1)}}
    measures = [*variants(measure)] if max(levels) < 10 else [measure]
    alone = values(measures, qrels, run)
    beside = values(measures, {"y": {"a": 0.5}, **qrels, "z": {"a": 100, "b": 30}}, run)
    assert {key: beside[key] for key in alone} == alone


@every_measure
def test_standard_companions_in_the_call_do_not_matter(measure):
    qrels = {topic: {doc: math.ceil(level) for doc, level in docs.items()} for topic, docs in QRELS.items()}
    measures = list(variants(measure))
    wanted = expected(measures, qrels)
    for form in ("dict of dicts", "generator", "list of named tuples"):
        make = FORMS[form]
        together = values([*measures, *STANDARD], make(qrels, "relevance"), make(RUN, "score"))
        assert {key: together[key] for key in wanted} == wanted
        assert {m for m, _ in together} == {*measures, *STANDARD}


@every_measure
def test_other_topics_do_not_matter(measure):
    measures = list(variants(measure))
    wanted = expected(measures)
    for topic, docs in QRELS.items():
        alone = values(measures, {topic: docs}, RUN)
        assert alone == {key: value for key, value in wanted.items() if key[1] == topic}


@every_measure
def test_evaluators_can_be_used_again(measure):
    measures = list(variants(measure))
    wanted, empty = expected(measures), expected(measures, run={})
    evaluator = ir_measures.evaluator(measures, QRELS)
    for _ in range(2):
        assert {(m, topic): v for topic, m, v in evaluator.iter_calc(RUN)} == wanted
        assert {(m, topic): v for topic, m, v in evaluator.iter_calc([])} == empty


@every_measure
def test_strings_lead_back_to_the_measure(measure):
    for variant in variants(measure):
        for parse in (parse_measure, ir_measures.parse_measure):
            again = parse(str(variant))
            assert (again, hash(again), str(again)) == (variant, hash(variant), str(variant))
            assert again.params == variant.params
    for alias in measure.ALIASES:
        assert parse_measure(alias) == measure


@every_measure
def test_variants_are_told_apart(measure):
    assert len({str(variant) for variant in variants(measure)}) == len(set(variants(measure)))


@every_measure
def test_pickles_and_copies_are_equal_and_compute_the_same(measure):
    for variant in variants(measure):
        for again in (pickle.loads(pickle.dumps(variant)), copy.deepcopy(variant), copy.copy(variant)):
            assert (again, hash(again), str(again)) == (variant, hash(variant), str(variant))
            assert values([again], QRELS, RUN) == values([variant], QRELS, RUN)


@every_measure
def test_missing_topics_and_empty_runs_get_the_value_of_an_empty_ranking(measure):
    measures = list(variants(measure))
    wanted = expected(measures, run={topic: {} for topic in QRELS})
    assert expected(measures, run={}) == wanted
    for form, make in FORMS.items():
        assert values(measures, QRELS, make({}, "score")) == wanted, form
    lost = {(m, topic): value for (m, topic), value in expected(measures).items() if topic == "lost"}
    assert lost == {key: value for key, value in wanted.items() if key[1] == "lost"}
    if measure.DEFAULT is not None:
        default = {variant: variant.DEFAULT for variant in measures}
        assert wanted == {(m, topic): default[m] for m, topic in wanted}


@every_measure
def test_empty_qrels_have_no_topics(measure):
    measures = list(variants(measure))
    for form, make in FORMS.items():
        for run in (RUN, {}):
            assert values(measures, make({}, "relevance"), run) == {}, form


@every_measure
def test_topics_without_judgments_or_relevant_documents_have_a_value(measure):
    qrels = {"none": {}, "bad": {"x": 0, "y": -2}}
    for run in ({}, {"none": {"x": 1.0}, "bad": {"x": 1.0, "z": 0.5}}, {"none": {}, "bad": {}}):
        for value in expected(list(variants(measure)), qrels, run).values():
            assert math.isfinite(value)


@every_measure
def test_values_are_plain_finite_floats_in_the_order_of_the_qrels(measure):
    for variant in variants(measure):
        found = list(variant.iter_calc(QRELS, RUN))
        assert [metric.query_id for metric in found] == list(QRELS)
        assert all(type(metric.value) is float and math.isfinite(metric.value) for metric in found)
        assert {metric.measure for metric in found} == {variant}


@every_measure
def test_ranks_below_the_cutoff_do_not_matter(measure):
    if "cutoff" not in measure.SUPPORTED_PARAMS:
        pytest.skip(f"{measure} has no cutoff")
    if measure.NAME == "ADM":
        pytest.skip("ADM scales the scores of the whole list")
    run = {topic: {doc: 1 / n for n, doc in enumerate(docs, 1)} for topic, docs in QRELS.items()}
    head = {topic: dict(list(docs.items())[:5]) for topic, docs in run.items()}
    for ideal in [{}] if "ideal" not in measure.SUPPORTED_PARAMS else [{"ideal": "judged"}]:
        deep = measure(cutoff=4, **ideal)
        assert values([deep], QRELS, head) == values([deep], QRELS, run)
    assert values([measure @ 4], QRELS, run) != values([measure], QRELS, run)


@every_measure
def test_the_provider_is_found_and_asks_for_the_usual_columns(measure):
    assert ir_measures.DefaultPipeline.supports(measure)
    assert ir_measures.providers.registry["graded"].supports(measure)
    assert sorted(ir_measures.run_inputs([measure])) == ["doc_id", "query_id", "score"]
    assert sorted(ir_measures.qrel_inputs([measure])) == ["doc_id", "query_id", "relevance"]
    wanted = measure.calc_aggregate(QRELS, RUN)
    assert ir_measures.providers.registry["graded"].calc_aggregate([measure], QRELS, RUN) == {measure: wanted}


@every_measure
def test_a_measure_says_what_it_is(measure):
    assert isinstance(measure, GradedMeasure)
    assert measure.PRETTY_NAME
    assert measure.SHORT_DESC.endswith(".")
    assert isinstance(measure.smaller_is_better, bool)
    for field in ("formula", "undefined", "source"):
        assert measure.doc_field(field), field
    for name, parameter in measure.SUPPORTED_PARAMS.items():
        assert parameter.desc, name
        assert parameter.allowed(), name
        assert not parameter.required
    assert {"gains", "judged_only"} <= measure.SUPPORTED_PARAMS.keys()


@every_measure
def test_an_unknown_parameter_is_refused_with_those_that_there_are(measure):
    with pytest.raises(ValueError, match=rf"{measure.NAME} has no parameter 'colour'.*gains, judged_only"):
        measure(colour="red")
    with pytest.raises(ValueError, match=rf"{measure.NAME}.*judged_only='yes' is not allowed.*True or False"):
        measure(judged_only="yes")
