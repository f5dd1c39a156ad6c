"""The definitions that are tried, as data: for each dimension a table from the name of a value to what it
does, and in `tools.csv` the definitions of tools and of this package.

A `Definition` has the name of one value in each dimension. nDCG and DCG have all dimensions. Other measures
are strings of this package or of ir-measures, with the few others in `SUMS` and `QUOTIENTS`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.measures.sessions import SessionMeasure
from ...core.measures.topics import ratio
from ...core.provider import GradedProvider
from ...core.ranking.gains import EXP, LINEAR, gain_of
from ...core.ranking.judged import Judged
from ...core.registry.facts import is_graded, needs_intents
from ...core.registry.names import registry
from ...core.registry.notation import checked, parse_measure
from ...errors import GradedError

NDCG, DCG = "nDCG", "DCG"
ALL_RANKS = "none"  # the cutoff of a measure without a cutoff


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


LABELS = dict(zip(Definition._fields, Definition._fields)) | {
    "ideal": "ideal list",
    "nothing": "nothing relevant",
    "order": "order of ties",
    "precision": "precision of scores",
    "averaged": "averaged topics",
    "shown": "shown as",
}
"""The name of each dimension for people."""

# ------------------------------------------------------------------------------------------ nDCG and DCG

CUTOFFS = ("10", ALL_RANKS, "5", "20", "100", "1", "3", "50", "1000", "32")
"""The usual cutoffs, the likeliest first."""
Function = Callable[[np.ndarray], np.ndarray]


def log_from(b: float) -> Function:
    """The discount of Järvelin & Kekäläinen: none before rank b, then the logarithm to the base b."""
    return lambda r: np.log(np.maximum(r, b)) / np.log(b)


DISCOUNTS: dict[str, Function] = {
    "log2(r + 1)": lambda r: np.log2(r + 1),
    "none": np.ones_like,
    "log2 r from rank 2 on": log_from(2),
    "ln r from rank e on": log_from(np.e),
    "log10 r from rank 10 on": log_from(10),
    "r": lambda r: r,
    "log2(r + 2)": lambda r: np.log2(r + 2),
    "ln(r + 1)": lambda r: np.log(r + 1),
}
"""The divisor of the gain at rank r, by name."""
FIRST_K, UNCUT, ANEW = "all judged, first k", "all judged, not cut", "the top k sorted anew"
IDEALS: dict[str, Callable[[Any, int], np.ndarray]] = {
    FIRST_K: lambda lists, depth: lists.best,
    UNCUT: lambda lists, depth: lists.best,
    "all judged, first min(retrieved, k)": lambda lists, depth: np.where(
        np.arange(lists.best.shape[1]) < lists.inside.sum(axis=1, keepdims=True), lists.best, np.nan
    ),
    "the retrieved documents only": lambda lists, depth: descending(lists.level),
    "the top gain at every rank": lambda lists, depth: np.full((len(lists.best), depth), lists.top),
    "the top gain at each returned rank": lambda lists, depth: np.where(lists.inside, lists.top, np.nan),
    ANEW: lambda lists, depth: descending(lists.level[:, :depth]),
}
"""From `cases.Lists`, the levels of the ideal list, to be cut at k unless it is `UNCUT`; `ANEW` is for one
cutoff."""
ZERO = "0"
NOTHING = {ZERO: 0.0, "1": 1.0, "left out": np.nan}


def descending(levels: np.ndarray) -> np.ndarray:
    """The levels of each topic in descending order; NaN stays behind."""
    return np.asarray(-np.sort(-levels, axis=1))


LEVEL: Function = partial(gain_of, gains=LINEAR)
EXPONENTIAL: Function = partial(gain_of, gains=EXP)
GAINS: dict[str, Function] = {
    "level": LEVEL,
    "2^level − 1": EXPONENTIAL,
    "2^level": np.exp2,
    "2^(level − 1)": lambda level: np.exp2(level - 1),
    "level, negative too": np.asarray,
}
"""The gain of every level."""
GAINS_FROM: dict[str, tuple[Function, slice]] = {
    "2^level of relevant documents": (np.exp2, slice(1)),
    "2^(level − 1) of relevant documents": (lambda level: np.exp2(level - 1), slice(1)),
    "1 from level {:g} on": (np.ones_like, slice(5)),
    "level from {:g} on": (LEVEL, slice(1, 2)),
    "2^level − 1 from level {:g} on": (EXPONENTIAL, slice(1, 2)),
}
"""Gains from a level on, and from which of the positive levels they are tried; lower levels gain nothing."""


def gains_for(levels: np.ndarray) -> dict[str, Function]:
    """The gains to try, as functions of levels, for qrels with these distinct levels.

    >>> gains_for(np.array([0, 2]))["2^level"](np.array([0, 2])).tolist()
    [1.0, 4.0]
    """

    def gains_from(least: float, gain: Function) -> Function:
        return lambda level: np.where(level >= least, gain(level), 0.0)

    found, positive = {**GAINS}, levels[levels > 0].tolist()
    for name, (gain, which) in GAINS_FROM.items():
        found |= {name.format(least): gains_from(least, gain) for least in positive[which]}
    if levels.min(initial=0) >= 0:
        del found["level, negative too"]
    exponents = levels.max(initial=0) <= HIGHEST
    return {name: gain for name, gain in found.items() if exponents or "2^" not in name}


DCG_ONLY = {"ln(r + 1)", "2^(level − 1)", "2^(level − 1) of relevant documents"}
"""Discounts and gains that are proportional to others, so that nDCG does not change."""
OF_UNJUDGED = {"2^level", "2^(level − 1)", "level, negative too"}
"""Gains that no table of gains by relevance level makes."""
HIGHEST = 500  # the highest level that is tried as an exponent

# ------------------------------------------------------------------------- order, documents, mean, print

DESCENDING, MEAN, WORST, BEST = "docid descending", "mean over ties", "worst label first", "best label first"
ORDERS: dict[str, Callable[[Any], list[np.ndarray]]] = {
    DESCENDING: lambda rows: [rows.id_order],
    "docid ascending": lambda rows: [-rows.id_order],
    "file order": lambda rows: [rows.place],
    "file order reversed": lambda rows: [-rows.place],
    MEAN: lambda rows: [rows.id_order],
    WORST: lambda rows: [rows.id_order, np.nan_to_num(rows.level)],
    BEST: lambda rows: [rows.id_order, -np.nan_to_num(rows.level)],
    "as read, without scores": lambda rows: [rows.place],
    "the rank column": lambda rows: [rows.rank],
}
"""From `cases.Documents`, the keys that sort rows with the same score, the last first; the last two orders
ignore scores."""
UNSORTED = list(ORDERS)[-2:]
PRECISIONS = {"32-bit": np.float32, "64-bit": np.float64}
EVERY, JUDGED_ONLY = "all", "judged only"
SCORED_0 = "the judged ones, with score 0 if not retrieved"
DOCUMENTS: dict[str, Callable[[Any], np.ndarray]] = {
    EVERY: lambda rows: rows.is_retrieved,
    JUDGED_ONLY: lambda rows: rows.is_retrieved & ~np.isnan(rows.level),
    "all, with the unretrieved judged ones behind": lambda rows: np.ones_like(rows.is_retrieved),
    SCORED_0: lambda rows: ~np.isnan(rows.level),
}
"""Which rows are in the list."""
BASE = Order(DESCENDING, "32-bit", EVERY)  # trec_eval's order, in which every measure is tried
QRELS_TOPICS, RUN_TOPICS = "the qrels' topics", "the run's topics"
AVERAGED: dict[str, Callable[[Any], np.ndarray]] = {
    QRELS_TOPICS: lambda rows: np.ones(rows.ranks.retrieved.size),
    RUN_TOPICS: lambda rows: rows.ranks.retrieved > 0,
    "topics in both": lambda rows: rows.ranks.retrieved > 0,
    "topics with a relevant document": lambda rows: rows.best[:, 0] > 0,
    "topics with a relevant document retrieved": lambda rows: (
        np.bincount(rows.topic, rows.is_retrieved & (rows.level > 0), rows.ranks.retrieved.size) > 0
    ),
}
"""The topics of a mean; other topics of the run are counted with `RUN_TOPICS`."""
ROUNDED, TRUNCATED, PERCENT = "rounded", "truncated", "percent"
SHOWN: dict[str, Function] = {
    ROUNDED: np.asarray,
    TRUNCATED: np.asarray,
    PERCENT: lambda values: 100 * values,
    "each topic rounded to 2 decimals first": lambda values: np.round(values, 2),
    "each topic cut to 2 decimals first": lambda values: np.floor(100 * values + 1e-9) / 100,
}
"""The value of each topic before the mean, by the way in which values are shown."""

# ------------------------------------------------------------------------------------------- other measures


Terms = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _stopping(stops: np.ndarray, rank: np.ndarray) -> np.ndarray:
    return np.asarray(stops * np.cumprod(np.insert(1 - stops, 0, 1, axis=1), axis=1)[:, :-1] / rank)


def _rank_biased(p: float) -> Terms:
    return lambda level, top, rank: (1 - p) * p ** (rank - 1) * level


# Sums over ranks that no measure string has, as terms by the level ≥ 0, the topic's top level and the rank.
SUMS: dict[str, Terms] = {
    "ERR_G with the topic's top level": lambda level, top, rank: _stopping((2**level - 1) / 2**top, rank),
    "ERR_G with the level as the probability": lambda level, top, rank: _stopping(level, rank),
} | {f"RBP_G(p={p}) with the gains themselves": _rank_biased(p) for p in (0.5, 0.8, 0.9, 0.95)}

# Measures with other denominators, by the cutoff, the relevant documents among the first k, the sum of their
# precisions, all R relevant and all n retrieved documents; the braces are for the least relevant level.
QUOTIENTS: dict[str, Callable[..., np.ndarray]] = {
    "AP{} over min(R, k)": lambda k, hits, precisions, R, n: ratio(precisions, np.minimum(R, k)),
    "AP{} over the relevant documents found": lambda k, hits, precisions, R, n: ratio(precisions, hits),
    "P{} over min(retrieved, k)": lambda k, hits, precisions, R, n: ratio(hits, np.minimum(n, k)),
    "R{} over min(R, k)": lambda k, hits, precisions, R, n: ratio(hits, np.minimum(R, k)),
}
PROVIDER = GradedProvider()
ANY_ORDER = ("AP", "P", "R", "RR", "Rprec", "Success", "Bpref", "Q", "ERR_G", "RBP_G")
"""The measures that are tried in all orders of ties and at all cutoffs."""
VARIED = Path(__file__).with_name("varied.txt")
"""Measures that are tried besides those at their defaults."""


def measures(levels: np.ndarray, judged: Judged) -> dict[str, Any]:
    """nDCG, DCG, `SUMS`, `QUOTIENTS` with each least relevant level, and the other measures of the registry
    that this package computes: without a cutoff, at their defaults and from each level on, and `VARIED`."""
    whole = [int(level) for level in levels[levels > 0][:5].tolist() if level % 1 == 0]
    least = {1: ""} | {level: f"(rel={level})" for level in whole if level != 1}
    found = list(map(parse_measure, VARIED.read_text().split()))
    try:
        has_intents = bool(judged.intents)
    except GradedError:
        has_intents = False
    for measure in registry().values():
        known = measure.SUPPORTED_PARAMS
        if not isinstance(measure, SessionMeasure) and (has_intents or not needs_intents(measure)):
            top = {"max_rel": int(levels.max(initial=1))} if "max_rel" in known else {}
            from_each = least if "rel" in known and not is_graded(measure) else ()
            found += [measure(**top), *(measure(rel=level, **top) for level in from_each)]
    others: dict[str, Any] = {NDCG: None, DCG: None} | SUMS
    for name, formula in QUOTIENTS.items():
        others |= {name.format(text): (formula, level) for level, text in least.items()}
    strings = {str(each): each for each in found if is_computed(each) and str(each) not in cumulated()}
    return others | strings


def impossible(definition: Definition) -> set[str]:
    """The values that are not tried for the measure of a definition, or need not be."""
    others = set() if definition.discount else {MEAN, *list(DOCUMENTS)[2:]}
    return others | (DCG_ONLY if definition.measure == NDCG else set()) | {*UNSORTED}


def is_computed(measure: Measure) -> bool:
    """Whether this package computes the measure, with a cutoff and without one."""
    cut = [at_cutoff(measure, cutoff) for cutoff in ("", "10")]
    return all(PROVIDER.supports(each) for each in cut if each)


def uncut(measure: Measure) -> Measure:
    """The measure without its cutoff."""
    return type(measure)(**{name: of for name, of in measure.params.items() if name != "cutoff"})


def at_cutoff(measure: Measure, cutoff: str) -> Measure | None:
    """The measure with a cutoff; None if it does not take the cutoff or lacks one."""
    try:
        if cutoff in ("", ALL_RANKS):
            return checked(measure)
        return checked(measure @ int(cutoff)) if "cutoff" in measure.SUPPORTED_PARAMS else None
    except GradedError:
        return None


def family(name: str) -> str:
    """The name that a measure and its variants share: nDCG, DCG, or the name without a suffix.

    >>> family("nDCG_JK(b=10)"), family("ERR_G"), family("ERR_G with the level as the probability")
    ('nDCG', 'ERR', 'ERR')
    """
    name = re.split("[ (@]", name)[0]
    return cumulated().get(name, name.removesuffix("_G"))


# ------------------------------------------------------------------------------------------------- tools

FILE = Path(__file__).with_name("tools.csv")
"""One row per measure of a tool, and last those of this package and ir-measures. Values between bars are
alternatives. `known` tells whether the version was run, as the tests do, or its source was read."""
ANY: dict[str, Callable[[str], bool]] = {
    "": lambda value: True,
    "k": lambda cutoff: cutoff != ALL_RANKS,
    "any table": lambda gain: gain in ("level", "2^level − 1") or gain.startswith("solved"),
    "any gain of a level": lambda gain: gain not in OF_UNJUDGED,
    "1 from level": lambda gain: gain.startswith("1 from level"),
    "one sort": lambda order: order != MEAN,
}
"""The names in the table that stand for several values of a dimension."""
EMPTY = {"order": "one sort", "shown": f"{ROUNDED}|{PERCENT}"}
"""The meaning of an empty cell in some dimensions; in the others, it admits any value."""
HERE = "here"  # `known` of the measures of this package and ir-measures
FAR = 9  # the departures of a definition from a tool that computes another measure


class Tool(NamedTuple):
    """A measure of a tool: `name` and `version` of the tool, the `metric`, and the dimensions that are
    known."""

    name: str
    version: str
    metric: str
    known: str
    dimensions: Mapping[str, str]

    def departs(self, name: str, value: str) -> int:
        """The number of departures of a value from what the tool computes, in one dimension."""
        cell = self.dimensions.get(name, EMPTY.get(name, ""))
        if name == "discount" and (value == "") != (cell == ""):
            return FAR  # the one is a measure string, the other nDCG or DCG with all dimensions
        if name == "measure" and cell == "any string":
            return (" " in value) + len(re.findall("(?<!rel)=", value))
        admitted = ANY.get(cell, cell.split("|").__contains__)
        return (FAR if name == "measure" else 1) * (value != "" and not admitted(value))

    def called(self, cutoff: str) -> str:
        """The tool, its metric with the cutoff, and its version."""
        version = f" ({self.version})" if self.version else ""
        return f"{self.name} {self.metric.replace('{k}', cutoff.title())}{version}"


@cache
def tools() -> tuple[Tool, ...]:
    """All rows of the table."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [{name: value for name, value in row.items() if value} for row in csv.DictReader(file)]
    heads = ("tool", "version", "metric", "known")
    return tuple(Tool._make((*(row.pop(name, "") for name in heads), row)) for row in rows)


