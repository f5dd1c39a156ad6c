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
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from .arguments import items, refused
from .core.measures import SR
from .core.measures.base import EXTREMES, GradedMeasure, MeasureError
from .core.measures.gain_sums import GainSum, NormalisedGainSum
from .core.measures.parameters import Choice, Flag
from .core.measures.topics import Topics, ratio
from .core.provider import GradedEvaluator, computed, view
from .core.registry.names import normalised, registry
from .core.registry.notation import parse_measure
from .core.uncertainty import with_option
from .errors import GradedError, shown

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

    The checks are those of `checks`. They take a second or less. Raises `GradedError` for anything
    but a graded measure.

    >>> from ir_measures_graded import Q
    >>> check_measure(Q)
    """
    _refuse_other(measure)
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

    _refuse_other(measure)

    def run(check: Check) -> None:
        message = _first(check, measure)
        if message:
            raise AssertionError(message)

    return {name: partial(run, check) for name, check in _CHECKS.items()}


def parametrize_with_checks(measures: Iterable[GradedMeasure]) -> Any:
    """A decorator for pytest: the test function gets each check of each of the `measures` as its
    argument `check`.

    >>> @parametrize_with_checks([parse_measure("CG")])
    ... def test_measure(check):
    ...     check()
    """
    import pytest

    cases = {}
    for measure in items("measures", measures, "measures, instances of GradedMeasure"):
        for name, check in checks(measure).items():
            cases[f"{measure}-{name}"] = check
    return pytest.mark.parametrize("check", list(cases.values()), ids=list(cases))


def problem(measure: GradedMeasure, topics: Sequence[Tied] | None = None) -> str:
    """The reason why the measure fails on all topics, or why a fact or an option is wrong; empty if
    none is found. Facts and options of a slow measure are not tried.
    """
    topics = topics or RANDOM[8:]
    cases = [(qrels, _run(groups)) for qrels, groups in topics]
    start = process_time()  # the load of the machine does not count
    first_variant = _with_cutoff(measure)[0]
    errors = [_error(first_variant, [case]) for case in cases]
    if all(isinstance(error, MeasureError) for error in errors):
        return str(errors[0])
    if process_time() - start > SLOW:
        return ""
    cutoffs: Sequence[int | None] = CUTOFFS if measure.CUTOFF else [None]
    for cutoff in cutoffs:
        with_cutoff = measure @ cutoff if cutoff else measure
        tried = []
        for variant in variants(with_cutoff):
            if not variant.INTENTS and not _error(variant, cases):
                tried.append(variant)
        for variant in tried:
            for wrong_fact in _wrong_facts(variant, cases):
                return f"{variant} {wrong_fact}"
        for wrong_option in _wrong_options(tried, cutoff, topics):
            return wrong_option
    return ""


def variants(measure: GradedMeasure) -> Iterator[GradedMeasure]:
    """The measure, then with each other word or truth value of each of its own parameters, one at a
    time.
    """
    yield measure
    for name, parameter in measure.PARAMETERS.items():
        values: Iterable[Any] = ()
        if isinstance(parameter, Choice):
            values = parameter.choices
        elif isinstance(parameter, Flag):
            values = (True, False)
        for value in values:
            if value != measure[name]:
                with suppress(GradedError):  # the measure refuses the combination
                    yield measure(**{name: value})


# ------------------------------------------------------------------------------------- the checks


def _refuse_other(measure: Any) -> None:
    """Raise `GradedError` for anything but a graded measure."""
    if isinstance(measure, str):
        rule = f"a measure, such as parse_measure({shown(measure)})"
        raise refused("measure", measure, rule)
    if not isinstance(measure, GradedMeasure):
        raise refused("measure", measure, "a measure, an instance of GradedMeasure")


def _first(check: Check, measure: GradedMeasure) -> str:
    """The first message of a check; empty if it has none."""
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
    """The measure unless it needs a cutoff, and with a cutoff if it can have one."""
    if measure.CUTOFF_REQUIRED:
        return [measure @ 2]
    if measure.CUTOFF:
        return [measure, measure @ 2]
    return [measure]


def _range(measure: GradedMeasure) -> tuple[float, float]:
    """The bounds of the docstring's range; infinite where it has no number."""
    interval = re.match(r"[\[(]([^,]+),\s*([^\])]+)[\])]", measure.doc_field("range"))
    if interval is None:
        return -math.inf, math.inf
    lowest = _bound(interval[1], -math.inf)
    highest = _bound(interval[2], math.inf)
    return lowest, highest


