"""Human and machine judges: coverage by simulation, a peer, the edges of the estimates, and scales."""

import numpy as np
import pytest

from ir_measures_graded import GradedError, parse_measure
from ir_measures_graded.analysis import compare, estimate, evaluate, intervals
from ir_measures_graded.analysis.judging.estimate import (
    COMBINED,
    ByBoth,
    FewTopicsWarning,
    _family,
    prediction_powered,
)
from ir_measures_graded.analysis.judging.panel import HUMAN, MACHINE
from ir_measures_graded.analysis.statistics.corrections import holm

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

NDCG = "nDCG_JK@10"


def judged(topics, seed=0, documents=20):
    """Human levels, those of a machine that overrates, and two runs, for so many topics."""
    generator = np.random.default_rng(seed)
    difficulty = generator.normal(0, 0.6, (topics, 1))
    latent = generator.normal(0, 1, (topics, documents))
    human = np.digitize(latent, [0.6, 1.2, 1.8])
    machine = np.clip(human + (generator.random(human.shape) < 0.12), 0, 3)
    scores = [
        latent + generator.normal(0, np.exp(difficulty) * noise, latent.shape)
        for noise in (0.8, 1.1)
    ]

    def as_dicts(array):
        names = [f"d{number}" for number in range(documents)]
        return {f"q{number}": dict(zip(names, row)) for number, row in enumerate(array.tolist())}

    return as_dicts(human), as_dicts(machine), {"A": as_dicts(scores[0]), "B": as_dicts(scores[1])}


def by(found, run, measure, judge):
    """The estimate of a run by a judge."""
    key = run, measure, judge
    return next(one for one in found.estimates if (one.run, str(one.measure), one.judge) == key)


def first(qrels, topics):
    return {topic: qrels[topic] for topic in list(qrels)[:topics]}


@pytest.fixture(scope="module")
def population():
    """The values of 10,000 topics by the human and by the machine (judges × runs × topics)."""
    human, machine, runs = judged(10_000)
    return np.stack([evaluate(qrels, runs, [NDCG]).of(NDCG) for qrels in (human, machine)])


def test_human_and_combined_intervals_cover_the_truth_and_the_machines_do_not(population):
    """1000 topics by a biased machine, 60 of them by the human, and 30 by the human alone."""
    human, machine = population[:, 0]
    generator = np.random.default_rng(1)
    covered = dict.fromkeys((HUMAN, MACHINE, COMBINED), 0)
    width = dict.fromkeys(covered, 0.0)
    for _ in range(400):
        drawn = generator.choice(human.size, 1030, replace=False)
        values = human[[*drawn[:60], *drawn[1000:]]], machine[drawn[:1000]]
        both = ByBoth(values[0][None], values[1][None], 60)
        for found in _family([("A", None, parse_measure(NDCG))], both, 0.95):
            covered[found.judge] += found.lower <= human.mean() <= found.upper
            width[found.judge] += (found.upper - found.lower) / 400
    assert 367 <= covered[HUMAN] <= 393
    assert 367 <= covered[COMBINED] <= 393
    assert width[COMBINED] < 0.8 * width[HUMAN]
    assert covered[MACHINE] < 40


def test_the_estimate_equals_that_of_ppi_python(population):
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed")
    human, machine = population[:, 0]
    both, others = slice(60, 120), slice(1000, 1940)
    given = human[both], machine[both], machine[others]
    value, variance, weight = prediction_powered(*given, human[:0])
    assert 0.5 < weight < 1
    assert value == pytest.approx(ppi.ppi_mean_pointestimate(*given, lam=weight).item(), rel=1e-12)
    # The peer divides the covariance by n, not n − 1.
    other_weight = weight * 59 / 60
    expected = ppi.ppi_mean_pointestimate(*given, lam=other_weight).item()
    assert ppi.ppi_mean_pointestimate(*given).item() == pytest.approx(expected, rel=1e-12)
    lower, upper = (
        float(bound.item()) for bound in ppi.ppi_mean_ci(*given, alpha=0.05, lam=weight)
    )
    others_share = weight**2 * np.concatenate(given[1:]).var(ddof=1) / 940
    variance = (
        others_share + (variance - others_share) * 58 / 60
    )  # the peer divides by n, not n − 2
    reach = stats.norm.ppf(0.975) * variance**0.5
    assert (value - reach, value + reach) == pytest.approx((lower, upper), rel=0.005)


