"""Checks of options, and the libraries of the extra ``stats``, imported on first use.

`scipy.special` has the distributions that most analyses need; `scipy.stats` takes a second to
import.
"""

from numbers import Real
from typing import Any

from ir_measures import Measure

from ...core.budget import MEMORY
from ...core.ranking.gains import plain_number
from ...errors import GradedError, needed, shown


def whole_number(value: Any, name: str, least: int, most: int | None = None) -> int:
    """`value` as an `int` from `least` to `most`. Raises `GradedError` if it is not such a number.

    >>> whole_number(10.0, "documents", 2)
    10
    """
    try:
        number = plain_number(value)
    except (TypeError, ValueError):
        number = least - 1
    if not isinstance(number, int) or number < least or (most is not None and number > most):
        allowed = f"≥ {least}" if most is None else f"from {least} to {most}"
        raise GradedError(f"{name}={shown(value)} is not allowed; it is a whole number {allowed}")
    return number


def as_list(items: Any) -> list[Any]:
    """The items, of which a single one may stand for itself.

    >>> as_list(0.05), as_list("tukey"), as_list((5, 10))
    ([0.05], ['tukey'], [5, 10])
    """
    if isinstance(items, (str, Real, Measure)):
        return [items]
    return list(items)


def refuse_large(name: str, value: int, needed: int, what: str) -> None:
    """Raise `GradedError`, before an analysis begins, if it would need too much memory for an
    option."""
    if needed > MEMORY:
        needed_gib = f"{needed / 2**30:.0f} GiB"
        raise GradedError(
            f"{name}={value} is too large: {what} would need {needed_gib} of memory, "
            f"and {MEMORY >> 30} GiB are allowed"
        )


def check_probability(value: float, name: str, example: float) -> None:
    """Raise `GradedError` unless `value` is above 0 and below 1."""
    if not 0 < value < 1:
        raise GradedError(
            f"{name}={value!r} is not allowed; it is above 0 and below 1, as {example}"
        )


def statistics_library(module: str) -> Any:
    """Import a module. Raises `GradedError`, which names the extra, if it is not installed.

    An analysis calls this first, so that the error comes before runs are read.
    """
    return needed(module, "this analysis", "stats")
