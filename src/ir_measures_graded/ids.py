"""Columns of ids as bytes, so that rows are compared with arithmetic and not as Python objects.

An id is read in words of eight bytes. Ids are hashed by their words (`Ids.hashed`), equal hashes brought
together by one sort (`equal_pairs`), and whatever the hashes say is equal is compared word by word
before anyone believes it: what comes out is exact, however the hashes fall.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

Rows = Any
"""Which rows: a slice or an array of row numbers."""

WORD = 8
_LOW_BYTES = np.array([2 ** (8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, 2**64 over the golden ratio: spreads neighbours widely
_HALF = np.uint64(32)


class Ids:
    """N ids; id i is the UTF-8 text ``data[start[i]:start[i] + length[i]]``.

    Eight bytes of `data` may be read wherever an id has one. Where ids of one length stand at equal
    distances, `stride` is that distance (else 0) and a word of all of them is one strided view.
    """

    def __init__(self, data: np.ndarray, start: np.ndarray, length: np.ndarray, stride: int = 0):
        self.data, self.start, self.length, self.stride = data, start, length, stride

    @classmethod
    def of(cls, ids: Sequence[str]) -> Ids:
        """The column of some strings. Raises `TypeError` where one is something else.

        >>> list(Ids.of(["d1", "", "naïve"]))
        ['d1', '', 'naïve']

        Joining them is the cheapest way from Python strings to bytes, one tenth of converting each.
        """
        text = ("\n".join(ids) + "\n").encode("utf-8", "surrogatepass")
        count = len(ids)
        data = np.frombuffer(text + bytes(WORD), np.uint8)
        width = text.find(b"\n") + 1
        if text.count(b"\n") != max(count, 1):  # an id with a line break in it
            encoded = [id_.encode("utf-8", "surrogatepass") for id_ in ids]
            length = np.fromiter(map(len, encoded), np.int64, count)
            data = np.frombuffer(b"".join(encoded) + bytes(WORD), np.uint8)
            return cls(data, np.cumsum(length) - length, length)
        if len(text) == count * width and (data[width - 1 : len(text) : width] == ord("\n")).all():
            return cls(data, np.arange(count) * width, np.full(count, width - 1), width)
        end = np.flatnonzero(data[: len(text)] == ord("\n"))[:count]
        start = np.concatenate(([0], end[:-1] + 1))[:count]
        return cls(data, start, end - start)

    @classmethod
    def of_arrow(cls, array: Any) -> Ids:
        """The column of an Arrow array of strings without nulls (pyarrow; string or large_string)."""
        import pyarrow

        count = len(array)
        _, offsets, text = array.buffers()
        type_ = np.int64 if pyarrow.types.is_large_string(array.type) else np.int32
        if not count:
            return cls.of([])
        bounds = np.frombuffer(offsets, type_, count + 1, array.offset * np.dtype(type_).itemsize)
        data = np.frombuffer(text, np.uint8) if text is not None else np.empty(0, np.uint8)
        if data.size < int(bounds[-1]) + WORD:
            data = np.concatenate((data[: int(bounds[-1])], np.zeros(WORD, np.uint8)))
        length = np.diff(bounds)
        return cls(data, bounds[:-1], length, int(length[0]) if (length == length[0]).all() else 0)

    def __len__(self) -> int:
        return self.start.size

    def __getitem__(self, row: int) -> str:
        start = int(self.start[row])
        return self.data[start : start + int(self.length[row])].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def take(self, rows: Rows) -> Ids:
        """The ids of some rows."""
        return Ids(
            self.data,
            self.start[rows],
            self.length[rows],
            self.stride if isinstance(rows, slice) and rows.step is None else 0,
        )

    def word(self, place: int, rows: Rows = slice(None)) -> np.ndarray:
        """The eight bytes from `place` on of ids that reach it, as numbers, the first byte the lowest;
        zeros stand for what lies behind an id's end."""
        if self.stride and isinstance(rows, slice):
            at, left = int(self.start[0]) + place, int(self.length[0]) - place
            return (
                np.ndarray(self.start.shape, "<u8", self.data, at, (self.stride,))
                & _LOW_BYTES[min(left, WORD)]
            )
        window = np.ndarray((self.data.size - WORD + 1,), "<u8", self.data, 0, (1,))  # at every byte
        left = np.minimum(self.length[rows] - place, WORD)
        return window[self.start[rows] + place] & _LOW_BYTES[left]

    def changes(self) -> np.ndarray:
        """The rows that differ from the one before them; the first does."""
        changes = np.ones(len(self), dtype=bool)
        changes[1:] = self.length[1:] != self.length[:-1]
        for word in self._filled():
            changes[1:] |= word[1:] != word[:-1]
        return np.flatnonzero(changes)

    def descending(self, group: np.ndarray) -> np.ndarray:
        """The order of rows that descends by id within each group (ascending numbers, one a row).

        UTF-8 bytes order like the code points that they stand for.
        """
        keys = [~word.byteswap() for word in self._filled()]
        return np.lexsort((-self.length, *reversed(keys), group))

    def _filled(self) -> Iterator[np.ndarray]:
        """Each word of all ids, 0 where an id has ended before it."""
        for _, rows, word in words([self], self.length):
            filled = np.zeros(len(self), dtype=np.uint64)
            filled[rows] = word
            yield filled


