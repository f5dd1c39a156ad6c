"""Every public function refuses each wrong type of each parameter with an error that names it."""

import inspect
import warnings
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pytest

from ir_measures_graded import (
    GradedError,
    GradedEvaluator,
    GradedProvider,
    RunFile,
    analysis,
    parse_measure,
    ratio,
    read_qrels,
    register,
    sentence,
    testing,
    vectors,
)
from ir_measures_graded.evaluation.attributes import groups_of
from ir_measures_graded.evaluation.batches import evaluate_batches, needs_levels
from ir_measures_graded.integrations.scikit_learn import scorer

QRELS = {f"q{number}": {"a": 2, "b": 1, "c": 0} for number in range(12)}
FIRST = {topic: {"a": 1.0 + number % 3, "b": 2.0, "x": 0.5} for number, topic in enumerate(QRELS)}
SECOND = {topic: {"b": 1.0, "c": 2.0 + number % 2} for number, topic in enumerate(QRELS)}
MACHINE = {topic: {"a": 2, "b": number % 2, "c": 0} for number, topic in enumerate(QRELS)}
RUNS = {"A": FIRST, "B": SECOND}
MEASURES = ["nDCG_JK@2"]
VALUES = analysis.evaluate(QRELS, RUNS, MEASURES)
RIGHT = {
    "ascending_runs": (RUNS,),
    "evaluate": (QRELS, RUNS, MEASURES),
    "check": (QRELS, RUNS, MEASURES),
    "compare": (QRELS, RUNS, MEASURES),
    "compare_leaderboards": (VALUES, VALUES, MEASURES),
    "compare_collections": ({"x": (QRELS, RUNS), "y": (QRELS, RUNS)}, MEASURES),
    "curves": (QRELS, RUNS, "nCG@5"),
    "effort": (QRELS, RUNS, "CG@5"),
    "estimate": (QRELS, MACHINE, RUNS, MEASURES),
    "explain": (QRELS, FIRST, "nDCG_JK@2", "q1"),
    "explain_difference": (QRELS, RUNS, "nDCG_JK@2", "q1"),
    "gate": (QRELS, RUNS, MEASURES),
    "group_means": (VALUES, {"q1": "long", "q2": "short"}),
    "holes": (QRELS, RUNS, "nDCG_JK@2"),
    "ignoring_identical_ids": (RUNS,),
    "intervals": (VALUES,),
    "judges": (QRELS, {"machine": MACHINE}, RUNS, MEASURES),
    "levels": (QRELS,),
    "ordered_runs": (RUNS,),
    "merge_judges": ({"Ann": QRELS, "machine": MACHINE}, "mean"),
    "power": (QRELS, RUNS, MEASURES),
    "power_collections": (dict.fromkeys("xyz", (QRELS, RUNS)), MEASURES),
    "ranges": (QRELS, RUNS, MEASURES),
    "read_collections": ("collections.csv",),
    "report": (QRELS, RUNS, MEASURES),
    "reproduce": (VALUES, VALUES, "A", "B", MEASURES),
    "sensitivity": (QRELS, RUNS, MEASURES),
}
"""Arguments of which each function has a result."""


class Thing:
    """An object of some class."""

    def __repr__(self):
        return "a thing"


def used_up():
    """An iterator that was used before."""
    iterator = iter([1])
    list(iterator)
    return iterator


def wrong_values():
    """Values that hardly any parameter allows, by what they are; made anew for each call."""
    return {
        "None": None,
        "number": 7,
        "float": 0.5,
        "text": "no such thing",
        "empty text": "",
        "bytes": b"text",
        "True": True,
        "thing": Thing(),
        "class": Thing,
        "function": len,
        "numbers": [1, 2],
        "nested": [[["x"]]],
        "None in a list": [None],
        "dict": {"a": None},
        "dict of numbers": {1: 2},
        "array": np.array([1.5, np.nan]),
        "Series": pandas.Series([1.5, 2.5]),
        "frame": pandas.DataFrame({"x": [1]}),
        "nan": float("nan"),
        "negative": -3,
        "above all floats": 10**400,
        "array of no dimension": np.array(5),
        "used up": used_up(),
        "set": {1, 2},
        "date": pandas.Timestamp(0),
    }


INPUTS = set(
    "qrels runs run human machine given answers topic machines first second original again "
    "baseline advanced path judges by machine_levels queries gains evaluation collections "
    "weights file values table batches groups".split()
)
"""Their errors may name what was read, such as a file, a run or levels."""


