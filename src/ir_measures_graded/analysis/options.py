"""Checks of options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ir_measures import Measure

from ..errors import GradedError, UnknownMeasureError
from ..ranking.gains import plain_number
from ..registry.notation import parse_measure, parse_measures

MEMORY = 2**32
"""The number of bytes that an analysis may take."""


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
        raise GradedError(f"{name}={value!r} is not allowed; it is a whole number {allowed}")
    return number


def refuse_large(name: str, value: int, needed: int, what: str) -> None:
    """Raise `GradedError`, before an analysis begins, if it would need too much memory for an option."""
    if needed > MEMORY:
        raise GradedError(
            f"{name}={value} is too large: {what} would need {needed / 2**30:.0f} GiB of memory, "
            f"and {MEMORY >> 30} GiB are allowed"
        )


def measures_named(measures: Measure | str | Iterable[Measure | str]) -> list[Measure]:
    """Measures by measure strings or trec_eval's names, without duplicates; a cutoff may be missing."""
    given = [measures] if isinstance(measures, (str, Measure)) else measures
    return list(dict.fromkeys(found for measure in given for found in _named(measure)))


def _named(measure: Measure | str) -> Iterable[Measure]:
    try:
        return [parse_measure(measure)]
    except UnknownMeasureError:
        return parse_measures([measure])  # also reads trec_eval's names
