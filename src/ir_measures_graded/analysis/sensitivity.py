"""The dependence of the order of the runs on the weighting of the levels: Kekäläinen 2005, Tables
4–6.

`sensitivity` ranks the runs under every measure × cutoff × weighting and correlates each pair of
rankings by Kendall's τ-b. Correlations of .9 and more "should be considered equivalent and those
less than 0.8 generally reflect noticeable changes" (Voorhees 2001, as cited there). This was said
of many runs: of five, a single swap gives .8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.ranking.gains import Gains, gains_text, named_weightings, plain_number, weighting
from ..core.registry.facts import sign_of
from ..errors import GradedError
from ..evaluation.checked import checks_arguments
from ..evaluation.evaluate import evaluate
from ..evaluation.named import (
    Qrels,
    Runs,
    Study,
    in_sessions,
    measures_for,
    read_judgments,
    study_of,
)
from ..evaluation.sessions import Given
from ..output import plots
from ..output.formats import known, listed
from ..output.result import Result
from ..output.tables import Table
from .levels import levels
from .statistics.options import as_list
from .statistics.orders import tau_of_all
from .statistics.tests import run_ranks
from .whatif import WhatIf, what_if

MOST = 400
"""The largest number of settings, of which each pair is compared."""
DECIMALS = 12  # of τ: rounding errors must not push it below 1
Weightings = Mapping[str, Mapping[Any, Any] | str] | Iterable[str]
"""Weightings by name, where the name of a preset stands for its weighting; or texts: w3,
mine=1:1,2:10."""


@dataclass(frozen=True)
class Setting:
    """A measure under one weighting at one cutoff; each is None if the measure does not take the
    choice."""

    measure: Measure
    base: Measure
    weighting: str | None
    cutoff: int | None

    def __str__(self) -> str:
        weighting = f" {self.weighting}" if self.weighting else ""
        return f"{self.base}{weighting}" + (f"@{self.cutoff}" if self.cutoff else "")


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Result):
    """The rankings of the runs under all settings, and their agreement.

    `means` and `ranks` are arrays (runs × settings). Rank 1 is the best; equal runs share their
    mean rank. `tau` (settings × settings) holds Kendall's τ of each pair of settings, NaN where
    undefined. `study` has the qrels and runs, for the what-if page.
    """

    runs: tuple[str, ...]
    settings: tuple[Setting, ...]
    weightings: dict[str, Gains]
    means: np.ndarray
    ranks: np.ndarray
    tau: np.ndarray
    study: Study | None = None

    def what_if(self) -> WhatIf | None:
        """The what-if page's content, with the first setting at first; None if the page cannot show
        it.

        See `analysis.whatif`. Sensitivity that was computed from values alone has none.
        """
        return None if self.study is None else what_if(self.study, self.settings[0].measure)

    def changes(self, first: int, second: int) -> tuple[tuple[str, str], ...]:
        """The pairs of runs that change order between two settings, given by their numbers.

        The run that is ahead under the first comes first.
        """
        before = self.ranks[:, first]
        after = self.ranks[:, second]
        order = np.argsort(before, kind="stable").tolist()
        swapped = []
        for run, other in combinations(order, 2):
            if before[run] < before[other] and after[run] > after[other]:
                swapped.append((self.runs[run], self.runs[other]))
        return tuple(swapped)

    def leaders(self) -> dict[tuple[str, ...], list[Setting]]:
        """The runs with the best mean, and the settings under which they have it."""
        leaders: dict[tuple[str, ...], list[Setting]] = {}
        for setting, ranks in zip(self.settings, self.ranks.T, strict=True):
            best = tuple(self.runs[run] for run in np.flatnonzero(ranks == ranks.min()))
            leaders.setdefault(best, []).append(setting)
        return leaders

    def answer(self) -> list[str]:
        """The best runs under the settings."""
        leaders = self.leaders()
        if len(leaders) == 1:
            (best_runs,) = leaders
            return [f"{listed(best_runs, 2)} is best under all {len(self.settings)} settings."]
        best = "; ".join(
            f"{listed(runs, 2)} under {listed(under)}" for runs, under in leaders.items()
        )
        return [f"The best run depends on the setting: {best}."]

    def tables(self) -> list[Table]:
        """Kendall's τ of each pair of settings."""
        names = list(map(str, self.settings))
        rows = [[name, *known(taus)] for name, taus in zip(names, self.tau, strict=True)]
        return [Table(["tau", *names], rows)]

    def notes(self) -> list[str]:
        """What the table has, and what a low τ means for so few runs."""
        count = len(self.runs)
        return [
            "Kendall's τ of the orders of the runs under two settings is 1 if they are equal and -1 if they "
            f"are opposite. Two of {count} runs that swap lower τ by {4 / (count * (count - 1)):.2g}."
        ]

    def rank_table(self) -> Table:
        """One row per run with its rank under each setting."""
        rows = [
            [run, *map(plain_number, ranks)]
            for run, ranks in zip(self.runs, self.ranks.tolist(), strict=True)
        ]
        return Table(["run", *map(str, self.settings)], sorted(rows, key=lambda row: row[1]))

    @plots.styled
    def figure(self) -> plots.Figure:
        """Draw the rank of each run under every setting; a run that keeps its rank is pale.

        Needs the extra ``plot``.
        """
        count = len(self.settings)
        first, runs = self.ranks[:, 0], np.array(self.runs, dtype=object)
        labels = {
            rank: f"{listed(runs[first == rank], 2)}  {rank:g}"
            for rank in np.unique(first).tolist()
        }
        width = plots.INCHES * max(map(len, labels.values()))
        figure = plots.new_figure(max(0.45 * count, 3.0) + width, 0.27 * len(self.runs) + 2.2)
        axes = figure.add_subplot()
        styles = plots.run_styles(self.runs)
        for run in np.argsort(first, kind="stable").tolist():
            ranks, style = self.ranks[run], styles[self.runs[run]]
            alpha = 0.3 if (ranks == ranks[0]).all() else 1.0
            axes.plot(range(count), ranks, label=self.runs[run], alpha=alpha, **style)
        axes.set_yticks(list(labels), list(labels.values()))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.invert_yaxis()
        axes.set_xlim(-0.3, count - 0.7)
        axes.set_xticks(range(count), list(map(str, self.settings)), rotation=90)
        axes.grid(visible=False, axis="y")
        weightings = (f"{name} = {gains_text(gains)}" for name, gains in self.weightings.items())
        axes.set_xlabel("\n".join(weightings), loc="left")
        axes.set_title(f"Ranks of {len(self.runs)} runs by their means")
        return figure


