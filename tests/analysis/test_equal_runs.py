"""Runs of equal values: every sentence that names the best one names all of them."""

import numpy as np

from ir_measures_graded import parse_measure
from ir_measures_graded.analysis import (
    Evaluation,
    compare,
    compare_leaderboards,
    effort,
    intervals,
    judges,
    sensitivity,
)

QRELS = {"1": {"d": 2, "e": 1, "f": 0}, "2": {"d": 1}, "3": {"e": 1, "d": 2}}
GOOD = {topic: ["d", "e"] for topic in QRELS}
RUNS = {"b": GOOD, "a": GOOD, "late": {topic: ["x", "e", "d"] for topic in QRELS}}


def values(*means):
    """Runs a, b, … of 12 topics with these means."""
    noise = np.tile([0.1, -0.1], 6)
    runs = tuple("abcdef"[: len(means)])
    topics = tuple(map(str, range(12)))
    table = np.array(means)[:, None, None] + noise
    return Evaluation(runs, (parse_measure("AP"),), topics, table)


def test_equal_means_are_the_best_together():
    of_runs = values(0.5, 0.3, 0.5)
    (sentence,) = compare(of_runs).answer()
    assert sentence.endswith(
        "; a and c have the best mean; b is significantly worse than each of them."
    )
    headline = str(intervals(of_runs).headline)
    assert headline == "a and c have the best AP, .5000, of 3 runs over 12 topics."
    first = sensitivity(QRELS, RUNS, ["nDCG_JK@1", "nCG@1"]).answer()[0]
    assert first == "a and b are equally good and best under both settings."
    boards = compare_leaderboards(values(0.5, 0.3, 0.2), of_runs, "AP")
    assert "the best are a and c, not a" in boards.summary


def test_a_run_that_one_of_equally_good_runs_beats_is_not_called_worse_than_both():
    of_runs = values(0.5, 0.5, 0.48, 0.1)
    of_runs.values[1, 0] = of_runs.values[1, 0, ::-1] + np.tile([0.4, -0.4], 6)
    of_runs.values[2, 0] = of_runs.values[0, 0] - 0.02
    compared = compare(of_runs)
    assert ("a", "c") in compared.wins("AP")
    assert ("b", "c") not in compared.wins("AP")
    assert compared.top("AP") == ["a", "b", "c"]
    text = (
        "a and b have the best mean, and c is not significantly worse than at least one of them; "
    )
    assert text in compared.answer()[0]
    assert compared.answer()[0].endswith("; d is significantly worse than each of them.")


def test_equally_many_documents_are_of_several_runs():
    late = {"first": GOOD, "y": RUNS["late"], "x": RUNS["late"]}
    assert str(effort(QRELS, late, "CG@3", baseline="first", at=1).answer()[0]).startswith(
        "x and y need 2 more documents than first"
    )


def test_machines_of_equal_agreement_are_named_together():
    machine = {"1": {"d": 2, "e": 1, "f": 1}, "2": {"d": 1}, "3": {"e": 1, "d": 2}}
    worse = {"1": {"d": 0, "e": 1, "f": 1}, "2": {"d": 1}, "3": {"e": 0, "d": 2}}
    sentence = str(judges(QRELS, {"two": machine, "bad": worse, "one": machine}).answer()[0])
    assert sentence.startswith("one, with the highest κ of 3 judges, as two, agrees with the human")
