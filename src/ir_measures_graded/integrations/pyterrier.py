"""``pt.graded``: graded measures in PyTerrier, available after ``import pyterrier`` alone.

PyTerrier calls `load` at the end of its import (entry-point group ``pyterrier.modules``) and
exposes this module as ``pt.graded``. From then on:

- ``pt.graded.nDCG_JK(b=2)@10`` is a measure, and ``from pyterrier.measures import nDCG_JK`` works.
  The measures of plugins are available, too.
- ``pt.Experiment`` and ``pt.Evaluate`` accept every measure string and trec_eval's names.
- ``pt.Experiment`` shows improvements rightly if smaller values are better.
- ``pt.get_dataset("irds:graded-demo")`` is the bundled demo collection, which `ir_measures_graded`
  registers once PyTerrier imports ir-datasets.
"""

import functools
import inspect
import logging
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import ir_measures
import ir_measures.util

import ir_measures_graded

from ..core.registry import names, plugins
from ..core.registry.facts import is_graded, needs_all_topics, smaller_is_better
from ..core.registry.install import redirect
from ..errors import GradedError


def load() -> ModuleType:
    """Make the measures known to PyTerrier, and return this module.

    A failure is logged, because an exception here would break ``import pyterrier``.
    """
    for step in (_measures, _functions):
        try:
            step()
        except Exception as error:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            logging.getLogger(__name__).warning(
                "PyTerrier lacks some of ir_measures_graded: %s", what
            )
    return sys.modules[__name__]


def __getattr__(name: str) -> Any:
    """A measure, or another public name of `ir_measures_graded`."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not hasattr(ir_measures_graded, name):
        where = f"; pt.measures.{name} is one of ir_measures" if name in names.registry() else ""
        raise AttributeError(f"pt.graded has no measure {name!r}{where}")
    return getattr(ir_measures_graded, name)


def __dir__() -> list[str]:
    """The names of all graded measures."""
    plugins.load()
    return sorted(name for name, measure in names.registry().items() if is_graded(measure))


def _measures() -> None:
    """Make graded measures known to PyTerrier's parser and to ``pyterrier.measures``.

    That module copies ir-measures' registry when it is imported, so it may lack measures registered
    later.
    """
    redirect(ir_measures.util.parse_trec_measure, _parse_trec_measure)
    module = sys.modules.get("pyterrier.measures")
    if module is None:
        return
    vars(module).setdefault("__getattr__", _missing_in_pyterrier)
    # `from pyterrier.measures import *` takes what the module has by then.
    for name, measure in names.registry().items():
        if is_graded(measure):
            vars(module).setdefault(name, measure)


def _missing_in_pyterrier(name: str) -> ir_measures.Measure:
    """The measure that ``pyterrier.measures`` lacks because it was registered later.

    Raises `AttributeError` if no plugin has a measure of this name.
    """
    measure = getattr(ir_measures_graded, name, None)  # loads plugins
    if isinstance(measure, ir_measures.Measure):
        return measure
    raise AttributeError(f"module 'pyterrier.measures' has no attribute {name!r}")


def _parse_trec_measure(measure: Any) -> Any:
    """The body that `redirect` gives to ir-measures' function; it must import everything it uses.

    It returns the measures of a trec_eval name, or else those of a measure string.
    """
    from ir_measures_graded.core.registry.notation import named_by, trec_measures

    return trec_measures(measure) or named_by(measure)


def _functions() -> None:
    """Wrap PyTerrier's functions that evaluate. Their values stay the same."""
    pyterrier: Any = sys.modules.get("pyterrier")
    for name in ("Experiment", "GridScan", "GridSearch", "KFoldGridSearch"):
        function = getattr(pyterrier, name, None)
        if function is not None:
            setattr(pyterrier, name, _wrapped(getattr(function, "_original", function)))


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that checks the graded measures of a call and shows them the right way round.

    It raises `GradedError` for a measure that needs the levels of all topics if PyTerrier would
    pass topics in batches, and for a measure whose smaller values are better if PyTerrier looks for
    the largest mean.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        # PyTerrier reports missing arguments.
        arguments = signature.bind_partial(*args, **kwargs).arguments
        measures = dict(_measures_of(arguments))
        graded = {name: measure for name, measure in measures.items() if is_graded(measure)}
        smaller = [name for name, measure in graded.items() if smaller_is_better(measure)]
        for measure in graded.values():
            if arguments.get("batch_size") is not None and needs_all_topics(measure):
                raise GradedError(
                    f"{measure} needs the levels of all topics, but PyTerrier evaluates topics in "
                    "batches; leave out batch_size, or give max_gain if the measure has it"
                )
        if smaller and ("metric" in arguments or arguments.get("highlight")):
            raise GradedError(
                f"smaller values of {smaller[0]} are better, but pt.{function.__name__} takes the "
                f"largest mean to be the best; use a measure whose larger values are better"
            )
        result = function(*args, **kwargs)
        return _in_order(result, list(measures), smaller)

    wrapper._original = function  # type: ignore[attr-defined]
    return wrapper


def _measures_of(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The measures of a call, each with the name of its column."""
    for parameter in ("eval_metrics", "metrics", "metric"):
        metrics = arguments.get(parameter, ())
        if not isinstance(metrics, (list, tuple)):
            metrics = [metrics]
        for metric in metrics:
            if isinstance(metric, ir_measures.Measure):
                yield str(metric), metric
                continue
            try:
                measures = ir_measures.parse_trec_measure(metric)
            except ValueError:  # PyTerrier raises the error
                continue
            if len(measures) == 1:
                yield str(metric), measures[0]
                continue
            for measure in measures:
                yield str(measure), measure


def _in_order(result: Any, measures: Sequence[str], smaller: Sequence[str]) -> Any:
    """A DataFrame of means with its measures in this order, and improvements of `smaller` ones in
    "+".

    PyTerrier's own order changes from process to process, because ir-measures keeps measures in
    sets. PyTerrier takes larger values to be better. Any other result is unchanged.
    """
    if hasattr(result, "averages"):  # perquery="both"
        averages = _in_order(result.averages, measures, smaller)
        return result._replace(averages=averages)
    if type(result).__name__ != "DataFrame" or result.columns[0] != "name" or "qid" in result:
        return result

    def place(column: str) -> tuple[bool, bool, int]:
        measure = TESTED.sub("", column)
        number = measures.index(measure) if measure in measures else len(measures)
        return column != "name", column != measure, number

    swapped = {}
    for name in smaller:
        swapped[f"{name} +"] = f"{name} -"
        swapped[f"{name} -"] = f"{name} +"
    columns = sorted(result.columns, key=place)
    return result.rename(columns=swapped)[columns]


TESTED = re.compile(r" (\+|-|reject|p-value( corrected)?)$")
"""The suffixes that PyTerrier appends to a measure's name in a comparison with the baseline."""
