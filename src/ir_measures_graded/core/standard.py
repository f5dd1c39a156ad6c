"""ir-measures' standard measures from the judged ranks of a run, equal to ir-measures to the last bit.

`FORMULAS` has one formula for each measure, to be read beside the C code of trec_eval 9.0.8 (``m_map.c`` …),
which ir-measures' provider pytrec_eval runs. Equal bits need the same additions in the same order, so
`GainList.sum` adds rank by rank and logarithms are C's own. `computes` tells which measures are supported.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import ir_measures
import numpy as np
from ir_measures.providers.base import NOT_PROVIDED

from . import by_topic
from .measures.standard import DEFINITIONS, log2, ranks_by_ascending_id
from .measures.topics import GainList, ratio
from .ranking.gains import GainMap
from .ranking.ranks import JudgedRanks

INFAP_EPSILON = 0.00001

Given = Mapping[str, Any]
"""The parameters of a measure; None for one that is not set."""


class TrecLists:
    """A run as trec_eval sees it when documents of level `rel` and higher are relevant.

    trec_eval keeps a document whose level is below 0 in the pool, but does not count it as judged. `hits` are
    the retrieved documents of the pool and `relevant` the relevant ones among them, with levels as gains. The
    counts of each topic have trec_eval's names. `judged_only` removes unjudged documents before ranks are
    counted. `gains` replace levels first.
    """

    def __init__(self, ranks: JudgedRanks, rel: int, judged_only: bool, gains: GainMap):
        self.ranks, self.rel, self.gains = ranks, rel, gains
        self.level = ranks.judged.level.copy()
        for old, new in gains.items():
            self.level[ranks.judged.level == old] = new
        self.hits = GainList(len(ranks.judged.topics), ranks.topic, ranks.rank, self.level[ranks.doc])
        self.num_ret = ranks.retrieved
        if judged_only:
            kept = self.hits.where(self.hits.gain >= 0)
            self.hits, self.num_ret = replace(kept, rank=kept.number), np.diff(kept.offsets)
        self.is_relevant = self.hits.gain >= rel
        self.relevant = self.hits.where(self.is_relevant)
        self.num_rel_ret = np.diff(self.relevant.offsets)

    @cached_property
    def num_rel(self) -> np.ndarray:
        return self.judged(self.level >= self.rel)

    @cached_property
    def nonrel_so_far(self) -> np.ndarray:
        """The number of judged, not relevant documents before each of `relevant`."""
        nonrel = (self.hits.gain >= 0) & ~self.is_relevant
        return by_topic.cumsum(nonrel.astype(np.int64), self.hits.offsets)[self.is_relevant]

    def judged(self, counted: np.ndarray) -> np.ndarray:
        """The number of the judged documents of each topic that are `counted`."""
        return np.bincount(self.ranks.judged.topic[counted], minlength=self.hits.topic_count)

    def within(self, cutoff: int) -> np.ndarray:
        """The number of relevant documents within the cutoff."""
        return np.diff(self.relevant.first(cutoff).offsets)


# ------------------------------------------------------------------- formulas, as in trec_eval


def average_precision(lists: TrecLists, given: Given) -> np.ndarray:
    """``m_map.c``, ``m_map_cut.c``: Σ precision at each relevant document / num_rel."""
    hits = lists.relevant.first(given["cutoff"])
    return ratio(hits.sum(hits.number / hits.rank), lists.num_rel)


def ndcg(lists: TrecLists, given: Given) -> np.ndarray:
    """``m_ndcg.c``, ``m_ndcg_cut.c``: the DCG of the run's list / that of the ideal list."""
    gains: GainMap = {level: max(gain, 0) for level, gain in lists.gains.items()}
    ideal = GainList(lists.hits.topic_count, *lists.ranks.judged.ideal(gains))
    return ratio(dcg(lists.relevant.first(given["cutoff"])), dcg(ideal.first(given["cutoff"])))


def dcg(documents: GainList) -> np.ndarray:
    """Σ gain / log2(rank + 1)."""
    return documents.sum(documents.gain / log2(documents.rank + 1))


