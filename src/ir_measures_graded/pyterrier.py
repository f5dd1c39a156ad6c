"""``pt.graded``: graded measures in PyTerrier, known as soon as it is imported.

PyTerrier calls `load` at the end of ``import pyterrier`` (entry-point group ``pyterrier.modules``)
and shows this module as ``pt.graded``. From then on:

- ``pt.graded.nDCG_JK(b=2)@10`` and ``from pyterrier.measures import nDCG_JK`` are measures, those
  that plugins bring included;
- ``pt.Experiment`` and ``pt.Evaluate`` take every measure string beside trec_eval's names;
- ``pt.get_dataset("irds:graded-demo")`` is the collection in the box.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def load() -> ModuleType:
    """Make the measures and the collection known to PyTerrier; returns this module.

    Logs what goes wrong and never raises: an error here would break ``import pyterrier``.
    """
    for step in (_measures, _collection):
        _quietly(step)
    return sys.modules[__name__]


def __getattr__(name: str) -> Any:
    """A measure, or whatever else `ir_measures_graded` offers, by name."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import ir_measures_graded

    return getattr(ir_measures_graded, name)


def __dir__() -> list[str]:
    """The names of all graded measures."""
    from . import plugins
    from .measure import GradedMeasure
    from .registration import registry

    plugins.load()
    return sorted(name for name, measure in registry().items() if isinstance(measure, GradedMeasure))


def _measures() -> None:
    from .registration import install_for_pyterrier

    install_for_pyterrier()


def _collection() -> None:
    """Register the collection with ir-datasets, now or as soon as it is imported.

    PyTerrier imports ir-datasets when a dataset is first asked for. That takes a quarter of a second,
    half as long as the rest of ``import pyterrier``, so it is not done here for everyone.
    """
    if "ir_datasets" in sys.modules:
        _register_demo()
    elif not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport("ir_datasets", _register_demo))


def _register_demo() -> None:
    from . import demo

    demo.register()


class _AfterImport(MetaPathFinder):
    """Calls `then` once, when the module `name` has been imported."""

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
    """Do a step; log in one line where it fails."""
    try:
        step()
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        logging.getLogger(__name__).warning("PyTerrier works without some of ir_measures_graded: %s", what)
