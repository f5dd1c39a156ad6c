"""Curves: the mean of a measure over topics at every rank, one line per run.

Figures 1 to 4 of Järvelin & Kekäläinen 2002 and Figure 1 of Kekäläinen 2005 are such curves. `curves`
computes all ranks of a run in one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..by_topic import mean_over_topics
from ..errors import GradedError
from ..evaluation.evaluate import sign_of
from ..evaluation.evaluators import evaluators, explained
from ..evaluation.named import Judgments, Qrels, Rows, Runs, about, named_runs, read_judgments
from ..evaluation.progress import tracked
from ..evaluation.provider import GradedEvaluator
from ..inputs.tables import Source, read_qrels
from ..measures import CG, DCG_JK
from ..measures.base import GradedMeasure
from ..measures.topics import Topics
from ..measures.weighted import Normalised
from ..output import plots
from ..output.formats import Table, counted
from ..output.result import Result
from ..ranking.gains import canonical_gains, gain_of
from ..registry.notation import checked, parse_measure
from .libraries import statistics_library
from .options import whole_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEPTH = 100
RESAMPLES = 1000
IDEAL = "ideal"
RANK = "rank"
NORMALISATIONS = ("topics", "averages")


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Result):
    """The mean of a measure over topics at every rank.

    `values` (runs × depth) holds the curve of each of `runs` at the ranks 1 … depth. `ideal` (depth) is the
    curve of the judged documents in the best order, or None. `bands` (runs × 2 × depth) are the lower and
    upper ends of the interval at level `confidence`; both are None without intervals. `normalise` tells
    which vectors were averaged, `topics` the number of topics.
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
        """What was computed, in one line."""
        depth, runs = len(self.ranks), counted(len(self.runs), "run")
        return f"{self.label} at the ranks 1 to {depth} of {runs} over {counted(self.topics, 'topic')}"

    def table(self) -> Table:
        """Column names and rows: one row per rank, one column per curve, each followed by its band."""
        columns: dict[str, np.ndarray] = {} if self.ideal is None else {IDEAL: self.ideal}
        for number, run in enumerate(self.runs):
            columns[run] = self.values[number]
            if self.bands is not None:
                columns[f"{run} lower"], columns[f"{run} upper"] = self.bands[number]
        rows = zip(self.ranks.tolist(), *(column.tolist() for column in columns.values()))
        return [RANK, *columns], list(map(list, rows))

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per curve and rank; without bands, `lower` and `upper` are None."""
        curves = {} if self.ideal is None else {IDEAL: self.ideal.tolist()}
        curves |= zip(self.runs, self.values.tolist())
        none = [None] * len(self.ranks)
        bands = {} if self.bands is None else dict(zip(self.runs, self.bands.tolist()))
        return [
            {"measure": self.label, "run": run, "rank": rank, "value": value, "lower": lower, "upper": upper}
            for run, curve in curves.items()
            for rank, (value, lower, upper) in enumerate(zip(curve, *bands.get(run, (none, none))), start=1)
        ]

    @plots.styled
    def figure(self) -> Figure:
        """Draw the curves; the legend starts with the run that is best at the last rank.

        Raises `GradedError` if Matplotlib is not installed.
        """
        from matplotlib.ticker import MaxNLocator

        figure = plots.new_figure(*plots.size_for([IDEAL, *self.runs]))
        axes = figure.add_subplot()
        depth, lines = len(self.ranks), []
        if self.ideal is not None:
            lines += axes.plot(self.ranks, self.ideal, color=plots.GREY, linewidth=2.5, label=IDEAL)
        every = max(1, depth // 8)
        drawn = []
        styles = plots.run_styles(self.runs)
        for number, run in enumerate(self.runs):
            style = styles[run]
            if self.bands is not None:
                axes.fill_between(
                    self.ranks, *self.bands[number], color=style["color"], alpha=0.15, linewidth=0
                )
            start = number * every // max(1, len(self.runs))
            drawn += axes.plot(self.ranks, self.values[number], label=run, markevery=(start, every), **style)
        order = np.argsort(-self.values[:, -1] * sign_of(self.measure), kind="stable")
        plots.legend_outside(axes, [*lines, *(drawn[number] for number in order)])
        axes.set_title(plots.title(self.label))
        axes.set_xlabel("Rank")
        band = "" if self.confidence is None else f", {100 * self.confidence:g} % confidence"
        axes.set_ylabel(f"Mean over {counted(self.topics, 'topic')}{band}")
        axes.set_xlim(0.5, depth + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        return figure


def curves(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str,
    depth: int | None = None,
    *,
    normalise: str = "topics",
    ideal: bool | None = None,
    confidence: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: bool = False,
) -> Curves:
    """The measure at every rank from 1 to `depth`, averaged over the topics of the qrels, for each run.

    - `qrels`, `runs`: as for `evaluate`.
    - `measure`: any measure that takes a cutoff, graded or standard.
    - `depth` (≥ 1): the last rank; by default the measure's cutoff, or 100 without one.
    - `normalise`: ``topics`` averages the topics' curves; ``averages``, for nCG, nDCG_JK and NDCNG, divides
      the mean vector by the mean ideal vector (Järvelin & Kekäläinen 2002, section 3.3).
    - `ideal`: whether to add the curve of the ideal list; by default for CG and DCG_JK.
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
    measure, depth = uncut(measure, depth)
    _check(measure, normalise, confidence, resamples, seed)
    named = named_runs(runs)
    judgments = read_judgments(qrels)
    topics = len(judgments.topics)
    if confidence is not None and topics < 2:
        raise GradedError("confidence bands need at least 2 topics; the qrels have 1")
    if ideal is None:
        ideal = isinstance(measure, (type(CG), type(DCG_JK)))
    for run in named:
        if run.name in (RANK, IDEAL):
            raise GradedError(f"a run cannot be named {run.name!r}, as another column is; rename the run")

    vectors = _vectors(measure, judgments, depth, normalise)
    combine = measure.quotient if normalise == "averages" else _alone
    values, bands = np.zeros((len(named), depth)), np.zeros((len(named), 2, depth))
    for number, run in enumerate(tracked(named, "run", progress)):
        rows = run.rows(judgments, not isinstance(measure, GradedMeasure))
        with about(run.name):
            found = vectors(rows)
        values[number] = combine(*map(_mean, found))
        if confidence is not None:
            bands[number] = _interval(found, combine, confidence, resamples, seed)
    return Curves(
        measure,
        normalise,
        topics,
        tuple(run.name for run in named),
        values,
        combine(*map(_mean, vectors(_ideal(judgments, measure)))) if ideal else None,
        bands if confidence is not None else None,
        confidence,
    )


