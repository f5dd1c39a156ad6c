"""The weighting: the order of the runs under other gains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ir_measures import Measure

from ...errors import GradedError
from ...evaluation.named import Judgments
from ..levels import levels
from ..sensitivity import Agreement, Sensitivity, sensitivity

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Weighting:
    """The orders of the runs by one measure under several weightings, from flat to steep."""

    measure: Measure
    sensitivity: Sensitivity

    @property
    def steps(self) -> list[Agreement]:
        """The agreement of each weighting with the next."""
        places = {setting: number for number, setting in enumerate(self.sensitivity.settings)}
        wanted = {*pairwise(range(len(places)))}
        found = self.sensitivity.agreements()
        return [each for each in found if (places[each.first], places[each.second]) in wanted]

    @property
    def ends(self) -> Agreement:
        """The agreement of the first weighting with the last."""
        settings = self.sensitivity.settings
        ends = (settings[0], settings[-1])
        return next(each for each in self.sensitivity.agreements() if (each.first, each.second) == ends)

    @property
    def leaders(self) -> list[tuple[str, list[str]]]:
        """Each weighting with the runs of rank 1, which share it only if they have the same mean."""
        ranks = self.sensitivity.ranks
        return [
            (
                setting.weighting or "",
                [run for run, rank in zip(self.sensitivity.runs, ranks[:, column]) if rank == ranks[:, column].min()],
            )
            for column, setting in enumerate(self.sensitivity.settings)
        ]  # fmt: skip

    def figure(self) -> Figure:
        """Draw the rank of each run under each weighting."""
        return self.sensitivity.rank_changes()


def weightings(judgments: Judgments, runs: Mapping[str, Any], measure: Measure) -> Weighting | None:
    """The orders of two or more runs under the gains that `levels` suggests; None without several."""
    if len(runs) < 2 or "gains" not in measure.SUPPORTED_PARAMS:
        return None
    kept = {name: value for name, value in measure.params.items() if name != "gains"}
    try:
        open_gains = type(measure)(**kept)
        found = sensitivity(judgments, runs, [open_gains], gains=levels(judgments).gains())
    except GradedError:
        return None
    return Weighting(open_gains, found)
