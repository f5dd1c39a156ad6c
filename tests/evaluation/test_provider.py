"""The provider in ir-measures: every way of calling it, alone and with other providers."""

import io
import shutil
import subprocess
import sys
from collections import ChainMap, UserDict

import ir_measures
import pandas
import pyarrow
import pytest
from ir_measures import AP, RR, Metric, P, nDCG

from input_forms import FORMS, rows
from ir_measures_graded import CG, EmptyRunWarning, GradedError, nCG
from ir_measures_graded.analysis import evaluate

QRELS = {"2": {"a": 3, "b": 1}, "1": {"a": 2}, "lost": {"a": 1}}
RUN = {"1": {"a": 1.0, "x": 2.0}, "2": {"a": 1.0, "b": 2.0}, "not judged": {"a": 1.0}}
OTHER = {"lost": {"a": 1.0}}


def test_methods_of_a_measure_compute_it():
    assert list(CG.iter_calc(QRELS, RUN)) == [
        Metric("2", CG, 4.0),
        Metric("1", CG, 2.0),
        Metric("lost", CG, 0.0),
    ]
    assert CG.calc_aggregate(QRELS, RUN) == 2.0
    assert CG.calc(QRELS, RUN).aggregated == 2.0
    assert CG.calc(QRELS, RUN).per_query == list(CG.iter_calc(QRELS, RUN))
    assert (CG @ 1).evaluator(QRELS).calc_aggregate(RUN) == {CG @ 1: 1 / 3}


def assert_serves_several_runs(evaluator, make):
    for run, expected in ((RUN, 2), (OTHER, 1 / 3), ({"x": OTHER["lost"]}, 0), (RUN, 2)):
        assert evaluator.calc_aggregate(make(run, "score"))[CG] == expected
        assert evaluator.calc(make(run, "score")).aggregated[CG] == expected
        values = [v for _, m, v in evaluator.iter_calc(make(run, "score")) if m == CG]
        assert sum(values) == pytest.approx(3 * expected)


@pytest.mark.parametrize(
    "form", ["dict of dicts", "list of named tuples", "DataFrame", "Arrow table"]
)
def test_evaluator_evaluates_several_runs(form):
    evaluator = ir_measures.evaluator([CG, nCG @ 1], FORMS[form](QRELS, "relevance"))
    for make in (FORMS[form], FORMS["generator"]):
        assert_serves_several_runs(evaluator, make)


@pytest.mark.parametrize("kind", ["dicts", "Arrow table", "Arrow stream", "Polars DataFrame"])
def test_other_providers_share_mappings_and_arrow_data(kind):
    def make(source, value):
        if kind == "dicts":
            return ChainMap(*[{topic: UserDict(docs)} for topic, docs in source.items()])
        fields = ("query_id", "doc_id", value)
        table = pyarrow.Table.from_pylist([dict(zip(fields, row)) for row in rows(source)])
        if kind == "Polars DataFrame":
            return pytest.importorskip("polars").from_arrow(table)
        if kind == "Arrow stream":
            return table.to_reader()
        return table

    for measures in ([CG], [AP], [CG, AP, nCG @ 1, P @ 1, nDCG @ 10, RR]):
        expected = {}
        for measure in measures:
            expected |= ir_measures.calc_aggregate([measure], QRELS, RUN)
        means = ir_measures.calc_aggregate(measures, make(QRELS, "relevance"), make(RUN, "score"))
        assert means == pytest.approx(expected)


def test_exactly_the_topics_of_the_qrels_have_values_in_order():
    evaluator = ir_measures.evaluator([CG, nCG], QRELS)
    expected = [(measure, topic) for measure in evaluator.measures for topic in QRELS]
    for run in (RUN, {"x": {}}, OTHER, dict(reversed(RUN.items()))):
        metrics = evaluator.iter_calc(run)
        assert [(metric.measure, metric.query_id) for metric in metrics] == expected
    assert list(evaluator.qrel_qids) == list(QRELS)


def empty_iterator():
    return iter([])


def empty_frame():
    return pandas.DataFrame(columns=["query_id", "doc_id", "relevance", "score"])


@pytest.mark.parametrize("empty", [dict, empty_iterator, io.StringIO, empty_frame])
def test_empty_qrels_are_refused_and_an_empty_run_is_0_with_a_warning(empty):
    message = r"the qrels are empty|qrels: the iterator has no item"
    with pytest.raises(GradedError, match=message):
        ir_measures.calc_aggregate([CG], empty(), {"mine": RUN})
    with pytest.raises(GradedError, match=message):
        evaluate(empty(), {"mine": RUN}, [CG])
    with pytest.warns(EmptyRunWarning, match="^the run is empty"):
        assert ir_measures.calc_aggregate([CG], QRELS, empty()) == {CG: 0}
    with pytest.warns(EmptyRunWarning, match="^mine: the run is empty"):
        assert not evaluate(QRELS, {"mine": empty()}, [AP]).values.any()


@pytest.mark.skipif(shutil.which("perl") is None, reason="Perl is not installed")
def test_gdeval_takes_whole_levels_of_a_float_column():
    run = {"1": {"a": 2.0, "b": 1.0}}
    judgments = [("1", "a", 1.0), ("1", "b", 2.0)]
    frame = pandas.DataFrame(judgments, columns=["query_id", "doc_id", "relevance"])
    for qrels in (frame, {"1": {"a": 1, "b": 2}}):
        assert evaluate(qrels, {"run": run}, ["ERR@5"]).values == 0.15039


def test_levels_at_which_pytrec_eval_ends_the_process_are_refused():
    """In a process of its own, since a crash would end this one."""
    providers = dict.fromkeys(("SetF", "SetAP", "IPrec@0.5", "infAP")) | {"AP": "pytrec_eval"}
    code = f"""
from ir_measures_graded.analysis import evaluate
runs = {{"run": {{"s": {{"a": 1.0}}, "t": {{"b": 2.0}}}}}}
for measure, provider in {providers!r}.items():
    for level in (-1, -2, -5):
        try:
            qrels = {{"s": {{"a": 1}}, "t": {{"b": level}}}}
            print(evaluate(qrels, runs, [measure], provider=provider).values.shape)
        except ValueError as error:
            print(error)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    assert len(lines) == 3 * len(providers)
    for number, measure in enumerate(providers):
        shape, *refusals = lines[3 * number : 3 * number + 3]
        assert shape == "(1, 1, 2)", measure
        for level, message in zip((-2, -5), refusals, strict=True):
            reason = f"topic 't', document 'b': the level is {level}, and the topic has no level"
            assert reason in message, measure
