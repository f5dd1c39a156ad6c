"""Columns of ids in every storage format: Python objects, Arrow strings, and codes of categories.

`docs_of` reads a column of documents and `stretches_of` a column of topics. An id that is not text
raises `GradedError`: a topic at once, a document at the latest when its row is converted to `Ids`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain
from typing import Any, Protocol

import numpy as np

from ...errors import GradedError, shown
from ..by_topic import bounds_of, changes
from .arrow import arrow_numbers, is_arrow
from .id_matching import (
    LONGEST_ID,
    WORD,
    CodedIds,
    HashTable,
    Ids,
    Indices,
    flaw_of,
    hashes_of,
)

SAMPLE = 1 << 10  # rows that are sampled to see whether the rows of a topic are contiguous
ROWS_OF_CATEGORY = 4  # on average, from which a column of a file stays in codes
NUMBERED_AT_ONCE = 1 << 16  # stretches, which stay in the processor cache
LONGEST_CHARACTER = 4  # bytes of a character in UTF-8
MOST_IN_TABLE = 1 << 16  # distinct ids whose numbers a table of hashes has
MOST_STRETCHES = 1 << 12  # more stretches have their ids numbered by hashes
NO_ID = (TypeError, UnicodeEncodeError)
"""The errors for an id that is not a string or breaks the rule of `flaw_of`, or has a lone
surrogate.
"""
SURROGATE = "[\ud800-\udfff]"
RawColumn = Any
"""`Ids`, a list of strings, the array of a DataFrame column, an Arrow array, chunked or not, or
`Repeated`; of topics also `Stretches`.
"""


class Repeated:
    """A column with the same text in so many rows."""

    def __init__(self, text: str, row_count: int):
        self.text = text
        self.row_count = row_count


class TopicNumbers(dict[str, int]):
    """The number of each topic, in order of appearance. A new topic gets the next number.

    >>> topics = TopicNumbers()
    >>> topics.codes(["q1", "q2", "q1"]), [*topics]
    (array([0, 1, 0]), ['q1', 'q2'])
    """

    def __missing__(self, topic: str) -> int:
        text = str.__str__(topic)  # str() of an Enum member is not its text
        if flaw_of(text):  # encodes the text
            raise TypeError
        return self.setdefault(text, len(self))

    def codes(self, topics: Collection[str]) -> np.ndarray:
        """The number of each topic. Raises an error of `NO_ID` if one is no id."""
        new_topics = [topic for topic in dict.fromkeys(topics) if topic not in self]
        if _are_plain(new_topics):
            for topic in new_topics:
                self[topic] = len(self)
        return np.fromiter(map(self.__getitem__, topics), np.int64, len(topics))


class NumbersOfIds:
    """The numbers of ids in columns that have the same few ids in any order.

    >>> numbers = NumbersOfIds()
    >>> numbers.codes(Ids.of(["q1", "q2", "q1"])), numbers.codes(Ids.of(["q3", "q2"]))
    (array([0, 1, 0]), array([2, 1]))

    `topics` has the number of each id. A table of hashes leads to the numbers of known ids, so that
    only new ids become Python strings.
    """

    def __init__(self) -> None:
        self.topics = TopicNumbers()
        self._ids = Ids.of([])
        self._table = HashTable(np.empty(0, np.uint64))

    def codes(self, ids: Ids) -> np.ndarray:
        """The number of each id. Raises an error of `NO_ID` if one is no id."""
        if ids.first_flawed() is not None:  # the words of "q" and "q\0" are equal
            raise TypeError
        hashes = hashes_of(ids)
        codes = self._table.rows_with(hashes)
        longest = max(ids.lengths.max(initial=0), self._ids.lengths.max(initial=0))
        if longest > WORD:  # different ids may have one hash
            codes[self._differ(ids, codes)] = -1
        left = np.flatnonzero(codes < 0)
        if not left.size:
            return codes
        others = ids.take(left)
        first, code = others.numbered()
        distinct = others.take(first)
        count = len(self.topics)
        numbers = self.topics.codes(list(distinct))
        codes[left] = numbers[code]
        are_new = np.flatnonzero(numbers >= count)
        if are_new.size and len(self.topics) <= MOST_IN_TABLE:
            self._ids = Ids.concatenated([self._ids, distinct.take(are_new)])
            new_hashes = hashes[left[first[are_new]]]
            self._table = HashTable(np.concatenate((self._table.hashes, new_hashes)))
        return codes

    def _differ(self, ids: Ids, codes: np.ndarray) -> np.ndarray:
        """Whether each id differs from the one with its number; those without a number do."""
        differ = np.ones(len(ids), dtype=bool)
        numbered = np.flatnonzero(codes >= 0)
        if not numbered.size:
            return differ
        equal = ids.take(numbered).equal_rows(self._ids, codes[numbered])
        differ[numbered[equal]] = False
        return differ


def _are_plain(topics: Collection[Any]) -> bool:
    """Whether a look at all topics together shows that they are ids.

    Raises `UnicodeEncodeError` for a lone surrogate.
    """
    if set(map(type, topics)) != {str}:
        return False
    text = "".join(topics)
    text.encode()
    is_short = max(map(len, topics)) <= LONGEST_ID // LONGEST_CHARACTER
    return is_short and "" not in topics and "\0" not in text


class Stretches:
    """A column of topics as S stretches of equal ids. Consecutive stretches may have the same id.

    `start` (S) has the first row of each stretch, and `code` (S) the number of its topic among the
    `topics`.
    """

    def __init__(self, start: np.ndarray, code: np.ndarray, topics: TopicNumbers):
        self.start = start
        self.code = code
        self.topics = topics

    def topic_of(self, row: int) -> str:
        """The topic of a row."""
        stretch = int(np.searchsorted(self.start, row, side="right")) - 1
        return list(self.topics)[self.code[stretch]]

    def grouped(self, count: int) -> tuple[np.ndarray | None, np.ndarray]:
        """The order that groups the `count` rows of the column by topic, and the boundaries of the
        topics.

        The order is None if the rows are grouped already.
        """
        code = self.code
        sizes = None
        if code.size < count:
            sizes = np.diff(self.start, append=count)
        offsets = bounds_of(np.bincount(code, sizes, minlength=len(self.topics)))
        if (code[1:] >= code[:-1]).all():
            return None, offsets
        if sizes is not None:
            code = np.repeat(code, sizes)
        return stable_order(code), offsets


def stable_order(codes: np.ndarray) -> np.ndarray:
    """The order that sorts numbers from 0 stably. NumPy has a radix sort for 16 bits."""
    if codes.max(initial=0) < 1 << 8:
        return np.argsort(codes.astype(np.uint8), kind="stable")
    order = np.argsort(codes.astype(np.uint16), kind="stable")
    for shift in range(16, int(codes.max()).bit_length(), 16):
        digits = (codes >> shift).astype(np.uint16)
        order = order[np.argsort(digits[order], kind="stable")]
    return order


class Documents(Protocol):
    """The document of each row of qrels or a run, in any storage format."""

    is_keyed: bool
    """Whether `look_up` finds an id without converting all ids."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int) -> str: ...

    def ids(self) -> Ids:
        """All ids. Raises `GradedError` for one that is no id."""
        ...

    def take(self, rows: Any) -> Documents:
        """The documents of these rows."""
        ...

    def slices(self, starts: np.ndarray, sizes: np.ndarray, rows: Indices) -> Documents:
        """The documents of whole topics, which begin at `starts` and have the `rows`."""
        ...

    def mappings(self) -> Sequence[Mapping[str, Any]] | None:
        """The dict of each topic that has documents; None if they are not from dicts."""
        ...

    def look_up(
        self, start: np.ndarray, ids: Iterable[str], values: np.ndarray
    ) -> np.ndarray | None:
        """The rows of ids, as `Keys.look_up`; None if they are not from dicts."""
        ...


