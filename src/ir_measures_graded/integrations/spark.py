"""Evaluation in Spark: from DataFrames of qrels and runs to a DataFrame of values (extra
``spark``).

`evaluate` brings the rows of about two thousand topics together on a worker, which calls
`ir_measures_graded.evaluation.batches.evaluate_batches`. All values equal those of a local
evaluation to the last bit.

All workers need this package. A measure of a plugin also needs the plugin on all workers: install
it there, or ship its modules with ``spark.addArtifacts("plugin.zip", pyfile=True)`` or with
``spark-submit --py-files plugin.zip``. A measure that a script or notebook defines is sent to the
workers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from ir_measures import Measure

from ..core.measures.sessions import SessionMeasure
from ..core.provider import GradedProvider
from ..core.registry import plugins
from ..core.registry.notation import parse_measures
from ..core.rows.columns import QRELS, RUN, Role, column_name, column_names, is_rank
from ..errors import GradedError, NotApplicableError, needed
from ..evaluation.batches import COLUMNS, evaluate_batches, needs_levels
from ..evaluation.evaluators import refuse_uncomputed

with suppress(ImportError):  # `evaluate` tells how to install it
    from pyspark.sql import functions, types
if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

Measures: TypeAlias = Measure | str | Iterable[Measure | str]
KNOWN = 1_000_000
"""Up to this many topics of the qrels are sent to all workers, which then drop all other topics of
a run."""
TOPICS = 2_000
"""Topics of the qrels in a bucket. Calling a worker takes about as long as evaluating a thousand
rows."""


def evaluate(
    measures: Measures, qrels: DataFrame, run: DataFrame, *, topics_per_bucket: int = TOPICS
) -> DataFrame:
    """The value of each measure for each topic: a DataFrame with query_id, measure and value.

    `measures` are graded or standard measures or measure strings. `qrels` has the columns query_id,
    doc_id and relevance, `run` has query_id, doc_id and score. PyTerrier's names are allowed, and
    rows may have any order. If a table holds several runs, filter one, as in
    ``runs.filter(runs.system == "bm25")``. Every topic of the qrels has a value, as in a local
    evaluation. A value is null if ir-measures reports none. Topics without judgments are ignored.

    The result is lazy. The call itself computes only the approximate number of topics and, if a
    measure needs them, the distinct levels, by one aggregation of `qrels`. The means over the
    topics are ``values.groupBy("measure").avg("value")``.

    A worker holds the rows of one bucket in memory, which has about `topics_per_bucket` (≥ 1)
    topics. Choose a smaller number if topics have many rows.

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
    judged = _rows(qrels, QRELS)
    retrieved = _rows(run, RUN)
    topics, levels = _topics_and_levels(judged, wanted)
    buckets = max(1, math.ceil(topics / topics_per_bucket))
    hashed = functions.xxhash64("query_id")
    bucket = functions.pmod(hashed, functions.lit(buckets)).alias("bucket")
    if topics <= KNOWN:
        retrieved = _of_topics(judged, retrieved)
    judged_buckets = judged.select("*", bucket).groupBy("bucket")
    retrieved_buckets = retrieved.select("*", bucket).groupBy("bucket")
    pairs = judged_buckets.cogroup(retrieved_buckets)
    kinds = (types.StringType(), types.StringType(), types.DoubleType())
    fields = [types.StructField(name, kind) for name, kind in zip(COLUMNS, kinds, strict=True)]
    return pairs.applyInArrow(_of_bucket(wanted, levels), types.StructType(fields))


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


def _rows(frame: DataFrame, role: Role) -> DataFrame:
    """The columns of topics, documents and values.

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
    columns = [topic.alias("query_id"), doc.alias("doc_id"), number.alias(role.value)]
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


def _of_bucket(
    measures: Sequence[Measure], levels: Sequence[float] | None
) -> Callable[[pyarrow.Table, pyarrow.Table], pyarrow.Table]:
    """The function that evaluates a bucket on a worker."""

    def evaluated(qrels: pyarrow.Table, run: pyarrow.Table) -> pyarrow.Table:
        if any(plugins.origin(measure) == "user code" for measure in measures):
            plugins.load()  # error messages name the distribution of a measure
        return evaluate_batches(measures, qrels, [run], levels)

    return evaluated
