"""The uncertainty of a value: the order of tied documents, and the levels of unjudged documents.

- `evaluated`: the values of a measure under its options `ties` and `unjudged`.
- `ties`: the lowest, the highest and the mean value over all orders of tied documents.
- `extremes`: the extremes of a value, and of a difference of two runs, over all judgments.
- `strategy`, `quotients`, `stops`: the ways to find them, for quotients and for sums over relevant
  documents.
- `judgments`: the unjudged documents, and the judgments that they could get.

The fact `extremes_by` of a measure names its strategy. A measure of a plugin inherits that of its
family.
"""

from contextlib import suppress

import numpy as np

from ...errors import GradedError
from ..measures.base import EXTREMES, GradedMeasure
from ..measures.gain_sums import GainSum
from ..measures.sums import SumOverRanks
from ..measures.topics import Topics

ROUNDING = 1e-12
"""Weights that rise by less with the rank do not rise."""


def evaluated(measure: GradedMeasure, topics: Topics, depth: int | None = None) -> np.ndarray:
    """The reported value of each topic (T), under the options `ties` and `unjudged`; with a
    `depth`, its values with the cutoffs 1 … `depth` (T × depth), from `topics` that are uncut.
    """
    refuse_rising_weights(measure, topics)
    judgments = measure.option("unjudged")
    ties = measure.option("ties")
    if judgments and topics.possible_gains.size:  # otherwise no judgment makes a document relevant
        if not depth:
            from .extremes import extreme  # takes time

            return extreme(measure, topics, highest=judgments == "max")
        cutoffs = range(1, depth + 1)
        columns = [evaluated(measure @ cutoff, topics.cut(cutoff)) for cutoff in cutoffs]
        return np.column_stack(columns)
    if ties == "mean":
        return _mean_over_orders(measure, topics, depth)
    if ties in EXTREMES:
        from .ties import ordered  # This import and those below take time.

        gain = topics.whole_run.gain
        merit = gain if ties == "max" else -gain
        topics = topics.reranked(ordered(topics.ranks, merit))
    if depth:
        return measure.curve(topics, depth)
    return measure.values(topics)


def _mean_over_orders(measure: GradedMeasure, topics: Topics, depth: int | None) -> np.ndarray:
    from .ties import expected

    amounts = expected(measure, topics)
    assert isinstance(measure, SumOverRanks)
    if depth:
        return measure.curve_of(amounts, topics, depth)
    return measure.total_of(amounts, topics)


def refuse_rising_weights(measure: GradedMeasure, topics: Topics) -> None:
    """Raise `Undetermined` for an extreme of a sum whose weights are negative or rise with the
    rank.
    """
    options = {measure.option("unjudged"), measure.option("ties")}
    if not isinstance(measure, GainSum) or options.isdisjoint(EXTREMES):
        return
    weight = measure.rank_weights(int(topics.retrieved.max(initial=0)))
    if (weight < 0).any() or (np.diff(weight) > ROUNDING).any():
        from .judgments import Undetermined

        raise Undetermined(
            f"{measure}: the weights must be at least 0 and must not rise with the rank"
        )


def with_option(measure: GradedMeasure, name: str, word: str) -> GradedMeasure | None:
    """The measure with the option `ties` or `unjudged`; None if it does not have the option."""
    with suppress(GradedError):
        return measure(**{name: word})
    return None
