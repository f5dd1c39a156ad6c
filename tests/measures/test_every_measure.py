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


def variants(measure):
    """The measure, then with each parameter changed, then with all parameters changed; without options."""
    options = [
        name
        for name, offered in (("ties", measure.TIES), ("unjudged", measure.UNJUDGED))
        if offered
    ]
    parameters = {
        name: each for name, each in measure.SUPPORTED_PARAMS.items() if name not in options
    }
    choices = {name: values_of(name, parameter) for name, parameter in parameters.items()}
    yield measure
    for name, values in choices.items():
        yield from (measure(**{name: value}) for value in values)
    yield measure(**{name: values[0] for name, values in choices.items()})
    yield measure(**{name: values[-1] for name, values in choices.items()})


def with_ties(measure):
    """The measure with each value of the option `ties`, uncut and cut."""
    options = (with_option(measure, "ties", word) for word in measure.TIES)
    cutoffs = optional(measure, None, 3)
    return [option(cutoff=cutoff) for option in options if option for cutoff in cutoffs]


def collection():
    """Qrels with negative and real levels and a run with ties and scores in [0, 1].

    The topics are large enough for sums to differ in the last bit if they are added in another order.
    """
    random, number = Random(5), count()
    qrels, run = {}, {}
    for topic in ["1", "10", "2", "θ", "lost", "poor", "flat", "long", "fine"]:
        size = 60 if topic in ("long", "fine") else random.randint(8, 25)
        docs = [f"d{next(number)}" for _ in range(size)]
        levels = (
            [0, -1]
            if topic == "poor"
            else [2]
            if topic == "flat"
            else [-2, 0, 0, 1, 1.1, 2, 3, 0.3]
        )
        judged = random.sample(docs, size * 2 // 3)
        if topic == "fine":  # muAP counts pairs instead of levels
            levels = [random.uniform(0, 3) for _ in judged]
        qrels[topic] = {
            doc: random.choice(levels) if topic != "fine" else levels.pop() for doc in judged
        }
        listed = random.sample(docs, size * 3 // 4)
        run[topic] = {doc: random.choice([random.random(), 0.5, 0.5 + 1e-9, 0.7]) for doc in listed}
    del run["lost"]
    run["unasked"] = {"d1": 1.0, "d2": 0.5}
    return qrels, run


QRELS, RUN = collection()
VARIANTS = list(
    dict.fromkeys(
        each for measure in MEASURES for each in (*variants(measure), *with_ties(measure))
    )
)
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=str)


def with_top_gain(measures, top=1e18):
    """The measures with this top gain, so that they do not need all topics or refuse their gains."""
    return [
        m(max_gain=top) if m.needs_all_topics or "max_gain" in m.params else m for m in measures
    ]


def values(measures, qrels, run):
    """The value of each measure and topic."""
    return {(m, topic): v for topic, m, v in ir_measures.iter_calc(measures, qrels, run)}


def of(measures, found):
    """The values of these measures only."""
    kept = set(measures)
    return {(m, topic): value for (m, topic), value in found.items() if m in kept}


def expected(measures=VARIANTS, qrels=QRELS, run=RUN):
    found = values(measures, qrels, run)
    assert len(found) == len(set(measures)) * len(qrels)
    return found


WANTED = expected()


def test_topic_order_does_not_change_means():
    qrels, run = shuffled(QRELS, Random(1)), shuffled(RUN, Random(2))
    wanted = ir_measures.calc_aggregate(VARIANTS[::3], QRELS, RUN)
    assert ir_measures.calc_aggregate(VARIANTS[::3], qrels, run) == wanted


@every_measure
def test_values_are_finite_floats_in_the_order_of_the_qrels_and_the_aggregate_is_their_mean(
    measure,
):
    found = list(measure.iter_calc(QRELS, RUN))
    assert [(metric.query_id, metric.measure) for metric in found] == [
        (topic, measure) for topic in QRELS
    ]
    topics = [metric.value for metric in found]
    assert all(type(value) is float and math.isfinite(value) for value in topics)
    aggregated = ir_measures.calc([measure], QRELS, RUN)[0][measure]
    assert aggregated == pytest.approx(sum(topics) / len(topics), rel=1e-14)
    assert measure.calc(QRELS, RUN).aggregated == measure.calc_aggregate(QRELS, RUN) == aggregated


def test_measures_of_one_call_do_not_affect_each_other():
    assert values(VARIANTS[::-1], QRELS, RUN) == WANTED
    for variant in VARIANTS[::19]:
        assert values([variant], QRELS, RUN) == of([variant], WANTED)


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
    for copied in (lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy):
        again = [copied(variant) for variant in VARIANTS]
        assert again == VARIANTS
        assert [(hash(m), str(m)) for m in again] == [(hash(m), str(m)) for m in VARIANTS]
        assert values(again[::5], QRELS, RUN) == of(VARIANTS[::5], WANTED)


def test_missing_topics_and_empty_runs_have_the_value_of_an_empty_ranking():
    wanted = expected(run={topic: {} for topic in QRELS})
    assert expected(run={}) == wanted
    lost = {key: value for key, value in WANTED.items() if key[1] == "lost"}
    assert lost == {key: value for key, value in wanted.items() if key[1] == "lost"}
    for (variant, _), got in wanted.items():
        assert variant.DEFAULT is None or got == variant.DEFAULT, variant
