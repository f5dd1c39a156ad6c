"""The dimensions of a definition, and the ways to fill each: what is tried, as data.

A `Way` has a text and what it does. A `Definition` has the text of one way in each dimension, as
`tools.csv` has. nDCG and DCG have all dimensions, other measures a few."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.ranking.gains import EXP, LINEAR, gain_of

if TYPE_CHECKING:
    from .case import CaseRows, Lists

Function = Callable[[np.ndarray], np.ndarray]
WEIGHTED = "nDCG and DCG"
OTHER = "other measures"
EVERY_KIND = (WEIGHTED, OTHER)


class Definition(NamedTuple):
    """The text of one way in each dimension; empty where a dimension does not apply.

    `measure` is nDCG, DCG or a measure string without its cutoff. `nothing` is the value of a topic
    for which the ideal list has no gain. `averaged` is only known for means."""

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


@dataclass(frozen=True, eq=False)
class Way:
    """One way to fill a dimension. `apply` is a function or a number, as the dimension says.

    `tried_for` has the kinds of measures for which it is tried, or needs to be.
    """

    text: str
    apply: Any
    tried_for: tuple[str, ...] = EVERY_KIND


# The definitions to try: all combinations of a way for each dimension. Each table maps the texts of
# ways to them, the likeliest first.
Space = Mapping[str, Mapping[str, Way]]


@dataclass(frozen=True, eq=False)
class Dimension:
    """A dimension: its name in `Definition`, its label for people, and its usual ways."""

    name: str
    label: str
    ways: tuple[Way, ...] = ()

    @cached_property
    def by_text(self) -> dict[str, Way]:
        """The ways by their texts."""
        return {way.text: way for way in self.ways}


# --------------------------------------------------------------------------- measures and cutoffs

NDCG = "nDCG"
DCG = "DCG"
MEASURE = Dimension("measure", "measure")
ALL_RANKS = "none"  # the cutoff of a measure without a cutoff


def cutoff_way(text: str) -> Way:
    """The cutoff with this text; `apply` is the number of ranks."""
    ranks = np.inf if text == ALL_RANKS else float(text)
    return Way(text, ranks)


USUAL_CUTOFFS = ("10", ALL_RANKS, "5", "20", "100", "1", "3", "50", "1000", "32")
EVERYDAY_CUTOFFS = ("", ALL_RANKS, "5", "10", "20", "100", "1000")
"""Definitions with these cutoffs are likelier than with others."""
CUTOFF = Dimension("cutoff", "cutoff", tuple(map(cutoff_way, USUAL_CUTOFFS)))

# ------------------------------------------------------------------------------------------ gains

HIGHEST_EXPONENT = 500  # the highest level that is tried as an exponent
LOWEST_LEVELS = 5  # documents may be relevant from one of so many lowest positive levels on


def gain_from(least: float, gain: Function, level: np.ndarray) -> np.ndarray:
    """The gain of levels from the least one on; lower levels gain nothing."""
    return np.where(level >= least, gain(level), 0.0)


LINEAR_GAIN = Way("level", partial(gain_of, gains=LINEAR))
EXPONENTIAL_GAIN = Way("2^level − 1", partial(gain_of, gains=EXP))
POWER_GAIN = Way("2^level", np.exp2)  # the frequent mistake: unjudged documents gain 1
NEGATIVE_GAIN = Way("level, negative too", np.asarray)
# `apply` gives the gain of a level.
GAIN = Dimension("gain", "gain", (LINEAR_GAIN, EXPONENTIAL_GAIN, POWER_GAIN))


def gains_for(levels: np.ndarray) -> dict[str, Way]:
    """The gains to try, as functions of levels, for qrels with these distinct levels.

    >>> gains_for(np.array([0, 2]))["2^level"].apply(np.array([0, 2])).tolist()
    [1.0, 4.0]
    """
    whole_scale = list(GAIN.ways)
    if levels.max(initial=0) > HIGHEST_EXPONENT:
        whole_scale = [LINEAR_GAIN]
    ways = list(whole_scale)
    if levels.min(initial=0) < 0:
        ways.append(NEGATIVE_GAIN)
    binary = Way("1", np.ones_like)
    lowest_levels = levels[levels > 0][:LOWEST_LEVELS].tolist()
    for number, least in enumerate(lowest_levels):
        raised = [binary]
        if number == 1:
            raised += whole_scale
        for gain in raised:
            subject = "" if gain is LINEAR_GAIN else "level "
            text = f"{gain.text} from {subject}{least:g} on"
            ways.append(Way(text, partial(gain_from, least, gain.apply)))
    return {way.text: way for way in ways}


def solved_gain(levels: Iterable[float], table: Iterable[int]) -> Way:
    """The way of a table of gains that was solved for, as ``solved: 1:1, 2:3``."""
    gains: dict[int | float, int | float] = dict(zip(levels, table, strict=True))
    listed = ", ".join(f"{level:g}:{gain:g}" for level, gain in gains.items())
    return Way(f"solved: {listed}", partial(gain_of, gains=gains))


# -------------------------------------------------------------------------------------- discounts


@dataclass(frozen=True)
class LogFrom:
    """The discount of Järvelin & Kekäläinen: none before rank b, then the logarithm to the base
    b."""

    base: float

    def __call__(self, rank: np.ndarray) -> np.ndarray:
        """The divisor of the gain at each rank."""
        return np.asarray(np.log(np.maximum(rank, self.base)) / np.log(self.base))


def log2_of_next(rank: np.ndarray) -> np.ndarray:
    """log2(r + 1)."""
    return np.asarray(np.log2(rank + 1))


def log2_of_next_but_one(rank: np.ndarray) -> np.ndarray:
    """log2(r + 2): ranks are counted from 0 by mistake, or from 1 where 0 is meant."""
    return np.asarray(np.log2(rank + 2))


def log_way(base: float) -> Way:
    """The discount with this base of the logarithm."""
    return Way(f"log{base:g} r from rank {base:g} on", LogFrom(base))


UNDISCOUNTED = Way("none", np.ones_like)
# `apply` gives the divisor of the gain at a rank.
DISCOUNT_WAYS = (
    Way("log2(r + 1)", log2_of_next),
    UNDISCOUNTED,
    log_way(2.0),
    Way("ln r from rank e on", LogFrom(np.e)),
    log_way(10.0),
    Way("r", np.asarray),
    Way("log2(r + 2)", log2_of_next_but_one),
)
DISCOUNT = Dimension("discount", "discount", DISCOUNT_WAYS)

# ------------------------------------------------------------------------------------ ideal lists


def all_judged(lists: Lists, depth: int) -> np.ndarray:
    """All judged documents, the best first."""
    return lists.rows.best


def as_many_as_retrieved(lists: Lists, depth: int) -> np.ndarray:
    """The best judged documents, as many as are retrieved."""
    rows = lists.rows
    retrieved = (lists.code < rows.end).sum(axis=1, keepdims=True)
    return np.where(np.arange(rows.best.shape[1]) < retrieved, rows.best, rows.end)


def only_retrieved(lists: Lists, depth: int) -> np.ndarray:
    """The retrieved documents, the best first."""
    return np.sort(lists.code, axis=1)


def top_everywhere(lists: Lists, depth: int) -> np.ndarray:
    """The top level at every rank."""
    return np.zeros((len(lists.rows.best), depth), int)


def top_where_retrieved(lists: Lists, depth: int) -> np.ndarray:
    """The top level at each rank that has a document."""
    return np.where(lists.code < lists.rows.end, 0, lists.rows.end)


def another_for_each_cutoff(lists: Lists, depth: int) -> np.ndarray:
    """No list: the retrieved top k are sorted for each cutoff (`scoring.ideally_cumulated`)."""
    return lists.rows.best[:, :0]


# `apply` gives the codes of the levels of the ideal list, to be cut at k unless it is "not cut".
FIRST_K = Way("all judged, first k", all_judged)
UNCUT = Way("all judged, not cut", all_judged)
RETRIEVED_ONLY = Way("the retrieved documents only", only_retrieved)
SORTED_ANEW = Way("the top k sorted anew", another_for_each_cutoff)
IDEAL_WAYS = (
    FIRST_K,
    UNCUT,
    Way("all judged, first min(retrieved, k)", as_many_as_retrieved),
    RETRIEVED_ONLY,
    Way("the top gain at every rank", top_everywhere),
    Way("the top gain at each returned rank", top_where_retrieved),
    SORTED_ANEW,
)
IDEAL = Dimension("ideal", "ideal list", IDEAL_WAYS)

# `apply` is the value of a topic whose ideal list has no gain; NaN if the topic is left out.
NOTHING_WAYS = (Way("0", 0.0), Way("1", 1.0), Way("left out", np.nan))
NOTHING = Dimension("nothing", "nothing relevant", NOTHING_WAYS)

# ------------------------------------------------------------------ order, precision and documents


def id_descending(rows: CaseRows) -> np.ndarray:
    """By descending id."""
    return rows.id_order


def id_ascending(rows: CaseRows) -> np.ndarray:
    """By ascending id."""
    return -rows.id_order


def as_listed(rows: CaseRows) -> np.ndarray:
    """As the rows are read."""
    return rows.place


def last_listed_first(rows: CaseRows) -> np.ndarray:
    """The rows from the last to the first."""
    return -rows.place


def worst_first(rows: CaseRows) -> np.ndarray:
    """The lowest level first."""
    return -rows.code


def best_label_first(rows: CaseRows) -> np.ndarray:
    """The highest level first."""
    return rows.code


# `apply` gives a whole number by which rows with the same score are sorted.
DESCENDING = Way("docid descending", id_descending)
MEAN = Way("mean over ties", id_descending, tried_for=(WEIGHTED,))
WORST = Way("worst label first", worst_first)
BEST = Way("best label first", best_label_first)
UNSORTED = Way("as read, without scores", as_listed, tried_for=())
ORDER_WAYS = (
    DESCENDING,
    Way("docid ascending", id_ascending),
    Way("file order", as_listed),
    Way("file order reversed", last_listed_first),
    MEAN,
    WORST,
    BEST,
    UNSORTED,
)
ORDER = Dimension("order", "order of ties", ORDER_WAYS)

# `apply` is the type of the scores.
SINGLE = Way("32-bit", np.float32)
DOUBLE = Way("64-bit", np.float64)
PRECISION = Dimension("precision", "precision of scores", (SINGLE, DOUBLE))


def retrieved_rows(rows: CaseRows) -> np.ndarray:
    """All retrieved documents."""
    return rows.is_retrieved


def judged_retrieved_rows(rows: CaseRows) -> np.ndarray:
    """The retrieved documents that are judged."""
    return rows.is_retrieved & rows.is_judged


def all_rows(rows: CaseRows) -> np.ndarray:
    """The retrieved documents, and the judged ones that are not retrieved."""
    return np.ones_like(rows.is_retrieved)


def judged_rows(rows: CaseRows) -> np.ndarray:
    """The judged documents, retrieved or not."""
    return rows.is_judged


# `apply` says which rows are in the list.
EVERY = Way("all", retrieved_rows)
JUDGED_ONLY = Way("judged only", judged_retrieved_rows)
MISSED_BEHIND = Way("all, with the unretrieved judged ones behind", all_rows, tried_for=(WEIGHTED,))
MISSED_SCORED_0 = Way(
    "the judged ones, with score 0 if not retrieved", judged_rows, tried_for=(WEIGHTED,)
)
DOCUMENTS_WAYS = (EVERY, JUDGED_ONLY, MISSED_BEHIND, MISSED_SCORED_0)
DOCUMENTS = Dimension("documents", "documents", DOCUMENTS_WAYS)
MISSED = "the judged documents that were not retrieved"
GIVEN_DOCUMENTS = {
    EVERY.text: "given all retrieved documents",
    JUDGED_ONLY.text: "given the judged documents only",
    MISSED_BEHIND.text: f"also given {MISSED}, with scores below all others",
    MISSED_SCORED_0.text: f"given the judged documents, with score 0 for {MISSED}",
}
"""What a tool is given for each way of documents."""


class RunOrder(NamedTuple):
    """An order of a run: of its ties, of its scores, and which documents it has."""

    order: str
    precision: str
    documents: str


# trec_eval's order, in which every measure is tried.
TREC_EVAL_ORDER = RunOrder(DESCENDING.text, SINGLE.text, EVERY.text)


def orders(space: Space) -> list[RunOrder]:
    """The orders of a run in a space. An order without scores has no precision of scores."""
    possible: dict[RunOrder, None] = {}
    precisions = space["precision"] or ("",)
    for texts in product(space["order"], precisions, space["documents"]):
        run_order = RunOrder(*texts)
        if run_order.order == UNSORTED.text:
            run_order = run_order._replace(precision="")
        possible[run_order] = None
    return list(possible)


# ----------------------------------------------------------------------- means and their decimals


def every_topic(rows: CaseRows) -> np.ndarray:
    """All topics of the qrels."""
    return np.ones(len(rows.best))


def retrieving_topics(rows: CaseRows) -> np.ndarray:
    """The topics of the qrels for which the run has a document."""
    return np.asarray(rows.ranks.retrieved > 0)


def relevant_topics(rows: CaseRows) -> np.ndarray:
    """The topics with a relevant document."""
    return np.asarray(rows.levels[rows.best[:, 0]] > 0)


def successful_topics(rows: CaseRows) -> np.ndarray:
    """The topics with a relevant document retrieved."""
    is_relevant = rows.is_retrieved & (rows.levels[rows.code] > 0)
    return np.bincount(rows.topic, is_relevant, len(rows.best)) > 0


# `apply` gives the topics of a mean.
QRELS_TOPICS = Way("the qrels' topics", every_topic)
RUN_TOPICS = Way("the run's topics", retrieving_topics)  # also those that the qrels lack
AVERAGED_WAYS = (
    QRELS_TOPICS,
    RUN_TOPICS,
    Way("topics in both", retrieving_topics),
    Way("topics with a relevant document", relevant_topics),
    Way("topics with a relevant document retrieved", successful_topics),
)
AVERAGED = Dimension("averaged", "averaged topics", AVERAGED_WAYS)


def times_100(values: np.ndarray) -> np.ndarray:
    """Percentages."""
    return 100 * values


def rounded_to_2(values: np.ndarray) -> np.ndarray:
    """Values with 2 decimals."""
    return np.round(values, 2)


def cut_to_2(values: np.ndarray) -> np.ndarray:
    """Values without the decimals after the second."""
    return np.floor(100 * values + 1e-9) / 100


# `apply` gives the value of each topic before the mean.
ROUNDED = Way("rounded", np.asarray)
TRUNCATED = Way("truncated", np.asarray)
PERCENT = Way("percent", times_100)
SHOWN_WAYS = (
    ROUNDED,
    TRUNCATED,
    PERCENT,
    Way("each topic rounded to 2 decimals first", rounded_to_2),
    Way("each topic cut to 2 decimals first", cut_to_2),
)
SHOWN = Dimension("shown", "shown as", SHOWN_WAYS)

DIMENSIONS = (
    MEASURE,
    CUTOFF,
    GAIN,
    DISCOUNT,
    IDEAL,
    NOTHING,
    ORDER,
    PRECISION,
    DOCUMENTS,
    AVERAGED,
    SHOWN,
)
LABELS = {dimension.name: dimension.label for dimension in DIMENSIONS}
