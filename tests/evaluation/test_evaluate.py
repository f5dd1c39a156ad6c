"""`evaluate`: several runs by several measures over one collection."""

import dataclasses
import gc
import gzip
import io
import weakref
from pathlib import Path

import ir_measures
import numpy as np
import pandas
import pyarrow
import pytest

from input_forms import ONLY_GRADED
from ir_measures_graded import GradedError, RunFile, demo, nDCG_JK
from ir_measures_graded.analysis import Evaluation, evaluate
from ir_measures_graded.core.ranking.judged import Judged
from ir_measures_graded.errors import Remark

QRELS = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"a": 2}, "q3": {"d": 1, "e": 0}}
GOOD = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"x": 2.0, "a": 1.0}, "q3": {"d": 1.0}}
POOR = {"q1": {"c": 3.0, "b": 2.0}, "q9": {"a": 1.0}}
RUNS = {"good": GOOD, "poor": POOR}
MEASURES = [nDCG_JK @ 2, "nCG(gains=0:0,1:1,2:10)@2", "P(rel=2)@2", ir_measures.AP]


def test_values_have_axes_run_measure_topic():
    evaluation = evaluate(QRELS, RUNS, MEASURES)
    assert isinstance(evaluation, Evaluation)
    assert evaluation.runs == ("good", "poor")
    assert evaluation.measures == tuple(map(ir_measures.parse_measure, map(str, MEASURES)))
    assert evaluation.topics == ("q1", "q2", "q3")
    assert evaluation.values.shape == (2, 4, 3)
    for number, run in enumerate(RUNS.values()):
        for column, measure in enumerate(evaluation.measures):
            value_of = {topic: value for topic, _, value in measure.iter_calc(QRELS, run)}
            expected = [value_of[topic] for topic in evaluation.topics]
            assert evaluation.values[number, column].tolist() == expected


def test_tables_are_converted_for_other_providers():
    run = {"q1": {"c": 3.0, "b": 2.0}}
    measures = [nDCG_JK @ 2, ir_measures.Accuracy]
    expected = evaluate(QRELS, {"run": run}, measures).values
    for form, make in ONLY_GRADED.items():
        evaluation = evaluate(make(QRELS, "relevance"), {"run": make(run, "score")}, measures)
        np.testing.assert_array_equal(evaluation.values, expected, form)


def test_qrels_of_files_leave_memory_without_a_search_for_circles(monkeypatch):
    created = []

    def remembering(judged, *args, _init=Judged.__init__, **named):
        _init(judged, *args, **named)
        created.append(weakref.ref(judged))

    monkeypatch.setattr(Judged, "__init__", remembering)
    runs = {name: RunFile(demo.run_paths()[name]) for name in "AB"}
    gc.disable()
    try:
        evaluate(demo.qrels_path(), runs, ["AP"])
        alive = [reference for reference in created if reference() is not None]
    finally:
        gc.enable()
    assert created
    assert not alive


def test_files_and_collection_ids_are_read(tmp_path):
    packed = tmp_path / "B.run.gz"
    packed.write_bytes(gzip.compress(demo.run_paths()["B"].read_bytes()))
    runs = {"A": str(demo.run_paths()["A"]), "B": packed}
    judged = list(ir_measures.read_trec_qrels(str(demo.qrels_path())))
    read = {name: list(ir_measures.read_trec_run(str(path))) for name, path in runs.items()}
    expected = evaluate(judged, read, [nDCG_JK @ 10, ir_measures.AP])
    assert expected.values.shape == (2, 2, 20)
    folder = Path(runs["A"]).parent
    for qrels, several in (
        (demo.NAME, runs),
        (demo.qrels_path(), folder / "[AB].run"),
        (str(demo.qrels_path()), f"{folder}/[AB].run"),
        (demo.NAME, [Path(runs["A"]), packed]),
    ):
        evaluation = evaluate(qrels, several, [nDCG_JK @ 10, ir_measures.AP])
        np.testing.assert_array_equal(evaluation.values, expected.values)