class Cells:
    """Ids as `cells`: codes of categories, or unvalidated Python objects, expected to be str.

    Like `Keys`, they are converted block by block by the method `ids`. A block then stays in the
    processor cache, and memory use stays small. `convert` converts some cells. Codes have their
    `categories`.
    """

    is_keyed = False

    def __init__(
        self,
        cells: np.ndarray,
        convert: Callable[[np.ndarray], Ids],
        categories: Ids | None = None,
    ):
        self.cells = cells
        self.convert = convert
        self.categories = categories

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, row: int) -> str:
        return self.convert(self.cells[row : row + 1])[0]

    def ids(self) -> Ids:
        return self.convert(self.cells)

    def take(self, rows: Indices) -> Cells:
        return Cells(self.cells[rows], self.convert)

    def slices(self, starts: np.ndarray, sizes: np.ndarray, rows: Indices) -> Cells:
        return self.take(rows)

    def mappings(self) -> None:
        return None

    def look_up(self, start: np.ndarray, ids: Iterable[str], values: np.ndarray) -> None:
        return None


class Keys:
    """The unvalidated keys of several dicts, one dict after the other."""

    is_keyed = True

    def __init__(self, dicts: Sequence[Mapping[str, Any]], field: str):
        self.dicts = dicts
        self.field = field

    @cached_property
    def bounds(self) -> np.ndarray:
        """The first row of each dict, and the number of all rows."""
        return np.cumsum([0, *map(len, self.dicts)])

    def __len__(self) -> int:
        return int(self.bounds[-1])

    def __getitem__(self, row: int) -> str:
        return self.take(np.array([row]))[0]

    def ids(self) -> Ids:
        try:
            ids = Ids.of_pieces(self.dicts)
            is_flawed = ids.first_flawed() is not None
        except NO_ID:
            is_flawed = True
        if is_flawed:
            raise _id_error(chain.from_iterable(self.dicts), self.field)
        return ids

    def slices(self, starts: np.ndarray, sizes: np.ndarray, rows: Indices) -> Keys:
        """The keys of the dicts that begin at the rows `starts`; those of size 0 are left out."""
        numbers = self._numbers(starts[sizes > 0])
        return Keys([self.dicts[number] for number in numbers], self.field)

    def mappings(self) -> Sequence[Mapping[str, Any]]:
        """The dicts."""
        return self.dicts

    def _numbers(self, rows: np.ndarray) -> list[int]:
        """The numbers of the dicts that have these rows."""
        return (np.searchsorted(self.bounds, rows, side="right") - 1).tolist()

    def take(self, rows: np.ndarray) -> Ids:
        """The ids in a few rows. Finding one takes a pass over its dict."""
        numbers = self._numbers(rows)
        keys = {number: list(self.dicts[number]) for number in set(numbers)}
        places = (rows - self.bounds[numbers]).tolist()
        pairs = zip(numbers, places, strict=True)
        return _as_ids([keys[number][place] for number, place in pairs], self.field)

    def look_up(self, start: np.ndarray, ids: Iterable[str], values: np.ndarray) -> np.ndarray:
        """The row of each id in the dict that begins at row `start`; -1 if the dict lacks it.

        `start` has one entry per id, and `values` has the value of every key. The value of an id
        leads to its row; keys are compared only if several have this value. If a dict lacks an id,
        its keys could be of another type. Raises `GradedError` if the first key of the dict is not
        a string, or if the id as a number or as bytes is a key.
        """
        found_rows = np.full(start.size, -1)
        searched = zip(start.tolist(), self._numbers(start), ids, strict=True)
        for place, (first, number, id_) in enumerate(searched):
            keys = self.dicts[number]
            if id_ in keys:
                has_value = values[first : first + len(keys)] == float(keys[id_])
                rows = np.flatnonzero(has_value)
                if rows.size > 1:
                    in_order = list(keys)
                    rows = rows[[in_order[row] == id_ for row in rows.tolist()]]
                found_rows[place] = first + int(rows[0])
            elif not isinstance(next(iter(keys)), str) or _is_key_of_other_type(id_, keys):
                raise _id_error(keys, self.field)
        return found_rows


