"""Whether another order of tied documents may have given a mean: the range that a measure has over
all orders of ties.

Values by topic need no such range: a topic that differs is told with its cause."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import with_options
from ...errors import GradedError
from ...output.formats import listed
from .case import Case
from .dimensions import PERCENT, QRELS_TOPICS, ROUNDED, Definition
from .naming import NamesOfDefinitions
from .scoring import values_at
from .strings import TIES
from .tools import TOOLS, UNSTABLE, costs

SAME_DIMENSIONS = ("measure", "cutoff", "gain", "discount", "ideal", "nothing", "documents")
"""Definitions that are the same in these dimensions differ in the order of ties, or in how a mean
is made of the values."""


@dataclass(frozen=True)
class RangeOfTies:
    """The lowest and the highest mean of a measure over all orders of ties, one for each run, and
    the tools that compute the measure with an unstable sort."""

    measure: Measure
    lowest: Sequence[float]
    highest: Sequence[float]
    tools: Sequence[str]

    def sentence(self, decimals: int) -> str:
        """A sentence: the means given may come from another order of ties."""
        bounds = zip(self.lowest, self.highest, strict=True)
        ranges = [f"from {low:.{decimals}f} to {high:.{decimals}f}" for low, high in bounds]
        order = "such as that of an unstable sort"
        if self.tools:
            order += f" in {listed(self.tools)}"
        pronoun = "it" if len(ranges) == 1 else "them"
        return (
            f"Ties alone move {self.measure} {' and '.join(ranges)}: another order of tied "
            f"documents, {order}, may have given {pronoun}; values by topic would tell."
        )


def range_of_ties(case: Case, names: NamesOfDefinitions) -> RangeOfTies | None:
    """The range of the measure that the user names, if the means given are within it and none of
    the orders that are tried gives them."""
    if not case.by_mean or case.asked is None:
        return None
    plain = names.strings.definition_of(case.asked)
    if plain is None or _is_found(plain, names):
        return None
    means = {}
    with suppress(GradedError):
        for ties in ("min", "max"):
            values = values_at(with_options(case.asked, {"ties": ties}), case.rows.ranks)
            means[ties] = np.array(names.means_of(values, QRELS_TOPICS.text))
    if "max" not in means:
        return None
    for way in (ROUNDED, PERCENT):
        lowest = way.apply(means["min"])
        highest = way.apply(means["max"])
        is_within = (lowest - case.tolerance <= case.given) & (
            case.given <= highest + case.tolerance
        )
        is_shown_so = way.text in names.space["shown"]
        if is_shown_so and is_within.all() and (highest - lowest > case.tolerance).any():
            return RangeOfTies(case.asked, lowest.tolist(), highest.tolist(), _tools_of(plain))
    return None


def _is_found(plain: Definition, names: NamesOfDefinitions) -> bool:
    """Whether some order of ties that is tried, but for those over all orders, gives the means."""
    if not names.ranking.is_found:
        return False
    for match in names.ranking.matches:
        is_same = all(
            getattr(match, name) in ("", getattr(plain, name)) for name in SAME_DIMENSIONS
        )
        if is_same and match.order not in TIES:
            return True
    return False


def _tools_of(plain: Definition) -> list[str]:
    """The tools that compute a definition, but with an unstable sort."""
    fields = [name for name in Definition._fields if name not in ("order", "precision")]
    departures = costs([[getattr(plain, name) for name in fields]], fields)[0]
    tools: list[str] = []
    for tool, count in zip(TOOLS, departures, strict=True):
        if count == 0 and tool["order"] == UNSTABLE:
            tools += tool["tool"].split(", ")
    return list(dict.fromkeys(tools))