def uncut(measure: Measure | str, depth: int | None) -> tuple[Measure, int]:
    """Split a measure into the measure without a cutoff and the depth of its curve."""
    measure = parse_measure(measure)
    if measure.AT_PARAM != "cutoff" or "cutoff" not in measure.SUPPORTED_PARAMS:
        raise GradedError(f"{measure.NAME} has no cutoff and therefore no curve over ranks")
    cutoff = measure.params.get("cutoff")
    if depth is not None and cutoff is not None and depth != cutoff:
        raise GradedError(f"{measure} ends at rank {cutoff}, but depth={depth}; give only one of the two")
    if depth is None:
        depth = cutoff if cutoff is not None else DEPTH
    depth = whole_number(depth, "depth", 1)
    checked(measure @ depth)
    kept = {name: value for name, value in measure.params.items() if name != "cutoff"}
    return type(measure)(**kept), depth


def ideal_run(qrels: Source, measure: Measure) -> dict[str, dict[str, float]]:
    """The run that sorts the judged documents of each topic by their gain under the measure.

    >>> ideal_run({"q": {"a": 1, "b": 3, "c": 2}}, CG(gains={2: 0}))
    {'q': {'a': 1.0, 'b': 2.0, 'c': 0.0}}
    """
    table = read_qrels(qrels)
    gain = gain_of(
        table.values,
        measure["gains"]
        if isinstance(measure, GradedMeasure)
        else canonical_gains(measure.params.get("gains") or {}),
    )
    # Scores are compared as 32-bit floats, which may merge close gains but not small integers.
    score = np.unique(gain, return_inverse=True)[1].reshape(-1).astype(float).tolist()
    bounds = zip(table.topics, table.offsets[:-1].tolist(), table.offsets[1:].tolist())
    return {topic: dict(zip(table.docs.ids(slice(a, b)), score[a:b])) for topic, a, b in bounds}


