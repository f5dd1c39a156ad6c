"""The rows of a file by topic or by run."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from itertools import pairwise
from typing import TypeVar

from ..core.rows.id_columns import stretches_of
from ..core.rows.rows import Part
from .content import RUNS_READ, Content

Rows = TypeVar("Rows", bound=Sized)
FREE_RUNS = 100
"""As many runs of a table do not count against the limit of a compressed file."""


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


def with_limited_runs(parts: Iterator[Part], content: Content, kind: str = "") -> Iterator[Part]:
    """The same rows, whose runs count against the limit of a compressed file of this kind."""
    names: set[str] = set()
    for rows in parts:
        if "run" in rows.columns and content.is_limited(kind):
            before = len(names)
            names.update(stretches_of(rows.columns["run"], "run: run").topics)
            content.spend(RUNS_READ, max(len(names) - max(before, FREE_RUNS), 0), kind)
        yield rows


def first_of(parts: Iterator[Rows], least: int) -> Iterator[Rows]:
    """The first parts that together have at least so many rows, or all.

    >>> list(first_of(iter(["ab", "c", "de"]), 3))
    ['ab', 'c']
    """
    count = 0
    while count < least:
        rows = next(parts, None)
        if rows is None:
            return
        count += len(rows)
        yield rows


def drained(parts: list[Part]) -> Iterator[Part]:
    """The parts, which are removed from the list one by one, so that their memory becomes free."""
    parts.reverse()
    while parts:
        yield parts.pop()
