"""Qrels and runs in every form, with rows in any order, give the same values everywhere."""

from functools import cache
from random import Random

import ir_measures
import pytest
from ir_measures import AP, RR, Bpref, Judged, NumRet, P, nDCG

import ir_measures_graded
from all_measures import MEASURES
from input_forms import FORMS, ONLY_GRADED
from ir_measures_graded.analysis import curves, evaluate, explain

QRELS = {"q": {"é": 3, "b": 1, "c": 0, "d": -2}, "p": {"a": 1, "x": 2}, "lost": {"a": 1}}
RUN = {"q": {"b": 1.0, "x": 1.0, "é": 1.0, "y": 0.5}, "p": {"x": 0.75, "a": 0.75}, "r": {"a": 1.0}}
STANDARD = [P @ 2, AP, nDCG, nDCG(judged_only=True) @ 2, Bpref, RR @ 2, Judged @ 2, NumRet]

KINDS = [*MEASURES[::7], *STANDARD]
"""A few measures of both kinds: every one is computed from the same rows."""


def by_topic(metrics):
    return {(measure, topic): value for topic, measure, value in metrics}


def through_ir_measures(qrels, run):
    return by_topic(ir_measures.iter_calc(MEASURES[::7], qrels, run))


def by_the_provider(qrels, run):
    return by_topic(ir_measures_graded.graded.iter_calc(KINDS, qrels, run))


def by_evaluate(qrels, run):
    evaluation = evaluate(qrels, {"run": run}, KINDS)
    values = {(row["topic"], row["measure"]): row["value"] for row in evaluation.records()}
    return values, evaluation.means().tolist()


def by_curves(qrels, run):
    result = curves(qrels, {"run": run}, "P", 4, ideal=True)
    return result.values.tolist(), result.ideal.tolist()


def by_explain(qrels, run):
    return explain(qrels, run, "nDCG_JK@3", "q").records()


USES = [through_ir_measures, by_the_provider, by_evaluate, by_curves, by_explain]


@cache
def expected(use):
    return use(QRELS, RUN)


@pytest.mark.parametrize("form", [*FORMS, *ONLY_GRADED])
def test_every_form_gives_the_same_values_everywhere(form):
    make_qrels = {**FORMS, **ONLY_GRADED}[form]
    make_run = make_qrels
    if form in FORMS:  # the run has another form
        names = list(FORMS)
        make_run = FORMS[names[names.index(form) - 3]]
    for number, use in enumerate(USES):
        if form in FORMS or use is not through_ir_measures:
            random = Random(number)
            qrels = make_qrels(QRELS, "relevance", random)
            run = make_run(RUN, "score", random)
            assert use(qrels, run) == expected(use), use.__name__
