"""Notes on what measures take the levels of the qrels for, where their strings do not tell it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from ir_measures import Measure

from ..core.measures.base import MaxGainMeasure, TopGainMeasure
from ..core.measures.parameters import meaning_and_default
from ..core.ranking.gains import gain_of
from ..core.registry.facts import HIGHEST_OF_GDEVAL, gains_of, graded_err, is_err, needs_intents
from ..output.formats import listed
from ..output.tables import Note
from .remarks import leaves_open


def notes_on_levels(measures: Iterable[Measure], levels: Sequence[float]) -> list[Note]:
    """The notes on the least relevant level, and on the highest level of ERR.

    `levels` are those of the qrels; without any, as for values, there is no note.

    >>> from ir_measures import AP, ERR, P, RR
    >>> for note in notes_on_levels([AP, P(rel=2) @ 1, RR, ERR @ 5], [0.0, 1.0, 2.0]):
    ...     print(note)
    AP and RR: relevant from level 1 (rel=1).
    ERR@5 is for levels up to 4 and divides by 2^4; the qrels end at 2: ERR_G(max_gain=3)@5.
    """
    measures = list(measures)
    return [*notes_on_rel(measures, levels), *notes_on_err(measures, levels)]


def notes_on_rel(measures: Iterable[Measure], levels: Sequence[float]) -> Iterator[Note]:
    """The level from which documents are relevant, for measures that leave it open, and for those
    whose gains tell it.

    There is no note if the qrels have at most one level above 0.

    >>> from ir_measures import AP
    >>> list(notes_on_rel([AP], [0.0, 1.0]))
    []
    """
    measures = list(measures)
    names = [measure for measure in measures if leaves_open(measure, "rel")]
    levels_above_0 = [level for level in levels if level > 0]
    if len(levels_above_0) > 1 and names:
        yield Note("{}: relevant from level 1 (rel=1).", listed(names))
    yield from _notes_on_gains_of_0(measures, sorted(levels_above_0))


def _notes_on_gains_of_0(measures: Sequence[Measure], levels: Sequence[float]) -> Iterator[Note]:
    """The least relevant level of measures whose gains leave out `levels` above 0, and those that
    count from the same level by their parameter rel.

    >>> from ir_measures import AP
    >>> from ir_measures_graded import Q
    >>> print(*_notes_on_gains_of_0([Q(gains="1:0"), AP(rel=2)], [1.0, 2.0, 3.0]))
    Q(gains={1:0}): relevant from level 2, as AP(rel=2), because lower levels gain 0.
    >>> print(*_notes_on_gains_of_0([Q(gains="2:0")], [1.0, 2.0, 3.0]))
    Q(gains={2:0}): level 2 gains 0 and is not relevant.
    """
    by_levels: dict[tuple[float, ...], list[Measure]] = {}
    for measure in measures:
        without_gain = _levels_without_gain(measure, levels)
        if without_gain:
            by_levels.setdefault(without_gain, []).append(measure)
    for without_gain, names in by_levels.items():
        lowest = tuple(levels[: len(without_gain)])
        if without_gain != lowest or len(lowest) == len(levels):
            text = "{}: level {} gains 0 and is not relevant."
            if len(without_gain) > 1:
                text = "{}: levels {} gain 0 and are not relevant."
            yield Note(text, listed(names), listed(f"{level:g}" for level in without_gain))
            continue
        least = levels[len(lowest)]
        alike = [measure for measure in measures if measure.params.get("rel") == least]
        as_others = f", as {listed(alike)}," if alike else ""
        text = "{}: relevant from level {}{} because lower levels gain 0."
        yield Note(text, listed(names), f"{least:g}", as_others)


def _levels_without_gain(measure: Measure, levels: Sequence[float]) -> tuple[float, ...]:
    """The levels to which the gains of a measure give 0."""
    gains = measure.params.get("gains")
    if not isinstance(gains, Mapping):
        return ()
    return tuple(level for level in levels if gains.get(level, level) <= 0)


def notes_on_err(measures: Iterable[Measure], levels: Sequence[float]) -> Iterator[Note]:
    """The levels that ERR@k of gdeval is for, if the qrels have lower ones only."""
    highest = max(levels, default=HIGHEST_OF_GDEVAL)
    for measure in measures:
        if is_err(measure) and 0 < highest < HIGHEST_OF_GDEVAL:
            text = "{} is for levels up to {} and divides by 2^{}; the qrels end at {}: {}."
            other = graded_err(measure, highest)
            yield Note(text, measure, HIGHEST_OF_GDEVAL, HIGHEST_OF_GDEVAL, f"{highest:g}", other)


def notes_for_caption(measures: Iterable[Measure], levels: Sequence[float]) -> list[Note]:
    """The gains of all levels, the least relevant level and the top gain, which decide values and
    are not all in the measure strings."""
    measures = list(measures)
    on_gains = notes_on_gains(measures, levels)
    return [*on_gains, *notes_on_rel(measures, levels), *notes_on_top_gain(measures, levels)]


def with_gains(caption: str, measures: Iterable[Measure], levels: Sequence[float]) -> str:
    """The caption of a figure, and the gains of all levels."""
    return " ".join(filter(None, [caption, *map(str, notes_on_gains(measures, levels))]))


def notes_on_gains(measures: Iterable[Measure], levels: Sequence[float]) -> Iterator[Note]:
    """The gains of all levels of the qrels, for measures that name gains of some.

    A measure string leaves out the gains that equal their levels. Without `levels`, as for values,
    the note says so.

    >>> from ir_measures_graded import nDCG_JK
    >>> for levels in ([0.0, 1.0, 2.0, 3.0], []):
    ...     print(*notes_on_gains([nDCG_JK(gains="2:3,3:10") @ 10], levels))
    nDCG_JK(gains={2:3,3:10})@10: gain of levels 1/2/3: 1/3/10.
    nDCG_JK(gains={2:3,3:10})@10: gain of levels 2/3: 3/10, of any other its value.
    """
    by_gains: dict[str, list[Measure]] = {}
    for measure in measures:
        gains = gains_of(measure)
        if not measure.params.get("gains") or not isinstance(gains, dict):
            continue
        named = {level for level in gains if level in levels or not levels}
        all_levels = sorted(named.union(level for level in levels if level > 0))
        if not all_levels:
            continue
        numbers = gain_of(np.array(all_levels, dtype=float), gains)
        what = "levels" if len(all_levels) > 1 else "level"
        text = f"{what} {_slashed(all_levels)}: {_slashed(numbers)}"
        if not levels:
            text += ", of any other its value"
        by_gains.setdefault(text, []).append(measure)
    for text, names in by_gains.items():
        yield Note("{}: gain of {}.", listed(names), text)


def _slashed(numbers: Iterable[float]) -> str:
    """Numbers with slashes."""
    return "/".join(f"{number:g}" for number in numbers)


def notes_on_top_gain(measures: Iterable[Measure], levels: Sequence[float]) -> Iterator[Note]:
    """The highest level or gain by which measures divide, for those whose strings do not have it.

    >>> from ir_measures import ERR
    >>> from ir_measures_graded import EBR, ERR_G, gP
    >>> for note in notes_on_top_gain([ERR @ 5, ERR_G @ 5, EBR, gP @ 5], [0.0, 1.0, 2.0]):
    ...     print(note)
    ERR@5 divides 2^level − 1 by 2^4, for levels up to 4.
    ERR_G@5 and EBR: the top gain H is 3, the highest gain in the qrels, over all topics.
    gP@5: the gain m that counts as 1 is the topic's highest gain.
    """
    by_sentence: dict[str, list[Measure]] = {}
    for measure in measures:
        if is_err(measure):
            text = "{} divides 2^level − 1 by 2^{}, for levels up to {}."
            yield Note(text, measure, HIGHEST_OF_GDEVAL, HIGHEST_OF_GDEVAL)
        elif isinstance(measure, MaxGainMeasure) and measure["max_gain"] is None:
            meaning, default = meaning_and_default(measure.SUPPORTED_PARAMS["max_gain"])
            highest = top_gain_of(measure, levels)
            if highest is not None:
                default = f"{highest:g}, {default}"
            by_sentence.setdefault(f"{meaning} is {default}", []).append(measure)
    for sentence, names in by_sentence.items():
        yield Note("{}: {}.", listed(names), sentence)


def top_gain_of(measure: Measure, levels: Sequence[float]) -> float | None:
    """The top gain that a measure takes from qrels with these levels; None if it takes none, or if
    the levels for intents decide.

    >>> from ir_measures_graded import ERR_G, RBP_G
    >>> top_gain_of(ERR_G, [0.0, 3.0]), top_gain_of(RBP_G, [0.0, 3.0])
    (7.0, 3.0)
    >>> top_gain_of(ERR_G(max_gain=15), [0.0, 3.0])
    """
    if not isinstance(measure, TopGainMeasure) or measure["max_gain"] is not None:
        return None
    if not levels or needs_intents(measure):
        return None
    return float(gain_of(np.array(levels), gains_of(measure)).max(initial=0.0))
