"""What measures do where they could do several things: found out by trying, on small and random topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple, TypeVar

from tables import markdown

from ir_measures_graded import GradedMeasure, measures

Documents = dict[str, float]
Kind = TypeVar("Kind")
TRIALS = 60
TOLERANCE = 1e-9
DOUBLED = {1: 2, 2: 4, 3: 6}
STRETCHED = {1: 1, 2: 10, 3: 100}
BINARY = {1: 1, 2: 1, 3: 1}


class Behaviour(NamedTuple):
    """What a measure does, in words; the fields are columns of a table."""

    ties: str
    unjudged: str
    missing: str
    no_relevant: str


def behaviour(measure: GradedMeasure) -> Behaviour:
    """What a measure does to ties, unjudged documents, missing topics, topics without relevant documents."""
    none = _value(measure, {"x": 0}, {"x": 1})
    return Behaviour(_ties(measure), _unjudged(measure), _missing(measure), _number(none))


def counts(measure: GradedMeasure) -> str:
    """What of the gains a measure looks at: the least change of them that its values notice."""
    if _unmoved(measure, BINARY):
        return "relevant or not"
    if _unmoved(measure, STRETCHED):
        return "their order"
    if _unmoved(measure, DOUBLED):
        return "their ratios"
    return "their size"


def table() -> str:
    """A row for each way to behave, with the measures that do."""
    head = [
        "measures",
        "tied documents",
        "unjudged documents",
        "topic missing in the run",
        "nothing relevant",
    ]
    return markdown(head, ([_links(alike), *row] for row, alike in _grouped(behaviour).items()))


def scales() -> str:
    """Which measures look at what of the gains, a row a kind."""
    meaning = {
        "their size": "gains ten times as large give other values: CG and DCG_JK grow with them, Q leans "
        "more to the gains and less to the counts",
        "their ratios": "gains ten times as large change nothing; other ratios between the levels do",
        "their order": "gains that put the levels in the same order give the same value",
        "relevant or not": "all gains above 0 count alike",
    }
    found = _grouped(counts)
    head = ["what counts of the gains", "measures", "so that"]
    return markdown(head, ([kind, _links(found[kind]), so] for kind, so in meaning.items()))


def _grouped(what: Callable[[GradedMeasure], Kind]) -> dict[Kind, list[GradedMeasure]]:
    groups: dict[Kind, list[GradedMeasure]] = {}
    for measure in measures.MEASURES:
        groups.setdefault(what(measure), []).append(measure)
    return groups


def _ties(measure: GradedMeasure) -> str:
    if measure.NAME == "ADM":
        return "no matter: it looks at scores, not at ranks"
    first = measure @ 1 if measure.CUTOFF and "ties" not in measure.PARAMETERS else measure
    run = {"a": 1.0, "b": 1.0}
    alike = _value(first, {"a": 1, "b": 0}, run) == _value(first, {"a": 0, "b": 1}, run)
    return "tied; ordered by id with `ties='rank'`" if alike else "ordered by id"


def _unjudged(measure: GradedMeasure) -> str:
    scores = measure.NAME == "ADM"
    first = measure(norm="none") if scores else measure @ 1 if measure.CUTOFF else measure
    qrels = {"a": 1, "b": 0}
    run = {"a": 0.5, "b": 0.25}
    if _value(first, qrels, run) != _value(first, qrels, {"x": 1.0, **run}):
        return "keep their ranks and gain 0"
    return "left out, after all scores are scaled" if scores else "left out"


def _missing(measure: GradedMeasure) -> str:
    values = {_value(measure, qrels, {}) for qrels in ({"a": 1, "b": 0}, {"a": 3, "b": 1, "c": 0}, {"a": 2})}
    if measure.DEFAULT is not None:
        assert values == {measure.DEFAULT}
        return _number(measure.DEFAULT)
    assert len(values) > 1
    return "depends on the topic"


def _unmoved(measure: GradedMeasure, gains: dict[int, int]) -> bool:
    changed = measure(gains=gains)
    return all(
        abs(_value(measure, qrels, run) - _value(changed, qrels, run)) < TOLERANCE for qrels, run in topics()
    )


def topics() -> Iterator[tuple[Documents, Documents]]:
    """Random topics with some judged documents missed, some unjudged ones retrieved, and some ties."""
    random = Random(2002)
    for _ in range(TRIALS):
        qrels = {f"d{number}": random.choice([0, 0, 1, 1, 2, 3]) for number in range(12)}
        docs = random.sample([*qrels, *(f"u{number}" for number in range(8))], 12)
        yield qrels, {doc: random.randint(0, 16) / 16 for doc in docs}


def _value(measure: GradedMeasure, qrels: Documents, run: Documents) -> float:
    return measure.calc_aggregate({"q": qrels}, {"q": run})


def _number(value: float) -> str:
    return {0.5: "½"}.get(value, f"{value:g}")


def _links(them: list[GradedMeasure]) -> str:
    return ", ".join(f"[{measure.NAME}](measures/{measure.NAME}.md)" for measure in them)
