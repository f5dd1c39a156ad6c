"""ir-measures' standard measures as graded measures: their ties, judgments, curves and
contributions.

`definition_of` finds the definition of a measure of ir-measures. It has the name and the parameters
of the measure, and the options `ties` and `unjudged`. None is registered. Without options, the
values equal those of ir-measures' providers, mostly trec_eval's, to the last bit: sums are added
rank by rank, and logarithms are C's own.

`values` has the values of all standard measures without options, and `computes` tells which are
supported. `FORMULAS` has those without a definition, to be read beside the C code of trec_eval
9.0.8 (``m_bpref.c`` …), which ir-measures' provider pytrec_eval runs.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

import ir_measures
import numpy as np
from ir_measures.providers.base import NOT_PROVIDED

from ...errors import GradedError
from ..by_topic import bounds_of, cumsum, positions
from ..ranking.gains import EXP, Gains, canonical_gains, gain_of, gains_text, plain_number
from ..ranking.judged import Judged as JudgedQrels
from ..ranking.judged import computed_once
from ..ranking.ranks import JudgedRanks
from . import parameters
from .average_precision import _GAP, GAP
from .base import GradedMeasure
from .cascade import iRBU
from .cumulated_gain import _nDCG_Burges, nDCG_Burges
from .gain_sums import GainSum
from .ntcir import O_measure
from .parameters import Choice, Count, Flag, Real
from .rank_biased import RBP_G
from .ratios import _gR, gP, gR
from .stop_sums import AtRelevant
from .sums import SORTED
from .topics import GainList, Topics, ratio, topics_of

LEVELS = 8
"""The number of levels up to which a weighting is written out."""
SHARED = ("p", "ties", "unjudged", "cutoff")
"""The parameters that a standard measure shares with the graded measure that is equal."""


CERTAIN = 10**16
"""A gain beside which the 1 of gain / (highest gain + 1) is lost, so that the quotient is 1."""


class Standard(GradedMeasure):
    """A standard measure. By default, a document gains 1 if its level is at least `rel`, and else
    0.

    With judged_only=True, documents of negative levels leave the list with the unjudged ones, as in
    trec_eval. `SAME` is the graded measure that is equal with the gains `weighting`, times
    `SAME_GAIN`.
    """

    PARAMETERS = {"rel": Count(default=1, desc="least level of a relevant document")}
    SAME: ClassVar[GradedMeasure | None] = None
    SAME_GAIN: ClassVar[int] = 1
    OF: ClassVar[str] = ""
    """The name of the standard measure, which is printed."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Providers of ir-measures compare names and would ignore the options.
        cls.OF = str(cls.NAME)
        cls.NAME = f"{cls.OF} by definition"
        offered = {**cls.SUPPORTED_PARAMS, **cls.PARAMETERS}
        names = {"ties", "unjudged"} | set(getattr(ir_measures, cls.OF).SUPPORTED_PARAMS)
        cls.SUPPORTED_PARAMS = {name: info for name, info in offered.items() if name in names}

    @property
    def __name__(self) -> str:
        return self.OF

    def unset(self, name: str) -> Any:
        if name not in self.SUPPORTED_PARAMS:
            return None
        return super().unset(name)

    @property
    def weighting(self) -> Gains:
        return int(self["rel"])

    def listed(self, ranks: JudgedRanks) -> JudgedRanks:
        if not self["judged_only"]:
            return ranks
        return condensed(ranks, self["gains"] or {})

    def in_order(self, ranks: JudgedRanks) -> JudgedRanks:
        return ascending(ranks) if self.ascends else ranks

    def same(self, levels: Sequence[float] = ()) -> str:
        """The string of the graded measure that is equal for qrels with these levels; empty if
        unknown.
        """
        gains = self.weighting
        if not isinstance(gains, (str, dict)):
            numbers = gain_of(np.array(levels), gains).tolist()
            gains = dict(zip(levels, numbers, strict=True))
        if self.SAME is None or self["judged_only"] or not gains or len(gains) > LEVELS:
            return ""
        shared = {name: self.params[name] for name in SHARED if name in self.params}
        text = str(self.SAME(gains=gains, **shared)).replace("'", "")
        if isinstance(gains, str):
            return text
        # All relevant levels, as a gain that is left out would look like one of 0.
        pairs = {}
        for level, gain in gains.items():
            if level > 0 or gain > 0:
                pairs[plain_number(level)] = plain_number(gain * self.SAME_GAIN)
        return re.sub(r"gains=\{[^}]*\}", f"gains={{{gains_text(pairs)}}}", text)


