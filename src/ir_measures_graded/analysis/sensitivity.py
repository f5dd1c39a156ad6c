"""The dependence of the order of the runs on the weighting of the levels: Kekäläinen 2005, Tables 4–6.

`sensitivity` ranks the runs under every measure × cutoff × weighting and correlates each pair of rankings
by Kendall's τ-b. Correlations of .9 and more "should be considered equivalent and those less
than 0.8 generally reflect noticeable changes" (Voorhees 2001, as cited there).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.ranking.gains import Gains, gains_text, named_weightings, plain_number, weighting
from ..core.registry.facts import sign_of
from ..core.registry.notation import parse_measures
from ..errors import GradedError
from ..evaluation.evaluate import evaluate
from ..evaluation.named import Qrels, Runs, in_sessions, read_judgments
from ..evaluation.sessions import Given
from ..output import plots
from ..output.formats import counted, listed
from ..output.result import Result
from ..output.tables import Table
from .statistics.agreement import swapped
from .statistics.significance import EXACT, run_ranks

MOST = 400
"""The largest number of settings, of which each pair is compared."""
LIMITS = (None, 0.9, 0.8)
"""The thresholds that τ can be below; None for none."""
DECIMALS = 12  # of τ: rounding errors must not push it below 1 or a threshold
Weightings = Mapping[str, Mapping[Any, Any] | str] | Iterable[str]
"""Weightings by name, where the name of a preset stands for its weighting; or texts: w3, mine=1:1,2:10."""


@dataclass(frozen=True)
class Setting:
    """A measure under one weighting at one cutoff; each is None if the measure does not take the choice."""

    measure: Measure
    base: Measure
    weighting: str | None
    cutoff: int | None

    @property
    def group(self) -> str:
        """The measure and the cutoff, without the weighting."""
        return str(self.base) + (f"@{self.cutoff}" if self.cutoff else "")

    def __str__(self) -> str:
        weighting = f" {self.weighting}" if self.weighting else ""
        return f"{self.base}{weighting}" + (f"@{self.cutoff}" if self.cutoff else "")


class Tau(float):
    """Kendall's τ; formatted as text, it names the threshold that it is below.

    >>> f"{Tau(0.75):.2f}, {Tau(0.85):.2f}, {Tau(0.95):.2f}"
    '0.75 <.8, 0.85 <.9, 0.95'
    """

    @property
    def under(self) -> float | None:
        """The lowest threshold that τ is below, or None."""
        return next((limit for limit in reversed(LIMITS) if limit and self < limit - EXACT), None)

    def __format__(self, spec: str) -> str:
        mark = f" <{self.under:g}".replace("0.", ".") if self.under else ""
        return super().__format__(spec) + mark


@dataclass(frozen=True)
class Agreement:
    """The agreement of two rankings of the runs.

    `tau` is None if it is undefined, because all runs tie in one ranking. `swaps` holds the pairs of runs
    that change order; the run that is ahead in the first ranking comes first.
    """

    first: Setting
    second: Setting
    tau: Tau | None
    swaps: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Result):
    """The rankings of the runs under all settings, and their agreement.

    `means` and `ranks` are arrays (runs × settings). Rank 1 is the best; equal runs share their mean rank.
    `tau` (settings × settings) holds Kendall's τ of each pair of settings, NaN where undefined.
    """

    runs: tuple[str, ...]
    settings: tuple[Setting, ...]
    weightings: dict[str, Gains]
    means: np.ndarray
    ranks: np.ndarray
    tau: np.ndarray

    def agreement(self, first: int, second: int) -> Agreement:
        """The agreement of two settings, given by their numbers."""
        swaps = swapped(self.runs, self.ranks[:, first], self.ranks[:, second])
        return Agreement(self.settings[first], self.settings[second], _tau(self.tau[first, second]), swaps)

    def agreements(self) -> list[Agreement]:
        """The agreement of each pair of settings."""
        return [self.agreement(*pair) for pair in combinations(range(len(self.settings)), 2)]

    @property
    def summary(self) -> str:
        """The runs and settings in one line."""
        return f"{counted(len(self.runs), 'run')} ranked under {listed(self.settings)}"

    def tables(self) -> list[Table]:
        """Kendall's τ of each pair of settings, marked if below .9 or .8."""
        names = list(map(str, self.settings))
        return [Table(["tau", *names], [[name, *map(_tau, row)] for name, row in zip(names, self.tau)])]

    def data(self) -> Table:
        """One row per pair of settings: τ, its threshold, and the runs that change order."""
        rows = []
        for found in self.agreements():
            tau, under = (None, None) if found.tau is None else (float(found.tau), found.tau.under)
            runs = "; ".join(f"{ahead} / {behind}" for ahead, behind in found.swaps)
            rows.append([str(found.first), str(found.second), tau, under, len(found.swaps), runs])
        return Table(("first", "second", "tau", "under", "swaps", "runs"), rows)

    def rank_table(self) -> Table:
        """One row per run with its rank under each setting."""
        rows = [[run, *map(plain_number, ranks)] for run, ranks in zip(self.runs, self.ranks.tolist())]
        return Table(["run", *map(str, self.settings)], sorted(rows, key=lambda row: row[1]))

    def value_table(self) -> Table:
        """One row per setting and run with mean and rank."""
        rows = [
            [str(setting.measure), setting.weighting, setting.cutoff, *of_run]
            for setting, means, ranks in zip(self.settings, self.means.T.tolist(), self.ranks.T.tolist())
            for of_run in zip(self.runs, means, ranks)
        ]
        return Table(("measure", "weighting", "cutoff", "run", "mean", "rank"), rows)

    def legend(self) -> str:
        """The gains of each weighting, one line per weighting."""
        return "\n".join(f"{name} = {gains_text(gains)}" for name, gains in self.weightings.items())

    def figure(self) -> plots.Figure:
        """The heat map; `rank_changes` draws another figure."""
        return self.heat_map()

    @plots.styled
    def heat_map(self) -> plots.Figure:
        """Draw Kendall's τ of each pair of settings, shaded below .9 and .8. Needs the extra ``plot``."""
        from matplotlib.patches import Patch

        names = list(map(str, self.settings))
        size = 0.46 * len(names) + plots.INCHES * max(map(len, names)) + 0.5
        figure = plots.new_figure(max(size, 3.0) + 1.3, max(size, 3.0) + 0.6)
        figure.set_layout_engine("compressed")  # cells stay square
        axes = figure.add_subplot()
        shades = np.full((len(names) - 1, len(names) - 1), np.nan)
        texts = {}
        for row, column in np.argwhere(np.tri(len(shades))).tolist():
            tau = _tau(self.tau[row + 1, column])
            texts[row, column] = "–" if tau is None else f"{float(tau):.3f}".replace("0.", ".", 1)
            shades[row, column] = 0 if tau is None else LIMITS.index(tau.under)
        plots.draw_cells(axes, shades, texts, names[1:], names[:-1])
        meanings = ("τ ≥ 0.9", "0.8 ≤ τ < 0.9", "τ < 0.8")
        plots.legend_outside(
            axes, [Patch(color=shade, label=text) for shade, text in zip(plots.SHADES, meanings)]
        )
        axes.set_xlabel(self.legend(), loc="left")
        axes.set_title(f"Kendall's τ of the orders of {len(self.runs)} runs")
        return figure

    @plots.styled
    def rank_changes(self) -> plots.Figure:
        """Draw the rank of each run under every setting; a run that keeps its rank is pale.

        Needs the extra ``plot``.
        """
        count = len(self.settings)
        groups = [setting.group for setting in self.settings]
        borders = [place for place in range(1, count) if groups[place] != groups[place - 1]]
        if len(borders) == count - 1:  # each group has a single setting
            borders = []
        ends = [self._ticks(self.ranks[:, column]) for column in (0, -1)]
        width = plots.INCHES * sum(max(map(len, labels.values())) for labels in ends)
        figure = plots.new_figure(max(0.45 * count, 3.0) + width, 0.27 * len(self.runs) + 2.2)
        axes = figure.add_subplot()
        styles, places = plots.run_styles(self.runs), np.arange(float(count))
        for run in np.argsort(self.ranks[:, 0], kind="stable").tolist():
            ranks, style = self.ranks[run], styles[self.runs[run]]
            axes.plot(range(count), ranks, **{**style, "marker": ""}, alpha=0.25)
            x, y = (np.insert(each, borders, np.nan) for each in (places, ranks))
            alpha = 0.3 if (ranks == ranks[0]).all() else 1.0
            axes.plot(x, y, label=self.runs[run], alpha=alpha, **style)
        for side, labels in zip((axes, axes.secondary_yaxis("right")), ends):
            side.yaxis.set_ticks(list(labels), list(labels.values()))
            for text in side.get_yticklabels():
                style = styles.get(text.get_text().rpartition("  ")[0], {"color": "black"})
                text.set_color(style["color"])
            side.tick_params(length=0)
            side.spines[:].set_visible(False)
        axes.invert_yaxis()
        axes.set_xlim(-0.3, count - 0.7)
        axes.set_xticks(range(count), list(map(str, self.settings)), rotation=90)
        for border in borders:
            axes.axvline(border - 0.5, color=plots.GREY, linewidth=0.8)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(self.legend(), loc="left")
        axes.set_title(f"Ranks of {len(self.runs)} runs by their means")
        return figure

    def _ticks(self, ranks: np.ndarray) -> dict[float, str]:
        """The label of each rank: the runs that have it."""
        runs = np.array(self.runs, dtype=object)
        return {
            rank: f"{listed(runs[ranks == rank], most=2)}  {rank:g}" for rank in np.unique(ranks).tolist()
        }


