"""`identify`: from qrels, runs and somebody's values to the definitions that give them. Values by topic are
read from any table of values."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core.by_topic import bounds_of
from ...core.registry.notation import parse_measures
from ...core.rows.id_matching import Ids
from ...core.rows.rows import Rows, repeated_documents
from ...errors import GradedError, shown
from ...evaluation.checked import checks_arguments
from ...evaluation.named import Judgments, Qrels, about, named_runs, read_judgments
from ...evaluation.values import MOST_DECIMALS, decimals_of, number_in, values_by_topic
from ...files.files import RunFile
from ..statistics.options import whole_number
from . import definitions as by
from .answer import Answer, Identification
from .search import search
from .values import Case, Space, solved_gains

DEPTH = 100  # cutoffs to this one are tried if nothing fits


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

    `qrels` and `run` may be in any form. `values` has one value per topic: the path of a file (lines of a
    topic and a value, trec_eval's output with -q, CSV, JSON), a mapping, a DataFrame, or ir-measures'
    metrics; `name` selects one of several measures in it. `mean` is a mean instead, best as a string, which
    keeps its zeros. `also` has more runs, each with its values (or its mean): a definition must give the
    values of all. Of a document that a topic retrieves twice, the first row is used.

    `measure` is the measure, if it is known, such as ``nDCG``, ``DCG`` or ``AP``, perhaps with its cutoff.
    Its parameters are tried, too. `any_cutoff` tries all cutoffs. `decimals` (0 to 15) is the number of
    decimals compared, by default those that the values show, at most 6. A relative difference of 3e-7 is
    allowed in any case, because some tools compute with 32-bit floats.

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
    sources = [(run, mean if values is None else values), *also]
    case = _case(read_judgments(qrels), sources, values is None, name, places)
    usual = _space(case, measure)
    found = search(usual, case)
    if any_cutoff or (mean is None and not found.fitting):
        found = found.plus(search(_all_cutoffs(usual, case, np.inf if any_cutoff else DEPTH), case))
    if by.NDCG in usual["measure"] and not found.fitting and (gains := solved_gains(usual, case)):
        solved = search({**usual, "gain": gains, "measure": {by.NDCG: None}}, case)
        found = found.plus(solved) if solved.fitting else found
    if not found.tried:
        raise GradedError(
            f"identify cannot compute {measure}; give another measure, or none to try all"
        )
    return Answer(case, found).identification()


def _case(
    judgments: Judgments, told: Sequence[Any], by_mean: bool, name: str | None, decimals: int | None
) -> Case:
    """The runs with their values. Several runs become one, with the qrels for each."""
    judged = judgments.judged
    read = []
    for number, (run, given) in enumerate(told, start=1):
        path = run.file if isinstance(run, RunFile) else run
        (named,) = named_runs(
            [(os.path.basename(path) if isinstance(path, str) else f"run {number}", run)]
        )
        with about(named.name):
            table, twice = repeated_documents(named.rows(judgments))
        if by_mean and not np.isfinite(number_in(given)):
            raise GradedError(f"the mean is {shown(given)}; it must be a finite number")
        known = (
            {"": number_in(given)} if by_mean else values_by_topic(given, judged.code.keys(), name)
        )
        read.append((table, twice, known, decimals_of([given] if by_mean else known.values())))
    runs = [table.of_topics(judged.code) for table, *_ in read]
    others = [sum(topic not in judged.code for topic in table.topics) for table, *_ in read]
    repeated = np.concatenate([np.isin(judged.topics, twice) for _, twice, *_ in read])
    given_topics = [""] if by_mean else judged.topics
    numbers = np.array(
        [known.get(topic, np.nan) for *_, known, _ in read for topic in given_topics]
    )
    topics = [*judged.topics]
    if len(runs) > 1:
        topics = [
            f"{topic} (run {number})" for number in range(1, len(runs) + 1) for topic in topics
        ]
    offsets = bounds_of(np.concatenate([np.diff(run.offsets) for run in runs]))
    docs = Ids.concatenated([run.docs.ids() for run in runs])
    scores = np.concatenate([run.values for run in runs])
    run = Rows(runs[0].role, topics, offsets, docs, scores, distinct=True)
    qrels = replace(judged.part(np.tile(np.arange(len(judged.topics)), len(runs))), topics=topics)
    values = np.full(len(topics), np.nan) if by_mean else numbers
    fewest = min(places for *_, places in read) if decimals is None else decimals
    return Case(
        qrels, run, values, numbers if by_mean else None, fewest, np.array(others), repeated
    )


def _space(case: Case, measure: Measure | str | None) -> Space:
    """The definitions to try. Raises `GradedError` for a measure that is unknown."""
    levels = np.unique(case.judged.level)
    # DCG alone is no measure string.
    text = re.sub(r"(?i)^dcg(?=@|$)", "DCG_JK", "" if measure is None else str(measure))
    wanted = parse_measures(text, uncut=True) if text else ()
    families = {by.family(each.NAME) for each in wanted}
    uncut = [
        type(each)(**{key: of for key, of in each.params.items() if key != "cutoff"})
        for each in wanted
    ]
    cutoffs = [str(each.params["cutoff"]) for each in wanted if "cutoff" in each.params]
    bases = [each.params["b"] for each in wanted if "b" in each.params]
    others = {f"log{base:g} r from rank {base:g} on": partial(by.log_from, base) for base in bases}
    by_mean = case.means is not None
    ways = {by.TRUNCATED: case.decimals < MOST_DECIMALS, by.PERCENT: case.digits > case.decimals}
    measures = ({str(each): each for each in uncut if each.params} | by.measures(levels)).items()
    return {
        "measure": {
            name: of for name, of in measures if not families or by.family(name) in families
        },
        "cutoff": {k: np.inf if k == by.ALL_RANKS else float(k) for k in cutoffs or by.CUTOFFS},
        "gain": by.gains_for(levels),
        "discount": by.DISCOUNTS | others,
        "ideal": by.IDEALS,
        "nothing": by.NOTHING,
        "order": by.ORDERS,
        "precision": by.PRECISIONS,
        "documents": by.DOCUMENTS,
        "averaged": by.AVERAGED if by_mean else {},
        "shown": {
            way: of for way, of in by.SHOWN.items() if ways.get(way, by_mean or way == by.ROUNDED)
        },
    }


def _all_cutoffs(space: Space, case: Case, most: float) -> Space:
    """The other cutoffs to the depth of the runs, or to `most`, for what some tool computes otherwise."""
    deepest = int(min(case.ranks.retrieved.max(initial=0), most))
    usual = {
        name: {value: of for value, of in space[name].items() if by.is_usual(name, value)}
        for name in ("gain", "discount", "ideal", "precision", "documents")
    }
    others = {name: of for name, of in space["measure"].items() if not isinstance(of, Measure)}
    cutoffs = {str(k): float(k) for k in range(1, deepest + 1) if str(k) not in space["cutoff"]}
    return {**space, "cutoff": cutoffs, "measure": others or space["measure"], **usual}
