"""Evaluation in batches of whole topics, for engines that distribute topics.

All data is Arrow data.

An engine brings together the rows of some topics, calls `evaluate_batches`, and combines the
results. The levels of other topics, on which some values depend, are an argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..core.registry.facts import needs_all_topics
from ..core.registry.notation import parse_measures
from ..core.rows.arrow import arrow_array, exports_arrow, whole_table
from ..core.rows.columns import QRELS, RUN, Role
from ..core.rows.in_memory import read_qrels, read_run
from ..core.rows.rows import floats
from ..errors import GradedError, needed
from .named import Judgments, Run
from .run_evaluator import RunEvaluator

if TYPE_CHECKING:
    import pyarrow

COLUMNS = ("query_id", "measure", "value")


def evaluate_batches(
    measures: Iterable[Measure | str] | Measure | str,
    qrels: Any,
    batches: Iterable[Any],
    levels: Iterable[float] | None = None,
    *,
    ignore_identical_ids: bool = False,
) -> pyarrow.Table:
    """The value of each measure for each topic.

    The result is an Arrow table with the columns query_id, measure and value.

    `measures` are graded or standard measures or measure strings. `qrels` and each of the
    `batches` are Arrow data with the columns query_id, doc_id, and relevance or score; PyTerrier's
    names are allowed. Together, the batches are one run, whose rows may have any order. Every
    topic of the qrels has a value, even if no batch has the topic. Topics that the qrels lack have
    no value. A value is null if ir-measures reports none.

    `levels` are all levels that occur in the collection, in any order. The values of some measures
    depend on the levels of all topics: ERR_G, for example, depends on the highest one. If `qrels`
    has only some topics of the collection, it may lack levels. Therefore these measures are an
    error without `levels`; `needs_levels` finds them.

    With `ignore_identical_ids`, documents with the id of their topic are left out.

    >>> import pyarrow
    >>> qrels = pyarrow.table({"query_id": ["q1", "q2"], "doc_id": ["a", "a"], "relevance": [1, 3]})
    >>> batch = pyarrow.table({"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    >>> evaluate_batches("CG@2", qrels, [batch]).to_pydict()
    {'query_id': ['q1', 'q2'], 'measure': ['CG@2', 'CG@2'], 'value': [1.0, 0.0]}
    >>> evaluate_batches("ERR_G@1", qrels, [batch], levels=[0, 1, 3])["value"].to_pylist()
    [0.125, 0.0]

    Raises `GradedError` for data that is not Arrow data and for a missing column. Raises
    `GradedError`, which names the topic, for a null, for NaN, for a document that a topic
    retrieves twice, and for contradictory judgments. Raises `GradedError` for `levels` that are
    not finite numbers.
    """
    pyarrow = needed("pyarrow", "Arrow data")

    wanted = parse_measures(measures)
    if levels is None:
        needing = list(filter(needs_all_topics, wanted))
        if needing:
            raise GradedError(f"{needing[0]} needs the levels of all topics; give levels")
        all_levels = np.array([np.nan])
    else:
        all_levels = floats(QRELS, [list(levels)], lambda _: "levels")
        if not np.isfinite(all_levels).all():
            raise GradedError("levels: a level is a finite number")
    judgments = Judgments(read_qrels(_arrow(qrels, QRELS)), None, all_levels)
    tables = [_arrow(batch, RUN) for batch in batches]
    whole_run: Any = {}
    if tables:
        whole_run = whole_table(tables)
    rows = read_run(whole_run)
    run = Run("", rows, ignore_identical_ids=ignore_identical_ids)
    values = RunEvaluator(judgments, wanted)(run).values
    measure, topic = map(arrow_array, np.indices(values.shape).reshape(2, -1))
    topics = pyarrow.array(judgments.topics, pyarrow.string())
    measure_names = pyarrow.array(map(str, wanted), pyarrow.string())
    columns = (
        topics.take(topic),
        measure_names.take(measure),
        pyarrow.array(values.ravel(), mask=np.isnan(values).ravel()),
    )
    return pyarrow.table(dict(zip(COLUMNS, columns, strict=True)))


def needs_levels(measures: Iterable[Measure]) -> bool:
    """Whether `evaluate_batches` needs the levels of the collection for any of the `measures`.

    >>> needs_levels(parse_measures("ERR_G"))
    True
    >>> needs_levels(parse_measures(["ERR_G(max_gain=15)", "AP"]))
    False
    """
    return any(map(needs_all_topics, measures))


def _arrow(rows: Any, role: Role) -> pyarrow.Table:
    """The rows of a batch."""
    if not exports_arrow(rows):
        raise GradedError(f"{role.kind}: expected Arrow data, not a {type(rows).__name__}")
    return whole_table(rows)
