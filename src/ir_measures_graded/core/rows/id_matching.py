"""Columns of ids as bytes, so that NumPy compares rows by arithmetic instead of comparing Python
objects.

Ids are processed in words of eight bytes. `_Rows.hashed` hashes the words of each id, and
`equal_pairs` sorts the hashes to bring equal ids together. Hash matches are verified byte by byte,
so the result is exact even if hashes collide.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np

from ..by_topic import BLOCK, bounds_of, changes, rows_of
from .arrow import bounds_of_strings

Indices = Any  # selected rows: a slice or an array of row numbers

LONGEST_ID = 1 << 12  # bytes; the time for all ids grows with the longest one
FEW_LENGTHS = 1 << 6
PIECE = 1 << 13  # Python objects read at once, so that they stay in the processor cache
LEAST_IN_TABLE = 1 << 8  # rows; a sort of fewer needs fewer calls
MOST_SORTED = 1 << 12  # hashes; a table finds equal ones among more of them faster than a sort
SLOTS_OF_ROW = 6  # of a table, at least, so most rows keep their slot
WORD = 8
MOST_COPIED = 1 << 18  # words, which stay in the processor cache
MOST_BYTES_OF_ID = 1 << 6  # of all data for each id, up to which they are decoded together
BYTES_OF_SHORT_ID = 4  # a word begins at every byte, and all of them are copied
_ALL_BITS = [2 ** (8 * count) - 1 for count in range(WORD + 1)]
_LOW_BYTES = np.array(_ALL_BITS, dtype=np.uint64)
_BITS_OF_CASE = np.uint64(0x2020202020202020)  # lower-case letters have this bit in each byte
BLANK = ord(" ")
ZERO = ord("0")
POINT = ord(".")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: spreads similar values


def flaw_of(text: str) -> str:
    """The reason why a text is no id, for a message; empty if it is one.

    The rule holds for topics and documents in every form of qrels and runs.

    >>> flaw_of("d1"), flaw_of(""), flaw_of("d" * 5000)
    ('', 'is empty', 'is longer than 4,096 bytes')
    """
    if not text:
        return "is empty"
    if "\0" in text:
        return "contains the character NUL"
    if len(text.encode()) > LONGEST_ID:
        return f"is longer than {LONGEST_ID:,} bytes"
    return ""


def repeated(number: int, count: int) -> np.ndarray:
    """So many equal whole numbers, which take the memory of one.

    >>> repeated(7, 3), repeated(7, 3).strides
    (array([7, 7, 7]), (0,))

    `np.broadcast_to` takes five times as long.
    """
    return np.ndarray((count,), np.int64, np.array([number], np.int64), strides=(0,))


class Ids:
    """N ids; id i is the UTF-8 text ``data[start[i]:start[i] + length[i]]``.

    `data` is an array of bytes; `start` and `length` have N entries. If all ids have the same
    length, `length` may be this number, `repeated`. If the ids are equally spaced, `start` is a
    range, and the same word of all ids is one strided view. If they `are_flawless`, `flaw_of`
    refuses none. If they `are_dense`, each id begins where the one before ends.
    """

    are_flawless = False
    are_dense = False

    def __init__(self, data: np.ndarray, start: np.ndarray | range, length: np.ndarray):
        self.data = data
        self.start = start
        self.length = length

    @classmethod
    def of(cls, ids: Sequence[str] | np.ndarray) -> Ids:
        """The column of these ids. Raises `TypeError` or `UnicodeEncodeError` if one is not text.

        >>> list(Ids.of(["d1", "", "naïve"]))
        ['d1', '', 'naïve']
        """
        lines = []
        for start in range(0, len(ids), PIECE):
            piece = ids[start : start + PIECE]
            if isinstance(piece, np.ndarray):
                piece = piece.tolist()
            lines.append("\n".join(piece).encode())
        column = cls.of_lines(lines, len(ids))
        if column is None:  # an id contains a line break
            return cls.of_encoded([id_.encode() for id_ in ids])
        return column

    @classmethod
    def of_pieces(cls, pieces: Sequence[Collection[str]]) -> Ids:
        """The column of the ids of several lists, or of the keys of several dicts. Raises errors as
        `of`.

        The strings are joined first and encoded together, which is several times faster than one by
        one.
        """
        lines = ["\n".join(piece).encode() for piece in pieces if piece]
        ids = cls.of_lines(lines, sum(map(len, pieces)))
        if ids is None:  # an id contains a line break
            return cls.of_encoded([id_.encode() for id_ in chain.from_iterable(pieces)])
        return ids

    @classmethod
    def of_lines(cls, lines: Sequence[bytes], count: int) -> Ids | None:
        """The column of `count` ids, which are encoded and joined by line breaks in several pieces;
        None if there are more line breaks than that.
        """
        text = b"\n".join([*lines, b""])
        data = np.frombuffer(text, np.uint8)
        is_end = data == ord("\n")
        if np.count_nonzero(is_end) > count:
            return None
        step = text.find(b"\n") + 1
        if step and data.size == count * step and is_end[step - 1 :: step].all():
            return cls(data, range(0, data.size, step), repeated(step - 1, count))
        return cls._spaced(data, np.diff(np.flatnonzero(is_end), prepend=-1) - 1, 1)

    @classmethod
    def of_encoded(cls, ids: Sequence[bytes]) -> Ids:
        """The column of ids that are encoded already."""
        data = np.frombuffer(b"".join(ids), np.uint8)
        return cls._spaced(data, np.fromiter(map(len, ids), np.int64, len(ids)), 0)

    @classmethod
    def _spaced(cls, data: np.ndarray, length: np.ndarray, gap: int) -> Ids:
        """The column of ids of these lengths, with `gap` other bytes behind each id."""
        if length.size and length[0] + gap and (length == length[0]).all():
            start = range(0, data.size, int(length[0]) + gap)
            return cls(data, start, repeated(length[0], length.size))
        return cls(data, np.cumsum(length + gap) - (length + gap), length)

    @classmethod
    def of_arrow(cls, array: Any) -> Ids:
        """The column of an Arrow array of type string or large_string without nulls."""
        count = len(array)
        if not count:
            return cls.of([])
        bounds = bounds_of_strings(array)
        first = int(bounds[0])
        end = int(bounds[-1])
        data = np.frombuffer(array.buffers()[2] or b"", np.uint8)[first:end]
        width, remainder = divmod(end - first, count)
        pieces = (bounds[start : start + BLOCK + 1] for start in range(0, count, BLOCK))
        may_have_one_length = width > 0 and remainder == 0
        if may_have_one_length and all((ends[1:] - ends[:-1] == width).all() for ends in pieces):
            return cls(data, range(0, end - first, width), repeated(width, count))
        start = bounds[:-1] - first if first else bounds[:-1]
        ids = cls(data, start, np.diff(bounds))
        ids.are_dense = True
        return ids

    @classmethod
    def concatenated(cls, parts: Sequence[Ids]) -> Ids:
        """The ids of several columns, one column after the other.

        >>> list(Ids.concatenated([Ids.of(["a", "bc"]), Ids.of(["d"])]))
        ['a', 'bc', 'd']
        """
        parts = [ids for ids in parts if len(ids)]
        coded = [ids for ids in parts if isinstance(ids, CodedIds)]
        if coded and len(coded) == len(parts):
            return CodedIds.joined(coded)
        joined = cls._concatenated([ids.compact() for ids in parts])
        joined.are_flawless = all(ids.are_flawless for ids in parts)
        return joined

    @classmethod
    def _concatenated(cls, columns: Sequence[Ids]) -> Ids:
        if not columns:
            return cls.of([])
        data = np.concatenate([ids.data for ids in columns])
        step = columns[0].step
        if step and all(ids.step == step for ids in columns):
            return cls._joined(data, columns, [ids.length for ids in columns])
        start = np.empty(sum(map(len, columns)), np.int64)
        row = 0
        shift = 0
        for ids in columns:
            next_row = row + len(ids)
            start[row:next_row] = ids.starts
            start[row:next_row] += shift
            row = next_row
            shift += ids.data.size
        return cls(data, start, np.concatenate([ids.length for ids in columns]))

    @classmethod
    def of_slices(cls, columns: Sequence[Ids], slices: Sequence[slice]) -> Ids:
        """The ids of a slice of each of several columns, one slice after the other.

        >>> columns = [Ids.of(["a", "b"]), Ids.of(["c", "d"])]
        >>> list(Ids.of_slices(columns, [slice(0, 1), slice(1, 2)]))
        ['a', 'd']

        Equally spaced ids are joined as bytes, because there may be many slices of a few ids.
        """
        step = columns[0].step
        if not step or any(ids.step != step for ids in columns):
            pairs = zip(columns, slices, strict=True)
            return cls.concatenated([ids.take(rows) for ids, rows in pairs])
        pieces = []
        lengths = []
        for ids, rows in zip(columns, slices, strict=True):
            pieces.append(ids.data[rows.start * step : rows.stop * step])
            lengths.append(ids.length[rows])
        joined = cls._joined(np.concatenate(pieces), columns, lengths)
        joined.are_flawless = all(ids.are_flawless for ids in columns)
        return joined

    @classmethod
    def _joined(
        cls, data: np.ndarray, columns: Sequence[Ids], lengths: Sequence[np.ndarray]
    ) -> Ids:
        """The ids in `data`, which are as far apart as those of the columns that they are from.

        `lengths` has those of the ids from each column.
        """
        places = range(0, data.size, columns[0].step)
        one_length = columns[0].length[0]
        if all(ids.of_one_length and ids.length[0] == one_length for ids in columns):
            return cls(data, places, repeated(one_length, len(places)))
        return cls(data, places, np.concatenate(lengths))

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> str:
        start = int(self.start[row])
        return self.data[start : start + int(self.length[row])].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        text = self.data.data
        bounds = zip(self.starts.tolist(), self.length.tolist(), strict=True)
        ascii_text = ""
        if self.data.size <= MOST_BYTES_OF_ID * len(self):
            with suppress(UnicodeDecodeError):
                ascii_text = str(text, "ascii")
        if ascii_text:  # whose slices take a fourth of the time
            for start, length in bounds:
                yield ascii_text[start : start + length]
            return
        for start, length in bounds:
            yield str(text[start : start + length], "utf-8")

    @property
    def starts(self) -> np.ndarray:
        """`start` as an array. NumPy converts a range one number after the other."""
        start = self.start
        if isinstance(start, range):
            return np.arange(start.start, start.stop, start.step)
        return start

    @property
    def of_one_length(self) -> bool:
        """Whether `length` is one number, `repeated`."""
        return self.length.strides == (0,)

    @property
    def lengths(self) -> np.ndarray:
        """All lengths that occur: `length`, or one entry if all ids have one length."""
        return self.length[:1] if self.of_one_length else self.length

    @property
    def step(self) -> int:
        """The distance between the ids if they are equally spaced and fill `data`; 0 otherwise."""
        start = self.start
        size = self.data.size
        if not isinstance(start, range) or start != range(0, size, start.step):
            return 0
        is_full = size % start.step == 0
        return start.step if is_full else 0

    @cached_property
    def are_distinct(self) -> bool:
        """Whether no two ids are equal."""
        return first_rows((self, np.array([0, len(self)]))) is None

    is_keyed = False

    def ids(self) -> Ids:
        """The ids, for callers that take any `Documents`."""
        return self

    def slices(self, starts: np.ndarray, sizes: np.ndarray, rows: Indices) -> Ids:
        """The ids of the `rows`, for callers that take any `Documents`."""
        return self.take(rows)

    def mappings(self) -> None:
        """None, because the ids are not from dicts."""
        return None

    def look_up(self, start: np.ndarray, ids: Iterable[str], values: np.ndarray) -> None:
        """None, because the ids are not from dicts."""
        return None

    def take(self, rows: Indices) -> Ids:
        """The ids of these rows."""
        ids = self._taken(rows)
        ids.are_flawless = self.are_flawless
        return ids

    def _taken(self, rows: Indices) -> Ids:
        if isinstance(rows, slice):
            first, end, stride = rows.indices(len(self))
            step = self.step
            if step and stride == 1 and first <= end:
                # The ids still fill their data, so parts of a file are joined without indices.
                # Seven million lines take 8 % less time.
                data = self.data[first * step : end * step]
                return Ids(data, range(0, data.size, step), self.length[rows])
            return Ids(self.data, self.start[rows], self.length[rows])
        if self.of_one_length:
            length = repeated(self.length[:1].sum(), rows.size)
        else:
            length = self.length[rows]
        step = self.step
        if not step or step % WORD:
            return Ids(self.data, self._starts(rows), length)
        # The words of each padded id are a row.
        words = self.data.view("<u8").reshape(-1, step // WORD)
        taken = words.take(rows, axis=0).reshape(-1)  # several times faster than words[rows]
        return Ids(taken.view(np.uint8), range(0, taken.nbytes, step), length)

    def packed(self) -> Ids:
        """The same ids, one after the other without other bytes between them."""
        text = np.ascontiguousarray(self.data[rows_of(self.starts, self.length)])
        return Ids(text, bounds_of(self.length)[:-1], self.length)

    def compact(self) -> Ids:
        """The same ids, packed if most of `data`, which may be that of a whole file, has other
        text.
        """
        is_full = self.step or self.data.size <= 2 * (int(self.length.sum()) + len(self))
        return self if is_full else self.packed()

    def loosened(self) -> Ids:
        """The same ids without blanks around them, ``.0`` at the end and leading zeros.

        >>> list(Ids.of([" d1 ", "0012", "12.0", "0"]).loosened())
        ['d1', '12', '12', '0']
        """
        start = self.starts.astype(np.int64)
        length = self.length.astype(np.int64)
        is_longer = self.length > 1
        if is_longer.all():
            rows = np.arange(start.size)
        else:
            rows = np.flatnonzero(is_longer)
        at_end = rows[self.data[start[rows] + length[rows] - 1] == BLANK]
        while at_end.size:
            length[at_end] -= 1
            at_end = at_end[length[at_end] > 1]
            at_end = at_end[self.data[start[at_end] + length[at_end] - 1] == BLANK]
        for sign in (BLANK, ZERO):
            at_start = rows[self.data[start[rows]] == sign]
            at_start = at_start[length[at_start] > 1]
            while at_start.size:
                start[at_start] += 1
                length[at_start] -= 1
                at_start = at_start[length[at_start] > 1]
                at_start = at_start[self.data[start[at_start]] == sign]
        longer = rows[length[rows] > 2]
        end = start[longer] + length[longer]
        has_zero = (self.data[end - 1] == ZERO) & (self.data[end - 2] == POINT)
        length[longer[has_zero]] -= 2
        return Ids(self.data, start, length)

    def first_flawed(self) -> int | None:
        """The first row whose text `flaw_of` refuses, None if there is none.

        >>> Ids.of(["d1", "d2", ""]).first_flawed()
        2
        """
        if self.are_flawless:
            return None
        are_filled = self.lengths.min(initial=1) > 0
        are_short = self.lengths.max(initial=0) <= LONGEST_ID
        if are_filled and are_short and self.data.min(initial=1) > 0:
            row = None
        else:
            row = next((row for row, text in enumerate(self) if flaw_of(text)), None)
        self.are_flawless = row is None
        return row

    def changes(self) -> np.ndarray:
        """The rows whose id differs from the id of the row before, including the first row.

        Ids of one length are compared fastest, and the topics of consecutive rows mostly have one.
        """
        differs = np.ones(len(self), dtype=bool)
        differs[1:] = self.length[1:] != self.length[:-1]
        starts = np.flatnonzero(differs).tolist()
        if 1 < len(starts) <= FEW_LENGTHS:
            rows = []
            for start, end in pairwise([*starts, len(self)]):
                ids = self._of_length(slice(start, end))
                rows.append(ids.changes() + start)
            return np.concatenate(rows)
        if len(starts) == 1 and self._is_contiguous():
            return self._changed_bytes()
        for word in self._filled():
            differs[1:] |= word[1:] != word[:-1]
        return np.flatnonzero(differs)

    def _is_contiguous(self) -> bool:
        """Whether each id begins where the one before ends. All ids have one length."""
        if self.are_dense:
            return True
        length = int(self.length[0])
        if isinstance(self.start, range):
            return self.start.step == length
        return length > 0 and bool((self.start[1:] - self.start[:-1] == length).all())

    def _changed_bytes(self) -> np.ndarray:
        """The `changes` of contiguous ids of one length, where a byte differs from the one an id
        before.
        """
        length = int(self.length[0])
        first = int(self.start[0])
        data = self.data[first : first + length * len(self)]
        changed = np.flatnonzero(data[length:] != data[:-length]) // length + 1
        is_first_byte = np.ones(changed.size, dtype=bool)
        is_first_byte[1:] = changed[1:] != changed[:-1]
        return np.concatenate(([0], changed[is_first_byte]))

    def _of_length(self, rows: slice) -> Ids:
        """The ids of these rows, which have one length."""
        length = self.length[rows]
        ids = Ids(self.data, self.start[rows], repeated(length[0], length.size))
        ids.are_dense = self.are_dense
        return ids

    def may_have_length(self, lengths: Iterable[int]) -> bool:
        """Whether one of these is between the extremes of the lengths of the ids."""
        shortest = int(self.lengths.min(initial=LONGEST_ID))
        longest = int(self.lengths.max(initial=0))
        return any(shortest <= length <= longest for length in lengths)

    def equal_rows(self, other: Ids, row: np.ndarray) -> np.ndarray:
        """The rows whose id equals that of the other column in `row` (N).

        >>> Ids.of(["a", "b", "ab"]).equal_rows(Ids.of(["b", "ab"]), np.array([0, 0, 1]))
        array([1, 2])
        """
        same = self.length == other.length[row]
        are_many = np.count_nonzero(same) > same.size // 2
        if are_many and self.length.all() and other.length.all():
            same &= self.word(0) == other.word(0)[row]  # without an index of all rows
        rows = np.flatnonzero(same)
        for place in range(0, int(other.length.max(initial=0)), WORD):
            reach = np.flatnonzero(self.length[rows] > place)
            reaching = rows[reach]
            same = np.ones(rows.size, dtype=bool)
            same[reach] = self.word(place, reaching) == other.word(place, row[reaching])
            rows = rows[same]
        return rows

    def numbered(self) -> tuple[np.ndarray, np.ndarray]:
        """The first row of each distinct id, in order of appearance, and the number of the id of
        each row.

        >>> Ids.of(["b", "a", "b"]).numbered()
        (array([0, 1]), array([0, 1, 0]))
        """
        rows = _Rows([(self, np.array([0, len(self)]))])
        first = rows.first_rows(rows.hashed())
        is_first = first == np.arange(first.size)
        return np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[first]

    def padded(self) -> Ids:
        """The same ids, padded with zeros to the number of words of the longest id.

        `take` copies padded ids as rows of whole words. Without padding, evaluating a DataFrame of
        categories takes 36 % more time for 250 topics with 1,000 documents each, and 12 % more for
        1,500. The ids stay as they are if padding would take more than four times their memory.
        """
        longest = int(self.length.max(initial=0))
        words = -(-longest // WORD)
        width = words * WORD
        if not width or width * len(self) > 4 * self.data.size:
            return self
        columns = list(self._filled())
        data = columns[0] if words == 1 else np.stack(columns, axis=1)
        padded = Ids(data.reshape(-1).view(np.uint8), range(0, data.nbytes, width), self.length)
        padded.are_flawless = self.are_flawless
        return padded

    def _starts(self, rows: Indices) -> Any:
        if isinstance(self.start, range) and not isinstance(rows, slice):
            rows = rows.astype(np.int64)  # codes of one byte would overflow
            return self.start.start + self.start.step * rows
        return self.start[rows]

    def word(
        self, place: int, rows: Indices = slice(None), out: np.ndarray | None = None
    ) -> np.ndarray:
        """The eight bytes from `place` of each id as a little-endian number, with zeros after the
        id's end; perhaps written into `out`.

        Every id in `rows` must be longer than `place`.
        """
        start = self._starts(rows)
        if not len(start):
            return np.empty(0, dtype=np.uint64)
        length = self.length[:1] if self.of_one_length else self.length[rows]
        low_bytes = _LOW_BYTES.take(np.minimum(length - place, WORD))
        if isinstance(start, range):
            return self._spaced_words(start, place, low_bytes, out)
        low = int(start.min())
        high = int(start.max())
        data = self._bytes(low + place, high + place + WORD)
        every_word = np.ndarray((high - low + 1,), "<u8", data, 0, (1,))
        if every_word.size <= min(MOST_COPIED, BYTES_OF_SHORT_ID * len(start)):
            # NumPy reads aligned words several times faster.
            word = every_word.copy().take(start - low)
        else:
            word = every_word[start - low]
        return np.bitwise_and(word, low_bytes, out=out)

    def _spaced_words(
        self, start: range, place: int, low_bytes: np.ndarray, out: np.ndarray | None
    ) -> np.ndarray:
        """The words from `place` of ids that begin at `start`, of which only the `low_bytes` are
        kept.
        """
        words = np.empty(len(start), np.uint64) if out is None else out
        last_inside = self.data.size - WORD - place
        inside = len(range(start.start, min(last_inside + 1, start.stop), start.step))
        # The words of the last ids may reach beyond the data, which is not copied for them.
        for rows in (slice(0, inside), slice(inside, len(start))):
            starts = start[rows]
            if starts:
                data = self._bytes(starts[0] + place, starts[-1] + place + WORD)
                word = np.ndarray((len(starts),), "<u8", data, 0, (start.step,))
                kept = low_bytes if low_bytes.size == 1 else low_bytes[rows]
                np.bitwise_and(word, kept, out=words[rows])
        return words

    def _bytes(self, start: int, stop: int) -> np.ndarray:
        """The data from `start` to `stop`, with zeros after its end."""
        data = self.data[start:stop]
        missing = stop - start - data.size
        return np.concatenate((data, np.zeros(missing, np.uint8))) if missing > 0 else data

    def descending(self, group: np.ndarray) -> np.ndarray:
        """The order of the rows by group and, within a group, by descending id.

        `group` has one number per row, in ascending order. UTF-8 bytes sort like their code points.
        """
        keys = [~word.byteswap() for word in self._filled()]
        if not self.of_one_length:
            keys.append(-self.length)
        # The ids of a collection share prefixes. A word that never differs within a group is no
        # sort key.
        is_first = changes(group)
        starts = np.flatnonzero(is_first)
        others = np.flatnonzero(~is_first)
        keys = [key for key in keys if (key[others] != key[others - 1]).any()]
        # Most tied documents are pairs. A comparison orders each pair, and a sort larger groups.
        # Evaluating 250 topics with 1,000 documents each then takes 3 % less time.
        sizes = np.diff(np.append(starts, group.size))
        first = starts[sizes == 2]
        order = np.arange(group.size)
        is_higher = np.zeros(first.size, dtype=bool)
        for key in reversed(keys):
            first_key = key[first]
            second_key = key[first + 1]
            is_higher = (first_key > second_key) | ((first_key == second_key) & is_higher)
        swapped = first[is_higher]
        order[swapped] = swapped + 1
        order[swapped + 1] = swapped
        in_larger = np.flatnonzero(np.repeat(sizes > 2, sizes))
        if in_larger.size:
            columns = [key[in_larger] for key in reversed(keys)]
            order[in_larger] = in_larger[np.lexsort((*columns, group[in_larger]))]
        return order

    def _filled(self) -> Iterator[np.ndarray]:
        """For each place, the word of all ids there; 0 if an id ends before."""
        for place in range(0, int(self.length.max(initial=0)), WORD):
            is_longer = self.lengths > place
            if is_longer.all():
                yield self.word(place)
                continue
            rows = np.flatnonzero(is_longer)
            filled = np.zeros(len(self), dtype=np.uint64)
            filled[rows] = self.word(place, rows)
            yield filled


class CodedIds(Ids):
    """Ids as `codes` of a few `categories`, as in a column of topics. The text of each row is
    copied only if it is needed.

    >>> ids = CodedIds(np.array([1, 1, 0]), Ids.of(["q1", "q2"]))
    >>> list(ids), ids.changes(), ids.length
    (['q2', 'q2', 'q1'], array([0, 2]), array([2, 2, 2]))
    """

    def __init__(self, codes: np.ndarray, categories: Ids):
        self.codes = codes
        self.categories = categories

    def __getattr__(self, name: str) -> Any:
        if name not in ("data", "start", "length"):
            raise AttributeError(name)
        ids = self.categories.take(self.codes)
        super().__init__(ids.data, ids.start, ids.length)
        return getattr(self, name)

    @classmethod
    def joined(cls, parts: Sequence[CodedIds]) -> CodedIds:
        """The ids of several columns, one column after the other."""
        codes = []
        shift = 0
        for ids in parts:
            codes.append(ids.codes.astype(np.int32) + np.int32(shift))
            shift += len(ids.categories)
        categories = Ids.concatenated([ids.categories for ids in parts])
        return cls(np.concatenate(codes), categories.padded())

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.categories[int(self.codes[row])]

    def take(self, rows: Indices) -> CodedIds:
        return CodedIds(self.codes[rows], self.categories)

    def compact(self) -> Ids:
        return self

    def first_flawed(self) -> int | None:
        if self.categories.first_flawed() is None:
            return None
        return super().first_flawed()  # perhaps of a category without rows

    def changes(self) -> np.ndarray:
        if not self.categories.are_distinct:
            return super().changes()
        return np.flatnonzero(changes(self.codes))


IdsByTopic = tuple[Ids, np.ndarray]
"""Ids, topic after topic, and the T + 1 boundaries of the topics."""


def equal_pairs(*columns: IdsByTopic) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of rows with the same id in the same topic: the lower rows and the higher rows of
    the pairs.

    Row numbers continue from column to column. An id in n rows of a topic gives n − 1 pairs: each
    row and the next one. In a single column, the higher rows therefore are those whose id occurs in
    an earlier row.

    >>> one_topic = np.array([0, 2])
    >>> equal_pairs((Ids.of(["a", "b"]), one_topic), (Ids.of(["b", "c"]), one_topic))
    (array([1]), array([2]))

    One sort of integers finds the pairs. Their high bits hold a hash of topic and id, their low
    bits the row.
    """
    rows = _Rows(columns)
    return rows.equal_pairs(rows.hashed())