class _AP(Standard, _GAP):
    """Average precision: The mean of the precisions at the relevant documents.

    :formula: Σ_{i≤k} rel(i) C[i]/i / R
    :undefined: 0 without relevant documents
    :source: trec_eval (map)
    """

    SAME = GAP

    def amounts(self, topics: Topics) -> GainList:
        # These are the amounts of GAP, which has thresholds besides.
        run = topics.run.relevant
        return run.with_gain(run.number / run.rank)


class _P(Standard, GainSum):
    """Precision: The share of the first k ranks that have a relevant document.

    :formula: C[k] / k
    :source: trec_eval (P)
    """

    SAME = gP(max_gain=1)

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        if cutoff is None:
            return topics.retrieved
        return np.multiply.outer(np.ones(topics.count), cutoff)

    def rank_weights(self, depth: int) -> np.ndarray:
        return np.full(depth, 1 / (self["cutoff"] or 1))


class _SetP(_P):
    """Precision of the set: The share of the retrieved documents that are relevant.

    :formula: C[n] / n, n the number of retrieved documents
    :undefined: 0 without retrieved documents
    :source: trec_eval (set_P)
    """

    PARAMETERS = {
        **Standard.PARAMETERS,
        "relative": Flag(default=False, desc="share of the best value"),
    }
    CUTOFF = False
    LINEAR = False

    def refusal(self) -> str:
        if self["relative"]:
            return "relative=True has no options"
        return super().refusal()


class _R(Standard, _gR):
    """Recall: The share of the relevant documents that are in the first k.

    :formula: C[k] / R
    :undefined: 0 without relevant documents
    :source: trec_eval (recall)
    """

    SAME = gR


class _SetR(_R):
    """Recall of the set: The share of the relevant documents that are retrieved.

    :formula: C[n] / R, n the number of retrieved documents
    :undefined: 0 without relevant documents
    :source: trec_eval (set_recall)
    """

    CUTOFF = False


class _Rprec(Standard, AtRelevant):
    """R-precision: The share of the first R ranks that have a relevant document.

    :formula: C[R] / R
    :undefined: 0 without relevant documents
    :source: trec_eval (Rprec)
    """

    CUTOFF = False
    UNJUDGED = False
    NO_UNJUDGED = "its cutoff, the number of relevant documents, moves with the judgments"
    TIES = SORTED

    def same(self, levels: Sequence[float] = ()) -> str:
        if self["judged_only"] or self.option("ties"):
            return ""
        name = "trec_Rprec_mult"  # at 1 time R by default
        return name if self["rel"] == 1 else f"{name}(rel={self['rel']})"

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        return np.where(rank <= topics.relevant[topic], 1.0, 0.0)  # `quality` is 0 beyond rank R

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        return topics.relevant