Rowwise = Ids | Cells


def docs_of(column: RawColumn, field: str) -> Rowwise:
    """The documents of a column.

    `field` names the column in error messages, as in ``run: doc_id``.
    """
    codes, values = _stored(column)
    if codes is not None:
        categories = _as_text(values, field)
        if categories.first_flawed() is not None:  # perhaps a category without rows
            _as_ids(categories.take(codes), field)
        return _of_categories(codes, categories)
    if isinstance(values, np.ndarray):
        return Cells(values, partial(_as_ids, field=field, column=values))
    return _as_ids(values, field)


def texts_of(column: RawColumn, field: str) -> Rowwise:
    """A column of any text, such as names of intents."""
    codes, values = _stored(column)
    if codes is not None:
        return _of_categories(codes, _as_text(values, field))
    if isinstance(values, np.ndarray):
        return Cells(values, partial(_as_text, field=field, column=values))
    return _as_text(values, field)


def _of_categories(codes: np.ndarray, categories: Ids) -> Cells:
    categories.first_flawed()  # looks at them once, not at every row
    if len(categories) <= len(codes):
        categories = categories.padded()
    return Cells(codes, categories.take, categories)


def begins_with_integer(column: RawColumn) -> bool:
    """Whether the first id of a column is an integer."""
    if isinstance(column, (Stretches, Repeated)) or not len(column):
        return False
    first = column[0].as_py() if is_arrow(column) else column[0]
    return _is_integer(first)


