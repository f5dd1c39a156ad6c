"""Where the best run changes as documents of the highest level gain more or less.

The gain of the highest level runs over the positions of the slider of the what-if page, from the
gain of a measure on in both directions, while those of the other levels stay. A turn below the gain
of a lower level is also sought with lower levels taken along, which never gain more. Between two
positions with different best runs, bisection finds the turn to three digits, as the script
``whatif.js`` does for the gains that a reader chooses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from ir_measures import Measure

from ..core.provider import values_of
from ..core.ranking.gains import Number, plain_number
from ..core.ranking.stack import stacked
from ..core.registry.facts import with_movable_gains
from ..core.registry.notation import with_gains
from ..evaluation.named import Study
from ..output.formats import listed, short

MOST_LISTS = 2_500
"""The lists (runs × topics) whose turns are found in about half a second."""
MOST_WHOLE_LISTS = 500
"""The same for a measure without a cutoff, which takes longer."""
POSITIONS_OF_DECADE = 40
LEAST_GAIN = 0.1
"""The gain of the first position above 0."""
USUAL_HIGHEST_GAIN = 100.0
"""The gain of the last position, unless a level has a higher one."""
JUST_ABOVE_0 = 1e-9
"""A turn at this gain is one between nothing and something: some measures count a document with any
gain as relevant."""
TIED = 1e-12
"""The distance of equal means, as a share of the largest one."""
MOST_FIXED = 3
"""The most unchanged gains that a sentence names."""
Best = tuple[str, ...]
GainsAt = Callable[[float], Sequence[Number]]
"""The gains of all levels, from that of the highest one."""


class Turn(NamedTuple):
    """The gain of the highest level from which other runs are the best."""

    gain: float
    before: Best
    after: Best

    @property
    def is_at_zero(self) -> bool:
        """Whether the best runs change as soon as the level has a gain."""
        return self.gain <= JUST_ABOVE_0


@dataclass(frozen=True)
class Turns:
    """The nearest turns above and below the gains of the levels above 0, ascending; None if there
    is none.

    `along` is the turn below if the highest level takes lower levels along, where that differs
    (`differs_along`).
    """

    measure: Measure
    levels: Sequence[Number]
    gains: Sequence[Number]
    above: Turn | None
    below: Turn | None
    along: Turn | None = None
    differs_along: bool = False

    def __str__(self) -> str:
        """The turns as a sentence."""
        clauses = []
        highest = f"level {self.levels[-1]}"
        if self.above:
            change = _change(self.above.after, self.above.before)
            worth = f"is worth more than {self._worth(self.above)}"
            if self.above.is_at_zero:
                worth = "has a gain above 0"
            clauses.append(f"{change} when {highest} {worth}")
        if self.below:
            change = _change(self.below.before, self.below.after)
            worth = f"worth less than {self._worth(self.below)}"
            if self.below.is_at_zero:
                worth = "worth nothing"
            clauses.append(f"{change} when {highest} is {worth}")
        if not clauses:
            last = plain_number(_positions(max(map(float, self.gains)))[-1])
            same = f"the best run stays the same if the gain of {highest} alone changes"
            clauses.append(f"{same}, up to {last}")
        sentence = f"By {self.measure}, {', and '.join(clauses)}{self._fixed()}"
        if self.differs_along:
            sentence += f"; if no lower level may gain more than {highest}, {self._along()}"
        return f"{sentence}."

    def _along(self) -> str:
        """The turn below with lower levels taken along, as a clause."""
        if self.along is None:
            return "no other run is best at lower gains"
        where = f"below a gain of {short(self.along.gain, '.3g')}"
        # A change that the sentence has just told is not told again.
        if self.below and self.below[1:] == self.along[1:]:
            return where
        return f"{_change(self.along.before, self.along.after)} {where}"

    @property
    def _compared(self) -> int | None:
        """The place of the lowest level with a gain, below the highest level; None without any."""
        with_gain = [place for place, gain in enumerate(self.gains[:-1]) if gain > 0]
        return with_gain[0] if with_gain else None

    def _worth(self, turn: Turn) -> str:
        if self._compared is None:
            return f"a gain of {short(turn.gain, '.3g')}"
        times = turn.gain / float(self.gains[self._compared])
        return f"{short(times, '.3g')} times level {self.levels[self._compared]}"

    def _fixed(self) -> str:
        """The other gains, which stay as they are."""
        turns = [turn for turn in (self.above, self.below) if turn]
        is_compared = not turns or not all(turn.is_at_zero for turn in turns)
        fixed = []
        for place, gain in enumerate(self.gains[:-1]):
            if not is_compared or place != self._compared:
                fixed.append(f"level {self.levels[place]} at {short(float(gain), '.3g')}")
        if not fixed:
            return ""
        if len(fixed) > MOST_FIXED:
            return ", with the other gains as they are"
        return f", with {listed(fixed)}"


def turns_of(
    study: Study, measure: Measure, levels: Sequence[Number], gains: Sequence[Number]
) -> Turns | None:
    """The nearest turns around `gains`, those of a measure of the `levels` above 0; None for too
    many lists."""
    topic_count = len(study.judgments.documents.topics)
    most_lists = MOST_LISTS if measure.params.get("cutoff") else MOST_WHOLE_LISTS
    if len(study.runs) * topic_count > most_lists:
        return None
    names = [run.name for run in study.runs]
    movable = with_movable_gains(measure)

    def winners(gains_at: GainsAt) -> Callable[[float], Best]:
        """The function from the gain of the highest level to the best runs."""

        @cache
        def best(gain: float) -> Best:
            changed = dict(zip(levels, gains_at(gain), strict=True))
            values = values_of(with_gains(movable, changed), ranks)
            means = values.reshape(len(names), topic_count).mean(axis=1)
            is_best = means.max() - means <= TIED * np.abs(means).max()
            return tuple(names[run] for run in np.flatnonzero(is_best).tolist())

        def winner(gain: float) -> Best:
            # Where one run overtakes another, both are equal; the winner is the best just above.
            if len(best(gain)) > 1:
                return best(gain * (1 + 1e-6) + 1e-9)
            return best(gain)

        return winner

    ranks = stacked([run.ranks for run in study.runs])
    winner = winners(lambda gain: [*gains[:-1], gain])
    own_gain = float(gains[-1])
    positions = _positions(max(map(float, gains)))
    higher = [gain for gain in positions if gain > own_gain]
    lower = [gain for gain in positions if gain <= own_gain]
    # The own gain may be between two positions.
    rising = [*lower[-1:], *higher]
    falling = [*higher[:1], *lower[::-1]]
    # A run may be the best at gain 0 alone, above which documents of the level are relevant.
    if rising[0] == 0:
        rising.insert(1, JUST_ABOVE_0)
    falling.insert(-1, JUST_ABOVE_0)

    def below_by(winner: Callable[[float], Best]) -> Turn | None:
        turns = _turns_between(falling, winner)
        return next((turn for turn in turns if turn.gain <= own_gain), None)

    above = next((turn for turn in _turns_between(rising, winner) if turn.gain > own_gain), None)
    below = below_by(winner)
    lower_gains = list(map(float, gains[:-1]))
    along = below
    if lower_gains and (below is None or below.gain < max(lower_gains)):
        most = max(own_gain, LEAST_GAIN)  # lower levels do not come back with the highest one
        along = below_by(
            winners(lambda gain: [*(min(other, gain, most) for other in lower_gains), gain])
        )
    turns = Turns(measure, levels, gains, above, below, along, differs_along=along != below)
    is_nothing = below is not None and below.is_at_zero and turns._compared is None
    if is_nothing:  # Without any gain above 0, all runs are equal.
        turns = replace(turns, below=None, differs_along=False)
    return turns


def _positions(highest: float) -> list[float]:
    """The gains of the positions of the slider, ascending.

    >>> _positions(3.0)[:3], _positions(3.0)[-1]
    ([0.0, 0.1, 0.106], 100.0)
    """
    decades = math.log10(max(USUAL_HIGHEST_GAIN, highest) / LEAST_GAIN)
    count = math.ceil(decades * POSITIONS_OF_DECADE - 1e-9) + 1
    exponents = math.log10(LEAST_GAIN) + np.arange(count) / POSITIONS_OF_DECADE
    return [0.0] + [float(f"{gain:.3g}") for gain in (10.0**exponents).tolist()]


def _turns_between(gains: Sequence[float], winner: Callable[[float], Best]) -> Iterator[Turn]:
    """The turn between each two neighbouring gains, in this order, that have other best runs."""
    for gain, neighbour in pairwise(gains):
        if winner(gain) == winner(neighbour):
            continue
        low = min(gain, neighbour)
        high = max(gain, neighbour)
        before = winner(low)
        while high - low > 5e-4 * high and high > JUST_ABOVE_0:
            middle = (low + high) / 2
            if winner(middle) == before:
                low = middle
            else:
                high = middle
        yield Turn(high, before, winner(high))


def _change(best: Best, before: Best) -> str:
    """What happens to the best runs, in words.

    >>> _change(("B",), ("A",)), _change(("A", "B"), ("A",))
    ('B overtakes A', 'A and B are equally good and best')
    """
    names = listed(best, 3)
    if len(best) > 1:
        return f"{names} are equally good and best"
    if len(before) > 1:
        return f"{names} alone is best"
    return f"{names} overtakes {listed(before)}"