def test_every_estimate_is_the_formula_on_the_values_by_topic():
    human, machine, runs = judged(50, seed=3)
    human = first(human, 20) | {"alone": {"d1": 3, "d2": 0}}
    measures = [NDCG, "P@10"]
    found = estimate(human, machine, runs, measures, 0.9)
    assert (found.both, found.human_only, found.machine_only) == (20, 1, 30)
    assert (len(found.estimates), len(found.pairs)) == (2 * 2 * 3, 2)
    h, m = (evaluate(qrels, runs, measures) for qrels in (human, machine))
    quantile = stats.t.ppf(0.95, 19)
    for measure in measures:
        a, b = h.of(measure)[1], m.of(measure)[1]
        one = by(found, "B", measure, HUMAN)
        assert (one.value, one.topics, one.worth) == (pytest.approx(a.mean()), 21, 21)
        reach = stats.t.ppf(0.95, 20) * a.std(ddof=1) / 21**0.5
        assert (one.lower, one.upper) == pytest.approx((a.mean() - reach, a.mean() + reach))
        one = by(found, "B", measure, MACHINE)
        assert (one.value, one.topics, one.worth, one.weight) == (
            pytest.approx(b.mean()),
            50,
            None,
            None,
        )
        one = by(found, "B", measure, COMBINED)
        assert (one.topics, one.p) == (51, None)
        assert_combined(one, a, b, quantile)
        (pair,) = (pair for pair in found.pairs if pair.measure == one.measure)
        assert (pair.run, pair.other, pair.judge) == ("A", "B", COMBINED)
        error = assert_combined(pair, h.of(measure)[0] - a, m.of(measure)[0] - b, quantile)
        assert pair.p == pytest.approx(2 * stats.t.sf(abs(pair.value) / error, 19))


def assert_combined(one, a, b, quantile):
    """Compare an estimate with the formula; returns its standard error."""
    both, share = a[:20], 20 / 21
    weight = share * np.cov(both, b[:20])[0, 1] / ((1 + 20 / 30) * b.var(ddof=1))
    variance = weight**2 * b.var(ddof=1) / 30 + (share * both - weight * b[:20]).var(ddof=2) / 20
    variance += a.var(ddof=1) / 21**2
    assert one.value == pytest.approx(weight * (b[20:].mean() - b[:20].mean()) + a.mean())
    assert one.upper - one.lower == pytest.approx(2 * quantile * variance**0.5)
    assert one.weight == pytest.approx(weight)
    assert one.worth == pytest.approx(a.var(ddof=1) / variance)
    return variance**0.5


def test_differences_are_those_of_compare_if_the_machine_has_no_weight():
    human, _, runs = judged(14, seed=5)
    generator = np.random.default_rng(0)
    for name in "CD":
        runs[name] = {
            topic: {doc: score + generator.normal() for doc, score in scores.items()}
            for topic, scores in runs["A"].items()
        }
    found = estimate(human, human, runs, [NDCG])
    tests = {(test.run, test.other): test for test in compare(human, runs, [NDCG]).find(NDCG)}
    for pair in found.pairs:
        sign = 1 if (pair.run, pair.other) in tests else -1
        test = tests[pair.run, pair.other] if sign > 0 else tests[pair.other, pair.run]
        expected = (
            sign * test.difference,
            *sorted((sign * test.lower, sign * test.upper)),
            test.adjusted,
        )
        assert (pair.value, pair.lower, pair.upper, pair.adjusted) == pytest.approx(expected)
    with pytest.warns(FewTopicsWarning):
        few = estimate(first(human, 9), human, runs, [NDCG])
    assert {one.p for one in few.pairs} == {None}


def test_a_useless_machine_gets_no_weight():
    human, _, runs = judged(60)
    inverse = {
        topic: {doc: 3 - level for doc, level in judged.items()} for topic, judged in human.items()
    }
    found = estimate(first(human, 20), inverse, runs, [NDCG])
    combined, alone = (by(found, "A", NDCG, judge) for judge in (COMBINED, HUMAN))
    assert (combined.weight, combined.worth) == (0, 20)
    assert (combined.value, combined.lower, combined.upper) == (
        alone.value,
        alone.lower,
        alone.upper,
    )


def test_values_that_never_vary_have_the_interval_of_two_more_topics():
    """The intervals are those of `evaluate --confidence` and `compare` of as many topics."""
    human = {f"q{number}": {"a": 1} for number in range(12)} | {"q12": {}, "alone": {}}
    machine = {f"q{number}": {"a": 1} for number in range(30)} | {"empty": {}}
    run = {topic: {"a": 1.0} for topic in machine}
    found = estimate(human, machine, {"A": run, "B": run}, [NDCG, "CG@1"])
    values = evaluate(first(human, 12), {"A": run, "B": run}, [NDCG])
    alone = intervals(values)
    test = compare(values).find(NDCG)[0]
    for one in (*found.estimates, *found.pairs):
        assert one.worth is None
        expected = alone.of("A", NDCG) if one.other is None else (test.lower, test.upper)
        if one.judge == MACHINE:
            expected = one.value, one.value
        elif one.measure != values.measures[0]:
            expected = None, None
        assert (one.lower, one.upper) == expected
    assert "A has the best estimate by nDCG_JK@10, 1.0000 (.7743 to 1.0000)" in found.summary
    assert "equal to that of B; 12 topics judged by both, 18 by the machine alone" in found.summary
    assert any("6 of 6 combined estimates" in note for note in found.notes())
    found.figure()


