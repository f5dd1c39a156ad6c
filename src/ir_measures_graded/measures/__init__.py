"""The measures that come with the package, one family a module.

They are a plugin like any other: `graded_measures` is the hook that brings them.
"""

from ..hooks import hookimpl
from ..measure import GradedMeasure
from ..registration import free_to_register
from . import cumulated_gain
from .cumulated_gain import CG, DCG_JK, NDCNG, nCG, nDCG_JK

__all__ = ["CG", "DCG_JK", "NDCNG", "nCG", "nDCG_JK"]

MEASURES: tuple[GradedMeasure, ...] = (*cumulated_gain.MEASURES,)


@hookimpl
def graded_measures() -> tuple[GradedMeasure, ...]:
    return free_to_register(MEASURES)
