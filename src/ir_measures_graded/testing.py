"""Tests of a measure, for its author: values, declared facts and options, on random small topics.

The checks of a test file with pytest::

    from ir_measures_graded.testing import parametrize_with_checks

    @parametrize_with_checks([MyMeasure])
    def test_my_measure(check):
        check()
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from random import Random
from typing import Any

import numpy as np

from .core.measures.base import GradedMeasure, MeasureError
from .core.registry.names import registered
from .core.registry.notation import parse_measure
from .core.trial import LEVELS, Case, problem, values_of, variants
from .errors import GradedError

__all__ = ["check_measure", "checks", "parametrize_with_checks"]

FIELDS = {
    "formula": "the formula in plain text",
    "range": "the range of the values, such as [0, 1]",
    "undefined": "the value where the formula has none",
    "source": "the paper that defines the measure",
}
TOLERANCE = 1e-9


def check_measure(measure: GradedMeasure) -> None:
    """Raise `AssertionError` with all that is wrong with a measure, and what to change; do nothing else.

    The checks are those of `checks`. They take a second or less.

    >>> from ir_measures_graded import Q
    >>> check_measure(Q)
    """
    wrong = [f"{name}: {message}" for name, check in _CHECKS.items() for message in _first(check, measure)]
    if wrong:
        raise AssertionError("\n".join(wrong))


def checks(measure: GradedMeasure) -> dict[str, Callable[[], None]]:
    """The checks of a measure by name; each raises `AssertionError` if it fails.

    - declaration: the docstring has a title, a description and all fields;
    - parameters: values and strings are read as they are printed, and wrong values are refused;
    - values: finite, in the declared range, for empty, single and unjudged lists, and as in a batch;
    - order: the best order is better than the worst, and `MONOTONE` holds;
    - options: declared facts, and `ties` and `unjudged` against all orders and judgments, as at admission.

    >>> [*checks(parse_measure("CG"))]
    ['declaration', 'parameters', 'values', 'order', 'options']
    """

    def checked(check: Callable[[GradedMeasure], Iterator[str]]) -> Callable[[], None]:
        def run() -> None:
            for message in _first(check, measure):
                raise AssertionError(message)

        return run

    return {name: checked(check) for name, check in _CHECKS.items()}


def parametrize_with_checks(measures: Iterable[GradedMeasure]) -> Any:
    """A decorator for pytest: the test function gets each check of each measure as its argument `check`."""
    import pytest

    cases = [(str(measure), name, check) for measure in measures for name, check in checks(measure).items()]
    return pytest.mark.parametrize(
        "check", [pytest.param(check, id=f"{measure}-{name}") for measure, name, check in cases]
    )


def _first(check: Callable[[GradedMeasure], Iterator[str]], measure: GradedMeasure) -> list[str]:
    """The first message of a check, or none."""
    try:
        return [message for message, _ in zip(check(measure), range(1))]
    except (GradedError, MeasureError) as error:
        return [f"{error}; a measure has a value for every topic"]


def _declaration(measure: GradedMeasure) -> Iterator[str]:
    if not (measure.PRETTY_NAME and measure.SHORT_DESC):
        yield f"the docstring of {measure.NAME} has no title; begin it as in 'Cumulated gain: The gain of …'"
    for field, content in FIELDS.items():
        if not measure.doc_field(field):
            yield f"the docstring of {measure.NAME} lacks :{field}:, {content}"


def _parameters(measure: GradedMeasure) -> Iterator[str]:
    for variant in variants(measure):
        with registered(type(measure)()):
            if parse_measure(str(variant)) != variant:
                yield f"{variant} is read as another measure; let `canonical` return plain numbers and words"
    for name, parameter in measure.SUPPORTED_PARAMS.items():
        bounds = [bound for *_, bound in getattr(parameter, "bounds", ())]
        beyond = [bound + sign for bound in bounds for sign in (-1e-3, 1e-3)]
        for wrong in (
            object(),
            float("nan"),
            "no such word",
            *(x for x in beyond if not parameter.validate(x)),
        ):
            try:
                measure(**{name: wrong})
            except GradedError:
                continue
            except Exception as error:
                yield f"{name}={wrong!r} raises {type(error).__name__}; let `canonical` raise GradedError"
            else:
                yield f"{name}={wrong!r} is accepted; let `canonical` raise GradedError for it"


def _values(measure: GradedMeasure) -> Iterator[str]:
    low, high = _range(measure)
    for each in (measure, *([measure @ 2] if measure.CUTOFF else [])):
        together = values_of([each], CASES)[0]
        for case, value in zip(CASES, together):
            where = f"{each} is {value:g} for the levels {case[0]} and the scores {case[1]}"
            if not low - TOLERANCE <= value <= high + TOLERANCE:
                yield f"{where}, outside its :range: {measure.doc_field('range')}"
            if values_of([each], [case])[0, 0] != value:
                yield f"{where} among other topics, but not alone; keep no state and use no other topics"


def _order(measure: GradedMeasure) -> Iterator[str]:
    sign = -1 if measure.smaller_is_better else 1
    best, worst = ([(qrels, _ranked(_sorted(qrels, up))) for qrels, _ in CASES] for up in (-1, 1))
    high, low = (sign * values_of([measure], cases)[0].mean() for cases in (best, worst))
    if high < low - TOLERANCE:
        yield (
            f"the best order of all documents has the mean {sign * high:g}, the worst {sign * low:g}; "
            f"declare SMALLER_IS_BETTER = {sign > 0}"
        )
    if measure.MONOTONE:
        pairs = [pair for qrels, run in CASES for pair in _swaps(qrels, run)]
        before, after = (values_of([measure], cases)[0] for cases in zip(*pairs))
        worse = np.flatnonzero(sign * (after - before) < -TOLERANCE)
        if worse.size:
            (qrels, run), (_, swapped) = pairs[worse[0]]
            yield (
                f"{measure} is {before[worse[0]]:g} for {[*run]} and {after[worse[0]]:g} for {[*swapped]} "
                f"with the levels {qrels}, where a better document has moved up; declare MONOTONE = False"
            )


def _options(measure: GradedMeasure) -> Iterator[str]:
    random = Random(2)
    tied = tuple((qrels, tuple(_groups(random, run))) for qrels, run in CASES[-6:])
    yield from filter(None, (problem(measure), problem(measure, tied)))


def _range(measure: GradedMeasure) -> tuple[float, float]:
    """The bounds of the docstring's range; infinite where it has no number."""
    found = re.match(r"[\[(]([^,]+),\s*([^\])]+)[\])]", measure.doc_field("range"))
    bounds = (-math.inf, math.inf)
    for text, bound in zip(found.groups() if found else (), bounds):
        try:
            bounds = (float(text.replace("−", "-")), bounds[1]) if bound < 0 else (bounds[0], float(text))
        except ValueError:
            continue
    return bounds


