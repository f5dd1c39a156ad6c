"""``pt.graded``: graded measures in PyTerrier, available after ``import pyterrier`` alone.

PyTerrier calls `load` at the end of its import (entry-point group ``pyterrier.modules``) and exposes this
module as ``pt.graded``. From then on:

- ``pt.graded.nDCG_JK(b=2)@10`` is a measure, and ``from pyterrier.measures import nDCG_JK`` works. The
  measures of plugins are available, too.
- ``pt.Experiment`` and ``pt.Evaluate`` accept every measure string and trec_eval's names.
- ``pt.Experiment`` warns if it would misread a measure, because it takes larger values to be better.
- ``pt.get_dataset("irds:graded-demo")`` is the bundled demo collection.
"""

from __future__ import annotations

import functools
import inspect
import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import ir_measures
import ir_measures.util

import ir_measures_graded

from .. import demo
from ..errors import GradedError, UnknownMeasureError
from ..measures.base import GradedMeasure
from ..measures.parameters import Flag
from ..ranking.gains import EXP, LINEAR
from ..registry import names, plugins
from ..registry.facts import is_graded, needs_all_topics, smaller_is_better
from ..registry.install import redirect
from ..registry.notation import parse_measure, parse_trec_name


def load() -> ModuleType:
    """Make the measures and the demo collection known to PyTerrier, and return this module.

    A failure is logged, because an exception here would break ``import pyterrier``.
    """
    for step in (_measures, _functions, _collection):
        _quietly(step)
    return sys.modules[__name__]


def __getattr__(name: str) -> Any:
    """A measure, or another public name of `ir_measures_graded`."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(ir_measures_graded, name)


def __dir__() -> list[str]:
    """The names of all graded measures."""
    plugins.load()
    return sorted(name for name, measure in names.registry().items() if is_graded(measure))


def _measures() -> None:
    """Make graded measures known to PyTerrier's parser and to ``pyterrier.measures``."""
    redirect(ir_measures.util.parse_trec_measure, _parse_trec_measure)
    names.listen(_publish)


def _publish() -> None:
    """Add graded measures to ``pyterrier.measures``.

    That module copies ir-measures' registry when it is imported, so it lacks measures registered later.
    """
    module = sys.modules.get("pyterrier.measures")
    if module is not None:
        vars(module).setdefault("__getattr__", _missing_in_pyterrier)
        for name, measure in names.registry().items():
            if is_graded(measure):
                vars(module).setdefault(name, measure)


def _missing_in_pyterrier(name: str) -> ir_measures.Measure:
    """The measure that ``pyterrier.measures`` lacks because its plugin is not loaded yet.

    Raises `AttributeError` if no plugin has a measure of this name.
    """
    if not name.startswith("_"):
        plugins.load()
        if name in names.registry():
            return names.registry()[name]
    raise AttributeError(f"module 'pyterrier.measures' has no attribute {name!r}")


def parse_trec_or_any(text: Any) -> list[ir_measures.Measure]:
    """The measures of a trec_eval name, or else the measure of a measure string.

    Raises `GradedError` for any other text.
    """
    measures, problem = parse_trec_name(text)
    try:
        return measures or [parse_measure(text)]
    except UnknownMeasureError:
        if problem:
            raise GradedError(problem) from None
        raise


def _parse_trec_measure(measure: Any) -> Any:
    """The body that `redirect` gives to ir-measures' function; it must import everything it uses."""
    from ir_measures_graded.integrations.pyterrier import parse_trec_or_any

    return parse_trec_or_any(measure)


def _functions() -> None:
    """Wrap PyTerrier's functions that evaluate. Their results stay the same."""
    pyterrier: Any = sys.modules.get("pyterrier")
    for name in ("Experiment", "GridScan", "GridSearch", "KFoldGridSearch"):
        function = getattr(pyterrier, name, None)
        if function is not None:
            setattr(pyterrier, name, _wrapped(getattr(function, "_original", function)))


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that checks the graded measures of a call before it calls `function`.

    It warns if PyTerrier would misread a measure. It raises `GradedError` for a measure that needs the levels
    of all topics if PyTerrier would pass topics in batches.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:  # PyTerrier raises the error
            given = {}
        misread = [name for name in SHOWN if given.get(name) is not None]
        for measure in _graded(given):
            if misread and smaller_is_better(measure):
                warnings.warn(_inversion(measure, misread), stacklevel=2)
            if given.get("batch_size") is not None and needs_all_topics(measure):
                raise GradedError(
                    f"{measure} needs the levels of all topics, but PyTerrier evaluates topics in batches; "
                    f"{_remedy(measure)}leave out batch_size"
                )
        return _in_order(function(*args, **kwargs), [name for name, _ in _measures_of(given)])

    wrapper._original = function  # type: ignore[attr-defined]
    return wrapper


