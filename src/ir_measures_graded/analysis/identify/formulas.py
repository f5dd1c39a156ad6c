"""Measures other than nDCG and DCG: a few formulas, tried in all orders of ties, and measure
strings of this package and of ir-measures, tried in trec_eval's order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from ir_measures import Measure

from ...core.measures.standard import LIMIT
from ...core.measures.topics import ratio
from ...core.ranking.gains import Number
from ...core.registry.notation import checked, parse_measure
from ...errors import GradedError
from .dimensions import ALL_RANKS, DCG, LOWEST_LEVELS, NDCG, Way

if TYPE_CHECKING:
    from .case import Lists


class Ranked:
    """The lists of a run as formulas see them, with relevance from the level `least` on.

    For each rank (T × D) these are the `level` ≥ 0, whether there is a `hit`, the number of
    `hits_so_far`, the `precision`, 0 without a hit, and whether no topic judges the document, which
    is `unknown`. For each topic (T × 1), `top` is its top
    level, `relevant` the number of relevant, `retrieved` that of retrieved and `relevant_retrieved`
    that of documents that are both; `highest` is the top level of all topics. Values are for each
    `cutoff` (C)."""

    def __init__(
        self,
        lists: Lists,
        code: np.ndarray,
        unknown: np.ndarray,
        cutoff: np.ndarray,
        least: float,
    ):
        ends = np.minimum(cutoff, code.shape[1]).astype(int)
        self.ends, self.end = np.unique(ends, return_inverse=True)
        levels = np.fmax(lists.rows.levels, 0)
        order_count = len(code) // len(lists.code)
        best = np.repeat(levels[lists.rows.best], order_count, axis=0)
        self.level = levels[code[:, : self.ends[-1]]]
        self.unknown = unknown[:, : self.ends[-1]]
        self.highest = levels[0]
        self.top = best[:, :1]
        self.relevant = np.sum(best >= least, axis=1)[:, None]
        self.retrieved = np.sum(code < lists.rows.end, axis=1)[:, None]
        self.cutoff = cutoff
        self.rank = np.arange(1.0, self.level.shape[1] + 1)
        self.hit = self.level >= least
        self.relevant_retrieved = np.sum(levels[code] >= least, axis=1)[:, None]
        self.hits_so_far = np.cumsum(self.hit, axis=1)
        self.precision = self.hit * self.hits_so_far / self.rank

    def up_to_cutoff(self, terms: np.ndarray) -> np.ndarray:
        """The sum of terms over the first k ranks."""
        starts = np.append(0, self.ends[:-1])
        between = np.add.reduceat(terms, starts, axis=1)
        return np.asarray(np.cumsum(between, axis=1)[:, self.end])

    def hits_per(self, number: np.ndarray) -> np.ndarray:
        """The hits in the first k ranks, divided by a number; NaN without a cutoff."""
        shares = np.nan_to_num(self.up_to_cutoff(self.hit) / number)
        return np.where(np.isinf(self.cutoff), np.nan, shares)

    def cascade(self, stops: np.ndarray) -> np.ndarray:
        """ERR with these probabilities to stop."""
        continues = np.insert(1 - stops, 0, 1, axis=1)
        reaches_rank = np.cumprod(continues, axis=1)[:, :-1]
        return self.up_to_cutoff(stops * reaches_rank / self.rank)

    def rank_biased(self, p: float, gain: np.ndarray) -> np.ndarray:
        """RBP with these gains."""
        weight = (1 - p) * p ** (self.rank - 1)
        return self.up_to_cutoff(weight * gain)


def average_precision(ranked: Ranked) -> np.ndarray:
    """AP: over the number of relevant documents."""
    return ratio(ranked.up_to_cutoff(ranked.precision), ranked.relevant)


def average_precision_of_reachable(ranked: Ranked) -> np.ndarray:
    """AP over min(R, k)."""
    reachable = np.minimum(ranked.relevant, ranked.cutoff)
    return ratio(ranked.up_to_cutoff(ranked.precision), reachable)


def average_precision_of_returned(ranked: Ranked) -> np.ndarray:
    """AP over min(R, k, retrieved)."""
    reachable = np.minimum(ranked.relevant, np.minimum(ranked.cutoff, ranked.retrieved))
    return ratio(ranked.up_to_cutoff(ranked.precision), reachable)


def average_precision_of_hits(ranked: Ranked) -> np.ndarray:
    """AP over the relevant documents that are retrieved in the first k ranks."""
    return ratio(ranked.up_to_cutoff(ranked.precision), ranked.up_to_cutoff(ranked.hit))


def precision(ranked: Ranked) -> np.ndarray:
    """P: over k."""
    return ranked.hits_per(ranked.cutoff)


def precision_of_retrieved(ranked: Ranked) -> np.ndarray:
    """P over min(retrieved, k)."""
    return ranked.hits_per(np.minimum(ranked.retrieved, ranked.cutoff))


def recall(ranked: Ranked) -> np.ndarray:
    """R: over the number of relevant documents."""
    return ranked.hits_per(ranked.relevant)


def recall_of_reachable(ranked: Ranked) -> np.ndarray:
    """R over min(R, k)."""
    return ranked.hits_per(np.minimum(ranked.relevant, ranked.cutoff))


def recall_of_retrieved(ranked: Ranked) -> np.ndarray:
    """R over the relevant documents in the whole list."""
    return ranked.hits_per(ranked.relevant_retrieved)


def reciprocal_rank(ranked: Ranked) -> np.ndarray:
    """RR: the precision at the first relevant document."""
    is_first = ranked.hits_so_far == 1  # and the misses before the second, whose precision is 0
    return ranked.up_to_cutoff(np.where(is_first, ranked.precision, 0.0))


def f1(ranked: Ranked) -> np.ndarray:
    """F1 of precision over k and recall."""
    return ranked.hits_per((ranked.cutoff + ranked.relevant) / 2)


def recall_of_nothing(ranked: Ranked) -> np.ndarray:
    """R, which is 1 if nothing is relevant and nothing retrieved."""
    is_nothing = (ranked.relevant == 0) & (ranked.retrieved == 0)
    return np.where(is_nothing, 1.0, recall(ranked))


def mean_reciprocal_rank_of_hits(ranked: Ranked) -> np.ndarray:
    """The mean reciprocal rank of the relevant documents in the first k ranks."""
    reciprocals = ranked.up_to_cutoff(ranked.hit / ranked.rank)
    return ratio(reciprocals, ranked.up_to_cutoff(ranked.hit))


def first_relevant_rank(ranked: Ranked) -> np.ndarray:
    """The rank of the first relevant document, 0 without one."""
    is_first = ranked.hit & (ranked.hits_so_far == 1)
    return ranked.up_to_cutoff(np.where(is_first, ranked.rank, 0.0))


def hole(ranked: Ranked) -> np.ndarray:
    """The share of the first k ranks with a document that no topic judges."""
    shares = ranked.up_to_cutoff(ranked.unknown) / ranked.cutoff
    return np.where(np.isinf(ranked.cutoff), np.nan, shares)


def success(ranked: Ranked) -> np.ndarray:
    """Success: whether there is a relevant document."""
    return np.minimum(ranked.hits_per(np.ones(1)), 1)


def stop_probability(ranked: Ranked, top: np.ndarray | float) -> np.ndarray:
    """The probability to stop at each rank, (2^level − 1) / 2^top."""
    return np.asarray((2**ranked.level - 1) / 2**top)


def expected_reciprocal_rank(ranked: Ranked) -> np.ndarray:
    """ERR with the top level of all topics."""
    return ranked.cascade(stop_probability(ranked, ranked.highest))


def expected_reciprocal_rank_of_5_levels(ranked: Ranked) -> np.ndarray:
    """ERR with the top level 4, as gdeval has it, or a higher one."""
    return ranked.cascade(stop_probability(ranked, max(4, ranked.highest)))


def expected_reciprocal_rank_by_topic(ranked: Ranked) -> np.ndarray:
    """ERR with the top level of the topic."""
    return ranked.cascade(stop_probability(ranked, ranked.top))


def expected_reciprocal_rank_of_labels(ranked: Ranked) -> np.ndarray:
    """ERR whose levels are the probabilities to stop."""
    return ranked.cascade(ranked.level)


def binary_rank_biased(p: float, ranked: Ranked) -> np.ndarray:
    """RBP with a gain of 1 for a relevant document."""
    return ranked.rank_biased(p, ranked.hit)


def graded_rank_biased(p: float, ranked: Ranked) -> np.ndarray:
    """RBP with levels over the top level of all topics."""
    return ranked.rank_biased(p, ranked.level / ranked.highest)


def raw_rank_biased(p: float, ranked: Ranked) -> np.ndarray:
    """RBP with the levels themselves."""
    return ranked.rank_biased(p, ranked.level)


@dataclass(frozen=True)
class Formula:
    """A formula, with relevance from the level `least` on."""

    values: Callable[[Ranked], np.ndarray]
    least: float


OVER_REACHABLE = "over min(R, k)"
"""The text of the formulas that are measures with other names here."""
# Braces stand for the least relevant level.
FORMULAS: dict[str, Callable[[Ranked], np.ndarray]] = {
    "AP{}": average_precision,
    f"AP{{}} {OVER_REACHABLE}": average_precision_of_reachable,
    "AP{} over min(R, k, retrieved)": average_precision_of_returned,
    "AP{} over the relevant documents found": average_precision_of_hits,
    "P{}": precision,
    "P{} over min(retrieved, k)": precision_of_retrieved,
    "R{}": recall,
    f"R{{}} {OVER_REACHABLE}": recall_of_reachable,
    "R{} over the relevant documents retrieved": recall_of_retrieved,
    "R{} with 1 if nothing is relevant and nothing retrieved": recall_of_nothing,
    "F1{}": f1,
    "RR{}": reciprocal_rank,
    "RR{} of each relevant document found, their mean": mean_reciprocal_rank_of_hits,
    "Rank{} of the first relevant document": first_relevant_rank,
    "Hole": hole,
    "Success{}": success,
    "ERR_G": expected_reciprocal_rank,
    "ERR_G(max_gain=15)": expected_reciprocal_rank_of_5_levels,
    "ERR_G with the topic's top level": expected_reciprocal_rank_by_topic,
    "ERR_G with the level as the probability": expected_reciprocal_rank_of_labels,
}
DEFAULT_P = 0.8  # of RBP
for persistence in (0.5, DEFAULT_P, 0.9, 0.95):
    p_text = "" if persistence == DEFAULT_P else f",p={persistence}"
    graded = f"RBP_G(p={persistence})"
    FORMULAS[f"RBP(rel={{rel}}{p_text})"] = partial(binary_rank_biased, persistence)
    FORMULAS[graded] = partial(graded_rank_biased, persistence)
    FORMULAS[f"{graded} with the gains themselves"] = partial(raw_rank_biased, persistence)

WITHOUT_STRING = ("Hole", "Rank")
"""The first words of the formulas that no measure string is like."""

# The measure strings that are tried in trec_eval's order. Their parameters depart from what is
# usual.
STRINGS = Path(__file__).with_name("measures.txt").read_text().split()


def measures_for(levels: np.ndarray) -> dict[str, Way]:
    """nDCG, DCG, `FORMULAS` and `STRINGS`, for qrels with these distinct levels.

    Those with braces are tried once for each of the lowest levels from which on documents are
    relevant. `apply` of a way is a `Formula` or a measure, and None for nDCG and DCG."""
    lowest = levels[levels > 0][:LOWEST_LEVELS].tolist()
    texts_of_least = {1: ""}
    for level in lowest:
        if level % 1 == 0 and level != 1 and level < LIMIT:
            texts_of_least[int(level)] = f"(rel={int(level)})"
    ways = {NDCG: Way(NDCG, None), DCG: Way(DCG, None)}
    for pattern, values in FORMULAS.items():
        if "{" not in pattern:
            any_gain = float(np.nextafter(0, 1))
            ways[pattern] = Way(pattern, Formula(values, any_gain))
            continue
        for level, text in texts_of_least.items():
            name = pattern.format(text, rel=level)
            ways[name] = Way(name, Formula(values, level))
    for pattern in STRINGS:
        for string in dict.fromkeys(pattern.format(text) for text in texts_of_least.values()):
            measure = parse_measure(string)
            ways[str(measure)] = Way(str(measure), measure)
    return ways


def equal_string(name: str, levels: Iterable[Number]) -> str:
    """The measure string that is the formula of this name for qrels with these distinct levels, or
    else the name without its text.

    >>> equal_string("R(rel=2) over min(R, k)", []), equal_string("P over min(retrieved, k)", [])
    ('R_cap(rel=2)', 'P')
    >>> equal_string("AP over min(R, k)", [1]), equal_string("AP(rel=9) over min(R, k)", [0, 2, 9])
    ('Q(beta=0)', 'Q(beta=0,gains=2:0)')
    """
    measure, _, text = name.partition(" ")
    if text != OVER_REACHABLE:
        return measure
    if measure.startswith("R"):
        return measure.replace("R", "R_cap", 1)
    least = re.search(r"rel=(\d+)", measure)
    lower_levels = []
    if least is not None:
        lower_levels = [f"{level}:0" for level in levels if 0 < level < int(least[1])]
    if not lower_levels:
        return "Q(beta=0)"
    return f"Q(beta=0,gains={','.join(lower_levels)})"


def at_cutoff(measure: Measure, cutoff: str) -> Measure | None:
    """The measure with a cutoff; None if it does not take the cutoff or lacks one."""
    with suppress(GradedError):
        if cutoff in ("", ALL_RANKS):
            return checked(measure)
        if "cutoff" in measure.SUPPORTED_PARAMS:
            return checked(measure @ int(cutoff))
    return None


def family(name: str) -> str:
    """The name that a measure and its variants share: nDCG, DCG, or the name without a suffix.

    The sliding ratio is nCG by another name.

    >>> family("nDCG_JK(b=10)"), family("ERR_G"), family("ERR_G with the level as the probability")
    ('nDCG', 'ERR', 'ERR')
    >>> family("SR(ideal='retrieved')")
    'nDCG'
    """
    first_word = re.split("[ (@]", name)[0]
    if first_word == "SR":
        return NDCG
    return re.sub("^(n?)D?CG.*", r"\1DCG", first_word).removesuffix("_G")
