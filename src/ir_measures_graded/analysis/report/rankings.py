"""The section on rankings: the documents of each topic, rank by rank, beside the ideal list."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from os.path import commonprefix
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import Number, gain_of, plain_number
from ...core.registry.facts import gains_of, sign_of
from ...errors import NotApplicableError
from ...evaluation.named import Study
from ..explanation import Explanation, explanations
from .pages import shortened
from .sections import ByTopic

MOST_AT_ONCE = 10
"""The topics of the largest differences that are listed at once; the others are in a list that a
reader opens."""
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


class Rankings(NamedTuple):
    """The lists of all `topics` down to `depth`, which may be less than the measure's cutoff.

    Each of the topics has its ``number`` in the order of the qrels, the levels of the ``ideal``
    list, and the ``lists`` (run, value and levels of the documents), with that of the best run
    first. Its ``data`` has the documents, for the script of the page.

    `levels` maps each level of the qrels, as text, to its gain. `data` has what all topics share,
    for the script of the page.
    """

    measure: Measure
    depth: int
    levels: dict[str, Number]
    topics: list[dict[str, Any]]
    data: dict[str, Any]

    @property
    def listed_at_once(self) -> int:
        """The number of topics that are listed before a reader opens the list of the others."""
        count = len(self.topics)
        return MOST_AT_ONCE if count > MOST_AT_ONCE + 2 else count

    @property
    def style(self) -> str:
        """The strength of the colour of each level: the highest gain contrasts most with the
        page."""
        strengths = list(self.levels.values())
        if len(set(strengths)) == 1:
            strengths = list(range(len(strengths)))
        steps = sorted(set(strengths))
        rules = []
        for number, strength in enumerate(strengths):
            share = (steps.index(strength) + 1) / len(steps)
            rules.append(f".l{number} {{ --share: {share:.0%}; }}")
        return "\n".join(rules)


def rankings(study: Study, measure: Measure, topics: ByTopic) -> Rankings | None:
    """The lists of the topics that are shown.

    None for a measure that `explain` refuses, and for qrels of more than 100 levels.
    """
    # Topics in the order of the qrels need no further reduction of the runs.
    numbers = sorted(topics.listed_topics)
    names = [study.judgments.topics[number] for number in numbers]
    room = max(FIRST, CELLS // (len(study.runs) * len(names)))
    depth = min(measure.params.get("cutoff") or DEPTH, room)
    try:
        by_run = explanations(study.judgments, study.runs, measure, depth, names)
    except NotApplicableError:
        return None
    judged_levels = np.unique(study.judgments.judged.level)
    if judged_levels.size > COLOURS:
        return None
    gains = map(plain_number, gain_of(judged_levels, gains_of(measure)).tolist())
    text_of_level = {level: _text(level) for level in judged_levels.tolist()}
    levels = dict(zip(text_of_level.values(), gains, strict=True))
    by_topic = list(zip(*by_run.values(), strict=True))
    ids = [id_ for of_topic in by_topic for run in of_topic for id_ in run.documents]
    prefix = commonprefix(ids)  # noqa: RUF071  # ids are not paths
    first_run, *_ = by_topic[0]
    weights = None if first_run.weights is None else _numbers(first_run.weights.tolist())
    data = {
        "first": FIRST,
        "levels": list(levels.items()),
        "prefix": prefix,
        "unit": UNIT,
        "weights": weights,
    }
    of_topics = []
    explained = dict(zip(numbers, by_topic, strict=True))
    for number in topics.listed_topics:
        of_topics.append(_of_topic(topics, number, explained[number], prefix, text_of_level))
    return Rankings(measure, depth, levels, of_topics, data)


def _of_topic(
    topics: ByTopic,
    number: int,
    of_runs: Sequence[Explanation],
    prefix: str,
    text_of_level: Mapping[float, str],
) -> dict[str, Any]:
    merit = sign_of(topics.measure) * topics.values[:, number]
    best_first = [of_runs[row] for row in np.argsort(-merit, kind="stable").tolist()]
    code: dict[str, int] = {}  # the number of each document, in the order of the lists
    runs: list[dict[str, Any]] = []
    lists = []
    for run in best_first:
        size = len(run.documents)
        levels = run.levels[:size].tolist()
        texts = [text_of_level.get(level, NONE) for level in levels]
        lists.append((run.run, run.value, " ".join(texts)))
        numbers_of_documents = [code.setdefault(id_, len(code)) for id_ in run.documents]
        scores = _numbers(run.scores[:size].tolist())
        runs.append({"documents": numbers_of_documents, "scores": scores})
    one = of_runs[0]
    for name in ("contributions", "values"):
        if getattr(one, name) is None:
            continue
        table = np.stack([getattr(run, name) for run in best_first])
        for run, columns, units in zip(best_first, runs, _in_units(table), strict=True):
            columns[name] = units[: len(run.documents)]
    data: dict[str, Any] = {"runs": runs}
    data["documents"] = [shortened(id_.removeprefix(prefix)) for id_ in code]
    if one.ideal is not None:
        data["ideal"] = _numbers(one.ideal.tolist())
    ideal_levels = one.ideal_levels[~np.isnan(one.ideal_levels)].tolist()
    ideal_texts = [text_of_level[level] for level in ideal_levels]
    spread = topics.spread(number) if len(of_runs) > 1 else None
    return {
        "number": number,
        "topic": one.topic,
        "spread": spread,
        "query": topics.queries.get(one.topic, ""),
        "ideal": " ".join(ideal_texts),
        "lists": lists,
        "data": data,
    }


def _in_units(values: np.ndarray) -> list[list[int | None]]:
    """The values of some runs (runs × ranks) in whole units; None for NaN."""
    units = np.rint(UNIT * values)
    is_missing = np.isnan(units)
    rows: list[list[int | None]] = []
    for of_run in np.where(is_missing, 0, units).tolist():
        rows.append(list(map(int, of_run)))
    for row, column in np.argwhere(is_missing).tolist():
        rows[row][column] = None
    return rows


def _text(level: float) -> str:
    """The level with a true minus sign."""
    return str(plain_number(level)).replace("-", "−")


def _numbers(values: Iterable[float]) -> list[Number | None]:
    """Rounded numbers, None for NaN and infinite ones, which JSON lacks."""
    numbers: list[Number | None] = []
    for value in values:
        number: Number | None = None
        if isfinite(value):
            number = float(f"{value:.{DIGITS}g}")
            if number.is_integer():
                number = plain_number(number)
        numbers.append(number)
    return numbers