def _bound(text: str, infinite: float) -> float:
    """A bound of a range; `infinite` if it is no number, such as the greatest gain."""
    try:
        return float(text.replace("−", "-").replace("∞", "inf"))
    except ValueError:
        return infinite


def _order(measure: GradedMeasure) -> Iterator[str]:
    sign = -1 if measure.smaller_is_better else 1
    best = []
    worst = []
    for qrels, _ in CASES:
        ascending = sorted(qrels, key=qrels.__getitem__)
        best.append((qrels, _run(reversed(ascending))))
        worst.append((qrels, _run(ascending)))
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


class Offered(NamedTuple):
    """A measure with an option, the word of the option and the row of the measure without it."""

    row: int
    word: str
    measure: GradedMeasure


def _wrong_options(
    measures: Sequence[GradedMeasure], cutoff: int | None, topics: Sequence[Tied]
) -> Iterator[str]:
    """What is wrong with the options `ties` and `unjudged` of measures with this cutoff."""
    for option, words in (("ties", ("mean", *EXTREMES)), ("unjudged", EXTREMES)):
        pairs = [_possible(option, qrels, groups, cutoff) for qrels, groups in topics]
        uncertain_cases = [case for case, _ in pairs]
        cases_of_topics = [possible_cases for _, possible_cases in pairs]
        # One call evaluates the possible cases of all topics.
        values = values_of(measures, list(chain.from_iterable(cases_of_topics)))
        ends = np.cumsum([len(possible_cases) for possible_cases in cases_of_topics])
        values_of_topics = np.split(values, ends[:-1], axis=1)
        offered = []
        for row, measure in enumerate(measures):
            for word in words:
                chosen = with_option(measure, option, word)
                if chosen is not None:
                    offered.append(Offered(row, word, chosen))
        values_with_option = values_of([offer.measure for offer in offered], uncertain_cases)
        for offer, by_topic in zip(offered, values_with_option, strict=True):
            for value, possible_values in zip(by_topic, values_of_topics, strict=True):
                right = getattr(np, offer.word)(possible_values[offer.row])
                if not _equal(value, right):
                    wrong = f"{value:.4g} for a small topic, where {right:.4g} is right"
                    yield f"{offer.measure} is {wrong}"


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
    unjudged = [doc for doc in list(run)[:cutoff] if doc in "xyz"]
    cases = []
    for levels in product(LEVELS, repeat=len(unjudged)):
        judgments = dict(zip(unjudged, levels, strict=True))
        cases.append((qrels | judgments, run))
    return (qrels, run), cases


