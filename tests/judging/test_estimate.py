"""Human and machine judges: coverage by simulation, a peer, the edges of the estimates, scales."""

from dataclasses import replace

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
    noise = np.exp(difficulty)
    scores_a = latent + generator.normal(0, 0.8 * noise, latent.shape)
    scores_b = latent + generator.normal(0, 1.1 * noise, latent.shape)

    def as_dicts(array):
        names = [f"d{number}" for number in range(documents)]
        return {f"q{number}": dict(zip(names, row)) for number, row in enumerate(array.tolist())}

    return as_dicts(human), as_dicts(machine), {"A": as_dicts(scores_a), "B": as_dicts(scores_b)}


def estimate_by(judge, result, run, measure):
    """The estimate of a run by a judge."""
    for one in result.estimates:
        if (one.run, str(one.measure), one.judge) == (run, measure, judge):
            return one
    raise LookupError(f"no estimate of {run} by {judge}")


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
    truth = human.mean()
    labels = [("A", None, parse_measure(NDCG))]
    generator = np.random.default_rng(1)
    covered = dict.fromkeys((HUMAN, MACHINE, COMBINED), 0)
    width = dict.fromkeys(covered, 0.0)
    for _ in range(400):
        topics = generator.choice(human.size, 1030, replace=False)
        by_human = np.append(topics[:60], topics[1000:])
        by_machine = topics[:1000]
        values = ByBoth(human[None, by_human], machine[None, by_machine], 60)
        for one in _family(labels, values, 0.95):
            covered[one.judge] += one.lower <= truth <= one.upper
            width[one.judge] += (one.upper - one.lower) / 400
    assert 367 <= covered[HUMAN] <= 393
    assert 367 <= covered[COMBINED] <= 393
    assert width[COMBINED] < 0.8 * width[HUMAN]
    assert covered[MACHINE] < 40


def test_the_estimate_equals_that_of_ppi_python(population):
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed")
    human, machine = population[:, 0]
    human_both = human[60:120]
    machine_both = machine[60:120]
    machine_alone = machine[1000:1940]
    values = human_both, machine_both, machine_alone
    value, variance, weight = prediction_powered(*values, human[:0])
    assert 0.5 < weight < 1
    expected = ppi.ppi_mean_pointestimate(*values, lam=weight).item()
    assert value == pytest.approx(expected, rel=1e-12)
    # The peer divides the covariance by n, not n − 1.
    expected = ppi.ppi_mean_pointestimate(*values, lam=weight * 59 / 60).item()
    assert ppi.ppi_mean_pointestimate(*values).item() == pytest.approx(expected, rel=1e-12)
    lower, upper = ppi.ppi_mean_ci(*values, alpha=0.05, lam=weight)
    of_machine = weight**2 * np.append(machine_both, machine_alone).var(ddof=1) / 940
    of_both = variance - of_machine
    peers_variance = of_machine + of_both * 58 / 60  # the peer divides by n, not n − 2
    halfwidth = stats.norm.ppf(0.975) * peers_variance**0.5
    assert value - halfwidth == pytest.approx(lower.item(), rel=0.005)
    assert value + halfwidth == pytest.approx(upper.item(), rel=0.005)


def test_every_estimate_is_the_formula_on_the_values_by_topic():
    human, machine, runs = judged(50, seed=3)
    human = first(human, 20) | {"alone": {"d1": 3, "d2": 0}}
    measures = [NDCG, "P@10"]
    result = estimate(human, machine, runs, measures, 0.9)
    assert (result.both, result.human_only, result.machine_only) == (20, 1, 30)
    assert len(result.estimates) == 2 * 2 * 3
    assert len(result.pairs) == 2
    by_human = evaluate(human, runs, measures)
    by_machine = evaluate(machine, runs, measures)
    for measure in measures:
        human_a, human_b = by_human.of(measure)
        machine_a, machine_b = by_machine.of(measure)

        one = estimate_by(HUMAN, result, "B", measure)
        mean = human_b.mean()
        halfwidth = stats.t.ppf(0.95, 20) * human_b.std(ddof=1) / 21**0.5
        assert one.value == pytest.approx(mean)
        assert (one.topics, one.worth) == (21, 21)
        assert (one.lower, one.upper) == pytest.approx((mean - halfwidth, mean + halfwidth))

        one = estimate_by(MACHINE, result, "B", measure)
        assert one.value == pytest.approx(machine_b.mean())
        assert (one.topics, one.worth, one.weight) == (50, None, None)

        one = estimate_by(COMBINED, result, "B", measure)
        assert (one.topics, one.p) == (51, None)
        assert_combined(one, human_b, machine_b)

        (pair,) = [pair for pair in result.pairs if str(pair.measure) == measure]
        assert (pair.run, pair.other, pair.judge) == ("A", "B", COMBINED)
        error = assert_combined(pair, human_a - human_b, machine_a - machine_b)
        assert pair.p == pytest.approx(2 * stats.t.sf(abs(pair.value) / error, 19))


