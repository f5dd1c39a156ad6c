"""Sessions: the topics of qrels are turns, whose values become one value for each session.

Analyses see sessions as the topics of an `Evaluation`. `in_sessions` marks qrels, and `SessionValues`
combines the values of a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Union

import numpy as np
from ir_measures import Measure, SumAgg

from ..by_topic import positions
from ..errors import GradedError, shown
from ..inputs.in_memory import read_run
from ..measures.sessions import SessionMeasure, Turns
from .named import Judgments, Qrels, about, read_judgments
from .provider import aggregate, view

Given = Union[bool, str, "re.Pattern[str]", Mapping[Any, tuple[Any, Any]], None]
"""How topics form sessions: True for ids such as ``31_1``, a pattern with the groups session and turn, or a
mapping of topics to session and turn. None and False: topics are no turns."""
PATTERN = re.compile(r"(.+)[_.-]([0-9]+)", re.DOTALL)
NUMBER = re.compile("[0-9]{1,18}")
"""A turn's number, as text."""


@dataclass(frozen=True, eq=False)
class Sessions:
    """The names of sessions, in the order of the qrels, and the session of each topic."""

    names: tuple[str, ...]
    turns: Turns

    @classmethod
    def of(cls, topics: Sequence[str], given: Given) -> Sessions:
        """The sessions of topics, whose turns are ordered by number.

        >>> found = Sessions.of(["7_10", "7_2", "9-1-3"], True)
        >>> found.names, found.turns.session, found.turns.place
        (('7', '9-1'), array([0, 0, 1]), array([2, 1, 1]))

        Raises `GradedError` for a topic without a session and a turn, and for two turns with one number.
        """
        split = _splitter(given)
        pairs = [_checked(topic, *split(topic)) for topic in topics]
        first: dict[tuple[str, int], str] = {}
        for topic, (name, turn) in zip(topics, pairs):
            if (other := first.setdefault((name, turn), topic)) != topic:
                both = f"topics {shown(other)} and {shown(topic)}"
                raise GradedError(f"{both} are both turn {turn} of session {shown(name)}")
        code = {name: number for number, name in enumerate(dict.fromkeys(name for name, _ in pairs))}
        session = np.array([code[name] for name, _ in pairs])
        order = np.lexsort((np.array([turn for _, turn in pairs]), session))
        place = np.empty_like(order)
        place[order] = positions(np.bincount(session)) + 1
        return cls(tuple(code), Turns(session, place))


def _splitter(given: Given) -> Callable[[str], tuple[Any, Any]]:
    """The function that returns the session and the turn of a topic."""
    if isinstance(given, Mapping):

        def found(topic: str) -> tuple[Any, Any]:
            try:
                session, turn = given[topic]
            except (KeyError, TypeError, ValueError):
                what = shown(given[topic]) if topic in given else "nothing"
                raise GradedError(
                    f"sessions maps topic {shown(topic)} to {what}; it maps each topic of the qrels to its "
                    "session and the number of its turn, as in {'31_1': ('31', 1)}"
                ) from None
            return session, turn

        return found
    if not isinstance(given, (bool, str, re.Pattern)):
        raise GradedError(f"sessions={shown(given)} is not allowed; it is True, a pattern or a mapping")
    try:
        pattern = PATTERN if isinstance(given, bool) else re.compile(given)
    except re.error as error:
        raise GradedError(f"sessions={shown(given)} is not a regular expression: {error}") from None
    if pattern.groups != 2:
        raise GradedError(
            f"sessions={shown(given)} is not allowed; a pattern has two groups, the session and the turn's "
            r"number, as in '(.+)_(\d+)'"
        )

    def matched(topic: str) -> tuple[Any, Any]:
        if match := pattern.fullmatch(topic):
            return match[1], match[2]
        ids = "31_1, 31-1 or 31.1" if pattern is PATTERN else shown(pattern.pattern)
        raise GradedError(
            f"topic {shown(topic)} is not a turn of a session, as {ids}; give a pattern with two groups, "
            "session and turn, or a mapping of topics to both"
        )

    return matched


def _checked(topic: str, session: Any, turn: Any) -> tuple[str, int]:
    """The session and the turn of a topic. Raises `GradedError` unless they are an id and a whole number."""
    if not isinstance(session, (str, Integral)) or session == "" or not NUMBER.fullmatch(str(turn)):
        raise GradedError(
            f"topic {shown(topic)}: session {shown(session)}, turn {shown(turn)} is not allowed; a session "
            "is an id, and a turn is a whole number of at most 18 digits"
        )
    return str(session), int(turn)


def in_sessions(qrels: Qrels, sessions: Given) -> Qrels:
    """The qrels with their sessions, by which `evaluate` combines values.

    Raises `GradedError` as `Sessions.of`.
    """
    if sessions is None or sessions is False:
        return qrels
    judgments = read_judgments(qrels)
    with about(judgments.name):
        return replace(judgments, sessions=Sessions.of(judgments.topics, sessions))


def turn_measures(measures: Sequence[Measure], judgments: Judgments) -> list[Measure]:
    """The measures that are computed for each topic of the qrels."""
    if judgments.sessions is None:
        return [*measures]
    return list(dict.fromkeys(map(_of_turn, measures)))


def _of_turn(measure: Measure) -> Measure:
    return measure.turn if isinstance(measure, SessionMeasure) else measure


class SessionValues:
    """Combines the values of turns by each of the measures.

    A session has the mean of its turns; a count such as NumRet has their sum, as over topics. A
    `SessionMeasure` defines its value itself.
    """

    def __init__(self, judgments: Judgments, sessions: Sessions, measures: Sequence[Measure]):
        self.turns, self.measures = sessions.turns, measures
        ideal = judgments.documents.reduced(read_run({})).ranks
        self.ideal = {
            measure: view(measure.turn, ideal) for measure in measures if isinstance(measure, SessionMeasure)
        }

    def of(
        self, row: Mapping[Measure, int], values: np.ndarray, missing: np.ndarray, unreported: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The fields of an `Evaluation` for a run, from those for turns; `row` numbers `turn_measures`."""
        rows = [row[_of_turn(measure)] for measure in self.measures]
        found = np.stack([self._values(*each) for each in zip(self.measures, values[rows])])
        lacking = np.stack([self.turns.total(~each) == 0 for each in unreported[rows]])
        reported = zip(self.measures, found, ~lacking)
        aggregates = np.array([aggregate(measure, each[has]) for measure, each, has in reported], dtype=float)
        return found, aggregates, self.turns.total(~missing) == 0, lacking

    def _values(self, measure: Measure, values: np.ndarray) -> np.ndarray:
        """The value of each session, from those of turns."""
        if isinstance(measure, SessionMeasure):
            return measure.of_sessions(values, self.turns, self.ideal[measure])
        total = self.turns.total(values)
        return total if isinstance(measure.aggregator(), SumAgg) else total / self.turns.sizes
