"""The check of the arguments of public functions, before anything is read or computed.

The functions share the names of their parameters, so that each name has one check, in `CHECKS`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from functools import wraps
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from ir_measures import Measure

from ..arguments import flag, items, names, number, refused, text
from ..errors import GradedError, shown
from ..output.result import Result
from ..progress import checked_progress, followed

P = ParamSpec("P")
T = TypeVar("T")


Check = Callable[[str, Any], Any]
"""The check of a value of the parameter with a name; it returns the value."""


def checks_arguments(example: str, **own: Check) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Check the arguments of a public function by their names.

    None is allowed where it is the default. `example` is a valid call, which the error for too many
    positional arguments and for wrong measures shows. `own` are the checks of parameters that mean
    something else in this function. The work of the function is followed as its parameter
    `progress` says, if it has one.

    >>> @checks_arguments("rank(['AP'])")
    ... def rank(measures, alpha=0.05):
    ...     return measures
    >>> rank(["AP"], alpha="0.1")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: alpha='0.1' is not allowed; alpha is a number
    >>> rank("a", "b", "c")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: rank takes 2 arguments, not 3; call rank(['AP'])
    >>> rank()
    Traceback (most recent call last):
    TypeError: rank() lacks measures; call rank(['AP'])
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)
        checks = {**CHECKS, **own}

        @wraps(function)
        def with_checks(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                from ..wrong_calls import explained  # Only mistakes need it.

                name = function.__name__
                raise explained(name, signature, args, kwargs, example, error, saves=True) from None
            for name, value in bound.arguments.items():
                check = checks.get(name)
                is_default = value is None and signature.parameters[name].default is None
                if check is not None and not is_default:
                    bound.arguments[name] = _checked(check, name, value, example)
            with followed(bound.arguments.get("progress")):
                return function(*bound.args, **bound.kwargs)

        return with_checks

    return decorated


def _checked(check: Check, name: str, value: Any, example: str) -> Any:
    """The value. The error for a run in place of measures shows a right call."""
    if check is _measures and (isinstance(value, Mapping) or _is_table(value)):
        rule = "a list of measures or measure strings"
        raise GradedError(f"{name}={shown(value)} is not allowed; {name} is {rule}; call {example}")
    return check(name, value)


def _is_table(value: Any) -> bool:
    return hasattr(value, "columns") or hasattr(value, "column_names")


def _measures(name: str, value: Any) -> Any:
    """A measure or a string, or a list of them."""
    if isinstance(value, Measure) and name == "measures":
        return [value]
    if isinstance(value, (str, Measure)):
        return value
    what = "measures or measure strings"
    measures = items(name, value, what)
    for measure in measures:
        if not isinstance(measure, (str, Measure)):
            raise refused(name, measure, f"a list of {what}")
    return measures


def _names(name: str, value: Any) -> Any:
    """A string as it is, or a list of strings."""
    return value if isinstance(value, str) else names(name, value)


def measure_pairs(name: str, value: Any) -> Any:
    """A measure, its string or ``FIRST=SECOND``, or a list of them and of pairs of them."""
    if isinstance(value, (str, Measure)):
        return [value]
    what = "measures, measure strings, or pairs of them"
    measures = items(name, value, what)
    for measure in measures:
        pair = measure if isinstance(measure, tuple) else (measure, measure)
        if len(pair) != 2 or not all(isinstance(one, (str, Measure)) for one in pair):
            raise refused(name, measure, f"a list of {what}")
    return measures


def two_names(name: str, value: Any) -> Any:
    """A pair of strings, as a tuple."""
    is_pair = isinstance(value, (tuple, list)) and len(value) == 2
    if not is_pair or not all(isinstance(one, str) for one in value):
        raise refused(name, value, "a pair of strings")
    return tuple(value)


def name_or_two(name: str, value: Any) -> Any:
    """A string, or a pair of strings as a tuple."""
    return value if isinstance(value, str) else two_names(name, value)


def pairs(name: str, value: Any) -> Any:
    """A list of pairs, as tuples."""
    rule = "a list of pairs"
    listed = items(name, value, "pairs")
    for pair in listed:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise refused(name, pair, rule)
    return [tuple(pair) for pair in listed]


def _number(name: str, value: Any) -> Any:
    """A whole number as it is, because messages show it, and any other as a float."""
    checked = number(name, value)
    return value if isinstance(value, (int, float)) else checked


def _whole_number(name: str, value: Any) -> Any:
    """A number of any kind; the function knows the bounds and says so if it is not whole."""
    if isinstance(value, Real):
        return value
    raise refused(name, value, "a whole number")


def _numbers(name: str, value: Any) -> Any:
    """A number, or a list of numbers."""
    if isinstance(value, Real):
        return _number(name, value)
    return [_number(name, entry) for entry in items(name, value, "numbers")]


def _attribute(name: str, value: Any) -> Any:
    """A mapping or FILE:COLUMN."""
    if isinstance(value, str) or hasattr(value, "items"):
        return value
    raise refused(name, value, "a mapping of topics, or FILE:COLUMN")


def _one_of_types(types: tuple[type, ...], rule: str) -> Check:
    """The check of a parameter whose value has one of some types, as the `rule` says."""

    def check(name: str, value: Any) -> Any:
        if isinstance(value, types):
            return value
        raise refused(name, value, rule)

    return check


def _weightings(name: str, value: Any) -> Any:
    """A mapping of weightings by name, a text, or a list of texts."""
    if isinstance(value, (str, Mapping)):
        return value
    return [text(name, word) for word in items(name, value, "weightings")]


def _paths(name: str, value: Any) -> Any:
    """A mapping of qrels by name, a path, or a list of paths."""
    if isinstance(value, (str, os.PathLike, Mapping)):
        return value
    if _is_table(value):
        raise refused(name, value, "a mapping of qrels by name, as {'llm': qrels}")
    paths = items(name, value, "paths")
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise refused(name, path, "a mapping of qrels by name, or a list of paths")
    return paths


def _list_of_qrels(name: str, value: Any) -> Any:
    return items(name, value, "qrels")


def _number_or_text(name: str, value: Any) -> Any:
    return value if isinstance(value, str) else _number(name, value)


CHECKS: Mapping[str, Check] = {
    "aggregate": flag,
    "alpha": _number,
    "answers": _list_of_qrels,
    "any_cutoff": flag,
    "ascending": flag,
    "at": _numbers,
    "baseline": _names,
    "batch": _whole_number,
    "by": _attribute,
    "by_mean": flag,
    "command": text,
    "comparisons": _whole_number,
    "confidence": _number,
    "cutoffs": _numbers,
    "decimals": _whole_number,
    "depth": _whole_number,
    "differences": _numbers,
    "equivalent": flag,
    "evaluation": _one_of_types(
        (Result,), "an Evaluation: intervals(evaluate(qrels, runs, measures))"
    ),
    "every_group": flag,
    "fill": flag,
    "form": text,
    "gains": _weightings,
    "highest": flag,
    "highlight": _names,
    "ideal": flag,
    "ignore_identical_ids": flag,
    "judges": _paths,
    "k": _numbers,
    "looks": _whole_number,
    "machine_levels": _one_of_types((str, Mapping), "a mapping or a string"),
    "machines": _paths,
    "margin": _number_or_text,
    "mean": _number_or_text,
    "means": flag,
    "measure": _measures,
    "measures": _measures,
    "method": text,
    "name": text,
    "no_relevant": text,
    "p": _number,
    "pooled": flag,
    "power": _number,
    "progress": checked_progress,
    "provider": text,
    "queries": _one_of_types(
        (str, os.PathLike, Mapping), "a mapping of topics to queries, or the path of a file"
    ),
    "random": _number,
    "repeats": _one_of_types((str, Mapping), "a pattern of names, or a mapping of runs to systems"),
    "resamples": _whole_number,
    "ratio_of_means": flag,
    "rule": text,
    "seed": _whole_number,
    "smaller": _names,
    "stored": _one_of_types(
        (Result,), "an Evaluation, as evaluate and Evaluation.from_values return it"
    ),
    "tests": _names,
    "ties": text,
    "title": text,
    "top": _whole_number,
    "uncorrected": flag,
    "unjudged": text,
    "weights": _attribute,
    "width": _number,
}
"""The check of each parameter; ranges and words are checks_arguments where the value is used."""