@cache
def departures(name: str, value: str) -> np.ndarray:
    """The departures of a value in one dimension from each of `tools`."""
    return np.array([tool.departs(name, value) for tool in tools()], dtype=np.uint8)


def costs(definitions: Sequence[Definition]) -> np.ndarray:
    """The departures of definitions, perhaps without an order, from each tool (C × tools)."""
    found = np.zeros((len(definitions), len(tools())), dtype=np.uint8)
    for name, values in zip(Definition._fields, zip(*definitions)):
        distinct = {value: number for number, value in enumerate(dict.fromkeys(values))}
        table = np.stack([departures(name, value) for value in distinct])
        found += table[np.fromiter(map(distinct.__getitem__, values), np.int64, len(values))]
    return found


def is_usual(name: str, value: str) -> bool:
    """Whether the table says of some tool that it has this value of a dimension."""
    cells = {tool.dimensions.get(name, "") for tool in tools() if tool.known != HERE}
    return any(ANY.get(cell, cell.split("|").__contains__)(value) for cell in cells - {""})


@cache
def cumulated() -> dict[str, str]:
    """The measure strings that are nDCG or DCG in some dimensions, with which of both."""
    own = [tool for tool in tools() if tool.known == HERE and "discount" in tool.dimensions]
    return {re.sub(r"\{.*", "", tool.metric).rstrip("@"): tool.dimensions["measure"] for tool in own}