def test_few_changes_get_no_weight_and_their_intervals_hold():
    """Success@5 of six runs, 10 of 53 topics judged by the human."""
    generator = np.random.default_rng(0)
    means = np.linspace(0.9, 0.98, 6)[:, None]
    human = (generator.random((6, 400)) < means).astype(float)
    machine = np.where(generator.random((6, 400)) < 0.2, 1 - human, human)
    truth = human.mean(axis=1)
    measure = parse_measure("Success@5")
    labels = [("A", None, measure)] * 6
    covered = []
    for _ in range(200):
        drawn = generator.integers(0, 400, 53)
        both = ByBoth(human[:, drawn[:10]], machine[:, drawn], 10)
        found = [one for one in _family(labels, both, 0.95) if one.judge == COMBINED]
        for one, mean in zip(found, truth, strict=True):
            assert one.weight == 0 or not one.few_changes
            covered.append(one.lower <= mean <= one.upper)
    assert np.mean(covered) > 0.93


def test_too_few_topics_of_both_raise_an_error_or_a_warning():
    human, machine, runs = judged(30)
    for topics in (0, 4):
        given = first(human, topics) | {"x": {"d1": 3}}
        with pytest.raises(
            GradedError, match=f"needs at least 5 topics judged by both .*, not {topics}"
        ):
            estimate(given, machine, runs, [NDCG])
    with pytest.warns(FewTopicsWarning, match="only 5 topics are judged by both; below 10 the"):
        estimate(first(human, 5), machine, runs, [NDCG])
    estimate(first(human, 10), machine, runs, [NDCG])


def without(qrels, topics, documents):
    """The qrels without some documents of some topics."""
    kept = {topic: dict(levels) for topic, levels in qrels.items()}
    for topic in topics:
        for document in documents[topic]:
            kept[topic].pop(document)
    return kept


def test_a_topic_of_which_the_human_judged_a_sample_counts_as_the_machines():
    """Documents below the cutoff need no judgment; by recall, which has none, they do."""
    human, machine, runs = judged(30)
    human = first(human, 15)
    order = {topic: sorted(docs, key=docs.get) for topic, docs in runs["A"].items()}
    runs = {"A": runs["A"]}
    complete = list(human)[:12]
    partly = list(human)[12:]
    tops = {topic: docs[-10:] for topic, docs in order.items()}
    tails = {topic: docs[:-10] for topic, docs in order.items()}
    of_complete = {topic: human[topic] for topic in complete}
    whole = estimate(of_complete, machine, runs, [NDCG])
    # One of the first 10 documents, 10 %, is unjudged in 3 topics.
    lacking = without(human, partly, {topic: docs[-1:] for topic, docs in tops.items()})
    found = estimate(lacking, machine, runs, [NDCG])
    assert found.estimates == whole.estimates
    assert (found.both, found.machine_only) == (12, 18)
    (remark,) = found.remarks
    assert (remark.kind, remark.subject) == ("incomplete", NDCG)
    assert remark.text.startswith("3 topics of both count as judged by the machine alone")
    # No document below the cutoff is judged.
    shallow = without(human, human, tails)
    found = estimate(shallow, machine, runs, ["DCG_JK@10"])
    assert (found.both, found.remarks) == (15, ())
    with pytest.raises(
        GradedError, match=r"by DCG_JK, less than 95 % of .* in 15 of 15 topics of both"
    ):
        estimate(shallow, machine, runs, ["DCG_JK"])


def test_a_human_sample_of_documents_gives_no_estimate():
    human, machine, runs = judged(30)
    half = {topic: [f"d{number}" for number in range(0, 20, 2)] for topic in human}
    sample = without(human, human, half)
    with pytest.raises(
        GradedError,
        match=r"sample of documents, not of topics: by .* in 30 of 30 topics .* at least 5 ",
    ):
        estimate(sample, machine, runs, [NDCG])


def test_all_pairs_are_one_family_and_open_without_a_significant_difference():
    human, machine, runs = judged(60, seed=5)
    runs["C"] = {
        t: {doc: -score for doc, score in scores.items()} for t, scores in runs["A"].items()
    }
    found = estimate(first(human, 20), machine, runs, [NDCG])
    assert [(one.run, one.other) for one in found.pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    np.testing.assert_allclose(
        [one.adjusted for one in found.pairs], holm([one.p for one in found.pairs])
    )
    assert found.open(NDCG) == sum(one.adjusted >= 0.05 for one in found.pairs) <= 1
    assert f"{found.open(NDCG)} of 3 pairs of runs" in found.notes()[0]


def test_a_covariance_of_rounding_errors_is_0():
    human, machine = np.array([0, 0, 1, 0, 2]) / 3, np.array([0, 1, 3, 1, 0]) / 3
    assert prediction_powered(human, machine, np.array([1.0, 2.0, 3.0]) / 3, human[:0])[2] == 0