class _Success(Standard, AtRelevant):
    """Success: 1 if a relevant document is in the first k, else 0.

    :formula: 1 if C[k] > 0, else 0
    :source: trec_eval (success)
    """

    RECALL_BASE = False
    TIES = SORTED
    COMPARED = False
    RISES = True
    # The user of iRBU stops at a relevant document with certainty, and p = 1 takes the rank away.
    SAME = iRBU(p=1)
    SAME_GAIN = CERTAIN

    def goes_on(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        return 0.0


class _RR(_Success):
    """Reciprocal rank: The reciprocal of the rank of the first relevant document.

    :formula: 1/i at the first relevant rank i ≤ k
    :undefined: 0 if no relevant document is retrieved
    :source: trec_eval (recip_rank); with a cutoff, the evaluation of MS MARCO
    """

    SAME = O_measure(beta=0)
    SAME_GAIN = 1

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        return rank

    @property
    def ascends(self) -> bool:
        return self["cutoff"] is not None and not self["judged_only"]


class _Judged(Standard, GainSum):
    """Judged: The share of the first k documents that are judged.

    :formula: judged documents in the first k / documents in the first k
    :undefined: 0 without retrieved documents
    :source: ir-measures
    """

    UNJUDGED = False
    NO_UNJUDGED = "a document counts for being judged, whatever its level"
    LINEAR = False
    weighting = -math.inf  # every level is at least this, so every judged document gains 1

    def has_relevant(self, judged: JudgedQrels) -> np.ndarray:
        """True for all topics: relevance does not count."""
        return np.ones(len(judged.topics), dtype=bool)

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        if cutoff is None:
            return topics.retrieved
        return np.minimum.outer(topics.retrieved, cutoff)

    @property
    def ascends(self) -> bool:
        return True


class _Weighting(parameters.Gains):
    """Gains by level as ir-measures takes them. A negative gain counts as 0."""

    def canonical(self, value: Any) -> Any:
        without_negative_gains(value)  # refuses what is no weighting
        return dict(value)


def without_negative_gains(gains: Mapping[Any, Any]) -> Gains:
    """The canonical form of gains by level in which negative gains are 0."""
    return canonical_gains({level: max(gain, 0) for level, gain in gains.items()})


class _nDCG(Standard, _nDCG_Burges):
    """Normalised discounted cumulated gain: Discounted cumulated gain, in which the gain at rank i
    is divided by log2(i + 1), as a share of that of the ideal list.

    :formula: Σ_{i≤k} G[i] / log2(i + 1), divided by the same sum over the ideal list
    :undefined: 0 without relevant documents
    :source: Järvelin & Kekäläinen 2002, with the discount of trec_eval (ndcg)
    """

    PARAMETERS = {
        "dcg": Choice("log2", "exp-log2", default="log2", desc="gain: the level, or 2^level − 1"),
        "gains": _Weighting(default=None),
    }
    SAME = nDCG_Burges

    @property
    def weighting(self) -> Gains:
        if self["dcg"] == "exp-log2":
            return EXP
        return without_negative_gains(self["gains"] or {})

    def refusal(self) -> str:
        if self["dcg"] == "exp-log2" and self["gains"]:
            return "dcg='exp-log2' takes no gains"
        return super().refusal()

    def discount(self, rank: np.ndarray) -> np.ndarray:
        return log2(rank + 1)


class _RBP(Standard, GainSum):
    """Rank-biased precision: The expected share of relevant documents for a user who reads on with
    probability p.

    :formula: (1 − p) Σ_{i≤k} p^{i−1} rel(i)
    :source: Moffat & Zobel 2008
    """

    PARAMETERS = {
        "rel": Count(default=None, desc="least level of a relevant document"),
        "p": Real(default=0.8, above=0, below=1, desc="persistence: the probability of reading on"),
    }
    RECALL_BASE = False
    SAME = RBP_G(max_gain=1)

    def refusal(self) -> str:
        if not self["rel"]:
            return "rel is required; RBP_G takes gains"
        return super().refusal()

    def factor(self, rank: np.ndarray) -> np.ndarray:
        return (1 - self["p"]) * self["p"] ** (rank - 1.0)


DEFINITIONS: dict[str, type[Standard]] = {
    standard.OF: standard
    for standard in (_AP, _Judged, _nDCG, _P, _R, _RBP, _Rprec, _RR, _SetP, _SetR, _Success)
}


def definition_of(measure: ir_measures.Measure) -> GradedMeasure | None:
    """The measure itself if it is graded, or the definition of a standard measure, which prints
    alike.

    None for all other measures, and for parameters that no definition has.

    >>> definition_of(ir_measures.AP @ 10)(ties="mean"), definition_of(ir_measures.Bpref)
    (AP(ties='mean')@10, None)
    """
    with suppress(GradedError):
        return definition(measure)
    return None


def definition(measure: ir_measures.Measure) -> GradedMeasure | None:
    """As `definition_of`, but raises `GradedError` for parameters that no definition has."""
    if isinstance(measure, GradedMeasure):
        return measure
    name = str(measure.NAME)
    standard = DEFINITIONS.get(name)
    if standard is None or type(measure) is not type(getattr(ir_measures, name)):
        return None  # others may derive a subclass
    definition = standard(**measure.params)
    definition._text = str(measure)
    return definition


KEPT_TABLES = 4
"""The number of tables of logarithms that are kept. A long list needs a large one."""


def log2(numbers: np.ndarray) -> np.ndarray:
    """C's logarithm of positive whole numbers; NumPy's may differ in the last bit."""
    bits = int(numbers.max(initial=1)).bit_length()
    return _table_of_log2(bits)[numbers]


@lru_cache(KEPT_TABLES)
def _table_of_log2(bits: int) -> np.ndarray:
    """The logarithms of 0 (-∞), 1, 2, … of so many bits."""
    logarithms = [math.log2(number) for number in range(1, 1 << bits)]
    return np.array([-math.inf] + logarithms)


@computed_once
def condensed(ranks: JudgedRanks, gains: Mapping[float, float]) -> JudgedRanks:
    """The run without the documents that are unjudged for trec_eval. A document whose level, or the
    gain that replaces it, is negative is one of them.
    """
    kept = ranks.judged.level >= 0
    for level, gain in gains.items():
        kept[ranks.judged.level == level] = gain >= 0
    is_kept = kept[ranks.doc]
    of_kept = replace(
        ranks, doc=ranks.doc[is_kept], topic=ranks.topic[is_kept], rank=ranks.rank[is_kept]
    )
    return of_kept.condensed


@computed_once
def ascending(ranks: JudgedRanks) -> JudgedRanks:
    """The run with tied documents by *ascending* id, and with scores compared as 64-bit floats.
    Documents without ids stay in the order given.
    """
    rank = ranks.rank
    if ranks.has_ids:
        rank = ranks.first + ranks.last - ranks.rank  # reverses tie groups
    score = ranks.score
    all_ranks = positions(ranks.retrieved) + 1
    is_tied = all_ranks > ranks.first_of_tie  # with the document before, as 32-bit floats
    if (is_tied[1:] & (score[1:] != score[:-1])).any():
        topic = np.repeat(np.arange(ranks.retrieved.size), ranks.retrieved)
        of_equal_score = -all_ranks if ranks.has_ids else all_ranks
        order = np.lexsort((of_equal_score, -score, topic))
        new_rank = np.empty_like(all_ranks)
        new_rank[order] = all_ranks
        rank = new_rank[ranks.position]
    starts = bounds_of(ranks.retrieved)
    order = np.argsort(starts[ranks.topic] + rank, kind="stable")
    return replace(ranks, doc=ranks.doc[order], rank=rank[order])


# ------------------------------------------------------------------- ir-measures' provider


def bpref(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_bpref.c``.

    :formula: Σ (1 − min(n_d, R) / min(N, R)) / R over the retrieved relevant documents d, where n_d
        is the number of documents before d that are judged not relevant, and N of all of these
    :undefined: 0 without relevant documents
    :source: trec_eval (bpref)
    """
    return bpref_of(topics)


def bpref_of(topics: Topics) -> np.ndarray:
    """``m_bpref.c``: Σ over relevant documents (1 − the share of the top num_rel others before) /
    num_rel.
    """
    hits = topics.run.relevant
    num_rel = topics.relevant
    is_judged = topics.document_level >= 0  # a level below 0 means unjudged
    others = is_judged & (topics.document_gain == 0)
    num_nonrel = np.bincount(topics.document_topic[others], minlength=topics.count)
    so_far = cumsum(others[topics.document], topics.run.offsets)[topics.run.gain > 0]
    before = np.minimum(so_far, num_rel[hits.topic])
    most = np.minimum(num_nonrel, num_rel)[hits.topic]
    return ratio(hits.sum(1 - ratio(before, most)), num_rel)


def num_ret(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_num_ret.c``, and with `rel` ``m_num_rel_ret.c``.

    :formula: the number of retrieved documents; with rel, of the retrieved relevant ones
    :source: trec_eval (num_ret, num_rel_ret)
    """
    if measure.params.get("rel") is None:
        return topics.retrieved
    return topics.run.relevant.sizes


def num_rel(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_num_rel.c``.

    :formula: R, the number of relevant documents
    :source: trec_eval (num_rel)
    """
    return topics.relevant


def num_q(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_num_q.c``.

    :formula: 1 for each topic, so that the sum is the number of topics
    :source: trec_eval (num_q)
    """
    return np.ones(topics.count)


RR_WITHIN = "RR@k"
"""The name of RR with a cutoff, which ir-measures' provider msmarco computes."""
ONLY_PYTREC_EVAL = ("SetAP", "SetF", "IPrec", "infAP")
"""The measures that the provider pytrec_eval computes, and this package does not."""
LIMIT = 2**31
"""The limit of the whole numbers of C, in which trec_eval has cutoffs and levels. Greater gains
overflow in pytrec_eval, so this package computes them."""

FORMULAS: dict[str, Callable[[Topics, ir_measures.Measure], np.ndarray]] = {
    "Bpref": bpref,
    "NumRet": num_ret,
    "NumRel": num_rel,
    "NumQ": num_q,
}
"""The measures without a definition, from topics in which relevant documents gain 1."""


def documented(measure: ir_measures.Measure) -> type[Standard] | Callable[..., np.ndarray] | None:
    """What has the formula of a measure of ir-measures in its docstring, whatever its parameters;
    None for a measure that is not defined here.

    >>> documented(ir_measures.RBP).OF, documented(ir_measures.Bpref) is bpref
    ('RBP', True)
    >>> documented(ir_measures.infAP)
    """
    name = str(measure.NAME)
    if type(measure) is not type(getattr(ir_measures, name, None)):  # others may derive a subclass
        return None
    return DEFINITIONS.get(name) or FORMULAS.get(name)


def formula_of(measure: ir_measures.Measure) -> str:
    """The name of a standard measure that is computed here, or of its definition; empty for any
    other.
    """
    name = str(getattr(measure, "OF", measure.NAME))
    if name == "RBP" or (name not in FORMULAS and name not in DEFINITIONS):
        return ""
    classes = (type(getattr(ir_measures, name)), DEFINITIONS.get(name))
    if type(measure) not in classes:  # others may derive a subclass
        return ""
    if name == "RR" and measure["cutoff"] is not NOT_PROVIDED:
        return RR_WITHIN
    return name


def computes(measure: ir_measures.Measure) -> bool:
    """Whether this module computes the measure with its parameters.

    Raises `AssertionError`, as ir-measures does, for parameters that the measure does not have or
    allow.

    >>> from ir_measures import ERR, P, nDCG
    >>> computes(P(rel=2) @ 10), computes(nDCG(gains={1: 0.5})), computes(ERR @ 20)
    (True, False, False)
    """
    formula = formula_of(measure)
    if not formula:
        return False
    measure.validate_params()
    params = measure.params
    if formula == RR_WITHIN and params.get("judged_only"):
        return False
    if formula == "NumRel" and params.get("rel", 1) != 1:
        return False
    if params.get("dcg", "log2") != "log2" or params.get("relative"):
        return False
    counts = [params[name] for name in ("cutoff", "rel") if params.get(name) is not None]
    if not all(type(count) is int and 1 <= count < LIMIT for count in counts):
        return False
    gains = params.get("gains") or {}
    return all(type(level) is int and type(gain) is int for level, gain in gains.items())


def needs_whole_levels(measure: ir_measures.Measure) -> bool:
    """Whether trec_eval defines the measure, because trec_eval reads levels as whole numbers."""
    return measure.NAME in ONLY_PYTREC_EVAL or formula_of(measure) not in ("", "Judged", RR_WITHIN)


def values(measure: ir_measures.Measure, ranks: JudgedRanks) -> np.ndarray:
    """The value of each topic, as if the run had every topic."""
    standard = definition(measure)
    if standard is not None:
        return standard.values(standard.view(ranks))
    listed = ranks
    if measure.params.get("judged_only"):
        listed = condensed(ranks, {})
    topics = topics_of(listed, measure.params.get("rel") or 1, None)
    formula = FORMULAS[formula_of(measure)]
    return np.asarray(formula(topics, measure), dtype=np.float64)
