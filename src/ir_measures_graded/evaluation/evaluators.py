"""Which provider of ir-measures computes which measure, and which measures may share a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import ir_measures
from ir_measures import Measure
from ir_measures.providers import Evaluator, Provider

from ..errors import GradedError, shown
from ..registry.names import registry
from .gdeval import with_checks
from .named import Judgments, about
from .provider import GradedEvaluator, GradedProvider


def provider_named(name: str | None, measures: Sequence[Measure]) -> Provider | None:
    """The provider of that name, None for None.

    Raises `GradedError` for an unknown name, and for a measure that the provider lacks.
    """
    if name is None:
        return None
    known = ir_measures.providers.registry
    if name not in known:
        raise GradedError(f"there is no provider {shown(name)}; ir_measures has {', '.join(known)}")
    provider = known[name]
    if not provider.is_available():
        how = provider.install_instructions()
        hint = f"; to install it: {how}" if how else ""
        raise GradedError(f"the provider {name} is not available here{hint}")
    missing = [str(measure) for measure in measures if not provider.supports(measure)]
    if missing:
        raise GradedError(f"the provider {name} does not compute {', '.join(missing)}")
    return provider


Others = list[tuple[list[Measure], Evaluator]]
"""Evaluators of other providers, each with the measures that may safely share it."""


def evaluators(
    measures: Iterable[Measure], judgments: Judgments, provider: Provider | None = None
) -> tuple[GradedEvaluator | None, Others]:
    """Our evaluator over the qrels, if it has a measure, and those of other providers.

    Without a `provider`, ours computes all measures that it can and ir-measures' pipeline the others.
    ir-measures 0.4.3 confuses measures of one call that differ in their parameters: nDCG@10 beside
    nDCG(gains={1:0})@10 sometimes takes its gains, NumRet beside P(judged_only=True)@5 its documents.
    """
    ours = provider or GradedProvider()
    graded: list[Measure] = []
    groups: dict[str, list[Measure]] = {}
    for measure in measures:
        if isinstance(ours, GradedProvider) and ours.supports(measure):
            graded.append(measure)
        else:
            given = {name: value for name, value in measure.params.items() if name != measure.AT_PARAM}
            groups.setdefault(repr(sorted(given.items())), []).append(measure)
    qrels = judgments.source.for_others() if groups else ()
    others: Others = []
    for group in groups.values():
        with explained(group):
            if provider is None:
                _refuse_uncomputed(group)
            other = (provider or ir_measures.DefaultPipeline).evaluator(group, qrels)
            others.append((group, with_checks(other)))
    with about(judgments.name):
        return GradedEvaluator(graded, judgments.table, judgments.documents) if graded else None, others


def _refuse_uncomputed(measures: Iterable[Measure]) -> None:
    """Raise `GradedError` for a measure that no provider computes; the message names measures like it."""

    def computed(measure: Measure) -> bool:
        return any(provider.supports(measure) for provider in ir_measures.DefaultPipeline.providers)

    for measure in measures:
        if not computed(measure):
            takes_rel = "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params
            binary = measure(rel=1) if takes_rel else measure
            alike = [other for other in (binary, measure @ 10) if computed(other)][:1]
            alike += [registry()[name] for name in [f"{measure.NAME}_G"] if name in registry()]
            use = f"; use {' or '.join(map(str, alike))}" if alike else ""
            raise GradedError(f"ir_measures does not compute {measure}{use}")


@contextmanager
def explained(measures: Sequence[Measure]) -> Iterator[None]:
    """Turn any error of another provider into one `GradedError` that names the measures."""
    try:
        yield
    except GradedError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())
        if not isinstance(error, (ValueError, RuntimeError, TypeError)):
            reason = f"{type(error).__name__}: {reason}"
        names = [*map(str, measures[:3]), *(["…"] if len(measures) > 3 else [])]
        raise GradedError(f"cannot compute {', '.join(names)}: {reason}") from error
