"""Requests that an analysis refuses, and its message."""

from pathlib import Path

import pytest
from evaluations import made, of_array

import golden
from ir_measures_graded import GradedError, analysis, demo

QRELS = {"q1": {"a": 3, "b": 1, "c": 0, "d": 2}, "q2": {"a": 2}, "q3": {"d": 1, "e": 0}}
RUNS = {
    "good": {"q1": {"a": 3.0, "x": 2.5, "b": 2.0}, "q2": {"x": 2.0, "a": 1.0}, "q3": {"d": 1.0}},
    "poor": {"q1": {"c": 3.0, "b": 2.0}, "q9": {"a": 1.0}},
}
INTENTS = [("q1", "a", 3, "1"), ("q1", "a", 1, "2"), ("q1", "b", 1, "2")]
NESTED = {"b": 1.0}
for _ in range(100_000):
    NESTED = {"a": NESTED}
NAMES = {name: getattr(analysis, name) for name in analysis.__all__} | {
    "QRELS": QRELS,
    "RUNS": RUNS,
    "A_RUN": demo.run_paths()["A"],
    "LONG": {"q": {f"x{rank}": -rank for rank in range(10_000)}},
    "NESTED": NESTED,
    "INTENTS": INTENTS,
    "probable": lambda *each: [
        {"query_id": topic, "doc_id": doc, "relevance": level, "iteration": intent, "probability": share}
        for (topic, doc, level, intent), share in zip(INTENTS, each)
    ],
    "ONES": of_array([[1] * 5] * 2),
    "THREE": of_array([[0.1, 0.2, 0.4]] * 3),
    "TWO": of_array([[0.1, 0.2]] * 2),
    "made": made,
    "nan": float("nan"),
    "of_array": of_array,
}


@pytest.mark.parametrize(("line", "message"), golden.table(Path(__file__).with_name("messages.txt")))
def test_a_request_is_refused_with_its_message(line, message):
    with pytest.raises(GradedError) as refused:
        eval(line, dict(NAMES))
    assert golden.shown(str(refused.value), message) == message, refused.value


