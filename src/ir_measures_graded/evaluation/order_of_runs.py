"""The order of runs in tables, figures and sentences: by their values, then by their names.

Without the names, runs of equal values would stand in the order of their files, which means nothing
to a reader and changes with the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

TIED_WITHIN: Final = 1e-12
"""Times the largest absolute value of an order: rounding errors do not separate runs."""


def tie_groups(values: np.ndarray) -> np.ndarray:
    """The numbers of the groups of equal values (… × m), 0 for the largest values.

    Sorted from the largest, a value is equal to the one before if it is smaller by at most
    `TIED_WITHIN` times the largest absolute value.

    >>> tie_groups(np.array([0.1 + 0.2, 0.3, 0.5]))
    array([1, 1, 0])
    """
    columns = np.argsort(-values, axis=-1, kind="stable")
    largest_first = np.take_along_axis(values, columns, axis=-1)
    largest = np.abs(values).max(axis=-1, keepdims=True, initial=0.0)
    drops = -np.diff(largest_first, axis=-1)
    is_smaller = drops > TIED_WITHIN * largest
    group_of_next = np.cumsum(is_smaller, axis=-1)
    groups = np.zeros(values.shape, dtype=np.int64)
    np.put_along_axis(groups, columns[..., 1:], group_of_next, axis=-1)
    return groups


def best_first(values: np.ndarray, names: Sequence[str]) -> list[int]:
    """The numbers of the runs from the largest value to the smallest.

    Those of equal values are sorted by name, and those without a value (NaN) come last.

    >>> best_first(np.array([0.3, np.nan, 0.1 + 0.2, 0.5]), ["b", "d", "a", "c"])
    [3, 2, 0, 1]
    """
    groups = _groups_with_gaps(values)
    return sorted(range(len(names)), key=lambda run: (groups[run], names[run]))


def leading(values: np.ndarray, names: Sequence[str]) -> list[str]:
    """The names of the runs with the largest value, sorted.

    >>> leading(np.array([0.3, np.nan, 0.1 + 0.2, 0.1]), ["b", "d", "a", "c"])
    ['a', 'b']
    """
    groups = _groups_with_gaps(values)
    return [names[run] for run in best_first(values, names) if groups[run] == 0]


def _groups_with_gaps(values: np.ndarray) -> np.ndarray:
    """The `tie_groups` of some values, of which those that are NaN are the last group."""
    has_value = ~np.isnan(values)
    groups = np.full(values.size, values.size)
    groups[has_value] = tie_groups(values[has_value])
    return groups
