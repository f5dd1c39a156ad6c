"""The definitions that are tried, as data: for each dimension a table from the name of a value to what it
does, and in `tools.csv` the definitions of tools and of this package.

A `Definition` has the name of one value in each dimension. nDCG and DCG have all dimensions. Other measures
are strings of this package or of ir-measures, or one of the few `FORMULAS`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.measures.topics import ratio
from ...core.ranking.gains import EXP, LINEAR, gain_of
from ...core.registry.notation import checked, parse_measure
from ...errors import GradedError

if TYPE_CHECKING:
    from .cases import Lists

NDCG, DCG = "nDCG", "DCG"
ALL_RANKS = "none"  # the cutoff of a measure without a cutoff


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
        return self[6:9]


ORDER = ("order", "precision", "documents")
Order = tuple[str, str, str]
"""An order of a run: of its ties, of its scores, and which documents it has."""


def orders(space: Mapping[str, Iterable[str]]) -> dict[Order, None]:
    """The orders of a run in a space."""
    found = product(*(space[name] or ("",) for name in ORDER))
    return dict.fromkeys((way, "" if way == UNSORTED else bits, of) for way, bits, of in found)


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
COMMON = 5  # the number of cutoffs at which all measure strings are tried; the others if nothing fits
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
}
"""The divisor of the gain at rank r, by name."""
FIRST_K, UNCUT, ANEW = "all judged, first k", "all judged, not cut", "the top k sorted anew"
IDEALS: dict[str, Callable[[Lists, int], np.ndarray]] = {
    FIRST_K: lambda lists, depth: lists.best,
    UNCUT: lambda lists, depth: lists.best,
    "all judged, first min(retrieved, k)": lambda lists, depth: np.where(
        np.arange(lists.best.shape[1]) < lists.inside.sum(axis=1, keepdims=True), lists.best, lists.end
    ),
    "the retrieved documents only": lambda lists, depth: np.sort(lists.code, axis=1),
    "the top gain at every rank": lambda lists, depth: np.zeros((len(lists.best), depth), int),
    "the top gain at each returned rank": lambda lists, depth: np.where(lists.inside, 0, lists.end),
    ANEW: lambda lists, depth: lists.best[:, :0],  # another list for each cutoff
}
"""From `cases.Lists`, the codes of the levels of the ideal list, to be cut at k unless it is `UNCUT`; `ANEW`
is for one cutoff."""
ZERO = "0"
NOTHING = {ZERO: 0.0, "1": 1.0, "left out": np.nan}


NEGATIVE = "level, negative too"
LEVEL: Function = partial(gain_of, gains=LINEAR)
EXPONENTIAL: Function = partial(gain_of, gains=EXP)
GAINS: dict[str, tuple[Function, int, int]] = {
    "level": (LEVEL, 0, 1),
    "2^level − 1": (EXPONENTIAL, 0, 1),
    "2^level": (np.exp2, 0, 1),
    NEGATIVE: (np.asarray, 0, 1),
    "2^level of relevant documents": (np.exp2, 1, 2),
    "1 from level {:g} on": (np.ones_like, 1, 6),
    "level from {:g} on": (LEVEL, 2, 3),
    "2^level − 1 from level {:g} on": (EXPONENTIAL, 2, 3),
}
"""The gain of a level, and from which levels on documents gain it: those at these numbers in a list of all
levels (0) and the positive ones."""
HIGHEST = 500  # the highest level that is tried as an exponent


def gains_for(levels: np.ndarray) -> dict[str, Function]:
    """The gains to try, as functions of levels, for qrels with these distinct levels.

    >>> gains_for(np.array([0, 2]))["2^level"](np.array([0, 2])).tolist()
    [1.0, 4.0]
    """
    least = [-np.inf, *levels[levels > 0].tolist()]
    left_out = {NEGATIVE} if levels.min(initial=0) >= 0 else set()
    left_out |= {name for name in GAINS if "2^" in name and levels.max(initial=0) > HIGHEST}
    return {
        name.format(each): partial(gain_from, each, gain)
        for name, (gain, first, end) in GAINS.items()
        for each in least[first:end]
        if name not in left_out
    }


def gain_from(least: float, gain: Function, level: np.ndarray) -> np.ndarray:
    """The gain of levels from the least one on; lower levels gain nothing."""
    return np.where(level >= least, gain(level), 0.0)


# ------------------------------------------------------------------------- order, documents, mean, print

DESCENDING, MEAN, WORST, BEST = "docid descending", "mean over ties", "worst label first", "best label first"
UNSORTED = "as read, without scores"
ORDERS: dict[str, Callable[[Any], np.ndarray]] = {
    DESCENDING: lambda rows: rows.id_order,
    "docid ascending": lambda rows: -rows.id_order,
    "file order": lambda rows: rows.place,
    "file order reversed": lambda rows: -rows.place,
    MEAN: lambda rows: rows.id_order,
    WORST: lambda rows: -rows.code,
    BEST: lambda rows: rows.code,
    UNSORTED: lambda rows: rows.place,
}
"""From `cases.Documents`, a whole number by which rows with the same score are sorted."""
PRECISIONS = {"32-bit": np.float32, "64-bit": np.float64}
EVERY, JUDGED_ONLY = "all", "judged only"
SCORED_0 = "the judged ones, with score 0 if not retrieved"
DOCUMENTS: dict[str, Callable[[Any], np.ndarray]] = {
    EVERY: lambda rows: rows.is_retrieved,
    JUDGED_ONLY: lambda rows: rows.is_retrieved & rows.is_judged,
    "all, with the unretrieved judged ones behind": lambda rows: np.ones_like(rows.is_retrieved),
    SCORED_0: lambda rows: rows.is_judged,
}
"""Which rows are in the list."""
BASE = (DESCENDING, "32-bit", EVERY)  # trec_eval's order, in which every measure is tried
QRELS_TOPICS, RUN_TOPICS = "the qrels' topics", "the run's topics"
AVERAGED: dict[str, Callable[[Any], np.ndarray]] = {
    QRELS_TOPICS: lambda rows: np.ones(rows.ranks.retrieved.size),
    RUN_TOPICS: lambda rows: rows.ranks.retrieved > 0,
    "topics in both": lambda rows: rows.ranks.retrieved > 0,
    "topics with a relevant document": lambda rows: rows.levels[rows.best[:, 0]] > 0,
    "topics with a relevant document retrieved": lambda rows: (
        np.bincount(rows.topic, rows.is_retrieved & (rows.levels[rows.code] > 0), len(rows.best)) > 0
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


class Ranked:
    """The lists of a run as formulas see them, with relevance from the level `least` on.

    For each rank (T × D) these are the `level` ≥ 0, whether there is a `hit`, the number `found` so far, and
    the `precision`, 0 without a hit. For each topic (T × 1), `top` is its top level, `R` the number of
    relevant and `n` that of retrieved documents; `highest` is the top level of all topics. Values are for
    each cutoff of `k` (C).
    """

    def __init__(self, lists: Lists, code: np.ndarray, k: np.ndarray, least: float):
        self.ends, self.end = np.unique(np.minimum(k, code.shape[1]).astype(int), return_inverse=True)
        levels, seen = np.fmax(lists.levels, 0), code[:, : self.ends[-1]]
        best, self.level, self.highest = levels[lists.best], levels[seen], levels[0]
        self.k, self.rank = k, np.arange(1.0, seen.shape[1] + 1)
        self.hit, orders = self.level >= least, len(code) // len(best)
        self.found = np.cumsum(self.hit, axis=1)
        self.precision = self.hit * self.found / self.rank
        self.n = np.sum(code < lists.end, axis=1)[:, None]
        self.top, self.R = (
            np.repeat(each, orders, axis=0) for each in (best[:, :1], np.sum(best >= least, axis=1)[:, None])
        )

    def upto(self, terms: np.ndarray) -> np.ndarray:
        """The sum of terms over the first k ranks."""
        starts = np.append(0, self.ends[:-1])
        return np.cumsum(np.add.reduceat(terms, starts, axis=1), axis=1)[:, self.end]

    def hits_per(self, number: np.ndarray) -> np.ndarray:
        """The hits in the first k ranks, divided by a number; NaN without a cutoff."""
        return np.where(np.isinf(self.k), np.nan, np.nan_to_num(self.upto(self.hit) / number))

    def cascade(self, stops: np.ndarray) -> np.ndarray:
        """ERR with these probabilities to stop."""
        going = np.cumprod(np.insert(1 - stops, 0, 1, axis=1), axis=1)[:, :-1]
        return self.upto(stops * going / self.rank)

    def biased(self, p: float, highest: float) -> np.ndarray:
        """RBP with this highest gain."""
        return self.upto((1 - p) * p ** (self.rank - 1) * self.level / highest)


Formula = Callable[[Ranked], np.ndarray]
FORMULAS: dict[str, Formula] = {
    "AP{}": lambda of: ratio(of.upto(of.precision), of.R),
    "AP{} over min(R, k)": lambda of: ratio(of.upto(of.precision), np.minimum(of.R, of.k)),
    "AP{} over the relevant documents found": lambda of: ratio(of.upto(of.precision), of.upto(of.hit)),
    "P{}": lambda of: of.hits_per(of.k),
    "P{} over min(retrieved, k)": lambda of: of.hits_per(np.minimum(of.n, of.k)),
    "R{}": lambda of: of.hits_per(of.R),
    "R{} over min(R, k)": lambda of: of.hits_per(np.minimum(of.R, of.k)),
    "RR{}": lambda of: of.upto((of.found == 1) * of.precision),
    "Success{}": lambda of: np.minimum(of.hits_per(np.ones(1)), 1),
    "ERR_G": lambda of: of.cascade((2**of.level - 1) / 2**of.highest),
    "ERR_G(max_gain=15)": lambda of: of.cascade((2**of.level - 1) / 2 ** max(4, of.highest)),
    "ERR_G with the topic's top level": lambda of: of.cascade((2**of.level - 1) / 2**of.top),
    "ERR_G with the level as the probability": lambda of: of.cascade(of.level),
    "RBP_G(p=0.5)": lambda of: of.biased(0.5, of.highest),
    "RBP_G(p=0.8)": lambda of: of.biased(0.8, of.highest),
    "RBP_G(p=0.9)": lambda of: of.biased(0.9, of.highest),
    "RBP_G(p=0.95)": lambda of: of.biased(0.95, of.highest),
    "RBP_G(p=0.5) with the gains themselves": lambda of: of.biased(0.5, 1),
    "RBP_G(p=0.8) with the gains themselves": lambda of: of.biased(0.8, 1),
    "RBP_G(p=0.9) with the gains themselves": lambda of: of.biased(0.9, 1),
    "RBP_G(p=0.95) with the gains themselves": lambda of: of.biased(0.95, 1),
}
"""Measures that are tried in all orders of ties, with the least relevant level in place of the braces."""
STRINGS = Path(__file__).with_name("measures.txt")
"""The measure strings that are tried in trec_eval's order."""


