"""Sessions: the topics of qrels are turns, whose values become one value for each session.

Analyses see sessions as the topics of an `Evaluation`. `SessionValues` combines the values of a
run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from numbers import Integral
from typing import Any

import numpy as np
from ir_measures import Measure, SumAgg

from ..core.measures.sessions import SessionMeasure, Turns
from ..core.provider import view
from ..core.ranking.judged import Judged
from ..core.reduction import reduced
from ..core.rows.sources import read_run
from ..errors import FileError, GradedError, shown

Given = bool | Mapping[Any, tuple[Any, Any]] | None
"""How topics form sessions: True for ids such as ``31_1``, or a mapping of topics to session and
turn. None and False: topics are no turns."""
PATTERN = r"(?s)(.+)[_.-]([0-9]+)"
NUMBER = "[0-9]{1,18}"
"""A turn's number, as text."""
LEAST_SESSIONS = 5
"""Ids with fewer beginnings are hardly those of sessions."""
LAST_TURN = 40
"""Ids with a higher number are hardly those of turns."""
Fields = tuple[np.ndarray, np.ndarray]
"""The `values` and `missing` of a run, as in `Evaluation`."""


class TurnsInFile(dict[str, tuple[Any, Any]]):
    """The session and the turn of each topic in a file, which messages name."""

    def __init__(self, turns: Mapping[str, tuple[Any, Any]], file: str):
        super().__init__(turns)
        self.file = file


class Sessions:
    """The names of sessions, in the order of the qrels, and the session of each topic."""

    def __init__(self, names: tuple[str, ...], turns: Turns):
        self.names = names
        self.turns = turns

    @classmethod
    def of(cls, topics: Sequence[str], sessions_of: Given) -> Sessions:
        """The sessions of topics, whose turns are ordered by number.

        >>> sessions = Sessions.of(["7_10", "7_2", "9-1-3"], True)
        >>> sessions.names, sessions.turns.session, sessions.turns.place
        (('7', '9-1'), array([0, 0, 1]), array([2, 1, 1]))

        Raises `GradedError` for a topic without a session and a turn, and for two turns with one
        number.
        """
        sessions: dict[str, dict[int, int]] = {}  # the number of the topic of each turn
        for number, (name, turn) in enumerate(_turns(topics, sessions_of)):
            turns = sessions.setdefault(name, {})
            if turn in turns:
                both = f"topics {shown(topics[turns[turn]])} and {shown(topics[number])}"
                raise _refusal(sessions_of, f"{both} are both turn {turn} of session {shown(name)}")
            turns[turn] = number
        session = np.empty(len(topics), dtype=np.int64)
        place = np.empty_like(session)
        for code, turns in enumerate(sessions.values()):
            in_order = [turns[turn] for turn in sorted(turns)]
            session[in_order] = code
            place[in_order] = np.arange(len(turns)) + 1
        return cls(tuple(sessions), Turns(session, place))


def _turns(topics: Sequence[str], sessions_of: Given) -> Iterator[tuple[str, int]]:
    """The session and the turn of each topic."""
    if sessions_of is not True and not isinstance(sessions_of, Mapping):
        raise GradedError(f"sessions={shown(sessions_of)} is not allowed; it is True or a mapping")
    for topic in topics:
        pair: Any = None
        if sessions_of is True:
            match = re.fullmatch(PATTERN, topic)
            if match is not None:
                pair = match.groups()
        else:
            pair = sessions_of.get(topic)
        session = turn = None
        with suppress(TypeError, ValueError):
            session, turn = pair
        if (
            not isinstance(session, (str, Integral))
            or session == ""
            or not re.fullmatch(NUMBER, str(turn))
        ):
            raise _no_turn(topic, pair, sessions_of)
        yield str(session), int(str(turn))


