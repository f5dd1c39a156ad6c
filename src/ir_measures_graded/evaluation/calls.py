"""Answers calls whose arguments do not fit with the right call."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from numbers import Real
from os import PathLike
from typing import Any, TypeVar

from ir_measures import Measure

from ..errors import GradedError

F = TypeVar("F", bound=Callable[..., Any])


def called_right(function: F) -> F:
    """The function of qrels, runs and measures, which answers other arguments with the right call.

    Users of other packages give the measures first, or each run as an argument of its own.

    >>> @called_right
    ... def gate(qrels, runs, measures=(), *, margin=None): ...
    >>> gate({"q": {"a": 1}}, "old.run", "new.run", "AP")
    Traceback (most recent call last):
    TypeError: gate: too many positional arguments; write gate(qrels, {'a': run, 'b': other}, measures), ...

    Raises `TypeError` for arguments that do not fit the signature, and `GradedError` for measures in place of
    qrels and a run in place of measures.
    """
    fields, name = signature(function), function.__name__
    first, second, third = [*fields.parameters][:3]
    runs = "{'a': run, 'b': other}" if second == "runs" else second
    right = f"write {name}({first}, {runs}, {third}), with options as keywords"

    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            given = fields.bind(*arguments, **options).arguments
        except TypeError as error:
            raise TypeError(f"{name}: {error}; {right}") from None
        qrels, measures = given[first], given.get(third)
        listed = qrels if isinstance(qrels, (list, tuple)) else ()
        if isinstance(qrels, Measure) or any(isinstance(each, (str, Measure)) for each in listed):
            raise GradedError(f"{name}: measures are given as {first}; {right}")
        if isinstance(measures, (Mapping, PathLike)) or hasattr(measures, "columns"):
            raise GradedError(f"{name}: a run is given as {third}; {right}")
        return function(*arguments, **options)

    return called  # type: ignore[return-value]


def as_list(given: Any) -> list[Any]:
    """The items, of which a single one may stand for itself.

    >>> as_list(0.05), as_list("tukey"), as_list((5, 10))
    ([0.05], ['tukey'], [5, 10])
    """
    return [given] if isinstance(given, (str, Real)) else [*given]