def measures(levels: np.ndarray) -> dict[str, Any]:
    """nDCG, DCG, `FORMULAS` and `STRINGS`; those with braces once for each of the lowest levels from which
    on documents are relevant."""
    whole = [int(level) for level in levels[levels > 0][:5].tolist() if level % 1 == 0]
    least = {1: ""} | {level: f"(rel={level})" for level in whole if level != 1}
    found: dict[str, Any] = {NDCG: None, DCG: None}
    for name, formula in FORMULAS.items():
        found |= {name.format(text): (formula, level) for level, text in least.items() if "{}" in name}
        if "{}" not in name:
            found[name if " " in name else str(parse_measure(name))] = formula, np.nextafter(0, 1)
    for name in STRINGS.read_text().split():
        strings = dict.fromkeys(name.format(text) for text in least.values())
        found |= {str(measure): measure for measure in map(parse_measure, strings)}
    return found


UNTRIED: tuple[set[str], set[str]] = ({UNSORTED}, {UNSORTED, MEAN, *list(DOCUMENTS)[2:]})
"""The values that are not tried, or need not be, for nDCG and DCG, and for other measures."""


def at_cutoff(measure: Measure, cutoff: str) -> Measure | None:
    """The measure with a cutoff; None if it does not take the cutoff or lacks one."""
    with suppress(GradedError):
        if cutoff in ("", ALL_RANKS):
            return checked(measure)
        return checked(measure @ int(cutoff)) if "cutoff" in measure.SUPPORTED_PARAMS else None
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
    "any gain of a level": lambda gain: gain not in ("2^level", NEGATIVE),
    "1 from level": lambda gain: gain.startswith("1 from level"),
    "one sort": lambda order: order not in (MEAN, WORST, BEST),
}
"""The names in the table that stand for several values of a dimension."""
EMPTY = {"order": "one sort", "shown": f"{ROUNDED}|{PERCENT}"}
"""The meaning of an empty cell in some dimensions; in the others, it admits any value."""
HERE = "here"  # `known` of the measures of this package and ir-measures
FAR = 9  # the departures of a definition from a tool that computes another measure


