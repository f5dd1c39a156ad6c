"""ir-measures' standard measures as graded measures: their ties, judgments, curves and contributions.

`definition_of` finds the definition of a measure of ir-measures. It has the name and the parameters of the
measure, and the options `ties` and `unjudged`. None is registered. Without options, the values equal
those of ir-measures' providers, mostly trec_eval's, to the last bit: sums are added rank by rank, and
logarithms are C's own.

`values` has the values of all standard measures without options, and `computes` tells which are supported.
`FORMULAS` has those without a definition, to be read beside the C code of trec_eval 9.0.8 (``m_bpref.c`` …),
which ir-measures' provider pytrec_eval runs.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

import ir_measures
import numpy as np
from ir_measures.providers.base import NOT_PROVIDED

from ...errors import GradedError
from ..by_topic import bounds_of, cumsum, positions
from ..ranking.gains import EXP, Gains, canonical_gains, gain_of
from ..ranking.judged import computed_once
from ..ranking.ranks import JudgedRanks
from . import parameters
from .average_precision import _GAP, GAP
from .base import GradedMeasure
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


class Standard(GradedMeasure):
    """A standard measure. By default, a document gains 1 if its level is at least `rel`, and else 0.

    With judged_only=True, documents of negative levels leave the list with the unjudged ones, as in
    trec_eval. `SAME` is the graded measure that is equal with the gains `weighting`.
    """

    PARAMETERS = {"rel": Count(default=1, desc="least level of a relevant document")}
    SAME: ClassVar[GradedMeasure | None] = None
    OF: ClassVar[str] = ""
    """The name of the standard measure, which is printed."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Providers of ir-measures compare names and would ignore the options.
        cls.OF, cls.NAME = str(cls.NAME), f"{cls.NAME} by definition"
        offered = {**cls.SUPPORTED_PARAMS, **cls.PARAMETERS}
        theirs = {"ties", "unjudged", *getattr(ir_measures, cls.OF).SUPPORTED_PARAMS}
        cls.SUPPORTED_PARAMS = {name: info for name, info in offered.items() if name in theirs}

    @property
    def __name__(self) -> str:
        return self.OF

    def unset(self, name: str) -> Any:
        return super().unset(name) if name in self.SUPPORTED_PARAMS else None

    @property
    def weighting(self) -> Gains:
        return int(self["rel"])

    def listed(self, ranks: JudgedRanks) -> JudgedRanks:
        return condensed(ranks, self["gains"] or {}) if self["judged_only"] else ranks

    def same(self, levels: Sequence[float] = ()) -> str:
        """The string of the graded measure that is equal for qrels with these levels; empty if unknown."""
        gains = self.weighting
        if not isinstance(gains, (str, dict)):
            gains = dict(zip(levels, gain_of(np.array(levels), gains).tolist(), strict=True))
        if self.SAME is None or self["judged_only"] or not gains or len(gains) > LEVELS:
            return ""
        shared = {name: self.params[name] for name in SHARED if name in self.params}
        return str(self.SAME(gains=gains, **shared)).replace("'", "")


class _AP(Standard, _GAP):
    """Average precision: The mean of the precisions at the relevant documents.

    :formula: Σ_{i≤k} g(i) C(i)/i / R
    """

    SAME = GAP

    def amounts(self, topics: Topics) -> GainList:
        # These are the amounts of GAP, which has thresholds besides.
        run = topics.run.relevant
        return run.with_gain(run.number / run.rank)


class _P(Standard, GainSum):
    """Precision: The share of the first k ranks that have a relevant document.

    :formula: C(k) / k
    """

    SAME = gP(max_gain=1)

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        return (
            topics.retrieved if cutoff is None else np.multiply.outer(np.ones(topics.count), cutoff)
        )

    def rank_weights(self, depth: int) -> np.ndarray:
        return np.full(depth, 1 / (self["cutoff"] or 1))


class _SetP(_P):
    """Precision of the set: The share of the retrieved documents that are relevant.

    :formula: C(n) / n
    """

    PARAMETERS = {
        **Standard.PARAMETERS,
        "relative": Flag(default=False, desc="share of the best value"),
    }
    CUTOFF = False
    LINEAR = False

    def refusal(self) -> str:
        return "relative=True has no options" if self["relative"] else super().refusal()


class _R(Standard, _gR):
    """Recall: The share of the relevant documents that are in the first k.

    :formula: C(k) / R
    """

    SAME = gR


class _SetR(_R):
    """Recall of the set: The share of the relevant documents that are retrieved.

    :formula: C(n) / R
    """

    CUTOFF = False