@checks_arguments("sensitivity(qrels, {'old': old, 'new': new}, ['nDCG@10'])")
def sensitivity(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    sessions: Given = None,
    gains: Weightings = (),
    cutoffs: Iterable[int] | int = (),
) -> Sensitivity:
    """Rank the runs under every measure × cutoff × weighting and compare the rankings.

    `qrels`, `runs`, `measures` and `sessions` are as for `evaluate`. `gains` maps names to
    weightings, or lists texts such as ``w3`` and ``mine=1:1,2:10``. The presets w1, w3, w10 and
    w100 are for the levels 0 to 3. A measure that sets its gains or its cutoff, or takes none, is
    not varied in it. A single measure without gains and cutoffs has the weightings of `levels`.

    Raises `GradedError` for fewer than two runs or two settings, for gains or cutoffs that no
    measure takes, and for a preset if the qrels have levels other than 0 to 3.
    """
    judgments = read_judgments(in_sessions(qrels, sessions))
    bases = list(measures_for(judgments, measures, uncut=True))
    texts = named_weightings(gains)
    cutoffs = as_list(cutoffs)
    is_single = len(bases) == 1 and len(cutoffs) < 2
    if is_single and not texts and _is_open(bases[0], "gains"):
        texts = dict(levels(judgments, highest=True).gains())
    values = np.unique(judgments.rows.values).tolist()
    weightings = {name: weighting(name, text, values) for name, text in texts.items()}
    settings = _settings(bases, weightings, list(dict.fromkeys(cutoffs)))
    wanted = [setting.measure for setting in settings]
    study = study_of(judgments, runs)
    evaluation = evaluate(study.judgments, study.runs, wanted)
    if len(evaluation.runs) < 2:
        raise GradedError(f"a ranking needs at least 2 runs, not {len(evaluation.runs)}")
    columns = [evaluation.measures.index(measure) for measure in wanted]
    means = evaluation.means()[:, columns]
    ranks = np.empty(means.shape)
    # Settings are ranked one by one because rounding is relative to the largest value.
    for column, measure in enumerate(wanted):
        ranks[:, column] = _ranks(-sign_of(measure) * means[:, column])
    tau = tau_of_all(ranks.T, ranks.T).round(DECIMALS)
    np.fill_diagonal(tau, 1)
    return Sensitivity(evaluation.runs, settings, weightings, means, ranks, tau, study)


def _ranks(costs: np.ndarray) -> np.ndarray:
    """The rank of each run, 1 for the smallest cost; runs without a mean (NaN) share the last
    ranks."""
    has_mean = ~np.isnan(costs)
    ranks = np.empty(costs.size)
    ranks[has_mean] = run_ranks(costs[has_mean, None])[:, 0]
    first_of_others = has_mean.sum() + 1
    ranks[~has_mean] = (first_of_others + costs.size) / 2
    return ranks


def _is_open(measure: Measure, choice: str) -> bool:
    """Whether a measure takes a choice and does not set it."""
    return choice in measure.SUPPORTED_PARAMS and choice not in measure.params


def _settings(
    measures: Sequence[Measure], weightings: Mapping[str, Gains], cutoffs: Sequence[int]
) -> tuple[Setting, ...]:
    for choice, values in (("gains", weightings), ("cutoff", cutoffs)):
        if values and not any(_is_open(measure, choice) for measure in measures):
            raise GradedError(
                f"no measure takes the {choice}: {', '.join(map(str, measures))} set their own or take none"
            )
    settings = []
    for base in measures:
        of_base: list[int | None] = [None]
        if cutoffs and _is_open(base, "cutoff"):
            of_base = list(cutoffs)
        names: list[str | None] = [None]
        if weightings and _is_open(base, "gains"):
            names = list(weightings)
        for cutoff, name in product(of_base, names):
            measure = base
            if cutoff is not None:
                measure = measure(cutoff=cutoff)
            if name is not None:
                measure = measure(gains=weightings[name])
            settings.append(Setting(measure, base, name, cutoff))
    if len(settings) > MOST:
        raise GradedError(
            f"{len(settings)} rankings of the runs are too many to compare; at most {MOST} are"
        )
    if len(settings) < 2:
        raise GradedError(
            "there is only one ranking of the runs; name several measures, gains or cutoffs"
        )
    return tuple(settings)
