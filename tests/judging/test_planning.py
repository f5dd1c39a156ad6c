"""The number of human topics that an estimate of a wanted width needs."""

import numpy as np
import pytest

from ir_measures_graded import GradedError, demo
from ir_measures_graded.analysis import estimate
from ir_measures_graded.analysis.judging.estimate import _spreads, prediction_powered
from ir_measures_graded.analysis.judging.panel import answers_in
from ir_measures_graded.analysis.judging.planning import Spreads, plan, predicted
from ir_measures_graded.analysis.statistics.student import student_interval

pytest.importorskip("scipy", reason="SciPy is not installed")


def values(topics, machine, slope=0.7, seed=1):
    """Values under the human for some topics, and under the machine for all."""
    draw = np.random.default_rng(seed)
    of_machine = draw.random(machine)
    of_human = slope * of_machine[:topics] + 0.2 * draw.random(topics)
    return of_human, of_machine


@pytest.mark.parametrize("alone", [0, 7])
@pytest.mark.parametrize("slope", [0.7, 1.6, -0.5])
def test_the_variance_of_the_present_topics_is_that_of_the_estimate(alone, slope):
    """λ is in between, clipped to 1 and clipped to 0."""
    both, others = 12, 30
    human, machine = values(both + alone, both + others + alone, slope)
    machine = machine[: both + others]
    spreads = _spreads(human, machine, both)
    variance, degrees = predicted(spreads, both, others, alone)
    _, expected, weight = prediction_powered(
        human[:both], machine[:both], machine[both:], human[both:]
    )
    if weight == 0:
        expected = human.var(ddof=1) / human.size
    assert variance == pytest.approx(float(expected))
    assert degrees == both + alone - 1 - (weight > 0)


def test_plan_has_the_least_topics_that_are_enough():
    human, machine = values(15, 200)
    spreads = _spreads(human, machine, 15)
    now = plan(spreads, 0.5, 0.95, 15, 185, 0)
    found = plan(spreads, 0.02, 0.95, 15, 185, 0)
    assert found.now == now.now > 0.02
    assert plan(spreads, now.now, 0.95, 15, 185, 0).topics == 15
    assert found.least <= found.at_limit <= found.alone
    assert found.topics is None
    assert found.reach > 0.02
    at_reach = plan(spreads, found.reach * 1.0001, 0.95, 15, 185, 0)
    assert at_reach.topics <= 200


def test_width_is_kept_by_new_topics_of_the_same_kind():
    """Studies with the planned number of topics have intervals of the wanted width on average."""
    human, machine = values(30, 400, seed=3)
    found = plan(_spreads(human, machine, 30), 0.025, 0.95, 30, 370, 0)
    halves = []
    for seed in range(40):
        new_human, new_machine = values(found.topics, 400, seed=100 + seed)
        _, variance, _ = prediction_powered(
            new_human, new_machine[: found.topics], new_machine[found.topics :], new_human[:0]
        )
        halves.append(student_interval(0.0, float(variance) ** 0.5, found.topics - 2)[1])
    assert np.mean(halves) == pytest.approx(0.025, rel=0.1)


@pytest.fixture
def some_human():
    """The demo's qrels for 12 of its 20 topics."""
    levels = answers_in(demo.qrels_path()).levels
    return {topic: levels[topic] for topic in list(levels)[:12]}


def test_estimates_say_what_a_width_needs(some_human):
    runs = demo.run_paths()
    found = estimate(some_human, demo.NAME, runs, ["nDCG@10", "Success@20"], width=0.02)
    sentence, none = found.plan_answer()
    assert "Means by nDCG@10 within ±.02 are out of reach with the 20 topics" in str(sentence)
    assert "Success@20 within ±.02 is not known: fewer than 10 human topics differ" in str(none)
    table = found.plan_table()
    assert len(table.rows) == 2 * len(runs)
    rows = {row.run: row.plan for row in found.plans if str(row.measure) == "nDCG@10"}
    of_run = next(row for row in found.estimates if row.judge == "combined")
    half = (of_run.upper - of_run.lower) / 2
    assert rows[of_run.run].now == pytest.approx(half)
    wide = estimate(some_human, demo.NAME, runs, ["nDCG@10"], width=0.15)
    assert "Means by nDCG@10 within ±.15 need about" in str(wide.plan_answer()[0])
    assert not estimate(some_human, demo.NAME, runs, ["nDCG@10"]).plans
    with pytest.raises(GradedError, match="width is a number above 0"):
        estimate(some_human, demo.NAME, runs, ["nDCG@10"], width=-1)


@pytest.mark.parametrize("width", [0.02, 0.08, 0.15])
def test_all_numbers_of_the_sentence_are_of_one_run(some_human, width):
    """The run that needs most is named, with the documents to label."""
    estimates = estimate(some_human, demo.NAME, demo.run_paths(), ["nDCG@10"], width=width)
    (sentence,) = map(str, estimates.plan_answer())
    worst = next(row for row in estimates.plans if f"{row.run} needs" in sentence)
    is_reached = worst.plan.topics is not None
    topics = worst.plan.topics if is_reached else worst.plan.least
    per_topic = np.mean([len(some_human[topic]) for topic in some_human])
    assert f"about {topics} human topics ({topics * round(per_topic):,} documents at" in sentence
    assert f"{worst.plan.alone} topics without the machine" in sentence
    if not is_reached:
        assert f"give {worst.run} ±{worst.plan.reach:.3g}".replace("±0.", "±.") in sentence


def test_command_has_the_table_below_the_estimates(tmp_path, monkeypatch, output, capsys):
    from ir_measures_graded import cli

    monkeypatch.chdir(tmp_path)
    lines = demo.qrels_path().read_text().splitlines(keepends=True)
    human = [line for line in lines if line.split()[0] < "379"]
    (tmp_path / "human.txt").write_text("".join(human))
    runs = list(map(str, demo.run_paths().values()))
    words = ["judges", "human.txt", demo.NAME, *runs, "nDCG@10"]
    printed = output(*words, "--show", "estimates", "--width", ".1")
    assert "Human topics for intervals of ±.1" in printed
    assert "--width .02" in " ".join(output(*words, "--show", "estimates"))
    rows = output(*words, "--show", "plan", "--width", ".1", "-f", "csv")
    assert rows[0] == "measure,run,now,reach,topics,least,at_limit,alone,documents"
    assert len(rows) == 1 + len(runs)
    for further in (["--show", "pairs"], ["human.txt"]):
        assert cli.main([*words, "--width", ".1", *further]) == 2
        assert "--width is for the estimates of a single machine" in capsys.readouterr().err


@pytest.mark.parametrize("pilot", [8, 20, 50])
@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.6])
def test_a_machine_never_costs_a_topic(pilot, correlation):
    """λ is fitted on the pilot, so the topics are (p − 1)/(p − 2) times what ρ alone would need."""
    variance = 8 / (pilot - 1)
    spreads = Spreads(8.0, 8.0, 8 * correlation, pilot, variance, variance)
    planned = plan(spreads, variance**0.5 / 5, 0.95, pilot, 10 * pilot, 0)
    assert planned.least <= planned.alone
    assert planned.topics is None or planned.topics <= planned.alone
    fitted = (1 - correlation**2) * (pilot - 1) / (pilot - 2)
    assert planned.least == pytest.approx(min(fitted, 1) * planned.alone, abs=1.5)