def integers_as_text(column: RawColumn) -> RawColumn:
    """A column with the digits of its integers."""
    if is_arrow(column):
        from pyarrow import types

        if types.is_integer(column.type):
            return column.cast("string")
        column = column.to_pylist()
    ids = column.tolist() if hasattr(column, "tolist") else column
    if set(map(type, ids)) == {str}:
        return ids
    return list(map(_integer_as_text, ids))


class IntegersAsText(dict[str, Any]):
    """A dict by topic whose topics were integers, which may have lost leading zeros."""


def has_integer_topics(source: Mapping[Any, Any]) -> bool:
    """Whether the first topic of a dict is an integer, or was one before it became text."""
    return isinstance(source, IntegersAsText) or begins_with_integer(list(source))


def topics_of(source: Mapping[Any, Any]) -> list[Any]:
    """The keys of a dict, integers as text. Raises `GradedError` if two become equal."""
    topics = integers_as_text(list(source))
    if len(set(topics)) < len(topics):
        raise GradedError("a topic is both a number and a text; write all topics alike")
    return topics


def _is_integer(id_: Any) -> bool:
    return isinstance(id_, (int, np.integer)) and not isinstance(id_, bool)


def _integer_as_text(id_: Any) -> Any:
    return str(id_) if _is_integer(id_) else id_


def stretches_of(column: RawColumn, field: str, has_rows: bool = True) -> Stretches:
    """A column of topics as stretches, because consecutive rows usually have the same topic.

    If the source `has_rows`, error messages may number them. The column may consist of stretches
    already.

    >>> stretches = stretches_of(["q1", "q1", "q1", "q2", "q2", "q1"], "run: query_id")
    >>> stretches.start, stretches.code, stretches.topics
    (array([0, 3, 5]), array([0, 1, 0]), {'q1': 0, 'q2': 1})
    """
    if isinstance(column, Stretches):
        return column
    codes, values = _stored(column)
    try:
        if codes is not None:
            values = _as_text(values, field)
            return _stretches_of_codes(codes, values)
        if isinstance(values, Ids):
            return _stretches_of_ids(values)
        return _stretches_of_objects(values)
    except NO_ID:  # also if pandas.NA is compared
        every = values if codes is None else values.take(codes)
        raise _id_error(every, field, has_rows) from None


def _stretches_of_codes(codes: np.ndarray, categories: Ids) -> Stretches:
    start = np.flatnonzero(changes(codes))
    stretch = codes[start]
    last_first = np.arange(start.size)[::-1]
    first_stretch = np.full(len(categories), start.size)
    first_stretch[stretch[::-1]] = last_first  # NumPy keeps the last assignment
    used = np.count_nonzero(first_stretch < start.size)
    in_order = np.argsort(first_stretch)[:used]
    topics = TopicNumbers()
    number = np.empty(len(categories), np.int64)
    number[in_order] = topics.codes(list(categories.take(in_order)))
    return Stretches(start, number[stretch], topics)


