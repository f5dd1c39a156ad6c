"""The definitions that are tried, as data: for each dimension a table from the name of a value to what it
does, and in `tools.csv` the definitions of tools and of this package.

A `Definition` has the name of one value in each dimension. nDCG and DCG have all dimensions. Other measures
are strings of this package or of ir-measures, or one of the few `FORMULAS`.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.measures.topics import ratio
from ...core.ranking.gains import EXP, LINEAR, gain_of
from ...core.registry.notation import checked, parse_measure
from ...errors import GradedError

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


ORDER = ("order", "precision", "documents")
# An order of a run: of its ties, of its scores, and which documents it has.
Order = tuple[str, str, str]


def orders(space: Mapping[str, Iterable[str]]) -> dict[Order, None]:
    """The orders of a run in a space."""
    found = product(*(space[name] or ("",) for name in ORDER))
    return dict.fromkeys((way, "" if way == UNSORTED else bits, of) for way, bits, of in found)


# The name of each dimension for people.
LABELS = dict(zip(Definition._fields, Definition._fields, strict=True)) | {
    "ideal": "ideal list",
    "nothing": "nothing relevant",
    "order": "order of ties",
    "precision": "precision of scores",
    "averaged": "averaged topics",
    "shown": "shown as",
}

# ------------------------------------------------------------------------------------------ nDCG and DCG

# The usual cutoffs, the likeliest first.
CUTOFFS = ("10", ALL_RANKS, "5", "20", "100", "1", "3", "50", "1000", "32")
Function = Callable[[np.ndarray], np.ndarray]


def log_from(b: float, r: np.ndarray) -> np.ndarray:
    """The discount of Järvelin & Kekäläinen: none before rank b, then the logarithm to the base b."""
    return np.log(np.maximum(r, b)) / np.log(b)


# The divisor of the gain at rank r, by name.
DISCOUNTS: dict[str, Function] = {
    "log2(r + 1)": lambda r: np.log2(r + 1),
    "none": np.ones_like,
    "log2 r from rank 2 on": partial(log_from, 2.0),
    "ln r from rank e on": partial(log_from, np.e),
    "log10 r from rank 10 on": partial(log_from, 10.0),
    "r": lambda r: r,
    "log2(r + 2)": lambda r: np.log2(r + 2),
}
FIRST_K, UNCUT, ANEW = "all judged, first k", "all judged, not cut", "the top k sorted anew"
# From `values.Lists`, the codes of the levels of the ideal list, to be cut at k unless it is `UNCUT`; `ANEW`
# is for one cutoff.
IDEALS: dict[str, Callable[[Any, int], np.ndarray]] = {
    FIRST_K: lambda lists, depth: lists.case.best,
    UNCUT: lambda lists, depth: lists.case.best,
    "all judged, first min(retrieved, k)": lambda lists, depth: np.where(
        np.arange(lists.case.best.shape[1])
        < (lists.code < lists.case.end).sum(axis=1, keepdims=True),
        lists.case.best,
        lists.case.end,
    ),
    "the retrieved documents only": lambda lists, depth: np.sort(lists.code, axis=1),
    "the top gain at every rank": lambda lists, depth: np.zeros((len(lists.case.best), depth), int),
    "the top gain at each returned rank": lambda lists, depth: np.where(
        lists.code < lists.case.end, 0, lists.case.end
    ),
    ANEW: lambda lists, depth: lists.case.best[:, :0],  # another list for each cutoff
}
NOTHING = {"0": 0.0, "1": 1.0, "left out": np.nan}


NEGATIVE = "level, negative too"
LEVEL, EXPONENTIAL = partial(gain_of, gains=LINEAR), partial(gain_of, gains=EXP)
GAINS: dict[str, Function] = {"level": LEVEL, "2^level − 1": EXPONENTIAL, "2^level": np.exp2}
HIGHEST = 500  # the highest level that is tried as an exponent
LOWEST = 5  # the number of positive levels, the lowest, from which on documents may be relevant


def gains_for(levels: np.ndarray) -> dict[str, Function]:
    """The gains to try, as functions of levels, for qrels with these distinct levels.

    >>> gains_for(np.array([0, 2]))["2^level"](np.array([0, 2])).tolist()
    [1.0, 4.0]
    """
    possible = GAINS if levels.max(initial=0) <= HIGHEST else {"level": LEVEL}
    negative: dict[str, Function] = {NEGATIVE: np.asarray} if levels.min(initial=0) < 0 else {}
    found = possible | negative
    for number, least in enumerate(levels[levels > 0][:LOWEST].tolist()):
        raised = {"1": np.ones_like} | (possible if number == 1 else {})
        for name, gain in raised.items():
            of = "" if name == "level" else "level "
            found[f"{name} from {of}{least:g} on"] = partial(gain_from, least, gain)
    return found


def gain_from(least: float, gain: Function, level: np.ndarray) -> np.ndarray:
    """The gain of levels from the least one on; lower levels gain nothing."""
    return np.where(level >= least, gain(level), 0.0)


# ------------------------------------------------------------------------- order, documents, mean, print

DESCENDING, ASCENDING = "docid descending", "docid ascending"
MEAN, WORST, BEST = "mean over ties", "worst label first", "best label first"
UNSORTED = "as read, without scores"
# From `values.Case`, a whole number by which rows with the same score are sorted.
ORDERS: dict[str, Callable[[Any], np.ndarray]] = {
    DESCENDING: lambda rows: rows.id_order,
    ASCENDING: lambda rows: -rows.id_order,
    "file order": lambda rows: rows.place,
    "file order reversed": lambda rows: -rows.place,
    MEAN: lambda rows: rows.id_order,
    WORST: lambda rows: -rows.code,
    BEST: lambda rows: rows.code,
    UNSORTED: lambda rows: rows.place,
}
PRECISIONS = {"32-bit": np.float32, "64-bit": np.float64}
EVERY, JUDGED_ONLY = "all", "judged only"
SCORED_0 = "the judged ones, with score 0 if not retrieved"
# Which rows are in the list.
DOCUMENTS: dict[str, Callable[[Any], np.ndarray]] = {
    EVERY: lambda rows: rows.is_retrieved,
    JUDGED_ONLY: lambda rows: rows.is_retrieved & rows.is_judged,
    "all, with the unretrieved judged ones behind": lambda rows: np.ones_like(rows.is_retrieved),
    SCORED_0: lambda rows: rows.is_judged,
}
BASE = (DESCENDING, "32-bit", EVERY)  # trec_eval's order, in which every measure is tried
QRELS_TOPICS, RUN_TOPICS = "the qrels' topics", "the run's topics"
# The topics of a mean; other topics of the run are counted with `RUN_TOPICS`.
AVERAGED: dict[str, Callable[[Any], np.ndarray]] = {
    QRELS_TOPICS: lambda rows: np.ones(rows.values.size),
    RUN_TOPICS: lambda rows: rows.ranks.retrieved > 0,
    "topics in both": lambda rows: rows.ranks.retrieved > 0,
    "topics with a relevant document": lambda rows: rows.levels[rows.best[:, 0]] > 0,
    "topics with a relevant document retrieved": lambda rows: (
        np.bincount(rows.topic, rows.is_retrieved & (rows.levels[rows.code] > 0), len(rows.best))
        > 0
    ),
}
ROUNDED, TRUNCATED, PERCENT = "rounded", "truncated", "percent"
# The value of each topic before the mean, by the way in which values are shown.
SHOWN: dict[str, Function] = {
    ROUNDED: np.asarray,
    TRUNCATED: np.asarray,
    PERCENT: lambda values: 100 * values,
    "each topic rounded to 2 decimals first": lambda values: np.round(values, 2),
    "each topic cut to 2 decimals first": lambda values: np.floor(100 * values + 1e-9) / 100,
}

# ------------------------------------------------------------------------------------------- other measures


class Ranked:
    """The lists of a run as formulas see them, with relevance from the level `least` on.

    For each rank (T × D) these are the `level` ≥ 0, whether there is a `hit`, the number `found` so far, and
    the `precision`, 0 without a hit. For each topic (T × 1), `top` is its top level, `R` the number of
    relevant and `n` that of retrieved documents; `highest` is the top level of all topics. Values are for
    each cutoff of `k` (C).
    """

    def __init__(self, lists: Any, code: np.ndarray, k: np.ndarray, least: float):
        self.ends, self.end = np.unique(
            np.minimum(k, code.shape[1]).astype(int), return_inverse=True
        )
        levels, seen = np.fmax(lists.case.levels, 0), code[:, : self.ends[-1]]
        best = np.repeat(levels[lists.case.best], len(code) // len(lists.code), axis=0)
        self.level, self.highest, self.top = levels[seen], levels[0], best[:, :1]
        self.R, self.n = (
            np.sum(of, axis=1)[:, None] for of in (best >= least, code < lists.case.end)
        )
        self.k, self.rank = k, np.arange(1.0, seen.shape[1] + 1)
        self.hit = self.level >= least
        self.found = np.cumsum(self.hit, axis=1)
        self.precision = self.hit * self.found / self.rank

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

    def biased(self, p: float, gain: np.ndarray) -> np.ndarray:
        """RBP with these gains."""
        return self.upto((1 - p) * p ** (self.rank - 1) * gain)


# Measures that are tried in all orders of ties. Braces stand for the least relevant level.
FORMULAS: dict[str, Callable[..., np.ndarray]] = {
    "AP{}": lambda of: ratio(of.upto(of.precision), of.R),
    "AP{} over min(R, k)": lambda of: ratio(of.upto(of.precision), np.minimum(of.R, of.k)),
    "AP{} over the relevant documents found": lambda of: ratio(
        of.upto(of.precision), of.upto(of.hit)
    ),
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
}
for p in (0.5, 0.8, 0.9, 0.95):
    FORMULAS |= {
        f"RBP(rel={{rel}}{'' if p == 0.8 else f',p={p}'})": lambda of, p=p: of.biased(p, of.hit),
        f"RBP_G(p={p})": lambda of, p=p: of.biased(p, of.level / of.highest),
        f"RBP_G(p={p}) with the gains themselves": lambda of, p=p: of.biased(p, of.level),
    }

# The measure strings that are tried in trec_eval's order. Their parameters depart from what is usual.
STRINGS = Path(__file__).with_name("measures.txt").read_text().split()


def measures(levels: np.ndarray) -> dict[str, Any]:
    """nDCG, DCG, `FORMULAS` and `STRINGS`; those with braces once for each of the lowest levels from which
    on documents are relevant."""
    whole = [int(level) for level in levels[levels > 0][:LOWEST].tolist() if level % 1 == 0]
    least = {1: ""} | {level: f"(rel={level})" for level in whole if level != 1}
    found: dict[str, Any] = {NDCG: None, DCG: None}
    for name, formula in FORMULAS.items():
        relevant = least if "{" in name else {np.nextafter(0, 1): ""}
        found |= {
            name.format(text, rel=level): (formula, level) for level, text in relevant.items()
        }
    for name in STRINGS:
        strings = dict.fromkeys(name.format(text) for text in least.values())
        found |= {str(measure): measure for measure in map(parse_measure, strings)}
    return found


# The values that are not tried, or need not be, for nDCG and DCG, and for other measures.
UNTRIED: tuple[set[str], set[str]] = ({UNSORTED}, {UNSORTED, MEAN, *list(DOCUMENTS)[2:]})


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
    return re.sub("^(n?)D?CG.*", r"\1DCG", re.split("[ (@]", name)[0]).removesuffix("_G")


# ------------------------------------------------------------------------------------------------- tools

# One row per measure of a tool, and last those of this package and ir-measures. Besides tool, version, metric
# and known, the columns are dimensions. Values between bars are alternatives. `known` tells whether the
# version was run, as the tests do, or its source was read.
TOOLS = tuple(csv.DictReader(Path(__file__).with_name("tools.csv").read_text("utf-8").splitlines()))
# The names in the table that stand for several values of a dimension.
ANY: dict[str, Callable[[str], bool]] = {
    "": lambda value: True,
    "k": lambda cutoff: cutoff != ALL_RANKS,
    "any RR": lambda measure: family(measure) == "RR",
    "any table": lambda gain: gain in ("level", "2^level − 1") or gain.startswith("solved"),
    "any gain of a level": lambda gain: gain not in ("2^level", NEGATIVE),
    "any logarithm": lambda discount: " from rank " in discount,
    "1 from level": lambda gain: gain.startswith("1 from level"),
    "one sort": lambda order: order not in (MEAN, WORST, BEST),
}
# The meaning of an empty cell in some dimensions; in the others, it admits any value.
EMPTY = {"order": "one sort", "shown": f"{ROUNDED}|{PERCENT}"}
HERE = "here"  # `known` of the measures of this package and ir-measures
FAR = 9  # the departures of a definition from a tool that computes another measure


def departs(tool: Mapping[str, str], name: str, value: str) -> int:
    """The number of departures of a value from what a tool computes, in one dimension."""
    cell = tool[name] or EMPTY.get(name, "")
    if name == "discount" and (value == "") != (cell == ""):
        return FAR  # the one is a measure string, the other nDCG or DCG with all dimensions
    if name == "measure" and cell == "any string":
        contrived = len(re.findall("(?<!rel)=", value)) if value in STRINGS else 0
        return FAR if family(value) == "RR" else int(" " in value) + contrived
    departure = FAR if name == "measure" else 1
    return departure if value and not admits(cell, value) else 0


def admits(cell: str, value: str) -> bool:
    """Whether a cell of the table admits a value."""
    return ANY[cell](value) if cell in ANY else value in cell.split("|")


@cache
def departures(name: str, value: str) -> np.ndarray:
    """The departures of a value in one dimension from each of `TOOLS`."""
    return np.array([departs(tool, name, value) for tool in TOOLS], dtype=np.uint8)


def costs(
    definitions: Sequence[Sequence[str]], names: Sequence[str] = Definition._fields
) -> np.ndarray:
    """The departures of definitions, or of their parts with these names, from each tool (C × tools)."""
    found = np.zeros((len(definitions), len(TOOLS)), dtype=np.uint8)
    for name, column in zip(names, zip(*definitions, strict=False), strict=False):
        places = {value: place for place, value in enumerate(dict.fromkeys(column))}
        found += np.stack([departures(name, value) for value in places])[
            [places[value] for value in column]
        ]
    return found


def is_usual(name: str, value: str) -> bool:
    """Whether the table says of some tool that it has this value of a dimension."""
    return any(tool[name] and tool["known"] != HERE and admits(tool[name], value) for tool in TOOLS)
