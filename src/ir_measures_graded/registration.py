"""The one place that touches what others own: ir-measures' and PyTerrier's registries and parsers.

ir-measures has no discovery of its own, so importing this package adds to it: our provider, our
measures, and our reader of measure strings behind ``ir_measures.parse_measure``. Everything here
can be called again without harm.
"""

from __future__ import annotations

import logging
import sys
import types
import unicodedata
import warnings
from typing import Any

import ir_measures
import ir_measures.measures
import ir_measures.providers
import ir_measures.util

from .measure import GradedMeasure


class RegistrationWarning(UserWarning):
    """Something of ours is not registered because its name is taken."""


def registry() -> dict[str, ir_measures.Measure]:
    """ir-measures' registry of measures by name."""
    return ir_measures.measures.registry


def taken(name: str, measure: ir_measures.Measure) -> bool:
    """Whether a name belongs to a measure of another kind."""
    holder = registry().get(_spelt(name))
    return holder is not None and _kind(holder) != _kind(measure)


def register(measure: GradedMeasure) -> None:
    """Make a measure known by its name and aliases, in PyTerrier too where it is loaded."""
    for name in (measure.NAME, *measure.ALIASES):
        registry()[_spelt(name)] = measure
    publish_to_pyterrier()


def free_to_register(measures: tuple[GradedMeasure, ...]) -> tuple[GradedMeasure, ...]:
    """Those of our own measures whose names nobody else holds; the others are reported."""
    free = []
    for measure in measures:
        held = [name for name in (measure.NAME, *measure.ALIASES) if taken(name, measure)]
        if held:
            report(f"{measure.NAME} is not registered: ir_measures already has {', '.join(held)}")
        else:
            free.append(measure)
    return tuple(free)


def install(provider: ir_measures.Provider, graded_only: ir_measures.Provider) -> None:
    """Add the provider to the registry, the one of graded measures to the default pipeline, and our parser
    to ir-measures."""
    holder = ir_measures.providers.registry.get(provider.NAME, provider)
    if _kind(holder) == _kind(provider):
        ir_measures.providers.register(provider)
    else:
        report(f"the provider {provider.NAME} is not registered: ir_measures already has one")
    accelerated = any(other.standard for other in _ours_and_others()[0])  # by an earlier import
    ir_measures.DefaultPipeline.providers[:] = [*_ours_and_others()[1], graded_only]
    accelerate(accelerated)
    _redirect(ir_measures.util.parse_measure, _parse_measure)


def accelerate(on: bool = True) -> None:
    """Let ir-measures take its standard measures from this package too, or, with ``on=False``, no longer.

    From then on ``ir_measures.calc_aggregate`` and whatever else asks ir-measures' default pipeline,
    PyTerrier among them, computes P, R, RR, AP, nDCG, Rprec, Success, Judged, Bpref, infAP, IPrec, SetP,
    SetR, SetF, SetAP, NumQ, NumRel, NumRet and NumRelRet from the one reduction of the run that the graded
    measures use. Every value and mean is equal, to the last bit, to what ir-measures yields for the
    measure by itself. Parameters for which that cannot be, such as gains that are not whole numbers, and
    all other measures stay with ir-measures' own providers. Calling it again does no harm.

    >>> from ir_measures import P, calc_aggregate
    >>> qrels, run = {"q1": {"a": 1, "b": 2}}, {"q1": {"a": 2.0, "x": 1.0}}
    >>> accelerate()
    >>> calc_aggregate([P @ 2], qrels, run)
    {P@2: 0.5}
    >>> accelerate(False)

    What then differs: `GradedError` refuses what could be a mistake (a document that a topic retrieves or
    judges twice, ids that are not strings, a score that is NaN), and measures of one call that differ in
    their parameters are not mixed up.
    """
    ours, others = _ours_and_others()
    for provider in ours:
        provider.standard = bool(on)
    ir_measures.DefaultPipeline.providers[:] = [*ours, *others] if on else [*others, *ours]


def _ours_and_others() -> tuple[list[Any], list[Any]]:
    """The providers of the default pipeline, ours apart."""
    ours: list[Any] = []
    others: list[Any] = []
    for provider in ir_measures.DefaultPipeline.providers:
        kind = (f"{__package__}.provider", "GradedProvider")
        (ours if _kind(provider) == kind else others).append(provider)
    return ours, others


def install_for_pyterrier() -> None:
    """Let ``pt.Experiment`` take every measure string, where it knows trec_eval's names only."""
    _redirect(ir_measures.util.parse_trec_measure, _parse_trec_measure)
    publish_to_pyterrier()


def publish_to_pyterrier() -> None:
    """Repeat PyTerrier's own copy of the registry, which it makes when it is imported."""
    module = sys.modules.get("pyterrier.measures")
    if module is not None:
        vars(module).setdefault("__getattr__", _missing_in_pyterrier)
        for name, measure in registry().items():
            if isinstance(measure, GradedMeasure):
                vars(module).setdefault(name, measure)


def _missing_in_pyterrier(name: str) -> ir_measures.Measure:
    """A measure that ``pyterrier.measures`` lacks because plugins are not loaded yet."""
    if not name.startswith("_"):
        from .plugins import load

        load()
        if name in registry():
            return registry()[name]
    raise AttributeError(f"module 'pyterrier.measures' has no attribute {name!r}")


def parse_trec_or_any(text: Any) -> list[ir_measures.Measure]:
    """trec_eval's names as ir-measures reads them, then any measure string."""
    from .errors import UnknownMeasureError
    from .notation import parse_measure

    try:
        return ir_measures.util.parse_trec_measure._original(text)
    except ValueError as error:
        trec_error = error
    try:
        return [parse_measure(text)]
    except UnknownMeasureError:
        if str(trec_error).startswith(("known trec name", "unknown argument")):
            raise trec_error from None
        raise


def _redirect(function: Any, replacement: Any) -> None:
    """Give a function the body of another, so that names bound to it before, as by ``from
    ir_measures import parse_measure``, follow too. Its own body stays at hand as `_original`, on the
    function, where another import of this package finds it again."""
    if not hasattr(function, "_original"):
        function._original = types.FunctionType(function.__code__, function.__globals__, function.__name__)
    function.__code__ = replacement.__code__


# These two bodies run inside ir_measures.util and so import what they need.


def _parse_measure(measure: Any) -> Any:
    from ir_measures_graded.notation import parse_measure

    return parse_measure(measure)


def _parse_trec_measure(measure: Any) -> Any:
    from ir_measures_graded.registration import parse_trec_or_any

    return parse_trec_or_any(measure)


def _spelt(name: str) -> str:
    """A name as Python, and so every parser, reads it: both micro signs are one letter."""
    return unicodedata.normalize("NFKC", name)


def _kind(thing: object) -> tuple[str, str]:
    """What tells ours from others', even after another import of this package."""
    return type(thing).__module__, type(thing).__qualname__


def report(message: str) -> None:
    """Warn; where warnings are errors log, because an import must not fail over a name."""
    try:
        warnings.warn(message, RegistrationWarning, stacklevel=2)
    except RegistrationWarning:
        logging.getLogger(__name__).warning(message)
