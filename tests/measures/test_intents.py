"""Measures over intents: worked values, plain formulas, and relations to measures of one intent."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from ir_measures_graded import ERR_G, GradedError, Q, nDCG_Burges
from ir_measures_graded.analysis import curves, evaluate
from ir_measures_graded.core.measures import intents
from ir_measures_graded.core.measures.intents import (
    D_Q,
    ERR_IA_G,
    D_nDCG,
    Dsharp_nDCG,
    Dsharp_Q,
    IRec,
    nDCG_IA,
)

JUDGED = {
    **{("1", "a"): 2, ("1", "b"): 1},
    **{("2", "a"): 0, ("2", "b"): 3, ("2", "c"): 1},
    ("3", "d"): 1,
    ("4", "a"): 0,
}
RUN = {"b": 4.0, "x": 3.0, "a": 2.0, "c": 1.0}
WORKED = [IRec, D_nDCG, D_Q, Dsharp_nDCG, Dsharp_Q]
WORKED += [ERR_IA_G, ERR_IA_G(gains="linear"), nDCG_IA, nDCG_IA(gains="linear")]


def rows(judged, probability=None, topic="q"):
    """Qrels as dicts, in which `probability` maps intents."""
    result = []
    for (intent, doc), level in judged.items():
        row = {"query_id": topic, "doc_id": doc, "relevance": level, "iteration": intent}
        if probability is not None:
            row["probability"] = probability[intent]
        result.append(row)
    return result


def values(measures, qrels, run):
    return evaluate(qrels, {"": run}, measures).values[0]


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        ({"1": 0.5, "2": 0.3, "3": 0.2, "4": 7},
         [0.6667, 0.8951, 0.6495, 0.7809, 0.6581, 0.3809, 0.4172, 0.6364, 0.6635]),
        (None, [0.6667, 0.8770, 0.6375, 0.7718, 0.6521, 0.3711, 0.3802, 0.5541, 0.5683]),
    ],
)  # fmt: skip
def test_worked_values(probability, expected):
    measures = [measure @ 4 for measure in WORKED]
    computed = values(measures, rows(JUDGED, probability), {"q": RUN})
    assert computed[:, 0].round(4).tolist() == expected


def plain(measure, judged, run, weight, top):
    """The value of one topic.

    `judged` maps (intent, document) to a level, `top` is the highest gain.
    """
    gains = measure["gains"]
    gamma = measure.params.get("gamma", 0.5)
    docs = {doc for _, doc in judged}
    listed = {doc: score for doc, score in run.items() if doc in docs or not measure["judged_only"]}
    gain = {key: reference.gain(level, gains) for key, level in judged.items()}
    intents_with_gain = {x for (x, _), value in gain.items() if value > 0}
    total = sum(weight[x] for x in intents_with_gain)
    pr = dict.fromkeys(intents_with_gain, 0)
    if total:
        pr = {x: weight[x] / total for x in intents_with_gain}

    def recall():
        if not intents_with_gain:
            return 0
        first = reference.order(listed)[: measure["cutoff"]]
        reached = [any(gain.get((x, doc), 0) for doc in first) for x in intents_with_gain]
        return sum(reached) / len(reached)

    def by_intent(measure_of_intent):
        of_intent = measure_of_intent(gains=gains, cutoff=measure["cutoff"])
        levels = {x: {} for x in intents_with_gain}
        for (x, doc), level in judged.items():
            levels.get(x, {})[doc] = level
        return sum(pr[x] * reference.value(of_intent, levels[x], listed) for x in intents_with_gain)

    def of_gains(measure_of_gains):
        of_mean = measure_of_gains(gains="linear", cutoff=measure["cutoff"])
        mean = {doc: sum(pr[x] * gain.get((x, doc), 0) for x in pr) for doc in docs}
        return reference.value(of_mean, mean, listed)

    name = measure.NAME.replace("Dsharp", "D")
    if name == "IRec":
        value = recall()
    elif name == "D_nDCG":
        value = of_gains(nDCG_Burges)
    elif name == "D_Q":
        value = of_gains(Q(beta=measure["beta"]))
    elif name == "nDCG_IA":
        value = by_intent(nDCG_Burges)
    else:
        assert name == "ERR_IA_G"
        value = by_intent(ERR_G(max_gain=top or 1))
    if "sharp" in measure.NAME:
        return gamma * recall() + (1 - gamma) * value
    return value


OTHER_PARAMETERS = [Dsharp_nDCG(gamma=0.2), Dsharp_Q(gamma=1, beta=3), D_Q(beta=0.5)]


@settings(max_examples=8)
@given(
    random=st.randoms(use_true_random=False),
    gains=st.sampled_from(["linear", "exp", {1: 0, 2: 5}]),
    cutoff=st.sampled_from([None, 1, 3, 20]),
    judged_only=st.booleans(),
    weighted=st.booleans(),
)
def test_values_and_curves_are_those_of_plain_loops(random, gains, cutoff, judged_only, weighted):
    docs = [f"d{number}" for number in range(9)]
    pairs = [(intent, doc) for intent in "0ab" for doc in docs]
    levels = [-2, 0, 0, 1, 2, 3, 0.5]
    topics = ["q1", "q2", "q3"]
    judged = {}
    for topic in topics:
        judged_pairs = random.sample(pairs, random.randint(1, 20))
        judged[topic] = {pair: random.choice(levels) for pair in judged_pairs}
    judged["q0"] = {("0", "d1"): 1, ("a", "d1"): 0}  # two intents, whatever the other topics have
    weight = {}
    qrels = []
    for topic, levels_of_pairs in judged.items():
        if weighted:
            weight[topic] = {intent: random.choice([0, 1, 2.5]) for intent in "0ab"}
            qrels += rows(levels_of_pairs, weight[topic], topic)
        else:
            weight[topic] = dict.fromkeys("0ab", 1)
            qrels += rows(levels_of_pairs, None, topic)
    random.shuffle(qrels)
    run = {}
    for topic in topics[1:]:
        run[topic] = {doc: random.randint(0, 4) / 4 for doc in random.sample(docs, 5)}
    run["q2"] |= {"u": 0.5, "v": 1.0}
    top = max(reference.gain(row["relevance"], gains) for row in qrels)
    uncut = [
        measure(gains=gains, judged_only=judged_only)
        for measure in (*OTHER_PARAMETERS, *intents.MEASURES)
    ]
    measures = [measure(cutoff=cutoff) for measure in uncut]
    evaluation = evaluate(qrels, {"": run}, measures)
    for measure in measures:
        for topic, value in zip(evaluation.topics, evaluation.of(measure)[0].tolist()):
            expected = plain(measure, judged[topic], run.get(topic, {}), weight[topic], top)
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-12), (measure, topic)
    for measure in uncut:
        curve = curves(qrels, {"": run}, measure, 4).values[0]
        at_cutoffs = evaluate(qrels, {"": run}, [measure @ k for k in range(1, 5)]).means()[0]
        assert curve == pytest.approx(at_cutoffs, rel=1e-12), measure


def test_ideal_lists_have_the_value_1_and_parameters_their_ranges():
    best = {"q": {"b": 4.0, "a": 3.0, "c": 2.0, "d": 1.0}}
    assert values([D_nDCG, D_Q, IRec @ 4, Dsharp_Q], rows(JUDGED), best).tolist() == [[1.0]] * 4
    assert values([ERR_IA_G, nDCG_IA], rows(JUDGED), best).max() < 1
    assert str(Dsharp_nDCG(gamma=0.25) @ 10) == "Dsharp_nDCG(gamma=0.25)@10"
    message = r"Dsharp_Q: gamma=2 is not allowed; gamma is a real number ≥ 0"
    with pytest.raises(GradedError, match=message):
        Dsharp_Q(gamma=2)
    message = r"ERR_IA_G.max_gain=3.: topic 'q' has a document of level 3, whose"
    with pytest.raises(GradedError, match=message):
        values([ERR_IA_G(max_gain=3)], rows(JUDGED), best)
