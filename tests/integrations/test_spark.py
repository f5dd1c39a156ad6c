"""Evaluation in Spark, with a real local Spark in one session for all tests."""

import doctest
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pyarrow
import pytest
from ir_measures import AP, RR, NumRet, nDCG
from pyarrow import parquet

from buckets import arrow, expected, qrels_and_runs
from ir_measures_graded import ERR_G, GradedError, nDCG_JK
from ir_measures_graded.analysis import evaluate as evaluate_here
from ir_measures_graded.core.measures.base import MeasureError
from ir_measures_graded.errors import NotApplicableError
from ir_measures_graded.integrations import spark as graded

pytest.importorskip("pyspark", reason="PySpark is not installed")

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    # Py4J leaves sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # a test is too short for optimised code
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "3",
    "spark.default.parallelism": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
}
MEASURES = [nDCG_JK @ 10, ERR_G @ 5, ERR_G(unjudged="max") @ 2, AP, nDCG @ 10, RR @ 3, NumRet]


def java():
    """The version of Java that Spark would start, 0 without one."""
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if program is None or not os.path.exists(program):
        return 0
    printed = subprocess.run([program, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', printed)
    return int(version[1]) if version else 0


@pytest.fixture(scope="module")
def spark():
    if java() < 17:
        pytest.skip(f"Spark needs Java 17 or newer, but java is {java() or 'absent'}")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = SparkSession.builder.master("local[2]").config(map=SETTINGS).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def frame(spark, tmp_path):
    """Make a DataFrame of an Arrow table, in several partitions."""

    def make(table, name="table"):
        path = tmp_path / f"{name}.parquet"
        parquet.write_table(table, path, row_group_size=100)
        return spark.read.parquet(str(path))

    return make


def collected(frame):
    return {tuple(row[:-1]): row[-1] for row in frame.collect()}


def table_of(runs):
    """The rows of several runs in random order; the run named none has a null as its name."""
    tables = []
    for name, run in runs.items():
        table = arrow(run, "score")
        system = None if name == "none" else name
        day = "mon" if name < "p" else "tue"
        for column, value in {"system": system, "day": day}.items():
            cells = pyarrow.array([value] * len(table), pyarrow.string())
            table = table.append_column(column, cells)
        tables.append(table)
    table = pyarrow.concat_tables(tables)
    return table.take(np.random.default_rng(3).permutation(len(table)))


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_values_equal_those_of_a_local_evaluation(adaptive, spark, frame):
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    qrels, runs = qrels_and_runs()
    # One topic with most rows. The run has nothing in most buckets.
    runs["none"] = {"q0": {f"d{doc}": float(doc % 7) for doc in range(3000)}}
    judged = frame(arrow(qrels, "relevance", Random(4)), "qrels")
    retrieved = frame(table_of(runs), "runs")
    by = ["system", "day"]
    values = graded.evaluate(MEASURES, judged, retrieved, by, topics_per_bucket=4)
    assert values.columns == [*by, "query_id", "measure", "value"]
    rows = collected(values)
    assert {row[:2] for row in rows} == {("one", "mon"), ("two", "tue"), (None, "mon")}
    local = expected(qrels, runs, MEASURES)
    assert {(row[0] or "none", *row[2:]): value for row, value in rows.items()} == local

    if adaptive == "false":  # the plan of a single run needs no third evaluation
        return
    alone = retrieved.filter(retrieved.system == "one")
    values = graded.evaluate(MEASURES, judged, alone, topics_per_bucket=4)
    assert values.columns == ["query_id", "measure", "value"]
    with_run = {("one", *row): value for row, value in collected(values).items()}
    assert with_run == {row: value for row, value in local.items() if row[0] == "one"}


def test_means_equal_those_of_a_local_evaluation(frame):
    qrels, runs = qrels_and_runs()
    judged = frame(arrow(qrels, "relevance"), "qrels")
    retrieved = frame(table_of(runs), "runs")
    aggregated = graded.aggregate(MEASURES, judged, retrieved, "system", topics_per_bucket=7)
    assert aggregated.columns == ["system", "measure", "value", "topics"]
    rows = aggregated.collect()
    means = {(row.system, row.measure): row.value for row in rows}
    local = evaluate_here(qrels, runs, MEASURES)
    for run, values in zip(local.runs, local.means().tolist()):
        of_run = [means[run, str(measure)] for measure in MEASURES]
        assert of_run == pytest.approx(values, abs=1e-12, rel=0)
    assert {row.topics for row in rows} == {len(qrels)}


def test_runs_are_those_of_spark(spark):
    """NaN is one value, zero has no sign, and dates and odd names of columns are fine."""
    qrels = spark.createDataFrame([("q", "a", 1)], "query_id string, doc_id string, label int")
    run = spark.createDataFrame(
        [("q", "a", 2, math.nan), ("q", "b", 3, 0.0), ("q", "a", 2, -0.0), ("q", "b", 1, math.nan)],
        "qid string, docno string, score int, `a.b` double",
    ).selectExpr("*", "date'2026-01-01' as `the day`")
    aggregated = graded.aggregate("P@1", qrels, run, ["a.b", "the day"])
    rows = sorted(aggregated.collect(), key=str)
    assert [(str(row[0]), str(row[1]), row.value) for row in rows] == [
        ("0.0", "2026-01-01", 0.0),
        ("nan", "2026-01-01", 1.0),
    ]


def test_empty_sides(frame):
    qrels, _ = qrels_and_runs(topics=6)
    judged = frame(arrow(qrels, "relevance"), "qrels")
    nothing = frame(arrow({}, "score"), "run")
    values = collected(graded.evaluate("AP", judged, nothing, topics_per_bucket=1))
    assert set(values.values()) == {0}
    foreign = frame(arrow({f"x{number}": {"d": 1} for number in range(20)}, "score"), "foreign")
    values = collected(graded.evaluate("AP", judged, foreign, topics_per_bucket=2))
    assert set(values.values()) == {0}
    with pytest.raises(GradedError, match="the qrels are empty"):
        graded.evaluate("AP", frame(arrow({}, "relevance"), "empty"), nothing)


def test_errors_of_workers_reach_the_driver(spark):
    ids = "query_id string, doc_id string"
    qrels = spark.createDataFrame([("q1", "a", 1.0)], f"{ids}, relevance double")
    run = spark.createDataFrame([("q1", "a", math.nan)], f"{ids}, score double")
    values = graded.evaluate(ERR_G @ 5, qrels, run)
    message = (
        "run: topic 'q1', document 'a': the score is NaN, which cannot be ranked; use a number"
    )
    with pytest.raises(Exception, match=re.escape(f"GradedError: {message}")) as failure:
        values.collect()
    assert str(graded.cause(failure.value)).startswith(message)


def test_the_cause_of_a_failure_may_be_any_error_of_ours():
    for kind in (GradedError, NotApplicableError, MeasureError):
        name = f"{kind.__module__}.{kind.__qualname__}"
        text = f"Job aborted\n  File x\n{name}: it does not apply\n\tat org.apache"
        assert str(graded.cause(RuntimeError(text))) == "it does not apply"
    assert graded.cause(RuntimeError("java.lang.OutOfMemoryError: heap")) is None


def test_invalid_arguments_fail_before_spark_computes(spark):
    qrels = spark.createDataFrame([("q", "a", 1)], "query_id string, doc_id string, relevance int")
    run = spark.createDataFrame(
        [("q", "a", 1.0, 3)], "query_id string, doc_id string, score double, day int"
    )
    for arguments, options, message in [
        (("nDCG_JK@0", qrels, run), {}, "'0' is not a cutoff; a cutoff is a whole number ≥ 1"),
        (("AP", run.drop("score"), run), {}, "qrels: the DataFrame has no column relevance"),
        (
            ("AP", qrels, run.withColumn("query_id", run.day)),
            {},
            "the column query_id is int; it must",
        ),
        (
            ("AP", qrels, run.withColumn("score", run.doc_id)),
            {},
            "the column score is string; it must",
        ),
        (
            ("AP", qrels, run, "night"),
            {},
            "by: 'night' is no column of the run, which has query_id",
        ),
        (("AP", qrels, run, ["day", "day"]), {}, "by: 'day' occurs twice"),
        (("AP", qrels, run, "score"), {}, "by: 'score' is a column of the rows or of the result"),
        (("AP", qrels, run), {"topics_per_bucket": 0}, "topics_per_bucket=0 is not allowed"),
        (("nsDCG", qrels, run), {}, "nsDCG has a value for a session; Spark computes those"),
        (("RBP(p=0.5)", qrels, run), {}, "ir_measures does not compute RBP"),
    ]:
        with pytest.raises(GradedError, match=message):
            graded.aggregate(*arguments, **options)


PLUGIN = '''
from ir_measures_graded import TopicMeasure

class Levels(TopicMeasure):
    """The highest gain."""
    NAME = "Levels"

    def value(self, topic):
        return topic.best
'''


def test_a_plugin_must_be_on_the_workers(spark, tmp_path, monkeypatch):
    module = tmp_path / "shipped_measure.py"
    module.write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    import shipped_measure

    qrels = spark.createDataFrame([("q", "a", 3)], "query_id string, doc_id string, relevance int")
    run = spark.createDataFrame([("q", "a", 1.0)], "query_id string, doc_id string, score double")
    values = graded.evaluate(shipped_measure.Levels(), qrels, run)
    with pytest.raises(Exception, match="No module named 'shipped_measure'"):
        values.collect()
    spark.addArtifacts(str(module), pyfile=True)
    assert graded.evaluate(shipped_measure.Levels(), qrels, run).collect()[0].value == 3


@pytest.mark.usefixtures("spark")
def test_the_example_on_the_page_about_data_prints_what_it_shows():
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    (example,) = [block for block in blocks if "pyspark" in block]
    text = "".join([*blocks[:2], example])
    test = doctest.DocTestParser().get_doctest(text, {}, "data.md", None, 0)
    assert doctest.DocTestRunner().run(test) == (0, 9)
