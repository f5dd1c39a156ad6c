"""The definitions that are tried, as data: a table for each dimension, from the name of a value to what it
does.

A `Definition` has the name of one value in each dimension. A dimension that does not apply is empty. nDCG
and DCG have all dimensions. Other measures are strings of this package or of ir-measures, with the few
variants in `VARIANTS` and `STOPS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import ir_measures
import numpy as np
from ir_measures import Measure

from ...errors import GradedError
from ...measures.cumulated_gain import CG, DCG_JK, DCG_Burges, nCG, nDCG_Burges, nDCG_JK
from ...ranking.gains import EXP, LINEAR, gain_of
from ...registry.facts import is_graded
from ...registry.names import registry
from ...registry.notation import checked

NDCG, DCG = "nDCG", "DCG"
ALL_RANKS = "none"
"""The cutoff of a measure without a cutoff."""
ZERO, ONE, LEFT_OUT = NOTHING = "0", "1", "left out"
VALUE_OF = {ZERO: 0.0, ONE: 1.0, LEFT_OUT: np.inf}


class Definition(NamedTuple):
    """The name of one value in each dimension; empty where a dimension does not apply.

    `measure` is nDCG, DCG or a measure string without its cutoff. `nothing` is the value of a topic for
    which the ideal list, or the recall base, has no gain. `averaged` is only known for means.
    """

    measure: str = ""
    cutoff: str = ""
    gain: str = ""
    discount: str = ""
    ideal: str = ""
    nothing: str = ""
    order: str = ""
    precision: str = ""
    documents: str = ""
    averaged: str = ""
    shown: str = ""

    @property
    def cumulates(self) -> bool:
        """Whether this is nDCG or DCG with all its dimensions, not a measure string."""
        return self.discount != ""

    @property
    def is_string(self) -> bool:
        """Whether this is a measure string, perhaps a variant of one."""
        return not self.cumulates and self.measure not in STOPS


LABELS = {
    "measure": "measure",
    "cutoff": "cutoff",
    "gain": "gain",
    "discount": "discount",
    "ideal": "ideal list",
    "nothing": "nothing relevant",
    "order": "order of ties",
    "precision": "precision of scores",
    "documents": "documents",
    "averaged": "averaged topics",
    "shown": "shown as",
}
"""The name of each dimension for people."""

# ------------------------------------------------------------------------------------------ nDCG and DCG

Discount = Callable[[np.ndarray], np.ndarray]

DISCOUNTS: dict[str, Discount] = {
    "log2(r + 1)": lambda r: np.log2(r + 1),
    "none": np.ones_like,
    "log2 r from rank 2 on": lambda r: np.log2(np.maximum(r, 2)),
    "ln r from rank e on": lambda r: np.log(np.maximum(r, np.e)),
    "log10 r from rank 10 on": lambda r: np.log10(np.maximum(r, 10)),
    "r": lambda r: r,
    "log2(r + 2)": lambda r: np.log2(r + 2),
    "ln(r + 1)": lambda r: np.log(r + 1),
}
"""What the gain at rank r is divided by."""

FIRST_K = "all judged, first k"
UNCUT = "all judged, not cut"
AS_LONG = "all judged, first min(retrieved, k)"
RETRIEVED = "the retrieved documents only"
TOP = "the top gain at every rank"
TOP_RETRIEVED = "the top gain at each returned rank"
ANEW = "the top k sorted anew"
IDEALS = (FIRST_K, UNCUT, AS_LONG, RETRIEVED, TOP, TOP_RETRIEVED, ANEW)

Gain = Callable[[np.ndarray], np.ndarray]


def gains_for(levels: np.ndarray) -> dict[str, Gain]:
    """The gains to try, as functions of levels, for qrels with these distinct levels.

    >>> gains_for(np.array([0, 2]))["2^level"](np.array([0, 2])).tolist()
    [1.0, 4.0]
    """

    def relevant(gain: Gain) -> Gain:
        return lambda level: np.where(level > 0, gain(level), 0.0)

    def linear(level: np.ndarray) -> np.ndarray:
        return gain_of(level, LINEAR)

    def exponential(level: np.ndarray) -> np.ndarray:
        return gain_of(level, EXP)

    def from_level(least: float, gain: Gain) -> Gain:
        return lambda level: np.where(level >= least, gain(level), 0.0)

    found: dict[str, Gain] = {
        "level": linear,
        "2^level − 1": exponential,
        "2^level": np.exp2,
        "2^level of relevant documents": relevant(np.exp2),
        "2^(level − 1)": lambda level: np.exp2(level - 1),
        "2^(level − 1) of relevant documents": relevant(lambda level: np.exp2(level - 1)),
    }
    positive = levels[levels > 0][:THRESHOLDS]
    found |= {f"1 from level {least:g} on": from_level(least, np.ones_like) for least in positive.tolist()}
    for least in positive[1:2].tolist():
        found[f"level from {least:g} on"] = from_level(least, linear)
        found[f"2^level − 1 from level {least:g} on"] = from_level(least, exponential)
    if (levels < 0).any():
        found["level, negative too"] = lambda level: level
    if levels.max(initial=0) > HIGHEST:
        found = {name: gain for name, gain in found.items() if "2^" not in name}
    return found


DCG_ONLY = {"ln(r + 1)", "2^(level − 1)", "2^(level − 1) of relevant documents"}
"""Discounts and gains that are proportional to others, so that nDCG does not change."""
THRESHOLDS = 5
"""The number of levels from which binary relevance may begin."""
HIGHEST = 500
"""The highest level that is tried as an exponent."""

# ----------------------------------------------------------------------------------------- order, documents

DESCENDING, ASCENDING = "docid descending", "docid ascending"
IN_FILE, REVERSED = "file order", "file order reversed"
MEAN, WORST, BEST = "mean over ties", "worst label first", "best label first"
BY_RANK, AS_READ = "the rank column", "as read, without scores"
TIES = (DESCENDING, ASCENDING, IN_FILE, REVERSED, MEAN, WORST, BEST)
PRECISIONS = {"32-bit": np.float32, "64-bit": np.float64}

EVERY, JUDGED_ONLY = "all", "judged only"
BEHIND = "all, with the unretrieved judged ones behind"
HALF = "all, unjudged at half the top level"
DOCUMENTS = (EVERY, JUDGED_ONLY, BEHIND, HALF)

CUTOFFS = (1, 3, 5, 10, 20, 32, 50, 100, 1000)

# ------------------------------------------------------------------------------------------- the mean, print

RUN_TOPICS = "the run's topics"
AVERAGED = (
    "the qrels' topics",
    RUN_TOPICS,
    "topics in both",
    "topics with a relevant document",
    "topics with a relevant document retrieved",
)
ROUNDED, TRUNCATED, PERCENT = "rounded", "truncated", "percent"
FIRST_ROUNDED = "each topic rounded to 2 decimals first"
FIRST_FLOORED = "each topic cut to 2 decimals first"
SHOWN_FIRST: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    FIRST_ROUNDED: lambda values: np.round(values, 2),
    FIRST_FLOORED: lambda values: np.floor(100 * values + 1e-9) / 100,
}

# ------------------------------------------------------------------------------------------- other measures


class Counts(NamedTuple):
    """For each topic: relevant documents, retrieved ones, relevant ones among the first k, the top gain, and
    k."""

    relevant: np.ndarray
    retrieved: np.ndarray
    found: np.ndarray
    top: np.ndarray
    k: float


def _over(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.divide(old, new, out=np.zeros(len(new)), where=new > 0)


VARIANTS: dict[str, dict[str, Callable[[Counts], np.ndarray]]] = {
    "AP": {
        "over min(R, k)": lambda n: _over(n.relevant, np.minimum(n.relevant, n.k)),
        "over the relevant documents found": lambda n: _over(n.relevant, n.found),
    },
    "P": {
        "over min(retrieved, k)": lambda n: _over(
            np.full(len(n.retrieved), n.k), np.minimum(n.retrieved, n.k)
        )
    },
    "R": {"over min(R, k)": lambda n: _over(n.relevant, np.minimum(n.relevant, n.k))},
    "RBP_G": {"with the gains themselves": lambda n: n.top},
}
"""Other denominators of a measure, as factors of its value."""

STOPS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "ERR with the topic's top level": lambda level, top: (np.exp2(level) - 1) / np.exp2(top),
    "ERR with the level as the probability": lambda level, top: level,
}
"""The probability that a user stops at a document, by its level ≥ 0 and the topic's top level, where it is
not that of ERR_G."""

OURS: dict[Measure, Definition] = {
    ir_measures.nDCG: Definition(NDCG, gain="level", discount="log2(r + 1)"),
    nDCG_Burges: Definition(NDCG, gain="2^level − 1", discount="log2(r + 1)"),
    nDCG_JK: Definition(NDCG, gain="level", discount="log2 r from rank 2 on"),
    nDCG_JK(gains=EXP): Definition(NDCG, gain="2^level − 1", discount="log2 r from rank 2 on"),
    nDCG_JK(b=10): Definition(NDCG, gain="level", discount="log10 r from rank 10 on"),
    nCG: Definition(NDCG, gain="level", discount="none"),
    DCG_Burges: Definition(DCG, gain="2^level − 1", discount="log2(r + 1)"),
    DCG_Burges(gains=LINEAR): Definition(DCG, gain="level", discount="log2(r + 1)"),
    DCG_JK: Definition(DCG, gain="level", discount="log2 r from rank 2 on"),
    CG: Definition(DCG, gain="level", discount="none"),
}
"""The cumulated gains of this package and ir-measures, as definitions."""

LIKE = {NDCG: ("nDCG", "nDCG_JK", "nDCG_Burges", "nCG"), DCG: ("DCG_JK", "DCG_Burges", "CG")}
"""The measures of this package and ir-measures that are definitions of nDCG and DCG."""

ANY_ORDER = ("AP", "P", "R", "RR", "Rprec", "Success", "Bpref", "Q", "ERR_G", "RBP_G")
"""The measures that are tried in all orders of ties; the others in trec_eval's order."""
PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "DCG_JK": [{"b": 10}, {"avg": True}, {"gains": EXP}],
    "nDCG_JK": [{"b": 10}, {"avg": True}, {"gains": EXP}, {"b": np.e}],
    "DCG_Burges": [{"gains": LINEAR}],
    "nDCG_Burges": [{"gains": LINEAR}],
    "nCG": [{"avg": True}],
    "NDCNG": [{"avg": True}],
    "Q": [{"beta": 10}, {"gains": EXP}],
    "ERR_G": [{"max_gain": 15}, {"gains": LINEAR}],
    "nERR": [{"max_gain": 15}, {"gains": LINEAR}],
    "RBP_G": [{"p": p, "gains": gains} for p in (0.5, 0.8, 0.9, 0.95) for gains in (LINEAR, EXP)],
    "NCU": [{"stop": stop, "utility": u} for stop in ("gu", "rb") for u in ("P", "BR")],
    "NDPM": [{"performance": True}],
    "KendallTau": [{"variant": "a"}, {"variant": "c"}],
    "SR": [{"ideal": "retrieved"}],
    "MSR": [{"ideal": "retrieved"}],
    "SetF": [{"beta": 0.5}],
}
"""Parameters that are tried besides a measure's defaults."""