def sensitivity(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    sessions: Given = None,
    gains: Weightings = (),
    cutoffs: Iterable[int] = (),
    progress: bool = False,
    jobs: int = 1,
) -> Sensitivity:
    """Rank the runs under every measure × cutoff × weighting and compare the rankings.

    `qrels`, `runs`, `measures`, `sessions`, `progress` and `jobs` are as for `evaluate`. `gains` maps names
    to weightings, or lists texts such as ``w3`` and ``mine=1:1,2:10``. The presets w1, w3, w10 and w100 are
    for the levels 0 to 3. A measure that sets its gains or its cutoff, or takes none, is not varied in it.

    Raises `GradedError` for fewer than two runs or two settings, for gains or cutoffs that no measure takes,
    and for a preset if the qrels have levels other than 0 to 3.
    """
    judgments = read_judgments(in_sessions(qrels, sessions))
    levels = np.unique(judgments.table.values).tolist()
    weightings = {name: weighting(name, given, levels) for name, given in named_weightings(gains).items()}
    settings = _settings(parse_measures(measures, uncut=True), weightings, list(dict.fromkeys(cutoffs)))
    wanted = [setting.measure for setting in settings]
    evaluation = evaluate(judgments, runs, wanted, progress=progress, jobs=jobs)
    if len(evaluation.runs) < 2:
        raise GradedError(f"a ranking needs at least 2 runs; there {'is 1' if evaluation.runs else 'are 0'}")
    means = evaluation.means()[:, [evaluation.measures.index(measure) for measure in wanted]]
    # Settings are ranked one by one because rounding is relative to the largest value.
    of_measures = zip(wanted, means.T[:, :, None])
    ranks = np.hstack([run_ranks(-sign_of(measure) * values) for measure, values in of_measures])
    return Sensitivity(evaluation.runs, settings, weightings, means, ranks, kendall(ranks))


