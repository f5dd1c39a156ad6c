"""Corrections of p-values for several tests, and their names in prose.

S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
6, 1979. Y. Benjamini, Y. Hochberg: Controlling the false discovery rate. Journal of the Royal
Statistical Society B 57, 1995.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from ...errors import GradedError, shown

PValues = Sequence[float] | Sequence[None] | np.ndarray


class Adjust(Protocol):
    """The adjusted p-values of a family of `count` tests, by default of those with a p-value."""

    def __call__(self, p_values: PValues, count: int | None = None) -> np.ndarray: ...


def holm(p_values: PValues, count: int | None = None) -> np.ndarray:
    """The p-values with Holm's correction for a family of `count` tests, by default those with a
    p-value.

    NaN stays NaN; such tests of the family, and those that are not given, count as larger than all
    others. statsmodels' `multipletests` gives the same, but collects all garbage of the process in
    every call, which can take a quarter of a second.

    >>> holm([0.75, 0.125, 0.625])
    array([1.   , 0.375, 1.   ])
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, axis=None)
    largest = _family_size(p, count)
    factors = np.arange(largest, largest - p.size, -1)
    scaled = p.flat[order] * factors
    adjusted = np.empty(p.size)
    adjusted[order] = np.maximum.accumulate(scaled).clip(max=1)
    return adjusted.reshape(p.shape)


def bonferroni(p_values: PValues, count: int | None = None) -> np.ndarray:
    """The p-values times the number of tests of the family. NaN stays NaN.

    >>> bonferroni([0.75, 0.125, 0.625])
    array([1.   , 0.375, 1.   ])
    """
    p = np.asarray(p_values, dtype=np.float64)
    return np.minimum(p * _family_size(p, count), 1.0)


def benjamini_hochberg(p_values: PValues, count: int | None = None) -> np.ndarray:
    """The p-values adjusted for the false discovery rate, the share of false ones among the
    significant.

    NaN stays NaN; tests of the family that are not given count as larger than all others.

    >>> benjamini_hochberg([0.75, 0.125, 0.25])
    array([0.75 , 0.375, 0.375])
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, axis=None)
    ranks = np.arange(1, p.size + 1)
    scaled = p.flat[order] * _family_size(p, count) / ranks
    # `fmin` skips NaN, which the sort has put last.
    least_of_larger = np.fmin.accumulate(scaled[::-1])[::-1]
    least = least_of_larger.clip(max=1)
    adjusted = np.empty(p.size)
    adjusted[order] = np.where(np.isnan(scaled), np.nan, least)
    return adjusted.reshape(p.shape)


def uncorrected(p_values: PValues, count: int | None = None) -> np.ndarray:
    """The p-values as they are."""
    return np.asarray(p_values, dtype=np.float64)


def _family_size(p: np.ndarray, count: int | None) -> int:
    """The number of tests of the family, by default of those with a p-value."""
    if count is not None:
        return count
    return int(np.count_nonzero(~np.isnan(p)))


@dataclass(frozen=True)
class Correction:
    """A correction of p-values: its name in prose, and the function.

    Family-wise corrections control the chance of any false difference. With them, the interval of a
    significant difference is cut at 0. `is_corrected` tells whether intervals hold together for the
    family. `caution` is a sentence on what the correction does not control, in which `equal_pairs`
    stands for the number of equal pairs with one false difference on average. `work` is the key of
    the work that a paper cites for it.
    """

    name: str
    adjust: Adjust
    is_family_wise: bool = True
    is_corrected: bool = True
    caution: str = ""
    work: str = ""

    def caution_at(self, alpha: float) -> str:
        """The caution for p-values that are significant below `alpha`.

        >>> print(NONE.caution_at(0.1))
        No correction was made: of 10 equal pairs, on average one is called significant by chance.
        """
        return self.caution.format(equal_pairs=round(1 / alpha))


HOLM: Final = Correction("Holm's correction", holm, work="holm1979")
BONFERRONI: Final = Correction("Bonferroni's correction", bonferroni, work="dunn1961")
FALSE_DISCOVERY_RATE: Final = Correction(
    "Benjamini and Hochberg's correction",
    benjamini_hochberg,
    is_family_wise=False,
    caution=(
        "Benjamini and Hochberg's correction controls the false discovery rate: the share of "
        "false differences among those called significant, and not the chance of any."
    ),
    work="benjamini1995",
)
NONE: Final = Correction(
    "no correction",
    uncorrected,
    is_family_wise=False,
    is_corrected=False,
    caution=(
        "No correction was made: of {equal_pairs} equal pairs, on average one is called "
        "significant by chance."
    ),
)
CORRECTIONS: Final = {
    "holm": HOLM,
    "bonferroni": BONFERRONI,
    "bh": FALSE_DISCOVERY_RATE,
    "none": NONE,
}
"""The corrections by their name as an option."""
DEFAULT: Final = "holm"
"""The correction of all tests without the option."""
adjusted_p: Final = CORRECTIONS[DEFAULT].adjust
"""Its function."""
CORRECTION_NAME: Final = CORRECTIONS[DEFAULT].name
"""Its name in all sentences."""


def correction_of(name: str) -> Correction:
    """The correction of this name. Raises `GradedError` for any other."""
    if not isinstance(name, str) or name not in CORRECTIONS:
        raise GradedError(
            f"correction={shown(name)} is not known; it is one of {', '.join(CORRECTIONS)}"
        )
    return CORRECTIONS[name]