def interpolated_precision(lists: TrecLists, given: Given) -> np.ndarray:
    """``m_iprec_at_recall.c``: the highest precision at this recall or higher."""
    wanted = (float(f"{given['recall']:.2f}") * lists.num_rel + 0.9).astype(np.int64)
    hits = lists.relevant
    at = np.where(hits.number >= wanted[hits.topic], hits.number / hits.rank, 0.0)
    highest = by_topic.largest(at, hits.offsets)
    return np.where((wanted == 0) & (lists.num_ret == 0), np.nan, highest)  # trec_eval divides 0 by 0


def bpref(lists: TrecLists, given: Given) -> np.ndarray:
    """``m_bpref.c``: Σ over relevant documents (1 − the share of the top num_rel others before) / num_rel."""
    hits, num_rel = lists.relevant, lists.num_rel
    num_nonrel = lists.judged((lists.level >= 0) & (lists.level < lists.rel))
    before = np.minimum(lists.nonrel_so_far, num_rel[hits.topic])
    return ratio(hits.sum(1 - ratio(before, np.minimum(num_nonrel, num_rel)[hits.topic])), num_rel)


def inferred_ap(lists: TrecLists, given: Given) -> np.ndarray:
    """``m_infap.c``: Σ expected precision at each relevant document / num_rel."""
    hits = lists.relevant
    pooled = lists.hits.number[lists.is_relevant] - 1  # documents of the pool before it
    rel, nonrel, before = hits.number - 1, lists.nonrel_so_far, hits.rank - 1.0
    inferred = 1 / (before + 1) + (before / (before + 1)) * ratio(pooled, before) * (
        (rel + INFAP_EPSILON) / (rel + nonrel + 2 * INFAP_EPSILON)
    )
    return ratio(hits.sum(np.where(before == 0, 1.0, inferred)), lists.num_rel)


def set_f(lists: TrecLists, given: Given) -> np.ndarray:
    """``m_set_F.c``: (β + 1) P R / (β P + R)."""
    p, r = ratio(lists.num_rel_ret, lists.num_ret), ratio(lists.num_rel_ret, lists.num_rel)
    return ratio((given["beta"] + 1) * p * r, given["beta"] * p + r)


# ------------------------------------------ formulas, as in ir-measures' providers in Python


def judged(lists: TrecLists, given: Given) -> np.ndarray:
    """Judged documents within the cutoff / documents within the cutoff; a document of any level is judged."""
    depth = np.minimum(lists.ranks.retrieved, given["cutoff"] or np.inf)
    return ratio(lists.hits.sum(ranks_by_ascending_id(lists.ranks) <= depth[lists.hits.topic]), depth)


def reciprocal_rank_within(lists: TrecLists, given: Given) -> np.ndarray:
    """MS MARCO's RR: 0 where no relevant document is within the cutoff."""
    rank = ranks_by_ascending_id(lists.ranks)
    gained = lists.is_relevant & (rank <= given["cutoff"])
    return by_topic.largest(gained / rank, lists.hits.offsets)


# -------------------------------------------------------------------------- supported measures

RR_WITHIN = "RR@k"
"""The name of the formula of RR with a cutoff."""

FORMULAS: dict[str, Callable[[TrecLists, Given], np.ndarray]] = {
    # m_P.c: relevant documents within the cutoff / cutoff; missing ranks count as not relevant
    "P": lambda of, given: of.within(given["cutoff"]) / given["cutoff"],
    # m_recall.c: relevant documents within the cutoff / num_rel
    "R": lambda of, given: ratio(of.within(given["cutoff"]), of.num_rel),
    # m_success.c: 1 if a relevant document is within the cutoff, else 0
    "Success": lambda of, given: of.within(given["cutoff"]) > 0,
    # m_Rprec.c: relevant documents within rank num_rel / num_rel
    "Rprec": lambda of, given: ratio(
        of.relevant.sum(of.relevant.rank <= of.num_rel[of.relevant.topic]), of.num_rel
    ),
    # m_recip_rank.c: 1 / the rank of the first relevant document
    "RR": lambda of, given: of.relevant.sum((of.relevant.number == 1) / of.relevant.rank),
    "AP": average_precision,
    "nDCG": ndcg,
    "IPrec": interpolated_precision,
    "Bpref": bpref,
    "infAP": inferred_ap,
    # m_set_P.c: num_rel_ret / num_ret; m_set_rel_P.c: num_rel_ret / min(num_ret, num_rel)
    "SetP": lambda of, given: ratio(
        of.num_rel_ret, np.minimum(of.num_ret, of.num_rel) if given["relative"] else of.num_ret
    ),
    # m_set_recall.c
    "SetR": lambda of, given: ratio(of.num_rel_ret, of.num_rel),
    "SetF": set_f,
    # m_set_map.c: num_rel_ret² / (num_ret num_rel)
    "SetAP": lambda of, given: ratio(of.num_rel_ret * of.num_rel_ret, of.num_ret * of.num_rel),
    # m_num_ret.c, and with `rel` m_num_rel_ret.c
    "NumRet": lambda of, given: of.num_ret if given["rel"] is None else of.num_rel_ret,
    # m_num_rel.c
    "NumRel": lambda of, given: of.num_rel,
    # m_num_q.c: 1 for each topic
    "NumQ": lambda of, given: np.ones(of.hits.topic_count),
    "Judged": judged,
    RR_WITHIN: reciprocal_rank_within,
}