def strings(levels: np.ndarray) -> dict[str, Measure]:
    """Every measure of the registry without a cutoff, at its defaults and with `PARAMETERS`, by its
    string."""
    whole = [int(level) for level in levels[levels > 0][:THRESHOLDS].tolist() if level % 1 == 0]
    found: dict[str, Measure] = {}
    for measure in dict.fromkeys(registry().values()):
        thresholds = {"rel"} <= measure.SUPPORTED_PARAMS.keys() and not is_graded(measure)
        given = [{}, *PARAMETERS.get(measure.NAME, []), *({"rel": level} for level in whole if thresholds)]
        found |= {str(each): each for parameters in given if (each := measure(**parameters))}
    return found


def condensed(measure: Measure, judged_only: bool) -> Measure:
    """The measure, with judged documents only or with all."""
    return measure(judged_only=True) if judged_only else measure


def impossible(definition: Definition) -> set[str]:
    """The values that are not tried for the measure of a definition."""
    if definition.cumulates:
        return DCG_ONLY if definition.measure == NDCG else set()
    return {MEAN, BEHIND, HALF} if definition.is_string else set()


def at_cutoff(measure: Measure, cutoff: str) -> Measure | None:
    """The measure with a cutoff; None if it does not take the cutoff or lacks one."""
    if cutoff not in ("", ALL_RANKS):
        if "cutoff" not in measure.SUPPORTED_PARAMS:
            return None
        measure = measure @ int(cutoff)
    try:
        return checked(measure)
    except GradedError:
        return None
