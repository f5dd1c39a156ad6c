"""`identify`: from qrels, runs and somebody's values to the definitions that give them."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core.registry.notation import parse_measures
from ...core.rows.rows import repeated_documents
from ...errors import GradedError, shown
from ...evaluation.named import Judgments, Qrels, about, named_runs, read_judgments
from ...evaluation.values import number_in
from ...files.files import RunFile
from ..statistics.options import whole_number
from . import definitions as by
from .answer import Answer, Identification
from .cases import MOST_DECIMALS, Case, decimals_of, values_by_topic
from .formulas import Space, solved_gains
from .search import search

DEPTH = 100  # cutoffs to this one are tried if nothing fits


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

    `qrels` and `run` may be in any form. `values` has one value per topic: the path of a file (lines of a
    topic and a value, trec_eval's output with -q, CSV, JSON), a mapping, a DataFrame, or ir-measures'
    metrics; `name` selects one of several measures in it. `mean` is a mean instead, best as a string, which
    keeps its zeros. `also` has more runs, each with its values (or its mean): a definition must give the
    values of all. Of a document that a topic retrieves twice, the first row is used.

    `measure` is the measure, if it is known, such as ``nDCG``, ``DCG`` or ``AP``, perhaps with its cutoff.
    `any_cutoff` tries all cutoffs. `decimals` (0 to 15) is the number of decimals compared, by default those
    that the values show, at most 6.

    >>> qrels = {"q1": {"a": 3, "b": 1, "c": 2}, "q2": {"d": 2, "e": 1}, "q3": {"f": 1, "g": 3}}
    >>> run = {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"d": 2.0, "y": 1.0}, "q3": {"z": 2.0, "f": 1.0}}
    >>> found = identify(qrels, run, {"q1": 0.1125, "q2": 0.8262, "q3": 0.0827}, measure="nDCG@2")
    >>> found.measure, found.equal
    ('nDCG_Burges@2', True)

    Raises `GradedError` for values that cannot be read, if no topic of the values is in the qrels, for an
    unknown measure, and for qrels or a run that cannot be used.
    """
    if (values is None) == (mean is None):
        raise GradedError("give values by topic or a mean, one of the two")
    places = None if decimals is None else whole_number(decimals, "decimals", 0, 15)
    judgments = read_judgments(qrels)
    sources = [(run, mean if values is None else values), *also]
    cases = [
        _case(judgments, number, *source, values is None, name, places)
        for number, source in enumerate(sources, start=1)
    ]
    space = usual = _space(cases, measure)
    found = search(usual, cases)
    if any_cutoff or not (found.fitting or mean):
        for wider in _all_cutoffs(usual, cases, any_cutoff):
            found, space = found.plus(search(wider, cases)), _both(space, wider)
    solves = by.NDCG in space["measure"] and mean is None and not found.fitting
    if solves and (gains := solved_gains(usual, cases[0])):
        solved = {**usual, "gain": gains, "measure": {by.NDCG: None}}
        if (fitting := search(solved, cases)).fitting:
            found, space = found.plus(fitting), _both(space, solved)
    if not found.tried:
        raise GradedError(f"identify cannot compute {measure}; give another measure, or none to try all")
    return Answer(space, cases, found).identification()


def _case(
    judgments: Judgments, number: int, run: Any, told: Any, mean: bool, name: str | None, places: int | None
) -> Case:
    """A run with its values."""
    judged, path = judgments.judged, run.file if isinstance(run, RunFile) else run
    (read,) = named_runs([(os.path.basename(path) if isinstance(path, str) else f"run {number}", run)])
    with about(read.name):
        table, repeated = repeated_documents(read.table(judgments))
    if mean and not np.isfinite(average := number_in(told)):
        raise GradedError(f"the mean is {shown(told)}; it must be a finite number")
    known = {} if mean else values_by_topic(told, judged.code.keys(), name)
    values = np.array([known.get(topic, np.nan) for topic in judged.topics])
    places = decimals_of([*known.values()] or [told]) if places is None else places
    return Case(read.name, judged, table, values, average if mean else None, places, repeated)


def _space(cases: Sequence[Case], measure: Measure | str | None) -> Space:
    """The definitions to try. Raises `GradedError` for a measure that is unknown."""
    levels, cutoff, discounts = np.unique(cases[0].judged.level), "", by.DISCOUNTS
    measures = by.measures(levels)
    if measure is not None:
        if isinstance(measure, str):
            measure = re.sub(r"(?i)^dcg(?=@|$)", "DCG_JK", measure)
        wanted, *more = parse_measures(measure, uncut=True)
        if more:
            raise GradedError(f"measure {measure!r} names several measures; name one")
        cutoff, family = str(wanted.params.get("cutoff", "")), by.family(wanted.NAME)
        measures = {name: of for name, of in measures.items() if by.family(name) == family}
        if base := wanted.params.get("b"):
            discounts = discounts | {f"log{base:g} r from rank {base:g} on": by.log_from(base)}
    means = cases[0].mean is not None
    if not measures:
        raise GradedError(f"identify cannot compute {measure}; give another measure, or none to try all")
    left_out = {way for way in by.SHOWN if way.startswith("each") and not means}
    if all(case.digits == case.decimals for case in cases):
        left_out.add(by.PERCENT)
    if any(case.decimals >= MOST_DECIMALS for case in cases):
        left_out.add(by.TRUNCATED)
    return {
        "measure": measures,
        "cutoff": _numbers([cutoff] if cutoff else by.CUTOFFS),
        "gain": by.gains_for(levels),
        "discount": discounts,
        "ideal": by.IDEALS,
        "nothing": by.NOTHING,
        "order": by.ORDERS,
        "precision": by.PRECISIONS,
        "documents": by.DOCUMENTS,
        "averaged": by.AVERAGED if means else {},
        "shown": {way: of for way, of in by.SHOWN.items() if way not in left_out},
    }


def _both(space: Space, other: Space) -> Space:
    """The space with the tables of both."""
    return {name: {**of, **other[name]} for name, of in space.items()}


def _numbers(cutoffs: Iterable[str]) -> dict[str, float]:
    return {k: np.inf if k == by.ALL_RANKS else float(k) for k in cutoffs}


def _all_cutoffs(space: Space, cases: Sequence[Case], deep: bool) -> Iterator[Space]:
    """The other cutoffs to the depth of the runs, or to `DEPTH`, for what some tool computes otherwise."""
    depth = max(int(np.diff(case.run.offsets).max(initial=0)) for case in cases)
    cutoffs = map(str, range(1, (depth if deep else min(depth, DEPTH)) + 1))
    usual = {
        name: {value: of for value, of in space[name].items() if by.is_usual(name, value)}
        for name in ("gain", "discount", "ideal", "precision", "documents")
    }
    strings = {name: of for name, of in space["measure"].items() if isinstance(of, Measure)}
    others = {name: of for name, of in space["measure"].items() if name not in strings}
    numbers = _numbers(k for k in cutoffs if k not in space["cutoff"])
    yield {**space, "cutoff": numbers, "measure": others or strings, **usual}
    if others and strings:
        yield {**space, "cutoff": _numbers(by.CUTOFFS[by.COMMON :]), "measure": strings}
