"""The measures that come with the package, one family a module.

They are a plugin like any other: `graded_measures` is the hook that brings them.
"""

from ..hooks import hookimpl
from ..measure import GradedMeasure
from ..registration import free_to_register
from . import average_precision, cumulated_gain, preference, ratios, search_length
from .average_precision import AGR, WAP, Q, muAP
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


@hookimpl
def graded_measures() -> tuple[GradedMeasure, ...]:
    """Our own measures, but for those whose names somebody else holds."""
    return free_to_register(MEASURES)
