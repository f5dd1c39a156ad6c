"""Qrels as dicts of levels, and the scales of levels: one brought to another, compared, and written."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..errors import GradedError
from ..inputs.sources import qrels_source
from ..inputs.tables import Table

Levels = dict[str, dict[str, float]]
"""The level of each judged document of each topic."""


def levels_of(source: Any, name: str = "qrels") -> Levels:
    """Qrels in any form as a dict of dicts. Whole levels become ints.

    Raises `GradedError` for a document judged at two levels. The message begins with `name`, or with the line
    of a file.
    """
    table = source if isinstance(source, Table) else qrels_source(source).table()
    table = replace(table, kind=name)
    documents, values = list(table.docs.ids()), table.values.tolist()
    bounds = table.offsets.tolist()
    qrels: Levels = {}
    for topic, start, stop in zip(table.topics, bounds, bounds[1:]):
        levels = qrels.setdefault(topic, {})
        for row, document, value in zip(range(start, stop), documents[start:stop], values[start:stop]):
            level = int(value) if value.is_integer() else value
            if levels.setdefault(document, level) != level:
                raise table.error(
                    row,
                    f"judged twice, at level {levels[document]:g} and at level {level:g}; "
                    "keep one judgment per document",
                )
    return qrels


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
            level, to = map(finite_number, parts)
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


def finite_number(text: str) -> float:
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