def _stretches_of_ids(ids: Ids) -> Stretches:
    topics = TopicNumbers()
    start = _starts(Ids.changes, ids, ids.take(slice(SAMPLE)))
    if start.size < len(ids):
        ids = ids.take(start)
    if start.size <= MOST_STRETCHES:
        return Stretches(start, topics.codes(list(ids)), topics)
    numbers = NumbersOfIds()
    codes = []
    for first in range(0, len(ids), NUMBERED_AT_ONCE):
        codes.append(numbers.codes(ids.take(slice(first, first + NUMBERED_AT_ONCE))))
    return Stretches(start, np.concatenate(codes), numbers.topics)


def _stretches_of_objects(values: Collection[Any]) -> Stretches:
    topics = TopicNumbers()
    if not isinstance(values, np.ndarray):
        values = np.fromiter(values, object, len(values))
    objects = np.ascontiguousarray(values)
    start = _starts(_changes_of_objects, objects, objects[:SAMPLE])
    return Stretches(start, topics.codes(objects[start].tolist()), topics)


def _stored(column: RawColumn) -> tuple[np.ndarray | None, Any]:
    """The codes of a column, None if it has none, and its values: `Ids` or Python objects.

    A column with missing values is returned as objects, so that an error can name the row.
    """
    if isinstance(column, CodedIds):
        return column.codes, column.categories
    if isinstance(column, Repeated):
        return np.zeros(column.row_count, np.int8), Ids.of([column.text])
    if hasattr(column, "categories"):
        codes = np.asarray(column.codes)
        if (codes < 0).any():
            return None, column.to_numpy(dtype=object)
        return codes, _stored(column.categories.array)[1]
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "storage", "") == "pyarrow" or hasattr(dtype, "pyarrow_dtype"):
        column = column.__arrow_array__()
    if isinstance(column, Ids):
        return None, column
    if is_arrow(column):
        return _stored_by_arrow(column)
    if hasattr(column, "to_numpy"):
        column = column.to_numpy(dtype=object)
    return None, column


def _stored_by_arrow(column: Any) -> tuple[np.ndarray | None, Any]:
    """The same of an Arrow array."""
    import pyarrow
    from pyarrow import types

    chunks = getattr(column, "chunks", [column])
    if types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in chunks):
        column = column.cast(column.type.value_type)
    if isinstance(column, pyarrow.ChunkedArray):
        # An array of type string holds at most 2 GB.
        if column.type == pyarrow.string() and column.nbytes >= 1 << 31:
            column = column.cast(pyarrow.large_string())
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if types.is_string_view(column.type):
        column = column.cast(pyarrow.large_string())
    if column.null_count:
        return None, column.to_pylist()
    if types.is_dictionary(column.type):
        codes = arrow_numbers(column.indices)
        # NumPy cannot index by unsigned integers of eight bytes, or put −1 before any unsigned
        # integer.
        if codes.dtype.kind == "u":
            codes = codes.astype(np.int64)
        return codes, _stored_by_arrow(column.dictionary)[1]
    if types.is_string(column.type) or types.is_large_string(column.type):
        return None, Ids.of_arrow(column)
    return None, column.to_pylist()


def text_of(column: RawColumn, field: str) -> Ids:
    """A column of a file as text.

    The reader of the file checks ids, because it knows their lines.
    """
    texts = texts_of(column, field)
    if isinstance(texts, Cells) and texts.categories is not None:
        are_few = ROWS_OF_CATEGORY * len(texts.categories) <= len(texts)
        if are_few:
            return CodedIds(texts.cells, texts.categories)
    return texts.ids()


