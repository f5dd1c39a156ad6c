"""The section on rankings: the documents of each topic, rank by rank, beside the ideal list."""

from math import isfinite
from os.path import commonprefix
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import Number, gain_of, plain_number
from ...core.registry.facts import gains_of, sign_of
from ...errors import NotApplicableError
from ...evaluation.named import Study
from ..explain import Explanation, explanations
from .pages import shortened
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
    def style(self) -> str:
        """The strength of the colour of each level: the highest gain contrasts most with the
        page."""
        gains = [*self.levels.values()]
        ranked = gains if len({*gains}) > 1 else [*range(len(gains))]
        steps = sorted({*ranked})
        shares = [(steps.index(gain) + 1) / len(steps) for gain in ranked]
        return "\n".join(
            f".l{number} {{ --share: {share:.0%}; }}" for number, share in enumerate(shares)
        )


def rankings(study: Study, measure: Measure, topics: ByTopic) -> Rankings | None:
    """The lists of the topics that are shown.

    None for a measure that `explain` refuses, and for qrels of more than 100 levels.
    """
    shown = [study.judgments.topics[number] for number in topics.shown]
    room = max(FIRST, CELLS // (len(study.runs) * len(shown)))
    depth = min(measure.params.get("cutoff") or DEPTH, room)
    try:
        found = explanations(study.judgments, study.runs, measure, depth, shown)
    except NotApplicableError:
        return None
    judged_levels = np.unique(study.judgments.judged.level)
    if judged_levels.size > COLOURS:
        return None
    gains = map(plain_number, gain_of(judged_levels, gains_of(measure)).tolist())
    levels = dict(zip(_texts(judged_levels), gains, strict=True))
    weights = next(iter(found.values()))[0].weights
    ids = [id_ for run in found.values() for each in run for id_ in each.documents]
    prefix = commonprefix(ids)  # noqa: RUF071  # ids are not paths
    data = {"first": FIRST, "levels": [*levels.items()], "prefix": prefix, "unit": UNIT}
    data["weights"] = None if weights is None else _numbers(weights)
    of_topics = [
        _of_topic(topics, number, [of_run[place] for of_run in found.values()], prefix)
        for place, number in enumerate(topics.shown)
    ]
    return Rankings(measure, depth, levels, of_topics, data)


def _of_topic(
    topics: ByTopic, number: int, found: list[Explanation], prefix: str
) -> dict[str, Any]:
    code: dict[str, int] = {}
    lists, runs = [], []
    for row in np.argsort(
        -sign_of(topics.measure) * topics.values[:, number], kind="stable"
    ).tolist():
        run, size = found[row], len(found[row].documents)
        lists.append((run.run, run.value, " ".join(_texts(run.levels[:size]))))
        columns: dict[str, Any] = {
            "documents": [code.setdefault(id_, len(code)) for id_ in run.documents]
        }
        columns["scores"] = _numbers(run.scores[:size])
        for name, values in (("contributions", run.contributions), ("values", run.values)):
            if values is not None:
                units = (UNIT * values[:size]).tolist()
                columns[name] = [None if value != value else round(value) for value in units]
        runs.append(columns)
    data: dict[str, Any] = {"runs": runs}
    data["documents"] = [shortened(id_.removeprefix(prefix)) for id_ in code]
    one = found[0]
    if one.ideal is not None:
        data["ideal"] = _numbers(one.ideal)
    ideal = " ".join(_texts(one.ideal_levels[~np.isnan(one.ideal_levels)]))
    facts = {"number": number, "topic": one.topic, "query": topics.queries.get(one.topic, "")}
    return facts | {"ideal": ideal, "lists": lists, "data": data}


def _texts(levels: np.ndarray) -> list[str]:
    texts = (NONE if level != level else str(plain_number(level)) for level in levels.tolist())
    return [text.replace("-", "−") for text in texts]


def _numbers(values: np.ndarray) -> list[Number | None]:
    """Rounded numbers, None for NaN and infinite ones, which JSON lacks."""
    rounded = (float(f"{value:.{DIGITS}g}") for value in values.tolist())
    return [plain_number(value) if isfinite(value) else None for value in rounded]
