"""The values of a measure at every rank: with the cutoff at 1, 2, 3 and so on."""

from collections.abc import Iterable
from functools import partial

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
from .remarks import RunRemarks, issue

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


def values_at_ranks(
    measure: GradedMeasure, run: Run, judgments: Judgments, depth: int
) -> np.ndarray:
    """The value of each topic with the cutoff at each of the ranks 1 … `depth` (depth × T).

    The measure's own cutoff is ignored.
    """
    values = np.empty((depth, len(judgments.topics)))
    remarks = RunRemarks(judgments.documents, contract=judgments.contract)
    at_ranks = partial(evaluated, measure, depth=depth)
    with about(run.name):
        for ranks in remarks.watched(run.reduced(judgments)):
            of_topics = computed(measure, view(measure, ranks, cut=False), at_ranks, (depth,))
            values[:, ranks.place.numbers] = of_topics.T
    # A study issues the remarks on its runs.
    if run.kept_for is None:
        issue(remarks.of(run.source, run.name))
    return values