@pytest.mark.parametrize(
    "measures", [["nDCG_JK@2"], ["NumRet", "Accuracy"], ["ERR_G", "AP", "Accuracy"]]
)
def test_a_topic_that_a_run_lacks_is_missing(measures):
    runs = {"some": {"q2": {"x": 2.0, "a": 1.0}, "q9": {"a": 1.0}}, "none": {"q9": {"a": 1.0}}}
    evaluation = evaluate(QRELS, runs, measures)
    assert evaluation.topics == ("q1", "q2", "q3")
    assert evaluation.missing.tolist() == [[True, False, True], [True, True, True]]


def test_rbp_needs_no_other_package():
    run = {"q": {"b": 2.0, "a": 1.0}}
    evaluation = evaluate({"q": {"a": 1}}, {"x": run}, ["RBP(rel=1)"])
    assert evaluation.values.item() == pytest.approx(0.2 * 0.8)


def test_duplicate_measure_is_evaluated_once():
    evaluation = evaluate(QRELS, RUNS, ["nDCG_JK(b=2)@2", nDCG_JK @ 2, "AP"])
    assert evaluation.measures == (nDCG_JK @ 2, ir_measures.AP)
    assert evaluate(QRELS, RUNS, "AP").measures == (ir_measures.AP,)


def test_copies_keep_or_restrict_every_field():
    """A field that a copy forgets has its default."""
    of_sessions = evaluate({"s_1": {"a": 1}}, {"good": {}}, ["AP"], sessions=True)
    evaluation = dataclasses.replace(
        evaluate(QRELS, RUNS, ["NumRet", "AP"]),
        unit=of_sessions.unit,
        files=("f.csv",),
        columns_of="f.csv",
        remarks=(Remark("empty", "good", "text"),),
        no_relevant="one",
        weights=np.ones(len(QRELS)),
        in_order_given=True,
    )
    of_all_runs = evaluation.part(evaluation.runs, evaluation.measures)
    on_all_topics = evaluation.on(list(range(len(evaluation.topics))))
    for field in dataclasses.fields(evaluation):
        value = getattr(evaluation, field.name)
        if field.name not in ("runs", "measures", "topics", "values"):
            assert value is not field.default
        for copy in (of_all_runs, on_all_topics):
            np.testing.assert_equal(getattr(copy, field.name), value, field.name)


def test_copies_have_the_runs_measures_and_topics_asked_for():
    evaluation = evaluate(QRELS, RUNS, ["NumRet", "AP"])
    small = evaluation.part(["poor"], ["AP", "NumRet"]).on([2, 0])
    assert small.runs == ("poor",)
    assert small.topics == ("q3", "q1")
    assert small.values.tolist() == [[[0, 0.25], [0, 2]]]
    assert small.means().tolist() == [[0.125, 2]]  # NumRet is a sum
    assert small.missing.tolist() == [[True, False]]
    assert small.unreported.shape == (1, 2, 2)
    for runs, measures in ((["best"], ["AP"]), (["good"], ["P@1"])):
        with pytest.raises(GradedError, match="evaluated"):
            evaluation.part(runs, measures)


def test_runs_without_names_are_named_as_in_the_commands(tmp_path):
    frame = pandas.DataFrame([("q1", "a", 1.0)], columns=["query_id", "doc_id", "score"])
    path = tmp_path / "bm25.run.gz"
    path.write_bytes(gzip.compress(b"q1 Q0 a 1 1 t\n"))
    several = pandas.concat([frame.assign(run="A"), frame.assign(run="B")])
    several.to_csv(tmp_path / "all.csv", index=False)
    for runs, names in (
        (path, ["bm25"]),
        (str(path), ["bm25"]),
        (RunFile(path), ["bm25"]),
        (RunFile(io.BytesIO(path.read_bytes())), ["run"]),
        ([str(path), tmp_path / "all.csv"], ["bm25", "A", "B"]),
        (RunFile(tmp_path / "all.csv", run="B"), ["B"]),
        ([("mine", frame), RunFile(path)], ["mine", "bm25"]),
        (frame, ["run"]),
        (pyarrow.Table.from_pandas(frame).to_reader(), ["run"]),
        (several, ["A", "B"]),
        (pyarrow.Table.from_pandas(several), ["A", "B"]),
    ):
        evaluation = evaluate(QRELS, runs, ["CG@1"])
        assert evaluation.runs == tuple(names)
        assert evaluation.of("CG@1").tolist() == [[3, 0, 0]] * len(names)
