"""The sizes to which compressed buffers of Arrow files and streams unpack.

pyarrow allocates the size that stands before a compressed buffer, before it unpacks the buffer. The
metadata of a record batch tells where its buffers are. They are tables of Flatbuffers, of which
the few fields that matter are read here.

Source: https://arrow.apache.org/docs/format/Columnar.html, "Serialization and Interprocess
Communication", and the files Message.fbs and File.fbs of its specification.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pyarrow

    from .content import Peeked

MARK = b"\xff\xff\xff\xff"
MAGIC = b"ARROW1"
DICTIONARY_BATCH = 2
RECORD_BATCH = 3
"""The types of messages with buffers."""
PLACE = np.dtype([("offset", "<i8"), ("length", "<i8")])
"""The place of a buffer in the body of its message."""
BLOCK = np.dtype([("offset", "<i8"), ("metadata", "<i4"), ("", "<i4"), ("body", "<i8")])
"""The place of a message in a file."""
NOT_COMPRESSED = -1


class FlatTable(NamedTuple):
    """A table of Flatbuffers at a position of a text.

    Raises `OSError` for a position outside the text.
    """

    text: bytes
    position: int

    @classmethod
    def root(cls, text: bytes) -> FlatTable:
        """The table that a text begins with."""
        return cls(text, _number("<I", text, 0))

    def field(self, number: int) -> int | None:
        """The position of a field, None if the table lacks it."""
        fields = self.position - _number("<i", self.text, self.position)
        place = 4 + 2 * number
        if place >= _number("<H", self.text, fields):
            return None
        offset = _number("<H", self.text, fields + place)
        return self.position + offset if offset else None

    def number(self, number: int, form: str) -> int:
        """A field that is a number of this form, 0 if the table lacks it."""
        position = self.field(number)
        return 0 if position is None else _number(form, self.text, position)

    def table(self, number: int) -> FlatTable | None:
        """A field that is a table, None if the table lacks it."""
        position = self.field(number)
        if position is None:
            return None
        return FlatTable(self.text, position + _number("<I", self.text, position))

    def array(self, number: int, type_: np.dtype) -> np.ndarray:
        """A field that is a list of records, empty if the table lacks it."""
        position = self.field(number)
        if position is None:
            return np.empty(0, type_)
        start = position + _number("<I", self.text, position)
        count = _number("<I", self.text, start)
        try:
            return np.frombuffer(self.text, type_, count, start + 4)
        except ValueError:
            raise OSError("a list in the metadata is longer than the metadata") from None


def _number(form: str, text: bytes, position: int) -> int:
    try:
        (number,) = struct.unpack_from(form, text, position)
    except struct.error:
        raise OSError("the metadata points to a place outside itself") from None
    return int(number)


def compressed_buffers(metadata: bytes) -> np.ndarray:
    """The places of the compressed buffers in the body of a message; empty for any other message.

    `metadata` is the text of a message without the mark and the length before it.
    """
    message = FlatTable.root(metadata)
    batch = message.table(2)
    if message.number(1, "<B") == DICTIONARY_BATCH and batch is not None:
        batch = batch.table(1)
    elif message.number(1, "<B") != RECORD_BATCH:
        batch = None
    if batch is None or batch.table(3) is None:
        return np.empty(0, PLACE)
    buffers = batch.array(2, PLACE)
    return buffers[buffers["length"] > struct.calcsize("<q")]


def unpacked_size(metadata: bytes, size_at: Callable[[int], bytes]) -> int:
    """The bytes that the compressed buffers of a message unpack to.

    `size_at` returns the eight bytes at a place of its body.
    """
    total = 0
    for buffer in compressed_buffers(metadata).tolist():
        offset, length = buffer
        size = _number("<q", size_at(offset), 0)
        if size == NOT_COMPRESSED:
            size = length
        total += size
    return total


def unpacked_size_of_file(file: pyarrow.NativeFile) -> int:
    """The bytes that all compressed buffers of an Arrow file unpack to."""
    tail = struct.calcsize("<i") + len(MAGIC)
    end = file.size() - tail
    length = _number("<i", file.read_at(tail, max(end, 0)), 0)
    if not 0 < length <= end:
        raise OSError("its footer is longer than the file")
    footer = FlatTable.root(file.read_at(length, end - length))
    blocks = np.concatenate([footer.array(2, BLOCK), footer.array(3, BLOCK)])
    total = 0
    for offset, metadata_length, _, _ in blocks.tolist():
        text = _read_at(file, metadata_length, offset)
        start = 2 * len(MARK) if text.startswith(MARK) else len(MARK)
        body = offset + metadata_length

        def size_at(place: int, body: int = body) -> bytes:
            return _read_at(file, struct.calcsize("<q"), body + place)

        total += unpacked_size(text[start:], size_at)
    return total


def _read_at(file: pyarrow.NativeFile, length: int, offset: int) -> bytes:
    if offset < 0 or length < 0:
        raise OSError("a block of the file is at a negative place")
    return bytes(file.read_at(length, offset))


class CheckedMessages:
    """An Arrow stream as a binary stream, whose messages are checked before they are read.

    `check` is called with the bytes that the compressed buffers of each message unpack to, and
    `check_metadata` with those of its metadata.
    """

    closed = False

    def __init__(
        self,
        stream: Peeked,
        check: Callable[[int], None],
        check_metadata: Callable[[int], None],
    ):
        self._stream = stream
        self._check = check
        self._check_metadata = check_metadata
        self._pieces = self._messages()
        self._piece = BytesIO()

    def read(self, size: int) -> bytes:
        """The next bytes, fewer than `size` only at the end of the stream."""
        pieces = [self._piece.read(size)]
        left = size - len(pieces[0])
        while left:
            next_piece = next(self._pieces, b"")
            if not next_piece:
                break
            self._piece = BytesIO(next_piece)
            pieces.append(self._piece.read(left))
            left -= len(pieces[-1])
        return b"".join(pieces)

    def close(self) -> None:
        """Leave the stream open."""

    def _messages(self) -> Iterator[bytes]:
        """The pieces of each message: what stands before its metadata, the metadata and the body.

        Pieces are read when they are needed, because a stream may wait for the next message.
        """
        while True:
            prefix = self._stream.read(len(MARK))
            if prefix == MARK:
                yield prefix
                prefix = self._stream.read(len(MARK))
            yield prefix
            length = int.from_bytes(prefix, "little", signed=True)
            if length <= 0 or len(prefix) < len(MARK):
                continue  # the stream ends here, or pyarrow tells what is wrong
            self._check_metadata(length)
            metadata = self._stream.read(length)
            if len(metadata) < length:
                yield metadata
                continue
            body = self._stream.read(max(FlatTable.root(metadata).number(3, "<q"), 0))

            def size_at(place: int, body: bytes = body) -> bytes:
                return body[place : place + struct.calcsize("<q")]

            self._check(unpacked_size(metadata, size_at))
            yield metadata
            if body:
                yield body