def matches(listed: IdsByTopic, judged: IdsByTopic) -> tuple[np.ndarray, np.ndarray]:
    """`equal_pairs` of two columns, the second of which has each id once in a topic.

    >>> one_topic = np.array([0, 2])
    >>> matches((Ids.of(["a", "b"]), one_topic), (Ids.of(["b", "c"]), one_topic))
    (array([1]), array([2]))

    A hash table takes about half the time of the sort in `equal_pairs` (8 instead of 16 ms
    for 250 topics with 1,000 listed and 1,250 judged documents each), and about the same time where
    NumPy sorts with AVX-512. The table holds `listed`, so it also shows whether an id is repeated
    there; the sort then finds all pairs.
    """
    rows = _Rows((listed, judged))
    hashes = rows.hashed()
    count = len(listed[0])
    pairs = None
    if count >= LEAST_IN_TABLE:
        pairs = _equal_hashes(hashes[:count], hashes[count:])
    if pairs is not None:
        lower, higher = pairs
        higher += count
        if rows.same_ids(lower, higher).all():
            return lower, higher
    return rows.equal_pairs(hashes)


def nearly_equal(listed: IdsByTopic, judged: IdsByTopic) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a listed and a judged row of one topic whose ids differ at most in what `loosened`
    leaves out, and in case. Other pairs may be among them, so compare the ids.

    >>> one_topic = np.array([0, 2])
    >>> listed = Ids.of(["12", "x1"])
    >>> nearly_equal((listed, one_topic), (Ids.of(["X1", "0012"]), one_topic))
    (array([1, 0]), array([0, 1]))
    """
    # The ids of a few topics may lie at both ends of the text of a file.
    columns = [(ids.packed().loosened(), offsets) for ids, offsets in (listed, judged)]
    rows = _Rows(columns, ignores_case=True)
    hashes = rows.hashed()
    count = len(listed[0])
    pairs = _equal_hashes(hashes[:count], hashes[count:])
    if pairs is not None:
        return pairs
    lower, higher = _alike(hashes)
    are_across = (lower < count) & (higher >= count)
    return lower[are_across], higher[are_across] - count


def _equal_hashes(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The pairs of places of equal hashes in `first` and in `second`.

    None if one of them may have a hash twice.
    """
    table = HashTable(first)
    if table.has_equal_hashes:
        return None
    slot = table.slot_of(second)
    candidate = table.row.take(slot).astype(np.intp)  # NumPy would convert it for each use
    is_equal = first.take(candidate) == second
    higher = np.flatnonzero(is_equal)
    lower = candidate.take(higher)
    # Some rows of `first` lost their slot to another row. They can equal other rows of `second`.
    lost = table.lost
    lost_count = lost.size
    lost_hashes = first.take(lost)
    has_contested_slot = np.zeros(first.size, dtype=bool)
    has_contested_slot[table.row.take(table.slot_of(lost_hashes))] = True
    may_equal_lost = has_contested_slot.take(candidate)
    may_equal_lost &= ~is_equal
    left = np.flatnonzero(may_equal_lost)
    holder = first.take(candidate.take(left))
    left = left[table.slot_of(holder) == slot.take(left)]  # other slots are empty
    place, other_place = _alike(np.concatenate((lost_hashes, second.take(left))))
    are_across = (place < lost_count) & (other_place >= lost_count)
    if not are_across.all():
        return None
    lost = lost[place]
    left = left[other_place - lost_count]
    if (first.take(lost) != second.take(left)).any():  # only the high bits agree
        return None
    return np.concatenate((lower, lost)), np.concatenate((higher, left))


