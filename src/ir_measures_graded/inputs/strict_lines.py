"""The lines of a TREC file, in blocks or one by one.

`Lines` makes all error messages about the content of a file, with the number of the line.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any, BinaryIO, Union

from ..errors import LONGEST, FileError, shown

TrecFile = Union[str, "os.PathLike[str]", BinaryIO]
"""A path, ``-`` (standard input) or an open binary file.

The content may be compressed by gzip, bzip2, xz or Zstandard.
"""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLOCK = 1 << 20  # bytes per block: larger blocks exceed the cache, smaller blocks cost more calls
PIECE = 1 << 18  # bytes per read, which is how precisely damage is located


class Lines:
    """The lines of a file; each line has as many fields as `form` has words.

    `number` is the number of the line read last, and `error` makes an error that names this line. A caller
    that parses a block without `fields` must add its lines to `number`.
    """

    def __init__(self, file: TrecFile, form: str):
        self.file, self.form = file, form
        if isinstance(file, (str, os.PathLike)):
            name = "standard input" if file == "-" else os.fspath(file)
        else:
            name = str(getattr(file, "name", "the open file"))
        self.name = name if len(name) <= 4 * LONGEST else f"…{name[-4 * LONGEST :]}"
        self.number = 0
        self._unreadable: OSError | None = None
        self._damage: tuple[int, Exception] | None = None
        self._compression = ""

    def error(self, message: str) -> FileError:
        return FileError(f"{self.name}:{self.number}: {message}")

    def blocks(self) -> Iterator[bytes]:
        """The file in blocks of whole lines, without a byte order mark, up to the first block that cannot be
        read. `end` raises the reason."""
        try:
            with self._open() as stream:
                yield self._block(stream).removeprefix(BYTE_ORDER_MARK)
                while block := self._block(stream):
                    yield block
        except OSError as error:
            self._unreadable = error

    def end(self) -> None:
        """Raises `FileError` if the file could not be read to its end. To be called after all blocks."""
        if self._unreadable:
            reason = self._unreadable.strerror or self._unreadable
            raise FileError(f"{self.name}: cannot be read: {reason}")
        if self._damage:
            lines, error = self._damage
            self.number += lines
            raise self.error(f"the {self._compression} file is damaged or cut off here ({error})") from None

    def fields(self, block: bytes) -> Iterator[list[bytes]]:
        """The fields of each line of a block, without blank lines. The fields are valid UTF-8."""
        size = len(self.form.split())
        for line in io.BytesIO(block):
            self.number += 1
            if not line.isascii():
                self._check_text(line)
            fields = line.split()
            if len(fields) == size:
                yield fields
            elif fields:
                raise self.error(
                    f"{len(fields)} field{'s' * (len(fields) != 1)}, not {size} ({self.form}): {_shown(line)}"
                )

    def score(self, text: bytes) -> float:
        score = _number(text)
        if score is None:
            raise self.error(f"the score {_shown(text)} is not a number ({self.form})")
        if math.isnan(score):
            raise self.error("the score is NaN, which cannot be ranked; infinities are allowed")
        return score

    def level(self, text: bytes) -> float:
        level = _number(text)
        if level is None or not math.isfinite(level):
            raise self.error(f"the level {_shown(text)} is not a finite number ({self.form})")
        return level

    def _check_text(self, line: bytes) -> None:
        try:
            line.decode()
        except UnicodeDecodeError as error:
            raise self.error(
                f"not UTF-8 text (byte 0x{line[error.start]:02x} at position {error.start}); "
                "convert the file, for example with iconv"
            ) from None

    def _block(self, stream: Any) -> bytes:
        """The next block; an empty block at the end of the file."""
        if self._damage:
            return b""
        pieces: list[bytes] = []
        try:
            while len(pieces) < BLOCK // PIECE and (piece := stream.read(PIECE)):
                pieces.append(piece)
            pieces.append(stream.readline())  # completes the last line
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            if isinstance(error, OSError) and (error.errno is not None or not self._compression):
                raise  # an error of the file, not of the decompression
            self._damage = sum(piece.count(b"\n") for piece in pieces) + 1, error
            return b""
        return b"".join(pieces)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """The file as an open stream without compression. Closes only what it opened."""
        with ExitStack() as opened:
            stream: Any = sys.stdin.buffer if self.file == "-" else self.file
            if isinstance(stream, (str, os.PathLike)):
                stream = opened.enter_context(open(stream, "rb"))
            if hasattr(stream, "peek"):
                self._compression = _compression_of(stream.peek(LONGEST_MAGIC))
                if self._compression:
                    stream = opened.enter_context(DECOMPRESSED[self._compression](stream))
            yield stream


def _decompressed_zstd(stream: Any) -> Any:
    import pyarrow

    not_ours = SimpleNamespace(read=stream.read, closed=False, close=lambda: None)  # pyarrow would close it
    return io.BufferedReader(pyarrow.CompressedInputStream(pyarrow.PythonFile(not_ours, "r"), "zstd"))


MAGIC = {
    b"\x1f\x8b": "gzip",
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},  # a topic could begin with BZh
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}
"""The first bytes of a compressed file."""
LONGEST_MAGIC = max(map(len, MAGIC))
DECOMPRESSED: dict[str, Callable[[Any], Any]] = {
    "gzip": gzip.open,
    "bzip2": bz2.open,
    "xz": lzma.open,
    "Zstandard": _decompressed_zstd,
}
"""The stream of the decompressed content of an open file."""


def _compression_of(start: bytes) -> str:
    """The compression of a file with these first bytes, empty if there is none."""
    return next((name for magic, name in MAGIC.items() if start.startswith(magic)), "")


def _number(text: bytes) -> float | None:
    """A number in C syntax, which excludes Python's 1_000; None if the text is not a number."""
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None


def _shown(text: bytes) -> str:
    """A part of a file in an error message."""
    return shown(text.decode(errors="backslashreplace").strip())
