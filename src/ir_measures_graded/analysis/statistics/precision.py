"""Which differences are rounding errors, and sums of squares that stay within the floats."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

EXACT: Final = 1e-12
"""A difference up to this share of the largest value is a rounding error."""
TIED: Final = 1e-9
"""Differences that are closer than this share of the largest one are tied."""


def differences_of(values: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The paired differences over the last axis, and how large a rounding error can be.

    Differences of at most 1e-12 of the largest value are 0.
    """
    differences = values - others
    largest = np.maximum(np.abs(values), np.abs(others)).max(axis=-1)
    noise = EXACT * largest
    is_noise = np.abs(differences) <= noise[..., None]
    return np.where(is_noise, 0.0, differences), noise


def deviation_of(values: np.ndarray) -> np.ndarray:
    """The standard deviation over the last axis, whatever the size of the values.

    >>> deviation_of(np.array([[1.0, 3.0], [1e-200, 3e-200], [1e200, 3e200]]))
    array([1.41421356e+000, 1.41421356e-200, 1.41421356e+200])
    """
    unit = unit_of(values)
    scaled = (values / unit).std(axis=-1, ddof=1)
    return np.asarray(unit[..., 0] * scaled)


def unit_of(values: np.ndarray) -> np.ndarray:
    """The power of two that the largest value over the last axis reaches. To divide by it is exact.

    Squares of tiny or huge values would leave the floats.

    >>> unit_of(np.array([0.0, -0.3]))
    array([0.25])
    """
    largest = np.abs(values).max(axis=-1, keepdims=True)
    exponent = np.frexp(largest)[1]
    return np.ldexp(1.0, exponent - 1)


def rounded(values: np.ndarray) -> np.ndarray:
    """`values` rounded so that values that are equal in exact arithmetic become equal."""
    if not values.any():
        return values
    return on_grid(values, noise_of(values))


def on_grid(values: np.ndarray, step: float) -> np.ndarray:
    """`values` rounded to multiples of the next power of two; common fractions lie off its
    midpoints."""
    unit = 2 ** np.ceil(np.log2(step))
    return np.asarray(np.round(values / unit) * unit)


def noise_of(values: np.ndarray) -> float:
    """How large a rounding error of the values can be."""
    return float(EXACT * np.abs(values).max(initial=0))


@contextmanager
def quietly() -> Iterator[None]:
    """Suppress expected warnings about ties, zeros and small samples."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
