"""Qrels of several judges: read into dicts, brought to one scale, and merged by one rule.

The first source that judges a document of a topic decides its level. A later source with another level
contradicts it. Contradictions are reported, not averaged.
"""

from __future__ import annotations

import csv
import io
import math
import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import FileError, GradedError
from .sources import qrels_of
from .tables import read_qrels

Levels = dict[str, dict[str, float]]
"""The level of each judged document of each topic."""

UNANSWERED = ("", "?", "-")
"""Levels that mean "not judged" in a file of answers."""


@dataclass(frozen=True)
class Contradiction:
    """A document that two sources judge at different levels.

    The source `kept` decided: its `level` counts, and the `other_level` of the source `other` does not.
    """

    topic: str
    document: str
    kept: str
    level: float
    other: str
    other_level: float

    def __str__(self) -> str:
        return (
            f"topic {self.topic!r}, document {self.document!r}: level {self.level:g} by {self.kept}, "
            f"{self.other_level:g} by {self.other}"
        )


@dataclass(frozen=True)
class MergedQrels:
    """Merged qrels, and the sources of their judgments.

    `qrels` is a dict of dicts, which `evaluate` and ir-measures accept. `origins` has the number of judgments
    that each source decided. `contradictions` are in the order in which they were found.
    """

    qrels: Levels
    origins: dict[str, int]
    contradictions: tuple[Contradiction, ...]