def assert_combined(one, human, machine):
    """Compare an estimate with the formula; returns its standard error.

    The first 20 topics are judged by both, 1 more by the human and 30 more by the machine.
    """
    human_both = human[:20]
    machine_both = machine[:20]
    share = 20 / 21
    machine_variance = machine.var(ddof=1)
    covariance = np.cov(human_both, machine_both)[0, 1]
    weight = share * covariance / ((1 + 20 / 30) * machine_variance)
    shift = machine[20:].mean() - machine_both.mean()
    variance_of_machine = weight**2 * machine_variance / 30
    variance_of_both = (share * human_both - weight * machine_both).var(ddof=2) / 20
    variance_of_human = human.var(ddof=1) / 21**2
    variance = variance_of_machine + variance_of_both + variance_of_human
    quantile = stats.t.ppf(0.95, 19)
    assert one.value == pytest.approx(weight * shift + human.mean())
    assert one.upper - one.lower == pytest.approx(2 * quantile * variance**0.5)
    assert one.weight == pytest.approx(weight)
    assert one.worth == pytest.approx(human.var(ddof=1) / variance)
    return variance**0.5


def test_differences_are_those_of_compare_if_the_machine_has_no_weight():
    human, _, runs = judged(14, seed=5)
    generator = np.random.default_rng(0)
    for name in "CD":
        runs[name] = {}
        for topic, scores in runs["A"].items():
            runs[name][topic] = {doc: score + generator.normal() for doc, score in scores.items()}
    result = estimate(human, human, runs, [NDCG])
    tests = {(test.run, test.other): test for test in compare(human, runs, [NDCG]).find(NDCG)}
    for pair in result.pairs:
        if (pair.run, pair.other) in tests:
            test = tests[pair.run, pair.other]
        else:
            test = tests[pair.other, pair.run].turned()
        assert pair.value == pytest.approx(test.difference)
        assert pair.lower == pytest.approx(test.lower)
        assert pair.upper == pytest.approx(test.upper)
        assert pair.adjusted == pytest.approx(test.adjusted)
    with pytest.warns(FewTopicsWarning):
        few = estimate(first(human, 9), human, runs, [NDCG])
    assert {pair.p for pair in few.pairs} == {None}


def test_a_useless_machine_gets_no_weight():
    human, _, runs = judged(60)
    inverse = {
        topic: {doc: 3 - level for doc, level in levels.items()} for topic, levels in human.items()
    }
    result = estimate(first(human, 20), inverse, runs, [NDCG])
    combined = estimate_by(COMBINED, result, "A", NDCG)
    alone = estimate_by(HUMAN, result, "A", NDCG)
    assert (combined.weight, combined.worth) == (0, 20)
    assert combined.value == alone.value
    assert combined.lower == alone.lower
    assert combined.upper == alone.upper
    assert result.summary.endswith("0 by the human alone; the machine does not help.")
    meaning = "The machine helps if the combined interval is narrower than that of the human alone."
    assert str(result.answer()[1]) == meaning
    one = estimate(first(human, 20), inverse, {"mine": runs["A"]}, [NDCG])
    assert one.summary.endswith("; the machine does not help.")


def test_the_headline_counts_the_runs_for_which_the_machine_does_not_help():
    human, machine, runs = judged(60)
    result = estimate(first(human, 20), machine, runs, [NDCG])
    assert "the machine" not in result.summary.partition("alone")[2]
    wider = []
    for one in result.estimates:
        if (one.judge, one.run) == (COMBINED, "A"):
            one = replace(one, lower=0.0, upper=1.0)
        wider.append(one)
    summary = replace(result, estimates=tuple(wider)).summary
    assert summary.endswith(f"; the machine helps for {len(runs) - 1} of {len(runs)} runs.")


