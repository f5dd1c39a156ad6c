"""The values of a measure at every rank: with the cutoff at 1, 2, 3 and so on."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
from ir_measures import Measure

from ..core.measures.base import GradedMeasure
from ..core.provider import computed, view
from ..core.registry.facts import defined, name_of
from ..core.registry.notation import parse_measures
from ..core.uncertainty import evaluated
from ..errors import GradedError, NotApplicableError
from ..output.formats import listed
from .named import Judgments, Run, about
from .remarks import RunRemarks, depth_of, issue

DEEPEST = 100_000
"""The deepest rank that is evaluated."""


def one_measure(
    measures: Measure | str | Iterable[Measure | str], what: str, uncut: bool = False
) -> Measure:
    """The measure. Raises `GradedError` if there are several."""
    parsed = parse_measures(measures, uncut)
    if len(parsed) > 1:
        raise GradedError(f"{what} takes one measure, not {listed(parsed)}")
    return parsed[0]


def uncut(measure: Measure) -> GradedMeasure:
    """The measure without its cutoff. Raises `GradedError` for a measure that takes none.

    >>> from ir_measures_graded import ERR_G
    >>> uncut(ERR_G(gains="linear") @ 10)
    ERR_G(gains='linear')
    """
    measure = defined(measure, "curve over ranks", "cutoff")
    if not measure.CUTOFF:
        raise NotApplicableError(
            f"{name_of(measure)} has no cutoff and therefore no curve over ranks"
        )
    kept = {name: value for name, value in measure.params.items() if name != "cutoff"}
    return type(measure)(**kept)


class AtRanks(NamedTuple):
    """The `values` at every rank (depth × T), and the `deepest` rank of any list of the run."""

    values: np.ndarray
    deepest: int


def values_at_ranks(
    measure: GradedMeasure, run: Run, judgments: Judgments, depth: int
) -> np.ndarray:
    """The value of each topic with the cutoff at each of the ranks 1 … `depth` (depth × T).

    The measure's own cutoff is ignored.
    """
    return at_ranks(measure, run, judgments, depth).values


def at_ranks(measure: GradedMeasure, run: Run, judgments: Judgments, depth: int) -> AtRanks:
    """As `values_at_ranks`, with the deepest rank."""
    values = np.empty((depth, len(judgments.topics)))
    deepest = 0
    # A study issues the remarks on its runs.
    is_kept = run.kept_for is not None
    remarks = RunRemarks(judgments.documents, depth_of([measure]), judgments.contract)
    at_every_rank = partial(evaluated, measure, depth=depth)
    with about(run.name):
        blocks = run.reduced(judgments)
        if not is_kept:
            blocks = remarks.watched(blocks)
        for ranks in blocks:
            of_topics = computed(measure, view(measure, ranks, cut=False), at_every_rank, (depth,))
            values[:, ranks.place.numbers] = of_topics.T
            deepest = max(deepest, int(ranks.retrieved.max(initial=0)))
    if not is_kept:
        issue(remarks.of(run.source, run.name))
    return AtRanks(values, deepest)
