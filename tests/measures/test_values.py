"""All measures against their plain implementations in `reference`."""

from itertools import chain
from random import Random

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_every_measure import every_measure, variants, with_top_gain

import reference
import strategies
from all_measures import MEASURES, optional


def test_every_measure_has_a_plain_implementation():
    names = {measure.NAME for measure in MEASURES}
    assert names - {*reference.OF_LISTS} - {*reference.OF_DOCUMENTS} == set()


def assert_reference_values(measures, qrels, run):
    levels = [level for docs in qrels.values() for level in docs.values()]
    measures = [
        *chain.from_iterable(
            with_top_gain(
                [m],
                1
                + max(
                    (reference.gain(level, reference.gains_of(m)) for level in levels), default=0
                ),
            )
            for m in measures
        )
    ]
    found = list(ir_measures.iter_calc(measures, qrels, run))
    assert len(found) == len(set(measures)) * len(qrels)
    for topic, measure, got in found:
        expected = reference.value(measure, qrels[topic], run.get(topic, {}))
        assert got == pytest.approx(expected, rel=1e-11, abs=1e-12), (measure, topic)


@every_measure
@settings(max_examples=6)
@given(data=st.data())
def test_random_topics(measure, data):
    scores = strategies.UNIT_SCORES if "norm" in measure.PARAMETERS else strategies.TIED_SCORES
    qrels, run = data.draw(strategies.collections(scores=scores))
    gains = strategies.GAINS | st.sampled_from(["linear", "exp"])
    changes = {"judged_only": data.draw(st.booleans())}
    if measure.HAS_GAINS:
        changes["gains"] = data.draw(gains)
    if measure.CUTOFF:
        changes["cutoff"] = data.draw(st.sampled_from(optional(measure, None, 1, 2, 5, 30)))
    assert_reference_values([each(**changes) for each in variants(measure)], qrels, run)


def test_long_lists():
    random = Random(3)
    docs = [f"d{number}" for number in range(200)]
    scales = {
        "few levels": [-1, 0, 0, 1, 2, 3],
        "many levels": [random.uniform(-1, 5) for _ in docs],
        "seven levels": list(range(7)),
        "binary": [0, 1],
    }
    qrels = {
        topic: {doc: random.choice(scale) for doc in random.sample(docs, 130)}
        for topic, scale in scales.items()
    }
    run = {
        topic: {doc: round(random.random(), 2) for doc in random.sample(docs, 150)}
        for topic in scales
    }
    cut = [measure @ 50 for measure in MEASURES if measure.CUTOFF]
    condensed = [measure(judged_only=not measure["judged_only"]) for measure in MEASURES]
    assert_reference_values([*MEASURES, *cut, *condensed], qrels, run)
