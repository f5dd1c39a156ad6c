"""Analyses of several runs over one collection.

- `evaluate` returns the value of every run by every measure for every topic; the other analyses
  use it.
- `report` writes a report on the runs as one HTML page.
- `curves` evaluates a measure at every rank; `effort` counts the documents that each run needs for
  the values of another one.
- `check` lists what is unusual about qrels, runs and measures before anything is evaluated.
- `document_runs` makes runs of passages those of their documents, for all analyses.
- `ignoring_identical_ids` leaves out documents that are their topic, for all analyses.
- `ascending_runs` makes runs of distances those of scores, for all analyses.
- `assumed_qrels` judges the unjudged documents of runs at one level, for all analyses.
- `ordered_runs` keeps tied documents in the order of their rows, for all analyses.
- `compare` tests differences between runs for significance.
- `compare_collections` compares runs over several collections, which `read_collections` reads.
- `intervals` computes the confidence interval of every value of an `Evaluation` over the topics.
- `group_means` computes the means over groups of topics.
- `gate` decides whether a new run may replace an old one.
- `power` tells which differences the topics find, and how many topics find a difference;
  `power_collections` does so for collections.
- `holes` ranks the unjudged documents by the variance that judging them removes; `add_answers`
  reads the judgments back.
- `judges` compares machine judges with a human; `estimate` corrects means under a machine's
  judgments by human ones.
- `compare`, `gate` and `power` also take an `Evaluation` in place of qrels, runs and measures.
- `sensitivity` ranks the runs under every measure, weighting and cutoff and compares the rankings.
- `explain` shows what each document of a ranking adds to a value, beside the ideal list.
- `explain_difference` shows which documents make the difference of two runs.
- `identify` finds which definition of a measure gives somebody's values.
- `compare_leaderboards` compares the orders of systems in two tables, and `reproduce` two
  experiments.
- `levels` counts the levels of qrels and suggests gains.
- `ranges` computes the ranges of values and differences over tied scores and unjudged documents.
- `figures.save` writes a figure as PNG, SVG or PDF.

The folder `judging` implements `judges`, `estimate`, `merge_judges`, `holes` and `add_answers`.

>>> from ir_measures_graded import demo
>>> from ir_measures_graded.analysis import curves
>>> found = curves(demo.qrels_path(), demo.run_paths(), "CG(gains=0:0,1:1,2:1,3:1)", depth=100)
>>> found.values[:, 9].round(1)  # at rank 10
array([3.7, 6.6, 4.9, 5.6, 6.6])
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import did_you_mean

if TYPE_CHECKING:
    from ..evaluation.assumed import assumed_qrels
    from ..evaluation.evaluate import evaluate
    from ..evaluation.evaluation import Evaluation
    from ..evaluation.named import (
        ascending_runs,
        document_runs,
        ignoring_identical_ids,
        ordered_runs,
    )
    from ..output import figures
    from .check import Check, check
    from .comparing.collections import OverCollections, compare_collections, read_collections
    from .comparing.compare import compare
    from .comparing.result import Comparison
    from .curves import Curves, CurvesByMeasure, curves
    from .effort import Effort, effort
    from .explain import explain
    from .explained_difference import DifferenceByMeasure, ExplainedDifference, explain_difference
    from .explained_measures import ExplanationByMeasure
    from .explanation import Explanation
    from .gating.gate import Gate, gate
    from .group_means import GroupMean, GroupMeans, group_means
    from .identify import Identification, identify
    from .judging.agreement import JudgeAgreement, Judges
    from .judging.estimate import Estimates, estimate
    from .judging.holes import Holes, holes
    from .judging.judges import judges
    from .judging.merging import MergedJudges, merge_judges
    from .judging.panel import add_answers
    from .leaderboards import (
        LeaderboardComparison,
        Reproduction,
        compare_leaderboards,
        reproduce,
    )
    from .levels import Levels, levels
    from .mean_intervals import Intervals, intervals
    from .power import Power, power, power_collections
    from .ranges import Range, Ranges, ranges
    from .report.report import Report, report
    from .sensitivity import Sensitivity, sensitivity
    from .statistics.student import FewTopicsWarning

__all__ = ["Evaluation", "FewTopicsWarning", "Report", "evaluate", "figures", "report"]
__all__ += ["assumed_qrels"]
__all__ += ["ascending_runs", "document_runs", "ignoring_identical_ids", "ordered_runs"]
__all__ += ["Comparison", "OverCollections", "compare", "compare_collections"]
__all__ += ["Gate", "Intervals", "Power", "gate", "intervals", "power", "power_collections"]
__all__ += ["GroupMean", "GroupMeans", "group_means"]
__all__ += [
    "Curves",
    "Effort",
    "Sensitivity",
    "curves",
    "effort",
    "read_collections",
    "sensitivity",
]
__all__ += ["CurvesByMeasure", "DifferenceByMeasure", "ExplanationByMeasure"]
__all__ += ["Check", "ExplainedDifference", "Explanation", "Identification", "Levels"]
__all__ += [
    "Range",
    "Ranges",
    "check",
    "explain",
    "explain_difference",
    "identify",
    "levels",
    "ranges",
]
__all__ += ["LeaderboardComparison", "Reproduction", "compare_leaderboards", "reproduce"]
__all__ += ["Estimates", "Holes", "JudgeAgreement", "Judges", "MergedJudges"]
__all__ += ["add_answers", "estimate", "holes", "judges", "merge_judges"]

MODULES = {
    "..evaluation.assumed": ("assumed_qrels",),
    "..evaluation.evaluate": ("evaluate",),
    "..evaluation.evaluation": ("Evaluation",),
    "..evaluation.named": (
        "ascending_runs",
        "document_runs",
        "ignoring_identical_ids",
        "ordered_runs",
    ),
    ".check": ("Check", "check"),
    ".comparing.collections": ("OverCollections", "compare_collections", "read_collections"),
    ".comparing.compare": ("compare",),
    ".comparing.result": ("Comparison",),
    ".curves": ("Curves", "CurvesByMeasure", "curves"),
    ".effort": ("Effort", "effort"),
    ".explain": ("explain",),
    ".explained_difference": ("DifferenceByMeasure", "ExplainedDifference", "explain_difference"),
    ".explained_measures": ("ExplanationByMeasure",),
    ".explanation": ("Explanation",),
    ".gating.gate": ("Gate", "gate"),
    ".group_means": ("GroupMean", "GroupMeans", "group_means"),
    ".identify": ("Identification", "identify"),
    ".judging.agreement": ("JudgeAgreement", "Judges"),
    ".judging.estimate": ("Estimates", "estimate"),
    ".judging.holes": ("Holes", "holes"),
    ".judging.judges": ("judges",),
    ".judging.merging": ("MergedJudges", "merge_judges"),
    ".judging.panel": ("add_answers",),
    ".leaderboards": ("LeaderboardComparison", "Reproduction", "compare_leaderboards", "reproduce"),
    ".levels": ("Levels", "levels"),
    ".mean_intervals": ("Intervals", "intervals"),
    ".power": ("Power", "power", "power_collections"),
    ".ranges": ("Range", "Ranges", "ranges"),
    ".report.report": ("Report", "report"),
    ".sensitivity": ("Sensitivity", "sensitivity"),
    ".statistics.student": ("FewTopicsWarning",),
}
"""The names that each module defines. It is imported when one of them is used first, because a
command needs a few of these modules, and all of them take a tenth of a second.
"""
_MODULE_OF = {name: module for module, names in MODULES.items() for name in names}


class _Analyses(ModuleType):
    """The type of this module, of which some functions have the names of their modules."""

    def __setattr__(self, name: str, value: Any) -> None:
        # Python would set the module `check` when it is imported, in place of the function.
        if not (name in _MODULE_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # cloudpickle, which sends functions of notebooks to workers, knows plain modules alone.
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Analyses


def __getattr__(name: str) -> Any:
    if name == "figures":
        return import_module("..output.figures", __name__)
    if name not in _MODULE_OF:
        text = f"module {__name__!r} has no attribute {name!r}"
        if not name.startswith("_"):
            text += did_you_mean(name, _MODULE_OF)
        raise AttributeError(text)
    value = getattr(import_module(_MODULE_OF[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, without the modules that define them."""
    return sorted(__all__)
