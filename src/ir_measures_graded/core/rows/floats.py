"""Levels and scores that are Python objects or columns, as one array of floats."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from ...errors import GradedError, shown
from ..by_topic import BLOCK, changes
from .arrow import is_arrow, numbers_of
from .chosen import level_of
from .decimals import as_decimals
from .roles import QRELS, Role

SAMPLE = 1 << 10  # rows in which most of the distinct levels occur
FEW_OBJECTS = 8  # more levels are rare; each takes a pass over all rows
LARGEST_SMALL = 256  # Python makes an object for each larger integer
BOOLS = {bool, np.bool_}
_NO_NUMBER = (struct.error, TypeError, ValueError, OverflowError)


def floats(
    role: Role, pieces: Sequence[Collection[Any]], location: Callable[[int], str]
) -> np.ndarray:
    """The numbers of several collections as one array of floats; `location` names a row in an error
    message.

    `struct` converts them faster than NumPy and, unlike NumPy, refuses text such as "1". Raises
    `GradedError` for anything that is not a number, also for a bool.
    """
    count = sum(map(len, pieces))
    if role is QRELS:
        levels = _of_few_objects(chain.from_iterable(pieces), count)
        if levels is not None:
            return levels
    numbers = np.empty(count)
    done = 0
    with suppress(*_NO_NUMBER):
        for piece in pieces:
            struct.pack_into(f"{len(piece)}d", numbers.data, done, *piece)
            done += len(piece) * numbers.itemsize
        rows = np.flatnonzero((numbers == 0) | (numbers == 1))
        if not _has_bool(pieces, rows):
            return _of_short_floats(numbers, pieces) if role is QRELS else numbers
    values = list(chain.from_iterable(pieces))
    if role is QRELS:
        values = [_level(value) for value in values]
        if all(map(is_number, values)):
            return floats(role, [values], location)
    row, number = next((row, value) for row, value in enumerate(values) if not is_number(value))
    is_int = isinstance(number, int) and not isinstance(number, bool)
    reason = "is larger than any float" if is_int else "is not a number"
    message = f"{location(row)}: the {role.number} {shown(number)} {reason}"
    if isinstance(number, str) and role is QRELS:
        from .level_words import WordError  # This import takes time.

        raise WordError.of(message, values)
    raise GradedError(message)


def _level(value: Any) -> Any:
    """The level that a user names for a word; any other value as it is."""
    level = level_of(value)
    return value if level is None else level


def _has_bool(pieces: Sequence[Collection[Any]], rows: np.ndarray) -> bool:
    """Whether one of these rows has a bool. Scores are rarely 0 or 1, so the rows are few."""
    if not rows.size:
        return False
    ends = np.cumsum(list(map(len, pieces)))
    piece_of_row = np.searchsorted(ends, rows, side="right")
    first = np.flatnonzero(changes(piece_of_row))
    for number, numbers in zip(
        piece_of_row[first].tolist(), np.split(rows, first[1:]), strict=True
    ):
        piece = pieces[number]
        if not isinstance(piece, list):
            piece = list(piece)
        start = int(ends[number]) - len(piece)
        if not BOOLS.isdisjoint(type(piece[row - start]) for row in numbers.tolist()):
            return True
    return False


def _of_few_objects(levels: Iterable[Any], count: int) -> np.ndarray | None:
    """The levels as floats if they are a few small integers; None otherwise.

    Python has one object for each small integer. Rows with the same object have the same type and
    level, so few objects are looked at.
    """
    numbers = np.empty(count)
    remaining = iter(levels)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        objects = np.fromiter(remaining, object, size)
        addresses = np.frombuffer(objects, np.intp)
        small = np.zeros(size, np.int16)
        left = size
        for passes, address in enumerate(_distinct_addresses(addresses)):
            has_address = addresses == address
            level = objects[has_address.argmax()]
            if passes == FEW_OBJECTS or type(level) is not int or abs(level) > LARGEST_SMALL:
                return None
            if level != 0:
                small += has_address * np.int16(level)
            left -= int(np.count_nonzero(has_address))
            if not left:
                break
        numbers[start : start + size] = small
    return numbers


def _distinct_addresses(addresses: np.ndarray) -> Iterator[int]:
    """Each distinct address once, first those of the first rows.

    Most callers need no more, and so no sort of all addresses.
    """
    first = _distinct_integers(addresses[:SAMPLE])
    yield from first.tolist()
    every = _distinct_integers(addresses)
    yield from every[~np.isin(every, first)].tolist()


def _distinct_integers(integers: np.ndarray) -> np.ndarray:
    in_order = np.sort(integers)
    return in_order[changes(in_order)]


def _of_short_floats(numbers: np.ndarray, pieces: Sequence[Collection[Any]]) -> np.ndarray:
    """The levels of these pieces, which are `numbers`; NumPy's short floats as in `as_decimals`."""
    rows = np.flatnonzero(np.isfinite(numbers) & (numbers != np.floor(numbers)))
    if rows.size:  # whole levels are exact
        levels = list(chain.from_iterable(pieces))
        for row in rows.tolist():
            if isinstance(levels[row], (np.float32, np.float16)):
                numbers[row] = float(str(levels[row]))
    return numbers


def is_number(number: Any) -> bool:
    """Whether this is a number and not a bool."""
    with suppress(*_NO_NUMBER):
        return bool(struct.pack("d", number)) and type(number) not in BOOLS
    return False


def numbers_in(column: Any, role: Role, location: Callable[[int], str]) -> np.ndarray:
    """The levels or scores as floats.

    Raises `GradedError` for one that is not a number, as `floats`.
    """
    numbers = _as_array(column)
    if not isinstance(numbers, np.ndarray):
        return floats(role, [numbers], location)
    return as_decimals(numbers) if role is QRELS else numbers.astype(np.float64, copy=False)


def numbers_or_nan(column: Any) -> np.ndarray:
    """A column as floats, NaN for any cell that is not a number."""
    numbers = _as_array(column)
    if isinstance(numbers, np.ndarray):
        return numbers.astype(np.float64, copy=False)
    return np.array(list(map(_number_or_nan, numbers)), np.float64)


def _number_or_nan(cell: Any) -> Any:
    return cell if is_number(cell) else np.nan


def _as_array(column: Any) -> Any:
    """A column of plain numbers as an array with their type, any other column as Python objects."""
    numbers: Any = numbers_of(column) if is_arrow(column) else column
    kind = getattr(getattr(numbers, "dtype", None), "kind", "")
    if kind == "c":
        # NumPy's complex numbers would be cut to their real part; those of Python are refused.
        numbers = numbers.astype(object)
    if kind not in ("i", "u", "f"):
        return numbers.tolist() if hasattr(numbers, "tolist") else numbers
    if hasattr(numbers, "to_numpy"):  # a column of a DataFrame, which may have missing values
        size = 8
        if kind == "f":
            # A sparse column has no item size.
            size = min(getattr(numbers.dtype, "itemsize", 8), 8)
        dtype = np.dtype(f"f{size}")
        return numbers.to_numpy(dtype=dtype, na_value=np.nan)
    return numbers
