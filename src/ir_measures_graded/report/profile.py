"""The section on curves: the first graded measure at every rank, one curve per run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from ir_measures import Measure

from ..analysis.curves import Curves, curves, uncut
from ..errors import NotApplicableError
from ..evaluation.named import Study
from ..output import plots
from ..registry.facts import sign_of
from .pages import THEME

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEPTH = 100
ROWS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The ranks of the table, besides the cutoff and the last rank."""


@dataclass(frozen=True)
class Profile:
    """The curves of all runs, and the cutoff of the measure, if it has one."""

    curves: Curves
    cutoff: int | None

    @property
    def order(self) -> list[int]:
        """The numbers of the runs, sorted from the best value at the last rank to the worst."""
        values = sign_of(self.curves.measure) * self.curves.values[:, -1]
        return np.argsort(-values, kind="stable").tolist()

    @property
    def ranks(self) -> list[int]:
        """The ranks of the table."""
        depth = len(self.curves.ranks)
        return sorted({rank for rank in (*ROWS, self.cutoff or 1, depth) if rank <= depth})

    @property
    def swatches(self) -> list[tuple[str, str]]:
        """The colour and the dashes of each run's line, as SVG writes them."""
        styles = plots.run_styles(self.curves.runs)
        found = []
        for style in map(styles.__getitem__, self.curves.runs):
            dashes = () if style["linestyle"] == "-" else style["linestyle"][1]
            colour = THEME.get(style["color"], style["color"])
            found.append((colour, " ".join(f"{2 * part:g}" for part in dashes)))
        return found

    @property
    def parts(self) -> dict[str, str]:
        """The number of each run, as text, by the gid of its line."""
        return {f"run-{number}": str(number) for number in range(len(self.curves.runs))}

    @plots.styled
    def figure(self) -> Figure:
        """Draw the curves without a legend; the gid of the line of run 3 is ``run-3``."""
        figure = plots.new_figure(8.2, 4.4)
        axes = figure.add_subplot()
        _, lines = self.curves.draw(axes, title=False)
        for number, line in enumerate(lines):
            line.set_gid(f"run-{number}")
        if self.cutoff is not None and self.cutoff < len(self.curves.ranks):
            axes.axvline(self.cutoff, color=plots.GREY, linewidth=0.8, linestyle=(0, (2, 2)))
        return figure


def profile(study: Study, measure: Measure) -> Profile | None:
    """The curves of a measure down to its cutoff, but at least to rank 100.

    None for a measure that `curves` refuses.
    """
    cutoff = measure.params.get("cutoff")
    depth = max(DEPTH, cutoff or 0)
    try:
        open_end, _ = uncut(measure, None)
        return Profile(curves(study.judgments, study.runs, open_end, depth), cutoff)
    except NotApplicableError:
        return None
