"""Curves: the mean of a measure over topics at every rank, one line per run.

Figures 1 to 4 of Järvelin & Kekäläinen 2002 and Figure 1 of Kekäläinen 2005 are such curves. `curves`
computes all ranks of a run in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..core.by_topic import mean_over_topics
from ..core.measures.base import GradedMeasure
from ..core.provider import check_levels, computed, view
from ..core.ranking.gains import gain_of
from ..core.registry.facts import defined, gains_of, is_plain_sum, name_of, needs_intents, sign_of
from ..core.registry.notation import checked, parse_measures
from ..core.uncertainty import evaluated
from ..errors import GradedError, NotApplicableError, did_you_mean
from ..evaluation.named import Judgments, Qrels, Run, Runs, about, named_runs, read_judgments
from ..evaluation.remarks import RunRemarks, issue, issued_together
from ..output import plots
from ..output.formats import counted, decimal, listed
from ..output.result import Result
from ..output.tables import Note, Table
from .statistics.intervals import bootstrap
from .statistics.options import check_probability, refuse_large, whole_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEPTH = 100
DEEPEST = 100_000
RESAMPLES = 1000
IDEAL = "ideal"
RANK = "rank"
FEW, BEST = 12, 5
"""Figures of more runs show this number of the best ones in colour."""
BYTES = 80
"""The memory that curves take for each topic and rank."""


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Result):
    """The mean of a measure over topics at every rank.

    `values` (runs × depth) holds the curve of each of `runs` at the ranks 1 … depth. `ideal` (depth) is the
    curve of the judged documents in the best order, or None. `bands` (runs × 2 × depth) are the lower and
    upper ends of the interval at level `confidence`; both are None without intervals. `topics` is
    the number of topics. Of more than 12 runs, figures show the best five and those to `highlight` in colour
    and the others in grey.
    """

    measure: Measure
    topics: int
    runs: tuple[str, ...]
    values: np.ndarray
    ideal: np.ndarray | None = None
    bands: np.ndarray | None = None
    confidence: float | None = None
    highlight: tuple[str, ...] = ()

    @property
    def ranks(self) -> np.ndarray:
        """The ranks 1 … depth."""
        return np.arange(1, self.values.shape[1] + 1)

    @cached_property
    def order(self) -> list[int]:
        """The numbers of the runs, the one that is best at the last rank first."""
        return np.argsort(-self.values[:, -1] * sign_of(self.measure), kind="stable").tolist()

    @property
    def shown(self) -> list[int]:
        """The numbers of the runs in colour, the best first."""
        if len(self.runs) <= FEW:
            return self.order
        return [
            *self.order[:BEST],
            *(run for run in self.order[BEST:] if self.runs[run] in self.highlight),
        ]

    @property
    def styles(self) -> list[dict[str, Any]]:
        """The style of the line of each run: colour, dashes and marker, or pale."""
        styles = plots.run_styles(self.runs[number] for number in self.shown)
        return [styles.get(run, plots.PALE) for run in self.runs]

    def answer(self) -> list[Note]:
        """The best run at the last rank, and at how many ranks it is the best."""
        best, depth = self.order[0], self.ranks.size
        value = decimal(float(self.values[best, -1]))
        names = [self.runs[best], self.measure, value, depth, counted(self.topics, "topic")]
        if len(self.runs) == 1:
            return [Note("{} has the mean {} {} at rank {} over {}.", *names)]
        values = self.values * sign_of(self.measure)
        leads = int((values[best] >= values.max(axis=0)).sum())
        text = "{0} has the best mean {1} at rank {3}, {2} over {4}; it is the best at {5} of {6}."
        return [Note(text, *names, leads, counted(depth, "rank"))]

    def tables(self) -> list[Table]:
        """One row per rank, one column per curve that figures show in colour, each followed by its band."""
        columns: list[tuple[str, Any]] = [(RANK, self.ranks)]
        if self.ideal is not None:
            columns.append((IDEAL, self.ideal))
        for number in range(len(self.runs)) if len(self.runs) <= FEW else self.shown:
            run = self.runs[number]
            columns.append((run, self.values[number]))
            if self.bands is not None:
                columns += zip((f"{run} lower", f"{run} upper"), self.bands[number], strict=True)
        names, cells = zip(*columns, strict=True)
        return [Table(names, list(zip(*(column.tolist() for column in cells), strict=True)))]

    def data(self) -> Table:
        """One row per curve and rank; without bands, `lower` and `upper` are None."""
        names, values, bands = self.runs, self.values, self.bands
        if bands is None:
            bands = np.full((len(names), 2, self.ranks.size), np.nan)
        if self.ideal is not None:
            names = (IDEAL, *names)
            values, bands = (
                np.insert(values, 0, self.ideal, axis=0),
                np.insert(bands, 0, np.nan, axis=0),
            )
        axes = {"measure": [str(self.measure)], "run": names, RANK: self.ranks.tolist()}
        return Table.of_arrays(axes, {"value": values, "lower": bands[:, 0], "upper": bands[:, 1]})

    def notes(self) -> list[Note]:
        """The kind of the bands, and the curves that are left out."""
        found = []
        if self.confidence:
            found.append(Note("{:g} % pointwise percentile bands", 100 * self.confidence))
            if self.topics < 50:
                text = "Below 50 topics, bands are narrow: in simulations, those of 95 % covered the mean "
                found.append(
                    Note(text + "in .89 to .94 of samples of 10 topics, and in .90 to .92 of 25.")
                )
        if others := len(self.runs) - len(self.shown):
            text = "The best {} of {} are shown, and those to highlight; {} are grey and have no column."
            found.append(Note(text, BEST, counted(len(self.runs), "run"), others))
        return found

    @plots.styled
    def figure(self) -> Figure:
        """Draw the curves; the legend starts with the run that is best at the last rank.

        Raises `GradedError` if Matplotlib is not installed.
        """
        shown = self.shown
        labels = [
            IDEAL,
            "others",
            *(self.runs[run] for run in shown),
        ]  # of the legend beside the axes
        width = round(6.6 + 0.075 * max(map(len, labels)), 1)
        figure = plots.new_figure(width, max(4.5, round(0.8 + 0.2 * len(labels), 1)))
        axes = figure.add_subplot()
        lines = self.draw(axes)
        axes.set_title(plots.title(self.measure))
        others = [run for run in self.order if run not in shown]
        ideal = [line for line in axes.lines if line not in lines]
        plots.legend_outside(axes, [*ideal, *(lines[run] for run in [*shown, *others[:1]])])
        return figure

    def draw(self, axes: Axes) -> list[Any]:
        """Draw the ideal curve and the runs; returns the lines of the runs."""
        from matplotlib.ticker import MaxNLocator

        ranks, lines = self.ranks, []
        if self.ideal is not None:
            axes.plot(ranks, self.ideal, color=plots.GREY, linewidth=2.5, label=IDEAL)
        every = max(1, ranks.size // 8)
        pale = f"{len(self.runs) - len(self.shown)} others"
        for number, (run, style) in enumerate(zip(self.runs, self.styles, strict=True)):
            is_shown, start = style is not plots.PALE, number * every // len(self.runs)
            if self.bands is not None and is_shown:
                axes.fill_between(
                    ranks, *self.bands[number], color=style["color"], alpha=0.15, linewidth=0
                )
            label = run if is_shown else pale
            lines += axes.plot(
                ranks, self.values[number], label=label, markevery=(start, every), **style
            )
        over = f"Mean over {counted(self.topics, 'topic')}"
        axes.set_ylabel(", ".join([over, *self.notes()[: self.bands is not None]]))
        axes.set_xlabel("Rank")
        axes.set_xlim(0.5, ranks.size + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        return lines


def curves(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str,
    depth: int | None = None,
    *,
    ideal: bool | None = None,
    confidence: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    highlight: Iterable[str] = (),
) -> Curves:
    """The measure at every rank from 1 to `depth`, averaged over the topics of the qrels, for each run.

    - `qrels`, `runs`: as for `evaluate`.
    - `measure`: a measure that takes a cutoff, graded or a standard one with a definition.
    - `depth` (1 to 100,000): the last rank; by default the measure's cutoff,
      or 100 without one. A depth that would need too much memory is refused.
    - `ideal`: whether to add the curve of the ideal list; by default for CG, DCG_JK and DCG_Burges.
    - `confidence` (above 0, below 1): adds intervals for the mean by SciPy's percentile bootstrap, from
      `resamples` (≥ 100) samples of topics. All runs share the samples, which depend on `seed` (≥ 0) alone.
    - `highlight`: the runs that figures of more than 12 runs show in colour, besides the best five.

    >>> qrels = {"q1": {"a": 3, "b": 2}, "q2": {"a": 1}}
    >>> found = curves(qrels, {"mine": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 1.0}}}, "CG", depth=3)
    >>> found.values, found.ideal
    (array([[1. , 2.5, 2.5]]), array([2., 3., 3.]))

    Raises `GradedError` for a measure without a cutoff, several measures, an option out of range, and input
    that `evaluate` refuses.
    """
    one, end = uncut(one_measure(measure, "curves", uncut=True), depth)
    if confidence is not None:
        check_probability(confidence, "confidence", 0.95)
    resamples = whole_number(resamples, "resamples", 100)
    seed = whole_number(seed, "seed", 0)
    judgments, named = read_judgments(qrels), named_runs(runs)
    with about(judgments.name):
        check_levels(one, judgments.documents, judgments.rows)
    topics, names = len(judgments.topics), tuple(run.name for run in named)
    over = f"curves over {counted(topics, 'topic')}"
    refuse_large("depth", end, end * (topics * BYTES + 24 * len(named)), over)
    taken = {RANK, IDEAL}
    if confidence is not None:
        if topics < 2:
            raise GradedError("confidence bands need at least 2 topics; the qrels have 1")
        refuse_large(
            "resamples", resamples, 16 * end * resamples, f"bands at {counted(end, 'rank')}"
        )
        taken |= {f"{name} {end}" for name in names for end in ("lower", "upper")}
    for name in names:
        if name in taken:
            raise NotApplicableError(f"{name!r} is a column name; rename the run")
    highlighted = (highlight,) if isinstance(highlight, str) else tuple(highlight)
    for name in highlighted:
        if name not in names:
            raise GradedError(f"there is no run {name!r} to highlight{did_you_mean(name, names)}")

    best, cut = None, one @ end  # with a cutoff, a measure may order tied documents in another way
    if ideal or (ideal is None and is_plain_sum(one)):
        best = mean_over_topics(values_at_ranks(cut, ideal_run(judgments, one), judgments, end))
    means, bands = np.zeros((len(named), end)), np.zeros((len(named), 2, end))
    with issued_together():
        for number, run in enumerate(named):
            values = values_at_ranks(cut, run, judgments, end)
            means[number] = mean_over_topics(values)
            if confidence is not None:
                bands[number] = bootstrap(
                    [values], np.mean, confidence, resamples, seed, method="percentile"
                )
    drawn = None if confidence is None else bands
    return Curves(one, topics, names, means, best, drawn, confidence, highlighted)


def one_measure(
    measures: Measure | str | Iterable[Measure | str], what: str, uncut: bool = False
) -> Measure:
    """The measure. Raises `GradedError` if there are several."""
    found = parse_measures(measures, uncut)
    if len(found) > 1:
        raise GradedError(f"{what} takes one measure, not {listed(found)}")
    return found[0]


def uncut(measure: Measure, depth: int | None) -> tuple[GradedMeasure, int]:
    """Split a measure into the measure without a cutoff and the depth of its curve."""
    measure = defined(measure, "curve over ranks", "cutoff")
    if not measure.CUTOFF:
        raise NotApplicableError(
            f"{name_of(measure)} has no cutoff and therefore no curve over ranks"
        )
    cutoff = measure.params.get("cutoff")
    if depth is not None and cutoff is not None and depth != cutoff:
        raise GradedError(
            f"{measure} ends at rank {cutoff}, but depth={depth}; give only one of the two"
        )
    depth = whole_number((cutoff or DEPTH) if depth is None else depth, "depth", 1, DEEPEST)
    checked(measure @ depth)
    kept = {name: value for name, value in measure.params.items() if name != "cutoff"}
    return type(measure)(**kept), depth


def ideal_run(judgments: Judgments, measure: Measure) -> Run:
    """The run that sorts the judged documents of each topic by their gain under the measure.

    >>> from ir_measures_graded import CG
    >>> from ir_measures_graded.evaluation.named import read_judgments
    >>> ideal_run(read_judgments({"q": {"a": 1, "b": 3, "c": 2}}), CG(gains={2: 0})).source.dicts()
    {'q': {'a': 1.0, 'b': 2.0, 'c': 0.0}}
    """
    if needs_intents(measure):
        raise NotApplicableError(
            f"{measure} has no ideal curve: its documents have a level for each intent"
        )
    qrels = judgments.documents.rows
    # Scores are compared as 32-bit floats, which may merge close gains but not small integers.
    score = np.unique(gain_of(qrels.values, gains_of(measure)), return_inverse=True)[1].reshape(-1)
    run = Run("", replace(qrels, values=score.astype(float)), judgments)
    return replace(run, parent=run)  # nothing is remarked on a run with a parent


def values_at_ranks(
    measure: GradedMeasure, run: Run, judgments: Judgments, depth: int
) -> np.ndarray:
    """The value of each topic with the cutoff at each of the ranks 1 … `depth` (depth × T).

    The measure's own cutoff is ignored.
    """
    found = np.empty((depth, len(judgments.topics)))
    remarks = RunRemarks(judgments.documents, contract=judgments.contract)
    with about(run.name):
        for ranks in remarks.watched(run.reduced(judgments)):
            at_ranks = partial(evaluated, measure, depth=depth)
            values = computed(measure, view(measure, ranks, cut=False), at_ranks, (depth,))
            found[:, ranks.numbers] = values.T
    if run.kept_for is None:  # a study warns itself
        issue(remarks.of(run.source, run.name))
    return found