def _no_turn(topic: str, pair: Any, sessions_of: Given) -> GradedError:
    """The error that this pair of a topic is no session and turn; None is no pair."""
    text = f"topic {shown(topic)} is not a turn of a session"
    if not isinstance(sessions_of, TurnsInFile):
        return GradedError(
            f"{text}: name it as in 31_1, 31-1 or 31.1, or map each topic to its session and a "
            "number of at most 18 digits, as in {'q1': ('31', 1)}"
        )
    cells = ["no row"]
    if pair is not None:
        names = ("session", "turn")
        cells = []
        for name, cell in zip(names, pair, strict=True):
            cells.append(f"no {name}" if cell is None else f"the {name} {shown(cell)}")
    return _refusal(
        sessions_of,
        f"{text}: it has {' and '.join(cells)}; a session is text or a whole number, and a turn a "
        "number of at most 18 digits",
    )


def _refusal(sessions_of: Given, text: str) -> GradedError:
    """The error about the sessions of topics, which are in a file or those of the qrels."""
    if isinstance(sessions_of, TurnsInFile):
        return FileError(f"{sessions_of.file}: {text}")
    return GradedError(text)


def seeming_sessions(topics: Sequence[str]) -> list[str]:
    """The sessions of topics whose ids look like those of turns; empty if they do not.

    All ids are those of turns, there are several sessions, and most of their turns are not alone.
    Ids such as ``2011-49`` have numbers that no turn has, and no two turns of a session have one
    number.

    >>> seeming_sessions([f"{session}_{turn}" for session in range(31, 36) for turn in (1, 2)])
    ['31', '32', '33', '34', '35']
    >>> seeming_sessions([f"PLAIN-{number}" for number in range(40)])
    []
    >>> seeming_sessions([f"{part}_{number}" for part in range(6) for number in ("1", "01")])
    []
    """
    try:
        names = Sessions.of(topics, True).names
    except GradedError:
        return []
    are_several = len(names) >= LEAST_SESSIONS
    are_together = 2 * len(names) <= len(topics)
    highest = max((turn for _, turn in _turns(topics, True)), default=0)
    return list(names) if are_several and are_together and highest <= LAST_TURN else []


def turn_measure(measure: Measure) -> Measure:
    """The measure that is computed for each turn."""
    return measure.turn if isinstance(measure, SessionMeasure) else measure


class SessionValues:
    """Combines the values of turns by each of the measures.

    A session has the mean of its turns with a value; a count such as NumRet has their sum, as over
    topics. A `SessionMeasure` defines its value itself.
    """

    def __init__(self, judged: Judged, sessions: Sessions, measures: Sequence[Measure]):
        self.sessions = sessions.names
        self.turns = sessions.turns
        self.measures = measures
        ideal = reduced(judged, read_run({}))
        self.ideal = {
            measure: view(measure.turn, ideal)
            for measure in measures
            if isinstance(measure, SessionMeasure)
        }

    def of(self, row: Mapping[Measure, int], of_turns: Fields) -> Fields:
        """The fields for sessions, from those for turns.

        `row` has the row of each `turn_measure`.
        """
        values, missing = of_turns
        rows = [row[turn_measure(measure)] for measure in self.measures]
        of_sessions = list(map(self._values, self.measures, values[rows]))
        return np.stack(of_sessions), self.turns.total(~missing) == 0

    def _values(self, measure: Measure, values: np.ndarray) -> np.ndarray:
        """The value of each session, from those of turns; NaN if no turn has a value.

        Turns without a value are left out. Raises `GradedError` for infinity.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # the values are checked below
            if isinstance(measure, SessionMeasure):
                of_sessions = measure.of_sessions(values, self.turns, self.ideal[measure])
            else:
                has_value = ~np.isnan(values)
                counts = self.turns.total(has_value)
                totals = self.turns.total(np.where(has_value, values, 0))
                if isinstance(measure.aggregator(), SumAgg):
                    of_sessions = np.where(counts > 0, totals, np.nan)
                else:
                    of_sessions = totals / counts
        infinite = np.flatnonzero(np.isinf(of_sessions))
        if infinite.size:
            session = shown(self.sessions[infinite[0]])
            raise GradedError(
                f"{measure} is infinite for session {session}; divide all gains by one number"
            )
        return of_sessions