def _ideal(judgments: Judgments, measure: Measure) -> Rows:
    run = ideal_run(judgments.table, measure)
    return Rows(run, run)


Vectors = tuple[np.ndarray, ...]
Combine = Callable[..., np.ndarray]


def _check(measure: Measure, normalise: str, confidence: float | None, resamples: int, seed: int) -> None:
    if normalise not in NORMALISATIONS:
        raise GradedError(
            f"normalise={normalise!r} is not allowed; it is {' or '.join(map(repr, NORMALISATIONS))}"
        )
    if normalise == "averages" and not isinstance(measure, Normalised):
        raise GradedError(
            f"{measure} is not normalised by an ideal vector; "
            "normalise='averages' is for nCG, nDCG_JK and NDCNG"
        )
    if confidence is not None and not 0 < confidence < 1:
        raise GradedError(
            f"confidence={confidence!r} is not allowed; it is between 0 and 1, for example 0.95"
        )
    whole_number(resamples, "resamples", 1)
    whole_number(seed, "seed", 0)


def _vectors(measure: Measure, judgments: Judgments, depth: int, normalise: str) -> Callable[[Rows], Vectors]:
    """A function from a run to its topics' curves (topics × depth), or to the two vectors to average."""
    if not isinstance(measure, GradedMeasure):
        return _standard_curve(measure, judgments, depth)
    with about(judgments.name):
        evaluator = GradedEvaluator([measure], judgments.table)

    def both(topics: Topics) -> np.ndarray:
        return np.stack(measure.vectors(topics, depth), axis=1)

    def vectors(rows: Rows) -> Vectors:
        if normalise == "averages":
            (found,) = evaluator.by_topic(rows.graded, lambda _: both, (2, depth), cut=False).values()
            return found[:, 0], found[:, 1]
        ((_, curve),) = evaluator.curves(rows.graded, depth)
        return (curve,)

    return vectors


def _standard_curve(measure: Measure, judgments: Judgments, depth: int) -> Callable[[Rows], Vectors]:
    """The same for a standard measure: one call evaluates all its cutoffs."""
    groups = evaluators([measure @ rank for rank in range(1, depth + 1)], judgments)
    place = {topic: number for number, topic in enumerate(judgments.topics)}

    def vectors(rows: Rows) -> Vectors:
        curve = np.zeros((len(place), depth))
        for group, evaluator in groups:
            with explained(group):
                for metric in evaluator.iter_calc(rows.standard):
                    if metric.query_id in place:
                        curve[place[metric.query_id], metric.measure["cutoff"] - 1] = metric.value
        return (curve,)

    return vectors


def _alone(vector: np.ndarray) -> np.ndarray:
    return vector


def _mean(vectors: np.ndarray) -> np.ndarray:
    return mean_over_topics(vectors.T)


def _interval(
    vectors: Vectors, combine: Combine, confidence: float, resamples: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The bootstrap interval of a mean curve at each rank, from samples of topics with replacement."""
    bootstrap = statistics_library("scipy.stats").bootstrap

    def statistic(*samples: np.ndarray, axis: int) -> np.ndarray:
        # SciPy passes ranks on the first axis; `combine` expects them on the last.
        means = (np.moveaxis(sample.mean(axis=axis), 0, -1) for sample in samples)
        return np.moveaxis(combine(*means), -1, 0)

    topics, depth = vectors[0].shape
    generator = "rng" if "rng" in signature(bootstrap).parameters else "random_state"  # before SciPy 1.15
    result = bootstrap(
        vectors,
        statistic,
        axis=0,
        paired=True,
        vectorized=True,
        confidence_level=confidence,
        n_resamples=resamples,
        batch=max(1, 2**22 // (topics * depth)),  # about 32 MB at a time
        method="percentile",
        **{generator: np.random.default_rng(seed)},
    )
    return result.confidence_interval.low, result.confidence_interval.high
