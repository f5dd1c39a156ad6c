"""Explanations of one ranking, or of the difference of two: the function `explain`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ir_measures import Measure

from ..core.registry.facts import ZERO
from ..core.registry.notation import parse_measures
from ..core.rows.sources import Source
from ..evaluation.checked import checks_arguments
from ..evaluation.evaluate import evaluate
from ..evaluation.named import Qrels, Runs, runs_to_explain, study_of
from ..evaluation.weights import counted_by
from .explained_difference import (
    DifferenceByMeasure,
    ExplainedDifference,
    explain_difference,
    explain_differences,
)
from .explained_measures import ExplanationByMeasure, explain_measures, worst_topic
from .explanation import Explanation, explainable, explanations


@checks_arguments("explain(qrels, run, 'nDCG@10', 'q1')")
def explain(
    qrels: Qrels,
    run: Source | Runs,
    measure: Measure | str | Iterable[Measure | str],
    topic: str | int | None = None,
    depth: int | None = None,
    *,
    name: str = "",
    no_relevant: str = ZERO,
) -> Explanation | ExplanationByMeasure | ExplainedDifference | DifferenceByMeasure:
    """The documents of a run for a topic in rank order, and the amount that each adds to the value.

    - `qrels`: as for `evaluate`.
    - `run`: one run, in any form that `evaluate` accepts, also with its name, ``{"A": "a.run"}``.
      With two runs, ``{"old": old, "new": new}`` or a list of two paths, the result is that of
      `explain_difference` or, by several measures, a `DifferenceByMeasure`.
    - `measure`: a graded measure, or a standard measure that has a definition here. Several of one
      run have an `ExplanationByMeasure`, which shows their weights and contributions side by side.
    - `topic`: a topic of the qrels; a number stands for its decimal text. If the run lacks it, the
      list is empty. By default it is the one with the worst value, by the first measure, among
      those with a relevant document.
    - `depth` (≥ 1): the last rank. The default is the cutoff or, without one, the rank of the last
      judged document.
    - `name`: the name of a single run in the result and in error messages; none if empty.
    - `no_relevant`: as for `evaluate`. The value is always the one that the measure defines; a note
      tells if means do not count it.

    Documents are in the order of the measure, which is mostly trec_eval's, with tied documents by
    descending id. With judged_only=True, unjudged documents are removed before ranks are counted.

    >>> qrels = {"q1": {"a": 3, "b": 2, "c": 1}}
    >>> found = explain(qrels, {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}}, "nCG@3", "q1")
    >>> found.documents, found.gains, found.contributions.round(2)
    (('b', 'x', 'a'), array([2., 0., 3.]), array([0.33, 0.  , 0.5 ]))
    >>> found.sums, found.ideal, found.values.round(2)
    (array([2., 2., 5.]), array([3., 5., 6.]), array([0.67, 0.4 , 0.83]))

    Raises `GradedError` for a topic that the qrels lack, for a measure without a definition, for
    the options `ties` and `unjudged`, whose values depend on other rankings and judgments, for
    several measures of one run that do not rank the same documents, and for input that `evaluate`
    refuses.
    """
    runs = runs_to_explain(run, name)
    measures = parse_measures(measure)
    if len(runs) == 2 and len(measures) > 1:
        return explain_differences(qrels, runs, measures, topic, depth, no_relevant=no_relevant)
    if len(runs) == 2:
        return explain_difference(qrels, runs, measures[0], topic, depth, no_relevant=no_relevant)
    ((name, run),) = runs.items()
    definitions = [explainable(one) for one in measures]
    study = study_of(counted_by(qrels, no_relevant), runs, definitions)
    count = None
    if topic is None:
        first = definitions[0]
        values = evaluate(study.judgments, study.runs, [first]).of(first)[0]
        topic, count = worst_topic(study.judgments, values, first)
    if len(measures) > 1:
        (only_run,) = study.runs
        return explain_measures(
            study.judgments, only_run, measures, str(topic), depth, topics=count
        )
    (explanation,) = explanations(study.judgments, study.runs, measures[0], depth, [topic])[name]
    return replace(explanation, topics=count)
