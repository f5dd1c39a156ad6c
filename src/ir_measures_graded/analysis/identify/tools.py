"""What tools compute, from `tools.csv`, and in how many dimensions a definition departs from them.

The table has one row per measure of a tool, much-used tools first, then those of founding papers,
and last those of this package and ir-measures. Besides tool, version, metric and known, the columns
are dimensions. Values between bars are alternatives. `known` tells whether the version was run, as
the tests do, its source was read, or the row is a paper's."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from .dimensions import (
    ALL_RANKS,
    BEST,
    EXPONENTIAL_GAIN,
    LINEAR_GAIN,
    MEAN,
    NEGATIVE_GAIN,
    PERCENT,
    POWER_GAIN,
    ROUNDED,
    WORST,
    Definition,
)
from .formulas import STRINGS, family

TABLE = Path(__file__).with_name("tools.csv").read_text("utf-8")
TOOLS = tuple(csv.DictReader(TABLE.splitlines()))
HERE = "here"  # `known` of the measures of this package and ir-measures
PAPER = "paper"  # `known` of the measures of founding papers
IS_HERE = np.array([tool["known"] == HERE for tool in TOOLS])
IS_PAPER = np.array([tool["known"] == PAPER for tool in TOOLS])
IS_TOOL = ~(IS_HERE | IS_PAPER)
IS_PLAIN_STRING = IS_HERE & np.array(["{gains}" not in tool["metric"] for tool in TOOLS])
"""The rows of measure strings here without a table of gains."""
IS_MEASURE_STRING = IS_HERE & np.array([tool["discount"] == "" for tool in TOOLS])
"""The rows of measure strings other than nDCG and DCG."""
WAS_RUN = np.array([tool["known"] == "run" for tool in TOOLS])
RANKERS = {"LightGBM", "XGBoost", "CatBoost", "scikit-learn", "TF-Ranking", "allRank"}
"""The tools that learn to rank, and that evaluate their own predictions."""
KEPT_DEPARTURES = 4096  # values whose departures are kept; cutoffs can have any number
UNSTABLE = "unstable sort"  # only the tool itself gives this order of ties
FAR = 9  # the departures of a definition from a tool that computes another measure


def is_of_rankers(names: str) -> bool:
    """Whether one of the tools of a row of the table learns to rank.

    >>> is_of_rankers("XGBoost, LightGBM, CatBoost"), is_of_rankers("trec_eval")
    (True, False)
    """
    return not RANKERS.isdisjoint(names.split(", "))


IS_OF_RANKERS = np.array([is_of_rankers(tool["tool"]) for tool in TOOLS])


def _any(text: str) -> bool:
    return True


def _a_cutoff(cutoff: str) -> bool:
    return cutoff != ALL_RANKS


def _a_reciprocal_rank(measure: str) -> bool:
    return family(measure) == "RR"


def _a_table_of_gains(gain: str) -> bool:
    return gain in (LINEAR_GAIN.text, EXPONENTIAL_GAIN.text) or gain.startswith("solved")


def _a_gain_of_a_level(gain: str) -> bool:
    return gain not in (POWER_GAIN.text, NEGATIVE_GAIN.text)


def _a_logarithm(discount: str) -> bool:
    return " from rank " in discount


def _a_binary_gain(gain: str) -> bool:
    return gain.startswith("1 from level")


def _one_sort(order: str) -> bool:
    return order not in (MEAN.text, WORST.text, BEST.text)


# The names in the table that stand for several values of a dimension.
SEVERAL: dict[str, Callable[[str], bool]] = {
    "": _any,
    "k": _a_cutoff,
    "any RR": _a_reciprocal_rank,
    "any table": _a_table_of_gains,
    "any gain of a level": _a_gain_of_a_level,
    "any logarithm": _a_logarithm,
    "1 from level": _a_binary_gain,
    "one sort": _one_sort,
    UNSTABLE: _one_sort,
}
# The meaning of an empty cell in some dimensions; in the others, it admits any value.
EMPTY_CELLS = {"order": "one sort", "shown": f"{ROUNDED.text}|{PERCENT.text}"}


def departs(tool: Mapping[str, str], name: str, value: str) -> int:
    """The number of departures of a value from what a tool computes, in one dimension."""
    cell = tool[name] or EMPTY_CELLS.get(name, "")
    if name == "discount" and (value == "") != (cell == ""):
        return FAR  # the one is a measure string, the other nDCG or DCG with all dimensions
    if name == "measure" and cell == "any string":
        return _departs_from_any_string(value)
    if not value or admits(cell, value):
        return 0
    return FAR if name == "measure" else 1


def _departs_from_any_string(measure: str) -> int:
    """Each parameter of a string that is tried departs from what is usual, but for rel."""
    if family(measure) == "RR":
        return FAR
    departures = 0
    if " " in measure:
        departures += 1
    if measure in STRINGS:
        departures += len(re.findall("(?<!rel)=", measure))
    return departures


def admits(cell: str, value: str) -> bool:
    """Whether a cell of the table admits a value."""
    if cell in SEVERAL:
        return SEVERAL[cell](value)
    return value in cell.split("|")


@lru_cache(KEPT_DEPARTURES)
def departures(name: str, value: str) -> np.ndarray:
    """The departures of a value in one dimension from each of `TOOLS`."""
    return np.array([departs(tool, name, value) for tool in TOOLS], dtype=np.uint8)


def costs(
    definitions: Sequence[Sequence[str]], names: Sequence[str] = Definition._fields
) -> np.ndarray:
    """The departures of definitions, or of their parts with these names, from each tool (C ×
    tools)."""
    total = np.zeros((len(definitions), len(TOOLS)), dtype=np.uint8)
    if not definitions:
        return total
    for name, column in zip(names, zip(*definitions, strict=True), strict=True):
        distinct = dict.fromkeys(column)
        by_value = np.stack([departures(name, value) for value in distinct])
        number = {value: number for number, value in enumerate(distinct)}
        total += by_value[[number[value] for value in column]]
    return total


def costs_of_combinations(texts: Sequence[Sequence[str]], names: Sequence[str]) -> np.ndarray:
    """The departures of all combinations of texts for the dimensions with these names from each
    tool (C × tools). The texts of the last dimension change fastest."""
    total = np.zeros((1, len(TOOLS)), dtype=np.uint8)
    for name, values in zip(names, texts, strict=True):
        by_value = np.stack([departures(name, value) for value in values])
        total = (total[:, None] + by_value).reshape(-1, len(TOOLS))
    return total


def is_usual(name: str, value: str) -> bool:
    """Whether the table says of some tool that it has this value of a dimension."""
    cells = [tool[name] for tool, is_tool in zip(TOOLS, IS_TOOL, strict=True) if is_tool]
    return any(cell and admits(cell, value) for cell in cells)