REFUSED = """
curves(QRELS, RUNS, "IPrec@0.1")                        | IPrec has no cutoff
curves(QRELS, RUNS, "nCG@10", 20)                       | nCG@10 ends at rank 10, but depth=20
curves(QRELS, RUNS, "nCG", 2.5)                         | depth=2.5 is not allowed
curves(QRELS, RUNS, "nCG", 10**6)                       | it is a whole number from 1 to 100000
curves(QRELS, RUNS, ["CG@3", "P@1000000"])              | it is a whole number from 1 to 10000
curves(QRELS, RUNS, "nCG", normalise="both")            | it is 'topics' or 'averages'
curves(QRELS, RUNS, "P", normalise="averages")          | P is not normalised by an ideal vector
curves(QRELS, RUNS, "nCG", confidence=nan)              | confidence=nan is not allowed
curves(QRELS, RUNS, "nCG", confidence=0.9, resamples=0) | resamples=0 is not allowed
curves(QRELS, RUNS, "nCG", confidence=0.9, seed=-1)     | seed=-1 is not allowed
curves(QRELS, RUNS, "CG", 3, confidence=0.9, resamples=10**12) | too large: bands at 3 ranks would need
curves({"q": {"a": 1}}, {}, "CG", 2, confidence=0.9)    | bands need at least 2 topics; the qrels have 1
curves(QRELS, {"rank": RUNS["good"]}, "CG", 2)          | 'rank' is a column name; rename the run
curves(QRELS, RUNS | {"poor": {"q1": {"a": nan}}}, "CG", 2) | poor: run: topic 'q1', document 'a'
curves(QRELS, {"mine": A_RUN}, "CG", 2)                 | mine: none of its topics (such as '351')
curves(QRELS, RUNS, "RelativeRelevance(norm='none')")   | has the score 3.0; it must be in [0, 1]
effort(made([1, 2, 3], [1, 2, 3]), [], "A")             | no rank is given; name at least one
effort(made([1, 2, 3], [1, 2, 3]), [1.5], "A")          | at=1.5 is not allowed; it is a whole number ≥ 1
effort(made([1, 2, 3], [1, 2, 3]), [1, 4], "A")         | at=4 is beyond the curves, which end at rank 3
effort(made([1, 2, 3], [1, 2, 3]), [1], "a")            | there is no run 'a' among A, B; did you mean A?
effort(made([1, 2, 3], [1, 2, 3]), [1])                 | compute them with ideal=True, or name a run
ranges(TWO, {}, ["nDCG_JK"])                            | an Evaluation has no rankings
curves(TWO, {}, ["nDCG_JK"])                            | an Evaluation has no rankings
intervals(of_array([[0]]))                              | A: nDCG_JK has 1 topic
intervals(TWO, method="BCa")                            | method='BCa' is not allowed; it is one of t, bca
sensitivity(QRELS, RUNS, [])                            | no measure is given; name at least one
sensitivity(QRELS, RUNS, ["CG"], gains="w1")            | there is only one ranking of the runs
sensitivity(QRELS, RUNS, ["CG"], cutoffs=range(1, 900)) | 899 rankings of the runs are too many
sensitivity(QRELS, {"one": RUNS["good"]}, ["CG", "nCG"]) | a ranking needs at least 2 runs; there is 1
sensitivity(QRELS, RUNS, ["CG"], gains=["w1", "w2"])    | unknown weighting 'w2'; use a preset (w1, w3
sensitivity({"q": {"b": -1}}, RUNS, ["CG"], gains=["w1", "w3"]) | has no gain for level -1 of the qrels
sensitivity(QRELS, RUNS, ["CG"], gains={"x": {1: -1}})  | level 1 has gain -1, which is not finite and ≥ 0
sensitivity(QRELS, RUNS, ["AP"], gains=["w1", "w3"])    | no measure takes the gains
sensitivity(QRELS, RUNS, ["CG@5"], cutoffs=[1, 2])      | no measure takes the cutoff
ranges(QRELS, RUNS, ["AP"])                             | AP is not a graded measure; only these have ranges
ranges(QRELS, RUNS, ["CG(ties=mean)@2"])                | leave out ties, its ranges are computed anyway
ranges(QRELS, RUNS, ["CG@2"], draws=-1)                 | draws=-1 is not allowed
ranges(QRELS, RUNS, ["CG@2"], draws=10**12)             | too large: their means would need
explain_difference(QRELS, {"good": RUNS["good"]}, "CG") | explain_difference needs 2 runs, not 1
explain(QRELS, RUNS["good"], "CG(ties=mean)", "q1")     | or use ties='min' or 'max'
explain(QRELS, RUNS["good"], "nCG(unjudged=max)", "q1") | no single ranking has an extreme over judgments
explain(QRELS, RUNS["good"], "Rprec", "q1")             | has no cutoff, so it has no value at each rank
explain(QRELS, RUNS["good"], "P.5,10", "q1")            | an explanation is of one measure, not of P@5, P@10
explain(QRELS, RUNS["good"], "CG", 7)                   | topic '7' is not in the qrels (such as 'q1')
explain(QRELS, RUNS["good"], "CG", "q11")               | did you mean q1?
explain(QRELS, RUNS["good"], "CG", "q1", 10**9)         | it is a whole number from 1 to 100000
explain(QRELS, RUNS["good"], "RBP_G(max_gain=1)", "q1") | RBP_G(max_gain=1): topic 'q1'
"""


@pytest.mark.parametrize("case", REFUSED.strip().splitlines())
def test_a_refusal_names_the_fact(case):
    line, fact = case.rsplit(" | ", 1)
    with pytest.raises(GradedError) as refused:
        eval(line, dict(NAMES))
    assert fact in str(refused.value)