def test_values_that_never_vary_have_the_interval_of_two_more_topics():
    """The intervals are those of `evaluate --confidence` and `compare` of as many topics."""
    human = {f"q{number}": {"a": 1} for number in range(12)} | {"q12": {}, "alone": {}}
    machine = {f"q{number}": {"a": 1} for number in range(30)} | {"empty": {}}
    run = {topic: {"a": 1.0} for topic in machine}
    runs = {"A": run, "B": run}
    result = estimate(human, machine, runs, [NDCG, "CG@1"])
    values = evaluate(first(human, 12), runs, [NDCG])
    of_value = intervals(values).of("A", NDCG)
    test = compare(values).find(NDCG)[0]
    of_difference = test.lower, test.upper
    for one in result.estimates + result.pairs:
        assert one.worth is None
        if one.judge == MACHINE:
            expected = one.value, one.value
        elif str(one.measure) == "CG@1":
            expected = None, None
        elif one.other is None:
            expected = of_value
        else:
            expected = of_difference
        assert (one.lower, one.upper) == expected
    assert "A has the best estimate by nDCG_JK@10, 1.0000 (.7743 to 1.0000)" in result.summary
    assert "equal to that of B; 12 topics judged by both, 18 by the machine alone" in result.summary
    assert any("6 of 6 combined estimates" in note for note in result.notes())
    result.figure()


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
        topics = generator.integers(0, 400, 53)
        both = ByBoth(human[:, topics[:10]], machine[:, topics], 10)
        combined = [one for one in _family(labels, both, 0.95) if one.judge == COMBINED]
        for one, mean in zip(combined, truth, strict=True):
            assert one.weight == 0 or not one.few_changes
            covered.append(one.lower <= mean <= one.upper)
    assert np.mean(covered) > 0.93


def test_too_few_topics_of_both_raise_an_error_or_a_warning():
    human, machine, runs = judged(30)
    for topics in (0, 4):
        qrels = first(human, topics) | {"x": {"d1": 3}}
        message = f"needs at least 5 topics judged by both .*, not {topics}"
        with pytest.raises(GradedError, match=message):
            estimate(qrels, machine, runs, [NDCG])
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
    result = estimate(lacking, machine, runs, [NDCG])
    assert result.estimates == whole.estimates
    assert (result.both, result.machine_only) == (12, 18)
    (remark,) = result.remarks
    assert (remark.kind, remark.subject) == ("incomplete", NDCG)
    assert remark.text.startswith("3 topics of both count as judged by the machine alone")
    # No document below the cutoff is judged.
    shallow = without(human, human, tails)
    result = estimate(shallow, machine, runs, ["DCG_JK@10"])
    assert (result.both, result.remarks) == (15, ())
    message = r"by DCG_JK, less than 95 % of .* in 15 of 15 topics of both"
    with pytest.raises(GradedError, match=message):
        estimate(shallow, machine, runs, ["DCG_JK"])


def test_a_human_sample_of_documents_gives_no_estimate():
    human, machine, runs = judged(30)
    half = {topic: [f"d{number}" for number in range(0, 20, 2)] for topic in human}
    sample = without(human, human, half)
    message = r"sample of documents, not of topics: by .* in 30 of 30 topics .* at least 5 "
    with pytest.raises(GradedError, match=message):
        estimate(sample, machine, runs, [NDCG])


def test_all_pairs_are_one_family_and_open_without_a_significant_difference():
    human, machine, runs = judged(60, seed=5)
    runs["C"] = {}
    for topic, scores in runs["A"].items():
        runs["C"][topic] = {doc: -score for doc, score in scores.items()}
    result = estimate(first(human, 20), machine, runs, [NDCG])
    pairs = [(pair.run, pair.other) for pair in result.pairs]
    assert pairs == [("A", "B"), ("A", "C"), ("B", "C")]
    adjusted = [pair.adjusted for pair in result.pairs]
    np.testing.assert_allclose(adjusted, holm([pair.p for pair in result.pairs]))
    open_pairs = sum(p >= 0.05 for p in adjusted)
    assert result.open(NDCG) == open_pairs <= 1
    assert f"{open_pairs} of 3 pairs of runs" in result.notes()[0]


def test_a_covariance_of_rounding_errors_is_0():
    human = np.array([0, 0, 1, 0, 2]) / 3
    machine = np.array([0, 1, 3, 1, 0]) / 3
    machine_alone = np.array([1.0, 2.0, 3.0]) / 3
    _, _, weight = prediction_powered(human, machine, machine_alone, human[:0])
    assert weight == 0


def test_one_run_has_no_best_estimate_and_the_notes_have_the_quantiles():
    human, machine, runs = judged(30)
    one = estimate(first(human, 15), machine, {"mine": runs["A"]}, [NDCG])
    assert one.summary.startswith(f"The combined estimate of mine by {NDCG} is .")
    text = "q the quantile .975 of Student's t: with n − 2 degrees of freedom for a combined"
    assert any(text in note for note in one.notes())
    mean = estimate_by(COMBINED, one, "mine", NDCG)
    by_human = estimate_by(HUMAN, one, "mine", NDCG)
    error = (by_human.upper - by_human.lower) / 2 / stats.t.ppf(0.975, 14)
    precise = error * (15 / mean.worth) ** 0.5
    assert (mean.upper - mean.lower) / 2 == pytest.approx(precise * stats.t.ppf(0.975, 13))
    three = estimate(first(human, 15), machine, runs | {"C": runs["A"]}, [NDCG])
    q = (1 + 0.95 ** (1 / 3)) / 2
    assert any(f"q is the quantile {q:.5f}".replace(" 0.", " .") in note for note in three.notes())