def in_codes(ids: Ids) -> Ids:
    """A column of topics in codes if most rows have the topic of the row before; otherwise
    unchanged.

    >>> ids = in_codes(Ids.of(["q1", "q1", "q1", "q1", "q2", "q2", "q2", "q2"]))
    >>> list(ids.categories), ids.codes.tolist()
    (['q1', 'q2'], [0, 0, 0, 0, 1, 1, 1, 1])
    """
    sample = ids.take(slice(SAMPLE))
    if ROWS_OF_CATEGORY * sample.changes().size > len(sample):
        return ids
    start = ids.changes()
    if ROWS_OF_CATEGORY * start.size > len(ids):
        return ids
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(topic, len(numbers)) for topic in ids.take(start)]
    sizes = np.diff(start, append=len(ids))
    categories = Ids.of(list(numbers)).padded()
    categories.are_distinct = True
    return CodedIds(np.repeat(np.array(codes, np.int32), sizes), categories)


def _as_text(values: Any, field: str, column: Any = None) -> Ids:
    """Python objects, which may be a part of a whole `column`, or `Ids`, as text.

    Raises `GradedError` for anything else than text.
    """
    if isinstance(values, Ids):
        return values
    try:
        return Ids.of(values)
    except NO_ID:
        every = values if column is None else column
        raise _id_error(every, field, has_rows=True) from None


def _as_ids(values: Any, field: str, column: Any = None) -> Ids:
    """The same as ids. Also raises `GradedError` for one that `flaw_of` refuses."""
    ids = _as_text(values, field, column)
    if ids.first_flawed() is not None:
        every = ids if column is None else column
        raise _id_error(every, field, has_rows=True)
    return ids


def _is_key_of_other_type(id_: str, keys: Mapping[Any, Any]) -> bool:
    """Whether an id is a key as bytes or as a number.

    A dict with the float 7.0 as a key also contains 7.
    """
    for as_other in (str.encode, int, float):
        with suppress(ValueError):
            if as_other(id_) in keys:
                return True
    return False


def _id_error(ids: Iterable[Any], field: str, has_rows: bool = False) -> GradedError:
    """The error for the first id that is missing, not text or flawed; `has_rows` as in
    `stretches_of`.
    """
    row, bad = next((row, id_) for row, id_ in enumerate(ids) if _is_no_id(id_))
    kind, name = field.split(": ")
    is_missing = bad is None or type(bad).__name__ in ("NAType", "NaTType") or bad != bad
    if has_rows and is_missing:
        return GradedError(f"{kind}: row {row} has no {name}")
    if isinstance(bad, str):
        text = str.__str__(bad)
        if re.search(SURROGATE, text):
            problem = "has a lone surrogate, which is not a character"
        elif not text and has_rows:
            return GradedError(f"{field} in row {row} is empty")
        else:
            problem = flaw_of(text)
        return GradedError(f"{field} {shown(text)} {problem}")
    problem = f"{field} {shown(bad)} is of type {type(bad).__name__}, not a string"
    if hasattr(bad, "__index__"):
        problem += f"; convert it, in a DataFrame with frame.astype({{{name!r}: str}})"
    return GradedError(problem)


def _is_no_id(thing: Any) -> bool:
    try:
        str.encode(thing)
    except NO_ID:
        return True
    return bool(flaw_of(thing))


def _starts(changes_of: Callable[[Any], np.ndarray], ids: Any, sample: Any) -> np.ndarray:
    """The first row of each stretch of equal ids.

    If most rows of the sample begin a stretch, every row becomes a stretch: comparing all rows
    would not pay.
    """
    if changes_of(sample).size > len(sample) // 2:
        return np.arange(len(ids))
    return changes_of(ids)


def _changes_of_objects(objects: np.ndarray) -> np.ndarray:
    """The rows whose id differs from the id of the row before, including the first row.

    Rows with the same object have the same id. If most neighbours share an object, ids are compared
    only where the object changes.
    """
    if not objects.size:
        return np.empty(0, dtype=np.int64)
    other_object = changes(np.frombuffer(objects, dtype=np.intp))  # compares addresses
    if np.count_nonzero(other_object) > objects.size // 2:
        return np.flatnonzero(changes(objects))
    rows = np.flatnonzero(other_object)
    return rows[changes(objects[rows])]
