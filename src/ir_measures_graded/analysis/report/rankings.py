"""The section on rankings: the documents of each topic, rank by rank, beside the ideal list."""

from os.path import commonprefix
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.measures.standard import definition_of
from ...core.ranking.gains import Number, gain_of, plain_number
from ...core.registry.facts import sign_of
from ...errors import NotApplicableError
from ...evaluation.named import Study
from ..explain import Explanation, explanations
from .pages import shade, shortened
from .sections import ByTopic

FIRST = 20
"""The number of ranks that a topic shows at first."""
DEPTH = 100
"""The last rank shown for a measure without a cutoff."""
CELLS = 24_000
"""The page holds about this many documents, but at least the first ranks of each list."""
COLOURS = 100
"""Each level has a colour of its own; a scale of more levels has no lists."""
NONE = "–"
"""The text that stands for an unjudged document."""
DIGITS = 5
"""Significant digits of scores, weights and ideal sums."""
UNIT = 10_000
"""Contributions and values are stored as whole numbers of 1 / 10,000, which are shorter."""


class OfRun(NamedTuple):
    """The list of a run for a topic: its value, and the levels of its documents as text."""

    run: str
    value: float
    levels: tuple[str, ...]


class OfTopic(NamedTuple):
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


class Rankings(NamedTuple):
    """The lists of all topics down to `depth`, which may be less than the measure's cutoff.

    `levels` maps each level of the qrels, as text, to its gain; the gains of a measure without a
    definition are None.
    `data` has what all topics share, for the script of the page.
    """

    measure: Measure
    depth: int
    levels: dict[str, Number | None]
    topics: tuple[OfTopic, ...]
    data: dict[str, Any]

    @property
    def style(self) -> str:
        """Style rules for the cells. The highest gain contrasts most with the page, light or dark."""
        gains = [gain or 0 for gain in self.levels.values()]
        distinct = sorted({*gains}) if len({*gains}) > 1 else None
        places = [distinct.index(gain) for gain in gains] if distinct else [*range(len(gains))]
        count = max(places, default=0) + 1

        def rules(shades: list[tuple[str, str]]) -> str:
            return "\n".join(
                f".l{number} {{ background: {back}; color: {ink}; }}"
                for number, (back, ink) in enumerate(shades)
            )

        light = rules([shade(place, count) for place in places])
        dark = rules([shade(count - 1 - place, count) for place in places])
        return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"


def rankings(study: Study, measure: Measure, topics: ByTopic) -> Rankings | None:
    """The lists of the topics that are shown.

    None for a measure that `explain` refuses, and for qrels of more than 100 levels.
    """
    shown = [topics.topics[number] for number in topics.shown]
    room = max(FIRST, CELLS // (len(study.runs) * len(shown)))
    depth = min(measure.params.get("cutoff") or DEPTH, room)
    try:
        found = explanations(study.judgments, study.runs, measure, depth, shown)
    except NotApplicableError:
        return None
    judged_levels = np.unique(study.judgments.judged.level).tolist()
    if len(judged_levels) > COLOURS:
        return None
    known = definition_of(measure)
    levels = {
        _text(level): plain_number(gain_of(np.array([level]), known.weighting)[0]) if known else None
        for level in judged_levels
    }
    one = next(iter(found.values()))[0]
    ids = [id_ for run in found.values() for each in run for id_ in each.documents]
    prefix = commonprefix(ids)  # noqa: RUF071  # ids are not paths
    weights = None if one.weights is None else _numbers(one.weights)
    data = {"first": FIRST, "levels": levels, "prefix": prefix, "unit": UNIT, "weights": weights}
    of_topics = (
        _of_topic(topics, number, [found[run][place] for run in topics.runs], prefix)
        for place, number in enumerate(topics.shown)
    )
    return Rankings(measure, depth, levels, tuple(of_topics), data)


def _of_topic(topics: ByTopic, number: int, lists: list[Explanation], prefix: str) -> OfTopic:
    order = np.argsort(-sign_of(topics.measure) * topics.values[:, number], kind="stable").tolist()
    runs = [lists[row] for row in order]
    code: dict[str, int] = {}
    data: dict[str, Any] = {"runs": [_of_list(run, code) for run in runs]}
    data["documents"] = [shortened(id_.removeprefix(prefix)) for id_ in code]
    topic, ideal, ideal_levels = lists[0].topic, lists[0].ideal, lists[0].ideal_levels
    if ideal is not None:
        data["ideal"] = _numbers(ideal)
    return OfTopic(
        number,
        topic,
        topics.queries.get(topic, ""),
        tuple(map(_text, ideal_levels[~np.isnan(ideal_levels)].tolist())),
        tuple(
            OfRun(run.run, run.value, tuple(map(_text, run.levels[: len(run.documents)].tolist())))
            for run in runs
        ),
        data,
    )


def _of_list(run: Explanation, code: dict[str, int]) -> dict[str, Any]:
    """The data of a list; `code` has the number of each document, and gets those of new ones."""
    size = len(run.documents)
    found: dict[str, Any] = {
        "documents": [code.setdefault(id_, len(code)) for id_ in run.documents],
        "scores": _numbers(run.scores[:size]),
    }
    for name, values in (("contributions", run.contributions), ("values", run.values)):
        if values is not None:
            found[name] = [
                None if value != value else round(UNIT * value) for value in values[:size].tolist()
            ]
    return found


def _text(level: float) -> str:
    return NONE if level != level else f"{plain_number(level)}".replace("-", "−")


def _numbers(values: np.ndarray) -> list[Number | None]:
    """Rounded numbers, None for NaN."""
    return [
        None if value != value else plain_number(float(f"{value:.{DIGITS}g}")) for value in values.tolist()
    ]
