"""Graded relevance measures for ir-measures. Importing the package registers them, once.

>>> import ir_measures, ir_measures_graded
>>> measure = ir_measures.parse_measure("nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100")
>>> round(measure.calc_aggregate({"q1": {"d1": 3, "d2": 1}}, {"q1": {"d1": 2.0, "d3": 1.0}}), 4)
0.9901
"""

import sys as _sys
from importlib.util import find_spec as _find_spec
from typing import Any as _Any

from . import measures as _measures
from . import plugins as _plugins
from . import registration as _registration
from .demo import register as register_demo
from .errors import GradedError, UnknownMeasureError
from .hooks import hookimpl
from .measure import GradedMeasure, TopicMeasure
from .measures import *  # noqa: F403
from .measures import __all__ as _measure_names
from .notation import parse_measure
from .parameters import Choice, Count, Flag, Parameter, Real
from .plugins import PluginWarning
from .provider import GradedEvaluator, GradedProvider
from .readers import TrecRun, read_trec_qrels, read_trec_run
from .registration import RegistrationWarning, accelerate
from .topics import GainList, Topic, Topics, ratio

__version__ = "0.1.0"
__all__ = [
    "Choice",
    "Count",
    "Flag",
    "GainList",
    "GradedError",
    "GradedEvaluator",
    "GradedMeasure",
    "GradedProvider",
    "Parameter",
    "PluginWarning",
    "Real",
    "RegistrationWarning",
    "Topic",
    "TopicMeasure",
    "Topics",
    "TrecRun",
    "UnknownMeasureError",
    "accelerate",
    "hookimpl",
    "parse_measure",
    "ratio",
    "read_trec_qrels",
    "read_trec_run",
    "register_demo",
    *_measure_names,
]

graded = GradedProvider()
_registration.install(graded, GradedProvider(standard=False))
_plugins.admit("measures", "ir-measures-graded", __version__, lambda: _measures)
if "ir_datasets" in _sys.modules:  # importing it takes half a second; else it is one call
    register_demo()


def __getattr__(name: str) -> _Any:
    """Measures that plugins bring, by name."""
    if not name.startswith("_") and _find_spec(f"{__name__}.{name}") is None:  # a module comes by itself
        _plugins.load()
        measure = _registration.registry().get(name)
        if isinstance(measure, GradedMeasure):
            return measure
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
