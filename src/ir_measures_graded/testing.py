"""Tests of a measure, for its author: values, declared facts and options, on small topics.

The checks of a test file with pytest::

    from ir_measures_graded.testing import parametrize_with_checks

    @parametrize_with_checks([MyMeasure])
    def test_my_measure(check):
        check()

The admission of a plugin runs the quick ones of these checks (`problem`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, filterfalse, permutations, product
from random import Random
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np

from .arguments import refused
from .core.measures import SR
from .core.measures.base import EXTREMES, GradedMeasure, MeasureError
from .core.measures.gain_sums import GainSum, NormalisedGainSum
from .core.measures.parameters import Choice, Flag
from .core.measures.topics import ratio
from .core.provider import GradedEvaluator, computed, view
from .core.registry.names import normalised, registry
from .core.registry.notation import parse_measure
from .core.uncertainty import with_option
from .errors import GradedError

__all__ = ["check_measure", "checks", "parametrize_with_checks"]

Check = Callable[[GradedMeasure], Iterator[str]]
Documents = dict[str, float]
Case = tuple[Documents, Documents]
Tied = tuple[Documents, tuple[str, ...]]
"""The levels of the judged documents, and the groups of tied documents of a run; x, y and z are
unjudged."""

LEVELS = (0.0, 1.0, 2.0, 3.0)
CUTOFFS = (2, 5)
TOLERANCE = 1e-9
SLOW = 0.2
"""The processor time in seconds for a few topics from which a measure is slow."""
FIELDS = {
    "formula": "the formula in plain text",
    "range": "the range of the values, such as [0, 1]",
    "undefined": "the value where the formula has none",
    "source": "the paper that defines the measure",
}


def check_measure(measure: GradedMeasure) -> None:
    """Raise `AssertionError` with all that is wrong with a measure, and what to change; do nothing
    else.

    The checks are those of `checks`. They take a second or less.

    >>> from ir_measures_graded import Q
    >>> check_measure(Q)
    """
    wrong = []
    for name, check in _CHECKS.items():
        message = _first(check, measure)
        if message:
            wrong.append(f"{name}: {message}")
    if wrong:
        raise AssertionError("\n".join(wrong))


def checks(measure: GradedMeasure) -> dict[str, Callable[[], None]]:
    """The checks of a measure by name; each raises `AssertionError` if it fails.

    - declaration: the docstring has a title, a description and all fields;
    - parameters: values and strings are read as they are printed, and wrong values are refused;
    - values: finite, in the declared range, for empty, single and unjudged lists, and as in a
      batch;
    - order: the best order is better than the worst;
    - options: declared facts, and `ties` and `unjudged` against all orders and judgments, as at
      admission.

    >>> [*checks(parse_measure("CG"))]
    ['declaration', 'parameters', 'values', 'order', 'options']
    """

    def run(check: Check) -> None:
        if message := _first(check, measure):
            raise AssertionError(message)

    return {name: partial(run, check) for name, check in _CHECKS.items()}


def parametrize_with_checks(measures: Iterable[GradedMeasure]) -> Any:
    """A decorator for pytest: the test function gets each check of each measure as its argument
    `check`.
    """
    import pytest

    cases = {
        f"{measure}-{name}": check
        for measure in measures
        for name, check in checks(measure).items()
    }
    return pytest.mark.parametrize("check", [*cases.values()], ids=[*cases])


def problem(measure: GradedMeasure, topics: Sequence[Tied] | None = None) -> str:
    """The reason why the measure fails on all topics, or why a fact or an option is wrong; empty if
    none is found. Facts and options of a slow measure are not tried.
    """
    topics = topics or RANDOM[8:]
    cases = [(qrels, _run(groups)) for qrels, groups in topics]
    start = process_time()  # the load of the machine does not count
    errors = [_error(measure, [case]) for case in cases]
    if all(isinstance(error, MeasureError) for error in errors):
        return str(errors[0])
    if process_time() - start > SLOW:
        return ""
    for cutoff in CUTOFFS if measure.CUTOFF else [None]:
        cut = measure @ cutoff if cutoff else measure
        taken = [each for each in variants(cut) if not (each.INTENTS or _error(each, cases))]
        facts = (
            f"{variant} {wrong}" for variant in taken for wrong in _wrong_facts(variant, cases)
        )
        if wrong := next(facts, "") or next(_wrong_options(taken, cutoff, topics), ""):
            return wrong
    return ""


def variants(measure: GradedMeasure) -> Iterator[GradedMeasure]:
    """The measure, then with each other word or truth value of each of its own parameters, one at a
    time.
    """
    yield measure
    for name, parameter in measure.PARAMETERS.items():
        words = parameter.choices if isinstance(parameter, Choice) else ()
        for value in (True, False) if isinstance(parameter, Flag) else words:
            if value != measure[name]:
                with suppress(GradedError):  # the measure refuses the combination
                    yield measure(**{name: value})


# ------------------------------------------------------------------------------------- the checks


def _first(check: Check, measure: GradedMeasure) -> str:
    """The first message of a check; empty if it has none."""
    if not isinstance(measure, GradedMeasure):
        raise refused("measure", measure, "a measure, an instance of GradedMeasure")
    try:
        return next(check(measure), "")
    except GradedError as error:
        return f"{error}; a measure has a value for every topic"


def _declaration(measure: GradedMeasure) -> Iterator[str]:
    if not (measure.PRETTY_NAME and measure.SHORT_DESC):
        yield (
            f"the docstring of {measure.NAME} has no title; begin it as in 'Cumulated gain: The "
            "gain of …'"
        )
    for field, content in FIELDS.items():
        if not measure.doc_field(field):
            yield f"the docstring of {measure.NAME} lacks :{field}:, {content}"


def _parameters(measure: GradedMeasure) -> Iterator[str]:
    for variant in variants(measure):
        with patch.dict(registry(), {normalised(measure.NAME): type(measure)()}):
            if parse_measure(str(variant)) != variant:
                yield (
                    f"{variant} is read as another measure; let `canonical` return plain numbers "
                    "and words"
                )
    for name, parameter in measure.SUPPORTED_PARAMS.items():
        bounds = getattr(parameter, "bounds", {}).values()
        beyond = [bound + sign for bound in bounds for sign in (-1e-3, 1e-3)]
        for wrong in (
            object(),
            float("nan"),
            "no such word",
            *filterfalse(parameter.validate, beyond),
        ):
            try:
                measure(**{name: wrong})
            except GradedError:
                continue
            except Exception as error:
                kind = type(error).__name__
                yield f"{name}={wrong!r} raises {kind}; let `canonical` raise GradedError"
            else:
                yield f"{name}={wrong!r} is accepted; let `canonical` raise GradedError for it"


def _values(measure: GradedMeasure) -> Iterator[str]:
    low, high = _range(measure)
    for variant in _with_cutoff(measure):
        for case, value in zip(CASES, values_of([variant], CASES)[0], strict=True):
            levels, scores = case
            where = f"{variant} is {value:g} for the levels {levels} and the scores {scores}"
            if not low - TOLERANCE <= value <= high + TOLERANCE:
                yield f"{where}, outside its :range: {measure.doc_field('range')}"
            if values_of([variant], [case])[0, 0] != value:
                yield (
                    f"{where} among other topics, but not alone; keep no state and use no other "
                    "topics"
                )


def _with_cutoff(measure: GradedMeasure) -> list[GradedMeasure]:
    """The measure, and with a cutoff if it can have one."""
    if measure.CUTOFF:
        return [measure, measure @ 2]
    return [measure]


def _range(measure: GradedMeasure) -> tuple[float, float]:
    """The bounds of the docstring's range; infinite where it has no number."""
    interval = re.match(r"[\[(]([^,]+),\s*([^\])]+)[\])]", measure.doc_field("range"))
    if interval is None:
        return -math.inf, math.inf
    return _bound(interval[1], -math.inf), _bound(interval[2], math.inf)


