"""``pt.graded``: graded measures in PyTerrier, available after ``import pyterrier`` alone.

PyTerrier calls `load` at the end of its import (entry-point group ``pyterrier.modules``) and exposes this
module as ``pt.graded``. From then on:

- ``pt.graded.nDCG_JK(b=2)@10`` and ``from pyterrier.measures import nDCG_JK`` are measures, including
  those of plugins;
- ``pt.Experiment`` and ``pt.Evaluate`` take every measure string as well as trec_eval's names;
- ``pt.get_dataset("irds:graded-demo")`` is the bundled demo collection.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
import sys
from collections.abc import Callable, Sequence
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
from ..registry import names, plugins
from ..registry.install import redirect
from ..registry.notation import parse_measure


def load() -> ModuleType:
    """Make the measures and the demo collection known to PyTerrier, and return this module.

    Failures are logged, because an exception here would break ``import pyterrier``.
    """
    for step in (_measures, _batches, _collection):
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
    return sorted(name for name, measure in names.registry().items() if isinstance(measure, GradedMeasure))


def _measures() -> None:
    redirect(ir_measures.util.parse_trec_measure, _parse_trec_measure)
    names.listen(_publish)


def _publish() -> None:
    """Add graded measures to ``pyterrier.measures``, which copies ir-measures' registry at import."""
    module = sys.modules.get("pyterrier.measures")
    if module is not None:
        vars(module).setdefault("__getattr__", _missing_in_pyterrier)
        for name, measure in names.registry().items():
            if isinstance(measure, GradedMeasure):
                vars(module).setdefault(name, measure)


def _missing_in_pyterrier(name: str) -> ir_measures.Measure:
    """A measure of a plugin that is not loaded yet, for ``pyterrier.measures``."""
    if not name.startswith("_"):
        plugins.load()
        if name in names.registry():
            return names.registry()[name]
    raise AttributeError(f"module 'pyterrier.measures' has no attribute {name!r}")


def parse_trec_or_any(text: Any) -> list[ir_measures.Measure]:
    """The measures of a trec_eval name, or else the measure of a measure string."""
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


def _parse_trec_measure(measure: Any) -> Any:
    from ir_measures_graded.integrations.pyterrier import parse_trec_or_any

    return parse_trec_or_any(measure)


def _batches() -> None:
    """Let PyTerrier's experiments refuse measures that need all topics if they evaluate batches of topics.

    PyTerrier evaluates each batch with the judgments of its topics only.
    """
    pyterrier = sys.modules.get("pyterrier")
    for name in ("Experiment", "GridScan", "GridSearch", "KFoldGridSearch"):
        function = getattr(pyterrier, name, None)
        if function is not None:  # the original stays on the function, for a second import of this package
            setattr(pyterrier, name, _refusing_batches(getattr(function, "_original", function)))


def _refusing_batches(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        with contextlib.suppress(TypeError):  # the call below raises it
            given = signature.bind_partial(*args, **kwargs).arguments
            if given.get("batch_size") is not None:
                for parameter in ("eval_metrics", "metrics", "metric"):
                    _refuse_batches(given.get(parameter, ()))
        return function(*args, **kwargs)

    vars(checked)["_original"] = function
    return checked


def _refuse_batches(metrics: Any) -> None:
    for metric in metrics if isinstance(metrics, (list, tuple)) else [metrics]:
        measures = [metric]
        if isinstance(metric, str):
            with contextlib.suppress(ValueError):  # PyTerrier reports unknown measures
                measures = parse_trec_or_any(metric)
        for measure in measures:
            if isinstance(measure, GradedMeasure) and measure.needs_all_topics:
                raise GradedError(
                    f"{measure} needs the highest gain of all topics, but PyTerrier evaluates batches of "
                    f"topics; give max_gain, as in {measure(max_gain=15)}, or leave out batch_size"
                )


def _collection() -> None:
    """Register the demo collection with ir-datasets, now or as soon as ir-datasets is imported.

    PyTerrier imports ir-datasets on the first request for a dataset. That import takes half as long as
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
