"""The built-in measures, one family per module, and the base classes of all graded measures.

- `base`, `parameters`, `topics`: base classes, parameters, and the input of a measure.
- `cumulated_gain`, `average_precision`, `ratios`, `preference`, `search_length`: the families.

`ir_measures_graded.registry.built_in` registers the measures with the hook that plugins use.
"""

from . import average_precision, cumulated_gain, preference, ratios, search_length
from .average_precision import AGR, WAP, Q, muAP
from .base import GradedMeasure
from .cumulated_gain import CG, DCG_JK, NDCNG, nCG, nDCG_JK
from .preference import ADM, NDPM, KendallTau, Spearman
from .ratios import MSR, SR, gP, gR
from .search_length import ASL, ESL, NR

__all__ = [
    "ADM",
    "AGR",
    "ASL",
    "CG",
    "DCG_JK",
    "ESL",
    "MSR",
    "NDCNG",
    "NDPM",
    "NR",
    "SR",
    "WAP",
    "KendallTau",
    "Q",
    "Spearman",
    "gP",
    "gR",
    "muAP",
    "nCG",
    "nDCG_JK",
]

MEASURES: tuple[GradedMeasure, ...] = (
    *cumulated_gain.MEASURES,
    *average_precision.MEASURES,
    *ratios.MEASURES,
    *preference.MEASURES,
    *search_length.MEASURES,
)
