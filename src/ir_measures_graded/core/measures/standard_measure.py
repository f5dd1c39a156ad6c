"""What the standard measures share: their options, logarithms, and the order of tied documents."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

import ir_measures
import numpy as np

from ..by_topic import bounds_of, positions
from ..ranking.gains import Gains, gain_of, gains_text, plain_number
from ..ranking.judged import computed_once
from ..ranking.ranks import JudgedRanks
from .base import GradedMeasure
from .parameters import Count

LEVELS = 8
"""The number of levels up to which a weighting is written out."""
SHARED = ("p", "ties", "unjudged", "cutoff")
"""The parameters that a standard measure shares with the graded measure that is equal."""


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
