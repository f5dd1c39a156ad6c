"""`identify`: from qrels, runs and somebody's values to the definitions that give them."""

import os
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Measure

from ...core.ranking.judged import Judged
from ...core.registry.notation import parse_measures
from ...core.rows.rows import repeated_documents
from ...errors import GradedError
from ...evaluation.named import Judgments, Qrels, about, named_runs, read_judgments
from ...files.files import RunFile
from ...output.formats import listed
from ..statistics.options import whole_number
from . import definitions as by
from .answer import Identification, answer
from .cases import Case, ranks_by_line
from .search import SAMPLE, Found, Space, search
from .solving import longest_fraction, solved_gains
from .values import MOST_DECIMALS, decimals_of, finite, values_by_topic

FEW = 8  # the number of topics on which definitions are tried that take longer
PERCENT_FROM = 1.01  # larger values may be percentages


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
    >>> found = identify(qrels, run, {"q1": 0.1128, "q2": 0.8262, "q3": 0.0826}, measure="nDCG@2")
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
    space = _space(cases, measure, any_cutoff)
    found = search(space, cases, SAMPLE)
    if not found.count:
        space, found = _further(space, cases, found)
    if not found.tried:
        names = listed(space.tried["measure"] or space.foreign)
        raise GradedError(f"identify cannot compute {names}; give another measure, or none to try all")
    return answer(space, cases, found)


def _case(
    judgments: Judgments, number: int, run: Any, told: Any, mean: bool, name: str | None, places: int | None
) -> Case:
    """A run with its values."""
    judged, path = judgments.judged, run.file if isinstance(run, RunFile) else run
    (read,) = named_runs([(os.path.basename(path) if isinstance(path, str) else f"run {number}", run)])
    with about(read.name):
        table, repeated = repeated_documents(read.table(judgments))
    known = {} if mean else values_by_topic(told, judged.code.keys(), name)
    return Case(
        judged,
        table,
        np.array([float(known.get(topic, np.nan)) for topic in judged.topics]),
        finite(told, "the mean") if mean else None,
        decimals_of(known.values() or [told]) if places is None else places,
        ranks_by_line(read.file) if read.file else None,
        repeated,
        np.random.default_rng(number).random(len(judged.topics)),
    )


def _space(cases: Sequence[Case], measure: Measure | str | None, any_cutoff: bool) -> Space:
    """The definitions to try. Raises `GradedError` for a measure that is unknown."""
    levels = np.unique(cases[0].judged.level)
    depth = max(int(np.diff(case.run.offsets).max(initial=0)) for case in cases)
    cuts = range(1, depth + 1) if any_cutoff else by.CUTOFFS
    cutoffs, discounts = {str(k): float(k) for k in cuts} | {by.ALL_RANKS: np.inf}, by.DISCOUNTS
    measures = by.measures(levels, _has_intents(cases[0].judged))
    if measure is not None:
        if isinstance(measure, str):
            measure = re.sub(r"(?i)^dcg(?=@|$)", "DCG_JK", measure)
        wanted, *more = parse_measures(measure, uncut=True)
        if more:
            raise GradedError(f"measure {measure!r} names several measures; name one")
        if "cutoff" in wanted.params:
            cutoffs = {str(wanted["cutoff"]): float(wanted["cutoff"])}
        own, family = by.uncut(wanted), by.family(wanted.NAME)
        measures = {name: of for name, of in measures.items() if by.family(name) == family} | {str(own): own}
        if base := wanted.params.get("b"):
            name = f"log{base:g} r from rank {base:g} on"
            discounts = discounts | {name: lambda r: np.log(np.maximum(r, base)) / np.log(base)}
    foreign = {name: of for name, of in measures.items() if by.is_foreign(of)}
    means = cases[0].mean is not None
    largest = max(float(np.nanmax(case.values)) if case.mean is None else case.mean for case in cases)
    possible = {
        by.TRUNCATED: all(case.decimals < MOST_DECIMALS for case in cases),
        by.PERCENT: largest > PERCENT_FROM,
        by.FIRST_ROUNDED: means,
        by.FIRST_FLOORED: means,
    }
    by_rank = all(case.ranks_in_file is not None for case in cases)
    tried = {
        "measure": {name: of for name, of in measures.items() if name not in foreign},
        "cutoff": cutoffs,
        "gain": by.gains_for(levels),
        "discount": discounts,
        "ideal": dict.fromkeys(by.IDEALS),
        "nothing": by.VALUE_OF,
        "order": dict.fromkeys((*by.TIES, by.AS_READ, *[by.BY_RANK] * by_rank)),
        "precision": by.PRECISIONS,
        "documents": dict.fromkeys(by.DOCUMENTS),
        "averaged": dict.fromkeys(by.AVERAGED if means else ()),
        "shown": {way: of for way, of in by.SHOWN.items() if possible.get(way, True)},
    }
    return Space(tried, foreign)


def _has_intents(judged: Judged) -> bool:
    try:
        return bool(judged.intents)
    except GradedError:
        return False


def _further(space: Space, cases: Sequence[Case], found: Found) -> tuple[Space, Found]:
    """Definitions that take longer: gains solved for, and the measures of ir-measures' other providers."""
    measures, gains = space.tried["measure"], space.tried["gain"]
    foreign = {name: measure for name, measure in space.foreign.items() if _is_supported(measure)}
    solved = solved_gains(space, cases[0]) if cases[0].mean is None else {}
    sums = {name: measures.get(name) for name in (by.NDCG, by.DCG)}
    plainest_first = groupby(sorted(solved, key=longest_fraction), longest_fraction)
    narrow = [
        space.limited(gain={name: solved[name] for name in of}, measure=sums) for _, of in plainest_first
    ]
    usual = {"order": {by.DESCENDING: None}, "documents": {by.EVERY: None}}
    narrow += [space.limited(measure=foreign, **usual)] * bool(foreign)
    for each in narrow:
        if not found.count:
            found = found.plus(search(each, cases, FEW))
    return space.limited(gain=gains | solved, measure=measures | foreign), found


def _is_supported(measure: Measure) -> bool:
    """Whether a provider that is installed computes the measure."""
    return any(
        provider.supports(cut) and provider.is_available()  # in this order: ranx takes seconds to import
        for cut in by.usual_cuts(measure)
        for provider in ir_measures.DefaultPipeline.providers
        if provider.NAME != "pyndeval"  # needs intents, which dicts of levels lack
    )