def merge_qrels(sources: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> MergedQrels:
    """Merge qrels of several sources. The first source that judges a document decides its level.

    `sources` maps names to qrels, or has pairs of name and qrels, in the order in which they decide. Qrels
    are in any form that ir-measures takes, the path of a file, or an ir-datasets id.

    >>> first, second = {"q1": {"a": 2}}, {"q1": {"a": 1, "b": 3}, "q2": {"c": 0}}
    >>> merged = merge_qrels({"human": first, "machine": second})
    >>> merged.qrels
    {'q1': {'a': 2, 'b': 3}, 'q2': {'c': 0}}
    >>> merged.origins
    {'human': 1, 'machine': 2}
    >>> print(*merged.contradictions)
    topic 'q1', document 'a': level 2 by human, 1 by machine

    Raises `GradedError` for qrels that cannot be read, for two sources of one name, and for a source that
    judges a document at two levels.
    """
    qrels: Levels = {}
    decided: dict[tuple[str, str], str] = {}
    origins: dict[str, int] = {}
    contradictions = []
    for name, source in sources.items() if isinstance(sources, Mapping) else sources:
        if name in origins:
            raise GradedError(f"two sources of qrels are named {name!r}; give each a name of its own")
        origins[name] = 0
        for topic, levels in levels_of(source, name).items():
            merged = qrels.setdefault(topic, {})
            for document, level in levels.items():
                if document not in merged:
                    merged[document] = level
                    decided[topic, document] = name
                    origins[name] += 1
                elif merged[document] != level:
                    kept = decided[topic, document]
                    contradictions.append(Contradiction(topic, document, kept, merged[document], name, level))
    return MergedQrels(qrels, origins, tuple(contradictions))


def levels_of(source: Any, name: str = "qrels") -> Levels:
    """Qrels in any form as a dict of dicts. Whole levels become ints.

    Raises `GradedError` for a document judged at two levels; the message begins with `name`.
    """
    table = read_qrels(qrels_of(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else source)
    documents, values = list(table.docs.ids()), table.values.tolist()
    bounds = table.offsets.tolist()
    qrels: Levels = {}
    for topic, start, stop in zip(table.topics, bounds, bounds[1:]):
        levels = qrels.setdefault(topic, {})
        for document, value in zip(documents[start:stop], values[start:stop]):
            level = int(value) if value.is_integer() else value
            if levels.setdefault(document, level) != level:
                raise GradedError(
                    f"{name}: topic {topic!r}, document {document!r}: judged twice, at level "
                    f"{levels[document]:g} and at level {level:g}; keep one judgment per document"
                )
    return qrels


# ---------------------------------------------------------------------------------------- scales


def level_map(given: Mapping[Any, Any] | str) -> dict[float, float]:
    """A map from the levels of one scale to those of another, sorted by level.

    `given` is a mapping or a string of pairs.

    >>> level_map("5:1,0:0,10:3")
    {0: 0, 5: 1, 10: 3}

    Raises `GradedError` for anything but pairs of finite numbers, for a level that is named twice, and for a
    map that assigns a lower level to a higher one.
    """
    written = given if isinstance(given, str) else ",".join(f"{level}:{to}" for level, to in given.items())
    found: dict[float, float] = {}
    for pair in written.split(","):
        parts = pair.split(":")
        try:
            level, to = map(_number, parts)
        except ValueError:
            raise GradedError(
                f"levels {written!r} are not allowed: {pair!r} is not LEVEL:LEVEL; write them as 0:0,5:1,10:3"
            ) from None
        if level in found:
            raise GradedError(f"levels {written!r} are not allowed: level {level:g} is named twice")
        found[level] = to
    found = dict(sorted(found.items()))
    if list(found.values()) != sorted(found.values()):
        raise GradedError(f"levels {written!r} are not allowed: a higher level may not become a lower one")
    return found


def rescaled(qrels: Levels, levels: Mapping[Any, Any] | str, name: str = "qrels") -> Levels:
    """The qrels on another scale. Each level is mapped like the highest level of the map that it reaches.

    `levels` is as in `level_map`; `name` names the qrels in error messages.

    >>> rescaled({"q": {"a": 0, "b": 4.9, "c": 7}}, "0:0,5:1,10:3")
    {'q': {'a': 0, 'b': 0, 'c': 1}}

    Raises `GradedError` for a map that `level_map` refuses, and for a level below all levels of the map.
    """
    steps = level_map(levels)
    bounds, values = list(steps), list(steps.values())
    scaled: Levels = {}
    for topic, judged in qrels.items():
        scaled[topic] = {}
        for document, level in judged.items():
            step = bisect_right(bounds, level)
            if not step:
                raise GradedError(
                    f"{name}: topic {topic!r}, document {document!r}: level {level:g} is below "
                    f"{bounds[0]:g}, the lowest level that is mapped"
                )
            scaled[topic][document] = values[step - 1]
    return scaled


def scale_of(qrels: Levels) -> str:
    """The levels of qrels for a message: up to 12 whole levels, otherwise the lowest and the highest.

    >>> scale_of({"q": {"a": 0, "b": 3}}), scale_of({"q": {"a": 0.5, "b": 1}})
    ('0, 3', '0.5 to 1, not only whole numbers')
    """
    levels = sorted({level for judged in qrels.values() for level in judged.values()})
    if not levels:
        return "none"
    if not all(float(level).is_integer() for level in levels):
        return f"{levels[0]:g} to {levels[-1]:g}, not only whole numbers"
    if len(levels) > 12:
        return f"{levels[0]:g} to {levels[-1]:g}"
    return ", ".join(f"{level:g}" for level in levels)


def same_scale(first: Levels, second: Levels) -> bool:
    """Whether two qrels seem to use the same scale.

    They do if their highest levels are equal, and if both or neither have only whole levels.

    >>> same_scale({"q": {"a": 3}}, {"q": {"a": 0, "b": 3}}), same_scale({"q": {"a": 3}}, {"q": {"a": 10}})
    (True, False)
    """
    both = [{level for judged in qrels.values() for level in judged.values()} for qrels in (first, second)]
    highest = {max(levels, default=0) for levels in both}
    whole = {all(float(level).is_integer() for level in levels) for levels in both}
    return len(highest) == len(whole) == 1


# --------------------------------------------------------------------------------------- answers


def read_answers(path: str | os.PathLike[str]) -> Levels:
    """The judgments in a file of documents that an assessor was asked to judge.

    A file whose name ends in ``.csv`` has the columns topic, document and level. Any other file has lines of
    TREC's form ``topic iteration document level``. An empty level, ``?`` or ``-`` means that the document is
    not judged.

    Raises `FileError` for a file that cannot be read. Raises `FileError`, which names file and line, for a
    line of another form, a level that is not a finite number, and a document with two levels.
    """
    name = os.fspath(path)
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except OSError as error:
        raise FileError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(f"{name}: cannot be read: it is not UTF-8 text") from None
    rows = _csv_rows(name, text) if name.lower().endswith(".csv") else _trec_rows(name, text)
    answers: Levels = {}
    for line, topic, document, written in rows:
        if written in UNANSWERED:
            continue
        try:
            level = _number(written)
        except ValueError:
            raise FileError(
                f"{name}:{line}: the level {written!r} is not a finite number; "
                "leave it empty or write ? for a document that is not judged"
            ) from None
        judged = answers.setdefault(topic, {})
        if judged.setdefault(document, level) != level:
            raise FileError(
                f"{name}:{line}: topic {topic!r}, document {document!r} has level {level:g} here and "
                f"{judged[document]:g} above; keep one judgment per document"
            )
    return answers


def _csv_rows(name: str, text: str) -> Iterator[tuple[int, str, str, str]]:
    """The line number, topic, document and level of each row of a CSV file."""
    reader = csv.DictReader(io.StringIO(text))
    missing = [column for column in ("topic", "document", "level") if column not in (reader.fieldnames or ())]
    if missing:
        raise FileError(
            f"{name}:1: the column {missing[0]!r} is missing; a file of answers has topic, document and level"
        )
    for row in reader:
        fields = [(row[column] or "").strip() for column in ("topic", "document", "level")]
        if not fields[0] or not fields[1]:
            raise FileError(f"{name}:{reader.line_num}: the topic or the document is missing")
        yield reader.line_num, *fields  # type: ignore[misc]


def _trec_rows(name: str, text: str) -> Iterator[tuple[int, str, str, str]]:
    """The same for lines in TREC's form."""
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if fields and len(fields) != 4:
            raise FileError(
                f"{name}:{number}: a line is 'topic iteration document level', 4 fields, not {len(fields)}"
            )
        if fields:
            yield number, fields[0], fields[2], fields[3]


def _number(text: str) -> float:
    """A finite number, as an int if it is whole. Raises `ValueError` for any other text."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return int(number) if number.is_integer() else number


def trec_lines(qrels: Levels) -> Iterator[str]:
    """Qrels as lines in TREC's form.

    >>> list(trec_lines({"q1": {"a": 2, "b": 0.5}}))
    ['q1 0 a 2', 'q1 0 b 0.5']
    """
    for topic, judged in qrels.items():
        for document, level in judged.items():
            yield f"{topic} 0 {document} {level!r}"
