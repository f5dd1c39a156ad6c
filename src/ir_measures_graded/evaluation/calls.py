"""Answers calls whose arguments do not fit with the right call."""

import os
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from numbers import Real
from typing import Any, TypeVar

from ir_measures import Measure

from ..core.registry.notation import parse_measures
from ..errors import GradedError, did_you_mean
from ..files.sources import is_file

F = TypeVar("F", bound=Callable[..., Any])
PATH = (str, os.PathLike)


def called_right(function: F) -> F:
    """The function of qrels, runs and measures, which answers other arguments with the right call.

    Users of other packages give the measures first, or each run as an argument of its own.

    >>> @called_right
    ... def gate(qrels, runs, measures=(), *, margin=None): ...
    >>> gate({"q": {"a": 1}}, "old.run", "new.run", "AP")
    Traceback (most recent call last):
    TypeError: gate: too many positional arguments; write gate(qrels, {'a': run, 'b': other}, measures), ...

    Raises `TypeError` for arguments that do not fit the signature, and `GradedError` for measures in place of
    qrels, a run in place of measures, and several runs in place of one.
    """
    fields, name = signature(function), function.__name__
    first, second, third = [*fields.parameters][:3]
    several = f"({first}, {{'a': run, 'b': other}}, {third})"
    right = f"write {name}{several}, with options as keywords"
    if second == "run":
        right = f"write {name}({first}, run, {third}), or for two runs {name}_difference{several}"

    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            given = fields.bind(*arguments, **options).arguments
        except TypeError as error:
            others = (each for each in options if each not in fields.parameters)
            hint = did_you_mean(next(others, ""), fields.parameters)
            raise TypeError(f"{name}: {error}{hint or f'; {right}'}") from None
        if _are_measures(given[first]):
            raise GradedError(f"{name}: measures are given as {first}; {right}")
        if _is_run(given.get(third)):
            raise GradedError(f"{name}: a run is given as {third}; {right}")
        if second == "run" and _are_runs(given[second]):
            raise GradedError(f"{name}: several runs are given; {right}")
        return function(*arguments, **options)

    return called  # type: ignore[return-value]


def as_list(given: Any) -> list[Any]:
    """The items, of which a single one may stand for itself.

    >>> as_list(0.05), as_list("tukey"), as_list((5, 10))
    ([0.05], ['tukey'], [5, 10])
    """
    return [given] if isinstance(given, (str, Real)) else [*given]


def _are_measures(given: Any) -> bool:
    several = given if isinstance(given, (list, tuple)) else ()
    return isinstance(given, Measure) or any(isinstance(each, (str, Measure)) for each in several)


def _is_run(given: Any) -> bool:
    """Whether this is a table, a mapping, or the path of a file whose name is no measure."""
    if not isinstance(given, PATH):
        return isinstance(given, Mapping) or hasattr(given, "columns")
    try:
        parse_measures(os.fspath(given), uncut=True)
    except GradedError:
        return is_file(os.fspath(given))
    return False


def _are_runs(given: Any) -> bool:
    """Whether these are paths, alone or by name."""
    paths = given.values() if isinstance(given, Mapping) else given
    return isinstance(given, (Mapping, list, tuple)) and any(isinstance(each, PATH) for each in paths)
