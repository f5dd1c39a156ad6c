"""Which provider of ir-measures computes which measure, and which measures may share a call."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import ir_measures
from ir_measures import Measure, Metric
from ir_measures.providers import Evaluator, Provider
from ir_measures.providers.base import NOT_PROVIDED
from ir_measures.providers.gdeval_provider import GdevalEvaluator

from ..core.measures.standard import definition_of
from ..core.provider import (
    GradedEvaluator,
    GradedProvider,
    check_levels,
    check_whole_levels,
    refuse_crash_of_pytrec_eval,
)
from ..core.registry.facts import HIGHEST_OF_GDEVAL, graded_err, is_err
from ..core.registry.names import registry
from ..errors import GradedError, shown
from ..output.formats import listed
from .named import Judgments, about

Others = list[tuple[list[Measure], Evaluator]]
"""Evaluators of other providers, each with the measures that may safely share it."""


def evaluators(
    measures: Iterable[Measure], judgments: Judgments, provider: Provider | None = None
) -> tuple[GradedEvaluator, Others]:
    """Our evaluator over the qrels, perhaps without a measure, and those of other providers.

    Without a `provider`, ours computes all measures that it can and ir-measures' pipeline the
    others. What neither computes, such as RBP without cwl_eval, ours computes by its definition.
    ir-measures 0.4.3 confuses measures of one call that differ in their parameters: nDCG@10 beside
    nDCG(gains={1:0})@10 sometimes takes its gains, NumRet beside P(judged_only=True)@5 its
    documents.
    """
    measures = list(measures)
    if provider in (None, ir_measures.pytrec_eval):
        check_whole_levels(measures, judgments.documents, judgments.rows)
    ours = provider or GradedProvider()
    graded: list[Measure] = []
    groups: dict[str, list[Measure]] = {}
    for measure in measures:
        if isinstance(ours, GradedProvider) and ours.supports(measure):
            graded.append(measure)
            continue
        definition = definition_of(measure)
        is_computed = any(other.is_available() for other in providers_of(measure))
        if provider is None and definition and not is_computed:
            graded.append(definition)
            continue
        params = [
            (name, value) for name, value in measure.params.items() if name != measure.AT_PARAM
        ]
        groups.setdefault(repr(sorted(params)), []).append(measure)
    qrels = judgments.rows.for_others() if groups else ()
    others: Others = []
    for group in groups.values():
        with explained(group):
            if provider is None:
                refuse_uncomputed(group, judgments.documents.whole.level.max(initial=0))
            if provider in (None, ir_measures.pytrec_eval):
                for measure in filter(ir_measures.pytrec_eval.supports, group):
                    check_levels(measure, judgments.documents, judgments.rows)
                    refuse_crash_of_pytrec_eval(measure, judgments.rows)
            other = (provider or ir_measures.DefaultPipeline).evaluator(group, qrels)
        # The evaluator of several providers gives a default to the topics that one leaves out.
        for evaluator in getattr(other, "evaluators", [other]):
            others.append((list(evaluator.measures), evaluator))
            refuse_for_gdeval(evaluator)
    with about(judgments.name):
        return GradedEvaluator(graded, judgments.rows, judgments.documents), others


def providers_of(measure: Measure) -> list[Provider]:
    """The providers of ir-measures' pipeline that compute the measure, installed or not."""
    return [
        provider for provider in ir_measures.DefaultPipeline.providers if provider.supports(measure)
    ]


def refuse_uncomputed(measures: Iterable[Measure], highest: float = HIGHEST_OF_GDEVAL) -> None:
    """Raise `GradedError` for a measure that no provider computes.

    The message names measures like it, for qrels with this `highest` level.
    """
    for measure in itertools.filterfalse(providers_of, measures):
        if is_err(measure):
            raise GradedError(_without_cutoff(measure, highest))
        alike = _like(measure)
        use = f"; use {' or '.join(map(str, alike))}" if alike else ""
        raise GradedError(f"ir_measures does not compute {measure}{use}")


def _without_cutoff(measure: Measure, highest: float) -> str:
    """What to write in place of ERR without a cutoff."""
    cut = measure @ 20
    if highest > HIGHEST_OF_GDEVAL:
        return (
            f"ERR needs a cutoff, and takes levels up to {HIGHEST_OF_GDEVAL}; use "
            f"{graded_err(cut, highest)}, or {graded_err(measure, highest)} for the whole list, in "
            f"which {highest:g} is the highest level"
        )
    whole_list = f"{graded_err(measure)}, which has its formula"
    if highest in (1, 2, 3):
        other = graded_err(measure, highest)
        whole_list += f", or {other}, in which {highest:g} is the highest level"
    return f"ERR needs a cutoff, as in ERR@20; for the whole list take {whole_list}"


