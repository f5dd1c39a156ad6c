"""Properties of every registered measure, whatever it computes.

The measures and their variants come from their declarations, so that new measures are tested, too.
"""

import copy
import math
import pickle
from itertools import count
from random import Random

import ir_measures
import pytest

from all_measures import MEASURES, optional, with_gains
from input_forms import shuffled
from ir_measures_graded import Choice, Count, Flag, Real
from ir_measures_graded.core.measures.parameters import Gains
from ir_measures_graded.core.uncertainty import with_option


def values_of(name, parameter):
    """A few allowed values of a parameter other than its default."""
    if isinstance(parameter, Flag):
        return [not parameter.default]
    if isinstance(parameter, Choice):
        return [word for word in parameter.choices if word != parameter.default]
    if isinstance(parameter, Gains):
        named = [name for name in ("linear", "exp") if name != parameter.default]
        return [*named, {-1: 0.25, 0: 0, 1: 1, 2: 10, 3: 100}]
    if name == "max_gain":
        return [200.5, 1000]
    if isinstance(parameter, Count):
        return {"cutoff": [1, 3, 1000], "rel": [2, 3]}.get(name, [1000])
    assert isinstance(parameter, Real), f"add values of a {type(parameter).__name__} here"
    bounds = parameter.bounds
    highest = bounds.get("below", bounds.get("at_most"))
    if highest is not None:
        return [0.25 * highest, 0.75 * highest]
    least = bounds.get("above", bounds.get("at_least", 0))
    return [least + 0.718, least + 7]


def is_option(measure, name):
    """Whether the measure has the parameter `ties` or `unjudged` as an option."""
    if name == "ties":
        return bool(measure.TIES)
    return name == "unjudged" and bool(measure.UNJUDGED)


def variants(measure):
    """The measure, with each parameter changed, and with all changed; options stay as they are."""
    choices = {
        name: values_of(name, parameter)
        for name, parameter in measure.SUPPORTED_PARAMS.items()
        if not is_option(measure, name)
    }
    yield measure
    for name, values in choices.items():
        for value in values:
            yield measure(**{name: value})
    yield measure(**{name: values[0] for name, values in choices.items()})
    yield measure(**{name: values[-1] for name, values in choices.items()})


def with_ties(measure):
    """The measure with each value of the option `ties`, uncut and cut."""
    options = (with_option(measure, "ties", word) for word in measure.TIES)
    cutoffs = optional(measure, None, 3)
    return [option(cutoff=cutoff) for option in options if option for cutoff in cutoffs]


SCALES = {"poor": [0, -1], "flat": [2]}


