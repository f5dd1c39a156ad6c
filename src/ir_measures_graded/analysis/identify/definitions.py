"""The definitions that are tried, as data: for each dimension a table from the name of a value to what it
does.

A `Definition` has the name of one value in each dimension. A dimension that does not apply is empty. nDCG
and DCG have all dimensions. Other measures are strings of this package or of ir-measures, with the few
others in `SUMS` and `QUOTIENTS`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import numpy as np
from ir_measures import Measure

from ...core.measures.cumulated_gain import CG, DCG_JK, DCG_Burges, nCG, nDCG_Burges, nDCG_JK
from ...core.measures.sessions import SessionMeasure
from ...core.measures.topics import ratio
from ...core.provider import GradedProvider
from ...core.ranking.gains import EXP, LINEAR, gain_of
from ...core.registry.facts import is_graded, needs_intents
from ...core.registry.names import registry
from ...core.registry.notation import checked, parse_measure
from ...errors import GradedError

NDCG, DCG = "nDCG", "DCG"
ALL_RANKS = "none"  # the cutoff of a measure without a cutoff
ZERO, ONE, LEFT_OUT = "0", "1", "left out"
VALUE_OF = {ZERO: 0.0, ONE: 1.0, LEFT_OUT: np.nan}


class Order(NamedTuple):
    """An order of a run: of its ties, of its scores, and which documents it has."""

    order: str
    precision: str
    documents: str


class Definition(NamedTuple):
    """The name of one value in each dimension; empty where a dimension does not apply.

    `measure` is nDCG, DCG or a measure string without its cutoff. `nothing` is the value of a topic for
    which the ideal list has no gain. `averaged` is only known for means.
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
    def list_order(self) -> Order:
        """The order of the run."""
        return Order(*self[6:9])

    @property
    def cumulates(self) -> bool:
        """Whether this is nDCG or DCG with all its dimensions, not a measure string."""
        return self.discount != ""


LABELS = {name: name for name in Definition._fields} | {
    "ideal": "ideal list",
    "nothing": "nothing relevant",
    "order": "order of ties",
    "precision": "precision of scores",
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
"""The divisor of the gain at rank r, by name."""

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

    def from_level(least: float, gain: Gain = np.ones_like) -> Gain:
        return lambda level: np.where(level >= least, gain(level), 0.0)

    def half(level: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp2(level - 1))

    relevant = float(np.nextafter(0, 1))
    found: dict[str, Gain] = {
        "level": partial(gain_of, gains=LINEAR),
        "2^level − 1": partial(gain_of, gains=EXP),
        "2^level": np.exp2,
        "2^level of relevant documents": from_level(relevant, np.exp2),
        "2^(level − 1)": half,
        "2^(level − 1) of relevant documents": from_level(relevant, half),
    }
    positive = levels[levels > 0][:THRESHOLDS].tolist()
    found |= {f"1 from level {least:g} on": from_level(least) for least in positive}
    for least in positive[1:2]:
        found[f"level from {least:g} on"] = from_level(least, found["level"])
        found[f"2^level − 1 from level {least:g} on"] = from_level(least, found["2^level − 1"])
    if (levels < 0).any():
        found["level, negative too"] = np.asarray
    exponents = levels.max(initial=0) <= HIGHEST
    return {name: gain for name, gain in found.items() if exponents or "2^" not in name}


DCG_ONLY = {"ln(r + 1)", "2^(level − 1)", "2^(level − 1) of relevant documents"}
"""Discounts and gains that are proportional to others, so that nDCG does not change."""
OF_UNJUDGED = {"2^level", "2^(level − 1)", "level, negative too"}
"""Gains that no table of gains by relevance level makes."""
THRESHOLDS = 5  # the number of levels from which binary relevance may begin
HIGHEST = 500  # the highest level that is tried as an exponent

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

BASE = Order(DESCENDING, "32-bit", EVERY)  # trec_eval's order, in which every measure is tried
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
SHOWN: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    ROUNDED: np.asarray,
    TRUNCATED: np.asarray,
    PERCENT: lambda values: 100 * values,
    FIRST_ROUNDED: lambda values: np.round(values, 2),
    FIRST_FLOORED: lambda values: np.floor(100 * values + 1e-9) / 100,
}
"""The value of each topic before the mean, by the way in which values are shown."""

# ------------------------------------------------------------------------------------------- other measures


Terms = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _stopping(stops: np.ndarray, rank: np.ndarray) -> np.ndarray:
    before = np.cumprod(np.insert(1 - stops, 0, 1, axis=1), axis=1)[:, :-1]
    return np.asarray(stops * before / rank)


def _rank_biased(p: float) -> Terms:
    return lambda level, top, rank: (1 - p) * p ** (rank - 1) * level