def _graded(given: Mapping[str, Any]) -> Iterator[GradedMeasure]:
    """The graded measures among the metrics of a call."""
    return (measure for _, measure in _measures_of(given) if is_graded(measure))


def _measures_of(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The measures of a call, each with the name of its column."""
    for parameter in ("eval_metrics", "metrics", "metric"):
        metrics = given.get(parameter, ())
        for metric in metrics if isinstance(metrics, (list, tuple)) else [metrics]:
            try:
                measures = [metric] if isinstance(metric, ir_measures.Measure) else parse_trec_or_any(metric)
            except ValueError:  # PyTerrier raises the error
                continue
            yield from ((str(metric if len(measures) == 1 else measure), measure) for measure in measures)


def _in_order(found: Any, names: Sequence[str]) -> Any:
    """A DataFrame of means with its measures in the order of `names`; any other result unchanged.

    PyTerrier's own order changes from process to process, because ir-measures keeps measures in sets.
    """
    if type(found).__name__ != "DataFrame" or "name" not in found.columns:
        return found

    def place(column: str) -> tuple[bool, bool, int]:
        measure = TESTED.sub("", column)
        return column != "name", column != measure, names.index(measure) if measure in names else len(names)

    return found[sorted(found.columns, key=place)]


def _remedy(measure: GradedMeasure) -> str:
    """The advice to give `max_gain`, if the measure then needs only its own topics; otherwise empty."""
    if "max_gain" not in measure.SUPPORTED_PARAMS or "unjudged" in measure.params:
        return ""
    top = {EXP: "2^highest level − 1", LINEAR: "the highest level"}.get(str(measure["gains"]))
    return f"give max_gain ({top or 'the highest gain'}), or "


TESTED = re.compile(r" (\+|-|reject|p-value( corrected)?)$")
"""What PyTerrier appends to the name of a measure in the columns of a comparison with the baseline."""
SHOWN = {
    "baseline": "counts topics with better values in its column '-' and with worse values in '+'",
    "highlight": "highlights the worst system",
}
"""How PyTerrier shows a measure whose smaller values are better, by parameter of ``pt.Experiment``."""
LARGER = {"ASL": "NR"}
"""For a measure whose smaller values are better, a measure with the same order of runs in each topic."""


def _inversion(measure: GradedMeasure, misread: Iterable[str]) -> str:
    """The warning about what PyTerrier shows the wrong way round, with a measure to use instead."""
    flags = (name for name, parameter in measure.PARAMETERS.items() if isinstance(parameter, Flag))
    instead = [other for name in flags if not smaller_is_better(other := measure(**{name: True}))]
    if measure.NAME in LARGER:
        instead.append(names.registry()[LARGER[measure.NAME]](**measure.params))
    return (
        f"smaller values of {measure} are better, but pt.Experiment takes larger ones to be better: it "
        f"{' and '.join(SHOWN[name] for name in misread)}; "
        + (f"use {instead[0]}" if instead else "read them the other way round")
    )


def _collection() -> None:
    """Register the demo collection with ir-datasets, now or as soon as ir-datasets is imported.

    PyTerrier imports ir-datasets on the first request for a dataset. That import takes almost half as long as
    ``import pyterrier`` itself, so users who need no dataset should not wait for it.
    """
    if "ir_datasets" in sys.modules:
        demo.register()
    elif not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport("ir_datasets", lambda: demo.register()))


class _AfterImport(MetaPathFinder):
    """Calls `then` once, after the module `name` has been imported."""

    def __init__(self, name: str, then: Callable[[], None]):
        self.name, self.then = name, then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        found = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                _quietly(self.then)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _quietly(step: Callable[[], None]) -> None:
    """Run `step`; log a failure as one line."""
    try:
        step()
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        logging.getLogger(__name__).warning("PyTerrier works without some of ir_measures_graded: %s", what)
