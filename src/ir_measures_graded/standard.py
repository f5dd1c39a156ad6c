"""Graded measures together with those that ir-measures brings: validation, evaluators, errors.

Graded measures see to all of that themselves; ir-measures' own are looked after here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.providers import Evaluator, Provider
from ir_measures.providers.base import NOT_PROVIDED

from .errors import GradedError
from .measure import GradedMeasure
from .parameters import Parameter


def valid(measure: Measure) -> Measure:
    """`measure`, or a `GradedError` for a standard one that ir-measures would choke on, or even die of."""
    if isinstance(measure, GradedMeasure):
        return measure
    name, supported = measure.NAME, measure.SUPPORTED_PARAMS
    for parameter in measure.params.keys() - supported.keys():
        takes = f"it takes {', '.join(supported)}" if supported else "it takes none"
        raise GradedError(f"{name} has no parameter {parameter!r}; {takes}")
    for parameter, info in supported.items():
        value = measure.params.get(parameter, NOT_PROVIDED)
        if value is NOT_PROVIDED:
            if info.required:
                raise GradedError(f"{name} needs the parameter {parameter}, {allowed(parameter, info)}")
        elif (
            not info.validate(value)
            or (info.dtype is int and isinstance(value, bool))
            or (parameter == "cutoff" and not 1 <= value <= sys.maxsize)
        ):
            raise GradedError(
                f"{name}: {parameter}={value!r} is not allowed; {parameter} is {allowed(parameter, info)}"
            )
    return measure


def allowed(name: str, info: ir_measures.ParamInfo) -> str:
    """The values that a parameter takes, in words."""
    if isinstance(info, Parameter):
        return info.allowed()
    if isinstance(info.choices, (list, tuple)):
        return f"one of {', '.join(map(repr, info.choices))}"
    words = {
        int: "a whole number" + " ≥ 1" * (name == "cutoff"),
        float: "a number with a decimal point",
        bool: "True or False",
        dict: "level:gain pairs of whole numbers",
    }
    return words.get(info.dtype, "any value")


def evaluators(
    measures: Iterable[Measure], qrels: Any, provider: Provider | None = None
) -> list[tuple[list[Measure], Evaluator]]:
    """Evaluators over `qrels`, each for the measures that may safely share one.

    ir-measures 0.4.3 mixes up measures of one call that differ in parameters: nDCG@10 beside
    nDCG(gains={1:0})@10 has at times its gains, NumRet beside P(judged_only=True)@5 its documents.
    """
    groups: dict[Any, list[Measure]] = {}
    for measure in measures:
        given = {name: value for name, value in measure.params.items() if name != measure.AT_PARAM}
        key = "graded" if isinstance(measure, GradedMeasure) else repr(sorted(given.items()))
        groups.setdefault(key, []).append(measure)
    found = []
    for group in groups.values():
        with explained(group):
            found.append((group, (provider or ir_measures.DefaultPipeline).evaluator(group, qrels)))
    return found


@contextmanager
def explained(measures: Sequence[Measure]) -> Iterator[None]:
    """Whatever a provider of standard measures raises, as one message. Ours speak for themselves."""
    try:
        yield
    except Exception as error:
        if isinstance(error, GradedError) or isinstance(measures[0], GradedMeasure):
            raise
        reason = " ".join(str(error).split())
        if not isinstance(error, (ValueError, RuntimeError, TypeError)):
            reason = f"{type(error).__name__}: {reason}"
        raise GradedError(f"cannot compute {', '.join(map(str, measures))}: {reason}") from error
