"""Every public function refuses each wrong type of each parameter with an error that names it."""

import inspect
import warnings
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas
import pytest

from ir_measures_graded import GradedError, analysis

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
    "weights".split()
)
"""Their errors may name what was read, such as a file, a run or levels."""


@pytest.mark.parametrize("function", RIGHT)
def test_a_wrong_argument_has_one_error_that_names_the_parameter(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("collections.csv").write_text("collection,qrels,runs\n2019,qrels.txt,A.run\n")
    call = getattr(analysis, function)
    parameters = inspect.signature(call).parameters
    problems = []
    for parameter in parameters:
        for wrong, value in wrong_values().items():
            if parameter == "progress" and callable(value):
                continue  # it is called with the progress, and its own errors are the caller's
            arguments = dict(zip(parameters, RIGHT[function], strict=False))
            arguments[parameter] = value
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call(**arguments)
            except GradedError as error:
                is_named = parameter in INPUTS or parameter.rstrip("s") in str(error)
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
