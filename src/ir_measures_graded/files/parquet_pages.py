"""The pages of a column of a Parquet file: the sizes of all, and the lengths of the strings in its
dictionary.

pyarrow shows a dictionary only after it has put each string into a table of hashes, which takes
several times as long as a look at the lengths. A page that is not as expected here is left to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow
    from pyarrow import parquet

HEADER = 256  # bytes, more than the header of a dictionary page has
HEADER_WITH_STATISTICS = 1 << 14  # bytes, which hold two ids twice
MOST_PAGES = 1 << 12  # whose headers are read, which takes a tenth of a second
CODECS = {"SNAPPY": "snappy", "ZSTD": "zstd", "GZIP": "gzip", "BROTLI": "brotli"}
LENGTH = 4  # bytes of the length before each string
DICTIONARY_PAGE = 2
PLAIN_ENCODINGS = (0, 2)

# The header is a struct of Thrift's compact protocol, whose fields have these numbers.
KIND = 1
UNPACKED_SIZE = 2
PACKED_SIZE = 3
OF_DICTIONARY = 7
COUNT = 1
ENCODING = 2

# The types of its fields
BOOLEANS = (1, 2)
INTEGERS = (5, 6)
BINARY = 8
STRUCT = 12


def longest_in_dictionary(
    source: pyarrow.NativeFile, chunk: parquet.ColumnChunkMetaData
) -> int | None:
    """The bytes of the longest string in the dictionary of a column chunk; None if pyarrow has to
    read it.
    """
    if not chunk.has_dictionary_page:
        return None
    place = chunk.dictionary_page_offset
    if not 0 < place < chunk.data_page_offset:
        return None
    from pyarrow import decompress

    try:
        header, size = _struct(source.read_at(HEADER, place), 0)
        count = header[OF_DICTIONARY][COUNT]
        is_plain = header[OF_DICTIONARY][ENCODING] in PLAIN_ENCODINGS
        if header[KIND] != DICTIONARY_PAGE or not is_plain:
            return None
        packed_size = header[PACKED_SIZE]
        unpacked_size = header[UNPACKED_SIZE]
        if not 0 <= packed_size <= chunk.total_compressed_size:
            return None
        if not 0 <= unpacked_size <= chunk.total_uncompressed_size:
            return None
        page = source.read_at(packed_size, place + size)
        if chunk.compression != "UNCOMPRESSED":
            page = decompress(page, unpacked_size, CODECS[chunk.compression])
        lengths = _lengths(np.frombuffer(page, np.uint8), count)
    except (IndexError, KeyError, TypeError, ValueError, OSError):
        return None
    return None if lengths is None else int(lengths.max())


def largest_page(source: pyarrow.NativeFile, chunk: parquet.ColumnChunkMetaData) -> int:
    """The bytes of the largest page of a column chunk, or of the chunk if its pages are not as
    expected.
    """
    whole: int = chunk.total_uncompressed_size
    place = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < place:
        place = chunk.dictionary_page_offset
    end = place + chunk.total_compressed_size
    largest = 0
    try:
        for _ in range(MOST_PAGES):
            if place == end:
                return largest
            header, size = _struct(source.read_at(HEADER_WITH_STATISTICS, place), 0)
            if header[PACKED_SIZE] < 0 or not 0 <= header[UNPACKED_SIZE] <= whole:
                break
            largest = max(largest, header[UNPACKED_SIZE])
            place += size + header[PACKED_SIZE]
    except (IndexError, KeyError, TypeError, ValueError, RecursionError, OSError):
        pass
    return whole


def _lengths(page: np.ndarray, count: int) -> np.ndarray | None:
    """The lengths of the strings in a page, each of which follows its length; None if one is empty,
    contains NUL or has 16 MB.

    >>> _lengths(np.array([2, 0, 0, 0, *b"ab", 1, 0, 0, 0, *b"c"], np.uint8), 2)
    array([2, 1], dtype=uint32)
    """
    lengths = _equal_lengths(page, count)
    if lengths is not None:
        return lengths
    # A length ends with a zero, and a string begins with another byte.
    is_zero = page == 0
    last_byte = np.flatnonzero(is_zero[:-1] & ~is_zero[1:])
    start = last_byte - (LENGTH - 1)
    if start.size != count or not count or start[0] != 0:
        return None
    every_number = np.ndarray((page.size - LENGTH + 1,), "<u4", page, 0, (1,))
    lengths = every_number[start]
    ends = start + LENGTH + lengths
    are_adjacent = (ends[:-1] == start[1:]).all() and ends[-1] == page.size
    return lengths if are_adjacent else None


def _equal_lengths(page: np.ndarray, count: int) -> np.ndarray | None:
    """The lengths of the strings in a page if all are equal, None otherwise.

    >>> _equal_lengths(np.array([2, 0, 0, 0, *b"ab", 2, 0, 0, 0, *b"cd"], np.uint8), 2)
    array([2, 2], dtype=uint32)
    >>> _equal_lengths(np.array([1, 0, 0, 0, *b"a", 3, 0, 0, 0, *b"bcd"], np.uint8), 2)
    """
    if not count or page.size % count or page.size // count <= LENGTH:
        return None
    step = page.size // count
    lengths = np.ndarray((count,), "<u4", page, 0, (step,))
    are_equal = (lengths == step - LENGTH).all()
    return lengths if are_equal else None


def _struct(data: bytes, place: int) -> tuple[dict[int, Any], int]:
    """The fields of a struct by their numbers, and the place after it. Texts are left out.

    Raises `IndexError` if the struct does not end, and `ValueError` for a field of another type.

    >>> _struct(bytes([0x15, 4, 0x15, 128, 1, 0]), 0)
    ({1: 2, 2: 64}, 6)
    """
    fields: dict[int, Any] = {}
    number = 0
    while data[place] != 0:
        step, kind = divmod(data[place], 16)
        place += 1
        number += step
        if kind in INTEGERS:
            fields[number], place = _integer(data, place)
        elif kind == BINARY:
            length, place = _unsigned(data, place)
            place += length
        elif kind == STRUCT:
            fields[number], place = _struct(data, place)
        elif kind not in BOOLEANS or not step:
            raise ValueError(kind)
    return fields, place + 1


def _integer(data: bytes, place: int) -> tuple[int, int]:
    """A number as `_unsigned`, whose lowest bit is 1 for the negative numbers −1, −2, …, and the
    place after it.

    >>> _integer(bytes([128, 1]), 0), _integer(bytes([3]), 0)
    ((64, 2), (-2, 1))
    """
    number, place = _unsigned(data, place)
    sign = number % 2
    return (number // 2) ^ -sign, place


def _unsigned(data: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and the place after it.

    Raises `ValueError` for one of more than 64 bits.
    """
    number = 0
    shift = 0
    while data[place] >= 128:
        if shift >= 63:
            raise ValueError("a number has more than 64 bits")
        number += (data[place] - 128) << shift
        shift += 7
        place += 1
    number += data[place] << shift
    return number, place + 1
