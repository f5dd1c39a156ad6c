"""Requests that an analysis refuses, and its message."""

import re

import pytest
from evaluations import of_array

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


def probable(*probabilities):
    """The judgments of intents with the probability of each row's intent."""
    columns = ("query_id", "doc_id", "relevance", "iteration")
    return [
        dict(zip(columns, judgment)) | {"probability": probability}
        for judgment, probability in zip(INTENTS, probabilities)
    ]


FUNCTIONS = {name: getattr(analysis, name) for name in analysis.__all__}
NAMES = FUNCTIONS | {
    "QRELS": QRELS,
    "RUNS": RUNS,
    "A_RUN": demo.run_paths()["A"],
    "NESTED": NESTED,
    "INTENTS": INTENTS,
    "probable": probable,
    "ONES": of_array([[1] * 5] * 2),
    "TWO": of_array([[0.1, 0.2]] * 2),
    "nan": float("nan"),
    "of_array": of_array,
    "BM25": {"bm25": QRELS, "bm25+rm3": QRELS},
    "MISSING": {"A": "missing.run"},  # options are refused before a run is read
    "ROW": {"collection": "x", "run": "A", "topic": "1", "AP": 0.5},
}


# A request and a part of its message; an indented line continues the one above.
REFUSED = r"""
effort(QRELS, RUNS, "CG", baseline="god") |
    the baseline 'god' is not among the runs good and poor; did you mean good?
effort(QRELS, RUNS, "CG@5", at=6) | at=6 is not allowed; it is a whole number from 1 to 5
sensitivity(ONES, gains=["w1"]) | gains and cutoffs need qrels and runs; values stay as they are
effort(QRELS, RUNS, ["CG", "P"]) | effort takes one measure, not CG and P
judges(QRELS, {"m": {"q1": {"x": 3}, "q9": {"a": 0}}}) |
    no document is judged by both the human and m;
judges(QRELS, {"m": QRELS}, resamples=99) | resamples=99 is not allowed; it is a whole number ≥ 100
judges(QRELS, {"m": QRELS}, {"A": {}}) | to compare the orders of runs, give both runs and measures
judges(QRELS, {"m": QRELS}, {"A": {}}, ["P@5"]) |
    to compare the orders of runs, name at least 2 runs, not 1
judges(QRELS, {"m": {"q1": {"a": 12, "b": 4}}}) |
    2 of 2 answers are outside (topic 'q1', document 'a': 12)
estimate(QRELS, QRELS, RUNS, ["CG"], confidence=1) |
    confidence=1 is not allowed; it is above 0 and below 1
estimate(QRELS, {"q1": {"a": 10.5, "b": 0}}, RUNS, ["CG"]) |
    machine: the human's levels are 0, 1, 2 and 3; 1
holes(QRELS, RUNS, "RBP_G@10") | RBP_G@10 takes gains as shares of the highest one
holes(QRELS, RUNS, "CG(judged_only=True)@3") | holes needs fixed weights of ranks, as nDCG_JK@10 has
holes(QRELS, RUNS, "CG@3", batch=0) | batch=0 is not allowed; it is a whole number ≥ 1
holes(QRELS, {"A": RUNS["good"]}, "CG@3") |
    holes needs at least 2 runs, because judgments settle differences
holes(QRELS, {**RUNS, "D": {"q7": {"a": 1}}}, "CG@3") |
    D: none of its topics (such as 'q7') is in the qrels
holes(QRELS, RUNS, "CG@3").save("missing/holes.csv") | folder 'missing' does not exist; create it
report(QRELS, {"good": RUNS["good"]}, ["AP"], baseline="best") | the baseline 'best' is not among
evaluate(QRELS, {1: RUNS["good"]}, ["AP"]) | a run's name is a string, not 1
evaluate({}, RUNS, ["AP"]) | the qrels are empty: there is no topic to evaluate
evaluate({"q1": {"a": 0.5}}, RUNS, ["AP"]) |
    qrels: topic 'q1', document 'a': the level is 0.5; AP takes whole
evaluate(QRELS, {"mine": A_RUN}, ["AP"]) |
    mine: none of its topics (such as '351') is in the qrels (such as
evaluate(QRELS, 5, ["AP"]) |
    runs: cannot read 5 as a run; give a dict of runs by name, or a list of pairs of
evaluate(QRELS, [("one", RUNS["good"], 1)], ["AP"]) |
    runs: cannot read ('one', {'q1': {'a': 3.0, 'x': 2.5
evaluate(QRELS, {"mine": NESTED}, ["AP"]) | the score <deeply nested dict> is not
identify(QRELS, RUNS["good"], {"x": 0.5}) |
    values: none of its topics (such as 'x') is in the qrels; give
identify(QRELS, RUNS["good"], {}) | values: there is no value
identify(QRELS, RUNS["good"], {"q1": 0.5}, measure="alpha_nDCG@5") | cannot compute alpha_nDCG@5
identify(QRELS, RUNS["good"], {"q1": 0.5}, measure="IPrec@.1") | cannot compute IPrec@.1
identify(QRELS, RUNS["good"], {"q1": "a", "q2": 1}) |
    values: row 1, column value: 'a' is not a finite number
identify(QRELS, RUNS["good"], mean="0,5") | the mean is '0,5'; it must be a finite number
identify(QRELS, RUNS["good"], [("q1", 0.5), ("q1", 0.5)]) | values: topic 'q1' has two values
identify(QRELS, RUNS["good"], {"q1": {"P": 0.5, "R": 0.5}}) |
    values: give the name of one of its measures
identify(QRELS, RUNS["good"], {"q1": {"P": 0.5}}, name="R") |
    values: give the name of one of its measures
identify(QRELS, RUNS["good"], {"q1": 0.5}, mean=0.5) |
    give values by topic or a mean, one of the two
identify(QRELS, RUNS["good"], {"q1": 0.5}, decimals=16) |
    decimals=16 is not allowed; it is a whole number
evaluate(QRELS, RUNS, ["IRec@10"]) | the qrels have no intents; measures of intents need an
evaluate([("q1", "a", 3, "0"), ("q1", "b", 1, "0")], RUNS, ["D_nDCG"]) |
    the qrels have no intents; measures
evaluate(INTENTS, RUNS, ["IRec", "nCG"]) | levels for several intents or judges (1, 2); keep
evaluate([*INTENTS, ("q1", "a", 2, "1")], RUNS, ["IRec"]) |
    qrels: topic 'q1', document 'a': judged twice for
evaluate(probable(0.5, None), RUNS, ["ERR_IA_G"]) |
    qrels: topic 'q1', document 'a': the probability is nan
evaluate(probable(0.5, nan), RUNS, ["ERR_IA_G"]) | needs the probability of its intent
evaluate(probable(0.5, 0.5, 0.25), RUNS, ["ERR_IA_G"]) |
    qrels: topic 'q1', document 'b': intent '2' has the
evaluate(INTENTS, RUNS, ["IRec(ties='mean')"]) |
    IRec has no option 'ties'; it takes gains, judged_only
explain(INTENTS, RUNS["good"], "D_nDCG@5", "q1") |
    D_nDCG@5 cannot be explained: one ranking with one level
judges(QRELS, {"m": QRELS}, RUNS, ["D_nDCG@5"]) |
    D_nDCG@5 takes no judges: they are compared by one level of
curves(INTENTS, RUNS, "nCG") |
    qrels: topic 'q1', document 'a': levels for several intents or judges (1, 2)
curves(INTENTS, RUNS, "D_Q", ideal=True) |
    D_Q has no ideal curve: its documents have a level for each intent
evaluate(QRELS, RUNS, ["AP"], sessions=True) |
    topic 'q1' is not a turn of a session: name it as in 31_1
evaluate(QRELS, RUNS, ["AP"], sessions=5) | sessions=5 is not allowed; it is True or a mapping
evaluate(QRELS, RUNS, ["AP"], sessions={"q1": ("s", 1), "q2": 3}) |
    topic 'q2' is not a turn of a session
evaluate(QRELS, RUNS, ["AP"], sessions={"q1": ("s", 1)}) | topic 'q2' is not a turn of a session
evaluate(QRELS, RUNS, ["AP"], sessions={"q1": (nan, 1)}) | topic 'q1' is not a turn of a session
evaluate(QRELS, RUNS, ["AP"], sessions={"q1": ("s", 1), "q2": ("s", 1)}) |
    topics 'q1' and 'q2' are both
gate(ONES, sessions=True) | sessions needs qrels and runs; values stay those of their topics
evaluate(QRELS, RUNS, ["sDCG@5"]) | good: sDCG has a value for a session, not for a topic; evaluate
curves(QRELS, RUNS, "nsDCG") |
    good: nsDCG has a value for a session, not for a topic; evaluate, compare
explain(QRELS, RUNS["good"], "sDCG", "q1") |
    sDCG has a value for a session, not for a topic; evaluate
curves(QRELS, RUNS, "nsDCG@3") | evaluate, compare, power, gate and sensitivity compute
curves(QRELS, RUNS, "ERR@5") |
    graded measures have: ERR_G(max_gain=15)@5 has the same values, with the top level 4 of gdeval
evaluate(QRELS, RUNS, ["Bpref"], unjudged="max") |
    have, and AP, nDCG, P, R, RBP, RR, SetP, SetR, Success of
curves(QRELS, RUNS, "nCG@10", 20)                       | nCG@10 ends at rank 10, but depth=20
curves(QRELS, RUNS, "nCG", 10**6)                       | it is a whole number from 1 to 100000
curves(QRELS, RUNS, "P@1000000")                        | it is a whole number from 1 to 10000
curves(QRELS, RUNS, ["CG@3", "P@10"], at=[4])           |
    at=4 is not allowed; it is a whole number from 1 to 3
curves(QRELS, RUNS, "nCG", confidence=nan)              | confidence=nan is not allowed
curves(QRELS, RUNS, "nCG", confidence=0.9, resamples=2) | it is a whole number ≥ 100
curves(QRELS, RUNS, "nCG", confidence=0.9, seed=-1)     | seed=-1 is not allowed
curves(QRELS, RUNS, "CG", 3, confidence=0.9, resamples=10**12) |
    too large: bands at 3 ranks would need
curves({"q": {}}, {"A": {}}, "CG", confidence=0.9)      |
    bands need at least 2 topics; 1 topic counts
curves(QRELS, {"rank": RUNS["good"]}, "CG", 2)          | 'rank' is a column name; rename the run
curves(QRELS, {"A": {}, "A lower": {}}, "CG", 2, confidence=0.9) |
    'A lower' is a column name; rename
curves(QRELS, RUNS, "RelativeRelevance(norm='none')")   | has the score 3.0; it must be in [0, 1]
ranges(TWO, {}, ["nDCG_JK"])                            | an Evaluation has no rankings
curves(TWO, {}, ["nDCG_JK"])                            | an Evaluation has no rankings
intervals(of_array([[0]]))                              | A: nDCG_JK has 1 topic
intervals(TWO, method="BCa")                            |
    method='BCa' is not allowed; it is one of t, bca
intervals(TWO, seed=-1)                                 |
    seed=-1 is not allowed; it is a whole number ≥ 0
intervals(TWO).of("C", "nDCG_JK")                       |
    the run 'C' is not among those evaluated: A and B
sensitivity(QRELS, RUNS, [])                            | no measure is given; name at least one
sensitivity(QRELS, RUNS, ["CG(gains=2:1)"])             | there is only one ranking of the runs
sensitivity(QRELS, RUNS, ["CG"], cutoffs=range(1, 900)) | 899 rankings of the runs are too many
sensitivity(QRELS, {"one": RUNS["good"]}, ["CG", "nCG"]) | a ranking needs at least 2 runs, not 1
sensitivity(QRELS, RUNS, ["CG"], gains=["w1", "w2"])    |
    unknown weighting 'w2'; use a preset (w1, w3
sensitivity({"q": {"b": -1}}, RUNS, ["CG"], gains=["w1", "w3"]) |
    has no gain for level -1 of the qrels
sensitivity(QRELS, RUNS, ["CG"], gains={"x": {1: -1}})  |
    level 1 has gain -1, which is not finite and ≥ 0
sensitivity(QRELS, RUNS, ["AP"], gains=["w1", "w3"])    | no measure takes the gains
sensitivity(QRELS, RUNS, ["CG@5"], cutoffs=[1, 2])      | no measure takes the cutoff
ranges(QRELS, RUNS, ["Bpref"]) |
    Bpref has no ranges over ties and judgments; most graded measures have, and
evaluate(QRELS, RUNS, ["SetP(relative=True)"], ties="mean") |
    ties: SetP: relative=True has no options
evaluate(QRELS, RUNS, ["NDPM"], ties="mean") |
    NDPM has no option 'ties'; it takes performance, tied_by, gains
evaluate(QRELS, RUNS, ["Rprec"], unjudged="max") |
    its cutoff, the number of relevant documents, moves
evaluate(QRELS, RUNS, ["AP(ties=mean)"], unjudged="max") |
    unjudged='max' and ties='mean' cannot be combined
evaluate(QRELS, RUNS, ["AP"], ties="best") | AP: ties='best' is not allowed; ties is one of 'docid'
evaluate({"q1": {"a": 0.9, "b": 2}}, RUNS, ["SetAP"]) |
    'a': the level is 0.9; SetAP takes whole levels
evaluate({"q1": {"a": 0.9, "b": 2}}, RUNS, ["nDCG@9"]) |
    whole levels; nDCG_Burges(gains=linear)@9 is the same
ranges({"q1": {"a": 0.9, "b": 2}}, RUNS, ["P(rel=2)@9"]) |
    gP(max_gain=1,gains={0.9:0,2:1})@9 is the same
ranges(QRELS, RUNS, ["CG(ties=mean)@2"])                |
    leave out ties, its ranges are computed anyway
explain_difference(QRELS, {"good": RUNS["good"]}, "CG") | explain_difference needs 2 runs, not 1
explain(QRELS, RUNS["good"], "Q(ties=max)", "q1")       | one ranking with one level of each
explain(QRELS, RUNS["good"], "nCG(unjudged=max)", "q1") | one ranking with one level of each
explain(QRELS, RUNS["good"], "Bpref", "q1")             |
    Bpref has no explanation of each document; most
explain(QRELS, RUNS["good"], "CG", 7)                   |
    topic '7' is not in the qrels (such as 'q1')
explain(QRELS, RUNS["good"], "CG", "q11")               | did you mean q1?
explain(QRELS, RUNS["good"], "CG", "q1", 10**9)         | it is a whole number from 1 to 100000
explain(QRELS, RUNS["good"], "RBP_G(max_gain=1)", "q1") | RBP_G(max_gain=1): topic 'q1'
compare(of_array([[0.1, 0.2]])) | at least 2 runs, not 1
compare(of_array([[0.1, 0.2]] * 708)) |
    708 runs have 250,278 differences by 1 measure, and at most 250,000 are tested; compare with a
    baseline (--baseline RUN, baseline='RUN'), or give fewer
power(of_array([[0.1, 0.2]] * 708)) |
    708 runs have 250,278 differences by 1 measure, and at most 250,000 are tested; give fewer runs
compare(of_array([[0.1], [0.2]])) | at least 2 topics, not 1
compare(QRELS, BM25, ["CG"], baseline="bm2") |
    not among the runs bm25 and bm25+rm3; did you mean bm25?
compare(TWO, tests=["f"]) | the tests are conover, anova, tukey, wilcoxon
compare(TWO, correction="sidak") |
    correction='sidak' is not known; it is one of holm, bonferroni, bh, none
compare(TWO).top("AP") | AP is not among the measures evaluated: nDCG_JK
compare(TWO, seed=True) | seed=True is not allowed; it is a whole number ≥ 0
compare(TWO, resamples=1.5) | resamples=1.5 is not allowed; it is a whole number ≥ 1
power(QRELS, MISSING, alpha=0) | alpha=0 is not allowed; it is above 0 and below 1, as 0.05
power(QRELS, MISSING, power=1) | power=1 is not allowed; it is above alpha=0.05 and below 1
power(QRELS, MISSING, differences=[0.1, -1]) | difference=-1 is not allowed; it is a num
compare(QRELS, MISSING, resamples=10 ** 12) | is too large: their differences would need
gate(ONES, margin="120%") | '120%' is not allowed; give a share below 100%, as 5%, or 0.01
gate(ONES, margin=float("nan")) | margin=nan is not allowed
gate(ONES, margin=150) | it must be below the old mean 1; for a share of it write 150%
gate(ONES, looks=0) | looks=0 is not allowed; it is a whole number from 1 to 1000
gate(of_array([[1] * 5])) | there are 1 run and 5 topics
gate(of_array([[0] * 5, range(5)])) | the old mean is 0, and a relative margin is a
gate(QRELS, BM25, ["CG"], stored=ONES) |
    stored values: values has no run 'bm25'; its runs are A and B
intervals(QRELS, RUNS, ["AP"]) | intervals(evaluate(qrels, runs, measures))
identify(QRELS, RUNS["good"], 0.25, mean=0.25) | give values by topic or a mean, one of the two
compare_collections([ROW | {"collection": ""}]) | row 1, column collection: '' is empty
compare_collections({"x": TWO, "y": TWO}, ["AP"]) | AP is not among the measures evaluated: nDCG_JK
compare_collections({"x": TWO}, smaller=["AP"]) | smaller is for a table of values
compare_collections({"x": TWO}).data("tests") | what='tests' is not allowed; what is 'differences', 'open' or
compare_collections([ROW] * 2) | x: values: row 2: A has two values of AP for topic 1
compare_collections([{"run": "A", "topic": "1", "AP": 0.5}]) | have no column collection
"""


CASES = re.sub(r"\n +", " ", REFUSED).strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_a_refusal_names_the_fact(case):
    line, fact = case.rsplit(" | ", 1)
    with pytest.raises(GradedError) as refused:
        eval(line, dict(NAMES))
    assert fact in str(refused.value)