def kendall(ranks: np.ndarray) -> np.ndarray:
    """Kendall's τ-b of each pair of rankings (n × n), which are columns (runs × n); NaN where undefined.

    τ-b is (C − D) / √((P − T)(P − U)): of P pairs of runs, C are in the same and D in opposite orders, and T
    and U are tied in the first and in the second ranking.

    >>> kendall(np.array([[1, 2], [2, 1], [3, 3]])).round(2)
    array([[1.  , 0.33],
           [0.33, 1.  ]])
    """
    order = np.sign(ranks[:, None] - ranks).reshape(-1, ranks.shape[1])
    common = order.T @ order
    apart = np.diag(common)
    with np.errstate(invalid="ignore"):
        tau = (common / np.sqrt(np.outer(apart, apart))).round(DECIMALS)
    np.fill_diagonal(tau, 1)
    return np.asarray(tau)


def _settings(
    measures: Sequence[Measure], weightings: Mapping[str, Gains], cutoffs: Sequence[int]
) -> tuple[Setting, ...]:
    def is_open(measure: Measure, choice: str) -> bool:
        return choice in measure.SUPPORTED_PARAMS and choice not in measure.params

    for choice, given in (("gains", weightings), ("cutoff", cutoffs)):
        if given and not any(is_open(measure, choice) for measure in measures):
            raise GradedError(
                f"no measure takes the {choice}: {', '.join(map(str, measures))} set their own or take none"
            )
    settings = []
    for base in measures:
        for cutoff in cutoffs if cutoffs and is_open(base, "cutoff") else [None]:
            at = base if cutoff is None else base(cutoff=cutoff)
            for name in weightings if weightings and is_open(base, "gains") else [None]:
                measure = at if name is None else at(gains=weightings[name])
                settings.append(Setting(measure, base, name, cutoff))
    if len(settings) > MOST:
        raise GradedError(f"{len(settings)} rankings of the runs are too many to compare; at most {MOST} are")
    if len(settings) < 2:
        raise GradedError("there is only one ranking of the runs; name several measures, gains or cutoffs")
    return tuple(settings)


def _tau(value: float) -> Tau | None:
    return None if np.isnan(value) else Tau(value)
