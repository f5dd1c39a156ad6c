"""Evaluation in Spark: from DataFrames of qrels and runs to a DataFrame of values (extra
``spark``).

`evaluate` brings the rows of about two thousand topics together on a worker, which calls
`ir_measures_graded.evaluation.batches.evaluate_batches`. All values equal those of a local
evaluation to the last bit. `aggregate` has their means. With `by`, a table holds many runs, which
one job evaluates.

All workers need this package. A measure of a plugin also needs the plugin on all workers: install
it there, or ship its modules with ``spark.addArtifacts("plugin.zip", pyfile=True)`` or with
``spark-submit --py-files plugin.zip``. A measure that a script or notebook defines is sent to the
workers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from ir_measures import MeanAgg, Measure, SumAgg

from ..arguments import explains_wrong_calls
from ..core.measures.sessions import SessionMeasure
from ..core.provider import GradedProvider
from ..core.registry import plugins
from ..core.registry.notation import parse_measures
from ..core.rows.columns import column_name, column_names, is_rank
from ..core.rows.roles import QRELS, RUN, Role
from ..errors import GradedError, NotApplicableError, needed, shown
from ..evaluation.batches import COLUMNS, columns_by, evaluate_batches, needs_levels
from ..evaluation.evaluators import refuse_uncomputed

with suppress(ImportError):  # `evaluate` tells how to install it
    from pyspark.sql import functions, types
if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame

Measures: TypeAlias = Measure | str | Iterable[Measure | str]
NO_KEYS: Mapping[str, Column] = {}
MARK = "is mark"
"""The column that tells marked rows; no column of ours has a blank."""
KNOWN = 1_000_000
"""Up to this many topics of the qrels are sent to all workers, which then drop all other topics of
a run."""
TOPICS = 2_000
"""Topics of the qrels in a bucket. Calling a worker takes about as long as evaluating a thousand
rows."""


@explains_wrong_calls("evaluate(['nDCG@10'], qrels, run)")
def evaluate(
    measures: Measures,
    qrels: DataFrame,
    run: DataFrame,
    by: str | Sequence[str] = (),
    *,
    topics_per_bucket: int = TOPICS,
) -> DataFrame:
    """The value of each measure for each topic: a DataFrame with `by`, query_id, measure and value.

    `measures` are graded or standard measures or measure strings. `qrels` has the columns query_id,
    doc_id and relevance, `run` has query_id, doc_id and score. PyTerrier's names are allowed, and
    rows may have any order. Every topic of the qrels has a value, as in a local evaluation. A value
    is null if ir-measures reports none. Topics without judgments are ignored.

    `by` names one or more columns of `run`, such as the run, the day or the arm of an experiment.
    Each distinct combination of their values is a run of its own, and every topic of the qrels has
    a value for each of them. A null is a value like any other, and so is NaN.

    The result is lazy. The call itself computes only the approximate number of topics and, if a
    measure needs them, the distinct levels, by one aggregation of `qrels`. With `by`, Spark reads
    `run` twice; cache it if it is expensive to compute.

    A worker holds the rows of one bucket in memory, which has about `topics_per_bucket` (≥ 1)
    topics of all runs. Choose a smaller number if there are many runs, or many rows for a topic.

    Raises `GradedError` for measures, columns and types that cannot be used, and for empty qrels. A
    document that a topic retrieves twice, contradictory judgments, NaN, nulls, and qrels without
    intents if a measure needs them make Spark fail when it computes the values; `cause` returns the
    `GradedError`.
    """
    needed("pyspark", "evaluation in Spark", "spark")
    wanted = parse_measures(measures)
    ours = GradedProvider()
    refuse_uncomputed(measure for measure in wanted if not ours.supports(measure))
    for measure in wanted:
        if isinstance(measure, SessionMeasure):
            raise NotApplicableError(
                f"{measure} has a value for a session; Spark computes those of topics"
            )
    if topics_per_bucket < 1:
        raise GradedError(
            f"topics_per_bucket={topics_per_bucket!r} is not allowed; it is at least 1"
        )
    names = columns_by(by)
    keys = _keys(run, names)
    judged = _rows(qrels, QRELS)
    retrieved = _rows(run, RUN, keys)
    topics, levels = _topics_and_levels(judged, wanted)
    buckets = max(1, math.ceil(topics / topics_per_bucket))
    hashed = functions.xxhash64("query_id")
    bucket = functions.pmod(hashed, functions.lit(buckets)).alias("bucket")
    runs = retrieved.select(*keys).distinct()
    if topics <= KNOWN:
        retrieved = _of_topics(judged, retrieved)
    retrieved = retrieved.select("*", bucket)
    if names:
        retrieved = _with_marks(retrieved, runs, buckets)
    judged_buckets = judged.select("*", bucket).groupBy("bucket")
    pairs = judged_buckets.cogroup(retrieved.groupBy("bucket"))
    kinds = (types.StringType(), types.StringType(), types.DoubleType())
    fields = [types.StructField(name, kind) for name, kind in zip(COLUMNS, kinds, strict=True)]
    schema = types.StructType([*runs.schema.fields, *fields])
    values = pairs.applyInArrow(_of_bucket(wanted, levels, list(keys)), schema)
    return values.toDF(*names, *COLUMNS)


def aggregate(
    measures: Measures,
    qrels: DataFrame,
    run: DataFrame,
    by: str | Sequence[str] = (),
    *,
    topics_per_bucket: int = TOPICS,
) -> DataFrame:
    """The mean of each measure over the topics: a DataFrame with `by`, measure, value and topics.

    As in ir-measures, the column value has the sum of counts such as NumRet, and the mean of all
    other measures, which equals that of a local evaluation up to 1e-12. The column topics has the
    number of topics with a value. Parameters and errors are those of `evaluate`; a measure with an
    aggregate of its own raises `GradedError`, too.
    """
    wanted = parse_measures(measures)
    sums = [str(measure) for measure in wanted if _is_sum(measure)]
    values = evaluate(wanted, qrels, run, by, topics_per_bucket=topics_per_bucket)
    value = functions.when(functions.col("measure").isin(sums), functions.sum("value"))
    value = value.otherwise(functions.avg("value"))
    topics = functions.count("value")
    names = values.columns[: -len(COLUMNS)]
    grouped = values.groupBy(*map(_quoted, names), "measure")
    return grouped.agg(value.alias("value"), topics.alias("topics"))


def cause(failure: BaseException) -> GradedError | None:
    """The `GradedError` of a worker that made Spark fail; None if the failure has another reason.

    >>> cause(RuntimeError("… ir_measures_graded.errors.FileError: run: the score is null"))
    GradedError('run: the score is null')
    """
    if isinstance(failure, GradedError):
        return failure
    match = re.search(r"\bir_measures_graded\.[\w.]+: (.*)", str(failure))
    if match is None:
        return None
    return GradedError(match[1].strip())


# ------------------------------------------------------------------------------------ the plan


def _keys(run: DataFrame, names: Sequence[str]) -> dict[str, Column]:
    """The columns that tell runs apart, by names that no other column has.

    Raises `GradedError` for a name that is no column, and for that of topics, documents or scores.
    """
    used = column_names(f"{RUN.kind}: the DataFrame", run.columns, RUN)
    keys = {}
    for number, name in enumerate(names):
        if name not in run.columns:
            columns = ", ".join(run.columns)
            raise GradedError(f"by: {shown(name)} is no column of the run, which has {columns}")
        if name in used or name in COLUMNS:
            raise GradedError(
                f"by: {shown(name)} is a column of the rows or of the result; name one that tells "
                "runs apart"
            )
        key = functions.col(_quoted(name))
        if isinstance(run.schema[name].dataType, (types.FloatType, types.DoubleType)):
            key = key + functions.lit(0).cast(run.schema[name].dataType)  # −0 becomes 0
        keys[f"by {number}"] = key.alias(f"by {number}")
    return keys


def _rows(frame: DataFrame, role: Role, keys: Mapping[str, Column] = NO_KEYS) -> DataFrame:
    """The columns of topics, documents and values, after the `keys` of runs.

    Raises `GradedError` for a column that is missing or has another type.
    """
    names = column_names(f"{role.kind}: the DataFrame", frame.columns, role)
    expected = [(types.StringType, "a string")] * 2 + [(types.NumericType, "a number")]
    for name, (kind, what) in zip(names, expected, strict=True):
        type_ = frame.schema[name].dataType
        if not isinstance(type_, kind):
            raise GradedError(
                f"{role.kind}: the column {name} is {type_.simpleString()}; it must be {what}"
            )
    topic, doc, number = (functions.col(_quoted(name)) for name in names)
    number = -number if is_rank(names[2]) else number
    ids = [topic.alias("query_id"), doc.alias("doc_id")]
    columns = [*keys.values(), *ids, number.alias(role.value)]
    of_intents = {"iteration": "string", "probability": "double"} if role is QRELS else {}
    for ours, kind in of_intents.items():
        name = column_name(role.kind, frame.columns, ours)
        if name is not None:
            columns.append(functions.col(_quoted(name)).cast(kind).alias(ours))
    return frame.select(*columns)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _topics_and_levels(
    qrels: DataFrame, measures: Sequence[Measure]
) -> tuple[int, list[float] | None]:
    """The approximate number of topics, and the levels of the collection if a measure needs them.

    Raises `GradedError` for qrels without rows.
    """
    row_count = functions.count(functions.lit(1))
    topic_count = functions.approx_count_distinct("query_id")
    levels = functions.lit(None)
    if needs_levels(measures):
        levels = functions.collect_set(functions.col("relevance").cast("double"))
    rows, topics, all_levels = qrels.agg(row_count, topic_count, levels).head()
    if not rows:
        raise GradedError("the qrels are empty: there is no topic to evaluate")
    if all_levels is None:
        return topics, None
    # A worker reports levels that are not finite, because it can name topic and document.
    return topics, list(filter(math.isfinite, all_levels))


def _of_topics(qrels: DataFrame, run: DataFrame) -> DataFrame:
    """The rows of the run whose topics are in the qrels, and rows with a null, which a worker
    reports.

    A log may have many more topics than the qrels. With them, buckets would grow too large.
    """
    topics = qrels.select("query_id", functions.lit(True).alias("judged")).distinct()
    joined = run.join(functions.broadcast(topics), "query_id", "left")
    return joined.filter("judged OR query_id IS NULL").select(*map(_quoted, run.columns))


def _with_marks(run: DataFrame, runs: DataFrame, buckets: int) -> DataFrame:
    """The rows of the runs, with one marked row for each run in each bucket.

    Without these rows, a worker would not know the runs that retrieve nothing for its topics.
    """
    numbers = run.sparkSession.range(buckets).select(functions.col("id").alias("bucket"))
    marks = runs.crossJoin(numbers).withColumn(MARK, functions.lit(True))
    rows = run.withColumn(MARK, functions.lit(False))
    return rows.unionByName(marks, allowMissingColumns=True)


def _of_bucket(
    measures: Sequence[Measure], levels: Sequence[float] | None, keys: Sequence[str]
) -> Callable[[pyarrow.Table, pyarrow.Table], pyarrow.Table]:
    """The function that evaluates a bucket on a worker."""

    def evaluated(qrels: pyarrow.Table, run: pyarrow.Table) -> pyarrow.Table:
        if any(plugins.origin(measure) == "user code" for measure in measures):
            plugins.load()  # error messages name the distribution of a measure
        if not keys:
            return evaluate_batches(measures, qrels, [run], levels)
        from pyarrow.compute import invert

        is_mark = run[MARK]
        rows = run.filter(invert(is_mark)).drop_columns([MARK, "bucket"])
        runs = run.filter(is_mark).select(keys)
        return evaluate_batches(measures, qrels, [rows], levels, by=keys, groups=runs)

    return evaluated


def _is_sum(measure: Measure) -> bool:
    """Whether the aggregate is a sum. Raises `GradedError` if it is neither a sum nor a mean."""
    aggregator = measure.aggregator()
    if not isinstance(aggregator, (MeanAgg, SumAgg)):
        raise GradedError(
            f"{measure} has an aggregate of its own; use evaluate and aggregate its values"
        )
    return isinstance(aggregator, SumAgg)
