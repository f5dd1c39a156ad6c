"""Whom a judge favours: the value of a run beyond that of other runs of the same quality.

The means of the *other* runs under the machine are fitted as a line in their means under the human
(least squares). With the weights c for which Σ c·machine is this line at the human mean of run r:

    favour = mean over the topics of machine_r − Σ c·machine,
             with Student's interval, Šidák over the runs
"""

from __future__ import annotations

from typing import Final, NamedTuple

import ir_measures
import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import is_normalised
from ..statistics.precision import EXACT
from ..statistics.primary import paired

FEWEST_RUNS: Final = 6
FEWEST_TOPICS: Final = 2
PREFERRED_CUTOFF: Final = 10
DEEPEST_CUTOFF: Final = 20
"""The greatest cutoff of measures with favours; one above `PREFERRED_CUTOFF` names more runs
falsely."""


class Favour(NamedTuple):
    """The value of a run beyond that of other runs of its quality, with an interval, NaN if there
    is none."""

    run: str
    value: float
    lower: float
    upper: float

    @property
    def verdict(self) -> str:
        """``favoured`` or ``disfavoured`` if the interval excludes 0, else empty."""
        if self.lower > 0:
            return "favoured"
        return "disfavoured" if self.upper < 0 else ""


def why_no_favours(measure: Measure, runs: int, topics: int) -> str:
    """The reason why favours are not computed, or an empty text."""
    if not _shows_favours(measure):
        return (
            f"only measures with a cutoff of at most {DEEPEST_CUTOFF}, a discount and an ideal "
            "list of all judged documents, such as nDCG@10, show whom a judge favours; others "
            "name runs falsely"
        )
    if runs < FEWEST_RUNS and topics < FEWEST_TOPICS:
        needed = f"{FEWEST_RUNS} runs and {FEWEST_TOPICS} topics"
        return f"a favour needs at least {needed}, not {runs} and {topics}"
    if runs < FEWEST_RUNS:
        return _needs(FEWEST_RUNS, "runs", runs)
    if topics < FEWEST_TOPICS:
        return _needs(FEWEST_TOPICS, "topics", topics)
    return ""


def _needs(least: int, what: str, number: int) -> str:
    """What a favour needs, and how much of it there is."""
    are = "is" if number == 1 else "are"
    return f"a favour needs at least {least} {what}; there {are} {number}"


def _shows_favours(measure: Measure) -> bool:
    """Whether the measure has a small cutoff, a discount, and an ideal list of all judged
    documents."""
    cutoff = measure.params.get("cutoff")
    if not cutoff or cutoff > DEEPEST_CUTOFF:
        return False
    if is_normalised(measure) and measure.ideal_documents == "judged":
        weights = measure.rank_weights(DEEPEST_CUTOFF)
        return bool(np.ptp(weights) > 0)
    return isinstance(measure, type(ir_measures.nDCG))


def favours(
    runs: tuple[str, ...],
    human: np.ndarray,
    machine: np.ndarray,
    confidence: float,
    width: float = np.inf,
) -> tuple[Favour, ...]:
    """The favour of each run, from its values under either judge (runs × topics).

    `width` is that of the range of the measure, for intervals if few topics differ, as in
    `paired`.

    A run has none if all others have the same mean under the human, but for rounding errors. A
    favour that is the same in every topic has no interval, as in `paired`.
    """
    count = len(runs)
    means = mean_over_topics(human)
    expected = machine.copy()
    pairs = []
    for run in range(count):
        others = np.arange(count) != run
        # Differences of close means are exact, those from their mean are not.
        distance = means - means[run - 1]
        distance -= distance[others].mean()
        of_others = distance[others]
        if np.ptp(of_others) > EXACT * np.abs(human).max():
            slope_weights = of_others * distance[run] / (of_others @ of_others)
            weights = slope_weights + 1 / others.sum()
            neighbour = machine[run - 1]
            expected[run] = neighbour + weights @ (machine[others] - neighbour)
            pairs.append((run, count + run))
    if not pairs:
        return ()
    tested = paired(np.concatenate([machine, expected]), pairs, 1 - confidence, width=width)
    names = [runs[run] for run, _ in pairs]
    columns = (tested.difference.tolist(), tested.lower.tolist(), tested.upper.tolist())
    return tuple(Favour(*row) for row in zip(names, *columns, strict=True))
