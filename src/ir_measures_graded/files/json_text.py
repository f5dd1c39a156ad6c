"""JSON text, parsed one value at a time, with the line of each value."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import LONGEST, FileError, shown
from .content import (
    CHARACTERS_OF_JSON,
    DIGITS_OF_JSON,
    LISTS_OF_JSON,
    MEMBERS_OF_JSON,
    OBJECTS_OF_JSON,
    VALUES_OF_JSON,
    Content,
    Work,
)
from .other_kinds import json_of_other_kind
from .search_answers import queries_in, refusal_of

MOST_NESTED = 100  # arrays and objects in each other
SHORT = 100  # members of an object that are no documents
CACHED = 1 << 16  # characters scanned at once, so that they stay in the processor cache
BEGIN = re.compile(r"[ \t\r\n]*\[?[ \t\r\n]*")
STRING = r'"[^"]*"'  # in a text without escapes
BLANK = re.compile(r"[ \t\r\n]*")
MEMBER = re.compile(r'[ \t\r\n]*([{,])[ \t\r\n]*(?=")')
COLON = re.compile(r"[ \t\r\n]*:")
DIGITS = 250
MANY_DIGITS = re.compile(rf"[0-9]{{{DIGITS}}}")
LISTS_OF_TEXT = re.compile(r'\s*\[(\s*\[\s*\]\s*,)*\s*\[\s*"')


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these members.

    Raises `ValueError` for a key that occurs twice: json keeps the last.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {shown(key)} occurs twice in an object")
    return members


def is_nested_too_deep(text: str) -> bool:
    """Whether arrays and objects nest more than `MOST_NESTED` deep in a text.

    >>> is_nested_too_deep('{"q1": {"[": 1}}'), is_nested_too_deep("[" * 101)
    (False, True)
    """
    if not _may_be_nested_too_deep(text):
        return False
    # Brackets in strings do not count. A pattern with escapes would take memory for each of them.
    without_escapes = text.replace("\\\\", "").replace('\\"', "")
    return _may_be_nested_too_deep(re.sub(STRING, "", without_escapes))


def _may_be_nested_too_deep(text: str) -> bool:
    """Whether the brackets nest too deep, including those in strings."""
    depth = 0
    for start in range(0, len(text), CACHED):
        piece = np.frombuffer(text[start : start + CACHED].encode("latin-1", "replace"), np.uint8)
        folded = piece | 0x20  # [ becomes {, and ] becomes }
        is_open = folded == ord("{")
        is_closed = folded == ord("}")
        opened = int(np.count_nonzero(is_open))
        if depth + opened > MOST_NESTED:
            brackets = folded[is_open | is_closed]
            depths = depth + np.cumsum(np.where(brackets == ord("{"), 1, -1))
            if depths.max() > MOST_NESTED:
                return True
        depth += opened - int(np.count_nonzero(is_closed))
    return False


def spend_on_json(content: Content, text: str) -> None:
    """Count the work of parsing a text against the limit of a compressed file."""
    if not content.is_limited():
        return
    content.spend(CHARACTERS_OF_JSON, len(text) // 2)
    places = range(0, len(text), DIGITS)
    content.spend(DIGITS_OF_JSON, sum(1 for place in places if MANY_DIGITS.match(text, place)))
    objects = text.count("{")
    members = text.count(":")
    content.spend(OBJECTS_OF_JSON, objects)
    content.spend(LISTS_OF_JSON, text.count("["))
    content.spend(VALUES_OF_JSON, text.count(",") + members)
    content.spend(MEMBERS_OF_JSON, max(members - SHORT * objects, 0))


DECODER = json.JSONDecoder(object_pairs_hook=unique)


def first_object(start: bytes) -> dict[str, Any] | None:
    """The first object of a text with this start, also in an array; empty for any other value, and
    None if the object does not end there.

    >>> first_object(b'[{"qid": 1}, {"qid"'), first_object(b"[1, 2"), first_object(b'{"qid": [1, 2')
    ({'qid': 1}, {}, None)
    """
    text = start.removeprefix(BOM_UTF8).decode(errors="replace")
    begin = BEGIN.match(text).end()  # type: ignore[union-attr]
    if not text.startswith("{", begin) or is_nested_too_deep(text):
        return {}
    try:
        return DECODER.raw_decode(text, begin)[0]
    except (ValueError, RecursionError):
        return None


class Text:
    """JSON text, parsed one value at a time.

    `line` is the line in which the last value begins. `is_known` tells that the kind of the text
    is known, also if it is of the other role.
    """

    def __init__(self, content: Content):
        self.name = content.name
        self._content = content
        self.line = 1
        self.is_known = False
        self._at = 0
        self._counted = 0
        self._is_kept = False
        self._kept: dict[int, tuple[Any, int]] = {}
        self._text = content.text()
        spend_on_json(content, self._text)
        if is_nested_too_deep(self._text):
            raise self.error(
                f"cannot be read as JSON: it nests more than {MOST_NESTED} deep, and qrels and "
                "runs at most 5"
            )

    def spend(self, work: Work, count: int = 1) -> None:
        """Count work on the values against the limit of a compressed file."""
        try:
            self._content.spend(work, count)
        except FileError:
            self._text = ""  # which would be parsed again, to tell its kind
            raise

    def error(self, message: str) -> FileError:
        """The error for the value that was parsed last."""
        return FileError(f"{self.name}:{self.line}: {message}")

    def sign(self) -> str:
        """The next character that is not blank; empty at the end. The line is counted up to it."""
        self._at = BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]
        self.line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._text[self._at : self._at + 1]

    def value(self) -> Any:
        """The next value."""
        self.sign()
        begin = self._at
        if begin in self._kept:
            value, self._at = self._kept.pop(begin)
            return value
        try:
            value, self._at = DECODER.raw_decode(self._text, begin)
        except (ValueError, RecursionError) as error:
            # Python limits the digits of a number, and the depth.
            self.line = getattr(error, "lineno", self.line)
            raise self.error(f"cannot be read as JSON: {getattr(error, 'msg', error)}") from None
        if self._is_kept:
            self._kept[begin] = value, self._at
        return value

    def objects(self) -> Iterator[dict[str, Any]]:
        """The objects of an array, or those that follow each other up to the end of the file."""
        is_array = self.sign() == "["
        values = self._elements() if is_array else self._values()
        for value in values:
            if not isinstance(value, dict):
                raise self.error(f"{shown(value)} is not an object with a topic and documents")
            yield value

    def _values(self) -> Iterator[Any]:
        while self.sign():
            yield self.value()

    def _elements(self) -> Iterator[Any]:
        """The values in the array that begins here.

        The first one is parsed alone, because it may tell that the file is of another kind; json
        parses all faster together.
        """
        line = self.line
        begin = self._at
        self._at += 1
        if self.sign() not in ("]", ""):
            yield self.value()
        if self.sign() == "]":
            self._at += 1
            return
        self.line = line
        self._at = begin
        self._counted = begin
        yield from self.value()[1:]

    def members(self) -> Iterator[tuple[str, Any]]:
        """The members of the object that begins here, one after the other."""
        begin = self._at
        seen: set[str] = set()
        while True:
            member = MEMBER.match(self._text, self._at)
            sign = "," if seen else "{"
            if member is None or member[1] != sign:
                break
            self._at = member.end()
            key = self.value()
            colon = COLON.match(self._text, self._at)
            if colon is None:
                seen.clear()  # json says what is wrong
                break
            if key in seen:
                raise self.error(f"the key {shown(key)} occurs twice in an object")
            seen.add(key)
            self._at = colon.end()
            yield key, self.value()
        if seen and self.sign() == "}":
            self._at += 1
        else:
            self._at = begin
            self.value()  # raises the error of json, unless the object is empty

    def begins_with_lists(self) -> bool:
        """Whether this is an array of lists, of which the first with content begins with a text.
        Nothing is consumed.

        Lists of numbers may be the rows of a table.
        """
        return LISTS_OF_TEXT.match(self._text) is not None

    def first_member(self) -> tuple[str, Any]:
        """The first member of an object, which is not consumed.

        It is kept, because it may be most of the file, which takes time to parse.
        """
        member: tuple[str, Any] = "", None
        if self.sign() == "{":
            self._is_kept = True
            member = next(self.members(), ("", {}))
            self._is_kept = False
        self._restart()
        return member

    def first_value(self) -> Any:
        """The first value of the text, which is not consumed."""
        value = self.value()
        self._restart()
        return value

    def member(self, key: str) -> Any:
        """The value of a member of an object, which is not consumed; None if there is none."""
        value = next((value for name, value in self.members() if name == key), None)
        self._restart()
        return value

    def _restart(self) -> None:
        """Go back to the beginning of the text."""
        self.line = 1
        self._at = 0
        self._counted = 0

    def other_kind(self) -> str:
        """What the text is, if it is a value of another known kind; empty otherwise."""
        if self.is_known:
            return ""
        try:
            value = json.loads(self._text)
        except (ValueError, RecursionError):
            return ""
        is_ours = isinstance(value, dict)
        if is_ours and not refusal_of(value):
            is_ours = queries_in(value) is not None
        return "" if is_ours else json_of_other_kind(value)

    def end(self) -> None:
        """Raise `FileError` unless this is the end of the text."""
        if self.sign():
            text = shown(self._text[self._at :][:LONGEST])
            raise self.error(f"not JSON: text follows the last value: {text}")
