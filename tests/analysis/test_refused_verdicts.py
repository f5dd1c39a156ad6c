"""Requests that tests and decisions refuse, and the fact that the message names."""

import re

import pytest
from evaluations import of_array

from ir_measures_graded import GradedError
from ir_measures_graded.analysis import compare, compare_collections, gate, power

pytest.importorskip("statsmodels", reason="the extra stats is not installed")

TWO, THREE, ONES = of_array([[0.1, 0.2]] * 2), of_array([[0.1, 0.2, 0.4]] * 3), of_array([[1] * 5] * 2)
QRELS, MISSING = {"q1": {"a": 1}, "q2": {"a": 1}}, {"A": "missing.run"}
"""Options are refused before a run is read."""
ROW = {"collection": "x", "run": "A", "topic": "1", "AP": 0.5}
OF_TWO = QRELS, {"bm25": QRELS, "bm25+rm3": QRELS}, ["CG"]


@pytest.mark.parametrize(
    ("call", "given", "options", "fact"),
    [
        (compare, of_array([[0.1, 0.2]]), {}, "at least 2 runs; there is 1"),
        (compare, of_array([[0.1], [0.2]]), {}, "at least 2 topics; there is 1"),
        (power, of_array([[1, 2]]), {}, "at least 2 runs; there is 1"),
        (compare, OF_TWO, {"baseline": "bm2"}, "not among the runs bm25, bm25+rm3; did you mean bm25?"),
        (compare, TWO, {"tests": ["f"]}, "the tests are conover, anova, tukey, wilcoxon"),
        (compare, TWO, {"sessions": True}, "values stay those of their topics"),
        (compare, TWO, {"seed": True}, "seed=True is not allowed; it is a whole number ≥ 0"),
        (compare, TWO, {"resamples": 1.5}, "resamples=1.5 is not allowed; it is a whole number ≥ 1"),
        (power, (QRELS, MISSING), {"alpha": 0}, "alpha=0 is not allowed; it is above 0 and below 1, as 0.05"),
        (power, (QRELS, MISSING), {"test": "anova"}, "one of t-holm, t, tukey, wilcoxon, wilcoxon-holm"),
        (power, (QRELS, MISSING), {"power": 1}, "power=1 is not allowed; it is above alpha=0.05 and below 1"),
        (power, (QRELS, MISSING), {"differences": [0.1, -1]}, "difference=-1 is not allowed; it is a num"),
        (power, (QRELS, MISSING), {"resamples": 10**12}, "is too large: their differences would need"),
        (gate, ONES, {"margin": "120%"}, "'120%' is not allowed; give a share below 100%, as 5%, or 0.01"),
        (gate, ONES, {"margin": float("nan")}, "margin=nan is not allowed"),
        (gate, ONES, {"margin": "5"}, "it must be below the old mean 1; write 5% for a share"),
        (gate, ONES, {"looks": 0}, "looks=0 is not allowed; it is a whole number from 1 to 1000"),
        (gate, of_array([[1] * 5]), {}, "there are 1 run and 5 topics"),
        (gate, of_array([[0] * 5, range(5)]), {}, "the old mean is 0, and a relative margin is a"),
        (gate, OF_TWO, {"stored": ONES}, "the stored values have no run bm25; they have A, B"),
        (compare, THREE, {"repeats": "(a)(b)"}, "a pattern has one group, the system, as in (.*)_seed1"),
        (compare, THREE, {"repeats": "("}, "'(' is not a regular expression: missing )"),
        (compare, THREE, {"repeats": "([AB])"}, "no system of the run 'C'; a pattern matches whole"),
        (compare, THREE, {"repeats": {"A": "one"}}, "gives no system of the run 'B'"),
        (compare, THREE, {"repeats": "(.)"}, "no system has several runs: the systems are A, B, C"),
        (compare, [ROW], {"repeats": r"A_\d"}, r"there is no column A_\d; the columns are"),
        (compare_collections, [ROW | {"collection": ""}], {}, "row 1, column collection: '' is empty"),
        (compare_collections, [ROW] * 2, {}, "x: values: row 2: A has two values of AP for topic 1"),
        (compare_collections, [{"run": "A", "topic": "1", "AP": 0.5}], {}, "have no column collection"),
    ],
)  # fmt: skip
def test_a_request_is_refused_with_the_fact(call, given, options, fact):
    first = given if isinstance(given, tuple) and isinstance(given[0], dict) else (given,)
    with pytest.raises(GradedError, match=re.escape(fact)):
        call(*first, **options)