def _like(measure: Measure) -> list[Measure]:
    """Measures that are computed and resemble one that is not.

    They have a level or a cutoff, or are graded.
    """
    candidates = [measure, measure @ 10]
    if "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
        candidates[0] = measure(rel=1)
    computed = [other for other in candidates if providers_of(other) or definition_of(other)]
    alike = computed[:1]
    graded = registry().get(f"{measure.NAME}_G")
    if graded and "cutoff" in measure.params:
        alike.append(graded @ measure.params["cutoff"])
    elif graded:
        alike.append(graded)
    return alike


@contextmanager
def explained(measures: Sequence[Measure]) -> Iterator[None]:
    """Turn any error of another provider into one `GradedError` that names the measures."""
    try:
        yield
    except GradedError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())
        refused = f"cannot compute {listed(measures, 3)}"
        uncut = [measure for measure in measures if _has_no_cutoff(measure)]
        if uncut and str(NOT_PROVIDED) in reason:  # pyndeval takes it for a number
            example = uncut[0] @ 10
            raise GradedError(
                f"{refused}: a cutoff is missing; give one, as in {example}"
            ) from None
        if not isinstance(error, (ValueError, RuntimeError, TypeError)):
            reason = f"{type(error).__name__}: {reason}"
        raise GradedError(f"{refused}: {reason}") from error


def _has_no_cutoff(measure: Measure) -> bool:
    """Whether a measure takes a cutoff and has none."""
    return "cutoff" in measure.SUPPORTED_PARAMS and "cutoff" not in measure.params


def computed_by(evaluator: Evaluator, run: Mapping[str, Mapping[str, float]]) -> list[Metric]:
    """The values of another provider for a run.

    A topic for which the provider divides by zero has no value. Accuracy does so for a topic whose
    documents are all relevant, and would end without the values of the other topics.
    """
    try:
        return list(evaluator.iter_calc(run))
    except ZeroDivisionError:
        # Of a run without a topic, most providers give a default to every topic of the qrels.
        of_empty_run = evaluator.iter_calc({})
        metrics = [metric for metric in of_empty_run if metric.query_id not in run]
        for topic, documents in run.items():
            with suppress(ZeroDivisionError):
                of_topic = list(evaluator.iter_calc({topic: documents}))
                metrics += [metric for metric in of_topic if metric.query_id == topic]
        return metrics


def _as_graded(measure: Measure, highest: float) -> str:
    """The string of the graded measure with gdeval's formula, for levels up to the `highest`."""
    if is_err(measure):
        return graded_err(measure, highest)
    return f"nDCG_Burges@{measure.params['cutoff']}"


READ = r"(0|[1-9][0-9]{0,14}) [^ \t-\r]+"
"""Topic and document as gdeval reads them."""


def refuse_for_gdeval(
    evaluator: Evaluator, run: Mapping[str, Mapping[str, float]] | None = None
) -> None:
    """Raise `GradedError` for qrels, or for a run, that gdeval would misread.

    gdeval is a Perl script behind some measures of ir-measures. It may be one of several
    evaluators.
    """
    for gdeval in getattr(evaluator, "evaluators", [evaluator]):
        if not isinstance(gdeval, GdevalEvaluator):
            continue
        rows = ((row.query_id, row.doc_id, row.relevance) for row in gdeval.qrels)
        if run is not None:
            rows = ((topic, doc, 0) for topic, docs in run.items() for doc in docs)
        for topic, doc, level in rows:
            if not re.fullmatch(READ, f"{topic} {doc}") or level % 1 or level > HIGHEST_OF_GDEVAL:
                names = ", ".join(map(str, gdeval.measures))
                highest = max(HIGHEST_OF_GDEVAL, *(row.relevance for row in gdeval.qrels))
                others = [_as_graded(measure, highest) for measure in gdeval.measures]
                row = f"topic {shown(topic)}, document {shown(doc)}, level {level}"
                raise GradedError(
                    f"cannot compute {names}: gdeval takes topics that are whole numbers, ids "
                    f"without blanks and whole levels up to {HIGHEST_OF_GDEVAL}, not {row}; use "
                    f"{' and '.join(others)}"
                )