# Sums over ranks that no measure string has, as terms by the level ≥ 0, the topic's top level and the rank.
SUMS: dict[str, Terms] = {
    "ERR with the topic's top level": lambda level, top, rank: _stopping((2**level - 1) / 2**top, rank),
    "ERR with the level as the probability": lambda level, top, rank: _stopping(level, rank),
} | {f"RBP_G(p={p}) with the gains themselves": _rank_biased(p) for p in (0.5, 0.8, 0.9, 0.95)}

# Measures with other denominators, by the cutoff, the relevant documents among the first k, the sum of their
# precisions, all R relevant and all n retrieved documents; the braces are for the least relevant level.
QUOTIENTS: dict[str, Callable[..., np.ndarray]] = {
    "AP{} over min(R, k)": lambda k, hits, precisions, R, n: ratio(precisions, np.minimum(R, k)),
    "AP{} over the relevant documents found": lambda k, hits, precisions, R, n: ratio(precisions, hits),
    "P{} over min(retrieved, k)": lambda k, hits, precisions, R, n: ratio(hits, np.minimum(n, k)),
    "R{} over min(R, k)": lambda k, hits, precisions, R, n: ratio(hits, np.minimum(R, k)),
}


def _ours(measure: str, gain: str, discount: str) -> Definition:
    ideal, nothing = (FIRST_K, ZERO) if measure == NDCG else ("", "")
    return Definition(measure, "", gain, discount, ideal, nothing, *BASE)


OURS: dict[Measure, Definition] = {
    ir_measures.nDCG: _ours(NDCG, "level", "log2(r + 1)"),
    nDCG_Burges: _ours(NDCG, "2^level − 1", "log2(r + 1)"),
    nDCG_JK: _ours(NDCG, "level", "log2 r from rank 2 on"),
    nDCG_JK(gains=EXP): _ours(NDCG, "2^level − 1", "log2 r from rank 2 on"),
    nDCG_JK(b=10): _ours(NDCG, "level", "log10 r from rank 10 on"),
    nCG: _ours(NDCG, "level", "none"),
    DCG_Burges: _ours(DCG, "2^level − 1", "log2(r + 1)"),
    DCG_Burges(gains=LINEAR): _ours(DCG, "level", "log2(r + 1)"),
    DCG_JK: _ours(DCG, "level", "log2 r from rank 2 on"),
    CG: _ours(DCG, "level", "none"),
}
"""The cumulated gains of this package and ir-measures, as definitions."""

PROVIDER = GradedProvider()
ANY_ORDER = ("AP", "P", "R", "RR", "Rprec", "Success", "Bpref", "Q", "ERR_G", "RBP_G")
"""The measures that are tried in all orders of ties; the others in trec_eval's order."""
VARIED = """
    DCG_JK(b=10) DCG_JK(avg=True) DCG_JK(gains='exp') nDCG_JK(b=10) nDCG_JK(avg=True)
    nDCG_JK(gains='exp') nDCG_JK(b=2.718281828459045) DCG_Burges(gains='linear')
    nDCG_Burges(gains='linear') nCG(avg=True) NDCNG(avg=True) Q(beta=10) Q(gains='exp')
    ERR_G(max_gain=15) ERR_G(gains='linear') nERR(max_gain=15) nERR(gains='linear') RBP_G(p=0.5)
    RBP_G(p=0.5,gains='exp') RBP_G(p=0.8) RBP_G(p=0.8,gains='exp') RBP_G(p=0.9) RBP_G(p=0.9,gains='exp')
    RBP_G(p=0.95) RBP_G(p=0.95,gains='exp') NCU(stop='gu',utility='P') NCU(stop='gu',utility='BR')
    NCU(stop='rb',utility='P') NCU(stop='rb',utility='BR') NDPM(performance=True) KendallTau(variant='a')
    KendallTau(variant='c') SR(ideal='retrieved') MSR(ideal='retrieved') SetF(beta=0.5) IPrec@0.0
    IPrec@0.1 IPrec@0.2 IPrec@0.3 IPrec@0.4 IPrec@0.5 IPrec@0.6 IPrec@0.7 IPrec@0.8 IPrec@0.9 IPrec@1.0
    Compat(p=0.8) Compat(p=0.9) Compat(p=0.98)
"""
"""Measures that are tried besides those at their defaults."""


def thresholds(levels: np.ndarray) -> dict[int, str]:
    """The levels from which binary relevance may begin, and the parameter of measure strings for each."""
    whole = [int(level) for level in levels[levels > 0][:THRESHOLDS].tolist() if level % 1 == 0]
    return {1: ""} | {level: f"(rel={level})" for level in whole if level != 1}


