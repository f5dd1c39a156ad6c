"""The option `ties`: the mean and the extremes over all orders of tied documents."""

from random import Random
from statistics import fmean

import pytest

from all_measures import MEASURES
from brute_force import alternatives, orders, topic, values, with_option
from ir_measures_graded import EBR, GainSum, GradedError, Real, parse_measure
from ir_measures_graded.core.uncertainty.judgments import Undetermined
from rounds import sampled

TOPICS = [topic(Random(seed)) for seed in range(16)]
TAKEN = {"mean": fmean, "min": min, "max": max}
with_ties = pytest.mark.parametrize("measure", [m for m in MEASURES if m.TIES], ids=str)


@with_ties
@pytest.mark.parametrize("topics", sampled([TOPICS[:8], TOPICS[8:]], 2), ids=["first", "last"])
def test_mean_and_extremes_equal_those_over_all_orders(measure, topics):
    all_orders = [[(qrels, strict) for strict in orders(run)] for qrels, run in topics]
    pairs = [pair for of_topic in all_orders for pair in of_topic]
    compared = 0
    for variant in alternatives(measure):
        plain_measures = [variant, variant(judged_only=True)]
        if measure.CUTOFF:
            plain_measures.append(variant @ 3)
        for plain in plain_measures:
            options = {word: with_option(plain, "ties", word) for word in TAKEN}
            if not any(options.values()):
                continue
            # One call for all topics is much faster than one for each.
            of_all = iter(values(plain, pairs))
            of_orders = [[next(of_all) for _ in of_topic] for of_topic in all_orders]
            for word, option in options.items():
                if option is not None:
                    expected = [TAKEN[word](of_topic) for of_topic in of_orders]
                    own = values(option, topics)
                    assert own == pytest.approx(expected, rel=0, abs=1e-12), option
                    compared += 1
    assert compared


WORKED = (
    {"a": 2, "b": 0, "c": 3, "d": 0, "e": 1, "f": 1, "g": 0, "h": 2, "y": 3, "z": 1},
    {"a": 3, "b": 3, "c": 3, "d": 2, "e": 2, "f": 1, "g": 1, "h": 1},
)


@pytest.mark.parametrize(
    ("measure", "mean", "low", "high"),
    [
        ("nDCG_Burges(gains='linear')", 0.6340970601, 0.5252, 0.7328),
        ("Q", 0.4775892428, 0.3986, 0.5549),
        ("ERR_G", 0.6430130005, 0.3758, 0.9059),
    ],
)
def test_worked_example(measure, mean, low, high):
    plain = parse_measure(measure)
    assert values(plain(ties="mean"), [WORKED]) == [pytest.approx(mean, abs=5e-11)]
    assert values(plain(ties="min"), [WORKED]) == [pytest.approx(low, abs=5e-5)]
    assert values(plain(ties="max"), [WORKED]) == [pytest.approx(high, abs=5e-5)]


def test_thousands_of_tied_documents_do_not_overflow():
    documents = {f"d{number}": 1.0 for number in range(3000)}
    # A user stops at gain 1 with 1/4.
    measure = parse_measure("ERR_G(gains=linear,max_gain=3,ties=mean)")
    one_relevant = ({"d7": 1}, documents)
    all_relevant = (dict.fromkeys(documents, 1), documents)
    of_one, of_all = values(measure, [one_relevant, all_relevant])
    ranks = range(1, 3001)
    assert of_one == pytest.approx(sum(0.25 / rank for rank in ranks) / 3000)
    assert of_all == pytest.approx(sum(0.25 * 0.75 ** (rank - 1) / rank for rank in ranks))


def test_too_many_orders_are_refused():
    judged = {f"d{number}": number % 4 + 1 for number in range(3000)}
    qrels = {f"q{topic}": judged for topic in range(10)}
    run = {topic: dict.fromkeys(judged, 1.0) for topic in qrels}
    measure = EBR(ties="mean")
    assert measure.calc_aggregate({"q0": judged}, run) > 0
    message = "ties 3000 documents at rank 1, which have too many orders"
    with pytest.raises(Undetermined, match=message):
        measure.calc_aggregate(qrels, run)


@pytest.mark.parametrize("option", [{"ties": "min"}, {"ties": "max"}, {"unjudged": "max"}], ids=str)
def test_weights_that_rise_under_some_parameter_have_no_extremes(option):
    class Uneven(GainSum):
        PARAMETERS = {"w": Real(default=0, desc="weight of odd ranks")}

        def factor(self, rank):
            return 1 + self["w"] * (rank % 2)

    qrels = {"q": {"a": 3, "b": 1, "c": 0}}
    run = {"q": dict.fromkeys("abcx", 1.0)}
    assert Uneven(**option).calc_aggregate(qrels, run) >= 4
    with pytest.raises(GradedError, match="must not rise with the rank"):
        Uneven(w=5, **option).calc_aggregate(qrels, run)