def _wrong_facts(measure: GradedMeasure, cases: Sequence[Case]) -> Iterator[str]:
    """The declarations that do not hold."""
    values = values_of([measure], cases)
    retrieved = []
    for qrels, run in cases:
        retrieved_qrels = {doc: level for doc, level in qrels.items() if doc in run}
        retrieved.append((retrieved_qrels, run))
    if not measure.RECALL_BASE and not _equal(values_of([measure], retrieved), values):
        yield "depends on documents that are not retrieved; declare RECALL_BASE = True"
    other_topic = ({"a": 9.0}, {"a": 1.0})
    beside = values_of([measure], [*cases, other_topic])[:, : len(cases)]
    if not measure.needs_all_topics and not _equal(beside, values):
        yield "depends on other topics; declare needs_all_topics"
    evaluator, runs = _evaluator([measure], cases)
    (ranks,) = evaluator.reduced(runs)
    topics = view(measure, ranks)
    if isinstance(measure, NormalisedGainSum) and measure.ideal_documents:
        documents = measure.ideal_documents
        ideal = measure.ideal(topics)
        topics_of_ideal = topics if measure.IDEAL_IS_CUT else topics.cut(None)
        # SR also has an ideal list of these documents.
        best = SR(ideal=documents).ideal(topics_of_ideal)
        if not _equal(ideal.vector(ideal.gain, 9), best.vector(best.gain, 9)):
            yield f"has no ideal list of the {documents} documents; declare ideal_documents"
    if isinstance(measure, GainSum) and measure.LINEAR and not measure.averages:
        weights = measure.rank_weights(9)
        listed = topics.run
        sums = listed.sum(listed.gain * weights[listed.rank - 1])
        if isinstance(measure, NormalisedGainSum):
            ideal = measure.ideal(topics)
            ideal_sums = ideal.sum(ideal.gain * weights[ideal.rank - 1])
            sums = ratio(sums, ideal_sums)
        if not _equal(sums, measure.values(topics)):
            yield "is no weighted sum of gains; declare LINEAR = False"
    if measure.CUTOFF:

        def curve_of(uncut: Topics) -> np.ndarray:
            return measure.curve(uncut, 5)

        curve = computed(measure, topics.cut(None), curve_of, (5,))
        by_cutoff = values_of([measure @ rank for rank in range(1, 6)], cases)
        if not _equal(curve[: len(cases)].T, by_cutoff):
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
    values = [metric.value for metric in evaluator.iter_calc(run)]
    with_levels = np.reshape(values, (len(measures), len(cases) + 1))
    return with_levels[:, :-1]


def _evaluator(
    measures: Sequence[GradedMeasure], cases: Sequence[Case]
) -> tuple[GradedEvaluator, dict[str, Documents]]:
    """An evaluator of the qrels of some topics, and their run. One more topic has all levels."""
    qrels: Any = {}
    runs = {}
    for number, (judged, run) in enumerate(cases):
        qrels[str(number)] = judged
        runs[str(number)] = run
    qrels["levels"] = {str(level): level for level in range(4)}
    runs["levels"] = _run("3210")
    if any(measure.INTENTS for measure in measures):
        qrels = list(_with_intents(qrels))
    return GradedEvaluator(measures, qrels), runs


def _with_intents(qrels: dict[str, Documents]) -> Iterator[tuple[str, str, float, str]]:
    """The rows of qrels in which each document has its level for two intents."""
    for topic, judged in qrels.items():
        for doc, level in judged.items():
            for intent in ("1", "2"):
                yield topic, doc, level, intent


def _run(groups: Iterable[Sequence[str]]) -> Documents:
    """A run in which the documents of a group are tied, with scores in (0, 1], which some measures
    read.
    """
    scores = {}
    for place, group in enumerate(groups):
        for doc in group:
            scores[doc] = 1 - place / 64
    return scores


def _random_topics() -> Iterator[Tied]:
    yield {"a": 2}, ("a",)
    yield {"a": 3, "b": 1}, ()
    yield {"a": 3, "b": 1}, ("xy",)
    yield {"a": 0, "b": 0}, ("bxa",)
    random = Random(1)
    for _ in range(12):
        judged_docs = "abcdef"[: random.randint(2, 6)]
        qrels = {doc: random.choice(LEVELS) for doc in judged_docs}
        retrieved = random.sample([*qrels, *"xyz"], random.randint(1, len(qrels) + 2))
        longest_tie = random.randint(1, 3)
        groups = re.findall(f".{{1,{longest_tie}}}", "".join(retrieved))
        yield qrels, tuple(groups)
    yield {"a": 1, "b": 2, "c": 3}, ("abc",)  # gains that differ are tied across a cutoff


RANDOM = list(_random_topics())
CASES = [(qrels, _run("".join(groups))) for qrels, groups in RANDOM]