MULTIPLY_AND_ADD = ("IPrec", "infAP", "SetF")
"""Formulas that add a product, whose last bit depends on `rounds_twice`."""

PARAMETERS: dict[str, Callable[[Any], bool]] = {
    "cutoff": lambda value: value is None or (type(value) is int and 1 <= value < 2**31),
    "rel": lambda value: value is None or (type(value) is int and 1 <= value < 2**31),
    "judged_only": lambda value: isinstance(value, bool),
    "relative": lambda value: isinstance(value, bool),
    "dcg": lambda value: value == "log2",
    "gains": lambda value: all(
        type(number) is int and abs(number) < 2**31 for pair in (value or {}).items() for number in pair
    ),
    "beta": lambda value: re.fullmatch(r"\d+(\.\d+)?", f"{value}") is not None,
    "recall": lambda value: 0 <= value <= 1,
}
"""Which of the values that ir-measures allows are supported, by parameter."""


def parameters(measure: ir_measures.Measure) -> Given:
    """The parameters of a measure; None for one that is not set."""
    values = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    return {name: None if value is NOT_PROVIDED else value for name, value in values.items()}


def formula_of(measure: ir_measures.Measure) -> str:
    """The name of the formula of a standard measure or of its definition; empty for any other measure."""
    name = getattr(measure, "OF", measure.NAME)
    if name not in FORMULAS or type(measure) not in (type(getattr(ir_measures, name)), DEFINITIONS.get(name)):
        return ""  # others may derive a subclass
    return RR_WITHIN if name == "RR" and measure["cutoff"] is not NOT_PROVIDED else name


def computes(measure: ir_measures.Measure) -> bool:
    """Whether this module computes the measure with its parameters.

    Raises `AssertionError`, as ir-measures does, for parameters that the measure does not have or allow.

    >>> from ir_measures import ERR, P, nDCG
    >>> computes(P(rel=2) @ 10), computes(nDCG(gains={1: 0.5})), computes(ERR @ 20)
    (True, False, False)
    """
    formula = formula_of(measure)
    if not formula:
        return False
    measure.validate_params()
    given = parameters(measure)
    return (
        not (formula == RR_WITHIN and given["judged_only"])
        and not (formula == "NumRel" and given["rel"] != 1)
        and (formula not in MULTIPLY_AND_ADD or rounds_twice())
        and all(name in PARAMETERS and PARAMETERS[name](value) for name, value in given.items())
    )


@cache
def rounds_twice() -> bool:
    """Whether C code rounds a product before it adds it. For processors other than x86, compilers may fuse
    the two operations and round once."""
    import platform  # This import takes time.

    return platform.machine().lower() in ("x86_64", "amd64")


def needs_whole_levels(measure: ir_measures.Measure) -> bool:
    """Whether trec_eval defines the measure, because trec_eval reads levels as whole numbers."""
    return formula_of(measure) not in ("", "Judged", RR_WITHIN)


def values(measure: ir_measures.Measure, ranks: JudgedRanks) -> np.ndarray:
    """The value of each topic, as if the run had every topic; measures of one run share the lists."""
    given = parameters(measure)
    key = TrecLists, given.get("rel") or 1, bool(given.get("judged_only")), str(given.get("gains"))
    if key not in ranks.views:
        ranks.views[key] = TrecLists(ranks, *key[1:3], given.get("gains") or {})
    return np.asarray(FORMULAS[formula_of(measure)](ranks.views[key], given), dtype=np.float64)
