"""`identify`: from qrels, runs and somebody's values to the definitions that give them. Values by
topic are read from any table of values."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core.by_topic import bounds_of
from ...core.registry.notation import parse_measures
from ...core.rows.id_matching import Ids
from ...core.rows.rows import Rows, repeated_documents
from ...errors import GradedError, shown
from ...evaluation.checked import checks_arguments
from ...evaluation.named import Judgments, Qrels, Run, about, named_runs, read_judgments
from ...evaluation.values import MOST_DECIMALS, decimals_of, number_in, values_by_topic
from ...files.files import RunFile
from ..statistics.options import whole_number
from .answer import Identification, answered
from .case import Case
from .dimensions import (
    AVERAGED,
    CUTOFF,
    DISCOUNT,
    DOCUMENTS,
    IDEAL,
    NDCG,
    NOTHING,
    ORDER,
    PERCENT,
    PRECISION,
    ROUNDED,
    SHOWN,
    TRUNCATED,
    Space,
    Way,
    cutoff_way,
    gains_for,
    log_way,
)
from .formulas import family, measures_for
from .search import Found, search
from .solving import solved_gains
from .tools import is_usual

DEPTH = 100  # cutoffs to this one are tried if nothing fits


@dataclass(frozen=True, eq=False)
class GivenRun:
    """A run with the numbers given for it, which are values by topic, or a mean under an empty
    name."""

    rows: Rows
    repeated: list[str]
    numbers: dict[str, float]
    decimals: int


@checks_arguments("identify(qrels, run, values)")
def identify(
    qrels: Qrels,
    run: Any,
    values: Any = None,
    *,
    mean: float | str | None = None,
    also: Iterable[tuple[Any, Any]] = (),
    measure: Measure | str | None = None,
    name: str | None = None,
    any_cutoff: bool = False,
    decimals: int | None = None,
) -> Identification:
    """Find the definition and conventions of a measure that give somebody's values of a run.

    `qrels` and `run` may be in any form. `values` has one value per topic: the path of a file
    (lines of a topic and a value, trec_eval's output with -q, CSV, JSON), a mapping, a DataFrame,
    or ir-measures' metrics; `name` selects one of several measures in it. `mean` is a mean instead,
    best as a string, which keeps its zeros. `also` has more runs, each with its values (or its
    mean): a definition must give the values of all. Of a document that a topic retrieves twice, the
    first row is used.

    `measure` is the measure, if it is known, such as ``nDCG``, ``DCG`` or ``AP``, perhaps with its
    cutoff. Its parameters are tried, too. `any_cutoff` tries all cutoffs. `decimals` (0 to 15) is
    the number of decimals compared, by default those that the values show, at most 6. A relative
    difference of 3e-7 is allowed in any case, because some tools compute with 32-bit floats.

    >>> qrels = {"q1": {"a": 3, "b": 1, "c": 2}, "q2": {"d": 2, "e": 1}, "q3": {"f": 1, "g": 3}}
    >>> run = {"q1": {"b": 3, "x": 2, "a": 1}, "q2": {"d": 2, "y": 1}, "q3": {"z": 2, "f": 1}}
    >>> found = identify(qrels, run, {"q1": 0.1125, "q2": 0.8262, "q3": 0.0827}, measure="nDCG@2")
    >>> found.measure, found.equal
    ('nDCG_Burges@2', True)

    Raises `GradedError` for values that cannot be read, if no topic of the values is in the qrels,
    for an unknown measure, and for qrels or a run that cannot be used."""
    if (values is None) == (mean is None):
        raise GradedError("give values by topic or a mean, one of the two")
    wanted_decimals = None
    if decimals is not None:
        wanted_decimals = whole_number(decimals, "decimals", 0, 15)
    by_mean = values is None
    sources = [(run, mean if by_mean else values), *also]
    judgments = read_judgments(qrels)
    runs = [
        _read(judgments, number, run, numbers, by_mean, name)
        for number, (run, numbers) in enumerate(sources, start=1)
    ]
    case = _case(judgments, runs, by_mean, wanted_decimals)
    found = _found(case, _space(case, measure), any_cutoff)
    if not found.tried:
        raise GradedError(
            f"identify cannot compute {measure}; give another measure, or none to try all"
        )
    return answered(case, found)


def _found(case: Case, usual: Space, any_cutoff: bool) -> Found:
    """The findings among usual definitions, and if nothing fits, or if asked for, among others."""
    found = search(usual, case)
    if any_cutoff or not (case.by_mean or found.fitting):
        deepest = np.inf if any_cutoff else DEPTH
        found = found.plus(search(_all_cutoffs(usual, case, deepest), case))
    if NDCG not in usual["measure"] or found.fitting:
        return found
    gains = solved_gains(usual, case)
    if not gains:
        return found
    only_ndcg = {NDCG: usual["measure"][NDCG]}
    solved = search({**usual, "gain": gains, "measure": only_ndcg}, case)
    return found.plus(solved) if solved.fitting else found


def _read(
    judgments: Judgments, number: int, run: Any, given: Any, by_mean: bool, name: str | None
) -> GivenRun:
    """A run with the numbers given for it.

    Raises `GradedError` for a run without any topic of the qrels, and numbers that cannot be read.
    """
    path = run.file if isinstance(run, RunFile) else run
    run_name = os.path.basename(path) if isinstance(path, str) else f"run {number}"
    (named,) = named_runs([(run_name, run)])
    with about(named.name):
        rows, repeated = repeated_documents(named.rows(judgments))
    _refuse_other_topics(named, rows, judgments)
    if not by_mean:
        numbers = values_by_topic(given, judgments.judged.code.keys(), name)
        return GivenRun(rows, repeated, numbers, decimals_of(numbers.values()))
    mean = number_in(given)
    if not np.isfinite(mean):
        raise GradedError(f"the mean is {shown(given)}; it must be a finite number")
    return GivenRun(rows, repeated, {"": mean}, decimals_of([given]))


def _refuse_other_topics(named: Run, rows: Rows, judgments: Judgments) -> None:
    """Raise `GradedError` for a run without any topic of the qrels, which tells nothing."""
    if not rows.topics:
        raise GradedError(f"{named.name}: the run is empty, so its values tell nothing")
    named.check(rows.topics, judgments)


def _case(
    judgments: Judgments, runs: Sequence[GivenRun], by_mean: bool, decimals: int | None
) -> Case:
    """The runs with their numbers. Several runs become one, with the qrels for each."""
    judged = judgments.judged
    topics = [*judged.topics]
    if len(runs) > 1:
        numbers_of_runs = range(1, len(runs) + 1)
        topics = [
            f"{topic} (run {number})" for number in numbers_of_runs for topic in judged.topics
        ]
    names = [""] if by_mean else judged.topics
    numbers = np.array([run.numbers.get(name, np.nan) for run in runs for name in names])
    all_topics = np.tile(np.arange(len(judged.topics)), len(runs))
    if decimals is None:
        decimals = min(run.decimals for run in runs)
    return Case(
        judged=replace(judged.part(all_topics), topics=topics),
        run=_joined([run.rows.of_topics(judged.code) for run in runs], topics),
        values=np.full(len(topics), np.nan) if by_mean else numbers,
        means=numbers if by_mean else None,
        decimals=decimals,
        others=np.array([_count_others(run.rows, judgments) for run in runs]),
        repeated=np.concatenate([np.isin(judged.topics, run.repeated) for run in runs]),
    )


def _count_others(rows: Rows, judgments: Judgments) -> int:
    """The number of topics of a run that the qrels lack."""
    return sum(topic not in judgments.judged.code for topic in rows.topics)


def _joined(runs: Sequence[Rows], topics: Sequence[str]) -> Rows:
    """One run with the topics of each, one run after another."""
    sizes = np.concatenate([np.diff(run.offsets) for run in runs])
    docs = Ids.concatenated([run.docs.ids() for run in runs])
    scores = np.concatenate([run.values for run in runs])
    return Rows(runs[0].role, topics, bounds_of(sizes), docs, scores, distinct=True)


def _space(case: Case, measure: Measure | str | None) -> Space:
    """The definitions to try. Raises `GradedError` for a measure that is unknown."""
    levels = np.unique(case.judged.level)
    wanted: Sequence[Measure] = ()
    if measure is not None and str(measure):
        # DCG alone is no measure string.
        text = re.sub(r"(?i)^dcg(?=@|$)", "DCG_JK", str(measure))
        wanted = parse_measures(text, uncut=True)
    cutoffs = [str(each.params["cutoff"]) for each in wanted if "cutoff" in each.params]
    bases = [each.params["b"] for each in wanted if "b" in each.params]
    other_discounts = [log_way(base) for base in bases]
    return {
        "measure": _measures(wanted, levels),
        "cutoff": {text: cutoff_way(text) for text in cutoffs} or CUTOFF.by_text,
        "gain": gains_for(levels),
        "discount": DISCOUNT.by_text | {way.text: way for way in other_discounts},
        "ideal": IDEAL.by_text,
        "nothing": NOTHING.by_text,
        "order": ORDER.by_text,
        "precision": PRECISION.by_text,
        "documents": DOCUMENTS.by_text,
        "averaged": AVERAGED.by_text if case.by_mean else {},
        "shown": _ways_to_show(case),
    }


def _measures(wanted: Sequence[Measure], levels: np.ndarray) -> dict[str, Way]:
    """The measures to try: those wanted with their parameters, and all of their families."""
    ways: dict[str, Way] = {}
    for measure in wanted:
        params = {name: value for name, value in measure.params.items() if name != "cutoff"}
        if params:
            uncut = type(measure)(**params)
            ways[str(uncut)] = Way(str(uncut), str(uncut), uncut)
    ways |= measures_for(levels)
    families = {family(measure.NAME) for measure in wanted}
    if not families:
        return ways
    return {name: way for name, way in ways.items() if family(name) in families}


def _ways_to_show(case: Case) -> dict[str, Way]:
    """The ways in which the numbers may be shown: for values by topic, no other is rounded
    first."""
    is_tried = {
        ROUNDED: True,
        TRUNCATED: case.decimals < MOST_DECIMALS,
        PERCENT: case.digits > case.decimals,
    }
    ways = SHOWN.by_text
    return {text: way for text, way in ways.items() if is_tried.get(text, case.by_mean)}


def _all_cutoffs(space: Space, case: Case, most: float) -> Space:
    """The other cutoffs to the depth of the runs, or to `most`, for what some tool computes
    otherwise."""
    deepest = int(min(case.rows.ranks.retrieved.max(initial=0), most))
    usual = {
        name: {text: way for text, way in space[name].items() if is_usual(name, text)}
        for name in ("gain", "discount", "ideal", "precision", "documents")
    }
    measures = space["measure"]
    others = {name: way for name, way in measures.items() if not isinstance(way.apply, Measure)}
    texts = [str(cutoff) for cutoff in range(1, deepest + 1)]
    cutoffs = {text: cutoff_way(text) for text in texts if text not in space["cutoff"]}
    return {**space, "cutoff": cutoffs, "measure": others or measures, **usual}
