"""The lines of a text file, in blocks or one by one.

`Lines` makes all error messages about the content of a text file. They name the line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..core.rows.columns import QRELS
from ..core.rows.level_words import level_of
from ..errors import FileError, Remark, shown
from ..output.formats import counted
from .content import DAMAGE, Content, decoded
from .forms import BREAKS, BYTE_ORDER_MARK, ONE_ROW, Form, are_rank_and_score, has_breaks, number_of

MARKED_LINE = b"\n" + BYTE_ORDER_MARK
CACHED = 1 << 16  # characters scanned at once, so that they stay in the processor cache
COMMENTS = 1 << 18  # bytes of the comments of a file that are looked at
LETOR = rb"\s*(?P<level>\S+)\s+qid:(?P<topic>\S+)[^#]*(#\s*(doc(id|no)\s*=\s*)?(?P<doc>\S+))?"
NTCIR_LEVEL = rb"L[0-9]+"
FIELD = rb'[ ]*(?:"([^"]*(?:""[^"]*)*)("?)[ ]*)?([^,\n]*)(,|\n|\Z)'
"""A field of CSV: the quoted text, its end, other text, and the delimiter or line break after it.
"""
UNENDED = "a quoted field does not end (a quote in it is doubled)"
DECIMAL_COMMA = rb"[+-]?[0-9]*,[0-9]+"
COMMAS = "they are read if ; separates the fields and the first rows have them"
BREAK = rb"[\x0b\x0c]|\r(?!\n)|\xc2\x85|\xe2\x80[\xa8\xa9]"


class WordError(FileError):
    """A level is a word; the message does not say yet how to name its number."""


class Lines:
    """The lines of a text file, which have the form `form`.

    `number` is the number of the line read last, and `error` makes an error that names this line. A
    caller that parses a block without the method `fields` must add its lines to `number`. `remarks`
    has, by kind, a remark on the first line that may not be meant as it is read. `is_well_quoted`
    is that of the block read last.
    """

    def __init__(self, content: Content, form: Form):
        self.content = content
        self.form = form
        self.name = content.name
        self.number = 0
        self.remarks = {remark.kind: remark for remark in form.remarks}
        self.is_well_quoted = True
        self._looked_at = 0

    @cached_property
    def _letor(self) -> re.Pattern[bytes]:
        """The pattern of a line of LETOR."""
        return re.compile(LETOR)

    @cached_property
    def _field(self) -> re.Pattern[bytes]:
        """The pattern of a field."""
        return re.compile(FIELD.replace(b",", self.form.delimiter.encode() or b","))

    def error(self, message: str) -> FileError:
        return FileError(f"{self.name}:{self.number}: {message}")

    def blocks(self) -> Iterator[bytes]:
        """The file in blocks of whole lines.

        Raises `FileError` where the file cannot be read on, after the blocks before.
        """
        stream = self.content.stream
        sizes = self.content.sizes
        rest = b""
        while True:
            try:
                block = rest + stream.read(sizes.block + len(rest))
            except DAMAGE as error:
                raise self.content.failure(error, self.number + 1) from None
            if not block:
                break
            may_have_mark = BYTE_ORDER_MARK[:1] in block  # one byte is found faster
            if may_have_mark and MARKED_LINE in block and "mark" not in self.remarks:
                line = self.number + 2 + block.count(b"\n", 0, block.index(MARKED_LINE))
                text = (
                    f"line {line} begins with U+FEFF, which is a part of its first id; remove it "
                    "if it comes from a file that was appended"
                )
                self.remarks["mark"] = Remark("mark", "", text)
            whole = self._whole_rows(block, stream.ended)
            if whole:
                yield whole
            rest = block[len(whole) :]
            if len(rest) > sizes.line:
                self.number += 1
                if b"\n" in rest and not whole:
                    raise self.error(f"{UNENDED}: {_shown(rest[: sizes.piece])}")
                raise self.error(f"the line is longer than {sizes.line:,} bytes")
        self.content.refuse_shrunk()

    def _whole_rows(self, block: bytes, is_last: bool) -> bytes:
        """The rows of a block that end in it; of the last block of a file, all."""
        whole = block if is_last else block[: block.rfind(b"\n") + 1]
        if not self.form.delimiter or b'"' not in whole:
            self.is_well_quoted = True
            return whole
        quoting = quoting_of(whole, self.form.delimiter)
        self.is_well_quoted = quoting is Quoting.CLOSED
        if self.is_well_quoted or is_last:
            return whole
        # The last line break may stand in a quoted field.
        if quoting is Quoting.OPEN:
            self.is_well_quoted = True
            return whole[: end_of_last_row(whole)]
        end = 0
        for field in self._field.finditer(whole):
            if field[4] == b"\n":
                end = field.end()
        return whole[:end]

    def fields(self, block: bytes) -> Iterator[list[bytes]]:
        """The fields of each line of a block, as valid UTF-8. Blank lines are skipped.

        A quoted field may have several lines; `number` is then that of its row's first line. Raises
        `FileError` for a row with another number of fields, for a quoted field that does not end,
        and for text that is not UTF-8.
        """
        size = len(self.form.fields)
        breaks = has_breaks(block)
        if not breaks and not block.strip():
            self.number += block.count(b"\n")
            return
        rows = self._delimited(block, breaks)
        if not self.form.delimiter:
            rows = self._separated_rows(block, breaks)
        for fields, record in rows:
            if len(fields) == size or (self.form.longer and self._is_longer(fields)):
                yield fields[:size]
            elif fields:
                if not self.form.delimiter and self._is_joined(fields):
                    raise self.error(f"two rows in one line; {ONE_ROW}: {_shown(record)}")
                count = counted(len(fields), "field")
                raise self.error(f"{count}, not {size} ({self.form.lines}): {_shown(record)}")

    def _is_longer(self, fields: list[bytes]) -> bool:
        """Whether further fields follow the tag of a run's line, rather than a blank shifting the
        fields.
        """
        if len(fields) <= 6 or self._is_joined(fields):
            return False
        return are_rank_and_score(*fields[3:5]) and number_of(fields[5]) is None

    def _is_joined(self, fields: list[bytes]) -> bool:
        """Whether another row follows in the line, as if its line break were missing.

        In a run, an integer and a number then stand where its rank and score would be. In qrels,
        the next row has as many fields, of which the first may be joined with the last one before.
        """
        size = len(self.form.fields)
        if self.form.longer:
            return any(are_rank_and_score(*pair) for pair in pairwise(fields[size + 2 :]))
        return len(fields) >= 2 * size - 1 and number_of(fields[-1]) is not None

    def refuse_break(self, record: bytes) -> None:
        """Raise `FileError` if another program would break this text, a line or a field without its
        end.
        """
        sign = re.search(BREAK, record)
        if sign is not None:
            raise self.error(f"{BREAKS[sign[0]]} inside a line; {ONE_ROW}: {_shown(record)}")

    def _separated_rows(self, block: bytes, breaks: bool) -> Iterator[tuple[list[bytes], bytes]]:
        """The fields of each line of a block, which blanks separate, and the line."""
        is_ascii = block.isascii()
        least = 2 * len(self.form.fields)  # a row has as many signs and blanks
        for line in io.BytesIO(block):
            self.number += 1
            if not is_ascii:
                decoded(line, self.name, self.number)
            if len(line) < least and line.startswith(b"#") and not breaks:
                continue
            if breaks:
                self.refuse_break(line.removesuffix(b"\n").removesuffix(b"\r"))
            yield self._separated(line), line

    def _separated(self, line: bytes) -> list[bytes]:
        if line.startswith(b"#"):
            if self._may_be_row(line):
                self._look_at_comment(line.split())
            return []
        judgment = None
        if self.form.letor:
            judgment = self._letor.match(line)
        if judgment is None:
            return line.split()
        if self.form.by_line:
            if judgment["doc"] is not None:
                raise self.error(
                    f"a document after #, which the first line lacks: {_shown(judgment['doc'])}"
                )
            return [judgment["level"], judgment["topic"], b"line_%d" % self.number]
        return [judgment["level"], judgment["topic"], judgment["doc"] or b""]

    def _may_be_row(self, comment: bytes) -> bool:
        """Whether to look at a comment, which may have the fields of a row."""
        if "comment" in self.remarks or self.form.letor:
            return False
        self._looked_at += len(comment)
        return self._looked_at <= COMMENTS

    def _look_at_comment(self, fields: list[bytes]) -> None:
        """Remark on a comment with these fields, if it is the first one that has those of a row."""
        size = len(self.form.fields)
        if len(fields) < size:
            return
        if self.form.longer and not are_rank_and_score(*fields[3:5]):
            return
        is_row = len(fields) == size or self._is_longer(fields)
        value = fields[self.form.fields.index(self.form.role.value)]
        if is_row and number_of(value) is not None:
            text = (
                f"line {self.number} begins with # and is left out as a comment, as by trec_eval "
                f"10, but has the fields of a row; ir_measures reads topic {_shown(fields[0])}"
            )
            self.remarks["comment"] = Remark("comment", "", text)

    def _delimited(self, block: bytes, breaks: bool) -> Iterator[tuple[list[bytes], bytes]]:
        """The fields of each row of a block, which a delimiter separates, and the text of the row.

        Blanks beside a delimiter belong to no unquoted field.
        """
        next_line = self.number + 1
        fields: list[bytes] = []
        start = 0
        for field in self._field.finditer(block):
            if not fields:
                start = field.start()
                self.number = next_line
                if start == len(block):
                    break
            fields.append(self._cell(field, block, start, breaks))
            if field[4] not in (b"\n", b""):
                continue
            record = block[start : field.end()]
            decoded(record, self.name, self.number)
            if not record.strip():
                fields = []
            yield fields, record
            next_line += max(record.count(b"\n"), 1)
            fields = []
        self.number = next_line - 1

    def _cell(self, field: re.Match[bytes], block: bytes, start: int, breaks: bool) -> bytes:
        """The text of a field of a row that begins at `start`."""
        quoted, end, text, delimiter = field.groups()
        if quoted is not None and not end:
            self.number += block.count(b"\n", start, field.start())
            raise self.error(f"{UNENDED}: {_shown(field[0].lstrip())}")
        if delimiter != self.form.delimiter.encode():
            text = text.removesuffix(b"\r")
        if quoted is None:
            if breaks:
                self.refuse_break(text)
            return text.rstrip(b" ")
        if text:
            self.number += block.count(b"\n", start, field.start())
            raise self.error(f"text follows a quoted field: {_shown(field[0].lstrip())}")
        return quoted.replace(b'""', b'"')

    def number_in(self, text: bytes) -> float:
        """The level or score in a field."""
        role = self.form.role
        digits = text
        if role is QRELS and text.startswith(b"L") and re.fullmatch(NTCIR_LEVEL, text):
            digits = text[1:]
        number = self.form.number(digits)
        if number is None and role is QRELS:
            number = level_of(text.decode(errors="replace"))
        if number is None:
            reason = f"is not a number ({self.form.lines})"
            if re.match(rb"[^\W\d]", text) and role is QRELS:
                raise WordError(f"{self.error('')}the {role.number} {_shown(text)} {reason}")
            if re.fullmatch(DECIMAL_COMMA, text):
                reason = f"has a decimal comma; {COMMAS}"
            elif self.form.decimal == "," and number_of(text) is not None:
                reason = "has a decimal point, and other rows have decimal commas; use one of them"
            raise self.error(f"the {role.number} {_shown(text)} {reason}")
        if not role.lowest <= number <= role.highest:
            raise self.error(role.rule.format(number))
        return number


class Quoting(Enum):
    """Whether quotes of a block only enclose whole fields, and whether the last one is open."""

    CLOSED = "closed"
    OPEN = "open"
    OTHER = "other"


def ends_of_rows(block: bytes) -> np.ndarray:
    """The places behind the line breaks that end rows, after 0.

    Quotes only enclose whole fields, of which the last one may be open.

    >>> ends_of_rows(b'a,"x\\ny"\\nb,c\\n"d\\n')
    array([ 0,  8, 12])
    """
    characters = np.frombuffer(block, np.uint8)
    breaks = np.flatnonzero(characters == ord("\n"))
    quotes = np.flatnonzero(characters == ord('"'))
    is_outside = np.searchsorted(quotes, breaks) % 2 == 0
    return np.append(0, breaks[is_outside] + 1)


def end_of_last_row(block: bytes) -> int:
    """The last one of `ends_of_rows` for a block whose last quoted field is open.

    >>> end_of_last_row(b'a,"x\\ny"\\nb,c\\n"d\\n')
    12
    """
    opening = block.rfind(b'"')
    while opening >= 0:
        closing = block.rfind(b'"', 0, opening)
        line_break = block.rfind(b"\n", closing + 1, opening)
        if line_break >= 0:
            return line_break + 1
        opening = block.rfind(b'"', 0, max(closing, 0))
    return 0


def lines_of_rows(block: bytes) -> np.ndarray:
    """The line of a well quoted block, from 1, in which each row begins.

    >>> lines_of_rows(b'a,"x\\ny"\\nb,c\\n')
    array([1, 3])
    """
    starts = ends_of_rows(block)
    if starts[-1] == len(block):
        starts = starts[:-1]
    breaks = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    return np.searchsorted(breaks, starts) + 1


def quoting_of(block: bytes, delimiter: str) -> Quoting:
    """Whether quotes only enclose whole fields, and whether a field is open at the end.

    >>> quoting_of(b'"a, b",c', ","), quoting_of(b'a "b",c', ",")
    (<Quoting.CLOSED: 'closed'>, <Quoting.OTHER: 'other'>)
    >>> quoting_of(b'a,"b', ",")
    <Quoting.OPEN: 'open'>
    """
    if b'"' not in block:
        return Quoting.CLOSED
    characters = np.frombuffer(b"\n%b\n" % block, np.uint8)
    is_open = False
    for start in range(0, len(block), CACHED):
        piece = characters[start : start + CACHED + 2]
        quotes = np.flatnonzero(piece[1:-1] == ord('"')) + 1
        # An opening quote follows a border, and a closing one precedes a border.
        beside = quotes - 1
        first_closing = 0 if is_open else 1
        beside[first_closing::2] += 2
        neighbours = piece[beside]
        borders = sum(np.count_nonzero(neighbours == sign) for sign in (*b'\r\n"', ord(delimiter)))
        if borders < quotes.size:
            return Quoting.OTHER
        if quotes.size % 2:
            is_open = not is_open
    return Quoting.OPEN if is_open else Quoting.CLOSED


def _shown(text: bytes) -> str:
    """A part of a line, for an error message."""
    return shown(text.decode(errors="backslashreplace").strip())
