"""`identify`: from qrels, runs and somebody's values to the definitions that give them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from ir_measures import Measure

from ...errors import GradedError, shown
from ...evaluation.named import Qrels, about, named_runs, read_judgments
from ...inputs.files import RunFile
from ...ranking.judged import Judged
from ..options import measures_named
from .answer import answer
from .definitions import (
    ALL_RANKS,
    CUTOFFS,
    DCG,
    DISCOUNTS,
    LIKE,
    NDCG,
    PERCENT,
    ROUNDED,
    SHOWN_FIRST,
    STOPS,
    TRUNCATED,
    gains_for,
    strings,
)
from .explanation import Identification
from .lists import ranks_by_line
from .search import Case, Found, Space, Target, search
from .solving import solved_gains
from .values import MOST_DECIMALS, Given, given_mean, given_values

PERCENT_FROM = 1.01
"""Larger values may be percentages."""


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
    """Which definition and conventions of a measure give somebody's values of a run.

    `qrels` and `run` may be in any form. `values` has one value per topic: the path of a file (lines of a
    topic and a value, trec_eval's output with -q, CSV, JSON), a mapping, a DataFrame, or ir-measures'
    metrics; `name` selects one of several measures in it. `mean` is a mean instead, best as a string, which
    keeps its zeros. `also` has more runs, each with its values (or its mean): a definition must give the
    values of all.

    `measure` is the measure, if it is known, such as ``nDCG``, ``DCG`` or ``AP``, perhaps with its cutoff.
    `any_cutoff` tries all cutoffs. `decimals` (0 to 15) is the number of decimals compared, by default those
    that the values show, at most 6.

    >>> qrels = {"q1": {"a": 3, "b": 1, "c": 2}, "q2": {"d": 2, "e": 1}, "q3": {"f": 1, "g": 3}}
    >>> run = {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"d": 2.0, "y": 1.0}, "q3": {"z": 2.0, "f": 1.0}}
    >>> found = identify(qrels, run, {"q1": 0.4792, "q2": 0.8262, "q3": 0.0826}, measure="nDCG@2")
    >>> found.measure, found.equal
    ('nDCG_Burges@2', True)

    Raises `GradedError` for values that cannot be read, if no topic of the values is in the qrels, for an
    unknown measure, and for qrels or a run that cannot be used.
    """
    judgments = read_judgments(qrels)
    judged = judgments.judged
    if (values is None) == (mean is None):
        raise GradedError("give values by topic or a mean, one of the two")
    if decimals is not None and not 0 <= decimals <= 15:
        raise GradedError(f"decimals={decimals} is not allowed; it is a whole number from 0 to 15")
    cases: list[Case] = []
    depth = 0
    pairs = [(run, mean if values is None else values), *also]
    for number, (source, told) in enumerate(pairs, start=1):
        read = named_runs([(_name(source, number), source)])[0]
        with about(read.name):
            table = read.table(judgments)
        if values is None:
            given = given_mean(told, decimals)
        else:
            given = given_values(told, judged.code.keys(), name, decimals)
        depth = max(depth, int(np.diff(table.offsets).max(initial=0)))
        ranks = ranks_by_line(read.file) if read.file is not None else None
        covered = np.zeros(10 ** min(given.decimals, 7) + 1, dtype=bool) if given.values is None else None
        others = sum(topic not in judged.code for topic in table.topics)
        cases.append(Case(judged, table, _target(judged, given, others), ranks, covered))
    space = _space(np.unique(judged.level), measure, any_cutoff, depth, cases)
    found = search(space, cases)
    if not found.matches and values is not None:
        solved = replace(space, gains=solved_gains(space, cases[0]), strings=())
        again = search(solved, cases) if solved.gains else Found(0, 0, [], [])
        if again.matches:
            space = replace(space, gains=space.gains | solved.gains)
            found = Found(found.tried + again.tried, again.count, again.matches, found.nearest)
    return answer(space, cases, found)


def _name(source: Any, number: int) -> str:
    if isinstance(source, RunFile):
        source = source.file
    return os.path.basename(source) if isinstance(source, (str, os.PathLike)) else f"run {number}"


def _target(judged: Judged, given: Given, others: int) -> Target:
    if given.values is None:
        return Target(None, given.mean, given.decimals, others)
    values = np.full(len(judged.topics), np.nan)
    for topic, value in given.values.items():
        if topic in judged.code:
            values[judged.code[topic]] = value
    return Target(values, None, given.decimals, others)


# --------------------------------------------------------------------------------------------- what is tried


def _space(
    levels: np.ndarray, measure: Measure | str | None, any_cutoff: bool, depth: int, cases: Sequence[Case]
) -> Space:
    """What to try. Raises `GradedError` for a measure that is unknown."""
    cutoffs = [*map(str, range(1, depth + 1) if any_cutoff else CUTOFFS), ALL_RANKS]
    every = tuple(strings(levels))
    families: tuple[str, ...] = (NDCG, DCG, *STOPS)
    discounts = dict(DISCOUNTS)
    if measure is not None:
        family, wanted = _family(measure)
        cutoff = None if wanted is None else wanted.params.get("cutoff")
        if cutoff is not None:
            cutoffs = [str(cutoff)]
        if family:
            families = (family,)
            every = tuple(each for each in every if each.NAME in LIKE[family])
            base = wanted.params.get("b") if wanted is not None else None
            if base is not None:
                log = float(np.log(base))
                discounts[f"log{base:g} r from rank {base:g} on"] = lambda r: (
                    np.log(np.maximum(r, base)) / log
                )
        else:
            assert wanted is not None
            families = tuple(name for name in STOPS if wanted.NAME.startswith("ERR"))
            bare = wanted(cutoff=None) if "cutoff" in wanted.SUPPORTED_PARAMS else wanted
            every = tuple(dict.fromkeys([each for each in every if each.NAME == wanted.NAME] or [bare]))
    ways = [ROUNDED]
    targets = [case.target for case in cases]
    if min(target.decimals for target in targets) < MOST_DECIMALS:
        ways.append(TRUNCATED)
    if max(target.largest for target in targets) > PERCENT_FROM:
        ways.append(PERCENT)
    if targets[0].values is None:
        ways += SHOWN_FIRST
    return Space(families, every, tuple(cutoffs), gains_for(levels), discounts, tuple(ways))


def _family(measure: Measure | str) -> tuple[str, Measure | None]:
    """nDCG or DCG, if the measure is a definition of it, and the measure."""
    if isinstance(measure, str):
        found = re.fullmatch(r"(?i)dcg(?:@(\d+))?", measure.strip())
        if found:
            (wanted,) = measures_named("CG" + (f"@{found[1]}" if found[1] else ""))
            return DCG, wanted
    wanted, *others = measures_named(measure)
    if others:
        raise GradedError(f"measure {shown(measure)} names several measures; name one")
    return next((family for family, names in LIKE.items() if wanted.NAME in names), ""), wanted
