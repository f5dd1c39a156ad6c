"""The uncertainty of a value: the order of tied documents, and the levels of unjudged documents.

- `evaluated`: the values of a measure under its options `ties` and `unjudged`.
- `ties`: the lowest, the highest and the mean value over all orders of tied documents.
- `extremes`: the extremes of a value, and of a difference of two runs, over all judgments.
- `judgments`, `ratio`: the unjudged documents, and the extremes of quotients.

The functions `expected`, `extreme` and `differences_of` dispatch on the family of a measure. A measure
of a plugin inherits the methods of its family; `expected.register(MyMeasure)` adds one of its own.
"""

from contextlib import suppress

import numpy as np

from ...errors import GradedError
from ..measures.base import EXTREMES, GradedMeasure
from ..measures.sums import WeightedGains
from ..measures.topics import Topics
from .extremes import extreme
from .judgments import Undetermined
from .ties import expected, ordered


def evaluated(measure: GradedMeasure, topics: Topics, depth: int | None = None) -> np.ndarray:
    """The reported value of each topic (T), under the options `ties` and `unjudged`; with a `depth`, its
    values with the cutoffs 1 … `depth` (T × depth), from `topics` that are uncut."""
    refuse_rising_weights(measure, topics)
    judgments, ties = measure.option("unjudged"), measure.option("ties")
    if judgments and topics.possible_gains.size:  # else no judgment can make a document relevant
        if depth:
            return np.column_stack(
                [evaluated(measure @ k, topics.cut(k)) for k in range(1, depth + 1)]
            )
        return extreme(measure, topics, judgments == "max")
    if ties == "mean":
        amounts = expected(measure, topics)
        return (
            measure.curve_of(amounts, topics, depth) if depth else measure.value_of(amounts, topics)
        )
    if ties in EXTREMES:
        gain = topics.whole_run.gain
        topics = topics.reranked(ordered(topics.ranks, gain if ties == "max" else -gain))
    return measure.curve(topics, depth) if depth else measure.values(topics)


def refuse_rising_weights(measure: GradedMeasure, topics: Topics) -> None:
    """Raise `Undetermined` for an extreme of a sum whose weights are negative or rise with the rank."""
    options = {measure.option("unjudged"), measure.option("ties")}
    if isinstance(measure, WeightedGains) and options & {*EXTREMES}:
        weight = measure.rank_weights(int(topics.retrieved.max(initial=0)))
        if (weight < 0).any() or (np.diff(weight) > 1e-12).any():
            raise Undetermined(
                f"{measure}: the weights must be at least 0 and must not rise with the rank"
            )


def with_option(measure: GradedMeasure, name: str, word: str) -> GradedMeasure | None:
    """The measure with the option `ties` or `unjudged`; None if it does not have the option."""
    with suppress(GradedError):
        return measure(**{name: word})
    return None
