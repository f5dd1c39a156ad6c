"""Confidence intervals of means and of paired differences over topics.

Another sample of topics would give another mean. `intervals` computes how far it could lie from the mean at
hand, for every run and measure of an `Evaluation`, and `mean_interval` does it for one array of values.

SciPy computes the intervals (Student's t or BCa bootstrap). Both assume that the topics are a random sample
of the topics that matter.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure, SumAgg

from ..by_topic import mean_over_topics
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation
from ..output.dots import dot_plot
from ..output.formats import Table, counted, listed, rows_of
from ..output.result import Result
from ..registry.facts import sign_of
from ..registry.notation import parse_measure
from .libraries import need_statistics, statistics_library
from .significance import EXACT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STUDENT: Final = "t"
BCA: Final = "bca"
KINDS: Final = {STUDENT: "Student's t", BCA: "BCa bootstrap"}
METHODS: Final = tuple(KINDS)
ENOUGH: Final = 25
"""With fewer topics, the BCa bootstrap is too narrow: its coverage at 10 topics is 3 to 14 points too low."""
RESAMPLES: Final = 9999
RESAMPLED_AT_ONCE: Final = 100_000  # values: fits into a processor's cache


class FewTopicsWarning(UserWarning):
    """A result rests on so few topics that its interval is a rough guess."""


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Result):
    """The value of every run by every measure, with its confidence interval over the topics.

    `values`, `lower` and `upper` are arrays (runs × measures). `values` are means, or sums for the measures
    that ir-measures sums over the topics, such as NumRet. `topics` (runs × measures) counts the topics that
    have a value. `method` is ``t`` or ``bca``. Each interval holds for itself, not all of them together.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    topics: np.ndarray
    confidence: float
    method: str

    def of(self, run: str, measure: Measure | str) -> tuple[float, float]:
        """The interval of one run by one measure."""
        place = self.runs.index(run), self.measures.index(parse_measure(measure))
        return float(self.lower[place]), float(self.upper[place])

    @property
    def summary(self) -> str:
        """The kind of the intervals, the measures and runs in one line."""
        return (
            f"{100 * self.confidence:g} % intervals ({KINDS[self.method]}) of {listed(self.measures)} of "
            f"{counted(len(self.runs), 'run')} over {counted(int(self.topics.max()), 'topic')}"
        )

    def table(self) -> Table:
        """Column names and rows: one row per measure and run."""
        return rows_of(self.records())

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per measure and run."""
        return [
            {
                "measure": str(measure),
                "run": run,
                "value": float(self.values[row, column]),
                "lower": float(self.lower[row, column]),
                "upper": float(self.upper[row, column]),
                "topics": int(self.topics[row, column]),
            }
            for column, measure in enumerate(self.measures)
            for row, run in enumerate(self.runs)
        ]

    def figure(self) -> Figure:
        """Draw the values with their intervals, one panel per measure. Needs the extra ``plot``."""
        label = f"Value and {100 * self.confidence:g} % interval over topics"
        bounds, signs = np.stack([self.lower, self.upper]), list(map(sign_of, self.measures))
        return dot_plot(self.runs, list(map(str, self.measures)), self.values, signs, label, bounds)


def intervals(
    evaluation: Evaluation, confidence: float = 0.95, method: str = STUDENT, *, seed: int = 0
) -> Intervals:
    """The confidence interval of every run by every measure, over the topics.

    `confidence` is between 0 and 1. `method` is ``t`` (Student's t) or ``bca`` (the BCa bootstrap with 9999
    resamples drawn with `seed`; also named ``bootstrap``), which warns below 25 topics. Topics for which a
    provider of ir-measures reports no value are left out, as in its mean. The bounds of a sum over n topics
    are n times those of the mean. Needs the extra ``stats``.

    >>> from ir_measures_graded.analysis import evaluate
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 2}, "q3": {"a": 3}}
    >>> run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 1.0}}
    >>> found = intervals(evaluate(qrels, {"mine": run}, ["CG@1"]))
    >>> [round(bound, 2) for bound in found.of("mine", "CG@1")]
    [-0.48, 4.48]

    Raises `GradedError` for fewer than two topics, an unknown method and a confidence out of range.
    """
    need_statistics("scipy")
    method = check(confidence, method)
    shape = len(evaluation.runs), len(evaluation.measures)
    value, lower, upper = np.empty(shape), np.empty(shape), np.empty(shape)
    topics = np.empty(shape, dtype=np.int64)
    for row, column in np.ndindex(shape):
        values = evaluation.values[row, column]
        if evaluation.unreported is not None:
            values = values[~evaluation.unreported[row, column]]
        count = values.size
        measure = evaluation.measures[column]
        if count < 2:
            raise GradedError(
                f"{evaluation.runs[row]}: {measure} has {counted(count, 'topic')}; "
                "a confidence interval needs at least 2, and is rough below 10"
            )
        scale = count if isinstance(measure.aggregator(), SumAgg) else 1
        bounds = mean_interval(values, confidence, method, seed=seed)
        value[row, column] = scale * mean_over_topics(values)
        lower[row, column], upper[row, column] = scale * bounds[0], scale * bounds[1]
        topics[row, column] = count
    if method == BCA and topics.min() < ENOUGH:
        warnings.warn(
            f"BCa bootstrap intervals over {counted(int(topics.min()), 'topic')} are too narrow; "
            f"use Student's t (--interval t) below {ENOUGH} topics",
            FewTopicsWarning,
            stacklevel=2,
        )
    return Intervals(evaluation.runs, evaluation.measures, value, lower, upper, topics, confidence, method)


def mean_interval(
    values: np.ndarray, confidence: float = 0.95, method: str = STUDENT, *, seed: int = 0
) -> tuple[float, float]:
    """The confidence interval of the mean of `values`, an array of at least two numbers, one per topic.

    The bootstrap draws the topics with replacement; BCa corrects its percentiles for bias and skew. Student's
    t assumes that the mean is normally distributed. The order of the values does not matter. Equal values
    give an interval without width.

    >>> mean_interval(np.array([0.5, 0.5, 0.5]))
    (0.5, 0.5)
    >>> lower, upper = mean_interval(np.array([0.0, 0.25, 0.5, 0.75, 1.0]))
    >>> round(lower, 3), round(upper, 3)
    (0.009, 0.991)

    Source: Efron, Better bootstrap confidence intervals, JASA 82, 1987.
    """
    method = check(confidence, method)
    values = np.sort(np.asarray(values, dtype=np.float64))
    if values.size < 2:
        raise GradedError(f"a confidence interval needs at least 2 topics, not {values.size}")
    low, spread, mean = values[0], values[-1] - values[0], float(mean_over_topics(values))
    if spread <= EXACT * np.abs(values).max():
        return mean, mean
    scaled = (values - low) / spread  # tiny values would underflow when squared
    if method == STUDENT:
        reach = student_quantile(confidence, values.size - 1) * scaled.std(ddof=1) / values.size**0.5
        bounds = scaled.mean() - reach, scaled.mean() + reach
    else:
        found = statistics_library("scipy.stats").bootstrap(
            (scaled,),
            np.mean,
            axis=-1,
            n_resamples=RESAMPLES,
            batch=max(1, RESAMPLED_AT_ONCE // values.size),
            confidence_level=confidence,
            method="BCa",
            random_state=np.random.default_rng(seed),
        )
        bounds = found.confidence_interval
    lower, upper = (float(low + spread * bound) for bound in bounds)
    return lower, upper


@cache
def student_quantile(confidence: float, degrees: int) -> float:
    """The bound below which the absolute value of Student's t lies with probability `confidence`.

    >>> round(student_quantile(0.95, 10), 3)
    2.228
    """
    return float(statistics_library("scipy.stats").t.ppf((1 + confidence) / 2, degrees))


def check(confidence: float, method: str) -> str:
    """The name of the method. Raises `GradedError` for a confidence out of range and an unknown method."""
    if not 0 < confidence < 1:
        raise GradedError(f"confidence={confidence!r} is not allowed; it is above 0 and below 1, as 0.95")
    method = BCA if method == "bootstrap" else method
    if method not in METHODS:
        raise GradedError(f"method={method!r} is not allowed; it is one of {', '.join(METHODS)}")
    return method
