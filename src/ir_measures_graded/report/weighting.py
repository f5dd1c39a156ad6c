"""The section on weighting: the order of the runs under other gains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ir_measures import Measure

from ..analysis.levels import Levels
from ..analysis.sensitivity import Agreement, Sensitivity, sensitivity
from ..errors import NotApplicableError
from ..evaluation.named import Study
from ..output.plots import cut_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Weighting:
    """The order of the runs by one measure under each of several weightings, from flat to steep."""

    measure: Measure
    sensitivity: Sensitivity

    @property
    def steps(self) -> list[Agreement]:
        """The agreement of each weighting with the next."""
        return [self.sensitivity.agreement(*pair) for pair in pairwise(range(len(self.sensitivity.settings)))]

    @property
    def ends(self) -> Agreement:
        """The agreement of the first weighting with the last."""
        return self.sensitivity.agreement(0, -1)

    @property
    def leaders(self) -> dict[tuple[str, ...], list[str]]:
        """The runs with the best mean, and the weightings under which they have it."""
        found: dict[tuple[str, ...], list[str]] = {}
        for setting, ranks in zip(self.sensitivity.settings, self.sensitivity.ranks.T):
            best = tuple(run for run, rank in zip(self.sensitivity.runs, ranks) if rank == ranks.min())
            found.setdefault(best, []).append(setting.weighting or "")
        return found

    def figure(self) -> Figure:
        """Draw the rank of each run under each weighting, without the texts that are on the page."""
        orders = replace(self.sensitivity, runs=cut_names(self.sensitivity.runs))
        figure = orders.rank_changes()
        axes = figure.axes[0]
        axes.set_title("", loc="left")
        axes.set_xlabel("")
        names = [setting.weighting or "" for setting in orders.settings]
        axes.set_xticks(range(len(names)), names, rotation=0)
        figure.set_figheight(0.27 * len(orders.runs) + 0.6)
        figure.set_figwidth(max(6.5, figure.get_figwidth()))
        return figure


def weightings(study: Study, judged_levels: Levels, measure: Measure) -> Weighting | None:
    """The order of the runs under each weighting that `levels` suggests.

    None for fewer than two runs, for a measure that takes no gains, and if the order cannot be computed.
    """
    gains = judged_levels.gains()
    if len(study.runs) < 2 or len(gains) < 2 or "gains" not in measure.SUPPORTED_PARAMS:
        return None
    kept = {name: value for name, value in measure.params.items() if name != "gains"}
    try:
        open_gains = type(measure)(**kept)
        found = sensitivity(study.judgments, study.runs, [open_gains], gains=gains)
    except NotApplicableError:
        return None
    return Weighting(open_gains, found)
