"""The built-in measures, one family per module, and the base classes of all graded measures.

- `base`, `parameters`, `topics`: base classes, parameters, and the input of a measure.
- `cumulated_gain`, `average_precision`, `cascade`, `rank_biased`, `ntcir`, `ratios`, `preference`,
  `search_length`: the families.
- `blended_ratio`, `top_gain`, `collection_size`: definitions that several families share.

`ir_measures_graded.registry.built_in` registers the measures with the hook that plugins use.
"""

from . import (
    average_precision,
    cascade,
    cumulated_gain,
    ntcir,
    preference,
    rank_biased,
    ratios,
    search_length,
)
from .average_precision import AGR, GAP, WAP, Q, muAP
from .base import GradedMeasure
from .cascade import EBR, ERR_G, iRBU, nERR
from .cumulated_gain import CG, DCG_JK, NDCNG, DCG_Burges, nCG, nDCG_Burges, nDCG_JK
from .ntcir import NCU, O_measure, P_measure, P_plus
from .preference import ADM, NDPM, KendallTau, RelativeRelevance, Spearman
from .rank_biased import RBP_G
from .ratios import MSR, SR, Fallout, gP, gR
from .search_length import ASL, ESL, NR

__all__ = [
    "ADM", "AGR", "ASL", "CG", "DCG_JK", "EBR", "ERR_G", "ESL", "GAP", "MSR", "NCU", "NDCNG", "NDPM", "NR",
    "RBP_G", "SR", "WAP", "DCG_Burges", "Fallout", "KendallTau", "O_measure", "P_measure", "P_plus", "Q",
    "RelativeRelevance", "Spearman", "gP", "gR", "iRBU", "muAP", "nCG", "nDCG_Burges", "nDCG_JK", "nERR",
]  # fmt: skip

FAMILIES = (
    cumulated_gain, average_precision, cascade, rank_biased, ntcir, ratios, preference, search_length
)  # fmt: skip
MEASURES: tuple[GradedMeasure, ...] = tuple(measure for family in FAMILIES for measure in family.MEASURES)