def _alike(hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of places with the same high bits, the lower and the higher place of each pair.

    Changes `hashes`.
    """
    low = np.uint64(2 ** int(hashes.size).bit_length() - 1)
    key = hashes
    key &= ~low
    key |= np.arange(key.size, dtype=np.uint64)
    key.sort()
    alike = np.flatnonzero((key[1:] ^ key[:-1]) <= low)
    key &= low
    row = key.view(np.int64)
    return row[alike], row[alike + 1]


def _first_of_pairs(count: int, earlier: np.ndarray, later: np.ndarray) -> np.ndarray:
    """For each of `count` rows, the first one with its id, from the pairs of `equal_pairs`."""
    first = np.arange(count)
    begins = np.ones(earlier.size, dtype=bool)  # the pairs of an id follow each other
    begins[1:] = earlier[1:] != later[:-1]
    first[later] = earlier[begins][np.cumsum(begins) - 1]
    return first


class HashTable:
    """Hashes in slots. Of the rows whose hashes begin with the number of a slot, one has the slot.

    `row` has the row of each slot, 0 for an empty slot; all other rows are `lost`. The numbers are
    as short as possible, because the time of a table grows with its bytes.
    """

    def __init__(self, hashes: np.ndarray):
        count = hashes.size
        bits = max(SLOTS_OF_ROW * count, 1).bit_length()
        self.hashes = hashes
        self.shift = np.uint64(64 - bits)
        number_type: Any = np.int64
        if count <= 1 << 16:
            number_type = np.uint16
        elif count <= 1 << 31:
            number_type = np.int32
        number = np.arange(count, dtype=number_type)
        slot = self.slot_of(hashes)
        self.row: np.ndarray = np.zeros(1 << bits, number_type)
        self.row[slot] = number
        self.lost = np.flatnonzero(self.row.take(slot) != number)

    def slot_of(self, hashes: np.ndarray) -> np.ndarray:
        """The slot of each hash."""
        return (hashes >> self.shift).view(np.int64)

    def rows_with(self, hashes: np.ndarray) -> np.ndarray:
        """The row with each hash, −1 if there is none.

        >>> HashTable(np.array([5, 7], np.uint64)).rows_with(np.array([7, 6], np.uint64))
        array([ 1, -1])
        """
        if not self.hashes.size:
            return np.full(hashes.size, -1)
        rows = self.row.take(self.slot_of(hashes)).astype(np.int64)
        others = np.flatnonzero(self.hashes.take(rows) != hashes)
        rows[others] = -1
        if others.size and self.lost.size:
            wanted = hashes.take(others)
            lost_hashes = self.hashes.take(self.lost_in_order)
            place = np.searchsorted(lost_hashes[:-1], wanted)
            is_lost = lost_hashes.take(place) == wanted
            rows[others[is_lost]] = self.lost_in_order.take(place[is_lost])
        return rows

    @cached_property
    def lost_in_order(self) -> np.ndarray:
        """The lost rows in the order of their hashes."""
        return self.lost[np.argsort(self.hashes.take(self.lost))]

    @property
    def has_equal_hashes(self) -> bool:
        """Whether two rows have the same hash."""
        lost = self.hashes.take(self.lost)
        holder = self.row.take(self.slot_of(lost))
        if (lost == self.hashes.take(holder)).any():
            return True
        if MOST_SORTED <= lost.size <= self.hashes.size // 2:
            # The products differ in the high bits where hashes differ only in the low bits.
            return HashTable(lost * _FACTOR).has_equal_hashes
        lost.sort()
        return bool((lost[1:] == lost[:-1]).any())


def hashes_of(ids: Ids) -> np.ndarray:
    """A hash of each id (N), the one of `_Rows` in topic 0. Those of ids of at most `WORD` bytes
    differ.
    """
    lengths = ids.lengths
    has_one_word = lengths.max(initial=0) <= WORD and lengths.min(initial=WORD) > 0
    if has_one_word:
        return ids.word(0) * _FACTOR
    return _Rows([(ids, np.array([0, len(ids)]))]).hashed()


def first_rows(column: IdsByTopic) -> np.ndarray | None:
    """For each row, the first one with the same id in the same topic (N); None if all differ."""
    rows = _Rows([column])
    hashes = rows.hashed()
    if not HashTable(hashes).has_equal_hashes:
        return None
    first = rows.first_rows(hashes)
    return None if (first == np.arange(first.size)).all() else first


class _Rows:
    """The rows of several columns as words. Row numbers continue from column to column.

    `words` has one entry for each place of a word: the place, the rows whose ids reach it (a slice
    if all do), and the words of these rows.
    """

    def __init__(self, columns: Sequence[IdsByTopic], ignores_case: bool = False):
        self.columns = [ids for ids, _ in columns]
        self.ignored_bits = _BITS_OF_CASE if ignores_case else np.uint64(0)
        sizes = np.concatenate([np.diff(offsets) for _, offsets in columns])
        topics = np.arange(sizes.size // len(columns), dtype=np.uint64) * _FACTOR
        self.sizes = sizes
        self.topics = np.tile(topics, len(columns))
        lengths = np.concatenate([ids.lengths for ids in self.columns])
        longest = int(lengths.max(initial=0))
        shortest = int(lengths.min(initial=longest))
        self.one_length = longest == shortest
        self.words: list[tuple[int, Indices, np.ndarray]] = []
        for place in range(0, longest, WORD):
            rows = slice(None) if place < shortest else np.flatnonzero(self.length > place)
            self.words.append((place, rows, self._word(place, rows)))

    @cached_property
    def topic(self) -> np.ndarray:
        """A number of the topic of each row."""
        return np.repeat(self.topics, self.sizes)

    @cached_property
    def length(self) -> np.ndarray:
        """The length of the id of each row."""
        return np.concatenate([ids.length for ids in self.columns])

    def _word(self, place: int, rows: Indices) -> np.ndarray:
        sizes = np.array(list(map(len, self.columns)))
        first = bounds_of(sizes)
        if isinstance(rows, slice):
            word = np.empty(first[-1], np.uint64)
            for ids, start, end in zip(self.columns, first[:-1], first[1:], strict=True):
                ids.word(place, out=word[start:end])
            return word
        cuts = np.searchsorted(rows, first[1:-1])
        rows_by_column = np.split(rows, cuts)
        words = []
        for number, ids in enumerate(self.columns):
            rows_of_column = rows_by_column[number] - first[number]
            words.append(ids.word(place, rows_of_column))
        return np.concatenate(words)

    def hashed(self) -> np.ndarray:
        """A hash of each row's topic and id.

        For almost all different rows, the high bits differ.
        """
        hashed = np.repeat(self.topics, self.sizes)
        for _, rows, word in self.words:
            if self.ignored_bits:
                word = word | self.ignored_bits
            hashed[rows] += word
            hashed[rows] *= _FACTOR
        return hashed

    def equal_pairs(self, hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of equal rows, as the function `equal_pairs`, from the hashes, which change."""
        lower, higher = _alike(hashes)
        same = self.same(lower, higher)
        if same.all():
            return lower, higher
        # Different rows have one hash.
        every_id = chain.from_iterable(self.columns)
        ids = list(zip(self.topic.tolist(), every_id, strict=True))
        row = np.array(sorted(range(len(ids)), key=ids.__getitem__))
        same = self.same(row[:-1], row[1:])
        return row[:-1][same], row[1:][same]

    def first_rows(self, hashes: np.ndarray) -> np.ndarray:
        """For each row, the first one with the same id in the same topic (N); from the hashes,
        which change.

        The first row with the high bits of a hash has its slot. Seven million lines in random order
        take a third less time than with the pairs of a sort.
        """
        bits = int(hashes.size).bit_length()
        slot = (hashes >> np.uint64(64 - bits)).view(np.int64)
        number = np.arange(hashes.size)
        first_of_slot = np.empty(1 << bits, np.int64)
        first_of_slot[slot[::-1]] = number[::-1]  # NumPy keeps the last of several
        first = first_of_slot.take(slot)
        others = np.flatnonzero(hashes.take(first) != hashes)
        if others.size:
            others_hashes = hashes.take(others)
            first[others] = others[_first_of_pairs(others.size, *_alike(others_hashes.copy()))]
            if (hashes.take(first.take(others)) != others_hashes).any():
                return _first_of_pairs(hashes.size, *self.equal_pairs(hashes))
        later = np.flatnonzero(first != number)
        if self.same_ids(later, first.take(later)).all():
            return first
        return _first_of_pairs(hashes.size, *self.equal_pairs(hashes))

    def same(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Whether each row in `a` has the same topic and id as the row in `b`."""
        same = self.topic.take(a) == self.topic.take(b)
        return same & self.same_ids(a, b)

    def same_ids(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Whether each row in `a` has the same id as the row in `b`.

        Rows with the same id and the same hash have the same topic, because each step of `hashed`
        can be undone.
        """
        same = np.ones(a.size, dtype=bool)
        if not self.one_length:
            same = self.length[a] == self.length[b]
        for place, rows, word in self.words:
            if isinstance(rows, slice):
                same &= word.take(a) == word.take(b)
            else:
                reach = np.flatnonzero(same & (self.length[a] > place))
                word_of_a = word[np.searchsorted(rows, a[reach])]
                word_of_b = word[np.searchsorted(rows, b[reach])]
                same[reach] = word_of_a == word_of_b
        return same
