"""Adds our provider to ir-measures' pipeline, and our parser and readable inputs behind its
functions.

ir-measures does not look for third-party measures, so importing this package calls `install`. A
repeated call of any function here has no further effect.
"""

import types
from collections.abc import Mapping
from typing import Any

import ir_measures
import ir_measures.providers
import ir_measures.util

from ...arguments import flag
from ...errors import needed, warn_of_registration
from ..rows.arrow import exports_arrow, whole_table
from ..rows.id_columns import IntegersAsText, has_integer_topics, topics_of
from ..rows.lists import by_index, is_list, names_topics, relevant_documents, sequence_of
from ..rows.roles import QRELS, RUN
from ..rows.rows import refuse_repeated
from ..rows.sources import read_run
from .names import class_name


def install(provider: ir_measures.Provider, graded_only: ir_measures.Provider) -> None:
    """Add our parser to ir-measures, `provider` to its registry, `graded_only` to its default
    pipeline.
    """
    holder = ir_measures.providers.registry.get(provider.NAME, provider)
    if class_name(holder) == class_name(provider):
        ir_measures.providers.register(provider)
    else:
        warn_of_registration(
            f"the provider {provider.NAME} is not registered: ir_measures already has one"
        )
    ours, others = _ours_and_others()
    accelerated = any(earlier.standard for earlier in ours)  # keep the setting of an earlier import
    ir_measures.DefaultPipeline.providers[:] = others + [graded_only]
    accelerate(accelerated)
    redirect(ir_measures.util.parse_measure, _parse_measure)
    redirect(ir_measures.util.QrelsConverter.__init__, _convert_qrels)
    redirect(ir_measures.util.RunConverter.__init__, _convert_run)


def accelerate(on: bool = True) -> None:
    """Let ir-measures compute its standard measures with this package; ``on=False`` undoes this.

    From then on ``ir_measures.calc_aggregate`` and everything else that uses ir-measures' default
    pipeline, including PyTerrier, computes P, R, RR, AP, nDCG, Rprec, Success, Judged, Bpref, SetP,
    SetR, NumQ, NumRel, NumRet and NumRelRet from the one reduction of the run that the graded
    measures use. Every value and mean is equal, to the last bit, to what ir-measures yields for the
    measure by itself, and topics come in the same order. All other measures stay with ir-measures'
    own providers, and so do parameters for which equality cannot be guaranteed, such as gains that
    are not whole numbers. A repeated call has no effect.

    >>> from ir_measures import P, calc_aggregate
    >>> qrels, run = {"q1": {"a": 1, "b": 2}}, {"q1": {"a": 2.0, "x": 1.0}}
    >>> accelerate()
    >>> calc_aggregate([P @ 2], qrels, run)
    {P@2: 0.5}
    >>> accelerate(False)

    Two things differ. `GradedError` refuses probable mistakes: a document that a topic retrieves or
    judges twice, ids that are not strings, a score that is NaN. Measures of one call that differ
    only in their parameters are not confused.

    Raises `GradedError` if `on` is neither True nor False.
    """
    ours, others = _ours_and_others()
    is_on = flag("on", on)
    for provider in ours:
        provider.standard = is_on
    in_order = ours + others if is_on else others + ours
    ir_measures.DefaultPipeline.providers[:] = in_order


def _ours_and_others() -> tuple[list[Any], list[Any]]:
    """Our providers in the default pipeline, and all others."""
    providers = ir_measures.DefaultPipeline.providers
    ours = [provider for provider in providers if class_name(provider)[1] == "GradedProvider"]
    return ours, [provider for provider in providers if provider not in ours]


def redirect(function: Any, replacement: Any) -> None:
    """Replace the body of a function by the body of another one.

    The function object stays, so names bound by ``from ir_measures import parse_measure`` change
    too. The original body stays on the function as `_original`, where a second import of this
    package finds it. The new body runs with the globals of `function`, so it imports everything
    that it needs.
    """
    if not hasattr(function, "_original"):
        function._original = types.FunctionType(
            function.__code__, function.__globals__, function.__name__
        )
    function.__code__ = replacement.__code__


def _parse_measure(measure: Any) -> Any:
    from ir_measures_graded.core.registry.notation import parse_measure

    return parse_measure(measure)


def _convert_qrels(self: Any, qrels: Any, strict: bool) -> None:
    from ir_measures_graded.core.registry.install import readable, relevant_in

    type(self).__init__._original(self, readable(relevant_in(qrels)), strict)


def _convert_run(self: Any, run: Any, strict: bool) -> None:
    from ir_measures_graded.core.registry.install import ranked_in, readable

    type(self).__init__._original(self, readable(ranked_in(run)), strict)


def relevant_in(qrels: Any) -> Any:
    """Qrels that list the relevant ids of each topic as a dict of dicts; any others unchanged."""
    topics = sequence_of(qrels, QRELS) or by_index(qrels, QRELS) or qrels
    if not isinstance(topics, Mapping) or not topics:
        return qrels
    if not all(is_list(documents) for documents in topics.values()):
        return topics
    if names_topics(topics, QRELS):
        return qrels
    return relevant_documents(topics)[0]


def ranked_in(run: Any) -> Any:
    """A run that lists the documents of each topic as a dict of dicts; any other unchanged."""
    topics = sequence_of(run, RUN) or by_index(run, RUN) or run
    if not isinstance(topics, Mapping) or not topics:
        return run
    first = next(iter(topics.values()))
    if not is_list(first):
        return topics
    if names_topics(topics, RUN):
        return run
    rows = read_run(topics)
    refuse_repeated(rows)
    return rows.dicts()


def readable(source: Any) -> Any:
    """Qrels or a run in a form that ir-measures reads.

    ir-measures would iterate over the keys of a mapping that is not a dict, and over the columns of
    a Polars DataFrame. Mappings become dicts, integers that are topics their text, and tables that
    export Arrow DataFrames of pandas.
    """
    if isinstance(source, Mapping):
        if isinstance(source, dict) and _has_text_and_dicts(source):
            return source
        rows_of_topics = map(_as_dict, source.values())
        converted = dict(zip(topics_of(source), rows_of_topics, strict=True))
        return IntegersAsText(converted) if has_integer_topics(source) else converted
    if exports_arrow(source):
        pandas = needed("pandas", "Arrow data for other providers of ir-measures")
        return whole_table(source).to_pandas(types_mapper=pandas.ArrowDtype)
    return source


def _has_text_and_dicts(source: dict[Any, Any]) -> bool:
    """Whether all topics are strings and all their rows dicts."""
    has_text = all(isinstance(topic, str) for topic in source)
    return has_text and all(isinstance(rows, dict) for rows in source.values())


def _as_dict(rows: Any) -> Any:
    """A mapping as a dict; anything else, which ir-measures refuses, unchanged."""
    return dict(rows) if isinstance(rows, Mapping) else rows
