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