class _Rprec(Standard, AtRelevant):
    """R-precision: The share of the first R ranks that have a relevant document.

    :formula: C(R) / R
    """

    CUTOFF = False
    UNJUDGED = False
    NO_UNJUDGED = "its cutoff, the number of relevant documents, moves with the judgments"
    TIES = SORTED

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        return np.where(rank <= topics.relevant[topic], 1.0, 0.0)  # `quality` is 0 beyond rank R

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        return topics.relevant


class _Success(Standard, AtRelevant):
    """Success: 1 if a relevant document is in the first k, else 0.

    :formula: 1 if C(k) > 0, else 0
    """

    RECALL_BASE = False
    TIES = SORTED
    COMPARED = False
    RISES = True

    def goes_on(self, gain: np.ndarray, topics: Topics) -> np.ndarray | float:
        return 0.0


class _RR(_Success):
    """Reciprocal rank: The reciprocal of the rank of the first relevant document.

    :formula: 1/i at the first relevant rank i ≤ k
    """

    SAME = O_measure(beta=0)

    def possible(self, rank: np.ndarray, topic: np.ndarray, topics: Topics) -> np.ndarray:
        return rank

    def in_order(self, ranks: JudgedRanks) -> JudgedRanks:
        return ranks if self["cutoff"] is None or self["judged_only"] else ascending(ranks)


class _Judged(Standard, GainSum):
    """Judged: The share of the first k documents that are judged.

    :formula: judged documents in the first k / documents in the first k
    """

    UNJUDGED = False
    NO_UNJUDGED = "a document counts for being judged, whatever its level"
    LINEAR = False
    weighting = -math.inf  # every level is at least this, so every judged document gains 1

    def divisor(self, topics: Topics, cutoff: np.ndarray | int | None) -> np.ndarray:
        return topics.retrieved if cutoff is None else np.minimum.outer(topics.retrieved, cutoff)

    def in_order(self, ranks: JudgedRanks) -> JudgedRanks:
        return ascending(ranks)


class _Weighting(parameters.Gains):
    """Gains by level as ir-measures takes them. A negative gain counts as 0."""

    def canonical(self, value: Any) -> Any:
        canonical_gains({level: max(gain, 0) for level, gain in value.items()})
        return dict(value)


class _nDCG(Standard, _nDCG_Burges):
    """Normalised discounted cumulated gain: The discounted gain as a share of that of the ideal list.

    :formula: Σ_{i≤k} G[i] / log2(i + 1), divided by the same sum over the ideal list
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
        return canonical_gains(
            {level: max(gain, 0) for level, gain in (self["gains"] or {}).items()}
        )

    def refusal(self) -> str:
        if self["dcg"] == "exp-log2" and self["gains"]:
            return "dcg='exp-log2' takes no gains"
        return super().refusal()

    def discount(self, rank: np.ndarray) -> np.ndarray:
        return log2(rank + 1)


class _RBP(Standard, GainSum):
    """Rank-biased precision: The expected share of relevant documents for a user who reads on with
    probability p.

    :formula: (1 − p) Σ_{i≤k} p^{i−1} g(i)
    """

    PARAMETERS = {
        "rel": Count(default=None, desc="least level of a relevant document"),
        "p": Real(default=0.8, above=0, below=1, desc="persistence: the probability of reading on"),
    }
    RECALL_BASE = False
    SAME = RBP_G(max_gain=1)

    def refusal(self) -> str:
        return super().refusal() if self["rel"] else "rel is required; RBP_G takes gains"

    def factor(self, rank: np.ndarray) -> np.ndarray:
        return (1 - self["p"]) * self["p"] ** (rank - 1.0)


DEFINITIONS: dict[str, type[Standard]] = {
    each.OF: each
    for each in (_AP, _Judged, _nDCG, _P, _R, _RBP, _Rprec, _RR, _SetP, _SetR, _Success)
}


def definition_of(measure: ir_measures.Measure) -> GradedMeasure | None:
    """The measure itself if it is graded, or the definition of a standard measure, which prints alike.

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
    known = DEFINITIONS.get(str(measure.NAME))
    if known is None or type(measure) is not type(getattr(ir_measures, str(measure.NAME))):
        return None  # others may derive a subclass
    found = known(**measure.params)
    found._text = str(measure)
    return found


def log2(numbers: np.ndarray) -> np.ndarray:
    """C's logarithm of positive whole numbers; NumPy's may differ in the last bit."""
    return _table_of_log2(int(numbers.max(initial=1)).bit_length())[numbers]


@cache
def _table_of_log2(bits: int) -> np.ndarray:
    return np.array([-math.inf, *map(math.log2, range(1, 1 << bits))])


@computed_once
def condensed(ranks: JudgedRanks, gains: Mapping[float, float]) -> JudgedRanks:
    """The run without the documents that are unjudged for trec_eval. A document whose level, or the gain that
    replaces it, is negative is one of them."""
    kept = ranks.judged.level >= 0
    for level, gain in gains.items():
        kept[ranks.judged.level == level] = gain >= 0
    parts = {name: getattr(ranks, name)[kept[ranks.doc]] for name in ("doc", "topic", "rank")}
    return replace(ranks, **parts).condensed


