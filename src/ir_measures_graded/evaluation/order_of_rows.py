"""Tied documents in the order of the rows of a run, as LightGBM and XGBoost rank them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from ir_measures import Measure

from ..core.by_topic import bounds_of, changes, positions
from ..core.ranking.order import as_compared, descending, falling_bits
from ..core.ranking.ranks import JudgedRanks
from ..core.registry.facts import reads_scores, with_missing_options
from ..core.rows.rows import Rows
from ..errors import GradedError

GIVEN = "given"
"""The choice of `ties` that keeps the order of the rows."""
UNJUDGED = -np.inf
"""The level of an unjudged document, which no judged one has."""
ORDER_GIVEN = "Tied documents are in the order of the rows of the run."
"""The note of a result whose runs were read so."""
NOTHING_TIED = "No documents of a topic are tied, so the order of the rows changes nothing."
"""The same if it makes no difference."""


def in_order_given(run: Rows) -> Rows:
    """The run, in which the ranks with the sign reversed replace the scores: no documents are tied,
    and those that were stay in the order of their rows.

    >>> from ir_measures_graded.core.rows.sources import read_run
    >>> in_order_given(read_run({"q": {"a": 1.0, "b": 2.0, "c": 1.0}})).dicts()
    {'q': {'a': -2.0, 'b': -1.0, 'c': -3.0}}
    """
    order = _descending(run)
    values = np.empty_like(run.values)
    values[order] = -1.0 - positions(np.diff(run.offsets))
    facts = run.facts._replace(were_tied=not _differs_from_previous(run, order).all())
    return replace(run, values=values, docs=run.docs.ids(), facts=facts)


def _descending(run: Rows) -> np.ndarray:
    """The order of the rows by score in each topic. Rows of a file have the order of its lines,
    however they were grouped.
    """
    scores = as_compared(run.values)
    if run.line is None or (np.diff(run.line) > 0).all():
        return descending(scores, run.offsets)
    topic = np.repeat(np.arange(len(run.topics)), np.diff(run.offsets))
    return np.lexsort((run.line, falling_bits(scores), topic))


def tied_documents(ranks: JudgedRanks, last: int | None = None) -> int:
    """The number of documents that are tied with others of another level, down to the `last` rank.

    An unjudged document has another level than all judged ones. The order of documents of one
    level changes no value.
    """
    positions_of_tied, firsts = ranks.ties
    if last is not None:
        offsets = bounds_of(ranks.retrieved)
        start = offsets[np.searchsorted(offsets, firsts, side="right") - 1]
        is_read = firsts - start < last
        positions_of_tied = positions_of_tied[is_read]
        firsts = firsts[is_read]
    level = np.full(ranks.scores.size, UNJUDGED)
    level[ranks.position] = ranks.judged.level[ranks.doc]
    has_another = level[positions_of_tied] != level[firsts]
    groups = np.unique(firsts[has_another])
    return int(np.isin(firsts, groups).sum())


def _differs_from_previous(run: Rows, order: np.ndarray) -> np.ndarray:
    """Whether the score differs from the one before (N), in this order of each topic."""
    is_new = changes(as_compared(run.values)[order])
    is_new[run.offsets[:-1][np.diff(run.offsets) > 0]] = True
    return is_new


def with_shared_options(
    measures: Iterable[Measure], ties: str | None, unjudged: str | None
) -> tuple[Measure, ...]:
    """The measures with the options `ties` and `unjudged` that they do not name. The order of the
    rows is no option of a measure; with it, none may name its own ties.
    """
    options: dict[str, str] = {}
    if ties is not None and ties != GIVEN:
        options["ties"] = ties
    if unjudged is not None:
        options["unjudged"] = unjudged
    wanted = tuple(with_missing_options(measure, options) for measure in measures)
    if ties == GIVEN:
        refuse_own_ties(wanted)
    return wanted


def refuse_own_ties(measures: Iterable[Measure]) -> None:
    """Raise `GradedError` for a measure that names another order of tied documents."""
    for measure in measures:
        if "ties" in measure.params:
            raise GradedError(
                f"{measure} names its own ties; leave them out, or leave out ties={GIVEN!r}, "
                "which leaves no tie"
            )


def refuse_readers_of_scores(measures: Iterable[Measure]) -> None:
    """Raise `GradedError` for a measure that reads the scores of a run, which ranks replace."""
    for measure in measures:
        if reads_scores(measure) and measure.params.get("tied_by") != "rank":
            raise GradedError(
                f"{measure} reads scores, so it does not take ties={GIVEN!r}, which puts ranks in "
                "their place"
            )
