"""Curves: the mean of a measure over topics at every rank, one line per run.

Figures 1 to 4 of Järvelin & Kekäläinen 2002 and Figure 1 of Kekäläinen 2005 are such curves. `curves`
computes all ranks of a run in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from ir_measures import Measure

from ..core.by_topic import mean_over_topics
from ..core.measures.base import GradedMeasure
from ..core.measures.topics import Topics
from ..core.provider import check_levels, computed, view
from ..core.ranking.gains import gain_of
from ..core.registry.facts import (
    defined,
    gains_of,
    is_normalised,
    is_plain_sum,
    name_of,
    needs_intents,
    sign_of,
)
from ..core.registry.notation import checked, parse_measures
from ..core.uncertainty import evaluated
from ..errors import GradedError, NotApplicableError, did_you_mean
from ..evaluation.evaluate import tracked
from ..evaluation.named import (
    Judgments,
    Qrels,
    Run,
    Runs,
    about,
    named_runs,
    read_judgments,
)
from ..evaluation.remarks import RunRemarks, warn_of, warned_together
from ..output import plots
from ..output.formats import counted, decimal
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
ACROSS = 2
FEW, BEST = 12, 5
"""Figures of more runs show this number of the best ones in colour."""
BYTES = 80
"""The memory that curves take for each topic and rank."""


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Result):
    """The mean of a measure over topics at every rank.

    `values` (runs × depth) holds the curve of each of `runs` at the ranks 1 … depth. `ideal` (depth) is the
    curve of the judged documents in the best order, or None. `bands` (runs × 2 × depth) are the lower and
    upper ends of the interval at level `confidence`; both are None without intervals. `normalise` names
    the averaged vectors, `topics` is the number of topics. Of more than 12 runs, figures show the best five
    and those to `highlight` in colour and the others in grey.
    """

    measure: Measure
    normalise: str
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

    @property
    def label(self) -> str:
        """The measure, and the normalisation unless it is topic by topic."""
        return f"{self.measure}" + (", ratio of averages" if self.normalise == "averages" else "")

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
            run for place, run in enumerate(self.order) if place < BEST or self.runs[run] in self.highlight
        ]

    def answer(self) -> list[Note]:
        """The best run at the last rank, and at how many ranks it is the best."""
        if not self.runs:
            return []
        best, values = self.order[0], self.values * sign_of(self.measure)
        leads, depth = int((values[best] >= values.max(axis=0)).sum()), counted(len(self.ranks), "rank")
        name, rank, value = self.runs[best], len(self.ranks), decimal(float(self.values[best, -1]))
        topics = counted(self.topics, "topic")
        if len(self.runs) == 1:
            return [Note("{} has the mean {} {} at rank {} over {}.", name, self.label, value, rank, topics)]
        text = "{} has the best mean {} at rank {}, {} over {}; it is the best at {} of {}."
        return [Note(text, name, self.label, rank, value, topics, leads, depth)]

    @property
    def summary(self) -> str:
        """The answer; without a run, the measure and the ranks."""
        return str(next(iter(self.answer()), f"{self.label} at {counted(len(self.ranks), 'rank')}."))

    def tables(self) -> list[Table]:
        """One row per rank, one column per curve that figures show in colour, each followed by its band."""
        columns: list[tuple[str, Any]] = [(RANK, self.ranks)]
        if self.ideal is not None:
            columns.append((IDEAL, self.ideal))
        few = range(len(self.runs)) if len(self.runs) <= FEW else self.shown
        for number in few:
            run = self.runs[number]
            columns.append((run, self.values[number]))
            if self.bands is not None:
                columns += zip((f"{run} lower", f"{run} upper"), self.bands[number])
        names, cells = zip(*columns)
        return [Table(names, list(zip(*(column.tolist() for column in cells))))]

    def data(self) -> Table:
        """One row per curve and rank; without bands, `lower` and `upper` are None."""
        names, values = self.runs, self.values
        bands = np.full((len(names), 2, self.ranks.size), np.nan) if self.bands is None else self.bands
        if self.ideal is not None:
            names, values = (IDEAL, *names), np.concatenate([self.ideal[None], values])
            bands = np.concatenate([np.full_like(bands, np.nan, shape=(1, *bands.shape[1:])), bands])
        axes = {"measure": [self.label], "run": names, RANK: self.ranks.tolist()}
        arrays = {"value": values, "lower": bands[:, 0], "upper": bands[:, 1]}
        return Table.of_arrays(axes, arrays)

    def notes(self) -> list[Note]:
        """The kind of the bands, and the curves that are left out."""
        found = []
        if self.confidence:
            found.append(Note("{:g} % pointwise percentile bands", 100 * self.confidence))
        if others := len(self.runs) - len(self.shown):
            text = "The best {} of {} are shown, and those to highlight; {} are grey and have no column."
            found.append(Note(text, BEST, counted(len(self.runs), "run"), others))
        return found

    @plots.styled
    def figure(self) -> Figure:
        """Draw the curves; the legend starts with the run that is best at the last rank.

        Raises `GradedError` if Matplotlib is not installed.
        """
        figure = plots.new_figure(*plots.size_for([IDEAL, *self.names]))
        axes = figure.add_subplot()
        plots.legend_outside(axes, self.legend(*self.draw(axes)))
        return figure

    @property
    def names(self) -> list[str]:
        """The names in the legend."""
        return [*(self.runs[number] for number in self.shown), "others"]

    def legend(self, ideal: Iterable[Any], runs: Sequence[Any]) -> list[Any]:
        """The lines of `draw` in the legend: the ideal list, the runs in colour, and one of the others."""
        others = [number for number in self.order if number not in self.shown]
        return [*ideal, *(runs[number] for number in [*self.shown, *others[:1]])]

    def draw(self, axes: Axes, width: int = 72, title: bool = True) -> tuple[list[Any], list[Any]]:
        """Draw the ideal curve and the runs; returns the lines of both."""
        ranks, lines, drawn = self.ranks, [], []
        if self.ideal is not None:
            lines = axes.plot(ranks, self.ideal, color=plots.GREY, linewidth=2.5, label=IDEAL)
        every = max(1, ranks.size // 8)
        styles = plots.run_styles(self.runs[number] for number in self.shown)
        for number, run in enumerate(self.runs):
            style, start = styles.get(run, plots.PALE), number * every // len(self.runs)
            if self.bands is not None and run in styles:
                axes.fill_between(ranks, *self.bands[number], color=style["color"], alpha=0.15, linewidth=0)
            label = run if run in styles else f"{len(self.runs) - len(styles)} others"
            drawn += axes.plot(ranks, self.values[number], label=label, markevery=(start, every), **style)
        if title:
            axes.set_title(plots.title(self.label, width))
        axes.set_ylabel(
            ", ".join([f"Mean over {counted(self.topics, 'topic')}", *self.notes()[: self.bands is not None]])
        )
        plots.label_ranks(axes, ranks.size)
        return lines, drawn


@dataclass(frozen=True, eq=False, repr=False)
class CurveSet(Result):
    """The curves of the same runs by several measures; `curves` holds one `Curves` per measure."""

    curves: tuple[Curves, ...]

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.curves[0].runs

    def answer(self) -> list[Note]:
        """The best run by each measure."""
        return [note for found in self.curves for note in found.answer()]

    @property
    def summary(self) -> str:
        """The answer by the first measure."""
        return self.curves[0].summary

    def tables(self) -> list[Table]:
        """The tables of all measures below one another."""
        tables = [(found.label, found.tables()[0].records()) for found in self.curves]
        rows = [{"measure": label, **record} for label, records in tables for record in records]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        return [Table(columns, [list(map(row.get, columns)) for row in rows])]

    def data(self) -> Table:
        """One row per measure, curve and rank."""
        tables = [found.data() for found in self.curves]
        return replace(tables[0], rows=[row for table in tables for row in table.rows])

    def notes(self) -> list[Note]:
        """The kind of the bands."""
        return self.curves[0].notes()

    @plots.styled
    def figure(self) -> Figure:
        """Draw one panel per measure and one legend, which starts with the best run by the first measure.

        Raises `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        height = 3.2
        across = plots.across(len(self.curves), height, ACROSS)
        names = [IDEAL, *self.curves[0].names]
        legend = 0.8 + 0.075 * max(map(len, names))
        down = -(-len(self.curves) // across)
        figure = plots.new_figure(4.4 * across + legend, max(height * down, 0.6 + 0.2 * len(names)))
        panels = plots.panels(figure, len(self.curves), across)
        ideals, runs = zip(*(found.draw(axes, width=44) for found, axes in zip(self.curves, panels)))
        lines = self.curves[0].legend(next(filter(None, ideals), []), runs[0])
        plots.legend_beside(figure, lines, legend)
        return figure


@overload
def curves(
    qrels: Qrels, runs: Runs, measure: Measure | str, depth: int | None = ..., *,
    normalise: str = ..., ideal: bool | None = ..., confidence: float | None = ..., resamples: int = ...,
    seed: int = ..., highlight: Iterable[str] = ..., progress: bool = ...,
) -> Curves: ...  # fmt: skip


@overload
def curves(
    qrels: Qrels, runs: Runs, measure: Iterable[Measure | str], depth: int | None = ..., *,
    normalise: str = ..., ideal: bool | None = ..., confidence: float | None = ..., resamples: int = ...,
    seed: int = ..., highlight: Iterable[str] = ..., progress: bool = ...,
) -> CurveSet: ...  # fmt: skip


def curves(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str | Iterable[Measure | str],
    depth: int | None = None,
    *,
    normalise: str = "topics",
    ideal: bool | None = None,
    confidence: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    highlight: Iterable[str] = (),
    progress: bool = False,
) -> Curves | CurveSet:
    """The measure at every rank from 1 to `depth`, averaged over the topics of the qrels, for each run.

    - `qrels`, `runs`: as for `evaluate`.
    - `measure`: a measure that takes a cutoff, graded or a standard one with a definition. Several measures
      give a `CurveSet`.
    - `depth` (1 to 100,000): the last rank; by default the measure's cutoff,
      or 100 without one. A depth that would need too much memory is refused.
    - `normalise`: ``topics`` averages the topics' curves; ``averages``, for measures such as nCG that are
      normalised by an ideal vector, divides the mean vector by the mean ideal vector (Järvelin &
      Kekäläinen 2002, section 3.3).
    - `ideal`: whether to add the curve of the ideal list; by default for CG, DCG_JK and DCG_Burges.
    - `confidence` (above 0, below 1): adds intervals for the mean by SciPy's percentile bootstrap, from
      `resamples` (≥ 1) samples of topics. All runs share the samples, which depend on `seed` (≥ 0) alone.
    - `highlight`: the runs that figures of more than 12 runs show in colour, besides the best five.
    - `progress`: shows a progress bar on stderr.

    >>> qrels = {"q1": {"a": 3, "b": 2}, "q2": {"a": 1}}
    >>> found = curves(qrels, {"mine": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 1.0}}}, "CG", depth=3)
    >>> found.values, found.ideal
    (array([[1. , 2.5, 2.5]]), array([2., 3., 3.]))

    Raises `GradedError` for a measure without a cutoff, an option out of range, and input that `evaluate`
    refuses.
    """
    asked = [uncut(found, depth) for found in parse_measures(measure, uncut=True)]
    for one, _ in asked:
        _check(one, normalise, confidence, resamples, seed)
    judgments, named = read_judgments(qrels), named_runs(runs, needed=False)
    with about(judgments.name):
        for one, _ in asked:
            check_levels(one, judgments.documents, judgments.table)
    topics, over = len(judgments.topics), f"curves over {counted(len(judgments.topics), 'topic')}"
    if confidence is not None and topics < 2:
        raise GradedError("confidence bands need at least 2 topics; the qrels have 1")
    for _, end in asked:
        refuse_large("depth", end, end * (topics * BYTES + 24 * len(named)), over)
        if confidence is not None:
            refuse_large("resamples", resamples, 16 * end * resamples, f"bands at {counted(end, 'rank')}")
    for run in named:
        if run.name in (RANK, IDEAL):
            raise NotApplicableError(f"{run.name!r} is a column name; rename the run")

    averages, names = normalise == "averages", tuple(run.name for run in named)
    named_too = (highlight,) if isinstance(highlight, str) else tuple(highlight)
    for name in named_too:
        if name not in names:
            raise GradedError(f"there is no run {name!r} to highlight{did_you_mean(name, names)}")
    result = []
    for one, end in asked:
        best = None
        if is_plain_sum(one) if ideal is None else ideal:
            (vectors,) = _vectors([(one @ end, end)], ideal_run(judgments, one), judgments, averages)
            best = _combined(one, *map(mean_over_topics, vectors))
        means, bands = np.zeros((len(named), end)), np.zeros((len(named), 2, end))
        drawn = None if confidence is None else bands
        result.append(Curves(one, normalise, topics, names, means, best, drawn, confidence, named_too))
    # With a cutoff, a measure may order tied documents in another way.
    cut = [(one @ end, end) for one, end in asked]
    with warned_together():
        for number, run in enumerate(tracked(named, "run", progress)):
            for found, vectors in zip(result, _vectors(cut, run, judgments, averages)):
                found.values[number] = _combined(found.measure, *map(mean_over_topics, vectors))
                if found.bands is not None and confidence is not None:
                    found.bands[number] = _interval(found.measure, vectors, confidence, resamples, seed)
    return result[0] if isinstance(measure, (str, Measure)) else CurveSet(tuple(result))


def takes_cutoff(measure: Measure) -> bool:
    """Whether the measure has a value with the cutoff at each rank."""
    return measure.AT_PARAM == "cutoff" and "cutoff" in measure.SUPPORTED_PARAMS


def uncut(measure: Measure, depth: int | None) -> tuple[GradedMeasure, int]:
    """Split a measure into the measure without a cutoff and the depth of its curve."""
    measure = defined(measure, "curve over ranks")
    if not takes_cutoff(measure):
        raise NotApplicableError(f"{name_of(measure)} has no cutoff and therefore no curve over ranks")
    cutoff = measure.params.get("cutoff")
    if depth is not None and cutoff is not None and depth != cutoff:
        raise GradedError(f"{measure} ends at rank {cutoff}, but depth={depth}; give only one of the two")
    depth = whole_number((cutoff or DEPTH) if depth is None else depth, "depth", 1, DEEPEST)
    checked(measure @ depth)
    kept = {name: value for name, value in measure.params.items() if name != "cutoff"}
    return type(measure)(**kept), depth


def _check(
    measure: GradedMeasure, normalise: str, confidence: float | None, resamples: int, seed: int
) -> None:
    if normalise not in ("topics", "averages"):
        raise GradedError(f"normalise={normalise!r} is not allowed; it is 'topics' or 'averages'")
    if normalise == "averages" and not is_normalised(measure):
        raise GradedError(
            f"{measure} is not normalised by an ideal vector; normalise='averages' is for nCG, nDCG_JK, "
            "nDCG_Burges, NDCNG and other such measures"
        )
    if confidence is not None:
        check_probability(confidence, "confidence", 0.95)
    whole_number(resamples, "resamples", 1)
    whole_number(seed, "seed", 0)


def values_at_ranks(measure: GradedMeasure, run: Run, depth: int) -> np.ndarray:
    """The value of each topic with the cutoff at each of the ranks 1 … `depth` (T × depth).

    The measure's own cutoff is ignored.
    """
    ((values,),) = _vectors([(measure, depth)], run, run.judgments)
    return values.T


def ideal_run(judgments: Judgments, measure: Measure) -> Run:
    """The run that sorts the judged documents of each topic by their gain under the measure.

    >>> from ir_measures_graded import CG
    >>> from ir_measures_graded.evaluation.named import read_judgments
    >>> ideal_run(read_judgments({"q": {"a": 1, "b": 3, "c": 2}}), CG(gains={2: 0})).source.dicts()
    {'q': {'a': 1.0, 'b': 2.0, 'c': 0.0}}
    """
    if needs_intents(measure):
        raise NotApplicableError(f"{measure} has no ideal curve: its documents have a level for each intent")
    qrels = judgments.documents.rows
    # Scores are compared as 32-bit floats, which may merge close gains but not small integers.
    score = np.unique(gain_of(qrels.values, gains_of(measure)), return_inverse=True)[1].reshape(-1)
    run = Run("", replace(qrels, values=score.astype(float)), judgments)
    return replace(run, parent=run)  # nothing is remarked on a run with a parent


def _vectors(
    asked: list[tuple[GradedMeasure, int]], run: Run, judgments: Judgments, averages: bool = False
) -> list[np.ndarray]:
    """The vectors of each measure at the ranks 1 … depth (1 × depth × topics), to be averaged over topics.

    If `averages`, the vectors of the run and of the ideal list (2 × depth × topics).
    """
    found = [np.empty((1 + averages, depth, len(judgments.topics))) for _, depth in asked]
    remarks = RunRemarks(judgments.documents, contract=judgments.contract)
    with about(run.name):
        for ranks in remarks.watched(run.reduced(judgments)):
            for (measure, depth), vectors in zip(asked, found):
                seen, compute = view(measure, ranks, cut=False), partial(_at_ranks, measure, depth, averages)
                at_ranks = computed(measure, seen, compute, (2, depth) if averages else (depth,))
                vectors[..., ranks.numbers] = np.moveaxis(at_ranks, 0, -1)
    if run.kept_for is None:  # a study warns itself
        warn_of(remarks.of(run.source), run.name)
    return found


def _at_ranks(measure: GradedMeasure, depth: int, averages: bool, topics: Topics) -> np.ndarray:
    """The values of the topics (T × depth); if `averages`, their vectors to divide (T × 2 × depth)."""
    if averages and is_normalised(measure):
        return np.stack(measure.vectors(topics.scaled(together=True), depth), axis=1)
    return evaluated(measure, topics, depth)


def _combined(measure: Measure, mean: np.ndarray, *ideal: np.ndarray) -> np.ndarray:
    """The mean curve from the mean vector, or from it and the mean ideal vector."""
    return measure.quotient(mean, *ideal) if ideal and is_normalised(measure) else mean


def _interval(
    measure: Measure, vectors: np.ndarray, confidence: float, resamples: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The bootstrap interval of a mean curve at each rank, from samples of topics with replacement."""

    def statistic(*samples: np.ndarray, axis: int) -> np.ndarray:
        # SciPy passes ranks on the first axis; `quotient` expects them on the last.
        return _combined(measure, *(sample.mean(axis=axis).T for sample in samples)).T

    return bootstrap([*vectors], statistic, confidence, resamples, seed, method="percentile")