def _bound(text: str, infinite: float) -> float:
    """A bound of a range; `infinite` if it is no number, such as the greatest gain."""
    try:
        return float(text.replace("−", "-").replace("∞", "inf"))
    except ValueError:
        return infinite


def _order(measure: GradedMeasure) -> Iterator[str]:
    sign = -1 if measure.smaller_is_better else 1
    by_level = [(qrels, sorted(qrels, key=qrels.__getitem__)) for qrels, _ in CASES]
    best = [(qrels, _run(reversed(docs))) for qrels, docs in by_level]
    worst = [(qrels, _run(docs)) for qrels, docs in by_level]
    for variant in _with_cutoff(measure):
        high = sign * values_of([variant], best)[0].mean()
        low = sign * values_of([variant], worst)[0].mean()
        if high < low - TOLERANCE:
            means = f"the mean {sign * high:g}, the worst {sign * low:g}"
            yield (
                f"the best order of all documents has {means}; declare "
                f"SMALLER_IS_BETTER = {sign > 0}"
            )


def _options(measure: GradedMeasure) -> Iterator[str]:
    yield from filter(None, [problem(measure)])


_CHECKS = {
    check.__name__.removeprefix("_"): check
    for check in (_declaration, _parameters, _values, _order, _options)
}

# ------------------------------------------------------------------------------- facts and options


def _wrong_options(
    measures: Sequence[GradedMeasure], cutoff: int | None, topics: Sequence[Tied]
) -> Iterator[str]:
    """What is wrong with the options `ties` and `unjudged` of measures with this cutoff."""
    for option, words in ("ties", ("mean", *EXTREMES)), ("unjudged", EXTREMES):
        given, possible = zip(*(_possible(option, *topic, cutoff) for topic in topics), strict=True)
        every = values_of(measures, [*chain(*possible)])
        by_topic = np.split(every, np.cumsum([*map(len, possible)])[:-1], axis=1)
        offered = [
            (row, word, chosen)
            for row, measure in enumerate(measures)
            for word in words
            if (chosen := with_option(measure, option, word)) is not None
        ]
        for (row, word, chosen), found in zip(
            offered, values_of([each for *_, each in offered], given), strict=True
        ):
            for value, values in zip(found, by_topic, strict=True):
                right = getattr(np, word)(values[row])
                if not _equal(value, right):
                    yield f"{chosen} is {value:.4g} for a small topic, where {right:.4g} is right"


