"""JSON text, parsed one value at a time, with the line of each value."""

from __future__ import annotations

import json
import re
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from json.scanner import make_scanner
from typing import Any

import numpy as np

from ..core.rows.rows import Part
from ..errors import LONGEST, FileError, shown
from .collector import waiting_collector
from .content import (
    CHARACTERS_OF_JSON,
    DIGITS_OF_JSON,
    LISTS_OF_JSON,
    MEMBERS_OF_JSON,
    OBJECTS_OF_JSON,
    TOPICS_OF_ROWS,
    VALUES_OF_JSON,
    Content,
    Work,
)
from .other_json import json_of_other_kind
from .search_answers import queries_in, refusal_of

MOST_NESTED = 100  # arrays and objects in each other
SHORT = 100  # members of an object that are no documents
CACHED = 1 << 16  # characters scanned at once, so that they stay in the processor cache
BEGIN = re.compile(r"[ \t\r\n]*\[?[ \t\r\n]*")
STRING = r'"[^"]*"'  # in a text without escapes
BLANK = re.compile(r"[ \t\r\n]*")
MEMBER = re.compile(r'[ \t\r\n]*([{,])[ \t\r\n]*(?=")')
COLON = re.compile(r"[ \t\r\n]*:")
PLAIN_MEMBER = re.compile(r'[ \t\r\n]*,[ \t\r\n]*"([^"\\\x00-\x1f]*)"[ \t\r\n]*:[ \t\r\n]*')
"""The start of a further member, whose key has no escapes."""
NEXT_MEMBER = re.compile(r'[ \t\r\n]*,[ \t\r\n]*(?=")')
LONG_MEMBER = 32  # characters for each member, from which on strings take most of the time
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
    return _may_be_nested_too_deep(re.sub(STRING, "", _without_escapes(text)))


