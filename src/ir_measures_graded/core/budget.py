"""The budget of one computation. A computation that would take more is refused before it begins."""

from ..errors import GradedError

STEPS = 100_000_000
"""Numbers that are added or compared, which takes a few seconds at most."""
CALLS = 4000
"""The steps that take as long as one pass of NumPy over a short array, with its calls."""
MEMORY = 2**32
"""The bytes that an analysis may take."""
TABLES = 2**29
"""The bytes that the tables of one topic may take."""


def within_budget(
    what: str,
    size: float,
    limit: float = STEPS,
    remedy: str = "use fewer or shorter lists",
    error: type[GradedError] = GradedError,
) -> None:
    """Raise an error unless `size` is at most `limit`. `what` names the work, and `remedy` says
    what to do.

    >>> within_budget("5000 draws of 80000 documents", 5e3 * 8e4, remedy="draw less")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: 5000 draws of 80000 documents: too much work; draw less
    """
    if size > limit:
        kind = "memory" if limit in (MEMORY, TABLES) else "work"
        raise error(f"{what}: too much {kind}; {remedy}")
