"""The section on rankings: the documents of each topic, rank by rank, beside the ideal list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..analysis.explain import Explanation, explanations
from ..errors import NotApplicableError
from ..evaluation.named import Study
from ..ranking.gains import Number, gain_of, plain_number
from ..registry.facts import is_graded, sign_of
from .pages import shade, shortened

if TYPE_CHECKING:
    from .by_topic import ByTopic

FIRST = 20
"""The number of ranks that a topic shows at first."""
DEPTH = 100
"""The last rank shown for a measure without a cutoff."""
CELLS = 24_000
"""The page holds about this many documents, but at least the first ranks of each list."""
NONE = "–"
"""The text that stands for an unjudged document."""
DIGITS = 5
"""Significant digits of scores, weights and ideal sums."""
UNIT = 10_000
"""Contributions and values are stored as whole numbers of 1 / 10,000, which are shorter."""


@dataclass(frozen=True)
class OfRun:
    """The list of a run for a topic: its value, and the levels of its documents as text."""

    run: str
    value: float
    levels: tuple[str, ...]


@dataclass(frozen=True)
class OfTopic:
    """The lists of a topic, with the list of the best run first.

    `number` is the topic's number in the order of the qrels. `ideal` has the levels of the ideal list as
    text. `data` has the documents, for the script of the page.
    """

    number: int
    topic: str
    query: str
    ideal: tuple[str, ...]
    lists: tuple[OfRun, ...]
    data: dict[str, Any]


@dataclass(frozen=True)
class Rankings:
    """The lists of all topics down to `depth`, which may be less than the measure's cutoff.

    Topics show the first `first` ranks at first. `levels` maps each level of the qrels, as text, to its gain;
    the gains of a standard measure are None. `common` has the data that all topics share.
    """

    measure: Measure
    depth: int
    first: int
    levels: dict[str, Number | None]
    topics: tuple[OfTopic, ...]
    common: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        """The data that all topics share, for the script of the page."""
        return {"first": self.first, "levels": self.levels, **self.common}

    @property
    def style(self) -> str:
        """Style rules for the cells. The highest gain contrasts most with the page, light or dark."""
        gains = [gain or 0 for gain in self.levels.values()]
        distinct = sorted({*gains}) if len({*gains}) > 1 else None
        places = [distinct.index(gain) for gain in gains] if distinct else [*range(len(gains))]
        count = max(places, default=0) + 1
        light, dark = (
            "\n".join(
                f".l{number} {{ background: {back}; color: {ink}; }}"
                for number, place in enumerate(places)
                for back, ink in [shade(place if on_light else count - 1 - place, count)]
            )
            for on_light in (True, False)
        )
        return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"


def rankings(study: Study, measure: Measure, topics: ByTopic) -> Rankings | None:
    """The lists of the topics that are shown; None for a measure that `explain` refuses."""
    shown = [topics.topics[number] for number in topics.shown]
    room = max(FIRST, CELLS // (len(study.runs) * len(shown)))
    depth = min(measure.params.get("cutoff") or DEPTH, room)
    try:
        found = explanations(study.judgments, study.runs, measure, depth, shown)
    except NotApplicableError:
        return None
    levels = {
        _text(level): plain_number(gain_of(np.array([level]), measure["gains"])[0])
        if is_graded(measure)
        else None
        for level in np.unique(study.judgments.judged.level).tolist()
    }
    return Rankings(measure, depth, FIRST, levels, *_Lists(found, topics).of_topics())


class _Lists:
    """The lists of all runs as text and as data."""

    def __init__(self, found: dict[str, list[Explanation]], topics: ByTopic):
        self.found, self.by_topic = found, topics
        self.one = next(iter(found.values()))[0]
        ids = [id_ for run in found.values() for each in run for id_ in each.documents]
        self.prefix = commonprefix(ids)  # noqa: RUF071  # ids are not paths

    def of_topics(self) -> tuple[tuple[OfTopic, ...], dict[str, Any]]:
        """The topics, and the data that they share."""
        weights = None if self.one.weights is None else _numbers(self.one.weights)
        common = {"prefix": self.prefix, "unit": UNIT, "weights": weights}
        return tuple(map(self._topic, range(len(self.by_topic.shown)))), common

    def _topic(self, place: int) -> OfTopic:
        code: dict[str, int] = {}
        number = self.by_topic.shown[place]
        values = self.by_topic.values[:, number]
        order = np.argsort(-sign_of(self.one.measure) * values, kind="stable").tolist()
        names = [self.by_topic.runs[row] for row in order]
        runs = [self.found[name][place] for name in names]
        data: dict[str, Any] = {"runs": [self._list(run, code) for run in runs]}
        data["documents"] = [shortened(id_.removeprefix(self.prefix)) for id_ in code]
        first = next(iter(self.found.values()))[place]
        if first.ideal is not None:
            data["ideal"] = _numbers(first.ideal)
        ideal = first.ideal_levels
        return OfTopic(
            number,
            first.topic,
            self.by_topic.queries.get(first.topic, ""),
            tuple(map(_text, ideal[~np.isnan(ideal)].tolist())),
            tuple(OfRun(run.run, run.value, _levels(run)) for run in runs),
            data,
        )

    def _list(self, run: Explanation, code: dict[str, int]) -> dict[str, Any]:
        size = len(run.documents)
        found: dict[str, Any] = {
            "documents": [code.setdefault(id_, len(code)) for id_ in run.documents],
            "scores": _numbers(run.scores[:size]),
        }
        for name, values in (("contributions", run.contributions), ("values", run.values)):
            if values is not None:
                found[name] = _units(values[:size])
        return found


def _levels(run: Explanation) -> tuple[str, ...]:
    levels = run.levels[: len(run.documents)].tolist()
    return tuple(NONE if level != level else _text(level) for level in levels)


def _text(level: float) -> str:
    return f"{plain_number(level)}".replace("-", "−")


def _numbers(values: Iterable[float]) -> list[Number | None]:
    """Rounded numbers, None for NaN."""
    rounded = (None if value != value else float(f"{value:.{DIGITS}g}") for value in map(float, values))
    return [None if value is None else plain_number(value) for value in rounded]


def _units(values: np.ndarray) -> list[int | None]:
    return [None if value != value else round(UNIT * value) for value in values.tolist()]
