"""The option `unjudged`: the extremes over all judgments of unjudged documents in the cutoff."""

import sys
import tracemalloc
from contextlib import suppress
from itertools import product
from random import Random

import pytest

from all_measures import MEASURES
from brute_force import LEVELS, alternatives, judgments, topic, values, with_option
from ir_measures_graded import NDCNG, SR, GradedError, nDCG_JK, parse_measure
from ir_measures_graded.analysis import ranges
from ir_measures_graded.core.uncertainty.judgments import Undetermined
from ir_measures_graded.evaluation.at_ranks import values_at_ranks
from ir_measures_graded.evaluation.named import study_of
from rounds import only, sampled

TOPICS = [topic(Random(seed), retrieved=5) for seed in range(9)]
EXTREMES = {"min": min, "max": max}
with_range = pytest.mark.parametrize("measure", [m for m in MEASURES if m.UNJUDGED], ids=str)


@with_range
@pytest.mark.parametrize("cutoff", only([2, 3, None], [2, None]))
def test_extremes_equal_those_over_all_judgments(measure, cutoff):
    compared = 0
    for variant in alternatives(measure):
        plain = variant if cutoff is None else variant @ cutoff
        if with_option(plain, "unjudged", "min") is None:
            continue
        if plain.params.get("avg") and cutoff is None:
            continue
        all_judgments = []
        for qrels, run in TOPICS:
            all_judgments.append([(judged, run) for judged in judgments(plain, qrels, [run])])
        pairs = [pair for of_topic in all_judgments for pair in of_topic]
        # One call for all topics is much faster than one for each.
        of_all = iter(values(plain, pairs))
        of_judgments = [[next(of_all) for _ in of_topic] for of_topic in all_judgments]
        for word, extreme in EXTREMES.items():
            expected = [extreme(of_topic) for of_topic in of_judgments]
            own = values(plain(unjudged=word), TOPICS)
            assert own == pytest.approx(expected, rel=0, abs=1e-12), plain
            compared += 1
    assert compared


@with_range
@pytest.mark.parametrize("seed", sampled(range(3), 3))
def test_range_of_a_difference_holds_all_judgments(measure, seed):
    variants = [variant @ 2 for variant in alternatives(measure)]
    variants = [variant for variant in variants if with_option(variant, "unjudged", "min")]
    qrels, one, other = topic(Random(seed), runs=2, retrieved=5)
    everything = {"q": qrels, "levels": {f"d{level}": level for level in LEVELS}}
    result = ranges(everything, {"one": {"q": one}, "other": {"q": other}}, variants)
    for difference in result.differences:
        if difference.unjudged is None:
            continue
        all_judgments = list(judgments(difference.measure, qrels, [one, other]))
        of_one = values(difference.measure, [(judged, one) for judged in all_judgments])
        of_other = values(difference.measure, [(judged, other) for judged in all_judgments])
        apart = [a - b for a, b in zip(of_one, of_other)]
        # The means are over two topics, one of them without a run.
        low, high = (2 * end for end in difference.unjudged)
        assert low <= min(apart) + 1e-12
        assert high >= max(apart) - 1e-12
        if difference.exact:
            assert (low, high) == pytest.approx((min(apart), max(apart)), rel=0, abs=1e-12)


@pytest.mark.parametrize("size", [40, 10_000])
@pytest.mark.parametrize(
    "measure", ["nERR(gains=linear)", "Q", "nCG(avg=True)@99999", "muAP", "NDCNG"]
)
def test_too_many_judgments_are_refused(measure, size):
    split = measure in ("muAP", "NDCNG")  # by threshold: any size but a huge one
    qrels = {"q": {f"d{level}": level / 7 for level in range(size)}}
    run = {"q": {f"x{number}": float(-number) for number in range(size)}}
    measure = parse_measure(measure)(unjudged="max")
    if split and size == 40:
        assert measure.calc_aggregate(qrels, run) > 0.6
    else:
        reason = rf"topic 'q' has {size} unjudged documents within the cutoff and "
        with pytest.raises(GradedError, match=f"{reason}.* use a smaller cutoff$") as error:
            measure.calc_aggregate(qrels, run)
        assert len(str(error.value)) < 200


@pytest.mark.parametrize("measure", ["nDCG_JK", "GAP"])
def test_the_work_of_all_topics_together_is_limited(measure):
    qrels = {f"q{topic}": {f"d{n}": n + topic / 99 for n in range(100)} for topic in range(60)}
    run = {topic: {f"x{n}": -n for n in range(300)} for topic in qrels}
    measure = parse_measure(measure)(unjudged="max")
    assert measure.calc_aggregate({topic: qrels[topic] for topic in ("q0", "q1")}, run) > 0
    with pytest.raises(Undetermined, match="has 300 unjudged documents within the cutoff"):
        measure.calc_aggregate(qrels, run)


