"""The rows of a file by topic or by run."""

from __future__ import annotations

from itertools import pairwise

from ..core.rows.id_columns import stretches_of
from ..core.rows.rows import Part


def grouped(rows: Part, column: str) -> tuple[Part, list[str], list[int]]:
    """The rows with those of each topic or of each run together, the names, and their bounds in the
    rows.
    """
    stretches = stretches_of(rows.columns[column], f"run: {column}")
    order, bounds = stretches.grouped(len(rows))
    if order is not None:
        rows = rows.take(order)
    return rows, list(stretches.topics), bounds.tolist()


def by_run(rows: Part) -> dict[str, Part]:
    """The rows of each run by its name."""
    rows, names, bounds = grouped(rows, "run")
    runs = zip(names, pairwise(bounds), strict=True)
    return {name: rows.take(slice(start, end)) for name, (start, end) in runs}
