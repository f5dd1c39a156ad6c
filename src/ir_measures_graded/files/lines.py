"""The lines of a text file, in blocks or one by one.

`Lines` makes all error messages about the content of a text file. They name the line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..core.rows.chosen import level_of
from ..core.rows.decimals import number_of
from ..core.rows.roles import QRELS
from ..errors import FileError, Remark, shown
from ..output.formats import counted
from .content import DAMAGE, Content, decoded
from .forms import (
    BREAKS,
    BYTE_ORDER_MARK,
    CACHED,
    ONE_ROW,
    Form,
    are_rank_and_score,
    has_breaks,
)

MARKED_LINE = b"\n" + BYTE_ORDER_MARK
WORD = 64  # bits of a word
SCANNED = 1 << 20  # characters of which the bits are held at once, as those of a block
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


class Block(NamedTuple):
    """Whole rows of a text file.

    `is_well_quoted` tells whether quotes only enclose whole fields. `marked` is the number of the
    first line of the block that begins with a byte order mark, 0 if there is none.
    """

    text: bytes
    is_well_quoted: bool
    marked: int = 0


class UnreadableError(Exception):
    """A file cannot be read on. `at` makes the error for the number of the next line, which the
    thread that reads the file does not know.
    """

    def __init__(self, at: Callable[[int], FileError]):
        super().__init__()
        self.at = at


class Lines:
    """The lines of a text file, which have the form `form`.

    `number` is the number of the line that is parsed last, and `error` makes an error that names
    this line. A caller that parses a block without the method `fields` must add its lines to
    `number`. `remarks` has, by kind, a remark on the first line that may not be meant as it is
    read. Another thread may iterate over `blocks`.
    """

    def __init__(self, content: Content, form: Form):
        self.content = content
        self.form = form
        self.name = content.name
        self.number = 0
        self.remarks = {remark.kind: remark for remark in form.remarks}
        self._looked_at = 0

    @cached_property
    def _letor(self) -> re.Pattern[bytes]:
        """The pattern of a line of LETOR."""
        return re.compile(LETOR)

    @cached_property
    def _field(self) -> re.Pattern[bytes]:
        """The pattern of a field."""
        return re.compile(FIELD.replace(b",", self.form.delimiter.encode() or b","))

    def error(self, message: str, number: int | None = None) -> FileError:
        """The error that names the line of this number, by default the line that is parsed last."""
        return FileError(f"{self.name}:{number or self.number}: {message}")

    def blocks(self, header: int = 0) -> Iterator[Block]:
        """The file in blocks of whole rows, after so many bytes of its header.

        Raises `UnreadableError` where the file cannot be read on, after the blocks before.
        """
        stream = self.content.stream
        sizes = self.content.sizes
        rest = b""
        # The first read ends with a piece of the stream, so that the next pieces are not copied.
        size = sizes.block - header % sizes.block
        while True:
            try:
                read = stream.read(max(size, len(rest)))
            except DAMAGE as error:
                raise UnreadableError(partial(self.content.failure, error)) from None
            if not rest and not read:
                break
            size = sizes.block
            end = len(read) if stream.ended else read.rfind(b"\n") + 1
            text = b"".join((rest, memoryview(read)[:end]))  # copies each byte once
            block = Block(b"", is_well_quoted=True)
            if end or stream.ended:
                block = self._whole_rows(text, stream.ended)
            if block.text:
                yield block._replace(marked=_marked_line(block.text))
            rest = text[len(block.text) :] + read[end:]
            if len(rest) > sizes.line:
                message = f"the line is longer than {sizes.line:,} bytes"
                if b"\n" in rest and not block.text:
                    message = f"{UNENDED}: {_shown(rest[: sizes.piece])}"
                raise UnreadableError(partial(self.error, message))
        self.content.refuse_shrunk()

    def _whole_rows(self, whole: bytes, is_last: bool) -> Block:
        """The rows of whole lines that end in them; of the last lines of a file, all."""
        if not self.form.delimiter or b'"' not in whole:
            return Block(whole, is_well_quoted=True)
        quoting = quoting_of(whole, self.form.delimiter)
        if quoting is Quoting.CLOSED or is_last:
            return Block(whole, quoting is Quoting.CLOSED)
        # The last line break may stand in a quoted field.
        if quoting is Quoting.OPEN:
            return Block(whole[: end_of_last_row(whole)], is_well_quoted=True)
        end = 0
        for field in self._field.finditer(whole):
            if field[4] == b"\n":
                end = field.end()
        return Block(whole[:end], is_well_quoted=False)

    def remark_on_mark(self, block: Block) -> None:
        """Remark on the first line of the file that begins with a byte order mark, if it is in the
        block that is parsed next.
        """
        if not block.marked or "mark" in self.remarks:
            return
        text = (
            f"line {self.number + block.marked} begins with U+FEFF, which is a part of its first "
            "id; remove it if it comes from a file that was appended"
        )
        self.remarks["mark"] = Remark("mark", "", text)

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
                from ..core.rows.level_words import WordInFileError  # This import takes time.

                message = f"{self.error('')}the {role.number} {_shown(text)} {reason}"
                raise WordInFileError.of(message, [text.decode(errors="replace")])
            if re.fullmatch(DECIMAL_COMMA, text):
                reason = f"has a decimal comma; {COMMAS}"
            elif self.form.decimal == "," and number_of(text) is not None:
                reason = "has a decimal point, and other rows have decimal commas; use one of them"
            raise self.error(f"the {role.number} {_shown(text)} {reason}")
        if not role.lowest <= number <= role.highest:
            raise self.error(role.rule.format(number))
        return number


def _marked_line(text: bytes) -> int:
    """The number of the first line that begins with a byte order mark, 0 if there is none."""
    if BYTE_ORDER_MARK[:1] not in text:  # one byte is found faster
        return 0
    if text.startswith(BYTE_ORDER_MARK):
        return 1
    place = text.find(MARKED_LINE)
    return text.count(b"\n", 0, place) + 2 if place >= 0 else 0


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
    separators = b"\n" + delimiter.encode()
    if b"\r" in block:
        separators += b"\r"
    border = b"\n" * WORD
    padding = b"\n" * (-len(block) % WORD)
    characters = np.frombuffer(b"".join((border, block, padding, border)), np.uint8)
    is_open = False
    for start in range(WORD, characters.size - WORD, SCANNED):
        piece = characters[start - WORD : start + SCANNED + WORD]  # with a word beside each end
        every_quote = _bits(piece, b'"')
        quotes = every_quote.copy()
        quotes[0] = 0
        quotes[-1] = 0
        if not quotes.any():
            continue
        borders = every_quote | _bits(piece, separators)
        inside = _odd_so_far(quotes)
        if is_open:
            inside = ~inside
        opening = quotes & inside
        closing = quotes & ~inside
        # An opening quote follows a border, and a closing one precedes a border.
        if (opening & ~_shifted(borders)).any() or (_shifted(closing) & ~borders).any():
            return Quoting.OTHER
        is_open = int(inside[-1]) >> (WORD - 1) == 1
    return Quoting.OPEN if is_open else Quoting.CLOSED


def _bits(characters: np.ndarray, signs: bytes) -> np.ndarray:
    """Whether each character is one of these signs, as bits of words, the lowest one first.

    An operation on bits is faster than one on the places of the signs. Those on the words of many
    characters are few, so that threads seldom wait for each other.

    >>> characters = np.frombuffer(b"a,b;".ljust(WORD), np.uint8)
    >>> bin(_bits(characters, b",;")[0])
    '0b1010'
    """
    pieces = []
    for start in range(0, characters.size, CACHED):
        piece = characters[start : start + CACHED]
        is_sign = piece == signs[0]
        for sign in signs[1:]:
            is_sign |= piece == sign
        pieces.append(np.packbits(is_sign, bitorder="little"))
    return np.concatenate(pieces).view("<u8")


def _shifted(bits: np.ndarray) -> np.ndarray:
    """The bits of words, each at the next place."""
    shifted = bits << 1
    shifted[1:] |= bits[:-1] >> (WORD - 1)
    return shifted


def _odd_so_far(bits: np.ndarray) -> np.ndarray:
    """Whether the number of bits that are set up to each one, with itself, is odd.

    >>> bin(_odd_so_far(np.array([0b100100], np.uint64))[0])
    '0b11100'
    """
    is_odd = bits.copy()
    for distance in (1, 2, 4, 8, 16, 32):
        is_odd ^= is_odd << distance
    words = is_odd >> (WORD - 1)
    words_before = np.bitwise_xor.accumulate(words) ^ words
    return is_odd ^ -words_before  # all bits of -1 are set


def _shown(text: bytes) -> str:
    """A part of a line, for an error message."""
    return shown(text.decode(errors="backslashreplace").strip())