@pytest.mark.parametrize(
    ("measure", "levels", "unjudged"),
    [
        ("nDCG_Burges@4", (0, 1, 2, 50, 60), "xy"),  # gains that differ by 2^50
        ("Q@4", [number / 7 for number in range(300)], "y"),
    ],
    ids=["far", "many"],
)
def test_extremes_equal_those_over_unusual_levels(measure, levels, unjudged):
    plain = parse_measure(measure)
    topic_of_all_levels = {f"d{level}": level for level in levels}
    judged = {"a": 1, "b": 2, "c": 1}
    run = {"q": {"b": 3, "y": 2, "a": 1}}
    if "x" in unjudged:
        run = {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}

    def value(measure, added=()):
        qrels = {"q": judged | dict(added), "levels": topic_of_all_levels}
        return measure.calc(qrels, run).per_query[0].value

    choices = []
    for doc in unjudged:
        choices.append([None, *[(doc, level) for level in levels]])
    of_all = [value(plain, filter(None, added)) for added in product(*choices)]
    for word, extreme in EXTREMES.items():
        assert value(plain(unjudged=word)) == pytest.approx(extreme(of_all), rel=1e-12)


@pytest.mark.parametrize("measure", [nDCG_JK, NDCNG, SR(ideal="retrieved")], ids=str)
def test_a_cutoff_below_all_lists_needs_no_memory(measure):
    qrels = {"q": {"a": 2, "b": 1}, "p": {"a": 1}}
    run = {"q": {"x": 2, "a": 1}, "p": {"x": 1}}
    for word in ("min", "max"):
        option = measure(unjudged=word)
        at_three = (option @ 3).calc_aggregate(qrels, run)
        assert (option @ sys.maxsize).calc_aggregate(qrels, run) == at_three


def test_an_average_over_ranks_needs_a_cutoff():
    measure = parse_measure("nCG(avg=True,unjudged=max)")
    with pytest.raises(GradedError, match="add a cutoff, as in @10"):
        measure.calc_aggregate({"q": {"a": 1}}, {"q": {"x": 1.0}})


@with_range
def test_combinations_that_have_no_meaning_are_refused(measure):
    with pytest.raises(GradedError, match="judged_only=True"):
        measure(unjudged="max", judged_only=True)
    for word in measure.TIES:
        if not with_option(measure, "ties", word):
            continue
        with pytest.raises(GradedError, match="cannot be combined"):
            measure(unjudged="max", ties=word)


@pytest.mark.parametrize("measure", [m for m in MEASURES if not m.UNJUDGED], ids=str)
def test_other_measures_do_not_have_the_option(measure):
    with pytest.raises(GradedError, match=rf"{measure} has no option 'unjudged'; it takes "):
        measure(unjudged="max")


@with_range
def test_curves_equal_the_values_at_all_cutoffs(measure):
    judged, ranking = TOPICS[0]
    qrels = {"q": judged, "high": {"a": 3}}
    run = {"q": ranking}
    option = (measure @ 1)(unjudged="max")
    (studied,) = study_of(qrels, {"run": run}).runs
    curve = values_at_ranks(option, studied, studied.judgments, 3).T
    for cutoff in (1, 2, 3):
        one = [metric.value for metric in (option @ cutoff).iter_calc(qrels, run)]
        assert curve[:, cutoff - 1].tolist() == one


@pytest.mark.parametrize(
    ("measure", "levels"),
    [
        ("nCG(avg=True,unjudged=max)@140", 4),
        ("Q(unjudged=max)@18", 4),
        ("muAP(ties=mean)", 3000),
        ("GAP(unjudged=min)", 3000),
        ("ERR_G(unjudged=max)", 3000),
        ("NDCNG(unjudged=max)", 3000),
    ],
)
def test_work_is_bounded_or_refused(measure, levels):
    size = 3000 if "ties=mean" in measure or "@" not in measure else 200
    qrels = {"q": {f"d{number}": number % levels / levels for number in range(size)}}
    run = {"q": {f"x{number}": -number for number in range(size)}}
    if "ties" in measure:
        run = {"q": dict.fromkeys(qrels["q"], 1.0)}
    tracemalloc.start()
    with suppress(Undetermined):
        assert 0 < parse_measure(measure).calc_aggregate(qrels, run) <= 1 or "min" in measure
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6
