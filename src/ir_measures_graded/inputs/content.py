"""Opens a file and decompresses it. The first bytes of the file identify the compression."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from itertools import takewhile
from typing import TYPE_CHECKING, Any, BinaryIO, Union

import numpy as np

from ..errors import LONGEST, FileError, GradedError, shown

if TYPE_CHECKING:
    import pyarrow

File = Union[str, "os.PathLike[str]", BinaryIO]
"""A path, ``-`` (standard input) or an open binary file.

The content may be compressed with gzip, bzip2, xz or Zstandard.
"""

DAMAGE = (EOFError, zlib.error, lzma.LZMAError, OSError)
"""The errors that decompressors raise for damaged data."""


PIECE = 1 << 26  # bytes that are read at once
FIRST = 1 << 16  # bytes that decide whether a file is JSON


class Content:
    """A context manager for the decompressed content of a file.

    `stream` is a binary stream, and `start` holds its first bytes, which have not been consumed.
    `compression` is the name of the compression, empty if there is none. `damage` is the error that the
    decompressor raised for the first bytes, if any. A file that the caller opened stays open. Raises
    `FileError` if the file cannot be opened.
    """

    stream: Any
    start: bytes
    damage: Exception | None = None
    _begun = b""
    _descriptor: int
    _size: int | None = None

    def __init__(self, file: File):
        refuse_other(file)
        self.file, self.name, self.compression = file, _name_of(file), ""
        self._opened = ExitStack()

    def __enter__(self) -> Content:
        stream: Any = sys.stdin.buffer if self.file == "-" else self.file
        try:
            if isinstance(stream, (str, os.PathLike)):
                stream = self._opened.enter_context(open(stream, "rb"))
                self._descriptor = stream.fileno()
                self._size = os.fstat(self._descriptor).st_size
            self.start = _start(stream)
        except OSError as error:
            self._opened.close()
            raise FileError(f"{self.name}: cannot be read: {error.strerror or error}") from None
        self.compression = next((name for magic, name in MAGIC.items() if self.start.startswith(magic)), "")
        if self.compression:
            stream = self._opened.enter_context(DECOMPRESSED[self.compression](stream))
            try:
                self.start = _start(stream)
            except DAMAGE as error:
                self.start, self.damage = b"", error
        self.stream = stream
        return self

    def begin(self) -> bytes:
        """The first bytes of the content, which have not been consumed; empty if they are damaged."""
        try:
            self._begun = self._begun or self.stream.read(FIRST)
        except DAMAGE as error:
            self.damage = error
        return self._begun

    def read(self, size: int) -> bytes:
        """The next bytes, at least one unless the content ends.

        Raises an error of `DAMAGE` for damaged data, and for a file that cannot be read.
        """
        if self.damage:
            raise self.damage
        found, self._begun = self._begun[:size], self._begun[size:]
        return found or self.stream.read(size)

    def readline(self, size: int) -> bytes:
        """The rest of the line, but at most `size` bytes. Raises as `read`."""
        end = self._begun.find(b"\n") + 1 or len(self._begun)
        found, self._begun = self._begun[: min(end, size)], self._begun[min(end, size) :]
        return found if found.endswith(b"\n") else found + self.stream.readline(size - len(found))

    def reason(self, error: Exception) -> str:
        """The reason why the content cannot be read, for an error of `read`."""
        if isinstance(error, OSError) and (error.errno is not None or not self.compression):
            return f"cannot be read: {error.strerror or error}"
        return f"the {self.compression} file is damaged or cut off here ({error})"

    def refuse_shrunk(self) -> None:
        """Raise `FileError` if the file has become shorter since it was opened. Call this at its end."""
        if self._size is not None and os.fstat(self._descriptor).st_size < self._size:
            raise FileError(f"{self.name}: the file became shorter while it was read")

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def seekable(self) -> pyarrow.NativeFile:
        """The content with random access. A compressed file and a stream are read into memory."""
        import pyarrow

        if not self.compression and is_lasting(self.file):
            return pyarrow.OSFile(os.fspath(self.file))  # type: ignore[arg-type]
        return pyarrow.BufferReader(owned_by_arrow(self.stream.read()))


def refuse_other(file: Any) -> None:
    """Raise `GradedError` for anything that is not a `File`."""
    if isinstance(file, io.TextIOBase) or not (isinstance(file, (str, os.PathLike)) or hasattr(file, "read")):
        raise GradedError(
            f"a file is given as a path, - for standard input, or an open binary file, not as {shown(file)}"
        )


def is_lasting(file: File) -> bool:
    """Whether this is the path of a regular file, which can be read again; streams and pipes cannot."""
    return isinstance(file, (str, os.PathLike)) and file != "-" and os.path.isfile(file)


def owned_by_arrow(block: bytes) -> pyarrow.Buffer:
    """A copy of the block in memory that Arrow owns.

    Arrow's threads may release a buffer after its table is returned. If Python owned the buffer and the
    interpreter ended at that moment, the process would abort.
    """
    import pyarrow

    buffer = pyarrow.allocate_buffer(len(block), memory_pool=pyarrow.system_memory_pool())
    np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(block, np.uint8)
    return buffer


def _name_of(file: File) -> str:
    """The name of a file in error messages."""
    if isinstance(file, (str, os.PathLike)):
        name = "standard input" if file == "-" else os.fspath(file)
    else:
        name = str(getattr(file, "name", "the open file"))
    return name if len(name) <= 4 * LONGEST else f"…{name[-4 * LONGEST :]}"


def _start(stream: Any) -> bytes:
    """The first bytes of a stream, without consuming them; empty if the stream can neither peek nor seek."""
    if hasattr(stream, "peek"):
        return stream.peek(LONGEST_MAGIC)
    if hasattr(stream, "seekable") and stream.seekable():
        place = stream.tell()
        start = stream.read(LONGEST_MAGIC)
        stream.seek(place)
        return start
    return b""


class Members(io.RawIOBase):
    """The decompressed content of one compressed stream after another, as `cat` joins them.

    `new` makes a decompressor, and `padding` are bytes that may follow each compressed stream. Unlike the
    files of `bz2` and `lzma`, this refuses a damaged stream after the first one, and bytes that are none.
    """

    def __init__(self, stream: Any, new: Callable[[], Any], padding: bytes = b""):
        self._stream, self._new, self._padding = stream, new, padding
        self._member: Any = None
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data:
            more = b""
            if self._member is None:
                more = self._first_of_next()
                if not more:
                    return 0
                self._member = self._new()
            elif self._member.needs_input and not (more := self._stream.read(io.DEFAULT_BUFFER_SIZE)):
                raise EOFError("the compressed data ends too early")
            data = self._member.decompress(more, len(buffer))
            if self._member.eof:
                self._rest, self._member = self._member.unused_data, None
        buffer[: len(data)] = data
        return len(data)

    def _first_of_next(self) -> bytes:
        """The first bytes of the next compressed stream; empty at the end of the file."""
        rest = self._rest
        while not (rest := rest.lstrip(self._padding)):
            if not (rest := self._stream.read(io.DEFAULT_BUFFER_SIZE)):
                break
        return rest


class KeptOpen:
    """A stream that pyarrow reads but does not close. `ended` tells whether a read met its end."""

    closed = ended = False

    def __init__(self, stream: Any):
        self._stream = stream

    def read(self, size: int) -> bytes:
        # A damaged file may announce any size; a piece is not larger than what there is.
        pieces = (self._stream.read(min(PIECE, size - start)) for start in range(0, size, PIECE))
        found = b"".join(takewhile(bool, pieces))
        self.ended = self.ended or len(found) < size
        return found

    def close(self) -> None:
        pass

    def for_arrow(self) -> pyarrow.NativeFile:
        import pyarrow

        return pyarrow.PythonFile(self, "r")


def _decompressed_zstd(stream: Any) -> Any:
    import pyarrow

    return io.BufferedReader(pyarrow.CompressedInputStream(KeptOpen(stream).for_arrow(), "zstd"))


def _decompressed_bzip2(stream: Any) -> Any:
    return io.BufferedReader(Members(stream, bz2.BZ2Decompressor))


def _decompressed_xz(stream: Any) -> Any:
    return io.BufferedReader(Members(stream, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), b"\0"))


MAGIC = {
    b"\x1f\x8b": "gzip",
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},  # BZh alone could begin a topic
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    **{b"%c\x2a\x4d\x18" % kind: "Zstandard" for kind in range(0x50, 0x60)},  # a skippable frame
}
"""The first bytes of a compressed file, and the name of the compression."""
LONGEST_MAGIC = max(map(len, MAGIC))
DECOMPRESSED: dict[str, Callable[[Any], Any]] = {
    "gzip": gzip.open,
    "bzip2": _decompressed_bzip2,
    "xz": _decompressed_xz,
    "Zstandard": _decompressed_zstd,
}
"""A function for each compression that opens the decompressed stream of a binary stream."""