@cache
def tools() -> tuple[dict[str, str], ...]:
    """The rows of the table. Besides tool, version, metric and known, the columns are dimensions."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def departs(tool: Mapping[str, str], name: str, value: str) -> int:
    """The number of departures of a value from what a tool computes, in one dimension."""
    cell = tool[name] or EMPTY.get(name, "")
    if name == "discount" and (value == "") != (cell == ""):
        return FAR  # the one is a measure string, the other nDCG or DCG with all dimensions
    if name == "measure" and cell == "any string":
        return (" " in value) + len(re.findall("(?<!rel)=", value))
    return (FAR if name == "measure" else 1) * (value != "" and not admits(cell, value))


def admits(cell: str, value: str) -> bool:
    """Whether a cell of the table admits a value."""
    return ANY[cell](value) if cell in ANY else value in cell.split("|")


Column = tuple[Iterable[str], np.ndarray]
"""Values of a dimension, and the place in them of that of each of several definitions."""


@cache
def departures(name: str, value: str) -> np.ndarray:
    """The departures of a value in one dimension from each of `tools`."""
    return np.array([departs(tool, name, value) for tool in tools()], dtype=np.uint8)


def costs(names: Iterable[str], columns: Iterable[Column]) -> np.ndarray:
    """The departures of definitions in some dimensions from each tool (C × tools)."""
    found = [
        np.stack([departures(name, str(value)) for value in values])[places]
        for name, (values, places) in zip(names, columns)
    ]
    return np.asarray(np.sum(found, axis=0, dtype=np.uint8))


def costs_of(definitions: Iterable[Sequence[str]], names: Sequence[str] = Definition._fields) -> np.ndarray:
    """The same of definitions, or of orders, by the names of their values."""
    return costs(names, [np.unique(column, return_inverse=True) for column in zip(*definitions)])


def is_usual(name: str, value: str) -> bool:
    """Whether the table says of some tool that it has this value of a dimension."""
    return any(tool[name] and tool["known"] != HERE and admits(tool[name], value) for tool in tools())


@cache
def cumulated() -> dict[str, str]:
    """The measure strings that are nDCG or DCG in some dimensions, with which of both."""
    own = [tool for tool in tools() if tool["known"] == HERE and tool["discount"]]
    return {re.sub(r"\{.*", "", tool["metric"]).rstrip("@"): tool["measure"] for tool in own}
