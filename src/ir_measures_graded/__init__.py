"""Graded relevance measures for ir-measures. Importing the package registers them, once.

`ir_measures_graded.analysis` has the functions of the commands: evaluate, compare, explain, report
and more.

>>> import ir_measures, ir_measures_graded
>>> measure = ir_measures.parse_measure("nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100")
>>> round(measure.calc_aggregate({"q1": {"d1": 3, "d2": 1}}, {"q1": {"d1": 2.0, "d3": 1.0}}), 4)
0.9901
"""

import ir_measures_graded_command as _command

if _command.is_running_package():  # before the imports that take time
    _command.prepare_process()

import sys as _sys
from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from .core.measures import __all__ as _measure_names
from .core.measures.averaged import AveragedGainSum, AveragedNormalisedGainSum
from .core.measures.base import GradedMeasure, TopicMeasure
from .core.measures.gain_sums import GainSum, NormalisedGainSum
from .core.measures.parameters import Choice, Count, Flag, Parameter, Real
from .core.measures.stop_sums import AtRelevant
from .core.measures.topics import GainList, Topic, Topics, ratio
from .core.provider import GradedEvaluator, GradedProvider
from .core.registry import names as _names
from .core.registry import plugins as _plugins
from .core.registry.after_import import AfterImport as _AfterImport
from .core.registry.install import accelerate
from .core.registry.install import install as _install
from .core.registry.notation import parse_measure
from .core.registry.plugins import PluginWarning, register
from .errors import EmptyRunWarning, GradedError, RegistrationWarning, UnknownMeasureError

if _TYPE_CHECKING:
    from .core.arrays import ArrayEvaluator, array_mean, array_values
    from .core.measures import *  # noqa: F403
    from .core.registry.hooks import hookimpl
    from .core.registry.sentences import sentence
    from .core.streaming import RankingMetric
    from .demo import register_demo
    from .files.files import RunFile, read_qrels

__version__ = "0.1.0"
__all__ = [
    *_measure_names,
    "parse_measure",
    "register",
    "sentence",
    "GradedEvaluator",
    "GradedProvider",
    "accelerate",
]
__all__ += [
    "ArrayEvaluator",
    "RankingMetric",
    "RunFile",
    "array_mean",
    "array_values",
    "read_qrels",
    "register_demo",
]
__all__ += [
    "AtRelevant",
    "AveragedGainSum",
    "AveragedNormalisedGainSum",
    "GainSum",
    "GradedMeasure",
    "NormalisedGainSum",
    "TopicMeasure",
    "hookimpl",
]
__all__ += ["Choice", "Count", "Flag", "GainList", "Parameter", "Real", "Topic", "Topics", "ratio"]
__all__ += [
    "EmptyRunWarning",
    "GradedError",
    "PluginWarning",
    "RegistrationWarning",
    "UnknownMeasureError",
]

graded = GradedProvider()
_install(graded, GradedProvider(standard=False))
_plugins.admit_own(__version__, when_needed=_command.is_whole_process)
if not _command.is_whole_process:
    from .core.measures import *  # noqa: F403


def _problem(measure: GradedMeasure) -> str:
    """What is wrong with the measure of a plugin; our own are admitted before, as our tests check
    them.
    """
    return str(_import_module(".testing", __name__).problem(measure))


_plugins.trials.append(_problem)


_LAZY = dict.fromkeys(["ArrayEvaluator", "array_mean", "array_values"], ".core.arrays")
_LAZY |= {
    "hookimpl": ".core.registry.hooks",
    "sentence": ".core.registry.sentences",
    "RankingMetric": ".core.streaming",
    "RunFile": ".files.files",
    "read_qrels": ".files.files",
}
_LAZY["register_demo"] = ".demo"
_LAZY["scorer"] = ".integrations.scikit_learn"
_LAZY |= dict.fromkeys(
    ["catboost_metric", "lightgbm_metric", "xgboost_metric"], ".integrations.boosting"
)


def __getattr__(name: str) -> _Any:
    """A name or module that is imported on first use, or the measure of that name that a plugin
    brings.
    """
    if name in _LAZY:
        return getattr(_import_module(_LAZY[name], __name__), name)
    if not name.startswith("_"):
        if _find_spec(f"{__name__}.{name}") is not None:
            return _import_module(f".{name}", __name__)
        _plugins.load()
        measure = _names.registry().get(name)
        if isinstance(measure, GradedMeasure):
            return measure
        analysis = _import_module(".analysis", __name__)
        if name in analysis.__all__:
            return getattr(analysis, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _register_demo() -> None:
    """Register the demo collection. A failure is logged, as ``import ir_datasets`` has to work."""
    try:
        __getattr__("register_demo")()
    except Exception as error:
        message = f"the demo collection is not registered: {type(error).__name__}: {error}"
        _import_module("logging").getLogger(__name__).warning(message)


if _sys.modules.get("ir_datasets") is not None:
    _register_demo()
else:  # Importing it takes half a second.
    _sys.meta_path.insert(0, _AfterImport("ir_datasets", _register_demo))
