"""All measures against their plain implementations in `reference`."""

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
    assert names <= {*reference.OF_LISTS, *reference.OF_DOCUMENTS}


def top_gain(measure, levels):
    """The highest gain that the measure gives to a document of these levels."""
    gains = reference.gains_of(measure)
    return max([reference.gain(level, gains) for level in levels], default=0)


def assert_reference_values(measures, qrels, run):
    levels = [level for docs in qrels.values() for level in docs.values()]
    with_top = []
    for measure in measures:
        with_top += with_top_gain([measure], 1 + top_gain(measure, levels))
    metrics = list(ir_measures.iter_calc(with_top, qrels, run))
    assert len(metrics) == len(set(with_top)) * len(qrels)
    for topic, measure, value in metrics:
        expected = reference.value(measure, qrels[topic], run.get(topic, {}))
        assert value == pytest.approx(expected, rel=1e-11, abs=1e-12), (measure, topic)


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
    changed = [variant(**changes) for variant in variants(measure)]
    assert_reference_values(changed, qrels, run)


def test_long_lists():
    random = Random(3)
    docs = [f"d{number}" for number in range(200)]
    scales = {
        "few levels": [-1, 0, 0, 1, 2, 3],
        "many levels": [random.uniform(-1, 5) for _ in docs],
        "seven levels": list(range(7)),
        "binary": [0, 1],
    }
    qrels = {}
    run = {}
    for topic, scale in scales.items():
        qrels[topic] = {doc: random.choice(scale) for doc in random.sample(docs, 130)}
        run[topic] = {doc: round(random.random(), 2) for doc in random.sample(docs, 150)}
    cut = [measure @ 50 for measure in MEASURES if measure.CUTOFF]
    condensed = [measure(judged_only=not measure["judged_only"]) for measure in MEASURES]
    assert_reference_values([*MEASURES, *cut, *condensed], qrels, run)