def collection():
    """Qrels with negative and real levels and a run with ties and scores in [0, 1].

    The topics are so large that sums in another order differ in the last bit.
    """
    random = Random(5)
    number = count()
    qrels = {}
    run = {}
    for topic in ["1", "10", "2", "θ", "lost", "poor", "flat", "long", "fine"]:
        size = 60 if topic in ("long", "fine") else random.randint(8, 25)
        docs = [f"d{next(number)}" for _ in range(size)]
        judged = random.sample(docs, size * 2 // 3)
        if topic == "fine":  # muAP counts pairs instead of levels
            levels = [random.uniform(0, 3) for _ in judged]
            qrels[topic] = dict(zip(judged, reversed(levels)))
        else:
            scale = SCALES.get(topic, [-2, 0, 0, 1, 1.1, 2, 3, 0.3])
            qrels[topic] = {doc: random.choice(scale) for doc in judged}
        retrieved = random.sample(docs, size * 3 // 4)
        run[topic] = {}
        for doc in retrieved:
            run[topic][doc] = random.choice([random.random(), 0.5, 0.5 + 1e-9, 0.7])
    del run["lost"]
    run["unasked"] = {"d1": 1.0, "d2": 0.5}
    return qrels, run


QRELS, RUN = collection()
VARIANTS = []
for measure in MEASURES:
    VARIANTS += [*variants(measure), *with_ties(measure)]
VARIANTS = list(dict.fromkeys(VARIANTS))
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=str)


def with_top_gain(measures, top=1e18):
    """The measures with this top gain, with which they need no other topics and refuse no gain."""
    result = []
    for measure in measures:
        if measure.needs_all_topics or "max_gain" in measure.params:
            result.append(measure(max_gain=top))
        else:
            result.append(measure)
    return result


def values(measures, qrels, run):
    """The value of each measure and topic."""
    metrics = ir_measures.iter_calc(measures, qrels, run)
    return {(metric.measure, metric.query_id): metric.value for metric in metrics}


def only(measures, all_values):
    """The values of these measures only."""
    wanted = set(measures)
    return {key: value for key, value in all_values.items() if key[0] in wanted}


def expected(measures=VARIANTS, qrels=QRELS, run=RUN):
    all_values = values(measures, qrels, run)
    assert len(all_values) == len(set(measures)) * len(qrels)
    return all_values


WANTED = expected()


def test_topic_order_does_not_change_means():
    qrels = shuffled(QRELS, Random(1))
    run = shuffled(RUN, Random(2))
    wanted = ir_measures.calc_aggregate(VARIANTS[::3], QRELS, RUN)
    assert ir_measures.calc_aggregate(VARIANTS[::3], qrels, run) == wanted


@every_measure
def test_values_are_finite_floats_in_the_order_of_the_qrels_and_the_aggregate_is_their_mean(
    measure,
):
    metrics = list(measure.iter_calc(QRELS, RUN))
    assert [metric.query_id for metric in metrics] == list(QRELS)
    assert all(metric.measure == measure for metric in metrics)
    of_topics = [metric.value for metric in metrics]
    assert all(type(value) is float and math.isfinite(value) for value in of_topics)
    aggregated = ir_measures.calc([measure], QRELS, RUN)[0][measure]
    assert aggregated == pytest.approx(sum(of_topics) / len(of_topics), rel=1e-14)
    assert measure.calc(QRELS, RUN).aggregated == aggregated
    assert measure.calc_aggregate(QRELS, RUN) == aggregated


def test_measures_of_one_call_do_not_affect_each_other():
    assert values(VARIANTS[::-1], QRELS, RUN) == WANTED
    for variant in VARIANTS[::19]:
        assert values([variant], QRELS, RUN) == only([variant], WANTED)


@pytest.mark.parametrize(
    "levels",
    [
        (4, 6, 5, 1, 5, 4, 4, 7),
        (1.2, 4.2, 5.2, 6.2),
        (1e16, 1e16 + 2, 1e16 + 4),
        (1e17,),
        (0.1, -2),
    ],
)
def test_other_topics_do_not_change_the_last_bit(levels):
    qrels = {"q": {f"d{number}": level for number, level in enumerate(levels)}}
    run = {"q": {doc: 1 / number for number, doc in enumerate(qrels["q"], 1)}}
    if max(levels) < 10:
        measures = with_top_gain(VARIANTS)
    else:
        measures = with_top_gain([with_gains(measure, "linear") for measure in MEASURES])
    alone = values(measures, qrels, run)
    beside = values(measures, {"y": {"a": 0.5}, **qrels, "z": {"a": 50, "b": 30}}, run)
    assert {key: beside[key] for key in alone} == alone


def test_different_variants_have_different_strings():
    assert len({str(variant) for variant in VARIANTS}) == len(VARIANTS)


def test_pickles_and_copies_are_equal_and_compute_equal_values():
    def pickled(measure):
        return pickle.loads(pickle.dumps(measure))

    for copied in (pickled, copy.deepcopy, copy.copy):
        copies = [copied(variant) for variant in VARIANTS]
        assert copies == VARIANTS
        assert list(map(hash, copies)) == list(map(hash, VARIANTS))
        assert list(map(str, copies)) == list(map(str, VARIANTS))
        assert values(copies[::5], QRELS, RUN) == only(VARIANTS[::5], WANTED)


def test_missing_topics_and_empty_runs_have_the_value_of_an_empty_ranking():
    wanted = expected(run={topic: {} for topic in QRELS})
    assert expected(run={}) == wanted
    for (variant, topic), value in wanted.items():
        if topic == "lost":
            assert WANTED[variant, topic] == value
        assert variant.DEFAULT is None or value == variant.DEFAULT, variant
