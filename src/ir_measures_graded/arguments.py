"""Checks of what a caller passes: each returns the value, or raises one error that names the
parameter.

Python would otherwise fail somewhere inside, with an error that names no parameter, or go on with a
value that nobody meant: 'no' is true, and True is the number 1.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import wraps
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from .errors import GradedError, shown

Called = TypeVar("Called", bound=Callable[..., Any])


def explains_wrong_calls(example: str) -> Callable[[Called], Called]:
    """Name what to write if a function or class is called with arguments that it does not take.

    `example` is a valid call, which begins with the public name.

    >>> @explains_wrong_calls("rank(['AP'])")
    ... def rank(measures, alpha=0.05):
    ...     return measures
    >>> rank(["AP"], beta=0.1)
    Traceback (most recent call last):
    TypeError: rank() got an unexpected keyword argument 'beta'; it takes measures and alpha
    >>> rank("a", "b", "c")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: rank takes 2 arguments, not 3; call rank(['AP'])
    """

    def decorated(called: Any) -> Any:
        if not isinstance(called, type):
            return _explaining(called, called, example)
        of_class: Any = called
        of_class.__init__ = _explaining(of_class.__init__, called, example)
        return called

    return decorated


def _explaining(
    function: Callable[..., Any], called: Callable[..., Any], example: str
) -> Callable[..., Any]:
    """`function`, whose wrong calls are explained. Users call it as `called`, which is the class if
    the function is its `__init__`.
    """

    @wraps(function)
    def explaining(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            signature = inspect.signature(called)
            passed = args
            if isinstance(called, type):
                passed = args[1:]  # The signature of a class is without `self`.
            try:
                signature.bind(*passed, **kwargs)
            except TypeError as wrong:
                from .wrong_calls import explained  # Only mistakes need it.

                name = example.partition("(")[0]
                raise explained(name, signature, passed, kwargs, example, wrong) from None
            raise

    return explaining


def refused(name: str, value: object, rule: str) -> GradedError:
    """The error for a value that a parameter does not allow.

    >>> refused("rounds", "5", "a whole number ≥ 1")
    GradedError("rounds='5' is not allowed; rounds is a whole number ≥ 1")
    """
    return GradedError(f"{name}={shown(value)} is not allowed; {name} is {rule}")


def flag(name: str, value: Any) -> bool:
    """A truth value, of Python or of NumPy.

    >>> flag("progress", np.True_)
    True
    >>> flag("progress", "no")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: progress='no' is not allowed; progress is True or False
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise refused(name, value, "True or False")


def whole_number(
    name: str, value: Any, lowest: int | None = None, highest: int | None = None
) -> int:
    """A whole number within the bounds, which are allowed themselves. Truth values and text are
    refused.

    >>> whole_number("seed", np.int64(3), lowest=0)
    3
    >>> whole_number("seed", True, lowest=0)
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: seed=True is not allowed; seed is a whole number ≥ 0
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if is_whole and _is_within(value, lowest, highest):
        return int(value)
    raise refused(name, value, _with_bounds("a whole number", lowest, highest))


def number(
    name: str, value: Any, lowest: float | None = None, highest: float | None = None
) -> float:
    """A finite number within the bounds, which are allowed themselves. Truth values and text are
    refused.

    >>> number("share", 0.9, lowest=0, highest=1)
    0.9
    >>> number("share", "0.9", lowest=0, highest=1)
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: share='0.9' is not allowed; share is a number from 0 to 1
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and _is_finite(value) and _is_within(value, lowest, highest):
        return float(value)
    raise refused(name, value, _with_bounds("a number", lowest, highest))


def word(name: str, value: Any, words: Collection[str]) -> str:
    """One of the words that a parameter allows.

    >>> word("ties", "mean", ["mean", "min"])
    'mean'
    >>> word("ties", None, ["mean", "min"])
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: ties=None is not allowed; ties is 'mean' or 'min'
    """
    if isinstance(value, str) and value in words:
        return str(value)
    *others, last = map(repr, words)
    either = f"{', '.join(others)} or {last}" if others else last
    raise refused(name, value, either)


def text(name: str, value: Any, what: str = "a string") -> str:
    """A string.

    >>> text("name", 7)
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: name=7 is not allowed; name is a string
    """
    if isinstance(value, str):
        return value
    raise refused(name, value, what)


def items(name: str, values: Any, what: str) -> list[Any]:
    """What a list, an array, a Series or an iterator has. `what` says what it should have, in the
    plural.

    Text is refused, as its items would be single characters. So is an iterator without any item, as
    one that was used before is.

    >>> items("depths", np.array([5, 10]), "numbers")
    [5, 10]
    >>> items("depths", None, "numbers")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: depths=None is not allowed; depths is a list of numbers
    >>> items("runs", iter([]), "runs")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: runs: the iterator has no item; it can be used only once
    """
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise refused(name, values, f"a list of {what}")
    listed = list(values)
    if not listed and isinstance(values, Iterator):
        raise GradedError(f"{name}: the iterator has no item; it can be used only once")
    return listed


def names(name: str, value: Any) -> list[str]:
    """The strings of a list; a single string stands for itself.

    >>> names("smaller", "ESL"), names("smaller", ("ESL", "cost"))
    (['ESL'], ['ESL', 'cost'])
    >>> names("smaller", 5)
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: smaller=5 is not allowed; smaller is a list of strings
    """
    if isinstance(value, str):
        return [value]
    return [text(name, item) for item in items(name, value, "strings")]


def _is_finite(value: Any) -> bool:
    """Whether a number is finite as a float, which whole numbers above 1.8e308 are not."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_within(value: Any, lowest: float | None, highest: float | None) -> bool:
    is_too_low = lowest is not None and value < lowest
    is_too_high = highest is not None and value > highest
    return not (is_too_low or is_too_high)


def _with_bounds(what: str, lowest: float | None, highest: float | None) -> str:
    """A kind of number with its bounds, in words."""
    if lowest is None and highest is None:
        return what
    if highest is None:
        return f"{what} ≥ {lowest}"
    if lowest is None:
        return f"{what} ≤ {highest}"
    return f"{what} from {lowest} to {highest}"