@computed_once
def ascending(ranks: JudgedRanks) -> JudgedRanks:
    """The run with tied documents by *ascending* id, and with scores compared as 64-bit floats. Documents
    without ids stay in the order given."""
    rank = (
        ranks.first + ranks.last - ranks.rank if ranks.has_ids else ranks.rank
    )  # reverses tie groups
    place, score = positions(ranks.retrieved) + 1, ranks.score
    tied = place > ranks.first_of_tie  # tied with the row before as 32-bit floats
    if (tied[1:] & (score[1:] != score[:-1])).any():
        topic = np.repeat(np.arange(ranks.retrieved.size), ranks.retrieved)
        order = np.lexsort((-place if ranks.has_ids else place, -score, topic))
        by_id = np.empty_like(place)
        by_id[order] = place
        rank = by_id[ranks.position]
    order = np.argsort(bounds_of(ranks.retrieved)[ranks.topic] + rank, kind="stable")
    return replace(ranks, doc=ranks.doc[order], rank=rank[order])


# ------------------------------------------------------------------- ir-measures' provider


def bpref(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_bpref.c``: Σ over relevant documents (1 − the share of the top num_rel others before) / num_rel."""
    hits, num_rel = topics.run.relevant, topics.relevant
    others = (topics.document_level >= 0) & (
        topics.document_gain == 0
    )  # a level below 0 means unjudged
    num_nonrel = np.bincount(topics.document_topic[others], minlength=topics.count)
    so_far = cumsum(others[topics.document], topics.run.offsets)[topics.run.gain > 0]
    before = np.minimum(so_far, num_rel[hits.topic])
    return ratio(hits.sum(1 - ratio(before, np.minimum(num_nonrel, num_rel)[hits.topic])), num_rel)


def num_ret(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_num_ret.c``, and with `rel` ``m_num_rel_ret.c``."""
    return topics.retrieved if measure.params.get("rel") is None else topics.run.relevant.sizes


RR_WITHIN = "RR@k"
"""The name of RR with a cutoff, which ir-measures' provider msmarco computes."""
ONLY_PYTREC_EVAL = ("SetAP", "SetF", "IPrec", "infAP")
"""The measures that the provider pytrec_eval computes, and this package does not."""
LIMIT = 2**31
"""The limit of the whole numbers of C, in which trec_eval has cutoffs and levels. Greater gains overflow in
pytrec_eval, so this package computes them."""

FORMULAS: dict[str, Callable[[Topics, ir_measures.Measure], np.ndarray]] = {
    "Bpref": bpref,
    "NumRet": num_ret,
    "NumRel": lambda topics, measure: topics.relevant,
    "NumQ": lambda topics, measure: np.ones(topics.count),
}
"""The measures without a definition, from topics in which relevant documents gain 1."""


def formula_of(measure: ir_measures.Measure) -> str:
    """The name of a standard measure that is computed here, or of its definition; empty for any other."""
    name = getattr(measure, "OF", measure.NAME)
    is_known = name != "RBP" and name in {**FORMULAS, **DEFINITIONS}
    # Others may derive a subclass.
    if not is_known or type(measure) not in (
        type(getattr(ir_measures, name)),
        DEFINITIONS.get(name),
    ):
        return ""
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
    given = measure.params
    counts = [given[name] for name in ("cutoff", "rel") if given.get(name) is not None]
    gains = [number for pair in (given.get("gains") or {}).items() for number in pair]
    return (
        not (formula == RR_WITHIN and given.get("judged_only"))
        and not (formula == "NumRel" and given.get("rel", 1) != 1)
        and given.get("dcg", "log2") == "log2"
        and not given.get("relative")
        and all(type(number) is int for number in counts + gains)
        and all(1 <= number < LIMIT for number in counts)
    )


def needs_whole_levels(measure: ir_measures.Measure) -> bool:
    """Whether trec_eval defines the measure, because trec_eval reads levels as whole numbers."""
    return measure.NAME in ONLY_PYTREC_EVAL or formula_of(measure) not in ("", "Judged", RR_WITHIN)


def values(measure: ir_measures.Measure, ranks: JudgedRanks) -> np.ndarray:
    """The value of each topic, as if the run had every topic."""
    if known := definition(measure):
        return known.values(known.view(ranks))
    listed = condensed(ranks, {}) if measure.params.get("judged_only") else ranks
    topics = topics_of(listed, measure.params.get("rel") or 1, None)
    return np.asarray(FORMULAS[formula_of(measure)](topics, measure), dtype=np.float64)
