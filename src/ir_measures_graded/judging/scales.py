"""Qrels as dicts of levels, and the scales of levels: one brought to another, compared, and written."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ..errors import GradedError, shown
from ..inputs.rows import Rows, without_repeated
from ..inputs.sources import qrels_source
from ..ranking.gains import plain_number

HUMAN: Final = "human"
MACHINE: Final = "machine"
LISTED = 12
"""The number of levels that a message lists."""

Levels = dict[str, dict[str, float]]
"""The level of each judged document of each topic."""


def levels_of(source: Any, name: str = "qrels") -> Levels:
    """Qrels in any form as a dict of dicts. Whole levels become ints.

    Raises `GradedError` for a document judged at two levels. The message begins with `name`, or with the line
    of a file.
    """
    table = source if isinstance(source, Rows) else qrels_source(source).table()
    judged = without_repeated(replace(table, role=replace(table.role, kind=name))).dicts()
    return {
        topic: {document: plain_number(level) for document, level in judged.get(topic, {}).items()}
        for topic in table.topics
    }


def on_one_scale(
    human: Any, machine: Any, machine_levels: Mapping[Any, Any] | str | None, name: str = MACHINE
) -> list[Levels]:
    """The qrels of both judges on the human's scale; `machine_levels` is as in `level_map`.

    `name` names the machine in messages.

    Without `machine_levels`, the machine's levels must be on the human's scale: from the human's lowest
    level, or 0, to the highest, and whole if the human's are. The machine need not use all of them. Raises
    `GradedError`, which names the document, for any other level.
    """
    judges = [levels_of(qrels, name) for qrels, name in ((human, HUMAN), (machine, name))]
    if machine_levels is not None:
        return [judges[0], rescaled(judges[1], machine_levels, name)]
    scale = [0, *_levels_in(judges[0])]
    whole = all(float(level).is_integer() for level in scale)
    for topic, judged in judges[1].items():
        for document, level in judged.items():
            if not min(scale) <= level <= max(scale) or (whole and not float(level).is_integer()):
                raise GradedError(
                    f"the scales differ: the human's levels are {scale_of(judges[0])}, the machine's "
                    f"{scale_of(judges[1])} ({name}, topic {shown(topic)}, document {shown(document)}: "
                    f"{level:g}); map the machine's levels to the human's, for example "
                    "machine_levels='0:0,5:1,10:3'"
                )
    return judges


def _levels_in(qrels: Levels) -> list[float]:
    """The distinct levels in ascending order."""
    return sorted({level for judged in qrels.values() for level in judged.values()})


def scale_of(qrels: Levels) -> str:
    """The levels of qrels for a message: up to 12 whole levels, otherwise the lowest and the highest.

    >>> scale_of({"q": {"a": 0, "b": 3}}), scale_of({"q": {"a": 0.5, "b": 1}})
    ('0, 3', '0.5 to 1, not only whole numbers')
    """
    levels = _levels_in(qrels)
    whole = all(float(level).is_integer() for level in levels)
    if whole and len(levels) <= LISTED:
        return ", ".join(f"{level:g}" for level in levels) or "none"
    return f"{levels[0]:g} to {levels[-1]:g}" + ("" if whole else ", not only whole numbers")


def level_map(given: Mapping[Any, Any] | str) -> dict[float, float]:
    """A map from the levels of one scale to those of another, sorted by level.

    `given` is a mapping or a string of pairs.

    >>> level_map("5:1,0:0,10:3")
    {0: 0, 5: 1, 10: 3}

    Raises `GradedError` for anything but pairs of finite numbers, for a level that is named twice, and for a
    map that assigns a lower level to a higher one.
    """
    written = given if isinstance(given, str) else ",".join(f"{level}:{to}" for level, to in given.items())
    refused = f"levels {written!r} are not allowed"
    pairs: list[tuple[float, float]] = []
    for pair in written.split(","):
        try:
            level, to = (plain_number(float(number)) for number in pair.split(":"))
            if not (math.isfinite(level) and math.isfinite(to)):
                raise ValueError
        except ValueError:
            raise GradedError(f"{refused}: {pair!r} is not LEVEL:LEVEL; write them as 0:0,5:1,10:3") from None
        if level in dict(pairs):
            raise GradedError(f"{refused}: level {level:g} is named twice")
        pairs.append((level, to))
    found = dict(sorted(pairs))
    if list(found.values()) != sorted(found.values()):
        raise GradedError(f"{refused}: a higher level may not become a lower one")
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
            if level < bounds[0]:
                raise GradedError(
                    f"{name}: topic {topic!r}, document {document!r}: level {level:g} is below "
                    f"{bounds[0]:g}, the lowest level that is mapped"
                )
            scaled[topic][document] = values[bisect_right(bounds, level) - 1]
    return scaled


def trec_lines(qrels: Levels) -> Iterator[str]:
    """Qrels as lines in TREC's form.

    >>> list(trec_lines({"q1": {"a": 2, "b": 0.5}}))
    ['q1 0 a 2', 'q1 0 b 0.5']
    """
    for topic, judged in qrels.items():
        for document, level in judged.items():
            yield f"{topic} 0 {document} {level!r}"
