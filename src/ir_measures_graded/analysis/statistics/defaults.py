"""The defaults of all tests and intervals, and the words that name them."""

from typing import Final

from ...output.formats import short

ALPHA: Final = 0.05
"""A p-value below this level is significant."""
CONFIDENCE: Final = 1 - ALPHA
"""The confidence of an interval."""
POWER: Final = 0.8
"""The probability with which a difference should be found."""
LEAST_TESTED_TOPICS: Final = 10
"""Fewer topics show intervals of several differences, but none of them is called significant."""
STARS: Final = ((0.01, "**"), (0.05, "*"))
"""The marks of p-values below these limits, as in Table II of Järvelin & Kekäläinen 2002."""
STARS_SENTENCE: Final = ", ".join(f"{mark} p < {short(limit)}" for limit, mark in STARS)
"""The meaning of the stars, within a sentence."""


def stars(p: float) -> str:
    """The stars of a p-value.

    >>> stars(0.001), stars(0.02), stars(0.5)
    ('**', '*', '')
    """
    for limit, mark in STARS:
        if p < limit:
            return mark
    return ""