def measures(levels: np.ndarray, has_intents: bool) -> dict[str, Any]:
    """DCG, `SUMS`, `QUOTIENTS` with each least relevant level, and all that have a measure string, as nDCG:
    those of the registry without a cutoff, at their defaults and from each level on, and `VARIED`."""
    least = thresholds(levels)
    quotients = product(QUOTIENTS.items(), least.items())
    others = SUMS | {name.format(at): (formula, level) for (name, formula), (level, at) in quotients}
    found = list(map(parse_measure, VARIED.split()))
    for measure in registry().values():
        if isinstance(measure, SessionMeasure) or (needs_intents(measure) and not has_intents):
            continue
        known = measure.SUPPORTED_PARAMS
        top = {"max_rel": int(levels.max(initial=1))} if "max_rel" in known else {}
        from_each = least if "rel" in known and not is_graded(measure) else ()
        found += [measure(**top), *(measure(rel=level, **top) for level in from_each)]
    return {DCG: None} | others | {str(measure): measure for measure in found}


def family(name: str) -> str:
    """The name that a measure and its variants share: nDCG, DCG, or the name without a suffix.

    >>> family("nDCG_JK(b=10)"), family("ERR_G"), family("ERR with the level as the probability")
    ('nDCG', 'ERR', 'ERR')
    """
    name = re.split("[ (@]", name)[0]
    return {measure.NAME: of.measure for measure, of in OURS.items()}.get(name, name.removesuffix("_G"))


def is_string(definition: Definition) -> bool:
    """Whether a measure string computes it."""
    return not definition.cumulates and " " not in definition.measure


def impossible(definition: Definition) -> set[str]:
    """The values that are not tried for the measure of a definition, or need not be."""
    none = (
        {MEAN, BEHIND, HALF} if is_string(definition) else DCG_ONLY if definition.measure == NDCG else set()
    )
    return none | {AS_READ, BY_RANK}


def uncut(measure: Measure, *without: str) -> Measure:
    """The measure without its cutoff, and without other parameters."""
    dropped = ("cutoff", *without)
    return type(measure)(**{name: of for name, of in measure.params.items() if name not in dropped})


def usual_cuts(measure: Measure) -> list[Measure]:
    """The measure without a cutoff and with one, if it takes them."""
    return [*filter(None, (at_cutoff(measure, cutoff) for cutoff in ("", "10")))]


def is_foreign(measure: Any) -> bool:
    """Whether this is a measure that other providers of ir-measures compute, if any do, which takes long."""
    return isinstance(measure, Measure) and not all(map(PROVIDER.supports, usual_cuts(measure)))


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


# ------------------------------------------------------------------------------------------------- tools

FILE = Path(__file__).with_name("tools.csv")
"""One row per measure of a tool. An empty dimension is not known, or may have any value. `known` tells
whether the version was run, as the tests do, or its source was read."""
ANY: dict[str, Callable[[str], bool]] = {
    "k": lambda cutoff: cutoff not in ("", ALL_RANKS),
    "any table": lambda gain: gain not in OF_UNJUDGED,
    "1 from level": lambda gain: gain.startswith("1 from level"),
}
"""The names in the table that stand for several values of a dimension."""
UNKNOWN = ("precision", "averaged", "shown")  # dimensions that may not apply to a definition


class Tool(NamedTuple):
    """A measure of a tool: `name` and `version` of the tool, the `metric`, and the dimensions that are
    known."""

    name: str
    version: str
    metric: str
    known: str
    dimensions: dict[str, str]

    def computes(self, definition: Definition) -> bool:
        """Whether the tool computes a definition."""
        if definition.order == MEAN and "order" not in self.dimensions:
            return False  # whatever order a sort leaves is one order
        return definition.cumulates == ("discount" in self.dimensions) and all(
            ANY.get(value, value.__eq__)(given) or (given == "" and name in UNKNOWN)
            for name, value in self.dimensions.items()
            for given in (getattr(definition, name),)
        )

    def called(self, cutoff: str) -> str:
        """The tool, its metric with the cutoff, and its version."""
        version = f" ({self.version})" if self.version else ""
        return f"{self.name} {self.metric.replace('{k}', cutoff)}{version}"


@cache
def tools() -> tuple[Tool, ...]:
    """All rows of the table."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [{name: value for name, value in row.items() if value} for row in csv.DictReader(file)]
    return tuple(
        Tool(row.pop("tool"), row.pop("version", ""), row.pop("metric"), row.pop("known"), row)
        for row in rows
    )


def computed_by(definitions: Iterable[Definition]) -> tuple[str, ...]:
    """The tools that compute one of the definitions, in the order of the table."""
    found = [*definitions]
    names = (tool.called(each.cutoff) for tool in tools() for each in found if tool.computes(each))
    return tuple(dict.fromkeys(names))