COMPARED = analysis.compare(VALUES)
EXPLAINED = analysis.explain(QRELS, FIRST, "nDCG_JK@2", "q1")
POWER = analysis.power(VALUES)
SENSITIVITY = analysis.sensitivity(QRELS, RUNS, MEASURES)
nDCG_JK = parse_measure("nDCG_JK@2")
ARROW_QRELS = pyarrow.table({"query_id": ["q1"], "doc_id": ["a"], "relevance": [1]})
ARROW_RUN = pyarrow.table({"query_id": ["q1"], "doc_id": ["a"], "score": [1.0]})
ELSEWHERE = {
    "parse_measure": (parse_measure, ["nDCG@10"]),
    "sentence": (sentence, ["nDCG_JK@10"]),
    "register": (register, [parse_measure("nDCG_JK")]),
    "ratio": (ratio, [1.0, 2.0]),
    "read_qrels": (read_qrels, ["qrels.txt"]),
    "RunFile": (RunFile, ["A.run"]),
    "check_measure": (testing.check_measure, [parse_measure("CG")]),
    "checks": (testing.checks, [parse_measure("CG")]),
    "parametrize_with_checks": (testing.parametrize_with_checks, [[parse_measure("CG")]]),
    "vectors.load": (vectors.load, []),
    "vectors.write": (vectors.write, ["vectors"]),
    "GradedEvaluator": (GradedEvaluator, [[nDCG_JK], QRELS]),
    "GradedProvider.evaluator": (GradedProvider().evaluator, [[nDCG_JK], QRELS]),
    "needs_levels": (needs_levels, [MEASURES]),
    "evaluate_batches": (evaluate_batches, [MEASURES, ARROW_QRELS, [ARROW_RUN]]),
    "assumed_qrels": (analysis.assumed_qrels, [QRELS, RUNS, 1]),
    "save": (analysis.figures.save, [VALUES.figure(), "figure.png"]),
    "groups_of": (groups_of, [["q1", "q2"], {"q1": "a", "q2": "b"}]),
    "identify": (analysis.identify, [QRELS, FIRST, {"q1": 0.5, "q2": 0.25}]),
    "scorer": (scorer, ["nDCG_JK@2"]),
    "Evaluation.from_values": (
        analysis.Evaluation.from_values,
        [{"run": ["a"], "topic": ["1"], "AP": [0.5]}],
    ),
    "Evaluation.of": (VALUES.of, ["nDCG_JK@2"]),
    "Evaluation.part": (VALUES.part, [["A"], MEASURES]),
    "Evaluation.on": (VALUES.on, [[0]]),
    "Evaluation.weighted": (VALUES.weighted, [dict.fromkeys(QRELS, 1.0)]),
    "Result.lines": (VALUES.lines, []),
    "Result.save": (VALUES.save, ["values.csv"]),
    "Result.to_frame": (VALUES.to_frame, []),
    "Result.to_markdown": (VALUES.to_markdown, []),
    "Comparison.data": (COMPARED.data, []),
    "Comparison.find": (COMPARED.find, ["nDCG_JK@2"]),
    "Comparison.first": (COMPARED.first, [2]),
    "Comparison.mean": (COMPARED.mean, ["nDCG_JK@2", "A"]),
    "Comparison.spread": (COMPARED.spread, ["nDCG_JK@2", "A"]),
    "Comparison.to_latex": (COMPARED.to_latex, []),
    "Comparison.to_html": (COMPARED.to_html, []),
    "Explanation.down_to": (EXPLAINED.down_to, [2]),
    "Power.chance": (POWER.chance, ["nDCG_JK@2", 0.1]),
    "Power.topics_for": (POWER.topics_for, ["nDCG_JK@2", 0.1]),
    "Sensitivity.changes": (SENSITIVITY.changes, [0, 1]),
}
"""Other functions and methods of the API, each with arguments of which it has a result."""
SAID_OTHERWISE = {"text": "measure"}
"""What errors call a parameter."""
CALLS = {name: (getattr(analysis, name), RIGHT[name]) for name in RIGHT} | ELSEWHERE


@pytest.mark.parametrize("function", CALLS)
def test_a_wrong_argument_has_one_error_that_names_the_parameter(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("collections.csv").write_text("collection,qrels,runs\n2019,qrels.txt,A.run\n")
    Path("qrels.txt").write_text("q1 0 a 1\n")
    call, right = CALLS[function]
    parameters = inspect.signature(call).parameters
    problems = []
    for parameter in parameters:
        for wrong, value in wrong_values().items():
            if parameter == "progress" and callable(value):
                continue  # it is called with the progress, and its own errors are the caller's
            if function == "Result.to_frame" and isinstance(value, str):
                continue  # the error names the columns of the only table
            if parameter in ("denominator", "undefined") and wrong == "above all floats":
                continue  # as an infinite denominator, it is an `OverflowError`
            arguments = dict(zip(parameters, right, strict=False))
            arguments[parameter] = value
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call(**arguments)
            except GradedError as error:
                said = SAID_OTHERWISE.get(parameter, parameter).rstrip("s")
                is_named = parameter in INPUTS or said in str(error).lower()
                if not is_named or "\n" in str(error):
                    problems.append(f"{parameter}: {wrong}: {error}")
            except Exception as error:
                problems.append(f"{parameter}: {wrong}: {type(error).__name__}: {error}")
    assert not problems, "\n".join(problems)


def takes_measures(function):
    return "measures" in inspect.signature(getattr(analysis, function)).parameters


TAKE_MEASURES = [function for function in RIGHT if takes_measures(function)]
FORMS = [np.array, pandas.Series, tuple, iter]


@pytest.mark.parametrize(
    ("function", "form"),
    [("evaluate", form) for form in FORMS] + list(zip(TAKE_MEASURES, cycle(FORMS))),
)
def test_measures_come_in_every_list(function, form):
    call = getattr(analysis, function)
    arguments = list(RIGHT[function])
    arguments[arguments.index(MEASURES)] = form(MEASURES)
    assert str(call(*arguments)) == str(call(*RIGHT[function]))


@pytest.mark.parametrize("function", ["gate", "compare", "evaluate", "power"])
def test_runs_that_are_not_in_a_dict_are_answered_with_the_right_call(function):
    call = getattr(analysis, function)
    for arguments in [(QRELS, FIRST, SECOND, "nDCG@10"), (QRELS, FIRST, SECOND)]:
        with pytest.raises(GradedError) as caught:
            call(*arguments)
        assert f"call {function}(qrels, {{'" in str(caught.value)
