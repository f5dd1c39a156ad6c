"""The lines of a text file, in blocks or one by one.

`Lines` makes all error messages about the content of a text file. They name the line.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator

from ..errors import FileError, shown
from .content import DAMAGE, Content

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLOCK = 1 << 20  # bytes per block: larger blocks exceed the cache, smaller blocks cost more calls
PIECE = 1 << 18  # bytes per read; a smaller piece would locate damage more precisely
HEADER = (
    "; a CSV or TSV file begins with the names of its columns, such as query_id and doc_id, "
    "between commas or tabs"
)


class Lines:
    """The lines of a text file. Each line has `size` fields; `form` names them in error messages.

    `delimiter` separates fields, which may then be quoted; if it is empty, blanks separate fields. `number`
    is the number of the line read last, and `error` makes an error that names this line. A caller that parses
    a block without the method `fields` must add its lines to `number`.
    """

    def __init__(self, content: Content, form: str, size: int, delimiter: str = ""):
        self.content, self.form, self.name = content, form, content.name
        self.size, self.delimiter = size, delimiter
        self.number = 0
        self._unreadable: OSError | None = None
        self._damage: tuple[int, Exception] | None = None

    def error(self, message: str) -> FileError:
        return FileError(f"{self.name}:{self.number}: {message}")

    def blocks(self) -> Iterator[bytes]:
        """The file in blocks of whole lines, without a byte order mark.

        The blocks end where the file cannot be read; `end` then raises the reason.
        """
        try:
            yield self._block().removeprefix(BYTE_ORDER_MARK)
            while block := self._block():
                yield block
        except OSError as error:
            self._unreadable = error

    def end(self) -> None:
        """Raise `FileError` if the file could not be read to its end. Call this after the last block."""
        if self._unreadable:
            reason = self._unreadable.strerror or self._unreadable
            raise FileError(f"{self.name}: cannot be read: {reason}")
        if self._damage:
            lines, error = self._damage
            self.number += lines
            message = f"the {self.content.compression} file is damaged or cut off here ({error})"
            raise self.error(message) from None

    def fields(self, block: bytes) -> Iterator[list[bytes]]:
        """The fields of each line of a block, as valid UTF-8. Blank lines are skipped.

        Raises `FileError` for a line with another number of fields and for a line that is not UTF-8.
        """
        for line in io.BytesIO(block):
            self.number += 1
            if not line.isascii():
                self._check_text(line)
            fields = self._delimited(line) if self.delimiter else line.split()
            if len(fields) == self.size:
                yield fields
            elif fields:
                given = f"{len(fields)} field{'s' * (len(fields) != 1)}"
                like_table = self.number == 1 and not self.delimiter and any(sign in line for sign in b",;\t")
                raise self.error(
                    f"{given}, not {self.size} ({self.form}): {_shown(line)}" + HEADER * like_table
                )

    def _delimited(self, line: bytes) -> list[bytes]:
        try:
            rows = csv.reader([line.decode().rstrip("\r\n")], delimiter=self.delimiter)
            return [field.encode() for field in next(rows, [])]
        except csv.Error as error:
            raise self.error(f"{error}: {_shown(line)}") from None

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

    def _block(self) -> bytes:
        """The next block; an empty block at the end of the file."""
        if self._damage:
            return b""
        stream = self.content.stream
        pieces: list[bytes] = []
        try:
            if self.content.damage:
                raise self.content.damage
            while len(pieces) < BLOCK // PIECE and (piece := stream.read(PIECE)):
                pieces.append(piece)
            pieces.append(stream.readline())  # completes the last line
        except DAMAGE as error:
            if isinstance(error, OSError) and (error.errno is not None or not self.content.compression):
                raise  # an error of the file, not of the decompression
            self._damage = sum(piece.count(b"\n") for piece in pieces) + 1, error
            return b""
        return b"".join(pieces)


def _number(text: bytes) -> float | None:
    """A number in C syntax, which excludes Python's 1_000; None if the text is not a number."""
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None


def _shown(text: bytes) -> str:
    """A part of a line, for an error message."""
    return shown(text.decode(errors="backslashreplace").strip())