def _cases() -> Iterator[Case]:
    """Topics with judged documents a, b, …; x, y and z are unjudged."""
    yield {"a": 2}, {"a": 1.0}
    yield {"a": 3, "b": 1}, {}
    yield {"a": 3, "b": 1}, _ranked("xy")
    yield {"a": 0, "b": 0}, _ranked("bxa")
    random = Random(1)
    for _ in range(12):
        qrels = {doc: random.choice(LEVELS) for doc in "abcdef"[: random.randint(2, 6)]}
        yield qrels, _ranked(random.sample([*qrels, *"xyz"], random.randint(1, len(qrels) + 2)))


def _ranked(docs: Iterable[str]) -> dict[str, float]:
    """A run with distinct scores in (0, 1], as some measures read the scores."""
    return {doc: 1 - rank / 64 for rank, doc in enumerate(docs)}


def _sorted(qrels: dict[str, float], up: int) -> list[str]:
    """The judged documents with ascending levels (`up` is 1) or descending levels (-1)."""
    return sorted(qrels, key=lambda doc: up * qrels[doc])


def _groups(random: Random, run: dict[str, float]) -> Iterator[str]:
    """The documents of a run in tie groups of at most three."""
    docs = "".join(run)
    while docs:
        size = random.randint(1, 3)
        yield docs[:size]
        docs = docs[size:]


def _swaps(qrels: dict[str, float], run: dict[str, float]) -> Iterator[tuple[Case, Case]]:
    """A list before and after two of its documents change places so that the better one stands higher."""
    docs = list(run)
    for one, other in combinations(range(len(docs)), 2):
        if qrels.get(docs[one], 0) < qrels.get(docs[other], 0):
            swapped = list(docs)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            yield (qrels, run), (qrels, _ranked(swapped))


CASES = [*_cases()]
_CHECKS = {
    "declaration": _declaration,
    "parameters": _parameters,
    "values": _values,
    "order": _order,
    "options": _options,
}
