"""Curves: the mean of a measure over topics at every rank, one line per run.

Figures 1 to 4 of Järvelin & Kekäläinen 2002 and Figure 1 of Kekäläinen 2005 are such curves. `curves`
computes all ranks of a run in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from ir_measures import Measure

from ..by_topic import mean_over_topics
from ..errors import GradedError, NotApplicableError
from ..evaluation.evaluate import tracked
from ..evaluation.named import (
    Judgments,
    Qrels,
    Run,
    Runs,
    StudiedRun,
    about,
    named_runs,
    read_judgments,
    studied,
)
from ..evaluation.provider import check_levels, computed, view
from ..evaluation.remarks import RunRemarks, warn_of
from ..measures.base import GradedMeasure
from ..measures.topics import Topics
from ..output import plots
from ..output.formats import Table, counted, listed
from ..output.result import Result
from ..registry.facts import is_graded, is_normalised, is_plain_sum, sign_of
from ..registry.names import registry
from ..registry.notation import checked, parse_measures
from ..statistics.options import check_probability, refuse_large, statistics_library, whole_number
from ..uncertainty import evaluated_curve
from .rank_by_rank import ideal_run, values_at_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEPTH = 100
RESAMPLES = 1000
IDEAL = "ideal"
RANK = "rank"
NORMALISATIONS = ("topics", "averages")
ACROSS = 2
BYTES, STANDARD_BYTES = 80, 500
"""The memory that the curves of a graded and of a standard measure take for each topic and rank."""


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Result):
    """The mean of a measure over topics at every rank.

    `values` (runs × depth) holds the curve of each of `runs` at the ranks 1 … depth. `ideal` (depth) is the
    curve of the judged documents in the best order, or None. `bands` (runs × 2 × depth) are the lower and
    upper ends of the interval at level `confidence`; both are None without intervals. `normalise` names
    the averaged vectors, `topics` is the number of topics.
    """

    measure: Measure
    normalise: str
    topics: int
    runs: tuple[str, ...]
    values: np.ndarray
    ideal: np.ndarray | None = None
    bands: np.ndarray | None = None
    confidence: float | None = None

    @property
    def ranks(self) -> np.ndarray:
        """The ranks 1 … depth."""
        return np.arange(1, self.values.shape[1] + 1)

    @property
    def label(self) -> str:
        """The measure, and the normalisation unless it is topic by topic."""
        return f"{self.measure}" + (", ratio of averages" if self.normalise == "averages" else "")

    @property
    def summary(self) -> str:
        """The measure, the runs and the ranks in one line."""
        depth, runs = len(self.ranks), counted(len(self.runs), "run")
        return f"{self.label} at the ranks 1 to {depth} of {runs} over {counted(self.topics, 'topic')}"

    def _lines(self) -> list[tuple[str, list[float], list[list[float | None]]]]:
        """The name of each curve, its values, and the lower and the upper ends of its band, which may be
        None."""
        none = np.full((len(self.runs), 2, len(self.ranks)), None)
        bands = none.tolist() if self.bands is None else self.bands.tolist()
        ideal = [] if self.ideal is None else [(IDEAL, self.ideal.tolist(), [[None] * len(self.ranks)] * 2)]
        return [*ideal, *zip(self.runs, self.values.tolist(), bands)]

    def table(self) -> Table:
        """Column names and rows: one row per rank, one column per curve, each followed by its band."""
        columns: dict[str, list[Any]] = {RANK: self.ranks.tolist()}
        for name, values, (lower, upper) in self._lines():
            banded = name != IDEAL and self.bands is not None
            columns |= {name: values} | ({f"{name} lower": lower, f"{name} upper": upper} if banded else {})
        return [*columns], list(map(list, zip(*columns.values())))

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per curve and rank; without bands, `lower` and `upper` are None."""
        return [
            {"measure": self.label, "run": run, "rank": rank, "value": value, "lower": lower, "upper": upper}
            for run, values, band in self._lines()
            for rank, (value, lower, upper) in enumerate(zip(values, *band), start=1)
        ]

    def notes(self) -> list[str]:
        """The kind of the bands."""
        confidence = self.confidence
        return [] if confidence is None else [f"{100 * confidence:g} % pointwise percentile bands"]

    @plots.styled
    def figure(self) -> Figure:
        """Draw the curves; the legend starts with the run that is best at the last rank.

        Raises `GradedError` if Matplotlib is not installed.
        """
        figure = plots.new_figure(*plots.size_for([IDEAL, *self.runs]))
        axes = figure.add_subplot()
        plots.legend_outside(axes, self.best_first(*self.draw(axes)))
        return figure

    def best_first(self, ideal: Iterable[Any], runs: Sequence[Any]) -> list[Any]:
        """The lines of `draw`; the run that is best at the last rank is the first of the runs."""
        order = np.argsort(-self.values[:, -1] * sign_of(self.measure), kind="stable")
        return [*ideal, *(runs[number] for number in order)]

    def draw(self, axes: Axes, width: int = 72, title: bool = True) -> tuple[list[Any], list[Any]]:
        """Draw the ideal curve and the runs; returns the lines of both."""
        ranks, lines, drawn = self.ranks, [], []
        if self.ideal is not None:
            lines = axes.plot(ranks, self.ideal, color=plots.GREY, linewidth=2.5, label=IDEAL)
        every = max(1, ranks.size // 8)
        styles = plots.run_styles(self.runs)
        for number, (run, values) in enumerate(zip(self.runs, self.values)):
            style = styles[run]
            if self.bands is not None:
                axes.fill_between(ranks, *self.bands[number], color=style["color"], alpha=0.15, linewidth=0)
            start = number * every // max(1, len(self.runs))
            drawn += axes.plot(ranks, values, label=run, markevery=(start, every), **style)
        if title:
            axes.set_title(plots.title(self.label, width))
        axes.set_ylabel(", ".join([f"Mean over {counted(self.topics, 'topic')}", *self.notes()]))
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

    @property
    def summary(self) -> str:
        """The measures and runs in one line."""
        runs, topics = counted(len(self.runs), "run"), counted(self.curves[0].topics, "topic")
        return f"{listed(found.label for found in self.curves)} of {runs} over {topics}"

    def table(self) -> Table:
        """Column names and rows: the tables of all measures below one another."""
        tables = [(found.label, *found.table()) for found in self.curves]
        columns = list(dict.fromkeys(name for _, names, _ in tables for name in names))
        return ["measure", *columns], [
            [label, *map(dict(zip(names, row)).get, columns)] for label, names, rows in tables for row in rows
        ]

    def notes(self) -> list[str]:
        """The kind of the bands."""
        return self.curves[0].notes()

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per measure, curve and rank."""
        return [record for found in self.curves for record in found.records()]

    @plots.styled
    def figure(self) -> Figure:
        """Draw one panel per measure and one legend, which starts with the best run by the first measure.

        Raises `GradedError` if Matplotlib is not installed (extra ``plot``).
        """
        height = 3.2
        across = plots.across(len(self.curves), height, ACROSS)
        legend = 0.8 + 0.075 * max(map(len, [IDEAL, *self.runs]))
        down = -(-len(self.curves) // across)
        figure = plots.new_figure(4.4 * across + legend, max(height * down, 0.8 + 0.2 * len(self.runs)))
        panels = plots.panels(figure, len(self.curves), across)
        ideals, runs = zip(*(found.draw(axes, width=44) for found, axes in zip(self.curves, panels)))
        lines = self.curves[0].best_first(next(filter(None, ideals), []), runs[0])
        plots.legend_beside(figure, lines, legend)
        return figure


@overload
def curves(
    qrels: Qrels, runs: Runs, measure: Measure | str, depth: int | None = ..., *,
    normalise: str = ..., ideal: bool | None = ..., confidence: float | None = ..., resamples: int = ...,
    seed: int = ..., progress: bool = ...,
) -> Curves: ...  # fmt: skip


@overload
def curves(
    qrels: Qrels, runs: Runs, measure: Iterable[Measure | str], depth: int | None = ..., *,
    normalise: str = ..., ideal: bool | None = ..., confidence: float | None = ..., resamples: int = ...,
    seed: int = ..., progress: bool = ...,
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
    progress: bool = False,
) -> Curves | CurveSet:
    """The measure at every rank from 1 to `depth`, averaged over the topics of the qrels, for each run.

    - `qrels`, `runs`: as for `evaluate`.
    - `measure`: any measure that takes a cutoff, graded or standard. Several measures give a `CurveSet`.
    - `depth` (≥ 1): the last rank; by default the measure's cutoff, or 100 without one. A depth that would
      need too much memory is refused.
    - `normalise`: ``topics`` averages the topics' curves; ``averages``, for measures such as nCG that are
      normalised by an ideal vector, divides the mean vector by the mean ideal vector (Järvelin &
      Kekäläinen 2002, section 3.3).
    - `ideal`: whether to add the curve of the ideal list; by default for CG, DCG_JK and DCG_Burges.
    - `confidence` (above 0, below 1): adds intervals for the mean by SciPy's percentile bootstrap, from
      `resamples` (≥ 1) samples of topics. All runs share the samples, which depend on `seed` (≥ 0) alone.
    - `progress`: shows a progress bar on stderr.

    >>> qrels = {"q1": {"a": 3, "b": 2}, "q2": {"a": 1}}
    >>> found = curves(qrels, {"mine": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 1.0}}}, "CG", depth=3)
    >>> found.values, found.ideal
    (array([[1. , 2.5, 2.5]]), array([2., 3., 3.]))

    Raises `GradedError` for a measure without a cutoff, an option out of range, and input that `evaluate`
    refuses.
    """
    asked = [uncut(found, depth) for found in parse_measures(measure, uncut=True)]
    if not asked:
        raise GradedError("no measure is given; name at least one, for example nDCG_JK@10")
    for found, _ in asked:
        _check(found, normalise, confidence, resamples, seed)
    judgments, named = read_judgments(qrels), named_runs(runs, needed=False)
    with about(judgments.name):
        for found, _ in asked:
            if is_graded(found):
                check_levels(found, judgments.documents.judged)
    topics = len(judgments.topics)
    if confidence is not None and topics < 2:
        raise GradedError("confidence bands need at least 2 topics; the qrels have 1")
    _refuse_large_curves(asked, topics, len(named), resamples if confidence is not None else 0)
    for run in named:
        if run.name in (RANK, IDEAL):
            raise NotApplicableError(f"{run.name!r} is a column name; rename the run")

    values = [np.zeros((len(named), end)) for _, end in asked]
    bands = [np.zeros((len(named), 2, end)) for _, end in asked]
    for number, run in enumerate(tracked(named, "run", progress)):
        found = _vectors(asked, run, judgments, normalise)
        for (one, _), vectors, into, ends in zip(asked, found, values, bands):
            into[number] = _combined(one, *map(mean_over_topics, vectors))
            if confidence is not None:
                ends[number] = _interval(one, vectors, confidence, resamples, seed)
    result = []
    for (one, end), into, ends in zip(asked, values, bands):
        best = None
        if ideal or (ideal is None and is_plain_sum(one)):
            (vectors,) = _vectors([(one, end)], ideal_run(judgments, one), judgments, normalise)
            best = _combined(one, *map(mean_over_topics, vectors))
        with_bands = (ends, confidence) if confidence is not None else (None, None)
        names = tuple(run.name for run in named)
        result.append(Curves(one, normalise, topics, names, into, best, *with_bands))
    return result[0] if isinstance(measure, (str, Measure)) else CurveSet(tuple(result))


def _refuse_large_curves(asked: list[tuple[Measure, int]], topics: int, runs: int, resamples: int) -> None:
    """Raise `GradedError` if the curves or their bands do not fit into memory."""
    for measure, depth in asked:
        each = BYTES if is_graded(measure) else STANDARD_BYTES
        over = f"curves over {counted(topics, 'topic')}"
        refuse_large("depth", depth, depth * (topics * each + 24 * runs), over)
        refuse_large("resamples", resamples, 16 * depth * resamples, f"bands at {counted(depth, 'rank')}")


def uncut(measure: Measure, depth: int | None) -> tuple[Measure, int]:
    """Split a measure into the measure without a cutoff and the depth of its curve."""
    if measure.AT_PARAM != "cutoff" or "cutoff" not in measure.SUPPORTED_PARAMS:
        raise NotApplicableError(f"{measure.NAME} has no cutoff and therefore no curve over ranks")
    cutoff = measure.params.get("cutoff")
    if depth is not None and cutoff is not None and depth != cutoff:
        raise GradedError(f"{measure} ends at rank {cutoff}, but depth={depth}; give only one of the two")
    if depth is None:
        depth = cutoff if cutoff is not None else DEPTH
    depth = whole_number(depth, "depth", 1)
    checked(measure @ depth)
    kept = {name: value for name, value in measure.params.items() if name != "cutoff"}
    return type(measure)(**kept), depth


def _check(measure: Measure, normalise: str, confidence: float | None, resamples: int, seed: int) -> None:
    if normalise not in NORMALISATIONS:
        raise GradedError(
            f"normalise={normalise!r} is not allowed; it is {' or '.join(map(repr, NORMALISATIONS))}"
        )
    if normalise == "averages" and not is_normalised(measure):
        normalised = {known.NAME for known in registry().values() if is_normalised(known)}
        raise GradedError(
            f"{measure} is not normalised by an ideal vector; normalise='averages' is for "
            f"{', '.join(sorted(normalised, key=str.lower))}"
        )
    if confidence is not None:
        check_probability(confidence, "confidence", 0.95)
    whole_number(resamples, "resamples", 1)
    whole_number(seed, "seed", 0)


def _vectors(
    asked: list[tuple[Measure, int]], run: Run, judgments: Judgments, normalise: str
) -> list[np.ndarray]:
    """The vectors to average (1 × depth × topics) for each measure, or two such vectors to divide.

    Graded measures alone read the run block by block.
    """
    if not all(is_graded(measure) for measure, _ in asked):
        whole = studied(run, judgments)
        return [values_at_ranks(measure, whole, depth).T[None] for measure, depth in asked]
    count = 1 + (normalise == "averages")
    found = [np.empty((count, depth, len(judgments.topics))) for _, depth in asked]
    remarks = RunRemarks(judgments.documents.judged)
    with about(run.name):
        for block in remarks.watched(run.reduced(judgments).blocks):
            for (measure, depth), into in zip(asked, found):
                assert is_graded(measure)
                topics = view(measure, block.ranks, block.views, cut=False)
                compute = partial(_at_ranks, measure, depth, normalise)
                vectors = computed(measure, topics, compute, (count, depth))
                into[..., block.topics] = np.moveaxis(vectors, 0, 2)
    if not isinstance(run, StudiedRun):  # a study warns itself
        warn_of(remarks.of(run.source), run.name)
    return found


def _at_ranks(measure: GradedMeasure, depth: int, normalise: str, topics: Topics) -> np.ndarray:
    """The vectors of the topics (topics × 1 × depth, or topics × 2 × depth)."""
    if normalise == "topics":
        return evaluated_curve(measure, topics, depth)[:, None]
    assert is_normalised(measure)
    return np.stack(measure.vectors(topics, depth), axis=1)


def _combined(measure: Measure, mean: np.ndarray, *ideal: np.ndarray) -> np.ndarray:
    """The mean curve from the mean vector, or from it and the mean ideal vector."""
    return measure.quotient(mean, *ideal) if ideal and is_normalised(measure) else mean


def _interval(
    measure: Measure, vectors: np.ndarray, confidence: float, resamples: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The bootstrap interval of a mean curve at each rank, from samples of topics with replacement."""
    bootstrap = statistics_library("scipy.stats").bootstrap

    def statistic(*samples: np.ndarray, axis: int) -> np.ndarray:
        # SciPy passes ranks on the first axis; `quotient` expects them on the last.
        means = (np.moveaxis(sample.mean(axis=axis), 0, -1) for sample in samples)
        return np.moveaxis(_combined(measure, *means), -1, 0)

    _, depth, topics = vectors.shape
    result = bootstrap(
        tuple(vectors),
        statistic,
        axis=1,
        paired=True,
        vectorized=True,
        confidence_level=confidence,
        n_resamples=resamples,
        batch=max(1, 2**22 // (topics * depth)),  # about 32 MB at a time
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return result.confidence_interval.low, result.confidence_interval.high