def words(parts: Sequence[Ids], length: np.ndarray) -> Iterator[tuple[int, Rows, np.ndarray]]:
    """Word by word, of two columns numbered through: its place, the rows whose ids reach it, and it.

    `length` is that of all ids. Where all reach the word, the rows are one slice.
    """
    longest = int(length.max(initial=0))
    shortest = int(length.min(initial=longest))
    for place in range(0, longest, WORD):
        if place < shortest:
            yield place, slice(None), np.concatenate([part.word(place) for part in parts])
        else:
            rows = np.flatnonzero(length > place)
            own = np.split(rows, np.searchsorted(rows, [len(parts[0])]))
            word = [part.word(place, of - first) for part, of, first in zip(parts, own, (0, len(parts[0])))]
            yield place, rows, np.concatenate(word)


Column = tuple[Ids, np.ndarray]
"""Ids topic by topic, and the T + 1 bounds of the topics' slices."""

BLOCK = 1 << 16
"""How many rows are brought together at once: what a processor's cache holds."""


def equal_pairs(first: Column, second: Column) -> tuple[np.ndarray, np.ndarray]:
    """The rows of two columns that are the same id in the same topic, as pairs: the lower, the higher.

    Rows are numbered through, those of `second` after all of `first`. An id that stands in n rows of
    a topic gives n − 1 pairs, each row with the next.

    >>> one_topic = np.array([0, 2])
    >>> equal_pairs((Ids.of(["a", "b"]), one_topic), (Ids.of(["b", "c"]), one_topic))
    (array([1]), array([2]))
    """
    sizes = np.diff(first[1]) + np.diff(second[1])
    block = (np.cumsum(sizes) - sizes) // BLOCK
    bounds = np.flatnonzero(np.diff(block, prepend=-1, append=-1)).tolist() if sizes.size else []
    found = [np.empty((2, 0), dtype=np.int64)]
    for a, b in pairwise(bounds):
        columns = [(ids, offsets[a : b + 1]) for ids, offsets in (first, second)]
        pairs = _pairs_of_block(*columns)
        own = int(first[1][b] - first[1][a])
        found.append(np.where(pairs < own, pairs + first[1][a], pairs - own + len(first[0]) + second[1][a]))
    lower, higher = np.concatenate(found, axis=1)
    return lower, higher


def _pairs_of_block(*columns: Column) -> np.ndarray:
    """`equal_pairs` of some topics that follow one another, their rows numbered from 0 (2 × pairs).

    One sort of whole numbers: the hash of topic and id in the high bits, the row in the low ones.
    """
    parts = [ids.take(slice(offsets[0], offsets[-1])) for ids, offsets in columns]
    parts = [part for part in parts if len(part)]
    if not parts:
        return np.empty((2, 0), dtype=np.int64)
    length = np.concatenate([part.length for part in parts])
    topic = np.concatenate(
        [np.repeat(np.arange(o.size - 1, dtype=np.uint64), np.diff(o)) for _, o in columns]
    )
    text = list(words(parts, length))
    bits = np.uint64(length.size.bit_length())
    key = _hashed(topic, length, text) >> bits << bits
    key |= np.arange(length.size, dtype=np.uint64)
    key.sort()
    alike = np.flatnonzero((key[1:] ^ key[:-1]) >> bits == 0)
    pairs = np.stack((key[alike], key[alike + 1])) & ((np.uint64(1) << bits) - np.uint64(1))
    pairs = pairs.astype(np.int64)
    same = _same(pairs, topic, length, text)
    if same.all():
        return pairs
    chain = np.cumsum(np.diff(alike, prepend=-1) != 1)  # pairs of one hash follow one another
    doubtful = np.isin(chain, chain[~same])
    rows = np.unique(pairs[:, doubtful]).tolist()
    return np.concatenate((pairs[:, ~doubtful], _pairs_of_rows(parts, topic, rows)), axis=1)


Text = list[tuple[int, Rows, np.ndarray]]


def _hashed(topic: np.ndarray, length: np.ndarray, text: Text) -> np.ndarray:
    """A number of each id in its topic: equal for equal ones, spread widely in the high bits."""
    hashed = topic << _HALF ^ length.astype(np.uint64)
    for _, rows, word in text:
        mixed = (hashed[rows] ^ word) * _FACTOR
        hashed[rows] = mixed ^ mixed >> _HALF
    return hashed * _FACTOR


def _same(pairs: np.ndarray, topic: np.ndarray, length: np.ndarray, text: Text) -> np.ndarray:
    """Whether the two rows of each pair are the same id in the same topic."""
    a, b = pairs
    same = (topic[a] == topic[b]) & (length[a] == length[b])
    for place, rows, word in text:
        if isinstance(rows, slice):
            same &= word[a] == word[b]
        else:
            reach = np.flatnonzero(same & (length[a] > place))
            own, other = (word[np.searchsorted(rows, side[reach])] for side in pairs)
            same[reach] = own == other
    return same


def _pairs_of_rows(parts: Sequence[Ids], topic: np.ndarray, rows: Sequence[int]) -> np.ndarray:
    """The pairs among a few rows whose hashes agree though their ids do not, found by the ids."""
    last: dict[tuple[int, str], int] = {}
    pairs = []
    for row in rows:
        id_ = parts[0][row] if row < len(parts[0]) else parts[1][row - len(parts[0])]
        if (int(topic[row]), id_) in last:
            pairs.append((last[int(topic[row]), id_], row))
        last[int(topic[row]), id_] = row
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T