def _without_escapes(text: str) -> str:
    """The text without escaped quotation marks, so that all others begin or end a string."""
    if "\\" not in text:
        return text
    return text.replace("\\\\", "").replace('\\"', "")


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
    content.spend(CHARACTERS_OF_JSON, sys.getsizeof(text) // 2)
    places = range(0, len(text), DIGITS)
    content.spend(DIGITS_OF_JSON, sum(1 for place in places if MANY_DIGITS.match(text, place)))
    objects = text.count("{")
    members = text.count(":")
    content.spend(OBJECTS_OF_JSON, objects)
    content.spend(LISTS_OF_JSON, text.count("["))
    content.spend(VALUES_OF_JSON, text.count(",") + members)
    content.spend(MEMBERS_OF_JSON, max(members - SHORT * objects, 0))


DECODER = json.JSONDecoder(object_pairs_hook=unique)
scanned = make_scanner(json.JSONDecoder())  # type: ignore[arg-type]
"""The value at a place of a text, and its end. The last one of equal keys is kept, which takes less
time than a `DECODER`, and `have_all_members` tells whether there are any."""
NOT_SCANNED = (ValueError, RecursionError, StopIteration)
"""The errors of `scanned`."""
NESTED = frozenset((dict, list))
BETWEEN_LINES = '"next line"'
"""A value between those of lines that are parsed together."""


def decoded_value(text: str) -> Any:
    """The value of a whole text.

    Raises `ValueError` if it is none, or if a key occurs twice in an object.
    """
    start = BLANK.match(text).end()  # type: ignore[union-attr]
    with suppress(*NOT_SCANNED):
        value, end = scanned(text, start)
        is_whole = BLANK.fullmatch(text, end) is not None
        if is_whole and have_all_members([value], text, start, end):
            return value
    return DECODER.decode(text)


def objects_in_lines(text: str) -> list[Any]:
    """The objects in the lines of a text, if each line has one; else none, also if a key occurs
    twice.

    >>> objects_in_lines('{"a": 1}\\n\\n{"a": 2}'), objects_in_lines('{"a": 1}\\n[2]')
    ([{'a': 1}, {'a': 2}], [])
    """
    lines = [line for line in text.splitlines() if line and not line.isspace()]
    array = "[" + f",{BETWEEN_LINES},".join(lines) + "]"
    if array.count(BETWEEN_LINES) != len(lines) - 1:
        return []
    with suppress(*NOT_SCANNED):
        values, end = scanned(array, 0)
        objects = values[::2]
        # Each of the values between the lines is one of the array, and none is in an object.
        are_apart = values[1::2].count("next line") == len(lines) - 1 == len(values) // 2
        are_objects = set(map(type, objects)) == {dict}
        if end == len(array) and are_apart and are_objects:
            return objects if have_all_members(objects, array, 0, end) else []
    return []


def have_all_members(values: list[Any], text: str, start: int, end: int, keys: int = 0) -> bool:
    """Whether no key occurs twice in an object of the values, which are `scanned` from this part of
    a text and with so many other `keys` are all of it.

    A colon follows each key, so that values with as many members as there are colons lack none.

    >>> text = '{"a": {"b": "c:d"}} {"a": 1, "a": 2}'
    >>> have_all_members([{"a": {"b": "c:d"}}], text, 0, 19)
    True
    >>> have_all_members([{"a": 2}], text, 20, 36)
    False
    """
    colons = text.count(":", start, end) - keys
    members = _member_count(values, colons)
    if members == colons:
        return True
    return members == _colons_outside_strings(text[start:end]) - keys


def _member_count(values: list[Any], most: int) -> int:
    """The number of members of all objects in the values. The search ends at `most`."""
    count = 0
    while values:
        objects = [value for value in values if type(value) is dict]
        count += sum(map(len, objects))
        if count == most:
            break
        lists = [value for value in values if type(value) is list]
        inner = chain(chain.from_iterable(map(dict.values, objects)), chain.from_iterable(lists))
        values = [value for value in inner if type(value) in NESTED]
    return count


def _colons_outside_strings(text: str) -> int:
    """The number of colons that follow a key.

    >>> _colons_outside_strings('{"a:": ":", "b": " :"}')
    2
    """
    count = 0
    quotes = np.uint8(0)
    text = _without_escapes(text)
    for start in range(0, len(text), CACHED):
        piece = np.frombuffer(text[start : start + CACHED].encode("latin-1", "replace"), np.uint8)
        quotes_before = quotes + np.cumsum(piece == ord('"'), dtype=np.uint8)
        quotes = quotes_before[-1]
        is_outside = (quotes_before & 1) == 0
        count += int(np.count_nonzero(is_outside & (piece == ord(":"))))
    return count


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
        value, end = scanned(text, begin)
    except NOT_SCANNED:
        return None
    return value if have_all_members([value], text, begin, end) else None


class Text:
    """JSON text, parsed one value at a time.

    `line` is the line in which the last value begins. `is_known` tells that the kind of the text
    is known, also if it is of the other role.
    """

    def __init__(self, content: Content):
        self.name = content.name
        self._content = content
        self._is_limited = content.is_limited()
        self.line = 1
        self.is_known = False
        self._at = 0
        self._counted = 0
        self._is_kept = False
        self._can_be_together = True
        self._kept: dict[int, tuple[Any, int]] = {}
        self._text = content.text()
        members = self._text.count(":") + self._text.count("{")
        self._is_dense = len(self._text) < LONG_MEMBER * members
        spend_on_json(content, self._text)
        if is_nested_too_deep(self._text):
            raise self.error(
                f"cannot be read as JSON: it nests more than {MOST_NESTED} deep, and qrels and "
                "runs at most 5"
            )

    def spend(self, work: Work, count: int = 1) -> None:
        """Count work on the values against the limit of a compressed file."""
        if not self._is_limited:
            return
        try:
            self._content.spend(work, count)
        except FileError:
            self._text = ""  # which would be parsed again, to tell its kind
            raise

    def spend_on_topics(self, rows: Part) -> None:
        """Count the topics of rows against the limit of a compressed file."""
        if self._is_limited and len(rows):
            self.spend(TOPICS_OF_ROWS, len(rows.columns["query_id"].changes()))

    def error(self, message: str) -> FileError:
        """The error for the value that was parsed last."""
        return FileError(f"{self.name}:{self.line}: {message}")

    def sign(self) -> str:
        """The next character that is not blank; empty at the end. The line is counted up to it."""
        self._at = BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]
        self._count_lines(self._at)
        return self._text[self._at : self._at + 1]

    def value(self) -> Any:
        """The next value."""
        self.sign()
        begin = self._at
        if begin in self._kept:
            value, self._at = self._kept.pop(begin)
            return value
        with waiting_collector():
            value, self._at = self._parsed(begin)
        if self._is_kept:
            self._kept[begin] = value, self._at
        return value

    def _parsed(self, begin: int) -> tuple[Any, int]:
        """The value that begins here, and its end."""
        if self._is_dense:
            with suppress(*NOT_SCANNED):
                value, end = scanned(self._text, begin)
                if have_all_members([value], self._text, begin, end):
                    return value, end
        try:
            return DECODER.raw_decode(self._text, begin)
        except (ValueError, RecursionError) as error:
            # Python limits the digits of a number, and the depth.
            self.is_known |= isinstance(error, json.JSONDecodeError)  # and of no kind of JSON
            self.line = getattr(error, "lineno", self.line)
            raise self.error(f"cannot be read as JSON: {getattr(error, 'msg', error)}") from None

    def objects(self) -> Iterator[dict[str, Any]]:
        """The objects of an array, or those that follow each other up to the end of the file."""
        is_array = self.sign() == "["
        values = self._elements() if is_array else self._values()
        for value in values:
            if not isinstance(value, dict):
                raise self.error(f"{shown(value)} is not an object with a topic and documents")
            yield value

    def _values(self) -> Iterator[Any]:
        if self.sign():
            yield self.value()
        end = self._at
        while self.sign():
            blanks = self._text[end : self._at]
            objects = self._objects_between(blanks)
            if objects:
                lines_of_blanks = blanks.count("\n")
                self.line -= lines_of_blanks
                for value in objects:
                    self.line += lines_of_blanks
                    yield value
            else:
                places, values = self._next_values()
                for place, value in zip(places, values, strict=True):
                    self._count_lines(place)
                    yield value
                if not values:
                    yield self.value()
            end = self._at

    def _objects_between(self, blanks: str) -> list[dict[str, Any]]:
        """The next objects, if these blanks are between all of them and in no other place; else
        none.

        They are parsed together as an array, which takes less time, and are as many as stay in the
        processor cache.
        """
        if not self._is_dense:
            return []
        text = self._text
        begin = self._at
        border = "}" + blanks + "{"
        end = 1 + text.rfind(border, begin, begin + CACHED)
        if not end:
            return []
        borders = text.count(border, begin, end)
        count = 1 + borders
        lines_in_objects = text.count("\n", begin, end) - borders * blanks.count("\n")
        # A string has no line breaks, and in as many objects as braces, none has a border.
        has_borders = "\n" in blanks or count == text.count("{", begin, end)
        if not has_borders or not text.startswith("{", begin) or lines_in_objects:
            return []
        with suppress(*NOT_SCANNED):
            array = "[" + text[begin:end].replace(border, "},{") + "]"
            objects, end_of_array = scanned(array, 0)
            is_whole = end_of_array == len(array)
            are_apart = len(objects) == count and set(map(type, objects)) == {dict}
            if is_whole and are_apart and self._are_complete(objects, end):
                self._at = end
                self._counted = end
                return objects
        return []

    def _next_values(self) -> tuple[list[int], list[Any]]:
        """The places of the values that follow each other here, and the values; none if `value` has
        to look at the first.

        They are as many as stay in the processor cache.
        """
        text = self._text
        at = self._at
        most = at + CACHED
        places: list[int] = []
        values: list[Any] = []
        if not self._is_dense:
            return places, values
        with suppress(*NOT_SCANNED):
            while at < most:
                value, end = scanned(text, at)
                places.append(at)
                values.append(value)
                at = BLANK.match(text, end).end()  # type: ignore[union-attr]
        if not self._are_complete(values, at):
            return [], []
        self._at = at
        return places, values

    def _are_complete(self, values: list[Any], end: int, keys: int = 0) -> bool:
        """Whether no key occurs twice in an object of the values, which with so many other `keys`
        are the text up to this place.

        If one does, `value` parses the rest, and tells the key.
        """
        self._is_dense = have_all_members(values, self._text, self._at, end, keys)
        return self._is_dense

    def _count_lines(self, place: int) -> None:
        """Count the lines up to a place."""
        self.line += self._text.count("\n", self._counted, place)
        self._counted = place

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
        self._kept.pop(begin, None)
        seen: set[str] = set()
        while True:
            if seen:
                yield from self._next_members(seen)
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
            self._add_key(key, seen)
            self._at = colon.end()
            yield key, self.value()
        if seen and self.sign() == "}":
            self._at += 1
        else:
            self._at = begin
            self.value()  # raises the error of json, unless the object is empty

    def _next_members(self, seen: set[str]) -> Iterator[tuple[str, Any]]:
        """The next members of an object, whose keys are added to those that are `seen`.

        They are parsed together, which takes less time, and are as many as stay in the processor
        cache. The first one is left to `value` if its key has an escape or it cannot be parsed.
        """
        if not self._is_dense or self._kept:
            return
        together = self._members_together()
        if together and seen.isdisjoint(together):
            seen.update(together)
            yield from together.items()
            return
        for key, value in together.items():
            self._add_key(key, seen)
            yield key, value
        if together:
            return
        text = self._text
        at = self._at
        most = at + CACHED
        starts: list[re.Match[str]] = []
        values: list[Any] = []
        with suppress(*NOT_SCANNED):
            while at < most:
                start = PLAIN_MEMBER.match(text, at)
                if start is None:
                    break
                value, at = scanned(text, start.end())
                starts.append(start)
                values.append(value)
        if not self._are_complete(values, at, len(starts)):
            return
        self._at = at
        for start, value in zip(starts, values, strict=True):
            self._count_lines(start.start(1))
            key = start[1]
            self._add_key(key, seen)
            self._count_lines(start.end())
            yield key, value

    def _members_together(self) -> dict[str, Any]:
        """The next members of an object, if they are in one line; else none.

        They are parsed as an object of their own, which takes less time than one after the other.
        """
        text = self._text
        start = NEXT_MEMBER.match(text, self._at)
        if start is None or not self._can_be_together:
            return {}
        begin = start.end()
        border = text[self._at - 1] + start[0] + '"'
        end = 1 + text.rfind(border, begin, begin + CACHED)
        if not end or "\n" in text[begin:end]:
            return {}
        with suppress(*NOT_SCANNED):
            alone = "{" + text[begin:end] + "}"
            members, end_of_object = scanned(alone, 0)
            # A border in a string or in another object would leave that one open.
            if end_of_object == len(alone) and self._are_complete([members], end):
                self._count_lines(begin)
                self._at = end
                return members
        self._can_be_together = False
        return {}

    def _add_key(self, key: str, seen: set[str]) -> None:
        """Add a key of an object to those that are `seen`. Raises `FileError` if it is one."""
        if key in seen:
            raise self.error(f"the key {shown(key)} occurs twice in an object")
        seen.add(key)

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
        """The first value of the text, which is not consumed. It is kept."""
        self._is_kept = True
        value = self.value()
        self._is_kept = False
        self._restart()
        return value

    def first_readable(self) -> Any:
        """The first value of the text, as `first_value`; None if `value` has to look at it."""
        value = None
        self.sign()
        with waiting_collector(), suppress(*NOT_SCANNED):
            scanned_value, end = scanned(self._text, self._at)
            if have_all_members([scanned_value], self._text, self._at, end):
                value = scanned_value
                self._kept[self._at] = value, end
        self._is_dense &= value is not None
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