def _possible(
    option: str, qrels: Documents, groups: Iterable[str], cutoff: int | None
) -> tuple[Case, list[Case]]:
    """A topic with ties or with unjudged documents, and the topic with each order or judgment of
    them.
    """
    orders = [_run(chain(*order)) for order in product(*map(permutations, groups))]
    if option == "ties":
        return (qrels, _run(groups)), [(qrels, order) for order in orders]
    run = orders[-1]
    unjudged = [doc for doc in [*run][:cutoff] if doc in "xyz"]
    judged = (
        dict(zip(unjudged, levels, strict=True)) for levels in product(LEVELS, repeat=len(unjudged))
    )
    return (qrels, run), [(qrels | levels, run) for levels in judged]


def _wrong_facts(measure: GradedMeasure, cases: Sequence[Case]) -> Iterator[str]:
    """The declarations that do not hold."""
    values = values_of([measure], cases)
    retrieved = [({doc: qrels[doc] for doc in qrels if doc in run}, run) for qrels, run in cases]
    if not measure.RECALL_BASE and not _equal(values_of([measure], retrieved), values):
        yield "depends on documents that are not retrieved; declare RECALL_BASE = True"
    beside = values_of([measure], [*cases, ({"a": 9.0}, {"a": 1.0})])[:, : len(cases)]
    if not measure.needs_all_topics and not _equal(beside, values):
        yield "depends on other topics; declare needs_all_topics"
    evaluator, runs = _evaluator([measure], cases)
    (ranks,) = evaluator.reduced(runs)
    topics = view(measure, ranks)
    if isinstance(measure, NormalisedGainSum) and (documents := measure.ideal_documents):
        ideal = measure.ideal(topics)
        best = SR(ideal=documents).ideal(topics if measure.IDEAL_IS_CUT else topics.cut(None))
        if not _equal(ideal.vector(ideal.gain, 9), best.vector(best.gain, 9)):
            yield f"has no ideal list of the {documents} documents; declare ideal_documents"
    if isinstance(measure, GainSum) and measure.LINEAR and not measure.averages:
        weights, run = measure.rank_weights(9), topics.run
        sums = run.sum(run.gain * weights[run.rank - 1])
        if isinstance(measure, NormalisedGainSum):
            ideal = measure.ideal(topics)
            sums = ratio(sums, ideal.sum(ideal.gain * weights[ideal.rank - 1]))
        if not _equal(sums, measure.values(topics)):
            yield "is no weighted sum of gains; declare LINEAR = False"
    if measure.CUTOFF:
        curve = computed(measure, topics.cut(None), lambda each: measure.curve(each, 5), (5,))
        if not _equal(
            curve[: len(cases)].T, values_of([measure @ rank for rank in range(1, 6)], cases)
        ):
            yield "has a curve that differs from the values with its cutoffs"


def _error(measure: GradedMeasure, cases: Sequence[Case]) -> GradedError | None:
    """The error if the measure fails (`MeasureError`) or refuses the topics; None if it has
    values.
    """
    try:
        values_of([measure], cases)
    except GradedError as error:
        return error
    return None


def _equal(one: Any, other: Any) -> bool:
    return bool(np.allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE))


# ------------------------------------------------------------------------------------- the topics


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
        every = [
            (topic, doc, level) for topic, judged in qrels.items() for doc, level in judged.items()
        ]
        qrels = [(*row, intent) for row in every for intent in "12"]
    runs = {str(number): run for number, (_, run) in enumerate(cases)}
    return GradedEvaluator(measures, qrels), runs | {"levels": _run("3210")}


def _run(groups: Iterable[Sequence[str]]) -> Documents:
    """A run in which the documents of a group are tied, with scores in (0, 1], which some measures
    read.
    """
    return {doc: 1 - place / 64 for place, group in enumerate(groups) for doc in group}


def _random_topics() -> Iterator[Tied]:
    yield {"a": 2}, ("a",)
    yield {"a": 3, "b": 1}, ()
    yield {"a": 3, "b": 1}, ("xy",)
    yield {"a": 0, "b": 0}, ("bxa",)
    random = Random(1)
    for _ in range(12):
        qrels = {doc: random.choice(LEVELS) for doc in "abcdef"[: random.randint(2, 6)]}
        docs = "".join(random.sample([*qrels, *"xyz"], random.randint(1, len(qrels) + 2)))
        yield qrels, tuple(re.findall(f".{{1,{random.randint(1, 3)}}}", docs))
    yield {"a": 1, "b": 2, "c": 3}, ("abc",)  # gains that differ are tied across a cutoff


RANDOM = [*_random_topics()]
CASES = [(qrels, _run("".join(groups))) for qrels, groups in RANDOM]
