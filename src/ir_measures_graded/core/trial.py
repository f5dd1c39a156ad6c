"""A trial of a plugin's measure on small topics: its values, its declared facts, and its options against all
orders of tied documents and all judgments of unjudged ones."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, permutations, product, takewhile
from time import perf_counter
from typing import Any

import numpy as np

from ..errors import GradedError
from .measures.base import EXTREMES, GradedMeasure, MeasureError
from .measures.parameters import Choice, Flag
from .measures.sums import Normalised, SumOverRanks, WeightedGains
from .measures.topics import Topics, ratio
from .provider import GradedEvaluator, computed, view
from .uncertainty import with_option

Documents = dict[str, float]
Case = tuple[Documents, Documents]
Tied = tuple[Documents, tuple[str, ...]]
TOPICS: tuple[Tied, ...] = (
    ({"a": 3, "b": 1, "c": 0, "d": 2, "e": 1}, ("c", "abx", "dy")),
    ({"a": 1, "b": 3, "c": 2, "d": 2}, ("ax", "y", "c")),
    ({"a": 2, "b": 1, "c": 1}, ("bc", "xy")),
    ({"a": 1, "b": 0}, ("xa",)),
)
"""The levels of the judged documents, and the groups of tied documents of a run; x and y are unjudged."""
LEVELS = (0.0, 1.0, 2.0, 3.0)
CUTOFFS = (3, 5)
TOLERANCE = 1e-9
SLOW = 0.2
"""The time in seconds for a few topics from which a measure is slow."""


def problem(measure: GradedMeasure, topics: Sequence[Tied] = TOPICS) -> str:
    """The reason why the measure fails on all topics, or why a fact or an option is wrong; empty if none is
    found. Facts and options of a slow measure are not tried."""
    plain = [(qrels, _run(groups)) for qrels, groups in topics]
    start = perf_counter()
    failures = takewhile(bool, (_failure(measure, [case]) for case in plain))
    if len(found := [*failures]) == len(plain):
        return found[0]
    if perf_counter() - start > SLOW:
        return ""
    for cutoff in CUTOFFS if measure.CUTOFF else [None]:
        cut = measure @ cutoff if cutoff else measure
        taken = [variant for variant in variants(cut) if _takes(variant, plain)]
        facts = (f"{variant} {wrong}" for variant in taken for wrong in _wrong_facts(variant, plain))
        if wrong := next(facts, "") or next(_wrong_options(taken, cutoff, topics), ""):
            return wrong
    return ""


def _run(groups: Iterable[Sequence[str]]) -> Documents:
    """A run in which the documents of a group are tied, with scores in (0, 1], which some measures read."""
    return {doc: 1 - place / 64 for place, group in enumerate(groups) for doc in group}


def _failure(measure: GradedMeasure, cases: Sequence[Case]) -> str:
    """The reason why the measure has no value; empty if it has one, or refuses the judgments."""
    try:
        values_of([measure], cases)
    except MeasureError as error:
        return str(error)
    except GradedError:
        pass
    return ""


def _takes(measure: GradedMeasure, cases: Sequence[Case]) -> bool:
    """Whether the measure has a value for the topics, which have no intents."""
    with suppress(GradedError):
        return not measure.INTENTS and bool(values_of([measure], cases).size)
    return False


def variants(measure: GradedMeasure) -> Iterator[GradedMeasure]:
    """The measure, then with each other word or truth value of each of its own parameters, one at a time."""
    yield measure
    for name, parameter in measure.PARAMETERS.items():
        words = parameter.choices if isinstance(parameter, Choice) else ()
        for value in (True, False) if isinstance(parameter, Flag) else words:
            if value != measure[name]:
                with suppress(GradedError):  # the measure refuses the combination
                    yield measure(**{name: value})


def _wrong_options(
    measures: Sequence[GradedMeasure], cutoff: int | None, topics: Sequence[Tied]
) -> Iterator[str]:
    """What is wrong with the options `ties` and `unjudged` of measures with this cutoff."""
    for option, words in ("ties", ("mean", *EXTREMES)), ("unjudged", EXTREMES):
        given: list[Case] = []
        cases: list[list[Case]] = []
        for qrels, groups in topics:
            orders = [_run(chain(*order)) for order in product(*map(permutations, groups))]
            seen = (
                [*orders[-1]][: measures[0]["cutoff"]] if measures and measures[0].CUTOFF else [*orders[-1]]
            )
            unjudged = sorted({*"xyz"}.intersection(seen))
            judged = (dict(zip(unjudged, levels)) for levels in product(LEVELS, repeat=len(unjudged)))
            given.append((qrels, _run(groups) if option == "ties" else orders[-1]))
            if option == "ties":
                cases.append([(qrels, order) for order in orders])
            else:
                cases.append([(qrels | levels, orders[-1]) for levels in judged])
        offered = [
            (row, word, with_word)
            for row, measure in enumerate(measures)
            for word in words
            if (with_word := with_option(measure, option, word)) is not None
        ]
        found = values_of([with_word for *_, with_word in offered], given)
        every = np.split(values_of(measures, [*chain(*cases)]), np.cumsum([*map(len, cases)])[:-1], axis=1)
        for (row, word, with_word), values in zip(offered, found):
            for value, of_cases in zip(values, every):
                right = getattr(np, word)(of_cases[row])
                if not _equal(value, right):
                    yield f"{with_word} is {value:.4g} for a small topic, where {right:.4g} is right"


def _wrong_facts(measure: GradedMeasure, cases: Sequence[Case]) -> Iterator[str]:
    """The declarations that do not hold."""
    values = values_of([measure], cases)
    retrieved = [({doc: qrels[doc] for doc in qrels if doc in run}, run) for qrels, run in cases]
    if not measure.RECALL_BASE and not _equal(values_of([measure], retrieved), values):
        yield "depends on documents that are not retrieved; declare RECALL_BASE = True"
    beside = values_of([measure], [*cases, ({"a": 9.0}, {})])[:, : len(cases)]
    if not measure.needs_all_topics and not _equal(beside, values):
        yield "depends on other topics; declare needs_all_topics"
    evaluator, runs = _evaluator([measure], cases)
    (ranks,) = evaluator.reduced(runs)
    topics = view(measure, ranks)
    if isinstance(measure, SumOverRanks):
        yield from _wrong_form(measure, topics)
    if measure.CUTOFF:
        curve = computed(measure, topics.cut(None), lambda each: measure.curve(each, 5), (5,))
        if not _equal(curve[: len(cases)].T, values_of([measure @ rank for rank in range(1, 6)], cases)):
            yield "has a curve that differs from the values with its cutoffs"


def _wrong_form(measure: SumOverRanks, topics: Topics) -> Iterator[str]:
    """The declarations of a sum over ranks that do not hold."""
    scaled = Topics(topics.ranks, topics.gains, topics.cutoff, 2.0**-40)
    if measure.RATIO and not _equal(measure.values(scaled), measure.values(topics)):
        yield "changes if all gains are multiplied by one number; declare RATIO = False"
    if isinstance(measure, Normalised) and measure.ideal_documents:
        uncut = topics if measure.IDEAL_IS_CUT else topics.cut(None)
        best = uncut.ideal if measure.ideal_documents == "judged" else _best_retrieved(uncut)
        ideal = measure.ideal(topics)
        if not _equal(ideal.vector(ideal.gain, 9), best.vector(best.gain, 9)):
            yield f"has no ideal list of the {measure.ideal_documents} documents; declare ideal_documents"
    if isinstance(measure, WeightedGains) and measure.LINEAR and not measure.averages:
        weights, run = measure.rank_weights(9), topics.run
        sums = run.sum(run.gain * weights[run.rank - 1])
        if isinstance(measure, Normalised):
            ideal = measure.ideal(topics)
            sums = ratio(sums, ideal.sum(ideal.gain * weights[ideal.rank - 1]))
        if not _equal(sums, measure.values(topics)):
            yield "is no weighted sum of gains; declare LINEAR = False"


def _best_retrieved(topics: Topics) -> Any:
    """The gains of the run's whole list in descending order, up to the cutoff."""
    run = topics.whole_run
    order = np.lexsort((-run.gain, run.topic))
    best = run.with_gain(run.gain[order])
    return type(run)(run.topic_count, run.topic, best.number, best.gain).first(topics.cutoff)


def _equal(one: Any, other: Any) -> bool:
    return bool(np.allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE))


def values_of(measures: Sequence[GradedMeasure], cases: Sequence[Case]) -> np.ndarray:
    """The values of each measure for pairs of qrels and run."""
    evaluator, run = _evaluator(measures, cases)
    found = [metric.value for metric in evaluator.iter_calc(run)]
    return np.reshape(found, (len(measures), len(cases) + 1))[:, :-1]


def _evaluator(
    measures: Sequence[GradedMeasure], cases: Sequence[Case]
) -> tuple[GradedEvaluator, dict[str, Documents]]:
    """An evaluator of the qrels of some topics, and their run. One more topic has all levels."""
    qrels: Any = {str(number): judged for number, (judged, _) in enumerate(cases)}
    qrels["levels"] = {str(level): level for level in range(4)}
    if any(measure.INTENTS for measure in measures):
        every = [(topic, doc, level) for topic, judged in qrels.items() for doc, level in judged.items()]
        qrels = [(*row, intent) for row in every for intent in "12"]
    runs = {str(number): run for number, (_, run) in enumerate(cases)}
    return GradedEvaluator(measures, qrels), runs | {"levels": _run("3210")}
