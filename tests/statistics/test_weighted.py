"""Weights of topics: the error and its degrees of freedom, and all analyses that take weights.

The reference has loops over topics and pairs of topics, as the definition does.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from ir_measures_graded import GradedError
from ir_measures_graded.analysis import (
    compare,
    compare_collections,
    curves,
    evaluate,
    gate,
    intervals,
    power,
    ranges,
    sensitivity,
)
from ir_measures_graded.analysis.statistics import primary
from ir_measures_graded.analysis.statistics.noninferiority import least_lower_bound
from ir_measures_graded.analysis.statistics.primary import paired
from ir_measures_graded.analysis.statistics.weighted import WeightedSample, sample_of
from ir_measures_graded.cli import main

GENERATOR = np.random.default_rng(3)
TOPICS = 24


def random_levels():
    return {f"d{number}": int(GENERATOR.integers(0, 4)) for number in range(12)}


def random_scores():
    return {f"d{number}": float(GENERATOR.random()) for number in range(14)}


QRELS = {f"q{number}": random_levels() for number in range(TOPICS)}
RUNS = {name: {topic: random_scores() for topic in QRELS} for name in ("A", "B", "C")}
WEIGHTS = dict(zip(QRELS, GENERATOR.lognormal(0, 1, TOPICS).round(3).tolist(), strict=True))
MEASURE = "nDCG_JK@10"


def _reference(weights, values):
    """Mean, standard error and degrees of freedom, in exact arithmetic up to the root."""
    weights = [Fraction(weight) for weight in weights]
    values = [Fraction(value) for value in values]
    r = [weight / sum(weights) for weight in weights]
    topics = range(len(r))
    mean = sum(r[t] * values[t] for t in topics)
    a = [share**2 / (1 - share) for share in r]
    rho = sum(share**2 for share in r)
    square = sum(a[t] * (values[t] - mean) ** 2 for t in topics)
    expected = sum(a[t] * (1 - 2 * r[t] + rho) for t in topics)
    variance = Fraction(0)
    for t in topics:
        for u in topics:
            is_same = int(t == u)
            factor = is_same - r[t] - r[u] + rho
            variance += a[t] * a[u] * factor**2
    return float(mean), float(square) ** 0.5, float(expected**2 / variance)


@pytest.mark.parametrize("topics", [2, 3, 10])
@pytest.mark.parametrize("spread", [0, 0.5, 3, 20])
def test_error_and_degrees_are_those_of_the_definition(topics, spread):
    generator = np.random.default_rng(topics)
    weights = generator.lognormal(0, spread, topics)
    values = generator.normal(size=topics)
    sample = WeightedSample(topics, weights)
    computed = sample.mean(values), sample.error(values), sample.degrees
    assert np.allclose(computed, _reference(weights.tolist(), values.tolist()), rtol=1e-9)
    if spread == 0:
        assert np.allclose(computed, (values.mean(), stats.sem(values), topics - 1), rtol=1e-9)


def test_few_changes_have_a_weighted_interval_with_two_more_topics():
    values = np.zeros((2, 40))
    values[0, :3] = 1
    weights = np.where(np.arange(40) < 3, 20.0, 1.0)
    result = paired(values, [(0, 1)], width=1.0, weights=weights)
    more_weights = np.append(weights, [weights.mean(), weights.mean()])
    more_values = np.append(values[0], [-1.0, 1.0])
    mean, error, degrees = _reference(more_weights, more_values)
    halfwidth = stats.t.isf(0.025, degrees) * error
    assert result.lower[0] == pytest.approx(mean - halfwidth)
    assert result.upper[0] == pytest.approx(mean + halfwidth)


def test_no_number_depends_on_the_block_of_a_pair(monkeypatch):
    values = np.random.default_rng(3).integers(0, 3, (5, 30)) / 2
    values[1] = values[0]
    values[2, 3:] = values[0, 3:]
    pairs = [(row, other) for row in range(5) for other in range(row)]
    whole = paired(values, pairs, width=1.0)
    monkeypatch.setattr(primary, "BLOCK", 70)
    for column, in_blocks in zip(whole, paired(values, pairs, width=1.0), strict=True):
        np.testing.assert_array_equal(column, in_blocks)


def test_the_comparison_is_that_of_the_reference():
    comparison = compare(QRELS, RUNS, [MEASURE], weights=WEIGHTS)
    of_run = dict(zip("ABC", evaluate(QRELS, RUNS, [MEASURE]).of(MEASURE)))
    weights = np.array(list(WEIGHTS.values()))
    effective = weights.sum() ** 2 / (weights**2).sum()
    p_values = []
    for row in comparison.records():
        difference = of_run[row["run"]] - of_run[row["other"]]
        mean, error, degrees = _reference(weights.tolist(), difference.tolist())
        halfwidth = stats.t.isf((1 - 0.95 ** (1 / 3)) / 2, degrees) * error
        assert row["difference"] == pytest.approx(mean)
        assert row["upper"] - row["lower"] == pytest.approx(2 * halfwidth)
        assert row["effect_size"] == pytest.approx(mean / (error * effective**0.5))
        p_values.append(2 * stats.t.sf(abs(mean / error), degrees))
    in_order = np.argsort(p_values)
    steps = np.array(p_values)[in_order] * [3, 2, 1]
    adjusted = np.empty(3)
    adjusted[in_order] = np.minimum(np.maximum.accumulate(steps), 1)
    assert [row["adjusted"] for row in comparison.records()] == pytest.approx(adjusted.tolist())
    assert f"{TOPICS} topics, effective {effective:.0f}" in str(comparison)


def compare_weighted(qrels, weights=None):
    return compare(qrels, RUNS, [MEASURE], weights=weights)


def group_of_odd_topics(qrels, weights=None):
    by = {topic: int(topic[1:]) % 2 for topic in QRELS}
    return compare(qrels, RUNS, [MEASURE], by=by, weights=weights).groups["1"]


def gate_weighted(qrels, weights=None):
    pair = {"A": RUNS["A"], "B": RUNS["B"]}
    return gate(qrels, pair, [MEASURE], margin="30%", weights=weights)


def curves_weighted(qrels, weights=None):
    return curves(qrels, RUNS, "nDCG_JK", 5, confidence=0.9, weights=weights)


def ranges_weighted(qrels, weights=None):
    return ranges(qrels, RUNS, [MEASURE], weights=weights)


def sensitivity_weighted(qrels, weights=None):
    return sensitivity(qrels, RUNS, [MEASURE, "P@5"], weights=weights)


def intervals_weighted(qrels, weights=None):
    return intervals(evaluate(qrels, RUNS, [MEASURE], weights=weights))


ANALYSES = {
    "compare": compare_weighted,
    "groups": group_of_odd_topics,
    "gate": gate_weighted,
    "curves": curves_weighted,
    "ranges": ranges_weighted,
    "sensitivity": sensitivity_weighted,
    "intervals": intervals_weighted,
}


OF_RUNS = ("unjudged", "other_unjudged", "old_unjudged", "new_unjudged", "ties_turn")
"""Shares of unjudged documents are those of whole runs, and orders of ties are not tried with
weights."""


def _assert_same(result, expected):
    for row, other in zip(result.records(), expected.records(), strict=True):
        for name, cell in row.items():
            if name in OF_RUNS:
                continue
            if isinstance(cell, float):
                assert cell == pytest.approx(other[name], rel=1e-9, abs=1e-12), name
            else:
                assert cell == other[name], name


@pytest.mark.parametrize("name", ANALYSES)
def test_equal_weights_change_nothing_and_only_their_ratios_count(name):
    analysis = ANALYSES[name]
    equal = dict.fromkeys(QRELS, 0.3)
    _assert_same(analysis(QRELS, equal), analysis(QRELS))
    scaled = {topic: 7 * weight for topic, weight in WEIGHTS.items()}
    _assert_same(analysis(QRELS, scaled), analysis(QRELS, WEIGHTS))


@pytest.mark.parametrize("weight", [1e308, 1e-320])
def test_sums_of_extreme_weights_neither_overflow_nor_vanish(weight):
    extreme = dict.fromkeys(QRELS, weight)
    _assert_same(intervals_weighted(QRELS, extreme), intervals_weighted(QRELS))


@pytest.mark.parametrize("name", ANALYSES)
def test_a_topic_of_weight_0_is_as_if_it_were_not_there(name):
    analysis = ANALYSES[name]
    weights = WEIGHTS | {"q0": 0, "q7": 0}
    kept = {topic: levels for topic, levels in QRELS.items() if weights[topic]}
    _assert_same(analysis(QRELS, weights), analysis(kept, weights))


def test_ranges_are_weighted_means_of_those_of_the_topics():
    whole = ranges(QRELS, RUNS, [MEASURE], weights=WEIGHTS).records()
    by_topic = [ranges({topic: QRELS[topic]}, RUNS, [MEASURE]).records() for topic in QRELS]
    weights = list(WEIGHTS.values())
    for number, row in enumerate(whole):
        for key in ("value", "ties_min", "unjudged_max", "unjudged_min"):
            of_topics = [rows[number][key] for rows in by_topic]
            assert row[key] == pytest.approx(np.average(of_topics, weights=weights))


def test_the_bound_over_ranges_is_below_the_bound_of_any_values_in_them():
    for topics in (3, 12):
        generator = np.random.default_rng(topics)
        sample = sample_of(topics, generator.lognormal(0, 1, topics))
        for _ in range(20):
            low = generator.normal(0.2, 0.2, topics)
            width = generator.exponential(0.05, topics) * generator.integers(0, 2, topics)
            high = low + width
            bound = least_lower_bound(low, high, 0.05, sample)
            inside = np.where(generator.random((200, topics)) < 0.5, low, high)
            quantile = stats.t.isf(0.05, sample.degrees)
            bounds = sample.mean(inside) - quantile * sample.error(inside)
            assert bound <= bounds.min() + 1e-12
    exact = np.array([0.1, 0.2, 0.4])
    sample = sample_of(3)
    expected = exact.mean() - stats.t.isf(0.05, 2) * stats.sem(exact)
    assert least_lower_bound(exact, exact, 0.05, sample) == pytest.approx(expected)


def test_one_topic_of_positive_weight_has_a_mean_alone():
    evaluation = evaluate(QRELS, RUNS, [MEASURE], weights=dict.fromkeys(QRELS, 0) | {"q3": 2})
    assert evaluation.means()[:, 0].tolist() == evaluation.of(MEASURE)[:, 3].tolist()
    with pytest.raises(GradedError, match="and whose weight is above 0; nDCG_JK@10 has 1"):
        compare(evaluation)
    result = intervals(evaluation)
    assert result.values[:, 0].tolist() == evaluation.means()[:, 0].tolist()
    assert np.isnan([result.lower, result.upper]).all()
    assert "No interval for 3 values: only one topic has a weight above 0." in str(result)
    test = paired(np.array([[0.5], [0.25]]), [(0, 1)], weights=np.array([2.0]))
    assert test.difference.tolist() == [0.25]
    assert np.isnan([test.lower[0], test.upper[0], test.p[0]]).all()


EVALUATION = evaluate(QRELS, RUNS, [MEASURE])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"q0": 1.0}, r"23 topics without a weight \(q1, q2, q3, q4, q5 and 18 more\)"),
        (WEIGHTS | {"q5": -1}, "topic q5 has the weight -1; a weight is a finite number"),
        (WEIGHTS | {"q5": float("nan")}, "topic q5 has the weight nan"),
        (WEIGHTS | {"q5": float("inf")}, "topic q5 has the weight inf"),
        (WEIGHTS | {"q5": True}, "topic q5 has the weight True"),
        (WEIGHTS | {"q5": "heavy"}, "topic q5 has the weight 'heavy'"),
        (WEIGHTS | {"q5": None}, r"1 topic without a weight \(q5\)"),
        (dict.fromkeys(QRELS, 0), "all topics of nDCG_JK@10 have the weight 0"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(GradedError, match=message):
        evaluate(QRELS, RUNS, [MEASURE], weights=weights)
    with pytest.raises(GradedError, match=message):
        compare(EVALUATION, weights=weights)
    with pytest.raises(GradedError, match=message):
        ranges(QRELS, RUNS, [MEASURE], weights=weights)
    with pytest.raises(GradedError, match=message):
        curves(QRELS, RUNS, MEASURE, weights=weights)


def test_what_takes_no_weights_says_so():
    weighted = EVALUATION.weighted(WEIGHTS)
    with pytest.raises(GradedError, match="NumRet is a sum over topics"):
        evaluate(QRELS, RUNS, ["NumRet"], weights=WEIGHTS)
    with pytest.raises(GradedError, match="leave out tests or"):
        compare(EVALUATION, weights=WEIGHTS, tests=["anova"])
    with pytest.raises(GradedError, match="power is not known for weights"):
        power(weighted)
    with pytest.raises(GradedError, match="bca takes no weights"):
        intervals(weighted, method="bca")
    with pytest.raises(GradedError, match="for one collection"):
        compare_collections({"a": weighted, "b": EVALUATION})


def test_skipped_topics_need_no_weight_and_do_not_count():
    qrels = QRELS | {"none": {"d0": 0}}
    evaluation = evaluate(qrels, RUNS, [MEASURE], weights=WEIGHTS, no_relevant="skip")
    expected = evaluate(QRELS, RUNS, [MEASURE], weights=WEIGHTS).means()
    assert np.array_equal(evaluation.means(), expected)
    with pytest.raises(GradedError, match=r"1 topic without a weight \(none\)"):
        evaluate(qrels, RUNS, [MEASURE], weights=WEIGHTS)


def test_the_column_of_a_file_has_the_weights(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 1 x\n2 Q0 b 1 1 x\n3 Q0 b 1 1 x\n")
    Path("weights.csv").write_text("topic,traffic\n1,6\n2,2\n3,0\n")
    words = ["evaluate", "qrels", "run", "P@1", "--weights", "weights.csv:traffic"]
    assert main([*words, "-f", "tsv"]) == 0
    assert capsys.readouterr().out == "P@1\t0.7500\n"
    assert main([*words, "-f", "text"]) == 0
    assert "Weighted means over 2 topics, effective 1.6." in capsys.readouterr().out
    Path("weights.csv").write_text("topic,traffic\n1,6\n2,\n3,0\n")
    assert main(words) == 2
    assert "1 topic without a weight (2)" in capsys.readouterr().err
